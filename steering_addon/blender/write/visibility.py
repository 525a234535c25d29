"""Hiding objects for a while, from the viewport and from renders: which objects, and what the animator had them be.

Who is not there yet, or no longer, is hidden by keys of the bake on Blender's own two switches. What the animator
hides anyway stays hidden; and what is hidden goes with all its parts, as Blender hides no children with their parent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import bpy
import numpy as np

from .animation_data import evaluate
from .keyframes import read_column
from .ownership import Played, own_drivers, own_strips

if TYPE_CHECKING:
    from bpy.types import Object

    from ..hierarchy import Family

SWITCHES = ("hide_viewport", "hide_render")
"""The data paths that hide an object: from the viewport, and from renders."""


def parts(ob: Object, family: Family) -> Iterator[Object]:
    """What is seen of an object besides itself: all that hangs on it, but for cameras, through which one looks."""
    return (part for part in family.descendants(ob) if part.type != "CAMERA")


def switches_of(ob: Object, hidden: np.ndarray, first: float, played: Played) -> dict[str, np.ndarray]:
    """The switches to key for an object to be hidden on some frames, each (f,) booleans; none for one never hidden.

    A switch by which the animator hides it anyway is left alone, and so is a camera: one looks through it, and of one
    that is hidden Blender no longer works out where it stands.

    Args:
        hidden: (f,) booleans.
        first: the first frame.
        played: what it plays.
    """
    if ob.type == "CAMERA" or not hidden.any():
        return {}
    return {path: hidden for path in SWITCHES if not is_hidden(ob, path, first, played)}


def is_hidden(ob: Object, path: str, first: float, played: Played) -> bool:
    """Whether the animator hides an object by a switch, as a bake that begins on frame `first` finds it.

    Where keys of the animator's own lead up to that frame they say it; where other keys, drivers or strips do, it is
    not hidden for good.
    """
    if played.record is not None and path in played.record.channels:
        # What an earlier bake has keyed was not hidden for good, whatever it stands at now.
        return False
    own = played.curves(path).get(0)
    frames = np.zeros(0) if own is None or own.mute else read_column(own, "co")[:, 0]
    if len(frames):
        before = frames[frames < first]
        return bool(len(before) and evaluate(own, before[-1:])[0] >= 0.5)
    if own_drivers(ob, (path,)) or own_strips(ob, -np.inf, np.inf, (path,)):
        return False
    return getattr(ob, path)


def kept_hidden(ob: Object, path: str, played: Played) -> bool:
    """Whether an object is hidden by a switch, or was before a bake keyed that."""
    kept = played.record.kept_hidden if played.record is not None else {}
    return kept.get(path, getattr(ob, path))


def show_as(switches: Mapping[Object, Mapping[str, bool]]) -> None:
    """Set switches of objects by their data paths, for all objects at once.

    One after the other, Blender would go through all collections for each.
    """
    changes = {path: _changes(switches, path) for path in SWITCHES}
    if not any(changes.values()):
        return
    rows = {ob: row for row, ob in enumerate(bpy.data.objects)}
    for path, changed in changes.items():
        values = np.empty(len(rows), dtype=np.bool_)
        bpy.data.objects.foreach_get(path, values)
        for ob, hidden in changed.items():
            values[rows[ob]] = hidden
            ob.update_tag()
        bpy.data.objects.foreach_set(path, values)
    notice()


def notice() -> None:
    """Have Blender notice what was set in bulk: it looks through all collections when one object is set by itself."""
    one = next((ob for ob in bpy.data.objects if ob.library is None), None)
    if one is not None:
        one.hide_render = one.hide_render


def _changes(switches: Mapping[Object, Mapping[str, bool]], path: str) -> dict[Object, bool]:
    """The objects on which a switch is not yet as it shall be."""
    wanted = {ob: hidden[path] for ob, hidden in switches.items() if path in hidden}
    return {ob: hidden for ob, hidden in wanted.items() if getattr(ob, path) != hidden}
