"""Numbers that drivers of a model read: speed, distance and phase, how hard wings beat, and in what state it is.

The paper leaves such animation to the last of its three layers, locomotion (Reynolds 1999, Locomotion): a bird beats
its wings, a walker takes steps. This module only computes the numbers; drivers on the model turn them into movement,
and clips of wings, tails and fins are played at the same rate.

Wings beat in bursts, between which they glide or coast. A bird that climbs or gains speed has to do more work than one
that flies on, and one that descends less: what counts is the rate at which its energy height grows, climb + speed *
acceleration / g. The less there is to do, the larger is the share of the time in which it glides.

One whole number names the state of a vehicle. Others say how far it has taken up each state, so that what they drive
comes and goes as gently as the motion does.
"""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.chance import Keys, mix, uniform
from ..simulation.arrays.frozen import replace
from ..simulation.arrays.scalars import Mask, Number, Rows, Scalars, clamp
from ..simulation.arrays.vectors import Vectors, magnitude
from ..simulation.declaration import Choice, Declared, choice, length, seconds, share, switch

DISTANCE, TIME = 0, 1
CLOCKS = (
    Choice("DISTANCE", DISTANCE, "Distance", "One cycle per stride, so that feet and wheels do not slide"),
    Choice("TIME", TIME, "Time", "One cycle per cycle time, for wings and tails that beat"),
)
"""The clocks that advance the phase, with the numbers stored in files."""
BY_DISTANCE, BY_TIME = ("phase_by", DISTANCE), ("phase_by", TIME)
"""The clock with which a parameter has an effect."""

EFFORT = "steering_effort"
"""The property that says how far wings swing. Keyed only where the phase goes by time."""
PHASE = "steering_phase"
"""The property that counts cycles of wings, wheels or legs."""
PROPERTIES = ("steering_speed", "steering_distance", PHASE, EFFORT)
"""The keyframed custom properties. Files store these names and drivers refer to them: they never change."""
FOLDED = "steering_folded"
"""The property that says how far wings are folded, 0 to 1. Keyed where vehicles land. It never changes either."""
LOOKS = ("steering_look_left", "steering_look_up")
"""The properties that say how far a head turns, keyed on request. They never change either."""
STATE = "steering_state"
"""The property that holds the number of the state. Files store this name and drivers refer to it: it never changes."""
SHARE = "state_"
"""How the names of the properties begin that hold the shares. Never changes."""

SLOWEST, FASTEST = 0.6, 1.4
"""Limits of the beat rate while climbing or descending, as shares of the level rate: wings keep about one frequency."""
SLOW, QUICK = 0.25, 2.0
"""Limits of the speed that the beat rate follows, as shares of the crowd's cruising speed."""
CYCLES_APART = 64.0
"""Start phases are spread over this number of cycles, so that a movement every few beats is not in step throughout the
crowd."""
START, RATE = 0x57A87, 0x2A7E
"""Salts that make the start phase and the beat rate of a vehicle independent."""

GRAVITY = 9.81
SMOOTHING = 0.5
"""Seconds over which accelerations are a running mean."""
LEAST, MOST = 0.1, 1.0
"""Limits of the share of the time in which it beats; with the latter it does not glide at all."""
WORK = 1.5
"""How much the share of the time grows with the rate of the beat."""
FADE = 0.15
"""Seconds in which wings come to rest, and begin to beat."""
FOLDS, UNFOLDS = 0.4, 0.08
"""Seconds in which wings are folded once it stands, and opened as it takes off."""
AT_EASE, STEEP = 0.55, 0.45
"""How far wings swing at the usual rate of the beat is 1: a part of it always, the rest in proportion to the rate."""
SHORTEST, LONGEST = 0.5, 1.5
"""Random multiples of the time of a glide."""
BEATS, FIRST, BURST = 0xBEA7, 0xF125, 0xB0257
"""Salts of whether it beats at first, how far its first burst or glide has come, and how long each one is."""


