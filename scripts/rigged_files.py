"""Opens files with rigged models, and finds the models in them."""

import contextlib
import io
import logging
from pathlib import Path

import bpy

from scripts.baked_scene import stored
from steering_addon.blender.objects.hierarchy import ancestors
from steering_addon.simulation.roles import Role


def opened(file: Path) -> list[tuple[bpy.types.Object, bpy.types.Object]]:
    """The armatures of a file that is opened or imported, each with the object that carries it. Raises SystemExit if
    the file is of a type that is not known."""
    if file.suffix == ".blend":
        bpy.ops.wm.open_mainfile(filepath=str(file))
    else:
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        import_quietly(file)
    bpy.context.view_layer.update()
    armatures = sorted((ob for ob in bpy.context.scene.objects if ob.type == "ARMATURE"), key=lambda ob: ob.name)
    return [(armature, _carrier(armature)) for armature in armatures]


def _carrier(armature: bpy.types.Object) -> bpy.types.Object:
    """The vehicle of which an armature is a part; without one, the topmost of the Empties that importers put above it.

    An Empty with several armatures is none of these.
    """
    above = [armature, *ancestors(armature)]
    for ob in above:
        if stored(ob).get("roles", 0) & Role.VEHICLE:
            return ob
    for ob, carried in zip(above[1:], above):
        if ob.type != "EMPTY" or [part.type for part in ob.children_recursive].count("ARMATURE") > 1:
            return carried
    return above[-1]


def import_quietly(file: Path, **options: object) -> None:
    """Import a file with Blender's own importer, without what that prints."""
    logging.disable(logging.INFO)
    with contextlib.redirect_stdout(io.StringIO()):
        if file.suffix in (".glb", ".gltf"):
            bpy.ops.preferences.addon_enable(module="io_scene_gltf2")
            bpy.ops.import_scene.gltf(filepath=str(file), **options)
        elif file.suffix == ".fbx":
            bpy.ops.preferences.addon_enable(module="io_scene_fbx")
            bpy.ops.import_scene.fbx(filepath=str(file), **options)
        else:
            raise SystemExit(f"{file.name} is none of .blend, .glb, .gltf and .fbx.")
