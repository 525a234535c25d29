"""Chooses the tests that may notice a mutant, and their order."""

import ast
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import PurePosixPath

from .coverage_map import Choice, CoverageMap
from .mutants import Mutant, places


class Chooser:
    """Chooses tests for the mutants of some source files. `sources`: the text of each source file by its path; `most`:
    processor seconds of tests to choose for one mutant at most, by their recorded times."""

    def __init__(self, sources: Mapping[str, str], most: float) -> None:
        self.sources = sources
        self.most = most

    def tests(self, mutant: Mutant, coverage: CoverageMap) -> list[Choice]:
        """The tests that run the mutated statement: those of the mirrored test file first, then the fastest first.

        A statement that runs on import counts as run by the tests that run a use of the names it binds, or, where no
        test does, any function of its file.
        """
        first, last = mutant.runs_on
        choices = coverage.running(mutant.path, range(first, last + 1))
        if not choices:
            choices = self._running_uses(mutant, coverage)
        if not choices and mutant.names:
            choices = coverage.running(mutant.path, range(1, self.sources[mutant.path].count("\n") + 2))
        return self._cut(mutant, choices)

    def _cut(self, mutant: Mutant, choices: list[Choice]) -> list[Choice]:
        mirrored = f"test_{PurePosixPath(mutant.path).stem}.py"
        choices = sorted(choices, key=lambda choice: (not choice.file.endswith(f"/{mirrored}"), choice.total))
        chosen: list[Choice] = []
        fixtures: set[str] = set()
        seconds = 0.0
        for choice in choices:
            seconds += choice.seconds + sum(s for name, s in choice.fixtures.items() if name not in fixtures)
            if chosen and seconds > self.most:
                break
            fixtures |= choice.fixtures.keys()
            chosen.append(choice)
        return chosen

    def _running_uses(self, mutant: Mutant, coverage: CoverageMap) -> list[Choice]:
        lines: dict[str, set[int]] = {}
        for path, line in self._uses(mutant.path, mutant.names, set()):
            lines.setdefault(path, set()).add(line)
        choices = {choice.name: choice for path in lines for choice in coverage.running(path, lines[path])}
        return list(choices.values())

    def _uses(self, path: str, names: tuple[str, ...], seen: set[tuple[str, str]]) -> Iterator[tuple[str, int]]:
        """Files and lines that mention these names of a module, or others made of them on import."""
        new = {name for name in names if (path, name) not in seen}
        seen |= {(path, name) for name in new}
        if not new:
            return
        for file in (path, *self._importers.get(path, ())):
            for name, line, bound in self._mentions[file]:
                if name in new:
                    yield file, line
                    yield from self._uses(file, bound, seen)

    @cached_property
    def _mentions(self) -> dict[str, list[tuple[str, int, tuple[str, ...]]]]:
        """For each file the names that it mentions, with their lines and the names bound there on import."""
        mentions: dict[str, list[tuple[str, int, tuple[str, ...]]]] = {}
        for path, text in self.sources.items():
            mentions[path] = [
                (node.id if isinstance(node, ast.Name) else node.attr, node.lineno, place.names)
                for node, place in places(ast.parse(text))
                if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
            ]
        return mentions

    @cached_property
    def _importers(self) -> dict[str, list[str]]:
        """The files that import something from each file."""
        importers: dict[str, list[str]] = {}
        for path, text in self.sources.items():
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.ImportFrom) and node.level:
                    folder = PurePosixPath(path).parents[node.level - 1]
                    module = folder.joinpath(*(node.module or "").split("."))
                    for target in (module, *(module / alias.name for alias in node.names)):
                        importers.setdefault(f"{target}.py", []).append(path)
        return importers
