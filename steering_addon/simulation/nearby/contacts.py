"""Contacts: bodies that have run into each other, or into an obstacle, are moved apart.

Steering keeps clear if it can; where a crowd is too dense for that, contacts keep bodies out of each other. A pair with
radii r_i, r_j at a distance d, of their middles or of the axes of capsules, overlaps by r_i + r_j - d. Each moves away
by its share of the overlap: of two that give way, the lighter by more, but who is to stand (Cruise Speed 0) does so
only for who is to stand as well, or is wedged. A body with k contacts moves by the sum divided
by max(CAREFUL k, 1), in PASSES rounds (Jacobi iteration), so that chains of bodies separate too.

Bodies on feet give way along their heading, as `Strides` says.

What contacts take of a way they take over time. Bodies brake with b, which stops one at its speed, or at its pace if
that is faster, within STOPS; two on their way into each other begin to where else they could not stop before they
touch, and overlaps are undone as gently. The velocity at which a body is shoved beside its own grows by GUARD b at most
and fades by b, so that it neither stops nor darts for one frame: what could gallop is pushed no harder while it walks.
Only obstacles keep bodies out at once; who stands in what lies, such as a table top, gets out aside by the shortest way
that is free.

No body moves further than its top speed allows, or that of its dart, on what it stands on. Its velocity loses the
component into the contact that it does not go any more, so that no body is thrown back or turned around, and each sets
off again by its own force.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays.frozen import Columns, replace
from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, anybody, clamp, totals, which
from ..arrays.vectors import Vectors, columns, dot, magnitude, no_vectors, picked, truncate, unit
from ..geometry.capsules import between_axes
from ..ground import level, parted
from ..locomotion import Moved
from ..snapshot import Snapshot
from ..vehicle import VehicleModel
from ..world import World
from .pairs import Pairs, pairs_of_reach
from .strides import Strides
from .walls import STOPS, AtWalls, room_to_brake

PASSES = 30
"""Rounds in which each body gives way to the bodies that it touches."""
ROUNDING = 1e-9
"""The share by which a body at top speed may seem to go further."""
IN_STRIDE = 20
"""Rounds after which those on feet that are still deep in another body are pushed aside as well, and those that stand
give way to who is wedged between them."""
CAREFUL = 0.6
"""A body with k contacts moves by 1 / (CAREFUL k) of their sum: all of it would overshoot."""
GUARD = 2.0
"""Times as fast as that bodies brake that contacts did not see coming, such as those shoved by others."""
WIDE = 2.0
"""The factor between the distances at which bodies brake and to which they come nearer in a step from which on a search
at the former finds far more pairs than those that touch."""
MARGIN, MANY = 0.25, 256
"""Of more pairs than these, a round looks only at those that are nearer to a contact than this share of the largest
radius, until a body has moved that far."""
WALL_PASSES = 3
"""Rounds in which bodies are kept out of obstacles, whatever else contacts do."""
NOBODY_SHOVED: Vectors = no_vectors(0)


def reach_of_contacts(model: VehicleModel, extent: Scalars, dt: float) -> float:
    """The distance up to which bodies look where others are that they may touch, metres; 0 if none is kept apart.

    It is the largest at which two may have to brake for each other. Where that is much more than two come nearer in a
    step, as in flocks, it is what they come nearer, and who is further away is found where it will be. `extent`: (b,)
    from the middle of each body to its furthest end, metres; `dt`: the step, seconds.
    """
    if not anybody(model.keep_apart):
        return 0.0
    far, near = (_reach(model, extent, seconds) for seconds in (dt + 0.5 * STOPS, dt))
    return near if far > WIDE * near else far


def _reach(model: VehicleModel, extent: Scalars, seconds: float) -> float:
    """How far apart two bodies are at most that touch within so many seconds, metres."""
    return 2.0 * (float(extent.max(initial=0.0)) + float(model.max_speed.max(initial=0.0)) * seconds)


def brakes_of(model: VehicleModel, speed: Scalars) -> Scalars:
    """How fast bodies slow down at speeds (n,) m/s before what they would run into, (n,) m/s2."""
    return np.maximum(model.max_force / model.mass, np.maximum(speed, model.pace) / STOPS)


def push_apart(
    moved: Moved,
    snapshot: Snapshot,
    world: World,
    present: Mask,
    shoved: Vectors,
    lands: Vectors | None = None,
    wedged: Mask | None = None,
) -> tuple[Moved, Vectors]:
    """All n vehicles after a step without the overlaps it led to, and `shoved`; empty where contacts move nobody.

    Args:
        world: the world before the step.
        present: (n,) the vehicles that take part.
        shoved: (n, 3) the velocities at which contacts moved them beside their own in the last step, m/s; empty for 0.
        lands: (n, 3) the places where they are to stand, from which no obstacle keeps them, nan for those without one;
            None if there are none.
        wedged: (n,) those that get on no longer, to which who stands gives way; None for none.
    """
    model, handling, grounded = snapshot.vehicle, snapshot.handling, snapshot.grounded
    position, velocity, forward = moved.position, moved.velocity, moved.forward
    gives_way = model.keep_apart & present & (model.max_speed > 0.0)
    if not gives_way.any():
        return moved, NOBODY_SHOVED
    n, dt = len(position), world.dt
    before = picked(world.bodies.position, np.arange(n))
    points = np.concatenate((position, world.bodies.position[n:] + world.bodies.velocity[n:] * dt))
    brakes = brakes_of(model, magnitude(picked(world.bodies.velocity, np.arange(n))))
    strides = Strides.of(moved.began, forward, model.radius, gives_way, handling.side_step, model.pace * dt)
    pairs = _Touching.of(model, gives_way, wedged, strides, brakes, world, points, forward)
    walls = AtWalls.of(model, handling, gives_way, brakes, world, position, forward, lands)
    if not len(pairs.first) and not len(walls.row) and not len(shoved):
        return moved, NOBODY_SHOVED
    _separate(points, pairs, strides, walls, world, grounded)
    last = shoved if len(shoved) else no_vectors(n)
    shove = (points[:n] - position) / dt
    swells = magnitude(shove) > magnitude(last)
    shove = last + truncate(shove - last, np.where(swells, GUARD, 1.0) * brakes * dt)
    points[:n] = strides.held(position + shove * dt, points)
    walled = _keep_out(points, walls, world, grounded)
    furthest = clamp(magnitude(velocity), model.max_speed, handling.dart * model.max_speed) * dt
    # What is carried by something faster, or falls, moves from where that has taken it.
    carried = magnitude(position - before) > furthest * (1.0 + ROUNDING)
    if anybody(carried):
        before = np.where(carried[:, None], position - velocity * dt, before)
    separated = before + truncate(points[:n] - before, furthest)
    shift = separated - position
    touched = gives_way & (magnitude(shift) > EPSILON)
    if not touched.any():
        return moved, NOBODY_SHOVED
    separated = np.where(touched[:, None], separated, position)
    shift = np.where(touched[:, None], shift, 0.0)
    taken = _taken(velocity, shift / dt)
    # A body that is moved out of an obstacle does not go on from there.
    shoved = np.where(walled[:, None], 0.0, shift / dt - taken)
    return replace(moved, position=separated, velocity=velocity + taken), shoved


def _separate(
    points: Vectors, pairs: "_Touching", strides: Strides, walls: AtWalls, world: World, grounded: Mask
) -> None:
    """Move the vehicles, the first n of all bodies at points (b, 3), apart, in rounds."""
    n, drift, close = len(grounded), np.inf, pairs
    margin = MARGIN * float(world.bodies.radius.max())
    for passed in range(PASSES):
        late = passed >= IN_STRIDE
        if 2.0 * drift >= margin:
            close, drift = pairs.close(points, margin), 0.0
        push = close.displacement(points, firm=not late)
        way = strides.taken(points, push, slide=late) + walls.displacement(points, brakes=True)
        way = level(picked(way, np.arange(n)), world.upward, grounded)
        if not way.any():
            break
        points[:n] += way
        drift += float(magnitude(way).max())


def _keep_out(points: Vectors, walls: AtWalls, world: World, grounded: Mask) -> Mask:
    """Move the vehicles, the first n of all bodies at points (b, 3), out of obstacles; returns who was moved, (n,)."""
    n = len(grounded)
    gently = points[:n].copy(order="K")
    for _ in range(WALL_PASSES):
        out = level(picked(walls.displacement(points, brakes=False), np.arange(n)), world.upward, grounded)
        if not out.any():
            break
        points[:n] += out
    moved: Mask = (points[:n] != gently).any(axis=1)
    return moved


def _taken(velocity: Vectors, shove: Vectors) -> Vectors:
    """The loss of velocities (n, 3) at contacts: the component into the contact, as far as bodies are shoved; m/s."""
    away = unit(shove)
    return away * np.minimum(np.maximum(-dot(velocity, away), 0.0), magnitude(shove))[:, None]


@dataclass(frozen=True)
class _BodyAxes(Columns):
    """The axes of p pairs of capsules. `first`, `second`: (p, 3) unit directions; `half_first`, `half_second`: (p,)
    half the lengths, metres."""

    first: Vectors
    second: Vectors
    half_first: Scalars
    half_second: Scalars

    @classmethod
    def of(cls, world: World, forward: Vectors, first: Rows, second: Rows) -> "_BodyAxes | None":
        """The axes of pairs of bodies, of which the vehicles have headings (n, 3); None if all are spheres."""
        half, n = world.bodies.half_axis, len(forward)
        if half is None:
            return None
        axes = np.concatenate((forward, world.bodies.forward[n:]))
        return cls(picked(axes, first), picked(axes, second), half[first], half[second])

    def between(self, offset: Vectors) -> Vectors:
        """The offsets between the nearest points of the axes, from those of their middles; (p, 3) metres."""
        return between_axes(offset, self.first, self.half_first, self.second, self.half_second)


@dataclass(frozen=True)
class _Touching:
    """Pairs of bodies that may touch.

    Attributes:
        first, second: (p,) rows of bodies.
        contact: (p,) the distance of their axes to which they come nearer in the step, metres.
        capsules: their axes; None if all bodies are spheres.
        shares, shares_if_firm: (2, p) the shares of an overlap by which the first and the second give way, and those if
            bodies that stand do not; they add up to 1.
        side: (b, 3) the direction in which a body moves off another at the same point.
        count: the count of all bodies, b.
    """

    first: Rows
    second: Rows
    contact: Scalars
    capsules: _BodyAxes | None
    shares: NDArray[np.float64]
    shares_if_firm: NDArray[np.float64]
    side: Vectors
    count: int

    @classmethod
    def of(
        cls,
        model: VehicleModel,
        gives_way: Mask,
        wedged: Mask | None,
        strides: Strides,
        brakes: Scalars,
        world: World,
        points: Vectors,
        forward: Vectors,
    ) -> "_Touching":
        """The pairs that may have to brake for each other, at least one of which gives way. `brakes`: (n,) m/s2;
        `points`: (b, 3) the places to which a step leads, metres; `forward`: (n, 3) unit headings."""
        bodies = world.bodies
        count = len(bodies.radius)
        yields = np.zeros(count)
        yields[: len(gives_way)] = np.where(gives_way, 1.0 / model.mass, 0.0)
        stride = np.zeros(count)
        stride[: len(gives_way)] = model.max_speed * world.dt
        way = stride + 0.5 * STOPS * magnitude(bodies.velocity)
        step = points - bodies.position
        looks = reach_of_contacts(model, bodies.extent, world.dt)
        lists = world.vicinity.pairs(looks)
        if looks < _reach(model, bodies.extent, world.dt + 0.5 * STOPS):
            lists = [*lists, _further(world, step, stride, looks)]
        none = np.zeros(0, dtype=np.int64)
        first, second = (np.concatenate([none, *(getattr(p, end) for p in lists)]) for end in ("first", "second"))
        distance_squared = np.concatenate([np.zeros(0), *(pairs.distance_squared for pairs in lists)])
        contact = bodies.radius[first] + bodies.radius[second]
        extent = bodies.extent
        reach = contact if bodies.half_axis is None else extent[first] + extent[second]
        reach = reach + way[first] + way[second]
        near = which((distance_squared < reach * reach) & (yields[first] + yields[second] > 0.0))
        first, second, contact = first[near], second[near], contact[near]
        axes = _BodyAxes.of(world, forward, first, second)
        offset = picked(bodies.position, second) - picked(bodies.position, first)
        offset = offset if axes is None else axes.between(offset)
        closing = picked(step, second) - picked(step, first)
        distance, meet = magnitude(offset), will_touch(offset, closing, contact)
        may = which(meet | (distance < contact + stride[first] + stride[second]))
        may = may[~parted(bodies.position, world.upward, first[may], second[may])]
        if not len(may):
            shares = np.zeros((2, 0))
            return cls(none, none, np.zeros(0), None, shares, shares, no_vectors(count), count)
        first, second, contact, distance, meet = first[may], second[may], contact[may], distance[may], meet[may]
        axes = None if axes is None else axes.take(may)
        # As if one of the two had to brake alone.
        rows, braking = which(meet), np.zeros(count)
        braking[: len(gives_way)] = np.where(gives_way, brakes, 0.0)
        away, one, other = unit(picked(offset, may[rows])), first[rows], second[rows]
        alone = strides.braking(away, one) * braking[one] + strides.braking(away, other) * braking[other]
        slower = 0.5 * alone * (world.dt * world.dt)
        contact[rows] += _left_of_gap(distance[rows] - contact[rows], slower)
        within = which(distance < contact + stride[first] + stride[second])
        first, second, contact, may = first[within], second[within], contact[within], may[within]
        axes = None if axes is None else axes.take(within)
        shares = if_firm = _shares(yields, yields, first, second)
        if bodies.stands is not None:
            goes = (yields > 0.0) & ~bodies.stands
            if wedged is not None:
                between = _between(bodies.stands, first, second, unit(picked(offset, may)))
                goes[: len(wedged)] &= ~(wedged & between[: len(wedged)])
            if_firm = _shares(yields, np.where(bodies.stands, 0.0, yields), first, second, goes)
        side = np.zeros((count, 3))
        side[:, 0] = bodies.forward[:, 1]
        side[:, 1] = -bodies.forward[:, 0]
        return cls(first, second, contact, axes, shares, if_firm, side, count)

    def close(self, points: Vectors, margin: float) -> "_Touching":
        """The pairs that touch at points (b, 3), or come to before both together move by `margin` metres."""
        if len(self.first) <= MANY:
            return self
        offset = picked(points, self.second) - picked(points, self.first)
        offset = offset if self.capsules is None else self.capsules.between(offset)
        rows = which(magnitude(offset) <= self.contact + margin)
        return replace(
            self,
            first=self.first[rows],
            second=self.second[rows],
            contact=self.contact[rows],
            capsules=None if self.capsules is None else self.capsules.take(rows),
            shares=self.shares[:, rows],
            shares_if_firm=self.shares_if_firm[:, rows],
        )

    def displacement(self, points: Vectors, *, firm: bool) -> Vectors:
        """The displacement of each body at points (b, 3) off the bodies that it overlaps, (b, 3) metres. `firm`:
        whether bodies that stand give way to none that goes."""
        if not len(self.first):
            return no_vectors(self.count)
        first_share, second_share = self.shares_if_firm if firm else self.shares
        middles = offset = picked(points, self.second) - picked(points, self.first)
        if self.capsules is not None:
            offset = self.capsules.between(offset)
        distance = magnitude(offset)
        overlap = np.maximum(self.contact - distance, 0.0)
        away = np.where((distance > EPSILON)[:, None], unit(offset), self.side[self.first])
        if self.capsules is not None:
            # Axes that cross have no direction between them.
            crossed = (distance <= EPSILON) & (magnitude(middles) > EPSILON)
            away = np.where(crossed[:, None], unit(middles), away)
        touches = (overlap > 0.0).astype(np.float64)
        number = totals(self.first, touches, self.count) + totals(self.second, touches, self.count)
        share = 1.0 / np.maximum(CAREFUL * number, 1.0)
        components = []
        for axis in range(3):
            along = away[:, axis] * overlap
            forward = totals(self.second, along * second_share, self.count)
            components.append((forward - totals(self.first, along * first_share, self.count)) * share)
        return columns(*components)


def _further(world: World, step: Vectors, stride: Scalars, looks: float) -> Pairs:
    """The pairs of bodies further apart than `looks` metres that will touch so soon that they have to brake.

    Two that come nearer with c, each at a speed v, brake (dt + STOPS c / v) / 2 seconds before they touch, and look
    v (2 dt + STOPS) far; the longest time in which they get there is less than dt + .71 STOPS. `step`: (b, 3) the ways
    of a step, metres; `stride`: (b,) the ways of vehicles at their top speeds, metres.
    """
    bodies, rows = world.bodies, world.vicinity.rows
    # Two that touch within that time are at its middle no further apart than both go in half of it, beside the whole.
    half = 0.5 * (world.dt + 0.71 * STOPS)
    velocities = [picked(v, rows) for v in (truncate(step, stride) / world.dt, bodies.velocity)]
    whole = np.einsum("na->a", velocities[1]) / max(len(rows), 1)
    own = np.maximum(*(magnitude(velocity - whole) for velocity in velocities))
    # Two that go more slowly do not get there from so far away.
    some = which(own + own.max(initial=0.0) > 0.5 * (looks - 2.0 * bodies.extent.max()) / half)
    rows = rows[some]
    middle = picked(bodies.position + step * (half / world.dt), rows)
    first, second = pairs_of_reach(middle, bodies.extent[rows] + own[some] * half)
    first, second = rows[first], rows[second]
    offset = picked(bodies.position, second) - picked(bodies.position, first)
    distance_squared = dot(offset, offset)
    far = which(distance_squared >= looks * looks)
    return Pairs(first[far], second[far], picked(offset, far), distance_squared[far])


def _shares(
    yields: Scalars, firmly: Scalars, first: Rows, second: Rows, goes: Mask | None = None
) -> NDArray[np.float64]:
    """The shares of the ways by which pairs give way, (2, p). `yields`, `firmly`: (b,) how much each gives way, and to
    those that go, (b,)."""
    pairs = ((first, second), (second, first))
    both = np.stack([yields[a] if goes is None else np.where(goes[b], firmly[a], yields[a]) for a, b in pairs])
    return both / (both[0] + both[1])


def _between(stands: Mask, first: Rows, second: Rows, away: Vectors) -> Mask:
    """Whether those that stand, (b,), touch a body on sides more than 90 degrees apart, (b,); so, too, without any.
    `away`: (p, 3) unit directions from the first of each pair to the second."""
    one, other = which(stands[second]), which(stands[first])
    body = np.concatenate((first[one], second[other]))
    sides = np.concatenate((picked(away, one), -picked(away, other)))
    together = columns(*(totals(body, sides[:, axis], len(stands)) for axis in range(3)))
    count = np.bincount(body, minlength=len(stands))
    return dot(together, together) < 0.5 * (count * count)


def will_touch(offset: Vectors, closing: Vectors, contact: Scalars) -> Mask:
    """The pairs that overlap or come to touch if they go on, (p,): those that pass each other do not brake. `offset`:
    (p, 3) between their axes before the step, metres; `closing`: (p, 3) the change of the offset in the step, metres;
    `contact`: (p,) the distance at which they touch, metres."""
    along, square = -dot(offset, closing), np.maximum(dot(closing, closing), EPSILON)
    apart = dot(offset, offset)
    nearest = apart - along * along / square
    return (np.sqrt(apart) < contact) | ((along > 0.0) & (nearest < contact * contact))


def _left_of_gap(gap: Scalars, brakes: Scalars) -> Scalars:
    """The gaps (p,) metres that a step has to leave, to brake by (p,); negative for overlaps that may remain."""
    return np.copysign(room_to_brake(np.abs(gap), brakes), gap)
