"""Operators by which an animator directs single vehicles."""

import bpy
from bpy.props import BoolProperty, FloatProperty, IntProperty
from bpy.types import Context

from ..animation.ownership import bake_of
from ..crowds.directing import check_takeover, new_mark, take_over
from ..objects.focus import activate, crowd_in_focus, vehicle_in_focus, vehicle_of, vehicles_selected
from ..properties import has_roles
from ..properties.hooks import SHAPED
from ..refusal import Refusal, check_stored
from .polls import SteeringOperator, has_crowd, has_editable_scene, in_object_mode, something_baked, vehicle_selected

USUAL_LENGTH = 40
"""Frames."""


def _may_take_over(operator: type, context: Context) -> bool:
    """Whether a vehicle is selected, or the panel of the last operator asks: the guides are selected then."""
    latest = context.window_manager.operators[-1:]
    return any(recent.bl_idname == operator.__name__ for recent in latest) or vehicle_selected(operator, context)


class STEERING_OT_animate_by_hand(SteeringOperator, bpy.types.Operator):
    """Take the selected vehicles over by hand: each gets a guide with its baked motion on these frames, to be moved. \
Bake again afterwards; the vehicle follows its guide, and the others see it"""

    bl_label = "Animate by Hand"
    needs = (in_object_mode, something_baked, _may_take_over)

    frame_start: IntProperty(
        name="Start", description="First frame on which the vehicle follows its guide", options={"SKIP_SAVE"}
    )
    frame_end: IntProperty(
        name="End", description="Last frame on which the vehicle follows its guide", options={"SKIP_SAVE"}
    )
    precision: FloatProperty(
        name="Precision",
        description="How far the motion of the guide may be off the bake between keys; a larger one makes fewer keys",
        default=0.01,
        min=0.0001,
        max=10.0,
        unit="LENGTH",
    )

    def carry_out(self, context):
        if not self.properties.is_property_set("frame_start"):
            self.frame_start = context.scene.frame_current
        vehicles = vehicles_selected(context)
        if not vehicles:
            raise Refusal("Select at least one vehicle.")
        if not self.properties.is_property_set("frame_end"):
            ends = [bake.last for bake in map(bake_of, vehicles) if bake is not None]
            self.frame_end = int(min((self.frame_start + USUAL_LENGTH, *ends)))
        for ob in vehicles:
            check_takeover(ob, self.frame_start, self.frame_end)
        guides = [take_over(ob, context, self.frame_start, self.frame_end, self.precision) for ob in vehicles]
        context.view_layer.update()
        activate(context, *guides)
        subject = guides[0].name if len(guides) == 1 else f"the {len(guides)} guides"
        return f"Move the keys of {subject}, then bake again"


class STEERING_OT_mark_add(SteeringOperator, bpy.types.Operator):
    """Add a mark at the 3D cursor, with a timeline marker on this frame: there and then the active vehicle is to be, \
or the middle of the crowd. With a mesh or text selected besides, each vehicle of the crowd meets a place of that, or \
lands on it"""

    bl_label = "Add Mark"
    needs = (in_object_mode, has_crowd, has_editable_scene)

    of_crowd: BoolProperty(
        name="Crowd",
        description="For the middle of the crowd, not the active vehicle; with a shape, for each of its vehicles",
        options={"SKIP_SAVE"},
    )
    lands: BoolProperty(
        name="Land",
        description="What flies comes down there, or on the object selected besides, and stands",
        options={"SKIP_SAVE"},
    )
    use_marker: BoolProperty(
        name="Timeline Marker",
        description="Add a timeline marker of its name: the mark is met at the frame to which that is moved",
        default=True,
    )

    def carry_out(self, context):
        crowd = crowd_in_focus(context)
        check_stored([crowd])
        # Birds may land on a roof, which may be an obstacle too.
        shapes = [ob for ob in context.selected_objects if ob.type in SHAPED and vehicle_of(ob) is None]
        shapes = [ob for ob in shapes if self.lands or not has_roles(ob)]
        shape = shapes[0] if len(shapes) == 1 else None
        vehicle = vehicle_in_focus(context)
        alone = not self.of_crowd and vehicle is not None and (shape is None or self.lands)
        performer = vehicle if alone else crowd
        frame = context.scene.frame_current
        mark = new_mark(context, performer, frame, shape, with_marker=self.use_marker)
        mark.steering.mark.lands = self.lands
        context.view_layer.update()
        activate(context, mark)
        of = "" if alone else "each of " if shape is not None or self.lands else "the middle of "
        is_there = f"{performer.name} {'stands' if self.lands else 'is to be'} here at frame {frame}"
        return f"{mark.name}: {of}{is_there}. Move the timeline marker or the mark"
