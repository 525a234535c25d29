"""The laws that hold for the declaration of every behavior, from which come its properties, panel, menu and manual."""

import dataclasses
import re
from typing import Any

import numpy as np
import pytest

from scripts.behavior_names import TAKEN_BY_BLENDER
from steering_addon.behaviors import CATALOGUE
from steering_addon.locomotion import CATALOGUE as LOCOMOTIONS
from steering_addon.portrayal.driver_properties import Portrayal
from steering_addon.simulation.behavior import OURS, Behavior, Intent
from steering_addon.simulation.declaration import NEAREST, Declared, Kind, Unit
from steering_addon.simulation.presence.attendance import Attendance
from steering_addon.simulation.vehicle import VehicleModel

PAPER = {
    *("seek", "flee", "pursuit", "evasion", "offset_pursuit", "arrival", "obstacle_avoidance", "wander", "explore"),
    *("forage", "path_following", "wall_following", "containment", "flow_field_following"),
    *("unaligned_collision_avoidance", "separation", "cohesion", "alignment", "leader_following", "interpose"),
    *("shadow", "docking", "hide"),
}

every = pytest.mark.parametrize("kind", CATALOGUE, ids=lambda kind: kind.name)
of_the_vehicle_too = pytest.mark.parametrize("kind", [*CATALOGUE, VehicleModel], ids=lambda kind: kind.__name__)


@every
def test_the_parameters_that_it_names_are_its_own(kind: type[Behavior]) -> None:
    assert {kind.sees, kind.width} - {""} <= set(kind.parameters())


@every
def test_every_default_lies_within_its_limits(kind: type[Behavior]) -> None:
    for name, parameter in kind.parameters().items():
        assert parameter.least <= parameter.default <= parameter.most, name
        if parameter.kind is Kind.CHOICE:
            assert parameter.default in [choice.number for choice in parameter.choices], name
        if parameter.kind in (Kind.BODY, Kind.PATH, Kind.REGION):
            assert parameter.default == (-1 if parameter.role is None else NEAREST), name
        if parameter.kind in (Kind.CROWD, Kind.SHAPE):
            assert parameter.default == -1, name


@pytest.mark.parametrize(
    "kind", [*CATALOGUE, *LOCOMOTIONS, VehicleModel, Portrayal, Attendance], ids=lambda kind: kind.__name__
)
def test_choices_are_numbered_by_their_places_and_have_names_of_their_own(kind: type[Declared]) -> None:
    """A number that is not among them would choose nothing, and one twice something else."""
    for name, parameter in kind.parameters().items():
        assert [choice.number for choice in parameter.choices] == list(range(len(parameter.choices))), name
        assert len({choice.name for choice in parameter.choices}) == len(parameter.choices), name


@of_the_vehicle_too
def test_every_parameter_is_described_in_one_sentence(kind: Any) -> None:
    for name, parameter in kind.parameters().items():
        assert_sentence(parameter.description, name)
        for choice in parameter.choices:
            assert_sentence(choice.description, f"{name}.{choice.name}")
            assert choice.label, f"{name}.{choice.name}"
            assert re.fullmatch("[A-Z][A-Z_]*", choice.name), f"{name}.{choice.name}"


@every
def test_it_is_described_in_one_sentence_that_ends_with_the_papers_term(kind: type[Behavior]) -> None:
    assert_sentence(kind.tooltip(), kind.name)
    assert kind.tooltip().endswith(f"({OURS})" if kind.term == OURS else f"(Reynolds: {kind.term})")
    assert "\n" not in kind.tooltip()
    assert "  " not in kind.tooltip()


def assert_sentence(text: str, where: str) -> None:
    assert text.strip() == text != "", where
    assert not text.endswith("."), f"{where}: Blender adds the final stop"
    assert text[0].isupper() or text[0].isdigit(), where
    assert len(text) < 160, where


@of_the_vehicle_too
def test_no_parameter_has_the_name_of_an_attribute_of_property_groups(kind: Any) -> None:
    names = set(kind.parameters())
    assert not names & {*TAKEN_BY_BLENDER, "use"}, "`use` is the switch of a behavior"
    assert all(re.fullmatch("[a-z][a-z_]*", name) for name in names)


@of_the_vehicle_too
def test_every_field_is_declared(kind: Any) -> None:
    assert {field.name for field in dataclasses.fields(kind)} == set(kind.all_columns())


@every
def test_what_is_said_last_comes_after_what_a_behavior_adds(kind: Any) -> None:
    last = [parameter.at_end for parameter in kind.parameters().values()]
    assert last == sorted(last)


@of_the_vehicle_too
def test_a_number_has_the_unit_that_its_name_says(kind: Any) -> None:
    for name, parameter in kind.parameters().items():
        assert parameter.least <= parameter.most, name
        if name.endswith(("_distance", "_radius", "radius", "distance")):
            assert parameter.unit is Unit.LENGTH, name
        if name.endswith("_time"):
            assert parameter.unit is Unit.TIME, name
        if name.endswith("max_speed"):
            assert parameter.unit is Unit.SPEED, name


@of_the_vehicle_too
def test_no_two_parameters_have_the_same_label(kind: Any) -> None:
    called = [parameter.called(name) for name, parameter in kind.parameters().items()]
    assert len(set(called)) == len(called)
    assert all(label == label.strip() and label[0].isupper() for label in called)


@every
def test_a_parameter_that_depends_on_a_choice_depends_on_its_own_behavior(kind: type[Behavior]) -> None:
    parameters = kind.parameters()
    for name, parameter in parameters.items():
        if parameter.only_with:
            other, *numbers = parameter.only_with
            assert numbers and set(numbers) < {choice.number for choice in parameters[other].choices}, name


def test_names_are_the_papers_and_unique() -> None:
    names = [kind.name for kind in CATALOGUE]
    assert {kind.name for kind in CATALOGUE if kind.term != OURS} <= PAPER
    assert not {kind.name for kind in CATALOGUE if kind.term == OURS} & PAPER
    assert len(set(names)) == len(names)
    assert len({kind.label for kind in CATALOGUE}) == len(names)
    for kind in CATALOGUE:
        assert kind.__name__ == kind.name.title().replace("_", "")
        assert kind.__module__.endswith(f".{kind.name}")


@every
def test_it_declares_the_heading_under_which_it_is_offered(kind: type[Behavior]) -> None:
    assert vars(kind)["intent"] in Intent


def test_every_heading_has_behaviors() -> None:
    assert {kind.intent for kind in CATALOGUE} == set(Intent)
    assert len({intent.value for intent in Intent}) == len(Intent)


@every
def test_an_undeclared_parameter_is_refused_by_name(kind: type[Behavior]) -> None:
    with pytest.raises(TypeError, match="no parameter haste"):
        kind.of(3, haste=1.0)
    with pytest.raises(ValueError):
        kind.of(3, weight=np.ones(2))
