"""Every behavior there is, in the order they are shown and added up."""

from __future__ import annotations

from .alignment import Alignment
from .arrival import Arrival
from .cohesion import Cohesion
from .containment import Containment
from .declaration import Behavior
from .flee import Flee
from .leader_following import LeaderFollowing
from .obstacle_avoidance import ObstacleAvoidance
from .path_following import PathFollowing
from .seek import Seek
from .separation import Separation
from .unaligned_collision_avoidance import UnalignedCollisionAvoidance
from .wander import Wander

CATALOGUE: tuple[type[Behavior], ...] = (
    Seek,
    Flee,
    Arrival,
    Wander,
    ObstacleAvoidance,
    PathFollowing,
    Separation,
    Alignment,
    Cohesion,
    LeaderFollowing,
    Containment,
    UnalignedCollisionAvoidance,
)
