"""The fingerprint of a run: a hash of what it is made from, stored with a bake to show whether the bake still holds.

Only stored values are hashed, and the curves of animated ones, so that the fingerprint is the same on every frame.
Nothing is evaluated. The frames of the run are left out: a bake records its own.
"""

import hashlib
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import bpy
import numpy as np
from bpy.types import ID, FCurve, Mesh, NodeTree, Object, PropertyGroup, Scene
from mathutils import Euler, Quaternion, Vector

from ...locomotion import LOCOMOTIONS
from ...simulation.roles import MADE, Role
from ..animation.animation_data import channelbag, channelbags
from ..animation.keyframes import POINTS
from ..animation.ownership import bake_of
from ..animation.visibility import SWITCHES
from ..moving import BY_CHOICE
from ..objects.doubles import column_from
from ..objects.drivers import blocks, read_by
from ..objects.hierarchy import instanced
from ..objects.node_inputs import inputs_of
from ..objects.tagged_objects import crowd_of, full_name, in_use
from ..pieces import in_one_go
from ..properties import has_role, names_set, pointed_at, settings_of
from .dependencies import KeyedPaths, animated_paths, with_all_behind
from .evaluated_points import KINDS
from .flow_meshes import VALUES
from .marks import marker_frames
from .sources import keys_looks

OF_THE_SCENE = {
    *("crowd", "use_frame_range", "frame_start", "frame_end", "replace_own_keys"),
    *("keying", "key_tolerance", "key_angle", "show_overlay", "overlay", "trail_length"),
}
"""Settings of the scene that do not change the run, or whose effect is recorded elsewhere."""
BOOKKEEPING = {"start", "variation", "member", "populate", "hide_eaten", "unasked"}
"""Properties of an object that do not change the run."""
BESIDE_THE_RUN = {
    "steering.state.color",
    "steering.portrayal.playing",
    "steering.portrayal.no_walk",
    "steering.portrayal.unplanted",
    "steering.portrayal.unplanted_models",
    "steering.portrayal.head_bone",
    "steering.portrayal.look_at",
}
"""Settings within groups that the run does not depend on: a color of the overlay, and how clips are played, which the
record of the clips compares."""
HOLDERS = {role.name for role in (*MADE, Role.LINK, Role.SIGNAL)}
"""Roles of objects whose settings point at others."""
TRANSFORMS = (
    *("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle", "scale", "rotation_mode"),
    *("delta_location", "delta_rotation_euler", "delta_rotation_quaternion", "delta_scale"),
)
OF_THE_INTERFACE = {"show_expanded", "show_on_cage", "show_in_editmode", "is_active", "use_pin_to_last"}
"""Properties of modifiers and constraints that change nothing."""
OF_STRIPS = (
    *("mute", "frame_start", "frame_end", "action_frame_start", "action_frame_end", "scale", "repeat", "use_reverse"),
    *("extrapolation", "blend_type", "blend_in", "blend_out"),
)
"""Properties of strips on which what they play depends."""
OF_THE_EDITOR = {"location", "location_absolute", "width", "height", "select", "hide", "label", "dimensions"}
"""Properties of nodes that change nothing."""


def fingerprint(scene: Scene, baked: Collection[Object] | None = None) -> str:
    """The hash of what the run of a scene depends on, except its frames: settings, members, targets and scenery.
    `baked`: the vehicles that play a bake, if they are known."""
    return in_one_go(taking_fingerprint(scene, baked))


def taking_fingerprint(scene: Scene, baked: Collection[Object] | None = None) -> Generator[None, None, str]:
    """As `fingerprint`, in pieces between which nothing may change."""
    objects = [(ob, stored) for ob in in_use(scene) if (stored := settings_of(ob)) is not None and stored.roles]
    moved = {ob for ob, stored in objects if _is_moved(ob, stored, baked)}
    hashed = hashlib.blake2b(digest_size=16)

    def add(*values: Any) -> None:
        for value in values:
            hashed.update(value if isinstance(value, bytes) else repr(value).encode())

    keyed: KeyedPaths = {}
    stored = settings_of(scene)
    add(scene.render.fps, scene.render.fps_base, _values(stored, "", set(), OF_THE_SCENE) if stored else ())
    baked_vehicles = [pair for pair in objects if pair[0] in moved]
    for ob, stored in sorted(baked_vehicles, key=lambda pair: (pair[1].identity, full_name(pair[0]))):
        animated = animated_paths(ob, keyed)
        parent = full_name(ob.parent) if ob.parent is not None else ""
        scale = () if "scale" in animated else tuple(ob.scale)
        add((_values_of_vehicle(stored, animated), _start(stored), *scale, parent))
        for curve in _curves(ob) if any(map(_is_read, animated)) else ():
            if _is_read(curve.data_path):
                add(*_shape(curve))
        yield
    for ob in _objects_read(objects, moved):
        add(*_contents(ob))
        yield
    for ob, stored in objects:
        if keys_looks(crowd_of(ob) if Role.STATE.name in stored.roles else ob):
            add(full_name(ob), *_head_settings(stored))
    add(*marker_frames((ob for ob, stored in objects if Role.MARK.name in stored.roles), scene))
    return hashed.hexdigest()


