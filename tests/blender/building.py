"""Small scenes for tests in Blender, and what is read of them.

Scenes are built with the public operators and properties, as in an animator's script.
"""

import importlib
import math
import os
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
MODULE = f"bl_ext.user_default.{tomllib.loads((ROOT / 'blender_manifest.toml').read_text(encoding='utf-8'))['id']}"
SLOTTED = "slots" in bpy.types.Action.bl_rna.properties


def part(name: str) -> ModuleType:
    """A module of the extension under test, for example `part("blender.read.plan")`."""
    return importlib.import_module(f"{MODULE}.steering_addon.{name}")


def in_another_blender(script: str, user: Path | None = None, **values) -> str:
    """Run a script, formatted with values, in a Blender process of its own, and return what it prints.

    Args:
        user: the folder of the user's resources, by default that of this process.
    """
    process = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script).format(**values)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **({} if user is None else {"BLENDER_USER_RESOURCES": str(user)})},
    )
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


def from_library(folder: Path, kind: str, name: str, *, linked: bool = True):
    """Save the file, open an empty one, and link a datablock of the saved file there, or append it; returns it.

    Args:
        kind: its collection in bpy.data, for example "objects".
    """
    path = str(folder / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(path, link=linked) as (_, wanted):
        setattr(wanted, kind, [name])
    return getattr(wanted, kind)[0]


# ---- building


def frames(first: int, last: int, fps: int | None = None) -> None:
    """Set the scene's frame range, and its frame rate if one is given, and go to its first frame."""
    scene = bpy.context.scene
    if fps is not None:
        scene.render.fps = fps
    scene.frame_start, scene.frame_end = min(first, last), last
    scene.frame_start = first
    scene.frame_set(first)


def at_frames(over: Iterable[int]) -> Iterator[int]:
    """Go to these frames, one after the other."""
    for frame in over:
        bpy.context.scene.frame_set(frame)
        yield frame


def reopen(path: Path) -> None:
    """Save the file there and open it again."""
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path))


def put(ob, location=(0.0, 0.0, 0.0), rotation=(0.0, 0.0, 0.0), scale=(1.0, 1.0, 1.0)):
    """Set the transforms of an object; the rotation is in XYZ Euler angles."""
    ob.location, ob.rotation_euler, ob.scale = location, rotation, scale
    return ob


def link(ob):
    bpy.context.scene.collection.objects.link(ob)
    return ob


def empty(name: str = "Empty", location=(0.0, 0.0, 0.0), **placed):
    return put(link(bpy.data.objects.new(name, None)), location, **placed)


