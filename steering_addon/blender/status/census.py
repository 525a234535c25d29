"""Counts of the tagged objects of a scene, made a moment after each change, so that drawing only looks them up."""

import time
from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, TypeAlias

import bpy
from bpy.types import Depsgraph, Object, Scene

from ...simulation.roles import OF_MEMBERS, Role
from .. import handlers
from ..animation.bake_record import BakeRecord
from ..animation.custom_properties import traits
from ..animation.frame_rate import frame_range
from ..animation.ownership import bake_of
from ..animation.run_records import Outcomes, fingerprints_of
from ..handlers import listen, stop_listening
from ..objects.crowd_caches import MARK
from ..objects.tagged_objects import crowds_of, full_name, in_use, members_in, names_of, resting, set_aside
from ..pieces import in_one_go
from ..properties import pointed_at, settings_of
from ..read.evaluated_points import number_of_points
from ..read.fingerprint import fingerprint
from ..read.sources import may_be_active, pointers_of
from ..read.target_groups import Offered, is_idle, names_by_role, outside_scene
from . import hand_edits, placing
from .findings import Finding, findings
from .hand_edits import changed_clips
from .present_members import Presence, presence_of, states_now, tells_state

Counted: TypeAlias = tuple[Object, BakeRecord | None, int]
"""A vehicle, or an object whose points are vehicles, with the record of its bake and the number of these."""
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
        free: the number of these that are not locked.
        active: the number of these that take part on the current frame.
        attending: the presence of the active vehicles on the current frame.
        first: the names of the first two, or of the objects whose points they are.
        points: the number of the vehicles that are points of objects.
        in_states: the count of the active ones in each state on the current frame, by the number of the state; None if
            neither a preview nor a bake tells it.
    """

    vehicles: int = 0
    free: int = 0
    active: int = 0
    attending: Presence = Presence()
    first: tuple[str, ...] = ()
    points: int = 0
    in_states: Mapping[int, int] | None = None

    @property
    def names(self) -> str:
        """The names of both, or the first name and the number of the others."""
        return names_of(self.first, self.vehicles)


@dataclass(frozen=True)
class Baked:
    """The vehicles that play a bake.

    Attributes:
        first, last: the frames that were baked.
        outdated: whether something that their run is made from has changed since, apart from the frame range.
        clips: the names of the crowds whose clips have changed since.
        mishaps: the number of vehicles that ran into something or got stuck, by kind.
        stuck: the first and last frame on which vehicles were stuck, by the name of those that were.
    """

    vehicles: int = 0
    first: float = inf
    last: float = -inf
    outdated: bool = False
    clips: tuple[str, ...] = ()
    mishaps: Mapping[str, int] = field(default_factory=dict)
    stuck: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Census:
    """The counts of a scene.

    Attributes:
        offered: what takes part on the current frame, as a number by role, and what cannot be a target.
        crowds: the vehicles of each crowd of the scene, by its full name.
        lost: the vehicles whose crowd is not in the scene, by the full name of that; "" for those without a crowd.
        baked: the number of objects that play a bake.
        bake: the vehicles among those that play one.
        aside: the full names of the crowds with vehicles that are not in use.
        posed, driven: the full names of the crowds as in `custom_properties.traits`.
        counted_for: the settings of the scene that Blender announces no change of.
    """

    offered: Offered
    crowds: Mapping[str, Members]
    lost: Mapping[str, Members]
    baked: int
    last: int
    bake: Baked = Baked()
    findings: tuple[Finding, ...] = ()
    aside: frozenset[str] = frozenset()
    posed: frozenset[str] = frozenset()
    driven: frozenset[str] = frozenset()
    counted_for: tuple = ()

    def members(self, crowd: Object) -> Members:
        name = full_name(crowd)
        return self.crowds.get(name) or self.lost.get(name) or Members()

    def is_lost(self, crowd: Object) -> bool:
        """Whether a crowd is not in the scene although vehicles of it are."""
        return full_name(crowd) in self.lost

    @property
    def free(self) -> int:
        """The number of vehicles that a bake would move."""
        return sum(members.free for members in self.crowds.values())

    @property
    def vehicles(self) -> int:
        return sum(members.vehicles for members in (*self.crowds.values(), *self.lost.values()))


_known: dict[int, Census] = {}
"""The latest counts, by the session_uid of the scene."""
_due = 0.0
_only_frame = False
"""Whether nothing but the frame has changed since the latest counts."""
_counted_at: dict[int, tuple[int, int]] = {}
"""The number of objects in the file, and the latest operator of ours, at the latest counts, by the session_uid of the
scene."""
MEMBERS = {role.name for role in OF_MEMBERS}
"""The names of the roles of vehicles."""
OURS = "STEERING_OT_"
"""How the names of our operators begin."""


def count(scene: Scene, before: Census | None = None) -> Census:
    """Count the objects of a scene; `before` as for `counting`."""
    return in_one_go(counting(scene, before))


def counting(scene: Scene, before: Census | None = None, made_of: str | None = None) -> Generator[None, None, Census]:
    """Count the objects of a scene, in pieces between which nothing may change.

    Args:
        before: the counts on another frame, if nothing but the frame has changed since; they give what takes longest.
        made_of: the present fingerprint of the scene, if it is known.
    """
    tally, everything = _Tally(), list(_objects(scene))
    for ob in everything:
        stored = settings_of(ob)
        if stored is not None:
            tally.add(ob, stored, scene)
            yield
    members, present, records, outcomes = tally.members, tally.crowds, tally.records, tally.outcomes
    crowds = {full_name(ob): tally.members_of(ob, scene) for ob in members if ob in present}
    lost = {full_name(ob) if ob else "": _lost_members(each) for ob, each in members.items() if ob not in present}
    yield
    posed, driven = traits(everything, len(present)) if before is None else (before.posed, before.driven)
    holders = [*present, *tally.states]
    points = any(True for ob in holders for _ in pointers_of(ob))
    aside = set_aside(scene, everything)
    objects = set(everything) if points else set()
    yield
    bake = _bakes_played(scene, records, outcomes, before.bake if before is not None else None, made_of)
    yield
    listed = list(before.findings) if before is not None else []
    if before is None:
        # Just after a bake no key is edited.
        for finding in findings(scene, records, outcomes, () if made_of is not None else hand_edits.edited(records)):
            if finding is not None:
                listed.append(finding)
            yield
    return Census(
        offered=Offered(
            dict(tally.roles),
            tally.idle,
            names_by_role(filter(may_be_active, aside)),
            outside_scene(holders, scene, objects),
        ),
        aside=frozenset(full_name(crowd) for crowd in crowds_of(members_in(aside)) if crowd is not None),
        crowds=crowds,
        lost=lost,
        baked=tally.baked,
        last=frame_range(scene)[1],
        bake=bake,
        findings=tuple(listed),
        posed=posed,
        driven=driven,
        counted_for=_unannounced_settings(scene),
    )


def _bakes_played(
    scene: Scene, records: Mapping[Object, BakeRecord], outcomes: Outcomes, before: Baked | None, made_of: str | None
) -> Baked:
    """The state of the bakes that vehicles play. `before`: their state on another frame, if nothing but the frame has
    changed since; `made_of`: the present fingerprint of the scene, if it is known."""
    if not records:
        return Baked()
    if before is not None:
        outdated, clips = before.outdated, before.clips
    else:
        # What is locked keeps an older run on purpose.
        signed = fingerprints_of(record for ob, record in records.items() if not ob.steering.locked) - {""}
        outdated = bool(signed) and signed != {made_of or fingerprint(scene, records)}
        clips = tuple(crowd.name for crowd in changed_clips(_objects(scene), records))
    of_each = [(ob, outcome) for ob, record in records.items() for outcome in outcomes.each(ob, record)]
    points = [rows for ob, record in records.items() if (rows := outcomes.points(ob, record)) is not None]
    return Baked(
        vehicles=len(records) - len(points) + sum(map(len, points)),
        first=min(record.first for record in records.values()),
        last=max(record.last for record in records.values()),
        outdated=outdated,
        clips=clips,
        mishaps=Counter(kind for _, outcome in of_each for kind in outcome.mishaps),
        stuck={ob.name: outcome.stuck_frames for ob, outcome in of_each if outcome.stuck_frames is not None},
    )


def _unannounced_settings(scene: Scene) -> tuple:
    """The settings that a run depends on and Blender counts as a change of the scene only, like a selection."""
    return (*frame_range(scene), scene.render.fps, scene.render.fps_base)


@dataclass
class _Tally:
    """The objects counted so far: who takes part by role, and who never does, the vehicles by crowd, the crowds and
    states, and what plays a bake."""

    roles: Counter[Role] = field(default_factory=Counter)
    idle: dict[Role, str] = field(default_factory=dict)
    members: dict[Object | None, list[Counted]] = field(default_factory=dict)
    points: Counter[Object | None] = field(default_factory=Counter)
    crowds: set[Object] = field(default_factory=set)
    states: list[Object] = field(default_factory=list)
    baked: int = 0
    records: dict[Object, BakeRecord] = field(default_factory=dict)
    outcomes: Outcomes = field(default_factory=Outcomes)

    def add(self, ob: Object, stored: Any, scene: Scene) -> None:
        """Count an object with its settings."""
        names = stored.roles
        if stored.active:
            self.roles.update(Role[name] for name in names)
        elif is_idle(ob):
            self.idle.update((Role[name], ob.name) for name in names)
        # An object without animation plays no bake, which is quicker to check.
        record = bake_of(ob) if ob.animation_data is not None or MARK in ob else None
        self.baked += record is not None
        if record is not None and not names.isdisjoint(MEMBERS):
            self.records[ob] = record
        if Role.CROWD.name in names:
            self.crowds.add(ob)
        if Role.STATE.name in names and may_be_active(ob):
            self.states.append(ob)
        if names.isdisjoint((Role.VEHICLE.name, Role.POINTS.name)):
            return
        crowd, number = pointed_at(stored, "crowd"), 1
        if Role.VEHICLE.name not in names:
            rows = self.outcomes.points(ob, record)
            number = number_of_points(ob, scene.view_layers[0].depsgraph) if rows is None else len(rows)
            self.points[crowd] += number
        self.members.setdefault(crowd, []).append((ob, record, number))

    def members_of(self, crowd: Object, scene: Scene) -> Members:
        """The vehicles of a crowd of the scene."""
        vehicles = self.members[crowd]
        free = [each for each in vehicles if not each[0].steering.locked]
        active = [each for each in free if each[0].steering.active]
        states = [state for ob, record, _ in active for state in states_now(scene, ob, tells_state(record))]
        return replace(
            _lost_members(vehicles),
            free=_number(free),
            active=_number(active),
            attending=presence_of(crowd, active, scene, self.outcomes),
            points=self.points[crowd],
            in_states=None if all(state is None for state in states) else Counter(filter(None, states)),
        )


def _lost_members(vehicles: Sequence[Counted]) -> Members:
    """The vehicles of a crowd that is not in the scene: none of them can be moved."""
    return Members(_number(vehicles), first=tuple(ob.name for ob, *_ in vehicles[:2]))


def _number(vehicles: Iterable[Counted]) -> int:
    return sum(number for *_, number in vehicles)


def _objects(scene: Scene) -> Iterable[Object]:
    """The objects of a scene as `in_use`, in any order."""
    layers = scene.view_layers
    if len(layers) > 1 or any(True for _ in resting(scene)):
        return in_use(scene)
    return (ob for ob in layers[0].objects if ob is not None)


def known(scene: Scene) -> Census | None:
    """The latest counts; None, and a count soon, before the first.

    After objects were added or removed, an operator of ours or an undo, they are counted immediately: a panel that says
    that there are no vehicles must not be drawn after some were added, not even once.
    """
    census = _known.get(scene.session_uid)
    if census is None or census.counted_for != _unannounced_settings(scene):
        changed()
    elif _is_old(scene):
        census = refresh(scene)
    return census


def _is_old(scene: Scene) -> bool:
    """Whether something has happened since the latest counts that a user expects to see in them immediately."""
    objects, operator = _counted_at.get(scene.session_uid, (-1, 0))
    return objects != len(bpy.data.objects) or _latest_operator() not in (0, operator)


def _latest_operator() -> int:
    """Tells one operator of ours from the next; 0 if the latest is another's."""
    done = bpy.context.window_manager.operators
    return done[-1].as_pointer() if done and done[-1].bl_idname.startswith(OURS) else 0


