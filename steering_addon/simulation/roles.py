"""The roles that tagging gives an object, and their stored bits."""

from enum import IntFlag


class Role(IntFlag):
    """The roles of an object, which may have several. The numbers are stored in files and never change meaning."""

    VEHICLE = 1
    OBSTACLE = 2
    PATH = 4
    LEADER = 8
    CROWD = 16
    REGION = 64
    FLOW = 128
    RESOURCE = 256
    SURFACE = 512
    STATE = 1024
    TRIGGER = 2048
    MARK = 4096
    LINK = 8192
    POINTS = 16384
    SIGNAL = 32768


DESCRIPTIONS = {
    Role.VEHICLE: ("Vehicle", "Steered by the behaviors of its crowd and baked into keyframes"),
    Role.POINTS: (
        "Vehicle Points",
        "Each point of this mesh, as its modifiers leave it, is a vehicle of its crowd: thousands need one object",
    ),
    Role.OBSTACLE: ("Obstacle", "Vehicles with Obstacle Avoidance go round it, in the shape that fits it; it may move"),
    Role.PATH: ("Path", "A curve that vehicles with Path Following follow"),
    Role.LEADER: ("Leader", "Something to seek, arrive at or flee from, which moves by its own keyframes"),
    Role.REGION: ("Region", "A sphere, box or closed mesh that vehicles with Stay Inside keep to"),
    Role.FLOW: ("Flow", "A curve, painted mesh or wire of edges that vehicles with Go with the Flow are carried along"),
    Role.RESOURCE: ("Resource", "Something that vehicles with Forage feed on until it is used up"),
    Role.SURFACE: ("Surface", "Ground that vehicles with On Foot stand and walk on; it may move and deform"),
    Role.LINK: (
        "Link",
        "A curve or an Empty that joins two places of the ground, such as a ladder or a jump; vehicles with "
        "On Foot take it where it is the quickest way",
    ),
    Role.SIGNAL: (
        "Signal",
        "An Empty that holds vehicles with Give Way on the lane beside which it stands, until it is green",
    ),
    Role.STATE: ("State", "Holds what vehicles of its crowd do differently while they are in this state"),
    Role.TRIGGER: ("Trigger", "Calls vehicles of a crowd into one of its states"),
    Role.MARK: ("Mark", "A place where a vehicle, the middle of a crowd or each of its vehicles is to be at a time"),
    Role.CROWD: ("Crowd", "Holds the settings that its vehicles share: vehicle, behaviors and how they combine"),
}
"""The label and the tooltip of each role."""
OF_MEMBERS = (Role.VEHICLE, Role.POINTS)
"""Roles of the members of a crowd: of one, and of any number."""
OF_BODIES = (Role.VEHICLE, Role.LEADER, Role.OBSTACLE, Role.RESOURCE)
"""Roles of things with a body: of a model in parts, the whole has them. The others are of places."""
MADE = (Role.CROWD, Role.STATE, Role.TRIGGER, Role.MARK)
"""Roles of Empties that operators make; other objects are not tagged with them."""
