"""Base classes of the operators that apply, save and remove presets of any kind.

An operator names its shelf, the folder of its presets, and defines how a preset is applied or made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import StringProperty

from ..crowds.preset_files import Shelf
from ..objects.focus import crowd_in_focus
from ..refusal import reported
from .polls import has_crowd, has_editable_crowd

if TYPE_CHECKING:
    from bpy.types import Context, Object

ShelfOf = Callable[[Any], Shelf]
"""Returns the shelf that an operator works on, from the operator's properties."""


def any_preset(shelf_of: ShelfOf) -> Any:
    """The operator property that names any preset."""

    def names(settings, _context, _text) -> list[str]:
        return list(shelf_of(settings).by_name())

    return StringProperty(name="Preset", description="Name of the preset", search=names, options={"SKIP_SAVE"})


def own_preset(shelf_of: ShelfOf) -> Any:
    """The operator property that names one of the user's own presets."""

    def names(settings, _context, _text) -> list[str]:
        return [name for name, preset in shelf_of(settings).by_name().items() if preset.removable]

    return StringProperty(name="Preset", description="Name of the preset", search=names, options={"SKIP_SAVE"})


def new_name() -> Any:
    """The operator property for the name of a new preset."""
    return StringProperty(name="Name", description="Name of the new preset", maxlen=63, options={"SKIP_SAVE"})


class Applying:
    """Applies a preset to the crowd."""

    bl_options = {"REGISTER", "UNDO"}
    shelf_of: ShelfOf

    def take_up(self, context: Context, crowd: Object, preset: Any) -> tuple[list[str], str]:
        """Apply the preset to the crowd; returns the warnings and the summary to report."""
        raise NotImplementedError

    @classmethod
    def description(cls, _context, properties) -> str:
        presets = cls.shelf_of(properties).by_name()
        return presets[properties.preset].tooltip() if properties.preset in presets else cls.__doc__

    @classmethod
    def poll(cls, context) -> bool:
        return has_editable_crowd(cls, context)

    @reported
    def execute(self, context):
        crowd = crowd_in_focus(context)
        preset = self.shelf_of(self).find(self.preset).load()
        warnings, summary = self.take_up(context, crowd, preset)
        # Blender updates dependencies only after an edit in the interface.
        crowd.update_tag()
        if preset.unknown:
            names = ", ".join(preset.unknown)
            warnings = [f"Skipped settings of {preset.label} that this version does not know: {names}", *warnings]
        for warning in warnings:
            self.report({"WARNING"}, warning)
        self.report({"INFO"}, summary)
        return {"FINISHED"}


def animated_warnings(crowd: Object, animated: list[str]) -> list[str]:
    """The warning that keyed or driven settings override a preset, if there are any."""
    if not animated:
        return []
    return [f"Keys or drivers of {crowd.name} override the preset: {', '.join(animated)}"]


class Saving:
    """Saves settings of the crowd in focus, or of another holder of settings, as a preset of the user's own."""

    bl_options = {"REGISTER"}
    shelf_of: ShelfOf
    holder = staticmethod(crowd_in_focus)

    def made_of(self, context: Context, holder: Object) -> tuple[str, str]:
        """The label of the preset and the text of its file.

        Raises:
            Refusal: the holder does not have the settings to save.
        """
        raise NotImplementedError

    @classmethod
    def poll(cls, context) -> bool:
        return has_crowd(cls, context)

    def invoke(self, context, _event):
        self.name = self.name or self.holder(context).name
        return context.window_manager.invoke_props_dialog(self)

    @reported
    def execute(self, context):
        saved = self.shelf_of(self).save(*self.made_of(context, self.holder(context)))
        self.report({"INFO"}, f"Saved the preset {saved.name}")
        return {"FINISHED"}


class Removing:
    """Deletes one of the user's own presets."""

    bl_options = {"REGISTER"}
    shelf_of: ShelfOf

    def invoke(self, context, event):
        presets = self.shelf_of(self).by_name()
        label = presets[self.preset].label() if self.preset in presets else self.preset
        return context.window_manager.invoke_confirm(
            self, event, title=f"Remove {label}?", message="This cannot be undone", confirm_text="Remove"
        )

    @reported
    def execute(self, _context):
        self.shelf_of(self).find(self.preset).remove()
        self.report({"INFO"}, f"Removed the preset {self.preset}")
        return {"FINISHED"}


class RemovingByMenu(Removing):
    """Deletes one of the user's own presets from a shelf that depends on no setting; a menu asks for its name."""

    menu: str

    @classmethod
    def poll(cls, _context) -> bool:
        if any(preset.removable for preset in cls.shelf_of(None).by_name().values()):
            return True
        cls.poll_message_set("There are no presets of your own")
        return False

    def invoke(self, context, event):
        if self.preset:
            return super().invoke(context, event)
        bpy.ops.wm.call_menu(name=self.menu)
        return {"CANCELLED"}
