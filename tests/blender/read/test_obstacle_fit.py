"""The shape that tagging gives an obstacle, by what is seen of the object."""

import math

import bpy
import pytest
from mathutils import Vector

from tests.blender.building import empty, frames, link, meshed, put
from tests.blender.dumping import refuses
from tests.blender.read.test_obstacle_shapes import cube, seen
from tests.blender.seen import told
from tests.blender.steered import press, vehicle


def wall(name: str = "Wall", **placed):
    """A unit cube scaled to 4 x 0.2 x 3 m, turned by 30 degrees."""
    return cube(name, **{"rotation": (0.0, 0.0, math.radians(30.0)), "scale": (2.0, 0.1, 1.5), **placed})


def wall_off_its_origin():
    ob = wall()
    for vertex in ob.data.vertices:
        vertex.co += Vector((30.0, -20.0, 10.0))
    return ob


def wall_with_a_door_cut():
    """A door by a modifier: the mesh itself is a wall."""
    ob, hole = wall(rotation=(0.0, 0.0, 0.0)), cube("Hole", scale=(0.5, 1.0, 1.05), location=(0.0, 0.0, -0.5))
    cut = ob.modifiers.new("Cut", "BOOLEAN")
    cut.operation, cut.object, cut.solver = "DIFFERENCE", hole, "EXACT"
    return ob


def plane_made_thick():
    ob = meshed("Sheet", [(0, 0, 0), (4, 0, 0), (4, 0, 3), (0, 0, 3)], [(0, 1, 2, 3)])
    ob.modifiers.new("Thick", "SOLIDIFY").thickness = 0.2
    return ob


def boulder():
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=3, radius=1.5)
    ob = bpy.context.object
    for vertex in ob.data.vertices:
        vertex.co *= 1.0 + 0.1 * math.sin(5.0 * vertex.co.x) * math.cos(4.0 * vertex.co.y)
    return ob


def pillar():
    bpy.ops.mesh.primitive_cylinder_add(radius=0.3, depth=3.0)
    return bpy.context.object


def posts_below_an_empty():
    """Two posts with a way between them, parts of one object."""
    top = empty("Gate")
    for x in (-2.0, 2.0):
        cube("Post", location=(x, 0.0, 1.5), scale=(0.1, 0.1, 1.5)).parent = top
    return top


def instance_of_a_wall():
    shown = bpy.data.collections.new("Shown")
    ob = wall(rotation=(0.0, 0.0, 0.0))
    bpy.context.scene.collection.objects.unlink(ob)
    shown.objects.link(ob)
    instance = empty("Instance", scale=(1.0, 1.0, 1.0))
    instance.instance_type, instance.instance_collection = "COLLECTION", shown
    return instance


def text():
    ob = link(bpy.data.objects.new("Text", bpy.data.curves.new("Text", "FONT")))
    ob.data.body, ob.data.extrude, ob.data.size = "STEER", 0.2, 3.0
    return put(ob, rotation=(math.pi / 2.0, 0.0, 0.0))


def cubic_empty():
    ob = empty("Space")
    ob.empty_display_type = "CUBE"
    return ob


SHAPES = {
    wall: "BOX",
    wall_off_its_origin: "BOX",
    wall_with_a_door_cut: "MESH",
    plane_made_thick: "BOX",
    boulder: "ROUND",
    pillar: "ROUND",
    posts_below_an_empty: "MESH",
    instance_of_a_wall: "BOX",
    text: "MESH",
    cubic_empty: "BOX",
    empty: "ROUND",
}


def tagged(*objects):
    bpy.context.view_layer.update()
    press("tag", *objects, role="OBSTACLE")
    return objects[0]


@pytest.mark.parametrize("made", SHAPES, ids=lambda made: made.__name__)
def test_tagging_takes_the_shape_that_fits(addon, made) -> None:
    assert tagged(made()).steering.obstacle_shape == SHAPES[made]


def test_the_report_says_which_shapes(addon, capfd) -> None:
    tagged(wall("Wall 1"), wall("Wall 2"), boulder())
    said = capfd.readouterr().out
    assert "Icosphere: Round" in said
    assert "Wall 1, Wall 2: Box" in said


def test_what_an_animator_chose_stays(addon) -> None:
    ob = wall()
    ob.steering.obstacle_shape = "ROUND"
    assert tagged(ob).steering.obstacle_shape == "ROUND"
    assert tagged(ob).steering.obstacle_shape == "ROUND"


@pytest.mark.parametrize("roles", [("OBSTACLE", "SURFACE"), ("SURFACE", "OBSTACLE")])
def test_one_that_is_a_surface_too_is_a_mesh_that_is_trodden(addon, roles) -> None:
    """In a box, those who stand on it would be in it."""
    frames(1, 2)
    vehicle()
    ob = wall()
    for role in roles:
        press("tag", ob, role=role)
    assert ob.steering.obstacle_shape == "MESH"
    assert seen()[0].mesh[0].trodden


