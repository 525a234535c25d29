"""The catalogue: every behavior, in the order in which they are shown and added up."""

from ..simulation.behavior import Behavior
from .alignment import Alignment
from .arrival import Arrival
from .brake_for import BrakeFor
from .cohesion import Cohesion
from .containment import Containment
from .docking import Docking
from .drive import Drive
from .evasion import Evasion
from .explore import Explore
from .face import Face
from .fight import Fight
from .flee import Flee
from .flow_field_following import FlowFieldFollowing
from .forage import Forage
from .give_way import GiveWay
from .hide import Hide
from .interpose import Interpose
from .keep_company import KeepCompany
from .keep_distance import KeepDistance
from .landing import Landing
from .leader_following import LeaderFollowing
from .obstacle_avoidance import ObstacleAvoidance
from .offset_pursuit import OffsetPursuit
from .orbit import Orbit
from .path_following import PathFollowing
from .patrol import Patrol
from .post import Post
from .pursuit import Pursuit
from .rest import Rest
from .seek import Seek
from .separation import Separation
from .shadow import Shadow
from .unaligned_collision_avoidance import UnalignedCollisionAvoidance
from .wall_following import WallFollowing
from .wander import Wander

CATALOGUE: tuple[type[Behavior], ...] = (
    Seek,
    Flee,
    Pursuit,
    Fight,
    Evasion,
    OffsetPursuit,
    Arrival,
    Docking,
    Landing,
    Shadow,
    Interpose,
    Hide,
    Drive,
    Wander,
    Explore,
    Forage,
    Rest,
    Orbit,
    Patrol,
    Post,
    ObstacleAvoidance,
    PathFollowing,
    WallFollowing,
    FlowFieldFollowing,
    Face,
    Separation,
    Alignment,
    Cohesion,
    LeaderFollowing,
    KeepCompany,
    Containment,
    UnalignedCollisionAvoidance,
    KeepDistance,
    BrakeFor,
    GiveWay,
)
FLOCKING: tuple[type[Behavior], ...] = (Separation, Alignment, Cohesion)
"""The three behaviors that together make a flock (paper, Flocking)."""
