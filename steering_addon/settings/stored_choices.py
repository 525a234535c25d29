"""The choices of stored settings; their names and numbers are in files, and never change meaning."""

from ..locomotion import CATALOGUE as LOCOMOTIONS
from ..portrayal.clips import BEAT, BY_CHANCE, DO, IN_ANSWER, MOVE, ON_ARRIVAL, ON_STATE, STAND, TO_PARTNER
from ..simulation.declaration import Choice
from ..simulation.roles import DESCRIPTIONS

ROLES = tuple(Choice(role.name or "", int(role), *texts) for role, texts in DESCRIPTIONS.items())
"""The roles as choices, with their stored bits."""
AXES = tuple(
    Choice(name, number, label, "")
    for number, (name, label) in enumerate(
        (("POS_X", "X"), ("POS_Y", "Y"), ("POS_Z", "Z"), ("NEG_X", "-X"), ("NEG_Y", "-Y"), ("NEG_Z", "-Z"))
    )
)
"""The axes of a model that may be its front or its top."""
AS_CROWD = Choice("AS_CROWD", -1, "As Its Crowd", "Move as the settings of its crowd say")
"""The choice of a vehicle without a locomotion of its own."""
MOVES = tuple(kind.choice() for kind in LOCOMOTIONS)
"""The locomotions as choices of a crowd."""
OWN_MOVES = (AS_CROWD, *MOVES)
"""The choices of a vehicle."""
MODELS = (
    Choice("OBJECT", 0, "Object", "An object with all its children", "OBJECT_DATA"),
    Choice("COLLECTION", 1, "Collection", "The objects of a collection, all equally often", "OUTLINER_COLLECTION"),
)
PLAYS = (
    Choice("STAND", STAND, "Stands", "Played while the vehicle stands", "PAUSE"),
    Choice("MOVE", MOVE, "Moves", "Played while the vehicle moves, by the distance that it goes", "PLAY"),
    Choice(
        *("DO", DO, "Does"),
        "Played once by a vehicle that stands: from time to time, or when something happens",
        "ACTION",
    ),
    Choice(
        *("BEAT", BEAT, "Beats"),
        "Wings, tails and fins: faster and wider the more effort it takes, and not in a glide, when the model is as at "
        "rest. Wings, Wheels and Legs says how",
        "FORCE_TURBULENCE",
    ),
)
"""When a clip is played."""
KEYFRAMES, CACHE = 0, 1
OUTPUTS = (
    Choice("KEYFRAMES", KEYFRAMES, "Keyframes", "Keys on each vehicle, to be edited one by one", "KEYFRAME_HLT"),
    Choice(
        *("CACHE", CACHE, "Crowd Cache"),
        "All frames in one mesh, which a player shows as instances: for thousands, plays a hundred times as fast. "
        "Feet are not held. The vehicles rest in a collection that is excluded until the bake is deleted",
        "POINTCLOUD_DATA",
    ),
)
"""Where a bake writes the motion of a crowd."""
OCCASIONS = (
    Choice("CHANCE", BY_CHANCE, "By Chance", "Now and then"),
    Choice(
        *("ARRIVAL", ON_ARRIVAL, "On Arrival"),
        "Once where a behavior such as Dock or Go To and Stop has led the vehicle",
    ),
    Choice(
        *("STATE", ON_STATE, "On Taking Up State"), "Once as the vehicle takes up the state of the clip, or any state"
    ),
    Choice(
        *("PARTNER", TO_PARTNER, "To Its Partner"), "Now and then to the partner before which it stands, as in a fight"
    ),
    Choice(
        *("ANSWER", IN_ANSWER, "In Answer to It"),
        "As its partner begins a clip to it: the first of these to its first, the second to its second",
    ),
)
"""When a clip is played that does something once."""
KEYS = (
    Choice(
        *("EVERY_FRAME", 0, "Every Frame"),
        "A key on each frame, between which motion is straight: easy to edit frame by frame",
    ),
    Choice(
        *("WHERE_NEEDED", 1, "Where Needed"),
        "As few keys as keep to the motion within the tolerance, with curves between them: small files, and easy to "
        "edit as a whole",
    ),
)
"""On which frames a bake writes keys."""
OVERLAY = (
    Choice(
        *("FRONT", 1, "Front and Size"), "Front of the selected vehicles, as an arrow, and their radius, as a circle"
    ),
    Choice("VELOCITY", 2, "Velocity", "Where the selected vehicles will be in one second at their current velocity"),
    Choice("TARGETS", 4, "Targets", "Lines from the selected vehicles to the targets of their behaviors"),
    Choice("TRAILS", 8, "Trails", "Past and future positions of the selected vehicles"),
    Choice(
        "PATHS", 16, "Paths, Flows and Links", "Paths, flows and links with their direction, and the radius of paths"
    ),
    Choice("OBSTACLES", 32, "Obstacles", "Obstacles in the shape that vehicles avoid"),
    Choice("REGIONS", 64, "Regions", "Boundaries of the regions that vehicles stay inside"),
    Choice(
        *("FORCES", 128, "Forces"),
        "Forces that the behaviors request from the selected vehicles, and the combined force",
    ),
    Choice(
        *("SURFACES", 256, "Surfaces"),
        "Borders of the surfaces that vehicles stand on, and marks where they are too steep for the selected vehicles",
    ),
    Choice(
        *("WAYS", 512, "Ways"), "Where the selected vehicles can walk, what they cannot reach, and what ends their ways"
    ),
)
"""The items that the overlay can draw, with their stored bits."""
DEFAULT_OVERLAY = frozenset({"FRONT", "TARGETS", "PATHS", "OBSTACLES", "REGIONS", "SURFACES"})
"""The items that are drawn until the user changes them."""