def meshed(name: str, points, faces=(), edges=(), **placed):
    """An object with a mesh of these points."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, edges, faces)
    return put(link(bpy.data.objects.new(name, mesh)), **placed)


def wedge(name: str = "Ship", location=(0.0, 0.0, 0.0), size: float = 0.3, **placed):
    """A mesh object whose farthest point is `size` from its origin, longer along Y than wide."""
    corners = size * np.array([(0.0, 1.0, 0.0), (-0.4, -0.6, 0.0), (0.4, -0.6, 0.0), (0.0, -0.6, 0.3)])
    return meshed(name, corners.tolist(), [(0, 1, 2), (0, 1, 3), (0, 2, 3)], location=location, **placed)


def sphere(name: str = "Ball", location=(0.0, 0.0, 0.0), radius: float = 1.0, **placed):
    """A mesh whose vertices are spread over a sphere."""
    turns = np.arange(12) * (2.0 * math.pi / 12)
    rings = [(math.cos(tilt), math.sin(tilt)) for tilt in np.linspace(-math.pi / 2, math.pi / 2, 7)]
    points = radius * np.array([(r * math.cos(a), r * math.sin(a), z) for r, z in rings for a in turns])
    return meshed(name, points.tolist(), [(0, 1, 2)], location=location, **placed)


def path_curve(
    name: str = "Road",
    points: Iterable[tuple] = ((0, 0, 0), (0, 10, 0), (0, 20, 0)),
    *,
    kind: str = "POLY",
    cyclic: bool = False,
    **placed,
):
    """A curve object with a single spline of any type."""
    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions = "3D"
    add_spline(curve, points, kind=kind, cyclic=cyclic)
    return put(link(bpy.data.objects.new(name, curve)), **placed)


def add_spline(curve, points, *, kind: str = "POLY", cyclic: bool = False) -> None:
    points = list(points)
    line = curve.splines.new(kind)
    line.use_cyclic_u = cyclic
    if kind == "BEZIER":
        line.bezier_points.add(len(points) - 1)
        for knot, point in zip(line.bezier_points, points):
            knot.co = point
            knot.handle_left_type = knot.handle_right_type = "VECTOR"
        return
    line.points.add(len(points) - 1)
    for knot, point in zip(line.points, points):
        knot.co = (*point, 1.0)
    if kind == "NURBS":
        line.use_endpoint_u = not cyclic
        line.order_u = min(3, len(points))


def select(*objects) -> None:
    """Select only these objects and make the first one active."""
    bpy.context.view_layer.update()
    for ob in bpy.context.view_layer.objects:
        ob.select_set(False)
    for ob in objects:
        ob.select_set(True)
    bpy.context.view_layer.objects.active = objects[0] if objects else None


def press(operator: str, *selected, **settings):
    """Carry out an operator of the extension on objects, with only these selected and the first one active; returns the
    one that is active then."""
    select(*selected)
    assert getattr(bpy.ops.steering, operator)(**settings) == {"FINISHED"}
    return bpy.context.view_layer.objects.active


def tag(*objects, role: str, moves_like: str = "UNCHANGED"):
    """Tag objects with the operator and return the first of them. By default their crowd gets no behaviors."""
    press("tag", *objects, role=role, moves_like=moves_like)
    return objects[0]


def obstacle(ob=None, **made):
    return tag(ob or sphere(**made), role="OBSTACLE")


def points_mesh(name: str, position, **attributes):
    """A mesh of points without edges; attributes are (n,) or (n, k) by name, quaternions have four components."""
    position = np.asarray(position, dtype=np.float32).reshape(-1, 3)
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(position))
    mesh.vertices.foreach_set("co", position.ravel())
    for key, values in attributes.items():
        values = np.asarray(values)
        whole = values.dtype.kind in "iu"
        width = values.shape[1] if values.ndim == 2 else 1
        kind = "INT" if whole else {1: "FLOAT", 3: "FLOAT_VECTOR", 4: "QUATERNION"}[width]
        data = mesh.attributes.new(key, kind, "POINT").data
        values = np.ascontiguousarray(values, np.int32 if whole else np.float32)
        data.foreach_set("vector" if kind == "FLOAT_VECTOR" else "value", values.ravel())
    mesh.update()
    return link(bpy.data.objects.new(name, mesh))


def points(ob=None, *, crowd=None, name: str = "Points", position=((0.0, 0.0, 0.0),), **attributes):
    """An object whose points are vehicles of the crowd, by default the scene's default crowd."""
    ob = ob or points_mesh(name, position, **attributes)
    press("tag", ob, *([crowd] if crowd else []), role="POINTS", moves_like="UNCHANGED")
    return ob


def leader(ob=None, **made):
    return tag(ob or empty(**{"name": "Leader", **made}), role="LEADER")


@contextmanager
def edit_bones(rig) -> Iterator:
    """The bones of an armature, in Edit Mode."""
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    yield rig.data.edit_bones
    bpy.ops.object.mode_set(mode="OBJECT")


def add_bone(rig, name: str, head, tail, above: str = "", **settings) -> None:
    """Add a bone to an armature, below the one named `above`."""
    with edit_bones(rig) as bones:
        bone = bones.new(name)
        bone.head, bone.tail, bone.parent = head, tail, bones.get(above)
        for path, value in settings.items():
            setattr(bone, path, value)


def armature(name: str, **bones):
    """An armature with these bones, each given as to `add_bone`."""
    rig = link(bpy.data.objects.new(name, bpy.data.armatures.new(name)))
    for bone, given in bones.items():
        add_bone(rig, bone, *given)
    return rig


