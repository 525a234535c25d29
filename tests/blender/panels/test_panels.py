"""The Steering panels show the right fields and tell the user what to do next."""

from collections.abc import Callable

import bpy
import pytest

from tests.blender.animated import drive, insert
from tests.blender.building import empty, frames, part, wedge
from tests.blender.drawing import everything_shown, shown, texts, up_to_date
from tests.blender.dumping import assert_same, scene_dump
from tests.blender.steered import bake, crowd, fleet, leader, obstacle, points, road, select, tag, use, vehicle
from tests.blender.walkers import found_walkers
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)

TAB = ("object", "vehicle_own", "crowd", "model", "advanced", "portrayal", "attendance", "behaviors", "bake", "run")
BY_USE = ("bake", "object", "behaviors", "states", "direct", "crowd")
"""The panels in the order in which an animator needs them."""


def in_tab(name: str) -> list[tuple]:
    return up_to_date(f"STEERING_PT_{name}")


def buttons(name: str) -> list[str]:
    return [entry[1] for entry in in_tab(name) if entry[0] == "operator"]


def usable(name: str) -> list[str]:
    return [entry[1] for entry in in_tab(name) if entry[0] == "operator" and entry.enabled]


def nothing() -> None:
    pass


def an_untagged_object() -> None:
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


def points_of_a_crowd() -> None:
    select(points())


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
    *(nothing, an_untagged_object, a_vehicle, a_crowd_with_all_behaviors, several_vehicles, an_obstacle, a_path),
    *(
        points_of_a_crowd,
        a_leader,
        a_region,
        a_baked_vehicle,
        a_vehicle_without_its_crowd,
        an_active_object_that_is_not_selected,
    ),
)


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
def test_drawing_uses_only_existing_names_and_writes_nothing(scene: Callable[[], None]) -> None:
    scene()
    before = scene_dump()
    drawn = everything_shown()
    assert any(drawn.values())
    assert_same(before, scene_dump())


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
def test_panels_can_be_drawn_before_the_census_has_counted(scene: Callable[[], None]) -> None:
    scene()
    part("blender.status.census").unregister()
    try:
        for name in TAB:
            shown(f"STEERING_PT_{name}")
    finally:
        part("blender.status.census").unregister()
        part("blender.status.census").register()


def test_object_settings_are_in_the_properties_editor_too() -> None:
    a_crowd_with_all_behaviors()
    drawn = everything_shown()
    for name in ("object", "crowd", "model", "advanced", "attendance", "behaviors"):
        assert drawn[f"OBJECT_PT_steering_{name}"] == drawn[f"STEERING_PT_{name}"] != []


def test_new_users_are_told_what_to_do_next() -> None:
    assert ("menu", "STEERING_MT_add") in in_tab("object")
    assert "make them vehicles" in texts(in_tab("bake"))
    assert usable("bake") == []
    a_vehicle()
    assert ("menu", "STEERING_MT_behavior_add") in in_tab("behaviors")
    assert "Not baked" in texts(in_tab("bake"))
    assert usable("bake") == ["steering.preview", "steering.bake", "steering.bake"]


def test_without_its_crowd_a_vehicle_can_be_baked_by_neither_button() -> None:
    a_vehicle_without_its_crowd()
    assert not {"steering.bake", "steering.preview"} & set(usable("bake"))


def offered_roles() -> list[str]:
    return [entry[2] for entry in in_tab("object") if entry[0] == "operator"]


def test_only_suitable_roles_are_offered_and_for_selected_objects_only() -> None:
    an_untagged_object()
    assert "Path" not in offered_roles() and "Vehicle" in offered_roles()
    a_path()
    assert "Path" in offered_roles() and "Flow" in offered_roles()
    an_active_object_that_is_not_selected()
    assert offered_roles() == []
    assert "Select the object" in texts(in_tab("object"))


def test_roles_are_offered_for_selected_objects_if_none_is_active() -> None:
    """As Blender leaves them after Library Override > Make."""
    an_untagged_object()
    bpy.context.view_layer.objects.active = None
    assert "Vehicle" in offered_roles()
    assert bpy.ops.steering.tag(role="VEHICLE", moves_like="BIRD") == {"FINISHED"}
    assert bpy.context.view_layer.objects.active in bpy.context.selected_objects


