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
        collection_beside(context, crowd).children.link(collection)
        collection.steering_crowd = crowd
    return collection


def fitting_collections(context: Context, ob: Object) -> list[Collection]:
    """The collections in which an object is shown and to which others can be added, so no linked or overridden ones."""
    layer = context.view_layer.layer_collection
    local = (each for each in ob.users_collection if each.library is None and each.override_library is None)
    return [each for each in local if shows(layer, each)]


def collection_beside(context: Context, ob: Object) -> Collection:
    """The collection for something beside an object: the first that fits, or else that of the scene."""
    return next(iter(fitting_collections(context, ob)), context.scene.collection)


def shows(layer: LayerCollection, collection: Collection) -> bool:
    """Whether a collection is below a layer and not excluded."""
    if layer.exclude:
        return False
    return layer.collection == collection or any(shows(child, collection) for child in layer.children)
