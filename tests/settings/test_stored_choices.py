"""Choices: files store their numbers, and presets their names, so neither may ever change meaning."""

from steering_addon.settings.stored import GROUPS
from steering_addon.simulation.candidates import PICKS

AXES = "POS_X POS_Y POS_Z NEG_X NEG_Y NEG_Z"
MOVES = "SIMPLE_VEHICLE PLANAR SWIMMING FLYING ON_FOOT WHEELED CRAWLING"
NEIGHBORS = "OWN_CROWD EVERYONE CHOSEN_CROWD"
PACE = "MAX_SPEED CURRENT_SPEED"
STORED = {
    "alignment": {"neighbors": NEIGHBORS, "match": "VELOCITY HEADING"},
    "arrival": {"pace": PACE},
    "attendance": {"on_arrival": "STAY LEAVE GO_ON"},
    "brake_for": {"neighbors": NEIGHBORS, "obstacles": "NONE MOVING ALL"},
    "clip": {"plays": "STAND MOVE DO BEAT", "when": "CHANCE ARRIVAL STATE PARTNER ANSWER"},
    "cohesion": {"neighbors": NEIGHBORS, "method": "OFFSET SEEK"},
    "containment": {"method": "TURN SEEK CROSS"},
    "crawling": {"at_edge": "TURN_BACK STOP FALL"},
    "docking": {"pace": PACE, "timing": "FREE AT_FRAME"},
    "flee": {"pace": PACE},
    "give_way": {"rank": "FIRST EQUAL LAST"},
    "keep_company": {"neighbors": NEIGHBORS},
    "keep_distance": {"neighbors": NEIGHBORS},
    "leader_following": {"neighbors": NEIGHBORS, "places": "CLOUD AS_THEY_STAND"},
    "mark": {"spread": "VERTICES FACES"},
    "object": {
        "output": "KEYFRAMES CACHE",
        "forward_axis": AXES,
        "up_axis": AXES,
        "pass_side": "EITHER LEFT RIGHT OVER UNDER",
        "obstacle_shape": "ROUND BOX MESH",
        "obstacle_side": "OUTSIDE INSIDE",
        "region_shape": "SPHERE BOX MESH",
        "locomotion": MOVES,
        "combining": "WEIGHTED_SUM PRIORITY ALLOCATION NORMALIZED_SUM ONE DITHERING",
    },
    "obstacle_avoidance": {"method": "TURN FIELD SILHOUETTE"},
    "on_foot": {"at_edge": "TURN_BACK STOP FALL"},
    "orbit": {"direction": "COUNTERCLOCKWISE CLOCKWISE EITHER"},
    "path_following": {
        "direction": "FORWARD BACKWARD EITHER",
        "end": "STOP LOOP TURN_BACK",
        "pull": "FADING CORRIDOR",
    },
    "patrol": {"order": "ROUND THERE_AND_BACK", "pace": PACE},
    "populate": {
        "made_as": "AUTOMATIC OBJECTS POINTS",
        "arrangement": "SURFACE VOLUME CURVE GRID WEDGE LINE COLUMN CIRCLE ONE_PLACE",
        "spread": "ALL CURSOR MODEL",
    },
    "portrayal": {"phase_by": "DISTANCE TIME"},
    "pursuit": {"method": "PREDICTION CONSTANT_HEADING"},
    "scene": {"keying": "EVERY_FRAME WHERE_NEEDED"},
    "seek": {"pace": PACE},
    "separation": {"neighbors": NEIGHBORS},
    "source": {"kind": "OBJECT COLLECTION"},
    "trigger": {"when": "NEAR SEES INSIDE OUTSIDE ARRIVED TOUCHED ALONE CROWDED STUCK FASTER ALWAYS PARTNER"},
    "unaligned_collision_avoidance": {"neighbors": NEIGHBORS, "method": "PAPER VELOCITY"},
    "wall_following": {"walls": "CURVES OBSTACLES"},
    "wander": {"method": "SPHERE NOISE"},
    "wheeled": {"at_edge": "GO_ON STOP", "reverse": "NEVER ALLOW"},
}
"""The choices of each group by parameter, in the order of their numbers from 0: new ones are added at the end."""
FLAGS = {
    "roles": {
        **{"VEHICLE": 1, "OBSTACLE": 2, "PATH": 4, "LEADER": 8, "CROWD": 16, "REGION": 64, "FLOW": 128},
        **{
            "RESOURCE": 256,
            "SURFACE": 512,
            "STATE": 1024,
            "TRIGGER": 2048,
            "MARK": 4096,
            "LINK": 8192,
            "POINTS": 16384,
            "SIGNAL": 32768,
        },
    },
    "own_locomotion": {"AS_CROWD": -1, **{name: number for number, name in enumerate(MOVES.split())}},
    "overlay": {
        **{"FRONT": 1, "VELOCITY": 2, "TARGETS": 4, "TRAILS": 8, "PATHS": 16, "OBSTACLES": 32, "REGIONS": 64},
        **{"FORCES": 128, "SURFACES": 256, "WAYS": 512},
    },
}
"""Those that are numbered in another way."""


def test_every_stored_choice_has_the_number_under_which_files_store_it() -> None:
    ordered: dict[str, dict[str, str]] = {}
    others = {}
    for group, stored in GROUPS.items():
        for name, parameter in stored.parameters.items():
            numbers = {choice.name: choice.number for choice in parameter.choices}
            if name in FLAGS:
                others[name] = numbers
            elif numbers:
                assert sorted(numbers.values()) == [*range(len(numbers))], (group, name)
                ordered.setdefault(group, {})[name] = " ".join(sorted(numbers, key=lambda choice: numbers[choice]))
    assert ordered == STORED
    assert others == FLAGS
    assert {choice.name: choice.number for choice in PICKS} == {"NEAREST": 0, "RANDOM": 1, "NEXT": 2}
