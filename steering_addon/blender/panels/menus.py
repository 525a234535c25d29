"""The Object > Steering menu. Blender's search (F3) only finds what is in a menu, so the operators are listed here.

Its entries have the words that people search for, also those that the shorter labels of the panels leave out.
"""

import bpy

from ...behaviors import CATALOGUE
from ...minds.conditions import CONDITIONS
from ...settings.preset import PLAIN
from ...settings.stored_choices import OWN_MOVES
from ...simulation.behavior import Intent
from ...simulation.roles import DESCRIPTIONS, MADE, Role
from .. import preview
from ..crowds.preset_files import CROWDS, STATES
from ..crowds.ready_scenes.catalogue import READY_SCENES
from ..objects.focus import holder_in_focus, suits
from ..operators.ready_scenes import show_for_animators
from . import manual
from .active_object import ICONS
from .search_words import entry_text, term_of


class STEERING_MT_behavior_add(bpy.types.Menu):
    """Add a behavior to the crowd"""

    bl_label = "Add Behavior"

    def draw(self, context) -> None:
        _behavior_columns(self.layout.row(), context, lambda behavior: behavior.label, _label("flocking_add"))


class STEERING_MT_behaviors(bpy.types.Menu):
    """Add a behavior to the crowd; the entries also show the names used in Reynolds' paper"""

    bl_label = "Add Behavior"

    def draw(self, context) -> None:
        flocking = entry_text(_label("flocking_add"), "flocking_add")
        _behavior_columns(
            self.layout.row(),
            context,
            lambda behavior: entry_text(behavior.label, "behavior_add", behavior.name, also=term_of(behavior)),
            flocking,
        )


def _behavior_columns(row, context, text, flocking: str) -> None:
    """A column of behaviors for each intent; those that the crowd already has are disabled."""
    crowd = holder_in_focus(context)
    for intent in Intent:
        column = row.column()
        column.label(text=intent.value)
        column.separator()
        for behavior in CATALOGUE:
            if behavior.intent is intent:
                entry = column.row()
                entry.enabled = crowd is not None and not crowd.steering.is_property_set(behavior.name)
                entry.operator("steering.behavior_add", text=text(behavior)).behavior = behavior.name
        if intent is Intent.WITH:
            column.separator()
            column.operator("steering.flocking_add", text=flocking)


def _label(operator: str) -> str:
    return getattr(bpy.ops.steering, operator).get_rna_type().name


class STEERING_MT_ready_crowds(bpy.types.Menu):
    """Add a crowd that is ready to bake"""

    bl_label = "Add Ready Crowd"

    def draw(self, _context) -> None:
        self.layout.operator_context = "EXEC_REGION_WIN"
        for scene in READY_SCENES:
            text = entry_text(scene.label, scene.operator)
            # They work in any scene, so search lists them before entries that need a crowd.
            entry = self.layout.operator(f"steering.{scene.operator}", text=text, icon=scene.icon, search_weight=1.0)
            show_for_animators(entry)


class STEERING_MT_crowd_presets(bpy.types.Menu):
    """Apply a preset to the crowd"""

    bl_label = "Crowd Presets"

    def draw(self, _context) -> None:
        for preset in CROWDS.listed().values():
            text = entry_text(preset.label(), "preset_apply", preset.name)
            self.layout.operator("steering.preset_apply", text=text, translate=False).preset = preset.name


class STEERING_MT_object(bpy.types.Menu):
    """Steering operators for the selected objects and their crowd"""

    bl_label = "Steering"

    def draw(self, context) -> None:
        layout = self.layout
        layout.menu("STEERING_MT_roles", icon="AUTO")
        layout.operator("steering.whole_select", icon="RESTRICT_SELECT_OFF")
        layout.operator("steering.set_start", icon="PINNED")
        layout.operator("steering.flip_front", icon="ARROW_LEFTRIGHT")
        layout.menu("STEERING_MT_move_as")
        layout.separator()
        layout.menu(STEERING_MT_ready_crowds.__name__, icon="ADD")
        layout.operator("steering.crowd_add", icon="ADD")
        layout.operator("steering.populate", text="Populate Crowd", icon="COMMUNITY")
        layout.menu("STEERING_MT_crowds")
        layout.operator("steering.crowd_restore", icon="LOOP_BACK")
        layout.operator("steering.crowd_select", text="Select Vehicles of Crowd", icon="RESTRICT_SELECT_OFF")
        layout.menu(STEERING_MT_behaviors.__name__, icon="ADD")
        layout.menu(STEERING_MT_states.__name__)
        layout.menu(STEERING_MT_crowd_presets.__name__, icon="PRESET")
        layout.operator("steering.preset_save")
        layout.operator("steering.preset_remove")
        layout.operator("steering.vary", icon="MOD_NOISE")
        layout.separator()
        text = entry_text(_label("clips_find"), "clips_find")
        layout.operator("steering.clips_find", text=text, icon="VIEWZOOM")
        layout.operator("steering.clip_add", icon="ADD")
        layout.operator("steering.fit_speed", icon="MOD_TIME")
        layout.operator("steering.clips_measure", icon="FILE_REFRESH")
        layout.operator("steering.select_sliding", icon="RESTRICT_SELECT_OFF")
        text = entry_text(_label("pose_meshes"), "pose_meshes")
        layout.operator("steering.pose_meshes", text=text, icon="MESH_DATA")
        text = entry_text(_label("save_crowd_library"), "save_crowd_library")
        layout.operator("steering.save_crowd_library", text=text, icon="LIBRARY_DATA_DIRECT")
        text = entry_text(_label("pick_agents"), "pick_agents")
        layout.operator("steering.pick_agents", text=text, icon="RESTRICT_SELECT_OFF")
        layout.operator("steering.make_objects", text=entry_text("Make Objects of Agents", "make_objects"))
        layout.operator("steering.give_back", text="Give Agents Back", icon="LOOP_BACK")
        layout.operator("steering.drive_wheels", icon="DRIVER")
        layout.separator()
        layout.operator("steering.preview", text="Preview Crowds", icon="PLAY", depress=preview.is_on(context.scene))
        layout.operator("steering.bake", text=entry_text("Bake Crowds", "bake"), icon="REC").selected = False
        layout.operator("steering.bake", text="Bake Selected").selected = True
        layout.operator("steering.lock_edited", text=entry_text(_label("lock_edited"), "lock_edited"), icon="LOCKED")
        layout.operator("steering.select_contacts", icon="RESTRICT_SELECT_OFF")
        layout.operator("steering.clear_bake", icon="TRASH").selected = False
        if address := manual.address_of(manual.FIRST):
            layout.separator()
            layout.operator("wm.url_open", text="Steering Manual", icon="HELP").url = address
            address = manual.address_of(manual.HANDING_OVER)
            layout.operator("wm.url_open", text="How to Export or Link a Bake", icon="HELP").url = address


