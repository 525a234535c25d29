"""Shows points where a preview has them: each object with points lends its place to one of our own, with one mesh.

Ours is never rendered, saved or selected. The object itself is shrunk to nothing where Blender has evaluated it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ...portrayal.sketch import Sketch
from ..animation.rotation_channels import channels_from_matrices, product
from ..crowds.shown_models import STAND, point_mesh, set_column, show_models
from ..properties import pointed_at
from ..read.joined_vehicles import point_parts

if TYPE_CHECKING:
    from bpy.types import Object, Scene

    from ..read.plan import Plan
    from ..read.point_vehicles import PointVehicles

NAME = "Steering Preview"
MARK = "steering_preview"
"""The custom property of objects that only show a preview."""
Placed = tuple[np.ndarray, np.ndarray]
"""The positions (m, 3) of points, and the rotations (m, 4) of their models, as quaternions; both in the world."""


def placed_points(plan: Plan, sketch: Sketch) -> tuple[Placed, ...]:
    """Where a sketch has the points of each object of a plan, and how its models turn."""
    bodies, placed = sketch.bodies, []
    for source, rows in point_parts(plan.vehicles.source):
        basis = np.stack((bodies.side[rows], bodies.forward[rows], bodies.up[rows]), axis=-1)
        turns = channels_from_matrices(product(basis, source.axes.swapaxes(-1, -2)), "QUATERNION")
        placed.append((bodies.position[rows].astype(np.float32), turns.astype(np.float32)))
    return tuple(placed)


class PointDisplays:
    """The objects of our own that show points; they stay while a plan has as many points with the same models."""

    def __init__(self) -> None:
        self._of: dict[int, tuple[tuple, Object]] = {}

    def show(self, plan: Plan, placed: Sequence[Placed], gone: np.ndarray) -> None:
        """Show the points of a plan, given where they are and which vehicles are absent."""
        parts = point_parts(plan.vehicles.source)
        kept = {source.ob.session_uid: _looks(source) for source, _ in parts}
        if {uid: looks for uid, (looks, _) in self._of.items()} != kept:
            self.end(plan.scene)
            self._of = {source.ob.session_uid: (_looks(source), _display(source, plan.scene)) for source, _ in parts}
        for (source, rows), (_, ob), (position, rotation) in zip(parts, self._of.values(), placed):
            set_column(ob.data, "position", position)
            set_column(ob.data, "rotation", rotation)
            set_column(ob.data, "scale", np.where(gone[rows], 0.0, source.scale))
            ob.data.update()

    def end(self, scene: Scene) -> None:
        """Show them no more."""
        self._of = {}
        for ob in [each for each in scene.collection.objects if MARK in each]:
            trees = [modifier.node_group for modifier in ob.modifiers]
            bpy.data.batch_remove([ob, ob.data, *(tree for tree in trees if tree is not None)])


def owners(plan: Plan) -> list[Object]:
    """The objects of a plan that have points."""
    return [source.ob for source, _ in point_parts(plan.vehicles.source)]


def _looks(source: PointVehicles) -> tuple:
    """What the models of points look like, but for where they are."""
    models = pointed_at(source.ob.steering, "models")
    size = source.crowd.steering.vehicle.radius
    return source.variant.tobytes(), size, None if models is None else models.session_uid


def _display(source: PointVehicles, scene: Scene) -> Object:
    """An object of our own that shows the models of points."""
    n = len(source)
    mesh = point_mesh(NAME, np.zeros((n, 3)), np.tile(STAND, (n, 1)), source.scale, source.variant)
    ob = bpy.data.objects.new(NAME, mesh)
    ob[MARK] = True
    ob.hide_render = ob.hide_select = True
    radius = source.crowd.steering.vehicle.radius
    show_models(ob, pointed_at(source.ob.steering, "models"), 2.0 * radius)
    scene.collection.objects.link(ob)
    return ob
