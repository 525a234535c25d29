"""Crowds with states that are copied, moved, appended, deleted or excluded behave, or a click mends them."""

import bpy
import numpy as np
import pytest

from tests.blender.building import empty, frames, part, reopen, wedge
from tests.blender.dumping import refuses
from tests.blender.minds.test_states import herd, startle
from tests.blender.seen import listed
from tests.blender.status.test_findings import selected_by_click
from tests.blender.steered import bake, crowd, press, select, vehicle
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)

LAST = 24
planning = part("blender.read.plan")
of = part("blender.crowds.states")


def alarm(count: int = 3):
    """A herd, its state Startle with Regroup, the trigger that calls into it, and the wolf that this watches for."""
    grazing, members = herd(count)
    frames(1, LAST)
    wolf = empty("Wolf", (2.0, -3.0, 0.0))
    state = startle(grazing, wolf, varies=0.0)
    return grazing, members, state, bpy.context.object, wolf


def histories(members) -> list:
    return [part("blender.animation.run_records").outcome_of(ob).states for ob in members]


def planned() -> dict[str, str]:
    """The crowd of each state that a run reads, and the state that each trigger calls into, by name."""
    bpy.context.view_layer.update()
    plan = planning.plan_reading(bpy.context.scene)
    crowds = {each.ob.name: plan.crowds[each.crowd].ob.name for each in plan.states}
    return crowds | {each.ob.name: each.ob.steering.trigger.to.name for each in plan.triggers}


def test_a_copy_of_everything_runs_from_its_own_wolf() -> None:
    _, _, _, _, wolf = alarm()
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.duplicate()
    copies = [ob for ob in bpy.context.selected_objects if ob.name.startswith("Sheep ")]
    wolf.location = (300.0, 0.0, 0.0)
    assert planned() | {"Startle Trigger.001": "Startle.001", "Startle.001": "Sheep.001"} == planned()
    bake()
    for history in histories(copies):
        assert history and (history[0].trigger, history[0].caller) == ("Startle Trigger.001", "Wolf.001")
    assert not any(histories([ob for ob in bpy.context.scene.objects if ob.name in ("Sheep 0", "Sheep 1", "Sheep 2")]))


def test_a_copy_of_one_state_that_leads_to_the_first_crowd_is_refused_by_name() -> None:
    grazing, members, state, *_ = alarm()
    select(grazing, state)
    bpy.ops.object.duplicate()
    press("crowd_assign", members[0], crowd="Sheep.001")
    refuses("bake", r"Regroup, the Then of the state Startle.001, is of another crowd")


def test_a_new_crowd_takes_the_states_along() -> None:
    _, members, state, trigger, wolf = alarm()
    state.steering.state.keyframe_insert("lasts", frame=1)
    press("crowd_assign", members[0])
    new = members[0].steering.crowd
    bpy.context.view_layer.update()
    copies = of.states_of_crowd(new, bpy.context)
    assert new.name != "Sheep" and [ob.name for ob in copies] == ["Regroup.001", "Startle.001"]
    (called,) = of.triggers_of_state(copies[1], bpy.context)
    assert called.parent == called.steering.trigger.who == wolf and called != trigger
    bake()
    assert [history[0].state for history in histories(members)] == ["Startle.001", "Startle", "Startle"]


def written(path: str, *, baked: bool) -> None:
    """A file of a herd that is alarmed, in a collection, and nothing left of it here."""
    alarm()
    meadow = bpy.data.collections.new("Meadow")
    for ob in bpy.context.scene.objects:
        meadow.objects.link(ob)
    if baked:
        bake()
    bpy.data.libraries.write(path, {meadow})
    bpy.data.batch_remove([*bpy.context.scene.objects, *bpy.data.collections])


def members_of(objects) -> list:
    return sorted((ob for ob in objects if ob.name.startswith("Sheep ")), key=lambda ob: ob.name)


def told(members) -> list[list[str]]:
    """Why each does what it does, in words."""
    present = part("blender.status.present_members")
    return [[each.in_words() for each in present.history_of(bpy.context.scene, ob)] for ob in members]


