"""Wordings that this project's prose does without, and what to write instead.

A rule belongs here only if it refuses no good English. tests/test_plain_english.py refuses what the rules find, and
scripts/plain_english lists it.
"""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
QUOTING = ("scripts/english_rules.py", "tests/test_plain_english.py")
"""Files that quote what is refused."""
GENERATED = re.compile(r"<!-- (\w+): [^>]* writes this -->.*?<!-- end of \1 -->", re.DOTALL)

PHRASES = {
    r"h(?:ang|angs|anging|ung) on(?! to\b)": "depends on; is parented to",
    r"manieth": "index",
    r"minds (?:a|an|the|what|which|that|this|it|its|nothing|only|all|each|others?|whom?)": "considers",
    r"(?:Blender|bpy|numpy|pytest|code|call|function|method|operator|module|property|array) wants?": "needs; expects",
    r"let(?:s|ting)? through": "accepted; allowed",
    r"(?:to|for|with|of) each its own": "each ... has its own",
    r"of these the (?:nearest|first|last|least|largest|best)": "the ... of these",
}
"""Wordings that are wrong or German in English words, as regular expressions, and what to write."""
OPENINGS = {
    "who": "The agents that",
    "whom": "The agents that",
    "whose": "The agents whose",
    "whoever": "Every agent that",
}
"""Words that must not open a docstring or a comment, as a clause without a noun; and how to begin instead."""

# Words may stand on two lines of a comment, or be parts of the name of a test.
PHRASE = re.compile(
    "|".join(rf"(?<![a-zA-Z])({p})(?![a-zA-Z])" for p in PHRASES).replace(" ", r"(?:\s+(?:\#\s*)?|_)"), re.I
)
OPENING = re.compile(rf'(?:"{{3}}|(?<!")\# ?)({"|".join(OPENINGS)})\b(?![^\n]*\?)', re.I)


@dataclass(frozen=True)
class Place:
    """A place that breaks a rule: `path:line "quote": write ...`."""

    path: str
    line: int
    quote: str
    instead: str

    def __str__(self) -> str:
        return f'{self.path}:{self.line} "{self.quote}": write {self.instead}'


def files() -> list[str]:
    """Every file the rules hold for, as paths from the root. The pages of docs/behaviors are generated from these."""
    python = [path for folder in ("steering_addon", "scripts", "tests") for path in (ROOT / folder).rglob("*.py")]
    commands = [path for path in (ROOT / "scripts").iterdir() if path.is_file() and not path.suffix]
    presets = (ROOT / "presets").rglob("*.json")
    others = [*ROOT.glob("*.md"), *ROOT.glob("*.toml"), *(ROOT / "docs").glob("*.md"), ROOT / ".ci" / "run"]
    paths = (path.relative_to(ROOT).as_posix() for path in (*python, *commands, *presets, *others))
    return sorted(path for path in paths if path not in QUOTING)


def places(path: str) -> list[Place]:
    """Every place in a file that breaks a rule, by line."""
    return places_in(path, (ROOT / path).read_text(encoding="utf-8"))


def places_in(path: str, text: str) -> list[Place]:
    """As `places`, for a text that would stand under this path."""
    is_python = path.endswith(".py") or (path.startswith("scripts/") and "." not in path)
    text = GENERATED.sub(lambda match: "\n" * match.group().count("\n"), text)
    problems = []
    for match in PHRASE.finditer(text):
        quote = re.sub(r"[\s#_]+", " ", match.group())
        problems.append(Place(path, _line(text, match), quote, list(PHRASES.values())[match.lastindex - 1]))
    if is_python:
        for match in OPENING.finditer(text):
            problems.append(Place(path, _line(text, match), match[1], f"{OPENINGS[match[1].lower()]} ..."))
    return sorted(problems, key=lambda place: place.line)


def _line(text: str, match: re.Match) -> int:
    return text.count("\n", 0, match.start()) + 1
