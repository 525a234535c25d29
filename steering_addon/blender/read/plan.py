"""The plan of a run: everything it reads, checked before anything is touched.

Every refusal comes from `checks`, or from the first value read that is not a number; once made, a plan is carried out.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ...portrayal.driver_properties import Portrayal
from ...settings.stored import MOST_SUBSTEPS
from ...simulation.arrays.chance import keys_of_vehicles, numbers_of_vehicles
from ...simulation.candidates import FIRST, Candidates
from ...simulation.declaration import CAUSE, NEAREST, POINTERS, Kind, Parameter
from ...simulation.roles import Role
from ..moving import locomotion_of
from ..objects.identity import distinct_identities
from ..objects.mind_numbers import state_numbers
from ..objects.tagged_objects import by_role, crowd_of, crowds_of, full_name, in_use
from ..properties import has_role, pointed_at, settings_of
from ..property_groups import values_of
from ..stored_values import check_choices, finite_numbers
from .checks import (
    check_crowds,
    check_curves,
    check_independent,
    check_moving,
    check_range,
    check_surfaces,
    check_targets,
    warnings_of,
)
from .dependencies import plays_physics, reads_scene, reads_vehicle_above, with_all_behind
from .entry_settings import own_enter_frame
from .guides import GuideSource, guides_of
from .lost_crowds import check_lost, lost_crowds, lost_warnings
from .marks import MarkSource, check_marks, mark_sources, mark_warnings, marks_in_use
from .mind_sources import (
    StateSource,
    TriggerSource,
    state_properties,
    state_source,
    states_of,
    trigger_source,
    triggers_of,
    watched_objects,
    watched_regions,
)
from .object_vehicles import ObjectVehicles, no_objects, object_vehicles
from .resources import check_hiding, feeds
from .sources import (
    BodySource,
    CrowdSource,
    Pointer,
    behaviors_of,
    by_name,
    carrier_of,
    pointers_of,
    portrays,
)
from .target_groups import Several, several_of
from .target_problems import target_warnings
from .vehicles import Vehicles

if TYPE_CHECKING:
    from bpy.types import Object, Scene

LONGEST_STEP = 0.05
"""Seconds. In a longer step a vehicle with its full force comes further than it keeps away from obstacles."""
TARGETS = (Role.LEADER, Role.RESOURCE, Role.VEHICLE)
"""Roles of the bodies that behaviors find without a pointer."""


@dataclass(frozen=True)
class Plan:
    """Everything that a run reads, in a fixed order.

    Attributes:
        scene: the scene that is read.
        frames: (f,) whole frames, rising.
        frame_time: seconds per frame.
        substeps: steps of the simulation per frame.
        seed: the scene's.
        vehicles: the vehicles that move, by identity.
        crowds: the crowds, by name.
        bodies: the other possible targets; their target rows continue those of the vehicles.
        obstacles: the tagged obstacles.
        paths: the tagged curves, and those that behaviors point at.
        regions: the spheres, boxes and meshes to keep to.
        flows: the curves and meshes that draw currents.
        surfaces: what vehicles stand on; empty if none of them stands on surfaces.
        candidates: the bodies of which each vehicle takes one, for each target that names several.
        in_users_scene: whether only the scene itself gives the right values (drivers that read it, physics).
        warnings: what the animator should know although the bake can go ahead.
        states: the states of the crowds, by crowd and by name.
        triggers: what calls vehicles into them.
        guides: what leads vehicles by hand.
        marks: what vehicles are to meet.
    """

    scene: Scene
    frames: np.ndarray
    frame_time: float
    substeps: int
    seed: int
    vehicles: Vehicles
    crowds: tuple[CrowdSource, ...]
    bodies: tuple[BodySource, ...]
    obstacles: tuple[BodySource, ...]
    paths: tuple[Object, ...]
    regions: tuple[Object, ...]
    flows: tuple[Object, ...]
    surfaces: tuple[Object, ...]
    candidates: tuple[Candidates, ...]
    in_users_scene: bool
    warnings: tuple[str, ...] = field(default=())
    states: tuple[StateSource, ...] = ()
    triggers: tuple[TriggerSource, ...] = ()
    guides: tuple[GuideSource, ...] = ()
    marks: tuple[MarkSource, ...] = ()

    def __len__(self) -> int:
        return len(self.vehicles)

    @property
    def preroll(self) -> int:
        """The number of frames simulated before the first: the longest pre-roll of its crowds."""
        return int(self.vehicles.preroll.max(initial=0))


def frame_range(scene: Scene) -> tuple[int, int]:
    """The first and last frame of the run: the scene's, unless a separate range is set."""
    stored = settings_of(scene)
    if stored is not None and stored.use_frame_range:
        return stored.frame_start, stored.frame_end
    return scene.frame_start, scene.frame_end


