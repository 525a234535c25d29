"""What is drawn over a scene: its obstacles, regions and curves as the simulation has them, and the selected vehicles.

Worked out when something changes, so that drawing only hands it to the graphics card.
"""

from __future__ import annotations

import colorsys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from ...behaviors import CATALOGUE
from ...simulation.arrays.vectors import cross, magnitude, unit
from ...simulation.declaration import Kind
from ...simulation.geometry.obstacles import MESH, ROUND, Obstacles
from ...simulation.geometry.painted_flows import Current
from ...simulation.geometry.paths import Spline, spline
from ...simulation.geometry.regions import BOX, SPHERE, Regions
from ...simulation.geometry.regions import MESH as REGION_MESH
from ...simulation.roles import Role
from ..properties import has_role, pointed_at, settings_of
from ..read.curves import sketched
from ..read.flow_meshes import CurrentReader
from ..read.local_space import AXIS_NAMES, model_axes
from ..read.plan import scenery
from ..read.reading import Reader
from ..read.sources import behaviors_of
from ..refusal import Refusal
from ..tagged_objects import crowd_of, full_name
from .aims import Aim, aims_of
from .strokes import arrows, box, drawn_out, ellipsoid, painted, rings, spine, surface, tube, way_marks
from .tracks import Tracks

if TYPE_CHECKING:
    from bpy.types import Depsgraph, Object, Scene, ViewLayer

    from .requests import Request

USUAL = frozenset({"FRONT", "TARGETS", "PATHS", "OBSTACLES", "REGIONS"})
"""What is shown where nobody has chosen yet; as the property has it."""
MOST = 200
"""So many of the selected vehicles are drawn on, and so many of the chains of a mesh are drawn."""
FRONT = (1.0, 0.78, 0.2, 0.9)
SIZE = (1.0, 0.78, 0.2, 0.35)
VELOCITY = (0.35, 0.95, 0.45, 0.9)
TARGET = (1.0, 0.5, 0.85, 0.6)
PAST, FUTURE = (0.45, 0.65, 1.0), (1.0, 0.65, 0.35)
PATH = (0.3, 0.7, 1.0, 0.8)
WIDTH = (0.3, 0.7, 1.0, 0.22)
FLOW = (0.3, 0.95, 0.85, 0.8)
OBSTACLE = (1.0, 0.35, 0.25, 0.6)
REGION = (0.7, 0.65, 1.0, 0.6)
STEERING = (1.0, 1.0, 1.0, 1.0)
REGION_SHAPES = {SPHERE: ellipsoid, BOX: box}
"""How regions are drawn that are no meshes."""
LONGEST = 6.0
"""An arrow for the strongest force a vehicle has is so many of its radii long."""
MARK, EDGE_MARK = 0.02, 0.06
"""Direction marks of a curve by its length, and of a chain of edges, of which there are more and shorter ones."""


@dataclass(frozen=True)
class Cast:
    """Who is drawn: the visible things of a scene, and those vehicles that are selected or whose crowd is.

    Attributes:
        axes: (n, 3, 3) the side, forward and up of each vehicle's model in its own space, as columns.
        radius: (n,) metres.
        aims: what their behaviors steer by.
        things: reads the obstacles and regions, which it has measured.
        currents: reads the meshes that draw currents.
        measured: what they have measured, by full name, and as what.
        tubes: how far aside of each path is still on it, by its full name.
    """

    vehicles: list[Object]
    axes: np.ndarray
    radius: np.ndarray
    aims: list[Aim]
    paths: list[Object]
    flows: list[Object]
    things: Reader
    currents: list[CurrentReader]
    measured: dict[str, tuple[str, ...]]
    tubes: dict[str, float]

    def shown(self, depsgraph: Depsgraph) -> Cast:
        """The same without the vehicles that are hidden at the moment, or shrunk to nothing by a preview."""
        sizes = [abs(ob.evaluated_get(depsgraph).matrix_world.determinant()) for ob in self.vehicles]
        there = [size > 0.0 and not ob.hide_viewport for ob, size in zip(self.vehicles, sizes)]
        if all(there):
            return self
        rows = np.flatnonzero(there)
        aims = [aim.among(rows) for aim in self.aims]
        return replace(
            self,
            vehicles=[self.vehicles[row] for row in rows.tolist()],
            axes=self.axes[rows],
            radius=self.radius[rows],
            aims=[aim for aim in aims if len(aim.rows)],
        )


