"""Populate makes points of one mesh where that is asked for, or where members are many."""

import bpy
import numpy as np
import pytest

from tests.blender.building import frames, wedge
from tests.blender.dumping import refuses
from tests.blender.steered import press
from tests.blender.write.test_writers import RecordingWriter, plan, run
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)


def models():
    """Two models, one in two parts and facing -Y."""
    arrow, rider = wedge("Arrow", size=0.4), wedge("Rider", location=(3.0, 0.0, 0.0), size=0.3)
    hat = wedge("Hat", location=(3.0, 0.0, 0.5), size=0.1)
    bpy.context.view_layer.update()
    hat.parent = rider
    hat.matrix_parent_inverse = rider.matrix_world.inverted()
    return arrow, rider


def populate(count: int, *obs, **settings):
    """The crowd of a count of members."""
    return press("populate", *obs, count=count, **settings)


def points_objects() -> list:
    return [ob for ob in bpy.context.scene.objects if "POINTS" in ob.steering.roles]


def drawn() -> dict[str, np.ndarray]:
    """The matrices (k, 4, 4) of what is drawn, by the name of the mesh."""
    found: dict[str, list] = {}
    for each in bpy.context.evaluated_depsgraph_get().object_instances:
        if each.is_instance:
            found.setdefault(each.object.data.name, []).append(np.array(each.matrix_world))
    return {name: np.array(matrices) for name, matrices in found.items()}


def test_points_stand_fly_and_show_what_objects_would(addon) -> None:
    """With the same identities and settings, and each in the place and with the model of the other."""
    frames(1, 12)
    arrow, rider = models()
    crowd = populate(12, arrow, rider, made_as="OBJECTS", moves_like="BIRD", random_scale=0.3, seed=5)
    planned, writer = plan(), RecordingWriter()
    run(planned, writer)
    ships = [ob for ob in bpy.context.scene.objects if "VEHICLE" in ob.steering.roles]
    expected = {
        name: np.array([np.array(ob.matrix_world) for ob in ships if ob.data.name == name])
        for name in ("Arrow", "Rider")
    }
    press("populate", crowd, made_as="POINTS")
    [ob] = points_objects()
    assert not [ob for ob in bpy.context.scene.objects if "VEHICLE" in ob.steering.roles]
    found = drawn()
    for name, matrices in expected.items():
        order = np.argsort(np.round(found[name][:, :3, 3], 3) @ (1.0, 1e3, 1e6))
        ours = np.argsort(np.round(matrices[:, :3, 3], 3) @ (1.0, 1e3, 1e6))
        np.testing.assert_allclose(found[name][order], matrices[ours], atol=1e-5)
    assert len(found["Hat"]) == len(found["Rider"])
    again, other = plan(), RecordingWriter()
    run(again, other)
    assert np.array_equal(again.vehicles.identity, planned.vehicles.identity)
    apart = np.abs(np.array(other.positions) - np.array(writer.positions)).max(axis=(1, 2))
    assert apart[0] < 1e-6 and apart[:4].max() < 1e-3, apart
    np.testing.assert_allclose(other.heights[0], writer.heights[0], rtol=1e-5)
    assert ob.steering.crowd == crowd


def test_many_members_are_points_unless_objects_are_asked_for(addon) -> None:
    crowd = populate(1200, wedge("Arrow", size=0.2))
    [ob] = points_objects()
    assert len(ob.data.vertices) == 1200
    assert len(plan()) == 1200
    # Fewer are objects again, and nothing of the points is left.
    press("populate", crowd, count=3)
    assert not points_objects()
    assert len([ob for ob in bpy.context.scene.objects if "VEHICLE" in ob.steering.roles]) == 3
    assert not [each.name for each in bpy.data.collections if "Models" in each.name]
    assert not [each.name for each in bpy.data.node_groups]


