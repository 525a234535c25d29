"""Laws of knees that bend evenly."""

import numpy as np
import pytest

from steering_addon.portrayal.feet.knees import GIVES, ROLLS, SOON, _half_angle, _Toes, ease
from steering_addon.portrayal.feet.treads import STRETCH, FootCorrection, LegReach, Stepping
from steering_addon.simulation.arrays.vectors import columns
from tests.portrayal.feet.walks import FRAME_TIME, FRAMES

HEIGHT, LENGTHS = 1.8, (0.45, 0.35)
FLAT = np.array([(x, y, 0.0) for x in (-0.04, 0.04) for y in (-0.2, -0.1, 0.0, 0.08)])
CHANCE = np.random.default_rng(3)
STILL = np.tile(np.eye(3), (FRAMES, 1, 1))
FRAME = np.arange(FRAMES)
SWINGS = FRAME % 24 > 14


def row(*place: float) -> np.ndarray:
    return np.tile(place, (FRAMES, 1))


def length(v: np.ndarray) -> np.ndarray:
    return np.linalg.norm(v, axis=-1)


REACH = LegReach(row(0.0, 0.0, 0.8), row(0.0, 0.05, 0.06), sum(LENGTHS), folded=LENGTHS[0] - LENGTHS[1])


def foot_of(pitch: float = 0.0) -> Stepping:
    """A foot whose toes are raised by an angle, radians."""
    points = np.tile(FLAT, (FRAMES, 1, 1))
    points[..., 2] = -np.minimum(points[..., 1], 0.0) * np.sin(pitch)
    return Stepping(points, np.zeros(FRAMES), reach=REACH)


def bends(correction: FootCorrection) -> np.ndarray:
    """The angles of the knee, degrees."""
    upper, lower = LENGTHS
    far = np.minimum(length(REACH.target(correction) - REACH.hip), upper + lower)
    return np.degrees(np.arccos((upper * upper + lower * lower - far * far) / (2.0 * upper * lower)))


def correction_of(high: np.ndarray, jitter: float = 0.004) -> FootCorrection:
    shift = columns(0.0 * high, jitter * CHANCE.normal(size=FRAMES), high)
    return FootCorrection(row(0.0, 0.0, 0.0), shift, STILL, np.where(SWINGS, np.maximum(high, 0.0), 0.0))


def test_a_knee_bends_evenly_while_the_toes_of_a_held_foot_stay_on_the_ground() -> None:
    given = correction_of(np.where(SWINGS, 0.15, 0.01 * CHANCE.uniform(size=FRAMES)))
    foot = foot_of()
    eased = ease(foot, given, np.zeros(FRAMES), HEIGHT, FRAME_TIME)
    before, after = (np.abs(np.diff(bends(each), 2)).max() for each in (given, eased))
    assert after < 0.5 * before
    was, now = (each.move_points(foot.points) for each in (given, eased))
    toes = foot.points[0, :, 1] < -0.15
    near = ~SWINGS & (SWINGS[np.clip(FRAME + 1, 0, FRAMES - 1)] | SWINGS[np.clip(FRAME - 1, 0, FRAMES - 1)])
    lifted = (now - was)[~SWINGS & ~near][:, toes]
    assert (
        np.abs(lifted[..., :2]).max() < 1e-9
        and -1e-9 < lifted[..., 2].min() <= lifted[..., 2].max() < 0.25 * SOON * HEIGHT + 1e-9
    )
    assert lifted[..., 2].mean() < 0.05 * SOON * HEIGHT, "and leave it only where the knee asks for that"
    assert (now - was)[near][..., 2].min() > -1e-9 and (now - was)[near][:, toes, 2].max() <= 0.5 * SOON * HEIGHT + 1e-9
    assert now[..., 2].min() > -1e-9, "nor does one that swings go into the ground"
    rolled = np.degrees(np.arcsin(eased.turn[:, 2, 1]))
    assert 1.0 < rolled.max() <= np.degrees(ROLLS) + 1e-9 and rolled.min() > -1e-9


