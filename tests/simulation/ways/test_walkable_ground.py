"""Ways over ground: they lead wherever a body can walk, as short as they can be, and nowhere else."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.docking import Docking
from steering_addon.behaviors.leader_following import LeaderFollowing
from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.unaligned_collision_avoidance import METHODS, UnalignedCollisionAvoidance
from steering_addon.locomotion import OnFoot
from steering_addon.recording.mishaps import NO_WAY, Mishaps
from steering_addon.scene import all_of, obstacles
from steering_addon.simulation.geometry.obstacles import Obstacles, boxes
from steering_addon.simulation.geometry.surfaces import Surfaces, surfaces
from steering_addon.simulation.run import step
from steering_addon.simulation.snapshot import State
from steering_addon.simulation.ways import over_ground
from steering_addon.simulation.ways.fields import Field
from steering_addon.simulation.ways.footprints import footprints
from steering_addon.simulation.ways.missing import BORDER, HIGH, LOW, OBSTACLE, STEEP, WIDE, find_missing
from steering_addon.simulation.ways.over_ground import Ways, find_ways
from steering_addon.simulation.ways.roadmap import Net
from steering_addon.simulation.ways.routes import UNKNOWN, Routes, look_from
from steering_addon.simulation.ways.spans import Build, find_spans
from steering_addon.simulation.ways.standing import Standing
from steering_addon.simulation.ways.walkable_ground import WalkableGround
from tests.sampling import sampled
from tests.scene import Scene, leaders, positions

RADIUS = 0.25
BUILD = Build(RADIUS, 0.61, 0.3, 0.42, 1.8)
FPS = 12
VELOCITY = next(method.number for method in METHODS if method.name == "VELOCITY")
NOTHING = boxes(np.zeros((0, 3)), np.zeros((0, 3)))


def quads(*corners: Any) -> Surfaces:
    """Faces of four corners each, as one surface."""
    points = np.array(corners, dtype=float).reshape(-1, 3)
    first = 4 * np.arange(len(corners))[:, None]
    return surfaces([(points, np.concatenate((first + np.array((0, 1, 2)), first + np.array((0, 2, 3)))))])


def plate(left: float, near: float, right: float, far: float, height: float = 0.0) -> Any:
    return [(left, near, height), (right, near, height), (right, far, height), (left, far, height)]


def stairs(left: float, near: float, far: float, up: float, steps: int = 17, tread: float = 0.28) -> list[Any]:
    """Treads and risers along x, up to a height."""
    edges = [(left, 0.0)]
    for _ in range(steps):
        x, z = edges[-1]
        edges += [(x, z + up / steps), (x + tread, z + up / steps)]
    return [[(a, near, b), (c, near, d), (c, far, d), (a, far, b)] for (a, b), (c, d) in pairwise(edges)]


def walls(*bounds: Any) -> Obstacles:
    low, high = (np.array([bound[k] for bound in bounds], dtype=float) for k in range(2))
    return boxes((low + high) / 2.0, (high - low) / 2.0)


def door(width: float, middle: float = 0.0) -> Obstacles:
    """A wall along y with a door."""
    return walls(
        ((-0.1, -5.0, 0.0), (0.1, middle - width / 2.0, 3.0)), ((-0.1, middle + width / 2.0, 0.0), (0.1, 5.0, 3.0))
    )


UPSTAIRS = quads(
    plate(0, 0, 10, 10),
    *stairs(10, 4, 6, 3),
    plate(14.76, 4, 18, 12, 3),
    plate(0, 10, 18, 12, 3),
    plate(0, 0, 8, 10, 3),
)
TERRACE = quads(plate(-10, -6, 0, 6), plate(0.6, -6, 10, 6), plate(-0.4, 4.4, 1.0, 5.6))
PLATEAU = quads(
    plate(-15, -15, 20, 15), plate(2, -4, 10, 4, 2), [(10, -1.5, 2), (15, -1.5, 0), (15, 1.5, 0), (10, 1.5, 2)]
)
PLATE = quads(plate(-12, -5, 14, 5))
SCENES = {
    "upstairs": (UPSTAIRS, NOTHING, (6.0, 7.0, 3.0), [(6.5, 3.0, 0.0), (7.0, 8.0, 0.0)], 22),
    "over a bridge": (TERRACE, NOTHING, (2.0, -2.0, 0.0), [(-2.0, -2.0, 0.0), (-3.0, 2.0, 0.0)], 14),
    "up a ramp": (PLATEAU, NOTHING, (8.0, 2.0, 2.0), [(8.0, 6.0, 0.0), (10.0, -5.0, 0.0)], 20),
    "through a door": (PLATE, door(0.9, -3.0), (3.0, 1.0, 0.0), [(-3.0, 2.0, 0.0), (-0.5, 1.0, 0.0)], 12),
}


def walkers(scene: Surfaces, things: Obstacles, goal: Any, places: Any, behavior: Any = Seek, **values: Any) -> Scene:
    n = len(places)
    return Scene(
        np.array(places, dtype=float),
        forward=(1.0, 0.0, 0.0),
        speed=0.0,
        behaviors=[
            (behavior, {"target": np.full(n, n)}),
            (ObstacleAvoidance, {}),
            (UnalignedCollisionAvoidance, {"method": VELOCITY}),
        ],
        vehicle={"max_speed": 1.75, "cruise_speed": 0.8, "radius": RADIUS, "max_force": 4.0},
        locomotions=[(OnFoot, {})],
        tracked=leaders(goal),
        obstacles=things,
        surfaces=scene,
        fps=FPS,
        **values,
    )


def near(state: State, goal: Any, metres: float) -> np.ndarray:
    """(n,) who is that near to a goal."""
    return np.linalg.norm(state.motion.position - goal, axis=1) < metres


def ways_of(scene: Scene) -> Ways:
    snapshot = scene.snapshot(0)
    ways = find_ways(
        snapshot.surfaces, snapshot.obstacles, snapshot.vehicle.radius, snapshot.handling, snapshot.lift, {}
    )
    assert ways is not None
    return ways


def seen(scene: Scene, places: Any) -> np.ndarray:
    """Where walkers of a scene see places."""
    rows = np.arange(len(scene.position))
    return ways_of(scene).unroll(
        rows, scene.snapshot(0).keys, np.asarray(scene.position), np.array(places, dtype=float)
    )


@sampled(one_of=3)
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


def test_where_a_way_turns_the_edge_of_the_ground_beyond_holds_nobody_up() -> None:
    """A wide turner behind whose door the floor ends after 2.4 m, while its way turns aside there."""
    goal = (1.5, -4.0, 0.0)
    scene = walkers(quads(plate(-6, -5, 2.5, 5)), door(1.2), goal, [(-3, 2, 0), (-3, -2, 0), (-5, 0, 0)])
    scene.locomotions = [(OnFoot, {"turn_radius": 3.7})]
    course = positions(scene.run_until_each(lambda state: near(state, goal, 1.0), 10 * FPS))
    assert (np.linalg.norm(course - goal, axis=2).min(axis=0) < 1.0).all()


@pytest.mark.parametrize("lane", range(4))
def test_no_lane_leads_to_where_one_stands(lane: int) -> None:
    """Nor beside stairs that can be climbed from the side by their first step only."""
    treads = [plate(-1.0, -3.5 + 0.3 * k, 1.0, -3.2 + 0.3 * k, 0.18 * (k + 1)) for k in range(5)]
    stage = quads(plate(-6, -6, 6, 6), plate(-3, -2, 3, 2, 0.9), *treads)
    goal = (0.0, 0.5, 0.9)
    [(ground, _, traffic)] = ways_of(walkers(stage, NOTHING, goal, [(0.0, -5.0, 0.0)])).grounds
    nodes = np.flatnonzero(ground.clear[: len(ground.spans)])
    feet = np.column_stack((ground.x[nodes], ground.y[nodes], ground.spans.height[nodes]))
    n = len(nodes)
    asked = np.tile(goal, (n, 1)), np.ones(n), np.full(n, lane), traffic, np.zeros(n, dtype=bool), np.zeros(n)
    assert ground.course(feet, *asked).ahead.min() > 0.5 * ground.spans.size


@pytest.mark.parametrize("lane", range(4))
def test_long_bodies_take_no_lane_on_which_they_would_head_into_the_wall_beside_a_gate(lane: int) -> None:
    goal, feet = (6.0, -4.0, 0.0), np.array([[x, y, 0.0] for x in (-1.6, -2.5, -4.0) for y in (-2.6, -2.2, -1.6)])
    [(ground, _, traffic)] = ways_of(walkers(PLATE, door(3.0), goal, feet)).grounds
    n, heads_into_it = len(feet), []
    for nose in (0.0, 1.2):
        asked = np.tile(goal, (n, 1)), np.zeros(n), np.full(n, lane), traffic, np.zeros(n, dtype=bool)
        course = ground.course(feet, *asked, np.full(n, nose))
        way = course.place - feet
        tip = course.ahead + 1.2
        at_wall = feet[:, 1] + way[:, 1] * np.where(way[:, 0] > 0.0, -feet[:, 0] / way[:, 0], np.inf)
        through = feet[:, 0] + tip * way[:, 0] / np.linalg.norm(way, axis=1) > 0.0
        heads_into_it.append(np.count_nonzero(through & (np.abs(at_wall) > 1.5)))
    assert heads_into_it[1] == 0
    assert heads_into_it[0] > 0 or lane > 0, "it can fail"


@pytest.mark.parametrize("name", ["upstairs", "through a door"])
def test_how_far_one_sees_along_a_way_does_not_depend_on_who_asks_before(name: str) -> None:
    scene, things, goal, *_ = SCENES[name]
    ground = ground_of(scene, things)
    end = int(ground.spans.at(*np.array(goal)[:, None])[0])
    nodes = np.flatnonzero(ground.grid.passable[: len(ground.spans)])
    by_few, by_all = (Routes(ground, Field.to(ground.grid, end, ground.clear), end) for _ in range(2))
    look_from([by_all], [nodes])
    for few in np.random.default_rng(1).permutation(nodes)[:200].reshape(-1, 5):
        look_from([by_few], [few])
    known = by_few.aim != UNKNOWN
    assert known.sum() > 1000
    assert (by_few.aim[known] == by_all.aim[known]).all() and (by_few.aside == by_all.aside)[:, known].all()


def test_a_goal_in_sight_is_where_it_is_to_the_last_bit() -> None:
    goal = (11.0, 0.1, 0.7)
    at_the_door = walkers(PLATE, door(1.6), goal, [(-6.0, 0.0, 0.0), (3.0, -4.0, 0.0), (-6.0, 4.0, 0.0)])
    places = seen(at_the_door, [goal] * 3)
    assert (places[:2] == goal).all()
    assert (places[2] != goal).any()
    assert (seen(walkers(PLATE, NOTHING, goal, [(-6.0, 4.0, 0.0)]), [goal]) == goal).all()


def test_the_length_of_a_way_is_that_of_a_straight_line_on_open_ground() -> None:
    ground = ground_of(quads(plate(0, 0, 30, 30)), NOTHING)
    goal = int(ground.spans.at(*(np.array([k]) for k in (15.1, 15.1, 0.0)))[0])
    field = Field.to(ground.grid, goal, ground.clear)
    nodes = np.arange(len(ground.spans))
    field.reach(nodes)
    x, y = ground.spans.x[goal] - ground.spans.x, ground.spans.y[goal] - ground.spans.y
    straight = np.hypot(x, y)
    inside = (np.abs(x) < 14.0) & (np.abs(y) < 14.0) & (straight > 1.0)
    along_x, along_y = field.descent(nodes)
    bend = np.degrees(np.arccos(np.clip((along_x * x + along_y * y)[inside] / straight[inside], -1.0, 1.0)))
    off = np.abs(field.time[:-1] - straight)[inside] / straight[inside]
    assert off.max() < 0.005 and np.quantile(bend, 0.95) < 1.0


def spans(ground: Surfaces, build: Build = BUILD):
    found = find_spans(ground, build)
    assert found is not None
    return found


def ground_of(ground: Surfaces, things: Obstacles) -> WalkableGround:
    return WalkableGround(WalkableGround.empty(spans(ground), BUILD).with_obstacles(things))


def some_boxes(seed: int, number: int = 14) -> Obstacles:
    rng = np.random.default_rng(seed)
    centre = np.column_stack((rng.uniform(4.0, 16.0, (number, 2)), np.full(number, 1.0)))
    half = np.column_stack((rng.uniform(0.3, 1.5, (number, 2)), np.full(number, 1.0)))
    angle = rng.uniform(0.0, np.pi, number)
    axes = np.zeros((number, 3, 3))
    axes[:, 0, :2] = np.column_stack((np.cos(angle), np.sin(angle)))
    axes[:, 1, :2] = np.column_stack((-np.sin(angle), np.cos(angle)))
    axes[:, 2, 2] = 1.0
    return boxes(centre, half, axes)


@pytest.mark.parametrize("seed", range(2))
def test_ways_are_hardly_longer_than_the_shortest_from_corner_to_corner(seed: int) -> None:
    """The corners that see each other give the shortest way there is."""
    things = some_boxes(seed)
    ground = ground_of(quads(plate(0, 0, 20, 20)), things)
    net = Net(footprints(things, np.zeros(len(things)), RADIUS))
    rng = np.random.default_rng(seed)
    free = np.flatnonzero(ground.clear[:-1])
    start, (goal,) = rng.choice(free, 60), rng.choice(free, 1)
    field = Field.to(ground.grid, int(goal), ground.clear)
    field.reach(start)
    points = np.column_stack((ground.spans.x, ground.spans.y))
    straight = np.linalg.norm(points[start] - points[goal], axis=1)
    hidden = net.footprints.crossed(points[start], np.repeat(points[goal][None], len(start), axis=0))
    shortest = straight.copy()
    none = np.full((hidden.sum(), 2), np.nan)
    legs = net.legs(points[start[hidden]], points[goal][None], np.zeros(hidden.sum(), dtype=int), none)
    shortest[hidden] = legs.length
    reached = np.isfinite(shortest) & (straight > 2.0)
    assert (np.isfinite(field.time[start]) >= reached).all()
    longer = field.time[start][reached] / shortest[reached]
    # Ways keep off walls, which count for more.
    assert longer.min() > 0.97 and np.median(longer) < 1.06


@pytest.mark.parametrize("seed", range(2))
def test_a_field_solved_band_by_band_is_that_solved_node_by_node(seed: int) -> None:
    ground = ground_of(quads(plate(0, 0, 12, 12)), some_boxes(seed, 6))
    goal = int(np.flatnonzero(ground.clear[:-1])[40])
    whole, part, plain = (Field.to(ground.grid, goal, ground.clear) for _ in range(3))
    every = np.arange(len(ground.spans))
    whole.reach(every)
    for node in np.random.default_rng(seed).permutation(every):
        part.reach(np.array([node]))
    while len(plain._front):
        time = plain.time[plain._front]
        first = np.argmin(time)
        plain._queued[plain._front] = False
        front, plain._front = plain._front, plain._front[[first]]
        plain._pass()
        rest = np.delete(front, first)
        plain._front = np.union1d(plain._front, rest)
        plain._queued[plain._front] = True
    assert part.time.tobytes() == whole.time.tobytes() == plain.time.tobytes()


def same_standing(one: Standing, other: Standing) -> bool:
    pairs = [(one.links, other.links)]
    pairs += [(getattr(one.clearance, name), getattr(other.clearance, name)) for name in vars(one.clearance)]
    return all((first == second).all() for first, second in pairs)


@pytest.mark.parametrize("seed", range(2))
def test_ground_found_again_round_what_has_changed_is_that_found_whole(seed: int) -> None:
    """To the last bit, whichever boxes, walls thinner than a cell and posts come and go, on two storeys."""
    rng = np.random.default_rng(seed)
    empty = WalkableGround.empty(spans(quads(plate(0, 0, 20, 20), plate(8, 8, 12, 20, 2.5))), BUILD)
    posts = obstacles(np.append(rng.uniform(2.0, 18.0, (6, 2)), np.zeros((6, 1)), axis=1), 0.2)
    every = all_of(some_boxes(seed), walls(((9.95, 0, 0), (10.05, 9.4, 3)), ((3, 10.2, 0), (9.5, 10.25, 5))), posts)
    standing = empty
    for _ in range(5):
        standing = standing.with_obstacles(every.take(rng.uniform(size=len(every)) < 0.6))
        assert same_standing(standing, empty.with_obstacles(standing.obstacles))


@pytest.mark.parametrize("seed", range(2))
def test_a_field_goes_on_from_where_the_ground_has_changed_as_if_solved_whole(seed: int) -> None:
    """To the last bit, solved whole before or only in part, with a queue or without."""
    rng, site = np.random.default_rng(seed), spans(quads(plate(0, 0, 24, 20)))
    things, every = some_boxes(seed), np.arange(len(site))
    standing = WalkableGround.empty(site, BUILD).with_obstacles(things)
    ground, again = WalkableGround(standing), 0
    for change in range(6):
        goal = int(rng.choice(np.flatnonzero(ground.clear[:-1])))
        slow = 1.0 if change % 2 else np.where(rng.uniform(size=len(site) + 1) < 0.2, 2.25, 1.0)
        known = Field.to(ground.grid, goal, ground.clear, slow)
        known.reach(every if change < 3 else rng.choice(every, 3))
        standing = standing.with_obstacles(things.take(np.arange(len(things)) != change))
        ground = WalkableGround(standing, ground)
        on = known.again(ground.grid, ground.clear, ground._touched)
        if on is not None:
            assert np.isfinite(on.time).sum() > len(on._begun)
            whole = Field.to(ground.grid, goal, ground.clear, slow)
            on.reach(every), whole.reach(every)
            assert on.time.tobytes() == whole.time.tobytes()
            again += 1
    assert again > 0


def test_a_door_that_closes_is_looked_at_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    surface = Obstacles.surface

    def counted(self: Obstacles, points: Any, *others: Any) -> Any:
        asked.append(len(points))
        return surface(self, points, *others)

    monkeypatch.setattr(Obstacles, "surface", counted)
    things, leaf = some_boxes(1, 30), walls(((9.5, 0.2, 0.0), (10.5, 0.3, 2.0)))
    open_ = WalkableGround.empty(spans(quads(plate(0, 0, 20, 20))), BUILD).with_obstacles(things)
    whole, asked[:] = sum(asked), []
    closed = open_.with_obstacles(all_of(things, leaf))
    assert 0 < sum(asked) < 0.1 * whole
    assert same_standing(open_, closed.with_obstacles(things))


def test_no_gaps_are_looked_for_within_a_slope_however_wide_its_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(Surfaces, "bridged", lambda self, found, *_: asked.append(len(found.triangle)) or found)
    ground = spans(quads([(0, 0, 0), (4000, 0, 2000), (4000, 4000, 2000), (0, 4000, 0)]))
    assert ground.size > 5.0 and sum(asked) <= 4 * max(ground.shape)


@pytest.mark.parametrize("turn", [0.0, 17.0, 45.0])
@pytest.mark.parametrize("shift", np.linspace(0.0, 0.24, 4))
def test_a_door_hardly_wider_than_a_body_is_found(turn: float, shift: float) -> None:
    """Wherever it lies among the cells, and whichever way it faces."""
    things = door(2.0 * RADIUS + 0.04, shift)
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    axes = np.array([[(c, s, 0.0), (-s, c, 0.0), (0.0, 0.0, 1.0)]] * 2)
    middle = np.einsum("kj,kji->ki", things.start, axes) + np.array((shift, 0.0, 0.0))
    turned = boxes(middle, things.half, axes)
    ground = ground_of(quads(plate(-3, -3, 3, 3)), turned)
    there, back = (int(ground.spans.at(*(np.array([k]) for k in (x * c, x * s, 0.0)))[0]) for x in (-1.5, 1.5))
    field = Field.to(ground.grid, back, ground.clear)
    field.reach(np.array([there]))
    assert field.time[there] < 4.0
    closed = ground_of(quads(plate(-3, -3, 3, 3)), boxes(middle, things.half + np.array((0.0, 0.08, 0.0)), axes))
    assert closed.part[there] != closed.part[back]


@pytest.mark.parametrize("radius", [0.3, 0.45, 0.5])
@pytest.mark.parametrize("width, leads", [(1.2, True), (0.5, False)])
def test_bodies_of_all_sizes_find_a_door_that_is_wide_enough(radius: float, width: float, leads: bool) -> None:
    build = BUILD._replace(radius=radius)
    spans = find_spans(PLATE, build)
    assert spans is not None
    ground = WalkableGround(WalkableGround.empty(spans, build).with_obstacles(door(width)))
    inside, outside = ground.part[ground.nodes_at(np.array([(-6.0, 0.0, 0.0), (6.0, 0.0, 0.0)]), np.inf)]
    assert (inside == outside) == leads


@pytest.mark.parametrize(
    "gap, leads", [(0.0, True), (0.02, True), (0.1, True), (0.35, True), (0.6, False), (1.0, False)]
)
@pytest.mark.parametrize("at", np.linspace(0.0, 0.25, 5))
def test_ways_lead_over_gaps_that_a_foot_bridges_and_no_wider_ones(gap: float, leads: bool, at: float) -> None:
    ground = ground_of(quads(plate(-3, -3, at, 3), plate(at + gap, -3, 4, 3)), NOTHING)
    here, there = (int(ground.spans.at(*(np.array([k]) for k in (x, 0.0, 0.0)))[0]) for x in (-2.0, 3.0))
    assert (ground.part[here] == ground.part[there]) == leads


@pytest.mark.parametrize("rise, leads", [(0.1, True), (0.25, True), (0.35, False), (0.5, False)])
def test_ways_lead_up_steps_that_a_foot_takes_and_no_higher_ones(rise: float, leads: bool) -> None:
    ground = ground_of(quads(plate(-3, -3, 0.1, 3), plate(0.1, -3, 4, 3, rise)), NOTHING)
    here, there = (
        int(ground.spans.at(*(np.array([k]) for k in (x, 0.0, z)))[0]) for x, z in ((-2.0, 0.0), (3.0, rise))
    )
    assert (ground.part[here] == ground.part[there]) == leads


def test_no_way_leads_where_there_is_no_headroom() -> None:
    for height, leads in ((1.5, False), (2.2, True)):
        ground = ground_of(quads(plate(-3, -1, 3, 1), plate(-0.5, -1, 0.5, 1, height)), NOTHING)
        here, there = (int(ground.spans.at(*(np.array([k]) for k in (x, 0.0, 0.0)))[0]) for x in (-2.0, 2.0))
        assert (ground.part[here] == ground.part[there]) == leads


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


def test_what_ends_the_ground_is_told_apart() -> None:
    """By nothing beyond, a wall, a slope, a low roof, a riser, or a gap, each along one line."""
    beyond = {
        BORDER: (), OBSTACLE: (plate(0, -1, 3, 1),), LOW: (plate(0, -1, 3, 1), plate(1, -1, 3, 1, 1.5)),
        HIGH: (plate(0, -1, 3, 1, 0.6),), WIDE: (plate(0.7, -1, 3, 1),),
        STEEP: (((0, -1, 0), (1, -1, 1.7), (1, 1, 1.7), (0, 1, 0)), plate(1, -1, 3, 1, 1.7)),
    }  # fmt: skip
    wall = walls(((1.0, -1.5, 0.0), (1.2, 1.5, 3.0)))
    for reason, plates in beyond.items():
        surfaces = quads(plate(-3, -1, 0, 1), *plates)
        ground = ground_of(surfaces, wall if reason == OBSTACLE else NOTHING)
        nodes, sides, why = find_missing(ground, surfaces)
        ahead = (sides == 0) & (ground.spans.x[nodes] < 1.0)
        assert ahead.any() and (why[ahead] == reason).all(), reason
        assert (why[(sides == 2) & (ground.spans.x[nodes] < 0.0)] == BORDER).all()


def test_below_a_goal_upstairs_nobody_has_reached_it() -> None:
    states = walkers(UPSTAIRS, NOTHING, (2.0, 5.0, 3.0), [(2.0, 5.0, 0.0)], Arrival).run(3 * FPS)
    assert not any(state.memories["errand"].arrived.any() for state in states[1:])


def test_many_goals_of_their_own_lead_through_the_door_as_one_goal_does() -> None:
    places = [(-4.0, y, 0.0) for y in np.linspace(-4.0, 4.0, 40)]
    scene = walkers(PLATE, door(1.6, 3.0), (6.0, 0.0, 0.0), places)
    rng = np.random.default_rng(0)
    goals = np.column_stack((rng.uniform(4.0, 8.0, 40), rng.uniform(-4.0, 1.0, 40), np.zeros(40)))
    offset = seen(scene, goals) - scene.position
    # All head for the door, which is up to the right of them.
    to_door = np.arctan2(3.0 - np.array(places)[:, 1], 4.0)
    assert np.abs(np.arctan2(offset[:, 1], offset[:, 0]) - to_door).max() < 0.55
    assert len(ways_of(scene).grounds[0][0]._routes) < 12


@pytest.mark.parametrize("at, fields", [((4.0, -3.0), 0), ((-4.0, 3.0), 1)], ids=["in sight", "behind a wall"])
def test_a_goal_that_moves_takes_no_field_for_every_step(at: Any, fields: int) -> None:
    wall = walls(((-0.1, -5.0, 0.0), (0.1, 4.0, 3.0)))
    scene = walkers(PLATE, wall, (8.0, 0.0, 0.0), [(11.0, -3.1, 0.0)])
    ways, keys = ways_of(scene), scene.snapshot(0).keys
    known = len(ways.grounds[0][0]._routes)
    for k in range(20):
        goal = np.array([(at[0] + 0.05 * k, at[1], 0.0)])
        place = ways.unroll(np.arange(1), keys, np.asarray(scene.position), goal, np.ones(1, dtype=bool))
        assert (place == goal).all() == (fields == 0)
    assert len(ways.grounds[0][0]._routes) - known == fields


def test_a_run_goes_on_from_a_checkpoint_with_nothing_remembered_of_ways() -> None:
    scene = walkers(PLATE, door(1.2, 2.0), (9.0, 0.0, 0.0), [(-6.0, y, 0.0) for y in np.linspace(-4.0, 4.0, 6)])
    whole = scene.run(2 * FPS)
    state = whole[FPS]
    for frame in range(FPS + 1, 2 * FPS):
        over_ground._ground.cache_clear()
        over_ground._last_standing.cache_clear()
        state = step(state, scene.snapshot(frame))
    assert state.motion.position.tobytes() == whole[-1].motion.position.tobytes()


TWO_DOORS = walls(
    ((-0.1, -5.0, 0.0), (0.1, -3.0, 3.0)), ((-0.1, -1.5, 0.0), (0.1, 1.5, 3.0)), ((-0.1, 3.0, 0.0), (0.1, 5.0, 3.0))
)


def side_taken(crowd: Any, speed: float) -> float:
    """Which side of straight ahead one heads for who stands between two doors, once a crowd has got on so fast."""
    n = len(crowd)
    scene = walkers(PLATE, TWO_DOORS, (8.0, 0.5, 0.0), [(-5.0, 0.5, 0.0), *crowd])
    place, at = np.asarray(scene.position), scene.snapshot(0)
    ways = ways_of(scene)
    for k in range(5 * FPS):
        pace, radius = np.array([0.0] + [speed] * n), np.full(n + 1, RADIUS)
        goes = np.arange(n + 1) > 0
        traffic = ways.traffic_after(place, pace, np.full(n + 1, 1.4), radius, goes, None, k / FPS, 1.0 / FPS)
        ways = replace(ways, grounds=tuple((*ground[:2], traffic[ground[0].build]) for ground in ways.grounds))
    seen_there = ways.unroll(np.arange(1), at.keys[:1], place[:1], np.array([(8.0, 0.5, 0.0)]))
    return float(seen_there[0, 1] - place[0, 1])


@pytest.mark.parametrize("speed, goes_round", [(0.0, True), (1.4, False)], ids=["that waits", "that walks"])
def test_one_takes_the_other_door_when_a_crowd_waits_at_the_nearer_one(speed: float, goes_round: bool) -> None:
    queue = [(-0.6 - 0.5 * i, 1.6 + 0.45 * j, 0.0) for i in range(4) for j in range(4)]
    assert side_taken([(-11.0, -4.5, 0.0)], 0.0) > 0.0
    assert (side_taken(queue, speed) < 0.0) == goes_round
