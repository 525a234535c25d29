"""Crawling: holding on to surfaces by the nearest place, whichever way they lean: walls, ceilings, spheres, bands.

What crawls walks as if on foot on a plane, the one that touches the surface where it holds on; then its step is laid
along the surface.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ..simulation.arrays.frozen import replace
from ..simulation.arrays.once import once
from ..simulation.arrays.scalars import EPSILON, Mask, Number, Rows, Scalars, anybody, largest, put, which
from ..simulation.arrays.vectors import Vectors, across, cross, dot, from_above, magnitude, no_vectors, picked, unit
from ..simulation.declaration import Choice, Unit, choice, length, number, share
from ..simulation.geometry.clinging import Clinging
from ..simulation.geometry.skins import turned_over
from ..simulation.ground import level_heading, upright
from ..simulation.handling import Handling
from ..simulation.locomotion import HELD_UP, OFF_GROUND, Control, Locomotion, Moved, Stance
from ..simulation.terrain import Misplaced, Terrain, no_terrain
from ..simulation.vehicle import Motion, Pose, VehicleModel
from .banking import GRAVITY
from .gripping import Grip, Gripping, Plane, carry_grips, find_free_direction, find_grips, heading_across
from .looking import LOOKS
from .on_foot import FALL, TURN_BACK, OnFoot
from .walking import Walking

EDGES = (
    Choice("TURN_BACK", TURN_BACK, "Turn Back", "Turn away from the edge in time"),
    Choice("STOP", 1, "Stop", "Crawl up to the edge and stop there"),
    Choice("FALL", FALL, "Fall", "Crawl over the edge, fall, and hold on to what is below"),
)
"""The choices at the edge of a surface, with the numbers stored in files."""
LEANS_OVER = 2.0
"""Radians a second by which a body leans over a fold even while it stands."""
REACHES_OVER = 0.25
"""How far off another surface may be that a body crosses to, in radii; a body comes that near to it."""


@dataclass(frozen=True)
class _Step:
    """A step along a surface, before contacts.

    Attributes:
        grip: where it ends.
        position: (n, 3) of the origins there, metres.
        normal, heading: (n, 3) of the surface before it, and the unit headings there with which it begins.
        max_lean: (n,) by how much bodies may lean over, radians.
        gap: (n,) how far off another surface may be that they cross to, metres.
    """

    grip: Grip
    position: Vectors
    normal: Vectors
    heading: Vectors
    max_lean: Scalars
    gap: Scalars


@dataclass(frozen=True)
class Crawling(Locomotion):
    """Hold on to the nearest place of surfaces and crawl along them: on walls, ceilings, spheres and insides.

    Without a surface it crawls on the level at the height of its start.
    """

    name = "crawling"
    label = "Crawling"
    stored_number = 6
    grounded = True
    stands = True
    clings = True
    tightened = ("turn_radius",)
    remembers = Gripping
    suits = "Ants, spiders and geckos on walls and ceilings, and people on small planets"

    turn_radius: Number = length(
        0.0, "Radius of the tightest turn while crawling; 0 to turn as tightly as Max Turn allows at its speed"
    )
    max_turn_rate: Number = number(np.pi, "Fastest turn while crawling", Unit.TURN, 0.01, label="Max Turn")
    turn_on_the_spot: Number = number(np.pi, "Fastest turn while standing", Unit.TURN, label="Pivot")
    slowest_speed: Number = share(
        0.1, "Share of cruise speed below which it stands instead of creeping", label="Least Speed"
    )
    at_edge: Rows = choice("TURN_BACK", "What it does at the edge of a surface", EDGES)

    def handling(self) -> Handling:
        return Handling(self.max_turn_rate)

    @once
    def _walker(self) -> OnFoot:
        """How it walks in its plane."""
        names = ("turn_radius", "max_turn_rate", "turn_on_the_spot", "slowest_speed")
        return _Straight.of(len(self.turn_radius), **{name: getattr(self, name) for name in names})

    def upward(self, memory: Any) -> Vectors | None:
        return memory.normal

    def moved(
        self, model: VehicleModel, motion: Motion, control: Control, terrain: Terrain, memory: Gripping, dt: float
    ) -> Moved:
        skins = Clinging(terrain.after)
        speed = np.maximum(dot(motion.velocity, motion.forward), 0.0)
        free = memory.triangle < 0
        level = np.where(free[:, None], level_heading(motion.forward), motion.forward) if free.any() else motion.forward
        grip = carry_grips(terrain, replace(motion, forward=level), memory)
        force, grip = self._off_borders(model, skins, grip, control.force, speed, dt)
        plane = grip.plane
        stride = self._stride(model, grip, plane, replace(control, force=force), speed, dt)
        heading, pace = plane.world(from_above(stride.forward)), magnitude(from_above(stride.velocity))
        length = pace * dt
        gap = REACHES_OVER * model.radius
        after, remaining, met = grip.moved(skins, heading, length, gap)
        falls = met & (self.at_edge == FALL)
        after, stays = _fallen(after, remaining, which(falls)), met & ~falls
        if anybody(stays):
            heading = np.where((stays & ~memory.cornered)[:, None], grip.forward, heading)
            after = after.put(stays, replace(grip, forward=heading).take(stays))
        walking = stride.memory
        after = replace(
            after,
            stands=stays | walking.stands,
            cornered=stays | walking.cornered,
            turning=walking.turning,
            push=plane.world(walking.push),
            fall_speed=np.where(falls, GRAVITY * dt, memory.fall_speed),
        )
        velocity = np.where(stays[:, None], 0.0, after.forward * pace[:, None])
        # A body is over a fold when half of it is.
        reach = np.maximum(model.radius, 0.5 * model.length)
        max_lean = length / np.maximum(reach, EPSILON) + LEANS_OVER * dt
        position = after.origin(terrain.lift)
        return Moved(position, velocity, after.forward, _Step(after, position, grip.normal, heading, max_lean, gap))

    def _stride(
        self, model: VehicleModel, grip: Grip, plane: Plane, control: Control, speed: Scalars, dt: float
    ) -> Stance:
        """The step in the plane of each, whose axes are to the right, ahead and up."""
        n = len(speed)
        right, ahead, up = _axes(n)
        motion = Motion(no_vectors(n), ahead * speed[:, None], right, ahead, up)
        push = plane.on_plane(grip.push)
        memory = replace(_on_a_plane(n), stands=grip.stands, cornered=grip.cornered, turning=grip.turning, push=push)
        heading = None if control.heading is None else plane.local(control.heading)
        control = replace(control, force=plane.local(control.force), heading=heading)
        moved = self._walker.moved(model, motion, control, no_terrain(n), memory, dt)
        return self._walker.stance(motion, moved, no_vectors(n), no_terrain(n), dt)

    def _off_borders(
        self, model: VehicleModel, skins: Clinging, grip: Grip, force: Vectors, speed: Scalars, dt: float
    ) -> tuple[Vectors, Grip]:
        """The forces, (n, 3) newtons, turned past borders over which they lead, and the grips with what was seen. They
        look ahead from time to time, as walkers do, and keep to what they saw then."""
        if not len(skins):
            return force, grip
        looks_in = grip.looks_in - dt
        looks = which(looks_in <= 0.5 * dt)
        if not len(looks) and not anybody((grip.ahead != 1.0) | (grip.aside != 0.0)):
            return force, replace(grip, looks_in=looks_in)
        push = across(force, grip.normal)
        change: Vectors = push * (model.response_time / model.mass)[:, None]
        wish: Vectors = grip.forward * speed[:, None]
        wish = np.add(wish, change)
        wished = magnitude(wish)
        direction = np.where((wished > EPSILON)[:, None], unit(wish), grip.forward)
        left = cross(grip.normal, direction)
        side, ahead, aside = grip.side.copy(), grip.ahead.copy(), grip.aside.copy()
        side[looks], ahead[looks], aside[looks], looks_in[looks] = 0, 1.0, 0.0, LOOKS
        braking = 0.5 * speed * speed * model.mass / np.maximum(model.max_force, EPSILON)
        circle = np.maximum(self.turn_radius, speed / np.maximum(self.max_turn_rate, EPSILON))
        reach = 1.3 * circle + braking + model.radius
        at_border = skins.near_border(grip.triangle[looks], picked(grip.place, looks), largest(reach))
        rows = looks[at_border & (self.at_edge == TURN_BACK)[looks]]
        if len(rows):
            wanted, step = picked(direction, rows), np.maximum(speed, model.max_force / model.mass * dt) * dt
            gap = REACHES_OVER * model.radius[rows]
            course, side[rows] = find_free_direction(
                skins, grip.take(rows), wanted, reach[rows], step[rows], grip.side[rows], gap
            )
            hindered = (course != wanted).any(axis=1)
            ahead[rows] = np.where(hindered, dot(course, wanted), 1.0)
            aside[rows] = np.where(hindered, dot(course, picked(left, rows)), 0.0)
        seen = replace(grip, side=side, ahead=ahead, aside=aside, looks_in=looks_in)
        turns = which((ahead != 1.0) | (aside != 0.0))
        if not len(turns):
            return force, seen
        onward, sideways = picked(direction, turns) * ahead[turns, None], picked(left, turns) * aside[turns, None]
        chosen: Vectors = unit(np.add(onward, sideways))
        asked = chosen * wished[turns, None] - picked(grip.forward, turns) * speed[turns, None]
        force = force.copy(order="K")
        force[turns] = asked * (model.mass[turns] / dt)[:, None]
        return force, seen

    def started(self, motion: Motion, terrain: Terrain, memory: Gripping) -> Stance | None:
        if not len(terrain.after):
            return None
        grip = self._placed(motion, terrain, memory)
        free = which(~grip.clings)
        forward = put(grip.forward, free, level_heading(picked(motion.forward, free)))
        grip = replace(grip, forward=forward, lean=grip.normal)
        return self._stance(grip, forward * magnitude(motion.velocity)[:, None], terrain)

    def _placed(self, motion: Motion, terrain: Terrain, memory: Gripping) -> Grip:
        """The grips of bodies where an animator placed them."""
        position = motion.position - motion.up * terrain.lift[:, None]
        grip = Grip.at(position, motion.forward, replace(memory, normal=motion.up))
        return find_grips(Clinging(terrain.after), grip, motion.up)

    def misplaced(self, model: VehicleModel, motion: Motion, terrain: Terrain) -> Mapping[Misplaced, Mask]:
        if not len(terrain.after):
            return {}
        grip = self._placed(motion, terrain, Gripping.blank(len(motion.position)))
        return {Misplaced.OFF_GROUND: ~grip.clings}

    def led(self, before: Motion, memory: Gripping, moved: Moved, hand: Mask, dt: float) -> Moved:
        step: _Step = moved.memory
        grip = step.grip
        forward = np.where(hand[:, None], heading_across(moved.forward, grip.normal, grip.forward), grip.forward)
        begins = np.where(hand[:, None], turned_over(forward, grip.normal, step.normal), step.heading)
        grip = replace(
            grip,
            forward=forward,
            stands=np.where(hand, magnitude(moved.velocity) <= 0.0, grip.stands),
            cornered=grip.cornered & ~hand,
        )
        return replace(moved, memory=replace(step, grip=grip, heading=begins))

    def stance(self, before: Motion, moved: Moved, acceleration: Vectors, terrain: Terrain, dt: float) -> Stance:
        step: _Step = moved.memory
        skins = Clinging(terrain.after)
        speed = np.maximum(dot(moved.velocity, moved.forward), 0.0)
        grip = step.grip
        if moved.position is not step.position:
            grip = grip.pushed(skins, moved.position - step.position, step.gap)
        grip = self._falling(skins, grip, dt).leaning(step.max_lean, step.normal, step.heading)
        return self._stance(grip, grip.forward * speed[:, None], terrain)

    def _falling(self, skins: Clinging, grip: Grip, dt: float) -> Grip:
        """The grips after a step of falling; bodies hold on to the surface that they meet."""
        rows = which((grip.fall_speed > 0.0) & ~grip.clings)
        if not len(rows):
            return grip
        fall_speed = put(np.zeros_like(grip.fall_speed), rows, grip.fall_speed[rows] + GRAVITY * dt)
        drop = fall_speed * dt
        x, y, z = picked(grip.place, rows).T
        footing = skins.surfaces.under(x, y, z, np.zeros(len(rows)), drop[rows])
        holds = footing.triangle >= 0
        landed, place = rows[holds], grip.place.copy(order="K")
        place[:, 2] -= drop
        place[landed, 2] = footing.height[holds]
        fall_speed[landed] = 0.0
        grip = replace(grip, place=place, fall_speed=fall_speed)
        return grip.taking(skins, landed, footing.triangle[holds], picked(place, landed), upright(len(landed)))

    def _stance(self, grip: Grip, velocity: Vectors, terrain: Terrain) -> Stance:
        pose, outputs = None, {}
        if len(terrain.after):
            ahead, lean = grip.shown()
            pose = Pose(cross(ahead, lean), ahead, lean)
            masks = ((OFF_GROUND, ~grip.clings), (HELD_UP, grip.cornered))
            outputs = {name: mask.astype(np.float64) for name, mask in masks}
        return Stance(grip.origin(terrain.lift), velocity, grip.forward, grip.normal, grip.memory, pose, outputs)


class _Straight(OnFoot):
    """Walking only where one faces: along a surface, bodies move as they hold on."""

    def _side_steps(self) -> Scalars:
        return np.zeros(len(self.turn_radius))


@lru_cache(maxsize=8)
def _axes(n: int) -> tuple[Vectors, Vectors, Vectors]:
    """The axes to the right, ahead and up of n walkers in their plane, (n, 3) each; read-only."""
    axes = tuple(no_vectors(n) for _ in range(3))
    for k, axis in enumerate(axes):
        axis[:, k] = 1.0
        axis.flags.writeable = False
    right, ahead, up = axes
    return right, ahead, up


@lru_cache(maxsize=8)
def _on_a_plane(n: int) -> Walking:
    """The memory of n walkers that have met nothing on their plane yet; read-only."""
    blank = Walking.blank(n)
    for column in vars(blank).values():
        column.flags.writeable = False
    return blank


def _fallen(grip: Grip, remaining: Scalars, rows: Rows) -> Grip:
    """The grips with some rows fallen off a border, with a length left to go, (n,) metres."""
    if not len(rows):
        return grip
    beyond = grip.place[rows] + picked(grip.forward, rows) * remaining[rows, None]
    return replace(grip, place=put(grip.place, rows, beyond)).let_go(rows)