def plan_reading(
    scene: Scene, *, only: Iterable[Object] | None = None, replace_own_keys: bool = False, adds_nothing: bool = False
) -> Plan:
    """Plan a bake of the scene.

    Args:
        only: the vehicles to move, by default all of the scene; the others are read as they are.
        replace_own_keys: whether the vehicles' own keys may be set aside.
        adds_nothing: whether no datablock may be added, not even for a moment, as it makes Blender update the scene; a
            baked vehicle with keys of its own then starts as its baked curves lead it.

    Raises:
        Refusal: the scene cannot be baked; it is untouched.
    """
    first, last = frame_range(scene)
    check_range(scene, first, last)
    objects = in_use(scene)
    chosen = None if only is None else {full_name(ob) for ob in only}
    roles = by_role(objects)
    moving = [
        ob for ob in roles[Role.VEHICLE] if not ob.steering.locked and (chosen is None or full_name(ob) in chosen)
    ]
    check_moving(objects, roles[Role.VEHICLE], moving, selected=chosen is not None)
    wanted, lost = set(moving), lost_crowds(roles[Role.VEHICLE], roles[Role.CROWD])
    moving = check_lost(lost, moving)
    of_states = state_properties(roles[Role.STATE])
    source, identities = object_vehicles(scene, moving, first, last, replace_own_keys, adds_nothing, of_states)
    rows = _rows(source.objects)

    crowds = _crowd_objects(roles[Role.VEHICLE], source, {each.crowd for each in lost})
    check_crowds(crowds)
    check_curves(roles[Role.PATH], Role.PATH)
    flows = roles[Role.FLOW]
    check_curves([ob for ob in flows if ob.type != "MESH"], Role.FLOW)
    numbers = state_numbers(roles[Role.STATE])
    states = states_of(roles, crowds, numbers)
    triggers = triggers_of(roles, states, set(objects))
    check_targets([*crowds, *states], objects)
    marks = marks_in_use(roles[Role.MARK])
    check_marks(marks, scene, map(full_name, objects))
    pointers = [pointer for holder in (*crowds, *states) for pointer in pointers_of(holder)]
    paths = list(dict.fromkeys([*roles[Role.PATH], *(each.ob for each in pointers if each.kind is Kind.PATH)]))
    several = [each for holder in (*crowds, *states) for each in several_of(holder, behaviors_of(holder), objects)]
    targets = [each for each in pointers if each.kind is Kind.BODY]
    watched = watched_objects(triggers, set(objects))
    bodies = _bodies(roles, targets, several, rows, [*watched, *marks])
    obstacles = tuple(BodySource(ob, carrier_of(ob, rows)) for ob in roles[Role.OBSTACLE])
    pointed_regions = [each.ob for each in pointers if each.kind is Kind.REGION]
    regions = by_name([*roles[Role.REGION], *pointed_regions, *watched_regions(triggers)])
    check_choices([*(source.ob for source in obstacles), *regions])
    stand = any(locomotion_of(crowd).stands for crowd in set(source.crowds))
    stand |= any(kind.stands for kind in source.own_locomotions.values())
    surfaces = roles[Role.SURFACE] if stand else []
    check_surfaces(surfaces)
    shapes = [shape for ob in marks if (shape := pointed_at(ob.steering.mark, "shape")) is not None]
    looked_at = [*paths, *regions, *flows, *surfaces, *shapes, *(b.ob for b in bodies), *(o.ob for o in obstacles)]
    check_independent(looked_at, crowds, source.objects, rows, [*paths, *regions, *flows, *surfaces, *shapes])

    guides = guides_of(
        source.objects, source.stored["by_hand"], source.animated, rows, {full_name(ob) for ob in objects}
    )

    if any(feeds(behaviors_of(crowd)) for crowd in crowds):
        check_hiding([body.ob for body in bodies], first, last, replace_own_keys)

    stored = settings_of(scene)
    crowd_identities = distinct_identities(crowds)
    pointed_rows = {
        Kind.BODY: {**rows, **{body.name: len(rows) + k for k, body in enumerate(bodies)}},
        Kind.PATH: _rows(paths),
        Kind.REGION: _rows(regions),
        Kind.CROWD: _rows(crowds),
    }
    chosen_of = {
        (each.crowd.name_full, each.behavior, each.parameter): FIRST - number for number, each in enumerate(several)
    }
    read = [*looked_at, *crowds, *states, *triggers, *source.parents, *(each.body.ob for each in guides)]
    vehicles = _vehicles(source, identities, crowds, stored.seed if stored else 0)
    return Plan(
        scene=scene,
        frames=np.arange(first, last + 1),
        frame_time=scene.render.fps_base / scene.render.fps,
        substeps=substeps_of(scene),
        seed=stored.seed if stored else 0,
        vehicles=vehicles,
        crowds=tuple(
            _crowd_source(ob, crowd_identities[ob.name], np.flatnonzero(vehicles.crowd == row), pointed_rows, chosen_of)
            for row, ob in enumerate(crowds)
        ),
        states=tuple(
            state_source(
                _crowd_source(
                    ob,
                    0,
                    np.flatnonzero(vehicles.crowd == crowds.index(crowd_of(ob))),
                    pointed_rows,
                    chosen_of,
                ),
                states,
                crowds,
                numbers[ob],
            )
            for ob in states
        ),
        triggers=tuple(
            trigger_source(
                ob, number, states, crowds, pointed_rows[Kind.BODY], pointed_rows[Kind.REGION], roles[Role.VEHICLE]
            )
            for ob, number in triggers.items()
        ),
        guides=guides,
        marks=mark_sources(marks, scene, rows, crowds, vehicles.crowd, pointed_rows[Kind.BODY]),
        bodies=bodies,
        obstacles=obstacles,
        paths=tuple(paths),
        regions=tuple(regions),
        flows=tuple(flows),
        surfaces=tuple(surfaces),
        candidates=tuple(each.candidates(pointed_rows[Kind.BODY]) for each in several),
        in_users_scene=any(
            reads_scene(ob) or plays_physics(ob) or reads_vehicle_above(ob) for ob in with_all_behind(read)
        ),
        warnings=(
            *lost_warnings(each for each in lost if wanted & set(each.vehicles)),
            *warnings_of(zip(source.objects, source.crowds), crowds, of_states),
            *target_warnings(by_name(source.crowds), roles),
            *mark_warnings(marks, scene, first, last, source.objects, source.crowds),
        ),
    )


