"""Every remedy that a message names can be carried out: the button, field or command exists where the message is read.

All messages are collected from the code: refusals, poll messages, reports, reasons why nothing moves, things to look
at. Each clause of them that tells the user to do something has to be known here, with what shows that it can be done.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import bpy
import pytest

from tests.blender.building import bake, crowd, frames, insert, part, select, tag, use, vehicle, wedge
from tests.blender.drawing import shown, up_to_date
from tests.blender.walkers import found_walkers

SOURCES = Path(__file__).resolve().parents[3] / "steering_addon" / "blender"
REFUSING = {"Refusal", "poll_message_set"}
"""Calls whose message says why something cannot be done."""
UNSPOKEN = ("description", "name", "default", "text")
"""Arguments that are labels and tooltips."""
VERBS = {
    *("add", "bake", "check", "choose", "clear", "close", "draw", "edit", "enable", "enter", "exit", "find", "give"),
    *("leave", "let", "lock", "make", "mark", "move", "mute", "paint", "parent", "preview", "press", "put", "remove"),
    *("save", "select", "separate", "set", "tag", "turn", "unlock", "use"),
}
"""The first words of clauses that tell the user to do something."""


def messages() -> Iterator[tuple[str, str]]:
    """The texts in the code that may be a message or part of one, as (where, text), with {} for what is filled in."""
    for file in sorted(SOURCES.rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        unspoken = {id(part) for node in ast.walk(tree) for value in _unspoken(node) for part in ast.walk(value)}
        for node in ast.walk(tree):
            if id(node) not in unspoken and (text := _text(node)):
                yield f"{file.relative_to(SOURCES)}:{node.lineno}", text


def _unspoken(node: ast.AST) -> list[ast.AST]:
    """What of a node holds no message: docstrings, labels and tooltips, and the pieces of an f-string."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return [node.value]
    if isinstance(node, ast.keyword) and node.arg in UNSPOKEN:
        return [node.value]
    if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "").startswith("bl_"):
        return [node.value]
    return [part for part in node.values if isinstance(part, ast.Constant)] if isinstance(node, ast.JoinedStr) else []


def _text(value: ast.AST) -> str:
    """The text of a constant or f-string; of a choice between two, both."""
    if isinstance(value, ast.Constant):
        return value.value if isinstance(value.value, str) else ""
    if isinstance(value, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in value.values)
    if isinstance(value, ast.IfExp):
        return f"{_text(value.body)}. {_text(value.orelse)}"
    return ""


def clauses(text: str) -> list[str]:
    """The clauses of a message that tell the user to do something."""
    parts = re.split(rf"[.:;,] (?:or |and )?| or (?=(?:{'|'.join(VERBS)}) )", text)
    return [part for part in parts if part.split(" ")[0].lower() in VERBS and " " in part]


# ---- what shows that a remedy can be carried out


def drawn(panel: str, *entry: str) -> bool:
    """Whether a panel of the tab draws an entry, such as ("prop", "locked")."""
    return any(each[: len(entry)] == entry for each in up_to_date(f"STEERING_PT_{panel}"))


def in_blender(operator: str, label: str = "") -> bool:
    """Whether Blender has an operator, with this label if one is given."""
    module, _, name = operator.partition(".")
    if name not in dir(getattr(bpy.ops, module)):
        return False
    return label in ("", getattr(getattr(bpy.ops, module), name).get_rna_type().name)


def tagging() -> bool:
    select(wedge())
    tags = drawn("object", "operator", "steering.tag", "Vehicle")
    vehicle_object = vehicle()
    select(vehicle_object)
    return tags and drawn("object", "operator", "steering.untag", "Vehicle")


def unlocking() -> bool:
    select(vehicle())
    return drawn("vehicle_own", "prop", "locked")


def axes() -> bool:
    select(vehicle())
    return drawn("vehicle_own", "prop", "forward_axis") and drawn("vehicle_own", "prop", "up_axis")


def the_locomotion() -> bool:
    select(vehicle().steering.crowd)
    return drawn("locomotion", "prop", "locomotion")


def springs() -> bool:
    select(vehicle().steering.crowd)
    bpy.context.object.steering.locomotion = "WHEELED"
    return drawn("locomotion", "prop", "suspension") and drawn("portrayal", "operator", "steering.drive_wheels")


def turning_by_quaternions() -> bool:
    return "QUATERNION" in bpy.types.Object.bl_rna.properties["rotation_mode"].enum_items


def a_field_of_the_vehicle(*names: str) -> Callable[[], bool]:
    def exists() -> bool:
        select(vehicle())
        return all(drawn("model", "prop", name) or drawn("advanced", "prop", name) for name in names)

    return exists


