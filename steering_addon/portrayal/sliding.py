"""How far the feet of bodies slide on the ground while they stand on it."""

from __future__ import annotations

import numpy as np

from ..simulation.arrays.vectors import Rows, Scalars, Vectors
from .soles import Points, dwell_height, foot_of, runs

SLOW = 0.1
"""The share of its usual speed below which a body stands or creeps: any foot on the ground is then a stance."""
SHORTEST = 2
"""Steps between frames that a stance has at least."""


def longest_slides(
    points: Points, level: Scalars, feet: list[Rows], place: Vectors, forward: Vectors, height: float
) -> list[tuple[float, int]]:
    """The longest way of each foot over the ground in one stance of a body, and the row of its first frame.

    A foot stands while its sole is within 1 % of the body's height of where it rests, and does not swing forwards.

    Args:
        points: (f, m, 3) in the world.
        level: (f, m) their heights above the ground.
        feet: the columns of the points of each foot.
        place, forward: (f, 3) where the body is and where it faces.
        height: of the body, metres.

    Returns:
        metres and rows; 0 metres for a foot without stances.
    """
    went = np.diff(place[:, :2], axis=0)
    gone = np.sqrt(np.einsum("fi,fi->f", went, went))
    moving = gone[gone > 0.002 * height]
    slow = gone < SLOW * (np.sort(moving)[len(moving) // 2] if len(moving) else height)
    over_ground = np.concatenate((points[..., :2], level[..., None]), axis=2)
    longest = []
    for rows in feet:
        foot = foot_of(over_ground, rows, height, dwell_height(level[:, rows].min(axis=1), height))
        ahead = np.einsum("fi,fi->f", foot.step, forward[:-1, :2])
        stands = foot.touches & (slow | (ahead < gone))
        step = np.sqrt(np.einsum("fi,fi->f", foot.step, foot.step))
        way = np.concatenate(([0.0], np.cumsum(step)))
        paths = [(float(way[b] - way[a]), a) for a, b in runs(stands) if b - a >= SHORTEST]
        longest.append(max(paths, key=lambda path: path[0], default=(0.0, 0)))
    return longest
