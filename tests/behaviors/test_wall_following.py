"""Wall following (paper, Path Following): come up to a wall and keep an offset from it, on either side."""

import numpy as np
import pytest

from scripts.motion_metrics import jerks
from steering_addon.behaviors.wall_following import OBSTACLES, WallFollowing
from steering_addon.simulation.obstacles import INSIDE, Obstacles, boxes, mesh_obstacles
from steering_addon.simulation.paths import Spline, spline
from tests.scene import Scene, about, headings, positions, speeds
from tests.surfaces import ball, block, sheet

FPS = 24
CRUISE = 4.0
WALL = spline(np.array([[0.0, -200.0, 0.0], [0.0, 200.0, 0.0]]), False)


def ring(radius: float = 15.0) -> Spline:
    t = np.linspace(0.0, 2.0 * np.pi, 200, endpoint=False)
    return spline(radius * np.stack((np.cos(t), np.sin(t), np.zeros(200)), axis=-1), True)


def walkers(line: Spline, position: object, **changes: object) -> Scene:
    behaviors = [(WallFollowing, changes.pop("values", {}))]
    return Scene(position, paths=((line,),), behaviors=behaviors, **({"speed": CRUISE} | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize("offset", [0.5, 1.0, 3.0])
def test_it_comes_up_to_the_wall_and_keeps_the_offset_on_its_own_side(offset: float) -> None:
    start = np.array([[-4.0, 0.0, 0.0], [-0.2, 0.0, 3.0], [0.1, 0.0, 0.0], [4.0, 0.0, -2.0]])
    states = walkers(WALL, start, values={"offset": offset}).run(15 * FPS)
    end = positions(states)[-3 * FPS :]
    assert np.abs(end[..., 0] - offset * np.sign(start[:, 0])).max() < 0.05
    assert np.abs(speeds(states)[-1] - CRUISE).max() < 0.05
    assert headings(states)[-1, :, 1].min() > 0.999
    assert jerks(headings(states), FPS).max() < 25.0


def test_it_goes_the_way_it_heads() -> None:
    way = [[0.4, 1.0, 0.0], [0.4, -1.0, 0.0]]
    states = walkers(WALL, [[-4.0, 0.0, 0.0]] * 2, forward=way).run(10 * FPS)
    assert np.sign(headings(states)[-1, :, 1]).tolist() == [1.0, -1.0]


def test_who_heads_straight_for_the_wall_turns_aside_and_does_not_run_through() -> None:
    states = walkers(WALL, [[-8.0, 0.0, 0.0]], forward=(1.0, 0.0, 0.0)).run(12 * FPS)
    assert positions(states)[..., 0].max() < 0.0
    assert positions(states)[-1, 0, 0] == pytest.approx(-1.0, abs=0.05)


def test_a_fast_one_that_turns_wide_comes_up_to_it_without_running_past() -> None:
    place = walkers(WALL, [[-60.0, -180.0, 0.0]], forward=(0.7, 0.7, 0.0), speed=16.0, values={"distance": 200.0})
    place.vehicle = {"max_speed": 20.0, "max_force": 15.0}
    way = positions(place.run(20 * FPS))[:, 0, 0]
    assert way.max() < -0.6
    assert way[-1] == pytest.approx(-1.0, abs=0.1)


@pytest.mark.parametrize("inside", [False, True])
def test_it_keeps_the_offset_round_a_bent_wall(inside: bool) -> None:
    start = 12.0 if inside else 18.0
    states = walkers(ring(), [[start, 0.0, 0.0]], vehicle={"keep_in_plane": True}).run(20 * FPS)
    radius = np.linalg.norm(positions(states)[-8 * FPS :, 0], axis=1)
    assert np.abs(radius - (14.0 if inside else 16.0)).max() < 0.1


def test_round_the_end_of_a_wall_it_comes_back_on_the_other_side() -> None:
    short = spline(np.array([[0.0, 0.0, 0.0], [0.0, 20.0, 0.0]]), False)
    states = walkers(short, [[4.0, 0.0, 0.0]], values={"offset": 4.0}, vehicle={"max_force": 20.0}).run(14 * FPS)
    way = positions(states)[:, 0]
    assert (way[:, 0] < -3.0).any()
    assert headings(states)[:, 0, 1].min() < -0.9
    off = np.linalg.norm(way - short.position(short.nearest(way)), axis=1)
    assert np.abs(off - 4.0).max() < 0.5


def test_far_from_the_wall_there_is_nothing_to_correct_and_it_sets_in_gently() -> None:
    aside = np.linspace(0.5, 20.0, 400)
    place = walkers(WALL, np.stack((aside, aside * 0.0, aside * 0.0), axis=-1), forward=(0.0, 0.0, 1.0), up=(0, 1, 0))
    force = np.linalg.norm(place.steering()[0], axis=1)
    assert (force[aside >= 10.0] == 0.0).all()
    assert (force[aside < 9.9] > 0.0).all()
    assert np.abs(np.diff(force)).max() < 1.5


def test_only_the_wall_that_is_named_counts_and_the_nearest_where_none_is() -> None:
    other = spline(WALL.points + np.array([8.0, 0.0, 0.0]), False)
    for wall, way in ((-2, 1.0), (0, -1.0), (1, 1.0), (-1, 0.0)):
        place = walkers(WALL, [[4.5, 0.0, 0.0]], values={"wall": wall})
        place.paths = ((WALL,), (other,))
        assert np.sign(np.round(place.steering()[0][0, 0], 9)) == way


# The surfaces of obstacles.


def along(things: Obstacles, position: object, **changes: object) -> Scene:
    behaviors = [(WallFollowing, {"walls": OBSTACLES, "offset": 2.0} | changes.pop("values", {}))]
    given = {"speed": CRUISE, "obstacles": things, "behaviors": behaviors}
    return Scene(position, **(given | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["box", "mesh", "sheet"])
@pytest.mark.parametrize("x", [-5.0, 4.0])
def test_it_goes_along_the_side_of_an_obstacle_at_the_offset(kind: str, x: float) -> None:
    centre, half = [[0.0, 60.0, 0.0]], (1.0, 80.0, 9.0)
    upright = about((0.0, 1.0, 0.0), 90.0)
    things = {
        "box": lambda: boxes(centre, [half]),
        "mesh": lambda: mesh_obstacles([block(half)], centre),
        "sheet": lambda: mesh_obstacles([sheet(80.0, 9)], centre, upright),
    }[kind]()
    end = positions(along(things, [[x, 0.0, 0.0]]).run(8 * FPS))[-FPS:, 0]
    assert np.abs(things.clearance(end)[:, 0] - 2.0).max() < 0.1
    assert np.sign(end[-1, 0]) == np.sign(x) and end[-1, 1] > 15.0


def test_in_a_round_room_it_goes_round_along_the_walls() -> None:
    room = mesh_obstacles([ball(14.0, 12)], [[0.0, 0.0, 0.0]], side=np.full(1, INSIDE))
    states = along(room, [[8.0, 0.0, 0.0]], vehicle={"keep_in_plane": True}).run(20 * FPS)
    way = positions(states)[5 * FPS :, 0]
    assert np.abs(room.clearance(way) - 2.0).max() < 0.5
    assert way.min() < -9.0 and way.max() > 9.0


def test_far_from_all_obstacles_it_does_nothing() -> None:
    assert (along(boxes([[0.0, 0.0, 0.0]], [[1.0, 1.0, 1.0]]), [[30.0, 0.0, 0.0]]).steering()[0] == 0.0).all()
