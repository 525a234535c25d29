"""A bake in the window returns to Blender now and then, but not shortly before it is finished."""

import math
from collections.abc import Iterator
from itertools import pairwise
from types import SimpleNamespace

import pytest

from tests.blender.building import part

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
