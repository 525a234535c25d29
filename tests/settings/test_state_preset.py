"""Presets of states: reading restores what was written, invalid ones are refused, multiples fit any crowd."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.behaviors import CATALOGUE
from steering_addon.locomotion import LOCOMOTIONS
from steering_addon.minds.declaring import StateModel, TriggerModel
from steering_addon.settings.preset_values import FORMAT, PresetError, complete
from steering_addon.settings.state_preset import (
    CALLERS,
    Call,
    StatePreset,
    as_multiples,
    changeable,
    from_multiples,
    read_state,
    state_scaled,
    state_written,
)
from steering_addon.simulation.behavior import Intent
from steering_addon.simulation.combining import COMBININGS
from steering_addon.simulation.declaration import POINTERS
from steering_addon.simulation.vehicle import VehicleModel
from tests.settings.test_preset import SOME_VALUES, some_values, words

SHIPPED = sorted((Path(__file__).resolve().parents[2] / "presets" / "states").glob("*.json"))
NAMES = {path.stem for path in SHIPPED}
PLAIN: dict[str, Any] = {"format": FORMAT, "label": "Panic", "description": "Run", "state": {"lasts": 3.0}}
POINTED = [
    f"{behavior.name}.{name}"
    for behavior in CATALOGUE
    for name, parameter in behavior.parameters().items()
    if parameter.kind in POINTERS
]


def text(**changed: Any) -> str:
    return json.dumps({name: value for name, value in {**PLAIN, **changed}.items() if value is not ...})


def numbers_of(declaration: Any) -> st.SearchStrategy:
    """Any selection of multiples of the numbers of a vehicle or a locomotion, and of its other values."""
    usual = complete(declaration, {})
    return st.lists(st.sampled_from(sorted(changeable(declaration))), unique=True, max_size=4).map(
        lambda names: {name: usual[name] for name in changeable(declaration) if name in names}
    )


calls = st.builds(
    Call,
    by=st.sampled_from(CALLERS),
    in_state=st.just("") | words,
    only_in=st.just("") | words,
    trigger=some_values(TriggerModel),
)
presets = st.builds(
    StatePreset,
    label=words,
    description=words,
    state=some_values(StateModel),
    faster=st.none() | st.floats(0.1, 10.0),
    cruise_speed=st.none() | st.floats(0.0, 1.0),
    vehicle=numbers_of(VehicleModel),
    locomotion=st.sampled_from(sorted(LOCOMOTIONS)).flatmap(
        lambda name: st.fixed_dictionaries({name: numbers_of(LOCOMOTIONS[name])})
    ),
    combining=st.sampled_from(["", *(choice.name for choice in COMBININGS)]),
    behaviors=st.lists(st.sampled_from(CATALOGUE), max_size=2, unique=True).flatmap(
        lambda used: st.fixed_dictionaries({behavior.name: SOME_VALUES[behavior] for behavior in used})
    ),
    keeps=st.frozensets(st.sampled_from(Intent)),
    off=st.lists(st.sampled_from([behavior.name for behavior in CATALOGUE]), max_size=2).map(tuple),
    then=st.just("") | words,
    eases=st.just("") | words,
    brings=st.lists(words, max_size=2).map(tuple),
    calls=st.lists(calls, max_size=2).map(tuple),
    about_crowd=st.lists(st.sampled_from(POINTED), max_size=2).map(tuple),
    body_length=st.none() | st.floats(0.01, 10.0),
)


@given(presets)
def test_reading_restores_what_was_written(preset: StatePreset) -> None:
    assert read_state(state_written(preset)) == preset


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_preset_is_read_without_a_warning_and_leads_to_others_that_ship(path: Path) -> None:
    content = path.read_text(encoding="utf-8")
    preset = read_state(content)
    assert preset.unknown == () and state_written(preset) == content
    assert path.stem == preset.label.replace(" ", "_").lower()
    assert not preset.description.endswith(".")
    named = {preset.then, preset.eases, *preset.brings, *(n for c in preset.calls for n in (c.in_state, c.only_in))}
    assert named - {""} <= NAMES


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"format": 99}, "later version"),
        ({"label": ...}, "label must be text"),
        ({"state": {"lasts": "long"}}, "state.lasts must be a number"),
        ({"state": [1]}, "state must be an object"),
        ({"faster": 0.0}, "faster must be a number above 0"),
        ({"cruise_speed": 2.0}, "cruise_speed must be from 0 to 1"),
        ({"vehicle": {"max_speed": -1.0}}, "vehicle.max_speed must be a multiple of the crowd's"),
        ({"locomotion": {"on_foot": 3}}, "locomotion.on_foot must be an object"),
        ({"combining": "SOUP"}, "combining must be"),
        ({"keeps": ["WITH", "LOVE"]}, 'keeps must be of .*, not "LOVE"'),
        ({"then": 3}, "then must be a name"),
        ({"brings": "rest"}, "brings must be a list of names"),
        ({"calls": {}}, "calls must be a list"),
        ({"calls": [{"by": "WOLF"}]}, "calls.0.by must be"),
        ({"calls": [{"trigger": {"when": "NEVER"}}]}, "calls.0.trigger.when must be"),
    ],
)
def test_an_invalid_preset_is_refused(changed: dict[str, Any], why: str) -> None:
    with pytest.raises(PresetError, match=why):
        read_state(text(**changed))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_no_behavior_of_its_crowd_moves_who_stands_still(path: Path) -> None:
    preset = read_state(path.read_text(encoding="utf-8"))
    assert preset.cruise_speed != 0.0 or not preset.keeps


@pytest.mark.parametrize("name", ["stray", "fetch"])
def test_who_goes_among_a_herd_without_its_flocking_avoids_the_others(name: str) -> None:
    """A stray that came home fast ran into a cow that stood in its way."""
    [path] = [path for path in SHIPPED if path.stem == name]
    preset = read_state(path.read_text(encoding="utf-8"))
    assert Intent.WITH not in preset.keeps
    assert "unaligned_collision_avoidance" in preset.behaviors


def test_unknown_names_are_ignored_and_reported() -> None:
    preset = read_state(
        text(
            state={"lasts": 3.0, "mood": 1},
            behaviors={"seek": {"weight": 2.0, "target": "Bird"}, "telepathy": {}},
            vehicle={"radius": 2.0},
            off=["wander", "sing"],
            about_crowd=["evasion.pursuer", "evasion.weight"],
            calls=[{"who": "Wolf"}],
            colour="red",
        )
    )
    assert preset.behaviors == {"seek": {"weight": 2.0}} and preset.off == ("wander",) and preset.vehicle == {}
    assert preset.about_crowd == ("evasion.pursuer",) and preset.calls == (Call(),)
    assert set(preset.unknown) == {
        *("colour", "state.mood", "behaviors.seek.target", "behaviors.telepathy", "vehicle.radius", "off.sing"),
        *("about_crowd.evasion.weight", "calls.0.who"),
    }


def test_old_names_are_read_as_the_new_ones() -> None:
    renamed = {"behaviors.wander.restlessness": "behaviors.wander.rate", "state.reaction": "state.react"}
    old = read_state(text(state={"reaction": 0.5}, behaviors={"wander": {"restlessness": 2.0}}), renamed)
    assert old.state == {"react": 0.5} and old.behaviors == {"wander": {"rate": 2.0}}


def test_speeds_and_strengths_are_multiples_of_those_of_the_crowd_and_times_are_not() -> None:
    sheep = complete(VehicleModel, {"max_speed": 1.5, "max_force": 3.0})
    runs = complete(VehicleModel, {"max_speed": 4.5, "max_force": 27.0, "response_time": 0.2, "cruise_speed": 0.6})
    told, lost = as_multiples(VehicleModel, runs, sheep)
    assert (told["max_speed"], told["max_force"], told["response_time"], lost) == (3.0, 9.0, 0.2, [])
    assert from_multiples(VehicleModel, told, sheep) == {name: runs[name] for name in changeable(VehicleModel)}
    horse = complete(VehicleModel, {"max_speed": 4.0, "max_force": 8.0})
    assert from_multiples(VehicleModel, told, horse)["max_speed"] == 12.0


def test_what_is_a_multiple_of_nothing_is_told() -> None:
    still = complete(VehicleModel, {"max_speed": 0.0})
    told, lost = as_multiples(VehicleModel, complete(VehicleModel, {"max_speed": 2.0}), still)
    assert lost == ["max_speed"] and "max_speed" not in told


@pytest.mark.parametrize(("length", "distance"), [(None, 8.0), (1.9, 8.0), (10.0, 80.0)])
def test_lengths_grow_with_bodies_that_are_not_similar(length: float | None, distance: float) -> None:
    preset = StatePreset(
        *("Panic", "Run"),
        state={"reach": 4.0, "lasts": 3.0},
        behaviors={"flee": {"distance": 8.0}},
        calls=(Call("SELECTED", trigger={"distance": 8.0, "chance": 0.5}),),
        body_length=1.0,
    )
    grown = state_scaled(preset, length)
    assert grown.behaviors["flee"]["distance"] == grown.calls[0].trigger["distance"] == distance
    assert grown.state == {"reach": distance / 2.0, "lasts": 3.0} and grown.calls[0].trigger["chance"] == 0.5
