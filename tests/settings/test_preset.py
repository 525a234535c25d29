"""Presets as text: reading restores what was written, invalid presets are refused, unknown names are reported."""

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.behaviors import CATALOGUE
from steering_addon.locomotion import CATALOGUE as LOCOMOTIONS
from steering_addon.locomotion import Planar, SimpleVehicle
from steering_addon.portrayal.driver_properties import Portrayal
from steering_addon.settings.preset import Preset, read, scaled, written
from steering_addon.settings.preset_values import FORMAT, RENAMED, PresetError, complete, held
from steering_addon.settings.variation import MOST
from steering_addon.simulation.combining import COMBININGS
from steering_addon.simulation.declaration import POINTERS, REACH, Kind, Parameter
from steering_addon.simulation.presence.attendance import Attendance
from steering_addon.simulation.vehicle import VehicleModel
from tests.presets.preset_crowds import SHIPPED, shipped

PLAIN: dict[str, Any] = {
    "format": FORMAT,
    "label": "Gulls",
    "description": "Large birds that take their time",
    "body_length": 0.6,
    "vehicle": {"max_speed": 12.0},
    "combining": "ALLOCATION",
    "behaviors": {"separation": {"distance": 3.0, "neighbors": "EVERYONE"}, "seek": {}},
    "variation": {"speed": 0.1},
    "preroll": 48,
}


def text(**changed: Any) -> str:
    """The text of PLAIN with some values changed; ... removes a value."""
    return json.dumps({name: value for name, value in {**PLAIN, **changed}.items() if value is not ...})


def nested(path: str, value: Any) -> str:
    """The text of PLAIN with the value at a path changed."""
    content = json.loads(json.dumps(PLAIN))
    *above, name = path.split(".")
    inside = content
    for step in above:
        inside = inside.setdefault(step, {})
    inside[name] = value
    return json.dumps(content)


def any_value(parameter: Parameter) -> st.SearchStrategy:
    """Any valid value of a parameter."""
    if parameter.kind is Kind.SWITCH:
        return st.booleans()
    if parameter.kind is Kind.CHOICE:
        return st.sampled_from([choice.name for choice in parameter.choices])
    if parameter.kind is Kind.INTEGER:
        return st.integers(int(parameter.least), int(parameter.most))
    return st.floats(max(parameter.least, -REACH), min(parameter.most, REACH))


def some_values(declaration) -> st.SearchStrategy:
    """Any selection of the values that a preset holds of a declaration."""
    return st.fixed_dictionaries({}, optional={name: any_value(p) for name, p in held(declaration).items()})


DECLARED = (VehicleModel, Portrayal, Attendance, *LOCOMOTIONS, *CATALOGUE)
SOME_VALUES = {declaration: some_values(declaration) for declaration in DECLARED}
words = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=20).filter(str.strip)
presets = st.builds(
    Preset,
    label=words,
    description=words,
    body_length=st.floats(1e-3, REACH),
    vehicle=SOME_VALUES[VehicleModel],
    locomotion=st.sampled_from(LOCOMOTIONS).flatmap(lambda kind: st.fixed_dictionaries({kind.name: SOME_VALUES[kind]})),
    combining=st.sampled_from([choice.name for choice in COMBININGS]),
    behaviors=st.sets(st.sampled_from(CATALOGUE), max_size=2).flatmap(
        lambda used: st.fixed_dictionaries({b.name: SOME_VALUES[b] for b in CATALOGUE if b in used})
    ),
    variation=st.fixed_dictionaries({}, optional={name: st.floats(0.0, most) for name, most in MOST.items()}),
    preroll=st.integers(0, 10000),
    portrayal=st.none() | SOME_VALUES[Portrayal],
    attendance=st.none() | SOME_VALUES[Attendance],
)


# ---- reading and writing


@given(presets)
def test_reading_restores_what_was_written(preset: Preset) -> None:
    assert read(written(preset)) == preset


def test_a_plain_preset_is_read() -> None:
    preset = read(text())
    assert preset.vehicle == {"max_speed": 12.0}
    assert preset.behaviors == {"separation": {"distance": 3.0, "neighbors": "EVERYONE"}, "seek": {}}
    assert preset.unknown == ()


