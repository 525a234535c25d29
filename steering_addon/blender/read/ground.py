"""The places of members: the faces of a mesh, the inside of a volume, a curve, or a formation around the crowd."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
from bpy.types import Depsgraph, Object
from mathutils import Matrix, Vector
from mathutils.bvhtree import BVHTree

from ...settings.placement import (
    Proposing,
    Sifting,
    Spots,
    along,
    evenly_along,
    ground_of_group,
    keeping_off,
    keeping_out,
    on_surface,
    scattered,
    sifted,
    walked_to,
    within,
)
from ...settings.population import ARRANGEMENTS, CIRCLE, CURVE, ONE_PLACE, OVER_ALL, SURFACE, VOLUME, Population
from ...settings.spots import first_free, formed, standable, ways_to, well_placed, with_headroom, with_room_to_turn
from ...simulation.arrays.vectors import unit
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
from .solids import Solids, fitting_region
from .sources import BodySource

NUMBERS = {choice.name: choice.number for choice in ARRANGEMENTS}
LABELS = {choice.number: choice.label for choice in ARRANGEMENTS}
CHOICE = "arrangement"
"""The setting that holds the arrangement."""
PLACE = "place"
"""The setting that holds the mesh, volume or curve, for arrangements that need one."""
WANTED = {SURFACE: "mesh", VOLUME: "region, Empty or closed mesh", CURVE: "curve"}
"""The kind of place of each arrangement that needs one."""
FITS: dict[int, Callable[[Object], bool]] = {
    SURFACE: lambda ob: ob.type in SOLID,
    VOLUME: lambda ob: ob.type in SOLID or ob.type == "EMPTY",
    CURVE: lambda ob: ob.type == "CURVE",
}
"""Whether an object is the kind of place that an arrangement needs."""


def shown(arrangement: str) -> list[str]:
    """The settings that apply to an arrangement, in the order of the panel; of an unknown one those of all."""
    number = NUMBERS.get(arrangement)
    declared = Population.parameters()
    names = [name for name, p in declared.items() if not p.only_with or number in p.only_with]
    if number in WANTED:
        names.insert(names.index(CHOICE) + 1, PLACE)
    return names


DENSITY = "Density"
"""The vertex group of a ground whose weights say how densely members stand on it."""


@dataclass(frozen=True)
class MemberGround:
    """The places where members of a crowd may be.

    Attributes:
        frame: (3, 3) the side, forward and up axis of the crowd, as columns.
        origin: (3,) position of the crowd in metres.
        spacing: metres between neighbors in an ordered arrangement.
        propose: proposes random spots; None in an ordered arrangement.
        better: propose those that are taken first, in turn; none if all are alike.
        sifts: leave out spots where something is in the way.
        line: the curve; None without one.
        made_of: the points of the place, which tell whether it has changed.
        is_in_part: whether members can stand on a part of the surface only.
    """

    population: Population
    frame: np.ndarray
    origin: np.ndarray
    spacing: float
    propose: Proposing | None
    better: tuple[Proposing, ...]
    sifts: tuple[Sifting, ...]
    line: Path | None
    made_of: np.ndarray
    is_in_part: bool

    @classmethod
    def of(
        cls,
        population: Population,
        crowd: Matrix,
        place: Object | None,
        middle: Vector,
        widest: float,
        depsgraph: Depsgraph,
        obstacles: Sequence[Object],
        overhead: Surfaces,
        other_bodies: tuple[np.ndarray, np.ndarray],
        moves: Locomotion,
    ) -> "MemberGround":
        """The ground of a crowd. Refused if the place does not suit the arrangement.

        Args:
            crowd: the world matrix of the crowd.
            place: the surface, volume or curve, for arrangements that need one.
            middle: of a group on a surface.
            widest: radius of the largest member in metres.
            obstacles: what members keep out of.
            overhead: the surfaces that may be too low over a place.
            other_bodies: the bodies that they keep out of, as balls: positions (m, 3) and radii (m,).
            moves: how the members will move, in columns of one entry.
        """
        kind = population.arrangement
        if kind in WANTED and place is None:
            raise Refusal(f"The arrangement {LABELS[kind]} has no place. Choose a {WANTED[kind]}.")
        if kind in WANTED and not FITS[kind](place):
            raise Refusal(f"{place.name} cannot be the place of the members. Choose a {WANTED[kind]}.")
        propose, better, line, made_of, is_in_part = None, (), None, np.zeros((0, 3)), False
        sifts: list[Sifting] = []
        matrix = doubles(crowd)
        frame = unit(matrix[:3, :3].T).T
        matrices = doubles([ob.evaluated_get(depsgraph).matrix_world for ob in obstacles]).reshape(-1, 4, 4)
        in_the_way = Solids([BodySource(ob, -1) for ob in obstacles]).read(matrices, depsgraph)
        body = moves.handling().stature(np.full(1, population.height if kind == SURFACE else 0.0))

        def keeps_out(proposed: Proposing) -> list[Sifting]:
            out = [keeping_out(proposed, in_the_way, widest, body)] if obstacles else []
            if len(overhead) and moves.grounded and not moves.clings:
                out.append(with_headroom(overhead, moves, widest))
            return [*out, keeping_off(*other_bodies, widest)] if len(other_bodies[0]) else out

        if kind == SURFACE:
            solid, heading = in_the_way if obstacles else None, frame[:, 1]
            on_mesh = _on_mesh(population, place, middle, widest, depsgraph, solid, keeps_out, heading, moves)
            propose, better, sifts, made_of, is_in_part = on_mesh
        elif kind == VOLUME:
            propose, wholly, made_of = _inside(place, widest, depsgraph)
            better = (sifted(propose, wholly),)
        elif kind == CURVE:
            line = _line(place, depsgraph)
            propose = None if population.evenly else along(line)
            made_of = np.concatenate([spline.points for spline in line])
        spacing = max(population.distance, 2.0 * widest)
        in_formation = formed(population, spacing, frame, matrix[:3, 3])
        sifts += keeps_out(propose or (along(line) if line is not None else lambda keys: in_formation(len(keys))))
        for sift in sifts:
            propose = propose and sifted(propose, sift)
            better = tuple(sifted(proposing, sift) for proposing in better)
        return cls(population, frame, matrix[:3, 3], spacing, propose, better, tuple(sifts), line, made_of, is_in_part)

    @property
    def in_order(self) -> bool:
        """Whether the arrangement is ordered rather than random."""
        return self.propose is None

    @property
    def fingerprint(self) -> str:
        """A hash that changes when members would get other places than before."""
        settings = asdict(self.population)
        # Objects and points stand in the same places.
        del settings["made_as"]
        if not (self.in_order and self.population.arrangement in (CIRCLE, CURVE)):
            # Adding members does not move the others.
            del settings["count"]
        numbers = [self.frame, self.made_of]
        if self.in_order:
            numbers += [np.array([self.spacing]), self.origin]
        text = repr(sorted(settings.items())).encode()
        return hashlib.sha256(b"".join([text, *(rows.astype(np.float32).tobytes() for rows in numbers)])).hexdigest()

    def spots(self, numbers: np.ndarray, radii: np.ndarray, standing: tuple[np.ndarray, np.ndarray]) -> Spots:
        """The spots of members; fewer than n, of the first members, if the room runs out. `numbers`: (n,) of the
        members, from 0, increasing; `radii`: (n,) of the bodies in metres; `standing`: positions (m, 3) and radii (m,)
        of existing bodies."""
        if self.propose is not None:
            return scattered(self.propose, self.population.seed, radii, self.population.distance, standing, self.better)
        if self.line is not None:
            spots = evenly_along(self.line, self.population.count, self.spacing, *self.sifts)
            return spots.take(numbers[numbers < len(spots.valid)])
        grows = self.population.arrangement not in (CIRCLE, ONE_PLACE)
        in_formation = formed(self.population, self.spacing, self.frame, self.origin)
        spots = first_free(in_formation, int(numbers.max(initial=-1)) + 1, self.sifts, grows=grows)
        return spots.take(numbers[numbers < len(spots.valid)])


def _on_mesh(
    population: Population,
    place: Object,
    middle: Vector,
    widest: float,
    depsgraph: Depsgraph,
    in_the_way: Obstacles | None,
    keeps_out: Callable[[Proposing], list[Sifting]],
    heading: np.ndarray,
    moves: Locomotion,
) -> tuple[Proposing, tuple[Proposing, ...], list[Sifting], np.ndarray, bool]:
    """How members are placed on a mesh: `propose`, `better`, `sifts`, `made_of`, and `is_in_part` of `MemberGround`.
    `in_the_way`: what they walk round, if anything; `heading`: (3,) theirs."""
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
        made_of = np.concatenate((made_of, [middle]))
        group = faces, _point_on(tree, middle), population.count, max(widest, 0.5 * population.distance)
        faces = ground_of_group(*group)
        ways = ways_to(group[1], ground, in_the_way, moves, widest) if in_the_way is not None else None
        if ways is not None:
            faces, reachable = walked_to(ways, keeps_out(on_surface(faces, 0.0, 0.0)), *group)
            sifts.append(reachable)
    propose, better = on_surface(faces, population.height, population.lean, density), ()
    if moves.stands:
        well = well_placed(propose, moves, ground, widest, heading, population.height)
        better = sifted(well, with_room_to_turn(ground, moves, widest)), well
    return propose, better, sifts, made_of, not on_top.all()


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


def _inside(ob: Object, room: float, depsgraph: Depsgraph) -> tuple[Proposing, Sifting, np.ndarray]:
    """Propose spots inside an object, and sift out those without room for a whole body of this radius, metres.

    The object has the shape that it has as a region, or would be given. Refused if it has no inside. Returns the
    proposal, the sifting, and the points (k, 3) that define the inside.
    """
    matrix = doubles(ob.evaluated_get(depsgraph).matrix_world)
    shape = ob.steering.region_shape if has_role(ob, Role.REGION) else fitting_region(ob, depsgraph)
    points = points_of(ob, depsgraph, None)
    low, high = points.min(axis=0), points.max(axis=0)
    if not (high > low).all():
        raise Refusal(f"{ob.name} has no inside. Choose a region, an Empty or a closed mesh.")
    region = RegionReader([ob], shape).read(depsgraph, depsgraph.scene.frame_current)
    fractions = np.maximum(1.0 - room / region.half[0], 0.0)

    def inside(places: np.ndarray, fraction: float | np.ndarray = 1.0) -> np.ndarray:
        return ~region.way_in(places, np.zeros(len(places), dtype=np.int64), fraction).any(axis=1)

    local = within(low, high, lambda places: inside(placed(places, matrix)))

    def propose(keys: np.ndarray) -> Spots:
        spots = local(keys)
        return Spots(placed(spots.position, matrix), spots.forward, spots.up, spots.valid)

    def sift(spots: Spots) -> Spots:
        return replace(spots, valid=spots.valid & inside(spots.position, fractions))

    made_of = np.array([[float(shape == "BOX")] * 3])
    if shape == "MESH":
        surface, corners = _mesh(ob, depsgraph)
        made_of = surface[corners].reshape(-1, 3)
    return propose, sift, np.concatenate((matrix[:, :3], np.stack((low, high)), made_of))


def _line(ob: Object, depsgraph: Depsgraph) -> Path:
    """The splines of a curve that have a length. Refused if the curve has no such spline."""
    lines = tuple(line for line in CurveReader(ob).read(depsgraph) if line.length > 0.0)
    if not lines:
        raise Refusal(f"{ob.name} has no length. Edit the curve or choose another one.")
    return lines


def _mesh(ob: Object, depsgraph: Depsgraph) -> tuple[np.ndarray, np.ndarray]:
    """The surface of an object itself, as of `body_sizes.triangles_of`. Refused if it has no faces."""
    points, corners = triangles_of(ob, depsgraph, None)
    if not len(corners):
        raise Refusal(f"{ob.name} has no faces. Choose another mesh.")
    return points, corners
