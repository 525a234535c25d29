"""Operators that preview the simulation, bake it into keyframes and delete a bake."""

from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import suppress

import bpy
from bpy.props import BoolProperty, EnumProperty
from bpy.types import Context, Object

from ...simulation.roles import Role
from .. import preview
from ..animation.animation_data import action_of
from ..animation.bake_record import has_unreadable_record
from ..animation.edited_keys import has_edited_keys
from ..animation.ownership import bake_of, replaces_own_keys
from ..animation.run_records import Outcomes, forget_runs, sign_run
from ..animation.visibility import parts
from ..clips.planting import unplanted_of
from ..crowds.crowd_cache import shown_by
from ..moving import moves_by
from ..objects.crowd_caches import MARK, cache_of, crowd_of_player
from ..objects.focus import check_editable, vehicles_selected, wholes_selected
from ..objects.hierarchy import Family
from ..objects.tagged_objects import crowd_of, crowds_of, in_use, list_names, members_in, names_of, tagged
from ..panels.fields import counted
from ..properties import has_role, settings_of
from ..property_groups import is_listed
from ..read.fingerprint import taking_fingerprint
from ..read.joined_vehicles import point_parts
from ..read.plan import planning
from ..read.start_pose import check_stored_start, give_back
from ..refusal import Refusal, Unneeded
from ..status import census, hand_edits
from ..status.findings import FindingKind
from ..status.refused import forget, remember
from ..status.sliding import Slide, slides_of
from ..write.bake import BakeResult, baking
from ..write.subjects import playing_models
from ..write.writer import SplitWriter, writer_for
from .findings import sliding_warnings, stuck_warnings, summary, warnings_of_many
from .in_pieces import InPieces, Work
from .polls import SteeringOperator, ask_of_edited, in_object_mode, something_baked

TOLD_BY_BAKES = set(FindingKind) - {FindingKind.NEVER_ENTERED, FindingKind.WAITING, FindingKind.EDITED}
"""The findings that the report of a bake names; it has warnings of its own about vehicles that never entered and about
missing targets."""
LOOKED_AT = 24
"""Vehicles whose feet a bake looks at at most, which takes a tenth of its time or less."""
ANSWERS = (("LOCK", "Lock {} and Bake the Others", "LOCKED"), ("REPLACE", "Replace the Edited Keys", "REC"))


