"""Several steering forces become one (paper, Combining Behaviors), checked against plain loops per agent."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.behaviors.evasion import Evasion
from steering_addon.behaviors.flee import Flee
from steering_addon.behaviors.obstacle_avoidance import FIELD, ObstacleAvoidance
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.wander import Wander
from steering_addon.locomotion import OnFoot, SimpleVehicle
from steering_addon.scene import boxes, obstacles
from steering_addon.simulation.combining import (
    BLENDED,
    COMBINE,
    COMBININGS,
    FIRM,
    MATTERS,
    ONE,
    Combine,
    Component,
    blend,
    by_allocation,
    by_priority,
    dither,
    keep_urgent,
    left_out,
    normalized_sum,
    one_by_chance,
    weighted_sum,
)
from steering_addon.simulation.sensing import world_at
from steering_addon.simulation.steering import decide, requests
from tests.sampling import sampled
from tests.scene import PRIORITY, WEIGHTED_SUM, Scene, all_of, headings, leaders, positions
from tests.simulation.odd_input import BOUNDED

N = 6
MAX_FORCE = np.full(N, 1.5)


@st.composite
def inputs(draw: st.DrawFn) -> tuple[list[Component], np.ndarray]:
    """Up to five components for six agents, and a hold on cruise speed.

    Many forces are zero, many are far below what counts as firm, and priorities are often equal.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    components = []
    for _ in range(draw(st.integers(0, 5))):
        force = rng.normal(size=(N, 3)) * rng.choice([0.0, 0.03, 1.0], (N, 1)) * rng.integers(0, 2, (N, 3))
        priority = rng.integers(0, draw(st.integers(1, 4)), N)
        weight, probability = rng.uniform(0.1, 3.0, N), rng.choice([0.0, 0.3, 0.9, 1.0], N)
        components.append(Component(force, priority, weight, probability, rng.uniform(size=N)))
    return components, rng.normal(size=(N, 3))


@BOUNDED
@given(inputs())
def test_a_weighted_sum_adds_up_all_forces(case) -> None:
    components, cruise = case
    force = weighted_sum(components, cruise, MAX_FORCE)
    for agent in range(N):
        total = cruise[agent].copy()
        for component in components:
            total = total + component.force[agent]
        assert np.array_equal(force[agent], total)


@BOUNDED
@given(inputs())
def test_by_allocation_strength_leaves_out_what_is_beyond_it(case) -> None:
    """Of one priority that is the rest of the sum; what fits within strength is left out nowhere."""
    components, cruise = case
    alike = [replace(component, priority=np.zeros(N, dtype=int)) for component in components]
    combined = by_allocation(alike, cruise, MAX_FORCE)
    total = cruise + sum((component.force for component in alike), np.zeros((N, 3)))
    assert np.allclose(combined + left_out(by_allocation, alike, cruise, combined, MAX_FORCE), total)
    assert (left_out(by_allocation, components, cruise, combined, np.full(N, 1e3)) == 0.0).all()


@BOUNDED
@given(inputs())
def test_priority_takes_the_first_level_that_is_not_zero(case) -> None:
    """For each agent in turn: check the first priority; if it has something to correct use that, else the second. The
    forces of a priority add up."""
    components, cruise = case
    force = by_priority(components, cruise, MAX_FORCE)
    for agent in range(N):
        levels: dict[int, np.ndarray] = {}
        for component in sorted(components, key=lambda each: each.priority[agent]):
            level = int(component.priority[agent])
            levels[level] = levels.get(level, np.zeros(3)) + component.force[agent]
        expected = first_firm(list(levels.values()), cruise[agent], MAX_FORCE[agent])
        np.testing.assert_allclose(force[agent], expected, rtol=1e-12, atol=1e-12)


