"""Values in presets: read from JSON under their current names and checked against the declarations.

A preset names values as the declarations do, in SI units, and choices by name; a missing value has its default. A
preset holds no objects, and nothing that depends on the models it is used on.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import numpy as np

from ..minds.declaring import StateModel
from ..portrayal.driver_properties import Portrayal
from ..simulation.declaration import POINTERS, REACH, Declared, Kind, Parameter
from ..simulation.presence.attendance import Attendance
from ..simulation.vehicle import VehicleModel

FORMAT = 1
"""The version of the format that is written; files of a later version are refused."""
RENAMED: Mapping[str, str] = {}
"""Old names in presets and their current names, with dots: `behaviors.separation.distance`.

The name of a behavior includes all its values.
"""
LEFT_ALONE: Mapping[type[Declared], frozenset[str]] = {
    VehicleModel: frozenset({"radius", "length"}),
    Portrayal: frozenset({"use", "look", "stride_height"}),
    Attendance: frozenset({"enter_frame"}),
    StateModel: frozenset({"cue"}),
}
"""Parameters that depend on the file and are in no preset: size of the models, whether drivers exist, first frame, and
what the timeline tells."""
NEARLY = 1e-6
"""How far beyond a limit, as a share of it, a number may be: values stored with 32 bits are not exact."""
DEEPEST = 2
"""The largest number of names above a value: "behaviors" and the name of the behavior."""

Value = float | int | bool | str
Values = Mapping[str, Value]
AnyDeclared = TypeVar("AnyDeclared", bound=Declared)


class PresetError(ValueError):
    """A preset cannot be used. The text says why and completes the sentence "The preset cannot be used: ..."."""


def held(declaration: type[Declared]) -> dict[str, Parameter]:
    """The parameters of a vehicle model, portrayal, attendance or behavior that a preset holds, by name."""
    left_alone = LEFT_ALONE.get(declaration, frozenset())
    return {
        name: parameter
        for name, parameter in declaration.parameters().items()
        if parameter.kind not in POINTERS and name not in left_alone
    }


def complete(declaration: type[Declared], values: Values) -> dict[str, Value]:
    """All values that a preset holds of a declaration: the given ones, defaults for the others; choices by name."""
    return {
        name: values.get(name, _choice_name(parameter) if parameter.kind is Kind.CHOICE else parameter.default)
        for name, parameter in held(declaration).items()
    }


def in_columns(declaration: type[AnyDeclared], values: Values) -> AnyDeclared:
    """A declaration with the values of a preset, in columns of one entry as Blender stores them, with 32 bits."""
    columns: dict[str, Value] = {}
    for name, value in complete(declaration, values).items():
        parameter = declaration.parameters()[name]
        if parameter.kind is Kind.CHOICE:
            columns[name] = next(choice.number for choice in parameter.choices if choice.name == value)
        else:
            columns[name] = float(np.float32(value)) if isinstance(value, float) else value
    return declaration.of(1, **columns)


def parsed(text: str) -> dict[str, Any]:
    """The content of a preset without its format.

    Raises:
        PresetError: the text is not a preset, or has a later format.
    """
    try:
        content = json.loads(text)
        # Half of a surrogate pair can be escaped in JSON, but no program can show it.
        json.dumps(content, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise PresetError("it has half a character (a lone surrogate)") from None
    except (ValueError, RecursionError) as error:
        raise PresetError(f"it is not valid JSON: {error}") from None
    if not isinstance(content, dict):
        raise PresetError("it is not a JSON object")
    version = content.pop("format", None)
    if not is_whole(version) or version < 1:
        raise PresetError('its "format" is missing or invalid')
    if version > FORMAT:
        raise PresetError(f"its format {version} needs a later version of this extension")
    return content


def text_of(content: Mapping[str, Any], name: str) -> str:
    """A text in a preset, such as its label.

    Raises:
        PresetError: the value is not text, or empty.
    """
    text = content.get(name)
    if not isinstance(text, str) or not text.strip():
        raise PresetError(f"{name} must be text")
    if "\0" in text:
        raise PresetError(f"{name} must not have a null character")
    return text


def checked_values(
    path: str, declaration: type[Declared], values: Mapping[str, Any]
) -> tuple[dict[str, Value], list[str]]:
    """The checked values of a declaration, and the paths of the names it does not have.

    Args:
        path: where the values are in the preset, for messages.

    Raises:
        PresetError: a value has the wrong type or is out of its limits.
    """
    parameters = held(declaration)
    unknown = [f"{path}.{name}" for name in values if name not in parameters]
    known = [name for name in parameters if name in values]
    return {name: _checked(values[name], parameters[name], f"{path}.{name}") for name in known}, unknown


def _checked(value: Any, parameter: Parameter, path: str) -> Value:
    """The value in the type and within the limits of its parameter.

    Raises:
        PresetError: the value has another type or is out of the limits.
    """
    if parameter.kind is Kind.SWITCH:
        if not isinstance(value, bool):
            raise PresetError(f"{path} must be true or false, not {shown(value)}")
        return value
    if parameter.kind is Kind.CHOICE:
        names = [choice.name for choice in parameter.choices]
        if value not in names:
            raise PresetError(f"{path} must be {' or '.join(names)}, not {shown(value)}")
        return str(value)
    whole = parameter.kind is Kind.INTEGER
    if not (is_whole(value) if whole else is_number(value)):
        raise PresetError(f"{path} must be a {'whole ' if whole else ''}number, not {shown(value)}")
    least, most = _limits(parameter)
    tolerance = 0.0 if whole else NEARLY
    if value < least - tolerance * abs(least) or value > most + tolerance * abs(most):
        low, high = (f"{limit:.0f}" if whole else f"{limit:g}" for limit in (least, most))
        raise PresetError(f"{path} must be from {low} to {high}, not {shown(value)}")
    return int(value) if whole else float(within(value, parameter))


def _limits(parameter: Parameter) -> tuple[float, float]:
    """The limits of the parameter's Blender property; REACH only bounds numbers that declare no limit."""
    if parameter.kind is Kind.INTEGER:
        return parameter.least, parameter.most
    return max(parameter.least, -REACH), min(parameter.most, REACH)


