"""The forces requested from vehicles on the current frame, and the lines that show where they can walk."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Depsgraph, Object, Scene

from ...simulation.arrays.scalars import which
from ...simulation.arrays.vectors import truncate
from ...simulation.geometry.surfaces import Surfaces
from ...simulation.presence.admission import only_present
from ...simulation.sensing import world_at
from ...simulation.snapshot import Snapshot, State, start_state
from ...simulation.steering import decide, requests
from ...simulation.ways.walkable_ground import (
    BORDER,
    HIGH,
    LOW,
    OBSTACLE,
    STEEP,
    WIDE,
    WalkableGround,
    find_missing,
    sides_of,
)
from ..objects.tagged_objects import full_name
from ..read.curves import sketched
from ..read.plan import Plan, plan_reading
from ..read.reading import Reader
from ..read.sources import frames_there
from ..refusal import Refusal
from .tracks import Tracks

MOST_HATCHES = 6000
ABOVE = 0.15
"""Height of the lines above the ground, in radii of the body."""
REACHED = (0.4, 0.9, 0.5, 0.45)
APART = (1.0, 0.55, 0.15, 0.6)
ENDS = {
    BORDER: ("", (0.4, 0.9, 0.5, 0.8)),
    OBSTACLE: ("", (1.0, 0.35, 0.25, 0.8)),
    STEEP: ("Steeper than Max Slope", (1.0, 0.2, 0.4, 1.0)),
    LOW: ("Lower than Headroom", (0.8, 0.4, 1.0, 1.0)),
    HIGH: ("Higher than a Step", (1.0, 0.9, 0.2, 1.0)),
    WIDE: ("Wider than a Step", (0.3, 0.9, 1.0, 1.0)),
}
"""The name of each end of the ground in the legend, where it needs one, and its color."""
MOST_VEHICLES = 500
"""Forces are not computed for more vehicles: the delay after each change would be too long."""
MOST_SHOWN = 50
"""Number of vehicles whose forces are drawn."""


@dataclass(frozen=True)
class WayLines:
    """Pairs of points (2k, 3) with the color of each line, and what the legend says of it; "" for nothing."""

    lines: tuple[tuple[np.ndarray, tuple[float, ...], str], ...] = ()


def way_lines(vehicles: list[Object], scene: Scene, depsgraph: Depsgraph) -> WayLines:
    """Where selected vehicles can walk on the current frame, or if none are, most vehicles of the scene. Refused if a
    bake would be refused."""
    plan = plan_reading(scene, adds_nothing=True)
    snapshot = Reader(plan, sketched).read(depsgraph, scene.frame_current).snapshot
    poses = [plan.vehicles.source.pose(row, depsgraph) for row in range(len(plan))]
    position, basis = map(np.array, zip(*poses))
    state = start_state(position, basis[:, :, 1], basis[:, :, 2], np.zeros_like(position))
    state, snapshot = _in_states(state, snapshot)
    ways = world_at(state, snapshot, snapshot, 0.0).ways
    if ways is None:
        return WayLines()
    names = {full_name(ob) for ob in vehicles}
    chosen = np.array([full_name(plan.vehicles.source.owner(row)) in names for row in range(len(plan))])
    ground, walks, _ = max(ways.grounds, key=lambda entry: (np.count_nonzero(entry[1] & chosen), entry[1].sum()))
    rows = which(walks & (chosen | ~(walks & chosen).any()))
    x, y, z = position[rows].T
    at = ground.spans.at(x, y, z - ways.lift[rows], ground.build.headroom)
    return WayLines((*_hatches(ground, at), *_ends(ground, ways.surfaces)))


def _hatches(ground: WalkableGround, begin: np.ndarray) -> Iterator[tuple[np.ndarray, tuple[float, ...], str]]:
    """Strokes on the ground that can be walked: on what can be reached from nodes (m,), and on what cannot."""
    spans, n = ground.spans, len(ground.spans)
    region = ground.part[:n]
    walked = np.flatnonzero(region < n)
    stride = max(int(np.ceil(np.sqrt(len(walked) / MOST_HATCHES))), 2)
    column, row = (np.floor(place[walked] / spans.size).astype(int) for place in (spans.x, spans.y))
    walked = walked[(column % stride == 0) & (row % stride == 0)]
    reached = np.isin(region[walked], ground.parts_from(ground.part[begin][begin < n]))
    half = 0.3 * stride * spans.size
    for nodes, color, name in ((walked[reached], REACHED, "Walkable"), (walked[~reached], APART, "Out of Reach")):
        height = spans.height[nodes] + ABOVE * ground.build.radius
        middle = np.stack((spans.x[nodes], spans.y[nodes], height), axis=1)
        out = np.array([half, half, 0.0])
        yield np.stack((middle - out, middle + out), axis=1).reshape(-1, 3), color, name


def _ends(ground: WalkableGround, surfaces: Surfaces) -> Iterator[tuple[np.ndarray, tuple[float, ...], str]]:
    """The sides at which the ground ends, by the reason."""
    nodes, sides, why = find_missing(ground, surfaces)
    for reason, (name, color) in ENDS.items():
        mask = why == reason
        lines = sides_of(ground, nodes[mask], sides[mask])
        yield lines + np.array([0.0, 0.0, ABOVE * ground.build.radius]), color, name


@dataclass(frozen=True)
class Request:
    """The forces requested from a vehicle. `by_behavior`: (3,) newtons, by the behavior's name; `combined`: (3,)
    newtons, at most max_force."""

    position: np.ndarray
    radius: float
    max_force: float
    by_behavior: dict[str, np.ndarray]
    combined: np.ndarray


def requested_forces(vehicles: list[Object], scene: Scene, depsgraph: Depsgraph, tracks: Tracks) -> list[Request]:
    """The forces requested from vehicles on the current frame, with initial memories and bodies at rest. Refused if a
    bake would be refused, or the scene has too many vehicles."""
    plan = plan_reading(scene, adds_nothing=True)
    if len(plan) > MOST_VEHICLES:
        raise Refusal(f"Forces are shown for up to {MOST_VEHICLES} vehicles.")
    snapshot = Reader(plan, sketched).read(depsgraph, scene.frame_current).snapshot
    state = _present(plan, snapshot, scene, depsgraph, tracks)
    state, snapshot = _in_states(state, only_present(snapshot, state.outside))
    world = world_at(state, snapshot, snapshot, 0.0)
    by_behavior = requests(state, snapshot, world)
    combined = truncate(decide(state, snapshot, world)[0], snapshot.vehicle.max_force)
    names, source = {full_name(ob) for ob in vehicles[:MOST_SHOWN]}, plan.vehicles.source
    return [
        Request(
            position=state.motion.position[row],
            radius=float(snapshot.vehicle.radius[row]),
            max_force=float(snapshot.vehicle.max_force[row]),
            by_behavior={name: force[row] for name, force in by_behavior.items()},
            combined=combined[row],
        )
        for row, ob in zip(source.object_rows.tolist(), source.objects)
        if full_name(ob) in names and snapshot.present[row]
    ]


def _in_states(state: State, snapshot: Snapshot) -> tuple[State, Snapshot]:
    """The vehicles in the states that they choose on the frame, which they have taken up, and with the bodies of
    these."""
    if snapshot.minds is None:
        return state, snapshot
    for _ in range(2):
        state, in_states = snapshot.minds.choose(state, snapshot, world_at(state, snapshot, snapshot, 0.0))
        state = replace(state, mindset=replace(state.mindset, blend=np.zeros(len(state))))
    return state, in_states


def _present(plan: Plan, snapshot: Snapshot, scene: Scene, depsgraph: Depsgraph, tracks: Tracks) -> State:
    """The vehicles at their current transforms, with the velocity of their track or else their start speed."""
    source, frame = plan.vehicles.source, scene.frame_current
    poses = [source.pose(row, depsgraph) for row in range(len(plan))]
    position, basis = map(np.array, zip(*poses))
    velocity = basis[:, :, 1] * (plan.vehicles.start_speed * snapshot.vehicle.max_speed)[:, None]
    for row, ob in zip(source.object_rows.tolist(), source.objects):
        measured = tracks.velocity(ob, depsgraph, frame, plan.frame_time)
        if measured is not None:
            velocity[row] = measured
    spans, away = frames_there(source.objects), np.zeros(len(plan), dtype=np.bool_)
    away[source.object_rows] = (frame < spans[:, 0]) | (frame > spans[:, 1])
    standing = start_state(position, basis[:, :, 1], basis[:, :, 2], velocity, time=frame * plan.frame_time)
    return replace(standing, outside=away if snapshot.due is None else away | ~snapshot.due)
