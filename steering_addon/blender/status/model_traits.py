"""Models with drivers: the crowds with members that drivers read or that can play clips, and the vehicles whose
parts no drivers move, such as wheels that stay up as a body sinks."""

from collections.abc import Iterable, Sequence

from bpy.types import ID, Object

from ..animation.custom_properties import name_in, reading_drivers
from ..moving import known_locomotion
from ..objects.drivers import drivers_of, read_by
from ..objects.focus import vehicle_of
from ..objects.tagged_objects import crowd_of, full_name


def traits(objects: Iterable[Object], crowds: int) -> tuple[frozenset[str], frozenset[str]]:
    """The full names of the crowds with an armature or shape keys on a member, and of those that drivers read;
    `crowds`: their number."""
    posed: set[str] = set()
    driven: set[str] = set()
    for ob in objects:
        keys = getattr(ob.data, "shape_keys", None)
        can_pose = ob.type == "ARMATURE" or keys is not None
        # One member is enough, and no more is looked at once each crowd has one.
        reads = len(driven) < crowds and any(map(_reads_vehicle, (ob, ob.data, keys)))
        if (can_pose or reads) and (name := _crowd_name(ob)):
            posed.update([name] if can_pose else ())
            driven.update([name] if reads else ())
    return frozenset(posed), frozenset(driven)


def _crowd_name(ob: Object) -> str:
    vehicle = vehicle_of(ob)
    crowd = crowd_of(vehicle) if vehicle is not None else None
    return full_name(crowd) if crowd is not None else ""


def _reads_vehicle(block: ID | None) -> bool:
    """Whether drivers of a datablock read custom properties of an object, such as `steering_phase`."""
    return any(name_in(target.data_path) is not None for target in read_by(drivers_of(block)))


def undriven(vehicles: Iterable[Object], crowds: Iterable[Object | None]) -> dict[str, list[Object]]:
    """The vehicles without drivers that a setting of theirs needs, by the label of that setting; `crowds`: the crowd of
    each vehicle."""
    needing: dict[tuple[str, Sequence[str]], list[Object]] = {}
    for ob, crowd in zip(vehicles, crowds):
        locomotion = known_locomotion(ob, crowd) if crowd is not None and not ob.steering.locked else None
        if locomotion is None:
            continue
        holder, kind = locomotion
        # Reading a group that was never set writes it into the file.
        if not kind.needs_drivers or not holder.steering.is_property_set(kind.name):
            continue
        settings = getattr(holder.steering, kind.name)
        for parameter, outputs in kind.needs_drivers.items():
            if getattr(settings, parameter) > 0.0:
                needing.setdefault((kind.parameters()[parameter].called(parameter), outputs), []).append(ob)
    missing: dict[str, list[Object]] = {}
    for (label, outputs), obs in needing.items():
        drivers = reading_drivers(obs, outputs)
        missing.setdefault(label, []).extend(ob for ob in obs if not drivers[ob].keys() >= set(outputs))
    return missing
