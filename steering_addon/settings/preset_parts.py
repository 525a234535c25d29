"""Parts of preset documents: dataclass fields that `part` makes, each with the function that reads it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from ..behaviors import CATALOGUE
from ..locomotion import LOCOMOTIONS, SimpleVehicle
from ..simulation.behavior import Intent
from ..simulation.declaration import REACH, Declared
from ..simulation.vehicle import VehicleModel
from .population import MOST_VARIED
from .preset_values import (
    PresetError,
    Value,
    Values,
    changeable,
    checked_values,
    excerpt,
    is_number,
    is_relative,
    is_whole,
)

CROWD, STATE, BEHAVIOR = KINDS = ("crowd", "state", "behavior")
"""The kinds of presets."""
BEHAVIORS = {behavior.name: behavior for behavior in CATALOGUE}
"""Every behavior by its name."""


@dataclass
class Document:
    """A document that is read. `kind`: one of KINDS; `unknown`: the names in it that this version does not know."""

    kind: str
    unknown: list[str]

    def choose_known(self, path: str, names: Iterable[str], known: Iterable[str]) -> list[str]:
        """The names that are known; the others are noted."""
        known = {*known}
        self.unknown += [f"{path}.{name}" for name in names if name not in known]
        return [name for name in names if name in known]

    def read_values(self, path: str, declaration: type[Declared], content: Any) -> dict[str, Value]:
        """The checked values of a declaration."""
        checked, unknown = checked_values(path, declaration, read_group(path, content))
        self.unknown += unknown
        return checked

    def read_parts(self, declared: type[Any], content: Mapping[str, Any], path: str = "") -> dict[str, Any]:
        """The checked parts of a class that declares them, by name."""
        parts = parts_of(declared, self.kind)
        self.unknown += [f"{path}{name}" for name in content if name not in parts]
        present = [name for name, part in parts.items() if name in content or self.kind in part.needed]
        return {name: parts[name].read(self, f"{path}{name}", content.get(name)) for name in present}


Read = Callable[[Document, str, Any], Any]
"""Returns the value of a part by its path and what the document gives, None for nothing; it raises PresetErrors."""


@dataclass(frozen=True)
class PresetPart:
    """A part of a document, and its reader. `kinds`: the kinds of presets that have it; `needed`: those that cannot be
    without it."""

    read: Read
    kinds: tuple[str, ...]
    needed: tuple[str, ...]


def part(read: Read, *kinds: str, needed: tuple[str, ...] = (), **default: Any) -> Any:
    """A field that is part of the documents of some kinds, or of all if none are named."""
    return field(**default, metadata={"part": PresetPart(read, kinds or KINDS, needed)})


def parts_of(declared: type[Any], kind: str) -> dict[str, PresetPart]:
    """The parts that documents of a kind may have, by name."""
    parts = {f.name: f.metadata["part"] for f in fields(declared) if "part" in f.metadata}
    return {name: part for name, part in parts.items() if kind in part.kinds}


def read_group(path: str, content: Any) -> dict[str, Any]:
    """Names and values."""
    if not isinstance(content, dict):
        raise PresetError(f"{path} must be an object of names and values")
    return content


def read_words(_document: Document, path: str, content: Any) -> str:
    """Text that is not empty."""
    if not isinstance(content, str) or not content.strip():
        raise PresetError(f"{path} must be text")
    if "\0" in content:
        raise PresetError(f"{path} must not have a null character")
    return content


def _read_if(accepts: Callable[[Any], bool], expected: str, kind: type[Any]) -> Read:
    """A value of a kind that is accepted; `expected` completes "It must be ..."."""

    def read(_document: Document, path: str, content: Any) -> Any:
        if not accepts(content):
            raise PresetError(f"{path} must be {expected}, not {excerpt(content)}")
        return kind(content)

    return read


read_name = _read_if(lambda content: isinstance(content, str), "a name", str)
"""The name of a preset."""
read_positive = _read_if(lambda content: is_number(content) and 0.0 < content <= REACH, "a number above 0", float)


def read_choice(*names: str) -> Read:
    """One of these names."""
    return _read_if(lambda content: content in names, " or ".join(filter(None, names)), str)


def read_up_to(limit: float) -> Read:
    """A number from 0 to the largest."""
    return _read_if(lambda content: is_number(content) and 0.0 <= content <= limit, f"from 0 to {limit:g}", float)


def read_frames(limit: int) -> Read:
    """A whole number of frames from 0 to the largest."""
    return _read_if(lambda content: is_whole(content) and 0 <= content <= limit, f"frames from 0 to {limit}", int)


def read_declared(declaration: type[Declared]) -> Read:
    """Values of a declaration."""
    return lambda document, path, content: document.read_values(path, declaration, content)


def read_vehicle(document: Document, path: str, content: Any) -> dict[str, Value]:
    """Values of the vehicle model."""
    return _read_moving(document, path, VehicleModel, content)


def read_locomotion(document: Document, path: str, content: Any) -> dict[str, Values]:
    """The values of the locomotion of a crowd by its name, or those of several that a state has."""
    groups = {} if content is None else read_group(path, content)
    if document.kind == CROWD:
        groups = groups or {SimpleVehicle.name: {}}
        if len(groups) != 1 or not groups.keys() <= LOCOMOTIONS.keys():
            raise PresetError(f"{path} must be {' or '.join(LOCOMOTIONS)}, not {excerpt(', '.join(groups))}")
    known = document.choose_known(path, groups, LOCOMOTIONS)
    return {name: _read_moving(document, f"{path}.{name}", LOCOMOTIONS[name], groups[name]) for name in known}


def _read_moving(document: Document, path: str, declaration: type[Declared], content: Any) -> dict[str, Value]:
    """Values of a vehicle or a locomotion; those of a state are in some units multiples of the crowd's."""
    if document.kind != STATE:
        return document.read_values(path, declaration, content)
    parameters = changeable(declaration)
    known = document.choose_known(path, read_group(path, content), parameters)
    multiples = {name: content[name] for name in known if is_relative(parameters[name])}
    for name, value in multiples.items():
        if not is_number(value) or not 0.0 <= value <= REACH:
            raise PresetError(f"{path}.{name} must be a multiple of the crowd's from 0, not {excerpt(value)}")
    others = {name: content[name] for name in known if name not in multiples}
    values = document.read_values(path, declaration, others) | {name: float(m) for name, m in multiples.items()}
    return {name: values[name] for name in parameters if name in values}


