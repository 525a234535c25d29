"""What a model needs besides its place to look alive: numbers that wings, wheels and legs can be driven by.

The paper leaves this to the last of its three layers, locomotion (Reynolds 1999, Locomotion): a bird beats its wings, a
walker sets foot before foot. Here only the numbers are made; what they move is the model's own affair.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..simulation.arrays.chance import Keys, mix, uniform
from ..simulation.arrays.vectors import Mask, Number, Rows, Scalars, clamp, magnitude
from ..simulation.declaration import Choice, Declared, choice, length, only_with, seconds, share, switch

DISTANCE, TIME = 0, 1
CLOCKS = (
    Choice("DISTANCE", DISTANCE, "Distance", "A cycle each stride, so that feet and wheels do not slide"),
    Choice("TIME", TIME, "Time", "A cycle each cycle time, as wings and tails beat"),
)
"""What makes the phase go on, with the numbers that files store."""

PROPERTIES = ("steering_speed", "steering_distance", "steering_phase")
"""The custom properties that are keyed. Stored in files and named by drivers: never change."""

SLOWEST, FASTEST = 0.6, 1.4
"""Whatever the climb, a beat is no slower and no faster than these shares of its own rate: wings have one frequency."""
CYCLES_APART = 64.0
"""The phases start so many cycles apart at most: what a model does every few beats, such as a glide, is not in step."""
START, RATE = 0x57A87, 0x2A7E
"""Salts that tell the two chances of a vehicle apart."""

Frames = NDArray[np.float64]
"""(f, n) one number a frame and vehicle."""


@dataclass(frozen=True)
class Portrayal(Declared):
    """Numbers keyed on each vehicle for its wings, wheels or legs to be driven by.

    Every parameter is (n,).
    """

    use: Mask = switch(
        False,
        "Key steering_speed, steering_distance and steering_phase on each vehicle, custom properties for drivers of "
        "its wings, wheels or legs to read",
        animatable=False,
    )
    phase_by: Rows = choice("DISTANCE", "What makes steering_phase go on", CLOCKS, animatable=False)
    stride: Number = only_with(
        "phase_by",
        DISTANCE,
        length(
            1.4,
            "Distance of one cycle, such as two steps or a turn of a wheel; times the size of a vehicle",
            0.001,
            animatable=False,
        ),
    )
    cycle_time: Number = only_with(
        "phase_by",
        TIME,
        seconds(0.25, "Time of one cycle, such as a wing beat", 0.01, animatable=False),
    )
    effort: Number = only_with(
        "phase_by",
        TIME,
        share(
            0.0,
            "How much faster it beats for each metre a second of climb, and slower on the way down",
            animatable=False,
        ),
    )
    variation: Number = only_with(
        "phase_by",
        TIME,
        share(0.08, "How much faster or slower than the others one may beat, by chance", animatable=False),
    )


def portrayed(
    portrayal: Portrayal,
    keys: Keys,
    sizes: Frames,
    positions: NDArray[np.float64],
    start_speed: Scalars,
    frame_time: float,
    began: Rows | None = None,
) -> dict[str, Frames]:
    """Speed, distance and phase of vehicles along their way, each number from the frames up to its own only.

    The speed is that of the way from the frame before. The phase never runs backwards; by distance it stands still with
    its vehicle and goes with its size, as feet and wheels must, and only by time do chance and climb change its rate.

    Args:
        portrayal: n rows.
        keys: (n,) what each vehicle's luck hangs on.
        sizes: (f, n) multiples of the stride.
        positions: (f, n, 3) metres.
        start_speed: (n,) metres a second on the first frame on which each is there.
        frame_time: seconds a frame.
        began: (n,) the rows of those frames; None for the first of all.

    Returns:
        (f, n) by the names of PROPERTIES: metres a second, metres since the first frame, cycles.
    """
    way = positions[1:] - positions[:-1]
    travelled = magnitude(way)
    climb = way[..., 2] / frame_time
    own_rate = 1.0 + portrayal.variation * (2.0 * uniform(mix(keys, RATE)) - 1.0)
    beats = clamp(1.0 + portrayal.effort * climb, SLOWEST, FASTEST) * (own_rate * frame_time / portrayal.cycle_time)
    strides = travelled / (portrayal.stride * sizes[1:])
    cycles = np.where(portrayal.phase_by == TIME, beats, strides)
    speed = np.concatenate((start_speed[None], travelled / frame_time))
    if began is not None:
        speed[0, began > 0] = 0.0
        speed[began, np.arange(len(began))] = start_speed
    return {
        "steering_speed": speed,
        "steering_distance": _summed(travelled),
        "steering_phase": CYCLES_APART * uniform(mix(keys, START)) + _summed(cycles),
    }


def _summed(steps: Frames) -> Frames:
    """What the steps from each frame to the next have come to, zero on the first: (f - 1, n) to (f, n)."""
    return np.concatenate((np.zeros((1, steps.shape[1])), np.cumsum(steps, axis=0)))
