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
        for row, ob in enumerate(plan.vehicles.source.objects)
        if full_name(ob) in names and snapshot.present[row]
    ]


def _present(plan: Plan, snapshot: Snapshot, scene: Scene, depsgraph: Depsgraph, tracks: Tracks) -> State:
    """The vehicles as they stand in the scene now, as fast as they are known to be."""
    source, frame = plan.vehicles.source, scene.frame_current
    poses = [source.pose(row, depsgraph) for row in range(len(plan))]
    position, basis = (np.array(each) for each in zip(*poses))
    velocity = basis[:, :, 1] * (plan.vehicles.start_speed * snapshot.vehicle.max_speed)[:, None]
    for row, ob in enumerate(source.objects):
        known = tracks.velocity(ob, depsgraph, frame, plan.frame_time)
        if known is not None:
            velocity[row] = known
    spans = np.array([frames_there(ob) for ob in source.objects]).reshape(-1, 2)
    away = (frame < spans[:, 0]) | (frame > spans[:, 1])
    standing = starting(position, basis[:, :, 1], basis[:, :, 2], velocity, time=frame * plan.frame_time)
    return replace(standing, outside=away if snapshot.due is None else away | ~snapshot.due)
