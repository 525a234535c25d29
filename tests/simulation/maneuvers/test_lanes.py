"""Lanes: a bend is straightened, and what goes along another curve is in another lane."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.behaviors.brake_for import ALL, BrakeFor
from steering_addon.behaviors.keep_distance import KeepDistance
from steering_addon.behaviors.path_following import PathFollowing
from steering_addon.locomotion import Planar, Wheeled
from steering_addon.simulation.geometry.obstacles import boxes, obstacles
from steering_addon.simulation.geometry.paths import spline
from steering_addon.simulation.maneuvers.lanes import Lanes
from tests.scene import Scene, all_of, locked, positions

ENDS = (60.0, 0.0, 0.0), (20.0, 40.0, 0.0)
BEND = 30.0
"""Metres: the radius of a circular road about the origin."""


def circle(radius: float):
    angle = np.linspace(0.0, 2.0 * np.pi, 400, endpoint=False)
    return spline(radius * np.stack((np.cos(angle), np.sin(angle), 0.0 * angle), axis=-1), True)


def at(degrees: float, radius: float = BEND) -> np.ndarray:
    angle = np.radians(degrees)
    return radius * np.array([np.cos(angle), np.sin(angle), 0.0])


def along(degrees: float, way: float = 1.0) -> np.ndarray:
    angle = np.radians(degrees)
    return way * np.array([-np.sin(angle), np.cos(angle), 0.0])


def driver(behavior, others=None, radius: float = BEND, way: float = 1.0, paths=None, **changes) -> Scene:
    """A car on the circle at 0 degrees."""
    paths = ((circle(BEND),),) if paths is None else paths
    given = {"vehicle": {"radius": 0.9, "max_speed": 10.0}, "locomotions": [(Planar, {})], "speed": 8.0, "paths": paths}
    scene = Scene([at(0.0, radius)], forward=[along(0.0, way)], behaviors=[behavior], **(given | changes))
    if others is not None:
        scene.tracked = others
    return scene


def braked(scene: Scene) -> bool:
    return bool(scene.steering()[0].any())


def lanes_of(scene: Scene) -> Lanes:
    world, agents, _ = scene.seen()
    return Lanes.of(world, agents)


@pytest.mark.parametrize("way", [1.0, -1.0])
@pytest.mark.parametrize("degrees", [10.0, 45.0, 90.0])
def test_an_offset_along_a_circle_is_its_arc_and_its_place_beside_the_curve(degrees: float, way: float) -> None:
    scene = driver((KeepDistance, {}), radius=29.0, way=way)
    lanes, forward = lanes_of(scene), along(0.0, way)
    outward = at(0.0, 1.0)
    offset = at(way * degrees, 32.0) - scene.position
    velocity = 3.0 * along(way * degrees, way) + 0.5 * at(way * degrees, 1.0)
    ahead, moving = lanes.straightened(np.array([0]), offset, velocity[None])
    assert ahead[0] @ forward == pytest.approx(BEND * np.radians(degrees), abs=0.05)
    assert ahead[0] @ outward == pytest.approx(3.0, abs=0.02)
    assert moving[0] @ forward == pytest.approx(3.0, abs=0.02)
    assert moving[0] @ outward == pytest.approx(0.5, abs=0.02)


def test_of_many_curves_each_goes_along_the_nearest_as_if_that_were_the_only_one() -> None:
    rng = np.random.default_rng(3)
    curves = tuple(circle(radius) for radius in (18.0, 20.0, 22.5, 26.0))
    turn, way = rng.uniform(0.0, 360.0, 40), np.where(rng.uniform(size=40) < 0.5, -1.0, 1.0)
    position = np.array([at(degrees, radius) for degrees, radius in zip(turn, rng.uniform(10.0, 34.0, 40))])
    forward = np.array([along(degrees, to) for degrees, to in zip(turn, way)])
    scene = driver((KeepDistance, {}), paths=(curves[:3], curves[3:]), vehicle={"radius": 0.9})
    scene = replace(scene, position=position, forward=forward)
    lanes, alone = lanes_of(scene), [lanes_of(replace(scene, paths=((curve,),))) for curve in curves]
    offset = rng.normal(size=(40, 3)) * 5.0
    straight = lanes.straightened(np.arange(40), offset)[0]
    for k in range(40):
        apart = [np.hypot(each.left[k], each.height[k]) if each.line[k] == 0 else np.inf for each in alone]
        best = int(np.argmin(apart))
        assert lanes.line[k] == (best if np.isfinite(apart[best]) else -1)
        for name in ("along", "way", "left", "height"):
            assert getattr(lanes, name)[k] == getattr(alone[best], name)[k]
        assert (straight[k] == alone[best].straightened(np.array([k]), offset[k : k + 1])[0]).all()
    assert {-1, 0, 1, 2, 3} == set(lanes.line.tolist())


def test_where_ways_part_each_goes_along_the_one_that_it_follows() -> None:
    """The other one leads to the left, past what stands on its own."""
    straight, away = (spline(np.array(((-60.0, 0.0, 0.0), (0.0, 0.0, 0.0), end)), False) for end in ENDS)
    place = Scene(
        [(-15.0, 0.0, 0.0)],
        forward=(1.0, 0.0, 0.0),
        speed=8.0,
        behaviors=[(PathFollowing, {"path": 0}), (KeepDistance, {"distance": 40.0})],
        vehicle={"max_speed": 8.0, "max_force": 4.0},
        locomotions=[(Planar, {})],
        tracked=locked((2.5, 0.0, 0.0), forward=(1.0, 0.0, 0.0)),
        fps=12,
    )
    alone, first, second = (
        positions(replace(place, paths=paths, behaviors=[(PathFollowing, {"path": row}), place.behaviors[1]]).run(40))
        for row, paths in ((0, ((straight,),)), (0, ((straight,), (away,))), (1, ((away,), (straight,))))
    )
    assert alone[-1, 0, 0] < 1.5
    assert alone.tobytes() == first.tobytes() == second.tobytes()


def test_a_driver_who_comes_back_to_its_lane_keeps_room_behind_who_is_in_it_and_not_in_the_next() -> None:
    road = spline(np.array(((-20.0, 0.0, 0.0), (200.0, 0.0, 0.0))), False)

    def room_after(lane: float) -> float:
        fast_and_slow = np.array((8.0, 2.0))
        place = Scene(
            [(0.0, 3.0, 0.0), (14.0, -lane, 0.0)],
            forward=(1.0, 0.0, 0.0),
            speed=fast_and_slow,
            behaviors=[(PathFollowing, {"path": 0, "lane_offset": np.array((1.75, lane))}), (KeepDistance, {})],
            vehicle={"radius": 0.9, "length": 4.3, "max_speed": fast_and_slow, "max_force": 8.0},
            locomotions=[(Wheeled, {})],
            paths=((road,),),
            fps=12,
        )
        driver, other = positions(place.run(25))[-1]
        assert driver[1] - other[1] > 2.5, "it is still beside the other"
        return float(other[0] - driver[0])

    assert room_after(1.75) > 8.0
    assert room_after(5.25) < 5.0


def test_what_is_behind_stays_behind_also_where_the_curve_closes() -> None:
    lanes = lanes_of(driver((KeepDistance, {})))
    (offset,) = lanes.straightened(np.array([0]), at(-20.0)[None] - at(0.0))
    assert offset[0] @ along(0.0) == pytest.approx(-BEND * np.radians(20.0), abs=0.05)


def test_beyond_the_end_of_an_open_curve_the_lane_goes_straight_on() -> None:
    road = spline(np.array([[0.0, -20.0, 0.0], [0.0, 5.0, 0.0]]), False)
    scene = Scene([[0.5, 0.0, 0.0]], paths=((road,),))
    (offset,) = lanes_of(scene).straightened(np.array([0]), np.array([[0.5, 15.0, 0.0]]))
    assert offset[0] == pytest.approx([0.5, 15.0, 0.0], abs=1e-6)


@pytest.mark.parametrize("case", ["no curve", "far from it", "across it"])
def test_an_agent_that_goes_along_no_curve_looks_straight_on_to_the_last_bit(case: str) -> None:
    paths = () if case == "no curve" else ((circle(BEND),),)
    scene = driver((KeepDistance, {}), radius=50.0 if case == "far from it" else BEND, paths=paths)
    if case == "across it":
        scene.forward = np.array([[1.0, 0.0, 0.0]])
    offset = np.array([[3.0, 12.0, 0.5]])
    assert (lanes_of(scene).straightened(np.array([0]), offset)[0] == offset).all()


def test_a_car_on_a_curve_follows_it_also_beside_one_that_goes_along_none() -> None:
    alone = driver((BrakeFor, {}))
    both = replace(
        alone, position=np.array([*alone.position, [200.0, 0.0, 0.0]]), forward=np.repeat(alone.forward, 2, 0)
    )
    wall = boxes([at(20.0)], [[0.5, 0.5, 0.5]])
    near = np.array([0]), np.array([0]), np.zeros(1), np.ones(1), np.full(1, 40.0)
    assert np.isfinite(lanes_of(alone).way_to(wall, *near))
    assert lanes_of(both).way_to(wall, *near) == pytest.approx(lanes_of(alone).way_to(wall, *near))


def test_keep_distance_queues_behind_a_car_round_the_bend_and_not_straight_on() -> None:
    values = {"distance": 60.0}

    def keeps(place, heading) -> bool:
        return braked(driver((KeepDistance, values), locked(place, forward=heading, radius=0.9)))

    assert keeps(at(25.0), along(25.0))
    assert not keeps(at(0.0) + 13.0 * along(0.0), along(0.0)), "beside the road"
    assert not keeps(at(25.0, BEND + 3.5), along(25.0)), "in the next lane"
    assert not keeps(at(25.0), along(25.0, -1.0)), "oncoming"


def test_brake_for_stops_for_what_stands_round_the_bend_and_not_for_what_stands_straight_on() -> None:
    def stands(place, **shape) -> bool:
        made = boxes([place], [[0.5, 0.5, 0.5]]) if shape else obstacles([place], 0.5)
        return braked(
            driver(
                (BrakeFor, {"obstacles": ALL}),
                obstacles=made,
                speed=8.0,
                vehicle={"radius": 0.9, "max_speed": 10.0, "max_force": 3.0},
                locomotions=[(Planar, {})],
            )
        )

    for shape in ({}, {"box": True}):
        assert stands(at(20.0), **shape)
        assert not stands(at(0.0) + 14.0 * along(0.0), **shape)
        assert not stands(at(20.0, BEND + 3.5), **shape)
        assert not stands(at(-20.0), **shape)


def test_an_oncoming_car_counts_in_the_own_lane_only() -> None:
    """Also where the other cuts the bend, as long as a curve of its own is nearer to it."""

    def meets(radius: float, paths=None) -> bool:
        other = locked(at(15.0, radius), forward=along(15.0, -1.0), radius=0.9)
        slow = {"radius": 0.9, "max_speed": 10.0, "max_force": 3.0}
        return braked(driver((BrakeFor, {}), other, paths=paths, vehicle=slow, locomotions=[(Planar, {})]))

    assert meets(BEND)
    assert not meets(BEND + 3.5)
    assert meets(BEND + 1.5)
    assert not meets(BEND + 1.7, paths=((circle(BEND),), (circle(BEND + 3.0),)))


def test_only_what_goes_along_another_curve_is_apart() -> None:
    others = all_of(*(locked(at(15.0, BEND + aside), forward=along(15.0), radius=0.9) for aside in (0.2, 15.0, 30.2)))
    scene = driver((KeepDistance, {}), others, paths=((circle(BEND),), (circle(BEND + 30.0),)))
    world, agents, _ = scene.seen()
    lanes = Lanes.of(world, agents)
    assert lanes.apart(world, np.zeros(3, dtype=int), np.arange(1, 4)).tolist() == [False, False, True]


def test_the_order_of_the_curves_does_not_matter() -> None:
    others = all_of(locked(at(15.0), forward=along(15.0), radius=0.9), locked(at(40.0), forward=along(40.0, -1.0)))
    curves = (circle(BEND),), (circle(BEND + 3.0),)
    before = driver((KeepDistance, {}), others, paths=curves).steering()[0]
    other = driver((KeepDistance, {}), others, paths=curves[::-1]).steering()[0]
    assert before.tobytes() == other.tobytes()
