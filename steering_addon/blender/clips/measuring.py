"""Measures the clips of a model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Action, Object, Scene

from ...portrayal.clips import PHASES, Clip, leading
from ...portrayal.feet.soles import find_feet
from ...portrayal.gait import UNSURE, Sampled, matched, measured
from ...simulation.arrays.frozen import replace
from ...simulation.arrays.scalars import Rows
from ..animation.animation_data import is_animated, posed_block
from ..objects.body_sizes import stands_upright
from ..objects.doubles import model_axes
from ..objects.hierarchy import Family
from ..refusal import Refusal
from .poses import bone_channel, follows_from_curves, phases_of, played_curves, poses_of, span, values_on
from .rig import Rig, rig_of, to_model
from .shapes import Shapes, shapes_of

LOW = 0.06
"""Points that come within this share of the height of the lowest one may be of a foot."""
SEARCHED = 8
"""Every eighth phase is searched for such points."""
MOST = 32
"""Points looked at of what moves with one bone, the lowest ones."""
NEAR = 0.3
"""Model heights above the lowest point of a body in which its feet are, however steep the ground."""
OFTEN = 0.5
"""Points near the ground for less than this share of the busiest point's time are of a cape, or of knees on stairs."""
MOSTLY = 0.25
"""The share of the time for which a sole is on the ground: points are as low as they are for this long."""
HIGH = 0.12
"""Model heights above the lowest bone of those whose points are low, from which on a bone may carry a leg."""
LEG = 3
"""Bones from a foot up to what carries its leg, or from its toes to its thigh, at least."""
FASTEST = {True: 9.0, False: 35.0}
"""The greatest speed of what stands upright, and of other bodies, a metre high, in m/s: of a person 12, the fastest
sprint; of a cheetah 30."""
STILL = 1e-5
"""A change that is less is none."""


@dataclass(frozen=True)
class Posed:
    """The poses of a rig over a cycle of a clip. `seconds`: of the cycle; `poses`: (PHASES + 1, n, 4, 4) of the bones,
    or (PHASES + 1, k) the values of shape keys; `low`: (r,) rows of the points that come near the ground."""

    action: Action
    seconds: float
    poses: np.ndarray
    low: Rows


def measured_clips(
    model: Object, actions: Sequence[Action], scene: Scene, family: Family, front: tuple[str, str] = ("NEG_Y", "Z")
) -> list[Clip]:
    """Measure actions as clips of a model, with phases that match each other. Refused if no part of it plays clips, or
    an action has no length or does not move it. `model`: the object that carries what plays the clips, maybe that
    itself; `scene`: whose frame rate they play at; `front`: the forward and the up axis of the model."""
    armature = player_of(model, family)
    rig = shape_of(armature, model, family, front)
    if not rig.height > 0.0:
        raise Refusal(f"{model.name} has no height: its feet cannot be found. Give it a mesh.", about=[model])
    cycles = [_pose_clip(armature, rig, action, scene) for action in actions]
    clips = [measured(_sample(rig, cycle, cycle.low), rig.height) for cycle in cycles]
    clips = _doubt_fast(clips, fastest(rig))
    lead = leading(clips)
    if lead < 0:
        return clips
    walk = _sample(rig, cycles[lead], cycles[lead].low)
    groups = [foot.points for foot in find_feet(walk.points, rig.height)]
    for row, cycle in enumerate(cycles):
        # Feet that hardly move, as on a turn on the spot, are distinguished by how they walk, and so are those of runs
        # in which hands pass the ground.
        if clips[row].speed == 0.0 or len(find_feet(_sample(rig, cycle, cycle.low).points, rig.height)) != len(groups):
            clips[row] = measured(_sample(rig, cycle, cycles[lead].low), rig.height, groups=groups)
    clips = _doubt_fast(clips, fastest(rig))
    return matched(clips, [_sample(rig, cycle, cycles[lead].low) for cycle in cycles], rig.height)


