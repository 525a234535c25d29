"""States in Blender: a crowd gets states, something calls its vehicles into them, and a bake shows it."""

import bpy
import numpy as np
import pytest

from tests.blender.building import at_frames, empty, frames, part, wedge
from tests.blender.drawing import shown, texts, up_to_date
from tests.blender.dumping import refuses
from tests.blender.seen import snapshots
from tests.blender.steered import bake, crowd, fleet, press, select, vehicle
from tests.sampling import sampled

planning = part("blender.read.plan")
reading = part("blender.read.reading")
SHIPPED = sorted(part("blender.crowds.preset_files").STATES.by_name())


def herd(count: int = 9):
    """A crowd of slow vehicles, two metres apart, that wander."""
    grazing = crowd("Sheep", wander={"strength": 0.3}, separation={"distance": 1.5}, alignment={"distance": 3.0})
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
    state = press("state_add", grazing, preset="startle")
    for name, value in values.items():
        setattr(state.steering.state, name, value)
    if wolf is not None:
        press("trigger_add", state, wolf, when="NEAR").steering.trigger.distance = 10.0
    return state


def modes_of(snapshot):
    """The modes of the first crowd that has states."""
    return snapshot.minds.of_crowds[0].modes


def drawn(panel: str) -> list[tuple]:
    """What a panel shows."""
    return shown(f"OBJECT_PT_steering_{panel}")


def away_from(wolf, members) -> np.ndarray:
    """How much further from the wolf each is on the last frame than on the first."""
    distances = []
    for _ in at_frames((1, 60)):
        place = np.array([ob.matrix_world.translation for ob in members])
        distances.append(np.linalg.norm(place - np.array(wolf.location), axis=1))
    return distances[1] - distances[0]


def test_a_trigger_on_what_calls_makes_a_herd_run_from_it_unless_it_is_switched_off() -> None:
    grazing, members = herd()
    wolf = empty("Wolf", (2.0, -3.0, 0.0))
    state = startle(grazing, wolf)
    trigger = bpy.context.object
    assert trigger.parent == wolf and trigger.steering.trigger.who == wolf and trigger.steering.trigger.to == state
    bake()
    assert (away_from(wolf, members) > 4.0).all()
    trigger.steering.active = False
    bake()
    assert (away_from(wolf, members) < 4.0).any()


def test_a_state_takes_over_the_values_of_its_crowd_and_leaves_the_crowd_as_it_is() -> None:
    grazing, _ = herd(1)
    state = startle(grazing)
    assert not state.steering.wander.use and grazing.steering.wander.use
    assert state.steering.vehicle.max_speed == 4.5 and grazing.steering.vehicle.max_speed == 1.5
    assert state.steering.separation.distance == 1.5 and state.steering.separation.weight == 8.0
    assert not state.steering.is_property_set("alignment")
    state.steering.alignment.own = True
    assert state.steering.alignment.use and state.steering.alignment.distance == 3.0
    follows = state.steering.state.then
    assert follows.name == "Regroup" and follows.users_collection == state.users_collection
    assert [each.name for each in bpy.data.collections if "States" in each.name] == ["Sheep States"]


def test_a_ready_state_that_is_faster_turns_as_much_more_quickly() -> None:
    grazing, members = herd(3)
    grazing.steering.planar.max_turn_rate = 0.5
    members[2].steering.own_locomotion = "PLANAR"
    state = startle(grazing)
    assert state.steering.planar.own and state.steering.planar.max_turn_rate == 1.5
    grazing.steering.planar.max_turn_rate = 0.7
    snapshot = snapshots()[0]
    mode = next(mode for mode in modes_of(snapshot) if mode.number == state.steering.state.number)
    default = part("locomotion").Planar.parameters()["max_turn_rate"].default
    assert np.allclose(mode.locomotion.max_turn_rate, [1.5, 1.5, default])
    state.steering.planar.own = False
    snapshot = snapshots()[0]
    assert all(mode.locomotion is None for mode in modes_of(snapshot) if mode.number == state.steering.state.number)


