"""The stored settings of presence: when vehicles enter, and what a bake may hide: absent vehicles, eaten resources.

The presence of a baked vehicle is that of its bake; a vehicle animated by hand is present from its enter frame.
"""

from collections.abc import Iterable, Iterator

import numpy as np
from bpy.types import Object

from ...simulation.behavior import Behavior
from ...simulation.roles import Role
from ..animation.ownership import bake_of, check_free
from ..animation.run_records import Outcomes
from ..animation.visibility import SWITCHES, parts
from ..objects.hierarchy import Family
from ..objects.tagged_objects import crowd_of
from ..properties import has_role, has_roles, settings_of
from .dependencies import animates
from .sources import behaviors_of

ALWAYS = (-np.inf, np.inf)


class HidingRule:
    """Which vehicles a bake may hide. The settings of each crowd are read once."""

    def __init__(self, states: Iterable[Object]) -> None:
        """`states`: of all crowds."""
        self._crowds: dict[Object, tuple[bool, bool]] = {}
        self._re_enter = {crowd_of(state) for state in states if _enters_again(state)}

    def concerns(self, ob: Object, crowd: Object) -> bool:
        """Whether the bake may hide a vehicle of a crowd: its crowd hides absent vehicles, and it may be absent."""
        if crowd not in self._crowds:
            stored = crowd.steering
            hides = not stored.is_property_set("attendance") or stored.attendance.hide
            leaves = comes_and_goes(crowd) or crowd in self._re_enter or _enters_again(crowd)
            self._crowds[crowd] = hides, leaves
        hides, may_be_absent = self._crowds[crowd]
        return hides and (may_be_absent or ob.steering.use_enter_frame)


def comes_and_goes(crowd: Object) -> bool:
    """Whether vehicles enter later or leave by the settings of their crowd. Writes nothing."""
    if not crowd.steering.is_property_set("attendance"):
        return False
    attendance = crowd.steering.attendance
    return (
        attendance.use_enter_frame
        or attendance.on_arrival == "LEAVE"
        or animates(crowd, "steering.attendance.on_arrival")
    )


def _enters_again(ob: Object) -> bool:
    """Whether a behavior of a crowd or a state may let vehicles leave and enter again."""
    return any(
        getattr(getattr(ob.steering, behavior.name), name) == value or animates(ob, f"steering.{behavior.name}.{name}")
        for behavior in behaviors_of(ob)
        for name, value in (behavior.leaves_by,)
        if name
    )


def own_enter_frame(ob: Object) -> float:
    """The enter frame set on a vehicle itself; nan if the crowd decides."""
    return float(ob.steering.enter_frame) if ob.steering.use_enter_frame else np.nan


def parts_of(vehicle: Object, family: Family) -> list[Object]:
    """The visible parts of a vehicle besides itself, without other vehicles that are parented to it."""
    return [part for part in parts(vehicle, family) if not has_role(part, Role.VEHICLE)]


def frames_there(objects: Iterable[Object]) -> np.ndarray:
    """The first and the last frame on which objects that the simulation does not move are present, (k, 2)."""
    outcomes = Outcomes()
    return np.array([_frames_there(ob, outcomes) for ob in objects]).reshape(-1, 2)


def _frames_there(ob: Object, outcomes: Outcomes) -> tuple[float, float]:
    if settings_of(ob) is None or not has_role(ob, Role.VEHICLE):
        return ALWAYS
    bake = bake_of(ob)
    if bake is not None:
        return outcomes.of(ob, bake).present_frames or ALWAYS
    entering = own_enter_frame(ob)
    return ALWAYS if np.isnan(entering) else (entering, np.inf)


def feeds(behaviors: Iterable[type[Behavior]]) -> bool:
    """Whether a behavior takes something from resources."""
    return any(p.role is Role.RESOURCE for behavior in behaviors for p in behavior.parameters().values())


def may_be_hidden(ob: Object) -> bool:
    """Whether a bake may hide a resource; a linked one cannot be hidden."""
    return has_role(ob, Role.RESOURCE) and ob.steering.hide_eaten and _is_ours_to_hide(ob)


def check_hiding(resources: Iterable[Object], first: float, last: float, replace: bool) -> None:
    """Refuse resources that cannot be hidden with their parts, because they are animated by hand."""
    family = Family()
    for ob in resources:
        for part in with_parts(ob, family) if may_be_hidden(ob) else ():
            check_free(part, first, last, replace, SWITCHES)


def with_parts(ob: Object, family: Family) -> Iterator[Object]:
    """A resource and its visible parts; a child with a role of its own is not a part."""
    if _is_ours_to_hide(ob):
        yield ob
    for part in parts(ob, family):
        if _is_ours_to_hide(part) and not has_roles(part):
            yield part


def _is_ours_to_hide(ob: Object) -> bool:
    return ob.library is None and ob.is_editable