def digest_of_shapes(objects: Iterable[Object]) -> bytes:
    """The hash of the shapes and places of objects and of their parts, without evaluating them."""
    parts = [part for ob in objects for part in (ob, *ob.children_recursive)]
    hashed = hashlib.blake2b(digest_size=16)
    for ob in sorted(with_all_behind(parts), key=full_name):
        for value in (*_contents(ob), *(() if has_role(ob, Role.SURFACE) else _faces_of(ob, animated_paths(ob)))):
            # Printing a column of numbers would take longer than hashing it.
            for column in value if isinstance(value, tuple) else (value,):
                hashed.update(column if isinstance(column, bytes) else repr(column).encode())
    return hashed.digest()


def _head_settings(stored: PropertyGroup) -> Iterator[tuple]:
    """The settings of how heads turn, which are keyed, as (path, value)."""
    if stored.is_property_set("portrayal"):
        portrayal = stored.portrayal
        target = pointed_at(portrayal, "look_at")
        yield "look_at", target.name_full if target is not None else ""
        if portrayal.is_property_set("playing"):
            yield "playing", portrayal.playing.look_ahead, portrayal.playing.look_at_caller


def _is_moved(ob: Object, stored: PropertyGroup, baked: Collection[Object] | None) -> bool:
    """Whether a bake moves an object, which is then not part of what the bake is made from."""
    if Role.VEHICLE.name not in stored.roles or stored.locked:
        return False
    return bake_of(ob) is not None if baked is None else ob in baked


def _is_read(path: str) -> bool:
    """Whether a run reads this channel of a vehicle, which no bake writes."""
    return path == "scale" or path.startswith("steering.")


def _objects_read(objects: list[tuple[Object, PropertyGroup]], moved: set[Object]) -> list[Object]:
    """The tagged objects, the targets of behaviors and their dependencies, without the moved ones, by name."""
    read = {ob for ob, _ in objects} - moved
    for _, stored in objects:
        if not stored.roles.isdisjoint(HOLDERS):
            read.update(_pointed_at(stored))
    read.update(ob.parent for ob in moved if ob.parent is not None)
    read.update(guide for ob in moved if (guide := pointed_at(ob.steering, "guide")) is not None)
    return sorted(set(with_all_behind(read)) - moved, key=full_name)


def _pointed_at(group: PropertyGroup) -> Iterator[Object]:
    """The objects that the settings of a crowd point at, those of a collection included."""
    is_set = names_set(group)
    for name, kind, _ in _properties(type(group)):
        if name not in is_set or name in BOOKKEEPING:
            continue
        value = getattr(group, name) if kind in ("GROUP", "POINTER") else None
        if kind == "GROUP":
            yield from _pointed_at(value)
        elif isinstance(value, bpy.types.Object):
            yield value
        elif isinstance(value, bpy.types.Collection):
            yield from value.all_objects


@cache
def _properties(declared: type[PropertyGroup]) -> tuple[tuple[str, str, Any], ...]:
    """The properties of a group with their kind and default."""
    properties = []
    for name, prop in declared.bl_rna.properties.items():
        if name in ("rna_type", "name") or prop.type == "COLLECTION":
            continue
        if prop.type == "POINTER":
            base = prop.fixed_type.base
            is_group = base is not None and base.identifier == "PropertyGroup"
            properties.append((name, "GROUP" if is_group else "POINTER", None))
        elif prop.type == "ENUM" and prop.is_enum_flag:
            properties.append((name, "FLAG", tuple(sorted(prop.default_flag))))
        elif getattr(prop, "is_array", False):
            properties.append((name, "ARRAY", tuple(prop.default_array)))
        else:
            properties.append((name, "VALUE", prop.default))
    return tuple(properties)