def test_nothing_calls_into_a_state_that_belongs_to_no_crowd() -> None:
    state = startle(herd(1)[0])
    state.steering.crowd = None
    refuses("trigger_add", "Startle belongs to no crowd", state, when="NEAR")


def test_what_calls_is_clicked_alone_and_calls_into_the_state_that_nothing_leads_to() -> None:
    """Startle brings Regroup, which follows it; the second wolf has to be told which state it calls into."""
    grazing, members = herd(2)
    state = startle(grazing)
    wolf, second = empty("Wolf", (8.0, 0.0, 0.0)), empty("Second", (9.0, 0.0, 0.0))
    select(wolf)
    assert ("operator", "steering.trigger_add", "Add Trigger") in up_to_date("OBJECT_PT_steering_object")
    assert bpy.ops.steering.trigger_add(when="NEAR") == {"FINISHED"}
    assert bpy.context.object.steering.trigger.to == state and bpy.context.object.steering.trigger.who == wolf
    refuses("trigger_add", "Select what calls, then Shift-click the state", second, when="NEAR")
    assert press("trigger_add", second, state, when="NEAR").steering.trigger.who == second
    select(members[0])
    assert not any(entry[1] == "steering.trigger_add" for entry in up_to_date("OBJECT_PT_steering_object"))


def test_a_state_that_another_leads_to_says_so() -> None:
    grazing, _ = herd(1)
    startle(grazing)
    select(grazing)
    told = texts(drawn("states"))
    assert "2 others" in told and "after Startle" in told and "nothing calls it" not in told


def test_what_a_state_does_not_have_of_its_own_follows_the_crowd() -> None:
    grazing, _ = herd(2)
    startle(grazing)
    grazing.steering.alignment.distance = 2.5
    snapshot = snapshots()[0]
    names = {each.ob.name: each.number for each in planning.plan_reading(bpy.context.scene).states}
    settings = {mode.number: snapshot.settings[mode.settings] for mode in modes_of(snapshot)}
    of_startle = settings[names["Startle"]]
    alignment = next(b for b in of_startle.behaviors if b.name == "alignment")
    assert alignment.distance[0] == 2.5 and "wander" not in [b.name for b in of_startle.behaviors]


def test_a_strip_with_fades_tells_its_share_and_takes_the_place_of_the_field() -> None:
    grazing, _ = herd(1)
    state = startle(grazing)
    state.steering.state.cue = 0.25
    select(state)
    assert ("prop", "cue") in drawn("state")
    bpy.context.scene.frame_set(20)
    assert bpy.ops.steering.cue_add(frames=30, fade=10) == {"FINISHED"}
    strip = state.animation_data.nla_tracks[0].strips[0]
    strip.blend_in, strip.blend_out = 8, 12
    plan = planning.plan_reading(bpy.context.scene)
    for read in part("blender.read.sweep").sweep(plan, reading.Reader(plan)):
        (mode,) = (each for each in modes_of(read.snapshot) if each.number == state.steering.state.number)
        told = min(max(min((read.number - 20) / 8, 1.0, (50 - read.number) / 12), 0.0), 1.0)
        assert mode.numbers.cue[0] == pytest.approx(told, abs=1e-5)
    bpy.context.scene.frame_set(24)
    assert ("prop", "cue") not in drawn("state") and "Cue: 1 strip, now 50%" in texts(drawn("state"))
    other = state.animation_data.nla_tracks.new()
    for player, switch in ((other, "is_solo"), (strip, "mute")):
        setattr(player, switch, True)
        assert ("prop", "cue") in drawn("state"), switch
        setattr(player, switch, False)


