"""Groups of bodies that share poses, where not each can have its own: those that play most nearly alike."""

import numpy as np

from ..simulation.arrays.angles import cosine_and_sine
from ..simulation.arrays.scalars import Rows
from .clips import Playing

LOOKED_AT = 32
"""Frames on which bodies are compared, evenly over the run."""
TURN = 2.0 * np.pi


def pose_groups(playing: Playing, most: int) -> Rows:
    """The rows of the bodies whose poses n bodies show, (n,): their own for the first `most`. `playing`: (clips, n, f)
    of them."""
    count, frames = playing.phase.shape[1:]
    leaders = np.arange(count)
    if count <= most:
        return leaders
    seen = np.unique(np.linspace(0, frames - 1, min(LOOKED_AT, frames)).astype(np.int64))
    weights = playing.weights()[..., seen]
    phase = playing.phase[..., seen]
    cosines, sines = cosine_and_sine(TURN * (phase - np.floor(phase)))
    # A point for each clip and frame: its direction is the phase, its distance how much is seen of the clip.
    points = np.stack((weights * cosines, weights * sines)).transpose(2, 0, 1, 3).reshape(count, -1)
    nearest = np.full(count, np.inf)
    for leader in range(most):
        off = points[most:] - points[leader]
        away = np.einsum("nk,nk->n", off, off)
        nearer = away < nearest[most:]
        nearest[most:][nearer], leaders[most:][nearer] = away[nearer], leader
    return leaders
