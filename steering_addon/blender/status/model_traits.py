"""The crowds that have members whose models can play clips, or members that drivers of their parts read."""

from collections.abc import Iterable

from bpy.types import ID, Object

from ..animation.custom_properties import name_in
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
    animation = getattr(block, "animation_data", None)
    return any(
        name_in(target.data_path) is not None
        for driver in (animation.drivers if animation is not None else ())
        for variable in driver.driver.variables
        for target in variable.targets
    )
