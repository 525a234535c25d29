"""The presets that ship: read without a warning, and alive."""

import json
import re

import numpy as np
import pytest

from scripts.motion_bands import ALIVE, BETWEEN, BIRDS, FISH, measured, rows
from scripts.motion_metrics import lost, nearest_distances, polarization, reversals, turns
from steering_addon.behaviors.catalogue import CATALOGUE
from steering_addon.behaviors.preset import held
from steering_addon.simulation.vehicle import VehicleModel
from tests.presets.trying import FPS, SHIPPED, crowd, recorded, shipped
from tests.scene import headings, positions, speeds

FLOCKING = {
    "starling": (BIRDS, 35.0),
    "pigeon": (BIRDS, 55.0),
    "flock": (BIRDS, 57.0),
    "fish": (FISH, 5.0),
    "school": (FISH, 10.7),
}
"""What kind of flock each makes, and the radius in metres of a region with room for it."""


def test_each_preset_that_ships_is_tried_here() -> None:
    assert set(SHIPPED) == {*FLOCKING, "herd"}


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_preset_is_read_without_a_warning(name: str) -> None:
    preset = shipped(name)
    assert preset.unknown == ()
    assert not preset.description.endswith(".")
    assert re.fullmatch(r"[a-z_]+", name)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_preset_names_the_paper_s_nine_numbers(name: str) -> None:
    """Flocking is a distance, an angle and a weight for each of three (paper, Flocking)."""
    behaviors = shipped(name).behaviors
    for behavior in ("separation", "alignment", "cohesion"):
        assert set(behaviors[behavior]) >= {"distance", "angle", "weight"}


@pytest.mark.parametrize("name", SHIPPED)
def test_the_values_in_a_shipped_file_are_those_that_count(name: str) -> None:
    """None of them is cut to a limit or left out."""
    found = json.loads(SHIPPED[name].read_text(encoding="utf-8"))
    preset = shipped(name)
    assert found["vehicle"] == preset.vehicle
    assert found["behaviors"] == preset.behaviors
    assert found["portrayal"] == preset.portrayal
    assert set(found["vehicle"]) <= set(held(VehicleModel))
    assert set(found["behaviors"]) <= {behavior.name for behavior in CATALOGUE}


@pytest.mark.parametrize("name", FLOCKING)
def test_sixty_of_a_flock_look_alive(name: str) -> None:
    """In every row; but sixty head more alike and are rounder than the two hundred the bands were measured on."""
    kind, within = FLOCKING[name]
    values = measured(recorded(kind, shipped(name), 60, 1, within, 120))
    verdicts = {row.title: row.verdict(values[row.title]) for row in rows(kind)}
    assert {verdicts.pop("polarization"), verdicts.pop("aspect")} <= {ALIVE, BETWEEN}
    assert set(verdicts.values()) == {ALIVE}, values


# ---- the herd


@pytest.fixture(scope="module")
def herd():
    """Where thirty sheep go in half a minute, how they head and how fast they are."""
    states = crowd(shipped("herd"), 30, 1, 20.0).run(720, preroll=48)
    return positions(states), headings(states), speeds(states)


def test_sheep_stay_together_and_apart(herd) -> None:
    place, _, _ = herd
    preset = shipped("herd")
    assert lost(place[::24], 3.0 * preset.behaviors["separation"]["distance"]).mean() < 0.01
    assert np.percentile(nearest_distances(place[::24]), 1) > 0.9 * preset.body_length


def test_sheep_do_not_all_head_the_same_way_forever(herd) -> None:
    _, forward, _ = herd
    alike = polarization(forward)
    assert 0.3 < alike.mean() < 0.95
    way = forward.mean(axis=1)
    way /= np.linalg.norm(way, axis=-1, keepdims=True)
    assert (way @ way[0]).min() < 0.7, "the herd as a whole turns too"


def test_sheep_amble_and_turn_calmly(herd) -> None:
    _, forward, speed = herd
    assert reversals(forward, FPS) < 0.005
    assert np.percentile(np.linalg.norm(turns(forward, FPS), axis=-1), 50) < 35.0
    assert 0.3 < np.median(speed) < 1.2
    assert np.percentile(speed, 99) < 2.0


def test_sheep_stay_on_the_ground_and_upright_and_near_their_pasture(herd) -> None:
    place, forward, _ = herd
    assert np.abs(place[..., 2]).max() < 1e-9
    assert np.abs(forward[..., 2]).max() < 1e-9
    assert np.linalg.norm(place, axis=-1).max() < 20.0 * 1.5
