"""Path following (paper, Path Following): along a curve, near its middle, without weaving."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.behaviors.path_following import (
    BACKWARD,
    CORRIDOR,
    EITHER,
    FORWARD,
    LOOP,
    STOP,
    TURN_BACK,
    Following,
    PathFollowing,
)
from steering_addon.locomotion import Planar, Wheeled
from steering_addon.simulation.geometry.paths import Path, Spline, spline
from steering_addon.simulation.snapshot import Snapshot, State
from tests.sampling import sampled
from tests.scene import Scene, flat_or_free, headings, locked, positions, speeds
from tests.simulation.ways.grounds import PLATE, door, walkers

FPS = 12
CRUISE = 4.0
"""Four fifths of the default top speed."""
ROAD = spline(np.array([[0.0, 0.0, 0.0], [0.0, 60.0, 0.0]]), False)


def circle(radius: float = 1.0) -> np.ndarray:
    t = np.linspace(0.0, 2.0 * np.pi, 200, endpoint=False)
    return radius * np.stack((np.cos(t), np.sin(t), np.zeros(200)), axis=-1)


def eight() -> np.ndarray:
    t = np.linspace(0.0, 2.0 * np.pi, 300, endpoint=False)
    return np.stack((np.sin(t), 0.5 * np.sin(2.0 * t), np.zeros(300)), axis=-1)


def winding(seed: int) -> np.ndarray:
    """A closed course in space with bends to all sides."""
    t = np.linspace(0.0, 2.0 * np.pi, 400, endpoint=False)
    phase = np.random.default_rng(seed).uniform(0.0, 2.0 * np.pi, 4)
    out = 1.0 + 0.25 * np.sin(2.0 * t + phase[0]) + 0.15 * np.sin(3.0 * t + phase[1])
    height = 0.3 * np.sin(t + phase[2]) + 0.15 * np.sin(2.0 * t + phase[3])
    return np.stack((out * np.cos(t), out * np.sin(t), height), axis=-1)


def sharpest(corners: np.ndarray) -> float:
    """The smallest radius of curvature of a closed curve."""
    before, after = np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0)
    first, second = 0.5 * (after - before), before + after - 2.0 * corners
    bend = np.linalg.norm(np.cross(first, second), axis=1) / np.linalg.norm(first, axis=1) ** 3
    return float(1.0 / bend.max())


def followers(line: Spline | Path, position: object = ((0.0, 0.0, 0.0),), **changes) -> Scene:
    """Vehicles that follow a line; keyword arguments are fields of the scene or parameters of the behavior."""
    fields = {name: changes.pop(name) for name in list(changes) if name in Scene.__dataclass_fields__}
    path = (line,) if isinstance(line, Spline) else line
    given = {
        "up": (0.01, 0.02, 1.0),
        "speed": CRUISE,
        "fps": FPS,
        "paths": (path,),
        "behaviors": [(PathFollowing, changes)],
    }
    return Scene(position, **(given | fields))


def started(line: Spline, first: float = 0.0, **changes) -> Scene:
    """A vehicle on a line, in motion."""
    along = np.array([first])
    return followers(line, line.position(along), forward=line.tangent(along), **changes)


def remembered(states: list[State], name: str) -> np.ndarray:
    """(frames - 1, n) a column of their memory; it is empty before the first step."""
    return np.array([getattr(state.memories["path_following"], name) for state in states[1:]])


def off(line: Spline, points: np.ndarray) -> np.ndarray:
    """The distances of points (..., 3) from a line."""
    flat = points.reshape(-1, 3)
    return np.linalg.norm(flat - line.position(line.nearest(flat)), axis=1).reshape(points.shape[:-1])


def test_on_the_path_at_cruise_speed_it_does_nothing() -> None:
    assert np.abs(followers(ROAD, [[0.0, 20.0, 0.0]]).steering()[0]).max() < 1e-9


@pytest.mark.parametrize(("end", "brakes"), [(TURN_BACK, False), (STOP, True)])
def test_in_the_corridor_it_brakes_for_the_end_only_where_it_stops(end: int, brakes: bool) -> None:
    place = followers(ROAD, [[0.8, 59.0, 0.0]], pull=CORRIDOR, radius=1.0, end=end)
    assert place.steering()[0].any() == brakes


def test_inside_half_the_radius_it_steers_along_the_path_only() -> None:
    for aside in (0.1, 0.3, 0.49):
        for speed in (0.0, 2.0, 5.0):
            force = followers(ROAD, [[aside, 20.0, 0.0]], speed=speed, radius=1.0).steering()[0][0]
            assert abs(force[0]) < 1e-9
            assert abs(force[2]) < 1e-9
            assert np.sign(force[1]) == np.sign(CRUISE - speed)


def test_toward_the_radius_the_pull_sets_in_gently() -> None:
    asides = np.linspace(0.0, 3.0, 61)
    place = followers(ROAD, np.stack((asides, np.full(61, 20.0), np.zeros(61)), axis=-1), radius=1.0)
    force = place.steering()[0]
    inward, cut = -force[:, 0], np.linalg.norm(force, axis=1) > 10.0 - 1e-6
    assert 10 < cut.sum() < 40, "by max_force"
    assert (np.diff(inward)[~cut[1:]] >= -1e-9).all()
    assert inward[asides > 0.6].min() > 0.1
    assert np.abs(np.diff(inward)).max() < 1.5, "newtons for five centimetres"


def test_it_looks_at_its_predicted_position() -> None:
    """Next to the path but heading back to it, it does not turn in harder."""
    inward = {}
    for heading in ([-0.3, 1.0, 0.0], [0.3, 1.0, 0.0]):
        place = followers(ROAD, [[0.9, 20.0, 0.0]], forward=[heading], radius=2.0)
        inward[heading[0]] = -place.steering()[0][0, 0]
    assert inward[0.3] > 0.5
    assert inward[-0.3] < 0.0


def test_the_corridor_is_the_papers_all_or_nothing() -> None:
    """By the definition: predict, project on the spine, do nothing within the radius, else seek a point further on."""
    line = spline(circle(30.0), True)
    rng = np.random.default_rng(0)
    n, radius, mass, max_force = 60, 1.5, 2.0, 12.0
    along = rng.uniform(0.0, line.length, n)
    place = followers(
        line,
        line.position(along) + rng.normal(size=(n, 3)) * 1.2,
        forward=line.tangent(along) + rng.normal(size=(n, 3)) * 0.4,
        speed=rng.uniform(2.0, 5.0, n),
        pull=CORRIDOR,
        radius=radius,
        vehicle={"mass": mass, "max_force": max_force},
    )
    velocity = place.start().motion.velocity
    spine = line.position(np.linspace(0.0, line.length, 20001)[:-1])
    nothing = 0
    for row, force in enumerate(place.steering()[0]):
        # Limited, so that the straight prediction does not leave the path in every bend.
        prediction_time = min(1.0, np.sqrt(radius * mass / max_force))
        future = place.position[row] + velocity[row] * prediction_time
        projection_distance = np.linalg.norm(spine - future, axis=1)
        nearest = int(np.argmin(projection_distance))
        if projection_distance[nearest] < radius:
            nothing += 1
            assert (force == 0.0).all()
            continue
        further = max(np.linalg.norm(velocity[row]) * prediction_time, radius)
        target = spine[(nearest + round(further / line.length * 20000)) % 20000]
        desired_velocity = (target - place.position[row]) / np.linalg.norm(target - place.position[row]) * CRUISE
        asked = mass * (desired_velocity - velocity[row]) / min(0.5, prediction_time)
        asked *= min(1.0, max_force / np.linalg.norm(asked))
        assert np.allclose(force, asked, atol=0.05)
    assert 10 < nothing < 50


COURSES = {"circle": circle(), "eight": eight(), "winding 1": winding(1), "winding 2": winding(2)}
RADII = np.array([0.3, 0.5, 1.0, 2.0, 3.0])


@sampled
@pytest.mark.parametrize(("agility", "substeps"), [(10.0, 1), (25.0, 4)])
def test_followers_stay_within_the_radius(agility: float, substeps: int) -> None:
    """On courses with the sharpest bends that a vehicle can take at top speed; for some seconds in motion."""
    sharp = 5.0**2 / agility
    lines = [spline(corners * (sharp / sharpest(corners)), True) for corners in COURSES.values()]
    place = followers(
        lines[0],
        np.concatenate([line.position(np.linspace(0.0, line.length, 5, endpoint=False)) for line in lines]),
        forward=np.concatenate([line.tangent(np.linspace(0.0, line.length, 5, endpoint=False)) for line in lines]),
        path=np.repeat(np.arange(len(lines)), 5),
        radius=np.tile(RADII, len(lines)),
        paths=tuple((line,) for line in lines),
        vehicle={"max_force": agility, "radius": 0.5},
        substeps=substeps,
    )
    states = place.run((12 if substeps == 1 else 5) * FPS)
    for row, line in enumerate(lines):
        away = off(line, positions(states)[2 * FPS :: 2, 5 * row : 5 * row + 5]).max(axis=0)
        assert (away < RADII + 0.5).all()
        assert (away < 1.1 * RADII).all(), "and points hardly leave the path"
    assert speeds(states).mean() > 0.8 * CRUISE


def velocity_along(states: list[State]) -> np.ndarray:
    """(frames, n) the velocity along the road, m/s."""
    return np.stack([s.motion.velocity[:, 1] for s in states])


def test_before_a_bend_it_slows_down_to_the_speed_it_can_hold() -> None:
    corner = spline(np.array([[0.0, 0.0, 0.0], [0.0, 30.0, 0.0], [30.0, 30.0, 0.0]]), False)
    states = started(corner, radius=0.5, vehicle={"max_force": 4.0}).run(16 * FPS)
    speed, away = speeds(states)[:, 0], off(corner, positions(states))[:, 0]
    assert speed[int(np.argmax(positions(states)[:, 0, 1] > 28.3))] < 0.92 * CRUISE, "before it turns"
    assert speed.min() < 0.6 * CRUISE
    assert away.max() < 0.5 + 0.5
    assert speed[-2 * FPS] > 0.95 * CRUISE, "and is back at speed after it"


@sampled(one_of=3)
@pytest.mark.parametrize(
    ("direction", "facing", "goes"),
    [(FORWARD, 1, 1), (FORWARD, -1, 1), (BACKWARD, 1, -1), (BACKWARD, -1, -1), (EITHER, 1, 1), (EITHER, -1, -1)],
)
def test_it_goes_the_way_that_is_chosen(direction: int, facing: int, goes: int) -> None:
    place = followers(ROAD, [[0.5, 30.0, 0.0]], forward=[[0.0, facing, 0.0]], direction=direction)
    states = place.run(4 * FPS)
    assert goes * (positions(states)[-1, 0, 1] - 30.0) > 5.0
    assert (velocity_along(states)[-1] * goes > 0.95 * CRUISE).all()


def test_on_one_of_many_splines_it_goes_as_on_that_one_alone() -> None:
    rng = np.random.default_rng(6)
    offsets = 40.0 * np.arange(4)[:, None, None] * [1.0, 0.0, 0.0]
    shapes = ((circle(6.0), True), (circle(9.0)[:200], False), (circle(3.0)[::40], True), (circle(12.0)[::50], False))
    curve = tuple(spline(shape + offset, closed) for (shape, closed), offset in zip(shapes, offsets, strict=True))
    place = np.concatenate([line.position(line.length * rng.uniform(size=3)) for line in curve])
    place[:, :2] += rng.uniform(-0.9, 0.9, (12, 2))
    asked = {"direction": EITHER, "end": TURN_BACK, "lane_offset": 0.5, "radius": 1.0}
    together = followers(curve, place, **asked).run(2 * FPS)[-1].motion
    for k, line in enumerate(curve):
        three = slice(3 * k, 3 * k + 3)
        alone = followers(line, place[three], **asked).run(2 * FPS)[-1].motion
        for name in ("position", "velocity", "forward"):
            assert (getattr(together, name)[three] == getattr(alone, name)).all()


def test_by_default_it_follows_the_nearest_path_and_a_named_path_otherwise() -> None:
    near, far = ROAD, spline(np.array([[20.0, 0.0, 0.0], [20.0, 60.0, 0.0]]), False)
    place = followers(near, [[1.0, 5.0, 0.0]], paths=((far,), (near,)))
    assert (remembered(place.run(3), "path") == 1.0).all()
    told = replace(place, behaviors=[(PathFollowing, {"path": 0})])
    assert off(far, positions(told.run(9 * FPS))[-1, 0]) < 1.0
    nothing = replace(place, behaviors=[(PathFollowing, {"path": -1})])
    assert (nothing.steering()[0] == 0.0).all()


@pytest.mark.parametrize(
    "paths", [(), ((),), ((spline(np.ones((1, 3)), False),),), ((spline(np.ones((3, 3)), True),),)]
)
@pytest.mark.parametrize("end", [STOP, LOOP, TURN_BACK])
def test_without_a_path_or_on_a_single_point_it_does_nothing(paths: tuple, end: int) -> None:
    place = followers(ROAD, [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]], paths=paths, end=end)
    assert (place.steering()[0] == 0.0).all()
    idle = replace(place, behaviors=[])
    assert positions(place.run(24)).tobytes() == positions(idle.run(24)).tobytes(), "cruise speed is held"


def test_when_its_path_disappears_it_follows_the_nearest_of_the_others() -> None:
    far = spline(np.array([[6.0, 0.0, 0.0], [6.0, 60.0, 0.0]]), False)
    place = followers(ROAD, [[1.0, 0.0, 0.0]], paths=((far,), (ROAD,)))

    def until(frame: int, snapshot: Snapshot) -> Snapshot:
        return snapshot if frame < 24 else replace(snapshot, paths=((far,),))

    states = place.run(8 * FPS, at=until)
    assert remembered(states, "path")[23, 0] == 1.0
    assert remembered(states, "path")[-1, 0] == 0.0
    assert off(far, positions(states)[-1, 0]) < 1.0


def test_at_the_end_it_stops_and_stays() -> None:
    states = started(ROAD, end=STOP, first=40.0).run(8 * FPS)
    assert np.linalg.norm(positions(states)[-1, 0] - (0.0, 60.0, 0.0)) < 1.0
    assert positions(states)[:, 0, 1].max() < 60.5
    assert speeds(states)[-FPS:].max() < 0.01
    assert np.abs(headings(states)[:, 0] - (0.0, 1.0, 0.0)).max() < 0.01, "it stops with the heading it had"
    assert speeds(states)[int(np.argmax(positions(states)[:, 0, 1] > 50.0)), 0] > 0.95 * CRUISE


def test_at_the_end_it_leaves_and_enters_again_at_the_start() -> None:
    """Beside it as far as before, and seen to move nowhere else."""
    bow = spline(np.array([[0.0, 0.0, 0.0], [0.0, 8.0, 0.0], [6.0, 8.0, 0.0], [6.0, 0.0, 0.0]]), False)
    states = started(bow, end=LOOP, radius=0.5).run(15 * FPS)
    away = np.array([state.away[0] for state in states])
    leaves, enters = np.flatnonzero(np.diff(away * 1) == 1) + 1, np.flatnonzero(np.diff(away * 1) == -1) + 1
    assert len(enters) >= 2 and (enters - leaves[: len(enters)] == 2).all()
    path = positions(states)[:, 0]
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    assert steps[~away[1:] | ~away[:-1]].max() < CRUISE * 1.3 / FPS
    assert np.linalg.norm(path[leaves] - (6.0, 0.0, 0.0), axis=1).max() < 0.6
    assert np.linalg.norm(path[enters] - (0.0, 0.0, 0.0), axis=1).max() < 0.6
    assert headings(states)[enters, 0] == pytest.approx(np.tile([0.0, 1.0, 0.0], (len(enters), 1)), abs=0.01)
    assert speeds(states)[enters, 0] == pytest.approx(CRUISE)


def cars(line: Spline, along: object, speed: object = 12.0, **changes) -> Scene:
    """Cars on a road."""
    along = np.atleast_1d(np.asarray(along, dtype=float))
    body = {"radius": 0.9, "length": 4.5, "max_force": 4.0, "max_speed": 15.0, "cruise_speed": 0.8}
    given = {"speed": speed, "vehicle": body, "locomotions": [(Wheeled, {})], "radius": 1.2} | changes
    return followers(line, line.position(along), forward=line.tangent(along), **given)


@pytest.mark.parametrize(("ahead", "enters", "speed"), [(2.0, 36, 12.0), (40.0, 7, 10.1), (70.0, 7, 12.0)])
def test_a_driver_waits_for_a_free_start_and_enters_no_faster_than_it_could_stop(
    ahead: float, enters: int, speed: float
) -> None:
    road = spline(np.array([[0.0, 0.0, 0.0], [0.0, 100.0, 0.0]]), False)
    place = cars(road, 96.0, end=LOOP, tracked=locked((0.0, ahead, 0.0), radius=0.9, length=4.5))

    def leaves(frame: int, snapshot: Snapshot) -> Snapshot:
        return replace(snapshot, tracked=replace(snapshot.tracked, present=np.array([frame < 36])))

    states = place.run(48, at=leaves)
    away = np.array([state.away[0] for state in states])
    assert np.flatnonzero(np.diff(away * 1) == -1)[0] + 1 == enters
    assert speeds(states)[enters, 0] == pytest.approx(speed, abs=0.1)


@sampled
@pytest.mark.parametrize("lane", [0.0, 2.0])
def test_cars_start_in_a_bend_no_faster_than_they_can_take_it(lane: float) -> None:
    bend = spline(circle(14.0), True)
    place = replace(cars(bend, 10.0), behaviors=[(PathFollowing, {"radius": 1.2, "lane_offset": lane})])
    place.position = bend.beside(-lane).position(np.array([10.0]))
    states = place.run(6 * FPS)
    assert np.abs(np.linalg.norm(positions(states)[:, 0], axis=1) - 14.0 - lane).max() < 0.4
    assert speeds(states)[0, 0] == pytest.approx(speeds(states)[-1, 0], rel=0.1)
    straight = cars(ROAD, 10.0).run(2)
    assert speeds(straight)[0, 0] == 12.0


def beyond(flat: bool, end: int) -> float:
    """How far a vehicle that has to turn round gets beyond the end, metres."""
    vehicle, moves = {"max_speed": 15.0, "max_force": 4.0}, flat_or_free(flat, max_turn_rate=0.6)
    place = started(ROAD, end=end, radius=2.0, speed=12.0, vehicle=vehicle, locomotions=moves)
    return float(positions(place.run(12 * FPS))[..., 1].max() - ROAD.length)


@sampled
@pytest.mark.parametrize("flat", [False, True])
def test_it_turns_back_so_early_that_it_gets_to_the_end_and_no_further(flat: bool) -> None:
    assert abs(beyond(flat, TURN_BACK)) < 1.0


def moving(place: Scene, at: object) -> list[State]:
    """A run of twelve seconds; `at` gives the line of a frame."""
    return place.run(12 * FPS, at=lambda frame, snapshot: replace(snapshot, paths=((at(frame / FPS),),)))


def test_a_path_that_moves_takes_its_followers_along() -> None:
    def drifting(time: float) -> Spline:
        return spline(ROAD.points[::1023] + time * np.array([1.0, 0.0, 0.5]), False)

    states = moving(followers(ROAD, [[0.0, 2.0, 0.0]]), drifting)
    away = [float(off(drifting(frame / FPS), positions(states)[frame, 0])) for frame in range(FPS, 12 * FPS)]
    assert max(away) < 1.5
    assert positions(states)[-1, 0, 0] > 10.0


def test_it_arrives_at_the_end_of_an_open_line_and_never_on_a_closed_one() -> None:
    corners = 4.0 * circle()
    opened = np.concatenate((corners, corners[:1]))
    for points, closed in ((opened, False), (corners, True)):
        line = spline(points, closed)
        place = Scene(
            line.position(np.array([line.length - 0.1])),
            forward=line.tangent(np.array([line.length - 0.1])),
            behaviors=[(PathFollowing, {"end": STOP, "direction": FORWARD})],
            paths=((line,),),
        )
        world, agents, [behavior] = place.seen()
        assert bool(behavior.steer(world, agents, Following.blank(1)).arrived[0]) != closed


@sampled
@pytest.mark.parametrize("rise", [0.0, 1.0])
def test_on_the_ground_it_follows_a_line_as_seen_from_above(rise: float) -> None:
    """As if it lay on the ground: what rises above its follower is not nearer where it is lower."""
    line = spline(np.array([[0.0, t, rise * t] for t in np.linspace(0.0, 30.0, 16)]), False)
    scene = Scene(
        [[0.3, 10.0, 0.0]],
        forward=(0.0, 1.0, 0.0),
        speed=1.2,
        behaviors=[(PathFollowing, {"direction": FORWARD})],
        vehicle={"max_speed": 1.5},
        locomotions=[(Planar, {})],
        paths=((line,),),
        fps=FPS,
    )
    states = scene.run(10 * FPS)
    along = states[-1].memories["path_following"].along[0]
    assert positions(states)[-1, 0, 1] > 18.0
    assert line.position(np.array([along]))[0, 1] == pytest.approx(positions(states)[-1, 0, 1], abs=0.3)


def test_beside_a_bypass_that_leads_steeply_aside_it_is_not_asked_back() -> None:
    """There the way's own direction and the pull toward it point against each other."""
    places = np.array([[x, 2.5, 0.0] for x in (2.0, 3.5, 4.5, 6.0, 8.0)])
    scene = followers(ROAD, places, speed=0.1, radius=0.5, locomotions=flat_or_free(True))
    world, agents, [behavior] = scene.seen()
    n = len(places)
    bypass = replace(
        Following.blank(n),
        path=np.zeros(n, dtype=np.int64),
        active=np.ones(n, dtype=np.bool_),
        begin=np.full(n, 5.0),
        end=np.full(n, 20.0),
        close=np.full(n, 30.0),
        offset=np.tile((7.0, 0.0, 0.0), (n, 1)),
        looked=np.ones(n, dtype=np.bool_),
    )
    force = behavior.steer(world, agents, bypass).force
    aside = 1.5 * 7.0 / 5.0
    assert (force @ (aside, 1.0, 0.0) > 0.5 * np.linalg.norm(force, axis=1)).all(), "on along the way, if not only so"


