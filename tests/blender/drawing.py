"""Draws panels without a window: records what they show and checks that all names and icons exist."""

from __future__ import annotations

from typing import Any

import bpy

from tests.blender.building import part

ICONS = set(bpy.types.UILayout.bl_rna.functions["operator"].parameters["icon"].enum_items.keys())


class OperatorSettings:
    """Accepts the properties that a panel sets on a button, if the operator has them."""

    def __init__(self, operator: str) -> None:
        module, _, name = operator.partition(".")
        object.__setattr__(self, "properties", getattr(getattr(bpy.ops, module), name).get_rna_type().properties)

    def __setattr__(self, name: str, value: Any) -> None:
        declared = self.properties[name]
        if declared.type == "ENUM":
            assert value in {item.identifier for item in declared.enum_items}, (name, value)


class Entry(tuple):
    """What was drawn. `enabled`: whether it can be used."""

    enabled = True


class Layout:
    """Records what is drawn: ("label", text), ("prop", name), ("operator", name, text), ("menu", name)."""

    def __init__(self, drawn: list[tuple], above: Layout | None = None) -> None:
        self.drawn = drawn
        self.above = above
        self.active = self.enabled = self.use_property_split = True
        self.alert = self.use_property_decorate = False
        self.scale_x = self.scale_y = 1.0
        self.operator_context = ""

    def _part(self, *_arguments, **_settings) -> Layout:
        return Layout(self.drawn, self)

    def is_enabled(self) -> bool:
        """Whether what is drawn can be used; Blender disables all parts of a disabled layout."""
        return self.enabled and (self.above is None or self.above.is_enabled())

    column = row = box = split = grid_flow = column_flow = _part

    def panel(self, name: str, default_closed: bool = False) -> tuple[Layout, Layout]:
        self.drawn.append(("panel", name))
        return Layout(self.drawn, self), Layout(self.drawn, self)

    def separator(self, **_settings) -> None:
        pass

    def label(self, text: str = "", icon: str = "NONE", **_settings) -> None:
        assert icon in ICONS, icon
        self.drawn.append(("label", text))

    def prop(self, owner: Any, name: str, icon: str = "NONE", **_settings) -> None:
        assert name in owner.bl_rna.properties, (owner, name)
        assert icon in ICONS, icon
        self.drawn.append(("prop", name))

    def prop_search(self, owner: Any, name: str, data: Any, collection: str, **_settings) -> None:
        assert name in owner.bl_rna.properties and collection in data.bl_rna.properties
        self.drawn.append(("prop", name))

    def operator(self, name: str, text: str | None = None, icon: str = "NONE", **_settings) -> OperatorSettings:
        assert icon in ICONS, icon
        # Blender shows the operator's name only if there is no text, not for an empty one.
        assert text != "" or icon != "NONE", f"The button {name} is blank."
        entry = Entry(("operator", name, text or ""))
        entry.enabled = self.is_enabled()
        self.drawn.append(entry)
        return OperatorSettings(name)

    def operator_menu_enum(
        self, name: str, choice: str, text: str | None = None, icon: str = "NONE", **_settings
    ) -> None:
        assert choice in self.operator(name, text, icon).properties

    def menu(self, name: str, text: str = "", icon: str = "NONE", **_settings) -> None:
        assert hasattr(bpy.types, name), name
        assert icon in ICONS, icon
        self.drawn.append(("menu", name))

    def popover(self, panel: str, text: str = "", icon: str = "NONE", **_settings) -> None:
        self.menu(panel, text, icon)


def shown(name: str) -> list[tuple]:
    """The entries that a panel or menu draws; none if its poll fails."""
    cls = getattr(bpy.types, name)
    if hasattr(cls, "poll") and not cls.poll(bpy.context):
        return []
    drawn: list[tuple] = []
    cls.draw(type("Drawn", (), {"layout": Layout(drawn)})(), bpy.context)
    return drawn


def up_to_date(name: str) -> list[tuple]:
    """The entries that a panel or menu draws with an up-to-date census."""
    part("blender.status.census").refresh(bpy.context.scene)
    return shown(name)


def everything_shown(*, menus: bool = True) -> dict[str, list[tuple]]:
    """The entries that each panel and, if wanted, each menu draws, by class name, with an up-to-date census."""
    part("blender.status.census").refresh(bpy.context.scene)
    classes = [cls for cls in part("blender.panels").CLASSES if menus or not issubclass(cls, bpy.types.Menu)]
    return {cls.__name__: shown(cls.__name__) for cls in classes}


def texts(drawn: list[tuple]) -> str:
    """All labels and button texts, joined."""
    return " ".join(entry[-1] for entry in drawn if entry[0] in ("label", "operator") and entry[-1])