def first_firm(levels: list[np.ndarray], cruise: np.ndarray, most: float) -> np.ndarray:
    """The first force that is not zero, and of the later ones the shares that weak forces leave; (3,)."""
    force, left = np.zeros(3), 1.0
    for number, level in enumerate(levels, 1):
        length = np.linalg.norm(level)
        if length == 0.0 or left <= 0.0:
            continue
        last = number == len(levels)
        force = force + shared(level + cruise if last else level, left, most)
        left = 0.0 if last else left * (1.0 - min(length / (FIRM * most), 1.0))
    return force + shared(cruise, left, most)


def shared(force: np.ndarray, left: float, most: float) -> np.ndarray:
    """A share of a force, of the most that a vehicle can do if it asks for more; the whole force for the share 1."""
    return force if left == 1.0 else left * force * min(1.0, most / max(np.linalg.norm(force), 1e-12))


@BOUNDED
@given(inputs(), st.sampled_from([c.number for c in COMBININGS]))
def test_inputs_are_not_written_to_and_agents_do_not_affect_each_other(case, way: int) -> None:
    components, cruise = case
    for array in (cruise, *(column for c in components for column in vars(c).values())):
        array.flags.writeable = False
    together = COMBINE[way](components, cruise, MAX_FORCE)
    for agent in range(N):
        alone = [one_row(component, agent) for component in components]
        assert np.array_equal(COMBINE[way](alone, cruise[agent : agent + 1], MAX_FORCE[:1])[0], together[agent])


@BOUNDED
@given(inputs())
def test_a_sum_of_normalized_components_averages_their_directions(case) -> None:
    """The paper's linear combination, each component normalized before its weighting factor is applied."""
    components, cruise = case
    force = normalized_sum(components, cruise, MAX_FORCE)
    for agent in range(N):
        total, weights, firmest = np.zeros(3), 0.0, 0.0
        for component in components:
            length = np.linalg.norm(component.force[agent])
            if length > 0.0:
                firm = min(length / (FIRM * MAX_FORCE[agent]), 1.0)
                total = total + firm * component.weight[agent] * component.force[agent] / length
                weights += firm * component.weight[agent]
                firmest = max(firmest, firm)
        expected = cruise[agent] + (firmest * MAX_FORCE[agent] * total / weights if weights else 0.0)
        assert np.allclose(force[agent], expected, rtol=1e-12, atol=1e-12)


@BOUNDED
@given(inputs())
def test_one_at_a_time_applies_a_single_component(case) -> None:
    """Select one steering component to apply: a wheel of fortune with a slice for each that applies."""
    components, cruise = case
    force = one_by_chance(components, cruise, MAX_FORCE)
    for agent in range(N):
        wheel = [component.probability[agent] * component.force[agent].any() for component in components]
        chosen, left = np.zeros(3), components[0].draw[agent] * sum(wheel) if components else 0.0
        for component, slice_ in zip(components, wheel):
            if 0.0 <= left < slice_:
                chosen = component.force[agent]
            left -= slice_
        assert np.allclose(force[agent], cruise[agent] + chosen)


WAYS = st.sampled_from([weighted_sum, normalized_sum, one_by_chance, by_priority, by_allocation])


@BOUNDED
@given(inputs(), WAYS)
def test_every_way_may_skip_components_by_chance(case, way: Combine) -> None:
    """With a certain probability a priority is evaluated; where it gives zero or was skipped, the next one is."""
    components, cruise = case
    force = dither(way)(components, cruise, MAX_FORCE)
    for agent in range(N):
        row = slice(agent, agent + 1)
        alone = [one_row(component, agent) for component in components]
        drawn = [c if c.draw[0] < c.probability[0] else blank(c) for c in alone]
        assert np.allclose(force[row], way(drawn, cruise[row], MAX_FORCE[row]), rtol=1e-12, atol=1e-12)


def one_row(component: Component, agent: int) -> Component:
    """The component of one agent."""
    return Component(*(column[agent : agent + 1] for column in vars(component).values()))


def blank(component: Component) -> Component:
    """A component that has nothing to correct and is never drawn."""
    return replace(component, force=np.zeros_like(component.force), probability=np.zeros_like(component.probability))


