"""Surfaces for tests: a ball, a box, a ring, a flat sheet, and faces of four corners."""

from itertools import product
from typing import Any

import numpy as np

from steering_addon.scene import mesh, mesh_obstacles, mesh_regions
from steering_addon.simulation.geometry.meshes import Mesh

__all__ = ["ball", "block", "cuboid", "mesh_obstacles", "mesh_regions", "patch", "plate", "ring", "sheet", "together"]
__all__ += ["BOX", "Faces", "four_cornered"]
Faces = tuple[np.ndarray, np.ndarray]
"""Points (p, 3), and triangles (f, 3), rows of them."""
QUADS = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
BOX = np.array([t for a, b, c, d in QUADS for t in ((a, b, c), (a, c, d))])
"""The triangles of a box, wound outward, whose corners come by x, then by y, then by z."""


def cuboid(low: Any, high: Any) -> Faces:
    """A closed box between two corners."""
    return np.array([*product(*zip(low, high))], dtype=float), BOX


def together(*parts: Faces) -> Faces:
    """Several as one."""
    first = np.cumsum([0, *(len(points) for points, _ in parts)])
    return np.concatenate([points for points, _ in parts]), np.concatenate([t + k for (_, t), k in zip(parts, first)])


def plate(left: float, near: float, right: float, far: float, height: float = 0.0) -> Any:
    """The corners of a level rectangle."""
    return [(left, near, height), (right, near, height), (right, far, height), (left, far, height)]


def four_cornered(*faces: Any) -> Faces:
    """Faces of four corners each."""
    first = 4 * np.arange(len(faces))[:, None]
    triangles = np.concatenate((first + np.array((0, 1, 2)), first + np.array((0, 2, 3))))
    return np.array(faces, dtype=float).reshape(-1, 3), triangles


def patch(points: np.ndarray, *, round_u: bool = False, round_v: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """The points and triangles of a grid of points (u, v, 3), which may close in either direction. Returns (u * v, 3)
    points and (f, 3) rows of corners."""
    u, v = points.shape[:2]
    row = np.arange(u * v).reshape(u, v)
    cells = slice(0, u if round_u else u - 1), slice(0, v if round_v else v - 1)
    a, b = row[cells], np.roll(row, -1, axis=0)[cells]
    c = np.roll(np.roll(row, -1, axis=0), -1, axis=1)[cells]
    d = np.roll(row, -1, axis=1)[cells]
    first = np.stack((a, b, c), axis=-1).reshape(-1, 3)
    second = np.stack((a, c, d), axis=-1).reshape(-1, 3)
    return points.reshape(-1, 3), np.concatenate((first, second))


def ball(radius: float = 1.0, fineness: int = 16) -> Mesh:
    """A closed ball, each pole of which is many points at the same location."""
    around, down = np.meshgrid(
        np.linspace(0.0, 2.0 * np.pi, 2 * fineness, endpoint=False), np.linspace(0.0, np.pi, fineness), indexing="ij"
    )
    height = np.where(np.isin(down, (0.0, np.pi)), np.cos(down), np.cos(down))
    width = np.where(np.isin(down, (0.0, np.pi)), 0.0, np.sin(down))
    points, rows = patch(
        radius * np.stack((width * np.cos(around), width * np.sin(around), height), axis=-1), round_u=True
    )
    # Without the triangles of no area at the poles: they would make the neighbor at an edge ambiguous.
    a, b, c = (points[rows[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return mesh(points, rows[area > 1e-12])


def block(half: tuple[float, float, float]) -> Mesh:
    """A closed box of twelve triangles, from half sides."""
    return mesh(*cuboid(-np.array(half), half))


def ring(wide: float = 3.0, thick: float = 1.0, fineness: int = 12) -> Mesh:
    """A closed torus about the up axis."""
    u, v = np.meshgrid(
        np.linspace(0.0, 2.0 * np.pi, 2 * fineness, endpoint=False),
        np.linspace(0.0, 2.0 * np.pi, fineness, endpoint=False),
        indexing="ij",
    )
    out = wide + thick * np.cos(v)
    return mesh(
        *patch(np.stack((out * np.cos(u), out * np.sin(u), thick * np.sin(v)), axis=-1), round_u=True, round_v=True)
    )


def sheet(half: float = 5.0, fineness: int = 6, height: float = 0.0) -> Mesh:
    """An open horizontal square."""
    x, y = np.meshgrid(*[np.linspace(-half, half, fineness)] * 2, indexing="ij")
    return mesh(*patch(np.stack((x, y, np.full_like(x, height)), axis=-1)))
