"""Vary gives vehicles random factors, replaces an earlier variation, and keeps keyframes and locks of the user."""

import bpy
import numpy as np
import pytest

from tests.blender.animated import drive, insert
from tests.blender.building import link
from tests.blender.dumping import assert_same, scene_dump
from tests.blender.steered import crowd, fleet, select, vehicle


def vary(**settings) -> None:
    assert bpy.ops.steering.vary(**settings) == {"FINISHED"}


def values(ships, name: str) -> np.ndarray:
    return np.array([getattr(ship.steering, name) for ship in ships])


def sizes(ships) -> np.ndarray:
    return np.array([ship.scale for ship in ships])


@pytest.fixture
def ships():
    """Ten vehicles of a crowd; the first is active."""
    vehicles = fleet(10)
    select(vehicles[0])
    return vehicles


def test_by_default_speed_size_and_start_speed_vary_a_little(ships) -> None:
    vary()
    assert np.ptp(values(ships, "speed_factor")) > 0.05
    assert (abs(values(ships, "speed_factor") - 1.0) <= 0.1).all()
    assert 0.0 < abs(values(ships, "size_factor") - 1.0).max() <= 0.05
    assert (values(ships, "mass_factor") == 1.0).all()
    assert (abs(values(ships, "start_speed") / 0.7 - 1.0) <= 0.1 + 1e-6).all()
    assert len(set(values(ships, "start_speed"))) == 10


def test_the_scale_of_an_object_follows_its_size(ships) -> None:
    ships[3].scale = (2.0, 1.0, -0.5)
    before = sizes(ships)
    vary(size=0.3)
    assert np.allclose(sizes(ships), before * values(ships, "size_factor")[:, None], rtol=1e-6)


def test_objects_keep_their_scale_on_request(ships) -> None:
    before = sizes(ships)
    vary(size=0.3, scale_objects=False)
    assert (sizes(ships) == before).all()
    assert np.ptp(values(ships, "size_factor")) > 0.1
    vary(size=0.3)
    assert np.allclose(sizes(ships), values(ships, "size_factor")[:, None], rtol=1e-6)


def test_amounts_of_zero_restore_the_original_values(ships) -> None:
    ships[2].scale = (2.0, 3.0, 4.0)
    before = sizes(ships)
    vary(speed=0.3, size=0.2, mass=0.4, start_speed=0.5)
    vary(speed=0.0, size=0.0, mass=0.0, start_speed=0.0)
    for name in ("speed_factor", "size_factor", "mass_factor"):
        assert (values(ships, name) == 1.0).all()
    assert np.allclose(values(ships, "start_speed"), 0.7, rtol=1e-6)
    assert np.allclose(sizes(ships), before, rtol=1e-6)


def test_values_set_by_the_user_are_varied(ships) -> None:
    ships[0].steering.speed_factor = 2.0
    ships[1].steering.start_speed = 0.0
    vary(speed=0.1, start_speed=0.3)
    assert 1.8 <= ships[0].steering.speed_factor <= 2.2
    assert ships[1].steering.start_speed == 0.0
    vary(speed=0.0, start_speed=0.0)
    assert ships[0].steering.speed_factor == pytest.approx(2.0)


def test_a_start_speed_stays_below_its_maximum_and_can_be_restored(ships) -> None:
    for ship in ships:
        ship.steering.start_speed = 0.95
    vary(start_speed=0.5)
    assert values(ships, "start_speed").max() == 1.0
    vary(start_speed=0.0)
    assert np.allclose(values(ships, "start_speed"), 0.95, rtol=1e-6)


def test_only_the_crowd_in_focus_or_the_selected_vehicles_are_varied(ships) -> None:
    other = fleet(3, crowd=crowd("Other"))
    select(*ships[:3])
    vary(selected=True)
    assert (values(ships[:3], "speed_factor") != 1.0).all()
    assert (values(ships[3:], "speed_factor") == 1.0).all()
    select(ships[0].steering.crowd)
    vary()
    assert (values(other, "speed_factor") == 1.0).all()
    assert (values(ships, "speed_factor") != 1.0).all()


def test_copies_with_the_same_identity_vary_independently() -> None:
    first = vehicle(name="M", identity=77)
    copies = [first.copy() for _ in range(4)]
    for ob in copies:
        link(ob)
    select(first)
    vary(speed=0.5)
    herd = [first, *copies]
    speeds = values(herd, "speed_factor")
    assert len(set(speeds)) == 5
    assert {ship.steering.identity for ship in herd} == {77}, "identities are made unique when read, not written"
    vary(speed=0.5)
    assert (values(herd, "speed_factor") == speeds).all()


def test_a_locked_vehicle_and_a_keyframed_factor_are_unchanged_and_the_latter_is_named(ships, capfd) -> None:
    insert(ships[1], "steering.speed_factor", {1: 1.0, 20: 2.0})
    ships[2].steering.locked = True
    vary()
    assert values(ships[:3], "speed_factor")[1:].tolist() == [1.0, 1.0]
    assert tuple(ships[2].scale) == (1.0, 1.0, 1.0)
    assert "Keyframed or driven values were left unchanged: Ship 1" in capfd.readouterr().out


@pytest.mark.parametrize("how", ["keyed", "driven", "locked", "in the NLA"])
def test_an_object_whose_scale_cannot_change_keeps_its_size_and_is_named(how: str, ships, capfd) -> None:
    ship = ships[1]
    if how == "keyed":
        insert(ship, "scale", {1: (1.0, 1.0, 1.0)})
    elif how == "driven":
        drive(ship, "scale", "1.0", index=0)
    elif how == "locked":
        ship.lock_scale[2] = True
    else:
        insert(ship, "scale", {1: (1.0, 1.0, 1.0)})
        action = ship.animation_data.action
        ship.animation_data.nla_tracks.new().strips.new("Growing", 1, action)
        ship.animation_data.action = None
    vary(size=0.3)
    assert tuple(ship.scale) == (1.0, 1.0, 1.0)
    assert ship.steering.size_factor == 1.0
    assert ship.steering.speed_factor != 1.0
    assert (values([s for s in ships if s != ship], "size_factor") != 1.0).all()
    assert "Size kept because the scale is keyframed, driven or locked: Ship 1" in capfd.readouterr().out
    vary(size=0.0)
    assert "Size kept" not in capfd.readouterr().out


def test_a_crowd_without_vehicles_is_refused() -> None:
    crowd("Empty Crowd")
    fleet(2, crowd=crowd("Fleet"))
    select(bpy.data.objects["Empty Crowd"])
    before = scene_dump()
    with pytest.raises(
        RuntimeError, match=r"The crowd Empty Crowd has no unlocked vehicles\. Tag vehicles or unlock them"
    ):
        bpy.ops.steering.vary()
    assert_same(before, scene_dump())
