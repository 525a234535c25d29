"""How a behavior or a vehicle declares its parameters: once, with a default, a unit, limits and a sentence.

The Blender properties, the panel, the keys of presets, the table in the README and the tests that hold for every
declaration are made from it. A class lists its parameters as dataclass fields, made by the functions below:

    slowing_distance: Number = length(4.0, "Distance from the target at which braking starts")

An instance holds one column (n,) per parameter, one entry per agent, so that the code cannot distinguish keyframed,
driven and per-vehicle values from constants.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import Enum
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar

import numpy as np

from .arrays.frozen import Columns, replace
from .arrays.once import once
from .arrays.scalars import Rows, alike
from .roles import Role

NEAREST = -2
"""In a column of rows: the nearest object of the fitting role, found again on every step."""
CAUSE = -(2**31)
"""In a column of bodies of a crowd's state: whatever called the vehicle into it."""
REACH = 1e6
"""The limit, in both directions, of numbers that declare none: a thousand kilometres."""


class Kind(Enum):
    """The sort of value that a parameter holds; those after SHAPE are in files only, not in columns."""

    NUMBER = "number"
    INTEGER = "integer"
    SWITCH = "switch"
    CHOICE = "choice"
    BODY = "body"
    PATH = "path"
    CROWD = "crowd"
    REGION = "region"
    SHAPE = "shape"
    TEXT = "text"
    FLAGS = "flags"
    VECTOR = "vector"
    COLOR = "color"
    OBJECT = "object"
    COLLECTION = "collection"
    ACTION = "action"
    GROUP = "group"
    LIST = "list"

    @property
    def dtype(self) -> type[Any]:
        """The dtype of its column; choices are their stored numbers, bodies and paths are rows."""
        return {Kind.NUMBER: np.float64, Kind.SWITCH: np.bool_}.get(self, np.int64)


POINTERS = (Kind.BODY, Kind.PATH, Kind.CROWD, Kind.REGION, Kind.SHAPE)
"""Kinds whose values are row numbers in the world, and objects in Blender."""


class Unit(Enum):
    """The unit of a number: SI, as Blender shows it."""

    NONE = "none"
    SHARE = "share"
    LENGTH = "m"
    TIME = "s"
    FRAME = "frame"
    RATE = "1/s"
    SPEED = "m/s"
    ACCELERATION = "m/s2"
    MASS = "kg"
    FORCE = "N"
    ANGLE = "rad"
    TURN = "rad/s"


@dataclass(frozen=True)
class Choice:
    """One value of a choice; `number` is stored in files and never changes meaning, `icon` is Blender's name of one."""

    name: str
    number: int
    label: str
    description: str
    icon: str = ""


def name_of(choices: Sequence[Choice], number: int) -> str:
    """The name of the choice with a stored number."""
    return next(choice.name for choice in choices if choice.number == number)


def number_of(choices: Sequence[Choice], name: str) -> int:
    """The stored number of the choice with a name."""
    return next(choice.number for choice in choices if choice.name == name)


@dataclass(frozen=True)
class Parameter:
    """The declaration of a parameter, apart from its name.

    Attributes:
        default: the value until the user sets it; for a choice its stored number.
        description: one sentence for the tooltip, without a final stop.
        least, most: hard limits, both included; infinite for a number without limits.
        role: the role whose nearest object is used if a body, path or region is left empty.
        animatable: whether keyframes and drivers may change it.
        label: the name in the interface, if it differs from the title-cased name.
        shrinks: whether it is divided by the scale when a preset is scaled to larger bodies.
        room_to_stop: whether a length has to grow with the stopping distance when the parameter is fitted to a crowd.
        at_rest: whether a length grows with the body alone, and not with its speed.
        in_order: whether it names several bodies, which the behavior visits one after the other (`simulation.stops`).
        only_with: the name of a choice of the same declaration, then its numbers with which this has an effect.
        needs_role: whether an object without any role is not what it means when that is selected, but another target.
        stood_on: whether vehicles come down on places of the body.
        at_end: whether it comes after the parameters that a subclass adds.
        from_clips: whether no file stores it: clips say it for their crowd or state.
        soft: the limits of a drag in the interface; a typed number may go beyond them.
        roles: the roles of which an object that a pointer refers to needs one; any object if empty.
        group: the name of the group that a GROUP holds once and a LIST many times.
        restarts: whether a running preview begins again when it changes.
        hidden: whether no list of properties shows it.
    """

    kind: Kind
    default: Any
    description: str
    unit: Unit = Unit.NONE
    least: float = -np.inf
    most: float = np.inf
    choices: tuple[Choice, ...] = ()
    role: Role | None = None
    animatable: bool = True
    shrinks: bool = False
    room_to_stop: bool = False
    at_rest: bool = False
    in_order: bool = False
    needs_role: bool = False
    stood_on: bool = False
    only_with: tuple[Any, ...] = ()
    at_end: bool = False
    from_clips: bool = False
    label: str = ""
    soft: tuple[float, float] | None = None
    roles: tuple[Role, ...] = ()
    group: str = ""
    restarts: bool = True
    hidden: bool = False

    def called(self, name: str) -> str:
        """The label in the interface of a parameter with this name."""
        return self.label or name.replace("_", " ").title()