def targets() -> bool:
    """Whether each target, path, region and crowd of a behavior has a field in its panel."""
    kinds = part("simulation.declaration").POINTERS
    crowd_object = vehicle().steering.crowd
    catalogue = part("behaviors").CATALOGUE
    use(crowd_object, **{behavior.name: {} for behavior in catalogue})
    select(crowd_object)
    names = {
        name
        for behavior in catalogue
        for name, parameter in behavior.parameters().items()
        if parameter.kind in kinds
        and name in part("blender.property_groups").meaningful(behavior, getattr(crowd_object.steering, behavior.name))
    }
    return bool(names) and all(drawn("behaviors", "prop", name) for name in names)


def a_bone() -> bool:
    rig = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    bpy.context.scene.collection.objects.link(rig)
    crowd_object = vehicle(crowd=crowd(seek={"target": rig})).steering.crowd
    select(crowd_object)
    return drawn("behaviors", "prop", "target_bone")


def own_keys() -> bool:
    frames(1, 5)
    ship = vehicle(crowd=crowd(wander={}))
    insert(ship, "location", {2: (1.0, 0.0, 0.0)})
    select(ship)
    with pytest.raises(RuntimeError, match="Replace Own Keys"):
        bpy.ops.steering.bake()
    label = bpy.context.scene.steering.bl_rna.properties["replace_own_keys"].name
    return label == "Replace Own Keys" and all(drawn(p, "prop", "replace_own_keys") for p in ("findings", "run"))


def the_frame_range() -> bool:
    vehicle()
    bpy.context.scene.steering.use_frame_range = True
    return drawn("run", "prop", "frame_start") and bpy.context.scene.steering.bl_rna.properties["frame_start"].name == (
        "Start"
    )


def preroll() -> bool:
    select(vehicle())
    return any(drawn(panel, "prop", "preroll") for panel in ("crowd", "advanced", "attendance", "run"))


def attendance() -> bool:
    select(vehicle())
    settings = bpy.context.object.steering.crowd.steering.attendance.bl_rna.properties
    labels = [settings[name].name for name in ("wait_for_room", "use_enter_frame")]
    return labels == ["Wait for Room", "Enter Later"] and all(
        drawn("attendance", "prop", name) for name in ("wait_for_room", "enter_frame")
    )


def region_shape() -> bool:
    select(tag(wedge(), role="REGION"))
    shapes = bpy.context.object.steering.bl_rna.properties["region_shape"].enum_items
    return drawn("object", "prop", "region_shape") and "Box" in [item.name for item in shapes]


def flow_attribute() -> bool:
    select(tag(wedge(), role="FLOW"))
    label = bpy.context.object.steering.bl_rna.properties["flow_attribute"].name
    return label == "Flow Attribute" and drawn("object", "prop", "flow_attribute")


def populating() -> bool:
    frames(1, 5)
    select(wedge("Model"))
    assert bpy.ops.steering.populate(count=3, moves_like="UNCHANGED") == {"FINISHED"}
    bpy.context.object.steering.populate.arrangement = "SURFACE"
    assert bpy.types.STEERING_PT_populate.bl_label == "Populate"
    fields = [("prop", "place"), ("prop", "count"), ("operator", "steering.populate_add")]
    return all(drawn("populate", *field) for field in fields)


def crowds_menu() -> bool:
    select(vehicle())
    return drawn("crowd", "operator", "steering.crowd_add") and drawn("crowd", "menu", "STEERING_MT_crowds")


def adding_a_behavior() -> bool:
    select(vehicle())
    return drawn("behaviors", "menu", "STEERING_MT_behavior_add")


def baking() -> bool:
    vehicle()
    return drawn("bake", "operator", "steering.bake", "Bake") and drawn("bake", "operator", "steering.preview")


def clips() -> bool:
    select(vehicle())
    return all(drawn("clips", "operator", f"steering.{name}") for name in ("clips_find", "clip_add"))


def a_kind_of_clip() -> bool:
    people, _ = found_walkers()
    select(people)
    return drawn("clips", "prop", "plays")


def a_ground_speed() -> bool:
    ship = vehicle()
    select(ship)
    ship.steering.crowd.steering.portrayal.clips.add().action = bpy.data.actions.new("Walk")
    return drawn("clips", "prop", "ground_speed")


def of_an_nla_track(name: str) -> Callable[[], bool]:
    return lambda: name in bpy.types.NlaTrack.bl_rna.properties or name in bpy.types.AnimData.bl_rna.properties


def saving_a_preset() -> bool:
    select(vehicle())
    return drawn("crowd", "operator", "steering.preset_save")


def fitting() -> bool:
    return bpy.ops.steering.preset_apply.get_rna_type().properties["fit_size"].name == "Fit to Size"


def planting() -> bool:
    found_walkers()
    return drawn("playing", "prop", "plant_feet")


def selecting() -> bool:
    return in_blender("object.select_all")


