"""Handling: how each body answers to steering, as its locomotion says and behaviors take it into account."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .arrays.frozen import Columns
from .arrays.scalars import Mask, Rows, Scalars, shared
from .arrays.vectors import Vectors
from .geometry.stature import Stature


def usual(value: bool | float) -> Any:
    """A column that holds one value for most bodies, so that a locomotion names it only where its own differ."""
    return field(default=value)


@dataclass(frozen=True)
class Handling(Columns):
    """The handling of n bodies. A locomotion gives columns (n,), and leaves out what is as usual.

    Attributes:
        turn_rate: the fastest turn at any speed, rad/s.
        smoothing_time: seconds over which others smooth the acceleration by which they see a body turn.
        axle: metres from the origin back to the axle that never slips sideways; nan for bodies without one.
        cornering: the sideways acceleration that is comfortable in bends, m/s2; inf for no limit.
        turning_circle: the radius of the tightest turn at cruise speed, metres; 0 where strength alone limits it.
        room_to_turn: metres that a body comes forward in a half turn; 0 if it stops first or strength alone limits it.
        side_step: share of cruise speed at which a body that stands steps aside or back; less the faster it walks.
        swings_round: whether a body swings round to what is behind it; others stop first, or turn on the spot.
        stops_to_turn: seconds in which a body could stop that turns on the spot to what it hurries to; 0 for none.
        uphill_slowing: how much a body slows down uphill, from 0 to 1 as people do.
        slowest_share: share of cruise speed below which a body stands instead of creeping; 0 for none.
        stall_share: share of top speed below which a body cannot fly; 0 for bodies that can stop.
        steepest: slope of the steepest ground that a body climbs, radians; inf for no limit.
        step: the highest step that a body takes on surfaces, metres; inf for bodies that do not walk on them.
        gap: the widest gap in a surface that it bridges, metres.
        headroom: what has to be free above the ground where it goes, metres.
        steepest_climb, steepest_dive: tangents of the steepest ways up and down; inf for no limit.
        climb_share: share of top speed that is left at the steepest climb.
        dart: the speed of a dart from what is near, as a multiple of top speed; 1 for bodies that do not dart.
        reaction: seconds until the driver brakes for what comes into the way; 0 for bodies without a driver.
    """

    turn_rate: Scalars
    smoothing_time: Scalars = usual(0.1)
    axle: Scalars = usual(np.nan)
    cornering: Scalars = usual(np.inf)
    turning_circle: Scalars = usual(0.0)
    room_to_turn: Scalars = usual(0.0)
    side_step: Scalars = usual(0.0)
    swings_round: Mask = usual(False)
    stops_to_turn: Scalars = usual(0.0)
    uphill_slowing: Scalars = usual(0.0)
    slowest_share: Scalars = usual(0.0)
    stall_share: Scalars = usual(0.0)
    steepest: Scalars = usual(np.inf)
    step: Scalars = usual(np.inf)
    gap: Scalars = usual(np.inf)
    headroom: Scalars = usual(np.inf)
    steepest_climb: Scalars = usual(np.inf)
    steepest_dive: Scalars = usual(np.inf)
    climb_share: Scalars = usual(1.0)
    dart: Scalars = usual(1.0)
    reaction: Scalars = usual(0.0)

    def __post_init__(self) -> None:
        columns = vars(self)
        for name, column in columns.items():
            if not isinstance(column, np.ndarray):
                kind: Any = type(column)
                columns[name] = shared(column, len(self.turn_rate), kind)

    @classmethod
    def of(cls, parts: "Iterable[tuple[Handling, Rows | None]]", n: int) -> "Handling":
        """The handling of n vehicles, by locomotion with the rows of its vehicles, None for all."""
        columns: dict[str, Any] = {}
        for handling, rows in parts:
            if rows is None:
                return handling
            for name, column in vars(handling).items():
                columns.setdefault(name, np.empty(n, column.dtype))[rows] = column
        return cls(**columns)

    def stature(self, lift: Scalars) -> Stature:
        """How the bodies stand whose origins are (n,) metres above the places where they stand: those that need
        headroom are as tall as that."""
        tall = np.isfinite(self.headroom)
        step = np.minimum(np.where(np.isfinite(self.step), self.step, 0.0), self.headroom)
        feet, step, head = (np.where(tall, up - lift, 0.0) for up in (0.0, step, self.headroom))
        return Stature(feet, step, head, self.steepest)

    def smoothed(self, before: Vectors, acceleration: Vectors, dt: float) -> Vectors:
        """The smoothed acceleration, (n, 3) m/s2, by which others see a vehicle turn; a low-pass filter. `before`: (n,
        3) its value before the step; `acceleration`: (n, 3) what the step applied, m/s2; `dt`: seconds."""
        return before + (acceleration - before) * (dt / (self.smoothing_time + dt))[:, None]


def side_step(share: Scalars, pace: Scalars, along: Scalars) -> Scalars:
    """How fast bodies may step aside or back while they go ahead, (n,), in the unit of `pace` and `along`.

    Args:
        share: (n,) of the pace at which they do where they stand; 0 for those that do not.
        along: (n,) how fast they go ahead.
    """
    return share * np.maximum(pace - np.maximum(along, 0.0), 0.0)
