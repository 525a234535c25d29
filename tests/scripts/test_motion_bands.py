"""The bands say alive of what lives, and not of what was spoiled on purpose."""

from dataclasses import replace

import numpy as np
import pytest

from scripts.motion_bands import (
    ALIVE,
    BETWEEN,
    BIRDS,
    FISH,
    FLYERS,
    JITTERY,
    KINDS,
    MECHANICAL,
    WALKERS,
    Recording,
    measured,
    rows,
    table,
)
from steering_addon.behaviors.containment import Containment
from steering_addon.behaviors.wander import Wander
from steering_addon.simulation.geometry.paths import spline
from tests.behaviors.test_flocking import APART, BODY, CRUISE, starlings
from tests.scene import Scene, headings, positions, ups

FPS = 24.0


def recorded(scene: Scene, frames: int = 120) -> Recording:
    states = scene.run(frames, preroll=48)
    cruise = np.full(len(scene), CRUISE)
    return Recording(BIRDS, positions(states), headings(states), ups(states), FPS, BODY, cruise, APART)


def verdicts(seen: Recording) -> dict[str, str]:
    values = measured(seen)
    return {row.title: row.verdict(values[row.title]) for row in rows(seen.kind, seen.obstacles)}


@pytest.fixture(scope="module")
def flock() -> Recording:
    return recorded(starlings())


def test_a_flock_of_starlings_is_alive_in_every_row(flock: Recording) -> None:
    """But for two: sixty head more alike and are rounder than the two hundred the bands were measured on."""
    found = verdicts(flock)
    assert {found.pop("polarization"), found.pop("aspect")} <= {ALIVE, BETWEEN}
    assert set(found.values()) == {ALIVE}, found


def test_a_flock_without_wander_is_mechanical() -> None:
    place = starlings()
    tame = [b for b in place.behaviors if b[0] not in (Wander, Containment)]
    found = verdicts(recorded(replace(place, behaviors=tame)))
    assert found["polarization"] == MECHANICAL
    assert found["turn p95, deg/s"] == BETWEEN


def test_a_flock_that_trembles_is_jittery(flock: Recording) -> None:
    shake = 0.02 * np.random.default_rng(1).normal(size=flock.forward.shape)
    forward = flock.forward + shake
    forward /= np.linalg.norm(forward, axis=-1, keepdims=True)
    found = verdicts(replace(flock, forward=forward))
    assert found["turn reversed, share"] == found["jerk p95, deg/s a frame"] == JITTERY


def test_a_flock_on_rails_keeps_its_neighbors_and_one_of_strangers_does_not(flock: Recording) -> None:
    rails = flock.position[:1] + np.arange(120.0)[:, None, None] * [0.0, 0.4, 0.0]
    assert verdicts(replace(flock, position=rails))["neighbors kept after 1 s"] == MECHANICAL
    strangers = np.random.default_rng(2).normal(size=flock.position.shape) * 20.0
    found = verdicts(replace(flock, position=strangers))
    assert found["neighbors kept after 1 s"] == found["nearest neighbor p95 / p5"] == JITTERY
    assert found["lost, share"] == MECHANICAL


def test_a_flock_that_lost_some_says_so(flock: Recording) -> None:
    astray = flock.position.copy()
    astray[:, :6] += (500.0, 0.0, 0.0)
    assert measured(replace(flock, position=astray))["lost, share"] == pytest.approx(0.1)
    assert np.isnan(measured(replace(flock, position=astray, separation=np.nan))["lost, share"])


