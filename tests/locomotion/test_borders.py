"""On Foot near borders: who goes away from one is not braked, and people and animals use all of a stage."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors.arrival import Arrival
from steering_addon.locomotion import OnFoot
from steering_addon.locomotion.looking import glance
from steering_addon.locomotion.walkable import Look, Walkable
from steering_addon.locomotion.walking import Walking
from steering_addon.simulation.geometry.surfaces import Surfaces, surfaces
from steering_addon.simulation.snapshot import State
from tests.sampling import sampled
from tests.scene import Scene, leaders, positions, speeds
from tests.surfaces import Faces, four_cornered, patch, plate

FPS = 12
PERSON, HORSE = {"turn_radius": 3.0}, {"turn_radius": 4.0, "turn_on_the_spot": 0.0}
RADIUS, PACE, CRUISE = 0.2, 1.4, 0.7


def rectangle(low: tuple[float, float], high: tuple[float, float], height: float = 0.0) -> Faces:
    """One face as a floor."""
    return four_cornered(plate(*low, *high, height))


def walkers(ground: Surfaces, places: Any, behaviors: Any, forward: Any = (0.0, 1.0, 0.0), **values: Any) -> Scene:
    """Walkers that take no notice of each other."""
    return Scene(
        np.array(places, dtype=float),
        forward=forward,
        speed=PACE,
        behaviors=behaviors,
        vehicle={"max_speed": PACE / CRUISE, "cruise_speed": CRUISE, "max_force": 2.5, "radius": RADIUS},
        surfaces=ground,
        fps=FPS,
        **values,
    )


def off(state: State, goals: Any) -> float:
    """How far the last one is from its goal."""
    return float(np.linalg.norm(state.motion.position - goals, axis=1).max())


@sampled(one_of=2)
@pytest.mark.parametrize("foot", [PERSON, HORSE], ids=["person", "horse"])
def test_a_way_ends_where_it_leads_also_near_a_border(foot) -> None:
    ground = surfaces([rectangle((-6.0, -10.0), (6.0, 9.15))])
    goals = [(0.0, 8.0, 0.0), (5.4, 8.5, 0.0)]
    scene = walkers(
        ground,
        [(0.0, -8.5, 0.0), (5.4, -8.5, 0.0)],
        [(Arrival, {"target": 2 + np.arange(2)})],
        locomotions=[(OnFoot, foot)],
        tracked=leaders(*goals),
    )
    states = scene.run_until(lambda states: off(states[-1], goals) < 0.5, 16 * FPS)
    assert (speeds(states[FPS : 6 * FPS]) > 0.9 * PACE).all()
    assert np.linalg.norm(positions(states)[-1] - goals, axis=1).max() < 0.5


def treads(rises: list[tuple[float, float]], end: float) -> tuple[np.ndarray, np.ndarray]:
    """A floor along Y with steps: their places and heights, metres."""
    profile = [(-10.0, 0.0)]
    for place, height in rises:
        profile += [(place, profile[-1][1]), (place, profile[-1][1] + height)]
    profile.append((end, profile[-1][1]))
    return ribbon(profile)


def ribbon(profile: list[tuple[float, float]]) -> tuple[np.ndarray, np.ndarray]:
    """Faces 12 m wide along a line of places (y, z)."""
    points = np.array([(x, y, z) for y, z in profile for x in (-6.0, 6.0)])
    faces = [(2 * k, 2 * k + 1, 2 * k + 3, 2 * k + 2) for k in range(len(profile) - 1)]
    return points, np.array([t for a, b, c, d in faces for t in ((a, b, c), (a, c, d))])


UNEVEN = {
    "stairs": treads([(-2.0 + 0.45 * k, 0.25) for k in range(8)], 9.15),
    "a step of a millimetre": treads([(-2.0, 0.001)], 9.15),
    "before a ramp": ribbon([(-10.0, 0.0), (3.0, 0.0), (7.0, 2.0), (20.0, 2.0)]),
}


@sampled(one_of=4)
@pytest.mark.parametrize("faces", UNEVEN.values(), ids=UNEVEN)
def test_level_faces_are_walked_at_full_speed_whatever_rises_beside_them(faces) -> None:
    scene = walkers(
        surfaces([faces]),
        [(0.0, -8.5, 0.0)],
        [(Arrival, {"target": 1})],
        locomotions=[(OnFoot, PERSON)],
        tracked=leaders((0.0, 8.0, 2.0)),
    )
    place = positions(scene.run(7 * FPS))[:, 0, :2]
    speed = np.linalg.norm(np.diff(place, axis=0), axis=-1) * FPS
    assert place[-1, 1] > 2.5
    assert (speed[place[1:, 1] < 2.5] > 0.95 * PACE).all()


@sampled(one_of=4)
@pytest.mark.parametrize(
    ("gap", "step", "crosses"),
    [
        (0.35, 0.0, True),
        (0.6, 0.0, False),
        (0.0, 0.0, True),
        (0.1, 0.15, True),
        (-0.5, 0.01, True),
        (0.02, 0.0, True),
        (0.2, 0.0, True),
    ],
)
def test_a_gap_that_a_foot_bridges_is_no_border(gap, step, crosses) -> None:
    ground = surfaces([rectangle((-12.0, -6.0), (0.0, 6.0)), rectangle((gap, -6.0), (12.0, 6.0), step)])
    starts = np.array([(-2.0, -2.5, 0.0), (-2.0, 0.0, 0.0)])
    goals = np.array([(5.0, 2.5, step), (5.0, 0.0, step)])
    scene = walkers(
        ground,
        starts,
        [(Arrival, {"target": 2 + np.arange(2)})],
        (goals - starts) * (1.0, 1.0, 0.0),
        locomotions=[(OnFoot, {**PERSON, "step_height": 0.3})],
        tracked=leaders(*goals),
    )
    states = scene.run_until(lambda states: off(states[-1], goals) < 0.5, (8 if crosses else 4) * FPS)
    place = positions(states)
    if not crosses:
        assert place[..., 0].max() <= 0.0
        return
    assert (speeds(states[: 2 * FPS]) > 0.95 * PACE).all()
    assert np.linalg.norm(place[-1] - goals, axis=1).max() < 0.5
    assert np.isin(place[..., 2], (0.0, step)).all()


def looks(x: list[float], ahead: tuple[float, float], circle: float = 0.5) -> tuple[Walkable, Look]:
    """Walkers on a floor that ends at 5 m: they look two metres ahead."""
    ground, every = surfaces([rectangle((-5.0, -5.0), (5.0, 5.0))]), np.ones(len(x))
    walkable = Walkable(ground, 0.6 * every, 0.3 * every, 1.8 * every, every > 0.0, every > 0.0)
    feet, normal, heading = (every[:, None] * v for v in ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), ahead))
    feet[:, 0] = x
    triangle = ground.under(*feet.T, every, every).triangle
    sizes = (0.1, 2.0, 0.2, 0.5, circle)
    return walkable, Look(feet, normal, triangle, heading, heading, *(size * every for size in sizes))


def test_who_is_hindered_takes_the_least_turn_that_is_free_on_the_side_on_which_it_goes_round() -> None:
    """A metre from an edge only more than 60 degrees off is free."""
    walkable, look = looks([4.0, 4.0, 4.0], (1.0, 0.0))
    direction, side = walkable.free_direction(look, np.array([0, 1, -1]))
    assert np.degrees(np.arctan2(direction[:, 1], direction[:, 0])) == pytest.approx([70.0, 70.0, -70.0])
    assert side.tolist() == [1, 1, -1]


@pytest.mark.parametrize(("asked", "turn"), [(50.0, 20.0), (30.0, 45.0), (10.0, 70.0), (-20.0, 100.0), (-60.0, 140.0)])
def test_who_is_hindered_turns_by_the_least_of_several_angles_to_either_side(asked: float, turn: float) -> None:
    """To either side if one of them has no way at so small an angle; else to the side on which it goes round."""
    for hand in (1.0, -1.0):
        angle = np.radians(hand * asked)
        walkable, look = looks([4.0], (np.cos(angle), np.sin(angle)))
        for side in (0.0, hand) if asked > 20.0 else (hand,):
            [direction], _ = walkable.free_direction(look, np.array([int(side)]))
            found = np.degrees(np.arctan2(direction[1], direction[0]))
            assert found == pytest.approx(hand * (asked + turn))


def test_who_looks_remembers_by_which_turn_it_goes_round_and_who_is_free_none() -> None:
    for hand in (1.0, -1.0):
        angle = np.radians(50.0)
        walkable, look = looks([4.0, 0.0], (np.cos(angle), hand * np.sin(angle)))
        every = np.ones(2)
        memory = glance(walkable, look, 9.0 * every, Walking.blank(2), np.arange(2), 1.0 / FPS)
        turn = np.degrees(np.arctan2(memory.aside, memory.ahead))
        assert turn == pytest.approx([hand * 20.0, 0.0]) and memory.side.tolist() == [hand, 0.0]


def test_who_turns_back_lets_no_part_of_its_body_hang_over_an_edge_before_its_goal() -> None:
    ground = surfaces([rectangle((-1.0, -10.0), (1.0, 4.0))])
    scene = walkers(
        ground,
        [(0.0, -2.0, 0.0)],
        [(Arrival, {"target": 1})],
        locomotions=[(OnFoot, PERSON)],
        tracked=leaders((0.0, 9.0, 0.0)),
    )
    scene.vehicle.update(radius=0.4)
    nearest = positions(scene.run(6 * FPS))[:, 0, 1].max()
    assert 3.4 < nearest <= 4.0 - 0.4


def test_who_turns_back_at_an_edge_is_led_by_60_degrees_more_than_along_it() -> None:
    """Only where it shuns edges, and is led far from where it wants to go."""
    for hand in (1.0, -1.0):
        walkable, look = looks([4.0], (0.95, hand * np.sqrt(1.0 - 0.95 * 0.95)))
        course, side = walkable.free_direction(look, np.array([0]))
        back = walkable.turned_back(look, course, side)
        turn = np.arctan2(*(course[0, 0] * back[0, 1] - course[0, 1] * back[0, 0], np.sum(course * back)))
        assert np.degrees(turn) == pytest.approx(60.0 * side[0])
        assert not walkable.turned_back(look, look.direction, side).any()
        assert not replace(walkable, shuns_edges=np.array([False])).turned_back(look, course, side).any()


def test_a_turn_has_room_where_its_circle_does_not_leave_the_ground() -> None:
    """By a right angle, towards an edge and away from it, straight on close to it, and far from any."""
    walkable, look = looks([4.0, 4.0, 4.9, 0.0], (0.0, 1.0), circle=2.0)
    turn = np.array([(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (1.0, 0.0)])
    assert walkable.leaves_room(look, turn, np.zeros(4), np.full(4, np.inf)).tolist() == [False, True, True, True]


STEPS = {
    # situation: from x to x, whether it refuses to leave the ground, whether the step is refused
    "on the level": (1.2, 1.5, True, False),
    "down what is too steep": (1.1, 0.8, True, True),
    "up what is too steep": (1.9, 2.2, True, True),
    "on what is so steep already": (0.8, 0.5, True, False),
    "up to steeper ground from there": (2.9, 3.2, True, True),
    "down to less steep ground": (3.1, 2.8, True, False),
    "down to steeper ground": (4.9, 5.2, True, False),
    "up to less steep ground": (5.1, 4.8, True, False),
    "over the first end": (0.2, -0.1, True, True),
    "over the end": (5.9, 6.2, True, True),
    "over the end for one that falls": (5.9, 6.2, False, False),
}


def test_a_step_is_refused_onto_ground_that_ends_or_is_too_steep_and_from_no_ground_none_is() -> None:
    """The first face of all is too steep, the next is level, and then it is ever steeper, up and down."""
    profile = np.array([(0.0, 0.0), (1.0, 1.2), (2.0, 1.2), (3.0, 2.4), (4.0, 4.4), (5.0, 3.2), (6.0, 1.2)])
    ground = surfaces([patch(np.array([[(x, y, z) for x, z in profile] for y in (-3.0, 3.0)]))])
    start, end, stays, refused = (np.tile(column, 2) for column in zip(*STEPS.values()))
    n, one = len(STEPS), np.ones(2 * len(STEPS))
    walkable = Walkable(ground, np.radians(35.0) * one, 0.5 * one, 1.8 * one, one > 0.0, stays)
    slope = np.diff(profile[:, 1])[start.astype(int)]
    feet = np.stack((start, 2.0 * one, np.interp(start, *profile.T)), axis=1)
    normal = np.stack((-slope, 0.0 * one, one), axis=1) / np.hypot(slope, 1.0)[:, None]
    triangle = np.where(np.arange(2 * n) < n, ground.under(*feet.T, one, one).triangle, -1)
    _, found = walkable.step(feet, np.stack((end - start, 0.0 * one), axis=1), normal, triangle)
    assert dict(zip(STEPS, found[:n].tolist())) == dict(zip(STEPS, refused[:n].tolist()))
    assert not found[n:].any()
