"""Bodies on feet meet obstacles from their feet to their heads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.behaviors.seek import Seek
from steering_addon.locomotion import OnFoot, SimpleVehicle
from steering_addon.simulation.arrays.frozen import replace
from steering_addon.simulation.geometry.obstacles import Obstacles, boxes, obstacles
from steering_addon.simulation.geometry.stature import Stature
from steering_addon.simulation.snapshot import State
from tests.sampling import sampled
from tests.scene import Scene, about, all_of, leaders, positions, turned
from tests.simulation.geometry.test_fitting import wall_with_door
from tests.simulation.ways.test_mesh_walls import as_obstacle
from tests.surfaces import Faces, cuboid, together

STEP, HEAD = 0.3, 1.8


def bars(*spans: tuple[float, float], slope: float = 0.0) -> Faces:
    """Rails along x from y -.04 to .04, each between two heights, which rise by a slope."""
    points, triangles = together(*(cuboid((-10.0, -0.04, low), (10.0, 0.04, high)) for low, high in spans))
    return points + np.multiply.outer(points[:, 0], (0.0, 0.0, slope)), triangles


def standing(n: int, lift: float = 0.0) -> Stature:
    """How n people stand whose origins are above their soles."""
    return Stature(*(np.full(n, height - lift) for height in (0.0, STEP, HEAD)), np.full(n, 0.61))


def nearest(thing: Obstacles, points: np.ndarray, lift: float = 0.0) -> np.ndarray:
    return thing.surface(points, np.zeros(len(points), dtype=np.int64), standing(len(points), lift))[0]


@pytest.mark.parametrize("lift", [0.0, 0.9])
@pytest.mark.parametrize("body", [bars((0.5, 0.64), (1.0, 1.14)), bars((0.9, 1.0), slope=0.1)])
@given(x=st.floats(-6.0, 6.0), y=st.floats(-1.5, 1.5))
def test_a_body_is_as_near_as_the_nearest_point_of_its_axis(lift: float, body: Faces, x: float, y: float) -> None:
    """Tried at two hundred heights; of slanted rails it may miss a few centimetres, less than they are thick."""
    thing, heights = as_obstacle(body), np.linspace(STEP, HEAD, 200)
    axis = np.column_stack((np.full(200, x), np.full(200, y), heights))
    exact = thing.surface(axis, np.zeros(200, dtype=np.int64))[0].min()
    assert exact - 1e-9 <= nearest(thing, np.array([[x, y, lift]]), lift)[0] <= exact + 0.08


def test_what_is_lower_than_a_step_counts_only_where_nothing_higher_belongs_to_it() -> None:
    floor_and_wall = bars((0.0, 0.02), (0.02, 3.0))
    wide = floor_and_wall[0].copy()
    wide[:8, 1] *= 100.0
    beside = np.array([[0.0, 1.0, 0.0]])
    assert nearest(as_obstacle((wide, floor_and_wall[1])), beside)[0] == pytest.approx(0.96)
    assert nearest(as_obstacle(bars((0.0, 0.2))), beside)[0] == pytest.approx(0.96), "a kerb alone"


def test_who_stands_in_a_door_is_as_far_as_its_jambs_although_the_lintel_is_nearer_to_the_head() -> None:
    """A body goes by what is beside it."""
    door = as_obstacle(wall_with_door(8.0, 3.0, 4.2))
    assert nearest(door, np.array([[3.6, 0.1, 0.0], [3.3, 0.1, 0.0]])) == pytest.approx([0.6, 0.3])


def test_what_is_above_heads_is_as_far_as_from_the_head() -> None:
    above = np.array([[0.0, 0.0, 0.0]])
    assert nearest(as_obstacle(bars((2.0, 2.4))), above)[0] == pytest.approx(0.2)
    assert nearest(boxes([[0.0, 0.0, 2.2]], [[3.0, 3.0, 0.2]]), above)[0] == pytest.approx(0.2)


def test_a_ball_is_met_at_its_middle() -> None:
    ball = obstacles([[0.0, 0.0, 1.0]], 1.0)
    assert nearest(ball, np.array([[1.5, 0.0, 0.0]]))[0] == pytest.approx(0.5)
    assert nearest(ball, np.array([[1.5, 0.0, 0.9]]), lift=0.9)[0] == pytest.approx(0.5)


def crossed(thing: Obstacles, locomotion: type, degrees: float = 0.0) -> bool:
    """Whether one who seeks a place beyond gets to the other side in seven seconds."""
    turn = about((0.0, 0.0, 1.0), degrees)
    scene = Scene(
        turned(np.array([[0.0, -3.0, 0.0]]), turn),
        behaviors=[(Seek, {"target": 1})],
        locomotions=[(locomotion, {})],
        vehicle={"radius": 0.25, "keep_apart": True},
        forward=turned(np.array([[0.0, 1.0, 0.0]]), turn),
        obstacles=thing,
        tracked=leaders(turned(np.array([[0.0, 3.0, 0.0]]), turn)),
        fps=12.0,
    )

    def beyond(states: list[State]) -> bool:
        return bool(turned(states[-1].motion.position[0], turn.T)[1] > 0.5)

    return beyond(scene.run_until(beyond, 84))


@sampled
@pytest.mark.parametrize("degrees", [0.0, 40.0])
def test_a_person_does_not_go_between_the_rails_of_a_fence_that_a_fish_swims_through(degrees: float) -> None:
    fence = as_obstacle(bars((0.75, 0.85), (1.35, 1.45)), degrees=degrees)
    assert not crossed(fence, OnFoot, degrees)
    assert crossed(fence, SimpleVehicle, degrees)


def test_a_person_goes_through_a_frame_with_a_sill_and_a_lintel_above_the_head() -> None:
    frame = as_obstacle(bars((0.0, 0.05), (2.1, 2.3)))
    assert crossed(frame, OnFoot)
    assert not crossed(as_obstacle(bars((0.0, 0.05), (1.6, 2.3))), OnFoot), "a lintel that is too low"


def test_others_are_met_at_their_origins() -> None:
    thing, point = as_obstacle(bars((0.5, 0.64))), np.array([[0.0, 0.3, 0.0]])
    rows = np.zeros(1, dtype=np.int64)
    bare = thing.surface(point, rows)
    for column, same in zip(bare, thing.surface(point, rows, replace(standing(1), head=np.zeros(1)))):
        assert np.array_equal(column, same)


@pytest.mark.parametrize("head", [0.0, HEAD])
@pytest.mark.parametrize("degrees", [0.0, 30.0])
def test_near_loses_nobody_and_finds_those_at_upright_boxes_only_within_their_distance(degrees, head) -> None:
    rng = np.random.default_rng(int(degrees + head))
    axes = np.stack([about((rng.uniform(-1.0, 1.0) * (degrees > 0.0), 0.2, 1.0), degrees).T for _ in range(20)])
    things = boxes(rng.uniform(-9.0, 9.0, (20, 3)), rng.uniform(0.05, 6.0, (20, 3)), axes)
    things = all_of(things, as_obstacle(bars((0.5, 0.64), (1.0, 1.14), slope=0.1), (2.0, 3.0, 0.0), degrees))
    points, reach = rng.uniform(-12.0, 12.0, (60, 3)), rng.uniform(0.1, 3.0, 60)
    body = Stature(np.zeros(60), np.full(60, min(STEP, head)), np.full(60, head), np.full(60, 0.61))
    found = set(zip(*(rows.tolist() for rows in things.near(points, reach, body))))
    gap = things.clearance(points, body)
    within = set(zip(*(rows.tolist() for rows in np.nonzero(gap < reach[:, None]))))
    assert within <= found
    if not degrees:
        assert {pair for pair in found if pair[1] < 20} == {pair for pair in within if pair[1] < 20}


def pylon(low: float, high: float) -> Obstacles:
    """A pillar as a round obstacle, whose round ends stick out."""
    ends = [[[0.0, 0.0, z]] for z in (low, high)]
    return replace(obstacles(ends[0], 0.5, ends[1]), half=np.array([[0.5, 0.5, 0.5 * (high - low)]]))


def block(low: float, high: float) -> Obstacles:
    return boxes([[0.0, 0.0, 0.5 * (low + high)]], [[0.5, 0.5, 0.5 * (high - low)]])


def lump(low: float, high: float) -> Obstacles:
    return as_obstacle(cuboid((-0.5, -0.5, low), (0.5, 0.5, high)))


@pytest.mark.parametrize("lift", [0.0, 0.9])
@pytest.mark.parametrize("made", [pylon, block, lump])
def test_the_pillars_below_a_floor_and_the_beams_above_heads_are_in_nobodys_way(made, lift: float) -> None:
    place, body, reach = np.array([[0.2, 0.1, lift]]), standing(1, lift), np.full(1, 0.4)
    for low, high, meets in ((-4.0, 0.0, False), (-4.0, 0.05, True), (HEAD, 3.0, False), (HEAD - 0.05, 3.0, True)):
        thing = made(low, high)
        assert len(thing.near(place, reach, body)[0]) == meets
        assert np.isfinite(thing.clearance(place, body)).all() == meets


TOP = cuboid((-0.8, -0.5, 0.7), (0.8, 0.5, 0.74))
LEGS = [cuboid((x, y, 0.0), (x + 0.05, y + 0.05, 0.7)) for x in (-0.8, 0.75) for y in (-0.5, 0.45)]
OPEN = TOP[0], TOP[1][1:]


def laid(body: Faces) -> Obstacles:
    """The same obstacle, of which another axis of its own is up."""
    axes, upright = about((1.0, 0.0, 0.0), 90.0), as_obstacle(body)
    other = as_obstacle((body[0] @ axes.T, body[1]))
    return replace(other, axes=axes[None], start=upright.start, end=upright.end)


def stood(thing: Obstacles, place, frames: int = 48) -> np.ndarray:
    """Where a person ends who stands there."""
    scene = Scene([place], speed=0.0, locomotions=[(OnFoot, {})], vehicle=PERSON, obstacles=thing)
    return positions(scene.run(frames))[-1, 0]


PERSON = {"radius": 0.3, "max_speed": 1.5, "cruise_speed": 0.0, "max_force": 6.0, "keep_apart": True}


@sampled
@pytest.mark.parametrize(
    "table",
    [
        pytest.param(as_obstacle(TOP), id="top"),
        pytest.param(as_obstacle(together(TOP, *LEGS)), id="with legs"),
        pytest.param(as_obstacle(OPEN), id="not closed"),
        pytest.param(laid(TOP), id="Y up"),
        pytest.param(boxes([[0.0, 0.0, 0.72]], [[0.8, 0.5, 0.02]]), id="box"),
    ],
)
@pytest.mark.parametrize("place", [(0.1, 0.2, 0.0), (-0.3, -0.1, 0.0)])
def test_who_starts_in_a_table_top_gets_out_by_the_shortest_way(table: Obstacles, place) -> None:
    x, y, z = stood(table, place)
    assert y * np.sign(place[1]) == pytest.approx(0.8, abs=0.01) and (x, z) == pytest.approx((place[0], 0.0), abs=0.02)


def test_nobody_is_pushed_through_a_wall_by_a_ceiling_that_is_too_low() -> None:
    walls = [cuboid((sign * 2.0 - 0.05, -2.0, 0.0), (sign * 2.0 + 0.05, 2.0, 1.6)) for sign in (-1.0, 1.0)]
    room = as_obstacle(together(*walls, cuboid((-2.05, -2.0, 1.6), (2.05, 2.0, 1.7))))
    assert stood(room, (1.2, 0.0, 0.0), 4) == pytest.approx((1.2, 0.0, 0.0), abs=1e-6)