def fastest(shape: Rig | Shapes) -> float:
    """The speed in m/s above which a model does not go on its feet; it scales with the root of the height (Froude)."""
    points = shape.at_rest()
    return FASTEST[stands_upright(-points[:, 1], points[:, 2])] * float(np.sqrt(shape.height))


def _doubt_fast(clips: Sequence[Clip], limit: float) -> list[Clip]:
    """Clips of which none faster than `limit`, m/s, is sure."""
    return [replace(clip, sure=min(clip.sure, UNSURE)) if clip.speed > limit else clip for clip in clips]


def shape_of(player: Object, model: Object, family: Family, front: tuple[str, str]) -> Rig | Shapes:
    """The shape of what plays the clips of a model with this forward and up axis."""
    axes = axes_of(*front)
    if player.type == "MESH":
        return shapes_of(player, to_model(player, model, axes))
    return rig_of(player, model, family, axes)


def player_of(model: Object, family: Family) -> Object:
    """As `player_below`. Refused if there is none."""
    player = player_below(model, family)
    if player is not None:
        return player
    text = f"{model.name} has no armature or shape keys that could play a clip"
    raise Refusal(f"{text}. Choose a model with some.", about=[model])


def player_below(model: Object, family: Family) -> Object | None:
    """The part of a model that plays its clips: an armature, else a mesh with shape keys; None without one. Itself, or
    the first one below it of those that are animated, or of all."""
    if model.type == "ARMATURE":
        return model
    players = [part for part in (model, *family.descendants(model)) if posed_block(part) is not None]
    players = [part for part in players if part.type == "ARMATURE"] or players
    return next((part for part in players if is_animated(posed_block(part))), players[0] if players else None)


def moved_along(model: Object, family: Family, player: Object) -> list[Object]:
    """The other meshes of a model whose shape keys are animated, by name; none if an armature plays its clips."""
    parts = [part for part in (model, *family.descendants(model)) if part.type == "MESH" and part != player]
    blocks = {part: posed_block(part) for part in parts} if player.type == "MESH" else {}
    moving = (part for part, keys in blocks.items() if keys is not None and keys.animation_data is not None)
    return sorted(moving, key=lambda part: part.name)


def axes_of(forward: str, up: str) -> np.ndarray:
    """The left, back and up of a model as rows (3, 3), from its forward and up axes."""
    side, forward_axis, up_axis = model_axes(forward, up).T
    return np.stack((-side, -forward_axis, up_axis))


def _pose_clip(armature: Object, rig: Rig | Shapes, action: Action, scene: Scene) -> Posed:
    first, last = span(action)
    if not last > first:
        raise Refusal(f"{action.name} is a single pose. Choose an action with at least two keys.")
    frames = phases_of(action)[:-1]
    bent_by_keys = isinstance(rig, Shapes)
    poses = rig.poses_in(armature, action, frames) if bent_by_keys else poses_of(armature, rig, action, frames)
    if np.ptp(poses, axis=0).max(initial=0.0) < STILL:
        _check_is_still(armature, action, frames)
    return Posed(
        action=action,
        seconds=(last - first) * scene.render.fps_base / scene.render.fps,
        poses=poses,
        low=low_points(rig, poses[::SEARCHED]),
    )


def _check_is_still(armature: Object, action: Action, frames: np.ndarray) -> None:
    """Refuse an action that changes something, but nothing that an armature or shape keys show."""
    if armature.type != "ARMATURE":
        text = f"{action.name} moves no shape key of {armature.name}. Choose an action that was made for it."
        raise Refusal(text, about=[armature])
    changing = [curve for curve in played_curves(action, armature) if np.ptp(values_on(curve, frames)) > STILL]
    bones = {bone_channel(curve.data_path)[0] for curve in changing}
    if changing and not any(bone in armature.pose.bones for bone in bones):
        text = f"{action.name} moves no bone of {armature.name}. Choose an action that was made for it."
        raise Refusal(text, about=[armature])
    if changing and not follows_from_curves(armature):
        text = f"{action.name} keys bones of {armature.name} that constraints or drivers pose, so that nothing moves"
        raise Refusal(f"{text}. Choose an action that keys its controls.", about=[armature])


