"""What is shared out among the Blenders, as what it tries is the same in all: each Blender tries its part.

What asks Blender itself is tried in every Blender; shared are motion over many frames, and many cases of one kind.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import TypeVar

import bpy
import pytest

from scripts import environments

BLENDERS = environments.blenders()
Case = TypeVar("Case")

in_one_blender = pytest.mark.in_one_blender
"""For a test, or for each case of it, that one of the Blenders runs, chosen by its name."""


def turn() -> int:
    """Which one of the Blenders this is."""
    return BLENDERS.index(f"{bpy.app.version[0]}.{bpy.app.version[1]}")


def shared_out(cases: Iterable[Case]) -> list[Case]:
    """The cases of this Blender, every third one."""
    return list(cases)[turn() :: len(BLENDERS)]


def is_run_here(item: pytest.Item) -> bool:
    """Whether this Blender runs a test."""
    shared = item.get_closest_marker("in_one_blender") is not None
    return not shared or zlib.crc32(item.nodeid.encode()) % len(BLENDERS) == turn()
