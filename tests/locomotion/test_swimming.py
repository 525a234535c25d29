"""Swimming: the steepest pitch, and the lean without gravity."""

import numpy as np
import pytest

from scripts.motion_metrics import rolls
from steering_addon.behaviors.evasion import Evasion
from steering_addon.behaviors.orbit import Orbit
from steering_addon.behaviors.seek import Seek
from steering_addon.locomotion import SimpleVehicle, Swimming
from tests.sampling import sampled, thorough
from tests.scene import Scene, headings, leaders, pitches, positions, speeds, ups

FPS = 24
ABOVE = (0.0, 0.0, 30.0)


def fish(target=ABOVE, forward=(0.0, 1.0, 0.0), moves=Swimming, **values) -> Scene:
    return Scene(
        [[0.0, 0.0, 0.0], [1.0, 3.0, 0.0]],
        forward=forward,
        speed=4.0,
        behaviors=[(Seek, {})],
        locomotions=[(moves, values)],
        tracked=leaders(target),
        fps=FPS,
    )


@sampled(one_of=9)
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("degrees", [20.0, 45.0, 80.0])
def test_to_a_target_straight_above_or_below_it_winds_its_way(sign: float, degrees: float) -> None:
    """At the steepest pitch; also from straight below, where nothing says to which side."""
    target, arrived = np.array(ABOVE) * sign, np.zeros(2, dtype=bool)

    def there(states) -> bool:
        arrived[:] |= np.linalg.norm(states[-1].motion.position - target, axis=-1) < 1.0
        return len(states) > FPS * 10 and bool(arrived.all())

    states = fish(target, max_pitch=np.radians(degrees)).run_until(there, FPS * 60)
    assert np.abs(pitches(states)).max() <= degrees + 1e-6
    assert np.median(sign * pitches(states)[FPS : FPS * 3], axis=0) == pytest.approx(degrees, abs=0.5)
    assert arrived.all()
    unlimited = fish(target, moves=SimpleVehicle).run(FPS * 3)
    assert (sign * pitches(unlimited)).max() > degrees


def test_without_pitch_it_stays_at_its_height() -> None:
    assert np.abs(positions(fish(max_pitch=0.0).run(FPS * 4))[..., 2]).max() < 1e-9


@pytest.mark.parametrize("forward", [(0.0, 0.0, 1.0), (0.0, 0.0, -1.0), (0.3, -0.2, 0.9)])
def test_one_that_starts_too_steep_returns_to_the_limit_as_fast_as_it_can_turn(forward: tuple[float, ...]) -> None:
    start = np.degrees(np.arcsin(abs(forward[2]) / np.linalg.norm(forward)))
    place = fish([0.0, 0.0, 90.0 * np.sign(forward[2])], forward, max_turn_rate=np.radians(90.0))
    steep = np.abs(pitches(place.run(FPS)))
    frames = int(np.ceil((start - 45.0) / 90.0 * FPS))
    assert (np.diff(steep, axis=0) >= -90.0 / FPS - 1e-6).all()
    # It takes a little longer, as it brakes first.
    assert (steep[frames + 4 :] <= 45.0 + 1e-6).all()


def lean(scale: float, moves=Swimming, **values) -> float:
    """Degrees in a level circle, at the steady end, of a body of this scale."""
    place = Scene(
        [[6.0 * scale, 0.0, 0.0]],
        forward=(0.0, 1.0, 0.0),
        speed=4.0 * scale,
        behaviors=[(Orbit, {"distance": 6.0 * scale, "spread": 0.0})],
        vehicle={"max_speed": 5.0 * scale, "max_force": 10.0 * scale, "radius": 0.5 * scale},
        locomotions=[(moves, values)],
        tracked=leaders([0.0, 0.0, 0.0]),
        fps=FPS,
    )
    states = place.run(FPS * 10)
    return float(abs(rolls(headings(states), ups(states))[-1, 0]))


@thorough
def test_it_leans_by_how_fast_it_turns_whatever_its_size() -> None:
    """In a circle of 6 m at 4 m/s, or one as much smaller; with gravity a small fish hardly leans."""
    expected = np.degrees(np.arctan(0.25 * 4.0 / 6.0))
    for scale in (0.05, 1.0, 20.0):
        assert lean(scale) == pytest.approx(expected, rel=0.05)
    assert lean(0.05, SimpleVehicle) < 0.1 * expected


def test_the_lean_is_limited_and_can_be_turned_off() -> None:
    assert lean(1.0, bank=5.0, max_bank=np.radians(20.0)) == pytest.approx(20.0, abs=0.5)
    assert lean(1.0, bank=0.0) < 1e-6


def test_what_it_fears_near_it_darts_from_faster_than_it_swims_and_then_slows_down_by_its_strength() -> None:
    chased = Scene(
        [[1.5, 0.0, 0.0], [8.0, 0.0, 0.0]],
        forward=(1.0, 0.0, 0.0),
        speed=1.0,
        behaviors=[(Evasion, {"distance": 3.0})],
        vehicle={"max_speed": 2.0, "max_force": 4.0, "mass": 1.0, "cruise_speed": 0.5},
        locomotions=[(Swimming, {"dart": 1.5})],
        tracked=leaders((0.0, 0.0, 0.0)),
        drift=(2.5, 0.0, 0.0),
        fps=FPS,
    )
    speed = speeds(chased.run(FPS * 4))
    assert 2.5 < speed[:, 0].max() <= 3.0 and speed[-1, 0] < 2.0
    assert np.abs(np.diff(speed, axis=0)).max() < 4.0 / FPS + 1e-6
