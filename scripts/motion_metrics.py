"""Metrics of motion that looks alive, mechanical or jittery. Angles are in degrees, times in seconds.

Positions, velocities, forward and up axes are (frames, n, 3). Let a run settle before measuring.
"""

from collections.abc import Iterator

import numpy as np

from steering_addon.simulation.geometry.capsules import between_axes

GRAVITY = 9.81
SLOW = 10.0
"""deg/s: slower reversals of a turn are not visible as trembling."""
LONGEST_LAG = 1.5
NEAREST = 6
"""The number of nearest neighbors compared over time: a stiff flock keeps them, a mixing flock does not."""
MIXING_TIME = 1.0
PART = 0.1
"""Share of a flock that counts as a part of it; fewer members are stragglers."""
CHUNK = 8_000_000
"""Maximum number of distances computed in one array."""


def turns(forward: np.ndarray, fps: float) -> np.ndarray:
    """Angular velocity from each frame to the next, (frames - 1, n, 3) deg/s."""
    axis = np.cross(forward[:-1], forward[1:])
    sine = np.linalg.norm(axis, axis=-1)
    angle = np.degrees(np.arctan2(sine, (forward[:-1] * forward[1:]).sum(axis=-1)))
    return axis / np.maximum(sine, 1e-300)[..., None] * (angle * fps)[..., None]


def jerks(forward: np.ndarray, fps: float) -> np.ndarray:
    """Change of the angular velocity from frame to frame, (frames - 2, n) deg/s."""
    return np.linalg.norm(np.diff(turns(forward, fps), axis=0), axis=-1)


def reversals(forward: np.ndarray, fps: float) -> float:
    """Share of frames in which a vehicle reverses its turn."""
    turn = turns(forward, fps)
    rate = np.linalg.norm(turn, axis=-1)
    opposed = (turn[1:] * turn[:-1]).sum(axis=-1) < 0.0
    return float((opposed & (np.maximum(rate[1:], rate[:-1]) > SLOW)).mean())


