"""Counts of the tagged objects of a scene, made a moment after each change, so that drawing only looks them up."""

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
from .present_members import Presence, presence_of

if TYPE_CHECKING:
    from bpy.types import Depsgraph, Object, Scene

    from ..write.bake_record import BakeRecord

PAUSE = 0.1
"""Seconds without a change after which objects are counted: counting ten thousand vehicles takes about as long."""
MOST_SCENE_UPDATES = 4
"""With more updates than this they are not checked for being of scenes only."""
SHOWING = ("VIEW_3D", "PROPERTIES")
"""The editors with panels of this extension."""


@dataclass(frozen=True)
class Members:
    """The vehicles of a crowd.

    Attributes:
        vehicles: their number.
        free: the number of these that are not locked.
        active: the number of these that take part on the current frame.
        attending: the presence of the active vehicles on the current frame.
    """

    vehicles: int = 0
    free: int = 0
    active: int = 0
    attending: Presence = Presence()


@dataclass(frozen=True)
class Census:
    """The counts of a scene.

    Attributes:
        roles: the number of objects with each role that take part on the current frame.
        crowds: the vehicles of each crowd, by its full name.
        baked: the number of objects that play a bake.
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
        """The number of vehicles that a bake would move."""
        return sum(members.free for members in self.crowds.values())

    @property
    def vehicles(self) -> int:
        return sum(members.vehicles for members in self.crowds.values())


_known: dict[int, Census] = {}
"""The latest counts, by the session_uid of the scene."""
_due = 0.0
_objects_counted: dict[int, int] = {}
"""The number of objects in the file at the latest counts, by the session_uid of the scene."""


def count(scene: Scene) -> Census:
    """Count the objects of a scene."""
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
        # An object without animation plays no bake, which is quicker to check.
        record = bake_of(ob) if ob.animation_data is not None else None
        baked += record is not None
        if crowd is not None:
            counted = members.setdefault(crowd, _Counted())
            counted.vehicles += 1
            counted.free += not stored.locked
            if takes_part and not stored.locked:
                counted.active.append((ob, record))
    crowds = {full_name(ob): counted.members(ob, scene) for ob, counted in members.items() if has_role(ob, Role.CROWD)}
    return Census(dict(roles), crowds, baked, frame_range(scene)[1])


@dataclass
class _Counted:
    """The vehicles of a crowd counted so far."""

    vehicles: int = 0
    free: int = 0
    active: list[tuple[Object, BakeRecord | None]] = field(default_factory=list)

    def members(self, crowd: Object, scene: Scene) -> Members:
        return Members(self.vehicles, self.free, len(self.active), presence_of(crowd, self.active, scene))


def _objects(scene: Scene) -> Iterable[Object]:
    """The objects of the scene's view layers, in any order."""
    layers = scene.view_layers
    if len(layers) > 1:
        return in_use(scene)
    return (ob for ob in layers[0].objects if ob is not None)


def known(scene: Scene) -> Census | None:
    """The latest counts; None, and a count soon, before the first.

    Objects that were added or removed since are counted immediately: a panel that says that there are no vehicles must
    not be drawn after some were added, not even once.
    """
    census = _known.get(scene.session_uid)
    if census is None:
        changed()
    elif _objects_counted.get(scene.session_uid) != len(bpy.data.objects):
        census = refresh(scene)
    return census


def refresh(scene: Scene) -> Census:
    """Count immediately."""
    _objects_counted[scene.session_uid] = len(bpy.data.objects)
    _known[scene.session_uid] = census = count(scene)
    return census


@bpy.app.handlers.persistent
def changed(_scene: Scene | None = None, depsgraph: Depsgraph | None = None) -> None:
    """Count soon, as something has changed; not in background mode, where no panel is drawn."""
    global _due
    if bpy.app.background or (depsgraph is not None and _only_selected(depsgraph)):
        return
    _due = time.monotonic() + PAUSE
    if not bpy.app.timers.is_registered(_count_shown):
        bpy.app.timers.register(_count_shown, first_interval=PAUSE)


def _only_selected(depsgraph: Depsgraph) -> bool:
    """Whether only scenes have changed, as by a selection."""
    updates = depsgraph.updates
    return 0 < len(updates) <= MOST_SCENE_UPDATES and all(isinstance(update.id, bpy.types.Scene) for update in updates)


@bpy.app.handlers.persistent
def _loaded(*_what) -> None:
    _known.clear()
    changed()


def _count_shown() -> float | None:
    """Count the scenes that windows show, and redraw the panels if the counts have changed."""
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
    lists = bpy.app.handlers
    for each in (lists.depsgraph_update_post, lists.frame_change_post, lists.undo_post, lists.redo_post):
        yield each, changed
    yield lists.load_post, _loaded


def register() -> None:
    if not bpy.app.background:
        for handlers, handler in _handlers():
            handlers.append(handler)


def unregister() -> None:
    for handlers, handler in _handlers():
        if handler in handlers:
            handlers.remove(handler)
    if bpy.app.timers.is_registered(_count_shown):
        bpy.app.timers.unregister(_count_shown)
    _known.clear()
