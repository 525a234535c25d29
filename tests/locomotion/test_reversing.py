"""Reversing: cars without room ahead back out and drive on if they may, and stand otherwise."""

import numpy as np
import pytest

from steering_addon.behaviors.seek import Seek
from steering_addon.locomotion.driver import STOP
from steering_addon.locomotion.reversing import ALLOW, NEVER, WALK
from steering_addon.locomotion.wheeled import Wheeled
from steering_addon.simulation.geometry.capsules import between_axes
from steering_addon.simulation.geometry.obstacles import boxes
from steering_addon.simulation.geometry.surfaces import Surfaces, surfaces
from steering_addon.simulation.snapshot import State
from tests.locomotion.grounds import plane
from tests.locomotion.test_wheeled import AXLE, CAR, FPS, output
from tests.sampling import sampled, thorough
from tests.scene import Scene, headings, leaders, positions, velocities
from tests.surfaces import patch

OUT = 12 * FPS
EDGE, STANDS, WALL, HEMMED_IN, BEHIND = range(5)


def dead_ends() -> Scene:
    """Nose-on to the edge of the ground at 40 m or to a box, with goals beside them; the last one stands."""
    return Scene(
        [(36.8, 0.0, 0.0), (36.8, -36.0, 0.0), (0.0, 0.0, 0.0), (36.8, -20.0, 0.0), (31.0, -20.0, 0.0)],
        forward=(1.0, 0.0, 0.0),
        speed=0.0,
        behaviors=[(Seek, {"target": np.array([5, 6, 7, 8, 8])})],
        locomotions=[(Wheeled, {"at_edge": STOP, "reverse": np.array([ALLOW, NEVER, ALLOW, ALLOW, ALLOW])})],
        tracked=leaders((34.0, 37.0, 0.0), (34.0, -12.0, 0.0), (-20.0, 12.0, 0.0), (34.0, 0.0, 0.0)),
        obstacles=boxes([(3.5, 0.0, 0.0)], [(1.0, 6.0, 2.0)]),
        surfaces=surfaces([plane(40.0)]),
        vehicle={**CAR, "max_speed": np.array([16.7, 16.7, 16.7, 16.7, 0.0])},
        fps=FPS,
    )


@pytest.fixture(scope="module")
def states() -> list[State]:
    return dead_ends().run(OUT + 1)


def speeds_along(states: list[State]) -> np.ndarray:
    """(f, n) m/s, negative backward."""
    return (velocities(states) * headings(states)).sum(axis=-1)


def road(width: float) -> Surfaces:
    x, y = np.meshgrid(np.linspace(-60.0, 60.0, 61), (-0.5 * width, 0.5 * width), indexing="ij")
    return surfaces([patch(np.stack((x, y, 0.0 * x), axis=-1))])


@thorough
def test_on_a_road_of_7_metres_it_turns_round_within_24_seconds() -> None:
    scene = Scene(
        [(0.0, -1.75, 0.0)],
        speed=0.0,
        behaviors=[(Seek, {"target": 1})],
        locomotions=[(Wheeled, {"at_edge": STOP, "reverse": ALLOW})],
        tracked=leaders((-50.0, 0.0, 0.0)),
        surfaces=road(7.2),
        vehicle=CAR,
        fps=FPS,
    )
    states = scene.run_until(lambda states: bool(states[-1].motion.forward[0, 0] < -0.95), 24 * FPS)
    assert states[-1].motion.forward[0, 0] < -0.95
    assert np.abs(positions(states)[:, 0, 1]).max() < 3.6


def test_it_turns_its_wheels_while_it_changes_its_gear(states) -> None:
    speed, angle = speeds_along(states)[1:, EDGE], output(states, "steering_wheel_angle")[:, EDGE]
    backs = int(np.argmax(speed < -0.01))
    stood = backs - int(np.argmax(np.abs(speed[backs - 1 :: -1]) > 0.0))
    assert (speed[stood:backs] == 0.0).all() and backs - stood > FPS
    assert abs(angle[backs] - angle[stood]) > 0.5 and abs(angle[backs]) > 0.3


