"""Walls of meshes: what stands of a mesh at the height of bodies, as upright sheets that ways are planned past.

A mesh is cut level, at each height at which it meets bodies on feet. The cuts through its faces that lie on one line
and touch make one wall:

    walls of a room of 4 walls with a door = the runs of its inner and outer faces, and the jambs
"""

from functools import lru_cache

import numpy as np

from ..arrays.frozen import replace
from ..arrays.once import Key
from ..arrays.scalars import Scalars, which
from ..arrays.vectors import Vectors, columns, dot, magnitude, unit
from ..geometry.meshes import Mesh
from ..geometry.obstacles import MOST_FACES, Obstacles, boxes
from ..geometry.shapes import MESH, OUTSIDE
from ..geometry.stature import Stature

MOST_WALLS = 60
"""Walls of a mesh beyond which it is passed as a whole: a few rooms have less, a boulder or a hill more."""
ALIKE = 1e-4
"""Metres, and sine, by which cuts may be off a line and still lie on it."""
HEIGHTS = 0.5
"""Share of the least radius to which the heights of cuts are rounded up, so that bodies on a slope share them."""
CUTS = 512
"""Cuts that are kept: of the meshes of a town at a few heights."""


def cut_heights(height: Scalars, radius: Scalars) -> Scalars:
    """The heights at which meshes are cut for bodies, (n,) metres: above their middles, within the least radius."""
    number, step = _rounded(height, radius)
    return (number + 1.5) * step


def _rounded(height: Scalars, radius: Scalars) -> tuple[Scalars, float]:
    """The heights of bodies, (n,) metres, as whole steps, rounded down so that those on a slope share cuts; and the
    step, metres."""
    step = max(HEIGHTS * float(radius.min(initial=np.inf)), ALIKE)
    return np.floor(height / step), step


def walls_at(obstacles: Obstacles, position: Vectors, radius: Scalars, stature: Stature) -> Obstacles:
    """The obstacles with walls in place of meshes, which are met sooner, if bodies (n,) have one height of cuts."""
    if not (obstacles.shape == MESH).any():
        return obstacles
    heights = cut_heights(position[:, 2], radius)
    if not len(heights) or not bool((heights == heights[0]).all()):
        return obstacles
    return with_walls(obstacles, position[:, 2], radius, stature)


def with_walls(obstacles: Obstacles, height: Scalars, radius: Scalars, stature: Stature) -> Obstacles:
    """The obstacles, with the walls of each mesh that stands, (k,), in its place; found once for all who ask.

    Meshes that are cut in no wall or in too many stay. `height`, `radius`: (n,) metres, of bodies that have one height
    of cuts; `stature`: (n,) how they stand.
    """
    tallest, (number, step) = stature.tallest, _rounded(height[:1], radius)
    key = b"".join(column.tobytes() for column in (np.append(number, step), *vars(tallest).values()))
    if key not in obstacles.walled:
        obstacles.walled[key] = _with_walls(obstacles, number, step, tallest)
    return obstacles.walled[key]


def _with_walls(obstacles: Obstacles, number: Scalars, step: float, tallest: Stature) -> Obstacles:
    """As `with_walls`, of bodies at so many steps of height that are no taller than one."""
    rows = which(obstacles.stand & (obstacles.shape == MESH) & (obstacles.side == OUTSIDE) & obstacles.present)
    walls, cut = [], np.zeros(len(obstacles), dtype=np.bool_)
    for row in rows.tolist():
        if len(obstacles.mesh[row]) > MOST_FACES:
            continue
        met, (part,) = obstacles.on_feet(np.array([row]), tallest)
        mesh, start, axes = met.mesh[part], met.start[part], met.axes[part]
        if tallest.is_tall:
            heights = np.unique(tallest.sections(mesh, axes, start[2:], number * step)[1])
        else:
            heights = (number + 1.5) * step
        of_mesh = _walls(Key.of((mesh, start, axes, heights), id(mesh), start, axes, heights))
        if 0 < len(of_mesh) <= MOST_WALLS:
            walls.append(of_mesh)
            cut[row] = True
    if not walls:
        return obstacles
    parts = [obstacles.take(~cut), *walls]
    return replace(
        obstacles,
        **{name: np.concatenate([getattr(part, name) for part in parts]) for name in obstacles.__dataclass_fields__},
    )


