"""By hand in Blender: a guide is made from a bake, the animator moves it, and the next bake follows it."""

import bpy
import numpy as np
import pytest

from tests.blender.building import armature, at_frames, empty, frames, part, wedge
from tests.blender.dumping import refuses
from tests.blender.steered import bake, crowd, press, vehicle

ownership = part("blender.animation.ownership")
fingerprint = part("blender.read.fingerprint").fingerprint
FIRST, LAST, END = 20, 68, 80


def flock(count: int = 4, **settings):
    """Vehicles that wander, the first of which is the hero."""
    birds = crowd("Birds", wander={}, cohesion={"distance": 40.0}, alignment={"distance": 40.0})
    for name, value in settings.items():
        setattr(birds.steering, name, value)
    members = [vehicle(wedge(f"Bird {k}", (2.0 * k, k % 2, 3.0)), crowd=birds, identity=100 + k) for k in range(count)]
    frames(1, END)
    return birds, members


def path(ob, first: int = 1, last: int = END) -> np.ndarray:
    """Where an object is on some frames, (f, 3)."""
    return np.array([tuple(ob.matrix_world.translation) for _ in at_frames(range(first, last + 1))])


def take_over(*vehicles, first: int = FIRST, last: int = LAST, **options):
    return press("animate_by_hand", *vehicles, frame_start=first, frame_end=last, **options)


def keys(guide, axis: int = 0):
    bag = part("blender.animation.animation_data").channelbag(guide)
    return next(curve for curve in bag.fcurves if (curve.data_path, curve.array_index) == ("location", axis))


def test_the_hero_follows_its_guide_and_comes_and_goes_without_a_jolt() -> None:
    _, members = flock()
    bake()
    hero, before = members[0], path(members[0])
    guide = take_over(hero)
    curve = keys(guide)
    assert 4 <= len(curve.keyframe_points) < (LAST - FIRST) / 2
    assert np.abs(path(guide, FIRST, LAST) - before[FIRST - 1 : LAST]).max() < 0.011
    # The keys between the outer two are moved, as in the graph editor.
    for axis, by in ((0, 0.5), (2, 1.0)):
        curve = keys(guide, axis)
        for point in list(curve.keyframe_points)[2:-2]:
            point.co_ui[1] += by
        curve.update()
    bake()
    after, led = path(hero), path(guide)
    assert np.abs(after - led)[FIRST - 1 : LAST].max() < 0.001
    assert np.abs(after - before)[:FIRST].max() == 0.0
    assert np.abs(after - before)[FIRST - 1 : LAST].max() > 0.7
    velocity = np.diff(after, axis=0) * 24.0
    jolts = np.linalg.norm(np.diff(velocity, axis=0), axis=1)
    assert jolts[[FIRST - 3, FIRST - 2, FIRST - 1, LAST - 2, LAST - 1]].max() < 0.6
    assert np.linalg.norm(velocity, axis=1)[LAST - 1 :].max() < 6.0
    others = [np.abs(path(ob)[END - 1] - at).max() for ob, at in zip(members[1:], [path(ob)[0] for ob in members[1:]])]
    assert min(others) > 1.0


def test_delete_bake_and_baking_again_keep_what_the_animator_keyed() -> None:
    _, members = flock()
    bake()
    guide = take_over(members[0])
    bake()
    first = path(members[0])
    assert bpy.ops.steering.clear_bake() == {"FINISHED"}
    assert not ownership.is_baked(members[0])
    curve = members[0].animation_data.action
    assert curve is not None and guide.animation_data.action is not None
    assert [members[0].steering.by_hand for _ in at_frames((FIRST - 1, FIRST, LAST, LAST + 1))] == [0.0, 1.0, 1.0, 0.0]
    bake()
    assert np.abs(path(members[0]) - first).max() < 1e-6


def test_a_second_span_uses_the_same_guide_and_one_that_overlaps_is_refused() -> None:
    _, members = flock(2)
    bake()
    guide = take_over(members[0], first=10, last=20)
    bake()
    assert take_over(members[0], first=50, last=60) == guide
    bake()
    with pytest.raises(RuntimeError, match="led by hand on frames 15 to 30 already"):
        take_over(members[0], first=15, last=30)
    led, after = path(guide), path(members[0])
    assert np.abs(led - after)[[*range(9, 20), *range(49, 60)]].max() < 0.001
    assert np.abs(led - after)[30:40].max() > 0.01