@sampled
@pytest.mark.parametrize("row", [EDGE, WALL])
def test_one_that_may_is_out_of_a_dead_end_within_12_seconds(states, row: int) -> None:
    speed, way = speeds_along(states)[:, row], positions(states)[:, row]
    assert speed.min() < -0.5, "it backed out"
    assert speed[-5 * FPS :].max() > 1.0 and np.linalg.norm(way[-1] - way[0]) > 5.0
    goal = dead_ends().tracked.position[row]
    assert np.linalg.norm(way[-1] - goal) < np.linalg.norm(way[0] - goal)


def test_one_that_may_not_stands(states) -> None:
    assert np.abs(speeds_along(states)[-5 * FPS :, STANDS]).max() == 0.0
    assert np.linalg.norm(np.ptp(positions(states)[:, STANDS], axis=0)) < 0.7


def test_none_backs_into_the_vehicle_behind(states) -> None:
    assert speeds_along(states)[:, HEMMED_IN].min() > -WALK
    place, heading, half = (
        positions(states),
        headings(states),
        np.full(len(states), 0.5 * CAR["length"] - CAR["radius"]),
    )
    offset = place[:, BEHIND] - place[:, HEMMED_IN]
    gap = np.linalg.norm(between_axes(offset, heading[:, HEMMED_IN], half, heading[:, BEHIND], half), axis=1)
    assert gap.min() - 2.0 * CAR["radius"] > 0.2


def test_it_touches_no_wall_and_keeps_its_wheels_on_the_ground(states) -> None:
    way, heading = positions(states)[:, WALL], headings(states)[:, WALL]
    for share in (-1.25, 0.0, 1.25):
        distance, _ = dead_ends().obstacles.surface(way + share * heading, np.zeros(len(way), dtype=int))
        assert distance.min() > 0.9
    assert positions(states)[:, EDGE, 0].max() + AXLE < 40.0


def test_backwards_it_goes_at_walking_pace_without_slip_and_its_wheels_turn_back(states) -> None:
    speed, heading = speeds_along(states), headings(states)
    back = speed[1:] < 0.0
    assert back.any() and speed.min() >= -WALK - 1e-9
    rear = positions(states) - AXLE * heading
    way, middle = np.diff(rear, axis=0), heading[1:] + heading[:-1]
    assert np.abs(way[..., 0] * middle[..., 1] - way[..., 1] * middle[..., 0]).max() < 1e-9
    spin = output(states, "steering_wheel_spin")
    assert (np.diff(spin, axis=0)[back[1:]] < 0.0).all()
    turn = np.arcsin(np.abs(np.cross(heading[:-1], heading[1:])[..., 2]))
    assert (turn <= np.tan(0.6) / 2.7 * np.linalg.norm(way, axis=-1) * 1.001 + 1e-7).all()


def test_it_stands_before_it_changes_its_direction(states) -> None:
    sense = np.sign(np.round(speeds_along(states), 9))
    changes = sense[:-1] * sense[1:]
    assert (changes >= 0.0).all()
    angle = output(states, "steering_wheel_angle")
    assert np.abs(np.diff(angle, axis=0)).max() <= 0.8 / FPS * 1.03
    changes_gear = np.array([state.bodies[Wheeled.name].stuck > 0.0 for state in states[2:]])
    rests = (speeds_along(states)[2:] == 0.0) & ~changes_gear
    assert rests.any() and (np.diff(angle, axis=0)[rests] == 0.0).all(), "its wheels rest while it waits"


def test_pedals_and_lean_follow_the_way_it_goes(states) -> None:
    brake, accelerator = (output(states, f"steering_{name}") for name in ("brake", "accelerator"))
    assert (brake * accelerator == 0.0).all()
    speed, forward = speeds_along(states)[1:], output(states, "steering_forward_acceleration")
    faster = (speed < -0.2) & (forward < -0.5)
    slower = (speed < -0.2) & (forward > 1.0)
    assert faster[:, EDGE].any() and (accelerator[faster] > 0.0).all() and (brake[faster] == 0.0).all()
    assert slower[:, EDGE].any() and (brake[slower] > 0.0).all()


@thorough
def test_the_order_of_the_cars_and_the_length_of_the_run_do_not_matter(states) -> None:
    order = np.array([3, 0, 4, 2, 1])
    others = dead_ends().take(order).run(4 * FPS)
    assert speeds_along(others).min() < -0.5
    assert (positions(others) == positions(states)[: 4 * FPS, order]).all()
    assert (headings(others) == headings(states)[: 4 * FPS, order]).all()
