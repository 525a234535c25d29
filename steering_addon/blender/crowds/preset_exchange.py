"""Presets of crowds and of single behaviors in Blender: applying one to a crowd, and making one from a crowd.

A preset may let vehicles enter one after another; the frames on which they do follow from the scene.
"""

import numpy as np
from bpy.types import Depsgraph, Object, Scene

from ...behaviors import CATALOGUE
from ...portrayal.driver_properties import Portrayal
from ...settings.preset import Preset
from ...settings.preset_parts import BEHAVIOR, BEHAVIORS
from ...settings.preset_values import Value, Values, stated
from ...simulation.declaration import Declared
from ...simulation.presence.attendance import Attendance
from ...simulation.vehicle import VehicleModel
from ..animation.frame_rate import frame_range
from ..clips.clip_speeds import start_at_cruise
from ..moving import locomotion_of
from ..objects.body_sizes import body_length
from ..objects.hierarchy import Family
from ..objects.tagged_objects import vehicles_of
from ..properties import uses
from ..property_groups import values_for_preset
from ..read.dependencies import animated_paths
from ..read.sources import comes_and_goes
from .behavior_adding import fitted_values, note_unasked

ONE_METRE = 1.0
"""The body length of a preset made from a crowd of points without vehicles."""
MEASURED_BODIES = 20
"""Number of vehicles that are measured for the body length of a crowd."""


def take_up(preset: Preset, crowd: Object, scene: Scene) -> list[str]:
    """Apply a preset to a crowd: its vehicle settings, the way behaviors combine, and its behaviors.

    Other behaviors are switched off. Left unchanged are targets, the measured radius and length, whether properties for
    drivers are keyframed, the enter frame if it is set, and how firm a region is unless the preset says so. Returns
    data paths of settings that are keyframed or driven, and so do not keep the value of the preset.
    """
    settings = crowd.steering
    cruise_before = settings.vehicle.cruise_speed
    values: dict[str, Value] = {
        "steering.combining": preset.combining,
        "steering.locomotion": preset.moves.choice().name,
    }
    for name, (declared, group_values) in preset.groups().items():
        values |= paths_of(name, declared, group_values)
    for name in BEHAVIORS:
        if name in preset.behaviors or settings.is_property_set(name):
            values[f"steering.{name}.use"] = name in preset.behaviors
    animated = _set_values(crowd, values)
    note_unasked(crowd, preset, scene)
    start_at_cruise(vehicles_of(crowd, scene), cruise_before, settings.vehicle.cruise_speed)
    if preset.attendance is not None and settings.attendance.use_enter_frame:
        begin_after_start(crowd, scene)
    return animated


def take_up_behavior(preset: Preset, crowd: Object, scene: Scene) -> list[str]:
    """Apply a preset to a behavior of a crowd. Targets are left unchanged.

    A new behavior is also switched on; what the preset does not say is fitted to the crowd. Returns what
    `take_up` does.
    """
    [(name, of_preset)] = preset.behaviors.items()
    is_new = not crowd.steering.is_property_set(name)
    fitted = fitted_values(BEHAVIORS[name], crowd, scene) if is_new else {}
    animated = _set_values(crowd, paths_of(name, BEHAVIORS[name], {**fitted, **of_preset}))
    if is_new:
        getattr(crowd.steering, name).use = True
    return animated


def _set_values(crowd: Object, values: Values) -> list[str]:
    """Set settings by their data paths; returns the paths of those that are keyframed or driven."""
    animated = animated_paths(crowd)
    for path, value in values.items():
        _, *groups, name = path.split(".")
        setattr(getattr(crowd.steering, groups[0]) if groups else crowd.steering, name, value)
    return sorted(animated & {*values})


def paths_of(group: str, declaration: type[Declared], values: Values) -> dict[str, Value]:
    """The values of a property group that a preset gives, by data path; missing values are defaults."""
    return {f"steering.{group}.{name}": value for name, value in stated(declaration, values).items()}


def unknown_settings(preset: Preset) -> list[str]:
    """The warning about the names in a preset that this version does not know, if there are any."""
    names = ", ".join(preset.unknown)
    return [f"Skipped settings of {preset.label} that this version does not know: {names}"] if names else []


def preset_of(crowd: Object, label: str, description: str, length: float | None) -> Preset:
    """The preset with all settings of a crowd. `length`: of its bodies, metres; None for that of its settings."""
    settings, moves = crowd.steering, locomotion_of(crowd)
    length = length or max(settings.vehicle.length, 2.0 * settings.vehicle.radius) or ONE_METRE
    kinds = [b for b in CATALOGUE if uses(crowd, b.name)]
    return Preset(
        label=label.strip(),
        description=description.strip().rstrip(".") or f"The settings of {crowd.name}",
        body_length=float(f"{length:.4g}"),
        vehicle=values_for_preset(VehicleModel, settings.vehicle),
        locomotion={moves.name: values_for_preset(moves, getattr(settings, moves.name))},
        combining=settings.combining,
        behaviors={b.name: values_for_preset(b, getattr(settings, b.name)) for b in kinds},
        preroll=settings.preroll,
        portrayal=values_for_preset(Portrayal, settings.portrayal) if settings.is_property_set("portrayal") else None,
        attendance=values_for_preset(Attendance, settings.attendance) if comes_and_goes(crowd) else None,
    )


def behavior_preset_of(crowd: Object, behavior: str, label: str) -> Preset:
    """The preset with all settings of a behavior of a crowd."""
    declared = BEHAVIORS[behavior]
    values = values_for_preset(declared, getattr(crowd.steering, behavior))
    description = f"{declared.label} as in {crowd.name}"
    return Preset(label.strip(), description, BEHAVIOR, behaviors={behavior: values})


def bodies_length(crowd: Object, scene: Scene, depsgraph: Depsgraph) -> float | None:
    """The median length of a crowd's bodies from nose to tail, in metres; None if it has none."""
    family = Family()
    lengths = [body_length(ob, depsgraph, family) for ob in vehicles_of(crowd, scene)[:MEASURED_BODIES]]
    measured = [length for length in lengths if length > 0.0]
    return float(np.median(measured)) if measured else None


def begin_after_start(crowd: Object, scene: Scene) -> None:
    """Set the enter frame of a crowd to the second frame of the run, unless the user has set it. On the first frame
    vehicles do not wait for room."""
    attendance = crowd.steering.attendance
    if not attendance.is_property_set("enter_frame"):
        attendance.enter_frame = frame_range(scene)[0] + 1


def let_in(crowd: Object, scene: Scene) -> tuple[set[str], str]:
    """Let members that start in one place enter one after another over the whole run. Settings that the user has made
    are kept. Returns level and message of the report."""
    attendance = crowd.steering.attendance
    if not attendance.use_enter_frame and attendance.is_property_set("use_enter_frame"):
        return {"WARNING"}, f"The members of {crowd.name} overlap. Enable Enter Later"
    if not attendance.use_enter_frame:
        attendance.use_enter_frame = True
        begin_after_start(crowd, scene)
        if not attendance.is_property_set("enter_span"):
            attendance.enter_span = max(frame_range(scene)[1] - attendance.enter_frame, 0)
    first, last = attendance.enter_frame, attendance.enter_frame + attendance.enter_span
    return {"INFO"}, f"The members enter one after another, from frame {first} to {last}"
