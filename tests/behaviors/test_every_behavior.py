"""The laws that hold for every behavior as it steers. Listing a new one in CATALOGUE makes them cover it."""

import dataclasses
import functools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steering_addon.behaviors import CATALOGUE
from steering_addon.behaviors.brake_for import BrakeFor
from steering_addon.behaviors.explore import Explore
from steering_addon.behaviors.forage import Forage
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.unaligned_collision_avoidance import UnalignedCollisionAvoidance
from steering_addon.behaviors.wander import Wander
from steering_addon.locomotion import CATALOGUE as LOCOMOTIONS
from steering_addon.simulation.behavior import Adjustment, Behavior, Steering, Wish
from steering_addon.simulation.combining import COMBININGS
from steering_addon.simulation.declaration import Declared, Kind, Parameter
from steering_addon.simulation.geometry.obstacles import boxes, obstacles
from steering_addon.simulation.geometry.paths import spline
from steering_addon.simulation.geometry.regions import SPHERE, regions
from steering_addon.simulation.intention import Intention, neutral
from steering_addon.simulation.lane_use import Yielding
from steering_addon.simulation.maneuvers.neighborhood import Neighborhood
from steering_addon.simulation.memory import Memory
from steering_addon.simulation.nearby.contacts import GUARD
from steering_addon.simulation.nearby.walls import STOPS
from steering_addon.simulation.partners import Partners
from steering_addon.simulation.snapshot import State
from steering_addon.simulation.vehicle import VehicleModel
from tests.behaviors.situations import SITUATIONS, alone, busy, everywhere, flat, heap, without_sides
from tests.sampling import sampled
from tests.scene import Scene, about, all_of, leaders, locked, positions, speeds, turned, velocities
from tests.simulation.odd_input import BOUNDED

COORDINATES = np.array([0.0, 1.0, -1.0, 2.0, -2.0])
UP = (0.0, 0.0, 1.0)
CHANCE_SHOWS = 240
"""Frames within which another seed has to make a difference for a behavior that says that it uses chance."""


every = pytest.mark.parametrize("kind", CATALOGUE, ids=lambda kind: kind.name)
everywhere_there_is = pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.__name__)


@functools.cache
def flown(kind: type[Behavior], situation: Any) -> tuple[Scene, list[State]]:
    """A run of seven vehicles, which several laws examine: over 16 frames in a busy place, else over 8."""
    place = situation(kind, 7)
    return place, place.run(16 if situation is busy else 8)


def shares(kind: type[Behavior]) -> bool:
    """Whether its agents leave something for others: a tally, what they have taken, a taken place, or a partner."""
    world, agents, [behavior] = everywhere(kind, 4).seen()
    steering = behavior.steer(world, agents, None if kind.remembers is None else kind.remembers.blank(4))
    partnered = isinstance(steering.memory, Partners)
    return bool(steering.tallies) or steering.takes is not None or steering.perch is not None or partnered


DO_SOMETHING_ANYWAY = {"forage", "rest", "brake_for"}
"""Behaviors with a target that also act without one."""


def targets_of(kind: type[Behavior]) -> list[str]:
    """The parameters that hold what a behavior does nothing without."""
    if kind.name in DO_SOMETHING_ANYWAY:
        return []
    return [name for name, parameter in kind.parameters().items() if parameter.kind is Kind.BODY]


def decides_at_intervals(kind: type[Behavior]) -> bool:
    """Whether its agents decide at moments of their own, so that another step may lead to another decision."""
    return issubclass(kind, Adjustment)


# The steering force.


@sampled
@every
@everywhere_there_is
@pytest.mark.parametrize("n", [0, 1, 3])
def test_a_run_stays_finite(kind: type[Behavior], situation: Any, n: int) -> None:
    last = situation(kind, n).run(6)[-1]
    columns = [*vars(last.motion).values(), last.smoothed_acceleration, last.force]
    columns += [column for memory in last.bodies.values() for column in vars(memory).values()]
    assert all(np.isfinite(column).all() for column in columns)


@every
def test_at_least_one_agent_is_steered(kind: type[Behavior]) -> None:
    if issubclass(kind.remembers or Memory, Yielding):
        pytest.skip("it acts on what all have remembered of their paths a step before; its own tests show it")
    assert any((asked(busy(kind, 7, seed)) != 0.0).any() for seed in range(3))