def low_points(rig: Rig | Shapes, poses: np.ndarray) -> Rows:
    """The rows of the points that come near the lowest one in some poses (f, n, 4, 4), the lowest ones of each bone."""
    return low_in(rig, rig.heights(poses))


def low_on(rig: Rig, poses: np.ndarray, above: Callable[[Rows], np.ndarray]) -> Rows:
    """As `low_points` on uneven ground: the points that often are near it. `above` gives the heights above the ground,
    (f, r) metres, of the points in some rows (r,)."""
    heights = rig.heights(poses)
    rows = low_in(rig, heights - heights.min(axis=1, keepdims=True), NEAR)
    ground_heights = above(rows)
    shares = np.mean(np.abs(ground_heights) < LOW * rig.height, axis=0)
    is_often = shares >= OFTEN * shares.max()
    return _lowest_of_each_bone(rig, rows[is_often], np.quantile(ground_heights[:, is_often], MOSTLY, axis=0))


def low_in(rig: Rig | Shapes, heights: np.ndarray, band: float = LOW) -> Rows:
    """As `low_points`, from the heights of all points, (f, m) metres above level ground or above what a body stands on.
    `band` is the share of the height of the model that counts as near."""
    lowest = heights.min(axis=0)
    low = np.flatnonzero(lowest < lowest.min() + band * rig.height)
    return _lowest_of_each_bone(rig, low, lowest[low])


def _lowest_of_each_bone(rig: Rig | Shapes, rows: Rows, heights: np.ndarray) -> Rows:
    """Of the points in some rows (r,), with these heights (r,), the lowest ones that move with each bone."""
    order = np.argsort(heights, kind="stable")
    bones = rig.parts_of(rows[order])
    of_feet = np.unique(bones).tolist() if isinstance(rig, Shapes) else _without_legs(rig, np.unique(bones).tolist())
    lowest = [order[np.flatnonzero(bones == bone)[:MOST]] for bone in of_feet]
    return np.sort(rows[np.concatenate(lowest)])


def _without_legs(rig: Rig, low: Sequence[int]) -> list[int]:
    """Leave out bones that carry legs, of those whose points come near the ground. A robe that hips or thighs move is
    as low as the feet that they carry, and stands still while these step."""
    heights = rig.rest[:, :3, 3] @ rig.matrix[2, :3]
    is_high = heights > heights[list(low)].min() + HIGH * rig.height
    carriers = set()
    for bone in low:
        carriers.update(parent for parent in [bone, *rig.above(bone)][LEG:] if is_high[parent])
    return [bone for bone in low if bone not in carriers]


def _sample(rig: Rig | Shapes, posed: Posed, rows: Rows) -> Sampled:
    heads = rig.places(posed.poses)
    shifts = heads[-1] - heads[0]
    if isinstance(rig, Rig):
        # Bones that carry nothing, such as the root of a rig whose hips walk away, may stay behind.
        carrying = np.unique(rig.bones[rig.weights > 0.0])
        shifts = shifts[carrying if len(carrying) else slice(None)]
    shifts = shifts - np.median(shifts, axis=0) * (1.0, 1.0, 0.0)
    steps = np.linalg.norm(np.diff(heads, axis=0), axis=2).mean()
    return Sampled(
        name=posed.action.name,
        seconds=posed.seconds,
        points=rig.posed_points(posed.poses, rows),
        liveliness=float(steps * PHASES / posed.seconds / rig.height),
        gap=float(np.linalg.norm(shifts, axis=1).max()),
        posture=float(heads[..., 2].mean() + rig.matrix[2, 3]),
    )
