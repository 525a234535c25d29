"""The plan of a run: everything it reads, checked before anything is touched.

Every refusal comes from `checks`, or from the first value read that is not a number; once made, a plan is carried out.
"""

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from bpy.types import Object, Scene

from ...portrayal.driver_properties import Portrayal
from ...simulation.arrays.chance import keys_of_vehicles, numbers_of_vehicles
from ...simulation.candidates import FIRST, Candidates
from ...simulation.declaration import CAUSE, POINTERS, Kind
from ..animation.frame_rate import decides_every, frame_time_of, substeps_of
from ..objects.identity import distinct_identities
from ..objects.tagged_objects import crowd_of, set_aside
from ..pieces import in_one_go
from ..properties import scene_setting
from ..property_groups import values_of
from .cast import Cast, cast_of, lost_warnings, no_points
from .checks import check_independent, warnings_of
from .dependencies import plays_physics, reads_scene, reads_vehicle_above, with_all_behind
from .joined_vehicles import point_parts
from .marks import MarkSource, mark_sources, mark_warnings
from .mind_sources import StateSource, TriggerSource, state_source, trigger_source
from .object_vehicles import no_objects
from .sources import BodySource, CrowdSource, behaviors_of, by_name, check_hiding, feeds, pointers_of, portrays
from .surroundings import Scenery, Surroundings, rows_of, rows_of_bodies, rows_of_vehicles, surroundings_of
from .target_groups import Offered, means_cause, target_warnings
from .vehicles import Vehicles, VehicleSource


@dataclass(frozen=True, kw_only=True)
class Plan(Scenery):
    """Everything that a run reads: the scenery and the vehicles.

    Attributes:
        frames: (f,) whole frames, rising.
        frame_time: seconds per frame.
        candidates: the bodies of which each vehicle takes one, for each target that names several.
        in_users_scene: whether only the scene itself gives the right values (drivers that read it, physics).
        warnings: what the animator should know although the bake can go ahead.
        states: the states of the crowds, by crowd and by name.
    """

    scene: Scene
    frames: np.ndarray
    frame_time: float
    substeps: int
    decides_every: int
    seed: int
    vehicles: Vehicles
    crowds: tuple[CrowdSource, ...] = ()
    candidates: tuple[Candidates, ...] = ()
    in_users_scene: bool = False
    warnings: tuple[str, ...] = ()
    states: tuple[StateSource, ...] = ()
    triggers: tuple[TriggerSource, ...] = ()
    marks: tuple[MarkSource, ...] = ()

    def __len__(self) -> int:
        return len(self.vehicles)

    def body_rows(self) -> dict[str, int]:
        """The target row of each vehicle and body by its full name."""
        return rows_of_bodies(self.vehicles.source, self.bodies)

    @property
    def preroll(self) -> int:
        """The number of frames simulated before the first: the longest pre-roll of its crowds."""
        return int(self.vehicles.preroll.max(initial=0))


def plan_reading(
    scene: Scene,
    *,
    only: Iterable[Object] | None = None,
    replace_own_keys: bool = False,
    adds_nothing: bool = False,
    alone: bool = False,
) -> Plan:
    """Plan a bake of the scene. Refused if the scene cannot be baked; it is untouched.

    Args:
        only: the vehicles to move, by default all of the scene; the others are read as they are.
        replace_own_keys: whether the vehicles' own keys may be set aside.
        adds_nothing: whether no datablock may be added, not even for a moment, as it makes Blender update the
            scene; a baked vehicle with keys of its own then starts as its baked curves lead it.
        alone: whether the other vehicles are left out, but for those that behaviors point at.
    """
    return in_one_go(planning(scene, only, replace_own_keys=replace_own_keys, adds_nothing=adds_nothing, alone=alone))


def planning(
    scene: Scene, only: Iterable[Object] | None, *, replace_own_keys: bool, adds_nothing: bool, alone: bool = False
) -> Generator[None, None, Plan]:
    """As `plan_reading`, in pieces between which nothing may change."""
    cast = yield from cast_of(scene, only, replace_own_keys=replace_own_keys, adds_nothing=adds_nothing, alone=alone)
    yield
    around = surroundings_of(cast)
    rows = rows_of_vehicles(cast.source)
    vehicles = dict(zip(rows.values(), cast.source.objects))
    check_independent(around.looked_at, cast.crowds, vehicles, rows, around.spread_out, around.only_seen)
    if any(feeds(behaviors_of(holder)) for holder in cast.holders):
        check_hiding([body.ob for body in around.scenery.bodies], cast.first, cast.last, replace_own_keys)
    yield
    return _assemble(scene, cast, around)


