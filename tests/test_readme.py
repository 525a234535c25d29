"""The README matches the code."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_the_tables_match_the_declarations():
    check = subprocess.run(
        [sys.executable, ROOT / "scripts" / "manual", "--check"], capture_output=True, text=True, timeout=60
    )
    assert check.returncode == 0, check.stdout + check.stderr


def test_every_picture_of_the_readme_exists():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    pictures = [part.split(")")[0] for part in text.split("](")[1:] if part.split(")")[0].endswith((".png", ".gif"))]
    assert pictures
    assert not [picture for picture in pictures if not (ROOT / picture).is_file()]


def test_every_file_and_folder_of_the_code_that_the_readme_names_exists():
    """Paths in backticks start at the root of the checkout or at the package."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    names = re.findall(r"`([\w/]+(?:\.py|/))`", text)
    assert "locomotion/banking.py" in names
    assert [name for name in names if not any((home / name).exists() for home in (ROOT, ROOT / "steering_addon"))] == []
