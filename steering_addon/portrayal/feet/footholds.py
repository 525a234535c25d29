"""Where the feet of bodies have to be on each frame of a run so that they hold on the ground.

While a sole is on the ground it should stay where it is. What it drifts in a stance is taken out about the middle of
the stance, and so is what it turns with the body; on its way from one stance to the next the foot glides from one
correction to the other.
"""

from collections.abc import Sequence

import numpy as np

from ...simulation.arrays.scalars import Mask, Scalars
from ...simulation.arrays.vectors import Vectors, columns
from .climbing import Climb
from .holding import Glide, Stances, Stretches
from .planes import Ground, Planes, fit_planes
from .rotations import LEAST, Turns, in_axes, multiply, rotate, rotation_about_up, rotation_between, transpose
from .small_steps import MOST_TURN, carry_over, small_steps, step_lift, swing_clearance
from .treads import Carried, FootCorrection, Stepping, Tread, find_treads, sum_steps

GRAZES = 0.9
"""The share of a sole from its middle that keeps clear of steps: a heel at the very edge of one would go over it."""


def footholds(
    body: Carried, feet: Sequence[Stepping], height: float, frame_time: float, ground: Ground | None = None
) -> list[FootCorrection]:
    """The corrections that hold the feet of bodies where they stand.

    Args:
        height: of the model, metres.
        frame_time: seconds.
        ground: what the feet stand on; None for the level of the body.
    """
    lowered, scale = [foot.kept_down() for foot in feet], height * body.size
    treads = find_treads(body, lowered, height, frame_time)
    corrections = [_foothold(body, foot, tread, scale, ground) for foot, tread in zip(lowered, treads)]
    return [foot.down.then(correction) if foot.down else correction for foot, correction in zip(feet, corrections)]


def _foothold(body: Carried, foot: Stepping, tread: Tread, scale: Scalars, ground: Ground | None) -> FootCorrection:
    """The correction of a foot of bodies of this height, (..., f) metres."""
    size, off, axes, standing = body.size[..., None], tread.off, body.axes, _Standing(tread)
    yaw = np.clip(standing.standing_shift(body.heading[..., None])[..., 0], -MOST_TURN, MOST_TURN)
    # The sole turns about its middle, at the height at which it rests.
    middle = np.einsum("...mi->...i", foot.points) / foot.points.shape[-2]
    centre = columns(middle[..., 0], middle[..., 1], foot.rests)
    place = body.position + rotate(axes, centre) * size
    turn = rotation_about_up(yaw)
    planes = None
    if ground is not None and standing.stretches:
        planes = standing.planes(body, place, turn, scale, ground)
        turn = multiply(standing.tilt(body, planes), turn)
    # What the sole drifts once it is turned: its heel and its toes are not where its middle is.
    level_of = rotate(turn[..., None, :2, :], tread.world - place[..., None, :]) + place[..., None, :2]
    level = standing.standing_shift(sum_steps(tread.sole.step(level_of)))
    if planes is not None:
        level = level + standing.shift(planes)
    hold = place.copy(order="K")
    hold[..., :2] += level
    climb = None
    if ground is not None and planes is not None:
        other = standing.grazes | body.aloft if np.any(body.aloft) else standing.grazes
        climb = Climb.of(standing.stretches, planes, hold, scale, other)
        ahead = climb.ahead(hold, tread.world - place[..., None, :], scale)
        for axis in (0, 1):
            for column in (hold[..., axis], level[..., axis]):
                column.reshape(-1)[climb.frame] += ahead[:, axis]
    below = body.ground if ground is None else standing.below(planes, ground, hold)
    if np.any(body.aloft):
        below = np.where(body.aloft, body.ground, below)
    lift = _lift(below - place[..., 2], off, standing.stays)
    if climb and ground is not None:
        _climb(climb, tread, place, hold, lift, scale, ground)
    clear = swing_clearance(tread.rest, hold[..., :2], scale)
    lift += np.maximum(step_lift(standing.steps, off, scale), np.maximum(clear - np.maximum(off, 0.0), 0.0))
    above = np.maximum(place[..., 2] + lift + off - below, 0.0)
    return FootCorrection(
        centre=centre,
        shift=rotate(transpose(axes), columns(level[..., 0], level[..., 1], lift)) / size,
        turn=in_axes(axes, turn),
        room=np.where(standing.stays, 0.0, np.maximum(above - clear, np.minimum(above, LEAST))) / body.size,
    )


def _climb(
    climb: Climb, tread: Tread, place: Vectors, hold: Vectors, lift: Scalars, scale: Scalars, ground: Ground
) -> None:
    """Lift feet that climb over the steps; `lift` (..., f) metres is changed."""
    frame, points = climb.frame, tread.world.shape[-2]
    start, height = place.reshape(-1, 3)[frame], climb.height(place[..., 2] + lift)
    sole = tread.world.reshape(-1, points, 3)[frame] - start[:, None]
    at = hold.reshape(-1, 3)[frame][:, None] + GRAZES * sole
    at[..., 2] = height[:, None]
    below, _ = ground(at.reshape(-1, 3), np.repeat(frame, points))
    sunk = np.max(below.reshape(-1, points) - sole[..., 2], axis=1) - height
    target = height + climb.clearance(sunk, scale.reshape(-1)[frame]) - start[:, 2]
    flat = lift.reshape(-1)
    flat[frame] += (target - flat[frame]) * climb.share[climb.swing]


