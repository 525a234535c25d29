"""A library file from which odd scenes link objects, with and without overrides."""

from pathlib import Path
from random import Random

import bpy

from tests.blender.building import path_curve, wedge
from tests.blender.steered import select

from .extension import blank_file

NAMES = ("Library Body", "Library Vehicle", "Library Path")


def make_library(path: Path) -> None:
    """Write the library: an untagged object, a vehicle with a key, and a curve."""
    blank_file()
    wedge(NAMES[0])
    vehicle = wedge(NAMES[1])
    path_curve(NAMES[2])
    select(vehicle)
    bpy.ops.steering.tag(role="VEHICLE", moves_like="ANYTHING")
    vehicle.keyframe_insert("location", frame=-100)
    bpy.ops.wm.save_as_mainfile(filepath=str(path), check_existing=False)
    blank_file()


def linked_object(path: Path, chance: Random) -> bpy.types.Object:
    """Link an object of the library into the scene; mostly with an override."""
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        wanted.objects = [chance.choice(NAMES)]
    ob = wanted.objects[0]
    _show(ob)
    if chance.random() < 0.6:
        overridden = ob.override_create(remap_local_usages=True)
        if overridden is not None:
            _show(overridden)
            return overridden
    return ob


def _show(ob: bpy.types.Object) -> None:
    objects = bpy.context.scene.collection.objects
    if ob.name_full not in {each.name_full for each in objects}:
        objects.link(ob)
