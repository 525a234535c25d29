"""The settings that a state has of its own: they begin as copies of its crowd's."""

from bpy.types import Context, Object, PropertyGroup

from ...simulation.roles import Role
from ..handlers import notify_listeners
from .access import has_role, pointed_at

SWITCH = "own"


def take_over(group: PropertyGroup, context: Context) -> None:
    """Copy the values of the crowd into a group of a state whose switch was turned on."""
    state = group.id_data
    crowd = pointed_at(state.steering, "crowd")
    if group.own and crowd is not None and has_role(state, Role.STATE):
        name = group.path_from_id().rpartition(".")[2]
        if crowd.steering.is_property_set(name):
            copy_values(getattr(crowd.steering, name), group)
    notify_listeners(group, context)


def copy_values(source: PropertyGroup, target: PropertyGroup) -> None:
    """Copy all values of a group but the switch itself."""
    for name, declared in source.bl_rna.properties.items():
        if name in ("rna_type", "name", SWITCH) or declared.is_readonly or not source.is_property_set(name):
            continue
        setattr(target, name, getattr(source, name))


def is_own(state: Object, name: str) -> bool:
    """Whether a state has settings of its own in the group of a name; writes nothing."""
    stored = state.steering
    return stored.is_property_set(name) and getattr(stored, name).own
