"""The simple vehicle model (paper, A Simple Vehicle Model)."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.seek import Seek
from steering_addon.locomotion import Planar, SimpleVehicle, Swimming
from steering_addon.locomotion.point_mass import TURNING_SPEED, _round, _turn
from steering_addon.simulation.locomotion import Control, Locomotion
from steering_addon.simulation.moving import damp
from steering_addon.simulation.snapshot import Snapshot
from steering_addon.simulation.terrain import no_terrain
from steering_addon.simulation.vehicle import Motion, VehicleModel
from tests.scene import Scene, angle_between, headings, leaders, positions, speeds
from tests.simulation.odd_input import BOUNDED, numbers, vectors

DT = 1.0 / 24.0
NEVER_LIMITED = 1e9
TURN = np.pi
"""The default of the fastest turn, rad/s."""


def motion_of(position: np.ndarray, velocity: np.ndarray, facing: np.ndarray) -> Motion:
    speed = np.linalg.norm(velocity, axis=1, keepdims=True)
    forward = np.where(speed > 0.0, velocity / np.maximum(speed, 1e-300), facing)
    return Motion(position, velocity, np.zeros_like(forward), forward, np.zeros_like(forward))


def moved(
    model: VehicleModel,
    motion: Motion,
    force: np.ndarray,
    dt: float,
    moves: Locomotion | None = None,
    limit: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The next positions, velocities and headings, by default of vehicles that move freely in space."""
    n = len(force)
    body = moves or SimpleVehicle.of(n)
    memory = None if body.remembers is None else body.remembers.blank(n)
    moved = body.moved(model, motion, Control(force, limit), no_terrain(n), memory, dt)
    return moved.position, moved.velocity, moved.forward


def truncated(v: np.ndarray, longest: float) -> np.ndarray:
    length = np.sqrt((v * v).sum())
    return v * (longest / length) if length > longest else v


def papers_step(model: VehicleModel, row: int, position: np.ndarray, velocity: np.ndarray, steering: np.ndarray):
    steering_force = truncated(steering, model.max_force[row])
    acceleration = steering_force / model.mass[row]
    velocity = truncated(velocity + acceleration * DT, model.max_speed[row])
    return position + velocity * DT, velocity


def test_forward_euler_is_the_papers_without_the_limit_on_turning() -> None:
    rng = np.random.default_rng(3)
    n = 20
    model = VehicleModel.of(
        n,
        mass=rng.uniform(0.5, 4.0, n),
        max_force=rng.uniform(5.0, 30.0, n),
        max_speed=rng.uniform(3.0, 8.0, n),
    )
    free = SimpleVehicle.of(n, max_turn_rate=NEVER_LIMITED)
    velocity = rng.uniform(-2.0, 2.0, (n, 3))
    motion = motion_of(rng.uniform(-9.0, 9.0, (n, 3)), velocity, velocity)
    plain = [(motion.position[row], motion.velocity[row]) for row in range(n)]
    for _ in range(40):
        # No vehicle stops: near standstill this model drives round.
        force = rng.normal(size=(n, 3)) * 10.0 + 8.0 * motion.forward
        position, velocity, forward = moved(model, motion, force, DT, free)
        plain = [papers_step(model, row, *plain[row], force[row]) for row in range(n)]
        assert np.abs(position - [p for p, _ in plain]).max() < 1e-9
        assert np.abs(velocity - [v for _, v in plain]).max() < 1e-9
        assert np.abs(forward - [v / np.linalg.norm(v) for _, v in plain]).max() < 1e-9
        motion = replace(motion, position=position, velocity=velocity, forward=forward)


def test_gentle_steering_is_the_papers_also_with_the_limit_on_turning() -> None:
    rng = np.random.default_rng(4)
    model = VehicleModel.of(5)
    velocity = rng.normal(size=(5, 3))
    velocity *= 4.0 / np.linalg.norm(velocity, axis=1, keepdims=True)
    motion = motion_of(np.zeros((5, 3)), velocity, velocity)
    force = rng.normal(size=(5, 3)) * 4.0
    position, after, _ = moved(model, motion, force, DT)
    for row in range(5):
        wanted = papers_step(model, row, motion.position[row], velocity[row], force[row])
        assert np.allclose((position[row], after[row]), wanted, atol=1e-12)


