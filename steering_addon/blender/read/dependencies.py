"""The dependencies of an object's motion: parents, constraints, modifiers and drivers, direct and indirect."""

from collections.abc import Iterable, Iterator
from typing import TypeAlias

import bpy
from bpy.types import ID, Action, NlaStrip, Object

from ...locomotion import LOCOMOTIONS
from ...portrayal.driver_properties import FOLDED, LOOKS, PROPERTIES, is_of_states
from ..animation.animation_data import bag_of, channelbag, channelbags
from ..animation.custom_properties import name_in, path_of
from ..objects.drivers import blocks, drivers_of
from ..objects.hierarchy import is_descendant
from ..objects.tagged_objects import full_name

KeyedPaths: TypeAlias = dict[Action, set[str]]
"""The data paths that the curves of actions key. Valid until an action changes."""
PHYSICS = {"CLOTH", "SOFT_BODY", "DYNAMIC_PAINT", "FLUID", "PARTICLE_SYSTEM"}
"""Modifiers whose result depends on the frames before."""
STEADY = {
    *("ARRAY", "BEVEL", "DECIMATE", "EDGE_SPLIT", "MIRROR", "MULTIRES", "REMESH", "SCREW", "SMOOTH", "SOLIDIFY"),
    *("SUBSURF", "TRIANGULATE", "WEIGHTED_NORMAL", "WELD", "WIREFRAME"),
}
"""Modifiers that give the same shape on each frame, unless their settings are animated or they point at an object."""
EXTENSION = __name__.partition(".blender.")[0]
"""The package of this extension."""
TURNING = {"COPY_ROTATION", "DAMPED_TRACK", "LIMIT_ROTATION", "LOCKED_TRACK", "TRACK_TO"}
"""Constraints that leave an object where it is."""
DRIVER_PROPERTIES = frozenset(
    map(
        path_of,
        (*PROPERTIES, FOLDED, *LOOKS, *(output.name for kind in LOCOMOTIONS.values() for output in kind.outputs)),
    )
)
"""The data paths that a bake keys on a vehicle to drive its wings and wheels, but for those of states."""


def reasons(ob: Object, *, only_place: bool = False) -> Iterator[tuple[Object, str]]:
    """The objects that an object, or only its place, depends on directly, each with the reason; "parent" for a parent.
    A wing driven by the properties keyed on the vehicle it belongs to depends on that vehicle as its parent only."""
    if ob.parent is not None:
        yield ob.parent, "parent"
    for constraint in ob.constraints:
        if constraint.enabled and not (only_place and constraint.type in TURNING):
            for target in _targets(constraint):
                yield target, f"the constraint {constraint.name}"
    if ob.pose is not None:
        for bone in ob.pose.bones:
            for constraint in bone.constraints:
                for target in _targets(constraint) if constraint.enabled else ():
                    if target != ob:
                        yield target, f"the constraint {constraint.name} of the bone {bone.name}"
    for modifier in ob.modifiers:
        for target in _pointed_at(modifier):
            yield target, f"the modifier {modifier.name}"
    for driver in drivers_of(*blocks(ob)):
        for target, path in _driver_targets(driver):
            if isinstance(target, bpy.types.Object) and target != ob and not _is_driven_part(ob, target, path):
                yield target, f"a driver of {driver.data_path}"
    if ob.type == "CURVE":
        for name in ("bevel_object", "taper_object"):
            if (target := getattr(ob.data, name)) is not None:
                yield target, name.replace("_", " ")


def with_all_behind(objects: Iterable[Object]) -> list[Object]:
    """The objects, and everything they depend on directly or indirectly."""
    known: dict[str, Object] = {}
    waiting = list(objects)
    while waiting:
        ob = waiting.pop()
        if full_name(ob) not in known:
            known[full_name(ob)] = ob
            waiting.extend(dependency for dependency, _ in reasons(ob))
    return list(known.values())


def reads_scene(ob: Object) -> bool:
    """Whether a driver of the object reads a scene; then only the user's scene gives the right value."""
    return any(
        not isinstance(target, bpy.types.Object) and (target is None or isinstance(target, bpy.types.Scene))
        for driver in drivers_of(*blocks(ob))
        for target, _ in _driver_targets(driver)
    )


