"""The tables of behaviors, locomotions and presets in README.md, from their declarations and files."""

from __future__ import annotations

from pathlib import Path

from steering_addon.behaviors import CATALOGUE
from steering_addon.locomotion import CATALOGUE as LOCOMOTIONS
from steering_addon.settings.preset import read

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"


def with_tables(text: str) -> str:
    """The text of README.md with its tables brought up to date."""
    for name, table in (("behaviors", behaviors()), ("presets", presets()), ("locomotions", locomotions())):
        begin, end = f"<!-- {name}: scripts/generate writes this -->", f"<!-- end of {name} -->"
        before, rest = text.split(begin)
        text = f"{before}{begin}\n{table}{end}{rest.split(end)[1]}"
    return text


def behaviors() -> str:
    """One row for each behavior: its label, its names, what it does, and a link to its page."""
    rows = ["| Behavior | Property, Reynolds' term | What it does |", "|---|---|---|"]
    for behavior in CATALOGUE:
        names = f"`{behavior.name}`"
        if behavior.name.replace("_", " ") != behavior.term:
            names += f", {behavior.term}"
        page = f"docs/behaviors/{behavior.name}.md"
        rows.append(f"| [**{behavior.label}**]({page}) | {names} | {behavior.sentence()} |")
    return "\n".join(rows) + "\n"


def locomotions() -> str:
    """One row for each locomotion: its label, its name in scripts, what it suits and what it does."""
    rows = ["| Locomotion | Name | Suits | What it does |", "|---|---|---|---|"]
    for kind in LOCOMOTIONS:
        rows.append(f"| **{kind.label}** | `{kind.choice().name}` | {kind.suits} | {kind.tooltip()} |")
    return "\n".join(rows) + "\n"


def presets() -> str:
    """One row for each preset that ships: its label, its name in scripts, the size of its bodies, what it makes."""
    rows = ["| Preset | Name | For bodies of | What it makes of a crowd |", "|---|---|---|---|"]
    for path in sorted((ROOT / "presets").glob("*.json")):
        preset = read(path.read_text(encoding="utf-8"))
        rows.append(f"| **{preset.label}** | `{path.stem}` | {preset.body_length:g} m | {preset.description} |")
    return "\n".join(rows) + "\n"
