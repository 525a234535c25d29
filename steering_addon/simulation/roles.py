"""What a tagged object is to the simulation: the one table of roles and their stored bits."""

from __future__ import annotations

from enum import IntFlag


class Role(IntFlag):
    """Roles an object may have, several at once. The numbers are stored in files and never change meaning."""

    VEHICLE = 1
    OBSTACLE = 2
    PATH = 4
    LEADER = 8
    CROWD = 16
    REGION = 64
    FLOW = 128
    RESOURCE = 256


DESCRIPTIONS = {
    Role.VEHICLE: ("Vehicle", "Moves by itself: steered by its crowd's behaviors and baked into keyframes"),
    Role.OBSTACLE: ("Obstacle", "Vehicles with Obstacle Avoidance go round it; it may move"),
    Role.PATH: ("Path", "A curve that vehicles with Path Following follow"),
    Role.LEADER: ("Leader", "Somebody to seek, to arrive at or to flee from; it moves by its own keyframes"),
    Role.REGION: ("Region", "A sphere, box or closed mesh that vehicles with Stay Inside keep to"),
    Role.FLOW: (
        "Flow",
        "A curve, painted mesh or wire of edges that draws a current: vehicles with Go with the Flow go its way",
    ),
    Role.RESOURCE: ("Resource", "Something that vehicles with Forage feed on, until it is eaten up"),
    Role.CROWD: ("Crowd", "Holds the settings that its vehicles share: vehicle, behaviors and how they combine"),
}
"""The shown name of each role and what it means to an animator."""
