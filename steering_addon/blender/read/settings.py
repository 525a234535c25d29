"""The settings that a snapshot needs of the scene, the crowds, their states and the vehicles, in columns."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from bpy.types import Depsgraph, Object, PropertyGroup

from ...behaviors import CATALOGUE
from ...minds.declaring import Mind, Mode, StateModel, Trigger, TriggerModel
from ...minds.minding import Minds
from ...simulation.arrays.chance import shared_key
from ...simulation.arrays.scalars import same_for_all, shared
from ...simulation.behavior import Behavior
from ...simulation.combining import COMBININGS
from ...simulation.declaration import Declared
from ...simulation.locomotion import Fleet, Locomotion
from ...simulation.presence.attendance import STAY, Attendance, enter_frames
from ...simulation.snapshot import Settings
from ...simulation.vehicle import VehicleModel
from ..clips.crowd_clips import apart_for
from ..moving import locomotion_of
from ..objects.tagged_objects import crowd_of
from ..properties import is_own
from ..refusal import choice_in
from .checks import checked_values
from .dependencies import animates
from .locomotions import LocomotionReader, settings_on
from .mind_sources import StateSource, TriggerSource
from .plan import Plan
from .sources import CrowdSource
from .vehicles import FACTORS

COMBINING_NUMBERS = {choice.name: choice.number for choice in COMBININGS}
ORDER = {behavior.name: number for number, behavior in enumerate(CATALOGUE)}


class SettingsReader:
    """Reads the settings of a plan, frame after frame; those that are not animated only once."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._attendance: tuple[Attendance | None, np.ndarray | None] | None = None
        self._attendance_is_animated = any(animates(crowd.ob, "steering.attendance") for crowd in plan.crowds)
        self._crowds = [_CrowdReader(crowd) for crowd in plan.crowds]
        self._crowd, self._crowd_keys = _crowd_columns(plan)
        kinds = plan.vehicles.source.own_locomotions
        self._minds = MindReader(plan.states, plan.triggers, len(plan.crowds), kinds)
        self._crowds_stay = all(crowd.stays for crowd in self._crowds) and self._minds.stays
        self._minds_read: tuple[Mapping[str, np.ndarray], tuple[Settings, ...], Minds] | None = None
        self._model: tuple[Mapping[str, np.ndarray], VehicleModel] | None = None
        owner = plan.vehicles.source.owner
        self._locomotions = LocomotionReader((crowd.ob for crowd in plan.crowds), self._crowd, owner, kinds)

    @property
    def stay(self) -> bool:
        """Whether the settings of all crowds and vehicles are the same on all frames."""
        return self._crowds_stay and not self._plan.vehicles.source.animated.any()

    def columns(self, depsgraph: Depsgraph | None, frame: int, settings: Mapping[str, np.ndarray]) -> dict[str, Any]:
        """The part of a snapshot that depends on these settings; without a depsgraph only if they `stay`. `settings`:
        those of the vehicles, as `VehicleSource.settings` reads them. Refused if a value is not a number."""
        plan = self._plan
        attendance, enters = self._attendance_on(depsgraph, frame)
        fleet = self._locomotions.read(depsgraph, frame)
        if self._model is None or not self._crowds_stay or self._model[0] is not settings:
            self._model = settings, self._models(depsgraph, frame, settings)
        vehicle = self._model[1]
        of_crowds = tuple(crowd.read(depsgraph, frame) for crowd in self._crowds)
        of_states, minds = self._states_and_minds(depsgraph, frame, settings, vehicle, fleet, of_crowds)
        return {
            "frame_time": plan.frame_time,
            "substeps": plan.substeps,
            "decides_every": plan.decides_every,
            "keys": plan.vehicles.keys,
            "vehicle": vehicle,
            "fleet": fleet,
            "present": settings["active"].astype(np.bool_),
            "settings": (*of_crowds, *of_states),
            "minds": minds,
            "settings_row": self._crowd,
            "crowd": self._crowd,
            "crowd_keys": self._crowd_keys,
            "numbers": plan.vehicles.numbers,
            "candidates": plan.candidates,
            "attendance": attendance,
            "due": None if enters is None else frame >= enters,
        }

    def _states_and_minds(
        self,
        depsgraph: Depsgraph | None,
        frame: int,
        settings: Mapping[str, np.ndarray],
        vehicle: VehicleModel,
        fleet: Fleet,
        of_crowds: tuple[Settings, ...],
    ) -> tuple[tuple[Settings, ...], Minds | None]:
        """The settings of the states and the minds of their crowds; the same objects while nothing changes."""
        if not self._plan.states:
            return (), None
        stays = self._crowds_stay and self._locomotions.stay
        if self._minds_read is None or not stays or self._minds_read[0] is not settings:
            states = self._minds.settings(depsgraph, frame, of_crowds)
            self._minds_read = (
                settings,
                states,
                self._minds.read(depsgraph, frame, vehicle, fleet.locomotions, settings),
            )
        return self._minds_read[1], self._minds_read[2]

    def _models(self, depsgraph: Depsgraph | None, frame: int, settings: Mapping[str, np.ndarray]) -> VehicleModel:
        columns = self._of_crowds(VehicleModel, "vehicle", depsgraph, frame)
        for name, factor in FACTORS:
            columns[name] = columns[name] * settings[factor]
        # A column that holds one value n times is faster to compute with if it is stored once.
        return VehicleModel.of(len(self._plan), **{n: c[0] if same_for_all(c) else c for n, c in columns.items()})

    def _attendance_on(self, depsgraph: Depsgraph | None, frame: int) -> tuple[Attendance | None, np.ndarray | None]:
        """When vehicles enter and leave, as the crowds say, and the frames (n,) on which they enter. None for either
        that makes no difference: all vehicles are present from the start, and stay."""
        if self._attendance is None or self._attendance_is_animated:
            said = self._of_crowds(Attendance, "attendance", depsgraph, frame)
            attendance = Attendance.of(len(self._plan), **said)
            vehicles = self._plan.vehicles
            enters = np.where(np.isnan(vehicles.enters), enter_frames(attendance, vehicles.keys), vehicles.enters)
            all_present = bool((enters == -np.inf).all())
            stay = bool((attendance.on_arrival == STAY).all())
            self._attendance = None if all_present and stay else attendance, None if all_present else enters
        return self._attendance

    def _of_crowds(
        self, declared: type[Declared], group: str, depsgraph: Depsgraph | None, frame: int
    ) -> dict[str, np.ndarray]:
        """The settings that the crowds of the vehicles have in a group, (n,) each; as declared where it is not set."""
        columns = {name: np.full(len(self._plan), p.default, p.kind.dtype) for name, p in declared.parameters().items()}
        for crowd, reader in zip(self._plan.crowds, self._crowds):
            if crowd.ob.steering.is_property_set(group):
                stored = getattr(reader.stored(depsgraph), group)
                for name, value in checked_values(declared, stored, crowd.ob, group, frame).items():
                    columns[name][crowd.rows] = value
        return columns


