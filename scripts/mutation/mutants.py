"""The mutants of a source file: one operator changed, everything else left as it is.

Each kind of change is a function below that maps a syntax node to edits of the text. Comments and layout stay, so a
mutant differs from the original only on the lines of its edit.

Not mutated, because no test should depend on them or because any test notices: docstrings, strings, type annotations,
decorators, assertions, error messages and imports. Multiplying by 1 is dividing by 1.
"""

from __future__ import annotations

import ast
import io
import tokenize
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass

LABEL_WIDTH = 72
"""Characters of a changed expression that a label shows."""

COMPARISONS: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Lt: ("<=", ">="),
    ast.LtE: ("<", ">"),
    ast.Gt: (">=", "<="),
    ast.GtE: (">", "<"),
    ast.Eq: ("!=",),
    ast.NotEq: ("==",),
    ast.Is: ("is not",),
    ast.IsNot: ("is",),
    ast.In: ("not in",),
    ast.NotIn: ("in",),
}
"""The boundary and the negation of each comparison."""
ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "/",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.Mod: "//",
    ast.Pow: "*",
    ast.LShift: ">>",
    ast.RShift: "<<",
    ast.BitAnd: "|",
    ast.BitOr: "&",
    ast.BitXor: "|",
}


@dataclass(frozen=True)
class Mutant:
    """A source file with one edit.

    Attributes:
        path: the file, relative to the root of the checkout, with forward slashes.
        line: the first line of the edit.
        start, end, replacement: the edit, in characters of the file's text.
        change: what changes, in a few words.
        before, after: the lines of the edit, unchanged and changed.
        runs_on: the first and last line of the statement; a test that runs one of them may notice the mutant.
        names: for statements that run on import, the names that they bind; the tests that use those may notice.
    """

    path: str
    line: int
    start: int
    end: int
    replacement: str
    change: str
    before: str
    after: str
    runs_on: tuple[int, int]
    names: tuple[str, ...]

    @property
    def identity(self) -> tuple[str, str, str]:
        """Distinguishes it from all other mutants, also when its lines move within the file."""
        return self.path, " ".join(self.before.split()), " ".join(self.after.split())

    def applied(self, text: str) -> str:
        """The text of the file with the edit."""
        return text[: self.start] + self.replacement + text[self.end :]


@dataclass(frozen=True)
class Edit:
    """A replacement of the characters from `start` to `end`."""

    start: int
    end: int
    replacement: str


@dataclass(frozen=True)
class Place:
    """Where an expression runs: see `Mutant.runs_on` and `Mutant.names`."""

    runs_on: tuple[int, int]
    names: tuple[str, ...] = ()


NOWHERE = Place((0, 0))


