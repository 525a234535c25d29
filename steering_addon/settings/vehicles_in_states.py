"""How vehicles move in ready states: how many times as fast as their crowd, and with what strength."""

import numpy as np

from ..simulation.behavior import Behavior
from ..simulation.declaration import Unit
from ..simulation.locomotion import Locomotion
from ..simulation.vehicle import VehicleModel
from .preset import Preset
from .preset_values import Value, Values, from_multiples, hastened, within

RUNS = 0.75
"""The share of the run's speed from which on a state runs."""
TOO_FAST = 1.3
"""Legs look hurried from this multiple of the speed on for which the fastest clip is made."""
BURSTS = 0.5
"""For how long what flies or swims bursts in a state, as a share of the time for which walkers run: so fast it is soon
out of sight of the others."""
STOPS = 0.4
"""Seconds in which a vehicle loses two thirds of its speed in a state in which it stands."""


def factor_in_state(preset: Preset, kind: type[Locomotion], of_crowd: Values, run: float = 0.0) -> float | None:
    """How many times as fast as its crowd a ready state makes vehicles; None to leave them as they are.

    Not faster than the run of the crowd, where it has one, and what flies or swims no faster than its burst.
    `of_crowd`: the numbers of the vehicles of the crowd, by name; `run`: m/s, 0 for none.
    """
    faster, cruise = preset.faster, float(of_crowd["cruise_speed"])
    if faster is None:
        return None
    faster = min(faster, max(kind.burst * cruise, 1.0))
    speed = (cruise if preset.cruise_speed is None else preset.cruise_speed) * float(of_crowd["max_speed"])
    return run / speed if 0.0 < RUNS * run <= speed * faster and faster > 1.0 else faster


def times_in_state(preset: Preset, kind: type[Locomotion]) -> Values:
    """When vehicles take up a ready state and for how long, by name."""
    bursts = preset.spurt is not None and kind.burst < np.inf and "lasts" in preset.state
    return {**preset.state, "lasts": BURSTS * float(preset.state["lasts"])} if bursts else preset.state


def behavior_in_state(preset: Preset, kind: type[Behavior], of_crowd: Values, moves: type[Locomotion]) -> Values:
    """The values of a behavior in a ready state, by name.

    A weight in m/s2 is at least that of the crowd: what keeps a flock in order is stronger than in a herd.

    Args:
        of_crowd: the values that the crowd has of it, by name; empty if it does without.
    """
    values, times = dict(preset.behaviors.get(kind.name, {})), dict(preset.times.get(kind.name, {}))
    if moves.burst == np.inf:
        times |= preset.walking.get(kind.name, {})
    parameters = kind.parameters()
    if "weight" in values and "weight" in of_crowd and parameters["weight"].unit is Unit.ACCELERATION:
        values["weight"] = max(float(values["weight"]), float(of_crowd["weight"]))
    for name, factor in times.items():
        if name in of_crowd:
            values[name] = within(float(factor) * float(of_crowd[name]), parameters[name])
    return values


def vehicle_in_state(
    preset: Preset, kind: type[Locomotion], of_crowd: Values, factor: float | None, run: float = 0.0
) -> dict[str, Value]:
    """The numbers of the vehicles in a ready state, by name, where it has its own.

    What flies or swims in it goes on at the cruise speed of its crowd, as soon as nothing asks for more.

    Args:
        of_crowd: those of its crowd, by name.
        factor: how many times as fast they are; None for as their crowd.
        run: the speed of the crowd's run, m/s, which a state that is faster for it hardly exceeds; 0 for none.
    """
    changed: dict[str, Value] = {} if factor is None else dict(hastened(of_crowd, factor, of_crowd))
    if preset.cruise_speed is not None:
        cruise = float(of_crowd["cruise_speed"]) / (factor or 1.0)
        changed["cruise_speed"] = min(preset.cruise_speed, cruise) if kind.burst < np.inf else preset.cruise_speed
    numbers = {**of_crowd, **changed}
    if factor is not None and 0.0 < TOO_FAST * run < float(numbers["max_speed"]):
        cruise = float(numbers["cruise_speed"]) * float(numbers["max_speed"])
        changed |= {"max_speed": TOO_FAST * run, "cruise_speed": min(cruise / (TOO_FAST * run), 1.0)}
        numbers |= changed
    if preset.cruise_speed == 0.0:
        changed["speed_time"] = min(float(numbers["speed_time"]), STOPS)
    if preset.spurt is not None:
        gathers = float(numbers["mass"]) * float(numbers["max_speed"]) / preset.spurt
        changed["max_force"] = max(float(numbers["max_force"]), gathers)
    return changed | from_multiples(VehicleModel, preset.vehicle, of_crowd)
