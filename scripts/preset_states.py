"""The states of shipped presets in crowds of shipped presets, without Blender."""

from pathlib import Path

from scripts.preset_crowds import FOLDER, KINDS, columns
from steering_addon.scene import CrowdState, Scene
from steering_addon.settings.preset import read
from steering_addon.settings.preset_parts import STATE
from steering_addon.settings.preset_values import from_multiples, quickened
from steering_addon.settings.vehicles_in_states import (
    behavior_in_state,
    factor_in_state,
    times_in_state,
    vehicle_in_state,
)
from steering_addon.simulation.combining import COMBININGS
from steering_addon.simulation.declaration import CAUSE, Kind, number_of
from steering_addon.simulation.vehicle import VehicleModel


def ready_state(name: str, scene: Scene, reach: float) -> CrowdState:
    """A ready state as it is added to the crowd of a scene, about what calls. `reach`: within which others carry a
    vehicle along, metres."""
    preset = read(Path(FOLDER, "states", f"{name}.json").read_text(encoding="utf-8"), STATE)
    kind, values = scene.locomotions[0]
    values, vehicle = columns(kind, {}) | values, columns(VehicleModel, {}) | scene.vehicle
    faster = factor_in_state(preset, kind, vehicle)
    multiples = from_multiples(kind, preset.locomotion.get(kind.name, {}), values)
    kept = {
        known: given
        for known, given in scene.behaviors
        if known.name in preset.behaviors or (known.intent in preset.keeps and known.name not in preset.off)
    }
    in_crowd = {kind.name for kind in kept}
    for called in [*preset.behaviors, *(preset.times.keys() & in_crowd - preset.behaviors.keys())]:
        known = KINDS[called]
        about = {name: CAUSE for name, parameter in known.parameters().items() if parameter.kind is Kind.BODY}
        own = kept.get(known, {})
        kept[known] = {**about, **own, **behavior_in_state(preset, known, own, kind)}
    return CrowdState(
        preset.label,
        list(kept.items()),
        vehicle | vehicle_in_state(preset, kind, vehicle, faster),
        number_of(COMBININGS, preset.combining),
        {"reach": reach, **times_in_state(preset, kind)},
        then=preset.then.capitalize(),
        locomotion=None if faster is None else {**values, **quickened(kind, values, faster, values), **multiples},
    )
