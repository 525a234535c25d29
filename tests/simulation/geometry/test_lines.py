"""Lines: many lines, each of which answers to its own followers."""

import numpy as np
import pytest

from steering_addon.simulation.geometry.lines import Lines
from steering_addon.simulation.geometry.paths import Spline, lay_end_to_end, spline

N = 60


def bent(seed: int, corners: int, closed: bool, samples: int = 1024) -> Spline:
    return spline(np.random.default_rng(seed).uniform(-9.0, 9.0, (corners, 3)), closed, samples)


SPLINES = (
    bent(0, 5, False),
    spline(np.ones((1, 3)), False),
    bent(1, 6, True),
    bent(2, 40, False, 17),
    bent(3, 1500, True),
    bent(4, 2, False),
)
"""Open and closed ones, a point, and different numbers of samples."""
ROW = np.random.default_rng(7).integers(len(SPLINES), size=N)
RNG = np.random.default_rng(8)
POINTS, ALONG, REACH = RNG.uniform(-9.0, 9.0, (N, 3)), RNG.uniform(-30.0, 200.0, N), RNG.uniform(0.0, 60.0, N)
WAY = np.where(RNG.uniform(size=N) < 0.5, -1.0, 1.0)
UP = RNG.normal(size=(N, 3))
UP = UP / np.linalg.norm(UP, axis=1)[:, None]
ASKED = {
    "wrapped": (ALONG,),
    "position": (ALONG,),
    "tangent": (ALONG,),
    "tangent, at several places": (ALONG[:, None] + np.arange(5.0),),
    "onward": (ALONG,),
    "to_end": (ALONG, WAY),
    "nearest": (POINTS,),
    "nearest, as seen from somewhere": (POINTS, UP),
    "nearest_within": (POINTS, ALONG, REACH),
}


@pytest.mark.parametrize("question", ASKED)
def test_each_line_answers_its_follower_as_if_it_were_alone(question: str) -> None:
    name, arguments = question.split(",")[0], ASKED[question]
    answers = getattr(lay_end_to_end(SPLINES).followed(ROW), name)(*arguments)
    for k in range(N):
        alone = SPLINES[ROW[k]].alone.followed(np.zeros(1, dtype=np.int64))
        assert (answers[k] == getattr(alone, name)(*(column[k : k + 1] for column in arguments))[0]).all()


def test_some_of_the_followers_have_their_own_lines() -> None:
    rows = np.array([5, 3, 17])
    whole, few = lay_end_to_end(SPLINES).followed(ROW), lay_end_to_end(SPLINES).followed(ROW).take(rows)
    assert (few.position(ALONG[rows]) == whole.position(ALONG)[rows]).all()
    assert (few.length == whole.length[rows]).all()


def test_round_a_closed_line_the_shorter_way_counts() -> None:
    distance = np.array([-0.6, -0.4, -1e-3, 0.0, 1e-3, 0.4, 0.6, 1.2])
    shorter = np.array([0.4, -0.4, -1e-3, 0.0, 1e-3, 0.4, -0.4, 0.2])

    def onward(line: Spline) -> np.ndarray:
        return line.alone.followed(np.zeros(len(distance), dtype=np.int64)).onward(line.length * distance)

    ring, road = bent(1, 6, True), bent(0, 5, False)
    assert onward(ring) == pytest.approx(ring.length * shorter)
    assert (onward(road) == road.length * distance).all()


def nearest_samples(lines: Lines, points: np.ndarray, upward: np.ndarray | None) -> np.ndarray:
    return lines.followed(np.zeros(len(points), dtype=np.int64))._nearest_sample(points, upward)


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("seen", ["from nowhere", "from above", "askew"])
def test_skipping_blocks_finds_the_same_sample_as_looking_at_all(closed: bool, seen: str) -> None:
    rng = np.random.default_rng(0)
    for samples in (5, 17, 300, 1024):
        # Rounded, so that several samples are equally near now and then.
        line = spline(np.round(rng.uniform(-5.0, 5.0, (12, 3))), closed, samples)
        points = np.round(rng.uniform(-9.0, 9.0, (200, 3)))
        upward = {"from above": np.broadcast_to([0.0, 0.0, 1.0], (200, 3)), "askew": rng.normal(size=(200, 3))}.get(
            seen
        )
        if upward is not None:
            upward = upward / np.linalg.norm(upward, axis=1)[:, None]
        gap = points[:, None] - line.points
        if upward is not None:
            gap = gap - (gap * upward[:, None]).sum(axis=-1)[..., None] * upward[:, None]
        distance = (gap * gap).sum(axis=-1)
        row = nearest_samples(line.alone, points, upward)
        assert np.allclose(distance[np.arange(200), row], distance.min(axis=1), rtol=1e-9, atol=1e-12)
