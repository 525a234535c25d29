"""The operator that reverses the flow along edges."""

from collections.abc import Iterator
from typing import Any

import bmesh
import bpy
from bmesh.types import BMesh
from bpy.types import Context, Object

from ...simulation.roles import Role
from ..properties import has_role
from ..read.flow_meshes import REVERSED, EdgeChain, marked_chains
from ..refusal import Unneeded
from .polls import SteeringOperator, needed


def _flows_in_edit_mode(context: Context) -> Iterator[Object]:
    """The flows in Edit Mode; only one of several objects that share a mesh."""
    for ob in context.objects_in_mode_unique_data if context.mode == "EDIT_MESH" else ():
        if has_role(ob, Role.FLOW):
            yield ob


def _edits_flow(context: Context) -> bool:
    return next(_flows_in_edit_mode(context), None) is not None


class STEERING_OT_flow_switch_direction(SteeringOperator, bpy.types.Operator):
    """Reverse the flow along the selected chains of edges"""

    bl_label = "Switch Flow Direction"
    needs = (needed(_edits_flow, "Only available in Edit Mode of a mesh tagged as a flow"),)

    def carry_out(self, context):
        if not sum(_reverse(ob) for ob in _flows_in_edit_mode(context)):
            raise Unneeded("No flow reversed. Select edges that the flow runs along")


def _reverse(ob: Object) -> int:
    """Reverse the selected chains of a mesh in Edit Mode and return their number."""
    chains = _chains(ob)
    edited = bmesh.from_edit_mesh(ob.data)
    # Get the layer first: creating one invalidates references to edges and vertices.
    layer = _layer(edited)
    edited.edges.ensure_lookup_table()
    edited.verts.ensure_lookup_table()
    selected = [chain for chain in chains if _is_selected(edited, chain)]
    for chain in selected:
        rows = chain.edges.tolist()
        is_reversed = any(edited.edges[row][layer] for row in rows)
        for row in rows:
            edited.edges[row][layer] = not is_reversed
    bmesh.update_edit_mesh(ob.data, loop_triangles=False, destructive=False)
    return len(selected)


def _chains(ob: Object) -> list[EdgeChain]:
    """The chains of a mesh in Edit Mode, read from a copy because its attributes cannot be read in that mode."""
    ob.update_from_editmode()
    mesh = ob.data.copy()
    try:
        return marked_chains(mesh, ob.steering.flow_attribute)
    finally:
        bpy.data.meshes.remove(mesh)


def _layer(edited: BMesh) -> Any:
    """The edge layer that marks reversed edges. It may have another type if the user or a modifier created it."""
    layers = edited.edges.layers
    by_type = (getattr(layers, kind, {}) for kind in ("bool", "int", "float"))
    layer = next((of_type[REVERSED] for of_type in by_type if REVERSED in of_type), None)
    return layers.int.new(REVERSED) if layer is None else layer


def _is_selected(edited: BMesh, chain: EdgeChain) -> bool:
    """Whether an edge of a chain is selected or, if no edge of the mesh is, a vertex of the chain."""
    if any(edge.select for edge in edited.edges):
        return any(edited.edges[row].select for row in chain.edges.tolist())
    return any(edited.verts[row].select for row in chain.vertices.tolist())


def show_in_edges(self, context: Context) -> None:
    """Add the operator to the Edge menu if a flow is in Edit Mode."""
    if _edits_flow(context):
        self.layout.separator()
        self.layout.operator(STEERING_OT_flow_switch_direction.bl_idname)


ENTRIES = {"VIEW3D_MT_edit_mesh_edges": show_in_edges}
