"""The table of gaits, row by row: which gait a walker takes, how fast it goes then, and how far it turns."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from steering_addon.locomotion.gaits import (
    GAITS,
    SETS_OFF,
    WAY_OUT,
    Walkers,
    find_directions,
    share_round,
    stride_of,
    turn_on_foot,
)
from steering_addon.locomotion.headings import BEGINS, SWINGS
from steering_addon.locomotion.walking import ROUND, Walking
from steering_addon.simulation.locomotion import Control
from steering_addon.simulation.vehicle import Motion, VehicleModel
from tests.locomotion.stacking import stacked

DT = 1.0 / 24.0
CIRCLE, TURN, ON_THE_SPOT = 0.5, 3.0, 2.0
"""Metres and radians a second."""
PACE, SLOWEST, RESPONSE = 1.0, 0.1, 0.3
MEMORY = set(vars(Walking.blank(1)))


def walker(angle: float = 0.0, n: int = 1, **changes: Any) -> Walkers:
    """One that walks at its pace, and whose way lies an angle to the left of its heading, radians."""
    strength = changes.pop("max_force", 1e6)
    numbers = {
        "circle": CIRCLE,
        "max_turn_rate": TURN,
        "on_the_spot": ON_THE_SPOT,
        "speed": PACE,
        "wanted": PACE,
        "wished": PACE,
        "slowest": SLOWEST,
        "fastest": np.inf,
        "most": np.inf,
        "steps_aside": 0.0,
        "rounds": 0.0,
    } | {name: value for name, value in changes.items() if name not in MEMORY}
    memory = {name: np.full(n, value) for name, value in changes.items() if name in MEMORY}
    heading = np.tile([1.0, 0.0], (n, 1))
    model = VehicleModel.of(
        n,
        max_speed=2.0,
        cruise_speed=PACE / 2.0,
        response_time=RESPONSE,
        max_force=strength,
    )
    return Walkers(
        model=model,
        motion=Motion(np.zeros((n, 3)), heading * numbers["speed"], heading, heading, heading),
        memory=Walking(**(vars(Walking.blank(n)) | memory)),
        direction=np.tile([np.cos(angle), np.sin(angle)], (n, 1)),
        **{name: np.full(n, value) for name, value in numbers.items()},
        dt=DT,
        **dict.fromkeys(("control", "push", "walkable", "feet", "beside")),
    )


def gait_of(w: Walkers) -> str:
    return next(gait.name for gait in GAITS if gait.holds(w)[0])


STILL = {"speed": 0.0, "stands": True}
ANIMAL = {"on_the_spot": 0.0}
CORNERED = {"cornered": True}
SLOWS = {"speed": 0.5, "most": 0.3, "steps_aside": 0.4}
BENT = np.cos(0.5 - PACE / CIRCLE * DT)
BEGUN = ON_THE_SPOT * DT / BEGINS
EASED = PACE + (ROUND - 1.0) * PACE * DT / RESPONSE
TABLE = {
    # situation: angle, changes, gait, speed, turn rate
    "straight on": (0.0, {}, "walk on", PACE, 0.0),
    "in a bend it turns on its circle, and slows down": (0.5, {}, "walk on", BENT, BENT / CIRCLE),
    "to the other side too": (-0.5, {}, "walk on", BENT, -BENT / CIRCLE),
    "it turns by no more than its way": (0.5, {"max_turn_rate": 1.0}, "walk on", np.cos(0.5 - DT), 1.0),
    "what is behind it goes round to at half its pace": (2.0, {}, "walk on", ROUND, ROUND / CIRCLE),
    "unless it brakes to whirl round": (2.0, {"most": 0.3}, "walk on", 0.3, 0.7 * ON_THE_SPOT),
    "who may step aside turns on the spot meanwhile": (2.0, SLOWS, "whirl", 0.3 * np.cos(BEGUN * DT), BEGUN),
    "an animal changes gradually to that speed": (2.0, {**ANIMAL, "rounds": 1.0}, "walk on", EASED, TURN * DT / SWINGS),
    "and in part": (0.0, {**ANIMAL, "rounds": 0.5}, "walk on", 0.5 * (PACE + EASED), 0.0),
    "what leads aside does not slow down": (1.0, {"side": -1}, "walk on", PACE, PACE / CIRCLE),
    "without room it steps round, slowly": (2.0, {"side": 1, "has_room": False}, "walk on", 0.25, 0.75 * ON_THE_SPOT),
    "as do animals": (2.0, {**ANIMAL, "side": 1, "has_room": False}, "walk on", 0.25, 0.5 * WAY_OUT),
    "nor does it step round any faster straight on": (0.0, {"has_room": False}, "walk on", 0.25, 0.0),
    "before an edge it slows down": (0.0, {"fastest": 0.3}, "walk on", 0.3, 0.0),
    "it does not creep": (0.0, {"wanted": 0.02}, "walk on", SLOWEST, 0.0),
    "what nothing asks to walk stops": (0.0, {"wanted": 0.02, "wished": 0.12}, "stop", 0.0, 0.0),
    "it walks on as long as it is not that slow": (0.0, {"wanted": 0.1, "wished": 0.1}, "walk on", 0.1, 0.0),
    "what stands sets off only for more": (0.0, {**STILL, "wanted": 1.0, "wished": 0.12}, "stand", 0.0, 0.0),
    "and then does": (0.0, {**STILL, "wished": 0.13}, "set off", PACE, 0.0),
    "it turns on the spot first, gradually": (1.0, STILL, "stand", 0.0, BEGUN),
    "ever faster": (1.0, {**STILL, "turning": 1.0}, "stand", 0.0, 1.0 + BEGUN),
    "up to its fastest turn": (1.0, {**STILL, "turning": 9.0}, "stand", 0.0, ON_THE_SPOT),
    "from the other side it begins anew": (1.0, {**STILL, "turning": -9.0}, "stand", 0.0, BEGUN),
    "once it nearly faces its way it sets off, and turns on": (
        0.4,
        {**STILL, "turning": 0.5},
        "set off",
        np.cos(0.4 - (0.5 + BEGUN) * DT),
        0.5,
    ),
    "an animal sets off straight ahead": (
        1.0,
        {**STILL, **ANIMAL},
        "set off",
        np.cos(1.0),
        0.0,
    ),
    "unless it is cornered": (1.0, {**STILL, **ANIMAL, **CORNERED}, "stand", 0.0, WAY_OUT * DT / BEGINS),
    "who is cornered sets off only where it faces": (0.4, {**STILL, **CORNERED}, "stand", 0.0, BEGUN),
    "not so one whom a body blocks": (0.4, {**STILL, **CORNERED, "blocked": True}, "creep out", SLOWEST, BEGUN),
    "out of a corner it creeps": (0.0, {**STILL, **CORNERED}, "creep out", SLOWEST, 0.0),
    "also while it walks, even at an edge": (0.0, {**CORNERED, "fastest": 0.0}, "creep out", SLOWEST, 0.0),
}


@pytest.mark.parametrize(("angle", "changes", "gait", "speed", "turn"), TABLE.values(), ids=TABLE)
def test_each_row_gives_its_gait_its_speed_and_its_turn(
    angle: float, changes: dict[str, Any], gait: str, speed: float, turn: float
) -> None:
    w = walker(angle, **changes)
    velocity, forward = stride_of(w)
    assert gait_of(w) == gait
    assert np.linalg.norm(velocity) == pytest.approx(speed)
    assert np.arctan2(forward[0, 1], forward[0, 0]) / DT == pytest.approx(turn, abs=1e-9)


def test_one_begins_to_whirl_once_it_can_step_aside_as_fast_as_it_will_be() -> None:
    """It brakes by 2 m/s2, steps aside at up to 0.4 m/s, and takes a quarter of a second to turn aside."""
    gaits = [gait_of(walker(2.0, speed=speed, most=0.3, steps_aside=0.4, max_force=2.0)) for speed in (0.85, 0.95)]
    assert gaits == ["whirl", "walk on"]


def test_each_walker_takes_its_own_gait() -> None:
    each = [walker(angle, **changes) for angle, changes, *_ in TABLE.values()]
    together = zip(*stride_of(stacked(each)))
    for w, (velocity, forward) in zip(each, together, strict=True):
        alone = stride_of(w)
        assert (velocity == alone[0]).all() and (forward == alone[1]).all()


ROUNDS = {
    # situation: changes, share
    "straight ahead": ({}, 0.0),
    "aside": ({"onward": 0.3}, 1.0),
    "behind": ({"onward": -0.5}, 1.0),
    "in between": ({"onward": 0.55}, 0.5),
    "straight back it brakes": ({"onward": -1.0}, 0.0),
    "unless it stands": ({"onward": -1.0, "speed": 0.0}, 1.0),
    "people brake, and turn on the spot": ({"onward": 0.3, "on_the_spot": 1.0}, 0.0),
    "too weak a wish": ({"onward": 0.01, "wished": 0.12}, 0.0),
    "asked to brake": ({"onward": 0.3, "limit": 0.9}, 0.0),
    "no less than it goes": ({"onward": 0.3, "limit": 1.0}, 1.0),
}


@pytest.mark.parametrize(("changes", "share"), ROUNDS.values(), ids=ROUNDS)
def test_animals_go_round_to_what_is_beside_or_behind_them(changes: dict[str, float], share: float) -> None:
    usual = {"on_the_spot": 0.0, "wished": 1.0, "onward": 1.0, "limit": np.inf, "speed": 1.0}
    *values, limit, speed = (np.array([value]) for value in (usual | changes).values())
    w = replace(walker(), speed=speed, control=Control(np.zeros((1, 2)), limit))
    assert share_round(w, *values)[0] == pytest.approx(share)


def test_who_is_asked_back_stops_to_turn_or_goes_round_and_nobody_else_does() -> None:
    """A person, one who is asked ahead, and an animal."""
    wanted, wish = (np.array([(x, 0.0), (1.0, 0.0), (x, 0.0)]) for x in (0.05, -1.0))
    columns = np.array([(2.0, 2.0, 0.0), (1.0, 1.0, 1.0), (-1.0, 1.0, -1.0), (0.0, 0.0, 0.0)])
    on_the_spot, wished, onward, none = columns
    direction, speed, idle = find_directions(walker(n=3), on_the_spot, wanted, wish, wished, onward, none, none > 0.0)
    assert speed.tolist() == [0.0, 1.0, 1.0] and not idle.any()
    assert direction[:, 0].tolist() == [1.0, 1.0, -1.0]


def test_who_wants_nowhere_or_hardly_anything_as_it_stands_keeps_its_heading() -> None:
    nowhere, rest = np.zeros((1, 2)), (np.zeros(1), np.zeros(1, dtype=bool))
    for w, wish, expected in ((walker(), 0.0, 1.0), (walker(**STILL), 0.9, 1.0), (walker(**STILL), 1.1, 0.0)):
        wish = w.slowest * wish * SETS_OFF
        wanted = nowhere if not wish[0] else wish[:, None] * (0.0, 1.0)
        direction, _, idle = find_directions(w, w.on_the_spot, wanted, wanted, wish, 0.0 * wish, *rest)
        assert direction[0].tolist() == [expected, 1.0 - expected]
        assert idle[0] == (expected == 1.0 and wish[0] > 0.0)


@pytest.mark.parametrize(
    ("changes", "whirls"),
    [
        ({}, True),
        ({"cornered": True}, False),
        ({"stands": True, "speed": 0.0, "wished": 0.0}, False),
        ({"most": np.inf}, False),
    ],
)
def test_who_is_slow_and_free_turns_as_it_steps_on(changes: dict[str, Any], whirls: bool) -> None:
    w = walker(2.0, **({"speed": 0.1, "most": 1.0, "steps_aside": 0.4, "max_force": 1.0} | changes))
    assert w.whirls[0] == whirls


@pytest.mark.parametrize(
    ("idle", "force", "rate", "turns"),
    [(True, 9.0, 2.0, True), (False, 0.0, 2.0, True), (False, 9.0, 2.0, False), (True, 0.0, 0.0, False)],
)
def test_who_is_idle_or_at_rest_turns_to_what_it_is_to_face(idle: bool, force: float, rate: float, turns: bool) -> None:
    asks = Control(np.array([[force, 0.0, 0.0]]), None, heading=np.array([[0.0, 1.0, 0.0]]))
    w = replace(walker(**STILL, wished=0.0, max_force=10.0), control=asks)
    velocity, forward = turn_on_foot(w, np.array([idle]), np.array([rate]))
    assert not velocity.any()
    assert np.arctan2(forward[0, 1], forward[0, 0]) == pytest.approx(rate * DT if turns else 0.0)
