"""Escaping: from how far away a threat is run from, and which way.

What comes at an agent faster than it can run is not outrun, only dodged: of all ways at a speed v, the one that leaves
the most room to a threat of speed w on its straight line makes an angle with it of which the cosine is v / w. Source:
Weihs and Webb, Optimal avoidance and evasion tactics in predator-prey interactions, 1984.
"""

import numpy as np

from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, anybody
from ..arrays.vectors import Vectors, dot, magnitude, picked, unit
from ..world import Agents, World

REACTION = "Time in which it reacts: what comes at it counts from as much farther away as it comes nearer meanwhile"
"""The tooltip of reaction times."""
GATHERED = 0.5
"""The share of its speed that an agent has in the mean until it has turned and gathered it."""
LEAVES = 0.7
"""The share of its cruise speed from which on an agent lets go of what goes away."""


def comes_near(
    world: World,
    agents: Agents,
    threat: Rows,
    gap: Scalars,
    distance: Scalars,
    reaction_time: Scalars,
) -> Mask:
    """Whether threats are nearer than a distance, or are going to be within a reaction time, (n,).

    What goes away about as fast as an agent cruises is not run from any longer.

    Args:
        threat: (n,) rows of World.bodies, -1 for none.
        gap, distance: (n,) metres; a distance of 0 is any distance.
        reaction_time: (n,) seconds.
    """
    row = np.maximum(threat, 0)
    offset = agents.level(agents.position - picked(world.bodies.position, row))
    approach = dot(picked(world.bodies.velocity, row), unit(offset))
    near: Mask = (gap < distance + reaction_time * np.maximum(approach, 0.0)) | (distance == 0.0)
    return near & (threat >= 0) & (approach >= -LEAVES * agents.cruise_speed)


def dodged(world: World, agents: Agents, threat: Rows, places: Vectors, speed: Scalars) -> Vectors:
    """The places to run from, (n, 3) metres, moved so that agents leave the way of threats that are faster.

    Others keep their places, to the last bit.

    Args:
        threat: (n,) rows of World.bodies, none negative.
        places: (n, 3) where the threats are or will be, metres.
        speed: (n,) at which the agents run, m/s.
    """
    velocity = agents.level(picked(world.bodies.velocity, threat))
    offset = agents.level(agents.position - picked(world.bodies.position, threat))
    faster = np.maximum(magnitude(velocity), EPSILON)
    approach = np.maximum(dot(velocity, unit(offset)) / faster, 0.0)
    share = np.maximum(1.0 - GATHERED * speed / faster, 0.0) * approach
    if not anybody(share > 0.0):
        return places
    # Which side is the nearer one depends on where both are going to be, if they go straight on.
    way = unit(agents.level(agents.velocity) - velocity)
    aside = offset - way * dot(offset, way)[:, None]
    on_the_way = magnitude(aside) < EPSILON
    if anybody(on_the_way):
        aside = np.where(on_the_way[:, None], agents.level(agents.side), aside)
    straight = (1.0 - share)[:, None]
    out = agents.away_from(places) * straight + unit(aside) * np.sqrt(1.0 - straight * straight)
    return np.where((share > 0.0)[:, None], agents.position - unit(out), places)
