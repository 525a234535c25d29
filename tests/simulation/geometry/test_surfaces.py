"""Surfaces straight below: plain loops over all triangles say what is right."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.simulation.geometry.floors import LEAST_COVERED, MANY, floor
from steering_addon.simulation.geometry.surfaces import NO_SURFACES, Surfaces, surfaces, surfaces_between
from tests.simulation.odd_input import BOUNDED
from tests.surfaces import Faces, four_cornered, patch, plate

REACH = 1e6


def terrain(cells: int = 12, side: float = 12.0, rise: float = 1.0, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Random hills on a grid about the origin."""
    x, y = np.meshgrid(*(2 * [np.linspace(-side / 2.0, side / 2.0, cells + 1)]), indexing="ij")
    rng = np.random.default_rng(seed)
    return patch(np.stack((x, y, rise * rng.uniform(-1.0, 1.0, x.shape)), axis=-1))


def level(height: float, half: float = 3.0) -> Faces:
    return four_cornered(plate(-half, -half, half, half, height))


def places(n: int = 200, half: float = 7.0, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    return tuple(np.random.default_rng(seed).uniform(-half, half, (2, n)))


def trodden(ground: Surfaces, x, y, expected=0.0, up=REACH, down=REACH):
    n = len(x)
    return ground.under(
        x, y, *(np.broadcast_to(np.asarray(value, dtype=float), (n,)) for value in (expected, up, down))
    )


def heights_by_hand(points, triangles, x: float, y: float) -> list[float]:
    """The heights of all triangles over and under a place, by Cramer's rule."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    along, across, way = b - a, c - a, np.array((x, y)) - a[:, :2]
    area = along[:, 0] * across[:, 1] - across[:, 0] * along[:, 1]
    slanted = np.abs(area) > 1e-6 * np.linalg.norm(np.cross(along, across), axis=1)
    safe = np.where(slanted, area, 1.0)
    u = (way[:, 0] * across[:, 1] - across[:, 0] * way[:, 1]) / safe
    v = (along[:, 0] * way[:, 1] - way[:, 0] * along[:, 1]) / safe
    inside = slanted & (np.minimum(np.minimum(u, v), 1.0 - u - v) >= -1e-9)
    return (a[:, 2] + u * along[:, 2] + v * across[:, 2])[inside].tolist()


def test_what_is_trodden_is_the_highest_within_a_step_of_what_is_expected() -> None:
    points, triangles = terrain()
    above = (np.add(points, (0.3, 0.1, 2.0)), triangles)
    ground = surfaces([(points, triangles), above])
    x, y = places()
    rng = np.random.default_rng(3)
    expected, up, down = rng.uniform(-1.0, 3.0, len(x)), rng.uniform(0.0, 1.5, len(x)), rng.uniform(0.0, 1.5, len(x))
    footing = trodden(ground, x, y, expected, up, down)
    both = np.concatenate((points, above[0])), np.concatenate((triangles, triangles + len(points)))
    for k in range(len(x)):
        heights = heights_by_hand(*both, x[k], y[k])
        within = [h for h in heights if -down[k] <= h - expected[k] <= up[k]]
        if within:
            assert footing.height[k] == pytest.approx(max(within), abs=1e-9)
        else:
            assert footing.triangle[k] == -1 and np.isnan(footing.height[k])
    assert (footing.triangle >= 0).sum() > 20 < (footing.triangle < 0).sum()


def test_the_place_of_a_footing_is_where_it_was_asked_for() -> None:
    ground = surfaces([terrain(), level(5.0)], [False, True])
    x, y = places()
    footing = trodden(ground, x, y)
    on = footing.triangle >= 0
    place = ground.place(footing.triangle, footing.u, footing.v)
    assert np.abs(place[on] - np.stack((x, y, footing.height), axis=1)[on]).max() < 1e-9
    assert np.isnan(place[~on]).all()
    u, v = ground.shares(footing.triangle, x, y)
    assert np.abs(np.stack((u - footing.u, v - footing.v))).max() < 1e-9


def test_layers_make_no_difference_but_to_rows() -> None:
    meshes = [terrain(seed=1), level(0.2), terrain(seed=2)]
    x, y = places()
    together = trodden(surfaces(meshes), x, y)
    for moves in ([True, True, True], [False, True, False], [True, False, False]):
        ground = surfaces(meshes, moves)
        footing = trodden(ground, x, y)
        assert footing.height.tobytes() == together.height.tobytes()
        assert (ground.surface_of(footing.triangle) == surfaces(meshes).surface_of(together.triangle)).all()
        normals = surfaces(meshes).normal_at(together.triangle, together.u, together.v)
        assert np.abs(ground.normal_at(footing.triangle, footing.u, footing.v) - normals).max() < 1e-12
        assert len(ground) == 3


def test_the_order_and_the_winding_of_triangles_make_no_difference() -> None:
    points, triangles = terrain()
    x, y = places()
    first = surfaces([(points, triangles)])
    shuffled = np.random.default_rng(5).permutation(triangles)[:, ::-1]
    second = surfaces([(points, shuffled)])
    before, after = trodden(first, x, y), trodden(second, x, y)
    assert np.allclose(before.height, after.height, atol=1e-12, equal_nan=True)
    normals = (
        ground.normal_at(footing.triangle, footing.u, footing.v)
        for ground, footing in ((first, before), (second, after))
    )
    assert np.abs(np.subtract(*normals)).max() < 1e-9


def storeys() -> Surfaces:
    """Hills, a floor above a part of them, a face that lies there twice, and one that moves."""
    points, triangles = terrain()
    twice = points, np.concatenate((triangles, triangles[40:43]))
    return surfaces([twice, level(3.0), level(1.5, half=1.0)], [False, False, True])


@pytest.mark.parametrize("ground", [storeys(), surfaces([terrain(cells=40)])], ids=["storeys", "hills"])
def test_neither_the_triangle_trodden_last_nor_the_number_of_places_makes_a_difference(ground: Surfaces) -> None:
    """So few places that each is looked up, all at once, and from the triangles trodden last."""
    x, y = places(2000)
    under = trodden(ground, x, y, 0.0, 5.0, 5.0).triangle
    last = np.where(np.arange(2000) % 3 > 0, under, np.random.default_rng(5).integers(-1, 150, 2000))
    expected, near = np.random.default_rng(6).uniform(-1.0, 4.0, 2000), np.full(2000, 0.7)
    few = [slice(k, k + MANY // 2) for k in range(0, 2000, MANY // 2)]
    looked_up = [ground.under(*(column[rows] for column in (x, y, expected, near, near))) for rows in few]
    for footing in (ground.under(x, y, expected, near, near, known) for known in (None, last)):
        for name, column in vars(footing).items():
            expected_column = np.concatenate([vars(each)[name] for each in looked_up])
            assert np.array_equal(column, expected_column, equal_nan=True), name


@pytest.mark.parametrize("plain", [10.0, 100.0, 1e4])
def test_fine_ground_lies_in_many_cells_however_large_the_plain_around_it_is(plain: float) -> None:
    (fine, faces), (corners, sides) = terrain(), level(-1.0, plain)
    ground = floor(np.concatenate((fine, corners)), np.concatenate((faces, sides + len(fine))))
    assert plain > 100.0 or np.diff(ground.begin).max() <= 20
    assert len(ground.member) <= 2 * LEAST_COVERED


@pytest.mark.parametrize("ground", [storeys(), surfaces([terrain(rise=0.4)])], ids=["storeys", "hills"])
def test_a_glance_says_nothing_that_a_look_denies(ground: Surfaces) -> None:
    x, y = places(2000)
    expected, near, cosine = np.zeros(2000), np.full(2000, 2.5), np.full(2000, 0.8)
    good, bad = ground.glance(x, y, expected, near, cosine)
    footing = ground.under(x, y, expected, near, near)
    walked = (footing.triangle >= 0) & (ground.levelness(footing.triangle) >= 0.8)
    assert walked[good].all() and not walked[bad].any()
    assert (good | bad).any()


def test_levelness_is_the_upward_part_of_the_normal_of_a_face() -> None:
    ground = surfaces([terrain(rise=3.0), level(1.0)], [False, True])
    rows = np.arange(2 * 12 * 12 + 2)
    assert np.abs(ground.levelness(rows) - ground.face_normal(rows)[:, 2]).max() < 1e-12


def test_normals_are_those_of_the_smooth_shape_and_point_up() -> None:
    fine = 60
    x, y = np.meshgrid(*(2 * [np.linspace(-3.0, 3.0, fine)]), indexing="ij")
    points, triangles = patch(np.stack((x, y, np.sqrt(36.0 - x * x - y * y)), axis=-1))
    ground = surfaces([(points, triangles[:, ::-1])])
    px, py = places(half=2.5)
    footing = trodden(ground, px, py)
    normal = ground.normal_at(footing.triangle, footing.u, footing.v)
    right = np.stack((px, py, footing.height), axis=1) / 6.0
    assert (normal[:, 2] > 0.0).all()
    assert np.degrees(np.linalg.norm(np.cross(normal, right), axis=1)).max() < 0.2


def test_the_normal_of_a_tread_does_not_lean_at_the_rim_of_a_stair() -> None:
    steps = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (2.0, 1.0)]
    points, triangles = patch(np.array([[(x, y, z) for x, z in steps] for y in (0.0, 1.0)]))
    ground = surfaces([(points, triangles)])
    x = np.linspace(0.01, 1.99, 60)
    footing = trodden(ground, x, np.full(60, 0.5))
    assert (footing.triangle >= 0).all()
    assert np.degrees(np.arccos(ground.normal_at(footing.triangle, footing.u, footing.v)[:, 2])).max() < 45.1
    assert (ground.face_normal(footing.triangle)[:, 2] == 1.0).all()


def test_no_triangle_has_a_straight_normal_and_no_surface() -> None:
    for ground in (NO_SURFACES, surfaces([terrain()])):
        nothing = np.array([-1])
        zero = np.zeros(1)
        assert (ground.normal_at(nothing, zero, zero) == (0.0, 0.0, 1.0)).all()
        assert (ground.face_normal(nothing) == (0.0, 0.0, 1.0)).all() and ground.levelness(nothing) == 1.0
        assert ground.surface_of(nothing) == -1
        assert not ground.open_to(np.array([1e9]), zero, 0.5, 1.0).any()


def is_open_by_hand(ground: Surfaces, x: float, y: float, cosine: float, reach: float) -> bool:
    """Whether a fine net of places around is floor that is gentle enough."""
    dx, dy = (part.ravel() for part in np.meshgrid(*(2 * [np.linspace(-reach, reach, 15)])))
    within = dx * dx + dy * dy <= reach * reach
    footing = trodden(ground, x + dx[within], y + dy[within])
    gentle = ground.face_normal(footing.triangle)[:, 2] >= cosine
    return bool(((footing.triangle >= 0) & gentle).all())


def test_where_it_says_open_there_is_gentle_ground_all_around() -> None:
    points, triangles = terrain(cells=24, side=24.0, rise=0.25, seed=4)
    points[:, 2] += np.where(points[:, 0] > 6.0, 3.0 * (points[:, 0] - 6.0), 0.0)
    triangles = triangles[(np.abs(points[triangles].mean(axis=1) - (-6.0, -6.0, 0.0))[:, :2] > 1.0).any(axis=1)]
    ground = surfaces([(points, triangles)])
    x, y = places(60, half=13.0)
    is_open = ground.open_to(x, y, 0.6, 1.5)
    assert 5 < is_open.sum() < 40
    for k in np.flatnonzero(is_open):
        assert is_open_by_hand(ground, x[k], y[k], 0.6, 1.5)


def test_what_is_far_from_all_borders_of_gentle_ground_is_open_and_a_larger_reach_is_looked_for_again() -> None:
    ground = surfaces([terrain(cells=40, side=40.0, rise=0.1)])
    assert ground.open_to(*places(half=12.0), 0.6, 1.5).all()
    x, y = np.array([16.0]), np.zeros(1)
    assert ground.open_to(x, y, 0.6, 1.0).all()
    assert not ground.open_to(np.array([60.0]), y, 0.6, 1.0).any()
    for reach in (6.0, 60.0, 1e9, 1e300):
        assert not ground.open_to(x, y, 0.6, reach).any()


def test_the_rim_of_a_deck_is_not_open_though_its_sides_stand_upright() -> None:
    top, below = level(4.0, half=2.0), terrain(cells=40, side=60.0, rise=0.0)
    corners = np.concatenate((top[0], top[0] - (0.0, 0.0, 0.2)))
    sides = [(a, b, b + 4) for a, b in ((0, 1), (1, 2), (2, 3), (3, 0))]
    sides += [(a, b + 4, a + 4) for a, b in ((0, 1), (1, 2), (2, 3), (3, 0))]
    deck = corners, np.concatenate((top[1], top[1] + 4, sides))
    ground = surfaces([deck, below])
    on_the_deck, beside = ground.open_to(np.array([0.0, 20.0]), np.zeros(2), 0.8, 1.0)
    assert not on_the_deck and beside


@pytest.mark.parametrize("change", ["a wave", "aside", "upright and back"])
def test_a_surface_whose_points_move_is_the_same_as_one_built_again(change: str) -> None:
    points, triangles = terrain()
    x, y = places()
    later = [points.copy()]
    if change == "a wave":
        later[0][:, 2] = np.sin(points[:, 0]) + 0.3 * points[:, 1]
    elif change == "aside":
        later[0][:, 0] += 100.0
        x = x + 100.0
    else:
        later.insert(0, points[:, [0, 2, 1]] * (1.0, 0.0, 1e9))
    moved, built = surfaces([(points, triangles)], [True]), surfaces([(later[-1], triangles)], [True])
    for place in later:
        moved = moved.with_points(0, place)
    footing, expected = trodden(moved, x, y), trodden(built, x, y)
    assert (footing.triangle >= 0).sum() > 50
    for name in ("triangle", "height", "u", "v"):
        assert getattr(footing, name).tobytes() == getattr(expected, name).tobytes()
    normals = [ground.normal_at(footing.triangle, footing.u, footing.v).tobytes() for ground in (moved, built)]
    assert normals[0] == normals[1]


def test_other_layers_stay_the_same_objects() -> None:
    ground = surfaces([terrain(), level(3.0), level(4.0)], [False, True, True])
    moved = ground.with_points(1, level(3.5)[0])
    assert moved.layers[0] is ground.layers[0] and moved.layers[2] is ground.layers[2]
    assert moved.moves(ground) and not ground.moves(ground)
    assert trodden(moved, np.zeros(1), np.zeros(1), 3.2, 0.4, 0.0).height[0] == 3.5


def test_between_two_frames_points_are_on_the_straight_line() -> None:
    before = surfaces([terrain(), level(0.0)], [False, True])
    after = before.with_points(1, level(4.0)[0])
    middle = surfaces_between(before, after, 0.25)
    assert trodden(middle, np.zeros(1), np.zeros(1), 1.0, 0.1, 0.1).height[0] == pytest.approx(1.0)
    assert middle.layers[0] is before.layers[0]
    assert surfaces_between(before, after, 1.0) is after and surfaces_between(before, after, 0.0) is before
    assert surfaces_between(after, after, 0.5) is after


def test_between_other_triangles_it_is_the_later_surface() -> None:
    before, after = surfaces([level(0.0)], [True]), surfaces([terrain()], [True])
    assert surfaces_between(before, after, 0.5).layers[0] is after.layers[0]
    assert not after.has_triangles_of(before) and after.has_triangles_of(after)


@st.composite
def odd_meshes(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Triangles that share points and sides, stand upright, have no area or are far away."""
    coordinate = st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0])
    count = draw(st.integers(0, 9))
    points = np.array([draw(st.tuples(coordinate, coordinate, coordinate)) for _ in range(count)]).reshape(-1, 3)
    row = st.integers(0, max(count - 1, 0))
    faces = draw(st.lists(st.tuples(row, row, row), max_size=12 if count else 0))
    far = draw(st.sampled_from([0.0, 1e4]))
    return np.add(points, (far, -far, 0.0)), np.array(faces, dtype=np.int64).reshape(-1, 3)


