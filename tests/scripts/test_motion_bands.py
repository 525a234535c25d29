"""Good motion is judged alive, and motion spoiled on purpose is not."""

from dataclasses import replace

import numpy as np
import pytest

from scripts.motion_bands import (
    ALIVE,
    BETWEEN,
    BIRDS,
    FLYERS,
    JITTERY,
    KINDS,
    MECHANICAL,
    PARTED,
    Recording,
    measured,
    rows,
    table,
)
from steering_addon.behaviors.alignment import Alignment
from steering_addon.behaviors.cohesion import Cohesion
from steering_addon.behaviors.containment import Containment
from steering_addon.behaviors.separation import Separation
from steering_addon.behaviors.wander import Wander
from steering_addon.simulation.geometry.regions import SPHERE, regions
from tests.scene import Scene, headings, positions, ups

FPS = 24.0
BODY = 0.22
"""Length of a starling, metres."""
CRUISE, FASTEST = 10.0, 13.0
APART = 1.5


def starlings(n: int = 60, seed: int = 1) -> Scene:
    """Starlings in a ball with room for all, with similar headings, in the open."""
    rng = np.random.default_rng(seed)
    ball = rng.normal(size=(n, 3))
    ball *= (rng.uniform(size=n) ** (1.0 / 3.0) / np.linalg.norm(ball, axis=1))[:, None]
    return Scene(
        0.75 * APART * n ** (1.0 / 3.0) * ball * (1.3, 1.0, 0.6),
        forward=rng.normal(size=(n, 3)) * (0.2, 0.2, 0.05) + (0.0, 1.0, 0.0),
        speed=0.7 * FASTEST,
        vehicle={"max_speed": FASTEST, "max_force": 20.0, "cruise_speed": CRUISE / FASTEST, "radius": BODY / 2.0},
        behaviors=[
            (Separation, {"weight": 8.0, "distance": APART}),
            (Alignment, {"weight": 6.0, "distance": 3.0, "full_difference": 0.4}),
            (Cohesion, {"weight": 3.0, "distance": 3.0}),
            (Wander, {"strength": 3.0, "rate": 0.5, "shared_strength": 4.0, "shared_rate": 0.25}),
            (Containment, {"weight": 8.0, "prediction_time": 1.5}),
        ],
        regions=regions([[0.0, 0.0, 0.0]], 35.0, SPHERE),
        fps=FPS,
        seed=seed,
    )


def recorded(scene: Scene, frames: int = 120) -> Recording:
    states = scene.run(frames, preroll=48)
    cruise = np.full(len(scene), CRUISE)
    return Recording(BIRDS, positions(states), headings(states), ups(states), FPS, BODY, cruise, APART)


def verdicts(recording: Recording) -> dict[str, str]:
    values = measured(recording)
    return {row.title: row.verdict(values[row.title]) for row in rows(recording.kind, recording.obstacles)}


@pytest.fixture(scope="module")
def flock() -> Recording:
    return recorded(starlings())


def test_a_flock_of_starlings_is_alive_in_every_row(flock: Recording) -> None:
    """Except two rows: sixty birds are more parallel and rounder than the two hundred the bands come from."""
    judged = verdicts(flock)
    assert {judged.pop("polarization"), judged.pop("aspect")} <= {ALIVE, BETWEEN}
    assert set(judged.values()) == {ALIVE}, judged


def test_a_trembling_flock_is_jittery(flock: Recording) -> None:
    shake = 0.02 * np.random.default_rng(1).normal(size=flock.forward.shape)
    forward = flock.forward + shake
    forward /= np.linalg.norm(forward, axis=-1, keepdims=True)
    judged = verdicts(replace(flock, forward=forward))
    assert judged["turn reversed, share"] == judged["jerk p95, deg/s a frame"] == JITTERY


def test_lost_members_are_counted(flock: Recording) -> None:
    astray = flock.position.copy()
    astray[:, :5] += (500.0, 0.0, 0.0)
    values = measured(replace(flock, position=astray))
    assert values["lost, share"] == pytest.approx(5.0 / 60.0) and values[PARTED.title] == 0.0
    unknown = measured(replace(flock, position=astray, separation=np.nan))
    assert np.isnan(unknown["lost, share"]) and np.isnan(unknown[PARTED.title])


