"""Which side of a model is its front: guessed from what it is, what its parts are called, and its shape."""

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
"""Words in the names of parts that say where they are."""
CLEARLY = 1.5
"""How many times as far along one axis as along the other a part has to be to tell which is meant."""
LEAST = 0.1
"""Share of the length that a part has to be off the middle to tell which end is meant."""
CELLS = 5
"""Cells to either side of the middle in which a shape is compared with its mirror image."""
LIKENESS = 0.1
"""By so much more of a shape its image has to fit across one axis than across the other."""
LONGER, TALL = 1.2, 0.9
"""So many times as long as wide is long; so many times as tall as its arms are wide somebody may be."""
END, POINTED = 0.1, 0.5
"""Share of the length that is an end, and the share of the other end's size from which on it is a point."""


def front_of(ob: Object, family: Family, body: Body | None = None) -> tuple[str, str]:
    """The forward and up axis a model most likely has; all stand along Z.

    Characters face -Y. Of anything else that is measured, parts with names like Nose or Tail tell, then the shape: what
    is alike on its left and right, or longer than wide, goes that way, and a point goes ahead. Else it is +Y.

    Args:
        body: the model, where it may be measured.
    """
    character = ob.type == "ARMATURE" or any(child.type == "ARMATURE" for child in family.descendants(ob))
    if character or ob.find_armature() is not None:
        return "NEG_Y", "POS_Z"
    if body is None:
        return "POS_Y", "POS_Z"
    return _by_names(ob, family) or by_shape(body.points), "POS_Z"


def _by_names(ob: Object, family: Family) -> str | None:
    """The axis from the parts that are called like a rear end to those called like a front."""
    parts = [(_words(child.name), _place(child)) for child in family.children(ob)]
    if not parts:
        return None
    places = np.array([place for _, place in parts])
    ahead, behind = (np.array([bool(words & told) for words, _ in parts]) for told in (AHEAD, BEHIND))
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


def _place(child: Object) -> np.ndarray:
    """The middle of a part in its parent's space: imported ones often have their origins all in one place."""
    corners = np.array(child.bound_box)
    return np.array(child.matrix_local)[:3, :3] @ corners.mean(axis=0) + np.array(child.matrix_local)[:3, 3]


def by_shape(points: np.ndarray) -> str:
    """The horizontal axis along which points (m, 3) most likely go."""
    return _by_shape(np.ascontiguousarray(points, dtype=np.float64).tobytes())


@lru_cache(maxsize=16)
def _by_shape(stored: bytes) -> str:
    """The same for the bytes of the points: the models of a crowd are few, and asked about again and again."""
    points = np.frombuffer(stored).reshape(-1, 3)
    size = np.ptp(points, axis=0)
    if size[:2].min() <= 0.0 and size[:2].max() <= 0.0:
        return _axis(1, ahead=True)
    along = 0 if size[0] > LONGER * size[1] else 1
    if size[2] > max(TALL * size[:2].max(), UPRIGHT * size[:2].min()):
        # Somebody who stands there, maybe with arms spread.
        along = 0 if size[1] > UPRIGHT * size[0] else 1
    unlike_in_x, unlike_in_y = (_unlike(points, size, axis) for axis in range(2))
    if abs(unlike_in_x - unlike_in_y) > LIKENESS:
        along = 0 if unlike_in_x > unlike_in_y else 1
    return _axis(along, ahead=not _points_back(points, size, along))


def _unlike(points: np.ndarray, size: np.ndarray, axis: int) -> float:
    """Which share of a shape is not where its mirror image across an axis is."""
    middle = points.min(axis=0) + size / 2.0
    cells = np.rint((points - middle) * (2.0 * CELLS / np.maximum(size, 1e-9))).astype(np.int64) + CELLS
    filled = np.zeros((2 * CELLS + 1,) * 3, dtype=bool)
    filled[cells[:, 0], cells[:, 1], cells[:, 2]] = True
    return float((filled & ~np.flip(filled, axis)).sum() / filled.sum())


def _points_back(points: np.ndarray, size: np.ndarray, along: int) -> bool:
    """Whether the low end of an axis is a point and the high one is not."""
    place = (points[:, along] - points[:, along].min()) / size[along]
    low, high = (np.ptp(points[some], axis=0) for some in (place <= END, place >= 1.0 - END))
    others = [axis for axis in range(3) if axis != along]
    return bool(low[others].sum() < POINTED * high[others].sum())


def _axis(along: int, ahead: bool) -> str:
    return f"{'POS' if ahead else 'NEG'}_{'XY'[along]}"
