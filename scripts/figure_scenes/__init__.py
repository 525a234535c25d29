"""The figures of the manual: one file for each behavior with its FIGURE and maybe MORE, and `combining`."""

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import ModuleType

from steering_addon.behaviors import CATALOGUE

from ..figure import Figure
from . import combining

COMBINING = "combining"


def topics() -> list[str]:
    """What there are figures of: the names of the behaviors in the order of the catalogue, and `combining`."""
    return [*(behavior.name for behavior in CATALOGUE), COMBINING]


def figures_about(topic: str) -> dict[str, Figure]:
    """The figures about a topic by the names of their drawings. Raises SystemExit if the topic is a behavior without a
    figure."""
    if topic == COMBINING:
        return {drawing_of(name): figure for name, figure in combining.FIGURES.items()}
    more = {f"{topic}-{key}": figure for key, figure in more_of(topic).items()}
    return {topic: figure_of(topic)} | more


def has_figure(behavior: str) -> bool:
    """Whether a behavior has a figure."""
    return (Path(__file__).parent / f"{behavior}.py").exists()


def figure_of(behavior: str) -> Figure:
    """The figure of a behavior, by its name; its caption is what follows the first line of the file's docstring. Raises
    SystemExit if it has none."""
    module = _module(behavior)
    return replace(module.FIGURE, caption=" ".join((module.__doc__ or "").split("\n\n")[1].split()))


def more_of(behavior: str) -> dict[str, Figure]:
    """The further figures of a behavior, by what the names of their drawings end with. Raises SystemExit if it has not
    even the first one."""
    more: dict[str, Figure] = getattr(_module(behavior), "MORE", {})
    return more


def drawing_of(way: str) -> str:
    """The name of the drawing of a way to combine, by the name of the choice."""
    return f"combining-{way.lower().replace('_', '-')}"


def _module(behavior: str) -> ModuleType:
    if not has_figure(behavior):
        raise SystemExit(f"{behavior} has no figure: write scripts/figure_scenes/{behavior}.py.")
    return import_module(f"{__name__}.{behavior}")