@BOUNDED
@given(odd_meshes(), st.floats(-2.5, 3.5), st.floats(-2.5, 3.5))
def test_odd_triangles_are_trodden_as_plain_loops_say(mesh, x: float, y: float) -> None:
    points, triangles = mesh
    offset = np.where(len(points) and abs(points).max() > 100.0, 1e4, 0.0)
    x, y = float(x + offset), float(y - offset)
    ground = surfaces([mesh])
    footing = trodden(ground, np.array([x]), np.array([y]))
    heights = heights_by_hand(points, triangles, x, y)
    normal = ground.normal_at(footing.triangle, footing.u, footing.v)
    assert np.abs(np.linalg.norm(normal, axis=1) - 1.0).max() < 1e-9 and normal[0, 2] > 0.0
    assert ground.open_to(np.array([x]), np.array([y]), 0.5, 0.5).dtype == np.bool_
    near_an_edge = any(
        not heights_by_hand(points, triangles, x + dx, y + dy) for dx in (-1e-6, 1e-6) for dy in (-1e-6, 1e-6)
    )
    if heights and not near_an_edge:
        assert footing.height[0] == pytest.approx(max(heights), abs=1e-5)
    elif not heights and footing.triangle[0] >= 0:
        assert heights_by_hand(points, triangles, x + 1e-6, y) or near_an_edge


