"""Birds that turn round together to a path that begins behind them."""

from __future__ import annotations

from itertools import repeat

import numpy as np
import pytest

from scripts.course_scenes import following
from scripts.preset_crowds import FPS, START_SPEED, columns, locomotions, shipped
from steering_addon.scene import Scene, spline
from steering_addon.settings.preset import scaled
from steering_addon.simulation.combining import COMBININGS
from steering_addon.simulation.run import simulate
from steering_addon.simulation.vehicle import VehicleModel
from tests.sampling import sampled

LENGTH = 40.0
HALF_TURN = 5.0
"""Seconds beyond the time at cruise speed within which more than half of the birds are past the middle."""
ALLOCATION = next(choice.number for choice in COMBININGS if choice.name == "ALLOCATION")


def birds(preset: str, size: float, facing: float) -> tuple[Scene, float]:
    """Ten birds in two rows beside the start of a path, and the time at cruise speed to its end, seconds.

    Args:
        size: of a body, metres.
        facing: the angle between their heading and the path, degrees.
    """
    values = shipped(preset)
    values = scaled(values, size / values.body_length)
    model = columns(VehicleModel, values.vehicle)
    rows = np.arange(10)
    place = np.stack((-2.0 - 3.0 * size * (rows // 5), 3.0 * size * (rows % 5 - 2), 0.0 * rows), axis=1)
    angle = np.radians(facing)
    line = spline([[0.0, 0.0, 0.0], [LENGTH / 2.0, LENGTH / 10.0, 0.0], [LENGTH, 0.0, 0.0]], False)
    scene = Scene(
        place,
        forward=np.array([np.cos(angle), np.sin(angle), 0.0]),
        speed=START_SPEED * model["max_speed"],
        vehicle={**model, "radius": size / 2.0},
        locomotions=locomotions(values),
        behaviors=following(values, "ALLOCATION", np.full(10, 2.0)),
        combining=ALLOCATION,
        paths=((line,),),
        fps=FPS,
        seed=1,
    )
    return scene, line.length / float(model["cruise_speed"] * model["max_speed"])


@sampled
@pytest.mark.parametrize(("preset", "size"), [("flock", 1.0), ("flock", 2.0), ("pigeon", 0.32)])
def test_birds_that_turn_round_together_keep_apart_and_stay_level(preset: str, size: float) -> None:
    scene, seconds = birds(preset, size, 180.0)
    states = list(simulate(scene.start(), repeat(scene.snapshot(), int(FPS * (seconds + HALF_TURN)))))
    along = np.stack([state.memories["path_following"].along for state in states[1:]])
    assert np.median(along[-1]) > 0.5 * LENGTH
    first = int(np.argmax((along > LENGTH - 3.0 * size).any(axis=1))) or len(along)
    position = np.stack([state.motion.position for state in states[:first]])
    apart = np.linalg.norm(position[:, :, None] - position[:, None], axis=3) + 1e9 * np.eye(10)
    assert apart.min() > size
    assert np.abs(position[..., 2]).max() < 4.0 * size
