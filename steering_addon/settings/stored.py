"""The groups of settings that files store: `GROUPS` has the declared parameters of each, by the name of the group.

`blender/properties` makes them into `Object.steering` and `Scene.steering`. Names and numbers are the public interface
of scripts, presets and keyframes: they never change meaning.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..behaviors import CATALOGUE as BEHAVIORS
from ..locomotion import CATALOGUE as LOCOMOTIONS
from ..locomotion import SimpleVehicle
from ..minds.declaring import StateModel, TriggerModel
from ..portrayal.clips import ClipSettings
from ..portrayal.driver_properties import Portrayal
from ..simulation.behavior import Behavior
from ..simulation.combining import COMBININGS
from ..simulation.declaration import REACH, Kind, Parameter, Stored, Unit
from ..simulation.geometry.obstacles import PASS_SIDES
from ..simulation.geometry.regions import SHAPES
from ..simulation.geometry.shapes import OBSTACLE_SHAPES, OBSTACLE_SIDES
from ..simulation.links import LinkModel
from ..simulation.marks.declaring import MarkModel
from ..simulation.presence.attendance import FURTHEST, Attendance
from ..simulation.roles import Role
from ..simulation.vehicle import VehicleModel
from . import storing as field
from .population import Population
from .stored_choices import AS_CROWD, AXES, DEFAULT_OVERLAY, KEYS, MODELS, MOVES, OUTPUTS, OVERLAY, OWN_MOVES, ROLES
from .stored_clips import CrowdClips, PlayedClip

PALETTE = (
    *((0.95, 0.35, 0.3), (0.4, 0.8, 0.45), (0.4, 0.6, 1.0), (0.85, 0.5, 0.95)),
    *((0.35, 0.85, 0.9), (1.0, 0.55, 0.75), (0.75, 0.9, 0.35), (0.65, 0.55, 0.45)),
)
"""The colors that states get one after another."""
MOST_PREROLL = 10000
"""The largest pre-roll of a crowd, in frames."""
MOST_SUBSTEPS = 100
"""The largest number of simulation steps per frame."""

_applied = partial(field.number, 1.0)


@dataclass(frozen=True)
class StartChannels(Stored):
    """The location and rotation channels with which a vehicle starts, restored when its bake is deleted."""

    restarts = False

    stored: bool = field.switch(False)
    location: Any = field.vector((0.0,) * 3, unit=Unit.LENGTH)
    rotation_mode: str = field.text()
    rotation: Any = field.vector((0.0,) * 4, "Channels of the rotation mode: three angles or four numbers")


@dataclass(frozen=True)
class VariationFactors(Stored):
    """The factors by which Vary changed a vehicle, stored so that they can be taken back."""

    restarts = False

    speed: float = _applied("Factor of the speed applied by Vary")
    size: float = _applied("Factor of the size applied by Vary")
    mass: float = _applied("Factor of the mass applied by Vary")
    start_speed: float = _applied("Factor of the start speed applied by Vary")
    scale: float = _applied("Factor of the object's scale applied by Vary")


@dataclass(frozen=True)
class Membership(Stored):
    """The member of its crowd that Populate made this object into, stored so that it stays the same one."""

    restarts = False

    number: int = field.count("Index among the members, from 1; the parts of a model have the number of their vehicle")
    scale: float = _applied("Factor of the size applied by Populate")
    room: float = field.number(0.0, "Radius of the free space that Populate left around it", unit=Unit.LENGTH)
    placed: Any = field.group("start")


@dataclass(frozen=True)
class ModelChoice(Stored):
    """A model to make members from, or a collection of models."""

    restarts = False

    kind: int = field.choice("OBJECT", "What to make members from", MODELS)
    object: Any = field.pointer("Model to copy; the model itself is not changed")
    collection: Any = field.collection("Collection of models to copy, all equally often")
    weight: float = field.positive(1.0, "How often this model is used, relative to the others", soft=(0.0, 10.0))


@dataclass(frozen=True)
class PopulationSources(Stored):
    """The models that Populate makes members from, and the place where it puts them."""

    restarts = False

    sources: Any = field.groups("source", "Models to make the members from", label="Models")
    place: Any = field.pointer("Mesh, region or curve to place the members on or in")
    laid_out: str = field.text("Settings from which the positions of the members were computed")


@dataclass(frozen=True)
class StateLinks(Stored):
    """The links from a state to others of its crowd, and the marks that tell it from them."""

    then: Any = field.pointer(
        "State that follows when this one is over; empty: the crowd's own settings", roles=(Role.STATE,)
    )
    eases: Any = field.pointer(
        "State for which this one eases the need, as eating does for hunger", roles=(Role.STATE,)
    )
    number: int = field.count(
        "Number given once to this state: a bake keys it as steering_state on vehicles that are in it", restarts=False
    )
    color: Any = field.color(
        PALETTE[0],
        "Color in which the overlay shows the fronts of vehicles in this state, in a preview or a bake",
        restarts=False,
    )
    own_combining: bool = field.switch(
        False, "Combine behaviors in another way than the crowd while in this state", label="Own"
    )


@dataclass(frozen=True)
class TriggerLinks(Stored):
    """The states that a trigger leads between, and its callers."""

    number: int = field.count(
        "Number given once to this trigger: chance depends on it, whatever the trigger is called", restarts=False
    )
    to: Any = field.pointer("State that vehicles are called into", label="Calls Into", roles=(Role.STATE,))
    from_state: Any = field.pointer(
        "Only vehicles in this state hear it; empty: all of the crowd", label="From", roles=(Role.STATE,)
    )
    who: Any = field.pointer(
        "What calls when it is near, seen or touched: an object, the vehicles of a crowd, or those in a state. For "
        "Inside and Outside, a region. Empty: the trigger itself"
    )
    who_collection: Any = field.collection("All objects of this collection call, if no object is set above")


@dataclass(frozen=True)
class MarkLinks(Stored):
    """The vehicles that meet a mark, and the places where they do."""

    who: Any = field.pointer(
        "The vehicle that meets it, or the crowd whose middle does, or each of its vehicles at a place of a shape",
        roles=(Role.VEHICLE, Role.CROWD),
    )
    shape: Any = field.pointer(
        "Mesh or text of which each vehicle of the crowd meets a place of its own, where the shape is"
    )
    marker: str = field.text("Timeline marker at whose frame they meet it; empty: the frame below")


@dataclass(frozen=True)
class LinkEnds(Stored):
    """The other end of a link, and what rigs play on it."""

    to: Any = field.pointer("Object where the link ends, if it starts at an Empty; may move", label="Other End")
    carrier: Any = field.pointer(
        "Object that carries vehicles from one end to the other, such as an Empty on the floor of a lift. They get on "
        "where it stands still, within a step of an end, and off at the other",
        label="Carried By",
    )
    clip: Any = field.action(
        "Action that rigs play on it, and only on links, if it is among the clips of their crowd; empty: they walk"
    )
    cycle: float = field.positive(
        0.0,
        "Distance over which the clip is played through, such as two rungs of a ladder; 0 for once over the whole link",
        unit=Unit.LENGTH,
        soft=(0.0, 10.0),
    )


@dataclass(frozen=True)
class ObjectSettings(Stored):
    """The roles of an object and the settings that come with each; on a crowd, those that its vehicles share."""

    roles: int = field.flags(frozenset(), "Roles of the object in the steering simulation", ROLES)
    active: bool = field.switch(
        True, "Take part in the simulation; can be keyframed", label="Takes Part", animatable=True
    )
    crowd: Any = field.pointer(
        "Crowd whose settings this vehicle shares, or whose state or trigger this is", roles=(Role.CROWD,)
    )
    identity: int = field.count("Number assigned once to this vehicle, from which its random numbers are derived")
    locked: bool = field.switch(
        False, "Keep this vehicle's motion: a bake does not change it, but other vehicles react to it"
    )
    forward_axis: int = field.choice(
        "POS_Y",
        "Axis of the model that points to its front, as the arrow in the viewport shows. When tagged it is -Y, as for "
        "characters and Blender's own models, unless the object's Tracking Axis, its motion, its shape or the names "
        "of its parts say otherwise. Flip Front turns it round",
        AXES,
        label="Forward",
    )
    up_axis: int = field.choice("POS_Z", "Axis of the model that points to its top", AXES, label="Up")
    speed_factor: float = field.factor("Top speed of this vehicle, as a multiple of its crowd's", label="Speed")
    size_factor: float = field.factor("Radius of this vehicle, as a multiple of its crowd's", label="Size")
    length_factor: float = field.factor(
        "Length of this vehicle's body relative to its radius, as a multiple of its crowd's", least=0.0, label="Length"
    )
    mass_factor: float = field.factor("Mass of this vehicle, as a multiple of its crowd's", label="Mass")
    origin_height: float = field.number(
        0.0,
        "Height of its origin above the lowest point of the model at rest, before scaling, measured when it is "
        "tagged; the origin is held so high above a surface",
        unit=Unit.LENGTH,
    )
    height: float = field.positive(
        0.0,
        "Height of the model at rest, before scaling, measured when it is tagged; its stride follows it",
        unit=Unit.LENGTH,
    )
    measured_scale: float = field.positive(
        0.0, "Scale of the object for which its size is right; 0 if it was not measured", restarts=False
    )
    models: Any = field.collection(
        "Models that the points show, in the order of their names: the attribute variant of a point is the number of "
        "its own, from 0"
    )
    seed: int = field.whole(0, "Seed of this vehicle's random numbers")
    start_speed: float = field.share(
        0.7, "Forward speed with which it starts or enters, as a fraction of its top speed"
    )
    use_enter_frame: bool = field.switch(
        False,
        "Let this vehicle enter the simulation on a frame of its own, whatever its crowd's setting",
        label="Enter on Frame",
    )
    enter_frame: int = field.whole(
        1,
        "Frame on which this vehicle enters; a frame before the first one means from the start",
        least=-FURTHEST,
        most=FURTHEST,
    )
    by_hand: float = field.share(
        0.0,
        "How far this vehicle follows its guide instead of its behaviors: 1 on the guide, 0 not at all; can be "
        "keyframed",
        animatable=True,
    )
    guide: Any = field.pointer(
        "Object that leads this vehicle by hand; what keeps to the ground follows it along the ground"
    )
    guide_bone: str = field.text(
        "Bone of the guide that leads this vehicle, if the guide is an armature; empty: the armature", label="Bone"
    )
    amount: float = field.positive(
        10.0,
        "Amount of this resource, until vehicles have eaten it; can be keyframed",
        most=REACH,
        soft=(0.0, 100.0),
        animatable=True,
    )
    states: Any = field.collection(
        "Collection with the states and triggers of this crowd: they come along wherever it is appended",
        restarts=False,
        hidden=True,
    )
    unasked: str = field.text(
        "Behaviors of the crowd that came with a preset while the scene had no target for them",
        restarts=False,
        hidden=True,
    )
    hide_eaten: bool = field.switch(
        True,
        "Hide the resource and its parts once nothing is left of it, in a preview and in a bake",
        label="Hide When Eaten",
    )
    pass_side: int = field.choice(
        "EITHER", "Side on which vehicles pass this obstacle", PASS_SIDES, label="Pass", animatable=True
    )
    obstacle_shape: int = field.choice(
        "ROUND",
        "Shape of this obstacle as vehicles see it; tagging takes the one that fits",
        OBSTACLE_SHAPES,
        label="Shape",
    )
    obstacle_side: int = field.choice(
        "OUTSIDE", "Side of this obstacle's surface on which vehicles stay", OBSTACLE_SIDES, label="Side"
    )
    flow_attribute: str = field.text(
        "Mesh attribute that defines the flow: a vector, a color (red is X, green is Y, blue is Z, gray is still) or "
        "a mark on the edges to flow along. If empty, the active color attribute is used, or the loose edges if there "
        "is none"
    )
    green: bool = field.switch(
        True, "Let the vehicles of its lane go on; can be keyframed, and holds them while it is off", animatable=True
    )
    signal_path: Any = field.pointer(
        "Curve whose lanes this signal holds, those on its side; empty: the nearest", label="Path", roles=(Role.PATH,)
    )
    region_shape: int = field.choice(
        "SPHERE", "Shape of this region; tagging takes the one that fits", SHAPES, label="Shape"
    )
    locomotion: int = field.choice(
        SimpleVehicle.choice().name, "How the bodies of the crowd turn steering into motion", MOVES
    )
    own_locomotion: int = field.choice(
        AS_CROWD.name,
        "How the body of this vehicle alone turns steering into motion, with settings of its own; presets leave both "
        "as they are",
        OWN_MOVES,
        label="Moves As",
    )
    combining: int = field.choice(
        "PRIORITY",
        "How the forces of the crowd's behaviors are combined into one steering force",
        COMBININGS,
        label="Combine",
        animatable=True,
    )
    output: int = field.choice("KEYFRAMES", "Where a bake writes the motion of this crowd", OUTPUTS)
    preroll: int = field.count(
        "Number of frames that the crowd moves before the first one, so that it has already spread out "
        "when it is first seen; its vehicles are then not where they were placed. What moves in the scene is carried "
        "on backwards, and crowds with a shorter pre-roll wait at their start",
        most=MOST_PREROLL,
        label="Pre-Roll",
    )


@dataclass(frozen=True)
class SceneSettings(Stored):
    """The settings of a scene's simulation and overlay."""

    crowd: Any = field.pointer(
        "Crowd that newly tagged vehicles join", label="Default Crowd", roles=(Role.CROWD,), restarts=False
    )
    use_frame_range: bool = field.switch(
        False, "Bake the frames below instead of the scene's frame range", label="Own Frame Range"
    )
    frame_start: int = field.whole(
        1, "First frame of the bake; it may be negative, unlike that of the scene", label="Start"
    )
    frame_end: int = field.whole(250, "Last frame of the bake", label="End")
    substeps: int = field.whole(
        1,
        "Number of simulation steps per frame; use more for fast vehicles and small obstacles. Frames longer than "
        "1/20 s take more automatically",
        least=1,
        most=MOST_SUBSTEPS,
        soft=(1, 10),
    )
    decision_time: float = field.number(
        0.08,
        "Time from one decision of a vehicle to its next one. Between them it goes on towards the velocity that it "
        "decided on, and its body moves in every step. A shorter time costs more; with 0 all decide in every step",
        unit=Unit.TIME,
        least=0.0,
        most=1.0,
    )
    seed: int = field.whole(0, "Seed of the random numbers")
    replace_own_keys: bool = field.switch(
        False, "Set aside keyframes, drivers and NLA strips of the vehicles; deleting the bake restores them"
    )
    keying: int = field.choice(
        "WHERE_NEEDED",
        "On which frames a bake writes keys for places and rotations",
        KEYS,
        label="Keys",
        restarts=False,
    )
    key_tolerance: float = field.number(
        0.001,
        "Most that a place may be off the motion, on frames and halfway between them",
        unit=Unit.LENGTH,
        least=1e-6,
        most=REACH,
        soft=(1e-4, 0.1),
        label="Tolerance",
        restarts=False,
    )
    key_angle: float = field.number(
        0.0017453292519943296,
        "Most that a rotation may be off the motion, on frames and halfway between them",
        unit=Unit.ANGLE,
        least=1e-5,
        most=1.0,
        label="Angle",
        restarts=False,
    )
    show_overlay: bool = field.switch(
        True, "Show steering information in the viewport", label="Steering", restarts=False
    )
    overlay: int = field.flags(
        DEFAULT_OVERLAY, "What the steering overlay shows", OVERLAY, label="Show", restarts=False
    )
    trail_length: int = field.whole(
        24, "Number of frames before and after the current one that trails show", least=1, most=1000, restarts=False
    )


