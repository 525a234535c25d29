"""Leader following (paper): near the leader without crowding it, out of its way, and without contacts."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.behaviors.leader_following import LeaderFollowing
from steering_addon.simulation.nearby.neighbors import EVERYONE
from tests.scene import Scene, all_of, leaders, locked, positions, velocities

FPS = 12
ALONE = {"separation": 0.0, "clearing_distance": 0.0}
"""Switches off everything but the place behind the leader."""


def followers(n: int = 12, drift=(0.0, 3.0, 0.0), seed: int = 0, values=None, **changes) -> Scene:
    """Followers around a leader that goes straight on."""
    rng = np.random.default_rng(seed)
    given = {
        "position": rng.uniform((-8.0, -20.0, -3.0), (8.0, -6.0, 3.0), (n, 3)),
        "speed": 3.0,
        "tracked": leaders([0.0, 0.0, 0.0]),
        "drift": drift,
        "behaviors": [(LeaderFollowing, values or {})],
        "fps": FPS,
    }
    return Scene(**(given | changes))


def offsets(place: Scene, frames: int) -> np.ndarray:
    """Their offsets from the leader, (frames, n, 3)."""
    leader = np.array([place.snapshot(frame).tracked.position[0] for frame in range(frames)])
    return positions(place.run(frames)) - leader[:, None]


def test_with_a_time_behind_a_fast_leader_is_followed_at_a_larger_distance() -> None:
    values = {"spread": 0.0, "behind": 2.0, "behind_time": 1.5, **ALONE}
    offset = offsets(followers(values=values), FPS * 15)
    assert np.abs(offset[-1] - (0.0, -2.5 - 1.5 * 3.0, 0.0)).max() < 0.05


def test_they_go_as_fast_as_the_leader() -> None:
    last = velocities(followers(values=ALONE).run(FPS * 15))[-1]
    assert np.abs(last - (0.0, 3.0, 0.0)).max() < 0.05


def test_followers_in_the_rectangle_ahead_of_the_leader_steer_aside() -> None:
    start = [[0.3, 3.0, 0.0], [-0.3, 3.0, 0.0], [0.3, 6.5, 0.0], [2.6, 3.0, 0.0], [0.3, -3.0, 0.0]]
    values = {"clearing_distance": 6.0, "clearing_width": 2.0, "separation": 0.0}
    place = followers(5, position=start, values=values)
    clearing = place.steering()[0]
    following = replace(place, behaviors=[(LeaderFollowing, {**values, "clearing_distance": 0.0})]).steering()[0]
    assert clearing[0, 0] > 0.0 > clearing[1, 0], "away from the leader's path, each to its side"
    assert np.abs(clearing[:2, 1:]).max() < 1e-12, "laterally"
    assert np.array_equal(clearing[2:], following[2:]), "it does not apply too far ahead, to the side and behind"


def test_the_choice_of_neighbors_decides_which_count() -> None:
    place = followers(
        1, position=[[0.0, -9.0, 0.0]], tracked=all_of(leaders([0.0, 0.0, 0.0]), locked([0.5, -9.0, 0.0], crowd=4))
    )
    same_crowd = replace(place, behaviors=[(LeaderFollowing, {})]).steering()[0]
    everyone = replace(place, behaviors=[(LeaderFollowing, {"neighbors": EVERYONE})]).steering()[0]
    assert everyone[0, 0] < same_crowd[0, 0]


@pytest.mark.parametrize("n", [1, 2])
def test_a_vehicle_may_lead_and_does_not_follow_itself(n: int) -> None:
    place = followers(n, tracked=leaders(), values={"leader": 0})
    force = place.steering()[0]
    assert (force[0] == 0.0).all()
    assert n == 1 or (force[1] != 0.0).any()


def test_its_way_is_as_wide_as_the_clearing_and_both_bodies_and_its_edge_is_gentle() -> None:
    """The rectangle reaches to 1 + 0.5 + 0.4 metres on each side; near its edge the push aside is weak."""
    start = [[1.895, 3.0, 0.0], [-1.895, 3.0, 0.0], [1.905, 3.0, 0.0]]
    values = {"clearing_distance": 6.0, "clearing_width": 2.0, "separation": 0.0}
    place = followers(3, position=start, values=values, vehicle={"radius": 0.4})
    clearing = place.steering()[0]
    following = replace(place, behaviors=[(LeaderFollowing, {**values, "clearing_distance": 0.0})]).steering()[0]
    assert 0.0 < clearing[0, 0] < 1.0 and -1.0 < clearing[1, 0] < 0.0
    assert (clearing[:2, 1:] == 0.0).all()
    assert np.array_equal(clearing[2], following[2])


def test_near_its_place_the_force_is_the_change_of_velocity_in_the_response_time() -> None:
    def force(response_time: float) -> np.ndarray:
        values = {
            "leader": 1,
            "response_time": response_time,
            "spread": 0.0,
            "strength": 100.0,
            "clearing_distance": 0.0,
        }
        return Scene(
            [[1.0, -8.0, 0.0]], behaviors=[(LeaderFollowing, values)], tracked=leaders([0.0, 0.0, 0.0])
        ).steering()[0]

    assert np.abs(force(0.5)).max() > 0.1
    assert force(1.0) == pytest.approx(0.5 * force(0.5))


def test_a_way_of_less_than_a_metre_is_kept_free_as_well() -> None:
    values = {"clearing_distance": 0.8, "separation": 0.0}
    near, before = (followers(1, position=[[0.3, y, 0.0]], values=values).steering()[0][0] for y in (0.4, 0.81))
    assert near[0] > 0.0 and (near[1:] == 0.0).all()
    assert before[1] < 0.0
