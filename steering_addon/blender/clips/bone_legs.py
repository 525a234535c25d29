"""Legs of two bones that are free to bend: how they are found, and how they are keyed."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from bpy.types import Object

from ...portrayal.clips import Playing
from ...portrayal.feet.rotations import multiply, rotate, transpose
from ...portrayal.feet.solving import BentLeg, Held, Leg, Skeleton, SoftPoints, bend, leans, rotation_channels
from ...portrayal.feet.treads import Stepping
from ...simulation.arrays.scalars import Rows, Scalars
from ...simulation.arrays.vectors import Vectors, columns
from .feet import Feet
from .poses import from_channels, mixed_channels
from .rig import Rig
from .rig_keys import Keyed, by_body, location_keys, rotation_keys, without_scale

FOLLOWS = 0.02
"""Model heights by which the end of a shin strays at most from the foot that it follows."""
SOFT = 0.01
"""The share of a point of a sole from which on it matters that another bone than the foot moves it."""
SOLE = 0.02
"""Model heights above the lowest point of a foot up to which points are of its sole."""
MATTERS = 0.1
"""The share of a foot's weight from which on a bone belongs to it."""


class BoneLegs:
    """The legs of the rigs of one model, keyed by their bones. `carriers`: rows of the bones that carry feet."""

    def __init__(self, armature: Object, rig: Rig, feet: Feet, legs: Sequence[Leg]) -> None:
        self.carriers = [leg.foot for leg in legs]
        # From here on without arms, heads and tails.
        bones = np.unique([leg.bones for leg in legs]).tolist()
        self.rig = rig.part(np.concatenate(feet.soles), bones)
        ends = np.cumsum([len(rows) for rows in feet.soles])
        self.soles = [np.arange(end - len(rows), end) for end, rows in zip(ends, feet.soles)]
        names = self.rig.names
        self.legs = [Leg(*(names.index(rig.names[bone]) for bone in leg.bones), leg.end) for leg in legs]
        self.modes = [armature.pose.bones[name].rotation_mode for name in names]
        turns = without_scale(self.rig.rest[:, :3, :3])
        parent_turns = np.where((self.rig.parents >= 0)[:, None, None], turns[self.rig.parents], np.eye(3))
        self.at_rest = np.einsum("nji,njk->nik", parent_turns, turns)
        above_legs = [self.rig.above(leg.thigh) for leg in self.legs]
        # The bone next above all legs, or the last one above the first leg.
        common = (bone for bone in above_legs[0] if all(bone in chain for chain in above_legs))
        self.hips = next(common, above_legs[0][-1])
        leg_bones = {bone for leg in self.legs for bone in leg.bones}
        parents = {int(self.rig.parents[bone]) for bone in (*leg_bones, self.hips)}
        self.turning = sorted((leg_bones | parents) - {-1})
        self.shared = [_soft_points(self.rig, rows, leg) for rows, leg in zip(self.soles, self.legs)]
        self._tables = [channels.of([rig.names.index(name) for name in names]) for channels in feet.channels]

    def lowers_hips(self, *, on_ground: bool) -> bool:
        """Whether hips come down so that feet are reached; else a foot leaves the ground a little earlier."""
        return on_ground or any(leg.end is not None for leg in self.legs)

    def pose(self, playing: Playing, shape: tuple[int, int]) -> "PosedBones":
        """Pose the legs of n rigs as their clips do; `playing` (clips, n f): one rig after the other."""
        mixed = mixed_channels(self._tables, playing)
        poses = from_channels(self.rig, mixed, self.rig.matrix)
        return PosedBones(self, by_body(mixed.location, shape), poses, shape)


