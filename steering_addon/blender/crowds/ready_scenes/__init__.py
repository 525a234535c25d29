"""The ready scenes of Add > Steering, one file for each, of which the operators and the entries of menus are made."""

from .cowboys_and_strays import COWBOYS_AND_STRAYS
from .flyers import FLYERS
from .herd import HERD, HERD_AND_WOLF
from .scene_builder import ReadyScene
from .station_hall import STATION_HALL
from .traffic import TRAFFIC
from .walkers import WALKERS

READY_SCENES: tuple[ReadyScene, ...] = (
    *FLYERS,
    WALKERS,
    HERD,
    HERD_AND_WOLF,
    COWBOYS_AND_STRAYS,
    STATION_HALL,
    TRAFFIC,
)
