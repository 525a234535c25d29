"""Add > Steering: each scene is complete, moves after one bake, and leaves existing data unchanged."""

import math
import random
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from bpy_extras.object_utils import world_to_camera_view
from mathutils import Vector

from steering_addon.blender.crowds.ready_scenes.scenery import hills
from tests.blender.building import at_frames, frames, part, wedge
from tests.blender.dumping import difference, scene_dump
from tests.blender.seen import listed, with_role
from tests.blender.steered import bake, crowd, select, vehicle
from tests.sampling import sampled

USUAL = {scene.operator.removeprefix("add_"): scene.count for scene in part("blender.crowds.ready_scenes").READY_SCENES}
"""The number of members by the name of the scene."""
SCENES = tuple(USUAL)
EXTRA = {
    "flock": "REGION",
    "school": "REGION",
    "walkers": "PATH",
    "herd": "REGION",
    "herd_and_wolf": "REGION",
    "cowboys_and_strays": "REGION",
    "traffic": "PATH",
}
"""The role of the object that comes with a crowd."""
GROUND = dict.fromkeys(("herd", "herd_and_wolf", "cowboys_and_strays", "traffic"), "SURFACE")
"""The role of what its members stand on."""
LIMB = {
    "flock": "Bird 001 Left Wing",
    "school": "Fish 001 Tail",
    "herd": "Sheep 001 Left Hind Leg",
    "herd_and_wolf": "Wolf Left Hind Leg",
    "cowboys_and_strays": "Cow 003 Left Hind Leg",
    "traffic": "Car 001 Front Left Wheel",
}
FLYERS = ("flock", "school")
ON_PATHS = ("walkers", "traffic")
ON_CLIPS = ("walkers", "station_hall")
"""What is moved by clips instead of drivers."""


def add(scene: str, **options):
    """Add a ready scene; returns its crowd."""
    assert getattr(bpy.ops.steering, f"add_{scene}")(**options) == {"FINISHED"}
    return bpy.context.view_layer.objects.active


def extra_of(scene: str, of):
    """The path or region that a crowd keeps to, or the floor of its hall."""
    if scene == "station_hall":
        return next(ob for ob in of.users_collection[0].objects if ob.name.startswith("Station Floor"))
    behavior, name = ("path_following", "path") if scene in ON_PATHS else ("containment", "region")
    return getattr(getattr(of.steering, behavior), name)


def members(of) -> list:
    return [ob for ob in with_role("VEHICLE") if ob.steering.crowd == of]


@sampled
@pytest.mark.parametrize("scene", SCENES)
def test_a_scene_is_in_its_own_collection_and_selected(scene) -> None:
    before = set(bpy.data.objects)
    scene_crowd = add(scene)
    vehicles = members(scene_crowd)
    assert len(vehicles) == USUAL[scene]
    extra = extra_of(scene, scene_crowd)
    assert scene not in EXTRA or extra in with_role(EXTRA[scene])
    (collection,) = bpy.context.scene.collection.children
    assert set(collection.all_objects) == set(bpy.data.objects) - before
    ground = with_role(GROUND[scene]) if scene in GROUND else []
    selected = {scene_crowd, extra, *ground, *vehicles}
    if scene == "traffic":
        crossing = bpy.data.objects["Crossing"]
        walkers = members(crossing)
        assert len(walkers) == 2
        selected |= {crossing, extra_of(scene, crossing), bpy.data.objects["Crossing Stripes"], *walkers}
    if scene == "herd_and_wolf":
        selected |= {bpy.data.objects[name] for name in ("Wolf", "Wolves", "Wolf Path")}
    if scene == "cowboys_and_strays":
        selected |= {bpy.data.objects[name] for name in ("Riders", "Rider 1", "Rider 2", "Rider 3")}
    if scene == "station_hall":
        selected |= {ob for ob in collection.objects if ob.name.startswith(("Station", "Exit", "Entrance"))}
        assert len(with_role("OBSTACLE")) == 11
    assert set(bpy.context.selected_objects) == selected
    assert len({ob.steering.identity for ob in vehicles}) == len(vehicles)
    assert len({ob.data for ob in vehicles}) <= 6
    assert all(ob.steering.start.stored and (scene in ON_CLIPS or "steering_phase" in ob) for ob in vehicles)
    assert scene_crowd.steering.preroll == 0


