"""Presets: the settings of a crowd as text, checked against what behaviors and vehicles declare.

A preset is JSON. It names values as the declarations do, in their units, and choices by name; what it does not name has
its default. It holds no objects, and nothing that follows from the models it is used on.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from ..simulation.combining import COMBININGS
from ..simulation.declaration import POINTERS, REACH, Declared, Kind, Parameter, Unit
from ..simulation.portrayal import Portrayal
from ..simulation.variation import MOST
from ..simulation.vehicle import VehicleModel
from .catalogue import CATALOGUE

FORMAT = 1
"""The version of the form that is written here; a file of a later one is refused."""
RENAMED: Mapping[str, str] = {}
"""Old names in presets and the names they have now, with dots, as `behaviors.separation.distance`.

The name of a behavior stands for all that it holds.
"""
LEFT_ALONE: Mapping[type[Declared], frozenset[str]] = {
    VehicleModel: frozenset({"radius"}),
    Portrayal: frozenset({"use"}),
}
"""What follows from the models in the file, and so is in no preset: how large they are, and whether keys drive them."""
GROWING = (Unit.LENGTH, Unit.SPEED, Unit.ACCELERATION, Unit.FORCE)
"""What grows with the body when the motion shall look the same and take the same time."""
NEARLY = 1e-6
"""How far beyond a limit, as a share of it, a number may be: what went through a file's 32 bits is not exact."""
MOST_PREROLL = 10000
"""Frames of pre-roll that a scene takes."""

DEEPEST = 2
"""How many levels of names there are above a value: behaviors, and their own."""

Value = float | int | bool | str
Values = Mapping[str, Value]


class PresetError(ValueError):
    """A preset cannot be used. Its text is one sentence that says why."""


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
    unknown: tuple[str, ...] = ()


PARTS = {part.name for part in fields(Preset)} - {"unknown"}
"""The names that a preset's text has at its top, besides that of its format."""


def held(declaration: type[Declared]) -> dict[str, Parameter]:
    """The parameters of a vehicle model, portrayal or behavior that a preset holds, by name."""
    left_alone = LEFT_ALONE.get(declaration, frozenset())
    return {
        name: parameter
        for name, parameter in declaration.parameters().items()
        if parameter.kind not in POINTERS and name not in left_alone
    }


def complete(declaration: type[Declared], values: Values) -> dict[str, Value]:
    """All values that a preset holds of a declaration, the missing ones by default; choices by name."""
    return {
        name: values.get(name, _choice_name(parameter) if parameter.kind is Kind.CHOICE else parameter.default)
        for name, parameter in held(declaration).items()
    }


