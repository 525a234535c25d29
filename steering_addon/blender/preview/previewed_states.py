"""The states that vehicles are in on the current frame of a preview, and why: the preview publishes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bpy.types import Object, Scene

    from ..animation.state_history import TakenUp


@dataclass(frozen=True)
class PreviewedStates:
    """The states of the vehicles of a previewed scene on its current frame.

    Attributes:
        rows: the row of each vehicle, by its session_uid.
        numbers: (n,) the number of its state, 0 for none.
        history_of: the states that the vehicle of a row took up until now.
    """

    rows: Mapping[int, int]
    numbers: np.ndarray
    history_of: Callable[[int], tuple[TakenUp, ...]]

    def number(self, ob: Object) -> int | None:
        """The number of the state of a vehicle, 0 for none; None if the preview does not move it."""
        row = self.rows.get(ob.session_uid)
        return None if row is None else int(self.numbers[row])

    def history(self, ob: Object) -> tuple[TakenUp, ...] | None:
        """The states that a vehicle took up until now; None if the preview does not move it."""
        row = self.rows.get(ob.session_uid)
        return None if row is None else self.history_of(row)


_published: dict[int, PreviewedStates] = {}
"""By the session_uid of the scene."""


def publish(scene: int, states: PreviewedStates) -> None:
    """Say in which states the vehicles of the scene with this session_uid are, until it is withdrawn."""
    _published[scene] = states


def withdraw(scene: int) -> None:
    """Say that it is not known any longer in which states the vehicles of a scene are."""
    _published.pop(scene, None)


def previewed_states(scene: Scene) -> PreviewedStates | None:
    """The states in a scene; None without a preview, or while it has not reached the current frame."""
    return _published.get(scene.session_uid)
