"""After a bake: who ran into whom, and on which frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty

from ...recording.mishaps import OBSTACLE, OVERLAP, STUCK
from ..tagged_objects import in_use
from ..write.ownership import bake_of
from .polls import in_object_mode

if TYPE_CHECKING:
    from bpy.types import Object, Scene

WORDS = {OVERLAP: "in each other", OBSTACLE: "in an obstacle", STUCK: "stuck"}
"""What has become of a vehicle, after their number."""
ANY = "ANY"
ITEMS = [
    (ANY, "Anything", "Whatever went wrong", 0),
    (OVERLAP.upper(), "In Each Other", "Vehicles that were inside others", 1),
    (OBSTACLE.upper(), "In an Obstacle", "Vehicles that were inside obstacles", 2),
    (STUCK.upper(), "Stuck", "Vehicles that stood still beside an obstacle for two seconds", 3),
]


class STEERING_OT_select_contacts(bpy.types.Operator):
    """Select the baked vehicles that ran into something or got stuck, and go to the next frame where one did"""

    bl_idname = "steering.select_contacts"
    bl_label = "Select Contacts"
    bl_options = {"REGISTER", "UNDO"}

    kind: EnumProperty(name="What", description="What went wrong for them", items=ITEMS, default=ANY)

    @classmethod
    def poll(cls, context) -> bool:
        return in_object_mode(cls, context)

    def execute(self, context):
        found = _found(context.scene, self.kind)
        if not found:
            self.report({"INFO"}, "No baked vehicle ran into anything or got stuck")
            return {"CANCELLED"}
        here = [ob for ob in context.view_layer.objects if ob in found and ob.visible_get() and not ob.hide_select]
        for ob in context.selected_objects:
            ob.select_set(False)
        for ob in here:
            ob.select_set(True)
        frame = _next(context.scene.frame_current, [at for ob in here or found for at in found[ob]])
        if here:
            context.view_layer.objects.active = next(ob for ob in here if frame in found[ob])
        context.scene.frame_set(int(frame))
        text = (
            f"{_vehicles(len(here))} selected; {_vehicles(sum(frame in found[ob] for ob in found))} at frame {frame:g}"
        )
        if len(here) < len(found):
            text += f"; {len(found) - len(here)} cannot be selected here"
        self.report({"INFO"}, text)
        return {"FINISHED"}


def told(mishaps: Mapping[str, int]) -> str:
    """What went wrong in a bake, in a few words."""
    return ", ".join(f"{mishaps[kind]} {words}" for kind, words in WORDS.items() if mishaps[kind]) or "no contacts"


def _found(scene: Scene, kind: str) -> dict[Object, list[float]]:
    """The vehicles for which something of a kind went wrong, and the frames."""
    found = {}
    for ob in in_use(scene):
        record = bake_of(ob)
        mishaps = record.mishaps if record is not None else {}
        frames = [frame for what, frame in mishaps.items() if kind in (ANY, what.upper())]
        if frames:
            found[ob] = frames
    return found


def _next(now: float, frames: list[float]) -> float:
    """The first of the frames after now, or else the first of all."""
    return min((frame for frame in frames if frame > now), default=min(frames))


def _vehicles(number: int) -> str:
    return "1 vehicle" if number == 1 else f"{number} vehicles"


CLASSES = (STEERING_OT_select_contacts,)

register, unregister = bpy.utils.register_classes_factory(CLASSES)
