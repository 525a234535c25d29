"""Small scenes for tests in Blender, and dumps of a whole file, so that two states of it can be compared.

Scenes are built with the public operators and properties, as in an animator's script.
"""

import importlib
import math
import os
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from functools import cache
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
    mesh = bpy.data.meshes.new(name)
    corners = [(0.0, 1.0, 0.0), (-0.4, -0.6, 0.0), (0.4, -0.6, 0.0), (0.0, -0.6, 0.3)]
    mesh.from_pydata([tuple(size * x for x in corner) for corner in corners], [], [(0, 1, 2), (0, 1, 3), (0, 2, 3)])
    return put(link(bpy.data.objects.new(name, mesh)), location, **placed)


def sphere(name: str = "Ball", location=(0.0, 0.0, 0.0), radius: float = 1.0, **placed):
    """A mesh whose vertices are spread over a sphere."""
    turns = np.arange(12) * (2.0 * math.pi / 12)
    rings = [(math.cos(tilt), math.sin(tilt)) for tilt in np.linspace(-math.pi / 2, math.pi / 2, 7)]
    points = [(r * math.cos(a), r * math.sin(a), z) for r, z in rings for a in turns]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([tuple(radius * x for x in point) for point in points], [], [(0, 1, 2)])
    return put(link(bpy.data.objects.new(name, mesh)), location, **placed)


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


def refuses(operator: str, match: str, *selected, **settings) -> None:
    """Check that an operator of the extension refuses with this message, with only these objects selected, if any, and
    changes nothing."""
    # A Blender with a window, in which scenes are built too, has none.
    import pytest

    if selected:
        select(*selected)
    bpy.context.view_layer.update()
    before = scene_dump()
    with pytest.raises(RuntimeError, match=match):
        getattr(bpy.ops.steering, operator)(**settings)
    assert_same(before, scene_dump())


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
    mesh = bpy.data.meshes.new("Stairs")
    points = [(x, y, z) for y, z in profile for x in (-half, half)]
    mesh.from_pydata(points, [], [(a, a + 1, a + 3, a + 2) for a in range(0, len(points) - 2, 2)])
    return tag(link(bpy.data.objects.new("Stairs", mesh)), role="SURFACE")


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
    for curve in curves(ob):
        if curve.data_path == path:
            for point in curve.keyframe_points:
                point.interpolation = "LINEAR"
    bpy.context.view_layer.update()


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


# ---- dumping

NOT_OF_THE_FILE = {
    *(
        "session_uid",
        "is_evaluated",
        "rna_type",
        "tag",
        "is_runtime_data",
        "active",
        "last_slot_identifier",
        "original",
    ),
    *(
        "bound_box",
        "matrix_world",
        "matrix_local",
        "matrix_basis",
        "preview",
        "dimensions",
        "bl_rna",
        "users",
        "use_nodes",
    ),
}
"""Properties that are not saved: runtime data, and values derived from other settings."""
BLOCKS = (
    *("actions", "armatures", "cameras", "collections", "curves", "lattices", "libraries", "lights", "materials"),
    *("meshes", "node_groups", "objects", "scenes", "shape_keys", "texts", "worlds"),
)


def scene_dump(kinds: Iterable[str] = BLOCKS) -> dict:
    """The relevant contents of the file as plain values that can be compared, for these types of datablocks.

    It contains the settings of objects, scenes and actions, the extension's properties, animation with every attribute
    of every key, drivers, NLA, constraints, modifiers, points, users, the number of datablocks, the current frame and
    the selection.
    """
    dump = {kind: {block.name_full: _block(block) for block in getattr(bpy.data, kind)} for kind in kinds}
    dump["users"] = {kind: {block.name_full: block.users for block in getattr(bpy.data, kind)} for kind in BLOCKS}
    dump["count"] = {
        kind.identifier: len(getattr(bpy.data, kind.identifier))
        for kind in bpy.types.BlendData.bl_rna.properties
        if kind.type == "COLLECTION"
    }
    dump["frame"] = bpy.context.scene.frame_current_final
    dump["scene"] = bpy.context.scene.name
    dump["active"] = getattr(bpy.context.view_layer.objects.active, "name", None)
    dump["selected"] = sorted(ob.name for ob in bpy.context.selected_objects)
    return dump


