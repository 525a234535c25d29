"""The lines that show where the vehicles of a scene can walk, and what ends their ways."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from bpy.types import Depsgraph, Object, Scene

from ...simulation.arrays.scalars import which
from ...simulation.geometry.surfaces import Surfaces
from ...simulation.sensing import world_at
from ...simulation.snapshot import start_state
from ...simulation.ways.missing import BORDER, HIGH, LOW, OBSTACLE, STEEP, WIDE, find_missing, sides_of
from ...simulation.ways.walkable_ground import WalkableGround
from ..objects.tagged_objects import full_name
from ..read.curves import sketched
from ..read.plan import plan_reading
from ..read.reading import Reader

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
    position, basis = (np.array(each) for each in zip(*poses))
    state = start_state(position, basis[:, :, 1], basis[:, :, 2], np.zeros_like(position))
    ways = world_at(state, snapshot, snapshot, 0.0).ways
    if ways is None:
        return WayLines()
    names = {full_name(ob) for ob in vehicles}
    chosen = np.array([full_name(plan.vehicles.source.owner(row)) in names for row in range(len(plan))])
    ground, walks, _ = max(ways.grounds, key=lambda each: (np.count_nonzero(each[1] & chosen), each[1].sum()))
    rows = which(walks & (chosen | ~(walks & chosen).any()))
    x, y, z = position[rows].T
    at = ground.spans.at(x, y, z - ways.lift[rows], ground.build.headroom)
    return WayLines((*_hatches(ground, at), *_ends(ground, ways.surfaces)))


def _hatches(ground: WalkableGround, at: np.ndarray) -> Iterator[tuple[np.ndarray, tuple[float, ...], str]]:
    """Strokes on the ground that can be walked: on what can be reached from nodes (m,), and on what cannot."""
    spans, n = ground.spans, len(ground.spans)
    part = ground.part[:n]
    walked = np.flatnonzero(part < n)
    every = max(int(np.ceil(np.sqrt(len(walked) / MOST_HATCHES))), 2)
    column, row = (np.floor(place[walked] / spans.size).astype(int) for place in (spans.x, spans.y))
    walked = walked[(column % every == 0) & (row % every == 0)]
    reached = np.isin(part[walked], ground.parts_from(ground.part[at][at < n]))
    half = 0.3 * every * spans.size
    for nodes, color, name in ((walked[reached], REACHED, "Walkable"), (walked[~reached], APART, "Out of Reach")):
        height = spans.height[nodes] + ABOVE * ground.build.radius
        middle = np.stack((spans.x[nodes], spans.y[nodes], height), axis=1)
        out = np.array([half, half, 0.0])
        yield np.stack((middle - out, middle + out), axis=1).reshape(-1, 3), color, name


def _ends(ground: WalkableGround, surfaces: Surfaces) -> Iterator[tuple[np.ndarray, tuple[float, ...], str]]:
    """The sides at which the ground ends, by the reason."""
    nodes, sides, why = find_missing(ground, surfaces)
    for reason, (name, color) in ENDS.items():
        those = why == reason
        lines = sides_of(ground, nodes[those], sides[those])
        yield lines + np.array([0.0, 0.0, ABOVE * ground.build.radius]), color, name