def test_the_crowd_panel_counts_the_vehicles() -> None:
    ships = fleet(4)
    ships[0].steering.locked = True
    ships[1].steering.active = False
    assert "4 vehicles, 1 locked, 1 inactive on this frame" in texts(in_tab("crowd"))
    ships[2].steering.use_enter_frame, ships[2].steering.enter_frame = True, 9
    assert "4 vehicles, 1 locked, 1 inactive on this frame, 1 away" in texts(in_tab("crowd"))


@pytest.mark.parametrize(
    ("mass", "max_force", "max_speed", "text"),
    [(1.0, 10.0, 5.0, "Turns within 2.5 m, top speed in 0.5 s"), (2.0, 8.0, 8.0, "within 16 m, top speed in 2.0 s")],
)
def test_turning_radius_and_acceleration_are_shown(mass, max_force, max_speed, text) -> None:
    model = vehicle().steering.crowd.steering.vehicle
    model.mass, model.max_force, model.max_speed = mass, max_force, max_speed
    assert text in texts(in_tab("advanced"))


def test_the_settings_of_the_chosen_locomotion_are_shown() -> None:
    settings = vehicle().steering.crowd.steering
    for moves in part("locomotion").CATALOGUE:
        settings.locomotion = moves.choice().name
        shown_settings = ["locomotion", "max_speed", "cruise", *moves.parameters(), "keep_apart"]
        assert [entry[1] for entry in in_tab("model") if entry[0] == "prop"] == shown_settings
    settings["locomotion"] = 99
    of_the_vehicle = ["locomotion", "max_speed", "cruise", "keep_apart"]
    assert [entry[1] for entry in in_tab("model") if entry[0] == "prop"] == of_the_vehicle


def test_panels_come_in_the_order_of_use() -> None:
    names = [cls.__name__ for cls in part("blender.panels").CLASSES]
    for prefix in ("STEERING_PT_", "OBJECT_PT_steering_"):
        known = [f"{prefix}{name}" for name in BY_USE if f"{prefix}{name}" in names]
        assert known == [name for name in names if name in known]
    assert [f"STEERING_PT_{name}" for name in BY_USE] == [
        cls.__name__
        for cls in part("blender.panels").CLASSES
        if cls.__name__.removeprefix("STEERING_PT_") in BY_USE and not hasattr(cls, "bl_parent_id")
    ]


def test_the_cruise_speed_is_a_speed_and_stored_as_a_share() -> None:
    crowd_object = vehicle().steering.crowd
    model = crowd_object.steering.vehicle
    model.max_speed, model.cruise_speed = 8.0, 0.5
    assert model.cruise == 4.0
    model.cruise = 6.0
    assert model.cruise_speed == 0.75
    model.cruise = 99.0
    assert model.cruise_speed == 1.0
    model.max_speed = 0.0
    model.cruise = 3.0
    assert model.cruise_speed == 1.0
    assert ("prop", "cruise_speed") not in in_tab("model")
    assert ("prop", "cruise_speed") in in_tab("advanced")
    insert(crowd_object, "steering.vehicle.cruise_speed", {1: 0.2, 9: 0.8})
    assert ("prop", "cruise_speed") in in_tab("model") and ("prop", "cruise") not in in_tab("model")


def test_clips_are_shown_where_a_member_can_play_some() -> None:
    crowd_object = vehicle().steering.crowd
    select(crowd_object)
    assert in_tab("clips") == []
    skin = wedge("Skin")
    skin.parent = vehicle(wedge("Horse"), crowd=crowd_object)
    skin.shape_key_add(name="Basis")
    select(crowd_object)
    assert in_tab("clips") != []
    select(found_walkers()[0])
    assert in_tab("clips") != []


def test_wings_wheels_and_legs_are_shown_where_drivers_read_them() -> None:
    crowd_object = vehicle().steering.crowd
    select(crowd_object)
    assert in_tab("portrayal") == []
    assert ("prop", "use") in in_tab("advanced"), "they can be turned on before there are drivers"
    bird, wing = vehicle(wedge("Bird"), crowd=crowd_object), wedge("Wing")
    wing.parent = bird
    bird["steering_phase"] = 0.0
    drive(wing, "rotation_euler", "phase", index=1, phase=(bird, '["steering_phase"]'))
    select(crowd_object)
    assert in_tab("portrayal") != []
    bpy.data.objects.remove(wing)
    assert in_tab("portrayal") == []
    crowd_object.steering.portrayal.use = True
    assert in_tab("portrayal") != [] and ("prop", "use") not in in_tab("advanced")


