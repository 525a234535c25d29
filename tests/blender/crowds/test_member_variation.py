"""Vary lets vehicles differ by a chance of their own, starts over each time, and leaves the animator's own alone."""

import math

import bpy
import numpy as np
import pytest

from tests.blender.building import (
    assert_same,
    bake,
    crowd,
    drive,
    empty,
    fleet,
    frames,
    insert,
    link,
    places,
    scene_dump,
    select,
    stored_names,
    vehicle,
    wedge,
)

FACTORS = ("speed_factor", "size_factor", "mass_factor", "start_speed")


def vary(**settings) -> None:
    assert bpy.ops.steering.vary(**settings) == {"FINISHED"}


def own(ships, name: str) -> np.ndarray:
    return np.array([getattr(ship.steering, name) for ship in ships])


def sizes(ships) -> np.ndarray:
    return np.array([ship.scale for ship in ships])


@pytest.fixture
def ships():
    """Ten vehicles of a crowd, the first of them active."""
    found = fleet(10)
    select(found[0])
    return found


# ---- what varies


def test_by_default_speed_size_and_start_speed_vary_a_little(ships) -> None:
    vary()
    assert np.ptp(own(ships, "speed_factor")) > 0.05
    assert (abs(own(ships, "speed_factor") - 1.0) <= 0.1).all()
    assert 0.0 < abs(own(ships, "size_factor") - 1.0).max() <= 0.05
    assert (own(ships, "mass_factor") == 1.0).all()
    assert (abs(own(ships, "start_speed") / 0.7 - 1.0) <= 0.1 + 1e-6).all()
    assert len(set(own(ships, "start_speed"))) == 10


def test_the_object_is_as_large_as_its_size_says(ships) -> None:
    ships[3].scale = (2.0, 1.0, -0.5)
    before = sizes(ships)
    vary(size=0.3)
    assert np.allclose(sizes(ships), before * own(ships, "size_factor")[:, None], rtol=1e-6)


def test_objects_keep_their_scale_on_request(ships) -> None:
    before = sizes(ships)
    vary(size=0.3, scale_objects=False)
    assert (sizes(ships) == before).all()
    assert np.ptp(own(ships, "size_factor")) > 0.1
    vary(size=0.3)
    assert np.allclose(sizes(ships), own(ships, "size_factor")[:, None], rtol=1e-6)


def test_another_seed_gives_other_chances(ships) -> None:
    vary(seed=1)
    one = own(ships, "speed_factor")
    vary(seed=2)
    assert (own(ships, "speed_factor") != one).all()
    vary(seed=1)
    assert np.allclose(own(ships, "speed_factor"), one, rtol=1e-6)


def test_the_simulation_takes_it_up(ships) -> None:
    frames(1, 25)
    vary(speed=0.5, size=0.0, start_speed=0.0)
    bake()
    way = [np.linalg.norm(np.diff(places(ship, (1, 25)), axis=0)) for ship in ships]
    assert (np.argsort(way) == np.argsort(own(ships, "speed_factor"))).all()


# ---- again and back


def test_another_time_starts_over(ships) -> None:
    ships[2].scale = (2.0, 2.0, 2.0)
    vary(speed=0.3, size=0.2, mass=0.4, start_speed=0.1)
    once = [*(own(ships, name) for name in FACTORS), sizes(ships).ravel()]
    vary(speed=0.9, size=0.9, mass=0.9, start_speed=0.9, seed=5)
    vary(speed=0.3, size=0.2, mass=0.4, start_speed=0.1)
    again = [*(own(ships, name) for name in FACTORS), sizes(ships).ravel()]
    for one, other in zip(once, again):
        assert np.allclose(one, other, rtol=1e-6)


def test_nothing_by_all_gives_everything_back(ships) -> None:
    ships[2].scale = (2.0, 3.0, 4.0)
    before = sizes(ships)
    vary(speed=0.3, size=0.2, mass=0.4, start_speed=0.5)
    vary(speed=0.0, size=0.0, mass=0.0, start_speed=0.0)
    for name in ("speed_factor", "size_factor", "mass_factor"):
        assert (own(ships, name) == 1.0).all()
    assert np.allclose(own(ships, "start_speed"), 0.7, rtol=1e-6)
    assert np.allclose(sizes(ships), before, rtol=1e-6)


def test_what_the_animator_set_is_what_varies(ships) -> None:
    ships[0].steering.speed_factor = 2.0
    ships[1].steering.start_speed = 0.0
    vary(speed=0.1, start_speed=0.3)
    assert 1.8 <= ships[0].steering.speed_factor <= 2.2
    assert ships[1].steering.start_speed == 0.0
    vary(speed=0.0, start_speed=0.0)
    assert ships[0].steering.speed_factor == pytest.approx(2.0)


def test_a_size_that_was_measured_is_what_varies() -> None:
    large, small = vehicle(name="Large", size=1.0), vehicle(name="Small", size=0.25)
    select(large)
    vary(size=0.1)
    assert small.steering.size_factor == pytest.approx(0.25, rel=0.11)
    vary(size=0.0)
    assert small.steering.size_factor == pytest.approx(0.25)


def test_a_start_speed_stays_below_the_top_and_comes_back(ships) -> None:
    for ship in ships:
        ship.steering.start_speed = 0.95
    vary(start_speed=0.5)
    assert own(ships, "start_speed").max() == 1.0
    vary(start_speed=0.0)
    assert np.allclose(own(ships, "start_speed"), 0.95, rtol=1e-6)


