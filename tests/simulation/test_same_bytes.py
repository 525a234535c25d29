"""The same scene gives the same bytes, whatever the processor can do (law 5)."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.core._multiarray_umath import __cpu_dispatch__, __cpu_features__

from steering_addon.behaviors import CATALOGUE
from steering_addon.simulation.geometry.obstacles import BOX, INSIDE, MESH, OUTSIDE, ROUND
from steering_addon.simulation.geometry.painted_flows import Current
from steering_addon.simulation.run import simulate
from steering_addon.simulation.snapshot import Snapshot, no_tracked
from tests.scene import Scene, in_crowds
from tests.simulation.same_bytes import CASES, FRAMES, STORED, digest, every_crowd, scene

ROOT = Path(__file__).resolve().parents[2]
WIDE = ("AVX512F", "AVX512CD", "AVX512_SKX", "AVX512_CLX", "AVX512_CNL", "AVX512_ICL")
"""What numpy can be told to do without: it has faster ways of its own where it finds these."""
FUSED = ("AVX2", "FMA3")
SYSTEM_WITHOUT = "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX"
"""The same for the library of a Linux system; others do not look at it."""


@pytest.mark.parametrize(
    ("features", "others"),
    [
        pytest.param((), {}, id="as it is"),
        pytest.param(WIDE, {"OPENBLAS_CORETYPE": "Haswell"}, id="without AVX-512"),
        pytest.param(
            WIDE + FUSED, {"OPENBLAS_CORETYPE": "Prescott", "GLIBC_TUNABLES": SYSTEM_WITHOUT}, id="without FMA"
        ),
    ],
)
def test_another_processor_gives_the_same_bytes(features: tuple[str, ...], others: dict[str, str]) -> None:
    # numpy refuses to start without what it does not know, or what this processor has not got anyway.
    known = [f for f in features if f in __cpu_dispatch__ and __cpu_features__.get(f)]
    environment = {**os.environ, "NPY_DISABLE_CPU_FEATURES": " ".join(known), **others}
    environment.pop("PYTHONPATH", None)
    run = subprocess.run(
        [sys.executable, "-m", "tests.simulation.same_bytes"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == STORED.read_text(encoding="ascii").split(), (
        "If vehicles are meant to move otherwise now: python -m tests.simulation.same_bytes --write"
    )


MINDFUL = (
    *("seek", "flee", "hide", "obstacle_avoidance", "path_following", "wall_following", "flow_field_following"),
    *("containment", "brake_for"),
)


def alone(frame: int, snapshot: Snapshot) -> Snapshot:
    """The crowds of one behavior that minds what is there: where others are among them all would differ at last."""
    crowds = every_crowd()[: len(CATALOGUE)]
    return in_crowds(snapshot, [crowd for crowd in crowds if crowd.behaviors[0].name in MINDFUL])


@pytest.fixture(scope="module")
def busy() -> list[np.ndarray]:
    """Where everybody is on each frame."""
    return list(places(scene()))


def places(place: Scene) -> Iterator[np.ndarray]:
    """(n, 3) frame by frame, each worked out when it is asked for."""
    for state in simulate(place.start(), (alone(frame, place.snapshot(frame)) for frame in range(FRAMES))):
        yield state.motion.position


def without_obstacles(shape: int, side: int) -> Scene:
    place = scene()
    there = (place.obstacles.shape != shape) | (place.obstacles.side != side)
    return replace(place, obstacles=place.obstacles.take(there))


def without_flow(kind: type) -> Scene:
    place = scene()
    return replace(place, flows=tuple(flow for flow in place.flows if not isinstance(flow, kind)))


def without_region(row: int) -> Scene:
    place = scene()
    there = np.arange(3) != row
    return replace(place, regions=replace(place.regions, present=there))


@pytest.mark.parametrize(
    ("changed", "moves"),
    [
        (lambda: without_obstacles(ROUND, OUTSIDE), {"obstacle_avoidance", "wall_following", "hide"}),
        (lambda: without_obstacles(BOX, OUTSIDE), {"obstacle_avoidance", "wall_following"}),
        (lambda: without_obstacles(MESH, OUTSIDE), {"obstacle_avoidance"}),
        (lambda: without_obstacles(ROUND, INSIDE), {"obstacle_avoidance"}),
        (lambda: without_obstacles(BOX, INSIDE), {"obstacle_avoidance"}),
        (lambda: without_obstacles(MESH, INSIDE), {"obstacle_avoidance"}),
        (lambda: replace(scene(), paths=()), {"path_following", "wall_following"}),
        (lambda: without_flow(tuple), {"flow_field_following"}),
        (lambda: without_flow(Current), {"flow_field_following"}),
        (lambda: without_region(0), {"containment"}),
        (lambda: without_region(1), {"containment"}),
        (lambda: without_region(2), {"containment"}),
        (lambda: replace(scene(), tracked=no_tracked(), drift=(0.0, 0.0, 0.0)), {"seek", "flee"}),
    ],
)
def test_what_is_there_has_a_part_in_it(busy: list[np.ndarray], changed: Callable[[], Scene], moves: set[str]) -> None:
    """Else a change there would not be noticed."""
    moved: set[str] = set()
    for now, before in zip(places(changed()), busy):
        rows = np.flatnonzero((now != before).any(axis=1))
        moved |= {CATALOGUE[row % len(CASES)].name for row in rows.tolist()}
        if moved >= moves:
            return
    assert moved >= moves


def test_a_last_digit_changes_the_bytes() -> None:
    place = scene()
    place.position[3, 0] *= 1.0 + 3e-16
    assert digest(place, frames=2) != digest(frames=2)
