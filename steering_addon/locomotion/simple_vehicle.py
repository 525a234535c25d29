"""Simple Vehicle: a point mass that flies where it pushes itself, and banks into its turns.

Source: Reynolds 1999, A Simple Vehicle Model.

In the last of its way down to a place a bird is slower than its wings carry it on. It beats against its way, upright,
and drops into its place: its body no longer points where it goes. It is shown with its nose up, the more the harder it
brakes,

    tan(pitch) = braking / g,

as it leans into turns. On its place it stands level, whatever pushes. Taking off, it springs up from its legs and then
climbs as steeply as its wings can.
"""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.angles import arctangent, cosine_and_sine
from ..simulation.arrays.frozen import replace
from ..simulation.arrays.scalars import Mask, Number, Scalars, anybody, clamp, nobody
from ..simulation.arrays.vectors import Vectors, columns, cross, dot, magnitude, no_vectors, truncate, unit
from ..simulation.declaration import Unit, number, seconds
from ..simulation.ground import flat, upright
from ..simulation.handling import Handling
from ..simulation.locomotion import FLARES, PERCHED, Control, Locomotion, Moved, Stance
from ..simulation.memory import remembered
from ..simulation.terrain import Terrain
from ..simulation.vehicle import Motion, Pose, VehicleModel
from .banking import GRAVITY, Banking, Rolling, banked
from .headings import face, turn_to
from .point_mass import moved

RAISED, STEEPEST, PITCHING = 0.35, 0.75, 0.12
"""Radians by which the nose is raised at least and at most, and seconds in which it comes up and down."""
SPRING, CLIMBS = 0.12, 0.9
"""Seconds in which legs push off, and seconds from then on in which a bird that takes off climbs."""
LEGS, STEEP = 0.7, 0.8
"""The share of its strength with which it pushes off, and the sine of the angle at which it does."""
RESPONSE = 0.06
"""Seconds in which it takes up its velocity as it comes down."""
LEVEL = 1e-4
"""Radians of pitch that are none."""
LIFTING = 0.5
"""The share of its strength with which it climbs afterwards."""


@dataclass(frozen=True)
class Perching(Rolling):
    """How flyers roll, come down and take off.

    Attributes:
        stands: (n,) whether it stands on something.
        flares: (n,) whether it is in the last of its way down.
        pitch: (n,) radians by which the nose is shown above the heading.
        off: (n,) seconds that it takes off for when it leaves, or that are left of that.
    """

    stands: Mask = remembered(False)
    flares: Mask = remembered(False)
    pitch: Scalars = remembered(0.0)
    off: Scalars = remembered(0.0)


def taking_off(model: VehicleModel, control: Control, memory: Perching) -> Control:
    """The control signals with which those that take off climb."""
    if not anybody(memory.off > 0.0):
        return control
    climbs = (memory.off > 0.0) & ~memory.stands & ~memory.flares
    x, y, z = control.force.T
    lift = np.where(climbs, np.maximum(z, LIFTING * model.max_force), z)
    return replace(control, force=columns(x, y, lift))


def perched(
    model: VehicleModel, motion: Motion, control: Control, flown: Moved, turn_rate: Scalars, dt: float
) -> Moved:
    """The step of flyers of which some come down, stand on their places or spring up from them. `flown`: the step as
    they would fly, with the memory of the step before; `turn_rate`: (n,) the fastest turn, rad/s."""
    n, memory = len(turn_rate), flown.memory
    if control.comes_down is None and not anybody(memory.off > 0.0):
        return flown
    descent = control.comes_down
    down = nobody(n) if descent is None else np.isfinite(descent[:, 0])
    stands = nobody(n) if control.perch is None else down & np.isfinite(control.perch[:, 0])
    off = np.where(stands, SPRING + CLIMBS, np.where(down, CLIMBS, np.maximum(memory.off - dt, 0.0)))
    springs = ~down & (memory.off > CLIMBS)
    strongest = model.max_force / model.mass * dt
    ahead = unit(flat(motion.forward, upright(n)))
    change = no_vectors(n) if descent is None else (descent - motion.velocity) * min(dt / RESPONSE, 1.0)
    push = truncate(np.where(down[:, None], change, 0.0), strongest)
    leap_speed = LEGS * strongest
    leap = columns(ahead[:, 0] * leap_speed * STEEP * 0.75, ahead[:, 1] * leap_speed * STEEP * 0.75, leap_speed * STEEP)
    velocity = truncate(motion.velocity + np.where(springs[:, None], leap, push), model.max_speed)
    if control.perch is not None:
        approach = (control.perch - motion.position) / dt
        approach = motion.velocity + truncate(approach - motion.velocity, strongest)
        velocity = np.where(stands[:, None], approach, velocity)
    facing = ahead if control.heading is None else flat(control.heading, upright(n))
    facing = unit(np.where((magnitude(facing) > 0.5)[:, None], facing, ahead))
    course = np.where((magnitude(facing) > 0.5)[:, None], facing, motion.forward)
    is_led = (down | springs)[:, None]
    return Moved(
        np.where(is_led, motion.position + velocity * dt, flown.position),
        np.where(is_led, velocity, flown.velocity),
        np.where(is_led, turn_to(motion.forward, course, turn_rate, dt), flown.forward),
        replace(memory, stands=stands, flares=down & ~stands, off=off),
        holds=down,
        up=flown.up,
    )


