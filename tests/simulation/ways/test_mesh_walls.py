"""Walls of meshes: ways lead through the doors that are cut into a mesh."""

import numpy as np
import pytest

from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.unaligned_collision_avoidance import UnalignedCollisionAvoidance
from steering_addon.locomotion import OnFoot
from steering_addon.simulation.arrays.frozen import replace
from steering_addon.simulation.geometry.meshes import mesh
from steering_addon.simulation.geometry.obstacles import Obstacles, boxes, mesh_radius
from steering_addon.simulation.geometry.shapes import BOX, MESH
from steering_addon.simulation.ways.mesh_walls import cut_heights, with_walls
from tests.sampling import sampled
from tests.scene import Scene, about, leaders, met_at_origins, turned
from tests.simulation.geometry.test_fitting import boulder, room, wall_with_door
from tests.surfaces import Faces

RADIUS = 0.2


def as_obstacle(body: Faces, at=(0.0, 0.0, 0.0), degrees: float = 0.0) -> Obstacles:
    """A mesh turned about the up axis, whose own origin is at a place."""
    points, triangles = body
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    surface, turn = mesh(points - middle, triangles), about((0.0, 0.0, 1.0), degrees)
    made = boxes(turned(middle, turn) + at, [[0.0, 0.0, 0.0]], turn.T)
    held = np.empty(1, dtype=object)
    held[0] = surface
    return replace(made, shape=np.array([MESH]), mesh=held, radius=np.array([mesh_radius(surface)]))


def cut_at(thing: Obstacles, height: float) -> Obstacles:
    """The thing with its walls for a small body at a height that is met there only."""
    small = np.array([0.001])
    return with_walls(thing, np.array([height]) - small, small, met_at_origins(1))


@pytest.mark.parametrize("degrees", [0.0, 30.0, 90.0])
@pytest.mark.parametrize("body", [wall_with_door(8.0, 3.0, 4.2), room()], ids=["wall", "room"])
def test_at_its_height_the_walls_are_as_near_as_the_mesh(body: Faces, degrees: float) -> None:
    thing = as_obstacle(body, (1.0, 2.0, 0.0), degrees)
    walls = cut_at(thing, 0.3)
    assert (walls.shape == BOX).all()
    points = np.random.default_rng(2).uniform((-3.0, -3.0, 0.3), (10.0, 8.0, 0.3), (300, 3))
    points = turned(points, about((0.0, 0.0, 1.0), degrees)) + np.array([1.0, 2.0, 0.0])
    exact = np.abs(thing.surface(points, np.zeros(300, dtype=np.int64))[0])
    near = exact < 1.0
    np.testing.assert_allclose(np.abs(walls.clearance(points)).min(axis=1)[near], exact[near], atol=1e-6)
    assert near.sum() > 30


def test_a_wall_with_a_door_has_a_face_on_each_side_of_it_and_a_jamb() -> None:
    walls = cut_at(as_obstacle(wall_with_door(8.0, 3.0, 4.2)), 0.3)
    np.testing.assert_allclose(np.sort(2.0 * walls.half[:, 0]), [0.2, 0.2, 0.2, 0.2, 3.0, 3.0, 3.8, 3.8], atol=1e-9)
    assert len(cut_at(as_obstacle(wall_with_door(8.0, 3.0, 4.2)), 2.5)) == 4, "above the door"


def test_what_is_not_cut_or_in_too_many_pieces_stays_a_mesh() -> None:
    assert (cut_at(as_obstacle(room()), 9.0).shape == MESH).all()
    points, triangles = boulder(0.2)
    many = np.concatenate([points + np.array([5.0 * k, 0.0, 0.0]) for k in range(4)])
    faces = np.concatenate([triangles + len(points) * k for k in range(4)])
    assert (cut_at(as_obstacle((many, faces)), 0.1).shape == MESH).all()


def test_bodies_are_cut_above_their_middle_and_within_their_radius() -> None:
    height = np.random.default_rng(3).uniform(-5.0, 5.0, 200)
    cut = cut_heights(height, np.full(200, RADIUS))
    assert ((cut > height) & (cut < height + RADIUS)).all()
    assert len(np.unique(cut_heights(np.zeros(3), np.array([0.2, 0.3, 0.4])))) == 1


def walked(things: Obstacles, degrees: float) -> np.ndarray:
    """The places of eight walkers in a row, who are to pass a door in a wall along x that is turned, (f, 8, 3)."""
    turn = about((0.0, 0.0, 1.0), degrees)
    start = np.array([(7.0 + 0.8 * k, -2.0, 0.0) for k in range(8)])
    walkers = Scene(
        turned(start, turn),
        speed=1.2,
        forward=turned([0.0, 1.0, 0.0], turn),
        behaviors=[
            (Seek, {"target": 8}),
            (ObstacleAvoidance, {"clearance": 0.3, "look_ahead_time": 3.0}),
            (UnalignedCollisionAvoidance, {"weight": 2.0}),
        ],
        vehicle={"max_speed": 1.8, "max_force": 2.0, "keep_apart": True, "radius": RADIUS},
        locomotions=[(OnFoot, {"turn_radius": 3.0})],
        tracked=leaders(turned([10.0, 12.0, 0.0], turn)),
        obstacles=things,
        fps=24.0,
    )
    states = walkers.run_until(lambda run: bool((turned(run[-1].motion.position, turn.T)[:, 1] > 0.5).all()), 320)
    return turned([state.motion.position for state in states], turn.T)


@sampled(one_of=2)
@pytest.mark.parametrize(("is_mesh", "degrees"), [(True, 30.0), (False, 0.0)])
def test_walkers_go_through_a_door_and_nobody_stands_beside_it(is_mesh: bool, degrees: float) -> None:
    """A wall of 20 m with a door of 0.9 m."""
    turn = about((0.0, 0.0, 1.0), degrees)
    if is_mesh:
        things = as_obstacle(wall_with_door(20.0, 9.5, 10.4), degrees=degrees)
    else:
        middles = np.array([(4.75, 0.1, 1.5), (15.2, 0.1, 1.5)])
        things = boxes(turned(middles, turn), [(4.75, 0.1, 1.5), (4.8, 0.1, 1.5)], turn.T)
    places = walked(things, degrees)
    assert (places[-1, :, 1] > 0.5).all()
    inside = np.abs(places[..., 1] - 0.1) < 0.1
    assert (np.abs(places[..., 0][inside] - 9.95) < 0.45).all()