def read_behaviors(document: Document, path: str, content: Any) -> dict[str, Values]:
    """The values of each behavior by its name; a preset of a behavior has one."""
    groups = {} if content is None else read_group(path, content)
    if document.kind == BEHAVIOR and (len(groups) != 1 or not groups.keys() <= BEHAVIORS.keys()):
        raise PresetError(f"there is no behavior {excerpt(', '.join(groups))}" if groups else "it names no behavior")
    known = document.choose_known(path, groups, BEHAVIORS)
    return {name: document.read_values(f"{path}.{name}", BEHAVIORS[name], groups[name]) for name in known}


def read_variation(document: Document, path: str, content: Any) -> dict[str, float]:
    """How much vehicles differ, by the names of `population.MOST_VARIED`."""
    known = document.choose_known(path, read_group(path, content), MOST_VARIED)
    return {name: read_up_to(MOST_VARIED[name])(document, f"{path}.{name}", content[name]) for name in known}


def read_names(known: Iterable[str] | None = None) -> Read:
    """A list of names; any names, or those of the known ones that are in it."""

    def read(document: Document, path: str, content: Any) -> tuple[str, ...]:
        if not isinstance(content, list) or not all(isinstance(name, str) for name in content):
            raise PresetError(f"{path} must be a list of names")
        return tuple(content if known is None else document.choose_known(path, content, known))

    return read


def read_intents(document: Document, path: str, content: Any) -> frozenset[Intent]:
    """A list of sorts of behaviors."""
    names = read_names()(document, path, content)
    if wrong := [name for name in names if name not in Intent.__members__]:
        raise PresetError(f"{path} must be of {', '.join(Intent.__members__)}, not {excerpt(wrong[0])}")
    return frozenset(Intent[name] for name in names)


def read_list(declared: Callable[..., Any]) -> Read:
    """A list of objects with the parts that a class declares."""

    def read(document: Document, path: str, content: Any) -> tuple[Any, ...]:
        if not isinstance(content, list) or not all(isinstance(entry, dict) for entry in content):
            raise PresetError(f"{path} must be a list of objects")
        kind: Any = declared
        return tuple(declared(**document.read_parts(kind, entry, f"{path}.{k}.")) for k, entry in enumerate(content))

    return read