def test_toes_in_the_air_do_not_carry_a_foot_that_rolls() -> None:
    given = correction_of(np.where(SWINGS, 0.15, 0.0))
    eased = ease(foot_of(pitch=0.6), given, np.zeros(FRAMES), HEIGHT, FRAME_TIME)
    np.testing.assert_allclose(eased.turn, STILL, atol=1e-12)
    near = np.any([np.roll(SWINGS, shift) for shift in range(-3, 4)], axis=0)
    lifted = (eased.shift - given.shift)[~near, 2]
    assert 0.0005 < lifted.max() <= GIVES * HEIGHT + 1e-9 and lifted.min() > -1e-12, "it is lifted a little instead"


def test_a_foot_that_swings_beyond_its_leg_is_drawn_to_where_that_reaches() -> None:
    given = correction_of(np.where(SWINGS & (FRAME % 24 < 20), -0.2, 0.0), jitter=0.0)
    given = FootCorrection(given.centre, given.shift, given.turn, np.where(SWINGS, 0.05, 0.0))
    eased = ease(foot_of(), given, np.zeros(FRAMES), HEIGHT, FRAME_TIME)
    assert length(REACH.target(eased) - REACH.hip)[SWINGS].max() <= sum(LENGTHS)


@pytest.mark.parametrize("reach", [REACH, None])
def test_what_never_swings_or_has_no_leg_stays_as_it_is(reach: LegReach | None) -> None:
    high = np.where(SWINGS, 0.1, 0.0)
    stands = FootCorrection(row(0.0, 0.0, 0.0), columns(0.0 * high, 0.0, high), STILL, 0.0 if reach else high)
    foot = Stepping(foot_of().points, np.zeros(FRAMES), reach=reach)
    assert ease(foot, stands, np.zeros(FRAMES), HEIGHT, FRAME_TIME) is stands


def test_a_knee_bends_by_the_angle_at_which_its_leg_is_so_long() -> None:
    upper, lower = LENGTHS
    far = np.linspace(upper - lower, STRETCH * (upper + lower), 20)
    cosine = (upper * upper + lower * lower - far * far) / (2.0 * upper * lower)
    np.testing.assert_allclose(2.0 * _half_angle(REACH, far), np.arccos(cosine), atol=0.002)


def test_a_foot_rolls_by_the_angle_at_which_its_leg_is_as_long_as_it_is_to_be() -> None:
    toes = _Toes.of(foot_of(), REACH, correction_of(np.zeros(FRAMES)), np.zeros(FRAMES), HEIGHT)
    angle = np.linspace(0.0, ROLLS, FRAMES)
    np.testing.assert_allclose(toes.roll(toes.rolled_length(angle, 0.0 * angle)), angle, atol=1e-6)


def test_a_knee_bends_alike_at_any_frame_rate() -> None:
    def bend_at(fps: int) -> np.ndarray:
        time = np.arange(4 * fps + 1) / fps
        swing, place = np.abs(time % 1.0 - 0.7), np.zeros((len(time), 3))
        high = 0.15 * np.maximum(1.0 - swing / 0.25, 0.0)
        still = np.tile(np.eye(3), (len(time), 1, 1))
        given = FootCorrection(place, columns(0.0 * high, 0.0, high), still, np.where(swing < 0.25, high, 0.0))
        reach = LegReach(*(place + k[0] for k in (REACH.hip, REACH.ankle)), REACH.length, folded=REACH.folded)
        eased = ease(Stepping(place[:, None] + FLAT, 0.0 * high, reach=reach), given, 0.0 * high, HEIGHT, 1.0 / fps)
        return np.degrees(2.0 * _half_angle(reach, length(reach.line(eased, 0.0 * high))))[:: fps // 12]

    usual = bend_at(24)
    assert np.ptp(usual) > 20.0
    for fps in (12, 48, 60):
        assert np.abs(bend_at(fps) - usual).max() < 0.3
