"""The same scene gives the same bytes, whatever the processor can do (law 5)."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.core._multiarray_umath import __cpu_dispatch__, __cpu_features__

from steering_addon.behaviors.catalogue import CATALOGUE
from steering_addon.behaviors.declaration import Behavior
from steering_addon.simulation.combining import COMBININGS
from steering_addon.simulation.snapshot import no_tracked
from tests.scene import Scene, positions
from tests.simulation.same_bytes import STORED, digest, in_crowds, scene

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


@pytest.fixture(scope="module")
def busy() -> np.ndarray:
    """Where everybody is after a while."""
    return after_a_while(scene())


def after_a_while(place: Scene) -> np.ndarray:
    return positions(replace(place, substeps=1).run(60, at=in_crowds)[-1:])[0]


@pytest.mark.parametrize(
    ("left_out", "moves"),
    [("obstacles", {"obstacle_avoidance"}), ("paths", {"path_following"}), ("tracked", {"seek", "flee", "arrival"})],
)
def test_what_is_there_has_a_part_in_it(busy: np.ndarray, left_out: str, moves: set[str]) -> None:
    """Else a change there would not be noticed."""
    nothing = {"obstacles": scene().obstacles.take([]), "paths": (), "tracked": no_tracked()}[left_out]
    drift = {"drift": (0.0, 0.0, 0.0)} if left_out == "tracked" else {}
    changed = (after_a_while(replace(scene(), **{left_out: nothing}, **drift)) != busy).any(axis=1)
    assert {kind.name for row in np.flatnonzero(changed) for kind in kinds_of(row)} >= moves


def kinds_of(row: int) -> tuple[type[Behavior], ...]:
    """The behavior of a vehicle that has but one."""
    return CATALOGUE[row % (len(CATALOGUE) + len(COMBININGS)) :][:1]


def test_a_last_digit_changes_the_bytes() -> None:
    place = scene()
    place.position[3, 0] *= 1.0 + 3e-16
    assert digest(place, frames=2) != digest(frames=2)
