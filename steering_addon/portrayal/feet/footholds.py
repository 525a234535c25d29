"""Where the feet of bodies have to be on each frame of a run so that they hold on the ground.

While a sole is on the ground it should stay where it is. What it drifts in a stance is taken out about the middle of
the stance, and so is what it turns with the body; on its way from one stance to the next the foot glides from one
correction to the other.

A foot that climbs goes up before it goes ahead, and ahead before it comes down: the way from edge to edge of the steps
is free then. So it rises in the first part of its swing, and sinks in the last.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...simulation.arrays.scalars import Mask, Rows, Scalars, firsts
from ...simulation.arrays.vectors import Vectors, columns
from .holding import Glide, Stances, Stretches, smooth
from .planes import ROUGH, Ground, Planes, fit_planes
from .rotations import LEAST, Turns, in_axes, multiply, rotate, rotation_about_up, rotation_between, transpose
from .small_steps import MOST_TURN, Lifts, carry_over, share_of_lift, small_steps, step_lift, swing_clearance
from .treads import Carried, FootCorrection, Stepping, Tread, find_treads, sum_steps

HIGH = 0.05
"""Model heights from which on what is between two stances is a step altogether."""
STAYS = 0.25
"""The share of a swing after which a foot goes ahead that goes up, and before whose end it is there that comes down."""
BACK = 0.02
"""Model heights by which toes are drawn back before they go up, from the riser before them."""
CLIMBS = 0.6
"""The share of a swing in which it goes up or down."""


@dataclass(frozen=True)
class Climb(Lifts):
    """The k swings that climb, without the frames of the stances before and after. `share`: (k,) how much of a step is
    between these, 0 to 1; `up`: (k,) whether it goes up."""

    share: Scalars
    up: Mask

    @classmethod
    def between(cls, stances: Stretches, planes: Planes, hold: Vectors, scale: Scalars, other: Mask) -> "Climb":
        """The swings between stances that climb.

        Args:
            hold: (..., f, 3) where feet are, metres.
            scale: (..., f) the height of the body, metres.
            other: (..., f) whether feet are on no ground or graze it. What swings meanwhile does not climb: in a fast
                gallop it is several swings.
        """
        frames = scale.shape[-1]
        first = np.flatnonzero(stances.body[1:] == stances.body[:-1])
        start = stances.body[first] * frames + stances.last[first]
        end = stances.body[first + 1] * frames + stances.first[first + 1]
        x, y = (hold[..., axis].reshape(-1)[end] for axis in (0, 1))
        rise = planes.height(first + 1, x, y) - planes.height(first, x, y)
        high = scale.reshape(-1)[end]
        share = np.clip((np.abs(rise) / high - ROUGH) / (HIGH - ROUGH), 0.0, 1.0)
        off = np.cumsum(other)
        few = np.flatnonzero((share > 0.0) & (end > start + 1) & (off[end] == off[start]))
        start, end = start[few], end[few]
        swings = Stretches(stances.body[first], stances.last[first] + 1, stances.first[first + 1])
        frame, swing = swings[few].within(frames)
        fraction = (frame - start[swing]) / (end - start)[swing]
        return cls(frame, swing, fraction, start, end, share[few], rise[few] > 0.0)

    def __len__(self) -> int:
        return len(self.start)

    def ahead(self, hold: Vectors, sole: Vectors, scale: Scalars) -> Scalars:
        """By how much feet are moved on the level, (m, 2) metres, so that their toes, or going down their heels, go so.
        `hold`: (..., f, 3) where they would be; `sole`: (..., f, points, 3) the points of their soles, from there."""
        place, points = hold[..., :2].reshape(-1, 2), sole[..., :2].reshape(-1, sole.shape[-2], 2)
        direction = place[self.end] - place[self.start]
        length = np.sqrt(direction[:, 0] * direction[:, 0] + direction[:, 1] * direction[:, 1])
        direction = direction / np.maximum(length, 1e-9)[:, None]

        def edge(frame: Rows, swing: Rows) -> Scalars:
            """How far along its way the first edge of a foot is that meets a step."""
            unit, off = direction[swing], place[frame]
            reach = points[frame, :, 0] * unit[:, :1] + points[frame, :, 1] * unit[:, 1:]
            ends = np.where(self.up[swing], reach.max(axis=1), reach.min(axis=1))
            return off[:, 0] * unit[:, 0] + off[:, 1] * unit[:, 1] + ends

        every = np.arange(len(self))
        first, end = edge(self.start, every)[self.stretch], edge(self.end, every)[self.stretch]
        up = self.up[self.stretch]
        first -= np.where(up, BACK * scale.reshape(-1)[self.frame] * smooth(2.0 * self.fraction / STAYS), 0.0)
        target = first + (end - first) * smooth((self.fraction - np.where(up, STAYS, 0.0)) / (1.0 - STAYS))
        return ((target - edge(self.frame, self.stretch)) * self.share[self.stretch])[:, None] * direction[self.stretch]

    def height(self, low: Scalars) -> Scalars:
        """The heights of their soles over what lies between, (m,) metres; `low` (..., f) are those of stances."""
        heights = low.reshape(-1)
        before, after = heights[self.start][self.stretch], heights[self.end][self.stretch]
        late = np.where(self.up[self.stretch], 0.0, 1.0 - CLIMBS)
        return before + (after - before) * smooth((self.fraction - late) / CLIMBS)

    def clearance(self, sunk: Scalars, scale: Scalars) -> Scalars:
        """A smooth lift, (m,) metres, that takes feet over what they would go through by `sunk` (m,) metres."""
        bump = share_of_lift(self.fraction)
        begin = firsts(self.stretch)
        peak = np.maximum.reduceat(np.maximum(sunk, 0.0) / np.maximum(bump, 0.5), begin)
        return bump * peak[self.stretch]


GRAZES = 0.9
"""The share of a sole from its middle that keeps clear of steps: a heel at the very edge of one would go over it."""


def footholds(
    body: Carried, feet: Sequence[Stepping], height: float, frame_time: float, ground: Ground | None = None
) -> list[FootCorrection]:
    """The corrections that hold the feet of bodies where they stand.

    Args:
        height: of the model, metres.
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
    level = standing.standing_shift(sum_steps(tread.sole.step(level_of, body.facing[..., 1:, :])), body.facing)
    if planes is not None:
        level = level + standing.shift(planes)
    hold = place.copy(order="K")
    hold[..., :2] += level
    climb = None
    if ground is not None and planes is not None:
        other = standing.grazes | body.aloft if np.any(body.aloft) else standing.grazes
        climb = Climb.between(standing.stretches, planes, hold, scale, other)
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
    flat[frame] += (target - flat[frame]) * climb.share[climb.stretch]


