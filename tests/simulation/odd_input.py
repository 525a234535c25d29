"""Odd input for tests: numbers and vectors as no animator would choose them."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

BOUNDED = settings(derandomize=True)
"""The same examples every time."""

HUGE = 1e60
"""Larger than anything in a scene, small enough for its square to be a number."""


def numbers(least: float = -HUGE, most: float = HUGE) -> st.SearchStrategy[float]:
    """Numbers of all sizes, among them nothing and next to nothing."""
    return st.floats(least, most, allow_nan=False)


def scalars(n: int, least: float = -HUGE, most: float = HUGE) -> st.SearchStrategy[np.ndarray]:
    """(n,) of them."""
    return arrays.arrays(np.float64, n, elements=numbers(least, most))


def vectors(n: int, largest: float = HUGE) -> st.SearchStrategy[np.ndarray]:
    """(n, 3) of them, often the same ones or along an axis."""
    return arrays.arrays(np.float64, (n, 3), elements=numbers(-largest, largest))
