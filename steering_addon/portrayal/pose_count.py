"""How many poses stand for a clip that is shown as one mesh after another, each for an equal part of the cycle.

The poses are those in the middle of their parts: pose k of n is at the phase (k + 1/2) / n, and a phase p shows pose
floor(n p). That is the nearest one by phase, for a clip that closes and for one that does not. Where not each body can
have poses of its own, those share them that play most nearly alike.
"""

from collections.abc import Callable
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..simulation.arrays.angles import cosine_and_sine
from ..simulation.arrays.scalars import Rows, Scalars
from .clips import Playing

Shapes = NDArray[np.float32] | NDArray[np.float64]
"""(p, v, 3) metres: the vertices of a mesh at p phases."""
LIVELIEST = 64
"""Vertices that are looked at first, those with the longest ways: where they are too far, the others do not matter."""
LOOKED_AT = 32
"""Frames on which bodies are compared, evenly over the run."""
TURN = 2.0 * np.pi


def middles(count: int) -> Scalars:
    """The phases of the poses of a clip, (count,)."""
    return (np.arange(count) + 0.5) / count


def edges(count: int) -> Scalars:
    """The phases at which one pose gives way to the next, (count + 1,) with both ends of the cycle."""
    return np.arange(count + 1) / count


def furthest(samples: Shapes, poses: Shapes, between: Shapes) -> float:
    """How far a vertex is at most from where the nearest pose by phase has it, metres. `samples`: (s + 1, v, 3) the
    mesh at phases from 0 to 1 in s equal steps; `poses`: (n, v, 3) at `middles`; `between`: (n + 1, v, 3) at
    `edges`."""
    count, last = len(poses), len(samples) - 1
    shown = np.minimum(np.arange(last + 1) * count // last, count - 1)
    pairs = [(samples, shown), (between[:-1], np.arange(count)), (between[1:], np.arange(count))]
    # Shape by shape: an array of all differences would take several times the memory of the samples.
    return max(
        _distance(shape, poses[pose]) for shapes, rows in pairs for shape, pose in zip(shapes, rows, strict=True)
    )


def fewest(samples: Shapes) -> Callable[[float, int], int]:
    """A function of a tolerance, metres, and a limit: the least number of poses from which no vertex is further, the
    limit if that many are too few.

    Between samples, (s + 1, v, 3) the mesh at phases from 0 to 1 in s equal steps, vertices are taken to go straight.
    """
    lively = samples[:, np.sort(np.argsort(-_ways(samples), kind="stable")[:LIVELIEST])]

    @cache
    def off(only_lively: bool, count: int) -> float:
        mesh = lively if only_lively else samples
        return furthest(mesh, _at(mesh, middles(count)), _at(mesh, edges(count)))

    def within(tolerance: float, limit: int) -> int:
        counts = (
            count for count in range(1, limit) if off(True, count) <= tolerance and off(False, count) <= tolerance
        )
        return next(counts, limit)

    return within


def _at(samples: Shapes, phases: Scalars) -> Shapes:
    """The mesh at other phases, (p, v, 3)."""
    positions = phases * (len(samples) - 1)
    rows = np.minimum(np.floor(positions).astype(np.int64), len(samples) - 2)
    fraction = (positions - rows)[:, None, None]
    return samples[rows] * (1.0 - fraction) + samples[rows + 1] * fraction


def _ways(samples: Shapes) -> Scalars:
    """The way of each vertex over the cycle, (v,) metres."""
    ways = np.zeros(samples.shape[1])
    for before, after in pairwise(samples):
        step = after - before
        ways += np.sqrt(np.einsum("va,va->v", step, step))
    return ways


def _distance(shape: Shapes, other: Shapes) -> float:
    offset = shape - other
    return float(np.sqrt(np.einsum("va,va->v", offset, offset).max(initial=0.0)))


def pose_groups(playing: Playing, limit: int) -> Rows:
    """The rows of the bodies whose poses n bodies show, (n,): their own for the first `limit`. `playing`: (clips, n, f)
    of them."""
    count, frames = playing.phase.shape[1:]
    leaders = np.arange(count)
    if count <= limit:
        return leaders
    seen = np.unique(np.linspace(0, frames - 1, min(LOOKED_AT, frames)).astype(np.int64))
    weights = playing.weights()[..., seen]
    phase = playing.phase[..., seen]
    cosines, sines = cosine_and_sine(TURN * (phase - np.floor(phase)))
    # A point for each clip and frame: its direction is the phase, its distance how much is seen of the clip.
    points = np.stack((weights * cosines, weights * sines)).transpose(2, 0, 1, 3).reshape(count, -1)
    nearest = np.full(count, np.inf)
    for leader in range(limit):
        off = points[limit:] - points[leader]
        away = np.einsum("nk,nk->n", off, off)
        nearer = away < nearest[limit:]
        nearest[limit:][nearer], leaders[limit:][nearer] = away[nearer], leader
    return leaders
