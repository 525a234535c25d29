"""Course: how far a car can go, on the way that its wheels would take or straight ahead."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.angles import cosine_of_setting
from ..simulation.arrays.once import once
from ..simulation.arrays.scalars import EPSILON, Mask, Rows, Scalars, anybody, clamp, largest
from ..simulation.arrays.vectors import Vectors, columns, magnitude, picked
from ..simulation.ground import left_of, upright
from ..simulation.terrain import Terrain
from .chassis import WITHIN
from .headings import turn_left

KEPT = 0.5
"""Metres that a driver keeps from the edge of the ground, but one that backs out or turns off."""
RISES = 0.5
"""Metres that the ground may rise or fall for each metre ahead, besides the grade under the wheels, and be found."""
FURTHER, CLOSER = 6, 4
"""Places straight ahead at which a driver looks for the end of the ground, and how often it then looks half as far."""
WALK = 1.4
"""The fastest speed backwards, m/s."""
LOOKS = 12
"""Places on its way at which a driver looks for what stands there."""
CLEAR = 0.2
"""Metres that the sides of a body keep from what stands beside its way, as far as KEPT is kept."""


@dataclass(frozen=True)
class Car:
    """How n cars stand, for the way before or behind them.

    Attributes:
        position: (n, 3) metres, of the origins, midway between the axles.
        heading: (n, 3) level unit vectors.
        tangent: (n,) of the angles of the front wheels.
        wheel_rate: (n,) the fastest turn of the front wheels, rad/s.
        half, radius: (n,) half the axis and the radius of the bodies, metres.
        height: (n,) metres, of the ground in the middle.
        grade, lean: (n,) metres that the ground rises for each metre ahead and to the left.
        on_ground: (n,) who stands on a surface: no driver backs over its edge.
        stops: (n,) who stops at edges ahead.
        cosine: (n,) of the steepest slope that each may drive on; None if none of the ground is too steep.
    """

    position: Vectors
    heading: Vectors
    tangent: Scalars
    wheelbase: Scalars
    track: Scalars
    wheel_rate: Scalars
    half: Scalars
    radius: Scalars
    height: Scalars
    grade: Scalars
    lean: Scalars
    on_ground: Mask
    stops: Mask
    cosine: Scalars | None

    @once
    def rear(self) -> Vectors:
        """(n, 3) the middles of the rear axles, metres, at the height of the origins."""
        rear = self.position - self.heading * (0.5 * self.wheelbase)[:, None]
        return columns(rear[:, 0], rear[:, 1], self.position[:, 2])

    @once
    def front(self) -> Scalars:
        """(n,) metres from the origin to the front end of the body."""
        return np.maximum(self.half + self.radius, 0.5 * self.wheelbase)

    def room_straight_ahead(self, terrain: Terrain, sight: Scalars) -> Scalars:
        """The distances to KEPT before ground that ends or is too steep, (n,) metres, inf for none. `sight`: (n,) how
        far drivers look from the front end, metres."""
        x, y, furthest = self.position[:, 0], self.position[:, 1], sight + self.front
        nose = columns(x, y, self.height + self.grade * self.front) + self.heading * self.front[:, None]

        def ends(ahead: Scalars) -> Mask:
            """Of (..., n) metres."""
            reach = (WITHIN + RISES * ahead).ravel()
            x, y, z = (nose[:, k] + self.heading[:, k] * ahead for k in range(3))
            expected = (z + self.grade * ahead).ravel()
            ground = terrain.after.under(x.ravel(), y.ravel(), expected, reach, reach).triangle
            mask: Mask = self.stops & (ground < 0).reshape(ahead.shape)
            if self.cosine is None:
                return mask
            return mask | (terrain.after.levelness(ground).reshape(ahead.shape) < self.cosine)

        tried = furthest * (np.arange(FURTHER + 1) / FURTHER)[:, None]
        far = np.where(ends(tried), tried, np.inf).min(axis=0)
        near = np.maximum(far - furthest / FURTHER, 0.0)
        seen = np.isfinite(far)
        if not anybody(seen):
            return far
        for _ in range(CLOSER):
            middle = np.where(seen, 0.5 * (near + far), 0.0)
            over = ends(middle)
            near, far = np.where(over, near, middle), np.where(seen & over, middle, far)
        return np.where(seen, np.maximum(near - KEPT, 0.0), np.inf)

    def room(
        self, terrain: Terrain, wanted: Scalars, sight: Scalars, sense: float, kept: Scalars | float = 1.0
    ) -> Scalars:
        """How far the cars can go, (n,) metres; inf if nothing is in the way where they look.

        Args:
            wanted: (n,) the tangents to which the front wheels turn.
            sight: (n,) how far they look, metres.
            sense: 1 forward, -1 backward.
            kept: (n,) the share of KEPT and CLEAR that they keep.
        """
        step: Scalars = sight / LOOKS
        rear, heading, tangent = self.rear, self.heading, self.tangent
        rears, headings, n = [rear], [heading], len(sight)
        for _ in range(LOOKS):
            most = self.wheel_rate * step / WALK * (1.0 + tangent * tangent)
            tangent = clamp(wanted, tangent - most, tangent + most)
            turn = sense * tangent / self.wheelbase * step
            left = left_of(heading, upright(n))
            rear = rear + turn_left(heading, left, 0.5 * turn) * (sense * step)[:, None]
            heading = turn_left(heading, left, turn)
            rears.append(rear)
            headings.append(heading)
        course, kept = (np.concatenate(rears), np.concatenate(headings)), kept + np.zeros(n)
        blocked = self._runs_into(*course, terrain, sight, CLEAR * kept)
        if len(terrain.after):
            blocked |= self._lacks_ground(*course, terrain, step, sense, KEPT * kept)
        distances = np.arange(LOOKS)[:, None] * step
        return np.where(blocked, distances, np.inf).min(axis=0)

    def _runs_into(self, rears: Vectors, headings: Vectors, terrain: Terrain, sight: Scalars, clear: Scalars) -> Mask:
        """Whether bodies come near still obstacles, (LOOKS, n); drivers wait for moving ones.

        Args:
            rears, headings: at all places of their ways, where they are now first; ((LOOKS + 1) n, 3).
            sight, clear: (n,) metres; how far they look, and what they keep clear.
        """
        n, obstacles = len(sight), terrain.obstacles
        blocked: Mask = np.zeros((LOOKS, n), dtype=np.bool_)
        if obstacles is None or not len(obstacles):
            return blocked
        middle = self.rear + self.heading * (0.5 * self.wheelbase)[:, None]
        car, obstacle = obstacles.near(middle, sight + self.half + self.radius + clear)
        stays = (obstacles.carrier[obstacle] < 0) & (magnitude(obstacles.velocity)[obstacle] == 0.0)
        car, obstacle = car[stays], obstacle[stays]
        if not len(car):
            return blocked
        everywhere = (np.arange(LOOKS + 1)[:, None] * n + car).ravel()
        rear, heading = picked(rears, everywhere), picked(headings, everywhere)
        half, axle = (np.tile(column[car], LOOKS + 1) for column in (self.half, 0.5 * self.wheelbase))
        for share in (-1.0, 0.0, 1.0):
            point = rear + heading * (axle + share * half)[:, None]
            distance = obstacles.surface(point, np.tile(obstacle, LOOKS + 1))[0].reshape(LOOKS + 1, len(car))
            # What a car touches already, it may leave.
            near = (distance[1:] < (self.radius + clear)[car]) & (distance[1:] < distance[0] - EPSILON)
            number, pair = near.nonzero()
            blocked[number, car[pair]] = True
        return blocked

    def _lacks_ground(
        self, rears: Vectors, headings: Vectors, terrain: Terrain, step: Scalars, sense: float, kept: Scalars
    ) -> Mask:
        """Whether the ground before the leading corners of the bodies ends or is too steep, (LOOKS, n). `rears`,
        `headings`: as for `_runs_into`; `step`, `kept`: (n,) metres between the places, and before the edge."""
        n, stops = len(step), self.stops if sense > 0.0 else self.on_ground
        rear, heading = rears[n:], headings[n:]
        end = self.front + kept
        covered = (np.arange(1, LOOKS + 1)[:, None] * step).ravel()
        ends, axle, track = (np.tile(column, LOOKS) for column in (end, 0.5 * self.wheelbase, self.track))
        left = left_of(heading, upright(len(heading)))
        rises = np.tile(self.height, LOOKS) + np.tile(self.grade, LOOKS) * (sense * (covered + ends))
        reach = WITHIN + RISES * (covered + ends)
        lacks: Mask = np.zeros(len(covered), dtype=np.bool_)
        for side in (-0.5, 0.5):
            point = rear + heading * (axle + sense * ends)[:, None] + left * (side * track)[:, None]
            expected = rises + np.tile(self.lean * self.track, LOOKS) * side
            ground = terrain.after.under(point[:, 0], point[:, 1], expected, reach, reach).triangle
            lacks = lacks | (np.tile(stops, LOOKS) & (ground < 0))
            if self.cosine is not None:
                lacks = lacks | (terrain.after.levelness(ground) < np.tile(self.cosine, LOOKS))
        return lacks.reshape(LOOKS, n)


def steepest_accepted(terrain: Terrain, ground: Rows, max_slope: Scalars) -> Scalars | None:
    """The cosines of the steepest slopes ahead that drivers accept, (n,); None if none of the ground is too steep.

    Who stands on too steep ground may leave it. `ground`: (n,) the triangles on which they stand.
    """
    limit = cosine_of_setting(max_slope)
    if not terrain.after.steepest < largest(limit):
        return None
    return np.where(terrain.after.levelness(ground) < limit, -1.0, limit)
