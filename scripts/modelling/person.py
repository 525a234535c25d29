"""People with an armature: one skin for each outfit, and bones for every joint down to the toes.

The armature is the vehicle; numbers are in heights of a person. Their clips are actions made of the poses in `strides`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import bpy
import numpy as np
from mathutils import Matrix, Vector

from steering_addon.blender.animation.animation_data import channelbag_in, new_action
from steering_addon.blender.animation.rotation_channels import channels_from_matrices
from steering_addon.blender.crowds.ready_scenes.models import CLIPS, VARIANTS
from steering_addon.blender.objects.doubles import doubles

from .limbs import add_part
from .shape import Colors, Paints, Point, Shape, oval
from .strides import ANKLE, BALL, CYCLES, HIP, HIP_ASIDE, KNEE, SHOULDER_ASIDE, SHOULDERS, SIDES, Pose, arm

if TYPE_CHECKING:
    from bpy.types import Action, Armature, ArmatureEditBones, Mesh, Object

OUTFITS: tuple[Colors, ...] = tuple(
    {"top": top, "legs": legs, "skin": skin, "hair": hair, "shoes": "#2a2624", "eyes": "#2a2624", "shadow": "#96896e"}
    for top, legs, skin, hair in (
        ("#d9483b", "#2c3648", "#f0c7a1", "#2b221e"),
        ("#e9a92c", "#4d4038", "#b97d54", "#1d1b22"),
        ("#2f7f86", "#3d4552", "#dba67c", "#5b3a22"),
        ("#f0e8d8", "#33507f", "#8a5a3c", "#1d1b22"),
        ("#7a4a78", "#5f5a4e", "#f3d3b3", "#a86b32"),
        ("#4f8a4c", "#263b57", "#e3b58c", "#7d7a78"),
    )
)
WAIST, NECK, ELBOW, WRIST = 0.62, 0.865, 0.65, 0.515
"""Heights of more joints above the ground."""
BONES: tuple[tuple[str, str, Point, Point], ...] = (
    ("Hips", "", (0.0, 0.0, HIP), (0.0, 0.0, WAIST)),
    ("Chest", "Hips", (0.0, 0.0, WAIST), (0.0, 0.0, 0.82)),
    ("Head", "Chest", (0.0, 0.0, NECK), (0.0, 0.0, 1.0)),
    *(
        bone
        for letter, side in SIDES.items()
        for x, arm in ((side * HIP_ASIDE, side * SHOULDER_ASIDE),)
        for bone in (
            (f"Upper Arm.{letter}", "Chest", (arm, 0.0, SHOULDERS), (arm, 0.008, ELBOW)),
            (f"Forearm.{letter}", f"Upper Arm.{letter}", (arm, 0.008, ELBOW), (arm, 0.055, WRIST)),
            (f"Thigh.{letter}", "Hips", (x, 0.0, HIP), (x, 0.0, KNEE)),
            (f"Shin.{letter}", f"Thigh.{letter}", (x, 0.0, KNEE), (x, 0.0, ANKLE)),
            (f"Foot.{letter}", f"Shin.{letter}", (x, 0.0, ANKLE), (x, BALL, 0.0)),
            (f"Toes.{letter}", f"Foot.{letter}", (x, BALL, 0.0), (x, BALL + 0.045, 0.0)),
        )
    ),
)
"""The name of each bone, the bone above it, and its ends, of a person one unit tall."""
Weigh = Callable[[Point], dict[str, float]]
"""The shares of bones in a point of the skin, by name."""


@dataclass
class Skin:
    """Parts of a body that become one mesh, each moved by bones."""

    shape: Shape = field(default_factory=Shape)
    weights: list[dict[str, float]] = field(default_factory=list)

    def add(self, part: Shape, place: Point, weigh: str | Weigh) -> None:
        """Add a part at a place; `weigh` is the bone that moves it, or gives the shares by where a point is."""
        first = len(self.shape.corners)
        moved = [tuple(a + b for a, b in zip(corner, place)) for corner in part.corners]
        self.shape.corners += moved
        self.shape.faces += [tuple(first + corner for corner in face) for face in part.faces]
        self.shape.paints += part.paints
        self.weights += [{weigh: 1.0} if isinstance(weigh, str) else weigh(corner) for corner in moved]

    def mesh(self, name: str, paints: Paints, size: float) -> Mesh:
        """A new mesh, with a vertex group for each bone."""
        mesh = self.shape.mesh(name, paints, size)
        # Groups are made through an object, and kept by the mesh.
        holder = bpy.data.objects.new(name, mesh)
        for bone, *_ in BONES:
            group = holder.vertex_groups.new(name=bone)
            shares: dict[float, list[int]] = {}
            for row, weights in enumerate(self.weights):
                if weights.get(bone, 0.0) > 0.0:
                    shares.setdefault(weights[bone], []).append(row)
            for share, rows in shares.items():
                group.add(rows, share, "REPLACE")
        bpy.data.objects.remove(holder)
        return mesh


def person(number: int, armature: Armature, size: float) -> Object:
    """A person at rest in an outfit; the armature is the vehicle, the skin and a shadow are its children."""
    paints, shadow = Paints("Walker", OUTFITS[number]), Shape()
    shadow.face([(x, y, 0.004) for x, y in oval(12, 0.15, 0.14)], "shadow")
    rig = bpy.data.objects.new(f"Walker {VARIANTS[number]}", armature)
    rig.show_in_front = False
    skin = add_part("Skin", _skin().mesh("Walker Skin", paints, size), rig, (0.0, 0.0, 0.0), rig)
    skin.modifiers.new("Armature", "ARMATURE").object = rig
    add_part("Shadow", shadow.mesh("Walker Shadow", paints, size), rig, (0.0, 0.0, 0.0), rig)
    return rig


def new_armature(name: str, size: float) -> Armature:
    """An armature for a person, `size` metres tall."""
    data = bpy.data.armatures.new(name)
    data.display_type = "STICK"
    with _edited(data) as bones:
        for bone, above, head, tail in BONES:
            made = bones.new(bone)
            made.head, made.tail, made.roll = size * Vector(head), size * Vector(tail), 0.0
            made.parent = bones[above] if above else None
    return data


@contextmanager
def _edited(data: Armature) -> Iterator[ArmatureEditBones]:
    """The bones of an armature to be edited, which Blender allows in edit mode only: on an object, for that time."""
    layer = bpy.context.view_layer
    active = layer.objects.active
    ob = bpy.data.objects.new(data.name, data)
    # The scene's own collection cannot be excluded or hidden.
    bpy.context.scene.collection.objects.link(ob)
    layer.objects.active = ob
    try:
        bpy.ops.object.mode_set(mode="EDIT")
        yield data.edit_bones
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")
        bpy.data.objects.remove(ob)
        layer.objects.active = active


def hold(rig: Object, name: str, mesh: Mesh, bone: str) -> Object:
    """Add something that a bone of a person carries; the mesh is in the space of the person at rest."""
    thing = bpy.data.objects.new(name, mesh)
    thing.parent, thing.parent_type, thing.parent_bone = rig, "BONE", bone
    carrier = rig.data.bones[bone]
    # Children of a bone are placed from its tail.
    tail = Matrix.Translation(carrier.tail_local) @ carrier.matrix_local.to_3x3().to_4x4()
    thing.matrix_parent_inverse = tail.inverted()
    return thing


def _skin() -> Skin:
    skin = Skin()
    _trunk(skin)
    _head(skin)
    for letter, side in SIDES.items():
        thigh, shin, foot, upper, fore = Shape(), Shape(), Shape(), Shape(), Shape()
        x, arm = side * HIP_ASIDE, side * SHOULDER_ASIDE
        thigh.column([(KNEE - HIP - 0.01, 0.036, 0.039, 0.0), (0.0, 0.048, 0.054, 0.0)], "legs")
        shin.column([(0.074 - KNEE, 0.027, 0.030, 0.0), (0.012, 0.036, 0.038, 0.0)], "legs")
        _shoe(foot)
        upper.column([(-0.155, 0.026, 0.028, 0.010), (0.018, 0.035, 0.037, 0.0)], "top")
        fore.column([(-0.285, 0.021, 0.023, 0.055), (-0.145, 0.025, 0.027, 0.010)], "top")
        fore.ball((0.0, 0.062, -0.312), (0.020, 0.026, 0.036), "skin")
        skin.add(thigh, (x, 0.0, HIP), f"Thigh.{letter}")
        skin.add(shin, (x, 0.0, KNEE), f"Shin.{letter}")
        skin.add(foot, (x, 0.0, 0.0), _between(1, f"Foot.{letter}", f"Toes.{letter}", BALL - 0.004, BALL + 0.004))
        skin.add(upper, (arm, 0.0, SHOULDERS), f"Upper Arm.{letter}")
        skin.add(fore, (arm, 0.0, SHOULDERS), f"Forearm.{letter}")
    return skin


def _shoe(foot: Shape) -> None:
    """A shoe from heel to toes, whose rings run along it, so that it bends at the ball, and an ankle."""
    sections = [
        (-0.036, 0.020, 0.0, 0.030),
        (-0.025, 0.029, 0.0, 0.040),
        (0.010, 0.029, 0.0, 0.044),
        (BALL - 0.006, 0.031, 0.0, 0.034),
        (BALL + 0.006, 0.031, 0.0, 0.031),
        (0.085, 0.026, 0.0, 0.026),
        (0.097, 0.014, 0.0, 0.020),
    ]
    rings = []
    for y, wide, low, high in sections:
        flat, half = 0.72 * wide, 0.5 * high
        ring = ((-wide, half), (-flat, low), (flat, low), (wide, half), (flat, high), (-flat, high))
        rings.append([(x, y, z) for x, z in ring])
    foot.skin(rings, "shoes")
    foot.column([(0.030, 0.026, 0.032, -0.002), (0.080, 0.023, 0.026, 0.0)], "shoes", sides=6)


def _trunk(skin: Skin) -> None:
    trunk = Shape()
    trunk.column([(-0.045, 0.088, 0.060, 0.0), (0.06, 0.085, 0.060, 0.0), (0.13, 0.081, 0.057, 0.0)], "legs")
    chest = [(0.12, 0.084, 0.060, 0.0), (0.24, 0.098, 0.064, 0.004), (0.31, 0.086, 0.055, 0.0)]
    trunk.column([*chest, (0.345, 0.04, 0.04, 0.0)], "top")
    skin.add(trunk, (0.0, 0.0, HIP), _between(2, "Hips", "Chest", HIP + 0.08, HIP + 0.16))


def _head(skin: Skin) -> None:
    neck, head = Shape(), Shape()
    neck.column([(0.33, 0.030, 0.030, 0.0), (0.39, 0.030, 0.030, 0.004)], "skin")
    head.ball((0.0, 0.006, 0.435), (0.056, 0.063, 0.074), "skin", sides=8, bands=6)
    head.ball((0.0, 0.072, 0.425), (0.011, 0.016, 0.015), "skin")
    for x in (-0.025, 0.025):
        head.ball((x, 0.060, 0.447), (0.008, 0.008, 0.010), "eyes")
    crown = [(0.405, 0.054, 0.042, -0.026), (0.45, 0.064, 0.060, -0.017), (0.48, 0.060, 0.064, -0.003)]
    head.column([*crown, (0.516, 0.026, 0.030, -0.002)], "hair")
    skin.add(neck, (0.0, 0.0, HIP), _between(2, "Chest", "Head", HIP + 0.34, HIP + 0.38))
    skin.add(head, (0.0, 0.0, HIP), "Head")


def _between(axis: int, first: str, second: str, start: float, end: float) -> Weigh:
    """Shares that go over from one bone to another along an axis."""

    def shares(point: Point) -> dict[str, float]:
        part = min(max((point[axis] - start) / (end - start), 0.0), 1.0)
        return {first: 1.0 - part, second: part}

    return shares


THINGS: dict[str, tuple[str, Colors]] = {
    "Suitcase": ("Forearm.R", {"case": "#6b4327", "straps": "#3b2617"}),
    "Box": ("Chest", {"case": "#c79a5d", "straps": "#8f6a3a"}),
    "Backpack": ("Chest", {"case": "#3f6b57", "straps": "#284438"}),
}
"""The bone that carries each thing, and its colors."""
CRATES: dict[str, tuple[tuple[Point, Point], ...]] = {
    "Suitcase": (((0.112, 0.062, 0.385), (0.026, 0.095, 0.065)), ((0.112, 0.062, 0.462), (0.010, 0.030, 0.014))),
    "Box": (((0.0, 0.195, 0.672), (0.098, 0.085, 0.070)), ((0.0, 0.195, 0.740), (0.099, 0.014, 0.004))),
    "Backpack": (((0.0, -0.105, 0.715), (0.070, 0.042, 0.095)), ((0.0, -0.155, 0.690), (0.050, 0.012, 0.050))),
}
"""The middle and half the size of a case and of its straps, of a person one unit tall."""


def thing_mesh(thing: str, size: float) -> Mesh:
    """The mesh of something to carry, in the space of a person of this size at rest."""
    shape = Shape()
    for paint, (middle, half) in zip(("case", "straps"), CRATES[thing]):
        low, high = ((tuple(m + sign * h for m, h in zip(middle, half))) for sign in (-1.0, 1.0))
        shape.box(low, high, paint)
    return shape.mesh(f"Walker {thing}", Paints(f"Walker {thing}", THINGS[thing][1]), size)


CARRYING: Mapping[str, tuple[tuple, ...]] = {
    "Suitcase": (("R", -0.02, 0.06, 0.13),),
    "Box": (("R", 0.42, 1.22, 0.06, 0.12), ("L", 0.42, 1.22, 0.06, 0.12)),
    "Backpack": (),
}
"""How the arms are held of those who carry something, as `arm` takes it, by what they carry."""
LINEAR = 1
"""The number of Blender's linear interpolation."""
SPARSE = 3
"""Every how many frames what stands has keys, which moves slowly."""


