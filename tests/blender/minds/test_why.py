"""Why: a preview tells of states what the bake of the same scene tells, and both tell what was weighed."""

import bpy
import numpy as np

from tests.blender.building import empty, part
from tests.blender.minds.test_states import herd, startle
from tests.blender.overlay.test_overlay import drawn
from tests.blender.steered import bake, press, select

preview = part("blender.preview")
present = part("blender.status.present_members")


def alarm():
    """Nine vehicles of which a wolf startles some, who startle the others."""
    grazing, members = herd()
    wolf = empty("Wolf", (2.0, -3.0, 0.0))
    state = startle(grazing, wolf, lasts=0.5, varies=0.0, react=0.2, spreads=1)
    bpy.context.object.steering.trigger.distance = 4.0
    return grazing, members, state


def told(members, frame: int):
    """The histories until a frame, and the numbers of the states then."""
    bpy.context.scene.frame_set(frame)
    scene = bpy.context.scene
    baked = [present.tells_state(part("blender.animation.ownership").bake_of(ob)) for ob in members]
    histories = [[each for each in present.history_of(scene, ob) if each.frame <= frame] for ob in members]
    return histories, [present.present_state(scene, ob, baked=b) for ob, b in zip(members, baked)]


def in_state(state) -> set[str]:
    press("select_in_state", state)
    return {ob.name for ob in bpy.context.selected_objects}


def test_a_preview_tells_states_and_reasons_as_a_bake_does() -> None:
    grazing, members, state = alarm()
    census = part("blender.status.census")
    assert told(members, 7) == ([[]] * 9, [None] * 9)
    assert census.refresh(bpy.context.scene).members(grazing).in_states is None
    assert bpy.ops.steering.preview() == {"FINISHED"}
    previewed, numbers, selected, counted = {}, {}, {}, {}
    for frame in (7, 40, 20):
        previewed[frame], numbers[frame] = told(members, frame)
        counted[frame] = census.refresh(bpy.context.scene).members(grazing).in_states
        selected[frame] = in_state(state)
    number = state.steering.state.number
    assert 0 < counted[7][number] == len(selected[7]) == numbers[7].count(number) < 9
    assert len(previewed[40][0]) > len(previewed[20][0]) >= 1
    bpy.ops.steering.preview()
    assert told(members, 7) == ([[]] * 9, [None] * 9)
    bake()
    for frame in (7, 20, 40):
        assert told(members, frame) == (previewed[frame], numbers[frame])
        assert census.refresh(bpy.context.scene).members(grazing).in_states == counted[frame]
        assert in_state(state) == selected[frame]


def test_who_takes_up_a_state_says_what_else_it_weighed() -> None:
    grazing, members, _ = alarm()
    look = press("state_add", grazing, preset="look_up")
    # They look up from the first step on, before the wolf counts.
    look.steering.state.urge, look.steering.state.react, look.steering.state.persistence = 1.0, 0.0, 0.1
    bake()
    history = part("blender.animation.run_records").outcome_of(members[0]).states
    assert [each.state for each in history][:2] == ["Look Up", "Startle"]
    assert history[0].weighed_in_words() == "It weighed Look Up 0.6, the crowd's own settings 0.5"
    assert history[1].weighed_in_words() == "It weighed Startle 1, Look Up 0.7, the crowd's own settings 0.5"


def test_the_overlay_draws_the_colors_of_states_during_a_preview_too() -> None:
    _, members, state = alarm()
    select(*members)

    def fronts():
        picture = drawn("FRONT")
        return {label for label, _ in picture.legend}, np.unique(picture.open[0][1], axis=0)

    bpy.context.scene.frame_set(7)
    assert fronts()[0] == set() and len(fronts()[1]) == 1
    assert bpy.ops.steering.preview() == {"FINISHED"}
    labels, colors = fronts()
    assert labels == {"Startle"} and len(colors) == 2
    assert np.isclose(colors[:, :3], tuple(state.steering.state.color), atol=1e-6).all(axis=1).any()


def test_a_name_given_after_the_bake_is_still_found() -> None:
    _, _, state = alarm()
    bake()
    bpy.context.scene.frame_set(7)
    before = in_state(state)
    state.name = "Alarm"
    assert before and in_state(state) == before


def test_a_click_on_a_part_of_a_vehicle_tells_why_and_directs_the_vehicle() -> None:
    _, members, _ = alarm()
    ob = members[0]
    body = bpy.data.objects.new("Body", bpy.data.meshes.new("Body"))
    body.parent = ob
    bpy.context.scene.collection.objects.link(body)
    bake()
    history = present.history_of(bpy.context.scene, ob)
    assert history
    select(body)
    focus = part("blender.objects.focus")
    assert focus.vehicle_in_focus(bpy.context) == ob and focus.vehicles_selected(bpy.context) == [ob]
    assert part("blender.panels.states").Why.poll(bpy.context)
    assert bpy.ops.steering.mark_add() == {"FINISHED"}
    assert bpy.context.object.steering.mark.who == ob
    press("animate_by_hand", body, frame_start=5, frame_end=20)
    assert ob.steering.guide == bpy.context.object