@sampled(one_of=4)
@pytest.mark.parametrize(("beside", "speed", "lane"), [(3.0, 13.0, 0.0), (-6.0, 8.0, 2.0), (1.5, 20.0, -1.75)])
def test_a_car_beside_its_lane_returns_to_it_without_braking(beside: float, speed: float, lane: float) -> None:
    place = Scene(
        [[lane + beside, 5.0, 0.0]],
        speed=speed,
        behaviors=[(PathFollowing, {"radius": 1.2, "lane_offset": lane})],
        vehicle={"radius": 0.9, "length": 4.5, "max_force": 4.0, "max_speed": speed / 0.8, "cruise_speed": 0.8},
        locomotions=[(Wheeled, {})],
        paths=((spline(np.array([[0.0, 0.0, 0.0], [0.0, 400.0, 0.0]]), False),),),
        fps=FPS,
    )
    states = place.run(FPS * 8)
    off = positions(states)[:, 0, 0] - lane
    assert speeds(states).min() > 0.95 * speed
    assert np.abs(off[FPS * 6 :]).max() < 0.3
    assert (off * np.sign(beside)).min() > -0.1, "it does not overshoot"


def test_a_walker_comes_back_to_its_path_by_the_way_through_the_door() -> None:
    line = spline(np.array([[3.0, -4.5, 0.0], [3.0, 4.5, 0.0]]), False)
    beside_it = walkers(PLATE, door(0.9, -3.0), (0.0, 0.0, 0.0), [(-3.0, 2.0, 0.0), (2.6, 2.0, 0.0)])
    place = replace(beside_it, behaviors=[(PathFollowing, {"radius": 0.5})], paths=((line,),))
    world, agents, [behavior] = place.seen()
    steering = behavior.steer(world, agents, Following.blank(2))
    goal = behavior.goal(world, agents, steering.memory) - agents.position
    assert np.linalg.norm(goal[0]) == pytest.approx(2.0 * np.hypot(3.0, 5.0), abs=1.0), "as long as the way"
    for way in (goal, steering.force):
        assert way[0, 1] < -2.0 * abs(way[0, 0]) and way[1, 1] > 0.0
