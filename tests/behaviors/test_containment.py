"""Containment (paper): no steering while the predicted position is inside, else back into the region."""

from dataclasses import replace

import numpy as np
import pytest

from scripts.preset_crowds import crowd, shipped
from steering_addon.behaviors.containment import CROSS, SEEK, TURN, Containment, Returning
from steering_addon.behaviors.wander import Wander
from steering_addon.locomotion import OnFoot, Planar, Wheeled
from steering_addon.simulation.geometry.regions import BOX, SPHERE, Regions, regions
from tests.sampling import sampled
from tests.scene import Scene, about, positions
from tests.surfaces import mesh_regions, ring

SLANTED = np.stack([about((0.2, 0.5, 1.0), 35.0).T])
REGIONS = {
    "sphere": regions([[10.0, 0.0, 5.0]], 20.0, SPHERE),
    "stretched sphere": regions([[10.0, 0.0, 5.0]], [40.0, 20.0, 12.0], SPHERE, SLANTED),
    "box": regions([[10.0, 0.0, 5.0]], [20.0, 15.0, 12.0], BOX),
    "turned box": regions([[10.0, 0.0, 5.0]], [30.0, 20.0, 12.0], BOX, SLANTED),
}

every_region = pytest.mark.parametrize("region", REGIONS.values(), ids=REGIONS.keys())


FPS = 12


def kept(region: Regions, position: object = (10.0, 0.0, 5.0), **changes: object) -> Scene:
    values = changes.pop("values", {})
    return Scene(position, behaviors=[(Containment, values)], regions=region, **({"fps": FPS} | changes))  # type: ignore[arg-type]


def outside(region: Regions, points: np.ndarray) -> np.ndarray:
    """The distance of each point from the region, metres, by the definition of a ball and of a box."""
    local = (points - region.centre[0]) @ region.axes[0].T
    half = region.half[0]
    if region.shape[0] == BOX:
        return np.linalg.norm(np.maximum(np.abs(local) - half, 0.0), axis=-1)
    share = np.linalg.norm(local / half, axis=-1)
    return np.linalg.norm(local, axis=-1) * np.maximum(1.0 - 1.0 / np.maximum(share, 1.0), 0.0)


@every_region
def test_while_the_predicted_position_is_inside_it_does_nothing(region: Regions) -> None:
    rng = np.random.default_rng(0)
    place = kept(region, rng.uniform(-30.0, 50.0, (200, 3)), forward=rng.normal(size=(200, 3)), speed=4.0)
    future = place.position + place.start().motion.velocity * 1.5
    inside = outside(region, future) == 0.0
    force = place.steering()[0]
    assert 5 < inside.sum() < 190
    assert (force[inside] == 0.0).all()
    assert (force[~inside] != 0.0).any(axis=1).all()


@every_region
def test_it_steers_toward_the_region_mostly_across_the_heading(region: Regions) -> None:
    rng = np.random.default_rng(1)
    place = kept(region, rng.uniform(-60.0, 80.0, (200, 3)), forward=rng.normal(size=(200, 3)), speed=0.0)
    force = place.steering()[0]
    pushed = (force != 0.0).any(axis=1)
    along = np.einsum("ij,ij->i", force, place.forward)
    step = place.position + 1e-4 * force
    nearer = outside(region, step) - outside(region, place.position)
    assert (nearer[pushed] < 0.0).all()
    assert (np.abs(along) <= 0.3 + 1e-9).all(), "it turns rather than brakes"


@pytest.mark.parametrize("heading", [(1.0, 0.0, 0.0), (0.0, -1.0, 1e-9)])
def test_a_vehicle_that_heads_straight_out_turns_to_a_side(heading: tuple[float, ...]) -> None:
    """Its way back has no component across its heading."""
    out = np.array((10.0, 0.0, 5.0)) + 25.0 * np.array(heading)
    [force] = kept(REGIONS["sphere"], out, forward=heading, speed=4.0).steering()[0]
    assert np.linalg.norm(force - (force @ heading) * np.array(heading)) > 0.1


@sampled
@every_region
def test_vehicles_that_stray_return(region: Regions) -> None:
    rng = np.random.default_rng(2)
    place = kept(
        region,
        region.centre[0] + rng.normal(size=(30, 3)) * 25.0,
        forward=rng.normal(size=(30, 3)),
        speed=4.0,
        vehicle={"max_force": 20.0},
        values={"weight": 8.0},
    )
    far = outside(region, positions(place.run(FPS * 30)))
    assert far[0].max() > 10.0
    assert far[FPS * 15 :].max() < 0.35 * region.half.min(), "no further out than where it steers with full weight"


def test_the_force_sets_in_softly() -> None:
    """It is zero at the edge and rises linearly to the full weight."""

    def push(depth: float) -> float:
        place = kept(regions([[0.0, 0.0, 0.0]], 10.0, SPHERE), [[10.0 + depth, 0.0, 0.0]])
        return float(np.linalg.norm(place.steering()[0]))

    assert push(0.0) == 0.0
    assert push(0.01) == pytest.approx(0.01 / 3.5)
    assert push(1.75) == pytest.approx(0.5)
    assert push(3.5) == pytest.approx(1.0)
    assert push(50.0) == pytest.approx(1.0)


