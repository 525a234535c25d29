"""Prey and predators with shipped presets work together: the prey part, some are caught, and they close again."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

from steering_addon.behaviors.evasion import Evasion
from steering_addon.behaviors.pursuit import Pursuit
from steering_addon.settings.preset import Preset, scaled
from tests.presets.preset_crowds import FPS, shipped
from tests.presets.preset_pairs import Hunt, added, hunt
from tests.sampling import sampled


@dataclass(frozen=True)
class Pair:
    """Prey and what hunts them, both as Moves Like or a preset makes them.

    Attributes:
        prey: the name of a preset.
        predator: the name of a preset.
        size: of the predator, as a multiple of the bodies that its preset is meant for.
        room: radius of the region of the prey, metres.
        beside: seconds for which the predator stays beside one of the prey at most.
    """

    prey: str
    predator: str
    size: float
    room: float
    beside: float = 3.0

    def presets(self) -> tuple[Preset, Preset]:
        return shipped(self.prey), scaled(shipped(self.predator), self.size)


SCHOOL = "fish and a shark"
PAIRS = {
    SCHOOL: Pair("fish", "shark", 1.0, 5.0),
    "starlings and a falcon": Pair("starling", "pigeon", 1.5, 35.0),
    "sheep and a dog": Pair("sheep", "herd", 0.8, 20.0, beside=5.0),
}
COUNT, SECONDS, CALM = 30, 16, 11
"""Number of prey; seconds with the predator and, after it is gone, without."""
BEFORE = 6
"""Seconds of the run for comparison, in which the prey do not run."""


def distance(name: str) -> float:
    """The distance at which the prey of a pair react, metres."""
    return float(added(Evasion, PAIRS[name].presets()[0])["distance"])


@cache
def hunted(name: str, flees: bool = True) -> Hunt:
    pair = PAIRS[name]
    prey, predator = pair.presets()
    seconds = SECONDS + CALM if flees else BEFORE
    return hunt(
        prey,
        predator,
        n=COUNT,
        room=pair.room,
        frames=int(seconds * FPS),
        apart=1.5 * distance(name),
        flees=flees,
        ends=int(SECONDS * FPS),
    )


def with_predator(values: np.ndarray) -> np.ndarray:
    """The rows of the frames on which the predator is present."""
    return values[: int(SECONDS * FPS)]


@sampled
@pytest.mark.parametrize("name", PAIRS)
def test_the_predator_reaches_the_prey_within_seconds_and_comes_again(name: str) -> None:
    near = with_predator(hunted(name).nearest) < distance(name)
    first = int(np.argmax(near))
    assert near.any() and first < 5 * FPS
    assert hunted(name).nearest[: int(12 * FPS)].min() < 0.35 * distance(name)
    gone = first + int(np.argmax(~near[first:]))
    assert near[gone:].any(), "it attacks again"


@sampled
@pytest.mark.parametrize("name", PAIRS)
def test_prey_move_as_if_alone_until_the_predator_is_near(name: str) -> None:
    flees, stays = hunted(name), hunted(name, flees=False)
    near = int(np.argmax(flees.nearest < distance(name)))
    assert near > 0
    assert np.array_equal(flees.prey[: near + 1], stays.prey[: near + 1])
    assert not np.array_equal(flees.prey[near + 1], stays.prey[near + 1])


@sampled
@pytest.mark.parametrize("name", PAIRS)
def test_prey_near_the_predator_get_away_from_it(name: str) -> None:
    def parting(run: Hunt) -> np.ndarray:
        """The speeds away from the predator of all prey that are near, m/s."""
        offset = run.prey - run.predator[:, None]
        away = offset / np.linalg.norm(offset, axis=-1, keepdims=True)
        speed = (np.diff(run.prey, axis=0) * FPS * away[:-1]).sum(axis=-1)
        return with_predator(speed)[with_predator(run.gap[:-1]) < distance(name) + run.size]

    prey = PAIRS[name].presets()[0]
    gained = parting(hunted(name)).mean() - parting(hunted(name, flees=False)).mean()
    assert gained > 0.1 * prey.vehicle["max_speed"]


@sampled
@pytest.mark.parametrize("name", PAIRS)
def test_once_the_predator_has_gone_the_prey_calm_down_and_close_up(name: str) -> None:
    run, prey = hunted(name), PAIRS[name].presets()[0]
    cruise = prey.vehicle["cruise_speed"] * prey.vehicle["max_speed"]
    late = slice(-int(3 * FPS), None)
    assert np.percentile(run.speed[late], 90) < 1.25 * cruise
    calm = run.spread[: int(np.argmax(run.nearest < distance(name))) + 1].mean()
    assert run.spread[late].mean() < 1.3 * calm


@sampled
@pytest.mark.parametrize("name", PAIRS)
def test_a_predator_does_not_stay_beside_one_of_its_prey(name: str) -> None:
    """It swims past the fish that it has caught up with, and comes again.

    A sheep that faces the dog has to step round first, which takes seconds.
    """
    run = hunted(name)
    beside = with_predator(run.gap) < 1.5 * run.touching
    steps = np.diff(np.pad(beside.astype(int), ((1, 1), (0, 0))), axis=0)
    longest = max(
        (int((np.flatnonzero(step < 0) - np.flatnonzero(step > 0)).max(initial=0)) for step in steps.T), default=0
    )
    assert longest < PAIRS[name].beside * FPS


def test_a_school_parts_before_a_shark_and_some_are_caught_up_with() -> None:
    run = hunted(SCHOOL)
    touched = (with_predator(run.gap) < run.touching).any(axis=0)
    assert 0.0 < touched.mean() < 1.0
    before = run.spread[: int(np.argmax(run.nearest < distance(SCHOOL)))].mean()
    assert with_predator(run.spread).max() > 1.5 * before
    between = with_predator(run.spread)[int(6 * FPS) :]
    opened = with_predator(run.spread).max() - before
    assert between.min() < before + 0.1 * opened, "it closes again between two attacks"


@sampled
@pytest.mark.parametrize("name", PAIRS)
def test_the_pause_between_attacks_takes_seconds(name: str) -> None:
    """A predator leaves its prey alone for seconds, not for a minute or a moment."""
    predator = PAIRS[name].presets()[1]
    assert 1.0 <= added(Pursuit, predator)["pause_time"] <= 6.0
