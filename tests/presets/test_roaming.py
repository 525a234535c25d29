"""Flocks cross their region, rise and dive, split and reunite; they do not circle along its edge."""

from dataclasses import replace

import numpy as np
import pytest

from scripts.motion_bands import ALIVE
from scripts.roaming import ROWS, Roaming, measured
from scripts.roaming_crowds import FLOCKS
from tests.presets.preset_crowds import shipped

FPS = 8.0


def verdicts(run: Roaming, rows=ROWS) -> dict[str, str]:
    values = measured(run)
    return {row.title: row.verdict(values[row.title]) for row in rows}


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
