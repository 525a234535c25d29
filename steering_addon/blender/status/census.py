"""What there is in a scene to be steered, counted a moment after something changed: drawing only looks it up."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import bpy

from ...simulation.roles import Role
from ..properties import has_role, pointed_at, settings_of
from ..read.plan import frame_range
from ..tagged_objects import full_name, in_use
from ..write.ownership import bake_of
from .present_members import Whereabouts, whereabouts

if TYPE_CHECKING:
    from bpy.types import Depsgraph, Object, Scene

    from ..write.ownership import BakeRecord

PAUSE = 0.1
"""Seconds without a change after which is counted: ten thousand vehicles take about as long."""
SCENES_AT_ONCE = 4
"""With more updates than this one need not look whether they are of scenes only."""
SHOWING = ("VIEW_3D", "PROPERTIES")
"""The editors that have panels of ours."""


@dataclass(frozen=True)
class Members:
    """The vehicles of a crowd.

    Attributes:
        vehicles: how many.
        free: how many of them may move.
        active: how many of these take part at the moment.
        attending: who of these is there.
    """

    vehicles: int = 0
    free: int = 0
    active: int = 0
    attending: Whereabouts = Whereabouts()


@dataclass(frozen=True)
class Census:
    """What there is.

    Attributes:
        roles: how many objects that take part at the moment have each role.
        crowds: the vehicles of each crowd, by its full name.
        baked: how many objects play a bake.
        last: the last frame of the run.
    """

    roles: Mapping[Role, int]
    crowds: Mapping[str, Members]
    baked: int
    last: int

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
    members: dict[Object, _Counted] = {}
    baked = 0
    for ob in _objects(scene):
        stored = settings_of(ob)
        if stored is None:
            continue
        names, takes_part = stored.roles, stored.active
        if takes_part:
            roles.update(Role[name] for name in names)
        crowd = pointed_at(stored, "crowd") if Role.VEHICLE.name in names else None
        # What nothing animates plays no bake, which is quicker to find out.
        record = bake_of(ob) if ob.animation_data is not None else None
        baked += record is not None
        if crowd is not None:
            counted = members.setdefault(crowd, _Counted())
            counted.vehicles += 1
            counted.free += not stored.locked
            if takes_part and not stored.locked:
                counted.active.append((ob, record))
    there = {full_name(ob): counted.members(ob, scene) for ob, counted in members.items() if has_role(ob, Role.CROWD)}
    return Census(dict(roles), there, baked, frame_range(scene)[1])


@dataclass
class _Counted:
    """The vehicles of a crowd as far as they are counted."""

    vehicles: int = 0
    free: int = 0
    active: list[tuple[Object, BakeRecord | None]] = field(default_factory=list)

    def members(self, crowd: Object, scene: Scene) -> Members:
        return Members(self.vehicles, self.free, len(self.active), whereabouts(crowd, self.active, scene))


def _objects(scene: Scene) -> Iterable[Object]:
    """The objects in use, in any order."""
    layers = scene.view_layers
    if len(layers) > 1:
        return in_use(scene)
    return (ob for ob in layers[0].objects if ob is not None)


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
def changed(_scene: Scene | None = None, depsgraph: Depsgraph | None = None) -> None:
    """Something has changed: count once that is over. In the background there is nobody to look."""
    global _due
    if bpy.app.background or (depsgraph is not None and _only_selected(depsgraph)):
        return
    _due = time.monotonic() + PAUSE
    if not bpy.app.timers.is_registered(_count_shown):
        bpy.app.timers.register(_count_shown, first_interval=PAUSE)


def _only_selected(depsgraph: Depsgraph) -> bool:
    """Whether it is only the selection that has changed, or something else that is a scene's own affair."""
    updates = depsgraph.updates
    return 0 < len(updates) <= SCENES_AT_ONCE and all(isinstance(update.id, bpy.types.Scene) for update in updates)


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
