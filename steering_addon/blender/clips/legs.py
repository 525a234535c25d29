"""The feet of rigs, and the legs by which they are held: two bones that bend, or what controls of feet pose."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Action, Object

from ...portrayal.clips import Playing, mixed_tables
from ...portrayal.feet.rotations import in_axes, multiply, orthonormalize, rotate, transpose
from ...portrayal.feet.soles import find_feet, resting_height
from ...portrayal.feet.solving import BentLeg, Held, Leg, Skeleton, SoftPoints, bend, carry, leans, rotation_channels
from ...portrayal.feet.treads import LegReach, Stepping
from ...simulation.arrays.scalars import Rows, Scalars
from ...simulation.arrays.vectors import Vectors, columns
from .controls import Controls, RigControl, location_axes
from .measuring import MOSTLY, SEARCHED, low_points
from .poses import Channels, channels_of, follows_from_curves, from_blender, from_channels, mixed_channels, phases_of
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
MOST = 12
"""Places of a sole that are looked at, the lowest ones."""
TOES = 2
"""Bones from that of the heel to that of the toes at most."""


@dataclass(frozen=True)
class Feet:
    """The feet of a rig in clips.

    Attributes:
        channels: of each clip, those of all bones on PHASES + 2 rows: at each phase, and over its end, as phases may be
            rounded up.
        poses: of each clip, (PHASES + 2, n, 4, 4), alike.
        points: the rows of the points of each foot.
        soles: the rows of those that it stands on.
        rests: (clips, feet) the heights at which they rest, metres.
    """

    channels: list[Channels]
    poses: list[np.ndarray]
    points: list[Rows]
    soles: list[Rows]
    rests: np.ndarray


def read_feet(armature: Object, rig: Rig, actions: Sequence[Action], first: int) -> Feet:
    """The feet of a rig, as they are found in the clip in row `first`."""
    frames = [phases_of(action) for action in actions]
    channels = [channels_of(armature, rig, *clip) for clip in zip(actions, frames)]
    if follows_from_curves(armature):
        poses = [from_channels(rig, clip_channels) for clip_channels in channels]
    else:
        poses = [from_blender(armature, rig, *clip) for clip in zip(actions, frames)]
    low = low_points(rig, poses[first][::SEARCHED])
    feet = _join_toes(rig, [low[foot.points] for foot in find_feet(rig.posed_points(poses[first], low), rig.height)])
    heights = rig.heights(poses[first])
    soles = [_sole(rig, rows, heights) for rows in feet]
    rests = [[resting_height(rig.posed_points(clip_poses, rows), rig.height) for rows in soles] for clip_poses in poses]
    return Feet(
        channels=channels, poses=poses, points=feet, soles=soles, rests=np.array(rests).reshape(len(actions), len(feet))
    )


def _sole(rig: Rig, foot: Rows, heights: np.ndarray) -> Rows:
    """The rows of the points that a foot stands on, of all that move with its bones.

    A heel may dip into the ground as it is put down: that does not make it lower than the toes. Flat faces have points
    of their own at the same place, of which one is enough. `foot`: the rows of points of it; `heights`: (f, m) metres
    of all points on the frames of a cycle.
    """
    rows = np.flatnonzero(np.isin(rig.parts_of(np.arange(len(rig.points))), rig.parts_of(foot)))
    sole_heights = heights[:, rows]
    order = np.argsort(np.quantile(sole_heights, MOSTLY, axis=0), kind="stable")
    rows = rows[np.concatenate((np.argmin(sole_heights, axis=1), order))]
    _, first_rows = np.unique(rig.points[rows], axis=0, return_index=True)
    return rows[np.sort(first_rows)[:MOST]]


def _join_toes(rig: Rig, groups: Sequence[Rows]) -> list[Rows]:
    """Merge the points (r,) of each heel with those of its toes: in a run they do not touch the ground together."""
    bones = [int(np.bincount(rig.bones[rows].ravel(), rig.weights[rows].ravel()).argmax()) for rows in groups]
    feet: dict[int, list[Rows]] = {}
    for bone, rows in zip(bones, groups):
        top = parent = bone
        for _ in range(TOES):
            parent = int(rig.parents[parent]) if parent >= 0 else -1
            top = parent if parent in bones else top
        feet.setdefault(top, []).append(rows)
    return [np.sort(np.concatenate(rows)) for rows in feet.values()]


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
    """Find the points in some rows (r,) that other bones than the foot of a leg move, too. Returns their rows among
    these, (k,), the shares of each that the thigh, the shin and all else have, (k,), and the bones of these three, each
    with those below it."""
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


@dataclass(frozen=True)
class _Tables:
    """A control in each clip at each phase, (PHASES + 2, ...).

    Attributes:
        axes: (3, 3) how it would be turned without its own rotation, in the armature's space.
        basis: (3, 3) the axes of its location, as columns.
        origin: (3,) where it would be without its own location.
        sole, ankle: (m, 3) and (3,) in its own axes.
        hip: (3,) in the armature's space.
    """

    axes: list[np.ndarray]
    basis: list[np.ndarray]
    origin: list[np.ndarray]
    sole: list[np.ndarray]
    ankle: list[np.ndarray]
    hip: list[np.ndarray]


class ControlLegs:
    """The controls of the feet of the rigs of one model; `carriers` are their rows."""

    def __init__(self, armature: Object, rig: Rig, feet: Feet, controls: Controls) -> None:
        self.rig, self.controls, self.hips = rig, controls.feet, controls.hips
        self.carriers = [control.bone for control in controls.feet]
        bones = self.carriers + [controls.hips] * (controls.hips >= 0)
        names = rig.part(np.zeros(0, np.int64), bones).names
        self.rows = {bone: names.index(rig.names[bone]) for bone in bones}
        self.modes = {bone: armature.pose.bones[rig.names[bone]].rotation_mode for bone in bones}
        self._channels = [channels.of([rig.names.index(name) for name in names]) for channels in feet.channels]
        local = {bone: armature.data.bones[rig.names[bone]].use_local_location for bone in bones}
        lengths = [bone.length for bone in map(armature.data.bones.get, rig.names)]
        self._tables = []
        for control, sole in zip(controls.feet, feet.soles):
            of_clips = [
                self._table(poses, channels, control, sole, local[control.bone], lengths)
                for poses, channels in zip(feet.poses, self._channels)
            ]
            self._tables.append(_Tables(*map(list, zip(*of_clips))))
        if controls.hips >= 0:
            self._hip_axes = [location_axes(rig, controls.hips, poses, local[controls.hips]) for poses in feet.poses]

    def _table(
        self,
        poses: np.ndarray,
        channels: Channels,
        control: RigControl,
        sole: np.ndarray,
        is_local: bool,
        lengths: Sequence[float],
    ) -> tuple[np.ndarray, ...]:
        """A control in one clip, in the order of `_Tables`."""
        bone, row, to_model = control.bone, self.rows[control.bone], self.rig.matrix
        axes, position = without_scale(poses[:, bone, :3, :3]), poses[:, bone, :3, 3]
        basis = location_axes(self.rig, bone, poses, is_local)
        before = multiply(axes, without_scale(channels.matrices(slice(row, row + 1))[:, 0, :3, :3]).transpose(0, 2, 1))
        origin = position - np.einsum("fij,fj->fi", basis, channels.location[:, row])
        points = (self.rig.posed_points(poses, sole) - to_model[:3, 3]) @ np.linalg.inv(to_model[:3, :3]).T
        points_inside = np.einsum("fji,fmj->fmi", axes, points - position[:, None])
        leg = control.leg
        if leg is None:
            return before, basis, origin, points_inside, np.zeros_like(position), np.zeros_like(position)
        end = poses[:, leg.end]
        ankle = end[:, :3, 3] + without_scale(end[:, :3, :3])[..., 1] * lengths[leg.end]
        return (
            before,
            basis,
            origin,
            points_inside,
            np.einsum("fji,fj->fi", axes, ankle - position),
            poses[:, leg.top, :3, 3],
        )

    def lowers_hips(self, *, on_ground: bool) -> bool:
        """Whether hips come down so that feet are reached: not where no control carries them."""
        return on_ground and self.hips >= 0

    def pose(self, playing: Playing, shape: tuple[int, int]) -> "PosedControls":
        """Pose the controls of n rigs as their clips do; `playing` (clips, n f): one rig after the other."""
        return PosedControls(self, mixed_channels(self._channels, playing), self._tables, playing, shape)

    def hip_axes(self, playing: Playing) -> np.ndarray:
        """The axes of the location of the hips as columns, (n f, 3, 3)."""
        return mixed_tables(self._hip_axes, playing)


class PosedControls:
    """The controls of n rigs on f frames; attributes as of `PosedBones`."""

    def __init__(
        self, legs: ControlLegs, mixed: Channels, tables: Sequence[_Tables], playing: Playing, shape: tuple[int, int]
    ) -> None:
        self._legs, self._mixed, self._playing, self._shape = legs, mixed, playing, shape
        self._scale = float(np.linalg.norm(legs.rig.matrix[:3, 0]))
        self._to_armature = without_scale(legs.rig.matrix[:3, :3]).T
        self.soles: list[np.ndarray] = []
        self.places: list[Vectors] = []
        self.reaches: list[LegReach | None] = []
        # Of each control: its own rotation, how it is turned, and the axes of its location.
        self._turns: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        for control, table in zip(legs.controls, tables):
            row = legs.rows[control.bone]
            rotation = without_scale(mixed.matrices(slice(row, row + 1))[:, 0, :3, :3])
            basis = mixed_tables(table.basis, playing)
            position = mixed_tables(table.origin, playing) + rotate(basis, mixed.location[:, row])
            axes = multiply(orthonormalize(mixed_tables(table.axes, playing)), rotation)
            self.soles.append(
                self._in_model(position[:, None] + rotate(axes[:, None], mixed_tables(table.sole, playing)))
            )
            self.places.append(self._in_model(position))
            reach = None
            if control.leg is not None:
                ankle = self._in_model(position + rotate(axes, mixed_tables(table.ankle, playing)))
                hip = self._in_model(mixed_tables(table.hip, playing))
                reach = LegReach(hip, ankle, control.leg.length * self._scale)
            self.reaches.append(reach)
            self._turns.append((rotation, axes, basis))

    def soften(self, _feet: Sequence[Stepping], _held: Held) -> None:
        """Soles are stiff: nothing is known of what is above a foot."""

    def keys(self, held: Held) -> Keyed:
        """The keys of the controls of all rigs, (n, f)."""
        keyed: dict[tuple[str, int], Scalars] = {}
        of_feet = zip(self._legs.controls, self._turns, self.places, self.reaches, held.corrections)
        for control, (rotation, axes, basis), position, reach, correction in of_feet:
            shift = carry(position, reach, correction, held.drop)
            keyed |= self._shift_keys(control.bone, basis, shift.reshape(-1, 3) @ self._to_armature.T / self._scale)
            if control.turns:
                turn = in_axes(self._to_armature.T, correction.turn.reshape(-1, 3, 3))
                after = by_body(multiply(rotation, in_axes(axes, turn)), self._shape)
                keyed |= rotation_keys(self._legs.rig.names[control.bone], self._legs.modes[control.bone], after)
        return keyed

    def hip_keys(self, drop: Scalars) -> Keyed:
        """The keys of hips that are lower by (n, f) metres."""
        down = np.outer(-drop, self._to_armature[:, 2]) / self._scale
        return self._shift_keys(self._legs.hips, self._legs.hip_axes(self._playing), down)

    def _shift_keys(self, bone: int, basis: np.ndarray, shift: Vectors) -> dict[tuple[str, int], Scalars]:
        """The keys of a bone that is moved by (n f, 3) in the armature's space."""
        location = self._mixed.location[:, self._legs.rows[bone]] + np.linalg.solve(basis, shift[..., None])[..., 0]
        return location_keys(self._legs.rig.names[bone], by_body(location, self._shape))

    def _in_model(self, places: np.ndarray) -> np.ndarray:
        """Places (n f, ..., 3) of the armature's space in that of the model, (n, f, ..., 3)."""
        matrix = self._legs.rig.matrix
        return by_body(places @ matrix[:3, :3].T + matrix[:3, 3], self._shape)