def substeps_of(scene: Scene) -> int:
    """The steps per frame: those that are set, times as many as keep steps from being longer than LONGEST_STEP."""
    stored = settings_of(scene)
    substeps = max(stored.substeps, 1) if stored else 1
    frame_time = scene.render.fps_base / scene.render.fps
    return min(substeps * math.ceil(frame_time / LONGEST_STEP), MOST_SUBSTEPS)


def scenery(scene: Scene, obstacles: Iterable[Object], regions: Iterable[Object]) -> Plan:
    """A plan that only reads obstacles and regions, without vehicles."""
    return Plan(
        scene=scene,
        frames=np.array([scene.frame_current]),
        frame_time=scene.render.fps_base / scene.render.fps,
        substeps=1,
        seed=0,
        vehicles=_vehicles(no_objects(), np.zeros(0, dtype=np.int64), [], 0),
        crowds=(),
        bodies=(),
        obstacles=tuple(BodySource(ob, -1) for ob in obstacles),
        paths=(),
        regions=tuple(regions),
        flows=(),
        surfaces=(),
        candidates=(),
        in_users_scene=False,
    )


def _vehicles(source: ObjectVehicles, identities: np.ndarray, crowds: list[Object], seed: int) -> Vehicles:
    """The table of the vehicles of a source, in the order of their identities (n,).

    Args:
        crowds: the crowds of the run.
        seed: the scene's.
    """
    crowd_rows = {ob: row for row, ob in enumerate(crowds)}
    stored = [ob.steering for ob in source.objects]
    seeds = np.array([settings.seed for settings in stored], dtype=np.int64)
    return Vehicles(
        source=source,
        identity=identities,
        keys=keys_of_vehicles(seed, identities, seeds),
        numbers=numbers_of_vehicles(identities, seeds),
        crowd=np.array([crowd_rows[crowd] for crowd in source.crowds], dtype=np.int64),
        enters=np.array([own_enter_frame(ob) for ob in source.objects]),
        start_speed=finite_numbers(source.objects, "start_speed"),
        preroll=np.array([crowd.steering.preroll for crowd in source.crowds], dtype=np.int64),
    )


