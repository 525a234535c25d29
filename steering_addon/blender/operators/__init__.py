"""The operators, which are also the scripting interface: `bpy.ops.steering.*`."""

from . import (
    baking,
    behaviors,
    clips,
    contact_report,
    crowd_library,
    crowds,
    direct,
    findings,
    flow_direction,
    front,
    own_moves,
    pick_agents,
    picked_agents,
    populate,
    posed_meshes,
    presets,
    preview,
    ready_scenes,
    states,
    tagging,
    usd_export,
    vary,
    wheels,
)

MODULES = (
    tagging,
    front,
    own_moves,
    behaviors,
    flow_direction,
    crowd_library,
    crowds,
    states,
    direct,
    populate,
    presets,
    vary,
    clips,
    posed_meshes,
    wheels,
    ready_scenes,
    preview,
    baking,
    picked_agents,
    pick_agents,
    contact_report,
    findings,
    usd_export,
)


def register() -> None:
    for module in MODULES:
        module.register()


def unregister() -> None:
    for module in reversed(MODULES):
        module.unregister()
