"""The planes on which feet stand: one for each stance, where the whole sole finds room.

On a slope that is the slope. On the edge of a step it is the step, as nothing of the foot may be below the ground; and
where little of the sole would be on it, the foot is put down a little before or behind.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...simulation.arrays.scalars import Rows, Scalars
from ...simulation.arrays.vectors import Vectors

Ground = Callable[[Vectors, Rows], tuple[Scalars, Vectors]]
"""The heights and the normals, (k,) and (k, 3), of the ground below places (k, 3) on frames (k,): rows of the frames of
a run of all bodies, those of one body after those of another."""

STEEPEST = 0.4
"""The height of the normal of the steepest face on which a foot stands, 66 degrees."""
ROUGH = 0.012
"""Model heights that the ground below a part of a sole may be below its plane, for the part to count as carried."""
CARRIED = 0.8
"""The share of a sole that has to be carried, for it to stay where it comes down."""
SHIFTS = (-0.06, -0.04, -0.02, 0.0, 0.02, 0.04, 0.06)
"""Model heights by which a foot is put down farther ahead."""
COST = 4.0
"""The cost of a shift by a model height, in shares of the sole that are carried."""


@dataclass(frozen=True)
class Planes:
    """The planes on which a foot stands in s stances. `point`, `normal`: (s, 3) of the plane, metres and unit vectors;
    `shift`: (s, 2) metres by which the foot is put down elsewhere."""

    point: Vectors
    normal: Vectors
    shift: Scalars

    def height(self, rows: Rows, x: Scalars, y: Scalars) -> Scalars:
        """The height of the planes in some rows at places (k,), metres."""
        point, normal = self.point[rows], self.normal[rows]
        return point[:, 2] - (normal[:, 0] * (x - point[:, 0]) + normal[:, 1] * (y - point[:, 1])) / normal[:, 2]


def fit_planes(soles: Vectors, ahead: Scalars, scale: Scalars, frames: Rows, ground: Ground) -> Planes:
    """The planes on which soles stand.

    Args:
        soles: (s, k, 3) points that outline each sole as it stands, metres; their heights are about those of the
            ground.
        ahead: (s, 2) unit vectors along the soles.
        scale: (s,) the height of the body, metres.
        frames: (s,) on which they stand, as `ground` has them.
    """
    shift = np.zeros((len(soles), 2))
    point, normal, carried = _fit_planes(soles, scale, frames, ground)
    rough = np.flatnonzero(carried < CARRIED)
    if len(rough):
        lengths = np.array(SHIFTS)
        moves = ahead[rough, None] * (scale[rough, None] * lengths)[..., None]
        tried = np.repeat(soles[rough, None], len(lengths), axis=1)
        tried[..., :2] += moves[:, :, None]
        flat = tried.reshape(-1, *soles.shape[1:])
        sizes, times = (np.repeat(column[rough], len(lengths)) for column in (scale, frames))
        points, normals, shares = _fit_planes(flat, sizes, times, ground)
        worth = shares.reshape(len(rough), -1) - COST * np.abs(lengths)
        best = np.argmax(worth, axis=1)
        rows = np.arange(len(rough)) * len(lengths) + best
        point[rough], normal[rough] = points[rows], normals[rows]
        shift[rough] = moves[np.arange(len(rough)), best]
    return Planes(point, normal, shift)


def _fit_planes(soles: Vectors, scale: Scalars, frames: Rows, ground: Ground) -> tuple[Vectors, Vectors, Scalars]:
    """A point and the normal of the plane that carries each sole, (s, 3) each, and the share that it carries, (s,)."""
    count, points = soles.shape[:2]
    heights, normals = ground(soles.reshape(-1, 3), np.repeat(frames, points))
    heights, normals = heights.reshape(count, points), standable(normals).reshape(count, points, 3)
    slope = normals[..., :2] / normals[..., 2:]
    gap = soles[:, None, :, :2] - soles[:, :, None, :2]
    # Of the planes through each point, the one above which the others rise the least.
    plane = heights[:, :, None] - slope[:, :, None, 0] * gap[..., 0] - slope[:, :, None, 1] * gap[..., 1]
    above = heights[:, None] - plane
    rises = np.max(above, axis=2)
    best = np.argmin(np.where(rises > 1e-4, rises, 0.0) - 1e-3 * heights, axis=1)
    rows = np.arange(count)
    rise = np.maximum(rises[rows, best], 0.0)
    point = np.concatenate((soles[rows, best, :2], (heights[rows, best] + rise)[:, None]), axis=1)
    on_it = above[rows, best] > (rise - ROUGH * scale)[:, None]
    return point, normals[rows, best], np.count_nonzero(on_it, axis=1) / points


def standable(normals: Vectors) -> Vectors:
    """Normals (k, 3) of ground, straight up where it is too steep to stand on."""
    return np.where((normals[:, 2] > STEEPEST)[:, None], normals, np.array((0.0, 0.0, 1.0)))
