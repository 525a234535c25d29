"""Access to stored settings that writes nothing: looking at a property group would otherwise create it in the file."""

from typing import Any

import bpy

from ...simulation.roles import Role


def settings_of(owner: bpy.types.Object | bpy.types.Scene) -> bpy.types.PropertyGroup | None:
    """The settings stored on an object or scene, or None if it has none."""
    return owner.steering if owner.is_property_set("steering") else None


def scene_setting(scene: bpy.types.Scene, name: str) -> Any:
    """A setting of a scene, as it is declared if the scene has none."""
    stored = settings_of(scene)
    if stored is not None:
        return getattr(stored, name)
    declared = scene.bl_rna.properties["steering"].fixed_type.properties[name]
    return declared.default_flag if getattr(declared, "is_enum_flag", False) else declared.default


def has_role(ob: bpy.types.Object, role: Role) -> bool:
    """Whether the object is tagged with the role."""
    stored = settings_of(ob)
    return stored is not None and role.name in stored.roles


def has_roles(ob: bpy.types.Object) -> bool:
    """Whether the object is tagged with any role."""
    stored = settings_of(ob)
    return stored is not None and bool(stored.roles)


def names_set(group: bpy.types.PropertyGroup) -> set[str]:
    """The names of the properties of a group that are set, as `is_property_set` says of each, without computed ones. It
    is many times as fast."""
    # Blender 5 keeps them apart from custom properties.
    stored = group.bl_system_properties_get() if hasattr(group, "bl_system_properties_get") else group
    return set(stored.keys()) if stored is not None else set()


def pointed_at(group: bpy.types.PropertyGroup, name: str) -> Any:
    """The datablock that a pointer refers to, or None if it was never set; reading such a pointer would set it."""
    return getattr(group, name) if group.is_property_set(name) else None


def pointed_in(ob: bpy.types.Object, group: str, name: str) -> Any:
    """As `pointed_at`, of a group of the settings of an object, which may never have been set either."""
    stored = pointed_at(ob.steering, group)
    return pointed_at(stored, name) if stored is not None else None


def uses(crowd: bpy.types.Object, behavior: str) -> bool:
    """Whether a behavior of a crowd, by its name, is switched on."""
    return crowd.steering.is_property_set(behavior) and getattr(crowd.steering, behavior).use


def is_own(state: bpy.types.Object, name: str) -> bool:
    """Whether a state has settings of its own in the group of a name."""
    stored = state.steering
    return stored.is_property_set(name) and getattr(stored, name).own
