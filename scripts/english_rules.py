"""Phrases and names that this project's prose does without, and what to write instead.

Argue with the tables: `PHRASES`, `OPENINGS` and `NAMES`. A rule belongs here if the phrase is wrong or obscure nearly
everywhere it turns up; the pattern names the exceptions. tests/test_plain_english.py refuses what the rules find, and
scripts/plain_english counts it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KINDS = ("phrase", "opening", "name")
QUOTING = ("scripts/english_rules.py", "tests/test_plain_english.py")
"""Files whose strings quote the phrases."""

COMMENT_OR_STRING = re.compile(
    r"""(?P<comment>\#[^\n]*)
    | \"{3}(?:\\.|[^\\])*?\"{3} | '{3}(?:\\.|[^\\])*?'{3} | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'""",
    re.DOTALL | re.VERBOSE,
)
"""Strings too, as they may hold the sign of a comment. Python's own tokenizer takes ten times as long."""
GENERATED = re.compile(r"<!-- (\w+): [^>]* writes this -->.*?<!-- end of \1 -->", re.DOTALL)


@dataclass(frozen=True)
class Phrase:
    """A wording that is refused.

    Attributes:
        pattern: a regular expression, case-insensitive; a space in it also matches a line break.
        instead: what to write.
        reason: why the wording is refused.
    """

    pattern: str
    instead: str
    reason: str


CALQUE = "German idiom in English words"
VAGUE = "the reader has to guess what is meant"
INVERTED = "English puts the subject first"
PERSON = "rows of arrays are not people"
MACHINE = "code has no wishes"

PHRASES = (
    Phrase(r"\bh(ang|angs|anging|ung) on\b", "depends on; is parented to", CALQUE),
    Phrase(r"\banew\b", "again", "archaic"),
    Phrase(r"\bheed(s|ed|ing)?\b", "consider; take into account; obey", "archaic"),
    Phrase(r"\bas far as\b", "if; where; to the extent that", CALQUE),
    Phrase(r"\bso many\b", "that number of; a count", CALQUE),
    Phrase(r"(?<!twice\s)(?<!times\s)(?<!half\s)(?<!third\s)\bas many\b", "that number of; the same number of", CALQUE),
    Phrase(r"\bmanieth\b", "index", "not a word"),
    Phrase(r"\bso as to\b", "to", "padding"),
    Phrase(r"\bof late\b", "recently", "archaic"),
    Phrase(r"\bto and fro\b", "back and forth", "archaic"),
    Phrase(r"\bluck\b", "random key; random number", "the thing has a name"),
    Phrase(
        r"\bminds (a|an|the|what|which|that|this|it|its|no|nothing|only|all|each|others?|whom?)\b", "considers", CALQUE
    ),
    Phrase(
        r"\b(Blender|bpy|numpy|git|pip|ruff|mypy|pytest|gpu|code|call|function|method|operator|module|file|script|stage"
        r"|test|panel|property|array|field) wants?\b",
        "needs; takes; expects",
        MACHINE,
    ),
    Phrase(
        r"\b(is|are|was|were|be|been) (not )?there\b(?! (is|are|was|were|a|an|any|anything|no|nothing|some)\b)",
        "exists; is present",
        CALQUE,
    ),
    Phrase(r"\b(no|some|every)body\b", "no agent; an agent; all agents; for people: no one, the user", PERSON),
    Phrase(r"\b(has|have|had) (its|their|his) say\b", "name what happened", VAGUE),
    Phrase(
        r"\b(has|have|had|having) come to\b(?! (rest|a halt|a stop|a standstill|an end)\b)"
        r"|\b(come|comes|came) to (a|an|be|nothing|pass|their|the same|the end)\b(?! (halt|stop|standstill)\b)",
        "reach; arrive at; amount to; be made",
        VAGUE,
    ),
    Phrase(r"\bwhat follows from\b", "name the result", VAGUE),
    Phrase(r"\ball that\b", "everything that; name the things", VAGUE),
    Phrase(r"\bthat is to say\b", "that is; or leave it out", "padding"),
    Phrase(r"\bthe like\b", "name the things; and so on", VAGUE),
    Phrase(r"\bby (itself|themselves)\b", "on its own; automatically; alone", CALQUE),
    Phrase(r"\bwork(s|ed|ing)? out\b", "compute; find", VAGUE),
    Phrase(r"\bt(ell|ells|old|elling) (\w+ )?apart\b", "distinguish", CALQUE),
    Phrase(r"\b(goes|went|gone) on\b(?! (a|an|the|its|top)\b)", "continues", CALQUE),
    Phrase(r"\bat hand\b", "current; available", VAGUE),
    Phrase(r"\bin the end\b", "finally; name the moment", VAGUE),
    Phrase(r"(?<!all\s)(?<!both\s)\bat once\b", "immediately; together; at the same time", "means two things"),
    Phrase(r"\bno more\b(?! than\b)", "no longer", CALQUE),
    Phrase(r"\blet(s|ting)? through\b", "accepted; allowed", CALQUE),
    Phrase(
        r"(?<!there\s)\b(is|are|was|were) no\b"
        r"(?! (one|different|more|less|longer|shorter|larger|smaller|nearer|closer|further|faster|slower|later|earlier"
        r"|better|worse|fewer|higher|lower|wider)\b)",
        "is not a",
        CALQUE,
    ),
    Phrase(r"\b(to|for|with|of) each its own\b", "each ... has its own", INVERTED),
    Phrase(r"\bof these the\b", "the ... of these", INVERTED),
    Phrase(r"\bonly then (is|are|was|were|do|does|did)\b", "... only then", INVERTED),
)

