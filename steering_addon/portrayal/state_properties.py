"""What state each vehicle is in, as numbers keyed on it: for rigs, shape keys and clips that know nothing of crowds.

One whole number names the state. The others say how far a vehicle has taken up each state, so that what they drive
comes and goes as gently as the motion does.
"""

from __future__ import annotations

STATE = "steering_state"
"""The property that holds the number of the state. Files store this name and drivers refer to it: it never changes."""
SHARE = "state_"
"""How the names of the properties begin that hold the shares. Never changes."""


def is_of_states(name: str) -> bool:
    """Whether a property of a vehicle may be one of these."""
    return name == STATE or name.startswith(SHARE)
