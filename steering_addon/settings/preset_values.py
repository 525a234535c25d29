"""Values in presets: read from JSON under their current names and checked against the declarations.

A preset names values as the declarations do, in SI units, and choices by name; a missing value has its default. A
preset holds no objects, and nothing that depends on the models it is used on.
"""

import json
import math
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np

from ..behaviors.containment import Containment
from ..minds.declaring import StateModel
from ..minds.following import OF_THE_BODY
from ..portrayal.driver_properties import Portrayal
from ..simulation.declaration import POINTERS, REACH, Declared, Kind, Parameter, Unit, name_of, number_of
from ..simulation.locomotion import Locomotion
from ..simulation.presence.attendance import Attendance
from ..simulation.vehicle import VehicleModel

LEFT_ALONE: Mapping[type[Declared], frozenset[str]] = {
    VehicleModel: frozenset({"radius", "length"}),
    Portrayal: frozenset({"use", "look", "stride_height"}),
    Attendance: frozenset({"enter_frame"}),
    StateModel: frozenset({"cue"}),
}
"""Parameters that depend on the file and are in no preset: size of the models, whether drivers exist, first frame, and
what the timeline tells."""
OF_THE_PLACE: Mapping[type[Declared], frozenset[str]] = {Containment: frozenset({"firm", "release"})}
"""Parameters that came with the place, as the glass of a tank: what a preset does not say of them stays as it is."""
NEARLY = 1e-6
"""How far beyond a limit, as a share of it, a number may be: values stored with 32 bits are not exact."""

Value = float | int | bool | str
Values = Mapping[str, Value]
AnyDeclared = TypeVar("AnyDeclared", bound=Declared)
RELATIVE = (Unit.LENGTH, Unit.SPEED, Unit.ACCELERATION, Unit.FORCE, Unit.TURN)
"""Units in which a preset holds the numbers of vehicles and of locomotions as multiples of those of the crowd."""

QUICKEST = 0.2
"""Seconds: what reacts more slowly in its crowd gets no quicker than that in a state that is faster."""
HASTENED = ("max_speed", "max_force", "response_time", "speed_time")
"""The numbers of vehicles that differ if they are faster."""


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
    return {name: values.get(name, default_of(parameter)) for name, parameter in held(declaration).items()}


def stated(declaration: type[Declared], values: Values) -> dict[str, Value]:
    """The values that a preset gives to a crowd: all that it holds, but of the place only what it says."""
    stays = OF_THE_PLACE.get(declaration, frozenset()) - values.keys()
    return {name: value for name, value in complete(declaration, values).items() if name not in stays}


def default_of(parameter: Parameter) -> Any:
    """The default of a parameter as a preset has it: a choice by its name."""
    return name_of(parameter.choices, parameter.default) if parameter.kind is Kind.CHOICE else parameter.default


def in_columns(declaration: type[AnyDeclared], values: Values) -> AnyDeclared:
    """A declaration with the values of a preset, in columns of one entry as Blender stores them, with 32 bits."""
    columns: dict[str, Value] = {}
    for name, value in complete(declaration, values).items():
        parameter = declaration.parameters()[name]
        if parameter.kind is Kind.CHOICE:
            columns[name] = number_of(parameter.choices, str(value))
        else:
            columns[name] = float(np.float32(value)) if isinstance(value, float) else value
    return declaration.of(1, **columns)


def parse_document(text: str, newest: int) -> tuple[int, dict[str, Any]]:
    """The format of a preset, which is a version up to the newest, and the rest of its content. Raises PresetError if
    the text is not a preset, or has a later format."""
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
    if version > newest:
        raise PresetError(f"its format {version} needs a later version of this extension")
    return version, content


def checked_values(
    path: str, declaration: type[Declared], values: Mapping[str, Any]
) -> tuple[dict[str, Value], list[str]]:
    """The checked values of a declaration, and the paths of the names it does not have; `path`: where the values are in
    the preset, for messages. Raises PresetError if a value has the wrong type or is out of its limits."""
    parameters = held(declaration)
    unknown = [f"{path}.{name}" for name in values if name not in parameters]
    known = [name for name in parameters if name in values]
    return {name: _check(values[name], parameters[name], f"{path}.{name}") for name in known}, unknown


