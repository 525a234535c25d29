"""Landing (not in the paper): what it alone promises."""

import functools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors.landing import Landing
from steering_addon.behaviors.wander import Wander
from steering_addon.locomotion import Flying
from steering_addon.scene import all_of, boxes, perches
from steering_addon.simulation.arrays.vectors import unit
from steering_addon.simulation.candidates import FIRST, NEAREST_ONE, Candidates
from steering_addon.simulation.maneuvers.perching import nearest_targets
from steering_addon.simulation.perches import Perches
from steering_addon.simulation.snapshot import State
from tests.sampling import sampled
from tests.scene import Scene, headings, leaders, positions, ups, velocities

FPS = 12
RADIUS, APART = 0.11, 0.3
STARLING = {"mass": 0.08, "radius": RADIUS, "max_force": 1.6, "max_speed": 13.0, "cruise_speed": 10.0 / 13.0}
ROOF = perches(0, *np.stack(np.meshgrid(np.linspace(-3, 3, 16), np.linspace(-2, 2, 12), 5.0), -1).reshape(-1, 3))
WIRE = perches(0, *((0.0, y, 6.0) for y in np.linspace(-10.0, 10.0, 400)), along=(0.0, 1.0, 0.0))


def flock(place: Perches, n: int, seed: int = 1, least_speed: float = 0.5, fps: float = FPS, **others: Any) -> Scene:
    """Starlings that fly by at 10 m/s, somewhere ahead of, above or below the places, and have to land on them."""
    rng = np.random.default_rng(seed)
    stay = {name: others.pop(name) for name in ("stay_time", "stay_spread") if name in others}
    return Scene(
        rng.uniform((-20.0, -15.0, 0.0), (20.0, 15.0, 16.0), (n, 3)),
        forward=rng.normal(size=(n, 3)) * (1.0, 1.0, 0.2),
        speed=10.0,
        behaviors=[(Wander, {"strength": 2.0, "weight": 0.1}), (Landing, {"target": n, "apart": APART, **stay})],
        vehicle=STARLING,
        locomotions=[(Flying, {"least_speed": least_speed})],
        tracked=leaders((0.0, 0.0, 5.0)),
        perches=place,
        seed=seed,
        fps=fps,
        **others,
    )


@functools.cache
def landed(place: str, least_speed: float) -> list[State]:
    """The flight of a dozen birds onto a place, until all have come down."""
    return flock({"roof": ROOF, "wire": WIRE}[place], 12, least_speed=least_speed, fps=24.0).run(24 * 5)


def standing(states: list[State]) -> np.ndarray:
    """Whether birds stand, (frames, n)."""
    return np.stack([s.outputs.get("perched", np.zeros(len(s))) > 0.0 for s in states])


@sampled
@pytest.mark.parametrize(("place", "least_speed"), [("roof", 0.5), ("wire", 0.0)])
def test_each_comes_down_on_a_place_of_its_own_and_stays(place: str, least_speed: float) -> None:
    """Softly, exactly on it and level; from above, and with its nose up as it brakes."""
    states, places = landed(place, least_speed), {"roof": ROOF, "wire": WIRE}[place].position
    stands, where, speed, nose = standing(states), positions(states), velocities(states), headings(states)[..., 2]
    for row, frame in enumerate(stands.argmax(axis=0)):
        assert 0 < frame < 24 * 5
        assert stands[frame:, row].all()
        assert np.hypot(*speed[frame - 1, row, :2]) < 1.0
        assert -1.0 < speed[frame - 1, row, 2] < 0.0
        assert (where[frame - 6 : frame, row, 2] > where[-1, row, 2]).all()
        assert 0.25 < nose[frame - 12 : frame, row].max() < 0.75
        assert np.abs(np.diff(nose[frame - 24 : frame + 12, row])).max() < 0.25
    gap = np.linalg.norm(where[-1][:, None] - places[None], axis=-1)
    assert gap.min(axis=1).max() < 1e-9
    between = np.linalg.norm(where[-1][:, None] - where[-1][None], axis=-1) + np.eye(12)
    assert between.min() >= APART - 1e-9
    assert np.abs(nose[-1]).max() < 0.01
    assert ups(states)[-1][:, 2].min() > 0.999
    if place == "wire":
        assert np.abs(headings(states)[-1][:, 1]).max() < 0.01


