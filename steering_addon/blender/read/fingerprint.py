"""The fingerprint of a run: a hash of what it is made from, stored with a bake to show whether the bake still holds.

Only stored values are hashed, and the curves of animated ones, so that the fingerprint is the same on every frame.
Nothing is evaluated. The frames of the run are left out: a bake records its own.
"""

import hashlib
from collections import Counter
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

import bpy
from bpy.types import ID, Object, PropertyGroup, Scene

from ...locomotion import LOCOMOTIONS
from ...simulation.roles import MADE, OF_BODIES, Role
from ..animation.ownership import bake_of
from ..moving import BY_CHOICE
from ..objects.hierarchy import Family, instanced
from ..objects.tagged_objects import crowd_of, full_name, in_use
from ..pieces import in_one_go
from ..properties import has_role, has_roles, names_set, pointed_at, settings_of
from ..property_groups import bone_of
from .dependencies import KeyedPaths, animated_paths, reasons, with_all_behind
from .marks import marker_frames
from .sources import keys_looks
from .stored_data import (
    animation_of,
    bond_of,
    curve_data,
    curves_of,
    data_of_part,
    leading_up,
    stored_data,
    taken_by_nodes,
)

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
WITHOUT_PARTS = {role.name for role in Role} - {role.name for role in OF_BODIES}
"""Roles of what is no body with its children."""


def fingerprint(scene: Scene, baked: Collection[Object] | None = None) -> str:
    """The hash of what the run of a scene depends on, except its frames: settings, members, targets and scenery.
    `baked`: the vehicles that play a bake, if they are known."""
    return in_one_go(taking_fingerprint(scene, baked))


def taking_fingerprint(scene: Scene, baked: Collection[Object] | None = None) -> Generator[None, None, str]:
    """As `fingerprint`, in pieces between which nothing may change."""
    used = in_use(scene)
    objects = [(ob, stored) for ob in used if (stored := settings_of(ob)) is not None and stored.roles]
    moved = {ob for ob, stored in objects if _is_moved(ob, stored, baked)}
    named = _numbered(objects)
    hashed = hashlib.blake2b(digest_size=16)

    def add(*values: Any) -> None:
        for value in values:
            hashed.update(value if isinstance(value, bytes) else repr(value).encode())

    keyed: KeyedPaths = {}
    stored = settings_of(scene)
    add(scene.render.fps, scene.render.fps_base, _values(stored, "", set(), named, OF_THE_SCENE) if stored else [])
    baked_vehicles = [pair for pair in objects if pair[0] in moved]
    for ob, stored in sorted(baked_vehicles, key=lambda pair: (pair[1].identity, full_name(pair[0]))):
        animated = animated_paths(ob, keyed)
        scale = () if "scale" in animated else tuple(ob.scale)
        add((_values_of_vehicle(stored, animated, named), _start(stored), ob.rotation_mode, *scale))
        add(*bond_of(ob), *leading_up(ob))
        for curve in curves_of(ob) if any(map(_is_read, animated)) else ():
            if _is_read(curve.data_path):
                add(*curve_data(curve))
        yield
    holders = [stored for _, stored in objects if not stored.roles.isdisjoint(HOLDERS)]
    pointed = [target for stored in holders for target in _pointed_at(stored)]
    there = set(used)
    # A bake is told of its vehicles by identity: their names do not count.
    called = ((str(ob.steering.identity) if ob in moved else _called(ob, named), ob in there) for ob, _ in pointed)
    add(sorted(called))
    read, posed, parts = _objects_read({ob for ob, _ in objects}, pointed, moved)
    for ob in sorted(read, key=partial(_called, named=named)):
        add(*_contents(ob, named, is_posed=ob in posed))
        yield
    for ob in parts:
        add(full_name(ob), *data_of_part(ob))
        yield
    for ob, stored in objects:
        if keys_looks(crowd_of(ob) if Role.STATE.name in stored.roles else ob):
            add(_called(ob, named), *_head_settings(stored))
    add(*marker_frames((ob for ob, stored in objects if Role.MARK.name in stored.roles), scene))
    return hashed.hexdigest()


def digest_of_shapes(objects: Iterable[Object]) -> bytes:
    """The hash of the shapes and places of objects and of their parts, without evaluating them."""
    parts = [part for ob in objects for part in (ob, *ob.children_recursive)]
    hashed = hashlib.blake2b(digest_size=16)
    for ob in sorted(with_all_behind(parts), key=full_name):
        for value in _contents(ob, {}):
            # Printing a column of numbers would take longer than hashing it.
            for column in value if isinstance(value, tuple) else (value,):
                hashed.update(column if isinstance(column, bytes) else repr(column).encode())
    return hashed.digest()


def _numbered(objects: Sequence[tuple[Object, PropertyGroup]]) -> dict[Object, str]:
    """Crowds by their numbers, which stay when they are renamed; without those that share one, as copies do until a
    bake. Names of other objects tell which comes first, and which of several is chosen."""
    numbers = [(ob, stored.identity, stored.roles) for ob, stored in objects]
    times = Counter(number for _, number, _ in numbers)
    return {ob: f"crowd {n}" for ob, n, roles in numbers if Role.CROWD.name in roles and n and times[n] == 1}