@pytest.mark.parametrize("baked", [False, True])
def test_a_herd_that_is_appended_beside_one_of_the_same_name_keeps_to_its_own_states(baked, tmp_path) -> None:
    path = str(tmp_path / "meadow.blend")
    written(path, baked=baked)
    alarm()
    before = set(bpy.context.scene.objects)
    bpy.ops.wm.append(directory=f"{path}/Collection/", filename="Meadow")
    new = members_of(set(bpy.context.scene.objects) - before)
    assert [bool(history) for history in told(new)] == [baked] * 3
    bake()
    known = {"Startle": "Sheep", "Regroup": "Sheep", "Startle Trigger": "Startle"}
    appended = {"Startle.001": "Sheep.001", "Regroup.001": "Sheep.001", "Startle Trigger.001": "Startle.001"}
    assert planned() == known | appended
    assert all("Wolf.001" in history[0] for history in told(new))
    assert [[why.replace(".001", "") for why in each] for each in told(new)] == told(members_of(before))


@pytest.mark.parametrize("baked", [False, True])
def test_a_linked_herd_is_previewed_and_baked_as_an_override_and_kept_in_the_file(baked, tmp_path) -> None:
    path = str(tmp_path / "meadow.blend")
    written(path, baked=baked)
    bpy.ops.wm.link(directory=f"{path}/Collection/", filename="Meadow", instance_collections=True)
    refuses("bake", "Meadow is an instance: the vehicles of Meadow do not move in it")
    select(bpy.context.scene.objects["Meadow"])
    assert bpy.ops.object.make_override_library() == {"FINISHED"}
    members = members_of(bpy.context.scene.objects)
    assert [bool(history) for history in told(members)] == [baked] * 3
    assert bpy.ops.steering.preview() == {"FINISHED"}
    bpy.context.scene.frame_set(LAST)
    previewed = told(members)
    bpy.ops.steering.preview()
    bpy.context.scene.frame_set(1)
    bake()
    assert told(members) == previewed != [[]] * 3
    reopen(tmp_path / "shot.blend")
    members = members_of(bpy.context.scene.objects)
    assert told(members) == previewed
    bpy.context.scene.frame_set(LAST)
    press("select_in_state", bpy.data.objects["Startle"])
    assert {ob.name for ob in bpy.context.selected_objects} == {ob.name for ob in members}
    assert bpy.ops.steering.clear_bake() == {"FINISHED"}
    assert not any(histories(members)) and told(members) == [[]] * 3


