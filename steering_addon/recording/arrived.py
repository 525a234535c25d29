"""Which vehicles are where they were led, on a frame of a run."""

from __future__ import annotations

import numpy as np

from ..simulation.arrays.vectors import Mask
from ..simulation.presence.stays import Staying, memory_of_name
from ..simulation.snapshot import State
from ..simulation.steering import errands


def arrived(state: State, before: State | None) -> Mask:
    """The vehicles that are where a behavior has led them, (n,).

    One that continues without a stay has arrived for a frame, one that stays for a time from its beginning to its end.

    Args:
        before: the state on the frame before; None on the first.
    """
    at, passing = errands(state).arrived.copy(), np.zeros(len(state), dtype=np.bool_)
    over, staying = passing.copy(), passing.copy()
    stays = {memory_of_name(name): name for name in state.arrived}
    for name, memory in state.memories.items():
        if isinstance(memory, Staying):
            goes_on = state.arrived.get(stays.get(name, ""))
            staying |= memory.arrived > 0.0 if goes_on is None else (memory.arrived > 0.0) & ~goes_on
    for name, goes_on in state.arrived.items():
        earlier = None if before is None else before.arrived.get(name)
        new = goes_on if earlier is None else goes_on & ~earlier
        stay = state.memories.get(memory_of_name(name))
        stayed = stay.arrived > 0.0 if isinstance(stay, Staying) else np.zeros(len(state), dtype=np.bool_)
        over |= new & stayed
        passing |= new & ~stayed
    has_arrived: Mask = ((at & ~over) | staying | passing) & ~state.away
    return has_arrived
