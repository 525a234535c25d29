"""Blender: reads the simulation's input from a scene and writes its result back. The only code that imports bpy."""

from . import operators, overlay, panels, preview, properties
from .panels import manual
from .status import census, refused

MODULES = (properties, census, refused, operators, panels, manual, preview, overlay)
"""In the order of registration. The overlay comes last: it draws what the handlers of the others have computed."""


def register() -> None:
    for module in MODULES:
        module.register()


def unregister() -> None:
    for module in reversed(MODULES):
        module.unregister()