def level_frame(forward: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The side and up vectors of level wings."""
    side = np.cross(forward, (0.0, 0.0, 1.0))
    side = side / np.maximum(np.linalg.norm(side, axis=-1, keepdims=True), 1e-12)
    return side, np.cross(side, forward)


def rolls(forward: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Roll angle against level wings, positive to the right, (frames, n)."""
    side, level = level_frame(forward)
    return np.degrees(np.arctan2((up * side).sum(axis=-1), (up * level).sum(axis=-1)))


def coordinated_rolls(velocity: np.ndarray, fps: float) -> np.ndarray:
    """The roll of a coordinated turn, atan(speed * turn rate / gravity), (frames, n)."""
    acceleration = np.gradient(velocity, 1.0 / fps, axis=0)
    speed = np.linalg.norm(velocity, axis=-1, keepdims=True)
    side, _ = level_frame(velocity / np.maximum(speed, 1e-12))
    return np.degrees(np.arctan2((acceleration * side).sum(axis=-1), GRAVITY))


def rolled(forward: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Rotation about the heading from frame to frame, without what the turn of the heading causes, (frames - 1, n).

    Its sum distinguishes a full roll from a loop, which also turns a vehicle upside down.
    """
    axis = np.cross(forward[:-1], forward[1:])
    cosine = (forward[:-1] * forward[1:]).sum(axis=-1, keepdims=True)
    # The shortest rotation from one heading to the next, after Rodrigues.
    carried = up[:-1] * cosine + np.cross(axis, up[:-1])
    carried += axis * (axis * up[:-1]).sum(axis=-1, keepdims=True) / (1.0 + cosine)
    right = np.cross(forward[1:], carried)
    return np.degrees(np.arctan2((up[1:] * right).sum(axis=-1), (up[1:] * carried).sum(axis=-1)))


def roll_rates(roll: np.ndarray, fps: float) -> np.ndarray:
    """Roll rate, (frames - 1, n) deg/s; passing through upside down is not a jump."""
    return np.diff(np.unwrap(roll, period=360.0, axis=0), axis=0) * fps


def roll_reversals(rate: np.ndarray) -> float:
    """Share of frames in which a roll reverses."""
    opposed = rate[1:] * rate[:-1] < 0.0
    return float((opposed & (np.maximum(np.abs(rate[1:]), np.abs(rate[:-1])) > SLOW)).mean())


def lag(signal: np.ndarray, lead: np.ndarray, fps: float) -> float:
    """Seconds by which a signal (frames,) lags another: the shift of best correlation, interpolated between frames."""
    shifts = np.arange(-int(LONGEST_LAG * fps / 3.0), int(LONGEST_LAG * fps) + 1)
    fits = np.array([_fit(signal, lead, shift) for shift in shifts])
    best = int(np.argmax(fits))
    if 0 < best < len(shifts) - 1:
        before, peak, after = fits[best - 1 : best + 2]
        return float((shifts[best] + 0.5 * (before - after) / (before - 2.0 * peak + after)) / fps)
    return float(shifts[best] / fps)


def _fit(signal: np.ndarray, lead: np.ndarray, shift: int) -> float:
    a, b = signal[max(shift, 0) :], lead[max(-shift, 0) :]
    count = min(len(a), len(b))
    a, b = a[:count] - a[:count].mean(), b[:count] - b[:count].mean()
    return float((a * b).sum() / max(np.sqrt((a * a).sum() * (b * b).sum()), 1e-12))


def crossings(aside: np.ndarray, fps: float) -> float:
    """Crossings of the middle of the path per 10 s and vehicle; `aside` is (frames, n) metres to one side of it."""
    smooth = np.apply_along_axis(lambda x: np.convolve(x, np.full(7, 1.0 / 7.0), "valid"), 0, aside)
    changes = (np.diff(np.sign(smooth), axis=0) != 0.0).sum(axis=0)
    return float(changes.mean() / (len(smooth) / fps) * 10.0)


def nearest_distances(position: np.ndarray) -> np.ndarray:
    """Distance from each vehicle to its nearest neighbor, (frames, n) metres."""
    return np.array([np.concatenate([gaps.min(axis=1) for _, gaps in _gaps(place)]) for place in position])


def least_room(position: np.ndarray, forward: np.ndarray, radius: np.ndarray, half: np.ndarray) -> np.ndarray:
    """The least room between two bodies, (frames,) metres, negative where they overlap. `radius`, `half`: (n,) radii of
    the capsules along their headings, and half the lengths of their axes, metres."""
    first, second = np.triu_indices(position.shape[1], 1)
    rooms = []
    for place, ahead in zip(position, forward):
        gap = between_axes(place[second] - place[first], ahead[first], half[first], ahead[second], half[second])
        rooms.append((np.linalg.norm(gap, axis=1) - radius[first] - radius[second]).min(initial=np.inf))
    return np.array(rooms)


def kept(position: np.ndarray, fps: float, every: int = 1) -> float:
    """Mean share of a vehicle's six nearest that are still among them a second later; samples every `every` frames."""
    later = round(MIXING_TIME * fps)
    shares = []
    for frame in range(0, len(position) - later, every):
        before, after = _nearest(position[frame]), _nearest(position[frame + later])
        shares.append((before[:, :, None] == after[:, None, :]).any(axis=2).mean())
    return float(np.mean(shares)) if shares else np.nan


def _nearest(place: np.ndarray) -> np.ndarray:
    """The rows of each vehicle's nearest neighbors, (n, 6) in no particular order."""
    count = min(NEAREST, len(place) - 1)
    return np.concatenate([np.argpartition(gaps, count - 1, axis=1)[:, :count] for _, gaps in _gaps(place)])


def polarization(forward: np.ndarray) -> np.ndarray:
    """Length of the mean heading, (frames,): 1 if all are parallel, 0 if they cancel."""
    return np.linalg.norm(forward.mean(axis=1), axis=-1)


def aspect(position: np.ndarray) -> np.ndarray:
    """Ratio of a crowd's longest to its shortest extent, (frames,): 1 for a ball."""
    offset = position - position.mean(axis=1, keepdims=True)
    spread = np.einsum("fni,fnj->fij", offset, offset) / position.shape[1]
    sizes = np.sqrt(np.maximum(np.linalg.eigvalsh(spread), 1e-12))
    return sizes[:, -1] / sizes[:, 0]


def lost(position: np.ndarray, link: float) -> np.ndarray:
    """Share of vehicles outside the largest group linked by distances below `link`, (frames,)."""
    return np.array([1.0 - group_sizes(place, link).max() / len(place) for place in position])


def straggling(position: np.ndarray, link: float) -> np.ndarray:
    """Share of vehicles in groups, linked by distances below `link`, too small for a part of their flock, (frames,)."""
    sizes = [group_sizes(place, link) for place in position]
    return np.array([each[each < PART * each.sum()].sum() / each.sum() for each in sizes])


def parts(position: np.ndarray, link: float) -> np.ndarray:
    """The number of parts of a flock, linked by distances below `link`, (frames,)."""
    return np.array([(group_sizes(place, link) >= PART * len(place)).sum() for place in position])


def _gaps(place: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """In chunks of m vehicles: the row of the first, and the distances to all, (m, n), inf to itself."""
    n = len(place)
    chunk = max(CHUNK // max(n, 1), 1)
    for start in range(0, n, chunk):
        stop = start + chunk
        gaps = np.sqrt(sum((place[start:stop, None, axis] - place[None, :, axis]) ** 2 for axis in range(3)))
        rows = np.arange(len(gaps))
        gaps[rows, start + rows] = np.inf
        yield start, gaps


def group_sizes(place: np.ndarray, link: float) -> np.ndarray:
    """The sizes of the groups linked by distances below `link`, in no particular order; `place` is (n, 3)."""
    rows, others = [np.arange(len(place))], [np.arange(len(place))]
    for start, gaps in _gaps(place):
        linked, other = np.nonzero(gaps < link)
        rows.append(start + linked)
        others.append(other)
    row = np.concatenate(rows)
    order = np.argsort(row, kind="stable")
    other = np.concatenate(others)[order]
    starts = np.searchsorted(row[order], np.arange(len(place)))
    # Each vehicle takes the lowest label among its links, until all of a group share one.
    label = np.arange(len(place))
    while True:
        lowest = np.minimum.reduceat(label[other], starts)
        lowest = lowest[lowest]
        if (lowest == label).all():
            sizes = np.bincount(label)
            return sizes[sizes > 0]
        label = lowest
