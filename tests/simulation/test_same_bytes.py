"""The same scene gives the same bytes, whatever the processor can do (law 5)."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import pytest
from numpy.core._multiarray_umath import __cpu_dispatch__, __cpu_features__

from steering_addon.behaviors import CATALOGUE
from steering_addon.behaviors.seek import Seek
from steering_addon.simulation.declaration import Kind
from steering_addon.simulation.geometry.flows import Current
from steering_addon.simulation.geometry.shapes import BOX, INSIDE, MESH, OUTSIDE, ROUND
from steering_addon.simulation.run import step
from tests.sampling import sampled, thorough
from tests.scene import Scene
from tests.simulation import same_bytes_cases
from tests.simulation.same_bytes import changed, digest, parsed, stored
from tests.simulation.same_bytes_cases import Case, cases

ROOT = Path(__file__).resolve().parents[2]
WIDE = ("AVX512F", "AVX512CD", "AVX512_SKX", "AVX512_CLX", "AVX512_CNL", "AVX512_ICL")
"""What numpy can be told to do without: it has faster ways of its own where it finds these."""
FUSED = ("AVX2", "FMA3")
SYSTEM_WITHOUT = "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX"
"""The same for the library of a Linux system; others ignore it."""


@thorough
@pytest.mark.parametrize(
    ("features", "others", "cases"),
    [
        pytest.param(WIDE, {"OPENBLAS_CORETYPE": "Haswell"}, slice(0, None, 2), id="without AVX-512"),
        pytest.param(
            WIDE + FUSED,
            {"OPENBLAS_CORETYPE": "Prescott", "GLIBC_TUNABLES": SYSTEM_WITHOUT},
            slice(1, None, 2),
            id="without FMA",
        ),
    ],
)
def test_another_processor_gives_the_same_bytes(
    features: tuple[str, ...], others: dict[str, str], cases: slice
) -> None:
    """Each tries every second case; test_the_bytes_are_those_on_file tries all."""
    names = sorted(stored())[cases]
    # numpy refuses to start without a feature that it does not know or that this processor lacks anyway.
    known = [f for f in features if f in __cpu_dispatch__ and __cpu_features__.get(f)]
    environment = {**os.environ, "NPY_DISABLE_CPU_FEATURES": " ".join(known), **others}
    environment.pop("PYTHONPATH", None)
    run = subprocess.run(
        [sys.executable, "-m", "tests.simulation.same_bytes", *names],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    assert [name for name in changed(parsed(run.stdout)) if name in names] == []


@pytest.mark.parametrize("name", sorted(cases()))
def test_the_bytes_are_those_on_file(name: str) -> None:
    """Also where a run goes on from a state in its middle, so that a longer one begins with the frames of a shorter."""
    case = cases()[name]()
    states = list(islice(case.states(), case.frames // 2))
    for snapshot in islice(case.snapshots(), len(states), None):
        states.append(step(states[-1], snapshot))
    assert digest(states) == stored().get(name), (
        "It moves differently, or is new. If that is meant: python -m tests.simulation.same_bytes --write"
    )


def test_no_case_on_file_is_gone() -> None:
    assert stored().keys() <= cases().keys()


def without_obstacles(shape: int, side: int) -> Callable[[Scene], Scene]:
    def removed(scene: Scene) -> Scene:
        kept = (scene.obstacles.shape != shape) | (scene.obstacles.side != side)
        return replace(scene, obstacles=scene.obstacles.take(kept))

    return removed


def without_flow(kind: type) -> Callable[[Scene], Scene]:
    return lambda scene: replace(scene, flows=tuple(flow for flow in scene.flows if not isinstance(flow, kind)))


def without_region(row: int) -> Callable[[Scene], Scene]:
    def removed(scene: Scene) -> Scene:
        present = scene.regions.present.copy()
        present[row] = False
        return replace(scene, regions=replace(scene.regions, present=present))

    return removed


WITHOUT: dict[str, Callable[[Scene], Scene]] = {
    "balls and pylons": without_obstacles(ROUND, OUTSIDE),
    "boxes": without_obstacles(BOX, OUTSIDE),
    "meshes": without_obstacles(MESH, OUTSIDE),
    "round room": without_obstacles(ROUND, INSIDE),
    "box room": without_obstacles(BOX, INSIDE),
    "mesh room": without_obstacles(MESH, INSIDE),
    "paths": lambda scene: replace(scene, paths=()),
    "curved flows": without_flow(tuple),
    "painted flow": without_flow(Current),
    "sphere": without_region(0),
    "box": without_region(1),
    "mesh": without_region(2),
    "formations": lambda scene: replace(scene, shapes=tuple(points[:0] for points in scene.shapes)),
    "bodies": lambda scene: replace(
        scene, tracked=replace(scene.tracked, present=scene.tracked.present & False), drift=(0.0, 0.0, 0.0)
    ),
}
"""The scene without one of the things in it, by the name of the thing."""
NAMED = {
    Kind.BODY: ("bodies",),
    Kind.PATH: ("paths",),
    Kind.SHAPE: ("formations",),
    Kind.REGION: ("sphere", "box", "mesh"),
}
"""What has a part in the case of a behavior that has a parameter of a kind."""
PERCEIVED = {
    "obstacle_avoidance": ("balls and pylons", "boxes", "meshes", "round room", "box room", "mesh room"),
    "wall_following": ("balls and pylons", "boxes"),
    "hide": ("balls and pylons",),
    "flow_field_following": ("curved flows", "painted flow"),
}
"""What has a part in a behavior's case although no parameter names it."""


