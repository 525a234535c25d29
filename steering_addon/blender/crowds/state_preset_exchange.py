"""Presets of states in Blender: adding the state of one to a crowd, and making one from a state."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import isclose

import bpy
from bpy.types import Context, Object
from mathutils import Vector

from ...behaviors import CATALOGUE
from ...minds.conditions import OfItself, OfRegions
from ...minds.declaring import StateModel, TriggerModel
from ...settings.preset import PLAIN, Call, Preset, scaled
from ...settings.preset_parts import STATE
from ...settings.preset_values import Value, as_multiples, from_multiples, quickened
from ...settings.vehicles_in_states import behavior_in_state, factor_in_state, times_in_state, vehicle_in_state
from ...simulation.behavior import Behavior
from ...simulation.declaration import POINTERS
from ...simulation.locomotion import Locomotion
from ...simulation.roles import Role
from ...simulation.vehicle import VehicleModel
from ..clips.clip_speeds import run_of
from ..moving import locomotion_of
from ..objects.tagged_objects import crowd_of, in_use, tagged, vehicles_of
from ..properties import has_role, is_own, pointed_at, uses
from ..property_groups import meaningful, values_for_preset
from ..read.mind_sources import condition_of_trigger
from ..refusal import Refusal
from .behavior_adding import add_behaviors, only_other_crowd
from .preset_exchange import bodies_length, unknown_settings
from .preset_files import STATES, file_name
from .states import fit_reach, known_states, new_state, new_trigger, selected_callers, triggers_of_state


def as_made(crowd: Object, states: Iterable[Object]) -> list[Object]:
    """The states of a crowd whose top speed is still a preset's multiple of the crowd's."""
    factors, values = [], values_for_preset(VehicleModel, crowd.steering.vehicle)
    for listed in STATES.by_name().values():
        with suppress(Refusal):
            factors.append(factor_in_state(listed.load(), locomotion_of(crowd), values) or 1.0)
    top = crowd.steering.vehicle.max_speed
    faster = {ob: ob.steering.vehicle.max_speed / top for ob in states if top and ob.steering.vehicle.own}
    return [ob for ob, ratio in faster.items() if any(isclose(ratio, factor, rel_tol=1e-3) for factor in factors)]


@dataclass
class StateAdding:
    """The states of presets that are added to a crowd. `other`: the crowd that they are about; None for none."""

    context: Context
    crowd: Object
    other: Object | None
    presets: Mapping[str, Preset]
    warnings: list[str]

    def add(self, name: str) -> Object:
        """Add the state of a preset, and the states that follow or come with it where the crowd lacks them."""
        preset = self.presets[name]
        state = new_state(self.context, self.crowd, preset.label)
        settings = state.steering
        self._let_move(state, preset)
        fit_reach(state, self.context.scene)
        _set(settings.state, times_in_state(preset, locomotion_of(self.crowd)))
        self._let_behave(state, preset)
        if preset.then:
            settings.state.then = self._known(preset.then, self.crowd) or self._follower(state, preset.then)
        if preset.eases:
            settings.state.eases = self._known(preset.eases, self.crowd)
        for call in preset.calls:
            self._call(state, call)
        for brought in preset.brings:
            if brought in self.presets and self._known(brought, self.crowd) is None:
                self.add(brought)
        return state

    def _let_move(self, state: Object, preset: Preset) -> None:
        """Give a state the numbers of the vehicle and of its locomotion that it has of its own."""
        vehicle, of_crowd, moves = state.steering.vehicle, self.crowd.steering, locomotion_of(self.crowd)
        values = values_for_preset(VehicleModel, of_crowd.vehicle)
        run = run_of(self.crowd)
        faster = factor_in_state(preset, moves, values, run)
        # Switching it on copies the crowd's values, each time.
        vehicle.own = bool(preset.vehicle) or (faster, preset.cruise_speed) != (None, None)
        _set(vehicle, vehicle_in_state(preset, moves, values, faster, run))
        turns, multiples = getattr(state.steering, moves.name), preset.locomotion.get(moves.name, {})
        if faster in (None, 1.0) and not multiples:
            return
        turns.own = True
        if faster is not None:
            values = {name: getattr(turns, name) for name in moves.parameters()}
            _set(turns, quickened(moves, values, faster, values))
        _set(turns, from_multiples(moves, multiples, values_for_preset(moves, getattr(of_crowd, moves.name))))

    def _let_behave(self, state: Object, preset: Preset) -> None:
        """Give a state its behaviors, and switch off those of its crowd that it does not keep."""
        for kind in CATALOGUE:
            if kind.name in preset.behaviors or (kind.name in preset.times and uses(self.crowd, kind.name)):
                group = getattr(state.steering, kind.name)
                group.own = True
                add_behaviors([kind], state, self.context.scene)
                of_crowd = self.crowd.steering if uses(self.crowd, kind.name) else None
                known = {} if of_crowd is None else values_for_preset(kind, getattr(of_crowd, kind.name))
                _set(group, behavior_in_state(preset, kind, known, locomotion_of(self.crowd)))
        for kind in CATALOGUE:
            if kind.name in preset.off or self._leaves(kind, preset):
                group = getattr(state.steering, kind.name)
                group.own, group.use = True, False
        if preset.combining:
            state.steering.state.own_combining = True
            state.steering.combining = preset.combining
        for path in preset.about_crowd if self.other is not None else ():
            behavior, _, name = path.partition(".")
            setattr(getattr(state.steering, behavior), name, self.other)

    def _leaves(self, kind: type[Behavior], preset: Preset) -> bool:
        """Whether a preset does without a behavior that the crowd has."""
        return uses(self.crowd, kind.name) and kind.intent not in preset.keeps and kind.name not in preset.behaviors

    def _known(self, name: str, crowd: Object) -> Object | None:
        """The state of a crowd that a preset of a name makes; None if it has none."""
        called = {name.casefold()}
        if (preset := self.presets.get(name)) is not None:
            called.add(file_name(preset.label).casefold())
        states = known_states(crowd, self.context)
        return next((ob for ob in states if file_name(ob.name.partition(".")[0]).casefold() in called), None)

    def _follower(self, state: Object, name: str) -> Object | None:
        if name in self.presets:
            return self.add(name)
        self.warnings.append(
            f"{state.name} is followed by {name}, neither a preset nor a state of {self.crowd.name}: choose Then"
        )
        return None

    def _call(self, state: Object, call: Call) -> None:
        """Add the trigger of a preset, where the scene has what calls."""
        callers = self._callers(call)
        only_in = self._known(call.only_in, self.crowd) if call.only_in else None
        for caller in callers if only_in is not None or not call.only_in else ():
            values = {"when": "NEAR", **call.trigger}
            trigger = new_trigger(
                self.context, state, str(values["when"]), caller, one_each=bool(values.get("one_each", False))
            )
            _set(trigger.steering.trigger, values)
            trigger.steering.trigger.from_state = only_in

    def _callers(self, call: Call) -> list[Object | None]:
        """The objects that call, None for the trigger itself; empty where the scene has not what calls."""
        if call.by == "PLACE":
            return [None]
        if call.by == "SELECTED":
            return [ob for ob in selected_callers(self.context) if crowd_of(ob) != self.crowd]
        if call.by == "REGION":
            stored = self.crowd.steering
            inside = uses(self.crowd, "containment")
            region = (pointed_at(stored.containment, "region") or self._nearest_region()) if inside else None
            return [] if region is None else [region]
        caller = self.crowd if call.by == "OWN_CROWD" else self.other
        if caller is not None and call.in_state:
            caller = self._known(call.in_state, caller)
        return [] if caller is None else [caller]

    def _nearest_region(self) -> Object | None:
        """The region nearest to the middle of the crowd, in which it stays where none is chosen."""
        scene = self.context.scene
        places = [ob.matrix_world.translation for ob in vehicles_of(self.crowd, scene) or [self.crowd]]
        middle = sum(places, Vector()) / len(places)
        regions = tagged(in_use(scene), Role.REGION)
        return min(regions, key=lambda ob: (ob.matrix_world.translation - middle).length, default=None)


def add_state(context: Context, crowd: Object, name: str = "", other: Object | None = None) -> tuple[Object, list[str]]:
    """Add the state of a preset to a crowd, with what belongs to it; without a name a plain one.

    What calls into it is added too, where the scene has it. Refused if there is no such preset, or it or one that
    belongs to it cannot be used. Returns the state, and sentences about what could not be added or is not known.

    Args:
        other: the crowd that it is about; by default the only other one of the scene.
    """
    presets = _with_others(name) if name else {"": PLAIN}
    if any(preset.body_length for preset in presets.values()):
        length = bodies_length(crowd, context.scene, context.evaluated_depsgraph_get())
        presets = {
            key: preset if preset.suits(length) else scaled(preset, length / preset.body_length)
            for key, preset in presets.items()
        }
    warnings = [warning for preset in presets.values() for warning in unknown_settings(preset)]
    other = only_other_crowd(crowd, context.scene) if other is None else other
    adding = StateAdding(context, crowd, other, presets, warnings)
    return adding.add(name), warnings


def _with_others(name: str) -> dict[str, Preset]:
    """A preset and those that follow it or come with it, by name, if there are such."""
    known = STATES.by_name()
    presets = {name: STATES.find(name).load()}
    pending = [name]
    while pending:
        preset = presets[pending.pop()]
        for follower in (preset.then, *preset.brings):
            if follower and follower in known and follower not in presets:
                presets[follower] = known[follower].load()
                pending.append(follower)
    return presets


def _set(group: bpy.types.PropertyGroup, values: Mapping[str, Value]) -> None:
    for name, value in values.items():
        setattr(group, name, value)


def state_preset_of(context: Context, state: Object, label: str) -> tuple[Preset, list[str]]:
    """The preset with the settings that a state has of its own, and with what calls into it. Returns the preset, and
    the names of the numbers that it cannot hold, as the crowd's are 0."""
    stored, crowd = state.steering, crowd_of(state)
    vehicle, lost = _multiples(state, crowd, VehicleModel, "vehicle")
    moves = locomotion_of(crowd)
    locomotion, lost_turning = _multiples(state, crowd, moves, moves.name)
    behaviors = [kind for kind in CATALOGUE if is_own(state, kind.name)]
    length = bodies_length(crowd, context.scene, context.evaluated_depsgraph_get())
    preset = Preset(
        label=label.strip(),
        description=f"{state.name} as in {crowd.name}",
        kind=STATE,
        state=values_for_preset(StateModel, stored.state),
        vehicle=vehicle,
        locomotion={moves.name: locomotion} if locomotion else {},
        combining=stored.combining if stored.state.own_combining else "",
        behaviors={
            kind.name: values_for_preset(kind, group) for kind in behaviors if (group := getattr(stored, kind.name)).use
        },
        off=tuple(kind.name for kind in behaviors if not getattr(stored, kind.name).use),
        then=_preset_name(pointed_at(stored.state, "then")),
        eases=_preset_name(pointed_at(stored.state, "eases")),
        calls=tuple(_call_of(trigger, crowd) for trigger in triggers_of_state(state, context)),
        about_crowd=tuple(_about_crowd(state, crowd, behaviors)),
        body_length=float(f"{length:.4g}") if length else 0.0,
    )
    return preset, [*lost, *lost_turning]


