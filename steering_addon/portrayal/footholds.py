"""Where the feet of a body have to be on each frame of a run so that they hold on the ground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.angles import angle_of
from ..simulation.arrays.vectors import Mask, Scalars, Vectors, cross, dot, magnitude
from .planes import Ground, Planes, planes_below
from .planting import (
    MOST_TURN,
    SHORTEST,
    Correction,
    Turns,
    glided,
    held,
    on_ground,
    product,
    turned,
    turned_about_up,
    turned_between,
)
from .small_steps import FAR, carried_over, lifted, small_steps, swung, with_steps
from .soles import TOUCH, Foot, Points, foot_of, runs

STANDS = 0.05
"""Model heights a second below which a body stands: its feet do not swing, however they move."""


@dataclass(frozen=True)
class Carried:
    """A body on f frames.

    Attributes:
        position, forward, up: (f, 3) metres and unit axes.
        size: (f,) how many times as large as the measured model it is.
        origin: (f,) metres by which its position is above where it stands.
    """

    position: Vectors
    forward: Vectors
    up: Vectors
    size: Scalars
    origin: Scalars

    def axes(self) -> Turns:
        """The directions of the model's x, y and z axes as columns, (f, 3, 3): its left, its back and up."""
        return np.stack((cross(self.up, self.forward), -self.forward, self.up), axis=2)

    def heading(self) -> Scalars:
        """How far it has turned to the left since the first frame, (f,) radians."""
        left = cross(self.up, self.forward)
        turn = -angle_of(dot(self.forward[:-1], left[1:]), dot(self.forward[:-1], self.forward[1:]))
        return np.concatenate(([0.0], np.cumsum(turn)))


@dataclass(frozen=True)
class Stepping:
    """A foot of a body on f frames, as its clips move it.

    Attributes:
        points: (f, m, 3) of its sole in the space of the model, metres.
        rests: (f,) the height at which it rests, metres.
    """

    points: Points
    rests: Scalars


def footholds(
    body: Carried, feet: Sequence[Stepping], height: float, frame_time: float, ground: Ground | None = None
) -> list[Correction]:
    """The corrections that hold the feet of a body where they stand.

    Args:
        height: of the model, metres.
        frame_time: seconds.
        ground: what the feet stand on; None for the level of the body.
    """
    axes, heading = body.axes(), body.heading()
    speed = magnitude(body.position[1:] - body.position[:-1]) / frame_time
    stands = speed < STANDS * height * body.size[1:]
    treads = [_tread(body, foot, axes, speed, stands, height, frame_time) for foot in feet]
    rests = with_steps(
        [tread.stance for tread in treads],
        [tread.drift for tread in treads],
        heading,
        FAR * height * body.size,
        frame_time,
    )
    return [
        _foothold(body, foot, tread, rest, axes, heading, height, ground)
        for foot, tread, rest in zip(feet, treads, rests)
    ]


@dataclass(frozen=True)
class _Tread:
    """A foot over the ground, as clips move it.

    Attributes:
        world: (f, m, 3) the points of its sole.
        heights: (f, m) metres of these above the origin of the body, along its up axis.
        off: (f,) metres by which it is above where it rests.
        stance: (f - 1,) whether it stands between two frames.
        drift: (f, 2) metres that it has gone over the ground since the first frame.
    """

    world: Points
    heights: Scalars
    off: Scalars
    stance: Mask
    drift: Scalars


def _tread(
    body: Carried, foot: Stepping, axes: Turns, speed: Scalars, stands: Mask, height: float, frame_time: float
) -> _Tread:
    world = body.position[:, None] + np.einsum("fij,fmj->fmi", axes, foot.points) * body.size[:, None, None]
    heights = foot.points[..., 2] * body.size[:, None]
    sole = _sole(world, heights, height * float(body.size[0]))
    off = sole.sole - foot.rests * body.size
    # What sinks into the ground will be lifted onto it.
    touches = 0.5 * (off[1:] + off[:-1]) < TOUCH * height * body.size[1:]
    ahead = dot(np.concatenate((sole.step, np.zeros((len(speed), 1))), axis=1), body.forward[1:]) / frame_time
    stance = on_ground(ahead, speed, touches, stands, frame_time)
    return _Tread(world, heights, off, stance, _gone(sole.step))


