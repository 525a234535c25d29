"""Running: who runs leans into turns, and who walks stays upright."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.locomotion.walking import STEEPEST, lean_into_turns
from steering_addon.simulation.geometry.surfaces import surfaces
from steering_addon.simulation.snapshot import State
from tests.locomotion.grounds import plane
from tests.locomotion.test_on_foot import FPS, walkers
from tests.sampling import sampled
from tests.scene import Scene

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


def test_small_bodies_run_at_lower_speeds() -> None:
    lean = lean_into_turns(0.0 * ONE, ONE, 1.5 * ONE, 2.0 * ONE, 0.3 * ONE, 0.1)
    small = lean_into_turns(0.0 * ONE, ONE, 1.5 * ONE, 2.0 * ONE, 0.05 * ONE, 0.1)
    assert lean[0] == 0.0 < small[0]