def _crowd_objects(members: list[Object], vehicles: ObjectVehicles, lost: Collection[Object | None]) -> list[Object]:
    """The crowds of all vehicles, moved or not, and those that behaviors of these or of one another point at.

    Objects pointed at that are not crowds are left out, to be refused by name.

    Args:
        lost: crowds that are not in the scene, which count only if they are pointed at.
    """
    known = set(vehicles.objects)
    others = crowds_of(ob for ob in members if ob not in known)
    waiting = [*set(vehicles.crowds), *(crowd for crowd in others if crowd is not None and crowd not in lost)]
    crowds: set[Object] = set()
    while waiting:
        crowd = waiting.pop()
        if crowd not in crowds:
            crowds.add(crowd)
            pointed = (target.ob for target in pointers_of(crowd) if target.kind is Kind.CROWD)
            waiting.extend(ob for ob in pointed if has_role(ob, Role.CROWD))
    return by_name(crowds)


def _rows(objects: Iterable[Object]) -> dict[str, int]:
    return {full_name(ob): row for row, ob in enumerate(objects)}


def _bodies(
    roles: dict[Role, list[Object]],
    targets: list[Pointer],
    several: list[Several],
    rows: dict[str, int],
    watched: list[Object],
) -> tuple[BodySource, ...]:
    """Leaders, resources, targets, what triggers watch for and the vehicles that the run does not move, by name."""
    sources = {full_name(ob): (ob, "") for role in TARGETS for ob in roles[role]}
    sources |= {full_name(ob): (ob, "") for each in several for ob in each.objects}
    sources |= {full_name(ob): (ob, "") for ob in watched}
    sources |= {target.name: (target.ob, target.bone) for target in targets}
    ordered = (sources[name] for name in sorted(set(sources) - set(rows)))
    return tuple(BodySource(ob, carrier_of(ob, rows), bone) for ob, bone in ordered)


def _crowd_source(
    ob: Object,
    identity: int,
    rows: np.ndarray,
    pointed_rows: dict[Kind, dict[str, int]],
    chosen_of: dict[tuple[str, str, str], int],
) -> CrowdSource:
    behaviors, is_state = behaviors_of(ob), has_role(ob, Role.STATE)
    pointed = {
        (behavior.name, name): chosen_of.get(
            (ob.name_full, behavior.name, name), _left_empty(parameter, is_state=is_state)
        )
        for behavior in behaviors
        for name, parameter in behavior.parameters().items()
        if parameter.kind in POINTERS
    }
    for target in pointers_of(ob):
        pointed[target.behavior.name, target.parameter] = pointed_rows[target.kind][target.name]
    portrayal = Portrayal.of(len(rows), **values_of(Portrayal, ob.steering.portrayal)) if portrays(ob) else None
    return CrowdSource(ob, identity, rows, behaviors, pointed, portrayal)


def _left_empty(parameter: Parameter, *, is_state: bool) -> int:
    """The row for a pointer that is not set: in a state, whatever called stands for the nearest of a role."""
    default: int = parameter.default
    return (
        CAUSE if is_state and parameter.kind is Kind.BODY and default == NEAREST and not parameter.in_order else default
    )