def editing_keys() -> bool:
    editors = bpy.types.Area.bl_rna.properties["ui_type"]
    return editors is not None and in_blender("graph.delete") and in_blender("anim.driver_button_remove")


def overriding() -> bool:
    return in_blender("object.make_override_library")


def the_outliner() -> bool:
    return in_blender("outliner.collection_exclude_clear")


def states() -> bool:
    """Whether a crowd can get states, triggers, cues and behaviors of a state, and take them from another crowd."""
    crowd_object = vehicle().steering.crowd
    select(crowd_object)
    added = drawn("states", "menu", "STEERING_MT_state_add")
    bpy.ops.steering.state_add(preset="sleep")
    calls = all(drawn("state", "operator", name) for name in ("steering.trigger_add", "steering.cue_add"))
    follows, behaves = drawn("state", "prop", "then"), drawn("behaviors", "menu", "STEERING_MT_behavior_add")
    select(crowd("Goats"))
    return added and calls and follows and behaves and drawn("states", "operator", "steering.states_copy")


def guiding() -> bool:
    select(vehicle())
    return all(drawn("direct", "prop", name) for name in ("by_hand", "guide"))


def marking() -> bool:
    select(vehicle())
    added = drawn("direct", "operator", "steering.mark_add")
    bpy.ops.steering.mark_add(use_marker=False)
    return added and drawn("object", "prop", "active") and all(drawn("mark", "prop", name) for name in ("who", "frame"))


def exact_marks() -> bool:
    assert marking()
    bpy.context.object.steering.mark.exact = True
    return bpy.context.object.steering.mark.bl_rna.properties["lead"].name == "Lead" and drawn("mark", "prop", "lead")


REMEDIES: dict[str, Callable[[], bool]] = {
    r"a state\b|another crowd for copy|make the one to call|add state|add trigger|add a trigger|in this state": states,
    r"choose a guide|another guide|clear its guide|on by hand|set by hand": guiding,
    r"use add mark|choose who|another shape|another marker": marking,
    r"set a longer lead": exact_marks,
    r"set a ground speed": a_ground_speed,
    r"set plays to moves": a_kind_of_clip,
    r"find clips|find some first|use add clip|clips that": clips,
    r"turn off the modifiers": lambda: "show_viewport" in bpy.types.Modifier.bl_rna.properties,
    r"make its parts visible in renders": lambda: "hide_render" in bpy.types.Object.bl_rna.properties,
    r"turn off the star": of_an_nla_track("is_solo"),
    r"mute it": of_an_nla_track("mute"),
    r"set the manual frame range": lambda: "use_frame_range" in bpy.types.Action.bl_rna.properties,
    r"turn on inherit rotation": lambda: "use_inherit_rotation" in bpy.types.Bone.bl_rna.properties,
    r"turn on local location": lambda: "use_local_location" in bpy.types.Bone.bl_rna.properties,
    r"set inherit scale to full": lambda: "inherit_scale" in bpy.types.Bone.bl_rna.properties,
    r"set it to replace": of_an_nla_track("action_blend_type"),
    r"give it a mesh": lambda: in_blender("object.parent_set"),
    r"turn on replace own keys": own_keys,
    r"turn off wait for room|let them enter earlier|make more room|enable enter later": attendance,
    r"turn on fit to size": fitting,
    r"turn off plant feet": planting,
    r"\btag\b|\btags\b|make them vehicles|press vehicle|remove the vehicle tag": tagging,
    r"unlock|lock \{\}|that are not locked": unlocking,
    r"another forward or up": axes,
    r"set the locomotion": the_locomotion,
    r"use drive wheels|set \{\} to 0": springs,
    r"clear it in properties > object": lambda: "delta_location" in bpy.types.Object.bl_rna.properties,
    r"set the mode to quaternion": turning_by_quaternions,
    r"parent (\{\}|them|all its wheels) to (it|\{\})": lambda: in_blender("object.parent_set"),
    r"separate them": lambda: in_blender("mesh.separate"),
    r"set a speed": a_field_of_the_vehicle("max_speed"),
    r"set a radius": a_field_of_the_vehicle("radius"),
    r"set start (to|and end)": the_frame_range,
    r"set one from 0 to": preroll,
    r"enter a number": a_field_of_the_vehicle("mass", "max_speed"),
    r"make (that folder|its parent) writable": lambda: in_blender("wm.path_open"),
    r"set its shape to box": region_shape,
    r"flow attribute": flow_attribute,
    r"paint one|draw edges|add faces|mark the edges": lambda: (
        in_blender("paint.vertex_paint") and in_blender("mesh.edge_face_add") and in_blender("mesh.select_all")
    ),
    r"make a library override": overriding,
    r"turn on animated in their physics > rigid body": lambda: in_blender("rigidbody.object_add"),
    r"turn on options > affect only > parents": lambda: (
        "use_transform_skip_children" in dir(bpy.context.scene.tool_settings)
    ),
    r"set the offset of the collection": lambda: "instance_offset" in dir(bpy.context.scene.collection),
    r"use object > set origin": lambda: in_blender("object.origin_set", "Set Origin"),
    r"use clear > scale": lambda: in_blender("object.scale_clear"),
    r"clear the parent": lambda: in_blender("object.parent_clear"),
    r"remove the dependency": lambda: in_blender("constraint.delete") and in_blender("anim.driver_button_remove"),
    r"exit tweak mode": lambda: in_blender("nla.tweakmode_exit"),
    r"use make instances real": lambda: in_blender("object.duplicates_make_real", "Make Instances Real"),
    r"enable it in the outliner": the_outliner,
    r"(check|edit|move or remove|leave or remove|move|remove|leave)\b": editing_keys,
    r"choose another bone": a_bone,
    r"place|make it larger|choose a (\{\}|region)|another mesh": populating,
    r"models|populate|choose an index|edit the curve|add some first": populating,
    r"choose|add one": targets,
    r"add crowd|leave the name empty|another one": crowds_menu,
    r"add it first|choose \{\}": adding_a_behavior,
    r"draw it|close it": lambda: in_blender("object.mode_set"),
    r"bake": baking,
    r"save a preset|enter a name|choose another name": saving_a_preset,
    r"select|make a crowd or one of its vehicles the active object": selecting,
}
"""By a pattern of the clause, in order: what shows that it can be carried out."""

