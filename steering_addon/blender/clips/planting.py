"""Plants feet: strips of keys that hold the feet of rigs where they stand, on top of what their clips play.

A planter reads how clips move the feet of a model, asks `portrayal.feet` where each foot has to be, and has one of two
kinds of legs meet that: bones that bend, or controls of rigs whose legs constraints pose.
"""

from collections.abc import Collection, Sequence

import numpy as np
from bpy.types import Action, Object, Scene

from ...portrayal.clips import MOVE, PHASES, Clip, ClipSettings, Playing, leading
from ...portrayal.feet.knees import ease
from ...portrayal.feet.pacing import Tempo, paced
from ...portrayal.feet.pawing import paws_of, put_down, settling
from ...portrayal.feet.planes import Ground
from ...portrayal.feet.rotations import LEAST
from ...portrayal.feet.solving import Held, hold
from ...portrayal.feet.treads import Carried, Stepping
from ..objects.body_sizes import SOLES
from ..objects.doubles import doubles
from ..objects.hierarchy import Family
from ..objects.tagged_objects import names_of
from ..properties import settings_of
from ..refusal import sound_front
from .clip_record import OF_FEET
from .controls import find_controls
from .crowd_clips import Model, clips_of, scale_of
from .legs import BoneLegs, ControlLegs, Feet, find_legs, read_feet, share_a_leg
from .measuring import shape_of
from .poses import follows_from_curves, why_inherits_unusually
from .rig import Rig, compose, unevenness
from .rig_keys import Keyed, without_scale
from .shapes import Shapes

FEET = OF_FEET.title()
"""The name of the strip that holds feet."""
FRAMES_TOGETHER = 16000
"""Frames of bodies whose feet are computed together at most: with more, a bake answers to Esc too late."""
UNSCALED = 1e-4
"""Most that scale channels differ from 1 where nothing is scaled, as importers round them."""
SUNK = 0.005
"""The share of the height by which soles are below the origin, from which on it is seen."""


class Planter:
    """Computes the keys that hold the feet of the rigs of one model by their legs."""

    def __init__(self, rig: Rig, feet: Feet, legs: BoneLegs | ControlLegs, clips: Sequence[Clip]) -> None:
        """`feet`: as the strips of `clips` move them."""
        self.legs, self._height, self._rests = legs, rig.height, feet.rests
        placed = [compose(rig.matrix, poses) for poses in feet.poses]
        # The motions that keep feet down in clips that stand, and by which they close the steps of those that move.
        self._paws = [
            paws_of(
                clips,
                [rig.posed_points(poses, rows) for poses in feet.poses],
                rests,
                [matrices[:, bone, :3, 3] for matrices in placed],
                [without_scale(matrices[:, bone, :3, :3]) for matrices in placed],
                rig.height,
            )
            for rows, rests, bone in zip(feet.soles, feet.rests.T, legs.carriers)
        ]
        self._first = first = leading(clips)
        self._moves = np.array([clip.plays == MOVE and clip.speed > 0.0 for clip in clips])
        cycle = [rig.posed_points(feet.poses[first][:PHASES], rows) for rows in feet.soles]
        self._tempo = Tempo.of(cycle, feet.rests[first], rig.height)

    def paced(self, playing: Playing, body: Carried, frame_time: float, ground: Ground | None = None) -> Playing:
        """The clips that n rigs play in step with the ground; arguments as for `keys`."""
        moving = playing.phase[self._first]
        shift = paced(moving, body, self._tempo, self._height, frame_time, ground) - moving
        return Playing(playing.phase + np.where(self._moves[:, None, None], shift, 0.0), playing.influence)

    def keys(self, playing: Playing, body: Carried, frame_time: float, ground: Ground | None = None) -> list[Keyed]:
        """The keys of the legs of n rigs on all frames of a run, for each rig.

        Args:
            playing: (clips, n, f) of them.
            body: they, (n, f).
            ground: what they stand on; None for the level of each body.
        """
        flat, shape = playing.flat(), playing.phase.shape[1:]
        posed = self.legs.pose(flat, shape)
        rests = np.einsum("cf,cl->lf", flat.weights(), self._rests).reshape(-1, *shape)
        pawing = [paw and paw.correction(flat, position) for (paw, _), position in zip(self._paws, posed.places)]
        feet = [Stepping(*foot) for foot in zip(posed.soles, rests, pawing, posed.reaches)]
        moving = flat.weights()[self._moves].any(axis=0).reshape(shape)
        settled = moving * settling(playing.phase[self._first], body, self._height, frame_time)
        if np.any(settled):
            closing = [step.correction(flat, position) for (_, step), position in zip(self._paws, posed.places)]
            feet = [put_down(foot, step, settled) for foot, step in zip(feet, closing)]
        lowers = self.legs.lowers_hips(on_ground=ground is not None)
        held = hold(body, feet, self._height, frame_time, ground, lowers_hips=lowers)
        if (softened := posed.soften(feet, held)) is not None:
            feet, held = softened, hold(body, softened, self._height, frame_time, ground, lowers_hips=lowers)
        corrections = zip(feet, held.corrections)
        eased = [ease(foot, correction, held.drop, self._height, frame_time) for foot, correction in corrections]
        held = Held(eased, held.drop)
        keyed = posed.keys(held)
        # Hips that never come down have no keys.
        drops = (np.abs(held.drop) > LEAST).any(axis=1)
        of_hips = posed.hip_keys(held.drop) if drops.any() else {}
        return [
            {channel: column[k] for channel, column in (*keyed.items(), *(of_hips.items() if comes_down else ()))}
            for k, comes_down in enumerate(drops.tolist())
        ]


