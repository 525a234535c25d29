"""Presets of single behaviors: listed, taken up all or nothing, saved and removed."""

import json
import shutil

import bpy
import pytest

from tests.blender.building import assert_same, crowd, empty, part, scene_dump, select, vehicle


def own_folder(behavior: str = "wander"):
    folder = bpy.utils.user_resource("SCRIPTS", path=f"presets/steering/behaviors/{behavior}", create=True)
    return part("blender.crowds.preset_exchange").Path(folder)


@pytest.fixture(autouse=True)
def _no_own_presets():
    yield
    shutil.rmtree(own_folder().parent, ignore_errors=True)


def write_own(name: str, **changed) -> None:
    """A file among the user's own presets of Wander."""
    plain = {
        "format": 1,
        "label": name,
        "description": "One of mine",
        "behavior": "wander",
        "values": {"strength": 1.5},
    }
    (own_folder() / f"{name}.json").write_text(json.dumps({**plain, **changed}), encoding="utf-8")


def listed(behavior: str = "wander") -> dict:
    return part("blender.crowds.behavior_preset_exchange").SHELVES[behavior].listed()


def test_those_that_ship_are_listed_with_their_behavior_only() -> None:
    assert set(listed("wander")) == {"calm", "restless", "darting", "together"}
    assert set(listed("seek")) == set()


@pytest.mark.parametrize("behavior", ["wander", "separation", "path_following", "containment"])
def test_a_preset_gives_the_behavior_its_values_and_no_other(behavior) -> None:
    own = crowd(**{behavior: {}, "seek": {"weight": 3.0}})
    for name, preset in listed(behavior).items():
        assert bpy.ops.steering.behavior_preset_apply(behavior=behavior, preset=name) == {"FINISHED"}
        group = getattr(own.steering, behavior)
        for value, wanted in preset.load().values.items():
            assert getattr(group, value) == (pytest.approx(wanted) if isinstance(wanted, float) else wanted)
    assert own.steering.seek.weight == 3.0


def test_what_it_does_not_name_goes_back_to_its_default() -> None:
    own = crowd(wander={"vertical": 0.9, "strength": 9.0})
    bpy.ops.steering.behavior_preset_apply(behavior="wander", preset="restless")
    assert own.steering.wander.vertical == pytest.approx(0.4)


def test_what_it_points_at_and_whether_it_is_on_stay() -> None:
    meadow = empty("Meadow")
    own = crowd(containment={"region": meadow})
    own.steering.containment.use = False
    bpy.ops.steering.behavior_preset_apply(behavior="containment", preset="firm")
    assert own.steering.containment.region == meadow
    assert not own.steering.containment.use


def test_a_behavior_that_is_not_there_yet_is_switched_on() -> None:
    own = crowd()
    bpy.ops.steering.behavior_preset_apply(behavior="wander", preset="calm")
    assert own.steering.wander.use


def test_keyed_settings_are_named(capfd) -> None:
    own = crowd(wander={})
    own.keyframe_insert("steering.wander.strength", frame=1)
    bpy.ops.steering.behavior_preset_apply(behavior="wander", preset="calm")
    assert "Keys or drivers of Crowd override the preset: steering.wander.strength" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"values": {"strength": 3.0, "rate": "much"}}, "values.rate has to be a number"),
        ({"behavior": "seek", "values": {}}, "it is one of seek"),
        ({"format": 99}, "later version"),
    ],
)
def test_one_that_cannot_be_changes_nothing(changed, why) -> None:
    write_own("Mine", **changed)
    crowd(wander={})
    before = scene_dump()
    with pytest.raises(RuntimeError, match=why):
        bpy.ops.steering.behavior_preset_apply(behavior="wander", preset="Mine")
    assert_same(before, scene_dump())


def test_one_there_is_not_is_refused() -> None:
    crowd(wander={})
    with pytest.raises(RuntimeError, match="There is no preset lazy: choose one of calm"):
        bpy.ops.steering.behavior_preset_apply(behavior="wander", preset="lazy")
    with pytest.raises(RuntimeError, match="There is no preset lazy: save one first"):
        bpy.ops.steering.behavior_preset_apply(behavior="seek", preset="lazy")


def test_unknown_names_are_told(capfd) -> None:
    write_own("Mine", values={"strength": 3.0, "mood": 1.0})
    own = crowd(wander={})
    bpy.ops.steering.behavior_preset_apply(behavior="wander", preset="Mine")
    assert own.steering.wander.strength == 3.0
    assert "that this version does not know: values.mood" in capfd.readouterr().out


def test_saving_and_applying_and_removing_ones_own() -> None:
    ship = vehicle(crowd=crowd(wander={"strength": 7.25, "rate": 0.1}))
    select(ship)
    assert bpy.ops.steering.behavior_preset_save(behavior="wander", name="My Stroll") == {"FINISHED"}
    assert listed()["My_Stroll"].own
    other = crowd("Other", wander={})
    assert bpy.ops.steering.behavior_preset_apply(behavior="wander", preset="My_Stroll") == {"FINISHED"}
    assert other.steering.wander.strength == 7.25
    assert bpy.ops.steering.behavior_preset_remove(behavior="wander", preset="My_Stroll") == {"FINISHED"}
    assert "My_Stroll" not in listed()


@pytest.mark.parametrize(("name", "why"), [("calm", "calm is a preset that ships"), ("  ", "needs a name")])
def test_a_name_that_cannot_be_is_refused(name, why) -> None:
    crowd(wander={})
    with pytest.raises(RuntimeError, match=why):
        bpy.ops.steering.behavior_preset_save(behavior="wander", name=name)


def test_a_behavior_the_crowd_does_not_have_is_not_saved() -> None:
    own = crowd()
    with pytest.raises(RuntimeError, match=r"Crowd does not have this behavior\. Add it first"):
        bpy.ops.steering.behavior_preset_save(behavior="wander", name="Mine")
    assert not own.steering.is_property_set("wander")


def test_one_that_ships_cannot_be_removed() -> None:
    with pytest.raises(RuntimeError, match="calm is not yours to remove"):
        bpy.ops.steering.behavior_preset_remove(behavior="wander", preset="calm")


def test_each_behavior_has_its_list() -> None:
    for behavior in part("behaviors").CATALOGUE:
        assert hasattr(bpy.types, f"STEERING_PT_{behavior.name}_presets")
