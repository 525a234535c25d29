"""Urgency: what keeps a body out of an obstacle is not weighed up against what else is wanted.

Behaviors that are averaged outvote the one that turns aside, and those that take turns leave it out for many steps, so
that a body runs into what it sees. With the combined force f, the urgent part u = |u| d and the limit F = max_force,
what leads along d by less than u is made up for:

    f . d < |u|  becomes  u + (f - (f . d) d), of which the second part is cut to sqrt(F^2 - |u|^2)

Below FIRM F, it becomes so only in part, |u| / (FIRM F): where a push from an obstacle sets in, it would otherwise
forbid every move against it, and hold a vehicle in the open.
"""

from __future__ import annotations

import numpy as np

from .arrays.vectors import Scalars, Vectors, across, anybody, dot, magnitude, ratio, truncate, unit
from .combining import FIRM

ENOUGH = 1.0 - 1e-12
"""What is missing beyond it is a rounding error, and so is what it leaves of max_force."""


def with_urgent(force: Vectors, urgent: Vectors, max_force: Scalars) -> Vectors:
    """The combined force with what is urgent, (n, 3) newtons.

    Args:
        force: (n, 3) what all behaviors come to, newtons.
        urgent: (n, 3) newtons, zero for nothing.
        max_force: (n,) newtons.
    """
    if not urgent.any():
        return force
    urgent = truncate(urgent, max_force)
    direction, needed = unit(urgent), magnitude(urgent)
    short = dot(truncate(force, max_force), direction) < needed * ENOUGH
    if not anybody(short):
        return force
    left = np.sqrt(np.where(needed < ENOUGH * max_force, max_force * max_force - needed * needed, 0.0))
    made_up = urgent + truncate(across(force, direction), left)
    firm = np.minimum(ratio(needed, FIRM * max_force), 1.0)
    made_up = np.where((firm < 1.0)[:, None], force + (made_up - force) * firm[:, None], made_up)
    return np.where(short[:, None], made_up, force)
