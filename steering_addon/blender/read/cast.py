"""The cast of a run: the vehicles that move, and what decides what they want, checked before anything is touched.

The crowd of a vehicle may not be in its scene: its Empty was deleted, untagged or excluded, or is of another scene.
Bakes and previews leave such vehicles as they are, and others react to them. An object that is deleted in the viewport
stays in the file while vehicles point at it, so the crowd can be restored with its settings.
"""

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Object, Scene

from ...simulation.declaration import Kind
from ...simulation.roles import Role
from ..animation.frame_rate import frame_range
from ..objects.crowd_caches import picked_identities
from ..objects.identity import state_numbers
from ..objects.tagged_objects import by_role, crowd_of, crowds_of, full_name, in_use, list_names
from ..properties import has_role, pointed_at
from ..refusal import Refusal
from .checks import check_crowds, check_curves, check_moving, check_points, check_range, check_targets, check_vehicle
from .joined_vehicles import join_sources
from .marks import check_marks, marks_in_use
from .mind_sources import states_of, triggers_of
from .object_vehicles import ObjectVehicles, object_vehicles
from .point_vehicles import sources_of_points
from .sources import by_name, may_be_active, pointers_of
from .vehicles import VehicleSource

REMEDY = "Restore Crowd brings it back, or move the vehicles to another crowd"


@dataclass(frozen=True)
class LostCrowd:
    """A crowd that is not in the scene of its vehicles.

    Attributes:
        crowd: the object that the vehicles point at; None if it is no longer in the file.
        vehicles: those in the scene, by name; at least one.
    """

    crowd: Object | None
    vehicles: tuple[Object, ...]

    @property
    def names(self) -> str:
        """The names of the first vehicles, and the number of the others."""
        return list_names([ob.name for ob in self.vehicles])

    @property
    def reason(self) -> str:
        """The problem, as a sentence without final stop."""
        return reason(self.crowd) or f"{self.names} {'belongs' if len(self.vehicles) == 1 else 'belong'} to no crowd"


@dataclass(frozen=True)
class Cast:
    """The objects that a run moves and decides by.

    Attributes:
        first, last: the frames of the run.
        wanted: the vehicles that were asked for.
        lost: crowds that vehicles belong to and that are not in the scene.
        source, identities: the vehicles that move, and their identities (n,).
        empty: tagged as points, but without any.
    """

    scene: Scene
    objects: list[Object]
    roles: dict[Role, list[Object]]
    first: int
    last: int
    wanted: set[Object]
    lost: list[LostCrowd]
    source: VehicleSource
    identities: np.ndarray
    empty: list[Object]
    crowds: list[Object]
    numbers: dict[Object, int]
    states: list[Object]
    triggers: dict[Object, int]
    marks: list[Object]

    @property
    def holders(self) -> list[Object]:
        """The objects that hold behaviors."""
        return [*self.crowds, *self.states]


def cast_of(
    scene: Scene, only: Iterable[Object] | None, *, replace_own_keys: bool, adds_nothing: bool, alone: bool
) -> Generator[None, None, Cast]:
    """The cast of a run, in pieces; arguments and errors as those of `plan_reading`."""
    first, last = frame_range(scene)
    check_range(scene, first, last)
    objects = in_use(scene)
    chosen = None if only is None else {full_name(ob) for ob in only}
    roles = by_role(objects)
    members = [*roles[Role.VEHICLE], *roles[Role.POINTS]]
    moving = [ob for ob in members if not ob.steering.locked and (chosen is None or full_name(ob) in chosen)]
    check_moving(scene, objects, members, moving, selected=chosen is not None)
    if alone:
        roles[Role.VEHICLE] = [ob for ob in moving if has_role(ob, Role.VEHICLE)]
    lost = lost_crowds(members, roles[Role.CROWD])
    active = [state for state in roles[Role.STATE] if may_be_active(state)]
    movable = check_lost(lost, moving)
    of_points = [ob for ob in movable if has_role(ob, Role.POINTS)]
    check_points(of_points)
    yield
    of_objects = [ob for ob in movable if ob not in of_points]
    read = yield from object_vehicles(scene, of_objects, first, last, replace_own_keys, adds_nothing, active)
    yield
    picked = picked_identities(objects)
    source, identities, empty = _with_points(read, of_points, scene, first, picked, adds_nothing=adds_nothing)
    crowds = _crowd_objects(members, source, moving, {missing.crowd for missing in lost}, active)
    check_crowds(crowds)
    check_curves(roles[Role.PATH], Role.PATH)
    check_curves([ob for ob in roles[Role.FLOW] if ob.type != "MESH"], Role.FLOW)
    numbers = state_numbers(roles[Role.STATE])
    states = states_of(active, crowds, numbers)
    triggers = triggers_of(roles, states, scene, set(objects))
    check_targets([*crowds, *states], scene, objects)
    marks = marks_in_use(roles[Role.MARK])
    check_marks(marks, scene, map(full_name, objects))
    return Cast(
        scene=scene,
        objects=objects,
        roles=roles,
        first=first,
        last=last,
        wanted=set(moving),
        lost=lost,
        source=source,
        identities=identities,
        empty=empty,
        crowds=crowds,
        numbers=numbers,
        states=states,
        triggers=triggers,
        marks=marks,
    )