def asked(place: Scene) -> np.ndarray:
    """The force and the heading that the behavior of a scene asks for at the start, (2, n, 3)."""
    world, agents, (behavior,) = place.seen()
    memory = None if behavior.remembers is None else behavior.remembers.blank(len(place))
    heading = behavior.steer(world, agents, memory).heading
    return np.stack((place.steering()[0], agents.none() if heading is None else heading))


@sampled
@every
@everywhere_there_is
def test_a_column_of_equal_values_is_one_value(kind: type[Behavior], situation: Any) -> None:
    n = 7
    constant = replace(situation(kind, n), behaviors=[(kind, {})])
    defaults = {name: np.full(n, parameter.default) for name, parameter in kind.parameters().items()}
    column = replace(constant, behaviors=[(kind, defaults)])
    assert constant.steering()[0].tobytes() == column.steering()[0].tobytes()


@sampled
@every
@everywhere_there_is
def test_it_writes_to_none_of_its_arguments(kind: type[Behavior], situation: Any) -> None:
    world, agents, [behavior] = situation(kind, 7).seen()
    memory = None if kind.remembers is None else kind.remembers.blank(7)
    wish = Wish.of(agents, np.ones((7, 3)), agents.max_speed)
    make_read_only((world, agents, behavior, memory, wish))
    behavior.steer(world, agents, memory)
    behavior.goal(world, agents, memory)
    behavior.intention(world, agents, memory)
    if isinstance(behavior, Adjustment):
        behavior.adjust(world, agents, wish, memory)


@sampled
@every
@everywhere_there_is
@pytest.mark.parametrize("n", [0, 1, 7])
def test_its_decisions_have_one_row_per_agent_and_are_finite(kind: type[Behavior], situation: Any, n: int) -> None:
    """And its memory has the declared types and shapes after every step."""
    world, agents, [behavior] = situation(kind, n).seen()
    memory = blank = None if kind.remembers is None else kind.remembers.blank(n)
    for _ in range(2):
        steering = behavior.steer(world, agents, memory)
        memory = steering.memory if steering.memory is not None else memory
        assert_fits(steering, blank, n)
        if isinstance(behavior, Adjustment):
            steering = behavior.adjust(world, agents, Wish.of(agents, agents.none(), agents.max_speed), memory)
            memory = steering.memory if steering.memory is not None else memory
            assert_fits(steering, blank, n)
        goal = behavior.goal(world, agents, memory)
        assert goal is None or goal.shape == (n, 3)
        assert_says(behavior.intention(world, agents, memory), n)


def assert_says(intention: Intention, n: int) -> None:
    """Asserts that what is said is said of n agents, in columns as declared; of companions there may be several."""
    for field in dataclasses.fields(Intention):
        column = getattr(intention, field.name)
        if column is not None:
            declared = neutral(field.name, n)
            assert (column[..., :0].shape, column.dtype) == (declared[..., :0].shape, declared.dtype), field.name


def assert_fits(steering: Steering, blank: Memory | None, n: int) -> None:
    """Asserts that these are finite decisions of n agents, with a memory that has the columns of a blank one."""
    force = steering.force
    assert force is None or (force.shape == (n, 3) and force.dtype == np.float64 and np.isfinite(force).all())
    assert_says(steering, n)
    if steering.takes is not None:
        assert steering.takes.body.shape == steering.takes.amount.shape == (n,)
    if steering.memory is not None:
        assert type(steering.memory) is type(blank)
        for name, column in vars(blank).items():
            after = getattr(steering.memory, name)
            assert (after.shape, after.dtype) == (column.shape, column.dtype), name


@sampled
@every
@everywhere_there_is
def test_it_decides_by_the_memory_it_is_given(kind: type[Behavior], situation: Any) -> None:
    """The same memory gives the same answer, whatever it was asked in between."""
    world, agents, [behavior] = situation(kind, 7).seen()
    memory = None if kind.remembers is None else kind.remembers.blank(7)
    first = behavior.steer(world, agents, memory)
    behavior.steer(world, agents, first.memory if first.memory is not None else memory)
    again = behavior.steer(world, agents, memory)
    assert first.force is None or first.force.tobytes() == again.force.tobytes()


def make_read_only(thing: Any) -> None:
    if isinstance(thing, np.ndarray):
        thing.flags.writeable = False
    elif dataclasses.is_dataclass(thing):
        for field in dataclasses.fields(thing):
            make_read_only(getattr(thing, field.name))
    elif isinstance(thing, dict):
        make_read_only(tuple(thing.values()))
    elif isinstance(thing, tuple):
        for part in thing:
            make_read_only(part)


