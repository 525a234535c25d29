"""Where the feet of a body have to be on each frame of a run so that they hold on the ground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.angles import angle_of
from ..simulation.arrays.vectors import Mask, Scalars, Vectors, cross, dot, magnitude
from .planting import (
    MOST_TURN,
    Correction,
    Ground,
    Turns,
    glided,
    held,
    on_ground,
    product,
    turned,
    turned_about_up,
    turned_between,
)
from .small_steps import FAR, carried_over, lifted, small_steps, with_steps
from .soles import TOUCH, Foot, Points, foot_of, runs

STANDS = 0.05
"""Model heights a second below which a body stands: its feet do not swing, however they move."""

TRIES = 2
"""How often it is asked how the ground leans where a foot will stand, once it is known more nearly where."""


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
    lift, tilt = _on(ground, body, place, stance, rest, off)
    # What the sole drifts once it is turned: its heel and its toes are not where its middle is. The ground where it
    # then stands may lean otherwise.
    for _ in range(1 if ground is None else TRIES):
        turn = product(tilt, turned_about_up(yaw))
        straight = np.einsum("fij,fmj->fmi", turn, tread.world - place[:, None]) + place[:, None]
        level = _placed(_gone(_sole(straight, tread.heights, float(scale[0])).step), stance, rest)
        hold = place + np.concatenate((level, np.zeros((len(place), 1))), axis=1)
        lift, tilt = _on(ground, body, hold, stance, rest, off)
    shift = np.concatenate((level, (lift + lifted(stance, rest, scale))[:, None]), axis=1)
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


def _on(
    ground: Ground | None, body: Carried, place: Vectors, stance: Mask, rest: Mask, off: Scalars
) -> tuple[Scalars, Turns]:
    """How far a foot is lifted, (f,) metres, and tilted, (f, 3, 3), so that it stands on the ground in each stance.

    Args:
        place: (f, 3) the middle of its sole when it rests, in the world.
        stance: (f - 1,) whether it stands or takes a small step between two frames.
        rest: (f - 1,) whether it stands.
        off: (f,) metres by which it is above that.
    """
    if ground is None:
        below, normals = body.position[:, 2] - body.origin, body.up
    else:
        below, normals = ground(place)
        # In a small step it goes over what is between.
        for rows, _ in small_steps(stance, rest):
            low, known = below[rows], np.zeros(rows.stop - rows.start, dtype=np.bool_)
            known[[0, -1]] = True
            smooth = glided(low[:, None], known)[:, 0]
            below[rows] = smooth + _cleared(low - smooth, known)
    lift = below - place[:, 2]
    known = _frames(stance)
    if not known.any():
        return lift, turned_between(body.up, normals)
    # What sinks into the ground in a stance is lifted onto it.
    stands = lift - np.minimum(off, 0.0)
    smooth = glided(np.concatenate((stands[:, None], normals), axis=1), known)
    return smooth[:, 0] + _cleared(lift - off - smooth[:, 0], known), turned_between(body.up, smooth[:, 1:])


def _cleared(sunk: Scalars, known: Mask) -> Scalars:
    """What to lift a swinging foot by, (f,), so that it does not go through what it steps over: a smooth bump."""
    lift = np.zeros(len(sunk))
    for first, last in runs(~known):
        part = (np.arange(first, last) + 1.0 - first) / (last - first + 1.0)
        bump = 4.0 * part * (1.0 - part)
        lift[first:last] = bump * np.max(np.maximum(sunk[first:last], 0.0) / np.maximum(bump, 0.3))
    return lift
