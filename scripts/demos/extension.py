"""The extension as its users have it: installed from the built zip, and gone when the baked file is shown."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import addon_utils
import bpy

NAME = "bl_ext.user_default.steering_behaviors"


def run(demo: Callable[[Path], None]) -> None:
    """Run a demo as a program: install the extension, hand an empty scene and the folder for the results on.

    Leaves at once, for with classes still registered Blender's module may hang at exit.
    """
    status = 1
    try:
        parser = argparse.ArgumentParser()
        parser.add_argument("--extension", type=Path, required=True, help="the zip to install")
        parser.add_argument("--out", type=Path, required=True, help="the folder for what comes out")
        options = parser.parse_args()
        options.out.mkdir(parents=True, exist_ok=True)
        print(f"Installing {options.extension.name} in Blender {bpy.app.version_string}", flush=True)
        _install(options.extension)
        demo(options.out)
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def save_and_open_without(path: Path) -> None:
    """Save the file and open it again with the extension switched off."""
    bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=True)
    addon_utils.disable(NAME, default_set=True)
    bpy.ops.wm.open_mainfile(filepath=str(path))


def _install(package: Path) -> None:
    """What Preferences > Get Extensions > Install from Disk does, in a new and empty file."""
    bpy.ops.extensions.package_install_files(filepath=str(package), repo="user_default", enable_on_install=True)
    if not hasattr(bpy.types.Object, "steering"):
        raise SystemExit(f"{package.name} was installed, but did not register: see the messages above.")
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
