"""The lines drawn over a scene: what is in it as the simulation sees it, and the selected vehicles.

They are computed when something changes, so that a draw handler only passes them to the graphics card.
"""

import colorsys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from bpy.types import Depsgraph, Object, Scene, ViewLayer

from ...behaviors import CATALOGUE
from ...simulation.arrays.vectors import magnitude, unit
from ...simulation.behavior import Behavior
from ...simulation.declaration import Kind
from ...simulation.geometry.capsules import half_axis
from ...simulation.geometry.flows import Current
from ...simulation.geometry.obstacles import Obstacles
from ...simulation.geometry.paths import Spline, spline
from ...simulation.geometry.regions import BOX, SPHERE, Regions
from ...simulation.geometry.regions import MESH as REGION_MESH
from ...simulation.geometry.shapes import MESH, ROUND
from ...simulation.roles import Role
from ..animation.frame_rate import frame_time_of
from ..objects.doubles import doubles, model_axes
from ..objects.focus import MOST_DRAWN, drawn_vehicles
from ..objects.tagged_objects import by_role, capsule_of, crowd_of, full_name
from ..properties import pointed_at, scene_setting
from ..read.curves import sketched
from ..read.flow_meshes import CurrentReader
from ..read.links import lines_of, path_of_signal, read_signals
from ..read.plan import scenery
from ..read.reading import Reader
from ..read.sources import behaviors_of
from ..refusal import Refusal
from .aims import Aim, aims_of
from .ground import GroundLines, steepest_of
from .strokes import (
    arrows,
    box,
    capsule,
    center_line,
    direction_marks,
    ellipsoid,
    flow_arrows,
    mesh_edges,
    stadiums,
    tube,
)
from .tracks import Tints, Tracks, in_states, tints_of
from .ways import Request, WayLines

FRONT = (1.0, 0.78, 0.2, 0.9)
SIZE = (1.0, 0.78, 0.2, 0.35)
VELOCITY = (0.35, 0.95, 0.45, 0.9)
TARGET = (1.0, 0.5, 0.85, 0.6)
PAST, FUTURE = (0.45, 0.65, 1.0), (1.0, 0.65, 0.35)
PATH = (0.3, 0.7, 1.0, 0.8)
WIDTH = (0.3, 0.7, 1.0, 0.22)
FLOW = (0.3, 0.95, 0.85, 0.8)
LINK = (0.4, 0.9, 0.5, 0.9)
GREEN, RED = (0.3, 0.9, 0.4, 0.9), (1.0, 0.25, 0.2, 0.9)
OBSTACLE = (1.0, 0.35, 0.25, 0.6)
REGION = (0.7, 0.65, 1.0, 0.6)
BORDER, STEEP = (0.6, 0.9, 0.45, 0.5), (1.0, 0.4, 0.2, 0.4)
STEERING = (1.0, 1.0, 1.0, 1.0)
REGION_SHAPES = {SPHERE: ellipsoid, BOX: box}
"""The strokes for regions that are not meshes."""
LONGEST = 6.0
"""Length of the arrow for a force of max_force, in radii of the vehicle."""
MARK, EDGE_MARK, LINK_MARK = 0.02, 0.06, 0.06
"""Size of the direction marks of a curve, of an edge chain and of a link, relative to its length."""


