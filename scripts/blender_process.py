"""Programs that run in Blender as a Python module."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from typing import NoReturn


def leave(main: Callable[[], int]) -> NoReturn:
    """Run a program and exit with its status, or print the exception and exit with 1.

    Exits without Python's cleanup, because Blender's module may hang there while classes are registered.
    """
    status = 1
    try:
        status = main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
