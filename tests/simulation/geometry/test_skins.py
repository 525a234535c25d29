"""Ways along skins: straight over folds, as long as asked, on one sheet, and up to the borders."""

import numpy as np
import pytest

from steering_addon.simulation.geometry.clinging import Clinging
from steering_addon.simulation.geometry.skins import Skin, skin
from steering_addon.simulation.geometry.surfaces import surfaces
from steering_addon.simulation.geometry.triangles import Borders
from tests.locomotion.round_grounds import bowl, box, globe, moebius, sheet, waves

N = 60


def nearest(surface: Skin, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    _, place, triangle = surface.nearest(points, np.full(len(points), np.inf))
    return place, triangle


def somewhere(surface: Skin, n: int = N, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Triangles, places on them and directions along them."""
    rng = np.random.default_rng(seed)
    triangle = rng.choice(np.flatnonzero(surface.has_area), n)
    share = rng.dirichlet((1.0, 1.0, 1.0), n)
    place = np.einsum("nk,nkd->nd", share, surface.points[surface.triangles[triangle]])
    direction = np.cross(surface.normal[triangle], rng.normal(size=(n, 3)))
    return triangle, place, direction / np.linalg.norm(direction, axis=1, keepdims=True)


def walk(surface: Skin, triangle, place, direction, length: float, facing=None):
    n = len(triangle)
    return surface.walked(
        triangle, place, direction, np.ones(n) if facing is None else facing, np.full(n, length, dtype=float)
    )


def test_over_the_sides_of_a_box_a_way_returns_to_where_it_began() -> None:
    surface = skin(*box())
    place, triangle = nearest(surface, np.array([(0.2, 0.3, 2.0)]))
    way = walk(surface, triangle, place, np.array([(1.0, 0.0, 0.0)]), 8.0)
    assert np.abs(way.place - place).max() < 1e-12 and np.abs(way.direction - (1.0, 0.0, 0.0)).max() < 1e-12
    quarter = walk(surface, triangle, place, np.array([(1.0, 0.0, 0.0)]), 1.0)
    assert np.abs(quarter.place - (1.0, 0.3, 0.8)).max() < 1e-12, "the same length over a right angle"
    assert np.abs(quarter.direction - (0.0, 0.0, -1.0)).max() < 1e-12


def test_on_a_sphere_it_follows_great_circles() -> None:
    surface = skin(*globe(5.0, 120, 60))
    triangle, place, direction = somewhere(surface)
    way = walk(surface, triangle, place, direction, np.pi * 5.0 / 2.0)
    assert not way.met.any()
    # A quarter of the way round it is where the direction pointed.
    assert np.abs(way.place / 5.0 - direction).max() < 0.04


@pytest.mark.parametrize("ground", [globe(), bowl(), moebius(), waves(steep=0.5), box()])
def test_a_way_forth_and_back_ends_where_it_began(ground) -> None:
    surface = skin(*ground)
    triangle, place, direction = somewhere(surface)
    forth = walk(surface, triangle, place, direction, 1.3)
    gone = ~forth.met
    back = walk(surface, forth.triangle, forth.place, -forth.direction, 1.3, forth.facing)
    assert gone.sum() > N // 3
    assert np.abs(back.place - place)[gone].max() < 1e-7 and np.abs(back.direction + direction)[gone].max() < 1e-7
    assert (back.facing == 1.0)[gone].all()


def test_over_the_seam_of_a_moebius_band_it_stays_on_its_side() -> None:
    surface = skin(*moebius())
    assert (surface.sides.beyond < 0).sum() == 2 * 96, "the seam has a triangle on either side"
    place, triangle = nearest(surface, np.array([(8.0 * np.cos(0.05), -8.0 * np.sin(0.05), 0.0)]))
    way = walk(surface, triangle, place, np.array([(0.0, 1.0, 0.0)]), 0.8)
    assert way.place[0, 1] > 0.3 and not way.met[0]
    up, later = surface.normal[triangle[0]], way.facing[0] * surface.normal[way.triangle[0]]
    assert up @ later > 0.99 and surface.normal[way.triangle[0]] @ up < -0.99


def test_it_ends_at_a_border_with_what_is_left() -> None:
    surface = skin(*sheet(half=3.0))
    place, triangle = nearest(surface, np.array([(1.0, 0.2, 0.0), (0.0, 0.0, 0.0)]))
    way = walk(surface, triangle, place, np.array([(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]), 2.5)
    assert way.met.tolist() == [True, False]
    assert np.abs(way.place - ((3.0, 0.2, 0.0), (0.0, 2.5, 0.0))).max() < 1e-12
    assert np.abs(way.left - (0.5, 0.0)).max() < 1e-12


def test_it_stays_on_its_sheet_of_a_thin_plate() -> None:
    points, triangles = sheet(half=2.0)
    lower = points - (0.0, 0.0, 1e-4)
    surface = skin(np.concatenate((points, lower)), np.concatenate((triangles, triangles + len(points))))
    place, triangle = nearest(surface, np.array([(0.0, 0.0, 0.1), (0.0, 0.0, -0.1)]))
    way = walk(surface, triangle, place, np.array(2 * [(0.6, 0.8, 0.0)]), 1.5)
    assert way.place[0, 2] == 0.0 and way.place[1, 2] == pytest.approx(-1e-4)


def odd() -> tuple[np.ndarray, np.ndarray]:
    """Faces without area, one upright, three at an edge, and one that lies on another."""
    points = np.array(
        [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (1, 0, 0), (2, 0, 2), (2, 2, 2), (4, 0, 0), (4, 2, 0)], dtype=float
    )
    faces = [(0, 1, 2), (0, 2, 3), (0, 4, 1), (3, 3, 2), (1, 2, 6), (1, 6, 5), (1, 7, 8), (1, 8, 2), (0, 1, 2)]
    return points, np.array(faces)


def test_ways_over_odd_faces_are_finite_and_on_them() -> None:
    surface = skin(*odd())
    triangle, place, direction = somewhere(surface, 200)
    for length in (0.0, 0.3, 5.0, 1e6):
        way = walk(surface, triangle, place, direction, length)
        assert np.isfinite(way.place).all() and np.isfinite(way.direction).all()
        distance, _, _ = surface.nearest(way.place, np.full(200, np.inf))
        assert distance.max() < 1e-9


def test_points_at_one_place_hang_together_and_faces_without_area_part_nothing() -> None:
    points, triangles = sheet(half=1.0, cells=2)
    loose = points[triangles].reshape(-1, 3)
    faces = np.concatenate((np.arange(len(loose)).reshape(-1, 3), [(0, 0, 1)]))
    surface = skin(loose, faces)
    place, triangle = nearest(surface, np.array([(-0.5, -0.3, 0.0)]))
    way = walk(surface, triangle, place, np.array([(1.0, 0.0, 0.0)]), 1.2)
    assert np.abs(way.place - (0.7, -0.3, 0.0)).max() < 1e-12 and not way.met[0]


def test_smoothed_normals_of_a_sphere_are_those_of_the_sphere_whichever_way_faces_are_wound() -> None:
    points, triangles = globe(5.0, 64, 32)
    mixed = np.where((np.arange(len(triangles)) % 3 == 0)[:, None], triangles[:, ::-1], triangles)
    for faces in (triangles, mixed):
        surface = skin(points, faces)
        triangle, place, _ = somewhere(surface)
        facing = np.where((surface.normal[triangle] * place).sum(axis=1) < 0.0, -1.0, 1.0)
        normal = surface.normal_at(triangle, place, facing)
        wanted = place / np.linalg.norm(place, axis=1, keepdims=True)
        assert np.degrees(np.arccos(np.clip((normal * wanted).sum(axis=1), -1.0, 1.0))).max() < 0.6


def test_on_a_box_they_are_those_of_the_faces() -> None:
    surface = skin(*box())
    triangle, place, _ = somewhere(surface)
    assert np.abs(surface.normal_at(triangle, place, np.ones(N)) - surface.normal[triangle]).max() < 1e-12


def test_a_skin_that_is_moved_is_the_skin_of_the_moved_points() -> None:
    points, triangles = waves(steep=0.5)
    later, _ = waves(steep=0.5, time=0.3)
    moved, made = skin(points, triangles).moved(later), skin(later, triangles)
    triangle, place, direction = somewhere(made)
    for a, b in zip(
        vars(walk(moved, triangle, place, direction, 1.0)).values(),
        vars(walk(made, triangle, place, direction, 1.0)).values(),
    ):
        assert a.tobytes() == b.tobytes()
    assert moved.normals.tobytes() == made.normals.tobytes()


def test_surfaces_that_turn_take_places_and_directions_along() -> None:
    points, triangles = box()
    turn = np.array([(0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)])
    still = sheet(half=20.0, height=-5.0)
    before = surfaces([still, (points, triangles)], [False, True])
    after = before.with_points(1, points @ turn.T + (0.0, 0.0, 1.0))
    places = np.array([(0.5, 0.2, 1.0), (1.0, 0.1, 0.3), (9.0, 0.0, -5.0)])
    hold = Clinging(before).nearest(places, np.full(3, np.inf))
    way = np.array([(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)])
    assert Clinging(before).moved(Clinging(after), hold.triangle).tolist() == [True, True, False]
    place, direction = Clinging(before).carried(Clinging(after), hold.triangle, places, way)
    assert np.abs(place[:2] - (places[:2] @ turn.T + (0.0, 0.0, 1.0))).max() < 1e-12
    assert np.abs(direction[:2] - way[:2] @ turn.T).max() < 1e-12
    assert np.abs(place[2] - places[2]).max() < 1e-12 and np.abs(direction[2] - way[2]).max() < 1e-12


def test_a_course_meets_the_same_triangles_whether_or_not_far_surfaces_are_left_out(monkeypatch) -> None:
    rng = np.random.default_rng(4)
    points, triangles = globe()
    several = [(points + np.array((x, 0.0, 0.3 * x)), triangles) for x in (0.0, 1.0, 4.0)]
    clinging = Clinging(surfaces(several))
    start, course = rng.uniform(-2.0, 6.0, (400, 3)), rng.normal(size=(400, 3))
    course /= np.linalg.norm(course, axis=1, keepdims=True)
    asked = start, course, rng.uniform(0.0, 3.0, 400), rng.integers(0, 3, 400)
    distance, triangle = clinging.hit(*asked)
    assert 20 < (triangle >= 0).sum() < 380
    monkeypatch.setattr("steering_addon.simulation.geometry.clinging.MANY", 0)
    every_distance, every_triangle = clinging.hit(*asked)
    assert distance.tobytes() == every_distance.tobytes() and (triangle == every_triangle).all()


def test_near_a_border_is_everything_within_reach_of_it() -> None:
    rng = np.random.default_rng(3)
    start, end = rng.uniform(-5.0, 5.0, (2, 12, 3))
    points = rng.uniform(-8.0, 8.0, (3000, 3))
    along = np.clip(
        np.einsum("pkd,kd->pk", points[:, None] - start, end - start) / ((end - start) ** 2).sum(axis=1), 0.0, 1.0
    )
    distance = np.linalg.norm(points[:, None] - start - along[..., None] * (end - start), axis=-1).min(axis=1)
    lines = Borders(start, end)
    for reach in (0.5, 0.6, 2.0, 0.5):
        near = lines.near(points, reach)
        assert near[distance <= reach].all() and not near[distance > 5.0 * reach].any()
    assert not Borders(start[:0], end[:0]).near(points, 1.0).any()
