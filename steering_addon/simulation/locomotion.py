"""A locomotion: how a body turns control signals into motion (Reynolds 1999, Locomotion).

Steering decides on a force and a speed limit; a locomotion says what becomes of them. It is declared once, as a frozen
dataclass with the values that animators set. To add one, write a file in the folder `locomotion` and list it in the
CATALOGUE there: properties, panel, presets and the page of the manual are made from the declaration.
"""

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from .arrays.frozen import Columns
from .arrays.once import once
from .arrays.scalars import Mask, Rows, Scalars, same_for_all, shared, which
from .arrays.vectors import Vectors
from .declaration import Choice, Declared
from .handling import Handling
from .memory import Memory
from .terrain import Misplaced, Terrain
from .vehicle import Motion, Pose, VehicleModel

OFF_GROUND = "off_ground"
"""The output, 1 or 0, that tells whether a vehicle that stands on surfaces has none of them under it."""
HELD_UP = "held_up"
"""The output, 1 or 0, that tells whether the ground holds a vehicle up: it has refused the last step, and none has been
taken since, or it is too steep, so that a walker creeps."""
PERCHED, FLARES = "perched", "flares"
"""The outputs, 1 or 0, that tell whether a flyer stands on something, and whether it brakes on its last way down to it;
not given before any does."""


WHEEL_SPEED = 1.0
"""Metres a second: what is slower turns its wheels as at this speed, where a sideways force f asks for the curvature
f / (mass speed^2)."""


@dataclass(frozen=True)
class Output:
    """A number that a locomotion gives for drivers of the model.

    Attributes:
        name: of the custom property. Drivers refer to it: it never changes.
        description: its tooltip, without a final stop.
    """

    name: str
    description: str


@dataclass(frozen=True)
class Control(Columns):
    """The request of steering to a body: the signals that pass from the second layer of the paper to the third.

    Attributes:
        force: (n, 3) the force that acts, newtons.
        speed_limit: (n,) m/s down to which they brake, as hard as they can; None for no limit.
        heading: (n, 3) unit vectors to which they turn while they stand, zero for none; None if no vehicle does.
        behind: (n,) metres straight back to the nearest vehicle, inf for none; None if no vehicle looks back.
        warned: (n,) the vehicles that see another brake ahead and may have to; None if none does.
        goal_distance: (n,) metres straight on to where they are led, inf for none; None if no vehicle is led anywhere.
        hurries: (n,) the vehicles that have to go at once, after or from something; None if none has.
        held_up: (n,) the vehicles that have hardly got on towards where they want to go; None for none.
        comes_down, perch: as of `Intention`; None if no vehicle comes down.
        up: (n, 3) unit up axes to which they roll in flight, zero for none; None if no vehicle does.
        on_path: (n,) the vehicles that follow a path; None if none does.
        room_left, room_right: (n,) radians by which long bodies may turn in the step before they run into others; None
            where nothing is in anybody's way.
    """

    force: Vectors
    speed_limit: Scalars | None
    heading: Vectors | None = None
    behind: Scalars | None = None
    warned: Mask | None = None
    goal_distance: Scalars | None = None
    hurries: Mask | None = None
    held_up: Mask | None = None
    comes_down: Vectors | None = None
    perch: Vectors | None = None
    up: Vectors | None = None
    on_path: Mask | None = None
    room_left: Scalars | None = None
    room_right: Scalars | None = None


@dataclass(frozen=True)
class Moved:
    """The motion of bodies under the control signals of a step, before contacts push them apart.

    Attributes:
        position, velocity, forward: (n, 3) metres, m/s and unit headings.
        began: (n, 3) where the steps of bodies on feet began, metres: contacts push these along their way, and hardly
            aside. None for bodies that contacts push any way.
        holds: (n,) the bodies that hold on to where they stand or come down to, so that contacts push only others; None
            for none.
        up: as of the control signals.
    """

    position: Vectors
    velocity: Vectors
    forward: Vectors
    memory: Any = None
    began: Vectors | None = None
    holds: Mask | None = None
    up: Vectors | None = None


