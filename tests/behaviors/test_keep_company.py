"""Keep company (ours): groups of two and three that go side by side, and wait for each other."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from steering_addon.behaviors.keep_company import BACK, KeepCompany
from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.behaviors.path_following import PathFollowing
from steering_addon.behaviors.rest import Rest
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.unaligned_collision_avoidance import UnalignedCollisionAvoidance
from steering_addon.locomotion import OnFoot, Planar
from steering_addon.scene import spline
from steering_addon.simulation.snapshot import Snapshot, State
from tests.behaviors.situations import told
from tests.sampling import sampled
from tests.scene import Scene, leaders, positions, speeds, velocities

RADIUS, GAP = 0.3, 0.2
SPACING = 2.0 * RADIUS + GAP
COMPANY = {"gap": GAP, "threes": 0.0, "distance": 6.0}


def walk(*places: tuple[float, float], values: dict | None = None, **changes) -> Scene:
    """Vehicles that go along +Y at paces of their own, from places (x, y)."""
    n = len(places)
    given = {
        "position": np.concatenate((np.array(places, dtype=float).reshape(n, 2), np.zeros((n, 1))), axis=1),
        "forward": (0.0, 1.0, 0.0),
        "speed": 1.3,
        "behaviors": [(KeepCompany, COMPANY | (values or {}))],
        "vehicle": {
            "max_speed": 2.0,
            "cruise_speed": np.linspace(0.6, 0.7, n),
            "max_force": 2.0,
            "radius": RADIUS,
        },
        "locomotions": [(Planar, {})],
    }
    return Scene(**(given | changes))


def companions(state: State) -> list[set[int]]:
    """The companions of each vehicle."""
    memory = state.memories["keep_company"]
    return [{int(row) for row in rows if row >= 0} for rows in zip(memory.first, memory.second)]


def apart(states: list[State]) -> np.ndarray:
    """The distance between the first two vehicles on each frame, metres."""
    distance: np.ndarray = np.linalg.norm(np.diff(positions(states)[:, :2], axis=1)[:, 0], axis=-1)
    return distance


@sampled
@pytest.mark.parametrize("start", [(0.0, -2.0), (-2.5, 0.0), (0.4, 1.5)], ids=["behind", "far", "ahead"])
def test_two_go_side_by_side_at_the_mean_of_their_paces(start: tuple[float, float]) -> None:
    states = walk((0.0, 0.0), start, fps=12.0).run(12 * 9)
    late = positions(states)[-24:]
    offset = late[:, 1] - late[:, 0]
    assert np.abs(np.linalg.norm(offset, axis=-1) - SPACING).max() < 0.05
    assert apart(states).min() > 0.99 * SPACING, "they come no nearer on the way there"
    course = velocities(states)[-24:].mean(axis=1)
    along = (offset * course).sum(axis=-1) / np.linalg.norm(course, axis=-1)
    assert np.abs(along).max() < 0.1
    assert speeds(states)[-24:] == pytest.approx(1.3, abs=0.05)


def test_the_middle_one_of_three_goes_a_little_behind() -> None:
    states = walk((0.0, 0.0), (1.0, 0.3), (-1.0, -0.5), values={"threes": 1.0}, fps=12.0).run(12 * 8)
    assert companions(states[-1]) == [{1, 2}, {0, 2}, {0, 1}]
    x, y = positions(states)[-1, :, 0], positions(states)[-1, :, 1]
    left, middle, right = np.argsort(x)
    assert x[[middle, right]] - x[[left, middle]] == pytest.approx(SPACING, abs=0.1)
    assert y[[left, right]] - y[middle] == pytest.approx(BACK * SPACING, abs=0.1)


def test_each_joins_the_nearest_who_goes_its_way() -> None:
    place = walk((0.0, 0.0), (0.5, 0.0), (0.0, 1.0), (0.0, 3.0), (6.0, 6.0))
    place = replace(place, forward=np.array([[0, 1, 0], [0, -1, 0], [0, 1, 0], [0, 1, 0], [0, 1, 0]], dtype=float))
    assert companions(place.run(2)[-1]) == [{2}, set(), {0}, set(), set()]


def test_groups_have_two_or_three_members_who_agree() -> None:
    rng = np.random.default_rng(2)
    place = walk(*rng.uniform(-8.0, 8.0, (60, 2)), values={"threes": 0.5})
    first, last = (companions(place.run(frames)[-1]) for frames in (3, 60))
    for groups in (first, last):
        for row, others in enumerate(groups):
            assert all(groups[other] == (others - {other}) | {row} for other in others)
    sizes = np.bincount([len(others) for others in last], minlength=3)
    assert sizes[1] > 10 and sizes[2] > 10
    assert all(others <= after for others, after in zip(first, last)), "groups stay, and some take a third"


def test_the_share_in_company_is_drawn_by_the_vehicle_itself() -> None:
    """So no other vehicle changes who looks for company, and a larger share adds to a smaller one."""
    rng = np.random.default_rng(3)
    places = rng.uniform(-8.0, 8.0, (200, 2))
    few, more = (
        np.array([bool(others) for others in companions(walk(*places, values={"in_company": share}).run(4)[-1])])
        for share in (0.3, 0.6)
    )
    assert 0.15 < few.mean() <= 0.3 < more.mean() <= 0.6
    assert not any(companions(walk(*places, values={"in_company": 0.0}).run(2)[-1]))


def test_an_added_vehicle_leaves_the_other_groups_alone() -> None:
    """Also one that comes between the two of a group."""
    pair = companions(walk((0.0, 0.0), (2.0, 0.0), (30.0, 0.0), (32.0, 0.0)).run(2)[-1])
    more = companions(walk((0.0, 0.0), (2.0, 0.0), (30.0, 0.0), (32.0, 0.0), (31.5, 0.0)).run(2)[-1])
    assert pair == [{1}, {0}, {3}, {2}]
    assert more[:2] == pair[:2]


def test_one_whose_companion_has_left_may_find_another() -> None:
    place = walk((0.0, 0.0), (0.8, 0.0), (3.0, 0.0))

    def leaving(frame, snapshot):
        return replace(snapshot, present=np.array([True, frame < 24, True]))

    *_, before = place.run(20, at=leaving)
    *_, after = place.run(40, at=leaving)
    assert companions(before) == [{1}, {0}, set()]
    assert companions(after)[0] == {2}


@pytest.mark.parametrize("wants", [[(Seek, {"target": 2, "pace": 1})], []], ids=["has a goal", "strolls"])
def test_who_stops_is_waited_for_and_faced(wants: list) -> None:
    """By its companion, who has nowhere to stop of its own; when the first goes again, both do, past each other."""
    rests = {"going_time": np.array([4.0, 1e6]), "resting_time": np.array([7.0, 0.1])}
    place = walk(
        (0.0, 0.0),
        (0.8, 0.0),
        locomotions=[(OnFoot, {})],
        behaviors=[*wants, (KeepCompany, COMPANY), (Rest, rests)],
        tracked=leaders([0.0, 1e4, 0.0]),
        fps=12.0,
    )
    states = place.run(12 * 9)
    speed = speeds(states)
    resting = np.array([False, *(np.floor(state.memories["rest"].bouts[0]) % 2 == 1 for state in states[1:])])
    stops, goes = np.flatnonzero(resting[1:] & ~resting[:-1]), np.flatnonzero(resting[:-1] & ~resting[1:])
    assert len(stops) and goes[-1] > stops[0] + 36
    for stop, go in zip(stops, goes[goes > stops[0]]):
        assert (speed[stop + 36 : go] < 0.05).all(), "both stand"
        position, forward = (getattr(states[go].motion, name) for name in ("position", "forward"))
        offset = position[1] - position[0]
        away = np.linalg.norm(offset)
        assert away < 2.0 * SPACING
        assert forward @ offset / away == pytest.approx([1.0, -1.0], abs=0.1), "they face each other"
        assert (speed[min(go + 30, len(speed) - 1)] > 0.5).all(), "and go on together"
    assert apart(states).min() > 0.99 * SPACING, "without walking into each other"


@pytest.mark.parametrize("busy", ["alarmed", "hurries"])
def test_one_who_runs_from_something_or_after_it_does_not_wait(busy: str) -> None:
    place = walk((0.0, 0.0), (0.8, 0.5))
    world, agents, [company] = place.seen()
    memory = place.run(3)[-1].memories["keep_company"]
    steering = company.steer(world, told(agents, **{busy: np.array([False, True])}), memory)
    assert steering.force[0].any()
    assert not steering.force[1].any() and np.isinf(steering.speed_limit[1])
    assert np.isfinite(company.steer(world, agents, memory).speed_limit[1])


FPS = 8


def pair_on_a_path(length: float, rests: dict | None = None, **company: float) -> Scene:
    """Two who begin a path side by side and stop at its end."""
    path = spline([(0.0, 0.0, 0.0), (0.0, 0.5 * length, 0.0), (2.0, length, 0.0)], False)
    behaviors = [
        (ObstacleAvoidance, {"clearance": 0.3, "look_ahead_time": 3.0}),
        (PathFollowing, {"radius": 1.4}),
        (KeepCompany, COMPANY | company),
        (UnalignedCollisionAvoidance, {"weight": 2.0, "distance": 6.0, "look_ahead_time": 4.0}),
    ]
    behaviors += [(Rest, rests)] if rests else []
    return walk(
        (-0.4, 0.5),
        (0.4, 0.5),
        behaviors=behaviors,
        paths=((path,),),
        locomotions=[(OnFoot, {})],
        fps=float(FPS),
    )


def until_arrived(place: Scene, number: int, seconds: float, happens: Callable | None = None) -> list[State]:
    """The states until the first of the vehicles, in their order, have arrived, within a time."""
    states = []
    for state in place.passing(int(FPS * seconds), *([happens] if happens else [])):
        states.append(state)
        if "errand" in state.memories and state.memories["errand"].arrived[:number].all():
            return states
    raise AssertionError("they did not arrive")


def in_another_state(frame: int, snapshot: Snapshot) -> Snapshot:
    """The second of two stands from the third second on, without looking for company."""
    stands = Scene(np.zeros((2, 3)), behaviors=[(Rest, {"going_time": 0.1, "resting_time": 1e6})]).snapshot()
    row = np.array([0, int(frame > 3 * FPS)])
    return replace(snapshot, settings=(*snapshot.settings, *stands.settings), settings_row=row)


def removed(frame: int, snapshot: Snapshot) -> Snapshot:
    return replace(snapshot, present=np.array([True, frame <= 3 * FPS]))


@sampled
@pytest.mark.parametrize("happens", [None, in_another_state, removed], ids=["rests", "state", "removed"])
def test_whoever_waits_for_one_who_does_not_go_on_loses_patience(happens: Callable | None) -> None:
    """And reaches the end of its path alone."""
    rests = {"going_time": np.array([1e6, 2.0]), "resting_time": np.array([0.1, 1e6])} if happens is None else None
    states = until_arrived(pair_on_a_path(14.0, rests=rests, patience=3.0), 1, 30.0, happens)
    assert positions(states)[-1, 1, 1] < 10.0, "the other did stop on the way"
    waits = (speeds(states)[FPS:, 0] < 0.1).sum() / FPS
    assert waits < 4.0
    assert happens is removed or waits > 1.0, "but it does wait"


def test_who_has_arrived_is_not_waited_for_and_does_not_wait() -> None:
    """Nor has it to turn back to one who comes later."""
    place = pair_on_a_path(20.0)
    world, agents, behaviors = place.seen()
    company = behaviors[2]
    memory = place.run(3)[-1].memories["keep_company"]
    late = replace(agents, position=agents.position - [[0.0, 0.0, 0.0], [0.0, 1.5, 0.0]])
    bodies = replace(world.bodies, position=late.position)
    stays = replace(late, arrived=np.array([True, False]))
    waits, forth = (company.steer(replace(world, bodies=bodies), each, memory) for each in (late, stays))
    assert waits.force.any() and np.isfinite(waits.speed_limit[0])
    assert not forth.force.any() and np.isinf(forth.speed_limit).all()
    assert (forth.memory.first == [1, 0]).all(), "they still are companions"
    kept_off = replace(late, goal=late.position[[0, 0]] + [0.0, RADIUS, 0.0], speed=late.speed * [0.0, 1.0])
    goes_on = company.steer(replace(world, bodies=bodies), kept_off, memory)
    assert not goes_on.force.any() and np.isinf(goes_on.speed_limit).all(), "nor if it stands just before its goal"


def test_who_is_ahead_waits_at_half_pace_and_does_not_brake_to_a_stand() -> None:
    """Slowed by others, two would otherwise slow each other down until both stand."""
    cruise = 2.0 * np.array([0.6, 0.7])

    def onward(share: float) -> list[float]:
        """The force along the way on one, and on another 1.5 m ahead, at a share of their cruise speeds."""
        [force] = walk((0.0, 0.0), (SPACING, 1.5), speed=share * cruise).steering()
        return force[:, 1].tolist()

    behind, ahead = onward(0.3)
    assert behind > 0.0
    assert ahead > 0.0
    assert onward(0.9)[1] < 0.0, "faster than that, it waits"


@pytest.mark.parametrize("behind, waits", [(0.7, False), (1.4, False), (1.8, True)])
def test_who_is_ahead_waits_where_nobody_else_has_to(behind: float, waits: bool) -> None:
    """The third, who is alone, follows the first closely or further away."""
    place = walk((0.0, 0.0), (0.0, -3.0), (0.0, -behind), values={"in_company": np.array([1.0, 1.0, 0.0])})
    memory = place.run(3)[-1].memories["keep_company"]
    world, agents, [company] = place.seen()
    bodies = replace(world.bodies, velocity=world.bodies.velocity * np.array([1.0, 0.2, 1.0])[:, None])
    assert np.isfinite(company.steer(replace(world, bodies=bodies), agents, memory).speed_limit[0]) == waits


def test_two_who_have_goals_in_opposite_directions_do_not_keep_company() -> None:
    goals = np.array([[0.0, 9.0, 0.0], [0.0, -9.0, 0.0]])
    place = walk((0.0, 0.0), (0.8, 0.0))
    world, agents, [company] = place.seen()
    memory = place.run(3)[-1].memories["keep_company"]
    same, other = (company.steer(world, replace(agents, goal=goal), memory).memory for goal in (goals[[0, 0]], goals))
    assert same.first.tolist() == [1, 0]
    assert other.first.tolist() == [-1, -1]
    assert company.steer(world, replace(agents, goal=goals), type(memory).blank(2)).memory.first.tolist() == [-1, -1]
