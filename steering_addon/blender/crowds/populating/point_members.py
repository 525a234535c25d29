"""Members that are points of one mesh, and the collection of the models that they show.

Each model has a collection of its own in it, where it stands at the origin. View layers exclude them all.
"""

import random
from collections.abc import Iterable, Mapping, Sequence

import bpy
import numpy as np
from bpy.types import Collection, Context, Object
from mathutils import Matrix

from ....settings.population import factors
from ....simulation.arrays.chance import keys_of
from ....simulation.arrays.identities import rows_among
from ....simulation.arrays.vectors import cross
from ....simulation.roles import Role
from ...animation.posing import let_go
from ...animation.rotation_channels import channels_from_matrices
from ...objects.doubles import axes_of_model
from ...objects.hierarchy import roots
from ...objects.identity import new_identity, taken_identities
from ...objects.tagged_objects import crowd_of, exclude, in_use
from ...properties import has_role, pointed_at
from ...read.evaluated_points import evaluated_points
from ...refusal import Front
from ..crowd_cache import delete_caches
from ..member_variation import VARIED
from ..shown_models import add_column, point_mesh, show_models
from .members import collection_for
from .models import MemberModel, detach

OURS = "steering_models"
"""The custom property of a collection of models that Populate made."""


def add_points(
    context: Context,
    crowd: Object,
    models: Collection,
    identities: np.ndarray,
    position: np.ndarray,
    forward: np.ndarray,
    up: np.ndarray,
    scale: np.ndarray,
    variant: np.ndarray,
    settings: Mapping[str, np.ndarray],
    collection: Collection | None = None,
) -> Object:
    """An object whose points are the members of a crowd, in place of earlier ones.

    Args:
        models: as `models_of` makes it.
        identities: (n,)
        position, forward, up: (n, 3) metres and unit vectors.
        scale, variant: (n,) the factor by which each is larger than its model, and the number of that.
        settings: (n,) the settings of members that differ, by name.
        collection: where to link it, by default that of the members.
    """
    remove_points(crowd, context, keep=models)
    fronts = [axes_of_model(ob) for ob in roots(models)]
    axes = np.array(fronts).reshape(-1, 3, 3)[variant]
    basis = np.stack((cross(forward, up), forward, up), axis=-1)
    turns = channels_from_matrices(np.einsum("nab,ncb->nac", basis, axes), "QUATERNION")
    mesh = point_mesh(f"{crowd.name} Points", position, turns, scale, variant)
    add_column(mesh, "id", "INT", identities)
    for name, values in settings.items():
        add_column(mesh, name, "FLOAT", values)
    ob = bpy.data.objects.new(f"{crowd.name} Points", mesh)
    (collection or collection_for(context, crowd)).objects.link(ob)
    stored = ob.steering
    stored.roles, stored.crowd, stored.models = {Role.POINTS.name}, crowd, models
    stored.identity = new_identity(taken_identities(), random.Random(crowd.steering.identity))
    # By which it is known as made by Populate.
    stored.member.number = len(identities)
    show_models(ob, models, 2.0 * crowd.steering.vehicle.radius)
    context.view_layer.update()
    return ob


USUAL = {"speed_factor": 1.0, "mass_factor": 1.0, "start_speed": 0.7}
"""The settings of members that vary besides their size, as they are without."""


def varied_settings(identities: np.ndarray, seed: int, amounts: Mapping[str, float]) -> dict[str, np.ndarray]:
    """The settings of members as Vary gives them to objects, (n,) each, without sizes."""
    keys = keys_of(seed, identities)
    return {
        VARIED[amount]: USUAL[VARIED[amount]] * factors(keys, amount, share)
        for amount, share in amounts.items()
        if VARIED.get(amount) in USUAL and share
    }


def known_settings(
    crowd: Object, context: Context, objects: Sequence[Object], identities: np.ndarray
) -> dict[str, np.ndarray]:
    """The varying settings of members, (n,) each, that these objects or the points of the crowd have so far."""
    numbers = np.array([ob.steering.identity for ob in objects], dtype=np.int64)
    of_objects = {name: np.array([getattr(ob.steering, name) for ob in objects]) for name in USUAL}
    known = {name: np.full(len(identities), usual) for name, usual in USUAL.items()}
    former = [evaluated_points(ob, None).columns for ob in points_of(crowd, in_use(context.scene))]
    for columns in (
        {"id": numbers, **of_objects},
        *(known_columns for known_columns in former if "id" in known_columns),
    ):
        row = rows_among(columns["id"], identities)
        for name in USUAL.keys() & columns.keys():
            known[name][row >= 0] = columns[name][row[row >= 0]]
    return {name: values for name, values in known.items() if (values != USUAL[name]).any()}


def points_of(crowd: Object, objects: Iterable[Object]) -> list[Object]:
    """The objects with points that Populate made for a crowd."""
    return [
        ob
        for ob in objects
        if has_role(ob, Role.POINTS) and crowd_of(ob) == crowd and ob.steering.is_property_set("member")
    ]


def remove_points(crowd: Object, context: Context, keep: Collection | None = None) -> None:
    """Remove the points that Populate made for a crowd, with their models unless those are to `keep`."""
    for ob in points_of(crowd, in_use(context.scene)):
        delete_caches([ob], lambda _: ())
        models = pointed_at(ob.steering, "models")
        trees = [modifier.node_group for modifier in ob.modifiers if modifier.type == "NODES"]
        mesh = ob.data
        bpy.data.objects.remove(ob)
        bpy.data.batch_remove([block for block in (mesh, *trees) if block is not None and not block.users])
        if models is not None and models != keep and OURS in models:
            collections = list(models.children)
            bpy.data.batch_remove([part for collection in collections for part in collection.objects])
            bpy.data.batch_remove([*collections, models])


def models_of(context: Context, crowd: Object, parent: Collection) -> Collection:
    """A new collection for the models that the points of a crowd show, below another one."""
    models = bpy.data.collections.new(f"{crowd.name} Models")
    models[OURS] = True
    parent.children.link(models)
    exclude(context.scene, [models])
    return models


def add_model(models: Collection, model: MemberModel, front: Front, scale: Sequence[float]) -> list[Object]:
    """Add a copy of a model, which has this front, to the models of points; returns its parts."""
    # By their names, collections and models are in the same order.
    name = f"{len(models.children):03} {model.names[0]}".strip()
    collection = bpy.data.collections.new(name)
    models.children.link(collection)
    copies = model.copied_as([name, *model.names[1:]], collection)
    detach(copies)
    let_go(copies[0])
    copies[0].matrix_basis = Matrix()
    copies[0].scale = scale
    copies[0].steering.forward_axis, copies[0].steering.up_axis = front
    return copies
