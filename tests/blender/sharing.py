"""Which of the Blenders this is, for what they share out among themselves (tests/sampling.py)."""

from collections.abc import Iterable
from typing import TypeVar

import bpy

from scripts import environments

BLENDERS = environments.blenders()
Case = TypeVar("Case")


def turn() -> int:
    """Which one of the Blenders this is."""
    return BLENDERS.index(f"{bpy.app.version[0]}.{bpy.app.version[1]}")


def shared_out(cases: Iterable[Case]) -> list[Case]:
    """The cases of this Blender, every third one."""
    return list(cases)[turn() :: len(BLENDERS)]
