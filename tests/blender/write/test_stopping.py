"""A bake that is stopped, or killed, leaves the file as it was; in the window it returns to Blender now and then."""

import math
from collections.abc import Iterator
from itertools import pairwise
from types import SimpleNamespace

import bpy
import pytest

from tests.blender.animated import drive, insert
from tests.blender.building import empty, frames, part, path_curve
from tests.blender.dumping import assert_same, scene_dump
from tests.blender.steered import bake, crowd, fleet, leader, obstacle, road
from tests.sampling import in_every_blender, sampled

VEHICLES, FRAMES = 3, 10
PIECES = 2 * FRAMES + 2 * VEHICLES + 1
"""Before the bake is handed over: each frame is simulated and then looked at, each vehicle is written, and then looked
at as it will be shown."""


def busy_scene() -> None:
    """Vehicles that have been baked before and have keys of their own, and all kinds of things to look at."""
    frames(1, FRAMES)
    hidden = leader(location=(4.0, 30.0, 2.0))
    hidden.hide_viewport = True
    obstacle(location=(3.0, 8.0, 0.5))
    bevelled = road()
    bevelled.data.bevel_depth = 0.2
    hidden_road = road(path_curve("Hidden Road"))
    hidden_road.hide_viewport = True
    ships = fleet(VEHICLES, crowd=crowd(wander={}, seek={}, path_following={}, obstacle_avoidance={}))
    ships[1].parent = empty("Mast")
    bake()
    insert(ships[0], "scale", {1: (1.0, 1.0, 1.0), 40: (2.0, 2.0, 2.0)})
    bpy.context.scene.frame_set(7)


def driven_by_the_scene() -> None:
    busy_scene()
    bpy.context.scene["pace"] = 2.0
    bpy.context.view_layer.update()
    drive(bpy.data.objects["Crowd"], "steering.vehicle.mass", "pace", pace=(bpy.context.scene, '["pace"]'))


def started():
    """A bake that is planned and has not begun."""
    return part("blender.write.bake").baking(part("blender.read.plan").plan_reading(bpy.context.scene))


def test_a_bake_can_be_stopped_on_each_frame_of_its_pre_roll() -> None:
    busy_scene()
    bpy.data.objects["Crowd"].steering.preroll = 5
    # And before the first frame is looked at.
    assert list(started()).count(0.0) == 5 + 1


@in_every_blender
@sampled(one_of=8)
@pytest.mark.parametrize("build", [busy_scene, driven_by_the_scene], ids=lambda build: build.__name__)
@pytest.mark.parametrize("pieces", range(PIECES + 1))
def test_stopping_after_any_piece_of_work_leaves_nothing(build, pieces) -> None:
    build()
    before = scene_dump()
    running = started()
    seen = [next(running) for _ in range(pieces)]
    assert seen == sorted(seen)
    running.close()
    assert_same(before, scene_dump())


@pytest.mark.parametrize("fails", ["unreached_goals", "histories", "_late", "_stuck"])
def test_an_error_in_what_is_told_of_a_run_leaves_nothing(fails: str, monkeypatch) -> None:
    def fail(*_):
        raise ValueError(fails)

    busy_scene()
    before = scene_dump()
    monkeypatch.setattr(part("blender.write.bake"), fails, fail)
    with pytest.raises(ValueError, match=fails):
        list(started())
    assert_same(before, scene_dump())


@in_every_blender
def test_a_bake_yields_twice_per_frame_and_per_vehicle() -> None:
    busy_scene()
    progress = list(started())
    assert len([share for share in progress if share < 1.0]) == PIECES
    assert progress == sorted(progress)
    assert progress[-1] == 1.0