def test_parts_of_a_flock_are_not_lost_but_it_may_not_stay_apart(flock: Recording) -> None:
    """A tenth of it or more is a part."""
    apart = flock.position.copy()
    apart[30:, :20] += (500.0, 0.0, 0.0)
    values, judged = measured(replace(flock, position=apart)), verdicts(replace(flock, position=apart))
    assert values["lost, share"] == 0.0
    assert values[PARTED.title] == pytest.approx(0.75)
    assert (judged["lost, share"], judged[PARTED.title]) == (ALIVE, JITTERY)
    apart[60:, :20] -= (500.0, 0.0, 0.0)
    assert verdicts(replace(flock, position=apart))[PARTED.title] == ALIVE


def test_a_coordinated_turn_is_banked_in_time_and_a_level_one_is_not_measured() -> None:
    time = np.arange(0.0, 10.0, 1.0 / FPS)
    turn = np.sin(time) + 0.5 * np.sin(2.3 * time)
    heading = np.cumsum(turn) / FPS
    forward = np.stack((np.cos(heading), np.sin(heading), 0.0 * heading), axis=-1)[:, None]
    position = np.cumsum(forward, axis=0) * 10.0 / FPS

    def rolled(late: float) -> Recording:
        roll = -np.arctan(10.0 * np.interp(time - late, time, turn) / 9.81)[:, None, None]
        side = np.cross(forward, (0.0, 0.0, 1.0))
        up = np.cos(roll) * (0.0, 0.0, 1.0) + np.sin(roll) * side
        return Recording(FLYERS, position, forward, up, FPS, 1.0, np.full(1, 10.0))

    assert verdicts(rolled(0.2))["roll lag, ms"] == ALIVE
    assert measured(rolled(0.2))["roll lag, ms"] == pytest.approx(200.0, abs=60.0)
    assert verdicts(rolled(0.6))["roll lag, ms"] == MECHANICAL
    level = replace(rolled(0.0), up=np.broadcast_to((0.0, 0.0, 1.0), forward.shape))
    assert np.isnan(measured(level)["roll lag, ms"])


@pytest.mark.parametrize("kind", KINDS)
def test_the_bands_of_a_row_do_not_overlap(kind: str) -> None:
    for row in rows(kind):
        for low, high in (band for band in (row.mechanical, row.jittery) if band):
            assert high <= row.alive[0] or low >= row.alive[1], row.title
        edges = [bound for bound in row.alive if np.isfinite(bound)]
        assert [row.verdict(bound) == ALIVE for bound in edges] == [bound == row.alive[0] for bound in edges]


def test_members_that_come_back_are_not_lost(flock: Recording) -> None:
    away = flock.position.copy()
    away[20:60, :6] += (500.0, 0.0, 0.0)
    recording = replace(flock, obstacles=True)
    assert measured(replace(recording, position=away))["lost in the last second, share"] == 0.0
    away[60:, :6] += (500.0, 0.0, 0.0)
    assert measured(replace(recording, position=away))["lost in the last second, share"] == pytest.approx(0.1)


def test_the_table_names_the_rows_wrong_in_any_run_or_in_the_mean_of_the_seeds() -> None:
    good = {row.title: row.alive[0] + 0.4 if row.alive[1] == np.inf else row.alive[1] - 1e-4 for row in rows(BIRDS)}
    text, wrong = table(BIRDS, False, [good])
    assert wrong == []
    assert len(text.splitlines()) == len(good)
    ball, long = good | {"aspect": 1.1}, good | {"aspect": 2.5}
    assert table(BIRDS, False, [ball])[1] == ["aspect"]
    assert table(BIRDS, False, [ball, long])[1] == [], "only the mean aspect of the seeds counts"
    assert "1.80" in table(BIRDS, False, [ball, long])[0]
    stiff = good | {"neighbors kept after 1 s": 0.95}
    text, wrong = table(BIRDS, False, [good, stiff, good])
    assert wrong == ["neighbors kept after 1 s"]
    assert MECHANICAL in next(line for line in text.splitlines() if "kept" in line)
    unknown = good | {"lost, share": np.nan}
    assert table(BIRDS, False, [unknown])[1] == []
