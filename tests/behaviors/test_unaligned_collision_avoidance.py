"""Unaligned collision avoidance (paper): predict the nearest approach; turn and hurry or slow down to prevent it."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.unaligned_collision_avoidance import PAPER, UnalignedCollisionAvoidance
from steering_addon.locomotion import Planar, SimpleVehicle
from steering_addon.simulation.nearby.neighbors import EVERYONE
from tests.sampling import sampled
from tests.scene import Scene, leaders, locked, positions

RADIUS = 0.5
"""The default of the vehicle, metres."""

AS_IN_THE_PAPER = {"method": PAPER, "distance": 8.0, "look_ahead_time": 3.0, "clearance": 0.3}


def walkers(position, forward, speed=4.0, **changes) -> Scene:
    given = {
        "behaviors": [(UnalignedCollisionAvoidance, AS_IN_THE_PAPER)],
        "locomotions": [(Planar, {})],
    }
    return Scene(position, forward=forward, speed=speed, **(given | changes))


def nearest(place: Scene, frames: int = 24 * 5) -> float:
    path = positions(place.run(frames))
    gaps = np.linalg.norm(path[:, :, None] - path[:, None], axis=-1) + 1e9 * np.eye(len(place))
    return float(gaps.min())


@sampled
@pytest.mark.parametrize("degrees", [30.0, 60.0, 90.0, 120.0, 150.0, 180.0])
@pytest.mark.parametrize("late", [0.0, 0.2, 0.6])
def test_two_on_a_crossing_course_pass_without_contact(degrees: float, late: float) -> None:
    """They would meet in two seconds, one of them up to 0.6 m late; without it they run into each other."""
    angle = np.radians(degrees)
    headings = np.array([[0.0, 1.0, 0.0], [np.sin(angle), np.cos(angle), 0.0]])
    place = walkers(-(8.0 + np.array([[0.0], [late]])) * headings, headings)
    assert nearest(replace(place, behaviors=[])) < 2.0 * RADIUS
    assert nearest(place) >= 2.0 * RADIUS


def test_head_on_both_pass_on_their_right() -> None:
    place = walkers([[0.0, 0.0, 0.0], [0.0, 12.0, 0.0]], [[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]])
    path = positions(place.run(24 * 4))
    passing = int(np.argmax(path[:, 0, 1] > path[:, 1, 1]))
    assert passing > 0
    assert path[passing, 0, 0] > 0.3
    assert path[passing, 1, 0] < -0.3
    assert nearest(place) >= 2.0 * RADIUS


def test_agents_that_part_or_go_side_by_side_do_nothing() -> None:
    parting = walkers([[0.0, 0.0, 0.0], [0.8, 0.0, 0.0]], [[-1.0, 0.5, 0.0], [1.0, 0.5, 0.0]])
    assert (parting.steering()[0] == 0.0).all()
    side_by_side = walkers([[0.0, 0.0, 0.0], [0.8, 0.0, 0.0]], [0.0, 1.0, 0.0])
    assert (side_by_side.steering()[0] == 0.0).all()


def test_others_that_pass_with_room_or_much_later_do_not_matter() -> None:
    def force(gap: float, ahead: float, **values: float) -> np.ndarray:
        place = walkers([[0.0, 0.0, 0.0], [gap, ahead, 0.0]], [[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]], speed=1.0)
        values = AS_IN_THE_PAPER | {"distance": 100.0, **values}
        return replace(place, behaviors=[(UnalignedCollisionAvoidance, values)]).steering()[0]

    assert (force(0.2, 5.0) != 0.0).any()
    assert (force(1.31, 5.0) == 0.0).all(), "1 m of bodies and 0.3 m of clearance"
    assert (force(1.29, 5.0) != 0.0).any()
    assert (force(0.2, 6.1) == 0.0).all(), "they meet after three seconds"
    assert (force(0.2, 5.9) != 0.0).any()
    assert (force(0.2, 5.0, distance=4.0) == 0.0).all(), "too far to be seen"


def test_only_the_first_of_several_meetings_counts() -> None:
    """A later meeting changes nothing, whether it comes before or after the first in the list of neighbors."""
    me, first, later = [0.0, 0.0, 0.0], [0.3, 4.0, 0.0], [-0.2, 7.0, 0.0]
    ways = [[0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [0.0, -1.0, 0.0]]
    both = walkers([me, first, later], ways, speed=2.0).steering()[0][0]
    swapped = walkers([me, later, first], ways, speed=2.0).steering()[0][0]
    only = walkers([me, first], ways[:2], speed=2.0).steering()[0][0]
    other = walkers([me, later], ways[:2], speed=2.0).steering()[0][0]
    assert np.array_equal(both, only)
    assert np.array_equal(swapped, only)
    assert only[0] < 0.0 < other[0], "to opposite sides"


def test_sooner_and_closer_meetings_steer_harder_up_to_the_weight() -> None:
    def strength(gap: float, distance: float) -> float:
        place = walkers([[0.0, 0.0, 0.0], [gap, distance, 0.0]], [[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]], speed=1.0)
        return float(np.linalg.norm(place.steering()[0][0]))

    assert strength(0.2, 1.0) > strength(0.2, 3.0) > strength(0.2, 5.0) > 0.0
    assert strength(0.1, 3.0) > strength(0.5, 3.0) > strength(1.2, 3.0) > 0.0
    assert strength(0.01, 0.1) <= 1.0


def test_it_lets_pass_what_it_meets_ahead_and_outruns_what_comes_from_behind() -> None:
    """The speed changes, too."""
    ahead = walkers([[0.0, 0.0, 0.0], [4.0, 4.2, 0.0]], [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]], speed=2.0)
    assert ahead.steering()[0][0, 1] < 0.0
    behind = walkers([[0.0, 0.0, 0.0], [0.2, -4.0, 0.0]], [0.0, 1.0, 0.0], speed=[2.0, 4.0])
    assert behind.steering()[0][0, 1] > 0.0


def test_in_a_dead_heat_who_comes_from_the_right_goes_first() -> None:
    """Both would do the same otherwise, and still meet."""
    headings = np.array([[0.6, 0.8, 0.0], [-0.6, 0.8, 0.0]])
    place = walkers(-6.0 * headings, headings, speed=3.0)
    forward = (place.steering()[0] * headings).sum(axis=1)
    assert forward[0] < 0.0 < forward[1]


def test_those_on_the_ground_and_those_in_the_air_choose_as_if_the_others_were_far_away() -> None:
    """Those on the ground are jammed: they want to pass through the middle where they stand."""
    angle = np.arange(6) * np.pi / 3.0
    ring = np.stack((np.cos(angle), np.sin(angle), 0.0 * angle), axis=-1)
    air = np.array([[900.0, 0.0, 5.0], [900.3, 9.0, 5.0]])
    on_ground = np.arange(8) < 6
    behaviors = [
        (Seek, {"target": np.where(on_ground, 8, 10 - np.arange(8) % 2)}),
        (UnalignedCollisionAvoidance, {"reaction_time": 0.0}),
    ]
    place = walkers(
        np.concatenate((1.1 * ring, air)),
        np.concatenate((-ring, [[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]])),
        np.where(on_ground, 0.5, 4.0),
        vehicle={"keep_apart": True},
        locomotions=[(SimpleVehicle, {}), (Planar, {})],
        locomotion_row=on_ground * 1,
        tracked=leaders([0.0, 0.0, 0.0], [900.0, -30.0, 5.0], [900.0, 40.0, 5.0]),
        behaviors=behaviors,
    )
    together = positions(place.run(36))
    moved = np.abs(together[-1] - together[0])
    assert moved[6:, 1].min() > 5.0 and moved[6:, 0].min() > 0.05, "they give way"
    for rows in (np.arange(6), np.arange(6, 8)):
        assert np.allclose(together[:, rows], positions(place.take(rows).run(36)), atol=1e-9)


def test_a_standing_agent_in_the_way_is_passed() -> None:
    place = walkers([[0.0, 0.0, 0.0]], [0.0, 1.0, 0.0], tracked=locked([0.1, 8.0, 0.0], crowd=4))
    assert (place.steering()[0] == 0.0).all(), "another crowd"
    place = replace(
        place, behaviors=[(UnalignedCollisionAvoidance, AS_IN_THE_PAPER | {"weight": 6.0, "neighbors": EVERYONE})]
    )
    path = positions(place.run(24 * 4))[:, 0]
    assert np.linalg.norm(path - (0.1, 8.0, 0.0), axis=1).min() >= RADIUS + 0.5
    assert path[-1, 1] > 9.0


def test_flyers_may_pass_above_each_other() -> None:
    way = [[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]]
    place = walkers([[0.0, 0.0, 0.0], [0.0, 5.0, 0.4]], way, locomotions=[(SimpleVehicle, {})])
    lower, upper = place.steering()[0]
    assert lower[2] < 0.0 < upper[2]


@pytest.mark.parametrize("substeps", [1, 4])
def test_the_push_grows_gradually_and_ends(substeps: int) -> None:
    place = walkers([[0.3, 0.0, 0.0], [0.0, 12.0, 0.0]], [[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]], speed=2.0)
    states = replace(place, substeps=substeps).run(24 * 3)
    push = np.array([state.memories["unaligned_collision_avoidance"].push[0, 0] for state in states[1:]])
    begun = int(np.argmax(push > 0.0))
    assert 0 < begun < 48
    assert push[begun] < 0.4 * push[begun : begun + 12].max()
    assert (push[-12:] == 0.0).all()
