"""Feet that stay down where a clip that stands lifts them, as a horse does that paws the ground.

A planted foot of a body that stands is on the ground. So such a foot is moved to where it rests in that clip, and its
leg follows. One that stops in a step of a clip that moves, as without a clip that stands, puts its foot straight down.
A clip that is done once lifts its feet as it was made.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...simulation.arrays.scalars import Scalars
from ...simulation.arrays.vectors import Vectors, columns
from ..clips import STAND, Clip, Playing, mixed_tables
from .rotations import Turns, multiply, orthonormalize, transpose
from .soles import TOUCH, Points, median
from .solving import mean_around
from .treads import STANDS, Carried, FootCorrection, Stepping

PUT_DOWN = 0.1
"""Seconds before and after a body has stopped, in which it puts a foot down."""
LIFTS = 0.015
"""Model heights by which a clip lifts a foot at least that is kept down in it."""


@dataclass(frozen=True)
class Paw:
    """The motion that keeps a foot down in each clip, at each phase and over the end of the cycle. `shift`: (PHASES +
    2, 3) of each clip, metres in the space of the model; `turn`: (PHASES + 2, 3, 3) of each clip, about the foot's
    origin."""

    shift: list[Vectors]
    turn: list[Turns]

    def correction(self, playing: Playing, place: Vectors) -> FootCorrection:
        """The correction of the foot of n bodies on f frames. `playing`: (clips, n f) of them, one after the other;
        `place`: (n, f, 3) where their clips have its origin."""
        shift, turn = mixed_tables(self.shift, playing), orthonormalize(mixed_tables(self.turn, playing))
        return FootCorrection(place, shift.reshape(place.shape), turn.reshape(*place.shape, 3))


def put_down(foot: Stepping, share: Scalars) -> Stepping:
    """A foot of n bodies that is put down by shares (n, f) of the way."""
    kept = foot.kept_down()
    down = share * np.maximum(np.min(kept.points[..., 2], axis=-1) - kept.rests, 0.0)
    if not np.any(down):
        return foot
    shift = columns(np.zeros(down.shape), 0.0, -down)
    lowered = FootCorrection(kept.points[..., 0, :], shift, np.broadcast_to(np.eye(3), (*down.shape, 3, 3)))
    return replace(foot, down=lowered if foot.down is None else foot.down.then(lowered))


def settling(moving: Scalars, body: Carried, height: float, frame_time: float) -> Scalars:
    """How far bodies that stop in a step put their feet down, (n, f). `moving`: (n, f) the share of clips that move in
    their pose; `body`: they, (n, f); `height`: of the model, metres."""
    still = np.zeros(body.size.shape)
    still[..., 1:] = body.strides / frame_time < STANDS * height * body.size[..., 1:]
    still[..., 0] = still[..., min(1, still.shape[-1] - 1)]
    return moving * mean_around(still, max(round(PUT_DOWN / frame_time), 1))


def paw_of(
    clips: Sequence[Clip],
    soles: Sequence[Points],
    rests: Scalars,
    places: Sequence[Vectors],
    turns: Sequence[Turns],
    height: float,
) -> Paw | None:
    """Find the motion that keeps a foot down; None if no clip that stands lifts it.

    Args:
        soles: (PHASES + 2, m, 3) the points of its sole in each of the clips, metres in the space of the model.
        rests: (clips,) the heights at which it rests.
        places, turns: (PHASES + 2, 3) and (PHASES + 2, 3, 3) where its origin is in each clip, and how it is turned.
        height: of the model, metres.
    """
    shift, turn = [np.zeros_like(place) for place in places], [np.tile(np.eye(3), (len(rows), 1, 1)) for rows in turns]
    lifts = False
    for row, (clip, sole) in enumerate(zip(clips, soles)):
        above = np.min(sole[..., 2], axis=1) - rests[row]
        if clip.plays != STAND or np.max(above) < LIFTS * height:
            continue
        lifts = True
        down = np.flatnonzero(np.abs(above) < TOUCH * height)
        down = down if len(down) else np.array([np.argmin(above)])
        off = places[row][down] - np.array([median(column) for column in places[row][down].T])
        phase = down[np.argmin(np.einsum("di,di->d", off, off))]
        shift[row] = places[row][phase] - places[row]
        turn[row] = multiply(turns[row][phase], transpose(turns[row]))
    return Paw(shift, turn) if lifts else None