def pitched(before: Motion, moved: Moved, acceleration: Vectors, dt: float) -> tuple[Perching, Vectors]:
    """The memory with the pitch of this step, and the accelerations by which bodies lean, (n, 3) m/s2. `before`: the
    motion before the step; `acceleration`: (n, 3) the smoothed acceleration, m/s2."""
    memory: Perching = moved.memory
    if not anybody((memory.off > 0.0) | (memory.pitch != 0.0)):
        return memory, acceleration
    leaves = (memory.off > 0.0) & ~memory.stands & ~memory.flares
    brakes = np.maximum(-dot(acceleration, moved.forward), 0.0)
    wanted = np.where(memory.flares, clamp(arctangent(brakes / GRAVITY), RAISED, STEEPEST), 0.0)
    # From its legs it goes over into flight with its nose where that was; small angles are as large as their sines.
    pitch = memory.pitch + np.where(leaves, before.forward[:, 2] - moved.forward[:, 2], 0.0)
    pitch = pitch + (wanted - pitch) * (dt / (PITCHING + dt))
    pitch = np.where((wanted == 0.0) & (np.abs(pitch) < LEVEL), 0.0, pitch)
    return replace(memory, pitch=pitch), np.where(memory.stands[:, None], 0.0, acceleration)


def shown(stance: Stance) -> Stance:
    """The stance with raised noses, and the outputs that tell who stands and who brakes."""
    memory: Perching = stance.memory
    if anybody(memory.pitch != 0.0):
        cosines, sines = (column[:, None] for column in cosine_and_sine(memory.pitch))
        forward, up = stance.forward, stance.up
        nose = unit(cosines * forward + sines * up)
        side = unit(cross(forward, up))
        stance = replace(stance, pose=Pose(side, nose, cross(side, nose)))
    if anybody(memory.off > 0.0):
        masks = (PERCHED, memory.stands), (FLARES, memory.flares)
        stance = replace(stance, outputs={name: mask.astype(np.float64) for name, mask in masks})
    return stance


@dataclass(frozen=True)
class SimpleVehicle(Locomotion):
    """Move freely in space and lean into turns, as an aircraft does."""

    name = "simple_vehicle"
    label = "Simple Vehicle"
    stored_number = 0
    burst = 1.8
    remembers = Perching
    suits = "Whatever moves freely: spaceships, drones, insects, leaves, magic"

    max_turn_rate: Number = number(
        np.pi, "Fastest turn; limits it at low speed only", Unit.TURN, 0.01, label="Max Turn"
    )
    bank: Number = number(
        1.0, "How far it leans into turns: 1 as an aircraft in a coordinated turn, 0 not at all", shrinks=True
    )
    max_bank: Number = number(np.pi / 3.0, "Steepest lean", Unit.ANGLE, 0.0, 1.55)
    bank_time: Number = seconds(0.15, "Time in which it rolls into a turn", 0.01)
    bank_smoothing: Number = seconds(
        0.1, "Time over which the acceleration that it leans by is smoothed", label="Smoothing"
    )
    max_bank_rate: Number = number(np.pi, "Fastest roll", Unit.TURN, 0.01, label="Max Roll")

    def handling(self) -> Handling:
        return Handling(self.max_turn_rate, self.bank_smoothing)

    def moved(
        self, model: VehicleModel, motion: Motion, control: Control, terrain: Terrain, memory: Perching, dt: float
    ) -> Moved:
        control = taking_off(model, control, memory)
        flown = Moved(*self._flown(model, motion, control, dt), memory, up=control.up)
        return perched(model, motion, control, flown, self.max_turn_rate, dt)

    def stance(self, before: Motion, moved: Moved, acceleration: Vectors, terrain: Terrain, dt: float) -> Stance:
        banking = Banking(self.bank, GRAVITY, self.max_bank, self.bank_time, self.max_bank_rate)
        memory, leaned_by = pitched(before, moved, acceleration, dt)
        up, rate = banked(banking, moved.forward, before.up, memory.rate, leaned_by, dt, moved.up)
        return shown(Stance.of(moved, up, replace(memory, rate=rate)))

    def _flown(
        self, model: VehicleModel, motion: Motion, control: Control, dt: float
    ) -> tuple[Vectors, Vectors, Vectors]:
        """Positions, velocities and headings after a step in the air, (n, 3) each."""
        after = moved(model, motion, control, self.max_turn_rate, dt)
        return face(model, motion, control, after, self.max_turn_rate, dt)
