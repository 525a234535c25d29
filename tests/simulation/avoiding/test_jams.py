"""Jams: which agents are jammed in a crowd that has stopped, and how it gets going again."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.locomotion import OnFoot, SimpleVehicle
from steering_addon.simulation.avoiding.jams import JAMMING, Jam, Progress, update_progress
from steering_addon.simulation.geometry.obstacles import boxes
from steering_addon.simulation.lane_use import Passing
from tests.scene import Scene
from tests.simulation.avoiding.test_velocity_choice import RADIUS, walkers

WISHED = 1.3


@pytest.mark.parametrize(("pace", "share"), [(3.0, 1.0), (1.0, 1.0), (0.5, 0.5), (0.0, 0.0), (-1.0, 0.0)])
def test_progress_is_a_share_of_what_is_wished_for_and_none_backward(pace: float, share: float) -> None:
    world, agents, _ = walkers([[0.0, 0.0, 0.0]], [[0.0, 30.0, 0.0]], speed=0.0).seen()
    wished = np.array([[0.0, WISHED, 0.0]])
    moving = replace(agents, velocity=pace * wished)
    memory = Progress.blank(1)
    for _ in range(2000):
        memory = update_progress(world, moving, wished, memory)
    assert memory.share[0] == pytest.approx(share, abs=1e-3)


def abreast(gap: float, **changes) -> Scene:
    """Three agents abreast at a door for one, with gaps of this many metres between their bodies."""
    apart = 2.0 * RADIUS + gap
    place = walkers([[x, 0.0, 0.0] for x in (-apart, 0.0, apart)], [[0.0, 30.0, 0.0]] * 3, speed=0.0, **changes)
    return replace(place, obstacles=boxes([[-4.0, 1.0, 0.0], [4.0, 1.0, 0.0]], [[3.4, 0.3, 1.0]] * 2))


def in_file(gap: float, **changes) -> Scene:
    """Three agents in file, the first in front, that all wish to go ahead."""
    apart = 2.0 * RADIUS + gap
    return walkers([[0.0, -apart * row, 0.0] for row in range(3)], [[0.0, 30.0, 0.0]] * 3, speed=0.0, **changes)


def added(place: Scene, progress: float) -> np.ndarray:
    """The velocities that are added to their wishes, which lead straight ahead, (n, 3) m/s."""
    world, agents, _ = place.seen()
    [_, avoidance] = (kind.of(len(place), **values) for kind, values in place.behaviors)
    wished, share = np.tile([0.0, WISHED, 0.0], (len(place), 1)), np.full(len(place), progress)
    straight_on = np.full(len(place), np.inf)
    jam = Jam.of(world, agents, wished, share, straight_on, avoidance.near(world, agents).together())
    return jam.loosened(world, agents, wished, share) - wished


def astray(place: Scene, progress: float) -> np.ndarray:
    """The speeds that are added, (n,) m/s."""
    return np.linalg.norm(added(place, progress), axis=1)


def test_only_agents_on_the_ground_that_others_press_jostle() -> None:
    assert (astray(abreast(0.0), 0.03) > 0.05).all()
    assert (astray(abreast(0.0), 0.1) < astray(abreast(0.0), 0.03)).all(), "less progress, more jostling"
    assert (astray(abreast(0.0), 0.5) == 0.0).all(), "agents that make progress do not"
    assert (astray(abreast(0.5), 0.0) == 0.0).all(), "nor agents that wait apart, as in a queue"
    flying = abreast(0.0, locomotions=[(SimpleVehicle, {})])
    assert (astray(flying, 0.0) == 0.0).all(), "nor flyers and swimmers"
    animals, people = (abreast(0.0, locomotions=[(OnFoot, {"turn_on_the_spot": turn})]) for turn in (0.0, 3.0))
    assert (astray(animals, 0.03) > 0.05).all()
    assert (astray(people, 0.03) == 0.0).all(), "nor those that step aside"
    assert (astray(people, 0.5 * JAMMING.deadlocked) > 0.05).all(), "unless no gap has opened for long"


def test_each_agent_jostles_with_its_own_random_key() -> None:
    place = abreast(0.0)
    [first, second, _] = astray(place, 0.0)
    assert first != second
    alone = place.take(np.array([0, 1]))
    assert astray(alone, 0.0).tolist() == [first, second]


def test_an_agent_held_by_another_ahead_steps_back_if_several_press_it() -> None:
    """In addition to the jostling, which is the same for agents abreast and in file."""
    turned_back = added(in_file(0.1), 0.1) - added(abreast(0.1), 0.1)
    assert np.allclose(turned_back[1], (0.0, -(1.0 + JAMMING.steps_back) * WISHED, 0.0)), "the agent in the middle"
    assert np.allclose(turned_back[0], 0.0), "no agent is ahead of the first"
    assert np.allclose(turned_back[2], 0.0), "and only one presses the last"


@pytest.mark.parametrize(
    ("progress", "ahead", "turned", "back", "turn", "minded"),
    [
        (0.2, 2.0, (), (), 3.0, 3),
        (0.5, 2.0, (), (), 3.0, 6),
        (0.2, 30.0, (), (), 3.0, 6),
        (0.2, 2.0, (), (), 0.0, 6),
        (0.2, 2.0, (1, 2), (1, 2), 3.0, 5),
        (0.2, 2.0, (1, 2), (), 3.0, 3),
    ],
    ids=[
        *("jammed before a door", "slow on a plane", "on a straight way", "an animal"),
        *("two that come towards the first", "two that turn into its door from its other side"),
    ],
)
def test_who_is_jammed_before_a_door_minds_nobody_who_has_a_longer_way_left(
    progress: float, ahead: float, turned: tuple[int, ...], back: tuple[int, ...], turn: float, minded: int
) -> None:
    place = abreast(0.1, locomotions=[(OnFoot, {"turn_on_the_spot": turn})])
    pairs = minded_by(place, (1, 2, 3), progress, ahead, turned, back)
    assert len(pairs) == minded
    if minded == 3:
        assert pairs == [(1, 0), (2, 0), (2, 1)]


@pytest.mark.parametrize(
    ("left", "pairs"),
    [((1, 2, 3), [(1, 0), (1, 2), (2, 0), (2, 1)]), ((3, 2, 1), [(0, 1), (0, 2), (1, 2)])],
    ids=["others have a longer way", "others wander before the door"],
)
def test_nobody_goes_first_right_behind_one_who_has_a_shorter_way(
    left: tuple[int, ...], pairs: list[tuple[int, int]]
) -> None:
    assert minded_by(in_file(0.1, locomotions=[(OnFoot, {"turn_on_the_spot": 3.0})]), left) == pairs


def test_who_is_nearer_to_a_narrow_passage_goes_first_wherever_the_others_go_from_there() -> None:
    place, back = in_file(0.1, locomotions=[(OnFoot, {"turn_on_the_spot": 3.0})]), (3, 2, 1)
    assert minded_by(place, back, ahead=30.0, come=(-1.0, -2.0, -3.0)) == [(1, 0), (1, 2), (2, 0), (2, 1)]


def test_the_foremost_at_a_narrow_passage_minds_nobody_who_lets_it_pass() -> None:
    place, ends = (
        in_file(0.1, locomotions=[(OnFoot, {"turn_on_the_spot": 3.0})]),
        ((1, 2, 3), 0.2, 30.0, (1, 2), (1, 2)),
    )
    first, later = ((0, 1), (0, 2)), (-1.0, -2.0, -3.0)
    assert set(first) <= set(minded_by(place, *ends, later)), "it can fail"
    assert not set(first) & set(minded_by(place, *ends, later, (1, 2)))


def minded_by(
    place: Scene,
    left: tuple[int, ...],
    progress: float = 0.2,
    ahead: float = 2.0,
    turned: tuple[int, ...] = (),
    back: tuple[int, ...] = (),
    come: tuple[float, ...] = (),
    lets: tuple[int, ...] = (),
) -> list[tuple[int, int]]:
    """Each agent with each other that it minds: their ways are so long, some have turned round, some go back; they have
    come so far into a narrow passage, and some let others pass there."""
    world, agents, _ = place.seen()
    forward, goal = world.bodies.forward.copy(), np.tile([0.0, 30.0, 0.0], (3, 1))
    forward[list(turned)] *= -1.0
    goal[list(back)] *= -1.0
    world = replace(world, way_left=np.array(left), goal=goal, bodies=replace(world.bodies, forward=forward))
    if come:
        through, passing = np.tile([0.0, 1.0, 0.0], (3, 1)), Passing.blank(3)
        through[list(back)] *= -1.0
        passing = replace(passing, place=np.zeros((3, 3)), middle=np.zeros((3, 3)), through=through)
        passing = replace(passing, come=np.array(come), lets=np.isin(np.arange(3), lets))
        world = replace(world, passing=passing)
    agents = replace(agents, intention=replace(agents.intention, goal_distance=np.full(3, 30.0)))
    [_, avoidance] = (kind.of(len(place), **values) for kind, values in place.behaviors)
    near = avoidance.near(world, agents).together()
    wished = np.tile([0.0, WISHED, 0.0], (3, 1))
    jam = Jam.of(world, agents, wished, np.full(3, progress), np.full(3, ahead), near)
    minded = jam.in_the_way(world, agents, near)
    return sorted(zip(minded.agent.tolist(), minded.body.tolist()))