def planter_of(
    armature: Object, rig: Rig | Shapes, clips: Sequence[Clip], actions: Sequence[Action]
) -> tuple[Planter | None, str]:
    """The planter of the rigs of one model. `actions`: what strips play of `clips`: all of the same channels, closed,
    and beginning on frame 0. Returns None if they are not to be held, and why that cannot be done; empty if they can,
    or if no clip moves them."""
    first = leading(clips)
    if first < 0:
        return None, ""
    if isinstance(rig, Shapes):
        return None, "shape keys pose them, and no bone moves one"
    feet = read_feet(armature, rig, actions, first)
    if unevenness(rig.matrix):
        return None, f"{_scaled_object(armature).name} is scaled unevenly: apply its scale, or scale it evenly"
    legs = find_legs(rig, feet.points, feet.poses[first])
    found_legs = [leg for leg in legs if leg is not None]
    bones = {bone for leg in found_legs for bone in leg.bones}
    legs_rig = rig.part(np.concatenate([*feet.points, np.zeros(0, np.int64)]), bones)
    # Of bones that nothing scales it does not matter how they inherit scale.
    rows = [rig.names.index(name) for name in legs_rig.names]
    scaled = any((np.abs(channels.scale[:, rows] - 1.0) > UNSCALED).any() for channels in feet.channels)
    if not follows_from_curves(armature, legs_rig.names, scaled=scaled):
        controls = find_controls(armature, rig, actions[first], feet.poses[first], feet.soles) if feet.soles else None
        if controls is None:
            if why := why_inherits_unusually(armature, legs_rig.names, scaled=scaled):
                return None, why
            text = f"constraints or drivers pose the legs of {armature.name}, and no bone moves one foot alone"
            return None, f"{text}: switch the legs to inverse kinematics, and key its controls"
        return Planter(rig, feet, ControlLegs(armature, rig, feet, controls), clips), ""
    if not rig.has_mesh and (len(found_legs) < len(legs) or not legs):
        return None, f"{armature.name} moves no mesh, whose soles could be held: give it a mesh"
    if not legs or len(found_legs) < len(legs):
        return None, f"not every foot of {armature.data.name} is below a leg of two bones"
    if share_a_leg(found_legs):
        return None, f"two feet of {armature.data.name} share a leg"
    return Planter(rig, feet, BoneLegs(armature, rig, feet, found_legs), clips), ""


def _scaled_object(armature: Object) -> Object:
    """The object that is scaled unevenly, of an armature and those that carry it."""
    ob = armature
    while ob.parent is not None and not unevenness(doubles(ob.matrix_basis)):
        ob = ob.parent
    return ob


def stand_on_soles(model: Model, scene: Scene, family: Family) -> None:
    """Raise the origins of vehicles to where the feet of their clips rest, which is where the vehicles stand.

    An origin height that was set by hand stays, and so does one that was measured at rest, if the clips stand there
    too: rest poses of robots and of files from games may float, or be below the ground. Refused if a clip cannot be
    measured.
    """
    clips, scale = clips_of(model, scene, family)
    first = leading(clips)
    if first < 0:
        return
    player, vehicle = model.rigs[0], model.vehicles[0]
    shape = shape_of(player, vehicle, family, sound_front(vehicle))
    at_rest = -float(shape.at_rest()[:, 2].min()) / scale_of(vehicle)
    for ob, rig in zip(model.vehicles, model.rigs):
        settings = ob.steering
        sole = -clips[first].sole / scale * scale_of(rig) / scale_of(ob)
        below = sole if sole > SUNK * settings.height else 0.0
        known = at_rest if at_rest > SOLES * settings.height else 0.0
        by_hand = abs(settings.origin_height - known) > SUNK * settings.height
        stands = known > 0.0 and abs(below - known) < SOLES * settings.height
        if not (by_hand or stands or below == settings.origin_height) and ob.is_editable:
            settings.origin_height = below


def why_unplanted(model: Model, scene: Scene, family: Family) -> str:
    """Why feet of a model cannot be held; empty if they can, or none moves. Refused if a clip cannot be measured."""
    armature, vehicle = model.measured_rig, model.measured
    rig = shape_of(armature, vehicle, family, sound_front(vehicle))
    clips = clips_of(model, scene, family)[0]
    return planter_of(armature, rig, clips, [entry.action for entry in model.entries])[1]


def store_unplanted(crowd: Object, reasons: Collection[tuple[Model, str]]) -> None:
    """Store with a crowd why the feet of its models cannot be held, and of which, if those of others can. `reasons` are
    of each model, empty for those that can."""
    loose = [(model, reason) for model, reason in reasons if reason]
    names = [ob.name for model, _ in loose for ob in model.vehicles] if len(loose) < len(reasons) else []
    stored = {
        "unplanted": "; ".join(dict.fromkeys(reason for _, reason in loose)),
        "unplanted_models": names_of(names) if names else "",
    }
    for name, text in stored.items():
        if getattr(crowd.steering.portrayal, name) != text:
            setattr(crowd.steering.portrayal, name, text)


def unplanted_of(crowd: Object) -> tuple[str, str] | None:
    """The models of a crowd whose feet cannot be held although that is wanted, empty if it goes for all, and why they
    cannot; None without any. Writes nothing."""
    stored = settings_of(crowd)
    if stored is None or not stored.is_property_set("portrayal") or not len(stored.portrayal.clips):
        return None
    portrayal = stored.portrayal
    default = bool(ClipSettings.parameters()["plant_feet"].default)
    wanted = portrayal.playing.plant_feet if portrayal.is_property_set("playing") else default
    return (portrayal.unplanted_models, portrayal.unplanted) if wanted and portrayal.unplanted else None
