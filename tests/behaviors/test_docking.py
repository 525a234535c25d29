"""Docking (paper): arrival that meets an orientation too."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from steering_addon.behaviors.docking import AT_FRAME, Docking
from tests.sampling import sampled
from tests.scene import Scene, flat_or_free, headings, leaders, positions, speeds

STARTS = (
    (0.0, -30.0, 0.0),
    (10.0, -20.0, 0.0),
    (15.0, 3.0, 2.0),
    (-8.0, 0.0, 0.0),
    (0.0, 12.0, 0.0),
    (3.0, 20.0, -4.0),
)
FACING = ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, -1.0, 0.0))
EACH = list(product(STARTS, FACING))


def ships(flat: bool = False, **values) -> Scene:
    """Ships on all sides with all headings, and a dock at the origin that faces +Y."""
    start = np.array([start for start, _ in EACH]) * (1.0, 1.0, 0.0 if flat else 1.0)
    return Scene(
        start,
        forward=np.array([facing for _, facing in EACH]),
        speed=4.0,
        behaviors=[(Docking, values)],
        tracked=leaders([0.0, 0.0, 0.0]),
        locomotions=flat_or_free(flat),
    )


def off_course(forward: np.ndarray, heading: object) -> np.ndarray:
    return np.degrees(np.arccos(np.clip(forward @ np.asarray(heading, dtype=float), -1.0, 1.0)))


@sampled
@pytest.mark.parametrize("flat", [False, True])
def test_from_all_sides_it_stops_at_the_target_and_faces_the_same_way(flat: bool) -> None:
    states = ships(flat).run(24 * 15)
    assert np.linalg.norm(positions(states)[-1], axis=1).max() < 0.05
    assert speeds(states)[-1].max() < 0.05
    assert off_course(headings(states)[-1], (0.0, 1.0, 0.0)).max() < 12.0


def test_it_comes_in_along_the_line_from_behind() -> None:
    track = positions(ships().run(24 * 10))
    distance = np.linalg.norm(track, axis=2)
    for ship in range(track.shape[1]):
        last = np.flatnonzero(distance[:, ship] > 2.0)[-1]
        assert track[last, ship, 1] < -1.7, EACH[ship]


@sampled
@pytest.mark.parametrize("arrival_speed", [0.0, 0.5])
@pytest.mark.parametrize("frame", [180, 300])
def test_it_arrives_on_its_frame_and_not_before(frame: int, arrival_speed: float) -> None:
    """From behind in a line, and from the side, with much more time than needed."""
    place = ships(timing=AT_FRAME, arrival_frame=frame, arrival_speed=arrival_speed)
    place = Scene([[0.0, -22.0, 0.0], [8.0, -14.0, 0.0]], behaviors=place.behaviors, tracked=place.tracked, speed=3.0)
    states = place.run(frame + 10)
    distance = np.linalg.norm(positions(states), axis=2)
    assert distance[frame].max() < (0.2 if arrival_speed == 0.0 else 0.6)
    assert distance[frame - 24].min() > (0.1 if arrival_speed == 0.0 else 1.0)
    assert distance[frame // 2].min() > 3.0
    wanted = arrival_speed * 5.0
    assert np.abs(speeds(states)[frame] - wanted).max() < 0.9
    assert off_course(headings(states)[frame], (0.0, 1.0, 0.0)).max() < 12.0


def test_it_docks_at_a_moving_target() -> None:
    place = replace(ships(), drift=(0.0, 1.5, 0.0))
    states = place.run(24 * 12)
    dock = np.array([0.0, 1.5, 0.0]) * (len(states) - 1) / 24.0
    away = np.linalg.norm(positions(states)[-1] - dock, axis=1)
    assert (away < 0.5).mean() > 0.8
    assert np.median(off_course(headings(states)[-1], (0.0, 1.0, 0.0))) < 5.0


def test_a_vehicle_that_docks_at_the_first_vehicle_is_bound_for_it() -> None:
    place = Scene([[0.0, 0.0, 0.0], [0.0, -9.0, 0.0]], behaviors=[(Docking, {"target": [-1, 0]})])
    _, agents, _ = place.seen()
    assert agents.goal_distance.tolist() == [np.inf, 9.0]
