"""Makes the points of objects vehicles: the crowd they join, and the first settings of a new crowd."""

import random
from collections.abc import Sequence

import numpy as np
from bpy.types import Context, Object

from ...simulation.roles import Role
from ..objects.hierarchy import Family
from ..objects.identity import new_identity, taken_identities
from ..objects.tagged_objects import crowd_of, in_use
from ..properties import has_role
from ..read.evaluated_points import evaluated_points
from ..read.role_assignment import default_crowd, give_role, new_crowd
from ..stored_values import FARTHEST, check_stored
from .joining import Joined, selected_crowd
from .moves_like import UNCHANGED, Likeness, bring_to_life, fitting, is_settled


def join_points(context: Context, objects: Sequence[Object], like: Likeness, *, apart: bool = False) -> Joined:
    """Make each point of some objects a vehicle of a crowd, which is chosen as in `joining.join`.

    Args:
        like: gives a crowd without settings its own.
        apart: whether to create a new crowd if none is selected.

    Raises:
        Refusal: the preset cannot be read, or an object has an invalid setting; nothing is changed.
    """
    chosen = selected_crowd(context)
    accepted = set(in_use(context.scene)) if chosen is None else {chosen}
    objects = [ob for ob in objects if not (has_role(ob, Role.POINTS) and crowd_of(ob) in accepted)]
    if not objects:
        return Joined()
    crowd = chosen or (None if apart else default_crowd(context))
    check_stored([*objects, *([crowd] if crowd is not None else [])])
    preset = None if like is UNCHANGED or (crowd is not None and is_settled(crowd)) else fitting(like, 0.0)
    places = _places(context, objects)
    crowd = crowd or new_crowd(context, like.crowd)
    taken, chance = taken_identities(set(objects)), random.Random(0)
    for ob in sorted(objects, key=lambda ob: ob.name):
        if ob.steering.identity in taken:
            ob.steering.identity = new_identity(taken, chance)
        taken.add(ob.steering.identity)
        give_role(ob, Role.POINTS, Family())
        ob.steering.crowd = crowd
    warnings = [] if preset is None else bring_to_life(context, crowd, (), preset, places=places)
    # Blender updates dependencies only after an edit in the interface.
    for ob in (crowd, *objects):
        ob.update_tag()
    return Joined(objects, crowd, preset, warnings)


def _places(context: Context, objects: Sequence[Object]) -> np.ndarray:
    """Where the points of objects are, (n, 3) metres; of objects without any, where these are."""
    depsgraph = context.evaluated_depsgraph_get()
    places = []
    for ob in objects:
        points = evaluated_points(ob, depsgraph)
        own = points.columns["position"] if len(points) else np.zeros((1, 3))
        places.append(np.einsum("ab,nb->na", points.to_world[:3, :3], own) + points.to_world[:3, 3])
    found = np.concatenate(places)
    found = found[(np.abs(found) < FARTHEST).all(axis=1)]
    return found if len(found) else np.zeros((1, 3))