class PosedBones:
    """The legs of n rigs on f frames. `soles`: (n, f, m, 3) the points of the sole of each foot, in the space of the
    model; `places`: (n, f, 3) where what carries each foot is; `reaches`: how far each leg reaches."""

    def __init__(self, legs: BoneLegs, location: Vectors, poses: np.ndarray, shape: tuple[int, int]) -> None:
        """`location` (n, f, bones, 3) as channels have it, `poses` (n f, bones, 4, 4) in the space of the model."""
        self._legs, self._location, self._poses, self._shape = legs, location, poses, shape
        rig = legs.rig
        points = rig.points_by_bones(poses, np.arange(len(rig.points)))
        self.soles = [by_body(points[:, rows], shape) for rows in legs.soles]
        placed = by_body(poses, shape)
        turns = {bone: without_scale(placed[..., bone, :3, :3]) for bone in legs.turning}
        upright = without_scale(rig.matrix[:3, :3])
        self._skeleton = Skeleton(rig.parents, legs.at_rest, placed[..., :3, 3], turns, upright)
        self.places = [self._skeleton.places[..., leg.foot, :] for leg in legs.legs]
        self.reaches = [self._skeleton.reach(leg) for leg in legs.legs]

    def _bend(self, held: Held) -> list[BentLeg]:
        return [
            bend(self._skeleton, leg, reach, correction, held.drop)
            for leg, reach, correction in zip(self._legs.legs, self.reaches, held.corrections)
        ]

    def soften(self, feet: Sequence[Stepping], held: Held) -> list[Stepping] | None:
        """The feet, with soles moved by each of their bones; None if they move as a whole."""
        legs, rig = self._legs, self._legs.rig
        if not any(len(rows) for rows, _, _ in legs.shared) or not any(leans(foot).any() for foot in held.corrections):
            return None
        softened = []
        of_feet = zip(feet, legs.soles, legs.shared, zip(legs.legs, self._bend(held), held.corrections))
        for foot, sole, (rows, shares, groups), bent_leg in of_feet:
            carried = [by_body(rig.points_by_bones(self._poses, sole[rows], bones), self._shape) for bones in groups]
            points = SoftPoints(rows, shares, carried).moved_back(foot.points, self._skeleton, *bent_leg)
            softened.append(replace(foot, points=points))
        return softened

    def keys(self, held: Held) -> Keyed:
        """The keys of the legs of all rigs, (n, f)."""
        legs, keyed, bent_legs = self._legs, {}, self._bend(held)
        for leg, bent_leg, correction in zip(legs.legs, bent_legs, held.corrections):
            for bone, turns in rotation_channels(self._skeleton, leg, bent_leg, correction).items():
                keyed |= rotation_keys(legs.rig.names[bone], legs.modes[bone], turns)
        for leg, bent_leg, position in zip(legs.legs, bent_legs, self.places):
            if leg.end is not None:
                keyed |= self._shift_keys(leg.foot, bent_leg.ankle - position)
        return keyed

    def hip_keys(self, drop: Scalars) -> Keyed:
        """The keys of hips that are lower by (n, f) metres."""
        return self._shift_keys(self._legs.hips, columns(np.zeros(drop.shape), 0.0, -drop))

    def _shift_keys(self, bone: int, shift: Vectors) -> Keyed:
        """The keys of a bone that is moved, (n, f, 3) metres in the space of the model."""
        start = multiply(self._skeleton.above(bone), self._legs.at_rest[bone])
        scale = np.linalg.norm(self._legs.rig.matrix[:3, 0])
        location = self._location[:, :, bone] + rotate(transpose(start), shift / scale)
        return location_keys(self._legs.rig.names[bone], location)


def _soft_points(rig: Rig, rows: Rows, leg: Leg) -> tuple[Rows, list[Scalars], list[list[int]]]:
    """Find the points in some rows (r,) that other bones than the foot of a leg move, too.

    Returns:
        their rows among these, (k,), the shares of each that the thigh, the shin and all else have, (k,), and the bones
        of these three, each with those below it.
    """
    bones_of: dict[int, list[int]] = {leg.thigh: [], leg.shin: [], -1: []}
    for bone in range(len(rig.names)):
        chain = [bone, *rig.above(bone)]
        carrier = next((above for above in chain if above in (leg.foot, leg.shin, leg.thigh)), -1)
        if carrier != leg.foot:
            bones_of[carrier].append(bone)
    shares = [np.einsum("rk,rk->r", rig.weights[rows], np.isin(rig.bones[rows], bones)) for bones in bones_of.values()]
    soft = np.flatnonzero(sum(shares) > SOFT)
    return soft, [shares_of_part[soft] for shares_of_part in shares], list(bones_of.values())


