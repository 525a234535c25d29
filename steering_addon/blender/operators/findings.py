"""The operator that selects the objects of a finding or a refusal, which the Bake panel lists."""

import bpy
from bpy.props import StringProperty
from bpy.types import Context, LayerCollection, Object

from ...simulation.roles import Role
from ..crowds.states import bring_states, states_left_behind
from ..objects.tagged_objects import full_name, in_use, tagged
from ..status import census
from ..status.findings import FindingKind
from ..status.refused import last_refused
from .polls import SteeringOperator, in_object_mode

REFUSED = "REFUSED"
"""The kind that stands for the last refusal."""


class STEERING_OT_finding_select(SteeringOperator, bpy.types.Operator):
    """Select the objects that this is about, and show them if they are hidden, excluded or not in the scene"""

    bl_idname = "steering.finding_select"
    bl_label = "Select Objects to Look At"
    needs = (in_object_mode,)

    kind: StringProperty(name="Kind", description="Kind of the finding", options={"SKIP_SAVE"})
    text: StringProperty(
        name="Text", description="Text of the finding; empty for all of its kind", options={"SKIP_SAVE"}
    )

    def execute(self, context):
        names = self._names(context)
        if self.kind == FindingKind.NOT_COUNTED.name:
            _include(
                context.view_layer.layer_collection, [ob for ob in context.scene.objects if full_name(ob) in names]
            )
            context.view_layer.update()
        if self.kind == FindingKind.NOT_IN_SCENE.name:
            for crowd in tagged(in_use(context.scene), Role.CROWD):
                if any(full_name(ob) in names for ob in states_left_behind(crowd, context.scene.objects[:])):
                    bring_states(crowd, context)
            context.view_layer.update()
        objects = [ob for ob in context.view_layer.objects if full_name(ob) in names]
        if not objects:
            self.report({"WARNING"}, "These objects are no longer in the view layer")
            return {"CANCELLED"}
        for ob in context.selected_objects:
            ob.select_set(False)
        if self.kind == FindingKind.HIDDEN.name:
            _show(objects)
        for ob in objects:
            ob.select_set(True)
        selected = [ob for ob in objects if ob.select_get()]
        if selected:
            context.view_layer.objects.active = selected[0]
        text = f"{len(selected)} of {len(objects)} selected" if len(selected) < len(objects) else ""
        if text:
            self.report({"WARNING"}, f"{text}: the others are in hidden collections or cannot be selected")
        return {"FINISHED"}

    def _names(self, context: Context) -> set[str]:
        if self.kind == REFUSED:
            refused = last_refused(context.scene)
            return set(refused.objects) if refused is not None else set()
        listed = census.refresh(context.scene).findings
        return {
            name
            for finding in listed
            if finding.kind.name == self.kind and self.text in ("", finding.text)
            for name in finding.objects
        }


def _include(layer: LayerCollection, objects: list[Object]) -> None:
    """Undo the exclusion, below a layer, of the collections that hold some objects."""
    for child in layer.children:
        if not set(objects).isdisjoint(child.collection.all_objects):
            child.exclude = False
            _include(child, objects)


def _show(objects: list[Object]) -> None:
    """Undo the hiding of objects with Blender's two switches."""
    for ob in objects:
        ob.hide_viewport = False
        ob.hide_set(False)
