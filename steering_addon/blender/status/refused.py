"""The last refused bake or preview of each scene, for the panel: a report is gone before its remedy is found.

It is forgotten with the next bake or preview, and as soon as the animator changes an object.
"""

from dataclasses import dataclass

import bpy
from bpy.types import Depsgraph, Scene

from .. import handlers
from ..objects.tagged_objects import full_name
from ..properties import scene_setting
from ..refusal import Refusal


@dataclass(frozen=True)
class Refused:
    """A refused bake or preview.

    Attributes:
        objects: the full names of the objects that it is about.
        remedy: the setting of the scene that it names; empty if it names none.
    """

    text: str
    objects: tuple[str, ...]
    remedy: str


_last: dict[int, Refused] = {}
"""By the session_uid of the scene."""


def remember(scene: Scene, refusal: Refusal) -> None:
    """Keep a refusal for the panel."""
    _last[scene.session_uid] = Refused(str(refusal), tuple(map(full_name, refusal.about)), refusal.remedy)


def forget(scene: Scene) -> None:
    """Forget the last refusal of a scene."""
    _last.pop(scene.session_uid, None)


def last_refused(scene: Scene) -> Refused | None:
    """The last refusal of a scene; None if there is none, or if the setting that it names has been turned on."""
    refused = _last.get(scene.session_uid)
    if refused is not None and refused.remedy and scene_setting(scene, refused.remedy):
        return None
    return refused


def _forget_changed(scene: Scene, depsgraph: Depsgraph | None = None) -> None:
    """Forget the refusal of a scene in which more than the selection or the frame has changed."""
    if scene.session_uid not in _last or depsgraph is None:
        return
    if any(not isinstance(update.id, bpy.types.Scene) for update in depsgraph.updates):
        forget(scene)


def register() -> None:
    handlers.begin({"depsgraph_update_post": _forget_changed})


def unregister() -> None:
    handlers.end({"depsgraph_update_post": _forget_changed})
    _last.clear()
