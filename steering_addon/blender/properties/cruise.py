"""The cruise speed in metres a second, beside the top speed; what is stored is its share of that."""

from bpy.props import FloatProperty
from bpy.types import PropertyGroup


def _cruise(vehicle: PropertyGroup) -> float:
    return vehicle.cruise_speed * vehicle.max_speed


def _set_cruise(vehicle: PropertyGroup, speed: float) -> None:
    if vehicle.max_speed > 0.0:
        vehicle.cruise_speed = min(speed / vehicle.max_speed, 1.0)


CRUISE = FloatProperty(
    name="Cruise Speed",
    description="Speed that it holds softly while no behavior sets another speed; at most the top speed. It is stored "
    "as a share of that, which can be keyed in Advanced",
    min=0.0,
    unit="VELOCITY",
    # Keys and library overrides are of the stored share.
    options=set(),
    get=_cruise,
    set=_set_cruise,
)
