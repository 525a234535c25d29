"""Wall following (paper, Path Following: wall following)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..simulation.declaration import NEAREST, Choice, called, choice, length, only_with, path, seconds
from ..simulation.obstacles import Obstacles
from ..simulation.paths import Path
from ..simulation.vectors import (
    EPSILON,
    Mask,
    Number,
    Rows,
    Scalars,
    Vectors,
    across,
    clamp,
    dot,
    firsts,
    magnitude,
    picked,
    unit,
)
from ..simulation.world import Agents, Memory, World
from .declaration import Behavior, Intent

WALLS = (
    Choice("CURVES", 0, "Curves", "Walls stand upright on curves, however high"),
    Choice("OBSTACLES", 1, "Obstacles", "The surfaces of obstacles are walls: of meshes and boxes, from inside too"),
)
CURVES, OBSTACLES = (c.number for c in WALLS)
HALF = 0.5
"""Strength from which on the wall says how fast to go; below, the agent is held at cruise speed anyway."""
HEAD_ON = 1e-6
"""Share of the heading along the wall below which it is a dead heat, and the turn is to the right."""


@dataclass(frozen=True)
class WallFollowing(Behavior):
    """Come up to a wall and go along it at a distance, on the side where the agent is.

    The wall is drawn as a curve, seen from above: it stands upright on it, however high. Or the surfaces of obstacles
    are walls, whatever their shape. Steers along the wall the way
    the agent heads, with a pull to the offset from where it will be. Does nothing far from any wall, and fades in as
    one comes near.
    """

    name = "wall_following"
    label = "Follow Wall"
    term = "wall following"
    intent = Intent.GO
    remembers = {"strength": 0.0}

    walls: Number = choice("CURVES", "What the walls are", WALLS)
    wall: Number = only_with("walls", CURVES, path("Curve on which the wall stands; empty: the nearest path"))
    offset: Number = length(1.0, "Distance to keep from the wall", 0.01)
    distance: Number = length(10.0, "How near the wall has to be", 0.01)
    prediction_time: Number = called(
        "Looks Ahead", seconds(0.3, "How far ahead it looks; as long as the response time it keeps to bends")
    )

    def steer(self, world: World, agents: Agents) -> tuple[Vectors, Memory]:
        here = self._from_walls(world, agents, agents.position)
        future = self._from_walls(world, agents, agents.predicted_position(self.prediction_time))
        level_side = unit(agents.side * np.array([1.0, 1.0, 0.0]))
        side = np.where((magnitude(here) > EPSILON)[:, None], unit(here), level_side)
        outward = np.where((magnitude(future) > EPSILON)[:, None], unit(future), side)
        # Who will have run through the wall is still to be kept on this side of it.
        through = np.where(dot(outward, side) < 0.0, -1.0, 1.0)
        outward = outward * through[:, None]

        along = agents.level(across(agents.forward, outward))
        along = np.where((magnitude(along) > HEAD_ON)[:, None], unit(along), unit(across(level_side, outward)))
        # Who turns wide has to begin early.
        turning = agents.cruise_speed * agents.cruise_speed / np.maximum(agents.agility, EPSILON)
        band = np.maximum(np.maximum(self.offset, agents.cruise_speed * self.prediction_time), turning)
        pull = clamp((self.offset - magnitude(future) * through) / band, -1.0, 1.0)
        way = unit(along + outward * pull[:, None])

        strength = clamp(2.0 - 2.0 * magnitude(here) / self.distance, 0.0, 1.0)
        strength = np.where(np.isfinite(strength), strength, 0.0)
        force = agents.steering_to(way * agents.cruise_speed[:, None]) * strength[:, None]
        return force, {"strength": strength}

    def _from_walls(self, world: World, agents: Agents, points: Vectors) -> Vectors:
        """The way to each agent's point from the nearest place on its walls, (n, 3)."""
        on_obstacles = self.walls == OBSTACLES
        if not on_obstacles.any():
            return _from_curve(world.paths, self.wall, points, self.distance)
        from_surface = agents.level(_from_surface(world.obstacles, agents, points, self.distance))
        if on_obstacles.all():
            return from_surface
        from_curve = _from_curve(world.paths, self.wall, points, self.distance)
        return np.where(on_obstacles[:, None], from_surface, from_curve)

    def sets_speed(self, world: World, agents: Agents) -> Mask:
        return np.asarray(agents.memory["strength"] > HALF, dtype=np.bool_)


def _from_surface(obstacles: Obstacles, agents: Agents, points: Vectors, reach: Scalars) -> Vectors:
    """The way to each point from the nearest place on an obstacle, (n, 3); twice the reach long where none is near."""
    owner, row = obstacles.near(points, reach)
    foreign = obstacles.carrier[row] != agents.rows[owner]
    owner, row = owner[foreign], row[foreign]
    distance, away = obstacles.surface(picked(points, owner), row)
    found = np.zeros((len(points), 3))
    found[:, 0] = 2.0 * reach
    order = np.lexsort((row, np.abs(distance), owner))
    nearest = order[firsts(owner[order])]
    nearest = nearest[np.abs(distance[nearest]) < reach[owner[nearest]]]
    found[owner[nearest]] = (away * distance[:, None])[nearest]
    return found


def _from_curve(paths: tuple[Path, ...], asked: Rows, points: Vectors, reach: Scalars) -> Vectors:
    """The way to each point from the nearest place on the walls, (n, 3) level; as long as the reach where none is near.

    Args:
        asked: (n,) the row of the wall that counts, NEAREST for all of them, -1 for none.
    """
    level = np.array([1.0, 1.0, 0.0])
    flat = points * level
    found = np.zeros((len(points), 3))
    found[:, 0] = 2.0 * reach
    for row, curve in enumerate(paths):
        for line in (line for line in curve if line.length > 0.0):
            line = replace(line, points=line.points * level)
            low, high = line.points.min(axis=0), line.points.max(axis=0)
            outside = magnitude(flat - clamp(flat, low, high))
            rows = np.flatnonzero(((asked == row) | (asked == NEAREST)) & (outside < magnitude(found)))
            gap = flat[rows] - line.position(line.nearest(flat[rows]))
            nearer = magnitude(gap) < magnitude(found[rows])
            found[rows[nearer]] = gap[nearer]
    return found
