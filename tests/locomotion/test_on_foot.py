"""On Foot: what feet do on hills, stairs, bridges, edges and things that move."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors.alignment import Alignment
from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.cohesion import Cohesion
from steering_addon.behaviors.evasion import Evasion
from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.behaviors.pursuit import Pursuit
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.separation import Separation
from steering_addon.behaviors.unaligned_collision_avoidance import UnalignedCollisionAvoidance
from steering_addon.behaviors.wander import Wander
from steering_addon.locomotion import OnFoot
from steering_addon.locomotion.headings import (
    SWINGS,
    Turn,
    sine_between,
    swing_over,
    turn_rate_between,
    turn_toward,
)
from steering_addon.locomotion.on_foot import FALL, STOP, TURN_BACK
from steering_addon.locomotion.walkable import Walkable
from steering_addon.simulation.geometry.obstacles import boxes
from steering_addon.simulation.geometry.surfaces import Surfaces, surfaces
from steering_addon.simulation.snapshot import State
from tests.locomotion.grounds import hills, on, plane
from tests.sampling import sampled
from tests.scene import Scene, leaders, positions, speeds, ups
from tests.simulation.ways.grounds import quads
from tests.surfaces import four_cornered, patch, plate

FPS = 24
ON_FOOT = "on_foot"


def herd(ground: Surfaces, n: int = 60, seed: int = 0, half: float = 25.0, behaviors: Any = None, **foot: Any) -> Scene:
    """Animals that wander as a herd on ground they can climb."""
    rng = np.random.default_rng(seed)
    places = on(ground, rng.uniform(-half, half, (20 * n, 2)))
    reach = np.full(len(places), 0.1)
    footing = ground.under(*places.T, reach, reach)
    gentle = ground.face_normal(footing.triangle)[:, 2] > np.cos(0.6)
    turn = rng.uniform(0.0, 2.0 * np.pi, n)
    return Scene(
        places[gentle][:n],
        forward=np.stack((np.cos(turn), np.sin(turn), 0.0 * turn), axis=1),
        speed=0.8,
        behaviors=behaviors or [(Separation, {}), (Alignment, {}), (Cohesion, {}), (Wander, {"strength": 1.0})],
        vehicle={"max_speed": 1.6, "mass": 2.0, "max_force": 6.0, "radius": 0.4, "cruise_speed": 0.5},
        locomotions=[(OnFoot, {"turn_radius": 2.5, "turn_on_the_spot": 0.0, **foot})],
        surfaces=ground,
        fps=FPS,
    )


def walker(place: Any, target: Any, ground: Surfaces, **foot: Any) -> Scene:
    return walkers([place], [target], ground, **foot)


def walkers(places: Any, targets: Any, ground: Surfaces, **foot: Any) -> Scene:
    """Walkers that take no notice of each other, each with a target: one run instead of one for each."""
    n = len(places)
    return Scene(
        places,
        forward=(1.0, 0.0, 0.0),
        speed=1.0,
        behaviors=[(Seek, {"target": n + np.arange(n)})],
        vehicle={"max_speed": 1.5, "mass": 2.0, "max_force": 8.0, "radius": 0.3},
        locomotions=[(OnFoot, foot)],
        tracked=leaders(*targets),
        surfaces=ground,
        fps=FPS,
    )


def height_above(ground: Surfaces, states: list[State]) -> np.ndarray:
    """(frames, n) metres from the nearest of the surfaces within a metre up to the vehicles, nan for none."""
    place = positions(states)
    x, y, z = place.reshape(-1, 3).T
    near = np.full(len(z), 1.0)
    return (z - ground.under(x, y, z, near, near).height).reshape(place.shape[:2])


def steepness(ground: Surfaces, states: list[State]) -> np.ndarray:
    """(frames, n) the slope of the face under each vehicle, radians."""
    triangle = np.concatenate([state.bodies[ON_FOOT].triangle for state in states])
    return np.arccos(ground.face_normal(triangle)[:, 2]).reshape(len(states), -1)


def ways(states: list[State]) -> np.ndarray:
    return np.diff(positions(states), axis=0)


def cornered(states: list[State]) -> np.ndarray:
    return np.stack([state.bodies[ON_FOOT].cornered for state in states])


STEEP = 11.0
"""The height of hills a third of which is too steep."""
GROUNDS = {"gentle": (hills(height=1.5), 25.0), "steep": (hills(height=STEEP), 25.0), "small": (plane(half=12.0), 10.0)}
"""Points and triangles, and how far from the middle a herd starts, metres."""


@pytest.fixture(scope="module", params=GROUNDS, ids=list(GROUNDS))
def roaming(request) -> tuple[Surfaces, list[State]]:
    faces, half = GROUNDS[request.param]
    ground = surfaces([faces])
    return ground, herd(ground, half=half).run(4 * FPS)


@sampled
def test_on_every_frame_the_feet_are_on_the_ground(roaming) -> None:
    ground, states = roaming
    assert np.abs(height_above(ground, states)).max() < 1e-9


def test_it_walks_forward_and_never_sideways(roaming) -> None:
    _, states = roaming
    way = ways(states)[..., :2]
    forward = np.stack([state.motion.forward for state in states])[1:, :, :2]
    assert np.abs(way[..., 0] * forward[..., 1] - way[..., 1] * forward[..., 0]).max() < 1e-9
    assert ((way * forward).sum(axis=-1) > -1e-12).all()


def test_it_stands_or_walks_but_does_not_creep(roaming) -> None:
    _, states = roaming
    speed = np.linalg.norm(ways(states), axis=-1) * FPS
    slowest = 0.1 * 0.5 * 1.6
    assert ((speed > 1e-9) & (speed < 0.9 * slowest)).mean() < 1e-3


def test_what_stands_does_not_turn_unless_it_is_cornered(roaming) -> None:
    _, states = roaming
    stands = np.linalg.norm(ways(states), axis=-1) == 0.0
    forward = np.stack([state.motion.forward for state in states])
    turned = np.abs(np.diff(forward, axis=0)).max(axis=-1) > 1e-9
    assert not (stands & turned & ~cornered(states)[:-1]).any()


def test_no_turn_is_tighter_than_its_turn_radius_where_that_has_room(roaming) -> None:
    _, states = roaming
    forward = np.stack([state.motion.forward for state in states])
    turn = np.linalg.norm(np.cross(forward[:-1], forward[1:]), axis=-1)
    walked = np.linalg.norm(np.stack([state.motion.velocity for state in states]), axis=-1) / FPS
    has_room = np.stack([state.bodies[ON_FOOT].has_room for state in states])
    free = ~(cornered(states)[:-1] | cornered(states)[1:]) & has_room[1:]
    assert free.mean() > 0.7
    most = np.maximum(walked[:-1], walked[1:]) / 2.5
    assert (turn <= 1.001 * most + 1e-9)[free].all()


def test_what_stands_at_its_place_does_not_turn_after_pushes_too_weak_to_set_off() -> None:
    scene = walker((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), surfaces([plane(half=20.0)]))
    states = replace(scene, speed=0.0, behaviors=[(Arrival, {}), (Wander, {"strength": 0.1})]).run(4 * FPS)
    forward = np.stack([state.motion.forward for state in states])
    assert speeds(states).max() == 0.0
    assert (forward == forward[0]).all()


@pytest.mark.parametrize("slope", [0.0, 0.4])
def test_an_animal_that_nothing_moves_comes_to_rest_and_does_not_creep(slope: float) -> None:
    """It reacts more slowly than it brakes, and takes what brakes it for a call from behind otherwise.

    It is to stand, so that it has no pace that says what creeping is; its size does.
    """
    ground = surfaces([plane(tilt=slope)])
    scene = Scene(
        on(ground, [(0.0, 0.0)]),
        forward=(0.6, 0.8, 0.0),
        speed=1.5,
        behaviors=[],
        vehicle={"max_speed": 1.6, "max_force": 7.0, "cruise_speed": 0.0, "response_time": 0.8, "speed_time": 0.4},
        locomotions=[(OnFoot, {"turn_on_the_spot": 0.0})],
        surfaces=ground,
        fps=FPS,
    )
    speed = speeds(scene.run(48))
    assert (speed[36:] == 0.0).all()
    slowest = 0.1 * 3.0 * scene.snapshot().vehicle.radius[0]
    assert ((speed == 0.0) | (speed > 0.9 * slowest)).all()


@pytest.mark.parametrize("hemmed_in", [True, False])
def test_an_animal_without_room_for_its_circle_before_a_wall_steps_round(hemmed_in: bool) -> None:
    animal = {"turn_radius": 2.5, "turn_on_the_spot": 0.0}
    scene = walker((0.0, 0.3, 0.0), (-20.0, 0.0, 0.0), surfaces([plane(half=30.0)]), **animal)
    wall = boxes([(1.5 if hemmed_in else 9.0, 0.0, 0.0)], [(0.3, 8.0, 2.0)])
    states = replace(scene, speed=0.0, obstacles=wall).run(FPS)
    assert (positions(states)[-1] == positions(states)[0]).all() == hemmed_in
    assert (states[-1].motion.forward[0, 0] < 0.9) == hemmed_in


def test_an_animal_with_its_nose_at_a_fence_turns_to_the_gate_as_fast_as_on_a_walk() -> None:
    """It has no room to walk round, and is in no hurry."""
    cow = Scene(
        [[5.0, -3.0, 0.0]],
        forward=[[0.2, 1.0, 0.0]],
        speed=1.0,
        behaviors=[(Seek, {"target": 1}), (ObstacleAvoidance, {"clearance": 0.8})],
        vehicle={
            "max_speed": 4.0,
            "cruise_speed": 0.5,
            "max_force": 1.9,
            "radius": 0.34,
            "length": 3.0,
            "keep_apart": True,
        },
        locomotions=[(OnFoot, {"turn_radius": 3.9, "turn_on_the_spot": 0.0, "max_turn_rate": 1.5})],
        tracked=leaders([0.0, 18.0, 0.0]),
        obstacles=boxes([[-16.25, 0.0, 1.0], [16.25, 0.0, 1.0]], [[13.75, 0.08, 1.0]] * 2),
        surfaces=surfaces([plane(half=30.0)]),
        fps=12.0,
    )
    states = cow.run(96)
    assert positions(states)[-1, 0, 1] > 1.0
    heading = np.unwrap([np.arctan2(*state.motion.forward[0, 1::-1]) for state in states])
    assert np.abs(np.diff(heading)).max() * 12.0 < 1.6


def test_the_ground_under_it_is_never_too_steep(roaming) -> None:
    ground, states = roaming
    assert steepness(ground, states).max() <= 0.61
    if steepness(ground, states).max() > 0.4:
        every = np.arccos(ground.layers[0].floor.slopes.cosine)
        assert (every > 0.61).mean() > 0.05


def test_a_hill_slows_it_down() -> None:
    ground = surfaces([plane(tilt=0.4)])
    up, down = (walker(on(ground, [(-6.0 * way, 0.0)])[0], (60.0 * way, 0.0, 0.0), ground) for way in (1.0, -1.0))
    down = Scene(**{**vars(down), "forward": (-1.0, 0.0, 0.0)})
    uphill, downhill = (speeds(scene.run(2 * FPS))[-1, 0] for scene in (up, down))
    assert uphill == pytest.approx(1.5 / (1.0 + 3.5 * 0.4 + 6.1 * 0.16), rel=0.01)
    assert downhill == pytest.approx(1.5, rel=0.01)


def test_its_speed_is_that_along_the_slope() -> None:
    ground = surfaces([plane(tilt=0.5)])
    states = walker(on(ground, [(0.0, 0.0)])[0], (15.0, 9.0, 7.5), ground, slowed_uphill=0.0).run(3 * FPS)
    assert np.linalg.norm(ways(states)[-1, 0]) * FPS == pytest.approx(speeds(states)[-1, 0], rel=1e-3)


@pytest.mark.parametrize("align", [0.0, 0.5, 1.0])
def test_it_leans_with_the_ground_by_the_share_it_is_told(align: float) -> None:
    ground = surfaces([plane(tilt=0.5)])
    states = walker(on(ground, [(-6.0, 0.0)])[0], (15.0, 0.0, 7.5), ground, align_to_ground=align).run(FPS)
    normal = np.array((-0.5, 0.0, 1.0)) / np.sqrt(1.25)
    wanted = normal * align + np.array((0.0, 0.0, 1.0)) * (1.0 - align)
    assert np.abs(ups(states)[:, 0] - wanted / np.linalg.norm(wanted)).max() < 1e-9
    pose = states[-1].pose
    axes = np.stack((pose.side[0], pose.forward[0], pose.up[0]))
    assert np.abs(axes @ axes.T - np.eye(3)).max() < 1e-12
    assert pose.forward[0, 1] == pytest.approx(0.0, abs=1e-9), "it faces where it goes"


@pytest.mark.parametrize("edge", [TURN_BACK, STOP])
def test_no_walker_stands_at_an_edge_sooner_than_braking_allows(edge: int) -> None:
    """Animals that run straight to the edge at 3 m/s, in turns of 2.5 m."""
    out, most = np.stack(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0))), 4.0
    scene = Scene(
        np.array([7.6, 7.8, 8.0, 8.2])[:, None] * out,
        forward=out + 0.1 * np.roll(out, 1, axis=0),
        speed=3.0,
        vehicle={"max_speed": 3.0, "mass": 2.0, "max_force": 2.0 * most, "cruise_speed": 1.0},
        locomotions=[(OnFoot, {"turn_radius": 2.5, "turn_on_the_spot": 0.0, "at_edge": edge})],
        surfaces=rim(10.0),
        fps=FPS,
    )
    place = positions(scene.run(64))[..., :2]
    pace = np.linalg.norm(np.diff(place, axis=0), axis=-1) * FPS
    assert (np.diff(pace, axis=0) * FPS).min() > -most * (1.0 + 1e-6)
    reached = 10.0 - np.abs(place).max(axis=-1)
    assert reached.min() >= 0.0
    if edge == STOP:
        assert (pace[-1] == 0.0).all()
        assert reached[-1].max() < 0.02, "they come up to it"


@pytest.mark.parametrize("edge", [TURN_BACK, STOP])
@pytest.mark.parametrize("drop", [0.35, 0.6, 1.0, 1.5])
def test_nobody_runs_up_to_an_edge_that_is_only_as_high_as_a_slope_to_there(drop: float, edge: int) -> None:
    """The side of a tier, with ground below, which is no slope: a gentle one leads down as before."""
    tiers = quads(plate(-20, -20, 0, 20), plate(-20, -20, 40, 20, -drop))
    vehicle = {"max_speed": 2.6, "mass": 2.0, "max_force": 8.0, "radius": 0.3}
    scene = replace(walker((-6.0, 0.0, 0.0), (30.0, 0.0, 0.0), tiers, at_edge=edge), speed=2.1, vehicle=vehicle)
    states = scene.run(4 * FPS)
    assert np.diff(speeds(states), axis=0).min() * FPS > -4.0 * (1.0 + 1e-6)
    assert -0.5 < positions(states)[:, 0, 0].max() < 0.0
    ramp = [(0, -20, 0), (3 * drop, -20, -drop), (3 * drop, 20, -drop), (0, 20, 0)]
    leads = replace(scene, surfaces=quads(plate(-20, -20, 0, 20), ramp, plate(3 * drop, -20, 40, 20, -drop)))
    assert positions(leads.run(5 * FPS))[-1, 0, 0] > 3.0


def rim(half: float = 8.0) -> Surfaces:
    return surfaces([plane(half=half)])


def test_at_an_edge_it_turns_back_and_keeps_walking() -> None:
    ground = rim()
    states = walker((0.0, 0.0, 0.0), (200.0, 30.0, 0.0), ground, at_edge=TURN_BACK).run(8 * FPS)
    assert np.abs(positions(states)[..., :2]).max() <= 8.0
    assert (height_above(ground, states) == 0.0).all()
    stands = (np.linalg.norm(ways(states), axis=-1) == 0.0).ravel()
    assert stands.mean() < 0.5


def test_over_an_edge_it_falls_to_the_ground_below_if_told_to() -> None:
    ground = surfaces([plane(half=4.0, height=3.0), plane(half=30.0)])
    states = walker((0.0, 0.0, 3.0), (25.0, 0.0, 0.0), ground, at_edge=FALL).run(5 * FPS)
    height = positions(states)[:, 0, 2]
    assert height[0] == 3.0 and height[-1] == 0.0
    falling = np.flatnonzero((height < 3.0) & (height > 0.0))
    assert 0.6 * FPS < len(falling) < 1.0 * FPS, "half a g t t = 3 m lasts 0.78 s"
    assert (np.diff(height) <= 0.0).all()


def test_what_falls_past_everything_is_off_the_ground() -> None:
    states = walker((0.0, 0.0, 0.0), (25.0, 0.0, 0.0), rim(4.0), at_edge=FALL).run(6 * FPS)
    assert states[FPS].outputs["off_ground"][0] == 0.0
    assert states[-1].outputs["off_ground"][0] == 1.0
    assert positions(states)[-1, 0, 2] < -3.0


def test_it_climbs_stairs_whose_steps_are_low_enough() -> None:
    profile = [(-10.0, 0.0), (0.0, 0.0)]
    for step in range(8):
        profile += [(0.3 * step, 0.17 * (step + 1)), (0.3 * (step + 1), 0.17 * (step + 1))]
    profile += [(12.0, profile[-1][1])]
    ground = surfaces([patch(np.array([[(x, y, z) for x, z in profile] for y in (-3.0, 3.0)]))])
    heights = np.array([0.2, 0.1])
    both = walkers([(-2.0, 0.0, 0.0)] * 2, [(6.0, 0.0, 1.0)] * 2, ground, step_height=heights)
    for end, climbs in zip(positions(both.run(8 * FPS))[-1], (True, False), strict=True):
        assert (end[2] == pytest.approx(8 * 0.17)) == climbs
        assert (end[0] > 2.4) == climbs


def slabs(*slabs: tuple[float, float, float, float, float]) -> Surfaces:
    """One surface of level rectangles, each from west and south to east and north at a height."""
    return surfaces([plane(half=12.0), four_cornered(*(plate(*slab) for slab in slabs))])


def test_who_stands_beside_stairs_steps_back_on_them_and_does_not_walk_on_in_the_air() -> None:
    """As over the corner between a stage and its stairs, on whose other side these have become too low."""
    treads = [(-8.0 + 0.3 * k, -1.0, -7.7 + 0.3 * k, 1.0, 1.0 - (k + 1) / 6.0) for k in range(5)]
    every = np.ones(3)
    walkable = Walkable(slabs(*treads), 0.6 * every, 0.3 * every, 1.8 * every, every > 0.0, every > 0.0)
    feet = np.array([[-7.82, -1.08, 0.67], [-7.82, -1.08, 0.67], [-7.82, -3.0, 0.67]])
    way, ground = walkable.beside(feet, np.array([0.05, 1.0, 1.0]))
    assert way[1, 1] == pytest.approx(0.105, abs=1e-6) and abs(way[1, 0]) < 0.06
    assert np.linalg.norm(way[0]) == pytest.approx(0.05) and (way[2] == 0.0).all()
    assert (ground.triangle >= 0).tolist() == [True, True, False]
    assert 0.67 < ground.height[0] < ground.height[1] == pytest.approx(5.0 / 6.0)


def bridge() -> Surfaces:
    """A deck from hill to hill along x over a road along y."""
    top = np.array([(x, y, 4.0 + z) for z in (0.0, -0.2) for x, y in ((-12, -2), (12, -2), (12, 2), (-12, 2))])
    faces = [(0, 1, 2), (0, 2, 3), (4, 6, 5), (4, 7, 6)]
    faces += [f for a, b in ((0, 1), (1, 2), (2, 3), (3, 0)) for f in ((a, b, b + 4), (a, b + 4, a + 4))]
    return surfaces([plane(half=20.0), (top, np.array(faces))])


AVOIDING = UnalignedCollisionAvoidance, {"weight": 2.0, "distance": 6.0, "look_ahead_time": 4.0, "clearance": 0.15}


def test_nobody_walks_into_a_stage_or_under_a_table_but_who_is_there_comes_out() -> None:
    """Also those that others push there: the sides of a stage hold as a wall does."""
    ground = surfaces([plane(half=12.0), plane(half=3.0, height=0.9)])
    rng, n = np.random.default_rng(2), 16
    throng = walkers(
        np.column_stack((np.full(n, -5.0), rng.uniform(-2.5, 2.5, n), np.zeros(n))), n * [(0, 0, 0)], ground
    )
    throng.vehicle["keep_apart"] = True
    place = positions(throng.run(4 * FPS))
    assert (place[..., 2] == 0.0).all() and (place[-1, :, 0] > -4.0).any()
    assert not ((np.abs(place[..., :2]) < 3.0).all(axis=-1)).any()
    table = surfaces([plane(half=12.0), plane(half=1.5, height=0.9)])
    comes_out = positions(walker((0.5, 0.0, 0.0), (6.0, 0.0, 0.0), table).run(4 * FPS))
    assert comes_out[-1, 0, 0] > 4.0


def test_over_and_under_a_bridge_each_keeps_to_its_storey_and_out_of_nobodys_way() -> None:
    both = walkers([(-10.0, 0.0, 4.0), (0.0, -10.0, 0.0)], [(11.0, 0.0, 4.0), (0.0, 11.0, 0.0)], bridge())
    both.behaviors, both.fps = [*both.behaviors, AVOIDING], 12.0
    both.forward = np.array([(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)])
    place = positions(both.run(14 * 12))
    assert (place[..., 2] == (4.0, 0.0)).all()
    assert (place[:, 0, 1] == 0.0).all() and (place[:, 1, 0] == 0.0).all()
    assert place[-1, 0, 0] > 8.0 and place[-1, 1, 1] > 8.0


def test_two_who_meet_on_a_slope_of_thirty_degrees_pass_without_a_contact() -> None:
    ground = surfaces([plane(half=40.0, tilt=0.58)])
    both = walkers(on(ground, [[-4.0, 0.0], [4.0, 0.1]]), on(ground, [[30.0, 0.0], [-30.0, 0.1]]), ground)
    both.behaviors, both.fps = [*both.behaviors, AVOIDING], 12.0
    both.forward = np.array([(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)])
    both.locomotions = [(OnFoot, {"turn_radius": 0.2, "slowed_uphill": 0.0})]
    place = positions(both.run(5 * 12))
    assert np.linalg.norm(place[:, 0] - place[:, 1], axis=1).min() > 2.0 * 0.3
    assert place[-1, 0, 0] > place[-1, 1, 0]


def test_its_origin_is_held_above_the_ground_by_its_lift() -> None:
    ground = surfaces([hills(height=1.5)])
    scene = herd(ground, n=10)
    scene.position[:, 2] += 0.7
    states = scene.run(FPS, at=lambda frame, snapshot: replace(snapshot, lift=np.full(10, 0.7)))
    assert np.abs(height_above(ground, states) - 0.7).max() < 1e-9


def test_at_the_start_it_finds_the_ground_near_it() -> None:
    ground = surfaces([plane(height=0.0), plane(half=5.0, height=3.0)])
    for start, ends in ((0.3, 0.0), (-1.5, 0.0), (2.8, 3.0), (1.6, 3.0)):
        states = walker((0.0, 0.0, start), (4.0, 0.0, 0.0), ground).run(2)
        assert positions(states)[0, 0, 2] == ends


def test_without_ground_it_walks_at_its_height_and_says_so_and_steps_onto_what_comes() -> None:
    ground = surfaces([plane(half=5.0, height=0.1)])
    states = walker((-12.0, 0.0, 0.0), (3.0, 0.0, 0.0), ground).run(7 * FPS)
    off = np.array([state.outputs["off_ground"][0] for state in states])
    assert off[0] == 1.0 and off[-1] == 0.0
    height = positions(states)[:, 0, 2]
    assert (height[off > 0.0] == 0.0).all() and (height[off == 0.0] == 0.1).all()


def test_what_turns_to_one_side_does_not_count_for_a_turn_to_the_other() -> None:
    heading = np.tile([1.0, 0.0], (4, 1))
    to_left, to_right = [0.0, 1.0], [-0.6, -0.8]
    sine = sine_between(heading, np.array([to_left, to_right, to_left, to_right]))
    toward = turn_toward(sine, np.array([2.0, 2.0, -2.0, -2.0]))
    assert toward.tolist() == [2.0, 0.0, 0.0, 2.0]
    forward = np.array([[np.cos(0.1), s * np.sin(0.1)] for s in (1.0, -1.0)])
    assert turn_rate_between(heading[:2], forward, 1.0 / FPS) == pytest.approx([0.1 * FPS, -0.1 * FPS], rel=1e-3)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_turn_with_swing_begins_and_ends_gradually_and_hardly_overshoots(side: float) -> None:
    dt, rate = 1.0 / FPS, 3.0
    heading, direction = np.array([[1.0, 0.0]]), np.array([[np.cos(1.4), side * np.sin(1.4)]])
    turns = [0.0]
    for _ in range(2 * FPS):
        turn = Turn.between(heading, direction)
        most, turning = np.array([rate]), np.array([turns[-1]])
        forward = swing_over(turn, turn.by(most * dt), np.array([True]), turning, most, most, dt)
        turns.append(turn_rate_between(heading, forward, dt)[0])
        heading = forward
    assert max(side * np.array(turns)) > 0.8 * rate and min(side * np.array(turns)) > -0.03 * rate
    assert np.abs(np.diff(turns)).max() <= 1.01 * rate * dt / SWINGS
    assert (heading * direction).sum() > 1.0 - 1e-6


PERSON = {"max_speed": 3.4, "cruise_speed": 0.4, "max_force": 0.5, "mass": 0.25}
WOLF = {"max_speed": 6.0, "cruise_speed": 0.22, "max_force": 1.25, "mass": 0.25}
DEER = {"max_speed": 5.0, "cruise_speed": 1.0, "max_force": 3.0, "mass": 0.25, "response_time": 0.2}


@pytest.mark.parametrize(
    ("behavior", "vehicle", "pivot", "whirl", "speed", "within"),
    [
        (Pursuit, PERSON, np.pi, 4.7, 0.0, 0.8),
        (Evasion, PERSON, np.pi, 4.7, 0.0, 0.8),
        (Evasion, PERSON, np.pi, 4.7, 0.9, 0.8),
        (Evasion, PERSON, np.pi, 4.7, 1.33, 0.8),
        (Evasion, DEER, 0.0, 7.0, 0.0, 0.55),
        (Evasion, DEER, 0.0, 7.0, 0.7, 0.55),
        (Pursuit, WOLF, 0.0, 6.5, 0.0, 0.7),
        (Pursuit, WOLF, 0.0, 6.5, 1.32, 0.8),
    ],
)
def test_one_that_hurries_whirls_round_to_what_is_behind_it_and_goes(
    behavior: type, vehicle: dict, pivot: float, whirl: float, speed: float, within: float
) -> None:
    place = Scene(
        [[0.0, 0.0, 0.0]],
        forward=[[0.1, -1.0, 0.0]],
        speed=speed,
        behaviors=[(behavior, {})],
        vehicle=vehicle,
        locomotions=[(OnFoot, {"turn_on_the_spot": pivot, "whirl": whirl})],
        tracked=leaders([0.0, 30.0 if behavior is Pursuit else -6.0, 0.0]),
        fps=FPS,
    )
    states = place.run(2 * FPS)
    faces = np.array([state.motion.forward[0, 1] for state in states]) > np.cos(np.radians(30.0))
    assert faces.argmax() / FPS <= within and faces[-1]
    assert states[-1].motion.velocity[0, 1] > 2.0
    assert np.diff(positions(states)[:, 0, 1]).min() > -speed / FPS - 1e-9, "it does not gain speed the wrong way"
