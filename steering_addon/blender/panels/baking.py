"""The bake: what it would do, and taking one back."""

from __future__ import annotations

from ..properties import settings_of
from .drawing import fields
from .homes import in_tab


class Baking:
    """The buttons."""

    bl_label = "Bake"

    def draw(self, _context) -> None:
        layout = self.layout
        column = layout.column(align=True)
        row = column.row(align=True)
        row.scale_y = 1.5
        row.operator("steering.bake", icon="REC").selected = False
        column.operator("steering.bake", text="Bake Selected").selected = True
        layout.operator("steering.clear_bake", icon="TRASH").selected = False


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
