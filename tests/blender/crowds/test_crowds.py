"""Crowds and regions in Blender: which neighbors count, the regions of vehicles, and data that a bake keeps."""

import math

import bpy
import numpy as np
import pytest

from tests.blender.animated import drive, insert, keys
from tests.blender.building import empty, frames, link, part
from tests.blender.dumping import assert_same, refuses, scene_dump, stored
from tests.blender.seen import baked_frames, places, read_at
from tests.blender.steered import bake, crowd, fleet, press, select, tag, vehicle


def region(name: str = "Region", shape: str = "SPHERE", size: float = 1.0, **placed):
    ob = tag(empty(name, **placed), role="REGION")
    ob.empty_display_size = size
    ob.steering.region_shape = shape
    return ob


@pytest.mark.parametrize("shape", ["SPHERE", "BOX"])
def test_a_region_has_the_size_and_rotation_of_its_empty(shape: str) -> None:
    frames(1, 3)
    vehicle(crowd=crowd(containment={}))
    region(shape=shape, size=2.0, location=(3.0, 4.0, 5.0), rotation=(0.0, 0.0, math.pi / 2.0), scale=(5.0, 1.0, 2.0))
    [snapshot] = read_at(1)
    regions = snapshot.regions
    assert np.allclose(regions.centre, [[3.0, 4.0, 5.0]])
    assert np.allclose(regions.half, [[10.0, 2.0, 4.0]])
    assert np.allclose(regions.axes, [[[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]], atol=1e-6)
    assert regions.shape.tolist() == [{"SPHERE": 0, "BOX": 1}[shape]]
    assert regions.present.tolist() == [True]


def test_a_region_set_as_target_needs_no_tag_and_takes_precedence() -> None:
    frames(1, 60, fps=12)
    region("Near", size=4.0)
    far = empty("Far", location=(60.0, 0.0, 0.0))
    far.empty_display_size = 10.0
    ship = vehicle(crowd=crowd(containment={"region": far, "weight": 8.0}), start_speed=0.5)
    bake()
    end = places(ship, [60])[0]
    assert end[0] > 10.0


def moved_aside(ship) -> float:
    """The distance of a ship from its straight path along +Y, in metres."""
    return abs(float(places(ship, [bpy.context.scene.frame_end])[0][0] - ship["x"]))


def lone(name: str, of, x: float, identity: int):
    ship = vehicle(name=name, location=(x, 0.0, 0.0), crowd=of, identity=identity, start_speed=0.5)
    ship["x"] = x
    return ship


def test_own_crowd_chosen_crowd_and_everyone() -> None:
    """Two ships of different crowds are side by side; a ship that looks at its own crowd has no neighbors."""
    frames(1, 24)
    mine, other = crowd("Mine", separation={"distance": 3.0}), crowd("Other")
    ship = lone("Ship", mine, 0.0, 1)
    lone("Neighbor", other, 1.0, 2)
    bake()
    assert moved_aside(ship) < 1e-4
    mine.steering.separation.neighbors = "CHOSEN_CROWD"
    bake()
    assert moved_aside(ship) < 1e-4, "no crowd is chosen"
    mine.steering.separation.crowd = other
    bake()
    assert moved_aside(ship) > 0.2
    mine.steering.separation.crowd = mine
    bake()
    assert moved_aside(ship) < 1e-4
    mine.steering.separation.neighbors = "EVERYONE"
    bake()
    assert moved_aside(ship) > 0.2


def test_a_closed_mesh_is_a_region_and_one_with_holes_is_refused(addon) -> None:
    frames(1, 60)
    bpy.ops.mesh.primitive_cube_add(size=10.0, location=(1.0, 2.0, 3.0))
    room = tag(bpy.context.object, role="REGION")
    room.steering.region_shape = "MESH"
    room.modifiers.new("Round", "BEVEL").width = 1.0
    flock = crowd(wander={}, containment={})
    ship = vehicle(name="Ship", location=(1.0, 2.0, 3.0), crowd=flock)
    bake()
    assert (np.abs(places(ship, baked_frames()) - (1.0, 2.0, 3.0)) < 7.0).all()
    room.data.clear_geometry()
    room.data.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    with pytest.raises(RuntimeError, match="The region Cube is a mesh with holes"):
        bpy.ops.steering.bake()


def test_crowds_of_equals_crowd_of_for_each_vehicle(addon) -> None:
    tagged = part("blender.objects.tagged_objects")
    members = fleet(6)
    other, lost = crowd("Other"), empty("Lost")
    members[1].steering.crowd, members[2].steering.crowd, members[4].steering.crowd = other, lost, lost
    members[3].steering.property_unset("crowd")
    wanted = [tagged.crowd_of(ob) for ob in members]
    assert tagged.crowds_of(members) == wanted
    assert wanted[1] == other and wanted[2] is wanted[3] is wanted[4] is None and wanted[0] == wanted[5] is not None


def assign(*vehicles, to: str = "") -> None:
    press("crowd_assign", *vehicles, crowd=to)


def radius(ship) -> float:
    return ship.steering.crowd.steering.vehicle.radius * ship.steering.size_factor


def selected() -> set[str]:
    return {ob.name for ob in bpy.context.selected_objects}


def test_only_the_selected_vehicles_move() -> None:
    ships, other = fleet(4), crowd("Other")
    home = ships[0].steering.crowd
    assign(*ships[:2], to="Other")
    assert [ship.steering.crowd for ship in ships] == [other, other, home, home]


def test_a_crowd_at_rest_may_point_at_a_crowd_without_vehicles() -> None:
    """Only some of the vehicles are baked; the others are read as they are."""
    frames(1, 5)
    empty_crowd = crowd("Empty Crowd", pursuit={})
    resting = crowd("Resting", brake_for={"neighbors": "CHOSEN_CROWD", "crowd": empty_crowd})
    empty_crowd.steering.brake_for.use, empty_crowd.steering.brake_for.crowd = True, resting
    vehicle(name="Still", crowd=resting, location=(0.0, 9.0, 0.0))
    ship = vehicle(crowd=crowd("Moving", wander={}))
    bake(ship, selected=True)
    assert keys(ship)


def test_without_a_name_vehicles_move_to_a_new_crowd() -> None:
    ships = fleet(3)
    home = ships[0].steering.crowd
    assign(*ships[1:])
    assert ships[0].steering.crowd == home
    assert ships[1].steering.crowd == ships[2].steering.crowd != home
    assert ships[1].steering.crowd.steering.roles == {"CROWD"}
    assert bpy.context.scene.steering.crowd == home, "new vehicles still join the same crowd"
    assert selected() == {"Ship 1", "Ship 2"}


def settled_crowd():
    """A crowd with settings of every kind, two of them keyed and driven."""
    ships = fleet(3, crowd=crowd("Birds", wander={"strength": 7.0}, seek={"target": empty("Goal"), "weight": 2.5}))
    birds = ships[0].steering.crowd
    settings = birds.steering
    settings.vehicle.max_speed, settings.vehicle.radius, settings.combining = 11.0, 0.7, "WEIGHTED_SUM"
    settings.portrayal.use, settings.portrayal.stride = True, 1.08
    settings.attendance.use_enter_frame = True
    insert(birds, "steering.wander.weight", {1: 0.0, 20: 3.0})
    drive(birds, "steering.seek.weight", "speed", speed=(birds, "steering.vehicle.max_speed"))
    return ships


def test_a_new_crowd_has_all_settings_of_the_crowd_its_vehicles_came_from() -> None:
    ships = settled_crowd()
    birds = ships[0].steering.crowd
    sizes = [radius(ship) for ship in ships]
    assign(*ships[:2])
    other = ships[0].steering.crowd
    assert other != birds and other == ships[1].steering.crowd
    kept, given = stored(birds.steering), stored(other.steering)
    assert {name for name in kept if kept[name] != given[name]} == {"identity"}
    assert [radius(ship) for ship in ships] == pytest.approx(sizes)
    assert keys(other) == keys(birds)
    assert other.animation_data.action != birds.animation_data.action, "its keys can be edited on their own"
    (driver,) = other.animation_data.drivers
    assert driver.driver.variables[0].targets[0].id == other
    assert tuple(other.location) == tuple(bpy.context.scene.cursor.location)


def test_vehicles_of_several_crowds_take_the_settings_of_the_active_one_along() -> None:
    first = vehicle(name="One", crowd=crowd("First", wander={}))
    second = vehicle(name="Other", crowd=crowd("Second", seek={}))
    assign(second, first)
    assert first.steering.crowd == second.steering.crowd
    assert first.steering.crowd.steering.seek.use
    assert not first.steering.crowd.steering.is_property_set("wander")


@pytest.mark.parametrize("other_radius", [None, 0.1, 4.0])
def test_moved_vehicles_keep_their_size_and_an_empty_crowd_gets_their_radius(other_radius: float | None) -> None:
    large, small = vehicle(name="Large", size=1.0), vehicle(name="Small", size=0.25)
    other = crowd("Other")
    if other_radius is None:
        assign(small, to="Other")
        assert small.steering.size_factor == pytest.approx(1.0)
    else:
        vehicle(name="Third", crowd=other, size=other_radius)
        assign(large, small, to="Other")
    assert radius(large) == pytest.approx(1.0, rel=1e-6)
    assert radius(small) == pytest.approx(0.25, rel=1e-6)
    assert other.steering.vehicle.radius == pytest.approx(other_radius or 0.25)


def test_a_vehicle_without_a_crowd_gets_a_new_one() -> None:
    ship = vehicle()
    bpy.data.objects.remove(ship.steering.crowd)
    assign(ship)
    assert ship.steering.crowd.steering.roles == {"CROWD"}


def test_moving_to_the_current_crowd_changes_nothing() -> None:
    ships = fleet(2)
    select(*ships)
    before = scene_dump()
    assert bpy.ops.steering.crowd_assign(crowd=ships[0].steering.crowd.name) == {"CANCELLED"}
    assert_same(before, scene_dump())


def test_a_missing_crowd_is_refused() -> None:
    ship = vehicle()
    select(ship)
    refuses("crowd_assign", r"Crowd Missing not found in the scene\. Choose another one, or leave", crowd="Missing")


def test_a_copy_of_a_crowd_has_its_own_random_numbers() -> None:
    """Duplicating a crowd in Blender is the quick way to a second crowd with the same settings."""
    frames(1, 30)
    original = crowd("One", wander={"strength": 0.0, "shared_strength": 6.0, "shared_rate": 1.0, "vertical": 0.0})
    original.steering.identity = 77
    ships = [vehicle(name=f"Ship {k}", location=(50.0 * k, 0.0, 0.0), crowd=original, identity=k + 1) for k in range(2)]
    bake()
    together = [path - path[0] for path in (places(ship, range(1, 31)) for ship in ships)]
    assert together[0] == pytest.approx(together[1], abs=1e-3), "members of a crowd share it"
    copy = link(original.copy())
    assign(ships[1], to=copy.name)
    bake()
    apart = [path - path[0] for path in (places(ship, range(1, 31)) for ship in ships)]
    assert apart[0] == pytest.approx(together[0], abs=1e-3), "the first crowd by name keeps its random numbers"
    assert abs(apart[1] - together[1]).max() > 0.1


def test_the_vehicles_of_the_crowd_in_focus_are_selected_unless_they_are_hidden_or_there_are_none() -> None:
    ships, none = fleet(3), crowd("Empty Crowd")
    others = fleet(2, crowd=crowd("Other"))
    assert {ship.name for ship in others} & {ship.name for ship in ships} == set()
    press("crowd_select", ships[0].steering.crowd)
    assert selected() == {ship.name for ship in ships}
    assert bpy.context.view_layer.objects.active in ships
    press("crowd_select", others[0], extend=True)
    assert selected() == {ship.name for ship in others}
    assert bpy.context.view_layer.objects.active == others[0]
    ships[0].hide_set(True)
    ships[1].hide_select = True
    press("crowd_select", ships[2].steering.crowd)
    assert selected() == {ships[2].name}
    select(none)
    assert bpy.ops.steering.crowd_select() == {"CANCELLED"}
    assert selected() == {none.name}
