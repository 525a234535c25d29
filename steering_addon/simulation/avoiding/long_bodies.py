"""How soon velocities lead to contacts with long bodies.

Two capsules that keep their headings touch when the middle of one, seen from the other, comes within the sum of their
radii of a parallelogram whose sides are their axes. From outside, only the two edges that face the agent can be touched
first, and each is a segment: the time to a contact with the strip about it comes first if it is beside the segment,
else that with the disc about the nearer end. Parallel axes make a single segment.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays.scalars import EPSILON, Rows, Scalars, clamp
from ..arrays.vectors import Vectors, across, dot, picked
from ..world import Agents, World

SOONEST = 0.1
"""Seconds: danger rises no further for nearer contacts. It is the default time between two decisions, so a nearer one
comes before the agent can decide again. Obstacles do not yield, so half of that holds for them."""
LEAST_ROOM = 1e-6
"""Square metres: keeps `room` positive for bodies that overlap; 1 mm squared."""
PARALLEL = 1e-4
"""Squared sine of the angle between two axes, half a degree, below which they count as parallel."""

Table = NDArray[np.float64]
Components = Sequence[Table]


@dataclass(frozen=True)
class Edge:
    """An edge of the parallelogram of each of p pairs. `middle`: (p, 3) from the agent, metres; `axis`: (p, 3) its unit
    direction; `half`: (p,) half its length, metres."""

    middle: Vectors
    axis: Vectors
    half: Scalars


def edges_of(world: World, agents: Agents, agent: Rows, body: Rows, offset: Vectors) -> tuple[Edge, Edge]:
    """The two edges that face the agent; of parallel axes, and of a sphere, the second is as long as a point. `agent`,
    `body`: (p,) pairs of an agent and a body that it perceives; `offset`: (p, 3) from the agent to the body, metres."""
    half = world.bodies.half_axis
    assert half is not None
    h, k = half[agents.rows[agent]], half[body]
    axes, other_axes = picked(agents.forward, agent), picked(world.bodies.forward, body)
    cosine = dot(axes, other_axes)
    single = (1.0 - cosine * cosine < PARALLEL) | (h == 0.0) | (k == 0.0)
    # Toward the agent, seen across the direction of the edge.
    nearer = np.where(dot(axes, across(offset, other_axes)) > 0.0, -h, h)
    nearer_other = np.where(dot(other_axes, across(offset, axes)) > 0.0, -k, k)
    one_axis = np.where((k > 0.0)[:, None], other_axes, axes)
    first = Edge(
        np.where(single[:, None], offset, offset + axes * nearer[:, None]), one_axis, np.where(single, h + k, k)
    )
    second = Edge(
        np.where(single[:, None], 0.0, offset + other_axes * nearer_other[:, None]), axes, np.where(single, 0.0, h)
    )
    return first, second


@dataclass(frozen=True)
class Long:
    """The edges of others, by row and agent; the offsets to their middles are those of `Others`.

    Attributes:
        axis: (K, n) per component, unit directions.
        half: (K, n) half the lengths, metres.
        contact_squared: (K, n) square of the distance that counts as a contact.
        ring: (K, n) contact^2 - touching^2, the ring of the clearance; 0 in space.
    """

    axis: Components
    half: Table
    contact_squared: Table
    ring: Table

    def take(self, rows: Rows) -> "Long":
        """The edges of some agents."""
        axis = [component[:, rows] for component in self.axis]
        return Long(axis, self.half[:, rows], self.contact_squared[:, rows], self.ring[:, rows])

    def danger(
        self, rows: slice, offset: Components, velocity: Components, agent: Rows, least: Scalars
    ) -> tuple[Rows, Scalars]:
        """The dangers of contacts with the edges of k rows.

        Args:
            offset: (k m,) per component, to the middles of the edges, metres.
            velocity: (k m,) per component, relative velocities to try, m/s.
            agent: (m,) the agent, from 0, that would take up each.
            least: (m,) 1 / look-ahead time.

        Returns:
            rows: (q,) those of k m that lead to a contact.
            danger: (q,) max(min(1 / t, 1 / SOONEST) - least, 0) min(depth, 1), where depth is 0 at the edge of the
                clearance and 1 where the bodies touch.
        """
        axis = [component[rows].take(agent, axis=1).ravel() for component in self.axis]
        half, contact, ring = (
            x[rows].take(agent, axis=1).ravel() for x in (self.half, self.contact_squared, self.ring)
        )
        closing, speed, distance = _sum(velocity, offset), _sum(velocity, velocity), _sum(offset, offset)
        along, start = _sum(velocity, axis), _sum(offset, axis)

        # Where the course comes nearest to the segment.
        sine = speed - along * along
        slanted = sine > EPSILON
        nearest = np.where(slanted, (closing * along - start * speed) / np.where(slanted, sine, 1.0), -start)
        at = clamp(nearest, -half, half)
        square, toward = _square(closing + at * along, speed, distance + at * (2.0 * start + at) - contact)
        hit = np.flatnonzero(toward & (square > 0.0))
        depth = square[hit] / np.maximum(speed[hit] * ring[hit], EPSILON)

        closing, speed, distance, along, start = (x[hit] for x in (closing, speed, distance, along, start))
        half, contact, sine = half[hit], contact[hit], sine[hit]
        # The strip about the line of the segment.
        room = distance - start * start - contact
        crossing = closing - along * start
        square, toward = _square(crossing, sine, room)
        beside = (room > LEAST_ROOM) & toward & (square > 0.0)
        soon_beside = np.where(beside, (crossing + np.sqrt(np.maximum(square, 0.0))) / np.where(beside, room, 1.0), 1.0)
        place = np.where(beside, along / np.maximum(soon_beside, EPSILON) - start, -start)
        # The disc about the end, or about the middle of what the agent is beside already.
        at = clamp(place, -half, half)
        room = np.maximum(distance + at * (2.0 * start + at) - contact, LEAST_ROOM)
        square, toward = _square(closing + at * along, speed, room)
        soon = np.where(toward, (closing + at * along + np.sqrt(np.maximum(square, 0.0))) / room, 0.0)
        soon = np.where(beside & (at == place), soon_beside, np.where(square > 0.0, soon, 0.0))
        danger = np.maximum(np.minimum(soon, 1.0 / SOONEST) - least[hit % len(agent)], 0.0) * np.minimum(depth, 1.0)
        return hit, danger


def _sum(a: Components, b: Components) -> Table:
    """The products of components, added; (m,)."""
    total = a[0] * b[0] + a[1] * b[1]
    return total if len(a) == 2 else total + a[2] * b[2]


def _square(closing: Table, speed_squared: Table, room: Table) -> tuple[Table, NDArray[np.bool_]]:
    """closing^2 - speed^2 room, and whether the two come nearer; (m,) each."""
    return closing * closing - speed_squared * room, closing > 0.0
