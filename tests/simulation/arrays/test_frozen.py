"""Changing some fields of a frozen object."""

from dataclasses import dataclass

import pytest

from steering_addon.simulation.arrays.frozen import replace
from steering_addon.simulation.arrays.once import once


@dataclass(frozen=True)
class Rectangle:
    """A frozen object with a property that is computed once."""

    width: int
    height: int = 2

    @once
    def area(self) -> int:
        """The area."""
        return self.width * self.height


def test_only_the_named_fields_change_and_the_object_itself_stays() -> None:
    before = Rectangle(3)
    assert replace(before, width=5) == Rectangle(5, 2)
    assert before == Rectangle(3, 2)


def test_what_is_computed_once_is_computed_again() -> None:
    before = Rectangle(3)
    assert before.area == 6
    assert replace(before, width=5).area == 10


def test_a_name_of_no_field_is_refused() -> None:
    with pytest.raises(TypeError, match="Rectangle has no field depth"):
        replace(Rectangle(3), depth=1)  # type: ignore[call-arg]


@dataclass(frozen=True)
class Number:
    """A frozen object that notes how often its property is computed."""

    number: int
    computed: list[int]

    @once
    def square(self) -> int:
        """The square of the number."""
        self.computed.append(self.number)
        return self.number * self.number


def test_each_instance_computes_its_value_on_first_access() -> None:
    two, three = Number(2, []), Number(3, [])
    assert not two.computed
    assert [two.square, two.square, three.square] == [4, 4, 9]
    assert (two.computed, three.computed) == ([2], [3])


def test_the_docstring_is_kept() -> None:
    assert Number.square.__doc__ == "The square of the number."
