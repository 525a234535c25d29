"""The operator that writes baked crowds into a USD file, as points that show a few meshes."""

from collections.abc import Iterator
from pathlib import Path

import bpy
from bpy.props import StringProperty
from bpy.types import Context, Object

from ...simulation.roles import Role
from ..animation.ownership import bake_of
from ..objects.crowd_caches import cache_of, cached_as, is_picked
from ..objects.hierarchy import Family
from ..objects.tagged_objects import crowds_of, in_use, tagged
from ..refusal import Refusal
from ..write.usd_points import (
    CrowdPoints,
    cached_points,
    check_has_usd,
    check_rigid,
    keyed_points,
    matrices_of,
    models_made,
    write_points,
)
from .polls import SteeringOperator, in_object_mode, something_baked


class STEERING_OT_export_usd(SteeringOperator, bpy.types.Operator):
    """Write the baked crowds into a USD file, each as points that show a few meshes: for those that are too large for
    Blender's own export"""

    bl_label = "Crowds as USD Points"
    bl_options = {"REGISTER"}
    needs = (in_object_mode, something_baked)

    filepath: StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE"})
    filter_glob: StringProperty(default="*.usd;*.usdc;*.usda", options={"HIDDEN"})

    def invoke(self, context, _event):
        if not self.filepath:
            self.filepath = f"{Path(bpy.data.filepath).stem or 'crowds'}.usdc"
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def carry_out(self, context):
        check_has_usd()
        path = Path(bpy.path.abspath(self.filepath))
        if path.suffix.lower() not in (".usd", ".usdc", ".usda"):
            path = path.with_name(f"{path.name}.usdc")
        cached, keyed = _crowds(context)
        crowds = [cached_points(cache_of(crowd), crowd) for crowd in cached]
        scene, layer = context.scene, context.view_layer
        try:
            with models_made(list(keyed.values()), scene, layer) as meshes:
                crowds += _keyed_points(context, keyed, meshes)
                write_points(path, crowds, scene.render.fps / scene.render.fps_base)
        except OSError as problem:
            raise Refusal(f"{path} cannot be written: {problem}. Choose another place.") from problem
        members, models = sum(len(crowd.identity) for crowd in crowds), sum(len(crowd.meshes) for crowd in crowds)
        return f"Wrote {members} members by {models} meshes to {path.name}"


def _crowds(context: Context) -> tuple[list[Object], dict[Object, list[Object]]]:
    """The crowds of the scene that play from a cache, and the keyed vehicles of the others that are baked.

    Objects that stand for a few agents are left to Blender's own export, which has their poses. Refused if there are
    none, or keyed vehicles have poses.
    """
    keyed: dict[Object, list[Object]] = {}
    vehicles = tagged(in_use(context.scene), Role.VEHICLE)
    for ob, crowd in zip(vehicles, crowds_of(vehicles)):
        if crowd is not None and cached_as(ob) is None and not is_picked(ob) and bake_of(ob) is not None:
            keyed.setdefault(crowd, []).append(ob)
    family = Family()
    for crowd, vehicles in keyed.items():
        check_rigid(crowd, vehicles, family)
    cached = [ob for ob in tagged(in_use(context.scene), Role.CROWD) if cache_of(ob) is not None]
    if not cached and not keyed:
        raise Refusal("No crowd of this scene is baked. Bake first.")
    return cached, keyed


def _keyed_points(context: Context, keyed: dict[Object, list[Object]], meshes: list) -> Iterator[CrowdPoints]:
    """The points of keyed crowds, while the pointer shows how much of the scene is played."""
    vehicles = [ob for members in keyed.values() for ob in members]
    if not vehicles:
        return
    records = [bake_of(ob) for ob in vehicles]
    first, last = int(min(record.first for record in records)), int(max(record.last for record in records))
    manager, work = context.window_manager, matrices_of(vehicles, context.scene, first, last)
    manager.progress_begin(0, 100)
    try:
        while True:
            manager.progress_update(int(100 * next(work)))
    except StopIteration as stop:
        matrices, away = stop.value
    finally:
        work.close()
        manager.progress_end()
    end = 0
    for (crowd, members), models in zip(keyed.items(), meshes):
        columns = slice(end, end := end + len(members))
        yield keyed_points(crowd, members, first, matrices[:, columns], away[:, columns], models)


def show_in_menu(self, _context) -> None:
    self.layout.operator_context = "INVOKE_DEFAULT"
    self.layout.operator(STEERING_OT_export_usd.bl_idname)


ENTRIES = {"TOPBAR_MT_file_export": show_in_menu}
