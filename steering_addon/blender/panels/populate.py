"""The panel that fills the crowd in focus with members."""

from ..objects.focus import crowd_in_focus
from ..read.arrangement import shown
from ..status.census import known
from .fields import draw_properties, fields, note
from .locations import OfCrowd, in_both


class Populate(OfCrowd):
    """The models of the members, their number and their arrangement."""

    bl_label = "Populate"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context) -> None:
        layout, crowd = self.layout, crowd_in_focus(context)
        stored = crowd.steering
        if not stored.is_property_set("populate"):
            layout.operator("steering.populate", icon="COMMUNITY")
            return
        group = stored.populate
        for row, source in enumerate(group.sources):
            line = layout.row(align=True)
            line.prop(source, "kind", text="", icon_only=True)
            line.prop(source, source.kind.lower() or "object", text="")
            line.prop(source, "weight", text="")
            line.operator("steering.populate_remove", text="", icon="X").row = row
        layout.operator("steering.populate_add", icon="ADD")
        draw_properties(fields(layout), group, shown(group.arrangement))
        census = known(context.scene)
        vehicles = census.members(crowd).vehicles if census is not None else group.count
        if 0 < vehicles < group.count:
            note(layout, context, f"{vehicles} of {group.count} members have been placed")
        row = layout.row()
        row.scale_y = 1.5
        row.operator("steering.populate", icon="COMMUNITY")


CLASSES = in_both(Populate, "populate", "crowd")
