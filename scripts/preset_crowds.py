"""Crowds with a shipped preset, without Blender."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from steering_addon.behaviors import CATALOGUE
from steering_addon.scene import Scene
from steering_addon.settings.preset import Preset, read
from steering_addon.settings.preset_values import complete
from steering_addon.simulation.combining import COMBININGS
from steering_addon.simulation.declaration import Declared, Kind, number_of
from steering_addon.simulation.geometry.regions import SPHERE, regions
from steering_addon.simulation.locomotion import Locomotion
from steering_addon.simulation.vehicle import VehicleModel

KINDS = {kind.name: kind for kind in CATALOGUE}
FOLDER = Path(__file__).resolve().parents[1] / "presets"
SHIPPED = {path.stem: path for path in sorted(FOLDER.glob("*.json"))}
FPS = 24.0
START_SPEED = 0.7
"""The default start speed of vehicles, as a share of max_speed."""


def shipped(name: str) -> Preset:
    """The shipped preset of a name."""
    return read(SHIPPED[name].read_text(encoding="utf-8"))


def columns(declaration: type[Declared], values: Mapping[str, Any]) -> dict[str, Any]:
    """All values of a preset as the simulation takes them: missing ones by default, choices by number."""
    values_by_name = complete(declaration, values)
    for name, parameter in declaration.parameters().items():
        if parameter.kind is Kind.CHOICE:
            values_by_name[name] = number_of(parameter.choices, values_by_name[name])
    return values_by_name


def locomotions(preset: Preset) -> list[tuple[type[Locomotion], dict[str, Any]]]:
    """How the vehicles of a preset move, as a scene takes it."""
    return [(preset.moves, columns(preset.moves, preset.locomotion[preset.moves.name]))]


def as_scene(preset: Preset, **changes: Mapping[str, Any]) -> dict[str, Any]:
    """How the vehicles of a preset look, move and behave, as a scene takes it, with changes of behaviors by name."""
    behaviors = {name: columns(KINDS[name], values) for name, values in preset.behaviors.items()}
    behaviors |= {name: behaviors[name] | values for name, values in changes.items()}
    return {
        "vehicle": {**columns(VehicleModel, preset.vehicle), "radius": preset.body_length / 2.0},
        "locomotions": locomotions(preset),
        "behaviors": [(kind, behaviors[name]) for name, kind in KINDS.items() if name in behaviors],
        "combining": number_of(COMBININGS, preset.combining),
    }


def crowd(preset: Preset, n: int, seed: int, within: float) -> Scene:
    """A crowd in an ellipsoid, heading roughly along +Y, inside a spherical region.

    On the ground the ellipsoid is flat. `within`: radius of the region in metres.
    """
    rng = np.random.default_rng(seed)
    flat = preset.moves.grounded
    ball = rng.normal(size=(n, 3)) * (1.0, 1.0, 0.0 if flat else 1.0)
    ball *= (rng.uniform(size=n) ** (1.0 / (2.0 if flat else 3.0)) / np.linalg.norm(ball, axis=1))[:, None]
    spread = 0.75 * preset.behaviors["separation"]["distance"] * n ** (0.5 if flat else 1.0 / 3.0)
    return Scene(
        spread * ball * (1.3, 1.0, 0.6),
        forward=rng.normal(size=(n, 3)) * (0.2, 0.2, 0.0 if flat else 0.05) + (0.0, 1.0, 0.0),
        speed=START_SPEED * preset.vehicle["max_speed"],
        **as_scene(preset),
        regions=regions([[0.0, 0.0, 0.0]], within, SPHERE),
        fps=FPS,
        seed=seed,
    )
