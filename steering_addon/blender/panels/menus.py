"""The Object > Steering menu. Blender's search (F3) only finds what is in a menu, so the operators are listed here.

Its entries have the words that people search for, also those that the shorter labels of the panels leave out. The
search splits an entry, with the menus that lead to it, at spaces, slashes and arrows, and matches the beginnings of the
parts. A word in brackets is therefore not found: its part begins with the bracket.
"""

import bpy
from bpy.types import OperatorProperties, UILayout

from ...behaviors import CATALOGUE
from ...minds.conditions import CONDITIONS
from ...settings.preset import PLAIN
from ...settings.stored_choices import OWN_MOVES
from ...simulation.behavior import OURS, Behavior, Intent
from ...simulation.roles import DESCRIPTIONS, MADE, Role
from .. import preview
from ..crowds.preset_files import CROWDS, STATES
from ..crowds.ready_scenes import READY_SCENES
from ..objects.focus import holder_in_focus, suits
from ..operators.ready_scenes import show_for_animators
from . import manual
from .active_object import ICONS


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


def _list(layout: UILayout, operator: str, icon: str = "NONE", text: str = "") -> OperatorProperties:
    """Add the entry of an operator, with the words that it is also known by; returns its properties."""
    words = entry_text(text or _label(operator), operator)
    return layout.operator(f"steering.{operator}", text=words, icon=icon)


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
        _list(layout, "whole_select", "RESTRICT_SELECT_OFF")
        _list(layout, "set_start", "PINNED")
        _list(layout, "flip_front", "ARROW_LEFTRIGHT")
        layout.menu("STEERING_MT_move_as")
        layout.separator()
        layout.menu("STEERING_MT_ready_crowds", icon="ADD")
        _list(layout, "crowd_add", "ADD")
        _list(layout, "populate", "COMMUNITY", text="Populate Crowd")
        layout.menu("STEERING_MT_crowds")
        _list(layout, "crowd_restore", "LOOP_BACK")
        _list(layout, "crowd_select", "RESTRICT_SELECT_OFF", text="Select Vehicles of Crowd")
        layout.menu("STEERING_MT_behaviors", icon="ADD")
        layout.menu("STEERING_MT_states")
        layout.menu("STEERING_MT_crowd_presets", icon="PRESET")
        _list(layout, "preset_save")
        _list(layout, "preset_remove")
        _list(layout, "vary", "MOD_NOISE")
        layout.separator()
        _list(layout, "clips_find", "VIEWZOOM")
        _list(layout, "clip_add", "ADD")
        _list(layout, "fit_speed", "MOD_TIME")
        _list(layout, "clips_measure", "FILE_REFRESH")
        _list(layout, "select_sliding", "RESTRICT_SELECT_OFF")
        _list(layout, "pose_meshes", "MESH_DATA")
        _list(layout, "save_crowd_library", "LIBRARY_DATA_DIRECT")
        _list(layout, "pick_agents", "RESTRICT_SELECT_OFF")
        _list(layout, "make_objects", text="Make Objects of Agents")
        _list(layout, "give_back", "LOOP_BACK", text="Give Agents Back")
        _list(layout, "drive_wheels", "DRIVER")
        layout.separator()
        layout.operator("steering.preview", text="Preview Crowds", icon="PLAY", depress=preview.is_on(context.scene))
        _list(layout, "bake", "REC", text="Bake Crowds").selected = False
        layout.operator("steering.bake", text="Bake Selected").selected = True
        _list(layout, "lock_edited", "LOCKED")
        _list(layout, "select_contacts", "RESTRICT_SELECT_OFF")
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
        _list(layout, "cue_add", "NLA")
        _list(layout, "states_copy", "DUPLICATE")
        _list(layout, "select_in_state", "RESTRICT_SELECT_OFF")
        layout.separator()
        _list(layout, "animate_by_hand")
        _list(layout, "mark_add", "ADD")


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


