"""Flocking (paper): separation, alignment and cohesion together make flocks that look alive."""

from dataclasses import replace

import numpy as np
import pytest

from scripts.motion_metrics import jerks, lost, nearest_distances, polarization, reversals, turns
from steering_addon.behaviors.alignment import Alignment
from steering_addon.behaviors.cohesion import Cohesion
from steering_addon.behaviors.containment import Containment
from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.behaviors.separation import Separation
from steering_addon.behaviors.wander import Wander
from steering_addon.simulation.combining import COMBININGS
from steering_addon.simulation.geometry.obstacles import obstacles
from steering_addon.simulation.geometry.regions import SPHERE, regions
from tests.sampling import sampled, thorough
from tests.scene import Scene, headings, positions, speeds

FPS = 24.0
BODY = 0.22
"""Length of a starling, metres."""
CRUISE, FASTEST = 10.0, 13.0
APART = 1.5


def starlings(n: int = 60, seed: int = 1) -> Scene:
    """Starlings in a ball with room for all, with similar headings, in the open."""
    rng = np.random.default_rng(seed)
    ball = rng.normal(size=(n, 3))
    ball *= (rng.uniform(size=n) ** (1.0 / 3.0) / np.linalg.norm(ball, axis=1))[:, None]
    return Scene(
        0.75 * APART * n ** (1.0 / 3.0) * ball * (1.3, 1.0, 0.6),
        forward=rng.normal(size=(n, 3)) * (0.2, 0.2, 0.05) + (0.0, 1.0, 0.0),
        speed=0.7 * FASTEST,
        vehicle={"max_speed": FASTEST, "max_force": 20.0, "cruise_speed": CRUISE / FASTEST, "radius": BODY / 2.0},
        behaviors=[
            (Separation, {"weight": 8.0, "distance": APART}),
            (Alignment, {"weight": 6.0, "distance": 3.0, "full_difference": 0.4}),
            (Cohesion, {"weight": 3.0, "distance": 3.0}),
            (Wander, {"strength": 3.0, "rate": 0.5, "shared_strength": 4.0, "shared_rate": 0.25}),
            (Containment, {"weight": 8.0, "prediction_time": 1.5}),
        ],
        regions=regions([[0.0, 0.0, 0.0]], 35.0, SPHERE),
        fps=FPS,
        seed=seed,
    )


@sampled
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_sixty_starlings_look_alive(seed: int) -> None:
    """Between mechanical and jittery (the bounds were measured on flocks made mechanical or jittery on purpose).

    The headings of sixty are a little more alike than those of two hundred, whose polarization stays below 0.995;
    that of mechanical flocks is above 0.998.
    """
    states = starlings(seed=seed).run(120, preroll=48)
    place, forward, speed = positions(states), headings(states), speeds(states)
    turn = np.linalg.norm(turns(forward, FPS), axis=-1)
    gaps = nearest_distances(place)
    assert reversals(forward, FPS) < 0.005
    assert 2.5 < np.percentile(jerks(forward, FPS), 95) < 14.0
    assert 35.0 < np.percentile(turn, 95) < 100.0
    assert np.percentile(gaps, 1) > 2.5 * BODY
    assert 1.3 < np.percentile(gaps, 95) / np.percentile(gaps, 5) < 2.2
    assert 0.90 < polarization(forward).mean() < 0.998
    assert np.percentile(speed, 1) / CRUISE > 0.5
    assert lost(place, 3.0 * APART).mean() < 0.01


def test_a_flock_that_hardly_wanders_is_recognised_as_mechanical() -> None:
    """The bounds above can fail."""
    place = starlings()
    tame = [b for b in place.behaviors if b[0] not in (Wander, Containment)]
    forward = headings(replace(place, behaviors=tame).run(120, preroll=48))
    assert np.percentile(jerks(forward, FPS), 95) < 2.5
    assert polarization(forward).mean() > 0.998


@thorough
def test_without_one_of_the_three_it_is_not_a_flock() -> None:
    """Each of them has the effect that it is meant to have."""

    def without(kind: type) -> tuple[np.ndarray, np.ndarray]:
        place = starlings()
        states = replace(place, behaviors=[b for b in place.behaviors if b[0] is not kind]).run(120, preroll=48)
        return positions(states), headings(states)

    place, forward = without(Separation)
    assert np.percentile(nearest_distances(place), 1) < 2.5 * BODY, "without separation they run into each other"
    place, forward = without(Alignment)
    assert polarization(forward)[-24:].mean() < 0.9, "without alignment their headings differ"
    place, forward = without(Cohesion)
    size = np.linalg.norm(place - place.mean(axis=1, keepdims=True), axis=-1).mean(axis=1)
    whole = positions(starlings().run(120, preroll=48))
    together = np.linalg.norm(whole - whole.mean(axis=1, keepdims=True), axis=-1).mean(axis=1)
    assert size[-1] > 1.15 * together[-1], "without cohesion they spread"


def test_shuffled_birds_fly_the_same_for_a_while() -> None:
    """To nine digits within half a second; later small differences grow."""
    place = starlings(20)
    order = np.random.default_rng(0).permutation(20)
    wanted = positions(place.run(12))[:, order]
    assert np.abs(positions(place.take(order).run(12)) - wanted).max() < 1e-9


def test_another_bird_far_away_does_not_change_the_chances_of_the_others() -> None:
    place = starlings(20)
    more = starlings(21)
    more.position[:20], more.forward[:20], more.up[:20] = place.position, place.forward, place.up
    more.position[20] += (0.0, 0.0, 400.0)
    assert np.abs(positions(more.run(12))[:, :20] - positions(place.run(12))).max() < 1e-9


TOWER = 24.0
"""Distance of the tower ahead of the flock, metres."""
ALLOCATION = next(choice.number for choice in COMBININGS if choice.name == "ALLOCATION")


def at_a_tower(seed: int, **cohesion: float) -> np.ndarray:
    """The share of a flock that is lost, by seconds after its middle passes the tower."""
    place = starlings(80, seed)
    place = replace(
        place,
        behaviors=[(kind, values | (cohesion if kind is Cohesion else {})) for kind, values in place.behaviors[:4]]
        + [(ObstacleAvoidance, {})],
        obstacles=obstacles([[0.0, TOWER, -90.0]], 2.5, [[0.0, TOWER, 90.0]]),
        combining=ALLOCATION,
    )
    points = positions(place.run(24 * 13))
    passing = int(np.argmax(points[:, :, 1].mean(axis=1) > TOWER))
    return lost(points[passing::24], 3.0 * APART)


@sampled
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_flock_split_by_a_tower_is_reunited_within_ten_seconds(seed: int) -> None:
    apart = at_a_tower(seed)
    assert apart[:3].max() > 0.1, "it has split"
    assert apart[10] < 0.01


@thorough
def test_a_flock_that_does_not_rejoin_stays_split() -> None:
    assert at_a_tower(1, rejoin_distance=0.0)[10] > 0.1


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_a_tiny_flock_flies(n: int) -> None:
    states = starlings(n).run(48, preroll=24)
    assert np.isfinite(positions(states)).all()
    assert (speeds(states) > 0.5 * CRUISE).all()
