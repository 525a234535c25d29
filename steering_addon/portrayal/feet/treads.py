"""Feet over the ground, as clips move them: when each stands, and when its leg lets go of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...simulation.arrays.angles import angle_of
from ...simulation.arrays.once import once
from ...simulation.arrays.scalars import Mask, Scalars
from ...simulation.arrays.vectors import Vectors, columns, cross, dot, magnitude, unit_or
from .holding import Stances, Stretches
from .rotations import Turns, from_axes, multiply, rotate, seen_along, transpose
from .small_steps import FAR, add_small_steps
from .soles import ALONG_X, TOUCH, Points, Sole

MOMENT = 0.2
"""Seconds in which a foot that swings has left the ground."""
LEAVES = 1.5
"""How many times as high as a foot that touches the ground one is that has left it."""
SWINGS = 1.2
"""The share of its body's speed over the ground from which on a foot swings."""
STANDS = 0.05
"""Model heights a second below which a body stands: its feet do not swing, however they move."""
DRAGS = 0.5
"""The share of its body's speed from which on a foot that goes forwards over the ground sets off."""
STRETCH = 0.9995
"""The share of its length to which a leg is stretched at most."""
HOLDS, PULLED = 0.98, 0.1
"""Shares of a leg's length: a foot that it holds is at most so far from its hip, unless it is by less than this farther
than in its clips, which may have straight legs."""


@dataclass(frozen=True)
class Carried:
    """Bodies on f frames.

    Attributes:
        position, forward, up: (..., f, 3) metres and unit axes.
        size: (..., f) how many times as large as the measured model they are.
        origin: (..., f) metres by which their position is above where they stand.
        aloft: (..., f) whether they are on no ground, as on a ladder; False if they never are.
        raised: (..., f) metres by which steps carry them higher than the ground below them; 0 if they never do.
    """

    position: Vectors
    forward: Vectors
    up: Vectors
    size: Scalars
    origin: Scalars
    aloft: Mask | bool = False
    raised: Scalars | float = 0.0

    @once
    def axes(self) -> Turns:
        """The directions of the model's x, y and z axes as columns, (..., f, 3, 3): its left, its back and up."""
        return from_axes(cross(self.up, self.forward), -self.forward, self.up)

    @once
    def heading(self) -> Scalars:
        """The angle that they have turned to the left since the first frame, (..., f) radians."""
        left = cross(self.up, self.forward)
        before, after = self.forward[..., :-1, :], self.forward[..., 1:, :]
        heading = np.zeros(self.size.shape)
        heading[..., 1:] = np.cumsum(-angle_of(dot(before, left[..., 1:, :]), dot(before, after)), axis=-1)
        return heading

    @once
    def facing(self) -> Scalars:
        """The level directions in which they face, (..., f, 2) unit vectors; of who faces straight up, along x."""
        return unit_or(self.forward[..., :2], ALONG_X)

    @once
    def ground(self) -> Scalars:
        """The height of what they stand on, (..., f) metres."""
        return self.position[..., 2] - self.origin

    @once
    def strides(self) -> Scalars:
        """How far they go from each frame to the next as seen from above, (..., f - 1) metres."""
        step = self.position[..., 1:, :2] - self.position[..., :-1, :2]
        return np.sqrt(step[..., 0] * step[..., 0] + step[..., 1] * step[..., 1])


@dataclass(frozen=True)
class FootCorrection:
    """A shift and a turn of a foot of each body on each frame, in the space of the model.

    Attributes:
        centre: (..., f, 3) the middle of its sole, about which it turns, metres.
        turn: (..., f, 3, 3).
        room: (..., f) metres by which it may come down where it swings without grazing the ground; 0 where it is held.
    """

    centre: Vectors
    shift: Vectors
    turn: Turns
    room: Scalars | float = 0.0

    def move(self, places: Vectors) -> Vectors:
        """The corrected places, (..., f, 3), of places on the foot."""
        return rotate(self.turn, places - self.centre) + self.centre + self.shift

    def move_points(self, points: Points) -> Points:
        """The corrected points, (..., f, m, 3), of points on the foot."""
        off = points - self.centre[..., None, :]
        return rotate(self.turn[..., None, :, :], off) + (self.centre + self.shift)[..., None, :]

    def then(self, other: "FootCorrection") -> "FootCorrection":
        """The correction that does what both do, this one first."""
        centre = rotate(transpose(self.turn), other.centre - self.centre - self.shift) + self.centre
        shift = other.centre + other.shift - centre
        return FootCorrection(centre, shift, multiply(other.turn, self.turn), other.room)


