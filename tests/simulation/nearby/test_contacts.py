"""Bodies that have run into each other, or into obstacles, are moved apart."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.behaviors.containment import Containment
from steering_addon.behaviors.flee import Flee
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.separation import Separation
from steering_addon.behaviors.unaligned_collision_avoidance import UnalignedCollisionAvoidance
from steering_addon.locomotion import OnFoot, Planar, SimpleVehicle, Swimming
from steering_addon.simulation.geometry.obstacles import boxes, obstacles
from steering_addon.simulation.geometry.regions import BOX, SPHERE, regions
from steering_addon.simulation.geometry.surfaces import surfaces
from steering_addon.simulation.handling import side_step
from steering_addon.simulation.nearby import contacts
from steering_addon.simulation.nearby.contacts import GUARD, PASSES
from steering_addon.simulation.nearby.neighbors import EVERYONE
from steering_addon.simulation.nearby.walls import STOPS
from steering_addon.simulation.snapshot import Snapshot
from tests.locomotion.grounds import plane
from tests.sampling import sampled
from tests.scene import Scene, headings, leaders, locked, positions, speeds, velocities
from tests.simulation.odd_input import BOUNDED, vectors

RADIUS = 0.5
ANIMAL = {"keep_apart": True, "cruise_speed": 0.5, "max_speed": 1.5, "max_force": 2.0}
WIDE_TURNS = {"turn_radius": 2.5, "turn_on_the_spot": 0.0}
WALKER = {"keep_apart": True, "cruise_speed": 0.0, "max_speed": 1.5, "max_force": 4.0}


def bodies(position, **changes) -> Scene:
    """A scene of walkers that contacts keep apart."""
    return Scene(position, **({"vehicle": WALKER, "locomotions": [(Planar, {})]} | changes))


def gaps(position: np.ndarray) -> np.ndarray:
    """The distances between the middles of all pairs, (..., n, 3) to (..., n, n)."""
    n = position.shape[-2]
    return np.linalg.norm(position[..., :, None, :] - position[..., None, :, :], axis=-1) + 1e9 * np.eye(n)


def test_of_two_that_overlap_one_twice_as_heavy_gives_way_by_half_as_much() -> None:
    walkers = WALKER | {"mass": np.array([1.0, 2.0]), "max_speed": 1000.0, "max_force": 4000.0}
    result = positions(bodies([[0.0, 0.0, 0.0], [0.7, 0.0, 0.0]], vehicle=walkers).run(8))[..., 0]
    assert result[-1, 1] - result[-1, 0] == pytest.approx(2.0 * RADIUS, abs=1e-6)
    assert -result[:, 0] == pytest.approx(2.0 * (result[:, 1] - 0.7), abs=1e-9)


def test_who_is_to_stand_gives_way_only_to_who_is_to_stand_as_well() -> None:
    walkers = WALKER | {"cruise_speed": np.array([0.0, 0.5, 0.0, 0.0]), "max_speed": 1000.0, "max_force": 4000.0}
    start = [[0.0, 0.0, 0.0], [0.7, 0.0, 0.0], [0.0, 9.0, 0.0], [0.7, 9.0, 0.0]]
    result = positions(bodies(start, vehicle=walkers).run(8))
    assert (result[:, 0] == 0.0).all()
    assert gaps(result[-1])[0, 1] >= 2.0 * RADIUS - 1e-6
    assert gaps(result[-1])[2, 3] == pytest.approx(2.0 * RADIUS, abs=1e-6)
    assert -result[:, 2, 0] == pytest.approx(result[:, 3, 0] - 0.7, abs=1e-9)


def test_one_pass_equals_a_plain_loop() -> None:
    """With a top speed that never limits the shift, a step equals PASSES rounds of the loop."""
    rng = np.random.default_rng(2)
    scene = bodies(
        rng.uniform(-1.6, 1.6, (12, 3)) * (1.0, 1.0, 0.0), vehicle=WALKER | {"max_speed": 1000.0, "max_force": 4000.0}
    )
    expected = scene.position.copy()
    for _ in range(PASSES):
        moved, touched = np.zeros_like(expected), np.zeros(12)
        for i in range(12):
            for j in range(12):
                offset = expected[j] - expected[i]
                overlap = 2.0 * RADIUS - np.linalg.norm(offset)
                if i != j and overlap > 0.0:
                    moved[i] -= 0.5 * overlap * offset / np.linalg.norm(offset)
                    touched[i] += 1
        expected = expected + moved / np.maximum(0.6 * touched, 1.0)[:, None]
    assert np.abs(positions(scene.run(2))[-1] - expected).max() < 1e-9


def test_rounds_that_look_at_close_pairs_only_give_the_same_bytes(monkeypatch) -> None:
    scene = bodies(np.random.default_rng(5).uniform(-6.0, 6.0, (220, 3)) * (1.0, 1.0, 0.0))
    few = positions(scene.run(6))
    monkeypatch.setattr(contacts, "MANY", 10**9)
    assert positions(scene.run(6)).tobytes() == few.tobytes()
    assert np.abs(few[-1] - few[0]).max() > 0.1


def test_who_stands_makes_room_for_who_is_wedged_between_those_who_stand() -> None:
    """People appear within a block of others who stand a metre apart; who stands alone makes none for a throng."""
    rng, radius = np.random.default_rng(4), 0.3
    block = np.stack(np.meshgrid(np.arange(4) - 1.5, np.arange(3) - 1.0, [0.0]), axis=-1).reshape(-1, 3)
    inside = np.concatenate((rng.uniform((-1.5, -1.0), (1.5, 1.0), (16, 2)), np.zeros((16, 1))), axis=1)
    throng = np.stack(np.meshgrid(29.2 - 0.7 * np.arange(2), 0.7 * np.arange(4) - 1.05, [0.0]), axis=-1).reshape(-1, 3)
    goes = np.r_[np.zeros(12), np.ones(16), 0.0, np.ones(8)]
    crowd = Scene(
        np.concatenate((block, inside, [(30.0, 0.0, 0.0)], throng)),
        forward=(1.0, 0.0, 0.0),
        speed=goes,
        vehicle={"radius": radius, "max_speed": 1.9, "cruise_speed": 0.7 * goes, "max_force": 2.0, "keep_apart": True},
        locomotions=[(OnFoot, {"turn_radius": 3.0})],
        behaviors=[
            (Seek, {"target": np.where(goes > 0.0, 37 + (np.arange(37) > 28), -2), "pace": 1}),
            (UnalignedCollisionAvoidance, {"weight": np.where(np.arange(37) > 28, 1.0, 0.0)}),
        ],
        tracked=leaders([60.0, 0.0, 0.0], [30.5, 0.0, 0.0]),
        fps=24.0,
    )
    place = positions(crowd.run(60))
    assert gaps(place[48, :28]).min() > 2.0 * radius - 0.1
    assert np.abs(place[:, 28] - place[0, 28]).max() == 0.0


def test_people_wedged_among_those_who_stand_press_on_until_these_make_room() -> None:
    """They want to go to all four sides, through gaps half as wide as they are."""
    block = np.stack(np.meshgrid(np.arange(4) - 1.5, np.arange(3) - 1.0, [0.0]), axis=-1).reshape(-1, 3)
    inside = np.stack(np.meshgrid(np.arange(3) - 1.0, np.arange(2) - 0.5, [0.0]), axis=-1).reshape(-1, 3)
    goes = np.r_[np.zeros(12), np.ones(6)]
    ends = np.array([(20.0, 0.0, 0.0), (-20.0, 0.0, 0.0), (0.0, 20.0, 0.0), (0.0, -20.0, 0.0)])
    crowd = Scene(
        np.concatenate((block, inside)),
        forward=(1.0, 0.0, 0.0),
        speed=goes,
        vehicle={"radius": 0.3, "max_speed": 1.9, "cruise_speed": 0.7 * goes, "max_force": 2.0, "keep_apart": True},
        locomotions=[(OnFoot, {"turn_radius": 3.0})],
        behaviors=[
            (Seek, {"target": np.where(goes > 0.0, 18 + np.arange(18) % 4, -2), "pace": 1}),
            (UnalignedCollisionAvoidance, {"neighbors": EVERYONE}),
        ],
        tracked=leaders(*ends),
        fps=12.0,
    )
    place = positions(crowd.run(144))
    assert (np.abs(place[-1, 12:]).max(axis=1) > 3.0).all()
    assert gaps(place[24:]).min() > 2.0 * 0.3 - 0.03


def animals(position, forward, **changes) -> Scene:
    """A scene of animals that walk at 0.7 m/s, in wide turns."""
    moves = {"speed": 0.7, "vehicle": ANIMAL, "locomotions": [(OnFoot, WIDE_TURNS)], "fps": 24.0}
    return Scene(position, **({"forward": forward} | moves | changes))


@sampled(one_of=2)
@pytest.mark.parametrize("locomotion", [WIDE_TURNS, {}], ids=["animals", "people"])
def test_contacts_push_who_walks_aside_by_a_tenth_of_their_way_and_still_keep_them_apart(locomotion) -> None:
    """Ten walk to one point; people who hardly walk step aside as well."""
    rng, angle = np.random.default_rng(1), np.arange(10) * (np.pi / 5.0)
    start = 3.0 * np.stack((np.cos(angle), np.sin(angle), 0.0 * angle), axis=1)
    start[:, :2] += rng.normal(size=(10, 2)) * 0.2
    crowd = animals(start, -start, behaviors=[(Seek, {})], tracked=leaders([0.0, 0.0, 0.0]))
    states = replace(crowd, locomotions=[(OnFoot, locomotion)]).run(24 * 4)
    place, forward = positions(states), headings(states)[1:]
    way = np.diff(place, axis=0)
    length, aside = np.linalg.norm(way, axis=-1), np.linalg.norm(np.cross(way, forward), axis=-1)
    scene = replace(crowd, locomotions=[(OnFoot, locomotion)]).snapshot()
    pace, share = scene.vehicle.cruise_speed * scene.vehicle.max_speed / 24.0, scene.handling.side_step
    steps = side_step(share, pace, np.abs((way * forward).sum(axis=-1)))
    assert (aside <= np.maximum(0.1 * length, steps) + 1e-9).all()
    assert gaps(place).min() > 2.0 * RADIUS - 0.03


@sampled
@pytest.mark.parametrize("aside", [0.0, 0.3])
def test_animals_nose_to_nose_step_round_and_part(aside: float) -> None:
    start, forward = [[0.0, 0.0, 0.0], [1.2, aside, 0.0]], [[1.0, 0.05, 0.0], [-1.0, 0.05, 0.0]]
    pair = animals(start, forward, behaviors=[(Separation, {"weight": 2.0, "distance": 3.0})])
    assert gaps(positions(pair.run(24 * 5))[-1]).min() > 3.0


def test_contacts_respect_max_speed_and_change_the_way_of_a_body_gradually() -> None:
    rng = np.random.default_rng(4)
    scene = bodies(rng.uniform(-0.5, 0.5, (20, 3)) * (1.0, 1.0, 0.0), speed=1.0)
    states = scene.run(24)
    ways = np.diff(positions(states), axis=0) * 24.0
    assert np.linalg.norm(ways, axis=-1).max() <= 1.5 * (1.0 + 1e-9)
    assert speeds(states).max() <= 1.5
    assert np.linalg.norm(np.diff(ways, axis=0), axis=-1).max() * 24.0 <= 4.0 + GUARD * 1.5 / STOPS + 1e-9


@sampled(one_of=9)
@pytest.mark.parametrize("fps", [24.0, 60.0])
@pytest.mark.parametrize("size", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("locomotion", [OnFoot, Planar, SimpleVehicle])
def test_lines_that_run_through_each_other_slow_down_over_several_frames(locomotion, size: float, fps: float) -> None:
    """Nobody stops or darts for one frame, and nobody is a tenth of its radius in another."""
    rng, n, top = np.random.default_rng(3), 24, 3.4 * size
    place = np.stack([np.tile(np.arange(6) * 1.2, 4), np.repeat((0.0, 1.3, 9.0, 10.3), 6), np.zeros(n)], axis=1)
    place[:, :2] += rng.uniform(-0.1, 0.1, (n, 2))
    ahead = np.repeat([[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]], 12, axis=0)
    scene = Scene(
        place * size,
        forward=ahead,
        speed=top,
        vehicle={"radius": 0.4 * size, "max_speed": top, "max_force": 4.0 * size, "keep_apart": True},
        locomotions=[(locomotion, {"turn_radius": 0.5 * size} if locomotion is OnFoot else {})],
        behaviors=[(Seek, {"target": np.repeat([n, n + 1], 12)})],
        tracked=leaders([3.0 * size, 40.0 * size, 0.0], [3.0 * size, -30.0 * size, 0.0]),
        fps=fps,
    )
    states = scene.run(int(1.6 * fps))
    speed = np.linalg.norm(np.diff(positions(states), axis=0), axis=-1) * fps
    before, now, after = speed[:-2], speed[1:-1], speed[2:]
    moves = 0.25 * top
    assert not ((now < 0.5 * np.minimum(before, after)) & (np.minimum(before, after) > moves)).any()
    assert not ((now > 2.0 * np.maximum(before, after)) & (now > moves)).any()
    assert gaps(positions(states)).min() > 0.8 * size - 0.04 * size


def test_a_walker_that_walks_into_a_wall_stops_there_and_is_not_thrown_back() -> None:
    wall = boxes([[0.0, 3.0, 0.0]], [[5.0, 1.0, 2.0]])
    scene = bodies([[0.0, 0.0, 0.0]], obstacles=wall, behaviors=[(Seek, {})], tracked=leaders([0.0, 9.0, 0.0]))
    states = scene.run(24 * 5)
    result = positions(states)[:, 0, 1]
    assert result.max() <= 2.0 - RADIUS + 1e-3
    assert result[-1] == pytest.approx(2.0 - RADIUS, abs=1e-2)
    assert velocities(states)[:, 0, 1].min() >= 0.0


def test_who_is_pushed_over_an_edge_stays_on_the_ground_and_who_walks_beside_it_is_not_moved() -> None:
    start = [[0.0, 3.05, 0.0], [2.95, 0.0, 0.0], [2.7, 0.0, 0.0]]
    walkers = {"forward": (1.0, 0.0, 0.0), "locomotions": [(OnFoot, {})], "surfaces": surfaces([plane(half=3.0)])}
    together = positions(bodies(start, speed=np.array([1.0, 0.0, 0.0]), **walkers).run(6))
    alone = positions(bodies(start[:1], speed=1.0, **walkers).run(6))
    assert together[:, 0].tobytes() == alone[:, 0].tobytes()
    assert together[0, 1, 0] < together[-1, 1, 0] <= 3.0


def test_a_locked_vehicle_does_not_give_way() -> None:
    scene = bodies([[0.0, 0.0, 0.0]], tracked=locked([0.6, 0.0, 0.0]))
    assert positions(scene.run(24))[-1, 0, 0] == pytest.approx(0.6 - 1.0, abs=2e-3)


def test_walkers_keep_their_height_and_stay_upright() -> None:
    scene = bodies([[0.0, 0.0, 0.0], [0.3, 0.1, 0.4]], obstacles=obstacles([[0.0, -0.4, -0.3]], 0.5))
    assert (positions(scene.run(12))[..., 2] == [0.0, 0.4]).all()


def test_two_bodies_at_the_same_point_separate_and_flying_ones_in_three_dimensions() -> None:
    result = positions(bodies([[1.0, 2.0, 0.0], [1.0, 2.0, 0.0]]).run(24))[-1]
    assert np.linalg.norm(result[0] - result[1]) == pytest.approx(2.0 * RADIUS, abs=1e-6)
    flying = bodies([[0.0, 0.0, 0.0], [0.0, 0.0, 0.6]], locomotions=[(SimpleVehicle, {})])
    assert np.ptp(positions(flying.run(24))[-1, :, 2]) == pytest.approx(2.0 * RADIUS, abs=1e-6)


@BOUNDED
@given(vectors(6), st.sampled_from([0.0, 1.5, 100.0]))
def test_any_positions_stay_finite_and_within_limits(points: np.ndarray, top: float) -> None:
    scene = bodies(points, vehicle=WALKER | {"max_speed": top}, obstacles=obstacles(points[:2], 0.5))
    result = positions(scene.run(3))
    assert np.isfinite(result).all()
    assert np.linalg.norm(np.diff(result, axis=0), axis=-1).max() <= top / 24.0 * (1.0 + 1e-9) + 1e-9


def test_where_others_touch_a_vehicle_that_touches_nothing_moves_as_it_would_alone() -> None:
    """To the last bit: only bodies in contact are moved."""
    start = [[0.0, 0.0, 0.0], [0.3, 0.1, 0.0], [40.0, 0.123, 0.456]]
    forward = [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.6, 0.8, 0.0]]
    vehicle = {"keep_apart": True, "radius": 0.4}
    three = Scene(start, forward=forward, speed=1.37, vehicle=vehicle)
    alone = Scene(start[2:], forward=forward[2:], speed=1.37, vehicle=vehicle)
    assert positions(three.run(20))[:, 2].tobytes() == positions(alone.run(20))[:, 0].tobytes()
    assert np.abs(positions(three.run(20))[-1, 0, 0] - 0.0) > 0.05


def test_a_body_that_moves_pushes_a_vehicle_by_what_it_comes_nearer_in_a_step() -> None:
    def comes(frame, snapshot):
        return replace(snapshot, tracked=locked([0.1 * frame - 1.15, 0.0, 0.0], crowd=-1))

    scene = bodies(
        [[0.0, 0.0, 0.0]],
        tracked=locked([-1.15, 0.0, 0.0], crowd=-1),
        vehicle=WALKER | {"max_speed": 100.0, "max_force": 400.0},
    )
    moved = positions(scene.run(3, at=comes))[-1, 0]
    assert moved == pytest.approx([0.05, 0.0, 0.0], abs=1e-6)


@pytest.mark.parametrize("falcon", [12.0, 30.0])
def test_fast_bodies_that_look_where_they_will_be_brake_as_those_that_look_all_around(falcon, monkeypatch) -> None:
    """Two flocks that meet head-on at 12 m/s, and a falcon from the side."""
    rng = np.random.default_rng(7)
    start = rng.uniform(-6.0, 6.0, (161, 3)) * (4.0, 1.0, 1.0)
    forward = np.sign(start[:, :1]) * (-1.0, 0.0, 0.0)
    start -= 3.0 * forward
    start[160], forward[160] = (0.0, -8.0, 0.0), (0.0, 1.0, 0.0)
    top = np.where(np.arange(161) < 160, 12.0, falcon)
    vehicle = {"keep_apart": True, "radius": 0.2, "max_speed": top, "max_force": 20.0}
    scene = Scene(start, forward=forward, speed=top, vehicle=vehicle)
    ahead = positions(scene.run(30))
    monkeypatch.setattr(contacts, "WIDE", np.inf)
    around = positions(scene.run(30))
    assert np.abs(ahead - around).max() < 1e-9
    assert np.abs(np.diff(around, 2, axis=0)).max() > 0.1


def test_capsules_that_cross_separate_along_the_line_between_their_middles() -> None:
    """Side by side, they separate across their axes."""
    car = WALKER | {"length": 4.0, "radius": 0.5, "max_speed": 100.0, "max_force": 400.0}
    crossed = bodies([[0.0, 0.0, 0.0], [0.3, 0.0, 0.0]], forward=[[0.6, 0.8, 0.0], [-0.6, 0.8, 0.0]], vehicle=car)
    beside = bodies([[0.0, 0.0, 0.0], [0.6, 0.8, 0.0]], forward=[[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]], vehicle=car)
    for scene in (crossed, beside):
        moved = (positions(scene.run(2))[-1] - scene.position)[1]
        assert moved[0] > 0.05
        assert moved[1:] == pytest.approx([0.0, 0.0], abs=1e-9)


def test_vehicles_that_are_not_kept_apart_may_overlap_where_others_give_way_to_them() -> None:
    vehicle = WALKER | {"keep_apart": np.array([False, False, True])}
    path = positions(bodies([[0.0, 0.0, 0.0], [0.3, 0.0, 0.0], [0.9, 0.0, 0.0]], vehicle=vehicle).run(24))
    assert (path[:, :2] == path[0, :2]).all()
    assert path[-1, 2] == pytest.approx([1.3, 0.0, 0.0], abs=2e-3)


def test_walkers_on_what_moves_faster_than_they_can_stay_where_they_stand_on_it() -> None:
    """A floor at 6 m/s; of three at rest, two overlap and separate on it, and the third keeps its place."""
    floor, triangles = plane(half=9.0, cells=4)
    ground = surfaces([(floor, triangles)], [True])
    stood = [(0.0, 0.0, 0.0), (0.0, 0.8, 0.0), (1.3, 0.0, 0.0)]
    scene = bodies(stood, speed=0.0, locomotions=[(OnFoot, {})], surfaces=ground, fps=24)

    def moving(frame: int, seen: Snapshot) -> Snapshot:
        return replace(seen, surfaces=ground.with_points(0, floor + np.array([0.25 * frame, 0.0, 0.0])))

    last = positions(scene.run(49, at=moving))[-1] - (0.25 * 48, 0.0, 0.0)
    assert gaps(last).min() > 2.0 * RADIUS - 1e-3
    assert np.abs(last - stood).max() < 0.15


def chased(size: float, fps: float, locomotion, shape: int, firm: bool) -> Scene:
    """Twenty in a corner of a region, who run from something behind them that drives them out of it."""
    rng = np.random.default_rng(5)
    start = rng.uniform((1.0, 1.0, -1.0), (1.9, 1.9, 1.0), (20, 3))
    if locomotion in (OnFoot, Planar):
        start[:, 2] = 0.0
    return Scene(
        start * size,
        forward=(0.8, 0.6, 0.0),
        speed=1.0 * size,
        vehicle={"radius": 0.06 * size, "max_speed": 1.8 * size, "max_force": 3.0 * size, "keep_apart": True},
        locomotions=[(locomotion, {"turn_radius": 0.3 * size} if locomotion is OnFoot else {})],
        behaviors=[
            (Flee, {"distance": 0.0, "weight": 3.0}),
            (Containment, {"firm": firm, "weight": 1.0 * size, "region": 0}),
        ],
        tracked=leaders([-2.0 * size, -2.5 * size, 0.0]),
        regions=regions([[0.0, 0.0, 0.0]], 3.0 * size, shape),
        fps=fps,
    )


@sampled(one_of=24)
@pytest.mark.parametrize("shape", [BOX, SPHERE])
@pytest.mark.parametrize("locomotion", [SimpleVehicle, Swimming, Planar, OnFoot])
@pytest.mark.parametrize(("size", "fps"), [(0.2, 24.0), (1.0, 60.0), (20.0, 24.0)])
def test_those_driven_into_a_corner_stay_in_a_firm_region(size: float, fps: float, locomotion, shape: int) -> None:
    """They brake before its border over several frames, and would leave one that is not firm."""
    scene = chased(size, fps, locomotion, shape, firm=True)
    place = positions(scene.run(int(2.5 * fps)))
    flat = place.reshape(-1, 3)
    out = np.linalg.norm(scene.regions.way_in(flat, np.zeros(len(flat), dtype=np.int64)), axis=-1)
    assert out.max() <= 1e-9 * size
    speed = np.linalg.norm(np.diff(place, axis=0), axis=-1) * fps
    before, now, after = speed[:-2], speed[1:-1], speed[2:]
    assert not ((now < 0.5 * np.minimum(before, after)) & (np.minimum(before, after) > 0.5 * size)).any()
    loose = positions(chased(size, fps, locomotion, shape, firm=False).run(int(2.5 * fps)))[-1]
    assert scene.regions.way_in(loose, np.zeros(len(loose), dtype=np.int64)).any()


def test_who_could_gallop_is_pushed_no_harder_while_it_walks() -> None:
    """Two long bodies that lie across each other come apart at the pace of a walk."""
    animal = {"keep_apart": True, "max_speed": 12.0, "cruise_speed": 0.1, "max_force": 3.0, "length": 4.0}
    scene = bodies([[0.0, 0.0, 0.0], [0.4, 0.0, 0.0]], forward=[[0.0, 1.0, 0.0]] * 2, vehicle=animal, fps=25.0)
    place = positions(scene.run(40))
    changes = np.linalg.norm(np.diff(place, 2, axis=0), axis=-1) * 25.0
    assert 0.1 < changes.max() <= 1.05 * GUARD * 1.2 / STOPS / 25.0
    assert gaps(place[-1])[0, 1] == pytest.approx(2.0 * RADIUS, abs=0.01)


def test_who_comes_fast_to_the_border_of_a_firm_region_brakes_gradually_and_turns_no_faster_for_it() -> None:
    """A shark that a force drives against the glass, at an angle to it."""
    scene = Scene(
        [(0.0, 0.0, 0.0)],
        forward=(0.96, 0.28, 0.0),
        speed=2.8,
        vehicle={"radius": 0.5, "max_speed": 5.0, "cruise_speed": 0.18, "max_force": 4.0, "keep_apart": True},
        locomotions=[(Swimming, {})],
        behaviors=[(Seek, {"target": 1}), (Containment, {"firm": True, "weight": 0.1, "region": 0})],
        tracked=leaders([9.0, 2.0, 0.0]),
        regions=regions([[0.0, 0.0, 0.0]], 3.0, BOX),
        fps=24.0,
    )
    run = list(scene.run(60))
    speed = np.array([np.linalg.norm(state.motion.velocity[0]) for state in run])
    assert (speed[:-1] - speed[1:] <= np.maximum(4.0, speed[:-1] / STOPS) / 24.0 + 1e-6).all()
    assert max(state.motion.position[0, 0] for state in run) == pytest.approx(2.5, abs=0.05)
    forward = np.array([state.motion.forward[0] for state in run])
    assert (np.linalg.norm(np.diff(forward, axis=0), axis=1) <= np.pi / 24.0 + 1e-6).all()


def test_a_long_body_stops_before_its_nose_is_out() -> None:
    scene = Scene(
        [(0.0, 0.5, 0.0)],
        forward=(1.0, 0.0, 0.0),
        speed=1.5,
        vehicle={"radius": 0.1, "length": 1.2, "max_speed": 2.0, "max_force": 4.0, "keep_apart": True},
        behaviors=[(Flee, {"distance": 0.0, "weight": 1.0}), (Containment, {"firm": True, "weight": 0.1, "region": 0})],
        tracked=leaders([-2.0, 0.5, 0.0]),
        regions=regions([[0.0, 0.0, 0.0]], 3.0, BOX),
    )
    nose = np.array([state.motion.position[0, 0] + 0.5 * state.motion.forward[0, 0] for state in scene.run(96)])
    assert 2.7 < nose.max() <= 3.0


def test_who_starts_beside_a_glass_does_not_leave_by_another() -> None:
    """Its middle is in and its side is out: it gets no further out there, and not out of the corner beside it."""
    scene = Scene(
        [(2.97, 1.0, 0.0), (1.0, 2.99, 0.0), (2.98, 2.98, 0.0)],
        forward=(0.6, 0.8, 0.0),
        speed=1.5,
        vehicle={"radius": 0.3, "max_speed": 2.0, "max_force": 20.0, "keep_apart": False},
        locomotions=[(SimpleVehicle, {})],
        behaviors=[(Flee, {"distance": 0.0, "weight": 9.0}), (Containment, {"firm": True, "weight": 0.1, "region": 0})],
        tracked=leaders([-2.0, -2.5, 0.0]),
        regions=regions([[0.0, 0.0, 0.0]], 3.0, BOX),
    )
    assert np.abs(positions(scene.run(96))).max() <= 3.0 + 1e-9


@pytest.mark.parametrize("release", [True, False])
def test_a_firm_region_lets_those_go_whom_it_releases(release: bool) -> None:
    scene = Scene(
        [(0.0, 2.0, 0.0)],
        forward=(0.0, 1.0, 0.0),
        vehicle={"radius": 0.1, "max_speed": 2.0, "max_force": 4.0},
        behaviors=[(Seek, {"target": 1}), (Containment, {"firm": True, "release": release, "region": 0})],
        tracked=leaders([0.0, 6.0, 0.0]),
        regions=regions([[0.0, 0.0, 0.0]], 3.0, BOX),
    )
    assert (positions(scene.run(48))[-1, 0, 1] > 3.0) == release