class _CrowdReader:
    """Reads the settings of a crowd; only once if they are not animated."""

    def __init__(self, source: CrowdSource) -> None:
        self._source = source
        self._read: Settings | None = None
        self.stays = not animates(source.ob, "steering")
        """Whether all frames have the same settings."""

    def stored(self, depsgraph: Depsgraph | None) -> Any:
        """The evaluated settings of the crowd; without animation the stored ones."""
        return settings_on(self._source.ob, depsgraph, stays=self.stays)

    def read(self, depsgraph: Depsgraph | None, frame: int) -> Settings:
        """The behaviors of the crowd on the frame of the depsgraph, in columns of one entry for all vehicles. Refused
        if a value is not a number."""
        if self._read is None or not self.stays:
            settings = self.stored(depsgraph)
            groups = ((kind, getattr(settings, kind.name)) for kind in self._source.behaviors)
            behaviors = tuple(_behavior(self._source, kind, group, frame) for kind, group in groups if group.use)
            behaviors = _as_clips_say(behaviors, self._source.ob)
            self._read = Settings(behaviors, COMBINING_NUMBERS[choice_in(settings, "combining")])
        return self._read


def _behavior(source: CrowdSource, kind: type[Behavior], group: PropertyGroup, frame: int) -> Behavior:
    """A behavior with the settings in a group, in columns of one entry. Refused if a value is not a number."""
    values = checked_values(kind, group, source.ob, kind.name, frame)
    pointed = {name: row for (behavior, name), row in source.pointed.items() if behavior == kind.name}
    return kind.of(1, **{**values, **pointed})


def _as_clips_say(
    behaviors: Sequence[Behavior], crowd: Object | None, state: Object | None = None
) -> tuple[Behavior, ...]:
    """The behaviors of a crowd, or of a state of it, with what clips say."""
    said = []
    for behavior in behaviors:
        names = behavior.all_columns().keys() - behavior.parameters().keys()
        values = {name: np.full(1, apart_for(crowd, state)) for name in names}
        said.append(behavior.with_columns(values) if names else behavior)
    return tuple(said)


def _crowd_columns(plan: Plan) -> tuple[np.ndarray, np.ndarray]:
    """The row of the crowd each of n vehicles belongs to, (n,), and the random keys that the crowds share, (n,)."""
    n = len(plan)
    if len(plan.crowds) == 1:
        return shared(0, n, np.int64), shared(shared_key(plan.crowds[0].identity, plan.seed), n, np.uint64)
    row, keys = np.full(n, -1), np.zeros(n, dtype=np.uint64)
    for number, source in enumerate(plan.crowds):
        row[source.rows], keys[source.rows] = number, shared_key(source.identity, plan.seed)
    return row, keys