def _multiples(
    state: Object, crowd: Object, declaration: type[VehicleModel] | type[Locomotion], group: str
) -> tuple[dict[str, Value], list[str]]:
    if not is_own(state, group):
        return {}, []
    values, of_crowd = (values_for_preset(declaration, getattr(ob.steering, group)) for ob in (state, crowd))
    return as_multiples(declaration, values, of_crowd)


def _about_crowd(state: Object, crowd: Object, behaviors: list[type[Behavior]]) -> list[str]:
    """The parameters of a state's own behaviors that name another crowd."""
    paths = []
    for kind in behaviors:
        for name, parameter in kind.parameters().items():
            if parameter.kind in POINTERS:
                target = pointed_at(getattr(state.steering, kind.name), name)
                if target is not None and target != crowd and has_role(target, Role.CROWD):
                    paths.append(f"{kind.name}.{name}")
    return paths


def _call_of(trigger: Object, crowd: Object) -> Call:
    """The call of a trigger, without its objects."""
    stored, kind = trigger.steering.trigger, condition_of_trigger(trigger)
    shown = meaningful(TriggerModel, stored)
    values = {name: value for name, value in values_for_preset(TriggerModel, stored).items() if name in shown}
    only_in = _preset_name(pointed_at(stored, "from_state"))
    caller = pointed_at(stored, "who")
    if caller is None or issubclass(kind, OfItself):
        by = "SELECTED" if pointed_at(stored, "who_collection") is not None else "PLACE"
        return Call(by, "", only_in, values)
    if issubclass(kind, OfRegions):
        return Call("REGION", "", only_in, values)
    if has_role(caller, Role.STATE) or has_role(caller, Role.CROWD):
        owner = crowd_of(caller) if has_role(caller, Role.STATE) else caller
        in_state = _preset_name(caller) if has_role(caller, Role.STATE) else ""
        return Call("OWN_CROWD" if owner == crowd else "CROWD", in_state, only_in, values)
    return Call("SELECTED", "", only_in, values)


def _preset_name(state: Object | None) -> str:
    """The name of the preset of a state, which may be one that is still to be saved."""
    if state is None:
        return ""
    name = file_name(state.name.partition(".")[0])
    return next((known for known in STATES.by_name() if known.casefold() == name.casefold()), name)