@dataclass
class Picture:
    """Lines with their colors: those that things in front hide, and those that nothing hides; and a legend."""

    hidden: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)
    open: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)
    legend: list[tuple[str, tuple[float, ...]]] = field(default_factory=list)

    def add(self, points: np.ndarray, color, *, on_top: bool = False) -> None:
        """Add pairs of points (2k, 3), of one color or of a color (2k, 4) each."""
        if len(points):
            colors = np.broadcast_to(np.asarray(color, dtype=np.float32), (len(points), 4))
            (self.open if on_top else self.hidden).append((np.asarray(points, dtype=np.float32), colors))


def shown(scene: Scene) -> frozenset[str]:
    """What is to be drawn of a scene."""
    stored = settings_of(scene)
    if stored is None:
        return USUAL
    return frozenset(stored.overlay) if stored.show_overlay else frozenset()


def cast(scene: Scene, layer: ViewLayer, before: Cast | None = None) -> Cast:
    """Who there is to be drawn now.

    Args:
        before: who there was, if none of its things has changed its shape since: they are not measured again.
    """
    there: dict[Role, list[Object]] = {role: [] for role in Role}
    for ob in layer.objects:
        if ob is not None and (stored := settings_of(ob)) is not None:
            for name in stored.roles:
                there[Role[name]].append(ob)

    def visible(role: Role) -> list[Object]:
        return [ob for ob in there[role] if ob.visible_get(view_layer=layer)]

    vehicles = list(islice(_chosen(layer, there[Role.VEHICLE]), MOST))
    paths, obstacles, regions = visible(Role.PATH), visible(Role.OBSTACLE), visible(Role.REGION)
    flows = visible(Role.FLOW)
    currents = [ob for ob in flows if ob.type == "MESH"]
    measured = {full_name(ob): _measured_as(ob) for ob in (*obstacles, *regions, *currents)}
    same = before is not None and before.measured == measured
    return Cast(
        vehicles=vehicles,
        axes=np.array([_axes(ob) for ob in vehicles]).reshape(-1, 3, 3),
        radius=np.array([_radius(ob) for ob in vehicles]),
        aims=aims_of(vehicles, scene, there),
        paths=[ob for ob in paths if ob.type == "CURVE"],
        flows=[ob for ob in flows if ob.type == "CURVE"],
        things=before.things if same else Reader(scenery(scene, obstacles, regions)),
        currents=before.currents if same else [CurrentReader(ob) for ob in currents],
        measured=measured,
        tubes=_tubes(there[Role.CROWD], paths),
    )


def _measured_as(ob: Object) -> tuple[str, ...]:
    """What of an object's settings its measures hang on."""
    own = ob.steering
    return (*sorted(own.roles), own.obstacle_shape, own.obstacle_side, own.region_shape, own.flow_attribute)


def _chosen(layer: ViewLayer, vehicles: list[Object]) -> Iterator[Object]:
    """The visible vehicles that are selected or whose crowd is."""
    selected = [ob for ob in layer.objects.selected if ob is not None and settings_of(ob) is not None]
    crowds = {ob for ob in selected if has_role(ob, Role.CROWD)}
    themselves = set(selected)
    for ob in vehicles if crowds else [ob for ob in selected if has_role(ob, Role.VEHICLE)]:
        if (ob in themselves or pointed_at(ob.steering, "crowd") in crowds) and ob.visible_get(view_layer=layer):
            yield ob


def picture(
    scene: Scene, depsgraph: Depsgraph, who: Cast, tracks: Tracks, requests: list[Request], wanted: frozenset[str]
) -> Picture:
    """What to draw at the frame that the depsgraph stands on."""
    drawn = Picture()
    if wanted & {"OBSTACLES", "REGIONS"}:
        _things(drawn, depsgraph, who, wanted)
    if "PATHS" in wanted:
        _curves(drawn, depsgraph, who)
        _currents(drawn, depsgraph, who)
    if wanted & {"FRONT", "VELOCITY", "TARGETS", "TRAILS"} and (there := who.shown(depsgraph)).vehicles:
        _vehicles(drawn, scene, depsgraph, there, tracks, wanted)
    if "FORCES" in wanted:
        _requests(drawn, requests)
    return drawn


