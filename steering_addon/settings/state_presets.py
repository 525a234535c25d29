"""States that are ready to add to any crowd: what is different in them, in terms of what the crowd has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..simulation.behavior import Intent
from ..simulation.declaration import Unit
from ..simulation.locomotion import Locomotion
from .preset_values import Value

ALL = frozenset(Intent)


@dataclass(frozen=True)
class Call:
    """What calls into a ready state. It is added where the scene has it.

    Attributes:
        when: the name of a condition.
        by: CROWD for the other crowd, REGION for the one in which the crowd stays, or the name of a preset for those of
            the other crowd that are in its state.
        only_in: the name of the preset whose state hears it alone; "" for all.
        one_each: whether each thing calls one vehicle only.
        strength: how strongly it calls; more than 1 also calls vehicles away that other calls hold.
    """

    when: str
    by: str = "CROWD"
    only_in: str = ""
    one_each: bool = False
    strength: float = 1.0


@dataclass(frozen=True)
class StatePreset:
    """A state to add to a crowd.

    Attributes:
        name: for scripts; never changes.
        label: the name of the new state.
        description: a sentence for the tooltip, without final stop.
        numbers: when it is taken up, and for how long, by name.
        behaviors: those it has of its own, with values that are not fitted to the crowd.
        keeps: the sorts of the crowd's behaviors that stay on in it.
        faster: its top speed, as a multiple of the crowd's; it turns as tightly at that speed, and turns and reacts
            that much more quickly. None to move as the crowd.
        cruise_speed: the share of that top speed that it holds; None for the crowd's.
        then: the name of the preset that follows it; "" for none.
        eases: the name of the preset for which it eases the need; "" for none.
        brings: the names of the presets that are added with it.
        calls: what calls into it.
        about_crowd: the parameters of its behaviors that name the other crowd instead of what calls, by behavior.
    """

    name: str
    label: str
    description: str
    numbers: Mapping[str, Value] = field(default_factory=dict)
    behaviors: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    keeps: frozenset[Intent] = ALL
    faster: float | None = None
    cruise_speed: float | None = None
    then: str = ""
    eases: str = ""
    brings: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()
    about_crowd: Mapping[str, str] = field(default_factory=dict)


BESIDE_OTHERS = frozenset({Intent.WITH, Intent.STAY})
IN_THE_WORLD = frozenset({Intent.STAY})
NOTHING: frozenset[Intent] = frozenset()
STATE_PRESETS = (
    StatePreset("EMPTY", "State", "A state like the crowd itself, to change", {"lasts": 6.0}),
    StatePreset(
        "STARTLE",
        "Startle",
        "Run from what calls, and carry others along; then gather again",
        {"react": 0.28, "lasts": 5.0, "spreads": 2},
        {"flee": {"distance": 0.0, "weight": 2.0}, "separation": {"weight": 4.0, "priority": 1}},
        BESIDE_OTHERS,
        faster=3.0,
        cruise_speed=0.8,
        then="REGROUP",
    ),
    StatePreset(
        "REGROUP",
        "Regroup",
        "Come together again",
        {"react": 0.5, "lasts": 12.0, "blend": 1.0},
        {"cohesion": {"weight": 1.0}, "separation": {"weight": 3.0, "priority": 1}},
        BESIDE_OTHERS,
        faster=1.5,
        cruise_speed=0.6,
    ),
    StatePreset(
        "LOOK_UP", "Look Up", "Stop for a moment", {"lasts": 2.0}, {}, IN_THE_WORLD, faster=1.0, cruise_speed=0.0
    ),
    StatePreset(
        "STOP_AND_LOOK",
        "Stop and Look",
        "Stop, and turn to what calls",
        {"lasts": 4.0},
        {"face": {}},
        IN_THE_WORLD,
        faster=1.0,
        cruise_speed=0.0,
    ),
    StatePreset(
        "CHASE",
        "Chase",
        "Run after what calls",
        {"lasts": 4.0, "varies": 0.3},
        {"pursuit": {"weight": 2.0}},
        IN_THE_WORLD,
        faster=1.5,
        cruise_speed=0.9,
    ),
    StatePreset(
        "STRAY",
        "Stray",
        "Stay apart from the others, and run from who drives it",
        {"react": 0.0, "lasts": 1.5, "varies": 0.0},
        {"evasion": {}, "containment": {"use": False}},
        frozenset({Intent.GO, Intent.STAY}),
        calls=(Call("OUTSIDE", "REGION"),),
        about_crowd={"evasion": "pursuer"},
    ),
    StatePreset(
        "FETCH",
        "Fetch",
        "Get behind what calls, and drive it home",
        {"lasts": 2.0, "varies": 0.3},
        {"drive": {}, "unaligned_collision_avoidance": {"neighbors": "EVERYONE"}},
        IN_THE_WORLD,
        faster=1.5,
        calls=(Call("NEAR", "STRAY", one_each=True),),
    ),
    StatePreset(
        "HUNT",
        "Hunt",
        "Run after what calls when it is hungry; then feed and rest",
        {"lasts": 6.0, "varies": 0.3, "builds_up": 0.07},
        {"pursuit": {"weight": 2.0}},
        IN_THE_WORLD,
        faster=1.5,
        cruise_speed=0.9,
        brings=("FEED",),
        calls=(Call("NEAR"),),
    ),
    StatePreset(
        "FEED",
        "Feed",
        "Stand and eat; it is less hungry then",
        {"react": 0.0, "lasts": 4.0, "varies": 0.2, "wears_off": 0.4},
        {},
        NOTHING,
        1.0,
        0.0,
        then="REST",
        eases="HUNT",
        calls=(Call("TOUCHED", only_in="HUNT"),),
    ),
    StatePreset(
        "REST", "Rest", "Stand still for a while", {"lasts": 4.0}, {}, IN_THE_WORLD, faster=1.0, cruise_speed=0.0
    ),
    StatePreset(
        "CAUGHT",
        "Caught",
        "Stand still where it is",
        {"react": 0.0, "lasts": 5.0, "varies": 0.0},
        {},
        NOTHING,
        1.0,
        0.0,
        calls=(Call("TOUCHED", strength=1.5),),
    ),
    StatePreset(
        "SLEEP",
        "Sleep",
        "Stand still until something else calls",
        {"lasts": 0.0, "blend": 2.0},
        {},
        IN_THE_WORLD,
        1.0,
        0.0,
    ),
)
"""In the order of the menu."""


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
