"""What agents play of their clips: feet hold, phases never run backwards, and agents do not depend on each other."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.portrayal.clips import (
    BEAT,
    DO,
    MOVE,
    ON_LINK,
    PHASES,
    STAND,
    Clip,
    ClipSettings,
    Playing,
    influences,
)
from steering_addon.portrayal.playing import FrameMotion, Player, advanced, shorter
from steering_addon.simulation.arrays.chance import keys_of
from tests.portrayal.stepping import clips_of, sampled, soles, standing, walking

FRAME_TIME = 1.0 / 24.0


def ways(
    ahead, *, aside=None, turn=None, size=None, do=None, in_company=None, state=None, rate=None, effort=None
) -> list[FrameMotion]:
    """The ways of a run from speeds (f, n) in m/s, radians a second, rows of clips, and numbers of states."""
    ahead = np.asarray(ahead, dtype=float)
    nothing = np.zeros(ahead.shape)
    columns = [nothing if column is None else np.asarray(column, dtype=float) for column in (aside, turn)]
    sizes = np.ones(ahead.shape[1]) if size is None else np.asarray(size, dtype=float)
    asked = np.full(ahead.shape, -1) if do is None else np.asarray(do)
    together = np.zeros(ahead.shape[1], dtype=bool) if in_company is None else in_company
    states = np.zeros(ahead.shape, dtype=int) if state is None else np.asarray(state)
    moved = ahead * FRAME_TIME, columns[0] * FRAME_TIME, nothing, columns[1] * FRAME_TIME
    beaten, efforts = (np.ones(ahead.shape) if column is None else np.asarray(column) for column in (rate, effort))
    beaten = beaten * FRAME_TIME
    return [
        FrameMotion(*(column[k] for column in moved), sizes, asked[k], together, states[k], beaten[k], efforts[k])
        for k in range(len(ahead))
    ]


def play(clips, run, *, identities=None, **settings) -> Playing:
    """What n agents play of their clips on all frames of a run, (clips, frames, n)."""
    n = len(run[0].ahead)
    keys = keys_of(7, np.arange(n) if identities is None else np.asarray(identities))
    player = Player(clips, ClipSettings.of(n, **settings), keys, FRAME_TIME)
    frames = [player.start(run[0])]
    for way in run[1:]:
        frames.append(player.step(frames[-1], way))
    return Playing(*(np.stack([getattr(now, name) for now in frames], axis=1) for name in ("phase", "influence")))


def errands(frames: int = 160, n: int = 6, seed: int = 2) -> np.ndarray:
    """(frames, n) speeds of agents that stand, start, walk, run and stop."""
    chance = np.random.default_rng(seed)
    speeds = np.repeat(chance.choice([0.0, 0.4, 1.3, 3.0], (frames // 20 + 2, n)), 20, axis=0)
    smooth = np.cumsum(speeds, axis=0)
    return ((smooth[10:] - smooth[:-10]) / 10.0)[:frames]


def test_at_its_speed_a_sole_stays_where_it_is_put_down() -> None:
    clips = walking()
    speed = clips[1].speed
    playing = play(clips, ways(np.full((72, 1), speed)), variation=0.0)
    settled = slice(24, None)
    np.testing.assert_allclose(playing.influence[1, settled, 0], 1.0, atol=1e-9)
    points = soles(playing.phase[1, :, 0], speed)
    points[..., 1] -= np.arange(72)[:, None] * speed * FRAME_TIME
    slides = []
    for foot in (slice(0, 12), slice(12, 24)):
        down = points[settled, foot, 2].max(axis=1) <= 0.0
        steps = np.diff(points[settled, foot][:, 0, 1])[down[1:] & down[:-1]]
        assert len(steps) > 20
        slides.append(np.abs(steps).max())
    assert max(slides) < 0.01


def test_at_the_speed_of_an_exact_clip_a_sole_stays_within_a_millimetre() -> None:
    clips = [Clip("Idle", STAND, 2.0), Clip("Walk", MOVE, 1.0, 1.2, 1.2)]
    playing = play(clips, ways(np.full((72, 1), 1.2)), variation=0.0)
    points = soles(playing.phase[1, :, 0], 1.2)
    points[..., 1] -= np.arange(72)[:, None] * 1.2 * FRAME_TIME
    for foot in (0, 12):
        down = points[:, foot, 2] <= 0.0
        steps = np.abs(np.diff(points[:, foot, 1]))[down[1:] & down[:-1]]
        assert len(steps) > 30
        assert steps.max() < 1e-9


@pytest.mark.parametrize("speed", [0.3, 0.7, 1.0, 1.2, 2.0])
def test_the_shares_of_a_mixture_cover_the_way(speed: float) -> None:
    clips = walking()
    playing = play(clips, ways(np.full((60, 1), speed)))
    weights = playing.weights()[:, -1, 0]
    cycles = playing.phase[1, -1, 0] - playing.phase[1, -30, 0]
    whole = weights[1] * clips[1].stride + weights[2] * clips[2].stride
    assert cycles * whole == pytest.approx(29 * speed * FRAME_TIME, rel=0.2)


def test_phases_never_decrease_and_influences_are_shares() -> None:
    clips = [*walking(), Clip("Wave", DO, 1.0)]
    do = np.where(np.arange(160)[:, None] % 50 == 20, 3, -1).repeat(6, axis=1)
    playing = play(clips, ways(errands(), do=do, turn=errands(seed=5) - 1.0))
    assert (np.diff(playing.phase, axis=1) >= 0.0).all()
    assert ((playing.influence >= 0.0) & (playing.influence <= 1.0)).all()
    assert (playing.influence[0] == 1.0).all()
    np.testing.assert_allclose(playing.weights().sum(axis=0), 1.0, atol=1e-9)
    assert np.abs(np.diff(playing.weights(), axis=1)).max() <= FRAME_TIME / 0.25 + 1e-9


def test_influences_are_those_of_strips_that_replace_what_is_below() -> None:
    chance = np.random.default_rng(1)
    weights = chance.random((4, 30)) * (chance.random((4, 30)) < 0.7)
    weights[0] += 1e-3
    weights /= weights.sum(axis=0)
    pose = np.zeros(30)
    for clip, influence in enumerate(influences(weights)):
        pose = pose * (1.0 - influence) + clip * influence
    np.testing.assert_allclose(pose, (np.arange(4)[:, None] * weights).sum(axis=0), atol=1e-9)


def test_another_agent_leaves_the_others_alone() -> None:
    speeds = errands()
    all_of_them, without = play(walking(), ways(speeds)), play(walking(), ways(speeds[:, 1:]), identities=range(1, 6))
    assert np.ascontiguousarray(all_of_them.phase[..., 1:]).tobytes() == without.phase.tobytes()
    assert np.ascontiguousarray(all_of_them.influence[..., 1:]).tobytes() == without.influence.tobytes()


def test_size_divides_the_speed() -> None:
    speeds = errands(n=2)
    plain = play(walking(), ways(speeds), identities=[4, 5])
    large = play(walking(), ways(2.0 * speeds, size=[2.0, 2.0]), identities=[4, 5])
    np.testing.assert_allclose(large.phase, plain.phase, atol=1e-9)


@pytest.mark.parametrize("offset", [0.0, 0.25])
def test_it_stands_below_its_slowest_speed_and_comes_to_rest_where_feet_pass(offset: float) -> None:
    clips = [replace(clip, offset=clip.offset + offset) for clip in walking()]
    speeds = np.concatenate((np.full(48, 1.2), np.linspace(1.2, 0.0, 12), np.zeros(36)))[:, None]
    playing = play(clips, ways(speeds))
    assert playing.influence[1, -1, 0] == 0.0
    rest = playing.phase[1, -1, 0]
    assert min(abs((rest - phase + 0.5) % 1.0 - 0.5) for phase in clips[1].rests) < 1e-6
    assert playing.phase[1, -1, 0] == playing.phase[1, -12, 0]
    creeping = play(clips, ways(np.full((48, 1), 0.08 * clips[1].speed)))
    assert (creeping.influence[1:] == 0.0).all()


def test_slower_agents_take_shorter_steps() -> None:
    ratio = np.array([0.1, 0.25, 0.5, 1.0])
    np.testing.assert_allclose(shorter(ratio, np.full(4, 0.5)), np.sqrt(ratio))
    np.testing.assert_allclose(shorter(ratio, np.ones(4)), ratio)
    np.testing.assert_allclose(shorter(ratio, np.zeros(4)), 1.0)
    np.testing.assert_allclose(shorter(ratio, np.full(4, 0.7)), ratio**0.7, atol=0.035)


def test_gaits_that_do_not_agree_change_over_with_hysteresis() -> None:
    walk, gallop = Clip("Walk", MOVE, 1.0, 1.0, 1.0), Clip("Gallop", MOVE, 0.6, 4.0, 2.4, agrees=0.3)
    speeds = np.concatenate((np.linspace(1.0, 4.0, 200), np.linspace(4.0, 1.0, 200)))[:, None]
    weights = play([Clip("Idle", STAND, 2.0), walk, gallop], ways(speeds), variation=0.0).weights()[2, :, 0]
    mixed = (weights > 0.0) & (weights < 1.0)
    assert np.count_nonzero(mixed) <= 2 * (0.25 / FRAME_TIME + 2)
    up, down = speeds[np.argmax(weights > 0.5)], speeds[200 + np.argmax(weights[200:] < 0.5)]
    assert up > 1.15 * down
    assert np.count_nonzero(np.diff(weights > 0.5)) == 2


def test_gaits_that_agree_mix_between_their_speeds() -> None:
    walk, run = Clip("Walk", MOVE, 1.0, 1.0, 1.0), Clip("Run", MOVE, 0.7, 3.0, 2.1, agrees=0.95)
    weights = play([Clip("Idle", STAND, 2.0), walk, run], ways(np.full((60, 1), 1.85)), variation=0.0).weights()
    assert weights[1, -1, 0] == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize(("ahead", "aside", "row"), [(1.0, 0.0, 1), (-1.0, 0.0, 2), (0.5, 0.87, 3), (0.5, -0.87, 4)])
def test_clips_are_chosen_by_the_direction_of_travel(ahead: float, aside: float, row: int) -> None:
    clips = [Clip("Idle", STAND, 2.0)] + [
        Clip(name, MOVE, 1.0, 1.0, 1.0, heading=heading)
        for name, heading in (("Walk", 0.0), ("Back", np.pi), ("Left", 1.05), ("Right", -1.05))
    ]
    run = ways(np.full((40, 1), ahead), aside=np.full((40, 1), aside))
    assert play(clips, run, variation=0.0).weights()[row, -1, 0] == pytest.approx(1.0, abs=0.01)


def test_an_agent_that_stands_turns_with_a_clip_that_turns() -> None:
    clips = [Clip("Idle", STAND, 2.0), Clip("Walk", MOVE, 1.0, 1.0, 1.0), Clip("Left", MOVE, 1.0, turn=1.5)]
    left = play(clips, ways(np.zeros((48, 1)), turn=np.full((48, 1), 1.2)))
    assert left.influence[2, -1, 0] == pytest.approx(1.0)
    assert left.phase[2, -1, 0] - left.phase[2, 0, 0] == pytest.approx(47 * FRAME_TIME * 1.2 / 1.5)
    right = play(clips, ways(np.zeros((48, 1)), turn=np.full((48, 1), -1.2)))
    assert (right.influence[2] == 0.0).all()


def test_what_is_done_once_is_played_from_its_start_to_its_end() -> None:
    clips = [Clip("Idle", STAND, 2.0), Clip("Wave", DO, 1.0)]
    do = np.full((60, 1), -1)
    do[10] = do[20] = 1
    playing = play(clips, ways(np.zeros((60, 1)), do=do))
    weights = playing.weights()[1, :, 0]
    assert (weights[:10] == 0.0).all() and weights[20] == pytest.approx(1.0) and (weights[36:] == 0.0).all()
    assert (playing.phase[1, :11] == 0.0).all() and (playing.phase[1, 36:] == 1.0).all()


def test_agents_differ_and_only_where_they_may() -> None:
    clips = clips_of(standing(), sampled())
    run = ways(np.full((40, 8), 0.5))
    assert len(np.unique(play(clips, run).phase[1, -1])) == 8
    same = play(clips, run, variation=0.0, random_offset=False)
    assert len(np.unique(same.phase[1, -1])) == 1


def test_agents_of_one_gait_have_clips_of_their_own() -> None:
    clips = [Clip("Idle", STAND, 2.0), Clip("A", MOVE, 1.0, 1.0, 1.0), Clip("B", MOVE, 1.0, 1.1, 1.1)]
    weights = play(clips, ways(np.full((40, 12), 1.2)), variation=0.0).weights()[1:, -1]
    assert set(np.round(weights[0], 6)) == {0.0, 1.0}
    assert 2 < np.count_nonzero(weights[0]) < 10


def test_who_enters_begins_afresh() -> None:
    clips, settings, keys = walking(), ClipSettings.of(2), keys_of(1, np.arange(2))
    run = ways(np.full((30, 2), 1.2))
    player = Player(clips, settings, keys, FRAME_TIME)
    now = player.start(run[0])
    for way in run[1:]:
        now = player.step(now, way)
    fresh = player.step(now, run[0], np.array([True, False]))
    np.testing.assert_array_equal(fresh.phase[:, 0], player.start(run[0]).phase[:, 0])
    assert (fresh.phase[1:, 1] > now.phase[1:, 1]).all()


def test_the_way_is_seen_from_the_body() -> None:
    heading = np.array([0.3, -2.0, 3.1])
    turn = np.array([0.2, -0.1, 0.3])

    def facing(angle):
        return np.stack((np.cos(angle), np.sin(angle), 0.0 * angle), axis=1)

    up = np.tile((0.0, 0.0, 1.0), (3, 1))
    middle = facing(heading + 0.5 * turn)
    left = np.cross(up, middle)
    seen = {name: np.zeros(3) for name in ("size", "do", "in_company", "state", "beaten", "effort")}
    place = 2.0 * middle + 0.5 * left + 0.1 * up
    way = FrameMotion.between(place, facing(heading + turn), up, np.zeros((3, 3)), facing(heading), **seen)
    for column, value in ((way.ahead, 2.0), (way.aside, 0.5), (way.climb, 0.1), (way.turn, turn)):
        np.testing.assert_allclose(column, value, atol=1e-12)


def test_a_way_advances_a_phase_by_the_curve() -> None:
    chance = np.random.default_rng(3)
    metres = np.concatenate((np.zeros((20, 1)), np.cumsum(chance.random((20, PHASES)), axis=1)), axis=1)
    phase, gone = chance.random(20) * 5.0, chance.random(20) * 80.0
    after = advanced(phase, metres, gone)
    for k in range(20):

        def behind(p, k=k):
            return np.floor(p) * metres[k, -1] + np.interp(p % 1.0, np.arange(PHASES + 1) / PHASES, metres[k])

        assert behind(after[k]) - behind(phase[k]) == pytest.approx(gone[k])


def test_without_clips_there_is_nothing_to_play() -> None:
    with pytest.raises(ValueError, match="no clip"):
        Player([], ClipSettings.of(1), keys_of(1, np.arange(1)), FRAME_TIME)


def test_a_clip_whose_phase_is_shifted_goes_by_its_own_curve() -> None:
    shares = np.arange(PHASES + 1) / PHASES
    walk = Clip("Walk", MOVE, 1.0, 1.0, 1.0, curve=0.5 * (shares + shares * shares), offset=0.25)
    phase = play([walk], ways(np.ones((72, 1))), variation=0.0).phase[0, :, 0]
    gone = np.floor(phase) + np.interp(phase % 1.0, shares, walk.curve)
    np.testing.assert_allclose(np.diff(gone), FRAME_TIME, atol=1e-6)


def test_clips_for_company_are_only_played_in_company_and_mostly_there() -> None:
    clips = [Clip("Idle", STAND, 2.0), Clip("Talk", STAND, 3.0, with_company=True), Clip("Look", STAND, 2.0)]
    run = ways(np.zeros((1500, 20)), in_company=np.arange(20) % 2 == 0)
    shares = play(clips, run).weights().mean(axis=1)
    assert (shares[1, 1::2] == 0.0).all()
    assert 0.6 < shares[1, ::2].mean() < 0.9
    assert (shares[[0, 2], 1::2].max(axis=1) > 0.4).all(), "alone they take any other"


def test_marks_of_company_change_nothing_if_all_clips_have_them_or_none() -> None:
    run = ways(np.zeros((600, 4)), in_company=np.array([True, False, True, False]))
    none, every = (
        play([Clip("Idle", STAND, 2.0, with_company=mark), Clip("Look", STAND, 2.0, with_company=mark)], run)
        for mark in (False, True)
    )
    assert none.influence.tobytes() == every.influence.tobytes()


def test_wings_beat_by_the_effort_over_the_model_at_rest() -> None:
    clips = [Clip("Fly", BEAT, 0.5)]
    rate, effort = np.full((60, 2), 1.5), np.array([[1.0, 0.4]] * 60)
    playing = play(clips, ways(np.full((60, 2), 9.0), rate=rate, effort=effort))
    np.testing.assert_allclose(np.diff(playing.phase[0], axis=0), 1.5 * FRAME_TIME / 0.5)
    np.testing.assert_allclose(playing.influence[0], effort, atol=1e-9)


def test_in_a_glide_the_model_is_at_rest_and_more_than_the_usual_effort_is_the_whole_clip() -> None:
    effort = np.concatenate((np.full((24, 1), 1.3), np.zeros((24, 1))))
    playing = play([Clip("Fly", BEAT, 0.5)], ways(np.full((48, 1), 9.0), effort=effort))
    assert (playing.influence[0, :23] == 1.0).all()
    assert (playing.influence[0, 36:] == 0.0).all()
    assert (np.diff(playing.influence[0, 23:36, 0]) <= 0.0).all(), "it fades"


def test_what_perches_plays_the_clip_that_stands_and_what_hovers_without_one_beats_on() -> None:
    speed = np.concatenate((np.full((24, 1), 5.0), np.zeros((60, 1))))
    perched = play([Clip("Perch", STAND, 2.0), Clip("Fly", BEAT, 0.5)], ways(speed)).weights()
    assert (perched[1, :24] == 1.0).all()
    assert (perched[0, -20:] == 1.0).all()
    hovering = play([Clip("Fly", BEAT, 0.5)], ways(speed)).weights()
    assert (hovering[0] == 1.0).all()


def test_what_walks_and_flies_beats_only_in_the_state_that_has_no_steps() -> None:
    clips = [Clip("Walk", MOVE, 1.0, 1.2, 1.2, state=1), Clip("Fly", BEAT, 0.5, state=2)]
    states = np.repeat([[1], [2]], 60, axis=0)
    weights = play(clips, ways(np.full((120, 1), 1.2), state=states)).weights()
    assert (weights[0, 1:60] == 1.0).all() and (weights[1, :60] == 0.0).all()
    assert (weights[1, -20:] == 1.0).all()


def test_a_clip_that_beats_changes_nothing_for_those_that_walk() -> None:
    clips, run = walking(), ways(errands())
    alone = play(clips, run)
    together = play([*clips, Clip("Flap", BEAT, 0.5)], run)
    assert together.influence[:-1].tobytes() == alone.influence.tobytes()
    assert together.phase[:-1].tobytes() == alone.phase.tobytes()
    assert (together.influence[-1] == 0.0).all()


def test_over_a_link_its_clip_begins_at_its_first_pose_and_is_played_by_the_way() -> None:
    clips = [*walking(), Clip("Climb", ON_LINK, 2.0, state=7)]
    states = np.where((np.arange(60) >= 20) & (np.arange(60) < 44), 7, 0)[:, None]
    run = [replace(way, cycles=np.array([0.125])) for way in ways(np.full((60, 1), 1.3), state=states)]
    playing = play(clips, run)
    phase, influence = playing.phase[-1, :, 0], playing.influence[-1, :, 0]
    first = np.ceil(phase[19])
    np.testing.assert_allclose(phase[20:44] - first, 0.125 * np.arange(1, 25), atol=1e-9)
    assert (np.diff(phase) >= 0.0).all() and (phase[44:] == phase[43]).all()
    assert (influence[:20] == 0.0).all() and (influence[27:44] == 1.0).all() and (influence[51:] == 0.0).all()
