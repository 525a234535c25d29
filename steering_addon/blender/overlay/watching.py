"""Keeping the pictures of the scenes up to date.

As soon as anything changes or a frame is shown, what is known to be there is looked at anew. Who is there at all, and
what behaviors ask, takes longer to find out: that is done a moment after the last change.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import bpy

from .. import preview
from ..refusal import Refusal
from ..tagged_objects import full_name
from .picture import Cast, Picture, cast, picture, shown
from .requests import Request, asked_of
from .tracks import Tracks

if TYPE_CHECKING:
    from bpy.types import Depsgraph, Scene, Window

PAUSE = 0.08
"""Seconds without a change after which is found out who is there."""


@dataclass
class _Watched:
    """What is known of a scene, and whether one of its things may have changed its shape since it was measured."""

    who: Cast | None = None
    tracks: Tracks = field(default_factory=Tracks)
    reshaped: bool = False
    picture: Picture = field(default_factory=Picture)


_scenes: dict[int, _Watched] = {}
_due = 0.0


def begin() -> None:
    for occasions, handler in _handlers():
        occasions.append(handler)
    _later()


def end() -> None:
    for occasions, handler in _handlers():
        if handler in occasions:
            occasions.remove(handler)
    if bpy.app.timers.is_registered(_find_out):
        bpy.app.timers.unregister(_find_out)
    _scenes.clear()


def _handlers():
    there = bpy.app.handlers
    yield there.depsgraph_update_post, _changed
    yield there.frame_change_post, _changed
    # What is known holds objects, and these are no longer the same.
    for occasions in (there.undo_pre, there.redo_pre, there.load_pre):
        yield occasions, _forget
    for occasions in (there.undo_post, there.redo_post, there.load_post):
        yield occasions, _forget


def picture_of(scene: Scene) -> Picture | None:
    """What to draw over a scene; None where nothing is known of it yet."""
    watched = _scenes.get(scene.session_uid)
    if watched is None:
        _later()
        return None
    return watched.picture


@bpy.app.handlers.persistent
def _forget(*_what) -> None:
    _scenes.clear()
    _later()


@bpy.app.handlers.persistent
def _changed(scene: Scene, depsgraph: Depsgraph | None = None) -> None:
    # A render has a depsgraph of its own, and nobody sees it.
    if depsgraph is None or depsgraph.mode != "VIEWPORT":
        return
    watched = _scenes.get(scene.session_uid)
    if watched is not None and watched.who is not None and not watched.reshaped:
        watched.reshaped = _reshapes(depsgraph, watched.who)
    _look(scene, depsgraph, [])
    _later()


def _reshapes(depsgraph: Depsgraph, who: Cast) -> bool:
    """Whether one of the things that were measured may have another shape or size now."""
    return any(
        (update.is_updated_geometry or update.is_updated_transform)
        and isinstance(update.id, bpy.types.Object)
        and full_name(update.id) in who.measured
        for update in depsgraph.updates
    )


def _look(scene: Scene, depsgraph: Depsgraph, requests: list[Request]) -> None:
    """Draw anew those who are known to be there."""
    watched = _scenes.get(scene.session_uid)
    if watched is None or watched.who is None:
        return
    watched.tracks.previewed = preview.is_on(scene)
    try:
        watched.tracks.see(watched.who.vehicles, depsgraph, scene.frame_current)
        watched.picture = picture(scene, depsgraph, watched.who, watched.tracks, requests, shown(scene))
    except ReferenceError:
        # Somebody was removed; who is left is found out in a moment.
        watched.who, watched.picture = None, Picture()


def _later() -> None:
    global _due
    _due = time.monotonic() + PAUSE
    if not bpy.app.timers.is_registered(_find_out):
        bpy.app.timers.register(_find_out, first_interval=PAUSE)


def _find_out() -> float | None:
    """Find out who is there in the scenes that windows show, and what is asked of them."""
    wait = _due - time.monotonic()
    if wait > 0.0:
        return wait
    for window in bpy.context.window_manager.windows:
        _find_out_in(window)
    return None


def _find_out_in(window: Window) -> None:
    scene, layer = window.scene, window.view_layer
    depsgraph = layer.depsgraph
    if depsgraph is None:
        return
    watched = _scenes.setdefault(scene.session_uid, _Watched())
    wanted = shown(scene)
    watched.who = cast(scene, layer, None if watched.reshaped else watched.who) if wanted else None
    watched.reshaped = False
    if watched.who is None:
        watched.picture = Picture()
    else:
        watched.tracks.forget(watched.who.vehicles)
        _look(scene, depsgraph, _asked(watched, scene, depsgraph) if "FORCES" in wanted else [])
    for area in window.screen.areas:
        if area.type == "VIEW_3D":
            area.tag_redraw()


def _asked(watched: _Watched, scene: Scene, depsgraph: Depsgraph) -> list[Request]:
    if not watched.who.vehicles:
        return []
    try:
        return asked_of(watched.who.vehicles, scene, depsgraph, watched.tracks)
    except Refusal:
        # A bake says why.
        return []
