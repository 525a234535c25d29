"""Why nothing moves: the panel names the reason, and names none where something moves."""

from collections.abc import Callable

import bpy
import numpy as np
import pytest

from tests.blender.animated import insert
from tests.blender.building import frames, part
from tests.blender.seen import flight
from tests.blender.steered import bake, crowd, fleet, leader, use, vehicle


def why() -> str:
    crowd_object = bpy.context.scene.steering.crowd
    return part("blender.status.inactivity").why_still(
        crowd_object, part("blender.status.census").count(bpy.context.scene)
    )


def away() -> str:
    crowd_object = bpy.context.scene.steering.crowd
    return part("blender.status.inactivity").why_away(
        crowd_object, part("blender.status.census").count(bpy.context.scene)
    )


def seeking():
    """A vehicle that goes to a leader; its crowd."""
    frames(1, 20)
    leader(location=(20.0, 5.0, 0.0))
    crowd_object = crowd(seek={})
    vehicle(crowd=crowd_object)
    return crowd_object


def ways() -> float:
    """Metres that the vehicle covers in a run."""
    _, positions, _ = flight()
    return float(np.linalg.norm(np.diff(positions, axis=0), axis=-1).sum())


def no_strength(crowd_object) -> None:
    crowd_object.steering.vehicle.max_force = 0.0
    for ob in bpy.data.objects:
        ob.steering.start_speed = 0.0


def ship():
    return bpy.data.objects["Ship"].steering


@pytest.mark.parametrize(
    ("hinder", "said"),
    [
        (lambda crowd_object: setattr(crowd_object.steering.vehicle, "max_speed", 0.0), "Max Speed is 0"),
        (no_strength, "Max Force is 0"),
        (lambda _: setattr(ship(), "active", False), "inactive"),
        (lambda _: setattr(ship(), "locked", True), "locked"),
    ],
    ids=["a top speed of nothing", "no strength", "all inactive", "all locked"],
)
def test_the_reason_why_no_vehicle_moves_is_named_and_true(hinder: Callable, said: str) -> None:
    hinder(seeking())
    assert said in why()
    try:
        assert ways() == pytest.approx(0.0, abs=1e-6)
    except part("blender.refusal").Refusal:
        pass  # A bake says so as well.


def same_flight(crowd_object, change: Callable) -> bool:
    """Whether a vehicle with a change to its crowd moves as if it had no behavior at all."""
    change(crowd_object)
    _, changed, _ = flight()
    crowd_object.steering.property_unset("seek")
    _, bare, _ = flight()
    return bool(np.allclose(changed, bare))


@pytest.mark.parametrize(
    ("hinder", "said"),
    [
        (lambda crowd_object: crowd_object.steering.property_unset("seek"), "No behavior"),
        (lambda crowd_object: setattr(crowd_object.steering.seek, "use", False), "switched off"),
        (lambda crowd_object: setattr(crowd_object.steering.seek, "weight", 0.0), "weight is 0"),
        (lambda _: bpy.data.objects.remove(bpy.data.objects["Leader"]), "waits for a Leader"),
    ],
    ids=["no behavior", "switched off", "without weight", "no target"],
)
def test_the_reason_why_behaviors_do_nothing_is_named_and_true(hinder: Callable, said: str) -> None:
    crowd_object = seeking()
    hinder(crowd_object)
    assert said in why()
    assert same_flight(crowd_object, lambda crowd_object: None)


def test_a_weight_keyed_to_zero_on_this_frame_is_named() -> None:
    crowd_object = seeking()
    insert(crowd_object, "steering.seek.weight", {1: 0.0, 10: 1.0})
    bpy.context.scene.frame_set(1)
    assert "weight is keyed to 0 here" in why()
    bpy.context.scene.frame_set(10)
    assert why() == ""


def test_one_effective_behavior_is_enough() -> None:
    crowd_object = seeking()
    use(crowd_object, arrival={}, wander={})
    crowd_object.steering.seek.weight = 0.0
    assert why() == ""
    stillness, census = part("blender.status.inactivity"), part("blender.status.census").count(bpy.context.scene)
    kinds = {kind.name: kind for kind in part("behaviors").CATALOGUE}
    assert stillness.why_idle(kinds["seek"], crowd_object, census)
    assert not stillness.why_idle(kinds["wander"], crowd_object, census)


