"""Reads the states of crowds and the triggers that call their vehicles, frame by frame."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from bpy.types import Depsgraph, Object

from ...behaviors import CATALOGUE
from ...minds.declaring import Mind, Mode, StateModel, Trigger, TriggerModel
from ...minds.minding import Minds
from ...simulation.combining import COMBININGS
from ...simulation.locomotion import Locomotion
from ...simulation.snapshot import Settings
from ...simulation.vehicle import VehicleModel
from ..moving import locomotion_of
from ..objects.tagged_objects import crowd_of
from ..properties.own_settings import is_own
from ..refusal import choice_in
from .checks import checked_values
from .dependencies import animates
from .mind_sources import StateSource, TriggerSource
from .vehicles import FACTORS

COMBINING_NUMBERS = {choice.name: choice.number for choice in COMBININGS}
ORDER = {behavior.name: number for number, behavior in enumerate(CATALOGUE)}


class MindReader:
    """Reads states and triggers; what is not animated only once."""

    def __init__(
        self,
        states: Sequence[StateSource],
        triggers: Sequence[TriggerSource],
        crowds: int,
        move_otherwise: Collection[int],
    ) -> None:
        """The states and triggers of some crowds.

        Args:
            crowds: the count of crowds, whose rows of settings come before those of the states.
            move_otherwise: the rows of the vehicles with a locomotion of their own, which no state changes.
        """
        self._states, self._triggers, self._crowds = states, triggers, crowds
        self._move_otherwise = np.array(sorted(move_otherwise), dtype=np.int64)
        self.stays = not any(animates(each.ob, "steering") for each in (*states, *triggers))
        """Whether all frames have the same states and triggers."""

    def settings(self, depsgraph: Depsgraph | None, frame: int, of_crowds: Sequence[Settings]) -> tuple[Settings, ...]:
        """The settings of each state: its own, and those of its crowd for the rest. Refused if a value is not a
        number."""
        return tuple(self._settings_of(state, depsgraph, frame, of_crowds[state.crowd]) for state in self._states)

    def read(
        self,
        depsgraph: Depsgraph | None,
        frame: int,
        vehicle: VehicleModel,
        locomotions: Sequence[Locomotion],
        factors: Mapping[str, np.ndarray],
    ) -> Minds:
        """The minds of the crowds that have states. Refused if a value is not a number. `vehicle`, `locomotions`: the
        vehicle models and the locomotions without states, n rows; `factors`: the columns of the vehicles' own
        settings."""
        minds = []
        for crowd in sorted({state.crowd for state in self._states}):
            # The modes of a crowd that no vehicle takes up on this frame, as their states are not active.
            states = [state for state in self._states if state.crowd == crowd]
            closed = {mode for mode, each in enumerate(states, 1) if not self._evaluated(each.ob, depsgraph).active}
            modes = [
                self._mode(state, self._crowds + row, depsgraph, frame, vehicle, locomotions, factors)
                for row, state in enumerate(self._states)
                if state.crowd == crowd
            ]
            modes = [_without(mode, closed, number in closed) for number, mode in enumerate(modes, 1)]
            triggers = [self._trigger(each, closed, depsgraph, frame) for each in self._triggers if each.crowd == crowd]
            minds.append(Mind(crowd, tuple(modes), tuple(triggers)))
        return Minds(tuple(minds))

    def _settings_of(self, state: StateSource, depsgraph: Depsgraph | None, frame: int, of_crowd: Settings) -> Settings:
        settings, ob = self._evaluated(state.ob, depsgraph), state.ob
        behaviors = {behavior.name: behavior for behavior in of_crowd.behaviors}
        for kind in CATALOGUE:
            if not is_own(ob, kind.name):
                continue
            behaviors.pop(kind.name, None)
            group = getattr(settings, kind.name)
            if group.use:
                values = checked_values(kind, group, ob, kind.name, frame)
                pointed = {name: row for (of, name), row in state.source.pointed.items() if of == kind.name}
                behaviors[kind.name] = kind.of(1, **{**values, **pointed})
        combining = of_crowd.combining
        if ob.steering.is_property_set("state") and ob.steering.state.own_combining:
            combining = COMBINING_NUMBERS[choice_in(settings, "combining")]
        return Settings(tuple(behaviors[name] for name in sorted(behaviors, key=ORDER.__getitem__)), combining)

    def _mode(
        self,
        state: StateSource,
        row: int,
        depsgraph: Depsgraph | None,
        frame: int,
        vehicle: VehicleModel,
        locomotions: Sequence[Locomotion],
        factors: Mapping[str, np.ndarray],
    ) -> Mode:
        ob = state.ob
        stored = self._evaluated(ob, depsgraph)
        is_set = bool(ob.steering.is_property_set("state"))
        values = checked_values(StateModel, stored.state, ob, "state", frame) if is_set else {}
        replaced = tuple(kind.name for kind in CATALOGUE if is_own(ob, kind.name))
        body = None
        if is_own(ob, "vehicle"):
            body = _body(checked_values(VehicleModel, stored.vehicle, ob, "vehicle", frame), state, vehicle, factors)
        moves = self._moving(state, stored, frame, locomotions, len(vehicle.mass))
        return Mode(state.number, row, StateModel.of(1, **values), body, moves, replaced, state.then, state.eases)

    def _moving(
        self, state: StateSource, stored: Any, frame: int, locomotions: Sequence[Locomotion], n: int
    ) -> Locomotion | None:
        """The locomotion of the vehicles with the numbers of a state, n rows; None for those of its crowd."""
        crowd = crowd_of(state.ob)
        kind = None if crowd is None else locomotion_of(crowd)
        body = next((each for each in locomotions if type(each) is kind), None)
        if kind is None or body is None or not is_own(state.ob, kind.name):
            return None
        rows = np.setdiff1d(np.arange(n)[state.source.rows], self._move_otherwise)
        columns = {name: np.array(getattr(body.for_agents(np.arange(n)), name)) for name in kind.parameters()}
        for name, value in checked_values(kind, getattr(stored, kind.name), state.ob, kind.name, frame).items():
            columns[name][rows] = value
        return kind.of(n, **columns)

    def _trigger(
        self, trigger: TriggerSource, closed: Collection[int], depsgraph: Depsgraph | None, frame: int
    ) -> Trigger:
        """The trigger as it calls on this frame: with no strength while it or its state is not active."""
        ob = trigger.ob
        stored = self._evaluated(ob, depsgraph)
        values = checked_values(TriggerModel, stored.trigger, ob, "trigger", frame)
        if not stored.active or trigger.trigger.to in closed:
            # It keeps its number: what has called before is known by it.
            values["strength"] = 0.0
        return trigger.trigger.set_to(TriggerModel.of(1, **values))

    def _evaluated(self, ob: Object, depsgraph: Depsgraph | None) -> Any:
        """The settings of a state or trigger as they are evaluated; without animation as they are stored."""
        if depsgraph is None or not animates(ob, "steering"):
            return ob.steering
        return ob.evaluated_get(depsgraph).steering


def _body(
    values: Mapping[str, Any], state: StateSource, vehicle: VehicleModel, factors: Mapping[str, np.ndarray]
) -> VehicleModel:
    """The vehicle models of a state: those of the crowd's vehicles with other values, times their own factors."""
    columns = {}
    for name, value in values.items():
        column = np.array(getattr(vehicle, name))
        column[state.source.rows] = value
        columns[name] = column
    for name, factor in FACTORS:
        columns[name][state.source.rows] *= factors[factor][state.source.rows]
    return vehicle.with_columns(columns)


def _without(mode: Mode, closed: Collection[int], inactive: bool) -> Mode:
    """A mode to which no closed one follows; an inactive one is followed to its end, but not taken up."""
    if mode.then in closed:
        mode = replace(mode, then=0)
    if not inactive:
        return mode
    none = {name: np.zeros_like(getattr(mode.numbers, name)) for name in ("cue", "urge", "spreads")}
    return replace(mode, numbers=replace(mode.numbers, **none))
