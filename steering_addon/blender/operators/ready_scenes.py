"""Add > Steering: complete scenes with a crowd, ready to bake."""

from __future__ import annotations

import bpy
from bpy.props import FloatProperty, FloatVectorProperty, IntProperty
from mathutils import Vector

from ..crowds.ready_scenes import cowboys_and_strays, flock, herd, herd_and_wolf, school, station_hall, traffic, walkers
from ..crowds.ready_scenes.scene_builder import SceneOptions, free_place
from ..refusal import reported
from .polls import has_editable_scene, in_object_mode


def _count(default: int, description: str):
    return IntProperty(name="Count", description=description, default=default, min=1, max=10000, soft_max=500)


def _size(name: str, default: float, description: str):
    return FloatProperty(
        name=name,
        description=description,
        default=default,
        min=0.001,
        max=1000.0,
        soft_min=0.05,
        soft_max=10.0,
        subtype="DISTANCE",
    )


class ReadyScene:
    """The operators' shared base. A subclass provides `reach`, the radius a scene needs, and `add`, which builds it."""

    bl_options = {"REGISTER", "UNDO"}

    seed: IntProperty(name="Seed", description="Seed of the random numbers", default=0, min=0)
    spacing: FloatProperty(
        name="Spacing",
        description="Distance that the members keep from each other, as a multiple of the default",
        default=1.0,
        min=0.1,
        max=10.0,
        soft_min=0.5,
        soft_max=3.0,
    )
    location: FloatVectorProperty(
        name="Location",
        description="Center of the new scene; by default the 3D cursor, or a free place next to existing crowds",
        size=3,
        subtype="TRANSLATION",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context) -> bool:
        return in_object_mode(cls, context) and has_editable_scene(cls, context)

    @reported
    def execute(self, context):
        if not self.properties.is_property_set("location"):
            self.location = free_place(context, 2.0 * self.reach(self._options()))
        crowd = self.add(context, self._options())
        self.report({"INFO"}, f"Added {crowd.name}: Preview or Bake to see it move")
        return {"FINISHED"}

    def _options(self) -> SceneOptions:
        return SceneOptions(self.count, self.seed, self.size, self.spacing, Vector(self.location))


class STEERING_OT_add_flock(ReadyScene, bpy.types.Operator):
    """Add a flock of birds that flies around inside a region, ready to bake"""

    bl_idname = "steering.add_flock"
    bl_label = "Flock of Birds"

    count: _count(flock.COUNT, "Number of birds")
    size: _size("Length", flock.SIZE, "Length of a bird from beak to tail; distances and speeds scale with it")

    reach = staticmethod(flock.FLOCK.reach)
    add = staticmethod(flock.add_flock)


class STEERING_OT_add_school(ReadyScene, bpy.types.Operator):
    """Add a school of fish that swims around inside a region, ready to bake"""

    bl_idname = "steering.add_school"
    bl_label = "School of Fish"

    count: _count(school.COUNT, "Number of fish")
    size: _size("Length", school.SIZE, "Length of a fish from nose to tail; distances and speeds scale with it")

    reach = staticmethod(school.SCHOOL.reach)
    add = staticmethod(school.add_school)


class STEERING_OT_add_walkers(ReadyScene, bpy.types.Operator):
    """Add people who walk along a closed path in both directions, ready to bake"""

    bl_idname = "steering.add_walkers"
    bl_label = "Walkers on a Path"

    count: _count(walkers.COUNT, "Number of people; the length of the path is adapted to it")
    size: _size("Height", walkers.SIZE, "Height of a person; distances and speeds scale with it")

    reach = staticmethod(walkers.reach)
    add = staticmethod(walkers.add_walkers)


class STEERING_OT_add_herd(ReadyScene, bpy.types.Operator):
    """Add a herd of sheep that grazes on hills, ready to bake"""

    bl_idname = "steering.add_herd"
    bl_label = "Herd on a Hill"

    count: _count(herd.COUNT, "Number of sheep; the size of the pasture is adapted to it")
    size: _size("Length", herd.SIZE, "Length of a sheep; distances and speeds scale with it")

    reach = staticmethod(herd.reach)
    add = staticmethod(herd.add_herd)