def test_the_menu_has_the_same_headings_and_lists_all_behaviors() -> None:
    a_vehicle()
    drawn = shown("STEERING_MT_behavior_add")
    assert [entry[1] for entry in drawn if entry[0] == "label"] == [
        intent.value for intent in part("simulation.behavior").Intent
    ]
    labels = [entry[2] for entry in drawn if entry[1] == "steering.behavior_add"]
    assert sorted(labels) == sorted(kind.label for kind in part("behaviors").CATALOGUE)
    assert ("operator", "steering.flocking_add", "Flocking") in drawn


def test_the_object_menu_reaches_the_menus_of_behaviors_roles_and_crowds() -> None:
    reached = menus_from("STEERING_MT_object")
    assert {"STEERING_MT_behaviors", "STEERING_MT_roles", "STEERING_MT_crowds"} <= reached
    assert part("blender.panels.menus").show_menu in bpy.types.VIEW3D_MT_object.draw._draw_funcs


def menus_from(*names: str) -> set[str]:
    """The names of these menus and of all their submenus."""
    reached: set[str] = set()
    remaining = list(names)
    while remaining:
        reached.add(name := remaining.pop())
        remaining += [entry[1] for entry in shown(name) if entry[0] == "menu" and entry[1] not in reached]
    return reached


IN_A_ROW = {"behavior_remove", "populate_add", "populate_remove", "finding_select", "clip_remove"}
"""Operators that only appear in the row of a list in a panel."""
IN_A_POPOVER = {"behavior_preset_apply", "behavior_preset_save", "behavior_preset_remove"}
"""Operators that only appear in the presets popover of a behavior."""
IN_THE_EDGE_MENU = {"flow_switch_direction"}
"""Operators in the Edge menu."""
IN_THE_EXPORT_MENU = {"export_usd"}
"""Operators in File > Export."""


def test_search_finds_every_operator() -> None:
    """Blender's search looks through menus only."""
    a_baked_vehicle()
    assert bpy.ops.steering.preset_save(name="Mine") == {"FINISHED"}
    menus = menus_from("STEERING_MT_object", "STEERING_MT_add")
    listed = {entry[1].partition(".")[2] for menu in menus for entry in shown(menu) if entry[0] == "operator"}
    assert set(dir(bpy.ops.steering)) - listed == IN_A_ROW | IN_A_POPOVER | IN_THE_EDGE_MENU | IN_THE_EXPORT_MENU


def test_flocking_is_separation_alignment_and_cohesion() -> None:
    crowd_object = crowd()
    assert bpy.ops.steering.flocking_add() == {"FINISHED"}
    used = [k.name for k in part("behaviors").CATALOGUE if crowd_object.steering.is_property_set(k.name)]
    assert used == ["separation", "alignment", "cohesion"]


def test_the_header_of_a_behavior_shows_the_parameters_that_the_combining_uses() -> None:
    crowd_object = crowd(wander={})
    combining = part("simulation.combining")
    for choice in combining.COMBININGS:
        crowd_object.steering.combining = choice.name
        names = [entry[1] for entry in in_tab("behaviors") if entry[0] == "prop"]
        row = names[1 : 1 + len(combining.MATTERS[choice.number])]
        assert tuple(row) == combining.MATTERS[choice.number]


def test_the_bake_panel_counts_the_vehicles_and_frames_that_a_bake_would_write() -> None:
    frames(1, 40)
    fleet(3)
    assert "3 vehicles, frames 1 to 40" in texts(in_tab("bake"))
    scene = bpy.context.scene
    scene.steering.use_frame_range = True
    scene.steering.frame_start = scene.steering.frame_end = 7
    bpy.data.objects["Ship 0"].steering.locked = bpy.data.objects["Ship 1"].steering.locked = True
    assert "1 vehicle, frames 7 to 7" in texts(in_tab("bake"))


def previewing() -> None:
    a_vehicle()
    assert bpy.ops.steering.preview() == {"FINISHED"}


def an_outdated_bake() -> None:
    a_baked_vehicle()
    bpy.context.object.steering.crowd.steering.vehicle.max_speed = 9.0


def changed_clips() -> None:
    people, _ = found_walkers()
    bpy.ops.steering.bake()
    people.steering.portrayal.playing.fade = 0.5


def another_frame_range() -> None:
    a_baked_vehicle()
    bpy.context.scene.frame_end = 9