class _Standing(Stances):
    """The stances of a foot of each body between its small steps. `stays`: (..., f) whether it stands or takes a small
    step."""

    def __init__(self, tread: Tread) -> None:
        super().__init__(tread.rest)
        self._tread, self.steps = tread, small_steps(tread.stance, tread.rest)
        shape = self.known.shape
        self.stays, self._in_step = np.zeros(shape, dtype=np.bool_), np.zeros(shape, dtype=np.bool_)
        self.stays[..., 1:] |= tread.stance
        self.stays[..., :-1] |= tread.stance
        self._in_step.reshape(-1)[self.steps.frame] = True
        # The stance in which it is on each frame; of no meaning where it is in none.
        self._row = np.zeros(shape, dtype=np.int64)
        self._row.reshape(-1)[self.rows] = self.stance

    def standing_shift(self, values: Scalars, ahead: Scalars | None = None) -> Scalars:
        """The shift of the foot, (..., f, k), that keeps it where it stands and moves it by small steps; arguments as
        for `holding_shift`."""
        added = self.holding_shift(values, ahead)
        return np.where(self._in_step[..., None], carry_over(values + added, self.steps) - values, added)

    def planes(self, body: Carried, place: Vectors, turn: Turns, scale: Scalars, ground: Ground) -> Planes:
        """The planes on which it stands, by where it is in the middle of each stance."""

        def at_middle(column: Scalars, width: int = 1) -> Scalars:
            """The values of a column (..., f, ...) in the middle of each stance; `width` axes are of a single value."""
            return column.reshape(-1, *column.shape[column.ndim - width :])[self.middle]

        gone = at_middle(self.standing_shift(self._tread.drift, body.facing))
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
        height = np.repeat(body.ground.reshape(-1)[self.middle][:, None], outline.shape[1], axis=1)
        soles = np.concatenate((level, height[..., None]), axis=2)
        return fit_planes(soles, ahead, scale.reshape(-1)[self.middle], self.middle, ground)

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
    """The lift of feet on each frame, (..., f) metres, that keeps them from going through the ground. `lift`: (..., f)
    by which the ground below a foot is above where it rests; `off`: (..., f) metres by which it is above that; `known`:
    (..., f) whether it stands or takes a small step."""
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
