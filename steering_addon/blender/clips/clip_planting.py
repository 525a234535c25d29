"""Leg keys that hold the feet of rigs where they stand, on top of what their clips play."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from bpy.utils import escape_identifier

from ...portrayal.clips import Clip, Playing, leading
from ...portrayal.footholds import Carried, Stepping, footholds
from ...portrayal.planes import Ground
from ...portrayal.planting import LEAST, Leg, Skeleton, above, joints_of, planted, product, transposed, turned
from ...portrayal.reach import Reach
from ...portrayal.soft_soles import Soft, as_moved, leans
from ...portrayal.soles import Points
from ...simulation.arrays.vectors import Mask, Rows, Scalars, Vectors, columns, magnitude
from ..animation.rotation_channels import channels_from_matrices, data_path
from ..objects.doubles import doubles
from .clip_record import OF_FEET
from .control_planting import ControlPlanting
from .controls import controls_of
from .feet import Feet, feet_in
from .poses import follows_from_curves, from_channels, mixed_channels, why_inherits_unusually
from .rig import Rig, unevenness
from .rig_keys import Keyed, by_body, keys_of_each, paws_of, without_scale

if TYPE_CHECKING:
    from bpy.types import Action, Object

FEET = OF_FEET.title()
"""The name of the strip that holds feet."""
FRAMES_TOGETHER = 16000
"""Frames of bodies whose feet are computed together at most: with more, a bake answers to Esc too late."""
FOLLOWS = 0.02
"""Model heights by which the end of a shin strays at most from the foot that it follows."""
SOFT = 0.01
"""The share of a point of a sole from which on it matters that another bone than the foot moves it."""
SOLE = 0.02
"""Model heights above the lowest point of a foot up to which points are of its sole."""
UNSCALED = 1e-4
"""What scale channels differ from 1 at most where nothing is scaled, as importers round them."""
MATTERS = 0.1
"""The share of a foot's weight from which on a bone belongs to it."""


def planting_of(
    armature: Object, rig: Rig, clips: Sequence[Clip], actions: Sequence[Action]
) -> tuple[Planting | ControlPlanting | None, str]:
    """What holds the feet of the rigs of one model.

    Args:
        actions: what strips play of `clips`: all of the same channels, closed, and beginning on frame 0.

    Returns:
        None if they are not to be held, and why that cannot be done; empty if they can, or if no clip moves them.
    """
    first = leading(clips)
    if first < 0:
        return None, ""
    feet = feet_in(armature, rig, actions, first)
    if unevenness(rig.matrix):
        return None, f"{_scaled(armature).name} is scaled unevenly: apply its scale, or scale it evenly"
    legs = legs_of(rig, feet.points, feet.poses[first])
    whole = [leg for leg in legs if leg is not None]
    joints = [(leg.thigh, leg.shin, leg.foot) for leg in whole]
    free = rig.part(np.concatenate([*feet.points, np.zeros(0, np.int64)]), np.unique(joints).tolist())
    # Of bones that nothing scales it does not matter how they inherit scale.
    rows = [rig.names.index(name) for name in free.names]
    scaled = any((np.abs(each.scale[:, rows] - 1.0) > UNSCALED).any() for each in feet.channels)
    if not follows_from_curves(armature, free.names, scaled=scaled):
        controls = controls_of(armature, rig, actions[first], feet.poses[first], feet.soles) if feet.soles else None
        if controls is None:
            if why := why_inherits_unusually(armature, free.names, scaled=scaled):
                return None, why
            text = f"constraints or drivers pose the legs of {armature.name}, and no bone moves one foot alone"
            return None, f"{text}: switch the legs to inverse kinematics, and key its controls"
        return ControlPlanting(armature, rig, feet, controls, clips), ""
    if not rig.has_mesh and (len(whole) < len(legs) or not legs):
        return None, f"{armature.name} moves no mesh, whose soles could be held: give it a mesh"
    if not legs or len(whole) < len(legs):
        return None, f"not every foot of {armature.data.name} is below a leg of two bones"
    if _share(whole):
        return None, f"two feet of {armature.data.name} share a leg"
    return Planting(armature, rig, feet, whole, clips), ""


