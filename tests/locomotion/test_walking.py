"""Side steps: who hardly walks goes where it is asked to, whichever way it faces; who walks, and animals, do not."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.behaviors.seek import Seek
from steering_addon.locomotion import OnFoot
from steering_addon.locomotion.gaits import step_aside
from steering_addon.locomotion.walking import STEEPEST, along_and_aside, is_settled, join_parts, lean_into_turns
from steering_addon.simulation.geometry.surfaces import surfaces
from steering_addon.simulation.snapshot import State
from steering_addon.simulation.vehicle import VehicleModel
from tests.locomotion.grounds import plane
from tests.locomotion.test_gaits import walker
from tests.locomotion.test_on_foot import FPS, walkers
from tests.sampling import sampled
from tests.scene import Scene, leaders, positions

SHARE, PACE = 0.4, 1.2
MODEL = {"max_speed": 2.0, "cruise_speed": PACE / 2.0, "max_force": 4.0, "response_time": 0.2}


def after(wish: tuple[float, float], gait: float, share: float = SHARE, steps: int = 24) -> np.ndarray:
    """The velocity, (2,) m/s, of one that faces +X once it has been asked for another during some steps."""
    heading, velocity = np.array([[1.0, 0.0]]), np.array([[gait, 0.0]])
    w = replace(walker(fastest=9.0), model=VehicleModel.of(1, **MODEL))
    for _ in range(steps):
        velocity = step_aside(w, np.array([share]), np.array([[gait, 0.0]]), heading, velocity, np.array([wish]))
    return velocity[0]


@pytest.mark.parametrize("angle", [60.0, 90.0, -110.0, 180.0])
def test_what_a_slow_one_is_asked_for_it_takes_up_within_two_steps(angle: float) -> None:
    """Two steps at a brisk walk take a second."""
    a = np.radians(angle)
    wish = (0.2 * np.cos(a), 0.2 * np.sin(a))
    assert after(wish, 0.0) == pytest.approx(wish, abs=0.01)


@pytest.mark.parametrize("gait", [0.0, 0.3, 0.9])
def test_the_faster_it_walks_the_less_it_steps_aside(gait: float) -> None:
    assert abs(after((gait, 2.0), gait)[1]) == pytest.approx(SHARE * (PACE - gait), abs=0.01)


def test_who_walks_and_animals_go_where_they_head() -> None:
    assert after((0.0, 1.0), PACE) == pytest.approx([PACE, 0.0])
    assert after((0.0, 1.0), 0.3, share=0.0) == pytest.approx([0.3, 0.0])


def test_parts_join_to_what_they_were() -> None:
    heading, velocity = np.array([[0.6, 0.8]]), np.array([[-0.3, 0.7]])
    assert join_parts(heading, *along_and_aside(velocity, heading)) == pytest.approx(velocity)


def test_its_velocity_is_that_of_its_way_also_aside() -> None:
    """One that stands and faces +X is asked to go to +Y; others see it step there before it has turned."""
    crowd = Scene(
        [(0.0, 0.0, 0.0)],
        forward=[(1.0, 0.0, 0.0)],
        speed=0.0,
        vehicle={"max_speed": 1.9, "cruise_speed": 0.7, "max_force": 2.0},
        locomotions=[(OnFoot, {"turn_radius": 3.0})],
        behaviors=[(Seek, {"target": 1, "pace": 1})],
        tracked=leaders((0.0, 9.0, 0.0)),
    )
    states = crowd.run(24)
    way = np.diff(positions(states), axis=0)[:, 0] * 24.0
    velocity, heading = (np.array([getattr(s.motion, name)[0] for s in states[1:]]) for name in ("velocity", "forward"))
    assert way == pytest.approx(velocity, abs=1e-9)
    assert np.abs(np.cross(heading, velocity)[:, 2]).max() > 0.1


ONE = np.ones(1)


def rolls(states: list[State]) -> np.ndarray:
    """(f, n) the tangents of the angles by which bodies are shown to lean to the left."""
    up, forward = (np.stack([getattr(state.pose, axis) for state in states]) for axis in ("up", "forward"))
    left = np.stack((-forward[..., 1], forward[..., 0]), axis=-1)
    return np.einsum("fni,fni->fn", up[..., :2], left) / up[..., 2]


def on_a_bend(speed: float, surface: bool, **foot: float) -> Scene:
    """Bodies that run to places far to their left and to their right."""
    targets, ground = [(-20.0, 20.0, 0.0), (-20.0, -20.0, 0.0)], surfaces([plane(half=25.0)] if surface else [])
    scene = walkers(2 * [(0.0, 0.0, 0.0)], targets, ground, **foot)
    scene.vehicle.update(max_speed=speed, cruise_speed=1.0, max_force=20.0)
    return replace(scene, speed=speed)


@sampled(one_of=2)
@pytest.mark.parametrize("surface", [True, False])
def test_who_runs_leans_into_the_bend_as_its_balance_asks(surface: bool) -> None:
    states = on_a_bend(4.0, surface).run(3 * FPS)
    lean = rolls(states)
    velocity = np.stack([state.motion.velocity for state in states])
    heading = np.unwrap(np.arctan2(velocity[..., 1], velocity[..., 0]), axis=0)
    asked = np.diff(heading, axis=0) * FPS * np.linalg.norm(velocity[1:], axis=-1) / 9.81
    assert lean[:, 0].max() > 0.3 and lean[:, 1].min() < -0.3
    assert np.abs(lean).max() <= STEEPEST
    share = lean[1:].sum(axis=0) / np.clip(asked, -STEEPEST, STEEPEST).sum(axis=0)
    assert ((share > 0.6) & (share < 1.05)).all(), "less where it brakes for the bend to a walk"
    assert np.abs(lean[-1]).max() < 0.002, "and is upright where it goes straight on"
    assert np.abs(np.diff(lean, axis=0)).max() < 0.12


def test_who_walks_or_is_to_stay_upright_does() -> None:
    for scene in (on_a_bend(1.4, True), on_a_bend(4.0, True, lean_in_turns=0.0)):
        assert (rolls(scene.run(FPS)) == 0.0).all()


def test_a_lean_ends_where_no_turn_asks_for_it_and_begins_with_the_smallest_that_does() -> None:
    lean = np.array((0.2, -0.2, 5e-5, 0.0))
    for _ in range(60):
        lean = lean_into_turns(lean, np.ones(4), np.full(4, 4.0), np.array((0.0, 0.0, 0.0, 1e-5)), np.full(4, 0.3), 0.1)
    assert lean[:3].tolist() == [0.0] * 3 and 0.0 < lean[3] < 1e-4


@pytest.mark.parametrize(
    ("cruise", "wished", "onward", "settled"),
    [
        (0.0, 0.3, 0.0, True),
        (0.0, 0.3, 0.29, False),
        (0.0, 9.0, 0.0, False),
        (0.0, 9.0, 9.0, False),
        (0.5, 0.3, 0.0, False),
        (0.5, 0.3, -0.3, False),
    ],
)
def test_who_is_to_stand_settles_whatever_pulls_it_aside_or_back(cruise, wished, onward, settled: bool) -> None:
    """Unless that pulls it ahead, or hard."""
    model = VehicleModel.of(2, max_speed=2.0, cruise_speed=np.array((cruise, 0.0)), radius=0.3)
    assert is_settled(model, wished * np.ones(2), onward * np.ones(2))[0] == settled


def test_small_bodies_run_at_lower_speeds() -> None:
    lean = lean_into_turns(0.0 * ONE, ONE, 1.5 * ONE, 2.0 * ONE, 0.3 * ONE, 0.1)
    small = lean_into_turns(0.0 * ONE, ONE, 1.5 * ONE, 2.0 * ONE, 0.05 * ONE, 0.1)
    assert lean[0] == 0.0 < small[0]
