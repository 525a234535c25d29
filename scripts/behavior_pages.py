"""Writes the manual's pages about behaviors and vehicles from their declarations and figures."""

import math
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from steering_addon.behaviors import CATALOGUE
from steering_addon.locomotion import CATALOGUE as LOCOMOTIONS
from steering_addon.minds.conditions import CONDITIONS
from steering_addon.minds.declaring import StateModel, TriggerModel
from steering_addon.portrayal.driver_properties import Portrayal
from steering_addon.settings.preset import read
from steering_addon.settings.preset_parts import STATE
from steering_addon.simulation.behavior import OURS, Behavior, Intent
from steering_addon.simulation.combining import COMBININGS, MATTERS
from steering_addon.simulation.declaration import POINTERS, Declared, Kind, Parameter, Unit
from steering_addon.simulation.marks.declaring import MarkModel
from steering_addon.simulation.presence.attendance import Attendance
from steering_addon.simulation.vehicle import VehicleModel

from .figure import FIGURES
from .figure_scenes import figures_about
from .figure_scenes.combining import drawing_of

PAGES = Path(__file__).resolve().parents[1] / "docs" / "behaviors"
STATES = Path(__file__).resolve().parents[1] / "presets" / "states"
PAPER = "[Steering Behaviors For Autonomous Characters](https://www.red3d.com/cwr/steer/gdc99/) (Reynolds 1999)"
WRITTEN = "<!-- scripts/generate writes this page -->\n"
VEHICLE_GROUPS: tuple[tuple[str, str, type[Declared]], ...] = (
    ("Vehicle", "vehicle", VehicleModel),
    ("Wings, Wheels and Legs", "portrayal", Portrayal),
    ("Entering and Leaving", "attendance", Attendance),
)
"""The panels of a crowd about its vehicles, with the name of their properties and their declaration."""
UNREACHED = 1e6
"""Limits from this size on, such as Blender's last frame, are not worth mentioning."""
NOTHING = re.compile(r"\bdo(?:es)? nothing\b", re.IGNORECASE)


def pages() -> dict[str, Callable[[], str]]:
    """The functions that make the text of each page, by the name of its file; SystemExit without a figure."""
    return {"README.md": _index, "combining.md": _ways_to_combine, "vehicles.md": _vehicles, "states.md": _states} | {
        f"{behavior.name}.md": partial(_page, behavior) for behavior in CATALOGUE
    }


def sentences(behavior: type[Behavior]) -> list[str]:
    """The sentences of a behavior's docstring."""
    text = " ".join((behavior.__doc__ or "").split())
    return re.split(r"(?<=[.!?]) (?=[A-Z])", text)


def idle(behavior: type[Behavior]) -> list[str]:
    """The sentences that say when the behavior does nothing."""
    return [sentence for sentence in sentences(behavior) if NOTHING.search(sentence)]


def source(behavior: type[Behavior]) -> str:
    """The behavior's source: a section of the paper, or a note that it is not in the paper."""
    first = (sys.modules[behavior.__module__].__doc__ or "").strip().splitlines()[0]
    place = re.search(r"\((.*)\)\.?$", first)
    words = place.group(1) if place else ""
    if words.startswith("paper, "):
        return f"{PAPER}, {words.removeprefix('paper, ')}."
    return f"{words[:1].upper()}{words[1:]}." if words else ""


def _index() -> str:
    lines = [WRITTEN, "# Behaviors\n"]
    lines.append(
        "Each behavior has a panel in the crowd's settings. A crowd usually has several; [its choice of "
        "combining](combining.md) decides how they become one force, and the [settings of its vehicles](vehicles.md) "
        "how they move. In its [states](states.md) they do something else for a while. Each also has a `weight`, a "
        "`priority` and, for random combining, a `probability`. Where a formula differs from the paper's, the file of "
        "the behavior says why.\n"
    )
    for intent in Intent:
        lines += [f"## {intent.value}\n", "| | Property | What it does | Reynolds' term |", "|---|---|---|---|"]
        for behavior in CATALOGUE:
            if behavior.intent is intent:
                label = f"[{behavior.label}]({behavior.name}.md)"
                lines.append(f"| {label} | `{behavior.name}` | {sentences(behavior)[0]} | {behavior.term} |")
        lines.append("")
    return "\n".join(lines)


