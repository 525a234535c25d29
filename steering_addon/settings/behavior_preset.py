"""Presets of a single behavior: its settings as text, such as a restless way to wander."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from ..behaviors import CATALOGUE
from .preset_values import FORMAT, RENAMED, PresetError, Values, checked_values, parsed, shown, text_of, with_new_names

PARTS = {"label", "description", "behavior", "values"}
"""The names that its text has at the top, besides that of its format."""


@dataclass(frozen=True)
class BehaviorPreset:
    """The settings of one behavior.

    Attributes:
        label: what an animator reads.
        description: one sentence for the tooltip, without a final stop.
        behavior: the name of the behavior.
        values: its values by name; what is missing has its default.
        unknown: names that were found in its text and mean nothing here.
    """

    label: str
    description: str
    behavior: str
    values: Values
    unknown: tuple[str, ...] = ()

    @property
    def tooltip(self) -> str:
        """What an animator is told of it before taking it up."""
        return self.description


def read_behavior(text: str, renamed: Mapping[str, str] = RENAMED) -> BehaviorPreset:
    """The preset of a behavior that a text holds.

    Raises:
        PresetError: it is no such preset, of a later format, or one of its values cannot be.
    """
    found = parsed(text)
    name, values = found.get("behavior"), found.get("values", {})
    if not isinstance(values, dict):
        raise PresetError("values has to hold names and values")
    if not isinstance(name, str):
        raise PresetError('it does not say of which "behavior" it is')
    today = with_new_names({"behaviors": {name: values}}, renamed)
    known = {behavior.name: behavior for behavior in CATALOGUE}
    names = [name for name in today.get("behaviors", {}) if name in known]
    if not names:
        raise PresetError(f"there is no behavior {shown(name)}")
    here = names[0]
    checked, unknown = checked_values("values", known[here], today["behaviors"][here])
    return BehaviorPreset(
        label=text_of(found, "label"),
        description=text_of(found, "description"),
        behavior=here,
        values=checked,
        unknown=(*(part for part in found if part not in PARTS), *unknown),
    )


def behavior_written(preset: BehaviorPreset) -> str:
    """The text of a preset; reading it gives the same preset."""
    found = {
        "format": FORMAT,
        "label": preset.label,
        "description": preset.description,
        "behavior": preset.behavior,
        "values": dict(preset.values),
    }
    return json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
