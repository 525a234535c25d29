"""The kinds of place that members of a crowd may be placed on or in, and the spots that each proposes."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

import numpy as np
from bpy.types import Depsgraph, Object
from mathutils import Vector
from mathutils.bvhtree import BVHTree

from ...settings.placement import (
    Proposing,
    Sifting,
    Spots,
    along,
    ground_of_group,
    keeping_off,
    keeping_out,
    on_surface,
    sifted,
    walked_to,
    within,
)
from ...settings.population import CURVE, OVER_ALL, SURFACE, VOLUME, Population
from ...settings.spots import out_of_solids, standable, ways_to, well_placed, with_headroom, with_room_to_turn
from ...simulation.geometry.obstacles import Obstacles
from ...simulation.geometry.paths import Path
from ...simulation.geometry.surfaces import Surfaces, surfaces
from ...simulation.locomotion import Locomotion
from ...simulation.roles import Role
from ..objects.body_sizes import SOLID, points_of, triangles_of
from ..objects.doubles import doubles, placed
from ..properties import has_role
from ..refusal import Refusal
from .curves import CurveReader
from .reading import RegionReader
from .solids import fitting_region

DENSITY = "Density"
"""The vertex group of a ground whose weights say how densely members stand on it."""


@dataclass(frozen=True)
class Newcomers:
    """The members to place, and the bodies that they keep out of.

    Attributes:
        frame: (3, 3) the side, forward and up axis of the crowd, as columns.
        origin: (3,) position of the crowd in metres.
        middle: of a group on a surface.
        widest: radius of the largest member in metres.
        moves: how the members will move, in columns of one entry.
        obstacles: the obstacles that they keep out of and walk round; None without any.
        overhead: the surfaces that may be too low over a place, or hold it inside.
        other_bodies: the bodies that they keep out of, as balls: positions (m, 3) and radii (m,).
    """

    population: Population
    frame: np.ndarray
    origin: np.ndarray
    middle: Vector
    widest: float
    moves: Locomotion
    obstacles: Obstacles | None
    overhead: Surfaces
    other_bodies: tuple[np.ndarray, np.ndarray]

    def keeping_clear(self, proposed: Proposing) -> list[Sifting]:
        """Functions that leave out those of the proposed spots where something is in the way."""
        sifts: list[Sifting] = []
        if self.obstacles is not None:
            above = self.population.height if self.population.arrangement == SURFACE else 0.0
            body = self.moves.handling().stature(np.full(1, above))
            sifts.append(keeping_out(proposed, self.obstacles, self.widest, body))
        if len(self.overhead) and self.moves.grounded and not self.moves.clings:
            sifts.append(with_headroom(self.overhead, self.moves, self.widest))
        if len(self.other_bodies[0]):
            sifts.append(keeping_off(*self.other_bodies, self.widest))
        return sifts


@dataclass(frozen=True)
class Proposals:
    """The spots that a place proposes, of which those are taken where nothing is in the way.

    Attributes:
        propose: proposes random spots; None in an ordered arrangement.
        better: propose those that are taken first, in turn; none if all are alike.
        sifts: leave out spots that do not suit.
        line: the curve; None without one.
        made_of: the points of the place, which tell whether it has changed.
        is_in_part: whether members can stand on a part of the surface only.
    """

    propose: Proposing | None = None
    better: tuple[Proposing, ...] = ()
    sifts: tuple[Sifting, ...] = ()
    line: Path | None = None
    made_of: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    is_in_part: bool = False

    def sifted(self, sifts: Iterable[Sifting]) -> "Proposals":
        """These proposals without the spots that functions leave out."""
        propose, better = self.propose, self.better
        for sift in sifts:
            propose = propose and sifted(propose, sift)
            better = tuple(sifted(proposing, sift) for proposing in better)
        return replace(self, propose=propose, better=better, sifts=(*self.sifts, *sifts))


def _on_surface(place: Object, members: Newcomers, depsgraph: Depsgraph) -> Proposals:
    """Spots on the faces of a mesh, spread over all of it or for a group."""
    population, moves, widest = members.population, members.moves, members.widest
    points, corners = _mesh_in_the_world(place, depsgraph)
    ground = surfaces([(points, corners.astype(np.int64))])
    on_top = standable(points[corners], moves)
    faces, sifts, density = points[corners][on_top], [], None
    made_of = faces.reshape(-1, 3)
    if population.spread == OVER_ALL:
        density = _density(place, depsgraph, corners[on_top])
        made_of = made_of if density is None else np.concatenate((made_of, density))
    elif len(faces):
        tree = BVHTree.FromPolygons(points.tolist(), corners[on_top].tolist())
        made_of = np.concatenate((made_of, [members.middle]))
        faces, sifts = _of_group(faces, _point_on(tree, members.middle), ground, members)
    propose, better = on_surface(faces, population.height, population.lean, density), ()
    if moves.stands:
        well = well_placed(propose, moves, ground, widest, members.frame[:, 1], population.height)
        better = sifted(well, with_room_to_turn(ground, moves, widest)), well
        if moves.clings and len(members.overhead):
            # In a room whose walls are a closed surface too there are no others.
            better = sifted(well, out_of_solids(members.overhead, widest)), *better
    return Proposals(propose, better, made_of=made_of, is_in_part=not on_top.all()).sifted(sifts)


def _of_group(
    faces: np.ndarray, middle: np.ndarray, ground: Surfaces, members: Newcomers
) -> tuple[np.ndarray, list[Sifting]]:
    """The part of faces (t, 3, 3) of a ground for a group around its middle (3,), and functions that leave out spots
    from which no way leads to it."""
    population, widest = members.population, members.widest
    group = faces, middle, population.count, max(widest, 0.5 * population.distance)
    if members.obstacles is not None:
        ways = ways_to(middle, ground, members.obstacles, members.moves, widest)
        if ways is not None:
            near, reachable = walked_to(ways, members.keeping_clear(on_surface(faces, 0.0, 0.0)), *group)
            return near, [reachable]
    return ground_of_group(*group), []


def _point_on(tree: BVHTree, point: Vector) -> np.ndarray:
    """The point (3,) of a surface above or below another, or else the nearest one."""
    hits = (tree.ray_cast(point, direction) for direction in (Vector((0.0, 0.0, 1.0)), Vector((0.0, 0.0, -1.0))))
    nearest = min((hit for hit in hits if hit[0] is not None), key=lambda hit: hit[3], default=tree.find_nearest(point))
    return doubles(nearest[0])


def _mesh_in_the_world(ob: Object, depsgraph: Depsgraph) -> tuple[np.ndarray, np.ndarray]:
    """The points (k, 3) of an evaluated object in world space, and the corners of its triangles as rows (t, 3) of them.
    Refused if the object has no faces with an area."""
    points, corners = _mesh(ob, depsgraph)
    points = placed(points, doubles(ob.evaluated_get(depsgraph).matrix_world))
    triangles = points[corners]
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    if not (normals != 0.0).any() or not np.isfinite(triangles).all():
        raise Refusal(f"{ob.name} has no faces to place members on. Choose another mesh.")
    return points, corners


def _density(ob: Object, depsgraph: Depsgraph, corners: np.ndarray) -> np.ndarray | None:
    """How densely members are to stand at the corners of triangles, (t, 3); None if nothing says so. The weights of the
    vertex group `Density` do. Refused if they are 0 everywhere."""
    group = ob.vertex_groups.get(DENSITY) if ob.type == "MESH" else None
    if group is None:
        return None
    evaluated = ob.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    weights = np.zeros(len(mesh.vertices))
    for vertex in mesh.vertices:
        for element in vertex.groups:
            if element.group == group.index:
                weights[vertex.index] = element.weight
    evaluated.to_mesh_clear()
    density = weights[corners]
    if not (density > 0.0).any():
        raise Refusal(f"The weights {DENSITY} of {ob.name} are 0 where members could stand. Paint some, or remove it.")
    return density


def _in_volume(place: Object, members: Newcomers, depsgraph: Depsgraph) -> Proposals:
    """Spots inside an object, those first that have room for a whole body. The object has the shape that it has as a
    region, or would be given. Refused if it has no inside."""
    matrix = doubles(place.evaluated_get(depsgraph).matrix_world)
    shape = place.steering.region_shape if has_role(place, Role.REGION) else fitting_region(place, depsgraph)
    points = points_of(place, depsgraph, None)
    low, high = points.min(axis=0), points.max(axis=0)
    if not (high > low).all():
        raise Refusal(f"{place.name} has no inside. Choose a region, an Empty or a closed mesh.")
    region = RegionReader([place], shape).read(depsgraph, depsgraph.scene.frame_current)
    fractions = np.maximum(1.0 - members.widest / region.half[0], 0.0)

    def inside(places: np.ndarray, fraction: float | np.ndarray = 1.0) -> np.ndarray:
        return ~region.way_in(places, np.zeros(len(places), dtype=np.int64), fraction).any(axis=1)

    local = within(low, high, lambda places: inside(placed(places, matrix)))

    def propose(keys: np.ndarray) -> Spots:
        spots = local(keys)
        return Spots(placed(spots.position, matrix), spots.forward, spots.up, spots.valid)

    def wholly(spots: Spots) -> Spots:
        return replace(spots, valid=spots.valid & inside(spots.position, fractions))

    made_of = np.array([[float(shape == "BOX")] * 3])
    if shape == "MESH":
        surface, corners = _mesh(place, depsgraph)
        made_of = surface[corners].reshape(-1, 3)
    made_of = np.concatenate((matrix[:, :3], np.stack((low, high)), made_of))
    return Proposals(propose, (sifted(propose, wholly),), made_of=made_of)


def _on_curve(place: Object, members: Newcomers, depsgraph: Depsgraph) -> Proposals:
    """Spots on the splines of a curve that have a length. Refused if the curve has no such spline."""
    line = tuple(spline for spline in CurveReader(place).read(depsgraph) if spline.length > 0.0)
    if not line:
        raise Refusal(f"{place.name} has no length. Edit the curve or choose another one.")
    propose = None if members.population.evenly else along(line)
    return Proposals(propose, line=line, made_of=np.concatenate([spline.points for spline in line]))


def _mesh(ob: Object, depsgraph: Depsgraph) -> tuple[np.ndarray, np.ndarray]:
    """The surface of an object itself, as of `body_sizes.triangles_of`. Refused if it has no faces."""
    points, corners = triangles_of(ob, depsgraph, None)
    if not len(corners):
        raise Refusal(f"{ob.name} has no faces. Choose another mesh.")
    return points, corners


@dataclass(frozen=True)
class PlaceKind:
    """A kind of place that an arrangement needs.

    Attributes:
        wanted: its name in messages.
        fits: tells whether an object may be such a place.
        propose: the spots that a fitting object proposes. Refused if it has none.
    """

    wanted: str
    fits: Callable[[Object], bool]
    propose: Callable[[Object, Newcomers, Depsgraph], Proposals]


PLACE_KINDS = {
    SURFACE: PlaceKind("mesh", lambda ob: ob.type in SOLID, _on_surface),
    VOLUME: PlaceKind("region, Empty or closed mesh", lambda ob: ob.type in SOLID or ob.type == "EMPTY", _in_volume),
    CURVE: PlaceKind("curve", lambda ob: ob.type == "CURVE", _on_curve),
}
"""The kind of place of each arrangement that needs one."""
