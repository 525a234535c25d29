"""Runs these tests in Blender, with this checkout installed as the only extension of a temporary user.

The code under test is imported under the extension's name (`part` in building.py). Imported as plain `steering_addon`,
it would be loaded twice, with two copies of every class.
"""

import importlib
import os
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.sampling import in_every_blender, in_this_blender

ROOT = Path(__file__).resolve().parents[2]
MANIFEST = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
MODULE = f"bl_ext.user_default.{MANIFEST['id']}"

ALONE = "STEERING_ALONE"
"""The environment variable that says that no other Blender runs its share of the tests: scripts/mutate sets it."""

# Blender reads this when bpy is first imported, which the test modules do.
USER = Path(tempfile.mkdtemp(prefix="steering_user_"))
os.environ["BLENDER_USER_RESOURCES"] = str(USER)
EXTENSIONS = USER / "extensions" / "user_default"
EXTENSIONS.mkdir(parents=True)
(EXTENSIONS / MANIFEST["id"]).symlink_to(ROOT, target_is_directory=True)


@pytest.fixture(scope="session")
def addon() -> Iterator[ModuleType]:
    """The extension, enabled."""
    # addon_utils can only be imported after bpy.
    import bpy  # noqa: F401, I001
    import addon_utils

    module = addon_utils.enable(MODULE, default_set=True)
    assert module is not None, "The extension did not register. The reason is printed above."
    yield module
    addon_utils.disable(MODULE, default_set=True)


@pytest.fixture(scope="session")
def empty(addon: ModuleType) -> str:
    """The path of the empty file of the factory, as this Blender writes it: as it comes, it takes longer to read."""
    import bpy

    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    path = str(USER / "empty.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    return path


@pytest.fixture(autouse=True)
def _empty_file(empty: str, preview: ModuleType) -> Iterator[None]:
    """Every test starts in an empty file, with the extension enabled, and leaves no preview on and no presets."""
    import bpy

    bpy.ops.wm.read_homefile(filepath=empty)
    yield
    preview.end()
    shutil.rmtree(bpy.utils.user_resource("SCRIPTS", path="presets/steering"), ignore_errors=True)


@pytest.fixture(scope="session")
def preview(addon: ModuleType) -> ModuleType:
    return importlib.import_module(f"{addon.__name__}.steering_addon.blender.preview")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Whether this Blender has no test of a file: to import it takes as long as a test of it."""
    if config.getoption("thorough") or ALONE in os.environ or not collection_path.match("test_*.py"):
        return None
    from tests.blender.sharing import BLENDERS, turn

    if turn() == max(len(BLENDERS) - 2, 0):
        return None
    return True if in_every_blender.name not in collection_path.read_text(encoding="utf-8") else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the tests that other Blenders run to them, after those that only a thorough run has."""
    if config.getoption("thorough") or ALONE in os.environ:
        return
    # It asks bpy for the version, which may only be imported once the variable above is set.
    from tests.blender.sharing import BLENDERS, turn

    chosen = in_this_blender(items, turn(), len(BLENDERS))
    others = set(items) - set(chosen)
    if others:
        config.hook.pytest_deselected(items=list(others))
        items[:] = chosen


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Exit without Blender's cleanup, in which 4.2 crashes and 4.5 hangs if Python classes are still registered."""
    shutil.rmtree(USER, ignore_errors=True)
    if "bpy" in sys.modules:
        shutil.rmtree(sys.modules["bpy"].app.tempdir, ignore_errors=True)
    session = config.pluginmanager.get_plugin("session")
    if session is None or session.exitstatus == pytest.ExitCode.USAGE_ERROR:
        return  # No test has run, and pytest still has to print the reason.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(int(session.exitstatus))