def reads_vehicle_above(ob: Object) -> bool:
    """Whether a driver of the object reads keyed properties of a vehicle that it is parented to at any depth."""
    return any(
        isinstance(target, bpy.types.Object) and _is_driven_part(ob, target, path)
        for driver in drivers_of(*blocks(ob))
        for target, path in _driver_targets(driver)
    )


def changes_with_modifiers(ob: Object) -> bool:
    """Whether the modifiers of an object may give it another shape on another frame."""
    modifiers = list(ob.modifiers)
    return any(modifier.type not in STEADY or any(True for _ in _pointed_at(modifier)) for modifier in modifiers) or (
        bool(modifiers) and animates(ob, "modifiers")
    )


def has_foreign_handlers() -> bool:
    """Whether scripts or other extensions may change something on each frame; only `frame_set` calls them."""
    handlers = (*bpy.app.handlers.frame_change_pre, *bpy.app.handlers.frame_change_post)
    return not all(handler.__module__.startswith(EXTENSION) for handler in handlers)


def plays_physics(ob: Object) -> bool:
    """Whether physics moves or shapes the object."""
    return ob.rigid_body is not None or any(modifier.type in PHYSICS for modifier in ob.modifiers)


def may_move(ob: Object) -> bool:
    """Whether an object, or something that it depends on, may be elsewhere on another frame. A surface that moves all
    the same becomes a layer of its own then, and carries nothing on that frame."""
    return any(source.animation_data is not None or plays_physics(source) for source in with_all_behind([ob]))


def animates(ob: Object, prefix: str, known: KeyedPaths | None = None) -> bool:
    """Whether keyframes, NLA or drivers may change properties of the object whose data path starts with the prefix."""
    return any(path.startswith(prefix) for path in animated_paths(ob, known))


def animated_paths(block: ID, known: KeyedPaths | None = None) -> set[str]:
    """The data paths of the datablock that keyframes, NLA or drivers may change. `known`: what earlier calls found in
    actions; rigged members share clips of thousands of curves."""
    animation = getattr(block, "animation_data", None)
    if animation is None:
        return set()
    known = {} if known is None else known
    actions = {animation.action} | {strip.action for track in animation.nla_tracks for strip in strips_in(track.strips)}
    paths = {driver.data_path for driver in animation.drivers}
    for action in actions:
        if action is None:
            continue
        if action not in known:
            known[action] = {curve.data_path for bag in channelbags(action) for curve in bag.fcurves}
        paths |= known[action]
    return paths


def animated_channels(block: ID) -> dict[str, set[int]]:
    """As `animated_paths`, each path with the numbers of the vector that it leads to which are animated."""
    animation, channels = getattr(block, "animation_data", None), dict[str, set[int]]()
    if animation is None:
        return channels
    strips = [strip for track in animation.nla_tracks for strip in strips_in(track.strips) if strip.action is not None]
    bags = [channelbag(block), *map(bag_of, strips)]
    for curve in (*animation.drivers, *(curve for bag in bags if bag is not None for curve in bag.fcurves)):
        channels.setdefault(curve.data_path, set()).add(curve.array_index)
    return channels


def strips_in(strips: Iterable[NlaStrip]) -> Iterator[NlaStrip]:
    """Strips, and those in meta strips."""
    for strip in strips:
        yield strip
        yield from strips_in(strip.strips)


def _driver_targets(driver) -> Iterator[tuple[ID | None, str]]:
    """The datablocks a driver reads, None for the active scene, and the property it reads of each."""
    for variable in driver.driver.variables:
        for target in variable.targets:
            if variable.type == "CONTEXT_PROP":
                yield None, ""
            elif target.id is not None:
                yield target.id, target.data_path if variable.type == "SINGLE_PROP" else ""


def _is_driven_part(ob: Object, target: Object, path: str) -> bool:
    """Whether an object is part of another, such as a wing of a bird, and reads a driver property of that."""
    return (path in DRIVER_PROPERTIES or is_of_states(name_in(path) or "")) and is_descendant(ob, target)


def _targets(constraint) -> Iterator[Object]:
    single = getattr(constraint, "target", None)
    if isinstance(single, bpy.types.Object):
        yield single
    for target in getattr(constraint, "targets", ()):
        if target.target is not None:
            yield target.target


def _pointed_at(struct) -> Iterator[Object]:
    for name, declared in struct.bl_rna.properties.items():
        if declared.type == "POINTER" and isinstance(value := getattr(struct, name), bpy.types.Object):
            yield value
