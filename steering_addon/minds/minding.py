"""Minding: the top layer of the paper, in which vehicles choose what to want (Introduction, action selection).

    calls -> choice -> what that changes

Each vehicle is in a state of its crowd, or in none. What it then follows goes to steering, and what it then can goes to
locomotion.
"""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.frozen import replace
from ..simulation.arrays.once import once
from ..simulation.arrays.scalars import Mask, Rows, Scalars, clamp, nobody, total
from ..simulation.arrays.vectors import magnitude
from ..simulation.handling import Handling
from ..simulation.locomotion import Fleet
from ..simulation.mindset import Mindset
from ..simulation.presence.arrivals import Staying
from ..simulation.settling import Settling
from ..simulation.snapshot import ActionSelection, Settings, Snapshot, State
from ..simulation.steering import errands, resting
from ..simulation.vehicle import VehicleModel
from ..simulation.world import World
from .calling import luck, vary
from .choosing import choose_modes
from .conditions import Meeting
from .declaring import Mind
from .following import (
    fleet_in_modes,
    not_stopped_short,
    settings_in_modes,
    starting_afresh,
    vehicles_as_in_modes,
    vehicles_in_modes,
)

STANDS = 0.1
"""Share of cruise speed below which a vehicle with somewhere to go does not get on."""
NEARLY = 1e-6
"""Share by which cues may be more than one: fades that cross are not exact."""
MOST_KNOWN = 4
"""The number of bodies in modes that are kept: those of this step and of the last, and as if all had taken them up."""


