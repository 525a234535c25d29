"""Making a failing seed smaller: steps and objects are left out as long as the same law breaks."""

import re
from pathlib import Path

from .batch import Result, tried

MOST_OBJECTS = 8


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
    """What may be left out: the steps, the last first, as those after a broken law are never needed; then objects."""
    steps = [match.group(1) for step in result.steps if (match := re.match(r"(step \d+):", step))]
    return [*reversed(steps), *(f"object {number}" for number in range(MOST_OBJECTS))]
