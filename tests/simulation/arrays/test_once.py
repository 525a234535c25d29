"""A property that is computed once, on first access."""

from dataclasses import dataclass

from steering_addon.simulation.arrays.once import once


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
