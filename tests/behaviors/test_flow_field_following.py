"""Flow field following (paper, Flow Field Following): steers along the flow at the predicted position."""

import numpy as np
import pytest

from scripts.motion_metrics import jerks
from steering_addon.behaviors.flow_field_following import FlowFieldFollowing
from steering_addon.locomotion import Planar
from steering_addon.simulation.geometry.flows import flow_at
from steering_addon.simulation.geometry.paths import Spline, spline
from tests.scene import Scene, headings, positions, speeds

FPS = 24
MAX_SPEED, CRUISE, RESPONSE_TIME = 5.0, 4.0, 0.3
"""Seconds, the default of the vehicle model."""
NORTH = spline(np.array([[0.0, -100.0, 0.0], [0.0, 100.0, 0.0]]), False)


def bent(radius: float = 12.0) -> Spline:
    """East, round a quarter of a circle, then north."""
    t = np.linspace(-0.5 * np.pi, 0.0, 60)
    arc = np.stack((radius * np.cos(t), radius + radius * np.sin(t), np.zeros(60)), axis=-1)
    return spline(np.concatenate(([[-40.0, 0.0, 0.0]], arc, [[radius, 80.0, 0.0]])), False)


def drifters(*lines: Spline, position: object = ((0.0, 0.0, 0.0),), **changes: object) -> Scene:
    """Vehicles among flows, each of which is a separate curve."""
    behaviors = [(FlowFieldFollowing, changes.pop("values", {}))]
    return Scene(position, flows=tuple((line,) for line in lines), behaviors=behaviors, **changes)  # type: ignore[arg-type]


def test_the_steering_is_the_flow_at_the_predicted_position_minus_the_velocity() -> None:
    """Written from the paper, agent by agent, weighted with the strength of the flow."""
    rng = np.random.default_rng(0)
    n, line, mass = 40, bent(), rng.uniform(0.5, 3.0, 40)
    reach, share, ahead = rng.uniform(2.0, 9.0, n), rng.uniform(0.0, 1.0, n), rng.uniform(0.0, 2.0, n)
    place = drifters(
        line,
        position=rng.uniform((-20.0, -5.0, -2.0), (15.0, 20.0, 2.0), (n, 3)),
        forward=rng.normal(size=(n, 3)),
        speed=rng.uniform(0.0, 5.0, n),
        vehicle={"mass": mass},
        values={"falloff_distance": reach, "speed": share, "prediction_time": ahead},
    )
    velocity = place.start().motion.velocity
    forces, steered = place.steering()[0], 0
    for k in range(n):
        [flow] = flow_at(((line,),), place.position[k : k + 1] + velocity[k] * ahead[k], reach[k : k + 1])
        strength = np.linalg.norm(flow)
        if strength == 0.0:
            assert (forces[k] == 0.0).all()
            continue
        desired = flow / strength * share[k] * MAX_SPEED
        wanted = strength * mass[k] * (desired - velocity[k]) / RESPONSE_TIME
        assert np.abs(forces[k] - wanted).max() < 1e-9
        steered += 1
    assert 10 < steered < 40


def test_on_the_ground_it_does_not_steer_up_or_down() -> None:
    ramp = spline(np.array([[0.0, -10.0, -5.0], [0.0, 10.0, 5.0]]), False)
    wall = spline(np.array([[0.0, 0.0, -9.0], [0.0, 0.0, 9.0]]), False)
    for line, pushed in ((ramp, True), (wall, False)):
        [force] = drifters(line, locomotions=[(Planar, {})]).steering()[0]
        assert force[2] == 0.0
        assert (force[1] > 0.0) == pushed


def test_it_takes_its_speed_from_the_flow_and_cruises_outside() -> None:
    place = drifters(NORTH, position=[[0.0, 0.0, 0.0], [20.0, 0.0, 0.0]], values={"speed": 0.4})
    fast = speeds(place.run(8 * FPS))[-1]
    assert fast[0] == pytest.approx(0.4 * MAX_SPEED, rel=0.02)
    assert fast[1] == pytest.approx(CRUISE, rel=0.02)
    rapids = drifters(NORTH, values={"speed": 1.0}, speed=1.0)
    assert speeds(rapids.run(8 * FPS))[-1, 0] == pytest.approx(MAX_SPEED, rel=0.02)


def test_a_vehicle_at_rest_at_the_edge_of_a_flow_does_not_stay() -> None:
    """The flow is nearly zero at the edge."""
    place = drifters(NORTH, position=[[4.99, 0.0, 0.0], [4.0, 0.0, 0.0], [3.0, 0.0, 0.0]], forward=(0.3, 1.0, 0.0))
    assert speeds(place.run(6 * FPS))[-1].min() > 0.9 * CRUISE


def test_a_vehicle_from_the_side_turns_into_it_without_a_jerk() -> None:
    place = drifters(NORTH, position=[[-15.0, 0.0, 0.0]], forward=(1.0, 0.0, 0.0), speed=CRUISE)
    states = place.run(12 * FPS)
    assert headings(states)[-1, 0, 1] > 0.95
    assert positions(states)[-1, 0, 0] < 5.0
    assert jerks(headings(states), FPS).max() < 15.0