def _values(
    group: PropertyGroup, path: str, animated: set[str], left_out: Iterable[str] = (), *, groups: bool = True
) -> list[tuple]:
    """The values of a group that differ from their defaults, as (path, value); animated ones are left out.

    A behavior that is switched off and a locomotion that is not chosen are left out, too. `groups`: whether to include
    the groups in it.
    """
    values: list[tuple] = []
    is_set = names_set(group)
    for name, kind, default in _properties(type(group)):
        # What is not set is as usual; most of the many properties of a vehicle are not.
        if name not in is_set or (kind == "GROUP" and not groups) or name in left_out:
            continue
        at = f"{path}{name}"
        if at in animated or at in BESIDE_THE_RUN:
            continue
        if kind == "GROUP":
            if _is_used(group, name, at, animated):
                values += _values(getattr(group, name), f"{at}.", animated)
        elif kind == "POINTER":
            if (target := getattr(group, name)) is not None:
                values.append((at, target.name_full))
        else:
            value = getattr(group, name)
            value = tuple(sorted(value)) if kind == "FLAG" else tuple(value) if kind == "ARRAY" else value
            if value != default:
                values.append((at, value))
    return values


def _values_of_vehicle(stored: PropertyGroup, animated: set[str]) -> list[tuple]:
    """The settings of a vehicle. The only group among them is its own locomotion: the others belong to crowds."""
    values = _values(stored, "steering.", animated, BOOKKEEPING, groups=False)
    moves = BY_CHOICE.get(stored.own_locomotion)
    if moves is not None and stored.is_property_set(moves.name):
        values += _values(getattr(stored, moves.name), f"steering.{moves.name}.", animated)
    return values


def _is_used(owner: PropertyGroup, name: str, path: str, animated: set[str]) -> bool:
    """Whether the group of a name counts: any but a behavior that is off and a locomotion that is not chosen. A state
    chooses no locomotion; it has numbers of its own for that of its crowd."""
    if name in LOCOMOTIONS:
        chosen = LOCOMOTIONS[name].choice().name in (owner.locomotion, owner.own_locomotion)
        return chosen or getattr(owner, name).own
    return getattr(getattr(owner, name), "use", True) or f"{path}.use" in animated


def _start(stored: PropertyGroup) -> tuple:
    start = stored.start if stored.is_property_set("start") else None
    return (tuple(start.location), start.rotation_mode, tuple(start.rotation)) if start is not None else ()


def _contents(ob: Object) -> Iterator[Any]:
    """Everything that a run may see of an object: its settings, its place, its shape and their animation."""
    animated = animated_paths(ob)
    stored = settings_of(ob)
    yield full_name(ob)
    if stored is not None and stored.roles:
        yield _values(stored, "steering.", animated, BOOKKEEPING)
    if stored is None or stored.roles != {Role.CROWD.name}:
        yield [_plain(getattr(ob, name)) for name in TRANSFORMS if name not in animated]
        if ob.parent is not None:
            yield full_name(ob.parent), ob.parent_type, ob.parent_bone, _plain(ob.matrix_parent_inverse)
        yield from _shape_of(ob)
        if stored is not None and Role.SURFACE.name in stored.roles:
            yield from _faces_of(ob, animated)
        if stored is not None and Role.POINTS.name in stored.roles:
            trees = [modifier.node_group for modifier in ob.modifiers if modifier.type == "NODES"]
            for tree in filter(None, trees):
                yield from _nodes_of(tree, set())
        for stack in ("modifiers", "constraints"):
            yield [_settings(item, f'{stack}["{item.name}"].', animated) for item in getattr(ob, stack)]
    for block in blocks(ob):
        yield from _animation(block)


def _shape_of(ob: Object) -> Iterator[Any]:
    if ob.type == "EMPTY":
        yield ob.empty_display_type, ob.empty_display_size
        yield from _instance_in(ob)
    elif ob.type == "MESH":
        yield len(ob.data.polygons), _column(ob.data.vertices, "co", 3)
        roles = ob.steering.roles if settings_of(ob) else ()
        yield from _attributes(ob.data, VALUES) if Role.FLOW.name in roles else ()
        yield from _attributes(ob.data, KINDS) if Role.POINTS.name in roles else ()
    elif ob.type == "CURVE":
        for line in ob.data.splines:
            yield line.type, line.use_cyclic_u, line.use_endpoint_u, line.order_u, line.resolution_u
            yield _column(line.points, "co", 4)
            for name in ("co", "handle_left", "handle_right"):
                yield _column(line.bezier_points, name, 3)


