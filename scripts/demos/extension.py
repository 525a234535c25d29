"""Install the built extension the way a user does, and take it away again."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import addon_utils
import bpy

NAME = "bl_ext.user_default.steering_behaviors"


def install(package: Path) -> None:
    """Install and enable the extension from its zip, as Preferences > Get Extensions > Install from Disk does."""
    bpy.ops.extensions.package_install_files(filepath=str(package), repo="user_default", enable_on_install=True)
    if not hasattr(bpy.types.Object, "steering"):
        raise SystemExit(f"{package.name} was installed, but did not register: see the messages above.")


def disable() -> None:
    """Switch the extension off: what plays from here on plays without it."""
    addon_utils.disable(NAME, default_set=True)


def run(main: Callable[[], None]) -> None:
    """Run a demo as a program, and leave at once: with classes still registered, Blender's module may hang at exit."""
    status = 0
    try:
        main()
    except SystemExit as end:
        if end.code:
            print(end.code, file=sys.stderr)
            status = 1
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
