"""What Blender and Python print while a trial runs: tracebacks in it break a law."""

import os
import re
import sys
from pathlib import Path

TRACEBACK = re.compile(r"Traceback \(most recent call last\).*?\n(?=\S)[^\n]*", re.DOTALL)


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
