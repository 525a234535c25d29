"""A small rigged model with two legs of two bones, for tests of feet that are held."""

import bpy
import numpy as np

from .animated import assign, bags
from .building import add_bone, armature, at_frames, edit_bones, empty, frames, meshed
from .steered import bake, crowd, select, tag, vehicle
from .walkers import clip, idle, stash

CYCLE = 24


def legged(name: str = "Walker", knee: float = 0.5):
    """An armature with hips and two legs, which faces -Y; each foot has a box as its sole. Knees are this high."""
    rig = armature(name, Body=((0.0, 0.0, 0.9), (0.0, 0.0, 1.8)))
    for side, x in (("L", 0.1), ("R", -0.1)):
        add_bone(rig, f"Thigh.{side}", (x, 0.0, 0.9), (x, -0.03, knee), "Body")
        add_bone(rig, f"Shin.{side}", (x, -0.03, knee), (x, 0.0, 0.1), f"Thigh.{side}")
        add_bone(rig, f"Foot.{side}", (x, 0.0, 0.1), (x, -0.15, 0.02), f"Shin.{side}")
    corners = [
        (x + a, b, c) for x in (0.1, -0.1) for a in (-0.04, 0.04) for b in (-0.15, -0.05, 0.05) for c in (0.0, 0.1)
    ]
    skin = meshed(f"{name} Skin", [*corners, (0.0, 0.0, 1.8), (0.1, 0.0, 0.9)])
    skin.parent = rig
    for side, rows in (("L", range(12)), ("R", range(12, 24))):
        skin.vertex_groups.new(name=f"Foot.{side}").add(list(rows), 1.0, "REPLACE")
    skin.vertex_groups.new(name="Body").add([24, 25], 1.0, "REPLACE")
    skin.modifiers.new("Armature", "ARMATURE").object = rig
    for bone in rig.pose.bones:
        bone.rotation_mode = "XYZ"
    bpy.context.view_layer.update()
    return rig


def uneven_walk(rig, name: str = "Walk", swing: float = 0.25):
    """Legs that swing like pendulums and bend on their way forwards: their feet go faster in the middle of a step."""
    times = np.arange(CYCLE + 1.0)
    channels = {}
    for side, late in (("L", 0.0), ("R", 0.5)):
        part_of_it = 2.0 * np.pi * (times / CYCLE + late)
        swings = swing * np.cos(part_of_it)
        bend = -1.0 * np.maximum(np.sin(part_of_it), 0.0)
        for bone, angle in (("Thigh", swings + 0.5 * bend), ("Shin", -bend), ("Foot", 0.5 * bend - swings)):
            channels[f"{bone}.{side}", "rotation_euler", 0] = list(zip(1.0 + times, angle))
    return clip(rig, name, channels)


def walking(rig, walk_=uneven_walk):
    frames(1, 60)
    stash(rig, idle(rig), walk_(rig))
    people = crowd("People", seek={"target": empty("Goal", location=(0.0, -30.0, 0.0))})
    people.steering.locomotion = "ON_FOOT"
    people.steering.vehicle.max_speed, people.steering.vehicle.cruise_speed = 0.8, 1.0
    vehicle(rig, crowd=people, identity=5, start_speed=0.8)
    select(people)
    bpy.ops.steering.clips_find()
    return people


def with_feet_apart(rig, name: str = "Walk"):
    """Give a rig that plays a walk feet without parents, which move as before: shins end at them, as after posing by
    inverse kinematics."""
    scene, walk_ = bpy.context.scene, bpy.data.actions[name]
    assign(rig, walk_)
    times, matrices = range(1, CYCLE + 2), {}
    for _ in at_frames(times):
        for side in ("L", "R"):
            matrices.setdefault(side, []).append(rig.pose.bones[f"Foot.{side}"].matrix.copy())
    rig.animation_data.action = None
    scene.frame_set(1)
    with edit_bones(rig) as bones:
        bones["Foot.L"].parent = bones["Foot.R"].parent = None
    [bag] = bags(walk_)
    for curve in [each for each in bag.fcurves if "Foot" in each.data_path]:
        bag.fcurves.remove(curve)
    for side, placed in matrices.items():
        bone = rig.data.bones[f"Foot.{side}"]
        local = [bone.matrix_local.inverted() @ matrix for matrix in placed]
        for path, values in (
            ("location", [matrix.translation for matrix in local]),
            ("rotation_euler", [matrix.to_euler("XYZ") for matrix in local]),
        ):
            for index in range(3):
                curve = bag.fcurves.new(f'pose.bones["Foot.{side}"].{path}', index=index)
                for frame, value in zip(times, values):
                    curve.keyframe_points.insert(frame, value[index]).interpolation = "LINEAR"


def longest_step(rig, first: int = 20) -> float:
    """The longest way of a sole over the ground between two frames, while it does not swing."""
    worst = 0.0
    for side in ("L", "R"):
        places = []
        for _ in at_frames(range(first, first + 40)):
            evaluated = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
            bone = evaluated.pose.bones[f"Foot.{side}"]
            matrix = np.array(evaluated.matrix_world @ bone.matrix @ bone.bone.matrix_local.inverted())
            x = 0.1 if side == "L" else -0.1
            places.append([matrix @ (x, y, 0.0, 1.0) for y in (-0.15, 0.05)])
        places = np.array(places)[..., :3]
        # A foot that is held may roll over its toes: the end that is on the ground counts.
        low = places[..., 2] < 0.015
        steps = np.linalg.norm(np.diff(places[..., :2], axis=0), axis=2)[low[1:] & low[:-1]]
        assert len(steps) > 6
        worst = max(worst, float(np.median(steps)))
    return worst


def baked_loose_and_held(people, rig) -> float:
    """Bake without held feet, and then with them; returns the longest step of the first bake."""
    people.steering.portrayal.playing.plant_feet = False
    bake()
    loose = longest_step(rig)
    people.steering.portrayal.playing.plant_feet = True
    bake()
    return loose


def slope(along: float, across: float) -> None:
    """A ground that rises by these shares along y and x."""
    corners = [(x, y, along * y + across * x) for y in (-40.0, 10.0) for x in (-20.0, 20.0)]
    tag(meshed("Slope", corners, [(0, 1, 3, 2)]), role="SURFACE")


def deepest(skin, along: float, across: float) -> float:
    """How far the soles of a skin come below such a ground."""
    sunk = 0.0
    for _ in at_frames(range(20, 60)):
        evaluated = skin.evaluated_get(bpy.context.evaluated_depsgraph_get())
        places = np.array([evaluated.matrix_world @ vertex.co for vertex in evaluated.data.vertices[:24]])
        sunk = max(sunk, float(np.max(along * places[:, 1] + across * places[:, 0] - places[:, 2])))
    return sunk
