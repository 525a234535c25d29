"""Whether motion looks alive, mechanical or jittery: what is measured of a crowd, and within which bounds it should be.

The bounds were had from flocks and walkers judged by eye on pictures, and from others spoiled on purpose, at 24 frames
a second. One run says little of `aspect` and `lost`: look at the mean of three seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scripts.motion_metrics import (
    aspect,
    coordinated_rolls,
    crossings,
    jerks,
    kept,
    lag,
    lost,
    nearest_distances,
    polarization,
    reversals,
    roll_rates,
    roll_reversals,
    rolls,
    turns,
)
from steering_addon.simulation.geometry.paths import Spline

BIRDS, FISH, FLYERS, WALKERS = "birds", "fish", "flyers", "walkers"
KINDS = (BIRDS, FISH, FLYERS, WALKERS)
"""Flocks of birds and of fish; a few flyers that are no flock; walkers."""
LINK = 3.0
"""Who is nearer than so many separation distances belongs together."""
MOST_DISTANCES = 3e8
"""So many distances between two vehicles are looked at before frames are left out."""
LEAST_ROLL = 1.0
"""Degrees: whose roll varies less does not turn enough to be late."""

ALIVE, MECHANICAL, JITTERY, BETWEEN = "alive", "mechanical", "jittery", "between"
INF = np.inf


@dataclass(frozen=True)
class Recording:
    """How the vehicles of a crowd moved.

    Attributes:
        kind: one of KINDS.
        position, forward, up: (frames, n, 3) metres and unit vectors.
        fps: frames a second.
        body_length: metres.
        cruise: (n,) metres a second at which each would go if nothing asked for another speed.
        separation: metres they keep from each other, nan where they do not.
        path: what walkers follow.
        obstacles: whether there is something to go round.
    """

    kind: str
    position: np.ndarray
    forward: np.ndarray
    up: np.ndarray
    fps: float
    body_length: float
    cruise: np.ndarray
    separation: float = np.nan
    path: tuple[Spline, ...] = ()
    obstacles: bool = False

    @property
    def velocity(self) -> np.ndarray:
        """(frames, n, 3) metres a second."""
        return np.gradient(self.position, axis=0) * self.fps

    @property
    def every(self) -> int:
        """Of so many frames one is looked at where all are compared with all."""
        frames, n = self.position.shape[:2]
        return max(int(np.ceil(frames * n * n / MOST_DISTANCES)), 1)


@dataclass(frozen=True)
class Row:
    """A number that tells one kind of motion from another.

    Attributes:
        title: what it is called in the table.
        measure: how it is had.
        alive, mechanical, jittery: lowest and highest value of each, the lowest included; None where there is none.
        over_seeds: whether it is the mean of several runs that has to be right.
        form: how its values are written.
    """

    title: str
    measure: Callable[[Recording], float]
    alive: tuple[float, float]
    mechanical: tuple[float, float] | None = None
    jittery: tuple[float, float] | None = None
    over_seeds: bool = False
    form: str = ".2f"

    def verdict(self, value: float) -> str:
        """Which band a value is in; nothing where it could not be measured."""
        if np.isnan(value):
            return ""
        bands = ((ALIVE, self.alive), (MECHANICAL, self.mechanical), (JITTERY, self.jittery))
        return next((name for name, band in bands if band and band[0] <= value < band[1]), BETWEEN)

    def wanted(self) -> str:
        """The band of what is alive, as read in the table."""
        low, high = (f"{bound:g}" for bound in self.alive)
        if self.alive[0] == -INF:
            return f"below {high}"
        return f"above {low}" if self.alive[1] == INF else f"{low} to {high}"


# -- what is measured --------------------------------------------------------------------------


def _reversals(seen: Recording) -> float:
    return reversals(seen.forward, seen.fps)


def _jerk(seen: Recording) -> float:
    return float(np.percentile(jerks(seen.forward, seen.fps), 95))


def _turn(seen: Recording) -> float:
    return float(np.percentile(np.linalg.norm(turns(seen.forward, seen.fps), axis=-1), 95))


def _kept(seen: Recording) -> float:
    return kept(seen.position, seen.fps, seen.every)


def _spacing(seen: Recording) -> float:
    near, far = np.percentile(nearest_distances(seen.position[:: seen.every]), (5, 95))
    return float(far / max(near, 1e-9))


def _nearest(seen: Recording) -> float:
    return float(np.percentile(nearest_distances(seen.position[:: seen.every]), 1) / seen.body_length)


def _polarization(seen: Recording) -> float:
    return float(polarization(seen.forward).mean())


def _aspect(seen: Recording) -> float:
    return float(aspect(seen.position).mean())


def _lost(seen: Recording) -> float:
    if np.isnan(seen.separation):
        return np.nan
    return float(lost(seen.position[:: seen.every], LINK * seen.separation).mean())


def _lost_at_the_end(seen: Recording) -> float:
    """Who goes round something on either side may part; who does not come back is lost."""
    if np.isnan(seen.separation):
        return np.nan
    return float(lost(seen.position[-round(seen.fps) :: seen.every], LINK * seen.separation).mean())


def _speed(seen: Recording) -> float:
    return float(np.percentile(np.linalg.norm(seen.velocity, axis=-1) / seen.cruise, 1))


def _rolls(seen: Recording) -> np.ndarray:
    return rolls(seen.forward, seen.up)


def _lag(seen: Recording) -> float:
    found, wanted = _rolls(seen), coordinated_rolls(seen.velocity, seen.fps)
    turning = np.flatnonzero((found.std(axis=0) > LEAST_ROLL) & (wanted.std(axis=0) > LEAST_ROLL))
    late = [lag(found[:, row], wanted[:, row], seen.fps) for row in turning]
    return 1000.0 * float(np.median(late)) if late else np.nan


def _roll_rate(seen: Recording) -> float:
    return float(np.percentile(np.abs(roll_rates(_rolls(seen), seen.fps)), 95))


def _roll_jerk(seen: Recording) -> float:
    return float(np.percentile(np.abs(np.diff(roll_rates(_rolls(seen), seen.fps), axis=0)), 95))


def _roll_reversals(seen: Recording) -> float:
    return roll_reversals(roll_rates(_rolls(seen), seen.fps))


def on_path(seen: Recording) -> tuple[np.ndarray, np.ndarray] | None:
    """Where on its path each walker is: the tangents there (frames, n, 3), and metres to the left of it (frames, n)."""
    if not seen.path:
        return None
    places = seen.position.reshape(-1, 3)
    best, tangent, aside = np.full(len(places), INF), np.zeros((len(places), 3)), np.zeros(len(places))
    for line in seen.path:
        along = line.nearest(places)
        way, off = line.tangent(along), places - line.position(along)
        nearer = (off * off).sum(axis=1) < best
        best[nearer] = (off * off).sum(axis=1)[nearer]
        tangent[nearer] = way[nearer]
        aside[nearer] = (way[:, 0] * off[:, 1] - way[:, 1] * off[:, 0])[nearer]
    return tangent.reshape(seen.position.shape), aside.reshape(seen.position.shape[:2])


def _heading(seen: Recording) -> float:
    """How much harder they turn than the road does where they are."""
    if (found := on_path(seen)) is None:
        return np.nan
    road = np.percentile(np.linalg.norm(turns(found[0], seen.fps), axis=-1), 95)
    return float(_turn(seen) / road) if road > 1e-6 else np.nan


def _crossings(seen: Recording) -> float:
    return np.nan if (found := on_path(seen)) is None else crossings(found[1], seen.fps)


# -- the bounds --------------------------------------------------------------------------------

REVERSED = Row("turn reversed, share", _reversals, (-INF, 0.005), None, (0.03, INF), form=".4f")
REVERSED_AMONG_OBSTACLES = replace(REVERSED, alive=(-INF, 0.02))
LOST = Row("lost, share", _lost, (-INF, 0.01), (0.05, INF), form=".3f")
LOST_AMONG_OBSTACLES = replace(LOST, title="lost in the last second, share", measure=_lost_at_the_end)
SPEED = Row("speed p1 / cruise", _speed, (0.5, INF), (-INF, 0.3))
FLOCKING = (
    Row("jerk p95, deg/s a frame", _jerk, (2.5, 14.0), (-INF, 2.0), (25.0, INF), form=".1f"),
    Row("turn p95, deg/s", _turn, (35.0, 100.0), None, (120.0, INF), form=".0f"),
    Row("neighbors kept after 1 s", _kept, (0.45, 0.80), (0.90, INF), (-INF, 0.40)),
    Row("nearest neighbor p95 / p5", _spacing, (1.3, 2.2), (-INF, 1.3), (2.5, INF)),
    Row("nearest p1, body lengths", _nearest, (2.5, INF), None, (-INF, 2.5)),
    Row("polarization", _polarization, (0.90, 0.995), (0.998, INF), (-INF, 0.85), form=".3f"),
    Row("aspect", _aspect, (1.4, INF), (-INF, 1.2), over_seeds=True),
    LOST,
    SPEED,
)
FISHES = {"neighbors kept after 1 s": (0.75, 0.90), "nearest p1, body lengths": (1.0, INF)}
"""Where fish differ from birds."""
BANKING = (
    Row("roll lag, ms", _lag, (-INF, 300.0), (500.0, INF), form=".0f"),
    Row("roll rate p95, deg/s", _roll_rate, (-INF, 130.0), form=".0f"),
    Row("roll jerk p95, deg/s a frame", _roll_jerk, (-INF, 25.0), None, (50.0, INF), form=".0f"),
    Row("roll reversed, share", _roll_reversals, (-INF, 0.02), None, (0.1, INF), form=".3f"),
)
HEADING = Row("heading p95 / the road's own", _heading, (-INF, 1.3), None, (2.0, INF))
HEADING_AMONG_OBSTACLES = replace(HEADING, alive=(-INF, 2.5), jittery=(5.0, INF))
"""Who goes round things, and round who comes along, turns more than the road; paths followed in jerks are above 7."""
WALKING = (
    HEADING,
    replace(REVERSED, alive=(-INF, 0.01)),
    Row("crossings of the middle in 10 s", _crossings, (-INF, 3.0), None, (6.0, INF), form=".1f"),
)


def rows(kind: str, obstacles: bool = False) -> tuple[Row, ...]:
    """The rows of the table for a kind of crowd."""
    if kind == WALKERS:
        return tuple(HEADING_AMONG_OBSTACLES if obstacles and row is HEADING else row for row in WALKING)
    reversed_ = REVERSED_AMONG_OBSTACLES if obstacles else REVERSED
    if kind == FLYERS:
        return (reversed_, SPEED, *BANKING)
    flocking = tuple(_fishes(row) for row in FLOCKING) if kind == FISH else FLOCKING
    if obstacles:
        flocking = tuple(LOST_AMONG_OBSTACLES if row is LOST else row for row in flocking)
    return (reversed_, *flocking, *BANKING)


def _fishes(row: Row) -> Row:
    alive = FISHES.get(row.title, row.alive)
    jittery = (-INF, alive[0]) if row.measure is _nearest else row.jittery
    return replace(row, alive=alive, jittery=jittery)


def measured(seen: Recording) -> dict[str, float]:
    """The value of each row, by its title; nan where it does not apply."""
    return {row.title: row.measure(seen) for row in rows(seen.kind, seen.obstacles)}


def table(kind: str, obstacles: bool, runs: Sequence[Mapping[str, float]]) -> tuple[str, list[str]]:
    """One or several runs side by side with what each row should be, and the titles of the rows that are not alive."""
    lines, wrong = [], []
    for row in rows(kind, obstacles):
        values = [run[row.title] for run in runs]
        judged = [_mean(values)] if row.over_seeds else values
        verdicts = sorted({row.verdict(value) for value in judged} - {"", ALIVE}) or [
            ALIVE if any(row.verdict(value) for value in judged) else ""
        ]
        if verdicts not in ([ALIVE], [""]):
            wrong.append(row.title)
        shown = values if len(values) == 1 else [*values, _mean(values)]
        numbers = "".join(f"{'-' if np.isnan(value) else format(value, row.form):>9}" for value in shown)
        wanted = row.wanted() + (", mean" if row.over_seeds and len(runs) > 1 else "")
        lines.append(f"  {row.title:32}{numbers}  {', '.join(verdicts):12}{wanted}".rstrip())
    return "\n".join(lines), wrong


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else np.nan
