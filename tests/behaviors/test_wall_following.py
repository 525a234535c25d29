"""Wall following (paper, Path Following): comes up to a wall and keeps an offset from it, on either side."""

import numpy as np
import pytest

from steering_addon.behaviors.wall_following import CURVES, OBSTACLES, WallFollowing
from steering_addon.locomotion import Planar
from steering_addon.simulation.declaration import NEAREST
from steering_addon.simulation.geometry.meshes import mesh
from steering_addon.simulation.geometry.obstacles import Obstacles, boxes
from steering_addon.simulation.geometry.paths import Spline, spline
from tests.sampling import sampled
from tests.scene import Scene, about, headings, positions, speeds, turned
from tests.surfaces import block, mesh_obstacles, sheet

FPS, SMOOTH = 12, 24
"""Frames a second, and those where jerks are measured."""
CRUISE = 4.0
WALL = spline(np.array([[0.0, -200.0, 0.0], [0.0, 200.0, 0.0]]), False)


def ring(radius: float = 15.0) -> Spline:
    t = np.linspace(0.0, 2.0 * np.pi, 200, endpoint=False)
    return spline(radius * np.stack((np.cos(t), np.sin(t), np.zeros(200)), axis=-1), True)


def walkers(line: Spline, position: object, **changes: object) -> Scene:
    behaviors = [(WallFollowing, changes.pop("values", {}))]
    return Scene(position, paths=((line,),), behaviors=behaviors, **({"speed": CRUISE, "fps": FPS} | changes))  # type: ignore[arg-type]


def test_it_follows_the_wall_in_the_direction_of_its_heading() -> None:
    way = [[0.4, 1.0, 0.0], [0.4, -1.0, 0.0]]
    states = walkers(WALL, [[-4.0, 0.0, 0.0]] * 2, forward=way).run(10 * FPS)
    assert np.sign(headings(states)[-1, :, 1]).tolist() == [1.0, -1.0]


def test_head_on_it_turns_aside_and_does_not_cross_the_wall() -> None:
    states = walkers(WALL, [[-8.0, 0.0, 0.0]], forward=(1.0, 0.0, 0.0)).run(7 * FPS)
    assert positions(states)[..., 0].max() < 0.0
    assert positions(states)[-1, 0, 0] == pytest.approx(-1.0, abs=0.05)


@sampled
@pytest.mark.parametrize("inside", [False, True])
def test_it_keeps_the_offset_round_a_bent_wall(inside: bool) -> None:
    start = 12.0 if inside else 18.0
    states = walkers(ring(), [[start, 0.0, 0.0]], locomotions=[(Planar, {})]).run(12 * FPS)
    radius = np.linalg.norm(positions(states)[-8 * FPS :, 0], axis=1)
    assert np.abs(radius - (14.0 if inside else 16.0)).max() < 0.1


def test_round_the_end_of_a_wall_it_returns_on_the_other_side() -> None:
    short = spline(np.array([[0.0, 0.0, 0.0], [0.0, 20.0, 0.0]]), False)
    states = walkers(short, [[4.0, 0.0, 0.0]], values={"offset": 4.0}, vehicle={"max_force": 20.0}).run(8 * FPS)
    way = positions(states)[:, 0]
    assert (way[:, 0] < -3.0).any()
    assert headings(states)[:, 0, 1].min() < -0.9
    off = np.linalg.norm(way - short.position(short.nearest(way)), axis=1)
    assert np.abs(off - 4.0).max() < 0.5


Corners = np.ndarray


def outline(corners: Corners, kind: str) -> dict[str, object]:
    """A wall along points (k, 2), as a curve or as a mesh."""
    points = np.column_stack((corners, np.zeros(len(corners))))
    if kind == "curve":
        return {"line": spline(points, False)}
    k = len(points)
    height = np.array([0.0, 0.0, 4.0])
    foot, head = points - height, points + height
    sides = [t for a in range(k - 1) for t in ((a, a + 1, k + a + 1), (a, k + a + 1, k + a))]
    return {"mesh": mesh(np.concatenate((foot, head)), np.array(sides))}


def followers(kind: str, walls: list[Corners], start: list[object], **changes: object) -> tuple[Scene, np.ndarray]:
    """One vehicle before each of several separate walls, and the offsets of the walls from the first."""
    n = len(walls)
    outlines = [outline(wall, kind) for wall in walls]
    values = changes.pop("values", {})
    if kind == "curve":
        apart, things = np.zeros((n, 3)), {"paths": tuple((drawn["line"],) for drawn in outlines)}
        values = values | {"walls": CURVES, "wall": np.arange(n)}
    else:
        apart = np.stack((1000.0 * np.arange(n), np.zeros(n), np.zeros(n)), axis=-1)
        things = {"obstacles": mesh_obstacles([drawn["mesh"] for drawn in outlines], apart)}
        values = values | {"walls": OBSTACLES}
    place = np.column_stack((np.array(start, dtype=float), np.zeros(n))) + apart
    moves = {"locomotions": [(Planar, {})], "fps": FPS}
    return Scene(place, behaviors=[(WallFollowing, values)], **moves, **things, **changes), apart  # type: ignore[arg-type]


