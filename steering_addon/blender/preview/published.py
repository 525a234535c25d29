"""The vehicles of a preview on its current frame, published for whoever counts them or tells their states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bpy.types import Object, Scene

    from ..animation.state_history import TakenUp


@dataclass(frozen=True)
class PublishedFrame:
    """The n vehicles of a previewed scene on its current frame.

    Attributes:
        rows: the row of each vehicle, by its session_uid.
        outside, left: (n,) whether each has not entered yet, and whether it has left.
        numbers: (n,) the number of its state, 0 for none; None if no crowd has states.
        history_of: the states that the vehicle of a row took up until now.
    """

    rows: Mapping[int, int]
    outside: np.ndarray
    left: np.ndarray
    numbers: np.ndarray | None
    history_of: Callable[[int], tuple[TakenUp, ...]]

    def absent(self, objects: Sequence[Object]) -> tuple[np.ndarray, np.ndarray]:
        """Whether each of k objects is outside, and whether it has left, (k,) each."""
        rows = [self.rows.get(ob.session_uid, -1) for ob in objects]
        return tuple(np.array([row >= 0 and mask[row] for row in rows], np.bool_) for mask in (self.outside, self.left))

    def state_number(self, ob: Object) -> int | None:
        """The number of the state of a vehicle, 0 for none; None if the preview does not move it or has no states."""
        row = self.rows.get(ob.session_uid)
        return None if row is None or self.numbers is None else int(self.numbers[row])

    def history(self, ob: Object) -> tuple[TakenUp, ...] | None:
        """The states that a vehicle took up until now; None as for `state_number`."""
        row = self.rows.get(ob.session_uid)
        return None if row is None or self.numbers is None else self.history_of(row)


_published: dict[int, PublishedFrame] = {}
"""By the session_uid of the scene."""


def publish(scene: int, frame: PublishedFrame) -> None:
    """Say what is on the current frame of the scene with this session_uid, until it is withdrawn."""
    _published[scene] = frame


def withdraw(scene: int) -> None:
    """Say that it is not known any longer what is on the current frame of a scene."""
    _published.pop(scene, None)


def published_frame(scene: Scene) -> PublishedFrame | None:
    """The vehicles of a scene; None without a preview, or while it has not reached the current frame."""
    return _published.get(scene.session_uid)
