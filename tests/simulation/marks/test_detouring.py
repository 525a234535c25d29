"""Detours of what is early for its mark."""

import numpy as np
import pytest

from steering_addon.simulation.marks.reaching import ClimbSpeeds, arc_angle, lead_in_arcs


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
