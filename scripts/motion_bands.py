"""Judges whether motion looks alive, mechanical or jittery: the measurements of a crowd, and the bounds for each.

The bounds come from flocks and walkers judged by eye on pictures, and from others spoiled on purpose, at 24 frames a
second. `aspect`, `lost` and `in parts` vary a lot between runs: use the mean of three seeds. Those flocks were not to
split, and all members outside the largest part were lost; a living flock splits, so parts and stragglers are counted
separately here.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

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
    parts,
    polarization,
    reversals,
    roll_rates,
    roll_reversals,
    rolls,
    straggling,
    turns,
)
from steering_addon.simulation.geometry.paths import Spline

BIRDS, FISH, FLYERS, WALKERS = "birds", "fish", "flyers", "walkers"
KINDS = (BIRDS, FISH, FLYERS, WALKERS)
"""Flocks of birds and schools of fish; a few flyers that do not flock; walkers."""
LINK = 3.0
"""Vehicles nearer than this number of separation distances belong together."""
MOST_DISTANCES = 3e8
"""Maximum number of distances between two vehicles; beyond that frames are skipped."""
LEAST_ROLL = 1.0
"""Degrees of standard deviation: a roll that varies less has no measurable lag."""

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
        cruise: (n,) metres a second, the undisturbed speeds.
        separation: distance of separation in metres, nan without separation.
        path: the path that walkers follow.
        obstacles: whether there are obstacles to go round.
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
        """The step between the frames that are measured where all vehicles are compared with all."""
        frames, n = self.position.shape[:2]
        return max(int(np.ceil(frames * n * n / MOST_DISTANCES)), 1)


@dataclass(frozen=True)
class Row:
    """A measurement with its bounds.

    Attributes:
        title: its name in the table.
        measure: computes the value.
        alive, mechanical, jittery: the half-open range [lowest, highest) of each verdict; None if it cannot occur.
        over_seeds: whether only the mean of all runs is judged.
        form: the format of its values.
    """

    title: str
    measure: Callable[[Any], float]
    alive: tuple[float, float]
    mechanical: tuple[float, float] | None = None
    jittery: tuple[float, float] | None = None
    over_seeds: bool = False
    form: str = ".2f"

    def verdict(self, value: float) -> str:
        """The band of a value; empty if it could not be measured."""
        if np.isnan(value):
            return ""
        bands = ((ALIVE, self.alive), (MECHANICAL, self.mechanical), (JITTERY, self.jittery))
        return next((name for name, band in bands if band and band[0] <= value < band[1]), BETWEEN)

    def wanted(self) -> str:
        """The range of living motion, as text for the table."""
        low, high = (f"{bound:g}" for bound in self.alive)
        if self.alive[0] == -INF:
            return f"below {high}"
        return f"above {low}" if self.alive[1] == INF else f"{low} to {high}"


def _p95(values: np.ndarray) -> float:
    return float(np.percentile(np.abs(values), 95))


def _turn(recording: Recording) -> float:
    return _p95(np.linalg.norm(turns(recording.forward, recording.fps), axis=-1))


def _spacing(recording: Recording) -> float:
    near, far = np.percentile(nearest_distances(recording.position[:: recording.every]), (5, 95))
    return float(far / max(near, 1e-9))


def _nearest(recording: Recording) -> float:
    return float(np.percentile(nearest_distances(recording.position[:: recording.every]), 1) / recording.body_length)


def _linked(measure: Callable[[np.ndarray, float], np.ndarray], at_the_end: bool = False) -> Callable[[Any], float]:
    """The mean of a measure of places and of the distance within which they belong together; nan without one."""

    def mean(recording: Recording) -> float:
        first = -round(recording.fps) if at_the_end else 0
        link = LINK * recording.separation
        places = recording.position[first :: recording.every]
        return np.nan if np.isnan(link) else float(measure(places, link).mean())

    return mean


def _speed(recording: Recording) -> float:
    return float(np.percentile(np.linalg.norm(recording.velocity, axis=-1) / recording.cruise, 1))


def _lag(recording: Recording) -> float:
    roll = rolls(recording.forward, recording.up)
    coordinated = coordinated_rolls(recording.velocity, recording.fps)
    turning = np.flatnonzero((roll.std(axis=0) > LEAST_ROLL) & (coordinated.std(axis=0) > LEAST_ROLL))
    lags = [lag(roll[:, row], coordinated[:, row], recording.fps) for row in turning]
    return 1000.0 * float(np.median(lags)) if lags else np.nan


def _roll_rates(recording: Recording) -> np.ndarray:
    return roll_rates(rolls(recording.forward, recording.up), recording.fps)


def on_path(recording: Recording) -> tuple[np.ndarray, np.ndarray] | None:
    """The tangents of the path beside the walkers, (frames, n, 3), and metres to the left of it, (frames, n)."""
    if not recording.path:
        return None
    places = recording.position.reshape(-1, 3)
    best, tangent, aside = np.full(len(places), INF), np.zeros((len(places), 3)), np.zeros(len(places))
    for line in recording.path:
        along = line.nearest(places)
        way, offset = line.tangent(along), places - line.position(along)
        nearer = (offset * offset).sum(axis=1) < best
        best[nearer] = (offset * offset).sum(axis=1)[nearer]
        tangent[nearer] = way[nearer]
        aside[nearer] = (way[:, 0] * offset[:, 1] - way[:, 1] * offset[:, 0])[nearer]
    return tangent.reshape(recording.position.shape), aside.reshape(recording.position.shape[:2])


def _heading(recording: Recording) -> float:
    """Ratio of the walkers' turn rate to that of the road beside them."""
    if (followed := on_path(recording)) is None:
        return np.nan
    tangent, _ = followed
    road = np.percentile(np.linalg.norm(turns(tangent, recording.fps), axis=-1), 95)
    return float(_turn(recording) / road) if road > 1e-6 else np.nan


