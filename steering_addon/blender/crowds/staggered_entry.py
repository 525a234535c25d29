"""Default settings that let the vehicles of a crowd enter one after another."""

from bpy.types import Object, Scene

from ..read.run_settings import frame_range


def begin_after_start(crowd: Object, scene: Scene) -> None:
    """Set the enter frame of a crowd to the second frame of the run, unless the user has set it.

    On the first frame vehicles do not wait for room.
    """
    attendance = crowd.steering.attendance
    if not attendance.is_property_set("enter_frame"):
        attendance.enter_frame = frame_range(scene)[0] + 1


def let_in(crowd: Object, scene: Scene) -> tuple[set[str], str]:
    """Let members that start in one place enter one after another over the whole run.

    Settings that the user has made are kept. Returns level and message of the report.
    """
    attendance = crowd.steering.attendance
    if not attendance.use_enter_frame and attendance.is_property_set("use_enter_frame"):
        return {"WARNING"}, f"The members of {crowd.name} overlap. Enable Enter Later"
    if not attendance.use_enter_frame:
        attendance.use_enter_frame = True
        begin_after_start(crowd, scene)
        if not attendance.is_property_set("enter_span"):
            attendance.enter_span = max(frame_range(scene)[1] - attendance.enter_frame, 0)
    first, last = attendance.enter_frame, attendance.enter_frame + attendance.enter_span
    return {"INFO"}, f"The members enter one after another, from frame {first} to {last}"
