"""The directions that agents try when they choose a velocity."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.locomotion import OnFoot, Planar
from steering_addon.simulation.avoiding.tried_velocities import DIRECTIONS, STEPS, VARIATIONS, Lags
from steering_addon.simulation.locomotion import Locomotion
from tests.scene import Scene


@pytest.mark.parametrize("directions", [*DIRECTIONS.values(), *VARIATIONS.values()], ids=["2", "3", "ring", "ball"])
def test_directions_are_distinct_unit_vectors_and_mirrored_to_the_other_side(directions: tuple) -> None:
    vectors = np.stack(directions, axis=1)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0)
    gaps = np.linalg.norm(vectors[:, None] - vectors[None], axis=-1) + np.eye(len(vectors))
    assert gaps.min() > 0.1
    mirrored = vectors * ([1.0, -1.0, 1.0][: vectors.shape[1]])
    assert (np.linalg.norm(mirrored[:, None] - vectors[None], axis=-1).min(axis=1) < 1e-9).all()


@pytest.mark.parametrize(("dimensions", "most"), [(2, 9.0), (3, 18.0)], ids=["on the ground", "in space"])
def test_near_the_wish_no_direction_is_far_from_one_that_is_tried(dimensions: int, most: float) -> None:
    """Up to 30 degrees from the wish; the gaps grow with the distance from it."""
    v = np.random.default_rng(0).normal(size=(20000, dimensions))
    v /= np.linalg.norm(v, axis=1, keepdims=True)
    v = v[v[:, 0] > np.cos(np.radians(30.0))]
    nearest = (v @ np.stack(DIRECTIONS[dimensions])).max(axis=1)
    assert np.degrees(np.arccos(nearest.min())) < most


def test_in_space_a_choice_is_varied_evenly_in_all_directions() -> None:
    vectors = np.stack(VARIATIONS[3], axis=1)
    assert np.allclose(np.einsum("ka,kb->ab", vectors, vectors), np.eye(3) * len(vectors) / 3.0)


RADIUS, SPEED = 3.0, 1.2


def lags(moves: type[Locomotion], **settings: float) -> Lags | None:
    """Of one that heads along +Y and is asked in axes along +Y and +X."""
    place = Scene(
        [[0.0, 0.0, 0.0]],
        forward=[[0.0, 1.0, 0.0]],
        speed=SPEED,
        vehicle={"max_speed": 1.5, "cruise_speed": 0.8},
        locomotions=[(moves, settings)],
    )
    _, agents, _ = place.seen()
    return Lags.of(agents, (np.array([[0.0, 1.0, 0.0]]), np.array([[1.0, 0.0, 0.0]])))


@pytest.mark.parametrize("angle", [-170.0, -60.0, -8.0, 20.0, 90.0, 150.0])
def test_after_the_turn_it_is_at_the_end_of_an_arc(angle: float) -> None:
    of = lags(OnFoot, turn_radius=RADIUS, turn_on_the_spot=0.0)
    a = np.radians(angle)
    velocity = [SPEED * np.cos([a]), SPEED * np.sin([a])]
    lag = of.of_turns(velocity, np.array([0]))
    end = [float((start + v * lag.time)[0]) for start, v in zip(lag.behind, velocity)]
    assert end == pytest.approx([RADIUS * np.sin(abs(a)), np.sign(a) * RADIUS * (1.0 - np.cos(a))], abs=1e-9)
    assert lag.time[0] == pytest.approx(RADIUS * abs(a) / SPEED)
    chord = [float((component * lag.time)[0]) for component in lag.chord(velocity)]
    assert chord == pytest.approx(end, abs=1e-9)


def test_straight_on_and_at_a_stand_there_is_none() -> None:
    of = lags(OnFoot, turn_radius=RADIUS, turn_on_the_spot=0.0)
    for velocity in ([SPEED, 0.0], [0.0, 0.0]):
        lag = of.of_turns([np.array([component]) for component in velocity], np.array([0]))
        assert [*map(float, lag.behind), float(lag.time)] == [0.0, 0.0, 0.0]


def test_one_that_steps_round_needs_no_circle_when_it_is_slow() -> None:
    steps = lags(OnFoot, turn_radius=RADIUS, turn_on_the_spot=3.0)
    for of, needs in ((steps, False), (replace(steps, pace=np.zeros(1)), True)):
        lag = of.of_turns([np.zeros(1), np.array([0.3])], np.array([0]))
        assert (lag.time[0] > 0.0) == needs
    fast = steps.of_turns([np.zeros(1), np.array([STEPS * 1.2])], np.array([0]))
    assert fast.time[0] == pytest.approx(RADIUS * 0.5 * np.pi / (STEPS * 1.2))


def test_without_a_circle_there_is_nothing_to_reckon() -> None:
    assert lags(Planar) is None
    assert lags(OnFoot, turn_radius=0.0) is None
