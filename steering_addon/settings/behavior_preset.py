"""Presets of a single behavior: its settings as text, such as a restless way to wander."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from ..behaviors import CATALOGUE
from .preset_values import FORMAT, RENAMED, PresetError, Values, checked_values, parsed, shown, text_of, with_new_names

PARTS = {"label", "description", "behavior", "values"}
"""The top-level names of its text, besides "format"."""


@dataclass(frozen=True)
class BehaviorPreset:
    """The settings of one behavior.

    Attributes:
        label: its name in the interface.
        description: one sentence for the tooltip, without a final stop.
        behavior: the name of the behavior.
        values: its values by parameter name; a missing one has its default.
        unknown: names in its text that this version does not know.
    """

    label: str
    description: str
    behavior: str
    values: Values
    unknown: tuple[str, ...] = ()

    @property
    def tooltip(self) -> str:
        """The tooltip of its menu entry."""
        return self.description


def read_behavior(text: str, renamed: Mapping[str, str] = RENAMED) -> BehaviorPreset:
    """Read a behavior preset from its text.

    Args:
        renamed: as RENAMED.

    Raises:
        PresetError: the text is not such a preset, has a later format, or has an invalid value.
    """
    content = parsed(text)
    name, values = content.get("behavior"), content.get("values", {})
    if not isinstance(values, dict):
        raise PresetError("values must be an object of names and values")
    if not isinstance(name, str):
        raise PresetError('it does not name its "behavior"')
    current = with_new_names({"behaviors": {name: values}}, renamed).get("behaviors", {})
    behaviors = {behavior.name: behavior for behavior in CATALOGUE}
    current_name = next((name for name in current if name in behaviors), None)
    if current_name is None:
        raise PresetError(f"there is no behavior {shown(name)}")
    checked, unknown = checked_values("values", behaviors[current_name], current[current_name])
    return BehaviorPreset(
        label=text_of(content, "label"),
        description=text_of(content, "description"),
        behavior=current_name,
        values=checked,
        unknown=(*(part for part in content if part not in PARTS), *unknown),
    )


def behavior_written(preset: BehaviorPreset) -> str:
    """The text of a preset; reading it gives the same preset."""
    content = {
        "format": FORMAT,
        "label": preset.label,
        "description": preset.description,
        "behavior": preset.behavior,
        "values": dict(preset.values),
    }
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
