"""What would go wrong in silence is listed by name before the bake and after it, and a click selects it."""

from collections.abc import Callable

import bpy
import pytest

from tests.blender.animated import insert, is_baked
from tests.blender.building import empty, frames, from_library, part, path_curve, sphere, wedge
from tests.blender.drawing import texts, up_to_date
from tests.blender.dumping import assert_same, refuses, scene_dump
from tests.blender.seen import listed
from tests.blender.steered import bake, crowd, fleet, leader, obstacle, press, road, select, tag, use, vehicle
from tests.blender.walkers import found_walkers
from tests.sampling import sampled


def selected_by_click(kind: str) -> set[str]:
    """The names of the objects that the button of a finding selects."""
    press("finding_select", kind=kind, text=listed()[kind])
    return {ob.name for ob in bpy.context.selected_objects}


def ships() -> list:
    frames(1, 5)
    return fleet(4, crowd=crowd("Ships", wander={}))


def without_size() -> set[str]:
    first, second, *_ = ships()
    first.scale = second.scale = (0.0, 0.0, 0.0)
    return {first.name, second.name}


def one_without_height() -> set[str]:
    first, *_ = ships()
    first.scale.z = 0.0
    return {first.name}


def on_a_parent_without_size() -> set[str]:
    first, *_ = ships()
    first.parent = empty("Base", scale=(0.0, 0.0, 0.0))
    return {first.name}


def a_model_far_from_its_origin() -> set[str]:
    first, *_ = ships()
    first.data = first.data.copy()
    for vertex in first.data.vertices:
        vertex.co.x += 3.0 * max(first.dimensions)
    return {first.name}


def scaled_after_tagging() -> set[str]:
    first, second, third, fourth = ships()
    first.scale = second.scale = (2.0, 2.0, -2.0)
    third.scale = (1.05, 1.05, 1.05)
    fourth.scale = (3.0, 3.0, 3.0)
    insert(fourth, "scale", {1: (3.0, 3.0, 3.0)})
    return {first.name, second.name}


def parts_far_from_their_empty() -> set[str]:
    ships()
    root = vehicle(empty("Root"), crowd=bpy.data.objects["Ships"])
    body = wedge("Body", (5.0, 0.0, 0.0))
    body.parent = root
    return {root.name}


def an_instance_far_from_its_model() -> set[str]:
    ships()
    model = bpy.data.collections.new("Model")
    body = wedge("Body", (5.0, 0.0, 0.0))
    model.objects.link(body)
    for name in ("Here", "There"):
        shown = empty(name, (0.0, 20.0, 0.0))
        shown.instance_type, shown.instance_collection = "COLLECTION", model
        vehicle(shown, crowd=bpy.data.objects["Ships"])
    return {"Here", "There"}


def an_obstacle_of_edges() -> set[str]:
    ships()
    cage = sphere("Cage")
    cage.data.clear_geometry()
    cage.data.from_pydata([(0.0, 0.0, 0.0), (0.0, 0.0, 2.0)], [(0, 1)], [])
    obstacle(cage).steering.obstacle_shape = "MESH"
    return {cage.name}


def an_obstacle_without_vertices() -> set[str]:
    ships()
    post = obstacle(sphere("Post"))
    post.data.clear_geometry()
    return {post.name}


def a_region_far_away() -> set[str]:
    ships()
    room = tag(empty("Room", location=(5000.0, 0.0, 0.0)), role="REGION")
    bpy.data.objects["Ships"].steering.containment.use = True
    return {room.name}


def hidden_by_the_eye() -> set[str]:
    first, second, third, _ = ships()
    for ob in (first, second, third):
        ob.hide_set(True)
    return {first.name, second.name, third.name}


def hidden_by_the_screen() -> set[str]:
    first, *_ = ships()
    first.hide_viewport = True
    return {first.name}


def hidden_in_renders() -> set[str]:
    first, *_ = ships()
    first.hide_render = True
    return {first.name}