def a_refused_bake() -> None:
    a_vehicle()
    insert(bpy.context.object, "location", {1: (0.0, 0.0, 0.0), 2: (1.0, 0.0, 0.0)})
    with pytest.raises(RuntimeError):
        bpy.ops.steering.bake()


STATES = {
    nothing: "Nothing to bake yet",
    a_vehicle: "Not baked",
    previewing: "Previewing: frame 1 of 250",
    a_baked_vehicle: "Baked",
    an_outdated_bake: "Outdated: changed since the bake",
    changed_clips: "Outdated: clips changed. Bake again",
    another_frame_range: "Outdated: now frames 1 to 9",
    a_refused_bake: "Not baked",
}


@pytest.mark.parametrize(("scene", "state"), STATES.items(), ids=lambda value: getattr(value, "__name__", None))
def test_the_state_of_the_bake_is_told_and_its_buttons_come_first_and_in_the_same_order(scene, state) -> None:
    scene()
    drawn = in_tab("bake")
    assert [entry[1] for entry in drawn[:4]] == [
        *("steering.preview", "steering.bake", "steering.clear_bake", "steering.bake"),
    ]
    assert drawn[4] == ("label", state)
    assert drawn[5][0] == "label"
    listed = shown("STEERING_PT_findings")
    assert drawn[6:7] == [("menu", "STEERING_PT_findings") if listed else ("label", "")]
    is_baked = state.startswith(("Baked", "Outdated"))
    assert drawn[2].enabled == is_baked


def test_what_there_is_to_look_at_opens_from_a_line_that_is_always_there_so_that_nothing_moves() -> None:
    # Blender lists panels of headers nowhere.
    assert bpy.types.STEERING_PT_findings.bl_region_type == "HEADER"
    a_vehicle()
    before = in_tab("bake")
    bpy.context.object.scale = (0.0, 0.0, 0.0)
    after = in_tab("bake")
    assert ("menu", "STEERING_PT_findings") in after and ("menu", "STEERING_PT_findings") not in before
    assert len(after) == len(before)


def test_the_bake_panel_tells_why_no_crowd_moves() -> None:
    first, second = crowd("One", wander={}), crowd("Other", wander={})
    for crowd_object, name in ((first, "First"), (second, "Second")):
        vehicle(crowd=crowd_object, name=name)
    select()
    assert "Max Speed" not in texts(in_tab("bake"))
    first.steering.vehicle.max_speed = 0.0
    assert "Max Speed" not in texts(in_tab("bake"))
    second.steering.vehicle.max_speed = 0.0
    assert "One: Max Speed is 0" in texts(in_tab("bake"))


def test_the_census_counts_the_vehicles_that_a_bake_would_move() -> None:
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


def test_after_an_operator_a_panel_counts_again_before_it_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    census, scene = part("blender.status.census"), bpy.context.scene
    first, other = crowd(), crowd()
    ship = vehicle(crowd=first)
    monkeypatch.setattr(census, "_latest_operator", lambda: 1)
    assert census.known(scene) is None
    assert census.refresh(scene).members(first).vehicles == 1
    ship.steering.crowd = other
    assert census.known(scene).members(first).vehicles == 1
    monkeypatch.setattr(census, "_latest_operator", lambda: 2)
    assert census.known(scene).members(other).vehicles == 1


def test_the_census_adds_no_handlers_in_background_mode_and_removes_its_timer() -> None:
    census, handlers = part("blender.status.census"), bpy.app.handlers
    lists = [handlers.depsgraph_update_post, handlers.frame_change_post, handlers.undo_post, handlers.load_post]
    assert [h for handlers in lists for h in handlers if h.__module__ == census.__name__] == []
    census.changed()
    census.unregister()
    assert not bpy.app.timers.is_registered(census._count_shown)
    census.register()


def test_a_crowd_of_points_offers_no_output_that_it_cannot_have(addon) -> None:
    select(points())
    assert "Points are baked into a crowd cache" in texts(in_tab("crowd"))
    assert ("prop", "output") not in in_tab("crowd")


def test_a_player_says_whose_bake_it_plays(addon) -> None:
    frames(1, 3)
    owner = crowd("Gnats")
    owner.steering.output = "CACHE"
    vehicle(crowd=owner)
    bake()
    select(bpy.data.objects["Gnats Player"])
    assert "Plays the bake of Gnats" in texts(in_tab("object"))
    assert "steering.tag" not in buttons("object")
