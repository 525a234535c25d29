"""Chassis: four wheels that stand on the ground, and the body that rides on their springs."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.frozen import replace
from ..simulation.arrays.scalars import EPSILON, Rows, Scalars, anybody, shared
from ..simulation.arrays.vectors import Vectors, columns, cross, dot, unit
from ..simulation.ground import left_of, upright
from ..simulation.terrain import Terrain
from ..simulation.vehicle import Pose
from .banking import GRAVITY

WHEELS = ((1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0))
"""Where the wheels are: halves of the wheelbase to the front and of the track to the left."""
WITHIN = 0.4
"""Metres above and below the expected height within which a wheel finds the ground, besides the way of the step."""
RUN_UP, RUN_UP_STEPS = 1.0, 24
"""Seconds for which a car has driven straight on before the first frame, so that its body rides as it will."""

SPRING, SPRING_DAMPING = 9.0, 0.5
"""Of the lean: radians a second, and the share of critical damping."""
RIDE_DAMPING = 0.35
"""The share of critical damping of a body that rides over rough ground: that of a comfortable car."""


@dataclass(frozen=True)
class Wheels:
    """Where the wheels of cars are.

    Attributes:
        position: (n, 3) the middle between them, metres; how high is left open.
        forward: (n, 3) level unit headings.
        heights: (n, 4) on which they stand, in the order of WHEELS; the heights expected where there is no ground.
        triangles: (n, 4) the rows of those under them, -1 for none.
    """

    position: Vectors
    forward: Vectors
    heights: Scalars
    triangles: Rows

    @property
    def missing(self) -> Rows:
        """(n,) how many have no ground."""
        return np.count_nonzero(self.triangles < 0, axis=1)


@dataclass(frozen=True)
class Chassis:
    """The wheels of cars, midway between which the origin is, and their springs.

    Attributes:
        axle: (n,) metres from the origin to each axle.
        side: (n,) metres from the origin to the wheels of each side.
        suspension: (n,) metres by which a wheel moves up and down on its spring; 0 for a body without springs.
    """

    axle: Scalars
    side: Scalars
    suspension: Scalars

    def places(self, position: Vectors, forward: Vectors) -> list[tuple[Scalars, Scalars]]:
        """Where the wheels of cars that head level are, x and y in metres, in the order of WHEELS; (n,) each."""
        left = _left(forward)
        spots = []
        for ahead, aside in WHEELS:
            point = position + forward * (ahead * self.axle)[:, None] + left * (aside * self.side)[:, None]
            spots.append((point[:, 0], point[:, 1]))
        return spots

    def standing(self, expected: Wheels, rise: Scalars | float, reach: Scalars | None, terrain: Terrain) -> Wheels:
        """The wheels on what they stand on.

        Args:
            expected: the wheels, with the heights of the ground and the triangles before.
            rise: (n,) metres by which it is expected to have risen.
            reach: (n,) metres above and below that within which it is; None for cars that have only been placed.
        """
        n, wheels = len(expected.position), len(WHEELS)
        if not len(terrain.after):
            return expected
        x, y = np.concatenate(self.places(expected.position, expected.forward), axis=1)
        height = (expected.heights.T + rise).ravel()
        if reach is None:
            footing = terrain.first_footing(x, y, height)
        else:
            reaches = np.tile(reach, wheels)
            footing = terrain.after.under(x, y, height, reaches, reaches, expected.triangles.T.ravel())
        heights = np.where(footing.triangle >= 0, footing.height, height).reshape(wheels, n)
        return replace(expected, heights=heights.T, triangles=footing.triangle.reshape(wheels, n).T)

    def grade(self, heights: Scalars) -> Scalars:
        """Metres that the ground under the wheels rises for each metre ahead, (n,)."""
        front_left, front_right, rear_left, rear_right = heights.T
        return 0.25 * (front_left + front_right - rear_left - rear_right) / self.axle

    def lean(self, heights: Scalars) -> Scalars:
        """Metres that the ground under the wheels rises for each metre to the left, (n,)."""
        front_left, front_right, rear_left, rear_right = heights.T
        return 0.25 * (front_left + rear_left - front_right - rear_right) / self.side

    def ridden(self, before: Wheels, after: Wheels, ride: Vectors, rate: Vectors, dt: float) -> tuple[Vectors, Vectors]:
        """How the bodies ride after a step of their wheels, and how fast they rise from the plane under these.

        Whoever accelerates or turns on a slope stays on it: only where the plane changes do the springs give way.

        Args:
            ride, rate: (n, 3) before the step, as of `ridden`; the rate is that beyond the way along the plane.
        """
        if not anybody(self.suspension > 0.0):
            return np.zeros_like(ride), np.zeros_like(rate)
        rise = _middle_front_left(after.heights) - _middle_front_left(before.heights)
        along = self._along_the_plane(before, before, after) / dt
        ride, rate = ridden(ride, rate + along, rise, self.suspension, dt)
        return ride, rate - self._along_the_plane(after, before, after) / dt

    def _along_the_plane(self, plane: Wheels, before: Wheels, after: Wheels) -> Vectors:
        """How much higher the middle, the front and the left of a plane are after a step along it."""
        grade, lean = self.grade(plane.heights), self.lean(plane.heights)
        ahead, left = plane.forward, _left(plane.forward)

        def rise(offset: Vectors) -> Scalars:
            return grade * dot(ahead, offset) + lean * dot(left, offset)

        return columns(
            rise(after.position - before.position),
            self.axle * rise(after.forward - before.forward),
            self.side * rise(_left(after.forward) - _left(before.forward)),
        )

    def run_up(self, start: Wheels, speed: Scalars, terrain: Terrain) -> tuple[Vectors, Vectors]:
        """How the bodies ride, and how fast they rise, as they come straight on to where they start at a speed, m/s."""
        dt = RUN_UP / RUN_UP_STEPS
        ride = rate = columns(*(shared(0.0, len(speed)),) * 3)
        if not anybody((self.suspension > 0.0) & (speed > 0.0)):
            return ride, rate
        stages = [start]
        for _ in range(RUN_UP_STEPS):
            wheels = stages[-1]
            position = wheels.position - wheels.forward * (dt * speed)[:, None]
            stages.append(self.standing(replace(wheels, position=position), 0.0, WITHIN + dt * speed, terrain))
        for before, after in zip(stages[:0:-1], stages[-2::-1]):
            ride, rate = self.ridden(before, after, ride, rate, dt)
        return ride, rate

    def pose(self, forward: Vectors, heights: Scalars, ride: Vectors) -> Pose:
        """The axes of the bodies, as they lie on their springs."""
        left = _left(forward)
        grade, lean = self.grade(heights) + ride[:, 1] / self.axle, self.lean(heights) + ride[:, 2] / self.side
        ahead: Vectors = unit(columns(forward[:, 0], forward[:, 1], grade))
        up = unit(cross(ahead, columns(left[:, 0], left[:, 1], lean)))
        return Pose(cross(ahead, up), ahead, up)

    def travels(self, foot: Vectors, pose: Pose, wheels: Wheels, ride: Vectors, terrain: Terrain) -> list[Scalars]:
        """How far each wheel stands above the plane of the body along its up axis, (n,) metres, in the order of WHEELS.
        `foot`: (n, 3) the middle between the wheels in that plane, metres; `wheels`: on the ground."""
        front_left, front_right, rear_left, rear_right = wheels.heights.T
        twist = 0.25 * (front_left - front_right - rear_left + rear_right)
        travels = [
            ahead * aside * twist - (ride[:, 0] + ahead * ride[:, 1] + aside * ride[:, 2]) for ahead, aside in WHEELS
        ]
        if not len(terrain.after):
            return travels
        travels = [travel * pose.up[:, 2] for travel in travels]
        front, left = pose.forward * self.axle[:, None], pose.side * -self.side[:, None]
        places = [
            foot + ahead * front + aside * left + pose.up * travel[:, None]
            for (ahead, aside), travel in zip(WHEELS, travels)
        ]
        x, y, height = np.concatenate(places).T
        reach = shared(WITHIN, len(height))
        footing = terrain.after.under(x, y, height, reach, reach, wheels.triangles.T.ravel())
        # A wheel of a leaning body is not straight above the place of that of a level one.
        gap = np.where(footing.triangle >= 0, footing.height - height, 0.0).reshape(len(WHEELS), len(foot))
        return [travel + rise * pose.up[:, 2] for travel, rise in zip(travels, gap)]


def _left(forward: Vectors) -> Vectors:
    return left_of(forward, upright(len(forward)))


def _middle_front_left(heights: Scalars) -> Vectors:
    """The height in the middle of the wheels, and how much higher those at the front and those at the left are."""
    front_left, front_right, rear_left, rear_right = heights.T
    return columns(
        0.25 * (front_left + front_right + rear_left + rear_right),
        0.25 * (front_left + front_right - rear_left - rear_right),
        0.25 * (front_left - front_right + rear_left - rear_right),
    )


def sprung(lean: Scalars, rate: Scalars, rest: Scalars, dt: float) -> tuple[Scalars, Scalars]:
    """The lean of springs and its rate after a step toward where they rest, by implicit Euler; (n,) each."""
    stiffness = dt * SPRING * SPRING
    rate = (rate + stiffness * (rest - lean)) / (1.0 + 2.0 * SPRING_DAMPING * SPRING * dt + stiffness * dt)
    return lean + dt * rate, rate


def ridden(ride: Vectors, rate: Vectors, rise: Vectors, suspension: Scalars, dt: float) -> tuple[Vectors, Vectors]:
    """How a body rides above its wheels after a step in which these rise, and how fast it rises itself.

    With z the height of the body, g that of the wheels and w^2 = gravity / suspension,

        z'' = w^2 (g - z) + 2 damping w (g' - z')

    by the trapezoidal rule, so that a body lags behind curved ground but not behind a slope. Springs under a body at
    rest are pressed in by their suspension, and they give way by no more than that.

    Args:
        ride: (n, 3) metres of the body above its wheels: in the middle, more than that at the front, and at the left.
        rate: (n, 3) m/s, at which the body rises there.
        rise: (n, 3) metres by which the wheels rise there.
        suspension: (n,) metres, 0 for a body without springs.
    """
    springs = suspension > 0.0
    stiffness = (dt * dt * GRAVITY / np.where(springs, np.maximum(suspension, EPSILON), 1.0))[:, None]
    damping = 2.0 * RIDE_DAMPING * np.sqrt(stiffness)
    push = stiffness * (0.5 * rise - ride) + damping * rise
    mean = (2.0 * rate + push / dt) / (2.0 + 0.5 * stiffness + damping)
    ride = ride + dt * mean - rise
    # The largest way of the four springs, as these stand to both sides.
    way = np.abs(ride[:, 0]) + np.abs(ride[:, 1]) + np.abs(ride[:, 2])
    share = np.minimum(suspension / np.maximum(way, EPSILON), 1.0)
    return ride * share[:, None], np.where(springs[:, None], 2.0 * mean - rate, rise / dt)
