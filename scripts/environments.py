#!/usr/bin/env python3
"""Makes and finds the virtual environments for development: one per Blender, one for the tools.

    python3 scripts/environments.py 4.5        prints the path of a Python that has Blender 4.5 as a module

The packages of an environment are pinned in pyproject.toml. It is made on first use in the user's cache folder, under a
name that depends on the pins and the interpreter: checkouts with the same pins share it, and changed pins make a new
one. The folder may be deleted at any time. Linux and macOS, standard library only.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "steering_behaviors"
SYSTEM = ("/usr/bin",)
"""Folders of a Python that the system ships. It is compiled for speed; most of those that pyenv compiles take a quarter
longer."""
OPENED_WHILE_RUNNING = ("libGL.so.1", "libEGL.so.1")
"""Libraries that Blender opens when it first draws; ldd does not list them."""


class PreparationError(SystemExit):
    """Something is missing on this machine; a command ends with the message, which says what to install."""


@dataclass(frozen=True)
class Interpreter:
    """A Python that runs and can make virtual environments."""

    path: Path
    version: str


def python(name: str) -> Path:
    """The Python of an environment, which is made if it does not exist yet."""
    if name not in names():
        raise PreparationError(f"Unknown environment {name!r}; choose from {', '.join(names())}.")
    pins = packages(name)
    interpreter = _interpreter(_settings()["tool"]["steering"]["python"][name])
    key = hashlib.sha256("\n".join([str(interpreter.path), interpreter.version, *pins]).encode()).hexdigest()[:12]
    home = CACHE / f"{name}-{key}"
    if not home.exists():
        with _lock(name):
            if not home.exists():
                _make(name, home, interpreter, pins)
    if name in blenders():
        _ensure_libraries(home)
    return home / "bin" / "python"


def names() -> list[str]:
    """The names of all environments."""
    return list(_settings()["tool"]["steering"]["python"])


def blenders() -> list[str]:
    """The names of the environments with a Blender, oldest first."""
    return [
        name for name in _settings()["tool"]["steering"]["python"] if any(p.startswith("bpy==") for p in packages(name))
    ]


def packages(name: str) -> list[str]:
    """The pins of an environment, with those of the groups it includes."""
    groups = _settings()["dependency-groups"]
    pins = []
    for entry in groups[name]:
        pins += packages(entry["include-group"]) if isinstance(entry, dict) else [entry]
    return pins


def _settings() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def _make(name: str, home: Path, interpreter: Interpreter, pins: list[str]) -> None:
    """Build the environment under another name and rename it when complete, so that a half-made one is never used."""
    _say(f"Making the environment {name} ({', '.join(pins)}; Python {interpreter.version}) in {home} ...")
    start = time.monotonic()
    for leftover in CACHE.glob(f".{name}-*.unfinished"):
        shutil.rmtree(leftover, ignore_errors=True)
    # The name holds the process id, because pip may outlive a killed process and continue to write.
    unfinished = home.with_name(f".{home.name}-{os.getpid()}.unfinished")
    try:
        _run("make a virtual environment", interpreter.path, "-m", "venv", unfinished)
        pip = (unfinished / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "--no-input")
        _run(f"install {', '.join(pins)} from PyPI", *pip, "install", *pins)
        if name in blenders():
            _ensure_libraries(unfinished)
            _run("import bpy", unfinished / "bin" / "python", "-c", "import bpy")
        unfinished.rename(home)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    _say(f"The environment {name} is ready after {time.monotonic() - start:.0f} s.")


@contextlib.contextmanager
def _lock(name: str) -> Iterator[None]:
    """Let one process at a time make an environment; the others wait for it."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / f".{name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _interpreter(version: str) -> Interpreter:
    """A Python of this version, installed if there is none."""
    interpreter = _find_interpreter(version)
    if interpreter is None:
        with _lock(f"python{version}"):
            interpreter = _find_interpreter(version) or _install_interpreter(version)
    if interpreter is None:
        raise PreparationError(
            f"Python {version} with its venv module is missing and could not be fetched; please install it."
        )
    return interpreter


def _find_interpreter(version: str) -> Interpreter | None:
    for candidate in _candidates(version):
        # It has to run, because a command on the path may be an empty shim, and Debian's Python may lack ensurepip.
        question = "import ensurepip, platform, venv; print(platform.python_version())"
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            answer = subprocess.run(
                [candidate, "-c", f"{question}; import sys; print(sys.executable)"],
                env=clean_environment(),
                capture_output=True,
                text=True,
                timeout=30,
            )
            if answer.returncode == 0 and answer.stdout.startswith(f"{version}."):
                full_version, executable = answer.stdout.splitlines()
                return Interpreter(Path(executable).resolve(), full_version)
    return None


def _candidates(version: str) -> Iterator[Path]:
    """Possible paths of a Python of this version, first those that are the fastest."""
    for folder in (*SYSTEM, *os.get_exec_path()):
        if (command := Path(folder, f"python{version}")).exists():
            yield command
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    uv = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "uv" / "python"
    for folder in (pyenv / "versions", uv, CACHE / "python"):
        yield from sorted(folder.glob(f"*{version}*/bin/python{version}"), reverse=True)
    yield Path(sys.executable)


def _install_interpreter(version: str) -> Interpreter | None:
    """Install Python from Debian if it has this version, otherwise the build that uv fetches."""
    _say(f"Python {version} is missing; installing it ...")
    with contextlib.suppress(PreparationError):
        _apt_install(f"python{version}", f"python{version}-venv")
        if interpreter := _find_interpreter(version):
            return interpreter
    with contextlib.suppress(PreparationError):
        uv = shutil.which("uv") or python("uv").with_name("uv")
        _run(f"fetch Python {version}", uv, "python", "install", "--install-dir", CACHE / "python", "--no-bin", version)
    return _find_interpreter(version)


def _ensure_libraries(home: Path) -> None:
    """Install the system's shared libraries that Blender's module needs and does not ship."""
    if sys.platform != "linux":
        return
    missing = _missing_libraries(home)
    if missing:
        _say(f"Blender needs shared libraries that are missing on this system: {', '.join(missing)}.")
        with contextlib.suppress(PreparationError):
            _apt_install(*map(_debian_package, missing))
            missing = _missing_libraries(home)
    if missing:
        raise PreparationError(
            f"Blender needs {', '.join(missing)}; install them "
            f"(on Debian and Ubuntu: apt-get install {' '.join(map(_debian_package, missing))})."
        )


def _missing_libraries(home: Path) -> list[str]:
    (module,) = home.glob("lib/python*/site-packages/bpy/__init__*.so")
    linked = subprocess.run(["ldd", module], capture_output=True, text=True).stdout
    missing = re.findall(r"(lib\S+) => not found", linked)
    for library in OPENED_WHILE_RUNNING:
        try:
            ctypes.CDLL(library)
        except OSError:
            missing.append(library)
    return sorted(set(missing))


def _debian_package(library: str) -> str:
    """The package of a shared library by Debian's naming rule: libXi.so.6 is in libxi6, libX11.so.6 in libx11-6."""
    stem, _, version = library.lower().replace("_", "-").partition(".so.")
    return stem + ("-" if stem[-1].isdigit() else "") + version


def _apt_install(*names: str) -> None:
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise PreparationError(f"Please install {', '.join(names)}.")
    apt = ("apt-get", "--quiet", "--yes", "--option", "DPkg::Lock::Timeout=300")
    _run("update the list of packages", *apt, "update")
    _run(f"install {', '.join(names)}", *apt, "install", *names)


def _run(purpose: str, *command: str | Path) -> None:
    """Run a command quietly; print its output if it fails."""
    environment = clean_environment() | {"DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        _say(done.stdout.rstrip())
        raise PreparationError(f"Could not {purpose} (the reason is above).")


def clean_environment() -> dict[str, str]:
    """The environment variables without those that point another Python or Blender to the user's files."""
    foreign = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    return {k: v for k, v in os.environ.items() if k not in foreign and not k.startswith("BLENDER_")}


def blender_environment(user: str) -> dict[str, str]:
    """The environment variables for a program of these scripts in a Blender with this user folder."""
    # A Blender that is ended by os._exit leaves its temporary folder behind, so put that into the user folder.
    return clean_environment() | {"BLENDER_USER_RESOURCES": user, "TMPDIR": user, "PYTHONPATH": str(ROOT)}


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"Usage: {sys.argv[0]} {'|'.join(names())}")
    print(python(sys.argv[1]))