def stairs(steps: int = 12, rise: float = 0.17, tread: float = 0.3, half: float = 10.0):
    """A surface that is level up to y = 0, climbs along y, and is level from there."""
    profile = [(-half, 0.0)]
    for step in range(steps):
        profile += [(tread * step, rise * step), (tread * step, rise * (step + 1))]
    profile.append((half + tread * steps, rise * steps))
    points = [(x, y, z) for y, z in profile for x in (-half, half)]
    faces = [(a, a + 1, a + 3, a + 2) for a in range(0, len(points) - 2, 2)]
    return tag(meshed("Stairs", points, faces), role="SURFACE")


def road(ob=None, **made):
    return tag(ob or path_curve(**made), role="PATH")


def crowd(name: str = "Crowd", **behaviors: dict[str, Any]):
    """A crowd with these behaviors: `crowd(seek={"target": ob}, wander={})`."""
    assert bpy.ops.steering.crowd_add() == {"FINISHED"}
    ob = bpy.context.view_layer.objects.active
    ob.name = name
    use(ob, **behaviors)
    return ob


def use(crowd_object, **behaviors: dict[str, Any]) -> None:
    """Give a crowd behaviors with these parameters."""
    for behavior, values in behaviors.items():
        group = getattr(crowd_object.steering, behavior)
        group.use = True
        for name, value in values.items():
            setattr(group, name, value)


def vehicle(ob=None, *, crowd=None, identity: int | None = None, start_speed: float | None = None, **made):
    """An object tagged as a vehicle of the crowd, by default the scene's default crowd."""
    ob = ob or wedge(**made)
    press("tag", ob, *([crowd] if crowd else []), role="VEHICLE", moves_like="UNCHANGED")
    if identity is not None:
        ob.steering.identity = identity
    if start_speed is not None:
        ob.steering.start_speed = start_speed
    return ob


def fleet(number: int, *, crowd=None, spacing: float = 3.0) -> list:
    """Vehicles in a row along X, with the identities 1001, 1002 and so on."""
    return [
        vehicle(name=f"Ship {k}", location=(spacing * k, 0.0, 0.0), crowd=crowd, identity=1001 + k)
        for k in range(number)
    ]


def bake(*selected, **settings) -> None:
    """Bake, with keys on every frame unless the scene has been told otherwise: tests compare places digit by digit; of
    objects, with only these selected, if any are given."""
    if selected:
        select(*selected)
    with keys_on_every_frame(bpy.context.scene):
        assert bpy.ops.steering.bake(**settings) == {"FINISHED"}


@contextmanager
def keys_on_every_frame(scene) -> Iterator[None]:
    """Write keys on every frame, unless the scene has been told otherwise, until the end."""
    had_settings, told = scene.is_property_set("steering"), scene.steering.is_property_set("keying")
    if told:
        yield
        return
    scene.steering.keying = "EVERY_FRAME"
    try:
        yield
    finally:
        scene.steering.property_unset("keying")
        if not had_settings and not stored_names(scene.steering):
            scene.property_unset("steering")


def clear_bake(*selected, **settings) -> None:
    if selected:
        select(*selected)
    assert bpy.ops.steering.clear_bake(**settings) == {"FINISHED"}


def insert(ob, path: str, values: dict[float, Any], *, index: int = -1) -> None:
    """Insert linear keys as a user would: `insert(ob, "location", {1: (0, 0, 0), 20: (5, 0, 0)})`."""
    owner_path, _, name = path.rpartition(".")
    owner = ob.path_resolve(owner_path) if owner_path else ob
    for frame, value in values.items():
        if index >= 0:
            getattr(owner, name)[index] = value
        else:
            setattr(owner, name, value)
        ob.keyframe_insert(path, index=index, frame=frame)
    make_linear(curve for curve in curves(ob) if curve.data_path == path)
    bpy.context.view_layer.update()


def make_linear(curves: Iterable) -> None:
    for curve in curves:
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"


def assign(ob, action) -> None:
    """Let an object play an action."""
    data = part("blender.animation.animation_data")
    ob.animation_data_create()
    data.assign_action(ob, action, data.slot_for(action, ob))