def in_a_collection_hidden_in_renders() -> set[str]:
    first, second, *_ = ships()
    outer, inner = bpy.data.collections.new("Outer"), bpy.data.collections.new("Inner")
    bpy.context.scene.collection.children.link(outer)
    outer.children.link(inner)
    outer.hide_render = True
    for ob in (first, second):
        bpy.context.scene.collection.objects.unlink(ob)
        inner.objects.link(ob)
    return {first.name, second.name}


def an_excluded_target() -> set[str]:
    ships()
    away, goal = bpy.data.collections.new("Away"), empty("Goal")
    bpy.context.scene.collection.children.link(away)
    away.objects.link(goal)
    bpy.context.scene.collection.objects.unlink(goal)
    bpy.context.view_layer.layer_collection.children["Away"].exclude = True
    use(bpy.data.objects["Ships"], seek={"target": goal})
    return {"Goal"}


def a_deleted_target_of_a_state() -> set[str]:
    ships()
    assert bpy.ops.steering.state_add() == {"FINISHED"}
    state, goal = bpy.context.object, empty("Goal")
    use(state, seek={"target": goal})
    state.steering.seek.own = True
    bpy.data.objects["Goal"].users_collection[0].objects.unlink(goal)
    return {state.name}


def an_instance() -> set[str]:
    ships()
    fleet_collection = bpy.data.collections.new("Fleet")
    fleet_collection.objects.link(bpy.data.objects["Ship 1"])
    shown_again = empty("Fleet Again")
    shown_again.instance_type, shown_again.instance_collection = "COLLECTION", fleet_collection
    return {shown_again.name}


def a_deleted_target() -> set[str]:
    ships()
    way = road()
    bpy.data.objects["Ships"].steering.path_following.use = True
    bpy.data.objects["Ships"].steering.path_following.path = way
    select(way)
    assert bpy.ops.object.delete() == {"FINISHED"}
    return {"Ships"}


def a_target_of_another_scene() -> set[str]:
    ships()
    goal = empty("Goal")
    bpy.data.objects["Ships"].steering.seek.use = True
    bpy.data.objects["Ships"].steering.seek.target = goal
    bpy.data.scenes.new("Other").collection.objects.link(goal)
    bpy.context.scene.collection.objects.unlink(goal)
    return {"Ships"}


def test_a_path_that_was_never_chosen_is_nothing_to_look_at_until_there_was_one(capfd) -> None:
    models = [wedge(f"Walker {k}", (2.0 * k, 0.0, 0.0), 1.75) for k in range(2)]
    press("tag", *models, role="VEHICLE", moves_like="PERSON")
    frames(1, 2)
    bake()
    assert listed() == {}
    assert "waits for a Path" not in capfd.readouterr().out
    way = path_curve()
    press("tag", way, role="PATH")
    assert listed() == {}
    bpy.data.objects.remove(way)
    assert "It waits for a Path" in listed()["WAITING"]


def test_a_path_to_follow_that_was_asked_for_is_missed() -> None:
    model = wedge("Walker", (0.0, 0.0, 0.0), 1.75)
    press("tag", model, role="VEHICLE", moves_like="PERSON")
    assert listed() == {}
    press("behavior_add", model, behavior="path_following")
    assert "It waits for a Path" in listed()["WAITING"]


def a_deleted_path() -> set[str]:
    ships()
    way = road()
    bpy.data.objects["Ships"].steering.path_following.use = True
    assert "WAITING" not in listed()
    select(way)
    assert bpy.ops.object.delete() == {"FINISHED"}
    return {"Ships"}


def feet_without_legs() -> set[str]:
    people, _ = found_walkers()
    frames(1, 5)
    return {people.name}


