"""The scene in the pre-roll: on the frames before the first, in which crowds already move.

The frames are read as they are. What begins to move with its first keys stands still before them, which would leave a
leader waiting while its flock arrives. It is carried on backwards instead: at f frames before it begins to move it is
at p - f (p' - p), where p and p' are its positions on that frame and on the next. What is keyed to stand still does.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from bpy.types import ID, Object

from ...simulation.geometry.obstacles import Obstacles
from ...simulation.geometry.regions import Regions
from ...simulation.geometry.surfaces import SurfaceLayer, Surfaces
from ...simulation.snapshot import Snapshot, Tracked
from ..animation.animation_data import channelbag
from ..objects.drivers import blocks
from .dependencies import with_all_behind
from .plan import Plan
from .reading import Reader
from .sweep import sweep

SAME_SHAPE = 1e-4
"""The share by which sides of a surface that keeps its shape may change, as matrices are of single precision."""
STILL = 1e-7
"""Metres a frame: what moves less stands still."""


def lead_in(plan: Plan) -> tuple[Snapshot, ...]:
    """The scene on the frames of the longest pre-roll, in order; empty without one. Refused if a value is not a
    number."""
    if not plan.preroll:
        return ()
    first = int(plan.frames[0])
    # The frame after the first says how fast things move on the first.
    frames = np.arange(first - plan.preroll, first + 2)
    led = replace(plan, frames=frames)
    snapshots = [frame.snapshot for frame in sweep(led, Reader(led))]
    bodies = _BackwardMotion([source.ob for source in plan.bodies], frames)
    obstacles = _BackwardMotion([source.ob for source in plan.obstacles], frames)
    regions = _BackwardMotion(plan.regions, frames)
    surfaces = _BackwardMotion(plan.surfaces, frames)
    carried = zip(
        snapshots,
        bodies.tracked([each.tracked for each in snapshots]),
        obstacles.obstacles([each.obstacles for each in snapshots]),
        regions.regions([each.regions for each in snapshots]),
        surfaces.surfaces([each.surfaces for each in snapshots]),
    )
    moved = [replace(each, tracked=t, obstacles=o, regions=r, surfaces=s) for each, t, o, r, s in carried]
    return tuple(moved[: plan.preroll])


class _BackwardMotion:
    """Carries objects on backwards from the frame on which they begin to move."""

    def __init__(self, objects: Sequence[Object], frames: np.ndarray) -> None:
        """`frames` (f,) are those of the pre-roll, and the next two."""
        self._frames = frames
        self._keyed = np.array([_first_key(ob) for ob in objects])

    def tracked(self, read: Sequence[Tracked]) -> list[Tracked]:
        position = self._shifted(read, "position")
        return [replace(each, position=points) for each, points in zip(read, position)]

    def obstacles(self, read: Sequence[Obstacles]) -> list[Obstacles]:
        ends = zip(self._shifted(read, "start"), self._shifted(read, "end"))
        return [replace(each, start=start, end=end) for each, (start, end) in zip(read, ends)]

    def regions(self, read: Sequence[Regions]) -> list[Regions]:
        return [replace(each, centre=points) for each, points in zip(read, self._shifted(read, "centre"))]

    def surfaces(self, read: Sequence[Surfaces]) -> list[Surfaces]:
        """The surfaces; one that keeps its shape is carried on, without turning."""
        carried = list(read)
        for row in range(len(self._keyed)):
            layers = [layer for each in read for layer in each.layers if layer.surfaces == (row,)]
            if len(layers) < len(read):
                continue
            ways = [np.zeros(3), *(_way(before, after) for before, after in pairwise(layers))]
            path = np.cumsum(ways, axis=0)[:, None]
            shift = (carried_back(path, self._frames, self._keyed[row : row + 1]) - path)[:, 0]
            for frame in np.flatnonzero(shift.any(axis=1)).tolist():
                carried[frame] = carried[frame].with_points(row, layers[frame].points + shift[frame])
        return carried

    def _shifted(self, read: Sequence[Tracked] | Sequence[Obstacles] | Sequence[Regions], name: str) -> np.ndarray:
        """A column of points of k objects on all frames, (f, k, 3), carried on backwards."""
        return carried_back(np.stack([getattr(each, name) for each in read]), self._frames, self._keyed)


def carried_back(points: np.ndarray, frames: np.ndarray, keyed: np.ndarray) -> np.ndarray:
    """Points on some frames, (f, k, 3), with a linear motion in place of the rest before they begin to move.

    Args:
        frames: (f,) rising by 1.
        keyed: (k,) the first frame on which each is keyed; inf if it is not keyed. A rest after that is kept.
    """
    moves = (np.abs(np.diff(points, axis=0)) > STILL).any(axis=2)
    last_still = np.argmax(moves, axis=0)
    carried = moves.any(axis=0) & (keyed > frames[last_still] - 1.0)
    columns = np.arange(points.shape[1])
    velocity = points[last_still + 1, columns] - points[last_still, columns]
    steps = np.minimum(np.arange(len(frames))[:, None] - last_still, 0)
    return np.where(carried[:, None], points + steps[..., None] * velocity, points)


def _way(before: SurfaceLayer, after: SurfaceLayer) -> np.ndarray:
    """How far a surface moves from one frame to the next, (3,) metres; 0 if its shape changes."""
    if before is after or len(before.points) != len(after.points) or not len(before.points):
        return np.zeros(3)
    before_sides, after_sides = (
        np.linalg.norm(np.diff(each.points[each.triangles], axis=1), axis=-1) for each in (before, after)
    )
    if not np.allclose(before_sides, after_sides, rtol=SAME_SHAPE, atol=STILL):
        return np.zeros(3)
    ways = after.points - before.points
    way: np.ndarray = 0.5 * (ways.min(axis=0) + ways.max(axis=0))
    return way


def _first_key(ob: Object) -> float:
    """The first frame on which an object, or something that it depends on, is keyed; inf if nothing is."""
    starts = [start for each in with_all_behind([ob]) for block in blocks(each) for start in _key_starts(block)]
    return min(starts, default=np.inf)


def _key_starts(block: ID) -> list[float]:
    """The first frames of the F-curves and NLA strips of a datablock."""
    animation = block.animation_data
    if animation is None:
        return []
    bag = channelbag(block)
    keys = [curve.keyframe_points[0].co.x for curve in bag.fcurves if len(curve.keyframe_points)] if bag else []
    return [*keys, *(strip.frame_start for track in animation.nla_tracks for strip in track.strips)]
