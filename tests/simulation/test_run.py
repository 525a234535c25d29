"""From frame to frame: all decide from one picture of the world, then all move."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from steering_addon.behaviors.cohesion import Cohesion
from steering_addon.behaviors.leader_following import LeaderFollowing
from steering_addon.behaviors.path_following import PathFollowing
from steering_addon.behaviors.pursuit import Pursuit
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.shadow import Shadow
from steering_addon.behaviors.wander import Wander
from steering_addon.locomotion import Planar, SimpleVehicle
from steering_addon.locomotion.banking import Rolling
from steering_addon.simulation.geometry.paths import spline
from steering_addon.simulation.roles import Role
from steering_addon.simulation.run import preroll_start, simulate, step
from steering_addon.simulation.sensing import world_at
from steering_addon.simulation.snapshot import Settings, Snapshot, State, no_tracked, start_state
from tests.scene import Crowd, Scene, in_crowds, leaders, positions, speeds, velocities


def picture(place: Scene, part: float):
    """What there is to see at a part of the way from the first frame to the second."""
    return world_at(place.start(), place.snapshot(0), place.snapshot(1), part)


def test_the_first_state_is_the_start() -> None:
    place = Scene([[1.0, 2.0, 3.0]], forward=[[0.6, 0.8, 0.0]], speed=2.0)
    [first] = place.run(1)
    assert positions([first]).tobytes() == place.position.tobytes()
    assert np.allclose(velocities([first])[0, 0], [1.2, 1.6, 0.0])


def test_a_state_a_frame_and_none_before_it_is_asked_for() -> None:
    place = Scene([[0.0, 0.0, 0.0]], behaviors=[(Wander, {})])
    asked = []

    def frames() -> Iterator[Snapshot]:
        for frame in range(5):
            asked.append(frame)
            yield place.snapshot(frame)

    states = simulate(place.start(), frames())
    for frame in range(5):
        next(states)
        assert asked == list(range(frame + 1))
    assert next(states, None) is None


def test_without_frames_there_are_no_states() -> None:
    assert list(simulate(Scene([[0.0, 0.0, 0.0]]).start(), [])) == []


def test_a_step_ends_where_the_next_begins() -> None:
    place = Scene([[0.0, 0.0, 0.0]], behaviors=[(Wander, {})], substeps=3, fps=25.0)
    states = place.run(30)
    assert [s.time for s in states] == pytest.approx([frame / 25.0 for frame in range(30)])
    by_hand = place.start()
    for frame in range(30):
        by_hand = step(by_hand, place.snapshot(frame))
    assert positions([by_hand]).tobytes() == positions(states[-1:]).tobytes()


def test_all_decide_before_anybody_moves() -> None:
    """Two who seek each other mirror each other to the last bit, whichever comes first."""
    place = Scene([[-8.0, 0.0, 0.0], [8.0, 0.0, 0.0]], forward=[[0.6, 0.8, 0.0], [-0.6, -0.8, 0.0]], speed=3.0)
    place = replace(place, behaviors=[(Seek, {"target": np.array([1, 0])})])
    path = positions(place.run(60))
    assert np.array_equal(path[:, 0], -path[:, 1])


def test_each_crowd_has_its_own_wishes() -> None:
    place = Scene([[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [8.0, 0.0, 0.0]], tracked=leaders([0.0, 30.0, 0.0]), speed=3.0)
    alone = {kind: replace(place, behaviors=[(kind, {})]).run(24) for kind in (Seek, Wander)}

    def crowds(frame: int, snapshot: Snapshot) -> Snapshot:
        seekers = Crowd(np.array([0, 2]), (Seek.of(2),))
        return in_crowds(snapshot, [seekers, Crowd(np.array([1]), (Wander.of(1),))])

    together = positions(place.run(24, at=crowds))
    assert together[:, [0, 2]].tobytes() == positions(alone[Seek])[:, [0, 2]].tobytes()
    assert together[:, 1].tobytes() == positions(alone[Wander])[:, 1].tobytes()


def test_two_crowds_that_follow_paths_remember_each_their_own() -> None:
    line = (spline(np.array([[0.0, 0.0, 0.0], [0.0, 60.0, 0.0]]), False),)
    place = Scene([[0.0, 1.0, 0.0], [0.0, 50.0, 0.0]], paths=(line,), behaviors=[(PathFollowing, {})])

    def crowds(frame: int, snapshot: Snapshot) -> Snapshot:
        return in_crowds(snapshot, [Crowd(np.array([row]), (PathFollowing.of(1),)) for row in (0, 1)])

    apart, together = place.run(29, at=crowds), place.run(29)
    assert positions(apart).tobytes() == positions(together).tobytes()
    for name, column in vars(together[-1].memories["path_following"]).items():
        assert np.array_equal(column, getattr(apart[-1].memories["path_following"], name)), name


def absent(rows: list[int], frames: range):
    """Some vehicles do not take part for some frames, in which even their top speed means nothing to them."""

    def at(frame: int, snapshot: Snapshot) -> Snapshot:
        present = snapshot.present.copy()
        present[rows] = frame not in frames
        max_speed = np.where(present, snapshot.vehicle.max_speed, 0.1)
        return replace(snapshot, present=present, vehicle=replace(snapshot.vehicle, max_speed=max_speed))

    return at


def test_who_does_not_take_part_stays_as_it_was() -> None:
    place = Scene(
        [[0.0, 0.0, 0.0], [5.0, 0.0, 0.0]], speed=3.0, behaviors=[(Wander, {})], tracked=leaders([0.0, 20.0, 0.0])
    )
    states = place.run(60, at=absent([1], range(20, 40)))
    gone = [as_bytes(s, 1) for s in states]
    assert len(set(gone[20:41])) == 1
    assert len(set(gone)) == 60 - 20
    other = [as_bytes(s, 0) for s in states]
    assert other == [as_bytes(s, 0) for s in place.run(60)], "and the others do not notice"


def as_bytes(state: State, row: int) -> bytes:
    motion = (getattr(state.motion, name)[row] for name in ("position", "velocity", "side", "forward", "up"))
    rolling = state.bodies.get(SimpleVehicle.name, Rolling.blank(len(state)))
    return np.concatenate([*motion, rolling.rate[row : row + 1], state.smoothed_acceleration[row]]).tobytes()


def test_the_nearest_of_a_role_is_that_of_a_plain_loop() -> None:
    rng = np.random.default_rng(5)
    n, k = 12, 9
    tracked = leaders(*rng.uniform(-9.0, 9.0, (k, 3)))
    tracked = replace(tracked, present=rng.uniform(size=k) < 0.7)
    place = Scene(rng.uniform(-9.0, 9.0, (n, 3)), tracked=tracked)
    bodies = picture(place, 0.0).bodies
    for role in (Role.LEADER, Role.VEHICLE, Role.CROWD):
        nearest = bodies.nearest_of(bodies.with_role(role), place.position, np.arange(n))
        for row in range(n):
            others = [b for b in range(n + k) if bodies.present[b] and bodies.roles[b] & role and b != row]
            distances = [np.linalg.norm(bodies.position[b] - place.position[row]) for b in others]
            assert nearest[row] == (others[int(np.argmin(distances))] if others else -1)


def test_a_start_of_whole_numbers_is_a_start() -> None:
    state = start_state(np.array([[1, 2, 3]]), np.array([[0, 1, 0]]), np.array([[0, 0, 1]]), np.zeros((1, 3)))
    assert state.motion.position.dtype == state.motion.side.dtype == np.float64
    assert state.motion.side.tolist() == [[1.0, 0.0, 0.0]]
    assert len(state) == 1
    assert len(no_tracked().radius) == 0


@pytest.mark.parametrize(("weight", "goal"), [(1.0, [0.0, 30.0, 0.0]), (0.0, [np.nan] * 3)])
def test_a_behavior_without_weight_leads_nowhere(weight: float, goal: list[float]) -> None:
    """Obstacles before a goal that is switched off count all the same."""
    behaviors = [(Seek, {"weight": weight}), (Wander, {})]
    _, agents, _ = Scene([[0.0, 0.0, 0.0]], behaviors=behaviors, tracked=leaders([0.0, 30.0, 0.0])).seen()
    assert np.array_equal(agents.goal, [goal], equal_nan=True)


def test_settings_may_change_during_a_run_while_the_crowd_stays() -> None:
    """From frame 24 on the first of two follows other settings; the other one still sees it as one of its crowd."""
    place = Scene([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], speed=3.0, tracked=leaders([0.0, 90.0, 0.0]))
    seeking, together = Settings((Seek.of(1),), 0), Settings((Cohesion.of(1, distance=50.0),), 0)

    def changing(frame: int, snapshot: Snapshot) -> Snapshot:
        row = np.array([0 if frame >= 24 else 1, 1])
        return replace(snapshot, settings=(seeking, together), settings_row=row)

    states = place.run(72, at=changing)
    before, after = positions(states)[:25], positions(states)
    still = replace(place, behaviors=[(Cohesion, {"distance": 50.0})]).run(72)
    assert before.tobytes() == positions(still)[:25].tobytes()
    assert after[-1, 0, 1] > positions(still)[-1, 0, 1] + 1.0, "it seeks"
    assert after[-1, 1, 1] > positions(still)[-1, 1, 1] + 0.05, "and draws the other one along"


def set_off(scene: Scene, frames: int, *preroll: int) -> list[State]:
    """A run in which each vehicle has a pre-roll of its own."""
    before = [scene.snapshot(frame) for frame in range(-max(preroll), 0)]
    snapshots = (scene.snapshot(frame) for frame in range(frames))
    return list(simulate(scene.start(), snapshots, before, np.array(preroll)))


def test_a_vehicle_with_a_shorter_preroll_sets_off_later_from_its_start() -> None:
    """Far apart, each moves as if all had its pre-roll: with the same random numbers at the same time."""
    place = Scene(
        [[0.0, 0.0, 0.0], [900.0, 0.0, 0.0], [0.0, 900.0, 0.0]], speed=2.0, behaviors=[(Wander, {"strength": 3.0})]
    )
    states = set_off(place, 5, 20, 6, 0)
    for row, preroll in enumerate((20, 6, 0)):
        alone = positions(place.run(5, preroll=preroll))[:, row]
        assert np.allclose(positions(states)[:, row], alone, atol=1e-9)
    assert (positions(states)[0, 2] == place.position[2]).all()
    assert velocities(states)[0, 2] @ (0.0, 1.0, 0.0) == pytest.approx(2.0), "it is in motion on the first frame"


def test_a_vehicle_that_waits_is_seen_standing_and_gives_no_way() -> None:
    place = Scene(
        [[0.0, -3.0, 0.0], [0.1, 0.0, 0.0]],
        speed=3.0,
        behaviors=[(Seek, {"target": [1, -1]})],
        vehicle={"radius": 0.5, "max_speed": 3.0, "keep_apart": True},
    )
    [first] = set_off(place, 1, 24, 0)
    assert (first.motion.position[1] == place.position[1]).all()
    gap = np.linalg.norm(first.motion.position[0] - place.position[1])
    assert gap >= 1.0 - 3.0 / 24.0 - 1e-3, "they overlap by the way of a step at most"


def test_a_vehicle_that_waits_has_no_velocity_for_those_that_predict_it() -> None:
    """A pursuer with a pre-roll aims at where the quarry stands, not ahead of it."""
    place = Scene(
        [[0.0, 0.0, 0.0], [20.0, 0.0, 0.0]],
        forward=[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        speed=[0.0, 3.0],
        behaviors=[(Pursuit, {"quarry": [1, -1]})],
    )
    [first] = set_off(place, 1, 12, 0)
    assert np.abs(first.motion.position[0, 1:]).max() < 1e-9
    [together] = set_off(place, 1, 12, 12)
    assert together.motion.position[0, 1] > 1e-3


def test_the_pace_of_each_agent_drifts_over_seconds_about_its_cruise_speed() -> None:
    vehicle = {"max_speed": 2.0, "cruise_speed": 0.65, "pace_drift": 0.15, "pace_time": 6.0}
    walkers = Scene([[5.0 * k, 0.0, 0.0] for k in range(40)], speed=1.3, vehicle=vehicle)
    fps = 24
    speed = speeds(walkers.run(24 * fps))[5 * fps :]
    variation = speed.std(axis=0) / speed.mean(axis=0)
    # Within each agent, as measured of people: .05 to .15.
    assert 0.05 < np.median(variation) < 0.15 and variation.max() < 0.2
    np.testing.assert_allclose(speed.mean(), 1.3, rtol=0.03)
    # No two drift alike, and the pace changes over seconds, not from step to step.
    assert np.abs(np.corrcoef(speed.T) - np.eye(40)).mean() < 0.4
    assert np.abs(np.diff(speed, axis=0)).max() * fps < 0.4


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
    return preroll_start(scene.start(), snapshots, np.array(preroll) if preroll else None)


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
