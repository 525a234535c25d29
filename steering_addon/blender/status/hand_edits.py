"""Changes since a bake: keys edited by hand, looked up again only where an action may have changed, and clips."""

from collections.abc import Iterable, Mapping

import bpy
from bpy.types import Depsgraph, Object

from ...simulation.roles import Role
from ..animation.animation_data import action_of
from ..animation.bake_record import BakeRecord
from ..animation.edited_keys import has_edited_keys
from ..animation.ownership import bake_of
from ..clips.clip_record import clip_record
from ..clips.crowd_clips import clips_made_of, stored_clips
from ..objects.crowd_caches import cache_of, cached_as, clips_in
from ..objects.hierarchy import ancestors
from ..objects.identity import state_numbers
from ..objects.tagged_objects import crowd_of, crowds_of
from ..properties import has_role

_known: dict[tuple[int, str], bool] = {}
"""Whether an action has edited keys, by its session_uid and the id of its bake."""
_touched: set[int] = set()
"""The session_uid of actions that have changed since the latest bake; an undo may change them again."""
_unsure: set[int] = set()
"""The session_uid of those that are still to be looked at."""
_written: set[int] = set()
"""The session_uid of those that a bake has just written: the next update tells of them."""


def edited(objects: Iterable[Object]) -> list[Object]:
    """The vehicles whose keys the next bake would replace though they were edited by hand."""
    return [ob for ob in objects if not ob.steering.locked and _is_edited(ob)]


def _is_edited(ob: Object) -> bool:
    record, action = bake_of(ob), action_of(ob)
    if record is None or action is None:
        return False
    uid = action.session_uid
    # Without a window nothing announces a change.
    if bpy.app.background or uid in _unsure or (uid, record.bake_id) not in _known:
        _known[uid, record.bake_id] = has_edited_keys(ob)
        _unsure.discard(uid)
    return _known[uid, record.bake_id]


def note(depsgraph: Depsgraph) -> None:
    """Note the actions that have changed."""
    if depsgraph.id_type_updated("ACTION"):
        actions = (update.id for update in depsgraph.updates if isinstance(update.id, bpy.types.Action))
        changed = {action.original.session_uid for action in actions} - _written
        _written.clear()
        _touched.update(changed)
        _unsure.update(changed)


def undone() -> None:
    """An undo may have changed back what was changed."""
    _unsure.update(_touched)


def as_baked(objects: Iterable[Object], run: str) -> None:
    """These vehicles were baked a moment ago, in the run of this id."""
    uids = {action.session_uid for ob in objects if (action := action_of(ob)) is not None}
    _known.update(dict.fromkeys(((uid, run) for uid in uids), False))
    # An update may have told of them already.
    _written.update(uids - _touched)
    _touched.difference_update(uids)
    _unsure.difference_update(uids)


def forget() -> None:
    """Another file was loaded."""
    for known in (_known, _touched, _unsure, _written):
        known.clear()


def changed_clips(objects: Iterable[Object], records: Mapping[Object, BakeRecord]) -> list[Object]:
    """The crowds whose clips, or how they are played, have changed since they were written onto baked vehicles.
    `objects`: of the scene; `records`: the bake of each vehicle that plays one."""
    objects = list(objects)
    written: dict[Object, set[str]] = {}
    for ob in objects:
        if (record := clip_record(ob)) is not None:
            vehicle = next((above for above in (ob, *ancestors(ob)) if above in records), None)
            crowd = crowd_of(vehicle) if vehicle is not None and not vehicle.steering.locked else None
            if crowd is not None:
                written.setdefault(crowd, set()).add(record.made_of)
    free = [ob for ob, record in records.items() if record.moves and not ob.steering.locked]
    rests = {ob for ob in free if cached_as(ob) is not None}
    baked = {*crowds_of(ob for ob in free if ob not in rests)} - {None}
    for crowd in {*crowds_of(rests)} - {None}:
        if (cache := cache_of(crowd)) is not None:
            written.setdefault(crowd, set()).add(clips_in(cache))
    never = [crowd for crowd in baked if crowd not in written and stored_clips(crowd)]
    # Of strips on library overrides it is not known after the file was opened again.
    numbers = state_numbers(ob for ob in objects if has_role(ob, Role.STATE)) if written else {}
    changed = [
        crowd
        for crowd, made in written.items()
        if made - {""} - {clips_made_of(crowd, {ob: n for ob, n in numbers.items() if crowd_of(ob) == crowd})}
    ]
    return sorted(changed + never, key=lambda crowd: crowd.name_full)