class _Standing(Stances):
    """The stances of a foot of each body between its small steps. `stays`: (..., f) whether it stands or takes a small
    step."""

    def __init__(self, tread: Tread) -> None:
        super().__init__(tread.rest)
        self._tread, self.steps = tread, small_steps(tread.stance, tread.rest)
        shape, stances = self.known.shape, self.stretches
        self.stays, self._in_step = np.zeros(shape, dtype=np.bool_), np.zeros(shape, dtype=np.bool_)
        self.stays[..., 1:] |= tread.stance
        self.stays[..., :-1] |= tread.stance
        self._in_step.reshape(-1)[self.steps.frame] = True
        # The stance in which it is on each frame; of no meaning where it is in none.
        self._row = np.zeros(shape, dtype=np.int64)
        self._row.reshape(-1)[self.rows] = self.stance
        self._middle = stances.body * shape[-1] + (stances.first + stances.last) // 2

    def standing_shift(self, values: Scalars) -> Scalars:
        """The shift of the foot, (..., f, k), that keeps it where it stands and moves it by small steps."""
        added = self.holding_shift(values)
        return np.where(self._in_step[..., None], carry_over(values + added, self.steps) - values, added)

    def planes(self, body: Carried, place: Vectors, turn: Turns, scale: Scalars, ground: Ground) -> Planes:
        """The planes on which it stands, by where it is in the middle of each stance."""

        def at_middle(column: Scalars, width: int = 1) -> Scalars:
            """The values of a column (..., f, ...) in the middle of each stance; `width` axes are of a single value."""
            return column.reshape(-1, *column.shape[column.ndim - width :])[self._middle]

        gone = at_middle(self.standing_shift(self._tread.drift))
        turn, place = at_middle(turn, 2), at_middle(place)
        ahead = rotate(turn, at_middle(body.forward))[:, :2]
        length = np.sqrt(ahead[:, :1] * ahead[:, :1] + ahead[:, 1:] * ahead[:, 1:])
        ahead = ahead / np.maximum(length, 1e-9)
        left = np.stack((-ahead[:, 1], ahead[:, 0]), axis=1)
        off = rotate(turn[:, None], at_middle(self._tread.world, 2) - place[:, None])
        along, aside = (off[..., 0] * axis[:, :1] + off[..., 1] * axis[:, 1:] for axis in (ahead, left))
        heel, toes, right, far_left = (end(extent, axis=1) for extent in (along, aside) for end in (np.min, np.max))
        outline = np.stack(
            [
                x[:, None] * ahead + y[:, None] * left
                for x in (heel, 0.5 * (heel + toes), toes)
                for y in (right, far_left)
            ],
            axis=1,
        )
        level = place[:, None, :2] + gone[:, None] + outline
        height = np.repeat(body.ground.reshape(-1)[self._middle][:, None], outline.shape[1], axis=1)
        soles = np.concatenate((level, height[..., None]), axis=2)
        return fit_planes(soles, ahead, scale.reshape(-1)[self._middle], self._middle, ground)

    def tilt(self, body: Carried, planes: Planes) -> Turns:
        """The rotation by which it leans against its body, (..., f, 3, 3)."""
        normal = np.where(self.known[..., None], planes.normal[self._row], body.up)
        normal = self.glide.over(normal)
        return rotation_between(body.up, columns(normal[..., 0], normal[..., 1], normal[..., 2]))

    def shift(self, planes: Planes) -> Scalars:
        """By how much it is put down elsewhere, (..., f, 2) metres."""
        return self.glide.over(np.where(self.known[..., None], planes.shift[self._row], 0.0))

    def below(self, planes: Planes | None, ground: Ground, hold: Vectors) -> Scalars:
        """The height of what it stands on or goes over, (..., f) metres; `hold` (..., f, 3) are its places."""
        known = self.known
        below, over = np.empty(known.shape), np.flatnonzero(~known)
        if planes is not None:
            below[known] = planes.height(self._row[known], hold[..., 0][known], hold[..., 1][known])
        if len(over):
            below.reshape(-1)[over] = ground(hold[~known], over)[0]
        # In a small step it goes over what is between.
        smooth = self.glide.over(below[..., None])[..., 0]
        return np.where(self._in_step, smooth + _clearance(below - smooth, known), below)


def _lift(lift: Scalars, off: Scalars, known: Mask) -> Scalars:
    """The lift of feet on each frame, (..., f) metres, that keeps them from going through the ground.

    Args:
        lift: (..., f) by which the ground below a foot is above where it rests.
        off: (..., f) metres by which it is above that.
        known: (..., f) whether it stands or takes a small step.
    """
    # What sinks into the ground in a stance is lifted onto it.
    smooth = Glide.of(known).over((lift - np.minimum(off, 0.0))[..., None])[..., 0]
    return np.where(known.any(axis=-1, keepdims=True), smooth + _clearance(lift - off - smooth, known), lift)


def _clearance(sunk: Scalars, known: Mask) -> Scalars:
    """A smooth bump, (..., f) metres, that takes a swinging foot over what it would go through."""
    lift, swings = np.zeros(sunk.shape), Stretches.of(~known)
    if not swings:
        return lift
    rows, swing = swings.within(sunk.shape[-1])
    begin = np.cumsum(swings.length) - swings.length
    fraction = (np.arange(len(rows)) - begin[swing] + 1.0) / (swings.length[swing] + 1.0)
    bump = 4.0 * fraction * (1.0 - fraction)
    peak = np.maximum.reduceat(np.maximum(sunk.reshape(-1)[rows], 0.0) / np.maximum(bump, 0.3), begin)
    lift.reshape(-1)[rows] = bump * peak[swing]
    return lift
