"""Values in presets: limits, names and how they are shown."""

import math

import pytest

from steering_addon.settings.preset_values import (
    NEARLY,
    PresetError,
    checked_values,
    complete,
    excerpt,
    held,
    is_number,
    is_whole,
    parse_document,
    within,
)
from steering_addon.simulation.declaration import Kind, Unit
from steering_addon.simulation.presence.attendance import Attendance
from steering_addon.simulation.vehicle import VehicleModel


def checked(name: str, value):
    return checked_values("vehicle", VehicleModel, {name: value})[0][name]


@pytest.mark.parametrize("name", [n for n, p in held(VehicleModel).items() if p.kind is Kind.NUMBER])
def test_numbers_within_a_rounding_of_their_limits_are_the_limits_and_others_are_refused(name: str) -> None:
    parameter = held(VehicleModel)[name]
    for limit, out in ((parameter.least, -1.0), (parameter.most, 1.0)):
        if math.isfinite(limit) and limit:
            assert checked(name, limit) == limit
            assert checked(name, limit + out * 0.5 * NEARLY * abs(limit)) == limit
            with pytest.raises(PresetError, match=rf"vehicle\.{name} must be from .* to "):
                checked(name, limit + out * 2.0 * NEARLY * abs(limit))
    if parameter.least == 0.0:
        with pytest.raises(PresetError):
            checked(name, -1e-9)
    assert within(math.inf, parameter) < math.inf
    assert within(-math.inf, parameter) > -math.inf


@pytest.mark.parametrize("odd", [True, "3", None, math.inf, math.nan, [1.0]])
def test_only_finite_numbers_are_numbers_and_only_those_without_a_fraction_are_whole(odd) -> None:
    assert not is_number(odd) and not is_whole(odd)
    assert is_number(2) and is_whole(2) and is_number(2.5) and not is_whole(2.5)
    with pytest.raises(PresetError, match="must be a number"):
        checked("mass", odd)


def test_a_value_is_shown_as_in_the_file_and_long_ones_in_forty_characters() -> None:
    assert excerpt("x" * 38) == '"' + "x" * 38 + '"'
    assert excerpt("x" * 39) == '"' + "x" * 36 + "..."
    assert [excerpt(value) for value in ([1], {}, {"a": 1}, [], None, True, "ä")] == [
        "several values",
        "nothing",
        "several values",
        "nothing",
        "null",
        "true",
        '"ä"',
    ]


def test_a_complete_set_has_the_given_values_and_defaults_for_the_others() -> None:
    values = complete(Attendance, {})
    assert set(values) == set(held(Attendance)) and "enter_frame" not in values
    assert all(isinstance(values[name], str) for name, p in held(Attendance).items() if p.kind is Kind.CHOICE)
    assert complete(VehicleModel, {"mass": 7.0})["mass"] == 7.0
    assert complete(VehicleModel, {})["max_speed"] == VehicleModel.parameters()["max_speed"].default
    assert held(VehicleModel)["mass"].unit is Unit.MASS


@pytest.mark.parametrize("version", ["0", "-1", "true", '"1"', "1.0", "null", "2", "99"])
def test_only_formats_up_to_the_newest_are_read(version: str) -> None:
    with pytest.raises(PresetError, match="format"):
        parse_document(f'{{"format": {version}}}', 1)
    assert parse_document('{"format": 1, "a": 2}', 2) == (1, {"a": 2})
