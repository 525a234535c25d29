"""Grounds that lean any way: a sphere, the inside of a bowl, a Moebius band, a ceiling, a wave, a box."""

import numpy as np

from tests.surfaces import Faces, cuboid, patch


def globe(radius: float = 5.0, around: int = 32, down: int = 16, lowest: float = np.pi) -> Faces:
    """A sphere about the origin, or a part of it from the upper pole down to an angle; wound outward."""
    turn = np.linspace(0.0, 2.0 * np.pi, around, endpoint=False)
    angle, tilt = np.meshgrid(turn, np.linspace(0.0, lowest, down), indexing="ij")
    wide = np.sin(tilt)
    wide[:, 0] = 0.0
    if lowest == np.pi:
        wide[:, -1] = 0.0
    points = np.stack((wide * np.cos(angle), wide * np.sin(angle), np.cos(tilt)), axis=-1)
    points, triangles = patch(radius * points, round_u=True)
    return points, triangles[:, ::-1]


def bowl(radius: float = 5.0) -> Faces:
    """The lower part of a sphere, its edge a little above the middle."""
    points, triangles = globe(radius, lowest=0.6 * np.pi)
    return points * (1.0, 1.0, -1.0), triangles


def moebius(radius: float = 8.0, half_width: float = 2.5, around: int = 96, wide: int = 9) -> Faces:
    """A band with one side; at its seam triangles are wound differently."""
    turn, aside = np.meshgrid(
        np.linspace(0.0, 2.0 * np.pi, around, endpoint=False), np.linspace(-half_width, half_width, wide), indexing="ij"
    )
    out = radius + aside * np.cos(0.5 * turn)
    points = np.stack((out * np.cos(turn), out * np.sin(turn), aside * np.sin(0.5 * turn)), axis=-1)
    row = np.arange(around * wide).reshape(around, wide)
    beyond = np.concatenate((row[1:], row[:1, ::-1]))
    a, b, c, d = row[:, :-1], beyond[:, :-1], beyond[:, 1:], row[:, 1:]
    faces = [np.stack(corners, axis=-1).reshape(-1, 3) for corners in ((a, b, c), (a, c, d))]
    return points.reshape(-1, 3), np.concatenate(faces)


def sheet(half: float = 10.0, cells: int = 20, height: float = 0.0) -> Faces:
    """A level square."""
    return waves(half, cells, height)


def waves(half: float = 10.0, cells: int = 40, height: float = 0.0, steep: float = 0.0, time: float = 0.0) -> Faces:
    """A square with waves that run along x."""
    x, y = np.meshgrid(*(2 * [np.linspace(-half, half, cells + 1)]), indexing="ij")
    return patch(np.stack((x, y, height + steep * np.sin(0.8 * x + 2.0 * time) * np.cos(0.6 * y)), axis=-1))


def box(half: float = 1.0) -> Faces:
    """A closed box, wound outward."""
    return cuboid((-half,) * 3, (half,) * 3)