class STEERING_OT_bake(InPieces, bpy.types.Operator):
    """Simulate the vehicles of the scene and write their motion into keyframes, or into crowd caches"""

    bl_label = "Bake"
    needs = (in_object_mode,)
    canceled = "Bake Canceled"

    selected: BoolProperty(
        name="Selected Only",
        description="Bake only the selected vehicles; they react to the current motion of the others",
    )
    replace_own_keys: BoolProperty(
        name="Replace Own Keys",
        description="Set aside keyframes, drivers and NLA strips of the vehicles, also if the scene's setting of this "
        "name is off; deleting the bake restores them",
    )

    edited: EnumProperty(
        name="Edited Keys",
        description="What becomes of vehicles whose baked keys were edited by hand",
        items=(
            ("REPLACE", "Replace", "They are baked as all others, and a warning names them"),
            ("LOCK", "Lock", "They are locked and keep their keys"),
        ),
        options={"SKIP_SAVE"},
    )

    def invoke(self, context, event):
        edited = [] if self.properties.is_property_set("edited") else hand_edits.edited(self._vehicles(context))
        if not edited or bpy.app.background:
            return super().invoke(context, event)
        ask_of_edited(context, "steering.bake", edited, ANSWERS, selected=self.selected)
        return {"CANCELLED"}

    def _vehicles(self, context: Context) -> list[Object]:
        """The vehicles to bake."""
        chosen = _selected_vehicles(context) if self.selected else members_in(in_use(context.scene))
        return [ob for ob in chosen if not ob.steering.locked]

    def begin(self, context: Context) -> tuple[Work, str]:
        self._scene = context.scene
        return self._baking(self._vehicles(context), _selected_vehicles(context) if self.selected else None), "Baking"

    def _baking(self, vehicles: list[Object], only: list[Object] | None) -> Work:
        """Plan, bake and count, given the vehicles to bake and, if not all are, those that are selected."""
        scene, replace, edited = self._scene, replaces_own_keys(self, self._scene), []
        for ob in vehicles:
            if has_edited_keys(ob):
                edited.append(ob)
            yield None
        if edited and self.edited == "LOCK":
            # Read as they are, and locked at the end: a bake that stops leaves no trace.
            only = [ob for ob in vehicles if ob not in edited]
        if preview.is_on(scene):
            # A bake that is refused leaves it on.
            plan = yield from planning(scene, only, replace_own_keys=replace, adds_nothing=True)
            writer_for(plan, playing_models(plan, only_measured=True), replace_own_keys=replace)
        preview.end()
        forget(scene)
        plan = yield from planning(scene, only, replace_own_keys=replace, adds_nothing=False)
        self._label = f"Baking {counted(len(plan), 'vehicle')}"
        yield None
        result = yield from baking(plan, replace_own_keys=replace)
        objects = [*plan.vehicles.source.objects, *(points.ob for points, _ in point_parts(plan.vehicles.source))]
        baked = set(objects)
        for ob in edited:
            if ob not in baked:
                ob.steering.locked = True
        hand_edits.as_baked(objects, result.run)
        _focus_on_player(bpy.context, baked)
        unbaked = [ob for ob in members_in(in_use(scene)) if ob not in baked]
        yield None
        # What the bake was made from, and what is in the scene now.
        made_of = yield from taking_fingerprint(scene, baked.union(ob for ob in unbaked if bake_of(ob) is not None))
        sign_run(scene, result.run, made_of)
        forget_runs(scene, {result.run, *_ids_of_bakes(baked)})
        counts = yield from census.refreshing(scene, made_of)
        slides: list[Slide] = []
        # The bake stands: what no longer can be read on a later frame only says nothing of feet.
        with suppress(Refusal):
            for slide in slides_of(_with_held_feet(objects), scene):
                slides.append(slide)
                yield None
        if replaced := [ob.name for ob in edited if ob in baked]:
            self.warn([f"Replaced keys that were edited by hand: {list_names(replaced)}"])
        if resting := {crowd.name for ob in unbaked if MARK in ob and (crowd := crowd_of(ob)) is not None}:
            text = f"{names_of(sorted(resting))} rested and was seen at its start"
            self.warn([f"{text}. Bake all to have it seen in motion"])
        stuck = {plan.vehicles.source.owner(row).name: frames for row, frames in result.stuck.items()}
        self.warn((*plan.warnings, *_absence_warnings(result), *result.warnings, *stuck_warnings(stuck)))
        self.warn((*warnings_of_many(result.mishaps).values(), *sliding_warnings(slides)))
        self.warn(finding.text for finding in counts.findings if finding.kind in TOLD_BY_BAKES)
        report = self._summary(result)
        # Blender sends no update when actions are assigned.
        census.changed()
        return report

    def refused(self, refusal: Refusal) -> set[str]:
        remember(self._scene, refusal)
        return super().refused(refusal)

    def _summary(self, result: BakeResult) -> str:
        text = f"Baked {counted(result.vehicles, 'vehicle')}, {counted(result.frames, 'frame')}"
        text += f" in {self.seconds():.1f} s{summary(result.mishaps, result.closest)}"
        return f"{text}{result.told and '; '}{result.told}"


