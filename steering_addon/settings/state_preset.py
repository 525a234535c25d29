"""Presets of states: what is different in a state, in terms of what its crowd has, as text.

`preset_values` describes the values. A preset refers to no objects: what it is about is named by what it is to the
crowd, such as the other crowd, the region in which the crowd stays, or a state by the name of its preset.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from ..behaviors import CATALOGUE
from ..locomotion import LOCOMOTIONS
from ..minds.declaring import StateModel, TriggerModel
from ..minds.following import OF_THE_BODY
from ..simulation.behavior import Intent
from ..simulation.combining import COMBININGS
from ..simulation.declaration import POINTERS, REACH, Declared, Kind, Parameter, Unit
from ..simulation.locomotion import Locomotion
from ..simulation.vehicle import VehicleModel
from .preset import SIMILAR, grown
from .preset_values import (
    FORMAT,
    RENAMED,
    PresetError,
    Value,
    Values,
    checked_values,
    held,
    is_number,
    parsed,
    shown,
    text_of,
    with_new_names,
    within,
)

CALLERS = ("CROWD", "OWN_CROWD", "REGION", "SELECTED", "PLACE")
"""What may call: the vehicles of the only other crowd, those of this one, the region in which the crowd stays, the
objects that are selected besides the crowd, or the trigger itself, which stands at the 3D cursor."""
RELATIVE = (Unit.LENGTH, Unit.SPEED, Unit.ACCELERATION, Unit.FORCE, Unit.TURN)
"""Units in which a preset holds the numbers of vehicles and of locomotions as multiples of those of the crowd."""


@dataclass(frozen=True)
class Call:
    """What calls into a state. It is added where the scene has it.

    Attributes:
        by: one of CALLERS.
        in_state: the name of a preset: only vehicles that are in its state call; "" for all.
        only_in: the name of the preset whose state alone hears it; "" for all.
        trigger: the values of the trigger, by name; what is missing has its default, a distance is fitted.
    """

    by: str = "CROWD"
    in_state: str = ""
    only_in: str = ""
    trigger: Values = field(default_factory=dict)


@dataclass(frozen=True)
class StatePreset:
    """A state to add to a crowd.

    Attributes:
        label: the name of the new state.
        description: one sentence for the tooltip, without a final stop.
        state: when it is taken up and for how long, by name; a missing value has its default.
        faster: its top speed, as a multiple of the crowd's; it turns as tightly at that speed, and turns and reacts
            that much more quickly. None to move as the crowd.
        cruise_speed: the share of that top speed that it holds; None for the crowd's.
        vehicle: the numbers that it moves with, by name; in the units RELATIVE as multiples of the crowd's.
        locomotion: those with which bodies turn, in the same way, by the name of the locomotion.
        combining: the name of the way in which it combines behaviors; "" for the crowd's.
        behaviors: the values of those it has of its own, by name; missing ones are fitted to the crowd.
        keeps: the sorts of the crowd's other behaviors that stay on in it.
        off: the names of behaviors that are off in it.
        then: the name of the preset that follows it; "" for the crowd's own settings.
        eases: the name of the preset for which it eases the need; "" for none.
        brings: the names of the presets that are added with it.
        calls: what calls into it.
        about_crowd: the parameters of its behaviors that name the other crowd instead of what calls, as
            `behavior.parameter`.
        body_length: metres from nose to tail of the bodies that its lengths are meant for; None for any.
        unknown: names in its text that this version does not know.
    """

    label: str
    description: str
    state: Values = field(default_factory=dict)
    faster: float | None = None
    cruise_speed: float | None = None
    vehicle: Values = field(default_factory=dict)
    locomotion: Mapping[str, Values] = field(default_factory=dict)
    combining: str = ""
    behaviors: Mapping[str, Values] = field(default_factory=dict)
    keeps: frozenset[Intent] = frozenset(Intent)
    off: tuple[str, ...] = ()
    then: str = ""
    eases: str = ""
    brings: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()
    about_crowd: tuple[str, ...] = ()
    body_length: float | None = None
    unknown: tuple[str, ...] = ()

    @property
    def tooltip(self) -> str:
        """The tooltip of its menu entry."""
        return self.description


PLAIN = StatePreset("State", "A state like the crowd itself, to change")
"""What a state without a preset is."""
PARTS = {part.name for part in fields(StatePreset)} - {"unknown"}
"""The top-level names of its text, besides "format"."""


def read_state(text: str, renamed: Mapping[str, str] = RENAMED) -> StatePreset:
    """Read a preset of a state from its text.

    Args:
        renamed: as RENAMED.

    Raises:
        PresetError: the text is not such a preset, has a later format, or has an invalid value.
    """
    return _Reading(with_new_names(parsed(text), renamed)).preset()


def state_written(preset: StatePreset) -> str:
    """The text of a preset; reading it gives the same preset. What it leaves as usual is not in it."""
    usual = replace(PLAIN, label="", description="")
    content: dict[str, Any] = {"format": FORMAT}
    for part in fields(StatePreset):
        value = getattr(preset, part.name)
        if part.name != "unknown" and value != getattr(usual, part.name):
            content[part.name] = _plain(value)
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    """A part of a preset as JSON has it."""
    if isinstance(value, frozenset):
        return [intent.name for intent in Intent if intent in value]
    if isinstance(value, Call):
        usual = Call(by="")
        return {name: _plain(given) for name, given in vars(value).items() if given != getattr(usual, name)}
    if isinstance(value, Mapping):
        return {name: _plain(given) for name, given in value.items()}
    return [_plain(each) for each in value] if isinstance(value, tuple) else value


def state_scaled(preset: StatePreset, body_length: float | None) -> StatePreset:
    """The preset for bodies of another length, metres, where these are not similar.

    Its distances and speeds grow with the body, as those of the preset of a crowd.
    """
    if preset.body_length is None or body_length is None:
        return preset
    scale = body_length / preset.body_length
    if 1.0 / SIMILAR <= scale <= SIMILAR:
        return preset
    kinds = {behavior.name: behavior for behavior in CATALOGUE}
    return replace(
        preset,
        body_length=body_length,
        state=grown(StateModel, preset.state, scale),
        behaviors={name: grown(kinds[name], values, scale) for name, values in preset.behaviors.items()},
        calls=tuple(replace(call, trigger=grown(TriggerModel, call.trigger, scale)) for call in preset.calls),
    )


def as_multiples(declaration: type[Declared], values: Values, of_crowd: Values) -> tuple[dict[str, Value], list[str]]:
    """The numbers of a state as a preset holds them, and the names of those that it cannot hold.

    Args:
        values, of_crowd: the values of the state and of its crowd, by name.
    """
    told: dict[str, Value] = {}
    lost = []
    for name, parameter in changeable(declaration).items():
        value, usual = values[name], of_crowd[name]
        if not _is_relative(parameter):
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
        name: within(float(value) * float(of_crowd[name]), parameters[name])
        if _is_relative(parameters[name])
        else value
        for name, value in told.items()
    }


def changeable(declaration: type[Declared]) -> dict[str, Parameter]:
    """The parameters of a vehicle model or of a locomotion that a state may have of its own, by name."""
    fixed = declaration.of_the_body if issubclass(declaration, Locomotion) else OF_THE_BODY
    return {name: parameter for name, parameter in held(declaration).items() if name not in fixed}


def _is_relative(parameter: Parameter) -> bool:
    return parameter.kind is Kind.NUMBER and parameter.unit in RELATIVE


def quickened(kind: type[Locomotion], values: Mapping[str, float], factor: float) -> dict[str, float]:
    """The numbers of a locomotion, by name, that differ for bodies that turn more quickly by a factor.

    Args:
        values: those of the body as it is.
    """
    changed = {}
    for name, parameter in kind.parameters().items():
        if parameter.unit is Unit.TURN:
            changed[name] = min(values[name] * factor, parameter.most)
        elif name in kind.tightened:
            changed[name] = values[name] / factor
    return changed


class _Reading:
    """Builds a preset from parsed JSON and collects the names it does not know."""

    def __init__(self, content: dict[str, Any]) -> None:
        self._content = content
        self._unknown = [name for name in content if name not in PARTS]

    def preset(self) -> StatePreset:
        preset = StatePreset(
            label=text_of(self._content, "label"),
            description=text_of(self._content, "description"),
            state=self._checked("state", StateModel, self._group(self._content, "state")),
            faster=self._positive("faster"),
            cruise_speed=self._cruise_speed(),
            vehicle=self._moving("vehicle", VehicleModel, self._group(self._content, "vehicle")),
            locomotion=self._locomotion(),
            combining=self._choice("combining", ["", *(choice.name for choice in COMBININGS)]),
            behaviors=self._behaviors(),
            keeps=self._keeps(),
            off=self._behavior_names("off"),
            then=self._name(self._content, "then"),
            eases=self._name(self._content, "eases"),
            brings=self._names("brings"),
            calls=self._calls(),
            about_crowd=self._about_crowd(),
            body_length=self._positive("body_length"),
        )
        return replace(preset, unknown=tuple(self._unknown))

    def _group(self, content: dict[str, Any], name: str, path: str = "") -> dict[str, Any]:
        group = content.get(name, {})
        if not isinstance(group, dict):
            raise PresetError(f"{path}{name} must be an object of names and values")
        return group

    def _checked(self, path: str, declaration: type[Declared], values: dict[str, Any]) -> dict[str, Value]:
        checked, unknown = checked_values(path, declaration, values)
        self._unknown += unknown
        return checked

    def _moving(self, path: str, declaration: type[Declared], values: dict[str, Any]) -> dict[str, Value]:
        """The numbers of a vehicle or a locomotion, of which some are multiples of the crowd's."""
        parameters = changeable(declaration)
        told: dict[str, Value] = {}
        plain = {}
        for name, value in values.items():
            if name in parameters and _is_relative(parameters[name]):
                if not is_number(value) or not 0.0 <= value <= REACH:
                    raise PresetError(f"{path}.{name} must be a multiple of the crowd's from 0, not {shown(value)}")
                told[name] = float(value)
            elif name in parameters:
                plain[name] = value
            else:
                self._unknown.append(f"{path}.{name}")
        told |= self._checked(path, declaration, plain)
        return {name: told[name] for name in parameters if name in told}

    def _locomotion(self) -> dict[str, Values]:
        told: dict[str, Values] = {}
        groups = self._group(self._content, "locomotion")
        for name in groups:
            if name not in LOCOMOTIONS:
                self._unknown.append(f"locomotion.{name}")
            else:
                values = self._group(groups, name, "locomotion.")
                told[name] = self._moving(f"locomotion.{name}", LOCOMOTIONS[name], values)
        return told

    def _behaviors(self) -> dict[str, Values]:
        kinds = {behavior.name: behavior for behavior in CATALOGUE}
        groups = self._group(self._content, "behaviors")
        told: dict[str, Values] = {}
        for name in groups:
            if name not in kinds:
                self._unknown.append(f"behaviors.{name}")
            else:
                values = self._group(groups, name, "behaviors.")
                told[name] = self._checked(f"behaviors.{name}", kinds[name], values)
        return told

    def _positive(self, name: str) -> float | None:
        value = self._content.get(name)
        if value is not None and (not is_number(value) or not 0.0 < value <= REACH):
            raise PresetError(f"{name} must be a number above 0, not {shown(value)}")
        return None if value is None else float(value)

    def _cruise_speed(self) -> float | None:
        value = self._content.get("cruise_speed")
        if value is not None and (not is_number(value) or not 0.0 <= value <= 1.0):
            raise PresetError(f"cruise_speed must be from 0 to 1, not {shown(value)}")
        return None if value is None else float(value)

    def _choice(self, name: str, choices: list[str]) -> str:
        value = self._content.get(name, "")
        if value not in choices:
            raise PresetError(f"{name} must be {' or '.join(filter(None, choices))}, not {shown(value)}")
        return str(value)

    def _keeps(self) -> frozenset[Intent]:
        names = self._names("keeps") if "keeps" in self._content else tuple(Intent.__members__)
        if wrong := [name for name in names if name not in Intent.__members__]:
            raise PresetError(f"keeps must be of {', '.join(Intent.__members__)}, not {shown(wrong[0])}")
        return frozenset(Intent[name] for name in names)

    def _behavior_names(self, part: str) -> tuple[str, ...]:
        known = {behavior.name for behavior in CATALOGUE}
        names = self._names(part)
        self._unknown += [f"{part}.{name}" for name in names if name not in known]
        return tuple(name for name in names if name in known)

    def _about_crowd(self) -> tuple[str, ...]:
        pointers = {
            f"{behavior.name}.{name}"
            for behavior in CATALOGUE
            for name, parameter in behavior.parameters().items()
            if parameter.kind in POINTERS
        }
        names = self._names("about_crowd")
        self._unknown += [f"about_crowd.{name}" for name in names if name not in pointers]
        return tuple(name for name in names if name in pointers)

    def _names(self, part: str) -> tuple[str, ...]:
        value = self._content.get(part, [])
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            raise PresetError(f"{part} must be a list of names")
        return tuple(value)

    def _name(self, content: dict[str, Any], part: str, path: str = "") -> str:
        value = content.get(part, "")
        if not isinstance(value, str):
            raise PresetError(f"{path}{part} must be a name, not {shown(value)}")
        return value

    def _calls(self) -> tuple[Call, ...]:
        value = self._content.get("calls", [])
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            raise PresetError("calls must be a list of objects")
        calls = []
        for number, each in enumerate(value):
            path = f"calls.{number}."
            self._unknown += [f"{path}{name}" for name in each if name not in vars(Call())]
            by = each.get("by", "CROWD")
            if by not in CALLERS:
                raise PresetError(f"{path}by must be {' or '.join(CALLERS)}, not {shown(by)}")
            trigger = self._checked(f"{path}trigger", TriggerModel, self._group(each, "trigger", path))
            calls.append(Call(by, self._name(each, "in_state", path), self._name(each, "only_in", path), trigger))
        return tuple(calls)
