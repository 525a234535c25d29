"""A checkout with locomotions of one's own, made as the manual says."""

import re
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "own_locomotion.md"
CACHES = shutil.ignore_patterns(".git", "__pycache__", ".pytest_cache", ".hypothesis", "docs", "build", "dist")
PRINTED = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINES = re.compile(r"^CATALOGUE: .*?\)$", re.MULTILINE | re.DOTALL)
LISTED = re.compile(r"= \((.*)\)")


def checkout_with_own(folder: Path) -> Path:
    """A copy of this checkout in a folder that does not exist yet, with what the page prints."""
    tracked, lines, boat = PRINTED.findall(PAGE.read_text(encoding="utf-8"))
    shutil.copytree(ROOT, folder, ignore=CACHES)
    bodies = folder / "steering_addon" / "locomotion"
    (bodies / "tracked.py").write_text(tracked, encoding="utf-8")
    (bodies / "boat.py").write_text(boat, encoding="utf-8")
    added, listed = lines.strip().split("\n\n")
    catalogue = (bodies / "__init__.py").read_text(encoding="utf-8")
    catalogue = catalogue.replace("from .crawling import", "from .boat import Boat\nfrom .crawling import")
    catalogue = catalogue.replace("from .wheeled import", f"{added}\nfrom .wheeled import")
    kinds = "".join(f"    {kind},\n" for kind in [*LISTED.search(listed)[1].split(", "), "Boat"])
    catalogue = LINES.sub(f"CATALOGUE: tuple[type[Locomotion], ...] = (\n{kinds})", catalogue)
    (bodies / "__init__.py").write_text(catalogue, encoding="utf-8")
    return folder
