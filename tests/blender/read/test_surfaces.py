"""Surfaces as Blender has them: what a crowd on foot stands on, whatever makes its shape and moves it."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Vector
from mathutils.bvhtree import BVHTree

from tests.blender.building import at_frames, frames, link, meshed, part
from tests.blender.seen import baked_frames, snapshots
from tests.blender.steered import bake, crowd, tag, vehicle
from tests.sampling import sampled

LAST = 20


def hill(name: str = "Hill", side: float = 40.0, cells: int = 40, height: float = 2.0, **placed):
    """A grid with a round hill in its middle."""
    x = np.linspace(-side / 2.0, side / 2.0, cells + 1)
    points = [(a, b, height * math.exp(-(a * a + b * b) / 80.0)) for a in x for b in x]
    corner = [row * (cells + 1) + k for row in range(cells) for k in range(cells)]
    return meshed(name, points, [(a, a + cells + 1, a + cells + 2, a + 1) for a in corner], **placed)


def walkers(*places, kind: str = "ON_FOOT", **settings):
    group = crowd(wander={}, seek={"weight": 0.0})
    group.steering.locomotion = kind
    for name, value in settings.items():
        setattr(group.steering.on_foot, name, value)
    made = [vehicle(name=f"Walker {k}", location=place, crowd=group, start_speed=0.8) for k, place in enumerate(places)]
    for ob in made:
        ob.steering.origin_height = 0.0
    return made


def heights(surface, objects) -> np.ndarray:
    """How high the origins of objects are above an evaluated surface straight below or above, frame by frame."""
    gaps = []
    for frame in baked_frames():
        bpy.context.scene.frame_set(int(frame))
        depsgraph = bpy.context.evaluated_depsgraph_get()
        evaluated = surface.evaluated_get(depsgraph)
        tree = BVHTree.FromObject(evaluated, depsgraph)
        inverse = evaluated.matrix_world.inverted()
        row = []
        for ob in objects:
            place = ob.evaluated_get(depsgraph).matrix_world.translation
            start, end = (inverse @ (place + Vector((0.0, 0.0, z))) for z in (3.0, -3.0))
            hit = tree.ray_cast(start, end - start)[0]
            row.append(np.nan if hit is None else place.z - (evaluated.matrix_world @ hit).z)
        gaps.append(row)
    return np.array(gaps)


PLACES = [(x, y, 1.0) for x in (-6.0, 0.0, 6.0) for y in (-6.0, 0.0, 6.0)]


def still(ob) -> None:
    pass


def subdivided(ob) -> None:
    ob.modifiers.new("Finer", "SUBSURF").levels = 1
    ob.modifiers.new("Waves", "WAVE").height = 0.3


def moving(ob) -> None:
    for frame, x in ((1, 0.0), (LAST, 3.0)):
        ob.location.x = x
        ob.keyframe_insert("location", frame=frame)


def turning(ob) -> None:
    for frame, angle in ((1, 0.0), (LAST, 0.4)):
        ob.rotation_euler = (0.1 * angle, 0.0, angle)
        ob.keyframe_insert("rotation_euler", frame=frame)


def on_a_lorry(ob) -> None:
    lorry = link(bpy.data.objects.new("Lorry", None))
    ob.parent = lorry
    moving(lorry)


def morphed(ob) -> None:
    ob.shape_key_add(name="Basis")
    key = ob.shape_key_add(name="Higher")
    for point in key.data:
        point.co.z *= 1.5
    for frame, value in ((1, 0.0), (LAST, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)


def mirrored(ob) -> None:
    ob.scale.x = -1.0


def uneven(ob) -> None:
    ob.scale = (1.3, 0.8, 0.7)


@sampled(one_of=8)
@pytest.mark.parametrize("change", [morphed, on_a_lorry, uneven, mirrored, still, subdivided, moving, turning])
def test_walkers_stand_on_the_surface_on_every_key(change) -> None:
    frames(1, LAST, fps=12)
    surface = tag(hill(), role="SURFACE")
    change(surface)
    objects = walkers(*PLACES)
    bake()
    above = heights(surface, objects)
    assert np.abs(above).max() < 1e-3
    ways = [np.ptp(np.array([ob.matrix_world.translation for ob in objects]), axis=0)]
    assert np.max(ways) > 1.0


def test_a_surface_that_stays_is_read_once_and_one_that_moves_on_each_frame() -> None:
    frames(1, 10)
    tag(hill("Ground"), role="SURFACE")
    lorry = tag(hill("Bed", side=2.0, cells=2, height=0.0, location=(0.0, 0.0, 30.0)), role="SURFACE")
    moving(lorry)
    walkers(*PLACES[:2])
    read = [snapshot.surfaces for snapshot in snapshots()]
    assert len({id(each.layers[0]) for each in read}) == 1
    assert len({id(each.layers[1]) for each in read}) == len(read)
    assert len({id(each.layers[1].floor.begin) for each in read}) > 1


def test_a_deck_on_a_lorry_carries_who_stands_on_it_from_the_first_frame_on() -> None:
    frames(1, 6)
    tag(hill("Ground", height=0.0, cells=2, location=(0.0, 0.0, -9.0)), role="SURFACE")
    deck = tag(hill("Deck", side=6.0, height=0.0, cells=4), role="SURFACE")
    on_a_lorry(deck)
    (walker,) = walkers((0.0, 0.0, 0.0))
    walker.steering.start_speed = 0.0
    walker.steering.crowd.steering.wander.use = False
    bake()
    for _ in at_frames(range(1, 7)):
        assert walker.matrix_world.translation.x == pytest.approx(deck.matrix_world.translation.x, abs=1e-3)


def test_a_surface_with_other_faces_on_each_frame_leaves_the_others_as_they_are() -> None:
    frames(1, 5)
    tag(hill("Ground"), role="SURFACE")
    floe = tag(hill("Floe", side=4.0, cells=6), role="SURFACE")
    melting = floe.modifiers.new("Melting", "DECIMATE")
    for frame, ratio in ((1, 1.0), (5, 0.2)):
        melting.ratio = ratio
        melting.keyframe_insert("ratio", frame=frame)
    walkers(*PLACES[:2])
    read = [snapshot.surfaces for snapshot in snapshots()]
    ground = [[layer for layer in each.layers if layer.surfaces == (1,)] for each in read]
    assert len({id(layer) for (layer,) in ground}) == 1
    numbers = [len(layer.floor.triangles) for each in read for layer in each.layers if layer.surfaces == (0,)]
    assert numbers == sorted(numbers, reverse=True) and numbers[0] > numbers[-1]


def test_nothing_is_read_for_crowds_that_do_not_stand_on_surfaces() -> None:
    frames(1, 5)
    tag(hill(), role="SURFACE")
    walkers(*PLACES[:2], kind="PLANAR")
    assert part("blender.read.plan").plan_reading(bpy.context.scene).surfaces == ()


def test_a_model_with_its_origin_in_its_middle_stands_on_its_lowest_point() -> None:
    frames(1, 5)
    surface = tag(hill(), role="SURFACE")
    bpy.ops.mesh.primitive_monkey_add(size=1.0, location=(3.0, 3.0, 1.0))
    monkey = bpy.context.object
    group = crowd(wander={})
    group.steering.locomotion = "ON_FOOT"
    tag(monkey, role="VEHICLE")
    monkey.steering.crowd = group
    lowest = -min(vertex.co.z for vertex in monkey.data.vertices)
    assert monkey.steering.origin_height == pytest.approx(lowest)
    monkey.scale = (1.5, 1.5, 1.5)
    bake()
    assert np.abs(heights(surface, [monkey]) - 1.5 * lowest).max() < 1e-3


def test_a_rig_that_stands_on_its_origin_stays_on_it() -> None:
    body = part("blender.objects.body_sizes").Body
    points = np.array([[0.0, 0.0, -0.02], [0.3, 0.2, 1.8]])
    assert body(points, np.eye(3)).origin_height("POS_Z") == 0.0
    assert body(points + np.array((0.0, 0.0, 0.5)), np.eye(3)).origin_height("POS_Z") == 0.0
    assert body(points - np.array((0.0, 0.0, 0.9)), np.eye(3)).origin_height("POS_Z") == pytest.approx(0.92)
    assert body(points - np.array((0.0, 0.0, 0.9)), np.eye(3)).origin_height("NEG_Z") == pytest.approx(0.9)


def test_a_vehicle_cannot_be_a_surface_nor_a_surface_a_vehicle() -> None:
    suits, role = part("blender.objects.focus").suits, part("simulation.roles").Role
    surface, (walker,) = tag(hill(), role="SURFACE"), walkers((0.0, 0.0, 1.0))
    assert not suits(surface, role.VEHICLE) and not suits(walker, role.SURFACE)


def test_populate_makes_its_place_a_surface_and_lets_members_walk_on_it() -> None:
    surface = hill()
    bpy.ops.mesh.primitive_cube_add(size=0.5)
    model = bpy.context.object
    for ob in bpy.context.view_layer.objects:
        ob.select_set(ob in (surface, model))
    bpy.context.view_layer.objects.active = model
    assert bpy.ops.steering.populate(count=5, moves_like="PERSON", place=surface.name, arrangement="SURFACE") == {
        "FINISHED"
    }
    group = bpy.context.object
    assert "SURFACE" in surface.steering.roles
    assert group.steering.locomotion == "ON_FOOT"
    group.steering.locomotion = "PLANAR"
    assert bpy.ops.steering.populate(count=6) == {"FINISHED"}
    assert group.steering.locomotion == "PLANAR", "what was chosen since is kept"


def test_a_surface_that_is_only_made_finer_by_modifiers_is_read_once() -> None:
    frames(1, 6)
    fine, wavy = tag(hill("Fine"), role="SURFACE"), tag(hill("Wavy", location=(0.0, 0.0, 20.0)), role="SURFACE")
    fine.modifiers.new("Finer", "SUBSURF").levels = 1
    fine.modifiers.new("Thick", "SOLIDIFY")
    wavy.modifiers.new("Waves", "WAVE").height = 0.3
    walkers(*PLACES[:2])
    read = [snapshot.surfaces for snapshot in snapshots()]
    assert len({id(each.layers[0]) for each in read}) == 1
    assert len({id(each.layers[1]) for each in read}) == len(read)


@pytest.mark.parametrize("kept", ["modifier", "face"])
def test_a_bake_is_out_of_date_when_the_faces_of_a_surface_change(kept: str) -> None:
    frames(1, 5)
    surface = tag(hill(cells=4), role="SURFACE")
    walkers((0.0, 0.0, 1.0))
    before = part("blender.read.fingerprint").fingerprint(bpy.context.scene)
    if kept == "modifier":
        surface.modifiers.new("Finer", "SUBSURF").levels = 1
    else:
        mesh = surface.data
        points, faces = [tuple(v.co) for v in mesh.vertices], [tuple(f.vertices) for f in mesh.polygons]
        mesh.clear_geometry()
        mesh.from_pydata(points, [], [*faces[1:], faces[0][::-1]])
    assert part("blender.read.fingerprint").fingerprint(bpy.context.scene) != before


def test_a_part_of_a_vehicle_is_no_still_ground_for_feet(addon) -> None:
    """Its pose on the screen, which the bake before made, would decide where feet are planted."""
    ob = vehicle(crowd=crowd())
    skin = hill("Skin")
    skin.parent = ob
    tag(skin, role="SURFACE")
    static_ground = part("blender.read.surfaces").static_ground
    assert static_ground(bpy.context.scene) is None
    skin.parent = None
    assert static_ground(bpy.context.scene) is not None


def test_feet_stand_on_no_surface_that_the_scene_does_not_use() -> None:
    """Bodies do not walk on it, either."""
    surface = tag(hill(), role="SURFACE")
    away = bpy.data.collections.new("Away")
    bpy.context.scene.collection.children.link(away)
    away.objects.link(surface)
    bpy.context.scene.collection.objects.unlink(surface)
    static_ground = part("blender.read.surfaces").static_ground
    assert static_ground(bpy.context.scene) is not None
    bpy.context.view_layer.layer_collection.children["Away"].exclude = True
    bpy.context.view_layer.update()
    assert static_ground(bpy.context.scene) is None
