"""Letting the vehicles of a crowd differ in speed, size, mass and start speed.

How far a vehicle differs is stored beside what it has, so that another try starts from what it had before. What it
looks like goes with its size.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...settings.variation import factors
from ...simulation.arrays.chance import keys_of
from ...simulation.roles import Role
from ..identity import distinct_identities
from ..read.dependencies import animated_paths
from ..refusal import Refusal
from ..tagged_objects import crowd_of, in_use, tagged

if TYPE_CHECKING:
    from bpy.types import Object, Scene

VARIED = {"speed": "speed_factor", "size": "size_factor", "mass": "mass_factor", "start_speed": "start_speed"}
"""What vehicles differ in, and the property of their own that says so."""
MOST_NAMES = 5
"""So many objects are named in a warning."""


@dataclass(frozen=True)
class Amounts:
    """By how much vehicles differ at most, each as a share: 0.1 is a tenth more or less."""

    speed: float = 0.0
    size: float = 0.0
    mass: float = 0.0
    start_speed: float = 0.0


def vary(
    scene: Scene,
    crowd: Object | None,
    amounts: Amounts,
    *,
    seed: int = 0,
    scale_objects: bool = True,
    only: Iterable[Object] | None = None,
) -> list[str]:
    """Let vehicles differ by chance, each as far as its identity says; what was varied before starts over.

    Locked vehicles are left as they are. Where the scale of an object cannot follow, it keeps its size.

    Args:
        crowd: whose vehicles; None for those of all crowds.
        only: those of them that vary, where not all do.

    Returns:
        Warnings that name what was left alone.

    Raises:
        Refusal: there is no vehicle that may vary.
    """
    vehicles = [ob for ob in tagged(in_use(scene), Role.VEHICLE) if not ob.steering.locked]
    chosen = [ob for ob in vehicles if crowd is None or crowd_of(ob) == crowd]
    if only is not None:
        wanted = set(only)
        chosen = [ob for ob in chosen if ob in wanted]
    if not chosen:
        whose = f"The crowd {crowd.name} has" if crowd is not None else "The selection holds"
        raise Refusal(f"{whose} no vehicle that may vary: tag some, or unlock them.")
    linked = [ob for ob in chosen if ob.library is not None or not ob.is_editable]
    chosen = [ob for ob in chosen if ob not in linked]
    # All vehicles, as whoever shares a number with one of another crowd has a new one.
    identities = distinct_identities(vehicles)
    keys = keys_of(seed, np.array([identities[ob.name] for ob in chosen], dtype=np.int64))
    keyed, held = [], []
    drawn = {what: factors(keys, what, getattr(amounts, what)).tolist() for what in VARIED}
    for row, ob in enumerate(chosen):
        animated = animated_paths(ob)
        for what, name in VARIED.items():
            factor = drawn[what][row]
            if f"steering.{name}" in animated:
                keyed += [ob] if differs(ob, what, factor) else []
            elif what == "size" and scale_objects and not _scale_is_free(ob, animated):
                held += [ob] if differs(ob, "scale", factor) else []
            else:
                _set(ob, what, name, factor)
                if what == "size" and scale_objects:
                    _scale(ob, factor)
    return [
        *_warning("Linked objects were left alone", linked),
        *_warning("Keys or drivers say what these are like, which was left alone", keyed),
        *_warning("The scale of these is keyed, driven or locked, so they keep their size", held),
    ]


def give_size_back(scene: Scene, objects: Iterable[Object]) -> None:
    """Let vehicles look as they did before they were varied; locked ones stay as they are."""
    varied = [ob for ob in objects if ob.steering.is_property_set("variation") and not ob.steering.locked]
    if varied:
        vary(scene, None, Amounts(), only=varied)


def differs(ob: Object, what: str, factor: float) -> bool:
    """Whether a vehicle is not yet multiplied so."""
    return abs(_before(ob, what) - factor) > 1e-6


def _before(ob: Object, what: str) -> float:
    """What a value was multiplied by last time; looking writes nothing."""
    own = ob.steering
    return getattr(own.variation, what) if own.is_property_set("variation") else 1.0


def _set(ob: Object, what: str, name: str, factor: float) -> None:
    if not differs(ob, what, factor):
        return
    own = ob.steering
    usual = getattr(own, name) / _before(ob, what)
    most = own.bl_rna.properties[name].hard_max
    if usual > 0.0:
        factor = min(factor, most / usual)
    setattr(own.variation, what, factor)
    setattr(own, name, usual * getattr(own.variation, what))


def _scale(ob: Object, factor: float) -> None:
    if not differs(ob, "scale", factor):
        return
    usual = np.array(ob.scale, dtype=np.float64) / _before(ob, "scale")
    ob.steering.variation.scale = factor
    ob.scale = usual * ob.steering.variation.scale


def _scale_is_free(ob: Object, animated: set[str]) -> bool:
    return "scale" not in animated and not any(ob.lock_scale)


def _warning(text: str, objects: list[Object]) -> list[str]:
    if not objects:
        return []
    names = list(dict.fromkeys(ob.name for ob in objects))
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return [f"{text}: {', '.join(names[:MOST_NAMES])}{more}"]
