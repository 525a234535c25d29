"""When vehicles are there: they may enter on a frame of their own, and leave where they were going to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays.chance import Keys, mix, uniform
from ..arrays.vectors import Mask, Number, Rows, Scalars
from ..declaration import Choice, Declared, called, choice, integer, length, switch

ON_ARRIVAL = (
    Choice("STAY", 0, "Stay", "Go on wanting to be at the goal"),
    Choice("LEAVE", 1, "Leave", "Take no part any more, and be hidden, from the next frame on"),
    Choice("GO_ON", 2, "Go On", "Forget about that goal, and go on as the other behaviors have it or straight ahead"),
)
STAY, LEAVE, GO_ON = (c.number for c in ON_ARRIVAL)
"""What to do once a goal is reached, with the numbers that files store."""
FURTHEST = 1_048_574
"""Blender knows no frames beyond."""
ENTERING = 0xE27E
"""Salts the keys from which the frames of entering are drawn, apart from other uses of the same luck."""


@dataclass(frozen=True)
class Attendance(Declared):
    """When vehicles enter, and what they do where they arrive.

    Every parameter is (n,).
    """

    use_enter_frame: Mask = called(
        "Enter Later",
        switch(False, "Let the vehicles enter on a frame, instead of being there from the start", animatable=False),
    )
    enter_frame: Rows = called(
        "Frame", integer(1, "The frame on which the first of them enter", -FURTHEST, FURTHEST, animatable=False)
    )
    enter_span: Rows = called(
        "Spread Over",
        integer(0, "Over how many frames more they enter, each by its own chance", 0, FURTHEST, animatable=False),
    )
    wait_for_room: Mask = called(
        "Wait for Room",
        switch(True, "Who would enter in the midst of another waits until that one has gone on", animatable=False),
    )
    on_arrival: Rows = choice(
        "STAY", "What they do where they arrive: at a target they go to, or the end of a path", ON_ARRIVAL
    )
    arrival_distance: Number = called(
        "Arrives Within",
        length(0.0, "How near the middle of its goal a vehicle has arrived; 0: as soon as it touches it"),
    )
    hide: Mask = called(
        "Hide While Away",
        switch(True, "Hide them in viewports and renders before they enter and after they leave", animatable=False),
    )


def enter_frames(attendance: Attendance, keys: Keys) -> Scalars:
    """The frame on which each vehicle enters, (n,); -inf for one that is there from the start.

    Args:
        attendance: n rows.
        keys: (n,) whose chance; a vehicle more leaves the others theirs.
    """
    luck = uniform(mix(keys, ENTERING))
    entering = attendance.enter_frame + np.floor(luck * (attendance.enter_span + 1))
    return np.where(attendance.use_enter_frame, entering, -np.inf)
