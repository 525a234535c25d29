"""The record of a run on its scene: found by bake and identity, gone with the last bake, harmless when damaged."""

import bpy
import numpy as np

from tests.blender.animated import is_baked
from tests.blender.building import frames, part, wedge
from tests.blender.steered import bake, clear_bake, crowd, obstacle, vehicle
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)

RUNS = "steering_runs"


def crash() -> list:
    """Two vehicles that drive through each other and one far away; they enter on frame 5."""
    frames(1, 48)
    bpy.context.scene.frame_set(10)
    settings = crowd("Straight")
    settings.steering.vehicle.radius = 0.5
    settings.steering.attendance.use_enter_frame = True
    settings.steering.attendance.enter_frame = 5
    places = {"One": ((0.0, -4.0, 0.0), 0.0), "Two": ((0.0, 4.0, 0.0), np.pi), "Far": ((50.0, 0.0, 0.0), 0.0)}
    return [
        vehicle(name=name, location=place, rotation=(0.0, 0.0, turn), crowd=settings, identity=number)
        for number, (name, (place, turn)) in enumerate(places.items(), 1)
    ]


def outcome(ob):
    return part("blender.animation.run_records").outcome_of(ob)


def runs() -> list[str]:
    return list(bpy.context.scene.get(RUNS, {}).keys())


def test_each_vehicle_is_told_what_happened_to_it() -> None:
    one, two, far = crash()
    bake()
    assert set(outcome(one).mishaps) == set(outcome(two).mishaps) == {"overlap"}
    assert 5 <= outcome(one).mishaps["overlap"] <= 48
    assert outcome(far).mishaps == {} and outcome(far).stuck_frames is None
    assert outcome(one).present_frames == outcome(far).present_frames == (5.0, np.inf)


def test_each_kind_of_mishap_has_a_column_of_its_own() -> None:
    run_record, records = part("recording.run_record"), part("blender.animation.run_records")
    kinds = part("recording.mishaps").KINDS
    (one, *_) = crash()
    bake()
    columns = {kind: np.array([10.0 + k, np.nan, np.nan]) for k, kind in enumerate(kinds)}
    stuck = np.array([[20.0, 21.0], [np.nan, np.nan], [np.nan, np.nan]])
    present = np.tile((-np.inf, np.inf), (3, 1))
    record = run_record.RunRecord(np.array([1, 2, 3]), columns, stuck, present, ("", "", ""), ("", "Exit", ""))
    records.store_run(bpy.context.scene, *runs(), record)
    assert outcome(one).mishaps == {kind: 10.0 + k for k, kind in enumerate(kinds)}
    assert outcome(one).stuck_frames == (20.0, 21.0)


def test_asking_for_mishaps_stores_nothing_on_parts_that_a_bake_hides() -> None:
    *_, far = crash()
    mast = wedge("Mast")
    mast.parent = far
    bake(far, selected=True)
    assert is_baked(mast), "it is hidden until the vehicle enters"
    assert bpy.ops.steering.select_contacts() == {"CANCELLED"}
    assert not mast.is_property_set("steering")


def test_a_scene_keeps_one_record_for_each_run_that_is_played() -> None:
    vehicles = crash()
    bake()
    first = runs()
    bake(vehicles[2], selected=True)
    assert len(runs()) == 2 and set(first) < set(runs())
    bake()
    assert len(runs()) == 1 and not set(first) & set(runs())
    clear_bake(vehicles[0], selected=True)
    assert len(runs()) == 1 and outcome(vehicles[0]).mishaps == {} and outcome(vehicles[1]).mishaps
    clear_bake()
    assert RUNS not in bpy.context.scene


def test_the_record_of_what_is_excluded_from_the_view_layer_stays() -> None:
    one, *_ = crash()
    bake()
    kept = outcome(one)
    collection = bpy.data.collections.new("Aside")
    bpy.context.scene.collection.children.link(collection)
    collection.objects.link(one)
    for other in list(one.users_collection):
        if other != collection:
            other.objects.unlink(one)
    aside = bpy.context.view_layer.layer_collection.children["Aside"]
    aside.exclude = True
    bake()
    aside.exclude = False
    assert outcome(one) == kept and kept.mishaps and len(runs()) == 2


def test_actions_tell_nothing_of_the_run_but_a_copy_is_told_what_happened_to_the_vehicle_whose_bake_it_plays() -> None:
    (one, *_) = crash()
    bake()
    told = {"mishaps", "stuck", "there", "states", "made_of"}
    assert not told & set(one.animation_data.action["steering_bake"].keys())
    copy = one.copy()
    bpy.context.collection.objects.link(copy)
    assert outcome(copy) == outcome(one) != outcome(vehicle(name="New"))


def test_what_older_files_tell_on_actions_is_read_and_their_contacts_are_selected() -> None:
    one, two, _ = crash()
    bake()
    del bpy.context.scene[RUNS]
    record = one.animation_data.action["steering_bake"]
    record["mishaps"] = {"overlap": 20.0}
    record["there"] = [5.0, np.inf]
    record["stuck"] = [7.0, 9.0]
    record["states"] = '[[3.0, "Hunt", "CUE", "", "", "", []]]'
    told = outcome(one)
    assert (told.mishaps, told.present_frames, told.stuck_frames) == ({"overlap": 20.0}, (5.0, np.inf), (7.0, 9.0))
    assert [state.state for state in told.states] == ["Hunt"]
    assert outcome(two).mishaps == {}
    assert bpy.ops.steering.select_contacts() == {"FINISHED"}
    assert bpy.context.selected_objects == [one] and bpy.context.scene.frame_current == 20


DAMAGE = (
    {"identity": [3, 2, 1]},
    {"identity": "abc"},
    {"identity": [1, 2]},
    {"mishaps": {"overlap": [1.0]}},
    {"mishaps": {"overlap": [1e30, 1.0, 1.0]}},
    {"mishaps": {"overlap": "x"}},
    {"mishaps": 5},
    {"present": [1.0, 2.0]},
    {"stuck": 5},
    {"states": ["{", "[1]", "[[1, 2]]"]},
    {"states": [1, 2, 3]},
    {"made_of": 5},
)


def test_a_damaged_record_tells_nothing_and_hinders_nothing() -> None:
    vehicles = crash()
    obstacle(name="Ball", location=(0.0, 9.0, 0.0))
    bake()
    for damage in DAMAGE:
        (run,) = runs()
        for name, value in damage.items():
            bpy.context.scene[RUNS][run][name] = value
        assert all(outcome(ob).states == () for ob in vehicles), damage
        part("blender.status.census").count(bpy.context.scene)
        bpy.ops.steering.select_contacts()
        bake()
        assert outcome(vehicles[0]).mishaps, damage
    bpy.context.scene[RUNS] = 5
    assert outcome(vehicles[0]).mishaps == {}
    bake()
    clear_bake()
    assert RUNS not in bpy.context.scene
