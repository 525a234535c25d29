"""Makes a character whose legs constraints pose."""

import contextlib
import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import bpy
from bpy.types import Object
from mathutils import Euler, Matrix, Vector

Pose = dict[str, tuple[tuple[float, float, float], tuple[float, float, float]]]
"""The location in metres and the rotation about x, y and z in degrees, both in the axes of the armature, by bone."""


@dataclass(frozen=True)
class Body:
    """A character and its controls.

    Attributes:
        feet: of each the bone that carries it, the bone that rolls it about its heel and its ball, about x, and the
            phase by which it steps after the first one.
        hips: the bone that carries the rest.
        arms: swing about the left axis of the model, each with the foot that it goes with.
        size: how many times as large as a person its steps are.
        rolls: the share of the roll of a person's feet that its feet do.
    """

    rig: Object
    feet: Sequence[tuple[str, str, float]]
    hips: str
    arms: Sequence[tuple[str, float]]
    size: float = 1.0
    rolls: float = 1.0


@dataclass(frozen=True)
class Gait:
    """How a body goes: metres and frames for a person. `down`: the share of a cycle in which a foot is on the ground;
    `lowered`: of the hips below where they are at rest."""

    name: str
    frames: int
    stride: float
    down: float
    lift: float
    lowered: float
    bob: float
    roll: float


WALK = Gait("Walk", 26, 1.3, 0.62, 0.09, 0.07, 0.02, 38.0)
RUN = Gait("Run", 17, 2.3, 0.36, 0.2, 0.12, 0.05, 45.0)


def stepping(gait: Gait, phase: float) -> tuple[float, float, float]:
    """Where a foot is: metres behind the hips, above the ground, and degrees by which its heel is up."""
    phase %= 1.0
    half = 0.5 * gait.down * gait.stride
    if phase < gait.down:
        part = phase / gait.down
        # Real feet do not go back evenly.
        back = -half + 2.0 * half * (part + 0.03 * math.sin(2.0 * math.pi * part))
        up = gait.roll * max((part - 0.6) / 0.4, 0.0) ** 2 - 14.0 * max(1.0 - part / 0.2, 0.0)
        return back, 0.0, up
    part = (phase - gait.down) / (1.0 - gait.down)
    smooth = part * part * (3.0 - 2.0 * part)
    up = gait.roll * (1.0 - smooth) - 14.0 * smooth
    return half - 2.0 * half * smooth, gait.lift * math.sin(math.pi * part), up


def going(body: Body, gait: Gait, phase: float) -> Pose:
    posed: Pose = {}
    for control, rolled, late in body.feet:
        back, up, roll = stepping(gait, phase + late)
        posed[control] = (0.0, back * body.size, up * body.size), (0.0, 0.0, 0.0)
        posed[rolled] = (0.0, 0.0, 0.0), (roll * body.rolls, 0.0, 0.0)
    turn = 2.0 * math.pi * phase
    down = -gait.lowered - gait.bob * math.cos(2.0 * turn)
    posed[body.hips] = (0.015 * math.sin(turn), 0.0, down * body.size), (0.0, 0.0, 4.0 * math.cos(turn))
    for bone, late in body.arms:
        posed[bone] = (0.0, 0.0, 0.0), (25.0 * math.cos(turn + 2.0 * math.pi * late), 0.0, 0.0)
    return posed


def standing(body: Body, phase: float) -> Pose:
    sway = math.sin(2.0 * math.pi * phase)
    still: Pose = {bone: ((0.0, 0.0, 0.0),) * 2 for foot in body.feet for bone in foot[:2]}
    arms: Pose = {bone: ((0.0, 0.0, 0.0), (3.0 * sway, 0.0, 0.0)) for bone, _ in body.arms}
    return still | arms | {body.hips: ((0.012 * sway * body.size, 0.0, -0.03 * body.size), (0.0, 0.0, 1.5 * sway))}


