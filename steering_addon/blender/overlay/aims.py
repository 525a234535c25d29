"""The targets of the behaviors of vehicles, where they can be determined without a simulation."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Depsgraph, Object, Scene

from ...simulation.behavior import Behavior
from ...simulation.candidates import NEAREST_ONE
from ...simulation.declaration import NEAREST, Kind
from ...simulation.roles import Role
from ..objects.doubles import doubles
from ..objects.hierarchy import Family
from ..objects.tagged_objects import crowd_of, in_use
from ..properties import has_role, pointed_at
from ..property_groups import bone_of
from ..read.bodies import size_and_middle
from ..read.sources import BodySource, behaviors_of, world_matrix_of
from ..read.target_groups import pick_of, several_of
from ..refusal import Refusal

MOST = 500
"""The nearest object is not searched for among more candidates than this."""


@dataclass(frozen=True)
class Aim:
    """Candidates for a target. Each of the vehicles aims at the nearest one.

    Attributes:
        rows: (n,) the rows of the vehicles.
        bodies: k candidates.
        middles: (k, 3) where each is in its own space.
        is_self: (n, k) whether the candidate is the vehicle itself.
    """

    rows: np.ndarray
    bodies: tuple[BodySource, ...]
    middles: np.ndarray
    is_self: np.ndarray

    def among(self, rows: np.ndarray) -> "Aim":
        """The aim of the vehicles in `rows`, (m,) ascending, renumbered to their index in `rows`."""
        mask = np.isin(self.rows, rows)
        return replace(self, rows=np.searchsorted(rows, self.rows[mask]), is_self=self.is_self[mask])

    def goals(self, positions: np.ndarray, depsgraph: Depsgraph) -> np.ndarray:
        """The target position of each vehicle, (n, 3); its own position if it has no target. `positions`: (m, 3) of all
        vehicles that are drawn."""
        matrices = doubles([world_matrix_of(body, depsgraph) for body in self.bodies])
        candidates = np.einsum("kab,kb->ka", matrices[:, :3, :3], self.middles) + matrices[:, :3, 3]
        offset = candidates[None] - positions[self.rows][:, None]
        distance_squared = np.einsum("nka,nka->nk", offset, offset)
        distance_squared[self.is_self] = np.inf
        nearest = np.argmin(distance_squared, axis=1)
        alone = ~np.isfinite(distance_squared[np.arange(len(self.rows)), nearest])
        return np.where(alone[:, None], positions[self.rows], candidates[nearest])


def aims_of(
    vehicles: list[Object], scene: Scene, tagged: Mapping[Role, list[Object]], depsgraph: Depsgraph
) -> list[Aim]:
    """The aims of vehicles, without targets that are chosen at random or in order; `tagged`: the objects of each
    role."""
    rows_of: dict[Object, list[int]] = {}
    for row, ob in enumerate(vehicles):
        if (crowd := crowd_of(ob)) is not None:
            rows_of.setdefault(crowd, []).append(row)
    aims, family = [], Family()
    for crowd, rows in rows_of.items():
        members = [vehicles[row] for row in rows]
        for bodies in _candidates(crowd, scene, tagged):
            if 0 < len(bodies) <= MOST:
                is_self = np.array([[body.ob == ob for body in bodies] for ob in members])
                middles = np.array([_middle(body.ob, depsgraph, family) for body in bodies])
                aims.append(Aim(np.array(rows), bodies, middles, is_self))
    return aims


def _middle(ob: Object, depsgraph: Depsgraph, family: Family) -> np.ndarray:
    """Where a target is in its own space, (3,); a vehicle at its origin."""
    if not has_role(ob, Role.VEHICLE):
        # The bake tells of points that are nowhere.
        with suppress(Refusal):
            return size_and_middle(ob, depsgraph, family)[2]
    return np.zeros(3)


def _candidates(crowd: Object, scene: Scene, tagged: Mapping[Role, list[Object]]) -> Iterator[tuple[BodySource, ...]]:
    """The candidates for each target of a crowd's behaviors."""
    for behavior in behaviors_of(crowd):
        group = getattr(crowd.steering, behavior.name)
        if not group.use or group.weight == 0.0:
            continue
        for name, parameter in behavior.parameters().items():
            if parameter.kind is not Kind.BODY:
                continue
            target = pointed_at(group, name)
            if target is not None and not has_role(target, Role.CROWD):
                bone = getattr(group, bone_of(name)) if target.type == "ARMATURE" else ""
                yield (BodySource(target, -1, bone if bone and target.pose and bone in target.pose.bones else ""),)
            elif pick_of(group, name, parameter) == NEAREST_ONE:
                of_role = tagged[parameter.role] if parameter.default == NEAREST else ()
                yield _group_members(crowd, behavior, name, scene) or tuple(BodySource(ob, -1) for ob in of_role)


def _group_members(crowd: Object, behavior: type[Behavior], name: str, scene: Scene) -> tuple[BodySource, ...]:
    """The candidates for a target that is set to a collection or crowd."""
    try:
        groups = [group for group in several_of(crowd, (behavior,), scene, in_use(scene)) if group.parameter == name]
    except Refusal:
        # The bake reports what is missing.
        return ()
    return tuple(BodySource(ob, -1) for group in groups for ob in group.objects)
