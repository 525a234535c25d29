"""Fits a new behavior to its crowd: distances and times to the size and speed of the bodies, weights to the others'.

The defaults of behaviors are meant for the default vehicle. With r = radius, v = max_speed and a = max_force / mass,
each as a multiple of that vehicle's, they are multiplied by these factors:

    lengths       (r v)^(1/2), where there has to be room to stop at least v^2 / a, of those who stand r
    times         (r / v)^(1/4)
    strengths     a, of adjustments at least v: lengths / times^2, what it takes to step aside in time

The exponents are those that come nearest to the numbers of the shipped presets, which were found by eye: a starling
keeps more lengths of its body between itself and others than a sheep does, and looks less far ahead in time. A crowd
ten times as large and as fast gets ten times the distances and the same times.

What leads somewhere pulls by the strength a times its weight at most. It gets a weight with which that is no weaker
than the strongest of those that merely keep order: a predator whose herd instincts outweighed its quarry would stroll.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median

from ..simulation.behavior import Adjustment, Behavior, Intent
from ..simulation.combining import COMBININGS
from ..simulation.declaration import Kind, Parameter, Unit
from ..simulation.vehicle import VehicleModel
from .preset_values import Value, Values, complete, within

DIGITS = 2
"""Significant digits of fitted numbers."""
DIRECTIONS_ONLY = next(c.name for c in COMBININGS if c.name == "NORMALIZED_SUM")
"""The way to combine that compares all weights with each other, whatever their units."""


LEAST_AGILITY = 1e-3
"""m/s2; a body without strength obeys no weight."""
MODEL = ("radius", "max_speed", "max_force", "mass")
"""The values of the vehicle model that count."""


@dataclass(frozen=True)
class BodiesToFit:
    """The vehicles of a crowd, to which the values of a behavior are fitted.

    Attributes:
        radius: metres; 0 if unknown.
        mass: kilograms.
        grounded: whether they keep to the ground.
        walks: whether they do so at a pace of their own.
    """

    radius: float
    max_speed: float
    max_force: float
    mass: float
    grounded: bool = False
    walks: bool = False

    @classmethod
    def default(cls) -> "BodiesToFit":
        """The vehicles that the defaults of all behaviors are meant for."""
        return cls(**{name: VehicleModel.parameters()[name].default for name in MODEL})

    @property
    def agility(self) -> float:
        """The strongest acceleration, m/s2."""
        return self.max_force / self.mass


@dataclass(frozen=True)
class Factors:
    """Factors of the default values of behaviors. `length`, `time`, `speed`, `strength`: of values in such units;
    `stopping`: of lengths with room to stop; `size`: of lengths at rest."""

    length: float
    time: float
    speed: float
    strength: float
    stopping: float
    size: float

    @classmethod
    def of(cls, bodies: BodiesToFit) -> "Factors":
        """The factors for some bodies; values that no motion can have, such as a top speed of 0, count as default."""
        usual = BodiesToFit.default()
        speed = max(bodies.max_speed / usual.max_speed, 0.0) or 1.0
        size = max(bodies.radius / usual.radius, 0.0) or speed
        strength = max(bodies.agility / usual.agility, 0.0) or 1.0
        length, time = math.sqrt(size * speed), math.sqrt(math.sqrt(size / speed))
        return cls(length, time, speed, strength, max(length, speed * speed / strength), size)

    def of_weight(self, behavior: type[Behavior]) -> float:
        """The factor of the weight of a behavior."""
        factor = self.of_parameter(behavior.parameters()["weight"])
        return max(factor, self.speed) if issubclass(behavior, Adjustment) else factor

    def of_parameter(self, parameter: Parameter) -> float:
        """The factor of a parameter; 1 for angles, shares, frames, rates and numbers without a unit."""
        if parameter.unit is Unit.LENGTH and parameter.room_to_stop:
            return self.stopping
        if parameter.unit is Unit.LENGTH and parameter.at_rest:
            return self.size
        factors = {Unit.LENGTH: self.length, Unit.TIME: self.time, Unit.SPEED: self.speed}
        return factors.get(parameter.unit, self.strength if parameter.unit is Unit.ACCELERATION else 1.0)


def fitted(
    behavior: type[Behavior], bodies: BodiesToFit, combining: str, beside: Mapping[type[Behavior], Values]
) -> dict[str, Value]:
    """The values of a new behavior in a crowd, by name; choices by name. `combining`: the name of the way in which the
    crowd combines its behaviors; `beside`: the values of the behaviors that the crowd uses."""
    factors = Factors.of(bodies)
    values = complete(behavior, _to_begin_with(behavior, bodies))
    for name, parameter in behavior.parameters().items():
        if parameter.kind is Kind.NUMBER and (factor := factors.of_parameter(parameter)) != 1.0:
            values[name] = within(rounded(float(values[name]) * factor), parameter)
    others = {other: chosen for other, chosen in beside.items() if other is not behavior}
    values |= _as_beside(behavior, factors, combining, others)
    if leads(behavior) and behavior.parameters()["weight"].unit is Unit.NONE and combining != DIRECTIONS_ONLY:
        strongest = max((_order(other, chosen) for other, chosen in others.items()), default=0.0)
        least = rounded(strongest / max(bodies.agility, LEAST_AGILITY))
        values["weight"] = within(max(float(values["weight"]), least), behavior.parameters()["weight"])
    return values


def _to_begin_with(behavior: type[Behavior], bodies: BodiesToFit) -> Values:
    """The values other than its defaults with which a behavior begins."""
    if not bodies.grounded:
        return behavior.in_the_air
    return behavior.walking if bodies.walks else {}


def leads(behavior: type[Behavior]) -> bool:
    """Whether a behavior leads vehicles to a place or to somebody, as what merely keeps order among them does not."""
    return behavior.goal is not Behavior.goal


def _order(behavior: type[Behavior], values: Values) -> float:
    """The strongest force per mass of a behavior that keeps order, m/s2; 0 for others."""
    weight = behavior.parameters()["weight"]
    keeps_order = behavior.intent in (Intent.WITH, Intent.STAY) and weight.unit is Unit.ACCELERATION
    return float(complete(behavior, values)["weight"]) if keeps_order else 0.0


def fitted_length(parameter: Parameter, bodies: BodiesToFit) -> float:
    """The default of a length, fitted to some bodies; metres."""
    return within(rounded(float(parameter.default) * Factors.of(bodies).of_parameter(parameter)), parameter)


def _as_beside(
    behavior: type[Behavior], factors: Factors, combining: str, others: Mapping[type[Behavior], Values]
) -> dict[str, Value]:
    """Weight, priority and probability as changed as those of the other behaviors are, in the median.

    Weights in m/s2 are compared with weights in m/s2, factors with factors. Adjustments are not combined with the
    others, so that their weights only compare with each other's.
    """

    def usual_weight(kind: type[Behavior]) -> float:
        return float(kind.parameters()["weight"].default) * factors.of_weight(kind)

    adjusts = issubclass(behavior, Adjustment)
    beside = {k: complete(k, values) for k, values in others.items() if issubclass(k, Adjustment) is adjusts}
    counting = {kind: float(values["weight"]) for kind, values in beside.items() if float(values["weight"]) > 0.0}
    if combining == DIRECTIONS_ONLY and not adjusts:
        weight = _median(counting.values(), usual_weight(behavior))
    else:
        unit = behavior.parameters()["weight"].unit
        alike = [kind for kind in counting if kind.parameters()["weight"].unit is unit]
        ratio = _median((counting[kind] / usual_weight(kind) for kind in alike), 1.0)
        weight = usual_weight(behavior) * ratio
    parameters = behavior.parameters()
    priority, probability = parameters["priority"], parameters["probability"]
    shifts = [int(values["priority"]) - kind.parameters()["priority"].default for kind, values in beside.items()]
    likelihood = _median((float(values["probability"]) for values in beside.values()), probability.default)
    return {
        "weight": within(rounded(weight), parameters["weight"]),
        "priority": int(within(round(priority.default + _median(shifts, 0.0)), priority)),
        "probability": within(likelihood, probability),
    }


def _median(values: Iterable[float], otherwise: float) -> float:
    """The median of the values, or another number if there are none."""
    listed = list(values)
    return float(median(listed)) if listed else otherwise


def rounded(value: float) -> float:
    """The number with DIGITS significant digits, so that a field shows all of it."""
    return float(f"{value:.{DIGITS}g}")
