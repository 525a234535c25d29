"""What the animator does: the operators, which are also the scripting interface."""

from . import baking, behavior_presets, behaviors, crowds, populate, presets, preview, ready_scenes, tagging
from . import contact_report as contacts
from . import flow_direction as flows
from . import vary as variation

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
