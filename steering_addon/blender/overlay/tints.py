"""The colors in which vehicles are drawn while they are in a state, as a preview or a bake tells it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from bpy.types import Depsgraph, Object, Scene

from ..animation.ownership import bake_of
from ..objects.identity import state_numbers
from ..objects.tagged_objects import crowd_of
from ..status.present_members import present_state, tells_state


class Tint(NamedTuple):
    """A state as it is drawn."""

    name: str
    color: tuple[float, ...]


class Tints(NamedTuple):
    """The states that a vehicle may be in. `states`: by their numbers; `baked`: whether a bake tells in which it is."""

    states: Mapping[int, Tint]
    baked: bool


def tints_of(vehicles: Sequence[Object], states: Sequence[Object]) -> list[Tints]:
    """The states that each of some vehicles may be in, (n,)."""
    of_crowds: dict[Object, dict[int, Tint]] = {}
    for state, number in state_numbers(states).items():
        if state.steering.is_property_set("state") and (crowd := crowd_of(state)) is not None:
            of_crowds.setdefault(crowd, {})[number] = Tint(state.name, tuple(state.steering.state.color))
    told = [of_crowds.get(crowd_of(ob), {}) for ob in vehicles]
    return [Tints(states, bool(states) and tells_state(bake_of(ob))) for ob, states in zip(vehicles, told)]


def in_states(
    vehicles: Sequence[Object], states: Sequence[Tints], scene: Scene, depsgraph: Depsgraph
) -> Iterator[tuple[int, Tint]]:
    """The rows of the vehicles that are in a state on the frame for which the depsgraph is evaluated, with the state;
    `states`: (n,) those that each may be in."""
    for row, (ob, tints) in enumerate(zip(vehicles, states)):
        if not tints.states:
            continue
        number = present_state(scene, ob, baked=tints.baked, depsgraph=depsgraph)
        if number in tints.states:
            yield row, tints.states[number]
