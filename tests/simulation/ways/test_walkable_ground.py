"""Ways over ground: they lead wherever a body can walk, as short as they can be, and nowhere else."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors.evasion import Evasion
from steering_addon.behaviors.flee import Flee
from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.behaviors.pursuit import Pursuit
from steering_addon.locomotion import OnFoot
from steering_addon.scene import all_of, obstacles
from steering_addon.simulation.geometry.obstacles import Obstacles, boxes
from steering_addon.simulation.geometry.surfaces import Surfaces
from steering_addon.simulation.snapshot import State
from steering_addon.simulation.ways.fields import Field
from steering_addon.simulation.ways.footprints import footprints
from steering_addon.simulation.ways.journeys import Net
from steering_addon.simulation.ways.routes import UNKNOWN, Routes, look_from
from steering_addon.simulation.ways.spans import find_spans
from steering_addon.simulation.ways.standing import Standing
from steering_addon.simulation.ways.traffic import Traffic
from steering_addon.simulation.ways.walkable_ground import (
    BORDER,
    HIGH,
    LOW,
    OBSTACLE,
    STEEP,
    WIDE,
    WalkableGround,
    find_missing,
)
from tests.sampling import sampled, thorough
from tests.scene import Scene, leaders, positions
from tests.simulation.ways.grounds import (
    BUILD,
    NOTHING,
    PLATE,
    RADIUS,
    SCENES,
    door,
    ground_of,
    quads,
    seen,
    some_boxes,
    spans,
    walkers,
    walls,
    ways_of,
)
from tests.surfaces import plate


def nodes_of(ground: WalkableGround, *places: Any) -> list[int]:
    """The nodes in whose cells places are."""
    return ground.spans.at(*np.array(places).T).tolist()


def joined(ground: WalkableGround, here: Any, there: Any) -> bool:
    """Whether a way leads from one place to the other."""
    one, other = ground.part[nodes_of(ground, here, there)]
    return bool(one == other)


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


@sampled
@pytest.mark.parametrize("name", ["upstairs", "through a door"])
def test_how_far_one_sees_along_a_way_does_not_depend_on_who_asks_before(name: str) -> None:
    scene, things, goal, *_ = SCENES[name]
    ground = ground_of(scene, things)
    [end] = nodes_of(ground, goal)
    nodes = np.flatnonzero(ground.grid.passable[: len(ground.spans)])
    by_few, by_all = (Routes(ground, Field.to(ground.grid, end, ground.clear), end) for _ in range(2))
    look_from([(by_all, nodes)])
    for few in np.random.default_rng(1).permutation(nodes)[:200].reshape(-1, 5):
        look_from([(by_few, few)])
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
    [goal] = nodes_of(ground, (15.1, 15.1, 0.0))
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


@sampled
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


@sampled
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
    sides = (-1.5 * c, -1.5 * s, 0.0), (1.5 * c, 1.5 * s, 0.0)
    there, back = nodes_of(ground, *sides)
    field = Field.to(ground.grid, back, ground.clear)
    field.reach(np.array([there]))
    assert field.time[there] < 4.0
    closed = ground_of(quads(plate(-3, -3, 3, 3)), boxes(middle, things.half + np.array((0.0, 0.08, 0.0)), axes))
    assert not joined(closed, *sides)


@pytest.mark.parametrize("radius", [0.3, 0.45, 0.5])
@pytest.mark.parametrize("width, leads", [(1.2, True), (0.5, False)])
def test_bodies_of_all_sizes_find_a_door_that_is_wide_enough(radius: float, width: float, leads: bool) -> None:
    build = BUILD._replace(radius=radius)
    spans = find_spans(PLATE, build)
    assert spans is not None
    ground = WalkableGround(WalkableGround.empty(spans, build).with_obstacles(door(width)))
    assert joined(ground, (-6.0, 0.0, 0.0), (6.0, 0.0, 0.0)) == leads


@pytest.mark.parametrize(
    "gap, leads", [(0.0, True), (0.02, True), (0.1, True), (0.35, True), (0.6, False), (1.0, False)]
)
@pytest.mark.parametrize("at", np.linspace(0.0, 0.25, 5))
def test_ways_lead_over_gaps_that_a_foot_bridges_and_no_wider_ones(gap: float, leads: bool, at: float) -> None:
    ground = ground_of(quads(plate(-3, -3, at, 3), plate(at + gap, -3, 4, 3)), NOTHING)
    assert joined(ground, (-2.0, 0.0, 0.0), (3.0, 0.0, 0.0)) == leads


@pytest.mark.parametrize("rise, leads", [(0.1, True), (0.25, True), (0.33, False), (0.5, False)])
def test_ways_lead_up_steps_that_a_foot_takes_and_no_higher_ones(rise: float, leads: bool) -> None:
    ground = ground_of(quads(plate(-3, -3, 0.1, 3), plate(0.1, -3, 4, 3, rise)), NOTHING)
    assert joined(ground, (-2.0, 0.0, 0.0), (3.0, 0.0, rise)) == leads


@pytest.mark.parametrize(
    "gap, at, leads", [(0.4, 0.0, False), (0.6, 0.0, True), (0.4, 3.8, True), (0.4, 4.3, True), (0.0, 0.0, True)]
)
def test_no_way_leads_into_the_middle_of_a_row_too_narrow_for_a_body(gap: float, at: float, leads: bool) -> None:
    """At its end one stands there already, and beside what stands at the place itself."""
    rows = walls(((-4.0, 0.5 * gap, 0.0), (4.0, 0.5 * gap + 0.5, 1.0)), ((-4.0, -1.0, 0.0), (4.0, -0.5 * gap, 1.0)))
    ground, row = ground_of(PLATE, rows), np.zeros(1, dtype=np.int64)
    feet, goal = np.array([[0.0, -3.0, 0.0]]), np.array([[at, 0.0, 0.0]])
    course = ground.course(feet, goal, np.zeros(1), row, Traffic.none_yet(ground.spans), row > 0, np.zeros(1))
    assert course.leads[0] == leads


def test_no_way_leads_where_there_is_no_headroom() -> None:
    for height, leads in ((1.5, False), (2.2, True)):
        ground = ground_of(quads(plate(-3, -1, 3, 1), plate(-0.5, -1, 0.5, 1, height)), NOTHING)
        assert joined(ground, (-2.0, 0.0, 0.0), (2.0, 0.0, 0.0)) == leads


def test_no_way_leads_onto_a_floor_by_its_underside() -> None:
    ground = ground_of(quads(plate(-3, -3, 4, 3), plate(0.04, -3, 4, 3, 0.2), plate(0.04, -3, 4, 3, 0.4)), NOTHING)
    assert not joined(ground, (-2.0, 0.0, 0.0), (3.0, 0.0, 0.4))


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


FPS = 24
"""As bakes take substeps below 20 frames a second, nobody passes an exit between two steps."""
GROUND = quads(plate(-20, -20, 20, 20))
YARD = walls(
    ((-10.2, -10, 0), (-10, 10, 2.5)),
    ((-10, -10.2, 0), (10, -10, 2.5)),
    ((-10, 10, 0), (10, 10.2, 2.5)),
    ((10, -10, 0), (10.2, 5, 2.5)),
    ((10, 8, 0), (10.2, 10, 2.5)),
)
"""With one exit in the east."""
DEAD_ENDS = walls(
    ((0, 3, 0), (11, 3.2, 2.5)),
    ((0, -0.2, 0), (4, 0, 2.5)),
    ((6, -0.2, 0), (14.2, 0, 2.5)),
    ((14, -0.2, 0), (14.2, 12, 2.5)),
    ((10.8, 3, 0), (11, 12, 2.5)),
    ((10.8, 12, 0), (14.2, 12.2, 2.5)),
    ((-0.2, -0.2, 0), (0, 3.2, 2.5)),
)
"""A passage to the east that bends to the north, closed at both ends, with a way out to the south."""


def hunted(things: Obstacles, prey: Any, fox: Any, behavior: Any = Evasion, key: str = "pursuer") -> Scene:
    place = np.array([*prey, fox], dtype=float)
    flees = np.arange(len(place)) < len(prey)
    return Scene(
        place,
        forward=(1.0, 0.0, 0.0),
        speed=0.0,
        behaviors=[
            (behavior, {key: np.where(flees, len(prey), -1), "distance": 20.0}),
            (Pursuit, {"quarry": np.where(flees, -1, 0)}),
            (ObstacleAvoidance, {}),
        ],
        vehicle={
            "max_speed": np.where(flees, 7.0, 5.5),
            "cruise_speed": np.where(flees, 0.2, 0.8),
            "radius": np.where(flees, 0.4, 0.3),
            "max_force": 12.0,
            "keep_apart": True,
        },
        locomotions=[(OnFoot, {})],
        tracked=leaders((0.0, 0.0, 0.0)),
        obstacles=things,
        surfaces=GROUND,
        fps=FPS,
    )


def asked(scene: Scene, behavior: int = 0) -> np.ndarray:
    """The unit directions in which the prey of a scene, which stands, is told to run."""
    world, agents, behaviors = scene.seen()
    force = behaviors[behavior].steer(world, agents, None).force[:-1]
    return force / np.linalg.norm(force, axis=1, keepdims=True)


@thorough
def test_deer_run_out_of_a_yard_by_its_exit() -> None:
    def out(state: State) -> np.ndarray:
        """Whether each is out of the yard; the fox, who is the last, does not matter."""
        return np.append(np.abs(state.motion.position[:2, :2]).max(axis=1) > 10.5, True)

    course = positions(hunted(YARD, [(-7, 4, 0), (-2, -8, 0)], (3, 0, 0)).run_until_each(out, 11 * FPS))[:, :2, :2]
    assert (np.abs(course).max(axis=2).max(axis=0) > 10.5).all()


@pytest.mark.parametrize("behavior, key", [(Evasion, "pursuer"), (Flee, "target")])
@pytest.mark.parametrize("fox", [(13.0, 9.0, 0.0), (0.5, 1.5, 0.0)])
def test_nobody_runs_past_a_way_out_into_a_dead_end(behavior: Any, key: str, fox: Any) -> None:
    """From the east the dead end in the west, and from the west the longer one in the east."""
    [west, east] = asked(hunted(DEAD_ENDS, [(3.5, 1.5, 0.0), (7.5, 1.5, 0.0)], fox, behavior, key))
    assert west[0] > 0.0 and east[0] < 0.0


def test_who_is_cornered_runs_into_the_dead_end_all_the_same() -> None:
    [inside] = asked(hunted(DEAD_ENDS, [(9.0, 1.5, 0.0)], (7.0, 1.5, 0.0)))
    assert inside[0] > 0.7


@pytest.mark.parametrize(
    "ground, things",
    [
        (quads(plate(-50.3, -50.3, 50.3, 50.3)), NOTHING),
        (quads(plate(-50, -50, 50, 50)), walls(((-9, -9, 0), (-8, -8, 2)))),
    ],
    ids=["open ground", "nothing in the way"],
)
def test_in_the_open_they_run_straight_away_to_the_last_bit(ground: Surfaces, things: Obstacles) -> None:
    scene = hunted(things, [(5.0, 3.0, 0.0), (4.0, -4.0, 0.0)], (3.0, 1.0, 0.0))
    scene.surfaces = ground
    world, agents, behaviors = scene.seen()
    forces = [behaviors[0].steer(each, agents, None).force for each in (world, replace(world, ways=None))]
    assert world.ways is not None and forces[0].tobytes() == forces[1].tobytes()