def _things(drawn: Picture, depsgraph: Depsgraph, who: Cast, wanted: frozenset[str]) -> None:
    try:
        snapshot = who.things.read(depsgraph, depsgraph.scene.frame_current).snapshot
    except Refusal:
        # A bake says what is wrong; here there is only nothing to be seen of it.
        return
    obstacles, regions = snapshot.obstacles, snapshot.regions
    for row in np.flatnonzero(obstacles.present).tolist() if "OBSTACLES" in wanted else ():
        drawn.add(_obstacle(obstacles, row), OBSTACLE)
    for row in np.flatnonzero(regions.present).tolist() if "REGIONS" in wanted else ():
        drawn.add(_region(regions, row), REGION)


def _region(regions: Regions, row: int) -> np.ndarray:
    """Where a region ends."""
    centre, axes = regions.centre[row], regions.axes[row]
    if regions.shape[row] == REGION_MESH:
        return np.einsum("ka,ab->kb", surface(regions.mesh[row]), axes) + centre
    return REGION_SHAPES[int(regions.shape[row])](centre, axes * regions.half[row][:, None])


def _obstacle(obstacles: Obstacles, row: int) -> np.ndarray:
    """What vehicles take for the surface of an obstacle."""
    start, axes = obstacles.start[row], obstacles.axes[row]
    if obstacles.shape[row] == ROUND:
        return drawn_out(start, obstacles.end[row], float(obstacles.radius[row]))
    if obstacles.shape[row] == MESH:
        return np.einsum("ka,ab->kb", surface(obstacles.mesh[row]), axes) + start
    return box(start, axes * obstacles.half[row][:, None])


def _curves(drawn: Picture, depsgraph: Depsgraph, who: Cast) -> None:
    for ob, color in (*((path, PATH) for path in who.paths), *((flow, FLOW) for flow in who.flows)):
        for points, closed in sketched(ob, depsgraph):
            if not np.isfinite(points).all():
                continue
            course = spline(points, closed)
            radius = who.tubes.get(full_name(ob), 0.0) if color is PATH else 0.0
            _course(drawn, course, 0.5 * radius or MARK * course.length, color)
            if radius > 0.0:
                drawn.add(tube(course, radius), WIDTH)


def _currents(drawn: Picture, depsgraph: Depsgraph, who: Cast) -> None:
    for reader in who.currents:
        try:
            flow = reader.read(depsgraph)
        except Refusal:
            # A bake says what is wrong; here there is only nothing to be seen of it.
            continue
        if isinstance(flow, Current):
            drawn.add(painted(flow), FLOW)
            continue
        for course in flow[:MOST]:
            _course(drawn, course, EDGE_MARK * course.length, FLOW)


def _course(drawn: Picture, course: Spline, mark: float, color: tuple[float, ...]) -> None:
    """A line and which way it goes."""
    drawn.add(spine(course), color)
    drawn.add(way_marks(course, mark), color)


def _vehicles(
    drawn: Picture, scene: Scene, depsgraph: Depsgraph, who: Cast, tracks: Tracks, wanted: frozenset[str]
) -> None:
    frame, frame_time = scene.frame_current, scene.render.fps_base / scene.render.fps
    matrices = np.array([ob.evaluated_get(depsgraph).matrix_world for ob in who.vehicles])
    place, radius = matrices[:, :3, 3], who.radius[:, None]
    side, forward, up = (unit(np.einsum("nab,nb->na", matrices[:, :3, :3], who.axes[:, :, k])) for k in range(3))
    if "FRONT" in wanted:
        drawn.add(arrows(place + forward * radius, forward * radius, side), FRONT, on_top=True)
        # A fin on the back tells the top from the bottom.
        fins = np.stack((place + up * radius, place + up * 1.4 * radius), axis=1)
        drawn.add(fins.reshape(-1, 3), FRONT, on_top=True)
        drawn.add(rings(place, side * radius, forward * radius), SIZE, on_top=True)
    if "VELOCITY" in wanted:
        known = [tracks.velocity(ob, depsgraph, frame, frame_time) for ob in who.vehicles]
        rows = [row for row, velocity in enumerate(known) if velocity is not None and magnitude(velocity[None])[0] > 0]
        if rows:
            ways = np.array([known[row] for row in rows])
            drawn.add(arrows(place[rows], ways, _aside(ways)), VELOCITY, on_top=True)
    if "TRAILS" in wanted:
        stored = settings_of(scene)
        length = stored.trail_length if stored else 24
        for ob in who.vehicles:
            frames, places = tracks.between(ob, depsgraph, frame - length, frame + length)
            _trail(drawn, frames, places, frame, length)
    if "TARGETS" in wanted:
        for aim in who.aims:
            goals = aim.goals(place, depsgraph)
            drawn.add(np.stack((place[aim.rows], goals), axis=1).reshape(-1, 3), TARGET, on_top=True)