def _called(block: ID, named: Mapping[Object, str]) -> str:
    """How the fingerprint calls an object or a collection: by its full name, unless it has another."""
    name: str = named.get(block) or block.name_full
    return name


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


def _objects_read(
    tagged: set[Object], pointed: list[tuple[Object, str]], moved: set[Object]
) -> tuple[set[Object], set[Object], list[Object]]:
    """The objects that a run reads, without the moved ones: the tagged ones, the targets of behaviors, the
    parts of obstacles, and all that these depend on; the armatures among them whose pose counts; and the parts of other
    bodies, of which only the size does. `pointed`: as of `_pointed_at`."""
    bodies, family = (tagged | {ob for ob, _ in pointed}) - moved, Family()
    parts = {ob: set(_untagged_below(ob, family)) for ob in bodies if _has_parts(ob)}
    of_obstacles = {part for ob, below in parts.items() if has_role(ob, Role.OBSTACLE) for part in below}
    carried = [ob for ob in moved if ob.parent is not None]
    guides = {guide for ob in moved if (guide := pointed_at(ob.steering, "guide")) is not None}
    read = set(with_all_behind({*bodies, *of_obstacles, *(ob.parent for ob in carried), *guides}))
    read = read.union(with_all_behind(taken for ob in read for taken in taken_by_nodes(ob))) - moved
    posed = {ob for ob, bone in pointed if bone} | {ob.parent for ob in carried if ob.parent_type != "OBJECT"}
    for ob in read:
        posed.update(target for target, why in reasons(ob) if why != "parent" or ob.parent_type != "OBJECT")
    others = set[Object]().union(*parts.values()) - read - moved
    return read, posed, sorted(others, key=full_name)


def _has_parts(ob: Object) -> bool:
    """Whether the parts of an object count with it: of a body, unless it is an Empty that only marks a point."""
    roles = ob.steering.roles if has_roles(ob) else set()
    if Role.OBSTACLE.name in roles:
        return True
    return roles.isdisjoint(WITHOUT_PARTS) and (ob.type != "EMPTY" or instanced(ob) is not None)


def _untagged_below(ob: Object, family: Family) -> Iterator[Object]:
    """The children of an object at any depth, up to tagged ones."""
    for child in family.children(ob):
        if not has_roles(child):
            yield child
            yield from _untagged_below(child, family)


def _pointed_at(group: PropertyGroup) -> Iterator[tuple[Object, str]]:
    """The objects that the settings of a crowd point at, those of a collection included, each with the bone that is
    meant, if one is."""
    is_set = names_set(group)
    for name, kind, _ in _properties(type(group)):
        if name not in is_set or name in BOOKKEEPING:
            continue
        value = getattr(group, name) if kind in ("GROUP", "POINTER") else None
        if kind == "GROUP":
            yield from _pointed_at(value)
        elif isinstance(value, bpy.types.Object):
            yield value, getattr(group, bone_of(name), "")
        elif isinstance(value, bpy.types.Collection):
            yield from ((ob, "") for ob in value.all_objects)


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
    group: PropertyGroup,
    path: str,
    animated: set[str],
    named: Mapping[Object, str],
    left_out: Iterable[str] = (),
    *,
    groups: bool = True,
) -> list[tuple]:
    """The values of a group that differ from their defaults, as (path, value); animated ones are left out.

    A behavior that is switched off and a locomotion that is not chosen are left out, too. `named`: how objects are
    called if not by name; `groups`: whether to include the groups in it.
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
                values += _values(getattr(group, name), f"{at}.", animated, named)
        elif kind == "POINTER":
            if (target := getattr(group, name)) is not None:
                values.append((at, _called(target, named)))
        else:
            value = getattr(group, name)
            value = tuple(sorted(value)) if kind == "FLAG" else tuple(value) if kind == "ARRAY" else value
            if value != default:
                values.append((at, value))
    return values


def _values_of_vehicle(stored: PropertyGroup, animated: set[str], named: Mapping[Object, str]) -> list[tuple]:
    """The settings of a vehicle. The only group among them is its own locomotion: the others belong to crowds."""
    values = _values(stored, "steering.", animated, named, BOOKKEEPING, groups=False)
    moves = BY_CHOICE.get(stored.own_locomotion)
    if moves is not None and stored.is_property_set(moves.name):
        values += _values(getattr(stored, moves.name), f"steering.{moves.name}.", animated, named)
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


def _contents(ob: Object, named: Mapping[Object, str], *, is_posed: bool = True) -> Iterator[Any]:
    """Everything that a run may see of an object: its settings, its place, its shape and their animation. `named`: how
    objects are called if not by name; `is_posed`: whether the pose of an armature counts."""
    stored = settings_of(ob)
    yield _called(ob, named)
    if stored is not None and stored.roles:
        yield _values(stored, "steering.", animated_paths(ob), named, BOOKKEEPING)
    if stored is not None and stored.roles == {Role.CROWD.name}:
        yield from animation_of(ob)
    else:
        yield from stored_data(ob, is_posed=is_posed)
