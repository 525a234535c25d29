"""Absent vehicles take no part, and vehicles enter at the right time, at the right place and with the right speed."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.behaviors import CATALOGUE
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.separation import Separation
from steering_addon.locomotion import OnFoot
from steering_addon.recording.mishaps import OBSTACLE, Mishaps
from steering_addon.simulation.arrays.chance import keys_of
from steering_addon.simulation.behavior import Behavior
from steering_addon.simulation.geometry.obstacles import obstacles
from steering_addon.simulation.presence.attendance import Attendance, enter_frames
from tests.behaviors.situations import busy
from tests.sampling import sampled
from tests.scene import Scene, leaders, locked, positions

NEVER, ALWAYS = 10_000, -10_000
every = pytest.mark.parametrize("kind", CATALOGUE, ids=lambda kind: kind.name)


def entering(scene: Scene, frames, **attendance):
    """A function that lets each vehicle of a scene enter on its frame, for `Scene.run`."""
    settings = Attendance.of(len(scene), **attendance)
    frames = np.asarray(frames)

    def at(frame, snapshot):
        return replace(snapshot, due=frame >= frames, attendance=settings)

    return at


def row(n: int, gap: float = 1.0, **more) -> Scene:
    """Vehicles side by side that move ahead."""
    return Scene(position=[[gap * k, 0.0, 0.0] for k in range(n)], speed=2.0, **more)


@sampled
@every
def test_a_run_with_absent_vehicles_equals_the_run_without_them(kind: type[Behavior]) -> None:
    scene, absent = busy(kind, 7), np.array([2, 5])
    present = np.setdiff1d(np.arange(7), absent)
    frames = np.where(np.isin(np.arange(7), absent), NEVER, ALWAYS)
    with_absent = scene.run(10, preroll=2, at=entering(scene, frames))
    without = scene.take(present).run(10, preroll=2)
    for state, expected in zip(with_absent, without, strict=True):
        for name in ("position", "velocity", "forward", "up"):
            assert getattr(state.motion, name)[present].tobytes() == getattr(expected.motion, name).tobytes(), name


def test_a_vehicle_that_enters_later_moves_as_it_would_have_from_the_start() -> None:
    scene = Scene([[0.0, 0.0, 0.0]], speed=1.0, behaviors=[(Seek, {"target": 1})], tracked=leaders([9.0, 5.0, 0.0]))
    at_start, later = positions(scene.run(20)), positions(scene.run(32, at=entering(scene, [12])))
    assert np.array_equal(later[:13], np.repeat(at_start[:1], 13, axis=0))
    assert np.allclose(later[12:], at_start, atol=1e-12)


def test_a_vehicle_that_enters_later_takes_no_part_in_the_preroll() -> None:
    scene = row(2, gap=50.0)
    first = positions(scene.run(1, preroll=10, at=entering(scene, [ALWAYS, 3])))[0]
    assert first[0, 1] > 0.5
    assert first[1, 1] == 0.0


def test_a_vehicle_is_perceived_as_soon_as_it_has_entered() -> None:
    """Two abreast: the first goes straight while it is alone."""
    scene = row(2, behaviors=[(Separation, {"distance": 3.0, "angle": 6.3})])
    aside = positions(scene.run(24, at=entering(scene, [0, 10])))[:, 0, 0]
    assert np.allclose(aside[:11], 0.0, atol=1e-12)
    assert aside[-1] < -0.05


def mishaps_of(scene: Scene, frames) -> Mishaps:
    """The mishaps of six frames in which vehicles enter without waiting for room."""
    result = Mishaps(len(scene))
    for frame, state in enumerate(scene.run(6, at=entering(scene, frames, wait_for_room=False))):
        result.look(frame, state)
    return result


def test_an_absent_vehicle_is_not_near_an_obstacle() -> None:
    scene = row(2, gap=9.0, obstacles=obstacles([[9.0, 0.0, 0.0]], [1.0]))
    assert mishaps_of(scene, [0, 0]).clearance[1] < 0.0
    absent = mishaps_of(scene, [0, NEVER])
    assert absent.clearance[1] == np.inf
    assert absent.number(OBSTACLE) == 0


def at_one_door(n: int) -> Scene:
    """Vehicles that all start at the same point."""
    return Scene(np.zeros((n, 3)), speed=1.0, vehicle={"radius": 0.3, "max_speed": 2.0})


def test_vehicles_at_the_same_door_enter_one_after_the_other() -> None:
    scene = at_one_door(5)
    states = scene.run(120, at=entering(scene, [2] * 5))
    entered = [int(np.argmax([not s.outside[k] for s in states])) for k in range(5)]
    assert entered[0] == 2
    assert entered == sorted(set(entered))
    for state in states:
        inside = state.motion.position[~state.outside]
        gaps = np.linalg.norm(inside[:, None] - inside[None], axis=-1)[~np.eye(len(inside), dtype=bool)]
        assert (gaps >= 0.6 - 1e-9).all()


def test_who_may_turn_on_the_spot_enters_facing_its_way_and_waits_so() -> None:
    """Of four at one place with a goal on their left, the last is there from the start, and the third is an animal."""
    seeks, feet = [(Seek, {"target": 4})], {"turn_on_the_spot": np.array([3.0, 3.0, 0.0, 3.0])}
    scene = Scene(
        np.zeros((4, 3)),
        speed=1.0,
        behaviors=seeks,
        tracked=leaders([-9.0, 0.0, 0.0]),
        locomotions=[(OnFoot, feet)],
    )
    states = scene.run(9, at=entering(scene, [4, 4, 4, ALWAYS], wait_for_room=False))
    faces = np.array([state.motion.forward for state in states])
    assert np.allclose(faces[:6, :2], (-1.0, 0.0, 0.0), atol=0.1)
    assert np.allclose(faces[:4, 2], (0.0, 1.0, 0.0)) and np.allclose(faces[0, 3], (0.0, 1.0, 0.0))
    assert np.allclose(states[4].motion.velocity[:2], (-1.0, 0.0, 0.0), atol=1e-9)


def test_one_enters_facing_a_vehicle_to_which_it_goes_as_it_would_any_other_body() -> None:
    goes = [(Seek, {"target": 1, "weight": [1.0, 0.0]})]
    scene = Scene([[0.0, 0.0, 0.0], [3.0, 0.0, 0.0]], behaviors=goes, locomotions=[(OnFoot, {})])
    state = scene.run(1, at=entering(scene, [4, ALWAYS]))[0]
    assert np.allclose(state.motion.forward[0], (1.0, 0.0, 0.0))


def test_vehicles_that_do_not_wait_enter_at_the_same_point() -> None:
    scene = at_one_door(3)
    states = scene.run(4, at=entering(scene, [2] * 3, wait_for_room=False))
    assert [int(s.outside.sum()) for s in states] == [3, 3, 0, 0]


def test_a_locked_vehicle_in_the_door_keeps_the_others_out() -> None:
    scene = replace(at_one_door(1), tracked=locked([0.2, 0.0, 0.0]))
    assert all(s.outside.all() for s in scene.run(20, at=entering(scene, [2])))
    aside = replace(at_one_door(1), tracked=locked([2.0, 0.0, 0.0]))
    assert not aside.run(20, at=entering(aside, [2]))[-1].outside.any()


def test_a_leader_in_the_door_and_a_vehicle_that_is_carried_keep_no_vehicle_out() -> None:
    scene = at_one_door(1)
    carried = replace(locked([0.2, 0.0, 0.0]), carrier=np.array([0]))
    for tracked in (leaders([0.2, 0.0, 0.0]), carried):
        place = replace(scene, tracked=tracked)
        assert not place.run(20, at=entering(place, [2]))[-1].outside.any()


def test_on_the_first_frame_no_vehicle_waits() -> None:
    scene = at_one_door(3)
    assert not scene.run(1, at=entering(scene, [0] * 3))[0].outside.any()


@given(first=st.integers(-50, 50), span=st.integers(0, 200), seed=st.integers(0, 99))
def test_every_vehicle_enters_within_the_span_by_its_own_random_key(first: int, span: int, seed: int) -> None:
    keys = keys_of(seed, np.arange(40))
    settings = Attendance.of(40, use_enter_frame=True, enter_frame=first, enter_span=span)
    frames = enter_frames(settings, keys)
    assert ((frames >= first) & (frames <= first + span)).all()
    assert np.array_equal(frames, np.floor(frames))
    rows = np.arange(0, 40, 3)
    assert np.array_equal(enter_frames(settings.take(rows), keys[rows]), frames[rows])


def test_vehicles_enter_throughout_the_span() -> None:
    settings = Attendance.of(400, use_enter_frame=True, enter_frame=10, enter_span=100)
    frames = enter_frames(settings, keys_of(1, np.arange(400)))
    quarters = np.histogram(frames, 4, (10, 111))[0]
    assert (quarters > 60).all()


def test_a_vehicle_that_does_not_enter_later_is_present_from_the_start() -> None:
    assert (enter_frames(Attendance.of(3, enter_frame=50), keys_of(0, np.arange(3))) == -np.inf).all()
