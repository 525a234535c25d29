"""The ways to combine: the same three vehicles with the same two behaviors, combined in each way."""

from functools import cache

import numpy as np

from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.scene import leaders, obstacles
from steering_addon.simulation.combining import COMBININGS

from ..figure import Figure, PlanarScene, Run

SECONDS = 9.0
NUMBERS = {choice.name: choice.number for choice in COMBININGS}


def scene(name: str) -> PlanarScene:
    return PlanarScene(
        position=[(-11.0, 2.0, 0.0), (-11.0, 0.4, 0.0), (-11.0, -2.4, 0.0)],
        forward=(1.0, 0.0, 0.0),
        speed=3.0,
        behaviors=[
            (Arrival, {"target": 3, "priority": 2, "probability": 0.3}),
            (ObstacleAvoidance, {"priority": 1, "probability": 0.9}),
        ],
        vehicle={"radius": 0.4, "max_speed": 4.0},
        combining=NUMBERS[name],
        tracked=leaders((9.0, 0.0, 0.0)),
        obstacles=obstacles([(-2.0, 0.0, 0.0), (4.0, 2.5, 0.0), (3.0, -3.0, 0.0)], [2.0, 1.2, 1.0]),
    )


@cache
def run_of(name: str) -> Run:
    return Run.of(scene(name), SECONDS)


def room(name: str) -> float:
    """The smallest gap between a vehicle's body and an obstacle, metres."""
    return float(run_of(name).clearance().min() - 0.4)


def restlessness(name: str) -> float:
    """The mean change of the steering force from frame to frame."""
    force = np.stack([state.force for state in run_of(name).states])[1:]
    return float(np.linalg.norm(np.diff(force, axis=0), axis=-1).mean())


def _arrived(run: Run) -> bool:
    return bool((run.to_body()[-1] < 0.4).all())


def blend(run: Run) -> dict[str, bool]:
    return {
        "all arrive": _arrived(run),
        "no vehicle touches an obstacle": room("WEIGHTED_SUM") > 0.0,
        "they turn less hard than by priority": restlessness("WEIGHTED_SUM") < restlessness("PRIORITY"),
    }


def first_that_applies(run: Run) -> dict[str, bool]:
    return {
        "no vehicle touches an obstacle": room("PRIORITY") > 0.0,
        "all arrive": _arrived(run),
        "they keep more distance than in the blend": room("PRIORITY") > room("WEIGHTED_SUM"),
    }


def until_spent(run: Run) -> dict[str, bool]:
    return {"no vehicle touches an obstacle": room("ALLOCATION") > 0.0, "all arrive": _arrived(run)}


def directions(run: Run) -> dict[str, bool]:
    return {
        "all come to rest at the target": _arrived(run) and bool((run.speed[-1] < 0.1).all()),
        "no vehicle touches an obstacle": room("NORMALIZED_SUM") > 0.0,
    }


def one_at_a_time(run: Run) -> dict[str, bool]:
    return {
        "all get near the target": bool((run.to_body().min(axis=0) < 1.0).all()),
        "no vehicle touches an obstacle": room("ONE") > 0.0,
        "the steering is more restless than in the blend": restlessness("ONE") > 1.5 * restlessness("WEIGHTED_SUM"),
    }


def first_by_chance(run: Run) -> dict[str, bool]:
    return {
        "no vehicle touches an obstacle": room("DITHERING") > 0.0,
        "the steering is more restless than by priority": restlessness("DITHERING") > 1.5 * restlessness("PRIORITY"),
        "all get near the target": bool((run.to_body().min(axis=0) < 1.0).all()),
    }


CAPTIONS = {
    "WEIGHTED_SUM": (
        blend,
        "Both behaviors count all the time, and the vehicles turn gently. Where Avoid Obstacles needs much of their "
        "force, the pull to the target may not work against it: no vehicle touches an obstacle.",
    ),
    "PRIORITY": (
        first_that_applies,
        "While an obstacle is in the way only Avoid Obstacles counts, otherwise only the target. No vehicle touches an "
        "obstacle.",
    ),
    "ALLOCATION": (
        until_spent,
        "Avoid Obstacles takes the force it needs; the target gets what is left and may not work against it. No "
        "vehicle touches an obstacle.",
    ),
    "NORMALIZED_SUM": (
        directions,
        "Only the direction of each behavior counts, and less of it where it asks for very little: the vehicles come "
        "to rest at the target. No vehicle touches an obstacle.",
    ),
    "ONE": (
        one_at_a_time,
        "Each frame picks one behavior at random from those that apply, near an obstacle Avoid Obstacles on three "
        "frames of four. Momentum smooths the result, which is more restless than a blend; no vehicle "
        "touches an obstacle.",
    ),
    "DITHERING": (
        first_by_chance,
        "As First That Applies, but Avoid Obstacles is skipped on one frame of ten. No vehicle touches an obstacle; "
        "the steering is a little restless.",
    ),
}

FIGURES = {
    name: Figure(scene(name), SECONDS, shows, every=1.5, caption=caption) for name, (shows, caption) in CAPTIONS.items()
}
"""By the name of the choice."""
