"""Where bodies that stand on surfaces cannot start: off the ground, too steep, boxed in, on the border."""

from typing import Any

import numpy as np
import pytest

from steering_addon.locomotion import CATALOGUE, OnFoot, Wheeled
from steering_addon.locomotion.footholds import is_upside_down
from steering_addon.simulation.geometry.surfaces import Surfaces, surfaces
from steering_addon.simulation.terrain import Misplaced, Terrain
from tests.locomotion.grounds import plane
from tests.scene import Scene
from tests.surfaces import patch


def misplaced(kind: Any, ground: Surfaces, places: Any, **values: Any) -> dict[Misplaced, list[bool]]:
    scene = Scene(places, vehicle={"radius": 0.4}, locomotions=[(kind, values)], surfaces=ground)
    snapshot, state = scene.snapshot(), scene.start()
    terrain = Terrain(ground, ground, np.zeros(len(state)))
    body = kind.of(len(state), **values)
    return {name: mask.tolist() for name, mask in body.misplaced(snapshot.vehicle, state.motion, terrain).items()}


def pit() -> Surfaces:
    """A round floor of 1 m in the middle of a funnel of 60 degrees, with level ground round it."""
    x, y = np.meshgrid(*(2 * [np.linspace(-10.0, 10.0, 81)]), indexing="ij")
    z = np.clip(np.hypot(x, y) - 0.5, 0.0, 3.0) * 1.7
    return surfaces([patch(np.stack((x, y, z), axis=-1))])


def test_walkers_are_distinguished_by_what_is_wrong_with_their_start() -> None:
    ground = pit()
    places = [[6.0, 6.0, 5.1], [9.8, 0.0, 5.1], [2.0, 0.0, 2.55], [0.0, 0.0, 0.0], [6.0, 0.0, 9.0], [30.0, 0.0, 5.1]]
    wrong = misplaced(OnFoot, ground, places)
    assert wrong == {
        Misplaced.OFF_GROUND: [False, False, False, False, True, True],
        Misplaced.TOO_STEEP: [False, False, True, False, False, False],
        Misplaced.BOXED_IN: [False, False, False, True, False, False],
        Misplaced.AT_BORDER: [False, True, False, False, False, False],
        Misplaced.UPSIDE_DOWN: [False] * 6,
    }


def test_walkers_start_at_a_border_only_if_it_is_within_their_radius() -> None:
    """Though the ground is looked at there, as it is not open so near a border."""
    ground = surfaces([plane(10.0, cells=4)])
    wrong = misplaced(OnFoot, ground, [[9.5, 0.0, 0.0], [9.7, 0.0, 0.0], [0.0, -9.5, 0.0], [0.0, -9.7, 0.0]])
    assert wrong[Misplaced.AT_BORDER] == [False, True, False, True]


def test_whoever_climbs_more_is_neither_boxed_in_nor_too_steep() -> None:
    wrong = misplaced(OnFoot, pit(), [[2.0, 0.0, 2.55], [0.0, 0.0, 0.0]], max_slope=1.2)
    assert not any(any(mask) for mask in wrong.values())


def test_who_hangs_leans_by_more_than_120_degrees() -> None:
    lean = np.radians((0.0, 90.0, 119.0, 121.0, 180.0))
    assert (
        is_upside_down(np.stack((np.sin(lean), 0.0 * lean, np.cos(lean)), axis=1)).tolist() == [False] * 3 + [True] * 2
    )


def test_cars_need_ground_under_each_wheel() -> None:
    ground = surfaces([plane(10.0)])
    places = [[0.0, 0.0, 0.0], [9.5, 0.0, 0.0], [30.0, 0.0, 0.0]]
    wrong = misplaced(Wheeled, ground, places)
    assert wrong[Misplaced.WHEELS_HANG] == [False, True, False]
    assert wrong[Misplaced.OFF_GROUND] == [False, False, True]
    assert wrong[Misplaced.TOO_STEEP] == [False, False, False]
    assert misplaced(Wheeled, surfaces([plane(tilt=1.0)]), [[0.0, 0.0, 0.0]])[Misplaced.TOO_STEEP] == [True]


@pytest.mark.parametrize("kind", [kind for kind in CATALOGUE if kind.stands], ids=lambda kind: kind.name)
def test_whatever_stands_is_told_that_it_starts_far_from_all_surfaces(kind: Any) -> None:
    wrong = misplaced(kind, surfaces([plane(10.0)]), [[0.0, 0.0, 0.0], [0.0, 0.0, 9.0]])
    assert wrong[Misplaced.OFF_GROUND] == [False, True]


@pytest.mark.parametrize("kind", CATALOGUE, ids=lambda kind: kind.name)
def test_without_surfaces_nothing_is_misplaced(kind: Any) -> None:
    assert misplaced(kind, surfaces([]), [[0.0, 0.0, 0.0]]) == {}
