"""A preview shows points where a bake would put them, and leaves their mesh as it is."""

import bpy
import numpy as np

from tests.blender.building import at_frames, frames, part
from tests.blender.dumping import assert_same, scene_dump
from tests.blender.preview.test_preview import FIRST, LAST, shown, toggle, told
from tests.blender.read.test_points import recorded, scatter
from tests.blender.steered import bake, crowd, fleet, points, select
from tests.blender.write.test_writers import plan
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)


def display():
    """The object that shows points in a preview; None without."""
    mark = part("blender.preview.stand_ins").MARK
    return next((ob for ob in bpy.context.scene.collection.objects if mark in ob), None)


def seen() -> dict[str, np.ndarray]:
    """The attributes of the points as the viewport shows them."""
    points_of = part("blender.read.evaluated_points").evaluated_points
    return points_of(display(), bpy.context.evaluated_depsgraph_get()).columns


def gnats(number: int = 8, **attributes):
    frames(FIRST, LAST)
    owner = crowd("Gnats", wander={"strength": 8.0}, separation={})
    position = [(3.0 * k, 0.0, 0.0) for k in range(number)]
    turns = [(1.0, 0.0, 0.0, 0.0)] * number
    ids = [900 - k for k in range(number)]
    return points(name="Swarm", crowd=owner, position=position, rotation=turns, id=ids, **attributes)


def test_points_are_shown_where_a_bake_puts_them_beside_objects(addon) -> None:
    ob = gnats()
    ob.location, ob.rotation_euler = (1.0, 2.0, 3.0), (0.0, 0.0, 0.7)
    ships = fleet(2, crowd=ob.steering.crowd)
    bpy.context.view_layer.update()
    planned = plan()
    expected, of_points = np.array(recorded(planned).positions), planned.vehicles.identity <= 900
    before = scene_dump()
    toggle()
    for frame in at_frames((1, 2, 9, LAST, 4, 5, 1)):
        np.testing.assert_allclose(seen()["position"], expected[frame - 1][of_points], atol=2e-5)
        np.testing.assert_allclose(shown(ships)[:, :3, 3], expected[frame - 1][~of_points], atol=2e-5)
        assert shown([ob])[0, :3, :3].max() == 0.0
    toggle()
    assert_same(before, scene_dump())
    bpy.context.view_layer.update()
    np.testing.assert_allclose(shown([ob])[0, :3, 3], (1.0, 2.0, 3.0), atol=1e-6)
    assert shown([ob])[0, :3, :3].max() > 0.5


def test_what_shows_points_is_in_no_file_and_is_not_left_by_undo(addon, tmp_path) -> None:
    gnats()
    toggle()
    bpy.context.scene.frame_set(3)
    assert display().hide_render and display().hide_select
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    with bpy.data.libraries.load(path) as (stored, _):
        for kind in ("objects", "meshes", "node_groups"):
            assert not [name for name in getattr(stored, kind) if "Preview" in name], kind
    bpy.context.scene.frame_set(4)
    assert display() is not None
    bpy.ops.ed.undo_push(message="while it is on")
    toggle()
    assert display() is None
    bpy.ops.ed.undo_push(message="while it is off")
    bpy.ops.ed.undo()
    assert display() is None


def test_absent_points_shrink_to_nothing(addon) -> None:
    gnats(4, scale=[1.0, 2.0, 1.0, 1.0], enter_frame=[1, 9, 1, 1])
    toggle()
    bpy.context.scene.frame_set(4)
    assert seen()["scale"][:, 0].tolist() == [1.0, 1.0, 0.0, 1.0]
    bpy.context.scene.frame_set(10)
    assert seen()["scale"][:, 0].tolist() == [1.0, 1.0, 2.0, 1.0]


def test_points_that_modifiers_make_are_shown_as_well(addon) -> None:
    frames(FIRST, LAST)
    ob, spread = scatter(0.05)
    points(ob)
    toggle()
    bpy.context.scene.frame_set(5)
    assert len(seen()["position"]) == 20
    spread.inputs["Density"].default_value = 0.1
    bpy.context.view_layer.update()
    assert len(seen()["position"]) == 40
    assert told() == ""


def test_models_of_a_collection_are_shown_by_variant(addon) -> None:
    ob = gnats(3, variant=[0, 1, 1])
    models = bpy.data.collections.new("Birds")
    for k, name in enumerate(("A", "B")):
        models.objects.link(bpy.data.objects.new(name, bpy.data.meshes.new(name)))
        models.objects[name].data.from_pydata([(0, 0, 0), (k + 1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    ob.steering.models = models
    toggle()
    bpy.context.scene.frame_set(5)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    drawn = [each.object.data.name for each in depsgraph.object_instances if each.is_instance]
    assert sorted(drawn) == ["A", "B", "B"]


def test_vehicles_at_rest_are_shown_as_in_their_cache(addon) -> None:
    frames(FIRST, LAST)
    owner = crowd("Crew", wander={"strength": 8.0})
    ships = fleet(4, crowd=owner)
    ships[2].scale *= 2.0
    owner.steering.output = "CACHE"
    bake()
    before = scene_dump()
    owner.steering.wander.strength = 0.0
    expected = np.array(recorded(plan()).positions)
    toggle()
    for frame in at_frames((6, 12)):
        np.testing.assert_allclose(seen()["position"], expected[frame - 1], atol=2e-5)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    drawn = [np.array(each.matrix_world) for each in depsgraph.object_instances if each.is_instance]
    sizes = sorted(round(float(np.linalg.norm(matrix[:3, 1])), 3) for matrix in drawn)
    assert sizes == [1.0, 1.0, 1.0, 2.0]
    toggle()
    owner.steering.wander.strength = 8.0
    bpy.context.scene.frame_set(FIRST)
    after = scene_dump()
    assert after["objects"].keys() == before["objects"].keys()
    assert after["meshes"].keys() == before["meshes"].keys()


def test_status_and_overlay_know_points(addon) -> None:
    ob = gnats()
    fleet(2, crowd=ob.steering.crowd)
    scene, layer = bpy.context.scene, bpy.context.view_layer
    before = scene_dump()
    census = part("blender.status.census").refresh(scene)
    members = census.members(ob.steering.crowd)
    assert (members.vehicles, members.free, members.active) == (10, 10, 10)
    assert members.names == "Swarm and 9 more"
    assert census.vehicles == 10
    select(ob)
    requests = part("blender.overlay.ways").requested_forces
    tracks = part("blender.overlay.tracks").Tracks()
    assert requests([ob], scene, layer.depsgraph, tracks) == []
    part("blender.overlay.ways").way_lines([ob], scene, layer.depsgraph)
    select()
    assert_same(before, {**scene_dump(), **{name: before[name] for name in ("active", "selected") if name in before}})
    points(name="Bare", position=np.zeros((0, 3)), crowd=ob.steering.crowd)
    texts = [finding.text for finding in part("blender.status.census").refresh(scene).findings]
    assert any(text.startswith("Bare has no vertices") for text in texts), texts


def test_the_fingerprint_follows_what_the_points_are(addon) -> None:
    ob, spread = scatter(0.05)
    points(ob)
    fingerprint = part("blender.read.fingerprint").fingerprint
    before = fingerprint(bpy.context.scene)
    assert fingerprint(bpy.context.scene) == before
    spread.inputs["Density"].default_value = 0.1
    assert fingerprint(bpy.context.scene) != before
    other = gnats(3)
    before = fingerprint(bpy.context.scene)
    other.data.attributes["id"].data[0].value = 77
    assert fingerprint(bpy.context.scene) != before
