"""Thirty pursuers chase one wandering vehicle."""

from __future__ import annotations

from typing import Any

import numpy as np

from steering_addon.behaviors.pursuit import Pursuit
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.wander import Wander
from steering_addon.locomotion import Planar
from steering_addon.scene import Scene, positions
from steering_addon.simulation.behavior import Behavior

from ..opensteer_scene import FPS, Check, OpenSteerScene, disk_point, frames, ring

COUNT = 30
MAX_FORCE, MAX_SPEED, RADIUS = 5.0, 3.0, 0.5
INNER, OUTER = 20.0, 30.0
PREDICTION = 20.0
SECONDS = 60.0


def touches(seed: int, share: float, chasing: tuple[type[Behavior], dict[str, Any]]) -> np.ndarray:
    """(30,) seconds until each pursuer touches the quarry, inf for never."""
    rng = np.random.default_rng(seed)
    kind, settings = chasing
    pursues = np.arange(COUNT + 1) > 0
    scene = Scene(
        position=np.concatenate((np.zeros((1, 3)), ring(rng, COUNT, INNER, OUTER))),
        forward=disk_point(rng.uniform(0.0, 2.0 * np.pi, COUNT + 1)),
        behaviors=[
            (kind, settings | {"weight": np.where(pursues, 1.0, 0.0)}),
            (Wander, {"strength": 3.0, "weight": np.where(pursues, 0.0, 1.0)}),
        ],
        vehicle={"max_force": MAX_FORCE, "max_speed": MAX_SPEED, "radius": RADIUS},
        locomotions=[(Planar, {})],
        seed=seed,
    )
    place = positions(scene.run(frames(SECONDS, share)))
    near = np.linalg.norm(place[:, 1:] - place[:, :1], axis=-1) < 2.0 * RADIUS
    return np.where(near.any(axis=0), near.argmax(axis=0) / FPS, np.inf)


def checks(seed: int, share: float) -> list[Check]:
    quarry = np.where(np.arange(COUNT + 1) > 0, 0, -1)
    pursuing = touches(seed, share, (Pursuit, {"quarry": quarry, "prediction_time": PREDICTION, "pause_time": 0.0}))
    seeking = touches(seed, share, (Seek, {"target": quarry}))
    saved = np.minimum(seeking, SECONDS * share) - np.minimum(pursuing, SECONDS * share)
    return [
        Check("pursuers of 30 that touch the quarry", float(np.isfinite(pursuing).sum()), least=28.0),
        Check("mean seconds by which pursuit is faster than seek", float(saved.mean()), least=0.1),
    ]


MULTIPLE_PURSUIT = OpenSteerScene("pursuers head for where the quarry will be, and so catch it", checks)
