"""The figures of the manual: of behaviors, and of the ways to combine. All files of this folder declare some."""

from importlib import import_module
from pkgutil import iter_modules

from steering_addon.behaviors import CATALOGUE

from ..figure import FIGURES, Figure

for _file in iter_modules(__path__):
    import_module(f"{__name__}.{_file.name}")


def topics() -> list[str]:
    """What there are figures of: the names of the behaviors in the order of the catalogue, and `combining`."""
    return [*(behavior.name for behavior in CATALOGUE), "combining"]


def figures_about(topic: str) -> dict[str, Figure]:
    """The figures about a topic by the names of their drawings, the first one first. Raises SystemExit if the topic is
    a behavior without a figure."""
    if topic not in FIGURES and topic != "combining":
        raise SystemExit(f"{topic} has no figure: write scripts/figure_scenes/{topic}.py.")
    return {name: figure for name, figure in FIGURES.items() if name.partition("-")[0] == topic}
