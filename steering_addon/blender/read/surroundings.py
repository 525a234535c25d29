"""The surroundings of a run: the objects that its vehicles react to."""

from collections.abc import Iterable
from dataclasses import dataclass

from bpy.types import Object

from ...simulation.declaration import POINTERS, Kind
from ...simulation.roles import Role
from ..clips.crowd_clips import looked_at
from ..moving import locomotion_of
from ..objects.tagged_objects import full_name
from ..properties import pointed_at
from ..refusal import check_choices
from .cast import Cast
from .checks import check_surfaces
from .links import GuideSource, check_links, guides_of, path_of_signal, with_ends
from .marks import ground_of
from .mind_sources import watched_objects, watched_regions
from .sources import BodySource, Pointer, behaviors_of, by_name, carrier_of, pointers_of
from .target_groups import Several, several_of, stood_on
from .vehicles import VehicleSource

TARGETS = (Role.LEADER, Role.RESOURCE, Role.VEHICLE)
"""Roles of the bodies that behaviors find without a pointer."""


@dataclass(frozen=True)
class Scenery:
    """The objects that the vehicles of a run react to, in a fixed order.

    Attributes:
        bodies: the possible targets besides the vehicles, whose target rows they continue.
        paths: the tagged curves, and those that behaviors point at.
        regions: the spheres, boxes and meshes to keep to.
        formations: the meshes whose vertices are places of followers.
        surfaces: what vehicles stand on; empty if none of them stands on surfaces.
        links: what joins places of these, likewise.
        stood_on: the objects of bodies on which vehicles may come down.
    """

    bodies: tuple[BodySource, ...] = ()
    obstacles: tuple[BodySource, ...] = ()
    paths: tuple[Object, ...] = ()
    regions: tuple[Object, ...] = ()
    flows: tuple[Object, ...] = ()
    formations: tuple[Object, ...] = ()
    surfaces: tuple[Object, ...] = ()
    links: tuple[Object, ...] = ()
    signals: tuple[Object, ...] = ()
    guides: tuple[GuideSource, ...] = ()
    stood_on: tuple[Object, ...] = ()


@dataclass(frozen=True)
class Surroundings:
    """The scenery of a run, targets with several bodies, shapes of marks, and objects that only heads look at."""

    scenery: Scenery
    several: list[Several]
    shapes: list[Object]
    only_seen: list[Object]

    @property
    def spread_out(self) -> list[Object]:
        """The objects of which more than the place counts."""
        seen = self.scenery
        objects = *seen.paths, *seen.regions, *seen.flows, *seen.formations, *seen.surfaces, *with_ends(seen.links)
        return [*objects, *seen.signals, *self.shapes]

    @property
    def looked_at(self) -> list[Object]:
        return [*self.spread_out, *(body.ob for body in (*self.scenery.bodies, *self.scenery.obstacles))]


def surroundings_of(cast: Cast) -> Surroundings:
    """The surroundings of a cast. Raises Refusal for a surface or a setting that cannot be used."""
    roles, scene, objects, source = cast.roles, cast.scene, cast.objects, cast.source
    rows = rows_of_vehicles(source)
    pointers = [pointer for holder in cast.holders for pointer in pointers_of(holder)]
    pointed = {kind: [pointer for pointer in pointers if pointer.kind is kind] for kind in POINTERS}
    several = [goal for holder in cast.holders for goal in several_of(holder, behaviors_of(holder), scene, objects)]
    watched = watched_objects(cast.triggers, set(objects))
    obstacles = tuple(BodySource(ob, carrier_of(ob, rows)) for ob in roles[Role.OBSTACLE])
    pointed_regions = [pointer.ob for pointer in pointed[Kind.REGION]]
    regions = by_name([*roles[Role.REGION], *pointed_regions, *watched_regions(cast.triggers)])
    check_choices([*(source.ob for source in obstacles), *regions])
    stand = any(locomotion_of(crowd).stands for crowd in set(source.crowds))
    stand |= any(kind.stands for kind in source.own_locomotions.values())
    surfaces = roles[Role.SURFACE] if stand else []
    check_surfaces(surfaces)
    links = roles[Role.LINK] if stand else []
    check_links(links, scene, objects)
    grounds = [ground for ob in cast.marks if (ground := ground_of(ob)) is not None]
    bodies = _bodies(roles, pointed[Kind.BODY], several, rows, [*watched, *cast.marks, *grounds])
    curves = (path_of_signal(ob) for ob in roles[Role.SIGNAL])
    pointed_paths = [*(pointer.ob for pointer in pointed[Kind.PATH]), *(ob for ob in curves if ob in set(objects))]
    known = {*rows, *(body.name for body in bodies)}
    head_targets = dict.fromkeys(ob for holder in cast.holders if (ob := looked_at(holder)) in set(objects))
    only_seen = [BodySource(ob, carrier_of(ob, rows)) for ob in head_targets if full_name(ob) not in known]
    scenery = Scenery(
        bodies=tuple(sorted((*bodies, *only_seen), key=lambda body: body.name)),
        obstacles=obstacles,
        paths=tuple(dict.fromkeys([*roles[Role.PATH], *pointed_paths])),
        regions=tuple(regions),
        flows=tuple(roles[Role.FLOW]),
        formations=tuple(by_name(pointer.ob for pointer in pointed[Kind.SHAPE])),
        surfaces=tuple(surfaces),
        links=tuple(links),
        signals=tuple(roles[Role.SIGNAL]),
        guides=guides_of(source, rows, scene, {full_name(ob) for ob in objects}),
        stood_on=(*stood_on(cast.holders, several, watched, roles), *grounds),
    )
    shapes = [shape for ob in cast.marks if (shape := pointed_at(ob.steering.mark, "shape")) is not None]
    return Surroundings(scenery, several, shapes, [body.ob for body in only_seen])


def rows_of_vehicles(source: VehicleSource) -> dict[str, int]:
    """The row of each vehicle that is an object, by its full name."""
    return {full_name(ob): row for ob, row in zip(source.objects, source.object_rows.tolist())}


def rows_of(objects: Iterable[Object]) -> dict[str, int]:
    """The row of each object, by its full name."""
    return {full_name(ob): row for row, ob in enumerate(objects)}


def rows_of_bodies(source: VehicleSource, bodies: Iterable[BodySource]) -> dict[str, int]:
    """The row of each body by name: of the vehicles of a run that are objects, and of the others after all vehicles."""
    rows = {body.name: len(source) + k for k, body in enumerate(bodies)}
    return {**rows_of_vehicles(source), **rows}


def _bodies(
    roles: dict[Role, list[Object]],
    targets: list[Pointer],
    several: list[Several],
    rows: dict[str, int],
    watched: list[Object],
) -> tuple[BodySource, ...]:
    """Leaders, resources, targets, what triggers watch for and the vehicles that the run does not move, by name."""
    sources = {full_name(ob): (ob, "") for role in TARGETS for ob in roles[role]}
    sources |= {full_name(ob): (ob, "") for goal in several for ob in goal.objects}
    sources |= {full_name(ob): (ob, "") for ob in watched}
    sources |= {target.name: (target.ob, target.bone) for target in targets}
    ordered = (sources[name] for name in sorted(set(sources) - set(rows)))
    return tuple(BodySource(ob, carrier_of(ob, rows), bone) for ob, bone in ordered)
