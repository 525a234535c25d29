"""Bodies that have run into each other, or into obstacles, are moved apart."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.behaviors.seek import Seek
from steering_addon.simulation.geometry.obstacles import boxes, obstacles
from steering_addon.simulation.nearby.contacts import PASSES
from tests.scene import Scene, leaders, locked, positions, speeds, velocities
from tests.simulation.odd_input import BOUNDED, vectors

RADIUS = 0.5
WALKER = {"keep_in_plane": True, "keep_apart": True, "cruise_speed": 0.0, "max_speed": 1.5, "max_force": 4.0}


def bodies(position, **changes) -> Scene:
    given = {"vehicle": WALKER}
    return Scene(position, **(given | changes))


def gaps(found: np.ndarray) -> np.ndarray:
    n = found.shape[-2]
    return np.linalg.norm(found[..., :, None, :] - found[..., None, :, :], axis=-1) + 1e9 * np.eye(n)


def test_two_that_overlap_come_apart_by_half_each_and_soon() -> None:
    found = positions(bodies([[0.0, 0.0, 0.0], [0.7, 0.0, 0.0]]).run(8))
    assert found[-1, 1, 0] - found[-1, 0, 0] == pytest.approx(2.0 * RADIUS, abs=1e-6)
    assert found[:, :, 0].mean(axis=1) == pytest.approx(0.35, abs=1e-9)


def test_without_it_they_stay_as_they_are() -> None:
    place = bodies([[0.0, 0.0, 0.0], [0.7, 0.0, 0.0]], vehicle=WALKER | {"keep_apart": False})
    assert (positions(place.run(8)) == place.position).all()


def test_one_pass_equals_a_plain_loop() -> None:
    """Where the overlaps are so small that nobody's top speed matters, a step is as many rounds of the loop."""
    rng = np.random.default_rng(2)
    place = bodies(rng.uniform(-1.6, 1.6, (12, 3)) * (1.0, 1.0, 0.0), vehicle=WALKER | {"max_speed": 1000.0})
    wanted = place.position.copy()
    for _ in range(PASSES):
        moved, touched = np.zeros_like(wanted), np.zeros(12)
        for i in range(12):
            for j in range(12):
                offset = wanted[j] - wanted[i]
                overlap = 2.0 * RADIUS - np.linalg.norm(offset)
                if i != j and overlap > 0.0:
                    moved[i] -= 0.5 * overlap * offset / np.linalg.norm(offset)
                    touched[i] += 1
        wanted = wanted + moved / np.maximum(0.6 * touched, 1.0)[:, None]
    assert np.abs(positions(place.run(2))[-1] - wanted).max() < 1e-9


def test_a_heap_of_people_who_all_want_to_one_place_does_not_overlap() -> None:
    rng = np.random.default_rng(1)
    out = rng.uniform(-6.0, 6.0, (40, 3)) * (1.0, 1.0, 0.0)
    place = bodies(out, behaviors=[(Seek, {})], tracked=leaders([0.0, 0.0, 0.0]), fps=24.0)
    free = replace(place, vehicle=WALKER | {"keep_apart": False})

    def deepest(scene: Scene) -> float:
        return 2.0 * RADIUS - float(gaps(positions(scene.run(24 * 6))[24 * 4 :]).min())

    assert deepest(free) > 0.5
    assert deepest(place) < 0.2


def test_nobody_goes_further_in_a_step_than_its_top_speed_allows_or_gets_quicker() -> None:
    rng = np.random.default_rng(4)
    place = bodies(rng.uniform(-0.5, 0.5, (20, 3)) * (1.0, 1.0, 0.0), speed=1.0)
    states = place.run(24)
    steps = np.linalg.norm(np.diff(positions(states), axis=0), axis=-1)
    assert steps.max() <= 1.5 / 24.0 * (1.0 + 1e-9)
    assert speeds(states).max() <= 1.5
    change = np.linalg.norm(np.diff(velocities(states), axis=0), axis=-1) * 24.0
    assert change.max() <= 4.0 * (1.0 + 1e-9)


def test_who_walks_into_a_wall_stops_there_and_is_not_thrown_back() -> None:
    wall = boxes([[0.0, 3.0, 0.0]], [[5.0, 1.0, 2.0]])
    place = bodies([[0.0, 0.0, 0.0]], obstacles=wall, behaviors=[(Seek, {})], tracked=leaders([0.0, 9.0, 0.0]))
    states = place.run(24 * 5)
    found = positions(states)[:, 0, 1]
    assert found.max() <= 2.0 - RADIUS + 1e-3
    assert found[-1] == pytest.approx(2.0 - RADIUS, abs=1e-2)
    assert velocities(states)[:, 0, 1].min() >= 0.0


def test_who_is_locked_does_not_give_way() -> None:
    place = bodies([[0.0, 0.0, 0.0]], tracked=locked([0.6, 0.0, 0.0]))
    assert positions(place.run(12))[-1, 0, 0] == pytest.approx(0.6 - 1.0, abs=1e-6)


def test_walkers_keep_their_height_and_stay_upright() -> None:
    place = bodies([[0.0, 0.0, 0.0], [0.3, 0.1, 0.4]], obstacles=obstacles([[0.0, -0.4, -0.3]], 0.5))
    assert (positions(place.run(12))[..., 2] == [0.0, 0.4]).all()


def test_in_one_place_they_part_to_either_side() -> None:
    found = positions(bodies([[1.0, 2.0, 0.0], [1.0, 2.0, 0.0]]).run(24))[-1]
    assert np.linalg.norm(found[0] - found[1]) == pytest.approx(2.0 * RADIUS, abs=1e-6)


def test_in_the_air_they_part_in_space() -> None:
    place = bodies([[0.0, 0.0, 0.0], [0.0, 0.0, 0.6]], vehicle=WALKER | {"keep_in_plane": False})
    found = positions(place.run(24))[-1]
    assert found[1, 2] - found[0, 2] == pytest.approx(2.0 * RADIUS, abs=1e-6)


@BOUNDED
@given(vectors(6), st.sampled_from([0.0, 1.5, 100.0]))
def test_anywhere_it_stays_finite_and_within_limits(places: np.ndarray, top: float) -> None:
    place = bodies(places, vehicle=WALKER | {"max_speed": top}, obstacles=obstacles(places[:2], 0.5))
    found = positions(place.run(3))
    assert np.isfinite(found).all()
    assert np.linalg.norm(np.diff(found, axis=0), axis=-1).max() <= top / 24.0 * (1.0 + 1e-9) + 1e-9
