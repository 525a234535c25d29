"""Intention: what behaviors say of their agents besides the force, and how what several say becomes one.

Each column is declared with its neutral value, which says nothing, and with the rule by which one more behavior adds to
what is known. Behaviors are asked in the order of the catalogue.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cache, lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .arrays.frozen import Columns, replace
from .arrays.scalars import Mask, Rows, Scalars, put
from .arrays.vectors import Vectors

Self = TypeVar("Self", bound="Intention")
Rule = Callable[[Any, Any, Scalars, Scalars], Any]
"""From a column that is known, the column that one more behavior says, its weights (n,) and the top speeds of the
vehicles (n,), m/s: the column that is known then."""
EVERY_OBSTACLE, EVERY_MOVING = -2, -3
"""In place of the row of an obstacle."""
PASSING_PLACES = 8
"""Places of an agent's way that tell on which side it is led past obstacles: one way may lead past several."""


def either(known: Mask, said: Mask, weight: Scalars, top: Scalars) -> Mask:
    """Any behavior with weight suffices."""
    return known | (weight != 0.0) & said


def either_weighed(known: Mask, said: Mask, weight: Scalars, top: Scalars) -> Mask:
    """Any behavior suffices; it has looked at its weight before it says so."""
    return known | said


def largest(known: Scalars, said: Scalars, weight: Scalars, top: Scalars) -> Scalars:
    """The largest number of behaviors with weight."""
    return np.fmax(known, np.where(weight != 0.0, said, np.nan))


def smallest(known: Scalars, said: Scalars, weight: Scalars, top: Scalars) -> Scalars:
    """The smallest number of behaviors with weight."""
    return np.minimum(known, np.where(weight != 0.0, said, np.inf))


def last_number(known: Scalars, said: Scalars, weight: Scalars, top: Scalars) -> Scalars:
    """The last behavior counts, whatever its weight."""
    return np.where(np.isnan(said), known, said)


def last_row(known: Rows, said: Rows, weight: Scalars, top: Scalars) -> Rows:
    """The last behavior with weight counts."""
    return np.where((weight != 0.0) & (said != -1), said, known)


def last_places(known: Vectors, said: Vectors, weight: Scalars, top: Scalars) -> Vectors:
    """The last behavior with weight counts; places (n, k, 3)."""
    return np.where(((weight != 0.0) & np.isfinite(said[:, 0, 0]))[:, None, None], said, known)


def first_row(known: Rows, said: Rows, weight: Scalars, top: Scalars) -> Rows:
    """The first behavior with weight counts."""
    return np.where((known == -1) & (weight != 0.0), said, known)


def first_place(known: Vectors, said: Vectors, weight: Scalars, top: Scalars) -> Vectors:
    """The first behavior with weight counts; places (n, 3)."""
    return np.where((np.isnan(known[:, 0]) & (weight != 0.0))[:, None], said, known)


def first_direction(known: Vectors, said: Vectors, weight: Scalars, top: Scalars) -> Vectors:
    """The first behavior with weight counts; directions (n, 3)."""
    return np.where(((known == 0.0).all(axis=1) & (weight != 0.0))[:, None], said, known)


def together(known: NDArray[np.int64], said: NDArray[np.int64], weight: Scalars, top: Scalars) -> NDArray[np.int64]:
    """The rows that all behaviors with weight say, (n, k)."""
    return np.concatenate((known, np.where((weight != 0.0)[:, None], said, -1)), axis=1)


def add_up(known: Vectors, said: Vectors, weight: Scalars, top: Scalars) -> Vectors:
    """The sum; a weight below 1 counts by that share only."""
    return known + said * np.minimum(weight, 1.0)[:, None]


def slowest(known: Scalars, said: Scalars, weight: Scalars, top: Scalars) -> Scalars:
    """The lowest speed, which a weight below 1 brings into force by that share only."""
    counts = np.minimum(weight, 1.0)
    eased = np.where((said < top) & (counts > 0.0), top + (np.minimum(said, top) - top) * counts, np.inf)
    return np.minimum(known, eased)


def says(neutral: Any, rule: Rule) -> Any:
    """A column that a behavior may leave out. `neutral`: the entry of an agent of which nothing is said; `rule`: how
    one more behavior adds to what is known."""
    value = np.asarray(neutral)
    value.flags.writeable = False
    return field(default=None, metadata={"neutral": value, "rule": rule})


