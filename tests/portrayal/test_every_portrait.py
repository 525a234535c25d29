"""Laws that hold for the portraits of every run, whoever they are for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.forage import Forage
from steering_addon.behaviors.wander import Wander
from steering_addon.locomotion import Planar
from steering_addon.portrayal.clips import BEAT, DO, MOVE, ON_ARRIVAL, ON_STATE, STAND, Clip, ClipSettings
from steering_addon.portrayal.driver_properties import TIME, Beats, Portrayal
from steering_addon.portrayal.exact_marks import Corrections, ExactMarks, left_on_frame
from steering_addon.portrayal.finish import HeadsAhead, PlantedBodies
from steering_addon.portrayal.heads import EYES, Gaze, Heads, LiveTurns
from steering_addon.portrayal.portrait import (
    DrivenCrowd,
    ModelClips,
    Portrait,
    PortraitSubjects,
    Portrayer,
    StatefulCrowd,
)
from steering_addon.portrayal.sketch import Frame
from steering_addon.scene import Scene, leaders, resources, with_states
from steering_addon.simulation.arrays.chance import keys_of
from steering_addon.simulation.marks.declaring import Mark
from steering_addon.simulation.presence.attendance import LEAVE, STAY, Attendance
from steering_addon.simulation.snapshot import State
from tests.minds.herds import herd, startle, wolf_near
from tests.portrayal.stepping import walking
from tests.sampling import sampled

FRAMES, FPS = 80, 24.0
NUMBER = 7
WALKER = {"max_speed": 1.6, "max_force": 4.0, "radius": 0.3, "cruise_speed": 0.8}


@dataclass(frozen=True, eq=False)
class Run:
    """A run to portray: its states, and its subjects with rows in a given order of each crowd."""

    states: Sequence[State]
    subjects: Callable[[np.ndarray], PortraitSubjects]


def on_foot() -> list[Clip]:
    nod = Clip("Nod", DO, 1.0, when=ON_ARRIVAL)
    return [*walking(), Clip("Talk", STAND, 2.0, with_company=True), nod, Clip("Start", DO, 0.5, when=ON_STATE)]


def playing(clips: list[Clip], rows: np.ndarray, **values: Any) -> ModelClips:
    keys, n = keys_of(3, rows), len(rows)
    settings = ClipSettings.of(n, variation=0.1 + 0.01 * rows)
    gaze = Gaze(0.35, callers=True)
    return ModelClips(rows, clips, settings, keys, 1.0 + 0.02 * rows, gaze=gaze, eyes=1.6 + 0.0 * rows, **values)


def driven(rows: np.ndarray, **values: Any) -> DrivenCrowd:
    return DrivenCrowd(rows, keys_of(3, rows), Portrayal.of(len(rows), use=True, **values), 1.0, Gaze(0.35))


@cache
def visitors() -> Run:
    """Walkers that enter one after the other, come to a place, nod, and leave."""
    places = [(1.5 * k, 0.0, 0.0) for k in range(6)]
    goal = (Arrival, {"target": 6, "slowing_distance": 1.0})
    tracked = leaders((3.0, 3.0, 0.0))
    scene = Scene(places, behaviors=[goal], vehicle=WALKER, locomotions=[(Planar, {})], speed=0.8, tracked=tracked)
    attendance = Attendance.of(6, on_arrival=np.array([LEAVE, STAY] * 3), arrival_distance=0.6)
    due = np.array([-1, -1, 4, 9, 30, 200])
    states = scene.run(FRAMES, at=lambda k, snapshot: replace(snapshot, due=k >= due, attendance=attendance))
    return Run(states, lambda rows: subjects(6, models=[playing(on_foot(), rows)], driven=[driven(rows)]))


@cache
def startled() -> Run:
    """A herd that a wolf startles."""
    scene = herd(9)
    states = scene.run(FRAMES, at=lambda _, snapshot: with_states(snapshot, [startle()], [wolf_near(scene)]))
    crowd = [StatefulCrowd(np.arange(9), [NUMBER], ["state_startle"])]
    return Run(
        states, lambda rows: subjects(9, models=[playing(on_foot(), rows)], driven=[driven(rows)], stateful=crowd)
    )


@cache
def flying() -> Run:
    """Birds that beat their wings, with numbers for drivers by time."""
    places = [(2.0 * k, 0.0, 10.0) for k in range(5)]
    scene = Scene(places, behaviors=[(Wander, {})], speed=4.0)
    clips = [Clip("Glide", STAND, 1.0), Clip("Flap", BEAT, 0.4), Clip("Land", MOVE, 1.0, 0.5, 0.5)][:2]
    by_time = {"phase_by": TIME, "glide_share": 0.3, "effort": 0.5}

    def of(rows: np.ndarray) -> PortraitSubjects:
        beats = Beats(Portrayal.of(len(rows), **by_time), keys_of(3, rows), 1.0 / FPS, 4.0)
        return subjects(5, models=[playing(clips, rows, beats=beats)], driven=[driven(rows, **by_time)])

    return Run(scene.run(FRAMES), of)


@cache
def feeding() -> Run:
    """Vehicles that eat up a resource, without any looks of their own."""
    scene = Scene(
        [(0.5 * k, 0.0, 0.0) for k in range(3)],
        behaviors=[(Forage, {"meal": 0.0, "appetite": 0.5})],
        speed=1.0,
        tracked=resources((0.0, 3.0, 0.0), (40.0, 0.0, 0.0), amount=(0.2, np.inf)),
    )
    return Run(scene.run(FRAMES), lambda rows: subjects(3, resources=np.arange(2)))


RUNS = (visitors, startled, flying, feeding)


@pytest.fixture(params=RUNS, ids=lambda make: make.__name__)
def run(request: pytest.FixtureRequest) -> Run:
    made: Run = request.param()
    return made


def subjects(n: int, **values: Any) -> PortraitSubjects:
    return PortraitSubjects(1.0 / FPS, 1.0 / FPS, np.full(n, 0.3), **values)


def frame_of(number: int, state: State) -> Frame:
    assert state.inputs is not None
    return Frame(number, state.inputs, np.zeros((0, 4, 4)), np.full(len(state), 1.7))


@cache
def portraits(run: Run, order: tuple[int, ...] = ()) -> list[Portrait]:
    """The portraits of a run, with its models and crowds in an order of rows; for all laws, which only read them."""
    rows = np.array(order or range(len(run.states[0])))
    portrayer, before, made = Portrayer(run.subjects(rows)), None, []
    for number, state in enumerate(run.states):
        made.append(portrayer.portrait(portrayer.sketch(before, state, frame_of(number, state))))
        before = state
    return made


def columns(thing: Any, name: str = "") -> dict[str, np.ndarray]:
    """All arrays within a portrait, by the names of their fields."""
    found: dict[str, np.ndarray] = {}
    if isinstance(thing, np.ndarray):
        found[name] = thing
    elif is_dataclass(thing):
        for field in fields(thing):
            found |= columns(getattr(thing, field.name), f"{name}.{field.name}")
    elif isinstance(thing, dict):
        for key, value in thing.items():
            found |= columns(value, f"{name}.{key}")
    elif isinstance(thing, list | tuple):
        for place, value in enumerate(thing):
            found |= columns(value, f"{name}.{place}")
    return found


def same(one: Portrait, other: Portrait) -> bool:
    first, second = columns(one), columns(other)
    return first.keys() == second.keys() and all(first[name].tobytes() == second[name].tobytes() for name in first)


@sampled(one_of=2)
def test_a_portrait_is_finite_but_for_callers_that_nobody_looks_at(run: Run) -> None:
    for portrait in portraits(run):
        for name, column in columns(portrait).items():
            assert name.endswith((".caller", ".seen", ".amount")) or np.isfinite(column).all(), name


@sampled(one_of=2)
def test_a_portrait_does_not_depend_on_the_order_of_the_vehicles_of_a_model_or_crowd(run: Run) -> None:
    order = np.random.default_rng(4).permutation(len(run.states[0]))
    for one, other in zip(portraits(run), portraits(run, tuple(order.tolist()))):
        for mine, theirs in zip((*one.models, *one.driven), (*other.models, *other.driven)):
            shuffled = columns(theirs)
            for name, column in columns(mine).items():
                rows = column[..., order] if ".played." in name and column.ndim == 2 else column[order]
                np.testing.assert_array_equal(rows, shuffled[name], err_msg=name)


@sampled(one_of=2)
def test_sketches_that_are_portrayed_later_become_the_same_portraits(run: Run) -> None:
    """So a preview does, which keeps sketches."""
    rows = np.arange(len(run.states[0]))
    sketcher, portrayer = Portrayer(run.subjects(rows)), Portrayer(run.subjects(rows))
    befores = [None, *run.states]
    sketches = {
        k: sketcher.sketch(befores[k], run.states[k], frame_of(k, run.states[k])) for k in reversed(range(FRAMES))
    }
    later = [portrayer.portrait(sketches[k]) for k in range(FRAMES)]
    assert all(same(*pair) for pair in zip(portraits(run), later, strict=True))


@sampled(one_of=2)
def test_shares_of_clips_come_to_one_and_phases_never_run_backwards(run: Run) -> None:
    made = portraits(run)
    for number in range(len(made[0].models)):
        played = [portrait.models[number].played for portrait in made]
        for now in played:
            assert (now.share >= -1e-9).all() and (now.weights() >= 0.0).all()
            total = now.weights().sum(axis=0)
            # Wings that beat with little effort leave the rest to the model at rest.
            assert (total <= 1.0 + 1e-9).all() and (now.influence.max(axis=0) <= 1.0).all()
            if not any(clip.plays == BEAT for clip in run.subjects(np.arange(1)).models[number].clips):
                np.testing.assert_allclose(total, 1.0, atol=1e-9)
        rows = run.subjects(np.arange(len(run.states[0]))).models[number].rows
        for (before, after), portrait in zip(pairwise(played), made[1:]):
            assert (after.phase >= before.phase)[:, ~portrait.bodies.entered[rows]].all()


def test_a_vehicle_enters_once_on_the_first_frame_on_which_it_is_present(run: Run) -> None:
    made = portraits(run)
    present = np.array([portrait.bodies.present for portrait in made])
    entered = np.array([portrait.bodies.entered for portrait in made])
    first = present & (np.cumsum(present, axis=0) == 1)
    assert (entered == first).all()
    assert all((portrait.away == ~portrait.bodies.present).all() for portrait in made)
    assert all((portrait.outside <= portrait.away).all() for portrait in made)


def test_runs_show_what_the_laws_are_about() -> None:
    """Some vehicles enter late, leave, arrive and nod, change their state, look at a caller, and eat."""
    came, herd_of, flown, fed = (portraits(make()) for make in RUNS)
    assert [portrait.bodies.present.sum() for portrait in (came[0], came[35])] == [2, 5]
    assert any(portrait.bodies.arrived.any() for portrait in came) and came[-1].away.sum() > 1
    assert any((portrait.models[0].played.doing == 4).any() for portrait in came)
    assert set(herd_of[-1].bodies.state) <= {0, NUMBER} and any(NUMBER in p.bodies.state for p in herd_of)
    assert any(np.isfinite(portrait.bodies.caller).any() for portrait in herd_of)
    assert len({float(portrait.driven[0].properties["steering_effort"][0]) for portrait in flown}) > 10
    assert not fed[0].eaten.any() and fed[-1].eaten.tolist() == [True, False]


def test_while_a_state_is_taken_up_its_share_rises_and_its_number_is_told() -> None:
    made = portraits(startled())
    shares, numbers = np.array([p.states[0]["state_startle"] for p in made]), np.array([p.bodies.state for p in made])
    assert ((shares >= 0.0) & (shares <= 1.0)).all()
    assert (shares[numbers == NUMBER] > 0.0).all()
    assert all((p.states[0]["steering_state"] == p.bodies.state).all() for p in made)
    row = int(np.argmax((numbers == NUMBER).any(axis=0)))
    began = int(np.argmax(numbers[:, row] == NUMBER))
    assert not shares[:began, row].any() and (np.diff(shares[began : began + 6, row]) >= 0.0).all()


def test_exact_marks_hold_sketches_back_only_near_a_mark_and_move_each_path_once() -> None:
    scene = Scene([(0.0, 0.0, 0.0), (5.0, 0.0, 0.0)], behaviors=[(Wander, {})], speed=1.0)
    place = scene.run(FRAMES)[48].motion.position[0] + (0.04, 0.0, 0.0)
    free = replace(scene, tracked=leaders(place)).run(FRAMES)
    mark = Mark("Mark", 48 / FPS, 2, np.arange(1), lead=0.5, exact=True)
    portrayer, exact = Portrayer(subjects(2)), ExactMarks()
    made, held, before = [], [], None
    for number, state in enumerate(free):
        assert state.inputs is not None
        frame = replace(frame_of(number, state), snapshot=replace(state.inputs, marks=(mark,)))
        made += exact.frame(portrayer.sketch(before, state, frame), state, frame.snapshot)
        held.append(number + 1 - len(made))
        before = state
    made += exact.rest()
    assert [sketch.number for sketch in made] == list(range(FRAMES))
    assert max(held) <= 2 * 12 + 1 and held[10] == held[-1] == 0
    path, was = (np.array([each.bodies.position for each in made]), np.array([s.motion.position for s in free]))
    moved = (path != was).any(axis=-1)
    assert np.flatnonzero(moved.any(axis=1)).tolist() == list(range(37, 60)) and not moved[:, 1].any()
    np.testing.assert_allclose(path[48, 0], place, atol=1e-12)


@pytest.mark.parametrize(("together", "number"), [(1, 9), (2 * FRAMES, 5), (2 * FRAMES + 1, 5), (9 * FRAMES, 1)])
def test_bodies_are_planted_in_pieces_of_so_many_frames_and_each_once(together: int, number: int) -> None:
    bodies = PlantedBodies(np.ones(9), np.zeros(9))
    for portrait in portraits(startled()):
        bodies.frame(portrait.models[0])
    pieces = [(rows, body) for rows, body, _ in bodies.pieces(together, (), None)]
    assert len(pieces) == number
    assert np.concatenate([np.arange(9)[rows] for rows, _ in pieces]).tolist() == list(range(9))
    place = np.stack([portrait.bodies.position for portrait in portraits(startled())], axis=1)
    assert all((body.position == place[rows]).all() for rows, body in pieces)


def test_bodies_that_are_carried_stand_below_what_steps_raise_them_by() -> None:
    """Of each the ground is by the height of its origin, and by that, lower than it is."""
    bodies = PlantedBodies(np.ones(9), 0.1 * np.arange(9))
    for portrait in portraits(startled()):
        model = portrait.models[0]
        bodies.frame(replace(model, bodies=replace(model.bodies, raised=np.full(9, 0.2))))
    [(_, body, ground)] = bodies.pieces(9 * FRAMES, {-1}, None)
    assert ground is not None
    heights, _ = ground(body.position.reshape(-1, 3), np.arange(9 * FRAMES))
    expected = body.position[..., 2] - 0.1 * np.arange(9)[:, None] * body.size - 0.2
    np.testing.assert_allclose(heights.reshape(9, FRAMES), expected, atol=1e-9)


def test_bodies_that_grow_take_longer_steps() -> None:
    run, made = visitors(), {}
    for grown in (1.0, 2.0):
        portrayer, before = Portrayer(run.subjects(np.arange(6))), None
        for number, state in enumerate(run.states[:40]):
            frame = replace(frame_of(number, state), heights=np.full(6, 1.7 * (1.0 if number < 10 else grown)))
            portrait = portrayer.portrait(portrayer.sketch(before, state, frame))
            before = state
        made[grown] = portrait.models[0]
    assert made[1.0].growth.tolist() == [1.0] * 6 and made[2.0].growth.tolist() == [2.0] * 6
    np.testing.assert_allclose(2.0 * made[2.0].played.ahead[:4], made[1.0].played.ahead[:4], rtol=0.1)


def test_who_enters_comes_with_its_speed_and_who_waits_stands() -> None:
    made = portraits(visitors())
    for portrait in made[1:]:
        model, entered = portrait.models[0], portrait.bodies.entered
        speed = np.linalg.norm(portrait.bodies.velocity, axis=1) / (1.0 + 0.02 * np.arange(6))
        np.testing.assert_allclose(model.played.ahead[entered], speed[entered], atol=1e-9)
    bodies = made[0].bodies
    assert bodies.start_speed()[:2].min() > 0.5
    assert not replace(bodies, active=np.zeros(6, dtype=bool)).start_speed().any()


def test_two_who_stand_face_to_face_are_in_company_where_a_clip_is_for_that() -> None:
    scene = Scene([(0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (9.0, 0.0, 0.0)], forward=[(0, 1, 0), (0, -1, 0), (0, 1, 0)])
    for clips, together in ((on_foot(), [True, True, False]), (walking(), [False] * 3)):
        run = Run(scene.run(1), lambda rows, clips=clips: subjects(3, models=[playing(clips, rows)]))
        assert portraits(run)[-1].models[0].played.in_company.tolist() == together


def test_eyes_are_below_the_top_of_bodies_that_stand_on_the_ground() -> None:
    state = feeding().states[0]
    assert state.inputs is not None
    frame = replace(frame_of(0, state), snapshot=replace(state.inputs, lift=np.array([0.0, 0.5, 9.0])))
    portrayer = Portrayer(subjects(3, driven=[driven(np.arange(3))]))
    portrait = portrayer.portrait(portrayer.sketch(None, state, frame))
    heads = portrait.driven[0].heads
    assert heads is not None
    np.testing.assert_allclose((heads.eyes - portrait.bodies.position)[:, 2], [0.93 * 1.7, 0.93 * 1.7 - 0.5, 0.0])
    model = portraits(visitors())[20].models[0]
    assert model.heads is not None, "those of a model are where it has them"
    np.testing.assert_allclose(model.heads.eyes - model.bodies.position, 1.6 * model.bodies.up)


def test_exact_marks_one_after_the_other_move_paths_as_if_the_whole_run_were_known() -> None:
    scene = Scene([(0.0, 0.0, 0.0)], behaviors=[(Wander, {})], speed=1.0)
    free = scene.run(FRAMES)
    frames = (40, 46, 70)
    tracked = leaders(*(free[frame].motion.position[0] + (0.02, 0.0, 0.0) for frame in frames))
    states = replace(scene, tracked=tracked).run(FRAMES)
    told = tuple(Mark(f"{k}", f / FPS, 1 + k, np.arange(1), lead=0.5, exact=True) for k, f in enumerate(frames))
    portrayer, exact, whole, before = Portrayer(subjects(1)), ExactMarks(), Corrections(), None
    made = []
    for number, state in enumerate(states):
        assert state.inputs is not None
        snapshot = replace(state.inputs, marks=told)
        sketch = portrayer.sketch(before, state, replace(frame_of(number, state), snapshot=snapshot))
        made += exact.frame(sketch, state, snapshot)
        whole.add(left_on_frame(number, state, snapshot))
        before = state
    path = np.array([sketch.bodies.position[0] for sketch in (*made, *exact.rest())])
    moved = whole.shift(0, np.arange(FRAMES))
    assert moved.any()
    np.testing.assert_allclose(path, [state.motion.position[0] for state in states] + moved, atol=1e-12)


@pytest.mark.parametrize("carrier", [0, 2])
def test_what_is_looked_at_is_where_it_is_on_that_frame_and_nobody_looks_at_itself(carrier: int) -> None:
    run, n = visitors(), 6
    frame = frame_of(20, run.states[20])
    tracked = replace(frame.snapshot.tracked, carrier=np.array([carrier]))
    carried = replace(frame, snapshot=replace(frame.snapshot, tracked=tracked))
    sketch = Portrayer(run.subjects(np.arange(n))).sketch(run.states[19], run.states[20], carried)
    bodies = sketch.bodies
    axes = bodies.side[carrier], bodies.forward[carrier], bodies.up[carrier]
    aboard = bodies.position[carrier] + tracked.position[0] @ axes
    seen = Gaze(0.0, target=1, in_states={5: n}).points(
        np.arange(n), np.full((n, 3), np.nan), np.array([0, 0, 5, 5, 0, 0]), sketch.places
    )
    eyes = bodies.position[1] + (EYES * bodies.height[1] - bodies.lift[1]) * bodies.up[1]
    np.testing.assert_allclose(seen[[0, 4, 5]], [eyes] * 3)
    assert np.isnan(seen[1]).all()
    np.testing.assert_allclose(seen[[2, 3]], [aboard, aboard])


def test_only_heads_that_look_at_something_turn_unless_all_are_eased() -> None:
    seen, nothing = (1.0, 1.0, 1.7), (np.nan, np.nan, np.nan)
    caller, eyes = np.array([seen, nothing]), np.tile((0.0, 0.0, 1.7), (2, 1))
    forward, up = np.tile((0.0, 1.0, 0.0), (2, 1)), np.tile((0.0, 0.0, 1.0), (2, 1))
    heads = Heads(eyes, forward, up, forward, up, caller)
    for eases_always, turned in ((False, [True, False]), (True, [True, True])):
        ahead = HeadsAhead(0.0, 1.0 / FPS, eases_always=eases_always)
        for _ in range(5):
            ahead.frame(heads)
        left, _, which = ahead.turned()
        assert which.tolist() == turned
        np.testing.assert_allclose(left, [[-np.pi / 4.0] * 5, [0.0] * 5], atol=1e-9)


def test_live_heads_follow_the_object_that_they_look_at_without_a_jump() -> None:
    eyes, forward, up = (np.array([v]) for v in ((0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
    turns = LiveTurns(0.0, 1.0 / FPS)
    seen = (0.0, 5.0, 0.0), *[(-5.0, 5.0, 0.0)] * 30
    left = [turns.frame(Heads(eyes, forward, up, forward, up, np.array([place])))[0][0] for place in seen]
    assert left[0] == 0.0 and 0.0 < left[1] < 0.3
    assert (np.diff(left) > 0.0).all() and left[-1] == pytest.approx(np.pi / 4.0, abs=0.02)