def _trail(drawn: Picture, frames: np.ndarray, places: np.ndarray, frame: int, length: int) -> None:
    """A line through places, fading away from the present."""
    if len(frames) < 2:
        return
    joined = np.flatnonzero(np.diff(frames) == 1)
    pairs = np.stack((joined, joined + 1), axis=1).ravel()
    away = frames[pairs] - frame
    colors = np.empty((len(pairs), 4))
    colors[:, :3] = np.where((away <= 0)[:, None], PAST, FUTURE)
    # The piece that leaves the present is part of what comes.
    colors[1::2, :3] = np.where((frames[joined] >= frame)[:, None], FUTURE, PAST)
    colors[::2, :3] = colors[1::2, :3]
    colors[:, 3] = 0.9 - 0.8 * np.abs(away) / (length + 1.0)
    drawn.add(places[pairs], colors, on_top=True)


def _requests(drawn: Picture, requests: list[Request]) -> None:
    asked = {name for request in requests for name in request.by_behavior}
    used = [kind for kind in CATALOGUE if kind.name in asked]
    color_of = {kind.name: _color(row / len(used)) for row, kind in enumerate(used)} | {"": STEERING}
    for request in requests:
        for name, force in (*request.by_behavior.items(), ("", request.together)):
            share = force / max(request.strongest, 1e-9)
            length = float(magnitude(share[None])[0])
            if length > 1e-6:
                way = (share * (min(length, 1.5) / length) * LONGEST * request.radius)[None]
                drawn.add(arrows(request.place[None], way, _aside(way)), color_of[name], on_top=True)
    drawn.legend = [(kind.label, color_of[kind.name]) for kind in used]
    if requests:
        drawn.legend.append(("Together", STEERING))


def _color(hue: float) -> tuple[float, ...]:
    return (*colorsys.hsv_to_rgb(hue, 0.65, 1.0), 1.0)


def _tubes(crowds: list[Object], paths: list[Object]) -> dict[str, float]:
    """The widest that any crowd takes each path for, metres."""
    widths: dict[str, float] = {}
    for crowd in crowds:
        for behavior in behaviors_of(crowd):
            if not behavior.width:
                continue
            group = getattr(crowd.steering, behavior.name)
            pointed = [
                ob
                for name, parameter in behavior.parameters().items()
                if parameter.kind is Kind.PATH and (ob := pointed_at(group, name)) is not None
            ]
            for ob in pointed or paths:
                name = full_name(ob)
                widths[name] = max(widths.get(name, 0.0), getattr(group, behavior.width))
    return widths


def _axes(ob: Object) -> np.ndarray:
    own = ob.steering
    if own.forward_axis[-1] == own.up_axis[-1]:
        return np.eye(3)
    return model_axes(AXIS_NAMES[own.forward_axis], AXIS_NAMES[own.up_axis])


def _radius(ob: Object) -> float:
    crowd = crowd_of(ob)
    return (crowd.steering.vehicle.radius if crowd is not None else 0.5) * ob.steering.size_factor


def _aside(ways: np.ndarray) -> np.ndarray:
    """Unit vectors square to vectors, level where that can be."""
    level = cross(ways, np.broadcast_to((0.0, 0.0, 1.0), ways.shape))
    return unit(np.where((magnitude(level) < 1e-6 * magnitude(ways))[:, None], (1.0, 0.0, 0.0), level))