def test_without_a_named_region_the_nearest_that_is_present_counts() -> None:
    two = regions([[0.0, 0.0, 0.0], [100.0, 0.0, 0.0]], 5.0, SPHERE)
    at = [[40.0, 0.0, 0.0], [60.0, 0.0, 0.0]]
    assert np.sign(kept(two, at).steering()[0][:, 0]).tolist() == [-1.0, 1.0]
    assert np.sign(kept(two, at, values={"region": [1, 0]}).steering()[0][:, 0]).tolist() == [1.0, -1.0]
    assert (kept(two, at, values={"region": -1}).steering()[0] == 0.0).all()
    second = replace(two, present=np.array([False, True]))
    assert kept(second, at).steering()[0][0, 0] > 0.0
    assert (kept(second, at, values={"region": 0}).steering()[0] == 0.0).all()


@pytest.mark.parametrize("method", [TURN, CROSS])
def test_on_the_ground_it_does_not_steer_up_or_down(method: int) -> None:
    above = regions([[0.0, 0.0, 30.0]], 10.0, SPHERE)
    place = kept(above, [[20.0, 3.0, 0.0]], locomotions=[(Planar, {})], values={"method": method})
    [force] = place.steering()
    assert force[0, 2] == 0.0
    assert force[0, 0] < 0.0


def test_it_stays_in_a_mesh() -> None:
    """It flies round inside a ring for ten seconds, and returns into a turned block."""
    angle = np.arange(6) * np.pi / 3.0
    place = Scene(
        np.stack((8.0 * np.cos(angle), 8.0 * np.sin(angle), 0.0 * angle), axis=-1),
        np.stack((-np.sin(angle), np.cos(angle), 0.0 * angle), axis=-1),
        speed=3.0,
        behaviors=[(Wander, {}), (Containment, {})],
        vehicle={"max_speed": 4.0, "max_force": 12.0},
        regions=mesh_regions([ring(8.0, 3.0)], [[0.0, 0.0, 0.0]]),
    )
    path = positions(place.run(144))
    tube = np.hypot(np.hypot(path[..., 0], path[..., 1]) - 8.0, path[..., 2])
    assert tube.max() < 4.0 and np.median(tube) < 2.5
    free = replace(place, behaviors=place.behaviors[:1])
    far = positions(free.run(144))
    assert np.hypot(np.hypot(far[..., 0], far[..., 1]) - 8.0, far[..., 2]).max() > 6.0


@every_region
def test_by_seeking_it_heads_for_a_point_inside_as_soon_as_it_would_leave(region: Regions) -> None:
    rng = np.random.default_rng(3)
    place = kept(
        region,
        rng.uniform(-30.0, 50.0, (200, 3)),
        forward=rng.normal(size=(200, 3)),
        speed=4.0,
        values={"method": SEEK},
    )
    force, future = place.steering()[0], place.position + place.start().motion.velocity * 1.5
    inside = outside(region, future) == 0.0
    assert (force[inside] == 0.0).all()
    assert (force[~inside] != 0.0).any(axis=1).all()
    # The force is the desired heading minus its own, which are mirror images.
    turn = force / np.maximum(np.linalg.norm(force, axis=1, keepdims=True), 1e-12)
    sought = place.forward - 2.0 * np.einsum("ij,ij->i", place.forward, turn)[:, None] * turn
    away = outside(region, place.position) > 0.1
    assert (away & ~inside).sum() > 5
    nearer = outside(region, place.position + 0.01 * sought) < outside(region, place.position)
    assert nearer[away & ~inside].all()


def test_a_turn_back_is_completed_after_the_predicted_position_is_inside_again() -> None:
    """By turning it comes to fly along the edge; by crossing it finally heads for the point inside."""
    region = regions([[0.0, 0.0, 0.0]], 20.0, SPHERE)

    def closest(method: int) -> float:
        place = kept(
            region,
            [[13.0, 0.0, 0.0]],
            forward=[[0.5, 0.85, 0.0]],
            speed=4.0,
            vehicle={"max_force": 12.0},
            values={"method": method, "weight": 8.0},
        )
        return float(np.linalg.norm(positions(place.run(FPS * 8)), axis=-1).min())

    assert closest(CROSS) < closest(TURN) - 2.0


def test_while_no_turn_is_to_be_completed_crossing_does_nothing() -> None:
    place = kept(regions([[0.0, 0.0, 0.0]], 20.0, SPHERE), [[0.0, 0.0, 0.0]], speed=4.0, values={"method": CROSS})
    assert (place.steering()[0] == 0.0).all()


