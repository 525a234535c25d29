"""Entering again: who has left at the end of a path stands at its start, and enters there like one that comes later.

On the first frame on which a vehicle is away it is where it left, on the next at the start: what is hidden is not seen
to move, not even in the blur of motion.
"""

import numpy as np

from .arrays.frozen import replace
from .arrays.scalars import Mask, Rows, clamp, put, which
from .arrays.vectors import Vectors, dot, magnitude, picked, unit
from .geometry.paths import exist, lines_followed
from .ground import left_of, level, of_rows
from .lane_use import Routed
from .memory import memory_among
from .moving import set_down
from .sensing import upward_of
from .snapshot import Snapshot, State
from .vehicle import Motion, Pose


def stand_at_start(state: State, snapshot: Snapshot, those: Mask) -> State:
    """The state in which some vehicles, (n,), are about to enter where their paths begin, and remember nothing.

    Each is as far beside its path as it was at the end. With ground below, it is as high above it, too.
    """
    routed = memory_among(Routed, state.memories.values())
    rows = which(those)
    if routed is None or not len(rows):
        return state
    blank = {name: memory.put(rows, memory.blank(len(rows))) for name, memory in state.memories.items()}
    kept = {name: getattr(routed, name) for name in ("path", "spline", "way")}
    memories = {name: replace(m, **kept) if isinstance(m, Routed) else m for name, m in blank.items()}
    zero = np.zeros((3, len(rows))).T
    state = replace(
        state,
        memories=memories,
        force=put(state.force, rows, zero),
        smoothed_acceleration=put(state.smoothed_acceleration, rows, zero),
    )
    there = which(those & exist(snapshot.paths, routed.path, routed.spline))
    if not len(there):
        return state
    motion = state.motion.put(there, _at_start(state, snapshot, routed.take(there), there))
    pose = state.pose
    axes = (put(getattr(pose, name), there, picked(getattr(motion, name), there)) for name in ("side", "forward", "up"))
    leaning = None if state.leaning is None else Pose(*axes)
    return set_down(replace(state, motion=motion, leaning=leaning), snapshot, those)


def _at_start(state: State, snapshot: Snapshot, routed: Routed, rows: Rows) -> Motion:
    """The motion of vehicles at the start of their paths, at cruise speed."""
    motion, model, grounded = state.motion.take(rows), snapshot.vehicle.take(rows), snapshot.grounded[rows]
    upward = of_rows(upward_of(state, snapshot), rows)
    line = lines_followed(snapshot.paths, routed.path, routed.spline, routed.left)
    begin = np.where(routed.way > 0.0, 0.0, line.length)
    end = line.length - begin
    first, last = line.position(begin), line.position(end)
    ahead, before = (line.tangent(along) * routed.way[:, None] for along in (begin, end))
    off = motion.position - last
    height, rise = dot(off, upward), dot(first - last, upward)
    aside = clamp(dot(off, unit(left_of(before, upward))), -routed.width, routed.width)
    height = np.where(grounded, height, clamp(height, -routed.width, routed.width))
    if not len(snapshot.surfaces):
        height = height - np.where(grounded, rise, 0.0)
    place = first + unit(left_of(ahead, upward)) * aside[:, None] + upward * height[:, None]
    heading = unit(level(ahead, upward, grounded))
    heading = np.where((magnitude(heading) > 0.0)[:, None], heading, motion.forward)
    speed: Vectors = heading * (model.cruise_speed * model.max_speed)[:, None]
    return replace(motion.turned(speed), position=place)
