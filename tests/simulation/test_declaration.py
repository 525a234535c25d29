"""Parameters are declared once and held as columns."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from steering_addon.simulation.declaration import (
    NEAREST,
    Choice,
    Declared,
    Kind,
    Unit,
    acceleration,
    another_body,
    body,
    choice,
    integer,
    length,
    number,
    path,
    seconds,
    share,
    switch,
)
from steering_addon.simulation.roles import DESCRIPTIONS, Role

WAYS = (Choice("LEFT", 3, "Left", "To the left"), Choice("RIGHT", 1, "Right", "To the right"))


@dataclass(frozen=True)
class Kite(Declared):
    """A declaration with one parameter of each sort."""

    line: Any = length(20.0, "Line", 1.0)
    pull: Any = number(5.0, "Pull", Unit.FORCE, most=50.0, animatable=False)
    gust: Any = acceleration(1.0, "Gust")
    calm: Any = seconds(0.5, "Calm")
    color: Any = share(0.25, "Color")
    tails: Any = integer(2, "Tails", 0, 9)
    loud: Any = switch(True, "Loud")
    way: Any = choice("RIGHT", "Way", WAYS)
    friend: Any = body("Friend")
    beach: Any = path("Beach")


def test_a_parameter_keeps_its_order_default_unit_and_limits() -> None:
    known = Kite.parameters()
    assert list(known) == ["line", "pull", "gust", "calm", "color", "tails", "loud", "way", "friend", "beach"]
    assert (known["line"].default, known["line"].unit, known["line"].least) == (20.0, Unit.LENGTH, 1.0)
    assert (known["pull"].most, known["pull"].animatable) == (50.0, False)
    assert (known["color"].least, known["color"].most) == (0.0, 1.0)
    assert known["way"].default == 1, "a choice is its stored number"
    assert (known["friend"].kind, known["friend"].role, known["friend"].default) == (Kind.BODY, Role.LEADER, NEAREST)
    assert (known["beach"].kind, known["beach"].role, known["beach"].animatable) == (Kind.PATH, Role.PATH, False)


def test_a_single_value_fills_the_column_and_a_column_is_kept() -> None:
    kite = Kite.of(3, line=5.0, tails=[1, 2, 3])
    assert kite.line.tolist() == [5.0, 5.0, 5.0]
    assert kite.tails.tolist() == [1, 2, 3]
    assert kite.pull.tolist() == [5.0, 5.0, 5.0]
    assert all(getattr(kite, name).shape == (3,) for name in Kite.parameters())
    dtypes = {name: getattr(kite, name).dtype for name in Kite.parameters()}
    assert dtypes["line"] == np.float64
    assert dtypes["loud"] == np.bool_
    assert dtypes["way"] == dtypes["tails"] == dtypes["friend"] == dtypes["beach"] == np.int64


def test_taking_rows_keeps_their_values() -> None:
    kite = Kite.of(4, tails=[4, 5, 6, 7])
    assert kite.take(np.array([2, 0])).tails.tolist() == [6, 4]
    assert kite.take(np.array([0, 0, 3, 3, 1, 2])).pull.tolist() == [5.0] * 6
    assert kite.take(np.array([True, False, False, True])).tails.tolist() == [4, 7]
    assert kite.take(np.zeros(0, dtype=np.int64)).line.shape == (0,)


def test_each_role_is_described() -> None:
    assert set(DESCRIPTIONS) == set(Role)


@dataclass(frozen=True)
class Lamp(Declared):
    """A declaration with a parameter that has no effect without a choice."""

    way: Any = choice("RIGHT", "Way", WAYS)
    reach: Any = length(2.0, "Reach", 0.5, only_with=("way", 3))


def test_a_parameter_that_depends_on_a_choice_is_otherwise_like_any_other() -> None:
    plain, dependent = length(2.0, "Reach", 0.5).metadata["parameter"], Lamp.parameters()["reach"]
    assert dependent.only_with == ("way", 3)
    assert (dependent.kind, dependent.default, dependent.least) == (plain.kind, plain.default, plain.least)
    assert not plain.only_with
    assert Lamp.of(2, reach=3.0).reach.tolist() == [3.0, 3.0]


def test_settings_are_spread_over_the_same_number_of_agents_only_once() -> None:
    """The same number of agents asks in step after step."""
    lamp = Lamp.of(1)
    spread = lamp.for_agents(np.array([4, 7, 9]))
    assert lamp.for_agents(np.array([0, 1, 2])) is spread
    assert len(lamp.for_agents(np.array([0, 1])).reach) == 2
    assert lamp.for_agents(np.array([5])) is lamp


def test_changed_columns_leave_the_others_and_the_original_alone() -> None:
    lamp = Lamp.of(2)
    changed = lamp.with_columns({"reach": np.array([1.0, 3.0])})
    assert type(changed) is Lamp
    assert changed.reach.tolist() == [1.0, 3.0]
    assert changed.way is lamp.way
    assert lamp.reach.tolist() == [2.0, 2.0]


@dataclass(frozen=True)
class Bridge(Declared):
    """A declaration with two bodies."""

    near: Any = body("Near")
    far: Any = another_body("Far")


def test_a_second_body_left_empty_is_none_and_not_the_nearest() -> None:
    assert (Bridge.of(2).near == NEAREST).all()
    assert (Bridge.of(2).far == -1).all()