@pytest.mark.parametrize("way", [c.number for c in COMBININGS if "probability" in MATTERS[c.number]])
def test_chance_gives_each_behavior_its_share_of_steps(way: int) -> None:
    """Seeking to the left is drawn three times as often as seeking to the right, by many agents at many times."""
    n = 400
    probability = {"ONE": (0.9, 0.3), "DITHERING": (0.75, 1.0)}[COMBININGS[way].name]
    scene = Scene(
        np.zeros((n, 3)),
        behaviors=[
            (Seek, {"target": n, "probability": probability[0], "priority": 1}),
            (Flee, {"target": n, "distance": 0.0, "probability": probability[1], "priority": 2}),
        ],
        tracked=leaders([-9.0, 0.0, 0.0]),
        combining=way,
    )
    world = scene.seen()[0]
    seeks = []
    for frame in range(5):
        state = replace(scene.start(), inputs=scene.snapshot(), time=frame / 24.0)
        force = decide(state, scene.snapshot(), replace(world, time=state.time))[0]
        seeks.append(force[:, 0] < 0.0)
    assert np.mean(seeks) == pytest.approx(0.75, abs=0.04)
    assert len({step.tobytes() for step in seeks}) == 5, "each step draws again"
    assert np.mean(seeks[0] & seeks[1]) == pytest.approx(0.75**2, abs=0.08), "independent of the step before"


def test_a_weight_multiplies_the_force() -> None:
    def decided(weight: float) -> np.ndarray:
        return force_of(Scene([[0.0, 0.0, 0.0]], behaviors=[(Seek, {"weight": weight})], tracked=leaders([9.0, 0, 0])))

    assert np.allclose(decided(2.5), 2.5 * decided(1.0))


@pytest.mark.parametrize("combining", [WEIGHTED_SUM, PRIORITY])
def test_cruise_speed_is_held_unless_a_behavior_sets_the_speed(combining: int) -> None:
    scene = Scene([[0.0, 0.0, 0.0]], speed=1.0, combining=combining, tracked=leaders([5.0, 5.0, 0.0]))
    push = np.array([[0.0, 3.0, 0.0]])
    assert np.allclose(force_of(scene), push), "1 kg from 1 to 4 m/s within a second"
    wandering = replace(scene, behaviors=[(Wander, {"leveling": 0.0})])
    assert np.allclose(force_of(wandering) - wandering.steering()[0], push)
    seeking = replace(scene, behaviors=[(Seek, {}), (Wander, {})])
    assert np.allclose(force_of(seeking), sum(seeking.steering()))
    idle = replace(scene, behaviors=[(Seek, {"weight": 0.0})])
    assert np.allclose(force_of(idle), push), "a behavior without weight sets no speed"
    far = replace(scene, behaviors=[(Flee, {"distance": 3.0})])
    assert np.allclose(force_of(far), push), "nor does a behavior with nothing to correct"


def force_of(scene: Scene) -> np.ndarray:
    """The force that the vehicles decide on, (n, 3)."""
    world, _, _ = scene.seen()
    return decide(replace(scene.start(), inputs=scene.snapshot()), scene.snapshot(), world)[0]


@BOUNDED
@given(inputs())
def test_allocation_spends_the_force_by_priority(case) -> None:
    """For each agent in turn: each priority gets what the earlier ones leave, without its part against them."""
    components, cruise = case
    result = by_allocation(components, cruise, MAX_FORCE)
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
                firm = min(so_far / (FIRM * MAX_FORCE[agent]), 1.0)
                force = force - firm * against * spent / so_far
            spent = spent + cut(force, np.sqrt(max(MAX_FORCE[agent] ** 2 - so_far**2, 0.0)))
            spent = cut(spent, MAX_FORCE[agent])
        expected = spent if levels else cut(cruise[agent], MAX_FORCE[agent])
        # The force left is a square root, which near zero keeps half of the digits.
        assert np.abs(result[agent] - expected).max() < 1e-6


