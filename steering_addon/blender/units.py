"""Lengths and speeds in words, in the units of the scene that is shown, as Blender's own fields have them.

The simulation takes a Blender unit for a metre, whatever the Unit Scale of a scene makes of it. What is compared with
sizes and speeds in nature is told as it counts there.
"""

import bpy


def length_text(length: float, digits: int = 3) -> str:
    """A length in the scene, with so many digits."""
    return natural_length(length * _unit_scale(), digits)


def speed_text(speed: float, digits: int = 3) -> str:
    """A speed in the scene, with so many digits."""
    return natural_speed(speed * _unit_scale(), digits)


def natural_length(length: float, digits: int = 3) -> str:
    """A length in nature, with so many digits."""
    system = bpy.context.scene.unit_settings.system
    # In a sentence a ' is no foot. Blender crashes if it is to spell units where there are none.
    spelled = system == "IMPERIAL"
    return bpy.utils.units.to_string(system, "LENGTH", length, precision=digits, compatible_unit=spelled).strip()


def natural_speed(speed: float, digits: int = 3) -> str:
    """A speed in nature, with so many digits."""
    system = bpy.context.scene.unit_settings.system
    return bpy.utils.units.to_string(system, "VELOCITY", speed, precision=digits).strip()


def _unit_scale() -> float:
    """The metres for which fields take a Blender unit; without a system of units they show it as it is."""
    settings = bpy.context.scene.unit_settings
    return 1.0 if settings.system == "NONE" else settings.scale_length
