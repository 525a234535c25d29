"""What makes motion look alive, mechanical or jittery, in numbers. Angles in degrees, time in seconds.

All take frames first: positions, velocities, forward and up axes as (frames, n, 3). Let a run settle before measuring.
"""

from collections.abc import Iterator

import numpy as np

GRAVITY = 9.81
SLOW = 10.0
"""deg/s: who turns and turns back more slowly than this is not seen to tremble."""
LONGEST_LAG = 1.5
NEAREST = 6
"""So many neighbors tell whether a flock mixes or is stiff."""
MIXING_TIME = 1.0
CHUNK = 8_000_000
"""Most distances that are looked at in one go."""


def turns(forward: np.ndarray, fps: float) -> np.ndarray:
    """The turn from each frame to the next as a vector along its axis, (frames - 1, n, 3) deg/s."""
    axis = np.cross(forward[:-1], forward[1:])
    sine = np.linalg.norm(axis, axis=-1)
    angle = np.degrees(np.arctan2(sine, (forward[:-1] * forward[1:]).sum(axis=-1)))
    return axis / np.maximum(sine, 1e-300)[..., None] * (angle * fps)[..., None]


def jerks(forward: np.ndarray, fps: float) -> np.ndarray:
    """How much the turn changes from frame to frame, (frames - 2, n) deg/s."""
    return np.linalg.norm(np.diff(turns(forward, fps), axis=0), axis=-1)


def reversals(forward: np.ndarray, fps: float) -> float:
    """Share of frames at which a vehicle turns against the way it turned before."""
    turn = turns(forward, fps)
    rate = np.linalg.norm(turn, axis=-1)
    opposed = (turn[1:] * turn[:-1]).sum(axis=-1) < 0.0
    return float((opposed & (np.maximum(rate[1:], rate[:-1]) > SLOW)).mean())


