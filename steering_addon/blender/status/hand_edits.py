"""The vehicles whose baked keys were edited by hand, looked up again only where an action may have changed."""

from collections.abc import Iterable

import bpy
from bpy.types import Depsgraph, Object

from ..animation.animation_data import action_of
from ..animation.edited_keys import has_edited_keys
from ..animation.ownership import bake_of

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
        changed = {each.id.original.session_uid for each in depsgraph.updates if isinstance(each.id, bpy.types.Action)}
        changed -= _written
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
    for each in (_known, _touched, _unsure, _written):
        each.clear()
