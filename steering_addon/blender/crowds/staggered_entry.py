"""Letting the vehicles of a crowd enter one after another, where nobody has said yet when they do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..read.plan import frame_range

if TYPE_CHECKING:
    from bpy.types import Object, Scene


def begin_after_start(crowd: Object, scene: Scene) -> None:
    """Have the first of a crowd enter on the run's second frame, unless somebody has named one.

    On the first one nobody waits for room.
    """
    own = crowd.steering.attendance
    if not own.is_property_set("enter_frame"):
        own.enter_frame = frame_range(scene)[0] + 1


def let_in(crowd: Object, scene: Scene) -> tuple[set[str], str]:
    """Have those who start in one place enter one after another over the whole run; how to report that, and what.

    Who has switched entering on or off before is not overruled.
    """
    own = crowd.steering.attendance
    if not own.use_enter_frame and own.is_property_set("use_enter_frame"):
        return {"WARNING"}, f"The members of {crowd.name} stand in one another: switch on Enter Later to part them"
    if not own.use_enter_frame:
        own.use_enter_frame = True
        begin_after_start(crowd, scene)
        if not own.is_property_set("enter_span"):
            own.enter_span = max(frame_range(scene)[1] - own.enter_frame, 0)
    first, last = own.enter_frame, own.enter_frame + own.enter_span
    return {"INFO"}, f"They enter one after another, from frame {first} to {last}"
