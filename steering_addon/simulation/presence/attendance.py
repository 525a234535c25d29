"""The settings of a crowd for entering and leaving: when its vehicles appear, and what they do where they arrive."""

from dataclasses import dataclass

import numpy as np

from ..arrays.chance import Keys, mix, uniform
from ..arrays.scalars import Mask, Number, Rows, Scalars
from ..declaration import Choice, Declared, choice, integer, length, switch

ON_ARRIVAL = (
    Choice("STAY", 0, "Stay", "Keep going to the goal"),
    Choice("LEAVE", 1, "Leave", "Disappear on the next frame: hidden, and ignored by all other vehicles"),
    Choice("GO_ON", 2, "Go On", "Drop that goal, and continue with the other behaviors or straight ahead"),
)
STAY, LEAVE, GO_ON = (c.number for c in ON_ARRIVAL)
"""The numbers of the choices, as stored in files."""
FURTHEST = 1_048_574
"""The last frame that Blender allows."""
ENTERING = 0xE27E
"""Salt of the random keys for the frames of entering, so that other random numbers do not depend on them."""


@dataclass(frozen=True)
class Attendance(Declared):
    """When vehicles enter, and what they do where they arrive; every parameter is (n,)."""

    use_enter_frame: Mask = switch(
        False,
        "Let vehicles enter during the run instead of being present from the start",
        animatable=False,
        label="Enter Later",
    )
    enter_frame: Rows = integer(
        1, "The first frame on which vehicles enter", -FURTHEST, FURTHEST, animatable=False, label="Frame"
    )
    enter_span: Rows = integer(
        0,
        "The number of frames after that on which they enter, at random",
        0,
        FURTHEST,
        animatable=False,
        label="Spread Over",
    )
    wait_for_room: Mask = switch(
        True,
        "Keep a vehicle outside while another one is where it would enter",
        animatable=False,
        label="Wait for Room",
    )
    on_arrival: Rows = choice(
        "STAY", "What vehicles do when they reach a target that they go to, or the end of a path", ON_ARRIVAL
    )
    arrival_distance: Number = length(
        0.0,
        "Distance from the middle of its goal at which a vehicle has arrived; 0: when it touches it",
        label="Arrives Within",
    )
    hide: Mask = switch(
        True,
        "Hide vehicles in viewports and renders before they enter and after they leave",
        animatable=False,
        label="Hide While Away",
    )


def enter_frames(attendance: Attendance, keys: Keys) -> Scalars:
    """The frame on which each vehicle enters, (n,); -inf for a vehicle that is present from the start. `attendance`:
    the settings of n vehicles; `keys`: (n,) their random keys."""
    random = uniform(mix(keys, ENTERING))
    entering = attendance.enter_frame + np.floor(random * (attendance.enter_span + 1))
    return np.where(attendance.use_enter_frame, entering, -np.inf)