def drive(ob, path: str, expression: str, *, index: int = -1, **variables):
    """Add a driver; each variable is given as `name=(datablock, data path)`, with an object or scene as datablock."""
    curve = ob.driver_add(path, index)
    curve.driver.type = "SCRIPTED"
    for name, (block, source) in variables.items():
        variable = curve.driver.variables.new()
        variable.name = name
        if isinstance(block, bpy.types.Scene):
            variable.targets[0].id_type = "SCENE"
        variable.targets[0].id = block
        variable.targets[0].data_path = source
    curve.driver.expression = expression
    bpy.context.view_layer.update()
    return curve


def strip_of_own_action(ob, name: str = "Strip"):
    """Push the active action of an object down into an NLA strip."""
    action = ob.animation_data.action
    strip = ob.animation_data.nla_tracks.new().strips.new(name, int(action.frame_range[0]), action)
    ob.animation_data.action = None
    return strip


# ---- reading


def bags(action) -> list:
    if not SLOTTED:
        return [action]
    return [bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags]


def curves_in(action) -> list:
    """The F-curves of an action."""
    return [curve for bag in bags(action) for curve in bag.fcurves]


def curves(ob) -> list:
    """The F-curves of the active action of an object."""
    animation = ob.animation_data
    if animation is None or animation.action is None:
        return []
    return [
        curve
        for bag in bags(animation.action)
        if not SLOTTED or bag.slot == animation.action_slot
        for curve in bag.fcurves
    ]


def keys(ob) -> dict[tuple[str, int], list[tuple[float, float]]]:
    """The frames and values of all keys of the active action, by data path and array index."""
    return {(c.data_path, c.array_index): [tuple(p.co) for p in c.keyframe_points] for c in curves(ob)}


def is_baked(ob) -> bool:
    return any(point.type == "GENERATED" for curve in curves(ob) for point in curve.keyframe_points)


def world_matrices(ob, over: Iterable[int]) -> np.ndarray:
    """(f, 4, 4) the evaluated world matrix of the object on these frames; the scene's current frame is restored."""
    scene = bpy.context.scene
    current, subframe = scene.frame_current, scene.frame_subframe
    matrices = []
    for frame in over:
        scene.frame_set(frame)
        matrices.append(np.array(ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world))
    scene.frame_set(current, subframe=subframe)
    return np.array(matrices)


def places(ob, over: Iterable[int]) -> np.ndarray:
    """(f, 3) the evaluated world position of the object on these frames."""
    return world_matrices(ob, over)[:, :3, 3]


def baked_frames() -> range:
    return range(bpy.context.scene.frame_start, bpy.context.scene.frame_end + 1)


def flight(*, only=None, replace_own_keys: bool = False) -> tuple[list[str], np.ndarray, np.ndarray]:
    """The simulated motion without a bake: the vehicles' names, positions (f, n, 3) and bases (f, n, 3, 3)."""
    plan = part("blender.read.plan").plan_reading(bpy.context.scene, only=only, replace_own_keys=replace_own_keys)
    reader = part("blender.read.reading").Reader(plan)
    with closing(part("blender.read.sweep").sweep(plan, reader)) as read:
        states = [
            state for state, frame in part("blender.write.bake").simulated(plan, reader, read) if frame is not None
        ]
    motions, poses = [state.motion for state in states], [state.pose for state in states]
    return (
        [ob.name for ob in plan.vehicles.source.objects],
        np.stack([motion.position for motion in motions]),
        np.stack([np.stack((pose.side, pose.forward, pose.up), axis=-1) for pose in poses]),
    )


def snapshots() -> list:
    """The snapshots that the simulation gets, frame by frame."""
    plan = part("blender.read.plan").plan_reading(bpy.context.scene)
    read = part("blender.read.sweep").sweep(plan, part("blender.read.reading").Reader(plan))
    return [frame.snapshot for frame in read]


def stored_names(block) -> list[str]:
    """The names of all properties stored on a datablock, both custom properties and those of extensions."""
    names = list(block.keys())
    # Since 5.0 registered properties are stored separately from custom properties.
    if hasattr(block, "bl_system_properties_get"):
        registered = block.bl_system_properties_get()
        names += list(registered.keys()) if registered is not None else []
    return sorted(names)
