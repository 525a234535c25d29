"""Pacing: bodies whose feet are held play their walk evenly, and on stairs make a step on each tread."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from steering_addon.portrayal.clips import PHASES
from steering_addon.portrayal.feet.pacing import Tempo, _Flight, _flights, _in_step, paced
from steering_addon.portrayal.feet.rotations import rotation_about_up
from steering_addon.portrayal.feet.treads import Carried
from tests.portrayal.feet.walks import FEET, FRAME_TIME, UP
from tests.portrayal.stepping import ALONG, HEIGHT, soles

FRAMES, START = 240, 8.0
CYCLE = soles(np.arange(PHASES) / PHASES, 1.0)


@cache
def tempo() -> Tempo:
    return Tempo.of([CYCLE[:, foot] for foot in FEET], np.zeros(2), HEIGHT)


def profile(way: np.ndarray, tread: float, rise: float, count: int = 9) -> np.ndarray:
    """The heights of stairs that begin `START` treads along a way."""
    return rise * np.clip(np.floor(way / tread - START) + 1.0, 0.0, count)


def climbing(speed: float, tread: float, rise: float, size: float = 1.0):
    """A body that goes along -y over stairs, and their ground."""
    gone = speed * FRAME_TIME * np.arange(FRAMES)
    below = profile(gone, tread, rise)
    ramp = rise * np.clip(gone / tread - START + 0.5, 0.0, 9.0)
    ahead = np.tile((0.0, -1.0, 0.0), (FRAMES, 1))
    place = -gone[:, None] * (0.0, 1.0, 0.0) + ramp[:, None] * UP
    body = Carried(place, ahead, np.tile(UP, (FRAMES, 1)), np.full(FRAMES, size), 0.0 * gone, raised=ramp - below)
    one = Carried(**{name: column if np.isscalar(column) else column[None] for name, column in vars(body).items()})

    def ground(at: np.ndarray, _: np.ndarray):
        return profile(-at[:, 1], tread, rise), np.tile(UP, (len(at), 1))

    return gone, one, ground


def test_a_foot_stands_in_the_middle_of_its_time_on_the_ground_where_its_sole_is_then() -> None:
    np.testing.assert_allclose(tempo().middle % 1.0, (0.3, 0.8), atol=1.0 / PHASES)
    np.testing.assert_allclose(tempo().ahead, -np.mean(ALONG), atol=1.0 / PHASES)


@pytest.mark.parametrize("size", [1.0, 0.4])
@pytest.mark.parametrize(("rise", "tread"), [(0.17, 0.3), (0.2, 0.25), (-0.17, 0.3)])
@pytest.mark.parametrize("natural", [0.8, 1.0, 1.3])
def test_feet_come_down_on_each_second_tread_near_its_middle(natural, rise, tread, size) -> None:
    """Whatever the length of the steps of the walk; the other foot stands on those between."""
    rise, tread = rise * size, tread * size
    gone, body, ground = climbing(0.65 * size, tread, rise, size)
    moving = 0.3 + natural * gone / (2.0 * tread)
    phase = paced(moving[None], body, tempo(), HEIGHT, FRAME_TIME, ground)[0]
    assert (np.diff(phase) >= 0.4 * np.diff(moving).min()).all(), "it neither stops nor jumps"
    assert np.diff(phase).max() < 2.0 * np.diff(moving).max()
    assert -0.3 < np.interp((START - 1.0) * tread, gone, phase - moving) < 0.5, "by less than a step"
    for middle, ahead in zip(tempo().middle, tempo().ahead):
        standing = np.interp(np.arange(np.ceil(phase[0]), phase[-1]) + middle, phase, gone)
        place = (standing + ahead * size) / tread - START
        place = place[(place > -0.5) & (place < 9.5)]
        np.testing.assert_allclose(np.diff(np.floor(place)), 2.0)
        np.testing.assert_allclose(place - np.floor(place), 0.45 if rise > 0.0 else 0.55, atol=0.06)


@pytest.mark.parametrize("at", [140, 84])
def test_who_halts_on_stairs_ends_its_step_as_without_stairs(at: int) -> None:
    """It halts for 20 frames, in which its clips go on to where its feet stand, and is in step again further up."""
    gone, body, ground = climbing(0.65, 0.3, 0.17)
    halt = np.concatenate((np.arange(at), np.full(20, at), np.arange(at, FRAMES - 20)))
    halted = replace(body, position=body.position[:, halt], raised=body.raised[:, halt])
    moving = 0.31 + gone[halt] / 0.6 + np.clip(0.01 * (np.arange(FRAMES) - at + 1), 0.0, 0.1)
    moving += 1e-12 * (np.arange(FRAMES) // 8 % 2)
    phase = paced(moving[None], halted, tempo(), HEIGHT, FRAME_TIME, ground)[0]
    half_steps = 2.0 * (phase - moving)[at + 12 : at + 17]
    np.testing.assert_allclose(half_steps, np.round(half_steps), atol=1e-6)
    assert np.diff(phase).min() > -0.01
    assert np.diff(phase).max() < 2.0 * np.diff(moving).max()
    for middle, ahead in zip(tempo().middle, tempo().ahead):
        standing = np.interp(np.arange(np.ceil(phase[at + 45]), phase[at + 75]) + middle, phase, gone[halt])
        np.testing.assert_allclose((standing + ahead) / 0.3 % 1.0, 0.45, atol=0.06)


@pytest.mark.parametrize("size", [0.5, 1.0])
@pytest.mark.parametrize("speed", [0.65, 1.7])
def test_phases_are_the_same_in_a_scene_that_is_turned_and_elsewhere_and_with_longer_metres(size, speed) -> None:
    """Also of a body that has a twin; the ground is asked for on the frames of each."""
    gone, body, ground = climbing(speed * size, 0.3 * size, 0.17 * size, size)
    moving = gone[None] / (0.65 * size)
    expected = paced(moving, body, tempo(), HEIGHT, FRAME_TIME, ground)[0]
    turn, moved = rotation_about_up(np.array(0.7)), np.array((30.0, -20.0, 7.0))

    def elsewhere(at: np.ndarray, frames: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        height, normal = ground((at - moved) @ turn / 2.0, frames)
        return 2.0 * height + moved[2], normal @ turn.T

    there = replace(
        body,
        position=2.0 * body.position @ turn.T + moved,
        forward=body.forward @ turn.T,
        raised=2.0 * body.raised,
        origin=2.0 * body.origin,
    )
    larger = Tempo(tempo().middle, 2.0 * tempo().ahead)
    np.testing.assert_allclose(
        paced(moving, there, larger, 2.0 * HEIGHT, FRAME_TIME, elsewhere)[0], expected, atol=1e-9
    )
    twins = Carried(
        **{
            k: np.concatenate((v, v)) if np.ndim(v) else v
            for k, v in vars(body).items()
            if k in Carried.__annotations__
        }
    )

    def on_their_frames(at: np.ndarray, frames: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        assert np.abs(at - twins.position.reshape(-1, 3)[frames])[:, 1].max() <= speed * FRAME_TIME * size
        asked.update((frames // FRAMES).tolist())
        return ground(at, frames)

    asked: set[int] = set()
    both = paced(np.concatenate((moving, moving + 0.5)), twins, tempo(), HEIGHT, FRAME_TIME, on_their_frames)
    np.testing.assert_array_equal(both[0], expected)
    np.testing.assert_allclose(both[1], expected + 0.5)
    assert asked == {0, 1}


def test_one_who_runs_takes_several_treads_a_step() -> None:
    gone, body, ground = climbing(1.7, 0.3, 0.17)
    phase = paced(gone[None] / 1.4, body, tempo(), HEIGHT, FRAME_TIME, ground)[0]
    steps = 2.0 * np.diff(np.interp(0.3 * (START + np.arange(9)), gone, phase))
    np.testing.assert_allclose(steps, 0.5, atol=0.01)


def test_off_stairs_phases_are_only_evened_out() -> None:
    gone, body, ground = climbing(1.3, 0.3, 0.0)
    wave = gone / 1.3 + 0.08 * np.sin(2.0 * np.pi * gone)
    kerb = replace(body, raised=np.where(np.abs(gone - 2.0) < 0.3, 0.05, 0.0)[None])
    for each, below in ((body, ground), (body, None), (kerb, ground)):
        even = paced(wave[None], each, tempo(), HEIGHT, FRAME_TIME, below)[0]
        assert np.abs(even - wave).max() < 0.03
        assert np.abs(np.diff(even, 2))[4:-4].max() < 0.95 * np.abs(np.diff(wave, 2)).max()
    line = 0.02 * np.arange(FRAMES)
    np.testing.assert_allclose(paced(line[None], body, tempo(), HEIGHT, FRAME_TIME, None)[0], line)


def test_stairs_that_end_within_reach_of_those_before_them_change_nothing() -> None:
    flights = _Flight(np.arange(2.0, 5.0, 0.5), True), _Flight(np.array((4.6, 4.7)), False)
    gone = 0.03 * np.arange(FRAMES)
    first, both = (_in_step(gone / 1.2, gone, iter(flights[:count]), tempo(), 1.0) for count in (1, 2))
    assert (first == both).all() and (first != gone / 1.2).any()


def test_a_flight_of_stairs_leads_one_way_without_a_landing_and_two_steps_are_one() -> None:
    edges = np.array((1.0, 1.3, 2.0, 2.3, 2.6, 3.9, 4.2, 9.0))
    up = np.array((True, True, False, False, True, True, True, True))
    flights = [(flight.edges.tolist(), flight.up) for flight in _flights(edges, up, 1.0)]
    assert flights == [([1.0, 1.3], True), ([2.0, 2.3], False), ([3.9, 4.2], True)]


def test_who_sets_off_close_to_stairs_is_in_step_from_its_first_frame() -> None:
    gone, body, ground = climbing(0.65, 0.3, 0.17)
    late = slice(int((START - 2.5) * 0.3 / (0.65 * FRAME_TIME)), None)
    near = replace(
        body, **{k: v[:, late] for k, v in vars(body).items() if np.ndim(v) and k in Carried.__annotations__}
    )
    moving = (0.21 + gone / 0.6)[None, late]
    phase = paced(moving, near, tempo(), HEIGHT, FRAME_TIME, ground)[0]
    begin = gone[late] < (START - 1.6) * 0.3
    assert begin.any()
    np.testing.assert_allclose(np.diff(phase - moving[0])[begin[1:]], 0.0, atol=1e-9)
    standing = np.interp(np.arange(4) + tempo().middle[0] + np.ceil(phase[0]), phase, gone[late])
    np.testing.assert_allclose((standing + tempo().ahead[0]) / 0.3 % 1.0, 0.45, atol=0.06)
