"""Links: who has to goes over them, one after another, in their seconds, and nobody who gets there sooner otherwise."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.seek import Seek
from steering_addon.scene import CrowdState, Scene, links, with_states
from steering_addon.simulation.arrays.scalars import which
from steering_addon.simulation.geometry.surfaces import Surfaces
from steering_addon.simulation.links import walked
from steering_addon.simulation.run import step
from steering_addon.simulation.snapshot import State
from steering_addon.simulation.ways import over_ground
from steering_addon.simulation.ways.fields import Field, Leaps
from steering_addon.simulation.ways.walkable_ground import WalkableGround
from tests.scene import leaders, positions
from tests.simulation.ways.grounds import FPS, NOTHING, ground_of, near, quads, seen, some_boxes, stairs, walkers
from tests.surfaces import plate

LOFT = quads(plate(-8, -5, 8, 5), plate(2, -4, 8, 4, 3.0))
LADDER = [(1.8, 0.0, 0.0), (1.8, 0.0, 3.0), (2.3, 0.0, 3.0)]
UP, DOWN = (7.0, 2.0, 3.0), (-6.0, 2.0, 0.0)
ISLANDS = quads(plate(-6, -3, 0, 3), plate(2, -3, 8, 3))
JUMP = [(-0.3, 0.0, 0.0), (0.4, 0.0, 0.5), (1.0, 0.0, 0.7), (1.6, 0.0, 0.5), (2.3, 0.0, 0.0)]


def crowd(number: int, left: float = -6.0, height: float = 0.0) -> list[tuple[float, float, float]]:
    return [(left + row % 4 * 0.8, row // 4 * 0.9 - 1.5, height) for row in range(number)]


def link_of(states: list[State]) -> np.ndarray:
    """The link on which each vehicle is on each frame after the first, -1 for none, (f, n)."""
    return np.array([state.crossing.link for state in states[1:]])


def nodes_at(ground: WalkableGround, *places: Any) -> list[int]:
    return [int(ground.spans.at(*(np.array([float(k)]) for k in place))[0]) for place in places]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("metres", [0.25, 6.0, 40.0])
def test_a_field_with_a_leap_is_the_shorter_of_the_ways_with_and_without_it(seed: int, metres: float) -> None:
    ground = ground_of(quads(plate(0, 0, 20, 20)), some_boxes(seed))
    start, end, goal = nodes_at(ground, (2.1, 3.1, 0), (17.4, 2.6, 0), (18.1, 18.3, 0))
    leaps = Leaps(np.array([start]), np.array([end]), np.array([metres]))
    nodes = np.flatnonzero(ground.clear[:-1])
    field, free, to_start = (
        Field.to(ground.grid, *rest)
        for rest in ((goal, ground.clear, 1.0, leaps), (goal, ground.clear), (start, ground.clear))
    )
    for each in (field, free, to_start):
        each.reach(np.append(nodes, end))
    over = to_start.time + metres + free.time[end]
    nodes = nodes[np.isfinite(free.time[nodes])]
    shortest = np.minimum(free.time, over)[nodes]
    off = np.abs(field.time[nodes] - shortest) / np.maximum(shortest, 1.0)
    assert off.max() < 0.005
    assert field.leap_from(np.array([start]))[0] == (0 if over[start] < free.time[start] else -1)


@pytest.mark.parametrize("seed", range(2))
def test_a_field_with_leaps_is_the_same_however_far_it_is_asked_for_at_a_time(seed: int) -> None:
    ground = ground_of(quads(plate(0, 0, 12, 12)), some_boxes(seed, 6))
    free, rng = np.flatnonzero(ground.clear[:-1]), np.random.default_rng(seed)
    leaps = Leaps(*rng.choice(free, (2, 5)), rng.uniform(0.25, 5.0, 5))
    whole, part = (Field.to(ground.grid, int(free[40]), ground.clear, 1.0, leaps) for _ in range(2))
    every = np.arange(len(ground.spans))
    whole.reach(every)
    for node in rng.permutation(every):
        part.reach(np.array([node]))
    assert part.time.tobytes() == whole.time.tobytes()


@cache
def climb() -> tuple[Scene, list[State]]:
    """Three people whose goal is on a loft to which only a ladder leads."""
    scene = walkers(LOFT, NOTHING, UP, crowd(3, -4.0), links=links(LADDER, seconds=4.0))
    return scene, scene.run_until_each(lambda state: near(state, UP, 1.5) & is_up(state), 28 * FPS)


def is_up(state: State) -> np.ndarray:
    return state.motion.position[:, 2] > 2.99


def test_people_climb_a_ladder_one_after_another_and_arrive() -> None:
    _, states = climb()
    place, link = positions(states), link_of(states)
    assert (place[-1, :, 2] > 2.99).all()
    assert (np.linalg.norm(place - UP, axis=2).min(axis=0) < 1.5).all()
    climbs = [np.flatnonzero(link[:, row] == 0) for row in range(3)]
    # Each once, without a stop, in its seconds.
    assert all(len(frames) == frames[-1] - frames[0] + 1 for frames in climbs)
    rise = np.diff(place[:, :, 2], axis=0)[climbs[0], 0] * FPS
    assert abs(np.median(rise[rise > 0.1]) - 3.5 / 4.0) < 0.01
    # None above or below another by less than the height of a body.
    for frame, on in enumerate(link):
        heights = np.sort(place[frame + 1, on == 0, 2])
        assert not len(heights) or (np.diff(heights) > 1.5).all()
        # Those below keep off one that is not as high yet.
        height = place[frame + 1, :, 2]
        climber = place[frame + 1, (on == 0) & (height > 0.05) & (height < 1.5), None, :2]
        below = place[frame + 1, (on < 0) & (height < 1.0), :2]
        assert np.linalg.norm(climber - below, axis=2).min(initial=9.0) > 0.35


@pytest.mark.parametrize("stop, goal", [(DOWN, UP), (UP, DOWN)], ids=["below", "on the loft"])
def test_who_stops_somewhere_first_takes_only_the_link_on_its_way_there(stop: Any, goal: Any) -> None:
    scene = walkers(LOFT, NOTHING, goal, [(1.2, 0.0, 0.0)], links=links(LADDER, seconds=4.0))
    behaviors = [(Arrival, {"target": 1, "stay_time": 2.0}), (Seek, {"target": 2}), *scene.behaviors[1:]]
    states = replace(scene, behaviors=behaviors, tracked=leaders(stop, goal)).run(FPS)
    assert (link_of(states) >= 0).any() == (stop == UP)


def test_a_link_is_free_for_others_while_who_was_on_it_is_switched_off() -> None:
    scene, whole = climb()
    state = next(state for state in whole if state.motion.position[:, 2].max() > 0.5)
    climber = int(state.motion.position[:, 2].argmax())
    others = np.arange(3) != climber
    for frame in range(18 * FPS):
        state = step(state, replace(scene.snapshot(frame), present=others))
        if is_up(state)[others].all():
            break
    assert is_up(state)[others].all()
    # Switched on again it goes on from where it is.
    for frame in range(4 * FPS):
        state = step(state, scene.snapshot(frame))
    assert is_up(state).all()


def test_on_a_ladder_they_keep_to_it_and_face_it() -> None:
    _, states = climb()
    place, link = positions(states)[1:], link_of(states)
    on = (link == 0) & (place[:, :, 2] > 0.1) & (place[:, :, 2] < 2.9)
    assert np.abs(place[on][:, :2] - (1.8, 0.0)).max() < 1e-9
    facing = np.array([state.motion.forward for state in states[1:]])[on & (place[:, :, 2] > 1.0)]
    assert (facing[:, 0] > 0.99).all()


def test_nobody_moves_faster_than_it_can_when_it_gets_on_and_off() -> None:
    _, states = climb()
    assert np.linalg.norm(np.diff(positions(states), axis=0), axis=2).max() * FPS < 1.76


def test_one_that_gets_on_in_a_state_goes_as_fast_as_it_does_in_that() -> None:
    scene, whole = climb()
    boards = next(state for state in whole if state.crossing is not None and (state.crossing.along < -0.1).any())
    slow = scene.vehicle | {"max_speed": 0.5, "cruise_speed": 0.2, "max_force": 99.0}
    snapshot = with_states(boards.inputs, [CrowdState("Tired", vehicle=slow, numbers={"cue": 1.0, "blend": 0.0})])
    after = step(replace(boards, inputs=snapshot), snapshot)
    row = np.argmin(boards.crossing.along)
    assert after.crossing.along[row] - boards.crossing.along[row] == pytest.approx(0.5 * 0.2 / FPS)


@pytest.mark.parametrize("ground", [LOFT, quads(plate(-8, -5, 8, 5))], ids=["still there", "without its loft"])
def test_a_run_goes_on_from_a_checkpoint_on_a_ladder_also_where_that_has_lost_its_end(ground: Surfaces) -> None:
    scene, whole = climb()
    state = whole[8 * FPS]
    assert state.crossing is not None and state.crossing.on.any()
    climbs = state.crossing.on
    for frame in range(8 * FPS + 1, 8 * FPS + 4):
        for cached in (over_ground._ground, over_ground._last_standing, over_ground._linked):
            cached.cache_clear()
        state = step(state, replace(scene.snapshot(frame), surfaces=ground))
    rows = np.ones(3, dtype=bool) if ground is LOFT else climbs
    assert state.motion.position[rows].tobytes() == whole[8 * FPS + 3].motion.position[rows].tobytes()


@pytest.mark.parametrize("seconds, climbs", [(4.0, True), (60.0, False)])
def test_one_takes_the_ladder_only_where_it_is_quicker_than_the_stairs(seconds: float, climbs: bool) -> None:
    house = quads(plate(-8, -5, 8, 5), plate(2, -4, 8, 4, 3.0), *stairs(-2.76, -4, -2.6, 3))
    scene = walkers(house, NOTHING, UP, [(0.0, 1.0, 0.0)], links=links(LADDER, seconds=seconds))
    states = scene.run_until_each(is_up, 20 * FPS)
    assert positions(states)[-1, 0, 2] > 2.9
    assert (link_of(states) >= 0).any() == climbs


def test_they_jump_over_a_gap_but_not_back() -> None:
    jump = links(JUMP, seconds=0.9, both_ways=False)
    there = walkers(ISLANDS, NOTHING, (6.0, 0.0, 0.0), crowd(2, -5.0), links=jump)
    there = there.run_until(lambda states: bool((states[-1].motion.position[:, 0] > 3.0).all()), 16 * FPS)
    assert (positions(there)[-1, :, 0] > 3.0).all() and positions(there)[:, :, 2].max() > 0.5
    back = walkers(ISLANDS, NOTHING, (-4.0, 0.0, 0.0), crowd(2, 4.0), links=jump).run(5 * FPS)
    assert (positions(back)[-1, :, 0] > 2.0).all() and (link_of(back) < 0).all()


def changed_floors(state: State) -> bool:
    height = state.motion.position[:, 2]
    return bool((height[:2] > 2.9).all() and (height[2:] < 0.1).all())


def test_two_ways_over_a_ladder_take_turns() -> None:
    places = [*crowd(2, -1.0), *crowd(2, 3.0, 3.0)]
    scene = walkers(LOFT, NOTHING, UP, places, links=links(LADDER, seconds=2.5))
    scene.behaviors[0] = (Seek, {"target": np.array([4] * 2 + [5] * 2)})
    scene.tracked = replace(
        scene.tracked,
        **{name: np.repeat(column, 2, axis=0) for name, column in vars(scene.tracked).items()},
    )
    scene.tracked.position[1] = DOWN
    states = scene.run_until(lambda states: changed_floors(states[-1]), 22 * FPS)
    assert (positions(states)[-1, :2, 2] > 2.9).all() and (positions(states)[-1, 2:, 2] < 0.1).all()
    for state in states[1:]:
        assert len(set(state.crossing.back[state.crossing.on].tolist())) < 2


def test_who_waits_before_a_link_does_so_between_decisions_too() -> None:
    scene = replace(walkers(LOFT, NOTHING, UP, crowd(2, 0.5), links=links(LADDER, seconds=60.0)), decides_every=3)
    waits = np.array([state.crossing.waits for state in scene.run(4 * FPS)[-2 * FPS :]])
    np.testing.assert_allclose(np.diff(waits.max(axis=1)) * FPS, 1.0)


@pytest.mark.parametrize("foot", [(1.875, 0.125, 0.0), (1.0, 0.0, 0.0)])
def test_a_goal_beyond_a_link_is_as_far_as_the_way_also_from_the_very_place_where_that_begins(foot: tuple) -> None:
    [away] = seen(walkers(LOFT, NOTHING, UP, [foot], links=links(LADDER, seconds=4.0)), [UP]) - foot
    assert 10.0 < np.linalg.norm(away) < 12.0 and away[0] > 10.0


def test_a_link_that_is_switched_off_is_not_taken() -> None:
    ladder = links(LADDER)
    scene = walkers(LOFT, NOTHING, UP, crowd(2), links=replace(ladder, present=~ladder.present))
    assert (link_of(scene.run(4 * FPS)) < 0).all()


def test_who_climbs_takes_three_times_as_long() -> None:
    assert walked(np.array(LADDER)) == pytest.approx(9.5) and walked(np.array(LADDER[:1])) == 0.0


LIFT = [(1.0, 0.0, 0.0), (3.0, 0.0, 3.0)]


def lift_at(frame: int) -> np.ndarray:
    """The floor of a lift that halts below and above for two seconds each, too short for two to get on or off."""
    time = frame / FPS % 7.0
    return np.array([(2.0, 0.0, 3.0 * np.interp(time, (0.0, 2.0, 3.5, 5.5, 7.0), (0.0, 0.0, 1.0, 1.0, 0.0)))])


def test_a_lift_carries_those_who_have_room_and_comes_back_for_the_others() -> None:
    tower = quads(plate(-8, -5, 1.2, 5), plate(2.8, -4, 8, 4, 3.0))
    lift = replace(links(LIFT, at_once=2, seconds=8.0), carrier=np.zeros(1, dtype=int))
    scene = walkers(tower, NOTHING, UP, crowd(3, -3.0), links=lift)
    states = scene.run_until(
        lambda states: bool(is_up(states[-1]).all() and not states[-1].crossing.on.any()),
        27 * FPS,
        lambda frame, snapshot: replace(snapshot, carriers=lift_at(frame)),
    )
    place, link = positions(states), link_of(states)
    assert (place[-1, :, 2] > 2.99).all()
    assert (link == 0).sum(axis=1).max() == 2
    # On it they stand where it is on each frame, and never nearer to each other than they are wide.
    for frame, state in enumerate(states):
        if state.crossing is None:
            continue
        carried = state.crossing.on & (state.crossing.along == 0.0)
        assert np.abs(place[frame, carried, 2] - lift_at(frame)[0, 2]).max(initial=0.0) < 1e-9
        apart = np.linalg.norm(place[frame, carried][:, None] - place[frame, carried], axis=2)
        assert not carried.any() or (apart + 9.0 * np.eye(carried.sum())).min() > 2.0 * 0.25
    # Nobody walks into another who gets on or off.
    for frame, state in enumerate(states[1:], 1):
        on = which(state.crossing.on)
        apart = np.linalg.norm(place[frame, on][:, None] - place[frame, on], axis=2) + 9.0 * np.eye(len(on))
        assert apart.min(initial=9.0) > 0.49
    # Nobody is between the floors but on it, though it moves off while some still get on and off.
    height = np.array([lift_at(frame)[0, 2] for frame in range(len(states))])[:, None]
    between = (place[..., 2] > 0.1) & (place[..., 2] < 2.9)
    assert np.abs(place[..., 2] - height)[between].max() < 1e-9 and between.any(axis=0).all()
    assert np.abs(place[between][:, 0] - 2.0).max() < 0.7
