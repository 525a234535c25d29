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
from .soles import TOUCH, Points, foot_of, runs

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
    return [_foothold(body, foot, axes, heading, speed, stands, height, frame_time, ground) for foot in feet]


def _foothold(
    body: Carried,
    foot: Stepping,
    axes: Turns,
    heading: Scalars,
    speed: Scalars,
    stands: Mask,
    height: float,
    frame_time: float,
    ground: Ground | None,
) -> Correction:
    size = body.size[:, None]
    world = body.position[:, None] + np.einsum("fij,fmj->fmi", axes, foot.points) * body.size[:, None, None]
    above = np.concatenate((world[..., :2], (foot.points[..., 2] * size)[..., None]), axis=2)
    rows = np.arange(foot.points.shape[1])
    scale = height * float(body.size[0])
    sole = foot_of(above, rows, scale, 0.0)
    off = sole.sole - foot.rests * body.size
    # What sinks into the ground will be lifted onto it.
    touches = 0.5 * (off[1:] + off[:-1]) < TOUCH * height * body.size[1:]
    ahead = dot(np.concatenate((sole.step, np.zeros((len(speed), 1))), axis=1), body.forward[1:]) / frame_time
    rest = on_ground(ahead, speed, touches, stands, frame_time)
    yaw = np.clip(held(heading[:, None], rest)[:, 0], -MOST_TURN, MOST_TURN)
    centre = np.einsum("fmi->fi", foot.points) / len(rows)
    # The sole turns about its middle, at the height at which it rests.
    centre = np.concatenate((centre[:, :2], foot.rests[:, None]), axis=1)
    place = body.position + turned(axes, centre) * size
    lift, tilt = _on(ground, body, place, rest, off)
    # What the sole drifts once it is turned: its heel and its toes are not where its middle is. The ground where it
    # then stands may lean otherwise.
    for _ in range(1 if ground is None else TRIES):
        turn = product(tilt, turned_about_up(yaw))
        straight = np.einsum("fij,fmj->fmi", turn, world - place[:, None]) + place[:, None]
        drifting = foot_of(np.concatenate((straight[..., :2], above[..., 2:]), axis=2), rows, scale, 0.0)
        level = held(np.concatenate((np.zeros((1, 2)), np.cumsum(drifting.step, axis=0))), rest)
        hold = place + np.concatenate((level, np.zeros((len(place), 1))), axis=1)
        lift, tilt = _on(ground, body, hold, rest, off)
    shift = np.concatenate((level, lift[:, None]), axis=1)
    inverse = axes.transpose(0, 2, 1)
    return Correction(
        centre=centre,
        shift=turned(inverse, shift) / size,
        turn=product(product(inverse, turn), axes),
    )


def _on(ground: Ground | None, body: Carried, place: Vectors, rest: Mask, off: Scalars) -> tuple[Scalars, Turns]:
    """How far a foot is lifted, (f,) metres, and tilted, (f, 3, 3), so that it stands on the ground in each stance.

    Args:
        place: (f, 3) the middle of its sole when it rests, in the world.
        rest: (f - 1,) whether it stands between two frames.
        off: (f,) metres by which it is above that.
    """
    if ground is None:
        below, normals = body.position[:, 2] - body.origin, body.up
    else:
        below, normals = ground(place)
    lift = below - place[:, 2]
    known = np.zeros(len(place), dtype=np.bool_)
    known[1:] |= rest
    known[:-1] |= rest
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
