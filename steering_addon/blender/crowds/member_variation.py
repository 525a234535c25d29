"""Random variation of vehicles in speed, size, mass and start speed.

The factors are stored on the vehicle, so that varying again starts from the original values. The scale of the object
changes with its size.
"""

from collections.abc import Iterable, Mapping

import numpy as np
from bpy.types import Object, Scene

from ...settings.population import factors
from ...simulation.arrays.chance import keys_of
from ...simulation.roles import Role
from ..objects.identity import distinct_identities
from ..objects.tagged_objects import crowd_of, in_use, list_names, tagged
from ..read.dependencies import KeyedPaths, animated_paths
from ..refusal import Refusal, check_stored

VARIED = {"speed": "speed_factor", "size": "size_factor", "mass": "mass_factor", "start_speed": "start_speed"}
"""The properties of a vehicle that vary, by the name of their amount."""


def vary(
    scene: Scene,
    crowd: Object | None,
    amounts: Mapping[str, float | None],
    *,
    seed: int = 0,
    scale_objects: bool = True,
    only: Iterable[Object] | None = None,
) -> list[str]:
    """Vary vehicles randomly by their identities, replacing an earlier variation.

    Locked vehicles are left unchanged. An object whose scale cannot change keeps its size. Refused if no vehicle can be
    varied, or a setting of one is not a number. Returns warnings that name the objects that were left unchanged.

    Args:
        crowd: the crowd to vary; None for all crowds.
        amounts: the largest variation of each property, as a share: 0.1 is up to a tenth more or less; 0 of those that
            are missing, and None leaves one alone.
        scale_objects: whether the scale of objects changes with their size.
        only: restricts the variation to these vehicles.
    """
    vehicles = [ob for ob in tagged(in_use(scene), Role.VEHICLE) if not ob.steering.locked]
    allowed = None if only is None else set(only)
    chosen = [ob for ob in vehicles if allowed is None or ob in allowed]
    if crowd is not None:
        chosen = [ob for ob in chosen if crowd_of(ob) == crowd]
    if not chosen:
        source = f"The crowd {crowd.name} has" if crowd is not None else "The selection has"
        raise Refusal(f"{source} no unlocked vehicles. Tag vehicles or unlock them.")
    linked = [ob for ob in chosen if ob.library is not None or not ob.is_editable]
    chosen = [ob for ob in chosen if ob not in linked]
    check_stored(chosen)
    # Of all vehicles: copies in several crowds may share an identity, and all but one get another.
    identities = distinct_identities(vehicles)
    keys = keys_of(seed, np.array([identities[ob.name] for ob in chosen], dtype=np.int64))
    animated_objects, unscaled = [], []
    shares = {amount: share for amount in VARIED if (share := amounts.get(amount, 0.0)) is not None}
    drawn = {amount: factors(keys, amount, share).tolist() for amount, share in shares.items()}
    keyed: KeyedPaths = {}
    for row, ob in enumerate(chosen):
        animated = animated_paths(ob, keyed)
        for amount in drawn:
            name, factor = VARIED[amount], drawn[amount][row]
            if f"steering.{name}" in animated:
                animated_objects += [ob] if differs(ob, amount, factor) else []
            elif amount == "size" and scale_objects and not scale_is_free(ob, animated):
                unscaled += [ob] if differs(ob, "scale", factor) else []
            else:
                _set(ob, amount, name, factor)
                if amount == "size" and scale_objects:
                    _scale(ob, factor)
    return [
        *_warning("Linked objects were left unchanged", linked),
        *_warning("Keyframed or driven values were left unchanged", animated_objects),
        *_warning("Size kept because the scale is keyframed, driven or locked", unscaled),
    ]


def give_size_back(scene: Scene, objects: Iterable[Object]) -> None:
    """Undo the variation of vehicles; locked vehicles are left unchanged."""
    varied = [ob for ob in objects if ob.steering.is_property_set("variation") and not ob.steering.locked]
    if varied:
        vary(scene, None, {}, only=varied)


def differs(ob: Object, amount: str, factor: float) -> bool:
    """Whether a property of a vehicle has another factor than this."""
    return abs(_current(ob, amount) - factor) > 1e-6


def _current(ob: Object, amount: str) -> float:
    """The current factor of a property. Writes nothing."""
    settings = ob.steering
    # No variation is a factor of 0, but a script may have written one.
    return (getattr(settings.variation, amount) or 1.0) if settings.is_property_set("variation") else 1.0


def _set(ob: Object, amount: str, name: str, factor: float) -> None:
    if not differs(ob, amount, factor):
        return
    settings = ob.steering
    original = getattr(settings, name) / _current(ob, amount)
    limit = settings.bl_rna.properties[name].hard_max
    if original > 0.0:
        factor = min(factor, limit / original)
    setattr(settings.variation, amount, factor)
    # The stored factor has 32 bits; multiplying by it lets the next variation restore the original.
    setattr(settings, name, original * getattr(settings.variation, amount))


def _scale(ob: Object, factor: float) -> None:
    if not differs(ob, "scale", factor):
        return
    before = _current(ob, "scale")
    original = np.array(ob.scale, dtype=np.float64) / before
    ob.steering.variation.scale = factor
    ob.scale = original * ob.steering.variation.scale
    ob.steering.measured_scale *= ob.steering.variation.scale / before


def scale_is_free(ob: Object, animated: set[str]) -> bool:
    """Whether the scale of an object may be set, given its `animated_paths`."""
    return "scale" not in animated and not any(ob.lock_scale)


def _warning(text: str, objects: list[Object]) -> list[str]:
    if not objects:
        return []
    names = list(dict.fromkeys(ob.name for ob in objects))
    return [f"{text}: {list_names(names)}"]