@sampled
@pytest.mark.parametrize("scene", SCENES)
def test_a_scene_is_at_the_cursor_with_the_given_count_and_size(scene) -> None:
    bpy.context.scene.cursor.location = (3.0, -2.0, 5.0)
    scene_crowd = add(scene, count=7, size=0.5)
    assert len(members(scene_crowd)) == 7
    assert tuple(scene_crowd.location) == tuple(extra_of(scene, scene_crowd).location) == (3.0, -2.0, 5.0)
    shapes = [
        part("blender.objects.body_sizes").points_of(
            ob, bpy.context.evaluated_depsgraph_get(), part("blender.objects.hierarchy").Family()
        )
        for ob in members(scene_crowd)
    ]
    axis = 2 if scene in ("walkers", "station_hall") else 1
    assert [np.ptp(points[:, axis]) for points in shapes] == pytest.approx([0.5] * 7, rel=0.08)


@sampled(one_of=24)
@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_scene_with_few_members_is_complete_bakes_and_is_as_before_without_the_bake(scene, count) -> None:
    frames(1, 10)
    scene_crowd = add(scene, count=count)
    assert len(members(scene_crowd)) == count
    before = scene_dump(("actions", "objects"))
    bake()
    assert bpy.ops.steering.clear_bake() == {"FINISHED"}
    after = scene_dump(("actions", "objects"))
    changes = [line for kind in ("actions", "objects") for line in difference(before[kind], after[kind])]
    # Shares in states stay, as drivers read them.
    assert [line for line in changes if "state_" not in line] == []


@sampled
@pytest.mark.parametrize("selected", [False, True])
def test_a_bake_measures_no_clip_again_whichever_member_comes_first_in_it(selected) -> None:
    """Walkers share an armature, and wear other meshes: measured on another one, their clips are other ones."""
    frames(1, 2)
    walkers = members(add("walkers", count=5))
    for number, ob in enumerate(walkers):
        ob.steering.identity = 100 - number
    before = [clip.measured for clip in walkers[0].steering.crowd.steering.portrayal.clips]
    bake(*walkers[1:4], selected=selected)
    assert [clip.measured for clip in walkers[0].steering.crowd.steering.portrayal.clips] == before


@sampled(one_of=8)
@pytest.mark.parametrize("scene", SCENES)
def test_the_same_seed_gives_the_same_scene_and_another_seed_another(scene) -> None:
    def made(seed):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        return [
            (ob.name, tuple(ob.location), tuple(ob.rotation_euler), ob.steering.identity, ob.steering.speed_factor)
            for ob in members(add(scene, count=3, seed=seed))
        ]

    assert made(4) == made(4)
    assert made(4) != made(5)


PRESETS = {
    "flock": "starling",
    "school": "fish",
    "walkers": "pedestrian",
    "herd": "sheep",
    "herd_and_wolf": "sheep",
    "cowboys_and_strays": "sheep",
    "station_hall": "passers_by",
    "traffic": "car",
}


@sampled
@pytest.mark.parametrize("scene", SCENES)
def test_a_scene_takes_its_values_from_its_preset(scene) -> None:
    preset = part("blender.crowds.preset_files").CROWDS.find(PRESETS[scene]).load()
    settings = add(scene, count=3, size=preset.body_length).steering
    expected = {("vehicle", name): value for name, value in preset.vehicle.items()}
    expected |= {("portrayal", name): value for name, value in preset.portrayal.items()}
    beside = part("blender.crowds.ready_scenes.traffic").ASIDE if scene == "traffic" else ()
    for behavior in set(preset.behaviors).difference(beside):
        values = preset.behaviors[behavior]
        expected |= {(behavior, name): value for name, value in values.items()}
    if scene in ON_PATHS:
        assert not settings.is_property_set("containment"), "they would keep to the region of another crowd"
        expected = {key: value for key, value in expected.items() if key[0] != "containment"}
    elif scene in FLYERS:
        # Only containment has values of its own, for a small region.
        path = part("blender.crowds.preset_files").SHIPPED / "ready_scenes" / f"{scene}.json"
        stay = part("settings.preset").read(path.read_text(encoding="utf-8"), "behavior")
        expected |= {("containment", name): value for name, value in stay.behaviors["containment"].items()}
    if scene == "traffic":
        expected["brake_for", "obstacles"] = "ALL"
    if scene == "station_hall":
        # There is no path, they have errands of their own, and walk at one pace between walls, where they turn round.
        changed = ("path_following", "keep_company", "containment", "obstacle_avoidance", "vehicle")
        expected = {key: value for key, value in expected.items() if key[0] not in changed}
    if scene == "cowboys_and_strays":
        # Cows graze more slowly for their size than sheep.
        expected["vehicle", "cruise_speed"] = 0.3
    assert settings.combining == preset.combining
    for (group, name), value in expected.items():
        assert getattr(getattr(settings, group), name) == pytest.approx(value), (group, name)


