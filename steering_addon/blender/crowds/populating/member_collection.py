"""The collection that holds the members of a crowd."""

import bpy
from bpy.types import Collection, Context, LayerCollection, Object, Scene


def own_collection(crowd: Object | None, scene: Scene) -> Collection | None:
    """The collection of a crowd's members; None if the crowd has none of its own in the scene.

    The collection points at the crowd, not the other way round: Blender evaluates everything that the settings of an
    object point at, so a bake that reads the crowd would evaluate all its members, rigs included, on every frame.
    """
    if crowd is None:
        return None
    collections = (c for c in scene.collection.children_recursive if c.library is None and c.steering_crowd == crowd)
    return next(collections, None)


def collection_for(context: Context, crowd: Object) -> Collection:
    """The collection of a crowd's members; it is created beside the crowd if needed."""
    collection = own_collection(crowd, context.scene)
    if collection is None:
        collection = bpy.data.collections.new(f"{crowd.name} Members")
        layer = context.view_layer.layer_collection
        parents = [c for c in crowd.users_collection if c.library is None and shows(layer, c)]
        (parents[0] if parents else context.scene.collection).children.link(collection)
        collection.steering_crowd = crowd
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
