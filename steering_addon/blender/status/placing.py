"""The objects that stand in the way of a run as they are now: vehicles, obstacles and surfaces.

Vehicles that start where they cannot stand or move as meant, obstacles whose shape covers much more than the object, or
a way through it, and surfaces that have walls. What Blender has evaluated already is read and measured, once, and again
only when something that it is made from has changed.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np
from bpy.types import Depsgraph, Object, Scene

from ...simulation.arrays.scalars import Mask, Rows, Scalars, shared, which
from ...simulation.arrays.vectors import Vectors, columns, cross, magnitude, no_vectors, unit
from ...simulation.geometry.fitting import TOO_MUCH, Fit
from ...simulation.geometry.surfaces import NO_SURFACES, Surfaces, surfaces
from ...simulation.locomotion import Locomotion
from ...simulation.roles import Role
from ...simulation.terrain import Misplaced, Terrain
from ...simulation.vehicle import Motion, VehicleModel
from ..animation.frame_rate import frame_range
from ..moving import locomotion_of, own_locomotion_of
from ..objects.body_sizes import triangles_of
from ..objects.doubles import axes_of_model, doubles, placed
from ..objects.hierarchy import Family
from ..objects.tagged_objects import capsule_of, crowds_of, has_role
from ..read.curves import sketched
from ..read.dependencies import may_move
from ..read.fingerprint import digest_of_shapes
from ..read.links import lines_of
from ..read.locomotions import LocomotionReader
from ..read.solids import SHAPE_LABELS, SHAPE_NUMBERS, SHAPES, fit_of, passers_height
from ..read.sources import may_be_active
from ..read.surfaces import SurfaceReader
from ..refusal import Refusal, choice_in

MOST_FACES = 250_000
"""Faces of surfaces beyond which nothing is looked for before the bake: sorting them takes more than half a second."""


ONTO = 0.5
"""Metres above and below the end of a link within which there has to be a surface."""
AROUND = np.array([(i, j, 0.0) for i in (0.0, 0.4, -0.4, 0.8, -0.8) for j in (0.0, 0.4, -0.4, 0.8, -0.8)])
"""Places about the end of a link at one of which there has to be one, metres."""


@dataclass
class _Known:
    """The surfaces of a scene, and who was found misplaced on them."""

    made_of: bytes = b""
    surfaces: Surfaces = NO_SURFACES
    names: dict[Misplaced, list[str]] = field(default_factory=dict)


_known: dict[int, _Known] = {}
"""By the session_uid of the scene."""


def forget() -> None:
    """Forget what was read and measured, as when another file is opened."""
    _known.clear()
    _shapes_known.clear()


def misplaced(
    scene: Scene, roles: Mapping[Role, Sequence[Object]], baked: Collection[Object]
) -> Mapping[Misplaced, list[Object]]:
    """The vehicles that start where they cannot stand or move as meant, by what is wrong.

    While a mesh is edited, and on frames to which surfaces have moved, they are those found before. `baked`: the
    vehicles that play a bake, which tells itself what went wrong; they are left out.
    """
    surfaces = [ob for ob in roles[Role.SURFACE] if may_be_active(ob)]
    standing = _standing(roles[Role.VEHICLE], baked) if surfaces else []
    if not standing:
        _known.pop(scene.session_uid, None)
        return {}
    known = _known.setdefault(scene.session_uid, _Known())
    depsgraph = depsgraph_at_start(scene, surfaces)
    if depsgraph is not None:
        known.names = {}
        try:
            if _read_surfaces(known, surfaces, depsgraph, scene.frame_current):
                vehicles = _find_misplaced(standing, known.surfaces, depsgraph, scene.frame_current)
                known.names = {kind: [ob.name_full for ob in obs] for kind, obs in vehicles.items() if obs}
        except Refusal:
            # A bake tells what is wrong.
            pass
    named = {ob.name_full: ob for ob, *_ in standing}
    return {kind: [named[name] for name in names if name in named] for kind, names in known.names.items()}


def loose_links(scene: Scene, links: Sequence[Object]) -> list[Object]:
    """The links of which an end lies on no surface, as far as surfaces are known."""
    known, depsgraph = _known.get(scene.session_uid), depsgraph_at_start(scene, links)
    if known is None or not len(known.surfaces) or depsgraph is None:
        return []
    return [
        ob for ob in links if any(_is_loose(points, known.surfaces) for points in lines_of(ob, depsgraph, sketched))
    ]


def _is_loose(points: Vectors, surfaces: Surfaces) -> bool:
    """Whether a line (k, 3) has an end beside which there is nothing to stand on."""
    x, y, z = (points[[0, -1], None] + AROUND).reshape(-1, 3).T
    step = shared(ONTO, len(x))
    on_ground = surfaces.under(x, y, z, step, step).triangle.reshape(2, -1) >= 0
    return not bool(on_ground.any(axis=1).all())


def _standing(
    vehicles: Sequence[Object], baked: Collection[Object]
) -> list[tuple[Object, Object, type[Locomotion] | None]]:
    """The vehicles that a bake would move and that stand on surfaces, with their crowds and own locomotions."""
    standing, usual = [], {}
    for ob, crowd in zip(vehicles, crowds_of(vehicles)):
        if crowd is None or ob.steering.locked or ob in baked:
            continue
        try:
            if crowd not in usual:
                usual[crowd] = locomotion_of(crowd)
            kind = own_locomotion_of(ob)
        except Refusal:
            continue
        # A bake tells whose size is not a number.
        if (kind or usual[crowd]).stands and math.isfinite(capsule_of(ob)[0]):
            standing.append((ob, crowd, kind))
    return standing


def depsgraph_at_start(scene: Scene, objects: Iterable[Object]) -> Depsgraph | None:
    """The depsgraph that Blender evaluated last for a scene, if it shows some objects as a run begins. None outside
    Object Mode, on other frames if objects may have moved since, and if there is none yet."""
    if bpy.context.mode != "OBJECT" or (scene.frame_current != frame_range(scene)[0] and any(map(may_move, objects))):
        return None
    return (bpy.context.view_layer if bpy.context.scene == scene else scene.view_layers[0]).depsgraph


def _read_surfaces(known: _Known, surfaces: Sequence[Object], depsgraph: Depsgraph, frame: int) -> bool:
    """Read the surfaces if something about them has changed; False if there are too many faces. Refused if a surface
    has a vertex or a transform that is not a number."""
    made_of = digest_of_shapes(surfaces)
    if made_of == known.made_of:
        return len(known.surfaces) > 0
    known.made_of, known.surfaces = made_of, NO_SURFACES
    evaluated = [part.evaluated_get(depsgraph) for ob in surfaces for part in (ob, *ob.children_recursive)]
    if sum(len(part_now.data.polygons) for part_now in evaluated if part_now.type == "MESH") <= MOST_FACES:
        known.surfaces = SurfaceReader(surfaces).read(depsgraph, frame)
    return len(known.surfaces) > 0


def _find_misplaced(
    standing: Sequence[tuple[Object, Object, type[Locomotion] | None]],
    surfaces: Surfaces,
    depsgraph: Depsgraph,
    frame: int,
) -> dict[Misplaced, list[Object]]:
    objects, n = [ob for ob, _, _ in standing], len(standing)
    crowds = list(dict.fromkeys(crowd for _, crowd, _ in standing))
    row_of = {crowd: row for row, crowd in enumerate(crowds)}
    crowd_row = np.array([row_of[crowd] for _, crowd, _ in standing])
    kinds = {row: kind for row, (_, _, kind) in enumerate(standing) if kind is not None}
    fleet = LocomotionReader(crowds, crowd_row, objects.__getitem__, kinds).read(depsgraph, frame)
    motion, lift = _starts(objects)
    radius = np.array([capsule_of(ob)[0] for ob in objects])
    model, terrain = VehicleModel.of(n, radius=radius), Terrain(surfaces, surfaces, lift)
    on_surfaces = _meant_for(surfaces, motion.position, crowd_row)
    vehicles: dict[Misplaced, list[Object]] = {kind: [] for kind in Misplaced}
    for body, some in fleet.alike:
        rows = np.arange(n) if some is None else some
        bodies_motion = Motion(*(column[rows] for column in vars(motion).values()))
        masks = body.misplaced(model.take(rows), bodies_motion, terrain.take(rows))
        for kind, mask in masks.items():
            counts = mask & on_surfaces[rows] if kind is Misplaced.OFF_GROUND else mask
            vehicles[kind] += [objects[number_of_row] for number_of_row in rows[counts].tolist()]
    return vehicles


def _meant_for(surfaces: Surfaces, place: Vectors, crowd_row: Rows) -> Mask:
    """The vehicles, (n,), that are meant to stand on surfaces: those of whose crowd some are above or below one. All of
    them, if that is true of no crowd."""
    x, y, z = place.T
    anywhere = shared(np.inf, len(x))
    beside = surfaces.under(x, y, z, anywhere, anywhere).triangle < 0
    near_one = np.isin(crowd_row, crowd_row[~beside])
    return near_one | ~near_one.any()


def _starts(objects: Sequence[Object]) -> tuple[Motion, Scalars]:
    """Where vehicles that play no bake start, at rest, and how high their origins are above their feet, (n,) metres."""
    matrices = doubles([_matrix(ob) for ob in objects]).reshape(-1, 4, 4)
    axes = np.array([axes_of_model(ob) for ob in objects])
    forward: Vectors = unit(np.einsum("nab,nb->na", matrices[:, :3, :3], axes[:, :, 1]))
    up: Vectors = unit(np.einsum("nab,nb->na", matrices[:, :3, :3], axes[:, :, 2]))
    place = columns(*(matrices[:, k, 3] for k in range(3)))
    lift = np.array([_lift(ob) for ob in objects])
    return Motion(place, no_vectors(len(place)), cross(forward, up), forward, up), lift


def _matrix(ob: Object):
    """The world matrix by an object's own channels: a preview shows it elsewhere."""
    if ob.parent is None:
        return ob.matrix_basis
    if ob.parent_type != "OBJECT":
        return ob.matrix_world
    return ob.parent.matrix_world @ ob.matrix_parent_inverse @ ob.matrix_basis


