"""Banking (paper, A Simple Vehicle Model), judged by the metrics of scripts/motion_metrics.py."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest

from scripts.motion_metrics import rolled, rolls
from steering_addon.behaviors.arrival import Arrival
from steering_addon.locomotion import SimpleVehicle
from steering_addon.locomotion.banking import GRAVITY, Banking, banked
from steering_addon.simulation.arrays.vectors import Vectors, dot, magnitude, unit
from steering_addon.simulation.behavior import Behavior, Steering
from steering_addon.simulation.run import simulate
from steering_addon.simulation.snapshot import State
from steering_addon.simulation.world import Agents, World
from tests.sampling import sampled
from tests.scene import Scene, about, headings, leaders, speeds, ups

BIRD = {"max_speed": 13.75, "cruise_speed": 0.8, "max_force": 25.0}
"""11 m/s, as in the flights on which the bounds were measured."""
FPS = 24


@dataclass(frozen=True)
class Flown(Behavior):
    """A pilot, who accelerates by a function of time, in m/s2 to the side, forward and up."""

    name = "flown"
    label = term = "flown"
    pilot: Callable[[float], tuple[float, float, float]] = lambda time: (0.0, 0.0, 0.0)

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        return Steering(self.acceleration(world, agents) * agents.mass[:, None], sets_speed=agents.speed >= 0.0)

    def acceleration(self, world: World, agents: Agents) -> Vectors:
        side, forward, up = self.pilot(world.time)
        level_side, level_up = agents.level_frame()
        return side * level_side + forward * agents.forward + up * level_up


def banking(**values: object) -> list[tuple[type[SimpleVehicle], dict[str, object]]]:
    """The locomotions of a scene in which vehicles lean with these values."""
    return [(SimpleVehicle, values)]


def flown(place: Scene, pilot: Callable[[float], tuple[float, float, float]], frames: int) -> list[State]:
    """The run of a scene with a pilot in every vehicle."""
    still = place.snapshot()
    settings = replace(still.settings[0], behaviors=(replace(Flown.of(1), pilot=pilot),))
    return list(simulate(place.start(), [replace(still, settings=(settings,))] * frames))


@sampled
@pytest.mark.parametrize("climb", [0.0, 3.0, -3.0])
@pytest.mark.parametrize("max_bank", [20.0, 60.0])
def test_the_lean_is_limited(max_bank: float, climb: float) -> None:
    """Eight degrees are allowed for climbing turns, which lean the wings a little further."""
    moves = banking(max_bank=np.radians(max_bank))
    place = Scene([[0.0] * 3] * 2, speed=11.0, vehicle=BIRD, locomotions=moves, fps=FPS)
    states = flown(place, lambda time: (24.0 * np.sin(2.0 * time), 0.0, climb * np.sin(1.3 * time)), 10 * FPS)
    roll = np.abs(rolls(headings(states), ups(states)))
    assert max_bank - 5.0 < roll.max() <= max_bank + 8.0


@pytest.mark.parametrize("turn", [-8.0, 5.0])
def test_in_a_steady_turn_it_leans_inward_by_the_lean_of_a_coordinated_turn(turn: float) -> None:
    place = Scene([[0.0] * 3], speed=11.0, vehicle=BIRD, fps=FPS)
    states = flown(place, lambda time: (turn, 0.0, 0.0), 3 * FPS)
    assert rolls(headings(states), ups(states))[-1, 0] == pytest.approx(np.degrees(np.arctan(turn / 9.81)), abs=1.5)


def test_banking_can_be_turned_down_and_off() -> None:
    moves = banking(bank=np.array([0.0, 0.5, 1.0]))
    place = Scene([[0.0] * 3] * 3, speed=11.0, vehicle=BIRD, locomotions=moves, fps=FPS)
    none, half, whole = np.abs(rolls(*axes(flown(place, lambda time: (6.0, 0.0, 0.0), 3 * FPS)))[-1])
    assert none < 1e-6
    assert half == pytest.approx(np.degrees(np.arctan(3.0 / 9.81)), abs=1.5)
    assert whole == pytest.approx(np.degrees(np.arctan(6.0 / 9.81)), abs=1.5)


def axes(states: list[State]) -> tuple[np.ndarray, np.ndarray]:
    return headings(states), ups(states)


@pytest.mark.parametrize("roll", [40.0, -90.0, 175.0])
def test_in_straight_flight_it_returns_to_level_without_swinging(roll: float) -> None:
    place = Scene([[0.0] * 3], up=about((0.0, 1.0, 0.0), roll)[:, 2], speed=11.0, vehicle=BIRD, fps=FPS)
    roll_angles = rolls(*axes(place.run(3 * FPS)))[:, 0]
    assert roll_angles[0] == pytest.approx(roll)
    assert abs(roll_angles[-1]) < 0.5
    assert (roll_angles * np.sign(roll) > -1.0).all(), "it rolled past level"


@pytest.mark.parametrize("heading", [(0.0, 1.0, 0.0), (0.0, 0.6, 0.8)])
def test_at_rest_the_orientation_does_not_change(heading: tuple[float, float, float]) -> None:
    place = Scene([[0.0] * 3], forward=[heading], vehicle={"cruise_speed": 0.0}, fps=FPS)
    states = place.run(2 * FPS)
    assert np.abs(ups(states) - ups(states)[0]).max() < 1e-9


def test_during_a_stop_it_returns_to_level() -> None:
    place = Scene(
        [[0.0, 0.0, 0.0], [20.0, 0.0, 0.0]], speed=5.0, behaviors=[(Arrival, {})], tracked=leaders([9.0, 12.0, 3.0])
    )
    states = place.run(12 * FPS)
    assert speeds(states)[-FPS:].max() < 0.01
    assert np.abs(rolls(*axes(states))[-FPS:]).max() < 0.1


@pytest.mark.parametrize("lean", [0.0, 0.02, 0.1])
def test_in_a_vertical_climb_the_wings_do_not_spin(lean: float) -> None:
    """A vertical heading has no level, and the heading wobbles about the vertical."""
    place = Scene([[0.0] * 3], forward=[[lean, 0.0, 1.0]], up=(0.0, -1.0, 0.0), speed=11.0, vehicle=BIRD, fps=FPS)
    states = flown(place, lambda time: (1.5 * np.sin(3.0 * time), 0.0, 1.5 * np.sin(2.3 * time)), 4 * FPS)
    assert headings(states)[:, 0, 2].min() > 0.8
    assert np.abs(rolled(*axes(states))).max() * FPS < 60.0


def test_straight_up_it_keeps_its_roll() -> None:
    place = Scene([[0.0] * 3], forward=[[0.0, 0.0, 1.0]], up=(0.6, -0.8, 0.0), speed=11.0, vehicle=BIRD, fps=FPS)
    states = place.run(2 * FPS)
    assert np.abs(ups(states) - (0.6, -0.8, 0.0)).max() < 1e-9


def test_up_is_perpendicular_to_the_heading_even_if_it_was_parallel_before() -> None:
    rng = np.random.default_rng(3)
    forward = unit(rng.normal(size=(200, 3)))
    forward[:3] = (0.0, 0.0, 1.0)
    before = np.where((np.arange(200) % 2 == 0)[:, None], forward, unit(rng.normal(size=(200, 3))))
    force = 10.0 * rng.normal(size=(200, 3))
    dt = 1.0 / FPS
    bird = SimpleVehicle.of(200)
    lean = Banking(bird.bank, GRAVITY, bird.max_bank, bird.bank_time, bird.max_bank_rate)
    acceleration = bird.handling().smoothed(0.0 * force, force, dt)
    up, _ = banked(lean, forward, before, np.zeros(200), acceleration, dt)
    assert np.abs(magnitude(up) - 1.0).max() < 1e-9
    assert np.abs(dot(up, forward)).max() < 1e-9


def test_pushed_over_harder_than_gravity_it_does_not_roll_over() -> None:
    place = Scene([[0.0] * 3], forward=[[0.0, 1.0, 0.5]], speed=11.0, vehicle=BIRD, fps=FPS)
    states = flown(place, lambda time: (0.3, 0.0, -18.0 if time < 0.5 else 0.0), 3 * FPS)
    assert (headings(states)[:, 0, 2] < -0.2).any(), "it was not a push-over"
    assert (ups(states)[:, 0, 2] > 0.0).all()
    assert np.abs(rolls(*axes(states))).max() < 10.0


@pytest.mark.parametrize(("tilt", "most"), [(0.0, 1e-6), (2.0, 30.0), (10.0, 85.0)])
def test_in_a_loop_it_hardly_rolls(tilt: float, most: float) -> None:
    """At 15 m/s, in 3 s. Without the rule that holds the roll upside down it would be a full turn to either side."""
    place = Scene(
        [[0.0] * 3],
        speed=15.0,
        vehicle={"max_speed": 15.0, "max_force": 60.0},
        locomotions=[(SimpleVehicle, {"max_turn_rate": 9.0})],
    )
    axis = np.array([np.cos(np.radians(tilt)), 0.0, np.sin(np.radians(tilt))])
    states = looped(place, axis, 6 * FPS)
    assert headings(states)[:, 0, 1].min() < -0.95, "it did not fly a loop"
    assert ups(states)[:, 0, 2].min() < -0.95
    assert np.abs(rolled(*axes(states))).sum() <= most
    assert abs(rolls(*axes(states))[-1, 0]) < 1.0


def looped(place: Scene, axis: np.ndarray, frames: int) -> list[State]:
    """A second straight on, a loop about the axis in three seconds, and straight on again."""

    @dataclass(frozen=True)
    class Looping(Flown):
        def acceleration(self, world: World, agents: Agents) -> Vectors:
            on = 1.0 <= world.time < 4.0
            return np.cross(axis, agents.velocity) * (2.0 * np.pi / 3.0 if on else 0.0)

    still = place.snapshot()
    settings = replace(still.settings[0], behaviors=(Looping.of(1),))
    return list(simulate(place.start(), [replace(still, settings=(settings,))] * frames))


@sampled
@pytest.mark.parametrize(("fps", "substeps"), [(24, 4), (30, 1), (60, 1), (60, 4)])
def test_the_roll_is_the_same_at_any_frame_rate(fps: int, substeps: int) -> None:
    def measured(fps: int, substeps: int) -> np.ndarray:
        place = Scene([[0.0] * 3], speed=11.0, vehicle=BIRD, fps=fps, substeps=substeps)
        states = flown(place, lambda time: (9.0 * np.sin(1.7 * time), 0.0, 2.0 * np.sin(2.9 * time)), 5 * fps)
        return rolls(*axes(states))[:: fps // 6, 0]

    assert np.abs(measured(24, 1)).max() > 25.0
    assert np.abs(measured(fps, substeps) - measured(24, 1)).max() < 4.0
