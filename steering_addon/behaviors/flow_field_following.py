"""Flow field following (paper, Flow Field Following)."""

from __future__ import annotations

from dataclasses import dataclass

from ..simulation.arrays.vectors import Number, magnitude, unit
from ..simulation.behavior import Behavior, Intent, Steering
from ..simulation.declaration import called, length, seconds, share
from ..simulation.geometry.flows import flow_at
from ..simulation.world import Agents, World

HALF = 0.5
"""Strength from which on the flow says how fast to go; below, the agent is held at its own cruise speed."""


@dataclass(frozen=True)
class FlowFieldFollowing(Behavior):
    """Go with the flow that curves, edges and painted meshes draw, each agent where it is.

    Samples the flow where the agent will be and steers to have its direction, less the weaker the flow is. It does not
    draw anybody to them. Does nothing beyond the falloff distance of all of them, nor where they cancel out.
    """

    name = "flow_field_following"
    label = "Go with the Flow"
    term = "flow field following"
    intent = Intent.GO

    falloff_distance: Number = called(
        "Falloff", length(5.0, "Distance from a flow from which on it has no effect", 0.01)
    )
    speed: Number = share(0.8, "How fast to go in the flow, as a share of top speed")
    prediction_time: Number = called(
        "Looks Ahead", seconds(0.3, "How far ahead it looks; as long as the response time it keeps to bends")
    )

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        future = agents.predicted_position(self.prediction_time)
        flow = agents.level(flow_at(world.flows, future, self.falloff_distance))
        strength = magnitude(flow)
        desired_velocity = unit(flow) * (self.speed * agents.max_speed)[:, None]
        force = agents.steering_to(desired_velocity) * strength[:, None]
        return Steering(force, sets_speed=strength > HALF)