def test_a_crowd_turns_to_one_side_where_each_to_the_nearer_would_part_it() -> None:
    """It heads out abreast: what is behind it is to the right of some and to the left of others."""
    region, sides = regions([[0.0, 0.0, 0.0]], 20.0, SPHERE), []
    start = np.array([[x, 25.0, 0.0] for x in np.linspace(-6.0, 6.0, 13)] + [[0.0, 0.0, 0.0]])
    heading = np.array([[0.0, 1.0, 0.0]] * 13 + [[1.0, 0.0, 0.0]])
    for time in np.arange(0.0, 100.0, 2.5):
        place = kept(region, start, forward=heading, speed=4.0, values={"method": CROSS})
        world, agents, [stay] = place.seen()
        force = stay.steer(replace(world, time=float(time)), agents, Returning.blank(14)).force
        sides.append(np.sign(force[:13, 0]))
    assert (np.ptp(sides, axis=1) == 0.0).all()
    assert {-1.0, 1.0} == set(np.ravel(sides).tolist()), "sometimes left, sometimes right"


def test_who_heads_another_way_than_its_crowd_turns_to_the_side_that_is_nearer() -> None:
    region, abreast = regions([[0.0, 0.0, 0.0]], 20.0, SPHERE), np.linspace(-6.0, 6.0, 13)
    start = [[x, 25.0, 0.0] for x in abreast] + [[25.0, 9.0, 0.0], [25.0, -9.0, 0.0]]
    heading = [[0.0, 1.0, 0.0]] * 13 + [[1.0, 0.0, 0.0]] * 2
    place = kept(region, start, forward=heading, speed=4.0, values={"method": CROSS, "change_rate": 0.0})
    alone = kept(region, start[13:], forward=heading[13:], speed=4.0, values={"method": CROSS, "change_rate": 0.0})
    alone.identity = place.identity[13:]
    strays = place.steering()[0][13:]
    assert np.sign(strays[:, 1]).tolist() == np.sign(alone.steering()[0][:, 1]).tolist()


GROUNDED = ("child", "pedestrian", "herd", "sheep", "car")
"""The presets with this behavior whose bodies have a turning circle."""
AGAINST_IT = np.radians((0.0, 25.0, 50.0, 70.0, 89.0))
"""Angles off the border's normal at which they come, the last ones to reach a corner first."""


@sampled(one_of=9)
@pytest.mark.parametrize("name", GROUNDED)
def test_what_walks_or_drives_turns_back_before_it_is_beyond_the_border_by_more_than_its_body(name: str) -> None:
    preset, n = shipped(name), len(AGAINST_IT)
    pace = preset.vehicle["max_speed"] * preset.vehicle["cruise_speed"]
    half = 5.0 * pace + 12.0 * preset.body_length
    direction = np.stack((np.cos(AGAINST_IT), np.sin(AGAINST_IT), 0.0 * AGAINST_IT), axis=-1)
    start = np.stack((np.full(n, half - 4.0 * pace), np.linspace(-0.5, 0.1, n) * half, np.zeros(n)), axis=-1)
    scene = replace(
        crowd(preset, n, 1, 1.0),
        position=start,
        forward=direction,
        speed=pace,
        regions=regions([[0.0, 0.0, 0.0]], half, BOX),
        fps=FPS,
    )
    scene.behaviors = [behavior for behavior in scene.behaviors if behavior[0] is Containment]
    way = positions(scene.run(FPS * 11))
    assert np.abs(way).max() < half + 0.5 * preset.body_length
    assert (np.abs(way).max(axis=(0, 2)) > half - 4.0 * preset.body_length).sum() >= 3, "most reach the border"


def test_without_a_border_ahead_a_turning_circle_changes_nothing() -> None:
    region = regions([[0.0, 0.0, 0.0]], 60.0, BOX)
    place = kept(region, [[50.0, 0.0, 0.0]], forward=(-1.0, 0.0, 0.0), speed=4.0, locomotions=[(OnFoot, {})])
    [force] = place.steering()
    assert (force == 0.0).all()


def test_a_car_slows_down_before_a_border_that_it_meets_head_on() -> None:
    """Its circle at 14 m/s is ten times that at walking pace."""
    region = regions([[0.0, 0.0, 0.0]], 100.0, BOX)
    place = kept(region, [[0.0, 0.0, 0.0]], forward=(1.0, 0.0, 0.0), speed=14.0, locomotions=[(Wheeled, {})])
    place.vehicle = {"max_speed": 16.0, "max_force": 4.0, "radius": 2.0}
    states = place.run(FPS * 14)
    pace = np.linalg.norm([state.motion.velocity[0] for state in states], axis=-1)
    assert positions(states)[:, 0, 0].max() < 100.0
    assert pace[: FPS * 2].min() > 10.0 and pace.min() < 9.0


def test_what_drives_starts_as_fast_as_it_can_turn_back_before_a_border() -> None:
    """Also without a path: at its usual speed it would be past the border before it could brake."""
    region = regions([[0.0, 0.0, 0.0]], 100.0, BOX)
    place = kept(region, [[95.0, 0.0, 0.0], [0.0, 0.0, 0.0]], forward=(1.0, 0.0, 0.0), speed=14.0)
    place.vehicle, place.locomotions = {"max_speed": 16.0, "max_force": 4.0, "radius": 2.0}, [(Wheeled, {})]
    near, far = np.linalg.norm(place.run(1)[0].motion.velocity, axis=-1)
    assert near < 5.0 and far > 13.0
