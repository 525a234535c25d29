"""Marks: a vehicle, the middle of a flock, or each member at a place of a shape, at a time."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors.alignment import Alignment
from steering_addon.behaviors.cohesion import Cohesion
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.separation import Separation
from steering_addon.behaviors.wander import Wander
from steering_addon.locomotion import CATALOGUE, Flying, OnFoot, Planar
from steering_addon.simulation.combining import COMBININGS
from steering_addon.simulation.marks import meeting
from steering_addon.simulation.marks.declaring import Mark
from steering_addon.simulation.marks.reaching import ClimbSpeeds
from steering_addon.simulation.snapshot import State
from tests.sampling import sampled
from tests.scene import Scene, leaders, positions, velocities
from tests.simulation.ways.grounds import PLATE, door

FPS, FRAME, FRAMES = 24.0, 48, 66
STRONGEST, TOP = 12.0, 10.0
PLACE = (3.0, 15.0, 3.0)
MODEL = {"max_force": STRONGEST, "max_speed": TOP}


def bird(place: Any = PLACE, count: int = 1, **others: Any) -> Scene:
    """Wandering birds that fly north, and the body of the mark."""
    settings: dict[str, Any] = {"behaviors": [(Wander, {})], "vehicle": MODEL, "speed": 7.0}
    start = np.random.default_rng(4).uniform(-3.0, 3.0, (count, 3)) if count > 1 else np.zeros((1, 3))
    return Scene(start + np.array([0.0, 0.0, 2.0]), tracked=leaders(place), **(settings | others))


def mark(count: int = 1, **settings: Any) -> Mark:
    return Mark("Tower", FRAME / FPS, count, np.arange(count), **({"lead": 1.5} | settings))


def met(scene: Scene, *marks: Mark, frames: int = FRAMES, **changes: Any) -> list[State]:
    """The run with these marks."""
    return scene.run(frames, at=lambda frame, snapshot: replace(snapshot, marks=marks, **changes))


def off(states: list[State], place: Any = PLACE) -> float:
    """How far the first vehicle is from a place on the frame of the mark, metres."""
    return float(np.linalg.norm(positions(states)[FRAME, 0] - place))


def pushes(states: list[State]) -> Any:
    """What the velocities change by from frame to frame, (f - 1, n) m/s2."""
    return np.linalg.norm(np.diff(velocities(states), axis=0), axis=2) * FPS


@pytest.mark.parametrize("steps", [1, 2, 7])
@pytest.mark.parametrize("aims", [False, True])
def test_the_push_is_the_first_of_the_least_accelerations_that_meet_the_mark(steps: int, aims: bool) -> None:
    place, frames = np.array([0.0, 0.3 * steps, 2.0]), steps + 1
    free = {"max_force": 1e9, "max_speed": 40.0, "speed_time": 1e30}
    scene = Scene([[0.0, 0.0, 2.0]], speed=5.0, vehicle=free, tracked=leaders(place))
    whole = Mark("Tower", steps / FPS, 1, np.arange(1), lead=9.0, aims=aims, speed=6.0)
    states = met(scene, whole, frames=frames)
    # The sum of the places, and of the velocities, that a row of accelerations leads to.
    h, counts = 1.0 / FPS, np.arange(steps, 0, -1.0)
    rows, wanted = [h * h * counts], [place - [0.0, 5.0 * h * steps, 2.0]]
    if aims and steps > 1:
        rows, wanted = [*rows, np.full(steps, h)], [*wanted, np.array([0.0, 1.0, 0.0])]
    least = np.linalg.lstsq(np.array(rows), np.array(wanted), rcond=None)[0]
    assert np.diff(velocities(states)[:, 0], axis=0) * FPS == pytest.approx(least, abs=1e-6)
    assert positions(states)[steps, 0] == pytest.approx(place, abs=1e-9)


@sampled
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("combining", [choice.number for choice in COMBININGS], ids=[c.name for c in COMBININGS])
def test_it_is_met_whatever_behaviors_want_and_however_they_combine(combining: int, seed: int) -> None:
    elsewhere = [(Seek, {"target": 2, "weight": 2.0, "priority": 1}), (Wander, {})]
    scene = bird(seed=seed, combining=combining, behaviors=elsewhere)
    scene.tracked = leaders(PLACE, (-9.0, 25.0, 2.0))
    states = met(scene, mark(lead=2.0))
    assert off(states) < 0.01
    assert pushes(states).max() < STRONGEST * 1.001
    assert np.linalg.norm(velocities(states), axis=2).max() < TOP * 1.001


@pytest.mark.parametrize("kind", CATALOGUE, ids=lambda kind: kind.name)
def test_every_body_meets_it_within_its_limits(kind: Any) -> None:
    place = (2.0, 12.0, 2.0)
    scene = bird(place, locomotions=[(kind, {})], behaviors=[(Wander, {"vertical": 0.0})])
    states = met(scene, mark(lead=2.0))
    assert off(states, place) < 0.02
    assert pushes(states).max() < STRONGEST * 1.05


@pytest.mark.parametrize(
    ("place", "there", "changes"),
    [
        ((2.0, 12.0, 9.0), (2.0, 12.0, 2.0), {"locomotions": [(Planar, {})]}),
        (PLACE, PLACE, {"vehicle": {**MODEL, "damping": 0.5}}),
        (PLACE, PLACE, {"substeps": 3}),
        ((0.0, 8.0, 3.0), (2.0, 14.0, 3.0), {"drift": (1.0, 3.0, 0.0)}),
    ],
    ids=["on the ground", "damping", "substeps", "a mark that moves"],
)
def test_it_is_met_on_the_ground_with_damping_in_substeps_and_where_it_has_moved(
    place: Any, there: Any, changes: Any
) -> None:
    assert off(met(bird(place, **changes), mark()), there) < 0.01


def test_it_crosses_the_mark_at_a_velocity() -> None:
    scene = bird()
    scene.tracked = replace(scene.tracked, forward=np.array([[0.6, 0.8, 0.0]]))
    states = met(scene, mark(aims=True, speed=6.0, lead=2.0))
    assert off(states) < 0.01
    assert velocities(states)[FRAME, 0] == pytest.approx([3.6, 4.8, 0.0], abs=0.05)


def test_within_a_distance_is_near_enough() -> None:
    assert 0.5 < off(met(bird(), mark(radius=1.0))) < 1.01
    # What comes near enough anyway is left alone.
    assert positions(met(bird(), mark(radius=99.0))).tobytes() == positions(bird().run(FRAMES)).tobytes()


def test_the_middle_of_a_flock_meets_it_and_the_flock_stays_one() -> None:
    flocking = [(Separation, {"distance": 2.0}), (Alignment, {"distance": 6.0}), (Cohesion, {"distance": 9.0})]
    scene = bird((3.0, 14.0, 3.0), 12, behaviors=[*flocking, (Wander, {})])
    states = met(scene, mark(12, together=True))
    free = positions(scene.run(FRAMES))[FRAME]
    place = positions(states)[FRAME]
    assert np.linalg.norm(place.mean(axis=0) - (3.0, 14.0, 3.0)) < 0.01
    assert place.std(axis=0).max() < 1.3 * free.std(axis=0).max()


def test_each_member_meets_a_place_of_a_shape_of_its_own() -> None:
    points = np.column_stack((np.linspace(-5.0, 5.0, 12), np.full(12, 15.0), np.full(12, 4.0)))
    states = met(bird(count=12), mark(12, points=points, lead=2.0))
    place = states[FRAME].places["Tower"]
    assert sorted(place.tolist()) == list(range(12))
    assert np.linalg.norm(positions(states)[FRAME] - points[place], axis=1).max() < 0.02
    # No two ways cross: they are in the order in which they started.
    assert all(np.array_equal(state.places["Tower"], place) for state in states[FRAME - 40 : FRAME])


def test_it_is_left_without_a_jolt() -> None:
    scene = bird(behaviors=[(Seek, {"target": 2})])
    scene.tracked = leaders(PLACE, (-40.0, 30.0, 2.0))
    force = np.diff(velocities(met(scene, mark(release=0.75))), axis=0)[:, 0] * FPS
    assert np.linalg.norm(np.diff(force, axis=0), axis=1)[FRAME - 3 : FRAME + 15].max() < 0.3 * STRONGEST


def test_several_marks_are_met_one_after_the_other_in_any_order() -> None:
    first = replace(mark(), name="A", time=24.0 / FPS, body=2, lead=1.0)
    scene = bird()
    scene.tracked = leaders(PLACE, (0.0, 7.5, 2.5))
    then = replace(mark(), lead=1.0)
    states = met(scene, first, then)
    assert off(states) < 0.01
    assert np.linalg.norm(positions(states)[24, 0] - (0.0, 7.5, 2.5)) < 0.01
    assert positions(states).tobytes() == positions(met(scene, then, first)).tobytes()


def test_a_member_with_a_mark_of_its_own_leaves_that_of_the_flock_to_the_others() -> None:
    scene = bird(count=6)
    scene.tracked = leaders(PLACE, (0.0, 12.0, 5.0))
    alone = Mark("Hero", FRAME / FPS, 7, np.array([2]), lead=2.0)
    states = met(scene, alone, mark(6, together=True))
    place = positions(states)[FRAME]
    assert place[2] == pytest.approx([0.0, 12.0, 5.0], abs=0.01)
    assert np.delete(place, 2, axis=0).mean(axis=0) == pytest.approx(PLACE, abs=0.02)


def test_a_mark_changes_nothing_before_its_time_nor_without_need() -> None:
    free = bird().run(FRAMES)
    late = replace(mark(), time=50.0)
    assert positions(met(bird(), late)).tobytes() == positions(free).tobytes()
    inactive = bird()
    inactive.tracked = replace(inactive.tracked, present=np.zeros(1, bool))
    assert positions(met(inactive, mark())).tobytes() == positions(inactive.run(FRAMES)).tobytes()
    past = replace(mark(), time=-9.0)
    assert positions(met(bird(), past)).tobytes() == positions(free).tobytes()


@pytest.mark.parametrize("place", [(3.0, -14.0, 2.0), (0.0, -14.0, 2.0)])
def test_what_is_behind_is_reached_by_going_round(place: Any) -> None:
    scene = bird(place, behaviors=[])
    states = met(scene, replace(mark(), time=5.0, lead=3.0), frames=122)
    assert np.linalg.norm(positions(states)[120, 0] - place) < 0.02
    assert np.linalg.norm(velocities(states), axis=2).min() > 3.0


def test_what_leads_a_vehicle_round_to_its_mark_grows_from_nothing() -> None:
    """A switch would lead it round on one frame, brake on the next, and so on."""
    turns = np.linspace(0.0, np.pi, 1001)
    m = len(turns)
    way = 12.0 * np.stack((np.sin(turns), np.cos(turns), 0.0 * turns), axis=1)
    ahead = np.broadcast_to([0.0, 7.0, 0.0], (m, 3))
    none = np.zeros((m, 3))
    bodies = ClimbSpeeds(none[:, 0] > 0.0, *(np.full(m, each) for each in (TOP, 0.0, TOP, 0.0, STRONGEST)))
    still = none[:, 0] > 0.0
    approach = meeting._Approach(np.arange(m), 60.0, way, ahead, still, None, none, np.full(m, TOP), bodies, still)
    push = meeting._push(approach, none, 1.0 / FPS, 0.0)
    led = meeting._round(approach, push, 1.0 / FPS)
    assert np.linalg.norm(np.diff(led, axis=0), axis=1).max() < 0.01 * STRONGEST
    assert (led[:500] == push[:500]).all()
    assert np.linalg.norm(led[-200:], axis=1).min() == pytest.approx(STRONGEST)


@sampled
@pytest.mark.parametrize("place", [(-4.0, 6.0, 2.0), (0.0, 12.0, 2.5), (7.0, 9.0, 1.0)])
def test_a_bird_that_is_early_and_cannot_fly_slowly_meets_it_by_an_even_detour(place: Any) -> None:
    """It flies at least 5 m/s, and has 4 s for at most 12 m; on a straight way it would arrive 1.6 s too soon."""
    scene = bird(place, locomotions=[(Flying, {"least_speed": 0.5})])
    states = met(scene, replace(mark(lead=4.0), time=96 / FPS), frames=100)
    assert np.linalg.norm(positions(states)[96, 0] - place) < 0.01
    heading = velocities(states)[:96, 0]
    angles = np.unwrap(np.arctan2(heading[:, 1], heading[:, 0]))
    assert np.degrees(np.abs(np.diff(angles, 2))).max() < 3.0


@sampled
@pytest.mark.parametrize("height", [-9.0, 9.0])
def test_birds_that_climb_slowly_are_all_at_their_places_of_an_upright_shape(height: float) -> None:
    """They climb at 2.2 m/s at the most, fly at least 3.5 m/s, and start at the middle of the shape, 6 s before."""
    wings = {"max_climb": np.radians(20.0), "climb_speed": 0.65, "least_speed": 0.35}
    aloft, across = (each.ravel() for each in np.meshgrid([-2.0, 0.0, 2.0], [-3.0, 0.0, 3.0]))
    points = np.column_stack((across, np.zeros(9), aloft + height + 2.0))
    scene = bird(count=9, locomotions=[(Flying, wings)])
    states = met(scene, replace(mark(9, points=points, lead=3.0), time=144 / FPS), frames=146)
    place = states[144].places["Tower"]
    assert np.linalg.norm(positions(states)[144] - points[place], axis=1).max() < 0.05
    course = velocities(states)[6:144, :, :2]
    turned = np.unwrap(np.arctan2(course[..., 1], course[..., 0]), axis=0)
    assert np.degrees(np.abs(np.diff(turned, axis=0))).max() * FPS < 180.0
    assert np.degrees(np.percentile(np.abs(np.diff(turned, 2, axis=0)), 99)) < 3.0


def test_a_bird_that_has_set_off_does_not_set_off_again_and_again() -> None:
    """It turns back for what is behind it: a push that came and went would shake it."""
    scene = bird((3.0, -6.0, 4.0), locomotions=[(Flying, {"least_speed": 0.4})])
    states = met(scene, replace(mark(lead=2.0), time=144 / FPS), frames=145)
    assert np.linalg.norm(positions(states)[144, 0] - (3.0, -6.0, 4.0)) < 0.02
    jolts = np.linalg.norm(np.diff(velocities(states)[:144, 0], 2, axis=0), axis=1) * FPS
    assert np.count_nonzero(jolts > 0.25 * STRONGEST) <= 2


def actors(seconds: float, **others: Any) -> list[State]:
    """A run of four on foot who each have a mark 8 m east at a time, at 12 frames a second."""
    y, fps = np.array([-4.0, -1.5, 1.5, 4.0]), 12
    start, goals = (np.stack((np.full(4, x), y, np.zeros(4)), axis=1) for x in (-4.0, 4.0))
    scene = Scene(
        start,
        speed=0.0,
        behaviors=[(Wander, {})],
        vehicle={"max_speed": 1.75, "cruise_speed": 0.8, "radius": 0.25, "max_force": 4.0, "keep_apart": True},
        locomotions=[(OnFoot, {})],
        tracked=leaders(*goals),
        surfaces=PLATE,
        fps=fps,
        **others,
    )
    marks = tuple(Mark(f"Mark {k}", seconds, 4 + k, np.array([k]), lead=3.0) for k in range(4))
    return scene.run(round(seconds * fps) + 1, at=lambda frame, snapshot: replace(snapshot, marks=marks))


def test_who_walks_comes_to_a_mark_behind_a_wall_over_the_way_and_in_time() -> None:
    """Straight on it is 8 m; through the door up to 13 m, for which 7 s before it all of them have to be under way."""
    last = positions(actors(16.0, obstacles=door(0.9, -3.0)))[-1]
    assert np.linalg.norm(last[:, :2] - [(4.0, y) for y in (-4.0, -1.5, 1.5, 4.0)], axis=1).max() < 0.1
