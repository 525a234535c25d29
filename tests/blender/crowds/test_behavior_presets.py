"""Presets of single behaviors: listing, applying, saving and removing."""

import json
import shutil

import bpy
import pytest

from tests.blender.building import assert_same, crowd, empty, part, scene_dump, select, vehicle


def user_folder(behavior: str = "wander"):
    folder = bpy.utils.user_resource("SCRIPTS", path=f"presets/steering/behaviors/{behavior}", create=True)
    return part("blender.crowds.preset_files").Path(folder)


@pytest.fixture(autouse=True)
def _no_user_presets():
    yield
    shutil.rmtree(user_folder().parent, ignore_errors=True)


def write_user_preset(name: str, **changed) -> None:
    """Write a user preset of Wander."""
    plain = {
        "format": 1,
        "label": name,
        "description": "One of mine",
        "behavior": "wander",
        "values": {"strength": 1.5},
    }
    (user_folder() / f"{name}.json").write_text(json.dumps({**plain, **changed}), encoding="utf-8")


def listed(behavior: str = "wander") -> dict:
    return part("blender.crowds.preset_files").OF_BEHAVIORS[behavior].listed()


def test_shipped_presets_are_listed_only_for_their_behavior() -> None:
    assert set(listed("wander")) == {"calm", "restless", "darting", "together"}
    assert set(listed("seek")) == set()


@pytest.mark.parametrize("behavior", ["wander", "separation", "path_following", "containment"])
def test_a_preset_sets_the_values_of_its_behavior_only(behavior) -> None:
    ob = crowd(**{behavior: {}, "seek": {"weight": 3.0}})
    for name, preset in listed(behavior).items():
        assert bpy.ops.steering.behavior_preset_apply(behavior=behavior, preset=name) == {"FINISHED"}
        group = getattr(ob.steering, behavior)
        for value, expected in preset.load().behaviors[behavior].items():
            assert getattr(group, value) == (pytest.approx(expected) if isinstance(expected, float) else expected)
    assert ob.steering.seek.weight == 3.0


def test_missing_values_are_reset_to_their_defaults() -> None:
    ob = crowd(wander={"vertical": 0.9, "strength": 9.0})
    bpy.ops.steering.behavior_preset_apply(behavior="wander", preset="restless")
    assert ob.steering.wander.vertical == pytest.approx(0.4)


def test_targets_and_the_switch_are_kept() -> None:
    meadow = empty("Meadow")
    ob = crowd(containment={"region": meadow})
    ob.steering.containment.use = False
    bpy.ops.steering.behavior_preset_apply(behavior="containment", preset="firm")
    assert ob.steering.containment.region == meadow
    assert not ob.steering.containment.use


def test_a_new_behavior_is_switched_on() -> None:
    ob = crowd()
    bpy.ops.steering.behavior_preset_apply(behavior="wander", preset="calm")
    assert ob.steering.wander.use


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"values": {"strength": 3.0, "rate": "much"}}, "behaviors.wander.rate must be a number"),
        ({"behavior": "seek", "values": {}}, "it is a preset of seek"),
    ],
)
def test_an_invalid_preset_changes_nothing(changed, why) -> None:
    write_user_preset("Mine", **changed)
    crowd(wander={})
    before = scene_dump()
    with pytest.raises(RuntimeError, match=why):
        bpy.ops.steering.behavior_preset_apply(behavior="wander", preset="Mine")
    assert_same(before, scene_dump())


def test_a_missing_preset_is_refused() -> None:
    crowd(wander={})
    with pytest.raises(RuntimeError, match=r"There is no preset lazy\. Save a preset first"):
        bpy.ops.steering.behavior_preset_apply(behavior="seek", preset="lazy")


def test_a_user_preset_can_be_saved_applied_and_removed() -> None:
    ship = vehicle(crowd=crowd(wander={"strength": 7.25, "rate": 0.1}))
    select(ship)
    assert bpy.ops.steering.behavior_preset_save(behavior="wander", name="My Stroll") == {"FINISHED"}
    assert listed()["My_Stroll"].removable
    other = crowd("Other", wander={})
    assert bpy.ops.steering.behavior_preset_apply(behavior="wander", preset="My_Stroll") == {"FINISHED"}
    assert other.steering.wander.strength == 7.25
    assert bpy.ops.steering.behavior_preset_remove(behavior="wander", preset="My_Stroll") == {"FINISHED"}
    assert "My_Stroll" not in listed()


def test_a_behavior_missing_from_the_crowd_is_not_saved() -> None:
    ob = crowd()
    with pytest.raises(RuntimeError, match=r"Crowd does not have this behavior\. Add it first"):
        bpy.ops.steering.behavior_preset_save(behavior="wander", name="Mine")
    assert not ob.steering.is_property_set("wander")


def test_each_behavior_has_a_preset_panel() -> None:
    for behavior in part("behaviors").CATALOGUE:
        assert hasattr(bpy.types, f"STEERING_PT_{behavior.name}_presets")
