"""Operators that change vehicles: their front, how they move, how they differ, and drivers of their wheels."""

from contextlib import suppress

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty
from bpy.types import Context, Object

from ...locomotion.driving import OUTPUTS
from ...settings.population import MOST_VARIED
from ...settings.stored_choices import AS_CROWD, OWN_MOVES
from ...simulation.roles import Role
from ..animation.custom_properties import reading_drivers
from ..crowds.adding_clips import add_to_new_crowd, measure_clips, why_without_walk
from ..crowds.joining import fit_springs
from ..crowds.member_variation import VARIED, vary
from ..crowds.wheel_drivers import drive_wheels, drivers_of, wheels_of_car
from ..moving import BY_CHOICE, locomotion_of
from ..objects.focus import check_editable, crowd_in_focus, vehicles_selected
from ..objects.hierarchy import Family
from ..objects.tagged_objects import crowd_of, tagged, vehicles_of
from ..panels.fields import counted
from ..properties import copy_values, has_role
from ..property_groups import items_of
from ..refusal import Refusal, Unneeded, check_stored, choice_in
from .polls import CROWD_NEEDED, SteeringOperator, has_editable_crowd, in_object_mode, needed, vehicle_selected

OPPOSITE = {"POS": "NEG", "NEG": "POS"}
ON_WHEELS = {choice: kind.label for choice, kind in BY_CHOICE.items() if kind.runs_on_wheels}
"""The labels of the locomotions of cars by their choices."""


def _may_be_flipped(context: Context) -> bool:
    """Whether a vehicle or a crowd is selected."""
    return bool(vehicles_selected(context)) or any(has_role(ob, Role.CROWD) for ob in context.selected_objects)


class STEERING_OT_flip_front(SteeringOperator, bpy.types.Operator):
    """Turn the front of the selected vehicles, or of those of the selected crowds, to the other end of their models.
    The arrow in the viewport shows it; the models stay as they are"""

    bl_label = "Flip Front"
    needs = (in_object_mode, needed(_may_be_flipped, "Select vehicles, or their crowd"))

    def carry_out(self, context):
        vehicles = _selected_with_crowds(context)
        if not vehicles:
            raise Unneeded("The selected crowds have no vehicles. Tag some, or select vehicles.")
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
        return text


def _selected_with_crowds(context: Context) -> list[Object]:
    """The selected vehicles and those of the selected crowds."""
    selected = {*context.selected_objects, *vehicles_selected(context)}
    vehicles = tagged(context.view_layer.objects, Role.VEHICLE)
    return [ob for ob in vehicles if ob in selected or crowd_of(ob) in selected]


class STEERING_OT_move_as(SteeringOperator, bpy.types.Operator):
    """Let the selected vehicles alone move in another way than their crowd, such as a sheep dog on wheels. The
    settings of that are in the panel This One Only"""

    bl_label = "Move in Another Way"
    needs = (in_object_mode, vehicle_selected)

    locomotion: EnumProperty(
        name="Moves As",
        description="How their bodies turn steering into motion",
        items=items_of(OWN_MOVES),
        default=AS_CROWD.name,
    )

    def carry_out(self, context):
        vehicles = vehicles_selected(context)
        check_editable(vehicles)
        moves = BY_CHOICE.get(self.locomotion)
        for ob in vehicles:
            settings, crowd = ob.steering, crowd_of(ob)
            moves_alike = moves is not None and crowd is not None and locomotion_of(crowd) is moves
            # Settings that it has never had begin as those of its crowd, where that moves alike.
            if moves_alike and crowd.steering.is_property_set(moves.name) and not settings.is_property_set(moves.name):
                copy_values(getattr(crowd.steering, moves.name), getattr(settings, moves.name))
            settings.own_locomotion = self.locomotion


def _amount(name: str, default: float, description: str):
    limit = MOST_VARIED[name.lower().replace(" ", "_")]
    return FloatProperty(
        name=name, description=description, default=default, min=0.0, max=limit, soft_max=0.5, subtype="FACTOR"
    )


def _may_vary(context: Context) -> bool:
    """Whether a crowd is in focus, or a vehicle is selected."""
    return crowd_in_focus(context) is not None or bool(vehicles_selected(context))


class STEERING_OT_vary(SteeringOperator, bpy.types.Operator):
    """Randomize the speed, size and mass of the crowd's vehicles slightly"""

    bl_label = "Vary"
    needs = (in_object_mode, needed(_may_vary, f"{CROWD_NEEDED}, or select vehicles"))

    speed: _amount("Speed", 0.1, "Largest random change of a vehicle's speed, up or down")
    size: _amount("Size", 0.05, "Largest random change of a vehicle's size, up or down")
    mass: _amount("Mass", 0.0, "Largest random change of a vehicle's mass, up or down")
    start_speed: _amount("Start Speed", 0.1, "Largest random change of a vehicle's start speed, up or down")
    seed: IntProperty(name="Seed", description="Seed of the random numbers", default=0)
    scale_objects: BoolProperty(
        name="Scale Objects", description="Scale the objects to match the size of the vehicles", default=True
    )
    selected: BoolProperty(
        name="Selected Only",
        description="Vary only the selected vehicles, whatever crowd they belong to",
        options={"SKIP_SAVE"},
    )

    def carry_out(self, context):
        crowd = None if self.selected else crowd_in_focus(context)
        warnings = vary(
            context.scene,
            crowd,
            {name: getattr(self, name) for name in VARIED},
            seed=self.seed,
            scale_objects=self.scale_objects,
            only=vehicles_selected(context) if crowd is None else None,
        )
        self.warn(warnings)


def _runs_on_wheels(operator: type, context: Context) -> bool:
    """Whether the crowd in focus runs on wheels."""
    crowd = crowd_in_focus(context)
    if crowd.steering.locomotion in ON_WHEELS:
        return True
    labels = " or ".join(ON_WHEELS.values())
    operator.poll_message_set(f"{crowd.name} does not move on wheels. Set the Locomotion to {labels}")
    return False


class STEERING_OT_drive_wheels(SteeringOperator, bpy.types.Operator):
    """Add drivers to the wheels of all vehicles of the crowd: they roll and steer with the way that is baked, and go up
    and down on springs. Wheels have to be objects of their own; what you keyed on them stays"""

    bl_label = "Drive Wheels"
    needs = (in_object_mode, has_editable_crowd, _runs_on_wheels)

    def carry_out(self, context):
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
        return f"Drivers turn {number} wheels of {counted(len(cars), 'vehicle')}. Bake to see it"
