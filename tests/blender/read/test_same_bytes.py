"""Each Blender, with the numpy that it comes with, gives the same bytes as all others."""

import tomllib

import numpy as np
import pytest

from tests.blender.building import ROOT, part
from tests.blender.read import scene_bytes
from tests.blender.sharing import BLENDERS, turn
from tests.sampling import in_every_blender
from tests.simulation.same_bytes import changed, hashes, stored

pytestmark = in_every_blender

GROUPS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]


TRIED = next(pin for pin in GROUPS["tools"] if str(pin).startswith("numpy=="))
"""The numpy of the tests without Blender, which try all cases."""
OTHERS = [name for name in BLENDERS if TRIED not in GROUPS[name]]
"""The Blenders that come with another numpy."""


@in_every_blender(a_part=True)
@pytest.mark.skipif(f"numpy=={np.__version__}" == TRIED, reason="The tests without Blender try this numpy.")
def test_this_blender_gives_the_same_bytes(pytestconfig: pytest.Config) -> None:
    """Blenders with other numpys share an eighth of the cases in the usual run; each tries all in a thorough one."""
    names = sorted(stored())
    if not pytestconfig.getoption("thorough"):
        names = names[OTHERS.index(BLENDERS[turn()]) :: 8 * len(OTHERS)]
    assert [name for name in changed(hashes(names)) if name in names] == []


def test_this_blender_reads_and_writes_the_same_bytes() -> None:
    stored = scene_bytes.stored()
    known = scene_bytes.hashes()
    assert sorted(name for name in known.keys() | stored.keys() if known.get(name) != stored.get(name)) == []


def test_a_nurbs_line_that_blender_does_not_evaluate_is_its_control_points() -> None:
    controls = np.random.default_rng(8).uniform(-3.0, 3.0, (5, 3))
    points = part("blender.read.curves").nurbs_points(controls, np.ones(5), 5, False, False, True, 12)
    assert (points == controls).all()