def _sole(world: Points, heights: Scalars, scale: float) -> Foot:
    """A foot whose points are (f, m, 3), but at these heights (f, m)."""
    return foot_of(np.concatenate((world[..., :2], heights[..., None]), axis=2), np.arange(world.shape[1]), scale, 0.0)


def _gone(step: Scalars) -> Scalars:
    return np.concatenate((np.zeros((1, 2)), np.cumsum(step, axis=0)))


def _foothold(
    body: Carried,
    foot: Stepping,
    tread: _Tread,
    rest: Mask,
    axes: Turns,
    heading: Scalars,
    height: float,
    ground: Ground | None,
) -> Correction:
    size = body.size[:, None]
    scale, off, stance = height * body.size, tread.off, tread.stance
    yaw = np.clip(_placed(heading[:, None], stance, rest)[:, 0], -MOST_TURN, MOST_TURN)
    centre = np.einsum("fmi->fi", foot.points) / foot.points.shape[1]
    # The sole turns about its middle, at the height at which it rests.
    centre = np.concatenate((centre[:, :2], foot.rests[:, None]), axis=1)
    place = body.position + turned(axes, centre) * size
    turn = turned_about_up(yaw)
    standing = _Standing(rest)
    planes = tilt = None
    if ground is not None and standing.stances:
        planes = standing.planes(body, foot, tread, place, turn, scale, ground)
        tilt = standing.tilt(body, planes)
        turn = product(tilt, turn)
    # What the sole drifts once it is turned: its heel and its toes are not where its middle is.
    straight = np.einsum("fij,fmj->fmi", turn, tread.world - place[:, None]) + place[:, None]
    level = _placed(_gone(_sole(straight, tread.heights, float(scale[0])).step), stance, rest)
    if planes is not None:
        level = level + glided(planes.shift[standing.row], standing.known)
    hold = place + np.concatenate((level, np.zeros((len(place), 1))), axis=1)
    below = body.position[:, 2] - body.origin if ground is None else standing.below(planes, ground, hold, stance)
    lift = _lift(below - place[:, 2], off, _frames(stance))
    lift += np.maximum(lifted(stance, rest, off, scale), swung(rest, hold[:, :2], off, scale))
    shift = np.concatenate((level, lift[:, None]), axis=1)
    inverse = axes.transpose(0, 2, 1)
    return Correction(
        centre=centre,
        shift=turned(inverse, shift) / size,
        turn=product(product(inverse, turn), axes),
    )


def _placed(values: Scalars, stance: Mask, rest: Mask) -> Scalars:
    """What to add to a foot, (f, k), so that it stays where it stands and goes from there to there by small steps."""
    added = held(values, rest)
    return np.where(_frames(stance & ~rest)[:, None], carried_over(values + added, stance, rest) - values, added)


def _frames(between: Mask) -> Mask:
    """The frames (f,) at the ends of steps between frames, (f - 1,)."""
    frames = np.zeros(len(between) + 1, dtype=np.bool_)
    frames[1:] |= between
    frames[:-1] |= between
    return frames


