"""Flocks cross their region, rise and dive, split and reunite; they do not circle along its edge."""

from dataclasses import replace

import numpy as np
import pytest

from scripts.motion_bands import ALIVE, MECHANICAL
from scripts.roaming import INSIDE, PARTING, ROWS, Roaming, measured, table
from scripts.roaming_crowds import FLOCKS, READY, ready, roamed, roaming
from tests.presets.preset_crowds import shipped
from tests.sampling import thorough

SECONDS = 60.0
SOONEST = 30.0
"""Seconds after which a flock whose motion is alive by then is no longer watched."""
FPS = 8.0


def verdicts(run: Roaming, rows=ROWS) -> dict[str, str]:
    values = measured(run)
    return {row.title: row.verdict(values[row.title]) for row in rows}


def is_alive(run: Roaming) -> bool:
    return len(run.position) >= SOONEST * FPS and set(verdicts(run).values()) == {ALIVE}


@thorough
@pytest.mark.parametrize("name", [name for name in FLOCKS if name not in {kind for kind, _ in READY.values()}])
def test_a_flock_with_a_shipped_preset_roams_its_region(name: str) -> None:
    run = roaming(name, SECONDS, count=40, enough=is_alive)
    assert set(verdicts(run).values()) == {ALIVE}, table(measured(run))


@thorough
@pytest.mark.parametrize("name", READY)
def test_a_ready_scene_roams_its_region(name: str) -> None:
    """Its region is small for its speed; all the same nearly all its members stay inside.

    In a longer run of the same flock it splits and reunites too.
    """
    _, radius = READY[name]

    def parted(run: Roaming) -> bool:
        return len(run.position) >= SECONDS * FPS and set(verdicts(run, PARTING).values()) == {ALIVE}

    longer = roamed(ready(name), 2.5 * SECONDS, 1, 60, radius, parted)
    run = replace(longer, position=longer.position[: round(SECONDS * FPS)])
    assert set(verdicts(run).values()) == {ALIVE}, table(measured(run))
    assert measured(run)[INSIDE.title] > 0.95
    assert set(verdicts(longer, PARTING).values()) == {ALIVE}, table(measured(longer))


@thorough
def test_a_flock_that_only_turns_at_the_edge_is_mechanical() -> None:
    """The way the ready flock went round before."""
    preset = ready("flock")
    turning = {**preset.behaviors["containment"], "method": "TURN", "weight": 14.0, "prediction_time": 1.5}
    wandering = {**preset.behaviors["wander"], "strength": 3.0, "rate": 0.5}
    before = {**preset.behaviors, "containment": turning, "wander": wandering}
    run = roamed(replace(preset, behaviors=before), SOONEST, 1, 60, 23.1)
    judged = verdicts(run)
    for title in ("centre in the inner half, share", "height of the centre, rms", "circling"):
        assert judged[title] == MECHANICAL, table(measured(run))


# ---- the measurements


def carousel(height: float = 0.0, parted: bool = False) -> Roaming:
    """Ten that go round a circle at 0.85 of the radius for two minutes, half of them on its other side if `parted`."""
    angle = np.arange(960.0) / FPS
    centre = 8.5 * np.stack((np.cos(angle), np.sin(angle), height * np.sin(0.7 * angle)), axis=-1)
    offset = np.random.default_rng(1).normal(size=(10, 3)) * 0.2
    place = centre[:, None] + offset
    if parted:
        place[300:600, 5:] -= 2.0 * centre[300:600, None]
    return Roaming(place, FPS, 10.0, 1.0)


def test_a_carousel_is_mechanical() -> None:
    values, judged = measured(carousel()), verdicts(carousel())
    assert values["circling"] == pytest.approx(1.0, abs=0.02)
    assert {title for title, verdict in judged.items() if verdict == ALIVE} == {"members inside, share"}


def test_splits_and_reunions_are_counted() -> None:
    assert measured(carousel())["splits a minute"] == 0.0
    values = measured(carousel(parted=True))
    assert values["splits a minute"] == values["reunions a minute"] == pytest.approx(0.5)
    assert values["in parts, share of the time"] == pytest.approx(300.0 / 960.0, abs=0.01)


def test_headings_in_all_directions_are_more_spread_than_those_of_a_circle() -> None:
    rng = np.random.default_rng(2)
    walk = np.cumsum(rng.normal(size=(20000, 3)), axis=0)[:, None]
    spread = "spread of headings"
    assert measured(Roaming(walk, FPS, 10.0, 1.0))[spread] > 0.95
    assert measured(carousel(0.5))[spread] > measured(carousel())[spread]


def test_members_outside_are_counted() -> None:
    place = carousel().position
    place[:, :3] *= 2.0
    assert measured(replace(carousel(), position=place))["members inside, share"] == pytest.approx(0.7)


def test_every_preset_that_flocks_crosses_its_region() -> None:
    for name in FLOCKS:
        assert shipped(name).behaviors["containment"]["method"] == "CROSS"


def test_the_climb_is_that_of_a_flock_that_moves_as_one() -> None:
    """From the middle of the time on one of the two turns back, while both go on rising a little."""
    time = np.arange(0.0, 30.0, 1.0 / FPS)
    along = np.stack((time, np.zeros_like(time), 0.2 * time), axis=1)
    as_one = Roaming(np.stack((along, along + np.array([0.0, 1.0, 0.0])), axis=1), FPS, 10.0, 1.0)
    parted = Roaming(np.stack((along, along * (-1.0, 1.0, 1.0)), axis=1), FPS, 10.0, 1.0)
    both = replace(as_one, position=np.concatenate((as_one.position, as_one.position[-1:] + parted.position)))
    climb = "climb p95, degrees"
    assert measured(as_one)[climb] == pytest.approx(np.degrees(np.arctan(0.2)))
    assert measured(both)[climb] < 15.0 and measured(parted)[climb] == 0.0
