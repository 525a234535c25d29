"""Locomotions added as the manual says obey the laws of all locomotions."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.own_locomotion import checkout_with_own
from tests.sampling import thorough


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return checkout_with_own(tmp_path_factory.mktemp("own_locomotion") / "checkout")


def assert_passes(folder: Path, *arguments: str) -> str:
    done = subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_what_the_page_prints_is_linted_and_formatted(checkout: Path) -> None:
    assert_passes(checkout, "-m", "ruff", "check", "steering_addon")
    assert_passes(checkout, "-m", "ruff", "format", "--check", "steering_addon")


def test_what_the_page_prints_is_plain_english(checkout: Path) -> None:
    assert_passes(
        checkout, "scripts/plain_english", *(f"steering_addon/locomotion/{name}.py" for name in ("tracked", "boat"))
    )


@thorough
def test_they_obey_the_laws_of_all_locomotions(checkout: Path) -> None:
    laws = ("tests/locomotion/test_every_locomotion.py", "tests/test_layers.py", "-k", "tracked or boat")
    passed = assert_passes(checkout, "-m", "pytest", "-q", "-p", "no:cacheprovider", *laws)
    assert int(passed.rpartition(" passed")[0].split()[-1]) >= 34