def find_legs(rig: Rig, feet: Sequence[Rows], poses: np.ndarray) -> list[Leg | None]:
    """Find the leg above each foot, as `find_leg`. Shins that end near the ground, as those of blocky models, may seem
    to be of the foot. Where that leaves no leg for each, only the lowest points count."""
    legs = [find_leg(rig, rows, poses) for rows in feet]
    if not any(leg is None for leg in legs) and not share_a_leg(legs):
        return legs
    heights = rig.heights(poses).min(axis=0)
    soles = [rows[heights[rows] < heights[rows].min() + SOLE * rig.height] for rows in feet]
    lower = [find_leg(rig, rows, poses) for rows in soles]
    return legs if any(leg is None for leg in lower) or share_a_leg(lower) else lower


def share_a_leg(legs: Sequence[Leg | None]) -> bool:
    """Whether two feet have a leg in common."""
    thighs = [leg.thigh for leg in legs if leg is not None]
    return len(set(thighs)) < len(thighs)


def find_leg(rig: Rig, rows: Rows, poses: np.ndarray) -> Leg | None:
    """The leg above a foot; None if there are no two bones above it, and a body. `rows`: of the points of the foot;
    `poses`: (f, n, 4, 4) of the bones in a clip."""
    weight = np.bincount(rig.bones[rows].ravel(), rig.weights[rows].ravel(), minlength=len(rig.names))
    bones = np.flatnonzero(weight > MATTERS * weight.sum())
    tops = [bone for bone in bones if rig.parents[bone] not in bones]
    foot = max(tops, key=lambda bone: weight[bone], default=-1)
    if foot < 0:
        return None
    uppers = rig.above(foot)
    if len(uppers) > 2:
        return Leg(uppers[1], uppers[0], foot)
    shin, end = _find_shin(rig, foot, poses)
    uppers = rig.above(shin) if shin >= 0 else []
    return Leg(uppers[0], shin, foot, end) if len(uppers) > 1 else None


def _find_shin(rig: Rig, foot: int, poses: np.ndarray) -> tuple[int, tuple[float, float, float]]:
    """The bone whose end follows a foot without a parent, -1 for none, and where it ends, metres in its own axes.

    It is the nearest one in whose axes the foot stays where it is, of those that move some of the model if there are
    any: at the ends of chains FBX files have bones that do not. Legs of such models were posed by inverse kinematics,
    of which only the result is left.
    """
    heads = poses[..., :3, 3] * np.linalg.norm(rig.matrix[:3, 0])
    to_foot = np.einsum("fnji,fnj->fni", without_scale(poses[..., :3, :3]), heads[:, foot, None] - heads)
    ends = to_foot.mean(axis=0)
    strays = np.linalg.norm(to_foot - ends, axis=2).max(axis=0)
    carries_foot = np.array([foot in (bone, *rig.above(bone)) for bone in range(len(rig.names))])
    follow = ~carries_foot & (strays < FOLLOWS * rig.height)
    moves = np.bincount(rig.bones.ravel(), rig.weights.ravel(), minlength=len(rig.names)) > 0.0
    for bone in np.flatnonzero(moves).tolist():
        moves[rig.above(bone)] = True
    moving = follow & moves
    follows = np.flatnonzero(moving if moving.any() else follow)
    shin = int(min(follows, key=lambda bone: np.linalg.norm(ends[bone]), default=-1))
    return shin, tuple(ends[shin].tolist())
