"""Turning round the flow along edges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import bmesh
import bpy

from ...simulation.roles import Role
from ..properties import has_role
from ..read.edge_flows import REVERSED, wired

if TYPE_CHECKING:
    from bmesh.types import BMesh
    from bpy.types import Context, Object

    from ..read.chains import Chain


class STEERING_OT_flow_switch_direction(bpy.types.Operator):
    """Let the flow run the other way along the lines of edges that something is selected of"""

    bl_idname = "steering.flow_switch_direction"
    bl_label = "Switch Flow Direction"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context) -> bool:
        if next(_edited(context), None) is not None:
            return True
        cls.poll_message_set("Only in Edit Mode of a mesh that is a flow: select the edges to turn round")
        return False

    def execute(self, context):
        turned = sum(_turn_round(ob) for ob in _edited(context))
        if not turned:
            self.report({"WARNING"}, "Nothing turned round: select edges that the flow runs along")
            return {"CANCELLED"}
        return {"FINISHED"}


def _edited(context: Context) -> Iterator[Object]:
    """The flows that are in Edit Mode, of those that share a mesh one."""
    for ob in context.objects_in_mode_unique_data if context.mode == "EDIT_MESH" else ():
        if has_role(ob, Role.FLOW):
            yield ob


def _turn_round(ob: Object) -> int:
    """Let the selected chains of a mesh in Edit Mode go the other way; how many there were."""
    found = _chains(ob)
    edited = bmesh.from_edit_mesh(ob.data)
    # Asked for before anything is looked up: a new layer would make what was looked up void.
    layer = _layer(edited)
    edited.edges.ensure_lookup_table()
    edited.verts.ensure_lookup_table()
    chosen = [chain for chain in found if _selected(edited, chain)]
    for chain in chosen:
        rows = chain.edges.tolist()
        against = any(edited.edges[row][layer] for row in rows)
        for row in rows:
            edited.edges[row][layer] = not against
    bmesh.update_edit_mesh(ob.data, loop_triangles=False, destructive=False)
    return len(chosen)


def _chains(ob: Object) -> list[Chain]:
    """The chains of a mesh in Edit Mode, by way of a copy, as its own attributes cannot be read there."""
    ob.update_from_editmode()
    mesh = ob.data.copy()
    try:
        return wired(mesh, ob.steering.flow_attribute)
    finally:
        bpy.data.meshes.remove(mesh)


def _layer(edited: BMesh) -> Any:
    """Where it is kept which edges go the other way; an artist or a modifier may have made it another type."""
    layers = edited.edges.layers
    known = (getattr(layers, kind, {}) for kind in ("bool", "int", "float"))
    there = next((kind[REVERSED] for kind in known if REVERSED in kind), None)
    return layers.int.new(REVERSED) if there is None else there


def _selected(edited: BMesh, chain: Chain) -> bool:
    """Whether an edge of a chain is selected, or where none is at all, a vertex."""
    if any(edge.select for edge in edited.edges):
        return any(edited.edges[row].select for row in chain.edges.tolist())
    return any(edited.verts[row].select for row in chain.vertices.tolist())


def show_in_edges(self, context: Context) -> None:
    """A line in the Edge menu of meshes that are flows."""
    if next(_edited(context), None) is not None:
        self.layout.separator()
        self.layout.operator(STEERING_OT_flow_switch_direction.bl_idname)


def register() -> None:
    bpy.utils.register_class(STEERING_OT_flow_switch_direction)
    bpy.types.VIEW3D_MT_edit_mesh_edges.append(show_in_edges)


def unregister() -> None:
    bpy.types.VIEW3D_MT_edit_mesh_edges.remove(show_in_edges)
    bpy.utils.unregister_class(STEERING_OT_flow_switch_direction)
