"""Orbit (ours): circles round a target."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.behaviors.orbit import CLOCKWISE, COUNTERCLOCKWISE, EITHER, Orbit
from tests.sampling import sampled
from tests.scene import Scene, flat_or_free, leaders, positions, speeds, velocities

FPS = 12


def circling(n: int = 6, drift=(0.0, 0.0, 0.0), **values) -> Scene:
    rng = np.random.default_rng(2)
    return Scene(
        rng.uniform(-15.0, 15.0, (n, 3)) * (1.0, 1.0, 0.2),
        forward=rng.normal(size=(n, 3)) * (1.0, 1.0, 0.0),
        speed=3.0,
        behaviors=[(Orbit, values)],
        tracked=leaders([0.0, 0.0, 1.0]),
        drift=drift,
        fps=FPS,
    )


def turning(states, centre=(0.0, 0.0, 1.0)) -> np.ndarray:
    """(frames, n) the turn per frame, positive to the left as seen from above."""
    return np.cross(positions(states) - centre, velocities(states))[..., 2]


@sampled
@pytest.mark.parametrize("flat", [False, True])
def test_it_settles_on_its_circle_and_goes_round_at_cruise_speed(flat: bool) -> None:
    states = replace(circling(spread=0.0, distance=6.0), locomotions=flat_or_free(flat)).run(FPS * 12)
    offset = positions(states)[-FPS * 8 :] - (0.0, 0.0, 1.0)
    assert np.abs(np.hypot(offset[..., 0], offset[..., 1]) - 6.0).max() < 0.25
    assert flat or np.abs(offset[..., 2]).max() < 0.05, "level with the target"
    assert np.abs(speeds(states)[-FPS * 8 :] - 4.0).max() < 0.1
    assert (turning(states)[-1] > 0.0).all()


def test_the_direction_can_be_chosen() -> None:
    assert (turning(circling(direction=COUNTERCLOCKWISE).run(FPS * 7))[-1] > 0.0).all()
    assert (turning(circling(direction=CLOCKWISE).run(FPS * 7))[-1] < 0.0).all()
    either = turning(circling(12, direction=EITHER).run(FPS * 7))[-1]
    assert (either > 0.0).any() and (either < 0.0).any()


def test_circles_differ_in_radius_and_height() -> None:
    states = circling(40, spread=2.0, height=3.0, height_spread=1.0).run(FPS * 9)
    offset = positions(states)[-1] - (0.0, 0.0, 1.0)
    wide = np.hypot(offset[:, 0], offset[:, 1])
    assert 3.7 < wide.min() < 5.0 and 7.0 < wide.max() < 8.3
    assert 1.9 < offset[:, 2].min() < 2.5 and 3.5 < offset[:, 2].max() < 4.1


def test_the_approach_time_is_that_in_which_it_makes_up_its_height() -> None:
    """On its circle, a little below its height, it climbs as if to reach that after this time."""
    for approach_time in (2.0, 4.0):
        values = {"spread": 0.0, "distance": 6.0, "height": 1.0, "approach_time": approach_time}
        place = replace(circling(1, **values), position=np.array([[6.0, 0.0, 1.5]]), speed=0.0)
        world, agents, [orbit] = place.seen()
        climb = orbit.steer(world, agents, None).force[0, 2] / agents.mass[0] * agents.vehicle.response_time[0]
        assert climb == pytest.approx(0.5 / approach_time, rel=0.02)


def test_on_a_tight_circle_it_goes_slowly() -> None:
    states = circling(distance=0.5, spread=0.0).run(FPS * 15)
    offset = positions(states)[-2 * FPS :, :, :2]
    assert np.abs(np.hypot(offset[..., 0], offset[..., 1]) - 0.5).max() < 0.2
    assert speeds(states)[-1].max() < 2.0


def test_it_accompanies_a_moving_target() -> None:
    states = circling(spread=0.0, drift=(1.0, 0.0, 0.0)).run(FPS * 15)
    centre = np.array([(len(states) - 1) / FPS, 0.0, 1.0])
    offset = positions(states)[-1] - centre
    assert np.abs(np.hypot(offset[:, 0], offset[:, 1]) - 6.0).max() < 1.0


def test_circles_that_tilt_make_a_ball_that_turns_one_way() -> None:
    """As seen from above nearly all go round to the left, and the ball is nearly as high as wide."""
    states = circling(120, distance=3.0, spread=1.0, tilt=np.radians(100.0), approach_time=0.5).run(FPS * 10)
    offset = positions(states)[-1] - (0.0, 0.0, 1.0)
    across = np.sqrt((offset * offset).mean(axis=0))
    assert across.min() > 0.8 * across.max()
    assert (turning(states)[-1] > 0.0).mean() > 0.75
    assert np.abs(np.linalg.norm(offset, axis=1) - 3.0).max() < 1.4


def test_a_circle_changes_its_tilt_slowly_and_keeps_its_middle() -> None:
    still = circling(20, distance=4.0, spread=0.0, height=2.0, tilt=1.2, tilt_rate=0.0, approach_time=0.3).run(FPS * 12)
    path = positions(still)[-FPS * 5 :] - (0.0, 0.0, 3.0)
    assert np.abs(np.linalg.norm(path, axis=-1) - 4.0).max() < 0.3
    flatness = np.linalg.svd(path.transpose(1, 0, 2), compute_uv=False)[:, 2] / np.sqrt(len(path))
    assert flatness.max() < 0.1, "each in a plane of its own"
    changing = circling(20, distance=4.0, spread=0.0, tilt=1.2, tilt_rate=0.2, approach_time=0.3).run(FPS * 12)
    axis = np.cross(positions(changing)[-1] - (0.0, 0.0, 1.0), velocities(changing)[-1])
    before = np.cross(positions(changing)[-2 * FPS - 1] - (0.0, 0.0, 1.0), velocities(changing)[-2 * FPS - 1])
    cosine = (axis * before).sum(axis=1) / (np.linalg.norm(axis, axis=1) * np.linalg.norm(before, axis=1))
    assert 3.0 < np.degrees(np.arccos(np.median(cosine))) < 90.0


def test_on_the_ground_circles_stay_level() -> None:
    level = replace(circling(6), locomotions=flat_or_free(True))
    tilted = replace(circling(6, tilt=1.5), locomotions=flat_or_free(True))
    assert positions(level.run(FPS)).tobytes() == positions(tilted.run(FPS)).tobytes()
