"""The switches of the overlay, for the Viewport Overlays popover and the Steering tab."""

from bpy.types import Context, Scene, UILayout

from ..properties import settings_of


def show_switch(self, context: Context) -> None:
    """Add the overlay's switches to the Viewport Overlays popover once the scene uses steering."""
    stored = settings_of(context.scene)
    if stored is not None:
        self.layout.separator()
        self.layout.prop(stored, "show_overlay")
        if stored.show_overlay:
            switches(self.layout, context.scene)


def switches(layout: UILayout, scene: Scene) -> None:
    """Add a switch for each item that the overlay can show."""
    stored = scene.steering
    layout.grid_flow(columns=2, even_columns=True, align=True, row_major=True).prop(stored, "overlay")
    if "TRAILS" in stored.overlay:
        layout.prop(stored, "trail_length")
