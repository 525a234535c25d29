"""The laws of a single odd step of every locomotion. Listing a new one in CATALOGUE makes them cover it."""

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.locomotion import CATALOGUE
from steering_addon.simulation.declaration import Parameter
from steering_addon.simulation.locomotion import Control, Locomotion, Moved
from steering_addon.simulation.terrain import no_terrain
from steering_addon.simulation.vehicle import Motion, VehicleModel
from tests.scene import angle_between
from tests.simulation.odd_input import BOUNDED, numbers, vectors

STEPS = (1.0 / 24.0, 1.0 / 60.0, 1.0 / 240.0, 1.0)


@st.composite
def odd_steps(draw: st.DrawFn) -> tuple[Locomotion, VehicleModel, Motion, Control, float]:
    """A step of vehicles with odd values; each moves the way it faces, no faster than its top speed."""
    n, kind = 3, draw(st.sampled_from(CATALOGUE))

    def value(parameter: Parameter) -> float:
        if parameter.choices:
            return draw(st.sampled_from([each.number for each in parameter.choices]))
        largest = parameter.most if np.isfinite(parameter.most) else 100.0
        return draw(st.sampled_from([parameter.least, parameter.default, largest]) | numbers(parameter.least, largest))

    top = draw(numbers(0.0, 100.0))
    model = VehicleModel.of(n, mass=draw(numbers(1e-3, 1e6)), max_force=draw(numbers(0.0, 1e6)), max_speed=top)
    moves = kind.of(n, **{name: value(parameter) for name, parameter in kind.parameters().items()})
    facing = draw(vectors(n, largest=1.0))
    facing[:, 2] *= not kind.grounded
    facing[np.linalg.norm(facing, axis=1) < 1e-3] = (1.0, 0.0, 0.0)
    facing /= np.linalg.norm(facing, axis=1, keepdims=True)
    up = np.cross(facing, draw(st.sampled_from([(0.3, 0.2, 0.1), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)])))
    up[np.linalg.norm(up, axis=1) < 1e-3] = (0.0, 0.0, 1.0)
    up /= np.linalg.norm(up, axis=1, keepdims=True)
    motion = Motion(np.zeros((n, 3)), facing * top * draw(numbers(0.0, 1.0)), np.cross(facing, up), facing, up)
    limit = draw(st.none() | numbers(0.0, 100.0))
    asked = draw(st.none() | st.sampled_from([(1.0, 0.0, 0.0), (0.0, -0.6, 0.8), (0.0, 0.0, 0.0)]))
    heading = None if asked is None else np.tile(asked, (n, 1))
    control = Control(draw(vectors(n)), None if limit is None else np.full(n, limit), heading)
    return moves, model, motion, control, draw(st.sampled_from(STEPS))


def memory_of(moves: Locomotion, n: int) -> Any:
    return None if moves.remembers is None else moves.remembers.blank(n)


@BOUNDED
@given(odd_steps())
def test_speed_force_and_turning_stay_within_their_limits(odd) -> None:
    moves, model, motion, control, dt = odd
    moved = moves.moved(model, motion, control, no_terrain(3), memory_of(moves, 3), dt)
    position, velocity, forward = moved.position, moved.velocity, moved.forward
    assert np.isfinite((position, velocity, forward)).all()
    assert np.isclose(np.linalg.norm(gone(moves, motion, moved), axis=1), np.linalg.norm(velocity, axis=1) * dt).all()
    assert (np.linalg.norm(velocity, axis=1) <= model.max_speed * (1.0 + 1e-9)).all()
    push = np.linalg.norm(velocity - motion.velocity, axis=1) * model.mass / dt
    assert (push <= model.max_force * (1.0 + 1e-9) + 1e-9 * model.mass * model.max_speed / dt).all()
    # The heading of a vehicle that hardly moves has few exact digits.
    sure = np.linalg.norm(velocity, axis=1) > 1e-9
    turn = angle_between(motion.forward, forward)
    assert (turn <= np.minimum(moves.handling().turn_rate * dt, np.pi) * (1.0 + 1e-6) + 1e-6)[sure].all()


def gone(moves: Locomotion, motion: Motion, moved: Moved) -> np.ndarray:
    """The ways, (n, 3), of the points of bodies that move the way these face: of their axles, if they have any."""
    axle = np.nan_to_num(moves.handling().axle)[:, None]
    return moved.position - axle * moved.forward - (motion.position - axle * motion.forward)


@BOUNDED
@given(odd_steps())
def test_it_moves_the_way_it_faces(odd) -> None:
    moves, model, motion, control, dt = odd
    moved = moves.moved(model, motion, control, no_terrain(3), memory_of(moves, 3), dt)
    velocity, forward = moved.velocity, moved.forward
    way = gone(moves, motion, moved)
    # The way of an axle is the chord of its arc: it faces so in the middle of the step.
    slack = np.linalg.norm(moved.forward - motion.forward, axis=1) * np.isfinite(moves.handling().axle)
    aside = np.linalg.norm(way - velocity * dt, axis=1)
    assert (aside <= (slack + 1e-9) * np.linalg.norm(velocity, axis=1) * dt + 1e-9).all()
    assert np.abs(np.linalg.norm(forward, axis=1) - 1.0).max() < 1e-9
    along = (velocity * forward).sum(axis=1, keepdims=True)
    assert (along >= 0.0).all()
    assert np.abs(velocity - along * forward).max() <= 1e-9 * (1.0 + model.max_speed.max())


@BOUNDED
@given(odd_steps())
def test_it_climbs_and_dives_no_more_steeply_than_it_may(odd) -> None:
    """One that has come within its limits; one that starts more steeply levels off."""
    moves, model, motion, control, dt = odd
    handling, most = moves.handling(), 1e9
    climb, dive = np.minimum(handling.steepest_climb, most), np.minimum(handling.steepest_dive, most)

    def within(forward: np.ndarray, slack: float) -> np.ndarray:
        flat, rise = np.hypot(*forward[:, :2].T) + slack, forward[:, 2]
        return (rise <= climb * flat + slack) & (-rise <= dive * flat + slack)

    for _ in range(2):
        moved = moves.moved(model, motion, control, no_terrain(3), memory_of(moves, 3), dt)
        assert within(moved.forward, 1e-6)[within(motion.forward, 0.0)].all()
        motion = replace(motion, velocity=moved.velocity, forward=moved.forward)


@BOUNDED
@given(odd_steps())
def test_up_is_a_unit_vector_across_the_heading(odd) -> None:
    moves, model, motion, control, dt = odd
    memory = memory_of(moves, 3)
    moved = moves.moved(model, motion, control, no_terrain(3), memory, dt)
    acceleration = moves.handling().smoothed(np.zeros((3, 3)), (moved.velocity - motion.velocity) / dt, dt)
    stance = moves.stance(motion, moved, acceleration, no_terrain(3), dt)
    up, forward, after = stance.up, stance.forward, stance.memory
    assert np.abs(np.linalg.norm(up, axis=1) - 1.0).max() < 1e-9
    assert np.abs((up * forward).sum(axis=1)).max() < 1e-9
    assert type(after) is type(memory)
    if after is not None:
        assert all(len(column) == 3 and np.isfinite(column).all() for column in vars(after).values())
