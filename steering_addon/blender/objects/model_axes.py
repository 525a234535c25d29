"""The directions that models face, by the values of the Forward and Up properties of vehicles."""

import functools

import numpy as np
from bpy.types import Object

from ..stored_values import sound_front


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
