"""Attacks on the files of a user: kills, two Blenders together, and folders that cannot be written."""

import os
import random
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from .home import Home

KILLED = ("populate", "bake", "preview", "autosave")
KILLS = 3
"""Kills of each work, at random moments."""
LONGEST_LIFE = 1.5
"""Seconds from the begin of the work to the latest kill."""
PATIENCE = 120.0
"""Seconds for a program on a busy machine."""
NOBODY = 65534
"""The number of a user who owns no files."""


def run(pythons: dict[str, Path]) -> int:
    """Attack each Blender in all ways; 1 if something did not hold."""
    failed = 0
    for blender, python in pythons.items():
        for attack in ATTACKS:
            with tempfile.TemporaryDirectory(prefix="steering-attack-", ignore_cleanup_errors=True) as folder:
                for problem in attack(python, Path(folder)):
                    failed += 1
                    print(f"Blender {blender}: {problem}", flush=True)
        print(f"Blender {blender}: {len(ATTACKS)} attacks done", flush=True)
    return int(failed > 0)


def kills(python: Path, folder: Path) -> list[str]:
    """Kill a Blender in the middle of its work: what it saved opens, bakes and is cleared."""
    problems, chance = [], random.Random(1)
    home = Home(folder)
    for work in KILLED:
        for _ in range(KILLS):
            file = home.scratch / f"{work}.blend"
            process = home.start(python, "victim", work, str(file))
            # The program saves its file before its work.
            until = time.monotonic() + PATIENCE
            while not file.exists() and process.poll() is None and time.monotonic() < until:
                time.sleep(0.01)
            time.sleep(chance.uniform(0.0, LONGEST_LIFE))
            if process.poll() is not None:
                printed = process.communicate()[0].decode("utf-8", "replace")
                problems.append(f"the {work} to be killed ended on its own:\n{printed[-1500:]}")
                continue
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            # Blender renames the old file before it puts the new one in its place.
            whole = file if file.exists() else file.with_suffix(".blend1")
            saved = [whole, *home.scratch.glob("*_autosave.blend"), *home.scratch.glob("quit.blend")]
            problems += [
                f"killed in {work}, {each.name} is broken:\n{printed}"
                for each in saved
                if (printed := _failure(home.start(python, "victim", "reopen", str(each))))
            ]
            for each in saved:
                each.unlink(missing_ok=True)
    return problems


def two_at_once(python: Path, folder: Path) -> list[str]:
    """Two Blenders save presets into the same folder and save the same file: both go on, and what is left is whole."""
    home = Home(folder)
    file = home.scratch / "shared.blend"
    both = [home.start(python, "victim", "share", str(file), str(number)) for number in range(2)]
    problems = [f"one of two Blenders failed:\n{printed}" for process in both if (printed := _failure(process))]
    if printed := _failure(home.start(python, "victim", "reopen", str(file))):
        problems.append(f"a file that two Blenders saved is broken:\n{printed}")
    leftovers = [
        path.name for path in home.user.rglob("scripts/presets/**/*") if path.is_file() and path.suffix != ".json"
    ]
    return problems + [f"two Blenders left {name} among the presets" for name in leftovers]


def read_only(python: Path, folder: Path) -> list[str]:
    """A user who may not write a preset folder is told so; nothing is written elsewhere and no traceback printed."""
    if os.geteuid() != 0:
        return ["a home that cannot be written is only tried as root, who can become another user"]
    home = Home(folder)
    folder.chmod(0o755)
    os.chown(home.scratch, NOBODY, NOBODY)
    before = _listing(folder)
    printed = _failure(home.start(python, "victim", "refuse", str(NOBODY)))
    problems = [f"in a home that cannot be written:\n{printed}"] if printed else []
    # Blender itself fills caches before the program becomes another user.
    written = [name for name in _listing(folder) - before if not re.search(r"^scratch/|\.cache\b", name)]
    return problems + [f"in a home that cannot be written, {name} was written" for name in written]


ATTACKS: tuple[Callable[[Path, Path], list[str]], ...] = (kills, two_at_once, read_only)


def _listing(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def _failure(process: subprocess.Popen) -> str:
    """What a program printed that failed or printed a traceback; empty if all is well."""
    try:
        printed = process.communicate(timeout=PATIENCE)[0].decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return f"It did not end.\n{process.communicate()[0].decode('utf-8', 'replace')[-1500:]}"
    if process.returncode == 0 and "Traceback" not in printed:
        return ""
    return f"exit code {process.returncode}\n{printed[-1500:]}"
