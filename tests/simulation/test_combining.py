"""Several steering forces become one (paper, Combining Behaviors), against plain loops in its words."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.behaviors.flee import Flee
from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.wander import Wander
from steering_addon.simulation.combining import (
    COMBINE,
    COMBININGS,
    MATTERS,
    Component,
    by_allocation,
    by_dithering,
    by_priority,
    normalized_sum,
    one_by_chance,
    weighted_sum,
)
from steering_addon.simulation.geometry.obstacles import obstacles
from steering_addon.simulation.sensing import world_at
from steering_addon.simulation.steering import decisions, requests
from tests.scene import PRIORITY, WEIGHTED_SUM, Scene, leaders
from tests.simulation.odd_input import BOUNDED

N = 6
STRONGEST = np.full(N, 1.5)


@st.composite
def wishes(draw: st.DrawFn) -> tuple[list[Component], np.ndarray]:
    """Up to five behaviors for six agents: forces of which many are zero, priorities of which many are equal."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    components = []
    for _ in range(draw(st.integers(0, 5))):
        force = rng.normal(size=(N, 3)) * rng.integers(0, 2, (N, 1)) * rng.integers(0, 2, (N, 3))
        priority = rng.integers(0, draw(st.integers(1, 4)), N)
        weight, probability = rng.uniform(0.1, 3.0, N), rng.choice([0.0, 0.3, 0.9, 1.0], N)
        components.append(Component(force, priority, weight, probability, rng.uniform(size=N)))
    return components, rng.normal(size=(N, 3))


@BOUNDED
@given(wishes())
def test_a_weighted_sum_is_all_forces_added_up(wish) -> None:
    components, cruise = wish
    found = weighted_sum(components, cruise, STRONGEST)
    for agent in range(N):
        total = cruise[agent].copy()
        for component in components:
            total = total + component.force[agent]
        assert np.array_equal(found[agent], total)


@BOUNDED
@given(wishes())
def test_priority_takes_the_first_that_is_not_zero(wish) -> None:
    """For each agent in turn: check the first priority; if it has something to correct use that, else the second."""
    components, cruise = wish
    found = by_priority(components, cruise, STRONGEST)
    for agent in range(N):
        assert np.array_equal(found[agent], first_not_zero(components, components, cruise, agent))


def first_not_zero(
    components: list[Component], considered: list[Component], cruise: np.ndarray, agent: int
) -> np.ndarray:
    """The force of the first priority at which those that are considered have something to correct."""
    levels = sorted({int(component.priority[agent]) for component in components})
    for level in levels:
        force = np.zeros(3)
        for component in considered:
            if component.priority[agent] == level:
                force = force + component.force[agent]
        if (force != 0.0).any():
            return force + cruise[agent] if level == levels[-1] else force
    return cruise[agent]


@BOUNDED
@given(wishes(), st.sampled_from([c.number for c in COMBININGS]))
def test_nothing_given_is_written_and_no_agent_matters_to_another(wish, way: int) -> None:
    components, cruise = wish
    for array in (cruise, *(column for c in components for column in vars(c).values())):
        array.flags.writeable = False
    together = COMBINE[way](components, cruise, STRONGEST)
    for agent in range(N):
        alone = [Component(*(column[agent : agent + 1] for column in vars(c).values())) for c in components]
        assert np.array_equal(COMBINE[way](alone, cruise[agent : agent + 1], STRONGEST[:1])[0], together[agent])


@BOUNDED
@given(wishes())
def test_a_sum_of_normalized_components_averages_their_directions(wish) -> None:
    """The paper's linear combination, each component made of length 1 before its weighting factor."""
    components, cruise = wish
    found = normalized_sum(components, cruise, STRONGEST)
    for agent in range(N):
        total, weights = np.zeros(3), 0.0
        for component in components:
            length = np.linalg.norm(component.force[agent])
            if length > 0.0:
                total = total + component.weight[agent] * component.force[agent] / length
                weights += component.weight[agent]
        wanted = cruise[agent] + (STRONGEST[agent] * total / weights if weights else 0.0)
        assert np.allclose(found[agent], wanted, rtol=1e-12, atol=1e-12)


@BOUNDED
@given(wishes())
def test_one_at_a_time_applies_a_single_component(wish) -> None:
    """Select one steering component to apply: a wheel of fortune with a slice for each, turned by its luck."""
    components, cruise = wish
    found = one_by_chance(components, cruise, STRONGEST)
    for agent in range(N):
        wheel = [component.probability[agent] for component in components]
        chosen, left = np.zeros(3), components[0].luck[agent] * sum(wheel) if components else 0.0
        for component, slice_ in zip(components, wheel):
            if 0.0 <= left < slice_:
                chosen = component.force[agent]
            left -= slice_
        assert np.allclose(found[agent], cruise[agent] + chosen)


