"""Presets of single behaviors: listing, applying, saving and removing."""

import shutil

import bpy
import pytest

from tests.blender.building import empty, part
from tests.blender.dumping import refuses
from tests.blender.steered import crowd, press, vehicle


def user_folder(behavior: str = "wander"):
    folder = bpy.utils.user_resource("SCRIPTS", path=f"presets/steering/behaviors/{behavior}", create=True)
    return part("blender.crowds.preset_files").Path(folder)


@pytest.fixture(autouse=True)
def _no_user_presets():
    yield
    shutil.rmtree(user_folder().parent, ignore_errors=True)


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


def test_a_user_preset_can_be_saved_applied_and_removed() -> None:
    ship = vehicle(crowd=crowd(wander={"strength": 7.25, "rate": 0.1}))
    press("behavior_preset_save", ship, behavior="wander", name="My Stroll")
    assert listed()["My_Stroll"].removable
    other = crowd("Other", wander={})
    assert bpy.ops.steering.behavior_preset_apply(behavior="wander", preset="My_Stroll") == {"FINISHED"}
    assert other.steering.wander.strength == 7.25
    assert bpy.ops.steering.behavior_preset_remove(behavior="wander", preset="My_Stroll") == {"FINISHED"}
    assert "My_Stroll" not in listed()


def test_a_behavior_missing_from_the_crowd_is_not_saved() -> None:
    ob = crowd()
    refuses("behavior_preset_save", r"Crowd does not have this behavior\. Add it first", behavior="wander", name="Mine")
    assert not ob.steering.is_property_set("wander")
