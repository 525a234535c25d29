"""Wings, wheels and legs play by custom properties of their vehicle, which come and go with the bake."""

import bpy
import numpy as np
import pytest

from tests.blender.animated import curves, drive, insert, keys, strip_of_own_action
from tests.blender.building import armature, at_frames, empty, frames, from_library, meshed, part, reopen, wedge
from tests.blender.drawing import shown
from tests.blender.dumping import assert_same, refuses, scene_dump
from tests.blender.seen import baked_frames, flight, snapshots, world_matrices
from tests.blender.steered import bake, clear_bake, crowd, fleet, obstacle, press, select
from tests.sampling import sampled

NAMES = ("steering_speed", "steering_distance", "steering_phase")
LAST = 20


def flock(number: int = 2, **settings) -> list:
    """Vehicles that wander and whose wings can be driven."""
    frames(1, LAST)
    birds = crowd("Flock", wander={})
    portray(birds, **settings)
    return fleet(number, crowd=birds, spacing=20.0)


def portray(birds, **settings) -> None:
    for name, value in {"use": True, **settings}.items():
        setattr(birds.steering.portrayal, name, value)


def bird(**settings):
    return flock(1, **settings)[0]


def hang_wing(ob, name: str = "Wing", by: str = "steering_phase"):
    """A child that turns about Y by a property of the vehicle."""
    wing = wedge(name, location=(0.3, 0.0, 0.0))
    wing.parent = ob
    drive(wing, "rotation_euler", "0.5 * p", index=1, p=(ob, f'["{by}"]'))
    return wing


def turns(wing) -> np.ndarray:
    """(f,) how the wing is turned against its vehicle on the baked frames."""
    angles = [
        wing.evaluated_get(bpy.context.evaluated_depsgraph_get()).rotation_euler[1] for _ in at_frames(baked_frames())
    ]
    bpy.context.scene.frame_set(baked_frames()[0])
    return np.array(angles)


def values(ob, name: str) -> np.ndarray:
    """(f,) the keys of a property."""
    return np.array([value for _, value in keys(ob)[f'["{name}"]', 0]])


def beat(ob, at: dict[int, float], name: str = "steering_phase") -> None:
    """Keys by hand on a custom property."""
    for frame, value in at.items():
        ob[name] = float(value)
        ob.keyframe_insert(f'["{name}"]', frame=frame)


@pytest.mark.parametrize("phase_by", ["DISTANCE", "TIME"])
def test_speed_distance_and_phase_are_keyed_on_every_frame_as_the_motion_is(phase_by) -> None:
    ships = flock(3, phase_by=phase_by, stride=0.7, cycle_time=0.5, effort=0.3)
    names, positions, _ = flight()
    bake()
    scene = bpy.context.scene
    dt = scene.render.fps_base / scene.render.fps
    for ship in ships:
        way = np.linalg.norm(np.diff(positions[:, names.index(ship.name)], axis=0), axis=1)
        np.testing.assert_allclose(values(ship, "steering_speed")[1:], way / dt, rtol=1e-4)
        np.testing.assert_allclose(values(ship, "steering_distance"), [0.0, *np.cumsum(way)], rtol=1e-4, atol=1e-5)
        assert (np.diff(values(ship, "steering_phase")) > 0.0).all()
        if phase_by == "DISTANCE":
            np.testing.assert_allclose(np.diff(values(ship, "steering_phase")), way / 0.7, atol=1e-4)
        for curve in curves(ship):
            assert [point.co[0] for point in curve.keyframe_points] == list(baked_frames())
            assert {point.type for point in curve.keyframe_points} == {"GENERATED"}
            assert {point.interpolation for point in curve.keyframe_points} == {"LINEAR"}
        assert all(ship.id_properties_ui(name).as_dict()["description"] for name in NAMES)
    starts = {round(values(ship, "steering_phase")[0], 3) for ship in ships}
    assert len(starts) == 3