def test_a_lower_keyed_top_speed_applies_immediately() -> None:
    """This change of velocity may exceed max_force: it is the paper's kinematic truncation."""
    place = Scene([[0.0, 0.0, 0.0]], speed=5.0, vehicle={"max_speed": 5.0})

    def slower(frame: int, snapshot: Snapshot) -> Snapshot:
        return replace(snapshot, vehicle=replace(snapshot.vehicle, max_speed=np.array([5.0 if frame < 5 else 1.0])))

    speed = speeds(place.run(20, at=slower))[:, 0]
    assert (speed[:6] > 3.9).all()
    assert (speed[6:] <= 1.0 + 1e-9).all()


def test_a_vehicle_at_rest_keeps_its_heading() -> None:
    place = Scene([[0.0, 0.0, 0.0]], forward=[[1.0, 2.0, 0.5]], vehicle={"cruise_speed": 0.0})
    assert (headings(place.run(48)) == place.forward).all()


def test_a_push_to_the_side_does_not_spin_a_vehicle_at_rest() -> None:
    model = VehicleModel.of(4)
    forward = np.tile([0.0, 1.0, 0.0], (4, 1))
    motion = Motion(np.zeros((4, 3)), np.zeros((4, 3)), forward, forward, forward)
    sideways = [[10.0, 0.0, 0.0], [-10.0, -3.0, 0.0], [0.0, -10.0, 0.0], [0.0, 0.0, 10.0]]
    _, _, after = moved(model, motion, np.array(sideways), DT)
    assert (angle_between(forward, after) <= TURN * DT + 1e-9).all()
    motion = replace(motion, velocity=np.zeros((4, 3)))
    _, _, after = moved(model, motion, np.array(sideways) * 1e-6, DT)
    assert angle_between(forward, after).max() < 1e-3, "with hardly any force it has hardly any speed to turn at"


def test_the_limit_on_turning_is_open_from_half_a_percent_of_the_top_speed_on() -> None:
    model = VehicleModel.of(4)
    turn = _turn(model.max_speed, np.full(4, TURN), np.array([0.0, 0.0025, 0.005, 1.0]) * model.max_speed, DT)
    assert np.allclose(turn, np.array([0.0, 0.5, 1.0, 1.0]) * TURN * DT)


@pytest.mark.parametrize(("back", "drives_round"), [(0.5, True), (0.3, False)])
def test_asked_to_go_backwards_within_a_tenth_of_a_second_it_drives_round_else_it_brakes(
    back: float, drives_round: bool
) -> None:
    model, slow = VehicleModel.of(1, max_force=1e3), SimpleVehicle.of(1, max_turn_rate=0.1)
    motion = motion_of(np.zeros((1, 3)), np.array([[0.0, 1.0, 0.0]]), np.zeros((1, 3)))
    force = model.mass[0] / DT * np.array([[0.8, -back, 0.0]])
    _, velocity, _ = moved(model, motion, force, DT, slow)
    turning = TURNING_SPEED * model.max_speed[0]
    assert np.linalg.norm(velocity) == pytest.approx(turning if drives_round else 1.0 - back, abs=0.01)