@dataclass(frozen=True)
class Subjects:
    """The objects to draw: visible scenery, and the visible vehicles that are selected or whose crowd is.

    Attributes:
        vehicles: n objects.
        axes: (n, 3, 3) side, forward and up of each vehicle's model in object space, as columns.
        half_axis: (n,) half the length of the axis about which each body is round, metres; 0 for a sphere.
        links: curves and Empties.
        things: reads the obstacles and regions, and keeps their measurements.
        currents: read the meshes that are flows.
        steepest: radians, the slope of the steepest ground that the vehicles climb; inf without a limit.
        measured: the settings with which each object was measured, by its full name.
        tubes: the radius of each path in metres, by its full name.
        lanes: the lanes beside each path, as of `Behavior.lanes_beside`, by its full name.
        states: (n,) the states that each vehicle may be in.
        ways: where the vehicles can walk; found apart, as that takes longer.
    """

    vehicles: list[Object]
    axes: np.ndarray
    radius: np.ndarray
    half_axis: np.ndarray
    aims: list[Aim]
    paths: list[Object]
    flows: list[Object]
    links: list[Object]
    signals: list[Object]
    things: Reader
    currents: list[CurrentReader]
    ground: GroundLines
    steepest: float
    measured: dict[str, tuple[str, ...]]
    tubes: dict[str, float]
    lanes: dict[str, tuple[tuple[float, int], ...]]
    states: list[Tints]
    ways: WayLines = WayLines()

    def without_hidden(self, depsgraph: Depsgraph) -> "Subjects":
        """The cast without vehicles that are hidden, or scaled to zero by a preview."""
        sizes = [abs(ob.evaluated_get(depsgraph).matrix_world.determinant()) for ob in self.vehicles]
        is_shown = [size > 0.0 and not ob.hide_viewport for ob, size in zip(self.vehicles, sizes)]
        if all(is_shown):
            return self
        rows = np.flatnonzero(is_shown)
        aims = [aim.among(rows) for aim in self.aims]
        return replace(
            self,
            vehicles=[self.vehicles[row] for row in rows.tolist()],
            axes=self.axes[rows],
            radius=self.radius[rows],
            half_axis=self.half_axis[rows],
            aims=[aim for aim in aims if len(aim.rows)],
            states=[self.states[row] for row in rows.tolist()],
        )


@dataclass
class Picture:
    """Colored lines, `hidden` behind objects or `open` on top of everything, and a legend."""

    hidden: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)
    open: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)
    legend: list[tuple[str, tuple[float, ...]]] = field(default_factory=list)

    def add(self, points: np.ndarray, color, *, on_top: bool = False) -> None:
        """Add line segments, pairs of points (2k, 3), with a single color or a color for each point (2k, 4)."""
        if len(points):
            colors = np.broadcast_to(np.asarray(color, dtype=np.float32), (len(points), 4))
            (self.open if on_top else self.hidden).append((np.asarray(points, dtype=np.float32), colors))


def enabled_items(scene: Scene) -> frozenset[str]:
    """The items of the overlay that are switched on for the scene."""
    return frozenset(scene_setting(scene, "overlay") if scene_setting(scene, "show_overlay") else ())


def find_cast(scene: Scene, layer: ViewLayer, previous: Subjects | None = None) -> Subjects:
    """Find the objects to draw; `previous`: the last cast, if none of its objects has changed its shape since. Its
    measurements are reused."""
    roles = by_role(ob for ob in layer.objects if ob is not None)

    def visible(role: Role) -> list[Object]:
        return [ob for ob in roles[role] if ob.visible_get(view_layer=layer)]

    vehicles = drawn_vehicles(layer, roles[Role.VEHICLE])
    paths, obstacles, regions = visible(Role.PATH), visible(Role.OBSTACLE), visible(Role.REGION)
    flows, surfaces = visible(Role.FLOW), visible(Role.SURFACE)
    currents = [ob for ob in flows if ob.type == "MESH"]
    measured = {full_name(ob): _measured_as(ob) for ob in (*obstacles, *regions, *currents, *surfaces)}
    reusable = previous is not None and previous.measured == measured
    radius, length = np.array([_capsule(ob) for ob in vehicles]).reshape(-1, 2).T
    return Subjects(
        vehicles=vehicles,
        axes=np.array([_axes(ob) for ob in vehicles]).reshape(-1, 3, 3),
        radius=radius,
        half_axis=half_axis(radius, length),
        aims=aims_of(vehicles, scene, roles, layer.depsgraph),
        paths=[ob for ob in paths if ob.type == "CURVE"],
        flows=[ob for ob in flows if ob.type == "CURVE"],
        links=visible(Role.LINK),
        signals=visible(Role.SIGNAL),
        things=previous.things if reusable else Reader(scenery(scene, obstacles, regions)),
        currents=previous.currents if reusable else [CurrentReader(ob) for ob in currents],
        ground=previous.ground if reusable else GroundLines(surfaces),
        steepest=steepest_of(vehicles),
        measured=measured,
        tubes=_tubes(roles[Role.CROWD], paths),
        lanes=_lanes(roles[Role.CROWD], paths),
        states=tints_of(vehicles, roles[Role.STATE]),
    )