def crosses(way: np.ndarray, wall: Corners) -> bool:
    """Whether a way (frames, 2) crosses a wall, by each step and each segment."""
    step, side = np.diff(way, axis=0)[:, None], np.diff(wall, axis=0)[None]
    offset = wall[:-1][None] - way[:-1, None]

    def area(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]

    steep = area(step, side)
    safe = np.where(steep == 0.0, 1.0, steep)
    part, place = area(offset, side) / safe, area(offset, step) / safe
    return bool(((steep != 0.0) & (part >= 0.0) & (part <= 1.0) & (place >= 0.0) & (place <= 1.0)).any())


def test_in_a_corridor_too_narrow_for_the_offset_it_turns_round_at_the_end() -> None:
    wide = np.array([1.5, 2.0, 3.0])
    walls = [np.array([[0.0, -30.0], [0.0, 0.0], [w, 0.0], [w, -30.0]]) for w in wide]
    place, _ = followers("curve", walls, [(0.5 * w, -8.0) for w in wide], speed=CRUISE)
    way = positions(place.run(8 * FPS))[..., :2]
    for row, wall in enumerate(walls):
        assert not crosses(way[:, row], wall)
        assert way[:, row, 1].max() > -4.0 and way[-1, row, 1] < -8.0


@pytest.mark.parametrize("kind", ["curve", "mesh"])
def test_along_a_straight_wall_it_does_not_slow_down(kind: str) -> None:
    place, _ = followers(kind, [np.array([[0.0, -80.0], [0.0, 80.0]])], [(1.0, -60.0)], speed=CRUISE)
    assert speeds(place.run(3 * FPS)).min() > 0.99 * CRUISE


def test_far_from_the_wall_it_does_nothing_and_the_force_sets_in_gently() -> None:
    aside = np.linspace(0.5, 20.0, 400)
    place = walkers(WALL, np.stack((aside, aside * 0.0, aside * 0.0), axis=-1), forward=(0.0, 0.0, 1.0), up=(0, 1, 0))
    force = np.linalg.norm(place.steering()[0], axis=1)
    assert (force[aside >= 10.0] == 0.0).all()
    assert (force[aside < 9.9] > 0.0).all()
    assert np.abs(np.diff(force)).max() < 1.5


def test_only_a_named_wall_counts_and_by_default_the_nearest() -> None:
    other = spline(WALL.points + np.array([8.0, 0.0, 0.0]), False)
    for wall, way in ((-2, 1.0), (0, -1.0), (1, 1.0), (-1, 0.0)):
        place = walkers(WALL, [[4.5, 0.0, 0.0]], values={"wall": wall})
        place.paths = ((WALL,), (other,))
        assert np.sign(np.round(place.steering()[0][0, 0], 9)) == way


def along(things: Obstacles, position: object, **changes: object) -> Scene:
    behaviors = [(WallFollowing, {"walls": OBSTACLES, "offset": 2.0} | changes.pop("values", {}))]
    given = {"speed": CRUISE, "fps": FPS, "obstacles": things, "behaviors": behaviors}
    return Scene(position, **(given | changes))  # type: ignore[arg-type]


@sampled
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


@pytest.mark.parametrize("degrees", [90.0, 180.0, 270.0])
def test_if_the_wall_will_be_out_of_reach_it_steers_toward_it_in_any_direction(degrees: float) -> None:
    place = along(boxes([[0.0, 0.0, 0.0]], [[1.0, 1.0, 1.0]]), [[10.5, 0.0, 0.0]], forward=(1.0, 0.5, 0.0))
    [force], turn = place.steering()[0], about((0.0, 0.0, 1.0), degrees)
    assert force[0] < 0.0
    assert np.abs(place.moved(turn=turn).steering()[0][0] - turned(force, turn)).max() < 1e-12


def test_far_from_all_obstacles_it_does_nothing() -> None:
    assert (along(boxes([[0.0, 0.0, 0.0]], [[1.0, 1.0, 1.0]]), [[30.0, 0.0, 0.0]]).steering()[0] == 0.0).all()


def test_along_one_of_many_curves_it_goes_as_along_that_one_alone() -> None:
    offset = 80.0 * np.arange(4)[:, None] * [1.0, 0.0, 0.0]
    line = np.array([[0.0, -20.0, 0.0], [3.0, 0.0, 1.0], [0.0, 20.0, 0.0]])
    curves = [
        spline(line + offset[k], False) if k % 2 else spline(ring(9.0 + k).points + offset[k], True) for k in range(4)
    ]
    place, asked = offset + np.array([4.0, -6.0, 0.0]), [NEAREST, 1, 0, 1]
    scene = walkers(curves[0], place, values={"wall": asked})
    scene.paths = ((curves[0], curves[2]), (curves[1], curves[3]))
    together = positions(scene.run(2 * FPS))
    for k, curve in enumerate(curves):
        alone = walkers(curve, place[k : k + 1]).run(2 * FPS)
        assert (together[:, k] == positions(alone)[:, 0]).all()
