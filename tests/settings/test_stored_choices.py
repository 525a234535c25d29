"""Choices: files store their numbers, and presets their names, so neither may ever change meaning."""

import pytest

from steering_addon.behaviors import CATALOGUE
from steering_addon.portrayal.driver_properties import Portrayal
from steering_addon.settings.population import ARRANGEMENTS
from steering_addon.simulation.candidates import PICKS
from steering_addon.simulation.combining import COMBININGS
from steering_addon.simulation.declaration import Choice, Declared, Kind
from steering_addon.simulation.geometry.obstacles import OBSTACLE_SHAPES, OBSTACLE_SIDES, PASS_SIDES
from steering_addon.simulation.geometry.regions import SHAPES
from steering_addon.simulation.presence.attendance import Attendance

NEIGHBORS = {"OWN_CROWD": 0, "EVERYONE": 1, "CHOSEN_CROWD": 2}
PACE = {"MAX_SPEED": 0, "CURRENT_SPEED": 1}
STORED = {
    "alignment": {"neighbors": NEIGHBORS, "match": {"VELOCITY": 0, "HEADING": 1}},
    "attendance": {"on_arrival": {"STAY": 0, "LEAVE": 1, "GO_ON": 2}},
    "brake_for": {"neighbors": NEIGHBORS, "obstacles": {"NONE": 0, "MOVING": 1, "ALL": 2}},
    "cohesion": {"neighbors": NEIGHBORS, "method": {"OFFSET": 0, "SEEK": 1}},
    "containment": {"method": {"TURN": 0, "SEEK": 1, "CROSS": 2}},
    "docking": {"timing": {"FREE": 0, "AT_FRAME": 1}},
    "flee": {"pace": PACE},
    "keep_company": {"neighbors": NEIGHBORS},
    "keep_distance": {"neighbors": NEIGHBORS},
    "leader_following": {"neighbors": NEIGHBORS},
    "obstacle_avoidance": {"method": {"TURN": 0, "FIELD": 1, "SILHOUETTE": 2}},
    "orbit": {"direction": {"COUNTERCLOCKWISE": 0, "CLOCKWISE": 1, "EITHER": 2}},
    "path_following": {
        "direction": {"FORWARD": 0, "BACKWARD": 1, "EITHER": 2},
        "end": {"STOP": 0, "LOOP": 1, "TURN_BACK": 2},
        "pull": {"FADING": 0, "CORRIDOR": 1},
    },
    "patrol": {"order": {"ROUND": 0, "THERE_AND_BACK": 1}, "pace": PACE},
    "portrayal": {"phase_by": {"DISTANCE": 0, "TIME": 1}},
    "pursuit": {"method": {"PREDICTION": 0, "CONSTANT_HEADING": 1}},
    "seek": {"pace": PACE},
    "separation": {"neighbors": NEIGHBORS},
    "unaligned_collision_avoidance": {"neighbors": NEIGHBORS, "method": {"PAPER": 0, "VELOCITY": 1}},
    "wall_following": {"walls": {"CURVES": 0, "OBSTACLES": 1}},
    "wander": {"method": {"SPHERE": 0, "NOISE": 1}},
}
"""What files hold by the name of a behavior or of other settings; new choices are added."""


def numbers(choices: tuple[Choice, ...]) -> dict[str, int]:
    return {choice.name: choice.number for choice in choices}


def declared(declaration: type[Declared]) -> dict[str, dict[str, int]]:
    """The choices of a declaration by the names of their parameters."""
    parameters = declaration.parameters().items()
    return {name: numbers(parameter.choices) for name, parameter in parameters if parameter.kind is Kind.CHOICE}


def test_the_choices_of_parameters_have_the_numbers_under_which_files_store_them() -> None:
    declarations = {**{kind.name: kind for kind in CATALOGUE}, "attendance": Attendance, "portrayal": Portrayal}
    offered = {name: declared(declaration) for name, declaration in declarations.items()}
    assert {name: choices for name, choices in offered.items() if choices} == STORED


@pytest.mark.parametrize(
    ("choices", "names"),
    [
        (COMBININGS, "WEIGHTED_SUM PRIORITY ALLOCATION NORMALIZED_SUM ONE DITHERING"),
        (ARRANGEMENTS, "SURFACE VOLUME CURVE GRID WEDGE LINE COLUMN CIRCLE ONE_PLACE"),
        (PASS_SIDES, "EITHER LEFT RIGHT OVER UNDER"),
        (OBSTACLE_SHAPES, "ROUND BOX MESH"),
        (OBSTACLE_SIDES, "OUTSIDE INSIDE"),
        (SHAPES, "SPHERE BOX MESH"),
        (PICKS, "NEAREST RANDOM NEXT"),
    ],
)
def test_other_choices_are_numbered_in_the_order_in_which_they_were_added(choices, names) -> None:
    assert numbers(choices) == {name: number for number, name in enumerate(names.split())}
