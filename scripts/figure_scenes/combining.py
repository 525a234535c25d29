"""The ways to combine: the same three vehicles with the same two behaviors, combined in each way."""

from collections.abc import Callable
from functools import cache

import numpy as np

from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.scene import leaders, obstacles
from steering_addon.simulation.combining import COMBININGS

from ..figure import FIGURES, Figure, PlanarScene, Run, figure

SECONDS = 9.0
NUMBERS = {choice.name: choice.number for choice in COMBININGS}


def drawing_of(way: str) -> str:
    """The name of the drawing of a way to combine, by the name of the choice."""
    return f"combining-{way.lower().replace('_', '-')}"


def combined(way: str) -> Callable[[Callable[[Run], dict[str, bool]]], Figure]:
    """Declare the figure of a way to combine."""
    scene = PlanarScene(
        position=[(-11.0, 2.0, 0.0), (-11.0, 0.4, 0.0), (-11.0, -2.4, 0.0)],
        speed=3.0,
        behaviors=[
            (Arrival, {"target": 3, "priority": 2, "probability": 0.3}),
            (ObstacleAvoidance, {"priority": 1, "probability": 0.9}),
        ],
        vehicle={"radius": 0.4, "max_speed": 4.0},
        combining=NUMBERS[way],
        tracked=leaders((9.0, 0.0, 0.0)),
        obstacles=obstacles([(-2.0, 0.0, 0.0), (4.0, 2.5, 0.0), (3.0, -3.0, 0.0)], [2.0, 1.2, 1.0]),
    )
    return figure(scene, SECONDS, every=1.5, name=drawing_of(way))


@cache
def run_of(way: str) -> Run:
    return FIGURES[drawing_of(way)].run()


def room(way: str) -> float:
    """The smallest gap between a vehicle's body and an obstacle, metres."""
    return float(run_of(way).clearance().min() - 0.4)


def restlessness(way: str) -> float:
    """The mean change of the steering force from frame to frame."""
    force = np.stack([state.force for state in run_of(way).states])[1:]
    return float(np.linalg.norm(np.diff(force, axis=0), axis=-1).mean())


def _arrived(run: Run) -> bool:
    return bool((run.to_body()[-1] < 0.4).all())


@combined("WEIGHTED_SUM")
def blend(run: Run) -> dict[str, bool]:
    """Both behaviors count all the time, and the vehicles turn gently. Where Avoid Obstacles needs much of their force,
    the pull to the target may not work against it: no vehicle touches an obstacle."""
    return {
        "all arrive": _arrived(run),
        "no vehicle touches an obstacle": room("WEIGHTED_SUM") > 0.0,
        "they turn less hard than by priority": restlessness("WEIGHTED_SUM") < restlessness("PRIORITY"),
    }


@combined("PRIORITY")
def first_that_applies(run: Run) -> dict[str, bool]:
    """While an obstacle is in the way only Avoid Obstacles counts, otherwise only the target. No vehicle touches an
    obstacle."""
    return {
        "no vehicle touches an obstacle": room("PRIORITY") > 0.0,
        "all arrive": _arrived(run),
        "they keep more distance than in the blend": room("PRIORITY") > room("WEIGHTED_SUM"),
    }


@combined("ALLOCATION")
def until_spent(run: Run) -> dict[str, bool]:
    """Avoid Obstacles takes the force it needs; the target gets what is left and may not work against it. No vehicle
    touches an obstacle."""
    return {"no vehicle touches an obstacle": room("ALLOCATION") > 0.0, "all arrive": _arrived(run)}


@combined("NORMALIZED_SUM")
def directions(run: Run) -> dict[str, bool]:
    """Only the direction of each behavior counts, and less of it where it asks for very little: the vehicles come to
    rest at the target. No vehicle touches an obstacle."""
    return {
        "all come to rest at the target": _arrived(run) and bool((run.speed[-1] < 0.1).all()),
        "no vehicle touches an obstacle": room("NORMALIZED_SUM") > 0.0,
    }


@combined("ONE")
def one_at_a_time(run: Run) -> dict[str, bool]:
    """Each frame picks one behavior at random from those that apply, near an obstacle Avoid Obstacles on three frames
    of four. Momentum smooths the result, which is more restless than a blend; no vehicle touches an obstacle."""
    return {
        "all get near the target": bool((run.to_body().min(axis=0) < 1.0).all()),
        "no vehicle touches an obstacle": room("ONE") > 0.0,
        "the steering is more restless than in the blend": restlessness("ONE") > 1.5 * restlessness("WEIGHTED_SUM"),
    }


@combined("DITHERING")
def first_by_chance(run: Run) -> dict[str, bool]:
    """As First That Applies, but Avoid Obstacles is skipped on one frame of ten. No vehicle touches an obstacle; the
    steering is a little restless."""
    return {
        "no vehicle touches an obstacle": room("DITHERING") > 0.0,
        "the steering is more restless than by priority": restlessness("DITHERING") > 1.5 * restlessness("PRIORITY"),
        "all get near the target": bool((run.to_body().min(axis=0) < 1.0).all()),
    }
