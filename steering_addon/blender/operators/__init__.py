"""What the animator does: the operators, which are also the scripting interface."""

from . import (
    baking,
    behavior_presets,
    behaviors,
    contacts,
    crowds,
    flows,
    populate,
    presets,
    preview,
    ready_scenes,
    tagging,
    variation,
)

MODULES = (
    tagging,
    behaviors,
    flows,
    crowds,
    populate,
    presets,
    behavior_presets,
    variation,
    ready_scenes,
    preview,
    baking,
    contacts,
)


def register() -> None:
    for module in MODULES:
        module.register()


def unregister() -> None:
    for module in reversed(MODULES):
        module.unregister()
