"""The run that must give the same bytes everywhere: every behavior there is, boiled down to one hash.

python -m tests.simulation.same_bytes            shows the hash
python -m tests.simulation.same_bytes --write    stores it, after a change that is meant to move vehicles otherwise

The scene is made of the simulation's own chance and angles, so that nothing but the simulation is measured.
"""

import hashlib
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from steering_addon.behaviors.alignment import Alignment
from steering_addon.behaviors.catalogue import CATALOGUE
from steering_addon.behaviors.cohesion import Cohesion
from steering_addon.behaviors.declaration import Behavior
from steering_addon.behaviors.separation import Separation
from steering_addon.simulation.angles import cosine, sine
from steering_addon.simulation.chance import keys_of, mix, smooth_noise, uniform
from steering_addon.simulation.combining import COMBININGS
from steering_addon.simulation.neighbors import NEIGHBORS
from steering_addon.simulation.obstacles import PASS_SIDES, obstacles
from steering_addon.simulation.paths import spline
from steering_addon.simulation.regions import SHAPES, regions
from steering_addon.simulation.snapshot import Crowd, Snapshot
from tests.scene import Scene, leaders, locked, together

STORED = Path(__file__).with_name("same_bytes.sha256")
FRAMES = 40
CASES = (
    *(((kind,), COMBININGS[0]) for kind in CATALOGUE),
    ((Separation, Alignment, Cohesion), COMBININGS[0]),
    *((CATALOGUE, way) for way in COMBININGS),
)
"""Each behavior on its own, a flock, and all of them together in each way to combine: a crowd a case."""
MEMBERS = 8
VEHICLES = MEMBERS * len(CASES)


def digest(place: Scene | None = None, frames: int = FRAMES) -> str:
    """The hash of all positions, velocities and basis vectors of the run."""
    known = hashlib.sha256()
    for state in (place or scene()).run(frames, preroll=5, at=in_crowds):
        motion = state.motion
        for vectors in (motion.position, motion.velocity, motion.side, motion.forward, motion.up):
            known.update(np.ascontiguousarray(vectors, dtype="<f8").tobytes())
    return known.hexdigest()


def scene() -> Scene:
    """A busy place: flyers and walkers of all sizes, each crowd close together, leaders, vehicles that stand, balls and
    pylons in their way, three paths, two flows, a ball and a box to stay in."""
    n = VEHICLES
    heading = 6.0 * chance(n, 4)
    crowd = np.arange(n) % len(CASES)
    middle = 60.0 * np.stack((chance(n, 1), chance(n, 2), 0.3 * chance(n, 3)), axis=-1)[crowd]
    position = middle + 6.0 * np.stack((chance(n, 15), chance(n, 16), chance(n, 17)), axis=-1)
    turn = 6.0 * chance(2, 18)
    axes = np.stack([[[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]] for c, s in zip(cosine(turn), sine(turn))])
    forward = np.stack((sine(heading), cosine(heading), 0.2 * chance(n, 9) - 0.1), axis=-1)
    # One obstacle before somebody of each crowd, every other one a leaning pylon, every third one on the move.
    k = len(CASES)
    foot = position[:k] + forward[:k] * (4.0 + 4.0 * chance(k, 5))[:, None]
    lean = 6.0 * np.stack((chance(k, 6) - 0.5, chance(k, 7) - 0.5, chance(k, 8)), axis=-1)
    wind = np.stack((chance(k, 19) - 0.5, chance(k, 20) - 0.5, np.zeros(k)), axis=-1)
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
        tracked=together(
            leaders([10.0, 20.0, 8.0], [50.0, 45.0, 10.0], [30.0, 5.0, 0.0]),
            locked(*(position[: len(CASES)] + 0.5), crowd=crowd[: len(CASES)]),
        ),
        drift=(0.5, -0.25, 0.125),
        obstacles=obstacles(
            start=foot,
            radius=0.4 + chance(k, 14),
            end=foot + lean * (np.arange(k) % 2)[:, None],
            velocity=wind * (np.arange(k) % 3 == 0)[:, None],
            pass_side=np.arange(k, dtype=np.int64) % len(PASS_SIDES),
        ),
        paths=((line(1, False), line(2, True)), (line(3, True),), (spline(np.array([[5.0, 5.0, 5.0]]), False),)),
        regions=regions([[20.0, 20.0, 5.0], [40.0, 35.0, 8.0]], [9.0, 14.0, 6.0], np.arange(2) % len(SHAPES), axes),
        flows=((line(4, False),), (line(5, True),)),
        substeps=2,
        seed=20,
    )


def in_crowds(frame: int, snapshot: Snapshot) -> Snapshot:
    """The vehicles in their crowds, who look at their own, at everyone and at another crowd in turn."""
    crowds = []
    for case, (kinds, combining) in enumerate(CASES):
        rows = np.flatnonzero(np.arange(VEHICLES) % len(CASES) == case)
        seen = {"neighbors": NEIGHBORS[case % len(NEIGHBORS)].number, "crowd": (case + 1) % len(CASES)}
        behaviors = tuple(kind.of(len(rows), **_known(kind, seen)) for kind in kinds)
        crowds.append(Crowd(rows, behaviors, combining.number, key=case))
    return replace(snapshot, crowds=tuple(crowds))


def _known(kind: type[Behavior], values: dict[str, int]) -> dict[str, int]:
    return {name: value for name, value in values.items() if name in kind.parameters()}


def line(salt: int, closed: bool):
    """A curve that winds through the place."""
    keys = mix(keys_of(99, np.arange(3)), salt)
    corners = [smooth_noise(keys, 1, np.full(3, 0.1), time)[0] for time in np.arange(24) * 0.5]
    return spline(np.array(corners) * np.array([30.0, 30.0, 5.0]) + np.array([30.0, 30.0, 6.0]), closed)


def chance(n: int, salt: int) -> np.ndarray:
    """Numbers in [0, 1), always the same."""
    return uniform(mix(keys_of(7, np.arange(n)), salt))


if __name__ == "__main__":
    found = digest()
    if "--write" in sys.argv[1:]:
        STORED.write_text(found + "\n", encoding="ascii")
    print(found)