class Source:
    """The text of a file with its syntax tree and tokens, all addressed by character offsets."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = ast.parse(text)
        self.lines = text.splitlines(keepends=True)
        self.line_starts = [0]
        for line in self.lines:
            self.line_starts.append(self.line_starts[-1] + len(line))
        skipped = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
        self.tokens = [
            (self.line_starts[token.start[0] - 1] + token.start[1], token.string)
            for token in tokenize.generate_tokens(io.StringIO(text).readline)
            if token.type not in skipped and token.string not in ("(", ")")
        ]

    def offset(self, line: int, column: int) -> int:
        """The offset of a position of the syntax tree, which counts columns in bytes of UTF-8."""
        text = self.lines[line - 1]
        return self.line_starts[line - 1] + (column if text.isascii() else len(text.encode()[:column].decode()))

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        return self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset)

    def code(self, node: ast.expr) -> str:
        """The text of an expression, in parentheses where it needs them in any surroundings."""
        start, end = self.span(node)
        text = self.text[start:end]
        closed = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Constant, ast.List, ast.Tuple, ast.Dict)
        return text if isinstance(node, closed) and not text.startswith("-") else f"({text})"

    def operator(self, left: ast.expr | int, right: ast.expr) -> tuple[int, int]:
        """The span of the operator that stands between two operands."""
        after = left if isinstance(left, int) else self.span(left)[1]
        first = bisect_left(self.tokens, (after, ""))
        last = bisect_left(self.tokens, (self.span(right)[0], "")) - 1
        if self.tokens[last][1] not in ("in", "not"):
            last = first
        return self.tokens[first][0], self.tokens[last][0] + len(self.tokens[last][1])

    def replaced(self, node: ast.expr | ast.stmt, replacement: str) -> Edit:
        return Edit(*self.span(node), replacement)

    def line_of(self, offset: int) -> int:
        return bisect_left(self.line_starts, offset + 1)


def mutants(path: str, text: str) -> list[Mutant]:
    """All mutants of a file, in the order of its text."""
    source = Source(text)
    made = {
        (edit.start, edit.end, edit.replacement): _mutant(path, source, edit, place)
        for node, place in places(source.tree)
        for edit in _edits(source, node)
    }
    return [made[edit] for edit in sorted(made)]


def _mutant(path: str, source: Source, edit: Edit, place: Place) -> Mutant:
    first, last = source.line_of(edit.start), source.line_of(max(edit.end - 1, edit.start))
    start, end = source.line_starts[first - 1], source.line_starts[last]
    after = source.text[start : edit.start] + edit.replacement + source.text[edit.end : end]
    change = f"{_label(source.text[edit.start : edit.end])} -> {_label(edit.replacement)}"
    before = source.text[start:end]
    return Mutant(
        path, first, edit.start, edit.end, edit.replacement, change, before, after, place.runs_on, place.names
    )


def _label(text: str) -> str:
    words = " ".join(text.split()) or "(nothing)"
    return words if len(words) <= LABEL_WIDTH else words[: LABEL_WIDTH - 3] + "..."


def places(node: ast.AST, place: Place = NOWHERE, on_import: bool = True) -> Iterator[tuple[ast.AST, Place]]:
    """All nodes below one that may be mutated, each with the place where it runs."""
    if isinstance(node, ast.stmt):
        place = _place(node, on_import)
    yield node, place
    for child in _children(node):
        yield from places(child, place, on_import and not isinstance(node, ast.FunctionDef))


def _place(statement: ast.stmt, on_import: bool) -> Place:
    if isinstance(statement, ast.FunctionDef):
        # For its defaults, which show only when it runs.
        return Place((statement.body[0].lineno, statement.end_lineno))
    header = [child for child in ast.iter_child_nodes(statement) if isinstance(child, ast.expr | ast.withitem)]
    ends = [node.end_lineno for child in header for node in ast.walk(child) if isinstance(node, ast.expr)]
    last = max(ends, default=statement.lineno) if hasattr(statement, "body") else statement.end_lineno
    targets = getattr(statement, "targets", [getattr(statement, "target", None)]) if on_import else []
    names = [node.id for target in targets if target for node in ast.walk(target) if isinstance(node, ast.Name)]
    return Place((statement.lineno, last), tuple(names))


def _children(node: ast.AST) -> list[ast.AST]:
    """The child nodes that count."""
    match node:
        case ast.FunctionDef():
            return [node.args, *node.body]
        case ast.ClassDef():
            return list(node.body)
        case ast.arguments():
            return [default for default in (*node.defaults, *node.kw_defaults) if default is not None]
        case ast.AnnAssign():
            return [node.value] if node.value is not None else []
        case ast.Assign() if _is_type_alias(node.value):
            return []
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return []
        case ast.UnaryOp() if _is_negative_integer(node):
            return []
        case ast.Assert() | ast.Raise() | ast.JoinedStr() | ast.Import() | ast.ImportFrom():
            return []
    return list(ast.iter_child_nodes(node))


def _is_type_alias(value: ast.expr) -> bool:
    """Whether a value reads `A | None` or `Callable[[A], B]`: nothing but capital names and None."""
    names = [node.id for node in ast.walk(value) if isinstance(node, ast.Name)]
    others = [node for node in ast.walk(value) if isinstance(node, ast.Constant) and node.value is not None]
    joined = isinstance(value, ast.Subscript | ast.BinOp)
    return joined and not others and all(name[0].isupper() or name in ("tuple", "list", "dict") for name in names)


def _comparisons(source: Source, node: ast.Compare) -> Iterator[Edit]:
    """The negation of each comparison, and of counts the boundary.

    What is measured equals a limit to the last bit by chance only, and may then fall on either side of it.
    """
    for left, operator, right in _compared(node):
        *boundary, negation = COMPARISONS[type(operator)]
        for replacement in (*boundary, negation) if _counts(left) or _counts(right) else (negation,):
            yield Edit(*source.operator(left, right), replacement)


def _compared(node: ast.Compare) -> Iterator[tuple[ast.expr, ast.cmpop, ast.expr]]:
    return zip((node.left, *node.comparators[:-1]), node.ops, node.comparators)


def _counts(node: ast.expr) -> bool:
    """Whether an expression is seen to be an integer: a literal, a length or a size."""
    if isinstance(node, ast.UnaryOp):
        return _counts(node.operand)
    if isinstance(node, ast.Call):
        return getattr(node.func, "id", "") == "len"
    size = isinstance(node, ast.Attribute) and node.attr == "size"
    return size or type(getattr(node, "value", None)) is int


def _arithmetic(source: Source, node: ast.BinOp) -> Iterator[Edit]:
    text = (ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp)
    operands = (node.left, node.right)
    if any(isinstance(side, text) or isinstance(getattr(side, "value", None), str) for side in operands):
        return
    if isinstance(node.op, ast.Mult | ast.Div) and getattr(node.right, "value", None) == 1.0:
        return
    yield Edit(*source.operator(node.left, node.right), ARITHMETIC[type(node.op)])
    if isinstance(node.op, ast.BitAnd | ast.BitOr):
        yield from (source.replaced(node, source.code(side)) for side in operands)


def _arithmetic_in_place(source: Source, node: ast.AugAssign) -> Iterator[Edit]:
    yield Edit(*source.operator(node.target, node.value), ARITHMETIC[type(node.op)] + "=")


def _logic(source: Source, node: ast.BoolOp) -> Iterator[Edit]:
    for left, right in zip(node.values, node.values[1:]):
        yield Edit(*source.operator(left, right), "or" if isinstance(node.op, ast.And) else "and")
    if len(node.values) == 2:
        yield from (source.replaced(node, source.code(side)) for side in node.values)


def _signs(source: Source, node: ast.UnaryOp) -> Iterator[Edit]:
    """An expression without its `not`, `-` or `~`; of negative integers also the next one, as -2 means none like -1."""
    if isinstance(node.op, ast.UAdd):
        return
    start = source.span(node)[0]
    yield Edit(start, start + len("not " if isinstance(node.op, ast.Not) else "-"), "")
    if _is_negative_integer(node):
        yield source.replaced(node, str(1 - node.operand.value))


def _is_negative_integer(node: ast.AST) -> bool:
    return isinstance(node, ast.UnaryOp) and type(getattr(node.operand, "value", None)) is int


OPERATORS: tuple[tuple[type[ast.AST], Callable[..., Iterator[Edit]]], ...] = (
    (ast.Compare, _comparisons),
    (ast.BinOp, _arithmetic),
    (ast.AugAssign, _arithmetic_in_place),
    (ast.BoolOp, _logic),
    (ast.UnaryOp, _signs),
)
"""Another operator in the place of one, or only one side of it."""


def _edits(source: Source, node: ast.AST) -> Iterator[Edit]:
    for kind, edits in OPERATORS:
        if isinstance(node, kind):
            yield from edits(source, node)
