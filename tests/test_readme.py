"""README, CONTRIBUTING and the manual match the code."""

import re
from pathlib import Path

from scripts.preset_table import PAGE, with_table

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
PAGES = [README, *(ROOT / "docs").rglob("*.md")]


def test_the_table_of_presets_matches_their_files():
    text = PAGE.read_text(encoding="utf-8")
    assert with_table(text) == text, "run scripts/generate"


def test_every_page_and_picture_that_a_page_links_to_exists():
    links = [
        (page, link)
        for page in PAGES
        for link in re.findall(r"\]\(([\w/.-]+)(?:#[\w-]*)?\)", page.read_text(encoding="utf-8"))
    ]
    assert len(links) > 100
    assert [f"{page}: {link}" for page, link in links if not (page.parent / link).exists()] == []


def test_the_readme_leads_to_every_page_for_animators():
    linked = set(re.findall(r"\]\(docs/([\w/]+\.md)\)", README.read_text(encoding="utf-8")))
    pages = {path.name for path in (ROOT / "docs").glob("*.md")}
    assert pages - linked == {"blender_traps.md", "keys_or_tracks.md"}


def test_every_file_and_folder_of_the_code_that_readme_and_contributing_name_exists():
    """Paths in backticks start at the root of the checkout or at the package."""
    text = "".join(page.read_text(encoding="utf-8") for page in (README, ROOT / "CONTRIBUTING.md"))
    made_by_example = {"behaviors/loiter.py", "tests/behaviors/test_loiter.py", "scripts/figure_scenes/loiter.py"}
    names = set(re.findall(r"`([\w/]+(?:\.py|/))`", text)) - made_by_example
    assert "locomotion/banking.py" in names
    assert [name for name in names if not any((home / name).exists() for home in (ROOT, ROOT / "steering_addon"))] == []
