"""The switches of the viewport overlay, in the Steering tab and the Viewport Overlays popover."""

from bpy.types import Context, Scene, UILayout

from ..properties import settings_of
from .fields import in_tab


def show_switch(self, context: Context) -> None:
    """Add the switches to the Viewport Overlays popover once the scene uses steering."""
    stored = settings_of(context.scene)
    if stored is not None:
        self.layout.separator()
        self.layout.prop(stored, "show_overlay")
        if stored.show_overlay:
            _add_switches(self.layout, context.scene)


class Display:
    """The panel with the switches; shown once the scene uses steering."""

    bl_label = "Overlay"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context) -> bool:
        return settings_of(context.scene) is not None

    def draw_header(self, context) -> None:
        self.layout.prop(context.scene.steering, "show_overlay", text="")

    def draw(self, context) -> None:
        layout = self.layout
        layout.active = context.scene.steering.show_overlay
        _add_switches(layout, context.scene)


def _add_switches(layout: UILayout, scene: Scene) -> None:
    stored = scene.steering
    layout.grid_flow(columns=2, even_columns=True, align=True, row_major=True).prop(stored, "overlay")
    if "TRAILS" in stored.overlay:
        layout.prop(stored, "trail_length")


CLASSES = (in_tab(Display, "display"),)