NO_REMEDY = (
    r"^The scene is linked and cannot be edited$",
    r"^The preset \{\} cannot be (read|used|written|removed|saved|\{\})",
    r"^There are no presets of your own$",
    r"^\{\} needs \{\} numbers",
    r"^Only available in",
    r"^There is no preset \{\}. \{\}.$",
    r"^\{\} cannot be \{\}. \{\}.$",
    r"^\{\}. \{\}.$",
    r"^\{\} has no room for any member. \{\}.$",
    r"^Forces are shown for up to",
)
"""Refusals that no step in Blender helps against, that say what is needed, or whose remedy is filled in."""


@functools.cache
def everything() -> list[tuple[str, str]]:
    return list(messages())


def remedy_of(clause: str) -> str | None:
    """The first pattern that fits a clause."""
    return next((pattern for pattern in REMEDIES if re.search(pattern, clause.lower())), None)


def test_the_messages_of_the_program_are_found() -> None:
    texts = [text for _, text in everything()]
    assert len(texts) > 100
    for known in (
        "turn on Replace Own Keys",
        "turn off Wait for Room",
        "It waits for a {}",
        "Only available in Object",
    ):
        assert any(known in text for text in texts), known


def test_every_remedy_that_a_message_names_is_known() -> None:
    named = [(where, clause) for where, text in everything() for clause in clauses(text)]
    unknown = [f"{where} {clause!r}" for where, clause in named if remedy_of(clause) is None]
    assert not unknown, "\n".join(unknown)


@pytest.mark.parametrize("pattern", REMEDIES)
def test_every_remedy_is_in_reach(pattern: str) -> None:
    used = [clause for _, text in everything() for clause in clauses(text) if remedy_of(clause) == pattern]
    assert used, f"No message names {pattern}."
    assert REMEDIES[pattern](), f"{used[0]!r} cannot be done."


def test_every_refusal_names_a_remedy() -> None:
    silent = []
    for file in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not (
                isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in REFUSING
            ):
                continue
            text = _text(node.args[0]) if node.args else ""
            if text and not clauses(text) and not any(re.search(pattern, text) for pattern in NO_REMEDY):
                silent.append(f"{file.name}:{node.lineno} {text!r}")
    assert not silent, "\n".join(silent)


def test_the_menu_leads_to_the_deletion_of_a_bake_only_while_something_is_baked() -> None:
    """The operators' poll asks the counts of the window; without a window, scripts are always accepted."""
    polls, census = part("blender.operators.polls"), part("blender.status.census")

    class Operator:
        said = ""

        @classmethod
        def poll_message_set(cls, text: str) -> None:
            cls.said = text

    frames(1, 3)
    vehicle(crowd=crowd(wander={}))
    settled = census.settled
    try:
        census.settled = census.count
        assert not polls.something_baked(Operator, bpy.context)
        assert Operator.said == "Nothing is baked. Bake first"
        bake()
        assert polls.something_baked(Operator, bpy.context)
    finally:
        census.settled = settled
    entries = shown("STEERING_MT_object")
    for name in ("steering.clear_bake", "steering.select_contacts"):
        assert any(entry[1] == name for entry in entries)
        assert polls.something_baked in getattr(bpy.types, f"STEERING_OT_{name.partition('.')[2]}").needs
