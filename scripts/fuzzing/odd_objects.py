"""Objects as no tidy scene has them: every type, empty and degenerate shapes, odd names, sizes and relations."""

import math
from collections.abc import Callable
from pathlib import Path
from random import Random

import bpy

from tests.blender.building import path_curve, wedge
from tests.blender.steered import select

from .extension import blank_file

NAMES = (
    *("{0.__class__}%s%n", "a\nb", "x/y\\z", "N" * 63, "\u202eabc", "\U0001f41f\U0001f480", "' or 1", '["x"]', ".."),
    'a]b"c',
)
"""Names that break a path, a format, a quotation or a line."""
ODD_NUMBERS = (math.nan, math.inf, 1e30, -1e30)
MODES = ("XYZ", "XYZ", "QUATERNION", "AXIS_ANGLE", "ZYX")
SCALES = ((1.0, 1.0, 1.0), (-1.0, 1.0, 1.0), (0.0, 0.0, 0.0), (1.0, 2.0, 0.1), (1e-6, 1.0, 1.0), (1e6, 1e6, 1e6))
CONSTRAINTS = ("COPY_LOCATION", "TRACK_TO", "LIMIT_LOCATION", "CHILD_OF", "FOLLOW_PATH", "DAMPED_TRACK")
MODIFIERS = ("ARRAY", "SOLIDIFY", "SUBSURF", "CLOTH", "COLLISION", "PARTICLE_SYSTEM")
PROPERTIES = ("steering_speed", "steering_phase", "steering_distance")
VALUES = (1.0, 3, "text", [1.0, 2.0], {"a": 1}, True, b"bytes")
ATTRIBUTES = (
    ("id", "INT", (1, 2, 3, -5, 2**31 - 1, -(2**31))),
    ("rotation", "QUATERNION", (0.0, 1.0, -0.3)),
    ("rotation", "FLOAT_VECTOR", (0.0, 1.0, 1e9)),
    ("scale", "FLOAT", (1.0, 1.0, 0.0, -2.0, math.inf)),
    ("scale", "FLOAT_VECTOR", (1.0, 2.0)),
    ("variant", "INT", (0, 1, -3, 99)),
    ("velocity", "FLOAT_VECTOR", (0.0, 2.0, -2.0, math.nan)),
    ("seed", "INT", (0, -4)),
    ("speed_factor", "FLOAT", (1.0, 0.5, -1.0)),
    ("active", "BOOLEAN", (True, False)),
    ("enter_frame", "INT", (1, 4, 9999)),
    ("start_speed", "FLOAT_VECTOR", (0.5,)),
)
"""The names and types of attributes of points, with values; the odd ones among them are refused."""
WIDTHS = {"QUATERNION": 4, "FLOAT_VECTOR": 3}
CORNERS = tuple((x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1))
FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def odd_name(chance: Random, plain: str, oddness: float) -> str:
    """A plain name, or sometimes an odd one."""
    return chance.choice(NAMES) if chance.random() < 0.15 * oddness else plain


def odd_object(chance: Random, number: int, others: list, oddness: float) -> bpy.types.Object:
    """Make an object in the scene, which may depend on earlier ones. `oddness`: how often it has something odd, 0 to
    1."""
    data = _data(chance, oddness)
    ob = bpy.data.objects.new(odd_name(chance, f"Object {number}", oddness), data)
    bpy.context.scene.collection.objects.link(ob)
    _place(ob, chance, oddness)
    if others and chance.random() < 0.2:
        ob.parent = chance.choice(others)
        if ob.parent.type == "MESH" and chance.random() < 0.2 * oddness:
            ob.parent_type = "VERTEX"
    if chance.random() < 0.15 * oddness:
        constraint = ob.constraints.new(chance.choice(CONSTRAINTS))
        if others and hasattr(constraint, "target"):
            constraint.target = chance.choice(others)
    if ob.type == "MESH" and chance.random() < 0.1 * oddness:
        ob.modifiers.new("Modifier", chance.choice(MODIFIERS))
    if ob.type == "MESH" and chance.random() < 0.1 * oddness:
        _shape_keys(ob, chance)
    if ob.type == "EMPTY" and bpy.data.collections and chance.random() < 0.2 * oddness:
        ob.instance_type, ob.instance_collection = "COLLECTION", chance.choice(list(bpy.data.collections))
    if chance.random() < 0.2 * oddness:
        ob[chance.choice(PROPERTIES)] = chance.choice((*VALUES, ob))
    if chance.random() < 0.06 * oddness:
        ob.hide_viewport = True
    if chance.random() < 0.06 * oddness:
        ob.hide_set(True)
    # Blender crashes where an armature loses its action before it was evaluated once: docs/blender_traps.md.
    bpy.context.view_layer.update()
    return ob