def test_without_a_bake_it_refuses_in_a_sentence_and_changes_nothing() -> None:
    _, members = flock(2)
    with pytest.raises(RuntimeError, match="Bird 0 is not baked, so it has no motion to begin with"):
        take_over(members[0])
    bake()
    with pytest.raises(RuntimeError, match="Bird 0 is baked on frames 1 to 80"):
        take_over(members[0], first=70, last=90)
    assert "Bird 0 Guide" not in bpy.data.objects and not members[0].steering.is_property_set("guide")


@pytest.mark.parametrize(("last", "frame", "ends"), [(60, 40, 60), (20, 5, 20)])
def test_it_ends_with_the_bake_if_that_is_near_whatever_the_scene_does(last: int, frame: int, ends: int) -> None:
    _, [hero] = flock(1)
    frames(1, 30)
    settings = bpy.context.scene.steering
    settings.use_frame_range, settings.frame_start, settings.frame_end = True, 1, last
    bake()
    settings.use_frame_range = False
    bpy.context.scene.frame_set(frame)
    guide = press("animate_by_hand", hero)
    assert tuple(keys(guide).range()) == (frame, ends)


def test_a_vehicle_below_a_parent_and_a_hidden_guide() -> None:
    _, members = flock(2)
    cart = empty("Cart", (5.0, 2.0, 0.0), rotation=(0.0, 0.0, 0.7))
    cart.keyframe_insert("location", frame=1)
    cart.location.y += 6.0
    cart.keyframe_insert("location", frame=END)
    members[0].parent = cart
    bake()
    guide = take_over(members[0])
    guide.hide_viewport = True
    for point in keys(guide, 2).keyframe_points[1:3]:
        point.co_ui[1] += 1.0
    bake()
    after = path(members[0])
    guide.hide_viewport = False
    assert np.abs(after - path(guide))[FIRST - 1 : LAST].max() < 0.001


def test_a_bone_leads_with_substeps_and_a_fixed_share() -> None:
    _, members = flock(2)
    rig = armature("Rig", Hand=((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    hand = rig.pose.bones["Hand"]
    for frame, x in ((1, 0.0), (END, 12.0)):
        hand.location = (x, 0.0, 0.0)
        hand.keyframe_insert("location", frame=frame)
    settings = members[0].steering
    settings.by_hand, settings.guide, settings.guide_bone = 1.0, rig, "Hand"
    bpy.context.scene.steering.substeps = 2
    bake()
    bones = [tuple(rig.matrix_world @ rig.pose.bones["Hand"].head) for _ in at_frames(range(1, END + 1))]
    assert np.abs(path(members[0]) - bones)[60:].max() < 0.001
    settings.guide_bone = "Foot"
    refuses("bake", "has no bone Foot")


@pytest.mark.parametrize("trouble", ["no guide", "gone", "carried", "constrained"])
def test_a_guide_that_cannot_lead_is_refused_by_name(trouble: str) -> None:
    _, members = flock(2)
    settings, guide = members[0].steering, empty("Leash", (0.0, 0.0, 3.0))
    settings.by_hand, settings.guide = 1.0, guide
    if trouble == "no guide":
        bpy.data.objects.remove(guide)
    elif trouble == "gone":
        bpy.context.scene.collection.objects.unlink(guide)
    elif trouble == "carried":
        guide.parent = members[1]
    else:
        guide.constraints.new("COPY_LOCATION").target = members[1]
    expected = {"no guide": "Bird 0 is led by hand but has no guide", "gone": "is no longer in the scene"}
    refuses("bake", expected.get(trouble, "moves with a vehicle that the bake has yet to move"))


def test_moving_a_key_of_the_guide_marks_the_bake_outdated_and_changes_the_preview() -> None:
    _, members = flock(2)
    bake()
    guide = take_over(members[0])
    scene = bpy.context.scene
    known = fingerprint(scene)
    keys(guide).keyframe_points[1].co_ui[1] += 1.0
    keys(guide).update()
    assert fingerprint(scene) != known
    assert bpy.ops.steering.clear_bake() == {"FINISHED"}
    scene.frame_set(45)
    bpy.ops.steering.preview()
    shown = members[0].evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.translation.copy()
    led = guide.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.translation.copy()
    assert (shown - led).length < 0.001