def _lift(ob: Object) -> float:
    settings = ob.steering
    if settings.height <= 0.0:
        return 0.0
    axis = "XYZ".index(settings.up_axis[-1])
    return abs(settings.origin_height * ob.scale[axis] * ob.delta_scale[axis])


MOST_MEASURED = 50_000
"""Faces of an object beyond which it is measured only when it is tagged: that takes more than half a second."""


UPRIGHT = 0.3
"""The largest cosine, between its normal and up, of a face that is a wall."""
KNEE, BESIDE, EVEN = 0.25, 0.2, 0.15
"""Shares of the height of those who pass: what is higher above the floor is no step, how far beside a wall the floor is
looked for, and how much higher it may be on one side than on the other."""

_shapes_known: dict[tuple[int, str], tuple[bytes, Any]] = {}
"""By the session_uid of the object and what is measured, what it was made from and what was found."""


def covering(scene: Scene, obstacles: Iterable[Object]) -> dict[str, list[Object]]:
    """The obstacles to be kept out of that cover more than TOO_MUCH times their volume, or a way through them, by what
    to say of them: a sentence that begins with a verb in the singular."""
    by_text: dict[str, list[Object]] = {}
    family, height = None, 0.0
    for ob in obstacles:
        try:
            shape, side = (choice_in(ob.steering, name) for name in ("obstacle_shape", "obstacle_side"))
        except Refusal:
            continue
        if shape == "MESH" or side == "INSIDE":
            continue
        if family is None:
            family, height = Family(), passers_height(scene)
        fit = _fit(scene, ob, family, height)
        if fit is None or not fit.has_faces:
            continue
        instead = SHAPES[fit.shape]
        if instead != shape and (fit.closes or fit.covers[SHAPE_NUMBERS[shape]] > TOO_MUCH):
            extent = "a way through" if fit.closes else f"more than {TOO_MUCH:g} times the volume of the object"
            text = f"covers {extent}. Set Shape to {SHAPE_LABELS[instead]}, not {SHAPE_LABELS[shape]}"
            by_text.setdefault(text, []).append(ob)
    return by_text


