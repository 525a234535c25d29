"""Damping: the steering force that acts follows the one decided on (Reynolds 1999, Combining Behaviors)."""

from __future__ import annotations

import numpy as np

from .arrays.vectors import Vectors, truncate
from .vehicle import VehicleModel


def damped(model: VehicleModel, before: Vectors, wanted: Vectors, dt: float) -> Vectors:
    """The forces that act, (n, 3) newtons: a low-pass filter of the decided forces (paper, Combining Behaviors).

    It keeps the motion smooth if a vehicle changes between behaviors, or chooses them at random. The filter is
    implicit, and stable for steps of any length.

    Args:
        before: (n, 3) the forces that acted in the previous step, newtons.
        wanted: (n, 3) the forces decided on, newtons.
        dt: seconds.
    """
    if not model.is_damped:
        return wanted
    smoothed = before + (truncate(wanted, model.max_force) - before) * (dt / (dt + model.damping))[:, None]
    return np.where((model.damping > 0.0)[:, None], smoothed, wanted)
