"""Fight: five of one crowd meet four of another, and one waits behind.

Two crowds run at each other. Each takes the nearest enemy that is free and stops a step before it, face to face; the
fifth on the left finds none and waits behind the others.
"""

import numpy as np

from steering_addon.behaviors.fight import Fight
from steering_addon.scene import Crowd, in_crowds
from steering_addon.simulation.arrays.chance import keys_of
from steering_addon.simulation.candidates import FIRST, NEAREST_ONE, Candidates
from steering_addon.simulation.snapshot import Snapshot

from ..figure import Figure, PlanarScene, Run

RADIUS, REACH = 0.4, 0.8
LEFT, RIGHT = np.arange(5), np.arange(5, 9)


class Armies(PlanarScene):
    """A scene with a crowd on the left and another on the right."""

    def _first(self) -> Snapshot:
        left, right = (
            Crowd(rows, (Fight.of(len(rows), enemy=enemy, reach=REACH),), key=key)
            for rows, enemy, key in ((LEFT, FIRST - 1, 1), (RIGHT, FIRST, 2))
        )
        return in_crowds(super()._first(), [left, right])


SCENE = Armies(
    position=[
        *((-9.0, 3.6, 0.0), (-9.0, 1.4, 0.0), (-9.0, -1.2, 0.0), (-9.0, -3.4, 0.0), (-12.0, 1.0, 0.0)),
        *((9.0, 3.0, 0.0), (9.0, 0.8, 0.0), (9.0, -1.6, 0.0), (9.0, -4.0, 0.0)),
    ],
    forward=np.repeat([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]], (5, 4), axis=0),
    vehicle={"max_speed": 3.0, "max_force": 5.0, "radius": RADIUS, "keep_apart": True},
    candidates=tuple(Candidates(rows, keys_of(0, rows), NEAREST_ONE) for rows in (LEFT, RIGHT)),
)


def shows(run: Run) -> dict[str, bool]:
    apart, forward, place = run.apart()[-1], run.forward[-1], run.position[-1]
    fighters = run.states[-1].memories[Fight.name].wanted[RIGHT]
    offset = place[RIGHT] - place[fighters]
    gap = np.linalg.norm(offset, axis=1) - 2.0 * RADIUS
    facing = np.einsum("ni,ni->n", offset, forward[fighters]) / np.linalg.norm(offset, axis=1)
    other = np.setdiff1d(LEFT, fighters)
    return {
        "four of each side meet": len(set(fighters.tolist())) == len(RIGHT),
        "a step apart": bool((abs(gap - REACH) < 0.3 * REACH).all()),
        "face to face": bool((facing > 0.95).all()),
        "the fifth waits": bool((apart[other[0], RIGHT] > 2.0 * RADIUS + 1.5 * REACH).all()),
        "all stand": bool((run.speed[-1] < 0.05).all()),
    }


FIGURE = Figure(SCENE, 6.0, shows, every=1.0, groups=((0, 1, 2, 3, 4), (5, 6, 7, 8)))
