"""The bytes that must be the same everywhere, boiled down to one hash for each case.

python -m tests.simulation.same_bytes            shows the names and hashes
python -m tests.simulation.same_bytes --write    stores them, after a change that is meant to alter the motion
python -m tests.simulation.same_bytes seek flee  shows only these
"""

import hashlib
import sys
from collections.abc import Collection, Iterable
from pathlib import Path

import numpy as np

from steering_addon.simulation.snapshot import State
from tests.simulation.same_bytes_cases import cases

STORED = Path(__file__).with_name("same_bytes.sha256")


def digest(states: Iterable[State]) -> str:
    """The hash of all positions, velocities and basis vectors of a run."""
    known = hashlib.sha256()
    for state in states:
        motion = state.motion
        for vectors in (motion.position, motion.velocity, motion.side, motion.forward, motion.up):
            known.update(np.ascontiguousarray(vectors, dtype="<f8").tobytes())
    return known.hexdigest()


def hashes(names: Collection[str] = ()) -> dict[str, str]:
    """The hash of each case by its name, or only of those named, in the order of the names."""
    return {name: digest(make().states()) for name, make in sorted(cases().items()) if not names or name in names}


def stored() -> dict[str, str]:
    """The hashes that are on file."""
    return parsed(STORED.read_text(encoding="ascii")) if STORED.exists() else {}


def parsed(text: str) -> dict[str, str]:
    """The hashes by name, from one line for each case."""
    return dict(line.split() for line in text.splitlines())


def text_of(hashes: dict[str, str]) -> str:
    """One line for each case: its name and its hash."""
    return "".join(f"{name} {value}\n" for name, value in hashes.items())


def changed(hashes: dict[str, str]) -> list[str]:
    """The names of the cases whose hashes are not those on file, of new cases, and of cases that no longer exist."""
    before = stored()
    return sorted(name for name in before.keys() | hashes.keys() if before.get(name) != hashes.get(name))


if __name__ == "__main__":
    arguments = sys.argv[1:]
    computed = hashes([a for a in arguments if a != "--write"])
    if "--write" in arguments:
        STORED.write_text(text_of(computed), encoding="ascii")
    print(text_of(computed), end="")