CASES = {
    without_size: ("NO_SIZE", "Ship 0 and Ship 1 have a scale of 0. Use Clear > Scale, also on parents"),
    one_without_height: ("NO_SIZE", "Ship 0 has a scale of 0. Use Clear > Scale, also on parents"),
    on_a_parent_without_size: ("NO_SIZE", "Ship 0 has a scale of 0. Use Clear > Scale, also on parents"),
    a_model_far_from_its_origin: (
        "OFF_ORIGIN",
        "Ship 0 turns about an origin far from the model. Use Object > Set Origin, untag, and tag again",
    ),
    scaled_after_tagging: (
        "SCALED",
        "Ship 0 and Ship 1 were scaled after tagging: the body counts as large as before. Untag, and tag again",
    ),
    parts_far_from_their_empty: (
        "OFF_ORIGIN",
        "Root turns about an origin far from the model. Turn on Options > Affect Only > Parents, move it to its parts, "
        "untag, and tag again",
    ),
    an_instance_far_from_its_model: (
        "OFF_ORIGIN",
        "Here and There turn about an origin far from the model. Set the offset of the collection in Properties > "
        "Collection > Instancing, untag, and tag again",
    ),
    an_obstacle_of_edges: ("NO_FACES", "Cage has no faces, so nothing avoids it. Choose another Shape"),
    an_obstacle_without_vertices: ("NO_VERTICES", "Post has no vertices, so it counts as a point"),
    a_region_far_away: ("FAR_OUTSIDE", "Ship 0 and 3 more of Ships are far outside Room. Move one there"),
    hidden_by_the_eye: ("HIDDEN", "Ship 0 and 2 more are hidden, but baked all the same"),
    hidden_by_the_screen: ("HIDDEN", "Ship 0 is hidden, but baked all the same"),
    hidden_in_renders: ("NOT_RENDERED", "Ship 0 is visible, but hidden in renders"),
    in_a_collection_hidden_in_renders: ("NOT_RENDERED", "Ship 0 and Ship 1 are visible, but hidden in renders"),
    an_instance: ("INSTANCED", "the vehicles of Fleet do not move in it. Use Make Instances Real"),
    feet_without_legs: (
        "FEET_SLIDE",
        "Feet of People cannot be held where they stand: not every foot of Walker 0 is below a leg of two bones. "
        "Turn off Plant Feet to accept that",
    ),
    an_excluded_target: ("NOT_COUNTED", "Goal is left out: excluded from the view layer"),
    a_deleted_target_of_a_state: (
        "TARGET_GONE",
        "Goal, the Target of Go To in State, is no longer in the scene. Choose another object",
    ),
    a_deleted_target: (
        "TARGET_GONE",
        "Road, the Path of Follow Path in Ships, is no longer in the scene. Choose another object",
    ),
    a_target_of_another_scene: (
        "TARGET_GONE",
        "Goal, the Target of Go To in Ships, is in another scene, Other. Link it to this one, or choose another object",
    ),
    a_deleted_path: ("WAITING", "Follow Path of Ships has no effect. It waits for a Path: tag one, or choose its Path"),
}
REFUSED = (an_excluded_target, a_deleted_target_of_a_state, a_deleted_target, a_target_of_another_scene)
"""The cases that a bake refuses."""


@pytest.mark.parametrize(("scene", "expected"), CASES.items(), ids=lambda value: getattr(value, "__name__", None))
def test_it_is_listed_by_name_and_a_click_selects_it(scene: Callable[[], set[str]], expected) -> None:
    kind, text = expected
    names = scene()
    assert text in listed()[kind]
    assert text in texts(up_to_date("STEERING_PT_findings"))
    assert selected_by_click(kind) == names


@sampled
@pytest.mark.parametrize("scene", [case for case in CASES if case not in REFUSED], ids=lambda f: f.__name__)
def test_a_bake_reports_it_too(scene: Callable[[], set[str]], capfd) -> None:
    scene()
    kind, text = CASES[scene]
    bake()
    assert text in capfd.readouterr().out
    assert text in listed()[kind]


def test_feet_that_slide_are_said_under_plant_feet_until_that_is_turned_off() -> None:
    feet_without_legs()
    text = "No effect: not every foot of Walker 0 is below a leg of two bones"
    assert text in texts(up_to_date("STEERING_PT_playing"))
    bpy.context.object.steering.portrayal.playing.plant_feet = False
    assert text not in texts(up_to_date("STEERING_PT_playing"))
    assert "FEET_SLIDE" not in listed()


