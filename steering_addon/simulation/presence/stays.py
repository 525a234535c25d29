"""Stays: agents that stand for a time at a place that a behavior has led them to, and then go on without it.

A place to stay at comes before all others: an agent goes there first, and has one goal at a time.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays.scalars import EPSILON, Mask, Scalars, anybody, everybody
from ..behavior import Behavior, Destination, Steering
from ..memory import Memory, remembered
from ..world import Agents, World
from .arrivals import PLACE, STANDING, without

STOPPING_TIME = 1.0
"""Seconds in which an agent comes to a stop from top speed where it arrives, if it is strong enough."""
SLOWEST_STOP = 3.0
"""Seconds after which an agent counts as standing where it has arrived, even if it cannot stop."""
BRAKING = 0.5
"""Share of max_force with which it does at most."""


@dataclass(frozen=True)
class Staying(Memory):
    """How long agents have stayed at a place. `arrived`: (n,) seconds since it has arrived, 0 before; `time`: (n,)
    seconds for which it has stood there."""

    arrived: Scalars = remembered(0.0)
    time: Scalars = remembered(0.0)


def memory_of(name: str) -> str:
    """The name under which it is remembered how long agents stay where the behavior of a name leads."""
    return f"{name}.stay"


def for_takers(behavior: Behavior, agents: Agents) -> Behavior:
    """The behavior, with weight 0 for agents that do not go where it leads."""
    if not isinstance(behavior, Destination) or everybody(behavior.share_going >= 1.0):
        return behavior
    return without(behavior, ~behavior.takers(agents.numbers, agents.crowd_keys))


def in_turn(
    behaviors: Sequence[Behavior], world: World, agents: Agents, recalled: Callable[[Behavior], Memory | None]
) -> list[Behavior]:
    """The behaviors, with weight 0 for the goals that wait for a stay.

    Of several places to stay at, the one of the lowest priority comes first, and of equal ones the first in the list.

    Args:
        recalled: what a behavior remembers of the agents.
    """
    stops = [b for b in behaviors if isinstance(b, Destination) and anybody(b.departs)]
    if not stops:
        return list(behaviors)
    first = np.full(len(agents), -1)
    least = np.full(len(agents), np.inf)
    for number, behavior in enumerate(stops):
        goal = behavior.goal(world, agents, recalled(behavior))
        if goal is None:
            continue
        bound = behavior.departs & (behavior.weight != 0.0) & np.isfinite(goal[:, 0]) & (behavior.priority < least)
        first, least = np.where(bound, number, first), np.where(bound, behavior.priority, least)
    numbers = {behavior.name: number for number, behavior in enumerate(stops)}
    return [
        without(b, (first >= 0) & (first != numbers.get(b.name, len(stops)))) if b.arrives else b for b in behaviors
    ]


def stay_on(
    behavior: Destination, world: World, agents: Agents, steering: Steering, memory: Staying
) -> tuple[Mask, Scalars, Staying]:
    """The fate of agents at the place that a behavior leads to, some of which stay there for a time.

    Returns:
        arrived: (n,) the agents that have arrived, or whose stay is over.
        speed_limit: (n,) m/s down to which those brake that stay, inf for the others.
        memory: for how long each has stayed.
    """
    arrived = np.zeros(len(agents), dtype=np.bool_) if steering.arrived is None else steering.arrived
    bound = behavior.departs & (behavior.weight != 0.0)
    # Some bodies stand before they touch, as they do not creep.
    slow = agents.speed <= STANDING * agents.max_speed
    stops = slow & (agents.goal_distance <= PLACE * agents.radius)
    if steering.leads_on is not None:
        stops &= ~steering.leads_on
    since = np.where((bound & (arrived | stops)) | (memory.arrived > 0.0), memory.arrived + world.dt, 0.0)
    # What cannot stop, such as a bird that never hovers, does not stay for ever.
    counts = (since > 0.0) & (slow | (memory.time > 0.0) | (since > SLOWEST_STOP))
    time = np.where(counts, memory.time + world.dt, 0.0)
    over = time > behavior.stay(agents.keys)
    stands = bound & (since > 0.0) & ~over
    brakes = np.minimum(BRAKING * agents.agility, agents.max_speed / STOPPING_TIME)
    slower = np.maximum(agents.speed - np.maximum(brakes, EPSILON) * world.dt, 0.0)
    limit: Scalars = np.where(stands, slower, np.inf)
    return np.where(behavior.departs, over, arrived), limit, Staying(since, time)
