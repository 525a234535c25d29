"""Pursuit: head for where the quarry will be.

The quarry comes from the left. Pursuit heads for the point where both will meet; seek (dotted) heads for where the
quarry is, and ends up behind it.
"""

from steering_addon.behaviors.pursuit import Pursuit
from steering_addon.behaviors.seek import Seek
from steering_addon.scene import leaders

from ..figure import Figure, PlanarScene, Run


def chase(behavior: type) -> PlanarScene:
    name = "target" if behavior is Seek else "quarry"
    return PlanarScene(
        position=[(5.0, -15.0, 0.0)],
        forward=(0.0, 1.0, 0.0),
        speed=4.0,
        behaviors=[(behavior, {name: 1})],
        tracked=leaders((-10.0, 2.0, 0.0)),
        drift=(4.4, 0.0, 0.0),
    )


def caught(run: Run) -> int:
    """The index of the frame in which the quarry is reached."""
    return int((run.to_body()[:, 0] < 1.0).argmax())


def shows(run: Run) -> dict[str, bool]:
    seeking = Run.of(FIGURE.without, FIGURE.seconds)
    return {
        "it meets the quarry": caught(run) > 0,
        "seek does not": bool(seeking.to_body().min() > 1.0),
        "seek is drawn to the left first": bool(seeking.position[:, 0, 0].min() < run.position[:, 0, 0].min() - 3.0),
        "and ends behind the quarry": bool(seeking.position[-1, 0, 0] < seeking.bodies[-1, 0, 0] - 1.0),
    }


FIGURE = Figure(chase(Pursuit), 5.6, shows, chase(Seek), every=0.8)