def keyed(body: Body, name: str, frames: int, pose: Callable[[float], Pose]) -> None:
    """Add an action that poses the controls of a body, with a key on every frame."""
    rig = body.rig
    animation = rig.animation_data_create()
    animation.action = action = bpy.data.actions.new(name)
    action.use_fake_user = True
    for frame in range(frames + 1):
        for bone, (location, rotation) in pose(frame / frames).items():
            posed = rig.pose.bones[bone]
            _pose(posed, Vector(location), Euler([math.radians(angle) for angle in rotation]).to_matrix())
            posed.keyframe_insert("location", frame=frame + 1)
            mode = "rotation_quaternion" if posed.rotation_mode == "QUATERNION" else "rotation_euler"
            posed.keyframe_insert(mode, frame=frame + 1)
    for posed in rig.pose.bones:
        posed.matrix_basis = Matrix()
    animation.action = None
    track = animation.nla_tracks.new()
    track.name, track.mute = action.name, True
    track.strips.new(action.name, 1, action)


def _pose(posed: bpy.types.PoseBone, location: Vector, turn: Matrix) -> None:
    """Move and turn a bone from where it is at rest, in the axes of the armature."""
    rest = posed.bone.matrix_local.to_3x3()
    local = rest.inverted() @ turn @ rest
    # Bones without a local location move in the axes of their parent.
    axes = rest if posed.bone.use_local_location or not posed.parent else posed.parent.bone.matrix_local.to_3x3()
    posed.location = axes.inverted() @ location
    if posed.rotation_mode == "QUATERNION":
        posed.rotation_quaternion = local.to_quaternion()
    else:
        posed.rotation_euler = local.to_euler(posed.rotation_mode)


def rigify(metarig: str) -> Object:
    """The rig that Rigify generates of one of its metarigs, alone in the scene."""
    bpy.ops.preferences.addon_enable(module="rigify")
    getattr(bpy.ops.object, f"armature_{metarig}_metarig_add")()
    with contextlib.redirect_stdout(io.StringIO()):
        bpy.ops.pose.rigify_generate()
    rig = bpy.data.objects["rig"]
    for ob in [ob for ob in bpy.data.objects if ob.type == "ARMATURE" and ob != rig]:
        bpy.data.objects.remove(ob)
    return rig


def rigify_person(metarig: str) -> Body:
    rig = rigify(metarig)
    for side in "LR":
        rig.pose.bones[f"upper_arm_parent.{side}"]["IK_FK"] = 1.0
        rig.pose.bones[f"foot_heel_ik.{side}"].rotation_mode = "XYZ"
    feet = [(f"foot_ik.{side}", f"foot_heel_ik.{side}", late) for side, late in (("L", 0.0), ("R", 0.5))]
    return Body(rig, feet, "torso", [("upper_arm_fk.L", 0.5), ("upper_arm_fk.R", 0.0)])


def rigify_horse() -> Body:
    rig = rigify("horse")
    walk = (("hind_foot", "L", 0.0), ("forefoot", "L", 0.25), ("hind_foot", "R", 0.5), ("forefoot", "R", 0.75))
    feet = [(f"{end}_ik.{side}", f"{end}_heel_ik.{side}", late) for end, side, late in walk]
    for _, rolled, _ in feet:
        rig.pose.bones[rolled].rotation_mode = "XYZ"
    return Body(rig, feet, "torso", [], size=1.1, rolls=0.4)


POLES = (
    # name, head, tail, parent, whether it deforms
    ("root", (0.0, 0.0, 0.0), (0.0, 0.4, 0.0), "", False),
    ("hips", (0.0, 0.0, 0.98), (0.0, 0.0, 1.2), "root", True),
    ("chest", (0.0, 0.0, 1.2), (0.0, 0.0, 1.5), "hips", True),
    ("head", (0.0, 0.0, 1.52), (0.0, 0.0, 1.78), "chest", True),
)
LEG = (
    ("thigh", (0.1, 0.0, 0.95), (0.1, -0.03, 0.52), "hips", True),
    ("shin", (0.1, -0.03, 0.52), (0.1, 0.01, 0.1), "thigh", True),
    ("foot", (0.1, 0.01, 0.1), (0.1, -0.1, 0.02), "shin", True),
    ("arm", (0.2, 0.0, 1.45), (0.24, -0.02, 0.85), "chest", True),
    ("step", (0.1, 0.05, 0.0), (0.1, -0.25, 0.0), "root", False),
    ("ball", (0.1, -0.1, 0.02), (0.1, -0.1, 0.1), "step", False),
    ("ankle", (0.1, 0.01, 0.1), (0.1, -0.1, 0.02), "ball", False),
    ("knee", (0.1, -0.5, 0.52), (0.1, -0.6, 0.52), "step", False),
)


