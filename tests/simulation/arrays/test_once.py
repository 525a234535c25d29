"""What is worked out once, when somebody first asks for it."""

from dataclasses import dataclass

from steering_addon.simulation.arrays.once import once


@dataclass(frozen=True)
class Asked:
    """Something frozen that notes how often it had to work something out."""

    number: int
    worked_out: list[int]

    @once
    def square(self) -> int:
        """The square of the number."""
        self.worked_out.append(self.number)
        return self.number * self.number


def test_it_is_worked_out_by_each_thing_for_itself_when_first_asked_for() -> None:
    two, three = Asked(2, []), Asked(3, [])
    assert not two.worked_out
    assert [two.square, two.square, three.square] == [4, 4, 9]
    assert (two.worked_out, three.worked_out) == ([2], [3])


def test_it_says_what_it_is() -> None:
    assert Asked.square.__doc__ == "The square of the number."