def parts() -> Iterator[tuple[str, str]]:
    """The names of cases and of what has to have a part in them."""
    for kind in CATALOGUE:
        kinds = {parameter.kind for parameter in kind.parameters().values()}
        things = [thing for named in kinds for thing in NAMED.get(named, ())]
        for thing in sorted({*things, *PERCEIVED.get(kind.name, ())}):
            yield kind.name, thing


@sampled
@pytest.mark.parametrize(("name", "thing"), list(parts()))
def test_each_thing_in_a_scene_has_a_part_in_its_case(name: str, thing: str) -> None:
    """Otherwise a change there would go unnoticed."""
    case = cases()[name]()
    assert moves_differently(case, replace(case, scene=WITHOUT[thing](case.scene)))


@sampled
@pytest.mark.parametrize("name", list(cases()))
def test_the_behaviors_have_a_part_in_their_case(name: str) -> None:
    case = cases()[name]()
    for row, crowd in enumerate(case.crowds):
        tried = {name} if name in {kind.name for kind in CATALOGUE} else {each.name for each in crowd.behaviors}
        others = tuple(each for each in crowd.behaviors if each.name not in tried)
        idle = (*case.crowds[:row], replace(crowd, behaviors=others), *case.crowds[row + 1 :])
        assert moves_differently(case, replace(case, crowds=idle))


def moves_differently(case: Case, other: Case) -> bool:
    """Whether any vehicle is somewhere else, or heads elsewhere, on any frame."""
    return any(
        (state.motion.position != changed.motion.position).any()
        or (state.motion.forward != changed.motion.forward).any()
        for state, changed in zip(case.states(), other.states())
    )


def test_a_last_digit_changes_the_bytes() -> None:
    case = cases()["seek"]()
    before = digest(replace(case, frames=2).states())
    case.scene.position[3, 0] *= 1.0 + 3e-16
    assert digest(replace(case, frames=2).states()) != before


@dataclass(frozen=True)
class Newcomer(Seek):
    """Seek under another name."""

    name = "newcomer"


def test_a_new_behavior_adds_a_line_and_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    before = cases().keys()
    monkeypatch.setattr(same_bytes_cases, "CATALOGUE", (Newcomer, *CATALOGUE))
    after = cases()
    assert after.keys() - before == {"newcomer"}
    for name in ("wander", "flocking", "many_together"):
        assert digest(after[name]().states()) == stored()[name]
    assert digest(after["newcomer"]().states()) != stored()["seek"]
