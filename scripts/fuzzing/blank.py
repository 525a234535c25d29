"""The file in which every trial starts."""

import bpy


def blank_file() -> None:
    """Open an empty file."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
