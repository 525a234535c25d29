"""Presets: the settings of a crowd as text, checked against what behaviors and vehicles declare.

A preset is JSON. It names values as the declarations do, in their units, and choices by name; what it does not name has
its default. It holds no objects, and nothing that follows from the models it is used on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from ..behaviors import CATALOGUE
from ..portrayal.driver_properties import Portrayal
from ..simulation.combining import COMBININGS
from ..simulation.declaration import REACH, Declared, Unit
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
from .variation import MOST

GROWING = (Unit.LENGTH, Unit.SPEED, Unit.ACCELERATION, Unit.FORCE)
"""What grows with the body when the motion shall look the same and take the same time."""
MOST_PREROLL = 10000
"""Frames of pre-roll that a scene takes."""


@dataclass(frozen=True)
class Preset:
    """The settings of a crowd.

    Attributes:
        label: what an animator reads.
        description: one sentence for the tooltip, without a final stop.
        body_length: metres from nose to tail of the bodies it is meant for.
        vehicle: values of the vehicle model by name; what is missing has its default.
        combining: the name of a choice of COMBININGS.
        behaviors: the behaviors that are on, by name, each with its values; what is missing has its default.
        variation: by how much vehicles shall differ, as shares, by the names of simulation.variation.MOST.
        preroll: suggested frames of pre-roll.
        portrayal: values of the portrayal by name; None where the preset says nothing of it.
        attendance: how they enter and leave, by name; None where the preset says nothing of it.
        unknown: names that were found in its text and mean nothing here.
    """

    label: str
    description: str
    body_length: float
    vehicle: Values
    combining: str
    behaviors: Mapping[str, Values]
    variation: Mapping[str, float] = field(default_factory=dict)
    preroll: int = 0
    portrayal: Values | None = None
    attendance: Values | None = None
    unknown: tuple[str, ...] = ()

    @property
    def tooltip(self) -> str:
        """What an animator is told of it before taking it up."""
        return f"{self.description}. For bodies of {self.body_length:.3g} m"

    def options(self) -> dict[str, Values]:
        """The values of the groups that a preset need not say anything of, where this one does."""
        groups = {"portrayal": self.portrayal, "attendance": self.attendance}
        return {name: values for name, values in groups.items() if values is not None}


OPTIONAL: Mapping[str, type[Declared]] = {"portrayal": Portrayal, "attendance": Attendance}
"""The groups of settings that a preset need not say anything of."""
PARTS = {part.name for part in fields(Preset)} - {"unknown"}
"""The names that a preset's text has at its top, besides that of its format."""


def read(text: str, renamed: Mapping[str, str] = RENAMED) -> Preset:
    """The preset that a text holds.

    Raises:
        PresetError: it is no preset, of a later format, or one of its values cannot be.
    """
    return _Reading(with_new_names(parsed(text), renamed)).preset()


def written(preset: Preset) -> str:
    """The text of a preset; reading it gives the same preset."""
    found: dict[str, Any] = {
        "format": FORMAT,
        "label": preset.label,
        "description": preset.description,
        "body_length": preset.body_length,
        "vehicle": dict(preset.vehicle),
        "combining": preset.combining,
        "behaviors": {name: dict(values) for name, values in preset.behaviors.items()},
        "variation": dict(preset.variation),
        "preroll": preset.preroll,
    }
    found |= {name: dict(values) for name, values in preset.options().items()}
    return json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def scaled(preset: Preset, scale: float) -> Preset:
    """The preset for bodies that are so many times as long: the same motion in the same time, only larger.

    Distances, speeds and strengths grow with the body. Turns are as wide as the body is long, so gravity, which leans
    bodies into them, counts for less: the lean is kept.
    """

    def grown(declaration: type[Declared], values: Values) -> dict[str, Value]:
        grown: dict[str, Value] = {}
        for name, value in complete(declaration, values).items():
            parameter = declaration.parameters()[name]
            if parameter.unit in GROWING:
                value = within(float(value) * scale, parameter)
            elif parameter.shrinks:
                value = within(float(value) / scale, parameter)
            grown[name] = value
        return grown

    behaviors = {b.name: grown(b, preset.behaviors[b.name]) for b in CATALOGUE if b.name in preset.behaviors}
    options = {name: grown(OPTIONAL[name], values) for name, values in preset.options().items()}
    return replace(
        preset,
        body_length=preset.body_length * scale,
        vehicle=grown(VehicleModel, preset.vehicle),
        behaviors=behaviors,
        portrayal=options.get("portrayal"),
        attendance=options.get("attendance"),
    )


class _Reading:
    """Makes a preset of what JSON gave, and collects the names it does not know."""

    def __init__(self, found: dict[str, Any]) -> None:
        self._found = found
        self._unknown: list[str] = []

    def preset(self) -> Preset:
        self._unknown += [name for name in self._found if name not in PARTS]
        preset = Preset(
            label=text_of(self._found, "label"),
            description=text_of(self._found, "description"),
            body_length=self._body_length(),
            vehicle=self._values("vehicle", VehicleModel, self._group("vehicle")),
            combining=self._combining(),
            behaviors=self._behaviors(),
            variation=self._variation(),
            preroll=self._preroll(),
            portrayal=self._optional("portrayal"),
            attendance=self._optional("attendance"),
        )
        return replace(preset, unknown=tuple(self._unknown))

    def _group(self, name: str) -> dict[str, Any]:
        group = self._found.get(name, {})
        if not isinstance(group, dict):
            raise PresetError(f"{name} has to hold names and values")
        return group

    def _body_length(self) -> float:
        value: Any = self._found.get("body_length")
        if not is_number(value) or not 0.0 < value <= REACH:
            raise PresetError(f"body_length has to be metres above 0, not {shown(value)}")
        return float(value)

    def _combining(self) -> str:
        names = [choice.name for choice in COMBININGS]
        value = self._found.get("combining")
        if value not in names:
            raise PresetError(f"combining has to be {' or '.join(names)}, not {shown(value)}")
        return str(value)

    def _behaviors(self) -> dict[str, Values]:
        group = self._group("behaviors")
        known = {behavior.name: behavior for behavior in CATALOGUE}
        found: dict[str, Values] = {}
        for name, values in group.items():
            if name not in known:
                self._unknown.append(f"behaviors.{name}")
            elif not isinstance(values, dict):
                raise PresetError(f"behaviors.{name} has to hold names and values")
            else:
                found[name] = self._values(f"behaviors.{name}", known[name], values)
        return found

    def _variation(self) -> dict[str, float]:
        found = {}
        for name, value in self._group("variation").items():
            if name not in MOST:
                self._unknown.append(f"variation.{name}")
            elif not is_number(value) or not 0.0 <= value <= MOST[name]:
                raise PresetError(f"variation.{name} has to be from 0 to {MOST[name]:g}, not {shown(value)}")
            else:
                found[name] = float(value)
        return found

    def _preroll(self) -> int:
        value = self._found.get("preroll", 0)
        if not is_whole(value) or not 0 <= value <= MOST_PREROLL:
            raise PresetError(f"preroll has to be frames from 0 to {MOST_PREROLL}, not {shown(value)}")
        return int(value)

    def _optional(self, name: str) -> dict[str, Value] | None:
        return self._values(name, OPTIONAL[name], self._group(name)) if name in self._found else None

    def _values(self, path: str, declaration: type[Declared], values: dict[str, Any]) -> dict[str, Value]:
        found, unknown = checked_values(path, declaration, values)
        self._unknown += unknown
        return found
