"""Cases that are shared out among the Blenders, as what they try is the same in all: each Blender tries its part."""

from collections.abc import Iterable
from typing import TypeVar

import bpy

from scripts import environments

BLENDERS = environments.blenders()
Case = TypeVar("Case")


def shared_out(cases: Iterable[Case]) -> list[Case]:
    """The cases of this Blender, every third one."""
    first = BLENDERS.index(f"{bpy.app.version[0]}.{bpy.app.version[1]}")
    return list(cases)[first :: len(BLENDERS)]
