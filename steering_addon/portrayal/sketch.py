"""Sketches: what one step has led to, as far as it can be seen of bodies, their states and the ground under them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..simulation.arrays.scalars import Mask, Rows, Scalars, anybody, nobody
from ..simulation.arrays.vectors import Vectors, dot, magnitude
from ..simulation.geometry.surfaces import Surfaces
from ..simulation.ground import level_heading
from ..simulation.presence.arrivals import Staying, memory_of
from ..simulation.settling import Settling
from ..simulation.snapshot import Snapshot, State, Tracked
from ..simulation.steering import errands, resting
from .heads import EYES, attends
from .riding import Carriage, carriage

REACH = 3.0
"""How far apart two in company stand at most, as a multiple of the sum of their radii."""
STILL = 0.3
"""Radii a second up to which an agent stands."""
FACES, HEARS = 0.5, -0.2
"""The cosines of the angles to the other: between it and one's own front, and between oneself and its front."""


@dataclass(frozen=True)
class Frame:
    """One frame of the scene.

    Attributes:
        parent_parts: (p, 4, 4) the parents' parts of the p vehicles that have a parent, in the order of their rows.
        heights: (n,) metres, of the vehicles with their scale on the frame; 0 if unknown.
    """

    number: int
    snapshot: Snapshot
    parent_parts: Scalars
    heights: Scalars


@dataclass(frozen=True)
class VisibleBodies:
    """The bodies of n vehicles on a frame.

    Attributes:
        position, side, forward, up: (n, 3) metres and unit axes.
        height, lift: (n,) metres of the body, 0 if unknown, and of its origin above the place where it stands.
        raised: (n,) metres by which it is shown higher than it stands.
        present, entered: (n,) whether it is there, and whether this is the first frame on which it is.
        active: (n,) whether it takes part, rather than wait where it is.
        perched, flares: (n,) whether it stands on something on which it has come down from the air, and whether it
            brakes with its wings to do so.
        state: (n,) the number of its state, 0 for none.
        arrived: (n,) whether it is where it was led.
        caller: (n, 3) the place of what called it into its state, nan where it does not look at that.
        carriage: what the ground has done with it since the frame before.
        on_link: (n,) whether it is on a link, off the ground.
        link_clip, cycle: (n,) the number of the clip that it plays there, 0 for none, and metres of a cycle of that, 0
            where it stands still.
        occasion: (n,) what it begins with its partner on this frame: TO_PARTNER, IN_ANSWER or nothing, PAUSES; ALONE
            without a partner.
        lot: (n,) chance in [0, 1) that both share, of which clip.
    """

    position: Vectors
    side: Vectors
    forward: Vectors
    up: Vectors
    velocity: Vectors
    height: Scalars
    lift: Scalars
    raised: Scalars
    present: Mask
    entered: Mask
    active: Mask
    perched: Mask
    flares: Mask
    state: Rows
    arrived: Mask
    caller: Vectors
    carriage: Carriage
    on_link: Mask
    link_clip: Rows
    cycle: Scalars
    occasion: Rows
    lot: Scalars

    def take(self, rows: Rows) -> "VisibleBodies":
        return VisibleBodies(**{name: column[rows] for name, column in vars(self).items()})

    @property
    def eyes(self) -> Vectors:
        """(n, 3) metres, the middles of their heads; the bodies themselves where their height is not known."""
        return self.position + np.maximum(EYES * self.height - self.lift, 0.0)[:, None] * self.up

    def start_speed(self) -> Scalars:
        """The speeds at which bodies enter, (n,) m/s; 0 if none does."""
        if not anybody(self.entered):
            return np.zeros(len(self.entered))
        return np.where(self.active, magnitude(self.velocity), 0.0)


@dataclass(frozen=True)
class Sketch:
    """The visible result of one step.

    Attributes:
        outside: (n,) the vehicles that have not entered yet.
        eaten: (m,) the resources of which nothing is left.
        parent_parts: (p, 4, 4) as of `Frame`.
        outputs: (n,) what locomotions give for drivers, by name.
        states: what tells the states of the m vehicles of each crowd that has any, (m,) by name: their numbers, and how
            far each is taken up, 0 to 1.
        moved: the rows of the surfaces that moved since the frame before.
        tracked: the bodies that the run does not move.
    """

    number: int
    bodies: VisibleBodies
    outside: Mask
    eaten: Mask
    parent_parts: Scalars
    outputs: Mapping[str, Scalars]
    states: Sequence[Mapping[str, Scalars | Rows]]
    moved: frozenset[int]
    tracked: Tracked

    @property
    def away(self) -> Mask:
        """(n,) the vehicles that have not entered yet or have left."""
        return ~self.bodies.present

    @property
    def places(self) -> Vectors:
        """(k, 3) metres at which others look at all bodies: vehicles first, at their eyes."""
        bodies, tracked = self.bodies, self.tracked
        row, (x, y, z) = np.maximum(tracked.carrier, 0), tracked.position.T[..., None]
        carried = bodies.position[row] + x * bodies.side[row] + y * bodies.forward[row] + z * bodies.up[row]
        return np.concatenate((bodies.eyes, np.where((tracked.carrier >= 0)[:, None], carried, tracked.position)))


