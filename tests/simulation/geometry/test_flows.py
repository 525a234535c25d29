"""Flow fields along curves: the flow at a place."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.simulation.geometry.flows import SHARPNESS, flow_at
from steering_addon.simulation.geometry.paths import Path, Spline, spline
from tests.scene import about, turned
from tests.simulation.odd_input import BOUNDED

NORTH = spline(np.array([[0.0, -50.0, 0.0], [0.0, 50.0, 0.0]]), False)


def winding(seed: int, closed: bool, size: float = 10.0) -> Spline:
    return spline(size * np.random.default_rng(seed).normal(size=(7, 3)), closed)


def flow(lines: Spline | tuple[Path, ...], points: object, reach: object = 5.0) -> np.ndarray:
    points = np.array(points, dtype=float).reshape(-1, 3)
    flows = ((lines,),) if isinstance(lines, Spline) else lines
    return flow_at(flows, points, np.broadcast_to(np.asarray(reach, dtype=float), (len(points),)))


def strength(*args: object) -> np.ndarray:
    return np.linalg.norm(flow(*args), axis=-1)


def by_hand(flows: tuple[Path, ...], point: np.ndarray, reach: float) -> np.ndarray:
    """Stretch by stretch, none of them passed over."""
    total, along = 0.0, np.zeros(3)
    for line in (line for curve in flows for line in curve if line.length > 0.0):
        rows = list(range(len(line.points)))
        for first, second in zip(rows, rows[1:] + rows[:1] * line.closed, strict=False):
            start, vector = line.points[first], line.points[second] - line.points[first]
            part = min(max(np.dot(point - start, vector) / max(np.dot(vector, vector), 1e-12), 0.0), 1.0)
            far = (np.linalg.norm(point - start - part * vector) / reach) ** 2
            if far < 1.0:
                weight = (1.0 - far**2) ** 2 / (far + SHARPNESS**2) ** 2 * line.spacing
                total += weight
                along += weight * (1.0 - far**2) ** 2 * (line.tangents[first] + line.tangents[second]) / 2.0
    return along / total if total > 0.0 else along


def test_it_is_the_flow_of_all_stretches_added_up_one_by_one() -> None:
    flows = ((winding(0, False), winding(1, True)), (), (winding(2, True, 2.0), spline(np.ones((1, 3)), False)))
    rng = np.random.default_rng(3)
    points, reach = rng.normal(size=(40, 3)) * 10.0, rng.uniform(0.5, 12.0, 40)
    wanted = np.array([by_hand(flows, point, far) for point, far in zip(points, reach, strict=True)])
    assert 5 < (wanted != 0.0).any(axis=1).sum() < 40
    assert np.abs(flow(flows, points, reach) - wanted).max() < 1e-9


def test_beside_a_line_it_runs_along_the_line_and_fades_evenly_with_the_distance() -> None:
    aside = np.linspace(0.0, 6.0, 121)
    for way in ([1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.6, 0.0, 0.8]):
        found = flow(NORTH, aside[:, None] * np.array(way))
        assert np.abs(found[:, [0, 2]]).max() < 1e-12
        assert found[0, 1] > 0.95
        assert (np.diff(found[:, 1]) <= 1e-12).all()
        assert (-np.diff(found[:, 1])).max() < 0.03, "for five centimetres"
        assert (found[aside >= 5.0] == 0.0).all()
        assert (found[aside < 4.9, 1] > 0.0).all()


def test_beside_a_bend_it_is_the_tangent_of_the_nearest_place() -> None:
    t = np.linspace(0.0, 2.0 * np.pi, 400, endpoint=False)
    ring = spline(20.0 * np.stack((np.cos(t), np.sin(t), np.zeros(400)), axis=-1), True)
    for radius in (16.0, 19.0, 20.0, 22.0, 24.0):
        points = np.stack((radius * np.cos(t + 0.3), radius * np.sin(t + 0.3), np.zeros(400)), axis=-1)
        tangent = np.stack((-np.sin(t + 0.3), np.cos(t + 0.3), np.zeros(400)), axis=-1)
        found = flow(ring, points)
        assert np.abs(found / np.linalg.norm(found, axis=1)[:, None] - tangent).max() < 1e-3


def test_between_two_lines_it_is_between_their_directions() -> None:
    one, other = (
        spline(
            np.array([[x, 0.0, 0.0], [x, 0.0, 0.0]]) + 40.0 * np.array([[-slant, -1.0, 0.0], [slant, 1.0, 0.0]]), False
        )
        for x, slant in ((-3.0, -0.2), (3.0, 0.4))
    )
    found = flow(((one,), (other,)), [[x, 0.0, 0.0] for x in np.linspace(-3.0, 3.0, 13)])
    slant = found[:, 0] / found[:, 1]
    assert (np.diff(slant) > 0.0).all()
    assert slant[0] == pytest.approx(-0.2, abs=0.01)
    assert slant[-1] == pytest.approx(0.4, abs=0.01)
    assert slant[6] == pytest.approx(0.1, abs=0.07)


def test_lines_drawn_the_same_way_add_nothing_to_each_other_and_opposite_ones_cancel_out() -> None:
    two = ((NORTH, spline(NORTH.points + np.array([4.0, 0.0, 0.0]), False)),)
    assert strength(two, [2.0, 0.0, 0.0]) == pytest.approx(strength(NORTH, [2.0, 0.0, 0.0]))
    lanes = ((NORTH, spline(NORTH.points[::-1] + np.array([4.0, 0.0, 0.0]), False)),)
    assert strength(lanes, [2.0, 0.0, 0.0])[0] < 1e-12
    assert flow(lanes, [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0]])[:, 1] == pytest.approx([0.97, -0.97], abs=0.03)


def test_it_turns_without_a_jump_wherever_one_goes() -> None:
    """Across a hairpin, between curves, over the middle of a ring: no more per millimetre than a sharp bend has."""
    t = np.linspace(0.0, np.pi, 30)
    bend = np.stack((2.0 * np.cos(t), 20.0 + 2.0 * np.sin(t), np.zeros(30)), axis=-1)
    hairpin = spline(np.concatenate(([[2.0, 0.0, 0.0]], bend, [[-2.0, 0.0, 0.0]])), False)
    flows = ((hairpin, winding(4, True, 5.0)),)
    for y in (5.0, 15.0, 20.0, 25.0):
        x = np.arange(-10.0, 10.0, 0.001)
        found = flow(flows, np.stack((x, np.full(len(x), y), np.zeros(len(x))), axis=-1))
        assert np.linalg.norm(np.diff(found, axis=0), axis=1).max() < 0.005


def test_how_finely_a_line_was_drawn_or_in_how_many_pieces_plays_no_part() -> None:
    halves = (
        spline(np.array([[0.0, -50.0, 0.0], [0.0, 3.0, 0.0]]), False),
        spline(np.array([[0.0, 3.0, 0.0], [0.0, 50.0, 0.0]]), False),
    )
    points = np.random.default_rng(5).uniform(-6.0, 6.0, (100, 3))
    assert np.abs(flow((halves,), points) - flow(NORTH, points)).max() < 0.003


def test_a_very_long_line_has_no_gaps() -> None:
    """Its samples are further apart than it reaches."""
    long = spline(np.array([[0.0, 0.0, 0.0], [0.0, 20000.0, 0.0]]), False)
    assert long.spacing > 15.0
    assert strength(long, [[1.0, y, 0.0] for y in np.linspace(100.0, 140.0, 41)]).min() > 0.8


def test_beyond_its_ends_it_goes_on_until_out_of_reach() -> None:
    found = flow(NORTH, [[0.0, 50.0 + y, 0.0] for y in (0.0, 2.0, 4.0, 5.0, 6.0)])
    assert (found[:3, 1] > 0.0).all()
    assert (found[3:] == 0.0).all()


def test_moving_and_turning_everything_turns_the_flow() -> None:
    turn, offset = about((0.3, -0.8, 0.5), 137.0), np.array([40.0, -70.0, 25.0])
    line = winding(6, True)
    moved = Spline(turned(line.points, turn) + offset, turned(line.tangents, turn), line.length, True)
    points = np.random.default_rng(7).normal(size=(50, 3)) * 10.0
    assert np.abs(flow(moved, turned(points, turn) + offset) - turned(flow(line, points), turn)).max() < 1e-9


def test_who_else_is_looked_at_changes_nothing() -> None:
    line = winding(8, False)
    points = np.random.default_rng(9).normal(size=(1300, 3)) * 10.0
    reach = np.linspace(0.1, 10.0, 1300)
    some = np.array([1299, 700, 3])
    assert flow(line, points, reach)[some].tobytes() == flow(line, points[some], reach[some]).tobytes()


def test_nobody_and_nothing() -> None:
    assert flow(NORTH, []).shape == (0, 3)
    assert (flow((), np.ones((3, 3))) == 0.0).all()
    assert (flow(((), (spline(np.ones((1, 3)), True),)), np.ones((3, 3))) == 0.0).all()


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1.0, 1e3, 1e6])
@BOUNDED
@given(data=st.data())
def test_it_is_finite_and_never_longer_than_one(scale: float, data: st.DataObject) -> None:
    coordinates = st.lists(st.integers(-2, 2), min_size=12, max_size=12)
    lines = tuple(
        spline(scale * np.array(data.draw(coordinates), dtype=float).reshape(4, 3), data.draw(st.booleans()))
        for _ in range(2)
    )
    points = scale * np.array(data.draw(coordinates), dtype=float).reshape(4, 3)
    found = flow((lines,), points, data.draw(st.sampled_from([0.01, 1.0, 1e6])))
    assert np.isfinite(found).all()
    assert np.linalg.norm(found, axis=1).max() <= 1.0 + 1e-9
