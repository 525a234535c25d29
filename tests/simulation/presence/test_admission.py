"""Who is not there has no part in anything, and who enters does so where, when and as it should."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.behaviors import CATALOGUE
from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.separation import Separation
from steering_addon.recording.mishaps import OBSTACLE, OVERLAP, Mishaps
from steering_addon.simulation.arrays.chance import keys_of
from steering_addon.simulation.behavior import Behavior
from steering_addon.simulation.geometry.obstacles import obstacles
from steering_addon.simulation.presence.attendance import Attendance, enter_frames
from tests.behaviors.situations import busy
from tests.scene import Scene, leaders, locked, positions, velocities

NEVER = 10_000
every = pytest.mark.parametrize("kind", CATALOGUE, ids=lambda kind: kind.name)


def entering(place: Scene, frames, **attendance):
    """The snapshots of a scene in which each vehicle enters on a frame of its own."""
    told = Attendance.of(len(place), **attendance)
    frames = np.asarray(frames)

    def at(frame, snapshot):
        return replace(snapshot, due=frame >= frames, attendance=told)

    return at


def row(n: int, gap: float = 1.0, **more) -> Scene:
    """Vehicles side by side that go ahead."""
    return Scene(position=[[gap * k, 0.0, 0.0] for k in range(n)], speed=2.0, **more)


@every
def test_a_run_with_somebody_away_is_the_run_without(kind: type[Behavior]) -> None:
    place, away = busy(kind, 7), np.array([2, 5])
    there = np.setdiff1d(np.arange(7), away)
    frames = np.where(np.isin(np.arange(7), away), NEVER, 0)
    with_them = place.run(15, preroll=2, at=entering(place, frames))
    without = place.take(there).run(15, preroll=2)
    for one, other in zip(with_them, without, strict=True):
        for name in ("position", "velocity", "forward", "up"):
            assert getattr(one.motion, name)[there].tobytes() == getattr(other.motion, name).tobytes(), name


def test_who_enters_later_does_what_it_would_have_done_from_the_start() -> None:
    place = Scene([[0.0, 0.0, 0.0]], speed=1.0, behaviors=[(Seek, {"target": 1})], tracked=leaders([9.0, 5.0, 0.0]))
    now, later = positions(place.run(20)), positions(place.run(32, at=entering(place, [12])))
    assert np.array_equal(later[:13], np.repeat(now[:1], 13, axis=0))
    assert np.allclose(later[12:], now, atol=1e-12)


def test_it_enters_with_the_speed_it_starts_with() -> None:
    place = row(1)
    assert np.allclose(velocities(place.run(12, at=entering(place, [5])))[6], [[0.0, 2.0, 0.0]], atol=0.2)


def test_who_is_not_there_yet_misses_the_preroll() -> None:
    place = row(2, gap=50.0)
    first = positions(place.run(1, preroll=10, at=entering(place, [0, 3])))[0]
    assert first[0, 1] > 0.5
    assert first[1, 1] == 0.0


def test_once_there_it_is_seen() -> None:
    """Two abreast: the first keeps straight while it is alone."""
    place = row(2, behaviors=[(Separation, {"distance": 3.0, "angle": 6.3})])
    aside = positions(place.run(24, at=entering(place, [0, 10])))[:, 0, 0]
    assert np.allclose(aside[:11], 0.0, atol=1e-12)
    assert aside[-1] < -0.05


def test_what_hangs_on_somebody_away_is_away_too() -> None:
    carried = replace(obstacles([[0.0, 3.0, 0.0]], [1.0]), carrier=np.array([1]))
    place = Scene(
        position=[[0.1, 0.0, 0.0], [0.0, 16.0, 0.0]],
        forward=[[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]],
        speed=2.0,
        behaviors=[(ObstacleAvoidance, {})],
        obstacles=carried,
    )
    assert np.abs(positions(place.run(40))[:, 0, 0] - 0.1).max() > 0.05
    assert np.allclose(positions(place.run(40, at=entering(place, [0, NEVER])))[:, 0, 0], 0.1, atol=1e-12)


def mishaps_of(place: Scene, frames) -> Mishaps:
    result = Mishaps(len(place))
    for frame, state in enumerate(place.run(6, at=entering(place, frames, wait_for_room=False))):
        result.look(frame, state)
    return result


def test_who_is_away_runs_into_nobody() -> None:
    place = row(2, gap=0.1)
    for frames, number in (([0, 0], 2), ([0, 4], 2), ([0, NEVER], 0), ([4, NEVER], 0)):
        assert mishaps_of(place, frames).number(OVERLAP) == number


def test_who_is_away_is_near_no_obstacle() -> None:
    place = row(2, gap=9.0, obstacles=obstacles([[9.0, 0.0, 0.0]], [1.0]))
    assert mishaps_of(place, [0, 0]).clearance[1] < 0.0
    away = mishaps_of(place, [0, NEVER])
    assert away.clearance[1] == np.inf
    assert away.number(OBSTACLE) == 0


# ---- room


def at_one_door(n: int) -> Scene:
    return Scene(np.zeros((n, 3)), speed=1.0, vehicle={"radius": 0.3, "max_speed": 2.0})


def test_from_one_door_they_come_one_after_the_other() -> None:
    place = at_one_door(5)
    states = place.run(120, at=entering(place, [2] * 5))
    came = [int(np.argmax([not s.outside[k] for s in states])) for k in range(5)]
    assert came[0] == 2
    assert came == sorted(set(came))
    for state in states:
        here = state.motion.position[~state.outside]
        gaps = np.linalg.norm(here[:, None] - here[None], axis=-1)[~np.eye(len(here), dtype=bool)]
        assert (gaps >= 0.6 - 1e-9).all()


def test_who_does_not_wait_enters_in_the_midst_of_another() -> None:
    place = at_one_door(3)
    states = place.run(4, at=entering(place, [2] * 3, wait_for_room=False))
    assert [int(s.outside.sum()) for s in states] == [3, 3, 0, 0]


def test_somebody_who_stands_in_the_door_keeps_the_others_out() -> None:
    place = replace(at_one_door(1), tracked=locked([0.2, 0.0, 0.0]))
    assert all(s.outside.all() for s in place.run(20, at=entering(place, [2])))
    aside = replace(at_one_door(1), tracked=locked([2.0, 0.0, 0.0]))
    assert not aside.run(20, at=entering(aside, [2]))[-1].outside.any()


def test_on_the_first_frame_nobody_waits() -> None:
    place = at_one_door(3)
    assert not place.run(1, at=entering(place, [0] * 3))[0].outside.any()


# ---- frames


@given(first=st.integers(-50, 50), span=st.integers(0, 200), seed=st.integers(0, 99))
def test_all_enter_within_the_span_each_by_its_own_chance(first: int, span: int, seed: int) -> None:
    keys = keys_of(seed, np.arange(40))
    told = Attendance.of(40, use_enter_frame=True, enter_frame=first, enter_span=span)
    frames = enter_frames(told, keys)
    assert ((frames >= first) & (frames <= first + span)).all()
    assert np.array_equal(frames, np.floor(frames))
    some = np.arange(0, 40, 3)
    assert np.array_equal(enter_frames(told.take(some), keys[some]), frames[some])


def test_they_come_all_over_the_span() -> None:
    told = Attendance.of(400, use_enter_frame=True, enter_frame=10, enter_span=100)
    frames = enter_frames(told, keys_of(1, np.arange(400)))
    quarters = np.histogram(frames, 4, (10, 111))[0]
    assert (quarters > 60).all()


def test_who_does_not_enter_later_is_there_from_the_start() -> None:
    assert (enter_frames(Attendance.of(3, enter_frame=50), keys_of(0, np.arange(3))) == -np.inf).all()
