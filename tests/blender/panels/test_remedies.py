"""Every remedy that a message names can be carried out: the button, field or command exists where the message is read.

All messages are collected from the code: refusals, poll messages, reports, reasons why nothing moves, things to look
at. Each clause of them that tells the user to do something has to be known here, with what shows that it can be done.
"""

import ast
import functools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bpy
import pytest

from tests.blender.animated import insert
from tests.blender.building import frames, part, wedge
from tests.blender.drawing import shown, up_to_date
from tests.blender.steered import bake, crowd, press, select, tag, use, vehicle
from tests.blender.walkers import found_walkers

SOURCES = Path(__file__).resolve().parents[3] / "steering_addon" / "blender"
REFUSING = {"Refusal", "poll_message_set", "needed"}
"""Calls whose message says why something cannot be done."""
UNSPOKEN = ("description", "name", "default", "text")
"""Arguments that are labels and tooltips."""
VERBS = {
    *("add", "bake", "check", "choose", "clear", "close", "draw", "edit", "enable", "enter", "exit", "find", "give"),
    *("import",),
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


def drawn(panel: str, *entry: str) -> bool:
    """Whether a panel of the tab draws an entry, such as ("prop", "locked")."""
    return any(each[: len(entry)] == entry for each in up_to_date(f"STEERING_PT_{panel}"))


def in_blender(operator: str, label: str = "") -> bool:
    """Whether Blender has an operator, with this label if one is given."""
    module, _, name = operator.partition(".")
    if name not in dir(getattr(bpy.ops, module)):
        return False
    return label in ("", getattr(getattr(bpy.ops, module), name).get_rna_type().name)


def shows(panel: str, *entries: str, of: str = "prop", make: Callable[[], Any] | None = None) -> Callable[[], bool]:
    """Whether a panel draws properties, operators or menus, for a vehicle or for what is made."""

    def is_shown() -> bool:
        if make is None:
            select(vehicle())
        else:
            make()
        return all(drawn(panel, of, entry) for entry in entries)

    return is_shown


def is_called(owner: str, names: dict[str, str]) -> bool:
    """Whether properties of a type have these names in the interface, by identifier."""
    groups = part("blender.properties").CLASSES
    return all(groups[owner].bl_rna.properties[key].name == name for key, name in names.items())


def in_rna(kind: str, *names: str) -> Callable[[], bool]:
    """Whether a type of Blender has properties."""
    return lambda: all(name in getattr(bpy.types, kind).bl_rna.properties for name in names)


def tagging() -> bool:
    select(wedge())
    tags = drawn("object", "operator", "steering.tag", "Vehicle")
    vehicle_object = vehicle()
    select(vehicle_object)
    return tags and drawn("object", "operator", "steering.untag", "Vehicle")


def springs() -> bool:
    select(vehicle().steering.crowd)
    bpy.context.object.steering.locomotion = "WHEELED"
    return drawn("model", "prop", "suspension") and drawn("portrayal", "operator", "steering.drive_wheels")


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
    return drawn("run", "prop", "frame_start") and is_called("scene", {"frame_start": "Start"})


def attendance() -> bool:
    labels = {"wait_for_room": "Wait for Room", "use_enter_frame": "Enter Later"}
    return is_called("attendance", labels) and shows("attendance", "wait_for_room", "enter_frame")()


def populating() -> bool:
    frames(1, 5)
    press("populate", wedge("Model"), count=3, moves_like="UNCHANGED")
    bpy.context.object.steering.populate.arrangement = "SURFACE"
    assert bpy.types.STEERING_PT_populate.bl_label == "Populate"
    fields = [("prop", "place"), ("prop", "count"), ("operator", "steering.populate_add")]
    return all(drawn("populate", *field) for field in fields)


def a_ground_speed() -> bool:
    ship = vehicle()
    select(ship)
    ship.steering.crowd.steering.portrayal.clips.add().action = bpy.data.actions.new("Walk")
    return drawn("clips", "prop", "ground_speed")


def of_an_nla_track(name: str) -> Callable[[], bool]:
    return lambda: name in bpy.types.NlaTrack.bl_rna.properties or name in bpy.types.AnimData.bl_rna.properties


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
    r"choose a guide|another guide|clear its guide|on by hand|set by hand": shows("direct", "by_hand", "guide"),
    r"use add mark|choose who|another shape|another marker|set spread to|give the shape more": marking,
    r"set a longer lead": exact_marks,
    r"set a ground speed": a_ground_speed,
    r"set plays to moves": shows("clips", "plays", make=lambda: select(found_walkers()[0])),
    r"import": lambda: in_blender("wm.append"),
    r"find clips|find some first|use add clip|clips that": shows(
        "clips",
        "steering.clips_find",
        "steering.clip_add",
        of="operator",
        make=lambda: select(found_walkers()[0]),
    ),
    r"press flip front": shows("object", "steering.flip_front", of="operator"),
    r"takes part": shows("object", "active", make=lambda: select(tag(wedge(), role="LEADER"))),
    r"turn off the modifiers": in_rna("Modifier", "show_viewport"),
    r"turn off the pin": in_rna("Object", "show_only_shape_key"),
    r"make its parts visible in renders": in_rna("Object", "hide_render"),
    r"turn off the star": of_an_nla_track("is_solo"),
    r"mute it": of_an_nla_track("mute"),
    r"set the manual frame range": in_rna("Action", "use_frame_range"),
    r"turn on inherit rotation": in_rna("Bone", "use_inherit_rotation"),
    r"turn on local location": in_rna("Bone", "use_local_location"),
    r"set inherit scale to full": in_rna("Bone", "inherit_scale"),
    r"set it to replace": of_an_nla_track("action_blend_type"),
    r"give it a mesh": lambda: in_blender("object.parent_set"),
    r"turn on replace own keys": own_keys,
    r"turn off wait for room|let them enter earlier|make more room|enable enter later": attendance,
    r"turn on fit to size": lambda: (
        bpy.ops.steering.preset_apply.get_rna_type().properties["fit_size"].name == "Fit to Size"
    ),
    r"turn off plant feet|without plant feet": shows("playing", "plant_feet", make=found_walkers),
    r"\btag\b|\btags\b|make them vehicles|press vehicle|remove the vehicle tag": tagging,
    r"unlock|lock \{\}|lock to keep|that are not locked": shows("vehicle_own", "locked"),
    r"another forward or up": shows("vehicle_own", "forward_axis", "up_axis"),
    r"set the locomotion": shows("model", "locomotion"),
    r"use drive wheels|set \{\} to 0": springs,
    r"clear it in properties > object": in_rna("Object", "delta_location"),
    r"set the mode to quaternion": lambda: (
        "QUATERNION" in bpy.types.Object.bl_rna.properties["rotation_mode"].enum_items
    ),
    r"parent (\{\}|them|all its wheels) to (it|\{\})": lambda: in_blender("object.parent_set"),
    r"separate them": lambda: in_blender("mesh.separate"),
    r"set a speed": shows("model", "max_speed"),
    r"set a radius": shows("advanced", "radius"),
    r"set start (to|and end)": the_frame_range,
    r"set one from 0 to": shows("attendance", "preroll"),
    r"enter a number": shows("advanced", "mass"),
    r"make (that folder|its parent) writable": lambda: in_blender("wm.path_open"),
    r"set (its )?shape to": shows("object", "region_shape", make=lambda: select(tag(wedge(), role="REGION"))),
    r"flow attribute": shows("object", "flow_attribute", make=lambda: select(tag(wedge(), role="FLOW"))),
    r"paint one|draw edges|add faces|mark the edges": lambda: (
        in_blender("paint.vertex_paint") and in_blender("mesh.edge_face_add") and in_blender("mesh.select_all")
    ),
    r"make a library override": lambda: in_blender("object.make_override_library"),
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
    r"enable (it|(its|their) collections?|.* of \{\}) in the outliner": lambda: in_blender(
        "outliner.collection_exclude_clear"
    ),
    r"(check|edit|move or remove|leave or remove|move|remove|leave)\b": lambda: (
        in_blender("graph.delete") and in_blender("anim.driver_button_remove")
    ),
    r"choose another bone": a_bone,
    r"place|make it larger|choose a (\{\}|region)|another mesh": populating,
    r"models|populate|choose an index|edit the curve|add some first": populating,
    r"choose|add one": targets,
    r"add crowd|leave the name empty|another one": shows("crowd", "STEERING_MT_crowds", of="menu"),
    r"add it first|choose \{\}": shows("behaviors", "STEERING_MT_behavior_add", of="menu"),
    r"draw it|close it": lambda: in_blender("object.mode_set"),
    r"use blender 4\.5 or newer": lambda: True,
    r"use make objects|enter their ids|enter numbers": lambda: (
        "ids" in bpy.ops.steering.make_objects.get_rna_type().properties
    ),
    r"set output of": shows("crowd", "output"),
    r"set made as to objects and output to": lambda: (
        populating() and drawn("populate", "prop", "made_as") and shows("crowd", "output")()
    ),
    r"^add (vertices|some$)|scatter points|nodes end with points": lambda: hasattr(
        bpy.types, "GeometryNodeDistributePointsOnFaces"
    ),
    r"save the file": lambda: in_blender("wm.save_as_mainfile"),
    r"paint some": lambda: in_blender("paint.weight_paint"),
    r"bake": shows("bake", "steering.bake", "steering.preview", of="operator"),
    r"save a preset|enter a name|choose another name": shows("crowd", "steering.preset_save", of="operator"),
    r"select|make a crowd or one of its vehicles the active object": lambda: in_blender("object.select_all"),
}
"""By a pattern of the clause, in order: what shows that it can be carried out."""

