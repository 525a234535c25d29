"""The numbers by which states and triggers of a crowd are distinguished; copies that share one get distinct numbers."""

from collections.abc import Iterable, Mapping

from bpy.types import Object

from ...minds.declaring import distinct_numbers
from ..properties import pointed_at
from .tagged_objects import crowd_of, full_name


def state_numbers(states: Iterable[Object]) -> dict[Object, int]:
    """The number of each state among those of its crowd. Copies share one: the first by name keeps it."""
    return _distinct([(crowd_of(ob), ob) for ob in states], "state")


def trigger_numbers(triggers: Iterable[Object]) -> dict[Object, int]:
    """The number of each trigger among those that call the same crowd, in the same way."""
    return _distinct([(called_crowd(ob), ob) for ob in triggers], "trigger")


def next_number(numbers: Mapping[Object, int]) -> int:
    """A number for a new state or trigger, from those of the others."""
    return 1 + max(numbers.values(), default=0)


def called_crowd(trigger: Object) -> Object | None:
    """The crowd of the state that a trigger calls into."""
    state = trigger_pointer(trigger, "to")
    return crowd_of(state) if state is not None else None


def _distinct(objects: Iterable[tuple[Object | None, Object]], group: str) -> dict[Object, int]:
    """The distinct numbers of objects among those of a crowd, by what is stored in a group of theirs."""
    of_crowds: dict[Object | None, list[Object]] = {}
    for crowd, ob in sorted(objects, key=lambda pair: full_name(pair[1])):
        of_crowds.setdefault(crowd, []).append(ob)

    def stored(ob: Object) -> int:
        return int(getattr(ob.steering, group).number) if ob.steering.is_property_set(group) else 0

    return {
        ob: number for mates in of_crowds.values() for ob, number in zip(mates, distinct_numbers(map(stored, mates)))
    }


def trigger_pointer(ob: Object, name: str) -> Object | None:
    """The object or collection that a pointer of a trigger holds."""
    return pointed_at(ob.steering.trigger, name) if ob.steering.is_property_set("trigger") else None
