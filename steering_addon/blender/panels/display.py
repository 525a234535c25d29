"""The panel of the viewport overlay."""

from ..overlay.popover import switches
from ..properties import settings_of
from .fields import in_tab


class Display:
    """The switches of the Viewport Overlays popover; shown once the scene uses steering."""

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
        switches(layout, context.scene)


CLASSES = (in_tab(Display, "display"),)
