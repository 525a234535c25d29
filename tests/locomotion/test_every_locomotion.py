"""The laws that hold for every locomotion. Listing a new one in CATALOGUE makes them cover it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.evasion import Evasion
from steering_addon.behaviors.face import Face
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.separation import Separation
from steering_addon.behaviors.wander import Wander
from steering_addon.locomotion import CATALOGUE, OnFoot, SimpleVehicle, Wheeled
from steering_addon.simulation.behavior import Behavior
from steering_addon.simulation.declaration import Declared, Kind, Unit
from steering_addon.simulation.geometry.surfaces import Surfaces, surfaces
from steering_addon.simulation.locomotion import Fleet, Locomotion, one_of_each_kind
from steering_addon.simulation.snapshot import Snapshot, State
from steering_addon.simulation.vehicle import VehicleModel
from tests.locomotion.grounds import hills, on, plane
from tests.sampling import sampled
from tests.scene import Scene, about, headings, leaders, positions, speeds, turned, ups, velocities

FPS = 12
N = 7
TARGET = (9.0, 30.0, 12.0)

every = pytest.mark.parametrize("kind", CATALOGUE, ids=lambda kind: kind.name)
every_that_stands = pytest.mark.parametrize(
    "kind", [kind for kind in CATALOGUE if kind.stands], ids=lambda kind: kind.name
)


def columns(kind: type[Locomotion], n: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Values of each vehicle about the defaults; of choices any."""
    rng = np.random.default_rng((seed, n))
    return {
        name: rng.choice([each.number for each in parameter.choices], n)
        if parameter.choices
        else np.clip((parameter.default or 0.2) * rng.uniform(0.7, 1.3, n), parameter.least, parameter.most)
        for name, parameter in kind.parameters().items()
    }


def swarm(kind: type[Locomotion], n: int = N, seed: int = 0, **changes: Any) -> Scene:
    """Vehicles that wander to a point above them, each with values of its own."""
    rng = np.random.default_rng((seed, n, 1))
    level = (1.0, 1.0, 0.0 if kind.grounded else 0.4)
    given = {
        "position": rng.uniform(-8.0, 8.0, (n, 3)) * level,
        "forward": rng.normal(size=(n, 3)) * level,
        "speed": rng.uniform(0.0, 5.0, n),
        "behaviors": [(Seek, {"weight": 0.5}), (Wander, {"strength": 4.0}), (Separation, {})],
        "locomotions": [(kind, columns(kind, n, seed))],
        "tracked": leaders(TARGET),
        "fps": FPS,
    }
    return Scene(**(given | changes))


@cache
def usual(kind: type[Locomotion]) -> tuple[State, ...]:
    """Two seconds of a usual swarm."""
    return tuple(swarm(kind).run(2 * FPS))


def test_names_labels_and_stored_numbers_are_distinct() -> None:
    for name in ("name", "label", "stored_number"):
        assert len({getattr(kind, name) for kind in CATALOGUE}) == len(CATALOGUE)
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", kind.name) for kind in CATALOGUE)


@every
def test_it_says_what_it_does_and_what_it_suits(kind: type[Locomotion]) -> None:
    for words in (kind.tooltip(), kind.suits):
        assert words[0].isupper() and not words.endswith(".") and len(words) > 20
    assert kind.choice().name == kind.name.upper()
    assert kind.choice().number == kind.stored_number


@every
def test_every_parameter_is_a_number_or_a_choice_with_a_sentence(kind: type[Locomotion]) -> None:
    """The reader gathers the values of crowds in columns of numbers, which those of choices are too."""
    for parameter in kind.parameters().values():
        assert parameter.kind in (Kind.NUMBER, Kind.CHOICE)
        assert parameter.description and not parameter.description.endswith(".")


@every
def test_its_handling_is_a_column_of_each_number(kind: type[Locomotion]) -> None:
    handling = kind.of(N, **columns(kind, N)).handling()
    assert all(
        column.shape == (N,) and not np.isnan(column).any() for name, column in vars(handling).items() if name != "axle"
    )
    assert (handling.turn_rate > 0.0).all() and (handling.smoothing_time >= 0.0).all()
    assert (handling.room_to_turn <= handling.turning_circle).all()
    assert kind.stands or np.isinf(handling.steepest).all()


