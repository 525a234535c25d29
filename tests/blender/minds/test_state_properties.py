"""A bake keys on each vehicle what state it is in, for rigs that know nothing of crowds."""

import bpy
import numpy as np
import pytest

from tests.blender.animated import curves, drive
from tests.blender.building import at_frames, empty, frames, part, wedge
from tests.blender.dumping import assert_same, scene_dump
from tests.blender.overlay.test_overlay import drawn
from tests.blender.steered import bake, clear_bake, crowd, press, select, vehicle
from tests.sampling import sampled

NUMBER = '["steering_state"]'
LAST = 40


def herd(*others: str):
    """Two vehicles, one of them near a wolf that startles them, with the state Startle and then others."""
    frames(1, LAST)
    grazing = crowd("Sheep", wander={"strength": 0.3})
    grazing.steering.locomotion = "PLANAR"
    members = [vehicle(wedge(f"Sheep {k}", (60.0 * k, 0.0, 0.0)), crowd=grazing, identity=100 + k) for k in range(2)]
    select(grazing)
    for preset in ("startle", *others):
        press("state_add", grazing, preset=preset)
    startle = bpy.data.objects["Startle"]
    numbers = startle.steering.state
    numbers.react, numbers.varies, numbers.lasts, numbers.blend = 0.0, 0.0, 0.5, 0.4
    press("trigger_add", startle, empty("Wolf", (2.0, -3.0, 0.0)), when="NEAR").steering.trigger.distance = 8.0
    return members


def keys_of(ob, path: str) -> list[tuple[float, float, str]]:
    """The keys of a property: frame, value and interpolation."""
    (curve,) = [each for each in curves(ob) if each.data_path == path]
    return [(*point.co, point.interpolation) for point in curve.keyframe_points]


def shares(ob) -> list[str]:
    """The custom properties of an object that hold shares."""
    return [name for name in list(ob.keys()) if name.startswith("state_")]


def front_colors(*obs) -> tuple[set[tuple[float, ...]], list[str]]:
    """The colors in which the overlay draws the fronts of objects, without those of their size, and its legend."""
    select(*obs)
    picture, size = drawn("FRONT"), part("blender.overlay.picture").SIZE
    colors = {tuple(np.round(color.astype(float), 4).tolist()) for _, each in picture.open for color in each}
    return colors - {tuple(np.round(size, 4).tolist())}, [name for name, _ in picture.legend]


def test_a_vehicle_tells_its_state_by_number_and_how_far_it_has_taken_it_up_also_once_it_leaves_a_cache() -> None:
    called, calm = herd()
    bpy.data.objects["Regroup"].steering.state.blend = 0.5
    numbers = {ob.name: ob.steering.state.number for ob in bpy.data.objects if "STATE" in ob.steering.roles}
    assert sorted(numbers.values()) == [1, 2]
    bake()
    changes = {
        each.frame: numbers.get(each.state, 0)
        for each in part("blender.animation.run_records").outcome_of(called).states
    }
    assert len(changes) >= 2
    expected = {1.0: 0, **changes, float(LAST): list(changes.values())[-1]}
    assert keys_of(called, NUMBER) == [(frame, float(value), "CONSTANT") for frame, value in expected.items()]
    startle, regroup = (keys_of(called, f'["state_{name}"]') for name in ("Startle", "Regroup"))
    first, second = list(changes)[:2]
    # The last frame before it, each frame of .4 s at 24 a second, the first on which it is taken up whole.
    assert [frame for frame, _, _ in startle if frame < second] == [first - 1.0 + k for k in range(11)] + [second - 1.0]
    assert {kind for _, _, kind in startle} == {"LINEAR"}
    x = np.minimum(np.arange(11) / 24.0 / 0.4, 1.0)
    assert [value for _, value, _ in startle[:11]] == pytest.approx(x * x * (3.0 - 2.0 * x), abs=1e-6)
    shares = {frame: value for frame, value, _ in regroup}
    for frame, value, _ in startle:
        if second <= frame < second + 12:
            assert 0.0 < value + shares[frame] == pytest.approx(1.0, abs=1e-6)
    assert keys_of(calm, NUMBER) == [(1.0, 0.0, "CONSTANT"), (float(LAST), 0.0, "CONSTANT")]
    assert [value for _, value, _ in keys_of(calm, '["state_Startle"]')] == [0.0, 0.0]
    wanted = keys_of(called, NUMBER)
    called.steering.crowd.steering.output = "CACHE"
    bake()
    select(bpy.data.objects["Sheep Player"])
    assert bpy.ops.steering.make_objects(ids=str(called.steering.identity)) == {"FINISHED"}
    assert keys_of(called, NUMBER) == wanted