def depsgraph():
    bpy.context.view_layer.update()
    return bpy.context.evaluated_depsgraph_get()


def test_the_report_says_how_far_a_second_scene_is_from_the_cursor(capfd) -> None:
    bpy.context.scene.cursor.location = (5.0, 0.0, 0.0)
    add("flock", count=3)
    capfd.readouterr()
    second = add("flock", count=3)
    distance = (second.matrix_world.translation - bpy.context.scene.cursor.location).length
    assert distance > 1.0
    assert f"Added {second.name} {distance:.4g} m beside the 3D cursor: Preview" in capfd.readouterr().out


@sampled
@pytest.mark.parametrize("scene", SCENES)
def test_a_scene_leaves_existing_data_unchanged(scene) -> None:
    mine = crowd("Mine", wander={})
    ship = vehicle(crowd=mine)
    mine.steering.preroll = 5
    select(ship, wedge("Lone"))
    kinds = ("actions", "collections", "curves", "materials", "meshes", "objects")
    before = scene_dump(kinds)
    add(scene, count=5)
    after = scene_dump(kinds)
    for kind in kinds:
        kept = {name: after[kind][name] for name in before[kind]}
        # Only the selection may differ.
        assert [text for text in difference(before[kind], kept) if "select" not in text] == []
    stored = bpy.context.scene.steering
    assert stored.crowd == mine
    assert mine.steering.preroll == 5


@sampled
@pytest.mark.parametrize("scene", SCENES)
def test_nothing_is_left_of_the_asset_file_and_names_that_are_taken_stay(scene) -> None:
    taken = [wedge(name) for name in ("Bird A", "Cow A", "Walker A", "Suitcase")]
    taken += [bpy.data.actions.new(name) for name in ("Idle", "Box")]
    for block in taken:
        block.use_fake_user = True
    names = [block.name for block in taken]
    for seed in range(2):
        assert len(members(add(scene, count=2, seed=seed))) == 2
    assert [block.name for block in taken] == names
    assert len(bpy.data.libraries) == 0 and len(bpy.data.scenes) == 1
    data = bpy.data
    blocks = [*data.objects, *data.meshes, *data.materials, *data.actions, *data.armatures, *data.curves]
    assert [block.name for block in blocks if not block.users] == []
    assert [block.name for block in blocks if block.library_weak_reference] == []


@sampled(one_of=6)
@pytest.mark.parametrize("beside", [None, "walkers"])
@pytest.mark.parametrize("scene", SCENES)
def test_there_is_nothing_to_look_at_in_a_scene_that_was_just_added(scene, beside) -> None:
    """Also beside another, on whose ground nobody of it is to stand."""
    if beside is not None:
        add(beside)
    add(scene)
    assert listed() == {}


@sampled
@pytest.mark.parametrize("scene", SCENES)
def test_a_second_scene_is_beside_the_first_and_shares_nothing(scene) -> None:
    first = add(scene, count=6)
    second = add(scene, count=6)
    assert second != first
    assert len(members(first)) == len(members(second)) == 6
    assert extra_of(scene, first) != extra_of(scene, second)
    identities = [ob.steering.identity for ob in with_role("VEHICLE")]
    assert len(set(identities)) == len(identities) >= 12
    places = [np.array([ob.location for ob in members(scene_crowd)]) for scene_crowd in (first, second)]
    assert places[0][:, 0].max() < places[1][:, 0].min()


