"""The base of operators, and the checks and the question that they share; a check tells why a button is disabled."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from bpy.props import IntProperty
from bpy.types import Context, Object

from ..clips.crowd_clips import stored_clips
from ..objects.focus import crowd_in_focus, state_in_focus, vehicles_selected
from ..objects.tagged_objects import names_of
from ..refusal import Refusal
from ..status import census

Check = Callable[[type, Context], bool]
"""Whether an operator can work; if not, it tells why the button is disabled."""


class SteeringOperator:
    """A base of operators that are undone in one step, disabled where one of their checks fails, and report refusals.
    They are called by the names of their classes. `needs`: the checks, in order."""

    bl_options = {"REGISTER", "UNDO"}
    needs: Sequence[Check] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.bl_idname = cls.__name__.replace("STEERING_OT_", "steering.")

    @classmethod
    def poll(cls, context) -> bool:
        return all(check(cls, context) for check in cls.needs)

    def carry_out(self, context: Context) -> str | None:
        """Do what the operator is for; returns what to report of it, if anything. May raise a Refusal."""
        raise NotImplementedError

    def execute(self, context):
        try:
            outcome = self.carry_out(context)
        except Refusal as why:
            return self.refused(why)
        if outcome:
            self.report({"INFO"}, outcome)
        return {"FINISHED"}

    def refused(self, refusal: Refusal) -> set[str]:
        """Report a refusal, and return what the operator returns."""
        self.report({refusal.level}, str(refusal))
        return {"CANCELLED"}

    def warn(self, warnings: Iterable[str]) -> None:
        """Report warnings."""
        for warning in warnings:
            self.report({"WARNING"}, warning)


class RemovingRow(SteeringOperator):
    """Removes a row of a list of the crowd in focus. `list_path`: the group and the list in it; `noun`, `empty`: what
    the rows are, and the remedy if there are none."""

    row: IntProperty(name="Row", description="Index in the list, from 0", min=0)
    list_path: tuple[str, str]
    noun: str
    empty: str

    def carry_out(self, context):
        crowd, (group, rows) = crowd_in_focus(context), self.list_path
        # Reading the group writes it into the file.
        stored = getattr(getattr(crowd.steering, group), rows) if crowd.steering.is_property_set(group) else ()
        if self.row >= len(stored):
            remedy = f"Choose an index below {len(stored)}" if len(stored) else self.empty
            raise Refusal(f"{self.noun} {self.row} does not exist. {remedy}.")
        try:
            stored.remove(self.row)
        except TypeError:
            # Of the rows of a library override, Blender removes only those that were added to it.
            text = f"{self.noun} {self.row} of {crowd.name} comes from the linked file. Remove it there."
            raise Refusal(text, about=[crowd]) from None
        # Blender does not update dependencies after this, and a preview would continue with what is gone.
        crowd.update_tag()


def needed(holds: Callable[[Context], Any], otherwise: str) -> Check:
    """A check of something, with why the button is disabled where it does not hold."""

    def check(operator: type, context: Context) -> bool:
        if holds(context):
            return True
        operator.poll_message_set(otherwise)
        return False

    return check


in_object_mode = needed(lambda context: context.mode == "OBJECT", "Only available in Object Mode")
something_selected = needed(lambda context: context.selected_objects, "Select at least one object")
vehicle_selected = needed(vehicles_selected, "Select at least one vehicle")
"""Or a part of one."""
CROWD_NEEDED = "Make a crowd or one of its vehicles the active object"
has_crowd = needed(crowd_in_focus, CROWD_NEEDED)
has_state = needed(state_in_focus, "Make a state the active object")
something_baked = needed(
    lambda context: (counts := census.settled(context.scene)) is None or counts.baked, "Nothing is baked. Bake first"
)
"""Whether an object of the scene plays a bake; also if that is not known, so that scripts need not wait."""
has_editable_scene = needed(
    lambda context: context.scene.library is None and context.scene.is_editable,
    "The scene is linked and cannot be edited",
)


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


def ask_of_edited(
    context: Context, operator: str, edited: Sequence[Object], answers: Sequence[tuple[str, str, str]], **settings: Any
) -> None:
    """Ask what becomes of objects with edited keys; another click than on an answer leaves all as it is. `operator`:
    the bl_idname of the one that each answer calls; `answers`: the values of its property `edited`, each with its text,
    in which {} stands for the objects, and icon."""

    def draw(popup, _context) -> None:
        # Each answer is a call of its own, which Esc may stop.
        popup.layout.operator_context = "INVOKE_DEFAULT"
        subject = edited[0].name if len(edited) == 1 else f"These {len(edited)}"
        for answer, text, icon in answers:
            entry = popup.layout.operator(operator, text=text.format(subject), icon=icon, translate=False)
            for name, value in {"edited": answer, **settings}.items():
                setattr(entry, name, value)

    names = names_of([ob.name for ob in edited])
    context.window_manager.popup_menu(draw, title=f"Keys of {names} were edited by hand", icon="ERROR")