class STEERING_MT_states(bpy.types.Menu):
    """Let the vehicles of the crowd change what they want (Reynolds: action selection)"""

    bl_label = "States, Triggers and Cues"

    def draw(self, _context) -> None:
        layout = self.layout
        layout.operator("steering.state_add", text=entry_text(f"Add State: {PLAIN.label}", "state_add")).preset = ""
        for preset in STATES.listed().values():
            text = entry_text(f"Add State: {preset.label()}", "state_add", preset.name)
            layout.operator("steering.state_add", text=text, translate=False).preset = preset.name
        layout.operator("steering.state_preset_save", icon="PRESET_NEW")
        layout.operator("steering.state_preset_remove")
        layout.separator()
        for kind in CONDITIONS:
            layout.operator("steering.trigger_add", text=f"Add Trigger: {kind.label}").when = kind.name
        layout.separator()
        layout.operator("steering.cue_add", icon="NLA")
        layout.operator("steering.states_copy", icon="DUPLICATE")
        layout.operator("steering.select_in_state", icon="RESTRICT_SELECT_OFF")
        layout.separator()
        layout.operator("steering.animate_by_hand", text=entry_text(_label("animate_by_hand"), "animate_by_hand"))
        layout.operator("steering.mark_add", text=entry_text(_label("mark_add"), "mark_add"), icon="ADD")


class STEERING_MT_roles(bpy.types.Menu):
    """Tag or untag the selected objects"""

    bl_label = "Tag As"

    def draw(self, _context) -> None:
        layout = self.layout
        roles = [role for role in DESCRIPTIONS if role not in MADE]
        for role in roles:
            icon = ICONS.get(role, "OBJECT_DATA")
            text = entry_text(DESCRIPTIONS[role][0], "tag", role.name)
            layout.operator("steering.tag", text=text, icon=icon).role = role.name
        layout.separator()
        for role in roles:
            layout.operator("steering.untag", text=f"Untag {DESCRIPTIONS[role][0]}").role = role.name


class STEERING_MT_role_of_part(bpy.types.Menu):
    """Give the part itself a role, such as a rider or a hat, apart from the whole"""

    bl_label = "Role of the Part Itself"

    def draw(self, context) -> None:
        part = context.object
        for role in DESCRIPTIONS:
            # A vehicle cannot carry another one.
            if role not in (*MADE, Role.VEHICLE) and part is not None and suits(part, role):
                entry = self.layout.operator("steering.tag", text=DESCRIPTIONS[role][0], icon=ICONS[role])
                entry.role, entry.of_part = role.name, True


class STEERING_MT_move_as(bpy.types.Menu):
    """Let the selected vehicles alone move in another way than their crowd"""

    bl_label = "This One Moves As"

    def draw(self, _context) -> None:
        for choice in OWN_MOVES:
            self.layout.operator("steering.move_as", text=choice.label).locomotion = choice.name


def show_menu(self, _context) -> None:
    self.layout.separator()
    self.layout.menu(STEERING_MT_object.__name__, icon="COMMUNITY")


CLASSES = (
    STEERING_MT_behavior_add,
    STEERING_MT_behaviors,
    STEERING_MT_ready_crowds,
    STEERING_MT_crowd_presets,
    STEERING_MT_states,
    STEERING_MT_roles,
    STEERING_MT_role_of_part,
    STEERING_MT_move_as,
    STEERING_MT_object,
)