def test_the_first_frame_has_the_start_speed_and_one_that_is_not_active_stands() -> None:
    ship, other = flock(2)
    ship.steering.start_speed = 0.4
    other.steering.active = False
    bake()
    assert values(ship, "steering_speed")[0] == pytest.approx(2.0)
    assert not values(other, "steering_speed").any()
    assert not values(other, "steering_distance").any()
    assert np.ptp(values(other, "steering_phase")) == 0.0


def strides(ob) -> np.ndarray:
    """(f - 1,) the distance of one cycle on each frame but the first."""
    return np.diff(values(ob, "steering_distance")) / np.diff(values(ob, "steering_phase"))


def test_a_vehicle_on_a_scaled_parent_takes_longer_strides() -> None:
    ship = bird(stride=1.0)
    deck = empty("Deck")
    insert(deck, "scale", {1: (1.5, 1.5, 1.5), 20: (3.0, 3.0, 3.0)})
    ship.parent = deck
    bake()
    np.testing.assert_allclose(strides(ship), np.linspace(1.5, 3.0, LAST)[1:], rtol=1e-3)


def rigged_man(name: str, x: float):
    """A man 1.8 m tall: a rig with a spine and an arm, and a skin that both deform. The vehicle is the rig."""
    rig = armature(name, Spine=((0, 0, 0), (0, 0, 1.8)), Arm=((0.2, 0, 1.4), (0.9, 0, 1.4)))
    rig.location.x = x
    body = [(x, y, z) for x in (-0.2, 0.2) for y in (-0.15, 0.15) for z in (0.0, 1.8)]
    arm = [(x, y, z) for x in (0.3, 0.9) for y in (-0.05, 0.05) for z in (1.35, 1.45)]
    skin = meshed(f"{name} Skin", body + arm)
    skin.parent = rig
    skin.vertex_groups.new(name="Spine").add(range(8), 1.0, "REPLACE")
    skin.vertex_groups.new(name="Arm").add(range(8, 16), 1.0, "REPLACE")
    skin.modifiers.new("Armature", "ARMATURE").object = rig
    return rig


def posed_men() -> list:
    """Six equal men: as they are, with the arm raised, mid-stride, bowing, with a suitcase, and with a hat."""
    men = [rigged_man(f"Man {k}", 4.0 * k) for k in range(6)]
    for man, bone, turn in ((men[1], "Arm", 1.5), (men[2], "Spine", 0.4), (men[3], "Spine", 1.4)):
        man.pose.bones[bone].rotation_mode = "XYZ"
        man.pose.bones[bone].rotation_euler = (turn, 0.0, turn)
    for man, bone in ((men[4], "Arm"), (men[5], "Spine")):
        thing = wedge(f"{man.name} Thing", location=(0.0, 0.2, 0.3), size=0.8)
        thing.parent, thing.parent_type, thing.parent_bone = man, "BONE", bone
    bpy.context.view_layer.update()
    return men


def test_equal_men_stride_alike_and_are_equally_wide_whatever_they_carry_and_however_they_are_posed() -> None:
    frames(1, LAST)
    men = posed_men()
    raised = men[1].children[0].evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    assert max(vertex.co.z for vertex in raised.vertices) > 2.0, "the pose deforms the man"
    press("tag", *men, role="VEHICLE", moves_like="PERSON")
    portray(men[0].steering.crowd, stride=1.08)
    bake()
    assert {man.steering.size_factor for man in men} == {1.0}
    assert men[0].steering.crowd.steering.vehicle.radius == pytest.approx(0.35)
    for man in men:
        np.testing.assert_allclose(strides(man), 1.08, rtol=1e-3)


def test_copies_of_a_model_stride_alike_although_drivers_move_their_parts() -> None:
    frames(1, LAST)
    walkers = [wedge(f"Walker {k}", location=(4.0 * k, 0.0, 0.0), size=1.0) for k in range(4)]
    for k, walker in enumerate(walkers):
        head = wedge(f"Head {k}", location=(0.0, 0.0, 1.5), size=0.2)
        head.parent = walker
        head.location.z += 0.005 * k
    walkers[3].scale = (1.01, 1.01, 1.01)
    bpy.context.view_layer.update()
    people = crowd("People", wander={})
    press("tag", *walkers, people, role="VEHICLE")
    portray(people, stride=1.0)
    bake()
    assert len({walker.steering.height for walker in walkers}) == 1
    for walker, scale in zip(walkers, (1.0, 1.0, 1.0, 1.01)):
        np.testing.assert_allclose(strides(walker), scale, rtol=1e-3)