def test_a_preset_without_a_locomotion_has_the_simple_vehicle() -> None:
    assert read(text()).locomotion == {"simple_vehicle": {}}
    assert read(text()).moves is SimpleVehicle
    walker = read(text(locomotion={"planar": {"max_turn_rate": 1.0}}))
    assert walker.locomotion == {"planar": {"max_turn_rate": 1.0}}
    assert walker.moves is Planar


def test_missing_values_have_their_defaults() -> None:
    values = complete(VehicleModel, {"max_speed": 12.0})
    assert values["max_speed"] == 12.0
    assert values["max_force"] == VehicleModel.parameters()["max_force"].default
    assert values["keep_apart"] is False
    separation = next(b for b in CATALOGUE if b.name == "separation")
    assert complete(separation, {})["neighbors"] == "OWN_CROWD"


@pytest.mark.parametrize("declaration", DECLARED, ids=lambda d: d.__name__)
def test_a_preset_holds_no_objects_and_nothing_that_depends_on_the_file(declaration) -> None:
    objects = {name for name, p in declaration.parameters().items() if p.kind in POINTERS}
    of_file = {
        VehicleModel: {"radius", "length"},
        Portrayal: {"use", "look", "stride_height"},
        Attendance: {"enter_frame"},
    }
    assert set(held(declaration)) == set(declaration.parameters()) - objects - of_file.get(declaration, set())


def test_variation_preroll_portrayal_and_attendance_may_be_missing() -> None:
    preset = read(text(variation=..., preroll=...))
    assert preset.variation == {}
    assert preset.preroll == 0
    assert preset.portrayal is preset.attendance is None


# ---- unknown names


@pytest.mark.parametrize(
    "path",
    [
        "mood",
        "vehicle.wings",
        "locomotion.simple_vehicle.rails",
        "vehicle.radius",
        "portrayal.use",
        "behaviors.telepathy",
        "behaviors.separation.colour",
        "behaviors.separation.crowd",
        "behaviors.seek.target",
        "variation.colour",
    ],
)
def test_unknown_names_are_ignored_and_reported(path: str) -> None:
    value = {"distance": 1.0} if path == "behaviors.telepathy" else 1.0
    preset = read(nested(path, value))
    assert preset.unknown == (path,)
    assert replace(preset, unknown=(), portrayal=None) == read(text())


# ---- refused presets