def odd_points(chance: Random, oddness: float) -> bpy.types.Object:
    """Make an object of points, which may have any attributes of points that are vehicles, also such as are nowhere."""
    mesh, number = bpy.data.meshes.new("Points"), chance.choice((0, 1, 2, 12))
    mesh.from_pydata([[chance.uniform(-8.0, 8.0) for _ in range(3)] for _ in range(number)], [], [])
    for name, kind, values in ATTRIBUTES:
        if chance.random() < 0.4:
            # Blender refuses some types under names that it uses itself.
            attribute = mesh.attributes.new(name, kind, "POINT")
            for point in attribute.data if attribute is not None else ():
                given = [chance.choice(values) for _ in range(WIDTHS.get(kind, 1))]
                setattr(point, "vector" if kind == "FLOAT_VECTOR" else "value", given if len(given) > 1 else given[0])
    if number and chance.random() < 0.1 * oddness:
        mesh.vertices[0].co[chance.randrange(3)] = chance.choice(ODD_NUMBERS)
    ob = bpy.data.objects.new(odd_name(chance, "Points", oddness), mesh)
    _place(ob, chance, oddness)
    if chance.random() < 0.2 * oddness:
        ob.modifiers.new("Modifier", chance.choice(("ARRAY", "SUBSURF", "PARTICLE_SYSTEM")))
    return ob


def _place(ob: bpy.types.Object, chance: Random, oddness: float) -> None:
    ob.location = [chance.uniform(-8.0, 8.0) for _ in range(3)] if chance.random() < 0.9 else (0.0, 0.0, 0.0)
    ob.rotation_mode = chance.choice(MODES)
    if chance.random() < 0.5:
        ob.rotation_euler = [chance.uniform(-3.0, 3.0) for _ in range(3)]
    if chance.random() < 0.25 * oddness:
        ob.scale = chance.choice(SCALES)
    if chance.random() < 0.1 * oddness:
        ob.rotation_quaternion = (0.0, 0.0, 0.0, 0.0)
    if chance.random() < 0.04 * oddness:
        ob.location[chance.randrange(3)] = chance.choice(ODD_NUMBERS)
    if chance.random() < 0.05:
        ob.lock_location[0] = True


def _shape_keys(ob: bpy.types.Object, chance: Random) -> None:
    ob.shape_key_add(name="Basis")
    key = ob.shape_key_add(name="Key")
    key.value = 0.5
    if chance.random() < 0.5:
        key.keyframe_insert("value", frame=3)


def _data(chance: Random, oddness: float) -> bpy.types.ID | None:
    """Data of a random type: a mesh mostly, nothing for an Empty."""
    if chance.random() > 0.35 * oddness:
        return chance.choice((_box, _box, _box, _curve, lambda *_: None))(chance, oddness)
    return chance.choice(RARE)(chance, oddness)


def _box(chance: Random, oddness: float) -> bpy.types.Mesh:
    mesh = bpy.data.meshes.new("Box")
    half = chance.choice((1e-9, 1e4, 5.0)) if chance.random() < 0.2 * oddness else 0.3
    mesh.from_pydata([tuple(half * x for x in corner) for corner in CORNERS], [], FACES)
    if chance.random() < 0.15:
        mesh.color_attributes.new("Color", "FLOAT_COLOR", "POINT")
    return mesh