def test_untagging_forgets_it_so_that_tagging_measures_again(addon) -> None:
    ob = tagged(wall())
    press("tag", ob, role="RESOURCE")
    bpy.ops.steering.untag(role="OBSTACLE")
    ob.scale = (1.0, 1.0, 1.0)
    assert tagged(ob).steering.obstacle_shape == "BOX"


def test_a_hole_is_a_door_for_those_who_fit_through_it(addon) -> None:
    """The door of 0.6 m is none for people, but one for what is 0.3 m high."""
    ob, hole = wall(), cube("Hole", scale=(0.3, 1.0, 0.3), location=(0.0, 0.0, -1.2))
    ob.rotation_euler = (0.0, 0.0, 0.0)
    cut = ob.modifiers.new("Cut", "BOOLEAN")
    cut.operation, cut.object, cut.solver = "DIFFERENCE", hole, "EXACT"
    assert tagged(ob).steering.obstacle_shape == "BOX"
    bpy.ops.steering.untag(role="OBSTACLE")
    small = cube("Mouse", scale=(0.1, 0.2, 0.15), location=(0.0, -5.0, 0.0))
    bpy.context.view_layer.update()
    press("tag", small, role="VEHICLE", moves_like="ANYTHING")
    assert small.steering.height == pytest.approx(2.0)
    assert tagged(ob).steering.obstacle_shape == "MESH"


def test_an_obstacle_that_covers_far_more_than_its_object_is_to_be_looked_at(addon) -> None:
    ob, door = tagged(wall()), tagged(wall_with_a_door_cut())
    assert not told("COVERS")
    ob.steering.obstacle_shape = "ROUND"
    door.steering.obstacle_shape = "BOX"
    bpy.context.view_layer.update()
    assert told("COVERS") == [
        "Wall covers more than 3 times the volume of the object. Set Shape to Box, not Round",
        "Wall.001 covers a way through. Set Shape to Mesh, not Box",
    ]
    ob.steering.obstacle_side = "INSIDE"
    ob.scale = door.scale = (2.0, 1.5, 1.5)
    door.modifiers.clear()
    bpy.context.view_layer.update()
    assert not told("COVERS")


def room_with_a_corner():
    """A closed room that has the shape of an L."""
    outline = [(0, 0), (4, 0), (4, 1), (1, 1), (1, 4), (0, 4)]
    points = [(x, y, z) for z in (0, 2) for x, y in outline]
    walls = [(k, (k + 1) % 6, (k + 1) % 6 + 6, k + 6) for k in range(6)]
    return meshed("Room", points, [(5, 4, 3, 2, 1, 0), (6, 7, 8, 9, 10, 11), *walls])


def tank_of_glass():
    """Four walls and a floor 5 cm thick, without a lid."""
    points = [(x, y, z) for z in (0, 2) for x, y in ((0, 0), (4, 0), (4, 3), (0, 3))]
    ob = meshed("Tank", points, [(3, 2, 1, 0), *((k, (k + 1) % 4, (k + 1) % 4 + 4, k + 4) for k in range(4))])
    ob.modifiers.new("Thick", "SOLIDIFY").thickness = 0.05
    return ob


def ball():
    bpy.ops.mesh.primitive_uv_sphere_add()
    return put(bpy.context.object, scale=(3.0, 1.0, 1.0))


def plane():
    bpy.ops.mesh.primitive_plane_add()
    return bpy.context.object


@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (wall, "BOX"),
        (tank_of_glass, "BOX"),
        (plane, "BOX"),
        (cubic_empty, "BOX"),
        (empty, "SPHERE"),
        (ball, "SPHERE"),
        (pillar, "MESH"),
        (room_with_a_corner, "MESH"),
    ],
)
def test_a_region_has_the_shape_of_its_inside_until_another_is_chosen(make, shape: str, capfd) -> None:
    ob = make()
    press("tag", ob, role="REGION")
    assert ob.steering.region_shape == shape
    assert f"{ob.name}: {shape.capitalize()}" in capfd.readouterr().out
    ob.steering.region_shape = "BOX"
    bpy.ops.steering.tag(role="REGION")
    assert ob.steering.region_shape == "BOX"


def test_an_obstacle_whose_scale_is_not_a_number_is_refused_by_name() -> None:
    ob = cube("Wall")
    ob.scale = (math.nan, 1.0, 1.0)
    refuses("tag", r"Wall has an invalid transform on frame 1\. Check its keyframes", ob, role="OBSTACLE")
    assert not ob.steering.is_property_set("obstacle_shape")
