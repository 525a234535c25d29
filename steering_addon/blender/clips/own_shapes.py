"""Meshes of their own for members of a crowd whose clips play shape keys.

Shape keys belong to a mesh, and members share that of their model, so that all would have one pose. For the time of a
bake they get copies of it, which a custom property marks as ours. The mesh of the model is never changed.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

import bpy
from bpy.types import Action, Armature, Key, Mesh, Object
from bpy.utils import unescape_identifier

from ..animation.animation_data import posed_block
from ..objects.drivers import drivers_of
from ..refusal import Refusal
from .clip_copies import Channel
from .clip_strips import Edited, clear_clips

SOURCE = "steering_shapes_of"
"""The custom property of a copy of a mesh that a bake made: the mesh of the model. Stored in files: never changes."""


def source_of(data: Armature | Mesh) -> Armature | Mesh:
    """The mesh that a mesh is a copy of, made by a bake; the data itself if it is not."""
    source = data.get(SOURCE)
    return source if isinstance(source, bpy.types.Mesh) else data


def has_own_shapes(ob: Object) -> bool:
    """Whether an object shows a copy of its mesh that a bake has made."""
    return ob.type == "MESH" and source_of(ob.data) != ob.data


def give_own_shapes(meshes: Sequence[Object], leaders: Sequence[int]) -> None:
    """Give the leaders among the objects of a model copies of their mesh, which the others share; `leaders`: of each
    object, the row of the one whose copy it gets."""
    for row in sorted(set(leaders)):
        ob = meshes[row]
        # One with strips that were edited stays.
        if not has_own_shapes(ob):
            copy = ob.data.copy()
            copy.name, copy[SOURCE] = f"{ob.data.name} (crowd)", ob.data
            ob.data = copy
    for ob, row in zip(meshes, leaders):
        if ob.data != meshes[row].data:
            ob.data = meshes[row].data


def clear_players(objects: Iterable[Object], keep: Collection[Action] = ()) -> list[Edited]:
    """Remove the strips of clips from what plays these, and the copies of meshes that nothing else shows.

    Arguments and result as for `clear_clips`. Objects whose strips stay keep their copy.
    """
    objects = list(dict.fromkeys(objects))
    shown = Counter(ob.data for ob in objects if has_own_shapes(ob))
    # Others, such as vehicles that are locked, may share the copy.
    edited = clear_clips([ob for ob in objects if ob.data not in shown or ob.data.users == shown[ob.data]], keep)
    take_own_shapes(objects, {each.rig for each in edited})
    return edited


def take_own_shapes(objects: Iterable[Object], stay: Collection[Object | Key] = ()) -> None:
    """Give objects the mesh of their model back, and remove the copies that nothing else shows.

    Those with shape keys that `stay` are left as they are.
    """
    copies = {}
    for ob in objects:
        if has_own_shapes(ob) and ob.data.shape_keys not in stay:
            copies[ob.data] = None
            ob.data = source_of(ob.data)
    bpy.data.batch_remove([mesh for mesh in copies if not mesh.users])


def check_shapes_play(mesh: Object, channels: Sequence[Channel]) -> None:
    """Refuse a mesh whose shape keys do not show what strips play on these channels."""
    if mesh.show_only_shape_key:
        text = f"{mesh.name} shows its active shape key only, and none of its clips"
        raise Refusal(f"{text}. Turn off the pin of its shape keys.", about=[mesh])
    paths = {path for path, _ in channels}
    driven = (curve for curve in drivers_of(posed_block(mesh)) if not curve.mute)
    if (curve := next((curve for curve in driven if curve.data_path in paths), None)) is not None:
        name = unescape_identifier(curve.data_path.partition('["')[2].rpartition('"]')[0])
        text = f"{mesh.name} has a driver on the shape key {name}, which its clips play"
        raise Refusal(f"{text}. Remove the driver, or the clips.", about=[mesh])
