"""Values in presets: read from JSON, under the names of today, and checked against what is declared.

Presets name values as the declarations do, in their units, and choices by name; what they do not name has its default.
They hold no objects, and nothing that follows from the models they are used on.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from ..portrayal.driver_properties import Portrayal
from ..simulation.declaration import POINTERS, REACH, Declared, Kind, Parameter
from ..simulation.presence.attendance import Attendance
from ..simulation.vehicle import VehicleModel

FORMAT = 1
"""The version of the form that is written here; a file of a later one is refused."""
RENAMED: Mapping[str, str] = {}
"""Old names in presets and the names they have now, with dots, as `behaviors.separation.distance`.

The name of a behavior stands for all that it holds.
"""
LEFT_ALONE: Mapping[type[Declared], frozenset[str]] = {
    VehicleModel: frozenset({"radius"}),
    Portrayal: frozenset({"use"}),
    Attendance: frozenset({"enter_frame"}),
}
"""What follows from the file, and so is in no preset: how large models are, whether keys drive them, when it begins."""
NEARLY = 1e-6
"""How far beyond a limit, as a share of it, a number may be: what went through a file's 32 bits is not exact."""
DEEPEST = 2
"""How many levels of names there are above a value: behaviors, and their own."""

Value = float | int | bool | str
Values = Mapping[str, Value]


class PresetError(ValueError):
    """A preset cannot be used. Its text is one sentence that says why."""


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


def parsed(text: str) -> dict[str, Any]:
    """What the text of a preset holds, without its format.

    Raises:
        PresetError: it is no preset, or of a later format.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as why:
        raise PresetError(f"it is no JSON: {why}") from None
    if not isinstance(found, dict):
        raise PresetError("it is no JSON object")
    version = found.pop("format", None)
    if not is_whole(version) or version < 1:
        raise PresetError('it does not say its "format"')
    if version > FORMAT:
        raise PresetError(f"its format {version} is of a later version of this extension")
    return found


def text_of(found: Mapping[str, Any], name: str) -> str:
    """What a preset says in words.

    Raises:
        PresetError: it is no text, or empty.
    """
    text = found.get(name)
    if not isinstance(text, str) or not text.strip():
        raise PresetError(f"{name} has to be text")
    return text


def checked_values(
    path: str, declaration: type[Declared], values: Mapping[str, Any]
) -> tuple[dict[str, Value], list[str]]:
    """The values of a declaration as it holds them, and the names that mean nothing there.

    Raises:
        PresetError: one of them is of another type or out of its limits.
    """
    parameters = held(declaration)
    unknown = [f"{path}.{name}" for name in values if name not in parameters]
    found = {name: _checked(values[name], parameters[name], f"{path}.{name}") for name in parameters if name in values}
    return found, unknown


def _checked(value: Any, parameter: Parameter, path: str) -> Value:
    """The value as the parameter holds it.

    Raises:
        PresetError: it is of another type or out of its limits.
    """
    if parameter.kind is Kind.SWITCH:
        if not isinstance(value, bool):
            raise PresetError(f"{path} has to be true or false, not {shown(value)}")
        return value
    if parameter.kind is Kind.CHOICE:
        names = [choice.name for choice in parameter.choices]
        if value not in names:
            raise PresetError(f"{path} has to be {' or '.join(names)}, not {shown(value)}")
        return str(value)
    whole = parameter.kind is Kind.INTEGER
    if not (is_whole(value) if whole else is_number(value)):
        raise PresetError(f"{path} has to be a {'whole ' if whole else ''}number, not {shown(value)}")
    least, most = _limits(parameter)
    tolerance = 0.0 if whole else NEARLY
    if value < least - tolerance * abs(least) or value > most + tolerance * abs(most):
        low, high = (f"{limit:.0f}" if whole else f"{limit:g}" for limit in (least, most))
        raise PresetError(f"{path} has to be from {low} to {high}, not {shown(value)}")
    return int(value) if whole else float(within(value, parameter))


def _limits(parameter: Parameter) -> tuple[float, float]:
    """The limits that Blender's property of the parameter has; only numbers without limits of their own get REACH."""
    if parameter.kind is Kind.INTEGER:
        return parameter.least, parameter.most
    return max(parameter.least, -REACH), min(parameter.most, REACH)


def within(value: float, parameter: Parameter) -> float:
    """The number, kept to the limits of its parameter."""
    least, most = _limits(parameter)
    return min(max(value, least), most)


def with_new_names(found: dict[str, Any], renamed: Mapping[str, str]) -> dict[str, Any]:
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


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Whether a value is a number that can be reckoned with."""
    return is_whole(value) or (isinstance(value, float) and math.isfinite(value))


def shown(value: Any) -> str:
    """A value as the file has it, cut short."""
    if isinstance(value, dict | list):
        return "several values" if value else "nothing"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else f"{text[:37]}..."
