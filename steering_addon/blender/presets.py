"""Presets in Blender: where their files are, and how a crowd takes one up or becomes one.

Those that ship lie beside the code. Own ones lie in Blender's preset folders, where they outlive the extension, and
where a studio's shared script folders are looked through as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from ..behaviors.catalogue import CATALOGUE
from ..behaviors.preset import Preset, PresetError, Value, complete, read, written
from ..simulation.declaration import NEAREST, POINTERS, Declared
from ..simulation.portrayal import Portrayal
from ..simulation.roles import DESCRIPTIONS, Role
from ..simulation.vehicle import VehicleModel
from .dependencies import animated_paths
from .family import Family
from .properties import pointed_at, settings_of
from .refusal import Refusal
from .shapes import body_length
from .tagged import crowd_of, in_use, tagged

if TYPE_CHECKING:
    from bpy.types import Depsgraph, Object, PropertyGroup, Scene

SHIPPED = Path(__file__).resolve().parents[2] / "presets"
OWN = "steering/crowd"
"""Where in Blender's preset folders."""
MEASURED_BODIES = 20
"""So many of a crowd's vehicles tell how long its bodies are."""
ONE_METRE = 1.0
"""What a preset is meant for when its crowd has no bodies to measure."""


@dataclass(frozen=True)
class Listed:
    """A preset there is.

    Attributes:
        name: what scripts call it: the file's name without its ending.
        path: its file.
        own: whether it lies in the user's own folder, from where it may be removed.
    """

    name: str
    path: Path
    own: bool

    def label(self) -> str:
        """What to show; of a file that cannot be read its name."""
        preset = self._if_readable()
        return preset.label if preset else self.name

    def tooltip(self) -> str:
        """What it is, or why it cannot be read."""
        try:
            preset = load(self)
        except Refusal as why:
            return str(why).removesuffix(".")
        return f"{preset.description}. For bodies of {preset.body_length:.3g} m"

    def _if_readable(self) -> Preset | None:
        try:
            return load(self)
        except Refusal:
            return None


def listed() -> dict[str, Listed]:
    """All presets by name, in the order of their labels.

    One of the user's own stands in for a shipped one of its name.
    """
    own_folder = Path(bpy.utils.user_resource("SCRIPTS", path=f"presets/{OWN}"))
    folders = [SHIPPED, *(Path(folder) for folder in reversed(bpy.utils.preset_paths(OWN)))]
    there = {
        path.stem: Listed(path.stem, path, folder == own_folder) for folder in folders for path in folder.glob("*.json")
    }
    return dict(sorted(there.items(), key=lambda item: (item[1].label().casefold(), item[0])))


def find(name: str) -> Listed:
    """The preset of a name.

    Raises:
        Refusal: there is none.
    """
    there = listed()
    if name not in there:
        raise Refusal(f"There is no preset {name}: choose one of {', '.join(there)}.")
    return there[name]


def load(wanted: Listed) -> Preset:
    """What a preset holds.

    Raises:
        Refusal: its file cannot be read, or says what cannot be.
    """
    try:
        state = wanted.path.stat()
        found = _read(wanted.path, state.st_mtime_ns, state.st_size)
    except (OSError, UnicodeDecodeError) as why:
        raise Refusal(f"The preset {wanted.name} cannot be read: {why}.") from why
    if isinstance(found, PresetError):
        raise Refusal(f"The preset {wanted.name} cannot be used: {found}.") from found
    return found


@lru_cache(maxsize=256)
def _read(path: Path, _changed: int, _size: int) -> Preset | PresetError:
    """Read once as long as the file stays the same, as menus ask at every drawing."""
    try:
        return read(path.read_text(encoding="utf-8"))
    except PresetError as why:
        return why


def save(preset: Preset) -> Listed:
    """Write a preset into the user's own folder, named after its label; one of that name is written anew.

    Raises:
        Refusal: the label gives no name, that of a preset that ships, or the file cannot be written.
    """
    name = bpy.path.clean_name(preset.label.strip()).strip("_")
    if not name:
        raise Refusal("A preset needs a name: give it one of letters or figures.")
    if (SHIPPED / f"{name}.json").exists():
        raise Refusal(f"{name} is a preset that ships with the extension: choose another name.")
    try:
        folder = Path(bpy.utils.user_resource("SCRIPTS", path=f"presets/{OWN}", create=True))
        # Beside it first, so that no crash leaves half a preset behind.
        (folder / f"{name}.json~").write_text(written(preset), encoding="utf-8")
        path = (folder / f"{name}.json~").replace(folder / f"{name}.json")
    except OSError as why:
        raise Refusal(f"The preset {name} cannot be written: {why}.") from why
    return Listed(name, path, own=True)


