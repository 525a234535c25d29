"""Patrol: from target to target, round and round or there and back.

The blue vehicle patrols round and round its three targets, the orange one there and back between its own. Each stops at
each target for 1.5 s. They are drawn every second.
"""

import numpy as np

from steering_addon.behaviors.patrol import ROUND, THERE_AND_BACK, Patrol, Patrolling
from steering_addon.scene import leaders
from steering_addon.simulation.arrays.chance import keys_of
from steering_addon.simulation.candidates import FIRST, NEXT, Candidates

from ..figure import Figure, PlanarScene, Run

CORNERS = ((-9.0, -3.0, 0.0), (-2.0, -3.0, 0.0), (-5.5, 4.0, 0.0))
ROW = ((3.0, -3.0, 0.0), (8.0, 1.0, 0.0), (13.0, -3.0, 0.0))
WAIT = 1.5


def targets(first: int) -> Candidates:
    rows = np.arange(first, first + 3)
    return Candidates(rows, keys_of(0, rows), NEXT)


def scene() -> PlanarScene:
    values = {"targets": [FIRST, FIRST - 1], "order": [ROUND, THERE_AND_BACK], "wait_time": WAIT, "wait_spread": 0.0}
    return PlanarScene(
        position=[(-12.0, -1.0, 0.0), (1.0, 1.0, 0.0)],
        forward=[(1.0, 0.0, 0.0), (0.0, -1.0, 0.0)],
        speed=1.0,
        behaviors=[(Patrol, values)],
        vehicle={"max_speed": 2.5},
        tracked=leaders(*CORNERS, *ROW),
        candidates=(targets(2), targets(5)),
    )


def stops(run: Run, row: int) -> list[int]:
    """The indices of the targets at which a vehicle has waited, one after the other."""
    memories: list[Patrolling] = [state.memories["patrol"] for state in run.states[1:]]
    waits = [int(memory.stop[row]) for memory in memories if memory.waited[row] > WAIT / 2.0]
    return [stop for k, stop in enumerate(waits) if k == 0 or waits[k - 1] != stop]


def shows(run: Run) -> dict[str, bool]:
    posts = np.array((CORNERS, ROW))
    distance = np.linalg.norm(run.position[:, :, None] - posts, axis=-1)
    still = (run.speed < 0.1)[..., None] & (distance < 0.2)
    return {
        "one goes round and round": stops(run, 0)[:5] == [0, 1, 2, 0, 1],
        "the other there and back": stops(run, 1)[:5] == [0, 1, 2, 1, 0],
        "each stops at each target": bool(still.any(axis=0).all()),
        "and moves everywhere else": bool((run.speed[12:] > 0.1)[(distance[12:] > 1.0).all(axis=-1)].all()),
    }


FIGURE = Figure(scene(), 27.0, shows, groups=((0,), (1,)))
