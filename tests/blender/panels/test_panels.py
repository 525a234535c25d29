"""The Steering panels: what they show, and that they say what to do next."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import bpy
import pytest

from tests.blender.building import (
    assert_same,
    bake,
    crowd,
    empty,
    fleet,
    frames,
    leader,
    obstacle,
    part,
    road,
    scene_dump,
    select,
    tag,
    use,
    vehicle,
    wedge,
)
from tests.blender.drawing import everything_shown, shown, texts

TAB = ("object", "vehicle_own", "crowd", "model", "banking", "portrayal", "attendance", "behaviors", "bake", "run")


def in_tab(name: str) -> list[tuple]:
    return everything_shown()[f"STEERING_PT_{name}"]


def buttons(name: str) -> list[str]:
    return [entry[1] for entry in in_tab(name) if entry[0] == "operator"]


# ---- the scenes a panel meets


def nothing() -> None:
    pass


def something_untagged() -> None:
    select(wedge())


def a_vehicle() -> None:
    select(vehicle())


def a_crowd_with_all_behaviors() -> None:
    ship = vehicle()
    for kind in part("behaviors").CATALOGUE:
        use(ship.steering.crowd, **{kind.name: {}})
    select(ship.steering.crowd)


def several_vehicles() -> None:
    select(*fleet(3))


def an_obstacle() -> None:
    select(obstacle())


def a_path() -> None:
    select(road())


def a_leader() -> None:
    select(leader())


def a_region() -> None:
    select(tag(empty(), role="REGION"))


def a_baked_vehicle() -> None:
    frames(1, 3)
    ship = vehicle()
    bake()
    select(ship)


def a_vehicle_without_its_crowd() -> None:
    ship = vehicle()
    bpy.data.objects.remove(ship.steering.crowd)
    select(ship)


def an_active_object_that_is_not_selected() -> None:
    ship = vehicle()
    select(ship)
    ship.select_set(False)


SCENES = (
    *(nothing, something_untagged, a_vehicle, a_crowd_with_all_behaviors, several_vehicles, an_obstacle, a_path),
    *(a_leader, a_region, a_baked_vehicle, a_vehicle_without_its_crowd, an_active_object_that_is_not_selected),
)


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
def test_drawing_names_only_what_there_is_and_writes_nothing(scene: Callable[[], None]) -> None:
    scene()
    before = scene_dump()
    drawn = everything_shown()
    assert any(drawn.values())
    assert_same(before, scene_dump())


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
def test_drawing_before_anything_was_counted_is_no_different_but_for_numbers(scene: Callable[[], None]) -> None:
    scene()
    part("blender.status.census").unregister()
    try:
        for name in TAB:
            shown(f"STEERING_PT_{name}")
    finally:
        part("blender.status.census").unregister()
        part("blender.status.census").register()


def test_what_belongs_to_an_object_is_beside_its_other_properties_too() -> None:
    a_crowd_with_all_behaviors()
    drawn = everything_shown()
    for name in ("object", "crowd", "model", "portrayal", "attendance", "behaviors"):
        assert drawn[f"OBJECT_PT_steering_{name}"] == drawn[f"STEERING_PT_{name}"] != []


def test_a_newcomer_is_told_what_to_do_next() -> None:
    assert "make it a vehicle" in texts(in_tab("object"))
    assert ("menu", "STEERING_MT_add") in in_tab("object")
    assert "make it a vehicle" in texts(in_tab("bake"))
    a_vehicle()
    assert ("menu", "STEERING_MT_behavior_add") in in_tab("behaviors")
    assert "baked" in texts(in_tab("bake"))


# ---- the object


def offered() -> list[str]:
    return [entry[2] for entry in in_tab("object") if entry[0] == "operator"]


def test_only_what_an_object_can_be_is_offered() -> None:
    something_untagged()
    assert "Path" not in offered() and "Vehicle" in offered()
    a_path()
    assert "Path" in offered() and "Flow" in offered()


def test_roles_are_offered_for_what_is_selected_only() -> None:
    an_active_object_that_is_not_selected()
    assert offered() == []
    assert "Select it" in texts(in_tab("object"))


def test_a_member_shows_what_is_its_own_and_what_it_shares() -> None:
    a_vehicle()
    assert ("prop", "speed_factor") in in_tab("vehicle_own")
    assert ("prop", "max_speed") in in_tab("model")


# ---- the crowd


def test_how_many_vehicles_the_crowd_has_is_said() -> None:
    ships = fleet(4)
    ships[0].steering.locked = True
    ships[1].steering.active = False
    assert "4 vehicles, 1 locked, 1 inactive here" in texts(in_tab("crowd"))
    ships[2].steering.use_enter_frame, ships[2].steering.enter_frame = True, 9
    assert "4 vehicles, 1 locked, 1 inactive here, 1 away" in texts(in_tab("crowd"))


@pytest.mark.parametrize(
    ("mass", "max_force", "max_speed", "said"),
    [(1.0, 10.0, 5.0, "Turns within 2.5 m, top speed in 0.5 s"), (2.0, 8.0, 8.0, "within 16 m, top speed in 2.0 s")],
)
def test_what_strength_and_weight_mean_is_said(mass, max_force, max_speed, said) -> None:
    model = vehicle().steering.crowd.steering.vehicle
    model.mass, model.max_force, model.max_speed = mass, max_force, max_speed
    assert said in texts(in_tab("model"))


def test_banking_is_not_shown_of_those_that_keep_in_their_plane() -> None:
    own = vehicle().steering.crowd
    assert in_tab("banking")
    own.steering.vehicle.keep_in_plane = True
    assert not in_tab("banking")


# ---- behaviors


def test_behaviors_are_offered_under_the_heading_of_what_they_are_for() -> None:
    under: dict[str, list[str]] = {}
    for name, label, _description in part("blender.operators.behaviors").ITEMS:
        if not name:
            heading = under.setdefault(label, [])
        else:
            heading.append(name)
    catalogue = part("behaviors").CATALOGUE
    assert under == {
        intent.value: [kind.name for kind in catalogue if kind.intent is intent]
        for intent in part("simulation.behavior").Intent
    }


def test_the_menu_has_the_same_headings_and_all_behaviors() -> None:
    a_vehicle()
    drawn = shown("STEERING_MT_behavior_add")
    assert [entry[1] for entry in drawn if entry[0] == "label"] == [
        intent.value for intent in part("simulation.behavior").Intent
    ]
    offered = [entry[2] for entry in drawn if entry[1] == "steering.behavior_add"]
    assert sorted(offered) == sorted(kind.label for kind in part("behaviors").CATALOGUE)
    assert ("operator", "steering.flocking_add", "") in drawn


def test_search_finds_behaviors_by_their_plain_name_and_by_the_papers() -> None:
    text = texts(shown("STEERING_MT_behaviors")).lower()
    for kind in part("behaviors").CATALOGUE:
        assert kind.label.lower() in text
        assert kind.term in text or kind.term == part("simulation.behavior").OURS
    reached = menus_from("STEERING_MT_object")
    assert {"STEERING_MT_behaviors", "STEERING_MT_roles", "STEERING_MT_crowds"} <= reached
    assert part("blender.panels.menus").show_menu in bpy.types.VIEW3D_MT_object.draw._draw_funcs


def menus_from(*waiting: str) -> set[str]:
    """These menus and all that open from them."""
    reached: set[str] = set()
    left = list(waiting)
    while left:
        reached.add(name := left.pop())
        left += [entry[1] for entry in shown(name) if entry[0] == "menu" and entry[1] not in reached]
    return reached


OF_A_ROW = {"behavior_remove", "populate_add", "populate_remove"}
"""What can be done with a row of a panel only."""
OF_A_LIST = {"behavior_preset_apply", "behavior_preset_save", "behavior_preset_remove"}
"""What can be done with the list beside a behavior only."""
OF_EDGES = {"flow_switch_direction"}
"""What is in the menu of edges."""


def test_search_finds_whatever_can_be_done() -> None:
    """Blender searches the menus only."""
    a_baked_vehicle()
    presets = bpy.utils.user_resource("SCRIPTS", path="presets/steering/crowd", create=True)
    assert bpy.ops.steering.preset_save(name="Mine") == {"FINISHED"}
    try:
        menus = menus_from("STEERING_MT_object", "STEERING_MT_add")
        found = {entry[1].partition(".")[2] for menu in menus for entry in shown(menu) if entry[0] == "operator"}
    finally:
        shutil.rmtree(presets)
    assert set(dir(bpy.ops.steering)) - found == OF_A_ROW | OF_A_LIST | OF_EDGES


def test_flocking_is_keeping_apart_heading_alike_and_staying_together() -> None:
    own = crowd()
    assert bpy.ops.steering.flocking_add() == {"FINISHED"}
    used = [k.name for k in part("behaviors").CATALOGUE if own.steering.is_property_set(k.name)]
    assert used == ["separation", "alignment", "cohesion"]


def test_a_script_that_names_no_behavior_gets_the_first_of_the_catalogue() -> None:
    own = crowd()
    assert bpy.ops.steering.behavior_add() == {"FINISHED"}
    first = part("behaviors").CATALOGUE[0].name
    assert own.steering.is_property_set(first) and getattr(own.steering, first).use
    assert bpy.ops.steering.behavior_remove() == {"FINISHED"}
    assert not own.steering.is_property_set(first)


def test_a_row_holds_what_counts_in_the_way_behaviors_are_combined() -> None:
    own = crowd(wander={})
    combining = part("simulation.combining")
    for way in combining.COMBININGS:
        own.steering.combining = way.name
        names = [entry[1] for entry in in_tab("behaviors") if entry[0] == "prop"]
        row = names[1 : 1 + len(combining.MATTERS[way.number])]
        assert tuple(row) == combining.MATTERS[way.number]


# ---- baking


def test_the_bake_says_what_it_will_do() -> None:
    frames(1, 40)
    fleet(3)
    assert "Bake 3 Vehicles, 40 Frames" in texts(in_tab("bake"))
    scene = bpy.context.scene
    scene.steering.use_frame_range = True
    scene.steering.frame_start = scene.steering.frame_end = 7
    bpy.data.objects["Ship 0"].steering.locked = bpy.data.objects["Ship 1"].steering.locked = True
    assert "Bake 1 Vehicle, 1 Frame" in texts(in_tab("bake"))


def test_where_no_crowd_moves_the_reason_is_beside_the_bake_too() -> None:
    one, other = crowd("One", wander={}), crowd("Other", wander={})
    for own, name in ((one, "First"), (other, "Second")):
        vehicle(crowd=own, name=name)
    select()
    assert "Max Speed" not in texts(in_tab("bake"))
    one.steering.vehicle.max_speed = 0.0
    assert "Max Speed" not in texts(in_tab("bake"))
    other.steering.vehicle.max_speed = 0.0
    assert "One: Max Speed is 0" in texts(in_tab("bake"))


def test_that_nobody_has_entered_yet_is_said_of_the_crowd_and_is_nothing_to_mend() -> None:
    frames(1, 40)
    ship = vehicle(crowd=crowd("One", wander={}))
    ship.steering.use_enter_frame, ship.steering.enter_frame = True, 9
    assert "No vehicle has entered yet: the first enters on frame 9" in texts(in_tab("behaviors"))
    select()
    assert "entered" not in texts(in_tab("bake"))


def test_a_bake_can_be_deleted_where_there_is_one() -> None:
    a_vehicle()
    assert "steering.clear_bake" not in buttons("bake")
    a_baked_vehicle()
    assert "steering.clear_bake" in buttons("bake")


def test_what_is_counted_is_what_a_bake_would_move() -> None:
    ships = fleet(4)
    ships[0].steering.locked = True
    ships[1].steering.active = False
    other = crowd()
    vehicle(crowd=other, name="Lone")
    census = part("blender.status.census").count(bpy.context.scene)
    assert (census.vehicles, census.free, census.baked) == (5, 4, 0)
    assert census.members(other).vehicles == 1
    bake()
    census = part("blender.status.census").count(bpy.context.scene)
    assert census.baked == census.free == 4
    bpy.context.scene.view_layers.new("Another")
    assert part("blender.status.census").count(bpy.context.scene) == census


# ---- coming and going


def test_nothing_is_watched_in_the_background_and_nothing_is_left_behind() -> None:
    census, handlers = part("blender.status.census"), bpy.app.handlers
    lists = [handlers.depsgraph_update_post, handlers.frame_change_post, handlers.undo_post, handlers.load_post]
    ours = [h for those in lists for h in those if h.__module__ == census.__name__]
    assert ours == []
    census.changed()
    census.unregister()
    assert not bpy.app.timers.is_registered(census._count_shown)
    census.register()