@pytest.mark.parametrize(
    ("path", "value", "why"),
    [
        ("vehicle.max_speed", "fast", 'vehicle.max_speed must be a number, not "fast"'),
        ("vehicle.max_speed", True, "vehicle.max_speed must be a number, not true"),
        ("vehicle.max_speed", None, "vehicle.max_speed must be a number, not null"),
        ("vehicle.max_speed", [1.0], "vehicle.max_speed must be a number, not several values"),
        ("vehicle.max_speed", {"a": 1.0}, "vehicle.max_speed must be a number, not several values"),
        ("vehicle.max_speed", -1.0, r"vehicle.max_speed must be from 0 to 1e\+06, not -1.0"),
        ("vehicle.max_speed", 10**300, r"vehicle.max_speed must be from 0 to 1e\+06, not 1000000"),
        ("vehicle.max_speed", math.nan, "vehicle.max_speed must be a number, not NaN"),
        ("vehicle.max_speed", math.inf, "vehicle.max_speed must be a number, not Infinity"),
        ("vehicle.cruise_speed", 1.5, "vehicle.cruise_speed must be from 0 to 1, not 1.5"),
        ("vehicle.mass", 0.0, r"vehicle.mass must be from 1e-06 to 1e\+06, not 0.0"),
        ("vehicle.keep_apart", 1, "vehicle.keep_apart must be true or false, not 1"),
        ("locomotion", [], "locomotion must be an object of names and values"),
        ("locomotion", {"rails": {}}, 'locomotion must be simple_vehicle or planar.*, not "rails"'),
        ("locomotion", {"planar": {}, "simple_vehicle": {}}, "locomotion must be simple_vehicle or planar.*, not"),
        ("locomotion", {"planar": 3}, "locomotion.planar must be an object of names and values"),
        ("locomotion.planar.max_turn_rate", 0.0, "locomotion.planar.max_turn_rate must be from 0.01 to"),
        ("portrayal.stride", "long", 'portrayal.stride must be a number, not "long"'),
        ("portrayal", None, "portrayal must be an object of names and values"),
        ("vehicle", 3, "vehicle must be an object of names and values"),
        ("behaviors", ["seek"], "behaviors must be an object of names and values"),
        ("behaviors.separation", 3, "behaviors.separation must be an object of names and values"),
        ("behaviors.separation.priority", 1.5, "behaviors.separation.priority must be a whole number, not 1.5"),
        ("behaviors.separation.priority", 101, "behaviors.separation.priority must be from 0 to 100, not 101"),
        ("behaviors.separation.neighbors", "NO ONE", "neighbors must be OWN_CROWD or EVERYONE or CHOSEN_CROWD, not"),
        ("behaviors.separation.neighbors", 1, "neighbors must be OWN_CROWD or EVERYONE or CHOSEN_CROWD, not 1"),
        ("combining", "MAGIC", f'combining must be {" or ".join(c.name for c in COMBININGS)}, not "MAGIC"'),
        ("variation.speed", 1.0, "variation.speed must be from 0 to 0.9, not 1.0"),
        ("preroll", -1, "preroll must be frames from 0 to 10000, not -1"),
        ("body_length", 0.0, "body_length must be metres above 0, not 0.0"),
        ("label", "  ", "label must be text"),
        ("description", 7, "description must be text"),
        ("format", 2, "its format 2 needs a later version"),
        ("format", "one", 'its "format" is missing or invalid'),
    ],
)
def test_a_preset_with_an_invalid_value_is_refused(path: str, value: Any, why: str) -> None:
    with pytest.raises(PresetError, match=why):
        read(nested(path, value))


@pytest.mark.parametrize("broken", ["", "{", "[]", "3", '"text"', "{}", "[" * 100_000, '{"format": 1}', "\x00"])
def test_other_text_is_refused(broken: str) -> None:
    with pytest.raises(PresetError):
        read(broken)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5), lambda inner: (
    st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*PLAIN, "separation", "distance"]), inner)
), max_leaves=20))  # fmt: skip
def test_any_json_is_read_or_refused(content: Any) -> None:
    if isinstance(content, dict):
        content = {**PLAIN, **content}
    try:
        assert read(json.dumps(content)).label
    except PresetError as error:
        assert str(error)


def test_a_whole_number_has_exactly_the_limits_of_its_property() -> None:
    """Blender stores whole numbers exactly, even beyond the limit of numbers that declare none."""
    most = int(Attendance.parameters()["enter_span"].most)
    assert most > REACH
    preset = read(text(attendance={"enter_span": most}))
    assert preset.attendance == {"enter_span": most}
    for value in (most + 1, -1):
        with pytest.raises(PresetError, match=f"attendance.enter_span must be from 0 to {most}, not {value}"):
            read(text(attendance={"enter_span": value}))


@pytest.mark.parametrize(
    ("name", "limit"),
    [("behaviors.separation.angle", math.tau), ("locomotion.simple_vehicle.max_bank", 1.55), ("vehicle.mass", 1e-6)],
)
def test_a_limit_stored_with_32_bits_is_accepted_as_the_limit(name: str, limit: float) -> None:
    preset = read(nested(name, float(np.float32(limit))))
    *_, group, key = name.split(".")
    values = {**preset.locomotion, **preset.behaviors, "vehicle": preset.vehicle}[group]
    assert values[key] == pytest.approx(limit, rel=1e-6)
    separation = next(b for b in CATALOGUE if b.name == "separation")
    parameters = {n: p for d in (VehicleModel, SimpleVehicle, separation) for n, p in d.parameters().items()}
    assert parameters[key].least <= values[key] <= parameters[key].most


# ---- renamed values


