"""Drivers: what they do and what changes that, row by row; and cars without room ahead, which back out if they may."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors.seek import Seek
from steering_addon.locomotion.course import CLEAR, LOOKS, WALK, Car
from steering_addon.locomotion.driving import STOP, Driving
from steering_addon.locomotion.reversing import (
    ALLOW,
    BLOCKED,
    GIVES_UP,
    LOOKS_BACK,
    MOST,
    NEVER,
    ONWARD,
    QUARTER,
    ROUND,
    SHIFT,
    STATES,
    TIGHT,
    WORTHWHILE,
    Drivers,
    Room,
    change_states,
    look_for_room,
)
from steering_addon.locomotion.wheeled import Wheeled
from steering_addon.simulation.geometry.capsules import between_axes
from steering_addon.simulation.geometry.obstacles import boxes
from steering_addon.simulation.geometry.surfaces import surfaces
from steering_addon.simulation.snapshot import State
from steering_addon.simulation.terrain import Terrain
from steering_addon.simulation.vehicle import VehicleModel
from tests.locomotion.grounds import plane
from tests.locomotion.stacking import stacked
from tests.locomotion.test_wheeled import AXLE, CAR, FPS, output
from tests.scene import Scene, headings, leaders, positions, velocities

DT = 1.0 / FPS
CIRCLE, REACTION = 4.0, 0.7
"""Metres, seconds."""
ROOM = ("ahead", "behind", "left", "right", "onward")
"""By `room_` and these names, as changes of a driver."""
MEMORY = set(vars(Driving.blank(1)))


def driver(push: tuple[float, float] = (1.0, 0.0), leave_to: float = 0.0, **changes: Any) -> Drivers:
    """One who stands, is asked ahead and to the left, m/s2, may back out and has no room at all."""
    memory = {name: np.array([value]) for name, value in changes.items() if name in MEMORY}
    room = [np.array([changes.pop(f"room_{name}", 0.0)]) for name in ROOM]
    others = {"speed": 0.0, "may": True, "limit": np.inf, "on_path": False} | changes
    return Drivers(
        model=VehicleModel.of(1, mass=2.0, max_force=8.0, max_speed=5.0, response_time=0.6),
        memory=Driving(**(vars(Driving.blank(1)) | memory)),
        push=np.array([[*push, 0.0]]),
        heading=np.array([[1.0, 0.0, 0.0]]),
        sharpest=np.array([1.0 / CIRCLE]),
        comfort=np.array([2.5]),
        reaction=np.array([REACTION]),
        pedal_time=np.array([0.25]),
        room=Room(*room, np.array([leave_to])),
        **{name: np.array([value]) for name, value in others.items() if name not in MEMORY},
    )


SHARPEST = 1.0 / CIRCLE
WHEELS = {
    # situation: changes, state, curvature
    "as asked": ({"push": (1.0, 0.5), "speed": 2.0}, "drive", 0.125),
    "slowly as at 1 m/s": ({"push": (1.0, -0.2)}, "drive", -0.2),
    "no sharper than it can": ({"push": (1.0, 0.9)}, "drive", SHARPEST),
    "round to what is behind": ({"push": (-1.0, 0.3)}, "drive round", SHARPEST),
    "to the other side too": ({"push": (-1.0, -0.3)}, "drive round", -SHARPEST),
    "straight on out of its circle": ({"push": (-1.0, 0.0), "straight": 1.0}, "drive out of a circle", 0.0),
    "turning off with full wheel": ({"leaving": 1.0, "side": -1.0}, "turn off", -SHARPEST),
    "in reverse with opposite wheel": ({"backs": True, "side": -1.0}, "back out", SHARPEST),
    "for the way back while it stands": ({"stuck": 0.1, "leave_to": 1.0}, "change gear", -SHARPEST),
    "for the way ahead while it stands": ({"stuck": 0.1, "backs": True, "side": 1.0}, "change gear", SHARPEST),
    "not so who may not": ({"stuck": 0.1, "may": False, "push": (1.0, 0.2)}, "drive", 0.2),
}


@pytest.mark.parametrize(("changes", "state", "curvature"), WHEELS.values(), ids=WHEELS)
def test_in_each_state_they_turn_the_wheels(changes: dict[str, Any], state: str, curvature: float) -> None:
    d = driver(**changes)
    assert next(row.name for row in STATES if row.holds(d)[0]) == state
    assert d.wanted[0] == pytest.approx(curvature)


@pytest.mark.parametrize(
    ("changes", "speed"),
    [
        ({"push": (-1.0, 0.3)}, 0.6 * np.hypot(1.0, 0.3)),
        ({"push": (3.0, 0.0), "speed": 2.0, "straight": 1.0}, ROUND * np.sqrt(2.5 * CIRCLE)),
        ({"push": (3.0, 0.0), "speed": 2.0, "leaving": 1.0}, ROUND * np.sqrt(2.5 * CIRCLE)),
        ({"push": (3.0, 0.5), "speed": 2.0}, 2.0 + 3.0 * 0.6),
    ],
)
def test_on_a_free_road_they_go_at_the_speed_that_is_asked_and_round_at_what_is_comfortable(changes, speed) -> None:
    d = driver(**changes)
    assert d.speed[0] + 0.6 * d.pushed[0] == pytest.approx(speed)


@pytest.mark.parametrize(
    ("changes", "may_shift"),
    [
        ({}, True),
        ({"push": (0.0, 0.0)}, False),
        ({"speed": 2.0}, False),
        ({"speed": 2.0, "backs": True}, True),
        ({"speed": 2.0, "straight": 1.0}, True),
        ({"may": False}, False),
    ],
)
def test_room_is_looked_for_by_who_stands_and_wants_to_go_or_is_about_it(changes, may_shift: bool) -> None:
    assert driver(**changes).may_shift[0] == may_shift


ENOUGH = {"room_behind": WORTHWHILE + 0.01}
OVER = REACTION + SHIFT
GONE = {"backs": True, "straight": 0.0, "side": 1.0, "room_behind": 9.0}
CHANGES = {
    # situation: changes, what is remembered
    "it waits before it backs out": (ENOUGH, {"stuck": DT, "backs": False}),
    "it backs out after a pause": (
        {**ENOUGH, "stuck": OVER, "backed": 7.0, "leaving": 2.0, "leave_to": -1.0},
        {"stuck": 0.0, "backs": True, "backed": 0.0, "leaving": 0.0, "side": -1.0, "straight": 0.0},
    ),
    "and not before": ({**ENOUGH, "stuck": OVER - 1.1 * DT}, {"backs": False}),
    "not with room ahead": ({**ENOUGH, "room_ahead": TIGHT}, {"stuck": 0.0}),
    "but it looks only once": ({**ENOUGH, "room_ahead": TIGHT, "stuck": 0.2}, {"stuck": 0.2 + DT}),
    "also where its goal lies in its circle": (
        {**ENOUGH, "room_ahead": 9.0, "straight": 1.0, "stuck": OVER},
        {"backs": True, "straight": CIRCLE},
    ),
    "not without room behind": ({"room_behind": WORTHWHILE, "stuck": OVER}, {"stuck": 0.0, "backs": False}),
    "but with room to turn off": ({"room_right": np.inf, "leave_to": -1.0, "stuck": OVER}, {"backs": True}),
    "not while it moves": ({**ENOUGH, "speed": 0.01, "stuck": OVER}, {"stuck": 0.0, "backs": False}),
    "not if it is not asked to go": ({**ENOUGH, "push": (0.0, 0.0), "stuck": OVER}, {"stuck": 0.0, "backs": False}),
    "not if another vehicle makes it wait": ({**ENOUGH, "limit": 0.0, "stuck": OVER}, {"backs": False}),
    "but if it waits for long": ({**ENOUGH, "limit": 0.0, "stuck": GIVES_UP}, {"backs": True, "straight": CIRCLE}),
    "unless on a path": ({**ENOUGH, "limit": 0.0, "on_path": True, "stuck": GIVES_UP}, {"stuck": 0.0, "backs": False}),
    "not if it may not": ({**ENOUGH, "may": False, "stuck": OVER}, {"stuck": OVER, "backs": False}),
    "with room to its side it stops backing": ({**GONE, "room_left": np.inf}, {"backs": True, "stuck": DT}),
    "and turns off": (
        {**GONE, "room_left": np.inf, "stuck": SHIFT},
        {"backs": False, "stuck": 0.0, "leaving": QUARTER * CIRCLE, "side": 1.0},
    ),
    "not while it moves back": ({**GONE, "room_left": np.inf, "stuck": SHIFT, "speed": 0.1}, {"backs": True}),
    "room to the other side does not count": ({**GONE, "room_right": np.inf, "stuck": SHIFT}, {"backs": True}),
    "nor on the way out of a circle": (
        {**GONE, "room_left": np.inf, "straight": 1.0, "stuck": SHIFT},
        {"backs": True, "stuck": 0.0},
    ),
    "without room behind it turns off": ({**GONE, "room_behind": BLOCKED - 0.01, "stuck": SHIFT}, {"backs": False}),
    "it does not back out without end": (
        {**GONE, "backed": MOST * CIRCLE + 0.01, "stuck": SHIFT},
        {"backs": False, "straight": 0.0},
    ),
    "but that far": ({**GONE, "backed": MOST * CIRCLE, "stuck": SHIFT}, {"backs": True}),
    "it turns off for a while": (
        {"leaving": 2.0, "side": 1.0, "room_onward": 3.0},
        {"leaving": 2.0, "side": 1.0},
    ),
    "and drives on then": ({"leaving": 2.0, "side": 1.0, "room_onward": np.inf}, {"leaving": 0.0, "side": 0.0}),
    "what it has wound in reverse does not count": ({**GONE, "wound": 1.0}, {"wound": 0.0}),
}


@pytest.mark.parametrize(("changes", "remembered"), CHANGES.values(), ids=CHANGES)
def test_each_change_is_due_after_its_pause(changes: dict[str, Any], remembered: dict[str, Any]) -> None:
    after = change_states(driver(**changes), DT)
    for name, value in remembered.items():
        assert getattr(after, name)[0] == pytest.approx(value), name


def test_one_that_is_asked_with_most_of_its_strength_wants_to_go_however_fast_it_could_drive() -> None:
    """From a stand, that is not yet a tenth of a high top speed."""
    for push, wants in ((2.5, True), (1.5, False)):
        fast = driver(push=(-push, 0.0))
        assert replace(fast, model=replace(fast.model, max_speed=np.array([30.0]))).wants.item() == wants


def test_each_driver_is_in_its_own_state_and_changes_for_itself() -> None:
    each = [driver(**changes) for changes, *_ in (*WHEELS.values(), *CHANGES.values())]
    together, after = stacked(each), change_states(stacked(each), DT)
    assert together.wanted.tolist() == [d.wanted[0] for d in each]
    for name, column in vars(after).items():
        assert (column == np.concatenate([vars(change_states(d, DT))[name] for d in each])).all(), name


def car(**changes: Any) -> Car:
    """One at the origin that heads along x, on the level."""
    values = {
        "tangent": 0.0,
        "wheelbase": 2.0 * AXLE,
        "track": 1.6,
        "wheel_rate": 0.8,
        "half": 1.25,
        "radius": 0.9,
        "height": 0.0,
        "grade": 0.0,
        "lean": 0.0,
        "on_ground": True,
        "stops": True,
    } | changes
    columns = {name: np.array([value]) for name, value in values.items()}
    return Car(np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0]]), **columns, cosine=None)


NOSE = 1.25 + 0.9
WAY = 6.0
PLACE = WAY / LOOKS
"""Metres; from place to place where it looks."""
BOXES = {
    # situation: middle of a box, half its length, sense, room
    "ahead": (NOSE + CLEAR + 0.5 + 2.0 + 0.1, 0.0, 0.5, 1.0, 2.0),
    "behind": (-NOSE - CLEAR - 0.5 - 2.0 - 0.1, 0.0, 0.5, -1.0, 2.0),
    "behind one that goes ahead": (-NOSE - CLEAR - 0.5 - 2.0, 0.0, 0.5, 1.0, np.inf),
    "what it touches it may not run into": (NOSE + 0.4, 0.0, 0.5, 1.0, 0.0),
    "but leave": (NOSE + 0.4, 0.0, 0.5, -1.0, np.inf),
    "and pass": (0.0, 0.9 + 0.4, 20.0, 1.0, np.inf),
    "beside its way": (NOSE + 2.0, 0.9 + CLEAR + 0.51, 0.5, 1.0, np.inf),
    "not so clear of it": (NOSE + 2.0, 0.9 + CLEAR + 0.45, 0.5, 1.0, 1.8),
}


@pytest.mark.parametrize(("x", "y", "half", "sense", "room"), BOXES.values(), ids=BOXES)
def test_it_has_room_up_to_what_stands_in_its_way(x: float, y: float, half: float, sense: float, room: float) -> None:
    wall = boxes([(x, y, 0.0)], [(half, 0.5, 2.0)])
    terrain = Terrain(surfaces([]), surfaces([]), np.zeros(1), wall)
    seen = car().room(terrain, np.zeros(1), np.array([WAY]), sense)[0]
    assert seen == room or abs(seen - room) < PLACE


@pytest.mark.parametrize(("carrier", "room"), [(-1, 0.0), (0, np.inf)])
def test_it_waits_for_what_a_vehicle_carries(carrier: int, room: float) -> None:
    wall = replace(boxes([(NOSE + 0.4, 0.0, 0.0)], [(0.5, 0.5, 2.0)]), carrier=np.array([carrier]))
    terrain = Terrain(surfaces([]), surfaces([]), np.zeros(1), wall)
    assert car().room(terrain, np.zeros(1), np.array([WAY]), 1.0)[0] == room


GROUNDS = {
    # situation: half a level plane, its tilt beyond 4 m or below the car, changes of the car, sense, room
    "an edge ahead": (4.0, 0.0, {}, 1.0, True),
    "an edge ahead for one that goes on": (4.0, 0.0, {"stops": False}, 1.0, False),
    "an edge behind": (4.0, 0.0, {"stops": False}, -1.0, True),
    "level ground": (30.0, 0.0, {}, 1.0, False),
    "too steep ground": (30.0, 0.9, {}, 1.0, True),
    "a slope": (30.0, 0.3, {}, 1.0, False),
    "the slope on which it is": (30.0, 0.6, {"grade": 0.6}, 1.0, False),
}


@pytest.mark.parametrize(("half", "grade", "changes", "sense", "ends"), GROUNDS.values(), ids=GROUNDS)
def test_it_has_room_up_to_where_the_ground_ends_or_is_too_steep(
    half: float, grade: float, changes: dict[str, Any], sense: float, ends: bool
) -> None:
    points, triangles = plane(half=half, cells=60)
    points[:, 2] = grade * np.maximum(np.abs(points[:, 0]) - (0.0 if "grade" in changes else 4.0), 0.0)
    ground = surfaces([(points, triangles)])
    cars = replace(car(**changes), cosine=np.array([np.cos(0.6)]))
    seen = cars.room(Terrain(ground, ground, np.zeros(1)), np.zeros(1), np.array([WAY]), sense)[0]
    assert np.isfinite(seen) == ends and (not ends or 0.0 <= seen <= 4.0 - NOSE)


@pytest.mark.parametrize("skew", [1.0, -1.0])
def test_it_has_room_until_the_first_of_its_corners_is_where_the_ground_ends(skew: float) -> None:
    points, triangles = plane(half=4.0, cells=60)
    points[:, 0] += skew * points[:, 1]
    ground = surfaces([(points, triangles)])
    seen = car().room(Terrain(ground, ground, np.zeros(1)), np.zeros(1), np.array([WAY]), 1.0)[0]
    assert 0.0 <= 4.0 - 0.8 - NOSE - seen < 2.0 * PLACE


@pytest.mark.parametrize(("aside", "leaving"), [(0.1, 0.0), (-0.1, 0.0), (0.5, 0.0), (0.1, 1.0)])
def test_it_looks_as_asked_to_both_sides_with_full_lock_and_back_with_opposite_lock(aside, leaving) -> None:
    places = [(-5.0, 3.3, 0.0), (4.2, 2.9, 0.0), (-3.7, 2.1, 0.0)]
    terrain = Terrain(surfaces([]), surfaces([]), np.zeros(1), boxes(places, [(0.5, 0.5, 2.0)] * len(places)))
    lock, asks, quarter = 2.0 * AXLE / CIRCLE, min(aside, SHARPEST) * 2.0 * AXLE, QUARTER * CIRCLE

    def room(tangent: float, way: float, sense: float = 1.0, kept: float = 0.0) -> float:
        return car().room(terrain, np.array([tangent]), np.array([way]), sense, kept)[0]

    left, right = room(lock, quarter), room(-lock, quarter)
    side = 1.0 if left > right else -1.0
    ahead = room(side * lock if leaving else asks, WORTHWHILE + BLOCKED, kept=float(not leaving))
    onward = room(asks, ONWARD * quarter, kept=1.0) if aside < SHARPEST else 0.0
    seen = look_for_room(driver(push=(1.0, aside), leaving=leaving, side=side * leaving), car(), terrain, None).room
    assert [*vars(seen).values()] == [ahead, room(-side * lock, LOOKS_BACK, -1.0), left, right, onward, side]


OUT = 8 * FPS
EDGE, STANDS, WALL, HEMMED_IN, BEHIND = range(5)


def dead_ends() -> Scene:
    """Nose-on to the edge of the ground at 40 m or to a box, with goals beside them; the last one stands."""
    return Scene(
        [(36.8, 0.0, 0.0), (36.8, -36.0, 0.0), (0.0, 0.0, 0.0), (36.8, -20.0, 0.0), (31.0, -20.0, 0.0)],
        forward=(1.0, 0.0, 0.0),
        speed=0.0,
        behaviors=[(Seek, {"target": np.array([5, 6, 7, 8, 8])})],
        locomotions=[(Wheeled, {"at_edge": STOP, "reverse": np.array([ALLOW, NEVER, ALLOW, ALLOW, ALLOW])})],
        tracked=leaders((34.0, 37.0, 0.0), (34.0, -12.0, 0.0), (-20.0, 12.0, 0.0), (34.0, 0.0, 0.0)),
        obstacles=boxes([(3.5, 0.0, 0.0)], [(1.0, 6.0, 2.0)]),
        surfaces=surfaces([plane(40.0)]),
        vehicle={**CAR, "max_speed": np.array([16.7, 16.7, 16.7, 16.7, 0.0])},
        fps=FPS,
    )


@pytest.fixture(scope="module")
def states() -> list[State]:
    return dead_ends().run(OUT + 1)


def speeds_along(states: list[State]) -> np.ndarray:
    """(f, n) m/s, negative backward."""
    return (velocities(states) * headings(states)).sum(axis=-1)


@pytest.mark.parametrize("row", [EDGE, WALL])
def test_one_that_may_backs_out_of_a_dead_end_and_drives_on_to_its_goal(states, row: int) -> None:
    speed, way = speeds_along(states)[:, row], positions(states)[:, row]
    assert speed.min() < 0.0 < speed[-1]
    goal = dead_ends().tracked.position[row]
    assert np.linalg.norm(way[-1] - goal) < np.linalg.norm(way[0] - goal)


def test_one_that_may_not_stands(states) -> None:
    assert np.abs(speeds_along(states)[-5 * FPS :, STANDS]).max() == 0.0
    assert np.linalg.norm(np.ptp(positions(states)[:, STANDS], axis=0)) < 0.7


def test_none_backs_into_the_vehicle_behind(states) -> None:
    assert speeds_along(states)[:, HEMMED_IN].min() > -WALK
    place, heading, half = (
        positions(states),
        headings(states),
        np.full(len(states), 0.5 * CAR["length"] - CAR["radius"]),
    )
    offset = place[:, BEHIND] - place[:, HEMMED_IN]
    gap = np.linalg.norm(between_axes(offset, heading[:, HEMMED_IN], half, heading[:, BEHIND], half), axis=1)
    assert gap.min() - 2.0 * CAR["radius"] > 0.2


def test_it_touches_no_wall_and_keeps_its_wheels_on_the_ground(states) -> None:
    way, heading = positions(states)[:, WALL], headings(states)[:, WALL]
    for share in (-1.25, 0.0, 1.25):
        distance, _ = dead_ends().obstacles.surface(way + share * heading, np.zeros(len(way), dtype=int))
        assert distance.min() > 0.9
    assert positions(states)[:, EDGE, 0].max() + AXLE < 40.0


def test_backwards_it_goes_at_walking_pace_without_slip_and_its_wheels_turn_back(states) -> None:
    speed, heading = speeds_along(states), headings(states)
    back = speed[1:] < 0.0
    assert back.any() and speed.min() >= -WALK - 1e-9
    rear = positions(states) - AXLE * heading
    way, middle = np.diff(rear, axis=0), heading[1:] + heading[:-1]
    assert np.abs(way[..., 0] * middle[..., 1] - way[..., 1] * middle[..., 0]).max() < 1e-9
    spin = output(states, "steering_wheel_spin")
    assert (np.diff(spin, axis=0)[back[1:]] < 0.0).all()
    turn = np.arcsin(np.abs(np.cross(heading[:-1], heading[1:])[..., 2]))
    assert (turn <= np.tan(0.6) / 2.7 * np.linalg.norm(way, axis=-1) * 1.001 + 1e-7).all()


def test_it_stands_before_it_changes_its_direction_and_its_wheels_rest_while_it_waits(states) -> None:
    sense = np.sign(np.round(speeds_along(states), 9))
    assert (sense[:-1] * sense[1:] >= 0.0).all()
    angle = output(states, "steering_wheel_angle")
    assert np.abs(np.diff(angle, axis=0)).max() <= 0.8 / FPS * 1.03
    changes_gear = np.array([state.bodies[Wheeled.name].stuck > 0.0 for state in states[2:]])
    rests = (speeds_along(states)[2:] == 0.0) & ~changes_gear
    assert rests.any() and (np.diff(angle, axis=0)[rests] == 0.0).all()


def test_pedals_follow_the_way_it_goes(states) -> None:
    brake, accelerator = (output(states, f"steering_{name}") for name in ("brake", "accelerator"))
    assert (brake * accelerator == 0.0).all()
    backs, forward = speeds_along(states)[1:] < -0.2, output(states, "steering_forward_acceleration")
    faster, slower = backs & (forward < -0.5), backs & (forward > 1.0)
    assert faster.any() and (accelerator[faster] > 0.0).all()
    assert slower.any() and (brake[slower] > 0.0).all()