@pytest.mark.parametrize(
    ("locomotion", "rise", "aside", "is_told"),
    [
        ("SIMPLE_VEHICLE", 0.0, 0.3, False),
        ("SIMPLE_VEHICLE", 2.0, 0.0, True),
        ("ON_FOOT", 2.0, 0.0, False),
        ("ON_FOOT", 2.0, 2.0, True),
    ],
)
def test_what_walks_may_stand_above_its_origin(locomotion: str, rise: float, aside: float, is_told: bool) -> None:
    """Distances between the origin and the model, in lengths of it."""
    ship = ships()[0]
    ship.steering.crowd.steering.locomotion = locomotion
    length, width = max(ship.dimensions), ship.dimensions.x
    for vertex in ship.data.vertices:
        vertex.co.z += rise * length
        vertex.co.x += aside * length + 0.5 * width * (aside > 0.0)
    assert ("OFF_ORIGIN" in listed()) == is_told


def test_a_part_at_the_origin_counts_as_the_model() -> None:
    a_model_far_from_its_origin()
    sphere("Part").parent = bpy.data.objects["Ship 0"]
    assert "OFF_ORIGIN" not in listed()


def test_a_scale_that_is_applied_varied_or_measured_again_is_as_meant() -> None:
    first, second, *_ = ships()
    select(first)
    first.scale = (2.0, 2.0, 2.0)
    bpy.ops.steering.untag(role="VEHICLE")
    bpy.ops.steering.tag(role="VEHICLE", moves_like="UNCHANGED")
    assert "SCALED" not in listed()
    bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
    assert "SCALED" not in listed()
    press("vary", second, size=0.9)
    assert mean(second) != 1.0
    assert "SCALED" not in listed()


def mean(ob) -> float:
    return part("blender.crowds.improbable").mean_scale(ob)


def test_parts_around_an_empty_and_an_offset_at_the_model_are_as_meant() -> None:
    parts_far_from_their_empty()
    bpy.data.objects["Body"].location.x = 0.0
    assert "OFF_ORIGIN" not in listed()
    an_instance_far_from_its_model()
    bpy.data.collections["Model"].instance_offset.x = 5.0
    assert "OFF_ORIGIN" not in listed()


def test_hidden_vehicles_are_shown_by_the_click() -> None:
    names = hidden_by_the_eye()
    assert selected_by_click("HIDDEN") == names
    assert "HIDDEN" not in listed()


def test_a_sound_scene_gives_nothing_to_look_at_before_or_after_a_bake() -> None:
    ships()
    assert listed() == {}
    bake()
    assert listed() == {}
    assert up_to_date("STEERING_PT_findings") == []


def test_vehicles_hidden_until_they_enter_are_not_called_hidden_and_those_that_never_enter_are_listed() -> None:
    first, *_ = ships()
    first.steering.use_enter_frame, first.steering.enter_frame = True, 4
    bake()
    bpy.context.scene.frame_set(1)
    assert first.hide_viewport and first.hide_render
    assert not {"HIDDEN", "NOT_RENDERED"} & set(listed())
    first.steering.enter_frame = 99
    bake()
    assert listed() == {"NEVER_ENTERED": "Ship 0 is on no frame of the bake"}


def test_a_vehicle_may_be_of_no_size_for_a_moment_and_a_locked_one_hidden_as_no_bake_moves_it() -> None:
    first, second, *_ = ships()
    insert(first, "scale", {1: (0.0, 0.0, 0.0), 3: (1.0, 1.0, 1.0)})
    second.steering.locked = True
    second.hide_set(True)
    bpy.context.scene.frame_set(1)
    assert not {"NO_SIZE", "HIDDEN"} & set(listed())


@pytest.mark.parametrize("leads_away", [False, True])
def test_a_vehicle_in_the_region_or_a_path_that_leads_away_is_nothing_to_look_at(leads_away: bool) -> None:
    a_region_far_away()
    settings = bpy.data.objects["Ships"].steering
    if leads_away:
        road()
        settings.path_following.use = settings.containment.release = True
    else:
        bpy.data.objects["Ship 0"].location.x = 5000.0
    assert "FAR_OUTSIDE" not in listed()


