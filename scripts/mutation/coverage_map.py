"""Which tests run a line, recorded once and kept in a cache folder until the code or the tests change.

The record of a test file is one JSON file. It holds as long as the test file, what that imports from this checkout, and
every source file in which its tests ran a function are the same, byte for byte.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path

PLUGINS = Path(__file__).parent
ALONE = {"CI": "1", "STEERING_ALONE": "1"}
"""Variables for the tests: the same examples each time, and what the usual run leaves to other Blenders too."""
NEVER_RAN = (2, 3, 4, 5)
"""How pytest ends where it could not run the tests; 0 and 1 say whether all of them passed."""


@dataclass
class Record:
    """The tests of one file and the lines that they run.

    Attributes:
        sources: hashes of the source files that the tests ran, by path.
        tests: the identifiers of the tests that passed.
        failed: those that did not; they say nothing about mutants.
        seconds: (t,) the processor seconds of each test without its shared fixtures.
        shared: (t,) the fixtures with a wider scope that each test uses.
        fixtures: the processor seconds of those fixtures.
        lines: path -> line -> the tests that run it, as a hexadecimal number with one bit a test.
    """

    sources: dict[str, str] = field(default_factory=dict)
    tests: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    shared: list[list[str]] = field(default_factory=list)
    fixtures: dict[str, float] = field(default_factory=dict)
    lines: dict[str, dict[str, str]] = field(default_factory=dict)

    def choice(self, row: int) -> Choice:
        """One of the tests, by its row."""
        fixtures = {name: self.fixtures.get(name, 0.0) for name in self.shared[row]}
        return Choice(self.tests[row], self.seconds[row], fixtures)

    def running(self, path: str, lines: Iterable[int]) -> list[int]:
        """The rows of the tests that run any of these lines."""
        recorded = self.lines.get(path, {})
        bits = 0
        for line in lines:
            bits |= int(recorded.get(str(line), "0"), 16)
        return [row for row in range(bits.bit_length()) if bits >> row & 1]


@dataclass(frozen=True)
class Choice:
    """A test chosen for a mutant. `seconds`: its processor seconds without its shared fixtures; `fixtures`: the shared
    fixtures that it uses, with their processor seconds."""

    name: str
    seconds: float
    fixtures: Mapping[str, float]

    @property
    def file(self) -> str:
        return self.name.partition("::")[0]

    @property
    def total(self) -> float:
        return self.seconds + sum(self.fixtures.values())


class CoverageMap:
    """The recorded test files of one environment."""

    def __init__(self, files: Mapping[str, Record]) -> None:
        self.files = files

    @property
    def failed(self) -> list[str]:
        return [name for file in self.files.values() for name in file.failed]

    def running(self, path: str, lines: Iterable[int]) -> list[Choice]:
        """The tests that run any of these lines of a source file."""
        lines = list(lines)
        return [file.choice(row) for file in self.files.values() for row in file.running(path, lines)]

    def chosen(self, names: Iterable[str]) -> list[Choice]:
        """The tests of these identifiers."""
        names = set(names)
        return [
            file.choice(row) for file in self.files.values() for row, name in enumerate(file.tests) if name in names
        ]


@dataclass(frozen=True)
class Recorder:
    """Makes the map of one environment.

    Attributes:
        python: the interpreter that runs the tests.
        root: the checkout.
        folders: where the tests are, relative to the root.
        ignored: folders among them to leave out.
        cache: the folder that keeps the records.
        processes: over how many processes pytest-xdist spreads the tests; 1 does without it.
    """

    python: Path
    root: Path
    folders: Sequence[str]
    ignored: Sequence[str]
    cache: Path
    processes: int = 1

    def map(self) -> CoverageMap:
        """The records of all test files, those that are missing or out of date recorded first."""
        files = self._test_files()
        kept = {path: self._kept(path) for path in files}
        missing = [path for path, record in kept.items() if record is None]
        if missing:
            print(f"Recording which lines the tests of {len(missing)} files run ...", file=sys.stderr, flush=True)
            start = time.monotonic()
            kept |= self._record(missing)
            print(f"Recorded in {time.monotonic() - start:.0f} s.", file=sys.stderr, flush=True)
        return CoverageMap({path: record for path, record in kept.items() if record is not None})

    def _test_files(self) -> list[str]:
        paths = {path.relative_to(self.root) for folder in self.folders for path in (self.root / folder).rglob("*.py")}
        return sorted(
            path.as_posix()
            for path in paths
            if path.name.startswith("test_") and not any(path.is_relative_to(folder) for folder in self.ignored)
        )

    def _kept(self, path: str) -> Record | None:
        kept = self._place(path)
        if not kept.exists():
            return None
        record = Record(**json.loads(kept.read_text(encoding="utf-8")))
        return record if all(self._hash(source) == value for source, value in record.sources.items()) else None

    def _place(self, path: str) -> Path:
        """Where the record of a test file is kept."""
        parts = [str(self.python), path, *(f"{name} {self._hash(name)}" for name in sorted(self._imports(path)))]
        key = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
        return self.cache / f"{Path(path).stem}-{key}.json"

    def _imports(self, path: str) -> set[str]:
        """The test file, the conftest.py files above it, and the modules of tests and scripts that it imports."""
        reached: set[str] = set()
        waiting = [path, *(f"{folder.as_posix()}/conftest.py" for folder in Path(path).parents if folder.parts)]
        while waiting:
            file = waiting.pop()
            if file not in reached and (self.root / file).is_file():
                reached.add(file)
                waiting += _imported(self.root / file)
        return reached

    def _hash(self, path: str) -> str:
        return _hash_of(self.root / path) if (self.root / path).is_file() else ""

    def _record(self, paths: Sequence[str]) -> dict[str, Record]:
        command = [str(self.python), "-m", "pytest", "-q", "-p", "recording_plugin", "-p", "no:cacheprovider"]
        if self.processes > 1:
            command.append(f"--numprocesses={self.processes}")
        with tempfile.TemporaryDirectory(prefix="steering-recording-") as folder:
            environment = {**os.environ, **ALONE, "PYTHONPATH": str(PLUGINS), "STEERING_RECORDING": folder}
            done = subprocess.run(
                [*command, *paths], cwd=self.root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
            )
            if done.returncode in NEVER_RAN or done.returncode < 0:
                raise SystemExit(done.stdout.decode(errors="replace"))
            written = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(Path(folder).iterdir())]
        # Not when the first test imports the module.
        records = _by_file(paths, written, lambda path, line: line in _lines_of_functions(self.root / path))
        self.cache.mkdir(parents=True, exist_ok=True)
        for path, record in records.items():
            record.sources = {source: self._hash(source) for source in record.lines}
            self._place(path).write_text(json.dumps(asdict(record)), encoding="utf-8")
        return records


def _by_file(paths: Sequence[str], written: Sequence[dict], counts: Callable[[str, int], bool]) -> dict[str, Record]:
    """The records of test files from what the processes wrote, of those lines that count."""
    records = {path: Record() for path in paths}
    users: dict[str, list[str]] = {}
    rows: dict[str, tuple[Record, int]] = {}
    for process in written:
        for name, test in process["tests"].items():
            record = records[name.partition("::")[0]]
            if not test["passed"]:
                record.failed.append(name)
                continue
            rows[name] = record, len(record.tests)
            record.tests.append(name)
            record.seconds.append(test["seconds"])
            record.shared.append(test["fixtures"])
            for fixture in test["fixtures"]:
                users.setdefault(fixture, []).append(name)
                if fixture in process["fixtures"]:
                    record.fixtures[fixture] = process["fixtures"][fixture]
    bits: dict[tuple[int, str, str], int] = {}
    for process in written:
        for path, lines in process["lines"].items():
            for line, contexts in lines.items():
                if not counts(path, int(line)):
                    continue
                for name in {name for context in contexts for name in users.get(context, [context])}:
                    if name in rows:
                        record, row = rows[name]
                        key = id(record), path, line
                        bits[key] = bits.get(key, 0) | 1 << row
    by_id = {id(record): record for record in records.values()}
    for (record, path, line), value in bits.items():
        by_id[record].lines.setdefault(path, {})[line] = f"{value:x}"
    return records


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _hash_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


@cache
def _lines_of_functions(path: Path) -> frozenset[int]:
    functions = [node for node in ast.walk(_tree(path)) if isinstance(node, ast.FunctionDef)]
    return frozenset(line for node in functions for line in range(node.body[0].lineno, node.end_lineno + 1))


@cache
def _imported(path: Path) -> list[str]:
    """The files of tests and scripts that a file imports by an absolute name."""
    names = []
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return [f"{name.replace('.', '/')}.py" for name in names if name.startswith(("tests.", "scripts."))]
