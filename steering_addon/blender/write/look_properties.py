"""The custom properties that say how far the heads of vehicles turn, for drivers of models without a bone for that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...portrayal.driver_properties import LOOKS
from ...portrayal.heads import EYES, leads, toward
from ...simulation.arrays.vectors import Scalars
from ..clips.clip_heads import LiveTurns
from ..clips.crowd_clips import numbers_of_states, settings_for
from ..clips.sights import Sights
from .plan_states import Narrator

if TYPE_CHECKING:
    from ..clips.clip_bodies import Bodies
    from ..read.plan import Plan
    from ..read.sources import CrowdSource

AXES = ("position", "forward", "up", "caller")
"""What is remembered of bodies, (n, 3) on each frame."""


class LookProperties:
    """Computes how far heads turn, in the crowds of a plan that key it.

    Attributes:
        are_keyed: whether there is such a crowd.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan, self._narrator = plan, Narrator(plan)
        self._crowds = _looking(plan)
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
        self._eyes[:, row] = _eyes(heights, lift)

    def columns(self) -> dict[int, dict[str, np.ndarray]]:
        """The properties (f,) of each vehicle of these crowds by name, by its row."""
        plan, told = self._plan, {}
        for crowd in self._crowds:
            lead, sights = _lead_and_sights(crowd, plan)
            places = sights.places(plan.scene, plan.frames)
            for row in crowd.rows.tolist():
                position, forward, up, caller = (self._axes[name][row] for name in AXES)
                left = leads(forward, up, lead, plan.frame_time)
                seen = sights.seen(caller, self._state[row], places.__getitem__)
                eyes = position + self._eyes[row, :, None] * up
                told[row] = dict(zip(LOOKS, toward(seen, eyes, forward, up, left, plan.frame_time)))
        return told


class LiveLooks:
    """The same for the frames of a preview, which does not know where bodies will go."""

    def __init__(self, plan: Plan) -> None:
        self._narrator = Narrator(plan)
        self._crowds = [
            (crowd.rows, sights, LiveTurns(lead, plan.frame_time))
            for crowd in _looking(plan)
            for lead, sights in [_lead_and_sights(crowd, plan)]
        ]

    def frame(self, bodies: Bodies, heights: Scalars, lift: Scalars) -> None:
        """Take in the next frame; arguments as for `LookProperties.frame`."""
        numbers = self._narrator.numbers(bodies.state)
        eyes = bodies.position + _eyes(heights, lift)[:, None] * bodies.up
        for rows, sights, turns in self._crowds:
            forward, up = bodies.forward[rows], bodies.up[rows]
            seen = sights.seen(bodies.caller[rows], numbers[rows], lambda ob: np.array(ob.matrix_world.translation))
            turns.frame(eyes[rows], forward, up, forward, seen)

    def on_frame(self, row: int) -> dict[int, dict[str, float]]:
        """The properties of each vehicle of these crowds by name, by its row, on a frame that was taken in."""
        return {
            vehicle: dict(zip(LOOKS, looks))
            for rows, _, turns in self._crowds
            for vehicle, *looks in zip(rows.tolist(), *(each.tolist() for each in turns.on_frames[row]))
        }


def _looking(plan: Plan) -> list[CrowdSource]:
    """The crowds that key how far heads turn."""
    return [crowd for crowd in plan.crowds if crowd.portrayal is not None and crowd.portrayal.look.any()]


def _lead_and_sights(crowd: CrowdSource, plan: Plan) -> tuple[float, Sights]:
    """By how much the heads of a crowd lead its bodies, seconds, and what they look at."""
    settings = settings_for(crowd.ob, 1)
    states = numbers_of_states(crowd.ob, plan.scene)
    return float(settings.look_ahead[0]), Sights.of(crowd.ob, states, callers=bool(settings.look_at_caller[0]))


def _eyes(heights: Scalars, lift: Scalars) -> Scalars:
    """How high eyes are above the origins of bodies, (n,) metres."""
    return np.maximum(EYES * heights - lift, 0.0)