def declared(parameter: Parameter) -> Any:
    """A dataclass field with a parameter in its metadata."""
    return field(default=parameter.default, metadata={"parameter": parameter})


def number(
    default: float, description: str, unit: Unit = Unit.NONE, least: float = 0.0, most: float = np.inf, **details: Any
) -> Any:
    """A number in a unit, between two limits; further keywords are attributes of `Parameter`, here and below."""
    return declared(Parameter(Kind.NUMBER, default, description, unit, least, most, **details))


def share(default: float, description: str, **details: Any) -> Any:
    """A number from 0 to 1."""
    return number(default, description, Unit.SHARE, 0.0, 1.0, **details)


def length(default: float, description: str, least: float = 0.0, **details: Any) -> Any:
    """A distance in metres."""
    return number(default, description, Unit.LENGTH, least, **details)


def seconds(default: float, description: str, least: float = 0.0, **details: Any) -> Any:
    """A time in seconds."""
    return number(default, description, Unit.TIME, least, **details)


def acceleration(default: float, description: str, **details: Any) -> Any:
    """A steering strength in m/s2, so that it means the same to light and heavy vehicles."""
    return number(default, description, Unit.ACCELERATION, **details)


def integer(default: int, description: str, least: int = 0, most: int = 100, **details: Any) -> Any:
    """A whole number between two limits."""
    return declared(Parameter(Kind.INTEGER, default, description, least=least, most=most, **details))


def switch(default: bool, description: str, **details: Any) -> Any:
    """A boolean."""
    return declared(Parameter(Kind.SWITCH, default, description, **details))


def choice(default: str, description: str, choices: tuple[Choice, ...], **details: Any) -> Any:
    """One of a few named values."""
    return declared(Parameter(Kind.CHOICE, number_of(choices, default), description, choices=choices, **details))


def body(description: str, role: Role = Role.LEADER, **details: Any) -> Any:
    """An object to steer by; left empty, the nearest object with the role."""
    return declared(Parameter(Kind.BODY, NEAREST, description, role=role, animatable=False, **details))


def bodies(description: str, role: Role = Role.LEADER) -> Any:
    """Bodies to visit in the order of their names (`simulation.stops`); left empty, all objects of the role."""
    return body(description, role, in_order=True)


def another_body(description: str, **details: Any) -> Any:
    """A second object to steer by; left empty, none."""
    return declared(Parameter(Kind.BODY, -1, description, animatable=False, **details))


def path(description: str, **details: Any) -> Any:
    """A curve to follow; left empty, the nearest object tagged as a path."""
    return declared(Parameter(Kind.PATH, NEAREST, description, role=Role.PATH, animatable=False, **details))


def resource(description: str) -> Any:
    """An object to feed on; left empty, the nearest resource that has not run out."""
    return body(description, Role.RESOURCE)


def crowd(description: str, **details: Any) -> Any:
    """A crowd; left empty, none."""
    return declared(Parameter(Kind.CROWD, -1, description, role=Role.CROWD, animatable=False, **details))


def region(description: str, **details: Any) -> Any:
    """A sphere, box or closed mesh; left empty, the nearest object tagged as a region."""
    return declared(Parameter(Kind.REGION, NEAREST, description, role=Role.REGION, animatable=False, **details))


