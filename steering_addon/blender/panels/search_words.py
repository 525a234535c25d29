"""The texts of menu entries that Blender's search (F3) finds by several words.

The search splits an entry, with the menus that lead to it, at spaces, slashes and arrows, and matches the beginnings of
the parts. A word in brackets is therefore not found: its part begins with the bracket.
"""

from ...simulation.behavior import OURS, Behavior

SEPARATOR = " · "
"""Stands between the label of an entry and its other words, as a part of its own."""

SYNONYMS: dict[str, tuple[tuple[str, str], ...]] = {
    "Arrive": (("behavior_add", "arrival"),),
    "Boids": (
        ("flocking_add", ""),
        ("add_flock", ""),
        ("add_school", ""),
        ("preset_apply", "flock"),
        ("preset_apply", "school"),
    ),
    "Collision": (("behavior_add", "obstacle_avoidance"),),
    "Evade": (("behavior_add", "evasion"),),
    "Murmuration": (("preset_apply", "starling"),),
    "Pursue": (("behavior_add", "pursuit"),),
    "Attack": (("behavior_add", "fight"), ("state_add", "fight")),
    "Battle": (("behavior_add", "fight"), ("state_add", "fight")),
    "Duel": (("behavior_add", "fight"), ("state_add", "fight")),
    "Guard": (("behavior_add", "post"),),
    "Herding": (("state_add", "fetch"), ("add_cowboys_and_strays", "")),
    "Look At": (("behavior_add", "face"),),
    "Friends": (("behavior_add", "keep_company"),),
    "Groups": (("behavior_add", "keep_company"),),
    "Pairs": (("behavior_add", "keep_company"),),
    "Queue": (("behavior_add", "keep_distance"),),
    "Sheepdog": (("behavior_add", "drive"), ("state_add", "fetch")),
    "Shoal": (("add_school", ""), ("preset_apply", "fish"), ("preset_apply", "school")),
    "Crowd": (("add_station_hall", ""),),
    "Swarm": (
        ("flocking_add", ""),
        ("add_flock", ""),
        ("add_school", ""),
        ("preset_apply", "bee"),
        ("preset_apply", "starling"),
    ),
    "Action Selection": (("state_add", ""),),
    "Alarm": (("state_add", "startle"),),
    "Animations": (("clips_find", ""),),
    "Behavior Tree": (("state_add", ""),),
    "Formation": (("mark_add", ""), ("behavior_add", "offset_pursuit"), ("behavior_add", "leader_following")),
    "Meet": (("mark_add", ""),),
    "Choreography": (("mark_add", ""), ("animate_by_hand", "")),
    "Override": (("animate_by_hand", ""),),
    "Hero": (("animate_by_hand", ""), ("pick_agents", "")),
    "Promote": (("pick_agents", ""), ("make_objects", "")),
    "Walk Cycle": (("clips_find", ""),),
    "Geometry Nodes": (("pose_meshes", ""),),
    "Instances": (("pose_meshes", ""),),
    "Crowd Cache": (("save_crowd_library", ""),),
    "Fetch": (("behavior_add", "drive"),),
    "Predator": (
        ("state_add", "hunt"),
        ("behavior_add", "pursuit"),
        ("preset_apply", "predator"),
        ("preset_apply", "shark"),
    ),
    "Perch": (("behavior_add", "landing"), ("state_add", "land"), ("clips_find", "")),
    "Roost": (("behavior_add", "landing"), ("state_add", "land")),
    "Cache": (("bake", ""),),
    "Take": (("bake", ""), ("lock_edited", "")),
    "Ladder": (("tag", "LINK"),),
    "Elevator": (("tag", "LINK"),),
    "Escalator": (("tag", "LINK"),),
    "Jump": (("tag", "LINK"),),
    "Traffic Light": (("tag", "SIGNAL"),),
    "Traffic": (("behavior_add", "keep_distance"), ("behavior_add", "brake_for"), ("preset_apply", "car")),
}
"""Words that people search for and that are in no label and no declaration, with the entries they lead to: the name of
an operator, and the behavior, preset or role it is for."""


def entry_text(label: str, operator: str, choice: str = "", *, also: str = "") -> str:
    """The text of a menu entry: its label, the words it is also known by, and its synonyms.

    Args:
        operator: the name of the operator after `steering.`.
        choice: the behavior, preset or role that the entry gives the operator.
        also: the words it is also known by; left out if they are its label.
    """
    others = [also] if also and also.lower() != label.lower() else []
    others += [word for word, entries in SYNONYMS.items() if (operator, choice) in entries]
    return SEPARATOR.join([label, *others])


def term_of(behavior: type[Behavior]) -> str:
    """The paper's name of a behavior, or its property's where it is not in the paper."""
    return (behavior.name.replace("_", " ") if behavior.term == OURS else behavior.term).title()