@BOUNDED
@given(wishes())
def test_dithering_skips_by_chance_and_then_takes_the_first(wish) -> None:
    """With a certain probability a priority is evaluated; where it gives zero or was skipped, the next one is."""
    components, cruise = wish
    found = by_dithering(components, cruise, STRONGEST)
    for agent in range(N):
        considered = [component for component in components if component.luck[agent] < component.probability[agent]]
        assert np.array_equal(found[agent], first_not_zero(components, considered, cruise, agent))


@pytest.mark.parametrize("way", [c.number for c in COMBININGS if "probability" in MATTERS[c.number]])
def test_chance_gives_each_behavior_its_share_of_steps(way: int) -> None:
    """Seek to the left considered three times as often as seek to the right, by many agents at many times."""
    n = 400
    probability = {"ONE": (0.9, 0.3), "DITHERING": (0.75, 1.0)}[COMBININGS[way].name]
    place = Scene(
        np.zeros((n, 3)),
        behaviors=[
            (Seek, {"target": n, "probability": probability[0], "priority": 1}),
            (Flee, {"target": n, "distance": 0.0, "probability": probability[1]}),
        ],
        tracked=leaders([-9.0, 0.0, 0.0]),
        combining=way,
    )
    world = place.seen()[0]
    drawn = []
    for frame in range(5):
        state = replace(place.start(), inputs=place.snapshot(), time=frame / 24.0)
        force = decisions(state, place.snapshot(), replace(world, time=state.time))[0]
        drawn.append(force[:, 0] < 0.0)
    assert np.mean(drawn) == pytest.approx(0.75, abs=0.04)
    assert len({one.tobytes() for one in drawn}) == 5, "each step anew"
    assert np.mean(drawn[0] & drawn[1]) == pytest.approx(0.75**2, abs=0.08), "without regard to the step before"


def test_a_weight_multiplies_the_force() -> None:
    def decided(weight: float) -> np.ndarray:
        return force_of(Scene([[0.0, 0.0, 0.0]], behaviors=[(Seek, {"weight": weight})], tracked=leaders([9.0, 0, 0])))

    assert np.allclose(decided(2.5), 2.5 * decided(1.0))


def test_what_is_avoided_first_leaves_nothing_for_the_rest() -> None:
    wall = obstacles(np.array([[0.0, 5.0, 0.0]]), 1.0)
    place = Scene([[0.3, 0.0, 0.0]], speed=5.0, tracked=leaders([0.0, 20.0, 0.0]), obstacles=wall)
    both = [(Seek, {"priority": 2}), (ObstacleAvoidance, {"priority": 1})]
    avoiding = replace(place, behaviors=both[1:]).steering()[0]
    assert (avoiding != 0.0).any()
    assert np.array_equal(force_of(replace(place, behaviors=both, combining=PRIORITY)), avoiding)
    free = replace(place, behaviors=both, combining=PRIORITY, obstacles=wall.take([]))
    assert np.array_equal(force_of(free), replace(free, behaviors=both[:1]).steering()[0])


@pytest.mark.parametrize("combining", [WEIGHTED_SUM, PRIORITY])
def test_cruise_speed_is_held_unless_a_behavior_sets_the_speed(combining: int) -> None:
    place = Scene([[0.0, 0.0, 0.0]], speed=1.0, combining=combining, tracked=leaders([5.0, 5.0, 0.0]))
    push = np.array([[0.0, 3.0, 0.0]])
    assert np.allclose(force_of(place), push), "1 kg from 1 to 4 m/s within a second"
    wandering = replace(place, behaviors=[(Wander, {"leveling": 0.0})])
    assert np.allclose(force_of(wandering) - wandering.steering()[0], push)
    seeking = replace(place, behaviors=[(Seek, {}), (Wander, {})])
    assert np.allclose(force_of(seeking), sum(seeking.steering()))
    idle = replace(place, behaviors=[(Seek, {"weight": 0.0})])
    assert np.allclose(force_of(idle), push), "a behavior without weight sets no speed"
    far = replace(place, behaviors=[(Flee, {"distance": 3.0})])
    assert np.allclose(force_of(far), push), "nor does one that has nothing to do"


