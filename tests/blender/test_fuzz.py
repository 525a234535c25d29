"""A seed of scripts/fuzz in the oldest and one in the newest Blender."""

import sys

from scripts.fuzzing.batch import tried
from tests.blender.sharing import BLENDERS, turn
from tests.sampling import in_every_blender

pytestmark = in_every_blender


def test_no_law_breaks_in_odd_scenes() -> None:
    [result] = tried(BLENDERS[turn()], sys.executable, [turn()])
    assert result.seed == turn() and not result.broken, result.text()
    assert result.counts["finished"] > 1, "Too few operators do anything, so little is tried."
