"""Pitch: how a point mass keeps to a steepest climb and a steepest dive.

The headings that are not too steep lie outside two cones about the vertical. A step keeps to one side of the two planes
that touch these cones at the present heading: a turn to the side stays as it was, and only what would pitch further is
left out. Nothing that is left out makes the step longer or the turn wider, so that the limits on force, speed and turn
still hold.

What is asked for too steeply is first asked for in another way: as fast, at the steepest climb or dive, and no further
aside than half ahead. Else a vehicle below its target would stand there with its nose up instead of winding its way.
"""

import numpy as np

from ..simulation.arrays.angles import cosine_and_sine
from ..simulation.arrays.scalars import EPSILON, Mask, Scalars, anybody, clamp
from ..simulation.arrays.vectors import Vectors, across, columns, dot, magnitude, truncate, unit, unit_or
from ..simulation.locomotion import Control
from ..simulation.vehicle import Motion, VehicleModel
from .point_mass import moved, turned_along

TOO_STEEP = 1e-9
"""The sine of the angle beyond the steepest heading below which it is a rounding error."""
HALF_AHEAD = float(np.sqrt(0.5))
"""The cosine of the angle off the heading, from above, to which a vehicle turns for what is further aside."""
LEAST_COSINE = 1e-6
"""The cosine of the steepest heading below which it counts as a right angle, as in files it is one in 32 bits."""
UPRIGHT = 1e-3
"""The level part of a heading below which its direction is that of the vehicle's back or belly."""


def moved_within(
    model: VehicleModel,
    motion: Motion,
    control: Control,
    turn_rate: Scalars,
    climb: Scalars,
    dive: Scalars,
    dt: float,
    goes_on: Mask | None = None,
) -> tuple[Vectors, Vectors, Vectors]:
    """The next positions, velocities and headings of a point mass that neither climbs nor dives more steeply.

    One that starts more steeply returns to the limit as fast as it can turn.

    Args:
        goes_on: (n,) the vehicles that do not stop and turn in flight to what is beside or behind, if they cannot
            loop; None for none.
        turn_rate: (n,) the fastest turn, rad/s.
        climb, dive: (n,) the steepest headings up and down, radians; a right angle is no limit, so that they may loop.

    Returns:
        position, velocity, forward: (n, 3) each; metres, m/s and unit headings.
    """
    # Beyond a right angle a step could end behind a plane that it does not cross.
    turn = np.minimum(turn_rate, 0.5 * np.pi / dt)
    level = _level(motion)
    limits = [_Limit(level, climb, 1.0), _Limit(level, dive, -1.0)]
    force = _reachable(model, motion, control.force, level, limits, goes_on)
    _, velocity, _ = moved(model, motion, Control(force, control.speed_limit), turn, dt)
    for limit in limits:
        velocity = limit.within(velocity)
    for limit in limits:
        steep = dot(limit.outward, motion.forward) > TOO_STEEP
        if anybody(steep):
            velocity = np.where(steep[:, None], _returning(model, motion, limit, velocity, turn, dt), velocity)
    forward = turned_along(motion.forward, unit_or(velocity, motion.forward), turn_rate, dt)
    return motion.position + velocity * dt, velocity, forward


def kept_up(
    model: VehicleModel, motion: Motion, velocity: Vectors, forward: Vectors, least: Scalars, dt: float
) -> tuple[Vectors, Vectors]:
    """The velocities and headings after a step, (n, 3), no slower than `least` (n,) m/s where max_force suffices. A
    vehicle that would fall below it turns less instead of more slowly; one that is slower speeds up."""
    speed = magnitude(velocity)
    slow = speed < least
    if not anybody(slow):
        return velocity, forward
    strongest, before = model.max_force / model.mass * dt, magnitude(motion.velocity)
    ahead = unit_or(motion.velocity, motion.forward)
    course = unit_or(velocity, ahead)
    # The widest turn whose end, at the least speed, the strongest force reaches.
    widest = (before * before + least * least - strongest * strongest) / np.maximum(2.0 * before * least, EPSILON)
    cosines = clamp(widest, -1.0, 1.0)
    sines = np.sqrt(1.0 - cosines * cosines)
    # Across it twice: what is left of two directions that are nearly one is a rounding error.
    aside = unit(across(unit(across(course, ahead)), ahead))
    turned = unit(cosines[:, None] * ahead + sines[:, None] * aside)
    held = np.where((dot(course, ahead) >= cosines)[:, None], course, turned) * least[:, None]
    # The furthest along the course that the strongest force reaches.
    change = velocity - motion.velocity
    along = dot(change, course)
    room = np.maximum(along * along + strongest * strongest - dot(change, change), 0.0)
    faster = velocity + course * clamp(np.sqrt(room) - along, 0.0, np.maximum(least - speed, 0.0))[:, None]
    reaches = before + strongest >= least
    velocity = np.where(slow[:, None], np.where(reaches[:, None], held, faster), velocity)
    return velocity, unit_or(velocity, forward)


