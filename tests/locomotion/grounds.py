"""Grounds to stand on: hills, planes, and places on them."""

from typing import Any

import numpy as np

from steering_addon.simulation.geometry.surfaces import Surfaces
from tests.surfaces import patch


def hills(side: float = 80.0, cells: int = 80, height: float = 3.0, width: float = 8.0, seed: int = 1):
    """Round hills and hollows on a grid about the origin: points and triangles."""
    x, y = np.meshgrid(*(2 * [np.linspace(-side / 2.0, side / 2.0, cells + 1)]), indexing="ij")
    rng = np.random.default_rng(seed)
    z = sum(
        rng.uniform(-1.0, 1.0) * height * np.exp(-((x - a) ** 2 + (y - b) ** 2) / width**2)
        for a, b in rng.uniform(-side / 2.0, side / 2.0, (24, 2))
    )
    return patch(np.stack((x, y, z), axis=-1))


def plane(half: float = 20.0, height: float = 0.0, tilt: float = 0.0, cells: int = 20):
    """A square that rises along x by `tilt`."""
    x, y = np.meshgrid(*(2 * [np.linspace(-half, half, cells + 1)]), indexing="ij")
    return patch(np.stack((x, y, height + tilt * x), axis=-1))


def on(ground: Surfaces, places: Any) -> np.ndarray:
    """Places (n, 2) on the highest surface, (n, 3)."""
    x, y = np.asarray(places, dtype=float).T
    far = np.full(len(x), 1e6)
    return np.stack((x, y, ground.under(x, y, 0.0 * x, far, far).height), axis=1)
