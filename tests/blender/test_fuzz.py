"""Six seeds of scripts/fuzz, shared out among the Blenders."""

import sys

import bpy

from scripts import environments
from scripts.fuzzing.batch import tried
from tests.sampling import in_every_blender

pytestmark = in_every_blender(a_part=True)

SEEDS = 3


def test_no_law_breaks_in_odd_scenes() -> None:
    blenders = environments.blenders()
    blender = f"{bpy.app.version[0]}.{bpy.app.version[1]}"
    seeds = range(blenders.index(blender), SEEDS, len(blenders))
    results = list(tried(blender, sys.executable, seeds))
    assert [result.seed for result in results] == list(seeds)
    failed = [result.text() for result in results if result.broken]
    assert not failed, "\n".join(["", *failed])
    calls = sum((result.counts for result in results), start=type(results[0].counts)())
    assert calls["finished"] > len(seeds), "Too few operators do anything, so little is tried."
