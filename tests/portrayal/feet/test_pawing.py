"""Feet that clips that stand lift are kept down; what is done once still lifts them."""

import numpy as np
import pytest

from steering_addon.portrayal.clips import DO, PHASES, STAND, Clip, Playing
from steering_addon.portrayal.feet.footholds import footholds
from steering_addon.portrayal.feet.pawing import LIFTS, Paw, paw_of, put_down, settling
from steering_addon.portrayal.feet.rotations import rotation_about_up
from steering_addon.portrayal.feet.treads import Carried, FootCorrection, LegReach, Stepping
from tests.portrayal.feet.walks import FRAME_TIME, FRAMES, TIME, body_of, in_world, stand
from tests.portrayal.stepping import HEIGHT, soles

PHASE = np.arange(PHASES + 2.0) / PHASES


def pawing(high: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A sole, the origin of its foot and how that is turned at each phase: half of the time it is drawn back and up."""
    part = np.maximum(np.sin(2.0 * np.pi * PHASE), 0.0)[:, None]
    turn = rotation_about_up(0.4 * part[:, 0])
    place = np.array((0.1, -0.1, 0.1)) + part * (0.0, 0.2, high)
    resting = soles(np.zeros(1), 0.0)[0, :12] * (1.0, 1.0, 0.0) - (0.1, -0.1, 0.1)
    return place[:, None] + np.einsum("pij,mj->pmi", turn, resting), place, turn


def paw(plays: int, high: float = 0.1) -> Paw | None:
    sole, place, turn = pawing(high)
    return paw_of([Clip("Idle", plays, 2.0)], [sole], np.zeros(1), [place], [turn], HEIGHT)


@pytest.mark.parametrize(
    "plays, high, kept", [(STAND, 0.1, True), (STAND, 0.9 * LIFTS * HEIGHT, False), (DO, 0.1, False)]
)
def test_only_clips_that_stand_and_lift_a_foot_are_changed(plays: int, high: float, kept: bool) -> None:
    assert (paw(plays, high) is not None) == kept


def test_a_foot_that_paws_stays_where_it_rests_in_its_clip() -> None:
    played = np.linspace(0.0, 3.0, FRAMES)[None, None]
    rows = np.round((played[0, 0] % 1.0) * PHASES).astype(int)
    sole, place, _ = (column[rows] for column in pawing(0.1))
    body, _ = stand()
    down = paw(STAND).correction(Playing(rows[None] / PHASES, np.ones(played.shape[1:])), place[None])
    kept = Stepping(sole, np.zeros(FRAMES), FootCorrection(down.centre[0], down.shift[0], down.turn[0]))
    lifted = in_world(body, kept)[..., 2].min(axis=1)
    [correction] = footholds(body, [kept], HEIGHT, FRAME_TIME)
    world = in_world(body, kept, correction)
    assert lifted.max() > 0.09
    assert np.abs(world[..., 2]).max() < 1e-9
    assert np.ptp(world, axis=0).max() < 1e-9


def test_one_correction_after_another_does_what_both_do() -> None:
    chance = np.random.default_rng(4)
    first, other = (
        FootCorrection(*chance.normal(size=(2, 5, 3)), rotation_about_up(chance.normal(size=5))) for _ in range(2)
    )
    places = chance.normal(size=(5, 3))
    np.testing.assert_allclose(first.then(other).move(places), other.move(first.move(places)))
    np.testing.assert_allclose(first.move_points(places[:, None])[:, 0], first.move(places))
    foot = Stepping(places[:, None], np.zeros(5), first, LegReach(places, places, 1.0)).kept_down()
    np.testing.assert_allclose(foot.reach.ankle, first.move(places))
    np.testing.assert_array_equal(foot.reach.hip, places)


def test_on_a_single_frame_nobody_stops() -> None:
    body, _ = body_of(soles(0.0 * TIME, 1.2), 0.0 * TIME, 0.0 * TIME)
    one = Carried(*(column if np.isscalar(column) else column[None, :1] for column in vars(body).values()))
    assert settling(np.ones((1, 1)), one, HEIGHT, FRAME_TIME).tolist() == [[0.0]]


@pytest.mark.parametrize("moving", [1.0, 0.0])
def test_a_body_that_stops_in_a_step_of_its_walk_puts_its_foot_straight_down(moving: float) -> None:
    """It holds there; a clip that stands may do with its feet what it likes."""
    gone = np.minimum(1.2 * TIME, 1.7)
    body, feet = body_of(soles(gone / 1.2, 1.2), gone, 0.0 * gone)
    many = Carried(*(column if np.isscalar(column) else column[None] for column in vars(body).values()))
    share = settling(np.full((1, FRAMES), moving), many, HEIGHT, FRAME_TIME)[0]
    put = [put_down(foot, share) for foot in feet]
    stands = np.diff(gone, append=gone[-1]) == 0.0
    heights = [
        in_world(body, foot, correction)[stands][12:, :, 2].min(axis=1)
        for foot, correction in zip((each.kept_down() for each in put), footholds(body, put, HEIGHT, FRAME_TIME))
    ]
    lifted = max(height.max() for height in heights)
    assert (lifted < 1e-9) if moving else (lifted > 0.05)
    assert (share[~stands][:-4] == 0.0).all()
