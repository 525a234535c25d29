"""Where members are put: the faces of a mesh, the inside of something, a curve, or the crowd's own space."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
from mathutils import Matrix, Vector
from mathutils.bvhtree import BVHTree

from ....settings.placement import Proposing, Spots, along, evenly_along, formation, on_surface, scattered, within
from ....settings.population import CIRCLE, CURVE, SURFACE, VOLUME, Population
from ....simulation.arrays.vectors import dot, unit
from ....simulation.roles import Role
from ...properties import has_role
from ...read.body_sizes import SOLID, points_of
from ...read.curves import CurveReader
from ...refusal import Refusal
from .arrangement import FITS, PUT, WANTED

if TYPE_CHECKING:
    from bpy.types import Depsgraph, Object

    from ....simulation.geometry.paths import Path

SKEW = Vector((0.2672612, 0.5345225, 0.8017837))
"""A direction along which hardly any ray meets an edge."""
STEP = 1e-5
"""How far behind a hit a ray goes on, as a share of the size of what it goes through."""


@dataclass(frozen=True)
class Ground:
    """Where the members of a crowd may be.

    Attributes:
        population: how they stand.
        frame: (3, 3) the crowd's side, forward and up axis, as columns.
        origin: (3,) where the crowd is.
        apart: metres between neighbors, where they stand in order.
        propose: makes spots, where they stand by chance.
        line: the curve, where they stand along one.
        made_of: what all this was worked out from, as numbers.
    """

    population: Population
    frame: np.ndarray
    origin: np.ndarray
    apart: float
    propose: Proposing | None
    line: Path | None
    made_of: np.ndarray

    @classmethod
    def of(
        cls, population: Population, crowd: Matrix, place: Object | None, widest: float, depsgraph: Depsgraph
    ) -> Ground:
        """The ground of a crowd.

        Args:
            crowd: where that is and how it is turned.
            widest: the radius of the largest member.

        Raises:
            Refusal: the arrangement needs a place, and that is not one.
        """
        kind = population.arrangement
        if kind in WANTED and (place is None or not FITS[kind](place)):
            what = "Nothing" if place is None else place.name
            raise Refusal(f"{what} is no place for members to be {PUT[kind]}: choose a {WANTED[kind]}.")
        propose, line, made_of = None, None, np.zeros((0, 3))
        if kind == SURFACE:
            found = _triangles(place, depsgraph)
            propose, made_of = on_surface(found, population.height, population.lean), found
        elif kind == VOLUME:
            propose, made_of = _inside(place, depsgraph)
        elif kind == CURVE:
            line = _line(place, depsgraph)
            propose = None if population.evenly else along(line)
            made_of = np.concatenate([spline.points for spline in line])
        matrix = np.array(crowd)
        frame = unit(matrix[:3, :3].T).T
        apart = max(population.distance, 2.0 * widest)
        return cls(population, frame, matrix[:3, 3], apart, propose, line, made_of)

    @property
    def in_order(self) -> bool:
        """Whether they stand in an order, and not by chance."""
        return self.propose is None

    @property
    def mark(self) -> str:
        """Tells whether members would be put elsewhere than the last time."""
        settings = asdict(self.population)
        if not (self.in_order and self.population.arrangement in (CIRCLE, CURVE)):
            # More of them change nothing for the others.
            del settings["count"]
        numbers = [self.frame, self.made_of]
        if self.in_order:
            numbers += [np.array([self.apart]), self.origin]
        text = repr(sorted(settings.items())).encode()
        return hashlib.sha256(b"".join([text, *(part.astype(np.float32).tobytes() for part in numbers)])).hexdigest()

    def spots(self, numbers: np.ndarray, radii: np.ndarray, standing: tuple[np.ndarray, np.ndarray]) -> Spots:
        """Where the members of these numbers, from 0 and rising, stand; for the first of them, as far as there is room.

        Args:
            radii: (n,) of their bodies.
            standing: where others stand (m, 3), and their radii (m,).
        """
        if self.propose is not None:
            return scattered(self.propose, self.population.seed, radii, self.population.distance, standing)
        if self.line is not None:
            every = evenly_along(self.line, self.population.count, self.apart)
            return every.take(numbers[numbers < len(every.valid)])
        position = np.einsum("ab,kb->ka", self.frame, formation(self.population, numbers, self.apart)) + self.origin
        nowhere = np.zeros_like(position)
        return Spots(position, nowhere, nowhere, np.ones(len(numbers), dtype=bool))


def _triangles(ob: Object, depsgraph: Depsgraph) -> np.ndarray:
    """The faces of an object as triangles (t, 3, 3), in world space, with its modifiers.

    Raises:
        Refusal: it has none.
    """
    points, corners = _mesh(ob, depsgraph)
    matrix = np.array(ob.evaluated_get(depsgraph).matrix_world)
    points = np.einsum("ab,kb->ka", matrix[:3, :3], points) + matrix[:3, 3]
    found = points[corners]
    one, other = found[:, 1] - found[:, 0], found[:, 2] - found[:, 0]
    if not (np.cross(one, other) != 0.0).any() or not np.isfinite(found).all():
        raise Refusal(f"{ob.name} has no faces to stand on: choose a mesh that has some.")
    return found


def _inside(ob: Object, depsgraph: Depsgraph) -> tuple[Proposing, np.ndarray]:
    """Spots inside an object, and the numbers they are worked out from.

    A region is the sphere or box that it is for the vehicles, an Empty what it is drawn as, a mesh must be closed.

    Raises:
        Refusal: it has no inside.
    """
    matrix = np.array(ob.evaluated_get(depsgraph).matrix_world)
    region = has_role(ob, Role.REGION) and ob.steering.region_shape != "MESH"
    if region or ob.type == "EMPTY":
        box = ob.steering.region_shape == "BOX" if region else ob.empty_display_type == "CUBE"
        points = points_of(ob, depsgraph, None)
        test, made_of = (_everywhere if box else _in_ball(points)), np.array([[float(box)] * 3])
    else:
        points, corners = _mesh(ob, depsgraph)
        _check_closed(ob, corners)
        test, made_of = _in_mesh(points, corners), points[corners].reshape(-1, 3)
    low, high = points.min(axis=0), points.max(axis=0)
    if not (high > low).all():
        raise Refusal(f"{ob.name} has no inside: choose a region, an Empty or a closed mesh.")
    local = within(low, high, test)

    def propose(keys: np.ndarray) -> Spots:
        spots = local(keys)
        position = np.einsum("ab,kb->ka", matrix[:3, :3], spots.position) + matrix[:3, 3]
        return Spots(position, spots.forward, spots.up, spots.valid)

    return propose, np.concatenate((matrix[:, :3], np.stack((low, high)), made_of))


def _line(ob: Object, depsgraph: Depsgraph) -> Path:
    """The splines of a curve that have a length.

    Raises:
        Refusal: there are none.
    """
    found = tuple(line for line in CurveReader(ob).read(depsgraph) if line.length > 0.0)
    if not found:
        raise Refusal(f"{ob.name} has no length to stand along: draw it longer, or choose another curve.")
    return found


def _mesh(ob: Object, depsgraph: Depsgraph) -> tuple[np.ndarray, np.ndarray]:
    """The points (k, 3) of an object in its own space, and the rows of each triangle's corners (t, 3)."""
    evaluated = ob.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh() if ob.type in SOLID else None
    if mesh is None or not mesh.polygons:
        raise Refusal(f"{ob.name} has no faces: choose a mesh that has some.")
    mesh.calc_loop_triangles()
    points = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
    mesh.vertices.foreach_get("co", points)
    corners = np.empty(len(mesh.loop_triangles) * 3, dtype=np.int32)
    mesh.loop_triangles.foreach_get("vertices", corners)
    evaluated.to_mesh_clear()
    return points.reshape(-1, 3).astype(np.float64), corners.reshape(-1, 3)


