"""Blender's vectors and matrices as arrays, the same in each version."""

from typing import Any

import numpy as np


def doubles(numbers: Any) -> np.ndarray:
    """The numbers of a vector or matrix, or of a list of them, in double precision and row by row.

    From 5.0 on numpy would take them over as Blender holds them: in single precision, and matrices column by column,
    which changes the order of its sums.
    """
    return np.array(numbers, dtype=np.float64, order="C")
