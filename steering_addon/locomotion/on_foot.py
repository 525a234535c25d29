"""On Foot: walking on surfaces, straight below, without creeping or turning while standing; the slow step aside."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.frozen import replace
from ..simulation.arrays.scalars import EPSILON, Mask, Number, Rows, Scalars, anybody, nobody, shared, which
from ..simulation.arrays.vectors import Vectors, columns, dot, from_above, in_space, magnitude, picked, truncate, unit
from ..simulation.declaration import Choice, Unit, choice, length, number, share
from ..simulation.geometry.floors import NO_TRIANGLE, Footing
from ..simulation.ground import level_heading, rise, share_uphill, upright
from ..simulation.handling import Handling
from ..simulation.locomotion import HELD_UP, OFF_GROUND, Control, Locomotion, Moved, Stance
from ..simulation.terrain import Misplaced, Terrain, carried
from ..simulation.vehicle import Motion, VehicleModel
from .banking import GRAVITY
from .footholds import misplaced_walkers
from .gaits import FACES, Walkers, find_directions, share_round, step_aside, stepping_circle, turn_on_foot, within_room
from .headings import begin_turn, sine_between, turn_rate_between, turn_toward
from .looking import LOOKS, await_look, fastest_before_edges, glance, lead_past
from .over_steps import carried_over_steps, fastest_on_stairs
from .point_mass import pushed
from .walkable import BRIDGES, Look, Walkable, along_ground, leaning
from .walking import (
    BLOCKED,
    Outset,
    Stride,
    Walking,
    along_and_aside,
    is_settled,
    join_parts,
    lean_into_turns,
    off_heading,
)

TURN_BACK, STOP, FALL = 0, 1, 2
EDGES = (
    Choice("TURN_BACK", TURN_BACK, "Turn Back", "Turn away from the edge in time"),
    Choice("STOP", STOP, "Stop", "Walk up to the edge and stop there"),
    Choice("FALL", FALL, "Fall", "Walk over the edge and fall to the ground below"),
)
"""The choices of a walker at the edge of a surface, with the numbers stored in files."""
TURNS = 1.3
"""Multiples of the radius of its tightest turn that a walker needs ahead to turn aside."""
ASIDE = 0.4
"""The share of cruise speed at which a walker that may turn on the spot steps aside or back: a person at half a metre a
second."""
SOON = 0.3
"""Seconds in which an animal could stop that turns on the spot to where it hurries; one that runs goes round."""
HURRIES = 0.5
"""The share of its strength from which on a walker hurries."""
AFTERWARDS = 1.5
"""Times in which a walker that hurries could stop, after which it would be on its way where it wants to go."""
SLOWS = 0.5
"""Seconds in which a walker that comes to stairs would stop."""
SLOW = 2.0
"""Multiples of the slowest speed below which a walker obeys the mean of recent forces."""


@dataclass(frozen=True)
class OnFoot(Locomotion):
    """Walk on surfaces, round what is too steep, and turn only as tightly as feet allow.

    Without a surface it walks on the level at the height of its start.
    """

    name = "on_foot"
    label = "On Foot"
    stored_number = 4
    grounded = True
    stands = True
    swings = True
    tightened = ("turn_radius",)
    remembers = Walking
    suits = "People and animals, on hills, stairs and bridges or on level ground"

    turn_radius: Number = length(
        0.5,
        "Radius of the tightest turn at walking pace; slower, it steps round where it may turn on the spot, or where "
        "the ground leaves no room",
    )
    max_turn_rate: Number = number(np.pi, "Fastest turn while walking", Unit.TURN, 0.01, label="Max Turn")
    turn_on_the_spot: Number = number(
        np.pi, "Fastest turn while standing; 0 for animals, which turn by walking round", Unit.TURN, label="Pivot"
    )
    whirl: Number = number(
        4.7, "Fastest turn while standing to what it hurries after or away from, animals too", Unit.TURN, 0.0, 7.0
    )
    slowest_speed: Number = share(
        0.1, "Share of cruise speed below which it stands instead of creeping", label="Least Speed"
    )
    max_slope: Number = number(
        0.61, "Steepest ground that it walks on; it goes round what is steeper", Unit.ANGLE, 0.0, 1.5
    )
    step_height: Number = length(
        0.3, "Highest step that it climbs or descends, as on stairs; its feet bridge gaps that are little wider"
    )
    headroom: Number = length(
        1.8, "Height that has to be free above the ground: where it looks for a way, and up to which obstacles meet it"
    )
    slowed_uphill: Number = share(1.0, "How much it slows down uphill; 1 as people do")
    align_to_ground: Number = share(
        0.0, "How far it leans with the ground: 0 upright as people, 0.5 as animals", label="Ground Lean"
    )
    lean_in_turns: Number = share(
        1.0, "How far it leans into turns as it runs: 1 as its balance asks, 0 never", label="Turn Lean"
    )
    at_edge: Rows = choice("TURN_BACK", "What it does at the edge of a surface", EDGES)

    def slope(self, memory: Walking) -> Vectors | None:
        return memory.normal

    def handling(self) -> Handling:
        room_to_turn = np.where(self.turn_on_the_spot > 0.0, 0.0, self.turn_radius)
        return Handling(
            self.max_turn_rate,
            turning_circle=self.turn_radius,
            room_to_turn=room_to_turn,
            side_step=self._side_steps(),
            swings_round=room_to_turn > 0.0,
            stops_to_turn=np.where(self.whirl > 0.0, SOON, 0.0),
            uphill_slowing=self.slowed_uphill,
            slowest_share=self.slowest_speed,
            steepest=self.max_slope,
            # Those that fall over edges take ways that no map of the ground knows.
            step=np.where(self.at_edge == FALL, np.inf, self.step_height),
            gap=BRIDGES * self.step_height,
            headroom=self.headroom,
        )

    def moved(
        self, model: VehicleModel, motion: Motion, control: Control, terrain: Terrain, memory: Walking, dt: float
    ) -> Moved:
        facing = level_heading(motion.forward) if anybody(motion.forward[:, 2] != 0.0) else motion.forward
        along, aside = along_and_aside(from_above(motion.velocity), from_above(facing))
        speed = np.maximum(along, 0.0)
        start, facing = carried(terrain, motion.position, facing, memory.triangle)
        feet, heading = terrain.feet(start), from_above(facing)
        memory = replace(memory, triangle=self._triangles(feet, terrain, memory))
        # From here on velocities and headings are those seen from above.
        motion = Motion(start, heading * speed[:, None], motion.side, heading, motion.up)
        steps, beside = self._side_steps(), None
        if anybody(steps > 0.0):
            beside = join_parts(heading, *(np.where(steps > 0.0, v, 0.0) for v in (np.minimum(along, 0.0), aside)))
        slowest, walkable = self.slowest_speed * model.pace, self._walkable(terrain)
        push = self._push(model, control, memory, speed, slowest, dt)
        outset = Outset(model, motion, control, memory, push, walkable, feet, speed, slowest, beside, dt)
        if anybody(memory.tread > 0.0):
            outset = replace(outset, control=replace(control, speed_limit=self._limit_on_stairs(outset)))
        wanted, wish = self._wanted(outset, terrain)
        wished, onward = magnitude(wish), dot(wish, heading)
        if anybody(settles := is_settled(model, wished, onward)):
            wished = np.where(settles, 0.0, wished)
        wish, whirls, turn_rate, on_the_spot = self._whirling(outset, wish)
        rounds = share_round(outset, on_the_spot, wished, onward)
        cornered = memory.cornered | memory.blocked | walkable.is_too_steep(memory.triangle)
        cornered = cornered | self._is_hemmed_in(model, motion, terrain, rounds >= 1.0)
        outset = replace(outset, memory=replace(memory, cornered=cornered))
        direction, wished, idle = find_directions(
            outset, self.turn_on_the_spot, wanted, wish, wished, onward, rounds, whirls
        )
        if len(walkable.surfaces):
            outset = replace(outset, memory=self._looked(outset, direction))
            direction = lead_past(outset.memory, direction)
        walkers = Walkers(
            **vars(outset),
            direction=direction,
            circle=self.turn_radius,
            max_turn_rate=turn_rate,
            on_the_spot=on_the_spot,
            wanted=magnitude(wanted),
            wished=wished,
            fastest=fastest_before_edges(outset),
            most=np.where(whirls, np.maximum(dot(wanted, heading), 0.0), np.inf),
            steps_aside=steps,
            rounds=rounds,
        )
        on_the_spot = np.where(cornered, 0.0, self._on_the_spot(control, heading, memory.turning, dt))
        gait, forward = turn_on_foot(walkers, idle, on_the_spot)
        if control.room_left is not None and control.room_right is not None:
            gait, forward = within_room(heading, gait, forward, control.room_left, control.room_right)
        velocity = self._stepped_aside(walkers, wish, settles, idle, gait, forward)
        return self._trodden(walkers, gait, velocity, forward)

    def _triangles(self, feet: Vectors, terrain: Terrain, memory: Walking) -> Rows:
        """The rows of the triangles on which they stand, (n,), found again where faces have come or gone."""
        known = terrain.known(memory.triangle)
        if known is memory.triangle:
            return known
        x, y, z = feet.T
        return terrain.after.under(x, y, z, self.step_height, self.step_height).triangle

    def _push(
        self, model: VehicleModel, control: Control, memory: Walking, speed: Scalars, slowest: Scalars, dt: float
    ) -> Vectors:
        """The level forces that act, (n, 2) newtons. An animal that hardly moves has no momentum to blend forces that
        change from step to step, so it obeys their mean. Who steps aside takes up at once what is chosen."""
        push = from_above(truncate(control.force, model.max_force))
        share_of_last = (dt / (model.response_time + dt))[:, None]
        slow = (speed < SLOW * slowest) & (self.turn_on_the_spot <= 0.0)
        if not anybody(slow):
            return push
        return np.where(slow[:, None], memory.push + (push - memory.push) * share_of_last, push)

    def _wanted(self, outset: Outset, terrain: Terrain) -> tuple[Vectors, Vectors]:
        """The velocities after the step of a body that is free to turn, and after the response time; (n, 2) m/s."""
        model, motion, slowest, beside = outset.model, outset.motion, outset.slowest, outset.beside
        memory, limit = outset.memory, outset.control.speed_limit
        uphill = rise(memory.normal, motion.forward)
        if anybody(uphill > 0.0):
            # The normal before a ramp leans already where the floor is level.
            uphill = np.minimum(uphill, rise(terrain.after.face_normal(memory.triangle), motion.forward))
        fastest = np.maximum(model.max_speed * share_uphill(uphill, self.slowed_uphill), slowest)
        if limit is not None:
            fastest = np.minimum(fastest, limit)
        wanted, _ = pushed(model, motion, Control(outset.push, fastest), self.max_turn_rate, outset.dt)
        pull = outset.push * (model.response_time / model.mass)[:, None]
        wish = motion.velocity + pull
        if beside is not None:
            wanted, wish = wanted + beside, wish + beside
        # A walker that sets off goes forward first, whatever is behind it, and does not have to stand for that.
        rows = which(magnitude(motion.velocity) < slowest)
        rows = rows[magnitude(picked(wish, rows)) < magnitude(picked(pull, rows))]
        wish[rows] = pull[rows]
        return wanted, truncate(wish, np.maximum(fastest, 0.0))

    def _limit_on_stairs(self, outset: Outset) -> Scalars:
        """The speed limit, (n,) m/s, of those of whom some are on stairs; they slow down gradually for these."""
        model, limit = outset.model, outset.control.speed_limit
        fastest = fastest_on_stairs(outset.memory.tread, model.radius, model.pace)
        fastest = np.maximum(fastest, outset.speed - model.pace * (outset.dt / SLOWS))
        return fastest if limit is None else np.minimum(fastest, limit)

    def _is_hemmed_in(self, model: VehicleModel, motion: Motion, terrain: Terrain, turns: Mask) -> Mask:
        """Whether an obstacle leaves walkers that turn round no room for it, (n,)."""
        hemmed_in, rows = np.zeros(len(turns), dtype=np.bool_), which(turns)
        if terrain.obstacles is None or not len(terrain.obstacles) or not len(rows):
            return hemmed_in
        half = 0.5 * self.turn_radius[rows]
        middle = picked(motion.position, rows) + in_space(picked(motion.forward, rows)) * half[:, None]
        room = half + model.radius[rows]
        stature = self.handling().stature(terrain.lift).take(rows)
        index, obstacle = terrain.obstacles.near(middle, room, stature)
        gap, _ = terrain.obstacles.surface(middle[index], obstacle, stature.take(index))
        hemmed_in[rows[index[gap < room[index]]]] = True
        return hemmed_in

    def _whirling(self, outset: Outset, wish: Vectors) -> tuple[Vectors, Mask, Scalars, Scalars]:
        """Let walkers whirl round to where they hurry: people brake for that, animals that run go round.

        So do animals that are held up, as with the nose at a fence: they have no room to walk round. Returns wish (n,
        2) m/s, who whirls round (n,), the fastest turn on a walk and while they stand (n,) rad/s.
        """
        model, motion, control, speed = outset.model, outset.motion, outset.control, outset.speed
        on_the_spot, turn_rate = self.turn_on_the_spot, self.max_turn_rate
        hurries = nobody(len(speed)) if control.hurries is None else control.hurries
        if control.held_up is not None:
            hurries = hurries | (control.held_up & (on_the_spot <= 0.0))
        if anybody(hurries):
            slow = (on_the_spot > 0.0) | (speed <= SOON * model.max_force / model.mass)
            pulls = magnitude(from_above(control.force)) > HURRIES * model.max_force
            hurries = hurries & slow & pulls & (self.whirl > 0.0)
        if not anybody(hurries):
            return wish, hurries, turn_rate, on_the_spot
        # Without a hurry they turn on the spot as fast as on a walk.
        pivot = turn_rate if control.hurries is None else np.where(control.hurries, self.whirl, turn_rate)
        on_the_spot = np.where(hurries, np.maximum(on_the_spot, pivot), on_the_spot)
        turn_rate = np.where(hurries, np.maximum(turn_rate, on_the_spot), turn_rate)
        # A force from behind stops it first: where it wants to go shows only beyond that.
        stopped = AFTERWARDS * speed / outset.brakes
        beyond = motion.velocity + outset.push * (np.maximum(stopped, model.response_time) / model.mass)[:, None]
        whirls = hurries & (dot(beyond, motion.forward) < FACES * magnitude(beyond))
        return np.where(whirls[:, None], beyond, wish), whirls, turn_rate, on_the_spot

    def _stepped_aside(
        self, w: Walkers, wish: Vectors, settles: Mask, idle: Mask, gait: Vectors, forward: Vectors
    ) -> Vectors:
        """The velocities, (n, 2) m/s, of walkers that step aside from their gaits, but not over the end of the ground.
        `settles`: (n,) who is not asked to walk, whatever its wish."""
        if w.beside is None:
            return gait
        asked = np.where((settles | (magnitude(wish) < w.slowest))[:, None], 0.0, wish)
        # A walker that is led past where the ground ends keeps to that way.
        led = w.memory.cornered | w.memory.wary | w.is_led_aside | w.memory.inward.any(axis=1)
        share = np.where(led | (idle & (magnitude(w.beside) <= 0.0)), 0.0, w.steps_aside)
        velocity = step_aside(w, share, gait, forward, w.motion.velocity + w.beside, asked)
        rows = which((velocity != gait).any(axis=1) & (w.memory.triangle >= 0))
        if len(rows):
            ahead = unit(picked(velocity, rows)) * (w.model.radius[rows] + self.step_height[rows])[:, None]
            subset, normal = w.walkable.take(rows), picked(w.memory.normal, rows)
            ends = subset.refuses_edges & (subset.footing(picked(w.feet, rows), ahead, normal).triangle < 0)
            velocity[rows[ends]] = gait[rows[ends]]
        return velocity

    def _trodden(self, w: Walkers, gait: Vectors, velocity: Vectors, forward: Vectors) -> Moved:
        """The step along the ground with level velocities and headings, (n, 2), where the ground does not refuse it."""
        model, memory, start, heading, walks = w.model, w.memory, w.motion.position, w.motion.forward, magnitude(gait)
        course = forward
        if anybody(w.steps_aside > 0.0):
            course = np.where((magnitude(velocity) > 0.0)[:, None], unit(velocity), forward)
        offset = along_ground(memory.normal, course, magnitude(velocity) * w.dt)
        footing, refused = w.walkable.step(w.feet, offset, memory.normal, memory.triangle)
        if anybody(refused):
            offset, velocity = (np.where(refused[:, None], 0.0, v) for v in (offset, velocity))
            forward = np.where((refused & ~memory.cornered)[:, None], heading, forward)
            if footing is not None:
                footing = replace(footing, triangle=np.where(refused, NO_TRIANGLE, footing.triangle))
        stands = (walks <= 0.0) | refused
        cornered = refused | (memory.cornered & stands & ~memory.blocked)
        way_out = memory.way_out
        if way_out.any():
            way_out = np.where((refused | ~cornered)[:, None], 0.0, way_out)
        turning = turn_rate_between(heading, forward, w.dt)
        leans = lean_into_turns(memory.leans, self.lean_in_turns, walks, turning, model.radius, w.dt)
        walking = replace(memory, stands=stands, cornered=cornered, turning=turning, leans=leans)
        walking = replace(walking, push=w.push, way_out=way_out)
        end = columns(start[:, 0] + offset[:, 0], start[:, 1] + offset[:, 1], start[:, 2])
        reach = model.radius if model.half_axis is None else model.radius + model.half_axis
        stride = Stride(start, walking, end, footing, w.walkable, reach, w.pace)
        return Moved(end, in_space(velocity), in_space(forward), stride, start)

    def _side_steps(self) -> Scalars:
        """(n,) as of `side_step`: who turns on the spot steps aside as well."""
        return np.where(self.turn_on_the_spot > 0.0, ASIDE, 0.0)

    def _walkable(self, terrain: Terrain) -> Walkable:
        shuns, refuses = self.at_edge == TURN_BACK, self.at_edge != FALL
        return Walkable(terrain.after, self.max_slope, self.step_height, self.headroom, shuns, refuses)

    def _looked(self, outset: Outset, direction: Vectors) -> Walking:
        """The memory once those whose time it is have looked at the ground in directions (n, 2)."""
        model, control, speed, dt = outset.model, outset.control, outset.speed, outset.dt
        memory, rows = await_look(outset.memory, outset.heading, dt)
        if not len(rows):
            return memory
        # From a corner it sets off as slowly as can be, so that it looks at the very place to which it steps.
        step = np.maximum(speed, np.minimum(outset.slowest, outset.brakes * dt)) * dt
        circle = np.maximum(self.turn_radius, step / (dt * np.maximum(self.max_turn_rate, EPSILON)))
        reach = self._reach(model, speed)
        need = reach - TURNS * self.turn_radius + speed * LOOKS
        need = need + np.minimum(stepping_circle(self.turn_on_the_spot, model.pace), self.turn_radius)
        stands = outset.feet, memory.normal, memory.triangle, outset.heading
        look = Look(*stands, direction, step, reach, model.radius, need, circle)
        goal_distance = shared(np.inf, len(speed)) if control.goal_distance is None else control.goal_distance
        return glance(outset.walkable, look, goal_distance, memory, rows, dt)

    def _reach(self, model: VehicleModel, speed: Scalars) -> Scalars:
        """How far ahead a walker looks at the ground, (n,) metres: the room it takes to turn or to brake."""
        braking = 0.5 * speed * speed * model.mass / np.maximum(model.max_force, EPSILON)
        return TURNS * self.turn_radius + braking + model.radius

    def _on_the_spot(self, control: Control, heading: Vectors, turning: Scalars, dt: float) -> Scalars:
        """The fastest turn of one that stands to where it is asked to face, (n,) rad/s, which begins gradually."""
        if control.heading is None:
            return self.turn_on_the_spot
        sine, rate = sine_between(heading, from_above(control.heading)), self.turn_on_the_spot
        if control.hurries is not None:
            rate = np.where(control.hurries, np.maximum(rate, self.whirl), rate)
        return begin_turn(rate, turn_toward(sine, turning), dt)

    def started(self, motion: Motion, terrain: Terrain, memory: Walking) -> Stance | None:
        if not len(terrain.after):
            return None
        feet = terrain.feet(motion.position)
        level = level_heading(motion.forward)
        moved = Moved(motion.position, level * magnitude(motion.velocity)[:, None], level)
        x, y, z = feet.T
        footing = terrain.first_footing(x, y, z)
        return self._stood(moved, footing, terrain, memory)

    def misplaced(self, model: VehicleModel, motion: Motion, terrain: Terrain) -> Mapping[Misplaced, Mask]:
        if not len(terrain.after):
            return {}
        reach = self._reach(model, np.zeros(len(motion.position)))
        walkable, feet = self._walkable(terrain), terrain.feet(motion.position)
        return misplaced_walkers(walkable, terrain, feet, motion.up, model.radius, reach)

    def led(self, before: Motion, memory: Walking, moved: Moved, hand: Mask, dt: float) -> Moved:
        stride: Stride = moved.memory
        walking = replace(
            stride.walking,
            stands=np.where(hand, magnitude(moved.velocity) <= 0.0, stride.walking.stands),
            cornered=stride.walking.cornered & ~hand,
            way_out=np.where(hand[:, None], 0.0, stride.walking.way_out),
        )
        return replace(moved, memory=replace(stride, walking=walking, led=hand))

    def stance(self, before: Motion, moved: Moved, acceleration: Vectors, terrain: Terrain, dt: float) -> Stance:
        stride: Stride = moved.memory
        walking, walkable, position = stride.walking, stride.walkable, moved.position
        velocity, course = moved.forward * np.maximum(dot(moved.velocity, moved.forward), 0.0)[:, None], moved.forward
        steps = self._side_steps()
        if anybody(steps > 0.0):
            beside = off_heading(steps, stride.pace, from_above(moved.velocity), from_above(moved.forward))
            if beside.any():
                velocity = velocity + in_space(beside)
                course = np.where(beside.any(axis=1)[:, None], unit(velocity), course)
        got_on = stride.got_on(position)
        blocked = (got_on < BLOCKED) & (self.turn_on_the_spot <= 0.0)
        velocity = np.where(blocked[:, None], velocity * got_on[:, None], velocity)
        walking = replace(walking, blocked=blocked | (walking.blocked & walking.stands))
        if not len(terrain.after):
            up, level = upright(len(position)), np.zeros(len(position))
            leans = leaning(moved.forward, up, level, walking.leans)
            return Stance(position, velocity, moved.forward, up, walking, leans)
        falls, fall_speed = self.at_edge == FALL, np.zeros(len(position))
        if anybody(falls):
            falls &= (walking.triangle >= 0) | (walking.fall_speed > 0.0)
            fall_speed = np.where(falls, walking.fall_speed + GRAVITY * dt, 0.0)
        footing = stride.trodden(position, terrain, fall_speed * dt)
        over = (footing.triangle < 0) & (walking.triangle >= 0) & ~falls
        pushed = (walking.triangle >= 0) & (position != stride.end).any(axis=1)
        if anybody(pushed):
            start = terrain.feet(stride.start)
            over |= pushed & walkable.goes_under(start, position[:, 0], position[:, 1], footing.height)
        if stride.led is not None:
            over &= ~stride.led
        if anybody(over):
            # A contact pushed it over the edge, or under what leaves no headroom: it stays where it stood.
            position = np.where(over[:, None], stride.start, position)
            velocity = np.where(over[:, None], 0.0, velocity)
            feet, offset = terrain.feet(stride.start), from_above(position - stride.start)
            footing = walkable.footing(feet, offset, walking.normal, fall_speed * dt)
            rows = which(over & (footing.triangle < 0))
            if len(rows):
                shift, ground = walkable.take(rows).beside(picked(feet, rows), stride.pace[rows] * dt)
                position[rows], footing = position[rows] + in_space(shift), footing.put(rows, ground)
        if anybody(falls):
            fall_speed = np.where(footing.triangle < 0, fall_speed, 0.0)
            position = columns(position[:, 0], position[:, 1], position[:, 2] - fall_speed * dt)
        walking = replace(walking, fall_speed=fall_speed)
        walking = carried_over_steps(walking, stride, footing, position, course, terrain.lift, dt)
        return self._stood(Moved(position, velocity, moved.forward), footing, terrain, walking)

    def _stood(self, moved: Moved, footing: Footing, terrain: Terrain, walking: Walking) -> Stance:
        """The stance on what is under the feet; without any, upright at its height."""
        stands, position, forward = footing.triangle >= 0, moved.position, moved.forward
        height = np.where(stands, footing.height + terrain.lift, position[:, 2])
        normal = terrain.after.normal_at(footing.triangle, footing.u, footing.v)
        held_up = walking.cornered | self._walkable(terrain).is_too_steep(footing.triangle)
        return Stance(
            columns(position[:, 0], position[:, 1], height),
            moved.velocity,
            forward,
            upright(len(normal)),
            replace(walking, triangle=footing.triangle, normal=normal),
            leaning(forward, normal, self.align_to_ground, walking.leans),
            {OFF_GROUND: (~stands).astype(np.float64), HELD_UP: held_up.astype(np.float64)},
            walking.carried + walking.off,
        )
