"""Unaligned collision avoidance by the choice of a velocity: near the wished one, with no contact soon."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from scripts.motion_metrics import reversals
from steering_addon.behaviors import unaligned_collision_avoidance
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.separation import Separation
from steering_addon.behaviors.unaligned_collision_avoidance import VELOCITY, UnalignedCollisionAvoidance
from steering_addon.locomotion import OnFoot
from steering_addon.simulation.avoiding import velocity_choice
from steering_addon.simulation.avoiding.costs import COSTS
from steering_addon.simulation.avoiding.dangers import MOST, SOONEST, Others, _soonest
from steering_addon.simulation.avoiding.jams import JAMMING
from steering_addon.simulation.avoiding.tried_velocities import DIRECTIONS, SPEEDS, Lag
from steering_addon.simulation.avoiding.velocity_choice import Choosers
from steering_addon.simulation.behavior import Behavior, Steering
from steering_addon.simulation.combining import COMBININGS
from steering_addon.simulation.geometry.obstacles import boxes, obstacles
from steering_addon.simulation.nearby.neighbors import EVERYONE
from tests.sampling import sampled
from tests.scene import Scene, all_of, flat_or_free, headings, leaders, locked, positions, velocities

RADIUS = 0.5
FPS = 12
CRAWL = 0.2
"""Metres a second."""
WALKER = {"max_speed": 1.3, "max_force": 4.0, "response_time": 0.35}
TURN = 6.0
"""Radians a second."""


def walkers(start, goal, *, vehicle=WALKER, flat=True, turn=TURN, more=(), **changes) -> Scene:
    """Walkers, or flyers and swimmers, each with its own goal."""
    start, goal = np.array(start, dtype=float), np.array(goal, dtype=float)
    way = goal - start
    n = len(start)
    behaviors = [(Seek, {"target": n + np.arange(n)}), (UnalignedCollisionAvoidance, {"method": VELOCITY}), *more]
    given = {"behaviors": behaviors, "vehicle": vehicle, "speed": 1.0, "tracked": leaders(*goal), "fps": FPS}
    given["locomotions"] = flat_or_free(flat, max_turn_rate=turn)
    return Scene(start, forward=way / np.linalg.norm(way, axis=1)[:, None], **(given | changes))


def nearest(path: np.ndarray) -> float:
    """The smallest distance that any two ever have, metres."""
    return float((np.linalg.norm(path[:, :, None] - path[:, None], axis=-1) + 1e9 * np.eye(path.shape[1])).min())


@pytest.mark.parametrize(("goal", "aside"), [(4.5, False), (9.0, True)], ids=["beyond its goal", "before it"])
def test_on_foot_nobody_gives_way_to_who_is_beyond_the_place_where_it_goes(goal: float, aside: bool) -> None:
    on_foot, stays = [(OnFoot, {"turn_radius": 3.0})], WALKER | {"max_force": [4.0, 1e-6]}
    ends = [[0.0, 0.0, 0.0], [0.0, 6.0, 0.0]], [[0.0, goal, 0.0], [0.0, 6.1, 0.0]]
    place = walkers(*ends, speed=[1.0, 0.0], locomotions=on_foot, vehicle=stays)
    assert (velocities(place.run(FPS * 2))[:, 0, 0] > 0.1).any() == aside


def test_head_on_both_pass_on_their_right_and_neither_stops() -> None:
    place = walkers([[0.0, -8.0, 0.0], [0.0, 8.0, 0.0]], [[0.0, 9.0, 0.0], [0.0, -9.0, 0.0]])
    states = place.run(FPS * 10)
    path = positions(states)
    passing = int(np.argmax(path[:, 0, 1] > path[:, 1, 1]))
    assert path[passing, 0, 0] > 0.25
    assert path[passing, 1, 0] < -0.25
    assert np.linalg.norm(velocities(states)[FPS:passing], axis=-1).min() > 0.8


def test_without_conflict_the_bytes_are_the_same_as_without_it() -> None:
    place = walkers([[0.0, 0.0, 0.0], [3.0, 0.0, 0.0]], [[0.0, 30.0, 0.0], [3.0, 30.0, 0.0]])
    without = replace(place, behaviors=place.behaviors[:1])
    assert positions(place.run(48)).tobytes() == positions(without.run(48)).tobytes()


@sampled
@pytest.mark.parametrize(("faces", "side"), [(1.0, -1.0), (-1.0, 1.0)])
def test_who_stands_is_passed_on_the_nearer_side_but_on_the_right_of_who_faces_one(faces: float, side: float) -> None:
    """So a throng before a door does not drift to the right along the wall."""
    place = walkers([[0.0, -6.0, 0.0], [0.15, 0.0, 0.0]], [[0.0, 6.0, 0.0], [0.15, 9.0 * faces, 0.0]], speed=[1.0, 0.0])
    place.vehicle = WALKER | {"max_speed": np.array([1.3, 0.0])}
    place.locomotions = [(OnFoot, {})]
    path = positions(place.run(FPS * 9))
    assert (path[:, 1] == path[0, 1]).all()
    assert path[-1, 0, 1] > 2.0
    assert side * path[np.argmax(path[:, 0, 1] > 0.0), 0, 0] > 0.3


@sampled
@pytest.mark.parametrize("combining", [way.number for way in COMBININGS])
def test_the_chosen_velocity_holds_in_every_way_to_combine(combining: int) -> None:
    """Two that meet head-on pass, in every way to combine and with a behavior that pulls elsewhere."""
    more = [(Separation, {"weight": 0.5, "distance": 2.0})]
    start = [[0.0, -8.0, 0.0], [0.0, 8.0, 0.0]]
    place = walkers(start, [[0.0, 9.0, 0.0], [0.0, -9.0, 0.0]], more=more, combining=combining)
    assert nearest(positions(place.run(FPS * 10))) >= 2.0 * RADIUS


def test_avoiding_each_other_does_not_lead_into_a_wall() -> None:
    """In a corridor just wide enough for two side by side."""
    walls = boxes([[0.0, 2.2, 0.0], [0.0, -2.2, 0.0]], [[20.0, 1.0, 1.0], [20.0, 1.0, 1.0]])
    start = [[-8.0, 0.0, 0.0], [8.0, 0.0, 0.0]]
    place = walkers(start, [[9.0, 0.0, 0.0], [-9.0, 0.0, 0.0]], obstacles=walls)
    path = positions(place.run(FPS * 14))
    assert np.abs(path[..., 1]).max() < 1.2 - RADIUS + 0.05
    assert nearest(path) > 2.0 * RADIUS - 0.05
    assert path[-1, 0, 0] > 4.0 > -4.0 > path[-1, 1, 0]


def schools(n: int, room: tuple[float, float, float] = (6.0, 6.0, 6.0)) -> Scene:
    """Two schools of n / 2 fish each that swim through each other, each in a box of these sides, metres."""
    start = np.random.default_rng(3).uniform(-0.5, 0.5, (n, 3)) * room - (0.0, 8.0 + room[1] / 2.0, 0.0)
    start[n // 2 :] *= (1.0, -1.0, 1.0)
    vehicle = {"radius": 0.15, "max_speed": 2.0, "max_force": 6.0}
    return walkers(start, start * (1.0, -1.5, 1.0), vehicle=vehicle, flat=False, turn=np.pi)


def test_in_space_a_low_pass_of_the_choice_reduces_trembling(monkeypatch) -> None:
    fish = schools(100, (4.0, 5.0, 3.0))
    fish.behaviors.append((Separation, {"distance": 0.6, "weight": 2.0}))

    def turned_back() -> float:
        return reversals(headings(fish.run(FPS * 6))[FPS:], FPS)

    low_passed = turned_back()
    monkeypatch.setattr(unaligned_collision_avoidance, "TAKING_UP", 1e-9)
    assert low_passed < 0.75 * turned_back()


def test_the_choice_stays_the_same_between_two_decisions() -> None:
    place = walkers([[0.0, -4.0, 0.0], [0.0, 4.0, 0.0]], [[0.0, 9.0, 0.0], [0.0, -9.0, 0.0]])
    place.behaviors[1] = (UnalignedCollisionAvoidance, {"reaction_time": 0.5})
    memories = [state.memories["unaligned_collision_avoidance"].choice[:, 0] for state in place.run(FPS * 2 + 1)[1:]]
    changes = (np.diff(np.array(memories), axis=0) != 0.0).sum(axis=0)
    assert (changes >= 1).all()
    assert (changes <= 5).all()


def test_an_agent_that_could_only_creep_stands_unless_it_is_jammed() -> None:
    """Many walk through one another: each chooses to stand or to walk, and nothing in between."""
    rng = np.random.default_rng(4)
    start = np.concatenate((rng.uniform(-4.0, 4.0, (24, 2)), np.zeros((24, 1))), axis=1)
    place = walkers(start, -start)
    stands = throngs = 0
    for state in place.run(FPS * 6)[1:]:
        memory = state.memories["unaligned_collision_avoidance"]
        chosen = np.hypot(memory.choice[:, 0], memory.choice[:, 1])
        slow = chosen < JAMMING.stands * WALKER["max_speed"] - 1e-9
        stands += (slow & (chosen == 0.0)).sum()
        creeping = slow & (chosen > 0.0)
        throngs += creeping.sum()
        assert (state.memories["progress"].share[creeping] < JAMMING.jammed).all()
    assert min(stands, throngs) > 5


@pytest.mark.parametrize("flat", [True, False])
def test_others_on_the_ground_are_expected_to_keep_braking_or_turning_for_a_moment(flat: bool) -> None:
    """The danger of going straight equals that of meeting the velocity that the other will soon have."""
    place = walkers([[0.0, -4.0, 0.0], [4.0, 0.3, 0.0]], [[0.0, 9.0, 0.0], [-9.0, 0.3, 0.0]], flat=flat)
    world, agents, (_, avoiding) = place.seen()
    velocity, nothing = world.bodies.velocity, np.zeros_like(world.bodies.velocity)
    acceleration = nothing.copy()
    acceleration[1] = (1.5, 0.8, 0.0)

    def danger(velocity: np.ndarray, acceleration: np.ndarray) -> float:
        seen = replace(world, bodies=replace(world.bodies, velocity=velocity, acceleration=acceleration))
        near = avoiding.near(seen, agents).together()
        wished = agents.velocity
        pad, look_ahead = avoiding.clearance, avoiding.look_ahead_time
        others = Choosers.of(
            seen, agents, near, wished, agents.max_speed, pad, look_ahead, np.full(len(agents), np.inf)
        ).others
        ahead = [np.array([part]) for part in ((1.0, 0.0) if flat else (1.0, 0.0, 0.0))]
        return float(others.danger(ahead, np.array([0]), look_ahead[:1])[0])

    as_it_is, soon = danger(velocity, nothing), danger(velocity + COSTS.foreseen * acceleration, nothing)
    assert 0.0 < soon != as_it_is
    assert danger(velocity, acceleration) == (soon if flat else as_it_is)


def test_the_danger_of_others_equals_a_plain_loop() -> None:
    rng = np.random.default_rng(5)
    many, agents, tried = 3, 4, 28
    offset, drift = rng.uniform(-4.0, 4.0, (2, 2, many, agents))
    room = (offset * offset).sum(axis=0) - 0.5
    room = np.maximum(room, 1e-6)
    grazing = np.where(rng.uniform(size=room.shape) < 0.7, rng.uniform(0.01, 0.4, room.shape), 0.0)
    velocity = rng.uniform(-2.0, 2.0, (2, tried))
    agent = rng.integers(0, agents, tried)
    look_ahead = rng.uniform(2.0, 6.0, tried)
    danger = Others(list(offset), list(drift), room, grazing, room < 0.0).danger(list(velocity), agent, look_ahead)
    for c, a in enumerate(agent):
        costs = []
        for k in range(many):
            relative = velocity[:, c] / COSTS.share + drift[:, k, a]
            # |offset - relative t|^2 = offset^2 - room is the contact: the first root of a quadratic.
            roots = np.roots([relative @ relative, -2.0 * relative @ offset[:, k, a], room[k, a]])
            time = min((r.real for r in roots if abs(r.imag) < 1e-9 and r.real > 0.0), default=np.inf)
            cost = max(min(1.0 / time, 1.0 / SOONEST) - 1.0 / look_ahead[c], 0.0)
            # The clearance and the contact are circles about the other: how much of the ring between is gone into.
            past = offset[:, k, a] - relative * (relative @ offset[:, k, a]) / (relative @ relative)
            clearance = offset[:, k, a] @ offset[:, k, a] - room[k, a]
            ring = grazing[k, a] * room[k, a]
            deep = (clearance - past @ past) / ring if ring > 0.0 else 1.0
            costs.append(cost * min(deep, 1.0) if cost > 0.0 else 0.0)
        assert danger[c] == pytest.approx(max(costs) + COSTS.others * sum(costs), abs=1e-9)


@pytest.mark.parametrize("turning", [True, False])
def test_it_makes_no_difference_how_many_others_are_computed_together(
    turning: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(6)
    many, agents, tried = 5, 4, 30
    offset, drift, velocity = (
        rng.uniform(-4.0, 4.0, (2, *shape)) for shape in ((many, agents), (many, agents), (tried,))
    )
    room = np.maximum((offset * offset).sum(axis=0) - 0.5, 1e-6)
    others = Others(list(offset), list(drift), room, rng.uniform(0.0, 0.4, room.shape), room < 0.0)
    lag = Lag(list(rng.uniform(-1.0, 1.0, (2, tried))), rng.uniform(0.0, 2.0, tried)) if turning else None
    asked = list(velocity), rng.integers(0, agents, tried), rng.uniform(2.0, 6.0, tried), lag
    together = others.danger(*asked)
    assert (together > 0.0).any()
    for at_once in (1, 2 * tried):
        monkeypatch.setattr("steering_addon.simulation.avoiding.dangers.AT_ONCE", at_once)
        assert others.danger(*asked).tobytes() == together.tobytes()


@pytest.mark.parametrize("flat", [True, False])
@pytest.mark.parametrize("gap", [0.1, 0.25, 0.6, 2.0])
def test_who_is_in_the_clearance_already_meets_only_what_comes_nearer_still(gap: float, flat: bool) -> None:
    """On the ground by a share of the clearance; and grazing the rest of the clearance risks little."""
    radius, pad = 0.3, 0.4
    distance = 2.0 * radius + gap
    vehicle = WALKER | {"radius": radius}
    facing = np.array([[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]])
    scene = walkers([[0.0, 0.0, 0.0], [0.0, distance, 0.0]], 9.0 * facing, vehicle=vehicle, flat=flat)
    world, agents, (_, avoiding) = scene.seen()
    near, wished = avoiding.near(world, agents).together(), 1.2 * facing
    choosers = Choosers.of(
        world, agents, near, wished, agents.max_speed, np.full(2, pad), np.full(2, 4.0), np.full(2, np.inf)
    )
    share = COSTS.closer if flat else 0.0
    closer = min(max(distance - share * pad, 2.0 * radius), distance - COSTS.closer_at_least)
    contact = min(2.0 * radius + pad, max(closer, 0.0))
    room = distance**2 - contact**2
    ring = max(contact**2 - (2.0 * radius) ** 2, 0.0) / room if flat else 0.0
    assert choosers.others.room[0] == pytest.approx([room, room])
    assert choosers.others.grazing[0] == pytest.approx([ring, ring])


@pytest.mark.parametrize("ahead, held_up, goes", [(0.3, True, True), (0.3, False, False), (2.0, True, False)])
def test_who_is_held_up_goes_up_to_its_turn_whoever_stands_behind_it(ahead: float, held_up: bool, goes: bool) -> None:
    """Another stands 0.5 m before it, as one does at the other side of a door."""
    facing = np.array([[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]])
    foot = [(OnFoot, {"turn_radius": 3.0})]
    place = walkers(
        [[0.0, 0.0, 0.0], [0.0, 1.1, 0.0]], 9.0 * facing, vehicle=WALKER | {"radius": 0.3}, speed=0.0, locomotions=foot
    )
    world, agents, (_, avoiding) = place.seen()
    near, room, seconds = avoiding.near(world, agents).together(), np.full(2, 0.0), avoiding.look_ahead_time
    view = room, seconds, np.full(2, ahead), np.full(2, held_up)
    wished = 0.5 * facing
    chosen = Choosers.of(world, agents, near, wished, agents.max_speed, *view).chosen()
    assert (chosen == wished).all() == goes


@pytest.mark.parametrize(
    ("heads", "left", "kept"), [(1.0, 9.0, 0.2), (-1.0, 9.0, 0.0), (1.0, np.nan, 0.0)], ids=["queues", "comes", "stays"]
)
def test_who_is_held_up_keeps_its_clearance_to_those_among_whom_it_queues(
    heads: float, left: float, kept: float
) -> None:
    facing, vehicle = np.array([[0.0, 1.0, 0.0], [0.0, heads, 0.0]]), WALKER | {"radius": 0.3}
    place = walkers([[0.0, 0.0, 0.0], [0.0, 1.1, 0.0]], 9.0 * facing, vehicle=vehicle, locomotions=[(OnFoot, {})])
    world, agents, (_, avoiding) = place.seen()
    near, view = avoiding.near(world, agents).together(), (np.zeros(2), avoiding.look_ahead_time, np.full(2, 9.0))
    world = replace(world, way_left=np.full(2, left))
    choosers = Choosers.of(world, agents, near, 1.2 * facing, agents.max_speed, *view, queueing=np.full(2, 0.2))
    assert choosers.others.room[0, 0] == pytest.approx(1.1**2 - (0.6 + kept) ** 2)


def crossing(*, flat: bool, obstacles) -> Choosers:
    """Thirty agents in each other's way and in that of a few obstacles."""
    rng = np.random.default_rng(2)
    start, goal = (rng.uniform(-5.0, 5.0, (30, 3)) * (1.0, 1.0, 0.1) for _ in range(2))
    world, agents, (_, avoiding) = walkers(start, goal, flat=flat, obstacles=obstacles).seen()
    wished = agents.level(goal - start)
    wished *= 1.2 / np.linalg.norm(wished, axis=1)[:, None]
    near = avoiding.near(world, agents).together()
    room, seconds, ahead = avoiding.clearance, avoiding.look_ahead_time, np.full(30, np.inf)
    return Choosers.of(world, agents, near, wished, agents.max_speed, room, seconds, ahead)


