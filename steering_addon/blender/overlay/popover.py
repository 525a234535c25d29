"""The switches of the overlay, where Blender has those of its own and in the Steering tab."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..properties import settings_of

if TYPE_CHECKING:
    from bpy.types import Context, Scene, UILayout


def show_switch(self, context: Context) -> None:
    """A line in the Viewport Overlays popover; there once steering is used in the scene."""
    stored = settings_of(context.scene)
    if stored is not None:
        self.layout.separator()
        self.layout.prop(stored, "show_overlay")
        if stored.show_overlay:
            switches(self.layout, context.scene)


def switches(layout: UILayout, scene: Scene) -> None:
    """What is shown, a switch each."""
    stored = scene.steering
    layout.grid_flow(columns=2, even_columns=True, align=True, row_major=True).prop(stored, "overlay")
    if "TRAILS" in stored.overlay:
        layout.prop(stored, "trail_length")