def _scaled(armature: Object) -> Object:
    """Which of an armature and the objects that carry it is scaled unevenly."""
    ob = armature
    while ob.parent is not None and not unevenness(doubles(ob.matrix_basis)):
        ob = ob.parent
    return ob


class Planting:
    """Computes the leg keys of the rigs of one model whose legs follow from their curves."""

    def __init__(
        self,
        armature: Object,
        rig: Rig,
        feet: Feet,
        legs: Sequence[Leg],
        clips: Sequence[Clip],
    ) -> None:
        """`feet` are those in what strips play of `clips`."""
        self._paws = paws_of(rig, feet, clips, [leg.foot for leg in legs])
        self._height, self._rests = rig.height, feet.rests
        # From here on without arms, heads and tails.
        joints = [(leg.thigh, leg.shin, leg.foot) for leg in legs]
        self._rig = rig.part(np.concatenate(feet.soles), np.unique(joints).tolist())
        ends = np.cumsum([len(rows) for rows in feet.soles])
        self._soles = [np.arange(end - len(rows), end) for end, rows in zip(ends, feet.soles)]
        names = self._rig.names
        self._legs = [
            Leg(*(names.index(rig.names[bone]) for bone in bones), leg.end) for bones, leg in zip(joints, legs)
        ]
        self._modes = [armature.pose.bones[name].rotation_mode for name in names]
        self._at_rest = _at_rest(self._rig)
        self._upright = without_scale(self._rig.matrix[:3, :3])
        self._hips = _common([_above(self._rig, leg.thigh) for leg in self._legs])
        of_legs = {bone for leg in self._legs for bone in (leg.thigh, leg.shin, leg.foot)}
        above_them = {int(self._rig.parents[bone]) for bone in (*of_legs, self._hips)}
        self._turning = sorted((of_legs | above_them) - {-1})
        self._apart = any(leg.end is not None for leg in self._legs)
        self._shared = [_shared(self._rig, rows, leg) for rows, leg in zip(self._soles, self._legs)]
        self._are_soft = any(len(rows) for rows, _, _ in self._shared)
        self._tables = [each.of([rig.names.index(name) for name in names]) for each in feet.channels]

    def keys(self, playing: Playing, body: Carried, frame_time: float, ground: Ground | None = None) -> list[Keyed]:
        """The keys of the legs of n rigs on all frames of a run.

        Args:
            playing: (clips, n, f) of them.
            body: they, (n, f).
            frame_time: seconds.
            ground: what they stand on; None for the level of each body.

        Returns:
            those of each rig.
        """
        shape = playing.phase.shape[1:]
        flat = playing.flat()
        mixed = mixed_channels(self._tables, flat)
        poses = from_channels(self._rig, mixed, self._rig.matrix)
        points = self._rig.carried(poses, np.arange(len(self._rig.points)))
        placed = by_body(poses, shape)
        turns = {bone: without_scale(placed[..., bone, :3, :3]) for bone in self._turning}
        skeleton = Skeleton(self._rig.parents, self._at_rest, placed[..., :3, 3], turns, self._upright)
        feet = self._stepping(flat, points, skeleton)
        corrections = footholds(body, feet, self._height, frame_time, ground)
        climb = (body.position[..., 2] - body.origin) / body.size if ground is not None or self._apart else None
        result = planted(skeleton, self._legs, corrections, frame_time, climb=climb)
        if self._are_soft and any(leans(each).any() for each in corrections):
            feet = list(map(as_moved, feet, self._soft(poses, shape), result.moves, corrections))
            corrections = footholds(body, feet, self._height, frame_time, ground)
            result = planted(skeleton, self._legs, corrections, frame_time, climb=climb)
        channels = self._channels(result.turns)
        location = by_body(mixed.location, shape)
        for bone, shift in result.shifts.items():
            channels |= self._location(location, skeleton, bone, shift)
        # Hips that never come down have no keys.
        drops = (np.abs(result.drop) > LEAST).any(axis=1)
        of_hips = {}
        if drops.any():
            down = columns(np.zeros(shape), 0.0, -result.drop)
            of_hips = self._location(location, skeleton, self._hips, down)
        return keys_of_each(channels, of_hips, drops)

    def _soft(self, poses: np.ndarray, shape: tuple[int, int]) -> list[Soft]:
        """The points of each sole that not only the foot moves, in the poses (n f, bones, 4, 4) of n rigs."""
        return [
            Soft(
                rows,
                shares,
                [by_body(self._rig.carried(poses, sole[rows], bones), shape) for bones in parts],
            )
            for sole, (rows, shares, parts) in zip(self._soles, self._shared)
        ]

    def _stepping(self, playing: Playing, points: Points, skeleton: Skeleton) -> list[Stepping]:
        """The feet of n rigs.

        Args:
            playing: (clips, n f) of them, one after the other.
            points: (n f, m, 3) of their soles, in the space of the model.
            skeleton: theirs, alike.
        """
        places = skeleton.places
        shape = places.shape[:2]
        rests = np.einsum("cf,cl->lf", playing.weights(), self._rests)
        return [
            Stepping(
                by_body(points[:, rows], shape),
                rest.reshape(shape),
                paw.correction(playing, places[..., leg.foot, :]) if paw is not None else None,
                _reach(skeleton, leg),
            )
            for rows, rest, paw, leg in zip(self._soles, rests, self._paws, self._legs)
        ]

    def _location(self, location: Vectors, skeleton: Skeleton, bone: int, shift: Vectors) -> Keyed:
        """The location of a bone that is moved, (n, f, 3) metres in the space of the model."""
        start = product(above(skeleton, bone), self._at_rest[bone])
        scale = np.linalg.norm(self._rig.matrix[:3, 0])
        moved = location[:, :, bone] + turned(transposed(start), shift / scale)
        path = f'pose.bones["{escape_identifier(self._rig.names[bone])}"].location'
        return {(path, index): moved[..., index] for index in range(3)}

    def _channels(self, turns: Mapping[int, np.ndarray]) -> dict[tuple[str, int], Scalars]:
        channels = {}
        for bone, matrices in turns.items():
            numbers = channels_from_matrices(matrices.swapaxes(0, 1), self._modes[bone]).swapaxes(0, 1)
            path = f'pose.bones["{escape_identifier(self._rig.names[bone])}"].{data_path(self._modes[bone])}'
            channels.update({(path, index): numbers[..., index] for index in range(numbers.shape[-1])})
        return channels