def _flat(chance: Random, oddness: float) -> bpy.types.Mesh:
    """A mesh whose points coincide, or are infinite or not a number."""
    mesh = bpy.data.meshes.new("Flat")
    last = chance.choice((0.0, *ODD_NUMBERS))
    mesh.from_pydata([(0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (last, 0.0, 0.0)], [(0, 1)], [(0, 1, 2)])
    return mesh


def _curve(chance: Random, oddness: float) -> bpy.types.Curve:
    curve = bpy.data.curves.new("Curve", "CURVE")
    curve.dimensions = chance.choice(("2D", "3D"))
    for _ in range(chance.choice((0, 1, 1, 2)) if chance.random() < oddness else 1):
        _spline(curve, chance, oddness)
    return curve


def _spline(curve: bpy.types.Curve, chance: Random, oddness: float) -> None:
    spline = curve.splines.new(chance.choice(("POLY", "NURBS", "BEZIER")))
    spline.use_cyclic_u = chance.random() < 0.3
    knots = spline.bezier_points if spline.type == "BEZIER" else spline.points
    number = chance.choice((1, 2, 4, 8)) if chance.random() < oddness else 4
    knots.add(number - 1)
    coincident = chance.random() < 0.15 * oddness
    for k, knot in enumerate(knots):
        place = (0.0, 0.0, 0.0) if coincident else (3.0 * k, chance.uniform(-3.0, 3.0), 0.0)
        if spline.type == "BEZIER":
            knot.co, knot.handle_left_type, knot.handle_right_type = place, "AUTO", "AUTO"
        else:
            knot.co = (*place, chance.choice((0.0, -1.0, 5.0)) if chance.random() < 0.1 * oddness else 1.0)
        if chance.random() < 0.03 * oddness:
            knot.co[0] = math.nan


def _made(make: Callable[[], bpy.types.ID]) -> Callable[[Random, float], bpy.types.ID]:
    return lambda chance, oddness: make()


def _text() -> bpy.types.Curve:
    text = bpy.data.curves.new("Text", "FONT")
    text.body = "Text"
    return text


def _ball() -> bpy.types.MetaBall:
    ball = bpy.data.metaballs.new("Ball")
    ball.elements.new()
    return ball


RARE = (
    *(_flat, _curve, _made(_text), _made(_ball)),
    *(
        _made(lambda: getattr(bpy.data, "grease_pencils_v3", bpy.data.grease_pencils).new("Strokes")),
        _made(lambda: bpy.data.meshes.new("Empty Mesh")),
        _made(lambda: bpy.data.lights.new("Light", "POINT")),
        _made(lambda: bpy.data.cameras.new("Camera")),
        _made(lambda: bpy.data.volumes.new("Volume")),
        _made(lambda: bpy.data.lattices.new("Lattice")),
        _made(lambda: bpy.data.speakers.new("Speaker")),
        _made(lambda: bpy.data.armatures.new("Armature")),
    ),
)
IN_LIBRARY = ("Library Body", "Library Vehicle", "Library Path")
"""The objects of a library file from which odd scenes link some, with and without overrides."""


def make_library(path: Path) -> None:
    """Write the library: an untagged object, a vehicle with a key, and a curve."""
    blank_file()
    wedge(IN_LIBRARY[0])
    vehicle = wedge(IN_LIBRARY[1])
    path_curve(IN_LIBRARY[2])
    select(vehicle)
    bpy.ops.steering.tag(role="VEHICLE", moves_like="ANYTHING")
    vehicle.keyframe_insert("location", frame=-100)
    bpy.ops.wm.save_as_mainfile(filepath=str(path), check_existing=False)
    blank_file()


def linked_object(path: Path, chance: Random) -> bpy.types.Object:
    """Link an object of the library into the scene; mostly with an override."""
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        wanted.objects = [chance.choice(IN_LIBRARY)]
    ob = wanted.objects[0]
    _show(ob)
    if chance.random() < 0.6:
        overridden = ob.override_create(remap_local_usages=True)
        if overridden is not None:
            _show(overridden)
            return overridden
    return ob


def _show(ob: bpy.types.Object) -> None:
    objects = bpy.context.scene.collection.objects
    if ob.name_full not in {each.name_full for each in objects}:
        objects.link(ob)