class MindReader:
    """Reads states and triggers; what is not animated only once."""

    def __init__(
        self,
        states: Sequence[StateSource],
        triggers: Sequence[TriggerSource],
        crowds: int,
        move_otherwise: Collection[int],
    ) -> None:
        """The states and triggers of some crowds. `crowds`: the count of crowds, whose rows of settings come before
        those of the states; `move_otherwise`: the rows of the vehicles with a locomotion of their own, which no state
        changes."""
        self._states, self._triggers, self._crowds = states, triggers, crowds
        self._move_otherwise = np.array(sorted(move_otherwise), dtype=np.int64)
        self.stays = not any(animates(source.ob, "steering") for source in (*states, *triggers))
        """Whether all frames have the same states and triggers."""

    def settings(self, depsgraph: Depsgraph | None, frame: int, of_crowds: Sequence[Settings]) -> tuple[Settings, ...]:
        """The settings of each state, over those of its crowd. Refused if a value is not a number."""
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
            closed = {mode for mode, state in enumerate(states, 1) if not _settings_now(state, depsgraph).active}
            modes = [
                self._mode(state, self._crowds + row, depsgraph, frame, vehicle, locomotions, factors)
                for row, state in enumerate(self._states)
                if state.crowd == crowd
            ]
            modes = [_without_closed(mode, closed, number in closed) for number, mode in enumerate(modes, 1)]
            triggers = [self._trigger(t, closed, depsgraph, frame) for t in self._triggers if t.crowd == crowd]
            minds.append(Mind(crowd, tuple(modes), tuple(triggers)))
        return Minds(tuple(minds))

    def _settings_of(self, state: StateSource, depsgraph: Depsgraph | None, frame: int, of_crowd: Settings) -> Settings:
        settings, ob = _settings_now(state, depsgraph), state.ob
        behaviors = {behavior.name: behavior for behavior in of_crowd.behaviors}
        for kind in CATALOGUE:
            if not is_own(ob, kind.name):
                continue
            behaviors.pop(kind.name, None)
            group = getattr(settings, kind.name)
            if group.use:
                behaviors[kind.name] = _behavior(state.source, kind, group, frame)
        combining = of_crowd.combining
        if ob.steering.is_property_set("state") and ob.steering.state.own_combining:
            combining = COMBINING_NUMBERS[choice_in(settings, "combining")]
        in_order = [behaviors[name] for name in sorted(behaviors, key=ORDER.__getitem__)]
        return Settings(_as_clips_say(in_order, crowd_of(ob), ob), combining)

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
        stored = _settings_now(state, depsgraph)
        is_set = bool(ob.steering.is_property_set("state"))
        values = checked_values(StateModel, stored.state, ob, "state", frame) if is_set else {}
        replaced = tuple(kind.name for kind in CATALOGUE if is_own(ob, kind.name))
        body = None
        if is_own(ob, "vehicle"):
            body = _body(checked_values(VehicleModel, stored.vehicle, ob, "vehicle", frame), state, vehicle, factors)
        moves = self._locomotion_of_state(state, stored, frame, locomotions, len(vehicle.mass))
        return Mode(state.number, row, StateModel.of(1, **values), body, moves, replaced, state.then, state.eases)

    def _locomotion_of_state(
        self, state: StateSource, stored: Any, frame: int, locomotions: Sequence[Locomotion], n: int
    ) -> Locomotion | None:
        """The locomotion of the vehicles with the numbers of a state, n rows; None for those of its crowd."""
        crowd = crowd_of(state.ob)
        kind = None if crowd is None else locomotion_of(crowd)
        body = next((locomotion for locomotion in locomotions if type(locomotion) is kind), None)
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
        """The trigger on this frame, without strength while it or its state is not active."""
        ob = trigger.ob
        stored = _settings_now(trigger, depsgraph)
        values = checked_values(TriggerModel, stored.trigger, ob, "trigger", frame)
        if not stored.active or trigger.trigger.to in closed:
            # It keeps its number: what has called before is known by it.
            values["strength"] = 0.0
        return trigger.trigger.set_to(TriggerModel.of(1, **values))


def _settings_now(source: StateSource | TriggerSource, depsgraph: Depsgraph | None) -> Any:
    return settings_on(source.ob, depsgraph, stays=not animates(source.ob, "steering"))


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


def _without_closed(mode: Mode, closed: Collection[int], inactive: bool) -> Mode:
    """A mode that leads to no closed one; an inactive one is played to its end, but not taken up."""
    if mode.then in closed:
        mode = replace(mode, then=0)
    if not inactive:
        return mode
    zeros = {name: np.zeros_like(getattr(mode.numbers, name)) for name in ("cue", "urge", "spreads")}
    return replace(mode, numbers=replace(mode.numbers, **zeros))
