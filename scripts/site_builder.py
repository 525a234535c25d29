"""Builds the manual as a site of plain files, which a browser also shows from a folder."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import environments

ROOT = Path(__file__).resolve().parents[1]
FIRST = "README.html"
"""The page that Sphinx makes of README.md."""
PACKAGES = ("sphinx", "furo")
"""The packages whose scripts and styles the site contains; their licenses go with it."""
LICENSE_FILES = """
import importlib.metadata, sys
for name in sys.argv[1:]:
    for file in importlib.metadata.files(name):
        if "licenses" in file.parts and "LICENSE" in file.name:
            print(name, file.locate())
"""
NOT_NEEDED = (".buildinfo", "objects.inv")
"""Files for other sites that Sphinx builds."""


def build_site(output: Path) -> Path:
    """Build the site, replacing what is in the folder; the path of its first page. Raises SystemExit if Sphinx warns,
    for example of a link to a page or a picture that does not exist, and PreparationError if its environment cannot be
    made."""
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
            raise SystemExit(f"The site cannot be built:\n{done.stdout}{done.stderr}".rstrip())
        for name in NOT_NEEDED:
            (built / name).unlink()
        _add_licenses(python, built / "_static")
        # Web servers show index.html for the address of a folder.
        shutil.copy2(built / FIRST, built / "index.html")
        if output.exists():
            shutil.rmtree(output)
        shutil.copytree(built, output)
    return output / "index.html"


def _add_licenses(python: Path, folder: Path) -> None:
    """Put the licenses of the packages into a folder, as `furo.LICENSE.txt`."""
    done = subprocess.run([python, "-c", LICENSE_FILES, *PACKAGES], capture_output=True, text=True, check=True)
    files = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    if missing := set(PACKAGES) - files.keys():
        raise SystemExit(f"No license found in the package {', '.join(sorted(missing))}.")
    for name, file in files.items():
        shutil.copyfile(file, folder / f"{name}.LICENSE.txt")
