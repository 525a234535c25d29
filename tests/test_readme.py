"""README and CONTRIBUTING match the code."""

import re
from pathlib import Path

from scripts.readme_tables import README, with_tables

ROOT = Path(__file__).resolve().parents[1]


def test_the_tables_match_the_declarations():
    text = README.read_text(encoding="utf-8")
    assert with_tables(text) == text, "run scripts/generate"


def test_every_picture_of_the_readme_exists():
    text = README.read_text(encoding="utf-8")
    pictures = [part.split(")")[0] for part in text.split("](")[1:] if part.split(")")[0].endswith((".png", ".gif"))]
    assert pictures
    assert not [picture for picture in pictures if not (ROOT / picture).is_file()]


def test_every_file_and_folder_of_the_code_that_readme_and_contributing_name_exists():
    """Paths in backticks start at the root of the checkout or at the package."""
    text = "".join(page.read_text(encoding="utf-8") for page in (README, ROOT / "CONTRIBUTING.md"))
    made_by_example = {"behaviors/loiter.py", "tests/behaviors/test_loiter.py", "scripts/figure_scenes/loiter.py"}
    names = set(re.findall(r"`([\w/]+(?:\.py|/))`", text)) - made_by_example
    assert "locomotion/banking.py" in names
    assert [name for name in names if not any((home / name).exists() for home in (ROOT, ROOT / "steering_addon"))] == []
