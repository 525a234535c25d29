"""How fast bodies get on while they climb or dive."""

from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors.seek import Seek
from steering_addon.locomotion import CATALOGUE
from steering_addon.simulation.handling import Handling
from steering_addon.simulation.marks.reaching import ClimbSpeeds, arc_angle, climb_speeds, lead_in_arcs, way_of_turn
from tests.scene import Scene, leaders, velocities

FLYING, SWIMMING = (next(kind for kind in CATALOGUE if kind.name == name) for name in ("flying", "swimming"))
WINGS = {"max_climb": np.radians(20.0), "max_dive": np.radians(50.0), "climb_speed": 0.65, "least_speed": 0.35}


def handling(kind: Any, **values: float) -> Handling:
    return kind.of(1, **values).handling()


@pytest.mark.parametrize(("kind", "values"), [(FLYING, WINGS), (SWIMMING, {"max_pitch": np.radians(40.0)})])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_no_body_climbs_or_dives_faster_than_it_says_and_each_comes_near(kind: Any, values: Any, sign: float) -> None:
    scene = Scene(
        [[0.0, 0.0, 0.0]],
        behaviors=[(Seek, {"target": 1})],
        locomotions=[(kind, values)],
        vehicle={"max_speed": 10.0, "max_force": 9.0},
        speed=8.0,
        tracked=leaders((0.0, 400.0, sign * 900.0)),
    )
    most = np.abs(velocities(scene.run(64))[:, 0, 2]).max()
    [rate] = climb_speeds(handling(kind, **values), np.array([10.0]), np.array([9.0]), np.array([sign])).rate
    assert 0.95 * rate < most < 1.01 * rate


def test_a_bird_is_slower_the_more_steeply_it_climbs_and_cannot_climb_on_the_spot() -> None:
    body, top, strong = handling(FLYING, **WINGS), np.array([10.0]), np.array([9.0])
    level, gentle, steep, dive = (climb_speeds(body, top, strong, np.array([climb])) for climb in (0.0, 1.0, 9.0, -3.0))
    assert level.fastest == pytest.approx(10.0) and level.slowest == pytest.approx(3.5)
    assert level.fastest > gentle.fastest > steep.fastest
    assert gentle.slowest == pytest.approx(np.sqrt(3.5**2 - 1.0))
    # At its fastest climb there is but one speed.
    assert steep.rate == pytest.approx(6.5 * np.sin(np.radians(20.0)))
    assert steep.slowest == steep.fastest == pytest.approx(6.5 * np.cos(np.radians(20.0)))
    assert dive.fastest == pytest.approx(np.sqrt(91.0)) and dive.rate == pytest.approx(10.0 * np.sin(np.radians(50.0)))


def test_only_what_cannot_stop_has_a_way_to_turn() -> None:
    way, velocity = np.array([[0.0, 9.0, 5.0], [0.0, -9.0, 5.0]]), np.array([[0.0, 6.0, 0.0]] * 2)
    bird, fish = (
        climb_speeds(handling(kind, **values), np.full(2, 10.0), np.full(2, 9.0), np.zeros(2))
        for kind, values in ((FLYING, WINGS), (SWIMMING, {}))
    )
    assert way_of_turn(way, velocity, fish).tolist() == [0.0, 0.0]
    ahead, behind = way_of_turn(way, velocity, bird)
    assert ahead == pytest.approx(0.0) and behind > np.pi * 6.0**2 / 9.0


def test_an_arc_is_longer_than_its_chord_by_the_quotient_asked_for() -> None:
    angles = np.linspace(1e-3, np.pi - 1e-3, 200)
    assert arc_angle(np.sin(angles) / angles) == pytest.approx(angles, abs=1e-6)
    assert arc_angle(np.array([0.0, 1.0, 1.5])) == pytest.approx([np.pi, 0.0, 0.0])


def test_only_what_is_too_early_and_cannot_stop_is_led_in_an_arc() -> None:
    push, velocity = np.full((3, 3), 0.5), np.array([[0.0, 6.0, 0.0]] * 3)
    way = np.array([[0.0, 10.0, 0.0], [0.0, 10.0, 0.0], [0.0, 30.0, 0.0]])
    slowest, tops = np.array([5.0, 0.0, 5.0]), np.full(3, 9.0)
    bodies = ClimbSpeeds(slowest < 0.0, tops, slowest, tops, slowest, tops)
    led = lead_in_arcs(push, way, velocity, bodies, np.full(3, 7.0), 4.0)
    assert (led[0] != push[0]).any()
    assert (led[1:] == push[1:]).all()