def force_of(place: Scene) -> np.ndarray:
    """What the vehicles decide on."""
    world, _, _ = place.seen()
    return decisions(replace(place.start(), inputs=place.snapshot()), place.snapshot(), world)[0]


@BOUNDED
@given(wishes())
def test_allocation_spends_the_force_by_priority(wish) -> None:
    """For each agent in turn: each priority gets what the earlier ones leave, without what works against them."""
    components, cruise = wish
    found = by_allocation(components, cruise, STRONGEST)
    for agent in range(N):
        levels = sorted({int(component.priority[agent]) for component in components})
        spent = np.zeros(3)
        for level in levels:
            force = np.zeros(3) + (cruise[agent] if level == levels[-1] else 0.0)
            for component in components:
                if component.priority[agent] == level:
                    force = force + component.force[agent]
            so_far = np.linalg.norm(spent)
            if so_far > 0.0:
                against = min(force @ spent / so_far, 0.0)
                force = force - against * spent / so_far
            spent = spent + cut(force, np.sqrt(max(STRONGEST[agent] ** 2 - so_far**2, 0.0)))
            spent = cut(spent, STRONGEST[agent])
        wanted = spent if levels else cut(cruise[agent], STRONGEST[agent])
        # What is left is a root: near nothing it keeps half the digits.
        assert np.abs(found[agent] - wanted).max() < 1e-6


def cut(force: np.ndarray, longest: float) -> np.ndarray:
    length = np.linalg.norm(force)
    return force * min(1.0, longest / length) if length else force


@BOUNDED
@given(wishes())
def test_allocation_never_spends_more_than_there_is_nor_undoes_what_comes_first(wish) -> None:
    components, cruise = wish
    found = by_allocation(components, cruise, STRONGEST)
    assert (np.linalg.norm(found, axis=1) <= STRONGEST * (1.0 + 1e-12)).all()
    if components:
        first = [replace(c, priority=np.full(N, k + 1)) for k, c in enumerate(components[:2])]
        found = by_allocation(first, np.zeros((N, 3)), STRONGEST)
        for agent in range(N):
            wanted = cut(first[0].force[agent], STRONGEST[agent])
            length = np.linalg.norm(wanted)
            assert length == 0.0 or found[agent] @ wanted / length >= min(length, STRONGEST[agent]) - 1e-6


def test_allocation_lets_a_bird_avoid_a_tower_whatever_its_flock_wants() -> None:
    pull, away = np.array([[0.0, 9.0, 0.0]]), np.array([[1.5, 0.0, 0.0]])
    strongest = np.array([1.5])

    def both(avoiding: np.ndarray) -> np.ndarray:
        sure = np.ones(1), np.ones(1), np.zeros(1)
        wanted = [Component(avoiding, np.array([1]), *sure), Component(pull, np.array([2]), *sure)]
        return by_allocation(wanted, np.zeros((1, 3)), strongest)[0]

    assert np.allclose(both(away), [1.5, 0.0, 0.0]), "nothing is left"
    assert np.allclose(both(away * 0.6), [0.9, 1.2, 0.0]), "the rest is left"
    assert np.allclose(both(away * 0.0), [0.0, 1.5, 0.0]), "all is left"


def test_what_behaviors_ask_for_is_what_is_decided_upon() -> None:
    """One by one each is what it is alone, and added up with the hold on cruise speed they are the weighted sum."""
    wanted = [(Seek, {"weight": 0.5}), (Flee, {"weight": 2.0, "distance": 90.0}), (Wander, {})]
    place = Scene(
        [[0.0, 0.0, 0.0], [3.0, 1.0, 2.0]],
        speed=4.0,
        behaviors=wanted,
        combining=WEIGHTED_SUM,
        tracked=leaders([9, 5, 1]),
    )

    def looked_at(scene: Scene):
        snapshot = scene.snapshot()
        state = replace(scene.start(), inputs=snapshot)
        return state, snapshot, world_at(state, snapshot, snapshot, 0.0)

    asked = requests(*looked_at(place))
    cruise = decisions(*looked_at(replace(place, behaviors=[])))[0]
    assert set(asked) == {"seek", "flee", "wander"}
    for kind, values in wanted:
        alone = decisions(*looked_at(replace(place, behaviors=[(kind, values)])))[0] - cruise
        assert np.abs(asked[kind.name]).max() > 0.0
        np.testing.assert_allclose(asked[kind.name], alone, atol=1e-12)
    np.testing.assert_allclose(sum(asked.values()) + cruise, decisions(*looked_at(place))[0], atol=1e-12)
