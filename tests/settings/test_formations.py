"""Formations: equal distances, and places that a larger count does not move."""

import numpy as np
import pytest

from steering_addon.settings.placement import keeping_off
from steering_addon.settings.population import CIRCLE, COLUMN, GRID, LINE, ONE_PLACE, WEDGE, Population
from steering_addon.settings.spots import first_free, formation, formed
from tests.settings.test_placement import gaps, numbers

FORMATIONS = (GRID, WEDGE, LINE, COLUMN, CIRCLE)


@pytest.mark.parametrize("arrangement", FORMATIONS)
@pytest.mark.parametrize("n", [0, 1, 2, 3, 10, 50])
def test_neighbors_in_a_formation_are_exactly_the_given_distance_apart(arrangement: int, n: int) -> None:
    places = formation(Population(count=n, arrangement=arrangement), numbers(n), 2.0)
    assert places.shape == (n, 3)
    assert np.isfinite(places).all()
    if n > 1:
        assert gaps(places).min() >= 2.0 - 1e-9
    if n > 1 and arrangement != WEDGE:
        assert gaps(places).min() == pytest.approx(2.0)


@pytest.mark.parametrize("arrangement", [kind for kind in FORMATIONS if kind != CIRCLE])
def test_a_larger_count_moves_no_member_of_a_formation(arrangement: int) -> None:
    few = formation(Population(count=7, arrangement=arrangement), numbers(7), 1.0)
    many = formation(Population(count=40, arrangement=arrangement), numbers(40), 1.0)
    assert (many[:7] == few).all()


def test_a_grid_without_columns_is_square_and_centered() -> None:
    for n in (1, 9, 25, 49):
        places = formation(Population(count=n, arrangement=GRID), numbers(n), 1.0)
        assert np.ptp(places[:, 0]) == np.ptp(places[:, 1]) == np.sqrt(n) - 1.0
        assert np.allclose(places.mean(axis=0), 0.0)


def test_columns_and_layers_of_a_grid() -> None:
    places = formation(Population(count=24, arrangement=GRID, columns=4, layers=3), numbers(24), 1.0)
    assert [len(np.unique(places[:, axis])) for axis in range(3)] == [4, 2, 3]
    assert places[:, 1].max() == 0.0, "the first row is in front"


def test_a_wedge_is_open_behind_its_tip() -> None:
    places = formation(Population(count=5, arrangement=WEDGE), numbers(5), 1.0)
    assert (places[0] == 0.0).all()
    assert (places[1:, 1] < 0.0).all()
    assert places[1, 0] == -places[2, 0] > 0.0


def test_a_line_is_across_the_heading_and_a_column_along_it() -> None:
    line = formation(Population(count=5, arrangement=LINE), numbers(5), 1.0)
    column = formation(Population(count=5, arrangement=COLUMN), numbers(5), 1.0)
    assert sorted(line[:, 0]) == [-2.0, -1.0, 0.0, 1.0, 2.0]
    assert (line[:, 1:] == 0.0).all()
    assert list(column[:, 1]) == [0.0, -1.0, -2.0, -3.0, -4.0]
    assert (column[:, [0, 2]] == 0.0).all()


def test_in_one_place_all_members_start_at_the_crowd() -> None:
    assert (formation(Population(count=9, arrangement=ONE_PLACE), numbers(9), 3.0) == np.zeros((9, 3))).all()


@pytest.mark.parametrize("arrangement", FORMATIONS)
def test_members_pass_over_the_places_of_a_formation_that_are_taken(arrangement: int) -> None:
    population = Population(count=9, arrangement=arrangement)
    in_formation = formed(population, 1.0, np.eye(3), np.zeros(3))
    taken = in_formation(9).position[[0, 4]]
    grows = arrangement != CIRCLE
    free = first_free(in_formation, 9, [keeping_off(taken, np.full(2, 0.3), 0.3)], grows=grows).position
    assert len(free) == (9 if grows else 7)
    assert np.linalg.norm(free[:, None] - taken, axis=-1).min() >= 0.6
    kept = [place for k, place in enumerate(in_formation(9).position) if k not in (0, 4)]
    assert (free[:7] == kept).all()
