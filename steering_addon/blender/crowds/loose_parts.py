"""Parts of one model that are not parented to each other: tagged together, each would go its own way."""

from collections.abc import Sequence

import numpy as np
from bpy.types import Object

from ..objects.body_sizes import SOLID, box_corners
from ..objects.doubles import doubles

MOST = 1000
"""Objects that are compared with each other at most; a model of more parts is rare."""


def loose_parts(objects: Sequence[Object]) -> list[Object]:
    """The objects whose boxes reach into that of another with other data, as those of wheels into that of a car.

    Copies of one model that still stand in one place share their data.
    """
    solid = [ob for ob in objects if ob.type in SOLID]
    if not 1 < len(solid) <= MOST:
        return []
    corners = np.stack([box_corners(ob, doubles(ob.matrix_world)) for ob in solid])
    low, high = corners.min(axis=1), corners.max(axis=1)
    data: dict = {}
    made_of = np.array([data.setdefault(ob.data, len(data)) for ob in solid])
    reach = (low[:, None] < high[None]).all(axis=-1)
    touching = reach & reach.T & (made_of[:, None] != made_of[None])
    return [solid[row] for row in np.flatnonzero(touching.any(axis=1)).tolist()]
