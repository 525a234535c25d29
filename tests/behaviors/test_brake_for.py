"""Brake for (ours): slows down for crossing traffic, and does not go round it."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.behaviors.brake_for import ALL, MOVING, NONE, BrakeFor
from steering_addon.behaviors.seek import Seek
from steering_addon.locomotion import Planar
from steering_addon.simulation.geometry.obstacles import INSIDE, boxes, obstacles
from steering_addon.simulation.nearby.neighbors import OWN_CROWD
from tests.sampling import sampled, thorough
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


@sampled
@pytest.mark.parametrize("combining", (0, 1, 4))
def test_it_stops_before_a_standing_obstacle_and_does_not_go_round(combining: int) -> None:
    states = car(((0.2, 40.0, 0.0), (0.0, 0.0, 0.0)), combining=combining).run(FPS * 20)
    last = positions(states)[-1, 0]
    assert 40.0 - 2.0 * R - 0.5 - 0.6 < last[1] < 40.0 - 2.0 * R - 0.3
    assert np.abs(positions(states)[..., 0]).max() < 0.01
    assert speeds(states)[-1] < 0.05


def test_it_lets_a_crossing_deer_pass_and_then_continues() -> None:
    place = car(((-14.4, 40.0, 0.0), (1.8, 0.0, 0.0)))
    states = place.run(FPS * 20)
    deer = np.array([place.snapshot(frame).obstacles.start[0] for frame in range(len(states))])
    gap = np.linalg.norm(positions(states)[:, 0] - deer, axis=1) - 2.0 * R
    assert gap.min() > 0.2
    unbraked = replace(place, behaviors=place.behaviors[:1]).run(FPS * 20)
    assert (np.linalg.norm(positions(unbraked)[:, 0] - deer, axis=1) - 2.0 * R).min() < 0.0
    assert speeds(states)[FPS * 3 : FPS * 10].min() < 3.5
    assert positions(states)[-1, 0, 1] > 60.0
    assert speeds(states)[-1] > 4.5


def test_it_stays_behind_an_obstacle_that_goes_the_same_way() -> None:
    place = car(((0.2, 12.0, 0.0), (0.0, 2.0, 0.0)))
    states = place.run(FPS * 15)
    ahead = np.array([place.snapshot(frame).obstacles.start[0, 1] for frame in range(len(states))])
    gap = ahead - positions(states)[:, 0, 1] - 2.0 * R
    assert gap.min() > 0.3
    assert speeds(states)[-1] == pytest.approx(2.0, abs=0.1)
    assert gap[-1] < 4.0, "it keeps up"


@pytest.mark.parametrize("along", (0.0, 1.2, 2.5))
def test_what_crosses_its_way_at_an_angle_is_not_hit(along: float) -> None:
    place = car(((-9.0, 22.0 - 4.5 * along, 0.0), (2.0, along, 0.0)))

    def least_gap(place: Scene) -> float:
        states = place.run(FPS * 12)
        deer = np.array([place.snapshot(frame).obstacles.start[0] for frame in range(len(states))])
        return float((np.linalg.norm(positions(states)[:, 0] - deer, axis=1) - 2.0 * R).min())

    assert least_gap(replace(place, behaviors=place.behaviors[:1])) < 0.0
    assert least_gap(place) > 0.2


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
    last = positions(car(obstacles=box).run(FPS * 14))[-1, 0]
    assert last[1] == pytest.approx(28.0 - R - 0.5, abs=0.25)
    room = replace(boxes(np.zeros((1, 3)), np.array([[20.0, 25.0, 5.0]])), side=np.array([INSIDE]))
    states = car(obstacles=room).run(FPS * 14)
    assert positions(states)[-1, 0, 1] == pytest.approx(25.0 - R - 0.5, abs=0.25)
    assert speeds(states)[FPS * 2] > 4.9, "in the middle of the room it does not brake"


def test_vehicles_of_every_crowd_count_by_default() -> None:
    other = locked([0.0, 3.0, 0.0], forward=(1.0, 0.0, 0.0), crowd=3)
    assert car(tracked=other, values={}).steering()[1].any()
    assert not car(tracked=other, values={"neighbors": OWN_CROWD}).steering()[1].any()


def test_at_a_crossing_the_vehicle_from_the_right_goes_first() -> None:
    place = Scene(
        [[0.0, -20.0, 0.0], [20.0, 0.0, 0.0]],
        fps=FPS,
        forward=[[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]],
        speed=4.0,
        behaviors=[(Seek, {"target": [2, 3]}), (BrakeFor, {})],
        tracked=leaders([0.0, 1e4, 0.0], [-1e4, 0.0, 0.0]),
        locomotions=[(Planar, {})],
    )
    states = place.run(FPS * 15)
    at = positions(states)
    assert np.linalg.norm(at[:, 0] - at[:, 1], axis=1).min() > 2.0 * R
    first = [np.argmax(at[:, 0, 1] > 0.0), np.argmax(at[:, 1, 0] < 0.0)]
    assert first[1] < first[0]
    assert speeds(states)[:, 1].min() > 3.9, "it does not have to slow down"
    assert (speeds(states)[-1] > 4.5).all()


def test_at_a_crossing_one_that_would_stop_in_the_way_drives_out_of_it_and_the_other_brakes() -> None:
    def crossing(way: float, other: float) -> tuple[np.ndarray, np.ndarray]:
        """By frame, where both are, and their speeds: one comes from the left, the other from the right."""
        place = Scene(
            [[0.0, -way, 0.0], [other, 0.0, 0.0]],
            fps=SMOOTH,
            forward=[[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]],
            speed=4.0,
            behaviors=[(Seek, {"target": [2, 3]}), (BrakeFor, {})],
            tracked=leaders([0.0, 1e4, 0.0], [-1e4, 0.0, 0.0]),
            locomotions=[(Planar, {})],
            vehicle={"max_force": 4.0, "max_speed": 4.0},
        )
        states = place.run(SMOOTH * 5)
        assert np.linalg.norm(positions(states)[:, 0] - positions(states)[:, 1], axis=1).min() > 2.0 * R
        return positions(states), speeds(states)

    at, speed = crossing(2.0, 5.0)
    assert np.argmax(at[:, 0, 1] > 0.0) < np.argmax(at[:, 1, 0] < 0.0)
    assert speed.min() > 3.2, "neither stops"
    at, speed = crossing(12.0, 14.5)
    assert np.argmax(at[:, 0, 1] > 0.0) > np.argmax(at[:, 1, 0] < 0.0)
    assert speed[:, 0].min() < 0.1, "there is time to give way"
    assert speed[:, 1].min() > 3.9


def test_where_two_ways_merge_the_nearer_goes_first_also_before_one_from_the_right() -> None:
    """It is slower: the other has to let it in, and neither stops."""
    headings = np.array([[0.0, 1.0, 0.0], [-np.sqrt(0.75), 0.5, 0.0]])
    place = Scene(
        -headings * [[14.0], [20.0]],
        fps=FPS,
        forward=headings,
        speed=[3.0, 4.0],
        behaviors=[(Seek, {"target": [2, 3]}), (BrakeFor, {})],
        tracked=leaders(*(1e4 * headings)),
        locomotions=[(Planar, {})],
        vehicle={"max_speed": [3.0, 4.5]},
    )
    states = place.run(FPS * 15)
    at = positions(states)
    assert np.linalg.norm(at[:, 0] - at[:, 1], axis=1).min() > 2.0 * R
    first = [int(np.argmax(at[:, row] @ headings[row] > 0.0)) for row in range(2)]
    assert 0 < first[0] < first[1]
    assert speeds(states)[:, 0].min() > 2.9 and speeds(states)[:, 1].min() > 0.5


def test_the_size_of_other_bodies_does_not_matter() -> None:
    """A large target far ahead does not cross."""
    start = {"position": [[0.0, 0.0, 0.0], [0.0, 16.0, 0.0]], "forward": [[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]]}
    place = car(behaviors=[(Seek, {"target": [2, 3]}), (BrakeFor, {})], speed=2.0, **start)
    place.tracked = leaders([0.0, 1e4, 0.0], [0.0, -1e4, 0.0])
    large = replace(place, tracked=replace(place.tracked, radius=np.full(2, 20.0)))
    assert speeds(place.run(FPS * 4))[-1].max() < 1.0
    assert positions(place.run(FPS * 4)).tobytes() == positions(large.run(FPS * 4)).tobytes()


@thorough
def test_it_sees_at_least_the_distance_that_it_takes_to_stop_and_never_speeds_up_toward_what_stands_there() -> None:
    """At 14 m/s with 4 m/s2 that takes 24.5 m at least; the distance says 5."""
    strength = {"max_speed": 14.0, "max_force": 4.0}
    for speed in (10.0, 14.0):
        place = car(((0.0, 70.0, 0.0), (0.0, 0.0, 0.0)), {"distance": 5.0}, vehicle=strength, fps=SMOOTH, speed=speed)
        states = place.run(SMOOTH * 25)
        assert positions(states)[:, 0, 1].max() < 70.0 - 2.0 * R - 0.3
        near = positions(states)[:-1, 0, 1] > 70.0 - 50.0
        assert np.diff(speeds(states)[:, 0])[near].max() < 1e-6
        assert np.diff(speeds(states)[:, 0]).min() * SMOOTH > -3.6, "with a reserve"


def test_an_object_without_a_role_counts_if_it_is_the_target() -> None:
    stranger = leaders([0.0, 1e4, 0.0], [0.2, 30.0, 0.0])
    assert positions(car(tracked=stranger).run(FPS * 14))[-1, 0, 1] > 35.0
    states = car(tracked=stranger, values={"target": 2}).run(FPS * 14)
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


def test_two_that_meet_in_one_lane_stop_and_then_creep_past_each_other() -> None:
    place = Scene(
        [[0.0, 0.0, 0.0], [0.0, 40.0, 0.0]],
        fps=FPS,
        forward=[[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]],
        speed=4.0,
        behaviors=[(Seek, {"target": [2, 3]}), (BrakeFor, {})],
        tracked=leaders([0.0, 1e4, 0.0], [0.0, -1e4, 0.0]),
        locomotions=[(Planar, {})],
    )
    states = place.run(FPS * 20)
    assert speeds(states).min() < 1.0
    assert positions(states)[-1, 0, 1] > 40.0
    assert positions(states)[-1, 1, 1] < 0.0


@sampled
@pytest.mark.parametrize(("aside", "passes"), [(2.0 * R + 0.1, True), (2.0 * R - 0.1, False)])
def test_it_creeps_past_a_vehicle_that_stands_beside_its_way_but_not_into_one_in_its_way(
    aside: float, passes: bool
) -> None:
    place = Scene(
        [[0.0, 0.0, 0.0], [aside, 30.0, 0.0]],
        fps=FPS,
        forward=[[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]],
        speed=[4.0, 0.0],
        behaviors=[(Seek, {"target": 2, "weight": [1.0, 0.0]}), (BrakeFor, {"clearance": 0.5})],
        tracked=leaders([0.0, 1e4, 0.0]),
        vehicle={"max_speed": [5.0, 0.001]},
        locomotions=[(Planar, {})],
    )
    states = place.run(FPS * 20)
    at = positions(states)
    assert (at[-1, 0, 1] > 40.0) == passes
    assert np.linalg.norm(at[:, 0] - at[:, 1], axis=1).min() >= 2.0 * R
    assert speeds(states)[FPS * 5 : FPS * 10, 0].min() < 1.0, "it waits first"


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
    at = positions(place.run(FPS * 20))
    assert (np.linalg.norm(at[-1] - at[0], axis=1) > 5.0).all()
