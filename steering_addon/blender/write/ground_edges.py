"""The grounds that crowds were populated on, and which vehicles leave them during a run.

Only for vehicles that keep to the ground: a bird may fly wherever it likes.
"""

import bpy
import numpy as np
from bpy.types import Object
from mathutils import Vector
from mathutils.bvhtree import BVHTree

from ...recording.mishaps import GROUND, Mishaps
from ...simulation.locomotion import Locomotion
from ...simulation.snapshot import State
from ..moving import locomotion_of
from ..objects.tagged_objects import full_name, in_use
from ..properties import pointed_at
from ..read.ground import triangles_of
from ..read.plan import Plan
from ..refusal import Refusal

UP, DOWN = Vector((0.0, 0.0, 1.0)), Vector((0.0, 0.0, -1.0))
MOST_RAYS = 500
"""Vehicles looked at on each frame, on average, so that a bake takes no longer."""


class GroundEdges:
    """Watches the vehicles of a plan that start on the ground of their crowd."""

    def __init__(self, plan: Plan) -> None:
        present = {full_name(ob) for ob in in_use(plan.scene)}
        self._grounds: list[tuple[np.ndarray, BVHTree]] = []
        for crowd in plan.crowds:
            place = _ground_of(crowd.ob)
            if place is None or full_name(place) not in present:
                continue
            kinds, usual = plan.vehicles.source.own_locomotions, locomotion_of(crowd.ob)
            # What stands on surfaces says so in its outputs.
            rows = [row for row in crowd.rows.tolist() if _keeps_to_the_ground(kinds.get(row, usual))]
            tree = _tree(place) if rows else None
            if tree is not None:
                self._grounds.append((np.array(rows), tree))
        watched = sum(len(rows) for rows, _ in self._grounds)
        self._every = max(1, -(-watched // MOST_RAYS))
        self._last = len(plan.frames) - 1
        self._on: np.ndarray | None = None

    def look(self, frame: int, state: State, mishaps: Mishaps) -> None:
        """Note the vehicles that are on their ground no longer; frames come in order."""
        if not self._grounds or (frame % self._every and frame != self._last):
            return
        on = np.ones(len(state), dtype=np.bool_)
        position, present = state.motion.position, state.inputs.present
        for rows, tree in self._grounds:
            on[rows] = [_is_above(tree, Vector(point)) for point in position[rows].tolist()]
        if self._on is None:
            # One placed elsewhere by hand has no ground to leave.
            self._on = on
        mishaps.note(GROUND, frame, self._on & ~on & present)


def _ground_of(crowd: Object) -> Object | None:
    """The surface that a crowd was populated on. Writes nothing."""
    settings = crowd.steering
    if not settings.is_property_set("populate"):
        return None
    on_surface = settings.populate.arrangement == "SURFACE"
    return pointed_at(settings.populate, "place") if on_surface else None


def _keeps_to_the_ground(moves: type[Locomotion]) -> bool:
    return moves.grounded and not moves.stands


def _tree(place: Object) -> BVHTree | None:
    try:
        triangles = triangles_of(place, bpy.context.evaluated_depsgraph_get())
    except Refusal:
        return None
    corners = np.arange(3 * len(triangles)).reshape(-1, 3)
    return BVHTree.FromPolygons(triangles.reshape(-1, 3).tolist(), corners.tolist(), all_triangles=True)


def _is_above(tree: BVHTree, point: Vector) -> bool:
    """Whether the mesh is straight below or above a point."""
    return tree.ray_cast(point, DOWN)[0] is not None or tree.ray_cast(point, UP)[0] is not None