class _Standing:
    """The stances of a foot on f frames.

    Attributes:
        stances: the first and the last frame of each.
        known: (f,) whether it stands.
        row: (f,) of the stance in which it is; of no meaning where it is in none.
    """

    def __init__(self, rest: Mask) -> None:
        self.stances = [(first, last) for first, last in runs(rest) if last - first >= SHORTEST]
        self.known = np.zeros(len(rest) + 1, dtype=np.bool_)
        self.row = np.zeros(len(rest) + 1, dtype=np.int64)
        for number, (first, last) in enumerate(self.stances):
            self.known[first : last + 1] = True
            self.row[first : last + 1] = number
        self._rest = rest

    def planes(
        self, body: Carried, foot: Stepping, tread: _Tread, place: Vectors, turn: Turns, scale: Scalars, ground: Ground
    ) -> Planes:
        """What it stands on in each stance, where it is in the middle of it."""
        middle = np.array([(first + last) // 2 for first, last in self.stances])
        gone = _placed(tread.drift, tread.stance, self._rest)[middle]
        ahead = turned(turn[middle], body.forward[middle])[:, :2]
        length = np.sqrt(ahead[:, :1] * ahead[:, :1] + ahead[:, 1:] * ahead[:, 1:])
        ahead = ahead / np.maximum(length, 1e-9)
        left = np.stack((-ahead[:, 1], ahead[:, 0]), axis=1)
        off = np.einsum("sij,smj->smi", turn[middle], tread.world[middle] - place[middle, None])[..., :2]
        along, across = (np.einsum("smi,si->sm", off, axis) for axis in (ahead, left))
        outline = np.stack(
            [
                x[:, None] * ahead + y[:, None] * left
                for x in (
                    np.min(along, axis=1),
                    0.5 * (np.min(along, axis=1) + np.max(along, axis=1)),
                    np.max(along, axis=1),
                )
                for y in (np.min(across, axis=1), np.max(across, axis=1))
            ],
            axis=1,
        )
        level = place[middle, None, :2] + gone[:, None] + outline
        height = np.repeat((body.position[middle, 2] - body.origin[middle])[:, None], outline.shape[1], axis=1)
        return planes_below(np.concatenate((level, height[..., None]), axis=2), ahead, scale[middle], middle, ground)

    def tilt(self, body: Carried, planes: Planes) -> Turns:
        """How it leans against its body, (f, 3, 3)."""
        return turned_between(body.up, glided(planes.normal[self.row], self.known))

    def below(self, planes: Planes | None, ground: Ground, hold: Vectors, stance: Mask) -> Scalars:
        """The height of what it stands on or goes over, (f,) metres; `hold` (f, 3) are its places."""
        below = np.empty(len(hold))
        if planes is not None:
            below[self.known] = planes.height(self.row[self.known], *hold[self.known, :2].T)
        over = ~self.known
        if over.any():
            below[over] = ground(hold[over], np.flatnonzero(over))[0]
        # In a small step it goes over what is between.
        for rows, _ in small_steps(stance, self._rest):
            low, known = below[rows], self.known[rows]
            smooth = glided(low[:, None], known)[:, 0]
            below[rows] = smooth + _cleared(low - smooth, known)
        return below


def _lift(lift: Scalars, off: Scalars, known: Mask) -> Scalars:
    """How far a foot is lifted on each frame, (f,) metres, so that it goes through nothing.

    Args:
        lift: (f,) by which the ground below it is above where it rests.
        off: (f,) metres by which it is above that.
        known: (f,) whether it stands or takes a small step.
    """
    if not known.any():
        return lift
    # What sinks into the ground in a stance is lifted onto it.
    smooth = glided((lift - np.minimum(off, 0.0))[:, None], known)[:, 0]
    return smooth + _cleared(lift - off - smooth, known)


def _cleared(sunk: Scalars, known: Mask) -> Scalars:
    """What to lift a swinging foot by, (f,), so that it does not go through what it steps over: a smooth bump."""
    lift = np.zeros(len(sunk))
    for first, last in runs(~known):
        part = (np.arange(first, last) + 1.0 - first) / (last - first + 1.0)
        bump = 4.0 * part * (1.0 - part)
        lift[first:last] = bump * np.max(np.maximum(sunk[first:last], 0.0) / np.maximum(bump, 0.3))
    return lift
