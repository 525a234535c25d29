"""Fitting: the shape of obstacle that an object has, by how much more than the object the shape covers.

A round body or a box is taken where it covers little more than the object and no way through it; else the mesh itself.
Everything is in the object's own axes at its size in the world, with which boxes are aligned.
"""

from dataclasses import dataclass
from math import ceil, pi

import numpy as np

from ..arrays.angles import cosine_and_sine
from ..arrays.scalars import Mask, Rows, Scalars, clamp
from ..arrays.vectors import Vectors, cross, dot
from .capsules import hull
from .meshes import Mesh, mesh
from .shapes import BOX, MESH, ROUND

TOO_MUCH = 3.0
"""How many times an object's volume a shape covers that is a wrong one."""
SNUG = {BOX: 1.9, ROUND: TOO_MUCH}
"""How many times an object's volume shapes cover at most where they fit. A box is 1.27 times a cylinder and twice a
ramp, on which others may walk; the ball round a boulder is two or three times as large."""
BAY = 1.12
"""How many times the area that an object covers, as seen from above, its outline without bays may have. A circle as
SIDES lines has 1.01; a quarter missing from a square 1.17."""
SIDES = 16
SPANNED = 0.9
"""The share of an object that its faces span at least if they say what it is: not those of a cloud of points."""
FULL = 0.999
"""The share of a box that an object fills at least if it is one."""
FLAT = 1e-3
"""The share of its longest side below which an object is a sheet."""
WIDTH = 0.25
"""The least width of a way through as a share of the height of those who take it: a person's shoulders."""
TALL = 0.9
"""The share of a height, and of its width, that a way has at least: rays hit the lintel of one that is just as high."""
MOST_RAYS = 300, 60
"""Rays along one side of an object at most: across, where doors may be, and along its height or depth."""


@dataclass(frozen=True)
class Fit:
    """The fit of shapes to an object.

    Attributes:
        covers: by the number of a shape, its volume over that of the object; inf for one that has none.
        closes: whether round bodies and boxes would close a way through the object.
        has_bays: whether the object leaves free what is between its parts, as seen from above.
        has_faces: whether its surface says what it is; if not, points alone do.
    """

    covers: dict[int, float]
    closes: bool
    has_bays: bool
    has_faces: bool

    @property
    def shape(self) -> int:
        """The number of the shape to take: the smallest that fits, the mesh if none does."""
        if not self.has_faces:
            return min(self.covers, key=lambda shape: self.covers[shape])
        if self.closes or self.has_bays:
            return MESH
        fitting = [shape for shape in (ROUND, BOX) if self.covers[shape] <= SNUG[shape]]
        return min(fitting, key=lambda shape: self.covers[shape], default=MESH)


def fit(extent: Vectors, points: Vectors, triangles: Rows, up: int, height: float) -> Fit:
    """The fit of round bodies and boxes to an object.

    Args:
        extent: (k, 3) the points that shapes hold, k >= 1, metres, in the object's axes.
        points: (m, 3) those of its surface.
        triangles: (f, 3) their rows.
        up: the axis that is nearest to the vertical, 0 to 2.
        height: of those who would pass through it, metres.
    """
    sides = np.ptp(extent, axis=0)
    longest = float(sides.max())
    thin = np.maximum(sides, max(FLAT * longest, 1e-9))
    box = float(thin[0] * thin[1] * thin[2])
    volumes = {ROUND: _round_volume(extent, sides), BOX: box}
    used = points[triangles.reshape(-1)]
    if not len(used) or (np.ptp(used, axis=0) < SPANNED * np.ptp(points, axis=0)).any() or longest <= 0.0:
        return Fit(volumes, closes=False, has_bays=False, has_faces=False)
    low, high = used.min(axis=0), used.max(axis=0)
    sides = high - low
    longest = float(sides.max())
    # About the middle of its foot, so that a missing floor changes no volume.
    foot = 0.5 * (low + high)
    foot[up] = low[up]
    surface = mesh(points - foot, triangles)
    volume = _volume(surface) if surface.closed or _faces_out(surface) else 0.0
    if volume >= FULL * box:
        covers = {shape: shape_volume / volume for shape, shape_volume in volumes.items()}
        return Fit(covers, closes=False, has_bays=False, has_faces=True)
    view = _Seen(surface, low - foot, high - foot, up, height)
    above, below, flattest = view.depth(up, 1.0), view.depth(up, -1.0), int(np.argmin(sides))
    covered = above <= sides[up]
    thickness = np.maximum(sides[up] - above - below, 0.0)
    if sides[flattest] <= FLAT * longest:
        depth = above if flattest == up else view.depth(flattest, 1.0)
        volume = box * np.count_nonzero(depth <= sides[flattest]) / depth.size
    elif sides[up] < height and 2 * np.count_nonzero(thickness > FLAT * longest) > np.count_nonzero(covered):
        # What is lower than those who pass by is passed round, not under. A sheet has nothing to pass.
        filled = np.cumsum(np.where(covered, sides[up] - above, 0.0))[-1] / above.size
        volume = float(filled * sides[0] * sides[1] * sides[2] / sides[up])
    covers = {shape: shape_volume / max(volume, 1e-9 * box) for shape, shape_volume in volumes.items()}
    has_bays = bool(np.count_nonzero(_without_bays(covered)) > BAY * max(np.count_nonzero(covered), 1))
    closes = min(covers.values()) <= TOO_MUCH and view.has_way()
    return Fit(covers, closes, has_bays, has_faces=True)


