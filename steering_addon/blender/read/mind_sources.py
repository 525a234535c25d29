"""The states and triggers that a run reads, checked, with the rows of what they point at."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Object, Scene

from ...minds.conditions import Always, AnyCondition, OfBodies, OfItself, OfRegions, condition_of
from ...minds.declaring import Trigger, TriggerModel
from ...portrayal.driver_properties import STATE
from ...simulation.mindset import NOBODY
from ...simulation.roles import Role
from ..animation.custom_properties import share_in
from ..objects.identity import called_crowd, trigger_numbers
from ..objects.tagged_objects import crowd_of, full_name, why_outside
from ..properties import has_role, pointed_in
from ..property_groups import values_of
from ..refusal import Refusal
from .sources import CrowdSource, may_be_active
from .vehicles import VehicleSource, rows_of_points


@dataclass(frozen=True)
class StateSource:
    """A state of a crowd.

    Attributes:
        source: its own settings, as those of a crowd; its rows are the crowd's vehicles.
        crowd: the row of its crowd.
        then, eases: the modes of other states of the crowd, 0 and -1 for none.
        number: by which vehicles in it are told from others, among the states of the crowd.
    """

    source: CrowdSource
    crowd: int
    then: int
    eases: int
    number: int

    @property
    def ob(self) -> Object:
        return self.source.ob


@dataclass(frozen=True)
class TriggerSource:
    """A trigger, and the rows of what it watches for.

    Attributes:
        crowd: the row of the crowd whose vehicles it calls.
        trigger: what it calls into and watches for; when and how strongly may change from frame to frame.
        number: by which it is told from others of its crowd.
    """

    ob: Object
    crowd: int
    trigger: Trigger
    number: int


def store_number(source: StateSource | TriggerSource) -> None:
    """Store the number of a state or trigger that has none, or shares one."""
    group = source.ob.steering.state if isinstance(source, StateSource) else source.ob.steering.trigger
    if source.ob.is_editable and group.number != source.number:
        group.number = source.number


def states_of(active: Iterable[Object], crowds: Sequence[Object], numbers: Mapping[Object, int]) -> list[Object]:
    """The states of some crowds, by the row of the crowd and by number. `active`: of all crowds, those that may be
    active; `numbers`: of all states. Refused if what a state leads to is not a state of its crowd."""
    rows = {crowd: row for row, crowd in enumerate(crowds)}
    states = [ob for ob in active if crowd_of(ob) in rows]
    for state in states:
        for name in ("then", "eases"):
            follower = _following_state(state, name)
            if follower is not None and crowd_of(follower) != crowd_of(state):
                raise Refusal(
                    f"{follower.name}, the {name.title()} of the state {state.name}, is of another crowd. "
                    f"Choose a state of {crowd_of(state).name}.",
                    about=[state],
                )
    return sorted(states, key=lambda ob: (rows[crowd_of(ob)], numbers[ob]))


def state_properties(states: Iterable[Object]) -> dict[Object, tuple[str, ...]]:
    """The custom properties that tell the states of the vehicles of each crowd that has any of these, which may be
    active."""
    named: dict[Object, list[str]] = {}
    for ob in states:
        if (crowd := crowd_of(ob)) is not None:
            named.setdefault(crowd, [STATE]).append(share_in(ob.name))
    return {crowd: tuple(dict.fromkeys(names)) for crowd, names in named.items()}


def triggers_of(
    roles: Mapping[Role, list[Object]], states: Sequence[Object], scene: Scene, objects: Collection[Object]
) -> dict[Object, int]:
    """The triggers that may call into some states, each with its number, in the order of these. Refused if what a
    trigger watches for is not among the objects in use of a scene, or the state in which it is heard is of another
    crowd."""
    numbers = trigger_numbers(ob for ob in roles[Role.TRIGGER] if pointed_in(ob, "trigger", "to") in states)
    heard = [(ob, number) for ob, number in numbers.items() if may_be_active(ob)]
    for trigger, _ in heard:
        _check_trigger(trigger, scene, objects)
    crowds = [crowd_of(state) for state in states]
    return dict(sorted(heard, key=lambda pair: (crowds.index(called_crowd(pair[0])), pair[1])))


def _check_trigger(trigger: Object, scene: Scene, objects: Collection[Object]) -> None:
    """Refuse a trigger that points at what cannot call or be heard."""
    crowd = called_crowd(trigger)
    earlier, caller = pointed_in(trigger, "trigger", "from_state"), pointed_in(trigger, "trigger", "who")
    if earlier is not None and (not has_role(earlier, Role.STATE) or crowd_of(earlier) != crowd):
        raise Refusal(
            f"{earlier.name}, the From of the trigger {trigger.name}, is not a state of {crowd.name}, which it calls. "
            f"Choose a state of {crowd.name}, or leave From empty.",
            about=[trigger],
        )
    if caller is None or issubclass(condition_of_trigger(trigger), OfItself):
        return
    # A crowd that is not in the scene stands for its vehicles, which may be.
    if caller not in objects and not has_role(caller, Role.CROWD):
        why = why_outside(caller, scene)
        raise Refusal(f"{caller.name}, the Who of the trigger {trigger.name}, {why}.", about=[trigger])


def watched_objects(triggers: Iterable[Object], objects: Collection[Object]) -> list[Object]:
    """The objects of a scene that triggers watch for one by one: neither crowds nor states nor regions."""
    watched = []
    for ob in triggers:
        if issubclass(condition_of_trigger(ob), OfBodies) and not _stands_for_several(ob):
            watched += [body for body in _own_bodies(ob) if body in objects]
    return watched


def watched_regions(triggers: Iterable[Object]) -> list[Object]:
    """The regions in which triggers count."""
    counting = (ob for ob in triggers if issubclass(condition_of_trigger(ob), OfRegions))
    return [pointed_in(ob, "trigger", "who") or ob for ob in counting]


def condition_of_trigger(ob: Object) -> type[AnyCondition]:
    """The condition of a trigger."""
    return condition_of(values_of(TriggerModel, ob.steering.trigger)["when"])


def trigger_source(
    ob: Object,
    number: int,
    states: Sequence[Object],
    crowds: Sequence[Object],
    bodies: Mapping[str, int],
    regions: Mapping[str, int],
    roles: Mapping[Role, Sequence[Object]],
    source: VehicleSource,
) -> TriggerSource:
    """A trigger of a number, with the rows of what it points at. `bodies`, `regions`: the rows of objects by full name;
    `source`: the vehicles of the run."""
    to, caller = pointed_in(ob, "trigger", "to"), pointed_in(ob, "trigger", "who")
    crowd, kind = crowd_of(to), condition_of_trigger(ob)
    earlier = pointed_in(ob, "trigger", "from_state")
    in_state = None
    if caller is not None and has_role(caller, Role.STATE) and crowd_of(caller) in crowds:
        in_state = crowds.index(crowd_of(caller)), mode_of(caller, states) or NOBODY
    rows: list[int] = []
    if issubclass(kind, OfBodies) and in_state is None:
        objects, several = _own_bodies(ob), _stands_for_several(ob)
        if several:
            objects = [vehicle for vehicle in roles[Role.VEHICLE] if crowd_of(vehicle) == caller]
        rows = [bodies[full_name(body)] for body in objects if full_name(body) in bodies]
        points = [points for points in roles[Role.POINTS] if crowd_of(points) == caller] if several else ()
        rows = sorted([*rows, *rows_of_points(source, points).tolist()])
    its_regions = [regions[full_name(region)] for region in watched_regions([ob])]
    trigger = Trigger(
        to=mode_of(to, states),
        when=Always(),
        key=number,
        bodies=np.array(rows, dtype=np.int64),
        of=in_state,
        regions=np.array(its_regions, dtype=np.int64),
        from_modes=() if earlier is None else (mode_of(earlier, states) or NOBODY,),
    )
    return TriggerSource(ob, crowds.index(crowd), trigger, number)


def mode_of(state: Object, states: Sequence[Object]) -> int:
    """The number of a state among those of its crowd, from 1; 0 if it is not among them."""
    mates = [ob for ob in states if crowd_of(ob) == crowd_of(state)]
    return mates.index(state) + 1 if state in mates else 0


def state_source(source: CrowdSource, states: Sequence[Object], crowds: Sequence[Object], number: int) -> StateSource:
    """A state of a number, with the modes that it points at."""
    ob = source.ob
    then, eases = _following_state(ob, "then"), _following_state(ob, "eases")
    return StateSource(
        source,
        crowds.index(crowd_of(ob)),
        0 if then is None else mode_of(then, states),
        (mode_of(eases, states) or -1) if eases is not None else -1,
        number,
    )


def _stands_for_several(ob: Object) -> bool:
    """Whether a trigger watches for the vehicles of a crowd, or for those in a state."""
    caller = pointed_in(ob, "trigger", "who")
    return caller is not None and (has_role(caller, Role.CROWD) or has_role(caller, Role.STATE))


def _own_bodies(ob: Object) -> list[Object]:
    """The object or the collection that a trigger watches for; the trigger itself where it names none."""
    caller = pointed_in(ob, "trigger", "who")
    if caller is not None:
        return [caller]
    collection = pointed_in(ob, "trigger", "who_collection")
    return list(collection.all_objects) if collection is not None else [ob]


def _following_state(state: Object, name: str) -> Object | None:
    """The state that a state points at by a property of this name."""
    follower = pointed_in(state, "state", name)
    return follower if follower is not None and has_role(follower, Role.STATE) else None