def _measured_as(ob: Object) -> tuple[str, ...]:
    """The settings on which the measurement of an object depends."""
    stored = ob.steering
    settings = (stored.obstacle_shape, stored.obstacle_side, stored.region_shape, stored.flow_attribute)
    return (*sorted(stored.roles), *settings)


def picture(
    scene: Scene, depsgraph: Depsgraph, cast: Subjects, tracks: Tracks, requests: list[Request], items: frozenset[str]
) -> Picture:
    """The lines to draw on the frame for which the depsgraph is evaluated."""
    drawn = Picture()
    if items & {"OBSTACLES", "REGIONS"}:
        _things(drawn, depsgraph, cast, items)
    if "SURFACES" in items:
        drawn.add(cast.ground.borders(depsgraph), BORDER)
        drawn.add(cast.ground.steep(depsgraph, cast.steepest), STEEP)
    if "WAYS" in items:
        for lines, color, name in cast.ways.lines:
            drawn.add(lines, color)
            if name and len(lines):
                drawn.legend.append((name, (*color[:3], 1.0)))
    if "PATHS" in items:
        _curves(drawn, depsgraph, cast)
        _currents(drawn, depsgraph, cast)
        _links(drawn, depsgraph, cast)
        _signals(drawn, depsgraph, cast)
    if items & {"FRONT", "VELOCITY", "TARGETS", "TRAILS"} and (present := cast.without_hidden(depsgraph)).vehicles:
        _vehicles(drawn, scene, depsgraph, present, tracks, items)
    if "FORCES" in items:
        _requests(drawn, requests)
    return drawn


def _things(drawn: Picture, depsgraph: Depsgraph, cast: Subjects, items: frozenset[str]) -> None:
    try:
        snapshot = cast.things.read(depsgraph, depsgraph.scene.frame_current).snapshot
    except Refusal:
        # The bake reports the error; the overlay just skips these objects.
        return
    obstacles, regions = snapshot.obstacles, snapshot.regions
    for row in np.flatnonzero(obstacles.present).tolist() if "OBSTACLES" in items else ():
        drawn.add(_obstacle(obstacles, row), OBSTACLE)
    for row in np.flatnonzero(regions.present).tolist() if "REGIONS" in items else ():
        drawn.add(_region(regions, row), REGION)


def _region(regions: Regions, row: int) -> np.ndarray:
    center, axes = regions.centre[row], regions.axes[row]
    if regions.shape[row] == REGION_MESH:
        return np.einsum("ka,ab->kb", mesh_edges(regions.mesh[row]), axes) + center
    return REGION_SHAPES[int(regions.shape[row])](center, axes * regions.half[row][:, None])


def _obstacle(obstacles: Obstacles, row: int) -> np.ndarray:
    """The surface of an obstacle as vehicles see it."""
    start, axes = obstacles.start[row], obstacles.axes[row]
    if obstacles.shape[row] == ROUND:
        return capsule(start, obstacles.end[row], float(obstacles.radius[row]))
    if obstacles.shape[row] == MESH:
        return np.einsum("ka,ab->kb", mesh_edges(obstacles.mesh[row]), axes) + start
    return box(start, axes * obstacles.half[row][:, None])


def _curves(drawn: Picture, depsgraph: Depsgraph, cast: Subjects) -> None:
    for ob, color in (*((path, PATH) for path in cast.paths), *((flow, FLOW) for flow in cast.flows)):
        for course in _courses(sketched(ob, depsgraph)):
            radius = cast.tubes.get(full_name(ob), 0.0) if color is PATH else 0.0
            lanes = cast.lanes.get(full_name(ob), ()) if color is PATH else ()
            if lanes:
                drawn.add(center_line(course), WIDTH)
                for offset, sign in lanes:
                    _course(drawn, _lane_line(course.beside(offset), sign), 0.5 * radius or MARK * course.length, color)
                continue
            _course(drawn, course, 0.5 * radius or MARK * course.length, color)
            if radius > 0.0:
                drawn.add(tube(course, radius), WIDTH)


def _links(drawn: Picture, depsgraph: Depsgraph, cast: Subjects) -> None:
    """The links, with marks in the directions in which they lead."""
    for ob in cast.links:
        both_ways = not ob.steering.is_property_set("link") or ob.steering.link.both_ways
        for course in _courses((points, False) for points in lines_of(ob, depsgraph, sketched)):
            for sign in (1, -1) if both_ways else (1,):
                _course(drawn, _lane_line(course, sign), LINK_MARK * course.length, LINK)


