"""The panel of the clips that the models of the crowd play."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ...portrayal.clips import ClipSettings
from .. import preview
from ..focus import crowd_in_focus
from ..operators.clips import words
from .crowds import PartOfCrowd
from .fields import fields, meaningful, note
from .locations import in_both

if TYPE_CHECKING:
    from bpy.types import Context, Object


class STEERING_UL_clips(bpy.types.UIList):
    """The clips of a crowd, each with its action and when it is played."""

    bl_idname = "STEERING_UL_clips"

    def draw_item(self, _context, layout, _data, clip, _icon, _active_data, _active_property) -> None:
        row = layout.row(align=True)
        row.prop(clip, "plays", text="", icon_only=True, emboss=False)
        if clip.is_property_set("action") and clip.action is not None:
            row.label(text=clip.action.name, translate=False)
        else:
            row.prop(clip, "action", text="")
        if clip.plays == "MOVE" and (speed := clip.ground_speed or clip.speed):
            numbers = row.row()
            numbers.alignment = "RIGHT"
            numbers.label(text=f"{speed:.2f} m/s", translate=False)


class Clips(PartOfCrowd):
    """The actions that the models play, and what was measured of them."""

    bl_label = "Clips"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context) -> None:
        layout, crowd = self.layout, crowd_in_focus(context)
        stored = crowd.steering
        portrayal = stored.portrayal if stored.is_property_set("portrayal") else None
        if portrayal is None or not len(portrayal.clips):
            note(layout, context, "Rigged models play their actions in step with their way: a walk, a run, an idle")
            layout.operator("steering.clips_find", icon="VIEWZOOM")
            layout.operator("steering.clip_add", icon="ADD")
            return
        row = layout.row()
        row.template_list("STEERING_UL_clips", "", portrayal, "clips", portrayal, "active_clip", rows=3)
        column = row.column(align=True)
        column.operator("steering.clip_add", text="", icon="ADD")
        column.operator("steering.clip_remove", text="", icon="REMOVE").row = -1
        column.separator()
        column.operator("steering.clips_find", text="", icon="VIEWZOOM")
        column.operator("steering.clips_measure", text="", icon="FILE_REFRESH")
        if portrayal.active_clip < len(portrayal.clips):
            clip = portrayal.clips[portrayal.active_clip]
            note(layout, context, words(clip), icon="BLANK1")
            column = fields(layout)
            column.prop(clip, "action")
            column.prop(clip, "plays")
            if clip.plays == "MOVE":
                column.prop(clip, "ground_speed")
        if preview.is_on(context.scene):
            note(layout, context, "The preview moves the models without clips. Bake to see them walk")
        layout.operator("steering.clips_write", icon="NLA")


class Playing(PartOfCrowd):
    """How the clips are played."""

    bl_label = "Playing"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        crowd = crowd_in_focus(context)
        return crowd is not None and _has_clips(crowd)

    def draw(self, context) -> None:
        playing = crowd_in_focus(context).steering.portrayal.playing
        column = fields(self.layout)
        for name in meaningful(ClipSettings, playing):
            column.prop(playing, name)


def _has_clips(crowd: Object) -> bool:
    stored = crowd.steering
    return stored.is_property_set("portrayal") and len(stored.portrayal.clips) > 0


CLASSES = (STEERING_UL_clips, *in_both(Clips, "clips", "crowd"), *in_both(Playing, "playing", "clips"))
