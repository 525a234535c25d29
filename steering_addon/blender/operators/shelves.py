"""What applying, saving and removing presets has in common, whatever they are presets of.

An operator names its shelf and says what is taken up or written; the rest is here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bpy.props import StringProperty

from ..crowds.preset_files import Shelf
from ..refusal import reported
from .behaviors import crowd_in_focus, has_crowd, has_editable_crowd

if TYPE_CHECKING:
    from bpy.types import Context, Object

ShelfOf = Callable[[Any], Shelf]
"""The shelf that is meant by the settings of an operator."""


def any_of(shelf_of: ShelfOf) -> Any:
    """The property that says which preset."""

    def names(settings, _context, _text) -> list[str]:
        return list(shelf_of(settings).listed())

    return StringProperty(name="Preset", description="Which one", search=names, options={"SKIP_SAVE"})


def own_of(shelf_of: ShelfOf) -> Any:
    """The property that says which of one's own."""

    def names(settings, _context, _text) -> list[str]:
        return [name for name, preset in shelf_of(settings).listed().items() if preset.removable]

    return StringProperty(name="Preset", description="Which one", search=names, options={"SKIP_SAVE"})


def new_name() -> Any:
    """The property that says what to save it as."""
    return StringProperty(name="Name", description="What the preset is called", maxlen=63, options={"SKIP_SAVE"})


class Applying:
    """Gives the crowd what a preset holds."""

    bl_options = {"REGISTER", "UNDO"}
    shelf_of: ShelfOf

    def take_up(self, context: Context, crowd: Object, preset: Any) -> tuple[list[str], str]:
        """Give it to the crowd; returns what the animator should be warned of, and what to tell besides."""
        raise NotImplementedError

    @classmethod
    def description(cls, _context, properties) -> str:
        there = cls.shelf_of(properties).listed()
        return there[properties.preset].tooltip() if properties.preset in there else cls.__doc__

    @classmethod
    def poll(cls, context) -> bool:
        return has_editable_crowd(cls, context)

    @reported
    def execute(self, context):
        crowd = crowd_in_focus(context)
        preset = self.shelf_of(self).find(self.preset).load()
        warnings, told = self.take_up(context, crowd, preset)
        # Blender notices by itself what is typed into a field only.
        crowd.update_tag()
        if preset.unknown:
            names = ", ".join(preset.unknown)
            warnings = [f"{preset.label} names what is not known here and was left out: {names}", *warnings]
        for warning in warnings:
            self.report({"WARNING"}, warning)
        self.report({"INFO"}, told)
        return {"FINISHED"}


def overruled(crowd: Object, animated: list[str]) -> list[str]:
    """A warning of settings that are keyed or driven, and so are not what a preset says."""
    if not animated:
        return []
    return [f"{crowd.name} has keys or drivers that go before the preset: {', '.join(animated)}"]


class Saving:
    """Keeps settings of the crowd as a preset of one's own."""

    bl_options = {"REGISTER"}
    shelf_of: ShelfOf

    def made_of(self, context: Context, crowd: Object) -> tuple[str, str]:
        """The label and the text of the preset.

        Raises:
            Refusal: the crowd does not have what is to be saved.
        """
        raise NotImplementedError

    @classmethod
    def poll(cls, context) -> bool:
        return has_crowd(cls, context)

    def invoke(self, context, _event):
        self.name = self.name or crowd_in_focus(context).name
        return context.window_manager.invoke_props_dialog(self)

    @reported
    def execute(self, context):
        saved = self.shelf_of(self).save(*self.made_of(context, crowd_in_focus(context)))
        self.report({"INFO"}, f"Saved the preset {saved.name}")
        return {"FINISHED"}


class Removing:
    """Deletes a preset of one's own."""

    bl_options = {"REGISTER"}
    shelf_of: ShelfOf

    def invoke(self, context, event):
        there = self.shelf_of(self).listed()
        what = there[self.preset].label() if self.preset in there else self.preset
        return context.window_manager.invoke_confirm(
            self, event, title=f"Remove {what}?", message="This cannot be undone", confirm_text="Remove"
        )

    @reported
    def execute(self, _context):
        self.shelf_of(self).find(self.preset).remove()
        self.report({"INFO"}, f"Removed the preset {self.preset}")
        return {"FINISHED"}
