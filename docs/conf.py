"""Settings of Sphinx for the site that scripts/site builds: the README, the manual and the notes for developers.

The source folder is the root of the checkout, so that the pages and their links are those one reads in the repository.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MANIFEST = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))

project = MANIFEST["name"]
version = release = MANIFEST["version"]
copyright = MANIFEST["copyright"][0]

extensions = ["myst_parser"]
root_doc = "README"
include_patterns = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/*.md", "docs/behaviors/*.md"]
highlight_language = "none"
myst_heading_anchors = 2

html_theme = "furo"
html_title = f"{project} {version}"
html_copy_source = False
html_use_index = False
# The summaries are fetched, which browsers refuse to do for pages opened from a folder.
html_show_search_summary = False

LISTING_OTHERS = (root_doc, "docs/behaviors/README")
"""The pages whose links to other pages are the table of contents."""
PAGE = re.compile(r"\]\(([\w/]+)\.md\)")


def with_contents(_app, page: str, source: list[str]) -> None:
    """Add the table of contents to a page that lists others: a hidden list of the pages it links to, in this order."""
    if page not in LISTING_OTHERS:
        return
    linked = dict.fromkeys(PAGE.findall(source[0]))
    if page == root_doc:
        # The pages of behaviors are below their own list.
        listed = [name for name in linked if not re.match(r"docs/behaviors/(?!README)", name)]
        # README.md links to none of these; CONTRIBUTING.md does.
        linked = dict.fromkeys([*listed, "docs/blender_traps", "docs/keys_or_tracks", "CHANGELOG"])
    source[0] += "\n".join(["\n", "```{toctree}", ":hidden:", "", *linked, "```", ""])


def setup(app) -> None:
    app.connect("source-read", with_contents)
