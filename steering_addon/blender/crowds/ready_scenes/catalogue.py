"""The ready scenes of Add > Steering, of which the operators and the entries of menus are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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


_SHEEP: dict[str, Any] = {
    "counted": "Number of sheep; the size of the pasture is adapted to it",
    "count": herd.COUNT,
    "measure": "Length",
    "measured": "Length of a sheep",
    "size": herd.SIZE,
    "reach": herd.reach,
}
READY_SCENES = (
    ReadyScene(
        operator="add_flock",
        label="Flock of Birds",
        description="Add a flock of birds that flies around inside a region, ready to bake",
        icon="FORCE_BOID",
        counted="Number of birds",
        count=flock.COUNT,
        measure="Length",
        measured="Length of a bird from beak to tail",
        size=flock.SIZE,
        reach=flock.FLOCK.reach,
        add=flock.add_flock,
    ),
    ReadyScene(
        operator="add_school",
        label="School of Fish",
        description="Add a school of fish that swims around inside a region, ready to bake",
        icon="MOD_OCEAN",
        counted="Number of fish",
        count=school.COUNT,
        measure="Length",
        measured="Length of a fish from nose to tail",
        size=school.SIZE,
        reach=school.SCHOOL.reach,
        add=school.add_school,
    ),
    ReadyScene(
        operator="add_walkers",
        label="Walkers on a Path",
        description="Add people who walk along a closed path in both directions, ready to bake",
        icon="CURVE_PATH",
        counted="Number of people; the length of the path is adapted to it",
        count=walkers.COUNT,
        measure="Height",
        measured="Height of a person",
        size=walkers.SIZE,
        reach=walkers.reach,
        add=walkers.add_walkers,
    ),
    ReadyScene(
        operator="add_herd",
        label="Herd on a Hill",
        description="Add a herd of sheep that grazes on hills, ready to bake",
        icon="MESH_GRID",
        add=herd.add_herd,
        **_SHEEP,
    ),
    ReadyScene(
        operator="add_herd_and_wolf",
        label="Herd and Wolf",
        description="Add a herd of sheep that grazes, runs from a wolf that comes by, and gathers again, ready to bake",
        icon="PMARKER_ACT",
        add=herd_and_wolf.add_herd_and_wolf,
        **_SHEEP,
    ),
    ReadyScene(
        operator="add_cowboys_and_strays",
        label="Cowboys and Strays",
        description="Add a herd of cows, two that have strayed, and three riders who bring them back, ready to bake",
        icon="OUTLINER_OB_ARMATURE",
        counted="Number of cows with the strays; the size of the pasture is adapted to it",
        count=cowboys_and_strays.COUNT,
        measure="Length",
        measured="Length of a cow",
        size=cowboys_and_strays.SIZE,
        reach=cowboys_and_strays.reach,
        add=cowboys_and_strays.add_cowboys_and_strays,
    ),
    ReadyScene(
        operator="add_station_hall",
        label="Station Hall",
        description="Add people who walk through a station hall: "
        "some read the board, and all leave by exits, ready to bake",
        icon="HOME",
        counted="Number of people; the size of the hall is adapted to it",
        count=station_hall.COUNT,
        measure="Height",
        measured="Height of a person",
        size=walkers.SIZE,
        reach=station_hall.reach,
        add=station_hall.add_station_hall,
    ),
    ReadyScene(
        operator="add_traffic",
        label="Traffic",
        description="Add cars that drive both ways along a road over hills "
        "and stop for people who cross it, ready to bake",
        icon="AUTO",
        counted="Number of cars; the length of the road is adapted to it",
        count=traffic.COUNT,
        measure="Length",
        measured="Length of a car",
        size=traffic.SIZE,
        reach=traffic.reach,
        add=traffic.add_traffic,
    ),
)