@every
def test_a_column_of_equal_values_is_one_value(kind: type[Locomotion]) -> None:
    values = {name: parameter.default for name, parameter in kind.parameters().items()}
    once = swarm(kind, locomotions=[(kind, values)])
    each = replace(once, locomotions=[(kind, {name: np.full(N, value) for name, value in values.items()})])
    assert data(once.run(FPS)) == data(each.run(FPS))


@every
@pytest.mark.parametrize("n", [0, 1])
def test_no_vehicle_and_one_move_too(kind: type[Locomotion], n: int) -> None:
    last = swarm(kind, n).run(6)[-1]
    assert all(np.isfinite(column).all() for column in vars(last.motion).values())


@sampled
@every
def test_it_goes_to_a_point_beside_it_and_near_its_height(kind: type[Locomotion]) -> None:
    """Whatever limits it: in a crowd from all sides, all come there."""
    rng = np.random.default_rng(8)
    level = (1.0, 1.0, 0.0 if kind.grounded else 0.3)
    place = Scene(
        rng.uniform(-12.0, 12.0, (16, 3)) * level,
        forward=rng.normal(size=(16, 3)) * level,
        speed=2.0,
        behaviors=[(Seek, {})],
        locomotions=[(kind, {})],
        tracked=leaders([0.0, 0.0, 0.0]),
    )
    came = np.zeros(16, dtype=np.bool_)
    for state in place.passing(24 * 30):
        came |= np.linalg.norm(state.motion.position, axis=-1) < 1.0
        if came.all():
            break
    assert came.all()


@sampled(one_of=9)
@every
def test_it_comes_to_rest_and_stays_so(kind: type[Locomotion]) -> None:
    place = swarm(kind, behaviors=[(Arrival, {})], tracked=leaders([3.0, 4.0, 0.0]))
    place = replace(place, locomotions=[(kind, {})])

    def rests(states: list[State]) -> bool:
        """Whether all have been at rest for four seconds."""
        return len(states) > 4 * FPS and bool(speeds(states[-4 * FPS :]).max() < 0.01)

    states = place.run_until(rests, FPS * 30)
    assert rests(states)
    assert np.abs(ups(states)[-FPS:] - ups(states)[-1]).max() < 0.01


@every
def test_a_face_without_a_target_changes_no_byte(kind: type[Locomotion]) -> None:
    """Of others that stand beside one that turns, and of others that move."""
    place = swarm(kind, behaviors=[(Separation, {})], speed=np.arange(N) % 2, vehicle={"cruise_speed": 0.0})
    faces = replace(place, behaviors=[(Separation, {}), (Face, {"target": np.where(np.arange(N) == 0, N, -1)})])
    rows = np.arange(1, N)
    assert data(place.run(12), rows) == data(faces.run(12), rows)


def data(states: Sequence[State], rows: Any = slice(None)) -> list[bytes]:
    """The motion of some vehicles and what their locomotion remembers of them, state by state."""
    return [
        np.concatenate(
            [
                *(column[rows].ravel() for column in vars(state.motion).values()),
                state.smoothed_acceleration[rows].ravel(),
                *(
                    column[rows].ravel()
                    for name in sorted(state.bodies)
                    for column in vars(state.bodies[name]).values()
                ),
            ]
        ).tobytes()
        for state in states
    ]


@sampled(one_of=9)
@every
def test_others_that_move_otherwise_make_no_difference(kind: type[Locomotion]) -> None:
    """The vehicles of each locomotion in one run with all others, as each alone."""
    several = swarm(
        SimpleVehicle,
        3 * len(CATALOGUE),
        behaviors=[(Seek, {}), (Wander, {})],
        locomotions=[(other, {}) for other in CATALOGUE],
        locomotion_row=np.arange(3 * len(CATALOGUE)) % len(CATALOGUE),
    )
    rows = np.arange(3) * len(CATALOGUE) + CATALOGUE.index(kind)
    states, alone = several.run(2 * FPS), several.take(rows).run(2 * FPS)
    for state, other in zip(states, alone):
        assert all(
            getattr(state.motion, name)[rows].tobytes() == column.tobytes()
            for name, column in vars(other.motion).items()
        )


