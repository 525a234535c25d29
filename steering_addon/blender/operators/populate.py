"""Operators that fill a crowd with copies of models."""

from collections.abc import Collection

import bpy
import numpy as np
from bpy.props import BoolProperty, EnumProperty, StringProperty
from bpy.types import Context, Object

from ...settings.population import CURVE, GRID, ONE_PLACE, SURFACE, VOLUME, Population
from ...simulation.roles import DESCRIPTIONS, Role
from ..clips.measuring import player_below
from ..crowds.adding_clips import FIND_CLIPS, add_to_new_crowd, tell_points
from ..crowds.improbable import why_improbable
from ..crowds.moves_like import (
    ANIMAL,
    ANYTHING,
    ITEMS,
    PERSON,
    UNCHANGED,
    Likeness,
    bring_to_life,
    flies,
    guess_likeness,
    is_settled,
    likeness,
)
from ..crowds.populating.filling import FillingPlan, fill, fill_with_points, plan_filling
from ..crowds.populating.members import number_of
from ..crowds.populating.models import candidates, may_be_model, usable
from ..crowds.populating.place import follow, has_room_inside, stand_on, stay_in, tell_remedy
from ..crowds.preset_exchange import let_in
from ..objects.body_sizes import Body
from ..objects.characters import family_with_bound_parts, is_character, not_copied, torn_apart
from ..objects.doubles import doubles
from ..objects.focus import activate, crowd_in_focus, wholes_selected
from ..objects.hierarchy import Family, roots
from ..objects.tagged_objects import called, crowd_of, full_name, list_names, names_of
from ..properties import has_role, pointed_at
from ..property_groups import operator_property, stored_value, values_of
from ..read.ground import CHOICE, NUMBERS, shown
from ..read.place_kinds import PLACE_KINDS
from ..read.role_assignment import new_crowd
from ..refusal import Refusal, check_stored, choice_in
from .polls import RemovingRow, SteeringOperator, has_editable_crowd, has_editable_scene, in_object_mode, needed

NOT_ON_GROUND = {"distance", "height", "lean"}
"""Settings that the redo panel leaves out on a surface, as they fit the members; the sidebar has them."""
SIZES = "random_scale"
FOLLOWING = (CHOICE, SIZES)
"""The settings of a new crowd that follow from the selection and from Moves Like unless they are chosen."""
GROUND, FLAT, LOW = 4.0, 0.01, 0.1
"""A selected mesh that is this many times larger than all other selected models is taken for the ground. So is one
whose height is at most this share of its width, or this one if it is larger than all models, if no model is as flat."""


def _places(self, context, _text) -> list[str]:
    kind = PLACE_KINDS.get(NUMBERS[self.arrangement])
    return [full_name(ob) for ob in context.scene.objects if kind is not None and kind.fits(ob)]


_has_models = needed(
    lambda context: context.selected_objects,
    "Select models to fill a crowd with, and optionally the ground to place them on",
)


def _may_fill(operator: type, context: Context) -> bool:
    """Whether there is a crowd to fill, or what a new one could be filled with."""
    if crowd_in_focus(context) is not None:
        return has_editable_crowd(operator, context)
    return _has_models(operator, context) and has_editable_scene(operator, context)


