"""Where the feet of bodies have to be on each frame of a run so that they hold on the ground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..simulation.arrays.angles import angle_of
from ..simulation.arrays.vectors import Mask, Scalars, Vectors, columns, cross, dot, magnitude
from .holding import Glide, Hold
from .planes import Ground, Planes, planes_below
from .planting import (
    MOST_TURN,
    Correction,
    Turns,
    after,
    corrected,
    on_ground,
    product,
    transposed,
    turned,
    turned_about_up,
    turned_between,
    with_axes,
)
from .reach import Reach, let_go
from .small_steps import FAR, carried_over, lifted, small_steps, swung, with_steps
from .soles import TOUCH, Points, Sole
from .stretches import stretches

STANDS = 0.05
"""Model heights a second below which a body stands: its feet do not swing, however they move."""
DRAGS = 0.5
"""The share of its body's speed from which on a foot that goes forwards over the ground sets off."""


@dataclass(frozen=True)
class Carried:
    """Bodies on f frames.

    Attributes:
        position, forward, up: (..., f, 3) metres and unit axes.
        size: (..., f) how many times as large as the measured model they are.
        origin: (..., f) metres by which their position is above where they stand.
    """

    position: Vectors
    forward: Vectors
    up: Vectors
    size: Scalars
    origin: Scalars

    def axes(self) -> Turns:
        """The directions of the model's x, y and z axes as columns, (..., f, 3, 3): its left, its back and up."""
        return with_axes(cross(self.up, self.forward), -self.forward, self.up)

    def heading(self) -> Scalars:
        """How far they have turned to the left since the first frame, (..., f) radians."""
        left = cross(self.up, self.forward)
        before, after = self.forward[..., :-1, :], self.forward[..., 1:, :]
        heading = np.zeros(self.size.shape)
        heading[..., 1:] = np.cumsum(-angle_of(dot(before, left[..., 1:, :]), dot(before, after)), axis=-1)
        return heading


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
    down: Correction | None = None
    reach: Reach | None = None

    def kept_down(self) -> Stepping:
        """The same foot once that is done."""
        if self.down is None:
            return self
        turn, centre, shift = self.down.turn[..., None, :, :], self.down.centre, self.down.shift
        points = turned(turn, self.points - centre[..., None, :]) + (centre + shift)[..., None, :]
        reach = self.reach and replace(self.reach, ankle=corrected(self.reach.ankle, self.down))
        return Stepping(points, self.rests, reach=reach)


def footholds(
    body: Carried, feet: Sequence[Stepping], height: float, frame_time: float, ground: Ground | None = None
) -> list[Correction]:
    """The corrections that hold the feet of bodies where they stand.

    Args:
        height: of the model, metres.
        frame_time: seconds.
        ground: what the feet stand on; None for the level of the body.
    """
    axes, heading = body.axes(), body.heading()
    down, feet = [foot.down for foot in feet], [foot.kept_down() for foot in feet]
    speed = magnitude(body.position[..., 1:, :] - body.position[..., :-1, :]) / frame_time
    stands = speed < STANDS * height * body.size[..., 1:]
    treads = [_tread(body, foot, axes, speed, stands, height, frame_time) for foot in feet]
    rests = with_steps(
        [tread.stance for tread in treads],
        [tread.drift for tread in treads],
        heading,
        FAR * height * body.size,
        frame_time,
    )
    lets_go = [
        _let_go(body, foot.reach, tread, rest, axes, speed, stands) for foot, tread, rest in zip(feet, treads, rests)
    ]
    corrections = [
        _foothold(body, foot, tread, _Standing(tread.stance & ~free, rest & ~free), axes, heading, height, ground)
        for foot, tread, rest, free in zip(feet, treads, rests, lets_go)
    ]
    return [after(first, each) if first else each for first, each in zip(down, corrections)]


@dataclass(frozen=True)
class _Tread:
    """A foot over the ground, as clips move it.

    Attributes:
        world: (..., f, m, 3) the points of its sole.
        sole: by their heights along the up axis of the body.
        off: (..., f) metres by which it is above where it rests.
        stance: (..., f - 1) whether it stands between two frames.
        drift: (..., f, 2) metres that it has gone over the ground since the first frame.
        ahead: (..., f - 1) m/s at which it goes forwards over the ground.
    """

    world: Points
    sole: Sole
    off: Scalars
    stance: Mask
    drift: Scalars
    ahead: Scalars