def test_cues_that_come_to_more_than_the_crowd_are_told() -> None:
    grazing, _ = herd(2)
    state = startle(grazing)
    state.steering.state.cue, state.steering.state.then.steering.state.cue = 0.7, 0.6
    select(grazing)
    assert "Cues come to 130% on this frame: the last gets what is left" in texts(drawn("states"))
    frames(1, 3)
    running = part("blender.write.bake").baking(planning.plan_reading(bpy.context.scene))
    with pytest.raises(StopIteration) as ended:
        while True:
            next(running)
    assert ended.value.value.warnings == (
        "Cues of Sheep come to 130% of it at frame 1. The last of its states gets what is left.",
    )


def test_keys_on_a_cue_hide_strips_so_a_strip_is_refused() -> None:
    grazing, _ = herd(1)
    state = startle(grazing)
    state.steering.state.keyframe_insert("cue", frame=1)
    refuses("cue_add", "Keys of Startle on Cue hide every strip")


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
    look = press("state_add", grazing, preset="look_up")
    press("trigger_add", look, when="NEAR", to=look.name).steering.trigger.who = state
    plan = planning.plan_reading(bpy.context.scene)
    of = {source.ob.name: source.trigger.of for source in plan.triggers}
    names = [each.ob.name for each in plan.states]
    assert of["Look Up Trigger"] == (0, names.index("Startle") + 1) and of["Startle Trigger"] is None
    bpy.context.object.steering.trigger.who = grazing
    bodies = {source.ob.name: source.trigger.bodies for source in planning.plan_reading(bpy.context.scene).triggers}
    assert bodies["Look Up Trigger"].tolist() == [0, 1, 2, 3]


def test_a_state_of_another_crowd_cannot_follow() -> None:
    grazing, _ = herd(1)
    state = startle(grazing)
    other = crowd("Goats")
    press("state_add", other, preset="sleep")
    state.steering.state.then = bpy.context.object
    refuses("bake", "Sleep, the Then of the state Startle, is of another crowd")


@sampled(one_of=6)
@pytest.mark.parametrize("preset", ["", *SHIPPED])
def test_each_ready_state_bakes(preset) -> None:
    grazing, members = herd(4)
    state = press("state_add", grazing, preset=preset)
    state.steering.state.cue = 1.0
    bake()
    bpy.context.scene.frame_set(60)
    places = np.array([ob.matrix_world.translation for ob in members])
    assert np.isfinite(places).all()


def test_a_crowd_without_vehicles_can_be_kept_apart_from_in_a_state() -> None:
    grazing, members = herd(4)
    state = startle(grazing)
    press("behavior_add", state, behavior="separation")
    state.steering.separation.crowd = crowd("Goats")
    bake()
    assert all(ob.animation_data.action for ob in members)


def test_adding_a_behavior_to_a_state_changes_that_state_alone() -> None:
    grazing, _ = herd(1)
    state = startle(grazing)
    press("behavior_add", state, behavior="cohesion")
    assert state.steering.cohesion.own and state.steering.cohesion.use
    assert not grazing.steering.is_property_set("cohesion")
    assert bpy.ops.steering.behavior_remove(behavior="cohesion") == {"FINISHED"}
    assert not state.steering.is_property_set("cohesion")


def test_after_a_bake_each_vehicle_says_what_it_took_up_and_why() -> None:
    grazing, members = herd()
    wolf = empty("Wolf", (2.0, -3.0, 0.0))
    state = startle(grazing, wolf, lasts=0.5, varies=0.0, react=0.2, spreads=1)
    trigger = bpy.context.object
    trigger.steering.trigger.distance = 4.0
    bake()
    histories = [part("blender.animation.run_records").outcome_of(ob).states for ob in members]
    first = {history[0].cause for history in histories}
    assert first == {"TRIGGER", "OTHERS"} and {history[0].state for history in histories} == {"Startle"}
    called = next(history[0] for history in histories if history[0].cause == "TRIGGER")
    # It hears the call on frame 1, acts at the first step after .2 s, on frame 6, and is seen to on frame 7.
    assert called.frame == 7 and called.in_words() == "Since 7: called by Startle Trigger, because of Wolf"
    caught = next(history[0] for history in histories if history[0].cause == "OTHERS")
    assert caught.in_words() == f"Since {caught.frame:g}: caught from {caught.example}, because of Wolf"
    assert caught.example in [ob.name for ob in members]
    after = next(each for history in histories for each in history if each.cause == "ENDED")
    assert after.state == "Regroup" and "as the state before was over" in after.in_words()
    bpy.context.scene.frame_set(7)
    press("select_in_state", state)
    expected = {ob.name for ob, h in zip(members, histories) if h[0].frame <= 7}
    assert expected and {ob.name for ob in bpy.context.selected_objects} == expected != {ob.name for ob in members}
    bpy.ops.steering.clear_bake()
    assert part("blender.animation.ownership").bake_of(members[0]) is None
    refuses("select_in_state", "No vehicle of Sheep is previewed or baked", state)


