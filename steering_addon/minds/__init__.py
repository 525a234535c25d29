"""The conditions of triggers: WHEN a vehicle changes its mind, one file each (Reynolds 1999, action selection)."""

from __future__ import annotations

from .alone import Alone
from .always import Always
from .arrived import Arrived
from .condition import Condition
from .crowded import Crowded
from .faster import Faster
from .inside import Inside
from .near import Near
from .outside import Outside
from .sees import Sees
from .stuck import Stuck
from .touched import Touched

CATALOGUE: tuple[type[Condition], ...] = (
    Near,
    Sees,
    Inside,
    Outside,
    Arrived,
    Touched,
    Alone,
    Crowded,
    Stuck,
    Faster,
    Always,
)
"""All conditions, in the order of the interface."""
