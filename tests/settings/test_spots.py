"""Members start where they can stand: on faces that point up, are not too steep, and are not at the border."""

import numpy as np
import pytest

from steering_addon.locomotion import CATALOGUE, Crawling, OnFoot, Wheeled
from steering_addon.settings.placement import keeping_out, on_surface, scattered, sifted, walked_to
from steering_addon.settings.spots import (
    out_of_solids,
    standable,
    ways_to,
    well_placed,
    with_headroom,
    with_room_to_turn,
)
from steering_addon.simulation.geometry.obstacles import Obstacles, boxes
from steering_addon.simulation.geometry.surfaces import surfaces
from steering_addon.simulation.maneuvers.turning_back import tightest_circle
from tests.locomotion.round_grounds import box

FORWARD = np.array([0.0, 1.0, 0.0])
POINTS = np.array([[0.0, 0.0, 0.0], [10.0, 0.0, 0.0], [10.0, 10.0, 0.0], [0.0, 10.0, 0.0]])
CORNERS = np.array([[0, 1, 2], [0, 2, 3]])
NO_BODIES = (np.zeros((0, 3)), np.zeros(0))


def leaning(degrees: float) -> np.ndarray:
    """A triangle that leans by an angle from facing up."""
    a = np.radians(degrees)
    return np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, np.cos(a), np.sin(a)]])


SLOPES = (0.0, 30.0, 40.0, 80.0, 100.0, 180.0)
FACES = np.array([leaning(degrees) for degrees in SLOPES])


def slopes(moves, faces=FACES, degrees=SLOPES) -> list[float]:
    return [each for each, stands in zip(degrees, standable(faces, moves)) if stands]


def test_walkers_stand_on_faces_that_point_up_and_are_not_too_steep() -> None:
    assert slopes(OnFoot.of(1)) == [0.0, 30.0]
    assert slopes(OnFoot.of(1, max_slope=1.45)) == [0.0, 30.0, 40.0, 80.0]


def test_cars_start_on_no_wall() -> None:
    assert slopes(Wheeled.of(1)) == [0.0, 30.0]
    assert slopes(Wheeled.of(1, max_slope=0.8)) == [0.0, 30.0, 40.0]


@pytest.mark.parametrize("kind", [kind for kind in CATALOGUE if kind.clings or not kind.grounded])
def test_what_clings_or_flies_may_be_on_any_face(kind) -> None:
    assert slopes(kind.of(1)) == list(SLOPES)


def test_what_is_too_steep_throughout_or_inside_out_is_taken_as_it_is() -> None:
    assert slopes(OnFoot.of(1), FACES[2:], SLOPES[2:]) == [40.0, 80.0]
    assert slopes(OnFoot.of(1), FACES[4:], SLOPES[4:]) == [180.0]
    assert slopes(OnFoot.of(1), FACES[4:5], SLOPES[4:5]) == [100.0], "there is no other place"


def to_border(n: int, *, better: bool, kind=OnFoot) -> np.ndarray:
    """The distances of n bodies with a radius of 0.4 m from the border of a square."""
    propose = on_surface(POINTS[CORNERS], 1.0, 0.0)
    ground, moves = surfaces([(POINTS, CORNERS)]), kind.of(1)
    well = well_placed(propose, moves, ground, 0.4, FORWARD, 1.0)
    first = (sifted(well, with_room_to_turn(ground, moves, 0.4)), well) if better else ()
    position = scattered(propose, 3, np.full(n, 0.4), 0.0, NO_BODIES, first).position
    return np.minimum(position[:, :2], 10.0 - position[:, :2]).min(axis=1)


def test_bodies_keep_their_room_from_the_border_until_that_is_the_last_place() -> None:
    assert to_border(40, better=False).min() < 0.4
    few, many = to_border(40, better=True), to_border(150, better=True)
    assert len(few) == 40 and few.min() > 0.35
    assert (many[:40] == few).all()
    at_border = np.flatnonzero(many < 0.35)
    assert len(at_border) and at_border.min() > 60


def test_wheels_do_not_hang_and_what_clings_may_be_at_the_border() -> None:
    """Cars have room to turn as long as there is such a place: here in the middle."""
    alone = float(tightest_circle(Wheeled.of(1).handling())[0]) + 0.4
    assert to_border(3, better=True, kind=Wheeled).min() > alone > to_border(20, better=True, kind=Wheeled).min() > 0.5
    assert (to_border(20, better=True, kind=Crawling) == to_border(20, better=False)).all()


