"""Which vehicles have parts that the settings move, but that no drivers do: wheels that stay up as a body sinks."""

from collections.abc import Iterable, Sequence

from bpy.types import Object

from ..animation.custom_properties import reading_drivers
from ..moving import known_locomotion


def undriven(vehicles: Iterable[Object], crowds: Iterable[Object | None]) -> dict[str, list[Object]]:
    """The vehicles without drivers that a setting of theirs needs, by the label of that setting; `crowds`: the crowd of
    each vehicle."""
    asked: dict[tuple[str, Sequence[str]], list[Object]] = {}
    for ob, crowd in zip(vehicles, crowds):
        known = known_locomotion(ob, crowd) if crowd is not None and not ob.steering.locked else None
        if known is None:
            continue
        holder, kind = known
        # Reading a group that was never set writes it into the file.
        if not kind.needs_drivers or not holder.steering.is_property_set(kind.name):
            continue
        settings = getattr(holder.steering, kind.name)
        for parameter, outputs in kind.needs_drivers.items():
            if getattr(settings, parameter) > 0.0:
                asked.setdefault((kind.parameters()[parameter].called(parameter), outputs), []).append(ob)
    missing: dict[str, list[Object]] = {}
    for (label, outputs), obs in asked.items():
        drivers = reading_drivers(obs, outputs)
        missing.setdefault(label, []).extend(ob for ob in obs if not drivers[ob].keys() >= set(outputs))
    return missing
