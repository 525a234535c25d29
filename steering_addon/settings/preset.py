"""Presets of crowds: their settings as JSON text, checked against the declarations of behaviors and vehicles.

`preset_values` describes the values.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from ..behaviors import CATALOGUE
from ..locomotion import LOCOMOTIONS, SimpleVehicle
from ..portrayal.driver_properties import Portrayal
from ..simulation.combining import COMBININGS
from ..simulation.declaration import REACH, Declared, Unit
from ..simulation.locomotion import Locomotion
from ..simulation.presence.attendance import Attendance
from ..simulation.vehicle import VehicleModel
from .preset_values import (
    FORMAT,
    RENAMED,
    PresetError,
    Value,
    Values,
    checked_values,
    complete,
    is_number,
    is_whole,
    parsed,
    shown,
    text_of,
    with_new_names,
    within,
)
from .stored import MOST_PREROLL
from .variation import MOST

GROWING = (Unit.LENGTH, Unit.SPEED, Unit.ACCELERATION, Unit.FORCE)
"""Units that grow in proportion to the body if the motion is to look the same and take the same time."""
SIMILAR = 2.0
"""Bodies more than this many times larger or smaller than those a preset is meant for get it fitted to their size."""
GROUPS = ("Birds", "Fish", "People", "Animals", "Vehicles", "Other")
"""The headings of the menu of presets, in order."""


@dataclass(frozen=True)
class Preset:
    """The settings of a crowd.

    Attributes:
        label: its name in the interface.
        description: one sentence for the tooltip, without a final stop.
        body_length: metres from nose to tail of the bodies it is meant for.
        vehicle: values of the vehicle model by name; a missing one has its default.
        locomotion: the values of the locomotion, by its name; a missing value has its default.
        combining: the name of a choice of COMBININGS.
        behaviors: the values of each active behavior, by its name; a missing value has its default.
        variation: how much vehicles differ, as shares, by the names of `variation.MOST`.
        preroll: suggested pre-roll in frames.
        portrayal: values of the portrayal by name; None if the preset leaves the portrayal alone.
        attendance: values for entering and leaving, by name; None if the preset leaves those alone.
        group: the heading of the menu under which it is listed, one of GROUPS; empty for presets of the user's own.
        unknown: names in its text that this version does not know.
    """

    label: str
    description: str
    body_length: float
    vehicle: Values
    locomotion: Mapping[str, Values]
    combining: str
    behaviors: Mapping[str, Values]
    variation: Mapping[str, float] = field(default_factory=dict)
    preroll: int = 0
    portrayal: Values | None = None
    attendance: Values | None = None
    group: str = ""
    unknown: tuple[str, ...] = ()

    @property
    def tooltip(self) -> str:
        """The tooltip of its menu entry."""
        return f"{self.description}. For bodies of {self.body_length:.3g} m"

    @property
    def moves(self) -> type[Locomotion]:
        """Its locomotion."""
        [name] = self.locomotion
        return LOCOMOTIONS[name]

    def options(self) -> dict[str, Values]:
        """The values of the OPTIONAL groups that this preset has."""
        groups = {"portrayal": self.portrayal, "attendance": self.attendance}
        return {name: values for name, values in groups.items() if values is not None}


OPTIONAL: Mapping[str, type[Declared]] = {"portrayal": Portrayal, "attendance": Attendance}
"""The groups of settings that a preset may leave out."""
PARTS = {part.name for part in fields(Preset)} - {"unknown"}
"""The top-level names of its text, besides "format"."""


def read(text: str, renamed: Mapping[str, str] = RENAMED) -> Preset:
    """Read a preset from its text.

    Args:
        renamed: as RENAMED.

    Raises:
        PresetError: the text is not a preset, has a later format, or has an invalid value.
    """
    return _Reading(with_new_names(parsed(text), renamed)).preset()


def written(preset: Preset) -> str:
    """The text of a preset; reading it gives the same preset."""
    content: dict[str, Any] = {
        "format": FORMAT,
        "label": preset.label,
        "description": preset.description,
        "body_length": preset.body_length,
        "vehicle": dict(preset.vehicle),
        "locomotion": {name: dict(values) for name, values in preset.locomotion.items()},
        "combining": preset.combining,
        "behaviors": {name: dict(values) for name, values in preset.behaviors.items()},
        "variation": dict(preset.variation),
        "preroll": preset.preroll,
    }
    content |= {name: dict(values) for name, values in preset.options().items()}
    if preset.group:
        content["group"] = preset.group
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def scaled(preset: Preset, scale: float) -> Preset:
    """The preset for larger or smaller bodies: the same motion in the same time, only larger or smaller.

    Distances, speeds and forces grow with the body. Accelerations in turns grow with them but gravity does not, so
    larger bodies would lean more; parameters marked `shrinks` are divided by the scale, which keeps the lean.

    Args:
        scale: length of the new bodies divided by `preset.body_length`.
    """

    def all_grown(declaration: type[Declared], values: Values) -> dict[str, Value]:
        return grown(declaration, complete(declaration, values), scale)

    behaviors = {b.name: all_grown(b, preset.behaviors[b.name]) for b in CATALOGUE if b.name in preset.behaviors}
    options = {name: all_grown(OPTIONAL[name], values) for name, values in preset.options().items()}
    return replace(
        preset,
        body_length=preset.body_length * scale,
        vehicle=all_grown(VehicleModel, preset.vehicle),
        locomotion={name: all_grown(preset.moves, values) for name, values in preset.locomotion.items()},
        behaviors=behaviors,
        portrayal=options.get("portrayal"),
        attendance=options.get("attendance"),
    )


def grown(declaration: type[Declared], values: Values, scale: float) -> dict[str, Value]:
    """Some values of a declaration, by name, for bodies that are larger by a factor."""
    result: dict[str, Value] = {}
    for name, value in values.items():
        parameter = declaration.parameters()[name]
        if parameter.unit in GROWING:
            value = within(float(value) * scale, parameter)
        elif parameter.shrinks:
            value = within(float(value) / scale, parameter)
        result[name] = value
    return result


class _Reading:
    """Builds a preset from parsed JSON and collects the names it does not know."""

    def __init__(self, content: dict[str, Any]) -> None:
        self._content = content
        self._unknown: list[str] = []

    def preset(self) -> Preset:
        self._unknown += [name for name in self._content if name not in PARTS]
        preset = Preset(
            label=text_of(self._content, "label"),
            description=text_of(self._content, "description"),
            body_length=self._body_length(),
            vehicle=self._values("vehicle", VehicleModel, self._group("vehicle")),
            locomotion=self._locomotion(),
            combining=self._combining(),
            behaviors=self._behaviors(),
            variation=self._variation(),
            preroll=self._preroll(),
            portrayal=self._optional("portrayal"),
            attendance=self._optional("attendance"),
            group=self._heading(),
        )
        return replace(preset, unknown=tuple(self._unknown))

    def _group(self, name: str) -> dict[str, Any]:
        group = self._content.get(name, {})
        if not isinstance(group, dict):
            raise PresetError(f"{name} must be an object of names and values")
        return group

    def _locomotion(self) -> dict[str, Values]:
        group = self._group("locomotion") or {SimpleVehicle.name: {}}
        if len(group) != 1 or not group.keys() <= LOCOMOTIONS.keys():
            raise PresetError(f"locomotion must be {' or '.join(LOCOMOTIONS)}, not {shown(', '.join(group))}")
        [(name, values)] = group.items()
        if not isinstance(values, dict):
            raise PresetError(f"locomotion.{name} must be an object of names and values")
        return {name: self._values(f"locomotion.{name}", LOCOMOTIONS[name], values)}

    def _heading(self) -> str:
        value = self._content.get("group", "")
        if value not in ("", *GROUPS):
            raise PresetError(f"group must be one of {', '.join(GROUPS)}, not {shown(value)}")
        return str(value)

    def _body_length(self) -> float:
        value: Any = self._content.get("body_length")
        if not is_number(value) or not 0.0 < value <= REACH:
            raise PresetError(f"body_length must be metres above 0, not {shown(value)}")
        return float(value)

    def _combining(self) -> str:
        names = [choice.name for choice in COMBININGS]
        value = self._content.get("combining")
        if value not in names:
            raise PresetError(f"combining must be {' or '.join(names)}, not {shown(value)}")
        return str(value)

    def _behaviors(self) -> dict[str, Values]:
        declarations = {behavior.name: behavior for behavior in CATALOGUE}
        behaviors: dict[str, Values] = {}
        for name, values in self._group("behaviors").items():
            if name not in declarations:
                self._unknown.append(f"behaviors.{name}")
            elif not isinstance(values, dict):
                raise PresetError(f"behaviors.{name} must be an object of names and values")
            else:
                behaviors[name] = self._values(f"behaviors.{name}", declarations[name], values)
        return behaviors

    def _variation(self) -> dict[str, float]:
        variation = {}
        for name, value in self._group("variation").items():
            if name not in MOST:
                self._unknown.append(f"variation.{name}")
            elif not is_number(value) or not 0.0 <= value <= MOST[name]:
                raise PresetError(f"variation.{name} must be from 0 to {MOST[name]:g}, not {shown(value)}")
            else:
                variation[name] = float(value)
        return variation

    def _preroll(self) -> int:
        value = self._content.get("preroll", 0)
        if not is_whole(value) or not 0 <= value <= MOST_PREROLL:
            raise PresetError(f"preroll must be frames from 0 to {MOST_PREROLL}, not {shown(value)}")
        return int(value)

    def _optional(self, name: str) -> dict[str, Value] | None:
        return self._values(name, OPTIONAL[name], self._group(name)) if name in self._content else None

    def _values(self, path: str, declaration: type[Declared], values: dict[str, Any]) -> dict[str, Value]:
        checked, unknown = checked_values(path, declaration, values)
        self._unknown += unknown
        return checked