@every
def test_who_is_absent_stays_as_it_was(kind: type[Locomotion]) -> None:
    def at(frame: int, snapshot: Snapshot) -> Snapshot:
        return replace(snapshot, present=np.arange(N) != (2 if 10 <= frame < 20 else -1))

    states = swarm(kind).run(30, at=at)
    away = data(states, [2])
    assert len(set(away[11:20])) == 1
    assert len(set(away[20:])) > 5


@every
def test_crowds_that_share_a_locomotion_move_as_if_each_had_one(kind: type[Locomotion]) -> None:
    row = np.array([0, 1, 2, 1, 0, 2, 1])
    given = tuple(
        each.of(1, **{name: column[:1] for name, column in columns(each, 1, seed).items()})
        for seed, each in enumerate((kind, CATALOGUE[0], kind))
    )
    place = swarm(kind)
    merged = one_of_each_kind(given, row)
    assert len(merged.locomotions) == len({type(body) for body in given})

    def moving(fleet: Fleet) -> list[State]:
        return place.run(FPS, at=lambda frame, seen: replace(seen, fleet=fleet))

    assert data(moving(merged)) == data(moving(Fleet(given, row)))


MIRROR, QUARTER = np.diag((-1.0, 1.0, 1.0)), about((0.0, 0.0, 1.0), 90.0).round()


@every
@pytest.mark.parametrize("behavior", [Arrival, Evasion, Face])
def test_in_a_scene_that_is_turned_or_mirrored_and_elsewhere_it_does_the_same(
    kind: type[Locomotion], behavior: type[Behavior]
) -> None:
    """Also where metres are twice as long; bodies lean less then, as gravity is not."""
    offset, place = np.array([5.0, -8.0, 3.0]), swarm(kind, behaviors=[(behavior, {}), (Separation, {})])
    if behavior is Face:
        place = replace(place, behaviors=[(Face, {})], speed=0.0, vehicle={"cruise_speed": 0.0})
    if behavior is Evasion:
        place = replace(place, tracked=leaders((0.5, -1.0, 0.0)))
    states = place.run(FPS)
    for turn in (about((0.0, 0.0, 1.0), 67.0), MIRROR):
        others = place.moved(offset, turn).run(FPS)
        assert np.abs(turned(positions(states), turn) + offset - positions(others)).max() < 1e-6
        for axes in (ups, headings):
            assert np.abs(turned(axes(states), turn) - axes(others)).max() < 1e-6
    large = larger(place).run(FPS)
    assert (positions(large) == 2.0 * positions(states)).all() and (headings(large) == headings(states)).all()


@every_that_stands
def test_on_ground_that_is_turned_or_mirrored_it_does_the_same(kind: type[Locomotion]) -> None:
    """By a quarter, as walkers find their ways on a grid; also on larger ground, on which only springs sink in more."""
    points, triangles = hills(40.0, 20, height=2.0)
    place = walking_on(kind, surfaces([(points, triangles)]))
    place = replace(place, behaviors=[(Seek, {}), (Separation, {})])
    states = place.run(8)
    for turn in (QUARTER, MIRROR):
        ground = surfaces([(turned(points, turn), triangles[:, :: round(np.linalg.det(turn))])])
        others = replace(place.moved(turn=turn), surfaces=ground).run(8)
        assert np.abs(turned(positions(states), turn) - positions(others)).max() < 1e-6
        assert np.abs(turned(ups(states), turn) - ups(others)).max() < 1e-6
    large = replace(larger(place), surfaces=surfaces([(2.0 * points, triangles)])).run(8)
    assert kind is Wheeled or (positions(large) == 2.0 * positions(states)).all()