def test_no_body_comes_into_one_that_stands() -> None:
    states = landed("wire", 0.0)
    for place, still in zip(positions(states), standing(states)):
        gap = np.linalg.norm(place[:, None] - place[None], axis=-1) + np.eye(12)
        assert gap[still].min(initial=1.0) > 1.5 * RADIUS


def test_a_place_goes_along_with_what_it_is_on() -> None:
    drift = np.array([2.0, 1.0, 0.0])
    states = replace(flock(ROOF, 4, drift=drift), decides_every=3).run(FPS * 8)
    on_cart = positions(states)[-2 * FPS :] - drift * (np.arange(FPS * 8)[-2 * FPS :, None, None] / FPS)
    assert standing(states)[-2 * FPS :].all()
    assert np.ptp(on_cart, axis=0).max() < 1e-9


def test_one_stands_where_there_is_room_for_its_body_and_at_the_border_only_if_there_is_no_such_place() -> None:
    """The roof is 1.03 m wide on either side of y = 0; the nearest place is at its border."""
    rows = {-1.0: 0.03, 0.0: 1.03, 1.0: 0.03}
    strip = perches(0, *((float(x), y, 5.0) for x in range(3) for y in rows), room=[*rows.values()] * 3)
    alone, many = (np.round(positions(flock(strip, n).run(FPS * 6))[-1], 6) for n in (1, 5))
    assert alone[0, 1] == 0.0
    assert sorted(np.abs(many[:, 1]).tolist()) == [0.0, 0.0, 0.0, 1.0, 1.0]


def test_those_for_whom_there_is_no_place_fly_on_over_it() -> None:
    few = perches(0, (0.0, 0.0, 5.0), (0.0, 2.0, 5.0))
    states = flock(few, 4).run(FPS * 7)
    stands, where = standing(states)[-1], positions(states)[-2 * FPS :]
    assert stands.sum() == 2
    assert (np.linalg.norm(where[:, ~stands] - (0.0, 0.0, 5.0), axis=-1) < 25.0).all()
    assert (where[:, ~stands, 2] > 6.0).all()


def test_where_it_gets_full_they_stand_closer_but_side_by_side_at_most() -> None:
    """A wire of 1.2 m has room for three that are .5 m apart, and for six bodies."""
    wire = perches(0, *((0.0, y, 6.0) for y in np.linspace(-0.6, 0.6, 121)), along=(0.0, 1.0, 0.0))
    scene = flock(wire, 4)
    scene.behaviors = [(Landing, {"target": 4, "apart": 0.5})]
    states = scene.run(FPS * 9)
    gap = np.diff(np.sort(positions(states)[-1, :, 1]))
    assert standing(states)[-1].all()
    assert 2.0 * RADIUS - 1e-9 <= gap.min() < 0.5


def test_who_finds_the_nearest_of_several_full_takes_the_next_and_where_all_are_full_flies_on_over_one() -> None:
    """Two places on each of two roofs, and all but one of five birds nearer to the first."""
    both = [perches(body, (x, 0.0, 5.0), (x, 2.0, 5.0)) for body, x in ((0, 0.0), (1, 14.0))]
    joined = {name: np.concatenate([vars(each)[name] for each in both]) for name in vars(both[0])}
    scene = flock(Perches(**joined), 5)
    scene.behaviors = [(Landing, {"target": FIRST, "apart": APART})]
    scene.tracked = leaders((0.0, 0.0, 5.0), (14.0, 0.0, 5.0))
    scene.candidates = (Candidates(np.array([5, 6]), np.arange(2, dtype=np.uint64), NEAREST_ONE),)
    scene.position = scene.position - (10.0, 0.0, 0.0)
    world, agents, _ = scene.seen()
    waits = np.arange(5) > 0
    assert nearest_targets(world, agents, np.full(5, FIRST), waits).tolist() == [FIRST, 6, 5, 5, 5]
    states = scene.run(FPS * 9)
    stands, where = standing(states)[-FPS:], positions(states)[-FPS:]
    assert stands[-1].sum() == 4 and (stands == stands[-1]).all()
    assert sorted(np.round(where[-1, stands[-1], 0]).tolist()) == [0.0, 0.0, 14.0, 14.0]
    assert np.linalg.norm(where[:, ~stands[-1]] - (7.0, 0.0, 5.0), axis=-1).max() < 25.0


