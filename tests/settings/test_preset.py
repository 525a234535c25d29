"""Presets as text: reading restores what was written, invalid presets are refused, unknown names are reported."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.behaviors import CATALOGUE
from steering_addon.locomotion import CATALOGUE as LOCOMOTIONS
from steering_addon.locomotion import Planar, SimpleVehicle
from steering_addon.minds.declaring import StateModel, TriggerModel
from steering_addon.portrayal.driver_properties import Portrayal
from steering_addon.settings.population import MOST_VARIED
from steering_addon.settings.preset import CALLERS, FORMAT, POINTING, Call, Preset, read, scaled, written
from steering_addon.settings.preset_parts import BEHAVIOR, CROWD, KINDS, STATE
from steering_addon.settings.preset_values import (
    PresetError,
    as_multiples,
    changeable,
    complete,
    from_multiples,
    held,
)
from steering_addon.simulation.behavior import Intent
from steering_addon.simulation.combining import COMBININGS
from steering_addon.simulation.declaration import POINTERS, REACH, Kind, Parameter
from steering_addon.simulation.presence.attendance import Attendance
from steering_addon.simulation.vehicle import VehicleModel
from tests.presets.preset_crowds import shipped

OLD = Path(__file__).with_name("old_presets")
"""A preset of each kind as the first format had it."""
FOLDER = Path(__file__).resolve().parents[2] / "presets"
FILES = {path.relative_to(FOLDER).with_suffix("").as_posix(): path for path in sorted(FOLDER.rglob("*.json"))}
PLAIN: dict[str, dict[str, Any]] = {
    CROWD: {
        "label": "Gulls",
        "description": "Large birds that take their time",
        "body_length": 0.6,
        "vehicle": {"max_speed": 12.0},
        "combining": "ALLOCATION",
        "behaviors": {"separation": {"distance": 3.0, "neighbors": "EVERYONE"}, "seek": {}},
        "variation": {"speed": 0.1},
        "preroll": 48,
    },
    STATE: {"label": "Panic", "description": "Run", "state": {"lasts": 3.0}},
    BEHAVIOR: {"label": "Restless", "description": "Frequent turns", "behaviors": {"wander": {"rate": 1.0}}},
}


def kind_of(name: str) -> str:
    """The kind of a shipped preset, by the path of its file."""
    return {"states": STATE, "behaviors": BEHAVIOR, "ready_scenes": BEHAVIOR}.get(name.split("/")[0], CROWD)


def text(kind: str = CROWD, /, **changed: Any) -> str:
    """The text of a plain preset with some values changed; ... removes a value."""
    content = {"format": FORMAT, "kind": kind, **PLAIN[kind], **changed}
    return json.dumps({name: value for name, value in content.items() if value is not ...})


def nested(path: str, value: Any, kind: str = CROWD) -> str:
    """The text of a plain preset with the value at a path changed."""
    content = json.loads(text(kind))
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


def multiples_of(declaration: Any) -> st.SearchStrategy:
    """Any selection of multiples of the numbers of a vehicle or a locomotion, and of its other values."""
    usual = complete(declaration, {})
    return st.lists(st.sampled_from(sorted(changeable(declaration))), unique=True, max_size=4).map(
        lambda names: {name: usual[name] for name in changeable(declaration) if name in names}
    )


DECLARED = (VehicleModel, Portrayal, Attendance, *LOCOMOTIONS, *CATALOGUE)
SOME_VALUES = {declaration: some_values(declaration) for declaration in (*DECLARED, StateModel, TriggerModel)}
words = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=20).filter(str.strip)
names = st.just("") | words
ways = [choice.name for choice in COMBININGS]
behaviors = st.sets(st.sampled_from(CATALOGUE), max_size=2).flatmap(
    lambda used: st.fixed_dictionaries({b.name: SOME_VALUES[b] for b in CATALOGUE if b in used})
)
crowds = st.builds(
    Preset,
    label=words,
    description=words,
    body_length=st.floats(1e-3, REACH),
    vehicle=SOME_VALUES[VehicleModel],
    locomotion=st.sampled_from(LOCOMOTIONS).flatmap(lambda kind: st.fixed_dictionaries({kind.name: SOME_VALUES[kind]})),
    combining=st.sampled_from(ways),
    behaviors=behaviors,
    variation=st.fixed_dictionaries({}, optional={name: st.floats(0.0, most) for name, most in MOST_VARIED.items()}),
    preroll=st.integers(0, 10000),
    portrayal=st.none() | SOME_VALUES[Portrayal],
    attendance=st.none() | SOME_VALUES[Attendance],
)
calls = st.builds(Call, by=st.sampled_from(CALLERS), in_state=names, only_in=names, trigger=SOME_VALUES[TriggerModel])
states = st.builds(
    Preset,
    label=words,
    description=words,
    kind=st.just(STATE),
    state=SOME_VALUES[StateModel],
    faster=st.none() | st.floats(0.1, 10.0),
    spurt=st.none() | st.floats(0.1, 10.0),
    times=behaviors,
    cruise_speed=st.none() | st.floats(0.0, 1.0),
    vehicle=multiples_of(VehicleModel),
    locomotion=st.sampled_from(LOCOMOTIONS).flatmap(lambda k: st.fixed_dictionaries({k.name: multiples_of(k)})),
    combining=st.sampled_from(["", *ways]),
    behaviors=behaviors,
    keeps=st.frozensets(st.sampled_from(Intent)),
    off=st.lists(st.sampled_from([behavior.name for behavior in CATALOGUE]), max_size=2).map(tuple),
    then=names,
    eases=names,
    brings=st.lists(words, max_size=2).map(tuple),
    calls=st.lists(calls, max_size=2).map(tuple),
    about_crowd=st.lists(st.sampled_from(sorted(POINTING)), max_size=2).map(tuple),
    body_length=st.just(0.0) | st.floats(0.01, 10.0),
)
of_behaviors = st.sampled_from(CATALOGUE).flatmap(
    lambda b: st.builds(
        Preset,
        label=words,
        description=words,
        kind=st.just(BEHAVIOR),
        behaviors=st.fixed_dictionaries({b.name: SOME_VALUES[b]}),
    )
)


@given(crowds | states | of_behaviors)
def test_reading_restores_what_was_written(preset: Preset) -> None:
    assert read(written(preset), preset.kind) == preset


@pytest.mark.parametrize("name", FILES)
def test_a_shipped_preset_is_as_it_is_written_and_has_no_unknown_name(name: str) -> None:
    content = FILES[name].read_text(encoding="utf-8")
    preset = read(content, kind_of(name))
    assert preset.unknown == () and written(preset) == content
    assert not preset.description.endswith(".")
    assert re.fullmatch(r"[a-z_/]+", name)
    assert all(preset.behaviors.values()) or preset.kind != BEHAVIOR
    if preset.kind == STATE:
        assert name.split("/")[-1] == preset.label.replace(" ", "_").lower()
    called = {name for call in preset.calls for name in (call.in_state, call.only_in)}
    others = {preset.then, preset.eases, *preset.brings, *called} - {""}
    assert {f"states/{other}" for other in others} <= FILES.keys()


@pytest.mark.parametrize(
    ("kind", "now"), [(CROWD, "herd"), (STATE, "states/hunt"), (BEHAVIOR, "behaviors/wander/together")]
)
def test_a_preset_of_the_first_format_is_read_as_it_is_now(kind: str, now: str) -> None:
    old = (OLD / f"{kind}.json").read_text(encoding="utf-8")
    assert json.loads(old)["format"] == 1
    new = read(FILES[now].read_text(encoding="utf-8"), kind)
    # It has a value since that could not be told then.
    assert read(old, kind) == replace(new, state={name: v for name, v in new.state.items() if name != "at_first"})


@pytest.mark.parametrize("kind", KINDS)
def test_a_preset_is_read_as_what_it_is_only(kind: str) -> None:
    for other in {*KINDS} - {kind}:
        with pytest.raises(PresetError, match=f"it is a preset of a {other}"):
            read(text(other), kind)
    with pytest.raises(PresetError, match='its "kind" is missing or invalid'):
        read(text(kind, kind=...), kind)


def test_a_preset_without_a_locomotion_has_the_simple_vehicle() -> None:
    assert read(text()).locomotion == {"simple_vehicle": {}}
    assert read(text()).moves is SimpleVehicle
    walker = read(text(locomotion={"planar": {"max_turn_rate": 1.0}}))
    assert walker.locomotion == {"planar": {"max_turn_rate": 1.0}}
    assert walker.moves is Planar


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


@pytest.mark.parametrize(
    "path",
    [
        *("mood", "vehicle.wings", "locomotion.simple_vehicle.rails", "vehicle.radius", "portrayal.use"),
        *("behaviors.telepathy", "behaviors.separation.colour", "behaviors.separation.crowd", "behaviors.seek.target"),
        "variation.colour",
    ],
)
def test_unknown_names_are_ignored_and_reported(path: str) -> None:
    value = {"distance": 1.0} if path == "behaviors.telepathy" else 1.0
    preset = read(nested(path, value))
    assert preset.unknown == (path,)
    assert replace(preset, unknown=(), portrayal=None) == read(text())


def test_unknown_names_in_a_state_are_ignored_and_reported() -> None:
    preset = read(
        text(
            STATE,
            state={"lasts": 3.0, "mood": 1},
            behaviors={"seek": {"weight": 2.0, "target": "Bird"}, "telepathy": {}},
            vehicle={"radius": 2.0},
            off=["wander", "sing"],
            about_crowd=["evasion.pursuer", "evasion.weight"],
            calls=[{"who": "Wolf"}],
            preroll=3,
        ),
        STATE,
    )
    assert preset.behaviors == {"seek": {"weight": 2.0}} and preset.off == ("wander",) and preset.vehicle == {}
    assert preset.about_crowd == ("evasion.pursuer",) and preset.calls == (Call(),)
    assert set(preset.unknown) == {
        *("preroll", "state.mood", "behaviors.seek.target", "behaviors.telepathy", "vehicle.radius", "off.sing"),
        *("about_crowd.evasion.weight", "calls.0.who"),
    }


@pytest.mark.parametrize(
    ("path", "value", "why"),
    [
        ("vehicle.max_speed", "fast", 'vehicle.max_speed must be a number, not "fast"'),
        ("vehicle.max_speed", -1.0, r"vehicle.max_speed must be from 0 to 1e\+06, not -1.0"),
        ("vehicle.max_speed", 10**300, r"vehicle.max_speed must be from 0 to 1e\+06, not 1000000"),
        ("vehicle.mass", 0.0, r"vehicle.mass must be from 1e-06 to 1e\+06, not 0.0"),
        ("vehicle.keep_apart", 1, "vehicle.keep_apart must be true or false, not 1"),
        ("locomotion", [], "locomotion must be an object of names and values"),
        ("locomotion", {"rails": {}}, 'locomotion must be simple_vehicle or planar.*, not "rails"'),
        ("locomotion", {"planar": {}, "simple_vehicle": {}}, "locomotion must be simple_vehicle or planar.*, not"),
        ("locomotion", {"planar": 3}, "locomotion.planar must be an object of names and values"),
        ("locomotion.planar.max_turn_rate", 0.0, "locomotion.planar.max_turn_rate must be from 0.01 to"),
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
        ("body_length", 0.0, "body_length must be a number above 0, not 0.0"),
        ("label", "  ", "label must be text"),
        ("description", 7, "description must be text"),
        ("format", 99, "its format 99 needs a later version"),
        ("format", "one", 'its "format" is missing or invalid'),
    ],
)
def test_a_preset_with_an_invalid_value_is_refused(path: str, value: Any, why: str) -> None:
    with pytest.raises(PresetError, match=why):
        read(nested(path, value))


@pytest.mark.parametrize(
    ("kind", "changed", "why"),
    [
        (STATE, {"state": {"lasts": "long"}}, "state.lasts must be a number"),
        (STATE, {"state": [1]}, "state must be an object"),
        (STATE, {"faster": 0.0}, "faster must be a number above 0"),
        (STATE, {"cruise_speed": 2.0}, "cruise_speed must be from 0 to 1"),
        (STATE, {"vehicle": {"max_speed": -1.0}}, "vehicle.max_speed must be a multiple of the crowd's"),
        (STATE, {"locomotion": {"on_foot": 3}}, "locomotion.on_foot must be an object"),
        (STATE, {"combining": "SOUP"}, "combining must be"),
        (STATE, {"keeps": ["WITH", "LOVE"]}, 'keeps must be of .*, not "LOVE"'),
        (STATE, {"then": 3}, "then must be a name"),
        (STATE, {"brings": "rest"}, "brings must be a list of names"),
        (STATE, {"calls": {}}, "calls must be a list"),
        (STATE, {"calls": [{"by": "WOLF"}]}, "calls.0.by must be"),
        (STATE, {"calls": [{"trigger": {"when": "NEVER"}}]}, "calls.0.trigger.when must be"),
        (BEHAVIOR, {"behaviors": {"telepathy": {}}}, 'there is no behavior "telepathy"'),
        (BEHAVIOR, {"behaviors": {"seek": {}, "flee": {}}}, 'there is no behavior "seek, flee"'),
        (BEHAVIOR, {"behaviors": ...}, "it names no behavior"),
        (BEHAVIOR, {"format": 1, "behavior": ["wander"]}, "does not name"),
        (BEHAVIOR, {"format": 1, "behavior": "wander", "values": [1]}, "behaviors.wander must be an object"),
    ],
)
def test_an_invalid_preset_of_a_state_or_a_behavior_is_refused(kind: str, changed: dict[str, Any], why: str) -> None:
    with pytest.raises(PresetError, match=why):
        read(text(kind, **changed), kind)


@pytest.mark.parametrize("broken", ["", "{", "[]", "3", '"text"', "{}", "[" * 100_000, '{"format": 1}', "\x00"])
def test_other_text_is_refused(broken: str) -> None:
    with pytest.raises(PresetError):
        read(broken)


INSIDE = [*{name: None for kind in KINDS for name in PLAIN[kind]}, "separation", "distance", "calls", "off", "values"]


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5), lambda inner: (
    st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(INSIDE), inner)
), max_leaves=20), st.sampled_from(KINDS), st.sampled_from([1, FORMAT]))  # fmt: skip
def test_any_json_is_read_or_refused(content: Any, kind: str, version: int) -> None:
    if isinstance(content, dict):
        content = {**json.loads(text(kind)), "format": version, **content}
    try:
        assert read(json.dumps(content), kind).label
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


def test_lengths_and_speeds_scale_with_the_body_but_times_and_angles_do_not() -> None:
    fish = shipped("fish")
    large = scaled(fish, 4.0)
    assert large.body_length == pytest.approx(4.0 * fish.body_length)
    assert large.vehicle["max_speed"] == pytest.approx(4.0 * fish.vehicle["max_speed"])
    assert large.vehicle["max_force"] == pytest.approx(4.0 * fish.vehicle["max_force"])
    assert large.vehicle["cruise_speed"] == fish.vehicle["cruise_speed"]
    for name, grows in {"distance": 4.0, "weight": 4.0, "angle": 1.0, "priority": 1.0}.items():
        was = complete(next(b for b in CATALOGUE if b.name == "alignment"), fish.behaviors["alignment"])[name]
        assert large.behaviors["alignment"][name] == pytest.approx(grows * was)
    assert large.behaviors["wander"]["rate"] == fish.behaviors["wander"]["rate"]


def test_larger_birds_move_alike_in_longer_time_and_none_cruises_above_25_metres_a_second() -> None:
    bird, aeroplane = shipped("flock"), shipped("paper_aeroplane")
    large = scaled(bird, 4.0)
    assert large.vehicle["max_speed"] == pytest.approx(2.0 * bird.vehicle["max_speed"])
    assert large.vehicle["max_force"] == pytest.approx(bird.vehicle["max_force"])
    assert large.vehicle["response_time"] == pytest.approx(2.0 * VehicleModel.parameters()["response_time"].default)
    assert large.locomotion["flying"]["bank"] == pytest.approx(bird.locomotion["flying"]["bank"])
    assert large.behaviors["separation"]["distance"] == pytest.approx(4.0 * bird.behaviors["separation"]["distance"])
    assert large.behaviors["wander"]["rate"] == pytest.approx(0.5 * bird.behaviors["wander"]["rate"])
    for name, length in (("starling", 0.26), ("pigeon", 0.56), ("flock", 3.5)):
        own = scaled(shipped(name), length / shipped(name).body_length).vehicle
        assert own["max_speed"] * own["cruise_speed"] < 25.0
    assert scaled(aeroplane, 50.0).vehicle["max_speed"] == pytest.approx(50.0 * aeroplane.vehicle["max_speed"])


@given(crowds, st.floats(1e-3, 1e3))
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


@pytest.mark.parametrize("name", [name for name in FILES if kind_of(name) == STATE])
def test_no_behavior_of_its_crowd_moves_who_stands_still(name: str) -> None:
    preset = read(FILES[name].read_text(encoding="utf-8"), STATE)
    assert preset.cruise_speed != 0.0 or not preset.keeps


@pytest.mark.parametrize("name", ["stray", "fetch"])
def test_who_goes_among_a_herd_without_its_flocking_avoids_the_others(name: str) -> None:
    """A stray that came home fast ran into a cow that stood in its way."""
    preset = read(FILES[f"states/{name}"].read_text(encoding="utf-8"), STATE)
    assert Intent.WITH not in preset.keeps
    assert "unaligned_collision_avoidance" in preset.behaviors


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


def test_lengths_of_a_state_grow_with_bodies_that_are_not_similar() -> None:
    preset = Preset(
        *("Panic", "Run", STATE),
        body_length=1.0,
        state={"reach": 4.0, "lasts": 3.0},
        vehicle={"max_speed": 2.0},
        behaviors={"flee": {"distance": 8.0}},
        calls=(Call("SELECTED", trigger={"distance": 8.0, "chance": 0.5}),),
    )
    assert [preset.suits(length) for length in (None, 0.51, 1.9, 2.1, 0.49)] == [True, True, True, False, False]
    assert replace(preset, body_length=0.0).suits(10.0)
    grown = scaled(preset, 10.0)
    assert grown.behaviors["flee"]["distance"] == grown.calls[0].trigger["distance"] == 80.0
    assert grown.state == {"reach": 40.0, "lasts": 3.0} and grown.calls[0].trigger["chance"] == 0.5
    assert grown.vehicle == preset.vehicle, "multiples of the crowd's"
