"""Over steps: bodies that walk over steps rise and sink evenly, and stand where their ground is."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.wander import Wander
from steering_addon.locomotion import OnFoot
from steering_addon.locomotion.on_foot import FALL
from steering_addon.locomotion.over_steps import fastest_on_stairs, higher_by_steps
from steering_addon.locomotion.walkable import Walkable
from steering_addon.simulation.geometry.surfaces import Surfaces, surfaces
from steering_addon.simulation.snapshot import State
from tests.locomotion.grounds import hills, on, plane
from tests.locomotion.test_on_foot import FPS, ON_FOOT, height_above, walker, walkers
from tests.sampling import sampled
from tests.scene import Scene, positions
from tests.surfaces import patch

RISE, TREAD, COUNT = 0.17, 0.3, 10
ONE = np.ones(1)
TOP = RISE * COUNT
END = TREAD * COUNT


def along(profile: Any, half: float = 3.0) -> Surfaces:
    """The ground with a profile of x and z."""
    return surfaces([patch(np.array([[(x, y, z) for x, z in profile] for y in (-half, half)]))])


def stairs(rise: float = RISE, tread: float = TREAD, slant: float = 0.0) -> Surfaces:
    """Level ground, stairs from x = 0 on, and a landing; risers lean by `slant` metres."""
    profile = [(-12.0, 0.0), (0.0, 0.0)]
    for step in range(COUNT):
        profile += [(tread * step + slant, rise * (step + 1)), (tread * (step + 1), rise * (step + 1))]
    return along([*profile, (tread * COUNT + 12.0, rise * COUNT)])


def shown(states: list[State]) -> np.ndarray:
    return np.stack([state.shown for state in states])


def raised(states: list[State]) -> np.ndarray:
    """(f, n) metres by which bodies are shown higher than they stand."""
    return (shown(states) - positions(states))[..., 2]


def darts(place: np.ndarray) -> int:
    """The frames on which a body is more than twice as fast as on those before and after, and faster than .8 m/s."""
    speed = np.linalg.norm(np.diff(place, axis=0), axis=-1) * FPS
    return np.count_nonzero((speed[1:-1] > 2.0 * np.maximum(speed[:-2], speed[2:])) & (speed[1:-1] > 0.8))


@sampled(one_of=2)
@pytest.mark.parametrize("length", [0.0, 1.8])
def test_who_wanders_on_stairs_rises_and_sinks_evenly(length: float) -> None:
    """Also who turns while it walks along the edge of a step."""
    profile = [(-20.0, 0.0)]
    for step in range(24):
        profile += [(TREAD * step, RISE * step), (TREAD * step, RISE * (step + 1))]
    ground, rng, n = along([*profile, (30.0, RISE * 24)], 12.0), np.random.default_rng(3), 24
    turn = rng.uniform(0.0, 2.0 * np.pi, n)
    states = Scene(
        on(ground, rng.uniform((1.0, -8.0), (6.0, 8.0), (n, 2))),
        forward=np.stack((np.cos(turn), np.sin(turn), 0.0 * turn), axis=1),
        speed=1.5,
        behaviors=[(Wander, {"strength": 6.0})],
        vehicle={"max_speed": 1.5, "mass": 2.0, "max_force": 8.0, "radius": 0.3, "length": length},
        locomotions=[(OnFoot, {"turn_radius": 0.7 + length})],
        surfaces=ground,
        fps=FPS,
    ).run(3 * FPS)
    place = shown(states)
    assert darts(place) == 0
    change = np.abs(np.diff(place[..., 2], 2, axis=0))
    assert np.percentile(change, 99.8) < 0.2 * RISE
    assert np.abs(np.diff(positions(states)[..., 2], 2, axis=0)).max() > 0.99 * RISE


@sampled(one_of=27)
@pytest.mark.parametrize("length", [0.0, 1.8, 2.4])
@pytest.mark.parametrize("radius", [0.3, 0.15, 0.6])
@pytest.mark.parametrize("pace", [1.5, 0.5, 4.0])
def test_a_body_on_stairs_rises_and_sinks_evenly(length: float, radius: float, pace: float) -> None:
    """No more steeply than 45 degrees, and about the line through the middles of the treads."""
    ground, reach = stairs(), max(radius, 0.5 * length)
    scene = walkers(
        [(-1.0, 0.0, 0.0), (END + 1.0, 2.0, TOP)], [(END + 2.0, 0.0, TOP), (-2.0, 2.0, 0.0)], ground, slowed_uphill=0.0
    )
    scene.vehicle.update(radius=radius, length=length, max_speed=pace, cruise_speed=1.0)
    scene = replace(scene, forward=np.array([(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)]), speed=pace)
    states = scene.run(int((END + 2.0) / pace * FPS))
    place = shown(states)
    assert np.abs(height_above(ground, states)).max() < 1e-9, "its feet are on the treads"
    assert np.abs(np.diff(positions(states)[..., 2], axis=0)).max() > 0.99 * RISE
    way = np.diff(place, axis=0)
    assert (np.abs(way[..., 2]) <= np.linalg.norm(way[..., :2], axis=-1) + 0.02 * RISE).all()
    assert darts(place) == 0
    on_stairs = (place[..., 0] > 1.2) & (place[..., 0] < END - 1.2)
    line = RISE * (place[..., 0] / TREAD + 0.5)
    if reach >= 0.3:
        assert np.abs(place[..., 2] - line)[on_stairs].max() < 0.15 * RISE


def test_the_height_is_the_mean_of_the_ground_below_it_that_counts_half_at_half_the_way() -> None:
    rng = np.random.default_rng(0)
    for grade in np.repeat((0.0, 0.2, -0.1), 4):
        edges = np.cumsum(rng.uniform(0.15, 0.6, 8)) - 1.5
        heights = np.concatenate(([0.0], np.cumsum(rng.uniform(-0.2, 0.2, 8))))
        profile = [(-9.0, 0.0)]
        for x, before, after in zip(edges, heights[:-1], heights[1:]):
            profile += [(x, before), (x, after)]
        ground = along([(x, z + grade * x) for x, z in (*profile, (9.0, heights[-1]))])
        middle, reach = rng.uniform(-1.2, 1.2, 20), 0.5
        place = on(ground, np.stack((middle, 0.3 * middle), axis=1))
        near = np.full(20, 0.01)
        footing = ground.under(*place.T, near, near)
        no, yes = np.zeros(20, dtype=bool), np.ones(20, dtype=bool)
        walkable = Walkable(ground, np.full(20, 0.61), np.full(20, 0.4), np.full(20, 1.8), yes, no)
        turn = rng.uniform(-0.5, 0.5, 20)
        heading = np.stack((np.cos(turn), np.sin(turn), 0.0 * turn), axis=1)
        higher, _, _ = higher_by_steps(walkable, footing, place, heading, np.full(20, reach))
        share = (np.arange(4000) + 0.5) / 2000.0 - 1.0
        x = middle[:, None] + reach * share * heading[:, :1]
        below = heights[np.searchsorted(edges, x)] + grade * x
        mean = np.average(below, axis=1, weights=1.0 - np.abs(share))
        assert np.abs(higher - (mean - place[:, 2])).max() < 0.01


def test_who_faces_the_other_way_climbs_the_opposite_on_the_same_treads() -> None:
    ground, many = stairs(), np.ones(40)
    x = np.linspace(0.9, 1.9, 40)
    place, near, turn = on(ground, np.stack((x, 0.0 * x), axis=1)), 0.01 * many, np.linspace(-0.5, 0.5, 40)
    walkable = Walkable(ground, 0.61 * many, 0.3 * many, 1.8 * many, many > 0.0, many < 0.0)
    heading, footing = np.stack((np.cos(turn), np.sin(turn), 0.0 * turn), axis=1), ground.under(*place.T, near, near)
    up, down = (higher_by_steps(walkable, footing, place, way * heading, 0.5 * many) for way in (1.0, -1.0))
    np.testing.assert_allclose(up[0], down[0], atol=1e-12)
    np.testing.assert_allclose(up[1], -down[1], atol=1e-12)
    np.testing.assert_allclose(up[1], RISE / TREAD * np.cos(turn), rtol=0.25)
    for tread in (up[2], down[2]):
        np.testing.assert_allclose(tread, TREAD / np.cos(turn), rtol=0.06)


@pytest.mark.parametrize("slant", [0.0, 0.03, 0.1])
def test_risers_that_lean_are_steps_too(slant: float) -> None:
    ground = stairs(slant=slant)
    x = np.linspace(0.6, 2.2, 300)
    place = on(ground, np.stack((x, 0.0 * x), axis=1))
    near, many = np.full(300, 0.01), np.ones(300)
    walkable = Walkable(ground, 0.61 * many, 0.3 * many, 1.8 * many, many > 0.0, many < 0.0)
    higher, _, _ = higher_by_steps(
        walkable, ground.under(*place.T, near, near), place, np.tile((1.0, 0.0, 0.0), (300, 1)), 0.3 * many
    )
    line = RISE / TREAD * (x - 0.5 * slant) + 0.5 * RISE
    assert np.abs(place[:, 2] + higher - line).max() < 0.2 * RISE


@sampled(one_of=3)
@pytest.mark.parametrize(
    "ground",
    [plane(), plane(cells=1, tilt=0.5), plane(cells=3, tilt=-0.3), hills(height=1.5), hills(height=11.0)],
    ids=["level", "slope", "slope of few faces", "hills", "steep hills"],
)
def test_without_steps_bodies_are_shown_where_they_stand(ground: Any) -> None:
    ground, rng = surfaces([ground]), np.random.default_rng(1)
    places, targets = on(ground, rng.uniform(-16.0, 16.0, (30, 2))), on(ground, rng.uniform(-16.0, 16.0, (30, 2)))
    states = walkers(places, targets, ground).run(FPS)
    assert np.linalg.norm(positions(states)[-1] - places, axis=1).max() > 0.3
    assert (shown(states) == positions(states)).all()


def test_who_stops_on_a_tread_settles_on_it() -> None:
    ground = stairs()
    places = np.array([(x, y, 0.0) for x in (-1.0, -1.1) for y in (-2.0, 0.0, 2.0)])
    targets = on(ground, np.stack((np.linspace(1.0, 1.35, 6), places[:, 1]), axis=1))
    scene = walkers(places, targets, ground)
    states = replace(scene, behaviors=[(Arrival, {"target": 6 + np.arange(6)})]).run(12 * FPS)
    stands = np.linalg.norm(np.diff(positions(states), axis=0), axis=-1) == 0.0
    assert stands[-2 * FPS :].all() and (raised(states)[-1] == 0.0).all()
    assert np.abs(raised(states)).max() > 0.4 * RISE
    assert np.abs(np.diff(shown(states)[..., 2], axis=0)).max() < 0.25 * RISE
    assert np.abs(np.diff(shown(states)[..., 2], 2, axis=0)).max() < 0.04 * RISE


def test_nothing_is_a_step_that_is_higher_than_it_steps() -> None:
    """Neither a ledge that one walks along, nor one over which one falls."""
    ledge = surfaces([plane(half=4.0, height=1.0), plane(half=30.0)])
    along_it = walker((-3.0, 3.9, 1.0), (3.0, 3.9, 1.0), ledge)
    assert (raised(along_it.run(2 * FPS)) == 0.0).all()
    falls = walker((0.0, 0.0, 1.0), (25.0, 0.0, 0.0), ledge, at_edge=FALL).run(4 * FPS)
    assert positions(falls)[-1, 0, 2] == 0.0
    assert (raised(falls) == 0.0).all()


def test_what_a_lift_does_is_no_step() -> None:
    below = patch(np.array([[(x, y, 0.0) for x in (-2.0, 2.0)] for y in (-2.0, 2.0)]))
    lift, (points, _) = surfaces([below], [True]), below
    scene = replace(walker((0.0, 0.0, 0.0), (2.0, 0.0, 0.0), lift), speed=0.5)
    rise = np.array((0.0, 0.0, 0.1))
    states = scene.run(
        2 * FPS,
        at=lambda frame, snapshot: replace(snapshot, surfaces=lift.with_points(0, points + rise * frame)),
    )
    assert positions(states)[-1, 0, 2] > 4.0
    assert (raised(states) == 0.0).all()


def test_a_body_that_stands_and_is_pushed_over_an_edge_settles_below_it() -> None:
    ground = along([(-9.0, 0.0), (0.0, 0.0), (0.0, -RISE), (9.0, -RISE)])
    scene = walkers([(-0.01, 0.0, 0.0), (-0.4, 0.0, 0.0)], [(0.0, 0.0, 0.0), (0.0, 0.0, 0.0)], ground)
    scene.vehicle.update(keep_apart=True)
    states = replace(scene, speed=0.0, behaviors=[]).run(3 * FPS)
    assert positions(states)[-1, 0, 2] == -RISE and raised(states)[-1, 0] == 0.0
    assert np.abs(np.diff(positions(states)[..., 2], axis=0)).max() > 0.99 * RISE
    assert np.abs(np.diff(shown(states)[..., 2], axis=0)).max() < 0.25 * RISE
    assert np.abs(np.diff(shown(states)[..., 2], 2, axis=0)).max() < 0.04 * RISE


@sampled(one_of=6)
@pytest.mark.parametrize(("rise", "tread"), [(0.15, 0.3), (0.18, 0.28), (0.2, 0.25)])
@pytest.mark.parametrize("aside", [0.0, 1.5])
def test_people_go_up_and_down_stairs_at_two_steps_a_second(rise: float, tread: float, aside: float) -> None:
    """Whatever their pace, and also across; those who hurry take two treads a step."""
    ground, top, end = stairs(rise, tread), rise * COUNT, tread * COUNT
    starts = [(-1.5, -aside, 0.0), (end + 1.5, aside, top)] * 3
    targets = [(end + 6.0, 3.0 * aside, top), (-6.0, -3.0 * aside, 0.0)] * 3
    scene = walkers(starts, targets, ground)
    pace = np.array((1.2, 1.2, 1.6, 1.6, 3.0, 3.0))
    scene.vehicle.update(max_speed=pace, cruise_speed=1.0, max_force=20.0)
    facing = np.tile(((1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)), (3, 1))
    place = positions(replace(scene, forward=facing, speed=pace).run(9 * FPS))
    speed = np.linalg.norm(np.diff(place[..., :2], axis=0), axis=-1) * FPS
    on_stairs = (place[1:, :, 0] > 3.0 * tread) & (place[1:, :, 0] < end - 3.0 * tread)
    along = np.sqrt(1.0 + (rise / tread) ** 2)
    most = 0.85 if aside == 0.0 else 1.0
    for body in range(6):
        slope = along * speed[on_stairs[:, body], body]
        assert 0.5 < np.median(slope) < most if body < 4 else 1.2 < np.median(slope) < 2.6
    slows = np.diff(speed[:, :4], axis=0)[(place[2:, :4, 0] > -0.8) & (place[2:, :4, 0] < end + 0.8)]
    assert slows.min() > -4.0 / FPS, "they slow down gradually"
    before = (place[1:, ::2, 0] < -0.8).any(axis=1)
    np.testing.assert_allclose(speed[before][:, ::2].max(axis=0), pace[::2], rtol=0.03)


def test_neither_a_kerb_nor_a_steep_slope_is_stairs_and_small_ones_have_their_own_pace() -> None:
    kerb, slope = along([(-9.0, 0.0), (0.0, 0.0), (0.0, 0.12), (9.0, 0.12)]), along([(-9.0, -4.5), (9.0, 4.5)])
    for ground in (kerb, slope):
        start, target = on(ground, np.array(((-1.0, 0.0), (8.0, 0.0))))
        states = walkers([start], [target], ground, slowed_uphill=0.0).run(2 * FPS)
        assert all((state.bodies[ON_FOOT].tread == 0.0).all() for state in states)
    person, small = (fastest_on_stairs(size * np.ones(1) * TREAD, size * 0.3, 1.3 * size**0.5) for size in (1.0, 0.25))
    np.testing.assert_allclose(small, 0.5 * person)
    assert 0.5 < person < 0.7
    wide, giant = (fastest_on_stairs(ONE * TREAD, ONE * radius, ONE * 1.5) for radius in (0.57, 1.2))
    assert 0.4 < wide < 0.7 and giant > 0.6, "also with a wide hat; a giant takes two treads a step"
    assert np.isinf(fastest_on_stairs(np.zeros(1), np.ones(1), np.ones(1)))


def test_rims_are_where_floor_ends_or_is_too_steep() -> None:
    ground, reach = stairs(), 0.4
    rng = np.random.default_rng(2)
    place = on(ground, rng.uniform((-11.9, -2.9), (END + 11.9, 2.9), (4000, 2)))
    near = ground.near_rims(place, float(np.cos(0.61)), reach)
    x, y = place[:, 0], np.abs(place[:, 1])
    gap = np.minimum.reduce([3.0 - y, x + 12.0, END + 12.0 - x, *(np.abs(x - TREAD * step) for step in range(COUNT))])
    assert near[gap < reach].all()
    assert not near[gap > 4.0 * reach].any()
