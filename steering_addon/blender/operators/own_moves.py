"""The operator that lets the selected vehicles move in another way than their crowd."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty

from ...settings.stored_choices import AS_CROWD, OWN_MOVES
from ...simulation.roles import Role
from ..crowds.own_moves import move_as
from ..objects.suitability import check_editable
from ..objects.tagged_objects import tagged
from ..property_groups import items_of
from ..refusal import reported
from .polls import SteeringOperator, in_object_mode, vehicle_selected


class STEERING_OT_move_as(SteeringOperator, bpy.types.Operator):
    """Let the selected vehicles alone move in another way than their crowd, such as a sheep dog on wheels. The
    settings of that are in the panel This One Only"""

    bl_idname = "steering.move_as"
    bl_label = "Move in Another Way"
    needs = (in_object_mode, vehicle_selected)

    locomotion: EnumProperty(
        name="Moves As",
        description="How their bodies turn steering into motion",
        items=items_of(OWN_MOVES),
        default=AS_CROWD.name,
    )

    @reported
    def execute(self, context):
        vehicles = tagged(context.selected_objects, Role.VEHICLE)
        check_editable(vehicles)
        for ob in vehicles:
            move_as(ob, self.locomotion)
        return {"FINISHED"}


CLASSES = (STEERING_OT_move_as,)

register, unregister = bpy.utils.register_classes_factory(CLASSES)