def difference(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """The differences of two dumps as readable lines."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in [*before, *(name for name in after if name not in before)]:
            if name not in before or name not in after:
                yield f"{path}/{name} only {'after' if name not in before else 'before'}"
            else:
                yield from difference(before[name], after[name], f"{path}/{name}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for k, (a, b) in enumerate(zip(before, after)):
            yield from difference(a, b, f"{path}[{k}]")
    elif repr(before) != repr(after):
        yield f"{path}: {before!r} -> {after!r}"


def assert_same(before: dict, after: dict) -> None:
    """Assert that two dumps are equal."""
    differences = list(difference(before, after))
    assert not differences, "\n".join(differences[:20])


def stored(group) -> dict:
    """The values set in a property group and its nested groups; reading them writes nothing."""
    values = {}
    for name, declared in group.bl_rna.properties.items():
        if name in ("rna_type", "name") or not group.is_property_set(name):
            continue
        value = getattr(group, name)
        if declared.type == "POINTER":
            value = stored(value) if isinstance(value, bpy.types.PropertyGroup) else getattr(value, "name_full", None)
        elif declared.type == "COLLECTION":
            value = [stored(each) for each in value]
        elif declared.type == "ENUM" and declared.is_enum_flag:
            value = sorted(value)
        elif getattr(declared, "is_array", False):
            value = list(value)
        values[name] = value
    return values


def stored_names(block) -> list[str]:
    """The names of all properties stored on a datablock, both custom properties and those of extensions."""
    names = list(block.keys())
    # Since 5.0 registered properties are stored separately from custom properties.
    if hasattr(block, "bl_system_properties_get"):
        registered = block.bl_system_properties_get()
        names += list(registered.keys()) if registered is not None else []
    return sorted(names)


def rna(struct) -> dict:
    """The settings of any RNA struct as plain values; a pointer becomes the name of its target."""
    return {name: plain(getattr(struct, name)) for name, plain in _properties(type(struct))}


@cache
def _properties(kind: type) -> list[tuple[str, Callable[[Any], Any]]]:
    """The properties of a type of structs that a file holds, and how the value of each becomes plain."""
    properties: list[tuple[str, Callable[[Any], Any]]] = []
    for declared in kind.bl_rna.properties:
        name, base = declared.identifier, declared.fixed_type.base if declared.type == "POINTER" else None
        is_group = base is not None and base.identifier == "PropertyGroup"
        if name in NOT_OF_THE_FILE or declared.type == "COLLECTION" or is_group:
            continue
        if declared.type == "POINTER":
            properties.append((name, _identified))
        elif getattr(declared, "is_array", False):
            properties.append((name, lambda array: np.array(array).tolist()))
        elif declared.type == "ENUM" and declared.is_enum_flag:
            properties.append((name, sorted))
        else:
            properties.append((name, lambda value: value))
    return properties


def _identified(target) -> str | None:
    return getattr(target, "identifier", None) or getattr(target, "name", None)


def dump_curve(curve) -> dict:
    keyframes = part("blender.animation.keyframes")
    return {
        "settings": rna(curve),
        "keys": {name: keyframes.read_column(curve, name).ravel().tolist() for name in keyframes.KEY_COLUMNS},
        "samples": [tuple(point.co) for point in curve.sampled_points],
        "modifiers": [rna(modifier) for modifier in curve.modifiers],
        "expression": curve.driver and curve.driver.expression,
        "variables": [
            (variable.name, variable.type, [(getattr(t.id, "name", None), t.data_path) for t in variable.targets])
            for variable in (curve.driver.variables if curve.driver else ())
        ],
    }


def dump_action(action) -> dict:
    return {
        "slots": [(slot.identifier, slot.handle) for slot in action.slots] if SLOTTED else [],
        "curves": [[dump_curve(curve) for curve in bag.fcurves] for bag in bags(action) if len(bag.fcurves)],
        "groups": [[(group.name, len(group.channels)) for group in bag.groups] for bag in bags(action) if bag.groups],
        "markers": [(marker.name, marker.frame) for marker in action.pose_markers],
    }


COMPUTED_OF_BONES = ("head", "tail", "length", "matrix", "matrix_channel")


def _block(block) -> dict:
    dump: dict[str, Any] = {"settings": rna(block), "stored": stored_names(block)}
    dump["custom"] = {name: _plain(value) for name, value in block.items() if name != "steering"}
    if "steering" in block.bl_rna.properties and block.is_property_set("steering"):
        dump["steering"] = stored(block.steering)
    animation = getattr(block, "animation_data", None)
    if animation is not None:
        dump["animation"] = {
            "settings": rna(animation),
            "drivers": [dump_curve(driver) for driver in animation.drivers],
            "tracks": [(str(rna(track)), [rna(strip) for strip in track.strips]) for track in animation.nla_tracks],
        }
    if isinstance(block, bpy.types.Action):
        dump["action"] = dump_action(block)
    elif isinstance(block, bpy.types.Object):
        dump["constraints"] = [rna(constraint) for constraint in block.constraints]
        dump["modifiers"] = [rna(modifier) for modifier in block.modifiers]
        dump["collections"] = sorted(collection.name_full for collection in block.users_collection)
        dump["parent inverse"] = np.array(block.matrix_parent_inverse).tolist()
        # Blender leaves what it computes of bones as it was where the armature is not shown.
        computed = () if block.visible_get() else COMPUTED_OF_BONES
        bones = ((bone.name, rna(bone)) for bone in (block.pose.bones if block.pose else ()))
        dump["bones"] = [(name, {k: v for k, v in said.items() if k not in computed}) for name, said in bones]
    elif isinstance(block, bpy.types.Scene):
        dump["layers"] = [(layer.name, sorted(ob.name for ob in layer.objects)) for layer in block.view_layers]
        dump["objects"] = sorted(ob.name_full for ob in block.objects)
        dump["render"] = rna(block.render)
    elif isinstance(block, bpy.types.Mesh):
        dump["points"] = [tuple(vertex.co) for vertex in block.vertices]
    elif isinstance(block, bpy.types.Curve):
        dump["points"] = [
            (rna(line), [rna(p) for p in line.points], [rna(p) for p in line.bezier_points]) for line in block.splines
        ]
    elif isinstance(block, bpy.types.Key):
        dump["shapes"] = [rna(shape) for shape in block.key_blocks]
    return dump


def _plain(value: Any) -> Any:
    if hasattr(value, "to_dict"):
        return _named(value.to_dict())
    return value.to_list() if hasattr(value, "to_list") else getattr(value, "name", value)


def _named(value: Any) -> Any:
    """A value of a custom property with names in place of datablocks, however deep in it: undo makes new ones."""
    if isinstance(value, dict):
        return {name: _named(inner) for name, inner in value.items()}
    if hasattr(value, "to_list"):
        return value.to_list()
    return getattr(value, "name", value)


def without_bake_ids(dump: dict) -> dict:
    """A dump without the bake ids, which are new in each bake."""
    actions = {}
    for name, action in dump["actions"].items():
        custom = {key: value for key, value in action["custom"].items() if key != "steering_bake"}
        record = action["custom"].get("steering_bake", {})
        actions[name] = {**action, "custom": custom, "record": {k: v for k, v in record.items() if k != "id"}}
    scenes = {name: _with_records_in_a_row(scene) for name, scene in dump.get("scenes", {}).items()}
    return {**dump, "actions": actions, **({"scenes": scenes} if scenes else {})}


def without_run_records(dump: dict) -> dict:
    """A dump without what runs left on scenes."""
    scenes = {
        name: {
            **scene,
            "stored": [stored for stored in scene["stored"] if stored != "steering_runs"],
            "custom": {key: value for key, value in scene["custom"].items() if key != "steering_runs"},
        }
        for name, scene in dump["scenes"].items()
    }
    return {**dump, "scenes": scenes}


def _with_records_in_a_row(scene: dict) -> dict:
    """The dump of a scene without the ids of its runs, by which it holds their records."""
    runs = scene["custom"].get("steering_runs")
    if not isinstance(runs, dict):
        return scene
    return {**scene, "custom": {**scene["custom"], "steering_runs": sorted(map(str, runs.values()))}}