def new_clip(rig: Object, name: str, size: float, fps: float) -> Action:
    """An action with a cycle, which begins on frame 1."""
    seconds, pose = CYCLES[name]
    length = max(round(seconds * fps), 4)
    step = 1 if CLIPS[name] == "MOVE" else SPARSE
    frames = np.append(np.arange(0, length, step), length)
    poses = [pose(frame / length) for frame in frames]
    return _action(rig, name, frames + 1.0, poses, size)


def arms_action(rig: Object, thing: str) -> Action:
    """An action of the arms that carry something, and of nothing else: what else a person does comes from the clips."""
    pose = Pose(np.zeros(3), {"Chest": np.eye(3)})
    for held in CARRYING[thing]:
        arm(pose, *held)
    pose.turns.pop("Chest")
    return _action(rig, thing, np.ones(1), [pose], 1.0, tuple(pose.turns))


def _action(
    rig: Object, name: str, frames: np.ndarray, poses: Sequence[Pose], size: float, bones: Iterable[str] = ()
) -> Action:
    """An action with these poses on frames (f,), of some bones or of all."""
    action, slot = new_action(name, rig)
    bag = channelbag_in(action, slot, ensure=True)
    wanted = tuple(bones) or tuple(bone for bone, *_ in BONES)
    for (path, index), values in _channels(rig, poses, size, wanted).items():
        curve = bag.fcurves.new(path, index=index)
        curve.keyframe_points.add(len(frames))
        curve.keyframe_points.foreach_set("co", np.stack((frames, values), axis=1).astype(np.float32).ravel())
        curve.keyframe_points.foreach_set("interpolation", np.full(len(frames), LINEAR, np.uint8))
        curve.update()
    return action


def _channels(
    rig: Object, poses: Sequence[Pose], size: float, wanted: Sequence[str]
) -> Mapping[tuple[str, int], np.ndarray]:
    """The values (f,) of the channels of bones in some poses, by data path and index."""
    rest = {bone.name: doubles(bone.matrix_local)[:3, :3] for bone in rig.data.bones}
    above = {bone: parent for bone, parent, *_ in BONES}
    channels = {}
    for bone in wanted:
        # Against the bone above it, in the space of the model at rest.
        turns = np.stack([pose.turns.get(above[bone], np.eye(3)).T @ pose.turns[bone] for pose in poses])
        numbers = channels_from_matrices((rest[bone].T @ turns @ rest[bone])[:, None], "QUATERNION")[:, 0]
        path = f'pose.bones["{bone}"].rotation_quaternion'
        channels.update({(path, index): numbers[:, index] for index in range(4)})
        if not above[bone]:
            place = size * np.stack([pose.hips for pose in poses]) @ rest[bone]
            path = f'pose.bones["{bone}"].location'
            channels.update({(path, index): place[:, index] for index in range(3)})
    return channels
