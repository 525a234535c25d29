"""Sensing: where things are between two frames, and what vehicles carry with them."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.simulation.geometry.obstacles import boxes, obstacles
from steering_addon.simulation.geometry.regions import BOX, regions
from steering_addon.simulation.sensing import world_at
from steering_addon.simulation.snapshot import Snapshot, State
from steering_addon.simulation.world import World
from tests.scene import Scene, about, all_of, leaders, locked, resources

AXES = about((1.0, 2.0, -0.5), 70.0).T
"""Side, forward and up of the vehicles, as rows."""
LOCAL = np.array([1.0, 2.0, 3.0])
parts = pytest.mark.parametrize("part", [0.0, 0.25, 0.75])


def scene(**changes) -> Scene:
    """Two vehicles that go straight on, turned in the same way."""
    start = [[4.0, 0.0, 1.0], [-6.0, 2.0, 0.0]]
    return Scene(start, forward=AXES[1], up=AXES[2], speed=[2.0, 3.0], fps=10.0, **changes)


def frames(place: Scene) -> tuple[State, Snapshot, Snapshot]:
    before = place.snapshot()
    return replace(place.start(), inputs=before), before, place.snapshot(1)


@parts
def test_free_bodies_go_straight_from_frame_to_frame_and_carried_ones_with_their_carriers(part: float) -> None:
    things = all_of(locked([9.0, 0.0, 0.0]), locked(LOCAL, forward=[0.0, 0.0, 1.0]))
    place = scene(tracked=replace(things, carrier=np.array([-1, 1])), drift=(1.0, -2.0, 0.5))
    state, before, after = frames(place)
    after = replace(
        after, tracked=replace(after.tracked, position=after.tracked.position - [[0.0] * 3, [0.1, -0.2, 0.05]])
    )
    bodies = world_at(state, before, after, part).bodies
    assert bodies.position[2] == pytest.approx(np.array([9.0, 0.0, 0.0]) + 0.1 * part * np.array([1.0, -2.0, 0.5]))
    assert bodies.position[3] == pytest.approx(place.position[1] + LOCAL @ AXES)
    assert bodies.velocity[2:] == pytest.approx(np.array([[1.0, -2.0, 0.5], 3.0 * AXES[1]]))
    assert bodies.forward[2:] == pytest.approx(np.array([[0.0, 1.0, 0.0], AXES[2]]))


@parts
def test_a_leader_turns_and_rolls_evenly_from_frame_to_frame(part: float) -> None:
    def turned(share: float):
        return about((1.0, 2.0, -0.5), 12.0 * share) @ AXES.T

    def seen(share: float):
        return replace(leaders([0.0, 0.0, 0.0]), forward=turned(share)[None, :, 1], up=turned(share)[None, :, 2])

    state, before, after = frames(scene())
    both = (replace(before, tracked=seen(0.0)), replace(after, tracked=seen(1.0)))
    bodies, expected = world_at(state, *both, part).bodies, turned(part)
    assert bodies.forward[2] == pytest.approx(expected[:, 1], abs=3e-3)
    assert bodies.up[2] == pytest.approx(expected[:, 2], abs=3e-3)
    assert bodies.up[2] @ bodies.forward[2] == pytest.approx(0.0, abs=1e-12)


@parts
def test_obstacles_move_turn_and_grow_from_frame_to_frame_and_carried_ones_with_their_carriers(part: float) -> None:
    def seen(share: float):
        turn, size = about((0.0, 0.0, 1.0), 4.0 * share).T, 1.0 + share
        free = boxes([[5.0 + share, 0.0, 0.0]], [[size, 2.0, 3.0]], turn[None])
        fixed = boxes([LOCAL], [[1.0, 1.0, 2.0]], turn[None], carrier=np.array([1]))
        return all_of(free, fixed)

    state, before, after = frames(scene())
    both = (replace(before, obstacles=seen(0.0)), replace(after, obstacles=seen(1.0)))
    result, expected = world_at(state, *both, part).obstacles, seen(part)
    assert result.start[0] == pytest.approx(expected.start[0])
    assert result.start[1] == pytest.approx([-6.0, 2.0, 0.0] + LOCAL @ AXES)
    assert np.allclose(result.end, result.start)
    assert result.velocity == pytest.approx(np.array([[10.0, 0.0, 0.0], 3.0 * AXES[1]]))
    assert result.half == pytest.approx(expected.half)
    assert result.radius[1] == pytest.approx(expected.radius[1])
    assert result.axes[0] == pytest.approx(expected.axes[0], abs=1e-4)
    assert result.axes[1] == pytest.approx(expected.axes[1] @ AXES, abs=1e-4)
    assert result.spin == pytest.approx(np.array([[0.0, 0.0, np.radians(40.0)], [0.0] * 3]), rel=1e-2, abs=1e-9)


@parts
def test_capsules_keep_their_ends_and_regions_move_and_grow(part: float) -> None:
    def ball(share: float):
        return obstacles([[share, 0.0, 0.0]], 1.0, [[share, 4.0 + 2.0 * share, 0.0]])

    def room(share: float):
        return regions([[0.0, 3.0 * share, 0.0]], [[1.0 + share, 2.0, 4.0]], np.array([BOX]))

    state, before, after = frames(scene())
    both = (
        replace(before, obstacles=ball(0.0), regions=room(0.0)),
        replace(after, obstacles=ball(1.0), regions=room(1.0)),
    )
    world = world_at(state, *both, part)
    assert world.obstacles.start == pytest.approx(ball(part).start)
    assert world.obstacles.end == pytest.approx(ball(part).end)
    assert world.obstacles.velocity[0] == pytest.approx([10.0, 10.0, 0.0])
    assert world.regions.centre == pytest.approx(room(part).centre)
    assert world.regions.half == pytest.approx(room(part).half)


@pytest.mark.parametrize("absent", [0, 1])
def test_what_an_absent_vehicle_carries_is_absent_and_everything_else_is_not(absent: int) -> None:
    carrier = np.array([-1, 0, 1])
    things = obstacles(np.zeros((3, 3)), 0.1, carrier=carrier)
    state, before, after = frames(scene(tracked=replace(leaders(*np.zeros((3, 3))), carrier=carrier), obstacles=things))
    gone = replace(state, gone=np.arange(2) == absent)
    for name in ("outside", "gone"):
        world = world_at(replace(state, **{name: gone.gone}), before, after, 0.0)
        assert world.obstacles.present.tolist() == world.bodies.present[2:].tolist() == (carrier != absent).tolist()
    world = world_at(state, before, after, 0.0)
    assert world.obstacles.present.all() and world.bodies.present.all()


def test_a_resource_of_which_nothing_is_left_is_absent() -> None:
    state, before, after = frames(scene(tracked=resources(*np.zeros((4, 3)), amount=[0.0, 2.0, 2.0, np.inf])))

    def left(world: World) -> tuple[list[float], list[bool]]:
        return world.bodies.left[2:].tolist(), world.bodies.present[2:].tolist()

    assert left(world_at(state, before, after, 0.0)) == ([0.0, 2.0, 2.0, np.inf], [False, True, True, True])
    taken = replace(state, taken=np.array([0.0, 2.0, 1.5, 9.0]))
    assert left(world_at(taken, before, after, 0.0)) == ([0.0, 0.0, 0.5, np.inf], [False, False, True, True])
    hidden = replace(before, tracked=replace(before.tracked, present=np.array([True, False, True, True])))
    assert left(world_at(state, hidden, after, 0.0))[1] == [False, False, True, True]
    assert np.isinf(world_at(state, before, after, 0.0).bodies.left[:2]).all()


def test_vehicles_perceive_vehicles_that_are_present_whoever_moves_them_and_nothing_else() -> None:
    """Also if a leader is a vehicle at the same time."""
    things = all_of(locked([1.0, 0.0, 0.0]), leaders([2.0, 0.0, 0.0]), locked([3.0, 0.0, 0.0]), locked([4.0, 0.0, 0.0]))
    roles = things.roles | np.array([0, 0, 0, int(leaders([0.0, 0.0, 0.0]).roles[0])])
    state, before, after = frames(
        scene(tracked=replace(things, roles=roles, present=np.array([True, True, False, True])))
    )
    assert world_at(state, before, after, 0.0).perceivable.tolist() == [0, 1, 2, 5]


@pytest.mark.parametrize("substeps", [1, 4])
def test_the_step_is_a_part_of_the_time_of_a_frame(substeps: int) -> None:
    world = world_at(*frames(scene(substeps=substeps)), 0.0)
    assert (world.dt, world.frame_time) == (0.1 / substeps, 0.1)
    assert (world.bodies.acceleration == 0.0).all()
    with_leader = world_at(*frames(scene(tracked=leaders([0.0, 0.0, 0.0]))), 0.0)
    assert (with_leader.bodies.acceleration == 0.0).all()
