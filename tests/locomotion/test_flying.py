"""Flying: climbing less steeply and more slowly than diving, and not hovering."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.seek import Seek
from steering_addon.locomotion import Flying
from steering_addon.locomotion.pitch import kept_up
from steering_addon.simulation.locomotion import Control
from steering_addon.simulation.snapshot import State
from steering_addon.simulation.terrain import no_terrain
from steering_addon.simulation.vehicle import Motion, VehicleModel
from tests.sampling import sampled
from tests.scene import Scene, headings, leaders, positions, speeds
from tests.simulation.odd_input import BOUNDED, numbers, vectors

FPS = 12
TOP = 5.0
PLACE = (0.0, 20.0, 3.0)
"""Where birds would stop."""


def bird(target, speed: float = 4.0, behaviors=((Seek, {}),), **values) -> Scene:
    return Scene(
        [[0.0, 0.0, 0.0], [2.0, 5.0, 0.0]],
        speed=speed,
        behaviors=list(behaviors),
        locomotions=[(Flying, values)],
        tracked=leaders(target),
        fps=FPS,
    )


def test_in_between_the_speed_of_a_climb_falls_with_its_steepness() -> None:
    states = bird([0.0, 400.0, 105.0]).run(FPS * 6)
    share = 1.0 - 0.3 * headings(states)[-1, :, 2] / np.sin(np.radians(30.0))
    assert (share > 0.75).all() and (share < 0.95).all()
    assert speeds(states)[-1] == pytest.approx(TOP * share, rel=1e-3)


def test_level_flight_is_as_fast_as_any() -> None:
    assert speeds(bird([0.0, 400.0, 0.0]).run(FPS * 5))[-1].min() > 0.99 * TOP


@sampled
@pytest.mark.parametrize("share", [0.2, 0.6])
def test_one_that_cannot_hover_circles_round_where_it_would_stop(share: float) -> None:
    states = bird(PLACE, behaviors=[(Arrival, {})], least_speed=share).run(FPS * 15)
    assert speeds(states).min() >= share * TOP * (1.0 - 1e-9)
    assert np.linalg.norm(positions(states)[-10 * FPS :] - PLACE, axis=-1).max() < 6.0


def test_without_a_least_speed_it_stops_there() -> None:
    def stands(states: list[State]) -> bool:
        return bool(speeds(states[-1:]).max() < 0.01)

    assert stands(bird(PLACE, behaviors=[(Arrival, {})]).run_until(stands, FPS * 40))


def test_from_rest_it_speeds_up_to_the_least_speed() -> None:
    states = bird((0.0, 20.0, 0.0), speed=0.0, behaviors=(), least_speed=0.9)
    speed = speeds(states.run(FPS * 4))
    assert speed[0].max() == 0.0
    assert (np.diff(speed, axis=0) >= -1e-9).all()
    assert speed[FPS:].min() >= 0.9 * TOP * (1.0 - 1e-9)


@st.composite
def in_flight(draw: st.DrawFn) -> tuple[VehicleModel, Motion, Control, np.ndarray]:
    """Vehicles that are as fast as their least speed or faster."""
    n = 3
    model = VehicleModel.of(n, max_force=draw(numbers(0.1, 1e4)), max_speed=draw(numbers(0.1, 50.0)))
    facing = draw(vectors(n, largest=1.0))
    facing[:, 2] *= 0.1
    facing[np.linalg.norm(facing, axis=1) < 1e-3] = (1.0, 0.0, 0.0)
    facing /= np.linalg.norm(facing, axis=1, keepdims=True)
    least = np.full(n, draw(numbers(0.05, 1.0)))
    speed = model.max_speed * (least + (1.0 - least) * draw(numbers(0.0, 1.0)))
    side = np.cross(facing, (0.0, 0.0, 1.0))
    motion = Motion(np.zeros((n, 3)), facing * speed[:, None], side, facing, np.cross(side, facing))
    return model, motion, Control(draw(vectors(n)), None), least


@BOUNDED
@given(in_flight())
def test_in_flight_no_force_makes_it_slower_than_the_least_speed(given_flight) -> None:
    """Nor does it take more than its strongest force to stay as fast in a turn."""
    model, motion, control, least = given_flight
    moves = Flying.of(3, least_speed=least)
    velocity = moves.moved(model, motion, control, no_terrain(3), Flying.remembers.blank(3), 1.0 / FPS).velocity
    speed = np.linalg.norm(velocity, axis=1)
    assert (speed >= least * model.max_speed * (1.0 - 1e-9)).all()
    assert (speed <= model.max_speed * (1.0 + 1e-9)).all()
    push = np.linalg.norm(velocity - motion.velocity, axis=1) * FPS
    assert (push <= model.max_force * (1.0 + 1e-9) + 1e-9 * model.max_speed * FPS).all()


def test_at_its_least_speed_a_weak_flyer_turns_as_tightly_as_its_force_allows() -> None:
    """Asked to stop and turn at the same time; the force has no part left that would slow it down."""
    model = VehicleModel.of(2, max_force=2.0)
    forward = np.tile([0.0, 1.0, 0.0], (2, 1))
    motion = Motion(np.zeros((2, 3)), 3.0 * forward, forward, forward, np.tile([0.0, 0.0, 1.0], (2, 1)))
    wanted = np.array([[0.05, 2.9, 0.0], [1.0, 1.0, 0.0]])
    velocity, _ = kept_up(model, motion, wanted, forward, np.full(2, 3.0), 1.0 / FPS)
    assert np.linalg.norm(velocity, axis=1) == pytest.approx(3.0)
    change = np.linalg.norm(velocity - motion.velocity, axis=1)
    assert change == pytest.approx([3.0 * 2.0 * np.sin(0.5 * np.arctan(0.05 / 2.9)), 2.0 / FPS])


@pytest.mark.parametrize("aside", [0.0, 1e-12, 1e-8, 1e-5])
def test_the_least_speed_is_exact_also_nearly_straight_on(aside: float) -> None:
    model = VehicleModel.of(1)
    forward = np.array([[0.0, 1.0, 0.0]])
    motion = Motion(np.zeros((1, 3)), 5.0 * forward, forward, forward, np.array([[0.0, 0.0, 1.0]]))
    velocity, _ = kept_up(model, motion, np.array([[aside, 4.9, aside]]), forward, np.full(1, 5.0), 1.0 / FPS)
    assert np.linalg.norm(velocity) == pytest.approx(5.0, rel=1e-14)


def test_who_is_fast_enough_is_left_alone() -> None:
    model = VehicleModel.of(2)
    forward = np.tile([0.0, 1.0, 0.0], (2, 1))
    motion = Motion(np.zeros((2, 3)), 3.0 * forward, forward, forward, forward)
    velocity = np.array([[0.0, 3.0, 0.0], [0.1, 2.9, 0.0]])
    assert kept_up(model, motion, velocity, forward, np.full(2, 2.0), 1.0 / FPS)[0] is velocity
