"""Explore: cover a region.

Two vehicles cover a region together. Each goes where neither has been yet, and within half a minute they have seen
nearly all of it.
"""

import numpy as np

from steering_addon.behaviors.explore import Explore
from steering_addon.scene import BOX, regions

from ..figure import Figure, PlanarScene, Run

HALF = (9.0, 9.0, 1.0)
VIEW = 2.0

SCENE = PlanarScene(
    position=[(-1.0, 0.0, 0.0), (1.0, 0.0, 0.0)],
    forward=[(-1.0, 0.3, 0.0), (1.0, -0.3, 0.0)],
    speed=4.0,
    behaviors=[(Explore, {"view_distance": VIEW})],
    regions=regions([0.0, 0.0, 0.0], HALF, BOX),
    seed=2,
)


def shows(run: Run) -> dict[str, bool]:
    along = np.linspace(-8.5, 8.5, 18)
    grid = np.stack(np.meshgrid(along, along), axis=-1).reshape(-1, 2)
    far = np.linalg.norm(run.position[..., None, :2] - grid, axis=-1)
    nearest = far.min(axis=0)
    return {
        "nearly all of the region is seen": bool((nearest.min(axis=0) < VIEW + 0.5).mean() > 0.95),
        "each sees a part that the other does not see": bool(((nearest < VIEW).sum(axis=0) == 1).mean() > 0.25),
        "they stay in the region": bool(np.abs(run.position[..., :2]).max() < 10.5),
    }


FIGURE = Figure(SCENE, 30.0, shows, every=0.0, groups=((0,), (1,)))
