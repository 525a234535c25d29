"""What the animator does: the operators, which are also the scripting interface."""

from . import baking, behaviors, tagging

MODULES = (tagging, behaviors, baking)


def register() -> None:
    for module in MODULES:
        module.register()


def unregister() -> None:
    for module in reversed(MODULES):
        module.unregister()
