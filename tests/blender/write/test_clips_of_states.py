"""Clips of states in Blender, and what is done once: baked, previewed, copied and removed."""

import bpy
import numpy as np
import pytest

from tests.blender.building import empty, frames
from tests.blender.drawing import shown, texts
from tests.blender.dumping import refuses
from tests.blender.seen import listed, snapshots
from tests.blender.steered import bake, clear_bake, crowd, press, select
from tests.blender.walkers import found_walkers, idle
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)

HERE, NEAR = (0.0, 0.0, 0.0), 1.0


def feeders():
    """Two walkers, a state Feed of their crowd, and what calls the first into it after a while."""
    people, rigs = found_walkers(2)
    people.steering.vehicle.cruise_speed = people.steering.seek.weight = 0.0
    for rig in rigs:
        rig.steering.start_speed = 0.0
    rigs[1].location = (40.0, 0.0, 0.0)
    people.steering.portrayal.playing.plant_feet = False
    state = press("state_add", people)
    state.name, state.steering.state.react, state.steering.state.lasts = "Feed", 0.0, 0.0
    call = empty("Call", HERE)
    press("trigger_add", state, call, when="NEAR").steering.trigger.distance = NEAR
    return people, rigs, state


def clip(people, rig, name: str, **values):
    """Another clip of the crowd."""
    action = bpy.data.actions.get(name) or idle(rig, name)
    entry = people.steering.portrayal.clips.add()
    entry.name, entry.action = name, action
    for key, value in {"plays": "STAND", **values}.items():
        setattr(entry, key, value)
    press("clips_measure", people)
    return entry


def strip(rig, name: str):
    tracks = rig.animation_data.nla_tracks if rig.animation_data else ()
    return next((track.strips[0] for track in tracks if track.name == f"Steering: {name}"), None)


def keyed(rig, name: str, what: str) -> np.ndarray:
    curve = strip(rig, name).fcurves.find(what)
    return np.array([curve.evaluate(frame) for frame in range(1, bpy.context.scene.frame_end + 1)])


def test_what_is_for_a_state_is_done_once_as_it_is_taken_up() -> None:
    frames(1, 120)
    people, rigs, state = feeders()
    bpy.context.scene.frame_end = 120
    clip(people, rigs[0], "Nod", plays="DO", state=state, when="STATE")
    bake()
    time, share = keyed(rigs[0], "Nod", "strip_time"), keyed(rigs[0], "Nod", "influence")
    assert share.max() == 1.0 and share[-1] == 0.0
    assert time[0] == 0.0 and time[-1] == pytest.approx(time.max()) and np.count_nonzero(np.diff(time) > 0.0) > 40
    assert strip(rigs[1], "Nod") is None


def test_those_who_fight_stand_as_far_apart_as_their_clips_say_those_of_a_state_before_the_others() -> None:
    people, _, state = feeders()
    press("behavior_add", people, behavior="fight")
    clips = people.steering.portrayal.clips
    for when, apart, of in (
        ("ANSWER", 1.2, None),
        ("PARTNER", 1.8, None),
        ("CHANCE", 9.0, None),
        ("PARTNER", 0.9, state),
    ):
        entry = clips.add()
        entry.action, entry.plays, entry.when, entry.apart, entry.state = clips[0].action, "DO", when, apart, of
    apart = [next(b.apart[0] for b in s.behaviors if b.name == "fight") for s in snapshots()[0].settings]
    assert apart == pytest.approx([1.8, 0.9])


def test_one_action_may_be_a_clip_of_two_states_and_each_has_a_strip() -> None:
    people, rigs, state = feeders()
    other = press("state_add", people)
    press("clip_add", people, action="Idle", state="Feed")
    assert bpy.ops.steering.clip_add(action="Idle", state=other.name) == {"FINISHED"}
    refuses("clip_add", r"already a clip of People in Feed", action="Idle", state="Feed")
    refuses("clip_add", r"People has no state Rest", action="Idle", state="Rest")
    assert [entry.state for entry in people.steering.portrayal.clips[-2:]] == [state, other]
    bake()
    assert strip(rigs[0], "Idle") is not None and strip(rigs[0], "Idle 2") is not None
    clear_bake()
    assert not any(track.name.startswith("Steering") for rig in rigs for track in rig.animation_data.nla_tracks)


def test_a_clip_of_a_state_that_is_not_the_crowds_is_never_played_and_the_panel_says_so() -> None:
    people, rigs, state = feeders()
    entry = clip(people, rigs[0], "Eat", state=state)
    select(state)
    assert "Plays Eat" in texts(shown("OBJECT_PT_steering_state"))
    select(people)
    assert not [finding for finding in listed().values() if "never played" in finding]
    state.steering.crowd = None
    assert "Eat of People is never played: Feed is not among its states. Choose another In State" in listed().values()
    bake()
    assert strip(rigs[0], "Eat") is None
    bpy.data.objects.remove(state)
    assert entry.state is None


def test_copied_states_bring_their_clips_along_where_they_fit() -> None:
    people, rigs, state = feeders()
    clip(people, rigs[0], "Eat", state=state)
    select(people)
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    assert copy.steering.portrayal.clips[2].state == state, "Blender copies the clips, not the states"
    rigs[1].steering.crowd = copy
    bpy.context.view_layer.update()
    assert bpy.ops.steering.states_copy(source="People") == {"FINISHED"}
    other = crowd("Others")
    rigs[0].steering.crowd = other
    entry = other.steering.portrayal.clips.add()
    entry.action, entry.plays = bpy.data.actions["Walk"], "MOVE"
    press("states_copy", other, source="People")
    for ob in (copy, other):
        eaten = [each.state for each in ob.steering.portrayal.clips if each.action.name == "Eat"]
        assert [each.steering.crowd for each in eaten] == [ob]
    assert people.steering.portrayal.clips[-1].state == state