@dataclass(frozen=True)
class Stance:
    """How bodies are at the end of a step.

    Attributes:
        forward, up: (n, 3) unit axes at right angles, in which behaviors see the vehicle.
        pose: the axes in which a body is shown, where they are others: a walker on a slope heads level.
        outputs: (n,) by name, for drivers of the model.
        raised: (n,) metres by which bodies are shown higher than they stand; None where they are not.
    """

    position: Vectors
    velocity: Vectors
    forward: Vectors
    up: Vectors
    memory: Any = None
    pose: Pose | None = None
    outputs: Mapping[str, Scalars] = field(default_factory=dict)
    raised: Scalars | None = None

    @classmethod
    def of(cls, moved: Moved, up: Vectors, memory: Any = None) -> "Stance":
        """Bodies that are where they moved, with the up axes (n, 3)."""
        return cls(moved.position, moved.velocity, moved.forward, up, memory)


@dataclass(frozen=True)
class Locomotion(Declared):
    """How the bodies of some vehicles move.

    A step of `dt` seconds has two stages. `moved` is the motion that the body makes of the control signals. Then
    contacts push bodies apart, and `stance` says where each stands, and how it stands or leans. Methods are told in
    `memory` what it remembers of each vehicle, an instance of `remembers`.

    Attributes:
        name: in files; never changes.
        stored_number: stored in files; never changes meaning.
        grounded: whether the bodies keep to the ground. Their behaviors then steer along it.
        stands: whether the bodies stand on surfaces.
        touches: whether what stands touches the surface on every frame; what floats follows it with a lag.
        clings: whether they hold on to surfaces whichever way these lean.
        burst: the most that a ready state makes of the cruise speed; wings and fins cannot do much more than that.
        beats_wings: whether larger bodies take longer for the same motion, as those that beat their wings do.
        swings: whether long bodies turn about their middles and no further than their ends have room.
        tightened: the lengths that are shorter for bodies that turn more quickly.
        of_the_body: the parameters that no state changes, as they are measured from the body.
        runs_on_wheels: whether `on_wheels` says what suits a model with wheels.
        without_road: the choices that suit bodies that are put on a floor where no path leads, by parameter.
        before_edges: metres before the edge of a floor at which bodies stop with these choices.
        needs_drivers: the outputs that drivers of the model have to read where a parameter is above 0, by parameter.
        remembers: what it remembers of each vehicle from step to step, if anything.
        outputs: the numbers that it gives for drivers of the model.
        suits: what it suits, for the README and the manual, without a final stop.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    stored_number: ClassVar[int]
    grounded: ClassVar[bool] = False
    stands: ClassVar[bool] = False
    touches: ClassVar[bool] = True
    clings: ClassVar[bool] = False
    burst: ClassVar[float] = np.inf
    beats_wings: ClassVar[bool] = False
    swings: ClassVar[bool] = False
    tightened: ClassVar[tuple[str, ...]] = ()
    of_the_body: ClassVar[tuple[str, ...]] = ()
    runs_on_wheels: ClassVar[bool] = False
    without_road: ClassVar[Mapping[str, str]] = MappingProxyType({})
    before_edges: ClassVar[float] = 0.0
    needs_drivers: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType({})
    remembers: ClassVar[type[Memory] | None] = None
    outputs: ClassVar[tuple[Output, ...]] = ()
    suits: ClassVar[str] = ""

    @classmethod
    def choice(cls) -> Choice:
        """The choice that stands for it in a menu and in files."""
        return Choice(cls.name.upper(), cls.stored_number, cls.label, cls.tooltip())

    @classmethod
    def fitting(cls, length: float, width: float) -> dict[str, float]:
        """The values that suit bodies of a length and a width, metres, by name; others do not depend on the size."""
        return {}

    @classmethod
    def on_wheels(cls, wheelbase: float, track: float, radius: float) -> dict[str, float]:
        """The values that suit bodies with wheels, by name. `wheelbase`, `track`: the distances between the axles and
        between left and right wheels, metres; `radius`: of a wheel, metres."""
        return {}

    @classmethod
    def with_drivers(cls, read: Collection[str], length: float) -> dict[str, float]:
        """The values that suit bodies with drivers of their parts, by name. `read`: the names of the outputs that the
        drivers read; `length`: of the bodies, metres."""
        return {}

    @abstractmethod
    def handling(self) -> Handling:
        """How the bodies answer to steering; what it leaves out is as usual."""

    def upward(self, memory: Any) -> Vectors | None:
        """The unit vectors (n, 3) away from what each body keeps to, across its plane; None for the z axis."""
        return None

    def slope(self, memory: Any) -> Vectors | None:
        """The unit normals of the ground, (n, 3), on which bodies walk that steer level; None for no ground."""
        return None

    def looks_back(self, memory: Any) -> Mask | None:
        """The bodies that have to know how far the next vehicle is behind them, (n,); None for none."""
        return None

    @abstractmethod
    def moved(
        self, model: VehicleModel, motion: Motion, control: Control, terrain: Terrain, memory: Any, dt: float
    ) -> Moved:
        """The motion of the bodies under the control signals."""

    def led(self, before: Motion, memory: Any, moved: Moved, hand: Mask, dt: float) -> Moved:
        """The bodies after some of them were led by hand: what is remembered fits the way they took. `memory`: what was
        remembered before it; `moved`: the step with the positions, velocities and headings to which bodies were led;
        `hand`: (n,) those that were led."""
        return moved

    @abstractmethod
    def stance(self, before: Motion, moved: Moved, acceleration: Vectors, terrain: Terrain, dt: float) -> Stance:
        """How the bodies stand or lean at the end of a step. `moved`: what came of `moved`, with the positions and
        velocities after contacts; `acceleration`: (n, 3) the smoothed acceleration after the step, m/s2; `terrain`: as
        for `moved`."""

    def started(self, motion: Motion, terrain: Terrain, memory: Any) -> Stance | None:
        """The stance before the first step; None where it is as the animator placed the vehicle."""
        return None

    def misplaced(self, model: VehicleModel, motion: Motion, terrain: Terrain) -> Mapping[Misplaced, Mask]:
        """The bodies that start where they cannot stand or move as meant, (n,) each, by what is wrong."""
        if not self.stands or not len(terrain.after):
            return {}
        memory = None if self.remembers is None else self.remembers.blank(len(motion.position))
        stance = self.started(motion, terrain, memory)
        off = None if stance is None else stance.outputs.get(OFF_GROUND)
        return {} if off is None else {Misplaced.OFF_GROUND: off > 0.0}


@dataclass(frozen=True)
class Fleet:
    """How the bodies of n vehicles move. It is the same on each frame, with what is found of it, while no setting is
    animated.

    Attributes:
        locomotions: each column has one entry for all vehicles, or one for each of the n.
        row: (n,) the row of the locomotion that moves each vehicle.
    """

    locomotions: tuple[Locomotion, ...]
    row: Rows

    @once
    def alike(self) -> tuple[tuple[Locomotion, Rows | None], ...]:
        """Each locomotion in use with the rows of its vehicles, None for all, and with columns of their number."""
        n, row = len(self.row), self.row
        if len(self.locomotions) == 1 or same_for_all(row):
            return ((self.locomotions[int(row[0]) if n else 0].for_agents(np.arange(n)), None),)
        alike = ((body, which(row == number)) for number, body in enumerate(self.locomotions))
        return tuple((body.for_agents(rows), rows) for body, rows in alike if len(rows))

    @once
    def grounded(self) -> Mask:
        """(n,) the vehicles that keep to the ground."""
        grounded = [body.grounded for body in self.locomotions]
        if len(set(grounded)) == 1:
            return shared(grounded[0], len(self.row), np.bool_)
        return np.array(grounded)[self.row]

    @once
    def handling(self) -> Handling:
        """How the body of each vehicle answers to steering."""
        return Handling.of(((body.handling(), rows) for body, rows in self.alike), len(self.row))


def one_of_each_kind(bodies: Sequence[Locomotion], row: Rows) -> Fleet:
    """A fleet of one locomotion of each kind with the values of every vehicle.

    A step moves the vehicles of one locomotion after those of another, so that many crowds that move alike cost no more
    than one. `bodies`: k locomotions with columns of one entry; `row`: (n,) the row of the locomotion of each vehicle.
    """
    kinds = list(dict.fromkeys(type(body) for body in bodies))
    if len(bodies) < 2:
        return Fleet(tuple(bodies), row)
    of_kinds = tuple(_in_columns(kind, bodies, row) for kind in kinds)
    if len(kinds) == 1:
        return Fleet(of_kinds, shared(0, len(row), np.int64))
    return Fleet(of_kinds, np.array([kinds.index(type(body)) for body in bodies])[row])


def _in_columns(kind: type[Locomotion], bodies: Sequence[Locomotion], row: Rows) -> Locomotion:
    """The locomotion of a kind with the values of each vehicle, (n,); those of other kinds have the first one's."""
    first = next(body for body in bodies if type(body) is kind)
    alike = [body if type(body) is kind else first for body in bodies]
    columns = {}
    for name in kind.parameters():
        values = np.array([getattr(body, name)[0] for body in alike])
        columns[name] = values[:1] if same_for_all(values) else values[row]
    return first.with_columns(columns)