def _with_held_feet(vehicles: Sequence[Object]) -> list[Object]:
    """The vehicles whose feet are held, evenly chosen of many: it takes a while to look at each. What flies or swims
    has none on the ground."""
    crowds = crowds_of(vehicles)
    clips = {crowd for crowd in crowds if crowd is not None and crowd.steering.portrayal.clips}
    held = {crowd for crowd in clips if crowd.steering.portrayal.playing.plant_feet and unplanted_of(crowd) is None}
    # Of one with a parent every frame of the scene would have to be shown.
    planted = [
        ob
        for ob, crowd in zip(vehicles, crowds)
        if crowd in held and ob.parent is None and moves_by(ob, crowd).grounded
    ]
    return planted[:: -(-len(planted) // LOOKED_AT) or 1]


def _focus_on_player(context: Context, baked: Iterable[Object]) -> None:
    """Make the player of a crowd active if the active vehicle is at rest now, as panels are about what is active."""
    if context.view_layer.objects.active is None:
        caches = (cache_of(crowd) for crowd in {crowd_of(ob) for ob in baked})
        players = (shown_by(cache) for cache in caches if cache is not None)
        if (player := next(players, None)) is not None and is_listed(player, context.view_layer.objects):
            player.select_set(True)
            context.view_layer.objects.active = player


class STEERING_OT_lock_edited(SteeringOperator, bpy.types.Operator):
    """Lock the vehicles whose baked keys were edited by hand, so that a bake leaves them as they are"""

    bl_label = "Lock Edited"
    needs = (in_object_mode, something_baked)

    def carry_out(self, context):
        vehicles = [ob for ob in tagged(in_use(context.scene), Role.VEHICLE) if not ob.steering.locked]
        edited = [ob for ob in vehicles if has_edited_keys(ob)]
        if not edited:
            raise Unneeded("No baked key was edited by hand")
        check_editable(edited)
        for ob in edited:
            ob.steering.locked = True
        return f"Locked {list_names([ob.name for ob in edited])}"


class STEERING_OT_clear_bake(SteeringOperator, bpy.types.Operator):
    """Remove baked keyframes and crowd caches, move the vehicles back to their start and restore what was set aside"""

    bl_label = "Delete Bake"
    needs = (in_object_mode, something_baked)

    selected: BoolProperty(name="Selected Only", description="Delete the bake of the selected vehicles only")

    def carry_out(self, context):
        written = [ob for ob in self._candidates(context) if SplitWriter.has_written(ob)]
        baked = [ob for ob in written if bake_of(ob) is not None]
        if not written:
            message = "None of the selected objects is baked" if self.selected else "No baked objects in the scene"
            if damaged := [ob.name for ob in in_use(context.scene) if has_unreadable_record(action_of(ob))]:
                message += "; the record of a bake is damaged, so its keys are kept as your own: delete them by hand"
                message += f" ({list_names(damaged)})"
            raise Unneeded(message)
        for ob in baked:
            if settings_of(ob) is not None:
                check_stored_start(ob)
        outcomes, moved, active = Outcomes(), 0, context.view_layer.objects.active
        resting = [ob for ob in baked if not is_listed(ob, context.view_layer.objects)]
        for ob in baked:
            record = bake_of(ob)
            points = outcomes.points(ob, record)
            moved += record.moves if points is None else len(points)
        self.warn(SplitWriter.delete(written))
        forget_runs(context.scene, _ids_of_bakes())
        for ob in baked:
            if settings_of(ob) is not None:
                give_back(ob)
                # Untagged since the bake. The parts of populated vehicles have no role either, but a record.
                if not ob.steering.roles and not ob.steering.is_property_set("member"):
                    ob.property_unset("steering")
        if active is not None and context.view_layer.objects.active is None:
            # The player of a cache was, which panels were about.
            awake = (ob for ob in resting if is_listed(ob, context.view_layer.objects))
            context.view_layer.objects.active = next(awake, None)
        census.changed()
        return f"Deleted the bake of {counted(moved, 'vehicle')}"

    def _candidates(self, context: Context) -> list[Object]:
        """The objects whose bake to delete: vehicles, their parts and hidden resources, without locked vehicles."""
        family, objects = Family(), in_use(context.scene)
        locked = [ob for ob in members_in(objects) if ob.steering.locked]
        selected = [*wholes_selected(context), *_selected_vehicles(context)] if self.selected else []
        candidates = _with_parts(selected, family) if self.selected else objects
        kept = set(_with_parts(locked, family))
        return [ob for ob in candidates if ob not in kept]


def _selected_vehicles(context: Context) -> list[Object]:
    """The selected vehicles; of a crowd whose motion is in a cache, or goes there, all if one or the player is."""
    points = [ob for ob in context.selected_objects if has_role(ob, Role.POINTS)]
    selected = [*vehicles_selected(context), *points]
    whole = {crowd_of_player(ob) for ob in context.selected_objects} - {None}
    whole |= {crowd for crowd in map(crowd_of, selected) if crowd is not None and crowd.steering.output == "CACHE"}
    whole |= {crowd_of(ob) for ob in points} - {None}
    members = members_in(in_use(context.scene)) if whole else []
    return list(dict.fromkeys([*selected, *(ob for ob in members if crowd_of(ob) in whole)]))


def _ids_of_bakes(but: Container[Object] = ()) -> set[str]:
    """The ids of the bakes that objects of the file play, also in excluded collections and other scenes. `but`: objects
    of which they are known."""
    return {bake.bake_id for ob in bpy.data.objects if ob not in but and (bake := bake_of(ob)) is not None}


def _with_parts(objects: Iterable[Object], family: Family) -> list[Object]:
    return list(dict.fromkeys(member for ob in objects for member in (ob, *parts(ob, family))))


def _absence_warnings(result: BakeResult) -> Iterator[str]:
    """A warning for each reason why vehicles never appear."""
    if result.kept_out:
        yield (
            f"{counted(result.kept_out, 'vehicle')} never entered because other vehicles stood in the way. "
            f"Make more room or turn off Wait for Room"
        )
    if result.too_late:
        yield f"{counted(result.too_late, 'vehicle')} would enter after the last frame. Let them enter earlier"


class STEERING_OT_preview(SteeringOperator, bpy.types.Operator):
    """Show the vehicles moving while the timeline plays, without a bake; use again to stop. The preview is not saved or
    rendered"""

    bl_label = "Preview"
    # No UNDO: nothing in the file changes.
    bl_options = {"REGISTER"}

    replace_own_keys: BoolProperty(
        name="Replace Own Keys",
        description="Preview vehicles as if keyframes, drivers and NLA strips of their own were disabled",
    )

    def carry_out(self, context):
        scene = context.scene
        if preview.is_on(scene):
            preview.end()
            return
        forget(scene)
        self.warn(preview.start(scene, context.view_layer, replace_own_keys=self.replace_own_keys))

    def refused(self, refusal: Refusal) -> set[str]:
        remember(bpy.context.scene, refusal)
        return super().refused(refusal)
