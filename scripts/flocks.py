"""The flocks that scripts/bench times."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Flock:
    """How a flock flies.

    Attributes:
        cruise, top_speed: metres a second.
        strength: newtons; each weighs a kilogram.
        separation, sight: metres, the distances of separation and of sight.
        size: (3,) metres, half extents of the ellipsoid for one vehicle; n vehicles fill cbrt(n) times that.
        behaviors: the settings of each behavior.
        room: metres, half extent of the region for one vehicle, scaled likewise; 0 for no region.
    """

    cruise: float
    top_speed: float
    strength: float
    separation: float
    sight: float
    size: tuple[float, float, float]
    behaviors: dict[str, dict[str, float]]
    room: float = 0.0

    def extents(self, count: int) -> list[float]:
        """Half extents of the ellipsoid that `count` vehicles fill, (3,) metres."""
        return [math.cbrt(count) * size for size in self.size]


ROOM_OF_TWENTY = 9.0 / math.cbrt(20.0)
FLOCKS = {
    # The numbers of OpenSteer's Boids, for twenty neighbors. OpenSteer's world wraps around; without that, its cohesion
    # huddles the flock, so cohesion is half as strong here.
    "reynolds": Flock(
        cruise=7.2,
        top_speed=9.0,
        strength=27.0,
        separation=5.0,
        sight=9.0,
        size=(ROOM_OF_TWENTY, ROOM_OF_TWENTY, ROOM_OF_TWENTY),
        behaviors={
            "separation": {"distance": 5.0, "angle": 2.0 * math.acos(-0.707), "weight": 12.0},
            "alignment": {"distance": 7.5, "angle": 2.0 * math.acos(0.7), "weight": 8.0},
            "cohesion": {"distance": 9.0, "angle": 2.0 * math.acos(-0.15), "weight": 4.0, "rejoin_distance": 0.0},
        },
    ),
    "starling": Flock(
        cruise=10.0,
        top_speed=13.0,
        strength=20.0,
        separation=1.5,
        sight=3.0,
        size=(1.4625, 1.125, 0.675),
        behaviors={
            "separation": {"distance": 1.5, "weight": 8.0},
            "alignment": {"distance": 3.0, "angle": math.radians(270), "weight": 6.0},
            "cohesion": {"distance": 3.0, "weight": 3.0},
            "wander": {"strength": 3.0, "rate": 0.5, "shared_strength": 4.0, "shared_rate": 0.25},
            "containment": {"weight": 8.0},
        },
        room=35.0 / math.cbrt(200.0),
    ),
}