def test_an_instance_of_a_linked_collection_is_named_with_its_own_remedy(tmp_path) -> None:
    ships()
    fleet_collection = bpy.data.collections.new("Fleet")
    fleet_collection.objects.link(bpy.data.objects["Ship 1"])
    fleet_collection.use_fake_user = True
    linked = from_library(tmp_path, "collections", "Fleet")
    shown_again = empty("Fleet Again")
    shown_again.instance_type, shown_again.instance_collection = "COLLECTION", linked
    assert "Fleet Again is an instance" in listed()["INSTANCED"]
    assert listed()["INSTANCED"].endswith("Make a library override")
    assert selected_by_click("INSTANCED") == {"Fleet Again"}


def test_looking_changes_nothing() -> None:
    for scene in (without_size, an_instance):
        scene()
    bpy.context.view_layer.update()
    before = scene_dump()
    listed()
    assert_same(before, scene_dump())


def keyed_ship():
    frames(1, 5)
    ship = vehicle(crowd=crowd("Ships", wander={}), name="Ship")
    insert(ship, "location", {2: (1.0, 0.0, 0.0)})
    return ship


def refused(operator) -> None:
    with pytest.raises(RuntimeError, match="Replace Own Keys"):
        operator()


@pytest.mark.parametrize("name", ["bake", "preview"])
def test_a_refusal_stays_in_the_panel_with_its_remedy_and_leads_to_what_it_names(name: str) -> None:
    ship = keyed_ship()
    operator = getattr(bpy.ops.steering, name)
    select()
    refused(operator)
    drawn = up_to_date("STEERING_PT_findings")
    assert "Ship has keys on location (frame 2) of its own" in texts(drawn)
    assert ("prop", "replace_own_keys") in drawn
    assert bpy.ops.steering.finding_select(kind="REFUSED") == {"FINISHED"}
    assert bpy.context.selected_objects == [ship] and bpy.context.object == ship
    bpy.context.scene.steering.replace_own_keys = True
    assert up_to_date("STEERING_PT_findings") == []
    assert operator() == {"FINISHED"}


def test_the_setting_of_the_scene_replaces_keys_that_come_back_with_the_bake_deleted() -> None:
    ship = keyed_ship()
    bpy.context.scene.steering.replace_own_keys = True
    bake()
    assert is_baked(ship)
    assert bpy.ops.steering.clear_bake() == {"FINISHED"}
    assert [
        point.co[0] for point in part("blender.animation.animation_data").channelbag(ship).fcurves[0].keyframe_points
    ]


def test_a_refusal_is_forgotten_with_a_change_of_an_object() -> None:
    ship = keyed_ship()
    refused(bpy.ops.steering.bake)
    ship.animation_data_clear()
    bpy.context.view_layer.update()
    assert up_to_date("STEERING_PT_findings") == []


def test_the_setting_lets_a_preview_that_was_refused_midway_go_on() -> None:
    frames(1, 5)
    ship = vehicle(crowd=crowd("Ships", wander={}), name="Ship")
    live = part("blender.preview")
    assert bpy.ops.steering.preview() == {"FINISHED"}
    insert(ship, "location", {2: (1.0, 0.0, 0.0)})
    ship.update_tag()
    bpy.context.view_layer.update()
    assert "Replace Own Keys" in live.report(bpy.context.scene)
    assert "Replace Own Keys" in texts(up_to_date("STEERING_PT_bake"))
    bpy.context.scene.steering.replace_own_keys = True
    bpy.context.scene.frame_set(3)
    assert live.is_on(bpy.context.scene) and not live.report(bpy.context.scene)


def test_refusals_that_name_no_object_are_shown_too() -> None:
    leader()
    refuses("bake", "has no vehicles")
    assert "The scene has no vehicles" in texts(up_to_date("STEERING_PT_findings"))