def cut(force: np.ndarray, longest: float) -> np.ndarray:
    length = np.linalg.norm(force)
    return force * min(1.0, longest / length) if length else force


def test_the_requests_of_behaviors_add_up_to_the_decision() -> None:
    """Each request is the force of its behavior alone; with the hold on cruise speed they sum to the decision."""
    behaviors = [(Seek, {"weight": 0.5}), (Flee, {"weight": 2.0, "distance": 90.0}), (Wander, {})]
    scene = Scene(
        [[0.0, 0.0, 0.0], [3.0, 1.0, 2.0]],
        speed=4.0,
        behaviors=behaviors,
        combining=WEIGHTED_SUM,
        tracked=leaders([9, 5, 1]),
    )

    def looked_at(scene: Scene):
        snapshot = scene.snapshot()
        state = replace(scene.start(), inputs=snapshot)
        return state, snapshot, world_at(state, snapshot, snapshot, 0.0)

    asked = requests(*looked_at(scene))
    cruise = decide(*looked_at(replace(scene, behaviors=[])))[0]
    assert set(asked) == {"seek", "flee", "wander"}
    for kind, values in behaviors:
        alone = decide(*looked_at(replace(scene, behaviors=[(kind, values)])))[0] - cruise
        assert np.abs(asked[kind.name]).max() > 0.0
        np.testing.assert_allclose(asked[kind.name], alone, atol=1e-12)
    np.testing.assert_allclose(sum(asked.values()) + cruise, decide(*looked_at(scene))[0], atol=1e-12)


RADIUS = 0.5
NORMALIZED_SUM = next(way.number for way in COMBININGS if way.name == "NORMALIZED_SUM")


def combined(force: tuple[float, float], urgent: tuple[float, float], max_force: float = 2.0) -> np.ndarray:
    return keep_urgent(np.array([[*force, 0.0]]), np.array([[*urgent, 0.0]]), np.full(1, max_force))[0, :2]


def test_what_is_missing_of_the_urgent_part_is_made_up_for() -> None:
    assert np.allclose(combined((-0.4, 1.0), (0.5, 0.0)), (0.5, 1.0))
    assert np.allclose(combined((0.2, 1.0), (0.5, 0.0)), (0.5, 1.0))


def test_what_leads_as_far_along_the_urgent_part_stays_as_it_is() -> None:
    for force in ((0.7, -1.0), (0.5, 0.0), (9.0, 9.0)):
        assert np.array_equal(combined(force, (0.5, 0.0)), force)
    assert np.array_equal(combined((-3.0, 4.0), (0.0, 0.0)), (-3.0, 4.0)), "nothing is urgent"


def test_the_rest_gets_what_the_urgent_part_leaves_of_max_force() -> None:
    assert np.allclose(combined((0.0, 9.0), (1.2, 0.0)), (1.2, 1.6))
    assert np.allclose(combined((-9.0, 9.0), (5.0, 0.0)), (2.0, 0.0)), "it takes all there is"


def test_a_force_that_max_force_would_cut_below_the_urgent_part_is_turned_to_it() -> None:
    assert np.allclose(combined((1.0, 9.0), (1.0, 0.0)), (1.0, np.sqrt(3.0)))


@pytest.mark.parametrize("urgent", np.linspace(0.0, 2.5, 6).tolist())
def test_a_little_more_urgency_changes_the_force_a_little(urgent: float) -> None:
    for force in ((-1.0, 1.0), (0.5, 0.2), (1.0, 9.0)):
        change = combined(force, (urgent + 1e-6, 0.0)) - combined(force, (urgent, 0.0))
        assert np.abs(change).max() < 1e-2


