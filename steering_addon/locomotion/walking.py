"""Walking: at what pace, what is remembered of each walker, its steps aside, and how it leans as it runs."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.scalars import EPSILON, Mask, Rows, Scalars, anybody, clamp, nobody, which
from ..simulation.arrays.vectors import Vectors, dot, from_above, paired, picked
from ..simulation.geometry.floors import Footing
from ..simulation.handling import side_step
from ..simulation.locomotion import Control
from ..simulation.memory import Memory, remembered
from ..simulation.terrain import Terrain
from ..simulation.vehicle import Motion, VehicleModel
from .banking import GRAVITY
from .walkable import Walkable

ROUND = 0.5
"""The share of its pace at which a walker goes round to what is beside or behind it."""
ONWARD = 0.5
"""The cosine between heading and wish from which on a walker that is to stand walks on."""
BLOCKED = 0.5
"""The share of a step below which another body blocks an animal: it then steps round on the spot."""
PERSON, WALK = 0.3, 1.32
"""The radius of a person in metres, and its brisk walk, m/s."""
RUNS = 1.5, 2.0
"""Multiples of a brisk walk from which on bodies lean, and lean fully: people at 2 and at 2.6 m/s."""
STEEPEST = 0.58
"""The tangent of the steepest lean, 30 degrees."""
LEANS = 0.25
"""Seconds in which a lean follows a turn."""


def brisk_walk(radius: Scalars) -> Scalars:
    """The speed of a brisk walk of bodies of a radius, (n,) metres to (n,) m/s, which goes by the root of it."""
    return WALK * np.sqrt(np.maximum(radius, EPSILON) / PERSON)


def is_settled(model: VehicleModel, wished: Scalars, onward: Scalars) -> Mask:
    """The walkers that are to stand and that nothing asks to walk, (n,), though something may pull them aside or back.
    `wished`, `onward`: (n,) the speed within the response time, and its part along the heading, m/s."""
    stands = model.cruise_speed <= 0.0
    if not stands.any():
        return nobody(len(stands))
    return stands & (wished < ROUND * model.pace) & (onward < ONWARD * wished)


@dataclass(frozen=True)
class Walking(Memory):
    """The memory of each walker: what it stands on, and how it gets past what it cannot climb.

    Level vectors are (n, 2), as seen from above.

    Attributes:
        triangle: of the surfaces, -1 for none.
        normal: of the ground.
        stands: whether it stands still.
        side: on which it goes round ground that is too steep: 1 left, -1 right, 0 neither.
        looks_in: seconds until it looks ahead again.
        ahead, aside: the cosine and the sine of the angle by which it goes round, to the left of where it wants to go.
        wary: whether the ground straight ahead ended or was too steep within its reach when it last looked.
        has_room: whether the curve of its turning circle leads it there on ground that it can walk.
        inward: the direction to which one turns back from an edge, until it faces it; 0 for none.
        way_out: the direction into which one turns that is cornered, and keeps to; 0 for none.
        cornered: whether a step was refused, and none has been taken since.
        blocked: whether contacts stopped one that cannot turn on the spot, and it has not walked since.
        turning: radians a second by which it turned to the left in the last step.
        leans: the tangent of the angle by which it leans to the left as it runs round a bend.
        push: the force that acts on it, newtons; the mean of the recent ones while it is slow.
        carried: metres by which steps carry it higher than the ground below its middle.
        climb: the grade at which it climbs where there may be steps.
        tread: metres of a tread of the stairs on which it is; 0 for none.
        off: metres by which it is off that height.
        settling: the rate at which that changes, m/s.
    """

    triangle: Rows = remembered(-1)
    normal: Vectors = remembered((0.0, 0.0, 1.0))
    stands: Mask = remembered(False)
    side: Rows = remembered(0)
    looks_in: Scalars = remembered(0.0)
    ahead: Scalars = remembered(1.0)
    aside: Scalars = remembered(0.0)
    wary: Mask = remembered(False)
    has_room: Mask = remembered(True)
    inward: Vectors = remembered((0.0, 0.0))
    way_out: Vectors = remembered((0.0, 0.0))
    cornered: Mask = remembered(False)
    blocked: Mask = remembered(False)
    turning: Scalars = remembered(0.0)
    leans: Scalars = remembered(0.0)
    push: Vectors = remembered((0.0, 0.0))
    fall_speed: Scalars = remembered(0.0)
    carried: Scalars = remembered(0.0)
    climb: Scalars = remembered(0.0)
    tread: Scalars = remembered(0.0)
    off: Scalars = remembered(0.0)
    settling: Scalars = remembered(0.0)


@dataclass(frozen=True)
class Outset:
    """Where n walkers are as a step begins, and what is asked of them. Level vectors are (n, 2), as seen from above.

    Attributes:
        model: what they have to move with.
        motion: with velocities along their level headings.
        push: (n, 2) the force that acts on them along the level, newtons.
        walkable: what they may tread.
        feet: (n, 3) where they stand, metres.
        speed, slowest: (n,) m/s ahead, and that below which they stand.
        beside: (n, 2) m/s off their headings; None if nobody steps aside.
    """

    model: VehicleModel
    motion: Motion
    control: Control
    memory: Walking
    push: Vectors
    walkable: Walkable
    feet: Vectors
    speed: Scalars
    slowest: Scalars
    beside: Vectors | None
    dt: float

    @property
    def heading(self) -> Vectors:
        """(n, 2) level unit vectors."""
        return self.motion.forward

    @property
    def brakes(self) -> Scalars:
        """(n,) how hard they can brake, m/s2."""
        return self.model.max_force / self.model.mass


@dataclass(frozen=True)
class Stride:
    """A step that is not on the ground yet.

    Attributes:
        start: (n, 3) where it began, metres.
        walking: what is remembered then.
        end: (n, 3) where it leads if nothing pushes, metres.
        footing: what is trodden there; no triangle where that is not known.
        walkable: what they may tread.
        reach: (n,) from the middle of each body to its ends, metres.
        pace: (n,) the speed at which they walk, m/s.
        led: (n,) those that were led by hand; None if none was.
    """

    start: Vectors
    walking: Walking
    end: Vectors
    footing: Footing | None
    walkable: Walkable
    reach: Scalars
    pace: Scalars
    led: Mask | None = None

    def got_on(self, position: Vectors) -> Scalars:
        """The share of their steps, (n,), that walkers made whom contacts pushed to positions (n, 3); 1 for no step."""
        offset, step = from_above(position - self.start), from_above(self.end - self.start)
        square = dot(step, step)
        share = np.maximum(dot(offset, step), 0.0) / np.maximum(square, EPSILON)
        return np.where(square > EPSILON, share, 1.0)

    def trodden(self, position: Vectors, terrain: Terrain, deeper: Scalars) -> Footing:
        """The ground at positions (n, 3) after the step; what the step has found is looked for again only if need be.
        `deeper`: (n,) how far they fall, metres."""
        feet, offset = terrain.feet(self.start), from_above(position - self.start)
        normal, triangle = self.walking.normal, self.walking.triangle
        if self.footing is None:
            return self.walkable.footing(feet, offset, normal, deeper, triangle)
        # A contact may have pushed it, its step may have been refused, or it falls.
        known = (self.footing.triangle >= 0) & (deeper == 0.0)
        if position is not self.end:
            known &= (position == self.end).all(axis=1)
        rows = which(~known)
        if not len(rows):
            return self.footing
        feet, offset, normal = (picked(v, rows) for v in (feet, offset, normal))
        footing = self.walkable.take(rows).footing(feet, offset, normal, deeper[rows], triangle[rows])
        return self.footing.put(rows, footing)


def lean_into_turns(
    before: Scalars, share: Scalars, speed: Scalars, turning: Scalars, radius: Scalars, dt: float
) -> Scalars:
    """The tangents of the angles by which bodies lean to the left after a step, (n,), as far as their balance asks.

        tangent of the lean = speed * turn / gravity

    Walkers stay upright. Between a brisk walk and a run, bodies lean more and more.

    Args:
        before: (n,) those before it.
        share: (n,) how far they lean as they run.
        speed, turning: (n,) m/s and rad/s to the left.
        radius: (n,) metres, their size.
    """
    walk = brisk_walk(radius)
    start, full = (multiple * walk for multiple in RUNS)
    runs = clamp((speed - start) / np.maximum(full - start, 1e-9), 0.0, 1.0)
    if not (anybody(runs > 0.0) or anybody(before != 0.0)):
        return before
    wanted = clamp(share * runs * speed * turning / GRAVITY, -STEEPEST, STEEPEST)
    after = before + (wanted - before) * (dt / (LEANS + dt))
    return np.where((wanted == 0.0) & (np.abs(after) < 1e-4), 0.0, after)


def along_and_aside(velocity: Vectors, heading: Vectors) -> tuple[Scalars, Scalars]:
    """The parts of velocities along headings and to the left of them, (n, 2) each to (n,) m/s."""
    return dot(velocity, heading), heading[:, 0] * velocity[:, 1] - heading[:, 1] * velocity[:, 0]


def join_parts(heading: Vectors, along: Scalars, aside: Scalars) -> Vectors:
    """The velocities, (n, 2) m/s, of parts along headings (n, 2) and to the left of them."""
    x, y = heading[:, 0], heading[:, 1]
    return paired(x * along - y * aside, y * along + x * aside)


def off_heading(share: Scalars, pace: Scalars, velocity: Vectors, heading: Vectors) -> Vectors:
    """The part of velocities, (n, 2) m/s, that steps aside or back, within the limits. `share`, `pace`: (n,) as of
    `side_step`, m/s; `heading`: (n, 2) unit vectors."""
    along, aside = along_and_aside(velocity, heading)
    limit = side_step(share, pace, along)
    return join_parts(heading, clamp(along, -limit, 0.0), clamp(aside, -limit, limit))
