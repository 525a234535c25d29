"""Meshes of a model in the poses of its clips, for instances that choose among them by phase.

They are in a collection that is excluded from the scene, where geometry nodes find them (Collection Info). Those of a
clip follow each other by name, in the order of their phases: the mesh that a phase shows is number
`first + floor(fract(phase) * poses)`. What the collection says of each clip, by the number of that:

- `steering_first`: the number of its first mesh,
- `steering_poses`: the number of its meshes, 0 for a clip that the model cannot play.
"""

import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise

import bpy
import numpy as np
from bpy.types import Collection, Mesh, Object, Scene, ViewLayer

from ...portrayal.pose_count import edges, fewest, furthest, middles
from ..animation.posing import short_name
from ..clips.clip_copies import ClipCopy, Copies
from ..clips.crowd_clips import Model
from ..clips.own_shapes import source_of
from ..objects.hierarchy import Family
from ..objects.resting import exclude
from ..refusal import Refusal
from .model_aside import ModelAside, model_aside
from .populating.models import NUMBERED

RECORD = "steering_posed"
"""The custom property of a collection of posed meshes: the armature or mesh, and the crowd, that they are for."""
OURS = "steering_phase"
"""The custom property by which a posed mesh is known, as a share of the cycle."""
SAMPLES = 256
"""Phases at which a mesh is measured..."""
FEWEST_SAMPLES = 64
MEMORY = 1 << 28
"""... unless they take more bytes than this."""
MEASURED = 0.7
"""The share of the work on a clip that measuring it takes."""
LONGEST = 50
"""Bytes of the name of a clip in those of its meshes. Blender cuts names after 63, and they end in numbers."""


@dataclass(frozen=True)
class PosedClip:
    """The poses of a clip.

    Attributes:
        name: of the clip.
        number: its row in the list of the crowd.
        poses: (n, v, 3) metres in the axes of the vehicle.
        off: metres that a vertex of the evaluated mesh is at most from where the nearest pose has it.
    """

    name: str
    number: int
    poses: np.ndarray
    off: float


@dataclass(frozen=True)
class Posing:
    """A model to be posed, and how well.

    Attributes:
        vehicle: one of the model.
        numbers: of the clips of the model, in the list of the crowd.
        layer: whose renders show the parts that count.
        tolerance: metres that vertices may be off.
        most: poses of a clip, if more are needed.
    """

    model: Model
    vehicle: Object
    numbers: Sequence[int]
    crowd: Object
    scene: Scene
    layer: ViewLayer
    family: Family
    tolerance: float
    most: int


def posing(task: Posing) -> Generator[float, None, tuple[Collection, list[PosedClip]]]:
    """Make a mesh for each pose of the clips that a model can play, in place of those that were made before.

    Yields the share that is done. Until the end, and if it is closed or fails before that, the meshes made before stay.
    Returns the collection of the meshes, and the clips. Refused if the model shows no mesh, or one whose vertices do
    not stay the same.
    """
    model, vehicle = task.model, task.vehicle
    rig = model.rigs[model.vehicles.index(vehicle)]
    with _clip_copies(model) as copies, model_aside(vehicle, rig, task.scene, task.layer, task.family) as aside:
        posed: list[PosedClip] = []
        for row, (copy, number) in enumerate(zip(copies, task.numbers, strict=True)):
            aside.play(copy)
            poses = _poses(aside, copy.frames, task.tolerance, task.most)
            try:
                while True:
                    yield (row + next(poses)) / len(copies)
            except StopIteration as stop:
                posed.append(PosedClip(short_name(model.entries[row].action), number, *stop.value))
        if len({clip.poses.shape[1] for clip in posed}) > 1:
            text = f"The number of vertices of {vehicle.name} is not the same in all clips"
            raise Refusal(f"{text}. Turn off the modifiers that change it.", about=[vehicle])
        mesh = aside.joined()
        if len(mesh.vertices) != posed[0].poses.shape[1]:
            bpy.data.meshes.remove(mesh)
            text = f"The number of vertices of {vehicle.name} changes while it plays its clips"
            raise Refusal(f"{text}. Turn off the modifiers that change it.", about=[vehicle])
    return _replaced(posed, _shaped(posed, mesh), task), posed


@contextmanager
def _clip_copies(model: Model) -> Iterator[list[ClipCopy]]:
    """The clips as strips play them, complete and closed; those that were made for this are gone afterwards."""
    copies = Copies(model.rigs[0], model.actions()).copies()
    try:
        yield copies
    finally:
        bpy.data.batch_remove([copy.action for copy in copies if copy.new])


