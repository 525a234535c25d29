"""The panels of the bake: preview, bake, delete the bake, and the settings of the scene's simulation."""

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
    """The buttons, with advice on what to do next."""

    bl_label = "Bake"

    def draw(self, context) -> None:
        layout, census = self.layout, known(context.scene)
        text, icon = _advice(context, census) if census is not None else ("", "NONE")
        note(layout, context, text, icon=icon)
        playing, label = preview.is_on(context.scene), _bake_label(context.scene, census)
        if not roomy(context):
            note(layout, context, label, icon="BLANK1")
            label = "Bake"
        column = layout.column(align=True)
        row = column.row(align=True)
        row.scale_y = 1.5
        row.enabled = playing or census is None or census.free > 0
        row.operator("steering.preview", text="Stop Preview" if playing else "Preview", icon="PLAY", depress=playing)
        if report := preview.report(context.scene):
            note(column, context, report)
        row = column.row(align=True)
        row.scale_y = 1.5
        row.enabled = census is None or census.free > 0
        row.operator("steering.bake", text=label, icon="REC").selected = False
        if any(has_role(ob, Role.VEHICLE) for ob in context.selected_objects):
            column.operator("steering.bake", text="Bake Selected").selected = True
        if census is None or census.baked:
            layout.operator("steering.select_contacts", icon="RESTRICT_SELECT_OFF")
            layout.operator("steering.clear_bake", icon="TRASH").selected = False


def _advice(context: Context, census: Census) -> tuple[str, str]:
    """The problem to solve or the next step, with an icon; empty if there is neither."""
    if not census.vehicles:
        return "Nothing to bake yet. Select the objects to move and make them vehicles", "INFO"
    if not census.free:
        return "All vehicles are locked. Unlock those that should move", "ERROR"
    # For a crowd in focus, the Behaviors panel shows the reason.
    if crowd_in_focus(context) is None and (reason := _why_nothing_moves(context, census)):
        return reason, "ERROR"
    if not census.baked and not preview.is_on(context.scene):
        return "Preview the motion of the vehicles, or bake it into keyframes", "INFO"
    return "", "NONE"


def _why_nothing_moves(context: Context, census: Census) -> str:
    """Why the first crowd does not move, if no crowd of the scene does; empty otherwise."""
    crowds = [context.scene.objects.get(name) for name in sorted(census.crowds)]
    reasons = ["" if crowd is None else why_still(crowd, census) for crowd in crowds]
    return f"{crowds[0].name}: {reasons[0]}" if reasons and all(reasons) else ""


def _bake_label(scene: Scene, census: Census | None) -> str:
    """The label of the Bake button: what it would bake."""
    if census is None or not census.free:
        return "Bake"
    first, last = frame_range(scene)
    return f"Bake {counted(census.free, 'Vehicle')}, {counted(max(last - first + 1, 0), 'Frame')}"


class Run:
    """The settings of the scene's simulation."""

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
        column.prop(stored, "substeps")
        column.prop(stored, "seed")


CLASSES = (in_tab(Baking, "bake"), in_tab(Run, "run", "bake"))