class STEERING_OT_add_herd_and_wolf(ReadyScene, bpy.types.Operator):
    """Add a herd of sheep that grazes, runs from a wolf that comes by, and gathers again, ready to bake"""

    bl_idname = "steering.add_herd_and_wolf"
    bl_label = "Herd and Wolf"

    count: _count(herd.COUNT, "Number of sheep; the size of the pasture is adapted to it")
    size: _size("Length", herd.SIZE, "Length of a sheep; distances and speeds scale with it")

    reach = staticmethod(herd.reach)
    add = staticmethod(herd_and_wolf.add_herd_and_wolf)


class STEERING_OT_add_cowboys_and_strays(ReadyScene, bpy.types.Operator):
    """Add a herd of cows, two that have strayed, and three riders who bring them back, ready to bake"""

    bl_idname = "steering.add_cowboys_and_strays"
    bl_label = "Cowboys and Strays"

    count: _count(cowboys_and_strays.COUNT, "Number of cows with the strays; the size of the pasture is adapted to it")
    size: _size("Length", cowboys_and_strays.SIZE, "Length of a cow; distances and speeds scale with it")

    reach = staticmethod(cowboys_and_strays.reach)
    add = staticmethod(cowboys_and_strays.add_cowboys_and_strays)


class STEERING_OT_add_station_hall(ReadyScene, bpy.types.Operator):
    """Add people who walk through a station hall: some read the board, and all leave by exits, ready to bake"""

    bl_idname = "steering.add_station_hall"
    bl_label = "Station Hall"

    count: _count(station_hall.COUNT, "Number of people; the size of the hall is adapted to it")
    size: _size("Height", walkers.SIZE, "Height of a person; distances and speeds scale with it")

    reach = staticmethod(station_hall.reach)
    add = staticmethod(station_hall.add_station_hall)


class STEERING_OT_add_traffic(ReadyScene, bpy.types.Operator):
    """Add cars that drive both ways along a road over hills and stop for people who cross it, ready to bake"""

    bl_idname = "steering.add_traffic"
    bl_label = "Traffic"

    count: _count(traffic.COUNT, "Number of cars; the length of the road is adapted to it")
    size: _size("Length", traffic.SIZE, "Length of a car; distances and speeds scale with it")

    reach = staticmethod(traffic.reach)
    add = staticmethod(traffic.add_traffic)


class STEERING_MT_add(bpy.types.Menu):
    """Add a crowd that is ready to bake"""

    bl_idname = "STEERING_MT_add"
    bl_label = "Steering"

    def draw(self, _context) -> None:
        self.layout.operator_context = "EXEC_REGION_WIN"
        self.layout.operator("steering.add_flock", icon="FORCE_BOID")
        self.layout.operator("steering.add_school", icon="MOD_OCEAN")
        self.layout.operator("steering.add_walkers", icon="CURVE_PATH")
        self.layout.operator("steering.add_herd", icon="MESH_GRID")
        self.layout.operator("steering.add_herd_and_wolf", icon="PMARKER_ACT")
        self.layout.operator("steering.add_cowboys_and_strays", icon="OUTLINER_OB_ARMATURE")
        self.layout.operator("steering.add_station_hall", icon="HOME")
        self.layout.operator("steering.add_traffic", icon="AUTO")


def _submenu(self, _context) -> None:
    self.layout.menu(STEERING_MT_add.bl_idname, icon="COMMUNITY")


CLASSES = (
    STEERING_OT_add_flock,
    STEERING_OT_add_school,
    STEERING_OT_add_walkers,
    STEERING_OT_add_herd,
    STEERING_OT_add_herd_and_wolf,
    STEERING_OT_add_cowboys_and_strays,
    STEERING_OT_add_station_hall,
    STEERING_OT_add_traffic,
    STEERING_MT_add,
)


def register() -> None:
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.VIEW3D_MT_add.append(_submenu)


def unregister() -> None:
    bpy.types.VIEW3D_MT_add.remove(_submenu)
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