@lru_cache(maxsize=CUTS)
def _walls(cut: Key[tuple[Mesh, Vectors, Vectors, Scalars]]) -> Obstacles:
    """The walls of a mesh at a place, with axes (3, 3), cut at heights: boxes without thickness, high as the mesh."""
    mesh, start, axes, heights = cut.parts
    corners = np.stack([start + columns(*(dot(c, axes[:, k][None]) for k in range(3))) for c in mesh.corners])
    low, high = float(corners[:, :, 2].min(initial=np.inf)), float(corners[:, :, 2].max(initial=-np.inf))
    cuts = [_level_cuts(corners, height) for height in heights.tolist()]
    first, last = _runs(*(np.concatenate(ends) for ends in zip(*cuts)))
    along = last - first
    length, ahead = magnitude(along), unit(along)
    half = columns(0.5 * length, np.zeros(len(length)), np.full(len(length), 0.5 * (high - low)))
    middle = 0.5 * (first + last)
    middle[:, 2] = 0.5 * (low + high)
    aside = columns(-ahead[:, 1], ahead[:, 0], 0.0)
    up = np.broadcast_to(np.array([0.0, 0.0, 1.0]), aside.shape)
    return boxes(middle, half, np.stack((ahead, aside, up), axis=1))


def _level_cuts(corners: Vectors, height: float) -> tuple[Vectors, Vectors]:
    """Where a level cuts triangles, given by corners (3, f, 3): both ends of each cut, (m, 3) metres, at height 0."""
    above = corners[:, :, 2] > height
    ends: list[Vectors] = []
    cut = above.any(axis=0) & ~above.all(axis=0)
    corners, above = corners[:, cut], above[:, cut]
    # Of three corners one is alone on its side: the cut goes through both of its edges.
    alone = np.argmax(above == (np.count_nonzero(above, axis=0) == 1), axis=0)
    row = np.arange(corners.shape[1])
    tip = corners[alone, row]
    for turn in (1, 2):
        other = corners[(alone + turn) % 3, row]
        part = (height - tip[:, 2]) / (other[:, 2] - tip[:, 2])
        end = tip + part[:, None] * (other - tip)
        ends.append(columns(end[:, 0], end[:, 1], 0.0))
    return ends[0], ends[1]


def _runs(first: Vectors, last: Vectors) -> tuple[Vectors, Vectors]:
    """The runs of cuts, (m, 3) each, that lie on one line and touch: both ends of each, (r, 3) metres."""
    way = last - first
    long = magnitude(way) > ALIKE
    first, last, ahead = first[long], last[long], unit(way[long])
    back = (ahead[:, 0] < -ALIKE) | ((np.abs(ahead[:, 0]) <= ALIKE) & (ahead[:, 1] < 0.0))
    first, last = np.where(back[:, None], last, first), np.where(back[:, None], first, last)
    ahead = np.where(back[:, None], -ahead, ahead)
    runs: list[tuple[Vectors, Vectors]] = []
    waiting = np.ones(len(first), dtype=np.bool_)
    while waiting.any() and len(runs) <= MOST_WALLS:
        lead = int(np.argmax(waiting))
        line, origin = ahead[lead], first[lead]
        square = np.array([-line[1], line[0], 0.0])
        on = waiting.copy()
        for end in (first, last):
            on &= np.abs(dot(end - origin, square[None])) <= ALIKE
        waiting &= ~on
        begin, end = dot(first[on] - origin, line[None]), dot(last[on] - origin, line[None])
        order = np.argsort(begin, kind="stable")
        begin, end = begin[order], np.maximum.accumulate(end[order])
        breaks = np.concatenate(([True], begin[1:] > end[:-1] + ALIKE))
        ends = np.concatenate((end[:-1][breaks[1:]], end[-1:]))
        runs.extend((origin + a * line, origin + b * line) for a, b in zip(begin[breaks].tolist(), ends.tolist()))
    return (np.array([run[0] for run in runs]).reshape(-1, 3), np.array([run[1] for run in runs]).reshape(-1, 3))