@dataclass(frozen=True)
class StoredGroup:
    """A group of stored settings. `description`: what it is; `parameters`: by name, in the order in which they are
    declared."""

    description: str
    parameters: Mapping[str, Parameter]


def _group(*declarations: type[Stored], switches: Mapping[str, Parameter] | None = None) -> StoredGroup:
    """The group that has the switches, then the parameters of each declaration; the last one says what it is."""
    parameters = dict(switches or {})
    for declaration in declarations:
        parameters |= declaration.parameters()
    return StoredGroup((declarations[-1].__doc__ or "").strip().split("\n\n")[0], parameters)


def _own(verb: str) -> dict[str, Parameter]:
    """The switch by which a state has settings of its own; a crowd does not use it."""
    text = f"{verb} differently while in this state; begins with the values of the crowd"
    return {"own": Parameter(Kind.SWITCH, False, text, animatable=False)}


def _use(behavior: type[Behavior]) -> dict[str, Parameter]:
    return {"use": Parameter(Kind.SWITCH, False, behavior.tooltip(), label=behavior.label)}


_OF_OBJECTS = {
    "start": _group(StartChannels),
    "variation": _group(VariationFactors),
    "member": _group(Membership),
    "populate": _group(PopulationSources, Population),
    "vehicle": _group(VehicleModel, switches=_own("Move")),
    "attendance": _group(Attendance),
    "portrayal": _group(CrowdClips, Portrayal),
    "state": _group(StateLinks, StateModel),
    "trigger": _group(TriggerLinks, TriggerModel),
    "mark": _group(MarkLinks, MarkModel),
    "link": _group(LinkEnds, LinkModel),
    **{kind.name: _group(kind, switches=_own("Turn")) for kind in LOCOMOTIONS},
    **{kind.name: _group(kind, switches=_use(kind) | _own("Behave")) for kind in BEHAVIORS},
}
_OBJECT = _group(ObjectSettings)
_HELD = {name: Parameter(Kind.GROUP, None, "", group=name) for name in _OF_OBJECTS}
GROUPS = {
    "source": _group(ModelChoice),
    "clip": _group(PlayedClip),
    "playing": _group(ClipSettings),
    **_OF_OBJECTS,
    "object": StoredGroup(_OBJECT.description, {**_OBJECT.parameters, **_HELD}),
    "scene": _group(SceneSettings),
}
"""Each group by its name, after those that it holds."""
