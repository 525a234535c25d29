"""The Blender with a window that these tests drive. They run if STEERING_BLENDER names a Blender program."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RESULT = ROOT / "build" / "gui"
WRONG = re.compile(r"Traceback|Error|WARN|Warning|Exception|steering_addon|unknown operator|Dependency cycle")
"""Console output of Blender that indicates a problem with the extension."""
HARMLESS = re.compile(r"Not freed memory blocks")
"""Console output on exit that has nothing to do with the extension."""
PATIENCE = 1200.0
"""Seconds after which a command is ended: a story takes one or two minutes, and ten times that on a busy machine."""
SCREEN = "-screen 0 1600x1000x24 +extension GLX"
Told = Callable[..., Path]
"""Plays a story (a script) and returns the folder of its pictures."""


@pytest.fixture(scope="session")
def blender(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command of a Blender with the extension, installed from its zip, as the only one of its user."""
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
    # Some commands provide a screen; for others one is started if there is none.
    if "DISPLAY" not in os.environ and shutil.which("xvfb-run"):
        return ["xvfb-run", "-a", "-s", SCREEN, program]
    return [program]


@pytest.fixture
def told(blender: list[str]) -> Told:
    """Plays a story to its end, without complaints on the console."""

    def play(story: Path, folder: Path) -> Path:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        window = ["--window-geometry", "0", "0", "1600", "1000"]
        done = run([*blender, *window, "--python", story, "--", folder])
        (folder / "console.txt").write_text(done.stdout, encoding="utf-8")
        complaints = [line for line in done.stdout.splitlines() if WRONG.search(line) and not HARMLESS.search(line)]
        assert not complaints, done.stdout
        assert "The story is over." in done.stdout, done.stdout
        return folder

    return play


def run(command: list) -> subprocess.CompletedProcess:
    """Run a command with its error output merged into its standard output; after a time it ends with all it started."""
    words = [str(part) for part in command]
    with subprocess.Popen(
        words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    ) as process:
        try:
            output, _ = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return subprocess.CompletedProcess(words, process.returncode, output)
