"""The files of a new behavior: itself, maybe with a memory, its test and its figure. Standard library only."""

import re
from string import Template

from behavior_names import class_of, label_of

BEHAVIOR = '''"""$label (not in the paper)."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.scalars import Rows
from ..simulation.arrays.vectors import Vectors
from ..simulation.behavior import OURS, Behavior, Intent, Steering
from ..simulation.declaration import body
from ..simulation.world import Agents, World


@dataclass(frozen=True)
class $kind(Behavior):
    """Go to a target at top speed.

    Does nothing without a target.
    """

    name = "$name"
    label = "$label"
    term = OURS
    intent = Intent.GO

    target: Rows = body("Target to go to; if empty, the nearest leader")

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        active = self.target >= 0
        force = agents.seeking(self.goal(world, agents, memory))
        return Steering(np.where(active[:, None], force, 0.0), sets_speed=active)

    def goal(self, world: World, agents: Agents, memory: None) -> Vectors:
        position = world.bodies.position[np.maximum(self.target, 0)]
        return np.where((self.target >= 0)[:, None], position, np.nan)
'''

BEHAVIOR_WITH_MEMORY = '''"""$label (not in the paper)."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.scalars import Mask, Rows
from ..simulation.arrays.vectors import Vectors
from ..simulation.behavior import OURS, Behavior, Intent, Steering
from ..simulation.declaration import body
from ..simulation.maneuvers.chasing import are_at
from ..simulation.memory import Memory, remembered
from ..simulation.world import Agents, World


@dataclass(frozen=True)
class ${kind}Memory(Memory):
    """What each agent remembers from step to step.

    Attributes:
        done: (n,) whether it has reached its target.
    """

    done: Mask = remembered(False)


@dataclass(frozen=True)
class $kind(Behavior):
    """Go to a target once, at top speed.

    Does nothing without a target, and nothing more once it has reached it.
    """

    name = "$name"
    label = "$label"
    term = OURS
    intent = Intent.GO
    arrives = True
    remembers = ${kind}Memory

    target: Rows = body("Target to go to; if empty, the nearest leader")

    def steer(self, world: World, agents: Agents, memory: ${kind}Memory) -> Steering:
        arrived = are_at(world, agents, self.target, agents.arrival_distance)
        done = memory.done | arrived
        active = (self.target >= 0) & ~done
        force = agents.seeking(world.bodies.position[np.maximum(self.target, 0)])
        return Steering(
            np.where(active[:, None], force, 0.0),
            ${kind}Memory(done),
            sets_speed=active,
            arrived=arrived,
        )

    def goal(self, world: World, agents: Agents, memory: ${kind}Memory) -> Vectors:
        position = world.bodies.position[np.maximum(self.target, 0)]
        return np.where(((self.target >= 0) & ~memory.done)[:, None], position, np.nan)
'''

TEST = '''"""$label (not in the paper): what it alone promises."""

import numpy as np

from steering_addon.behaviors.$name import $kind
from tests.scene import Scene, leaders, positions

TARGET = np.array([6.0, 9.0, 3.0])


def scene(**parameters) -> Scene:
    """A vehicle at the origin that drives forward, and a target."""
    behaviors = [($kind, parameters)]
    return Scene([[0.0, 0.0, 0.0]], speed=2.0, behaviors=behaviors, tracked=leaders(TARGET))


def test_it_steers_to_its_target_at_top_speed() -> None:
    """mass (desired_velocity - velocity) / response_time, with the default vehicle: 1 kg, 5 m/s and 0.3 s."""
    desired_velocity = TARGET / np.linalg.norm(TARGET) * 5.0
    assert np.allclose(scene().steering()[0], (desired_velocity - (0.0, 2.0, 0.0)) / 0.3)


def test_it_reaches_its_target() -> None:
    distance = np.linalg.norm(positions(scene().run(24 * 5))[:, 0] - TARGET, axis=1)
    assert distance.min() < 0.5


def test_it_does_nothing_without_a_target() -> None:
    assert (scene(target=-1).steering()[0] == 0.0).all()
'''

TEST_OF_MEMORY = """

def test_it_goes_there_once() -> None:
    states = scene().run(24 * 10)
    distance = np.linalg.norm(positions(states)[:, 0] - TARGET, axis=1)
    assert (np.diff(distance[distance.argmin() :]) > 0.0).all()
    assert states[-1].memories["$name"].done.all()
"""

FIGURE = '''"""$label: go to a target."""

from steering_addon.behaviors.$name import $kind
from steering_addon.scene import leaders

from ..figure import PlanarScene, Run, figure


@figure(
    PlanarScene(
        position=[(-9.0, -4.0, 0.0), (2.0, -7.0, 0.0)],
        forward=[(0.0, 1.0, 0.0), (0.6, -0.8, 0.0)],
        speed=4.0,
        behaviors=[($kind, {"target": 2})],
        tracked=leaders((4.0, 2.0, 0.0)),
    ),
    4.0,
)
def $name(run: Run) -> dict[str, bool]:
    """Two vehicles go to the target."""
    distance = run.to_body()
    return {
        "two vehicles": len(run.scene) == 2,
        "each starts at a distance": bool((distance[0] > 5.0).all()),
        "each reaches the target": bool((distance.min(axis=0) < 0.8).all()),
    }
'''


def imported() -> set[str]:
    """The names that the files import, which its class cannot have."""
    lines = re.findall(r"^from \S+ import (.*)$", BEHAVIOR + BEHAVIOR_WITH_MEMORY + TEST + FIGURE, re.MULTILINE)
    return {name for line in lines for name in line.split(", ")}


def filled(text: str, name: str) -> str:
    """One of these texts for a behavior of this name."""
    return Template(text).substitute(name=name, kind=class_of(name), label=label_of(name))
