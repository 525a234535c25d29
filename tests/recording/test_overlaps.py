"""Overlaps frame by frame: the same as comparing every pair on every frame, but searched less often."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.recording import overlaps
from steering_addon.recording.overlaps import Overlaps


def touching(position, radius, present) -> set[tuple[int, int]]:
    """The pairs that touch, compared one by one."""
    n = len(position)
    return {
        (i, j)
        for i in range(n)
        for j in range(i + 1, n)
        if present[i] and present[j] and min(radius[i], radius[j]) > 0.0
        if np.linalg.norm(position[i] - position[j]) < radius[i] + radius[j]
    }


@given(st.integers(0, 10**6), st.integers(0, 25), st.floats(0.0, 1.0), st.sampled_from([0.0, 5.0, 1000.0]))
def test_overlaps_equal_those_of_all_pairs_one_by_one_on_every_frame(seed, n, pace, drift) -> None:
    rng = np.random.default_rng(seed)
    position = rng.uniform(0.0, 6.0, (n, 3))
    velocity = rng.normal(0.0, pace, (n, 3)) * np.where(rng.random((n, 1)) < 0.1, 20.0, 1.0)
    velocity[:, 0] += drift
    radius = rng.uniform(0.0, 0.6, n) * np.where(rng.random(n) < 0.1, 8.0, 1.0)
    present = rng.random(n) < 0.9
    searched = Overlaps()
    for _ in range(25):
        position = position + velocity
        velocity = velocity + rng.normal(0.0, 0.3 * pace, (n, 3))
        if rng.random() < 0.2:
            present, radius = rng.random(n) < 0.8, radius * rng.choice([0.0, 0.8, 1.3], n, p=[0.1, 0.5, 0.4])
        first, second, distance = searched.on(position, radius, present)
        pairs = [(min(pair), max(pair)) for pair in zip(first.tolist(), second.tolist())]
        assert len(set(pairs)) == len(pairs)
        assert set(pairs) == touching(position, radius, present)
        assert distance == pytest.approx([np.linalg.norm(position[i] - position[j]) for i, j in pairs])


@pytest.mark.parametrize(("pace", "drift"), [(0.0, 0.0), (0.0, 3.0), (0.01, 3.0)])
def test_bodies_that_stand_or_move_together_are_searched_rarely(monkeypatch, pace, drift) -> None:
    searches = []
    search = overlaps.pairs_of_reach
    monkeypatch.setattr(overlaps, "pairs_of_reach", lambda *given: searches.append(1) or search(*given))
    rng = np.random.default_rng(1)
    position = rng.uniform(0.0, 20.0, (200, 3))
    velocity = rng.normal(0.0, pace, (200, 3)) + np.array([drift, 0.0, 0.0])
    searched = Overlaps()
    for frame in range(100):
        searched.on(position + frame * velocity, np.full(200, 0.3), np.ones(200, dtype=bool))
    assert len(searches) <= 20


def test_axes_of_no_length_find_what_spheres_find() -> None:
    rng = np.random.default_rng(2)
    position, radius, present = rng.uniform(0.0, 4.0, (60, 3)), rng.uniform(0.1, 0.6, 60), np.ones(60, dtype=bool)
    spheres = Overlaps().on(position, radius, present)
    capsules = Overlaps().on(position, radius, present, np.zeros((60, 3)))
    assert [column.tolist() for column in spheres[:2]] == [column.tolist() for column in capsules[:2]]
    assert spheres[2] == pytest.approx(capsules[2], abs=1e-12)
