"""What is shared out among the Blenders: each tries its part.

Every test runs in every Blender, but for motion over many frames, which is the same in all. Of a test with many cases
each Blender runs a third.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import bpy
import pytest

from scripts import environments

BLENDERS = environments.blenders()
Case = TypeVar("Case")

MANY = 3
"""Cases of a test from which on they are shared out."""
in_one_blender = pytest.mark.in_one_blender
"""For a test, or for each case of it, that one of the Blenders runs, chosen by its name."""


def turn() -> int:
    """Which one of the Blenders this is."""
    return BLENDERS.index(f"{bpy.app.version[0]}.{bpy.app.version[1]}")


def shared_out(cases: Iterable[Case]) -> list[Case]:
    """The cases of this Blender, every third one."""
    return list(cases)[turn() :: len(BLENDERS)]


def run_here(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """The tests that this Blender runs."""
    cases = Counter(_function(item) for item in items)
    return [item for item in items if not _is_shared(item, cases) or _number(item) % len(BLENDERS) == turn()]


def _is_shared(item: pytest.Item, cases: Mapping[str, int]) -> bool:
    return cases[_function(item)] >= MANY or item.get_closest_marker("in_one_blender") is not None


def _function(item: pytest.Item) -> str:
    """The test without its case."""
    return item.nodeid.partition("[")[0]


def _number(item: pytest.Item) -> int:
    """A number that depends on the case only, as some Blenders have cases that others lack."""
    return zlib.crc32(item.nodeid.encode())