def shape(description: str, **details: Any) -> Any:
    """An object whose vertices count; left empty, none."""
    return declared(Parameter(Kind.SHAPE, -1, description, animatable=False, **details))


Self = TypeVar("Self", bound="Declared")


@dataclass(frozen=True)
class Stored:
    """A base for classes with declared parameters, as files store them.

    Attributes:
        keyed: whether any parameter can be animated; those of what is made or measured once cannot.
        restarts: whether a running preview begins again when a parameter changes; not for what is only told.
    """

    keyed: ClassVar[bool] = True
    restarts: ClassVar[bool] = True

    @classmethod
    def parameters(cls) -> Mapping[str, Parameter]:
        """The declared parameters by name, in the order of the interface."""
        kind: Any = cls
        return _parameters(kind)

    @classmethod
    def tooltip(cls) -> str:
        """The first sentence of the docstring, without its final stop."""
        return (cls.__doc__ or "").strip().split("\n\n")[0].replace("\n    ", " ").rstrip(".")


@dataclass(frozen=True)
class Declared(Stored, Columns):
    """A base for stored settings that the simulation reads; an instance holds one column (n,) per parameter."""

    @classmethod
    def all_columns(cls) -> Mapping[str, Parameter]:
        """The declarations of all columns by name: the parameters, and what clips say."""
        kind: Any = cls
        return _columns(kind)

    @classmethod
    def of(cls: type[Self], n: int, **values: Any) -> Self:
        """An instance for n agents; omitted parameters have their defaults, a single value is used for all agents.
        Raises TypeError if a name is not declared, and ValueError if a column has neither one entry nor n."""
        columns = cls.all_columns()
        unknown = sorted(values.keys() - columns.keys())
        if unknown:
            raise TypeError(f"{cls.__name__} has no parameter {', '.join(unknown)}")
        return cls(**{name: _column(n, values.get(name, p.default), p.kind.dtype) for name, p in columns.items()})

    def for_agents(self: Self, rows: Rows) -> Self:
        """The parameters of the agents in these rows (m,); a column with one entry holds for all agents."""
        # The rows are distinct: a column as long as they are is already theirs.
        lengths = self._lengths
        if lengths == {len(rows)}:
            return self
        # Single entries differ only by the number of agents.
        agents = len(rows) if lengths == {1} else rows.tobytes()
        if agents not in self._spread_to:
            # The same agents follow it in step after step.
            self._spread_to.clear()
            self._spread_to[agents] = self.with_columns(
                {name: _spread(getattr(self, name), rows) for name in self.all_columns()}
            )
        return self._spread_to[agents]

    def with_columns(self: Self, columns: Mapping[str, Any]) -> Self:
        """The same with other columns, by name."""
        return replace(self, **columns)

    @once
    def _lengths(self) -> set[int]:
        """The numbers of entries that its columns have."""
        return {len(getattr(self, name)) for name in self.all_columns()}

    @once
    def _spread_to(self) -> dict[int | bytes, Any]:
        """The last instance for some agents, by their number or their rows."""
        return {}


@cache
def _parameters(declared: type[Any]) -> Mapping[str, Parameter]:
    kind: Any = declared
    return MappingProxyType({name: p for name, p in _columns(kind).items() if not p.from_clips})


@cache
def _columns(declared: type[Any]) -> Mapping[str, Parameter]:
    parameters = {f.name: f.metadata["parameter"] for f in fields(declared) if "parameter" in f.metadata}
    for_all = {
        entry: False for entry, holds in (("animatable", declared.keyed), ("restarts", declared.restarts)) if not holds
    }
    if for_all:
        parameters = {name: replace(parameter, **for_all) for name, parameter in parameters.items()}
    return MappingProxyType(dict(sorted(parameters.items(), key=lambda entry: entry[1].at_end)))


def _column(n: int, value: Any, dtype: type[Any]) -> Any:
    if np.ndim(value) > 0:
        return np.broadcast_to(np.asarray(value, dtype=dtype), (n,))
    return alike(value, n, dtype)


def _spread(column: Any, rows: Rows) -> Any:
    if len(column) == len(rows):
        return column
    if len(column) == 1:
        # The entry is stored once for all, as by `alike`, which copies it first.
        return np.ndarray((len(rows),), column.dtype, column, strides=(0,))
    return column[rows]