def _page(behavior: type[Behavior]) -> str:
    nothing, term = idle(behavior), OURS if behavior.term == OURS else f"Reynolds' term: {behavior.term}"
    description = [sentence for sentence in sentences(behavior) if sentence not in nothing]
    return "\n".join(
        (
            WRITTEN,
            f"# {behavior.label}\n",
            f"`{behavior.name}`, {term}. Listed under *{behavior.intent.value}*.\n",
            " ".join(description) + "\n",
            *(
                f"![{behavior.label}]({name}.svg)\n\n*{figure.caption}*\n"
                for name, figure in figures_about(behavior.name).items()
            ),
            "## When it does nothing\n",
            " ".join(nothing) + "\n",
            "## Settings\n",
            f"In scripts and drivers: `crowd.steering.{behavior.name}`, where `crowd` is the crowd's Empty.\n",
            _settings(behavior),
            "## Source\n",
            source(behavior),
            "",
        )
    )


def _settings(behavior: type[Behavior]) -> str:
    rows = ["| Setting | Default | Limits | |", "|---|---|---|---|"]
    for name, parameter in behavior.parameters().items():
        rows.append(f"| `{name}` | {default(parameter)} | {limits(parameter)} | {parameter.description} |")
    if any(parameter.kind is Kind.BODY and not parameter.in_order for parameter in behavior.parameters().values()):
        rows.append("\nWhere no object is chosen, **or Collection** takes several. Of these, or of a crowd, **Choose**")
        rows[-1] += " says which: the nearest, one at random, or [one after the other](../scripting.md#targets)."
    return "\n".join(rows) + "\n"


def _vehicles() -> str:
    lines = [
        WRITTEN,
        "# Vehicles\n",
        "A crowd holds these settings for all of its vehicles. Each can be keyframed and driven, unless its tooltip "
        "says otherwise. The panel **Movement** shows the cruise speed as a speed, `cruise`; what is stored, keyed and "
        "driven is its share of the top speed.\n",
    ]
    (heading, group, declaration), *others = VEHICLE_GROUPS
    lines += [*_group(f"## {heading}", group, declaration), *_locomotions()]
    for heading, group, declaration in others:
        lines += _group(f"## {heading}", group, declaration)
    return "\n".join([*lines, "[Entering and leaving](../entering_and_leaving.md) tells more about the last.", ""])


def _states() -> str:
    presets = {file.stem: read(file.read_text(encoding="utf-8"), STATE) for file in STATES.glob("*.json")}
    ready = sorted(presets.items(), key=lambda named: named[1].label)
    lines = [
        WRITTEN,
        "# States and triggers\n",
        "A state is an Empty that overrides some of its crowd's settings; a trigger calls vehicles into it. [Minds]"
        "(../minds.md) tells how to use them. A state has settings of its own in each group whose switch `own` is on, "
        "as in `state.steering.flee.own` or `state.steering.vehicle.own`; for the rest it follows its crowd.\n",
        "In a state, a target that is left empty is whatever called: the wolf that was seen, the stray that one was "
        "sent for.\n",
        *_group(
            "## State", "state", StateModel, "`then` is the state that follows it, `eases` one whose need it eases.\n"
        ),
        *_group("## Trigger", "trigger", TriggerModel, "`to` is the state that it calls into, `who` what calls.\n"),
        *_group("## Mark", "mark", MarkModel, "`who` meets it, `shape` is where each of a crowd does.\n", of="mark"),
        "## When a trigger calls\n",
        "| | In scripts | Number | |",
        "|---|---|---|---|",
        *(f"| {c.label} | `{c.name}` | {c.number} | {c.description} |" for c in (kind.choice() for kind in CONDITIONS)),
        "",
        "## Ready states\n",
        "| | In scripts | |",
        "|---|---|---|",
        *(f"| {preset.label} | `{name}` | {preset.description} |" for name, preset in ready),
        "",
        "## Source\n",
        f"{PAPER}, Introduction: action selection.",
        "",
    ]
    return "\n".join(lines)


