"""Explore (paper): covers a region, and remembers what the crowd has seen."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.behaviors.explore import ALL_CELLS, CELLS, Explore, Exploring, _claimed, _costs, _middles, _parts
from steering_addon.behaviors.wander import Wander
from steering_addon.locomotion import Planar
from steering_addon.simulation.geometry.regions import BOX, SPHERE, regions
from tests.sampling import sampled
from tests.scene import Scene, about, positions, turned

FPS = 12
HALF = np.array([12.0, 12.0, 1.0])


def explorers(n: int = 6, half=HALF, shape=BOX, **values) -> Scene:
    rng = np.random.default_rng(4)
    return Scene(
        rng.uniform(-1.0, 1.0, (n, 3)) * (1.0, 1.0, 0.0),
        forward=rng.normal(size=(n, 3)) * (1.0, 1.0, 0.0),
        speed=3.0,
        behaviors=[(Explore, values)],
        locomotions=[(Planar, {})],
        regions=regions([0.0, 0.0, 0.0], half, shape),
        fps=FPS,
    )


def covered(place: Scene, seconds: float, view: float = 2.0) -> float:
    """The share of points in the region that a vehicle has come near to."""
    at = positions(place.run(round(seconds * FPS)))[::2].reshape(-1, 3)
    half, shape = place.regions.half[0], place.regions.shape[0]
    grid = np.stack(np.meshgrid(*(np.linspace(-0.9, 0.9, 10),) * 2, [0.0]), axis=-1).reshape(-1, 3)
    grid = grid[(np.linalg.norm(grid, axis=1) < 0.9) | (shape == BOX)] * half
    return float((np.linalg.norm(grid[:, None] - at[None], axis=-1).min(axis=1) < view).mean())


@sampled
@pytest.mark.parametrize("shape", [SPHERE, BOX])
def test_the_whole_region_is_covered_and_faster_than_by_wandering(shape: int) -> None:
    place = explorers(shape=shape, half=(12.0, 12.0, 12.0))
    assert covered(place, 25.0) > 0.93
    strolling = replace(place, behaviors=[(Wander, {})])
    assert covered(strolling, 25.0) < 0.7


def test_vehicles_do_not_repeat_others_while_parts_are_unseen() -> None:
    """Eight vehicles soon cover more than two."""
    few, many = explorers(2), explorers(8)
    assert covered(many, 10.0) > covered(few, 10.0) + 0.25


def test_what_a_vehicle_sees_is_remembered_by_all_and_belongs_to_the_state() -> None:
    place = explorers()
    states = place.run(2 * FPS)
    [seen] = states[-1].tallies.values()
    assert seen.shape == (ALL_CELLS,)
    assert (seen > 0.0).any() and (seen == 0.0).any()
    [before] = states[5].tallies.values()
    assert (before <= seen).all() and before.sum() < seen.sum()


def test_the_memory_moves_with_the_region() -> None:
    """When the region turns in place, what has been seen turns with it, and so do the goals."""
    place = explorers()
    turn = about((0.0, 0.0, 1.0), 40.0)
    moved = positions(place.moved((30.0, 10.0, 0.0), turn).run(30))
    assert np.abs(moved - turned(positions(place.run(30)), turn) - (30.0, 10.0, 0.0)).max() < 1e-6


def test_it_stays_near_the_region() -> None:
    at = positions(explorers().run(FPS * 7))
    assert np.abs(at[..., :2]).max() < 14.0


def test_without_a_region_it_does_nothing() -> None:
    place = replace(explorers(), regions=regions(np.zeros((0, 3)), 1.0, BOX))
    world, agents, [explore] = place.seen()
    assert (place.steering()[0] == 0.0).all()
    assert not explore.steer(world, agents, Exploring.blank(len(agents))).sets_speed.any()


def test_it_gives_up_a_place_that_it_does_not_reach() -> None:
    """When its patience is over, the next time it decides; until then it keeps its goal."""
    world, agents, [explore] = explorers(1).seen()
    chosen = explore.steer(world, agents, Exploring.blank(1)).memory
    moments = world.time + np.arange(0.0, 1.0, world.dt)

    def goals(until: float) -> set[int]:
        memory = replace(chosen, until=np.array([until]))
        return {int(explore.steer(replace(world, time=time), agents, memory).memory.goal[0]) for time in moments}

    assert goals(np.inf) == {int(chosen.goal[0])}
    assert len(goals(0.0)) == 2, "the goal it had, and another one"


def test_its_patience_is_three_times_the_straight_way() -> None:
    world, agents, [explore] = explorers(1).seen()
    memory = explore.steer(world, agents, Exploring.blank(1)).memory
    goal = world.regions.places(_middles(), 0)[memory.goal[0]]
    way = np.linalg.norm((goal - agents.position[0])[:2])
    assert memory.until[0] == pytest.approx(world.time + 3.0 * (way / agents.cruise_speed[0] + 1.0))


def test_the_cells_divide_the_region_evenly() -> None:
    along = (2.0 * np.arange(CELLS) + 1.0) / CELLS - 1.0
    assert np.allclose(_middles(), np.stack(np.meshgrid(along, along, along, indexing="ij"), axis=-1).reshape(-1, 3))


def test_what_was_never_seen_costs_nothing_for_its_age() -> None:
    _world, agents, _ = explorers(2).seen()
    places, rows = np.random.default_rng(1).uniform(-9.0, 9.0, (30, 3)), np.arange(2)
    seen = np.where(np.arange(30) < 10, 0.0, 5.0)
    near, far = (_costs(agents, rows, places, seen, across)[0] for across in (0.0, 50.0))
    assert np.array_equal(near[:, :10], far[:, :10])
    assert (far[:, 10:] > near[:, 10:] + 49.0).all()


def test_the_share_that_claims_a_cell_equals_a_plain_loop() -> None:
    part = np.array([0, 0, 2, -1, 5, 0, -1])
    rows = np.array([0, 2, 3, 5])
    for row, shares in zip(rows, _claimed(part, rows), strict=True):
        others = [part[k] for k in range(len(part)) if k != row and part[k] >= 0]
        assert np.allclose(shares, [others.count(cell) / len(others) for cell in _parts()])
