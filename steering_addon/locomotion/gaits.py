"""Gaits: how fast walkers go and how tightly they turn, as a table with one rule of change for each gait.

A walker takes the first of GAITS that holds. How fast it would walk on follows from PACES: each that holds changes what
those above it give.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..simulation.arrays.angles import cosine_and_sine
from ..simulation.arrays.frozen import replace
from ..simulation.arrays.once import once
from ..simulation.arrays.scalars import EPSILON, Mask, Scalars, all_of, anybody, clamp, everybody, which
from ..simulation.arrays.vectors import Vectors, dot, from_above, magnitude, picked, truncate, unit
from ..simulation.handling import side_step
from .headings import Turn, begin_turn, rests, sine_between, swing_over, turn_by, turn_to, turn_toward
from .walking import ROUND, Outset, along_and_aside, join_parts

SETS_OFF = 1.2
"""Multiples of the slowest speed at which a walker that stands sets off."""
AHEAD = 0.3
"""The cosine between heading and direction below which a walker drives round instead of walking on."""
STRAIGHT, BACK = 0.8, -0.99999
"""The cosines between heading and wish from which on an animal goes straight, and down to which it goes round while it
walks: what pulls straight back brakes it."""
FACES = 0.9
"""The cosine between heading and direction from which on a walker that turned on the spot sets off."""
STEPS = 0.5
"""The share of its pace below which an animal steps round, tighter than its circle; people do below their pace."""
STEPS_ROUND = 0.25
"""The share of cruise speed at which a walker steps round that has no room for its circle."""
WHIRLS = 0.25
"""Seconds before it is as slow as it steps aside in which one that brakes begins to turn on the spot."""
WAY_OUT = 1.5
"""Radians a second at which a walker turns on the spot that has no step left ahead, no room for its circle, or that
another body blocks, whatever its Pivot."""


@dataclass(frozen=True)
class Walkers(Outset):
    """The inputs that decide on the gait of n walkers in a step. Vectors are (n, 2), as seen from above.

    Attributes:
        direction: unit vectors to where they go.
        circle: (n,) the radius of their tightest turn, metres.
        max_turn_rate, on_the_spot: (n,) their fastest turn while they walk and while they stand, rad/s.
        wanted, wished: (n,) m/s after the step if free to turn, and within the response time.
        fastest: (n,) m/s from which they can still stop before an edge.
        most: (n,) m/s at which those at most go on that brake to whirl round; inf for the others.
        steps_aside: (n,) the share of their pace at which they step aside or back.
        rounds: (n,) how far they go round to what is beside or behind them, 0 to 1.
    """

    direction: Vectors
    circle: Scalars
    max_turn_rate: Scalars
    on_the_spot: Scalars
    wanted: Scalars
    wished: Scalars
    fastest: Scalars
    most: Scalars
    steps_aside: Scalars
    rounds: Scalars

    @once
    def pace(self) -> Scalars:
        """(n,) the speed at which they walk, m/s."""
        return self.model.pace

    @once
    def still(self) -> Mask:
        """(n,) who stands."""
        return self.memory.stands | (self.speed <= 0.0)

    @once
    def turn(self) -> Turn:
        """The turns that lie before them."""
        return Turn.between(self.motion.forward, self.direction)

    @once
    def toward(self) -> Scalars:
        """(n,) how fast they already turn there, rad/s."""
        return turn_toward(self.turn.sine, self.memory.turning)

    @once
    def turning_on_the_spot(self) -> Scalars:
        """(n,) the fastest turn while they stand, rad/s: it begins gradually, and leads out of a corner in any case."""
        rate, cornered = self.on_the_spot, self.memory.cornered
        if anybody(cornered):
            rate = np.where(cornered, np.maximum(rate, WAY_OUT), rate)
        return np.where(self.still, begin_turn(rate, self.toward, self.dt), rate) if anybody(self.still) else rate

    @once
    def whirling(self) -> Scalars:
        """(n,) the fastest turn of those that whirl, rad/s."""
        return begin_turn(self.on_the_spot, self.toward, self.dt)

    def turn_rate_at(self, speed: Scalars) -> Scalars:
        """The fastest turn at a speed, (n,) rad/s: on the turning circle, or stepping round when slow."""
        walking = speed / np.maximum(self.circle, EPSILON)
        round_rate = np.maximum(self.turning_on_the_spot, np.where(self.memory.has_room, 0.0, WAY_OUT))
        if not anybody(round_rate > 0.0):
            return np.minimum(self.max_turn_rate, walking)
        below = np.where(self.on_the_spot > 0.0, 1.0, STEPS) * self.pace
        stepping = round_rate * np.maximum(1.0 - speed / np.maximum(below, EPSILON), 0.0)
        return np.minimum(self.max_turn_rate, np.maximum(walking, stepping))

    @once
    def turn_rate(self) -> Scalars:
        """(n,) the fastest turn at their speed, rad/s."""
        return self.turn_rate_at(self.speed)

    def slowed(self, speed: Scalars) -> Scalars:
        """The fastest turn, (n,) rad/s, of walkers that change to a speed: what walks more slowly turns less."""
        return np.minimum(self.turn_rate, self.turn_rate_at(speed))

    @once
    def ahead(self) -> Scalars:
        """(n,) the cosines of what is left of the turns after the step."""
        rate = np.where(self.still, self.turning_on_the_spot, self.turn_rate) if anybody(self.still) else self.turn_rate
        return self.turn.cosine_left(rate * self.dt)

    @once
    def round_speed(self) -> Scalars:
        """(n,) m/s at which they go round to what is beside or behind them."""
        return np.minimum(np.maximum(ROUND * self.pace, self.slowest), np.maximum(self.wanted, self.wished))

    @once
    def walking_on(self) -> Scalars:
        """(n,) m/s at which they would walk on, by PACES."""
        speed = self.wanted
        for pace in PACES:
            holds = pace.holds(self)
            if anybody(holds):
                speed = np.where(holds, pace.speed(self, speed), speed)
        return speed

    @once
    def within_limits(self) -> Scalars:
        """(n,) m/s at which they do: no creeping, and no faster than they can stop before an edge."""
        return np.minimum(np.maximum(self.walking_on, self.slowest), self.fastest)

    @once
    def whirls(self) -> Mask:
        """(n,) who is so slow that it turns on the spot while it steps on as it went."""
        slow = (self.steps_aside > 0.0) & (self.speed <= self.steps_aside * self.pace + WHIRLS * self.brakes)
        return np.isfinite(self.most) & slow & ~(self.still | self.memory.cornered)

    @once
    def is_led_aside(self) -> Mask:
        """(n,) who goes round ground that cannot be walked."""
        return self.memory.side != 0

    @once
    def goes(self) -> Mask:
        """(n,) who is asked to walk; one that stands has to face its way first."""
        goes = (self.wished > SETS_OFF * self.slowest) | (~self.memory.stands & (self.walking_on >= self.slowest))
        if not anybody(self.still):
            return goes
        faces = np.where(self.memory.cornered & ~self.memory.blocked, 1.0 - EPSILON, FACES)
        return goes & ~(self.still & (self.turning_on_the_spot > 0.0) & (self.ahead < faces))


class Pace(NamedTuple):
    """A row of PACES: who goes so, (n,), and how fast, (n,) m/s, by what the paces above it give."""

    name: str
    holds: Callable[[Walkers], Mask]
    speed: Callable[[Walkers, Scalars], Scalars]


class Gait(NamedTuple):
    """A row of GAITS: who may go so, (n,), to what speed they change, (n,) m/s, and how fast they turn then, rad/s."""

    name: str
    holds: Callable[[Walkers], Mask]
    speed: Callable[[Walkers], Scalars]
    turn: Callable[[Walkers, Scalars], Scalars]


def _everyone(w: Walkers) -> Mask:
    return all_of(len(w.speed))


def _nothing(w: Walkers) -> Scalars:
    return np.zeros(len(w.speed))


def _going_round(w: Walkers, _: Scalars) -> Scalars:
    """The speed of an animal changes to that at which it goes round within the response time."""
    eased = w.speed + (w.round_speed - w.speed) * np.minimum(w.dt / w.model.response_time, 1.0)
    return w.wanted + (eased - w.wanted) * w.rounds


PACES = (
    Pace("walk", _everyone, lambda w, _: np.where(w.ahead > AHEAD, w.wanted * w.ahead, w.round_speed)),
    Pace("go round", lambda w: w.rounds > 0.0, _going_round),
    # To be led aside does not slow walkers down as well.
    Pace("pass", lambda w: w.is_led_aside, lambda w, v: np.maximum(v, np.maximum(w.wanted, w.round_speed))),
    Pace("step round", lambda w: ~w.memory.has_room, lambda w, v: np.minimum(v, STEPS_ROUND * w.pace)),
    Pace("whirl round", lambda w: np.isfinite(w.most), lambda w, v: np.minimum(v, w.most)),
)
GAITS = (
    Gait("stand", lambda w: w.still & ~w.goes, _nothing, lambda w, _: w.turning_on_the_spot),
    Gait("stop", lambda w: ~w.goes, _nothing, Walkers.slowed),
    Gait(
        *("creep out", lambda w: w.memory.cornered, lambda w: w.slowest),
        lambda w, v: np.where(w.still, w.turning_on_the_spot, w.slowed(v)),
    ),
    # One that has turned on the spot continues to turn; from rest its first step is straight ahead.
    Gait("set off", lambda w: w.still, lambda w: w.within_limits, lambda w, v: np.minimum(w.slowed(v), w.toward)),
    Gait("whirl", lambda w: w.whirls, lambda w: np.minimum(w.most, w.speed), lambda w, _: w.whirling),
    Gait("walk on", _everyone, lambda w: w.within_limits, Walkers.slowed),
)


def stepping_circle(on_the_spot: Scalars, pace: Scalars) -> Scalars:
    """The radius, (n,) metres, of the turn of walkers that step round. `on_the_spot`, `pace`: (n,) their fastest turn
    while they stand, rad/s, and the speed at which they walk, m/s."""
    below = np.where(on_the_spot > 0.0, 1.0, STEPS)
    return STEPS_ROUND * pace / (np.maximum(on_the_spot, WAY_OUT) * (1.0 - STEPS_ROUND / below))


def stride_of(w: Walkers) -> tuple[Vectors, Vectors]:
    """The velocities and headings after a step, (n, 2) each."""
    speed = turn = _nothing(w)
    for gait in reversed(GAITS):
        holds = gait.holds(w)
        if anybody(holds):
            of_gait = gait.speed(w)
            speed, turn = np.where(holds, of_gait, speed), np.where(holds, gait.turn(w, of_gait), turn)
    forward = w.turn.by(turn * w.dt)
    # Bodies that cannot turn on the spot have mass that swings.
    swings = ~(w.still | w.memory.cornered | w.is_led_aside) & (w.on_the_spot <= 0.0)
    if anybody(swings):
        gradual = swing_over(w.turn, forward, w.rounds >= 1.0, w.memory.turning, w.max_turn_rate, turn, w.dt)
        forward = np.where(swings[:, None], gradual, forward)
    whirls = anybody(w.whirls)
    ahead = np.where(w.whirls[:, None], w.motion.forward, forward) if whirls else forward
    change = ahead * speed[:, None] - w.motion.velocity
    velocity = w.motion.velocity + truncate(change, w.brakes * w.dt)
    if whirls:
        # What is left of the way it went becomes a step aside or back.
        along = forward * np.maximum(dot(velocity, forward), 0.0)[:, None]
        velocity = np.where(w.whirls[:, None], along, velocity)
    faces: Vectors = unit(velocity)
    moves = magnitude(velocity) > 0.0
    if not everybody(moves):
        faces = np.where(moves[:, None], faces, np.where(w.still[:, None], forward, w.motion.forward))
    return velocity, np.where(w.whirls[:, None], forward, faces) if whirls else faces


def share_round(outset: Outset, on_the_spot: Scalars, wished: Scalars, onward: Scalars) -> Scalars:
    """How far walkers go round to what is beside or behind them instead of braking for it, (n,) 0 to 1.

    Those that turn on the spot may brake, and who is asked to brake does.

    Args:
        on_the_spot: (n,) the fastest turn while they stand, rad/s.
        wished, onward: (n,) the speed within the response time, and its part along the heading, m/s.
    """
    speed, limit = outset.speed, outset.control.speed_limit
    turns = (wished > SETS_OFF * outset.slowest) & (on_the_spot <= 0.0) & ((onward > BACK * wished) | (speed <= 0.0))
    if limit is not None:
        turns &= limit >= speed
    share = (STRAIGHT - onward / np.maximum(wished, EPSILON)) / (STRAIGHT - AHEAD)
    return np.where(turns, clamp(share, 0.0, 1.0), 0.0)


def turn_on_foot(w: Walkers, idle: Mask, turn_rate: Scalars) -> tuple[Vectors, Vectors]:
    """Velocities and headings after a step, (n, 2) each, of walkers that turn if they stand and are asked to. `idle`:
    (n,) those that stand and do not set off; `turn_rate`: (n,) their fastest turn then, rad/s; 0 for none."""
    velocity, forward = after = stride_of(w)
    if w.control.heading is None:
        return after
    heading = from_above(w.control.heading)
    control = replace(w.control, force=from_above(w.control.force))
    still = (idle & (magnitude(velocity) <= 0.0)) | rests(w.model, w.motion, control, w.dt)
    rows = which(still & (turn_rate > 0.0))
    asked = unit(picked(heading, rows))
    turns = magnitude(asked) > 0.5
    rows, asked = rows[turns], asked[turns]
    if not len(rows):
        return after
    velocity, forward = velocity.copy(order="K"), forward.copy(order="K")
    velocity[rows] = 0.0
    forward[rows] = turn_to(picked(w.heading, rows), asked, turn_rate[rows], w.dt)
    return velocity, forward


def within_room(
    heading: Vectors, velocity: Vectors, forward: Vectors, left: Scalars, right: Scalars
) -> tuple[Vectors, Vectors]:
    """Velocities and headings after a step, (n, 2) each, of bodies that turn no further than they have room. `heading`:
    (n, 2) before it; `left`, `right`: (n,) radians, inf for any."""
    sine, cosine = sine_between(heading, forward), dot(heading, forward)
    most = np.minimum(np.where(sine > 0.0, left, right), np.pi)
    rows = which((most < np.pi) & (cosine < cosine_and_sine(most)[0]))
    if not len(rows):
        return velocity, forward
    turn = np.where(sine[rows] > 0.0, most[rows], -most[rows])
    turned = turn_by(picked(heading, rows), *cosine_and_sine(turn))
    velocity, forward = velocity.copy(order="K"), forward.copy(order="K")
    velocity[rows] = turned * magnitude(picked(velocity, rows))[:, None]
    forward[rows] = turned
    return velocity, forward


def find_directions(
    outset: Outset,
    on_the_spot: Scalars,
    wanted: Vectors,
    wish: Vectors,
    wished: Scalars,
    onward: Scalars,
    rounds: Scalars,
    whirls: Mask,
) -> tuple[Vectors, Scalars, Mask]:
    """The directions of walkers, (n, 2) unit vectors, the speeds they wish for, (n,) m/s, and who stays idle, (n,).

    Args:
        on_the_spot, wished, onward: (n,) as for `share_round`.
        wanted, wish: (n, 2) m/s, after the step if free to turn, and within the response time.
        rounds, whirls: (n,) how far they go round, and who whirls round.
    """
    memory, slowest = outset.memory, outset.slowest
    by_wish = memory.stands | (rounds >= 1.0) | (magnitude(wanted) < EPSILON)
    # The slowest speed would carry one on that is asked to go back: it stops to turn on the spot, or goes round.
    back = ~memory.stands & (magnitude(wanted) < slowest) & (onward < 0.0)
    if anybody(back):
        stops = back & (on_the_spot > 0.0) & ~whirls
        wished = np.where(stops, 0.0, wished)
        by_wish |= back & ~stops
    by_wish |= whirls
    between = wanted + (wish - wanted) * rounds[:, None] if anybody(rounds > 0.0) else wanted
    direction = unit(np.where(by_wish[:, None], wish, between) if anybody(by_wish) else between)
    # A push too weak to set off for does not turn it on the spot either.
    idle = (memory.stands | (outset.speed <= 0.0)) & (wished <= SETS_OFF * slowest)
    lost = (dot(direction, direction) < 0.5) | idle
    return np.where(lost[:, None], outset.heading, direction) if anybody(lost) else direction, wished, idle


def step_aside(w: Walkers, share: Scalars, gait: Vectors, forward: Vectors, before: Vectors, wish: Vectors) -> Vectors:
    """The velocities after a step, (n, 2) m/s, of walkers that step aside where their gaits leave room for it.

        |aside|, back <= share (pace - speed)

    The speed is that of the gait along the heading. Within those limits the velocity of a walker follows its wish as
    that of a point does, so that it can take up what the choice of a velocity tries. Animals turn by walking round
    instead.

    Args:
        share: (n,) as of `side_step`.
        gait: (n, 2) what their gaits come to, m/s along their headings.
        forward: (n, 2) unit headings after the step.
        before, wish: (n, 2) before the step and within the response time, m/s.
    """
    stops = ~wish.any(axis=1) & (magnitude(before) < w.slowest)
    change = (wish - before) * np.where(stops, 1.0, np.minimum(w.dt / w.model.response_time, 1.0))[:, None]
    free = before + truncate(change, w.brakes * w.dt)
    along, aside = along_and_aside(free, forward)
    speed = magnitude(gait)
    slowness = np.maximum(1.0 - speed / np.maximum(w.pace, EPSILON), 0.0)
    along = speed + (np.minimum(np.maximum(along, -share * w.pace), np.maximum(w.fastest, 0.0)) - speed) * slowness
    limit = side_step(share, w.pace, along)
    steps = (slowness > 0.0) & (share > 0.0)
    return np.where(steps[:, None], join_parts(forward, along, clamp(aside, -limit, limit)), gait)