def settled(scene: Scene) -> Census | None:
    """The latest counts if nothing has changed since; None otherwise, and in background mode."""
    pending = bpy.app.background or bpy.app.timers.is_registered(_count_shown)
    return None if pending else _known.get(scene.session_uid)


def refresh(scene: Scene) -> Census:
    """Count immediately."""
    return _keep(scene, count(scene))


def refreshing(scene: Scene, made_of: str) -> Generator[None, None, Census]:
    """Count in pieces; the present fingerprint of the scene saves half of the time."""
    return _keep(scene, (yield from counting(scene, made_of=made_of)))


def _keep(scene: Scene, census: Census) -> Census:
    _counted_at[scene.session_uid] = len(bpy.data.objects), _latest_operator()
    _known[scene.session_uid] = census
    return census


def changed(_scene: Scene | None = None, depsgraph: Depsgraph | None = None) -> None:
    """Count soon, as something has changed; not in background mode, where no panel is drawn."""
    global _only_frame
    if depsgraph is not None:
        hand_edits.note(depsgraph)
    if depsgraph is None or not _only_selected(depsgraph):
        _only_frame = False
        _count_soon()


def _undone(*_arguments) -> None:
    _counted_at.clear()
    hand_edits.undone()
    changed()


def _count_soon(*_arguments) -> None:
    global _due
    _due = time.monotonic() + PAUSE
    handlers.later(_count_shown, PAUSE)


