"""The planes on which feet stand: slopes, and the edges of steps."""

import numpy as np
import pytest

from steering_addon.portrayal.feet.planes import fit_planes

AHEAD = np.array(((1.0, 0.0),))
SCALE = np.array((1.8,))
FRAME = np.array((7,))


def sole(x: float) -> np.ndarray:
    """The outline of a sole 30 cm long and 10 cm wide, whose middle is at x, along the x axis; (1, 6, 3)."""
    return np.array([[(x + along, side, 0.1) for along in (-0.15, 0.0, 0.15) for side in (-0.05, 0.05)]])


def steps(places: np.ndarray, _: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """A step up of 17 cm at x = 0, where the face is upright."""
    normals = np.tile((0.0, 0.0, 1.0), (len(places), 1))
    normals[np.abs(places[:, 0]) < 0.01] = (-1.0, 0.0, 0.0)
    return np.where(places[:, 0] > 0.0, 0.17, 0.0), normals


def test_a_sole_lies_on_a_slope() -> None:
    slope = np.array((-0.4, 0.2, 1.0)) / np.sqrt(1.2)
    planes = fit_planes(
        sole(0.3), AHEAD, SCALE, FRAME, lambda at, _: (0.4 * at[:, 0] - 0.2 * at[:, 1], np.tile(slope, (len(at), 1)))
    )
    np.testing.assert_allclose(planes.normal[0], slope)
    np.testing.assert_allclose(planes.shift, 0.0)
    x = np.array((-1.0, 0.5))
    np.testing.assert_allclose(planes.height(np.zeros(2, int), x, x), 0.2 * x, atol=1e-12)


@pytest.mark.parametrize(
    ("middle", "shift"),
    [(-0.3, 0.0), (-0.14, -0.02), (-0.1, -0.04), (-0.06, -0.06), (0.0, 0.02), (0.06, 0.06), (0.1, 0.04), (0.14, 0.02)],
)
def test_no_part_of_a_sole_is_inside_a_step(middle: float, shift: float) -> None:
    planes = fit_planes(sole(middle), AHEAD, SCALE, FRAME, steps)
    np.testing.assert_allclose(planes.normal[0], (0.0, 0.0, 1.0))
    put = sole(middle)[0] + (*planes.shift[0], 0.0)
    below, _ = steps(put)
    height = planes.height(np.zeros(len(put), int), put[:, 0], put[:, 1])
    assert (height >= below - 1e-9).all()
    assert height[0] in (0.0, 0.17)
    # Most of it is carried, as it is put down before the edge or well beyond it.
    assert np.mean(height - below < 0.01) > 0.6
    np.testing.assert_allclose(planes.shift[0], (shift * SCALE[0], 0.0))


@pytest.mark.parametrize("tilt", [0.0, 0.5])
def test_a_sole_lies_on_what_bulges_below_it(tilt: float) -> None:
    """Also where its faces tilt so that no plane through one place is above all others."""

    def bump(at: np.ndarray, _: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        tilted = np.stack((np.copysign(tilt, -at[:, 0]), np.zeros(len(at)), np.ones(len(at))), axis=1)
        return 0.05 - at[:, 0] * at[:, 0], tilted / np.hypot(1.0, tilt)

    planes = fit_planes(sole(0.0), AHEAD, SCALE, FRAME, bump)
    put = sole(0.0)[0] + (*planes.shift[0], 0.0)
    assert (planes.height(np.zeros(6, int), put[:, 0], put[:, 1]) >= bump(put)[0] - 1e-9).all()


def test_ground_is_asked_for_on_the_frame_of_each_stance() -> None:
    asked = []

    def rising(at: np.ndarray, frames: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        asked.append(set(frames.tolist()))
        return 0.1 * frames, np.tile((0.0, 0.0, 1.0), (len(at), 1))

    twice = [np.repeat(each, 2, axis=0) for each in (sole(0.0), AHEAD, SCALE)]
    planes = fit_planes(*twice, np.array((3, 5)), rising)
    np.testing.assert_allclose(planes.point[:, 2], (0.3, 0.5))
    assert asked == [{3, 5}]
