"""The objects that the interface is about: what is active or selected, and the roles that it can have."""

from collections.abc import Iterable, Sequence
from itertools import islice

from bpy.types import Context, Object, ViewLayer

from ...simulation.roles import MADE, Role
from ..properties import has_role, pointed_at, pointed_in, settings_of
from ..property_groups import is_listed
from ..refusal import Refusal
from .body_sizes import SOLID
from .characters import bound_to
from .crowd_caches import crowd_of_player
from .tagged_objects import crowd_of

MOST_DRAWN = 200
"""Vehicles, and edge chains of a mesh, that the overlay draws at most."""
POINTED = ("MESH", "POINTCLOUD")
"""Types of objects of which each point may be a vehicle."""


def crowd_in_focus(context: Context) -> Object | None:
    """The active object if it is a crowd, or the crowd that it plays or belongs to: as a vehicle, part of one or state.

    A click on a character selects its skin, not the armature that moves it. In the Properties editor the object shown
    there counts as active: it may be pinned.
    """
    active = context.object
    if active is None:
        return None
    if has_role(active, Role.CROWD):
        return active
    if any(has_role(active, role) for role in (Role.STATE, Role.TRIGGER, Role.POINTS)):
        return crowd_of(active)
    if has_role(active, Role.MARK) and active.steering.is_property_set("mark"):
        active = pointed_at(active.steering.mark, "who")
        if active is not None and has_role(active, Role.CROWD):
            return active
    vehicle = None if active is None else vehicle_of(active)
    if vehicle is None:
        return None if active is None else crowd_of_player(active)
    return crowd_of(vehicle)


def whole_of(ob: Object) -> Object:
    """The object that a click on one means: the one itself if it has a role, or the vehicle or leader that it is a
    part of; without such a one itself."""
    stored = settings_of(ob)
    if stored is not None and stored.roles:
        return ob
    return _carrier_as(ob, (Role.VEHICLE, Role.LEADER)) or ob


def wholes_selected(context: Context) -> list[Object]:
    """The objects that the selected ones mean, as of `whole_of`, each once and by name."""
    return sorted(set(map(whole_of, context.selected_objects)), key=lambda ob: ob.name)


def vehicle_of(ob: Object) -> Object | None:
    """An object if it is a vehicle, or the vehicle that carries it: a click selects a part of that."""
    return _carrier_as(ob, (Role.VEHICLE,))


def _carrier_as(ob: Object, roles: Sequence[Role]) -> Object | None:
    """The nearest object with one of the roles among this one and what carries it: parents, the armature that deforms
    it, what a constraint ties it to."""
    line = [ob]
    # It grows while it is read.
    for part in line:
        if any(has_role(part, role) for role in roles):
            return part
        for above in (part.parent, part.find_armature(), bound_to(part)[0]):
            if above is not None and above not in line:
                line.append(above)
    return None


def vehicle_in_focus(context: Context) -> Object | None:
    """The active object if it is a vehicle, or the vehicle of which it is a part."""
    return None if context.object is None else vehicle_of(context.object)


def vehicles_selected(context: Context) -> list[Object]:
    """The vehicles that are selected, or of which a part is, each once."""
    return [ob for ob in dict.fromkeys(map(vehicle_of, context.selected_objects)) if ob is not None]


def drawn_vehicles(layer: ViewLayer, vehicles: Iterable[Object]) -> list[Object]:
    """The visible vehicles that are selected or whose crowd is, as far as the overlay draws them."""
    selected = [ob for ob in layer.objects.selected if ob is not None and settings_of(ob) is not None]
    crowds, individually = {ob for ob in selected if has_role(ob, Role.CROWD)}, set(selected)
    chosen = (
        ob
        for ob in (vehicles if crowds else [ob for ob in selected if has_role(ob, Role.VEHICLE)])
        if (ob in individually or pointed_at(ob.steering, "crowd") in crowds) and ob.visible_get(view_layer=layer)
    )
    return list(islice(chosen, MOST_DRAWN))


def state_in_focus(context: Context) -> Object | None:
    """The active object if it is a state, or the state into which it calls if it is a trigger."""
    active = context.object
    if active is None:
        return None
    if has_role(active, Role.STATE):
        return active
    if has_role(active, Role.TRIGGER):
        state = pointed_in(active, "trigger", "to")
        return state if state is not None and has_role(state, Role.STATE) else None
    return None


def holder_in_focus(context: Context) -> Object | None:
    """The object whose behaviors the interface shows: a state that is active, or else the crowd in focus."""
    active = context.object
    return active if active is not None and has_role(active, Role.STATE) else crowd_in_focus(context)


def activate(context: Context, *objects: Object) -> None:
    """Make new objects the only selected ones, and the first of them the active one."""
    for ob in select_only(context, objects)[:1]:
        context.view_layer.objects.active = ob


def selectable(objects: Iterable[Object]) -> list[Object]:
    """The objects, of some, that can be seen and selected."""
    return [ob for ob in objects if ob.visible_get() and not ob.hide_select]


def select_only(context: Context, objects: Iterable[Object]) -> list[Object]:
    """Select objects and no others; returns those that could be selected, as the view layer has them."""
    for ob in context.selected_objects:
        ob.select_set(False)
    listed = [ob for ob in objects if is_listed(ob, context.view_layer.objects)]
    for ob in listed:
        ob.select_set(True)
    return listed


def suits(ob: Object, role: Role) -> bool:
    """Whether the object can have the role: what plays a bake has none, as it goes with that."""
    if crowd_of_player(ob) is not None:
        return False
    if role is Role.PATH:
        return ob.type == "CURVE"
    is_place = ob.type == "EMPTY" and not any(has_role(ob, made) for made in MADE)
    if role is Role.LINK:
        return ob.type == "CURVE" or is_place
    if role is Role.SIGNAL:
        return is_place
    if role is Role.FLOW:
        return ob.type in ("CURVE", "MESH")
    if role is Role.SURFACE:
        return ob.type in SOLID and not (has_role(ob, Role.VEHICLE) or has_role(ob, Role.POINTS))
    if role is Role.POINTS:
        return ob.type in POINTED and not (has_role(ob, Role.VEHICLE) or has_role(ob, Role.SURFACE))
    if role is Role.CROWD:
        return ob.type == "EMPTY"
    if role in MADE:
        return False
    return role is not Role.VEHICLE or not any(has_role(ob, other) for other in (Role.CROWD, Role.SURFACE, Role.POINTS))


def check_editable(objects: list[Object]) -> None:
    """Check that the objects can be edited. Refused if one of them is linked."""
    for ob in objects:
        if ob.library is not None or not ob.is_editable:
            raise Refusal(f"{ob.name} is linked and cannot be edited. Make a library override of it.")
