"""What each behavior asks of the selected vehicles: one look of the simulation at the present frame."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ...simulation.arrays.vectors import truncate
from ...simulation.presence.admission import attending
from ...simulation.run import world_at
from ...simulation.snapshot import Snapshot, State, starting
from ...simulation.steering import decisions, requests
from ..crowds.entry_settings import frames_there
from ..read.curves import sketched
from ..read.local_space import to_world
from ..read.plan import Plan, plan_reading
from ..read.reading import Reader
from ..refusal import Refusal
from ..tagged_objects import full_name

if TYPE_CHECKING:
    from bpy.types import Depsgraph, Object, Scene

    from .tracks import Tracks

MOST_VEHICLES = 500
"""In larger scenes nothing is asked: it would take longer than one likes to wait after each change."""
MOST_SHOWN = 50


@dataclass(frozen=True)
class Request:
    """What is asked of one vehicle.

    Attributes:
        place: (3,) where it is.
        radius: metres.
        strongest: the most force it has, newtons.
        by_behavior: (3,) newtons by the behavior's name.
        together: (3,) what comes of it, newtons.
    """

    place: np.ndarray
    radius: float
    strongest: float
    by_behavior: dict[str, np.ndarray]
    together: np.ndarray


def asked_of(vehicles: list[Object], scene: Scene, depsgraph: Depsgraph, tracks: Tracks) -> list[Request]:
    """What is asked of vehicles now; memories are as at the start, and things stand still.

    Raises:
        Refusal: a bake would be refused, or the scene is too large.
    """
    plan = plan_reading(scene)
    if len(plan) > MOST_VEHICLES:
        raise Refusal(f"Steering is drawn for up to {MOST_VEHICLES} vehicles.")
    snapshot = Reader(plan, sketched).read(depsgraph, scene.frame_current).snapshot
    state = _present(plan, snapshot, scene, depsgraph, tracks)
    snapshot = attending(snapshot, state.outside)
    world = world_at(state, snapshot, snapshot, 0.0)
    asked = requests(state, snapshot, world)
    together = truncate(decisions(state, snapshot, world)[0], snapshot.vehicle.max_force)
    names = {full_name(ob) for ob in vehicles[:MOST_SHOWN]}
    return [
        Request(
            place=state.motion.position[row],
            radius=float(snapshot.vehicle.radius[row]),
            strongest=float(snapshot.vehicle.max_force[row]),
            by_behavior={name: force[row] for name, force in asked.items()},
            together=together[row],
        )
        for row, vehicle in enumerate(plan.vehicles)
        if full_name(vehicle.ob) in names and snapshot.present[row]
    ]


def _present(plan: Plan, snapshot: Snapshot, scene: Scene, depsgraph: Depsgraph, tracks: Tracks) -> State:
    """The vehicles as they stand in the scene now, as fast as they are known to be."""
    n, frame = len(plan), scene.frame_current
    matrices = np.array([vehicle.ob.evaluated_get(depsgraph).matrix_world for vehicle in plan.vehicles])
    position, basis = np.zeros((n, 3)), np.zeros((n, 3, 3))
    for rows in plan.alike().values():
        # The matrices hold the scale already.
        axes = plan.vehicles[rows[0]].axes
        position[rows], basis[rows] = to_world(matrices[rows], np.zeros(3), np.eye(3), axes, np.ones(3))
    speed = np.array([vehicle.ob.steering.start_speed for vehicle in plan.vehicles]) * snapshot.vehicle.max_speed
    velocity = basis[:, :, 1] * speed[:, None]
    for row, vehicle in enumerate(plan.vehicles):
        known = tracks.velocity(vehicle.ob, depsgraph, frame, plan.frame_time)
        if known is not None:
            velocity[row] = known
    spans = np.array([frames_there(vehicle.ob) for vehicle in plan.vehicles]).reshape(-1, 2)
    away = (frame < spans[:, 0]) | (frame > spans[:, 1])
    standing = starting(position, basis[:, :, 1], basis[:, :, 2], velocity, time=frame * plan.frame_time)
    return replace(standing, outside=away if snapshot.due is None else away | ~snapshot.due)
