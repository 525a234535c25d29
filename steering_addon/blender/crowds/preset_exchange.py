"""Presets of crowds in Blender: how a crowd takes one up or becomes one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...behaviors import CATALOGUE
from ...portrayal.driver_properties import Portrayal
from ...settings.preset import OPTIONAL, Preset, read
from ...settings.preset_values import Value, Values, complete
from ...simulation.declaration import NEAREST, POINTERS, Declared
from ...simulation.presence.attendance import Attendance
from ...simulation.roles import DESCRIPTIONS, Role
from ...simulation.vehicle import VehicleModel
from ..hierarchy import Family
from ..properties import settings_of
from ..read.body_sizes import body_length
from ..read.dependencies import animated_paths
from ..read.target_groups import named
from ..tagged_objects import crowd_of, in_use, tagged
from .entry_settings import comes_and_goes
from .preset_files import Shelf
from .staggered_entry import begin_after_start

if TYPE_CHECKING:
    from bpy.types import Depsgraph, Object, PropertyGroup, Scene

SHIPPED = Path(__file__).resolve().parents[3] / "presets"
"""Where the presets that ship are."""
OWN = "steering/crowd"
"""Where own ones are in Blender's preset folders."""
MEASURED_BODIES = 20
"""So many of a crowd's vehicles tell how long its bodies are."""
ONE_METRE = 1.0
"""What a preset is meant for when its crowd has no bodies to measure."""


CROWDS: Shelf[Preset] = Shelf(SHIPPED, OWN, read)
"""The presets of crowds."""


def take_up(preset: Preset, crowd: Object, scene: Scene) -> list[str]:
    """Give a crowd the settings of a preset: its vehicle model, how behaviors combine, and just its behaviors.

    Other behaviors are switched off. What settings point at is left alone, and so are the radius, which was measured,
    whether numbers for wings and legs are keyed, and the frame on which the first enter, once that is set.

    Returns:
        The settings that are keyed or driven, and so come back to what their keys and drivers say.
    """
    settings = crowd.steering
    animated = animated_paths(crowd)
    taken = {"steering.combining": preset.combining}
    taken |= paths_of("vehicle", VehicleModel, preset.vehicle)
    for name, values in preset.options().items():
        taken |= paths_of(name, OPTIONAL[name], values)
    for behavior in CATALOGUE:
        if behavior.name in preset.behaviors:
            taken |= paths_of(behavior.name, behavior, preset.behaviors[behavior.name])
            taken[f"steering.{behavior.name}.use"] = True
        elif settings.is_property_set(behavior.name):
            taken[f"steering.{behavior.name}.use"] = False
    for path, value in taken.items():
        _, *groups, name = path.split(".")
        setattr(getattr(settings, groups[0]) if groups else settings, name, value)
    if preset.attendance is not None and settings.attendance.use_enter_frame:
        begin_after_start(crowd, scene)
    return sorted(animated & set(taken))


def paths_of(group: str, declaration: type[Declared], values: Values) -> dict[str, Value]:
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
            if not named(getattr(crowd.steering, behavior.name), name) and not tagged(objects, parameter.role):
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
        vehicle=values_in(VehicleModel, settings.vehicle),
        combining=settings.combining,
        behaviors={b.name: values_in(b, getattr(settings, b.name)) for b in used},
        preroll=stored.preroll if stored else 0,
        portrayal=values_in(Portrayal, settings.portrayal) if settings.is_property_set("portrayal") else None,
        attendance=values_in(Attendance, settings.attendance) if comes_and_goes(crowd) else None,
    )


def values_in(declaration: type[Declared], group: PropertyGroup) -> dict[str, Value]:
    """What a property group holds of what presets do."""
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
