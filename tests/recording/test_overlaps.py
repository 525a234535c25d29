"""Who is in whom, frame by frame: the same as asking every pair on every frame, and asked for more rarely."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steering_addon.recording import overlaps as meetings
from steering_addon.recording.overlaps import Meetings


def touching(position, radius, there) -> set[tuple[int, int]]:
    """Every pair one by one."""
    n = len(position)
    return {
        (i, j)
        for i in range(n)
        for j in range(i + 1, n)
        if there[i] and there[j] and min(radius[i], radius[j]) > 0.0
        if np.linalg.norm(position[i] - position[j]) < radius[i] + radius[j]
    }


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 25), st.floats(0.0, 1.0), st.sampled_from([0.0, 5.0, 1000.0]))
def test_they_are_those_that_all_pairs_one_by_one_have_on_every_frame(seed, n, pace, drift) -> None:
    rng = np.random.default_rng(seed)
    position = rng.uniform(0.0, 6.0, (n, 3))
    velocity = rng.normal(0.0, pace, (n, 3)) * np.where(rng.random((n, 1)) < 0.1, 20.0, 1.0)
    velocity[:, 0] += drift
    radius = rng.uniform(0.0, 0.6, n) * np.where(rng.random(n) < 0.1, 8.0, 1.0)
    there = rng.random(n) < 0.9
    seen = Meetings()
    for _ in range(25):
        position = position + velocity
        velocity = velocity + rng.normal(0.0, 0.3 * pace, (n, 3))
        if rng.random() < 0.2:
            there, radius = rng.random(n) < 0.8, radius * rng.choice([0.0, 0.8, 1.3], n, p=[0.1, 0.5, 0.4])
        first, second, distance = seen.on(position, radius, there)
        pairs = [(min(pair), max(pair)) for pair in zip(first.tolist(), second.tolist())]
        assert len(set(pairs)) == len(pairs)
        assert set(pairs) == touching(position, radius, there)
        assert distance == pytest.approx([np.linalg.norm(position[i] - position[j]) for i, j in pairs])


@pytest.mark.parametrize(("pace", "drift"), [(0.0, 0.0), (0.0, 3.0), (0.01, 3.0)])
def test_who_stands_or_goes_along_with_all_is_seldom_asked_who_is_near(monkeypatch, pace, drift) -> None:
    searches = []
    monkeypatch.setattr(meetings, "_near", lambda *given, near=meetings._near: searches.append(1) or near(*given))
    rng = np.random.default_rng(1)
    position = rng.uniform(0.0, 20.0, (200, 3))
    velocity = rng.normal(0.0, pace, (200, 3)) + np.array([drift, 0.0, 0.0])
    seen = Meetings()
    for frame in range(100):
        seen.on(position + frame * velocity, np.full(200, 0.3), np.ones(200, dtype=bool))
    assert len(searches) <= 20
