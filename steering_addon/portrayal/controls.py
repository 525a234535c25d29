"""Controls of feet that meet the corrections of these: for rigs whose legs constraints pose.

A control carries its foot as a stiff body, and the rig bends the leg. So the control is moved and turned as its foot
has to be, and nothing need be known of what is between the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.vectors import Scalars, Vectors, across, columns, cross, magnitude
from .planting import (
    EVEN,
    STRETCH,
    Correction,
    Turns,
    corrected,
    dropped,
    evened,
    product,
    transposed,
    unit,
    with_axes,
)
from .reach import Reach


@dataclass(frozen=True)
class Guided:
    """What controls do so that feet meet their corrections, in the space of the model.

    Attributes:
        shifts: (..., f, 3) metres by which each control is moved.
        turns: (..., f, 3, 3) by which each is turned.
        drop: (..., f) metres by which the hips are lower; less than 0 where they are higher.
        short: (feet, ..., f) metres by which feet stay short of their places.
    """

    shifts: list[Vectors]
    turns: list[Turns]
    drop: Scalars
    short: Scalars


def guided(
    places: Sequence[Vectors],
    legs: Sequence[Reach | None],
    corrections: Sequence[Correction],
    frame_time: float,
    *,
    climb: Scalars | None = None,
) -> Guided:
    """Controls that meet the corrections of their feet.

    Args:
        places: (..., f, 3) where the control of each foot is, metres in the space of the model.
        legs: of each foot; None if it is not known how far it reaches.
        frame_time: seconds.
        climb: (..., f) metres that each body has climbed on the ground, if its hips can be moved: they go up and down
            evenly, and come down by what the legs need. None if they stay.
    """
    frames = places[0].shape[:-1]
    drop, short = np.zeros(frames), np.zeros((len(places), *frames))
    targets = [corrected(leg.ankle, each) if leg else None for leg, each in zip(legs, corrections)]
    if climb is not None:
        drop = climb - evened(climb, max(int(EVEN / frame_time), 1))
        down = columns(np.zeros(frames), 0.0, -drop)
        known = [
            (leg.hip + down, np.broadcast_to(leg.length, frames), target)
            for leg, target in zip(legs, targets)
            if leg and target is not None
        ]
        drop = drop + (dropped(known, frame_time) if known else 0.0)
    down = columns(np.zeros(frames), 0.0, -drop)
    shifts = []
    for number, (place, leg, correction) in enumerate(zip(places, legs, corrections)):
        shift = corrected(place, correction) - place
        target = targets[number]
        if leg is not None and target is not None:
            line = target - (leg.hip + down)
            distance = magnitude(line)
            # A clip may stretch its legs further, as cartoons do.
            most = np.maximum(STRETCH * leg.length, magnitude(leg.ankle - leg.hip))
            short[number] = np.maximum(distance - most, 0.0)
            shift = shift - unit(line) * short[number][..., None]
        shifts.append(shift)
    return Guided(shifts, [correction.turn for correction in corrections], drop, short)


def upright_axes(matrices: Turns) -> Turns:
    """The nearest rotations, about, to matrices (..., 3, 3) that are means of rotations."""
    y = unit(matrices[..., 1])
    x = unit(across(matrices[..., 0], y))
    return with_axes(x, y, cross(x, y))


def turned_in(axes: Turns, turn: Turns) -> Turns:
    """Rotations (..., 3, 3) in other axes: what a body with these axes, alike, as columns, is turned by in its own."""
    return product(product(transposed(axes), turn), axes)