def arrived(state: State, before: State | None, snapshot: Snapshot) -> Mask:
    """The vehicles that are where a behavior has led them, or stand beside it as others are, (n,).

    One that continues without a stay has arrived for a frame, one that stays for a time from its beginning to its end.

    Args:
        before: the state on the frame before; None on the first.
    """
    at_goal, passing = errands(state).arrived.copy(), np.zeros(len(state), dtype=np.bool_)
    over = passing.copy()
    for name, goes_on in state.arrived.items():
        earlier = None if before is None else before.arrived.get(name)
        new = goes_on if earlier is None else goes_on & ~earlier
        stay = state.memories.get(memory_of(name))
        stayed = stay.arrived > 0.0 if isinstance(stay, Staying) else np.zeros(len(state), dtype=np.bool_)
        over |= new & stayed
        passing |= new & ~stayed
    return ((at_goal & ~over) | resting(state, snapshot, Settling, Staying) | passing) & ~state.away


def surfaces_before(before: State | None, snapshot: Snapshot) -> Surfaces:
    """The surfaces on the frame before a snapshot, which are its own on the first."""
    return snapshot.surfaces if before is None or before.inputs is None else before.inputs.surfaces


def carriage_of(state: State, before: State | None, snapshot: Snapshot) -> Carriage:
    was = None if before is None else (before.motion.position, level_heading(before.pose.forward))
    return carriage(surfaces_before(before, snapshot), snapshot.surfaces, was, state.motion.position, snapshot.lift)


def callers(state: State, snapshot: Snapshot, heights: Scalars) -> Vectors:
    """The places of what called vehicles into their states, (n, 3) metres, nan where they do not look at it."""
    n, mindset, tracked = len(state), state.mindset, snapshot.tracked
    places = np.full((n, 3), np.nan)
    if mindset is None:
        return places
    carrier = state.shown[np.maximum(tracked.carrier, 0)]
    of_tracked = np.where((tracked.carrier >= 0)[:, None], carrier, tracked.position)
    looks = attends(state.time - mindset.since, magnitude(state.motion.velocity), heights)
    rows = np.flatnonzero(looks & (mindset.mode > 0) & (mindset.body >= 0) & (mindset.body != np.arange(n)))
    places[rows] = np.concatenate((state.shown, of_tracked))[mindset.body[rows]]
    return places


def in_company(position: Vectors, forward: Vectors, velocity: Vectors, radius: Scalars) -> Mask:
    """Whether each of n agents stands near another who stands, faces it and is not behind its back, (n,). `position`,
    `forward`, `velocity`: (n, 3) metres, unit axes and m/s; `radius`: (n,) metres."""
    accompanied = np.zeros(len(position), dtype=np.bool_)
    rows = np.flatnonzero(magnitude(velocity) <= STILL * radius)
    if len(rows) < 2:
        return accompanied
    offset = position[rows][None] - position[rows][:, None]
    distance = magnitude(offset)
    near = (distance <= REACH * (radius[rows][:, None] + radius[rows][None])) & (distance > 0.0)
    ahead = dot(offset, forward[rows][:, None]) > FACES * distance
    heard = -dot(offset, forward[rows][None]) > HEARS * distance
    accompanied[rows] = (near & ahead & heard).any(axis=1)
    return accompanied


def over_links(state: State, snapshot: Snapshot) -> dict[str, Any]:
    """The bodies on links, and what they play there, as of `VisibleBodies`."""
    crossing, links, n = state.crossing, snapshot.links, len(state)
    if crossing is None or not len(links):
        return {"on_link": nobody(n), "link_clip": np.zeros(n, dtype=np.int64), "cycle": np.zeros(n)}
    on = crossing.on & (crossing.along >= 0.0)
    row = np.maximum(crossing.link, 0)
    # Bodies that are carried stand; they walk to their places there, and off them.
    carried = on & (links.carrier[row] >= 0)
    on &= ~carried | (crossing.along == 0.0)
    cycle = np.where(links.cycle > 0.0, links.cycle, links.length)
    moving = np.where(links.model.stands | (links.carrier >= 0), 0.0, cycle)
    return {"on_link": on, "link_clip": np.where(on, links.clip[row], 0), "cycle": np.where(on, moving[row], 0.0)}
