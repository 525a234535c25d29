"""Walking: at what pace, what is remembered of each walker, and a step that is not on the ground yet."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.scalars import EPSILON, Mask, Rows, Scalars, nobody
from ..simulation.arrays.vectors import Vectors, dot, from_above
from ..simulation.geometry.floors import Footing
from ..simulation.memory import Memory, remembered
from ..simulation.vehicle import VehicleModel
from .walkable import Walkable

ROUND = 0.5
"""The share of its pace at which a walker goes round to what is beside or behind it."""
ONWARD = 0.5
"""The cosine between heading and wish from which on a walker that is to stand walks on."""
BLOCKED = 0.5
"""The share of a step below which another body blocks an animal: it then steps round on the spot."""
PERSON, WALK = 0.3, 1.32
"""The radius of a person in metres, and its brisk walk, m/s."""


def brisk_walk(radius: Scalars) -> Scalars:
    """The speed of a brisk walk of bodies of a radius, (n,) metres to (n,) m/s, which goes by the root of it."""
    return WALK * np.sqrt(np.maximum(radius, EPSILON) / PERSON)


def settled(model: VehicleModel, wished: Scalars, onward: Scalars) -> Mask:
    """The walkers that are to stand and that nothing asks to walk, (n,), though something may pull them aside or back.

    Args:
        wished, onward: (n,) the speed within the response time, and its part along the heading, m/s.
    """
    stands = model.cruise_speed <= 0.0
    if not stands.any():
        return nobody(len(stands))
    return stands & (wished < ROUND * model.pace) & (onward < ONWARD * wished)


@dataclass(frozen=True)
class Walking(Memory):
    """The memory of each walker: what it stands on, and how it gets past what it cannot climb.

    Level vectors are (n, 2), as seen from above.

    Attributes:
        triangle: of the surfaces, -1 for none.
        normal: of the ground.
        stands: whether it stands still.
        side: on which it goes round ground that is too steep: 1 left, -1 right, 0 neither.
        looks_in: seconds until it looks ahead again.
        ahead, aside: the cosine and the sine of the angle by which it goes round, to the left of where it wants to go.
        wary: whether the ground straight ahead ended or was too steep within its reach when it last looked.
        has_room: whether the curve of its turning circle leads it there on ground that it can walk.
        inward: the direction to which one turns back from an edge, until it faces it; 0 for none.
        way_out: the direction into which one turns that is cornered, and keeps to; 0 for none.
        cornered: whether a step was refused, and none has been taken since.
        blocked: whether contacts stopped one that cannot turn on the spot, and it has not walked since.
        turning: radians a second by which it turned to the left in the last step.
        leans: the tangent of the angle by which it leans to the left as it runs round a bend.
        push: the force that acts on it, newtons; the mean of the recent ones while it is slow.
        fall_speed: metres a second.
        carried: metres by which steps carry it higher than the ground below its middle.
        climb: the grade at which it climbs where there may be steps.
        tread: metres of a tread of the stairs on which it is; 0 for none.
        off: metres by which it is off that height.
    """

    triangle: Rows = remembered(-1)
    normal: Vectors = remembered((0.0, 0.0, 1.0))
    stands: Mask = remembered(False)
    side: Rows = remembered(0)
    looks_in: Scalars = remembered(0.0)
    ahead: Scalars = remembered(1.0)
    aside: Scalars = remembered(0.0)
    wary: Mask = remembered(False)
    has_room: Mask = remembered(True)
    inward: Vectors = remembered((0.0, 0.0))
    way_out: Vectors = remembered((0.0, 0.0))
    cornered: Mask = remembered(False)
    blocked: Mask = remembered(False)
    turning: Scalars = remembered(0.0)
    leans: Scalars = remembered(0.0)
    push: Vectors = remembered((0.0, 0.0))
    fall_speed: Scalars = remembered(0.0)
    carried: Scalars = remembered(0.0)
    climb: Scalars = remembered(0.0)
    tread: Scalars = remembered(0.0)
    off: Scalars = remembered(0.0)


@dataclass(frozen=True)
class Stride:
    """A step that is not on the ground yet.

    Attributes:
        start: (n, 3) where it began, metres.
        walking: what is remembered then.
        end: (n, 3) where it leads if nothing pushes, metres.
        footing: what is trodden there; no triangle where that is not known.
        walkable: what they may tread.
        reach: (n,) from the middle of each body to its ends, metres.
        pace: (n,) the speed at which they walk, m/s.
        led: (n,) those that were led by hand; None if none was.
    """

    start: Vectors
    walking: Walking
    end: Vectors
    footing: Footing | None
    walkable: Walkable
    reach: Scalars
    pace: Scalars
    led: Mask | None = None

    def got_on(self, position: Vectors) -> Scalars:
        """The share of their steps, (n,), that walkers made whom contacts pushed to positions (n, 3); 1 for no step."""
        way, step = from_above(position - self.start), from_above(self.end - self.start)
        square = dot(step, step)
        share = np.maximum(dot(way, step), 0.0) / np.maximum(square, EPSILON)
        return np.where(square > EPSILON, share, 1.0)
