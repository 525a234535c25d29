"""The site of the manual builds without a warning, is complete, and needs nothing from elsewhere."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.built_site import built_site

ROOT = Path(__file__).resolve().parents[2]
LOADED = {"img": "src", "script": "src", "link": "href"}
"""The attributes by which a page loads files of its own."""


class Addresses(HTMLParser):
    """Collects the addresses that a page links to, and those that it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.linked: set[str] = set()
        self.loaded: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value for name, value in attributes if value}
        if tag == "a" and "href" in values:
            self.linked.add(values["href"])
        if tag in LOADED and LOADED[tag] in values:
            self.loaded.add(values[LOADED[tag]])


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Addresses]:
    """The addresses in each page of the site."""
    folder = built_site(tmp_path_factory.mktemp("site"))
    return {page: Addresses(page.read_text(encoding="utf-8")) for page in folder.rglob("*.html")}


def root_of(pages: dict[Path, Addresses]) -> Path:
    return min((page.parent for page in pages), key=lambda folder: len(folder.parts))


def test_every_page_of_the_manual_is_in_the_site(pages: dict[Path, Addresses]) -> None:
    built = {page.relative_to(root_of(pages)).with_suffix("").as_posix() for page in pages}
    written = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    assert built == {path.relative_to(ROOT).with_suffix("").as_posix() for path in written} | {"index", "search"}


def test_every_figure_is_in_the_site(pages: dict[Path, Addresses]) -> None:
    shown = {Path(address).name for page in pages.values() for address in page.loaded}
    assert {path.name for path in (ROOT / "docs" / "behaviors").glob("*.svg")} <= shown


def test_every_address_within_the_site_exists(pages: dict[Path, Addresses]) -> None:
    for page, addresses in pages.items():
        for address in addresses.linked | addresses.loaded:
            parts = urlsplit(address)
            if not parts.scheme:
                target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
                assert target.is_file(), f"{page.name} leads to {address}"
                if parts.fragment and target.suffix == ".html":
                    anchor = rf'id="{re.escape(unquote(parts.fragment))}"'
                    assert re.search(anchor, target.read_text(encoding="utf-8")), f"{page.name} leads to {address}"


def test_a_page_loads_nothing_from_the_network(pages: dict[Path, Addresses]) -> None:
    for page, addresses in pages.items():
        assert [address for address in addresses.loaded if urlsplit(address).scheme or address.startswith("//")] == []
        assert len(addresses.loaded) > 3, page


def test_the_licenses_of_what_the_site_contains_go_with_it(pages: dict[Path, Addresses]) -> None:
    for name in ("sphinx", "furo"):
        assert "copyright" in (root_of(pages) / "_static" / f"{name}.LICENSE.txt").read_text(encoding="utf-8").lower()


def test_the_first_page_leads_to_all_behaviors(pages: dict[Path, Addresses]) -> None:
    first = pages[root_of(pages) / "index.html"]
    for page in (ROOT / "docs" / "behaviors").glob("*.md"):
        assert f"docs/behaviors/{page.stem}.html" in first.linked