@pytest.mark.parametrize("kind", [kind for kind in CATALOGUE if targets_of(kind)], ids=lambda kind: kind.name)
def test_without_a_target_it_leads_nowhere_and_sets_no_speed(kind: type[Behavior]) -> None:
    """Neither where there is nobody, nor in a busy place where none is chosen."""
    none = replace(busy(kind, 7), behaviors=[(kind, dict.fromkeys(targets_of(kind), -1))])
    for place in (alone(kind, 7), none):
        assert (asked(place) == 0.0).all()
        world, agents, (behavior,) = place.seen()
        memory = None if behavior.remembers is None else behavior.remembers.blank(7)
        goal = behavior.goal(world, agents, memory)
        assert goal is None or np.isnan(goal).all()
        sets_speed = behavior.steer(world, agents, memory).sets_speed
        assert sets_speed is None or not sets_speed.any()


@every
def test_without_weight_it_has_no_effect(kind: type[Behavior]) -> None:
    place = everywhere(kind, 7)
    weightless = replace(place, behaviors=[(kind, {"weight": 0.0})])
    nobody = replace(place, behaviors=[])
    assert positions(weightless.run(5)).tobytes() == positions(nobody.run(5)).tobytes()


@sampled(one_of=2)
@every
@settings(BOUNDED, max_examples=2)
@given(data=st.data())
def test_with_odd_values_it_stays_finite_and_within_limits(kind: type[Behavior], data: st.DataObject) -> None:
    """Parameters at their limits; vehicles and objects in one place, a millimetre or a kilometre apart."""
    n = 5
    scale = data.draw(st.sampled_from([1e-3, 1.0, 1e3]))

    def places(count: int) -> np.ndarray:
        # Bytes, as hypothesis draws several of them in the time of one number.
        drawn = data.draw(st.binary(min_size=3 * count, max_size=3 * count))
        return scale * COORDINATES[np.frombuffer(drawn, np.uint8) % len(COORDINATES)].reshape(count, 3)

    def value(parameter: Parameter) -> Any:
        if parameter.kind is Kind.NUMBER:
            least, largest = np.clip((parameter.least, parameter.most), -1e6, 1e6).tolist()
            return data.draw(st.sampled_from([least, parameter.default, largest]))
        if parameter.kind is Kind.CHOICE:
            return data.draw(st.sampled_from([choice.number for choice in parameter.choices]))
        if parameter.kind is Kind.SWITCH:
            return data.draw(st.booleans())
        return parameter.default

    def values(declared: type[Declared]) -> dict[str, Any]:
        return {name: value(parameter) for name, parameter in declared.parameters().items()}

    vehicle, moves = values(VehicleModel), data.draw(st.sampled_from(LOCOMOTIONS))
    heading = places(n) + 1e-9
    place = Scene(
        places(n),
        forward=heading,
        up=np.cross(heading, (0.3, 0.2, 0.1)),
        speed=vehicle["max_speed"] * data.draw(st.sampled_from([0.0, 1.0])) * (not moves.grounded),
        behaviors=[(kind, values(kind))],
        vehicle=vehicle,
        locomotions=[(moves, values(moves))],
        combining=data.draw(st.sampled_from([way.number for way in COMBININGS])),
        tracked=leaders(*places(2)),
        obstacles=all_of(
            obstacles(places(2), scale, places(2), places(2)),
            boxes(places(2), np.abs(places(2)), velocity=places(2), side=np.arange(2)),
        ),
        paths=((spline(places(4), data.draw(st.booleans())),), (spline(places(1), False),)),
        flows=((spline(places(3), False), spline(places(1), False)), (spline(places(4), True),)),
        shapes=(places(3), places(1)),
    )
    states = place.run(4)
    for state in states:
        assert np.isfinite((*vars(state.motion).values(), state.force, state.smoothed_acceleration)).all()
    assert_within_limits(place, states)


# Other vehicles, and the order of all.


@sampled
@every
@everywhere_there_is
def test_the_order_of_the_agents_does_not_matter(kind: type[Behavior], situation: Any) -> None:
    """To the last bit; to nine digits for sums over neighbors, which are added by rows (in Blender by identity)."""
    place, states = flown(kind, situation)
    order = np.array([3, 0, 6, 5, 1, 4, 2])
    if issubclass(kind, Neighborhood):
        assert_same(place.take(order).steering()[0], place.steering()[0][order])
        assert_same(positions(place.take(order).run(6)), positions(states[:6])[:, order])
        return
    assert place.steering()[0][order].tobytes() == place.take(order).steering()[0].tobytes()
    assert all_bytes(states[:6], order) == all_bytes(place.take(order).run(6))


