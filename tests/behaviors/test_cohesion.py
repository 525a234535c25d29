"""Cohesion (paper, Cohesion): toward the middle of the neighbors."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors.cohesion import SEEK, Cohesion
from steering_addon.simulation.nearby.neighbors import CHOSEN_CROWD, EVERYONE
from tests.behaviors.situations import crowded, loop_over, nearby
from tests.scene import Scene, all_of, locked


def drawn(place: Scene, **values: object) -> np.ndarray:
    return replace(place, behaviors=[(Cohesion, values)]).steering()[0]


def plain_loop(place: Scene, distance: float, angle: float) -> np.ndarray:
    """Subtracting our character position from the average position of the nearby characters.

    In units of half the distance, and cut at length 1.
    """

    def steering_of(i: int) -> Any:
        near = nearby(place, i, distance, angle)
        return (place.position[near].mean(axis=0) - place.position[i]) / (distance / 2.0) if near else np.zeros(3)

    return loop_over(place, steering_of)


@pytest.mark.parametrize("angle", [1.0, np.pi, 2.0 * np.pi])
@pytest.mark.parametrize("distance", [0.5, 3.0, 9.0])
def test_the_force_points_to_the_average_position_of_the_neighbors(distance: float, angle: float) -> None:
    place = crowded(60)
    forces = drawn(place, distance=distance, angle=angle, rejoin_distance=0.0)
    wanted = plain_loop(place, distance, angle)
    assert np.abs(forces - wanted).max() < 1e-9
    assert (wanted != 0.0).any()


def test_parts_return_alike_with_equal_and_with_single_settings() -> None:
    """The steering of a part is computed once if all settings are equal, else for each vehicle."""
    place = Scene(np.concatenate([crowded(20, seed=seed).position for seed in range(3)]))
    place.position[:, 0] += np.repeat([0.0, 14.0, 30.0], 20)
    alike = drawn(place, distance=3.0, rejoin_distance=20.0)
    differing = drawn(place, distance=3.0, rejoin_distance=[20.0] * 59 + [0.0])
    assert np.abs(alike - differing)[:59].max() < 1e-12
    assert np.abs(alike - drawn(place, distance=3.0, rejoin_distance=0.0)).max() > 0.1


def parted(*parts: tuple[float, int], seed: int = 0) -> Scene:
    """Parts of a crowd of a size each, at distances to the right, all on their way forward with some variation."""
    rng = np.random.default_rng(seed)
    place, forward = np.zeros((0, 3)), np.zeros((0, 3))
    for right, count in parts:
        members = rng.uniform(-1.0, 1.0, (count, 3)) + np.array([right, 0.0, 0.0])
        place = np.concatenate((place, members))
        heading = rng.normal(size=3) * 0.2 + np.array([0.0, 1.0, 0.0])
        forward = np.concatenate((forward, np.tile(heading, (count, 1))))
    return Scene(place, forward=forward, speed=rng.uniform(2.0, 4.0, len(place)))


def way_back(place: Scene, distance: float, rejoin_distance: float) -> np.ndarray:
    """Each part as a whole goes to the predicted middle of the others, the harder the smaller and farther it is."""
    velocity = place.start().motion.velocity
    gaps = np.linalg.norm(place.position[:, None] - place.position[None], axis=-1)
    parts: list[list[int]] = []
    for i in range(len(place)):
        mine = [part for part in parts if any(gaps[i, j] < distance for j in part)]
        parts = [part for part in parts if part not in mine] + [[j for part in mine for j in part] + [i]]
    forces = np.zeros((len(place), 3))
    for part in parts:
        middle, pull, others = place.position[part].mean(axis=0), np.zeros(3), 0.0
        for other in parts:
            if other is part:
                continue
            target = place.position[other].mean(axis=0)
            widths = sum(
                1.3 * np.sqrt(((place.position[p] - place.position[p].mean(axis=0)) ** 2).sum(axis=1).mean())
                for p in (part, other)
            )
            gap = np.linalg.norm(target - middle) - widths
            count = len(other) * np.clip(2.0 - 2.0 * gap / rejoin_distance, 0.0, 1.0)
            pull += count * (target - middle + 2.0 * (velocity[other].mean(axis=0) - velocity[part].mean(axis=0)))
            others += count
        if others > 0.0:
            pull = pull / others / distance
            share = min(1.0, others / (0.5 * (others + len(part))))
            forces[part] = pull / max(1.0, np.linalg.norm(pull) / 5.0) * share
    return forces


@pytest.mark.parametrize("parts", [[(0, 20), (12, 8)], [(0, 9), (15, 9), (-22, 4), (40, 1)], [(0, 1), (6, 1), (12, 1)]])
def test_the_parts_of_a_crowd_return_to_each_other(parts: list[tuple[float, int]]) -> None:
    place = parted(*parts)
    alone = drawn(place, distance=2.0, rejoin_distance=0.0)
    wanted = way_back(place, 2.0, 20.0)
    both = alone * np.maximum(1.0 - np.linalg.norm(wanted, axis=1, keepdims=True), 0.0) + wanted
    assert (np.linalg.norm(wanted, axis=1) > 0.1).sum() > 1
    assert np.abs(drawn(place, distance=2.0, rejoin_distance=20.0) - both).max() < 1e-9


def test_in_an_undivided_crowd_the_way_back_does_not_matter() -> None:
    place = crowded(60)
    near, far = (drawn(place, distance=3.0, rejoin_distance=reach) for reach in (0.0, 50.0))
    assert near.tobytes() == far.tobytes()


def test_it_returns_to_its_own_crowd_only() -> None:
    start = [[0.0, 0.0, 0.0]]
    another, same = locked([10.0, 0.0, 0.0], crowd=3), locked([0.0, 10.0, 0.0], crowd=0)
    assert (drawn(Scene(start, tracked=another)) == 0.0).all()
    assert (drawn(Scene(start, tracked=another), neighbors=EVERYONE) == 0.0).all()
    assert drawn(Scene(start, tracked=all_of(another, same)))[0, 1] > 0.9
    assert (drawn(Scene(start, tracked=same), neighbors=CHOSEN_CROWD, crowd=0) == 0.0).all(), "it follows another crowd"


def test_by_seeking_the_average_position_is_a_target_for_seek_at_its_own_pace() -> None:
    place = replace(crowded(60), vehicle={})
    velocity = place.start().motion.velocity

    def steering_of(i: int) -> Any:
        near = nearby(place, i, 3.0, 2.0 * np.pi)
        if not near:
            return np.zeros(3)
        offset = place.position[near].mean(axis=0) - place.position[i]
        speed = np.linalg.norm(velocity[i])
        return (offset / np.linalg.norm(offset) * speed - velocity[i]) / speed

    forces = drawn(place, method=SEEK, distance=3.0, rejoin_distance=0.0)
    assert np.abs(forces - loop_over(place, steering_of)).max() < 1e-9


def test_by_seeking_it_does_nothing_if_it_heads_for_the_middle_and_starts_from_rest() -> None:
    place = Scene([[0.0, 0.0, 0.0], [0.0, 2.0, 0.0]], speed=[3.0, 0.0])
    force = drawn(place, method=SEEK, rejoin_distance=0.0)
    assert (force[0] == 0.0).all()
    assert np.allclose(force[1], (0.0, -1.0, 0.0))
