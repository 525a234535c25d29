"""Behaviors that came with a preset while the scene had no target for them: they wait without a word.

People walk along a path if there is one. Where there never was one, its absence is nothing to look at; a path that was
deleted is.
"""

from bpy.types import Object, Scene

from ...behaviors import CATALOGUE
from ...settings.preset import Preset
from ...simulation.behavior import Behavior
from ...simulation.roles import Role
from ..objects.tagged_objects import by_role, in_use
from ..read.target_problems import awaited


def note_unasked(crowd: Object, preset: Preset, scene: Scene) -> None:
    """Note the behaviors of a preset that the crowd has just taken up and that wait for a target."""
    roles = by_role(in_use(scene))
    names = [b.name for b in CATALOGUE if b.name in preset.behaviors and awaited(b, crowd, roles) is not None]
    _store(crowd, names)


def ask_for(crowd: Object, behavior: type[Behavior]) -> None:
    """Someone has added the behavior to the crowd: from now on it says that it waits."""
    _store(crowd, [name for name in crowd.steering.unasked.split() if name != behavior.name])


def answer(scene: Scene) -> None:
    """Something may have been tagged that behaviors waited for: those that have a target say so if they lose it."""
    roles = by_role(in_use(scene))
    for crowd in roles[Role.CROWD]:
        if crowd.steering.unasked and crowd.is_editable and crowd.library is None:
            names = crowd.steering.unasked.split()
            still = [b.name for b in CATALOGUE if b.name in names and awaited(b, crowd, roles) is not None]
            _store(crowd, still)


def _store(crowd: Object, names: list[str]) -> None:
    if crowd.steering.unasked != " ".join(names):
        crowd.steering.unasked = " ".join(names)
