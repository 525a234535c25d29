"""The zip for users: its contents, and that Blender installs, disables and enables it.

Every Blender runs in its own process with an empty user folder: this file runs itself with the name of a step below.
"""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest

pytestmark = pytest.mark.in_every_blender

ROOT = Path(__file__).resolve().parents[2]
MANIFEST = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
MODULE = f"bl_ext.user_default.{MANIFEST['id']}"
ALLOWED = re.compile(
    r"""blender_manifest\.toml | __init__\.py | README\.md | CHANGELOG\.md | LICENSE
    | presets/.+
    | assets/(crowd_player|ready_models)\.blend
    | manual/([\w-]+/)*[\w-]+\.(html|svg|jpg|png|css|js|txt|ico|map)(\.map|\.LICENSE\.txt)?
    | manual/_static/\w+\.LICENSE\.txt
    | steering_addon/(\w+/)*\w+\.py""",
    re.VERBOSE,
)
NEEDED = {
    *("blender_manifest.toml", "__init__.py", "README.md", "CHANGELOG.md", "LICENSE", "presets/starling.json"),
    *("assets/crowd_player.blend", "assets/ready_models.blend", "manual/README.html"),
    *("manual/docs/behaviors/seek.html", "manual/_images/seek.svg", "steering_addon/__init__.py"),
    *("steering_addon/blender/__init__.py", "steering_addon/behaviors/__init__.py"),
    "steering_addon/simulation/__init__.py",
}


@pytest.fixture(scope="session")
def extension_zip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The zip, built with the Blender that these tests run in."""
    from tests.built_site import built_site

    output, site = tmp_path_factory.mktemp("dist"), built_site(tmp_path_factory.mktemp("site"))
    build = [sys.executable, ROOT / "scripts" / "build", "--python", sys.executable, "--site", site]
    done = subprocess.run(
        [*build, "--output", output],
        capture_output=True,
        text=True,
        # On a fresh machine it makes the environment of the manual's site first.
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert [path.name for path in output.iterdir()] == [f"{MANIFEST['id']}-{MANIFEST['version']}.zip"]
    return Path(done.stdout.strip())


def test_the_zip_holds_the_extension_and_nothing_else(extension_zip: Path) -> None:
    with zipfile.ZipFile(extension_zip) as archive:
        names = archive.namelist()
    assert len(names) == len(set(names))
    assert [name for name in names if not ALLOWED.fullmatch(name)] == []
    assert set(names) >= NEEDED


def test_the_zip_can_be_installed_disabled_and_enabled(extension_zip: Path, tmp_path: Path) -> None:
    in_blender("install_and_switch", tmp_path, extension_zip)
    installed = tmp_path / "extensions" / "user_default" / MANIFEST["id"]
    with zipfile.ZipFile(extension_zip) as archive:
        assert all((installed / name).is_file() for name in archive.namelist())

    in_blender("enable_again_and_uninstall", tmp_path)
    assert not installed.exists()


def in_blender(step: str, user: Path, *arguments: Path) -> None:
    """Run one of the steps below in a Blender with this user folder."""
    done = subprocess.run(
        [sys.executable, __file__, step, *arguments],
        env={**os.environ, "BLENDER_USER_RESOURCES": str(user)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    report = f"{step}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert done.returncode == 0, report
    assert "Traceback" not in done.stderr and "Error" not in done.stderr, report
    assert done.stdout.rstrip().endswith("done"), report


def install_and_switch(path: str) -> None:
    import bpy

    assert traces_in_blender() == set()
    before = set(dir(bpy.types)), set(bpy.types.Object.bl_rna.properties.keys())
    result = bpy.ops.extensions.package_install_files(filepath=path, repo="user_default", enable_on_install=True)
    assert result == {"FINISHED"}
    assert is_enabled()
    assert_manual_opens()
    first = traces_in_blender()

    switch_off()
    assert not is_enabled()
    assert traces_in_blender() == set()
    after = set(dir(bpy.types)), set(bpy.types.Object.bl_rna.properties.keys())
    assert after == before, (after[0] ^ before[0], after[1] ^ before[1])

    switch_on()
    assert is_enabled()
    assert traces_in_blender() == first


def enable_again_and_uninstall() -> None:
    import bpy

    switch_on()
    assert is_enabled()
    repositories = [repository.module for repository in bpy.context.preferences.extensions.repos]
    bpy.ops.extensions.package_uninstall(repo_index=repositories.index("user_default"), pkg_id=MANIFEST["id"])
    assert not is_enabled()
    assert traces_in_blender() == set()


def switch_on() -> None:
    import bpy  # noqa: F401, I001
    import addon_utils

    assert addon_utils.enable(MODULE, default_set=True) is not None


def switch_off() -> None:
    import bpy  # noqa: F401, I001
    import addon_utils

    addon_utils.disable(MODULE, default_set=True)


def is_enabled() -> bool:
    import bpy  # noqa: F401, I001
    import addon_utils

    by_default, loaded = addon_utils.check(MODULE)
    assert by_default == loaded
    return loaded


def assert_manual_opens() -> None:
    """The page of a setting is in the folder of the installed extension."""
    import bpy

    address = bpy.types.WM_OT_doc_view_manual._lookup_rna_url("bpy.types.STEERING_PG_seek.weight", verbose=False)
    assert "Go To" in Path(url2pathname(urlsplit(address).path)).read_text(encoding="utf-8")


def traces_in_blender() -> set[str]:
    """The extension's operators, types, properties, handlers and manual pages that are registered in Blender."""
    import bpy

    traces = {f"bpy.ops.steering.{name}" for name in dir(bpy.ops.steering)}
    traces |= {f"bpy.types.{name}" for name in dir(bpy.types) if name.startswith("STEERING_")}
    for kind in (bpy.types.Object, bpy.types.Scene, bpy.types.WindowManager, bpy.types.AddonPreferences):
        traces |= {f"{kind.__name__}.{p.identifier}" for p in kind.bl_rna.properties if p.identifier == "steering"}
    for name in dir(bpy.app.handlers):
        handlers = getattr(bpy.app.handlers, name)
        if isinstance(handlers, list):
            traces |= {f"{name}: {h.__module__}" for h in handlers if h.__module__.startswith(MODULE)}
    return traces | {"manual" for prefix, _pages in bpy.utils.manual_map() if prefix.startswith("file:")}


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
    print("done", flush=True)
    # The module of Blender 4.2 crashes at exit once a pointer property with a poll function has been registered, even
    # if it was unregistered; the program does not.
    os._exit(0)
