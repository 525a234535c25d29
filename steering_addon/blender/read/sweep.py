"""Sweeping through the frames: a `Frame` for each, without changing the animator's scene.

In the pre-roll, before the first frame, frames are read as they are, but what begins to move with its first keys stands
still then, which would leave a leader waiting while its flock arrives. It is carried on backwards instead: at f frames
before it begins to move it is at p - f (p' - p), where p and p' are its positions on that frame and on the next. What
is keyed to stand still does.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise

import numpy as np
from bpy.types import ID, Object, Scene

from ...portrayal.sketch import Frame
from ...simulation.geometry.obstacles import Obstacles
from ...simulation.geometry.regions import Regions
from ...simulation.geometry.surfaces import SurfaceLayer, Surfaces
from ...simulation.snapshot import Snapshot, Tracked
from ..animation.animation_data import channelbag
from ..animation.frame_rate import frame_kept
from ..objects.drivers import blocks
from ..objects.hierarchy import Family
from .aside import evaluating, scene_aside
from .dependencies import animates, has_foreign_handlers, with_all_behind
from .links import with_ends
from .plan import Plan
from .reading import Reader
from .solids import is_mesh

AHEAD = 0.3
"""Seconds for which `read_ahead` reads at a time."""


def sweep(plan: Plan, reader: Reader) -> Iterator[Frame]:
    """Read each frame of a plan, from the first to the last; however it ends, the file is left as it was."""
    if plan.in_users_scene:
        with _users_scene(plan) as scene:
            yield from _read(scene, plan.frames.tolist(), reader, quietly=False)
        return
    carriers = {source.carrier for source in (*plan.bodies, *plan.obstacles) if source.carrier >= 0}
    with plan.vehicles.source.at_start(sorted(carriers.union(plan.vehicles.source.computed()))):
        yield from _read_aside(plan, reader)


def _read_aside(plan: Plan, reader: Reader) -> Iterator[Frame]:
    frames = plan.frames.tolist()
    if not reader.has_measured:
        with scene_aside(plan.scene, to_link(plan)) as scene:
            yield from _read(scene, frames[:1], reader)
        frames = frames[1:]
    if frames:
        with scene_aside(plan.scene, _read_on_each_frame(plan, Family())) as scene:
            yield from _read(scene, frames, reader)


def read_ahead(frames: Iterator[Frame]) -> Iterator[Frame]:
    """The frames of a sweep, read many at a time. Whenever Blender gets to its window after a frame was read, it draws
    all 3D views, which may take longer than hundreds of frames."""
    while True:
        deadline, read = time.perf_counter() + AHEAD, []
        for frame in frames:
            read.append(frame)
            if time.perf_counter() > deadline:
                break
        if not read:
            return
        yield from read


def _read(scene: Scene, frames: list[int], reader: Reader, *, quietly: bool = True) -> Iterator[Frame]:
    """Read frames of a scene; quietly only in one that no window shows."""
    for number, frame in enumerate(frames):
        depsgraph = scene.view_layers[0].depsgraph
        if quietly and number > 0 and frame >= 0 and not has_foreign_handlers():
            # As `frame_set`, which would have Blender draw all windows again.
            scene.frame_current = frame
            depsgraph.update()
        else:
            scene.frame_set(frame)
            depsgraph = scene.view_layers[0].depsgraph
        yield reader.read(depsgraph, frame)


def to_link(plan: Plan) -> list[Object]:
    """The objects that must be evaluated: everything the plan reads, and what the vehicles need. Blender pulls in what
    these depend on. Children are not pulled in, so children of bodies are listed: the sizes of bodies include them."""
    family = Family()
    sized = [source.ob for source in (*plan.bodies, *plan.obstacles)]
    return _each_once((*_read_on_each_frame(plan, family), *(part for ob in sized for part in family.descendants(ob))))


def _read_on_each_frame(plan: Plan, family: Family) -> list[Object]:
    """As `to_link`, without the objects that only determine sizes, which are measured on the first frame."""
    return _each_once(
        (
            *(source.ob for source in (*plan.crowds, *plan.states, *plan.triggers)),
            *(source.ob for source in (*plan.bodies, *plan.obstacles)),
            *(guide.body.ob for guide in plan.guides),
            *(mark.shape for mark in plan.marks if mark.shape is not None),
            *(part for source in plan.obstacles if is_mesh(source.ob) for part in family.descendants(source.ob)),
            *plan.paths,
            *plan.regions,
            *plan.flows,
            *plan.formations,
            *plan.surfaces,
            *with_ends(plan.links),
            *plan.signals,
            *plan.vehicles.source.needed(),
        )
    )


def _each_once(objects: Iterable[Object]) -> list[Object]:
    return list({ob.name_full: ob for ob in objects}.values())


@contextmanager
def _users_scene(plan: Plan) -> Iterator[Scene]:
    """The animator's scene, with the vehicles at their start and without earlier bakes until the end."""
    scene = plan.scene
    layer = scene.view_layers[0]
    hidden = [ob for ob in to_link(plan) if not ob.visible_get(view_layer=layer) or animates(ob, "hide_viewport")]
    # The frame goes back while the hidden objects are still evaluated, so that they do too.
    start = plan.vehicles.source.at_start(range(len(plan)))
    with _settled(scene), evaluating(scene, hidden), frame_kept(scene), start:
        # In a handler, Blender crashes on view layers that it does not evaluate: docs/blender_traps.md.
        scene.update_tag()
        yield scene


