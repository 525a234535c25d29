"""Whatever the scene: either one sentence and nothing changed, or finite keys on every frame and a way back."""

import math

import bpy
import numpy as np
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from tests.blender.building import (
    assert_same,
    bake,
    crowd,
    curves,
    difference,
    empty,
    insert,
    is_baked,
    leader,
    obstacle,
    part,
    path_curve,
    put,
    road,
    scene_dump,
    select,
    sphere,
    vehicle,
    wedge,
)
from tests.blender.sharing import BLENDERS, turn
from tests.sampling import in_every_blender

pytestmark = in_every_blender(a_part=True)

EXAMPLES = 36 // len(BLENDERS)
MODES = ("QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
AXES = (("POS_Y", "POS_Z"), ("NEG_Y", "POS_Z"), ("POS_X", "NEG_Y"), ("NEG_Z", "POS_X"), ("POS_Z", "NEG_Y"))
TRANSFORMS = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle")
RATHER_ODD = 1e7

coordinates = st.one_of(
    st.sampled_from((0.0, 1.0, -1.0, 1e-20)),
    st.floats(-20.0, 20.0, width=32),
    st.floats(-RATHER_ODD, RATHER_ODD, width=32),
)
places = st.tuples(coordinates, coordinates, coordinates)
angles = st.one_of(st.sampled_from((0.0, math.pi / 2, math.pi)), st.floats(-10.0, 10.0, width=32))
turns = st.tuples(angles, angles, angles)
stretches = st.one_of(st.sampled_from((1.0, -1.0, 0.0, 1e-6, 1e4)), st.floats(-5.0, 5.0, width=32))
sizes = st.one_of(st.just((1.0, 1.0, 1.0)), st.tuples(stretches, stretches, stretches))
placed = st.fixed_dictionaries({"location": places, "rotation": turns, "scale": sizes})

vehicles = st.lists(
    st.fixed_dictionaries(
        {
            "placed": placed,
            "mode": st.sampled_from(MODES),
            "axes": st.sampled_from(AXES),
            "parent": st.sampled_from((None, None, "still", "moving")),
            "keyed": st.booleans(),
            "start_speed": st.floats(0.0, 1.0, width=32),
            "speed_factor": st.sampled_from((1.0, 0.01, 100.0)),
            "active": st.sampled_from((True, True, True, False)),
            "locked": st.sampled_from((False,) * 5 + (True,)),
            "crowd": st.integers(0, 1),
        }
    ),
    min_size=1,
    max_size=6,
)
paths = st.lists(
    st.fixed_dictionaries(
        {
            "points": st.one_of(
                st.lists(places, min_size=1, max_size=4), st.integers(1, 3).map(lambda n: [(1.0, 2.0, 3.0)] * n)
            ),
            "kind": st.sampled_from(("POLY", "BEZIER", "NURBS")),
            "cyclic": st.booleans(),
            "placed": placed,
        }
    ),
    max_size=2,
)
chances = st.randoms(use_true_random=False)
scenes = st.fixed_dictionaries(
    {
        "first": st.integers(-5, 30),
        "length": st.integers(1, 12),
        "frame": st.integers(-5, 40),
        "substeps": st.sampled_from((1, 1, 3)),
        "preroll": st.sampled_from((0, 0, 2)),
        "vehicles": vehicles,
        "parent": placed,
        "obstacles": st.lists(placed, max_size=3),
        "leaders": st.lists(placed, max_size=2),
        "paths": paths,
        "behaviors": st.lists(st.sets(st.integers(0, 30), max_size=4), min_size=2, max_size=2),
        "extreme": st.booleans(),
        "chance": chances,
        "coincident": st.booleans(),
    }
)


def build(scene: dict) -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    run = bpy.context.scene
    crowds = [crowd(f"Crowd {k}") for k in range(2)]
    for ob, wanted in zip(crowds, scene["behaviors"]):
        set_up(ob, wanted, scene)
    still, moving = put(empty("Still"), **scene["parent"]), put(empty("Moving"), **scene["parent"])
    insert(moving, "location", {1: (0.0, 0.0, 0.0), 20: (30.0, -9.0, 2.0)})
    insert(moving, "rotation_euler", {1: (0.0, 0.0, 0.0), 20: (3.0, -9.0, 2.0)})
    for k, where in enumerate(scene["obstacles"]):
        obstacle(put(sphere(f"Ball {k}"), **where))
    for k, where in enumerate(scene["leaders"]):
        leader(put(empty(f"Leader {k}"), **where))
    for k, curve in enumerate(scene["paths"]):
        road(
            put(path_curve(f"Road {k}", curve["points"], kind=curve["kind"], cyclic=curve["cyclic"]), **curve["placed"])
        )
    for k, wanted in enumerate(scene["vehicles"]):
        ob = put(wedge(f"Ship {k}"), **(scene["vehicles"][0] if scene["coincident"] else wanted)["placed"])
        ob.rotation_mode = wanted["mode"]
        ob.parent = {"still": still, "moving": moving}.get(wanted["parent"])
        bpy.context.view_layer.update()
        vehicle(ob, crowd=crowds[wanted["crowd"]], identity=k + 1, start_speed=wanted["start_speed"])
        ob.steering.forward_axis, ob.steering.up_axis = wanted["axes"]
        ob.steering.speed_factor, ob.steering.active = wanted["speed_factor"], wanted["active"]
        ob.steering.locked = wanted["locked"]
        if wanted["keyed"]:
            insert(ob, "delta_location", {1: (0.0, 0.0, 0.0), 20: (1.0, 2.0, 3.0)})
            insert(ob, "steering.size_factor", {1: 1.0, 20: 3.0})
    select()
    run.frame_start, run.frame_end = 0, 100
    stored = run.steering
    stored.use_frame_range, stored.frame_start, stored.frame_end = (
        True,
        scene["first"],
        scene["first"] + scene["length"] - 1,
    )
    stored.substeps, crowds[0].steering.preroll = scene["substeps"], scene["preroll"]
    run.frame_set(scene["frame"])


def set_up(crowd_object, wanted: set[int], scene: dict) -> None:
    """Give a crowd some of the behaviors, and parameters anywhere within their limits."""
    catalogue = part("behaviors").CATALOGUE
    chosen = {number % len(catalogue) for number in wanted}
    declared = [("vehicle", part("simulation.vehicle").VehicleModel)]
    for number in sorted(chosen):
        getattr(crowd_object.steering, catalogue[number].name).use = True
        declared.append((catalogue[number].name, catalogue[number]))
    if scene["extreme"]:
        for group, declaration in declared:
            for name in declaration.parameters():
                set_somewhere(getattr(crowd_object.steering, group), name, scene["chance"])


def set_somewhere(group, name: str, chance) -> None:
    declared = group.bl_rna.properties[name]
    low_or_high = chance.random()
    if name == "max_speed" and low_or_high < 0.2:
        return  # Nothing could move, which is refused.
    if declared.type in ("FLOAT", "INT") and low_or_high < 0.4:
        setattr(group, name, declared.hard_min if low_or_high < 0.2 else declared.hard_max)
    elif declared.type == "BOOLEAN":
        setattr(group, name, low_or_high < 0.5)
    elif declared.type == "ENUM":
        setattr(group, name, chance.choice(declared.enum_items).identifier)


def assert_finite_keys(ob, first: int, length: int) -> None:
    rotation = part("blender.animation.rotation_channels").data_path(ob.rotation_mode)
    baked = [curve for curve in curves(ob) if curve.data_path in TRANSFORMS]
    assert {curve.data_path for curve in baked} == {"location", rotation}
    assert len(baked) == len(ob.location) + len(getattr(ob, rotation))
    for curve in baked:
        points = np.array([point.co for point in curve.keyframe_points])
        assert points[:, 0].tolist() == list(range(first, first + length))
        assert np.isfinite(points).all()


@seed(turn())
@given(scenes)
@settings(
    max_examples=EXAMPLES,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
def test_a_bake_gives_finite_keys_and_restores_the_scene_or_is_refused(scene) -> None:
    build(scene)
    before = scene_dump()
    try:
        bake()
    except RuntimeError as refused:
        told = str(refused).removeprefix("Error: ").strip()
        assert told.endswith(".") and "\n" not in told and "Traceback" not in told, told
        assert_same(before, scene_dump())
        return
    moving = [f"Ship {k}" for k, wanted in enumerate(scene["vehicles"]) if not wanted["locked"]]
    for name in moving:
        assert is_baked(bpy.data.objects[name])
        assert_finite_keys(bpy.data.objects[name], scene["first"], scene["length"])
    changed = list(difference(before["objects"], scene_dump()["objects"]))
    assert {line.split("/")[1] for line in changed} <= set(moving), changed[:9]
    assert bpy.ops.steering.clear_bake() == {"FINISHED"}
    bpy.context.view_layer.update()
    assert_same(before, scene_dump())