def _signals(drawn: Picture, depsgraph: Depsgraph, cast: Subjects) -> None:
    """Draw a line from each signal to its place on the nearest curve, or on its own."""
    curves = list(dict.fromkeys([*cast.paths, *filter(None, map(path_of_signal, cast.signals))]))
    try:
        signals = read_signals(cast.signals, curves, depsgraph, depsgraph.scene.frame_current)
    except Refusal:
        # The bake reports the error; the overlay just skips the signals.
        return
    paths = [list(_courses(sketched(ob, depsgraph))) for ob in curves]
    for position, green, own in zip(signals.position, signals.green.tolist(), signals.path.tolist()):
        lines = [line for path in (paths if own < 0 else [paths[own]]) for line in path]
        places = [line.position(line.nearest(position[None]))[0] for line in lines]
        if places:
            nearest = min(places, key=lambda place: float(np.linalg.norm(place - position)))
            drawn.add(np.array([position, nearest]), GREEN if green else RED)


def _courses(lines: Iterable[tuple[np.ndarray, bool]]) -> Iterator[Spline]:
    """The splines through the points of lines, each maybe closed, without those with a point that is nowhere."""
    return (spline(points, closed) for points, closed in lines if np.isfinite(points).all())


def _lane_line(lane: Spline, sign: int) -> Spline:
    """A lane in the direction in which it is driven: 1 along its curve, -1 against it."""
    return lane if sign > 0 else replace(lane, points=lane.points[::-1], tangents=-lane.tangents[::-1])


def _currents(drawn: Picture, depsgraph: Depsgraph, cast: Subjects) -> None:
    for reader in cast.currents:
        try:
            flow = reader.read(depsgraph)
        except Refusal:
            # The bake reports the error; the overlay just skips the flow.
            continue
        if isinstance(flow, Current):
            drawn.add(flow_arrows(flow), FLOW)
            continue
        for course in flow[:MOST_DRAWN]:
            _course(drawn, course, EDGE_MARK * course.length, FLOW)


def _course(drawn: Picture, course: Spline, mark: float, color: tuple[float, ...]) -> None:
    """Draw a spline with direction marks of the given size in metres."""
    drawn.add(center_line(course), color)
    drawn.add(direction_marks(course, mark), color)


