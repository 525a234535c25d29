"""Presets of crowds and behaviors: applied as a whole or not at all, saved, and restored from one of a crowd."""

import math

import bpy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.blender.animated import insert
from tests.blender.building import empty, frames, part
from tests.blender.crowds.test_preset_files import user_folder, written
from tests.blender.dumping import assert_same, refuses, scene_dump
from tests.blender.seen import used
from tests.blender.steered import crowd, fleet, press, select, use, vehicle

SHIPPED = sorted(path.stem for path in part("blender.crowds.preset_files").SHIPPED.glob("*.json"))


def apply(preset: str, **options) -> None:
    assert bpy.ops.steering.preset_apply(preset=preset, **options) == {"FINISHED"}


def preset_made_of(ob):
    return part("blender.crowds.preset_exchange").preset_of(ob, "Made", "", 1.0)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_preset_sets_its_values_and_activates_only_its_behaviors(name) -> None:
    listed = part("blender.crowds.preset_files").CROWDS
    preset = listed.find(name).load()
    assert preset.unknown == ()
    ob = crowd(seek={}, flee={})
    apply(name)
    assert used(ob) == set(preset.behaviors)
    assert ob.steering.combining == preset.combining
    for key, value in preset.vehicle.items():
        assert getattr(ob.steering.vehicle, key) == pytest.approx(value), key
    for behavior, values in preset.behaviors.items():
        for key, value in values.items():
            assert getattr(getattr(ob.steering, behavior), key) == pytest.approx(value), (behavior, key)


def test_missing_values_are_reset_to_their_defaults() -> None:
    ob = crowd(separation={"neighbors": "EVERYONE", "priority": 7}, wander={"vertical": 0.9})
    ob.steering.vehicle.response_time = 3.0
    apply("starling")
    assert ob.steering.separation.neighbors == "OWN_CROWD"
    assert ob.steering.separation.priority == 2
    assert ob.steering.vehicle.response_time == pytest.approx(0.3)


def test_targets_and_settings_of_an_inactive_behavior_are_kept() -> None:
    leader, sky, other = empty("Leader"), empty("Sky"), crowd("Other")
    ob = crowd(
        leader_following={"leader": leader},
        containment={"region": sky},
        separation={"crowd": other},
        seek={"weight": 5.0},
    )
    apply("starling")
    assert ob.steering.leader_following.leader == leader
    assert ob.steering.containment.region == sky
    assert ob.steering.separation.crowd == other
    assert not ob.steering.leader_following.use and not ob.steering.seek.use
    assert ob.steering.seek.weight == 5.0


def test_the_measured_radius_is_kept() -> None:
    ship = vehicle(size=1.7)
    select(ship)
    before = ship.steering.crowd.steering.vehicle.radius
    apply("starling")
    assert ship.steering.crowd.steering.vehicle.radius == before == pytest.approx(1.7)


def test_the_switch_of_the_portrayal_is_kept_but_not_its_values() -> None:
    ob = crowd()
    ob.steering.portrayal.use = True
    apply("starling")
    assert ob.steering.portrayal.use
    assert ob.steering.portrayal.phase_by == "TIME"
    ob.steering.portrayal.use = False
    apply("herd")
    assert not ob.steering.portrayal.use
    assert ob.steering.portrayal.phase_by == "DISTANCE"


def test_attendance_is_applied_and_starts_after_the_first_frame() -> None:
    frames(1001, 1100)
    ob = crowd()
    apply("passers_by")
    attendance = ob.steering.attendance
    assert (attendance.use_enter_frame, attendance.enter_frame, attendance.on_arrival) == (True, 1002, "LEAVE")
    attendance.enter_frame = 1050
    apply("pedestrian")
    assert attendance.use_enter_frame, "a preset without attendance keeps it"
    apply("passers_by")
    assert attendance.enter_frame == 1050


def test_a_preset_holds_attendance_only_if_members_enter_or_leave() -> None:
    first, second = crowd("One"), crowd("Other")
    assert second.steering.attendance.wait_for_room, "reading must not change the result"
    assert preset_made_of(second).attendance is preset_made_of(first).attendance is None
    second.steering.attendance.on_arrival = "LEAVE"
    second.steering.attendance.arrival_distance = 2.0
    made = preset_made_of(second)
    part("blender.crowds.preset_exchange").take_up(made, first, bpy.context.scene)
    assert (first.steering.attendance.on_arrival, first.steering.attendance.arrival_distance) == ("LEAVE", 2.0)
    assert "enter_frame" not in made.attendance


def test_vehicles_and_the_scene_are_unchanged() -> None:
    ships = fleet(3)
    select(ships[0])
    before = scene_dump()
    apply("starling")
    after = scene_dump()
    name = ships[0].steering.crowd.name
    del before["objects"][name], after["objects"][name]
    assert_same(before, after)


