"""The run that must give the same bytes everywhere: every behavior there is, boiled down to one hash.

python -m tests.simulation.same_bytes            shows the hash
python -m tests.simulation.same_bytes --write    stores it, after a change that is meant to move vehicles otherwise

The scene is made of the simulation's own chance and angles, so that nothing but the simulation is measured.
"""

import hashlib
import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from steering_addon.behaviors.catalogue import CATALOGUE
from steering_addon.simulation.angles import cosine, sine
from steering_addon.simulation.chance import keys_of, mix, smooth_noise, uniform
from steering_addon.simulation.combining import COMBININGS
from steering_addon.simulation.obstacles import PASS_SIDES, obstacles
from steering_addon.simulation.paths import spline
from steering_addon.simulation.snapshot import Crowd, Snapshot
from tests.scene import Scene, leaders

STORED = Path(__file__).with_name("same_bytes.sha256")
FRAMES = 100
VEHICLES = 21


def digest(place: Scene | None = None, frames: int = FRAMES) -> str:
    """The hash of all positions, velocities and basis vectors of the run."""
    known = hashlib.sha256()
    for state in (place or scene()).run(frames, preroll=5, at=in_crowds):
        motion = state.motion
        for vectors in (motion.position, motion.velocity, motion.side, motion.forward, motion.up):
            known.update(np.ascontiguousarray(vectors, dtype="<f8").tobytes())
    return known.hexdigest()


def scene() -> Scene:
    """A busy place: flyers and walkers of all sizes, leaders, balls and leaning pylons in their way, three paths."""
    n = VEHICLES
    heading = 6.0 * chance(n, 4)
    position = 30.0 * np.stack((chance(n, 1), chance(n, 2), 0.3 * chance(n, 3)), axis=-1)
    forward = np.stack((sine(heading), cosine(heading), 0.2 * chance(n, 9) - 0.1), axis=-1)
    foot = position + forward * (4.0 + 4.0 * chance(n, 5))[:, None]
    lean = 6.0 * np.stack((chance(n, 6) - 0.5, chance(n, 7) - 0.5, chance(n, 8)), axis=-1)
    wind = np.stack((chance(n, 15) - 0.5, chance(n, 16) - 0.5, np.zeros(n)), axis=-1)
    things = obstacles(
        start=foot,
        radius=0.4 + chance(n, 14),
        end=foot + lean * (np.arange(n) % 2)[:, None],
        velocity=wind * (np.arange(n) % 3 == 0)[:, None],
        pass_side=np.arange(n, dtype=np.int64) % len(PASS_SIDES),
    )
    mast = obstacles([[0.5, -1.0, 0.25]], 0.5, [[0.5, -1.0, 2.0]], carrier=np.array([4]))
    flag = replace(leaders([0.0, -2.0, 0.0]), carrier=np.array([3]))
    return Scene(
        position=position,
        forward=forward,
        speed=5.0 * chance(n, 10),
        vehicle={
            "mass": 0.5 + chance(n, 11),
            "max_force": 6.0 + 8.0 * chance(n, 12),
            "max_speed": 4.0 + 4.0 * chance(n, 13),
            "keep_in_plane": np.arange(n) % 5 == 4,
        },
        tracked=joined(leaders([5.0, 10.0, 8.0], [25.0, 22.0, 2.0], [15.0, 5.0, 0.0]), flag),
        drift=np.array([[0.5, -0.25, 0.125]] * 3 + [[0.0, 0.0, 0.0]]),
        obstacles=joined(things, mast),
        paths=((line(1, False), line(2, True)), (line(3, True),), (spline(np.array([[5.0, 5.0, 5.0]]), False),)),
        substeps=2,
        seed=20,
    )


def joined(some: Any, more: Any) -> Any:
    """Two dataclasses of columns as one."""
    names = [field.name for field in fields(some)]
    return replace(some, **{name: np.concatenate((getattr(some, name), getattr(more, name))) for name in names})


def in_crowds(frame: int, snapshot: Snapshot) -> Snapshot:
    """Each behavior on its own, and all of them together in each way to combine, a crowd a case."""
    cases = [((kind,), COMBININGS[0]) for kind in CATALOGUE] + [(CATALOGUE, way) for way in COMBININGS]
    crowds = []
    for case, (kinds, combining) in enumerate(cases):
        rows = np.flatnonzero(np.arange(VEHICLES) % len(cases) == case)
        crowds.append(Crowd(rows, tuple(kind.of(len(rows)) for kind in kinds), combining.number, key=case))
    return replace(snapshot, crowds=tuple(crowds))


def line(salt: int, closed: bool):
    """A curve that winds through the place."""
    keys = mix(keys_of(99, np.arange(3)), salt)
    corners = [smooth_noise(keys, 0, np.full(3, 0.1), time) for time in np.arange(24) * 0.5]
    return spline(np.array(corners) * np.array([15.0, 15.0, 3.0]) + np.array([15.0, 15.0, 4.0]), closed)


def chance(n: int, salt: int) -> np.ndarray:
    """Numbers in [0, 1), always the same."""
    return uniform(mix(keys_of(7, np.arange(n)), salt))


if __name__ == "__main__":
    found = digest()
    if "--write" in sys.argv[1:]:
        STORED.write_text(found + "\n", encoding="ascii")
    print(found)
