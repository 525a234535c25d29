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
    names = [each.identifier for each in _sockets(modifier.node_group)]
    inputs = {name: getattr(modifier.properties.inputs, name, None) for name in names}
    return {name: each.value for name, each in inputs.items() if hasattr(each, "value")}


def input_of(modifier: NodesModifier, label: str) -> Any:
    """The value of an input by its label."""
    name = identifier(modifier, label)
    return getattr(modifier.properties.inputs, name).value if HAS_PROPERTIES else modifier[name]


def set_input(modifier: NodesModifier, name: str, value: Any) -> None:
    """Set an input by its identifier."""
    if HAS_PROPERTIES:
        getattr(modifier.properties.inputs, name).value = value
    else:
        modifier[name] = value


def identifier(modifier: NodesModifier, label: str) -> str:
    """The identifier of an input by its label."""
    return next(each.identifier for each in _sockets(modifier.node_group) if each.name == label)


def _sockets(group: NodeTree) -> list[NodeTreeInterfaceSocket]:
    return [each for each in group.interface.items_tree if each.item_type == "SOCKET" and each.in_out == "INPUT"]
