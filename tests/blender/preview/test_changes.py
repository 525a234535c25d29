"""A preview follows what is changed while it is on, and simulates no more again than that."""

import bpy
import numpy as np
import pytest

from tests.blender.animated import insert
from tests.blender.building import empty, part
from tests.blender.preview.previewed import (
    FIRST,
    LAST,
    begin_again,
    counted,
    is_on,
    played,
    round_a_hidden_obstacle,
    ships,
    shown,
    toggle,
    told,
)
from tests.blender.steered import leader, obstacle, press, select, vehicle
from tests.sampling import in_every_blender, sampled

pytestmark = in_every_blender(shared=True)


def crew():
    """The settings of the crowd."""
    return bpy.data.objects["Crew"].steering


def no_such_behavior(obs) -> None:
    press("behavior_remove", obs[0], behavior="wander")


def more_behaviors(_obs) -> None:
    crew().flee.use = True
    leader(location=(1.0, 3.0, 0.0))


def starts_elsewhere(obs) -> None:
    bpy.context.scene.frame_set(FIRST)
    obs[1].location = (2.0, -4.0, 1.0)
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(15)


def another_vehicle(obs) -> None:
    bpy.context.scene.frame_set(FIRST)
    obs.append(vehicle(name="Late", location=(1.0, 1.0, 0.0), crowd=bpy.data.objects["Crew"], identity=9))
    bpy.context.scene.frame_set(15)


def something_in_the_way(_obs) -> None:
    crew().obstacle_avoidance.use = True
    obstacle(location=(0.0, 5.0, 0.0))


CHANGES = {
    "other weight": lambda _: setattr(crew().wander, "weight", 3.0),
    "no such behavior": no_such_behavior,
    "more behaviors": more_behaviors,
    "faster": lambda _: setattr(crew().vehicle, "max_speed", 2.0 * crew().vehicle.max_speed),
    "one is slower": lambda obs: setattr(obs[0].steering, "speed_factor", 0.5),
    "starts elsewhere": starts_elsewhere,
    "another vehicle": another_vehicle,
    "one vehicle less": lambda obs: bpy.data.objects.remove(obs.pop()),
    "something in the way": something_in_the_way,
    "other luck": lambda _: setattr(bpy.context.scene.steering, "seed", 7),
    "other frame rate": lambda _: setattr(bpy.context.scene.render, "fps", 60),
    "keyed setting": lambda _: insert(bpy.data.objects["Crew"], "steering.wander.weight", {10: 1.0, 12: 9.0}),
    "locked one": lambda obs: setattr(obs[0].steering, "locked", True),
}


@sampled(one_of=2)
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_after_a_change_the_playhead_stays_and_shows_what_a_new_preview_would(change) -> None:
    obs = ships()
    toggle()
    bpy.context.scene.frame_set(15)
    before = shown(obs)
    change(obs)
    bpy.context.view_layer.update()
    assert bpy.context.scene.frame_current == 15
    now = shown(obs)
    assert len(now) != len(before) or now.tobytes() != before.tobytes()
    begin_again()
    assert played(obs, [15])[0].tobytes() == now.tobytes()


def test_an_object_moved_during_playback_counts_from_then_on() -> None:
    obs = ships(3, obstacle_avoidance={})
    rock = obstacle(location=(50.0, 0.0, 0.0))
    bpy.context.scene.frame_set(FIRST)
    toggle()
    seen = played(obs, range(FIRST, 11))
    rock.location = (0.5, 4.0, 0.0)
    now = played(obs, range(11, LAST + 1))
    begin_again()
    again = played(obs)
    assert again[-len(now) :].tobytes() == now.tobytes()
    assert again[: len(seen)].tobytes() != seen.tobytes()


def counted_steps(monkeypatch) -> list:
    return counted(monkeypatch, part("blender.preview.rehearsal"), "step")


def test_only_frames_after_a_change_are_simulated_again(monkeypatch) -> None:
    obs = ships()
    crew = bpy.data.objects["Crew"]
    insert(crew, "steering.wander.weight", {FIRST: 1.0, 12: 1.0, LAST: 1.0})
    toggle()
    bpy.context.scene.frame_set(LAST)
    steps = counted_steps(monkeypatch)
    insert(crew, "steering.wander.weight", {LAST: 5.0})
    assert len(steps) == LAST - 12
    after = shown(obs)
    begin_again()
    assert played(obs, [LAST])[0].tobytes() == after.tobytes()


