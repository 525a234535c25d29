"""Showing vehicles in poses that they do not have: on Blender's evaluated copies, while the objects stay unchanged.

An object is changed, evaluated and changed back. Blender does not notice values written in bulk (`foreach_set`), so the
copy that is drawn, and everything that depends on it (children, cameras, constraints), keeps the pose until the object
is evaluated the next time. Keys of the vehicle do not interfere: they are evaluated when the frame changes, before
this.
Shape keys belong to a mesh that many objects share, so what these bend is bent where Blender has evaluated it. Where
the animator's object lacks a property, no driver can read it, and none is made.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import compress

import bpy
import numpy as np
from bpy.types import Depsgraph, Object
from mathutils import Matrix

from ...simulation.arrays.identities import rows_among
from ..animation.posing import POSE
from ..animation.rotation_channels import data_path
from ..animation.visibility import unlocked
from ..clips.shapes import Shapes
from ..read.plan import Plan
from .hiding import Hideable
from .stand_ins import Placed, PlainVehicles, Stand, StandIns, covered
from .swings import BEAT

WIDTHS = {"location": 3, "rotation_quaternion": 4, "rotation_euler": 3, "scale": 3}
"""The channels of bones that a preview poses, and their number of components."""


@dataclass(frozen=True)
class RigPose:
    """The pose of an armature, or of a mesh with shape keys, that plays clips. `channels`: as (data path, index);
    `values`: (c,) of these."""

    rig: Object
    channels: Sequence[tuple[str, int]]
    values: np.ndarray
    shapes: Shapes | None = None


@contextmanager
def posed(poses: Sequence[RigPose]) -> Iterator[None]:
    """Pose armatures until the end, when their channels are as before without Blender evaluating them again."""
    before: list[tuple[Object, dict[str, np.ndarray]]] = []
    layouts: dict[tuple[str, int], dict[str, tuple[np.ndarray, np.ndarray]]] = {}
    try:
        for pose in poses:
            if pose.shapes is not None:
                pose.rig.update_tag(refresh={"DATA"})
                continue
            alike = pose.rig.data.name_full, id(pose.channels)
            if alike not in layouts:
                layouts[alike] = _layout(pose)
            stood = {name: _values(pose.rig, name) for name in WIDTHS}
            before.append((pose.rig, stood))
            for name, (places, columns) in layouts[alike].items():
                values = stood[name].copy()
                values.ravel()[places] = pose.values[columns]
                pose.rig.pose.bones.foreach_set(name, values.ravel())
            pose.rig.update_tag(refresh={"OBJECT", "DATA"})
        yield
    finally:
        for rig, stood in before:
            _put_back_bones(rig, stood)


def bend(poses: Sequence[RigPose], depsgraphs: Sequence[Depsgraph]) -> None:
    """Pose the meshes with shape keys among these where viewports have evaluated them, until they do so again.

    Those whose modifiers add or remove points keep the pose that they have.
    """
    for pose in poses:
        if pose.shapes is None:
            continue
        points = pose.shapes.local_points(pose.shapes.poses_of(pose.channels, pose.values[None]))[0]
        for depsgraph in depsgraphs:
            mesh = pose.rig.evaluated_get(depsgraph).data
            if len(mesh.vertices) == len(points):
                # Several times as fast as by the vertices.
                mesh.attributes["position"].data.foreach_set("vector", points.astype(np.float32).ravel())
                mesh.update()


def _values(rig: Object, name: str) -> np.ndarray:
    """A channel of all bones, a row each."""
    bones = rig.pose.bones
    values = np.empty((len(bones), WIDTHS[name]), dtype=np.float32)
    bones.foreach_get(name, values.ravel())
    return values


def _put_back_bones(rig: Object, stood: dict[str, np.ndarray]) -> None:
    """Restore channels of bones, also those that drivers have set since.

    One bone at a time: once bones are set in bulk, Blender 4.3 and later evaluates the drivers of their armature again,
    and with them its pose.
    """
    bones = list(rig.pose.bones)
    for name, values in stood.items():
        for row in np.flatnonzero((_values(rig, name) != values).any(axis=1)).tolist():
            bones[row].path_resolve(name, False).foreach_set(values[row])


def _layout(pose: RigPose) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Where the values of a pose go: by channel of the bones, the places in its column and the rows of the values."""
    rows = {bone.name: row for row, bone in enumerate(pose.rig.pose.bones)}
    pairs: dict[str, list[tuple[int, int]]] = {}
    for column, (path, index) in enumerate(pose.channels):
        bone, _, name = path[len(POSE) + 1 :].rpartition('"].')
        bone = bpy.utils.unescape_identifier(bone)
        if name in WIDTHS and bone in rows:
            pairs.setdefault(name, []).append((rows[bone] * WIDTHS[name] + index, column))
    return {name: tuple(np.array(each).T) for name, each in pairs.items()}