def test_they_take_off_one_after_another_and_climb() -> None:
    states = flock(ROOF, 8, stay_time=1.5, stay_spread=0.5).run(FPS * 8)
    stands, where, speed = standing(states), positions(states), velocities(states)
    off = len(states) - stands[::-1].argmax(axis=0)
    assert len(set(off)) > 4
    for row, frame in enumerate(off):
        assert (np.diff(where[frame - 1 : frame + FPS // 2, row, 2]) > 0.0).all()
        assert 4.0 < np.linalg.norm(speed[frame + FPS // 2, row]) < 10.0


def test_what_pushes_does_not_move_one_that_stands() -> None:
    """One stands from the start; the other flies into it, and alone gives way."""
    place = positions(
        Scene(
            [[0.0, 0.0, 5.0], [-1.0, 0.0, 5.02]],
            forward=(1.0, 0.0, 0.0),
            speed=[0.0, 1.0],
            behaviors=[(Landing, {"target": [2, -1]})],
            vehicle={**STARLING, "keep_apart": True, "cruise_speed": 0.1},
            locomotions=[(Flying, {})],
            tracked=leaders((0.0, 0.0, 5.0)),
            perches=perches(0, (0.0, 0.0, 5.0)),
        ).run(48)
    )
    assert np.abs(place[:, 0] - (0.0, 0.0, 5.0)).max() < 1e-9
    assert 1.5 * RADIUS < np.linalg.norm(place[:, 0] - place[:, 1], axis=-1).min() < 2.5 * RADIUS


def test_nobody_flies_through_an_obstacle_to_a_place() -> None:
    """Onto the roof of a house that is one, from behind a wall that hides it: they go round that, and land.

    Who is before the middle of the wall does not slide along it.
    """
    scene = flock(ROOF, 6)
    scene.position = scene.position * (0.2, 0.5, 0.5) + (25.0, 0.0, 2.0)
    scene.position[0] = 20.0, 0.0, 7.0
    wall = boxes((14.0, 0.0, 6.0), (0.3, 12.0, 7.0))
    scene.obstacles = all_of(boxes((0.0, 0.0, 2.5), (3.5, 2.5, 2.5)), wall)
    scene.vehicle = {**STARLING, "keep_apart": True}
    states = scene.run(FPS * 9)
    depth = np.stack([-scene.obstacles.clearance(place).min(axis=1) for place in positions(states)])
    assert depth.max() < 0.05
    assert standing(states)[-1].all()
    at_wall = np.stack([wall.clearance(place)[:, 0] < 1.2 * RADIUS for place in positions(states)])
    assert at_wall.sum(axis=0).max() < FPS // 2


def test_nobody_comes_in_through_the_edge_of_the_roof_from_below() -> None:
    """They fly at the wall of the house, lower than its roof and too near to climb there straight."""
    scene = flock(ROOF, 8)
    scene.position = scene.position * (0.1, 0.2, 0.1) + (9.0, 0.0, 2.5)
    scene.forward = np.tile((-1.0, 0.0, 0.0), (8, 1))
    scene.obstacles = boxes((0.0, 0.0, 2.45), (3.5, 2.5, 2.45))
    scene.vehicle = {**STARLING, "keep_apart": True}
    scene.locomotions = [(Flying, {"least_speed": 0.35, "max_climb": np.radians(20.0)})]
    states = scene.run(FPS * 12)
    assert max(-scene.obstacles.clearance(place).min() for place in positions(states)) < 0.0
    assert standing(states)[-1].all()


def test_each_flies_to_one_gate_at_a_time() -> None:
    """Low before a house, they fly round for height: of two ways that are as good, they keep to the first."""
    scene = flock(ROOF, 2)
    scene.speed = 6.0
    scene.position = np.array(((11.0, -0.3, 0.5), (11.0, 0.8, 0.5)))
    scene.forward = np.tile((-1.0, 0.2, 0.0), (2, 1))
    scene.obstacles = boxes((0.0, 0.0, 2.45), (3.5, 2.5, 2.45))
    scene.vehicle = {**STARLING, "max_force": 0.8, "max_speed": 8.0}
    scene.locomotions = [(Flying, {"least_speed": 0.35, "max_climb": np.radians(20.0)})]
    course = unit(velocities(scene.run(30)))
    turn = np.cross(course[:-1], course[1:])
    turns_back = ((turn[1:] * turn[:-1]).sum(axis=-1) < 0.0) & (np.linalg.norm(turn[1:], axis=-1) > 0.02)
    assert turns_back.sum(axis=0).max() <= 2