def test_scenes_cannot_be_added_in_edit_mode() -> None:
    select(wedge())
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(RuntimeError, match="Object Mode"):
        bpy.ops.steering.add_flock()


def test_the_menu_is_in_the_add_menu_while_the_extension_is_enabled(addon) -> None:
    def entries():
        return [draw for draw in bpy.types.VIEW3D_MT_add.draw._draw_funcs if "ready_scenes" in draw.__module__]

    assert len(entries()) == 1
    addon.unregister()
    try:
        assert entries() == []
    finally:
        addon.register()
    assert len(entries()) == 1


def test_the_operators_and_icons_of_the_menu_exist() -> None:
    icons = bpy.types.UILayout.bl_rna.functions["operator"].parameters["icon"].enum_items.keys()
    drawn, entries = [], []

    class Layout:
        operator_context = ""

        def operator(self, name, icon):
            drawn.append((name, icon))
            entries.append(SimpleNamespace())
            return entries[-1]

        def menu(self, name, icon):
            drawn.append((name, icon))

    ready = part("blender.operators.ready_scenes")
    menu = type("Drawn", (), {"layout": Layout()})()
    ready.STEERING_MT_add.draw(menu, bpy.context)
    ready._submenu(menu, bpy.context)
    names = [name for name, _ in drawn]
    assert names == [*(f"steering.add_{scene}" for scene in SCENES), "STEERING_MT_add"]
    assert all(getattr(bpy.ops.steering, name.partition(".")[2]).poll() for name in names[:3])
    assert {icon for _, icon in drawn} <= set(icons)
    assert all(entry.frame_view and entry.set_frames for entry in entries), "unlike scripts, it shows what it adds"


def test_what_a_walker_carries_holds_its_arms_through_bakes_and_is_left_when_they_are_deleted() -> None:
    frames(1, 15)
    walkers = members(add("walkers", count=12))
    laden = next(ob for ob in walkers if any(part.name.endswith("Suitcase") for part in ob.children))
    arm = laden.pose.bones["Upper Arm.R"]
    depsgraph()
    held = arm.rotation_quaternion.copy()
    assert held.angle > 0.05

    def arms() -> list[float]:
        angles = []
        for _ in at_frames((5, 14, 23)):
            turned = laden.evaluated_get(depsgraph()).pose.bones["Upper Arm.R"].rotation_quaternion
            angles.append(turned.rotation_difference(held).angle)
        return angles

    bake()
    assert max(arms()) < 1e-3
    bake()
    assert max(arms()) < 1e-3
    assert bpy.ops.steering.clear_bake() == {"FINISHED"}
    assert max(arms()) < 1e-3 and len(laden.animation_data.nla_tracks) == 0


@sampled
@pytest.mark.parametrize(
    "settings", [{"count": 1}, {"count": 6, "size": 0.5}, {"count": 24}, {"count": 9, "spacing": 0.5}]
)
def test_the_paving_never_overlaps_itself(settings) -> None:
    walkers = add("walkers", **settings)
    path = walkers.steering.path_following.path.evaluated_get(depsgraph())
    paving = path.to_mesh()
    corners = np.array([[paving.vertices[v].co for v in face.vertices] for face in paving.polygons])[..., :2]
    sides = np.roll(corners, -1, axis=1) - corners
    lengths = np.linalg.norm(sides, axis=-1).mean(axis=0)
    # The two sides of each piece that run along the path have opposite directions.
    first, second = (sides[:, k] for k in ((0, 2) if lengths[0] < lengths[1] else (1, 3)))
    assert len(corners) > 100
    assert ((first * second).sum(axis=1) < 0.0).all()
    path.to_mesh_clear()