@dataclass(frozen=True)
class LegReach:
    """The leg between the hips and a foot of each body on f frames, in the space of the model.

    Attributes:
        length: (..., f) metres of the stretched leg, or one number.
        foot: (..., f, 3) what has to be at the ankle; None for the ankle itself. Feet that are bones of their own only
            follow their shins.
        folded: (..., f) metres of the leg whose knee is bent as far as can be, or one number.
    """

    hip: Vectors
    ankle: Vectors
    length: Scalars | float
    foot: Vectors | None = None
    folded: Scalars | float = 0.0

    def target(self, correction: FootCorrection) -> Vectors:
        """Where the ankle has to be, (..., f, 3) metres, for the foot to be corrected."""
        return correction.move(self.ankle if self.foot is None else self.foot)

    def line(self, correction: FootCorrection, drop: Scalars) -> Vectors:
        """The way from the hip to where the ankle has to be, (..., f, 3) metres; the hips are lower by `drop`."""
        return self.target(correction) - (self.hip + columns(np.zeros(drop.shape), 0.0, -drop))

    def is_strained(self, shift: Vectors) -> Mask:
        """Where, (..., f), a leg is pulled straight by a foot that is moved by `shift` (..., f, 3) metres."""
        line = self.ankle - self.hip
        held = magnitude(line + shift)
        return (held > HOLDS * self.length) & (held - magnitude(line) > PULLED * self.length)


@dataclass(frozen=True)
class Stepping:
    """A foot of each body on f frames, as its clips move it.

    Attributes:
        points: (..., f, m, 3) of its sole in the space of the model, metres.
        rests: (..., f) the height at which it rests, metres.
        down: what keeps it down where its clips would lift it, and is done first; None if they do not.
        reach: of its leg; None if that is not known.
    """

    points: Points
    rests: Scalars
    down: FootCorrection | None = None
    reach: LegReach | None = None

    def kept_down(self) -> "Stepping":
        """The same foot once that is done."""
        if self.down is None:
            return self
        reach = self.reach and replace(self.reach, ankle=self.down.move(self.reach.ankle))
        return Stepping(self.down.move_points(self.points), self.rests, reach=reach)


@dataclass(frozen=True)
class Tread:
    """A foot over the ground, as clips move it.

    Attributes:
        world: (..., f, m, 3) the points of its sole.
        sole: by their heights along the up axis of the body.
        off: (..., f) metres by which it is above where it rests.
        ahead: (..., f - 1) m/s at which it goes forwards over the ground.
        drift: (..., f, 2) metres that it has gone over the ground since the first frame.
        stance: (..., f - 1) whether it stands between two frames as its clips have it.
        rest: (..., f - 1) whether it stands once it takes small steps.
    """

    world: Points
    sole: Sole
    off: Scalars
    ahead: Scalars
    drift: Scalars
    stance: Mask
    rest: Mask

    @classmethod
    def of(
        cls, body: Carried, foot: Stepping, scale: Scalars, speed: Scalars, stands: Mask, frame_time: float
    ) -> "Tread":
        """The tread of a foot of bodies of this height (..., f) and speed (..., f - 1), without small steps."""
        size = body.size[..., None]
        world = body.position[..., None, :] + rotate(body.axes[..., None, :, :], foot.points) * size[..., None]
        sole = Sole.of(foot.points[..., 2] * size, scale[..., :1])
        step = sole.step(world, body.facing[..., 1:, :])
        off = sole.lowest - foot.rests * body.size
        # What sinks into the ground will be lifted onto it.
        rise = 0.5 * (off[..., 1:] + off[..., :-1]) / scale[..., 1:]
        if np.any(body.aloft):
            aloft = np.asarray(body.aloft)
            rise = np.where(aloft[..., 1:] | aloft[..., :-1], np.inf, rise)
        forward = body.forward[..., 1:, :]
        ahead = (step[..., 0] * forward[..., 0] + step[..., 1] * forward[..., 1]) / frame_time
        stance = on_ground(ahead, speed, rise, stands, frame_time)
        return cls(world, sole, off, ahead, sum_steps(step), stance, stance)


