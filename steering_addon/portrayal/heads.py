"""Where heads turn, and how backs and heads are held.

Heads turn a while ahead of the body, to where it will face, or to something that is looked at. Postures differ a
little, so that one model does not look like one person. There are few, so that a crowd shares them; they are spread
evenly over what is possible.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ..simulation.arrays.angles import angle_of
from ..simulation.arrays.chance import Keys, mix, uniform
from ..simulation.arrays.scalars import Mask, Rows, Scalars
from ..simulation.arrays.vectors import Vectors, cross, dot

FURTHEST = 1.2
"""Radians that a head turns to either side at most."""
LETS_GO = 2.4
"""Radians to the side from which on nothing is looked at: it is behind the shoulder. From FURTHEST on, heads turn back
the more, the further it is."""
EYES = 0.93
"""The height of the eyes, as a share of that of the body, where no bone says it."""
UP, DOWN = 0.6, 0.5
"""Radians that a head is raised and lowered at most to look at something."""
NOTICES = 1.5
"""Seconds for which one that moves looks at what called it."""
STANDS = 0.05
"""Body heights a second below which it stands, and still looks."""
EASING = 0.25
"""Seconds, to either side, over which the turn of a head that looks at something is a mean."""
SMOOTHING = 0.12
"""Seconds, to either side, over which the turn of a head is a mean."""
VARIANTS = 16
"""The number of postures of a model."""
SPREAD = (0.8566, 0.7337, 0.6285, 0.5384, 0.4612)
"""Steps, as shares of a turn, by which five numbers of one posture after the other are spread evenly: the powers of the
inverse of the root of x^6 = x + 1."""
ASIDE = 0.5
"""The share of the angle by which a back leans and turns aside at most, and a head leans."""
WHICH = 0x9057


@dataclass(frozen=True)
class Gaze:
    """The targets of the heads of a crowd.

    Attributes:
        lead: seconds by which they turn ahead of their bodies.
        target: the row of the body that they look at, vehicles first, -1 for none.
        in_states: the same in states, by the number of each that has a body of its own.
        callers: whether they look at what called them into a state, where there is no object.
    """

    lead: float
    target: int = -1
    in_states: Mapping[int, int] = field(default_factory=dict)
    callers: bool = False

    def looks(self) -> bool:
        """Whether there may be something to look at."""
        return self.callers or self.target >= 0 or bool(self.in_states)

    def points(self, rows: Rows, caller: Vectors, state: Rows, places: Vectors) -> Vectors:
        """The places that m vehicles look at, (m, 3) metres, nan for none: nobody looks at itself. `rows`: (m,) theirs;
        `caller`, `state`: (m, 3) and (m,) as of `VisibleBodies`; `places`: (k, 3) of all bodies."""
        body = np.full(len(rows), self.target)
        for number, watched in self.in_states.items():
            body[state == number] = watched
        nobody = caller if self.callers else np.full_like(caller, np.nan)
        seen: Vectors = np.where((body >= 0)[:, None], places[np.maximum(body, 0)], nobody)
        seen[body == rows] = np.nan
        return seen


@dataclass(frozen=True)
class Heads:
    """The heads of m bodies on a frame.

    Attributes:
        eyes: (m, 3) metres, the middle of each head.
        forward, up: (m, 3) unit axes of the bodies.
        faces, stands: (m, 3) the same axes in the space of their ground.
        seen: (m, 3) what they look at, nan for nothing.
    """

    eyes: Vectors
    forward: Vectors
    up: Vectors
    faces: Vectors
    stands: Vectors
    seen: Vectors


class LiveTurns:
    """Turns heads frame after frame, where it is not known to where their bodies will go."""

    def __init__(self, lead: float, frame_time: float) -> None:
        """`lead` is that of their gaze."""
        self._lead, self._frame_time = lead, frame_time
        self._faced: list[Vectors] = []
        self._last: tuple[Scalars, Scalars] | None = None

    def frame(self, heads: Heads) -> tuple[Scalars, Scalars]:
        """How far heads are turned to the left and up on the next frame, (m,) radians each."""
        self._faced.append(heads.faces)
        back = min(len(self._faced) - 1, max(round(SMOOTHING / self._frame_time), 1))
        seconds = max(back, 1) * self._frame_time
        otherwise = expected_turn(heads.faces, heads.up, self._faced[-1 - back], seconds, self._lead)
        del self._faced[: -max(round(SMOOTHING / self._frame_time), 1) - 1]
        wanted = aim(heads.seen, heads.eyes, heads.forward, heads.up, otherwise)
        before = wanted if self._last is None else self._last
        looks = np.isfinite(heads.seen[:, 0])
        left, raised = (follow(*angles, looks, self._frame_time) for angles in zip(before, wanted))
        self._last = left, raised
        return self._last


def leads(forward: Vectors, up: Vectors, lead: float, frame_time: float) -> Scalars:
    """How far the heads of bodies are turned to the left on f frames, (..., f) radians.

    They face where their bodies will face a moment later, however often these have turned round. `forward`, `up`: (...,
    f, 3) unit axes of the bodies.
    """
    before, after = forward[..., :-1, :], forward[..., 1:, :]
    left = cross(up[..., :-1, :], before)
    heading = np.zeros(forward.shape[:-1])
    heading[..., 1:] = np.cumsum(angle_of(dot(after, left), dot(after, before)), axis=-1)
    last = heading.shape[-1] - 1
    position = np.minimum(np.arange(last + 1) + lead / frame_time, last)
    row = np.floor(position).astype(np.int64)
    turned = heading[..., row]
    ahead = turned + (heading[..., np.minimum(row + 1, last)] - turned) * (position - row) - heading
    return _running_mean(np.clip(ahead, -FURTHEST, FURTHEST), SMOOTHING, frame_time)


def toward(
    target: Vectors, eyes: Vectors, forward: Vectors, up: Vectors, otherwise: Scalars, frame_time: float
) -> tuple[Scalars, Scalars]:
    """How far the head of a body is turned to the left and raised on f frames to look at a point, (f,) radians each.

    Not further than a neck turns; and straight ahead for what is behind. `target`, `eyes`: (f, 3) the point, nan where
    nothing is looked at, and the middle of the head, metres; `forward`, `up`: (f, 3) unit axes of the body;
    `otherwise`: (f,) how far it is turned where nothing is looked at, radians.
    """
    left, raised = aim(target, eyes, forward, up, otherwise)
    return _running_mean(left, EASING, frame_time), _running_mean(raised, EASING, frame_time)


def aim(target: Vectors, eyes: Vectors, forward: Vectors, up: Vectors, otherwise: Scalars) -> tuple[Scalars, Scalars]:
    """How far heads are turned to the left and raised to look at points, (n,) radians each, without easing. `target`,
    `eyes`, `forward`, `up`, `otherwise`: as for `toward`, of n heads on a frame or of one on n frames."""
    sees = np.isfinite(target[:, 0])
    offset = np.where(sees[:, None], target - eyes, forward)
    ahead, aside, above = dot(offset, forward), dot(offset, cross(up, forward)), dot(offset, up)
    angle = angle_of(aside, ahead)
    looks = np.clip((LETS_GO - np.abs(angle)) / (LETS_GO - FURTHEST), 0.0, 1.0)
    raised = angle_of(above, np.sqrt(ahead * ahead + aside * aside))
    left = np.where(sees, np.clip(angle, -FURTHEST, FURTHEST) * looks, otherwise)
    return left, np.where(sees, np.clip(raised, -DOWN, UP) * looks, 0.0)


def expected_turn(forward: Vectors, up: Vectors, before: Vectors, seconds: float, lead: float) -> Scalars:
    """How far bodies will turn to the left while they turn on as they do, (n,) radians: what `leads` comes to where the
    future is not known. `forward`, `up`: (n, 3) unit axes; `before`: (n, 3) how they faced these seconds ago; `lead`:
    seconds."""
    turn: Scalars = -angle_of(dot(before, cross(up, forward)), dot(before, forward))
    return np.clip(turn * (lead / seconds), -FURTHEST, FURTHEST)


def follow(before: Scalars, wanted: Scalars, looks: Mask, frame_time: float) -> Scalars:
    """How far heads have turned a frame later, (n,) radians, as they follow what is wanted. `before`, `wanted`: (n,)
    radians; `looks`: (n,) whether they look at something: then they turn more slowly."""
    share = np.minimum(frame_time / np.where(looks, EASING, SMOOTHING), 1.0)
    return before + (wanted - before) * share


def attends(since: Scalars, speed: Scalars, height: Scalars) -> Mask:
    """Whether bodies look at what called them into a state, (n,). `since`: (n,) seconds since they took up the state;
    `speed`, `height`: (n,) m/s and metres."""
    return (since < NOTICES) | (speed < STANDS * height)


def _running_mean(angle: Scalars, time: float, frame_time: float) -> Scalars:
    """The running mean of angles (..., f) over a time to either side, seconds."""
    count, reach = angle.shape[-1], int(np.floor(time / frame_time + 0.5))
    sums = np.zeros((*angle.shape[:-1], count + 1))
    sums[..., 1:] = np.cumsum(angle, axis=-1)
    first = np.maximum(np.arange(count) - reach, 0)
    last = np.minimum(np.arange(count) + reach + 1, count)
    return (sums[..., last] - sums[..., first]) / (last - first)


def variants_of(keys: Keys) -> Rows:
    """The number of the posture of each of n agents, (n,)."""
    return np.floor(uniform(mix(keys, WHICH)) * VARIANTS).astype(np.int64)


def postures(limit: Scalars, variants: Rows) -> tuple[Vectors, Vectors]:
    """How far backs and heads of n agents are turned, (n, 3) radians: raised, leant to the left, turned to the left.
    `limit`: (n,) radians by which a back or a head is raised or lowered at most; `variants`: (n,) numbers of
    postures."""
    multiple = (variants[:, None] + 0.5) * np.array(SPREAD)
    draw = (2.0 * (multiple - np.floor(multiple)) - 1.0) * limit[:, None]
    level = np.zeros(len(draw))
    back = np.stack((draw[:, 0], ASIDE * draw[:, 1], ASIDE * draw[:, 2]), axis=1)
    # Where a head faces is what it looks at.
    head = np.stack((draw[:, 3], ASIDE * draw[:, 4], level), axis=1)
    return back, head
