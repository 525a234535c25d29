"""Marks with Land: what flies stands there at the time, and takes off when it is called."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors.wander import Wander
from steering_addon.locomotion import Flying, Planar
from steering_addon.simulation.marks.declaring import Mark
from steering_addon.simulation.perches import NO_PERCHES, Perches
from steering_addon.simulation.snapshot import State
from tests.behaviors.test_landing import ROOF, STARLING, standing
from tests.sampling import sampled
from tests.scene import Scene, leaders, positions, velocities

FPS, FRAME = 12, 60


def flock(
    count: int, seed: int, places: Perches = NO_PERCHES, least_speed: float = 0.3, fps: float = FPS, **others: Any
) -> Scene:
    """Starlings that fly somewhere at 10 m/s, and then what they may be called to: a roof or a point, and a mark."""
    rng = np.random.default_rng(seed)
    return Scene(
        rng.uniform((-20.0, -15.0, 2.0), (20.0, 15.0, 16.0), (count, 3)),
        forward=rng.normal(size=(count, 3)) * (1.0, 1.0, 0.2),
        speed=10.0,
        behaviors=[(Wander, {"strength": 2.0})],
        vehicle=STARLING,
        locomotions=[(Flying, {"least_speed": least_speed})],
        tracked=replace(leaders((0.0, 0.0, 5.0), (0.0, 30.0, 12.0)), radius=np.zeros(2)),
        perches=places,
        seed=seed,
        fps=fps,
        **others,
    )


def mark(count: int, frame: int = FRAME, **settings: Any) -> Mark:
    row = settings.setdefault("ground", count)
    return Mark("Roof", frame / FPS, row if row >= 0 else 2, np.arange(count), **settings)


def met(scene: Scene, *marks: Mark, frames: int = FRAME + FPS) -> list[State]:
    return scene.run(frames, at=lambda frame, snapshot: replace(snapshot, marks=marks))


@sampled
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
@pytest.mark.parametrize("least_speed", [0.0, 0.3, 0.5])
def test_one_stands_there_from_the_very_frame_on(seed: int, least_speed: float) -> None:
    """Softly and exactly, whether it had to hurry or to go a longer way."""
    states = met(flock(1, seed, least_speed=least_speed), mark(1))
    stands = standing(states)[:, 0]
    assert stands.argmax() == FRAME and stands[FRAME:].all()
    assert np.linalg.norm(velocities(states)[FRAME - 1, 0]) < 1.0
    assert np.abs(positions(states)[FRAME:, 0] - (0.0, 0.0, 5.0)).max() < 1e-9
    pushes = np.linalg.norm(np.diff(velocities(states), axis=0), axis=2) * FPS
    assert pushes.max() < 20.001


def test_several_come_down_one_after_the_other_and_all_stand_in_time() -> None:
    states = met(flock(10, 1, ROOF), mark(10))
    first = standing(states).argmax(axis=0)
    assert first.min() > FRAME - 30 and first.max() <= FRAME and len(set(first)) > 6
    where = positions(states)[-1]
    assert np.linalg.norm(where[:, None] - ROOF.position[None], axis=2).min(axis=1).max() < 1e-9
    assert (np.linalg.norm(where[:, None] - where[None], axis=2) + np.eye(10)).min() > 2.0 * STARLING["radius"]


def test_they_take_off_one_after_the_other_when_their_time_is_over() -> None:
    states = met(flock(6, 1, ROOF), mark(6, stays=1.0), frames=FRAME + 30)
    stands = standing(states)
    assert stands[FRAME].all() and not stands[FRAME + 20 :].any()
    off = len(states) - stands[::-1].argmax(axis=0)
    assert len(set(off)) > 3
    assert (positions(states)[-1, :, 2] > 5.5).all()


@sampled
@pytest.mark.parametrize("lands", [False, True])
def test_one_that_stands_leaves_for_a_later_mark(lands: bool) -> None:
    later = mark(1, 144, ground=2 if lands else -1, lead=4.0)
    states = met(flock(1, 2, fps=24.0), mark(1), replace(later, name="Later"), frames=290)
    assert standing(states)[120:140, 0].all()
    assert np.linalg.norm(positions(states)[288, 0] - (0.0, 30.0, 12.0)) < 0.02
    assert standing(states)[288, 0] == lands


def test_one_that_stands_at_a_mark_of_its_own_leaves_that_of_its_crowd_to_the_others() -> None:
    own = replace(mark(4), name="Own", rows=np.array([1]))
    states = met(flock(4, 1, ROOF), own, replace(mark(4, 120), ground=5, body=5), frames=121)
    assert standing(states)[FRAME:, 1].all()
    assert standing(states)[120].sum() == 2


def test_nothing_changes_before_it_has_to_set_off_and_nothing_for_what_keeps_to_the_ground() -> None:
    scene = flock(2, 3, ROOF)
    free, states = positions(scene.run(15)), positions(met(scene, mark(2, 120), frames=15))
    assert states.tobytes() == free.tobytes()
    walkers = flock(1, 4)
    walkers.locomotions = [(Planar, {})]
    passing, landing = (positions(met(walkers, replace(mark(1), ground=ground))) for ground in (-1, 1))
    assert passing.tobytes() == landing.tobytes()