@every
def test_adding_vehicles_does_not_change_the_others(kind: type[Behavior]) -> None:
    """Anywhere; but out of sight if it looks at neighbors, and out of reach if vehicles share something."""
    many = everywhere(kind, 12)
    rows = np.array([1, 4, 5, 10])
    if issubclass(kind, Neighborhood) or shares(kind):
        added = ~np.isin(np.arange(12), rows)
        many = replace(many, position=many.position + np.where(added, 200.0, 0.0)[:, None])
        assert_same(positions(many.run(8))[:, rows], positions(many.take(rows).run(8)))
        return
    assert all_bytes(many.run(8), rows) == all_bytes(many.take(rows).run(8))


def all_bytes(states: list[State], rows: Any = slice(None)) -> list[bytes]:
    """All data of the states about some vehicles."""
    return [
        np.concatenate([getattr(s.motion, name)[rows] for name in ("position", "velocity", "forward", "up")]).tobytes()
        for s in states
    ]


# The position and the orientation of the scene.


@sampled
@every
@pytest.mark.parametrize("situation", [busy, everywhere, flat], ids=lambda situation: situation.__name__)
def test_moving_and_turning_the_world_moves_and_turns_the_paths(kind: type[Behavior], situation: Any) -> None:
    (place, states), turn, offset = flown(kind, situation), about(UP, 137.0), np.array([40.0, -70.0, 25.0])
    wanted = turned(positions(states[:8]), turn) + offset
    result = positions(place.moved(offset, turn).run(8))
    assert np.abs(result - wanted).max() < 1e-9


@sampled
@every
@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.3, -0.8, 0.5)])
def test_turning_the_world_about_any_axis_turns_the_force(kind: type[Behavior], axis: Any) -> None:
    place, turn = without_sides(busy(kind, 7)), about(axis, 137.0)
    before, after = turned(asked(place), turn), asked(place.moved(turn=turn))
    if kind.refers_to_up:
        assert not np.allclose(before, after), "It says that it refers to up, but nothing shows it."
    else:
        assert_same(after, before)
        wanted, result = turned(positions(place.run(11)), turn), positions(place.moved(turn=turn).run(11))
        assert np.abs(result - wanted).max() < 1e-9


def assert_same(result: np.ndarray, wanted: np.ndarray) -> None:
    """Asserts equality to nine digits of the largest number."""
    assert np.abs(result - wanted).max() <= 1e-9 * max(1.0, np.abs(wanted).max())


# Time.


@sampled
@every
def test_half_the_step_gives_nearly_the_same_path(kind: type[Behavior]) -> None:
    """Over a second, in a scene without sudden changes: the error of forward Euler is proportional to the step.

    Of four vehicles that cover some 4 m each, none ends further from the path of half the step than half the way of a
    step (0.12 m), and halving again gives at most 0.7 of that. A behavior that decides at intervals may decide
    differently with another step, and ends further away, but not by much of its way; nor do vehicles that decide in
    every second step.
    """
    place = calm(kind)
    whole, half, quarter = (positions(replace(place, substeps=n).run(25)) for n in (1, 2, 4))
    first, second = np.abs(whole - half).max(), np.abs(half - quarter).max()
    seldom = np.abs(whole - positions(replace(place, decides_every=2).run(25))).max()
    assert seldom < 0.3
    if decides_at_intervals(kind):
        assert max(first, second) < 0.25
    else:
        assert first < 0.12
        assert second < max(0.7 * first, 1e-6)


