"""Meshes whose edges draw a flow: which edges these are, and the lines they form."""

import numpy as np
from bpy.types import Attribute, Mesh

from ...simulation.arrays.vectors import Mask
from ...simulation.geometry.paths import Path, spline
from ..objects.doubles import column_from
from .chains import EdgeChain, chains

MARKS = {"BOOLEAN": np.bool_, "INT": np.int32, "INT8": np.int32, "FLOAT": np.float32}
"""The types of attributes that can mark edges."""
REVERSED = "flow_reversed"
"""The edge attribute that marks reversed chains; stored in files."""
SAMPLES, FINENESS = 48, 4
"""Least samples of a chain, and samples per vertex: a mesh may have hundreds of chains."""
MOST_SAMPLES = 1024


def marks(mesh: Mesh, name: str) -> Attribute | None:
    """The attribute of this name that marks edges of a mesh, None if it has none."""
    attribute = mesh.attributes.get(name) if name else None
    known = attribute is not None and attribute.domain == "EDGE" and attribute.data_type in MARKS
    return attribute if known else None


def wired(mesh: Mesh, name: str) -> list[EdgeChain]:
    """The chains of the edges that an attribute marks; without a name, those of the loose edges."""
    edges = column_from(mesh.edges, "vertices", 2, np.int32)
    rows = np.flatnonzero(_marked(mesh, name) if name else column_from(mesh.edges, "is_loose", kind=np.bool_))
    marked = chains(edges[rows], _marked(mesh, REVERSED)[rows])
    return [EdgeChain(chain.vertices, rows[chain.edges], chain.closed) for chain in marked]


def path_of_chains(edge_chains: list[EdgeChain], points: np.ndarray) -> Path:
    """The path whose lines are chains through the points (v, 3), in world space."""
    lines = [(points[chain.vertices], chain.closed) for chain in edge_chains]
    return tuple(spline(line, closed, min(SAMPLES + FINENESS * len(line), MOST_SAMPLES)) for line, closed in lines)


def _marked(mesh: Mesh, name: str) -> Mask:
    attribute = marks(mesh, name)
    if attribute is None:
        return np.zeros(len(mesh.edges), dtype=np.bool_)
    return column_from(attribute.data, "value", kind=MARKS[attribute.data_type]) != 0