def test_a_crowd_without_vehicles_says_how_to_get_some() -> None:
    crowd(wander={})
    assert "No vehicles yet" in why()


def test_every_behavior_that_waits_names_what_it_waits_for() -> None:
    crowd_object = crowd()
    stillness, census = part("blender.status.inactivity"), part("blender.status.census").count(bpy.context.scene)
    declaration = part("simulation.declaration")
    for kind in part("behaviors").CATALOGUE:
        use(crowd_object, **{kind.name: {}})
        waits = any(
            p.kind in declaration.POINTERS and p.default == declaration.NEAREST for p in kind.parameters().values()
        )
        assert bool(stillness.why_idle(kind, crowd_object, census)) == waits, kind.name


def arriving(number: int = 3, **attendance):
    """The crowd of vehicles side by side, each on its way to a leader ahead, which it reaches."""
    frames(1, 60)
    crowd_object = crowd(wander={"strength": 0.1})
    crowd_object.steering.vehicle.max_speed = 6.0
    fleet(number, crowd=crowd_object)
    for name, value in attendance.items():
        setattr(crowd_object.steering.attendance, name, value)
    return crowd_object


def seen(crowd_object, frame: int) -> list[str]:
    bpy.context.scene.frame_set(frame)
    return [ob.name for ob in bpy.data.objects if ob.name.startswith("Ship") and not ob.hide_viewport]


def test_before_a_vehicle_has_entered_the_first_frame_to_enter_is_named(preview) -> None:
    crowd_object = arriving(use_enter_frame=True, enter_frame=10, enter_span=30)
    said = away()
    assert "No vehicle has entered yet" in said
    assert why() == "", "on other frames one is present"
    first = int(said.rpartition(" ")[2])
    assert 10 <= first <= 40
    for frame, said_here in ((first - 1, said), (first, "")):
        bpy.context.scene.frame_set(frame)
        assert away() == said_here
    bake()
    assert seen(crowd_object, first - 1) == [] and away() == said
    assert seen(crowd_object, first) != [] and away() == ""
    crowd_object.steering.attendance.use_enter_frame = False
    assert seen(crowd_object, 1) == [] and away() == said, "the bake still plays"
    preview.start(bpy.context.scene, bpy.context.view_layer)
    assert away() == ""


def test_vehicles_that_enter_after_the_end_are_named_and_do_not_move() -> None:
    arriving(use_enter_frame=True, enter_frame=61)
    assert why() == "All its vehicles enter after the last frame, 60: the first enters on frame 61"
    assert away() == ""
    assert ways() == 0.0


def test_vehicles_that_have_left_are_reported_by_bake_and_preview(preview) -> None:
    crowd_object = arriving(1, on_arrival="LEAVE")
    use(crowd_object, seek={"target": leader(location=(0.0, 6.0, 0.0))})
    assert away() == ""
    bpy.context.scene.frame_set(60)
    assert away() == "", "not known yet"
    preview.start(bpy.context.scene, bpy.context.view_layer)
    left = "The vehicles that entered have left"
    assert away() == left
    bpy.context.scene.frame_set(1)
    assert away() == ""
    preview.end()
    bake()
    said = {frame: (seen(crowd_object, frame), away())[1] for frame in (1, 5, 60)}
    assert said == {1: "", 5: "", 60: left}


def test_vehicles_that_wait_for_room_are_reported() -> None:
    crowd_object = arriving(1, use_enter_frame=True, enter_frame=10)
    block = vehicle(name="Block", crowd=crowd(rest={}), start_speed=0.0)
    block.steering.crowd.steering.vehicle.cruise_speed = 0.0
    bpy.context.scene.steering.crowd = crowd_object
    bake()
    assert seen(crowd_object, 40) == []
    assert why() == "All its vehicles wait for room to enter"
    assert away() == ""
