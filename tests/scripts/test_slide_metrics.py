"""What counts as a stance of a sole, and as a raised foot."""

import numpy as np
import pytest

from scripts.slide_metrics import NOTHING, Slides, slides

FPS, FRAMES, HEIGHT, LIFT = 24, 49, 1.75, 0.17
SOLE = np.array([(x, y, LIFT) for x in (-0.12, 0.12) for y in (-0.04, 0.04)])
HELD = (LIFT, LIFT, LIFT, LIFT)
BEYOND = pytest.mark.parametrize(
    "level", [(LIFT, LIFT, NOTHING, NOTHING), (NOTHING, NOTHING, NOTHING, NOTHING)], ids=["half", "whole"]
)


def measured(speed: float, level: tuple[float, ...]) -> Slides:
    """A body that goes along x past a foot that keeps its place, so far above the ground."""
    frame = np.arange(FRAMES)
    place = np.stack((speed * frame / FPS, 0.0 * frame, 0.0 * frame), axis=1)
    points, above = np.tile(SOLE, (FRAMES, 1, 1)), np.tile(level, (FRAMES, 1))
    facing = np.tile((1.0, 0.0), (FRAMES, 1))
    feet = [(np.arange(len(SOLE)), 0.0)]
    return slides(points, above, feet, place, facing, HEIGHT, np.full(FRAMES - 1, 1.0 / FPS))


@BEYOND
def test_a_foot_beyond_the_border_of_the_ground_is_not_measured(level: tuple[float, ...]) -> None:
    assert measured(0.8, HELD).vertical.max() == LIFT
    assert len(measured(0.8, level).paths) == 0


@BEYOND
def test_a_foot_beyond_the_border_of_the_ground_is_not_raised(level: tuple[float, ...]) -> None:
    assert measured(0.0, HELD).raised == FRAMES - 1
    assert measured(0.0, level).raised == 0