NO_REMEDY = (
    r"^The scene is linked and cannot be edited$",
    *(r"^The preset \{\} cannot be (read|used|written|removed|saved|\{\})", r"^There are no presets of your own$"),
    *(r"^Only available in", r"^There is no preset \{\}. \{\}.$"),
    *(r"^\{\} cannot be \{\}. \{\}.$", r"^\{\} \{\} does not exist. \{\}.$", r"^\{\}\.$", r"^\{\}. \{\}.$"),
    *(r"^\{\} has no room for any member. \{\}.$", r"^Forces are shown for up to", r"^\{\}, the .*, \{\}.$"),
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


def test_no_message_gives_a_length_or_a_speed_a_unit_of_its_own() -> None:
    """Scenes choose their units: `units.py` alone knows them."""
    own = [(where, text) for where, text in everything() if re.search(r"\{\} ?([cmk]?m|ft)(/s)?\b", text)]
    assert not own, own


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
            text = _text(node.args[-1]) if node.args else ""
            if text and not clauses(text) and not any(re.search(pattern, text) for pattern in NO_REMEDY):
                silent.append(f"{file.name}:{node.lineno} {text!r}")
    assert not silent, "\n".join(silent)


def test_the_menu_leads_to_the_deletion_of_a_bake_only_while_something_is_baked(monkeypatch) -> None:
    """The operators' poll asks the counts of the window; without a window, scripts are always accepted."""
    polls, census = part("blender.operators.polls"), part("blender.status.census")

    class Operator:
        said = ""

        @classmethod
        def poll_message_set(cls, text: str) -> None:
            cls.said = text

    frames(1, 3)
    vehicle(crowd=crowd(wander={}))
    with monkeypatch.context() as patched:
        patched.setattr(census, "settled", census.count)
        assert not polls.something_baked(Operator, bpy.context)
        assert Operator.said == "Nothing is baked. Bake first"
        bake()
        assert polls.something_baked(Operator, bpy.context)
    entries = shown("STEERING_MT_object")
    for name in ("steering.clear_bake", "steering.select_contacts"):
        assert any(entry[1] == name for entry in entries)
        assert polls.something_baked in getattr(bpy.types, f"STEERING_OT_{name.partition('.')[2]}").needs