def remove(wanted: Listed) -> None:
    """Delete the file of a preset of the user's own.

    Raises:
        Refusal: it is not the user's own, or its file cannot be deleted.
    """
    if not wanted.own:
        raise Refusal(f"{wanted.name} is not yours to remove: it ships with the extension or is shared.")
    try:
        wanted.path.unlink()
    except OSError as why:
        raise Refusal(f"The preset {wanted.name} cannot be removed: {why}.") from why


def take_up(preset: Preset, crowd: Object) -> list[str]:
    """Give a crowd the settings of a preset: its vehicle model, how behaviors combine, and just its behaviors.

    Other behaviors are switched off. What settings point at is left alone, and so are the radius, which was measured,
    and whether numbers for wings and legs are keyed.

    Returns:
        The settings that are keyed or driven, and so come back to what their keys and drivers say.
    """
    settings = crowd.steering
    animated = animated_paths(crowd)
    taken = {"steering.combining": preset.combining}
    taken |= _paths("vehicle", VehicleModel, preset.vehicle)
    if preset.portrayal is not None:
        taken |= _paths("portrayal", Portrayal, preset.portrayal)
    for behavior in CATALOGUE:
        if behavior.name in preset.behaviors:
            taken |= _paths(behavior.name, behavior, preset.behaviors[behavior.name])
            taken[f"steering.{behavior.name}.use"] = True
        elif settings.is_property_set(behavior.name):
            taken[f"steering.{behavior.name}.use"] = False
    for path, value in taken.items():
        _, *groups, name = path.split(".")
        setattr(getattr(settings, groups[0]) if groups else settings, name, value)
    return sorted(animated & set(taken))


def _paths(group: str, declaration: type[Declared], values: Any) -> dict[str, Value]:
    """What a preset says of a property group, by data path."""
    return {f"steering.{group}.{name}": value for name, value in complete(declaration, values).items()}


def missing(preset: Preset, crowd: Object, scene: Scene) -> list[str]:
    """Which of a preset's behaviors do nothing yet, as what they look for is not in the scene."""
    objects = in_use(scene)
    lines = []
    for behavior in CATALOGUE:
        for name, parameter in behavior.parameters().items():
            if behavior.name not in preset.behaviors or parameter.kind not in POINTERS or parameter.default != NEAREST:
                continue
            if pointed_at(getattr(crowd.steering, behavior.name), name) is None and not tagged(objects, parameter.role):
                lines.append(f"{behavior.label} waits for a {DESCRIPTIONS[parameter.role][0]}")
    return lines


def preset_of(crowd: Object, label: str, description: str, length: float | None, scene: Scene) -> Preset:
    """The settings of a crowd as a preset, in full.

    Args:
        length: metres of the crowd's bodies; None where there are none.
    """
    settings = crowd.steering
    stored = settings_of(scene)
    used = [b for b in CATALOGUE if settings.is_property_set(b.name) and getattr(settings, b.name).use]
    return Preset(
        label=label.strip(),
        description=description.strip().rstrip(".") or f"The settings of {crowd.name}",
        body_length=float(f"{length or ONE_METRE:.4g}"),
        vehicle=_values(VehicleModel, settings.vehicle),
        combining=settings.combining,
        behaviors={b.name: _values(b, getattr(settings, b.name)) for b in used},
        preroll=stored.preroll if stored else 0,
        portrayal=_values(Portrayal, settings.portrayal) if settings.is_property_set("portrayal") else None,
    )


def _values(declaration: type[Declared], group: PropertyGroup) -> dict[str, Value]:
    return {name: _plain(getattr(group, name)) for name in complete(declaration, {})}


def _plain(value: Any) -> Value:
    """A value without the digits that a number of 32 bits only seems to have."""
    return float(str(np.float32(value))) if isinstance(value, float) else value


def bodies_length(crowd: Object, scene: Scene, depsgraph: Depsgraph) -> float | None:
    """How long the bodies of a crowd are from nose to tail, the middle one of them; None where it has none."""
    members = [ob for ob in tagged(in_use(scene), Role.VEHICLE) if crowd_of(ob) == crowd]
    family = Family()
    lengths = [body_length(ob, depsgraph, family) for ob in members[:MEASURED_BODIES]]
    known = [length for length in lengths if length > 0.0]
    return float(np.median(known)) if known else None