def _tread(
    body: Carried, foot: Stepping, axes: Turns, speed: Scalars, stands: Mask, height: float, frame_time: float
) -> _Tread:
    size = body.size[..., None]
    world = body.position[..., None, :] + turned(axes[..., None, :, :], foot.points) * size[..., None]
    sole = Sole.of(foot.points[..., 2] * size, height * body.size[..., :1])
    step = sole.step(world)
    off = sole.lowest - foot.rests * body.size
    # What sinks into the ground will be lifted onto it.
    touches = 0.5 * (off[..., 1:] + off[..., :-1]) < TOUCH * height * body.size[..., 1:]
    forward = body.forward[..., 1:, :]
    ahead = (step[..., 0] * forward[..., 0] + step[..., 1] * forward[..., 1]) / frame_time
    return _Tread(world, sole, off, on_ground(ahead, speed, touches, stands, frame_time), _gone(step), ahead)


def _gone(step: Scalars) -> Scalars:
    gone = np.zeros((*step.shape[:-2], step.shape[-2] + 1, 2))
    gone[..., 1:, :] = np.cumsum(step, axis=-2)
    return gone


def _let_go(
    body: Carried, reach: Reach | None, tread: _Tread, rest: Mask, axes: Turns, speed: Scalars, stands: Mask
) -> Mask:
    """When a foot that sets off is no longer held, as its leg would be pulled straight, (..., f - 1)."""
    drags = rest & ~stands & (tread.ahead > DRAGS * speed)
    if reach is None or not drags.any():
        return np.zeros_like(rest)
    held = Hold(rest).added(tread.drift)
    shift = turned(transposed(axes), columns(held[..., 0], held[..., 1], 0.0)) / body.size[..., None]
    return let_go(drags, tread.stance, reach.strained(shift))


def _foothold(
    body: Carried,
    foot: Stepping,
    tread: _Tread,
    standing: _Standing,
    axes: Turns,
    heading: Scalars,
    height: float,
    ground: Ground | None,
) -> Correction:
    size, scale, off = body.size[..., None], height * body.size, tread.off
    yaw = np.clip(standing.placed(heading[..., None])[..., 0], -MOST_TURN, MOST_TURN)
    # The sole turns about its middle, at the height at which it rests.
    middle = np.einsum("...mi->...i", foot.points) / foot.points.shape[-2]
    centre = columns(middle[..., 0], middle[..., 1], foot.rests)
    place = body.position + turned(axes, centre) * size
    turn = turned_about_up(yaw)
    planes = None
    if ground is not None and standing.hold.stances:
        planes = standing.planes(body, tread, place, turn, scale, ground)
        turn = product(standing.tilt(body, planes), turn)
    # What the sole drifts once it is turned: its heel and its toes are not where its middle is.
    level_of = turned(turn[..., None, :2, :], tread.world - place[..., None, :]) + place[..., None, :2]
    level = standing.placed(_gone(tread.sole.step(level_of)))
    if planes is not None:
        level = level + standing.shift(planes)
    hold = place.copy(order="K")
    hold[..., :2] += level
    below = body.position[..., 2] - body.origin if ground is None else standing.below(planes, ground, hold)
    lift = _lift(below - place[..., 2], off, standing.stays)
    lift += np.maximum(lifted(standing.steps, off, scale), swung(standing.rest, hold[..., :2], off, scale))
    inverse = transposed(axes)
    return Correction(
        centre=centre,
        shift=turned(inverse, columns(level[..., 0], level[..., 1], lift)) / size,
        turn=product(product(inverse, turn), axes),
    )