class STEERING_OT_populate(SteeringOperator, bpy.types.Operator):
    """Fill the crowd, or a new one, with copies of the selected models. To change the number of members, change the
    count and populate again; existing members are kept"""

    bl_label = "Populate"
    needs = (in_object_mode, _may_fill)

    place: StringProperty(
        name="Place",
        description="Mesh, region or curve to place the members on or in",
        search=_places,
        options={"SKIP_SAVE"},
    )

    moves_like: EnumProperty(
        name="Moves Like",
        description="Preset for a crowd that has no settings yet; other crowds keep their settings. Unless chosen, "
        "rigged characters move like persons if they stand upright, and like animals if some are long and on legs",
        items=ITEMS,
        default=ANYTHING.name,
        options={"SKIP_SAVE"},
    )

    find_clips: BoolProperty(name="Find Clips", description=FIND_CLIPS, default=True, options={"SKIP_SAVE"})

    found: StringProperty(options={"SKIP_SAVE", "HIDDEN"})
    """The names and values of FOLLOWING that nobody chose: they follow anew if Moves Like changes in the redo panel."""

    hide_models: BoolProperty(
        name="Hide Models",
        description="Hide the models afterwards, in the viewport and in renders",
        options={"SKIP_SAVE"},
    )

    def draw(self, _context) -> None:
        fields = self.layout.column()
        fields.use_property_split = True
        left_out = NOT_ON_GROUND if NUMBERS[self.arrangement] == SURFACE else ()
        for name in (*shown(self.arrangement), "moves_like", "find_clips", "hide_models"):
            if name not in left_out:
                fields.prop(self, name)

    def carry_out(self, context):
        crowd = crowd_in_focus(context)
        family = family_with_bound_parts(context.scene, context.evaluated_depsgraph_get())
        plan, place, models = self._plan(context, crowd, family)
        crowd = crowd or new_crowd(context, likeness(self.moves_like).crowd, seed=plan.ground.population.seed)
        self._remember(crowd, plan, place, models)
        report = _changes(crowd, plan, [] if self.hide_models else models)
        warnings = _limits(context, crowd, plan, place, family)
        in_points = plan.ground.population.in_points
        members = [] if in_points else fill(context, crowd, plan)
        if in_points:
            fill_with_points(context, crowd, plan)
        arrangement = plan.ground.population.arrangement
        ground = place if arrangement == SURFACE else None
        if plan.preset and plan.count:
            if arrangement == CURVE:
                follow(place, plan.preset)
            room = stay_in(place, plan.preset, context.view_layer.depsgraph) if arrangement == VOLUME else None
            places = plan.position if in_points else None
            warnings += bring_to_life(context, crowd, members, plan.preset, ground=ground, room=room, places=places)
        if plan.preset and members and self.find_clips:
            # Give a new crowd the clips that its models bring along; their names, and why there are none.
            if player_below(members[0], Family()) is not None:
                context.view_layer.update()
            clips, why_none = add_to_new_crowd(crowd, members, context.scene)
            report += f"; they play {', '.join(clips)}" if clips else ""
            warnings += [why_none] if why_none else []
        if plan.preset and in_points and self.find_clips and (why := tell_points(crowd, models)):
            warnings.append(why)
        if plan.preset and members and (why := why_improbable(crowd, members, are_birds=self.moves_like == "BIRD")):
            warnings.append(why)
        self.report({"INFO"}, report)
        if arrangement == ONE_PLACE and plan.count > 1:
            self.report(*let_in(crowd, context.scene))
        # Last: the status bar shows the last report.
        self.warn(warnings)
        if ground is not None:
            stand_on(ground, crowd)
        if self.hide_models:
            _hide(plan, context)
        activate(context, crowd)

    def _plan(
        self, context: Context, crowd: Object | None, family: Family
    ) -> tuple[FillingPlan, Object | None, list[Object]]:
        """The plan for filling the crowd, the place, and the selected models if the crowd has none yet. A value that is
        not passed to the operator is the one stored on the crowd, else it follows from the selection."""
        group = crowd.steering.populate if crowd is not None and crowd.steering.is_property_set("populate") else None
        ground, arrangement = _selected_ground(context, crowd, family)
        passed = values_of(Population, self)
        values = values_of(Population, group) if group is not None else {**passed, CHOICE: arrangement}
        chosen = {name for name in passed if self.properties.is_property_set(name)} - self._still_following()
        specified = {name: passed[name] for name in chosen}
        self.found = " ".join(name for name in FOLLOWING if group is None and name not in chosen)

        place = called(context.scene.objects, self.place) if self.place else group and pointed_at(group, "place")
        if self.place and place is None:
            raise Refusal(f"{self.place} not found in the scene. Choose another place.")
        if place is not None and _is_member(place, crowd):
            raise Refusal(f"{place.name} is a member of {crowd.name}. Choose another place.")
        place = place or ground
        stored = _stored_models(group, crowd, place, family) if group is not None else []
        models = [] if stored else _selected_models(context, crowd, {place, ground}, family)
        weighted = stored or [(ob, 1.0) for ob in models]
        like = UNCHANGED
        if crowd is None or not is_settled(crowd):
            like = self._likeness(context, weighted, family)
        if group is None and arrangement == SURFACE and like is not ANYTHING and flies(like, crowd):
            values[CHOICE] = VOLUME if _is_filled_by(place, weighted, context, family) else SURFACE
        population = Population(**{**values, **specified})
        if population.arrangement not in PLACE_KINDS:
            place = None
        sizes_of_preset = SIZES in self.found
        plan = plan_filling(context, crowd, population, place, weighted, like, family, sizes_of_preset=sizes_of_preset)
        return plan, place, models

    def _still_following(self) -> set[str]:
        """The names of the settings that still have the value which was found for them."""
        found = dict(pair.split("=") for pair in self.found.split())
        return {name for name, value in found.items() if str(getattr(self, name)) == value}

    def _likeness(self, context: Context, models: list[tuple[Object, float]], family: Family) -> Likeness:
        """The chosen one, else the one that all models have; it is shown in the redo panel. People among animals are of
        the herd: both walk."""
        if not self.properties.is_property_set("moves_like"):
            check_stored(ob for ob, _ in models)
            depsgraph = context.evaluated_depsgraph_get()
            guessed = {guess_likeness(ob, depsgraph, family).name for ob, weight in models if weight > 0.0}
            walk = {PERSON.name, ANIMAL.name}
            self.moves_like = guessed.pop() if len(guessed) == 1 else (ANIMAL if guessed == walk else ANYTHING).name
        return likeness(self.moves_like)

    def _remember(self, crowd: Object, plan: FillingPlan, place: Object | None, models: list[Object]) -> None:
        """Store the settings on the crowd and show them in the redo panel."""
        group = crowd.steering.populate
        population = plan.ground.population
        for name, parameter in Population.parameters().items():
            value = stored_value(parameter, getattr(population, name))
            setattr(group, name, value)
            setattr(self, name, value)
        self.found = " ".join(f"{name}={getattr(self, name)}" for name in self.found.split())
        if place is not None:
            group.place = place
            self.place = full_name(place)
        for ob in models:
            group.sources.add().object = ob