@in_every_blender
@pytest.mark.parametrize(
    "stage",
    ["blender.write.bake.simulate", "blender.read.reading.Reader.read", "blender.animation.staging.Staging.add"],
)
def test_an_error_of_the_program_leaves_nothing_either(stage, monkeypatch) -> None:
    busy_scene()
    before = scene_dump()
    owner, _, name = stage.rpartition(".")
    module, _, cls = owner.rpartition(".")
    holder = getattr(part(module), cls) if cls[0].isupper() else part(owner)
    real, calls = getattr(holder, name), []

    def failing(*args, **kwargs):
        calls.append(args)
        if len(calls) > 2 or name == "simulate":
            raise ZeroDivisionError("a mistake in the program")
        return real(*args, **kwargs)

    monkeypatch.setattr(holder, name, failing)
    with pytest.raises(RuntimeError, match="a mistake in the program"):
        bake()
    assert_same(before, scene_dump())


@in_every_blender
def test_the_temporary_scene_is_never_shown_as_the_windows() -> None:
    busy_scene()
    name = bpy.context.scene.name
    running = started()
    for _ in running:
        assert bpy.context.scene.name == name
        assert bpy.context.scene.frame_current == 7


STEPS = 1000


class Bake:
    """A bake that takes a number of seconds on a clock of its own."""

    def __init__(self, seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pieces = part("blender.operators.in_pieces")
        self.now, self.seconds = 0.0, seconds
        monkeypatch.setattr(self.pieces, "time", SimpleNamespace(perf_counter=lambda: self.now))
        self.operator = SimpleNamespace(_steps=self.steps(), _progress=0.0, _pause_time=0.0)

    def steps(self) -> Iterator[float]:
        for k in range(STEPS):
            self.now += self.seconds / STEPS
            yield (k + 1) / STEPS
        return "result"

    def work(self, budget: float) -> object:
        return self.pieces.InPieces._work(self.operator, budget)


@pytest.mark.parametrize(("seconds", "done"), [(0.3, True), (1.9, True), (2.3, False), (60.0, False)])
def test_a_short_bake_is_complete_before_the_window_is_drawn(
    seconds: float, done: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    bake = Bake(seconds, monkeypatch)
    result = bake.work(bake.pieces.FIRST_PIECE)
    assert (result == "result") is done
    assert bake.now == pytest.approx(seconds if done else bake.pieces.FIRST_PIECE, abs=seconds / STEPS + 1e-9)


def test_a_long_bake_returns_after_each_piece_and_completes_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    bake = Bake(20.0, monkeypatch)
    times = [0.0]
    while bake.work(1.0) is None:
        times.append(bake.now)
    pieces = [later - before for before, later in pairwise(times)]
    assert pieces == pytest.approx([1.0] * len(pieces), abs=0.03)
    assert 20.0 - times[-1] <= 1.0 + bake.pieces.NEARLY_DONE + 0.1


def test_a_bake_that_slows_down_is_not_completed_at_any_price(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the time of a piece promises an early end, then the rest takes an hour."""
    bake = Bake(1.0, monkeypatch)

    def steps() -> Iterator[float]:
        for k in range(STEPS):
            bake.now += 0.001 if k < STEPS // 2 else 0.2
            yield (k + 1) / STEPS

    bake.operator._steps = steps()
    assert bake.work(0.5) is None
    assert bake.now <= 0.5 + bake.pieces.NEARLY_DONE + 0.2


def test_a_script_bakes_in_one_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    bake = Bake(3600.0, monkeypatch)
    assert bake.work(math.inf) == "result"


@pytest.mark.parametrize("steps", [0, STEPS - 1, STEPS])
def test_work_can_be_stopped_until_all_of_it_is_handed_over(steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    bake, closed, completed = Bake(1.0, monkeypatch), [], []

    def work() -> Iterator[float]:
        try:
            yield from bake.steps()
            completed.append(True)
        except GeneratorExit:
            closed.append(True)
            raise

    bake.operator._steps, bake.operator._end_modal = work(), lambda _context: None
    for _ in range(steps):
        bake.operator._progress = next(bake.operator._steps)
    bake.pieces.InPieces.cancel(bake.operator, None)
    assert (completed, closed) == (([True], []) if steps == STEPS else ([], [True] if steps else []))
