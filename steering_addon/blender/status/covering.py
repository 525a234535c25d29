"""The obstacles whose shape covers much more than the object, or a way through it, and the surfaces that have walls.

An object is measured as Blender has evaluated it already, and again only when what it is made from has changed.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import numpy as np
from bpy.types import Depsgraph, Object, Scene

from ...simulation.arrays.scalars import shared, which
from ...simulation.arrays.vectors import cross, magnitude
from ...simulation.geometry.fitting import TOO_MUCH, Fit
from ...simulation.geometry.surfaces import surfaces
from ...simulation.roles import Role
from ..objects.body_sizes import triangles_of
from ..objects.doubles import doubles, placed
from ..objects.hierarchy import Family
from ..objects.tagged_objects import has_role
from ..read.fingerprint import digest_of_shapes
from ..read.solids import SHAPE_LABELS, SHAPE_NUMBERS, SHAPES, fit_of, passers_height
from ..refusal import Refusal, choice_in
from .placing import depsgraph_at_start

MOST_FACES = 50_000
"""Faces of an object beyond which it is measured only when it is tagged: that takes more than half a second."""


UPRIGHT = 0.3
"""The largest cosine, between its normal and up, of a face that is a wall."""
KNEE, BESIDE, EVEN = 0.25, 0.2, 0.15
"""Shares of the height of those who pass: what is higher above the floor is no step, how far beside a wall the floor is
looked for, and how much higher it may be on one side than on the other."""

_known: dict[tuple[int, str], tuple[bytes, Any]] = {}
"""By the session_uid of the object and what is measured, what it was made from and what was found."""


def forget() -> None:
    """Forget what was measured, as when another file is opened."""
    _known.clear()


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
    stored = _known.get(key)
    if depsgraph is None:
        return stored[1] if stored else None
    made_of = digest_of_shapes([ob]) + repr(height).encode()
    if stored and stored[0] == made_of:
        return stored[1]
    found = None
    evaluated = [part.evaluated_get(depsgraph) for part in (ob, *family.descendants(ob))]
    if sum(len(body.data.polygons) for body in evaluated if body.type == "MESH") <= MOST_FACES:
        # A bake tells what is wrong.
        with suppress(Refusal):
            found = measure(ob, depsgraph)
    _known[key] = made_of, found
    return found
