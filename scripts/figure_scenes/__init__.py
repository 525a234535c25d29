"""The figures of the manual: a file per behavior with its FIGURE and optionally MORE, and `combining`."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from steering_addon.behaviors import CATALOGUE

from ..figure import Figure
from . import combining


def figures() -> dict[str, Figure]:
    """All figures by the name of their drawing; those of behaviors in the order of the catalogue."""
    first = {behavior.name: figure_of(behavior.name) for behavior in CATALOGUE if has_figure(behavior.name)}
    more = {f"{name}-{key}": figure for name in first for key, figure in more_of(name).items()}
    return first | more | {drawing_of(name): figure for name, figure in combining.FIGURES.items()}


def has_figure(behavior: str) -> bool:
    """Whether the behavior of this name has a figure."""
    return (Path(__file__).parent / f"{behavior}.py").exists()


def figure_of(behavior: str) -> Figure:
    """The figure of the behavior of this name."""
    figure: Figure = import_module(f"{__name__}.{behavior}").FIGURE
    return figure


def more_of(behavior: str) -> dict[str, Figure]:
    """Further figures of the behavior of this name, by the suffix of their drawings."""
    more: dict[str, Figure] = getattr(import_module(f"{__name__}.{behavior}"), "MORE", {})
    return more


def drawing_of(combining_name: str) -> str:
    """The name of the drawing of a way to combine."""
    return f"combining-{combining_name.lower().replace('_', '-')}"
