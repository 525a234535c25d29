"""The data of an object that a run may see, as plain values: its place, its shape, its pose and their animation.

Only stored values are told, and the curves of animated ones, so that they are the same on every frame.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import takewhile
from typing import Any

import bpy
import numpy as np
from bpy.types import ID, DriverTarget, FCurve, Mesh, NodeTree, Object, PoseBone
from bpy.utils import escape_identifier
from mathutils import Euler, Quaternion, Vector

from ...simulation.roles import Role
from ..animation.animation_data import bag_of, channelbag, playing_tracks
from ..animation.keyframes import BEZIER, CHOICE, POINTS
from ..animation.rotation_channels import data_path
from ..animation.visibility import SWITCHES
from ..objects.doubles import column_from
from ..objects.drivers import blocks, read_by
from ..objects.hierarchy import instanced
from ..objects.node_inputs import inputs_of
from ..objects.tagged_objects import full_name
from ..properties import has_roles
from .dependencies import animated_channels, animated_paths, strips_in
from .evaluated_points import KINDS
from .flow_meshes import VALUES

OF_DATABLOCKS = frozenset(name for name, _ in bpy.types.ID.bl_rna.properties.items())
"""Properties of every datablock, such as its name."""
OURS = "GENERATED"
"""The type of the keys that a bake writes."""
DELTAS = ("delta_location", "delta_rotation_euler", "delta_rotation_quaternion", "delta_scale")
OF_THE_INTERFACE = {"active", "is_active", "use_pin_to_last", "show_expanded", "show_in_editmode", "show_on_cage"} | {
    *("show_render", "show_group_selector", "show_manage_panel", "open_output_attributes_panel", "open_manage_panel"),
    *("open_bake_panel", "open_named_attributes_panel", "open_bake_data_blocks_panel", "open_warnings_panel"),
}
"""Properties of modifiers and constraints that change nothing in the viewport."""
OF_STRIPS = (
    *("frame_start", "frame_end", "action_frame_start", "action_frame_end", "scale", "repeat", "use_reverse"),
    *("extrapolation", "blend_type", "blend_in", "blend_out", "use_animated_time"),
)
"""Properties of strips on which what they play depends."""
OF_THE_EDITOR = {
    *("location", "location_absolute", "width", "height", "select", "hide", "label", "dimensions", "parent", "color"),
    *("use_custom_color", "show_options", "show_preview", "show_texture"),
}
"""Properties of nodes that change nothing."""
OF_BONES = ("use_deform", "use_inherit_rotation", "inherit_scale", "use_local_location", "use_relative_parent")
OF_CHAINS = ("ik_", "use_ik_", "lock_ik_")
"""How the names of properties of bones begin that chains depend on."""
OF_KNOTS = ("co", "handle_left", "handle_right")
SHAPED = {"CURVE", "SURFACE", "FONT", "META", "LATTICE"}
"""Types of objects besides meshes that have a shape, or give others one."""
LINES = {role.name for role in (Role.PATH, Role.FLOW, Role.LINK, Role.SIGNAL)}
"""Roles of curves of which only the lines count."""
AROUND_LINES = {
    *("bevel_mode", "bevel_depth", "bevel_resolution", "bevel_object", "bevel_factor_start", "bevel_factor_end"),
    *("bevel_factor_mapping_start", "bevel_factor_mapping_end", "use_fill_caps", "extrude", "offset", "fill_mode"),
    *("render_resolution_u", "use_map_taper", "taper_object", "taper_radius_mode"),
}
"""Properties of what Blender makes round a line."""
DRAWN_AS_LARGE = {Role.OBSTACLE.name, Role.REGION.name}
"""Roles of Empties that are as large as they are drawn."""


class StillValues:
    """The values of a datablock that nothing animates, as plain values; animated ones differ from frame to frame."""

    def __init__(self, block: ID) -> None:
        self._animated = animated_channels(block)

    def values(self, struct: Any, names: Iterable[str], path: str = "") -> list[tuple]:
        """The values of properties of the datablock, or of something in it to which a data path leads, by name."""
        return [(name, self._value(getattr(struct, name), f"{path}{name}")) for name in names]

    def settings(self, struct: Any, path: str = "", left_out: Collection[str] = OF_THE_INTERFACE) -> list[tuple]:
        """The values of all properties that can be set."""
        names = (
            name
            for name, declared in struct.bl_rna.properties.items()
            if not declared.is_readonly and declared.type != "COLLECTION" and name not in left_out
        )
        return self.values(struct, names, path)

    def _value(self, value: Any, path: str) -> Any:
        channels = self._animated.get(path)
        if channels is None:
            return plain(value)
        # Animation of one number of a quaternion changes the others.
        partly = isinstance(value, (Vector, Euler))
        return [number for k, number in enumerate(value) if k not in channels] if partly else None


def stored_data(ob: Object, *, is_posed: bool = True) -> Iterator[Any]:
    """Everything of an object that a run may see but its settings: its place, its shape and their animation.
    `is_posed`: whether the pose of an armature counts."""
    stored = StillValues(ob)
    yield from _place_of(ob, stored)
    yield from _size_of(ob, stored)
    yield from _constraints_of(ob, stored)
    if is_posed and ob.pose is not None:
        yield from _pose_of(ob, stored)
    for block in blocks(ob):
        yield from animation_of(block, is_posed=is_posed)


def taken_by_nodes(ob: Object) -> Iterator[Object]:
    """The objects that geometry nodes of an object take in, as inputs or by themselves."""
    trees: set[NodeTree] = set()
    taken = [value for modifier in ob.modifiers if modifier.type == "NODES" for value in inputs_of(modifier).values()]
    waiting = [modifier.node_group for modifier in ob.modifiers if modifier.type == "NODES"]
    while waiting:
        tree = waiting.pop()
        if tree is not None and tree not in trees:
            trees.add(tree)
            waiting += [getattr(node, "node_tree", None) for node in tree.nodes]
            sockets = (socket for node in tree.nodes for socket in node.inputs)
            taken += [getattr(socket, "default_value", None) for socket in sockets]
    for value in taken:
        if isinstance(value, Object):
            yield value
        elif isinstance(value, bpy.types.Collection):
            yield from value.all_objects


def data_of_part(ob: Object) -> Iterator[Any]:
    """The data of a part of a body, which is measured once: its place in the body and its shape."""
    stored = StillValues(ob)
    yield ob.hide_viewport, ob.hide_render
    yield from _place_of(ob, stored)
    yield from _size_of(ob, stored)


def _place_of(ob: Object, stored: StillValues) -> Iterator[Any]:
    yield stored.values(ob, ("location", data_path(ob.rotation_mode), "scale", *DELTAS)), ob.rotation_mode
    yield ob.track_axis, ob.up_axis
    yield from bond_of(ob)


def bond_of(ob: Object) -> Iterator[Any]:
    """How an object is parented."""
    if ob.parent is not None:
        yield full_name(ob.parent), ob.parent_type, ob.parent_bone, plain(ob.matrix_parent_inverse)
        if ob.parent_type.startswith("VERTEX"):
            # Blender 4.2 has no such switch.
            yield list(ob.parent_vertices), getattr(ob, "use_parent_final_indices", False)


def _size_of(ob: Object, stored: StillValues) -> Iterator[Any]:
    """The shape of an object, and what changes it."""
    if ob.type == "EMPTY":
        yield from _instance_in(ob)
        if instanced(ob) is None and (not has_roles(ob) or not ob.steering.roles.isdisjoint(DRAWN_AS_LARGE)):
            yield ob.empty_display_type, ob.empty_display_size
    elif ob.data is not None:
        yield from _shape_of(ob)
        yield from _shape_keys_of(ob)
    for modifier in ob.modifiers:
        yield stored.settings(modifier, f'modifiers["{escape_identifier(modifier.name)}"].')
        if modifier.type == "NODES":
            yield [(name, plain(value)) for name, value in inputs_of(modifier).items()]
            if modifier.node_group is not None:
                yield from _nodes_of(modifier.node_group, set())


def _shape_of(ob: Object) -> Iterator[Any]:
    data, roles = ob.data, ob.steering.roles if has_roles(ob) else set()
    if ob.type == "MESH":
        yield _column(data.vertices, "co", 3), _column(data.loops, "vertex_index", 1, np.int32)
        yield _column(data.polygons, "loop_total", 1, np.int32)
        yield from _attributes(data, VALUES) if Role.FLOW.name in roles else ()
        yield from _attributes(data, KINDS) if Role.POINTS.name in roles else ()
        return
    if ob.type == "ARMATURE":
        for bone in data.bones:
            yield bone.name, bone.parent and bone.parent.name, bone.length, plain(bone.matrix_local)
            yield [getattr(bone, name) for name in OF_BONES]
        return
    if ob.type not in SHAPED:
        return
    is_line = bool(roles) and roles <= LINES
    yield StillValues(data).settings(data, left_out=OF_DATABLOCKS.union(AROUND_LINES if is_line else ()))
    if ob.type == "LATTICE":
        yield _column(data.points, "co_deform", 3)
    for line in getattr(data, "splines", ()):
        yield line.type, line.use_cyclic_u, line.use_endpoint_u, line.use_bezier_u, line.order_u, line.resolution_u
        yield [_column(line.points, "co", 4), *(_column(line.bezier_points, name, 3) for name in OF_KNOTS)]
        for name in () if is_line else ("radius", "tilt"):
            yield [_column(points, name, 1) for points in (line.points, line.bezier_points)]
    for ball in getattr(data, "elements", ()):
        yield StillValues(data).settings(ball)


def _shape_keys_of(ob: Object) -> Iterator[Any]:
    keys = getattr(ob.data, "shape_keys", None)
    if keys is None:
        return
    stored = StillValues(keys)
    yield stored.values(keys, ("use_relative",) if keys.use_relative else ("use_relative", "eval_time"))
    yield ob.show_only_shape_key and ob.active_shape_key_index
    for block in keys.key_blocks:
        path = f'key_blocks["{escape_identifier(block.name)}"].'
        yield stored.values(block, ("value", "mute", "vertex_group", "frame"), path), block.relative_key.name
        if ob.type in ("MESH", "LATTICE"):
            yield _column(block.data, "co", 3)
        else:
            yield [[tuple(getattr(point, name)) for name in OF_KNOTS if hasattr(point, name)] for point in block.data]


def _instance_in(ob: Object) -> Iterator[Any]:
    """The objects of a collection that an Empty shows."""
    collection = instanced(ob)
    if collection is None:
        return
    yield collection.name_full, plain(collection.instance_offset)
    for member in collection.all_objects:
        yield full_name(member)
        yield from stored_data(member)


def _constraints_of(owner: Object | PoseBone, stored: StillValues, path: str = "") -> Iterator[Any]:
    for constraint in owner.constraints:
        yield stored.settings(constraint, f'{path}constraints["{escape_identifier(constraint.name)}"].')
        yield [stored.settings(target) for target in getattr(constraint, "targets", ())]


def _pose_of(ob: Object, stored: StillValues) -> Iterator[Any]:
    bones = ob.pose.bones
    in_chains = any(constraint.type == "IK" for bone in bones for constraint in bone.constraints)
    of_chains = [name for name, _ in bpy.types.PoseBone.bl_rna.properties.items() if name.startswith(OF_CHAINS)]
    yield ob.data.pose_position
    for bone in bones:
        path = f'pose.bones["{escape_identifier(bone.name)}"].'
        channels = "location", data_path(bone.rotation_mode), "scale"
        yield bone.rotation_mode, stored.values(bone, (*channels, *(of_chains if in_chains else ())), path)
        yield from _constraints_of(bone, stored, path)


def _attributes(mesh: Mesh, read: Mapping[str, tuple]) -> Iterator[Any]:
    yield mesh.attributes.active_color_name, len(mesh.edges)
    for attribute in mesh.attributes:
        if attribute.data_type in read:
            yield attribute.name, _column(attribute.data, *read[attribute.data_type])


def _nodes_of(tree: NodeTree, known: set[NodeTree]) -> Iterator[Any]:
    """Nodes as plain values: their settings, the values of their sockets and their links."""
    known.add(tree)
    stored = StillValues(tree)
    for node in tree.nodes:
        path = f'nodes["{escape_identifier(node.name)}"].'
        yield node.name, stored.settings(node, path, OF_THE_EDITOR)
        sockets = [(k, socket) for k, socket in enumerate(node.inputs) if hasattr(socket, "default_value")]
        yield [stored.values(socket, ("default_value",), f"{path}inputs[{k}].") for k, socket in sockets]
        inner = getattr(node, "node_tree", None)
        if inner is not None and inner not in known:
            yield from _nodes_of(inner, known)
    yield [(link.from_node.name, link.from_socket.identifier) for link in tree.links]
    yield [(link.to_node.name, link.to_socket.identifier) for link in tree.links]
    yield from animation_of(tree)


def _column(items: Any, name: str, width: int, kind: type[np.generic] = np.float32) -> bytes:
    return column_from(items, name, width, kind).tobytes()


def plain(value: Any) -> Any:
    """A value of Blender as plain Python, written the same in every session."""
    if isinstance(value, bpy.types.ID):
        return value.name_full
    if isinstance(value, (bool, int, float, str, type(None))):
        return value
    if isinstance(value, (Vector, Euler, Quaternion)):
        return list(value)
    if isinstance(value, set):
        return sorted(value)
    try:
        return [plain(element) for element in value]
    except TypeError:
        return type(value).__name__


def animation_of(block: ID, *, is_posed: bool = True) -> Iterator[Any]:
    """The curves, drivers and strips of a datablock; `is_posed`: whether those of a pose count."""
    # An image that an Empty shows has none.
    data = getattr(block, "animation_data", None)
    if data is None:
        return
    for curve in curves_of(block):
        if curve.data_path not in SWITCHES and (is_posed or not curve.data_path.startswith("pose.")):
            yield from curve_data(curve)
    for driver in data.drivers:
        yield from curve_data(driver)
        yield driver.driver.type, driver.driver.expression
        yield [(variable.name, variable.type) for variable in driver.driver.variables]
        yield [(_settings(target), _read_by(target)) for target in read_by([driver])]
    yield from _strips_of(block)


def _strips_of(block: ID) -> Iterator[Any]:
    """The strips that NLA tracks play, and how they are blended with the action."""
    data, tracks = block.animation_data, playing_tracks(block)
    if not tracks:
        return
    yield tracks[0].is_solo, data.action_blend_type, data.action_influence, data.action_extrapolation
    for track in tracks:
        for strip in strips_in(track.strips):
            if strip.mute:
                continue
            yield [getattr(strip, name) for name in OF_STRIPS]
            yield None if strip.use_animated_influence else strip.influence
            bag = bag_of(strip) if strip.action else None
            for curve in (*strip.fcurves, *(bag.fcurves if bag is not None else ())):
                yield from curve_data(curve)


def _read_by(target: DriverTarget) -> Any:
    """The custom property that a driver reads, None if it reads something else, or if that is animated."""
    if target.id is None or not target.data_path.endswith('"]') or target.data_path in animated_paths(target.id):
        return None
    try:
        return plain(target.id.path_resolve(target.data_path))
    except ValueError:
        return None


def _settings(struct: Any) -> list[tuple]:
    """The values of all properties that can be set of what cannot be animated."""
    named = struct.bl_rna.properties.items()
    names = [name for name, declared in named if not declared.is_readonly and declared.type != "COLLECTION"]
    return [(name, plain(getattr(struct, name))) for name in names if name not in OF_THE_INTERFACE]


def curves_of(block: ID) -> Iterator[FCurve]:
    """The curves of the action that a datablock plays."""
    bag = channelbag(block)
    yield from bag.fcurves if bag is not None else ()


def leading_up(ob: Object) -> Iterator[Any]:
    """The keys of the animator from which a bake of an object goes on: those of its place before the baked ones."""
    paths = "location", data_path(ob.rotation_mode)
    for curve in curves_of(ob):
        keys = curve.keyframe_points
        if curve.data_path in paths and len(keys) and keys[0].type != OURS:
            own = list(takewhile(lambda key: key.type != OURS, keys))
            yield curve.data_path, curve.array_index, curve.mute
            yield [(key.interpolation, *(tuple(getattr(key, name)) for name in POINTS)) for key in own]


def curve_data(curve: FCurve) -> Iterator[Any]:
    """Everything on which the values of a curve depend."""
    yield curve.data_path, curve.array_index, curve.mute, curve.extrapolation
    yield [_settings(modifier) for modifier in curve.modifiers]
    for name in POINTS:
        yield _column(curve.keyframe_points, name, 2)
    interpolation = column_from(curve.keyframe_points, "interpolation", 1, CHOICE)
    yield interpolation.tobytes()
    # The others ease.
    if (interpolation > BEZIER).any():
        yield _column(curve.keyframe_points, "easing", 1, CHOICE)
        yield [_column(curve.keyframe_points, name, 1) for name in ("amplitude", "back", "period")]
