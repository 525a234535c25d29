"""What an animator does in a real window: ready scenes, populate, preview, play, scrub, bake, undo, clear, disable.

Runs where the environment variable STEERING_BLENDER names a Blender program. Its pictures and what Blender printed stay
in build/gui, to be looked at.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STORY = Path(__file__).with_name("story.py")
RESULT = ROOT / "build" / "gui"
WRONG = re.compile(r"Traceback|Error|WARN|Warning|Exception|steering_addon|unknown operator|Dependency cycle")
"""What Blender prints when something is wrong with an extension."""
HARMLESS = re.compile(r"Not freed memory blocks")
"""What Blender may say of itself when it ends."""
SCREEN = "-screen 0 1600x1000x24 +extension GLX"


@pytest.fixture(scope="module")
def blender(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command of a Blender whose user has the extension installed from its zip and nothing else."""
    program = os.environ.get("STEERING_BLENDER")
    if not program:
        pytest.skip("Set STEERING_BLENDER to the path of a Blender program: these tests need its window.")
    folder = tmp_path_factory.mktemp("window")
    built = run([sys.executable, ROOT / "scripts" / "build", "--output", folder])
    assert built.returncode == 0, built.stdout
    package = built.stdout.strip().splitlines()[-1]
    os.environ["BLENDER_USER_RESOURCES"] = str(folder / "user")
    installed = run([program, "--command", "extension", "install-file", "-r", "user_default", "-e", package])
    assert installed.returncode == 0, installed.stdout
    # Some programs bring a screen along; the others get one where there is none.
    if "DISPLAY" not in os.environ and shutil.which("xvfb-run"):
        return ["xvfb-run", "-a", "-s", SCREEN, program]
    return [program]


def test_what_an_animator_does_works_in_a_window_and_nothing_is_complained_of(blender: list[str]) -> None:
    shutil.rmtree(RESULT, ignore_errors=True)
    RESULT.mkdir(parents=True)
    done = run([*blender, "--window-geometry", "0", "0", "1600", "1000", "--python", STORY, "--", RESULT])
    (RESULT / "console.txt").write_text(done.stdout, encoding="utf-8")
    complaints = [line for line in done.stdout.splitlines() if WRONG.search(line) and not HARMLESS.search(line)]
    assert not complaints, done.stdout
    assert "The story is over." in done.stdout, done.stdout
    assert len(list(RESULT.glob("*.png"))) == 19


def run(command: list) -> subprocess.CompletedProcess:
    """A command, with all it prints in one."""
    return subprocess.run(
        [str(part) for part in command],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=400,
    )
