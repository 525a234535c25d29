"""The README says what the code does."""

from pathlib import Path

from scripts.readme_tables import README, with_tables

ROOT = Path(__file__).resolve().parents[1]


def test_the_tables_are_what_the_declarations_say():
    text = README.read_text(encoding="utf-8")
    assert with_tables(text) == text, "run scripts/generate"


def test_every_picture_the_readme_shows_exists():
    text = README.read_text(encoding="utf-8")
    pictures = [part.split(")")[0] for part in text.split("](")[1:] if part.split(")")[0].endswith((".png", ".gif"))]
    assert pictures
    assert not [picture for picture in pictures if not (ROOT / picture).is_file()]
