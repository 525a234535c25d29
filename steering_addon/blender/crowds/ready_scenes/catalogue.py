"""The ready scenes of Add > Steering, of which the operators and the entries of menus are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import cowboys_and_strays, flock, herd, herd_and_wolf, school, station_hall, traffic, walkers
from .scene_builder import SceneOptions

if TYPE_CHECKING:
    from bpy.types import Context, Object


@dataclass(frozen=True)
class ReadyScene:
    """A crowd with its surroundings, ready to bake.

    Attributes:
        operator: the name of its operator, after "steering.".
        description: the operator's tooltip, without a period.
        counted: the tooltip of its count; count: the default.
        measure: the label of its size; measured: what that is, for the tooltip; size: the default, in meters.
        reach: the radius that it needs, in meters.
        add: adds it to the scene and returns its crowd.
    """

    operator: str
    label: str
    description: str
    icon: str
    counted: str
    count: int
    measure: str
    measured: str
    size: float
    reach: Callable[[SceneOptions], float]
    add: Callable[[Context, SceneOptions], Object]


_SHEEP = (
    *("Number of sheep; the size of the pasture is adapted to it", herd.COUNT),
    *("Length", "Length of a sheep", herd.SIZE, herd.reach),
)
READY_SCENES = (
    ReadyScene(
        "add_flock",
        "Flock of Birds",
        "Add a flock of birds that flies around inside a region, ready to bake",
        "FORCE_BOID",
        "Number of birds",
        flock.COUNT,
        "Length",
        "Length of a bird from beak to tail",
        flock.SIZE,
        flock.FLOCK.reach,
        flock.add_flock,
    ),
    ReadyScene(
        "add_school",
        "School of Fish",
        "Add a school of fish that swims around inside a region, ready to bake",
        "MOD_OCEAN",
        "Number of fish",
        school.COUNT,
        "Length",
        "Length of a fish from nose to tail",
        school.SIZE,
        school.SCHOOL.reach,
        school.add_school,
    ),
    ReadyScene(
        "add_walkers",
        "Walkers on a Path",
        "Add people who walk along a closed path in both directions, ready to bake",
        "CURVE_PATH",
        "Number of people; the length of the path is adapted to it",
        walkers.COUNT,
        "Height",
        "Height of a person",
        walkers.SIZE,
        walkers.reach,
        walkers.add_walkers,
    ),
    ReadyScene(
        "add_herd",
        "Herd on a Hill",
        "Add a herd of sheep that grazes on hills, ready to bake",
        "MESH_GRID",
        *_SHEEP,
        herd.add_herd,
    ),
    ReadyScene(
        "add_herd_and_wolf",
        "Herd and Wolf",
        "Add a herd of sheep that grazes, runs from a wolf that comes by, and gathers again, ready to bake",
        "PMARKER_ACT",
        *_SHEEP,
        herd_and_wolf.add_herd_and_wolf,
    ),
    ReadyScene(
        "add_cowboys_and_strays",
        "Cowboys and Strays",
        "Add a herd of cows, two that have strayed, and three riders who bring them back, ready to bake",
        "OUTLINER_OB_ARMATURE",
        "Number of cows with the strays; the size of the pasture is adapted to it",
        cowboys_and_strays.COUNT,
        "Length",
        "Length of a cow",
        cowboys_and_strays.SIZE,
        cowboys_and_strays.reach,
        cowboys_and_strays.add_cowboys_and_strays,
    ),
    ReadyScene(
        "add_station_hall",
        "Station Hall",
        "Add people who walk through a station hall: some read the board, and all leave by exits, ready to bake",
        "HOME",
        "Number of people; the size of the hall is adapted to it",
        station_hall.COUNT,
        "Height",
        "Height of a person",
        walkers.SIZE,
        station_hall.reach,
        station_hall.add_station_hall,
    ),
    ReadyScene(
        "add_traffic",
        "Traffic",
        "Add cars that drive both ways along a road over hills and stop for people who cross it, ready to bake",
        "AUTO",
        "Number of cars; the length of the road is adapted to it",
        traffic.COUNT,
        "Length",
        "Length of a car",
        traffic.SIZE,
        traffic.reach,
        traffic.add_traffic,
    ),
)
