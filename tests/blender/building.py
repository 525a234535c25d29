"""Small scenes for tests in Blender: objects, meshes, curves and armatures, files and frames."""

import importlib
import math
import os
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import bpy
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
MODULE = f"bl_ext.user_default.{tomllib.loads((ROOT / 'blender_manifest.toml').read_text(encoding='utf-8'))['id']}"


def part(name: str) -> ModuleType:
    """A module of the extension under test, for example `part("blender.read.plan")`."""
    return importlib.import_module(f"{MODULE}.steering_addon.{name}")


def in_another_blender(script: str, user: Path | None = None, **values) -> str:
    """Run a script, formatted with values, in a Blender process of its own, and return what it prints. `user`: the
    folder of the user's resources, by default that of this process."""
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
    """Save the file, open an empty one, and link a datablock of the saved file there, or append it; returns it. `kind`:
    its collection in bpy.data, for example "objects"."""
    path = str(folder / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(path, link=linked) as (_, wanted):
        setattr(wanted, kind, [name])
    return getattr(wanted, kind)[0]


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
