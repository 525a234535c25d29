"""The ground: up and level; the constant up gives the same results as any other."""

import numpy as np
import pytest

from steering_addon.locomotion import Planar, SimpleVehicle
from steering_addon.simulation import ground
from steering_addon.simulation.geometry.near_lines import lines_crossed
from steering_addon.simulation.geometry.paths import spline
from tests.scene import Scene, about, turned

N = 6
RNG = np.random.default_rng(3)
ONE, SEVERAL = RNG.normal(size=(N, 3)), RNG.normal(size=(N, 4, 3))
HEIGHT, GROUNDED = RNG.normal(size=N), np.arange(N) % 2 == 0
TURNS = [np.eye(3), about((0.3, -0.8, 0.5), 137.0), about((1.0, 0.0, 0.0), 90.0)]

turns = pytest.mark.parametrize("turn", TURNS, ids=["upright", "oblique", "lying"])
shapes = pytest.mark.parametrize("v", [ONE, SEVERAL], ids=["one", "several"])


def up_after(turn: np.ndarray) -> np.ndarray:
    """(N, 3) up, one row of memory for each agent."""
    return np.tile(turned(ground.UP, turn), (N, 1))


@turns
@shapes
def test_flat_drops_the_part_along_up_and_climb_is_that_part(turn: np.ndarray, v: np.ndarray) -> None:
    up = up_after(turn)
    assert np.abs(ground.flat(turned(v, turn), up) - turned(v * (1.0, 1.0, 0.0), turn)).max() < 1e-12
    assert np.abs(ground.climb(turned(v, turn), up) - v[..., 2]).max() < 1e-12
    assert np.abs(ground.squared_from_above(turned(v, turn), up) - (v[..., :2] ** 2).sum(-1)).max() < 1e-12


@turns
@shapes
def test_level_drops_it_for_agents_on_the_ground_only(turn: np.ndarray, v: np.ndarray) -> None:
    result = ground.level(turned(v, turn), up_after(turn), GROUNDED)
    wanted = v.copy()
    wanted[GROUNDED] *= (1.0, 1.0, 0.0)
    assert np.abs(result - turned(wanted, turn)).max() < 1e-12


@turns
def test_heights_and_directions_turn_with_up(turn: np.ndarray) -> None:
    up, v = up_after(turn), turned(ONE, turn)
    assert np.abs(ground.lifted(v, HEIGHT, up) - turned(ONE + HEIGHT[:, None] * ground.UP, turn)).max() < 1e-12
    assert np.abs(ground.left_of(v, up) - turned(np.cross(ground.UP, ONE), turn)).max() < 1e-12
    other = turned(ONE[::-1], turn)
    assert np.abs(ground.cross_from_above(v, other, up) - np.cross(ONE, ONE[::-1])[:, 2]).max() < 1e-12


@turns
def test_the_right_of_a_heading_is_level_and_none_straight_up(turn: np.ndarray) -> None:
    heading = np.concatenate((ONE[:-1] / np.linalg.norm(ONE[:-1], axis=1, keepdims=True), [ground.UP]))
    side, flatness = ground.right_of_heading(turned(heading, turn), up_after(turn))
    assert np.abs(np.linalg.norm(side, axis=1) - ([1.0] * (N - 1) + [0.0])).max() < 1e-9
    assert np.abs(flatness - np.linalg.norm(heading[:, :2], axis=1)).max() < 1e-12
    level = turned(side, turn.T)
    assert np.abs(level[:, 2]).max() < 1e-12
    assert (np.cross(heading[:-1], level[:-1])[:, 2] < 0.0).all()


def test_some_agents_have_the_up_of_their_rows() -> None:
    rows = np.array([4, 0])
    ups = np.arange(3.0 * N).reshape(N, 3)
    assert np.array_equal(ground.of_rows(ups, rows), ups[rows])
    assert np.array_equal(ground.of_rows(ground.upright(N), rows), [ground.UP] * 2)
    assert ground.of_rows(ground.upright(0), np.zeros(0, dtype=np.int64)).shape == (0, 3)
    agents = Scene(ONE, locomotions=[(SimpleVehicle, {}), (Planar, {})], locomotion_row=GROUNDED * 1).seen()[1]
    assert np.array_equal(agents.level_of(ONE[rows], rows), agents.level(ONE)[rows])
    assert np.array_equal(agents.flat_of(ONE[rows], rows), agents.flat(ONE)[rows])
    assert np.array_equal(agents.upward_of(rows), agents.upward[rows])


@turns
def test_a_line_is_searched_and_crossed_as_it_is_seen_from_above(turn: np.ndarray) -> None:
    """A ramp that rises along y, and points far below and above it."""
    ramp = turned(np.stack((np.zeros(50), np.linspace(-5.0, 5.0, 50), np.linspace(0.0, 40.0, 50)), axis=-1), turn)
    line, up = spline(ramp, False), up_after(turn)[:2]
    points = turned(np.array([[2.0, 3.0, -60.0], [-4.0, -1.0, 90.0]]), turn)
    place = turned(line.position(line.nearest(points, up)), turn.T)
    assert np.abs(place[:, :2] - [[0.0, 3.0], [0.0, -1.0]]).max() < 1e-6
    courses = turned(np.array([[-1.0, 0.0, 0.3], [1.0, 0.0, 0.0]]), turn)
    _, _, way, side = lines_crossed(line.alone, points, courses, np.full(2, 9.0), up)
    assert way == pytest.approx([2.0, 4.0])
    assert np.abs(turned(side, turn.T) - [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]).max() < 1e-9


@pytest.mark.parametrize("up", [(0.0, 0.0, 1.0), (0.0, 0.6, 0.8), (1.0, 0.0, 0.0)])
@pytest.mark.parametrize("n", [0, 1, 5])
def test_an_up_stored_once_is_the_same_as_one_written_out_for_each_agent(up: tuple[float, ...], n: int) -> None:
    """Whether it is the z axis or not."""
    once = np.broadcast_to(np.array(up), (n, 3))
    each, v = once.copy(), np.random.default_rng(n).normal(size=(n, 3))
    grounded = np.arange(n) % 2 == 0
    several = np.random.default_rng(n).normal(size=(n, 4, 3))
    assert np.allclose(ground.flat(v, once), ground.flat(v, each))
    assert np.allclose(ground.climb(v, once), ground.climb(v, each))
    assert np.allclose(ground.flat(several, once), ground.flat(several, each))
    assert np.allclose(ground.level(several, once, grounded), ground.level(several, each, grounded))
    assert np.allclose(ground.left_of(v, once), np.cross(each, v))
    assert np.allclose(ground.squared_from_above(v, once), (np.cross(each, v) ** 2).sum(axis=1))
    assert np.allclose(ground.lifted(v, np.arange(n) * 1.0, once), v + np.arange(n)[:, None] * each)
    assert np.allclose(ground.cross_from_above(v, v[::-1], once), (np.cross(v, v[::-1]) * each).sum(axis=1))
    rows = np.arange(n)[::-1]
    assert (ground.of_rows(once, rows) == each[rows]).all() and ground.of_rows(once, rows[:1]).shape == (min(n, 1), 3)


def test_each_agent_has_its_own_up_also_if_that_of_the_first_is_the_z_axis() -> None:
    each = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.6, 0.8]])
    v = np.random.default_rng(2).normal(size=(3, 3))
    assert np.allclose(ground.left_of(v, each), np.cross(each, v))
    assert np.allclose(ground.flat(v, each), v - (v * each).sum(axis=1)[:, None] * each)
