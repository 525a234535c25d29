"""Bypasses: the way of a path follower bends round what stands on its path."""

from dataclasses import replace
from itertools import islice, repeat

import numpy as np
import pytest

from scripts.course_scenes import Course, course, random_course
from steering_addon.scene import boxes, spline
from steering_addon.simulation.run import simulate, step
from steering_addon.simulation.snapshot import State
from steering_addon.simulation.ways.bypasses import Bypass
from tests.sampling import sampled, thorough

FPS = 12.0
SNAKE = np.array([[-14.0, 6.0, 0.0], [8.0, 14.0, 0.0], [26.0, -2.0, 0.0], [48.0, 6.0, 0.0]])
"""Points of a path of two bends, metres."""
ON_IT = np.array([[-3.0, 11.4, 0.0], [17.0, 6.5, 0.0], [37.0, 0.5, 0.0]])
"""The middles of boxes of 2 m that stand on that path, metres."""


def bend(preset: str, place: tuple[float, float], size: float) -> Course:
    """A path with a box in its bend, as the animator draws it without a thought, and one vehicle."""
    on = course(preset, "ALLOCATION", [], [1.0])
    x = np.linspace(0.0, 20.0, 81)
    line = spline(np.stack((x, 6.0 * np.sin(np.pi * x / 30.0), np.zeros(81)), axis=1) * size, False)
    behaviors = [
        (kind, {**values, "radius": 0.5 * size} if kind.name == "path_following" else values)
        for kind, values in on.scene.behaviors
    ]
    scene = replace(
        on.scene,
        fps=FPS,
        position=np.array([[*place, 0.0]]) * size,
        forward=np.array([[1.0, 0.0, 0.0]]),
        behaviors=behaviors,
        obstacles=boxes(np.array([[15.0, 6.0, 0.0]]) * size, [[0.75 * size] * 3]),
        paths=((line,),),
    )
    return replace(on, name=f"{preset} from {place}", scene=scene, line=line)


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


@thorough
def test_one_that_others_pushed_to_the_far_side_continues_there() -> None:
    on = bend("pedestrian", (8.5, 4.6), 1.5)
    abreast_of_it = up_to(on, 1.5 * 13.5)[-1]
    assert abreast_of_it.motion.position[0, 0] > 1.5 * 13.5
    side = np.sign(abreast_of_it.motion.position[0, 1] - 9.0)
    far = abreast_of_it.motion.position.copy()
    far[0, 1] = 9.0 - side * 2.5
    pushed = replace(abreast_of_it, motion=replace(abreast_of_it.motion, position=far))
    place = [pushed.motion.position[0]]
    for _ in range(int(5 * FPS)):
        pushed = step(pushed, on.scene.snapshot())
        place.append(pushed.motion.position[0])
    track = np.array(place)
    abreast = np.abs(track[:, 0] - 22.5) < 1.0
    assert abreast.any() and (np.sign(track[abreast, 1] - 9.0) == -side).all()


@thorough
def test_a_bypass_never_leads_back_where_the_path_has_a_bend() -> None:
    """Sharks that are slow for their size once flew up and away from this one, and whirled there for ever.

    They climb over the bend at 30 degrees at most, and the last of the four is past it after 20 s.
    """
    scene = replace(random_course(42).scene, fps=FPS)
    for state in islice(simulate(scene.start(), repeat(scene.snapshot(), round(25 * FPS))), 1, None):
        if state.memories["path_following"].along.min() > 18.0:
            break
    assert state.memories["path_following"].along.min() > 18.0
    assert state.motion.position[:, 2].max() < 10.0


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
