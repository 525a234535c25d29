"""What test_own_locomotion tries in Blender, in a copy of the checkout with the locomotions Tracked and Boat."""

import bpy
import numpy as np
import pytest

from tests.blender.animated import curves, insert
from tests.blender.building import empty, frames
from tests.blender.panels.test_panels import in_tab
from tests.blender.read.test_surfaces import heights, hill
from tests.blender.seen import places, world_matrices
from tests.blender.steered import bake, crowd, tag, vehicle
from tests.sampling import in_every_blender

pytestmark = in_every_blender


def tanks() -> list:
    group = crowd(seek={"target": None}, wander={})
    group.steering.locomotion = "TRACKED"
    group.steering.tracked.max_turn_rate = 0.5
    places = [(x, -8.0, 0.5) for x in (-6.0, 0.0, 6.0)]
    made = [vehicle(name=f"Tank {k}", location=place, crowd=group, start_speed=1.0) for k, place in enumerate(places)]
    for ob in made:
        ob.steering.origin_height = 0.0
    return made


def test_its_settings_are_in_the_panel() -> None:
    tanks()
    shown = [entry[1] for entry in in_tab("model") if entry[0] == "prop"]
    assert shown == ["locomotion", "max_speed", "cruise", "max_turn_rate", "track_distance", "keep_apart"]


def test_a_preset_holds_it() -> None:
    group = tanks()[0].steering.crowd
    assert bpy.ops.steering.preset_save(name="Tanks") == {"FINISHED"}
    group.steering.locomotion = "PLANAR"
    group.steering.tracked.max_turn_rate = 1.0
    assert bpy.ops.steering.preset_apply(preset="Tanks") == {"FINISHED"}
    assert group.steering.locomotion == "TRACKED"
    assert group.steering.tracked.max_turn_rate == pytest.approx(0.5)


def test_a_bake_moves_by_it_and_keys_its_outputs() -> None:
    ground = tag(hill("Hill"), role="SURFACE")
    made = tanks()
    made[0].steering.crowd.steering.portrayal.use = True
    frames(1, 100)
    bake()
    assert np.nanmax(np.abs(heights(ground, made))) < 1e-3
    for ob in made:
        tracks = {curve.data_path: curve.evaluate(100) for curve in curves(ob) if "track" in curve.data_path}
        assert set(tracks) == {'["steering_left_track"]', '["steering_right_track"]'}
        assert min(tracks.values()) > 0.5
        assert max(abs(ob.matrix_world.to_euler().x), abs(ob.matrix_world.to_euler().y)) > 1e-3


def test_a_boat_follows_waves_with_a_lag_and_points_into_its_bends() -> None:
    sea = tag(hill("Sea", height=0.0), role="SURFACE")
    group = crowd(seek={"target": empty("Buoy", (9.0, 4.0, 0.0))})
    group.steering.locomotion, group.steering.vehicle.max_speed = "BOAT", 3.0
    ship = vehicle(name="Ship", location=(0.0, -8.0, 0.0), crowd=group, start_speed=1.0)
    ship.steering.origin_height = 0.0
    insert(sea, "location", {1: (0.0, 0.0, 0.0), 13: (0.0, 0.0, 1.0), 100: (0.0, 0.0, 1.0)})
    frames(1, 100)
    bake()
    above = heights(sea, [ship])[:, 0]
    assert above[12] < -0.2 and abs(above[99]) < 0.05
    course = np.diff(places(ship, range(1, 101)), axis=0)
    bow = np.array([matrix[:2, 1] for matrix in world_matrices(ship, range(1, 101))])
    turn = course[:-1, 0] * course[1:, 1] - course[:-1, 1] * course[1:, 0]
    aside = course[:, 0] * bow[1:, 1] - course[:, 1] * bow[1:, 0]
    bends = np.abs(turn) > 0.2 * np.abs(turn).max()
    assert (np.sign(aside[1:][bends]) == np.sign(turn[bends])).mean() > 0.9
