"""The region that a new crowd is given to stay in: that in which it is, or one of its own."""

from collections.abc import Sequence

import bpy
import numpy as np
from bpy.types import Depsgraph, Object
from mathutils import Vector

from ...simulation.arrays.vectors import magnitude
from ...simulation.roles import Role
from ..moving import locomotion_of
from ..objects.doubles import doubles
from ..objects.hierarchy import Family
from ..read.reading import RegionReader
from ..read.role_assignment import give_role
from ..refusal import Refusal

ROOM_IN_TIME = 5.0
"""Least radius of the region around a new crowd, in seconds at cruise speed: room for a flock to turn."""
ROOM_IN_SIZE = 3.0
"""Least radius of that region, in radii of the crowd at the start."""
LEAST_INSIDE = 0.8
"""Least share of the width of a ground that its region has, for bodies that are long against the ground."""
LARGEST = 1000.0
"""Largest size in which Blender draws an Empty at a scale of 1."""
LEAST_SCALE = 1e-6
"""Smallest scale of a ground that lengths are divided by."""
WIDER = 1.01
"""Factor up to which a region over a ground is as wide as another."""
AHEAD_ON_GROUND, SHARE_OF_GROUND = 12.0, 0.45
"""How far ahead those who walk on a ground look for its border: seconds, and the most as a share of its width.

A stroller turns so slowly that it would go along the border once it has come near. Of 50 people on a ground of 24 m, 8
are within 1 m of the border by chance. After 30 s they were 22 with the 3 s of the preset, and 2 with these.
"""
FIRMNESS_ON_GROUND = 3.0
"""Factor of the weight with which they turn back there."""


def region_around(places: np.ndarray, margin: float, regions: Sequence[Object], depsgraph: Depsgraph) -> Object | None:
    """The smallest of some regions in which all places are, (n, 3) metres, or not further outside than a margin."""
    around: list[tuple[float, str, Object]] = []
    for ob in regions:
        try:
            region = RegionReader([ob]).read(depsgraph, depsgraph.scene.frame_current)
        except Refusal:
            # A mesh with holes has no inside.
            continue
        ways = region.way_in(places, np.zeros(len(places), dtype=np.int64))
        if region.present[0] and (magnitude(ways) <= margin).all():
            around.append((float(region.half[0].prod()), ob.name, ob))
    return min(around)[-1] if around else None


def new_region(crowd: Object, places: np.ndarray, ground: Object | None) -> Object:
    """A region for a crowd that starts at places, (n, 3) metres: a sphere about them, or a box over their ground.

    Walkers on a ground within a larger sphere would go along the border of the ground all the time.
    """
    low, high = places.min(axis=0), places.max(axis=0)
    model = crowd.steering.vehicle
    start = 0.5 * float((high - low).max()) + model.radius
    reach = max(ROOM_IN_SIZE * start, ROOM_IN_TIME * model.max_speed * model.cruise_speed)
    region = bpy.data.objects.new(f"{crowd.name} Region", None)
    if ground is None:
        region.empty_display_type, region.empty_display_size = "SPHERE", min(reach, LARGEST)
        region.location = Vector((low + high) / 2.0)
        region.scale *= reach / region.empty_display_size
    else:
        region.empty_display_type, region.empty_display_size = "CUBE", 1.0
        region.steering.region_shape = "BOX"
        region.parent = ground
        region.location, region.scale = map(Vector, _half_over(ground, reach, _extent(crowd)))
    crowd.users_collection[0].objects.link(region)
    give_role(region, Role.REGION, Family())
    return region


def keep_in_room(crowd: Object, behavior: str, ground: Object | None) -> None:
    """Set how a behavior of a new crowd keeps it in the region that it was given without asking for one."""
    settings = getattr(crowd.steering, behavior)
    # It must not hold back vehicles that a path or a target leads elsewhere.
    settings.release = True
    if ground is None:
        return
    model, width = crowd.steering.vehicle, sorted(ground.dimensions)[1]
    speed = max(model.max_speed * model.cruise_speed, LEAST_SCALE)
    seconds = min(AHEAD_ON_GROUND, SHARE_OF_GROUND * width / speed)
    settings.prediction_time = max(seconds, settings.prediction_time)
    settings.weight *= FIRMNESS_ON_GROUND
    moves = locomotion_of(crowd)
    for name, choice in moves.without_road.items():
        setattr(getattr(crowd.steering, moves.name), name, choice)


def is_over(region: Object, ground: Object, crowd: Object) -> bool:
    """Whether a region is a box over a ground, no wider than the one that a crowd would be given."""
    return region.parent == ground and bool(
        (doubles(region.scale) <= WIDER * _half_over(ground, np.inf, _extent(crowd))[1]).all()
    )


def _extent(crowd: Object) -> float:
    """How far it is from the middle of a body to its end, metres."""
    return float(max(crowd.steering.vehicle.radius, 0.5 * crowd.steering.vehicle.length))


def _half_over(ground: Object, height: float, extent: float) -> tuple[np.ndarray, np.ndarray]:
    """The middle and the half sides of the box over a ground in its own axes, (3,) each.

    Args:
        height: how far it reaches up and down, metres.
        extent: from the middle of a body to its end, which stays over the ground, too; metres.
    """
    corners = doubles(ground.bound_box)
    low, high = corners.min(axis=0), corners.max(axis=0)
    half = (high - low) / 2.0
    matrix = doubles(ground.matrix_world)[:3, :3]
    # An imported ground may have another axis than Z upward.
    upward = int(np.abs(matrix[2]).argmax())
    scale = np.maximum(np.sqrt(np.einsum("ij,ij->j", matrix, matrix)), LEAST_SCALE)
    half_sides = np.maximum(half - extent / scale, LEAST_INSIDE * half)
    half_sides[upward] = max(half[upward], height / scale[upward])
    return (low + high) / 2.0, half_sides
