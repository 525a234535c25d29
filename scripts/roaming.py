"""Judges how a flock roams its region over minutes: whether it crosses it, rises and dives, splits and reunites.

The motion of each member may look alive while the flock as a whole goes round and round. These measurements are of its
centre, in units of the region's radius. A flock that only turned at the edge circled along it: 1 % of the time in the
inner half, circling 0.97, height 0.02.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from scripts.motion_bands import INF, LINK, PARTED, Row
from scripts.motion_metrics import parts

WINDOW = 60.0
"""Seconds in which the sense of circling is averaged."""
AS_ONE = 0.5
"""The share of its members' speed above which the centre of a flock goes where they go."""
AZIMUTHS, HEIGHTS = 12, 5
"""The number of equal parts of the sphere of headings: sectors, times belts from straight down to straight up."""


@dataclass(frozen=True)
class Roaming:
    """How a flock moved in a spherical region.

    Attributes:
        position: (frames, n, 3) metres from the middle of the region.
        fps: frames a second; eight are enough.
        radius: of the region, metres.
        separation: distance of separation, metres.
    """

    position: np.ndarray
    fps: float
    radius: float
    separation: float

    @property
    def centre(self) -> np.ndarray:
        """(frames, 3) in units of the region's radius."""
        return self.position.mean(axis=1) / self.radius

    @property
    def heading(self) -> np.ndarray:
        """(frames, 3) the unit direction in which the centre moves."""
        way = np.gradient(self.centre, axis=0)
        return way / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-12)

    @property
    def parts(self) -> np.ndarray:
        """(samples,) the number of parts of the flock, twice a second."""
        places = self.position[:: max(round(self.fps / 2.0), 1)]
        return parts(places, LINK * self.separation)

    @property
    def minutes(self) -> float:
        return len(self.position) / self.fps / 60.0


def _distance(roaming: Roaming) -> np.ndarray:
    return np.linalg.norm(roaming.centre, axis=1)


def _inner(roaming: Roaming) -> float:
    return float((_distance(roaming) < 0.5).mean())


def _outer(roaming: Roaming) -> float:
    return float((_distance(roaming) > 0.8).mean())


def _height(roaming: Roaming) -> float:
    return float(roaming.centre[:, 2].std())


def _climb(roaming: Roaming) -> float:
    """While the flock moves as one: when it parts or turns its centre hovers, and goes anywhere."""
    way = np.gradient(roaming.position, axis=0)
    as_one = np.linalg.norm(way.mean(axis=1), axis=-1) > AS_ONE * np.linalg.norm(way, axis=-1).mean(axis=1)
    climbs = np.degrees(np.abs(np.arcsin(np.clip(roaming.heading[as_one, 2], -1.0, 1.0))))
    return float(np.percentile(climbs, 95)) if len(climbs) else 0.0


def _circling(roaming: Roaming) -> float:
    """Length of the mean direction of the angular momentum: 1 on a circle, 0 if all senses of turning cancel."""
    spin = np.cross(roaming.centre, roaming.heading) / np.maximum(_distance(roaming), 1e-9)[:, None]
    frames = min(round(WINDOW * roaming.fps), len(spin))
    starts = range(0, len(spin) - frames + 1, max(frames // 2, 1))
    return float(np.mean([np.linalg.norm(spin[start : start + frames].mean(axis=0)) for start in starts]))


def _headings(roaming: Roaming) -> float:
    """Entropy of the heading over equal parts of the sphere: 1 if it is spread evenly, 0 if it is always the same."""
    x, y, z = roaming.heading.T
    sector = np.floor((np.arctan2(y, x) / (2.0 * np.pi) + 0.5) * AZIMUTHS).clip(0, AZIMUTHS - 1)
    belt = np.floor((z + 1.0) / 2.0 * HEIGHTS).clip(0, HEIGHTS - 1)
    share = np.bincount((sector * HEIGHTS + belt).astype(int), minlength=AZIMUTHS * HEIGHTS) / len(sector)
    known = share[share > 0.0]
    return float(-(known * np.log(known)).sum() / np.log(AZIMUTHS * HEIGHTS))


def _inside(roaming: Roaming) -> float:
    return float((np.linalg.norm(roaming.position, axis=-1) <= roaming.radius).mean())


def _splits(roaming: Roaming) -> float:
    parted = roaming.parts > 1
    return float((parted[1:] & ~parted[:-1]).sum() / roaming.minutes)


def _reunions(roaming: Roaming) -> float:
    parted = roaming.parts > 1
    return float((~parted[1:] & parted[:-1]).sum() / roaming.minutes)


def _parted(roaming: Roaming) -> float:
    return float((roaming.parts > 1).mean())


INSIDE = Row("members inside, share", _inside, (0.85, INF))
ROWS = (
    Row("centre in the inner half, share", _inner, (0.15, 0.8), (-INF, 0.05)),
    Row("centre in the outer fifth, share", _outer, (-INF, 0.4), (0.6, INF)),
    Row("height of the centre, rms", _height, (0.07, 0.4), (-INF, 0.04)),
    Row("climb p95, degrees", _climb, (12.0, 50.0), (-INF, 9.0), form=".0f"),
    Row("circling", _circling, (-INF, 0.65), (0.85, INF)),
    Row("spread of headings", _headings, (0.65, INF), (-INF, 0.62)),
    INSIDE,
)
"""What every flock has to do."""
PARTING = (
    Row("splits a minute", _splits, (0.05, 6.0), (-INF, 0.05)),
    Row("reunions a minute", _reunions, (0.05, 6.0), (-INF, 0.05)),
    replace(PARTED, measure=_parted),
)
"""What a flock does besides, over several minutes."""


def measured(roaming: Roaming) -> dict[str, float]:
    """The value of each row by title."""
    return {row.title: row.measure(roaming) for row in (*ROWS, *PARTING)}


def table(values: Mapping[str, float]) -> str:
    """A line for each row with its value, its verdict and the range of a living flock."""
    lines = []
    for row in (*ROWS, *PARTING):
        value = values[row.title]
        lines.append(f"  {row.title:34}{value:>9{row.form}}  {row.verdict(value):12}{row.wanted()}".rstrip())
    return "\n".join(lines)
