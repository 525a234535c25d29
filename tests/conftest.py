"""What holds for all tests: their chance, which examples hypothesis tries, and no Blender for the simulation."""

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.sampling import in_this_run

# No deadline: the first call of a numpy function may take long on a busy machine.
settings.register_profile("steering", deadline=None, derandomize=bool(os.environ.get("CI")), max_examples=8)
# scripts/test numpy -- --hypothesis-profile=thorough
settings.register_profile("thorough", deadline=None, max_examples=500)
settings.load_profile("steering")

COLLECTIONS = (100_000, 20, 20)
"""Thresholds of the garbage collector. With its defaults it takes a tenth of the time, as all tests stay in memory."""
# Nor is there anything to be freed while the tests are collected.
gc.disable()
TESTS = Path(__file__).parent
WITH_BLENDER = (TESTS / "blender", TESTS / "package")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--thorough", action="store_true", help="run all cases of the tests that are sampled otherwise")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("thorough"):
        return
    chosen = in_this_run(items)
    others = set(items) - set(chosen)
    if others:
        config.hook.pytest_deselected(items=list(others))
        items[:] = chosen


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.set_threshold(*COLLECTIONS)
    gc.enable()


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
