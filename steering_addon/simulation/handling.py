"""Handling: how each body answers to steering, as behaviors take it into account."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays.vectors import Mask, Rows, Scalars

if TYPE_CHECKING:
    from .locomotion import Locomotion


@dataclass(frozen=True)
class Handling:
    """What locomotions say of their bodies, each under the same name.

    Attributes:
        turn_rate: (n,) the fastest turn at any speed, rad/s.
        axle: (n,) metres from the origin back to the axle that never slips sideways; nan for bodies without one.
        cornering: (n,) the sideways acceleration that is comfortable in bends, m/s2; inf for no limit.
        turning_circle: (n,) the radius of the tightest turn at cruise speed, metres; 0 where strength alone limits it.
        room_to_turn: (n,) metres that they come forward in a half turn; 0 where they stop first or only strength limits
            it.
        swings_round: (n,) whether they swing round to what is behind them; others stop first, or turn on the spot.
        uphill_slowing: (n,) how much they slow down uphill, from 0 to 1 as people do.
        slowest_share: (n,) share of cruise speed below which they stand instead of creeping; 0 for none.
        stall_share: (n,) share of top speed below which they cannot fly; 0 for bodies that can stop.
        steepest_climb, steepest_dive: (n,) tangents of the steepest ways up and down; inf for no limit.
        climb_share: (n,) share of top speed that is left at the steepest climb.
        reaction: (n,) seconds until they brake for what comes into the way; 0 for bodies without a driver.
    """

    turn_rate: Scalars
    axle: Scalars
    cornering: Scalars
    turning_circle: Scalars
    room_to_turn: Scalars
    swings_round: Mask
    uphill_slowing: Scalars
    slowest_share: Scalars
    stall_share: Scalars
    steepest_climb: Scalars
    steepest_dive: Scalars
    climb_share: Scalars
    reaction: Scalars

    @classmethod
    def of(cls, bodies: Iterable[tuple[Locomotion, Rows | None]], n: int) -> Handling:
        """That of n vehicles, from each locomotion in use and the rows of its vehicles, None for all."""
        columns: dict[str, Any] = {}
        for body, rows in bodies:
            for name in (field.name for field in fields(cls)):
                known = getattr(body, name)
                if rows is None:
                    columns[name] = known
                else:
                    columns.setdefault(name, np.empty(n, known.dtype))[rows] = known
        return cls(**columns)

    def take(self, rows: Rows) -> Handling:
        """That of some of the vehicles."""
        return Handling(*(getattr(self, field.name)[rows] for field in fields(self)))
