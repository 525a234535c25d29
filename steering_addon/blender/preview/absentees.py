"""The vehicles that a preview leaves out on the current frame: published by the preview, for whoever counts members."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bpy.types import Object, Scene


@dataclass(frozen=True)
class Absentees:
    """Which vehicles of a previewed scene are absent on its current frame.

    Attributes:
        numbers: (n,) the session_uid of the vehicles.
        outside: (n,) whether each has not entered yet.
        left: (n,) whether each has left.
    """

    numbers: np.ndarray
    outside: np.ndarray
    left: np.ndarray

    def among(self, objects: list[Object]) -> tuple[np.ndarray, np.ndarray]:
        """Whether each of k objects is outside, and whether it has left, (k,) each."""
        numbers = [ob.session_uid for ob in objects]
        return np.isin(numbers, self.numbers[self.outside]), np.isin(numbers, self.numbers[self.left])


_published: dict[int, Absentees] = {}
"""By the session_uid of the scene."""


def publish(scene: int, absentees: Absentees) -> None:
    """Say which vehicles of the scene with this session_uid are absent, until it is withdrawn."""
    _published[scene] = absentees


def withdraw(scene: int) -> None:
    """Say that it is not known any longer which vehicles of a scene are absent."""
    _published.pop(scene, None)


def absentees(scene: Scene) -> Absentees | None:
    """The absent vehicles of a scene; None without a preview, or while it has not reached the current frame."""
    return _published.get(scene.session_uid)
