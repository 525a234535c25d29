"""With a pre-roll, those who follow set off about their leader as they were placed about him, at his velocity."""

import numpy as np
import pytest

from steering_addon.behaviors.leader_following import LeaderFollowing
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.shadow import Shadow
from steering_addon.locomotion import Planar
from steering_addon.simulation.setting_off import setting_off
from steering_addon.simulation.snapshot import State
from tests.scene import Scene, leaders, velocities

LEADER = np.array([3.0, 6.0, 1.2])
"""Metres a second at which the leader goes, on his way to the origin."""
PLACES = [[-2.0, -3.0, 0.0], [2.0, -4.0, 1.0], [0.0, 5.0, -1.0]]
PACE = float(np.linalg.norm(LEADER))
FORWARD = (0.0, -1.0, 0.0)
BEHIND = {"spread": 0.0, "behind": 2.0}
PREROLL = 48
SECONDS = PREROLL / 24.0


def placed(**changes) -> Scene:
    """Three who face other ways than their leader goes."""
    given = {
        "position": PLACES,
        "forward": [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], -LEADER],
        "speed": 4.0,
        "tracked": leaders([0.0, 0.0, 0.0]),
        "drift": LEADER,
        "behaviors": [(LeaderFollowing, {})],
        "vehicle": {"max_speed": 12.0, "max_force": 20.0},
    }
    return Scene(**(given | changes))


def begun(scene: Scene, *preroll: int) -> State:
    """The state in which they set off; without numbers of frames all have the whole pre-roll."""
    snapshots = [scene.snapshot(frame) for frame in range(-PREROLL, 1)]
    return setting_off(scene.start(), snapshots, np.array(preroll) if preroll else None)


@pytest.mark.parametrize("behavior", [LeaderFollowing, Shadow])
def test_they_set_off_about_their_leader_as_they_were_placed(behavior) -> None:
    """They are no faster than he, and so could make up nothing."""
    motion = begun(placed(behaviors=[(behavior, {})], vehicle={"max_speed": PACE})).motion
    assert np.allclose(motion.position, PLACES - SECONDS * LEADER)
    assert np.allclose(motion.velocity, LEADER)
    assert np.allclose(motion.forward, LEADER / PACE)
    axes = np.stack((motion.side, motion.forward, motion.up), axis=-1)
    assert np.allclose(np.swapaxes(axes, 1, 2) @ axes, np.eye(3)) and np.allclose(np.linalg.det(axes), 1.0)


def test_they_are_nearer_to_their_places_by_what_they_make_up_in_as_long_a_time() -> None:
    scene = placed(position=[*PLACES, [0.0, -60.0, 0.0]], forward=FORWARD, behaviors=[(LeaderFollowing, BEHIND)])
    leader = -SECONDS * LEADER
    place = leader - 2.5 * scene.tracked.forward[0]
    motion = begun(scene).motion
    assert np.allclose(motion.position[:3], place), "all have one place, as far behind him as his radius adds"
    assert np.allclose(motion.position[3] - leader, (0.0, -60.0 + SECONDS * (12.0 - PACE), 0.0))


def test_those_who_go_along_with_a_quarry_come_as_near_as_they_keep() -> None:
    gap = begun(placed(behaviors=[(Shadow, {"distance": 3.0})])).motion.position + SECONDS * LEADER
    assert np.allclose(np.linalg.norm(gap, axis=1), 3.0)


def test_each_sets_off_where_its_leader_is_when_its_own_preroll_begins() -> None:
    scene = placed(vehicle={"max_speed": PACE})
    motion = begun(scene, PREROLL, 12, 0).motion
    assert np.allclose(motion.position, PLACES - np.array([[SECONDS], [0.5], [0.0]]) * LEADER)
    assert np.allclose(motion.velocity, [LEADER, LEADER, scene.start().motion.velocity[2]])


def test_no_one_sets_off_faster_than_it_can_go() -> None:
    velocity = begun(placed(vehicle={"max_speed": 2.0}, speed=1.0)).motion.velocity
    assert np.allclose(velocity, 2.0 * LEADER / PACE)


def test_on_the_ground_they_stay_at_their_height() -> None:
    motion = begun(placed(locomotions=[(Planar, {})], vehicle={"max_speed": float(np.hypot(3.0, 6.0))})).motion
    assert np.allclose(motion.position[:, 2], np.array(PLACES)[:, 2])
    assert np.allclose(motion.position[:, :2], (PLACES - SECONDS * LEADER)[:, :2])
    assert np.allclose(motion.velocity, LEADER * (1.0, 1.0, 0.0))


@pytest.mark.parametrize(
    "changes",
    [
        {"drift": (0.0, 0.0, 0.0)},
        {"behaviors": [(Seek, {"target": 3})]},
        {"behaviors": [(LeaderFollowing, {"weight": 0.0})]},
    ],
    ids=["a leader at rest", "who only seeks", "without weight"],
)
def test_all_others_set_off_where_they_were_placed(changes) -> None:
    scene = placed(**changes)
    start, state = scene.start().motion, begun(scene).motion
    for name in vars(start):
        assert (getattr(start, name) == getattr(state, name)).all()


def test_after_a_usual_preroll_a_flock_goes_at_the_speed_of_its_leader() -> None:
    """Most face the wrong way and would still be turning round otherwise."""
    chance = np.random.default_rng(1)
    flock = {"position": chance.normal(size=(20, 3)) * 3.0, "forward": chance.normal(size=(20, 3))}
    scene = placed(**flock)
    speed = velocities(scene.run(1, preroll=PREROLL))[0] @ LEADER / PACE
    assert speed.mean() == pytest.approx(PACE, rel=0.06)
    assert speed.min() > 0.8 * PACE
