"""One vehicle under a constant force."""

from __future__ import annotations

import numpy as np

from steering_addon.locomotion import Planar
from steering_addon.scene import Scene, headings, speeds

from ..opensteer_scene import Check, ConstantForce, OpenSteerScene, frames, heading_error, turning

FORCE = (-2.0, -3.0, 0.0)
MAX_FORCE, MAX_SPEED, START_SPEED = 0.3, 5.0, 1.5


def checks(seed: int, share: float) -> list[Check]:
    scene = Scene(
        position=[(0.0, 0.0, 0.0)],
        forward=(0.0, 1.0, 0.0),
        speed=START_SPEED,
        behaviors=[(ConstantForce, dict(zip("xyz", FORCE)))],
        vehicle={"max_force": MAX_FORCE, "max_speed": MAX_SPEED},
        locomotions=[(Planar, {})],
    )
    states = scene.run(frames(60.0, max(share, 0.8)))
    forward, speed = headings(states), speeds(states)
    side = np.cross(forward[:-1], forward[1:])[:, 0, 2]
    return [
        Check("degrees between the last heading and the force", heading_error(forward[-1], FORCE), most=5.0),
        Check("share of frames that turn the same way", float((side >= -1e-9).mean()), least=1.0),
        Check("greatest turn a second, degrees", float(np.degrees(turning(forward)).max() * 24.0), most=180.0),
        Check("last speed, m/s", float(speed[-1, 0]), least=MAX_SPEED * 0.99, most=MAX_SPEED * 1.000001),
    ]


ONE_TURNING = OpenSteerScene("a vehicle turns in a smooth curve into the direction of a constant force", checks)
