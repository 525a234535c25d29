"""Showing vehicles where they are not: poses on Blender's evaluated copies, while the objects themselves stay put.

An object is changed, evaluated and changed back in one go. What is written in bulk (`foreach_set`) Blender does not
notice, so the copy that is drawn, and all that hangs on it, children, cameras and constraints, keep the pose until the
object is evaluated the next time. Keys of the vehicle do not stand in the way: they are evaluated when the frame
changes, and this comes after.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ..read.rotation_channels import data_path

if TYPE_CHECKING:
    from bpy.types import Depsgraph, Object
    from mathutils import Matrix

    from ..read.plan import Plan
    from .hiding import Hideable
    from .poses import Poses

CHANNELS = {"location": 3, "rotation_euler": 3, "rotation_quaternion": 4, "rotation_axis_angle": 4, "scale": 3}
"""What places an object, and how many numbers each is."""
HIDE = "hide_viewport"
NOTHING = (0.0, 0.0, 0.0)
"""The scale of what is hidden, with all that hangs on it. Blender's own switches would have it sort all anew."""


def show(plan: Plan, poses: Poses, hideable: Hideable, depsgraphs: list[Depsgraph]) -> None:
    """Show the vehicles of a plan in these poses; on the objects themselves nothing has changed afterwards.

    All viewports at once: one that is left out would evaluate the vehicles later, where they really are. Who is
    hidden shrinks to nothing, but for the cameras on it; who is not, but is covered by keys of a bake that hide it, is
    uncovered.
    """
    vehicles = plan.vehicles.source.objects
    hidden = hideable.hidden(poses.gone)
    shrunk, uncovered, looking = hideable.shrunk(hidden), hideable.uncovered(hidden), hideable.looking(hidden)
    with _put_back_unnoticed([*vehicles, *shrunk, *uncovered]):
        for ob, location, rotation in zip(vehicles, poses.location.tolist(), poses.rotation.tolist()):
            ob.location = location
            path = data_path(ob.rotation_mode)
            setattr(ob, path, rotation[: CHANNELS[path]])
        # Each of these costs Blender a look through all objects, so that it is only done where it makes a difference.
        for ob in uncovered:
            ob.hide_viewport = False
        stay_shrunk = set() if looking else set(shrunk)
        for ob in shown_as_nothing(hideable.resources - stay_shrunk, depsgraphs):
            ob.update_tag(refresh={"OBJECT"})
        views = _views(looking, depsgraphs)
        for ob in shrunk:
            ob.scale = NOTHING
        for depsgraph in depsgraphs:
            depsgraph.update()
        for camera, depsgraph, matrix in views:
            _place(camera.evaluated_get(depsgraph), matrix)


def _views(cameras: Iterable[Object], depsgraphs: list[Depsgraph]) -> list[tuple[Object, Depsgraph, Matrix]]:
    """Where cameras stand in the viewports that have them, while nothing that carries them has shrunk."""
    found = []
    for depsgraph in depsgraphs if cameras else ():
        depsgraph.update()
        copies = [(camera, camera.evaluated_get(depsgraph)) for camera in cameras]
        found += [(camera, depsgraph, copy.matrix_world.copy()) for camera, copy in copies if copy.is_evaluated]
    return found


def _place(copy: Object, matrix: Matrix) -> None:
    """Have an evaluated copy stand somewhere until it is evaluated anew, with the channels that is done from."""
    channels = {path: tuple(getattr(copy, path)) for path in CHANNELS}
    copy.matrix_world = matrix
    for path, values in channels.items():
        setattr(copy, path, values)


def show_as_they_are(obs: Iterable[Object], depsgraph: Depsgraph) -> None:
    """Have objects stand in a viewport where they really are, to be read there."""
    for ob in obs:
        ob.update_tag(refresh={"OBJECT"})
    depsgraph.update()


def shown_as_nothing(obs: Iterable[Object], depsgraphs: list[Depsgraph]) -> list[Object]:
    """The objects that have shrunk to nothing in one of the viewports."""
    return [ob for ob in obs if any(tuple(ob.evaluated_get(d).scale) == NOTHING for d in depsgraphs)]


@contextmanager
def _put_back_unnoticed(moved: list[Object]) -> Iterator[None]:
    """Have all objects where they were afterwards, without Blender evaluating them anew."""
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
            # Somebody else has added or removed objects on the update: the rows are others now.
            _put_back(moved, names, stood)


def _put_back(moved: list[Object], names: list[str], stood: dict[str, np.ndarray]) -> None:
    there = {name: row for row, name in reversed(list(enumerate(names)))}
    for ob in moved:
        for path, values in stood.items():
            setattr(ob, path, values[there[ob.name]].tolist())
