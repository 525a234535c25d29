"""The operator that lets wheels roll and steer."""

import bpy

from ...locomotion.driving import OUTPUTS
from ..animation.custom_properties import reading_drivers
from ..crowds.adding_clips import vehicles_of
from ..crowds.joining import fit_springs
from ..crowds.wheel_drivers import drive_wheels, drivers_of, wheels_of_car
from ..moving import BY_CHOICE
from ..objects.focus import crowd_in_focus
from ..objects.hierarchy import Family
from ..objects.suitability import check_editable
from ..refusal import Refusal, reported
from ..stored_values import check_stored
from .polls import has_editable_crowd, in_object_mode

ON_WHEELS = {choice: kind.label for choice, kind in BY_CHOICE.items() if kind.runs_on_wheels}
"""The labels of the locomotions of cars by their choices."""


class STEERING_OT_drive_wheels(bpy.types.Operator):
    """Add drivers to the wheels of all vehicles of the crowd: they roll and steer with the way that is baked, and go up
    and down on springs. Wheels have to be objects of their own; what you keyed on them stays"""

    bl_idname = "steering.drive_wheels"
    bl_label = "Drive Wheels"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context) -> bool:
        if not in_object_mode(cls, context) or not has_editable_crowd(cls, context):
            return False
        crowd = crowd_in_focus(context)
        if crowd.steering.locomotion in ON_WHEELS:
            return True
        labels = " or ".join(ON_WHEELS.values())
        cls.poll_message_set(f"{crowd.name} does not move on wheels. Set the Locomotion to {labels}")
        return False

    @reported
    def execute(self, context):
        crowd = crowd_in_focus(context)
        check_stored([crowd])
        cars = vehicles_of(crowd, context.scene)
        if not cars:
            raise Refusal(f"{crowd.name} has no vehicles. Tag some.")
        check_editable(cars)
        depsgraph, family = context.evaluated_depsgraph_get(), Family()
        reading = reading_drivers(cars, [output.name for output in OUTPUTS])
        driven = {car: drivers_of(car, wheels_of_car(car, depsgraph, family), reading[car]) for car in cars}
        for car, drivers in driven.items():
            drive_wheels(car, drivers)
        crowd.steering.portrayal.use = True
        fit_springs(crowd, cars)
        number = sum(map(len, driven.values()))
        plural = "s" * (len(cars) != 1)
        self.report({"INFO"}, f"Drivers turn {number} wheels of {len(cars)} vehicle{plural}. Bake to see it")
        return {"FINISHED"}
