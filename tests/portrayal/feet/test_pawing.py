"""Feet that clips that stand lift are kept down; what is done once still lifts them."""

import numpy as np
import pytest

from steering_addon.portrayal.clips import DO, MOVE, PHASES, STAND, Clip, Playing
from steering_addon.portrayal.feet.footholds import footholds
from steering_addon.portrayal.feet.pawing import LIFTS, Paw, paws_of, put_down, settling
from steering_addon.portrayal.feet.rotations import rotation_about_up, rotation_between
from steering_addon.portrayal.feet.treads import Carried, FootCorrection, LegReach, Stepping
from tests.portrayal.feet.walks import FRAME_TIME, FRAMES, TIME, UP, body_of, in_world, stand
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
    return paws_of([Clip("Idle", plays, 2.0)], [sole], np.zeros(1), [place], [turn], HEIGHT)[0]


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


def test_a_body_settles_as_it_stops_and_until_a_foot_would_swing_past() -> None:
    stops = (TIME > 1.0) & (TIME < 3.0)
    body, _ = body_of(soles(TIME, 1.2), np.cumsum(np.where(stops, 0.0, 1.2 * FRAME_TIME)), 0.0 * TIME)
    many = Carried(*(column if np.isscalar(column) else column[None] for column in vars(body).values()))
    phase = np.cumsum(np.where(stops, 0.0, FRAME_TIME))
    share = settling(phase[None], many, HEIGHT, FRAME_TIME)[0]
    assert (share[TIME < 0.9] == 0.0).all()
    assert (share[(TIME > 1.12) & stops] == 1.0).all()
    np.testing.assert_allclose(np.interp([2.98, 3.1, 3.25], TIME, share), (1.0, 0.4, 0.0), atol=0.1)


@pytest.mark.parametrize("plays", [MOVE, STAND])
def test_a_foot_ahead_of_its_body_stays_where_it_came_down_and_another_comes_up_below_it(plays: int) -> None:
    """Either stands flat, as in the middle of its stance; a clip that stands does with its feet what it likes."""
    sole, part = soles(PHASE, 1.2)[:, :12], PHASE % 1.0
    tilt = np.clip(3.0 * (part - 0.3), 0.0, 0.9)
    turn = rotation_between(np.tile(UP, (len(part), 1)), np.stack((0.0 * tilt, np.sin(tilt), np.cos(tilt)), axis=1))
    place = np.einsum("pmi->pi", sole) / sole.shape[1]
    sole = place[:, None] + np.einsum("pij,pmj->pmi", turn, sole - place[:, None])
    sunk = np.minimum(np.min(sole[..., 2], axis=1), 0.0)[:, None] * UP
    sole, place = sole - sunk[:, None], place - sunk
    clips = [Clip("Walk", plays, 1.0, speed=1.2)]
    _, closing = paws_of(clips, [sole], np.zeros(1), [place], [turn], HEIGHT)
    playing = Playing(PHASE[None, :PHASES], np.ones((1, PHASES)))
    step = closing.correction(playing, place[None, :PHASES])
    foot = put_down(Stepping(sole[None, :PHASES], np.zeros((1, PHASES))), step, np.ones((1, PHASES)))
    closed = foot.kept_down().points[0]
    if plays == STAND:
        np.testing.assert_allclose(closed, sole[:PHASES])
        return
    assert np.ptp(closed[..., 2]) < 1e-9
    # At last it swings close to the ground, as one that has come down.
    ahead = np.where(part < 0.3, -place[:, 1], 0.0)[: int(0.9 * PHASES)]
    np.testing.assert_allclose(-closed[: len(ahead), :, 1].mean(axis=1), ahead, atol=0.02)
