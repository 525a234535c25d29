"""The colors in which vehicles are drawn while they are in a state, by what a bake has keyed on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ...portrayal.state_properties import STATE
from ..read.mind_sources import state_numbers
from ..tagged_objects import crowd_of
from ..write.custom_properties import path_of
from ..write.ownership import bake_of

if TYPE_CHECKING:
    from bpy.types import Depsgraph, Object


class Tint(NamedTuple):
    """A state as it is drawn."""

    name: str
    color: tuple[float, ...]


Tints: TypeAlias = Mapping[int, Tint]
"""The states of a crowd by their numbers."""


def tints_of(vehicles: Sequence[Object], states: Sequence[Object]) -> list[Tints]:
    """The states that each of some vehicles may be in, (n,); none where no bake tells in which it is."""
    of_crowds: dict[Object, dict[int, Tint]] = {}
    for state, number in state_numbers(states).items():
        if state.steering.is_property_set("state") and (crowd := crowd_of(state)) is not None:
            of_crowds.setdefault(crowd, {})[number] = Tint(state.name, tuple(state.steering.state.color))
    return [of_crowds[crowd] if (crowd := crowd_of(ob)) in of_crowds and _is_told(ob) else {} for ob in vehicles]


def in_states(vehicles: Sequence[Object], states: Sequence[Tints], depsgraph: Depsgraph) -> Iterator[tuple[int, Tint]]:
    """The rows of the vehicles that are in a state on the frame for which the depsgraph is evaluated, with the state.

    Args:
        states: (n,) those that each may be in.
    """
    for row, (ob, tints) in enumerate(zip(vehicles, states)):
        number = ob.evaluated_get(depsgraph).get(STATE) if tints else None
        if isinstance(number, int) and number in tints:
            yield row, tints[number]


def _is_told(ob: Object) -> bool:
    record = bake_of(ob)
    return record is not None and path_of(STATE) in record.channels