OPENINGS = {
    "who": "The agents that",
    "whom": "The agents that",
    "whose": "The agents whose",
    "whoever": "Every agent that",
}
"""Words that must not open a docstring or a comment as a relative clause without a noun; and how to begin instead."""

NAMES = {
    "here": "rows, mask, offset, ...",
    "there": "present, mask, ...",
    "found": "pairs, result, match, ...",
    "some": "mask, subset, ...",
    "one": "agent, row, object, item, ...",
    "ones": "agents, rows, objects, ...",
    "own": "crowd, settings, agent_*, ...",
    "who": "agents, rows, mask, ...",
    "whom": "targets, others, ...",
    "somebody": "agent, other, ...",
}
"""Adverbs and pronouns refused as names of variables, parameters and attributes; and nouns that may fit."""
STORED = {("steering_addon/behaviors/interpose.py", "one"), ("steering_addon/settings/stored.py", "who")}
"""Names that files and scripts of users depend on."""


@dataclass(frozen=True)
class Passage:
    """A piece of prose.

    Attributes:
        line: the line it begins on, from 1.
        last: the line it ends on.
        opens: whether it is a docstring or a comment, and so begins a thought of its own.
    """

    text: str
    line: int
    last: int
    opens: bool = False

    def line_of(self, offset: int) -> int:
        return min(self.line + self.text.count("\n", 0, offset), self.last)


@dataclass(frozen=True)
class Place:
    """A place that breaks a rule: `path:line "quote": write ... (reason)`.

    Attributes:
        kind: which table refuses it, one of `KINDS`.
    """

    path: str
    line: int
    kind: str
    quote: str
    instead: str
    reason: str

    def __str__(self) -> str:
        return f'{self.path}:{self.line} "{self.quote}": write {self.instead} ({self.reason})'


def files() -> list[str]:
    """Every file the rules hold for, as paths from the root. The pages of docs/behaviors are generated from these."""
    python = [path for folder in ("steering_addon", "scripts", "tests") for path in (ROOT / folder).rglob("*.py")]
    commands = [path for path in (ROOT / "scripts").iterdir() if path.is_file() and not path.suffix]
    presets = (ROOT / "presets").rglob("*.json")
    others = [*ROOT.glob("*.md"), *ROOT.glob("*.toml"), *(ROOT / "docs").glob("*.md"), ROOT / ".ci" / "run"]
    return sorted(path.relative_to(ROOT).as_posix() for path in (*python, *commands, *presets, *others))


def places(path: str) -> list[Place]:
    """Every place in a file that breaks a rule, by line."""
    return places_in(path, (ROOT / path).read_text(encoding="utf-8"))


def places_in(path: str, text: str) -> list[Place]:
    """As `places`, for a text that would stand under this path."""
    if not is_python(path):
        return list(refused_phrases(path, [Passage(without_generated(text), 1, text.count("\n") + 1)]))
    nodes = nodes_of(ast.parse(text))
    passages = [] if path in QUOTING else [*strings(nodes), *comments(text), *names_of_tests(nodes)]
    problems = [*refused_phrases(path, passages), *refused_openings(path, passages), *refused_names(path, nodes)]
    return sorted(problems, key=lambda place: place.line)


