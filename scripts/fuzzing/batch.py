"""Trying seeds in child processes, so that a crash or a hang costs a single seed and is told."""

import json
import os
import queue
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .home import Home

SEEDS_OF_A_CHILD = 100
"""Seeds that a Blender tries before a new one takes over, as it grows with every file it opens."""
HANG = 60.0
"""Seconds of the processor after which a step is taken for one that never ends."""
SILENCE = 600.0
"""Seconds after which a step, or the start of a Blender, is taken for one that waits forever, on a busy machine too."""
PATIENCE = 5.0
"""Seconds for a program that prints nothing further to end."""
STACK = 2500
"""Characters of a crash's stack that are told."""
MOST_OBJECTS = 8


@dataclass
class Result:
    """What became of a seed.

    Attributes:
        steps: what was done, in order.
        broken: the broken laws, each with what was seen.
        counts: how often operators finished, were refused and were greyed out.
    """

    blender: str
    seed: int
    steps: list[str] = field(default_factory=list)
    broken: list[tuple[str, str]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def text(self) -> str:
        """The seed, the broken laws and the steps, to be read by a person."""
        laws = [f"    broken: {law}\n        {seen}".rstrip() for law, seen in self.broken]
        return "\n".join([f"Seed {self.seed} in Blender {self.blender}:", *laws, *(f"    {s}" for s in self.steps)])


def tried(
    blender: str, python: Path, seeds: Sequence[int], *, left_out: Collection[str] = (), until: float = float("inf")
) -> Iterator[Result]:
    """Try seeds one after another in children of one Blender; their results as they come. `left_out`: steps and objects
    that are left out of every seed; `until`: the moment of `time.monotonic` at which no further child is started."""
    waiting = list(seeds)
    with tempfile.TemporaryDirectory(prefix="steering-fuzz-", ignore_cleanup_errors=True) as folder:
        home = Home(Path(folder))
        while waiting and time.monotonic() < until:
            done = 0
            for result in _child(blender, python, home, waiting[:SEEDS_OF_A_CHILD], left_out):
                done += 1
                yield result
            del waiting[: max(done, 1)]


def _child(blender: str, python: Path, home: Home, seeds: Sequence[int], left_out: Collection[str]) -> Iterator[Result]:
    """The results of one child; the last tells of its crash or hang if it did not try all seeds."""
    texts = [",".join((str(seed), *left_out)) for seed in seeds]
    process = home.start(python, "in_blender", str(HANG), str(home.scratch), *texts)
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(process, lines), daemon=True).start()
    result, printed = Result(blender, seeds[0]), []
    try:
        while line := _next(lines):
            try:
                told = json.loads(line)
            except ValueError:
                told = None
            if not isinstance(told, dict):
                printed.append(line.decode("utf-8", "replace"))
            elif "seed" in told:
                result = Result(blender, told["seed"])
            elif "step" in told:
                result.steps.append(told["step"])
            else:
                result.broken, result.counts = [tuple(each) for each in told["broken"]], Counter(told["counts"])
                result.seconds = told["end"]
                yield result
                if result.seed == seeds[-1]:
                    return
    finally:
        _end(process)
    stack = home.scratch / "stack.txt"
    seen = stack.read_text(errors="replace")[-STACK:] if stack.exists() else ""
    result.broken.append((_ending(process.returncode, seen), seen or "".join(printed)[-STACK:]))
    yield result


def _read(process: subprocess.Popen, lines: queue.SimpleQueue[bytes]) -> None:
    for line in process.stdout or ():
        lines.put(line)
    lines.put(b"")


def _next(lines: queue.SimpleQueue[bytes]) -> bytes:
    """The next line of a child; empty if it has ended or is silent for too long."""
    try:
        return lines.get(timeout=SILENCE)
    except queue.Empty:
        return b""


def _end(process: subprocess.Popen) -> None:
    """Wait for the end of a child that prints nothing further, and end one that does not end."""
    try:
        process.wait(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _ending(status: int, stack: str) -> str:
    if status in (-signal.SIGPROF, -signal.SIGKILL):
        return "no hang"
    return f"no crash ({signal.Signals(-status).name})" if status < 0 else f"no early end (exit code {status})"


def reduced(result: Result, python: Path) -> Result:
    """The same seed without the steps and objects that are not needed to break its first broken law."""
    law, smallest = result.broken[0][0], result
    left_out: list[str] = []
    for part in _parts(result):
        for attempt in tried(result.blender, python, [result.seed], left_out=[*left_out, part]):
            if law in dict(attempt.broken):
                left_out.append(part)
                smallest = attempt
    smallest.steps = [f"left out: {', '.join(left_out)}", *smallest.steps]
    return smallest


def _parts(result: Result) -> list[str]:
    """The parts of a seed that may be left out: the steps, the last first, as those after a broken law are not needed;
    then objects."""
    steps = [match.group(1) for step in result.steps if (match := re.match(r"(step \d+):", step))]
    return [*reversed(steps), *(f"object {number}" for number in range(MOST_OBJECTS))]
