"""The objects of a scene that take part, by role and by crowd.

Vehicles rest while a crowd cache plays, in collections that view layers exclude: nothing evaluates them.
"""

from collections.abc import Iterable, Iterator, Sequence, Set

import bpy
from bpy.types import Collection, LayerCollection, Object, Scene

from ...simulation.roles import OF_MEMBERS, Role
from ..properties import has_role, has_roles, pointed_at, settings_of

MOST_NAMES = 5
"""The usual largest number of objects named in a message."""
RESTS = "steering_rests"
"""The custom property of a collection of vehicles at rest: the names of those that view layers hide, by layer."""


def in_use(scene: Scene) -> list[Object]:
    """The objects in any view layer of the scene, and those at rest while a crowd cache plays, by name. Objects of
    other excluded collections are not in use."""
    by_name: dict[str, Object] = {}
    for holder in (*scene.view_layers, *resting(scene)):
        for ob in holder.objects:
            # A removed object is listed as None until the layer is updated.
            if ob is not None:
                by_name[full_name(ob)] = ob
    return [by_name[name] for name in sorted(by_name)]


def tagged(objects: Iterable[Object], role: Role) -> list[Object]:
    """The objects that have a role."""
    name = role.name
    # As `has_role`, in one expression: operators ask this of all objects of a scene several times.
    return [ob for ob in objects if ob.is_property_set("steering") and name in ob.steering.roles]


def members_in(objects: Iterable[Object]) -> list[Object]:
    """The objects that are a vehicle, or of which each point is one."""
    objects = list(objects)
    return [ob for role in OF_MEMBERS for ob in tagged(objects, role)]


def by_role(objects: Iterable[Object]) -> dict[Role, list[Object]]:
    """The objects by role, with one look at each object."""
    objects_by_role: dict[Role, list[Object]] = {role: [] for role in Role}
    for ob in objects:
        stored = settings_of(ob)
        for name in stored.roles if stored is not None else ():
            objects_by_role[Role[name]].append(ob)
    return objects_by_role


def full_name(ob: Object) -> str:
    """A name that distinguishes objects of several libraries, wherever these and the file are."""
    name: str = ob.name_full
    return name


def set_aside(scene: Scene, objects: Sequence[Object]) -> list[Object]:
    """The tagged objects of a scene that are not in use, as its view layers exclude their collections; `objects`: in
    use."""
    if len(scene.objects) == len(objects):
        return []
    used = set(objects)
    return [ob for ob in scene.objects if has_roles(ob) and ob not in used]


def why_outside(ob: Object, scene: Scene) -> str:
    """Why an object that is pointed at is not in use, and the remedy, to follow its name; without final stop."""
    if scene in ob.users_scene:
        return "is in no view layer of this scene. Enable its collection in the Outliner, or choose another object"
    if ob.users_scene:
        return f"is in another scene, {ob.users_scene[0].name}. Link it to this one, or choose another object"
    return "is no longer in the scene. Choose another object"


def object_named(name: str) -> Object | None:
    """The object of the file with a full name."""
    ob = bpy.data.objects.get((name, None))
    return ob if ob is not None else next((ob for ob in bpy.data.objects if full_name(ob) == name), None)


def called(objects: Iterable[Object], name: str) -> Object | None:
    """The object among some that a user calls by a name: its full name, else the first that bears it in its file."""
    objects = list(objects)
    by_own_name = next((ob for ob in objects if ob.name == name), None)
    return next((ob for ob in objects if full_name(ob) == name), by_own_name)


def crowd_of(ob: Object) -> Object | None:
    """The crowd a vehicle belongs to; None if that no longer exists or is not a crowd."""
    crowd = pointed_at(ob.steering, "crowd")
    return crowd if crowd is not None and has_role(crowd, Role.CROWD) else None


def crowds_of(vehicles: Iterable[Object]) -> list[Object | None]:
    """The crowd of each vehicle, as `crowd_of`, with one look at each crowd."""
    is_crowd: dict[Object, bool] = {}
    crowds: list[Object | None] = []
    for ob in vehicles:
        crowd = pointed_at(ob.steering, "crowd")
        if crowd is not None and crowd not in is_crowd:
            is_crowd[crowd] = has_role(crowd, Role.CROWD)
        crowds.append(crowd if crowd is not None and is_crowd[crowd] else None)
    return crowds


