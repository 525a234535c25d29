"""The manual's pages about the behaviors, from their declarations and figures."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from steering_addon.behaviors import CATALOGUE
from steering_addon.simulation.behavior import OURS, Behavior, Intent
from steering_addon.simulation.combining import COMBININGS, MATTERS

from .figure_scenes import combining, drawing_of, figure_of, more_of
from .parameter_words import default, limits

PAGES = Path(__file__).resolve().parents[1] / "docs" / "behaviors"
PAPER = "[Steering Behaviors For Autonomous Characters](https://www.red3d.com/cwr/steer/gdc99/) (Reynolds 1999)"
WRITTEN = "<!-- scripts/generate writes this page -->\n"
NOTHING = re.compile(r"\bdo(?:es)? nothing\b", re.IGNORECASE)


def pages() -> dict[str, Callable[[], str]]:
    """What makes the text of each page, by the name of its file.

    A page of a behavior without a figure raises MissingFigureError when it is made.
    """
    return {"README.md": _index, "combining.md": _ways_to_combine} | {
        f"{behavior.name}.md": partial(_page, behavior) for behavior in CATALOGUE
    }


def sentences(behavior: type[Behavior]) -> list[str]:
    """What the declaration says of a behavior, sentence by sentence."""
    text = " ".join((behavior.__doc__ or "").split())
    return re.split(r"(?<=[.!?]) (?=[A-Z])", text)


def idle(behavior: type[Behavior]) -> list[str]:
    """The sentences that say when it does nothing."""
    return [sentence for sentence in sentences(behavior) if NOTHING.search(sentence)]


def source(behavior: type[Behavior]) -> str:
    """Where it comes from: the part of the paper, or that it is not in it."""
    first = (sys.modules[behavior.__module__].__doc__ or "").strip().splitlines()[0]
    place = re.search(r"\((.*)\)\.?$", first)
    words = place.group(1) if place else ""
    if words.startswith("paper, "):
        return f"{PAPER}, {words.removeprefix('paper, ')}."
    return f"{words[:1].upper()}{words[1:]}." if words else ""


def _index() -> str:
    lines = [WRITTEN, "# What vehicles may want\n"]
    lines.append(
        "Each behavior is a panel of the crowd's. Several together make a character; [how they become "
        "one](combining.md) is the crowd's choice.\n"
    )
    for intent in Intent:
        lines += [f"## {intent.value}\n", "| | What it does | Reynolds' term |", "|---|---|---|"]
        for behavior in CATALOGUE:
            if behavior.intent is intent:
                lines.append(f"| [{behavior.label}]({behavior.name}.md) | {sentences(behavior)[0]} | {behavior.term} |")
        lines.append("")
    return "\n".join(lines)


def _page(behavior: type[Behavior]) -> str:
    figure = figure_of(behavior.name)
    nothing = idle(behavior)
    said = [sentence for sentence in sentences(behavior) if sentence not in nothing]
    return "\n".join(
        (
            WRITTEN,
            f"# {behavior.label}\n",
            f"`{behavior.name}`, {_term(behavior)}. Found under *{behavior.intent.value}*.\n",
            " ".join(said) + "\n",
            f"![{behavior.label}]({behavior.name}.svg)\n",
            f"*{figure.caption}*\n",
            *(
                f"![{behavior.label}]({behavior.name}-{key}.svg)\n\n*{one.caption}*\n"
                for key, one in more_of(behavior.name).items()
            ),
            "## When it does nothing\n",
            " ".join(nothing) + "\n",
            "## Settings\n",
            f"In scripts and drivers `crowd.steering.{behavior.name}` holds them; a crowd is an Empty.\n",
            _settings(behavior),
            "## Source\n",
            source(behavior),
            "",
        )
    )


def _term(behavior: type[Behavior]) -> str:
    return OURS if behavior.term == OURS else f"Reynolds' term: {behavior.term}"


def _settings(behavior: type[Behavior]) -> str:
    rows = ["| Setting | Default | Limits | |", "|---|---|---|---|"]
    for name, parameter in behavior.parameters().items():
        rows.append(f"| `{name}` | {default(parameter)} | {limits(parameter)} | {parameter.description} |")
    return "\n".join(rows) + "\n"


def _ways_to_combine() -> str:
    lines = [
        WRITTEN,
        "# How several behaviors become one\n",
        "A crowd's *Combining* says what becomes of all that its vehicles want at once. In each figure the same "
        "three vehicles go to the same target, with *Avoid Obstacles* before *Go To and Stop* in priority, at the "
        "same weight.\n",
    ]
    for choice in COMBININGS:
        figure = combining.FIGURES[choice.name]
        matters = ", ".join(f"`{name}`" for name in MATTERS[choice.number])
        lines += [
            f"## {choice.label}\n",
            f"{choice.description}. What counts of each behavior: {matters}.\n",
            f"![{choice.label}]({drawing_of(choice.name)}.svg)\n",
            f"*{figure.caption}*\n",
        ]
    return "\n".join([*lines, "## Source\n", f"{PAPER}, Combining Behaviors.", ""])
