"""How the vehicles of a crowd move: the locomotion that its settings name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..locomotion import CATALOGUE
from ..simulation.locomotion import Locomotion
from .stored_values import choice_in

if TYPE_CHECKING:
    from bpy.types import Object

BY_CHOICE: dict[str, type[Locomotion]] = {kind.choice().name: kind for kind in CATALOGUE}
"""Every locomotion by the name under which its choice is stored."""


def locomotion_of(crowd: Object) -> type[Locomotion]:
    """The locomotion of a crowd. Writes nothing."""
    return BY_CHOICE[choice_in(crowd.steering, "locomotion")]
