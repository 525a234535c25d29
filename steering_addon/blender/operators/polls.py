"""The base of operators, and the checks that they share; each tells the user why a button is disabled."""

from bpy.types import Context

from ..clips.crowd_clips import stored_clips
from ..objects.focus import crowd_in_focus, state_in_focus, vehicles_selected
from ..status import census


class SteeringOperator:
    """A base of operators that are undone in one step, and disabled where one of their checks fails.

    Attributes:
        needs: the checks, in order; each gets the operator and the context, and tells why the button is disabled.
    """

    bl_options = {"REGISTER", "UNDO"}
    needs = ()

    @classmethod
    def poll(cls, context) -> bool:
        return all(check(cls, context) for check in cls.needs)


def in_object_mode(operator: type, context: Context) -> bool:
    if context.mode == "OBJECT":
        return True
    operator.poll_message_set("Only available in Object Mode")
    return False


def something_selected(operator: type, context: Context) -> bool:
    if not in_object_mode(operator, context):
        return False
    if context.selected_objects:
        return True
    operator.poll_message_set("Select at least one object")
    return False


def vehicle_selected(operator: type, context: Context) -> bool:
    """Whether a vehicle is selected, or a part of one."""
    if vehicles_selected(context):
        return True
    operator.poll_message_set("Select at least one vehicle")
    return False


def something_baked(operator: type, context: Context) -> bool:
    """Whether an object of the scene plays a bake; also if that is not known, so that scripts need not wait."""
    counts = census.settled(context.scene)
    if counts is None or counts.baked:
        return True
    operator.poll_message_set("Nothing is baked. Bake first")
    return False


def has_crowd(operator: type, context: Context) -> bool:
    """Whether a crowd is in focus."""
    if crowd_in_focus(context) is not None:
        return True
    operator.poll_message_set("Make a crowd or one of its vehicles the active object")
    return False


def has_editable_crowd(operator: type, context: Context) -> bool:
    """Whether a crowd that can be edited is in focus."""
    if not has_crowd(operator, context):
        return False
    crowd = crowd_in_focus(context)
    if crowd.library is not None:
        operator.poll_message_set(f"{crowd.name} is linked. Make a library override of it")
        return False
    return True


def has_clips(operator: type, context: Context) -> bool:
    """Whether the crowd in focus has clips and can be edited."""
    if not has_editable_crowd(operator, context):
        return False
    if stored_clips(crowd_in_focus(context)):
        return True
    operator.poll_message_set("The crowd has no clips. Find Clips first")
    return False


def has_state(operator: type, context: Context) -> bool:
    """Whether a state is in focus."""
    if state_in_focus(context) is not None:
        return True
    operator.poll_message_set("Make a state the active object")
    return False


def has_editable_scene(operator: type, context: Context) -> bool:
    """Whether objects can be added to the scene."""
    if context.scene.library is None and context.scene.is_editable:
        return True
    operator.poll_message_set("The scene is linked and cannot be edited")
    return False
