"""The bake: what it would do, and taking one back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...simulation.roles import Role
from .. import preview
from ..focus import crowd_in_focus
from ..properties import has_role, settings_of
from ..read.plan import frame_range
from ..status.census import Census, known
from ..status.inactivity import why_still
from .fields import counted, fields, note, roomy
from .locations import in_tab

if TYPE_CHECKING:
    from bpy.types import Context, Scene


class Baking:
    """The buttons."""

    bl_label = "Bake"

    def draw(self, context) -> None:
        layout, census = self.layout, known(context.scene)
        text, icon = _advice(context, census) if census is not None else ("", "NONE")
        note(layout, context, text, icon=icon)
        on, does = preview.is_on(context.scene), _what_it_does(context.scene, census)
        if not roomy(context):
            note(layout, context, does, icon="BLANK1")
            does = "Bake"
        column = layout.column(align=True)
        row = column.row(align=True)
        row.scale_y = 1.5
        row.enabled = on or census is None or census.free > 0
        row.operator("steering.preview", text="Preview is On" if on else "Preview", icon="PLAY", depress=on)
        if told := preview.report(context.scene):
            note(column, context, told)
        row = column.row(align=True)
        row.scale_y = 1.5
        row.enabled = census is None or census.free > 0
        row.operator("steering.bake", text=does, icon="REC").selected = False
        if any(has_role(ob, Role.VEHICLE) for ob in context.selected_objects):
            column.operator("steering.bake", text="Bake Selected").selected = True
        if census is None or census.baked:
            layout.operator("steering.select_contacts", icon="RESTRICT_SELECT_OFF")
            layout.operator("steering.clear_bake", icon="TRASH").selected = False


def _advice(context: Context, census: Census) -> tuple[str, str]:
    """What stands in the way, or what to do next, with an icon; nothing where that is plain to see."""
    if not census.vehicles:
        return "Nothing to bake yet: select what shall move and make it a vehicle", "INFO"
    if not census.free:
        return "All vehicles are locked: unlock those that shall move", "ERROR"
    # Of a crowd in focus the list of its behaviors says it.
    if crowd_in_focus(context) is None and (why := _why_nothing_moves(context, census)):
        return why, "ERROR"
    if not census.baked and not preview.is_on(context.scene):
        return "Vehicles move in a preview, and for good when they are baked", "INFO"
    return "", "NONE"


def _why_nothing_moves(context: Context, census: Census) -> str:
    """Why no crowd of the scene does anything, by the example of the first; empty where one does."""
    crowds = [context.scene.objects.get(name) for name in sorted(census.crowds)]
    reasons = ["" if crowd is None else why_still(crowd, census) for crowd in crowds]
    return f"{crowds[0].name}: {reasons[0]}" if reasons and all(reasons) else ""


def _what_it_does(scene: Scene, census: Census | None) -> str:
    """What the button would do, in words."""
    if census is None or not census.free:
        return "Bake"
    first, last = frame_range(scene)
    return f"Bake {counted(census.free, 'Vehicle')}, {counted(max(last - first + 1, 0), 'Frame')}"


class Run:
    """What belongs to the run of the scene."""

    bl_label = "Settings"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context) -> bool:
        return settings_of(context.scene) is not None

    def draw(self, context) -> None:
        stored = context.scene.steering
        column = fields(self.layout)
        column.prop(stored, "use_frame_range")
        if stored.use_frame_range:
            frames = column.column(align=True)
            frames.prop(stored, "frame_start")
            frames.prop(stored, "frame_end")
        column.prop(stored, "preroll")
        column.prop(stored, "substeps")
        column.prop(stored, "seed")


CLASSES = (in_tab(Baking, "bake"), in_tab(Run, "run", "bake"))