def without_generated(text: str) -> str:
    """A page without the tables that a script writes from other files, on the same lines."""
    return GENERATED.sub(lambda match: "\n" * match.group().count("\n"), text)


def is_python(path: str) -> bool:
    """Python files, and the commands of scripts/, which are Python without a suffix."""
    return path.endswith(".py") or (path.startswith("scripts/") and "." not in path)


def nodes_of(tree: ast.AST) -> list[ast.AST]:
    """The nodes of a tree, level by level, as `ast.walk` gives them in twice the time, but without load and store."""
    nodes = [tree]
    for node in nodes:
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, list):
                nodes += [each for each in value if isinstance(each, ast.AST)]
            elif isinstance(value, ast.AST) and field != "ctx":
                nodes.append(value)
    return nodes


def strings(nodes: list[ast.AST]) -> Iterator[Passage]:
    """Docstrings and all other string literals; the fields of an f-string read as `{}`."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(statement.value)
        for node in nodes
        if isinstance(node, documented)
        for statement in node.body
        if isinstance(statement, ast.Expr)
    }
    parts = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in nodes:
        if isinstance(node, ast.JoinedStr) and id(node) not in parts:
            pieces = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
            yield Passage("".join(pieces), node.lineno, node.end_lineno)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
            yield Passage(node.value, node.lineno, node.end_lineno, opens=id(node) in docstrings)


def comments(text: str) -> Iterator[Passage]:
    """Comments; those on lines of their own that follow each other are one passage."""
    gathered: list[str] = []
    first = last = before = 0
    line = 1
    for match in COMMENT_OR_STRING.finditer(text):
        if match["comment"] is None:
            continue
        line += text.count("\n", before, match.start())
        before = match.start()
        alone = not text[text.rfind("\n", 0, before) + 1 : before].strip()
        if gathered and not (alone and line == last + 1):
            yield Passage("\n".join(gathered), first, last, opens=True)
            gathered = []
        if not gathered:
            first = line
        gathered.append(match["comment"].lstrip("#! "))
        last = line
    if gathered:
        yield Passage("\n".join(gathered), first, last, opens=True)


def names_of_tests(nodes: list[ast.AST]) -> Iterator[Passage]:
    """The names of tests, which are sentences."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield Passage(node.name.replace("_", " "), node.lineno, node.lineno)


@cache
def expressions() -> tuple[re.Pattern, list[tuple[Phrase, re.Pattern]]]:
    """All phrases in one expression, which passes over most texts quickly, and each with its own.

    All begin with a word; the expression that has them all looks only there, which takes a third of the time.
    """
    patterns = [phrase.pattern.replace(" ", r"\s+") for phrase in PHRASES]
    each = [(phrase, re.compile(pattern, re.IGNORECASE)) for phrase, pattern in zip(PHRASES, patterns)]
    return re.compile(rf"\b(?=\w)(?:{'|'.join(patterns)})", re.IGNORECASE), each


def refused_phrases(path: str, passages: list[Passage]) -> Iterator[Place]:
    any_phrase, each = expressions()
    for passage in passages:
        if not any_phrase.search(passage.text):
            continue
        for phrase, pattern in each:
            for match in pattern.finditer(passage.text):
                quote = " ".join(match.group().split())
                yield Place(path, passage.line_of(match.start()), "phrase", quote, phrase.instead, phrase.reason)


def refused_openings(path: str, passages: list[Passage]) -> Iterator[Place]:
    for passage in passages:
        first, _, _ = passage.text.strip().partition(" ")
        instead = OPENINGS.get(first.lower())
        if passage.opens and instead and not passage.text.split("\n\n")[0].rstrip().endswith("?"):
            yield Place(path, passage.line, "opening", f"{first} ...", f"{instead} ...", "a sentence needs a noun")


def refused_names(path: str, nodes: list[ast.AST]) -> Iterator[Place]:
    for node in nodes:
        for name in bound_names(node):
            if name in NAMES and (path, name) not in STORED:
                yield Place(path, node.lineno, "name", name, NAMES[name], "a name is a noun for what it holds")


def bound_names(node: ast.AST) -> list[str]:
    """The names of variables, parameters and own attributes that a node binds.

    Attributes of other objects have their names from elsewhere, such as a label of the interface.
    """
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
            return [name]
        case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
            return [name]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return [name]
        case ast.alias(asname=str(name)):
            return [name]
    return []