def _group(heading: str, name: str, declaration: type[Declared], *words: str, of: str = "crowd") -> list[str]:
    """The heading of a property group, words about it, its place in scripts and its settings."""
    place = f"In scripts and drivers: `{of}.steering.{name}`, where `{of}` is the {of}'s Empty.\n"
    return [f"{heading}\n", *words, place, _labelled_settings(declaration)]


def _locomotions() -> list[str]:
    lines = [
        "## Locomotion\n",
        "How the bodies of the crowd turn steering into motion: `crowd.steering.locomotion` is one of the following. "
        "Each has settings of its own.\n",
        "A vehicle may move in another way than its crowd, such as one sheep dog that is a machine on wheels, or one "
        "bird on foot: choose it under *This One Only > Moves As*, or for all selected vehicles under *Object > "
        "Steering > This One Moves As*. In scripts and drivers it is `object.steering.own_locomotion`, with the "
        "settings of that on the vehicle itself, as in `object.steering.wheeled`. Presets leave it as it is.\n",
    ]
    for kind in LOCOMOTIONS:
        words = f"{kind.tooltip()}. {kind.suits}. `{kind.choice().name}`.\n"
        lines += _group(f"### {kind.label}", kind.name, kind, words)
    return lines


def _labelled_settings(declaration: type[Declared]) -> str:
    rows = ["| Setting | In scripts | Default | Limits | |", "|---|---|---|---|---|"]
    for name, parameter in declaration.parameters().items():
        words = (parameter.called(name), f"`{name}`", default(parameter), limits(parameter), parameter.description)
        rows.append(f"| {' | '.join(words)} |")
    return "\n".join(rows) + "\n"


def _ways_to_combine() -> str:
    lines = [
        WRITTEN,
        "# Combining behaviors\n",
        "A crowd's *Combining* decides how the forces of its behaviors become one. In each figure the same three "
        "vehicles go to the same target; *Avoid Obstacles* comes before *Go To and Stop* in priority, and both have "
        "the same weight.\n",
    ]
    for choice in COMBININGS:
        drawing = drawing_of(choice.name)
        matters = ", ".join(f"`{name}`" for name in MATTERS[choice.number])
        lines += [
            f"## {choice.label}\n",
            f"{choice.description}. Settings of each behavior that count: {matters}.\n",
            f"![{choice.label}]({drawing}.svg)\n",
            f"*{FIGURES[drawing].caption}*\n",
        ]
    return "\n".join([*lines, "## Source\n", f"{PAPER}, Combining Behaviors.", ""])


def default(parameter: Parameter) -> str:
    """The default with its unit; for a choice, all its labels with the default in italics."""
    if parameter.kind in POINTERS:
        return "empty"
    if parameter.kind is Kind.CHOICE:
        return ", ".join(f"*{c.label}*" if c.number == parameter.default else c.label for c in parameter.choices)
    if parameter.kind is Kind.SWITCH:
        return "on" if parameter.default else "off"
    return _with_unit(parameter.default, parameter.unit)


def limits(parameter: Parameter) -> str:
    """The range of a number in the units an animator sees; empty if it has no limits."""
    if parameter.kind not in (Kind.NUMBER, Kind.INTEGER):
        return ""
    if parameter.most < UNREACHED:
        return f"{_with_unit(parameter.least, parameter.unit)} to {_with_unit(parameter.most, parameter.unit)}"
    return f"at least {_with_unit(parameter.least, parameter.unit)}" if parameter.least > 0.0 else ""


def _with_unit(value: float, unit: Unit) -> str:
    if unit in (Unit.ANGLE, Unit.TURN):
        return f"{math.degrees(value):.4g}{unit.value.replace('rad', '°')}"
    if unit in (Unit.NONE, Unit.SHARE):
        return f"{value:g}"
    if unit is Unit.FRAME:
        return f"frame {value:g}"
    return f"{value:g} {unit.value.replace('2', '²')}"
