"""What is urgent holds whatever else is wanted, and leaves the rest as much as it can."""

import numpy as np
import pytest

from steering_addon.behaviors.obstacle_avoidance import FIELD, ObstacleAvoidance
from steering_addon.behaviors.seek import Seek
from steering_addon.scene import boxes, obstacles
from steering_addon.simulation.combining import COMBININGS
from steering_addon.simulation.urgency import with_urgent
from tests.scene import Scene, all_of, leaders, positions

RADIUS = 0.5
NORMALIZED_SUM = next(way.number for way in COMBININGS if way.name == "NORMALIZED_SUM")


def combined(force: tuple[float, float], urgent: tuple[float, float], max_force: float = 2.0) -> np.ndarray:
    return with_urgent(np.array([[*force, 0.0]]), np.array([[*urgent, 0.0]]), np.full(1, max_force))[0, :2]


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


@pytest.mark.parametrize("way", COMBININGS, ids=lambda way: way.name)
def test_no_way_to_combine_lets_a_pull_lead_a_body_into_what_it_avoids(way) -> None:
    place = pulled_through(way.number, 4.0)
    middle = positions(place.run(int(4.5 * place.fps)))
    assert deepest(place, middle) <= 0.0
    assert (middle[-1, :, 1] > 12.0).all(), "they come past"


def test_a_blend_of_directions_leaves_a_force_field_its_strength_at_the_surface() -> None:
    place = pulled_through(NORMALIZED_SUM, 2.0, method=FIELD)
    assert deepest(place, positions(place.run(int(6.0 * place.fps)))) <= 0.0