def test_those_who_walk_along_the_road_turn_as_it_does() -> None:
    angle = np.radians(np.arange(0.0, 350.0, 0.5))
    road = spline(100.0 * np.stack((np.cos(angle), np.sin(angle), 0.0 * angle), axis=-1), False)
    along = np.arange(240.0)[:, None] * 1.34 / FPS + np.arange(4.0) * 20.0 + 10.0
    forward = road.tangent(along)
    left = np.cross((0.0, 0.0, 1.0), forward)
    up = np.broadcast_to((0.0, 0.0, 1.0), forward.shape)
    seen = Recording(WALKERS, road.position(along) + 0.5 * left, forward, up, FPS, 0.6, np.full(4, 1.34), path=(road,))
    values = measured(seen)
    assert values["heading p95 / the road's own"] == pytest.approx(1.0, abs=0.1)
    assert values["crossings of the middle in 10 s"] == 0.0
    assert set(verdicts(seen).values()) == {ALIVE}

    swaying = np.sin(2.0 * np.pi * 0.5 * np.arange(240.0) / FPS)[:, None, None]
    found = verdicts(replace(seen, position=road.position(along) + swaying * left))
    assert found["crossings of the middle in 10 s"] == JITTERY
    found = verdicts(replace(seen, forward=forward + 0.1 * swaying * left))
    assert found["heading p95 / the road's own"] == JITTERY
    assert verdicts(replace(seen, path=()))["heading p95 / the road's own"] == "", (
        "without a road nothing is said of it"
    )


def test_a_clean_turn_is_banked_in_time_and_a_level_one_is_not_measured() -> None:
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
def test_what_is_alive_is_nothing_else(kind: str) -> None:
    for row in rows(kind):
        for low, high in (band for band in (row.mechanical, row.jittery) if band):
            assert high <= row.alive[0] or low >= row.alive[1], row.title
        edges = [bound for bound in row.alive if np.isfinite(bound)]
        assert [row.verdict(bound) == ALIVE for bound in edges] == [bound == row.alive[0] for bound in edges]


def test_fish_stay_with_each_other_longer_and_nearer_than_birds() -> None:
    birds, fish = ({row.title: row for row in rows(kind)} for kind in (BIRDS, FISH))
    assert (birds["neighbors kept after 1 s"].verdict(0.5), fish["neighbors kept after 1 s"].verdict(0.5)) == (
        ALIVE,
        BETWEEN,
    )
    assert (birds["nearest p1, body lengths"].verdict(1.5), fish["nearest p1, body lengths"].verdict(1.5)) == (
        JITTERY,
        ALIVE,
    )


def test_among_obstacles_turning_more_and_parting_for_a_while_are_alive() -> None:
    open_road, street = ({row.title: row for row in rows(WALKERS, obstacles)} for obstacles in (False, True))
    turn = "heading p95 / the road's own"
    assert (open_road[turn].verdict(2.0), street[turn].verdict(2.0), street[turn].verdict(7.0)) == (
        JITTERY,
        ALIVE,
        JITTERY,
    )
    parted, lost = "lost in the last second, share", "lost, share"
    assert {row.title for row in rows(BIRDS, True)} - {row.title for row in rows(BIRDS)} == {parted}
    assert {row.title for row in rows(BIRDS)} - {row.title for row in rows(BIRDS, True)} == {lost}


def test_who_comes_back_is_not_lost(flock: Recording) -> None:
    away = flock.position.copy()
    away[20:60, :6] += (500.0, 0.0, 0.0)
    seen = replace(flock, obstacles=True)
    assert measured(replace(seen, position=away))["lost in the last second, share"] == 0.0
    away[60:, :6] += (500.0, 0.0, 0.0)
    assert measured(replace(seen, position=away))["lost in the last second, share"] == pytest.approx(0.1)


def test_the_table_names_the_rows_that_are_wrong_in_any_run_and_means_over_the_seeds() -> None:
    good = {row.title: row.alive[0] + 0.4 if row.alive[1] == np.inf else row.alive[1] - 1e-4 for row in rows(BIRDS)}
    text, wrong = table(BIRDS, False, [good])
    assert wrong == []
    assert len(text.splitlines()) == len(good)
    ball, long = good | {"aspect": 1.1}, good | {"aspect": 2.5}
    assert table(BIRDS, False, [ball])[1] == ["aspect"]
    assert table(BIRDS, False, [ball, long])[1] == [], "of the aspect it is the mean of the seeds that counts"
    assert "1.80" in table(BIRDS, False, [ball, long])[0]
    stiff = good | {"neighbors kept after 1 s": 0.95}
    text, wrong = table(BIRDS, False, [good, stiff, good])
    assert wrong == ["neighbors kept after 1 s"]
    assert MECHANICAL in next(line for line in text.splitlines() if "kept" in line)
    unknown = good | {"lost, share": np.nan}
    assert table(BIRDS, False, [unknown])[1] == []
