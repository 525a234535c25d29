"""Flow field following (paper, Flow Field Following)."""

from dataclasses import dataclass

from ..simulation.arrays.scalars import Number
from ..simulation.arrays.vectors import magnitude, unit
from ..simulation.behavior import Behavior, Intent, Steering
from ..simulation.declaration import length, seconds, share
from ..simulation.geometry.flows import flow_at
from ..simulation.world import Agents, World

HALF = 0.5
"""Strength above which the flow sets the speed; below it the agent holds its cruise speed."""


@dataclass(frozen=True)
class FlowFieldFollowing(Behavior):
    """Go with the flow that curves, edges and painted meshes define.

    Samples the flow at the predicted position of the agent and steers to have its direction; the weaker the flow, the
    weaker the steering. It does not attract agents to the flows. Does nothing beyond the falloff distance of all flows,
    and where they cancel out.
    """

    name = "flow_field_following"
    label = "Go with the Flow"
    term = "flow field following"
    intent = Intent.GO

    falloff_distance: Number = length(5.0, "Distance from a flow beyond which it has no effect", 0.01, label="Falloff")
    speed: Number = share(0.8, "How fast to go in the flow, as a share of top speed")
    prediction_time: Number = seconds(
        0.3,
        "How far ahead it looks; set to the response time, it follows bends without drifting out",
        label="Looks Ahead",
    )

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        future = agents.predicted_position(self.prediction_time)
        flow = agents.level(flow_at(world.flows, future, self.falloff_distance))
        strength = magnitude(flow)
        desired_velocity = unit(flow) * (self.speed * agents.max_speed)[:, None]
        force = agents.steering_to(desired_velocity) * strength[:, None]
        return Steering(force, sets_speed=strength > HALF)