def calm(kind: type[Behavior]) -> Scene:
    """Four vehicles, a winding path with a flow next to it, a leader at a distance, an obstacle to go round and a
    region to stay in.

    The vehicles have room, and a large region if they share what they see. If they look at neighbors, they stay in each
    other's sight.
    """
    place = everywhere(kind, 4)
    apart = 0.7 if issubclass(kind, Neighborhood) else 3.0
    along = np.linspace(0.0, 60.0, 200)
    winding = np.stack((along, 4.0 + 3.0 * np.sin(along / 8.0), np.sin(along / 5.0)), axis=-1)
    return replace(
        place,
        position=[[0.0, 0.0, 0.0], [0.0, apart, 0.5], [0.0, 2.0 * apart, -0.5], [0.0, 3.0 * apart, 0.0]],
        forward=[[1.0, 0.1, 0.0], [1.0, -0.1, 0.1], [1.0, 0.0, -0.1], [1.0, 0.2, 0.0]],
        up=UP,
        speed=3.5,
        vehicle={},
        tracked=all_of(leaders([25.0, -9.0, 2.0], [60.0, 0.0, 0.0], [60.0, 9.0, 0.0]), locked(*np.full((2, 3), 60.0))),
        regions=regions([2.0, 5.0, 0.0], 60.0 if shares(kind) else 6.0, SPHERE),
        drift=(0.0, 0.0, 0.0),
        obstacles=replace(
            place.obstacles.take([0, 0]),
            start=np.array([[9.0, 1.0, 0.0], [9.5, 8.0, -4.0]]),
            end=np.array([[9.0, 1.0, 0.0], [9.5, 8.0, 4.0]]),
            velocity=np.zeros((2, 3)),
        ),
        paths=((spline(winding, False),),),
        flows=((spline(winding + np.array([0.0, 2.0, 0.0]), False),),),
    )


@every
def test_chance_depends_on_seed_identity_and_time(kind: type[Behavior]) -> None:
    """Another seed gives another run, in time, if the behavior uses chance."""
    place = busy(kind, 7)
    frames = CHANCE_SHOWS if kind.by_chance else 8
    pairs = zip(place.passing(frames), replace(place, seed=1).passing(frames))
    assert any(all_bytes([state]) != all_bytes([other]) for state, other in pairs) == kind.by_chance


# Limits.


@sampled
@every
@everywhere_there_is
def test_no_vehicle_exceeds_its_speed_or_force(kind: type[Behavior], situation: Any) -> None:
    assert_within_limits(*flown(kind, situation))
    finer = replace(situation(kind, 7), substeps=3)
    assert_within_limits(finer, finer.run(4))


def assert_within_limits(place: Scene, states: list[State]) -> None:
    """Asserts that speeds are within max_speed, and changes of velocity per step within max_force and what contacts and
    firm regions may take; obstacles stop bodies at once."""
    model = VehicleModel.of(len(place), **place.vehicle)
    beyond = model.max_speed == 0.0
    assert (speeds(states)[1:] <= model.max_speed * (1.0 + 1e-9)).all()
    change = np.linalg.norm(np.diff(velocities(states), axis=0), axis=-1) * place.fps
    digits = 1e-12 * model.max_speed * place.fps
    own = model.max_force / model.mass
    firm = any(np.any(values.get("firm", False)) for _, values in place.behaviors)
    taken = np.where(model.keep_apart | firm, GUARD * np.maximum(own, model.max_speed / STOPS), 0.0)
    stopped = (np.diff(speeds(states), axis=0) <= digits) & (model.keep_apart & (len(place.obstacles) > 0))
    assert (stopped | (change <= (own + taken) * (1.0 + 1e-9) + digits))[:, ~beyond].all()


@pytest.mark.parametrize("kind", [Seek, Wander], ids=lambda kind: kind.name)
def test_a_wrong_statement_of_a_behavior_is_noticed(kind: type[Behavior]) -> None:
    chance = type("Chance", (kind,), {"by_chance": not kind.by_chance})
    with pytest.raises(AssertionError):
        test_chance_depends_on_seed_identity_and_time(chance)
    level = type("Level", (kind,), {"refers_to_up": not kind.refers_to_up})
    with pytest.raises(AssertionError):
        test_turning_the_world_about_any_axis_turns_the_force(level, (1.0, 0.0, 0.0))


def test_only_behaviors_that_share_or_decide_at_intervals_are_found_to() -> None:
    assert shares(Explore) and shares(Forage)
    assert decides_at_intervals(UnalignedCollisionAvoidance)
    for kind in (Seek, Wander, BrakeFor):
        assert not shares(kind) and not decides_at_intervals(kind)


def test_a_heap_is_a_heap() -> None:
    """The situation is as its name says: all vehicles are on the target, in an obstacle and at rest."""
    world, agents, _ = heap(CATALOGUE[0], 3).seen()
    assert (world.obstacles.clearance(agents.position) < 0.0).all()
    assert (world.bodies.position == agents.position[0]).all()
    assert (agents.speed == 0.0).all()