def _only_selected(depsgraph: Depsgraph) -> bool:
    """Whether only scenes have changed, as by a selection."""
    updates = depsgraph.updates
    return 0 < len(updates) <= MOST_SCENE_UPDATES and all(isinstance(update.id, bpy.types.Scene) for update in updates)


def _on_load(*_arguments) -> None:
    _known.clear()
    placing.forget()
    hand_edits.forget()
    changed()


def _count_shown() -> float | None:
    """Count the scenes that windows show, and redraw the panels if the counts have changed."""
    global _only_frame
    wait = _due - time.monotonic()
    if wait > 0.0:
        return wait
    only_frame, _only_frame = _only_frame, True
    if not only_frame:
        # Scenes that no window shows are counted when one does.
        shown = {window.scene.session_uid for window in bpy.context.window_manager.windows}
        for scene in _known.keys() - shown:
            del _known[scene]
    for window in bpy.context.window_manager.windows:
        scene = window.scene
        before = _known.get(scene.session_uid)
        after = _keep(scene, count(scene, before if only_frame else None))
        if after != before:
            for area in window.screen.areas:
                if area.type in SHOWING:
                    area.tag_redraw()
    return None


HANDLERS = {
    "depsgraph_update_post": changed,
    "undo_post": _undone,
    "redo_post": _undone,
    "frame_change_post": _count_soon,
    "load_post": _on_load,
}


def register() -> None:
    listen(changed)
    if not bpy.app.background:
        handlers.begin(HANDLERS)


def unregister() -> None:
    stop_listening(changed)
    handlers.end(HANDLERS, _count_shown)
    _known.clear()
