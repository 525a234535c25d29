"""Streams of the shipped Pedestrians, who all go the same way at their own pace."""

import numpy as np
import pytest

from scripts.preset_crowds import as_scene, columns, shipped
from steering_addon.behaviors.seek import Seek
from steering_addon.scene import Scene, leaders, speeds


def stream(across: int, along: int, gap: float) -> Scene:
    """Rows of people, a gap apart, who go to a place far ahead at their own pace, and keep apart."""
    x, y = np.meshgrid(np.arange(across) * gap, np.arange(along) * gap)
    jitter = np.random.default_rng(4).uniform(-0.1, 0.1, (2, x.size)) * gap
    settings = as_scene(shipped("pedestrian"))
    settings["vehicle"] |= {"radius": 0.23}
    left_out = ("path_following", "keep_company", "containment", "unaligned_collision_avoidance")
    listed = [(kind, values) for kind, values in settings["behaviors"] if kind.name not in left_out]
    ahead = (Seek, columns(Seek, {"pace": "CURRENT_SPEED"}))
    position = np.stack((x.ravel() + jitter[0], y.ravel() + jitter[1], np.zeros(x.size)), axis=1)
    goal = leaders([0.5 * (across - 1) * gap, 500.0, 0.0])
    behaviors = sorted([*listed, ahead], key=lambda pair: pair[0].name != "wander")
    return Scene(position, speed=1.33, tracked=goal, **settings | {"behaviors": behaviors}, decides_every=2)


@pytest.mark.parametrize("gap", [1.0, 0.75, 0.6])
def test_nobody_wishes_to_hurry_because_others_are_near(gap: float) -> None:
    closely, alone = (speeds(stream(6, 10, apart).run(144))[24:] for apart in (gap, 30.0))
    assert (closely < alone + 0.05).all()
    assert closely.mean() > 0.9 * alone.mean()