def test_old_names_are_read_as_the_new_ones() -> None:
    renamed = {
        "vehicle.top_speed": "vehicle.max_speed",
        "behaviors.crowding": "behaviors.separation",
        "behaviors.separation.range": "behaviors.separation.distance",
    }
    old = {
        **PLAIN,
        "vehicle": {"top_speed": 9.0},
        "behaviors": {"crowding": {"range": 4.0, "weight": 2.0}, "seek": {}},
    }
    preset = read(json.dumps(old), renamed)
    assert preset.vehicle == {"max_speed": 9.0}
    assert preset.behaviors == {"separation": {"weight": 2.0, "distance": 4.0}, "seek": {}}
    assert preset.unknown == ()


def test_a_behavior_with_its_old_name_and_no_values_is_read_as_the_new_one() -> None:
    preset = read(text(behaviors={"chase": {}}), {"behaviors.chase": "behaviors.seek"})
    assert preset.behaviors == {"seek": {}}


def test_a_new_name_wins_over_the_old_one_which_is_reported() -> None:
    both = text(vehicle={"top_speed": 9.0, "max_speed": 12.0})
    preset = read(both, {"vehicle.top_speed": "vehicle.max_speed"})
    assert preset.vehicle == {"max_speed": 12.0}
    assert preset.unknown == ("vehicle.top_speed",)


def test_new_names_in_the_table_exist_and_old_ones_do_not() -> None:
    known = {f"vehicle.{name}" for name in held(VehicleModel)} | {f"portrayal.{name}" for name in held(Portrayal)}
    for behavior in CATALOGUE:
        known |= {f"behaviors.{behavior.name}", *(f"behaviors.{behavior.name}.{name}" for name in held(behavior))}
    assert set(RENAMED) & known == set()
    assert {name for name in RENAMED.values() if name not in known and name not in RENAMED} == set()


# ---- larger and smaller bodies


def test_scaling_by_one_changes_nothing() -> None:
    for name in SHIPPED:
        preset = shipped(name)
        same = scaled(preset, 1.0)
        assert complete(VehicleModel, same.vehicle) == complete(VehicleModel, preset.vehicle)
        for behavior in CATALOGUE:
            if behavior.name in preset.behaviors:
                assert same.behaviors[behavior.name] == complete(behavior, preset.behaviors[behavior.name])


def test_lengths_and_speeds_scale_with_the_body_but_times_and_angles_do_not() -> None:
    starling = shipped("starling")
    large = scaled(starling, 4.0)
    assert large.body_length == pytest.approx(4.0 * starling.body_length)
    assert large.vehicle["max_speed"] == pytest.approx(4.0 * starling.vehicle["max_speed"])
    assert large.vehicle["max_force"] == pytest.approx(4.0 * starling.vehicle["max_force"])
    assert large.vehicle["cruise_speed"] == starling.vehicle["cruise_speed"]
    for name, grows in {"distance": 4.0, "weight": 4.0, "angle": 1.0, "priority": 1.0}.items():
        was = complete(next(b for b in CATALOGUE if b.name == "alignment"), starling.behaviors["alignment"])[name]
        assert large.behaviors["alignment"][name] == pytest.approx(grows * was)
    assert large.behaviors["wander"]["rate"] == starling.behaviors["wander"]["rate"]


@given(presets, st.floats(1e-3, 1e3))
def test_a_scaled_preset_can_be_read_again(preset: Preset, scale: float) -> None:
    try:
        again = read(written(scaled(preset, scale)))
    except PresetError as error:
        assert "body_length" in str(error)
    else:
        assert set(again.behaviors) == set(preset.behaviors)


@pytest.mark.parametrize(
    ("odd", "why"),
    [
        (text(label="half \ud800"), "half a character"),
        (nested("behaviors.seek.\udcff", 1.0), "half a character"),
        (text(more=["deep", {"er": "\ud800"}]), "half a character"),
        (text(label="cut\0off"), "label must not have a null character"),
    ],
)
def test_text_that_cannot_be_shown_is_refused(odd: str, why: str) -> None:
    with pytest.raises(PresetError, match=why):
        read(odd)