def _poses(
    aside: ModelAside, frames: float, tolerance: float, most: int
) -> Generator[float, None, tuple[np.ndarray, float]]:
    """The fewest poses of the cycle that a model plays that are near enough, (n, v, 3), and how near they are.

    Yields the share that is done.

    Args:
        frames: the length of the cycle.
        tolerance: metres that vertices may be off, unless more than `most` poses are needed.
    """
    vertices = len(aside.points(0.0))
    if not vertices:
        raise Refusal(f"{aside.name} shows no mesh that could be posed. Make its parts visible in renders.")
    samples = int(np.clip(MEMORY // (12 * vertices), FEWEST_SAMPLES, SAMPLES))
    measured = np.empty((samples + 1, vertices, 3), np.float32)
    for row, points in enumerate(aside.shapes(np.arange(samples + 1) / samples * frames)):
        measured[row] = points
        yield MEASURED * row / (samples + 1)
    count, rest = 0, 1.0 - MEASURED
    while True:
        count = fewest(measured, tolerance, most, count + 1)
        shapes: list[np.ndarray] = []
        at = np.concatenate((middles(count), edges(count)))
        for points in aside.shapes(at * frames):
            shapes.append(points)
            yield 1.0 - rest + 0.5 * rest * len(shapes) / len(at)
        poses, between = np.stack(shapes[:count]), np.stack(shapes[count:])
        off = furthest(measured, poses, between)
        # Between two samples the mesh may bend further than a straight line tells.
        if off <= tolerance or count >= most:
            return poses, off
        rest *= 0.5


# ---- the collection


def collection_of(model: Model, crowd: Object) -> Collection | None:
    """The collection of the posed meshes of a model of a crowd, if there is one that can be edited."""
    for collection in bpy.data.collections:
        record = collection.get(RECORD) if collection.library is None else None
        if record is not None and record.get("model") == source_of(model.rigs[0].data) and record.get("crowd") == crowd:
            return collection
    return None


def _shaped(posed: Sequence[PosedClip], mesh: Mesh) -> list[tuple[str, Object]]:
    """A new object with a mesh for each pose, in the order of their indices, each with the name that it is to get.

    If one cannot be made, none are left.

    Args:
        mesh: takes the vertices of the first pose; the others are copies of it.
    """
    named: list[tuple[str, Object]] = []
    meshes = [mesh]
    try:
        for stem, clip in _in_order(posed):
            digits = max(2, len(str(len(clip.poses) - 1)))
            for row, phase in enumerate(middles(len(clip.poses))):
                if named:
                    meshes.append(mesh.copy())
                meshes[-1].vertices.foreach_set("co", clip.poses[row].ravel())
                meshes[-1].update()
                name = f"{stem} {row:0{digits}}"
                ob = bpy.data.objects.new(name, meshes[-1])
                named.append((name, ob))
                ob[OURS], ob["steering_clip"], ob["steering_index"] = float(phase), clip.number, len(named) - 1
    except BaseException:
        bpy.data.batch_remove([*(ob for _, ob in named), *meshes])
        raise
    return named


def _replaced(posed: Sequence[PosedClip], named: Sequence[tuple[str, Object]], task: Posing) -> Collection:
    """The collection of the model with new objects, in place of those that were made before."""
    crowd, scene = task.crowd, task.scene
    collection = collection_of(task.model, crowd)
    if collection is None:
        collection = bpy.data.collections.new(f"{NUMBERED.sub('', task.vehicle.name)} Poses")
        collection[RECORD] = {"model": source_of(task.model.rigs[0].data), "crowd": crowd}
    if collection not in set(scene.collection.children_recursive):
        scene.collection.children.link(collection)
        exclude(scene, [collection])
    _clear(collection)
    for name, ob in named:
        # The former ones had the names until now.
        ob.name = ob.data.name = name
        collection.objects.link(ob)
    entries = crowd.steering.portrayal.clips
    first, poses = [0] * len(entries), [0] * len(entries)
    index = 0
    for _, clip in _in_order(posed):
        first[clip.number], poses[clip.number] = index, len(clip.poses)
        index += len(clip.poses)
    collection["steering_first"], collection["steering_poses"] = first, poses
    return collection


def strangers_in(collection: Collection) -> list[str]:
    """The names of other content of a collection of posed meshes, which geometry nodes count with them."""
    return sorted(block.name for block in (*collection.objects, *collection.children) if not _is_ours(block))


def _is_ours(ob: Object | Collection) -> bool:
    return OURS in ob and "steering_index" in ob


def _clear(collection: Collection) -> None:
    """Remove the posed meshes from their collection; what else is in it stays."""
    before = [ob for ob in collection.objects if _is_ours(ob)]
    meshes = list(dict.fromkeys(ob.data for ob in before))
    bpy.data.batch_remove(before)
    bpy.data.batch_remove([mesh for mesh in meshes if not mesh.users])


def _in_order(posed: Sequence[PosedClip]) -> list[tuple[str, PosedClip]]:
    """The clips by name, each with the beginning of the names of its meshes: sorted, those of a clip stay together."""
    stems = [clip.name.encode()[:LONGEST].decode(errors="ignore") for clip in posed]
    pairs = sorted(zip(stems, posed), key=lambda pair: sort_key(pair[0]))
    names = [f"{stem} {row:03}" for stem, clip in pairs for row in (0, len(clip.poses) - 1)]
    apart = all(sort_key(before) <= sort_key(after) for before, after in pairwise(names))
    if apart and len({stem.lower() for stem in stems}) == len(stems):
        return pairs
    return [(f"{row:02} {stem}", clip) for row, (stem, clip) in enumerate(pairs)]


def sort_key(name: str) -> list[tuple[int, int, str]]:
    """The key by which geometry nodes sort objects of a collection: digits as numbers, points first, any case."""
    runs = re.findall(r"\d+|\D", name.lower())
    return [(1, int(run), "") if run.isdigit() else (0 if run == "." else 1, ord(run), run) for run in runs]