@contextmanager
def _settled(scene: Scene) -> Iterator[None]:
    """Let the view layers forget removed objects; else they list None for each."""
    try:
        yield
    finally:
        for layer in scene.view_layers:
            layer.update()


SAME_SHAPE = 1e-4
"""The share by which sides of a surface that keeps its shape may change, as matrices are of single precision."""
STILL = 1e-7
"""Metres a frame: what moves less stands still."""


def lead_in(plan: Plan) -> tuple[Snapshot, ...]:
    """The scene on the frames of the longest pre-roll; empty without one. Refused if a value is not a number."""
    if not plan.preroll:
        return ()
    first = int(plan.frames[0])
    # The frame after the first says how fast things move on the first.
    frames = np.arange(first - plan.preroll, first + 2)
    extended = replace(plan, frames=frames)
    snapshots = [frame.snapshot for frame in sweep(extended, Reader(extended))]
    bodies = _BackwardMotion([source.ob for source in plan.bodies], frames)
    obstacles = _BackwardMotion([source.ob for source in plan.obstacles], frames)
    regions = _BackwardMotion(plan.regions, frames)
    surfaces = _BackwardMotion(plan.surfaces, frames)
    carried = zip(
        snapshots,
        bodies.tracked([snapshot.tracked for snapshot in snapshots]),
        obstacles.obstacles([snapshot.obstacles for snapshot in snapshots]),
        regions.regions([snapshot.regions for snapshot in snapshots]),
        surfaces.surfaces([snapshot.surfaces for snapshot in snapshots]),
    )
    changed = [replace(snapshot, tracked=t, obstacles=o, regions=r, surfaces=s) for snapshot, t, o, r, s in carried]
    return tuple(changed[: plan.preroll])


class _BackwardMotion:
    """Carries objects on backwards from the frame on which they begin to move."""

    def __init__(self, objects: Sequence[Object], frames: np.ndarray) -> None:
        """`frames` (f,) are those of the pre-roll, and the next two."""
        self._frames = frames
        self._keyed = np.array([_first_key(ob) for ob in objects])

    def tracked(self, read: Sequence[Tracked]) -> list[Tracked]:
        position = self._carry_back(read, "position")
        return [replace(bodies, position=points) for bodies, points in zip(read, position)]

    def obstacles(self, read: Sequence[Obstacles]) -> list[Obstacles]:
        ends = zip(self._carry_back(read, "start"), self._carry_back(read, "end"))
        return [replace(obstacles, start=start, end=end) for obstacles, (start, end) in zip(read, ends)]

    def regions(self, read: Sequence[Regions]) -> list[Regions]:
        return [replace(regions, centre=points) for regions, points in zip(read, self._carry_back(read, "centre"))]

    def surfaces(self, read: Sequence[Surfaces]) -> list[Surfaces]:
        """The surfaces; one that keeps its shape is carried on, without turning."""
        carried = list(read)
        for row in range(len(self._keyed)):
            layers = [layer for surfaces in read for layer in surfaces.layers if layer.surfaces == (row,)]
            if len(layers) < len(read):
                continue
            shifts = [np.zeros(3), *(_shift_between(before, after) for before, after in pairwise(layers))]
            path = np.cumsum(shifts, axis=0)[:, None]
            shift = (extrapolate_back(path, self._frames, self._keyed[row : row + 1]) - path)[:, 0]
            for frame in np.flatnonzero(shift.any(axis=1)).tolist():
                carried[frame] = carried[frame].with_points(row, layers[frame].points + shift[frame])
        return carried

    def _carry_back(self, read: Sequence[Tracked] | Sequence[Obstacles] | Sequence[Regions], name: str) -> np.ndarray:
        """A column of points of k objects on all frames, (f, k, 3), carried on backwards."""
        return extrapolate_back(np.stack([getattr(item, name) for item in read]), self._frames, self._keyed)


def extrapolate_back(points: np.ndarray, frames: np.ndarray, keyed: np.ndarray) -> np.ndarray:
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


def _shift_between(before: SurfaceLayer, after: SurfaceLayer) -> np.ndarray:
    """The shift (3,) of a surface from one frame to the next, metres; 0 if its shape changes."""
    if before is after or len(before.points) != len(after.points) or not len(before.points):
        return np.zeros(3)
    before_sides, after_sides = (
        np.linalg.norm(np.diff(layer.points[layer.triangles], axis=1), axis=-1) for layer in (before, after)
    )
    if not np.allclose(before_sides, after_sides, rtol=SAME_SHAPE, atol=STILL):
        return np.zeros(3)
    shifts = after.points - before.points
    shift: np.ndarray = 0.5 * (shifts.min(axis=0) + shifts.max(axis=0))
    return shift


def _first_key(ob: Object) -> float:
    """The first frame on which an object or a dependency of it is keyed; inf without keys."""
    starts = [start for source in with_all_behind([ob]) for block in blocks(source) for start in _key_starts(block)]
    return min(starts, default=np.inf)


def _key_starts(block: ID) -> list[float]:
    """The first frames of the F-curves and NLA strips of a datablock."""
    animation = block.animation_data
    if animation is None:
        return []
    bag = channelbag(block)
    keys = [curve.keyframe_points[0].co.x for curve in bag.fcurves if len(curve.keyframe_points)] if bag else []
    return [*keys, *(strip.frame_start for track in animation.nla_tracks for strip in track.strips)]