def test_keyframed_settings_are_reported(capfd) -> None:
    ob = crowd(wander={})
    insert(ob, "steering.vehicle.max_speed", {1: 3.0, 20: 5.0})
    apply("starling")
    assert "Keys or drivers of Crowd override the preset: steering.vehicle.max_speed" in capfd.readouterr().out


def test_presets_are_fitted_to_vehicles_of_quite_another_size(capfd) -> None:
    ship = vehicle(size=1.1)  # 1.76 m long, eight starlings
    select(ship)
    apply("starling")
    assert "fitted from bodies 22 cm long to 1.76 m" in capfd.readouterr().out
    ob = ship.steering.crowd
    assert ob.steering.separation.distance == pytest.approx(8.0 * 1.5, rel=1e-4)
    assert ob.steering.vehicle.max_speed == pytest.approx(math.sqrt(8.0) * 13.0, rel=1e-4)
    assert ob.steering.flying.bank == pytest.approx(1.0, rel=1e-4)
    assert ob.steering.separation.angle == pytest.approx(math.tau)
    apply("starling", fit_size=False)
    told = capfd.readouterr().out
    assert "meant for bodies 22 cm long, these count as 1.76 m: turn on Fit to Size" in told
    assert ob.steering.vehicle.max_speed == pytest.approx(13.0, rel=1e-4)


def test_a_preset_saved_from_a_crowd_without_vehicles_is_meant_for_its_radius() -> None:
    ob = crowd(wander={})
    ob.steering.vehicle.radius, ob.steering.vehicle.max_speed = 4.0, 20.0
    bpy.ops.steering.preset_save(name="Whales")
    assert part("blender.crowds.preset_files").CROWDS.find("Whales").load().body_length == pytest.approx(8.0)


def test_the_suggested_preroll_and_variation_are_applied_on_request(capfd) -> None:
    ships = fleet(5)
    select(ships[0])
    written("gulls", preroll=48, variation={"speed": 0.1})
    apply("gulls")
    assert "a pre-roll of 48 frames is suggested" in capfd.readouterr().out
    assert ships[0].steering.crowd.steering.preroll == 0
    apply("gulls", vary=True, use_preroll=True)
    assert ships[0].steering.crowd.steering.preroll == 48
    speeds = [ship.steering.speed_factor for ship in ships]
    assert len(set(speeds)) == 5
    assert max(abs(speed - 1.0) for speed in speeds) <= 0.1


def values_of(group) -> st.SearchStrategy:
    """Any values of the settings in a property group, except choices among targets, which presets do not hold."""

    def of(declared) -> st.SearchStrategy:
        if declared.type == "BOOLEAN":
            return st.booleans()
        if declared.type == "ENUM":
            return st.sampled_from([item.identifier for item in declared.enum_items])
        if declared.type == "INT":
            return st.integers(declared.hard_min, declared.hard_max)
        return st.floats(declared.hard_min, declared.hard_max, width=32)

    supported = [p for p in group.bl_rna.properties if p.type in ("BOOLEAN", "ENUM", "INT", "FLOAT")]
    chosen = [p for p in supported if p.identifier not in ("name", "use") and not p.identifier.endswith("_choice")]
    return st.fixed_dictionaries({}, optional={p.identifier: of(p) for p in chosen})


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_preset_made_from_a_crowd_gives_another_crowd_the_same_values(data) -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    catalogue = part("behaviors").CATALOGUE
    groups = bpy.types.Object.bl_rna.properties["steering"].fixed_type.properties
    chosen = data.draw(st.sets(st.sampled_from([b.name for b in catalogue]), max_size=3))
    first = crowd("One")
    use(first, **{name: data.draw(values_of(groups[name].fixed_type)) for name in sorted(chosen)})
    for name, value in data.draw(values_of(groups["vehicle"].fixed_type)).items():
        setattr(first.steering.vehicle, name, value)
    first.steering.combining = data.draw(st.sampled_from([item.identifier for item in groups["combining"].enum_items]))
    for name, value in data.draw(values_of(groups["portrayal"].fixed_type)).items():
        setattr(first.steering.portrayal, name, value)
    first.steering.vehicle.radius, first.steering.vehicle.length = 0.5, 0.0
    first.steering.portrayal.stride_height, first.steering.portrayal.look = 0.0, False

    preset = part("settings.preset")
    made = preset.read(preset.written(preset_made_of(first)))
    second = crowd("Other", seek={"weight": 3.0}, wander={})
    assert part("blender.crowds.preset_exchange").take_up(made, second, bpy.context.scene) == []
    assert used(second) == used(first) == chosen
    for name in ("vehicle", "portrayal", *chosen):
        of_models = {"clips", "playing", "own_shapes"}
        for key in set(groups[name].fixed_type.properties.keys()) - {"rna_type", "own", *of_models}:
            assert getattr(getattr(second.steering, name), key) == getattr(getattr(first.steering, name), key), (
                name,
                key,
            )
    assert second.steering.combining == first.steering.combining
    assert preset_made_of(second).vehicle == preset_made_of(first).vehicle
    assert preset_made_of(second).behaviors == preset_made_of(first).behaviors


