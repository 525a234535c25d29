"""The states of shipped presets in crowds of shipped presets, without Blender."""

from pathlib import Path
from typing import Any

from scripts.preset_crowds import KINDS, columns
from steering_addon.scene import CrowdState
from steering_addon.settings.preset import Preset, read
from steering_addon.settings.preset_parts import STATE
from steering_addon.settings.preset_values import Values, quickened
from steering_addon.settings.vehicles_in_states import (
    behavior_in_state,
    factor_in_state,
    times_in_state,
    vehicle_in_state,
)
from steering_addon.simulation.combining import COMBININGS
from steering_addon.simulation.declaration import CAUSE, Kind, number_of
from steering_addon.simulation.locomotion import Locomotion
from steering_addon.simulation.vehicle import VehicleModel

FOLDER = Path(__file__).resolve().parents[1] / "presets" / "states"


def ready_state(
    name: str,
    vehicle: Values,
    moves: tuple[type[Locomotion], dict[str, Any]],
    behaviors: list[tuple[Any, dict[str, Any]]],
    reach: float,
) -> CrowdState:
    """A ready state as it is added to a crowd, about what calls.

    Args:
        vehicle, moves, behaviors: those of the crowd.
        reach: within which others carry a vehicle along, metres.
    """
    preset = read(Path(FOLDER, f"{name}.json").read_text(encoding="utf-8"), STATE)
    kind, values = moves[0], columns(moves[0], {}) | moves[1]
    vehicle = columns(VehicleModel, {}) | vehicle
    faster = factor_in_state(preset, kind, vehicle)
    kept = {known: given for known, given in behaviors if _keeps(preset, known)}
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
        locomotion=None if faster is None else {**values, **quickened(kind, values, faster, values)},
    )


def _keeps(preset: Preset, behavior: Any) -> bool:
    """Whether a state goes on with a behavior of its crowd."""
    return behavior.name in preset.behaviors or (behavior.intent in preset.keeps and behavior.name not in preset.off)