class _Standing:
    """The stances of a foot of each body.

    Attributes:
        rest: (..., f - 1) whether it stands between two frames once it takes small steps.
        steps: these.
        hold: the stances that are left between these.
        stays: (..., f) whether it stands or takes a small step.
        row: (..., f) of the stance in which it is; of no meaning where it is in none.
    """

    def __init__(self, stance: Mask, rest: Mask) -> None:
        """`stance` (..., f - 1) is as the clips have it."""
        self.rest, self.steps, self.hold = rest, small_steps(stance, rest), Hold(rest)
        shape, stances = self.hold.known.shape, self.hold.stances
        self.stays, self._in_step = np.zeros(shape, dtype=np.bool_), np.zeros(shape, dtype=np.bool_)
        self.stays[..., 1:] |= stance
        self.stays[..., :-1] |= stance
        self._in_step.reshape(-1)[self.steps.frame] = True
        self.row = np.zeros(shape, dtype=np.int64)
        self.row.reshape(-1)[self.hold.rows] = self.hold.stance
        self._middle = stances.body * shape[-1] + (stances.first + stances.last) // 2

    def placed(self, values: Scalars) -> Scalars:
        """What to add to the foot, (..., f, k), so that it stays where it stands and moves by small steps."""
        added = self.hold.added(values)
        return np.where(self._in_step[..., None], carried_over(values + added, self.steps) - values, added)

    def planes(
        self, body: Carried, tread: _Tread, place: Vectors, turn: Turns, scale: Scalars, ground: Ground
    ) -> Planes:
        """What it stands on in each stance, where it is in the middle of it."""

        def at_middle(column: Scalars, width: int = 1) -> Scalars:
            """What each stance has in a column (..., f) + the shape of what is in it, of this number of axes."""
            return column.reshape(-1, *column.shape[column.ndim - width :])[self._middle]

        gone = at_middle(self.placed(tread.drift))
        turn, place = at_middle(turn, 2), at_middle(place)
        ahead = turned(turn, at_middle(body.forward))[:, :2]
        length = np.sqrt(ahead[:, :1] * ahead[:, :1] + ahead[:, 1:] * ahead[:, 1:])
        ahead = ahead / np.maximum(length, 1e-9)
        left = np.stack((-ahead[:, 1], ahead[:, 0]), axis=1)
        off = turned(turn[:, None], at_middle(tread.world, 2) - place[:, None])
        along, across = (off[..., 0] * axis[:, :1] + off[..., 1] * axis[:, 1:] for axis in (ahead, left))
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
        level = place[:, None, :2] + gone[:, None] + outline
        height = (body.position[..., 2] - body.origin).reshape(-1)[self._middle]
        height = np.repeat(height[:, None], outline.shape[1], axis=1)
        soles = np.concatenate((level, height[..., None]), axis=2)
        return planes_below(soles, ahead, scale.reshape(-1)[self._middle], self._middle, ground)

    def tilt(self, body: Carried, planes: Planes) -> Turns:
        """How it leans against its body, (..., f, 3, 3)."""
        normal = np.where(self.hold.known[..., None], planes.normal[self.row], body.up)
        normal = self.hold.glide.over(normal)
        return turned_between(body.up, columns(normal[..., 0], normal[..., 1], normal[..., 2]))

    def shift(self, planes: Planes) -> Scalars:
        """By how much it is put down elsewhere, (..., f, 2) metres."""
        return self.hold.glide.over(np.where(self.hold.known[..., None], planes.shift[self.row], 0.0))

    def below(self, planes: Planes | None, ground: Ground, hold: Vectors) -> Scalars:
        """The height of what it stands on or goes over, (..., f) metres; `hold` (..., f, 3) are its places."""
        known = self.hold.known
        below, over = np.empty(known.shape), np.flatnonzero(~known)
        if planes is not None:
            below[known] = planes.height(self.row[known], hold[..., 0][known], hold[..., 1][known])
        if len(over):
            below.reshape(-1)[over] = ground(hold[~known], over)[0]
        # In a small step it goes over what is between.
        smooth = self.hold.glide.over(below[..., None])[..., 0]
        return np.where(self._in_step, smooth + _cleared(below - smooth, known), below)


def _lift(lift: Scalars, off: Scalars, known: Mask) -> Scalars:
    """How far feet are lifted on each frame, (..., f) metres, so that they go through nothing.

    Args:
        lift: (..., f) by which the ground below a foot is above where it rests.
        off: (..., f) metres by which it is above that.
        known: (..., f) whether it stands or takes a small step.
    """
    # What sinks into the ground in a stance is lifted onto it.
    smooth = Glide.of(known).over((lift - np.minimum(off, 0.0))[..., None])[..., 0]
    return np.where(known.any(axis=-1, keepdims=True), smooth + _cleared(lift - off - smooth, known), lift)


def _cleared(sunk: Scalars, known: Mask) -> Scalars:
    """What to lift a swinging foot by, (..., f), so that it does not go through what it steps over: a smooth bump."""
    lift, swings = np.zeros(sunk.shape), stretches(~known)
    if not swings:
        return lift
    rows, swing = swings.within(sunk.shape[-1])
    begin = np.cumsum(swings.length) - swings.length
    part = (np.arange(len(rows)) - begin[swing] + 1.0) / (swings.length[swing] + 1.0)
    bump = 4.0 * part * (1.0 - part)
    most = np.maximum.reduceat(np.maximum(sunk.reshape(-1)[rows], 0.0) / np.maximum(bump, 0.3), begin)
    lift.reshape(-1)[rows] = bump * most[swing]
    return lift