def walled(scene: Scene, ground: Iterable[Object]) -> list[Object]:
    """The surfaces with walls that stand on their own floor, and that are no obstacles: nobody keeps out of these."""
    bare, height = [ob for ob in ground if not has_role(ob, Role.OBSTACLE)], passers_height(scene)
    if height <= 0.0:
        return []
    family = Family()

    def measure(ob: Object, depsgraph: Depsgraph) -> bool:
        return _has_walls(ob, depsgraph, height)

    return [ob for ob in bare if _measured(scene, ob, family, "walls", height, measure)]


def _has_walls(ob: Object, depsgraph: Depsgraph, height: float) -> bool:
    """Whether upright faces of an object stand where those of a height could walk on both sides of them."""
    points, triangles = triangles_of(ob, depsgraph, None)
    points = placed(points, doubles(ob.evaluated_get(depsgraph).matrix_world))
    corners = points[triangles]
    normal = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size, middle = magnitude(normal), corners.mean(axis=1)
    rows = which((size > 0.0) & (np.abs(normal[:, 2]) < UPRIGHT * size))
    if not len(rows):
        return False
    floor, sides = surfaces([(points, triangles)]), []
    down, none = shared(height, len(rows)), shared(0.0, len(rows))
    for side in (BESIDE * height, -BESIDE * height):
        x, y, z = (middle[rows] + normal[rows] * (side / size[rows])[:, None]).T
        below = floor.under(x, y, z, none, down).height
        free = ~floor.any_between(x, y, below + KNEE * height, below + height)
        sides.append(np.where(free & (z - below > KNEE * height), below, np.nan))
    return bool((np.abs(sides[0] - sides[1]) < EVEN * height).any())


def _fit(scene: Scene, ob: Object, family: Family, height: float) -> Fit | None:
    """The fit of shapes to an object, as of `_measured`."""

    def measure(ob: Object, depsgraph: Depsgraph) -> Fit:
        return fit_of(ob, depsgraph, family, height)

    return _measured(scene, ob, family, "fit", height, measure)


def _measured(
    scene: Scene, ob: Object, family: Family, what: str, height: float, measure: Callable[[Object, Depsgraph], Any]
) -> Any:
    """A measure of an object, as last taken while it cannot be; None if it never could."""
    key, depsgraph = (ob.session_uid, what), depsgraph_at_start(scene, [ob])
    stored = _shapes_known.get(key)
    if depsgraph is None:
        return stored[1] if stored else None
    made_of = digest_of_shapes([ob]) + repr(height).encode()
    if stored and stored[0] == made_of:
        return stored[1]
    found = None
    evaluated = [part.evaluated_get(depsgraph) for part in (ob, *family.descendants(ob))]
    if sum(len(body.data.polygons) for body in evaluated if body.type == "MESH") <= MOST_MEASURED:
        # A bake tells what is wrong.
        with suppress(Refusal):
            found = measure(ob, depsgraph)
    _shapes_known[key] = made_of, found
    return found