def level_frame(forward: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The side and up of level wings."""
    side = np.cross(forward, (0.0, 0.0, 1.0))
    side = side / np.maximum(np.linalg.norm(side, axis=-1, keepdims=True), 1e-12)
    return side, np.cross(side, forward)


def rolls(forward: np.ndarray, up: np.ndarray) -> np.ndarray:
    """How far the wings are off level, to the right positive, (frames, n)."""
    side, level = level_frame(forward)
    return np.degrees(np.arctan2((up * side).sum(axis=-1), (up * level).sum(axis=-1)))


def coordinated_rolls(velocity: np.ndarray, fps: float) -> np.ndarray:
    """The roll of the clean turn, atan(speed * turn rate / gravity), (frames, n)."""
    acceleration = np.gradient(velocity, 1.0 / fps, axis=0)
    speed = np.linalg.norm(velocity, axis=-1, keepdims=True)
    side, _ = level_frame(velocity / np.maximum(speed, 1e-12))
    return np.degrees(np.arctan2((acceleration * side).sum(axis=-1), GRAVITY))


def rolled(forward: np.ndarray, up: np.ndarray) -> np.ndarray:
    """The roll of each frame about the heading, apart from what the turn of the heading carries along, (frames - 1, n).

    Its sum tells a full roll from a loop, which turns a vehicle upside down too.
    """
    axis = np.cross(forward[:-1], forward[1:])
    cosine = (forward[:-1] * forward[1:]).sum(axis=-1, keepdims=True)
    # The shortest rotation from one heading to the next, after Rodrigues.
    carried = up[:-1] * cosine + np.cross(axis, up[:-1])
    carried += axis * (axis * up[:-1]).sum(axis=-1, keepdims=True) / (1.0 + cosine)
    right = np.cross(forward[1:], carried)
    return np.degrees(np.arctan2((up[1:] * right).sum(axis=-1), (up[1:] * carried).sum(axis=-1)))


def roll_rates(roll: np.ndarray, fps: float) -> np.ndarray:
    """deg/s from frame to frame, (frames - 1, n); the way through upside down is no jump."""
    return np.diff(np.unwrap(roll, period=360.0, axis=0), axis=0) * fps


def roll_reversals(rate: np.ndarray) -> float:
    """Share of frames at which a roll turns back."""
    opposed = rate[1:] * rate[:-1] < 0.0
    return float((opposed & (np.maximum(np.abs(rate[1:]), np.abs(rate[:-1])) > SLOW)).mean())


def lag(signal: np.ndarray, lead: np.ndarray, fps: float) -> float:
    """Seconds by which a signal (frames,) follows another: the shift at which they fit best, between frames too."""
    shifts = np.arange(-int(LONGEST_LAG * fps / 3.0), int(LONGEST_LAG * fps) + 1)
    fits = np.array([_fit(signal, lead, shift) for shift in shifts])
    best = int(np.argmax(fits))
    if 0 < best < len(shifts) - 1:
        before, here, after = fits[best - 1 : best + 2]
        return float((shifts[best] + 0.5 * (before - after) / (before - 2.0 * here + after)) / fps)
    return float(shifts[best] / fps)


def _fit(signal: np.ndarray, lead: np.ndarray, shift: int) -> float:
    a, b = signal[max(shift, 0) :], lead[max(-shift, 0) :]
    count = min(len(a), len(b))
    a, b = a[:count] - a[:count].mean(), b[:count] - b[:count].mean()
    return float((a * b).sum() / max(np.sqrt((a * a).sum() * (b * b).sum()), 1e-12))


def crossings(aside: np.ndarray, fps: float) -> float:
    """How often a vehicle crosses the middle of its path, per 10 s; `aside` (frames, n) metres to one side of it."""
    smooth = np.apply_along_axis(lambda x: np.convolve(x, np.full(7, 1.0 / 7.0), "valid"), 0, aside)
    changes = (np.diff(np.sign(smooth), axis=0) != 0.0).sum(axis=0)
    return float(changes.mean() / (len(smooth) / fps) * 10.0)


def nearest_distances(position: np.ndarray) -> np.ndarray:
    """From each vehicle to the one nearest to it, (frames, n) metres."""
    return np.array([np.concatenate([gaps.min(axis=1) for _, gaps in _gaps(place)]) for place in position])


def kept(position: np.ndarray, fps: float, every: int = 1) -> float:
    """Share of a vehicle's six nearest that are among its six nearest a second later; looks at every so many frames."""
    later = round(MIXING_TIME * fps)
    shares = []
    for frame in range(0, len(position) - later, every):
        before, after = _nearest(position[frame]), _nearest(position[frame + later])
        shares.append((before[:, :, None] == after[:, None, :]).any(axis=2).mean())
    return float(np.mean(shares)) if shares else np.nan


def _nearest(place: np.ndarray) -> np.ndarray:
    """The rows of the vehicles nearest to each one, (n, 6) in no order."""
    count = min(NEAREST, len(place) - 1)
    return np.concatenate([np.argpartition(gaps, count - 1, axis=1)[:, :count] for _, gaps in _gaps(place)])


def polarization(forward: np.ndarray) -> np.ndarray:
    """How much all head one way: 1 all the same, 0 all ways; (frames,)."""
    return np.linalg.norm(forward.mean(axis=1), axis=-1)


def aspect(position: np.ndarray) -> np.ndarray:
    """How much longer a crowd is than it is thin: 1 is a ball; (frames,)."""
    offset = position - position.mean(axis=1, keepdims=True)
    spread = np.einsum("fni,fnj->fij", offset, offset) / position.shape[1]
    sizes = np.sqrt(np.maximum(np.linalg.eigvalsh(spread), 1e-12))
    return sizes[:, -1] / sizes[:, 0]


def lost(position: np.ndarray, link: float) -> np.ndarray:
    """Share of vehicles outside the largest group in which each is nearer than `link` to another; (frames,)."""
    return np.array([1.0 - _largest_group(place, link) / len(place) for place in position])


def _gaps(place: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """The distances from some vehicles to all, (some, n), inf to itself, and the row of the first of them."""
    n = len(place)
    some = max(CHUNK // max(n, 1), 1)
    for start in range(0, n, some):
        gaps = np.sqrt(sum((place[start : start + some, None, axis] - place[None, :, axis]) ** 2 for axis in range(3)))
        rows = np.arange(len(gaps))
        gaps[rows, start + rows] = np.inf
        yield start, gaps


def _largest_group(place: np.ndarray, link: float) -> int:
    rows, others = [np.arange(len(place))], [np.arange(len(place))]
    for start, gaps in _gaps(place):
        one, other = np.nonzero(gaps < link)
        rows.append(start + one)
        others.append(other)
    one = np.concatenate(rows)
    order = np.argsort(one, kind="stable")
    other = np.concatenate(others)[order]
    starts = np.searchsorted(one[order], np.arange(len(place)))
    # Each takes the lowest label in sight, until all of a group have the same.
    label = np.arange(len(place))
    while True:
        lowest = np.minimum.reduceat(label[other], starts)
        lowest = lowest[lowest]
        if (lowest == label).all():
            return int(np.bincount(label).max())
        label = lowest