def _crossings(recording: Recording) -> float:
    return np.nan if (followed := on_path(recording)) is None else crossings(followed[1], recording.fps)


REVERSED = Row(
    "turn reversed, share", lambda r: reversals(r.forward, r.fps), (-INF, 0.005), None, (0.03, INF), form=".4f"
)
REVERSED_AMONG_OBSTACLES = replace(REVERSED, alive=(-INF, 0.02))
# Parts are not lost: a flock splits and reunites, and PARTED says for how long.
LOST = Row("lost, share", _linked(straggling), (-INF, 0.01), (0.05, INF), form=".3f")
_parted = _linked(lambda places, link: parts(places, link) > 1)
PARTED = Row("in parts, share of the time", _parted, (-INF, 0.4), None, (0.6, INF), over_seeds=True)
# A flock that parts round an obstacle has to rejoin.
LOST_AMONG_OBSTACLES = replace(LOST, title="lost in the last second, share", measure=_linked(lost, at_the_end=True))
SPEED = Row("speed p1 / cruise", _speed, (0.5, INF), (-INF, 0.3))
FLOCKING = (
    Row(
        "jerk p95, deg/s a frame",
        lambda r: _p95(jerks(r.forward, r.fps)),
        (2.5, 14.0),
        (-INF, 2.0),
        (25.0, INF),
        form=".1f",
    ),
    Row("turn p95, deg/s", _turn, (35.0, 100.0), None, (120.0, INF), form=".0f"),
    Row(
        "neighbors kept after 1 s", lambda r: kept(r.position, r.fps, r.every), (0.45, 0.80), (0.90, INF), (-INF, 0.40)
    ),
    Row("nearest neighbor p95 / p5", _spacing, (1.3, 2.2), (-INF, 1.3), (2.5, INF)),
    Row("nearest p1, body lengths", _nearest, (2.5, INF), None, (-INF, 2.5)),
    Row(
        "polarization", lambda r: polarization(r.forward).mean(), (0.90, 0.995), (0.998, INF), (-INF, 0.85), form=".3f"
    ),
    Row("aspect", lambda r: aspect(r.position).mean(), (1.4, INF), (-INF, 1.2), over_seeds=True),
    LOST,
    PARTED,
    SPEED,
)
FISHES = {"neighbors kept after 1 s": (0.75, 0.90), "nearest p1, body lengths": (1.0, INF)}
"""The ranges of living motion in which fish differ from birds."""
BANKING = (
    Row("roll lag, ms", _lag, (-INF, 300.0), (500.0, INF), form=".0f"),
    Row("roll rate p95, deg/s", lambda r: _p95(_roll_rates(r)), (-INF, 130.0), form=".0f"),
    Row(
        "roll jerk p95, deg/s a frame",
        lambda r: _p95(np.diff(_roll_rates(r), axis=0)),
        (-INF, 25.0),
        None,
        (50.0, INF),
        form=".0f",
    ),
    Row("roll reversed, share", lambda r: roll_reversals(_roll_rates(r)), (-INF, 0.02), None, (0.1, INF), form=".3f"),
)
HEADING = Row("heading p95 / the road's own", _heading, (-INF, 1.3), None, (2.0, INF))
HEADING_AMONG_OBSTACLES = replace(HEADING, alive=(-INF, 2.5), jittery=(5.0, INF))
"""Going round obstacles and others takes more turning than the road; jerky path following is above 7."""
WALKING = (
    HEADING,
    replace(REVERSED, alive=(-INF, 0.01)),
    Row("crossings of the middle in 10 s", _crossings, (-INF, 3.0), None, (6.0, INF), form=".1f"),
)


def rows(kind: str, obstacles: bool = False) -> tuple[Row, ...]:
    """The rows of the table for this kind of crowd."""
    if kind == WALKERS:
        return tuple(HEADING_AMONG_OBSTACLES if obstacles and row is HEADING else row for row in WALKING)
    reversed_ = REVERSED_AMONG_OBSTACLES if obstacles else REVERSED
    if kind == FLYERS:
        return (reversed_, SPEED, *BANKING)
    flocking = tuple(_fishes(row) for row in FLOCKING) if kind == FISH else FLOCKING
    if obstacles:
        flocking = tuple(LOST_AMONG_OBSTACLES if row is LOST else row for row in flocking if row is not PARTED)
    return (reversed_, *flocking, *BANKING)


def _fishes(row: Row) -> Row:
    alive = FISHES.get(row.title, row.alive)
    jittery = (-INF, alive[0]) if row.measure is _nearest else row.jittery
    return replace(row, alive=alive, jittery=jittery)


def measured(recording: Recording) -> dict[str, float]:
    """The value of each row by title; nan where it does not apply."""
    return {row.title: row.measure(recording) for row in rows(recording.kind, recording.obstacles)}


def table(kind: str, obstacles: bool, runs: Sequence[Mapping[str, float]]) -> tuple[str, list[str]]:
    """The table of one or more runs side by side, and the titles of the rows that are not alive."""
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
