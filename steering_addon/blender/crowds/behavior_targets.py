"""The objects that behaviors point at, found by the kind of parameter."""

from collections.abc import Iterable

from bpy.types import Object

from ...behaviors import CATALOGUE
from ...settings.preset import Preset
from ...simulation.behavior import Behavior
from ...simulation.declaration import Kind


def behaviors_of(preset: Preset) -> list[type[Behavior]]:
    """The active behaviors of a preset."""
    return [behavior for behavior in CATALOGUE if behavior.name in preset.behaviors]


def pointers(behaviors: Iterable[type[Behavior]], kind: Kind) -> list[tuple[str, str]]:
    """The parameters that point at objects of a kind, as names of behavior and parameter."""
    return [
        (behavior.name, name)
        for behavior in behaviors
        for name, parameter in behavior.parameters().items()
        if parameter.kind is kind
    ]


def point_at(crowd: Object, preset: Preset, kind: Kind, target: Object) -> None:
    """Set the target of all behaviors of a preset that point at objects of a kind."""
    for behavior, name in pointers(behaviors_of(preset), kind):
        setattr(getattr(crowd.steering, behavior), name, target)