def _check(value: Any, parameter: Parameter, path: str) -> Value:
    """The value in the type and within the limits of its parameter. Raises PresetError if the value has another type or
    is out of the limits."""
    if parameter.kind is Kind.SWITCH:
        if not isinstance(value, bool):
            raise PresetError(f"{path} must be true or false, not {excerpt(value)}")
        return value
    if parameter.kind is Kind.CHOICE:
        names = [choice.name for choice in parameter.choices]
        if value not in names:
            raise PresetError(f"{path} must be {' or '.join(names)}, not {excerpt(value)}")
        return str(value)
    whole = parameter.kind is Kind.INTEGER
    if not (is_whole(value) if whole else is_number(value)):
        raise PresetError(f"{path} must be a {'whole ' if whole else ''}number, not {excerpt(value)}")
    smallest, largest = _limits(parameter)
    tolerance = 0.0 if whole else NEARLY
    if value < smallest - tolerance * abs(smallest) or value > largest + tolerance * abs(largest):
        low, high = (f"{limit:.0f}" if whole else f"{limit:g}" for limit in (smallest, largest))
        raise PresetError(f"{path} must be from {low} to {high}, not {excerpt(value)}")
    return int(value) if whole else float(within(value, parameter))


def _limits(parameter: Parameter) -> tuple[float, float]:
    """The limits of the parameter's Blender property; REACH only bounds numbers that declare no limit."""
    if parameter.kind is Kind.INTEGER:
        return parameter.least, parameter.most
    return max(parameter.least, -REACH), min(parameter.most, REACH)


def within(value: float, parameter: Parameter) -> float:
    """The number, clamped to the limits of its parameter."""
    smallest, largest = _limits(parameter)
    return min(max(value, smallest), largest)


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Whether a value is a finite number."""
    return is_whole(value) or (isinstance(value, float) and math.isfinite(value))


def excerpt(value: Any) -> str:
    """A value as in the file, shortened for a message."""
    if isinstance(value, dict | list):
        return "several values" if value else "nothing"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else f"{text[:37]}..."


def as_multiples(declaration: type[Declared], values: Values, of_crowd: Values) -> tuple[dict[str, Value], list[str]]:
    """The numbers of a state as a preset holds them, and the names of those that it cannot hold. `values`, `of_crowd`:
    the values of the state and of its crowd, by name."""
    multiples: dict[str, Value] = {}
    lost = []
    for name, parameter in changeable(declaration).items():
        value, usual = values[name], of_crowd[name]
        if not is_relative(parameter):
            multiples[name] = value
        elif usual:
            multiples[name] = float(f"{float(value) / float(usual):.6g}")
        elif value:
            lost.append(name)
    return multiples, lost


def from_multiples(declaration: type[Declared], multiples: Values, of_crowd: Values) -> dict[str, Value]:
    """The numbers of a state, by name, from what a preset holds of them and from the values of its crowd."""
    parameters = changeable(declaration)
    return {
        name: within(float(value) * float(of_crowd[name]), parameters[name]) if is_relative(parameters[name]) else value
        for name, value in multiples.items()
    }


def changeable(declaration: type[Declared]) -> dict[str, Parameter]:
    """The parameters of a vehicle model or of a locomotion that a state may have of its own, by name."""
    fixed = declaration.of_the_body if issubclass(declaration, Locomotion) else OF_THE_BODY
    return {name: parameter for name, parameter in held(declaration).items() if name not in fixed}


def is_relative(parameter: Parameter) -> bool:
    """Whether a preset of a state holds the number as a multiple of the crowd's."""
    return parameter.kind is Kind.NUMBER and parameter.unit in RELATIVE


def hastened(values: Values, factor: float, of_crowd: Values) -> dict[str, float]:
    """The numbers of vehicles, by name, that differ if they are faster by a factor.

    They have the strength that turns as tightly at their speed, and react as much more quickly. Slower ones have no
    less than their crowd for that: who hunts at the speed of a clip is no weaker than who strolls.
    """
    speed, force, *times = (float(values[name]) for name in HASTENED)
    strength = max(force * factor * factor, min(force, float(of_crowd["max_force"])))
    slowest = (max(time, float(of_crowd[name])) for name, time in zip(HASTENED[2:], times))
    quicker = (min(max(time / factor, min(time, QUICKEST)), limit) for time, limit in zip(times, slowest))
    return dict(zip(HASTENED, (speed * factor, strength, *quicker)))


def quickened(
    kind: type[Locomotion], values: Mapping[str, float], factor: float, of_crowd: Mapping[str, float]
) -> dict[str, float]:
    """The numbers of a locomotion, by name, that differ for bodies that turn more quickly by a factor, and no less so
    than their crowd; `values`: those of the body as it is."""
    changed = {}
    for name, parameter in kind.parameters().items():
        if parameter.unit is Unit.TURN:
            least = min(values[name], of_crowd[name])
            changed[name] = min(max(values[name] * factor, least), parameter.most)
        elif name in kind.tightened:
            changed[name] = min(values[name] / factor, max(values[name], of_crowd[name]))
    return changed
