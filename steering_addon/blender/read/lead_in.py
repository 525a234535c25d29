"""The scene in the pre-roll: on the frames before the first, in which crowds already move.

The frames are read as they are. What begins to move with its first keys stands still before them, which would leave a
leader waiting while its flock arrives. It is carried on backwards instead: at f frames before it begins to move it is
at p - f (p' - p), where p and p' are its positions on that frame and on the next. What is keyed to stand still does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...simulation.geometry.obstacles import Obstacles
from ...simulation.geometry.regions import Regions
from ...simulation.snapshot import Snapshot, Tracked
from ..write.animation_data import channelbag
from .dependencies import blocks, with_all_behind
from .plan import Plan
from .reading import Reader
from .sweep import sweep

if TYPE_CHECKING:
    from bpy.types import ID, Object

STILL = 1e-7
"""Metres a frame: what moves less stands still."""


def lead_in(plan: Plan) -> tuple[Snapshot, ...]:
    """The scene on the frames of the longest pre-roll, in order; empty without one.

    Raises:
        Refusal: a value is not a number.
    """
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
    carried = zip(
        snapshots,
        bodies.tracked([each.tracked for each in snapshots]),
        obstacles.obstacles([each.obstacles for each in snapshots]),
        regions.regions([each.regions for each in snapshots]),
    )
    moved = [replace(each, tracked=t, obstacles=o, regions=r) for each, t, o, r in carried]
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
