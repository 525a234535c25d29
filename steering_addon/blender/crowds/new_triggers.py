"""Makes triggers that call vehicles into states, with distances that fit the vehicles."""

import bpy
import numpy as np
from bpy.types import Context, Object, Scene

from ...minds.declaring import StateModel, TriggerModel
from ...settings.fitting import BodiesToFit, fitted_length, rounded
from ...simulation.arrays.vectors import Vectors, magnitude
from ...simulation.declaration import Unit
from ...simulation.roles import MADE, Role
from ..objects.body_sizes import points_of
from ..objects.doubles import doubles
from ..objects.focus import wholes_selected
from ..objects.hierarchy import Family
from ..objects.identity import next_number, trigger_numbers
from ..objects.tagged_objects import crowd_of, in_use, tagged, vehicles_of
from ..properties import has_role, uses
from ..properties.own_settings import is_own
from ..property_groups import meaningful
from ..read.role_assignment import give_role
from ..read.sources import behaviors_of
from .behavior_adding import bodies_of
from .states import place_below

ROOM = 1.5
"""A target that is missed wherever it is, is missed at this many times its distance when the trigger is made."""


def new_trigger(context: Context, state: Object, when: str, caller: Object | None, *, one_each: bool = False) -> Object:
    """A new trigger that calls vehicles into a state, at what it watches for or else at the 3D cursor.

    Its distance fits the vehicles in the state. Where each thing calls one vehicle, it is at least the distance between
    the two farthest: one is sent wherever they are.
    """
    trigger = bpy.data.objects.new(f"{state.name} Trigger", None)
    trigger.empty_display_type = "SPHERE"
    place_below(trigger, crowd_of(state), context)
    give_role(trigger, Role.TRIGGER, Family())
    settings = trigger.steering
    settings.crowd = crowd_of(state)
    settings.trigger.to, settings.trigger.when = state, when
    settings.trigger.number = next_number(trigger_numbers(_other_triggers(trigger, context)))
    settings.trigger.one_each = one_each
    trigger.matrix_parent_inverse = crowd_of(state).matrix_world.inverted_safe()
    trigger.location = context.scene.cursor.location
    shown = meaningful(TriggerModel, settings.trigger)
    for name, parameter in TriggerModel.parameters().items():
        if name in shown and parameter.unit is Unit.LENGTH:
            setattr(settings.trigger, name, fitted_length(parameter, _bodies_in(state, context.scene)))
    behaviors = behaviors_of(state)
    for kind in behaviors:
        if "warning_time" in shown and kind.runs_from_caller:
            settings.trigger.warning_time = getattr(state.steering, kind.name).reaction_time
    if one_each and caller is not None and "distance" in shown:
        places = np.concatenate([_places(context.scene, crowd_of(state)), _places(context.scene, caller)])
        apart = float(magnitude((places.max(axis=0) - places.min(axis=0))[None])[0])
        settings.trigger.distance = max(settings.trigger.distance, rounded(ROOM * apart))
    if any(kind.comes_to_caller for kind in behaviors) and caller is not None and "distance" in shown:
        # A hunter goes for what there is, and a bird to its roof, however far it was put; it stays there, however far
        # from the origin of the roof that is.
        gap = _places(context.scene, caller)[:, None] - _places(context.scene, crowd_of(state))[None]
        needed = max(float(magnitude(gap.reshape(-1, 3)).min()), _furthest_part(context, caller))
        settings.trigger.distance = max(settings.trigger.distance, rounded(ROOM * needed))
    if caller is not None:
        settings.trigger.who = caller
        trigger.parent = caller
        trigger.matrix_parent_inverse.identity()
        trigger.location = (0.0, 0.0, 0.0)
        # Its sphere is drawn in metres, whatever the size of what carries it.
        trigger.scale = [1.0 / size if size else 1.0 for size in caller.matrix_world.to_scale()]
    return trigger


def fit_reach(state: Object, scene: Scene) -> None:
    """Fit the distance within which others carry a vehicle along: as far as it stays together with others.

    Where the crowd does not, it fits the vehicles as they are in the state.
    """
    crowd = crowd_of(state).steering
    fitted = fitted_length(StateModel.parameters()["reach"], _bodies_in(state, scene))
    state.steering.state.reach = fitted
    if uses(crowd_of(state), "cohesion"):
        state.steering.state.reach = crowd.cohesion.distance


def selected_callers(context: Context) -> list[Object]:
    """The selected objects that may call, the whole of a part: no crowds, states, triggers or marks."""
    return [ob for ob in wholes_selected(context) if not any(has_role(ob, role) for role in MADE)]


def _bodies_in(state: Object, scene: Scene) -> BodiesToFit:
    """The usual vehicle of a crowd as it moves in a state."""
    return bodies_of(crowd_of(state), scene, state if is_own(state, "vehicle") else None)


def _furthest_part(context: Context, caller: Object) -> float:
    """How far the furthest point of an object and its children is from its origin, metres."""
    points = points_of(caller, context.evaluated_depsgraph_get(), Family())
    return float(magnitude(np.einsum("ab,nb->na", doubles(caller.matrix_world)[:3, :3], points)).max())


def _places(scene: Scene, called: Object) -> Vectors:
    """Where the vehicles of a crowd, or of the crowd of a state, are; else where the object is; (n, 3) metres."""
    members = vehicles_of(crowd_of(called) if has_role(called, Role.STATE) else called, scene) or [called]
    return np.array([ob.matrix_world.translation for ob in members], dtype=np.float64)


def _other_triggers(trigger: Object, context: Context) -> set[Object]:
    """The triggers of the scene besides a new one."""
    # A scene does not list what was added to it a moment ago; the collection does.
    beside = (ob for collection in trigger.users_collection for ob in collection.objects)
    return {*tagged(in_use(context.scene), Role.TRIGGER), *tagged(beside, Role.TRIGGER)} - {trigger}