def _assemble(scene: Scene, cast: Cast, around: Surroundings) -> Plan:
    source, crowds, states, roles, seen = cast.source, cast.crowds, cast.states, cast.roles, around.scenery
    rows = rows_of_vehicles(source)
    seed = scene_setting(scene, "seed")
    vehicles = _vehicles(source, cast.identities, crowds, seed)
    pointed_rows = {
        Kind.BODY: rows_of_bodies(source, seen.bodies),
        Kind.PATH: rows_of(seen.paths),
        Kind.REGION: rows_of(seen.regions),
        Kind.SHAPE: rows_of(seen.formations),
        Kind.CROWD: rows_of(crowds),
    }
    bodies, regions = pointed_rows[Kind.BODY], pointed_rows[Kind.REGION]
    chosen_of = {
        (goal.crowd.name_full, goal.behavior, goal.parameter): FIRST - k for k, goal in enumerate(around.several)
    }
    # A crowd may be a vehicle, too: what is stored on it is read as both.
    of_vehicles = dict(zip(source.objects, cast.identities[source.object_rows].tolist()))
    of_points = {points.ob: points.identity for points, _ in point_parts(source)}
    identities = distinct_identities(crowds, {**of_vehicles, **of_points})

    def settings_source(ob: Object, identity: int, crowd: int) -> CrowdSource:
        return _crowd_source(ob, identity, np.flatnonzero(vehicles.crowd == crowd), pointed_rows, chosen_of)

    guides = [guide.body.ob for guide in seen.guides]
    read = [*around.looked_at, *cast.holders, *cast.triggers, *source.parents, *guides]
    return Plan(
        scene=scene,
        frames=np.arange(cast.first, cast.last + 1),
        frame_time=frame_time_of(scene),
        substeps=substeps_of(scene),
        decides_every=decides_every(scene),
        seed=seed,
        vehicles=vehicles,
        crowds=tuple(settings_source(ob, identities[ob.name], row) for row, ob in enumerate(crowds)),
        states=tuple(
            state_source(settings_source(ob, 0, crowds.index(crowd_of(ob))), states, crowds, cast.numbers[ob])
            for ob in states
        ),
        triggers=tuple(
            trigger_source(ob, number, states, crowds, bodies, regions, roles, source)
            for ob, number in cast.triggers.items()
        ),
        marks=mark_sources(cast.marks, scene, rows, crowds, vehicles.crowd, bodies),
        candidates=tuple(goal.candidates(bodies, source) for goal in around.several),
        in_users_scene=any(
            reads_scene(ob) or plays_physics(ob) or reads_vehicle_above(ob) for ob in with_all_behind(read)
        ),
        warnings=tuple(_warnings(scene, cast)),
        **vars(seen),
    )


def _warnings(scene: Scene, cast: Cast) -> Iterator[str]:
    source = cast.source
    yield from lost_warnings(missing for missing in cast.lost if cast.wanted & set(missing.vehicles))
    if cast.empty:
        yield f"{no_points(cast.empty)}."
    of_objects = [source.crowds[row] for row in source.object_rows.tolist()]
    yield from warnings_of(zip(source.objects, of_objects), cast.crowds, cast.states)
    moving = set(source.crowds)
    holders = by_name({*moving, *(state for state in cast.states if crowd_of(state) in moving)})
    yield from target_warnings(holders, Offered.of(cast.roles, set_aside(scene, cast.objects)))
    yield from mark_warnings(cast.marks, scene, cast.first, cast.last, source.objects, of_objects)


def scenery(scene: Scene, obstacles: Iterable[Object], regions: Iterable[Object]) -> Plan:
    """A plan that only reads obstacles and regions, without vehicles."""
    return Plan(
        scene=scene,
        frames=np.array([scene.frame_current]),
        frame_time=frame_time_of(scene),
        substeps=1,
        decides_every=1,
        seed=0,
        vehicles=_vehicles(no_objects(), np.zeros(0, dtype=np.int64), [], 0),
        obstacles=tuple(BodySource(ob, -1) for ob in obstacles),
        regions=tuple(regions),
    )


def _vehicles(source: VehicleSource, identities: np.ndarray, crowds: list[Object], seed: int) -> Vehicles:
    """The vehicles of a source by their rising identities (n,). `crowds`: of the run; `seed`: of the scene."""
    crowd_rows = {ob: row for row, ob in enumerate(crowds)}
    crowd = np.array([crowd_rows[crowd] for crowd in source.crowds], dtype=np.int64)
    prerolls = np.array([ob.steering.preroll for ob in crowds], dtype=np.int64)
    return Vehicles(
        source=source,
        identity=identities,
        keys=keys_of_vehicles(seed, identities, source.seeds),
        numbers=numbers_of_vehicles(identities, source.seeds),
        crowd=crowd,
        enters=source.enters,
        start_speed=source.start_speed,
        preroll=prerolls[crowd],
    )


def _crowd_source(
    ob: Object,
    identity: int,
    rows: np.ndarray,
    pointed_rows: dict[Kind, dict[str, int]],
    chosen_of: dict[tuple[str, str, str], int],
) -> CrowdSource:
    behaviors = behaviors_of(ob)
    pointed = {
        (behavior.name, name): chosen_of.get(
            (ob.name_full, behavior.name, name), CAUSE if means_cause(ob, parameter) else parameter.default
        )
        for behavior in behaviors
        for name, parameter in behavior.parameters().items()
        if parameter.kind in POINTERS
    }
    for target in pointers_of(ob):
        pointed[target.behavior.name, target.parameter] = pointed_rows[target.kind][target.name]
    portrayal = Portrayal.of(len(rows), **values_of(Portrayal, ob.steering.portrayal)) if portrays(ob) else None
    return CrowdSource(ob, identity, rows, behaviors, pointed, portrayal)
