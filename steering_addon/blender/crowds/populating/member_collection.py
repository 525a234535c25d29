"""The collection that holds the members of a crowd."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ....simulation.roles import Role
from ...properties import has_role
from .members import members_of

if TYPE_CHECKING:
    from bpy.types import Collection, Context, LayerCollection, Object, Scene


def own_collection(crowd: Object | None, scene: Scene) -> Collection | None:
    """The collection of a crowd's members; None if the crowd has none of its own in the scene."""
    collection = _stored(crowd) if crowd is not None else None
    if collection is None or collection.library is not None or collection not in scene.collection.children_recursive:
        return None
    # A copy of a crowd still points at the collection of the original.
    shared = any(_stored(ob) == collection for ob in scene.objects if ob != crowd and has_role(ob, Role.CROWD))
    return None if shared and not members_of(crowd, scene) else collection


def collection_for(context: Context, crowd: Object) -> Collection:
    """The collection of a crowd's members; it is created beside the crowd if needed."""
    collection = own_collection(crowd, context.scene)
    if collection is None:
        collection = bpy.data.collections.new(f"{crowd.name} Members")
        layer = context.view_layer.layer_collection
        parents = [c for c in crowd.users_collection if c.library is None and shows(layer, c)]
        (parents[0] if parents else context.scene.collection).children.link(collection)
    return collection


def shown_collection(context: Context, member: Object) -> Collection:
    """The collection of a member to link its crowd to: one that can be edited and is not excluded."""
    layer = context.view_layer.layer_collection
    shown = [c for c in member.users_collection if c.library is None and c.is_editable and shows(layer, c)]
    return shown[0] if shown else context.scene.collection


def shows(layer: LayerCollection, collection: Collection) -> bool:
    """Whether a collection is below a layer and not excluded."""
    if layer.exclude:
        return False
    return layer.collection == collection or any(shows(child, collection) for child in layer.children)


def _stored(crowd: Object) -> Collection | None:
    return crowd.steering.populate.collection if crowd.steering.is_property_set("populate") else None