POSTS = boxes([[1.0, 1.0, 0.0], [-3.0, 2.0, 0.0], [0.5, -2.0, 0.0]], [[0.5, 0.2, 2.0]] * 3)


@pytest.mark.parametrize("ahead", [0.1, 0.6, np.inf])
def test_the_danger_of_walls_equals_a_plain_loop_over_obstacles(ahead: float) -> None:
    """Beyond the next turn of the way only what an agent cannot stop before is dangerous."""
    choosers = crossing(flat=True, obstacles=POSTS)
    choosers = replace(choosers, walls=replace(choosers.walls, until=np.full(len(choosers.walls.row), ahead)))
    rng = np.random.default_rng(6)
    agent = rng.integers(0, 30, 50)
    velocity = rng.uniform(-1.3, 1.3, (50, 3))
    danger = choosers.walls.danger(choosers.agents, choosers.agents.position[agent], velocity, agent)
    assert 0 < (danger > 0.0).sum() < 50
    for c, a in enumerate(agent):
        speed = np.linalg.norm(velocity[c])
        times = [np.inf]
        for row in choosers.walls.row[choosers.walls.agent == a]:
            place, course = choosers.agents.position[[a]], velocity[[c]] / speed
            distance = POSTS.touch(place, course, choosers.agents.radius[[a]], np.array([row]))[0][0]
            if distance <= max(ahead, 0.5 * speed * speed / choosers.agents.agility[a]):
                times.append(distance / speed)
        soonest = max(min(times), SOONEST / 2.0)
        cost = COSTS.wall_danger * max(1.0 / soonest - 1.0 / COSTS.wall_time, 0.0)
        assert danger[c] == pytest.approx(cost, abs=1e-9)


