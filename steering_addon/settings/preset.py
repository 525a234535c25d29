"""Presets: the settings of a crowd, of a state or of one behavior, as one kind of JSON document.

A preset names values as the declarations do (`preset_values`) and refers to no objects: what a state is about is named
by what it is to the crowd, such as the other crowd, or by the name of another preset.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..behaviors import CATALOGUE
from ..locomotion import LOCOMOTIONS
from ..minds.declaring import StateModel, TriggerModel
from ..portrayal.driver_properties import Portrayal
from ..simulation.behavior import Intent
from ..simulation.combining import COMBININGS
from ..simulation.declaration import POINTERS, Declared, Unit
from ..simulation.locomotion import Locomotion
from ..simulation.presence.attendance import Attendance
from ..simulation.vehicle import VehicleModel
from .preset_parts import (
    BEHAVIOR,
    BEHAVIORS,
    CROWD,
    KINDS,
    STATE,
    Document,
    part,
    parts_of,
    read_behaviors,
    read_choice,
    read_declared,
    read_frames,
    read_intents,
    read_list,
    read_locomotion,
    read_name,
    read_names,
    read_positive,
    read_up_to,
    read_variation,
    read_vehicle,
    read_words,
)
from .preset_values import PresetError, Value, Values, parse_document, stated, within
from .stored import MOST_PREROLL

FORMAT = 2
"""The version of the format that is written. Files of a later one are refused, those of the first are translated."""
HEADINGS = ("Birds", "Fish", "People", "Animals", "Vehicles", "Other")
"""The headings of the menu of presets of crowds, in order."""
CALLERS = ("CROWD", "OWN_CROWD", "REGION", "SELECTED", "PLACE")
"""The callers of a state: the vehicles of the only other crowd, those of this one, the region in which the crowd
stays, the objects that are selected besides the crowd, or the trigger itself, which stands at the 3D cursor."""
SIMILAR = 2.0
"""Bodies more than this many times larger or smaller than those a preset is meant for get it fitted to their size."""
POINTING = frozenset(
    f"{behavior.name}.{name}"
    for behavior in CATALOGUE
    for name, parameter in behavior.parameters().items()
    if parameter.kind in POINTERS
)
"""The parameters of behaviors that refer to objects, as `behavior.parameter`."""


@dataclass(frozen=True)
class Call:
    """A call into a state, which is added where the scene has the caller.

    Attributes:
        by: one of CALLERS.
        in_state: the name of a preset: only vehicles that are in its state call; "" for all.
        only_in: the name of the preset whose state alone hears it; "" for all.
        trigger: the values of the trigger, by name; what is missing has its default, a distance is fitted.
    """

    by: str = part(read_choice(*CALLERS), default="CROWD")
    in_state: str = part(read_name, default="")
    only_in: str = part(read_name, default="")
    trigger: Values = part(read_declared(TriggerModel), default_factory=dict)


@dataclass(frozen=True)
class Preset:
    """The settings of a crowd, of a state that is added to crowds, or of one behavior. A missing value has its default.

    Attributes:
        description: one sentence for the tooltip, without a final stop.
        kind: one of KINDS, which have different parts of the following.
        group: the heading of the menu under which a crowd is listed, one of HEADINGS; "" for presets of the user's own.
        body_length: metres from nose to tail of the bodies that its lengths are meant for; 0 for any.
        state: when a state is taken up and for how long, by name.
        faster: the top speed of a state, as a multiple of the crowd's; it turns as tightly at that speed, and turns and
            reacts that much more quickly. None to move as the crowd.
        spurt: the seconds in which it can gather that speed at the latest; None for as strong as that takes to turn.
        cruise_speed: the share of that top speed that a state holds; None for the crowd's.
        vehicle: values of the vehicle model by name; those of a state are in some units multiples of the crowd's.
        locomotion: the values of the locomotion in the same way, by its name.
        combining: the name of a choice of COMBININGS; "" for that of the crowd.
        behaviors: the values of each active behavior, by its name; in a state, missing ones are fitted to the crowd.
        times: multiples of the numbers that behaviors have in the crowd of a state, by their names.
        walking: those of crowds that walk, where they differ.
        portrayal: values of the portrayal by name; None if the preset leaves the portrayal alone.
        attendance: values for entering and leaving, by name; None if the preset leaves those alone.
        variation: how much vehicles differ, as shares, by the names of `population.MOST_VARIED`.
        preroll: suggested pre-roll in frames.
        keeps: the sorts of the crowd's other behaviors that stay on in a state.
        off: the names of behaviors that are off in a state.
        then: the name of the preset that follows a state; "" for the crowd's own settings.
        eases: the name of the preset for which a state eases the need; "" for none.
        brings: the names of the presets that are added with a state.
        calls: what calls into a state.
        about_crowd: the parameters of a state's behaviors that name the other crowd instead of what calls, as
            `behavior.parameter`.
        unknown: names in its text that this version does not know.
    """

    label: str = part(read_words, needed=KINDS)
    description: str = part(read_words, needed=KINDS)
    kind: str = CROWD
    group: str = part(read_choice("", *HEADINGS), CROWD, default="")
    body_length: float = part(read_positive, CROWD, STATE, needed=(CROWD,), default=0.0)
    state: Values = part(read_declared(StateModel), STATE, default_factory=dict)
    faster: float | None = part(read_positive, STATE, default=None)
    spurt: float | None = part(read_positive, STATE, default=None)
    cruise_speed: float | None = part(read_up_to(1.0), STATE, default=None)
    vehicle: Values = part(read_vehicle, CROWD, STATE, default_factory=dict)
    locomotion: Mapping[str, Values] = part(read_locomotion, CROWD, STATE, needed=(CROWD,), default_factory=dict)
    combining: str = part(read_choice(*(c.name for c in COMBININGS)), CROWD, STATE, needed=(CROWD,), default="")
    behaviors: Mapping[str, Values] = part(read_behaviors, needed=(BEHAVIOR,), default_factory=dict)
    times: Mapping[str, Values] = part(read_behaviors, STATE, default_factory=dict)
    walking: Mapping[str, Values] = part(read_behaviors, STATE, default_factory=dict)
    portrayal: Values | None = part(read_declared(Portrayal), CROWD, default=None)
    attendance: Values | None = part(read_declared(Attendance), CROWD, default=None)
    variation: Mapping[str, float] = part(read_variation, CROWD, default_factory=dict)
    preroll: int = part(read_frames(MOST_PREROLL), CROWD, default=0)
    keeps: frozenset[Intent] = part(read_intents, STATE, default=frozenset(Intent))
    off: tuple[str, ...] = part(read_names(BEHAVIORS), STATE, default=())
    then: str = part(read_name, STATE, default="")
    eases: str = part(read_name, STATE, default="")
    brings: tuple[str, ...] = part(read_names(), STATE, default=())
    calls: tuple[Call, ...] = part(read_list(Call), STATE, default=())
    about_crowd: tuple[str, ...] = part(read_names(POINTING), STATE, default=())
    unknown: tuple[str, ...] = ()

    @property
    def tooltip(self) -> str:
        """The tooltip of its menu entry."""
        return f"{self.description}. For bodies of {self.body_length:.3g} m" if self.kind == CROWD else self.description

    @property
    def moves(self) -> type[Locomotion]:
        """The locomotion of a crowd."""
        [name] = self.locomotion
        return LOCOMOTIONS[name]

    def groups(self) -> dict[str, tuple[type[Declared], Values]]:
        """The declaration and the values of each group of a crowd that it holds, by the name of the group."""
        groups: dict[str, tuple[type[Declared], Values | None]] = {
            "vehicle": (VehicleModel, self.vehicle),
            **{name: (LOCOMOTIONS[name], values) for name, values in self.locomotion.items()},
            "portrayal": (Portrayal, self.portrayal),
            "attendance": (Attendance, self.attendance),
            **{name: (BEHAVIORS[name], values) for name, values in self.behaviors.items()},
        }
        return {name: (kind, values) for name, (kind, values) in groups.items() if values is not None}

    def suits(self, length: float | None) -> bool:
        """Whether it is meant for bodies about as long, metres; None if they cannot be measured."""
        return not self.body_length or length is None or 1.0 / SIMILAR <= length / self.body_length <= SIMILAR


PLAIN = Preset("State", "A state like the crowd itself, to change", STATE)
"""A state without a preset."""


def read(text: str, kind: str = CROWD) -> Preset:
    """Read a preset of a kind from its text. Raises PresetError if the text is not such a preset, has a later format,
    or has an invalid value."""
    version, content = parse_document(text, FORMAT)
    if version == 1:
        content = _translate(content, kind)
    stored_kind = content.pop("kind", None)
    if stored_kind != kind:
        raise PresetError(
            f"it is a preset of a {stored_kind}" if stored_kind in KINDS else 'its "kind" is missing or invalid'
        )
    document = Document(kind, [])
    return Preset(kind=kind, **document.read_parts(Preset, content), unknown=tuple(document.unknown))


def _translate(content: dict[str, Any], kind: str) -> dict[str, Any]:
    """The content of a document of the first format, in which each kind had one of its own."""
    content = {**content, "kind": kind}
    if kind == BEHAVIOR:
        name = content.pop("behavior", None)
        if not isinstance(name, str):
            raise PresetError('it does not name its "behavior"')
        content["behaviors"] = {name: content.pop("values", {})}
    return content


def written(preset: Preset) -> str:
    """The text of a preset; reading it gives the same preset. Parts that are as usual are not in it."""
    content = {"format": FORMAT, "kind": preset.kind, **_differences(preset, Preset("", "", preset.kind), preset.kind)}
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _differences(declared: Preset | Call, usual: Preset | Call, kind: str) -> dict[str, Any]:
    """The parts that differ from the usual ones, as JSON has them."""
    values = {name: getattr(declared, name) for name in parts_of(type(declared), kind)}
    return {name: _plain(value) for name, value in values.items() if value != getattr(usual, name)}


def _plain(value: Any) -> Any:
    if isinstance(value, frozenset):
        return [intent.name for intent in Intent if intent in value]
    if isinstance(value, Call):
        return _differences(value, Call(by=""), STATE)
    if isinstance(value, Mapping):
        return {name: _plain(entry_value) for name, entry_value in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, tuple) else value


def scaled(preset: Preset, scale: float) -> Preset:
    """The preset for larger or smaller bodies: the same motion in the same time, only larger or smaller.

    Distances, speeds and forces grow with the body. Accelerations in turns grow with them but gravity does not, so
    larger bodies would lean more; parameters marked `shrinks` are divided by the scale, which keeps the lean.

    The same motion of larger bodies that beat their wings takes longer, by the square root of the scale. Their speeds
    grow by no more than that, as those of birds do, and their accelerations not at all. `scale`: length of the new
    bodies divided by `preset.body_length`.
    """
    length = preset.body_length * scale
    if preset.kind == STATE:
        # What a state does not name, and what it moves by, follows the crowd.
        return replace(
            preset,
            body_length=length,
            state=_grown(StateModel, preset.state, scale),
            behaviors={name: _grown(BEHAVIORS[name], values, scale) for name, values in preset.behaviors.items()},
            calls=tuple(replace(c, trigger=_grown(TriggerModel, c.trigger, scale)) for c in preset.calls),
        )
    beats = preset.portrayal is not None and any(LOCOMOTIONS[name].beats_wings for name in preset.locomotion)
    longer = math.sqrt(max(scale, 1.0)) if beats else 1.0
    stated_groups = {name: (kind, stated(kind, values)) for name, (kind, values) in preset.groups().items()}
    groups = {name: _grown(kind, values, scale, longer) for name, (kind, values) in stated_groups.items()}
    return replace(
        preset,
        body_length=length,
        vehicle=groups["vehicle"],
        locomotion={name: groups[name] for name in preset.locomotion},
        behaviors={name: groups[name] for name in preset.behaviors},
        portrayal=groups.get("portrayal"),
        attendance=groups.get("attendance"),
    )


def _grown(declaration: type[Declared], values: Values, scale: float, longer: float = 1.0) -> dict[str, Value]:
    """Some values of a declaration, by name, for bodies that are larger by a factor, and whose motion takes longer by
    another."""
    strength = scale / (longer * longer)
    factors = {
        Unit.LENGTH: scale,
        Unit.SPEED: scale / longer,
        Unit.ACCELERATION: strength,
        Unit.FORCE: strength,
        Unit.TIME: longer,
        Unit.RATE: 1.0 / longer,
        Unit.TURN: 1.0 / longer,
    }
    result = dict(values)
    for name, value in values.items():
        parameter = declaration.parameters()[name]
        factor = 1.0 / strength if parameter.shrinks else factors.get(parameter.unit, 1.0)
        if factor != 1.0:
            result[name] = within(float(value) * factor, parameter)
    return result
