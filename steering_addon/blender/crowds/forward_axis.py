"""Guesses the front of a model from its type, the names of its parts, and its shape."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ..read.body_sizes import UPRIGHT

if TYPE_CHECKING:
    from bpy.types import Object

    from ..hierarchy import Family
    from ..read.body_sizes import Body

AHEAD = {"head", "nose", "beak", "snout", "muzzle", "face", "eye", "eyes", "front", "bow", "cockpit"}
BEHIND = {"tail", "rear", "back", "stern", "rudder", "exhaust", "fluke"}
"""Words in names of parts that say at which end they are."""
CLEARLY = 1.5
"""Least ratio between the offsets of a part along two axes for the larger one to decide."""
LEAST = 0.1
"""Least offset of a part from the middle that decides between the two ends, as a share of the length."""
CELLS = 5
"""Number of cells on either side of the middle in which a shape is compared with its mirror image."""
LIKENESS = 0.1
"""Least difference in symmetry between two axes that decides, as a share of the shape."""
LONGER, TALL = 1.2, 0.9
"""Least ratio of length to width of a long shape; least ratio of height to arm span of a standing figure."""
END, POINTED = 0.1, 0.5
"""Length of an end as a share of the whole; an end smaller than this share of the other end is pointed."""


def front_of(ob: Object, family: Family, body: Body | None = None) -> tuple[str, str]:
    """The most likely forward and up axis of a model; up is always +Z.

    Characters face -Y. For other measured models, parts with names such as Nose or Tail decide, then the shape: the
    axis is that of the mirror symmetry or of the greater length, and a pointed end is the front. The default is +Y.

    Args:
        body: the measured model, if available.
    """
    character = ob.type == "ARMATURE" or any(child.type == "ARMATURE" for child in family.descendants(ob))
    if character or ob.find_armature() is not None:
        return "NEG_Y", "POS_Z"
    if body is None:
        return "POS_Y", "POS_Z"
    return _by_names(ob, family) or by_shape(body.points), "POS_Z"


def _by_names(ob: Object, family: Family) -> str | None:
    """The axis from parts named like a rear end to parts named like a front; None if the names do not decide."""
    parts = [(_words(child.name), _middle(child)) for child in family.children(ob)]
    if not parts:
        return None
    places = np.array([place for _, place in parts])
    ahead, behind = (np.array([bool(words & names) for words, _ in parts]) for names in (AHEAD, BEHIND))
    ahead, behind = ahead & ~behind, behind & ~ahead
    if not (ahead.any() or behind.any()):
        return None
    middle = np.zeros(3)
    way = (places[ahead].mean(axis=0) if ahead.any() else middle) - (
        places[behind].mean(axis=0) if behind.any() else middle
    )
    along = int(np.argmax(np.abs(way[:2])))
    length = np.ptp(np.concatenate((places, [middle])), axis=0)[:2].max()
    if abs(way[along]) < CLEARLY * abs(way[1 - along]) or abs(way[along]) <= LEAST * length:
        return None
    return _axis(along, way[along] > 0.0)


def _words(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)}


def _middle(child: Object) -> np.ndarray:
    """The middle of a part in the space of its parent. The origins of imported parts often coincide."""
    corners = np.array(child.bound_box)
    return np.array(child.matrix_local)[:3, :3] @ corners.mean(axis=0) + np.array(child.matrix_local)[:3, 3]


def by_shape(points: np.ndarray) -> str:
    """The most likely forward axis of points (m, 3), one of the horizontal axes."""
    return _by_shape(np.ascontiguousarray(points, dtype=np.float64).tobytes())


@lru_cache(maxsize=16)
def _by_shape(stored: bytes) -> str:
    """As `by_shape`, from the bytes of the points: a crowd has few models, and many members ask for them."""
    points = np.frombuffer(stored).reshape(-1, 3)
    size = np.ptp(points, axis=0)
    if size[:2].min() <= 0.0 and size[:2].max() <= 0.0:
        return _axis(1, ahead=True)
    along = 0 if size[0] > LONGER * size[1] else 1
    if size[2] > max(TALL * size[:2].max(), UPRIGHT * size[:2].min()):
        # A standing figure, perhaps with arms spread.
        along = 0 if size[1] > UPRIGHT * size[0] else 1
    unlike_in_x, unlike_in_y = (_unlike(points, size, axis) for axis in range(2))
    if abs(unlike_in_x - unlike_in_y) > LIKENESS:
        along = 0 if unlike_in_x > unlike_in_y else 1
    return _axis(along, ahead=not _points_back(points, size, along))


def _unlike(points: np.ndarray, size: np.ndarray, axis: int) -> float:
    """The share of a shape that its mirror image across an axis does not cover."""
    middle = points.min(axis=0) + size / 2.0
    cells = np.rint((points - middle) * (2.0 * CELLS / np.maximum(size, 1e-9))).astype(np.int64) + CELLS
    filled = np.zeros((2 * CELLS + 1,) * 3, dtype=bool)
    filled[cells[:, 0], cells[:, 1], cells[:, 2]] = True
    return float((filled & ~np.flip(filled, axis)).sum() / filled.sum())


def _points_back(points: np.ndarray, size: np.ndarray, along: int) -> bool:
    """Whether the low end of an axis is pointed and the high end is not."""
    place = (points[:, along] - points[:, along].min()) / size[along]
    low, high = (np.ptp(points[end], axis=0) for end in (place <= END, place >= 1.0 - END))
    others = [axis for axis in range(3) if axis != along]
    return bool(low[others].sum() < POINTED * high[others].sum())


def _axis(along: int, ahead: bool) -> str:
    return f"{'POS' if ahead else 'NEG'}_{'XY'[along]}"
