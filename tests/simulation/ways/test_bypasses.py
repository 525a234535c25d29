"""Bypasses: the way of a path follower bends round what stands on its path."""

from dataclasses import replace
from itertools import repeat

import numpy as np
import pytest

from scripts.course_scenes import Course, course
from steering_addon.scene import boxes, spline
from steering_addon.simulation.run import simulate
from steering_addon.simulation.snapshot import State
from steering_addon.simulation.ways.bypasses import Bypass
from tests.sampling import sampled

FPS = 12.0
SNAKE = np.array([[-14.0, 6.0, 0.0], [8.0, 14.0, 0.0], [26.0, -2.0, 0.0], [48.0, 6.0, 0.0]])
"""Points of a path of two bends, metres."""
ON_IT = np.array([[-3.0, 11.4, 0.0], [17.0, 6.5, 0.0], [37.0, 0.5, 0.0]])
"""The middles of boxes of 2 m that stand on that path, metres."""


def up_to(on: Course, x: float) -> list[State]:
    """The states of a course until its first vehicle has that x, or is at the end of the path."""
    states: list[State] = []
    for state in simulate(on.scene.start(), repeat(on.scene.snapshot(), on.frames)):
        states.append(state)
        if state.motion.position[0, 0] > x or (len(states) > 1 and on.reached(state).all()):
            break
    return states


def smooth(points: np.ndarray) -> np.ndarray:
    """A Catmull-Rom curve through points, (40 k + 1, 3)."""
    slope, share = np.gradient(points, axis=0), np.linspace(0.0, 1.0, 40, endpoint=False)[:, None]
    square, cube = share**2, share**3
    start, end = 2.0 * cube - 3.0 * square + 1.0, 3.0 * square - 2.0 * cube
    pieces = [
        start * points[k]
        + end * points[k + 1]
        + (cube - 2.0 * square + share) * slope[k]
        + (cube - square) * slope[k + 1]
        for k in range(len(points) - 1)
    ]
    return np.concatenate([*pieces, points[-1:]])


@sampled
@pytest.mark.parametrize("size", [1.0, 1.5])
def test_a_car_passes_a_box_behind_a_bend_on_the_side_of_its_way(size: float) -> None:
    on = course("car", "ALLOCATION", [], [1.0])
    line = spline(smooth(SNAKE) * size, False)
    scene = replace(
        on.scene,
        fps=FPS,
        position=np.array([[-17.0, 6.5, 0.0]]) * size,
        forward=np.array([[0.0, -1.0, 0.0]]),
        obstacles=boxes(ON_IT * size, [[size] * 3] * 3),
        paths=((line,),),
    )
    states = up_to(replace(on, scene=scene, line=line, frames=250), 30.0 * size)
    assert states[-1].motion.position[0, 0] > 30.0 * size
    between = [s.motion.velocity[0] for s in states if 0.0 < s.motion.position[0, 0] < 30.0 * size]
    assert np.linalg.norm(between, axis=1).min() > 2.5


def test_the_slope_of_a_bypass_is_the_change_of_its_offset() -> None:
    rng = np.random.default_rng(4)
    corners = np.sort(rng.uniform(0.0, 30.0, (4, 8)), axis=0) + np.arange(4)[:, None]
    names = ("start", "begin", "end", "close")
    vectors = {name: rng.normal(size=(8, 3)) for name in ("offset", "before", "slope")}
    bypass = replace(Bypass.blank(8), active=np.arange(8) > 0, **vectors, **dict(zip(names, corners, strict=True)))
    ahead = np.linspace(0.0, 40.0, 4001)[None].repeat(8, axis=0)
    offset, slope = bypass.at(ahead)
    assert (offset[0] == 0.0).all() and (slope[0] == 0.0).all(), "it is not active"
    change = np.gradient(offset, 0.01, axis=1)
    smooth = (np.abs(ahead[..., None] - corners.T[:, None]) > 0.05).all(axis=2)
    assert np.abs(change - slope)[smooth].max() < 0.02
    assert np.abs(slope[1:]).max() > 0.1


def test_an_agent_that_has_come_on_has_the_same_bypass_ahead_until_it_is_past_it() -> None:
    corners = np.array([[2.0], [5.0], [9.0], [14.0]])
    places = dict(zip(("start", "begin", "end", "close"), corners, strict=True))
    bypass = replace(Bypass.blank(1), active=np.array([True]), offset=np.array([[0.0, 1.5, 0.0]]), **places)
    ahead = np.linspace(0.0, 15.0, 60)[None]
    for distance in (1.0, 7.0, 13.0):
        later = bypass.advanced(np.array([distance]))
        assert np.allclose(later.at(ahead)[0], bypass.at(ahead + distance)[0])
        assert later.active[0]
    assert not bypass.advanced(np.array([14.5])).active[0]
