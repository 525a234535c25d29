"""The table of presets in docs/presets.md, from their files."""

from pathlib import Path

from steering_addon.settings.preset import read

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "presets.md"
BEGIN, END = "<!-- presets: scripts/generate writes this -->", "<!-- end of presets -->"


def with_table(text: str) -> str:
    """The text of the page with its table brought up to date."""
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n{presets()}{END}{rest.split(END)[1]}"


def presets() -> str:
    """One row for each preset that ships: its label, its name in scripts, the size of its bodies, what it makes."""
    rows = ["| Preset | Name | For bodies of | What it makes of a crowd |", "|---|---|---|---|"]
    for path in sorted((ROOT / "presets").glob("*.json")):
        preset = read(path.read_text(encoding="utf-8"))
        rows.append(f"| **{preset.label}** | `{path.stem}` | {preset.body_length:g} m | {preset.description} |")
    return "\n".join(rows) + "\n"
