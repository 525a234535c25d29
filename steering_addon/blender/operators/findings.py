"""The contacts that a bake recorded, and operators that select what the lines of the Bake panel are about."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import bpy
import numpy as np
from bpy.props import EnumProperty, StringProperty
from bpy.types import Context, LayerCollection, Object, Scene

from ...recording.mishaps import FELL, GROUND, HELD, LATE, NO_ROOM, NO_WAY, OBSTACLE, OFF_PLACE, OVERLAP, QUEUED, STUCK
from ...simulation.roles import Role
from ..animation.ownership import bake_of
from ..animation.run_records import Outcomes
from ..crowds.crowd_cache import shown_by
from ..crowds.states import bring_states, states_left_behind
from ..objects.crowd_caches import cache_of, cached_as
from ..objects.focus import select_only, selectable
from ..objects.tagged_objects import crowd_of, full_name, in_use, list_names, tagged
from ..panels.fields import counted
from ..refusal import NothingFound, Unneeded
from ..status import census
from ..status.findings import FindingKind
from ..status.refused import last_refused
from ..status.sliding import Slide
from ..units import length_text
from .polls import SteeringOperator, in_object_mode, something_baked

REFUSED = "REFUSED"
"""The kind that stands for the last refusal."""
SLIDES = 0.07
"""Heights of a vehicle that a foot may slide in a stance. Those of a gallop, which last three frames, slide by up to
0.06, and nobody sees it."""
TOUCHES = 0.005
"""Metres from an obstacle that are told as none."""
NAMED = 3
"""Vehicles that a warning names."""
REMEDY = "Move the obstacle or the path apart, or reduce the Clearance of Avoid Obstacles"
TOLD_OF_MANY = {
    QUEUED: "queued for long. Wider doors let them through sooner",
    NO_ROOM: "found no room to land. A larger roof or a longer wire holds more",
}
"""The kinds that are told with a remedy, but without names."""
ANY = "ANY"


class Problem(NamedTuple):
    """A kind of what goes wrong in a bake: the end of what the report says after the number of vehicles, its label, and
    the vehicles that it is about."""

    words: str
    label: str
    about: str


PROBLEMS = {
    OVERLAP: Problem("overlapping", "Overlapping", "that overlapped other vehicles"),
    OBSTACLE: Problem("inside an obstacle", "Inside an Obstacle", "that were inside an obstacle"),
    STUCK: Problem("stuck", "Stuck", "that got nowhere near an obstacle for two seconds"),
    GROUND: Problem("off the ground", "Off the Ground", "without a surface under them"),
    FELL: Problem("fallen from an edge", "Fallen", "that fell from the edge of a surface"),
    HELD: Problem(
        "held up by the ground",
        "Held Up by the Ground",
        "that crept on ground that is too steep, or found no way past it, its edge or obstacles, for five seconds",
    ),
    NO_WAY: Problem(
        "without a way to their goal",
        "Without a Way",
        "that walk, to whose goal no way over the ground led up to the last frame",
    ),
    OFF_PLACE: Problem(
        "unable to keep their places in a formation",
        "Off Their Places",
        "that lost their places in a formation for a second, as their leader turned faster than they can, or never "
        "got nearer to them",
    ),
    LATE: Problem(
        "too late to stop where paths meet",
        "Too Late",
        "that could no longer stop for another where their paths meet, as they came or began too near to it",
    ),
    QUEUED: Problem("long in a queue", "Queued", "that waited long in turn with others, as before a door"),
    NO_ROOM: Problem(
        "without room to land",
        "Without Room",
        "that flew over what they were to land on for five seconds, as it was full",
    ),
}
"""In the order of the report. Files hold the places in it from 1: new ones come last."""
WORDS = {kind: problem.words for kind, problem in PROBLEMS.items()}
ITEMS = [
    (ANY, "Any", "Vehicles with any of these problems", 0),
    *((kind.upper(), p.label, f"Vehicles {p.about}", k) for k, (kind, p) in enumerate(PROBLEMS.items(), 1)),
]


class STEERING_OT_select_contacts(SteeringOperator, bpy.types.Operator):
    """Select the baked vehicles that ran into something, got stuck or left their ground, and jump to the next frame on
    which one did"""

    bl_label = "Select Contacts"
    needs = (in_object_mode, something_baked)

    kind: EnumProperty(name="Type", description="Type of problem to select vehicles by", items=ITEMS, default=ANY)

    def carry_out(self, context):
        frames = _mishap_frames(context.scene, self.kind)
        if not frames:
            raise NothingFound("No baked vehicle ran into anything or got stuck")
        objects = selectable(ob for ob in context.view_layer.objects if ob in frames)
        select_only(context, objects)
        upcoming = [at for ob in objects or frames for at in frames[ob]]
        frame = min((at for at in upcoming if at > context.scene.frame_current), default=min(upcoming))
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
        return text


def summary(mishaps: Mapping[str, int], closest: float) -> str:
    """The mishaps of a bake in a few words, after how near vehicles came to obstacles.

    Args:
        mishaps: the number of vehicles by the kind of mishap.
        closest: metres between the surfaces of a vehicle and an obstacle at their nearest; inf without obstacles.
    """
    listed = ", ".join(f"{mishaps[kind]} {words}" for kind, words in WORDS.items() if mishaps[kind])
    if closest < TOUCHES and not mishaps[OBSTACLE]:
        return f"; obstacles touched by the Radius of a vehicle: {listed or 'no overlaps'}"
    return f"{'' if np.isinf(closest) else f', nearest obstacle {length_text(closest, 2)}'}: {listed or 'no contacts'}"


def stuck_warnings(stuck: Mapping[str, tuple[float, float]]) -> list[str]:
    """The warning that names the vehicles that got stuck and the remedy, if any did; `stuck`: the first and last frame
    on which each was stuck, by name."""
    if not stuck:
        return []
    named = list_names(sorted(stuck), NAMED)
    first, last = min(first for first, _ in stuck.values()), max(last for _, last in stuck.values())
    return [f"{named} got stuck at an obstacle, frames {first:g} to {last:g}. {REMEDY}"]


def sliding_warnings(slides: Iterable[Slide]) -> list[str]:
    """The warning that names the vehicles whose feet slide further than is acceptable, with the worst."""
    sliding = sorted((slide for slide in slides if slide.share > SLIDES), key=lambda slide: -slide.share)
    if not sliding:
        return []
    verb, worst = "slides" if len(sliding) == 1 else "slide", sliding[0]
    text = f"{list_names([slide.vehicle.name for slide in sliding], NAMED)} {verb} on feet that stand"
    worst_of = f"{length_text(worst.metres or 0.0, 2)} from frame {worst.frame}"
    return [f"{text}, at worst {worst_of}. Select Sliding in the panel Clips selects all that do"]


def warnings_of_many(mishaps: Mapping[str, int]) -> dict[str, str]:
    """The warnings of kinds that are told without names, by kind. `mishaps`: the number of vehicles by kind."""
    return {
        kind: f"{counted(mishaps[kind], 'vehicle')} {text}" for kind, text in TOLD_OF_MANY.items() if mishaps.get(kind)
    }


def _mishap_frames(scene: Scene, kind: str) -> dict[Object, list[float]]:
    """The frames on which a mishap of the kind happened, by vehicle."""
    frames_of, outcomes = {}, Outcomes()
    for ob in in_use(scene):
        bake = bake_of(ob)
        items = [item for outcome in outcomes.each(ob, bake) for item in outcome.mishaps.items()]
        frames = [frame for mishap, frame in items if kind in (ANY, mishap.upper())]
        if frames:
            cache = cache_of(crowd_of(ob)) if cached_as(ob) is not None else None
            frames_of.setdefault(ob if cache is None else shown_by(cache) or ob, []).extend(frames)
    return frames_of


def _stuck_frames(objects: Sequence[Object]) -> tuple[float, float] | None:
    """The first and the last frame on which any of the objects was stuck; None if none was."""
    outcomes = Outcomes()
    frames = [stuck for ob in objects if (stuck := outcomes.of(ob, bake_of(ob)).stuck_frames) is not None]
    return (min(first for first, _ in frames), max(last for _, last in frames)) if frames else None


class STEERING_OT_finding_select(SteeringOperator, bpy.types.Operator):
    """Select the objects that this is about, and show them if they are hidden, excluded or not in the scene"""

    bl_label = "Select Objects to Look At"
    needs = (in_object_mode,)

    kind: StringProperty(name="Kind", description="Kind of the finding", options={"SKIP_SAVE"})
    text: StringProperty(
        name="Text", description="Text of the finding; empty for all of its kind", options={"SKIP_SAVE"}
    )

    def carry_out(self, context):
        names = self._names(context)
        if self.kind == FindingKind.NOT_COUNTED.name:
            left_out = [ob for ob in context.scene.objects if full_name(ob) in names]
            _include(context.view_layer.layer_collection, left_out)
            context.view_layer.update()
        if self.kind == FindingKind.NOT_IN_SCENE.name:
            for crowd in tagged(in_use(context.scene), Role.CROWD):
                if any(full_name(ob) in names for ob in states_left_behind(crowd, context.scene.objects[:])):
                    bring_states(crowd, context)
            context.view_layer.update()
        objects = [ob for ob in context.view_layer.objects if full_name(ob) in names]
        if not objects:
            raise Unneeded("These objects are no longer in the view layer")
        for ob in objects if self.kind == FindingKind.HIDDEN.name else ():
            ob.hide_viewport = False
            ob.hide_set(False)
        selected = [ob for ob in select_only(context, objects) if ob.select_get()]
        if selected:
            context.view_layer.objects.active = selected[0]
        text = f"{len(selected)} of {len(objects)} selected" if len(selected) < len(objects) else ""
        if text:
            self.report({"WARNING"}, f"{text}: the others are in hidden collections or cannot be selected")

    def _names(self, context: Context) -> set[str]:
        if self.kind == REFUSED:
            refused = last_refused(context.scene)
            return set(refused.objects) if refused is not None else set()
        listed = census.refresh(context.scene).findings
        return {
            name
            for finding in listed
            if finding.kind.name == self.kind and self.text in ("", finding.text)
            for name in finding.objects
        }


def _include(layer: LayerCollection, objects: list[Object]) -> None:
    """Undo the exclusion, below a layer, of the collections that hold some objects."""
    for child in layer.children:
        if not set(objects).isdisjoint(child.collection.all_objects):
            child.exclude = False
            _include(child, objects)
