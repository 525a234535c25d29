"""Surfaces for tests: a ball, a box, a ring and a flat sheet, and obstacles and regions made of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from steering_addon.simulation.arrays.vectors import Vectors
from steering_addon.simulation.geometry import regions
from steering_addon.simulation.geometry.meshes import Mesh, mesh
from steering_addon.simulation.geometry.obstacles import MESH, OUTSIDE, Obstacles, boxes, mesh_radius
from steering_addon.simulation.geometry.regions import Regions


def patch(points: np.ndarray, *, round_u: bool = False, round_v: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """The triangles between points in a grid (u, v, 3), joined at its ends or not."""
    u, v = points.shape[:2]
    row = np.arange(u * v).reshape(u, v)
    here = row[: u if round_u else u - 1, : v if round_v else v - 1]
    a, b = here, np.roll(row, -1, axis=0)[: here.shape[0], : here.shape[1]]
    c = np.roll(np.roll(row, -1, axis=0), -1, axis=1)[: here.shape[0], : here.shape[1]]
    d = np.roll(row, -1, axis=1)[: here.shape[0], : here.shape[1]]
    first = np.stack((a, b, c), axis=-1).reshape(-1, 3)
    second = np.stack((a, c, d), axis=-1).reshape(-1, 3)
    return points.reshape(-1, 3), np.concatenate((first, second))


def ball(radius: float = 1.0, fineness: int = 16) -> Mesh:
    """A closed ball whose poles are many points in one place."""
    around, down = np.meshgrid(
        np.linspace(0.0, 2.0 * np.pi, 2 * fineness, endpoint=False), np.linspace(0.0, np.pi, fineness), indexing="ij"
    )
    height = np.where(np.isin(down, (0.0, np.pi)), np.cos(down), np.cos(down))
    width = np.where(np.isin(down, (0.0, np.pi)), 0.0, np.sin(down))
    points, rows = patch(
        radius * np.stack((width * np.cos(around), width * np.sin(around), height), axis=-1), round_u=True
    )
    # The triangles at the poles that have no area go; with them it would not be clear what lies beyond an edge.
    a, b, c = (points[rows[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return mesh(points, rows[area > 1e-12])


def block(half: tuple[float, float, float]) -> Mesh:
    """A closed box of twelve triangles."""
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * np.array(half)
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return mesh(corners, np.array([t for a, b, c, d in faces for t in ((a, b, c), (a, c, d))]))


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
    """An open square that lies flat."""
    x, y = np.meshgrid(*[np.linspace(-half, half, fineness)] * 2, indexing="ij")
    return mesh(*patch(np.stack((x, y, np.full_like(x, height)), axis=-1)))


def mesh_obstacles(meshes: list[Mesh], centre: Vectors, axes: Vectors | None = None, **others: Any) -> Obstacles:
    """Meshes that lie about their middles (k, 3), in their unit axes as rows (k, 3, 3); others as of `boxes`.

    An open one is to be kept off from both of its sides; one without triangles is not there.
    """
    made = boxes(centre, np.zeros((len(meshes), 3)), axes, **others)
    own = np.empty(len(meshes), dtype=np.object_)
    own[:] = meshes
    radius = np.array([mesh_radius(one) for one in meshes])
    closed = np.array([one.closed for one in meshes], dtype=np.bool_)
    return replace(
        made,
        shape=np.full(len(meshes), MESH),
        side=np.where(closed, made.side, OUTSIDE),
        present=made.present & np.array([len(one) > 0 for one in meshes], dtype=np.bool_),
        mesh=own,
        radius=radius,
    )


def mesh_regions(meshes: list[Mesh], centre: Vectors, axes: Vectors | None = None) -> Regions:
    """The insides of closed meshes that lie about their centres (k, 3), in their unit axes as rows (k, 3, 3)."""
    half = np.array([np.maximum(-one.bounds[0], one.bounds[1]) for one in meshes])
    own = np.empty(len(meshes), dtype=np.object_)
    own[:] = meshes
    return replace(regions.regions(centre, half, np.full(len(meshes), regions.MESH), axes), mesh=own)