def find_treads(body: Carried, feet: Sequence[Stepping], height: float, frame_time: float) -> list[Tread]:
    """The treads of feet, which take small steps, and are let go of where they would pull legs straight. `height`: of
    the model, metres; `frame_time`: seconds."""
    scale = height * body.size
    speed = magnitude(body.position[..., 1:, :] - body.position[..., :-1, :]) / frame_time
    stands = speed < STANDS * scale[..., 1:]
    treads = [Tread.of(body, foot, scale, speed, stands, frame_time) for foot in feet]
    stances = [tread.stance for tread in treads]
    # How far feet go is told along where their body faces at first.
    drifts = [
        np.stack(seen_along(body.facing[..., :1, :], *np.moveaxis(tread.drift, -1, 0)), axis=-1) for tread in treads
    ]
    rests = add_small_steps(stances, drifts, body.heading, FAR * scale, frame_time)
    result = []
    for foot, tread, rest in zip(feet, treads, rests):
        free = _lets_go(body, foot.reach, replace(tread, rest=rest), speed, stands)
        result.append(replace(tread, stance=tread.stance & ~free, rest=rest & ~free))
    return result


def on_ground(ahead: Scalars, speed: Scalars, rise: Scalars, stands: Mask, frame_time: float) -> Mask:
    """Whether feet stand between frames, (..., f - 1): they touch the ground and do not swing.

    A foot that stops standing for a moment, and does not leave the ground, still stands.

    Args:
        ahead: (..., f - 1) m/s at which it goes forwards over the ground.
        speed: (..., f - 1) of the body.
        rise: (..., f - 1) by how much it is higher than it rests, in heights of the body.
        stands: (..., f - 1) whether the body stands.
    """
    rest = (rise < TOUCH) & (stands | (ahead < SWINGS * speed))
    gaps, steps = Stretches.of(~rest), rest.shape[-1]
    gaps = gaps[(gaps.first > 0) & (gaps.last < steps) & (gaps.length * frame_time < MOMENT)]
    rows, gap = gaps.within(steps)
    leaves = np.bincount(gap, rise.reshape(-1)[rows] >= LEAVES * TOUCH, minlength=len(gaps)) > 0
    return rest | gaps[~leaves].mask(rest.shape)


def sum_steps(step: Scalars) -> Scalars:
    """The way since the first frame, (..., f, 2), of steps between frames, (..., f - 1, 2)."""
    gone = np.zeros((*step.shape[:-2], step.shape[-2] + 1, 2))
    gone[..., 1:, :] = np.cumsum(step, axis=-2)
    return gone


def _lets_go(body: Carried, reach: LegReach | None, tread: Tread, speed: Scalars, stands: Mask) -> Mask:
    """When a foot that sets off is no longer held, as its leg would be pulled straight, (..., f - 1)."""
    drags = tread.rest & ~stands & (tread.ahead > DRAGS * speed)
    if reach is None or not drags.any():
        return np.zeros_like(drags)
    held = Stances(tread.rest).holding_shift(tread.drift, body.facing)
    shift = rotate(transpose(body.axes), columns(held[..., 0], held[..., 1], 0.0)) / body.size[..., None]
    return let_go(drags, tread.stance, reach.is_strained(shift))


def let_go(drags: Mask, stance: Mask, strained: Mask) -> Mask:
    """When legs let go of feet between frames, (..., f - 1): from where they are strained to the ends of stances.
    `drags`: (..., f - 1) whether a foot sets off although it is held; `stance`: (..., f - 1) whether it stands as its
    clips have it; `strained`: (..., f) whether its leg is."""
    steps = stance.shape[-1]
    ends = Stretches.of(drags)
    swings = np.ones((*stance.shape[:-1], steps + 1), dtype=np.bool_)
    swings[..., :-1] = ~stance
    ends = ends[swings.reshape(-1)[ends.body * (steps + 1) + ends.last]]
    rows, end = ends.within(steps)
    is_strained = strained[..., 1:].reshape(-1)[rows]
    count = np.cumsum(is_strained)
    before = np.concatenate(([0], count))[np.cumsum(ends.length) - ends.length]
    lets_go: Mask = np.zeros(stance.shape, dtype=np.bool_)
    lets_go.reshape(-1)[rows[count > before[end]]] = True
    return lets_go
