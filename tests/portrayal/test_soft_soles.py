"""Points of soles that the bones above a foot move, too."""

import numpy as np

from steering_addon.portrayal.footholds import Stepping
from steering_addon.portrayal.planting import Correction, Moved, corrected, turned, turned_about_up, turned_between
from steering_addon.portrayal.soft_soles import Soft, as_moved

FRAMES = 4
CHANCE = np.random.default_rng(2)


def turns() -> np.ndarray:
    return turned_between(*CHANCE.normal(size=(2, FRAMES, 3)))


def test_points_as_a_foot_takes_them_along_come_to_where_all_bones_move_them() -> None:
    points, parts = CHANCE.normal(size=(FRAMES, 3, 3)), CHANCE.normal(size=(3, FRAMES, 1, 3))
    shares = [np.array((share,)) for share in (0.05, 0.3, 0.15)]
    moves = [Moved(turns(), *CHANCE.normal(size=(2, FRAMES, 3))) for _ in shares]
    correction = Correction(*CHANCE.normal(size=(2, FRAMES, 3)), turns())
    soft = Soft(np.array((1,)), shares, [share * part for share, part in zip(shares, parts)])
    foot = as_moved(Stepping(points, np.zeros(FRAMES)), soft, moves, correction)

    def moved(place: np.ndarray, move: Moved) -> np.ndarray:
        return turned(move.turn, place - move.start) + move.end

    of_foot = (points[:, 1] - sum(share * part[:, 0] for share, part in zip(shares, parts))) / 0.5
    expected = 0.5 * corrected(of_foot, correction)
    expected = expected + sum(share * moved(part[:, 0], move) for share, part, move in zip(shares, parts, moves))
    np.testing.assert_allclose(corrected(foot.points[:, 1], correction), expected, atol=1e-9)
    np.testing.assert_array_equal(foot.points[:, ::2], points[:, ::2])


def test_points_of_a_foot_that_does_not_lean_stay_as_they_are() -> None:
    points, part = CHANCE.normal(size=(FRAMES, 2, 3)), CHANCE.normal(size=(FRAMES, 1, 3))
    correction = Correction(*CHANCE.normal(size=(2, FRAMES, 3)), turned_about_up(np.linspace(0.0, 1.0, FRAMES)))
    soft = Soft(np.array((1,)), [np.array((0.4,))], [0.4 * part])
    move = Moved(turns(), *CHANCE.normal(size=(2, FRAMES, 3)))
    foot = as_moved(Stepping(points, np.zeros(FRAMES)), soft, [move], correction)
    np.testing.assert_array_equal(foot.points, points)