def _round_volume(points: Vectors, sides: Scalars) -> float:
    """The volume of the round hull of points (m, 3), metres^3; of a pylon without its ends, which stick out."""
    start, end, radius = hull(points)
    along = int(np.argmax(np.abs(end - start)))
    long = float(np.abs(end - start)[along])
    return max(pi * radius * radius * (float(sides[along]) if long > 0.0 else 4.0 / 3.0 * radius), 1e-27)


def _volume(surface: Mesh) -> float:
    """The volume within a surface, as seen from its origin, metres^3."""
    a, b, c = surface.corners
    return abs(float(np.cumsum(dot(a, cross(b, c)))[-1]) / 6.0)


def _faces_out(surface: Mesh) -> bool:
    """Whether most of an open surface faces away from its middle: a room is seen from within."""
    a, b, c = surface.corners
    low, high = surface.bounds
    middle = 0.5 * (low + high)
    return bool(np.cumsum(dot(a - middle, cross(b - a, c - a)))[-1] > 0.0)


def _without_bays(covered: Mask) -> Mask:
    """The cells of a table within the outline of those in a mask, without bays: within all of SIDES lines round it."""
    x, y = np.meshgrid(*((np.arange(n) + 0.5) for n in covered.shape), indexing="ij")
    # Cells may be longer than wide; straight lines stay straight.
    cosine, sine = cosine_and_sine(np.arange(SIDES) * (2.0 * pi / SIDES))
    within = np.ones(covered.shape, dtype=np.bool_)
    for c, s in zip(cosine.tolist(), sine.tolist()):
        along = c * x / covered.shape[0] + s * y / covered.shape[1]
        within &= along <= along[covered].max(initial=-np.inf)
    return within


@dataclass(frozen=True)
class _Seen:
    """A surface as seen from the sides of its box. `low`, `high`: (3,) the corners of the box, metres; `up`: as of
    `fit`; `height`: as of `fit`."""

    surface: Mesh
    low: Vectors
    high: Vectors
    up: int
    height: float

    def depth(self, axis: int, sign: float) -> Scalars:
        """How far behind a side of the box the surface is, (p, q) metres for rays over the side. It is the whole depth
        of the box and more where a ray meets nothing."""
        sides = self.high - self.low
        others = [k for k in range(3) if k != axis]
        cell = self.height * WIDTH / 3.0
        lines = []
        # Off the middles of the cells, so that they meet no edge of a net of squares.
        for k, middle in zip(others, (0.47, 0.54)):
            limit = MOST_RAYS[1 if k == self.up or axis == self.up else 0]
            number = min(max(ceil(float(sides[k]) / cell), 24), limit)
            lines.append(self.low[k] + (np.arange(number) + middle) * (sides[k] / number))
        grid = np.meshgrid(*lines, indexing="ij")
        margin, size = 1e-3 * float(sides.max()), float(sides[axis])
        points, course = np.empty((grid[0].size, 3)), np.zeros((grid[0].size, 3))
        points[:, others[0]], points[:, others[1]] = grid[0].reshape(-1), grid[1].reshape(-1)
        points[:, axis] = (self.high if sign > 0.0 else self.low)[axis] + sign * margin
        course[:, axis] = -sign
        distance, _ = self.surface.hit(points, course, np.full(len(points), size + 2.0 * margin))
        depth = np.where(np.isfinite(distance), clamp(distance - margin, 0.0, size), size + self.height)
        return np.asarray(depth.reshape(grid[0].shape))

    def has_way(self) -> bool:
        """Whether those of a height could walk into the object, between parts of it on their left and right."""
        if float((self.high - self.low)[self.up]) < TALL * self.height:
            return False
        level = [axis for axis in range(3) if axis != self.up]
        return any(self._is_open(axis, sign) for axis in level for sign in (1.0, -1.0))

    def _is_open(self, axis: int, sign: float) -> bool:
        """Whether there is such a way from one side."""
        aside, width = 3 - axis - self.up, self.height * WIDTH
        sides = self.high - self.low
        if float(sides[aside]) < TALL * width:
            return False
        depth = self.depth(axis, sign)
        if aside > self.up:
            depth = depth.T
        # A row for each place along the side, a column for each height.
        left = np.minimum.accumulate(depth, axis=0)
        right = np.minimum.accumulate(depth[::-1], axis=0)[::-1]
        is_open = depth - np.maximum(left, right) > width
        wide = ceil(TALL * width / float(sides[aside]) * depth.shape[0])
        tall = ceil(TALL * self.height / float(sides[self.up]) * depth.shape[1])
        return _holds(is_open, max(wide, 1), max(tall, 1))


def _holds(is_open: Mask, wide: int, tall: int) -> bool:
    """Whether a table has a rectangle of so many rows and columns that are all in the mask."""
    rows, across = is_open.shape
    table = np.zeros((rows + 1, across + 1), dtype=np.int64)
    table[1:, 1:] = np.cumsum(np.cumsum(is_open, axis=0), axis=1)
    held = table[wide:, tall:] - table[:-wide, tall:] - table[wide:, :-tall] + table[:-wide, :-tall]
    return bool((held == wide * tall).any())
