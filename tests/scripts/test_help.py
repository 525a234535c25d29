"""Every command of scripts/ explains itself without doing anything."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.sampling import sampled

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = sorted(path.name for path in (ROOT / "scripts").iterdir() if path.is_file() and not path.suffix)


def run(*arguments: str) -> subprocess.CompletedProcess:
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)


@sampled
@pytest.mark.parametrize("name", COMMANDS)
def test_help_prints_the_docstring_and_exits(name: str) -> None:
    done = run(f"scripts/{name}", "--help")
    assert done.returncode == 0, done.stderr
    first = (ROOT / "scripts" / name).read_text(encoding="utf-8").split('"""')[1].splitlines()[0]
    assert first in done.stdout


@pytest.mark.parametrize("name", ["generate", "test"])
def test_an_unknown_argument_is_refused_before_anything_is_done(name: str) -> None:
    done = run(f"scripts/{name}", "nonsense")
    assert done.returncode == 2
    assert "nonsense" in done.stderr