def test_a_driver_plays_by_the_share_and_the_properties_go_with_the_bake() -> None:
    called, calm = herd()
    tail = wedge("Tail")
    tail.parent = called
    bpy.context.view_layer.update()
    before = scene_dump()
    bake()
    drive(tail, "rotation_euler", "p", index=1, p=(called, '["state_Startle"]'))
    seen = {}
    for frame in at_frames((1, 14)):
        seen[frame] = tail.evaluated_get(bpy.context.evaluated_depsgraph_get()).rotation_euler[1]
        assert type(called["steering_state"]) is int
    assert seen == {1: 0.0, 14: pytest.approx(1.0)} and called["steering_state"] == 1
    bake()  # The tail, which reads the vehicle above it, does not stand in the way.
    tail.animation_data_clear()
    tail.rotation_euler = 0.0, 0.0, 0.0
    clear_bake()
    bpy.context.scene.frame_set(1)
    assert not [*shares(called), *shares(calm)] and "steering_state" not in called
    assert_same(before, scene_dump())


def test_the_front_of_a_vehicle_has_the_color_of_its_state_after_a_bake() -> None:
    called, calm = herd()
    startle, regroup = (bpy.data.objects[name].steering.state for name in ("Startle", "Regroup"))
    assert tuple(startle.color) != tuple(regroup.color)
    fingerprint = part("blender.read.fingerprint").fingerprint
    known = fingerprint(bpy.context.scene)
    startle.color = 0.0, 0.5, 1.0
    assert fingerprint(bpy.context.scene) == known
    plain = {(*part("blender.overlay.picture").FRONT,)}
    assert front_colors(called, calm) == (plain, [])
    bake()
    assert front_colors(called, calm) == (plain, [])
    bpy.context.scene.frame_set(10)
    blue, named = front_colors(called)
    assert {color[:3] for color in blue} >= {(0.0, 0.5, 1.0)} and named == ["Startle"]
    assert front_colors(calm) == (plain, [])
    clear_bake()
    called["steering_state"] = startle.number
    assert front_colors(called) == (plain, [])


def test_only_vehicles_of_crowds_with_states_get_them_and_an_inactive_state_is_none() -> None:
    called, _ = herd("sleep")
    bpy.data.objects["Sleep"].steering.active = False
    goat = vehicle(wedge("Goat", (0.0, 90.0, 0.0)), crowd=crowd("Goats", wander={}))
    bake()
    named = {each.data_path for each in curves(called) if each.data_path.startswith("[")}
    assert named == {NUMBER, '["state_Startle"]', '["state_Regroup"]'}
    assert not [each for each in curves(goat) if each.data_path.startswith("[")]


def test_a_number_stays_with_its_state_and_a_copy_gets_another() -> None:
    called, _ = herd("sleep")
    numbers = {name: bpy.data.objects[name].steering.state.number for name in ("Startle", "Regroup", "Sleep")}
    assert numbers == {"Startle": 1, "Regroup": 2, "Sleep": 3}
    bpy.data.objects.remove(bpy.data.objects["Regroup"])
    bpy.data.objects["Startle"].name = "Alarm"
    select(bpy.data.objects["Alarm"])
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    assert copy.name == "Alarm.001" and copy.steering.state.number == numbers["Startle"]
    bake()
    assert bpy.data.objects["Alarm"].steering.state.number == numbers["Startle"]
    assert bpy.data.objects["Sleep"].steering.state.number == 3 and copy.steering.state.number == 4
    assert {'["state_Alarm"]', '["state_Alarm.001"]'} <= {each.data_path for each in curves(called)}


@sampled
@pytest.mark.parametrize("name", ['Say "No" \\ [1]', "Ä" * 31], ids=["quoted", "long"])
def test_any_name_of_a_state_makes_a_property(name: str) -> None:
    called, _ = herd()
    frames(1, 20)
    startle = bpy.data.objects["Startle"]
    startle.name = name
    bake()
    bpy.context.scene.frame_set(14)
    (keyed,) = [each for each in shares(called) if each != "state_Regroup"]
    assert ("state_" + startle.name).startswith(keyed) and called[keyed] == pytest.approx(1.0)
    # A key of the animator's beyond the bake, of which the next bake notes the handles.
    path = f'["{bpy.utils.escape_identifier(keyed)}"]'
    called.keyframe_insert(path, frame=LAST + 20)
    bake()
    (curve,) = [each for each in curves(called) if each.data_path == path]
    curve.keyframe_points.remove(curve.keyframe_points[-1])
    startle.name = "Alarm"
    bake()
    assert keyed not in called and "state_Alarm" in called
    clear_bake()
    assert not shares(called)
