"""Finding wheels: models of boxes and cylinders."""

import numpy as np
import pytest

from steering_addon.settings.wheel_finding import ground_of, loose_parts, wheels_among, wheels_of, without_strays
from tests.surfaces import Faces, cuboid, together

SIDES = 12


def box(size: tuple[float, float, float], middle: tuple[float, float, float]) -> Faces:
    half = 0.5 * np.array(size)
    return cuboid(middle - half, middle + half)


def cylinder(radius: float, width: float, middle: tuple[float, float, float], sides: int = SIDES):
    """Round about the sideways axis, y."""
    angle = 2.0 * np.pi * np.arange(sides) / sides
    ring = radius * np.stack((np.cos(angle), 0.0 * angle, np.sin(angle)), axis=1)
    half = np.array([0.0, 0.5 * width, 0.0])
    points = np.concatenate((ring - half, ring + half))
    k = np.arange(sides)
    after = (k + 1) % sides
    return points + middle, np.concatenate(
        (np.stack((k, after, k + sides), 1), np.stack((after, after + sides, k + sides), 1))
    )


def car(radius: float = 0.3, sides: int = SIDES, lift: float = 0.0):
    wheels = [cylinder(radius, 0.2, (x, y, radius + lift), sides) for x in (1.2, -1.4) for y in (0.7, -0.7)]
    return together(box((4.0, 1.8, 1.0), (0.0, 0.0, 0.9)), *wheels)


@pytest.mark.parametrize("sides", [8, 12, 32])
def test_a_car_is_measured_by_its_wheels(sides: int) -> None:
    assert wheels_of(*car(sides=sides)) == pytest.approx((2.6, 1.4, 0.3))


def test_of_three_axles_the_first_and_the_last_count() -> None:
    points, triangles = together(car(), *(cylinder(0.3, 0.2, (-0.5, y, 0.3)) for y in (0.7, -0.7)))
    assert wheels_of(points, triangles) == pytest.approx((2.6, 1.4, 0.3))


def test_what_is_not_round_or_not_on_the_ground_does_not_count() -> None:
    feet = [box((0.6, 0.2, 0.6), (x, y, 0.3)) for x in (1.2, -1.2) for y in (0.7, -0.7)]
    assert wheels_of(*together(box((4.0, 1.8, 1.0), (0.0, 0.0, 0.9)), *feet)) is None
    spare = cylinder(0.3, 0.2, (2.1, 0.0, 1.2))
    assert wheels_of(*together(car(), spare)) == pytest.approx((2.6, 1.4, 0.3))
    assert wheels_of(*box((4.0, 1.8, 1.0), (0.0, 0.0, 0.5))) is None
    assert wheels_of(np.zeros((1, 3)), np.zeros((0, 3), dtype=np.int64)) is None


def test_a_bicycle_has_no_left_and_right_wheels() -> None:
    pair = [cylinder(0.3, 0.05, (x, 0.0, 0.3)) for x in (0.5, -0.5)]
    assert wheels_of(*together(*pair, *pair)) is None


def test_points_that_triangles_join_belong_together() -> None:
    row = np.arange(50)
    chain = np.stack((row, row + 1, row + 2), axis=1)
    part = loose_parts(56, np.concatenate((chain[::-1], [[53, 54, 55]])))
    assert (part[:52] == part[0]).all() and part[52] not in part[:52] and len(set(part[53:])) == 1


def tread(radius: float = 0.3, sides: int = 32):
    points, _ = cylinder(radius, 0.2, (1.2, 0.7, radius), sides)
    return points


@pytest.mark.parametrize(
    "strays",
    [
        [(9.0, 3.0, -4.0)],
        [(1.2, 0.7, 0.9), (1.6, 0.7, 0.3)],
        [(1.25, 0.95, 0.3), (1.15, 0.95, 0.3), (1.2, 0.95, 0.35)],
    ],
    ids=["left behind", "beside", "bolts"],
)
def test_a_wheel_with_a_few_points_elsewhere_is_a_wheel(strays) -> None:
    body = box((4.0, 1.8, 1.0), (0.0, 0.0, 0.9))[0]
    wheel = np.concatenate((tread(), strays))
    ground = ground_of(np.concatenate((body, wheel, tread()))[:, 2])
    assert wheels_among([body, wheel], ground).tolist() == [False, True]
    kept = without_strays(wheel)
    assert 0.5 * np.ptp(kept[:, 2]) == pytest.approx(0.3, rel=1e-6)


def test_rims_and_hubs_turn_with_the_wheel_that_they_are_in_and_calipers_do_not() -> None:
    rim, hub = (cylinder(radius, 0.1, (1.2, 0.75, 0.3), 16)[0] for radius in (0.2, 0.05))
    caliper = box((0.1, 0.1, 0.15), (1.35, 0.7, 0.35))[0]
    lamp = cylinder(0.1, 0.1, (2.0, 0.6, 0.8))[0]
    assert wheels_among([tread(), rim, hub, caliper, lamp], 0.0).tolist() == [True, True, True, False, False]


def test_a_box_with_a_stray_point_is_no_wheel() -> None:
    angle = np.linspace(0.0, 1.0, 11)
    side = np.array([(x, 0.0, z) for x in angle for z in angle])
    block = np.concatenate((side, side + np.array((0.0, 0.2, 0.0)), [(5.0, 0.0, 0.0)]))
    assert wheels_among([block], 0.0).tolist() == [False]