@sampled
@pytest.mark.parametrize("size", [1.75, 0.4])
def test_the_clips_of_a_person_are_what_they_are_meant_to_be(size) -> None:
    clips = add("walkers", count=1, size=size).steering.portrayal.clips
    known = {clip.action.name.removeprefix("Walker "): clip for clip in clips}
    assert {name for name, clip in known.items() if clip.plays == "STAND"} == {"Idle", "Talk"}
    assert {name for name, clip in known.items() if clip.plays == "DO"} == {"Look at Watch"}
    assert {name for name, clip in known.items() if clip.with_company} == {"Talk"}
    tall = size / 1.75
    for name, speed in (("Walk", 1.33), ("Stroll", 1.28), ("Brisk Walk", 1.38)):
        assert known[name].speed == pytest.approx(speed * tall, rel=0.02)
        assert known[name].own_slide < 0.01 * tall and known[name].sure > 0.9
        assert abs(known[name].heading) < math.radians(2.0)
    assert known["Run"].speed > 3.5 * tall and known["Run"].support < 0.8
    for name, turn in (("Left Turn", 1.0), ("Right Turn", -1.0)):
        measured = part("portrayal.clips").measurement_of(known[name].measured).clip
        assert measured.speed == 0.0 and measured.turn == pytest.approx(turn * math.radians(60.0), rel=0.1)


DRIVEN = tuple(LIMB)


@sampled
@pytest.mark.parametrize("scene", DRIVEN)
def test_limbs_move_by_simple_drivers_without_python(scene) -> None:
    frames(1, 30)
    add(scene, count=3)
    driven = [driver.driver for ob in bpy.data.objects if ob.animation_data for driver in ob.animation_data.drivers]
    assert driven
    assert all(driver.is_simple_expression and driver.is_valid for driver in driven)
    bake()
    limb = bpy.data.objects[LIMB[scene]]
    turns = []
    for _ in at_frames(range(1, 31)):
        turns.append(tuple(limb.evaluated_get(bpy.context.evaluated_depsgraph_get()).rotation_euler))
    assert np.ptp(np.array(turns), axis=0).max() > math.radians(20.0)


@pytest.mark.parametrize("half", [8.0, 60.0])
def test_hills_that_meet_stay_as_flat_as_animals_climb(half: float) -> None:
    line = np.linspace(-half, half, 289)
    for seed in range(12):
        height = hills(half, 0.5, random.Random(seed))
        across, along = np.gradient(height(*np.meshgrid(line, line)), line, line)
        assert 0.3 < np.sqrt(across**2 + along**2).max() < 0.51


def test_a_story_lets_the_scene_last_until_it_is_over_on_request() -> None:
    scene = bpy.context.scene
    scene.frame_end = 250
    assert bpy.ops.steering.add_cowboys_and_strays(count=3) == {"FINISHED"}
    assert scene.frame_end == 250, "scripts choose the frames themselves"
    assert bpy.ops.steering.add_cowboys_and_strays(count=3, set_frames=True) == {"FINISHED"}
    assert 690 < scene.frame_end < 710
    scene.frame_end, run = 250, scene.steering
    run.use_frame_range, run.frame_start, run.frame_end = True, 501, 520
    assert bpy.ops.steering.add_station_hall(count=12, set_frames=True) == {"FINISHED"}
    enters = [ob.steering.enter_frame for ob in scene.objects if ob.steering.use_enter_frame]
    assert 501 < min(enters) < max(enters) < run.frame_end and scene.frame_end == 250
    run.use_frame_range = False
    assert bpy.ops.steering.add_flock(count=4, set_frames=True) == {"FINISHED"}
    assert scene.frame_end == 250, "a flock has no end"


def test_a_camera_goes_along_with_the_middle_of_the_flock() -> None:
    scene = bpy.context.scene
    frames(1, 60)
    assert bpy.ops.steering.add_flock(count=12, seed=3, add_camera=True) == {"FINISHED"}
    camera, carrier = scene.camera, scene.camera.parent
    birds = [constraint.target for constraint in carrier.constraints]
    bake()
    offsets = []
    for _ in at_frames((1, 30, 60)):
        middle = sum((bird.matrix_world.translation for bird in birds), Vector()) / len(birds)
        assert (carrier.matrix_world.translation - middle).length < 1e-3
        offsets.append(camera.matrix_world.translation - middle)
        assert sum(map(is_seen, birds)) >= 0.8 * len(birds)
    assert max((offset - offsets[0]).length for offset in offsets) < 1e-3


def is_seen(ob) -> bool:
    at = world_to_camera_view(bpy.context.scene, bpy.context.scene.camera, ob.matrix_world.translation)
    return 0.0 < at.x < 1.0 and 0.0 < at.y < 1.0 and at.z > 0.0
