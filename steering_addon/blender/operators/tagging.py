"""Operators that tag objects as vehicles, obstacles, paths, leaders and crowds."""

from collections.abc import Sequence

import bpy
from bpy.props import BoolProperty, EnumProperty
from bpy.types import Context, Depsgraph, Object, Scene

from ...settings.stored_choices import ROLES
from ...simulation.roles import DESCRIPTIONS, OF_BODIES, OF_MEMBERS, Role
from ..animation.ownership import is_baked
from ..clips.clip_speeds import cruise_of
from ..crowds.adding_clips import FIND_CLIPS, add_to_new_crowd
from ..crowds.behavior_adding import answer
from ..crowds.improbable import loose_parts, why_improbable
from ..crowds.joining import Joined, join, join_points, selected_crowd
from ..crowds.member_variation import give_size_back
from ..crowds.moves_like import ANYTHING, LIKENESSES, UNCHANGED, is_settled, likeness
from ..crowds.moves_like import ITEMS as MOVES_LIKE_ITEMS
from ..objects.body_sizes import Body
from ..objects.characters import carriers, torn_apart
from ..objects.focus import activate, check_editable, select_only, suits, vehicles_selected, whole_of, wholes_selected
from ..objects.hierarchy import Family, ancestors, is_descendant
from ..objects.tagged_objects import list_names, names_of
from ..panels.fields import counted
from ..properties import has_role
from ..property_groups import is_listed, items_of
from ..read.role_assignment import default_crowd, give_role, new_crowd
from ..read.solids import SHAPE_LABELS, fitting_region, fitting_shape, passers_height
from ..read.start_pose import channels, store
from ..refusal import Refusal, check_choices, choice_in
from ..units import speed_text
from .polls import SteeringOperator, in_object_mode, needed, something_selected, vehicle_selected

SHAPED = {Role.OBSTACLE: "obstacle_shape", Role.REGION: "region_shape"}
"""The settings that hold the shapes of objects by role."""
REMEDIES = {
    Role.PATH: "Select a curve, such as Add > Curve > Path",
    Role.FLOW: "Select a curve, such as Add > Curve > Path, or a mesh that is painted or has loose edges",
    Role.SURFACE: "Select a mesh, or another object with faces, that is not a vehicle",
    Role.LINK: "Select a curve, such as Add > Curve > Path, or an Empty",
    Role.SIGNAL: "Select an Empty, such as Add > Empty > Plain Axes",
    Role.POINTS: "Select a mesh that is neither a vehicle nor a surface",
    Role.CROWD: "Select an Empty, or use Add Crowd",
    Role.STATE: "Use Add State",
    Role.TRIGGER: "Use Add Trigger",
    Role.MARK: "Use Add Mark",
    Role.VEHICLE: "Select the objects to move",
}
"""The remedy if none of the selected objects can have the role."""
REMEDY = "Select an object that does not play a bake"
"""The remedy for a role that all other objects can have."""
EQUIPMENT = ("CAMERA", "LIGHT", "LIGHT_PROBE", "SPEAKER")
"""Types of objects that seldom are part of a crowd."""


