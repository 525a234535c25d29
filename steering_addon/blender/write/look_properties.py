"""The custom properties that say how far the heads of vehicles turn, for drivers of models without a bone for that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...portrayal.driver_properties import LOOKS
from ...portrayal.heads import EYES, leads, toward
from ...simulation.arrays.vectors import Scalars
from ..crowds.crowd_clips import numbers_of_states, settings_for
from .plan_states import Narrator
from .sights import Sights

if TYPE_CHECKING:
    from ..read.plan import Plan
    from .clip_writer import Bodies

AXES = ("position", "forward", "up", "caller")
"""What is remembered of bodies, (n, 3) on each frame."""


class LookProperties:
    """Computes how far heads turn, in the crowds of a plan that key it.

    Attributes:
        are_keyed: whether there is such a crowd.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan, self._narrator = plan, Narrator(plan)
        self._crowds = [crowd for crowd in plan.crowds if crowd.portrayal is not None and crowd.portrayal.look.any()]
        self.are_keyed = bool(self._crowds)
        n, f = len(plan) if self.are_keyed else 0, len(plan.frames)
        self._axes = {name: np.empty((n, f, 3)) for name in AXES}
        self._state, self._eyes = np.empty((n, f), dtype=np.int64), np.empty((n, f))

    def frame(self, row: int, bodies: Bodies, heights: Scalars, lift: Scalars) -> None:
        """Take in the bodies of all vehicles on the frame of this row, by `bodies_of`.

        Args:
            heights: (n,) metres, 0 if unknown.
            lift: (n,) metres of their origins above the place where they stand.
        """
        if not self.are_keyed:
            return
        for name, column in self._axes.items():
            column[:, row] = getattr(bodies, name)
        self._state[:, row] = self._narrator.numbers(bodies.state)
        self._eyes[:, row] = np.maximum(EYES * heights - lift, 0.0)

    def columns(self) -> dict[int, dict[str, np.ndarray]]:
        """The properties (f,) of each vehicle of these crowds by name, by its row."""
        plan, told = self._plan, {}
        for crowd in self._crowds:
            settings = settings_for(crowd.ob, 1)
            states = numbers_of_states(crowd.ob, plan.scene)
            sights = Sights.of(crowd.ob, states, callers=bool(settings.look_at_caller[0]))
            places = sights.places(plan.scene, plan.frames)
            for row in crowd.rows.tolist():
                position, forward, up, caller = (self._axes[name][row] for name in AXES)
                left = leads(forward, up, float(settings.look_ahead[0]), plan.frame_time)
                seen = sights.seen(caller, self._state[row], places.__getitem__)
                eyes = position + self._eyes[row, :, None] * up
                told[row] = dict(zip(LOOKS, toward(seen, eyes, forward, up, left, plan.frame_time)))
        return told
