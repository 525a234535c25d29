"""Long bodies: whatever knows how large a body is knows how long it is, and a body of no length is a sphere."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steering_addon.behaviors.brake_for import BrakeFor
from steering_addon.behaviors.keep_distance import KeepDistance
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.separation import Separation
from steering_addon.behaviors.unaligned_collision_avoidance import PAPER, VELOCITY, UnalignedCollisionAvoidance
from steering_addon.locomotion import Planar, Wheeled
from steering_addon.recording.mishaps import OBSTACLE, OVERLAP, STUCK, TOLERANCE, Mishaps
from steering_addon.simulation.behavior import Behavior
from steering_addon.simulation.geometry.obstacles import boxes, obstacles
from steering_addon.simulation.nearby.neighbors import EVERYONE
from steering_addon.simulation.presence.attendance import Attendance
from tests.sampling import sampled
from tests.scene import Scene, about, leaders, locked, positions
from tests.simulation.geometry.test_capsules import segments_apart

RADIUS, LENGTH = 0.9, 4.3
HALF = LENGTH / 2.0 - RADIUS
CAR = {
    "radius": RADIUS,
    "length": LENGTH,
    "keep_apart": True,
    "max_speed": 3.0,
    "max_force": 6.0,
    "cruise_speed": 0.0,
}
KNOWS: tuple[tuple[type[Behavior], dict], ...] = (
    (BrakeFor, {}),
    (Separation, {"distance": 6.0, "neighbors": EVERYONE}),
    (KeepDistance, {"neighbors": EVERYONE}),
    (UnalignedCollisionAvoidance, {"method": VELOCITY, "neighbors": EVERYONE}),
    (UnalignedCollisionAvoidance, {"method": PAPER, "neighbors": EVERYONE}),
)
"""The behaviors that consider how large others are."""
knows = pytest.mark.parametrize("behavior", KNOWS, ids=lambda given: f"{given[0].name} {given[1].get('method', '')}")


def cars(position, forward=(0.0, 1.0, 0.0), **changes) -> Scene:
    return Scene(position, forward=forward, **({"vehicle": CAR, "locomotions": [(Planar, {})]} | changes))


def crowded(seed: int = 1, n: int = 14, room: float = 14.0, **vehicle) -> Scene:
    """Cars that drive about a place in all directions."""
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0.0, 2.0 * np.pi, n)
    forward = np.stack((np.cos(angle), np.sin(angle), np.zeros(n)), axis=-1)
    position = rng.uniform(-room, room, (n, 3)) * (1.0, 1.0, 0.0)
    return cars(position, forward, speed=2.0, vehicle=CAR | {"cruise_speed": 0.8} | vehicle, fps=6.0)


def ends(position, forward, half=HALF) -> list[np.ndarray]:
    return [np.asarray(position) + sign * half * np.asarray(forward) for sign in (-1.0, 1.0)]


def apart(scene: Scene, i: int, j: int) -> float:
    """The distance of the axes of two cars at the start, by the cases of a textbook."""
    first, second = (ends(scene.position[row], scene.forward[row]) for row in (i, j))
    return segments_apart(*first, *second)


@pytest.mark.parametrize(("offset", "contact"), [((1.4, 0.0, 0.0), 1.8), ((0.0, 4.0, 0.0), 4.3)])
def test_cars_that_overlap_move_apart_to_their_width_or_their_length(offset, contact: float) -> None:
    result = positions(cars([[0.0, 0.0, 0.0], offset]).run(24))[-1]
    assert np.linalg.norm(result[1] - result[0]) == pytest.approx(contact, abs=1e-6)


@pytest.mark.parametrize("offset", [(1.81, 0.0, 0.0), (0.0, 4.31, 0.0), (1.4, 3.8, 0.0)])
def test_cars_that_have_room_stay_where_they_are(offset) -> None:
    scene = cars([[0.0, 0.0, 0.0], offset])
    assert (positions(scene.run(12)) == scene.position).all()


def test_cars_that_cross_in_the_middle_move_apart() -> None:
    scene = cars([[0.0, 0.0, 0.0], [0.3, 0.2, 0.0]], forward=[[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    states = scene.run(60)
    ended = replace(scene, position=positions(states)[-1])
    assert apart(ended, 0, 1) == pytest.approx(2.0 * RADIUS, abs=1e-3)


@pytest.mark.parametrize(("middle", "away"), [((0.0, 2.9, 0.0), (0.0, -1.0, 0.0)), ((1.6, 0.9, 0.0), (-1.0, 0.0, 0.0))])
def test_a_car_whose_nose_or_side_is_in_an_obstacle_moves_out_of_it(middle, away) -> None:
    scene = cars([[0.0, 0.0, 0.0]], obstacles=obstacles([middle], 1.0))
    middle, moved = np.array(middle), positions(scene.run(24))[-1, 0]
    assert np.dot(moved, away) > 0.1
    assert segments_apart(*ends(moved, (0.0, 1.0, 0.0)), middle, middle) == pytest.approx(RADIUS + 1.0, abs=0.03)


@sampled
@pytest.mark.parametrize("pace", [2.0, 13.9])
def test_a_car_on_wheels_that_drives_into_a_box_head_on_stops_with_its_nose_at_it(pace: float) -> None:
    scene = cars([[0.0, 0.0, 0.0]], forward=[[1.0, 0.0, 0.0]], obstacles=boxes([[12.0, 0.0, 0.0]], [2.0, 4.0, 2.0]))
    scene = replace(scene, speed=pace, locomotions=[(Wheeled, {})])
    scene.vehicle = CAR | {"max_speed": 16.7, "cruise_speed": 0.8}
    nose = positions(scene.run(72))[:, 0, 0] + LENGTH / 2.0
    assert nose.max() == pytest.approx(10.0, abs=0.01)
    assert nose[-1] == pytest.approx(10.0, abs=0.01)


def looked_at(scene: Scene, frames: int = 1) -> Mishaps:
    mishaps = Mishaps(len(scene))
    for frame in range(frames):
        mishaps.look(frame, replace(scene.start(), inputs=scene.snapshot()))
    return mishaps


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**6))
def test_cars_that_touch_are_reported_and_those_that_have_room_are_not(seed: int) -> None:
    scene = crowded(seed)
    n = len(scene)
    depth = np.array([[2.0 * RADIUS - apart(scene, i, j) if i != j else -1.0 for j in range(n)] for i in range(n)])
    if (np.abs(depth - TOLERANCE * RADIUS) > 1e-9).all():
        expected = (depth > TOLERANCE * RADIUS).any(axis=1)
        assert (looked_at(scene).frames[OVERLAP] >= 0).tolist() == expected.tolist()


def test_a_locked_car_is_as_long_as_the_others() -> None:
    def touches(y: float, length: float) -> bool:
        return looked_at(cars([[0.0, 0.0, 0.0]], tracked=locked([0.0, y, 0.0], radius=RADIUS, length=length))).number(
            OVERLAP
        )

    assert touches(4.0, LENGTH)
    assert not touches(4.4, LENGTH)
    assert not touches(4.0, 0.0)


def test_an_obstacle_in_the_nose_is_reported_and_so_is_a_car_that_is_stuck_there() -> None:
    def seen(y: float) -> Mishaps:
        return looked_at(cars([[0.0, 0.0, 0.0]], obstacles=boxes([[0.0, y, 0.0]], [[1.0, 1.0, 1.0]])), 60)

    assert seen(3.0).number(OBSTACLE) == 1
    assert seen(3.2).number(OBSTACLE) == 0
    assert seen(3.2).number(STUCK) == 1
    assert seen(3.2).clearance == pytest.approx([0.05], abs=1e-9)
    assert seen(4.0).number(STUCK) == 0


def test_a_car_waits_for_room_for_all_of_its_length() -> None:
    settings = Attendance.of(2, wait_for_room=True)

    def enters(offset) -> bool:
        scene = cars([[0.0, 0.0, 0.0], offset], vehicle=CAR | {"keep_apart": False})
        frames = np.array([0, 3])
        states = scene.run(6, at=lambda k, snapshot: replace(snapshot, due=k >= frames, attendance=settings))
        return not states[-1].away[1]

    assert not enters((0.0, 4.2, 0.0))
    assert enters((0.0, 4.4, 0.0))
    assert enters((1.9, 0.0, 0.0))


@knows
def test_a_body_no_longer_than_it_is_wide_gives_the_bytes_of_a_sphere(behavior) -> None:
    scene = replace(crowded(length=0.0), behaviors=[behavior])
    scene.obstacles = obstacles([[3.0, 3.0, 0.0]], 1.0)
    round_ = replace(scene, vehicle=scene.vehicle | {"length": 2.0 * RADIUS})
    assert positions(scene.run(12)).tobytes() == positions(round_.run(12)).tobytes()


@knows
def test_length_changes_what_is_done(behavior) -> None:
    scene = replace(crowded(), behaviors=[behavior])
    spheres = replace(scene, vehicle=scene.vehicle | {"length": 0.0, "keep_apart": False})
    capsules = replace(scene, vehicle=scene.vehicle | {"keep_apart": False})
    assert np.abs(positions(spheres.run(12)) - positions(capsules.run(12))).max() > 1e-3


@knows
def test_turning_the_scene_turns_what_long_bodies_do(behavior) -> None:
    scene = replace(crowded(room=20.0), behaviors=[behavior], obstacles=obstacles([[3.0, 3.0, 0.0]], 1.0), fps=24.0)
    turn = about((0.0, 0.0, 1.0), 40.0)
    other = replace(
        scene,
        position=scene.position @ turn.T,
        forward=scene.forward @ turn.T,
        obstacles=obstacles(np.array([[3.0, 3.0, 0.0]]) @ turn.T, 1.0),
    )
    # Of two velocities that are as good, one that chooses may take the other by a rounding error.
    assert positions(other.run(6)) == pytest.approx(positions(scene.run(6)) @ turn.T, abs=1e-3)


def test_separation_is_the_sum_of_repulsions_between_the_axes() -> None:
    """The plain loop of the behavior's own test, with the nearest points found by trying many."""
    scene, distance = crowded(), 6.0
    forces = replace(scene, behaviors=[(Separation, {"distance": distance})]).steering()[0]
    shares = np.linspace(-HALF, HALF, 301)
    for i in range(len(scene)):
        push = np.zeros(3)
        for j in range(len(scene)):
            near = scene.position[i] + shares[:, None] * scene.forward[i]
            other = scene.position[j] + shares[:, None] * scene.forward[j]
            offset = other[None] - near[:, None]
            gap = np.linalg.norm(offset, axis=-1)
            nearest = np.unravel_index(np.argmin(gap), gap.shape)
            if i != j and gap[nearest] < distance:
                push += -offset[nearest] / gap[nearest] * (distance / gap[nearest] - 1.0)
        push *= min(1.0, 1.0 / max(np.linalg.norm(push), 1e-9))
        assert forces[i] == pytest.approx(push, abs=0.02)


def crossing(method: int, late: float, length: float) -> float:
    """The smallest distance of the axes of two cars that cross at right angles, as they are drawn."""
    values = {"method": method, "neighbors": EVERYONE, "distance": 30.0, "look_ahead_time": 6.0}
    scene = cars(
        [[0.0, -16.0, 0.0], [-16.0 - late, 0.0, 0.0]],
        [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]],
        speed=2.5,
        vehicle=CAR | {"keep_apart": False, "length": length},
        behaviors=[(Seek, {"target": [2, 3]}), (UnalignedCollisionAvoidance, values)],
        tracked=leaders([0.0, 60.0, 0.0], [60.0, 0.0, 0.0]),
        fps=12.0,
    )
    states = scene.run(12 * 14)
    return min(apart(replace(scene, position=s.motion.position, forward=s.motion.forward), 0, 1) for s in states)


@sampled
@pytest.mark.parametrize("late", [0.0, 2.0])
def test_the_form_of_the_paper_keeps_long_bodies_further_apart_than_spheres(late: float) -> None:
    assert crossing(PAPER, late, LENGTH) > crossing(PAPER, late, 0.0) + 0.3
