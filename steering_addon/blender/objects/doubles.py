"""Blender's vectors and matrices as arrays, the same in each version."""

from typing import Any

import numpy as np


def doubles(numbers: Any) -> np.ndarray:
    """The numbers of a vector or matrix, or of a list of them, in double precision and row by row.

    From 5.0 on numpy would take them over as Blender holds them: in single precision, and matrices column by column,
    which changes the order of its sums.
    """
    return np.array(numbers, dtype=np.float64, order="C")


def column_from(items: Any, name: str, width: int = 1, kind: Any = np.float32) -> np.ndarray:
    """A property of all items of one of Blender's collections, (n,) or (n, width), read in bulk."""
    column = np.empty(len(items) * width, kind)
    items.foreach_get(name, column)
    return column if width == 1 else column.reshape(-1, width)


def placed(points: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """Points (k, 3) placed by a matrix (4, 4)."""
    return np.einsum("ab,kb->ka", matrix[:3, :3], points) + matrix[:3, 3]