def _check_closed(ob: Object, corners: np.ndarray) -> None:
    edges = np.sort(np.concatenate((corners[:, :2], corners[:, 1:], corners[:, ::2])), axis=1)
    _, count = np.unique(edges, axis=0, return_counts=True)
    if (count % 2 == 1).any():
        raise Refusal(f"{ob.name} is not closed, so that it has no inside: close it, or tag it as a region.")


def _everywhere(points: np.ndarray) -> np.ndarray:
    return np.ones(len(points), dtype=bool)


def _in_ball(points: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    low, high = points.min(axis=0), points.max(axis=0)
    middle, half = (low + high) / 2.0, np.maximum((high - low) / 2.0, 1e-12)

    def test(places: np.ndarray) -> np.ndarray:
        part = (places - middle) / half
        return dot(part, part) <= 1.0

    return test


def _in_mesh(points: np.ndarray, corners: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    tree = BVHTree.FromPolygons(points.tolist(), corners.tolist(), all_triangles=True)
    step = SKEW * (STEP * float((points.max(axis=0) - points.min(axis=0)).max()))

    def is_inside(place: list[float]) -> bool:
        hits, start = 0, Vector(place)
        while (hit := tree.ray_cast(start, SKEW)[0]) is not None:
            hits, start = hits + 1, hit + step
        return hits % 2 == 1

    return lambda places: np.array([is_inside(place) for place in places.tolist()], dtype=bool)
