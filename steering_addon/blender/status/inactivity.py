"""Why nothing moves: the reason why a crowd, or one of its behaviors, does nothing on the current frame.

Only properties are read and nothing is computed, so that panels may ask whenever they are drawn.
"""

from math import inf

from bpy.types import Object

from ...behaviors import CATALOGUE
from ...simulation.behavior import Behavior
from ..objects.tagged_objects import full_name
from ..read.cast import reason
from ..read.dependencies import animates
from ..read.target_groups import target_problem
from .census import Census
from .present_members import Presence


def why_still(crowd: Object, census: Census | None) -> str:
    """Why the vehicles of a crowd do nothing, as a sentence without final stop; empty if they do something. `census`:
    the counts of the scene; without it, reasons that depend on them are not known."""
    return _no_member_moves(crowd, census) or _cannot_move(crowd) or _nothing_to_do(crowd, census)


def why_away(crowd: Object, census: Census | None) -> str:
    """Why no vehicle of a crowd is present on the current frame but on others; empty if one is present."""
    attending = census.members(crowd).attending if census is not None else None
    if attending is None or attending.present:
        return ""
    if attending.enters <= census.last:
        frame = f"{attending.enters:.0f}"
        if attending.left:
            return f"No vehicle is present on this frame: the next enters on frame {frame}"
        return f"No vehicle has entered yet: the first enters on frame {frame}"
    return "The vehicles that entered have left" if attending.left else ""


def why_idle(behavior: type[Behavior], crowd: Object, census: Census | None) -> str:
    """Why a behavior that is switched on does nothing; empty if it does something."""
    group = getattr(crowd.steering, behavior.name)
    if group.weight == 0.0:
        return f"Its weight is {_zero(crowd, f'steering.{behavior.name}.weight')}"
    return "" if census is None else target_problem(behavior, crowd, census.offered)


def _no_member_moves(crowd: Object, census: Census | None) -> str:
    if census is None:
        return ""
    if census.is_lost(crowd):
        return f"{reason(crowd)}: its vehicles cannot move"
    members = census.members(crowd)
    if not members.vehicles and full_name(crowd) in census.aside:
        return "All its vehicles are in no view layer of this scene: enable their collection in the Outliner"
    if not members.vehicles:
        return "No vehicles yet: select some together with this crowd, and press Vehicle"
    if not members.free:
        return "All its vehicles are locked: unlock the ones that should move"
    if not members.active:
        return "All its vehicles are inactive on this frame: turn on Takes Part"
    return _no_member_enters(members.attending, census.last)


def _no_member_enters(attending: Presence, last: int) -> str:
    if attending.present or attending.left or attending.enters <= last:
        return ""
    if attending.enters == inf:
        return "All its vehicles wait for room to enter"
    return f"All its vehicles enter after the last frame, {last}: the first enters on frame {attending.enters:.0f}"


def _cannot_move(crowd: Object) -> str:
    model = crowd.steering.vehicle
    for name, consequence in (("max_speed", "nothing can move"), ("max_force", "vehicles cannot turn or change speed")):
        if getattr(model, name) == 0.0:
            label = name.replace("_", " ").title()
            return f"{label} is {_zero(crowd, f'steering.vehicle.{name}')}: {consequence}"
    return ""


def _nothing_to_do(crowd: Object, census: Census | None) -> str:
    added = [behavior for behavior in CATALOGUE if crowd.steering.is_property_set(behavior.name)]
    if not added:
        return "No behavior: its vehicles go straight on"
    used = [behavior for behavior in added if getattr(crowd.steering, behavior.name).use]
    if not used:
        keyed = any(animates(crowd, f"steering.{behavior.name}.use") for behavior in added)
        return f"All behaviors are switched off{' by keys here' if keyed else ''}: its vehicles go straight on"
    reasons = [why_idle(behavior, crowd, census) for behavior in used]
    if all(reasons):
        return f"{used[0].label} does nothing: {reasons[0][0].lower()}{reasons[0][1:]}"
    return ""


def _zero(crowd: Object, path: str) -> str:
    return "keyed to 0 here" if animates(crowd, path) else "0"
