"""Changes of a crowd cache after the simulation: the points of a small mesh, each at the key of its agent."""

from typing import Any

import bmesh
import bpy
import numpy as np
from bpy.types import Mesh, Object

from ...simulation.arrays.identities import rows_among
from .shown_models import add_column, get_column, set_column

HALF = 1 << 16
"""A key is an identity in two parts, each of which single precision holds."""
COLUMNS: dict[str, tuple[str, Any]] = {
    "hidden": ("BOOLEAN", False),
    "frame_offset": ("FLOAT", 0.0),
    "speed": ("FLOAT", 1.0),
    "variant": ("INT", -1),
    "offset": ("FLOAT_VECTOR", (0.0, 0.0, 0.0)),
    "picked": ("BOOLEAN", False),
}
"""The attributes of the points of edits: the types of their values, and those that change nothing."""


def keys_of(identity: np.ndarray) -> np.ndarray:
    """The keys (n, 3) of agents by their identities (n,)."""
    numbers = identity.astype(np.int64)
    return np.column_stack((numbers % HALF, numbers // HALF, np.zeros(len(numbers)))).astype(np.float32)


def identities_of(keys: np.ndarray) -> np.ndarray:
    """The identities (n,) of agents by their keys (n, 3)."""
    numbers = np.rint(keys).astype(np.int64)
    return numbers[:, 0] + numbers[:, 1] * HALF


def no_edits(crowd: str) -> Mesh:
    """A mesh without edits, for a crowd of this name."""
    mesh = bpy.data.meshes.new(f"{crowd} Edits")
    for key, (kind, _) in COLUMNS.items():
        mesh.attributes.new(key, kind, "POINT")
    return mesh


def edits_of(mesh: Mesh | None, identities: np.ndarray) -> dict[str, np.ndarray]:
    """The edits of agents, a column (n,) for each attribute by name; the usual value where there is none."""
    row = _rows(mesh, identities)
    columns = {}
    for name, (_, usual) in COLUMNS.items():
        column = np.full((len(identities), *np.shape(usual)), usual)
        if mesh is not None and name in mesh.attributes:
            column[row >= 0] = get_column(mesh, name)[row[row >= 0]]
        columns[name] = column
    return columns


def picked_in(mesh: Mesh) -> np.ndarray:
    """The identities of the agents (m,) for which objects stand, or did."""
    if "picked" not in mesh.attributes or not len(mesh.vertices):
        return np.zeros(0, dtype=np.int64)
    return identities_of(get_column(mesh, "position")[get_column(mesh, "picked")])


def edit_agents(edits: Object, identities: np.ndarray, **values: Any) -> None:
    """Change agents (n,) by their identities; `values`: of attributes, for all of them. What changes nothing goes."""
    mesh = edits.data
    for name, (kind, usual) in COLUMNS.items():
        if name not in mesh.attributes:
            add_column(mesh, name, kind, np.full((len(mesh.vertices), *np.shape(usual)), usual))
    columns = edits_of(mesh, identities)
    added = identities[_rows(mesh, identities) < 0]
    count = len(mesh.vertices)
    mesh.vertices.add(len(added))
    mesh.vertices.foreach_set("co", np.concatenate((get_column(mesh, "position")[:count], keys_of(added))).ravel())
    row = _rows(mesh, identities)
    for name, column in columns.items():
        all_values = get_column(mesh, name)
        column[:] = values.get(name, column)
        all_values[row] = column
        set_column(mesh, name, all_values)
    unchanged = [(columns[name] == usual).reshape(len(row), -1).all(axis=1) for name, (_, usual) in COLUMNS.items()]
    _remove(mesh, row[np.all(unchanged, axis=0)])
    mesh.update()
    edits.update_tag()


def _rows(mesh: Mesh | None, identities: np.ndarray) -> np.ndarray:
    """The rows of agents (n,) among the points of a mesh of edits; -1 of those that have none."""
    if mesh is None or not len(mesh.vertices):
        return np.full(len(identities), -1)
    return rows_among(identities_of(get_column(mesh, "position")), identities)


def _remove(mesh: Mesh, rows: np.ndarray) -> None:
    if not len(rows):
        return
    edited = bmesh.new()
    try:
        edited.from_mesh(mesh)
        edited.verts.ensure_lookup_table()
        for vertex in [edited.verts[row] for row in rows.tolist()]:
            edited.verts.remove(vertex)
        edited.to_mesh(mesh)
    finally:
        edited.free()
