"""The vehicles of a preview on its current frame, published for whoever counts them or tells their states."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Object, Scene

from ..animation.run_records import TakenUp

UNKNOWN = np.array([-1])


@dataclass(frozen=True)
class PublishedFrame:
    """The n vehicles of a previewed scene on its current frame.

    Attributes:
        rows: the rows (m,) of each object, by its session_uid: its own, or those of its points.
        outside, left: (n,) whether each has not entered yet, and whether it has left.
        numbers: (n,) the number of its state, 0 for none; None if no crowd has states.
        history_of: the states that the vehicle of a row took up until now.
    """

    rows: Mapping[int, np.ndarray]
    outside: np.ndarray
    left: np.ndarray
    numbers: np.ndarray | None
    history_of: Callable[[int], tuple[TakenUp, ...]]

    def absent(self, objects: Sequence[Object]) -> tuple[np.ndarray, np.ndarray]:
        """Whether each of the vehicles that k objects are is outside, and whether it has left, (m,) each.

        An object that the preview does not move counts as one that is there.
        """
        rows = np.concatenate([self.rows_of(ob) for ob in objects] or [UNKNOWN[:0]])
        outside, left = ((rows >= 0) & mask[rows] for mask in (self.outside, self.left))
        return outside, left

    def rows_of(self, ob: Object) -> np.ndarray:
        """The rows of an object; -1 if the preview does not move it."""
        return self.rows.get(ob.session_uid, UNKNOWN)

    def state_number(self, ob: Object) -> int | None:
        """The number of the state of a vehicle, 0 for none; None if the preview does not move it or has no states."""
        row = self._row(ob)
        return None if row is None or self.numbers is None else int(self.numbers[row])

    def history(self, ob: Object) -> tuple[TakenUp, ...] | None:
        """The states that a vehicle took up until now; None as for `state_number`."""
        row = self._row(ob)
        return None if row is None or self.numbers is None else self.history_of(row)

    def _row(self, ob: Object) -> int | None:
        """The row of a vehicle that is an object, or of the only point of one."""
        rows = self.rows_of(ob)
        return int(rows[0]) if len(rows) == 1 and rows[0] >= 0 else None


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
