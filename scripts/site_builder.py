"""Builds the manual as a site of plain files, which a browser also shows from a folder."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import environments

ROOT = Path(__file__).resolve().parents[1]
FIRST = "README.html"
"""The page that Sphinx makes of README.md."""
NOT_NEEDED = (".buildinfo", "objects.inv")
"""Files for other sites that Sphinx builds."""


class SiteError(Exception):
    """The site cannot be built; the message says why."""


def build_site(output: Path) -> Path:
    """Build the site, replacing what is in the folder; the path of its first page.

    Raises:
        SiteError: Sphinx warns, for example of a link to a page or a picture that does not exist.
        PreparationError: its environment cannot be made.
    """
    python = environments.python("site")
    with tempfile.TemporaryDirectory(prefix="steering-site-") as temporary:
        built, doctrees = Path(temporary, "site"), Path(temporary, "doctrees")
        sphinx = [python, "-m", "sphinx", "--builder", "html", "--fail-on-warning", "--nitpicky", "--quiet"]
        done = subprocess.run(
            [*sphinx, "--conf-dir", ROOT / "docs", "--doctree-dir", doctrees, ROOT, built],
            env=environments.clean_environment(),
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            raise SiteError(f"The site cannot be built:\n{done.stdout}{done.stderr}".rstrip())
        for name in NOT_NEEDED:
            (built / name).unlink()
        # Web servers show index.html for the address of a folder.
        shutil.copy2(built / FIRST, built / "index.html")
        if output.exists():
            shutil.rmtree(output)
        shutil.copytree(built, output)
    return output / "index.html"