def test_a_gap_has_the_footing_of_its_nearer_side() -> None:
    """A level floor up to x = 5, and from x = 5.3 on one of the height .5 + .05 (x - 5.3)."""
    corners = [(a, b, 0.0) for a in (-5.0, 5.0) for b in (-5.0, 5.0)]
    further = [(x + 10.3, y, 0.5 + 0.05 * (x + 5.0)) for x, y, _ in corners]
    faces = np.array([(0, 2, 3), (0, 3, 1)])
    ground = surfaces([(np.array(corners), faces), (np.array(further), faces)])
    x, y = np.array([4.9, 5.05, 5.2, 5.29, 5.15, 15.4]), np.array([0.0, 1.0, 0.0, 2.0, 5.5, 0.0])
    turn = np.linspace(0.0, 6.0, len(x))
    along = np.stack((np.cos(turn), np.sin(turn)), axis=1)
    for gap, spanned in (
        (0.0, [True, False, False, False, False, False]),
        (0.7, [True, True, True, True, False, False]),
    ):
        near, height = np.full(len(x), 1.0), np.full(len(x), 0.3)
        footing = ground.under(x, y, height, near, near)
        bridged = ground.bridged(footing, x, y, height, near, along, np.full(len(x), gap))
        assert (bridged.triangle >= 0).tolist() == spanned
    assert bridged.height[:4].tolist() == pytest.approx([0.0, 0.0, 0.495, 0.4995])
    assert ground.place(bridged.triangle[:4], bridged.u[:4], bridged.v[:4])[:, 0].tolist() == pytest.approx(
        x[:4].tolist()
    )