def larger(place: Scene) -> Scene:
    """The scene with everything twice as far, as large and as strong, and as quick for its size."""

    def doubled(declared: type[Declared], values: Mapping[str, Any]) -> dict[str, Any]:
        return dict(values) | {
            name: 2.0 * np.asarray(values.get(name, parameter.default))
            for name, parameter in declared.parameters().items()
            if parameter.unit in (Unit.LENGTH, Unit.SPEED, Unit.ACCELERATION, Unit.FORCE)
            and values.get(name, parameter.default) is not None
        }

    return replace(
        place,
        position=2.0 * place.position,
        speed=2.0 * np.asarray(place.speed),
        vehicle=doubled(VehicleModel, place.vehicle),
        locomotions=[(kind, doubled(kind, values)) for kind, values in place.locomotions],
        behaviors=[(behavior, doubled(behavior, values)) for behavior, values in place.behaviors],
        tracked=replace(place.tracked, position=2.0 * place.tracked.position, radius=2.0 * place.tracked.radius),
    )


@every
def test_four_times_the_mass_moves_alike_with_four_times_the_force(kind: type[Locomotion]) -> None:
    place = walking_on(kind, surfaces([hills(16.0, 8, height=1.0)])) if kind.stands else swarm(kind)
    place = replace(place, behaviors=[(Seek, {}), (Evasion, {})], speed=np.arange(N) % 2)
    light, heavy = (replace(place, vehicle={"mass": m, "max_force": 4.0 * m}).run(8) for m in (1.0, 4.0))
    for one, other in zip(light, heavy):
        assert all((column == vars(other.motion)[name]).all() for name, column in vars(one.motion).items())


@sampled(one_of=9)
@every
def test_half_the_step_gives_nearly_the_same_path(kind: type[Locomotion]) -> None:
    place = swarm(kind, behaviors=[(Seek, {"weight": 0.5}), (Wander, {"strength": 2.0})], locomotions=[(kind, {})])
    once, twice = (replace(place, fps=24.0, substeps=substeps).run(3 * 24) for substeps in (2, 4))
    way = np.linalg.norm(np.diff(positions(once), axis=0), axis=-1).sum(axis=0)
    assert (np.linalg.norm(positions(once)[-1] - positions(twice)[-1], axis=-1) < 0.05 * way).all()
    assert np.abs(ups(once) - ups(twice)).max() < 0.35


@every
def test_on_the_ground_it_stays_at_its_height_and_upright_and_elsewhere_it_does_not(kind: type[Locomotion]) -> None:
    states = usual(kind)
    if kind.grounded:
        assert (positions(states)[..., 2] == positions(states)[0, :, 2]).all()
        assert (headings(states)[1:, :, 2] == 0.0).all()
        # A runner leans aside, into the bend.
        lean = ups(states)[1:]
        assert np.abs(np.einsum("fni,fni->fn", lean, headings(states)[1:])).max() < 1e-12
        assert lean[..., 2].min() > 0.86 if kind is OnFoot else np.abs(lean - (0.0, 0.0, 1.0)).max() < 1e-12
    else:
        assert np.abs(velocities(states)[..., 2]).max() > 0.5
        assert np.ptp(ups(states)[..., 2]) > 0.05


@every
def test_what_stands_as_it_was_placed_has_axes_at_right_angles(kind: type[Locomotion]) -> None:
    """Tilted and without a wish, even what keeps to the ground."""
    place = swarm(kind, forward=(0.4, 0.3, 0.8), speed=0.0, behaviors=[], vehicle={"max_speed": 0.0})
    for state in place.run(5):
        pose = state.pose
        axes = np.stack((pose.side, pose.forward, pose.up), axis=1)
        assert np.abs(axes @ np.swapaxes(axes, 1, 2) - np.eye(3)).max() < 1e-9
        assert np.allclose(state.motion.side, np.cross(state.motion.forward, state.motion.up), atol=1e-12)


def walking_on(kind: type[Locomotion], ground: Surfaces, **changes: Any) -> Scene:
    """A swarm on the ground, with a goal beyond it."""
    place = swarm(kind, behaviors=[(Seek, {"weight": 0.5}), (Wander, {"strength": 2.0})], **changes)
    return replace(place, position=on(ground, place.position[:, :2]), surfaces=ground)