def _with_points(
    of_objects: tuple[ObjectVehicles, np.ndarray],
    of_points: Sequence[Object],
    scene: Scene,
    first: int,
    picked: Mapping[Object | None, np.ndarray],
    *,
    adds_nothing: bool,
) -> tuple[VehicleSource, np.ndarray, list[Object]]:
    """Join the vehicles that are objects with the points of objects, but for those in `picked`: the source, identities
    (n,) rising, and the objects without points. Refused if a point cannot be used, or there is no vehicle at all."""
    sources: list[tuple[VehicleSource, np.ndarray]] = [of_objects] if len(of_objects[1]) else []
    empty, known = [], of_objects[1]
    for ob, points in sources_of_points(of_points, scene, first, known, picked, adds_nothing=adds_nothing):
        if len(points[1]):
            sources.append(points)
        else:
            empty.append(ob)
    if not sources:
        raise Refusal(f"{no_points(empty)}.", about=empty)
    return (*join_sources(sources), empty)


def no_points(objects: Sequence[Object]) -> str:
    """A sentence without final stop on objects that are tagged as points but have none."""
    verb = "has" if len(objects) == 1 else "have"
    names = list_names([ob.name for ob in objects])
    return f"{names} {verb} no points that could be vehicles. Add vertices, or let a modifier scatter points"


def _crowd_objects(
    members: list[Object],
    vehicles: VehicleSource,
    moving: Iterable[Object],
    lost: Collection[Object | None],
    states: Sequence[Object],
) -> list[Object]:
    """The crowds of all vehicles, moved or not, and those that behaviors of these or of one another point at, also in
    a state.

    Objects pointed at that are not crowds are left out, to be refused by name. `lost`: crowds that are not in the
    scene, which count only if they are pointed at; `states`: those that may be active.
    """
    known = set(moving)
    locked_crowds = crowds_of(ob for ob in members if ob not in known)
    waiting = [*set(vehicles.crowds), *(crowd for crowd in locked_crowds if crowd is not None and crowd not in lost)]
    crowds: set[Object] = set()
    while waiting:
        crowd = waiting.pop()
        if crowd not in crowds:
            crowds.add(crowd)
            holders = (crowd, *(state for state in states if crowd_of(state) == crowd))
            pointed = (target.ob for ob in holders for target in pointers_of(ob) if target.kind is Kind.CROWD)
            waiting.extend(ob for ob in pointed if has_role(ob, Role.CROWD))
    return by_name(crowds)


def reason(crowd: Object | None) -> str:
    """The problem of a crowd that is not in the scene of its vehicles; empty if there is no such object."""
    if crowd is None:
        return ""
    if not has_role(crowd, Role.CROWD):
        return f"{crowd.name} is no longer tagged as a crowd"
    return f"The crowd {crowd.name} is not in this scene"


def lost_crowds(vehicles: Iterable[Object], crowds: Iterable[Object]) -> list[LostCrowd]:
    """The crowds of vehicles that are not among the crowds of the scene, by name; first those without any crowd."""
    present, members = set(crowds), {}
    for ob in vehicles:
        crowd = pointed_at(ob.steering, "crowd")
        if crowd not in present:
            members.setdefault(crowd, []).append(ob)
    order = sorted(members, key=lambda crowd: "" if crowd is None else crowd.name_full)
    return [LostCrowd(crowd, tuple(members[crowd])) for crowd in order]


def check_lost(lost: Sequence[LostCrowd], moving: Iterable[Object]) -> list[Object]:
    """The vehicles to move that have a crowd. Refused if there are none."""
    crowdless = {ob for missing in lost for ob in missing.vehicles}
    movable = [ob for ob in moving if ob not in crowdless]
    if not movable:
        for missing in lost:
            check_vehicle(missing.vehicles[0])
        raise Refusal(f"{lost[0].reason}. {REMEDY}.")
    return movable


def lost_warnings(lost: Iterable[LostCrowd]) -> Iterator[str]:
    """A warning for each lost crowd, with the vehicles that stay unbaked."""
    for missing in lost:
        unbaked = f" Not baked: {missing.names}." if missing.crowd is not None else " Not baked."
        yield f"{missing.reason}.{unbaked} {REMEDY}."
