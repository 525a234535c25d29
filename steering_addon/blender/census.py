"""What there is in a scene to be steered, counted a moment after something changed: drawing only looks it up."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import bpy

from ..simulation.roles import Role
from .ownership import bake_of
from .properties import settings_of
from .tagged import crowd_of, full_name, in_use

if TYPE_CHECKING:
    from bpy.types import Object, Scene

PAUSE = 0.1
"""Seconds without a change after which is counted: ten thousand vehicles take a third of that."""
SHOWING = ("VIEW_3D", "PROPERTIES")
"""The editors that have panels of ours."""


@dataclass(frozen=True)
class Members:
    """The vehicles of a crowd: how many, how many of them may move, and how many of these take part at the moment."""

    vehicles: int = 0
    free: int = 0
    active: int = 0


@dataclass(frozen=True)
class Census:
    """What there is.

    Attributes:
        roles: how many objects that take part at the moment have each role.
        crowds: the vehicles of each crowd, by its full name.
        baked: how many objects play a bake.
    """

    roles: Mapping[Role, int]
    crowds: Mapping[str, Members]
    baked: int

    def members(self, crowd: Object) -> Members:
        return self.crowds.get(full_name(crowd), Members())

    @property
    def free(self) -> int:
        """How many vehicles a bake would move."""
        return sum(members.free for members in self.crowds.values())

    @property
    def vehicles(self) -> int:
        return sum(members.vehicles for members in self.crowds.values())


_known: dict[int, Census] = {}
"""What was counted last, by the number of the scene."""
_due = 0.0


def count(scene: Scene) -> Census:
    """What there is in a scene now."""
    roles: Counter[Role] = Counter()
    vehicles: Counter[str] = Counter()
    free: Counter[str] = Counter()
    active: Counter[str] = Counter()
    baked = 0
    for ob in in_use(scene):
        stored = settings_of(ob)
        if stored is None:
            continue
        names, takes_part = stored.roles, stored.active
        if takes_part:
            roles.update(Role[name] for name in names)
        if Role.VEHICLE.name in names and (crowd := crowd_of(ob)) is not None:
            name = full_name(crowd)
            vehicles[name] += 1
            free[name] += not stored.locked
            active[name] += not stored.locked and takes_part
        baked += bake_of(ob) is not None
    return Census(dict(roles), {name: Members(vehicles[name], free[name], active[name]) for name in vehicles}, baked)


def known(scene: Scene) -> Census | None:
    """What was counted last; None before that is done, which then is soon."""
    found = _known.get(scene.session_uid)
    if found is None:
        changed()
    return found


def refresh(scene: Scene) -> Census:
    """Count now."""
    _known[scene.session_uid] = found = count(scene)
    return found


@bpy.app.handlers.persistent
def changed(*_what) -> None:
    """Something has changed: count once that is over."""
    global _due
    _due = time.monotonic() + PAUSE
    if not bpy.app.timers.is_registered(_count_shown):
        bpy.app.timers.register(_count_shown, first_interval=PAUSE)


@bpy.app.handlers.persistent
def _loaded(*_what) -> None:
    _known.clear()
    changed()


def _count_shown() -> float | None:
    """Count the scenes that windows show, and have the panels drawn anew where that makes a difference."""
    wait = _due - time.monotonic()
    if wait > 0.0:
        return wait
    for window in bpy.context.window_manager.windows:
        before = _known.get(window.scene.session_uid)
        if refresh(window.scene) != before:
            for area in window.screen.areas:
                if area.type in SHOWING:
                    area.tag_redraw()
    return None


def _handlers():
    there = bpy.app.handlers
    for occasions in (there.depsgraph_update_post, there.frame_change_post, there.undo_post, there.redo_post):
        yield occasions, changed
    yield there.load_post, _loaded


def register() -> None:
    # In the background there is nobody to look.
    if not bpy.app.background:
        for occasions, handler in _handlers():
            occasions.append(handler)


def unregister() -> None:
    for occasions, handler in _handlers():
        if handler in occasions:
            occasions.remove(handler)
    if bpy.app.timers.is_registered(_count_shown):
        bpy.app.timers.unregister(_count_shown)
    _known.clear()
