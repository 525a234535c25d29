"""The ways in which a body turns steering into motion (Reynolds 1999, Locomotion). numpy only, no bpy."""

from ..simulation.locomotion import Locomotion
from .crawling import Crawling
from .flying import Flying
from .on_foot import OnFoot
from .planar import Planar
from .simple_vehicle import SimpleVehicle
from .swimming import Swimming
from .wheeled import Wheeled

CATALOGUE: tuple[type[Locomotion], ...] = (SimpleVehicle, Planar, Swimming, Flying, OnFoot, Wheeled, Crawling)
"""Every locomotion, in the order in which they are shown."""
__all__ = ["CATALOGUE", "LOCOMOTIONS", "Crawling", "Flying", "OnFoot", "Planar", "SimpleVehicle", "Swimming", "Wheeled"]
LOCOMOTIONS: dict[str, type[Locomotion]] = {kind.name: kind for kind in CATALOGUE}
"""Every locomotion by its name."""
