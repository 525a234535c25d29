"""What holds the feet of many bodies together: each is held as if it were alone."""

import numpy as np

from steering_addon.portrayal.footholds import Carried, Stepping, footholds
from steering_addon.portrayal.holding import Glide
from steering_addon.portrayal.planting import mean_around
from steering_addon.portrayal.stretches import marked, medians, stretches
from tests.portrayal.stepping import HEIGHT
from tests.portrayal.test_planting import FRAME_TIME, UP, walk
from tests.portrayal.test_small_steps import FRAMES, standing


def bumpy(places: np.ndarray, _: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Steps of 12 cm across the way."""
    return 0.12 * np.floor(places[:, 1] / 0.4), np.tile(UP, (len(places), 1))


def different_bodies() -> list[tuple[Carried, list[Stepping]]]:
    """One that walks, one that walks round a bend, one that stands and turns, and one whose feet never touch."""
    part = np.clip((np.arange(FRAMES) - 20) / 48.0, 0.0, 1.0)
    flying, feet = walk(FRAMES)
    high = [Stepping(foot.points + UP, foot.rests) for foot in feet]
    return [walk(FRAMES, played=0.8), walk(FRAMES, 0.9, radius=-1.5), standing(2.0 * part, 0.3 * part), (flying, high)]


def test_each_of_many_bodies_is_held_as_if_it_were_alone() -> None:
    bodies = different_bodies()
    together = Carried(*(np.stack([vars(body)[name] for body, _ in bodies]) for name in vars(bodies[0][0])))
    feet = [
        Stepping(
            np.stack([each[foot].points for _, each in bodies]), np.stack([each[foot].rests for _, each in bodies])
        )
        for foot in (0, 1)
    ]
    for ground in (None, bumpy):
        held = footholds(together, feet, HEIGHT, FRAME_TIME, ground)
        for row, (body, of_body) in enumerate(bodies):
            for correction, alone in zip(held, footholds(body, of_body, HEIGHT, FRAME_TIME, ground)):
                for name, column in vars(alone).items():
                    np.testing.assert_array_equal(getattr(correction, name)[row], column)
        moves = [np.abs(held[0].shift[row]).max() for row in range(len(bodies))]
        assert min(moves[:3]) > 0.01


def test_stretches_end_where_a_body_does() -> None:
    mask = np.array([[False, True, True], [True, False, True], [False, False, False]])
    pieces = stretches(mask)
    assert list(zip(pieces.body.tolist(), pieces.first.tolist(), pieces.last.tolist())) == [
        (0, 1, 3),
        (1, 0, 1),
        (1, 2, 3),
    ]
    rows, stretch = pieces.within(3)
    assert rows.tolist() == [1, 2, 3, 5] and stretch.tolist() == [0, 0, 1, 2]
    np.testing.assert_array_equal(marked(pieces, mask.shape), mask)
    assert pieces.within(4, 1)[0].tolist() == [1, 2, 3, 4, 5, 6, 7]
    np.testing.assert_array_equal(medians(np.array((4.0, 2.0, 7.0, -1.0)), stretch, 3), (3.0, 7.0, -1.0))


def test_means_and_glides_of_one_body_know_nothing_of_another() -> None:
    values = np.array([[0.0, 4.0, 0.0, 8.0], [100.0, 300.0, 100.0, 100.0]])
    known = np.array([[True, False, False, True], [False, False, False, False]])
    smooth = Glide.of(known).over(values[..., None])[..., 0]
    np.testing.assert_array_equal(smooth[1], values[1])
    assert smooth[0, 0] == 0.0 and smooth[0, 3] == 8.0 and 0.0 < smooth[0, 1] < smooth[0, 2] < 8.0
    np.testing.assert_allclose(mean_around(values, 1)[:, (0, 3)], values[:, (0, 3)])
