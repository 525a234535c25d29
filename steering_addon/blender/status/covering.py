"""The obstacles whose shape covers much more than the object, or a way through it.

An object is measured as Blender has evaluated it already, and again only when what it is made from has changed.
"""

from collections.abc import Iterable
from contextlib import suppress

from bpy.types import Object, Scene

from ...simulation.geometry.fitting import TOO_MUCH, Fit
from ..objects.hierarchy import Family
from ..read.fingerprint import digest_of_shapes
from ..read.solids import SHAPE_LABELS, SHAPE_NUMBERS, SHAPES, fit_of, passers_height
from ..refusal import Refusal, choice_in
from .placing import depsgraph_at_start

MOST_FACES = 50_000
"""Faces of an object beyond which it is measured only when it is tagged: that takes more than half a second."""


_known: dict[int, tuple[bytes, Fit | None]] = {}
"""By the session_uid of the object, what it was made from and how shapes fit it."""


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


def _fit(scene: Scene, ob: Object, family: Family, height: float) -> Fit | None:
    """The fit of shapes to an object, as last measured while it cannot be; None if it never could."""
    stored, depsgraph = _known.get(ob.session_uid), depsgraph_at_start(scene, [ob])
    if depsgraph is None:
        return stored[1] if stored else None
    made_of = digest_of_shapes([ob]) + repr(height).encode()
    if stored and stored[0] == made_of:
        return stored[1]
    fit = None
    evaluated = [part.evaluated_get(depsgraph) for part in (ob, *family.descendants(ob))]
    if sum(len(body.data.polygons) for body in evaluated if body.type == "MESH") <= MOST_FACES:
        # A bake tells what is wrong.
        with suppress(Refusal):
            fit = fit_of(ob, depsgraph, family, height)
    _known[ob.session_uid] = made_of, fit
    return fit