@pytest.mark.parametrize("parented", [False, True])
def test_a_changed_setting_of_a_crowd_reads_no_frame_again(monkeypatch, parented) -> None:
    obs = round_a_hidden_obstacle()
    crew = bpy.data.objects["Crew"]
    if parented:
        bpy.data.objects["Ball"].parent = crew
    toggle()
    played(obs)
    read = counted(monkeypatch, part("blender.read.reading").Reader, "read")
    steps = counted_steps(monkeypatch)
    crew.steering.vehicle.max_speed *= 0.5
    bpy.context.view_layer.update()
    seen = played(obs)
    assert not read
    assert len(steps) == LAST - FIRST
    begin_again()
    assert np.array_equal(played(obs), seen)


def test_a_moved_crowd_that_carries_something_is_read_again() -> None:
    obs = ships()
    crew = bpy.data.objects["Crew"]
    obs[1].parent = crew
    bpy.context.view_layer.update()
    toggle()
    before = played(obs)
    crew.location.x -= 1.0
    bpy.context.view_layer.update()
    seen = played(obs)
    assert not np.array_equal(seen, before)
    begin_again()
    assert np.array_equal(played(obs), seen)


def test_a_carried_object_is_read_in_its_real_pose(monkeypatch) -> None:
    """Not where the preview shows it: what was played from frame to frame is what a bake plays, to the last bit."""
    obs = ships(2, obstacle_avoidance={}, wander={"strength": 8.0})
    rock = obstacle(location=(1.0, 2.0, 0.0))
    rock.parent = obs[1]
    obs[1].steering.use_enter_frame, obs[1].steering.enter_frame = True, 8
    bpy.context.view_layer.update()
    toggle()
    played(obs)
    steps = counted_steps(monkeypatch)
    bpy.data.objects["Crew"].steering.wander.strength = 8.0
    played(obs)
    assert steps == []


def test_selections_and_irrelevant_changes_simulate_nothing_again(monkeypatch) -> None:
    obs = ships()
    lamp = empty("Lamp")
    toggle()
    bpy.context.scene.frame_set(15)
    seen = shown(obs)
    steps = counted_steps(monkeypatch)
    select(lamp)
    lamp.location.x = 3.0
    bpy.context.view_layer.update()
    obs[0].show_name = True
    obs[0].update_tag()
    bpy.context.view_layer.update()
    assert steps == []
    assert shown(obs).tobytes() == seen.tobytes()


def test_a_scene_that_becomes_invalid_is_reported_and_continues_when_repaired() -> None:
    obs = ships()
    crew = bpy.data.objects["Crew"]
    toggle()
    bpy.context.scene.frame_set(10)
    seen = shown(obs)
    crew.steering.vehicle.max_speed, speed = 0.0, crew.steering.vehicle.max_speed
    bpy.context.view_layer.update()
    assert "Max Speed of Crew is 0" in told()
    assert is_on()
    bpy.context.view_layer.update()
    assert np.allclose(shown(obs)[:, :3, 3], [ob.location for ob in obs])
    bpy.context.scene.frame_set(11)
    crew.steering.vehicle.max_speed = speed
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(10)
    assert told() == ""
    assert shown(obs).tobytes() == seen.tobytes()


def test_a_long_simulation_continues_in_pieces_and_reports_progress() -> None:
    obs = ships()
    toggle()
    live = part("blender.preview.live")._live
    layer = bpy.context.view_layer
    bpy.context.scene.frame_set(FIRST)
    seen = shown(obs)
    bpy.data.objects["Crew"].steering.wander.weight = 2.0
    live.forget_plan()
    live.busy = True
    bpy.context.scene.frame_set(LAST)
    live.busy = False
    pieces = 1
    while not live.present(bpy.context.scene, [layer.depsgraph], 0.0):
        assert told() == f"Played to frame {pieces} of {LAST} ..."
        assert part("blender.preview.published").published_frame(bpy.context.scene) is None, "not known yet"
        pieces += 1
    assert pieces == LAST
    assert told() == ""
    outside, left = part("blender.preview.published").published_frame(bpy.context.scene).absent(obs)
    assert (outside.tolist(), left.tolist()) == ([False] * len(obs), [False] * len(obs))
    assert shown(obs).tobytes() != seen.tobytes()
