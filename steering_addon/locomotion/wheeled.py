"""Wheeled: a car with steered front wheels (Reynolds 1999, Locomotion, Figure 2: asymmetrical steering).

The kinematic bicycle: the rear axle moves the way the car faces, and the front wheels say how it turns,

    curvature = tan(wheel angle) / wheelbase

so that the turning circle is never smaller than wheelbase / tan(largest angle), and what stands does not turn.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from ..simulation.arrays.angles import arctangent, cosine_of_setting, tangent_of_setting
from ..simulation.arrays.frozen import replace
from ..simulation.arrays.once import once
from ..simulation.arrays.scalars import EPSILON, Mask, Number, Rows, Scalars, anybody, clamp, nobody, ratio, shared
from ..simulation.arrays.vectors import Vectors, columns, dot, magnitude
from ..simulation.declaration import Unit, choice, length, number, seconds
from ..simulation.ground import flat, left_of, level_heading, upright
from ..simulation.handling import Handling
from ..simulation.locomotion import HELD_UP, OFF_GROUND, Control, Locomotion, Moved, Stance
from ..simulation.terrain import Misplaced, Terrain, carried
from ..simulation.vehicle import Motion, VehicleModel
from .chassis import WHEELS, WITHIN, Chassis, Wheels, sprung
from .course import KEPT, Car, steepest_accepted
from .driving import EDGES, FULL_LOCK, OUTPUTS, STILL, STOP, TRAVELS, CarStep, Driving, PedalFoot
from .footholds import is_upside_down
from .headings import turn_left
from .reversing import ALLOW, BLOCKED, REVERSES, Drivers, change_states, look_for_room

CIRCLE = 1.5 * np.pi
"""Radians with fully turned wheels after which a car goes straight on for a while: its goal lies in its circle."""
STRAIGHT = 2.0
"""How far it goes straight on then, in radii of its smallest circle."""
PITCH, ROLL = 0.006, 0.009
"""Radians by which a body leans on its springs for each m/s2, forward and sideways: about a degree at 2.5 m/s2."""

USUAL_WHEELBASE, USUAL_TRACK, USUAL_RADIUS, USUAL_SUSPENSION = 0.63, 0.87, 0.077, 0.028
"""Of a car: distance between the axles, radius and suspension of a wheel, in lengths; distance between the wheels, in
widths."""


@dataclass(frozen=True)
class Wheeled(Locomotion):
    """Drive on four wheels of which the front ones steer, on surfaces or on the level.

    The origin of the model is midway between the axles.
    """

    name = "wheeled"
    label = "Wheeled"
    stored_number = 5
    grounded = True
    stands = True
    of_the_body = ("wheelbase", "track", "wheel_radius", "suspension")
    runs_on_wheels = True
    # The edge of the floor is a wall, and before one the driver backs out and turns off.
    without_road: ClassVar[Mapping[str, str]] = MappingProxyType({"at_edge": "STOP", "reverse": "ALLOW"})
    before_edges = KEPT + BLOCKED
    needs_drivers: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType({"suspension": TRAVELS})
    remembers = Driving
    outputs = OUTPUTS
    suits = "Cars, lorries and carts, on roads over hills or on level ground"

    wheelbase: Number = length(2.7, "Distance between the axles; the origin is midway between them", 0.01)
    track: Number = length(1.6, "Distance between the left and the right wheels", 0.01)
    wheel_radius: Number = length(0.33, "Radius of the wheels, for their spin", 0.001)
    suspension: Number = length(
        0.0,
        "How far a wheel moves up and down on its spring, 0.12 m for a car; "
        "0 for a model whose wheels no drivers move: it stands stiff on all four",
    )
    max_wheel_angle: Number = number(
        0.6, "Largest angle of the front wheels", Unit.ANGLE, 0.01, 1.2, label="Wheel Angle"
    )
    max_wheel_rate: Number = number(0.8, "Fastest turn of the front wheels", Unit.TURN, 0.01, label="Steers")
    comfortable_turn: Number = number(
        2.5,
        "Sideways acceleration that the driver accepts; it slows down before",
        Unit.ACCELERATION,
        0.1,
        label="Comfort",
    )
    pedal_time: Number = seconds(0.25, "Time in which the driver goes from one pedal to the other", 0.01)
    reaction_time: Number = seconds(
        0.7, "Time until the driver brakes for what comes into the way, or sets off when it has gone"
    )
    max_slope: Number = number(
        0.61, "Steepest ground that it drives on; the driver brakes before what is steeper", Unit.ANGLE, 0.0, 1.5
    )
    at_edge: Rows = choice("GO_ON", "What the driver does where the surface ahead ends", EDGES)
    reverse: Rows = choice("NEVER", "Whether the driver backs out where there is no room ahead", REVERSES)

    @classmethod
    def fitting(cls, length: float, width: float) -> dict[str, float]:
        return {
            "wheelbase": USUAL_WHEELBASE * length,
            "track": USUAL_TRACK * width,
            "wheel_radius": USUAL_RADIUS * length,
        }

    @classmethod
    def on_wheels(cls, wheelbase: float, track: float, radius: float) -> dict[str, float]:
        return {"wheelbase": wheelbase, "track": track, "wheel_radius": radius}

    @classmethod
    def with_drivers(cls, read: Collection[str], length: float) -> dict[str, float]:
        return {"suspension": USUAL_SUSPENSION * length if set(TRAVELS) <= set(read) else 0.0}

    def handling(self) -> Handling:
        return Handling(
            # With k the curvature and v the speed, k <= largest and k v v <= comfort: k v <= sqrt(largest * comfort).
            np.sqrt(self._sharpest * self.comfortable_turn),
            axle=self._axle,
            cornering=self.comfortable_turn,
            steepest=self.max_slope,
            reaction=self.reaction_time,
        )

    @once
    def _axle(self) -> Scalars:
        """(n,) metres from the origin to each axle."""
        return 0.5 * self.wheelbase

    @once
    def _sharpest(self) -> Scalars:
        """(n,) the largest curvature, 1/m."""
        return tangent_of_setting(self.max_wheel_angle) / self.wheelbase

    def looks_back(self, memory: Driving) -> Mask | None:
        return (self.reverse == ALLOW) & memory.is_shifting if anybody(self.reverse == ALLOW) else None

    def moved(
        self, model: VehicleModel, motion: Motion, control: Control, terrain: Terrain, memory: Driving, dt: float
    ) -> Moved:
        along = dot(motion.velocity, level_heading(motion.forward))
        start, facing = carried(terrain, motion.position, motion.forward, memory.ground)
        heights = (memory.heights.T + (start - motion.position)[:, 2]).T
        memory = replace(memory, heights=heights, triangles=terrain.known(memory.triangles))
        heading = level_heading(facing)
        left = left_of(heading, upright(len(heading)))
        speed = np.maximum(memory.sense * along, 0.0)
        push: Vectors = flat(control.force, upright(len(speed))) / model.mass[:, None]
        limits = self._sharpest, self.comfortable_turn, self.reaction_time, self.pedal_time
        others = control.speed_limit, control.on_path
        drivers = Drivers(model, memory, self.reverse == ALLOW, push, heading, speed, *others, *limits)
        car = self._car(model, start, heading, memory, terrain)
        if anybody(drivers.may):
            drivers = look_for_room(drivers, car, terrain, control.behind)
            drivers = replace(drivers, memory=change_states(drivers, dt))
        memory, wanted, sense = drivers.memory, drivers.wanted, drivers.memory.sense
        edge = drivers.allowed(self._to_the_edge(drivers, car, terrain))
        acceleration, foot = drivers.pedals(*self._forward(drivers, control, edge, dt), dt)
        after = np.minimum(np.maximum(speed + acceleration * dt, 0.0), np.maximum(model.max_speed, 0.0))
        covered = after * dt
        tangent = self._steered(memory.tangent, wanted * self.wheelbase, (after > 0.0) | (memory.stuck > 0.0), dt)
        curvature = self._held(model, tangent, np.maximum(speed, after), (after - speed) / dt)
        turn = curvature * covered * sense
        middle, forward = turn_left(heading, left, 0.5 * turn), turn_left(heading, left, turn)
        rear = start - heading * self._axle[:, None]
        rear = rear + middle * (sense * covered * self._in_plan(memory))[:, None]
        brake = foot.pressed((after - speed) / dt, model.max_force / model.mass, self.comfortable_turn, after)
        pedals = replace(memory, braking=foot.braking, reacting=foot.reacting, brake=brake)
        driving = self._driven(pedals, tangent, curvature, sense * speed, sense * after, dt)
        held = drivers.stands & (drivers.wished > drivers.least) & (edge < STILL)
        step = CarStep(driving, sense * covered, curvature * after * after, start, heading, held)
        return Moved(rear + forward * self._axle[:, None], forward * (sense * after)[:, None], forward, step)

    def _forward(self, drivers: Drivers, control: Control, edge: Scalars, dt: float) -> tuple[Scalars, PedalFoot]:
        """The acceleration by the pedals for the steering force forward, (n,) m/s2; and where the driver's foot is.
        `edge`: (n,) the speed that what is ahead allows, m/s."""
        model, memory, speed, strongest = drivers.model, drivers.memory, drivers.speed, drivers.strongest
        bend = np.sqrt(self.comfortable_turn / np.maximum(np.abs(drivers.wanted), EPSILON))
        fastest = np.minimum(model.max_speed, bend)
        along = np.minimum(drivers.pushed, (fastest - speed) / np.maximum(self.pedal_time, dt))
        allowed = edge if control.speed_limit is None else np.minimum(control.speed_limit, edge)
        warned = nobody(len(speed)) if control.warned is None else control.warned
        reactions = self.pedal_time, self.reaction_time
        along, foot = memory.foot.moved(along, speed, allowed, warned, strongest, *reactions, dt)
        change = strongest * dt / self.pedal_time
        along = clamp(along, memory.acceleration - change, memory.acceleration + change)
        # Tyres that hold a bend have less left for the pedals.
        aside = np.minimum(np.abs(memory.tangent) / self.wheelbase * speed * speed, self.comfortable_turn)
        limit = np.sqrt(np.maximum(strongest * strongest - aside * aside, 0.0))
        return clamp(along, -limit, limit), foot

    def _car(self, model: VehicleModel, position: Vectors, heading: Vectors, memory: Driving, terrain: Terrain) -> Car:
        """How the cars stand, for the way before or behind them."""
        stands = memory.ground >= 0
        return Car(
            position=position,
            heading=heading,
            tangent=memory.tangent,
            wheelbase=self.wheelbase,
            track=self.track,
            wheel_rate=self.max_wheel_rate,
            half=shared(0.0, len(stands)) if model.half_axis is None else model.half_axis,
            radius=model.radius,
            height=memory.height,
            grade=self._grade(memory),
            lean=self._chassis.lean(memory.heights),
            on_ground=stands,
            stops=(self.at_edge == STOP) & stands,
            cosine=steepest_accepted(terrain, memory.ground, self.max_slope),
        )

    def _to_the_edge(self, drivers: Drivers, car: Car, terrain: Terrain) -> Scalars:
        """The speeds from which drivers can stop before an edge or too steep ground, (n,) m/s; inf where none is."""
        if not len(terrain.after) or not (anybody(car.stops) or car.cosine is not None):
            return shared(np.inf, len(drivers.speed))
        room = car.room_straight_ahead(terrain, drivers.stopping_distance)
        return np.where(car.on_ground, drivers.speed_to_stop_within(room), np.inf)

    def _steered(self, before: Scalars, wanted: Scalars, turns: Mask, dt: float) -> Scalars:
        """The tangents of the angles of the front wheels after a step, (n,). `turns`: (n,) whose wheels turn: those of
        a car that stands rest, unless it changes its gear."""
        # The derivative of the tangent: 1 + tangent^2.
        limit = np.where(turns, self.max_wheel_rate * dt * (1.0 + before * before), 0.0)
        return clamp(wanted, before - limit, before + limit)

    def _held(self, model: VehicleModel, tangent: Scalars, speed: Scalars, acceleration: Scalars) -> Scalars:
        """The curvature of the way, (n,) 1/m: tyres that accelerate or brake have less hold left for the bend."""
        strongest = model.max_force / model.mass
        remaining = np.sqrt(np.maximum(strongest * strongest - acceleration * acceleration, 0.0))
        limit = np.minimum(remaining, self.comfortable_turn) / np.maximum(speed * speed, EPSILON)
        return clamp(tangent / self.wheelbase, -np.minimum(limit, self._sharpest), np.minimum(limit, self._sharpest))

    def _in_plan(self, memory: Driving) -> Scalars:
        """The share of a way over the ground that is seen from above, (n,)."""
        grade = self._grade(memory)
        return 1.0 / np.sqrt(1.0 + grade * grade)

    @once
    def _chassis(self) -> Chassis:
        return Chassis(self._axle, 0.5 * self.track, self.suspension)

    def _grade(self, memory: Driving) -> Scalars:
        """Metres that the ground under the wheels rises for each metre ahead, (n,)."""
        return self._chassis.grade(memory.heights)

    def _driven(
        self, memory: Driving, tangent: Scalars, curvature: Scalars, speed: Scalars, after: Scalars, dt: float
    ) -> Driving:
        """The memory after a step with a curvature, from one speed to another; (n,) each."""
        covered = after * dt
        locked = np.abs(curvature) >= FULL_LOCK * self._sharpest
        wound = np.where(locked, memory.wound + curvature * covered, 0.0)
        circles = np.abs(wound) > CIRCLE
        straight = np.where(circles, STRAIGHT / self._sharpest, np.maximum(memory.straight - np.abs(covered), 0.0))
        acceleration = (after - speed) / dt
        pitch, pitch_rate = sprung(memory.pitch, memory.pitch_rate, PITCH * acceleration, dt)
        roll, roll_rate = sprung(memory.roll, memory.roll_rate, ROLL * curvature * after * after, dt)
        return replace(
            memory,
            tangent=tangent,
            acceleration=acceleration,
            spin=memory.spin + covered / self.wheel_radius,
            wound=np.where(circles, 0.0, wound),
            straight=straight,
            backed=np.where(memory.backs, memory.backed - covered, 0.0),
            leaving=np.maximum(memory.leaving - np.maximum(covered, 0.0), 0.0),
            pitch=pitch,
            roll=roll,
            pitch_rate=pitch_rate,
            roll_rate=roll_rate,
        )

    def started(self, motion: Motion, terrain: Terrain, memory: Driving) -> Stance:
        level, speed = level_heading(motion.forward), magnitude(motion.velocity)
        chassis, n = self._chassis, len(speed)
        height = motion.position[:, 2] - terrain.lift
        heights, triangles = np.tile(height, (len(WHEELS), 1)).T, np.full((len(WHEELS), n), -1).T
        start = Wheels(motion.position, level, heights, triangles)
        wheels = chassis.standing(start, 0.0, None, terrain)
        ride, rate = chassis.run_up(wheels, speed, terrain)
        memory = replace(memory, heights=wheels.heights, triangles=wheels.triangles, ride=ride, ride_rate=rate)
        moved = Moved(motion.position, level * speed[:, None], level)
        step = CarStep(memory, np.zeros(n), np.zeros(n), motion.position, level, nobody(n))
        return self._stood(moved, step, wheels, terrain)

    def misplaced(self, model: VehicleModel, motion: Motion, terrain: Terrain) -> Mapping[Misplaced, Mask]:
        if not len(terrain.after):
            return {}
        height = motion.position[:, 2] - terrain.lift
        missing = np.zeros(len(height), dtype=np.int64)
        limit, steep = cosine_of_setting(self.max_slope), nobody(len(height))
        for x, y in self._chassis.places(motion.position, level_heading(motion.forward)):
            ground = terrain.first_footing(x, y, height).triangle
            missing += ground < 0
            steep = steep | (terrain.after.levelness(ground) < limit)
        return {
            Misplaced.OFF_GROUND: missing == len(WHEELS),
            Misplaced.TOO_STEEP: steep,
            Misplaced.WHEELS_HANG: (missing > 0) & (missing < len(WHEELS)),
            Misplaced.UPSIDE_DOWN: is_upside_down(motion.up) & (missing < len(WHEELS)),
        }

    def led(self, before: Motion, memory: Driving, moved: Moved, hand: Mask, dt: float) -> Moved:
        speed = np.maximum(dot(before.velocity, level_heading(before.forward)), 0.0)
        after = np.maximum(dot(moved.velocity, moved.forward), 0.0)
        covered = after * dt
        left = left_of(level_heading(before.forward), upright(len(speed)))
        curvature = clamp(ratio(dot(moved.forward, left), covered), -self._sharpest, self._sharpest)
        braked = clamp(-(after - speed) / dt / self.comfortable_turn, 0.0, 1.0)
        pedals = replace(memory, braking=nobody(len(speed)), reacting=np.zeros(len(speed)), brake=braked)
        pedals = replace(pedals, backs=nobody(len(speed)), stuck=np.zeros(len(speed)), side=np.zeros(len(speed)))
        tangent = self._steered(memory.tangent, curvature * self.wheelbase, after > 0.0, dt)
        driving = self._driven(pedals, tangent, curvature, speed, after, dt)
        step: CarStep = moved.memory
        driving = step.driving.put(hand, driving.take(hand))
        covered, sideways = (
            np.where(hand, led, driven)
            for led, driven in ((covered, step.covered), (curvature * after * after, step.sideways))
        )
        return replace(moved, memory=replace(step, driving=driving, covered=covered, sideways=sideways))

    def stance(self, before: Motion, moved: Moved, acceleration: Vectors, terrain: Terrain, dt: float) -> Stance:
        step = moved.memory
        sense = step.driving.sense
        velocity = moved.forward * (sense * np.maximum(sense * dot(moved.velocity, moved.forward), 0.0))[:, None]
        moved = replace(moved, velocity=velocity)
        chassis, driving = self._chassis, step.driving
        rise = self._grade(step.driving) * step.covered * self._in_plan(step.driving)
        reach = WITHIN + np.abs(step.covered)
        start = Wheels(step.start, step.facing, driving.heights, driving.triangles)
        expected = replace(start, position=moved.position, forward=moved.forward)
        wheels = chassis.standing(expected, rise, reach, terrain)
        ride, rate = chassis.ridden(start, wheels, driving.ride, driving.ride_rate, dt)
        driving = replace(driving, heights=wheels.heights, triangles=wheels.triangles, ride=ride, ride_rate=rate)
        return self._stood(moved, replace(step, driving=driving), wheels, terrain)

    def _stood(self, moved: Moved, step: CarStep, wheels: Wheels, terrain: Terrain) -> Stance:
        driving, n = step.driving, len(moved.position)
        position, forward = moved.position, moved.forward
        if not len(terrain.after):
            outputs = self._outputs(driving, step.sideways, (np.zeros(n),) * len(WHEELS))
            return Stance(position, moved.velocity, forward, upright(n), driving, None, outputs)
        pose = self._chassis.pose(forward, driving.heights, driving.ride)
        foot = columns(position[:, 0], position[:, 1], driving.height + driving.ride[:, 0])
        travels = self._chassis.travels(foot, pose, wheels, driving.ride, terrain)
        missing = wheels.missing == len(WHEELS)
        ground = {OFF_GROUND: missing.astype(np.float64), HELD_UP: step.held.astype(np.float64)}
        position = columns(foot[:, 0], foot[:, 1], foot[:, 2] + terrain.lift)
        outputs = self._outputs(driving, step.sideways, travels) | ground
        return Stance(position, moved.velocity, forward, upright(n), driving, pose, outputs)

    def _outputs(self, driving: Driving, sideways: Scalars, travels: Sequence[Scalars]) -> dict[str, Scalars]:
        """The outputs that drivers of the model read, by the names of OUTPUTS."""
        pedal = np.minimum(np.abs(driving.acceleration) / np.maximum(self.comfortable_turn, EPSILON), 1.0)
        values = (
            arctangent(driving.tangent),
            driving.spin,
            *travels,
            np.where(driving.sense * driving.acceleration > 0.0, pedal, 0.0),
            driving.brake,
            driving.acceleration,
            sideways,
            driving.pitch,
            driving.roll,
        )
        return {output.name: value for output, value in zip(OUTPUTS, values)}
