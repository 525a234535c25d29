"""Crawling: the laws of what holds on to surfaces, on grounds that lean any way."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.separation import Separation
from steering_addon.behaviors.wander import Wander
from steering_addon.locomotion import Crawling
from steering_addon.locomotion.gripping import Grip, find_free_direction
from steering_addon.locomotion.on_foot import FALL, STOP, TURN_BACK
from steering_addon.recording.mishaps import OVERLAP, Mishaps
from steering_addon.simulation.geometry.clinging import Clinging
from steering_addon.simulation.geometry.surfaces import Surfaces, surfaces
from steering_addon.simulation.snapshot import Snapshot, State
from steering_addon.simulation.terrain import Misplaced, Terrain
from steering_addon.simulation.vehicle import VehicleModel
from tests.locomotion.round_grounds import bowl, box, globe, moebius, sheet, waves
from tests.sampling import sampled
from tests.scene import Scene, headings, leaders, positions, speeds, ups
from tests.surfaces import Faces

FPS = 24
N = 24


@dataclass(frozen=True)
class Ground:
    """Faces, which may move, and the side of them on which ants are put."""

    faces: Faces
    outside: bool = True
    moves: Callable[[int], np.ndarray] | None = None

    def surfaces(self) -> Surfaces:
        return surfaces([self.faces], [self.moves is not None])


def rising(frame: int) -> np.ndarray:
    return waves(steep=0.4, time=frame / FPS)[0]


GROUNDS = {
    "globe": Ground(globe()),
    "bowl": Ground(bowl(), outside=False),
    "moebius": Ground(moebius()),
    "ceiling": Ground(sheet(height=3.0), outside=False),
    "wave": Ground(waves(steep=0.4), moves=rising),
    "box": Ground(box(3.0)),
}
BEHAVIORS = [(Wander, {"strength": 3.0}), (Separation, {"distance": 1.0})]


def ants(ground: Ground, n: int = N, **changes: Any) -> Scene:
    """Ants all over a ground."""
    rng = np.random.default_rng((0, n))
    points, triangles = ground.faces
    corners = points[triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    row = rng.choice(np.flatnonzero(np.linalg.norm(normal, axis=1) > 1e-9), n)
    corners, up = corners[row], normal[row] * (1.0 if ground.outside else -1.0)
    up /= np.linalg.norm(up, axis=1, keepdims=True)
    forward = np.cross(up, rng.normal(size=(n, 3)))
    given = {
        "position": corners.mean(axis=1),
        "forward": forward / np.linalg.norm(forward, axis=1, keepdims=True),
        "up": up,
        "speed": 0.8,
        "behaviors": BEHAVIORS,
        "locomotions": [(Crawling, {"turn_radius": 0.4, "turn_on_the_spot": 0.0})],
        "vehicle": {"max_speed": 1.6, "cruise_speed": 0.5, "mass": 2.0, "max_force": 8.0, "radius": 0.15},
        "surfaces": ground.surfaces(),
        "fps": FPS,
    }
    return Scene(**(given | changes))


def run(scene: Scene, frames: int, ground: Ground) -> list[State]:
    if ground.moves is None:
        return scene.run(frames)
    seen = [scene.surfaces]
    for frame in range(1, frames):
        seen.append(seen[-1].with_points(0, ground.moves(frame)))
    return scene.run(frames, at=lambda frame, snapshot: replace(snapshot, surfaces=seen[frame]))


@cache
def roaming(name: str) -> list[State]:
    return run(ants(GROUNDS[name]), 5 * FPS, GROUNDS[name])


def off_surface(states: list[State]) -> np.ndarray:
    """(frames, n) metres from the nearest place of any surface."""
    return np.stack(
        [
            Clinging(state.inputs.surfaces).nearest(state.motion.position, np.full(len(state), np.inf)).distance
            for state in states
        ]
    )


def ways(states: list[State]) -> np.ndarray:
    return np.diff(positions(states), axis=0)


every_ground = pytest.mark.parametrize("name", GROUNDS)
every_still_ground = pytest.mark.parametrize("name", [name for name, each in GROUNDS.items() if each.moves is None])


@sampled(one_of=6)
@every_ground
def test_on_every_frame_they_are_on_the_surface(name: str) -> None:
    states = roaming(name)
    assert off_surface(states).max() < 1e-9
    assert not any(state.outputs["off_ground"].any() for state in states)


@sampled(one_of=3)
@every_ground
def test_axes_are_at_right_angles_and_motion_is_in_the_plane_of_each(name: str) -> None:
    for state in roaming(name)[:: FPS // 2]:
        motion, pose = state.motion, state.pose
        for axes in ((motion.side, motion.forward, motion.up), (pose.side, pose.forward, pose.up)):
            square = np.stack(axes, axis=1)
            assert np.abs(square @ np.swapaxes(square, 1, 2) - np.eye(3)).max() < 1e-9
        along = (motion.velocity * motion.forward).sum(axis=1, keepdims=True)
        assert (along >= 0.0).all() and np.abs(motion.velocity - along * motion.forward).max() < 1e-9


@sampled(one_of=3)
@every_still_ground
def test_they_go_where_they_head_along_the_surface(name: str) -> None:
    states = roaming(name)
    way, length = ways(states), np.linalg.norm(ways(states), axis=-1)
    # A way over the edge of a box is a chord.
    straight = (ups(states)[1:] * ups(states)[:-1]).sum(axis=-1) > 0.99
    walks = (length > 0.01) & straight
    aside = (way * np.stack([state.motion.side for state in states])[1:]).sum(axis=-1)
    assert (np.abs(aside)[walks] < 0.02 * length[walks]).all()
    assert np.abs(length * FPS - speeds(states)[1:])[walks].max() < 0.03


@sampled(one_of=3)
@every_ground
def test_up_turns_smoothly_and_never_over(name: str) -> None:
    up = ups(roaming(name))
    turn = np.degrees(np.arccos(np.clip((up[1:] * up[:-1]).sum(axis=-1), -1.0, 1.0)))
    jerk = np.degrees(np.linalg.norm(up[2:] - 2.0 * up[1:-1] + up[:-2], axis=-1))
    if name == "box":
        # Over an edge they lean by no more than their way over their radius.
        assert 5.0 < turn.max() < np.degrees(1.6 / FPS / 0.15 + 2.0 / FPS) + 0.1
    else:
        assert turn.max() < 5.0 and np.percentile(jerk, 95) < (0.2 if name == "wave" else 0.15)


def test_over_an_edge_a_long_body_leans_by_no_more_than_its_way_over_half_its_length() -> None:
    ground = GROUNDS["box"]
    vehicle = {**ants(ground).vehicle, "length": 1.2}
    up = ups(run(ants(ground, 12, vehicle=vehicle), 60, ground))
    turn = np.degrees(np.arccos(np.clip((up[1:] * up[:-1]).sum(axis=-1), -1.0, 1.0)))
    assert 5.0 < turn.max() < np.degrees(1.6 / FPS / 0.6 + 2.0 / FPS) + 0.1


@pytest.mark.parametrize("aside", [0.0, 0.02, 0.1])
def test_at_a_corner_of_three_faces_bodies_turn_over_and_round_no_faster_than_they_lean(aside: float) -> None:
    """Along the surface they turn by up to 90 degrees more than they would be turned over."""
    angle = np.linspace(0.1, 1.4, 12)
    ahead = np.stack((0.0 * angle, np.cos(angle), np.sin(angle)), axis=1)
    corner, box_ground = np.array((3.0, 3.0 - aside, 3.0)), GROUNDS["box"]
    up = np.broadcast_to((1.0, 0.0, 0.0), ahead.shape)
    states = ants(box_ground, 12, position=corner - 0.6 * ahead, forward=ahead, up=up, behaviors=[]).run(2 * FPS)
    poses = np.stack([np.stack((s.pose.side, s.pose.forward, s.pose.up), axis=2) for s in states])
    cosine = 0.5 * (np.einsum("fnij,fnij->fn", poses[1:], poses[:-1]) - 1.0)
    turn, faces = np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))), ups(states)
    assert turn.max() < np.sqrt(2.0) * np.degrees(0.8 / FPS / 0.15 + 2.0 / FPS) + 0.1
    assert (np.abs(faces[-1, :, 0]) < 0.01).all()
    np.testing.assert_allclose(poses[-1, ..., 1], headings(states)[-1], atol=1e-9)


@sampled(one_of=3)
@every_ground
def test_they_stand_or_crawl_but_do_not_creep_nor_turn_while_they_stand(name: str) -> None:
    if GROUNDS[name].moves is not None:
        pytest.skip("what moves takes them along")
    states = roaming(name)
    speed = np.linalg.norm(ways(states), axis=-1) * FPS
    assert ((speed > 1e-9) & (speed < 0.9 * 0.1 * 0.5 * 1.6)).mean() < 3e-3
    turned = np.linalg.norm(np.diff(headings(states), axis=0), axis=-1)
    cornered = np.stack([state.bodies["crawling"].cornered for state in states])
    assert not ((speed < 1e-9) & ~cornered[:-1] & ~cornered[1:] & (turned > 1e-9)).any()


def test_no_turn_is_tighter_than_its_turn_radius() -> None:
    states = roaming("ceiling")
    turn = np.linalg.norm(np.cross(headings(states)[:-1], headings(states)[1:]), axis=-1)
    walked = np.maximum(speeds(states)[1:], speeds(states)[:-1]) / FPS
    cornered = np.stack([state.bodies["crawling"].cornered for state in states])
    free = ~(cornered[:-1] | cornered[1:])
    assert (turn <= 1.001 * walked / 0.4 + 1e-9)[free].all()


def test_a_body_leans_over_with_its_normal_by_no_more_than_it_may() -> None:
    """Also over to the opposite side, by way of its back."""
    tilt, most = np.array((0.05, 0.5, 3.0, np.pi)), np.array((0.1, 0.1, 0.4, 0.4))
    normal = np.stack((0.0 * tilt, np.sin(tilt), np.cos(tilt)), axis=1)
    ahead = np.tile((1.0, 0.0, 0.0), (4, 1))
    leans = replace(Grip.blank(4), normal=normal, forward=ahead).leaning(most, normal, ahead).lean
    np.testing.assert_allclose(np.linalg.norm(leans, axis=1), 1.0)
    np.testing.assert_allclose(np.arccos(np.clip(leans[:, 2], -1.0, 1.0)), np.minimum(tilt, most), atol=1e-6)
    np.testing.assert_allclose(np.einsum("ni,ni->n", leans, normal)[:3], np.cos(tilt - np.minimum(tilt, most))[:3])


def test_turned_with_the_scene_they_do_the_same() -> None:
    turn = np.array([(0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)])
    points, triangles = GROUNDS["moebius"].faces
    scene = ants(GROUNDS["moebius"], behaviors=[(Separation, {}), (Seek, {})], tracked=leaders([0.0, 8.0, 1.0]))
    other = replace(scene.moved(turn=turn), surfaces=surfaces([(points @ turn.T, triangles)]))
    assert np.abs(positions(scene.run(FPS)) @ turn.T - positions(other.run(FPS))).max() < 1e-6


def odd_faces() -> Faces:
    """Faces without area, upright ones, three at an edge, a hole, doubled ones, and scaled -1."""
    points, triangles = waves(half=4.0, cells=8, steep=0.6)
    middle = points[triangles].mean(axis=1)
    triangles = triangles[np.abs(middle[:, :2]).max(axis=1) > 1.1]
    fin = np.array([(0.0, -4.0, 2.0), (0.0, 4.0, 2.0), (0.0, -4.0, -2.0), (0.0, 4.0, -2.0)])
    more = len(points) + np.array([(0, 1, 2), (1, 3, 2), (0, 0, 1), (0, 1, 2)])
    return np.concatenate((points, fin)) * (-1.0, 1.0, 1.0), np.concatenate((triangles, triangles[::7], more))


@sampled
@pytest.mark.parametrize("at_edge", [TURN_BACK, STOP, FALL])
def test_on_odd_faces_everything_stays_finite_and_on_them(at_edge: int) -> None:
    scene = ants(Ground(odd_faces()), locomotions=[(Crawling, {"turn_radius": 0.4, "at_edge": at_edge})])
    states = scene.run(3 * FPS)
    assert all(np.isfinite(column).all() for state in states for column in vars(state.motion).values())
    holds = np.stack([state.bodies["crawling"].triangle >= 0 for state in states])
    assert off_surface(states)[holds].max() < 1e-9
    assert holds.all() == (at_edge != FALL)


def test_without_a_surface_they_crawl_on_the_level() -> None:
    states = ants(GROUNDS["ceiling"], surfaces=surfaces([])).run(FPS)
    assert (positions(states)[..., 2] == 3.0).all() and (ups(states)[1:] == (0.0, 0.0, 1.0)).all()


def test_they_start_on_the_nearest_place_on_the_side_to_which_their_up_axis_points() -> None:
    ground = surfaces([globe(5.0, 120, 60)])
    up = np.array([(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 0.0, 1.0)])
    scene = ants(GROUNDS["globe"], 3, surfaces=ground, forward=(0.0, 1.0, 0.0), up=up, behaviors=[])
    scene = replace(scene, position=np.array([(5.3, 0.0, 0.0), (4.5, 0.0, 0.0), (20.0, 0.0, 0.0)]))
    state = scene.run(1)[0]
    assert np.abs(np.linalg.norm(state.motion.position[:2], axis=1) - 5.0).max() < 0.01
    assert np.abs(state.motion.up[:2] - up[:2]).max() < 0.02
    assert state.outputs["off_ground"].tolist() == [0.0, 0.0, 1.0]
    motion, terrain = scene.start().motion, Terrain(ground, ground, np.zeros(3))
    wrong = Crawling.of(3).misplaced(VehicleModel.of(3), motion, terrain)
    assert wrong[Misplaced.OFF_GROUND].tolist() == [False, False, True]


def test_the_origin_is_its_height_above_the_surface() -> None:
    scene = ants(GROUNDS["globe"])
    states = scene.run(FPS, at=lambda frame, snapshot: replace(snapshot, lift=np.full(N, 0.2)))
    place = positions(states) - 0.2 * np.stack([state.pose.up for state in states])
    distance = [Clinging(scene.surfaces).nearest(row, np.full(N, np.inf)).distance for row in place]
    assert np.max(distance) < 1e-9


def one_ant(ground: Surfaces, position: Any, goal: Any, **values: Any) -> Scene:
    return Scene(
        np.array([position], dtype=float),
        forward=(1.0, 0.0, 0.0),
        speed=0.5,
        behaviors=[(Seek, {})],
        locomotions=[(Crawling, {"turn_radius": 0.3, **values})],
        vehicle={"max_speed": 1.0, "max_force": 4.0, "radius": 0.1},
        tracked=leaders(goal),
        surfaces=ground,
        fps=FPS,
    )


@sampled
@pytest.mark.parametrize("angle", [70.0, 110.0, 179.0])
def test_a_weak_one_turns_to_a_goal_that_lies_aside_or_behind(angle: float) -> None:
    goal = (20.0 * np.cos(np.radians(angle)), 20.0 * np.sin(np.radians(angle)), 0.0)
    ant = one_ant(surfaces([sheet(40.0)]), (0.0, 0.0, 0.0), goal)
    states = replace(ant, speed=0.05, vehicle={**ant.vehicle, "max_force": 1.0}).run(3 * FPS)
    assert headings(states)[-1, 0] @ np.divide(goal, 20.0) > 0.99 and speeds(states)[-1, 0] > 0.5


def test_who_finds_the_surface_go_on_to_no_side_turns_back() -> None:
    """On a plate of ten centimetres, by steps of a metre and of a centimetre."""
    ground, one = surfaces([sheet(0.05)]), np.ones(1)
    state = one_ant(ground, (0.0, 0.0, 0.0), (90.0, 0.0, 0.0)).run(1)[0]
    motion = state.motion
    asked = Clinging(ground), Grip.at(motion.position, motion.forward, state.bodies["crawling"]), motion.forward
    for step, ahead in ((1.0, -1.0), (0.01, np.cos(np.radians(20.0)))):
        direction, side = find_free_direction(*asked, one, step * one, np.zeros(1, dtype=np.int64), 0.0 * one)
        assert direction[0, 0] == pytest.approx(ahead) and (side == (ahead > 0.0)).all()


def test_at_a_border_they_stop_if_told_to() -> None:
    states = one_ant(surfaces([sheet(4.0)]), (0.0, 0.0, 0.0), (90.0, 0.0, 0.0), at_edge=STOP).run(7 * FPS)
    assert 3.9 < positions(states)[-1, 0, 0] <= 4.0 and (speeds(states)[-FPS:] == 0.0).all()


@pytest.mark.parametrize("up", [1.0, -1.0])
def test_across_a_gap_they_hold_on_to_the_same_side_of_what_is_beyond(up: float) -> None:
    points, faces = sheet(4.0, height=-3.0)
    plates = surfaces([(points + np.array((x, 0.0, 0.0)), faces) for x in (0.0, 8.02)])
    ant = replace(one_ant(plates, (3.8, 0.0, -3.0), (9.0, 0.0, -3.0)), up=(0.0, 0.0, up))
    states = ant.run(FPS)
    assert positions(states)[-1, 0, 0] > 4.2
    np.testing.assert_allclose(np.stack([state.motion.up[0, 2] for state in states]), up)


def test_over_a_border_they_fall_if_told_to_and_hold_on_to_what_is_below() -> None:
    ground = surfaces([sheet(4.0, height=3.0), sheet(9.0, cells=30)])
    states = one_ant(ground, (2.0, 0.0, 3.0), (90.0, 0.0, 3.0), at_edge=FALL).run(5 * FPS)
    height = positions(states)[:, 0, 2]
    assert height[0] == 3.0 and height[-1] == 0.0
    falling = (height < 3.0) & (height > 0.0)
    assert 0.6 * FPS < falling.sum() < 1.0 * FPS, "half a g t t = 3 m lasts 0.78 s"
    off = np.array([state.outputs["off_ground"][0] for state in states])
    assert (off[falling] == 1.0).all() and off[-1] == 0.0
    assert positions(states)[-1, 0, 0] > 4.5, "it crawls on"


def test_bodies_on_one_side_of_a_plate_are_pushed_apart_and_those_on_two_sides_are_not() -> None:
    position = np.array([(0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (4.0, 0.0, 0.0), (4.1, 0.0, 0.0)])
    up = np.array([(0.0, 0.0, 1.0), (0.0, 0.0, 1.0), (0.0, 0.0, 1.0), (0.0, 0.0, -1.0)])
    scene = ants(
        GROUNDS["ceiling"],
        4,
        surfaces=surfaces([sheet()]),
        up=up,
        forward=(0.0, 1.0, 0.0),
        speed=0.5,
        behaviors=[],
        vehicle={"max_speed": 1.0, "cruise_speed": 0.5, "radius": 0.3, "keep_apart": True},
    )
    states = replace(scene, position=position).run(2 * FPS)
    gap = np.linalg.norm(positions(states)[-1, 1::2] - positions(states)[-1, ::2], axis=1)
    assert gap[0] > 0.59 and gap[1] == pytest.approx(0.1)
    assert off_surface(states).max() < 1e-9
    mishaps = Mishaps(4)
    for frame, state in enumerate(states):
        mishaps.look(frame, state)
    assert (mishaps.frames[OVERLAP] >= 0).tolist() == [True, True, False, False]


def test_a_surface_that_is_gone_holds_no_ant() -> None:
    scene = ants(GROUNDS["globe"])
    scene = replace(scene, surfaces=surfaces([GROUNDS["globe"].faces], [True]))
    none = np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)

    def at(frame: int, snapshot: Snapshot) -> Snapshot:
        return replace(
            snapshot, surfaces=scene.surfaces.with_faces(0, *(none if frame >= 5 else GROUNDS["globe"].faces))
        )

    states = scene.run(12, at=at)
    assert [state.outputs["off_ground"].all() for state in states] == [False] * 5 + [True] * 7
    level = positions(states)[6:, :, 2]
    assert np.ptp(level, axis=0).max() < 1e-9, "they crawl on the level"
    assert not replace(scene, surfaces=surfaces([none], [True])).run(3)[-1].outputs["off_ground"].min() < 1.0


def test_on_a_surface_that_shrinks_to_nothing_and_grows_again_everything_stays_finite() -> None:
    points, triangles = GROUNDS["globe"].faces
    scene = replace(ants(GROUNDS["globe"]), surfaces=surfaces([(points, triangles)], [True]))

    def at(frame: int, snapshot: Snapshot) -> Snapshot:
        size = (1.0, 0.5, 0.0, 0.0, 0.4)[frame % 5]
        return replace(
            snapshot, surfaces=scene.surfaces.with_points(0, points * (size, size, 1.0 if frame < 15 else size))
        )

    for state in scene.run(30, at=at):
        motion, pose = state.motion, state.pose
        for axes in ((motion.side, motion.forward, motion.up), (pose.side, pose.forward, pose.up)):
            square = np.stack(axes, axis=1)
            assert np.abs(square @ np.swapaxes(square, 1, 2) - np.eye(3)).max() < 1e-6
        assert np.isfinite(motion.position).all()


def on_a_floor(faces: list[Faces], place: np.ndarray, forward: np.ndarray) -> Scene:
    """Ants on a level floor that go straight on."""
    return ants(
        Ground(sheet()),
        len(place),
        position=place,
        forward=forward,
        up=np.broadcast_to((0.0, 0.0, 1.0), place.shape),
        behaviors=[],
        surfaces=surfaces(faces),
    )


def held(scene: Scene, states: list[State]) -> np.ndarray:
    """(f, n) the rows of the surfaces that they hold on to."""
    return np.array([scene.surfaces.surface_of(state.bodies["crawling"].triangle) for state in states])


@sampled(one_of=2)
@pytest.mark.parametrize("height", [0.6, 1.0], ids=["sunk", "resting"])
def test_from_a_floor_they_go_up_a_ball_and_down_to_the_floor_again(height: float) -> None:
    """A step over the seam is hardly longer than another, and no ant gets into the ball or below the floor."""
    points, triangles = globe(1.0)
    turn = np.array([0.0, 2.0])
    out = np.stack((np.cos(turn), np.sin(turn), 0.0 * turn), axis=1)
    start = out * np.array([1.2, 2.6])[:, None]
    scene = on_a_floor([sheet(), (points + np.array((0.0, 0.0, height)), triangles)], start, -out)
    states = scene.run(FPS * 12)
    on, place = held(scene, states), positions(states)
    assert (np.abs(np.diff(on, axis=0)).sum(axis=0) == 2).all(), "each goes up once, and comes down once"
    assert (on[0] == 0).all() and (on[-1] == 0).all()
    assert np.linalg.norm(np.diff(place, axis=0), axis=-1).max() < 1.1 * speeds(states).max() / FPS
    from_middle = np.linalg.norm(place - (0.0, 0.0, height), axis=-1)
    assert from_middle[on == 0].min() > 0.98 and from_middle[on == 1].max() < 1.001
    assert place[..., 2].min() > -1e-9


def test_over_the_seam_of_two_floors_and_up_a_wall_that_begins_there_they_go_on() -> None:
    points, triangles = sheet(2.0, 8)
    left, right = (points + np.array((x, 0.0, 0.0)) for x in (-2.0, 2.0))
    wall = np.column_stack((0.0 * points[:, 0] + 4.0, points[:, 1], points[:, 0] + 2.0))
    start = np.array([(-1.0, y, 0.0) for y in (-1.0, 0.0, 1.1)])
    ahead = np.broadcast_to((1.0, 0.0, 0.0), (3, 3))
    scene = on_a_floor([(left, triangles), (right, triangles), (wall, triangles)], start, ahead)
    states = scene.run(FPS * 8)
    on = held(scene, states)
    assert (on[-1] == 2).all() and all(set(column) == {0, 1, 2} for column in on.T)
    assert np.linalg.norm(np.diff(positions(states), axis=0), axis=-1).max() < 1.1 * speeds(states).max() / FPS
