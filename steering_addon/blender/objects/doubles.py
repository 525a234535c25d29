"""Vectors, matrices and columns of Blender's as numpy arrays in double precision, and the axes of models."""

import functools
from typing import Any

import numpy as np
from bpy.types import Object
from mathutils import Matrix, Vector

from ..refusal import sound_front


def doubles(numbers: Any) -> np.ndarray:
    """The numbers of a vector or matrix, or of a list of them, in double precision and row by row.

    From 5.0 on numpy would take them over as Blender holds them: in single precision, and matrices column by column,
    which changes the order of its sums.
    """
    numbers = [_plain(each) for each in numbers] if isinstance(numbers, list) else _plain(numbers)
    return np.array(numbers, dtype=np.float64, order="C")


def _plain(numbers: Any) -> Any:
    """The numbers of a vector or matrix as Python's, which numpy takes over in a quarter of the time."""
    if isinstance(numbers, Matrix):
        return [row[:] for row in numbers]
    return numbers[:] if isinstance(numbers, Vector) else numbers


def column_from(items: Any, name: str, width: int = 1, kind: Any = np.float32) -> np.ndarray:
    """A property of all items of one of Blender's collections, (n,) or (n, width), read in bulk."""
    column = np.empty(len(items) * width, kind)
    items.foreach_get(name, column)
    return column if width == 1 else column.reshape(-1, width)


def placed(points: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """Points (k, 3) placed by a matrix (4, 4)."""
    return np.einsum("ab,kb->ka", matrix[:3, :3], points) + matrix[:3, 3]


@functools.cache
def model_axes(forward_axis: str, up_axis: str) -> np.ndarray:
    """The side, forward and up axis of a model in its own space, as the columns of a rotation (3, 3).

    The simulation has side +X, forward +Y, up +Z; a character that faces -Y gives `model_axes("NEG_Y", "POS_Z")`.
    Raises ValueError if the two axes are the same or opposite.
    """
    if forward_axis[-1] == up_axis[-1]:
        raise ValueError(f"A model that faces {forward_axis} cannot have {up_axis} up: choose another axis.")
    forward, up = _direction(forward_axis), _direction(up_axis)
    axes = np.column_stack((np.cross(forward, up), forward, up))
    axes.flags.writeable = False
    return axes


def axes_of_model(ob: Object) -> np.ndarray:
    """As `model_axes`, by the settings of a tagged object. Refused if this version does not know one of its axes."""
    return model_axes(*sound_front(ob))


def _direction(axis: str) -> np.ndarray:
    return np.eye(3)["XYZ".index(axis[-1])] * (-1.0 if axis.startswith("NEG") else 1.0)