class _Limit:
    """The plane that touches the cone of the headings that are too steep, at the present directions.

    Attributes:
        outward: (n, 3) its unit normals, which point into the cone; zero for no cone.
        loops: (n,) whether there is no cone.
        steepest: (n, 3) the steepest headings in the present directions, unit vectors.
        sign: 1 for climbing, -1 for diving.
        cosines, sines: (n,) of the angle of the steepest heading.
    """

    def __init__(self, level: Vectors, angle: Scalars, sign: float) -> None:
        """`level` is (n, 3), `angle` (n,) radians, `sign` 1 for climbing and -1 for diving."""
        cosines, sines = cosine_and_sine(angle)
        rise = columns(np.zeros(len(angle)), np.zeros(len(angle)), np.full(len(angle), sign))
        self.sign, self.cosines, self.sines = sign, cosines, sines
        outward: Vectors = cosines[:, None] * rise - sines[:, None] * level
        # Straight up is no limit, and may be passed.
        self.loops: Mask = cosines < LEAST_COSINE
        self.outward = np.where(self.loops[:, None], 0.0, outward) if anybody(self.loops) else outward
        self.steepest: Vectors = cosines[:, None] * level + sines[:, None] * rise

    def within(self, v: Vectors) -> Vectors:
        """The vectors (n, 3) without what leads to the steep side of the plane."""
        return v - self.outward * np.maximum(dot(self.outward, v), 0.0)[:, None]


def _level(motion: Motion) -> Vectors:
    """The level directions of the headings, (n, 3) unit vectors; straight up, that of the belly, and down, of the back.
    They are those in which the vehicle levels off without rolling."""
    forward = motion.forward
    level = columns(forward[:, 0], forward[:, 1], 0.0)
    upright: Mask = magnitude(level) < UPRIGHT
    if anybody(upright):
        sign = np.where(forward[:, 2] > 0.0, -1.0, 1.0)
        flat = columns(motion.up[:, 0] * sign, motion.up[:, 1] * sign, 0.0)
        flat[magnitude(flat) < UPRIGHT] = (0.0, 1.0, 0.0)
        level = np.where(upright[:, None], flat, level)
    return unit(level)


def _reachable(
    model: VehicleModel, motion: Motion, force: Vectors, level: Vectors, limits: list[_Limit], goes_on: Mask | None
) -> Vectors:
    """The forces, (n, 3) newtons, toward velocities within reach: not too steep, nor too far aside in flight. A force
    asks for the velocity to which it would lead within the response time."""
    asked = motion.velocity + force * (model.response_time / model.mass)[:, None]
    flat = columns(asked[:, 0], asked[:, 1], 0.0)
    run, rise, size = magnitude(flat), asked[:, 2], magnitude(asked)
    upright = run < UPRIGHT * size
    changed = np.zeros(len(run), dtype=np.bool_)
    aside = dot(flat, level) < HALF_AHEAD * run
    for limit in limits:
        steep = limit.sign * rise * limit.cosines > run * limit.sines + TOO_STEEP * size
        run = np.where(steep, size * limit.cosines, run)
        rise = np.where(steep, limit.sign * size * limit.sines, rise)
        changed |= steep
    if goes_on is not None:
        changed |= goes_on & aside & ~(limits[0].loops & limits[1].loops)
    if not anybody(changed):
        return force
    right = columns(level[:, 1], -level[:, 0], 0.0)
    half_ahead = HALF_AHEAD * (level + right * np.where(dot(flat, right) < 0.0, -1.0, 1.0)[:, None])
    course = np.where(aside[:, None], half_ahead, np.where(upright[:, None], level, unit(flat)))
    wanted = course * run[:, None]
    wanted[:, 2] = rise
    return np.where(changed[:, None], (wanted - motion.velocity) * (model.mass / model.response_time)[:, None], force)


def _returning(
    model: VehicleModel, motion: Motion, limit: _Limit, velocity: Vectors, turn_rate: Scalars, dt: float
) -> Vectors:
    """The velocities (n, 3) of vehicles that are too steep and turn to the steepest heading."""
    steepest = limit.steepest
    aside = across(steepest, motion.forward)
    cosines, sines = cosine_and_sine(turn_rate * dt)
    turned = cosines[:, None] * motion.forward + sines[:, None] * unit(aside)
    reaches = dot(steepest, motion.forward) >= cosines
    course = np.where(reaches[:, None], steepest, turned) * magnitude(velocity)[:, None]
    strongest = model.max_force / model.mass * dt
    return truncate(motion.velocity + truncate(course - motion.velocity, strongest), model.max_speed)
