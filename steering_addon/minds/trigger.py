"""A trigger as an animator sets it: its condition, and how strongly it calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..simulation.arrays.vectors import Mask, Number, Rows
from ..simulation.declaration import (
    Declared,
    Unit,
    called,
    choice,
    integer,
    length,
    number,
    only_with,
    seconds,
    share,
    switch,
)
from . import CATALOGUE
from .condition import Condition


def used(name: str, parameter: Any) -> Any:
    """The parameter, hidden unless the condition of the trigger depends on it."""
    return only_with("when", tuple(kind.stored_number for kind in CATALOGUE if name in kind.uses), parameter)


@dataclass(frozen=True)
class TriggerModel(Declared):
    """When a trigger calls, and how strongly.

    Every parameter is a column of one entry.
    """

    when: Rows = choice("NEAR", "When it calls vehicles", tuple(kind.choice() for kind in CATALOGUE))
    distance: Number = used("distance", length(10.0, "Distance within which it counts"))
    margin: Number = used("margin", length(2.0, "How far outside it counts: animals graze beyond an edge now and then"))
    angle: Number = used("angle", called("Field of View", number(4.71, "Full angle of view", Unit.ANGLE, 0.0, 6.2832)))
    count: Rows = used("count", integer(3, "Count of mates"))
    time: Number = used("time", seconds(2.0, "Time for which it has not got on"))
    speed: Number = used("speed", number(5.0, "Speed above which it calls", Unit.SPEED))
    strength: Number = number(
        1.0,
        "How strongly it calls; up to 0.5 it is not followed, 1.5 is more than any other. Keys and drivers may set it",
        Unit.NONE,
        0.0,
        2.0,
    )
    chance: Number = share(1.0, "Share of the vehicles that follow it")
    one_each: Mask = switch(False, "Each thing calls one vehicle only, the nearest that is free", animatable=False)


def condition_of(stored_number: int) -> type[Condition]:
    """The condition with a stored number."""
    return next(kind for kind in CATALOGUE if kind.stored_number == stored_number)


def trigger_of(model: TriggerModel, common: Mapping[str, Any], regions: Rows) -> Condition:
    """The trigger that the settings make.

    Args:
        common: what all triggers have besides: to, key, bodies, of, from_modes.
        regions: (k,) the rows of the regions in which it counts.
    """
    kind = condition_of(int(model.when[0]))
    settings: dict[str, Any] = {name: getattr(model, name)[0].item() for name in kind.uses if hasattr(model, name)}
    if "where" in kind.uses:
        settings["regions"] = np.asarray(regions, dtype=np.int64)
    strength, chance = float(model.strength[0]), float(model.chance[0])
    return kind(strength=strength, chance=chance, one_each=bool(model.one_each[0]), **common, **settings)
