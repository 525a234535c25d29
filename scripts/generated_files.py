"""The files that follow from the declarations, and what has to be in them."""

import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path

from tests.simulation import same_bytes
from tests.simulation.same_bytes_cases import cases

from . import behavior_pages, preset_table
from .behavior_pages import PAGES
from .figure import FIGURES
from .figure_scenes import figures_about


def texts() -> Iterator[tuple[Path, str]]:
    """The paths and contents of the manual's generated pages, and of the one with a table of presets. Raises SystemExit
    if a behavior has none for its page to show."""
    yield preset_table.PAGE, preset_table.with_table(preset_table.PAGE.read_text(encoding="utf-8"))
    for name, text in behavior_pages.pages().items():
        yield PAGES / name, text()


def hashes(names: Collection[str]) -> dict[str, str]:
    """The hashes of all cases: computed for these names and for new cases, as stored for the others."""
    before = same_bytes.stored()
    return {
        name: before[name] if name in before and name not in names else same_bytes.digest(make().states())
        for name, make in sorted(cases().items())
    }


def drawings(topic: str, suffix: str) -> Iterator[tuple[str, bytes]]:
    """The file names and contents of the drawings about a topic. Raises SystemExit if there is none, or
    a run does not show what its caption says."""
    # The other files are made without matplotlib.
    from .figure_drawing import draw

    with tempfile.TemporaryDirectory() as folder:
        for name, figure in figures_about(topic).items():
            run = figure.run()
            missing = [claim for claim, holds in figure.shows(run).items() if not holds]
            if missing:
                raise SystemExit(f"The figure {name} does not show what its caption says: {'; '.join(missing)}.")
            path = Path(folder, f"{name}{suffix}")
            draw(figure, run, path)
            yield path.name, path.read_bytes()


def left_over() -> list[Path]:
    """The pages and drawings of behaviors that no longer exist."""
    known = behavior_pages.pages().keys() | {f"{name}.svg" for name in FIGURES}
    return sorted(path for path in PAGES.iterdir() if path.name not in known)
