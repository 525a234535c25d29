"""Mishaps: what a plain look at all pairs finds is found, and nothing else."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.behaviors.arrival import Arrival
from steering_addon.locomotion import OnFoot, SimpleVehicle
from steering_addon.recording import overlaps
from steering_addon.recording.mishaps import (
    FELL,
    GETS_ON_IN_SPACE,
    GROUND,
    HELD,
    NO_ROOM,
    OBSTACLE,
    OVERLAP,
    PATIENCE,
    QUEUED,
    STUCK,
    TOLERANCE,
    Mishaps,
)
from steering_addon.recording.overlaps import Overlaps
from steering_addon.scene import CrowdState, with_states
from steering_addon.simulation.geometry.obstacles import boxes, obstacles
from steering_addon.simulation.lane_use import Passing
from steering_addon.simulation.locomotion import HELD_UP, OFF_GROUND
from steering_addon.simulation.maneuvers.coming_down import Coming
from steering_addon.simulation.mindset import Mindset
from steering_addon.simulation.presence.arrivals import Staying, memory_of
from steering_addon.simulation.settling import Settling
from steering_addon.simulation.snapshot import Settings, State
from steering_addon.simulation.steering import ERRAND
from tests.scene import Scene, errand_of, leaders, locked


def looked_at(*states: State) -> Mishaps:
    mishaps = Mishaps(len(states[0]))
    for frame, state in enumerate(states):
        mishaps.look(frame, state)
    return mishaps


def at(places, radius=0.5, *, velocity=None, present=None, **scene) -> State:
    place = Scene(places, vehicle={"radius": np.broadcast_to(np.asarray(radius, dtype=float), (len(places),))}, **scene)
    snapshot = place.snapshot()
    if present is not None:
        snapshot = replace(snapshot, present=np.array(present))
    state = replace(place.start(), inputs=snapshot)
    if velocity is not None:
        state = replace(state, motion=replace(state.motion, velocity=np.array(velocity, dtype=float)))
    return state


@given(st.integers(0, 10**6), st.integers(1, 40), st.floats(0.5, 20.0))
def test_overlaps_equal_those_of_all_pairs_one_by_one(seed: int, n: int, room: float) -> None:
    rng = np.random.default_rng(seed)
    places = rng.uniform(0.0, room, (n, 3))
    radius = rng.uniform(0.2, 0.6, n) * np.where(rng.random(n) < 0.1, 8.0, 1.0)
    expected = [False] * n
    for i in range(n):
        for j in range(n):
            depth = radius[i] + radius[j] - np.linalg.norm(places[i] - places[j])
            expected[i] |= i != j and depth > TOLERANCE * min(radius[i], radius[j])
    assert (looked_at(at(places, radius)).frames[OVERLAP] >= 0).tolist() == expected


def test_the_frame_of_the_deepest_overlap_counts() -> None:
    gaps = (3.0, 0.8, 0.3, 0.6, 3.0)
    result = looked_at(*(at([[0.0, 0.0, 0.0], [gap, 0.0, 0.0], [9.0, 0.0, 0.0]]) for gap in gaps))
    assert result.frames[OVERLAP].tolist() == [2, 2, -1]
    assert result.number(OVERLAP) == 2


@pytest.mark.parametrize("radius", [0.2, 5.0])
def test_how_deep_in_an_obstacle_is_a_mishap_depends_on_the_size_of_the_body(radius: float) -> None:
    def inside(depth: float) -> int:
        ball = obstacles(np.zeros((1, 3)), np.array([1.0]))
        return looked_at(at([[radius + 1.0 - depth, 0.0, 0.0]], radius, obstacles=ball)).number(OBSTACLE)

    assert inside(0.9 * TOLERANCE * radius) == 0
    assert inside(1.1 * TOLERANCE * radius) == 1


def test_an_absent_vehicle_overlaps_no_other() -> None:
    result = looked_at(at([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0]], present=[True, False]))
    assert result.number(OVERLAP) == 0


@pytest.mark.parametrize(("away", "deep"), [(3.0, False), (1.47, False), (1.2, True), (0.0, True)])
def test_a_vehicle_inside_an_obstacle_is_found(away: float, deep: bool) -> None:
    ball = obstacles([[0.0, 0.0, 0.0]], [1.0])
    result = looked_at(at([[away, 0.0, 0.0]], obstacles=ball))
    assert bool(result.number(OBSTACLE)) == deep
    assert result.clearance[0] == pytest.approx(away - 1.5)


@pytest.mark.parametrize("height", [1.2, 4.0])
def test_who_walks_into_what_begins_above_the_feet_is_in_it(height: float) -> None:
    beam = boxes([[0.3, 0.0, height]], [[0.1, 2.0, 0.1]])
    walker, flyer = (
        looked_at(at([[0.0, 0.0, 0.0]], obstacles=beam, locomotions=[(kind, {})])) for kind in (OnFoot, SimpleVehicle)
    )
    assert walker.number(OBSTACLE) == (height < 1.8)
    assert flyer.number(OBSTACLE) == 0


def test_without_obstacles_the_clearance_is_infinite() -> None:
    assert np.isinf(looked_at(at([[0.0, 0.0, 0.0]])).clearance).all()


def test_a_vehicle_standing_long_at_an_obstacle_is_stuck_and_elsewhere_is_not() -> None:
    ball = obstacles([[0.0, 0.0, 0.0]], [1.0])
    places = [[1.55, 0.0, 0.0], [-1.55, 0.0, 0.0], [9.0, 0.0, 0.0]]
    on_its_way = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    state = at(places, velocity=on_its_way, obstacles=ball)
    assert looked_at(*[state] * 47).number(STUCK) == 0
    result = looked_at(*[state] * 60).frames[STUCK]
    assert 46 < result[0] < 50
    assert result[1:].tolist() == [-1, -1]


@pytest.mark.parametrize(
    "why",
    [
        "it stands",
        "it was led there",
        "it moves on in time",
        "it cannot move",
        "it settled there",
        "it stays a while",
        "it crawls",
        "it goes at its pace",
    ],
)
def test_a_vehicle_that_stands_at_an_obstacle_is_stuck_for_no_such_reason(why: str) -> None:
    ball = obstacles([[0.0, 0.0, 0.0]], [1.0])
    stands, goes = (at([[1.55, 0.0, 0.0]], velocity=[[0.0, y, 0.0]], obstacles=ball) for y in (0.0, 1.0))
    if why == "it was led there":
        reads = errand_of(np.array([False]), np.array([0.0]), np.array([True]))
        stands = replace(stands, memories={ERRAND: reads})
    elif why in ("it settled there", "it stays a while"):
        settled = {Arrival.name: replace(Settling.blank(1), settled=np.array([True]))}
        stays = {memory_of(Arrival.name): replace(Staying.blank(1), arrived=np.array([3.0]))}
        settled = replace(stands, memories=settled if why == "it settled there" else stays)
        # Unless it was called away since.
        assert looked_at(*[settled] * 80).number(STUCK) == 1
        stands = replace(settled, inputs=replace(settled.inputs, settings=(Settings((Arrival.of(1),), 0),)))
    elif why == "it crawls":
        crawling = with_states(stands.inputs, [CrowdState("Crawl", vehicle={"radius": 0.5, "max_speed": 0.1})])
        crawls = replace(Mindset.blank(1, 2, 0.0), mode=np.array([1]))
        stands = replace(at([[1.55, 0.0, 0.0]], velocity=[[0.0, 0.1, 0.0]], obstacles=ball), inputs=crawling)
        assert looked_at(*[stands] * 80).number(STUCK) == 1
        stands = replace(stands, mindset=crawls)
    elif why == "it goes at its pace":
        stands = at([[1.55, 0.0, 0.0]], velocity=[[0.0, 0.2, 0.0]], obstacles=ball)
        assert looked_at(*[stands] * 80).number(STUCK) == 1
        slow = replace(stands.inputs.vehicle, cruise_speed=np.full(1, 0.2 / 5.0))
        stands = replace(stands, inputs=replace(stands.inputs, vehicle=slow))
    elif why == "it cannot move":
        fixed = replace(stands.inputs.vehicle, max_speed=np.zeros(1))
        stands = replace(stands, inputs=replace(stands.inputs, vehicle=fixed))
    states = [stands] * 80
    if why == "it moves on in time":
        states[40] = goes
    assert looked_at(*states).number(STUCK) == (why == "it stands")


@pytest.mark.parametrize(("gap", "speed", "stuck"), [(0.3, 0.0, False), (0.3, 1.0, True), (2.0, 0.0, True)])
def test_who_is_nearer_to_others_who_stand_than_to_an_obstacle_is_not_stuck_at_it(gap, speed, stuck) -> None:
    """It is bound for a place far beyond the ball, from which it is 1.5 m away."""
    ball = obstacles([[0.0, 0.0, 0.0]], [1.0])
    bound = errand_of(np.array([True, False]), np.array([20.0, 0.0]), np.array([False, False]))
    places, velocity = [[3.0, 0.0, 0.0], [4.0 + gap, 0.0, 0.0]], [[0.0, 0.0, 0.0], [0.0, speed, 0.0]]
    state = replace(at(places, velocity=velocity, obstacles=ball), memories={ERRAND: bound})
    assert (looked_at(*[state] * 120).frames[STUCK] >= 0).tolist() == [stuck, False]


def circling(frames: int, bound: bool, *, width: float = 0.2, left: float = 20.0) -> list[State]:
    """A flyer that whirls on the spot some way off a ball, with somewhere to go or without."""
    ball = obstacles([[0.0, 0.0, 0.0]], [1.0])
    states = []
    for frame in range(frames):
        angle = 0.5 * frame
        place = [[4.0 + width * np.cos(angle), width * np.sin(angle), 0.0]]
        state = at(place, velocity=[[-np.sin(angle), np.cos(angle), 0.0]], obstacles=ball)
        states.append(
            replace(state, memories={ERRAND: errand_of(np.array([bound]), np.array([left]), np.array([False]))})
        )
    return states


def test_a_flyer_that_has_somewhere_to_go_and_gets_nowhere_near_an_obstacle_is_stuck() -> None:
    result = looked_at(*circling(120, True), *(at([[40.0, 0.0, 0.0]]) for _ in range(30)))
    assert 94 < result.frames[STUCK][0] < 98
    assert result.stuck_frames(0, range(100, 260)) == (100.0 + result.frames[STUCK][0] - 96, 219.0)


def test_a_flyer_that_circles_for_fun_or_gets_on_or_is_nearer_to_its_goal_than_to_any_obstacle_is_not_stuck() -> None:
    assert looked_at(*circling(120, False)).number(STUCK) == 0
    assert looked_at(*circling(120, True, width=6.0)).number(STUCK) == 0
    assert looked_at(*circling(120, True, left=2.0)).number(STUCK) == 0
    assert looked_at(*circling(60, False)).stuck_until[0] < 0


def test_the_first_frame_of_a_mishap_is_kept_also_if_it_is_the_first_of_all() -> None:
    mishaps = Mishaps(2)
    mishaps.note(OVERLAP, 0, np.array([True, False]))
    mishaps.note(OVERLAP, 1, np.array([True, True]))
    assert mishaps.frames[OVERLAP].tolist() == [0, 1]


def test_the_spot_on_which_a_flyer_is_stuck_is_where_an_obstacle_began_to_hold_it_up() -> None:
    """It had come there within the same distance, and whirls about it, within that distance as well."""
    ball = obstacles([[0.0, 0.0, 0.0]], [1.0])
    within = GETS_ON_IN_SPACE * 4.0 * PATIENCE

    def seen(y: float, bound: bool) -> State:
        state = at([[3.0, y, 0.0]], velocity=[[0.0, 1.0, 0.0]], obstacles=ball)
        return replace(state, memories={ERRAND: errand_of(np.array([bound]), np.array([20.0]), np.array([False]))})

    whirls = [seen((0.6 if frame % 2 else -0.6) * within, True) for frame in range(120)]
    assert looked_at(seen(-0.9 * within, False), seen(0.0, False), *whirls).number(STUCK) == 1


@pytest.mark.parametrize("counts", [True, False])
def test_of_the_bodies_that_are_not_moved_only_vehicles_that_are_present_and_not_carried_can_be_overlapped(
    counts,
) -> None:
    body = locked([0.2, 0.0, 0.0])
    others = [leaders([0.2, 0.0, 0.0]), replace(body, present=np.array([False])), replace(body, carrier=np.array([1]))]
    for tracked in [body] if counts else others:
        assert looked_at(at([[0.0, 0.0, 0.0], [9.0, 0.0, 0.0]], tracked=tracked)).number(OVERLAP) == counts


def test_what_a_vehicle_carries_is_not_an_obstacle_that_vehicles_run_into() -> None:
    """Whichever vehicle carries it; it stands where the other one is."""
    for carrier in (0, 1):
        held = obstacles([[0.0, 0.0, 0.0]], [1.0], carrier=np.array([carrier]))
        result = looked_at(at([[0.0, 0.0, 0.0], [9.0, 0.0, 0.0]], obstacles=held))
        assert result.number(OBSTACLE) == 0 and np.isinf(result.clearance).all()


def on_ground(height: float, *, off: bool = False, held: bool = False) -> State:
    outputs = {OFF_GROUND: np.array([float(off)]), HELD_UP: np.array([float(held)])}
    return replace(at([[0.0, 0.0, height]]), outputs=outputs)


def test_who_leaves_the_ground_falls_only_if_it_sinks() -> None:
    left = looked_at(on_ground(2.0), on_ground(2.0, off=True), on_ground(2.0, off=True))
    assert (left.frames[GROUND][0], left.frames[FELL][0]) == (1, -1)
    fell = looked_at(on_ground(2.0), on_ground(1.9, off=True), on_ground(1.6, off=True), on_ground(1.0))
    assert (fell.frames[GROUND][0], fell.frames[FELL][0]) == (-1, 1)


def test_who_is_held_up_by_the_ground_for_long_is_stuck_on_it() -> None:
    fps = 24
    held = [on_ground(0.0, held=True) for _ in range(5 * fps + 2)]
    assert 5 * fps - 1 <= looked_at(*held).frames[HELD][0] <= 5 * fps
    interrupted = [*held[: 5 * fps - 1], on_ground(0.0), *held[: 5 * fps - 1]]
    assert looked_at(*interrupted).number(HELD) == 0


@pytest.mark.parametrize(
    ("gets_on", "left", "seconds", "stuck", "queued"),
    [(True, 3.0, 12, 0, 5), (False, 3.0, 12, 6, 0), (True, 30.0, 12, 5, 0), (True, 30.0, 6, 0, 0)],
    ids=["one before them gets on", "nobody gets on", "one after them gets on", "one after them, for a while"],
)
def test_who_waits_in_turn_is_not_stuck_but_in_a_queue(
    gets_on: bool, left: float, seconds: int, stuck: int, queued: int
) -> None:
    """One at a door, who is there every other second, and five in line along the wall beside it."""
    wall = boxes([[4.0, 0.4, 0.0]], [[5.0, 0.1, 1.0]])
    bound = errand_of(np.ones(6, dtype=bool), np.array([left, 4.0, 5.0, 6.0, 7.0, 8.0]), np.zeros(6, dtype=bool))

    def state(x: float, speed: float) -> State:
        places, velocity = [[x, 0.0, 0.0], *([0.8 * k, 0.0, 0.0] for k in range(1, 6))], np.zeros((6, 3))
        velocity[0, 0] = speed
        return replace(at(places, 0.3, velocity=velocity, obstacles=wall), memories={ERRAND: bound})

    there, gone = state(0.0, 1.0 * gets_on), state(-20.0 * gets_on, 1.0 * gets_on)
    result = looked_at(*(there if frame // 24 % 2 else gone for frame in range(seconds * 24)))
    assert (result.number(STUCK), result.number(QUEUED)) == (stuck, queued)


@pytest.mark.parametrize(("waited", "without_room"), [(4.0, 0), (6.0, 1)])
def test_who_flies_long_over_what_it_is_to_land_on_has_no_room(waited: float, without_room: int) -> None:
    coming = replace(Coming.blank(2), waited=np.array([waited, 0.0]))
    state = replace(at([[0.0, 0.0, 9.0], [5.0, 0.0, 0.0]]), memories={"landing": coming})
    assert looked_at(state).number(NO_ROOM) == without_room


@pytest.mark.parametrize(
    ("seconds", "before", "stuck"),
    [(1.5, False, 0), (3.0, False, 1), (3.0, True, 0)],
    ids=["as long again", "not for ever", "unless others are before it"],
)
def test_who_lets_others_pass_a_narrow_passage_is_not_stuck_nor_when_its_turn_comes(
    seconds: float, before: bool, stuck: int
) -> None:
    """One at the wall beside a passage, and one on its way there, further away than the width of a body."""
    wall = boxes([[4.0, 0.4, 0.0]], [[5.0, 0.1, 1.0]])
    bound = errand_of(np.ones(2, dtype=bool), np.ones(2), np.zeros(2, dtype=bool))
    place, through = np.array([[-1.0, 0.4, 0.0]] * 2), np.array([[0.0, 1.0, 0.0]] * 2)
    come = np.array([-1.0, -0.5 if before else -1.5])

    def state(lets: bool) -> State:
        passing = replace(
            Passing.blank(2), place=place, middle=place, through=through, come=come, lets=np.array([lets, False])
        )
        there = at([[0.0, 0.0, 0.0], [-2.5, 0.0, 0.0]], 0.3, velocity=[[0.0] * 3, [1.0, 0.0, 0.0]], obstacles=wall)
        return replace(there, memories={ERRAND: bound, "passing": passing})

    result = looked_at(*(state(frame < 5 * 24) for frame in range(int((5 + seconds) * 24))))
    assert result.number(STUCK) == stuck


def touching(position, radius, present) -> set[tuple[int, int]]:
    """The pairs that touch, compared one by one."""
    n = len(position)
    return {
        (i, j)
        for i in range(n)
        for j in range(i + 1, n)
        if present[i] and present[j] and min(radius[i], radius[j]) > 0.0
        if np.linalg.norm(position[i] - position[j]) < radius[i] + radius[j]
    }


@given(st.integers(0, 10**6), st.integers(0, 25), st.floats(0.0, 1.0), st.sampled_from([0.0, 5.0, 1000.0]))
def test_overlaps_equal_those_of_all_pairs_one_by_one_on_every_frame(seed, n, pace, drift) -> None:
    rng = np.random.default_rng(seed)
    position = rng.uniform(0.0, 6.0, (n, 3))
    velocity = rng.normal(0.0, pace, (n, 3)) * np.where(rng.random((n, 1)) < 0.1, 20.0, 1.0)
    velocity[:, 0] += drift
    radius = rng.uniform(0.0, 0.6, n) * np.where(rng.random(n) < 0.1, 8.0, 1.0)
    present = rng.random(n) < 0.9
    searched = Overlaps()
    for _ in range(25):
        position = position + velocity
        velocity = velocity + rng.normal(0.0, 0.3 * pace, (n, 3))
        if rng.random() < 0.2:
            present, radius = rng.random(n) < 0.8, radius * rng.choice([0.0, 0.8, 1.3], n, p=[0.1, 0.5, 0.4])
        first, second, distance = searched.on(position, radius, present)
        pairs = [(min(pair), max(pair)) for pair in zip(first.tolist(), second.tolist())]
        assert len(set(pairs)) == len(pairs)
        assert set(pairs) == touching(position, radius, present)
        assert distance == pytest.approx([np.linalg.norm(position[i] - position[j]) for i, j in pairs])


@pytest.mark.parametrize(("pace", "drift"), [(0.0, 0.0), (0.0, 3.0), (0.01, 3.0)])
def test_bodies_that_stand_or_move_together_are_searched_rarely(monkeypatch, pace, drift) -> None:
    searches = []
    search = overlaps.pairs_of_reach
    monkeypatch.setattr(overlaps, "pairs_of_reach", lambda *given: searches.append(1) or search(*given))
    rng = np.random.default_rng(1)
    position = rng.uniform(0.0, 20.0, (200, 3))
    velocity = rng.normal(0.0, pace, (200, 3)) + np.array([drift, 0.0, 0.0])
    searched = Overlaps()
    for frame in range(100):
        searched.on(position + frame * velocity, np.full(200, 0.3), np.ones(200, dtype=bool))
    assert len(searches) <= 20


def test_axes_of_no_length_find_what_spheres_find() -> None:
    rng = np.random.default_rng(2)
    position, radius, present = rng.uniform(0.0, 4.0, (60, 3)), rng.uniform(0.1, 0.6, 60), np.ones(60, dtype=bool)
    spheres = Overlaps().on(position, radius, present)
    capsules = Overlaps().on(position, radius, present, np.zeros((60, 3)))
    assert [column.tolist() for column in spheres[:2]] == [column.tolist() for column in capsules[:2]]
    assert spheres[2] == pytest.approx(capsules[2], abs=1e-12)
