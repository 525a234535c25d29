"""The contacts recorded by a bake: a summary, and an operator that selects the vehicles and goes to the frame."""

from collections.abc import Mapping, Sequence

import bpy
from bpy.props import EnumProperty
from bpy.types import Object, Scene

from ...recording.mishaps import FELL, GROUND, HELD, LATE, NO_WAY, OBSTACLE, OFF_PLACE, OVERLAP, STUCK
from ..animation.ownership import bake_of
from ..animation.run_records import Outcomes
from ..crowds.crowd_cache import shown_by
from ..objects.crowd_caches import cache_of, cached_as
from ..objects.focus import select_only
from ..objects.tagged_objects import crowd_of, in_use, list_names
from ..panels.fields import counted
from .polls import SteeringOperator, in_object_mode, something_baked

WORDS = {
    OVERLAP: "overlapping",
    OBSTACLE: "inside an obstacle",
    STUCK: "stuck",
    GROUND: "off the ground",
    FELL: "fallen from an edge",
    HELD: "held up by the ground",
    NO_WAY: "without a way to their goal",
    OFF_PLACE: "unable to keep their places in a formation",
    LATE: "too late to stop where paths meet",
}
"""The words of the report, after the number of vehicles."""
NAMED = 3
"""Vehicles that a warning names."""
REMEDY = "Move the obstacle or the path apart, or reduce the Clearance of Avoid Obstacles"
ANY = "ANY"
ITEMS = [
    (ANY, "Any", "Vehicles with any of these problems", 0),
    (OVERLAP.upper(), "Overlapping", "Vehicles that overlapped other vehicles", 1),
    (OBSTACLE.upper(), "Inside an Obstacle", "Vehicles that were inside an obstacle", 2),
    (STUCK.upper(), "Stuck", "Vehicles that got nowhere near an obstacle for two seconds", 3),
    (
        GROUND.upper(),
        "Off the Ground",
        "Vehicles without a surface under them, or that left that of Populate",
        4,
    ),
    (FELL.upper(), "Fallen", "Vehicles that fell from the edge of a surface", 5),
    (
        HELD.upper(),
        "Held Up by the Ground",
        "Vehicles that crept on ground that is too steep, or found no way past it or its edge, for five seconds",
        6,
    ),
    (
        NO_WAY.upper(),
        "Without a Way",
        "Vehicles that walk, to whose goal no way over the ground led up to the last frame",
        7,
    ),
    (
        OFF_PLACE.upper(),
        "Off Their Places",
        "Vehicles that lost their places in a formation for a second, as their leader turned faster than they can",
        8,
    ),
    (
        LATE.upper(),
        "Too Late",
        "Vehicles that could no longer stop for another where their paths meet, as they came or began too near to it",
        9,
    ),
]


class STEERING_OT_select_contacts(SteeringOperator, bpy.types.Operator):
    """Select the baked vehicles that ran into something, got stuck or left their ground, and jump to the next frame on
    which one did"""

    bl_idname = "steering.select_contacts"
    bl_label = "Select Contacts"
    needs = (in_object_mode, something_baked)

    kind: EnumProperty(name="Type", description="Type of problem to select vehicles by", items=ITEMS, default=ANY)

    def execute(self, context):
        frames = _mishap_frames(context.scene, self.kind)
        if not frames:
            self.report({"INFO"}, "No baked vehicle ran into anything or got stuck")
            return {"CANCELLED"}
        objects = [ob for ob in context.view_layer.objects if ob in frames and ob.visible_get() and not ob.hide_select]
        select_only(context, objects)
        frame = _next_frame(context.scene.frame_current, [at for ob in objects or frames for at in frames[ob]])
        if objects:
            context.view_layer.objects.active = next(ob for ob in objects if frame in frames[ob])
        context.scene.frame_set(int(frame))
        involved = sum(frame in frames[ob] for ob in frames)
        text = f"{counted(len(objects), 'vehicle')} selected; {counted(involved, 'vehicle')} at frame {frame:g}"
        if len(objects) < len(frames):
            text += f"; {len(frames) - len(objects)} hidden or not selectable"
        stuck = _stuck_frames(objects) if self.kind in (ANY, STUCK.upper()) else None
        if stuck is not None:
            text += f"; stuck from frame {stuck[0]:g} to {stuck[1]:g}"
        self.report({"INFO"}, text)
        return {"FINISHED"}


def summary(mishaps: Mapping[str, int]) -> str:
    """The mishaps of a bake in a few words; `mishaps`: the number of vehicles by the kind of mishap."""
    return ", ".join(f"{mishaps[kind]} {words}" for kind, words in WORDS.items() if mishaps[kind]) or "no contacts"


def stuck_warnings(stuck: Mapping[str, tuple[float, float]]) -> list[str]:
    """The warning that names the vehicles that got stuck and the remedy, if any did; `stuck`: the first and last frame
    on which each was stuck, by name."""
    if not stuck:
        return []
    named = list_names(sorted(stuck), NAMED)
    first, last = min(first for first, _ in stuck.values()), max(last for _, last in stuck.values())
    return [f"{named} got stuck at an obstacle, frames {first:g} to {last:g}. {REMEDY}"]


def _mishap_frames(scene: Scene, kind: str) -> dict[Object, list[float]]:
    """The frames on which a mishap of the kind happened, by vehicle."""
    frames_of, outcomes = {}, Outcomes()
    for ob in in_use(scene):
        bake = bake_of(ob)
        each = [item for outcome in outcomes.each(ob, bake) for item in outcome.mishaps.items()]
        frames = [frame for mishap, frame in each if kind in (ANY, mishap.upper())]
        if frames:
            cache = cache_of(crowd_of(ob)) if cached_as(ob) is not None else None
            frames_of.setdefault(ob if cache is None else shown_by(cache) or ob, []).extend(frames)
    return frames_of


def _stuck_frames(objects: Sequence[Object]) -> tuple[float, float] | None:
    """The first and the last frame on which any of the objects was stuck; None if none was."""
    outcomes = Outcomes()
    frames = [stuck for ob in objects if (stuck := outcomes.of(ob, bake_of(ob)).stuck_frames) is not None]
    return (min(first for first, _ in frames), max(last for _, last in frames)) if frames else None


def _next_frame(current: float, frames: list[float]) -> float:
    """The first of the frames after the current one, or else the first of all."""
    return min((frame for frame in frames if frame > current), default=min(frames))
