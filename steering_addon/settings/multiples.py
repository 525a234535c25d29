"""The numbers of a state in a preset: multiples of those of its crowd, so that it fits crowds of any size and speed."""

from collections.abc import Mapping

from ..minds.following import OF_THE_BODY
from ..simulation.declaration import Declared, Kind, Parameter, Unit
from ..simulation.locomotion import Locomotion
from .preset_values import Value, Values, held, within

RELATIVE = (Unit.LENGTH, Unit.SPEED, Unit.ACCELERATION, Unit.FORCE, Unit.TURN)
"""Units in which a preset holds the numbers of vehicles and of locomotions as multiples of those of the crowd."""

QUICKEST = 0.2
"""Seconds: what reacts more slowly in its crowd gets no quicker than that in a state that is faster."""
HASTENED = ("max_speed", "max_force", "response_time", "speed_time")
"""The numbers of vehicles that differ if they are faster."""


def as_multiples(declaration: type[Declared], values: Values, of_crowd: Values) -> tuple[dict[str, Value], list[str]]:
    """The numbers of a state as a preset holds them, and the names of those that it cannot hold.

    Args:
        values, of_crowd: the values of the state and of its crowd, by name.
    """
    told: dict[str, Value] = {}
    lost = []
    for name, parameter in changeable(declaration).items():
        value, usual = values[name], of_crowd[name]
        if not is_relative(parameter):
            told[name] = value
        elif usual:
            told[name] = float(f"{float(value) / float(usual):.6g}")
        elif value:
            lost.append(name)
    return told, lost


def from_multiples(declaration: type[Declared], told: Values, of_crowd: Values) -> dict[str, Value]:
    """The numbers of a state, by name, from what a preset holds of them and from the values of its crowd."""
    parameters = changeable(declaration)
    return {
        name: within(float(value) * float(of_crowd[name]), parameters[name]) if is_relative(parameters[name]) else value
        for name, value in told.items()
    }


def changeable(declaration: type[Declared]) -> dict[str, Parameter]:
    """The parameters of a vehicle model or of a locomotion that a state may have of its own, by name."""
    fixed = declaration.of_the_body if issubclass(declaration, Locomotion) else OF_THE_BODY
    return {name: parameter for name, parameter in held(declaration).items() if name not in fixed}


def is_relative(parameter: Parameter) -> bool:
    """Whether a preset of a state holds the number as a multiple of the crowd's."""
    return parameter.kind is Kind.NUMBER and parameter.unit in RELATIVE


def hastened(values: Values, factor: float) -> dict[str, float]:
    """The numbers of vehicles, by name, that differ if they are faster by a factor.

    They have the strength that turns as tightly at their speed, and react as much more quickly.
    """
    speed, force, *times = (float(values[name]) for name in HASTENED)
    quicker = (max(time / factor, min(time, QUICKEST)) for time in times)
    return dict(zip(HASTENED, (speed * factor, force * factor * factor, *quicker)))


def quickened(kind: type[Locomotion], values: Mapping[str, float], factor: float) -> dict[str, float]:
    """The numbers of a locomotion, by name, that differ for bodies that turn more quickly by a factor; `values`: those
    of the body as it is."""
    changed = {}
    for name, parameter in kind.parameters().items():
        if parameter.unit is Unit.TURN:
            changed[name] = min(values[name] * factor, parameter.most)
        elif name in kind.tightened:
            changed[name] = values[name] / factor
    return changed
