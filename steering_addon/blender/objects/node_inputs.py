"""Inputs of geometry nodes on a modifier; before Blender 5.2 they were custom properties of it."""

from typing import Any

from bpy.types import NodesModifier, NodeTree, NodeTreeInterfaceSocket

HAS_PROPERTIES = "properties" in NodesModifier.bl_rna.properties
"""Whether a modifier holds the inputs of its group there."""


def inputs_of(modifier: NodesModifier) -> dict[str, Any]:
    """The values of all inputs by identifier; none without nodes."""
    if modifier.node_group is None:
        return {}
    if not HAS_PROPERTIES:
        return dict(modifier.items())
    names = [socket.identifier for socket in _sockets(modifier.node_group)]
    inputs = {name: getattr(modifier.properties.inputs, name, None) for name in names}
    return {name: held.value for name, held in inputs.items() if hasattr(held, "value")}


def input_of(modifier: NodesModifier, label: str) -> Any:
    """The value of an input by its label; None if there is none."""
    if (name := identifier(modifier, label)) is None:
        return None
    return getattr(modifier.properties.inputs, name).value if HAS_PROPERTIES else modifier[name]


def set_input(modifier: NodesModifier, name: str, value: Any) -> None:
    """Set an input by its identifier."""
    if HAS_PROPERTIES:
        getattr(modifier.properties.inputs, name).value = value
    else:
        modifier[name] = value


def identifier(modifier: NodesModifier, label: str) -> str | None:
    """The identifier of an input by its label."""
    return next((socket.identifier for socket in _sockets(modifier.node_group) if socket.name == label), None)


def _sockets(group: NodeTree) -> list[NodeTreeInterfaceSocket]:
    return [item for item in group.interface.items_tree if item.item_type == "SOCKET" and item.in_out == "INPUT"]
