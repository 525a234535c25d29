"""The lines from signals to the lanes that they hold."""

from collections.abc import Iterator, Sequence

import numpy as np
from bpy.types import Depsgraph, Object

from ...simulation.geometry.paths import Path, spline
from ..read.curves import sketched
from ..read.links import path_of_signal, read_signals
from ..refusal import Refusal

GREEN, RED = (0.3, 0.9, 0.4, 0.9), (1.0, 0.25, 0.2, 0.9)


def lines_of_signals(
    signals: Sequence[Object], paths: Sequence[Object], depsgraph: Depsgraph
) -> Iterator[tuple[np.ndarray, tuple[float, ...]]]:
    """The line from each signal to its place on the nearest curve, or on its own, (2, 3) metres, and its color."""
    curves = list(dict.fromkeys([*paths, *(own for ob in signals if (own := path_of_signal(ob)) is not None)]))
    try:
        read = read_signals(signals, curves, depsgraph, depsgraph.scene.frame_current)
    except Refusal:
        # The bake reports the error; the overlay just skips the signals.
        return
    drawn: list[Path] = [
        tuple(spline(points, closed) for points, closed in sketched(ob, depsgraph) if np.isfinite(points).all())
        for ob in curves
    ]
    for position, green, own in zip(read.position, read.green.tolist(), read.path.tolist()):
        lines = [line for path in (drawn if own < 0 else [drawn[own]]) for line in path]
        places = [line.position(line.nearest(position[None]))[0] for line in lines]
        if places:
            nearest = min(places, key=lambda place: float(np.linalg.norm(place - position)))
            yield np.array([position, nearest]), GREEN if green else RED