@pytest.mark.parametrize("dt", [1.0 / 12.0, DT, 1.0 / 60.0])
def test_the_speed_at_which_it_drives_round_does_not_alternate(dt: float) -> None:
    model = VehicleModel.of(1)
    motion = motion_of(np.zeros((1, 3)), np.array([[0.0, 0.6, 0.0]]), np.zeros((1, 3)))
    speed = []
    for _ in range(int(0.35 / dt)):
        _, velocity, forward = moved(model, motion, np.array([[0.1, -14.0, 0.0]]), dt)
        motion = motion_of(np.zeros((1, 3)), velocity, np.zeros((1, 3)))
        speed.append(float(np.linalg.norm(velocity)))
    assert angle_between(forward, np.array([[0.0, 1.0, 0.0]])) > 0.5, "it does not turn round"
    assert np.abs(np.diff(speed[len(speed) // 2 :])).max() < 0.01


def test_driving_round_gains_at_most_the_speed_that_the_force_gives() -> None:
    model = VehicleModel.of(3)
    forward = np.tile([0.0, 1.0, 0.0], (3, 1))
    motion = Motion(np.zeros((3, 3)), np.zeros((3, 3)), forward, forward, forward)
    force = np.array([[0.0, -1e-3, 0.0], [0.0, -0.1, 0.0], [1e-3, -0.1, 0.0]])
    _, velocity, _ = moved(model, motion, force, DT)
    given = np.linalg.norm(force, axis=1) / model.mass * DT
    assert (np.linalg.norm(velocity, axis=1) <= given * (1.0 + 1e-9)).all()


def test_a_force_that_stops_a_vehicle_keeps_its_heading() -> None:
    place = Scene(
        [[0.0, 0.0, 0.0]], speed=4.0, behaviors=[(Arrival, {"slowing_distance": 2.0})], tracked=leaders([0.0, 6.0, 0.0])
    )
    states = place.run(240)
    assert speeds(states)[-1, 0] < 1e-3
    assert np.abs(headings(states)[:, 0] - (0.0, 1.0, 0.0)).max() < 1e-6


def test_without_behaviors_they_reach_cruise_speed_and_hold_it() -> None:
    place = Scene([[0.0, 0.0, 0.0], [9.0, 0.0, 0.0]], speed=[0.0, 5.0], vehicle={"cruise_speed": 0.6})
    speed = speeds(place.run(24 * 8))
    assert np.abs(speed[-1] - 3.0).max() < 0.01
    assert (np.diff(speed[:, 0]) >= 0.0).all(), "it swung"
    assert (np.diff(speed[:, 1]) <= 0.0).all(), "it swung"


def test_a_preroll_is_a_number_of_frames_before_the_first() -> None:
    place = Scene([[0.0, 0.0, 0.0]], behaviors=[(Seek, {})], tracked=leaders([20.0, 20.0, 5.0]))
    seen, unseen = place.run(80), place.run(32, preroll=48)
    assert positions(unseen).tobytes() == positions(seen)[48:].tobytes()
    assert unseen[0].time == pytest.approx(0.0, abs=1e-12)
    assert [s.time for s in unseen] == pytest.approx([frame / 24.0 for frame in range(32)], abs=1e-9)


def test_in_the_preroll_what_moves_in_the_scene_is_where_it_was_before() -> None:
    target, drift = np.array([20.0, 20.0, 5.0]), np.array([3.0, 0.0, 0.0])
    place = Scene([[0.0, 0.0, 0.0]], behaviors=[(Seek, {})], tracked=leaders(target), drift=drift)
    earlier = replace(place, tracked=leaders(target - 2.0 * drift))
    assert np.allclose(positions(place.run(9, preroll=48)), positions(earlier.run(57))[48:], atol=1e-9)
    still = replace(place, drift=(0.0, 0.0, 0.0))
    assert not np.allclose(positions(place.run(1, preroll=48)), positions(still.run(1, preroll=48)))


@BOUNDED
@given(numbers(0.0, 8.0), vectors(4, 1e3), vectors(4, 1e3))
def test_a_speed_limit_is_kept_as_well_as_full_braking_can(
    fastest: float, velocity: np.ndarray, force: np.ndarray
) -> None:
    model = VehicleModel.of(4, max_speed=1e9, max_force=10.0)
    motion = motion_of(np.zeros((4, 3)), velocity, np.tile([0.0, 1.0, 0.0], (4, 1)))

    def after(push: np.ndarray, limit: float) -> np.ndarray:
        return moved(model, motion, push, DT, limit=np.full(4, limit))[1]

    braked = after(force, fastest)
    assert (np.linalg.norm(braked - velocity, axis=1) <= 10.0 * DT + 1e-9).all()
    slowest = np.maximum(fastest, np.linalg.norm(velocity, axis=1) - 10.0 * DT)
    assert (np.linalg.norm(after(np.zeros((4, 3)), fastest), axis=1) <= slowest + 1e-9).all()
    assert np.allclose(after(force, np.inf), moved(model, motion, force, DT)[1], atol=1e-9)


def test_a_sudden_force_sets_in_as_through_a_low_pass_filter() -> None:
    """After the damping time it has all but 1 / e of its strength, for any step."""
    for dt in (DT, DT / 8.0):
        model = VehicleModel.of(1, damping=0.5)
        force = np.zeros((1, 3))
        for _ in range(round(0.5 / dt)):
            force = damp(model, force, np.array([[4.0, 0.0, 0.0]]), dt)
        assert force[0, 0] == pytest.approx(4.0 * (1.0 - np.exp(-1.0)), rel=dt)


def test_without_damping_the_force_acts_unchanged() -> None:
    wanted = np.array([[1e3, 2.0, -3.0], [4.0, 5.0, 6.0]])
    model = VehicleModel.of(2, damping=[0.0, 0.3])
    smoothed = damp(model, np.ones((2, 3)), wanted, DT)
    assert smoothed[0].tobytes() == wanted[0].tobytes()
    assert damp(VehicleModel.of(2), np.ones((2, 3)), wanted, DT) is wanted


@given(vectors(4), vectors(4), numbers(4))
def test_damping_does_not_make_a_force_exceed_max_force(before, wanted, time) -> None:
    model = VehicleModel.of(4, damping=np.abs(time) + 1e-3)
    force = truncated_rows(before, model.max_force)
    assert (np.linalg.norm(damp(model, force, wanted, DT), axis=1) <= model.max_force * (1.0 + 1e-9)).all()


def truncated_rows(v: np.ndarray, longest: np.ndarray) -> np.ndarray:
    return np.array([truncated(row, limit) for row, limit in zip(v, longest, strict=True)])


def test_a_vehicle_that_is_to_go_straight_back_turns_to_its_level_side() -> None:
    angle = np.linspace(0.0, 2.0 * np.pi, 60)
    forward = np.stack((np.cos(angle), np.sin(angle), np.zeros(60)), axis=-1)
    most, rate = np.full(60, 5.0), np.full(60, 2.0)
    turned = _round(most, rate, forward, 3.0 * forward, -1.0 * forward, DT)
    heading = turned / np.linalg.norm(turned, axis=1, keepdims=True)
    assert np.abs(turned[:, 2]).max() < 1e-12
    assert np.allclose(angle_between(forward, heading), _turn(most, rate, np.full(60, 3.0), DT))


@pytest.mark.parametrize("kind", [SimpleVehicle, Swimming, Planar])
def test_a_body_whose_velocity_a_contact_has_turned_turns_no_faster_than_it_can(kind: type[Locomotion]) -> None:
    """Its velocity leads aside or straight back, fast or hardly at all."""
    velocity = np.array([(0.05, 0.0, 0.0), (2.0, 0.5, 0.0), (0.0, -1.0, 0.0), (0.1, 3.0, 0.0)])
    forward, up = np.tile((0.0, 1.0, 0.0), (4, 1)), np.tile((0.0, 0.0, 1.0), (4, 1))
    motion = Motion(np.zeros((4, 3)), velocity, np.cross(forward, up), forward, up)
    _, after, heading = moved(VehicleModel.of(4), motion, np.zeros((4, 3)), DT, kind.of(4))
    turns = angle_between(forward, heading)
    assert turns == pytest.approx([TURN * DT] * 3 + [np.arctan2(0.1, 3.0)])
    assert after[[0, 1, 3]] == pytest.approx(velocity[[0, 1, 3]])