@dataclass(frozen=True)
class Portrayal(Declared):
    """Numbers keyframed on each vehicle for drivers of its wings, wheels or legs.

    Every parameter is (n,).
    """

    keyed = False

    use: Mask = switch(
        False,
        "Keyframe the custom properties steering_speed, steering_distance and steering_phase on each vehicle, and by "
        "time steering_effort, for drivers of its wings, wheels or legs",
    )
    phase_by: Rows = choice("DISTANCE", "What advances steering_phase", CLOCKS)
    stride: Number = length(
        1.4, "Distance of one cycle, such as two steps or a turn of a wheel", 0.001, only_with=BY_DISTANCE
    )
    stride_height: Number = length(
        0.0,
        "Height of a vehicle with this stride; taller and shorter ones stride in proportion. With 0 all have the "
        "same stride",
        only_with=BY_DISTANCE,
    )
    cycle_time: Number = seconds(0.25, "Duration of one cycle, such as a wing beat", 0.01, only_with=BY_TIME)
    effort: Number = share(
        0.0,
        "How much faster it beats per metre per second of climb, or while it gains speed, and slower during a descent",
        only_with=BY_TIME,
    )
    by_speed: Number = share(
        0.0,
        "How much the beat rate follows the speed; with 1 it is in proportion, as that of the tail of a fish",
        only_with=BY_TIME,
    )
    glide_share: Number = share(
        0.0,
        "Share of the time in which it glides or coasts, with steering_effort 0; more of it in a descent",
        only_with=BY_TIME,
    )
    glide_time: Number = seconds(1.0, "Usual duration of a glide", 0.05, only_with=BY_TIME)
    variation: Number = share(0.08, "Largest random difference of the beat rate between vehicles", only_with=BY_TIME)
    look: Mask = switch(
        False,
        "Keyframe steering_look_left and steering_look_up, too: how far a head turns, in radians, for models whose "
        "head drivers turn",
    )


def stride_factors(portrayal: Portrayal, heights: Scalars) -> Scalars:
    """The strides of vehicles as multiples of their crowd's, (n,).

    They follow the height, never the radius: arms held out or a suitcase do not lengthen a step.

    Args:
        heights: (n,) metres; 0 if unknown.
    """
    known = (portrayal.stride_height > 0.0) & (heights > 0.0)
    return np.where(known, heights / np.where(known, portrayal.stride_height, 1.0), 1.0)


def is_of_states(name: str) -> bool:
    """Whether a property of this name holds the state of a vehicle, or how far it is taken up."""
    return name == STATE or name.startswith(SHARE)


class Effort:
    """The effort of n vehicles, frame after frame."""

    def __init__(self, glide_share: Number, glide_time: Number, keys: Keys, frame_time: float) -> None:
        """`glide_share`, `glide_time` (n,): the share of the time of a glide at an even pace, and seconds of one."""
        self._share, self._time, self._keys, self._frame_time = glide_share, glide_time, keys, frame_time
        self._beats = uniform(mix(keys, BEATS)) >= glide_share
        self._turn = np.zeros(len(keys))
        self._left = uniform(mix(keys, FIRST)) * self._duration()
        self._shown = np.where(self._beats, 1.0, 0.0)

    def frame(self, rate: Scalars, still: Mask, hard: Mask) -> Scalars:
        """How far wings swing on the next frame, (n,): 1 at the usual rate of the beat, 0 in a glide. `rate`: (n,) of
        the beat, as a multiple of the usual one; `still`, `hard`: (n,) whose wings are still, and who beat all the
        time."""
        share = clamp(1.0 - self._share + np.where(self._share > 0.0, WORK * (rate - 1.0), 0.0), LEAST, MOST)
        # Bursts and glides take turns, and the share of the time of both follows the work of each moment.
        spent = np.where(self._beats, (1.0 - share) / share, 1.0)
        self._left = self._left - spent * self._frame_time / self._time
        over = (self._left <= 0.0) | (~self._beats & (share >= MOST))
        self._turn = self._turn + over
        self._beats = self._beats ^ over
        self._left = np.where(over, self._duration(), self._left)
        target = np.where((self._beats | hard) & ~still, AT_EASE + STEEP * rate, 0.0)
        self._shown = self._shown + (target - self._shown) * min(self._frame_time / FADE, 1.0)
        return self._shown

    def _duration(self) -> Scalars:
        """How long the present burst or glide is, (n,), in times of a glide."""
        draw = uniform(mix(mix(self._keys, BURST), self._turn.astype(np.uint64)))
        return SHORTEST + (LONGEST - SHORTEST) * draw


