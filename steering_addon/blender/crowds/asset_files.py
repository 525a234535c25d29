"""Appending from the files in `assets/`, so that nothing in the user's file tells where the extension was."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import bpy
from bpy.types import ID


@contextmanager
def asset_file(path: Path) -> Iterator[tuple]:
    """An asset file opened for appending: what it holds, and what is wanted of it."""
    before = set(bpy.data.libraries)
    with bpy.data.libraries.load(str(path), link=False) as sides:
        yield sides
    # Blender keeps an entry of a file that nothing is linked from.
    bpy.data.batch_remove(set(bpy.data.libraries) - before)


def own(block: ID) -> ID:
    """A copy of an appended datablock in its place: the original may hold the path of the asset file."""
    copy, name = block.copy(), block.name
    block.user_remap(copy)
    bpy.data.batch_remove([block])
    copy.name = name
    return copy