def _reach(skeleton: Skeleton, leg: Leg) -> Reach:
    hip, knee, ankle = joints_of(skeleton, leg)
    return Reach(hip, ankle, magnitude(knee - hip) + magnitude(ankle - knee))


def _shared(rig: Rig, rows: Rows, leg: Leg) -> tuple[Rows, list[Scalars], list[list[int]]]:
    """Which of the points in some rows (r,) other bones than the foot of a leg move, too.

    Returns:
        their rows among these, (k,), what the thigh, the shin and all else have of each, (k,), and which bones these
        are, each with what is below it.
    """
    parts: dict[int, list[int]] = {leg.thigh: [], leg.shin: [], -1: []}
    for bone in range(len(rig.names)):
        chain = [bone, *_above(rig, bone)]
        part = next((each for each in chain if each in (leg.foot, leg.shin, leg.thigh)), -1)
        if part != leg.foot:
            parts[part].append(bone)
    shares = [np.einsum("rk,rk->r", rig.weights[rows], np.isin(rig.bones[rows], bones)) for bones in parts.values()]
    soft = np.flatnonzero(sum(shares) > SOFT)
    return soft, [share[soft] for share in shares], list(parts.values())


def legs_of(rig: Rig, feet: Sequence[Rows], poses: np.ndarray) -> list[Leg | None]:
    """The leg above each foot, as `leg_of`.

    Shins that end near the ground, as those of blocky models, may seem to be of the foot. Where that leaves no leg for
    each, only the lowest points count.
    """
    legs = [leg_of(rig, rows, poses) for rows in feet]
    if not any(leg is None for leg in legs) and not _share(legs):
        return legs
    heights = rig.heights(poses).min(axis=0)
    soles = [rows[heights[rows] < heights[rows].min() + SOLE * rig.height] for rows in feet]
    lower = [leg_of(rig, rows, poses) for rows in soles]
    return legs if any(leg is None for leg in lower) or _share(lower) else lower