SEPARATOR = " · "
"""Stands between the label of an entry and its other words, as a part of its own."""

SYNONYMS: dict[tuple[str, str], tuple[str, ...]] = {
    ("behavior_add", "arrival"): ("Arrive",),
    ("behavior_add", "brake_for"): ("Traffic",),
    ("behavior_add", "drive"): ("Sheepdog", "Fetch"),
    ("behavior_add", "evasion"): ("Evade",),
    ("behavior_add", "face"): ("Look At",),
    ("behavior_add", "fight"): ("Attack", "Battle", "Duel"),
    ("behavior_add", "keep_company"): ("Friends", "Groups", "Pairs"),
    ("behavior_add", "keep_distance"): ("Queue", "Traffic"),
    ("behavior_add", "landing"): ("Perch", "Roost"),
    ("behavior_add", "leader_following"): ("Formation",),
    ("behavior_add", "obstacle_avoidance"): ("Collision",),
    ("behavior_add", "offset_pursuit"): ("Formation",),
    ("behavior_add", "post"): ("Guard",),
    ("behavior_add", "pursuit"): ("Pursue", "Predator"),
    ("flocking_add", ""): ("Boids", "Swarm"),
    ("preset_apply", "bee"): ("Swarm",),
    ("preset_apply", "car"): ("Traffic",),
    ("preset_apply", "fish"): ("Shoal",),
    ("preset_apply", "flock"): ("Boids",),
    ("preset_apply", "predator"): ("Predator",),
    ("preset_apply", "school"): ("Boids", "Shoal"),
    ("preset_apply", "shark"): ("Predator",),
    ("preset_apply", "starling"): ("Murmuration", "Swarm"),
    ("state_add", ""): ("Action Selection", "Behavior Tree"),
    ("state_add", "fetch"): ("Herding", "Sheepdog"),
    ("state_add", "fight"): ("Attack", "Battle", "Duel"),
    ("state_add", "hunt"): ("Predator",),
    ("state_add", "land"): ("Perch", "Roost"),
    ("state_add", "startle"): ("Alarm",),
    ("add_cowboys_and_strays", ""): ("Herding",),
    ("add_flock", ""): ("Boids", "Swarm"),
    ("add_school", ""): ("Boids", "Shoal", "Swarm"),
    ("add_station_hall", ""): ("Crowd",),
    ("animate_by_hand", ""): ("Choreography", "Override", "Hero"),
    ("bake", ""): ("Cache", "Take"),
    ("clips_find", ""): ("Animations", "Walk Cycle", "Perch"),
    ("lock_edited", ""): ("Take",),
    ("make_objects", ""): ("Promote",),
    ("mark_add", ""): ("Formation", "Meet", "Choreography"),
    ("pick_agents", ""): ("Hero", "Promote"),
    ("pose_meshes", ""): ("Geometry Nodes", "Instances"),
    ("save_crowd_library", ""): ("Crowd Cache",),
    ("tag", "LINK"): ("Ladder", "Elevator", "Escalator", "Jump"),
    ("tag", "SIGNAL"): ("Traffic Light",),
}
"""Words that people search for and that are in no label and no declaration, by the entry they lead to: the name of an
operator, and the behavior, preset or role it is for."""


def entry_text(label: str, operator: str, choice: str = "", *, also: str = "") -> str:
    """The text of a menu entry: its label, the words it is also known by, and its synonyms.

    Args:
        operator: the name of the operator after `steering.`.
        choice: the behavior, preset or role that the entry gives the operator.
        also: the words it is also known by; left out if they are its label.
    """
    others = [also] if also and also.lower() != label.lower() else []
    return SEPARATOR.join([label, *others, *SYNONYMS.get((operator, choice), ())])


def term_of(behavior: type[Behavior]) -> str:
    """The paper's name of a behavior, or its property's where it is not in the paper."""
    return (behavior.name.replace("_", " ") if behavior.term == OURS else behavior.term).title()
