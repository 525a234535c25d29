"""Add > Steering: complete scenes with a crowd, ready to bake."""

import math
from collections.abc import Sequence

import bpy
import numpy as np
from bpy.props import BoolProperty, FloatProperty, FloatVectorProperty, IntProperty
from bpy.types import Context, Object
from mathutils import Vector

from ...simulation.roles import Role
from ..animation.frame_rate import frame_time_of, holder_of_range
from ..crowds.ready_scenes import READY_SCENES
from ..crowds.ready_scenes.scene_builder import ReadyScene, SceneOptions, free_place
from ..objects.doubles import doubles
from ..objects.tagged_objects import members_in
from ..properties import has_role
from ..units import length_text
from .polls import SteeringOperator, has_editable_scene, in_object_mode

FOLLOWED = 8
"""Members of which the camera follows the middle, at most: it hardly moves with a single one."""
VIEW_DISTANCE = 1.9
"""Distance of the view, in reaches of the members: the usual lens shows a little more than that, beside the sidebar."""
CAMERA_DISTANCE = 3.6
"""Distance of a camera, in reaches of the members: its lens is longer."""
SLANT = (0.9, 0.0, 0.6)
"""How the camera is turned, as Euler angles in radians: from above, and to the side."""


class Adding(SteeringOperator):
    """The operators' shared base: what differs is the ready scene."""

    needs = (in_object_mode, has_editable_scene)
    ready_scene: ReadyScene

    def carry_out(self, context):
        if not self.properties.is_property_set("location"):
            self.location = free_place(context, 2.0 * self.ready_scene.reach(self._options()))
        crowd = self.ready_scene.add(context, self._options())
        longer = self._lengthen(context.scene) if self.set_frames else ""
        if self.frame_view or self.add_camera:
            context.view_layer.update()
            members = members_in(crowd.users_collection[0].all_objects)
            if self.frame_view:
                frame_view(context, members)
            if self.add_camera:
                add_camera(context, crowd, members)
        beside = self._distance_text(context.scene)
        return f"Added {crowd.name}{beside}{longer}: Preview or Bake to see it move"

    def _lengthen(self, scene: bpy.types.Scene) -> str:
        """Let the run last until the end of the story; what to report of it."""
        run = holder_of_range(scene)
        end = run.frame_start + math.ceil(self.ready_scene.seconds / frame_time_of(scene))
        if not self.ready_scene.seconds or run.frame_end >= end:
            return ""
        run.frame_end = end
        return f"; its story takes until frame {end}, which is the last one now"

    def _distance_text(self, scene: bpy.types.Scene) -> str:
        """How far from the 3D cursor it is, if it had to go beside others: it may be out of view there."""
        distance = (Vector(self.location) - scene.cursor.location).length
        if distance <= 0.0:
            return ""
        return f" {length_text(distance)} beside the 3D cursor"

    def _options(self) -> SceneOptions:
        return SceneOptions(self.count, self.seed, self.size, self.spacing, Vector(self.location))


def _operator(scene: ReadyScene) -> type[bpy.types.Operator]:
    count = IntProperty(name="Count", description=scene.counted, default=scene.count, min=1, max=10000, soft_max=500)
    size = FloatProperty(
        name=scene.measure,
        description=f"{scene.measured}; distances and speeds scale with it",
        default=scene.size,
        min=0.001,
        max=1000.0,
        soft_min=0.05,
        soft_max=10.0,
        subtype="DISTANCE",
    )
    seed = IntProperty(name="Seed", description="Seed of the random numbers", default=0, min=0)
    spacing = FloatProperty(
        name="Spacing",
        description="Distance that the members keep from each other, as a multiple of the default",
        default=1.0,
        min=0.1,
        max=10.0,
        soft_min=0.5,
        soft_max=3.0,
    )
    location = FloatVectorProperty(
        name="Location",
        description="Center of the new scene; by default the 3D cursor, or a free place next to existing crowds",
        size=3,
        subtype="TRANSLATION",
        options={"SKIP_SAVE"},
    )
    frame_view = BoolProperty(name="Frame View", description="Let the 3D view show it")
    add_camera = BoolProperty(name="Camera", description="Add a camera that goes along with the middle of the crowd")
    set_frames = BoolProperty(
        name="Set Frames",
        description="Let the scene last until its story is over, if it has one and the scene is shorter",
    )
    # In the order in which the panel of the last operator shows them; those of a base class would come first.
    values = {"count": count, "size": size, "seed": seed, "spacing": spacing, "location": location}
    values |= {"frame_view": frame_view, "add_camera": add_camera, "set_frames": set_frames}
    content = {"__doc__": scene.description, "__annotations__": values, "bl_label": scene.label, "ready_scene": scene}
    return type(f"STEERING_OT_{scene.operator}", (Adding, bpy.types.Operator), content)


class STEERING_MT_add(bpy.types.Menu):
    """Add a crowd that is ready to bake"""

    bl_label = "Steering"

    def draw(self, _context) -> None:
        self.layout.operator_context = "EXEC_REGION_WIN"
        for scene in READY_SCENES:
            show_for_animators(self.layout.operator(f"steering.{scene.operator}", icon=scene.icon))


def show_for_animators(entry) -> None:
    """Let a menu entry show what it adds, for as long as it takes; scripts leave view and frames alone."""
    entry.frame_view = entry.set_frames = True


def _submenu(self, _context) -> None:
    self.layout.menu(STEERING_MT_add.__name__, icon="COMMUNITY")


OPERATORS = tuple(_operator(scene) for scene in READY_SCENES)
ENTRIES = {"VIEW3D_MT_add": _submenu}


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
