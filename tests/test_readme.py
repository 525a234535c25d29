"""The README says what the code does."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_the_table_of_behaviors_is_what_the_declarations_say():
    check = subprocess.run(
        [sys.executable, ROOT / "scripts" / "manual", "--check"], capture_output=True, text=True, timeout=60
    )
    assert check.returncode == 0, check.stdout + check.stderr


def test_every_picture_the_readme_shows_is_there():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    pictures = [part.split(")")[0] for part in text.split("](")[1:] if part.split(")")[0].endswith((".png", ".gif"))]
    assert pictures
    assert not [picture for picture in pictures if not (ROOT / picture).is_file()]
