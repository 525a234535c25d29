"""Presets of single behaviors: reading restores what was written, invalid presets are refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.behaviors import CATALOGUE
from steering_addon.settings.behavior_preset import BehaviorPreset, behavior_written, read_behavior
from steering_addon.settings.preset_values import FORMAT, PresetError
from tests.settings.test_preset import SOME_VALUES, words

FOLDER = Path(__file__).resolve().parents[2] / "presets"
SHIPPED = sorted(FOLDER.glob("behaviors/*/*.json"))
OF_READY_SCENES = sorted(FOLDER.glob("ready_scenes/*.json"))

PLAIN: dict[str, Any] = {
    "format": FORMAT,
    "label": "Restless",
    "description": "Frequent turns",
    "behavior": "wander",
    "values": {"strength": 4.0, "rate": 1.0},
}


def text(**changed: Any) -> str:
    return json.dumps({name: value for name, value in {**PLAIN, **changed}.items() if value is not ...})


presets = st.sampled_from(CATALOGUE).flatmap(
    lambda behavior: st.builds(
        BehaviorPreset, label=words, description=words, behavior=st.just(behavior.name), values=SOME_VALUES[behavior]
    )
)


@given(presets)
def test_reading_restores_what_was_written(preset: BehaviorPreset) -> None:
    assert read_behavior(behavior_written(preset)) == preset


def test_objects_and_unknown_names_are_ignored_and_reported() -> None:
    preset = read_behavior(text(behavior="seek", values={"weight": 2.0, "target": "Bird", "mood": 1}, colour="red"))
    assert preset.values == {"weight": 2.0}
    assert set(preset.unknown) == {"values.target", "values.mood", "colour"}


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"format": 99}, "later version"),
        ({"format": ...}, "format"),
        ({"behavior": "telepathy"}, 'there is no behavior "telepathy"'),
        ({"behavior": ...}, "does not name"),
        ({"behavior": ["wander"]}, "does not name"),
        ({"values": [1]}, "values must be an object"),
        ({"values": {"strength": "much"}}, "values.strength must be a number"),
        ({"values": {"strength": -1.0}}, "values.strength must be from 0"),
        ({"label": ""}, "label must be text"),
    ],
)
def test_an_invalid_preset_is_refused(changed: dict[str, Any], why: str) -> None:
    with pytest.raises(PresetError, match=why):
        read_behavior(text(**changed))


def test_old_names_are_read_as_the_new_ones() -> None:
    renamed = {"behaviors.wander.restlessness": "behaviors.wander.rate", "behaviors.stroll": "behaviors.wander"}
    assert read_behavior(text(values={"restlessness": 2.0}), renamed).values == {"rate": 2.0}
    old = read_behavior(text(behavior="stroll", values={"restlessness": 2.0}), renamed)
    assert (old.behavior, old.values) == ("wander", {"rate": 2.0})


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_shipped_preset_is_read_without_a_warning(path: Path) -> None:
    preset = read_behavior(path.read_text(encoding="utf-8"))
    assert preset.unknown == ()
    assert preset.behavior == path.parent.name
    assert preset.values
    assert not preset.description.endswith(".")


@pytest.mark.parametrize("path", OF_READY_SCENES, ids=lambda path: path.stem)
def test_a_preset_of_a_ready_scene_is_read_without_a_warning(path: Path) -> None:
    preset = read_behavior(path.read_text(encoding="utf-8"))
    assert preset.unknown == ()
    assert preset.values
