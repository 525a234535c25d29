"""Crowds and regions in Blender: which neighbors count, the regions of vehicles, and data that a bake keeps."""

import math

import bpy
import numpy as np
import pytest

from tests.blender.building import empty, frames, part
from tests.blender.seen import baked_frames, places, read_at
from tests.blender.steered import bake, crowd, fleet, tag, vehicle


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