def poles() -> Body:
    data = bpy.data.armatures.new("poles")
    rig = bpy.data.objects.new("poles", data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    names = {line[0] for line in LEG}
    for side, sign in (("L", 1.0), ("R", -1.0)):
        for name, head, tail, parent, deforms in (*(POLES if side == "L" else ()), *LEG):
            sided, suffix = name in names, f".{side}"
            bone = data.edit_bones.new(name + suffix * sided)
            flip = sign if sided else 1.0
            bone.head, bone.tail = ((flip * x, y, z) for x, y, z in (head, tail))
            bone.parent = data.edit_bones.get(parent + suffix * (parent in names)) if parent else None
            bone.use_deform = deforms
    bpy.ops.object.mode_set(mode="OBJECT")
    for side in "LR":
        bones = rig.pose.bones
        reach = bones[f"shin.{side}"].constraints.new("IK")
        reach.target, reach.subtarget, reach.chain_count = rig, f"ankle.{side}", 2
        reach.pole_target, reach.pole_subtarget, reach.pole_angle = rig, f"knee.{side}", math.radians(-90.0)
        reach.use_stretch = False
        turn = bones[f"foot.{side}"].constraints.new("COPY_ROTATION")
        turn.target, turn.subtarget = rig, f"ankle.{side}"
        bones[f"ball.{side}"].rotation_mode = "XYZ"
    feet = [(f"step.{side}", f"ball.{side}", late) for side, late in (("L", 0.0), ("R", 0.5))]
    return Body(rig, feet, "hips", [("arm.L", 0.5), ("arm.R", 0.0)])


MAKE = {
    "rigify": lambda: rigify_person("basic_human"),
    "rigify_full": lambda: rigify_person("human"),
    "rigify_horse": rigify_horse,
    "poles": poles,
}


def skin(rig: Object) -> Object:
    """A body of boxes, one along each bone that deforms; those of feet have soles."""
    corners, faces, groups = [], [], {}
    bones = [bone for bone in rig.data.bones if bone.use_deform and bone.length > 0.02]
    for bone in bones:
        low, high, matrix = _box(bone)
        first = len(corners)
        for x, y, z in ((x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])):
            place = matrix @ Vector((x, y, z))
            corners.append((place.x, place.y, max(place.z, 0.0)))
        faces += [
            [first + k for k in side]
            for side in ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
        ]
        groups[bone.name] = list(range(first, first + 8))
    mesh = bpy.data.meshes.new("Skin")
    mesh.from_pydata(corners, [], faces)
    ob = bpy.data.objects.new("Skin", mesh)
    bpy.context.scene.collection.objects.link(ob)
    for name, rows in groups.items():
        ob.vertex_groups.new(name=name).add(rows, 1.0, "REPLACE")
    ob.parent = rig
    ob.modifiers.new("Armature", "ARMATURE").object = rig
    return ob


def _box(bone: bpy.types.Bone) -> tuple[Sequence[float], Sequence[float], Matrix]:
    """The corners of the box of a bone, and the matrix of the axes in which they are."""
    head, tail = bone.head_local, bone.tail_local
    if min(head.z, tail.z) < 0.1:
        x, back = head.x, 0.07 if head.z > 0.05 else 0.0
        return (x - 0.045, tail.y, 0.0), (x + 0.045, head.y + back, max(head.z, 0.03)), Matrix()
    wide = 0.12 * bone.length + 0.02
    return (-wide, 0.0, -wide), (wide, bone.length, wide), bone.matrix_local


def make(kind: str, folder: Path) -> Path:
    """Save a character in a file."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    body = MAKE[kind]()
    skin(body.rig)
    for name, frames, pose in (
        ("Idle", 48, partial(standing, body)),
        *((gait.name, gait.frames, partial(going, body, gait)) for gait in (WALK, RUN)),
    ):
        keyed(body, name, frames, pose)
    file = folder / f"{kind}.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(file))
    return file
