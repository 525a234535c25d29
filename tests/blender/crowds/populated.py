"""Crowds that Populate has filled, and what to fill them with."""

import bpy
import numpy as np

from tests.blender.animated import drive
from tests.blender.building import armature, meshed, put, wedge
from tests.blender.steered import select
from tests.blender.walkers import box


def populate(*, moves_like: str = "UNCHANGED", **settings):
    """Populate without a preset; returns the crowd."""
    assert bpy.ops.steering.populate(moves_like=moves_like, **settings) == {"FINISHED"}
    return bpy.context.view_layer.objects.active


def populate_after(*models, **settings):
    """Populate with these selected, by one member unless another count is given."""
    select(*models)
    return populate(**{"count": 1, **settings})


def members(crowd) -> list:
    """The members of a crowd, sorted by number."""
    tagged = [ob for ob in bpy.context.scene.objects if ob.is_property_set("steering") and ob.steering.crowd == crowd]
    return sorted((ob for ob in tagged if ob.steering.member.number), key=lambda ob: ob.steering.member.number)


def locations(crowd) -> np.ndarray:
    return np.array([ob.location for ob in members(crowd)])


def forwards(crowd) -> np.ndarray:
    """The directions of the +Y axes of the members."""
    bpy.context.view_layer.update()
    return np.array([ob.matrix_world.col[1].xyz.normalized() for ob in members(crowd)])


def nearest(points: np.ndarray) -> float:
    gaps = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
    return float(gaps[~np.eye(len(points), dtype=bool)].min())


def ground(size: float = 20.0, **placed):
    """A square mesh to place members on."""
    half = size / 2.0
    return meshed("Ground", [(x, y, 0) for y in (-half, half) for x in (-half, half)], [(0, 1, 3, 2)], **placed)


def cube(name: str = "Box", size: float = 4.0, **placed):
    half = 0.5 * size
    return put(box(name, (-half, -half, -half), (half, half, half)), **placed)


def figure(name: str = "Figure"):
    """A character: an armature with a mesh that it deforms, and a hat on its bone."""
    rig = armature(name, Spine=((0, 0, 0), (0, 0, 1.8)))
    body = wedge(f"{name} Body", size=0.4)
    body.parent = rig
    body.modifiers.new("Armature", "ARMATURE").object = rig
    hat = wedge(f"{name} Hat", size=0.2)
    hat.parent, hat.parent_type, hat.parent_bone = rig, "BONE", "Spine"
    follow = hat.constraints.new("COPY_SCALE")
    follow.target = body
    drive(body, "location", "0.1 * x", index=2, x=(rig, "location[2]"))
    select(rig)
    return rig