@dataclass(frozen=True, kw_only=True)
class Intention(Columns):
    """The intention of n agents besides the force. A behavior leaves out what it does not say.

    Attributes:
        clearance: (n,) the distance that it keeps from obstacles besides its radius, metres; nan if it does not avoid
            them.
        in_lane: (n,) whether it keeps to a lane beside a curve, as others there keep to theirs.
        awaits: (n,) the row of the obstacle that each stops for instead of passing it, besides those that move; -1 for
            none, EVERY_MOVING or EVERY_OBSTACLE.
        passing_places: (n, PASSING_PLACES, 3) the places beside obstacles past which each is led, metres; nan for none.
        companions: (n, k) the rows of those with whom each goes, from whom others need not keep it apart; -1 for none.
        meets: (n,) the row of the body that each comes up to, of which it does not keep out of the way; -1 for none.
        interval: (n,) seconds between two decisions of an agent whose combined force an adjustment corrects, 0 to
            decide at every step; nan if none does.
        beside, beside_place: (n,) the row of the body along with which each is led, -1 for none, and (n, 3) its place
            beside that, metres.
        speed_limit: (n,) the speed each may not exceed, m/s, inf for no limit. It holds whatever the other behaviors
            want and however they combine: braking is not a matter of weighing up.
        heading: (n, 3) unit vectors to which agents turn while they stand, as bodies can; zero for none.
        up: (n, 3) unit up axes to which bodies in the air roll, instead of leaning by their turns; zero for none.
        in_formation: (n,) whether it keeps a place in a formation, instead of what keeps order without one.
        lands: (n, 3) the place on something where it is to stand, metres, from which no obstacle keeps it; nan for
            none.
        comes_down: (n, 3) the velocity of one that is in the last of its way down to a place where it is to stand, m/s,
            whatever its other behaviors want: it may be slower than it flies, and faces the heading that it is asked
            to; nan for those that are not.
        perch: (n, 3) where the origin of one that comes down and can stand there is to be at the end of the step,
            metres; nan for those that do not stand.
        sets_speed: (n,) whether a behavior gives it a speed; the others are held at cruise speed.
        alarmed: (n,) whether it runs from something or fights, and so has no time to rest.
        hurries: (n,) whether it has to go at once, after or from something, so that it whirls round for that.
        warned: (n,) whether it sees another brake ahead and may have to.
        arrived: (n,) whether it has reached the place to which it is led.
        goal_distance: (n,) metres straight on to the nearest place to which it is led, inf for none.
        leads_on: (n,) whether its goal is a place on the way, from which it is led on.
        confined: (n,) the row of the region that it cannot leave, whatever pushes it; -1 for none.
        urgent: (n, 3) the part of the force that holds whatever the other behaviors want and however they combine,
            newtons.
    """

    clearance: Scalars = says(np.nan, largest)
    in_lane: Mask = says(False, either)
    awaits: Rows = says(-1, last_row)
    passing_places: Vectors = says(np.full((PASSING_PLACES, 3), np.nan), last_places)
    companions: NDArray[np.int64] = says(np.empty(0, dtype=np.int64), together)
    meets: Rows = says(-1, last_row)
    interval: Scalars = says(np.nan, last_number)
    beside: Rows = says(-1, first_row)
    beside_place: Vectors = says((np.nan, np.nan, np.nan), first_place)
    speed_limit: Scalars = says(np.inf, slowest)
    heading: Vectors = says((0.0, 0.0, 0.0), first_direction)
    up: Vectors = says((0.0, 0.0, 0.0), first_direction)
    in_formation: Mask = says(False, either)
    lands: Vectors = says((np.nan, np.nan, np.nan), first_place)
    comes_down: Vectors = says((np.nan, np.nan, np.nan), first_place)
    perch: Vectors = says((np.nan, np.nan, np.nan), first_place)
    sets_speed: Mask = says(False, either)
    alarmed: Mask = says(False, either)
    hurries: Mask = says(False, either)
    warned: Mask = says(False, either)
    arrived: Mask = says(False, either_weighed)
    goal_distance: Scalars = says(np.inf, smallest)
    leads_on: Mask = says(False, either)
    confined: Rows = says(-1, last_row)
    urgent: Vectors = says((0.0, 0.0, 0.0), add_up)

    def adding(self: Self, other: "Intention", weight: Scalars, top: Scalars, rows: Rows | None = None) -> Self:
        """The intention once one more behavior has spoken.

        Args:
            weight: (m,) that of the behavior.
            top: (n,) the top speeds of the vehicles, m/s.
            rows: (m,) the agents of which it speaks; None for all n.
        """
        columns, columns_said = _columns(), vars(other)
        said = {name: columns_said[name] for name in columns if columns_said[name] is not None}
        if not said:
            return self
        if rows is not None:
            weight = put(np.zeros(len(top)), rows, weight)
            said = {name: put(neutral(name, len(top)), rows, column) for name, column in said.items()}
        return replace(self, **{n: columns[n][1](getattr(self, n), said[n], weight, top) for n in said})

    def top_speed(self, top: Scalars) -> Scalars:
        """The speed that neither the vehicle, (n,) m/s, nor a speed limit lets the agents exceed, (n,) m/s."""
        return np.minimum(top, self.speed_limit)


@cache
def _columns() -> dict[str, tuple[NDArray[Any], Rule]]:
    """The neutral entry and the rule of each column."""
    return {f.name: (f.metadata["neutral"], f.metadata["rule"]) for f in fields(Intention)}


@lru_cache(maxsize=256)
def neutral(name: str, n: int) -> Any:
    """A column that says nothing of n agents, its entry stored once."""
    entry = _columns()[name][0]
    column: Any = np.ndarray((n, *entry.shape), entry.dtype, entry, strides=(0, *entry.strides))
    return column


@lru_cache(maxsize=64)
def nothing_said(n: int) -> Intention:
    """The intention of n agents before any behavior has spoken."""
    return Intention(**{name: neutral(name, n) for name in _columns()})


def is_said(column: Any) -> bool:
    """Whether a column of what is known says anything."""
    return bool(column.strides[0])
