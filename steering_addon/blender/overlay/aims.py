"""What the behaviors of vehicles steer by, as far as that can be told without a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...simulation.behavior import Behavior
from ...simulation.candidates import NEAREST_ONE
from ...simulation.declaration import NEAREST, Kind
from ...simulation.roles import Role
from ..properties import has_role, pointed_at
from ..property_groups import bone_of, choice_of
from ..read.reading import standing
from ..read.sources import BodySource, behaviors_of
from ..read.target_groups import PICK_NUMBERS, several_of
from ..refusal import Refusal
from ..tagged_objects import crowd_of, in_use

if TYPE_CHECKING:
    from bpy.types import Depsgraph, Object, PropertyGroup, Scene

MOST = 500
"""Among more objects than this the nearest is not looked for."""


@dataclass(frozen=True)
class Aim:
    """One or several objects, of which each of some vehicles steers by the nearest.

    Attributes:
        rows: (n,) the vehicles.
        bodies: where they may aim.
        own: (n, k) which of them are themselves.
    """

    rows: np.ndarray
    bodies: tuple[BodySource, ...]
    own: np.ndarray

    def among(self, rows: np.ndarray) -> Aim:
        """The aim of those of the vehicles that are in some rows, (m,) rising, by their place among these."""
        some = np.isin(self.rows, rows)
        return Aim(np.searchsorted(rows, self.rows[some]), self.bodies, self.own[some])

    def goals(self, place: np.ndarray, depsgraph: Depsgraph) -> np.ndarray:
        """Where each of the vehicles aims, (n, 3), by the places of all vehicles; its own place where there is none."""
        places = np.array([standing(body, depsgraph).translation for body in self.bodies])
        gap = places[None] - place[self.rows][:, None]
        distance = np.einsum("nka,nka->nk", gap, gap)
        distance[self.own] = np.inf
        nearest = np.argmin(distance, axis=1)
        alone = ~np.isfinite(distance[np.arange(len(self.rows)), nearest])
        return np.where(alone[:, None], place[self.rows], places[nearest])


def aims_of(vehicles: list[Object], scene: Scene, tagged: Mapping[Role, list[Object]]) -> list[Aim]:
    """What vehicles steer by; not where each has one of its own, or takes one after the other.

    Args:
        tagged: the objects of each role.
    """
    rows: dict[Object, list[int]] = {}
    for row, ob in enumerate(vehicles):
        if (crowd := crowd_of(ob)) is not None:
            rows.setdefault(crowd, []).append(row)
    aims = []
    for crowd, own in rows.items():
        members = [vehicles[row] for row in own]
        for bodies in _meant(crowd, scene, tagged):
            if 0 < len(bodies) <= MOST:
                themselves = np.array([[body.ob == ob for body in bodies] for ob in members])
                aims.append(Aim(np.array(own), bodies, themselves))
    return aims


def _meant(crowd: Object, scene: Scene, tagged: Mapping[Role, list[Object]]) -> Iterator[tuple[BodySource, ...]]:
    """The objects that each target of a crowd's behaviors may mean."""
    for behavior in behaviors_of(crowd):
        group = getattr(crowd.steering, behavior.name)
        if not group.use or group.weight == 0.0:
            continue
        for name, parameter in behavior.parameters().items():
            if parameter.kind is not Kind.BODY:
                continue
            target = pointed_at(group, name)
            if target is not None and not has_role(target, Role.CROWD):
                yield (BodySource(target, -1, _bone(group, name, target)),)
            elif PICK_NUMBERS[getattr(group, choice_of(name))] == NEAREST_ONE:
                nearest_of_role = tagged[parameter.role] if parameter.default == NEAREST else ()
                yield _several(crowd, behavior, name, scene) or tuple(BodySource(ob, -1) for ob in nearest_of_role)


def _several(crowd: Object, behavior: type[Behavior], name: str, scene: Scene) -> tuple[BodySource, ...]:
    """The objects of a collection, or the vehicles of a crowd, that a target stands for."""
    try:
        found = [some.objects for some in several_of(crowd, (behavior,), in_use(scene)) if some.parameter == name]
    except Refusal:
        # A bake says what is missing.
        return ()
    return tuple(BodySource(ob, -1) for objects in found for ob in objects)


def _bone(group: PropertyGroup, name: str, target: Object) -> str:
    bone = getattr(group, bone_of(name)) if target.type == "ARMATURE" else ""
    return bone if bone and target.pose and bone in target.pose.bones else ""
