"""The forces that the behaviors request from vehicles on the current frame, computed by a single simulation step."""

from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Depsgraph, Object, Scene

from ...simulation.arrays.vectors import truncate
from ...simulation.presence.admission import only_present
from ...simulation.sensing import world_at
from ...simulation.snapshot import Snapshot, State, start_state
from ...simulation.steering import decide, requests
from ..objects.tagged_objects import full_name
from ..read.curves import sketched
from ..read.entry_settings import frames_there
from ..read.plan import Plan, plan_reading
from ..read.reading import Reader
from ..refusal import Refusal
from .tracks import Tracks

MOST_VEHICLES = 500
"""Forces are not computed for more vehicles: the delay after each change would be too long."""
MOST_SHOWN = 50
"""Number of vehicles whose forces are drawn."""


@dataclass(frozen=True)
class Request:
    """The forces requested from a vehicle.

    Attributes:
        position: (3,) metres.
        radius: metres.
        max_force: newtons.
        by_behavior: (3,) newtons, by the behavior's name.
        combined: (3,) newtons, at most max_force.
    """

    position: np.ndarray
    radius: float
    max_force: float
    by_behavior: dict[str, np.ndarray]
    combined: np.ndarray


def requested_forces(vehicles: list[Object], scene: Scene, depsgraph: Depsgraph, tracks: Tracks) -> list[Request]:
    """The forces requested from vehicles on the current frame, with initial memories and bodies at rest. Refused if a
    bake would be refused, or the scene has too many vehicles."""
    plan = plan_reading(scene, adds_nothing=True)
    if len(plan) > MOST_VEHICLES:
        raise Refusal(f"Forces are shown for up to {MOST_VEHICLES} vehicles.")
    snapshot = Reader(plan, sketched).read(depsgraph, scene.frame_current).snapshot
    state = _present(plan, snapshot, scene, depsgraph, tracks)
    snapshot = only_present(snapshot, state.outside)
    world = world_at(state, snapshot, snapshot, 0.0)
    by_behavior = requests(state, snapshot, world)
    combined = truncate(decide(state, snapshot, world)[0], snapshot.vehicle.max_force)
    names, source = {full_name(ob) for ob in vehicles[:MOST_SHOWN]}, plan.vehicles.source
    return [
        Request(
            position=state.motion.position[row],
            radius=float(snapshot.vehicle.radius[row]),
            max_force=float(snapshot.vehicle.max_force[row]),
            by_behavior={name: force[row] for name, force in by_behavior.items()},
            combined=combined[row],
        )
        for row, ob in zip(source.object_rows.tolist(), source.objects)
        if full_name(ob) in names and snapshot.present[row]
    ]


def _present(plan: Plan, snapshot: Snapshot, scene: Scene, depsgraph: Depsgraph, tracks: Tracks) -> State:
    """The vehicles at their current transforms, with the velocity of their track or else their start speed."""
    source, frame = plan.vehicles.source, scene.frame_current
    poses = [source.pose(row, depsgraph) for row in range(len(plan))]
    position, basis = (np.array(each) for each in zip(*poses))
    velocity = basis[:, :, 1] * (plan.vehicles.start_speed * snapshot.vehicle.max_speed)[:, None]
    for row, ob in zip(source.object_rows.tolist(), source.objects):
        measured = tracks.velocity(ob, depsgraph, frame, plan.frame_time)
        if measured is not None:
            velocity[row] = measured
    spans, away = frames_there(source.objects), np.zeros(len(plan), dtype=np.bool_)
    away[source.object_rows] = (frame < spans[:, 0]) | (frame > spans[:, 1])
    standing = start_state(position, basis[:, :, 1], basis[:, :, 2], velocity, time=frame * plan.frame_time)
    return replace(standing, outside=away if snapshot.due is None else away | ~snapshot.due)
