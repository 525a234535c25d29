"""Pacing: at which phases bodies whose feet are held play the clips that move them.

Feet that are held stay where they are whatever their clips do, so these need not follow the way of a body to the
centimetre: they go on evenly. On stairs a body makes a step on each tread, or on each few as it runs, and puts its feet
about their middles:

    2 phase = steps + c        c = 2 m - s (b - a / g)

where s steps are made on each tread of length g, and a foot in the middle of its stance, at the phase m, is a ahead of
its body. It stands there at the share b of the tread. In the time before, the body gets in step. Where it halts
it ends its step, as it does without stairs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...simulation.arrays.angles import angle_of, cosine_and_sine
from ...simulation.arrays.scalars import Mask, Rows, Scalars
from .planes import Ground
from .soles import TOUCH, Points, runs, stances
from .solving import mean_around
from .treads import Carried

EVEN = 0.08
"""Seconds before and after, over which phases are evened out."""
HIGH = 0.02
"""Model heights that ground rises or sinks at once at least, to be a step."""
LONG = 0.5
"""Model heights between two steps at most, for what is between to be a tread."""
AROUND = 1.5
"""Treads before and after stairs on which a body already, or still, makes steps of their length."""
NEAR_EDGE = 0.45
"""The share of a tread, from its open edge, at which feet stand."""
SEVERAL, MOST_TREADS = 0.45, 8
"""Steps on a tread below which one leads over several, and how many these are at most."""
HALVES = 5
"""How often the way between two frames is halved to find the edge of a step."""
ADAPTS = 3.0
"""Cycles in which a body gets in step for stairs."""
SOON = 1.0
"""Cycles from its first frame to stairs, below which it is in step from the beginning."""
HALT, BACK = 6, 0.1
"""Frames for which a body stands that ends its step there, and the cycles by which its phase is led back at most."""
STILL = 1e-6
"""Cycles a frame below which phases stay as they are."""
LEAST_RATE = 0.5
"""The share of its rate to which a phase is slowed down for that at most."""


@dataclass(frozen=True)
class Tempo:
    """The rhythm of a model's k feet in the clip that leads. `middle`: (k,) phases of the middles of their stances;
    `ahead`: (k,) metres by which they are then ahead of the body."""

    middle: Scalars
    ahead: Scalars

    @classmethod
    def of(cls, soles: Sequence[Points], rests: Scalars, height: float) -> "Tempo":
        """Measure it. `soles`: (f, m, 3) of each foot at f phases of a cycle, metres in the space of the model;
        `rests`: (k,) the heights at which they rest, metres; `height`: of the model, metres."""
        middle, ahead = np.zeros(len(soles)), np.zeros(len(soles))
        for k, (points, level) in enumerate(zip(soles, rests.tolist())):
            down = np.abs(np.min(points[..., 2], axis=1) - level) < TOUCH * height
            rows = max(stances(down), key=len, default=np.zeros(1, dtype=np.int64))
            middle[k] = (rows[0] + 0.5 * (len(rows) - 1)) / len(down)
            ahead[k] = -np.einsum("rm->", points[rows, :, 1]) / points[rows, :, 1].size
        return cls(middle, ahead)

    def start(self, steps: float, tread: float, *, up: bool) -> float:
        """The steps that are made where the ground rises or sinks, in [0, 1): the mean over its feet. `tread`: its
        length, metres at the size of the model; `up`: whether the ground rises."""
        share = NEAR_EDGE if up else 1.0 - NEAR_EDGE
        cosines, sines = cosine_and_sine(2.0 * np.pi * (2.0 * self.middle - steps * (share - self.ahead / tread)))
        turn = angle_of(np.einsum("k->", sines)[None], np.einsum("k->", cosines)[None]) / (2.0 * np.pi)
        return float(turn[0] - np.floor(turn[0]))


def paced(
    moving: Scalars, body: Carried, tempo: Tempo, height: float, frame_time: float, ground: Ground | None
) -> Scalars:
    """The phases, (n, f), of the clips that move bodies whose feet are held.

    Args:
        moving: (n, f) as these clips have them alone.
        body: they, (n, f).
        height: of the model, metres.
        ground: what they stand on; None for the level of the bodies.
    """
    phases = mean_around(moving, max(round(EVEN / frame_time), 1))
    if ground is None or not np.any(body.raised):
        return phases
    below = body.ground - body.raised
    length, rise = body.strides, np.diff(below, axis=1)
    steps = (np.abs(rise) > HIGH * height * body.size[:, 1:]) & (np.abs(rise) > length)
    row, frame = np.nonzero(steps)
    gone = np.zeros(moving.shape)
    gone[:, 1:] = np.cumsum(length, axis=-1)
    edge = gone[row, frame] + _edges(body, below, row, frame, ground) * length[row, frame]
    for k in np.unique(row).tolist():
        of_body, size = row == k, float(body.size[k, 0])
        flights = _flights(edge[of_body], rise[k, frame[of_body]] > 0.0, LONG * height * size)
        phases[k] = _in_step(phases[k], gone[k], flights, tempo, size)
    return phases


def _edges(body: Carried, height: Scalars, row: Rows, frame: Rows, ground: Ground) -> Scalars:
    """The share of the way from a frame to the next at which the ground below bodies rises or sinks, (k,)."""
    start, end, flat = body.position[row, frame], body.position[row, frame + 1], row * body.size.shape[-1] + frame
    low, high = height[row, frame], height[row, frame + 1]
    before, after = np.zeros(len(row)), np.ones(len(row))
    for _ in range(HALVES):
        middle = 0.5 * (before + after)
        place = start + middle[:, None] * (end - start)
        place[:, 2] = np.maximum(low, high)
        below = ground(place, flat)[0]
        is_low = np.abs(below - low) < np.abs(below - high)
        before, after = np.where(is_low, middle, before), np.where(is_low, after, middle)
    return 0.5 * (before + after)


@dataclass(frozen=True)
class _Flight:
    """A flight of stairs on the way of a body. `edges`: (k,) metres of the way at which the ground rises or sinks;
    `up`: whether it rises."""

    edges: Scalars
    up: bool

    @property
    def tread(self) -> float:
        """The length of a tread, metres."""
        return float(self.edges[-1] - self.edges[0]) / (len(self.edges) - 1)

    def treads(self, gone: Scalars) -> Scalars:
        """How many treads are behind at places on the way, (f,), from its first edge on and also before and after."""
        count, around = len(self.edges), AROUND * self.tread
        numbers = np.concatenate(([-AROUND], np.arange(count), [count - 1 + AROUND]))
        places = np.concatenate(([self.edges[0] - around], self.edges, [self.edges[-1] + around]))
        return np.asarray(np.interp(gone, places, numbers))


def _flights(edges: Scalars, up: Mask, longest: float) -> Iterator[_Flight]:
    """The flights of stairs that steps (k,) make which lead the same way, and are `longest` metres apart at most."""
    ends = np.flatnonzero((np.diff(edges) > longest) | (up[1:] != up[:-1])) + 1
    for run, rises in zip(np.split(edges, ends), np.split(up, ends)):
        if len(run) > 1:
            yield _Flight(run, bool(rises[0]))


def _in_step(moving: Scalars, gone: Scalars, flights: Iterator[_Flight], tempo: Tempo, size: float) -> Scalars:
    """The phases of a body, (f,), in step with the stairs on its way. `moving`: (f,) its phases without stairs; `gone`:
    (f,) metres that it has gone; `size`: how many times as large as the model it is."""
    result, free, shift = moving.copy(), 0, 0.0
    for flight in flights:
        around = AROUND * flight.tread
        begin = max(int(np.searchsorted(gone, flight.edges[0] - around)), free)
        end = int(np.searchsorted(gone, flight.edges[-1] + around, side="right"))
        if end - begin < 2:
            continue
        treads = flight.treads(gone[begin:end])
        natural = 2.0 * (moving[end - 1] - moving[begin]) / max(treads[-1] - treads[0], 1e-9)
        steps = max(round(natural), 1) if natural > SEVERAL else 1.0 / round(1.0 / max(natural, 1.0 / MOST_TREADS))
        phase = 0.5 * (steps * treads + tempo.start(steps, flight.tread / size, up=flight.up))
        room = min(moving[begin] - moving[free], ADAPTS)
        # Left and right are alike: half a cycle more or less is in step, too.
        change = phase[0] - moving[begin] - shift
        change -= 0.5 * np.floor(2.0 * change + 0.5)
        change += 0.5 if change < -LEAST_RATE * room else 0.0
        if free == 0 and room < SOON:
            shift, change = shift + change, 0.0
        fraction = np.clip((moving[free:begin] - moving[begin] + room) / max(room, 1e-9), 0.0, 1.0)
        result[free:begin] = moving[free:begin] + shift + change * fraction
        result[begin:end] = phase - phase[0] + moving[begin] + shift + change
        result[begin:end] += _to_stop(moving[begin:end], result[begin:end])
        free, shift = end - 1, result[end - 1] - moving[end - 1]
        result[free:] = moving[free:] + shift
    return result


def _to_stop(moving: Scalars, paced: Scalars) -> Scalars:
    """The shift, (f,), that leads the phases of a body in step to where its clips leave its feet as it halts.

    In a cycle before each halt it fades in, and in one after it out. `moving`, `paced`: (f,) its phases without stairs,
    and in step.
    """
    halts = [end for begin, end in runs(np.diff(moving) < STILL) if end - begin >= HALT]
    if not halts:
        return np.zeros(moving.shape)
    at = moving[halts]
    # Left and right are alike.
    steps = 2.0 * (at - paced[halts] + BACK)
    change = 0.5 * (steps - np.floor(steps)) - BACK
    around = np.diff(at, prepend=2.0 * moving[0] - at[0], append=np.inf)
    room = np.minimum(0.5 * np.minimum(around[:-1], around[1:]), 1.0)
    places = np.stack((at - room, at, at + room), axis=1)
    changes = np.stack((0.0 * change, change, 0.0 * change), axis=1)
    return np.asarray(np.interp(moving, places.ravel(), changes.ravel()))
