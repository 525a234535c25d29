"""A long model becomes a capsule when it is tagged: measured, drawn, read, and kept in proportion."""

import bpy
import numpy as np
import pytest

from tests.blender.building import meshed, sphere
from tests.blender.dumping import refuses
from tests.blender.overlay.test_overlay import colored, drawn
from tests.blender.seen import read_at
from tests.blender.steered import press, select, tag


def box(name: str, size, location=(0.0, 0.0, 0.0), **placed):
    """A box of this width, length and height that stands on the ground; its front is +Y."""
    x, y, z = size
    return meshed(
        name,
        [(i * x / 2.0, j * y / 2.0, k * z) for i in (-1, 1) for j in (-1, 1) for k in (0, 1)],
        [(0, 1, 3, 2)],
        location=location,
        **placed,
    )


def car(name: str = "Car", location=(0.0, 0.0, 0.0), size=(1.8, 4.3, 1.5), **placed):
    return box(name, size, location, **placed)


def tagged(*objects, like: str = "CAR", facing: str = "POS_Y"):
    for ob in objects:
        tag(ob, role="OBSTACLE")
        ob.steering.forward_axis = facing
    press("tag", *objects, role="VEHICLE", moves_like=like)
    for ob in objects:
        ob.steering.roles = {"VEHICLE"}
    return objects[0].steering.crowd


def bodies() -> dict[str, tuple[float, float]]:
    """The radius and the length of each vehicle in metres, as its crowd and its own factors say, at a scale of 1."""
    result = {}
    for ob in bpy.context.scene.objects:
        if ob.steering.roles == {"VEHICLE"}:
            model, settings = ob.steering.crowd.steering.vehicle, ob.steering
            size = settings.size_factor / ob.scale.x
            result[ob.name] = (model.radius * size, model.length * size * settings.length_factor)
    return result


@pytest.mark.parametrize(("facing", "size"), [("NEG_Y", (1.8, 4.3, 1.5)), ("POS_X", (4.3, 1.8, 1.5))])
def test_it_is_measured_along_its_own_forward_axis_and_with_its_scale(facing: str, size) -> None:
    tagged(car(size=size, rotation=(0.0, 0.0, 0.7), scale=(2.0, 2.0, 2.0)), facing=facing)
    assert bodies()["Car"] == pytest.approx((0.9, 4.3), rel=1e-5)


@pytest.mark.parametrize(
    ("like", "size"), [("CAR", (1.8, 1.9, 1.5)), ("PERSON", (0.5, 0.3, 1.8)), ("BIRD", (1.2, 0.5, 0.2))]
)
def test_what_is_not_clearly_longer_than_wide_is_a_sphere(like: str, size) -> None:
    assert tagged(car(size=size), like=like).steering.vehicle.length == 0.0


def test_a_fish_is_as_thick_as_it_is_high() -> None:
    tagged(box("Fish", (0.05, 0.4, 0.1)), like="FISH")
    assert bodies()["Fish"] == pytest.approx((0.05, 0.4), rel=1e-5)


def test_a_lorry_among_cars_keeps_its_proportions_and_so_does_a_ball() -> None:
    cars = tagged(car(), car("Lorry", (5.0, 0.0, 0.0), (2.5, 12.0, 4.0)), car("Ball", (9.0, 0.0, 0.0), (1.0, 1.0, 1.0)))
    assert bodies()["Car"] == pytest.approx((0.9, 4.3), rel=1e-5)
    assert bodies()["Lorry"] == pytest.approx((1.25, 12.0), rel=1e-5)
    assert bodies()["Ball"] == pytest.approx((0.5, 0.0), rel=1e-5)
    third = car("Van", (0.0, 20.0, 0.0), (2.0, 6.0, 2.5))
    press("tag", third, cars, role="VEHICLE")
    assert bodies()["Van"] == pytest.approx((1.0, 6.0), rel=1e-5)


def test_moved_to_a_new_crowd_or_given_a_preset_it_stays_as_long() -> None:
    first = car()
    cars = tagged(first, car("Other", (4.0, 0.0, 0.0)))
    press("crowd_assign", first)
    assert bodies()["Car"] == pytest.approx((0.9, 4.3), rel=1e-5)
    press("preset_apply", cars, preset="pedestrian")
    assert cars.steering.vehicle.length == pytest.approx(4.3)


def test_members_of_a_populated_crowd_are_long_in_proportion_to_their_size() -> None:
    press("populate", car(), moves_like="CAR", count=3, random_scale=0.3)
    members = [ob for ob in bpy.context.scene.objects if ob.steering.crowd is not None]
    assert len(members) == 3
    for ob in members:
        assert bodies()[ob.name] == pytest.approx((0.9, 4.3), rel=1e-4)


def test_it_is_read_as_a_capsule_also_where_it_is_locked() -> None:
    other = car("Locked", (6.0, 0.0, 0.0))
    tagged(car(), other)
    other.steering.locked = True
    seen = read_at(1)[0]
    assert seen.vehicle.half_axis == pytest.approx([1.25], rel=0.03)
    assert seen.half_axes == pytest.approx([1.25, 1.25], rel=0.03)


def test_crowds_of_spheres_are_read_without_axes() -> None:
    tagged(sphere(), like="ANYTHING")
    assert read_at(1)[0].half_axes is None


def test_the_overlay_draws_its_outline_and_the_arrow_at_its_nose() -> None:
    ob = car()
    tagged(ob)
    select(ob)
    picture = drawn("FRONT")
    outline = colored(picture, "SIZE")
    assert np.ptp(outline, axis=0)[:2] == pytest.approx((1.8, 4.3), abs=0.02)
    pairs = outline.reshape(-1, 2, 3)
    assert pairs[1:, 0] == pytest.approx(pairs[:-1, 1]), "one line"
    assert pairs[0, 0] == pytest.approx(pairs[-1, 1]), "that is closed"
    assert colored(picture, "FRONT")[0, 1] == pytest.approx(4.3 / 2.0, abs=1e-5)


def wheel(car, name: str, place: tuple[float, float, float], radius: float):
    """A wheel of a car, as an object of its own or as loose faces of one; its axle is along X."""
    angle = 2.0 * np.pi * np.arange(12) / 12.0
    ring = [(x, radius * np.cos(a), radius * np.sin(a)) for x in (-0.1, 0.1) for a in angle]
    faces = [(k, (k + 1) % 12, 12 + (k + 1) % 12, 12 + k) for k in range(12)]
    made = meshed(name, ring, faces, location=place)
    made.parent = car
    return made


def test_wheels_are_measured_from_the_model() -> None:
    body = car(size=(1.8, 4.3, 1.2), scale=(2.0, 2.0, 2.0))
    for side in (-0.75, 0.75):
        wheel(body, "Front", (side, 1.3, 0.35), 0.35)
        wheel(body, "Rear", (side, -1.2, 0.35), 0.35)
    settings = tagged(body).steering.wheeled
    assert settings.wheelbase == pytest.approx(5.0, rel=1e-5)
    assert settings.track == pytest.approx(3.0, rel=1e-5)
    assert settings.wheel_radius == pytest.approx(0.7, rel=1e-5)
    assert bpy.ops.steering.preset_apply(preset="car", fit_size=True) == {"FINISHED"}
    assert settings.wheelbase == pytest.approx(5.0, rel=1e-5)
    body.steering.up_axis = "POS_Y"
    refuses("preset_apply", "Forward and Up of .* are the same axis", body, preset="car", fit_size=True, vary=True)
