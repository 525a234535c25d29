"""The operator that turns the front of vehicles round."""

from contextlib import suppress

import bpy
from bpy.types import Context, Object

from ...simulation.roles import Role
from ..crowds.adding_clips import add_to_new_crowd, measure_clips, why_without_walk
from ..objects.focus import vehicles_selected
from ..objects.hierarchy import Family
from ..objects.suitability import check_editable
from ..objects.tagged_objects import crowd_of, tagged
from ..panels.fields import counted
from ..properties import has_role
from ..refusal import Refusal, reported
from ..stored_values import choice_in
from .polls import in_object_mode

OPPOSITE = {"POS": "NEG", "NEG": "POS"}


class STEERING_OT_flip_front(bpy.types.Operator):
    """Turn the front of the selected vehicles, or of those of the selected crowds, to the other end of their models.
    The arrow in the viewport shows it; the models stay as they are"""

    bl_idname = "steering.flip_front"
    bl_label = "Flip Front"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context) -> bool:
        if not in_object_mode(cls, context):
            return False
        if vehicles_selected(context) or any(has_role(ob, Role.CROWD) for ob in context.selected_objects):
            return True
        cls.poll_message_set("Select vehicles, or their crowd")
        return False

    @reported
    def execute(self, context):
        vehicles = _chosen(context)
        if not vehicles:
            self.report({"WARNING"}, "The selected crowds have no vehicles. Tag some, or select vehicles.")
            return {"CANCELLED"}
        check_editable(vehicles)
        fronts = {ob: choice_in(ob.steering, "forward_axis") for ob in vehicles}
        for ob in vehicles:
            sign, axis = fronts[ob].split("_")
            ob.steering.forward_axis = f"{OPPOSITE[sign]}_{axis}"
        text = f"Flipped the front of {counted(len(vehicles), 'vehicle')}"
        for crowd in dict.fromkeys(crowd for ob in vehicles if (crowd := crowd_of(ob)) and crowd.is_editable):
            if not why_without_walk(crowd):
                # What cannot be measured, a bake refuses.
                with suppress(Refusal):
                    measure_clips(crowd, context.scene, Family())
                continue
            # Clips that went backwards may go ahead now.
            members = [ob for ob in vehicles if crowd_of(ob) == crowd]
            clips, why = add_to_new_crowd(crowd, members, context.scene)
            text += f"; {crowd.name} plays {', '.join(clips)}" if clips else ""
            if why:
                self.report({"WARNING"}, why)
        self.report({"INFO"}, text)
        return {"FINISHED"}


def _chosen(context: Context) -> list[Object]:
    """The selected vehicles and those of the selected crowds."""
    selected = {*context.selected_objects, *vehicles_selected(context)}
    vehicles = tagged(context.view_layer.objects, Role.VEHICLE)
    return [ob for ob in vehicles if ob in selected or crowd_of(ob) in selected]