class DriverProperties:
    """Computes the custom properties of some vehicles frame after frame.

    The speed is that of the way from the frame before. The phase never runs backwards: by distance it stands still with
    its vehicle and scales with the vehicle's height, as feet and wheels must; only by time do random key and climb
    change its rate. `folded`: (n,) how far wings are folded on the last frame.
    """

    def __init__(self, portrayal: Portrayal, keys: Keys, frame_time: float, cruise: float = 0.0) -> None:
        """`portrayal` and `keys` have n rows; `frame_time` is in seconds, `cruise` the usual speed, 0 if unknown."""
        self._portrayal = portrayal
        self._frame_time = frame_time
        vehicle_rate = 1.0 + portrayal.variation * (2.0 * uniform(mix(keys, RATE)) - 1.0)
        self._beat = vehicle_rate * frame_time / portrayal.cycle_time
        self._first_phase = CYCLES_APART * uniform(mix(keys, START))
        self._distance = self._cycles = np.zeros(len(keys))
        self._position: Vectors | None = None
        self._cruise = cruise
        self._speed = self._gain = self.folded = np.zeros(len(keys))
        self._effort = Effort(portrayal.glide_share, portrayal.glide_time, keys, frame_time)

    def frame(
        self,
        position: Vectors,
        sizes: Scalars,
        entered: Mask,
        start_speed: Scalars,
        perched: Mask | None = None,
        flares: Mask | None = None,
    ) -> dict[str, Scalars]:
        """The properties on the next frame. Returns (n,) by the names of PROPERTIES: metres a second, metres since the
        first frame, cycles, and how far wings swing, 1 for the usual.

        Args:
            sizes: (n,) multiples of the stride, by `stride_factors`.
            entered: (n,) whether this is the first frame on which the vehicle is present.
            start_speed: (n,) metres a second of the vehicles that entered.
            perched, flares: (n,) those that stand on something and those that brake with their wings; None for none.
        """
        portrayal = self._portrayal
        step = position - (position if self._position is None else self._position)
        travelled = magnitude(step)
        speed = np.where(entered, start_speed, travelled / self._frame_time)
        perched = np.zeros(len(speed), dtype=np.bool_) if perched is None else perched
        flares = np.zeros(len(speed), dtype=np.bool_) if flares is None else flares
        rate = np.where(perched, 0.0, np.where(flares, FASTEST, self._rate(step, speed, entered)))
        change = np.where(perched, 1.0, 0.0) - self.folded
        self.folded = self.folded + clamp(change, -self._frame_time / UNFOLDS, self._frame_time / FOLDS)
        if self._position is not None:
            beats = rate * self._beat
            strides = travelled / (portrayal.stride * sizes)
            self._distance = self._distance + travelled
            self._cycles = self._cycles + np.where(portrayal.phase_by == TIME, beats, strides)
        self._position = position
        return {
            "steering_speed": speed,
            "steering_distance": self._distance,
            PHASE: self._first_phase + self._cycles,
            EFFORT: self._effort.frame(rate, perched, flares),
        }

    def _rate(self, step: Vectors, speed: Scalars, entered: Mask) -> Scalars:
        """The beat rate as a multiple of the usual one, (n,)."""
        gained = np.where(entered | (self._position is None), 0.0, (speed - self._speed) / self._frame_time)
        self._gain = self._gain + (gained - self._gain) * min(self._frame_time / SMOOTHING, 1.0)
        self._speed = speed
        # The rate at which the energy height grows.
        work = step[..., 2] / self._frame_time + speed * self._gain / GRAVITY
        rate = clamp(1.0 + self._portrayal.effort * work, SLOWEST, FASTEST)
        if self._cruise > 0.0:
            pace = clamp(speed / self._cruise, SLOW, QUICK)
            rate = rate * (1.0 + self._portrayal.by_speed * (pace - 1.0))
        return rate


class Beats:
    """The beats of n bodies, frame after frame."""

    def __init__(self, portrayal: Portrayal, keys: Keys, frame_time: float, cruise: float) -> None:
        """`portrayal` and `keys` have n rows; `frame_time` is in seconds, `cruise` the usual speed, 0 if unknown."""
        n = len(keys)
        seconds = replace(portrayal, phase_by=np.full(n, TIME), cycle_time=np.ones(n))
        self._run = DriverProperties(seconds, keys, frame_time, cruise)
        self._sizes, self._before = np.ones(n), np.zeros(n)

    def frame(
        self, position: Vectors, velocity: Vectors, entered: Mask, perched: Mask, flares: Mask
    ) -> tuple[Scalars, Scalars]:
        """The beats since the frame before, (n,) seconds at the usual rate, and the effort of bodies, (n,). `position`,
        `velocity`: (n, 3) metres, m/s; `entered`: (n,) whether this is the first frame on which a body is present;
        `perched`, `flares`: (n,) those that stand on something and those that brake with their wings."""
        numbers = self._run.frame(position, self._sizes, entered, magnitude(velocity), perched, flares)
        beaten = numbers[PHASE] - self._before
        self._before = numbers[PHASE]
        return beaten, numbers[EFFORT]
