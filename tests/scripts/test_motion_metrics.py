"""The metrics have the expected values on known motion."""

import numpy as np
import pytest

from scripts.motion_metrics import (
    aspect,
    coordinated_rolls,
    crossings,
    jerks,
    kept,
    lag,
    lost,
    nearest_distances,
    polarization,
    reversals,
    roll_rates,
    roll_reversals,
    rolled,
    rolls,
    turns,
)

FPS = 24.0
TIME = np.arange(0.0, 10.0, 1.0 / FPS)


def heading_to(angle: np.ndarray) -> np.ndarray:
    """Level headings, (frames, 1, 3), from degrees."""
    angle = np.radians(angle)
    return np.stack((np.cos(angle), np.sin(angle), np.zeros_like(angle)), axis=-1)[:, None]


def test_a_steady_turn_has_its_rate_and_no_jerk() -> None:
    forward = heading_to(30.0 * TIME)
    assert np.allclose(turns(forward, FPS), (0.0, 0.0, 30.0))
    assert jerks(forward, FPS).max() < 1e-6
    assert reversals(forward, FPS) == 0.0


def test_a_trembling_heading_reverses_on_every_frame() -> None:
    forward = heading_to(np.where(np.arange(len(TIME)) % 2, 1.0, 0.0))
    assert reversals(forward, FPS) == 1.0
    assert jerks(forward, FPS).min() == pytest.approx(48.0)
    assert reversals(heading_to(0.1 * (np.arange(len(TIME)) % 2)), FPS) == 0.0, "too slow to be visible"


@pytest.mark.parametrize("roll", [-170.0, -30.0, 0.0, 45.0, 90.0])
def test_a_roll_to_the_right_is_positive(roll: float) -> None:
    forward = heading_to(np.full(5, 90.0))
    up = np.tile([np.sin(np.radians(roll)), 0.0, np.cos(np.radians(roll))], (5, 1, 1))
    assert np.allclose(rolls(forward, up), roll)
    assert np.abs(rolled(forward, up)).max() < 1e-9


def test_a_coordinated_turn_to_the_right_rolls_right() -> None:
    forward = heading_to(-50.0 * TIME)
    wanted = np.degrees(np.arctan(8.0 * np.radians(50.0) / 9.81))
    assert np.allclose(coordinated_rolls(8.0 * forward, FPS)[2:-2], wanted, atol=0.1)


def test_a_loop_does_not_count_as_a_roll_and_a_barrel_roll_does() -> None:
    angle = 2.0 * np.pi * np.arange(73) / 72.0
    zero = np.zeros_like(angle)
    looping = np.stack((np.cos(angle), zero, np.sin(angle)), axis=-1)[:, None]
    up = np.stack((-np.sin(angle), zero, np.cos(angle)), axis=-1)[:, None]
    assert np.abs(rolled(looping, up)).sum() < 1e-6
    straight = np.tile([1.0, 0.0, 0.0], (73, 1, 1))
    barrel = np.stack((zero, -np.sin(angle), np.cos(angle)), axis=-1)[:, None]
    assert rolled(straight, barrel).sum() == pytest.approx(360.0)
    assert np.allclose(roll_rates(rolls(straight, barrel), FPS), 360.0 / 72.0 * FPS)


def test_the_lag_of_a_delayed_signal_is_its_delay() -> None:
    lead = np.sin(1.3 * TIME) + 0.5 * np.sin(2.9 * TIME)
    late = np.sin(1.3 * (TIME - 0.27)) + 0.5 * np.sin(2.9 * (TIME - 0.27))
    assert lag(late, lead, FPS) == pytest.approx(0.27, abs=0.02)
    assert lag(lead, late, FPS) == pytest.approx(-0.27, abs=0.02)


def test_a_reversed_roll_is_counted_unless_it_is_slow() -> None:
    rate = np.array([20.0, -20.0, -30.0, 5.0, -5.0, 4.0])[:, None]
    assert roll_reversals(rate) == pytest.approx(2.0 / 5.0)


def test_crossings_are_counted_per_ten_seconds() -> None:
    aside = np.sin(2.0 * np.pi * 0.5 * TIME + 0.1)[:, None]
    assert crossings(aside, FPS) == pytest.approx(10.0, abs=1.0)


def test_a_group_is_linked_vehicle_by_vehicle() -> None:
    chain = np.arange(6.0)[:, None] * [1.0, 0.0, 0.0]
    apart = np.concatenate((chain, [[20.0, 0.0, 0.0], [20.5, 0.0, 0.0]]))[None]
    assert lost(apart, 1.5).tolist() == [0.25]
    assert lost(apart, 0.9).tolist() == [0.75], "only the last two are linked"
    assert lost(apart, 0.1).tolist() == [7 / 8]
    assert lost(apart, 50.0).tolist() == [0.0]
    assert nearest_distances(apart)[0].tolist() == [1.0] * 6 + [0.5] * 2


def test_polarization_is_one_for_equal_headings_and_zero_for_opposite_ones() -> None:
    same = np.tile([0.0, 1.0, 0.0], (2, 4, 1))
    assert polarization(same).tolist() == [1.0, 1.0]
    assert polarization(same * [[[1.0], [-1.0], [1.0], [-1.0]]]).tolist() == [0.0, 0.0]


def test_a_drifting_flock_keeps_its_neighbors_and_a_shuffled_one_does_not() -> None:
    rng = np.random.default_rng(3)
    place = rng.normal(size=(40, 3)) * 10.0
    drifting = place + np.arange(60.0)[:, None, None] * [0.3, 0.0, 0.0]
    assert kept(drifting, FPS) == 1.0
    shuffled = np.where(np.arange(48)[:, None, None] < 24, place, place[rng.permutation(40)])
    assert kept(shuffled, FPS) == pytest.approx(6.0 / 39.0, abs=0.1), "the share kept by chance if all change places"
    assert np.isnan(kept(drifting[:20], FPS)), "too short to measure"


def test_the_aspect_of_a_ball_is_one_and_that_of_a_cigar_is_more() -> None:
    rng = np.random.default_rng(4)
    ball = rng.normal(size=(2000, 3))
    assert aspect(ball[None])[0] == pytest.approx(1.0, abs=0.1)
    stretched = ball * [4.0, 1.0, 2.0]
    tilted = np.stack((stretched[:, 0] - stretched[:, 1], stretched[:, 0] + stretched[:, 1], stretched[:, 2]), axis=-1)
    assert aspect(np.stack((stretched, tilted / np.sqrt([2.0, 2.0, 1.0]))))[:] == pytest.approx([4.0, 4.0], rel=0.1)


def test_two_on_the_same_spot_have_distance_zero() -> None:
    place = np.array([[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [3.0, 0.0, 0.0]]])
    assert nearest_distances(place).tolist() == [[0.0, 0.0, 3.0]]


def test_a_crowd_measured_in_chunks_gives_the_same_values(monkeypatch: pytest.MonkeyPatch) -> None:
    place = np.random.default_rng(5).normal(size=(30, 50, 3)).cumsum(axis=0)
    whole = nearest_distances(place), kept(place, FPS), lost(place, 3.0)
    monkeypatch.setattr("scripts.motion_metrics.CHUNK", 170)
    for expected, chunked in zip(whole, (nearest_distances(place), kept(place, FPS), lost(place, 3.0))):
        assert np.array_equal(expected, chunked)
