"""Members start where they can stand: on faces that point up, are not too steep, and are not at the border."""

import numpy as np
import pytest

from steering_addon.locomotion import CATALOGUE, Crawling, OnFoot, Wheeled
from steering_addon.settings.placement import on_surface, scattered
from steering_addon.settings.standing import standable, well_placed
from steering_addon.simulation.geometry.surfaces import surfaces

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
    first = well_placed(propose, kind.of(1), surfaces([(POINTS, CORNERS)]), 0.4, FORWARD, 1.0) if better else None
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
    assert to_border(20, better=True, kind=Wheeled).min() > 0.5
    assert (to_border(20, better=True, kind=Crawling) == to_border(20, better=False)).all()
