"""The panel of the crowd's behaviors, each in a subpanel."""

from bpy.types import Context, Object, UILayout

from ...behaviors import CATALOGUE
from ...simulation.behavior import Behavior
from ...simulation.combining import COMBININGS, MATTERS
from ...simulation.declaration import Kind
from ...simulation.roles import Role
from ..objects.focus import crowd_in_focus, holder_in_focus, vehicle_in_focus
from ..properties import has_role, uses
from ..property_groups import meaningful
from ..status.census import Census, known
from ..status.inactivity import why_away, why_idle, why_still
from .crowds import lost_crowd_of
from .fields import OfCrowd, columns, fields, in_both, note, parameters
from .presets import preset_button

COMMON = tuple(Behavior.parameters())
"""The parameters that every behavior has. The ones in use appear in the header, and last among the fields."""

HEADINGS = {"weight": "Weight", "priority": "Priority", "probability": "Chance"}
"""The headings of the columns of these."""
WIDTH = {Kind.NUMBER: 0.66, Kind.INTEGER: 0.4}
"""Horizontal scale of the numbers in the header of a behavior: at any resolution scale 12.50 fits, and the name."""


class Behaviors(OfCrowd):
    """For each behavior of the crowd a header with its switch, name and weight, and its parameters below."""

    bl_label = "Behaviors"

    def draw(self, context) -> None:
        layout, crowd = self.layout, holder_in_focus(context)
        in_use = [behavior for behavior in CATALOGUE if crowd.steering.is_property_set(behavior.name)]
        is_state = has_role(crowd, Role.STATE)
        census = known(context.scene)
        if is_state:
            _of_a_state(layout, context, in_use)
        elif census is not None and census.is_lost(crowd) and (vehicle := vehicle_in_focus(context)) is not None:
            lost_crowd_of(layout, context, vehicle, census)
        elif reason := why_still(crowd, census):
            note(layout, context, reason, icon="ERROR" if in_use else "INFO")
        elif reason := why_away(crowd, census):
            note(layout, context, reason)
        combines = crowd
        if is_state and not crowd.steering.state.own_combining:
            combines = crowd_in_focus(context) or crowd
        matters = MATTERS.get(next((c.number for c in COMBININGS if c.name == combines.steering.combining), -1), ())
        shown = columns(context, matters)
        if in_use and shown:
            _headings(layout, shown)
        for behavior in in_use:
            _behavior(layout, context, crowd, behavior, matters, census)
        layout.menu("STEERING_MT_behavior_add", icon="ADD")
        column = fields(layout)
        if is_state:
            column.prop(crowd.steering.state, "own_combining", text="Combine Otherwise")
            column = column.column()
            column.active = crowd.steering.state.own_combining
        if len(in_use) > 1 or is_state:
            column.prop(crowd.steering, "combining")


def _of_a_state(layout: UILayout, context: Context, in_use: list[type[Behavior]]) -> None:
    """A note of the behaviors of its crowd that a state leaves as they are."""
    crowd = crowd_in_focus(context)
    if crowd is None:
        return
    others = [kind.label for kind in CATALOGUE if uses(crowd, kind.name) and kind not in in_use]
    as_crowd = f"As in {crowd.name}: {', '.join(others)}" if others else f"Nothing is as in {crowd.name}"
    note(layout, context, f"{as_crowd}. Add a behavior to change it in this state")


def _headings(layout: UILayout, matters: tuple[str, ...]) -> None:
    """The headings of the columns of numbers, above the headers of the behaviors."""
    row = layout.row(align=True)
    row.scale_y = 0.7
    row.active = False
    row.label(text="")
    for parameter in matters:
        heading = row.row(align=True)
        heading.alignment = "RIGHT"
        heading.label(text=HEADINGS[parameter])


def _behavior(
    layout: UILayout,
    context: Context,
    crowd: Object,
    behavior: type[Behavior],
    matters: tuple[str, ...],
    census: Census | None,
) -> None:
    """The header of a behavior and, if open, its parameters."""
    group = getattr(crowd.steering, behavior.name)
    header, body = layout.panel(f"steering_{behavior.name}", default_closed=True)
    idle = why_idle(behavior, crowd, census) if group.use else ""
    # Aligned, which leaves more room for the name.
    line = header.row(align=True)
    name = line.row(align=True)
    # Quietly, as a behavior may well wait: a preset is also for scenes without a path or region.
    name.active = group.use and not idle
    # As the text of a property, so that a right click on it leads to its page of the manual.
    name.prop(group, "use", text=behavior.label)
    for parameter in columns(context, matters):
        number = line.row(align=True)
        number.active = group.use
        number.scale_x = WIDTH.get(behavior.parameters()[parameter].kind, 1.0)
        number.prop(group, parameter, text="")
    if body is not None:
        if idle:
            note(body, context, idle)
        # In the header there is no room for it beside whole names and numbers.
        line = body.row()
        line.operator("steering.behavior_remove", text="Remove", icon="X").behavior = behavior.name
        presets = line.row()
        presets.alignment = "RIGHT"
        presets.label(text="Presets")
        preset_button(presets, behavior)
        column = fields(body)
        column.active = group.use
        specific = [name for name in meaningful(behavior, group) if name not in COMMON]
        parameters(column, behavior, group, [*specific, *matters])


CLASSES = in_both(Behaviors, "behaviors")