def danger_of_who_is_met(choosers: Choosers, velocity: np.ndarray) -> np.ndarray:
    """The danger of velocities by component, without the others that are overtaken; agent by agent."""
    offset, drift, room = np.array(choosers.others.offset), np.array(choosers.others.drift), choosers.others.room
    danger = np.zeros(len(choosers.agents))
    for a in range(len(choosers.agents)):
        either_side = choosers.others.either_side[:, a]
        for k, (along, *aside) in enumerate(drift[:, :, a].T):
            assert either_side[k] == (-along > max(COSTS.overtaken * choosers.stride[a], 2.0 * np.linalg.norm(aside)))
        met = [k for k in range(len(room)) if not (offset[0, k, a] > 0.0 and either_side[k])]
        parts_met = ([x[met][:, [a]] for x in parts] for parts in (offset, drift))
        tables = (table[met][:, [a]] for table in (room, choosers.others.grazing, choosers.others.either_side))
        others = Others(*parts_met, *tables)
        danger[a] = others.danger(list(velocity[:, [a]]), np.array([0]), choosers.look_ahead_time[[a]])[0]
    return danger


@pytest.mark.parametrize("in_space", [False, True])
def test_no_velocity_of_the_first_search_is_cheaper_than_the_chosen_one(in_space: bool) -> None:
    """Although the danger of velocities that are too dear without it is not computed. Some of them step aside."""
    choosers = crossing(flat=not in_space, obstacles=POSTS)
    steps_aside = np.arange(len(choosers.agents)) % 3 == 0
    handling = replace(choosers.agents.handling, side_step=1.0 * steps_aside)
    choosers = replace(choosers, agents=replace(choosers.agents, handling=handling))
    n, frame = len(choosers.agents), np.stack(choosers.frame, axis=-1)
    every = np.arange(n)

    def local(velocity: np.ndarray) -> np.ndarray:
        return np.einsum("ni,nij->jn", velocity, frame)

    wished, present = local(choosers.wished), local(choosers.agents.velocity)

    def danger(velocity: np.ndarray) -> np.ndarray:
        total = choosers.others.danger(list(velocity), every, choosers.look_ahead_time)
        tried = np.einsum("jn,nij->ni", velocity, frame)
        return total + choosers.walls.danger(choosers.agents, choosers.agents.position, tried, every)

    blocked = np.minimum(danger_of_who_is_met(choosers, wished), 1.0)

    def price(velocity: np.ndarray) -> np.ndarray:
        cost = COSTS.danger * danger(velocity)
        cost += np.linalg.norm(velocity - wished, axis=0) / choosers.stride
        cost += COSTS.change * np.linalg.norm(velocity - present, axis=0) / choosers.stride
        if in_space:
            other_pace = np.abs(np.linalg.norm(velocity, axis=0) - np.linalg.norm(wished, axis=0))
            cost += COSTS.pace * other_pace / choosers.stride
        aside = velocity[1] + (velocity_choice.ABOVE * velocity[2] if in_space else 0.0)
        share = aside / (COSTS.enough_to_the_right * choosers.stride)
        paid = COSTS.right + np.where(steps_aside, COSTS.right_by_stepping, COSTS.right_when_blocked) * blocked
        return cost - paid * share / np.sqrt(1.0 + share * share)

    chosen = choosers.chosen()
    turned = (chosen != choosers.wished).any(axis=1)
    assert turned.sum() > 10
    least = price(local(chosen))
    for speed in (0.0, *SPEEDS):
        for direction in np.array(DIRECTIONS[len(frame[0, 0])]).T:
            tried = speed * direction[:, None] * choosers.stride
            assert (least <= price(tried) + 1e-9)[turned].all()
    for tried in (wished, present):
        assert (least <= price(tried) + 1e-9)[turned].all()


