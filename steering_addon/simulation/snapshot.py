"""Snapshot and state: the input of a frame, and what is carried from frame to frame."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arrays.chance import Keys
from .arrays.once import once
from .arrays.scalars import Mask, Rows, Scalars, anybody, everybody, which
from .arrays.vectors import Vectors, columns, cross, in_columns, no_vectors
from .behavior import Behavior
from .bodies import Bodies
from .candidates import Candidates
from .decisions import Decisions, HeldDecisions
from .declaration import CAUSE, Kind
from .geometry.flows import Flow
from .geometry.obstacles import Obstacles
from .geometry.paths import Path
from .geometry.regions import Regions
from .geometry.surfaces import NO_SURFACES, Surfaces
from .guides import Guidance, Guides
from .handling import Handling
from .lane_use import NO_SIGNALS, Signals
from .links import NO_LINKS, Crossing, Links
from .locomotion import Fleet, Locomotion
from .marks.declaring import Mark
from .memory import Memory
from .mindset import Mindset
from .perches import NO_PERCHES, Perches
from .presence.arrivals import Arrivals
from .presence.attendance import Attendance
from .vehicle import Motion, Pose, VehicleModel
from .ways.spans import Build
from .ways.traffic import Traffic
from .world import World


@dataclass(frozen=True)
class Settings:
    """The wishes of vehicles, and how they are combined. A crowd has a row of settings, and so has each of its states.

    Attributes:
        behaviors: in the order of the catalogue; each column has one entry for all vehicles, or one for each of the n.
        combining: the number of a way to combine them.
        has: (n,) the vehicles that have each behavior, None for all; empty if all have all.
    """

    behaviors: tuple[Behavior, ...]
    combining: int
    has: tuple[Mask | None, ...] = ()

    def masks(self) -> tuple[Mask | None, ...]:
        """The vehicles that have each behavior, (n,), None for all."""
        return self.has or (None,) * len(self.behaviors)

    @once
    def names(self) -> frozenset[str]:
        """The names of the behaviors."""
        return frozenset(behavior.name for behavior in self.behaviors)

    @once
    def about_cause(self) -> dict[int, list[str]]:
        """The names of the parameters that are about what called a vehicle, by the place of their behavior."""
        about: dict[int, list[str]] = {}
        for index, behavior in enumerate(self.behaviors):
            for name, parameter in behavior.parameters().items():
                if parameter.kind is Kind.BODY and (getattr(behavior, name) == CAUSE).any():
                    about.setdefault(index, []).append(name)
        return about

    @once
    def compared(self) -> dict[int, Any]:
        """The results of comparing other settings with these (`minds.following`)."""
        return {}


@dataclass(frozen=True)
class Tracked:
    """Bodies that the simulation does not move: leaders, targets, locked vehicles. A vehicle may carry them.

    Attributes:
        position, forward, up: (k, 3) metres and unit axes, in the side, forward and up of the carrier if there is one.
        half_axis: (k,) half the length of the axis along the heading about which it is round, metres; 0 for a sphere.
        roles: (k,) bits of Role.
        present: (k,) whether it is present.
        carrier: (k,) the row of the vehicle it is fixed to, -1 for none.
        crowd: (k,) the row of the crowd of a locked vehicle, -1 for none.
        amount: (k,) the amount of a resource before anything is taken, inf for one that does not run out.
    """

    position: Vectors
    forward: Vectors
    up: Vectors
    radius: Scalars
    half_axis: Scalars
    roles: Rows
    present: Mask
    carrier: Rows
    crowd: Rows
    amount: Scalars


@dataclass(frozen=True)
class Snapshot:
    """The scene at one frame. Vehicles are in the order of their identities.

    Attributes:
        frame_time: seconds from this frame to the next.
        substeps: steps a frame.
        keys: (n,) the random key of each vehicle.
        vehicle: the vehicle models, n rows.
        fleet: how their bodies move.
        roles: (n,) bits of Role of the vehicles.
        present: (n,) the vehicles that take part at this frame.
        settings: what vehicles may want, row by row.
        settings_row: (n,) the row of settings each vehicle follows at this frame.
        crowd: (n,) the row of the crowd each vehicle belongs to, whatever settings it follows.
        crowd_keys: (n,) the random keys that the vehicles of a crowd share.
        numbers: (n,) the number by which each vehicle draws lots with its crowd.
        tracked: bodies besides the vehicles; target rows count on from n.
        obstacles: what vehicles keep clear of.
        paths: the tagged curves.
        regions: the spheres, boxes and meshes to keep to.
        flows: the curves and meshes that draw currents.
        shapes: the points of formations, (p, 3) metres each: to the right, ahead and up as seen from their leader.
        candidates: bodies of which each vehicle takes one, where a behavior names several.
        attendance: when vehicles enter and what they do on arrival, n rows; None if all are always present.
        due: (n,) the vehicles whose frame to enter has come; None for all.
        surfaces: what vehicles may stand on.
        lift: (n,) metres from the place where each vehicle stands up to its origin.
        minds: what chooses for the crowds with states; None without any.
        guides: what leads vehicles by hand; None if nothing does.
        marks: what vehicles are to meet.
        links: what joins places of the ground.
        carriers: (c, 3) where what carries vehicles over links is, metres.
        perches: the places of tracked bodies on which vehicles may come down.
        signals: what holds lanes.
        decides_every: steps from one decision of a vehicle to the next.
    """

    frame_time: float
    substeps: int
    keys: Keys
    vehicle: VehicleModel
    fleet: Fleet
    roles: Rows
    present: Mask
    settings: tuple[Settings, ...]
    settings_row: Rows
    crowd: Rows
    crowd_keys: Keys
    numbers: Rows
    tracked: Tracked
    obstacles: Obstacles
    paths: tuple[Path, ...]
    regions: Regions
    flows: tuple[Flow, ...]
    shapes: tuple[Vectors, ...] = ()
    candidates: tuple[Candidates, ...] = ()
    attendance: Attendance | None = None
    due: Mask | None = None
    surfaces: Surfaces = NO_SURFACES
    lift: Scalars = field(default_factory=lambda: np.zeros(1))
    minds: "ActionSelection | None" = None
    guides: Guides | None = None
    marks: tuple[Mark, ...] = ()
    links: Links = NO_LINKS
    carriers: Vectors = field(default_factory=lambda: no_vectors(0))
    perches: Perches = NO_PERCHES
    signals: Signals = NO_SIGNALS
    decides_every: int = 1

    @property
    def interval(self) -> float:
        """Seconds from one decision of all vehicles to the next."""
        return self.frame_time / self.substeps * self.decides_every

    @once
    def bodies_present(self) -> tuple[tuple[Locomotion, Rows | None], ...]:
        """As `Fleet.alike`, with the vehicles present alone."""
        if everybody(self.present):
            return self.fleet.alike
        present = ((body, rows, which(self.present[... if rows is None else rows])) for body, rows in self.fleet.alike)
        return tuple((body.for_agents(k), k if rows is None else rows[k]) for body, rows, k in present if len(k))

    @property
    def grounded(self) -> Mask:
        """(n,) the vehicles that keep to the ground."""
        return self.fleet.grounded

    @property
    def handling(self) -> Handling:
        """How the body of each vehicle answers to steering."""
        return self.fleet.handling

    @once
    def half_axes(self) -> Scalars | None:
        """(b,) half the lengths of the axes of the vehicles' bodies, followed by the tracked ones, metres. None if all
        bodies are spheres."""
        vehicles, tracked = self.vehicle.half_axis, self.tracked.half_axis
        if vehicles is None and not anybody(tracked > 0.0):
            return None
        return np.concatenate((np.zeros(len(self.present)) if vehicles is None else vehicles, tracked))


@dataclass(frozen=True)
class State:
    """The vehicles at one frame. A copy is a checkpoint: continuing from it gives the same run.

    Attributes:
        time: seconds.
        smoothed_acceleration: (n, 3) the acceleration by which others see a vehicle turn, and by which it leans, m/s2.
        force: (n, 3) the steering force of the last step, newtons.
        shoved: (n, 3) the velocity at which contacts moved each in the last step beside its own, m/s; empty for 0.
        memories: what each behavior remembers, by its name, n rows each.
        bodies: what each locomotion remembers, by its name, n rows each.
        tallies: what all vehicles have added up so far, by name.
        taken: (k,) how much has been taken of each tracked body; empty before anything was taken.
        outside: (n,) the vehicles that have not entered yet; empty if all are present from the start.
        gone: (n,) the vehicles that have left; empty before any has.
        arrived: (n,) the vehicles that have reached a goal and want it no longer, by the name of the behavior.
        inputs: the snapshot of this frame, of the vehicles that take part; None before the first.
        leaning: the axes in which bodies are shown; None where they are those of their motion.
        raised: (n,) metres by which bodies are shown higher than they stand; empty while none is.
        outputs: (n,) what locomotions give for drivers of the model, by name.
        mindset: what state of its crowd each vehicle is in; None without states.
        places: by the name of a mark, the place of its shape that each vehicle meets, (n,), -1 for none; without a
            shape 0 for those that were pushed.
        traffic: on the grounds of walkers, by their build.
        guidance: what is remembered of the m vehicles that have guides; None before any has led.
        crossing: who is on a link, or waits before one; None without links.
        began: all bodies as they are placed on the first frame of the run; None before that is taken in.
        held: the last decisions; None before the first, and where vehicles decide at each step.
    """

    time: float
    motion: Motion
    smoothed_acceleration: Vectors
    force: Vectors
    shoved: Vectors = field(default_factory=lambda: no_vectors(0))
    memories: Mapping[str, Memory] = field(default_factory=dict)
    bodies: Mapping[str, Memory] = field(default_factory=dict)
    tallies: Mapping[str, Scalars] = field(default_factory=dict)
    taken: Scalars = field(default_factory=lambda: np.zeros(0))
    outside: Mask = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    gone: Mask = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    arrived: Mapping[str, Mask] = field(default_factory=dict)
    inputs: Snapshot | None = None
    leaning: Pose | None = None
    raised: Scalars = field(default_factory=lambda: np.zeros(0))
    outputs: Mapping[str, Scalars] = field(default_factory=dict)
    mindset: Mindset | None = None
    guidance: Guidance | None = None
    places: Mapping[str, Rows] = field(default_factory=dict)
    traffic: Mapping[Build, Traffic] = field(default_factory=dict)
    crossing: Crossing | None = None
    began: Bodies | None = None
    held: HeldDecisions | None = None

    def __len__(self) -> int:
        return len(self.force)

    @property
    def pose(self) -> Pose:
        """The axes in which bodies are shown."""
        return self.leaning or Pose(self.motion.side, self.motion.forward, self.motion.up)

    @property
    def shown(self) -> Vectors:
        """Where bodies are shown, (n, 3) metres."""
        position = self.motion.position
        return columns(position[:, 0], position[:, 1], position[:, 2] + self.raised) if len(self.raised) else position

    def undecided(self) -> Decisions:
        """The decisions of the next step before any behavior has been asked."""
        return Decisions(self.memories, self.tallies, self.taken, Arrivals(len(self), self.gone, self.arrived))

    def told(self, output: str) -> Mask:
        """Whether an output of the locomotions tells so of vehicles, (n,)."""
        return self.outputs[output] > 0.0 if output in self.outputs else np.zeros(len(self), dtype=np.bool_)

    @property
    def all_decided(self) -> bool:
        """Whether all vehicles have decided in the step, and not only those that decide in each."""
        return self.held is None or self.held.steps == 1

    @property
    def away(self) -> Mask:
        """(n,) the vehicles that have not entered yet or have left."""
        away = np.zeros(len(self), dtype=np.bool_)
        for mask in (self.outside, self.gone):
            if len(mask):
                away |= mask
        return away


class ActionSelection(ABC):
    """The top layer of the paper, in which vehicles choose what to want; `minds` implements it.

    A mode is a state of a crowd, 0 for none; `State.mindset` says in which one each vehicle is.
    """

    @abstractmethod
    def choose(self, state: State, snapshot: Snapshot, world: World) -> tuple[State, Snapshot]:
        """The state in which all have chosen their modes, and the snapshot with the bodies that they have in these."""

    @abstractmethod
    def vehicle(self, state: State, snapshot: Snapshot) -> VehicleModel:
        """The vehicle models that vehicles have in the modes in which they are."""

    @abstractmethod
    def handling(self, state: State, snapshot: Snapshot) -> Handling:
        """How the bodies of vehicles answer to steering in the modes in which they are, or which they take up."""

    @abstractmethod
    def followed(self, snapshot: Snapshot, modes: Rows, caller: Rows) -> tuple[tuple[Settings, ...], Rows]:
        """The settings in use, and the row (n,) that each vehicle follows. `modes`: (n,) the mode of each vehicle;
        `caller`: (n,) the row of the body that called it into its mode."""


def vehicle_of(state: State, snapshot: Snapshot) -> VehicleModel:
    """The vehicle models that vehicles have in the states of their crowds in which they are."""
    if state.mindset is None or snapshot.minds is None:
        return snapshot.vehicle
    return snapshot.minds.vehicle(state, snapshot)


def handling_of(state: State, snapshot: Snapshot) -> Handling:
    """How the bodies of vehicles answer to steering in the states of their crowds in which they are, or which they take
    up."""
    if state.mindset is None or snapshot.minds is None:
        return snapshot.handling
    return snapshot.minds.handling(state, snapshot)


def start_state(position: Vectors, forward: Vectors, up: Vectors, velocity: Vectors, time: float = 0.0) -> State:
    """The state that vehicles start from. `position`, `velocity`: (n, 3) metres, metres a second; `forward`, `up`: (n,
    3) unit vectors at right angles; `time`: seconds."""
    n = len(position)
    forward = in_columns(np.asarray(forward, dtype=np.float64))
    up = in_columns(np.asarray(up, dtype=np.float64))
    motion = Motion(
        in_columns(np.asarray(position, dtype=np.float64)),
        in_columns(np.asarray(velocity, dtype=np.float64)),
        cross(forward, up),
        forward,
        up,
    )
    return State(time, motion, no_vectors(n), no_vectors(n))


def no_tracked() -> Tracked:
    """No bodies besides the vehicles."""
    none: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
    nowhere, nothing = np.zeros((0, 3)), np.zeros(0)
    return Tracked(nowhere, nowhere, nowhere, nothing, nothing, none, np.zeros(0, dtype=np.bool_), none, none, nothing)
