"""Handlers that keep the pictures of the scenes up to date.

After every change and on every frame, the known objects are drawn again immediately. Finding the objects to draw,
where they can walk and which forces are requested takes longer, so a timer does that a moment after the last change.
"""

import time
from dataclasses import dataclass, field, replace

import bpy
from bpy.types import Depsgraph, Scene, Window

from .. import handlers, preview
from ..objects.tagged_objects import full_name
from ..refusal import Refusal
from .picture import Picture, Subjects, enabled_items, find_cast, picture
from .tracks import Tracks
from .ways import Request, WayLines, requested_forces, way_lines

PAUSE = 0.08
"""Seconds without a change after which the objects to draw are searched for."""


@dataclass
class _Watched:
    """The state of the overlay of a scene. `cast`: the objects to draw, None while unknown; `reshaped`: whether a
    measured object may have changed its shape since it was measured; `objects`: the number of objects in the file when
    the cast was found."""

    cast: Subjects | None = None
    tracks: Tracks = field(default_factory=Tracks)
    reshaped: bool = False
    picture: Picture = field(default_factory=Picture)
    objects: int = 0


_scenes: dict[int, _Watched] = {}
_due = 0.0


def begin() -> None:
    handlers.begin(HANDLERS)
    _schedule_update()


def end() -> None:
    handlers.end(HANDLERS, _update)
    _scenes.clear()


def picture_of(scene: Scene) -> Picture | None:
    """The lines to draw over a scene, or None if they are not known yet."""
    watched = _scenes.get(scene.session_uid)
    if watched is None:
        _schedule_update()
        return None
    return watched.picture


def vehicles_of(scene: Scene) -> int:
    """The number of vehicles that are drawn in a scene."""
    watched = _scenes.get(scene.session_uid)
    return len(watched.cast.vehicles) if watched is not None and watched.cast is not None else 0


def _forget(*_arguments) -> None:
    _scenes.clear()
    _schedule_update()


def _on_change(scene: Scene, depsgraph: Depsgraph | None = None) -> None:
    # A render evaluates a depsgraph of its own, which no viewport shows.
    if depsgraph is None or depsgraph.mode != "VIEWPORT":
        return
    # A bake reads frames in a scene that no window shows, and Blender then reports updates of all, without any change.
    windows = [window for window in bpy.context.window_manager.windows if window.scene == scene]
    if not windows or not len(depsgraph.updates):
        return
    watched = _scenes.get(scene.session_uid)
    if watched is not None and watched.objects != len(bpy.data.objects):
        # Not one view is drawn without what was added.
        for window in windows:
            _update_window(window)
        return
    if watched is not None and watched.cast is not None and not watched.reshaped:
        watched.reshaped = _reshapes(depsgraph, watched.cast)
    _redraw(scene, depsgraph, [])
    _schedule_update()


def _reshapes(depsgraph: Depsgraph, cast: Subjects) -> bool:
    """Whether the update may change the shape or size of a measured object."""
    return any(
        (update.is_updated_geometry or update.is_updated_transform)
        and isinstance(update.id, bpy.types.Object)
        and full_name(update.id) in cast.measured
        for update in depsgraph.updates
    )


def _redraw(scene: Scene, depsgraph: Depsgraph, requests: list[Request]) -> None:
    """Compute the picture of a scene again from its known objects."""
    watched = _scenes.get(scene.session_uid)
    if watched is None or watched.cast is None:
        return
    watched.tracks.previewed = preview.is_on(scene)
    try:
        watched.tracks.record(watched.cast.vehicles, depsgraph, scene.frame_current)
        watched.picture = picture(scene, depsgraph, watched.cast, watched.tracks, requests, enabled_items(scene))
    except ReferenceError:
        # An object was removed. The timer finds the remaining ones.
        watched.cast, watched.picture = None, Picture()


def _schedule_update() -> None:
    global _due
    _due = time.monotonic() + PAUSE
    handlers.later(_update, PAUSE)


def _update() -> float | None:
    """Find the objects to draw in the scenes of all windows; returns the seconds to wait if called too early."""
    wait = _due - time.monotonic()
    if wait > 0.0:
        return wait
    for window in bpy.context.window_manager.windows:
        _update_window(window)
    return None


def _update_window(window: Window) -> None:
    scene, layer = window.scene, window.view_layer
    depsgraph = layer.depsgraph
    if depsgraph is None:
        return
    watched = _scenes.setdefault(scene.session_uid, _Watched())
    items = enabled_items(scene)
    watched.objects = len(bpy.data.objects)
    watched.cast = find_cast(scene, layer, None if watched.reshaped else watched.cast) if items else None
    watched.reshaped = False
    if watched.cast is None:
        watched.picture = Picture()
    else:
        watched.tracks.keep_only(watched.cast.vehicles)
        if "WAYS" in items:
            watched.cast = replace(watched.cast, ways=_ways(watched.cast, scene, depsgraph))
        _redraw(scene, depsgraph, _requests(watched, scene, depsgraph) if "FORCES" in items else [])
    for area in window.screen.areas:
        if area.type == "VIEW_3D":
            area.tag_redraw()


def _requests(watched: _Watched, scene: Scene, depsgraph: Depsgraph) -> list[Request]:
    if not watched.cast.vehicles:
        return []
    try:
        return requested_forces(watched.cast.vehicles, scene, depsgraph, watched.tracks)
    except Refusal:
        # The bake reports the reason.
        return []


def _ways(cast: Subjects, scene: Scene, depsgraph: Depsgraph) -> WayLines:
    try:
        return way_lines(cast.vehicles, scene, depsgraph)
    except Refusal:
        # The bake reports the reason.
        return WayLines()


HANDLERS = {
    "depsgraph_update_post": _on_change,
    "frame_change_post": _on_change,
    # Undo and loading invalidate the references to objects.
    **{f"{event}_{moment}": _forget for event in ("undo", "redo", "load") for moment in ("pre", "post")},
}