@pytest.mark.parametrize("rock, inside", [(2.0, 0), (9.0, 60)])
def test_who_clings_starts_in_a_rock_on_the_ground_only_where_there_is_no_other_place(rock: float, inside: int) -> None:
    points, triangles = box(rock)
    rocks = surfaces([(POINTS, CORNERS), (points + np.array((5.0, 5.0, 0.0)), triangles)])
    propose = on_surface(POINTS[CORNERS], 0.0, 1.0)
    outside = sifted(propose, out_of_solids(rocks, 0.1))
    position = scattered(propose, 3, np.full(60, 0.1), 0.0, NO_BODIES, (outside,)).position
    assert np.count_nonzero(np.abs(position[:, :2] - 5.0).max(axis=1) < rock) == inside


def fence(side: float, gate: float) -> Obstacles:
    """A square fence about the middle of the ground, open in the middle of its east side."""
    half, post = 0.5 * side, 0.5 * (side - gate) / 2.0
    rails = [((0.0, half), (half, 0.05)), ((0.0, -half), (half, 0.05)), ((-half, 0.0), (0.05, half))]
    rails += [((half, sign * (half - post)), (0.05, post)) for sign in (-1.0, 1.0)]
    middles, halves = (np.array([rail[k] for rail in rails]) for k in range(2))
    return boxes(np.c_[middles, np.full(5, 0.5)], np.c_[halves, np.full(5, 0.5)])


@pytest.mark.parametrize(("count", "gate", "placed", "outside"), [(12, 0.0, 12, 0), (12, 2.0, 12, 0), (60, 0.0, 40, 0)])
def test_a_group_stands_where_one_can_walk_to_its_middle(count: int, gate: float, placed: int, outside: int) -> None:
    """In a fence of 8 m with room for it by a gate or without one, and no more than have room in a closed one."""
    ground, moves, middle = 6.0 * POINTS - (30.0, 30.0, 0.0), OnFoot.of(1), np.array([1.0, -0.5, 0.0])
    rails, triangles = fence(8.0, gate), ground[CORNERS]
    ways = ways_to(middle, surfaces([(ground, CORNERS)]), rails, moves, 0.3)
    out = keeping_out(on_surface(triangles, 0.0, 0.0), rails, 0.3, moves.handling().stature(np.zeros(1)))
    pieces, within = walked_to(ways, [out], triangles, middle, count, 0.3)
    propose = sifted(sifted(on_surface(pieces, 0.0, 0.0), within), out)
    position = scattered(propose, 3, np.full(count, 0.3), 0.0, NO_BODIES).position
    assert len(position) >= placed
    assert np.count_nonzero(np.abs(position[:, :2]).max(axis=1) > 4.0) == outside


def test_nothing_is_in_the_way_of_a_group_on_open_ground() -> None:
    nothing = fence(8.0, 0.0).take(np.zeros(0, dtype=np.int64))
    assert ways_to(np.zeros(3), surfaces([(0.99 * POINTS, CORNERS)]), nothing, OnFoot.of(1), 0.5) is None


@pytest.mark.parametrize("height, keeps", [(0.1, True), (1.0, False), (1.7, False), (2.5, True)])
def test_nobody_starts_where_a_surface_leaves_no_headroom(height: float, keeps: bool) -> None:
    """As below stairs; 45 degrees of slope beside a body are ground."""
    beam = np.array([[4.0, 0.0, height], [6.0, 0.0, height], [6.0, 10.0, height], [4.0, 10.0, height]])
    slope = np.array([[10.0, 0.0, 0.0], [20.0, 0.0, 10.0], [20.0, 10.0, 10.0], [10.0, 10.0, 0.0]])
    overhead = surfaces([(POINTS, CORNERS), (beam, CORNERS), (slope, CORNERS)])
    propose = sifted(on_surface(POINTS[CORNERS], 0.0, 0.0), with_headroom(overhead, OnFoot.of(1), 0.4))
    x = scattered(propose, 3, np.full(60, 0.1), 0.0, NO_BODIES).position[:, 0]
    assert x.max() > 9.7
    assert ((x > 3.6) & (x < 6.4)).any() == keeps
