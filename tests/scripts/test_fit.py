"""scripts/fit: the fitted constants, the scenes and targets by which they are judged, and the search."""

from dataclasses import fields, replace

import numpy as np
import pytest

from scripts import fit_targets
from scripts.fit_scenes import FPS, MEASURES, STAGES, Stage, missing, overlap, time_ratio, turning
from scripts.fit_search import effects, fitted, improves, trials
from scripts.fit_targets import CONSTANTS, PRESENT, TARGETS, Constant, Judge, avoidance, penalty
from steering_addon.behaviors.unaligned_collision_avoidance import UnalignedCollisionAvoidance
from steering_addon.simulation.avoiding.costs import COSTS, Costs
from steering_addon.simulation.avoiding.jams import JAMMING, Jamming
from steering_addon.simulation.geometry.obstacles import boxes
from tests.sampling import sampled


def test_every_fitted_constant_is_in_the_table_once_and_in_its_range() -> None:
    names = [constant.name for constant in CONSTANTS]
    assert sorted(names) == sorted([*(field.name for kind in (Costs, Jamming) for field in fields(kind)), "haste"])
    for constant in CONSTANTS:
        assert constant.low <= constant.present <= constant.high, constant.name


def test_every_target_is_a_measure_of_a_stage_in_which_a_constant_matters() -> None:
    assert {target.stage for target in TARGETS} == set(STAGES)
    assert {target.measure for target in TARGETS} == set(MEASURES)
    assert {stage for constant in CONSTANTS for stage in constant.stages} == set(STAGES)


# ---- trials


def test_a_trial_has_its_own_constants_and_leaves_those_in_the_code() -> None:
    tried = avoidance({**PRESENT, "danger": 3.0, "patience": 2.0, "haste": 0.7})
    assert (tried.costs.danger, tried.jamming.patience, tried.haste) == (3.0, 2.0, 0.7)
    assert replace(tried.costs, danger=COSTS.danger) == COSTS
    assert UnalignedCollisionAvoidance.costs is COSTS
    assert UnalignedCollisionAvoidance.jamming is JAMMING


def brief(name: str, seconds: float) -> Stage:
    return replace(STAGES[name](np.random.default_rng(1)), seconds=seconds)


@sampled
@pytest.mark.parametrize(
    ("name", "change"),
    [("meetings", {"danger": 3.0}), ("bottleneck", {"jammed": 0.5}), ("aside", {"haste": 1.0})],
)
def test_the_constants_of_a_trial_move_the_agents(name: str, change: dict) -> None:
    stage = brief(name, 6.0)
    track = stage.track(UnalignedCollisionAvoidance)
    assert stage.track(avoidance(PRESENT)).tobytes() == track.tobytes()
    changed = stage.track(avoidance({**PRESENT, **change}))
    assert changed.shape != track.shape or (changed != track)[np.isfinite(track)].any()


@pytest.mark.parametrize("name", ["meetings", "doors", "corridor", "plaza", "bottleneck", "fish"])
def test_a_stage_starts_without_contacts(name: str) -> None:
    stage = brief(name, 1.0)
    assert overlap(stage, stage.start[None]) == 0.0


# ---- measures


def stage_of(start, goal, **changes) -> Stage:
    start, goal = np.array(start, dtype=float), np.array(goal, dtype=float)
    return Stage(start, goal, np.full(len(start), 1.0), 10.0, **changes)


def test_overlap_is_the_deepest_with_others_or_walls() -> None:
    wall = boxes([[0.0, 2.0, 0.0]], [[5.0, 1.0, 1.0]])
    stage = stage_of([[0.0, 0.0, 0.0], [3.0, 0.0, 0.0]], [[0.0, 9.0, 0.0]] * 2, walls=wall)
    near = stage.start + np.array([[2.5, 0.0, 0.0], [0.0, 0.0, 0.0]])
    at_wall = stage.start + np.array([[0.0, 0.6, 0.0], [0.0, 0.0, 0.0]])
    assert overlap(stage, stage.start[None]) == 0.0
    assert overlap(stage, np.stack((stage.start, near))) == pytest.approx(0.5)
    assert overlap(stage, np.stack((stage.start, at_wall))) == pytest.approx(0.1 / 2.0)


def test_turning_time_and_arrival_of_a_known_track() -> None:
    stage = stage_of([[0.0, 0.0, 0.0], [50.0, 0.0, 0.0]], [[5.25, 0.0, 0.0], [55.0, 0.0, 0.0]])
    angle = np.radians(2.0) * np.arange(81)
    circle = np.cumsum(np.stack((np.cos(angle), np.sin(angle), 0.0 * angle), axis=-1), axis=0) / FPS
    track = np.stack((circle, np.tile(stage.start[1], (81, 1))), axis=1)
    assert turning(stage, track) == pytest.approx(2.0 * FPS), "the agent that stands does not count"
    assert missing(stage, track) == 1.0
    track[40:, 0] = np.nan
    assert missing(stage, track) == 0.5
    assert time_ratio(stage, track) == pytest.approx((40 / FPS / 4.0 + 81 / FPS / 3.75) / 2.0)


def test_a_missed_target_counts_twice() -> None:
    assert [penalty(x) for x in (0.0, 0.5, 1.0, 1.5)] == [0.0, 0.5, 1.0, 2.0]


def test_a_stage_is_not_run_again_for_a_constant_that_cannot_matter(monkeypatch) -> None:
    runs = []

    def measured(name, seed, tried):
        runs.append(name)
        return dict.fromkeys(MEASURES, tried.costs.pace)

    monkeypatch.setattr(fit_targets, "measured", measured)
    judge = Judge([1, 2])
    before = judge.scores(PRESENT)
    assert sorted(runs) == sorted([*STAGES, *STAGES])
    runs.clear()
    after = judge.scores({**PRESENT, "pace": 2.0 * PRESENT["pace"]})
    assert runs == ["fish", "fish"]
    assert (after > before).all()


# ---- the search


CONSTANT = Constant("x", 1.0, 0.0, 4.0, (), "")


class Bowl:
    """A score with its minimum at 3."""

    def scores(self, values) -> np.ndarray:
        return np.full(5, (values["x"] - 3.0) ** 2)


def test_the_search_finds_a_minimum_and_reports_its_steps() -> None:
    lines = []
    values = fitted(Bowl(), {"x": 1.0}, [CONSTANT], 40, lines.append)
    assert values["x"] == pytest.approx(3.0, abs=0.1)
    assert lines
    assert all("x: " in line for line in lines)


def test_the_search_stays_in_range() -> None:
    assert fitted(Bowl(), {"x": 1.0}, [replace(CONSTANT, high=2.0)], 40)["x"] == 2.0
    assert trials(replace(CONSTANT, low=0.9), 1.0, 0.25) == [1.25, 0.9]
    assert trials(CONSTANT, 0.0, 0.25) == [1.0]


def test_an_improvement_within_the_noise_is_not_accepted() -> None:
    base = np.zeros(4)
    assert improves(np.array([-1.0, -1.1, -0.9, -1.0]), base)
    assert not improves(np.array([-3.0, 2.5, -2.0, 2.3]), base)
    assert not improves(base, base)


def test_effects_have_the_signs_of_the_slope_and_stay_in_range() -> None:
    [effect] = effects(Bowl(), {"x": 1.0}, [CONSTANT])
    assert (effect.less > 0.0).all()
    assert (effect.more < 0.0).all()
    [effect] = effects(Bowl(), {"x": 1.0}, [replace(CONSTANT, high=1.05)])
    assert np.isnan(effect.more).all()
