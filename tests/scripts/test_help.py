"""Every command of scripts/ says what it does before it does anything."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = sorted(path.name for path in (ROOT / "scripts").iterdir() if path.is_file() and not path.suffix)


def run(*arguments: str) -> subprocess.CompletedProcess:
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_asked_for_help_tells_what_stands_at_its_head_and_ends(name: str) -> None:
    told = run(f"scripts/{name}", "--help")
    assert told.returncode == 0, told.stderr
    first = (ROOT / "scripts" / name).read_text(encoding="utf-8").split('"""')[1].splitlines()[0]
    assert first in told.stdout


@pytest.mark.parametrize("name", ["generate", "pictures", "test"])
def test_what_a_command_does_not_know_is_refused_before_anything_is_done(name: str) -> None:
    told = run(f"scripts/{name}", "nonsense")
    assert told.returncode == 2
    assert "nonsense" in told.stderr
