"""Shows vehicles that Blender draws no object of: points, and objects that rest while a crowd cache plays.

An object of our own with one mesh stands in for them, which is never rendered, saved or selected. The objects that show
them otherwise are shrunk to nothing where Blender has evaluated them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import bpy
import numpy as np
from bpy.types import ID, Collection, Object, Scene

from ...portrayal.sketch import Sketch
from ...simulation.arrays.identities import rows_among
from ..animation.rotation_channels import channels_from_matrices, product
from ..crowds.crowd_cache import player_of, shown_by
from ..crowds.shown_models import UNTURNED, point_mesh, set_column, show_models
from ..objects.crowd_caches import cache_of, cached_as
from ..objects.node_inputs import input_of
from ..properties import pointed_at
from ..read.evaluated_points import evaluated_points
from ..read.joined_vehicles import point_parts
from ..read.plan import Plan
from ..read.sources import CrowdSource

NAME = "Steering Preview"
MARK = "steering_preview"
"""The custom property of objects that only show a preview."""
Placed = tuple[np.ndarray, np.ndarray]
"""The positions (m, 3) of points, and the rotations (m, 4) of their models, as quaternions; both in the world."""


@dataclass(frozen=True)
class Stand:
    """Vehicles of a plan that stand for themselves nowhere: points of an object, or those of a crowd that are at rest.

    Attributes:
        rows: (m,) the vehicles.
        axes: (m, 3, 3) the side, forward and up axis of each model in its own space.
        scale, variant: (m, 3) and (m,) how many times as large as its model each is, and which of the models it has.
        models: these, in the order of their names; None for cones.
        size: the length of a cone, metres.
    """

    rows: np.ndarray
    axes: np.ndarray
    scale: np.ndarray
    variant: np.ndarray
    models: Collection | None
    size: float

    @property
    def looks(self) -> tuple:
        """The look of the vehicles, without their poses."""
        return self.variant.tobytes(), self.size, None if self.models is None else self.models.session_uid

    def placed(self, sketch: Sketch) -> Placed:
        """Where a sketch has them, and how their models turn."""
        bodies, rows = sketch.bodies, self.rows
        basis = np.stack((bodies.side[rows], bodies.forward[rows], bodies.up[rows]), axis=-1)
        turns = channels_from_matrices(product(basis, self.axes.swapaxes(-1, -2)), "QUATERNION")
        return bodies.position[rows].astype(np.float32), turns.astype(np.float32)

    def made(self, scene: Scene) -> list[Object]:
        """An object of our own with a point for each vehicle."""
        m = len(self.rows)
        mesh = point_mesh(NAME, np.zeros((m, 3)), np.tile(UNTURNED, (m, 1)), self.scale, self.variant)
        ob = bpy.data.objects.new(NAME, mesh)
        show_models(ob, self.models, self.size)
        add_to(scene, ob, mesh, ob.modifiers[0].node_group)
        return [ob]

    def put(self, made: Sequence[Object], placed: Placed, gone: np.ndarray) -> None:
        """Move the points, and shrink those of absent vehicles of the plan to nothing."""
        mesh = made[0].data
        set_column(mesh, "position", placed[0])
        set_column(mesh, "rotation", placed[1])
        set_column(mesh, "scale", np.where(gone[self.rows, None], 0.0, self.scale))
        mesh.update()


def stands_of(plan: Plan) -> tuple[Stand, ...]:
    """The vehicles of a plan that a preview has to show in place of an object."""
    points = [
        Stand(
            rows=rows,
            axes=source.axes,
            scale=np.tile(source.scale[:, None], 3),
            variant=source.variant,
            models=pointed_at(source.ob.steering, "models"),
            size=2.0 * source.crowd.steering.vehicle.radius,
        )
        for source, rows in point_parts(plan.vehicles.source)
    ]
    return (*points, *(stand for crowd in plan.crowds if (stand := _at_rest(plan, crowd)) is not None))


def _at_rest(plan: Plan, crowd: CrowdSource) -> Stand | None:
    """The vehicles of a crowd that are objects at rest, which look as in its player; None if there are none."""
    source, cache = plan.vehicles.source, cache_of(crowd.ob)
    rows = np.intersect1d(crowd.rows, source.object_rows) if cache is not None else np.zeros(0, dtype=np.int64)
    rows = np.array([row for row in rows.tolist() if cached_as(source.owner(row)) is not None], dtype=np.int64)
    shown = shown_by(cache) if len(rows) else None
    if shown is None:
        return None
    agents, modifier = evaluated_points(shown, None).columns, player_of(shown)
    at = rows_among(agents["id"], plan.vehicles.identity[rows])
    return Stand(
        rows=rows,
        axes=source.axes[rows],
        scale=agents["scale"][at],
        variant=(agents["variant"][at] * input_of(modifier, "Poses")).astype(np.int64),
        models=input_of(modifier, "Posed Models") or input_of(modifier, "Models"),
        size=2.0 * crowd.ob.steering.vehicle.radius,
    )


def add_to(scene: Scene, ob: Object, *used: ID) -> None:
    """Add an object of our own to a scene, with what only it uses."""
    for block in (ob, *used):
        block[MARK] = True
    ob.hide_render = ob.hide_select = True
    scene.collection.objects.link(ob)


class Shows(Protocol):
    """Vehicles of a plan that objects of our own show."""

    @property
    def looks(self) -> tuple:
        """The look of the vehicles, without their poses."""

    def made(self, scene: Scene) -> list[Object]:
        """The objects of our own."""


class StandIns:
    """The objects of our own that show vehicles; they stay while as many are shown with the same models. `made`: the
    objects, in the order of what they show."""

    def __init__(self) -> None:
        self._looks: list[tuple] = []
        self.made: list[list[Object]] = []

    def make(self, scene: Scene, shown: Sequence[Shows]) -> bool:
        """Make the objects that show vehicles; whether that takes other objects than before."""
        looks = [each.looks for each in shown]
        changed = looks != self._looks
        if changed:
            self.end(scene)
            self._looks, self.made = looks, [each.made(scene) for each in shown]
        return changed

    def end(self, scene: Scene) -> None:
        """Show them no more."""
        self._looks, self.made = [], []
        for ob in [each for each in scene.collection.objects if MARK in each]:
            used = [ob.data, *(modifier.node_group for modifier in ob.modifiers)]
            bpy.data.batch_remove([ob, *(each for each in used if each is not None and MARK in each)])


def covered(plan: Plan) -> list[Object]:
    """The objects that a preview of a plan covers: those with points, and those that play an earlier bake."""
    caches = [cache for crowd in plan.crowds if (cache := cache_of(crowd.ob)) is not None]
    points = (source.ob for source, _ in point_parts(plan.vehicles.source))
    return [*points, *dict.fromkeys(ob for cache in caches for ob in cache.objects)]
