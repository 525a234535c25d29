"""Reasons why a place has no room for all members, and remedies."""

from collections.abc import Sequence

import numpy as np

from ....simulation.arrays.vectors import magnitude
from ...moving import CLINGING
from ...objects.body_sizes import SOLID
from ...read.ground import MemberGround
from ..improbable import ANYTHING, scaling
from .models import Source

FAR = 1.0
"""Least distance of an origin from its mesh, in diagonals of the box around that, that makes it the reason."""


def tell_remedy(ground: MemberGround, sources: Sequence[Source]) -> str:
    """A remedy that makes room for more members, and the reason if it is a special one; without final stop. `sources`:
    the models."""
    for source in sources:
        if text := _far_origin(source):
            return text
        if (size := float(source.body.extent().max())) > ANYTHING.size:
            return f"{source.model.parts[0].name} is {size:.0f} m large. {scaling(size)}, or make the place larger"
    if not ground.is_in_part:
        return "Make it larger"
    return (
        "Members start where it faces up and is not too steep for them. "
        f"Make it larger, or set the Locomotion of the crowd to {CLINGING}, which holds on to any side"
    )


def _far_origin(source: Source) -> str:
    """How far the origin of a model is from its mesh, and the remedy; empty if it is near or in it."""
    points = np.einsum("ab,kb->ka", source.body.matrix, source.body.points)
    low, high = points.min(axis=0), points.max(axis=0)
    outside = np.maximum(np.maximum(low, -high), 0.0)
    gap, size = magnitude(np.stack((outside, high - low))).tolist()
    if gap <= FAR * size:
        return ""
    root = source.model.parts[0]
    where = f"The origin of {root.name} is {gap:.2g} m away from its mesh"
    if root.type in SOLID:
        return f"{where}: Object > Set Origin moves it there"
    return f"{where}: move its parts to it"
