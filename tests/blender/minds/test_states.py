"""States in Blender: a crowd gets states, something calls its vehicles into them, and a bake shows it."""

import bpy
import numpy as np
import pytest

from tests.blender.building import bake, crowd, empty, frames, part, select, vehicle, wedge
from tests.blender.sharing import in_one_blender

planning = part("blender.read.plan")
reading = part("blender.read.reading")
presets = part("settings.state_presets").STATE_PRESETS


def herd(count: int = 9):
    """A crowd of slow vehicles, two metres apart, that wander."""
    grazing = crowd("Sheep", wander={"strength": 0.3}, separation={"distance": 1.5})
    grazing.steering.vehicle.max_speed, grazing.steering.vehicle.max_force = 1.5, 3.0
    grazing.steering.locomotion = "PLANAR"
    side = int(np.ceil(np.sqrt(count)))
    members = [
        vehicle(wedge(f"Sheep {k}", (2.0 * (k % side), 2.0 * (k // side), 0.0)), crowd=grazing, identity=100 + k)
        for k in range(count)
    ]
    frames(1, 60)
    return grazing, members


def startle(grazing, wolf=None, **values):
    select(grazing)
    assert bpy.ops.steering.state_add(preset="STARTLE") == {"FINISHED"}
    state = bpy.context.object
    for name, value in values.items():
        setattr(state.steering.state, name, value)
    if wolf is not None:
        select(state, wolf)
        assert bpy.ops.steering.trigger_add(when="NEAR") == {"FINISHED"}
    return state


def away_from(wolf, members) -> np.ndarray:
    """How much further from the wolf each is on the last frame than on the first."""
    distances = []
    for frame in (1, 60):
        bpy.context.scene.frame_set(frame)
        place = np.array([ob.matrix_world.translation for ob in members])
        distances.append(np.linalg.norm(place - np.array(wolf.location), axis=1))
    return distances[1] - distances[0]


def test_five_clicks_make_a_herd_run_from_a_wolf() -> None:
    grazing, members = herd()
    wolf = empty("Wolf", (2.0, -3.0, 0.0))
    state = startle(grazing, wolf)
    trigger = bpy.context.object
    assert trigger.parent == wolf and trigger.steering.trigger.who == wolf and trigger.steering.trigger.to == state
    bake()
    assert (away_from(wolf, members) > 4.0).all()
    bpy.ops.steering.clear_bake()
    trigger.steering.active = False
    bake()
    assert (away_from(wolf, members) < 4.0).any()


def test_a_state_takes_over_the_values_of_its_crowd_and_leaves_the_crowd_as_it_is() -> None:
    grazing, _ = herd(1)
    state = startle(grazing)
    assert not state.steering.wander.use and grazing.steering.wander.use
    assert state.steering.vehicle.max_speed == 4.5 and grazing.steering.vehicle.max_speed == 1.5
    assert not state.steering.is_property_set("separation")
    state.steering.separation.own = True
    assert state.steering.separation.use and state.steering.separation.distance == 1.5
    assert state.steering.state.then.name == "Regroup"


def test_what_a_state_does_not_have_of_its_own_follows_the_crowd() -> None:
    grazing, _ = herd(2)
    startle(grazing)
    grazing.steering.separation.distance = 2.5
    plan = planning.plan_reading(bpy.context.scene)
    snapshot = next(iter(part("blender.read.sweep").sweep(plan, reading.Reader(plan)))).snapshot
    names = {mode.name: snapshot.settings[mode.settings] for mode in snapshot.minds[0].modes}
    separation = next(b for b in names["Startle"].behaviors if b.name == "separation")
    assert separation.distance[0] == 2.5 and "wander" not in [b.name for b in names["Startle"].behaviors]


def test_a_cue_on_the_timeline_holds_for_its_frames_only() -> None:
    grazing, _ = herd(4)
    state = startle(grazing, blend=0.0)
    bpy.context.scene.frame_set(20)
    select(state)
    assert bpy.ops.steering.cue_add(frames=20, fade=0) == {"FINISHED"}
    bpy.context.scene.frame_set(1)
    plan = planning.plan_reading(bpy.context.scene)
    cues = []
    for read in part("blender.read.sweep").sweep(plan, reading.Reader(plan)):
        mode = next(mode for mode in read.snapshot.minds[0].modes if mode.name == "Startle")
        cues.append(float(mode.numbers.cue[0]))
    assert set(cues[:18]) == {0.0} and set(cues[20:38]) == {1.0} and set(cues[42:]) == {0.0}


def test_keys_on_a_cue_hide_strips_so_a_strip_is_refused() -> None:
    grazing, _ = herd(1)
    state = startle(grazing)
    state.steering.state.keyframe_insert("cue", frame=1)
    with pytest.raises(RuntimeError, match="Keys of Startle on Cue hide every strip"):
        bpy.ops.steering.cue_add()


def test_a_hidden_state_and_its_trigger_count_too() -> None:
    grazing, members = herd()
    wolf = empty("Wolf", (2.0, -3.0, 0.0))
    state = startle(grazing, wolf)
    for ob in (state, bpy.context.object):
        ob.hide_viewport = True
    state.steering.state.keyframe_insert("lasts", frame=1)
    bake()
    assert (away_from(wolf, members) > 4.0).all()


def test_a_bake_is_out_of_date_when_a_state_changes() -> None:
    grazing, _ = herd(2)
    state = startle(grazing, empty("Wolf", (2.0, -3.0, 0.0)))
    known = part("blender.read.fingerprint").fingerprint(bpy.context.scene)
    state.steering.state.lasts = 9.0
    changed = part("blender.read.fingerprint").fingerprint(bpy.context.scene)
    assert changed != known
    state.steering.flee.weight = 0.5
    assert part("blender.read.fingerprint").fingerprint(bpy.context.scene) != changed


def test_a_trigger_can_watch_for_a_crowd_and_for_those_in_a_state() -> None:
    grazing, _ = herd(4)
    wolf = empty("Wolf", (0.0, -3.0, 0.0))
    state = startle(grazing, wolf, react=0.0, varies=0.0)
    trigger = bpy.context.object
    trigger.steering.trigger.distance = 3.5
    select(grazing)
    bpy.ops.steering.state_add(preset="LOOK_UP")
    look = bpy.context.object
    select(look)
    bpy.ops.steering.trigger_add(when="NEAR", to=look.name)
    bpy.context.object.steering.trigger.who = state
    plan = planning.plan_reading(bpy.context.scene)
    of = {source.ob.name: source.common["of"] for source in plan.triggers}
    names = [each.ob.name for each in plan.states]
    assert of["Look Up Trigger"] == (0, names.index("Startle") + 1) and of["Startle Trigger"] is None
    bpy.context.object.steering.trigger.who = grazing
    bodies = {source.ob.name: source.common["bodies"] for source in planning.plan_reading(bpy.context.scene).triggers}
    assert bodies["Look Up Trigger"].tolist() == [0, 1, 2, 3]


def test_a_state_of_another_crowd_cannot_follow() -> None:
    grazing, _ = herd(1)
    state = startle(grazing)
    other = crowd("Goats")
    select(other)
    bpy.ops.steering.state_add(preset="SLEEP")
    state.steering.state.then = bpy.context.object
    with pytest.raises(RuntimeError, match="Sleep, the Then of the state Startle, is of another crowd"):
        bpy.ops.steering.bake()


@in_one_blender
@pytest.mark.parametrize("preset", presets, ids=lambda preset: preset.name)
def test_each_ready_state_bakes(preset) -> None:
    grazing, members = herd(4)
    select(grazing)
    assert bpy.ops.steering.state_add(preset=preset.name) == {"FINISHED"}
    state = bpy.context.object
    state.steering.state.cue = 1.0
    bake()
    bpy.context.scene.frame_set(60)
    places = np.array([ob.matrix_world.translation for ob in members])
    assert np.isfinite(places).all()


def test_adding_a_behavior_to_a_state_changes_that_state_alone() -> None:
    grazing, _ = herd(1)
    state = startle(grazing)
    select(state)
    assert bpy.ops.steering.behavior_add(behavior="alignment") == {"FINISHED"}
    assert state.steering.alignment.own and state.steering.alignment.use
    assert not grazing.steering.is_property_set("alignment")
    assert bpy.ops.steering.behavior_remove(behavior="alignment") == {"FINISHED"}
    assert not state.steering.is_property_set("alignment")