def _vehicles(
    drawn: Picture, scene: Scene, depsgraph: Depsgraph, cast: Subjects, tracks: Tracks, items: frozenset[str]
) -> None:
    frame, frame_time = scene.frame_current, frame_time_of(scene)
    matrices = doubles([ob.evaluated_get(depsgraph).matrix_world for ob in cast.vehicles])
    positions, radius, half = matrices[:, :3, 3], cast.radius[:, None], cast.half_axis[:, None]
    side, forward, up = (unit(np.einsum("nab,nb->na", matrices[:, :3, :3], cast.axes[:, :, k])) for k in range(3))
    if "FRONT" in items:
        fronts = arrows(positions + forward * (radius + half), forward * radius, side)
        colors = np.array([FRONT] * len(positions))
        for row, tint in in_states(cast.vehicles, cast.states, scene, depsgraph):
            colors[row, :3] = tint.color
            if (entry := (tint.name, (*tint.color, 1.0))) not in drawn.legend:
                drawn.legend.append(entry)
        drawn.add(fronts, colors.repeat(len(fronts) // len(positions), axis=0), on_top=True)
        # A fin on the back distinguishes top from bottom.
        fins = np.stack((positions + up * radius, positions + up * 1.4 * radius), axis=1)
        drawn.add(fins.reshape(-1, 3), FRONT, on_top=True)
        drawn.add(stadiums(positions, forward * half, side * radius, forward * radius), SIZE, on_top=True)
    if "VELOCITY" in items:
        measured = [tracks.velocity(ob, depsgraph, frame, frame_time) for ob in cast.vehicles]
        rows = [row for row, v in enumerate(measured) if v is not None and magnitude(v[None])[0] > 0.0]
        if rows:
            velocities = np.array([measured[row] for row in rows])
            drawn.add(arrows(positions[rows], velocities), VELOCITY, on_top=True)
    if "TRAILS" in items:
        length = scene_setting(scene, "trail_length")
        for ob in cast.vehicles:
            frames, trail = tracks.between(ob, depsgraph, frame - length, frame + length)
            _trail(drawn, frames, trail, frame, length)
    if "TARGETS" in items:
        for aim in cast.aims:
            goals = aim.goals(positions, depsgraph)
            drawn.add(np.stack((positions[aim.rows], goals), axis=1).reshape(-1, 3), TARGET, on_top=True)


def _trail(drawn: Picture, frames: np.ndarray, positions: np.ndarray, frame: int, length: int) -> None:
    """Draw a line through the positions (k, 3) on the frames (k,), fading with the distance from the current frame."""
    if len(frames) < 2:
        return
    starts = np.flatnonzero(np.diff(frames) == 1)
    pairs = np.stack((starts, starts + 1), axis=1).ravel()
    colors = np.empty((len(pairs), 4))
    # The segment that starts on the current frame belongs to the future.
    colors[:, :3] = np.repeat(np.where((frames[starts] >= frame)[:, None], FUTURE, PAST), 2, axis=0)
    colors[:, 3] = 0.9 - 0.8 * np.abs(frames[pairs] - frame) / (length + 1.0)
    drawn.add(positions[pairs], colors, on_top=True)


def _requests(drawn: Picture, requests: list[Request]) -> None:
    names = {name for request in requests for name in request.by_behavior}
    behaviors = [behavior for behavior in CATALOGUE if behavior.name in names]
    hues = (colorsys.hsv_to_rgb(row / len(behaviors), 0.65, 1.0) for row in range(len(behaviors)))
    colors = {behavior.name: (*hue, 1.0) for behavior, hue in zip(behaviors, hues)}
    for request in requests:
        forces = [(force, colors[name]) for name, force in request.by_behavior.items()]
        for force, color in (*forces, (request.combined, STEERING)):
            fraction = force / max(request.max_force, 1e-9)
            length = float(magnitude(fraction[None])[0])
            if length > 1e-6:
                vector = (fraction * (min(length, 1.5) / length) * LONGEST * request.radius)[None]
                drawn.add(arrows(request.position[None], vector), color, on_top=True)
    drawn.legend += [(behavior.label, colors[behavior.name]) for behavior in behaviors]
    if requests:
        drawn.legend.append(("Combined", STEERING))


def _tubes(crowds: list[Object], paths: list[Object]) -> dict[str, float]:
    """The largest radius with which any crowd follows each path, in metres."""
    widths: dict[str, float] = {}
    for behavior, group, ob in _followed_paths(crowds, paths):
        if behavior.width:
            name = full_name(ob)
            widths[name] = max(widths.get(name, 0.0), getattr(group, behavior.width))
    return widths


def _lanes(crowds: list[Object], paths: list[Object]) -> dict[str, tuple[tuple[float, int], ...]]:
    """The lanes in which crowds go beside each path."""
    lanes: dict[str, set[tuple[float, int]]] = {}
    for behavior, group, ob in _followed_paths(crowds, paths):
        if beside := behavior.lanes_beside(lambda name, group=group: getattr(group, name)):
            lanes.setdefault(full_name(ob), set()).update(beside)
    return {name: tuple(sorted(beside)) for name, beside in lanes.items()}


def _followed_paths(crowds: list[Object], paths: list[Object]) -> Iterator[tuple[type[Behavior], Any, Object]]:
    """Each path that a behavior of a crowd may follow, with the behavior and its settings."""
    for crowd in crowds:
        for behavior in behaviors_of(crowd):
            named = [name for name, parameter in behavior.parameters().items() if parameter.kind is Kind.PATH]
            if not named:
                continue
            group = getattr(crowd.steering, behavior.name)
            targets = [ob for name in named if (ob := pointed_at(group, name)) is not None]
            for ob in targets or paths:
                yield behavior, group, ob


def _axes(ob: Object) -> np.ndarray:
    stored = ob.steering
    if stored.forward_axis[-1:] == stored.up_axis[-1:] or not stored.forward_axis or not stored.up_axis:
        return np.eye(3)
    return model_axes(stored.forward_axis, stored.up_axis)


def _capsule(ob: Object) -> tuple[float, float]:
    radius, length = capsule_of(ob) if crowd_of(ob) is not None else (0.5 * ob.steering.size_factor, 0.0)
    return (radius if np.isfinite(radius) else 0.0), length
