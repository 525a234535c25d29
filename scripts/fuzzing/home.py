"""A user's folders with this checkout as the installed extension."""

import os
import subprocess
import tomllib
from pathlib import Path

from scripts import environments

ROOT = Path(__file__).resolve().parents[2]
"""The checkout."""
IDENTIFIER = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))["id"]
MODULE = f"bl_ext.user_default.{IDENTIFIER}"


class Home:
    """The folders of a user who has nothing but the extension.

    Attributes:
        user: Blender's folder for settings, extensions and presets.
        home: the home folder, in which nothing is written.
        work: the current folder of the programs, in which nothing is written.
        scratch: for temporary files.
    """

    def __init__(self, folder: Path) -> None:
        self.user, self.home, self.work, self.scratch = (folder / name for name in ("user", "home", "work", "scratch"))
        for each in (self.user / "extensions" / "user_default", self.home, self.work, self.scratch):
            each.mkdir(parents=True, exist_ok=True)
        installed = self.user / "extensions" / "user_default" / IDENTIFIER
        if not installed.is_symlink():
            installed.symlink_to(ROOT, target_is_directory=True)

    def environment(self) -> dict[str, str]:
        """The environment variables of a program that this user starts."""
        return environments.clean_environment() | {
            "BLENDER_USER_RESOURCES": str(self.user),
            "HOME": str(self.home),
            "TMPDIR": str(self.scratch),
            "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "scripts"))),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def start(self, python: Path, program: str, *arguments: str) -> subprocess.Popen:
        """Start a program of `scripts.fuzzing` in a Blender, in a session of its own."""
        return subprocess.Popen(
            [str(python), "-m", f"scripts.fuzzing.{program}", *arguments],
            cwd=self.work,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
