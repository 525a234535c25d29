"""Prey with shipped presets run from predators that come near, and only then."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

from steering_addon.behaviors.evasion import Evasion
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
    """

    prey: str
    predator: str
    size: float
    room: float

    def presets(self) -> tuple[Preset, Preset]:
        return shipped(self.prey), scaled(shipped(self.predator), self.size)


SCHOOL = "fish and a shark"
PAIRS = {
    SCHOOL: Pair("fish", "shark", 1.0, 5.0),
    "starlings and a falcon": Pair("starling", "pigeon", 1.5, 35.0),
    "sheep and a dog": Pair("sheep", "herd", 0.8, 20.0),
}
COUNT, SECONDS = 20, 6
"""The number of prey, and the seconds for which they are watched."""


def distance(name: str) -> float:
    """The distance at which the prey of a pair react to what does not approach, metres."""
    return float(added(Evasion, PAIRS[name].presets()[0])["distance"])


def reacts(name: str, run: Hunt) -> np.ndarray:
    """The frames on which any of the prey is so near that it reacts, (f,)."""
    velocity = np.diff(run.predator, axis=0, prepend=run.predator[:1]) * FPS
    offset = run.prey - run.predator[:, None]
    approach = (offset * velocity[:, None]).sum(-1) / run.gap
    time = float(added(Evasion, PAIRS[name].presets()[0])["reaction_time"])
    return (run.gap - run.size < distance(name) + time * np.maximum(approach, 0.0)).any(axis=1)


@cache
def hunted(name: str, flees: bool = True) -> Hunt:
    pair = PAIRS[name]
    prey, predator = pair.presets()
    frames, apart = int(SECONDS * FPS), 2.5 * distance(name)
    return hunt(prey, predator, n=COUNT, room=pair.room, frames=frames, apart=apart, flees=flees)


@sampled
@pytest.mark.parametrize("name", PAIRS)
def test_prey_move_as_if_alone_until_the_predator_is_near(name: str) -> None:
    flees, stays = hunted(name), hunted(name, flees=False)
    near = int(np.argmax(reacts(name, flees)))
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
        return speed[run.gap[:-1] < distance(name) + run.size]

    assert parting(hunted(name)).mean() > parting(hunted(name, flees=False)).mean()
