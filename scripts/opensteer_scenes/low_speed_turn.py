"""Five slow vehicles under a force backwards and to the right."""

from __future__ import annotations

import numpy as np

from steering_addon.locomotion import Planar
from steering_addon.scene import Scene, headings, positions

from ..opensteer_scene import Check, ConstantForce, OpenSteerScene, frames, heading_error, turning

COUNT = 5
FORCE = (1.0, -1.0, 0.0)
MAX_FORCE, MAX_SPEED = 0.3, 1.5
SPEED_STEP, PLACE_STEP = 0.15, 2.0


def checks(seed: int, share: float) -> list[Check]:
    row = np.arange(COUNT)
    scene = Scene(
        position=np.stack((PLACE_STEP * row, 0.0 * row, 0.0 * row), axis=-1),
        forward=(0.0, 1.0, 0.0),
        speed=SPEED_STEP * row,
        behaviors=[(ConstantForce, dict(zip("xyz", FORCE)))],
        vehicle={"max_force": MAX_FORCE, "max_speed": MAX_SPEED},
        locomotions=[(Planar, {})],
    )
    states = scene.run(frames(15.0, max(share, 0.8)))
    forward = headings(states)
    turn = turning(forward)
    side = np.cross(forward[:-1], forward[1:])[..., 2]
    way = np.linalg.norm(positions(states)[-1] - positions(states)[0], axis=-1)
    return [
        Check("degrees between the last headings and the force", heading_error(forward[-1], FORCE), most=5.0),
        Check("greatest turn in one frame, degrees", float(np.degrees(turn).max()), most=10.0),
        Check("share of frames that turn right", float((side <= 1e-9).mean()), least=1.0),
        Check("shortest distance from the start, metres", float(way.min()), least=5.0),
    ]


LOW_SPEED_TURN = OpenSteerScene("orientation stays steady near standstill under a force from behind", checks)
