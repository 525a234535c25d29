"""The fitted constants of the choice of a velocity.

They were fitted on small stages, which scripts/measure avoidance judges; docs/avoidance.md has the formula, the targets
and the table of how much each matters. The score is a mean over runs of crowds, which are chaotic: 10 % of most of
these constants change it by less than two of its errors. What stands out is noted below. Everything else in the rule is
derived where it stands.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Costs:
    """The costs of velocities. They are differences of velocity in strides, so a cost of 1 is that of standing still.

    Attributes:
        danger: cost of a contact one second ahead; a contact after t seconds costs danger / t. With 10 % less two
            agents sometimes block each other.
        others: share at which all contacts count besides the first.
        change: cost of a change of velocity, relative to that of differing from the wished one.
        pace: in space, additional cost of another speed than the wished one: flyers and swimmers go round and keep
            going. The score hardly depends on it.
        closer: share of the clearance by which an agent inside it has to come nearer still before that counts as a
            contact, on the ground. With less, walkers who stand close start back from each other's least movements.
        closer_at_least: metres that it has to come nearer in any case, in space too. The score hardly depends on it.
        share: share of the avoidance that the agent does; it expects the rest of the other. 1/2 is reciprocal
            avoidance, 1 expects nothing. A lower share may be better: 10 % less gains 5 % with three seeds.
        right: bonus for going right, and cost of going left.
        right_when_blocked: the same again, times the danger of the wished velocity, at most 1. Only agents that are
            met count, by who steps aside those that come or face towards it: others ahead, and obstacles, are passed
            on either side. Otherwise a throng before a door would drift to the right along the wall.
        right_by_stepping: the same for agents that step aside, which can do so without going on. With less, streams
            that meet sometimes stop each other all across a corridor; with more, discs would turn more.
        enough_to_the_right: speed to the right, in strides, beyond which the bonus s / sqrt(1 + s^2) levels off. 10 %
            more raises the score by 26 %, since two agents sometimes block each other.
        overtaken: speed, in strides, above which an agent gains on one ahead that it overtakes instead of meeting it,
            and above which another comes towards one that steps aside.
        foreseen: seconds for which others on the ground are expected to keep turning or braking; after that they go
            straight. Swimmers and flyers turn all the time, and expecting it makes them turn back and forth.
        wall_time: seconds beyond which contacts with obstacles do not count.
        wall_danger: cost of a contact with an obstacle, relative to one with another agent.
        slowest: share of max_speed that is the least stride, for agents that wish to be slower.
    """

    danger: float = 1.53
    others: float = 0.04
    change: float = 0.37
    pace: float = 0.5
    closer: float = 0.3
    closer_at_least: float = 0.005
    share: float = 0.93
    right: float = 0.05
    right_when_blocked: float = 0.75
    right_by_stepping: float = 1.1
    enough_to_the_right: float = 0.5
    overtaken: float = 0.3
    foreseen: float = 0.2
    wall_time: float = 3.5
    wall_danger: float = 0.56
    slowest: float = 0.5


COSTS = Costs()