def test_the_soonest_pairs_of_each_agent_are_taken() -> None:
    rng = np.random.default_rng(7)
    agent, time = rng.integers(0, 9, 120), np.round(rng.uniform(0.0, 2.0, 120), 1)
    agent[agent == 4] = 3
    rank, pair = _soonest(agent, time, 10)
    assert (np.diff(rank) >= 0).all()
    for a in range(10):
        pairs = [int(p) for p in np.flatnonzero(agent == a)]
        wanted = sorted(pairs, key=lambda p: (time[p], p))[:MOST]
        mine = agent[pair] == a
        assert list(pair[mine]) == wanted
        assert list(rank[mine]) == list(range(len(wanted)))


def test_carried_and_absent_obstacles_do_not_matter() -> None:
    """An obstacle that a walker carries is not in the way of that walker."""
    ball = obstacles([[0.0, 1.0, 0.0]], 0.4, carrier=np.array([0]))
    place = walkers([[0.0, -8.0, 0.0]], [[0.0, 8.0, 0.0]])
    carried = replace(place, obstacles=ball)
    assert positions(carried.run(48)).tobytes() == positions(place.run(48)).tobytes()
    gone = replace(place, obstacles=replace(ball, carrier=np.array([-1]), present=np.array([False])))
    assert positions(gone.run(48)).tobytes() == positions(place.run(48)).tobytes()