@dataclass(frozen=True)
class Minds(ActionSelection):
    """The minds of all crowds that have states."""

    of_crowds: tuple[Mind, ...]

    def choose(self, state: State, snapshot: Snapshot, world: World) -> tuple[State, Snapshot]:
        mode_count = 1 + max(len(mind.modes) for mind in self.of_crowds)
        before = state.mindset or self._at_first(snapshot, Mindset.blank(len(state), mode_count, world.time))
        velocity, errand = state.motion.velocity, errands(state)
        speed = magnitude(velocity)
        stands = errand.bound & (speed < STANDS * world.own_speed)
        before = after = replace(before, idle=np.where(stands, before.idle + world.dt, 0.0))
        # One that stays for a time has arrived once that is over.
        beside = resting(state, snapshot, Settling) & ~resting(state, snapshot, Staying)
        arrived = np.logical_or.reduce((errand.arrived, beside, *state.arrived.values()))
        left_alone = self._left_alone(snapshot, before, len(world.bodies.crowd))
        for mind in self.of_crowds:
            rows = np.flatnonzero((snapshot.crowd == mind.crowd) & snapshot.present)
            if len(rows) and mind.modes:
                meeting = Meeting(world, before, snapshot.crowd, rows, arrived, velocity, left_alone)
                after = after.put(rows, choose_modes(mind, meeting, snapshot.keys[rows]))
        state = starting_afresh(self.of_crowds, replace(state, mindset=after), snapshot, before, after)
        return state, self._moving(snapshot, world, after, speed)

    def _at_first(self, snapshot: Snapshot, blank: Mindset) -> Mindset:
        """The mindset with the needs that there are when the run begins."""
        need = blank.need.copy()
        for mind in self.of_crowds:
            rows = np.flatnonzero(snapshot.crowd == mind.crowd)
            for number, mode in enumerate(mind.modes, 1):
                chance = luck(snapshot.keys[rows], mode.number, "need")
                need[rows, number] = vary(float(mode.numbers.at_first[0]), float(mode.numbers.varies[0]), chance)
        return replace(blank, need=clamp(need, 0.0, 1.0))

    def vehicle(self, state: State, snapshot: Snapshot) -> VehicleModel:
        if state.mindset is None:
            return snapshot.vehicle
        dt = snapshot.frame_time / snapshot.substeps
        fraction, speed = state.mindset.taken_up(state.time - dt, dt), magnitude(state.motion.velocity)
        return self._bodies(snapshot, state.mindset, fraction, speed, dt)[0]

    def handling(self, state: State, snapshot: Snapshot) -> Handling:
        if state.mindset is None:
            return snapshot.handling
        return self._bodies_in_modes(snapshot, state.mindset, np.ones(len(state)))[1].handling

    def followed(self, snapshot: Snapshot, modes: Rows, caller: Rows) -> tuple[tuple[Settings, ...], Rows]:
        return settings_in_modes(self.of_crowds, snapshot, modes, caller)

    def _left_alone(self, snapshot: Snapshot, before: Mindset, bodies: int) -> Mask:
        """The vehicles in states in which they are left alone, of a number of bodies, (b,)."""
        if not any(mode.numbers.left_alone[0] for mind in self.of_crowds for mode in mind.modes):
            return nobody(bodies)
        left_alone = np.zeros(bodies, dtype=np.bool_)
        for mode, in_it in vehicles_in_modes(self.of_crowds, snapshot.crowd, before.mode):
            left_alone[: len(in_it)] |= in_it & bool(mode.numbers.left_alone[0])
        return left_alone

    def _moving(self, snapshot: Snapshot, world: World, mindset: Mindset, speed: Scalars) -> Snapshot:
        """The snapshot with the vehicle models and the fleet that the modes have; the same if none has any."""
        vehicle, fleet = self._bodies(snapshot, mindset, mindset.taken_up(world.time, world.dt), speed, world.dt)
        if vehicle is snapshot.vehicle and fleet is snapshot.fleet:
            return snapshot
        return replace(snapshot, vehicle=vehicle, fleet=fleet)

    def _bodies(
        self, snapshot: Snapshot, mindset: Mindset, fraction: Scalars, speed: Scalars, dt: float
    ) -> tuple[VehicleModel, Fleet]:
        """The vehicle models and the fleet that the modes have; those of the snapshot if none has any. `fraction`: (n,)
        how far each has taken up its mode; `speed`: (n,) m/s."""
        vehicle, fleet = self._bodies_in_modes(snapshot, mindset, fraction)
        if vehicle is not snapshot.vehicle:
            vehicle = not_stopped_short(vehicle, mindset.turns, speed, dt)
        return vehicle, fleet

    def _bodies_in_modes(self, snapshot: Snapshot, mindset: Mindset, fraction: Scalars) -> tuple[VehicleModel, Fleet]:
        """The bodies as the modes have them; kept for the next step, which asks how they were, and while all are in the
        modes that they have taken up. `fraction`: (n,) how far each has taken up its mode."""
        args = self.of_crowds, snapshot, mindset, fraction
        modes = b"".join(column.tobytes() for column in (mindset.mode, mindset.shares, fraction))
        own, known = (snapshot.vehicle, snapshot.fleet), self._known.get(modes)
        if known is None or known[0][0] is not own[0] or known[0][1] is not own[1]:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            known = self._known[modes] = own, (vehicles_as_in_modes(*args), fleet_in_modes(*args))
        return known[1]

    @once
    def _known(self) -> dict[bytes, tuple[tuple[VehicleModel, Fleet], tuple[VehicleModel, Fleet]]]:
        """The bodies without modes and in them, by who is in which mode how far."""
        return {}


def minds_of(snapshot: Snapshot) -> tuple[Mind, ...]:
    """The minds of the crowds of a snapshot that have states."""
    return snapshot.minds.of_crowds if isinstance(snapshot.minds, Minds) else ()


def share_told(cues: list[float]) -> float:
    """The share of a crowd that is told by all cues; 0 where they do not come to more than all of it."""
    share = total(np.array(cues))
    return share if share > 1.0 + NEARLY else 0.0


class OverfullCues:
    """The crowds whose cues come to more than all of them. `frames`: the first such frame and the largest share, by the
    row of the crowd."""

    def __init__(self) -> None:
        self.frames: dict[int, tuple[int, float]] = {}

    def look(self, frame: int, snapshot: Snapshot) -> None:
        """Look at the cues of a frame."""
        for mind in minds_of(snapshot):
            if share := share_told([float(mode.numbers.cue[0]) for mode in mind.modes]):
                first, most = self.frames.get(mind.crowd, (frame, 0.0))
                self.frames[mind.crowd] = first, max(most, share)
