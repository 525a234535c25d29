"""Dumps of a whole file, so that two states of it can be compared."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

import bpy
import numpy as np

from tests.blender.animated import SLOTTED, bags
from tests.blender.building import part
from tests.blender.seen import stored_names
from tests.blender.steered import select


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


NOT_OF_THE_FILE = {
    *("session_uid", "is_evaluated", "rna_type", "bl_rna", "tag", "is_runtime_data", "active", "last_slot_identifier"),
    *("original", "bound_box", "matrix_world", "matrix_local", "matrix_basis", "preview", "dimensions", "users"),
    "use_nodes",
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


def without_settings(dump: dict) -> dict:
    """A dump without the settings that a bake stores, such as identities and starts."""
    left_out = ("steering", "stored")
    objects = {name: {k: v for k, v in block.items() if k not in left_out} for name, block in dump["objects"].items()}
    return {**dump, "objects": objects}


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
