"""Places full of points, and who is near whom there, each tried with each."""

from collections.abc import Iterable

import numpy as np

from steering_addon.simulation.nearby.pairs import Pairs, PairSelection

RANDOM = np.random.default_rng(3)
LINE = np.arange(60.0)[:, None]
PLACES = {
    "even": RANDOM.uniform(0.0, 10.0, (200, 3)),
    "negative": RANDOM.uniform(-30.0, -20.0, (200, 3)),
    "astride the origin": RANDOM.uniform(-5.0, 5.0, (200, 3)),
    "in clusters": np.repeat(RANDOM.uniform(-50.0, 50.0, (8, 3)), 25, axis=0) + RANDOM.normal(size=(200, 3)),
    "far apart": RANDOM.uniform(-1e5, 1e5, (200, 3)).repeat(2, axis=0) + RANDOM.normal(size=(400, 3)) * 0.5,
    "out of all bounds": np.array([[1e6], [1e9], [1e12], [1e30]]).repeat(9, axis=0) * RANDOM.uniform(-1, 1, (36, 3)),
    "far away in pairs": RANDOM.uniform(-1e9, 1e9, (50, 3)).repeat(2, axis=0) + RANDOM.normal(size=(100, 3)),
    "along x": LINE * [0.3, 0.0, 0.0],
    "along y": LINE * [0.0, 0.3, 0.0],
    "along z": LINE * [0.0, 0.0, -0.3],
    "along a slope": LINE * [0.3, -0.2, 0.1],
    "in a plane": RANDOM.uniform(0.0, 10.0, (200, 3)) * [1.0, 1.0, 0.0],
    "on a lattice": np.stack(np.meshgrid(*[np.arange(5.0)] * 3), axis=-1).reshape(-1, 3),
    "in one place": np.full((20, 3), 7.0),
    "two in each place": RANDOM.uniform(0.0, 5.0, (50, 3)).repeat(2, axis=0),
    "none": np.zeros((0, 3)),
    "one": np.ones((1, 3)),
    "two": np.array([[0.0, 0.0, 0.0], [0.4, 0.0, 0.0]]),
}


def all_pairs(points: np.ndarray, radius: float) -> set[tuple[int, int]]:
    """The pairs nearer than the radius, each point tried with each."""
    first, second = np.triu_indices(len(points), 1)
    x, y, z = (points[second] - points[first]).T
    near = x * x + y * y + z * z < radius * radius
    return set(zip(first[near].tolist(), second[near].tolist()))


def joined(blocks: Iterable[Pairs | PairSelection]) -> Pairs:
    """The blocks of pairs as one."""
    none = np.zeros(0, dtype=np.int64)
    return Pairs(
        np.concatenate([none, *(pairs.first for pairs in blocks)]),
        np.concatenate([none, *(pairs.second for pairs in blocks)]),
        np.concatenate([np.zeros((0, 3)), *(pairs.offset for pairs in blocks)]),
        np.concatenate([np.zeros(0), *(pairs.distance_squared for pairs in blocks)]),
    )
