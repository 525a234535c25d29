"""Curves with few keys: those that suffice to keep to numbers, or to a motion, that are known on every frame."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..simulation.arrays.scalars import Mask, Rows, Scalars
from ..simulation.arrays.vectors import magnitude

SPANS = (32, 16, 8, 4, 2)
"""Frames from one key to the next where a curve is smooth enough; each holds the next ones a whole number of times."""

TOGETHER = 30_000
"""Numbers that are looked at together: with more, arrays do not fit the fast memory of a processor."""
LONG = 8
"""Frames of a span from which on it pays to look first whether it may fit."""
SURELY_OFF = 14.001
"""The fourth differences of numbers, as multiples of what a curve may be off, beyond which no cubic keeps to them."""
FURTHEST_APART = 12
"""Frames between two keys at most, so that there is something to move where the motion is straight."""


class ThinnedCurve(NamedTuple):
    """The k keys of a curve, whose handles go a third of the way to the keys beside.

    Attributes:
        rows: (k,) of the frames that have a key.
        points: (3, k, 2) frames and values of the keys, their left and their right handles.
        off: how far off it is at most, on frames and halfway between them.
        rounds: how far, halfway between frames, it goes round the straight lines from frame to frame at most.
    """

    rows: Rows
    points: NDArray[np.float32]
    off: float
    rounds: float


def thinned_curves(values: Scalars, precision: Scalars, first: float = 0.0) -> list[ThinnedCurve]:
    """The keys with which each of c curves keeps to its numbers, on frames and halfway between them. `values`: (f, c)
    on f >= 1 consecutive frames; `precision`: (c,) how far off each curve may be; `first`: the frame of the first
    row."""
    pieces = max(values.size // TOGETHER, 1)
    columns = zip(np.array_split(values, pieces, axis=1), np.array_split(precision, pieces))
    return [curve for piece, limits in columns for curve in _thin(piece, limits, first)]


def _thin(values: Scalars, precision: Scalars, first: float) -> list[ThinnedCurve]:
    frames, count = values.shape
    keyed = np.ones((frames, count), dtype=np.bool_)
    ahead, slope_ahead = np.ones((frames, count)), np.zeros((frames, count))
    np.subtract(values[1:], values[:-1], out=slope_ahead[:-1])
    behind, slope_behind = np.ones((frames, count)), np.zeros((frames, count))
    slope_behind[1:] = slope_ahead[:-1]
    off = np.zeros((frames, count))
    doubled = _with_halves(values)
    for span in SPANS:
        blocks = (frames - 1) // span
        # A longer span that covers one leaves no key within it.
        may: Mask = keyed[1 : span * blocks : span]
        if span >= LONG:
            may = may & may_fit(doubled, span, blocks, precision)
        block, column = np.nonzero(may)
        start = block * span
        leaving, coming, furthest = _fit_slopes(_windows(doubled, 2 * start, column, 2 * span + 1), span)
        fits: Mask = furthest <= precision[column]
        start, column = start[fits], column[fits]
        keyed[start + np.arange(1, span)[:, None], column] = False
        ahead[start, column] = behind[start + span, column] = span
        slope_ahead[start, column], slope_behind[start + span, column] = leaving[fits], coming[fits]
        off[start, column] = furthest[fits]
    column, rows = np.nonzero(keyed.T)
    indices = rows * count + column
    points = np.empty((3, len(rows), 2))
    points[..., 0], points[..., 1] = rows + first, values.ravel()[indices]
    for side, lengths, slopes, share in ((1, behind, slope_behind, -1.0 / 3.0), (2, ahead, slope_ahead, 1.0 / 3.0)):
        length = lengths.ravel()[indices] * share
        points[side, :, 0] += length
        points[side, :, 1] += slopes.ravel()[indices] * length
    single = points.astype(np.float32)
    ends = np.cumsum(np.count_nonzero(keyed, axis=0)).tolist()
    furthest = np.max(off, axis=0).tolist()
    bends = np.abs(doubled[1::2] - 0.5 * (values[1:] + values[:-1]))
    rounds = np.max(bends, axis=0, where=~(keyed[1:] & keyed[:-1]), initial=0.0).tolist()
    return [
        ThinnedCurve(rows[start:end], single[:, start:end], *deviations)
        for start, end, *deviations in zip([0, *ends], ends, furthest, rounds)
    ]


def _with_halves(values: Scalars) -> Scalars:
    """The numbers (f, c) on frames and halfway between them, (2 f - 1, c), by the cubic through four of them."""
    doubled = np.empty((2 * len(values) - 1, values.shape[1]))
    doubled[::2] = values
    if len(values) <= 3:
        doubled[1::2] = 0.5 * (values[1:] + values[:-1])
    else:
        inner = values[1:-2] + values[2:-1]
        inner *= 9.0
        inner -= values[:-3]
        inner -= values[3:]
        doubled[3:-2:2] = np.divide(inner, 16.0, out=inner)
        for row, (a, b, c, d) in ((1, values[:4]), (-2, values[:-5:-1])):
            doubled[row] = (5.0 * a + 15.0 * b - 5.0 * c + d) / 16.0
    return doubled


def may_fit(doubled: Scalars, span: int, blocks: int, precision: Scalars) -> Mask:
    """Whether a cubic may keep to the numbers of each span, (blocks, c); for most that are too long this tells quickly.

    The fourth differences of a cubic are 0. Those of what it is off, which at the ends is nothing, are at most 14 times
    the largest of it.
    """
    quarters = doubled[: 2 * span * blocks + 1 : span // 2]
    middle = quarters[1::4] + quarters[3::4]
    fourth = quarters[:-1:4] + quarters[4::4] + 6.0 * quarters[2::4] - 4.0 * middle
    return np.abs(fourth) <= SURELY_OFF * precision


def _windows(values: Scalars, starts: Rows, columns: Rows, length: int) -> Scalars:
    """So many numbers of m columns of values (f, c), from a row of each on: (length, m)."""
    places = starts * values.shape[1] + columns
    return values.ravel().take(places + values.shape[1] * np.arange(length)[:, None])


def _fit_slopes(within: Scalars, span: int) -> tuple[Scalars, Scalars, Scalars]:
    """The best slopes per frame at both ends of m spans, (m,) each, and how far off the curve between is at most.
    `within`: (2 span + 1, m) the numbers from end to end, halves included, which are used up.

    The curve between two keys is a cubic, and its slopes at the ends are those of least squares.
    """
    within -= within[0].copy()
    off, chord = within[1:-1], within[-1] / span
    s = np.arange(1, 2 * span) / (2.0 * span)
    r = 1.0 - s
    leaves, comes = span * s * r * r, -span * r * s * s
    # Normal equations: equal numbers on the diagonal, one off it.
    diagonal, cross = np.einsum("s,s->", leaves, leaves), np.einsum("s,s->", leaves, comes)
    straight = span * s
    by_leaves, by_comes = (
        np.einsum("s,sm->m", bend, off) - np.einsum("s,s->", bend, straight) * chord for bend in (leaves, comes)
    )
    determinant = diagonal * diagonal - cross * cross
    leaving = (diagonal * by_leaves - cross * by_comes) / determinant
    coming = (diagonal * by_comes - cross * by_leaves) / determinant
    off -= np.einsum("sk,km->sm", np.stack((straight, leaves, comes), axis=1), np.stack((chord, leaving, coming)))
    furthest = np.max(np.abs(off, out=off), axis=0, initial=0.0)
    return leaving + chord, coming + chord, furthest


def sparse_keys(places: NDArray[np.float64], slopes: NDArray[np.float64], precision: float) -> list[int]:
    """The rows of the keys of a smooth curve that keeps to some places, the first and the last among them.

    Between keys the curve is the cubic that has the place and the slope of the motion at both ends. A key is added
    where it is furthest off, until it is off nowhere. `places`: (f, 3) on f >= 2 frames; `slopes`: (f, 3) how fast the
    motion is on each, per frame; `precision`: how far off the curve may be.
    """
    last = len(places) - 1
    spans = -(-last // FURTHEST_APART)
    keys = sorted({round(last * span / spans) for span in range(spans + 1)})
    while True:
        off = _off(places, slopes, keys)
        worst = int(np.argmax(off))
        if off[worst] <= precision or worst in keys:
            return keys
        keys = sorted((*keys, worst))


def _off(places: NDArray[np.float64], slopes: NDArray[np.float64], keys: list[int]) -> NDArray[np.float64]:
    """How far off the curve with these keys is on each frame, (f,)."""
    off = np.zeros(len(places))
    for begin, end in pairwise(keys):
        frames, length = np.arange(begin, end + 1), end - begin
        s = ((frames - begin) / length)[:, None]
        r = 1.0 - s
        leaving = places[begin] * ((1.0 + 2.0 * s) * r * r) + slopes[begin] * (length * s * r * r)
        coming = places[end] * ((1.0 + 2.0 * r) * s * s) - slopes[end] * (length * r * s * s)
        off[frames] = magnitude(leaving + coming - places[frames])
    return off