def read(text: str, renamed: Mapping[str, str] = RENAMED) -> Preset:
    """The preset that a text holds.

    Raises:
        PresetError: it is no preset, of a later format, or one of its values cannot be.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as why:
        raise PresetError(f"it is no JSON: {why}") from None
    if not isinstance(found, dict):
        raise PresetError("it is no JSON object")
    version = found.pop("format", None)
    if not _is_whole(version) or version < 1:
        raise PresetError('it does not say its "format"')
    if version > FORMAT:
        raise PresetError(f"its format {version} is of a later version of this extension")
    return _Reading(_with_new_names(found, renamed)).preset()


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
    if preset.portrayal is not None:
        found["portrayal"] = dict(preset.portrayal)
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
                value = _within(float(value) * scale, parameter)
            elif declaration is VehicleModel and name == "bank":
                value = _within(float(value) / scale, parameter)
            grown[name] = value
        return grown

    behaviors = {b.name: grown(b, preset.behaviors[b.name]) for b in CATALOGUE if b.name in preset.behaviors}
    return replace(
        preset,
        body_length=preset.body_length * scale,
        vehicle=grown(VehicleModel, preset.vehicle),
        behaviors=behaviors,
        portrayal=None if preset.portrayal is None else grown(Portrayal, preset.portrayal),
    )


class _Reading:
    """Makes a preset of what JSON gave, and collects the names it does not know."""

    def __init__(self, found: dict[str, Any]) -> None:
        self._found = found
        self._unknown: list[str] = []

    def preset(self) -> Preset:
        self._unknown += [name for name in self._found if name not in PARTS]
        preset = Preset(
            label=self._text("label"),
            description=self._text("description"),
            body_length=self._body_length(),
            vehicle=self._values("vehicle", VehicleModel, self._group("vehicle")),
            combining=self._combining(),
            behaviors=self._behaviors(),
            variation=self._variation(),
            preroll=self._preroll(),
            portrayal=self._portrayal(),
        )
        return replace(preset, unknown=tuple(self._unknown))

    def _text(self, name: str) -> str:
        text = self._found.get(name)
        if not isinstance(text, str) or not text.strip():
            raise PresetError(f"{name} has to be text")
        return text

    def _group(self, name: str) -> dict[str, Any]:
        group = self._found.get(name, {})
        if not isinstance(group, dict):
            raise PresetError(f"{name} has to hold names and values")
        return group

    def _body_length(self) -> float:
        value: Any = self._found.get("body_length")
        if not _is_number(value) or not 0.0 < value <= REACH:
            raise PresetError(f"body_length has to be metres above 0, not {_shown(value)}")
        return float(value)

    def _combining(self) -> str:
        names = [choice.name for choice in COMBININGS]
        value = self._found.get("combining")
        if value not in names:
            raise PresetError(f"combining has to be {' or '.join(names)}, not {_shown(value)}")
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
            elif not _is_number(value) or not 0.0 <= value <= MOST[name]:
                raise PresetError(f"variation.{name} has to be from 0 to {MOST[name]:g}, not {_shown(value)}")
            else:
                found[name] = float(value)
        return found

    def _preroll(self) -> int:
        value = self._found.get("preroll", 0)
        if not _is_whole(value) or not 0 <= value <= MOST_PREROLL:
            raise PresetError(f"preroll has to be frames from 0 to {MOST_PREROLL}, not {_shown(value)}")
        return int(value)

    def _portrayal(self) -> Values | None:
        if "portrayal" not in self._found:
            return None
        return self._values("portrayal", Portrayal, self._group("portrayal"))

    def _values(self, path: str, declaration: type[Declared], values: dict[str, Any]) -> dict[str, Value]:
        parameters = held(declaration)
        self._unknown += [f"{path}.{name}" for name in values if name not in parameters]
        return {
            name: _checked(values[name], parameters[name], f"{path}.{name}") for name in parameters if name in values
        }


def _checked(value: Any, parameter: Parameter, path: str) -> Value:
    """The value as the parameter holds it.

    Raises:
        PresetError: it is of another type or out of its limits.
    """
    if parameter.kind is Kind.SWITCH:
        if not isinstance(value, bool):
            raise PresetError(f"{path} has to be true or false, not {_shown(value)}")
        return value
    if parameter.kind is Kind.CHOICE:
        names = [choice.name for choice in parameter.choices]
        if value not in names:
            raise PresetError(f"{path} has to be {' or '.join(names)}, not {_shown(value)}")
        return str(value)
    whole = parameter.kind is Kind.INTEGER
    if not (_is_whole(value) if whole else _is_number(value)):
        raise PresetError(f"{path} has to be a {'whole ' if whole else ''}number, not {_shown(value)}")
    least, most = _limits(parameter)
    if value < least - NEARLY * abs(least) or value > most + NEARLY * abs(most):
        raise PresetError(f"{path} has to be from {least:g} to {most:g}, not {_shown(value)}")
    return int(value) if whole else float(_within(value, parameter))


def _limits(parameter: Parameter) -> tuple[float, float]:
    return max(parameter.least, -REACH), min(parameter.most, REACH)


def _within(value: float, parameter: Parameter) -> float:
    least, most = _limits(parameter)
    return min(max(value, least), most)


def _with_new_names(found: dict[str, Any], renamed: Mapping[str, str]) -> dict[str, Any]:
    """What was found, under the names of today; where both an old and a new one are there, the new one counts."""
    new: dict[str, Any] = {}
    moved = []
    for path, value in _leaves(found):
        today = _today(path, renamed)
        if today == path:
            _put(new, path, value)
        else:
            moved.append((path, today, value))
    for path, today, value in moved:
        if not _put(new, today, value):
            _put(new, path, value)
    return new


def _leaves(found: dict[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The values by path; an object without entries is a value of its own, as a behavior by defaults is."""
    for name, value in found.items():
        if isinstance(value, dict) and value and len(above) < DEEPEST:
            yield from _leaves(value, (*above, name))
        else:
            yield (*above, name), value


def _today(path: tuple[str, ...], renamed: Mapping[str, str]) -> tuple[str, ...]:
    for _ in range(len(renamed)):
        for size in range(len(path), 0, -1):
            if (name := renamed.get(".".join(path[:size]))) is not None:
                path = (*name.split("."), *path[size:])
                break
        else:
            break
    return path


def _put(found: dict[str, Any], path: tuple[str, ...], value: Any) -> bool:
    """Put a value at a path; False where something is there already."""
    for name in path[:-1]:
        inside = found.setdefault(name, {})
        if not isinstance(inside, dict):
            return False
        found = inside
    if path[-1] in found:
        return False
    found[path[-1]] = value
    return True


def _choice_name(parameter: Parameter) -> str:
    return next(choice.name for choice in parameter.choices if choice.number == parameter.default)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return _is_whole(value) or (isinstance(value, float) and math.isfinite(value))


def _shown(value: Any) -> str:
    """A value as the file has it, cut short."""
    if isinstance(value, dict | list):
        return "several values" if value else "nothing"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else f"{text[:37]}..."