@every
def test_what_stands_goes_along_the_ground_and_what_does_not_ignores_it(kind: type[Locomotion]) -> None:
    ground = surfaces([plane(60.0, tilt=0.2)])
    place = walking_on(kind, ground)
    states = place.run(18)
    if not kind.stands:
        assert data(states) == data(replace(place, surfaces=surfaces([])).run(18))
        return
    way = np.diff(positions(states), axis=0)
    off = way @ np.array([-0.2, 0.0, 1.0]) / np.sqrt(1.04)
    assert not kind.touches or (np.abs(off) <= np.sin(np.radians(2.0)) * np.linalg.norm(way, axis=-1) + 1e-9).all()
    assert np.ptp(positions(states)[..., 2], axis=0).max() > 0.3, "it goes up or down"


@every
def test_on_odd_ground_all_stays_finite_and_order_and_length_of_a_run_do_not_matter(kind: type[Locomotion]) -> None:
    """Upright, slanting, folded and flat faces, some without an area, and holes."""
    points, triangles = hills(24.0, 24, height=2.0, width=2.0)
    points = np.where(np.arange(len(points))[:, None] % 11 == 0, np.roll(points, 1, axis=0), points)
    points[::17, 2] += 2.0
    ground = surfaces([(points, triangles[np.arange(len(triangles)) % 13 > 0])])
    place, order = walking_on(kind, ground), np.array([3, 0, 6, 5, 1, 4, 2])
    place = replace(place, position=np.where(np.isfinite(place.position), place.position, 0.0))
    states = place.run(FPS)
    assert all(np.isfinite(column).all() for state in states for column in vars(state.motion).values())
    assert {output.name for output in kind.outputs} <= set(states[-1].outputs)
    assert all(np.isfinite(column).all() for column in states[-1].outputs.values())
    assert data(place.run(FPS // 2)) == data(states[: FPS // 2])
    assert data(states, order) == data(place.take(order).run(FPS))


@every_that_stands
def test_what_moves_carries_and_turns_those_that_stand_on_it(kind: type[Locomotion]) -> None:
    points, triangles = plane(half=6.0, cells=6)
    lorry = surfaces([(points, triangles)], [True])

    def at(frame: int, snapshot: Snapshot) -> Snapshot:
        shift = np.array((0.5 * frame, 0.0, 0.02 * frame))
        moved = turned(points, about((0.0, 0.0, 1.0), frame)) + shift
        return replace(snapshot, surfaces=lorry.with_points(0, moved))

    place = Scene([[1.0, 1.0, 0.0]], vehicle={"max_speed": 0.0}, locomotions=[(kind, {})], surfaces=lorry, fps=FPS)
    states, turn = place.run(60, at=at), about((0.0, 0.0, 1.0), 59.0)
    assert np.abs(positions(states)[-1] - turned(np.array([1.0, 1.0, 0.0]), turn) - (29.5, 0.0, 1.18)).max() < 1e-6
    assert np.abs(headings(states)[-1] - turned(headings(states)[0], turn)).max() < 1e-6


@every_that_stands
def test_ground_whose_faces_come_and_go_is_stood_on_all_the_time(kind: type[Locomotion]) -> None:
    """Of a surface of another size, so that no row of a triangle is what it was."""
    wide, narrow = plane(60.0, tilt=0.1, cells=20), plane(50.0, tilt=0.1, cells=4)
    ground = surfaces([wide], [True])
    grounds = [ground, ground.with_faces(0, *narrow)]
    place = walking_on(kind, ground, locomotions=[(kind, {})])
    states = place.run(12, at=lambda frame, snapshot: replace(snapshot, surfaces=grounds[frame // 2 % 2]))
    assert not any(state.outputs["off_ground"].any() for state in states)
    off = positions(states) @ np.array([-0.1, 0.0, 1.0])
    assert not kind.touches or np.abs(off).max() < 0.01
