"""Passages: one direction at a time goes through what is too narrow for two, and nobody waits in the way."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.unaligned_collision_avoidance import UnalignedCollisionAvoidance
from steering_addon.locomotion import OnFoot
from steering_addon.recording.mishaps import STUCK, Mishaps
from steering_addon.simulation.adjusting import PASSING
from steering_addon.simulation.geometry.obstacles import boxes
from steering_addon.simulation.geometry.surfaces import surfaces
from steering_addon.simulation.lane_use import Passing
from steering_addon.simulation.run import step
from steering_addon.simulation.sensing import world_at
from steering_addon.simulation.ways.passages import let_pass
from steering_addon.simulation.ways.spans import Build, find_spans
from steering_addon.simulation.ways.traffic import Streams, Traffic
from steering_addon.simulation.ways.walkable_ground import WalkableGround
from tests.scene import Scene, leaders

RADIUS, FPS = 0.25, 12
GROUND = surfaces([(np.array([(-6.0, -4, 0), (6, -4, 0), (6, 4, 0), (-6, 4, 0)]), np.array([(0, 1, 2), (0, 2, 3)]))])


def wall(door: float):
    """A wall along y with a door in its middle."""
    middle, half = 0.25 * door + 2.0, 2.0 - 0.25 * door
    return boxes([[0.0, middle, 1.0], [0.0, -middle, 1.0]], [[0.1, half, 1.0]] * 2)


def walkers(places, door: float = 0.8) -> Scene:
    """Walkers on both sides of the wall who want to be on the other side."""
    n, west = len(places), np.array(places)[:, 0] < 0.0
    return Scene(
        np.array(places, dtype=float),
        forward=np.where(west[:, None], [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]),
        vehicle={"radius": RADIUS, "max_speed": 1.6, "cruise_speed": 0.8, "max_force": 2.0, "keep_apart": True},
        locomotions=[(OnFoot, {})],
        behaviors=[(Arrival, {"target": np.where(west, n, n + 1)}), (UnalignedCollisionAvoidance, {})],
        tracked=leaders([4.0, 0.0, 0.0], [-4.0, 0.0, 0.0]),
        obstacles=wall(door),
        surfaces=GROUND,
        fps=FPS,
    )


@pytest.mark.parametrize(("door", "narrow"), [(0.6, True), (0.9, True), (1.4, False), (2.0, False)])
def test_a_door_is_a_passage_exactly_if_two_do_not_fit_side_by_side(door: float, narrow: bool) -> None:
    build = Build(RADIUS, 0.61, 0.3, 0.42, 1.8)
    spans = find_spans(GROUND, build)
    assert spans is not None
    ground = WalkableGround(WalkableGround.empty(spans, build).with_obstacles(wall(door)))
    mask, (_, along, middle) = ground.narrow, ground.width
    there = mask & (np.abs(ground.x) < 0.3) & (np.abs(ground.y) < 1.0)
    assert there.any() == narrow
    assert (np.abs(along[there]) == (1.0, 0.0, 0.0)).all()
    assert (np.abs(middle[there][:, 1]) < 0.5 * RADIUS).all()


def ground_with(*walls) -> WalkableGround:
    build = Build(RADIUS, 0.61, 0.3, 0.42, 1.8)
    spans = find_spans(GROUND, build)
    assert spans is not None
    standing = boxes([[x, y, 1.0] for x, y, _, _ in walls], [[half_x, half_y, 1.0] for _, _, half_x, half_y in walls])
    return WalkableGround(WalkableGround.empty(spans, build).with_obstacles(standing))


def test_the_corner_of_a_room_is_no_passage() -> None:
    assert not ground_with((0.0, 0.5, 2.0, 0.1), (1.9, -0.5, 0.1, 1.0)).narrow.any()


def test_who_would_go_against_a_stream_takes_another_door() -> None:
    ground = ground_with((0.0, 3.3, 0.1, 0.7), (0.0, 0.0, 0.1, 1.7), (0.0, -3.3, 0.1, 0.7))
    feet, goals = np.array([[side * 3.0, 1.0, 0.0] for side in (-1, 1)]), np.array([(5.5, 0.0, 0.0), (-5.5, 0.0, 0.0)])
    asked = goals, np.ones(2), np.zeros(2, dtype=int), Traffic.none_yet(ground.spans), np.zeros(2, bool), np.zeros(2)

    def heads_for(streams: Streams) -> list[bool]:
        """Whether each heads for the upper door, the nearer one."""
        traffic = replace(asked[3], streams=streams)
        place = ground.course(feet, *asked[:3], traffic, *asked[4:]).place
        return (place[:, 1] > 1.0).tolist()

    east = Passing.blank(6)
    east = replace(east, place=np.tile((0.0, 2.15, 0.0), (6, 1)), through=np.tile((1.0, 0.0, 0.0), (6, 1)))
    assert heads_for(ground.streams(Passing.blank(6))) == [True, True]
    assert heads_for(ground.streams(east)) == [True, False]
    assert heads_for(ground.streams(replace(east, lets=np.ones(6, bool)))) == [True, True], "they wait"


def looked(scene: Scene, before: Passing) -> Passing:
    """The passages that walkers come to, after those they saw before."""
    snapshot = scene.snapshot()
    # An errand of the step before.
    state = step(replace(scene.start(), inputs=snapshot), snapshot)
    return step(replace(state, memories={**state.memories, PASSING: before}), snapshot).memories[PASSING]


@pytest.mark.parametrize(
    ("inside", "waited", "west_lets"),
    [
        ((False, False), (0.0, 0.0), False),
        ((False, True), (0.0, 0.0), True),
        ((False, False), (0.0, 60.0), True),
        ((False, True), (10.0, 0.0), True),
        ((False, True), (120.0, 0.0), False),
    ],
)
def test_the_nearest_goes_first_then_who_is_inside_and_then_who_waited_long(inside, waited, west_lets: bool) -> None:
    scene = walkers([(-1.0, 0.0, 0.0), (1.5, 0.0, 0.0)])
    place, through = np.array([(-0.2, 0.0, 0.0), (0.2, 0.0, 0.0)]), np.array([(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)])
    come, asked = np.where(inside, 0.1, (-0.8, -1.3)), np.zeros(2)
    middle, single = np.zeros((2, 3)), np.zeros(2)
    states = np.array(inside), np.zeros(2, bool), np.array(waited)
    passing = Passing(place, middle, through, single, place, come, *states, asked)
    after = looked(scene, passing)
    assert after.lets.tolist() == [west_lets, not west_lets]


@pytest.mark.parametrize(("behind", "stands"), [(0.1, True), (0.6, False)])
def test_of_two_held_up_abreast_in_a_mouth_the_one_that_is_less_far_stands(behind: float, stands: bool) -> None:
    scene = walkers([(-0.4, 0.28, 0.0), (-0.4 - behind, -0.28, 0.0)], 0.9)
    world, agents, _ = scene.seen()
    assert world.ways is not None
    goal = world.ways.unroll(agents.rows, agents.keys, agents.position, np.tile((4.0, 0.0, 0.0), (2, 1)))
    agents, every, course = replace(agents, goal=goal), np.ones(2, dtype=bool), np.tile((0.8, 0.0, 0.0), (2, 1))
    world = replace(world, way_left=np.array([4.4, 4.5]))
    _, memory = let_pass(world, world.ways, agents, course, every, every, Passing.blank(2))
    went, _ = let_pass(replace(world, passing=memory), world.ways, agents, course, every, every, memory)
    assert (went != 0.0).any(axis=1).tolist() == [True, not stands]


@pytest.mark.parametrize(("decides_every", "known"), [(1, [False, True]), (2, [True, True])])
def test_others_know_to_which_passage_one_came_when_it_was_to_decide_last(decides_every: int, known: list) -> None:
    scene = walkers([(-1.0, 0.0, 0.0), (1.0, 0.0, 0.0)])
    snapshot = replace(scene.snapshot(), decides_every=decides_every)
    passing = replace(Passing.blank(2), place=np.zeros((2, 3)), asked=np.array([-2.0, -1.0]) / FPS)
    world = world_at(replace(scene.start(), memories={PASSING: passing}), snapshot, snapshot, 0.0)
    assert np.isfinite(world.passing.place[:, 0]).tolist() == known


def test_streams_that_meet_at_a_narrow_door_pass_it_in_turns_and_nobody_is_stuck() -> None:
    places = [(side * x, y, 0.0) for side in (-1, 1) for x, y in ((1.5, 0.1), (2.2, -0.6), (2.4, 0.8))]
    scene, through, mishaps = walkers(places), {}, Mishaps(6)
    state = scene.start()
    for frame in range(22 * FPS):
        state = step(state, scene.snapshot(frame))
        mishaps.look(frame, state)
        for row in np.flatnonzero(state.motion.position[:, 0] * np.array(places)[:, 0] < -0.5).tolist():
            through.setdefault(row, frame)
        if len(through) == 6:
            break
    assert len(through) == 6
    west = [row < 3 for row in through]
    assert sum(one != other for one, other in pairwise(west)) <= 3
    assert mishaps.number(STUCK) == 0


def corridor(width: float, length: float):
    """A wall as thick as that with a door in its middle."""
    middle, half = 0.25 * width + 2.0, 2.0 - 0.25 * width
    return boxes([[0.0, middle, 1.0], [0.0, -middle, 1.0]], [[0.5 * length, half, 1.0]] * 2)


@pytest.mark.parametrize("length", [0.2, 4.0])
def test_both_ends_of_a_passage_know_it_as_one_however_long_it_is(length: float) -> None:
    places = [(-0.5 * length - 0.5, 0.0, 0.0), (0.5 * length + 0.5, 0.0, 0.0)]
    scene = replace(walkers(places), obstacles=corridor(0.8, length))
    assert looked(scene, Passing.blank(2)).alike(np.array([0]), np.array([1]), -1.0).all()


def west_inside(follower_waits: float) -> Passing:
    """One from the west inside a passage 4 m long, one behind it, and one from the east who has waited for long."""
    place = np.array([(1.0, 0.0, 0.0), (-2.0, 0.0, 0.0), (2.0, 0.0, 0.0)])
    through = np.array([(1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)])
    come, inside = np.array([3.0, -1.0, -1.0]), np.array([True, False, False])
    waited = np.array([0.0, 0.0, follower_waits])
    columns = np.zeros((3, 3)), through, np.zeros(3), place, come, inside, np.zeros(3, bool), waited, np.zeros(3)
    return Passing(place, *columns)


@pytest.mark.parametrize(("waited", "follower_lets"), [(10.0, False), (60.0, True)])
def test_who_follows_through_a_long_passage_waits_once_the_others_have_waited_long(waited, follower_lets: bool) -> None:
    scene = replace(
        walkers([(1.0, 0.0, 0.0), (-3.0, 0.0, 0.0), (3.0, 0.0, 0.0)]),
        forward=np.array([(1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)]),
        behaviors=[(Arrival, {"target": np.array([3, 3, 4])}), (UnalignedCollisionAvoidance, {})],
        obstacles=corridor(0.8, 4.0),
    )
    lets = looked(scene, west_inside(waited)).lets
    assert lets.tolist() == [False, follower_lets, True], "who is inside gets out before the others enter"


def aside(y: float, width: float, meets: bool) -> np.ndarray:
    """How far to the left walkers in the middle of a corridor go, (n,) m/s, who are that far to the left of its middle,
    one after the other or towards each other."""
    goals = np.array([(4.0, 0.0, 0.0), (-4.0 if meets else 4.0, 0.0, 0.0)])
    scene = replace(walkers([(-1.0, y, 0.0), (1.0, -y if meets else y, 0.0)]), obstacles=corridor(width, 4.0))
    world, agents, _ = scene.seen()
    assert world.ways is not None
    goal = world.ways.unroll(agents.rows, agents.keys, agents.position, goals)
    agents, world = replace(agents, goal=goal), replace(world, way_left=np.full(2, 5.0))
    every, course = np.ones(2, dtype=bool), 0.2 * goals
    _, memory = let_pass(world, world.ways, agents, course, every, every, Passing.blank(2))
    went, _ = let_pass(replace(world, passing=memory), world.ways, agents, course, every, every, memory)
    return np.where(goals[:, 0] > 0.0, went[:, 1], -went[:, 1])


@pytest.mark.parametrize(("width", "meets", "keeps"), [(1.4, True, True), (1.4, False, False), (2.6, True, False)])
def test_where_two_hardly_fit_each_of_a_stream_that_meets_another_keeps_to_the_right(width, meets, keeps) -> None:
    assert (aside(0.0, width, meets) < 0.0).tolist() == [keeps] * 2


@pytest.mark.parametrize(("y", "sign"), [(0.3, -1.0), (-0.35, 0.0), (-0.44, 1.0)])
def test_who_keeps_to_the_right_of_a_shared_way_leaves_its_edge_free(y: float, sign: float) -> None:
    assert np.sign(aside(y, 1.4, True)).tolist() == [sign] * 2
