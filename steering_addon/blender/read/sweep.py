"""Sweeping through the frames: a `Frame` for each, without changing the animator's scene."""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from bpy.types import Object, Scene

from ...portrayal.sketch import Frame
from ..animation.frame_rate import frame_kept
from ..objects.hierarchy import Family
from .aside import evaluating, scene_aside
from .dependencies import animates, has_foreign_handlers
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
    """The frames of a sweep, read many at a time.

    Whenever Blender gets to its window after a frame was read, it draws all 3D views, which may take longer than
    hundreds of frames.
    """
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
    """The objects that must be evaluated: everything the plan reads, and what the vehicles need.

    Blender pulls in what these depend on. Children are not pulled in, so children of bodies are listed: the sizes of
    bodies include them.
    """
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
