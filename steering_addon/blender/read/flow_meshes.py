"""Meshes as flows: colors or vectors painted on a surface, read as directions, or the directions of edges."""

import numpy as np
from bpy.types import Attribute, Depsgraph, Mesh, Object

from ...simulation.geometry.flows import Current, Flow, current
from ..objects.doubles import column_from, doubles, placed
from ..objects.rest_pose import vertices_of
from ..refusal import Refusal
from .edge_flows import marks, path_of_chains, wired
from .solids import changes_shape

VALUES = {"FLOAT_VECTOR": ("vector", 3), "FLOAT_COLOR": ("color", 4), "BYTE_COLOR": ("color", 4)}
"""The types of attributes that are read: the property that holds a value, and its number of components."""


class CurrentReader:
    """Reads one flow mesh frame after frame; a mesh that neither moves nor changes is computed only once."""

    def __init__(self, ob: Object) -> None:
        self.ob = ob
        self._stays = not changes_shape(ob, None)
        self._matrix: np.ndarray | None = None
        self._current: Flow | None = None

    def read(self, depsgraph: Depsgraph) -> Flow:
        """The flow of the mesh on the frame of the depsgraph. Refused if the mesh has neither paint nor edges to read,
        or an invalid transform."""
        evaluated = self.ob.evaluated_get(depsgraph)
        matrix = doubles(evaluated.matrix_world)
        if not np.isfinite(matrix).all():
            frame = depsgraph.scene.frame_current
            raise Refusal(f"{self.ob.name} has an invalid transform on frame {frame}. Check its keyframes and drivers.")
        if self._current is None or not self._stays or not np.array_equal(matrix, self._matrix):
            mesh = evaluated.to_mesh()
            if mesh is None:
                raise Refusal(f"{self.ob.name} has no mesh to read. Choose another flow.", about=[self.ob])
            try:
                self._current = _flow(self.ob, mesh, matrix)
            finally:
                evaluated.to_mesh_clear()
            self._matrix = matrix
        return self._current


def painted(mesh: Mesh, name: str) -> Attribute | None:
    """The attribute that holds the directions of a flow mesh; None if it has none. `name`: of the attribute; empty for
    the active color attribute."""
    attribute = mesh.attributes.get(name) if name else mesh.color_attributes.active_color
    known = attribute is not None and attribute.data_type in VALUES
    return attribute if known and attribute.domain in ("POINT", "CORNER", "FACE") else None


def _flow(ob: Object, mesh: Mesh, matrix: np.ndarray) -> Flow:
    """The flow painted on a mesh, or else along its edges."""
    name = ob.steering.flow_attribute
    points = placed(vertices_of(mesh), matrix)
    attribute = painted(mesh, name)
    if attribute is not None and len(mesh.polygons):
        return _current(mesh, attribute, points, matrix)
    if name and marks(mesh, name) is None:
        raise Refusal(f"The flow {ob.name} has {_missing(mesh, name)}, or choose another Flow Attribute.")
    chains = wired(mesh, name)
    # Modifiers may give it edges on another frame.
    if not chains and (not ob.modifiers or (len(mesh.polygons) and not name)):
        raise Refusal(f"The flow {ob.name} has {_missing(mesh, name)}, or choose a Flow Attribute.")
    return path_of_chains(chains, points)


def _missing(mesh: Mesh, name: str) -> str:
    """The missing part of a mesh that should be a flow, and the remedy, as the end of a sentence."""
    if not name:
        return "no active color attribute and no edges without faces. Paint one, draw edges"
    if painted(mesh, name) is not None:
        return f"no faces that {name} could be painted on. Add faces"
    if marks(mesh, name) is not None:
        return f"no edge that {name} marks. Mark the edges to flow along"
    return f"no vector, color or edge attribute {name}. Add one"


def _current(mesh: Mesh, attribute: Attribute, points: np.ndarray, matrix: np.ndarray) -> Current:
    values, width = VALUES[attribute.data_type]
    flow = column_from(attribute.data, values, width)[:, :3].astype(np.float64)
    if values == "color":
        # Gray means no flow; red, green and blue go along X, Y and Z, and the lack of them the opposite way.
        flow = 2.0 * flow - 1.0

    mesh.calc_loop_triangles()
    vertices, loops = (column_from(mesh.loop_triangles, name, 3, np.int32) for name in ("vertices", "loops"))
    faces = column_from(mesh.loop_triangles, "polygon_index", kind=np.int32)
    rows = {"POINT": vertices.ravel(), "CORNER": loops.ravel(), "FACE": np.repeat(faces, 3)}[attribute.domain]

    turn = matrix[:3, :3] / np.maximum(np.sqrt(np.einsum("ab,ab->b", matrix[:3, :3], matrix[:3, :3])), 1e-9)
    return current(points, vertices, np.einsum("ab,kb->ka", turn, flow[rows]).reshape(-1, 3, 3))