def capsule_of(ob: Object) -> tuple[float, float]:
    """The radius and the length of a vehicle of a crowd, metres; the length of a sphere is 0."""
    model, settings = crowd_of(ob).steering.vehicle, ob.steering
    return model.radius * settings.size_factor, model.length * settings.size_factor * settings.length_factor


def height_of(ob: Object) -> float:
    """The height of a vehicle in metres with its current scale; 0 if it was not measured."""
    return ob.steering.height * ob.matrix_world.to_3x3().col["XYZ".index(ob.steering.up_axis[-1])].length


def vehicles_of(crowd: Object | None, scene: Scene) -> list[Object]:
    """The vehicles of a crowd in a scene that are objects."""
    return [ob for ob in tagged(in_use(scene), Role.VEHICLE) if crowd_of(ob) == crowd]


def list_names(names: Sequence[str], limit: int = MOST_NAMES) -> str:
    """Up to the largest number of names, and how many more there are."""
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more


def names_of(names: Sequence[str], number: int | None = None) -> str:
    """The first of some names, and how many more there are; both of two. `number`: of all names, if only the first two
    are given."""
    number = len(names) if number is None else number
    if number < 3:
        return " and ".join(names)
    return f"{names[0]} and {number - 1} more"


def resting(scene: Scene) -> Iterator[Collection]:
    """The collections of a scene that hold vehicles at rest."""
    return (collection for collection in scene.collection.children_recursive if RESTS in collection)


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
        moving = [ob for ob in collection.objects if ob in objects]
        if not moving:
            continue
        resting_place = next((child for child in collection.children if RESTS in child), None)
        if resting_place is None:
            resting_place = bpy.data.collections.new(f"{collection.name} at Rest")
            resting_place[RESTS] = {}
            collection.children.link(resting_place)
        _move(moving, collection, resting_place)
        names = {ob.name for ob in moving}
        for layer, covered in hidden.items():
            resting_place[RESTS][layer] = sorted({*resting_place[RESTS].get(layer, ()), *(covered & names)})
        made.append(resting_place)
    exclude(scene, made)


def wake(objects: Set[Object]) -> None:
    """Move objects back from where they rest, hidden as they were."""
    for scene in bpy.data.scenes:
        for resting_place in list(resting(scene)):
            moving = [ob for ob in resting_place.objects if ob in objects]
            above = next(
                (
                    collection
                    for collection in (scene.collection, *scene.collection.children_recursive)
                    if resting_place.name in collection.children
                ),
                None,
            )
            if not moving or above is None:
                continue
            _move(moving, resting_place, above)
            covered = {layer: set(names) for layer, names in resting_place[RESTS].items()}
            if not resting_place.objects:
                bpy.data.collections.remove(resting_place)
            _hide(moving, covered, scene)


def _move(objects: Iterable[Object], collection: Collection, to: Collection) -> None:
    # Blender looks through all of a collection for a name.
    present = set(to.objects)
    for ob in objects:
        if ob not in present:
            to.objects.link(ob)
        collection.objects.unlink(ob)


def _hide(objects: Iterable[Object], covered: dict[str, set[str]], scene: Scene) -> None:
    """Hide those of the objects that view layers did, by the names of both."""
    for layer in scene.view_layers:
        hidden = [ob for ob in objects if ob.name in covered.get(layer.name, ())]
        if hidden:
            layer.update()
            for ob in hidden:
                ob.hide_set(True, view_layer=layer)


def exclude(scene: Scene, collections: Iterable[Collection]) -> None:
    """Exclude collections from all view layers of a scene."""
    chosen = set(collections)
    for layer in scene.view_layers if chosen else ():
        _exclude(layer.layer_collection, chosen)


def _exclude(layer: LayerCollection, collections: Set[Collection]) -> None:
    if layer.collection in collections:
        layer.exclude = True
    for child in layer.children:
        _exclude(child, collections)