STEERING_OT_populate.__annotations__.update(
    {name: operator_property(name, parameter) for name, parameter in Population.parameters().items()}
)


def _changes(crowd: Object, plan: FillingPlan, models: list[Object]) -> str:
    """The changes in one line; `models`: those that may remain beside a crowd that is populated for the first time."""
    added = sum(1 for number in plan.numbers.tolist() if number not in plan.existing)
    parts = [(added, "added"), (len(plan.numbers) - added, "moved"), (len(plan.leaving), "removed")]
    changes = ", ".join(f"{number} {change}" for number, change in parts if number) or "nothing changed"
    visible = [ob.name for ob in models if ob.visible_get()]
    aside = ""
    if visible:
        subject = "the model" if len(visible) == 1 else "the models"
        aside = f"; {subject} {names_of(visible)} {'remains' if len(visible) == 1 else 'remain'} beside them"
    return f"{crowd.name} has {plan.count} members: {changes}{aside}"


def _hide(plan: FillingPlan, context: Context) -> None:
    """Hide the models that members were made of."""
    in_view = set(context.view_layer.objects)
    for part in (part for source in plan.sources for part in source.model.parts if part.library is None):
        part.hide_render = True
        if part in in_view:
            part.hide_set(True)


def _limits(context: Context, crowd: Object, plan: FillingPlan, place: Object | None, family: Family) -> list[str]:
    """A warning each about members that are not made or not moved, and about parts that members do not get."""
    warnings = []
    models = [source.model.parts[0] for source in plan.sources]
    for check in (torn_apart, not_copied):
        if warning := check(models, family, context.scene):
            warnings.append(warning)
    if plan.kept:
        names = list_names([ob.name for ob in plan.kept])
        warnings.append(f"Kept members that are locked or were moved, keyed or parented: {names}")
    if plan.count < plan.ground.population.count:
        remedy = tell_remedy(plan.ground, plan.sources)
        warnings.append(f"{(place or crowd).name} only has room for {plan.count} members. {remedy}")
    return warnings


class STEERING_OT_populate_add(SteeringOperator, bpy.types.Operator):
    """Add the selected objects to the models of the crowd"""

    bl_label = "Add Models"
    needs = (in_object_mode, has_editable_crowd)

    def carry_out(self, context):
        crowd = crowd_in_focus(context)
        # Reading the group writes it into the file, which a refusal must not do.
        stored = crowd.steering.populate if crowd.steering.is_property_set("populate") else None
        listed = set() if stored is None else {pointed_at(source, "object") for source in stored.sources}
        place = None if stored is None else pointed_at(stored, "place")
        family = family_with_bound_parts(context.scene, context.evaluated_depsgraph_get())
        models = _selected_models(context, crowd, {place, *listed}, family)
        group = crowd.steering.populate
        for ob in models:
            group.sources.add().object = ob
        if not models:
            group.sources.add()


