"""One seed: its scene, its steps, and the laws they have broken."""

from __future__ import annotations

import os
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

import bpy

from . import laws
from .extension import blank_file
from .odd_scene import OddScene

TRACEBACK = re.compile(r"Traceback \(most recent call last\).*?\n(?=\S)[^\n]*", re.DOTALL)
MOST_STEPS = 5
TELLING = 700
"""Characters of a traceback's end that say what went wrong."""


class Output:
    """Collects what goes to the standard output and error of this process, also from Blender's own code. `terminal`:
    the file descriptor of the standard output before."""

    def __init__(self, path: Path) -> None:
        sys.stdout.flush()
        self.terminal = os.dup(1)
        self._file = path.open("w+b", buffering=0)
        for number in (1, 2):
            os.dup2(self._file.fileno(), number)

    def tracebacks(self) -> list[str]:
        """The tracebacks printed since the last call."""
        sys.stdout.flush()
        sys.stderr.flush()
        self._file.seek(0)
        text = self._file.read().decode("utf-8", "replace")
        # The descriptors share their position: whatever is printed next starts the file again.
        self._file.truncate(0)
        self._file.seek(0)
        return [match.group() for match in TRACEBACK.finditer(text)]


class Trial:
    """Runs a seed and collects what breaks a law.

    Attributes:
        broken: the broken laws, each with what was seen.
        counts: how often operators finished, were refused and were greyed out.

    Args:
        steps: all steps by name, each with how often it is drawn.
        tell: called with each step before it is done.
        left_out: names of steps ("step 2") and numbers of objects that are not done or made.
    """

    def __init__(
        self,
        seed: int,
        steps: Mapping[str, tuple[Callable[[Trial, random.Random], None], float]],
        output: Output,
        library: Path,
        scratch: Path,
        tell: Callable[[str], None],
        left_out: Collection[str] = (),
    ) -> None:
        self.seed, self.scratch, self.left_out = seed, scratch, left_out
        self._steps, self._output = steps, output
        self._looks_at_refusals = True
        self.broken: list[tuple[str, str]] = []
        self.counts: Counter[str] = Counter()
        self.did = tell
        objects = [int(part.removeprefix("object ")) for part in left_out if part.startswith("object ")]
        self.scene = OddScene(seed, library, self.attempt, objects)

    def run(self) -> None:
        """Build the scene, do the steps, and check the laws on the way."""
        blank_file()
        self.did("build")
        # Dumps are most of the time: refusals are looked at in the steps.
        self._looks_at_refusals = False
        self.scene.build()
        # Blender shows what new curves say only once it looks for animation again. It crashes where an armature has no
        # pose yet, as docs/blender_traps.md shows.
        for ob in bpy.data.objects:
            has_pose = ob.type != "ARMATURE" or ob.pose is not None
            if has_pose and ob.animation_data and ob.animation_data.action and not ob.library:
                ob.animation_data.action = ob.animation_data.action
        self._looks_at_refusals = True
        self.check_output()
        for number, name in enumerate(self._chosen(self.scene.chance("steps"))):
            if f"step {number}" not in self.left_out:
                self.did(f"step {number}: {name}")
                self._steps[name][0](self, self.scene.chance(f"step {number}"))
                self.check_output()
        blank_file()
        self.check_output()

    def _chosen(self, chance: random.Random) -> list[str]:
        """The names of the steps; the first is mostly the one with the most laws."""
        weights = [weight for _, weight in self._steps.values()]
        first = list(self._steps)[:1] if chance.random() < 0.7 else []
        return first + chance.choices(list(self._steps), weights, k=chance.randint(1, MOST_STEPS))

    def breaks(self, law: str, seen: str) -> None:
        """Note a broken law, if anything was seen."""
        if seen:
            self.broken.append((law, seen))

    def check_output(self) -> None:
        for traceback in self._output.tracebacks():
            self.breaks(f"no traceback ({_where(traceback)})", traceback[-TELLING:])

    def attempt(self, operator: str, **settings: object) -> bool:
        """Call an operator; whether it finished. One that does not may change nothing."""
        call = getattr(bpy.ops.steering, operator)
        self.did(f"{operator} {settings or ''}".rstrip())
        if not call.poll():
            self.counts["greyed out"] += 1
            return False
        before = laws.dump() if self._looks_at_refusals else {}
        told = ""
        try:
            if call(**settings) == {"FINISHED"}:
                self.counts["finished"] += 1
                return True
        except RuntimeError as refusal:
            told = str(refusal).strip()
        if "Traceback" in told:
            # Blender prints it, too.
            self._output.tracebacks()
            self.breaks(f"no traceback ({_where(told)})", told[-TELLING:])
            return False
        self.counts["refused"] += 1
        if self._looks_at_refusals:
            seen = laws.differences(before, laws.dump())
            self.breaks(f"a refused {operator} changes nothing", seen and f"{told} {seen}")
        return False

    def range(self) -> tuple[int, int]:
        scene = bpy.context.scene
        return scene.frame_start, scene.frame_end


def _where(traceback: str) -> str:
    """The innermost file and line of the extension in a traceback, and the type of the error."""
    places = re.findall(r'steering_addon/([\w/]+\.py)", line (\d+)', traceback)
    lines = [
        line for line in traceback.splitlines() if re.match(r"\w[\w.]*(Error|Exception|Refusal|Iteration)\b", line)
    ]
    kind = lines[-1].split(":")[0] if lines else "error"
    return f"{kind} in {':'.join(places[-1])}" if places else f"{kind} outside the extension"