def test_populating_again_leaves_one_mesh_and_the_same_members(addon) -> None:
    crowd = populate(8, wedge("Arrow", size=0.2), made_as="POINTS")
    [ob] = points_objects()
    before = sorted(value.value for value in ob.data.attributes["id"].data)
    counts = {name: len(getattr(bpy.data, name)) for name in ("meshes", "objects", "collections", "node_groups")}
    press("populate", crowd, count=10)
    [ob] = points_objects()
    assert set(before) <= {value.value for value in ob.data.attributes["id"].data}
    ids, speeds = (ob.data.attributes[name].data for name in ("id", "speed_factor"))
    fast = {number.value: speed.value for number, speed in zip(ids, speeds)}
    assert {fast[k] for k in fast.keys() - set(before)} == {1.0}
    assert len({fast[k] for k in before}) == 8
    assert counts == {name: len(getattr(bpy.data, name)) for name in counts}


def test_points_on_a_ground_walk_on_it(addon) -> None:
    frames(1, 12)
    bpy.ops.mesh.primitive_plane_add(size=30.0)
    ground = bpy.context.object
    ship = wedge("Walker", location=(0.0, 0.0, 1.0), size=0.3)
    populate(20, ship, ground, made_as="POINTS", moves_like="PERSON")
    [ob] = points_objects()
    writer = RecordingWriter()
    run(plan(), writer)
    assert np.abs(writer.positions[10][:, 2] - writer.positions[0][:, 2]).max() < 0.2
    assert "SURFACE" in ground.steering.roles
    assert ob.steering.crowd.steering.locomotion == "ON_FOOT"


def test_members_stand_where_density_is_painted(addon) -> None:
    bpy.ops.mesh.primitive_grid_add(size=20.0, x_subdivisions=10, y_subdivisions=10)
    ground = bpy.context.object
    group = ground.vertex_groups.new(name="Density")
    ship = wedge("Arrow", location=(0.0, 0.0, 1.0), size=0.1)
    refuses("populate", "weights Density of Grid are 0", ship, ground, count=50, made_as="POINTS")
    group.add([v.index for v in ground.data.vertices if v.co.x > 0.1], 1.0, "REPLACE")
    populate(50, ship, ground, made_as="POINTS")
    [ob] = points_objects()
    places = np.array([v.co for v in ob.data.vertices])
    assert len(places) == 50 and places[:, 0].min() >= 0.0
    assert places[:, 0].max() > 8.0


@pytest.mark.parametrize("scene", ["add_flock", "add_school"])
def test_large_ready_flocks_are_points(addon, scene) -> None:
    assert getattr(bpy.ops.steering, scene)(count=1500, add_camera=True) == {"FINISHED"}
    [ob] = points_objects()
    planned = plan()
    assert len(planned) == len(ob.data.vertices) == 1500
    position, _, _ = planned.vehicles.source.start(())
    radius = planned.crowds[0].ob.steering.vehicle.radius
    gap = np.linalg.norm(position[:300, None] - position[None], axis=-1) + 9.0 * np.eye(300, 1500)
    assert gap.min() > 1.5 * radius
    region = next(each for each in bpy.context.scene.objects if "REGION" in each.steering.roles)
    assert np.linalg.norm(position - np.array(region.location), axis=1).max() < region.empty_display_size
    assert len(ob.steering.models.children) >= 2
    assert sum(len(matrices) for matrices in drawn().values()) >= 1500
    assert len(np.unique(planned.vehicles.source.stored["speed_factor"])) > 1000


def test_an_object_that_joins_points_leaves_the_size_of_their_crowd(addon) -> None:
    crowd = populate(30, *models(), made_as="POINTS", moves_like="BIRD")
    vehicle = crowd.steering.vehicle
    before = vehicle.radius, vehicle.length
    press("tag", wedge("Ship", size=7.0), crowd, role="VEHICLE", moves_like="UNCHANGED")
    assert (vehicle.radius, vehicle.length) == before
