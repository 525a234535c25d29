"""Walkers get wherever a body can walk, past doors, gaps and crowds that wait."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.docking import Docking
from steering_addon.behaviors.leader_following import LeaderFollowing
from steering_addon.behaviors.seek import Seek
from steering_addon.locomotion import OnFoot
from steering_addon.recording.mishaps import NO_WAY, Mishaps
from steering_addon.scene import CrowdState, with_states
from steering_addon.simulation.candidates import FIRST, NEAREST_ONE, Candidates
from steering_addon.simulation.declaration import NEAREST
from steering_addon.simulation.geometry.obstacles import Obstacles
from steering_addon.simulation.run import step
from steering_addon.simulation.ways import over_ground
from tests.sampling import sampled
from tests.scene import Scene, leaders, positions
from tests.simulation.ways.grounds import (
    FPS,
    NOTHING,
    PLATE,
    RADIUS,
    SCENES,
    UPSTAIRS,
    door,
    near,
    quads,
    walkers,
    walls,
    ways_of,
)
from tests.surfaces import plate


@sampled(one_of=5)
@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("behavior", [Seek, Arrival])
def test_a_way_leads_to_wherever_one_can_walk(name: str, behavior: Any) -> None:
    scene, things, goal, places, seconds = SCENES[name]
    crowd = walkers(scene, things, goal, places, behavior)
    course = positions(crowd.run_until_each(lambda state: near(state, goal, 1.0), seconds * FPS))
    nearest = np.linalg.norm(course - goal, axis=2).min(axis=0)
    assert (nearest < 1.0).all()


@sampled(one_of=2)
@pytest.mark.parametrize("behavior, target", [(Docking, "target"), (LeaderFollowing, "leader")])
def test_what_is_told_a_place_beside_a_goal_upstairs_goes_upstairs(behavior: Any, target: str) -> None:
    scene, things, goal, *_ = SCENES["upstairs"]
    places = [(7.0, 4.0, 0.0), (7.0, 6.0, 0.0)]
    crowd = walkers(scene, things, goal, places)
    crowd.behaviors[0] = (behavior, {target: np.full(len(places), len(places))})
    states = crowd.run_until(lambda states: bool((states[-1].motion.position[:, 2] > 2.9).all()), 12 * FPS)
    assert (positions(states)[-1, :, 2] > 2.9).all()


@pytest.mark.parametrize("locomotion", [None, {"headroom": 0.8}])
def test_who_crouches_in_a_state_takes_the_way_that_is_too_low_to_walk(locomotion: Any) -> None:
    lintel, far = ((-0.1, -1.0, 1.0), (0.1, 1.0, 3.0)), ((-0.1, 1.0, 0.0), (0.1, 3.5, 3.0))
    wall = walls(((-0.1, -5.0, 0.0), (0.1, -1.0, 3.0)), lintel, far)
    scene = walkers(PLATE, wall, (3.0, 0.0, 0.0), [(-3.0, 0.0, 0.0)])
    state = CrowdState("Crouch", locomotion=locomotion, numbers={"cue": 1.0})
    course = positions(scene.run(4 * FPS, at=lambda frame, snapshot: with_states(snapshot, [state])))
    assert (np.abs(course[:, 0, 1]).max() < 1.0) == (locomotion is not None)


def test_where_a_way_turns_the_edge_of_the_ground_beyond_holds_nobody_up() -> None:
    """A wide turner behind whose door the floor ends after 2.4 m, while its way turns aside there."""
    goal = (1.5, -4.0, 0.0)
    scene = walkers(quads(plate(-6, -5, 2.5, 5)), door(1.2), goal, [(-3, 2, 0), (-3, -2, 0), (-5, 0, 0)])
    scene.locomotions = [(OnFoot, {"turn_radius": 3.7})]
    course = positions(scene.run_until_each(lambda state: near(state, goal, 1.0), 10 * FPS))
    assert (np.linalg.norm(course - goal, axis=2).min(axis=0) < 1.0).all()


@sampled(one_of=2)
@pytest.mark.parametrize("by", ["presence", "keys"])
def test_where_no_way_leads_the_goal_is_the_nearest_place_until_the_gate_opens(by: str) -> None:
    goal, lowered = (8.0, 0.0, 0.0), np.array([[0.0, 0.0, 0.0]] * 2 + [[0.0, 0.0, -4.0]])
    gate = walls(
        ((-0.1, -5.0, 0.0), (0.1, -1.0, 3.0)), ((-0.1, 1.0, 0.0), (0.1, 5.0, 3.0)), ((-0.1, -1.0, 0.0), (0.1, 1.0, 3.0))
    )
    scene = walkers(PLATE, gate, goal, [(-6.0, 2.0, 0.0)], Arrival)
    state, places, mishaps, lost = scene.start(), [], Mishaps(1), []
    for frame in range(22 * FPS):
        opened = replace(gate, present=gate.present & np.array([True, True, frame < 10 * FPS]))
        if by == "keys":
            down = lowered * np.clip((frame - 10 * FPS) / FPS, 0.0, 1.0)
            opened = replace(gate, start=gate.start + down, end=gate.end + down)
        state = step(state, replace(scene.snapshot(frame), obstacles=opened))
        places.append(state.motion.position[0].copy())
        mishaps.look(frame, state)
        lost.append(mishaps.number(NO_WAY))
        if near(state, goal, 1.0)[0]:
            break
    # A vehicle that finds a way in the end has lost none.
    assert lost[9 * FPS] == 1 and lost[-1] == 0
    waits = places[9 * FPS]
    assert -1.0 < waits[0] < -0.2 and abs(waits[1]) < 0.6
    assert np.linalg.norm(places[-1] - goal) < 1.0


@sampled(one_of=2)
@pytest.mark.parametrize("gap", [0.02, 0.1])
def test_a_gap_that_a_foot_bridges_changes_no_frame(gap: float) -> None:
    places = [(-2.0, y, 0.0) for y in (-4.0, -1.0, 0.5, 3.0)]
    whole, parted = (
        positions(
            walkers(quads(plate(-8, -6, -g / 2, 6), plate(g / 2, -6, 8, 6)), NOTHING, (3, 0, 0), places, Arrival).run(
                5 * FPS
            )
        )
        for g in (0.0, gap)
    )
    assert np.abs(whole - parted).max() < 0.01
    assert (np.abs(whole[-1, :, 0] - 3.0) < 1.5).all()


def test_below_a_goal_upstairs_nobody_has_reached_it() -> None:
    states = walkers(UPSTAIRS, NOTHING, (2.0, 5.0, 3.0), [(2.0, 5.0, 0.0)], Arrival).run(3 * FPS)
    assert not any(state.memories["errand"].arrived.any() for state in states[1:])


def test_a_run_goes_on_from_a_checkpoint_with_nothing_remembered_of_ways() -> None:
    scene = walkers(PLATE, door(1.2, 2.0), (9.0, 0.0, 0.0), [(-6.0, y, 0.0) for y in np.linspace(-4.0, 4.0, 6)])
    whole = scene.run(FPS + 3)
    state = whole[FPS]
    for frame in range(FPS + 1, len(whole)):
        over_ground._ground.cache_clear()
        over_ground._last_standing.cache_clear()
        state = step(state, scene.snapshot(frame))
    assert state.motion.position.tobytes() == whole[-1].motion.position.tobytes()


TWO_DOORS = walls(
    ((-0.1, -5.0, 0.0), (0.1, -3.0, 3.0)), ((-0.1, -1.5, 0.0), (0.1, 1.5, 3.0)), ((-0.1, 3.0, 0.0), (0.1, 5.0, 3.0))
)


def side_taken(crowd: Any, speed: float, bound: bool = False) -> float:
    """The side of straight ahead to which one heads between two doors, once a crowd has got on so fast. `bound`:
    whether the crowd is on its way to the same goal."""
    n = len(crowd)
    scene = walkers(PLATE, TWO_DOORS, (8.0, 0.5, 0.0), [(-5.0, 0.5, 0.0), *crowd])
    place, at, goals = np.asarray(scene.position), scene.snapshot(0), np.tile((8.0, 0.5, 0.0), (n + 1, 1))
    ways = ways_of(scene)
    for k in range(5 * FPS):
        pace, radius = np.array([0.0] + [speed] * n), np.full(n + 1, RADIUS)
        goes = np.arange(n + 1) > 0
        if bound:
            ways.unroll(np.arange(n + 1), at.keys, place, goals)
        traffic = ways.traffic_after(
            place, pace, np.full(n + 1, 1.4), radius, goes, goals, None, k / FPS, 1.0 / FPS, looks=True
        )
        ways = replace(ways, grounds=tuple((*ground[:2], traffic[ground[0].build]) for ground in ways.grounds))
    seen_there = ways.unroll(np.arange(1), at.keys[:1], place[:1], goals[:1])
    return float(seen_there[0, 1] - place[0, 1])


@pytest.mark.parametrize(
    "speed, bound, goes_round",
    [(0.0, False, True), (1.4, False, False), (1.4, True, True)],
    ids=["that waits", "that walks elsewhere", "that sets off for it"],
)
def test_one_takes_the_other_door_when_a_crowd_is_at_the_nearer_one(
    speed: float, bound: bool, goes_round: bool
) -> None:
    queue = [(-0.6 - 0.5 * i, 1.6 + 0.45 * j, 0.0) for i in range(4) for j in range(4)]
    assert side_taken([(-11.0, -4.5, 0.0)], 0.0) > 0.0
    assert (side_taken(queue, speed, bound) < 0.0) == goes_round


EXITS = (11.0, 0.0, 0.0), (-11.0, 0.0, 0.0)
HALL = walls(
    *(((x, *y, 0.0), (x + 0.2, *z, 3.0)) for x in (-8.2, 8.0) for y, z in (((-5.0,), (-0.6,)), ((0.6,), (5.0,))))
)
"""Between two walls with a door each, and an exit behind each."""


def visitors(places: Any, target: int, exits: Any = EXITS, things: Obstacles = HALL, ground: Any = PLATE) -> Scene:
    scene = walkers(ground, things, (0.0, 0.0, 0.0), places)
    n = len(places)
    scene.tracked = leaders(*exits)
    scene.behaviors[0] = (Seek, {"target": np.full(n, target)})
    scene.candidates = (Candidates(n + np.arange(len(exits)), np.arange(len(exits), dtype=np.uint64), NEAREST_ONE),)
    return scene


def taken(scene: Scene) -> np.ndarray:
    """The number of the exit that each takes."""
    _, _, [seek, *_] = scene.seen()
    return seek.target - len(scene.position)


@pytest.mark.parametrize("target", [FIRST, NEAREST], ids=["a collection", "all leaders"])
def test_a_place_behind_a_wall_or_upstairs_is_as_far_as_the_way_there(target: int) -> None:
    closed = walls(((-0.1, -5.0, 0.0), (0.1, 4.0, 3.0)))
    beside_it = visitors([(-1.0, -4.0, 0.0)], target, ((1.0, -4.0, 0.0), (-6.0, -4.0, 0.0)), closed)
    assert taken(beside_it).tolist() == [1]
    below = visitors([(2.0, 5.0, 0.0)], target, ((2.0, 5.0, 3.0), (9.0, 9.0, 0.0)), NOTHING, UPSTAIRS)
    assert taken(below).tolist() == [1]


def test_a_place_that_is_out_of_reach_is_taken_only_if_all_are() -> None:
    wall = ((-0.1, -5.0, 0.0), (0.1, 5.0, 3.0))
    exits = (1.0, 0.0, 0.0), (-9.0, 0.0, 0.0), (6.0, 0.0, 0.0)
    assert taken(visitors([(-1.0, 0.0, 0.0)], FIRST, exits, walls(wall))).tolist() == [1]
    assert taken(visitors([(-1.0, 0.0, 0.0)], FIRST, exits[::2], walls(wall))).tolist() == [0]


def test_two_exits_share_a_throng_that_is_near_one_of_them() -> None:
    rng = np.random.default_rng(0)
    places = np.column_stack((rng.uniform(2.0, 7.5, 50), rng.uniform(-4.5, 4.5, 50), np.zeros(50)))
    scene = visitors(places, FIRST)
    assert (taken(scene) == 0).all()
    state = scene.start()
    for frame in range(8 * FPS):
        state = step(state, scene.snapshot(frame))
        if np.count_nonzero(state.motion.velocity[:, 0] < -0.5) >= 3:
            return
    pytest.fail("All go to the exit that is nearer.")


def test_traffic_is_looked_at_in_steps_in_which_all_have_asked_for_their_ways() -> None:
    scene = replace(visitors([(-1.0, 0.0, 0.0), (3.0, 1.0, 0.0)], FIRST), decides_every=5)
    state, looks = scene.start(), []
    for frame in range(3 * FPS):
        known, state = state.traffic, step(state, scene.snapshot(frame))
        looks += [state.held.steps for build in known if known[build].look != state.traffic[build].look]
    assert looks == [1, 1]
