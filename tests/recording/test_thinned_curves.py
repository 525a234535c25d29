"""Thinned curves keep to numbers known on every frame with fewer keys."""

import numpy as np
import pytest

from steering_addon.recording.thinned_curves import may_fit, thinned_curves

PRECISION = 2e-4


def between(values: np.ndarray, curve, frames: np.ndarray) -> np.ndarray:
    """What Blender makes of the keys of a curve at some frames: cubics whose points are those of the handles."""
    key = np.clip(np.searchsorted(curve.rows, frames, side="right") - 1, 0, len(curve.rows) - 2)
    begin, end = curve.rows[key], curve.rows[key + 1]
    t = (frames - begin) / (end - begin)
    place, left, right = curve.points.astype(np.float64)
    np.testing.assert_array_equal(place[:, 0], curve.rows)
    np.testing.assert_allclose(right[key, 0] - begin, (end - begin) / 3.0, atol=1e-4)
    np.testing.assert_allclose(left[key + 1, 0] - end, (begin - end) / 3.0, atol=1e-4)
    np.testing.assert_allclose(place[:, 1], values[curve.rows], rtol=1e-6)
    a, b, c, d = place[key, 1], right[key, 1], left[key + 1, 1], place[key + 1, 1]
    return (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d


def test_few_keys_keep_to_a_smooth_motion_also_between_frames() -> None:
    def motion(time):
        return np.stack((0.3 * np.sin(0.25 * time), np.full(len(time), 0.7), 0.01 * time), axis=1)

    frames, fine = np.arange(193.0), np.linspace(0.0, 192.0, 769)
    values = motion(frames)
    for column, curve in enumerate(thinned_curves(values, np.full(3, PRECISION))):
        assert curve.rows[0] == 0 and curve.rows[-1] == 192
        assert len(curve.rows) < (80, 16, 16)[column]
        off = between(values[:, column], curve, fine) - motion(fine)[:, column]
        assert np.abs(off).max() < 1.5 * PRECISION


@pytest.mark.parametrize("frames", [1, 2, 3, 17, 64])
def test_any_motion_is_kept_on_its_frames(frames: int) -> None:
    values = np.random.default_rng(frames).normal(size=(frames, 2))
    values[frames // 2 :, 1] = 5.0
    for column, curve in enumerate(thinned_curves(values, np.array((0.01, 0.5)))):
        assert curve.rows[0] == 0 and curve.rows[-1] == frames - 1
        if frames > 1:
            off = between(values[:, column], curve, np.arange(float(frames))) - values[:, column]
            assert np.abs(off).max() < (0.011, 0.51)[column]
            assert np.abs(off).max() < curve.off + 1e-6
            halves = np.arange(0.5, frames - 1.0)
            beside = between(values[:, column], curve, halves) - np.interp(halves, np.arange(frames), values[:, column])
            assert np.abs(beside).max() < curve.off + curve.rounds + 1e-6


def test_each_curve_has_its_own_precision() -> None:
    values = np.repeat(np.sin(0.3 * np.arange(97.0))[:, None], 2, axis=1)
    exact, rough = thinned_curves(values, np.array((1e-9, 0.1)))
    assert len(rough.rows) < 0.5 * len(exact.rows)


def test_only_spans_to_which_no_cubic_keeps_are_given_up_at_once() -> None:
    t, off = np.linspace(0.0, 1.0, 17)[:, None], np.zeros((17, 1))
    off[[4, 8, 12], 0] = -PRECISION, PRECISION, -PRECISION
    for share, fits in ((1.0, True), (1.01, False)):
        assert may_fit((2.0 * t - 3.0) * t * t + share * off, 8, 1, np.array([PRECISION])).all() == fits
