"""Where the simulation's input comes from and where its result goes. The only code that knows bpy."""

from . import operators, overlay, panels, preview, properties
from .status import census

MODULES = (properties, census, operators, panels, preview, overlay)
"""The overlay comes last: it draws what the others' handlers have brought about."""


def register() -> None:
    for module in MODULES:
        module.register()


def unregister() -> None:
    for module in reversed(MODULES):
        module.unregister()