class STEERING_OT_tag(SteeringOperator, bpy.types.Operator):
    """Make the selected objects part of the steering simulation"""

    bl_label = "Tag for Steering"
    needs = (in_object_mode, something_selected)

    role: EnumProperty(name="Role", description="Role to give to the objects", items=items_of(ROLES), default="VEHICLE")
    moves_like: EnumProperty(
        name="Moves Like",
        description="Preset for a crowd that has no settings yet; other crowds keep their settings",
        items=MOVES_LIKE_ITEMS,
        default=ANYTHING.name,
        options={"SKIP_SAVE"},
    )
    new_crowd: BoolProperty(
        name="New Crowd",
        description="Create a new crowd even if the objects could join an existing one",
        options={"SKIP_SAVE"},
    )
    find_clips: BoolProperty(name="Find Clips", description=FIND_CLIPS, default=True, options={"SKIP_SAVE"})
    of_part: BoolProperty(
        name="Of the Part Itself",
        description="Give the role to a selected part of a vehicle, such as a rider or a hat, instead of to the whole",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def description(cls, _context, properties) -> str:
        if properties.role == Role.VEHICLE.name and properties.is_property_set("moves_like"):
            return likeness(properties.moves_like).description
        return DESCRIPTIONS[Role[properties.role]][1]

    def invoke(self, context, _event):
        specified = self.properties.is_property_set("moves_like") or Role[self.role] not in OF_MEMBERS
        crowd = selected_crowd(context)
        if specified or bpy.app.background or (crowd is not None and is_settled(crowd)):
            return self.execute(context)
        bpy.ops.wm.call_menu(name=STEERING_MT_moves_like.__name__)
        return {"CANCELLED"}

    def draw(self, _context) -> None:
        fields = self.layout.column()
        fields.use_property_split = True
        fields.prop(self, "role")
        if Role[self.role] in OF_MEMBERS:
            fields.prop(self, "moves_like")
            fields.prop(self, "new_crowd")
        if self.role == Role.VEHICLE.name:
            fields.prop(self, "find_clips")
        fields.prop(self, "of_part")

    def carry_out(self, context):
        role = Role[self.role]
        joined = Joined()
        chosen = _objects_to_tag(context, role, self.of_part)
        suitable, skipped = _suitable(chosen, role, self.of_part)
        if role in OF_MEMBERS:
            joining = join if role is Role.VEHICLE else join_points
            joined = joining(context, suitable, likeness(self.moves_like), separate=self.new_crowd)
        else:
            self._give(context, role, suitable)
        answer(context.scene)
        if skipped:
            self.report({"WARNING"}, f"Skipped objects that cannot be {_label(role)}: {skipped}")
        self.warn(joined.warnings)
        instead = _select_wholes(context, suitable)
        if joined.crowd is not None:
            is_new = self.find_clips and joined.preset is not None
            clips, why_none = add_to_new_crowd(joined.crowd, joined.members, context.scene) if is_new else ([], "")
            plays = f"; it plays {', '.join(clips)}" if clips else ""
            self.report({"INFO"}, "; ".join([_summary(joined) + plays, *instead]))
            unlikely = why_improbable(joined.crowd, joined.members, are_birds=self.moves_like == "BIRD")
            self.warn(filter(None, (why_none, torn_apart(joined.members, Family(), context.scene), unlikely)))
        elif instead:
            self.report({"INFO"}, f"Tagged {names_of([ob.name for ob in suitable])} as {_label(role)}: {instead[0]}")
        if loose := loose_parts(joined.members):
            text = f"{names_of([ob.name for ob in loose])} reach into each other, and each goes its own way"
            # Last: the status bar shows the last report.
            self.report({"WARNING"}, f"{text}. If they are parts of one model, parent them to one and tag only that")

    def _give(self, context: Context, role: Role, objects: Sequence[Object]) -> None:
        """Give objects a role other than that of vehicles."""
        family = Family()
        depsgraph = context.evaluated_depsgraph_get() if role is Role.LEADER or role in SHAPED else None
        # All are measured before the first is tagged: a refusal changes nothing.
        bodies = [Body.of(ob, depsgraph, family) if role is Role.LEADER else None for ob in objects]
        check_choices(objects)
        shapes = _fitting_shapes(objects, role, context.scene, depsgraph, family) if role in SHAPED else {}
        # Vehicles that stand on a box would be in it.
        walked = [ob for ob in objects if role is Role.SURFACE and has_role(ob, Role.OBSTACLE)]
        for ob, body in zip(objects, bodies, strict=True):
            give_role(ob, role, family, body)
        for ob, shape in shapes.items():
            setattr(ob.steering, SHAPED[role], shape)
        for ob in walked:
            ob.steering.obstacle_shape = "MESH"
        if role in SHAPED:
            self.report({"INFO"}, _shapes_of(objects, SHAPED[role]))
        elif walked:
            self.report({"INFO"}, _shapes_of(walked, "obstacle_shape"))


class STEERING_MT_moves_like(bpy.types.Menu):
    """Choose what the selected objects move like"""

    bl_label = "Moves Like"

    def draw(self, context) -> None:
        layout = self.layout
        # With INVOKE_DEFAULT the operator would open this menu again.
        layout.operator_context = "EXEC_DEFAULT"
        crowd = selected_crowd(context) or default_crowd(context)
        settled = crowd is not None and is_settled(crowd)
        if settled:
            entry = layout.operator("steering.tag", text=f"Join {crowd.name}", icon=UNCHANGED.icon, translate=False)
            entry.role, entry.moves_like = Role.VEHICLE.name, UNCHANGED.name
            layout.separator()
            layout.label(text="New Crowd Like")
        for like in LIKENESSES:
            if settled and like is UNCHANGED:
                continue
            entry = layout.operator("steering.tag", text=like.label, icon=like.icon)
            entry.role, entry.moves_like, entry.new_crowd = Role.VEHICLE.name, like.name, settled


class STEERING_OT_untag(SteeringOperator, bpy.types.Operator):
    """Remove a role from the selected objects; baked keyframes are kept"""

    bl_label = "Untag"
    needs = (in_object_mode, something_selected)

    role: EnumProperty(
        name="Role", description="Role to remove from the objects", items=items_of(ROLES), default="VEHICLE"
    )

    def carry_out(self, context):
        objects = [ob for ob in wholes_selected(context) if has_role(ob, Role[self.role])]
        if not objects:
            label = _label(Role[self.role])
            raise Refusal(f"None of the selected objects is tagged as {label}. Select tagged objects.")
        check_editable(objects)
        if self.role == Role.VEHICLE.name:
            give_size_back(context.scene, objects)
        for ob in objects:
            ob.steering.roles -= {self.role}
            if Role[self.role] in OF_MEMBERS:
                ob.steering.crowd = None
            if Role[self.role] in SHAPED:
                ob.steering.property_unset(SHAPED[Role[self.role]])
            if not ob.steering.roles:
                # Delete Bake reads the start of what plays a bake.
                ob.steering.property_unset("member")
                if not is_baked(ob):
                    ob.property_unset("steering")


class STEERING_OT_whole_select(SteeringOperator, bpy.types.Operator):
    """Select the vehicles and leaders of which parts are selected, in place of the parts"""

    bl_label = "Select Whole"
    needs = (
        in_object_mode,
        something_selected,
        needed(
            lambda context: any(whole_of(ob) != ob for ob in context.selected_objects),
            "Select a part of a vehicle or leader",
        ),
    )

    def carry_out(self, context):
        active = context.view_layer.objects.active
        for ob in select_only(context, wholes_selected(context)):
            if active is None or ob == whole_of(active):
                context.view_layer.objects.active = ob


class STEERING_OT_crowd_add(SteeringOperator, bpy.types.Operator):
    """Add a crowd: an Empty that holds the settings shared by its vehicles"""

    bl_label = "Add Crowd"
    needs = (in_object_mode,)

    def carry_out(self, context):
        activate(context, new_crowd(context))


class STEERING_OT_set_start(SteeringOperator, bpy.types.Operator):
    """Store the current transforms of the selected vehicles as their start"""

    bl_label = "Set Start"
    needs = (vehicle_selected,)

    def carry_out(self, context):
        vehicles = vehicles_selected(context)
        check_editable(vehicles)
        for ob in vehicles:
            store(ob, *channels(ob))


def _objects_to_tag(context: Context, role: Role, of_part: bool) -> list[Object]:
    """The objects to tag, by name: of a part of a vehicle the whole, if the role is of bodies. Refused if all are parts
    of vehicles, and are to become vehicles."""
    selected = sorted(context.selected_objects, key=lambda ob: ob.name)
    if of_part or role not in OF_BODIES:
        return selected
    # A leader may carry vehicles, a vehicle may not.
    wholes = {ob: whole if has_role(whole := whole_of(ob), Role.VEHICLE) else ob for ob in selected}
    # What is a vehicle already stays as it is, unless a crowd is selected for it to join.
    if role is Role.VEHICLE and selected_crowd(context) is None:
        wholes = {ob: whole for ob, whole in wholes.items() if ob == whole or not has_role(whole, role)}
    if not wholes and selected:
        whole = whole_of(selected[0]).name
        raise Refusal(f"{selected[0].name} is part of {whole}, which is already a vehicle. Select {whole}.")
    return list(dict.fromkeys(wholes.values()))


def _suitable(objects: list[Object], role: Role, of_part: bool) -> tuple[list[Object], str]:
    """The objects that can have the role, and the names of the objects to skip; `of_part`: whether they are tagged
    themselves, also if they are parts of others. Refused if none of the objects can have the role, or one that can is
    not editable."""
    suitable = [ob for ob in objects if suits(ob, role)]
    left = set(objects).difference(suitable)
    names = list_names([ob.name for ob in objects if ob in left])
    if not suitable:
        raise Refusal(f"{names} cannot be {_label(role)}. {REMEDIES.get(role, REMEDY)}.")
    if role is Role.VEHICLE:
        # A crowd is selected together with its future members on purpose: they are to join it.
        names = ""
        if not of_part:
            # Of a bird and its wings, the bird, which carries them.
            wholes = dict.fromkeys(carriers(suitable))
            suitable = [ob for ob in wholes if wholes.keys().isdisjoint(ancestors(ob))]
    if role is Role.POINTS:
        names = list_names([ob.name for ob in objects if not (suits(ob, role) or has_role(ob, Role.CROWD))])
    check_editable(suitable)
    return suitable, names


def _fitting_shapes(
    objects: list[Object], role: Role, scene: Scene, depsgraph: Depsgraph, family: Family
) -> dict[Object, str]:
    """The shapes of objects that become obstacles or regions, but not of those for which one was chosen. Refused if a
    point of one is nowhere."""
    name = SHAPED[role]
    others = [ob for ob in objects if not (ob.is_property_set("steering") and ob.steering.is_property_set(name))]
    if role is Role.REGION:
        return {ob: fitting_region(ob, depsgraph) for ob in others}
    height = passers_height(scene)
    return {ob: "MESH" if has_role(ob, Role.SURFACE) else fitting_shape(ob, depsgraph, family, height) for ob in others}


def _shapes_of(objects: list[Object], name: str) -> str:
    """The clause of the report on the shapes in a setting of objects: "Wall 1, Wall 2: Box; Hill: Mesh"."""
    names: dict[str, list[str]] = {}
    for ob in objects:
        names.setdefault(SHAPE_LABELS[choice_in(ob.steering, name)], []).append(ob.name)
    return "; ".join(f"{list_names(group)}: {label}" for label, group in names.items())


def _select_wholes(context: Context, tagged_objects: list[Object]) -> list[str]:
    """Select objects that were tagged in place of a part of them; what to report about them. The active object becomes
    the one that it is a part of, so that the panels show it; if there is none, the first."""
    unselected = [ob for ob in tagged_objects if not ob.select_get() and is_listed(ob, context.view_layer.objects)]
    for ob in unselected:
        ob.select_set(True)
    active = context.view_layer.objects.active
    if active is None:
        context.view_layer.objects.active = next((ob for ob in tagged_objects if ob.select_get()), None)
    for ob in unselected:
        if active is not None and (whole_of(active) == ob or is_descendant(active, ob)):
            context.view_layer.objects.active = ob
    verb = "moves" if len(unselected) == 1 else "move"
    return [f"{list_names([ob.name for ob in unselected])} {verb} the selected parts"] if unselected else []


def _summary(joined: Joined) -> str:
    """The report after tagging vehicles, in one line."""
    number, crowd, preset = len(joined.members), joined.crowd.name, joined.preset
    vehicles = counted(number, "vehicle")
    if has_role(joined.members[0], Role.POINTS):
        vehicles = f"The points of {names_of([ob.name for ob in joined.members])}"
    # Select All takes them along with the models.
    equipment = [ob.name for ob in joined.members if ob.type in EQUIPMENT]
    equipment_too = f", {names_of(equipment)} too" if 0 < len(equipment) < number else ""
    if preset is None:
        return f"{vehicles} joined {crowd}{equipment_too}"
    pace = speed_text(cruise_of(joined.crowd), 2)
    return f"{vehicles} joined {crowd}{equipment_too}; preset {preset.label}, cruises at {pace}"


def _label(role: Role) -> str:
    """The name of a role with its article, unless it is of many: "an obstacle"."""
    noun = DESCRIPTIONS[role][0].lower()
    if role is Role.POINTS:
        return noun
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"
