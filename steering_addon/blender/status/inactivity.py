"""Why nothing moves: what keeps a crowd, or one of its behaviors, from doing anything on the present frame.

Properties are read and nothing is worked out, so that panels may ask whenever they are drawn.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from ...behaviors import CATALOGUE
from ...simulation.behavior import Behavior
from ...simulation.declaration import NEAREST, POINTERS
from ...simulation.roles import DESCRIPTIONS
from ..read.dependencies import animates
from ..read.target_groups import named

if TYPE_CHECKING:
    from bpy.types import Object

    from .census import Census
    from .present_members import Whereabouts


def why_still(crowd: Object, census: Census | None) -> str:
    """Why the vehicles of a crowd do nothing, in a sentence without its final stop; empty where they do something.

    Args:
        census: what there is in the scene; without it, what hangs on that is not known.
    """
    return _nobody_moves(crowd, census) or _cannot_move(crowd) or _nothing_to_do(crowd, census)


def why_away(crowd: Object, census: Census | None) -> str:
    """Why nobody of a crowd is there on the present frame, though some are on others; empty where somebody is."""
    attending = census.members(crowd).attending if census is not None else None
    if attending is None or attending.there:
        return ""
    if attending.enters <= census.last:
        frame = f"{attending.enters:.0f}"
        if attending.left:
            return f"Nobody is there on this frame: the next enters on frame {frame}"
        return f"Nobody has entered yet: the first does on frame {frame}"
    return "Those of its vehicles that entered have left" if attending.left else ""


def why_idle(behavior: type[Behavior], crowd: Object, census: Census | None) -> str:
    """Why a behavior of a crowd, which is switched on, does nothing; empty where it does something."""
    group = getattr(crowd.steering, behavior.name)
    if group.weight == 0.0:
        return f"Its weight is {_zero(crowd, f'steering.{behavior.name}.weight')}"
    for name, parameter in behavior.parameters().items():
        if parameter.kind not in POINTERS or parameter.default != NEAREST or census is None:
            continue
        if not named(group, name) and not census.roles.get(parameter.role):
            article = "" if parameter.in_order else "a "
            what = f"{article}{name.replace('_', ' ')}"
            return f"It waits for a {DESCRIPTIONS[parameter.role][0]}: tag one, or choose {what}"
    return ""


def _nobody_moves(crowd: Object, census: Census | None) -> str:
    if census is None:
        return ""
    members = census.members(crowd)
    if not members.vehicles:
        return "No vehicles yet: select some together with this crowd, and press Vehicle"
    if not members.free:
        return "All its vehicles are locked: unlock those that shall move"
    if not members.active:
        return "All its vehicles are inactive on this frame"
    return _nobody_enters(members.attending, census.last)


def _nobody_enters(attending: Whereabouts, last: int) -> str:
    if attending.there or attending.left or attending.enters <= last:
        return ""
    if attending.enters == inf:
        return "All its vehicles wait for room to enter"
    return f"All its vehicles enter after the last frame, {last}: the first would on frame {attending.enters:.0f}"


def _cannot_move(crowd: Object) -> str:
    model = crowd.steering.vehicle
    for name, consequence in (("max_speed", "nothing can move"), ("max_force", "nobody can turn or change speed")):
        if getattr(model, name) == 0.0:
            what = name.replace("_", " ").title()
            return f"{what} is {_zero(crowd, f'steering.vehicle.{name}')}: {consequence}"
    return ""


def _nothing_to_do(crowd: Object, census: Census | None) -> str:
    there = [behavior for behavior in CATALOGUE if crowd.steering.is_property_set(behavior.name)]
    if not there:
        return "No behavior: its vehicles go straight on"
    used = [behavior for behavior in there if getattr(crowd.steering, behavior.name).use]
    if not used:
        keyed = any(animates(crowd, f"steering.{behavior.name}.use") for behavior in there)
        return f"All behaviors are switched off{' by keys here' if keyed else ''}: its vehicles go straight on"
    reasons = [why_idle(behavior, crowd, census) for behavior in used]
    if all(reasons):
        return f"{used[0].label} does nothing: {reasons[0][0].lower()}{reasons[0][1:]}"
    return ""


def _zero(crowd: Object, path: str) -> str:
    return "keyed to 0 here" if animates(crowd, path) else "0"