# ---- who varies


def test_only_the_crowd_in_focus_varies(ships) -> None:
    other = fleet(3, crowd=crowd("Other"))
    select(ships[0].steering.crowd)
    vary()
    assert (own(other, "speed_factor") == 1.0).all()
    assert (own(ships, "speed_factor") != 1.0).all()


def test_only_the_selected_vary_on_request(ships) -> None:
    select(*ships[:3])
    vary(selected=True)
    assert (own(ships[:3], "speed_factor") != 1.0).all()
    assert (own(ships[3:], "speed_factor") == 1.0).all()


def test_a_vehicle_varies_alike_with_others_and_alone(ships) -> None:
    select(ships[4])
    vary(selected=True, speed=0.4)
    alone = ships[4].steering.speed_factor
    fleet(3)
    select(ships[0])
    vary(speed=0.4)
    assert ships[4].steering.speed_factor == alone


def test_copies_that_share_an_identity_vary_each_by_itself() -> None:
    first = vehicle(name="M", identity=77)
    copies = [first.copy() for _ in range(4)]
    for ob in copies:
        link(ob)
    select(first)
    vary(speed=0.5)
    herd = [first, *copies]
    found = own(herd, "speed_factor")
    assert len(set(found)) == 5
    assert {ship.steering.identity for ship in herd} == {77}, "identities are told apart when read, not written"
    vary(speed=0.5)
    assert (own(herd, "speed_factor") == found).all()


def test_copies_of_a_varied_vehicle_start_over_too(ships) -> None:
    vary(size=0.5, speed=0.5)
    copy = link(ships[0].copy())
    vary(size=0.0, speed=0.0)
    assert tuple(copy.scale) == pytest.approx((1.0, 1.0, 1.0))
    assert copy.steering.speed_factor == 1.0


# ---- what is left alone


def test_a_locked_vehicle_is_left_as_it_is(ships) -> None:
    ships[1].steering.locked = True
    vary()
    assert ships[1].steering.speed_factor == 1.0
    assert tuple(ships[1].scale) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("how", ["keyed", "driven", "locked", "in the NLA"])
def test_an_object_whose_scale_is_not_free_keeps_its_size_and_is_named(how: str, ships, capfd) -> None:
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
    assert (own([s for s in ships if s != ship], "size_factor") != 1.0).all()
    assert "so they keep their size: Ship 1" in capfd.readouterr().out
    vary(size=0.0)
    assert "keep their size" not in capfd.readouterr().out


def test_a_keyed_factor_is_left_alone_and_named(ships, capfd) -> None:
    insert(ships[1], "steering.speed_factor", {1: 1.0, 20: 2.0})
    vary()
    assert ships[1].steering.speed_factor == 1.0
    assert "which was left alone: Ship 1" in capfd.readouterr().out


def test_linked_vehicles_are_left_alone_and_named(tmp_path, capfd) -> None:
    linked = vehicle(wedge("Linked"))
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {linked, linked.steering.crowd})
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(path, link=True) as (there, wanted):
        wanted.objects = there.objects
    for ob in wanted.objects:
        bpy.context.scene.collection.objects.link(ob)
    there = bpy.data.objects["Linked"].steering.crowd
    own_ship = vehicle(name="Own")
    own_ship.steering.crowd = there
    select(own_ship)
    vary()
    assert own_ship.steering.speed_factor != 1.0
    assert bpy.data.objects["Linked"].steering.speed_factor == 1.0
    assert "Linked objects were left alone: Linked" in capfd.readouterr().out


def test_many_names_are_cut_short(capfd) -> None:
    ships = fleet(8)
    for ship in ships:
        ship.lock_scale[0] = True
    select(ships[0])
    vary()
    assert "keep their size: Ship 0, Ship 1, Ship 2, Ship 3, Ship 4 and 3 more" in capfd.readouterr().out


def test_other_objects_are_left_as_they_were(ships) -> None:
    other = empty("Rig", scale=(2.0, 2.0, 2.0))
    before = scene_dump()
    vary()
    assert_same(before["objects"]["Rig"], scene_dump()["objects"]["Rig"])
    assert stored_names(other) == []


def test_vary_writes_nothing_where_nothing_varies(ships) -> None:
    before = scene_dump()
    vary(speed=0.0, size=0.0, start_speed=0.0)
    assert_same(before, scene_dump())


def test_a_crowd_without_vehicles_is_refused() -> None:
    crowd("Nobody")
    fleet(2, crowd=crowd("Somebody"))
    select(bpy.data.objects["Nobody"])
    before = scene_dump()
    with pytest.raises(RuntimeError, match="The crowd Nobody has no vehicle that may vary: tag some, or unlock them"):
        bpy.ops.steering.vary()
    assert_same(before, scene_dump())


def test_without_vehicles_the_operator_is_grey_and_says_why() -> None:
    select(wedge())
    with pytest.raises(RuntimeError, match="Make a crowd or one of its vehicles the active object, or select vehicles"):
        bpy.ops.steering.vary()


def test_a_mirrored_object_stays_mirrored(ships) -> None:
    ships[0].scale = (-1.0, 1.0, 1.0)
    vary(size=0.5)
    x, y, _ = ships[0].scale
    assert x == -y
    assert math.copysign(1.0, x) == -1.0
