"""The signals of a scene: Empties that hold the lanes beside which they stand."""

from collections.abc import Sequence

import numpy as np
from bpy.types import Depsgraph, Object

from ...simulation.lane_use import NO_SIGNALS, Signals
from ..objects.doubles import doubles
from ..properties import pointed_at
from .checks import check_numbers


def path_of_signal(ob: Object) -> Object | None:
    """The curve that a signal has been given; None for the nearest. Writes nothing."""
    path = pointed_at(ob.steering, "signal_path")
    return path if path is not None and path.type == "CURVE" else None


def read_signals(signals: Sequence[Object], paths: Sequence[Object], depsgraph: Depsgraph, frame: int) -> Signals:
    """Signals on a frame; `paths` are the curves in the order of their rows. Refused if a transform is not a number."""
    if not signals:
        return NO_SIGNALS
    shown = [ob.evaluated_get(depsgraph) for ob in signals]
    matrices = doubles([ob.matrix_world for ob in shown]).reshape(-1, 4, 4)
    check_numbers(matrices, signals, frame)
    rows = {ob: row for row, ob in enumerate(paths)}
    green = np.array([ob.steering.green or not ob.steering.active for ob in shown], dtype=np.bool_)
    path = np.array([rows.get(path_of_signal(ob), -1) for ob in signals], dtype=np.int64)
    return Signals(matrices[:, :3, 3], green, path)
