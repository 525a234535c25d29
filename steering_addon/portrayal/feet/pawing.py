"""Feet that stand flat on the ground while their body stands, though a clip lifts them.

A horse paws the ground in a clip that stands: such a foot is moved to where it rests in that clip, and its leg follows.
One that stops in a step of a clip that moves, as without a clip that stands, closes the step. A foot that came down
ahead of where it passes its body stays there; one behind that, or in the air, comes up to there. A clip that is done
once lifts its feet as it was made.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...simulation.arrays.scalars import Scalars
from ...simulation.arrays.vectors import Vectors, columns
from ..clips import MOVE, PHASES, STAND, Clip, Playing, mixed_tables
from .holding import smooth
from .rotations import LEAST, Turns, multiply, orthonormalize, transpose
from .soles import TOUCH, Points, median, stances
from .solving import mean_around
from .treads import STANDS, Carried, FootCorrection, Stepping

PUT_DOWN = 0.1
"""Seconds before and after a body has stopped, in which it closes its step."""
SETS_OFF = 0.25
"""Cycles in which it opens it again as it sets off."""
LIFTS = 0.015
"""Model heights by which a clip lifts a foot at least that is kept down in it."""


@dataclass(frozen=True)
class Paw:
    """The motion that takes a foot down in each clip, at each phase and over the end of the cycle. `shift`: (PHASES +
    2, 3) of each clip, metres in the space of the model; `turn`: (PHASES + 2, 3, 3) of each clip, about the foot's
    origin."""

    shift: list[Vectors]
    turn: list[Turns]

    def correction(self, playing: Playing, place: Vectors) -> FootCorrection:
        """The correction of the foot of n bodies on f frames. `playing`: (clips, n f) of them, one after the other;
        `place`: (n, f, 3) where their clips have its origin."""
        shift, turn = mixed_tables(self.shift, playing), mixed_tables(self.turn, playing)
        # The model at rest makes up for shares of clips that sum to less than 1.
        turn = orthonormalize(turn + (1.0 - np.einsum("cf->f", playing.weights()))[:, None, None] * np.eye(3))
        return FootCorrection(place, shift.reshape(place.shape), turn.reshape(*place.shape, 3))


def put_down(foot: Stepping, closing: FootCorrection, share: Scalars) -> Stepping:
    """A foot of n bodies that closes its step by shares (n, f) of the way."""
    turn = orthonormalize(np.eye(3) + share[..., None, None] * (closing.turn - np.eye(3)))
    shift = closing.shift * share[..., None]
    lowered = FootCorrection(closing.centre, columns(shift[..., 0], shift[..., 1], shift[..., 2]), turn)
    return replace(foot, down=lowered if foot.down is None else foot.down.then(lowered))


def settling(phase: Scalars, body: Carried, height: float, frame_time: float) -> Scalars:
    """How far bodies have closed a step, (n, f), 0 to 1: as they stop, and until the foot behind would swing past.
    `phase`: (n, f) of the clips that move; `height`: of the model, metres."""
    still = np.zeros(body.size.shape)
    still[..., 1:] = body.strides / frame_time < STANDS * height * body.size[..., 1:]
    still[..., 0] = still[..., min(1, still.shape[-1] - 1)]
    share = mean_around(still, max(round(PUT_DOWN / frame_time), 1))
    last = np.maximum.accumulate(np.where(share > 1.0 - LEAST, phase, -np.inf), axis=-1)
    return np.maximum(share, smooth(1.0 - (phase - last) / SETS_OFF))


def paws_of(
    clips: Sequence[Clip],
    soles: Sequence[Points],
    rests: Scalars,
    places: Sequence[Vectors],
    turns: Sequence[Turns],
    height: float,
) -> tuple[Paw | None, Paw]:
    """Find the motion that keeps a foot down in clips that stand, None if none of them lifts it, and that by which it
    closes its step in clips that move.

    Args:
        soles: (PHASES + 2, m, 3) the points of its sole in each of the clips, metres in the space of the model.
        rests: (clips,) the heights at which it rests.
        places, turns: (PHASES + 2, 3) and (PHASES + 2, 3, 3) where its origin is in each clip, and how it is turned.
        height: of the model, metres.
    """
    kept, closing, lifts = _no_paw(places), _no_paw(places), False
    for row, (clip, sole) in enumerate(zip(clips, soles)):
        above = np.min(sole[..., 2], axis=1) - rests[row]
        touches = np.abs(above) < TOUCH * height
        stance = max(stances(touches[:PHASES]), key=len, default=np.zeros(0, dtype=np.int64))
        if clip.plays == STAND and np.max(above) >= LIFTS * height:
            down = np.flatnonzero(touches) if touches.any() else np.array([np.argmin(above)])
            phase = down[_usual(places[row][down])]
            paw, place, lifts = kept, places[row][phase], True
        elif clip.plays == MOVE and clip.speed > 0.0 and len(stance):
            half = _usual(places[row][stance])
            phase, early = stance[half], stance[:half]
            paw, place = closing, np.tile(places[row][phase] - (0.0, 0.0, above[phase]), (len(sole), 1))
            along = np.einsum("pmi->pi", sole[..., :2]) / sole.shape[1]
            ahead = np.isin(np.arange(len(sole)) % PHASES, early)
            place[ahead, :2] += along[ahead] - along[phase]
        else:
            continue
        paw.shift[row] = place - places[row]
        paw.turn[row] = multiply(turns[row][phase], transpose(turns[row]))
    return kept if lifts else None, closing


def _usual(places: Vectors) -> int:
    """The row of the place of some (r, 3) that is nearest to their median."""
    off = places - np.array([median(column) for column in places.T])
    return int(np.argmin(np.einsum("ri,ri->r", off, off)))


def _no_paw(places: Sequence[Vectors]) -> Paw:
    """A motion that leaves a foot where it is, at places (PHASES + 2, 3) in each clip."""
    return Paw([np.zeros_like(place) for place in places], [np.tile(np.eye(3), (len(place), 1, 1)) for place in places])
