"""Agents that run from a threat over ground run out, and not into a dead end."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors.evasion import Evasion
from steering_addon.behaviors.flee import Flee
from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.behaviors.pursuit import Pursuit
from steering_addon.locomotion import OnFoot
from steering_addon.simulation.geometry.obstacles import Obstacles
from steering_addon.simulation.geometry.surfaces import Surfaces
from steering_addon.simulation.snapshot import State
from tests.sampling import thorough
from tests.scene import Scene, leaders, positions
from tests.simulation.ways.grounds import NOTHING, plate, quads, walls

FPS = 24
"""As bakes take substeps below 20 frames a second, nobody passes an exit between two steps."""
GROUND = quads(plate(-20, -20, 20, 20))
YARD = walls(
    ((-10.2, -10, 0), (-10, 10, 2.5)),
    ((-10, -10.2, 0), (10, -10, 2.5)),
    ((-10, 10, 0), (10, 10.2, 2.5)),
    ((10, -10, 0), (10.2, 5, 2.5)),
    ((10, 8, 0), (10.2, 10, 2.5)),
)
"""With one exit in the east."""
DEAD_ENDS = walls(
    ((0, 3, 0), (11, 3.2, 2.5)),
    ((0, -0.2, 0), (4, 0, 2.5)),
    ((6, -0.2, 0), (14.2, 0, 2.5)),
    ((14, -0.2, 0), (14.2, 12, 2.5)),
    ((10.8, 3, 0), (11, 12, 2.5)),
    ((10.8, 12, 0), (14.2, 12.2, 2.5)),
    ((-0.2, -0.2, 0), (0, 3.2, 2.5)),
)
"""A passage to the east that bends to the north, closed at both ends, with a way out to the south."""


def hunted(things: Obstacles, prey: Any, fox: Any, behavior: Any = Evasion, key: str = "pursuer") -> Scene:
    place = np.array([*prey, fox], dtype=float)
    flees = np.arange(len(place)) < len(prey)
    return Scene(
        place,
        forward=(1.0, 0.0, 0.0),
        speed=0.0,
        behaviors=[
            (behavior, {key: np.where(flees, len(prey), -1), "distance": 20.0}),
            (Pursuit, {"quarry": np.where(flees, -1, 0)}),
            (ObstacleAvoidance, {}),
        ],
        vehicle={
            "max_speed": np.where(flees, 7.0, 5.5),
            "cruise_speed": np.where(flees, 0.2, 0.8),
            "radius": np.where(flees, 0.4, 0.3),
            "max_force": 12.0,
            "keep_apart": True,
        },
        locomotions=[(OnFoot, {})],
        tracked=leaders((0.0, 0.0, 0.0)),
        obstacles=things,
        surfaces=GROUND,
        fps=FPS,
    )


def asked(scene: Scene, behavior: int = 0) -> np.ndarray:
    """The unit directions in which the prey of a scene, which stands, is told to run."""
    world, agents, behaviors = scene.seen()
    force = behaviors[behavior].steer(world, agents, None).force[:-1]
    return force / np.linalg.norm(force, axis=1, keepdims=True)


@thorough
def test_deer_run_out_of_a_yard_by_its_exit() -> None:
    def out(state: State) -> np.ndarray:
        """Whether each is out of the yard; the fox, who is the last, does not matter."""
        return np.append(np.abs(state.motion.position[:2, :2]).max(axis=1) > 10.5, True)

    course = positions(hunted(YARD, [(-7, 4, 0), (-2, -8, 0)], (3, 0, 0)).run_until_each(out, 11 * FPS))[:, :2, :2]
    assert (np.abs(course).max(axis=2).max(axis=0) > 10.5).all()


@pytest.mark.parametrize("behavior, key", [(Evasion, "pursuer"), (Flee, "target")])
@pytest.mark.parametrize("fox", [(13.0, 9.0, 0.0), (0.5, 1.5, 0.0)])
def test_nobody_runs_past_a_way_out_into_a_dead_end(behavior: Any, key: str, fox: Any) -> None:
    """From the east the dead end in the west, and from the west the longer one in the east."""
    [west, east] = asked(hunted(DEAD_ENDS, [(3.5, 1.5, 0.0), (7.5, 1.5, 0.0)], fox, behavior, key))
    assert west[0] > 0.0 and east[0] < 0.0


def test_who_is_cornered_runs_into_the_dead_end_all_the_same() -> None:
    [inside] = asked(hunted(DEAD_ENDS, [(9.0, 1.5, 0.0)], (7.0, 1.5, 0.0)))
    assert inside[0] > 0.7


@pytest.mark.parametrize(
    "ground, things",
    [
        (quads(plate(-20.3, -20.3, 20.3, 20.3)), NOTHING),
        (quads(plate(-50, -50, 50, 50)), walls(((-9, -9, 0), (-8, -8, 2)))),
    ],
    ids=["open ground", "nothing in the way"],
)
def test_in_the_open_they_run_straight_away_to_the_last_bit(ground: Surfaces, things: Obstacles) -> None:
    scene = hunted(things, [(5.0, 3.0, 0.0), (4.0, -4.0, 0.0)], (3.0, 1.0, 0.0))
    scene.surfaces = ground
    world, agents, behaviors = scene.seen()
    forces = [behaviors[0].steer(each, agents, None).force for each in (world, replace(world, ways=None))]
    assert world.ways is not None and forces[0].tobytes() == forces[1].tobytes()