def _share(legs: Sequence[Leg | None]) -> bool:
    """Whether two feet have a leg in common."""
    thighs = [leg.thigh for leg in legs if leg is not None]
    return len(set(thighs)) < len(thighs)


def leg_of(rig: Rig, rows: Rows, poses: np.ndarray) -> Leg | None:
    """The leg above a foot; None if there are no two bones above it, and a body.

    Args:
        rows: of the points of the foot.
        poses: (f, n, 4, 4) of the bones in a clip.
    """
    weight = np.bincount(rig.bones[rows].ravel(), rig.weights[rows].ravel(), minlength=len(rig.names))
    bones = np.flatnonzero(weight > MATTERS * weight.sum())
    tops = [bone for bone in bones if rig.parents[bone] not in bones]
    foot = max(tops, key=lambda bone: weight[bone], default=-1)
    if foot < 0:
        return None
    above_it = _above(rig, foot)
    if len(above_it) > 2:
        return Leg(above_it[1], above_it[0], foot)
    shin, end = _following(rig, foot, poses)
    above_it = _above(rig, shin) if shin >= 0 else []
    return Leg(above_it[0], shin, foot, end) if len(above_it) > 1 else None


def _following(rig: Rig, foot: int, poses: np.ndarray) -> tuple[int, tuple[float, float, float]]:
    """The bone whose end follows a foot without a parent, -1 for none, and where it ends, metres in its own axes.

    It is the nearest one in whose axes the foot stays where it is, of those that move some of the model if there are
    any: at the ends of chains FBX files have bones that do not. Legs of such models were posed by inverse kinematics,
    of which only the result is left.
    """
    heads = poses[..., :3, 3] * np.linalg.norm(rig.matrix[:3, 0])
    to_foot = np.einsum("fnji,fnj->fni", without_scale(poses[..., :3, :3]), heads[:, foot, None] - heads)
    ends = to_foot.mean(axis=0)
    strays = np.linalg.norm(to_foot - ends, axis=2).max(axis=0)
    below = np.array([foot in (bone, *_above(rig, bone)) for bone in range(len(rig.names))])
    follow = ~below & (strays < FOLLOWS * rig.height)
    moving = follow & _moves_points(rig)
    follows = np.flatnonzero(moving if moving.any() else follow)
    shin = int(min(follows, key=lambda bone: np.linalg.norm(ends[bone]), default=-1))
    return shin, tuple(ends[shin].tolist())


def _moves_points(rig: Rig) -> Mask:
    """Whether each bone, or one below it, moves points of the model, (n,)."""
    moves: Mask = np.bincount(rig.bones.ravel(), rig.weights.ravel(), minlength=len(rig.names)) > 0.0
    for bone in np.flatnonzero(moves).tolist():
        moves[_above(rig, bone)] = True
    return moves


def _above(rig: Rig, bone: int) -> list[int]:
    """The bones above a bone, the nearest first."""
    above = []
    while (bone := int(rig.parents[bone])) >= 0:
        above.append(bone)
    return above


def _common(chains: Sequence[Sequence[int]]) -> int:
    """The first bone that is in all chains; the last of the first one if none is."""
    return next((bone for bone in chains[0] if all(bone in chain for chain in chains)), chains[0][-1])


def _at_rest(rig: Rig) -> np.ndarray:
    """How each bone is turned to its parent at rest, (n, 3, 3)."""
    turns = without_scale(rig.rest[:, :3, :3])
    above = np.where((rig.parents >= 0)[:, None, None], turns[rig.parents], np.eye(3))
    return np.einsum("nji,njk->nik", above, turns)
