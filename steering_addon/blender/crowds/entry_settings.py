"""When vehicles are there, as it is stored: on which frame they enter, and whether they are hidden while they are not.

A vehicle that a bake has moved was there as the bake found it; one that is animated by hand from the frame it says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...simulation.roles import Role
from ..properties import has_role, settings_of
from ..read.dependencies import animates
from ..write.ownership import bake_of
from ..write.visibility import parts

if TYPE_CHECKING:
    from bpy.types import Object

    from ..hierarchy import Family


class Hiding:
    """Which vehicles a bake may hide, as they may not be there all the time; each crowd is asked once."""

    def __init__(self) -> None:
        self._crowds: dict[Object, tuple[bool, bool]] = {}

    def concerns(self, ob: Object, crowd: Object) -> bool:
        """Whether it may hide a vehicle of a crowd."""
        if crowd not in self._crowds:
            self._crowds[crowd] = _hides(crowd), comes_and_goes(crowd)
        hides, some_are_away = self._crowds[crowd]
        return hides and (some_are_away or ob.steering.use_enter_frame)


def _hides(crowd: Object) -> bool:
    """Whether the vehicles of a crowd are hidden while they are not there; a group nobody touched is left alone."""
    return not crowd.steering.is_property_set("attendance") or crowd.steering.attendance.hide


def comes_and_goes(crowd: Object) -> bool:
    """Whether vehicles of a crowd may come later or leave, as far as the crowd has its say; looking writes nothing."""
    if not crowd.steering.is_property_set("attendance"):
        return False
    own = crowd.steering.attendance
    return own.use_enter_frame or own.on_arrival == "LEAVE" or animates(crowd, "steering.attendance.on_arrival")


def own_enter_frame(ob: Object) -> float:
    """The frame on which a vehicle enters by a setting of its own, nan where that is for its crowd to say."""
    return float(ob.steering.enter_frame) if ob.steering.use_enter_frame else np.nan


def parts_of(vehicle: Object, family: Family) -> list[Object]:
    """What is seen of a vehicle besides itself; other vehicles that hang on it are none of its parts."""
    return [part for part in parts(vehicle, family) if not has_role(part, Role.VEHICLE)]


def frames_there(ob: Object) -> tuple[float, float]:
    """The first and the last frame on which something that the simulation does not move is there."""
    if settings_of(ob) is None or not has_role(ob, Role.VEHICLE):
        return -np.inf, np.inf
    record = bake_of(ob)
    if record is not None and record.present_frames is not None:
        return record.present_frames
    entering = own_enter_frame(ob)
    return (-np.inf if record is not None or np.isnan(entering) else entering), np.inf