class STEERING_OT_populate_remove(RemovingRow, bpy.types.Operator):
    """Remove the model from the list; its existing members are kept"""

    bl_label = "Remove Model"
    needs = (has_editable_crowd,)

    list_path = "populate", "sources"
    noun, empty = "Model", "The crowd lists no models: add some first"


def _stored_models(group, crowd: Object, place: Object | None, family: Family) -> list[tuple[Object, float]]:
    """The models stored on the crowd, each with its weight."""
    models = []
    for source in group.sources:
        objects = []
        # Reading a pointer that was never set writes it into the file.
        kind = choice_in(source, "kind")
        if kind == "OBJECT" and (ob := pointed_at(source, "object")) is not None:
            objects = usable([ob], crowd, {place}, family)
        elif kind == "COLLECTION" and (collection := pointed_at(source, "collection")) is not None:
            objects = usable(roots(collection), crowd, {place}, family)
        models += [(ob, source.weight / len(objects)) for ob in objects]
    return models


def _selected_models(
    context: Context, crowd: Object | None, excluded: Collection[Object | None], family: Family
) -> list[Object]:
    """The models among the selected objects. Refused if there are none, but something with a tag of another kind."""
    selected = [ob for ob in wholes_selected(context) if not has_role(ob, Role.CROWD)]
    models = usable([ob for ob in selected if may_be_model(ob)], crowd, excluded, family)
    others = [ob for ob in selected if not may_be_model(ob)]
    if others and not models:
        words = " and ".join(DESCRIPTIONS[role][0] for role in Role if has_role(others[0], role))
        text = f"{others[0].name} is tagged as {words}, so no member is made of it"
        raise Refusal(f"{text}. Select a model, too, or remove the tag.", about=[others[0]])
    return models


def _is_member(ob: Object, crowd: Object | None) -> bool:
    """Whether Populate made an object for a crowd, and may remove it."""
    return crowd is not None and number_of(ob) > 0 and crowd_of(ob) == crowd


def _selected_ground(context: Context, crowd: Object | None, family: Family) -> tuple[Object | None, int]:
    """The selected object that looks like a place for the others, with its arrangement; (None, GRID) without one."""
    selected = [ob for ob in context.selected_objects if ob != crowd and not _is_member(ob, crowd)]
    active = context.view_layer.objects.active
    if active in selected:
        selected = [active, *(ob for ob in selected if ob != active)]
    if len(selected) < 2:
        return None, GRID
    extents: dict[Object, np.ndarray] = {}
    for ob in selected:
        if ob.type == "CURVE":
            return ob, CURVE
        if has_role(ob, Role.REGION):
            return ob, VOLUME
        if has_role(ob, Role.SURFACE):
            return ob, SURFACE
        if not _may_be_ground(ob, family):
            continue
        if not extents:
            check_stored(selected)
            depsgraph = context.evaluated_depsgraph_get()
            models = candidates(selected, crowd, (), family)
            extents = {model: Body.of(model, depsgraph, family).extent() for model in models}
        others = [extent for other, extent in extents.items() if other != ob]
        if ob not in extents or not others:
            continue
        size, largest = max(extents[ob]), max(map(max, others))
        flatness, flattest = _flatness(extents[ob]), min(map(_flatness, others))
        limit = LOW if size > largest else FLAT
        if size > GROUND * largest or flatness <= limit < flattest:
            return ob, SURFACE
    return None, GRID


def _is_filled_by(place: Object, models: list[tuple[Object, float]], context: Context, family: Family) -> bool:
    """Whether models that fly or swim are to fill a place instead of standing on it."""
    depsgraph = context.evaluated_depsgraph_get()
    sizes = [float(Body.of(ob, depsgraph, family).extent().max()) for ob, _ in models]
    return _flatness(doubles(place.dimensions)) > LOW and has_room_inside(place, max(sizes, default=0.0), depsgraph)


def _may_be_ground(ob: Object, family: Family) -> bool:
    """Whether an object has a surface to stand on, and neither an armature nor animated shape keys."""
    keys = ob.data.shape_keys if ob.type == "MESH" else None
    return (
        PLACE_KINDS[SURFACE].fits(ob) and not is_character(ob, family) and (keys is None or keys.animation_data is None)
    )


def _flatness(extent: np.ndarray) -> float:
    """How high what is as long, wide and high as this, (3,) metres, is as a share of its width; inf for a line."""
    width = float(extent[:2].min())
    return float(extent[2]) / width if width > 0.0 else np.inf
