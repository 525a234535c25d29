"""A small rigged model with clips, for tests: it stands on two feet, and its clips are known exactly."""

import bpy
import numpy as np

from .animated import SLOTTED
from .building import add_bone, armature, empty, frames, meshed, part
from .steered import crowd, select, vehicle

HEIGHT = 1.8
HALF_STEP = 0.2
"""Metres that a foot is before or behind the body at the ends of a stance."""
CYCLE = 24
"""Frames of the walk."""
STRIDE = 4.0 * HALF_STEP
"""Metres of a cycle: two stances, each of twice half a step."""
SPEED = STRIDE * 24.0 / CYCLE
"""m/s at which the feet of the walk hold, at 24 frames a second."""


def _box(low, high):
    corners = [(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return corners, faces


def box(name: str, low, high):
    """A mesh in the shape of a box between two corners."""
    corners, faces = _box(low, high)
    return meshed(name, corners, faces)


def walker(name: str = "Walker", location=(0.0, 0.0, 0.0)):
    """An armature with a body and two feet, which faces -Y and stands on its origin. The mesh is its child."""
    rig = armature(name)
    for bone, x, z in (("Body", 0.0, 0.9), ("Foot.L", 0.1, 0.1), ("Foot.R", -0.1, 0.1)):
        add_bone(rig, bone, (x, 0.0, z), (x, 0.0, z + 0.3), roll=0.0)
    corners, faces, groups = [], [], {}
    for bone, low, high in (
        ("Body", (-0.25, -0.15, 0.3), (0.25, 0.15, HEIGHT)),
        ("Foot.L", (0.05, -0.15, 0.0), (0.15, 0.05, 0.1)),
        ("Foot.R", (-0.15, -0.15, 0.0), (-0.05, 0.05, 0.1)),
    ):
        points, sides = _box(low, high)
        groups[bone] = list(range(len(corners), len(corners) + len(points)))
        faces += [tuple(len(corners) + k for k in side) for side in sides]
        corners += points
    skin = meshed(f"{name} Skin", corners, faces)
    skin.parent = rig
    for bone, rows in groups.items():
        skin.vertex_groups.new(name=bone).add(rows, 1.0, "REPLACE")
    skin.modifiers.new("Armature", "ARMATURE").object = rig
    rig.location = location
    bpy.context.view_layer.update()
    return rig


def clip(rig, name: str, channels: dict[tuple[str, str, int], list[tuple[float, float]]]):
    """An action for an armature with linear keys, (frame, value), by bone, channel and index."""
    animation_data = part("blender.animation.animation_data")
    action, slot = animation_data.new_action(name, rig)
    bag = animation_data.channelbag_in(action, slot, ensure=True)
    for (bone, channel, index), points in channels.items():
        curve = bag.fcurves.new(f'pose.bones["{bone}"].{channel}', index=index)
        curve.keyframe_points.add(len(points))
        curve.keyframe_points.foreach_set("co", np.array(points, np.float32).ravel())
        curve.keyframe_points.foreach_set("interpolation", np.full(len(points), 1, np.uint8))
        curve.update()
    action.use_fake_user = True
    return action


def walk(rig, name: str = "Walk", first: float = 1.0, cycle: float = CYCLE):
    """Each foot is on the ground for half of the cycle and moves back evenly. Bones point up: z of the model is y."""
    half = cycle / 2
    back, ahead = HALF_STEP, -HALF_STEP
    channels: dict = {}
    for bone, late in (("Foot.L", 0.0), ("Foot.R", half)):
        way = [(0.0, ahead), (half, back), (2 * half, ahead)]
        lift = [(0.0, 0.0), (half, 0.0), (1.5 * half, 0.1), (2 * half, 0.0)]
        if late:
            way = [(0.0, back), (half, ahead), (2 * half, back)]
            lift = [(0.0, 0.0), (0.5 * half, 0.1), (half, 0.0), (2 * half, 0.0)]
        # The local axes of a bone that points up with roll 0: x, z of the model, -y of the model.
        channels[bone, "location", 2] = [(first + frame, -value) for frame, value in way]
        channels[bone, "location", 1] = [(first + frame, value) for frame, value in lift]
    return clip(rig, name, channels)


def idle(rig, name: str = "Idle", first: float = 1.0):
    """It breathes; the feet stand, and have no keys."""
    points = [(first, 0.0), (first + 24.0, 0.02), (first + 48.0, 0.0)]
    return clip(rig, name, {("Body", "location", 1): points})


def stash(rig, *actions) -> None:
    """Leave actions on muted tracks, as importers do."""
    animation = rig.animation_data_create()
    for action in actions:
        track = animation.nla_tracks.new()
        track.name, track.mute = action.name, True
        strip = track.strips.new(action.name, 1, action)
        if SLOTTED:
            strip.action_slot = action.slots[0]


def animated_walker(name: str = "Model"):
    """A walker that brings an idle and a walk along."""
    rig = walker(name)
    stash(rig, idle(rig), walk(rig))
    return rig


def ours(rig) -> list:
    """The tracks of a rig that a bake made."""
    tracks = rig.animation_data.nla_tracks if rig.animation_data else ()
    return [track for track in tracks if track.name.startswith("Steering: ")]


def pose_of(rig) -> np.ndarray:
    """The evaluated matrices of the bones (bones, 4, 4) in the armature's space."""
    evaluated = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array([np.array(bone.matrix) for bone in evaluated.pose.bones])


def walkers(number: int = 1, *, stashed: bool = True, distance: float = 30.0):
    """Walkers with an idle and a walk that go to a target at the speed of the walk."""
    frames(1, 40)
    goal = empty("Goal", location=(0.0, -distance, 0.0))
    people = crowd("People", seek={"target": goal})
    model = people.steering.vehicle
    model.max_speed, model.cruise_speed, model.max_force = SPEED, 1.0, 50.0
    people.steering.locomotion = "ON_FOOT"
    rigs = []
    for k in range(number):
        rig = walker(f"Walker {k}", location=(2.0 * k, 0.0, 0.0))
        if k:
            rig.data = rigs[0].data
        rigs.append(vehicle(rig, crowd=people, identity=11 + k, start_speed=1.0))
    actions = idle(rigs[0]), walk(rigs[0])
    if stashed:
        for rig in rigs:
            stash(rig, *actions)
    select(people)
    return people, rigs


def found_walkers(number: int = 1, **options):
    """Walkers whose clips were found."""
    people, rigs = walkers(number, **options)
    assert bpy.ops.steering.clips_find() == {"FINISHED"}
    return people, rigs
