"""Bodies on ground that moves: what they do of their own, and where their feet find it."""

import numpy as np

from steering_addon.portrayal.riding import Ridden, RiddenGround, carriage, on_all_frames, ridden, unmoved
from steering_addon.simulation.geometry.surfaces import Surfaces, surfaces
from tests.locomotion.grounds import plane

FRAMES = 40
UP = np.array((0.0, 0.0, 1.0))
LIFT = 0.2


def bed_at(frame: int) -> tuple[np.ndarray, np.ndarray]:
    """How a lorry has turned and where it is: it drives, climbs and turns."""
    angle = 0.02 * frame
    turn = np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
    return turn, np.array((0.3 * frame, 0.0, 0.01 * frame))


def grounds() -> list[Surfaces]:
    """A field, and the bed of a lorry 1.2 m above it."""
    points, triangles = plane(half=60.0, cells=4)
    bed, faces = plane(half=3.0, cells=6)
    start = surfaces([(points, triangles), (bed + 1.2 * UP, faces)], [False, True])
    moved = []
    for frame in range(FRAMES):
        turn, place = bed_at(frame)
        moved.append(start.with_points(1, (bed + 1.2 * UP) @ turn.T + place))
    return moved


def ride(way: np.ndarray, facing: np.ndarray) -> tuple[list[Ridden], np.ndarray]:
    """Three bodies: two on the bed at places (f, 3) of their own, the second one walking, and one in the field."""
    run, places, before, was = [], [], None, None
    for frame, ground in enumerate(grounds()):
        turn, place = bed_at(frame)
        on_bed = (way[frame] + (1.2 + LIFT) * UP) @ turn.T + place
        position = np.concatenate((on_bed, [[0.1 * frame, -30.0, LIFT]]))
        forward = np.concatenate((facing @ turn.T, [[1.0, 0.0, 0.0]]))
        by = carriage(before or ground, ground, was, position, np.full(3, LIFT))
        run.append(ridden((run[-1], was[0]) if run else None, position, forward, np.tile(UP, (3, 1)), by))
        places.append(position)
        before, was = ground, (position, forward)
    return run, np.array(places)


def walked() -> tuple[list[Ridden], np.ndarray]:
    way = np.zeros((FRAMES, 2, 3))
    way[:, 0, 0] = 2.0
    way[:, 1, 1] = -1.0 + 0.05 * np.arange(FRAMES)
    return ride(way, np.array(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))))


def test_who_stands_on_a_lorry_stands_and_who_walks_on_it_goes_only_its_own_way() -> None:
    run, places = walked()
    bodies = on_all_frames(run)
    assert np.abs(np.diff(bodies.position[0], axis=0)).max() < 1e-9
    np.testing.assert_allclose(
        np.diff(bodies.position[1], axis=0), np.tile((0.0, 0.05, 0.0), (FRAMES - 1, 1)), atol=1e-9
    )
    np.testing.assert_allclose(bodies.forward[:2], np.repeat(np.eye(3)[:2, None], FRAMES, axis=1), atol=1e-9)
    np.testing.assert_allclose(bodies.turned[0], 0.02 * np.arange(FRAMES), atol=1e-9)
    assert (bodies.position[2] == places[:, 2]).all() and (bodies.turned[2] == 0.0).all()
    assert bodies.surface[:2].min() == 1 and bodies.surface[2].max() == -1


def test_feet_find_the_bed_below_them_and_the_field_beside_it() -> None:
    run, places = walked()
    bodies = on_all_frames(run)

    def field(at, frames):
        assert len(at) == len(frames)
        return 0.05 * at[:, 0], np.tile((-0.05, 0.0, 1.0), (len(at), 1))

    frames = np.array((0, 12, 39))
    rows, rides = np.array((0, 2)), np.repeat([[True], [False]], FRAMES, axis=1)
    both = bodies.of(rows)
    ground = RiddenGround(places[:, rows].swapaxes(0, 1), both, rides, np.full((2, FRAMES), LIFT), field)
    aside = np.array((0.1, 0.05, 0.0))
    for number, row in enumerate(rows):
        heights, normals = ground(both.position[number, frames] + aside, number * FRAMES + frames)
        expected = 0.05 * (places[frames, row, 0] + 0.1) if number else 1.2 * np.ones(3)
        np.testing.assert_allclose(heights, expected, atol=1e-9)
        np.testing.assert_allclose(normals[:, 2], 1.0)


def test_ground_that_cannot_move_carries_no_one() -> None:
    still = surfaces([plane(half=3.0, cells=2)])
    position = np.zeros((2, 3))
    by = carriage(still, still, (position, np.tile((1.0, 0.0, 0.0), (2, 1))), position, np.zeros(2))
    for name, column in vars(unmoved(2)).items():
        assert (getattr(by, name) == column).all(), name
    assert still.moved_since(still) == set()
    assert grounds()[1].moved_since(grounds()[0]) == {0, 1}
    first = grounds()[0]
    assert first.with_points(1, first.layers[1].points).moved_since(first) == {1}


def test_feet_find_the_plane_of_what_carries_a_body_however_it_has_turned() -> None:
    normal, angle = np.array((0.3, -0.2, 1.0)) / np.sqrt(1.13), np.array((-0.4, 0.7))
    body = Ridden(
        np.array(((1.0, 2.0, 3.0), (4.0, 5.0, 6.0)))[:, None],
        *np.zeros((2, 2, 1, 3)),
        angle[:, None],
        np.zeros((2, 1), int),
        np.tile(normal, (2, 1, 1)),
    )
    ground = RiddenGround(body.position, body, np.ones((2, 1), bool), np.full((2, 1), LIFT), None)
    offset = np.array(((0.1, 0.2, 9.0), (-0.3, 0.1, 9.0)))
    heights, normals = ground(body.position[:, 0] + offset, np.arange(2))
    on_plane = np.concatenate((offset[:, :2], (heights - body.position[:, 0, 2] + LIFT)[:, None]), axis=1)
    np.testing.assert_allclose(on_plane @ normal, 0.0, atol=1e-12)
    np.testing.assert_allclose(normals, np.tile(normal, (2, 1)))
    # What does not move is asked for where the body is in the world, and turned back as that was turned.
    asked = []

    def still(at: np.ndarray, frames: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        asked.append(at - body.position[frames, 0])
        return at[:, 2] + 0.5, np.tile((1.0, 0.0, 0.0), (2, 1))

    stays = RiddenGround(body.position, body, np.zeros((2, 1), bool), np.full((2, 1), LIFT), still)
    heights, normals = stays(body.position[:, 0] + offset, np.arange(2))
    cosines, sines = np.cos(angle), np.sin(angle)
    x, y = offset[:, 0], offset[:, 1]
    np.testing.assert_allclose(asked[0][:, :2], np.stack((cosines * x - sines * y, sines * x + cosines * y), axis=1))
    np.testing.assert_allclose(heights, body.position[:, 0, 2] + offset[:, 2] + 0.5)
    np.testing.assert_allclose(normals, np.stack((cosines, -sines, 0.0 * sines), axis=1), atol=1e-12)
    without = RiddenGround(body.position, body, np.zeros((2, 1), bool), np.full((2, 1), LIFT), None)
    np.testing.assert_allclose(without(body.position[:, 0] + offset, np.arange(2))[1], np.tile(UP, (2, 1)))