def test_the_unmirrored_half_of_a_rigged_body_is_measured_with_its_mirror_image() -> None:
    man = rigged_man("Man", 0.0)
    skin = man.children[0]
    for vertex in skin.data.vertices:
        vertex.co.x = max(vertex.co.x, 0.0)
    skin.modifiers.new("Mirror", "MIRROR")
    bpy.context.view_layer.update()
    family = part("blender.objects.hierarchy").Family()
    body = part("blender.objects.body_sizes").Body.of(man, bpy.context.evaluated_depsgraph_get(), family)
    assert body.points[:, 0].min() == pytest.approx(-0.9) and body.points[:, 0].max() == pytest.approx(0.9)


def test_the_effort_is_keyed_where_wings_beat_and_goes_with_the_bake() -> None:
    ship = bird(phase_by="TIME", glide_share=0.4, glide_time=0.2)
    bake()
    effort = values(ship, "steering_effort")
    assert np.isfinite(effort).all() and effort.min() >= 0.0 and np.ptp(effort) > 0.1
    portray(bpy.data.objects["Flock"], phase_by="DISTANCE")
    bake()
    assert "steering_effort" not in ship, "By distance there are no bursts."
    portray(bpy.data.objects["Flock"], phase_by="TIME")
    bake()
    clear_bake()
    assert not set((*NAMES, "steering_effort")) & set(ship.keys())


@sampled(one_of=4)
@pytest.mark.parametrize("baked_before", [False, True])
@pytest.mark.parametrize(
    "value", [0.25, 3, True, "glide", [1.0, 2.0], [1, 2, 3], {"left": 1, "right": 2.5}], ids=lambda v: type(v).__name__
)
def test_a_property_of_the_animator_is_restored(value, baked_before) -> None:
    ship = bird()
    if baked_before:
        portray(bpy.data.objects["Flock"], use=False)
        bake()
        portray(bpy.data.objects["Flock"])
    ship["steering_phase"] = value
    if type(value) in (int, float):
        ship.id_properties_ui("steering_phase").update(min=-1, max=4, soft_max=4, description="Of the wings")
    elif isinstance(value, str):
        ship.id_properties_ui("steering_phase").update(description="Of the wings")
    shown = None if isinstance(value, dict) else ship.id_properties_ui("steering_phase").as_dict()
    before = scene_dump()
    bake()
    assert isinstance(ship["steering_phase"], float)
    for frame in at_frames((LAST, 1)):  # Limits the animator set do not hold the new one.
        assert ship["steering_phase"] == pytest.approx(values(ship, "steering_phase")[frame - 1])
    bake()
    clear_bake()
    if not baked_before:
        assert_same(before, scene_dump())
    now = ship["steering_phase"]
    now = now.to_dict() if isinstance(value, dict) else now.to_list() if isinstance(value, list) else now
    assert now == value
    assert type(now) is type(value)
    if shown is not None:
        assert ship.id_properties_ui("steering_phase").as_dict() == shown
    assert not {"steering_speed", "steering_distance"} & set(ship.keys())


def own_keys(ship) -> str:
    beat(ship, {5: 0.0, 9: 1.0})
    return r"keys on steering_phase \(frames 5 to 9\)"


def own_driver(ship) -> str:
    ship["steering_speed"] = 1.0
    drive(ship, '["steering_speed"]', "3.0")
    return "a driver on steering_speed"


def own_strip(ship) -> str:
    beat(ship, {5: 0.0, 9: 1.0})
    strip_of_own_action(ship, "Flap")
    return "the NLA strip Flap"