@dataclass(frozen=True)
class Dawdle(Behavior):
    """Go no faster than at a crawl."""

    name = "dawdle"

    def steer(self, world, agents, memory):
        return Steering(agents.none(), speed_limit=np.full(len(agents), CRAWL))


def test_an_agent_limited_to_a_crawl_predicts_meetings_at_that_speed() -> None:
    """At its usual speed it would meet another that crosses; at a crawl the other has long passed."""
    place = walkers([[0.0, 0.0, 0.0]], [[0.0, 30.0, 0.0]], speed=CRAWL)
    crossing = all_of(place.tracked, locked([-2.6, 2.6, 0.0], forward=(1.0, 0.0, 0.0), crowd=4))
    place.behaviors[1] = (UnalignedCollisionAvoidance, {"neighbors": EVERYONE})
    place = replace(place, tracked=crossing, drift=np.array([[0.0, 0.0, 0.0], [1.3, 0.0, 0.0]]))
    paths = {}
    for name, more in (("free", []), ("crawling", [(Dawdle, {})])):
        behaviors = [*place.behaviors, *more]
        with_it, without = (replace(place, behaviors=given) for given in (behaviors, [*behaviors[:1], *more]))
        paths[name] = [positions(scene.run(FPS * 4)) for scene in (with_it, without)]
    assert np.abs(paths["free"][0] - paths["free"][1]).max() > 0.1
    assert paths["crawling"][0].tobytes() == paths["crawling"][1].tobytes()


@pytest.mark.parametrize("flat", [True, False])
def test_no_velocity_above_a_speed_limit_is_chosen(flat: bool) -> None:
    place = walkers([[0.0, 0.0, 0.0]], [[0.0, 30.0, 0.0]], speed=CRAWL, flat=flat)
    coming = locked([0.2, 2.0, 0.0], forward=(0.0, -1.0, 0.0), crowd=4)
    place = replace(place, tracked=all_of(place.tracked, coming), drift=np.array([[0.0] * 3, [0.0, -1.3, 0.0]]))
    place.behaviors[1] = (UnalignedCollisionAvoidance, {"neighbors": EVERYONE})
    for more, most in (([], WALKER["max_speed"]), ([(Dawdle, {})], CRAWL)):
        states = replace(place, behaviors=[*place.behaviors, *more]).run(12)
        memory = states[-1].memories["unaligned_collision_avoidance"]
        chosen = np.linalg.norm(memory.choice, axis=1)
        assert memory.engaged.all()
        assert most / 3.0 < chosen <= most + 1e-9
