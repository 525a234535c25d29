"""Turning to a point: the speed at which an agent still can, and the force that swings it round."""

import numpy as np

from ..arrays.scalars import EPSILON, Scalars, anybody, clamp
from ..arrays.vectors import Vectors, across, dot, magnitude, truncate, unit
from ..world import Agents

STRAIGHT_BEHIND = 0.65
"""Cosine of the angle from straight behind within which all turn to one side, and none into the one beside it."""
BESIDE = 0.35
"""Sine of the angle off the heading, or off straight behind, from which on a way leads to a side."""

STEEP = 0.1
"""Sine of the angle between heading and up below which no turn is level."""


def turning_speed(agents: Agents, direction: Vectors, distance: Scalars, share: float) -> Scalars:
    """The speed at which the tightest circle leads to a point, (n,) m/s; a faster agent would circle round it.

    The circle touches the heading and goes through the point: radius = distance / (2 sin(angle off the heading)), with
    the sine of a right angle for a point behind. `direction`: (n, 3) unit vectors to the point; `distance`: (n,) metres
    to the point; `share`: the share of max_force that the turn may take.
    """
    sine = magnitude(across(direction, agents.forward))
    sine = np.where(dot(direction, agents.forward) > 0.0, sine, 1.0)
    radius = distance / (2.0 * np.maximum(sine, EPSILON))
    return np.minimum(agents.handling.turn_rate * radius, np.sqrt(share * agents.agility * radius))


def swing_round(agents: Agents, force: Vectors, direction: Vectors, onward_way: Vectors | None = None) -> Vectors:
    """Forces that swing agents round to what is behind them instead of stopping them first, (n, 3) newtons.

    The further behind, the less of the force against the heading is left; the force aside grows by what that had, so
    that the whole is as strong as before. Agents with the point straight behind turn to the right.

    Args:
        force: (n, 3) newtons, toward the point.
        direction: (n, 3) unit vectors to the point.
        onward_way: (n, 3) unit vectors in which a way continues there. Those that turn round beside each other then
            turn level and to the same side, that of the onward way; to the right where it leads straight back.
    """
    behind = clamp(-dot(direction, agents.forward), 0.0, 1.0)
    onward = dot(force, agents.forward)
    turns = (behind > 0.0) & (onward < 0.0)
    if not anybody(turns):
        return force
    onward = onward * (1.0 - behind)
    aside = across(force, agents.forward)
    aside = unit(np.where((magnitude(aside) > EPSILON)[:, None], aside, agents.level(agents.side)))
    if onward_way is not None:
        right = -agents.left_of(agents.forward)
        alike = (behind > STRAIGHT_BEHIND) & (magnitude(right) > STEEP)
        right = unit(right)
        leftward = dot(onward_way, right) < -BESIDE
        aside = np.where(alike[:, None], np.where(leftward[:, None], -right, right), aside)
    remaining = np.sqrt(np.maximum(dot(force, force) - onward * onward, 0.0))
    swung = agents.forward * onward[:, None] + aside * remaining[:, None]
    return np.where(turns[:, None], swung, force)


def lead_round(
    agents: Agents, force: Vectors, direction: Vectors, onward_way: Vectors, speed: Scalars, response_time: Scalars
) -> Vectors:
    """Forces along a way, (n, 3) newtons, that turn into it those who do not stop for that.

    In flight they swing round: asked straight back, they would waver between their sides, or fly on as they brake. On
    foot they keep their pace: an animal turns on its circle, and braking would not make that smaller. `force`: (n, 3)
    newtons, toward the way; `direction`, `onward_way`: (n, 3) unit vectors, as of `swing_round`; `speed`: (n,) m/s, at
    which they are to go.
    """
    swings = agents.handling.swings_round
    if not anybody(swings):
        return force
    onward = (speed - dot(agents.velocity, agents.forward)) * agents.mass / response_time
    walked = truncate(agents.forward * onward[:, None] + across(force, agents.forward), agents.max_force)
    turned = np.where(agents.grounded[:, None], walked, swing_round(agents, force, direction, onward_way))
    return np.where(swings[:, None], turned, force)


def hurry_round(agents: Agents, force: Vectors, offset: Vectors) -> Vectors:
    """The forces in which something beside or behind turns agents round that hurry to it, (n, 3) newtons.

    Those that turn on the spot do that, and so do all that can soon stop for it. Animals that run keep the pace at
    which their circle is no wider: braking would only make them come round later. So they could not reach what is
    within the circle. `force`: (n, 3) newtons, toward it; `offset`: (n, 3) metres, to it.
    """
    direction = unit(offset)
    handling = agents.handling
    pivots = ~handling.swings_round & (handling.side_step > 0.0)
    on_the_spot = agents.grounded & (pivots | (agents.speed < handling.stops_to_turn * agents.agility))
    swung = np.where(on_the_spot[:, None], force, swing_round(agents, force, direction))
    onward = dot(direction, agents.forward)
    sine = np.where(onward > 0.0, magnitude(across(direction, agents.forward)), 1.0)
    is_outside = magnitude(offset) > 2.0 * handling.turning_circle * sine
    circles = agents.grounded & handling.swings_round & is_outside & ~on_the_spot
    if not anybody(circles):
        return swung
    in_turn = np.minimum(agents.max_speed, handling.turn_rate * handling.turning_circle)
    speed = in_turn + (agents.max_speed - in_turn) * clamp(onward, 0.0, 1.0)
    led = lead_round(agents, swung, direction, direction, speed, agents.vehicle.response_time)
    return np.where(circles[:, None], led, swung)
