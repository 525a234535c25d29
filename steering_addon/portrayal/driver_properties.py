"""Speed, distance and phase of each vehicle, for drivers of its wings, wheels or legs.

The paper leaves such animation to the last of its three layers, locomotion (Reynolds 1999, Locomotion): a bird beats
its wings, a walker takes steps. This module only computes the numbers; drivers on the model turn them into movement.
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
    Choice("DISTANCE", DISTANCE, "Distance", "One cycle per stride, so that feet and wheels do not slide"),
    Choice("TIME", TIME, "Time", "One cycle per cycle time, for wings and tails that beat"),
)
"""What advances the phase, with the numbers stored in files."""

PROPERTIES = ("steering_speed", "steering_distance", "steering_phase")
"""The keyframed custom properties. Files store these names and drivers refer to them: they never change."""

SLOWEST, FASTEST = 0.6, 1.4
"""Limits of the beat rate while climbing or descending, as shares of the level rate: wings keep about one frequency."""
CYCLES_APART = 64.0
"""Start phases are spread over this number of cycles, so that a movement every few beats, such as a glide, is not in
step throughout the crowd."""
START, RATE = 0x57A87, 0x2A7E
"""Salts that make the start phase and the beat rate of a vehicle independent."""

Frames = NDArray[np.float64]
"""(f, n) one number per frame and vehicle."""


@dataclass(frozen=True)
class Portrayal(Declared):
    """Numbers keyframed on each vehicle for drivers of its wings, wheels or legs.

    Every parameter is (n,).
    """

    use: Mask = switch(
        False,
        "Keyframe the custom properties steering_speed, steering_distance and steering_phase on each vehicle, for "
        "drivers of its wings, wheels or legs",
        animatable=False,
    )
    phase_by: Rows = choice("DISTANCE", "What advances steering_phase", CLOCKS, animatable=False)
    stride: Number = only_with(
        "phase_by",
        DISTANCE,
        length(
            1.4,
            "Distance of one cycle, such as two steps or a turn of a wheel, multiplied by the size of the vehicle",
            0.001,
            animatable=False,
        ),
    )
    cycle_time: Number = only_with(
        "phase_by",
        TIME,
        seconds(0.25, "Duration of one cycle, such as a wing beat", 0.01, animatable=False),
    )
    effort: Number = only_with(
        "phase_by",
        TIME,
        share(
            0.0,
            "How much faster it beats per metre per second of climb, and slower during a descent",
            animatable=False,
        ),
    )
    variation: Number = only_with(
        "phase_by",
        TIME,
        share(0.08, "Largest random difference of the beat rate between vehicles", animatable=False),
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
    """Speed, distance and phase of vehicles on each frame, each computed from that frame and earlier ones only.

    The speed is the distance from the previous frame over the frame time. The phase never decreases. By distance it
    stops with its vehicle and scales with its size, as feet and wheels require; only by time do the random rate and the
    climb change it.

    Args:
        portrayal: n rows.
        keys: (n,) random keys of the vehicles.
        sizes: (f, n) factors of the stride.
        positions: (f, n, 3) metres.
        start_speed: (n,) m/s on the first frame on which each vehicle is present.
        frame_time: seconds per frame.
        began: (n,) the rows of those frames; None if all vehicles are present from row 0.

    Returns:
        (f, n) by the names of PROPERTIES: m/s, metres since the first frame, cycles.
    """
    way = positions[1:] - positions[:-1]
    travelled = magnitude(way)
    climb = way[..., 2] / frame_time
    rate = 1.0 + portrayal.variation * (2.0 * uniform(mix(keys, RATE)) - 1.0)
    beats = clamp(1.0 + portrayal.effort * climb, SLOWEST, FASTEST) * (rate * frame_time / portrayal.cycle_time)
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
    """The sums of the steps up to each frame, (f - 1, n) to (f, n); 0 on the first frame."""
    return np.concatenate((np.zeros((1, steps.shape[1])), np.cumsum(steps, axis=0)))
