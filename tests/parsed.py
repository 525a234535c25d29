"""The code of the package, parsed, for rules that are checked on its text."""

import ast
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "steering_addon"


class Module:
    """A file of the package, parsed.

    Attributes:
        path: from the root of the checkout on.
        layer: the folder or module below the package, or "" for the package itself.
        name: dotted, that of a package without its `__init__`.
    """

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.nodes = tuple(ast.walk(ast.parse(text)))
        self.layer = path.parts[1] if len(path.parts) > 2 else path.stem.removeprefix("__init__")
        self.name = ".".join(path.with_suffix("").parts).removesuffix(".__init__")

    def at(self, node: ast.AST, complaint: str) -> str:
        return f"{self.path.as_posix()}:{node.lineno} {complaint}"

    def imports(self) -> Iterator[tuple[ast.stmt, str, str]]:
        """Each import as statement, dotted name in full, and the name it goes by; own code starts with the package."""
        for node in self.nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield node, alias.name, alias.asname or alias.name.partition(".")[0]
            elif isinstance(node, ast.ImportFrom):
                # `from . import x` in a/b.py is about a, in a/b/__init__.py about a.b: its folder either way.
                above = self.path.parent.parts[: len(self.path.parent.parts) - node.level + 1] if node.level else ()
                start = ".".join([*above, *([node.module] if node.module else [])])
                for alias in node.names:
                    yield node, f"{start}.{alias.name}" if start else alias.name, alias.asname or alias.name


@cache
def read(path: Path) -> Module:
    return Module(path, (ROOT / path).read_text(encoding="utf-8"))


def modules_of_the_package() -> list[Module]:
    return [read(path.relative_to(ROOT)) for path in sorted((ROOT / PACKAGE).rglob("*.py"))]


def assert_none(rule: Callable[[Module], list[str]]) -> None:
    """No module of the package breaks the rule."""
    assert [offender for module in modules_of_the_package() for offender in rule(module)] == []