@pytest.mark.parametrize("stored", [own_keys, own_driver, own_strip], ids=lambda stored: stored.__name__)
def test_own_animation_of_these_properties_is_refused_by_name_or_set_aside_until_the_bake_is_deleted(stored) -> None:
    ship = bird()
    what = stored(ship)
    bpy.context.scene.frame_set(1)
    before = scene_dump()
    refuses("bake", f"Ship 0 has {what} of its own")
    bake(replace_own_keys=True)
    assert len(values(ship, "steering_phase")) == LAST
    bpy.context.scene.frame_set(12)
    assert ship["steering_phase"] == pytest.approx(values(ship, "steering_phase")[11])
    assert ship["steering_speed"] == pytest.approx(values(ship, "steering_speed")[11])
    bake()
    bpy.context.scene.frame_set(1)
    clear_bake()
    assert_same(before, scene_dump())


@pytest.mark.parametrize("stored", [own_keys, own_driver, own_strip], ids=lambda stored: stored.__name__)
def test_own_animation_of_these_properties_is_ignored_while_they_are_not_keyed(stored) -> None:
    ship = bird(use=False)
    stored(ship)
    bpy.context.scene.frame_set(1)
    before = scene_dump()
    bake()
    clear_bake()
    assert_same(before["actions"], scene_dump()["actions"])


def test_own_keys_on_other_frames_survive_and_keep_the_property() -> None:
    ship = bird()
    beat(ship, {LAST + 10: 4.0, LAST + 20: 8.0})
    bpy.context.scene.frame_set(1)
    before = scene_dump()
    bake()
    bpy.context.scene.frame_set(LAST + 15)
    assert ship["steering_phase"] == pytest.approx(6.0)
    bpy.context.scene.frame_set(1)
    clear_bake()
    assert_same(before, scene_dump())


def test_a_property_read_by_a_driver_stays_when_the_bake_is_deleted() -> None:
    ship = bird()
    wing = hang_wing(ship)
    bake()
    clear_bake()
    assert [name for name in NAMES if name in ship] == ["steering_phase"]
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(5)
    assert wing.animation_data.drivers[0].driver.is_valid
    kept = scene_dump()
    bake()
    np.testing.assert_allclose(turns(wing), 0.5 * values(ship, "steering_phase"), rtol=1e-5)
    bpy.context.scene.frame_set(5)
    clear_bake()
    bpy.context.view_layer.update()
    assert_same(kept, scene_dump())


def test_a_property_read_by_a_driver_stays_when_it_is_no_longer_keyed() -> None:
    ship = bird()
    wing = hang_wing(ship, by="steering_speed")
    bake()
    portray(bpy.data.objects["Flock"], use=False)
    bake()
    assert [name for name in NAMES if name in ship] == ["steering_speed"]
    bpy.context.scene.frame_set(5)
    assert wing.animation_data.drivers[0].driver.is_valid


def test_drivers_in_materials_and_shape_keys_are_found_too() -> None:
    ships = flock(3)
    glow = bpy.data.materials.new("Glow")
    if glow.node_tree is None:
        glow.use_nodes = True
    node = glow.node_tree.nodes.new("ShaderNodeValue")
    variable = node.outputs[0].driver_add("default_value").driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = ships[0], '["steering_speed"]'
    ships[1].shape_key_add(name="Basis")
    drive(ships[1].data.shape_keys, 'key_blocks["Basis"].value', "d", d=(ships[1], '["steering_distance"]'))
    bake()
    clear_bake()
    left = [[name for name in NAMES if name in ship] for ship in ships]
    assert left == [["steering_speed"], ["steering_distance"], []]


def read_obstacles() -> np.ndarray:
    """(f, k, 6) where a bake would see the ends of the obstacles."""
    obstacles = [snapshot.obstacles for snapshot in snapshots()]
    return np.array([np.concatenate((each.start, each.end), axis=1) for each in obstacles])