def test_a_trigger_that_is_switched_off_gives_no_number_to_another_and_may_name_what_is_gone() -> None:
    grazing, members = herd(1)
    state = startle(grazing, empty("Mouse", (50.0, 0.0, 0.0)), react=0.0, varies=0.0)
    bpy.context.object.steering.active = False
    bpy.context.object.steering.trigger.who = bpy.data.objects.new("Gone", None)
    press("trigger_add", state, empty("Wolf", (2.0, -3.0, 0.0)), when="NEAR", to=state.name)
    bpy.context.object.name = "Startle Trigger of the Wolf"
    bake()
    told = part("blender.animation.run_records").outcome_of(members[0]).states[0]
    assert (told.trigger, told.caller) == ("Startle Trigger of the Wolf", "Wolf")


def test_the_record_of_states_is_read_back_and_a_changed_one_is_not() -> None:
    history = part("blender.animation.run_records")
    told = (
        history.TakenUp(6.0, "Startle", history.OTHERS, "", "Wolf", "Sheep 2", (("", 0.5), ("Startle", 0.9))),
        history.TakenUp(9.0, "", "ENDED"),
    )
    assert history.read(history.written(told)) == told
    assert history.now(told, 5.0) is None and history.now(told, 8.0) == told[0] and history.now(told, 9.5) == told[1]
    for changed in (
        *('[[6, "Startle", "WHIM", "", "", "", []]]', '[[6, 7, "CUE", "", "", "", []]]'),
        *('[[6, "Startle", "CUE", "", "", "", [[1, 2]]]]', '[[6, "Startle", "CUE", "", "", ""]]', "[[6]]", "7"),
    ):
        with pytest.raises((TypeError, ValueError)):
            history.read(changed)


def test_a_crowd_that_blender_copied_without_its_states_gets_them_by_a_click() -> None:
    grazing, _ = herd(1)
    wolf = empty("Wolf", (2.0, -3.0, 0.0))
    state = startle(grazing, wolf)
    trigger = bpy.context.object
    trigger.steering.trigger.from_state = state.steering.state.then
    state.steering.state.keyframe_insert("lasts", frame=1)
    select(grazing)
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    of = part("blender.crowds.states")
    assert copy != grazing and of.states_of_crowd(copy, bpy.context) == []
    assert bpy.ops.steering.states_copy() == {"FINISHED"}
    copies = of.states_of_crowd(copy, bpy.context)
    assert [ob.name for ob in copies] == ["Regroup.001", "Startle.001"] and all(ob.parent == copy for ob in copies)
    assert copies[1].steering.state.then == copies[0] and copies[1].steering.flee.own
    (called,) = of.triggers_of_state(copies[1], bpy.context)
    assert called.steering.trigger.from_state == copies[0] and called.steering.trigger.who == called.parent == wolf
    assert copies[1].animation_data.action not in (None, state.animation_data.action)
    assert of.triggers_of_state(state, bpy.context) == [trigger] and len(of.states_of_crowd(grazing, bpy.context)) == 2
    refuses("states_copy", "Goats is not another crowd with states", source="Goats")


