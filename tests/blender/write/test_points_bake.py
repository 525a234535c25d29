"""A bake of points leaves a crowd cache, and all that a bake of objects tells; deleting it leaves the points."""

import bpy
import numpy as np

from tests.blender.building import at_frames, frames, part, wedge
from tests.blender.dumping import assert_same, refuses, scene_dump
from tests.blender.steered import bake, clear_bake, crowd, fleet, obstacle, points, press, select
from tests.blender.write.test_writers import RecordingWriter, plan, run
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)
LAST = 20


def gnats(number: int = 6, **attributes):
    """Points of a crowd that show two models, the second one twice as large."""
    frames(1, LAST)
    owner = crowd("Gnats", wander={"strength": 6.0}, separation={})
    ob = points(name="Swarm", crowd=owner, position=[(2.0 * k, 0.0, 0.0) for k in range(number)], **attributes)
    models = bpy.data.collections.new("Models")
    bpy.context.scene.collection.children.link(models)
    for name, size in (("A", 0.1), ("B", 0.2)):
        model = wedge(name, size=size)
        bpy.context.scene.collection.objects.unlink(model)
        models.objects.link(model)
    bpy.context.view_layer.layer_collection.children[-1].exclude = True
    bpy.context.view_layer.update()
    ob.steering.models = models
    return ob


def drawn() -> dict[float, np.ndarray]:
    """The matrices (k, 4, 4) of what is drawn as an instance, by the length of its mesh ahead."""
    found: dict[float, list] = {}
    for each in bpy.context.evaluated_depsgraph_get().object_instances:
        if each.is_instance:
            size = round(float(max(v.co.y for v in each.object.data.vertices)), 3)
            found.setdefault(size, []).append(np.array(each.matrix_world))
    return {size: np.array(matrices) for size, matrices in found.items()}


def test_points_are_baked_where_they_fly_and_shown_as_their_models(addon) -> None:
    ob = gnats(variant=[0, 1, 1, 0, 1, 5], scale=[1.0, 1.0, 1.0, 1.0, 1.0, 3.0])
    before, planned, writer = scene_dump(), plan(), RecordingWriter()
    run(planned, writer)
    bake()
    for frame in at_frames((1, 7, LAST)):
        found = drawn()
        assert {size: len(each) for size, each in found.items()} == {0.1: 2, 0.2: 4}
        places = np.concatenate([each[:, :3, 3] for each in found.values()])
        expected = writer.positions[frame - 1]
        gap = np.linalg.norm(places[:, None] - expected[None], axis=-1).min(axis=1)
        assert gap.max() < 1e-5
    assert not ob.visible_get()
    census = part("blender.status.census").refresh(bpy.context.scene)
    assert census.bake.vehicles == census.members(ob.steering.crowd).vehicles == 6
    assert not census.bake.outdated
    assert len(plan()) == 6
    bake()
    bpy.context.scene.frame_set(1)
    clear_bake(next(ob for ob in bpy.context.view_layer.objects if "Player" in ob.name))
    assert bpy.context.view_layer.objects.active == ob
    select()
    assert_same({**before, "active": None, "selected": []}, {**scene_dump(), "active": None, "selected": []})


def test_objects_and_points_of_a_crowd_are_baked_together(addon) -> None:
    ob = gnats()
    fleet(3, crowd=ob.steering.crowd)
    other = crowd("Others", wander={})
    fleet(2, crowd=other)
    bake()
    assert sum(len(each) for each in drawn().values()) == 9
    keyed = [each.name for each in bpy.context.scene.objects if each.animation_data and each.animation_data.action]
    assert len(keyed) == 2


def test_contacts_of_points_are_told_and_select_the_player(addon) -> None:
    ob = gnats()
    obstacle(location=(4.0, 4.0, 0.0))
    ob.steering.crowd.steering.wander.use = False
    bake()
    census = part("blender.status.census").refresh(bpy.context.scene)
    assert census.bake.mishaps
    assert bpy.ops.steering.select_contacts() == {"FINISHED"}
    assert [each.name for each in bpy.context.selected_objects] == ["Gnats Player"]
    assert bpy.context.scene.frame_current > 1


def test_points_without_models_are_refused(addon) -> None:
    ob = gnats()
    ob.steering.models = None
    refuses("bake", "points of Swarm have no models", ob)


def test_a_preview_of_baked_points_shows_them_once(addon) -> None:
    ob = gnats()
    bake()
    assert bpy.ops.steering.preview() == {"FINISHED"}
    bpy.context.scene.frame_set(9)
    matrices = np.concatenate(list(drawn().values()))
    seen = np.abs(matrices[:, :3, :3]).max(axis=(1, 2)) > 0.0
    assert seen.sum() == 6
    assert bpy.ops.steering.preview() == {"FINISHED"}
    bpy.context.view_layer.update()
    assert sum(len(each) for each in drawn().values()) == 6
    assert ob.steering.roles == {"POINTS"}


def test_populate_leaves_no_cache_of_points_that_it_replaces(addon) -> None:
    frames(1, 6)
    owner = press("populate", wedge("Arrow", size=0.1), count=7, made_as="POINTS", moves_like="BIRD")
    bake()
    press("populate", owner, count=9)
    assert not part("blender.objects.crowd_caches").cache_of(owner)
    bake()
    assert sum(len(each) for each in drawn().values()) == 9
    assert part("blender.status.census").refresh(bpy.context.scene).bake.vehicles == 9
    # The overlay plans while nothing evaluates what rests.
    assert len(part("blender.read.plan").plan_reading(bpy.context.scene, adds_nothing=True)) == 9


def test_copies_of_points_are_told_apart(addon) -> None:
    ob = gnats(2)
    other = ob.copy()
    other.data = ob.data.copy()
    other.location.z = 5.0
    bpy.context.scene.collection.objects.link(other)
    bake()
    assert ob.steering.identity != other.steering.identity
    members = part("blender.status.census").refresh(bpy.context.scene).members(ob.steering.crowd)
    assert members.vehicles == 4