def within(value: float, parameter: Parameter) -> float:
    """The number, clamped to the limits of its parameter."""
    least, most = _limits(parameter)
    return min(max(value, least), most)


def with_new_names(content: dict[str, Any], renamed: Mapping[str, str]) -> dict[str, Any]:
    """The content under its current names; a value under the current name wins over one under an old name."""
    new: dict[str, Any] = {}
    moved = []
    for path, value in _leaves(content):
        current = _current(path, renamed)
        if current == path:
            _put(new, path, value)
        else:
            moved.append((path, current, value))
    for path, current, value in moved:
        if not _put(new, current, value):
            _put(new, path, value)
    return new


def _leaves(content: dict[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The values by path; an empty object is a value, such as a behavior with only defaults."""
    for name, value in content.items():
        if isinstance(value, dict) and value and len(above) < DEEPEST:
            yield from _leaves(value, (*above, name))
        else:
            yield (*above, name), value


def _current(path: tuple[str, ...], renamed: Mapping[str, str]) -> tuple[str, ...]:
    """The current path for a path that may be old; a value may have been renamed several times."""
    for _ in range(len(renamed)):
        for size in range(len(path), 0, -1):
            if (name := renamed.get(".".join(path[:size]))) is not None:
                path = (*name.split("."), *path[size:])
                break
        else:
            break
    return path


def _put(content: dict[str, Any], path: tuple[str, ...], value: Any) -> bool:
    """Put a value at a path; False if the path is taken."""
    for name in path[:-1]:
        inside = content.setdefault(name, {})
        if not isinstance(inside, dict):
            return False
        content = inside
    if path[-1] in content:
        return False
    content[path[-1]] = value
    return True


def _choice_name(parameter: Parameter) -> str:
    return next(choice.name for choice in parameter.choices if choice.number == parameter.default)


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Whether a value is a finite number."""
    return is_whole(value) or (isinstance(value, float) and math.isfinite(value))


def shown(value: Any) -> str:
    """A value as in the file, shortened for a message."""
    if isinstance(value, dict | list):
        return "several values" if value else "nothing"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else f"{text[:37]}..."
