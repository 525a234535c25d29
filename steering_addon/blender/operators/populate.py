"""Filling a crowd with members."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty, IntProperty, StringProperty

from ...settings.population import CURVE, GRID, ONE_PLACE, SURFACE, VOLUME, Population
from ...simulation.roles import Role
from ..crowds.member_variation import MOST_NAMES
from ..crowds.moves_like import ANYTHING, ITEMS, UNCHANGED, bring_to_life, is_settled, likeness
from ..crowds.populating.arrangement import CHOICE, FITS, NUMBERS, WANTED, shown
from ..crowds.populating.filling import Plan, fill, plan_filling
from ..crowds.populating.models import roots, usable
from ..crowds.staggered_entry import let_in
from ..properties import has_role
from ..property_groups import operator_property, stored, values_of
from ..refusal import Refusal, reported
from ..role_assignment import new_crowd
from .behaviors import crowd_in_focus, has_editable_crowd
from .polls import in_object_mode

if TYPE_CHECKING:
    from bpy.types import Context, Object

GROUND = 4.0
"""What is so many times as large as all other selected objects is what they are to stand on."""


def _places(self, context, _text) -> list[str]:
    fits = FITS.get(NUMBERS[self.arrangement])
    return [ob.name for ob in context.scene.objects if fits is not None and fits(ob)]


class STEERING_OT_populate(bpy.types.Operator):
    """Fill the crowd, or a new one, with copies of the selected models. Later change the count and press again: those
    who are there stay who they are"""

    bl_idname = "steering.populate"
    bl_label = "Populate"
    bl_options = {"REGISTER", "UNDO"}

    place: StringProperty(
        name="Place",
        description="The mesh, region or curve where the members are put",
        search=_places,
        options={"SKIP_SAVE"},
    )

    moves_like: EnumProperty(
        name="Moves Like",
        description="What a crowd that has no settings yet starts to live like; others stay as they are",
        items=ITEMS,
        default=ANYTHING.name,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context) -> bool:
        if not in_object_mode(cls, context):
            return False
        if crowd_in_focus(context) is not None:
            return has_editable_crowd(cls, context)
        if not context.selected_objects:
            cls.poll_message_set("Select the models to fill a crowd with, and last what they shall stand on")
            return False
        if context.scene.library is not None or not context.scene.is_editable:
            cls.poll_message_set("The scene is linked and cannot be changed here")
            return False
        return True

    def draw(self, _context) -> None:
        fields = self.layout.column()
        fields.use_property_split = True
        for name in shown(self.arrangement):
            fields.prop(self, name)
        fields.prop(self, "moves_like")

    @reported
    def execute(self, context):
        crowd = crowd_in_focus(context)
        plan, place, models = self._plan(context, crowd)
        crowd = crowd or new_crowd(context, likeness(self.moves_like).crowd)
        self._remember(crowd, plan, place, models)
        self._tell(crowd, plan, place)
        members = fill(context, crowd, plan)
        for warning in bring_to_life(context, crowd, members, plan.preset) if plan.preset and members else ():
            self.report({"WARNING"}, warning)
        if plan.ground.population.arrangement == ONE_PLACE and plan.count > 1:
            self.report(*let_in(crowd, context.scene))
        for ob in context.selected_objects:
            ob.select_set(False)
        crowd.select_set(True)
        context.view_layer.objects.active = crowd
        return {"FINISHED"}

    def _plan(self, context: Context, crowd: Object | None) -> tuple[Plan, Object | None, list[Object]]:
        """What to do, where, and with which selected models that the crowd does not know yet.

        What the operator is not told, the crowd remembers from the last time, or the selection says.
        """
        group = crowd.steering.populate if crowd is not None and crowd.steering.is_property_set("populate") else None
        looks_so, kind = _ground_in(context, crowd)
        own = values_of(Population, self)
        values = values_of(Population, group) if group is not None else {**own, CHOICE: kind}
        told = {name: value for name, value in own.items() if self.properties.is_property_set(name)}
        population = Population(**{**values, **told})

        place = context.scene.objects.get(self.place) if self.place else group.place if group is not None else None
        if self.place and place is None:
            raise Refusal(f"There is no {self.place} in the scene: choose another place.")
        place = place or looks_so
        known = _known(group, crowd, place) if group is not None else []
        models = [] if known else usable(list(context.selected_objects), crowd, {place, looks_so})
        if population.arrangement not in WANTED:
            place = None
        made_of = known or [(ob, 1.0) for ob in models]
        like = likeness(self.moves_like)
        fresh = like is not UNCHANGED and (crowd is None or not is_settled(crowd))
        plan = plan_filling(context, crowd, population, place, made_of, like if fresh else UNCHANGED)
        return plan, place, models

    def _remember(self, crowd: Object, plan: Plan, place: Object | None, models: list[Object]) -> None:
        """Keep the settings with the crowd, and show them in the panel that opens."""
        group = crowd.steering.populate
        population = plan.ground.population
        for name, parameter in Population.parameters().items():
            value = stored(parameter, getattr(population, name))
            setattr(group, name, value)
            setattr(self, name, value)
        if place is not None:
            group.place = place
            self.place = place.name
        for ob in models:
            group.sources.add().object = ob

    def _tell(self, crowd: Object, plan: Plan, place: Object | None) -> None:
        """What comes of it, in a line, and what the animator may not have expected."""
        added = sum(1 for number in plan.numbers.tolist() if number not in plan.existing)
        parts = [(added, "added"), (len(plan.numbers) - added, "moved"), (len(plan.leaving), "removed")]
        changes = ", ".join(f"{number} {what}" for number, what in parts if number) or "nothing changed"
        self.report({"INFO"}, f"{crowd.name} has {plan.count} members: {changes}")
        if plan.count < plan.ground.population.count:
            self.report({"WARNING"}, f"{(place or crowd).name} has room for {plan.count} members only: make it larger")
        if plan.kept:
            names = ", ".join(ob.name for ob in plan.kept[:MOST_NAMES])
            more = f" and {len(plan.kept) - MOST_NAMES} more" if len(plan.kept) > MOST_NAMES else ""
            self.report({"WARNING"}, f"Left alone, as they were locked, moved, keyed or parented: {names}{more}")


STEERING_OT_populate.__annotations__.update(
    {name: operator_property(name, parameter) for name, parameter in Population.parameters().items()}
)


class STEERING_OT_populate_add(bpy.types.Operator):
    """Let members be made of the selected models too"""

    bl_idname = "steering.populate_add"
    bl_label = "Add Models"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context) -> bool:
        return in_object_mode(cls, context) and has_editable_crowd(cls, context)

    @reported
    def execute(self, context):
        crowd = crowd_in_focus(context)
        stored = crowd.steering.populate
        known = {source.object for source in stored.sources}
        models = usable(list(context.selected_objects), crowd, {stored.place, *known})
        for ob in models:
            stored.sources.add().object = ob
        if not models:
            stored.sources.add()
        return {"FINISHED"}


class STEERING_OT_populate_remove(bpy.types.Operator):
    """Make no more members of this; those there are stay"""

    bl_idname = "steering.populate_remove"
    bl_label = "Remove Model"
    bl_options = {"REGISTER", "UNDO"}

    row: IntProperty(name="Row", description="Which of the models, from 0", min=0)

    @classmethod
    def poll(cls, context) -> bool:
        return has_editable_crowd(cls, context)

    def execute(self, context):
        sources = crowd_in_focus(context).steering.populate.sources
        if self.row >= len(sources):
            self.report({"ERROR"}, f"There is no model {self.row}: the crowd has {len(sources)}.")
            return {"CANCELLED"}
        sources.remove(self.row)
        return {"FINISHED"}


def _known(stored, crowd: Object, place: Object | None) -> list[tuple[Object, float]]:
    """What the crowd remembers its members to be made of, and how often each."""
    found = []
    for source in stored.sources:
        objects = []
        if source.kind == "OBJECT" and source.object is not None:
            objects = usable([source.object], crowd, {place})
        elif source.kind == "COLLECTION" and source.collection is not None:
            objects = usable(roots(source.collection), crowd, {place})
        found += [(ob, source.weight / len(objects)) for ob in objects]
    return found


def _ground_in(context: Context, crowd: Object | None) -> tuple[Object | None, int]:
    """What of the selection looks like a place for the rest of it, and the arrangement for that; else a grid."""
    selected = [ob for ob in context.selected_objects if ob != crowd]
    active = context.view_layer.objects.active
    if active in selected:
        selected = [active, *(ob for ob in selected if ob != active)]
    for ob in selected:
        others = [other for other in selected if other != ob]
        if not others:
            break
        if ob.type == "CURVE":
            return ob, CURVE
        if has_role(ob, Role.REGION):
            return ob, VOLUME
        if FITS[SURFACE](ob) and max(ob.dimensions) > GROUND * max(max(other.dimensions) for other in others):
            return ob, SURFACE
    return None, GRID


CLASSES = (STEERING_OT_populate, STEERING_OT_populate_add, STEERING_OT_populate_remove)

register, unregister = bpy.utils.register_classes_factory(CLASSES)
