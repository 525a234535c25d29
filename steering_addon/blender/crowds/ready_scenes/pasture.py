"""Land for animals: a square of grass with hills, which is a surface."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

import bpy
import numpy as np
from mathutils import Vector

from ....simulation.arrays.vectors import EPSILON
from ....simulation.roles import Role
from ...objects.hierarchy import Family
from ...read.role_assignment import give_role
from .shape import Paints

if TYPE_CHECKING:
    from bpy.types import Collection, Object

CELLS = 72
HILLS = 9
GRASS = {"grass": "#7d9a4e"}

Heights = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""The heights above the middle of the scene at x and y, metres."""


def hills(half: float, steepest: float, random_numbers: random.Random) -> Heights:
    """Random hills and hollows, as the heights above the middle at places about that, metres.

    Args:
        half: half the side of the land, metres.
        steepest: the grade of the steepest place.
    """
    bumps = []
    for number in range(HILLS):
        width = half * random_numbers.uniform(0.22, 0.42)
        # The slope of a round hill of this shape is 0.86 of its height over its width at most.
        height = width * random_numbers.uniform(0.5, 1.0) * steepest / 0.86 / 1.4
        x, y = (random_numbers.uniform(-0.95, 0.95) * half for _ in range(2))
        bumps.append((x, y, width, height if number % 3 else -0.6 * height))

    def height_at(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        parts = (h * np.exp(-((x - a) ** 2 + (y - b) ** 2) / w**2) for a, b, w, h in bumps)
        return sum(parts, np.zeros_like(x))

    middle, share = float(height_at(np.zeros(1), np.zeros(1))[0]), min(1.0, steepest / _steepest(height_at, half))
    return lambda x, y: share * (height_at(x, y) - middle)


def _steepest(height: Heights, half: float) -> float:
    """The grade of the steepest place of land: hills that meet are steeper than each of them."""
    line = np.linspace(-1.0, 1.0, CELLS + 1) * half
    across, along = np.gradient(height(*np.meshgrid(line, line)), line, line)
    return max(float(np.sqrt(across**2 + along**2).max()), EPSILON)


def add_pasture(name: str, place: Vector, half: float, height: Heights, collection: Collection) -> Object:
    """Add land, a surface, with its middle at a place.

    Args:
        half: half its side, metres.
    """
    line = np.linspace(-1.0, 1.0, CELLS + 1) * half
    x, y = np.repeat(line, CELLS + 1), np.tile(line, CELLS + 1)
    points = np.stack((x, y, height(x, y)), axis=1)
    corner = (np.arange(CELLS)[:, None] * (CELLS + 1) + np.arange(CELLS)).ravel()
    faces = np.stack((corner, corner + CELLS + 1, corner + CELLS + 2, corner + 1), axis=1)
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points.tolist(), [], faces.tolist())
    mesh.polygons.foreach_set("use_smooth", np.ones(len(faces), dtype=np.bool_))
    mesh.materials.append(Paints("Pasture", GRASS).material("grass"))
    mesh.update()
    pasture = bpy.data.objects.new(name, mesh)
    pasture.location = place
    collection.objects.link(pasture)
    give_role(pasture, Role.SURFACE, Family())
    return pasture


def on_ground(height: Heights, x: float, y: float) -> Vector:
    """A place on the land, about its middle, metres."""
    return Vector((x, y, float(height(np.array([x]), np.array([y]))[0])))