def _instance_in(ob: Object) -> Iterator[Any]:
    """The objects of a collection that an Empty shows, and for an obstacle the shapes in it."""
    collection = instanced(ob)
    if collection is None:
        return
    yield collection.name_full, _plain(collection.instance_offset)
    if has_role(ob, Role.OBSTACLE):
        for member in collection.all_objects:
            yield full_name(member), [_plain(getattr(member, name)) for name in TRANSFORMS]
            yield from _shape_of(member)


def _faces_of(ob: Object, animated: set[str]) -> Iterator[Any]:
    """The data from which the faces of a surface are made, besides its points."""
    if ob.type == "MESH":
        yield (
            _column(ob.data.loops, "vertex_index", 1, np.int32),
            _column(ob.data.polygons, "loop_total", 1, np.int32),
        )
    elif ob.data is not None:
        yield _settings(ob.data, "", animated)
    if ob.type == "SURFACE":
        yield [_column(line.points, "co", 4) for line in ob.data.splines]


def _attributes(mesh: Mesh, read: Mapping[str, tuple]) -> Iterator[Any]:
    yield mesh.attributes.active_color_name, len(mesh.edges)
    for attribute in mesh.attributes:
        if attribute.data_type in read:
            yield attribute.name, _column(attribute.data, *read[attribute.data_type])


def _nodes_of(tree: NodeTree, known: set[NodeTree]) -> Iterator[Any]:
    """Nodes as plain values: their settings, the values of their sockets and their links."""
    known.add(tree)
    for node in tree.nodes:
        yield node.name, _settings(node, "", OF_THE_EDITOR)
        yield [_plain(socket.default_value) for socket in node.inputs if hasattr(socket, "default_value")]
        inner = getattr(node, "node_tree", None)
        if inner is not None and inner not in known:
            yield from _nodes_of(inner, known)
    yield [(link.from_node.name, link.from_socket.identifier) for link in tree.links]
    yield [(link.to_node.name, link.to_socket.identifier) for link in tree.links]
    yield from _animation(tree)


def _column(items: Any, name: str, width: int, kind: type[np.generic] = np.float32) -> bytes:
    return column_from(items, name, width, kind).tobytes()


def _settings(struct: Any, path: str, animated: set[str]) -> list[tuple]:
    settings = []
    for name, declared in struct.bl_rna.properties.items():
        if declared.is_readonly or declared.type == "COLLECTION" or name in OF_THE_INTERFACE:
            continue
        if f"{path}{name}" not in animated:
            settings.append((name, _plain(getattr(struct, name))))
    if struct.bl_rna.identifier == "NodesModifier":
        settings += [(name, _plain(value)) for name, value in inputs_of(struct).items()]
    return settings


def _plain(value: Any) -> Any:
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
        return [_plain(element) for element in value]
    except TypeError:
        return type(value).__name__


def _animation(block: ID) -> Iterator[Any]:
    data = block.animation_data
    if data is None:
        return
    for curve in _curves(block):
        if curve.data_path not in SWITCHES:
            yield from _shape(curve)
    for driver in data.drivers:
        yield from _shape(driver)
        yield driver.driver.type, driver.driver.expression
        yield [(variable.name, variable.type) for variable in driver.driver.variables]
        yield [_settings(target, "", set()) for target in read_by([driver])]
    for track in data.nla_tracks if data.use_nla else ():
        for strip in track.strips:
            bags = channelbags(strip.action) if strip.action else ()
            yield track.mute, [getattr(strip, name) for name in OF_STRIPS]
            yield None if strip.use_animated_influence else strip.influence
            for curve in (*strip.fcurves, *(curve for bag in bags for curve in bag.fcurves)):
                yield from _shape(curve)


def _curves(block: ID) -> Iterator[FCurve]:
    bag = channelbag(block)
    yield from bag.fcurves if bag is not None else ()


def _shape(curve: FCurve) -> Iterator[Any]:
    yield curve.data_path, curve.array_index, curve.mute, curve.extrapolation
    yield [_settings(modifier, "", set()) for modifier in curve.modifiers]
    for name in POINTS:
        yield _column(curve.keyframe_points, name, 2)
    yield _column(curve.keyframe_points, "interpolation", 1, np.int32)
