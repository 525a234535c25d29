"""Functions of single properties: Blender calls them when one is set, or asks for its value or its candidates."""

from collections.abc import Callable
from typing import Any

from bpy.props import FloatProperty
from bpy.types import Context, Object, PropertyGroup

from ...behaviors import CATALOGUE as BEHAVIORS
from ...locomotion import CATALOGUE as LOCOMOTIONS
from ...minds.declaring import TriggerModel
from ...portrayal.clips import measurement_of
from ...simulation.roles import Role
from ..handlers import notify_listeners
from ..moving import BY_CHOICE
from ..property_groups import Hooks, is_in_scene, meaningful
from .access import has_role, pointed_at

SWITCH = "own"
"""The setting of a group by which a state has it for itself; the values begin as copies of the crowd's."""
SHAPED = ("MESH", "FONT", "SURFACE", "CURVE", "META")
"""Types of objects with places to meet."""
MEASURED = ("seconds", "speed", "stride", "heading", "turn", "own_slide", "sure", "support", "closes")
"""The numbers of a clip that were measured; they cannot be set."""


def _show_distance(trigger: PropertyGroup, context: Context) -> None:
    """Draw the Empty of a trigger as large as the distance within which it counts."""
    ob = trigger.id_data
    if "distance" in meaningful(TriggerModel, trigger) and ob.type == "EMPTY":
        ob.empty_display_size = trigger.distance
    notify_listeners(trigger, context)


def _move_by_own(vehicle: PropertyGroup, context: Context) -> None:
    """Make the settings of a vehicle's own locomotion, so that drawing the panel writes nothing."""
    moves = BY_CHOICE.get(vehicle.own_locomotion)
    if moves is not None:
        _ = getattr(vehicle, moves.name)
    notify_listeners(vehicle, context)


def _measured(name: str) -> Callable[[PropertyGroup], float]:
    def value(clip: PropertyGroup) -> float:
        measurement = measurement_of(clip.measured)
        return getattr(measurement.clip, name) if measurement is not None else 0.0

    return value


def _is_state_of_crowd(clip: PropertyGroup, ob: Object) -> bool:
    return has_role(ob, Role.STATE) and pointed_at(ob.steering, "crowd") == clip.id_data


def _take_over(group: PropertyGroup, context: Context) -> None:
    """Copy the values of the crowd into a group of a state whose switch was turned on."""
    state = group.id_data
    crowd = pointed_at(state.steering, "crowd")
    if group.own and crowd is not None and has_role(state, Role.STATE):
        name = group.path_from_id().rpartition(".")[2]
        if crowd.steering.is_property_set(name):
            copy_values(getattr(crowd.steering, name), group)
    notify_listeners(group, context)


def copy_values(source: PropertyGroup, target: PropertyGroup) -> None:
    """Copy all values of a group but the switch itself."""
    for name, declared in source.bl_rna.properties.items():
        if name in ("rna_type", "name", SWITCH) or declared.is_readonly or not source.is_property_set(name):
            continue
        setattr(target, name, getattr(source, name))


_OWN: dict[str, Any] = {SWITCH: {"update": _take_over}}
HOOKS: dict[str, Hooks] = {
    "populate": {"place": {"poll": is_in_scene}},
    "source": {"object": {"poll": lambda _group, ob: not has_role(ob, Role.CROWD)}},
    "clip": {"state": {"poll": _is_state_of_crowd}} | {name: {"get": _measured(name)} for name in MEASURED},
    "trigger": {name: {"update": _show_distance} for name in ("when", "distance")},
    "mark": {"shape": {"poll": lambda _group, ob: ob.type in SHAPED}},
    "link": {name: {"poll": lambda group, ob: ob != group.id_data} for name in ("to", "carrier")},
    "object": {"guide": {"poll": lambda group, ob: ob != group.id_data}, "own_locomotion": {"update": _move_by_own}},
    **dict.fromkeys(("vehicle", *(kind.name for kind in (*LOCOMOTIONS, *BEHAVIORS))), _OWN),
}
"""The functions of single properties by group and name; the rest restart a preview, or do nothing, as declared."""


def _cruise(vehicle: PropertyGroup) -> float:
    return vehicle.cruise_speed * vehicle.max_speed


def _set_cruise(vehicle: PropertyGroup, speed: float) -> None:
    if vehicle.max_speed > 0.0:
        vehicle.cruise_speed = min(speed / vehicle.max_speed, 1.0)


CRUISE = FloatProperty(
    name="Cruise Speed",
    description="Speed that it holds softly while no behavior sets another speed; at most the top speed. It is stored "
    "as a share of that, which can be keyed in Advanced",
    min=0.0,
    unit="VELOCITY",
    # Keys and library overrides are of the stored share.
    options=set(),
    get=_cruise,
    set=_set_cruise,
)