@pytest.mark.parametrize("way", ["a script", "Append"])
def test_a_crowd_that_is_appended_alone_brings_its_states(way, tmp_path) -> None:
    """Append puts them into the scene; a script leaves that to a click, which is offered."""
    alarm()
    path = str(tmp_path / "sheep.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    bpy.data.batch_remove([*bpy.context.scene.objects, *bpy.data.collections])
    if way == "Append":
        bpy.ops.wm.append(filepath=f"{path}/Object/Sheep", directory=f"{path}/Object/", filename="Sheep")
    else:
        with bpy.data.libraries.load(path) as (_, wanted):
            wanted.objects = ["Sheep"]
        bpy.context.scene.collection.objects.link(wanted.objects[0])
        bpy.context.scene.collection.objects.link(bpy.data.objects["Wolf"])
    sheep = bpy.context.scene.objects["Sheep"]
    member = vehicle(wedge("Ram", (1.0, 0.0, 0.0)), crowd=sheep, identity=300)
    if way == "a script":
        assert listed()["NOT_IN_SCENE"] == "Regroup and 2 more are not in the scene of Sheep"
        assert selected_by_click("NOT_IN_SCENE") == {"Startle", "Regroup", "Startle Trigger"}
    assert "NOT_IN_SCENE" not in listed()
    assert planned() == {"Startle": "Sheep", "Regroup": "Sheep", "Startle Trigger": "Startle"}
    bake()
    assert histories([member])[0][0].caller == "Wolf"


def test_a_copy_of_a_crowd_does_not_take_the_states_of_the_first_for_its_own() -> None:
    grazing, members, *_ = alarm(2)
    select(grazing)
    bpy.ops.object.duplicate()
    press("crowd_assign", members[0], crowd="Sheep.001")
    assert "NOT_IN_SCENE" not in listed()
    kept = grazing.steering.states
    bpy.context.scene.collection.children.unlink(kept)
    assert listed()["NOT_IN_SCENE"].endswith("not in the scene of Sheep")
    press("crowd_assign", members[1])
    assert members[1].steering.crowd.steering.states != kept


def test_a_deleted_wolf_is_named_and_so_is_a_deleted_state() -> None:
    _, _, state, trigger, wolf = alarm()
    select(wolf)
    bpy.ops.object.delete()
    refuses("bake", "Wolf, the Who of the trigger Startle Trigger, is no longer in the scene")
    assert part("blender.status.refused").last_refused(bpy.context.scene).objects == (trigger.name,)
    trigger.steering.trigger.who = None
    bake()
    regroup = state.steering.state.then
    state.steering.active = False
    told = "Startle, the Calls Into of Startle Trigger, takes no part: turn on its Takes Part"
    assert listed()["CALLS_NOTHING"] == told
    state.steering.active = True
    assert "CALLS_NOTHING" not in listed()
    select(regroup)
    bpy.ops.object.delete()
    assert listed()["TARGET_GONE"] == "Regroup, the Then of Startle, is no longer in the scene. Choose another object"
    assert selected_by_click("TARGET_GONE") == {"Startle"}
    select(state)
    bpy.ops.object.delete()
    told = "Startle, the Calls Into of Startle Trigger, is no longer in the scene. Choose another object"
    assert listed()["TARGET_GONE"] == told
    trigger.steering.trigger.to = None
    assert listed()["CALLS_NOTHING"] == "Startle Trigger calls into no state. Choose one"
    assert selected_by_click("CALLS_NOTHING") == {trigger.name}


def test_states_of_a_deleted_crowd_without_members_are_named() -> None:
    grazing, *_ = alarm()
    select(grazing)
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    assert bpy.ops.steering.states_copy(source=grazing.name) == {"FINISHED"}
    left = {ob.name for ob in bpy.data.objects if ob.steering.roles == {"STATE"} and ob.steering.crowd == copy}
    assert left and "TARGET_GONE" not in listed()
    select(copy)
    bpy.ops.object.delete()
    told = "is no longer in the scene. Choose another object"
    assert listed()["TARGET_GONE"] in {f"Sheep.001, the Crowd of {name}, {told}" for name in left}
    assert selected_by_click("TARGET_GONE") <= left
    select(grazing)
    bpy.ops.object.delete()
    assert "Sheep, the Crowd of" not in listed()["TARGET_GONE"], "its members restore it"


def test_excluded_states_and_triggers_are_named_and_a_click_brings_them_back() -> None:
    _, members, state, trigger, _ = alarm()
    collection = state.users_collection[0]
    nested = bpy.data.collections.new("Calls")
    collection.children.link(nested)
    nested.objects.link(trigger)
    collection.objects.unlink(trigger)
    layer = bpy.context.view_layer.layer_collection.children[collection.name]
    assert "NOT_COUNTED" not in listed()
    layer.exclude = True
    assert listed()["NOT_COUNTED"] == "Regroup and 2 more are left out: excluded from the view layer"
    assert planned() == {} and not bpy.ops.steering.trigger_add.poll()
    assert selected_by_click("NOT_COUNTED") == {"Startle", "Regroup", "Startle Trigger"}
    assert "NOT_COUNTED" not in listed() and "Startle Trigger" in planned()
    bake()
    assert all(histories(members))


def test_hidden_states_and_triggers_count() -> None:
    _, members, state, _, _ = alarm()
    state.users_collection[0].hide_viewport = True
    bpy.context.view_layer.layer_collection.children[state.users_collection[0].name].hide_viewport = True
    assert "NOT_COUNTED" not in listed()
    bake()
    assert all(histories(members))


def test_a_trigger_is_not_heard_in_a_state_of_another_crowd() -> None:
    _, _, _, trigger, _ = alarm(1)
    goats = crowd("Goats", wander={})
    vehicle(wedge("Goat", (9.0, 9.0, 0.0)), crowd=goats, identity=900)
    press("state_add", goats, preset="sleep")
    trigger.steering.trigger.from_state = bpy.context.object
    told = "Sleep, the From of the trigger Startle Trigger, is not a state of Sheep, which it calls"
    refuses("bake", told)


@pytest.mark.parametrize("name", ["from_state", "who"])
def test_a_state_that_is_switched_off_neither_hears_nor_calls(name) -> None:
    grazing, members, _, trigger, _ = alarm(2)
    press("state_add", grazing, preset="look_up")
    setattr(trigger.steering.trigger, name, bpy.context.object)
    bpy.context.object.steering.active = False
    bake()
    assert not any(histories(members))


def test_states_copied_to_a_crowd_that_has_some_get_numbers_of_their_own() -> None:
    grazing, *_ = alarm(1)
    goats = crowd("Goats", wander={})
    press("state_add", goats, preset="sleep")
    press("states_copy", goats, source=grazing.name)
    bpy.context.view_layer.update()
    numbers = [ob.steering.state.number for ob in of.states_of_crowd(goats, bpy.context)]
    assert len(set(numbers)) == 3 and np.array(numbers).min() > 0
