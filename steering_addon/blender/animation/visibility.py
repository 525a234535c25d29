"""Hiding objects for some frames, from the viewport and from renders, and restoring what the animator had.

A vehicle that has not entered yet, or has left, is hidden by keys of the bake on Blender's two visibility switches.
Objects hidden by the animator stay hidden. An object is hidden with all its parts, as Blender does not hide children
with their parent.

Objects of a library override that no one has made editable are locked. Blender sets their values one by one, but not in
bulk: `foreach_set` ends at the first of them, without an error.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress

import bpy
import numpy as np
from bpy.types import Object

from ..objects.hierarchy import Family
from .animation_data import evaluate
from .keyframes import frames_of
from .ownership import CurrentAnimation, own_drivers, own_strips

SWITCHES = ("hide_viewport", "hide_render")
"""The data paths that hide an object: from the viewport, and from renders."""


def parts(ob: Object, family: Family) -> Iterator[Object]:
    """The visible parts of an object: its children at any depth, except cameras."""
    return (part for part in family.descendants(ob) if part.type != "CAMERA")


def switches_of(ob: Object, hidden: np.ndarray, first: float, played: CurrentAnimation) -> dict[str, np.ndarray]:
    """The switches to key so that an object is `hidden` on some frames, (f,) booleans each; none if it never is.

    A switch by which the animator hides it anyway is left alone. So is a camera, as Blender does not evaluate the
    transform of a hidden camera.
    """
    if ob.type == "CAMERA" or not hidden.any():
        return {}
    return {path: hidden for path in SWITCHES if not is_hidden(ob, path, first, played)}


def is_hidden(ob: Object, path: str, first: float, played: CurrentAnimation) -> bool:
    """Whether the animator hides an object by a switch, for a bake that begins on frame `first`.

    If keys of the animator lead up to that frame, the last of them decides; an object with other keys, drivers or
    strips on the switch is not permanently hidden.
    """
    if played.record is not None and path in played.record.channels:
        # An earlier bake keys only switches that do not hide permanently, whatever the current value.
        return False
    curve = played.curves(path).get(0)
    frames = np.zeros(0) if curve is None or curve.mute else frames_of(curve)
    if len(frames):
        before = frames[frames < first]
        return bool(len(before) and evaluate(curve, before[-1:])[0] >= 0.5)
    if own_drivers(ob, (path,)) or own_strips(ob, -np.inf, np.inf, (path,)):
        return False
    return getattr(ob, path)


def kept_hidden(ob: Object, path: str, played: CurrentAnimation) -> bool:
    """Whether an object is hidden by a switch, or was before a bake keyed the switch."""
    kept = played.record.kept_hidden if played.record is not None else {}
    return kept.get(path, getattr(ob, path))


def show_as(switches: Mapping[Object, Mapping[str, bool]]) -> None:
    """Set switches of objects, by their data paths. In bulk: when set one by one, Blender goes through all collections
    for each."""
    # The objects on which a switch has another value than it should.
    changes = {
        path: {ob: due[path] for ob, due in switches.items() if path in due and getattr(ob, path) != due[path]}
        for path in SWITCHES
    }
    if not any(changes.values()):
        return
    rows = {ob: row for row, ob in enumerate(bpy.data.objects)}
    for path, changed in changes.items():
        values = np.empty(len(rows), dtype=np.bool_)
        bpy.data.objects.foreach_get(path, values)
        for ob, hidden in changed.items():
            values[rows[ob]] = hidden
            ob.update_tag()
        with unlocked(bpy.data.objects):
            bpy.data.objects.foreach_set(path, values)
    notice()


def notice() -> None:
    """Let Blender notice what was set in bulk: setting a single object makes it go through all collections."""
    local = next((ob for ob in bpy.data.objects if ob.library is None), None)
    if local is not None:
        local.hide_render = local.hide_render


@contextmanager
def unlocked(objects: Iterable[Object]) -> Iterator[None]:
    """Let values of objects be set in bulk until the end, when those that were locked are locked again."""
    # Only a file with libraries has overrides; to look at all objects of another would take time on each frame.
    locked = [ob for ob in objects if _is_locked(ob)] if bpy.data.libraries else []
    for ob in locked:
        ob.override_library.is_system_override = False
    try:
        yield
    finally:
        for ob in locked:
            # A handler of another extension may have removed it.
            with suppress(ReferenceError):
                ob.override_library.is_system_override = True


def _is_locked(ob: Object) -> bool:
    return ob.library is None and ob.override_library is not None and ob.override_library.is_system_override
