"""What holds for all tests: which examples hypothesis tries, and that the simulation is tested without Blender."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# No deadline: the first call of a numpy function may take long on a busy machine.
settings.register_profile("steering", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("steering")

TESTS = Path(__file__).parent
WITH_BLENDER = (TESTS / "blender", TESTS / "package")


@pytest.fixture(autouse=True, scope="module")
def _without_blender(request: pytest.FixtureRequest) -> Iterator[None]:
    """Outside the folders for tests in Blender, importing one of its modules fails the test."""
    if any(request.path.is_relative_to(folder) for folder in WITH_BLENDER):
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        for name in ("bpy", "mathutils", "gpu"):
            assert name not in sys.modules, f"{name} was imported: the simulation must run without Blender"
            patch.setitem(sys.modules, name, None)
        yield
