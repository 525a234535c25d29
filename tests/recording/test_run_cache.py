"""A run that is kept can be gone back to, whatever memory allows, and tells what it was made from."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from steering_addon.behaviors.wander import Wander
from steering_addon.recording.run_cache import KeptRun, digest, size
from steering_addon.simulation.snapshot import State
from tests.sampling import sampled
from tests.scene import Scene

FIRST, FRAMES = 11, 40
"""A run from frame 11 to 50."""


def place(vehicles: int = 1) -> Scene:
    return Scene(np.arange(3.0 * vehicles).reshape(-1, 3), speed=1.0, behaviors=[(Wander, {})])


@cache
def states() -> list[State]:
    return place().run(FRAMES)


def kept_run(**limits: int) -> KeptRun:
    run = KeptRun(FIRST, **limits)
    for k, state in enumerate(states()):
        run.keep(state, bytes([k]), FIRST + k)
    return run


def test_every_kept_frame_is_found_and_holds_while_its_input_is_the_same() -> None:
    run = kept_run()
    assert run.last == FIRST + FRAMES - 1
    assert [run.came_out(frame) for frame in range(FIRST, FIRST + FRAMES)] == list(range(FIRST, FIRST + FRAMES))
    assert run.states == tuple(range(FIRST, FIRST + FRAMES))
    assert run.holds(FIRST + 3, bytes([3]))
    assert not run.holds(FIRST + 3, bytes([4]))
    assert not run.holds(FIRST + FRAMES, bytes([FRAMES]))


@pytest.mark.parametrize("states_that_fit", [2, 3, 5, 17])
def test_states_thin_out_at_the_memory_limit_and_frames_do_not(states_that_fit) -> None:
    run = kept_run(most_bytes=states_that_fit * size(states()[-1]))
    assert len(run.states) <= max(states_that_fit, 2)
    assert run.last in run.states
    gaps = np.diff(run.states[:-1])
    assert (gaps == gaps[:1]).all(), "evenly"
    assert run.states[0] == FIRST
    assert run.came_out(run.last - 1) == run.last - 1


def test_the_last_state_is_kept_whenever_states_thin_out() -> None:
    run = KeptRun(FIRST, most_bytes=3 * size(states()[-1]))
    for k, state in enumerate(states()):
        run.keep(state, bytes([k]), FIRST + k)
        assert run.states[-1] == run.last == FIRST + k


@sampled
@pytest.mark.parametrize("states_that_fit", [2, 5, 1000])
@pytest.mark.parametrize("frame", [FIRST, FIRST + 1, FIRST + 23, FIRST + FRAMES - 1])
def test_going_back_returns_the_nearest_state_at_or_before(states_that_fit, frame) -> None:
    run = kept_run(most_bytes=states_that_fit * size(states()[-1]))
    nearest = max(kept for kept in run.states if kept <= frame)
    state = run.go_back(frame)
    assert run.last == nearest
    assert digest(state) == digest(states()[nearest - FIRST])


def test_going_back_before_the_first_frame_empties_the_run() -> None:
    run = kept_run()
    assert run.go_back(FIRST - 1) is None
    assert run.last == FIRST - 1
    assert run.states == ()


def test_a_run_continues_from_the_state_it_went_back_to() -> None:
    run = kept_run(most_bytes=4 * size(states()[-1]))
    run.go_back(FIRST + 20)
    for k in range(run.last + 1 - FIRST, FRAMES):
        run.keep(states()[k], bytes([k]), -k)
    assert run.last == FIRST + FRAMES - 1
    assert run.came_out(run.last) == 1 - FRAMES


def test_equal_values_have_equal_digests_in_any_memory_layout() -> None:
    single, other = place(3).snapshot(0), place(3).snapshot(0)
    assert single is not other
    assert digest(single) == digest(other)
    grid = np.arange(12.0).reshape(3, 4)
    assert digest(grid) == digest(np.asfortranarray(grid))


def test_other_values_have_other_digests() -> None:
    snapshot = place(3).snapshot(0)
    others = [
        replace(snapshot, frame_time=0.5),
        replace(snapshot, substeps=2),
        replace(snapshot, present=np.array([True, False, True])),
        replace(snapshot, vehicle=replace(snapshot.vehicle, max_speed=snapshot.vehicle.max_speed * 1.0001)),
        place(4).snapshot(0),
    ]
    digests = [digest(each) for each in (snapshot, *others)]
    assert len(set(digests)) == len(digests)
    assert digest((np.zeros(2), np.zeros(1))) != digest((np.zeros(1), np.zeros(2)))


def test_arrays_in_tuples_and_lists_count_by_each_of_their_values() -> None:
    many = np.arange(5000.0)
    other = np.where(many == 2500.0, -1.0, many)
    assert digest((many,)) != digest((other,)) and digest([many]) != digest([other])
    assert size((many, [many.copy()])) == 2 * many.nbytes
