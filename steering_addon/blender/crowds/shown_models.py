"""Geometry nodes that show models on points: each point has a position, and the attributes rotation, scale and variant.

What they show needs no extension. Without models, each point shows a cone that points forward.
"""

from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, Mesh, NodeSocket, NodeTree, Object

from ..read.evaluated_points import KINDS, column_of

OF_POINTS = {"rotation": "QUATERNION", "scale": "FLOAT_VECTOR", "variant": "INT"}
"""The attributes that say how a point shows its model, with their types."""
UNTURNED = (1.0, 0.0, 0.0, 0.0)
"""The rotation of what is not turned."""
SLENDER = 0.35
"""The radius of a cone as a share of its length."""


def show_models(ob: Object, models: Collection | Object | None, size: float) -> None:
    """Let an object show models on its points, which stay what its modifiers leave.

    Args:
        models: one for each variant, in the order of their names, or an object with an instance for each; None for
            cones.
        size: the length of a cone, metres.
    """
    tree = bpy.data.node_groups.new(f"{ob.name} Models", "GeometryNodeTree")
    tree.is_modifier = True
    for direction in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    nodes = _Nodes(tree)
    start, end = nodes.add("NodeGroupInput"), nodes.add("NodeGroupOutput")
    instance = nodes.models(models) if models is not None else nodes.cone(size)
    instances = nodes.add("GeometryNodeInstanceOnPoints")
    for name, value in (
        ("Points", start.outputs[0]),
        ("Instance", instance),
        ("Pick Instance", models is not None),
        ("Instance Index", nodes.attribute("variant")),
        ("Rotation", nodes.attribute("rotation")),
        ("Scale", nodes.attribute("scale")),
    ):
        nodes.give(instances.inputs[name], value)
    join = nodes.add("GeometryNodeJoinGeometry")
    for geometry in (start.outputs[0], instances.outputs[0]):
        tree.links.new(geometry, join.inputs[0])
    nodes.give(end.inputs[0], join.outputs[0])
    ob.modifiers.new("Models", "NODES").node_group = tree


def point_mesh(name: str, position: np.ndarray, rotation: np.ndarray, scale: np.ndarray, variant: np.ndarray) -> Mesh:
    """A mesh of points that show models; (n, 3), quaternions (n, 4), (n,) or (n, 3), and (n,)."""
    scale = scale if scale.ndim == 2 else np.tile(scale[:, None], 3)
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(position))
    for key, kind in OF_POINTS.items():
        mesh.attributes.new(key, kind, "POINT")
    for key, values in (("position", position), ("rotation", rotation), ("scale", scale), ("variant", variant)):
        set_column(mesh, key, values)
    mesh.update()
    return mesh


def set_column(mesh: Mesh, name: str, values: np.ndarray) -> None:
    """Set an attribute of the points of a mesh."""
    attribute = mesh.attributes[name]
    field, _, kind = KINDS[attribute.data_type]
    attribute.data.foreach_set(field, np.ascontiguousarray(values, kind).ravel())


def get_column(mesh: Mesh, name: str) -> np.ndarray:
    """An attribute of the points of a mesh, (n,) or (n, k) in its own type."""
    return column_of(mesh.attributes[name])


def add_column(mesh: Mesh, name: str, kind: str, values: np.ndarray) -> None:
    """Add an attribute of some type to the points of a mesh."""
    mesh.attributes.new(name, kind, "POINT")
    set_column(mesh, name, values)


class _Nodes:
    """Adds nodes to a tree, from left to right."""

    def __init__(self, tree: NodeTree) -> None:
        self.tree = tree

    def add(self, kind: str, **settings: Any) -> Any:
        node = self.tree.nodes.new(kind)
        node.location.x = 200.0 * len(self.tree.nodes)
        for name, value in settings.items():
            setattr(node, name, value)
        return node

    def give(self, socket: NodeSocket, value: Any) -> None:
        """Link a socket to another, or give it a value."""
        if isinstance(value, bpy.types.NodeSocket):
            self.tree.links.new(value, socket)
        else:
            socket.default_value = value

    def attribute(self, name: str) -> NodeSocket:
        node = self.add("GeometryNodeInputNamedAttribute", data_type=OF_POINTS[name])
        node.inputs["Name"].default_value = name
        return node.outputs[0]

    def models(self, models: Collection | Object) -> NodeSocket:
        """The children of a collection, each at its origin, or the instances of an object."""
        if isinstance(models, Object):
            node = self.add("GeometryNodeObjectInfo")
            node.inputs["Object"].default_value = models
            return node.outputs["Geometry"]
        node = self.add("GeometryNodeCollectionInfo")
        for socket, value in zip(node.inputs, (models, True, True)):
            socket.default_value = value
        return node.outputs[0]

    def cone(self, size: float) -> NodeSocket:
        cone = self.add("GeometryNodeMeshCone")
        for name, value in (("Vertices", 4), ("Radius Bottom", SLENDER * size), ("Depth", size)):
            cone.inputs[name].default_value = value
        transform = self.add("GeometryNodeTransform")
        self.give(transform.inputs["Geometry"], cone.outputs[0])
        # Its tip is up, and forward is Y.
        transform.inputs["Translation"].default_value = (0.0, -0.5 * size, 0.0)
        transform.inputs["Rotation"].default_value = (-np.pi / 2.0, 0.0, 0.0)
        return transform.outputs[0]
