"""Showing vehicles where they are not: poses on Blender's evaluated copies, while the objects themselves stay put.

An object is changed, evaluated and changed back in one go. What is written in bulk (`foreach_set`) Blender does not
notice, so the copy that is drawn, and all that hangs on it, children, cameras and constraints, keep the pose until the
object is evaluated the next time. Keys of the vehicle do not stand in the way: they are evaluated when the frame
changes, and this comes after.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ..animation_data import action_of
from ..attendance import parts_of
from ..family import Family
from ..ownership import bake_of
from ..rotation_channels import data_path

if TYPE_CHECKING:
    from bpy.types import Depsgraph, Object

    from ..plan import Plan
    from .rehearsal import Poses

CHANNELS = {"location": 3, "rotation_euler": 3, "rotation_quaternion": 4, "rotation_axis_angle": 4, "scale": 3}
"""What places an object, and how many numbers each is."""
HIDE = "hide_viewport"
NOTHING = (0.0, 0.0, 0.0)
"""The scale of what is hidden, with all that hangs on it. Blender's own switches would have it sort all anew."""


def hidden_by_bakes(plan: Plan) -> dict[int, list[Object]]:
    """What the keys of a bake hide for a while, by the row of the vehicle: itself and parts of it."""
    family, found = Family(), {}
    for row, vehicle in enumerate(plan.vehicles):
        hidden = [ob for ob in (vehicle.ob, *parts_of(vehicle.ob, family)) if _is_hidden_by_bake(ob)]
        if hidden:
            found[row] = hidden
    return found


def _is_hidden_by_bake(ob: Object) -> bool:
    record = bake_of(ob) if action_of(ob) is not None else None
    return record is not None and record.kept_hidden.get(HIDE, True) is False


def show(
    plan: Plan, poses: Poses, depsgraphs: Iterable[Depsgraph], covered: Mapping[int, Iterable[Object]] | None = None
) -> None:
    """Show the vehicles of a plan in these poses; on the objects themselves nothing has changed afterwards.

    All viewports at once: one that is left out would evaluate the vehicles later, where they really are. Who is
    hidden shrinks to nothing; who is not, but is `covered` by keys of a bake that hide it, is uncovered.
    """
    vehicles = [vehicle.ob for vehicle in plan.vehicles]
    uncovered = [ob for row, obs in (covered or {}).items() if not poses.hidden[row] for ob in obs if ob.hide_viewport]
    with _put_back_unnoticed([*vehicles, *uncovered]):
        rows = zip(vehicles, poses.location.tolist(), poses.rotation.tolist(), poses.hidden.tolist())
        for ob, location, rotation, hidden in rows:
            ob.location = location
            path = data_path(ob.rotation_mode)
            setattr(ob, path, rotation[: CHANNELS[path]])
            if hidden:
                ob.scale = NOTHING
        # Each of these costs Blender a look through all objects, so that it is only done where it makes a difference.
        for ob in uncovered:
            ob.hide_viewport = False
        for depsgraph in depsgraphs:
            depsgraph.update()


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