def test_keys_on_active_open_and_close_a_state_whatever_frame_is_shown() -> None:
    grazing, members = herd(4)
    state = startle(grazing, empty("Wolf", (2.0, -3.0, 0.0)), lasts=0.2, varies=0.0)
    for frame, active in ((1, False), (20, True), (40, False)):
        state.steering.active = active
        state.steering.keyframe_insert("active", frame=frame)
    told = []
    for _ in at_frames((1, 30)):
        bake()
        told.append([part("blender.animation.run_records").outcome_of(ob).states for ob in members])
        bpy.ops.steering.clear_bake()
    assert told[0] == told[1]
    taken_up = [each.frame for history in told[0] for each in history if each.state == "Startle"]
    # A call that was heard while it was active is followed after the reaction of .3 s.
    assert taken_up and min(taken_up) > 20 and max(taken_up) < 40 + 0.3 * 24 + 2


def test_the_sphere_of_a_trigger_is_its_distance_in_metres_and_stands_at_the_cursor() -> None:
    grazing, _ = herd(1)
    grazing.matrix_world = ((0, -2, 0, 9), (2, 0, 0, 9), (0, 0, 2, 9), (0, 0, 0, 1))
    wolf = empty("Wolf", (2.0, -3.0, 0.0))
    wolf.scale = (1.0, 2.0, -4.0)
    bpy.context.view_layer.update()
    state = startle(grazing, wolf)
    trigger = bpy.context.object
    trigger.steering.trigger.distance = 7.0
    assert trigger.empty_display_size == 7.0
    assert np.abs(trigger.matrix_world.to_scale()) == pytest.approx(np.ones(3))
    select(state)
    bpy.context.scene.cursor.location = (1.0, 2.0, 3.0)
    assert bpy.ops.steering.trigger_add(when="NEAR") == {"FINISHED"}
    assert list(bpy.context.object.matrix_world.translation) == pytest.approx((1.0, 2.0, 3.0))
    assert list(bpy.context.object.matrix_world.to_scale()) == pytest.approx((1.0, 1.0, 1.0))


def test_a_state_is_not_put_where_the_scene_does_not_see_it() -> None:
    grazing, _ = herd(1)
    state = startle(grazing)
    (collection,) = state.users_collection
    hidden = bpy.context.view_layer.layer_collection.children[collection.name]
    hidden.exclude = True
    assert press("state_add", grazing, preset="sleep").name in bpy.context.view_layer.objects


def test_copies_that_share_a_number_get_their_own_with_the_next_bake_which_stays_up_to_date() -> None:
    grazing, _ = herd(1)
    state = startle(grazing, empty("Wolf", (2.0, -3.0, 0.0)))
    trigger = bpy.context.object
    select(state, trigger)
    bpy.ops.object.duplicate()
    copies = {ob.name: ob for ob in bpy.context.selected_objects}
    copy, called = copies["Startle.001"], copies["Startle Trigger.001"]
    assert copy.steering.state.number == state.steering.state.number == 1
    bake()
    assert (state.steering.state.number, copy.steering.state.number) == (1, 3)
    assert (trigger.steering.trigger.number, called.steering.trigger.number) == (1, 2)
    assert not part("blender.status.census").refresh(bpy.context.scene).bake.outdated


def test_a_state_stands_before_what_follows_it() -> None:
    herd = crowd("Herd", wander={})
    fleet(2, crowd=herd)
    press("state_add", herd, preset="startle")
    press("state_add", herd, preset="sleep")
    of = part("blender.crowds.states")
    states = of.in_order(of.states_of_crowd(herd, bpy.context))
    names = [ob.name for ob in states]
    assert names.index("Startle") < names.index("Regroup")
    assert len(names) == len(set(names)) == 3
    # A circle has no first: all are listed once.
    by_name = {ob.name: ob for ob in states}
    by_name["Regroup"].steering.state.then = by_name["Startle"]
    circle = of.in_order(of.states_of_crowd(herd, bpy.context))
    assert sorted(ob.name for ob in circle) == sorted(names)
    assert circle[0].name == "Sleep"
