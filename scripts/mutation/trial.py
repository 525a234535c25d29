"""Runs tests against mutants in copies of the checkout."""

import contextlib
import itertools
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from .coverage_map import ALONE, PLUGINS, Choice
from .mutants import Mutant

LEFT_OUT = (".git", ".hypothesis", "__pycache__", ".*_cache", "build", "dist")
PATIENCE = 5.0
"""How many times as long as recorded a test may take."""
LEAST_PATIENCE = 5.0
"""Processor seconds that every test may take; and how many times those the whole run may take on a busy machine."""
START = 60.0
"""Seconds for the start of Python, Blender and pytest on a busy machine."""


class Verdict(Enum):
    """How a mutant ends."""

    KILLED = "killed"
    TIMED_OUT = "timed out"
    SURVIVED = "survived"
    NEVER_RUN = "never run"


@dataclass(frozen=True)
class Outcome:
    """The verdict of the tests on a mutant.

    Attributes:
        environment: the name of the environment whose tests ran; empty where no test runs the mutant.
        tests: the identifiers of the chosen tests, in order.
        killer: the test that failed, or empty where the tests could not even be collected.
    """

    mutant: Mutant
    verdict: Verdict
    environment: str
    tests: Sequence[str]
    killer: str
    seconds: float


class Checkout:
    """A copy of the checkout in a temporary folder, in which mutants replace files.

    Args:
        folder: where to make it; named like a Python package, as pytest imports the root of the checkout.
    """

    def __init__(self, root: Path, folder: Path) -> None:
        self.root = folder
        shutil.copytree(root, folder, ignore=shutil.ignore_patterns(*LEFT_OUT))
        # Python recognises compiled files by the second of the source's last change: no two versions may share one.
        self._moments = itertools.count(int(time.time()) + 1)

    @contextlib.contextmanager
    def mutated(self, mutant: Mutant) -> Iterator[None]:
        """The checkout with a mutant in it, until the context ends."""
        file = self.root / mutant.path
        original = file.read_bytes()
        self._write(file, mutant.applied(original.decode()).encode())
        try:
            yield
        finally:
            self._write(file, original)

    def _write(self, file: Path, text: bytes) -> None:
        file.write_bytes(text)
        moment = next(self._moments)
        os.utime(file, (moment, moment))

    def run(self, python: Path, choices: Sequence[Choice], stop: bool = True) -> tuple[int, list[str]]:
        """Run tests; how pytest ended, and the identifiers of the tests that failed. `stop`: whether the first failure
        ends the run."""
        files = list(dict.fromkeys(choice.file for choice in choices))
        limits = [(choice.name, LEAST_PATIENCE + PATIENCE * choice.total) for choice in choices]
        with tempfile.TemporaryDirectory(prefix="steering-mutant-") as folder:
            selection, failures = Path(folder, "selection.json"), Path(folder, "failures")
            selection.write_text(json.dumps(limits), encoding="utf-8")
            failures.touch()
            command = [python, "-m", "pytest", "-q", "-p", "selection_plugin", "-p", "no:cacheprovider", "--tb=no"]
            environment = {
                **os.environ,
                **ALONE,
                "PYTHONPATH": str(PLUGINS),
                "STEERING_SELECTION": str(selection),
                "STEERING_FAILURES": str(failures),
                # Blender leaves its temporary folder behind when it is killed.
                "TMPDIR": folder,
            }
            process = subprocess.Popen(
                [*command, *(["--exitfirst"] if stop else []), *files],
                cwd=self.root,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            try:
                status = process.wait(START + LEAST_PATIENCE * sum(choice.total for choice in choices))
            except subprocess.TimeoutExpired:
                status = -signal.SIGPROF
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            return status, failures.read_text(encoding="utf-8").split("\n")[:-1]


def tried(checkout: Checkout, mutant: Mutant, environment: str, python: Path, choices: Sequence[Choice]) -> Outcome:
    """Run the chosen tests against a mutant."""
    names = [choice.name for choice in choices]
    if not choices:
        return Outcome(mutant, Verdict.NEVER_RUN, "", names, "", 0.0)
    start = time.monotonic()
    with checkout.mutated(mutant):
        status, failures = checkout.run(python, choices)
    seconds = time.monotonic() - start
    if status == -signal.SIGPROF:
        return Outcome(mutant, Verdict.TIMED_OUT, environment, names, "", seconds)
    verdict = Verdict.SURVIVED if status == 0 else Verdict.KILLED
    return Outcome(mutant, verdict, environment, names, failures[0] if failures else "", seconds)
