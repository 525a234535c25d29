"""Where agents are on the lines of paths: each at its nearest point of the line that it follows."""

from ..arrays.scalars import Scalars, anybody, everybody, which
from ..arrays.vectors import Vectors, magnitude
from ..geometry.lines import Followed
from ..world import Agents

LOST = 3.0
"""Distance from its point of the path, in radii, beyond which a follower searches the whole path again."""


def locate(line: Followed, agents: Agents, points: Vectors, along: Scalars, radius: Scalars, dt: float) -> Scalars:
    """The positions of points along the lines, (m,) metres; near the last ones unless an agent lost its line.

    Args:
        points: (m, 3) the positions of the agents, less the offset of the line where a bypass leads past an obstacle.
    """
    step = 2.0 * agents.speed * dt + 2.0 * line.spacing
    along = line.nearest_within(points, along, step, ups_of_walkers(agents))
    lost = which(distance_from_line(line, agents, points, along) > LOST * radius)
    if len(lost):
        along[lost] = line.take(lost).nearest(points[lost], ups_of_walkers(agents.take(lost)))
    return along


def ups_of_walkers(agents: Agents) -> Vectors | None:
    """The up of agents on the ground, (m, 3), from where they see a line: it lies draped on what they walk on.

    Zero for others, which see it in space; None if all do.
    """
    if not anybody(agents.grounded):
        return None
    return agents.upward if everybody(agents.grounded) else agents.upward * agents.grounded[:, None]


def distance_from_line(line: Followed, agents: Agents, points: Vectors, along: Scalars) -> Scalars:
    """The distances of points from positions along the lines, (m,) metres, level for agents on the ground."""
    return magnitude(agents.level(points - line.position(along)))