def test_a_wing_that_is_an_obstacle_is_accepted_and_read_at_rest_by_every_bake() -> None:
    ship = bird()
    wing = obstacle(name="Wing", location=(8.0, 0.0, 0.0), scale=(5.0, 1.0, 1.0))
    wing.parent = ship
    ship["steering_phase"] = 0.75
    ship.update_tag()
    drive(wing, "rotation_euler", "0.5 * p", index=2, p=(ship, '["steering_phase"]'))
    first = read_obstacles()
    assert (first == first[0]).all()
    bake()
    known = keys(ship)
    for frame in at_frames((12, 1)):
        np.testing.assert_allclose(read_obstacles(), first, atol=1e-6)
        assert ship["steering_phase"] == pytest.approx(values(ship, "steering_phase")[frame - 1])
    bake()
    assert keys(ship) == known


def test_an_object_that_depends_on_the_phase_of_a_vehicle_but_is_not_its_part_is_refused_by_name() -> None:
    ship = bird()
    wall = obstacle(name="Wall", location=(0.0, 30.0, 0.0))
    ship["steering_distance"] = 0.0
    drive(wall, "location", "d", index=0, d=(ship, '["steering_distance"]'))
    refuses("bake", "Wall depends on the vehicle Ship 0 through a driver of location")


def link_an_override(tmp_path, *, prepared: bool):
    """A library override of a portrayed vehicle; where prepared, its maker gave it the properties."""
    ship = bird()
    if prepared:
        for name in NAMES:
            ship[name] = 0.5
            ship.property_overridable_library_set(f'["{name}"]', True)
    group = bpy.data.collections.new("Set")
    for ob in (ship, bpy.data.objects["Flock"]):
        group.objects.link(ob)
    bpy.context.scene.collection.children.link(group)
    linked = from_library(tmp_path, "collections", "Set")
    frames(1, LAST)
    bpy.context.scene.collection.children.link(linked)
    linked.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
    bpy.context.scene.collection.children.unlink(linked)
    return overridden()


def overridden():
    return next(ob for ob in bpy.context.scene.objects if ob.name.startswith("Ship"))


def test_overrides_are_keyed_saved_and_cleared_where_the_linked_vehicle_has_the_properties(tmp_path, capfd) -> None:
    ship = link_an_override(tmp_path, prepared=True)
    bake()
    assert "Blender does not save" not in capfd.readouterr().out
    reopen(tmp_path / "shot.blend")
    ship = overridden()
    bpy.context.scene.frame_set(7)
    for name in NAMES:
        assert ship[name] == pytest.approx(values(ship, name)[6])
    clear_bake()
    assert [ship[name] for name in NAMES] == [0.5, 0.5, 0.5]


def test_overrides_that_would_lose_the_properties_give_a_warning_and_lose_nothing_else(tmp_path, capfd) -> None:
    ship = link_an_override(tmp_path, prepared=False)
    bake()
    said = capfd.readouterr().out
    assert "Blender does not save steering_speed, steering_distance, steering_phase of library overrides" in said
    bpy.context.scene.frame_set(7)
    assert ship["steering_distance"] == pytest.approx(values(ship, "steering_distance")[6])
    reopen(tmp_path / "shot.blend")
    ship = overridden()
    played = world_matrices(ship, baked_frames())
    bake()
    np.testing.assert_allclose(world_matrices(ship, baked_frames()), played, atol=1e-6)
    clear_bake()
    assert not [name for name in NAMES if name in ship]


@pytest.mark.parametrize(
    ("phase_by", "fields"),
    [
        ("DISTANCE", ["use", "phase_by", "stride", "stride_height", "look"]),
        (
            "TIME",
            ["use", "phase_by", "cycle_time", "effort", "by_speed", "glide_share", "glide_time", "variation", "look"],
        ),
    ],
)
def test_the_panel_shows_what_counts(phase_by, fields) -> None:
    ship = bird(phase_by=phase_by)
    select(ship)
    for look, more in ((False, []), (True, ["look_at", "look_ahead", "look_at_caller"])):
        portray(ship.steering.crowd, look=look)
        assert [name for _, name in shown("STEERING_PT_portrayal")] == [*fields, *more]