def pulled_through(combining: int, speed: float, **avoiding) -> Scene:
    """Vehicles before a ball and a box, that are pulled to goals behind them four times as strongly as they avoid."""
    aside = np.array([0.0, 0.3, -0.6, 1.0])
    start = np.stack((np.concatenate((aside, aside + 40.0)), np.zeros(8), np.zeros(8)), axis=1)
    goals = start + np.array([0.0, 20.0, 0.0])
    return Scene(
        start,
        speed=speed,
        vehicle={"radius": RADIUS, "max_force": 6.0, "max_speed": 1.25 * speed},
        behaviors=[(Seek, {"target": 8 + np.arange(8), "weight": 4.0}), (ObstacleAvoidance, avoiding)],
        combining=combining,
        obstacles=all_of(obstacles([[0.0, 9.0, 0.0]], 1.5), boxes([[40.0, 9.0, 0.0]], [[1.5, 1.0, 1.5]])),
        tracked=leaders(*goals),
        fps=12.0,
    )


def deepest(place: Scene, middle: np.ndarray) -> float:
    """The depth in obstacles, in radii."""
    return float((RADIUS - place.obstacles.clearance(middle.reshape(-1, 3)).min(axis=1)).max() / RADIUS)


@sampled
@pytest.mark.parametrize("way", COMBININGS, ids=lambda way: way.name)
def test_no_way_to_combine_lets_a_pull_lead_a_body_into_what_it_avoids(way) -> None:
    place = pulled_through(way.number, 4.0)
    middle = positions(place.run(int(4.5 * place.fps)))
    assert deepest(place, middle) <= 0.0
    assert (middle[-1, :, 1] > 12.0).all(), "they come past"


def test_a_blend_of_directions_leaves_a_force_field_its_strength_at_the_surface() -> None:
    place = pulled_through(NORMALIZED_SUM, 2.0, method=FIELD)
    assert deepest(place, positions(place.run(int(6.0 * place.fps)))) <= 0.0


DT = 1.0 / 24.0


def drawn(turn_radius: float, n: int = 12) -> Scene:
    """Animals with a target to the left, to which one behavior pulls them and from which two weak ones push them."""
    away = {"weight": 0.02, "distance": 0.0}
    return Scene(
        np.outer(np.arange(n), (0.0, 100.0, 0.0)),
        speed=0.7,
        behaviors=[(Seek, {}), (Flee, away), (Evasion, away)],
        vehicle={"max_speed": 2.5, "cruise_speed": 0.28, "max_force": 1.2, "response_time": 0.8},
        locomotions=[(OnFoot, {"turn_radius": turn_radius, "turn_on_the_spot": 0.0})],
        combining=ONE,
        tracked=leaders([-1e5, 0.0, 0.0]),
    )


def test_what_walks_on_a_wide_circle_turns_by_the_strength_of_behaviors_and_not_by_their_count() -> None:
    """Each of the three turns it as tightly as the circle lets it, in the steps in which it is drawn."""
    after = headings(drawn(2.5).run(24 * 4))[-1]
    assert after[:, 0].max() < -0.5


@pytest.mark.parametrize("turn_radius", [2.5, 0.75])
def test_the_mean_is_that_of_the_part_of_the_response_time_that_the_circle_leaves_no_strength(turn_radius) -> None:
    scene = drawn(turn_radius, 1)
    _, agents, _ = scene.seen()
    time = 0.8 * (1.0 - 0.7**2 / turn_radius / 1.2)
    force, decided = np.array([[0.3, -0.6, 0.0]]), scene.start().undecided()
    for _ in range(10):
        mean, decided = blend(ONE, agents, force, decided, DT)
    assert np.allclose(mean, force * (1.0 - (time / (time + DT)) ** 10))


def test_other_bodies_and_other_ways_to_combine_obey_what_is_drawn() -> None:
    def memories(scene: Scene) -> set[str]:
        return set(scene.run(2)[-1].memories)

    walks = drawn(2.5, 2)
    assert BLENDED in memories(walks)
    assert BLENDED not in memories(replace(walks, combining=WEIGHTED_SUM))
    assert BLENDED not in memories(replace(walks, locomotions=[(SimpleVehicle, {})]))
