"""Frames a ready scene: in the 3D view, and by a camera that goes along with its crowd."""

from collections.abc import Sequence

import bpy
import numpy as np
from bpy.types import Context, Object
from mathutils import Vector

from ....simulation.roles import Role
from ...objects.doubles import doubles
from ...properties import has_role

FOLLOWED = 8
"""Members of which the camera follows the middle, at most: it hardly moves with a single one."""
VIEW_DISTANCE = 1.9
"""Distance of the view, in reaches of the members: the usual lens shows a little more than that, beside the sidebar."""
CAMERA_DISTANCE = 3.6
"""The same of a camera, whose lens is longer."""
SLANT = (0.9, 0.0, 0.6)
"""How the camera is turned, as Euler angles in radians: from above, and to the side."""


def frame_view(context: Context, members: Sequence[Object]) -> None:
    """Let the 3D view show members, from where it looks."""
    space = context.space_data
    if space is None or space.type != "VIEW_3D" or space.region_3d.view_perspective == "CAMERA" or not members:
        return
    middle, reach = _extent(members)
    space.region_3d.view_location = middle
    space.region_3d.view_distance = VIEW_DISTANCE * reach


def add_camera(context: Context, crowd: Object, members: Sequence[Object]) -> None:
    """Add a camera that keeps its distance from the middle of members, and make it that of the scene."""
    middle, reach = _extent(members)
    carrier = bpy.data.objects.new(f"{crowd.name} Middle", None)
    carrier.empty_display_size, carrier.location = 0.05 * reach, middle
    # Points move in what is baked, not in their object.
    followed = [ob for ob in members if not has_role(ob, Role.POINTS)]
    step = max(len(followed) // FOLLOWED, 1)
    for number, ob in enumerate(followed[::step][:FOLLOWED], 1):
        constraint = carrier.constraints.new("COPY_LOCATION")
        # Each takes its share of what those before it have made: together they give the mean.
        constraint.target, constraint.influence = ob, 1.0 / number
    camera = bpy.data.objects.new(f"{crowd.name} Camera", bpy.data.cameras.new(f"{crowd.name} Camera"))
    camera.parent, camera.rotation_euler = carrier, SLANT
    camera.location = camera.rotation_euler.to_matrix() @ Vector((0.0, 0.0, CAMERA_DISTANCE * reach))
    camera.data.clip_end = max(camera.data.clip_end, 20.0 * reach)
    for ob in (carrier, camera):
        crowd.users_collection[0].objects.link(ob)
    context.scene.camera = camera


def _extent(members: Sequence[Object]) -> tuple[Vector, float]:
    """The middle of members and how far they reach from it, in metres."""
    places = doubles([place for ob in members for place in _places(ob)]).reshape(-1, 3)
    middle = places.mean(axis=0)
    size = max(0.0 if has_role(ob, Role.POINTS) else max(ob.dimensions) for ob in members)
    return Vector(middle), float(np.linalg.norm(places - middle, axis=1).max()) + size


def _places(ob: Object) -> list[Vector]:
    """Where a member is; of points, the corners of the box around them."""
    if has_role(ob, Role.POINTS):
        return [ob.matrix_world @ Vector(corner) for corner in ob.bound_box]
    return [ob.matrix_world.translation]
