"""Controls of feet that meet the corrections of these."""

import numpy as np

from steering_addon.portrayal.controls import guided, turned_in, upright_axes
from steering_addon.portrayal.planting import Correction, turned_about_up
from steering_addon.portrayal.reach import Reach

FRAMES, FRAME_TIME = 40, 1.0 / 24.0
STILL = np.tile(np.eye(3), (FRAMES, 1, 1))


def row(*place: float) -> np.ndarray:
    return np.tile(place, (FRAMES, 1))


def leg(length: float = 0.9) -> Reach:
    return Reach(row(0.1, 0.0, 0.9), row(0.1, 0.0, 0.1), length)


def test_a_control_moves_and_turns_with_its_foot_as_a_stiff_body() -> None:
    turn = turned_about_up(np.linspace(0.0, 0.8, FRAMES))
    correction = Correction(centre=row(0.1, -0.05, 0.0), shift=row(0.03, 0.0, 0.02), turn=turn)
    result = guided([row(0.1, 0.15, 0.1)], [None], [correction], FRAME_TIME)
    before, after = row(0.1, 0.15, 0.1) - correction.centre, row(0.1, 0.15, 0.1) + result.shifts[0]
    moved = after - correction.centre - correction.shift
    np.testing.assert_allclose(np.einsum("fji,fj->fi", turn, moved), before, atol=1e-12)
    np.testing.assert_array_equal(result.turns[0], turn)
    assert not result.drop.any() and not result.short.any()


def test_a_control_goes_no_further_than_its_leg_reaches_unless_the_clip_does() -> None:
    far = Correction(centre=row(0.1, 0.0, 0.0), shift=row(0.0, -0.8, 0.0), turn=STILL)
    result = guided([row(0.1, 0.0, 0.1)], [leg()], [far], FRAME_TIME)
    ankle = row(0.1, 0.0, 0.1) + result.shifts[0]
    assert np.linalg.norm(ankle - row(0.1, 0.0, 0.9), axis=1).max() < 0.9
    np.testing.assert_allclose(result.short[0], np.sqrt(0.8**2 + 0.8**2) - 0.9, atol=1e-3)
    lower = Correction(centre=row(0.1, 0.0, 0.0), shift=row(0.0, 0.0, 0.02), turn=STILL)
    stretched = guided([row(0.1, 0.0, 0.1)], [leg(0.5)], [lower], FRAME_TIME)
    np.testing.assert_allclose(stretched.shifts[0], lower.shift)


def test_hips_come_down_for_a_foot_that_has_to_go_lower_than_the_leg_reaches() -> None:
    lower = Correction(centre=row(0.1, 0.0, 0.0), shift=row(0.0, 0.0, -0.2), turn=STILL)
    result = guided([row(0.1, 0.0, 0.1)], [leg()], [lower], FRAME_TIME, climb=np.zeros(FRAMES))
    assert result.drop.min() > 0.1
    assert result.short.max() < 1e-9
    np.testing.assert_allclose(result.shifts[0], lower.shift)


def test_means_of_rotations_are_rotations_and_turns_are_seen_in_other_axes() -> None:
    turns = turned_about_up(np.array((0.2, 0.6)))
    middle = upright_axes(turns.mean(axis=0, keepdims=True))
    np.testing.assert_allclose(middle, turned_about_up(np.array((0.4,))), atol=1e-12)
    axes, turn = turned_about_up(np.array((0.5,)))[..., [1, 2, 0]], turned_about_up(np.array((0.3,)))
    np.testing.assert_allclose(axes @ turned_in(axes, turn), turn @ axes, atol=1e-12)
