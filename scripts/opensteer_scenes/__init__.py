"""The scenes modelled on OpenSteer's demos, by name."""

from __future__ import annotations

from ..opensteer_scene import OpenSteerScene
from .boids import BOIDS
from .capture_the_flag import CAPTURE_THE_FLAG
from .low_speed_turn import LOW_SPEED_TURN
from .map_drive import MAP_DRIVE
from .multiple_pursuit import MULTIPLE_PURSUIT
from .one_turning import ONE_TURNING
from .pedestrians import PEDESTRIANS

SCENES: dict[str, OpenSteerScene] = {
    "one_turning": ONE_TURNING,
    "low_speed_turn": LOW_SPEED_TURN,
    "multiple_pursuit": MULTIPLE_PURSUIT,
    "capture_the_flag": CAPTURE_THE_FLAG,
    "boids": BOIDS,
    "pedestrians": PEDESTRIANS,
    "map_drive": MAP_DRIVE,
}