@contextmanager
def told_to_drivers(told: Sequence[tuple[Object, Mapping[str, float]]]) -> Iterator[None]:
    """Give properties of objects these values until the end; Blender does not notice that they go again."""
    before = []
    try:
        for ob, values in told:
            for name, value in values.items():
                was = ob.get(name)
                if isinstance(was, (int, float)):
                    before.append((ob, name, was))
                    ob[name] = value if isinstance(was, float) else round(value)
            # Drivers that read it are evaluated with any tag; without one named, its mesh would be, too.
            ob.update_tag(refresh={"OBJECT"})
        yield
    finally:
        for ob, name, was in before:
            ob[name] = was


@dataclass(frozen=True)
class Told:
    """The numbers that drivers read of vehicles on a frame.

    Attributes:
        owner: gives the object of a vehicle.
        names: the properties that are read, by the row of the vehicle.
        groups: the rows (m,) of some vehicles, and their numbers (m,) by name.
    """

    owner: Callable[[int], Object]
    names: Mapping[int, Sequence[str]]
    groups: Sequence[tuple[np.ndarray, Mapping[str, np.ndarray]]]

    def columns(self, names: Sequence[str], usual: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Numbers of some vehicles, (k, names); as `usual` where none are told."""
        columns = usual.copy()
        for members, numbers in self.groups:
            at = rows_among(members, rows)
            for k, name in enumerate(names):
                if name in numbers:
                    columns[at >= 0, k] = numbers[name][at[at >= 0]]
        return columns

    def by_object(self, besides: Set[int]) -> list[tuple[Object, Mapping[str, float]]]:
        """The properties that are read of each object by name, but for those of some rows."""
        told: dict[int, dict[str, float]] = {row: {} for row in self.names if row not in besides}
        for members, numbers in self.groups:
            for k, row in enumerate(members.tolist() if told else ()):
                if row in told:
                    told[row] |= {name: float(numbers[name][k]) for name in self.names[row] if name in numbers}
        return [(self.owner(row), values) for row, values in told.items()]


CHANNELS = {"location": 3, "rotation_euler": 3, "rotation_quaternion": 4, "rotation_axis_angle": 4, "scale": 3}
"""The channels that place an object, and their number of components."""
HIDE = "hide_viewport"
TAGS_SCENE_ITSELF = (5, 2, 0)
"""The first Blender known to evaluate the view layer again where objects with animated visibility need it."""
NOTHING = (0.0, 0.0, 0.0)
"""The scale of hidden objects, which hides their children too. Blender's own switches make it sort all objects."""


@dataclass(frozen=True)
class Shown:
    """The view of n vehicles and m resources on a frame.

    Attributes:
        location, rotation: (k, 3) and (k, 4) the channels of vehicles that are objects; of three angles the last
            number is 0.
        points: where the vehicles are that others stand in for.
        gone: (n + m,) which vehicles are absent, and which resources are eaten up.
        outside: (n,) which vehicles have not entered yet.
        told: what drivers read; None if they read nothing.
    """

    location: np.ndarray
    rotation: np.ndarray
    gone: np.ndarray
    outside: np.ndarray
    rig_poses: Sequence[RigPose]
    told: Told | None
    points: Sequence[Placed] = ()

    def fits(self, plan: Plan) -> bool:
        """Whether it is of as many vehicles as a plan has."""
        return len(self.outside) == len(plan) and len(self.location) == len(plan.vehicles.source.objects)


def show(
    plan: Plan,
    shown: Shown,
    hideable: Hideable,
    stands: Sequence[Stand],
    stand_ins: StandIns,
    driven: Iterable[Object],
    depsgraphs: list[Depsgraph],
    plain: PlainVehicles | None,
    fresh: bool,
) -> list[Object]:
    """Show the vehicles of a plan; the objects themselves are unchanged afterwards. Returns those posed by other than
    their place.

    In all viewports together: one left out would evaluate the vehicles later, in their real poses. A hidden vehicle is
    shrunk to nothing, except the cameras on it; a visible one that keys of a bake hide is uncovered.

    Args:
        stands: those vehicles that are not objects in view.
        stand_ins: what shows these, in place of objects that are shrunk to nothing, too.
        driven: those vehicles and parts whose channels have drivers (`is_driven`).
        plain: those that faces show, in the only viewport.
        fresh: whether the viewports are drawn again in any case.
    """
    hidden, under = hideable.hidden(shown.gone), covered(plan)
    objects, themselves = plan.vehicles.source.objects, np.ones(len(shown.location), dtype=np.bool_)
    shrunk, uncovered, looking = hideable.shrunk(hidden), hideable.uncovered(hidden), hideable.looking(hidden)
    shrunk += under
    rows = np.zeros(0, dtype=np.int64)
    if plain is not None:
        beats = plain.beat if shown.told is None else shown.told.columns(BEAT, plain.beat, plain.rows)
        by_face = plain.by_face(depsgraphs[0], beats)
        themselves[plain.places[by_face]] = False
        replaced = set(compress(plain.objects, by_face)) if shrunk else ()
        shrunk = [ob for ob in shrunk if ob not in replaced]
        shrunk += plain.to_shrink(by_face, depsgraphs[0])
        rows = plain.rows[by_face]
    poses = zip(shown.location[themselves].tolist(), shown.rotation[themselves].tolist())
    placing = dict(zip(compress(objects, themselves), poses))
    told = shown.told.by_object(set(rows.tolist())) if shown.told is not None else []
    changed = stand_ins.make(plan.scene, [*stands, *([plain] if plain is not None else [])])
    for stand, made, placed in zip(stands, stand_ins.made, shown.points):
        stand.put(made, placed, shown.gone)
    again = shown_as_nothing(hideable.resources.difference(() if looking else shrunk), depsgraphs)
    posing = [*(pose.rig for pose in shown.rig_poses), *(ob for ob, _ in told)]
    if changed or stands or placing or shrunk or uncovered or again or posing or not fresh:
        _show_objects(shown.rig_poses, told, placing, shrunk, uncovered, [*under, *again], looking, driven, depsgraphs)
    if plain is not None:
        copies = [ob.evaluated_get(depsgraphs[0]) for ob in stand_ins.made[-1]]
        plain.put(copies, shown.location, shown.rotation, beats, hidden[plain.rows] | ~by_face)
    return posing


def _show_objects(
    rig_poses: Sequence[RigPose],
    told: Sequence[tuple[Object, Mapping[str, float]]],
    placing: Mapping[Object, tuple[list[float], list[float]]],
    shrunk: list[Object],
    uncovered: list[Object],
    again: list[Object],
    looking: list[Object],
    driven: Iterable[Object],
    depsgraphs: list[Depsgraph],
) -> None:
    """Show objects; `placing`: the location and rotation channels of vehicles; `shrunk`, `uncovered`, `again`: the
    objects to shrink to nothing, to uncover and to evaluate again; `looking`: the cameras that would shrink too."""
    stood = [(ob, _channels(ob)) for ob in driven]
    with (
        unlocked(bpy.data.objects),
        _put_back_unnoticed([*placing, *shrunk, *uncovered]),
        posed(rig_poses),
        told_to_drivers(told),
    ):
        for ob, (location, rotation) in placing.items():
            ob.location = location
            path = data_path(ob.rotation_mode)
            setattr(ob, path, rotation[: CHANNELS[path]])
        # Each of these makes Blender go through all objects, so it is only done if it makes a difference.
        for ob in uncovered:
            ob.hide_viewport = False
        for ob in again:
            ob.update_tag(refresh={"OBJECT"})
        views = _views(looking, depsgraphs)
        for ob in shrunk:
            ob.scale = NOTHING
        for depsgraph in depsgraphs:
            _evaluate(depsgraph)
        bend(rig_poses, depsgraphs)
        for camera, depsgraph, matrix in views:
            _place(camera.evaluated_get(depsgraph), matrix)
        # When the frame changes, Blender writes channels of the copy to the object if a driver gives no value: a muted
        # one, or one that it has given up. What is drawn depends on the matrix only.
        for ob, channels in stood:
            for depsgraph in depsgraphs:
                _give(ob.evaluated_get(depsgraph), channels)


def is_driven(ob: Object) -> bool:
    """Whether a channel that places an object has a driver, also one that gives no value."""
    drivers = ob.animation_data.drivers if ob.animation_data else ()
    return any(driver.data_path in CHANNELS for driver in drivers)


def _views(cameras: Iterable[Object], depsgraphs: list[Depsgraph]) -> list[tuple[Object, Depsgraph, Matrix]]:
    """The cameras, each viewport that has them, and their world matrices while nothing that carries them is shrunk."""
    views = []
    for depsgraph in depsgraphs if cameras else ():
        _evaluate(depsgraph)
        copies = [(camera, camera.evaluated_get(depsgraph)) for camera in cameras]
        views += [(camera, depsgraph, copy.matrix_world.copy()) for camera, copy in copies if copy.is_evaluated]
    return views


def _place(copy: Object, matrix: Matrix) -> None:
    """Give an evaluated copy a world matrix until its next evaluation, without changing its channels."""
    channels = _channels(copy)
    copy.matrix_world = matrix
    _give(copy, channels)


def _channels(ob: Object) -> dict[str, tuple[float, ...]]:
    return {path: tuple(getattr(ob, path)) for path in CHANNELS}


def _give(ob: Object, channels: dict[str, tuple[float, ...]]) -> None:
    for path, values in channels.items():
        setattr(ob, path, values)


def show_as_they_are(obs: Iterable[Object], depsgraph: Depsgraph) -> None:
    """Evaluate objects in a viewport in their real poses, to be read there."""
    for ob in obs:
        ob.update_tag(refresh={"OBJECT"})
    _evaluate(depsgraph)


def _evaluate(depsgraph: Depsgraph) -> None:
    """Evaluate in a viewport what has changed."""
    if bpy.app.version < TAGS_SCENE_ITSELF:
        # Else Blender crashes at a later change of the frame: docs/blender_traps.md, "Evaluating in a frame handler".
        depsgraph.scene.update_tag()
    depsgraph.update()


def shown_as_nothing(obs: Iterable[Object], depsgraphs: list[Depsgraph]) -> list[Object]:
    """The objects that are shrunk to nothing in a viewport."""
    return [ob for ob in obs if any(ob.evaluated_get(d).matrix_world.median_scale == 0.0 for d in depsgraphs)]


@contextmanager
def _put_back_unnoticed(moved: list[Object]) -> Iterator[None]:
    """Restore the channels of all objects at the end, without Blender evaluating them again."""
    objects = bpy.data.objects
    names = objects.keys()
    stood = {path: np.empty((len(names), width), dtype=np.float32) for path, width in CHANNELS.items()}
    stood[HIDE] = np.empty(len(names), dtype=np.bool_)
    for path, values in stood.items():
        objects.foreach_get(path, values.ravel())
    try:
        yield
    finally:
        if objects.keys() == names:
            for path, values in stood.items():
                objects.foreach_set(path, values.ravel())
        else:
            # Another handler has added or removed objects during the update: the rows have changed.
            _put_back(moved, names, stood)


def _put_back(moved: list[Object], names: list[str], stood: dict[str, np.ndarray]) -> None:
    rows = {name: row for row, name in reversed(list(enumerate(names)))}
    for ob in moved:
        for path, values in stood.items():
            setattr(ob, path, values[rows[ob.name]].tolist())
