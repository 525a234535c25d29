"""Brake for (ours): slows down for crossing traffic, and does not go round it."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.behaviors.brake_for import (
    ALL,
    BESIDE,
    CROSSES,
    FORGETS,
    LEADS,
    MOVING,
    NONE,
    ONCOMING,
    PATIENCE,
    SITUATIONS,
    BrakeFor,
    InTheWay,
    wait_on,
)
from steering_addon.behaviors.seek import Seek
from steering_addon.locomotion import Planar
from steering_addon.simulation.geometry.obstacles import boxes, obstacles
from steering_addon.simulation.geometry.shapes import INSIDE
from steering_addon.simulation.maneuvers.braking import CREEP
from steering_addon.simulation.nearby.neighbors import OWN_CROWD
from tests.sampling import sampled
from tests.scene import Scene, leaders, locked, positions, speeds

R = 0.5
FPS, SMOOTH = 12, 24
"""Frames a second, and those where a change of speed is measured or frames are counted."""


def car(obstacle=None, values=None, **changes) -> Scene:
    """A vehicle that goes along +Y at top speed."""
    given = {
        "position": [[0.0, 0.0, 0.0]],
        "speed": 5.0,
        "behaviors": [(Seek, {"target": 1}), (BrakeFor, values or {})],
        "tracked": leaders([0.0, 1e4, 0.0]),
        "locomotions": [(Planar, {})],
        "fps": FPS,
    }
    if obstacle is not None:
        position, velocity = obstacle
        given["obstacles"] = obstacles(np.array([position]), 0.5, velocity=np.array([velocity]))
    return Scene(**(given | changes))


@sampled(one_of=9)
@pytest.mark.parametrize("start", np.arange(-20.0, -3.0, 4.0))
def test_at_any_time_of_crossing_nothing_is_hit(start: float) -> None:
    place = car(((start, 25.0, 0.0), (2.0, 0.0, 0.0)))
    states = place.run(FPS * 16)
    deer = np.array([place.snapshot(frame).obstacles.start[0] for frame in range(len(states))])
    gap = np.linalg.norm(positions(states)[:, 0] - deer, axis=1) - 2.0 * R
    assert gap.min() > 0.0
    assert positions(states)[-1, 0, 1] > 27.0, "it continues"


def test_it_does_nothing_about_what_passes_before_or_after_it_or_to_the_side() -> None:
    for position, velocity in (
        ((-30.0, 20.0, 0.0), (2.0, 0.0, 0.0)),
        ((-2.0, 20.0, 0.0), (-2.0, 0.0, 0.0)),
        ((-2.0, 19.0, 0.0), (2.0, 0.0, 0.0)),
        ((2.0, 20.0, 0.0), (0.0, 0.0, 0.0)),
        ((0.0, -4.0, 0.0), (0.0, 0.0, 0.0)),
        ((0.0, 15.0, 0.0), (0.0, 4.0, 0.0)),
    ):
        assert (car((position, velocity)).steering()[1] == 0.0).all(), (position, velocity)


def test_the_choice_of_obstacles_decides_which_count() -> None:
    standing, moving = ((0.0, 3.0, 0.0), (0.0, 0.0, 0.0)), ((-1.0, 3.0, 0.0), (1.5, 0.0, 0.0))
    for which, braked in ((NONE, (False, False)), (MOVING, (False, True)), (ALL, (True, True))):
        brakes = tuple(bool(car(ob, {"obstacles": which}).steering()[1].any()) for ob in (standing, moving))
        assert brakes == braked


def test_it_stops_before_the_side_of_a_box_and_the_wall_of_a_room() -> None:
    box = boxes(np.array([[0.0, 30.0, 0.0]]), np.array([[8.0, 2.0, 1.0]]))
    last = positions(car(obstacles=box).run(FPS * 8))[-1, 0]
    assert last[1] == pytest.approx(28.0 - R - 0.5, abs=0.25)
    room = replace(boxes(np.zeros((1, 3)), np.array([[20.0, 25.0, 5.0]])), side=np.array([INSIDE]))
    states = car(obstacles=room).run(FPS * 8)
    assert positions(states)[-1, 0, 1] == pytest.approx(25.0 - R - 0.5, abs=0.25)
    assert speeds(states)[FPS * 2] > 4.9, "in the middle of the room it does not brake"


def test_vehicles_of_every_crowd_count_by_default() -> None:
    other = locked([0.0, 3.0, 0.0], forward=(1.0, 0.0, 0.0), crowd=3)
    assert car(tracked=other, values={}).steering()[1].any()
    assert not car(tracked=other, values={"neighbors": OWN_CROWD}).steering()[1].any()


def test_the_size_of_other_bodies_does_not_matter() -> None:
    """A large target far ahead does not cross."""
    start = {"position": [[0.0, 0.0, 0.0], [0.0, 16.0, 0.0]], "forward": [[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]]}
    place = car(behaviors=[(Seek, {"target": [2, 3]}), (BrakeFor, {})], speed=2.0, **start)
    place.tracked = leaders([0.0, 1e4, 0.0], [0.0, -1e4, 0.0])
    large = replace(place, tracked=replace(place.tracked, radius=np.full(2, 20.0)))
    assert speeds(place.run(FPS * 4))[-1].max() < 1.0
    assert positions(place.run(FPS * 4)).tobytes() == positions(large.run(FPS * 4)).tobytes()


def test_an_object_without_a_role_counts_if_it_is_the_target() -> None:
    stranger = leaders([0.0, 1e4, 0.0], [0.2, 30.0, 0.0])
    assert positions(car(tracked=stranger).run(FPS * 8))[-1, 0, 1] > 35.0
    states = car(tracked=stranger, values={"target": 2}).run(FPS * 8)
    assert positions(states)[-1, 0, 1] == pytest.approx(30.0 - 2.0 * R - 0.5, abs=0.2)


def test_an_absent_target_is_not_in_its_way() -> None:
    absent = replace(leaders([0.0, 1e4, 0.0], [0.2, 30.0, 0.0]), present=np.array([True, False]))
    assert positions(car(tracked=absent, values={"target": 2}).run(FPS * 14))[-1, 0, 1] > 35.0


def test_an_obstacle_that_stops_in_the_way_still_counts_as_one_that_moves() -> None:
    place = car(((-4.0, 14.0, 0.0), (2.0, 0.0, 0.0)), {"obstacles": MOVING})

    def stops(frame, snapshot):
        still = replace(snapshot.obstacles, start=np.array([[0.0, 14.0, 0.0]]), end=np.array([[0.0, 14.0, 0.0]]))
        return snapshot if frame < FPS * 2 else replace(snapshot, obstacles=still)

    states = place.run(FPS * 8, at=stops)
    assert positions(states)[-1, 0, 1] < 14.0 - 2.0 * R - 0.2
    standing = car(((0.0, 14.0, 0.0), (0.0, 0.0, 0.0)), {"obstacles": MOVING})
    assert positions(standing.run(FPS * 8))[-1, 0, 1] > 20.0


def test_what_it_carries_itself_is_not_in_its_way() -> None:
    ball = obstacles(np.array([[0.0, 2.0, 0.0]]), 0.5, carrier=np.array([0]))
    assert not car(obstacles=ball).steering()[1].any()


def test_four_that_wait_for_each_other_in_a_ring_go_on() -> None:
    """Each stands beside the way of the next, and none faces another."""
    outward = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
    forward = np.roll(outward, -1, axis=0)
    place = Scene(
        outward * (2.0 * R + 0.1),
        fps=FPS,
        forward=forward,
        speed=0.0,
        behaviors=[(Seek, {"target": [4, 5, 6, 7]}), (BrakeFor, {"clearance": 0.5})],
        tracked=leaders(*(outward * (2.0 * R + 0.1) + 1e4 * forward)),
        locomotions=[(Planar, {})],
    )
    at = positions(place.run(FPS * 12))
    assert (np.linalg.norm(at[-1] - at[0], axis=1) > 5.0).all()


AHEAD = 20.0
"""Metres to what is in the way of an agent that cruises at 4 m/s."""


def allowed(situation: int, own_speed: float = 4.0, **changes: object) -> float:
    """The speed that an agent is allowed before a body in a situation, m/s."""
    _, agents, [_, behavior] = car(speed=own_speed, vehicle={"max_speed": 5.0, "max_force": 2.0}).seen()
    columns = {"pair": 0, "agent": 0, "body": 1, "situation": situation, "ahead": AHEAD, "along": 0.0, "speed": 0.0}
    columns |= {"touching": 1.0, "clearance": 0.5, "enters": 0.0, "leaves": np.inf, "ours": False, "waited": 0.0}
    bodies = InTheWay(**{name: np.array([value]) for name, value in (columns | changes).items()})
    return float(behavior.allowed(agents, bodies)[0])


def test_before_what_crosses_it_can_stop_with_its_gap() -> None:
    """v^2 = 2 b room, with half of the 2 m/s2 that it has."""
    assert allowed(CROSSES, 5.0, ahead=9.5) == pytest.approx(np.sqrt(2.0 * 1.0 * (9.5 - 1.0 - 0.5)))
    assert allowed(CROSSES, ahead=0.0) == np.inf, "what is not ahead is passed"


@pytest.mark.parametrize("situation", range(len(SITUATIONS)))
def test_it_never_speeds_up_toward_what_is_in_its_way(situation: int) -> None:
    for ahead in np.linspace(0.5, AHEAD, 20):
        for speed in (0.0, 1.0, 4.0):
            limit = allowed(situation, speed, ahead=ahead)
            assert limit >= 5.0 or limit <= max(speed, CREEP * 4.0) + 1e-9


def test_it_follows_what_leads_at_its_speed() -> None:
    assert allowed(LEADS, ahead=1.5, along=2.0) == 2.0
    assert allowed(CROSSES, ahead=1.5, along=2.0, leaves=1e9) < 1e-6


def test_before_what_faces_it_it_keeps_room_to_steer_past() -> None:
    """As much as its own body is long."""
    for ahead in (4.0, 8.0):
        assert allowed(ONCOMING, ahead=ahead + 2.0 * R) == allowed(CROSSES, ahead=ahead)


@pytest.mark.parametrize("situation", range(len(SITUATIONS)))
def test_once_it_has_waited_it_creeps_past_only_what_it_can_pass(situation: int) -> None:
    assert allowed(situation, 0.0, ahead=1.5) == 0.0
    creeping = CREEP * 4.0 if situation in (ONCOMING, BESIDE) else 0.0
    assert allowed(situation, 0.0, ahead=1.5, waited=PATIENCE) == creeping


def test_it_passes_before_what_comes_later_and_after_what_is_gone_sooner() -> None:
    assert allowed(CROSSES, ahead=5.0, enters=3.0, leaves=4.0) == np.inf
    assert allowed(CROSSES, ahead=11.5, enters=1.0, leaves=2.5) == (11.5 - 1.5) / 2.5


def test_one_that_would_stop_in_the_way_of_its_crowd_drives_out_if_that_can_stop_for_it() -> None:
    blocking = {"ahead": 3.0, "enters": 0.7, "leaves": 3.0, "speed": 0.5}
    assert allowed(CROSSES, **blocking) < 4.0
    assert allowed(CROSSES, **blocking, ours=True) == np.inf
    assert allowed(CROSSES, **blocking | {"speed": 4.0}, ours=True) < 4.0, "one that cannot stop any more is let pass"


@pytest.mark.parametrize(
    ("time", "before", "slow", "after"),
    [
        (0.5, True, True, 0.6),
        (0.5, True, False, 0.5),
        (PATIENCE, True, False, PATIENCE + 0.1),
        (PATIENCE + FORGETS, True, True, PATIENCE + FORGETS),
        (0.5, False, True, 0.4),
        (0.05, False, False, 0.0),
    ],
)
def test_patience_runs_out_while_it_is_slow_before_others_and_comes_back_without_them(
    time: float, before: bool, slow: bool, after: float
) -> None:
    columns = (np.array([value]) for value in (time, before, slow))
    assert wait_on(*columns, 0.1) == pytest.approx(after)


def meeting(cosine: float, aside: float, ahead: float, speed: float = 2.0) -> Scene:
    """Two vehicles, of which the second is ahead of the first, to its right, and heads at an angle to its left."""
    sine = np.sqrt(1.0 - cosine * cosine)
    return Scene(
        [[0.0, 0.0, 0.0], [aside, ahead, 0.0]],
        fps=FPS,
        forward=[[0.0, 1.0, 0.0], [-sine, cosine, 0.0]],
        speed=[4.0, speed],
        behaviors=[(Seek, {"target": [2, 3]}), (BrakeFor, {"clearance": 0.5})],
        tracked=leaders([0.0, 1e4, 0.0], [aside - 1e4 * sine, ahead + 1e4 * cosine, 0.0]),
        locomotions=[(Planar, {})],
    )


@pytest.mark.parametrize(
    ("place", "brakes"),
    [
        (meeting(0.0, 2.5, 3.0, speed=4.0), (True, False)),  # the one from the right goes first
        (meeting(0.0, 2.0, 1.0, speed=4.0), (True, True)),  # unless it can no longer stop: then both brake
        (meeting(0.5, 2.5, 1.0, speed=4.0), (False, True)),  # where two ways merge, the one that is nearer
        (meeting(0.4, 4.0, 2.0, speed=4.0), (False, False)),
        (meeting(1.0, 0.0, 3.0), (False, False)),  # Keep Distance knows who goes the same way
        (meeting(-1.0, 0.0, 6.0), (True, True)),  # both that face each other wait
        (meeting(-1.0, 2.0 * R + 0.1, 6.0), (False, False)),  # what is oncoming keeps to its lane
    ],
)
def test_who_gives_way_to_whom(place: Scene, brakes: tuple[bool, bool]) -> None:
    assert tuple(place.steering()[1].any(axis=1).tolist()) == brakes


def test_two_that_meet_in_one_lane_get_past_each_other() -> None:
    at = positions(meeting(-1.0, 0.0, 20.0, speed=4.0).run(FPS * 12))
    assert at[-1, 0, 1] > 20.0 and at[-1, 1, 1] < 0.0
