"""Presets of crowds in Blender: applying one to a crowd, and making one from a crowd."""

from __future__ import annotations

from collections.abc import Iterable
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
from ..moving import locomotion_of
from ..objects.body_sizes import body_length
from ..objects.hierarchy import Family
from ..objects.tagged_objects import crowd_of, in_use, tagged
from ..read.dependencies import animated_paths
from ..read.entry_settings import comes_and_goes
from ..read.target_groups import named
from .preset_files import Shelf
from .staggered_entry import begin_after_start
from .unasked import note_unasked

if TYPE_CHECKING:
    from bpy.types import Depsgraph, Object, PropertyGroup, Scene

SHIPPED = Path(__file__).resolve().parents[3] / "presets"
"""The folder of the presets that ship with the extension."""
USER_FOLDER = "steering/crowd"
"""The folder of user presets in Blender's preset folders."""
ONE_METRE = 1.0
"""The body length of a preset made from a crowd of points without vehicles."""
ROUNDING = 1e-5
"""The largest difference of the same share, stored with 32 bits."""
MEASURED_BODIES = 20
"""Number of vehicles that are measured for the body length of a crowd."""

CROWDS: Shelf[Preset] = Shelf(SHIPPED, USER_FOLDER, read)
"""The presets of crowds."""


def take_up(preset: Preset, crowd: Object, scene: Scene) -> list[str]:
    """Apply a preset to a crowd: its vehicle settings, the way behaviors combine, and its behaviors.

    Other behaviors are switched off. Left unchanged are targets, the measured radius and length, whether properties
    for drivers are keyframed, and the enter frame if it is set.

    Returns:
        Data paths of settings that are keyframed or driven, and so do not keep the value of the preset.
    """
    settings = crowd.steering
    animated = animated_paths(crowd)
    cruise_before = settings.vehicle.cruise_speed
    values = {"steering.combining": preset.combining}
    values |= paths_of("vehicle", VehicleModel, preset.vehicle)
    values["steering.locomotion"] = preset.moves.choice().name
    for name, given in preset.locomotion.items():
        values |= paths_of(name, preset.moves, given)
    for name, given in preset.options().items():
        values |= paths_of(name, OPTIONAL[name], given)
    for behavior in CATALOGUE:
        if behavior.name in preset.behaviors:
            values |= paths_of(behavior.name, behavior, preset.behaviors[behavior.name])
            values[f"steering.{behavior.name}.use"] = True
        elif settings.is_property_set(behavior.name):
            values[f"steering.{behavior.name}.use"] = False
    for path, value in values.items():
        _, *groups, name = path.split(".")
        setattr(getattr(settings, groups[0]) if groups else settings, name, value)
    note_unasked(crowd, preset, scene)
    start_at_cruise(members_of(crowd, scene), cruise_before, settings.vehicle.cruise_speed)
    if preset.attendance is not None and settings.attendance.use_enter_frame:
        begin_after_start(crowd, scene)
    return sorted(animated & set(values))


def members_of(crowd: Object, scene: Scene) -> list[Object]:
    """The vehicles of a crowd in a scene."""
    return [ob for ob in tagged(in_use(scene), Role.VEHICLE) if crowd_of(ob) == crowd]


def start_at_cruise(members: Iterable[Object], before: float, after: float) -> None:
    """Let vehicles start no faster than at cruise speed, after it has changed as a share of the top speed.

    Vehicles that have been given a start speed keep it.
    """
    for ob in members:
        settings = ob.steering
        usual = settings.bl_rna.properties["start_speed"].default
        varied = settings.variation.start_speed if settings.is_property_set("variation") else 0.0
        factor = varied or 1.0
        if not settings.locked and abs(settings.start_speed - min(usual, before) * factor) < ROUNDING:
            start_speed = min(usual, after) * factor
            if abs(start_speed - settings.start_speed) >= ROUNDING and ob.is_editable:
                settings.start_speed = start_speed


def paths_of(group: str, declaration: type[Declared], values: Values) -> dict[str, Value]:
    """The values of a property group in a preset, by data path; missing values are defaults."""
    return {f"steering.{group}.{name}": value for name, value in complete(declaration, values).items()}


def missing(preset: Preset, crowd: Object, scene: Scene) -> list[str]:
    """A sentence for each behavior of a preset that does nothing yet because its target is not in the scene."""
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
    """The preset with all settings of a crowd.

    Args:
        length: of the crowd's bodies in metres; None if it has none, and those that its settings are for count.
    """
    settings, moves = crowd.steering, locomotion_of(crowd)
    length = length or max(settings.vehicle.length, 2.0 * settings.vehicle.radius) or ONE_METRE
    used = [b for b in CATALOGUE if settings.is_property_set(b.name) and getattr(settings, b.name).use]
    return Preset(
        label=label.strip(),
        description=description.strip().rstrip(".") or f"The settings of {crowd.name}",
        body_length=float(f"{length:.4g}"),
        vehicle=values_in(VehicleModel, settings.vehicle),
        locomotion={moves.name: values_in(moves, getattr(settings, moves.name))},
        combining=settings.combining,
        behaviors={b.name: values_in(b, getattr(settings, b.name)) for b in used},
        preroll=settings.preroll,
        portrayal=values_in(Portrayal, settings.portrayal) if settings.is_property_set("portrayal") else None,
        attendance=values_in(Attendance, settings.attendance) if comes_and_goes(crowd) else None,
    )


def values_in(declaration: type[Declared], group: PropertyGroup) -> dict[str, Value]:
    """The values of a property group that presets hold."""
    return {name: _plain(getattr(group, name)) for name in complete(declaration, {})}


def _plain(value: Any) -> Value:
    """A value without the spurious digits of a 32-bit float: 0.1 instead of 0.10000000149."""
    return float(str(np.float32(value))) if isinstance(value, float) else value


def bodies_length(crowd: Object, scene: Scene, depsgraph: Depsgraph) -> float | None:
    """The median length of a crowd's bodies from nose to tail, in metres; None if it has none."""
    family = Family()
    lengths = [body_length(ob, depsgraph, family) for ob in members_of(crowd, scene)[:MEASURED_BODIES]]
    measured = [length for length in lengths if length > 0.0]
    return float(np.median(measured)) if measured else None
