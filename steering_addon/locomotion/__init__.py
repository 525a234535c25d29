"""The ways in which a body turns steering into motion (Reynolds 1999, Locomotion). numpy only, no bpy."""

from __future__ import annotations

from ..simulation.locomotion import Locomotion
from .planar import Planar
from .simple_vehicle import SimpleVehicle

CATALOGUE: tuple[type[Locomotion], ...] = (SimpleVehicle, Planar)
"""Every locomotion, in the order in which they are shown."""
__all__ = ["CATALOGUE", "LOCOMOTIONS", "Planar", "SimpleVehicle"]
LOCOMOTIONS: dict[str, type[Locomotion]] = {kind.name: kind for kind in CATALOGUE}
"""Every locomotion by its name."""
