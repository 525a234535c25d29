"""Vehicles at rest while a crowd cache plays, in collections that view layers exclude: nothing evaluates them."""

from collections.abc import Iterable, Iterator, Set

import bpy
from bpy.types import Collection, LayerCollection, Object, Scene

RESTS = "steering_rests"
"""The custom property of a collection of vehicles at rest: the names of those that view layers hide, by layer."""


def resting(scene: Scene) -> Iterator[Collection]:
    """The collections of a scene that hold vehicles at rest."""
    return (each for each in scene.collection.children_recursive if RESTS in each)


def put_to_rest(objects: Set[Object], scene: Scene) -> None:
    """Move objects from each collection of a scene that holds them to one below it that no view layer shows."""
    hidden = {
        layer.name: {ob.name for ob in layer.objects if ob in objects and ob.hide_get(view_layer=layer)}
        for layer in scene.view_layers
    }
    made = []
    for collection in (scene.collection, *scene.collection.children_recursive):
        if RESTS in collection or collection.library is not None:
            continue
        # Asking each object for its collections would take as long as all of them have objects.
        here = [ob for ob in collection.objects if ob in objects]
        if not here:
            continue
        rest = next((each for each in collection.children if RESTS in each), None)
        if rest is None:
            rest = bpy.data.collections.new(f"{collection.name} at Rest")
            rest[RESTS] = {}
            collection.children.link(rest)
        _move(here, collection, rest)
        names = {ob.name for ob in here}
        for layer, covered in hidden.items():
            rest[RESTS][layer] = sorted({*rest[RESTS].get(layer, ()), *(covered & names)})
        made.append(rest)
    exclude(scene, made)


def wake(objects: Set[Object]) -> None:
    """Move objects back from where they rest, hidden as they were."""
    for scene in bpy.data.scenes:
        for rest in list(resting(scene)):
            here = [ob for ob in rest.objects if ob in objects]
            above = next(
                (
                    each
                    for each in (scene.collection, *scene.collection.children_recursive)
                    if rest.name in each.children
                ),
                None,
            )
            if not here or above is None:
                continue
            _move(here, rest, above)
            covered = {layer: set(names) for layer, names in rest[RESTS].items()}
            if not rest.objects:
                bpy.data.collections.remove(rest)
            _hide(here, covered, scene)


def _move(objects: Iterable[Object], collection: Collection, to: Collection) -> None:
    # Blender looks through all of a collection for a name.
    there = set(to.objects)
    for ob in objects:
        if ob not in there:
            to.objects.link(ob)
        collection.objects.unlink(ob)


def _hide(objects: Iterable[Object], covered: dict[str, set[str]], scene: Scene) -> None:
    """Hide those of the objects that view layers did, by the names of both."""
    for layer in scene.view_layers:
        again = [ob for ob in objects if ob.name in covered.get(layer.name, ())]
        if again:
            layer.update()
            for ob in again:
                ob.hide_set(True, view_layer=layer)


def exclude(scene: Scene, collections: Iterable[Collection]) -> None:
    """Exclude collections from all view layers of a scene."""
    wanted = set(collections)
    for layer in scene.view_layers if wanted else ():
        _exclude(layer.layer_collection, wanted)


def _exclude(layer: LayerCollection, collections: Set[Collection]) -> None:
    if layer.collection in collections:
        layer.exclude = True
    for child in layer.children:
        _exclude(child, collections)
