"""The operator that lets the selected vehicles move in another way than their crowd."""

import bpy
from bpy.props import EnumProperty
from bpy.types import Object

from ...settings.stored_choices import AS_CROWD, OWN_MOVES
from ...simulation.locomotion import Locomotion
from ..moving import BY_CHOICE, locomotion_of
from ..objects.focus import vehicles_selected
from ..objects.suitability import check_editable
from ..objects.tagged_objects import crowd_of
from ..property_groups import items_of, stored_value, values_of
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
        vehicles = vehicles_selected(context)
        check_editable(vehicles)
        for ob in vehicles:
            # Settings that it has never had begin as those of its crowd, where that moves alike.
            settings, moves, crowd = ob.steering, BY_CHOICE.get(self.locomotion), crowd_of(ob)
            if moves is not None and not settings.is_property_set(moves.name) and _has_set(crowd, moves):
                group = getattr(settings, moves.name)
                for name, value in values_of(moves, getattr(crowd.steering, moves.name)).items():
                    setattr(group, name, stored_value(moves.parameters()[name], value))
            settings.own_locomotion = self.locomotion
        return {"FINISHED"}


def _has_set(crowd: Object | None, moves: type[Locomotion]) -> bool:
    """Whether a crowd moves in this way, with settings of its own."""
    return crowd is not None and locomotion_of(crowd) is moves and crowd.steering.is_property_set(moves.name)