def test_a_user_preset_can_be_saved_again_applied_and_removed() -> None:
    first = crowd("One", wander={"strength": 2.0}, seek={"weight": 4.0})
    bpy.ops.steering.preset_save(name="My Gulls")
    first.steering.wander.strength = 2.5
    assert bpy.ops.steering.preset_save(name="My Gulls", description="Slow ones.") == {"FINISHED"}
    assert [path.name for path in user_folder().iterdir()] == ["My_Gulls.json"]
    [saved] = [preset for preset in part("blender.crowds.preset_files").CROWDS.listed().values() if preset.removable]
    assert (saved.name, saved.label()) == ("My_Gulls", "My Gulls")
    assert saved.tooltip().startswith("Slow ones. For bodies of 1 m")
    second = crowd("Other")
    apply("My_Gulls")
    assert used(second) == used(first)
    assert second.steering.wander.strength == 2.5
    assert bpy.ops.steering.preset_remove(preset="My_Gulls") == {"FINISHED"}
    assert list(user_folder().iterdir()) == []


@pytest.mark.parametrize(("name", "why"), [("starling", "A preset named starling ships"), ("  ", "has no name")])
def test_an_invalid_name_is_refused(name, why) -> None:
    crowd()
    refuses("preset_save", why, name=name)
    assert list(user_folder().iterdir()) == []


def test_a_shipped_preset_cannot_be_removed_and_removing_is_disabled_without_user_presets() -> None:
    refuses("preset_remove", "There are no presets of your own", preset="starling")
    written("Mine")
    refuses("preset_remove", "The preset starling cannot be removed: it ships", preset="starling")


def test_a_user_preset_replaces_a_shipped_preset_of_the_same_name() -> None:
    written("starling", label="My Starlings")
    assert part("blender.crowds.preset_files").CROWDS.listed()["starling"].label() == "My Starlings"


def test_a_preset_is_looked_up_without_reading_the_others(monkeypatch) -> None:
    files = part("blender.crowds.preset_files")
    monkeypatch.setattr(files.Listed, "load", lambda preset: pytest.fail(f"{preset.name} is read"))
    assert part("blender.crowds.preset_files").CROWDS.find("flock").name == "flock"


def of_behavior(behavior: str = "wander") -> dict:
    return part("blender.crowds.preset_files").OF_BEHAVIORS[behavior].listed()


def test_shipped_presets_are_listed_only_for_their_behavior() -> None:
    assert set(of_behavior("wander")) == {"calm", "restless", "darting", "together"}
    assert set(of_behavior("seek")) == set()


@pytest.mark.parametrize("behavior", ["wander", "separation", "path_following", "containment"])
def test_a_preset_sets_the_values_of_its_behavior_only(behavior) -> None:
    ob = crowd(**{behavior: {}, "seek": {"weight": 3.0}})
    for name, preset in of_behavior(behavior).items():
        assert bpy.ops.steering.behavior_preset_apply(behavior=behavior, preset=name) == {"FINISHED"}
        group = getattr(ob.steering, behavior)
        for value, expected in preset.load().behaviors[behavior].items():
            assert getattr(group, value) == (pytest.approx(expected) if isinstance(expected, float) else expected)
    assert ob.steering.seek.weight == 3.0


def test_a_preset_of_a_behavior_keeps_its_targets_and_the_switch_and_switches_on_what_is_new() -> None:
    meadow = empty("Meadow")
    ob = crowd(containment={"region": meadow})
    ob.steering.containment.use = False
    bpy.ops.steering.behavior_preset_apply(behavior="containment", preset="firm")
    assert ob.steering.containment.region == meadow
    assert not ob.steering.containment.use
    bpy.ops.steering.behavior_preset_apply(behavior="wander", preset="calm")
    assert ob.steering.wander.use


def test_a_user_preset_of_a_behavior_can_be_saved_applied_and_removed() -> None:
    ship = vehicle(crowd=crowd(wander={"strength": 7.25, "rate": 0.1}))
    press("behavior_preset_save", ship, behavior="wander", name="My Stroll")
    assert of_behavior()["My_Stroll"].removable
    other = crowd("Other", wander={})
    assert bpy.ops.steering.behavior_preset_apply(behavior="wander", preset="My_Stroll") == {"FINISHED"}
    assert other.steering.wander.strength == 7.25
    assert bpy.ops.steering.behavior_preset_remove(behavior="wander", preset="My_Stroll") == {"FINISHED"}
    assert "My_Stroll" not in of_behavior()


def test_a_behavior_missing_from_the_crowd_is_not_saved() -> None:
    ob = crowd()
    refuses("behavior_preset_save", r"Crowd does not have this behavior\. Add it first", behavior="wander", name="Mine")
    assert not ob.steering.is_property_set("wander")
