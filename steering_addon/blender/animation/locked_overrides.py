"""Locked overrides: objects of a library override that Blender made with it, and that no one has made editable.

Blender sets their values one by one, but not in bulk: `foreach_set` ends at the first of them, without an error.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

import bpy
from bpy.types import Object


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
