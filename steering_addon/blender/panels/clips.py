"""The panel of the clips that the models of the crowd play."""

from bpy.types import Context, Object, PropertyGroup, UILayout

from ...portrayal.clips import ClipSettings
from ..animation.posing import moves_shape_keys, short_name
from ..clips.crowd_clips import WITH_PARTNER, state_of
from ..clips.planting import unplanted_of
from ..crowds.adding_clips import why_without_walk
from ..crowds.states import states_of_crowd
from ..objects.focus import crowd_in_focus
from ..objects.tagged_objects import full_name
from ..operators.clips import words
from ..properties import pointed_at
from ..property_groups import meaningful
from ..status.census import known
from ..units import speed_text
from .fields import draw_properties, fields, in_both, note


class Clips:
    """The actions that the models play, and what was measured of them."""

    bl_label = "Clips"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        crowd, census = crowd_in_focus(context), known(context.scene)
        if crowd is None:
            return False
        return _has_clips(crowd) or census is None or full_name(crowd) in census.posed

    def draw(self, context) -> None:
        layout, stored = self.layout, crowd_in_focus(context).steering
        clips = stored.portrayal.clips if stored.is_property_set("portrayal") else ()
        states = states_of_crowd(crowd_in_focus(context), context) if len(clips) else []
        for row, clip in enumerate(clips):
            _clip(layout, context, row, clip, states)
        if why := why_without_walk(crowd_in_focus(context)):
            note(layout, context, why, icon="ERROR")
        line = layout.row(align=True)
        line.operator("steering.clips_find", icon="VIEWZOOM")
        line.operator("steering.clip_add", text="Add", icon="ADD")
        if not len(clips):
            return
        layout.operator("steering.fit_speed", icon="MOD_TIME")
        layout.operator("steering.clips_measure", icon="FILE_REFRESH")
        layout.operator("steering.select_sliding", icon="RESTRICT_SELECT_OFF")


def _clip(layout: UILayout, context: Context, row: int, clip: PropertyGroup, states: list[Object]) -> None:
    """The header of a clip and, if open, what was measured of it, and when it is played."""
    header, body = layout.panel(f"steering_clip_{row}", default_closed=True)
    line = header.row(align=True)
    line.prop(clip, "plays", text="", icon_only=True)
    action, state = pointed_at(clip, "action"), state_of(clip)
    if action is not None:
        name = short_name(action)
        line.label(text=name if state is None else f"{name}, {state.name}", translate=False)
    else:
        line.prop(clip, "action", text="")
    if clip.plays == "MOVE" and (speed := clip.ground_speed or clip.speed):
        number = header.row()
        number.alignment = "RIGHT"
        number.label(text=speed_text(speed), translate=False)
    header.operator("steering.clip_remove", text="", icon="X", emboss=False).row = row
    if body is None:
        return
    note(body, context, words(clip), icon="DRIVER_DISTANCE" if clip.plays == "MOVE" else "TIME")
    column = fields(body)
    draw_properties(column, clip, ("action", "plays"))
    if clip.plays == "MOVE":
        column.prop(clip, "ground_speed")
    if clip.plays == "STAND":
        column.prop(clip, "with_company")
    if clip.plays == "DO":
        column.prop(clip, "when")
        if clip.when in WITH_PARTNER:
            column.prop(clip, "apart")
    if states or state is not None:
        column.prop(clip, "state")
    if state is not None and state not in states:
        note(body, context, f"Never played: {state.name} is not among the states of {clip.id_data.name}", icon="ERROR")


def looking(portrayal: PropertyGroup) -> list[tuple[PropertyGroup, str]]:
    """The settings that say what heads look at, as groups and names of properties."""
    playing = portrayal.playing
    return [(portrayal, "look_at"), (playing, "look_ahead"), (playing, "look_at_caller")]


class ClipsPlaying:
    """How the clips are played."""

    bl_label = "Playing"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        crowd = crowd_in_focus(context)
        return crowd is not None and _has_clips(crowd)

    def draw(self, context) -> None:
        crowd = crowd_in_focus(context)
        playing = crowd.steering.portrayal.playing
        column = fields(self.layout)
        unplanted = unplanted_of(crowd)
        portrayal = crowd.steering.portrayal
        of_shapes = any(clip.action is not None and moves_shape_keys(clip.action) for clip in portrayal.clips)
        draw_properties(column, portrayal, ("head_bone", "look_at", *(("own_shapes",) if of_shapes else ())))
        for name in meaningful(ClipSettings, playing):
            row = column.row()
            row.prop(playing, name)
            if name == "plant_feet" and unplanted is not None:
                # It can still be turned off, which says that the feet may slide.
                models, why = unplanted
                row.active = bool(models)
                location = f" on {models}" if models else ""
                note(column, context, f"No effect{location}: {why}")


def _has_clips(crowd: Object) -> bool:
    stored = crowd.steering
    return stored.is_property_set("portrayal") and len(stored.portrayal.clips) > 0


CLASSES = (*in_both(Clips, "clips", "crowd"), *in_both(ClipsPlaying, "playing", "clips"))
