"""Why nothing moves: the panel names the reason, and names none where something moves."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest

from tests.blender.building import bake, crowd, fleet, flight, frames, insert, leader, part, use, vehicle


def why() -> str:
    own = bpy.context.scene.steering.crowd
    return part("blender.status.inactivity").why_still(own, part("blender.status.census").count(bpy.context.scene))


def away() -> str:
    own = bpy.context.scene.steering.crowd
    return part("blender.status.inactivity").why_away(own, part("blender.status.census").count(bpy.context.scene))


def seeking():
    """A vehicle that goes to a leader; its crowd."""
    frames(1, 20)
    leader(location=(20.0, 5.0, 0.0))
    own = crowd(seek={})
    vehicle(crowd=own)
    return own


def ways() -> float:
    """Metres that the vehicle covers in a run."""
    _, positions, _ = flight()
    return float(np.linalg.norm(np.diff(positions, axis=0), axis=-1).sum())


def test_where_something_moves_there_is_nothing_to_say() -> None:
    seeking()
    assert why() == ""
    assert ways() > 1.0


def a_top_speed_of_nothing(own) -> None:
    own.steering.vehicle.max_speed = 0.0


def no_strength(own) -> None:
    own.steering.vehicle.max_force = 0.0
    for ob in bpy.data.objects:
        ob.steering.start_speed = 0.0


def all_inactive(_own) -> None:
    bpy.data.objects["Ship"].steering.active = False


def all_locked(_own) -> None:
    bpy.data.objects["Ship"].steering.locked = True


@pytest.mark.parametrize(
    ("hinder", "said"),
    [
        (a_top_speed_of_nothing, "Max Speed is 0"),
        (no_strength, "Max Force is 0"),
        (all_inactive, "inactive"),
        (all_locked, "locked"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_keeps_all_from_moving_is_named_and_does(hinder: Callable, said: str) -> None:
    hinder(seeking())
    assert said in why()
    try:
        assert ways() == pytest.approx(0.0, abs=1e-6)
    except part("blender.refusal").Refusal:
        pass  # A bake says so as well.


def same_flight(own, change: Callable) -> bool:
    """Whether a vehicle with a change to its crowd moves as if it had no behavior at all."""
    change(own)
    _, changed, _ = flight()
    own.steering.property_unset("seek")
    _, bare, _ = flight()
    return bool(np.allclose(changed, bare))


def no_behavior(own) -> None:
    own.steering.property_unset("seek")


def switched_off(own) -> None:
    own.steering.seek.use = False


def without_weight(own) -> None:
    own.steering.seek.weight = 0.0


def no_target(_own) -> None:
    bpy.data.objects.remove(bpy.data.objects["Leader"])


@pytest.mark.parametrize(
    ("hinder", "said"),
    [
        (no_behavior, "No behavior"),
        (switched_off, "switched off"),
        (without_weight, "weight is 0"),
        (no_target, "waits for a Leader"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_keeps_behaviors_from_counting_is_named_and_does(hinder: Callable, said: str) -> None:
    own = seeking()
    hinder(own)
    assert said in why()
    assert same_flight(own, lambda own: None)


def test_a_weight_keyed_to_nothing_here_is_called_that() -> None:
    own = seeking()
    insert(own, "steering.seek.weight", {1: 0.0, 10: 1.0})
    bpy.context.scene.frame_set(1)
    assert "weight is keyed to 0 here" in why()
    bpy.context.scene.frame_set(10)
    assert why() == ""


def test_one_behavior_that_counts_is_enough() -> None:
    own = seeking()
    use(own, arrival={}, wander={})
    own.steering.seek.weight = 0.0
    assert why() == ""
    stillness, census = part("blender.status.inactivity"), part("blender.status.census").count(bpy.context.scene)
    kinds = {kind.name: kind for kind in part("behaviors").CATALOGUE}
    assert stillness.why_idle(kinds["seek"], own, census)
    assert not stillness.why_idle(kinds["wander"], own, census)


def test_a_crowd_without_vehicles_says_how_to_get_some() -> None:
    crowd(wander={})
    assert "No vehicles yet" in why()


def test_every_behavior_that_waits_for_something_says_for_what() -> None:
    own = crowd()
    stillness, census = part("blender.status.inactivity"), part("blender.status.census").count(bpy.context.scene)
    declaration = part("simulation.declaration")
    for kind in part("behaviors").CATALOGUE:
        use(own, **{kind.name: {}})
        waits = any(
            p.kind in declaration.POINTERS and p.default == declaration.NEAREST for p in kind.parameters().values()
        )
        assert bool(stillness.why_idle(kind, own, census)) == waits, kind.name


# ---- who is not there


def arriving(number: int = 3, **attendance):
    """Vehicles beside each other on their way to the leader ahead of each, which they reach; their crowd."""
    frames(1, 60)
    own = crowd(wander={"strength": 0.1})
    own.steering.vehicle.max_speed = 6.0
    fleet(number, crowd=own)
    for name, value in attendance.items():
        setattr(own.steering.attendance, name, value)
    return own


def seen(own, frame: int) -> list[str]:
    bpy.context.scene.frame_set(frame)
    return [ob.name for ob in bpy.data.objects if ob.name.startswith("Ship") and not ob.hide_viewport]


@pytest.fixture
def preview():
    """The preview, switched off afterwards."""
    found = part("blender.preview")
    yield found
    found.end()


def test_before_anybody_has_entered_the_frame_of_the_first_is_named(preview) -> None:
    own = arriving(use_enter_frame=True, enter_frame=10, enter_span=30)
    said = away()
    assert "No vehicle has entered yet" in said
    assert why() == "", "on other frames one is present"
    first = int(said.rpartition(" ")[2])
    assert 10 <= first <= 40
    for frame, said_here in ((first - 1, said), (first, "")):
        bpy.context.scene.frame_set(frame)
        assert away() == said_here
    bake()
    assert seen(own, first - 1) == [] and away() == said
    assert seen(own, first) != [] and away() == ""
    own.steering.attendance.use_enter_frame = False
    assert seen(own, 1) == [] and away() == said, "the bake still plays"
    preview.start(bpy.context.scene, bpy.context.view_layer)
    assert away() == ""


def test_a_frame_of_ones_own_comes_first() -> None:
    own = arriving(use_enter_frame=True, enter_frame=40)
    ship = bpy.data.objects["Ship 1"].steering
    ship.use_enter_frame, ship.enter_frame = True, 20
    assert away() == "No vehicle has entered yet: the first enters on frame 20"
    own.steering.attendance.use_enter_frame = False
    assert away() == ""


def test_who_enters_after_the_end_is_said_and_nobody_moves() -> None:
    arriving(use_enter_frame=True, enter_frame=61)
    assert why() == "All its vehicles enter after the last frame, 60: the first enters on frame 61"
    assert away() == ""
    assert ways() == 0.0


def test_who_has_left_is_said_by_the_bake_and_by_the_preview(preview) -> None:
    own = arriving(1, on_arrival="LEAVE")
    use(own, seek={"target": leader(location=(0.0, 6.0, 0.0))})
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
    said = {frame: (seen(own, frame), away())[1] for frame in (1, 5, 60)}
    assert said == {1: "", 5: "", 60: left}


def test_between_those_who_have_left_and_those_who_come_the_next_is_named() -> None:
    own = arriving(2, on_arrival="LEAVE")
    use(own, seek={"target": leader(location=(0.0, 3.0, 0.0))})
    late = bpy.data.objects["Ship 1"].steering
    late.use_enter_frame, late.enter_frame = True, 50
    bake()
    assert seen(own, 45) == []
    assert away() == "No vehicle is present on this frame: the next enters on frame 50"


def test_who_waits_for_room_is_said() -> None:
    own = arriving(1, use_enter_frame=True, enter_frame=10)
    block = vehicle(name="Block", crowd=crowd(rest={}), start_speed=0.0)
    block.steering.crowd.steering.vehicle.cruise_speed = 0.0
    bpy.context.scene.steering.crowd = own
    bake()
    assert seen(own, 40) == []
    assert why() == "All its vehicles wait for room to enter"
    assert away() == ""
