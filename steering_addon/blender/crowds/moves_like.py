"""Move like a bird, fish, person, ...: the presets that give a new crowd its first settings, by size of its members.

A new crowd also gets a region to stay in: that in which it is, or one of its own.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from bpy.types import Context, Depsgraph, Object
from mathutils import Vector

from ...behaviors import CATALOGUE
from ...locomotion import LOCOMOTIONS
from ...settings.preset import Preset, scaled
from ...settings.preset_values import complete
from ...simulation.arrays.vectors import magnitude
from ...simulation.declaration import Choice, Kind
from ...simulation.roles import Role
from ...simulation.vehicle import VehicleModel
from ..moving import locomotion_of
from ..objects.body_sizes import Body
from ..objects.characters import is_character
from ..objects.doubles import doubles
from ..objects.hierarchy import Family
from ..objects.tagged_objects import by_role, crowd_of, in_use, members_in
from ..properties import pointed_at, uses
from ..property_groups import items_of
from ..read.forward_axis import front_of
from ..read.reading import RegionReader
from ..read.role_assignment import current_front, give_role
from ..read.start_pose import start_position
from ..refusal import Refusal, sound_front
from .behavior_adding import behaviors_in, point_at, pointers
from .member_variation import vary
from .preset_exchange import take_up
from .preset_files import CROWDS

KEEPING = "containment"
"""The behavior that keeps a crowd in the region that it is given."""


@dataclass(frozen=True)
class Likeness(Choice):
    """An entry of the menu Moves Like. `presets`: the names of its presets, for bodies of different sizes; `crowd`: the
    name of a crowd that moves like this."""

    presets: tuple[str, ...] = ()
    crowd: str = "Crowd"


LIKENESSES = (
    Likeness(
        *("ANYTHING", 0, "Anything"),
        "Strolls around at a constant height, apart from others",
        *("OBJECT_DATA", ("anything",)),
    ),
    Likeness(
        *("BIRD", 1, "Bird"),
        "Flies in a flock and leans into turns",
        *("FORCE_BOID", ("starling", "pigeon", "flock"), "Birds"),
    ),
    Likeness("FISH", 2, "Fish", "Swims in a school", "MOD_OCEAN", ("fish", "school"), "Fish"),
    Likeness("ANIMAL", 3, "Animal", "Ambles over the ground in a herd", "MOD_CLOTH", ("herd",), "Animals"),
    Likeness(
        *("PERSON", 4, "Person"),
        "Walks along a path if there is one, and around others",
        *("ARMATURE_DATA", ("pedestrian", "child"), "People"),
    ),
    Likeness("CAR", 5, "Car", "Drives along a path if there is one, and keeps its distance", "AUTO", ("car",), "Cars"),
    Likeness(
        *("INSECT", 7, "Insect"),
        "Crawls over surfaces, also up walls and along ceilings",
        *("SNAP_FACE", ("ant",), "Insects"),
    ),
    Likeness(
        *("UNCHANGED", 6, "No Preset"),
        "Join the crowd and take its settings as they are; a new crowd has no behaviors, so they go straight ahead",
        "COMMUNITY",
    ),
)
"""All entries. Their numbers never change meaning."""
ANYTHING, *_, UNCHANGED = LIKENESSES
ANIMAL, PERSON = (next(like for like in LIKENESSES if like.name == name) for name in ("ANIMAL", "PERSON"))
SLENDER, LEGGED = 1.5, 0.45
"""Least ratio of length to width, and of height to length, of an animal that stands on its legs."""
ITEMS = items_of(LIKENESSES)


def likeness(name: str) -> Likeness:
    """The likeness of a name."""
    return next(like for like in LIKENESSES if like.name == name)


def guess_likeness(ob: Object, depsgraph: Depsgraph, family: Family) -> Likeness:
    """The likeness of a rigged character, by its proportions; ANYTHING for other objects. Writes nothing. Refused if
    its mesh cannot be measured."""
    if not is_character(ob, family):
        return ANYTHING
    body = Body.of(ob, depsgraph, family)
    forward, up = sound_front(ob) if current_front(ob) else front_of(ob, family, body, flies=False)
    [side] = set("XYZ") - {forward[-1], up[-1]}
    length, width, height = (body.height(axis) for axis in (forward, side, up))
    if body.is_upright((forward, up)):
        return PERSON
    return ANIMAL if length > SLENDER * width and height > LEGGED * length else ANYTHING


def is_settled(crowd: Object) -> bool:
    """Whether a crowd already has behaviors, vehicle settings or members. Writes nothing. A linked crowd counts as
    settled."""
    settings = crowd.steering
    if crowd.library is not None or settings.is_property_set("combining"):
        return True
    if any(settings.is_property_set(behavior.name) for behavior in CATALOGUE):
        return True
    if settings.is_property_set("locomotion"):
        return True
    for name, declared in {"vehicle": VehicleModel, **LOCOMOTIONS}.items():
        group = getattr(settings, name) if settings.is_property_set(name) else None
        if group is not None and any(group.is_property_set(value) for value in complete(declared, {})):
            return True
    return any(crowd_of(ob) == crowd for scene in bpy.data.scenes for ob in members_in(in_use(scene)))


def fitting_preset(like: Likeness, length: float) -> Preset:
    """The preset of the likeness that is nearest in body length, scaled to that length. `length`: of the bodies in
    metres; 0 if unknown, which gives the first preset unscaled. Refused if a preset cannot be read."""
    presets = [CROWDS.find(name).load() for name in like.presets]
    if length <= 0.0:
        return presets[0]
    nearest = min(presets, key=lambda preset: abs(math.log(length / preset.body_length)))
    return scaled(nearest, length / nearest.body_length)


def flies(like: Likeness, crowd: Object | None) -> bool:
    """Whether vehicles that join a crowd will move up and down: by its settings, or those that the likeness gives it.
    Refused if a preset cannot be read."""
    if crowd is not None and (like is UNCHANGED or is_settled(crowd)):
        return not locomotion_of(crowd).grounded
    if like is UNCHANGED:
        return False
    return not CROWDS.find(like.presets[0]).load().moves.grounded


def bring_to_life(
    context: Context,
    crowd: Object,
    members: Sequence[Object],
    preset: Preset,
    *,
    ground: Object | None = None,
    room: Object | None = None,
    places: np.ndarray | None = None,
) -> list[str]:
    """Give a new crowd the settings of a preset, a region to stay in, and variation of its members.

    A single member is not varied, and sizes are not: objects of the user keep theirs, copies have got theirs. Returns
    warnings that name the objects that were left unchanged.

    Args:
        ground: what the members were put on, if anything.
        room: the region that they were put in, if any.
        places: (n, 3) where they start, in metres; by default the starts of the members.
    """
    take_up(preset, crowd, context.scene)
    if places is None:
        places = np.array([start_position(ob) for ob in members]).reshape(-1, 3)
    walks = ground is not None and preset.moves.grounded and not preset.moves.clings
    stood_on = ground if walks else None
    region, neighbors = (room, []) if room is not None else _room_for(context, crowd, places, preset, stood_on)
    if region is not None:
        point_at(crowd, preset, Kind.REGION, region)
    if region is not None and KEEPING in preset.behaviors:
        are_firm = [getattr(neighbor.steering, KEEPING).firm for neighbor in neighbors if uses(neighbor, KEEPING)]
        # What is seen has walls.
        if any(are_firm) or (room is not None and room.type == "MESH"):
            getattr(crowd.steering, KEEPING).firm = True
        elif room is None:
            keep_in_room(crowd, KEEPING, stood_on)
    if len(members) < 2:
        return []
    unlocked = [ob for ob in members if not ob.steering.locked]
    amounts = {**preset.variation, "size": None}
    return vary(context.scene, crowd, amounts, only=unlocked) if unlocked else []


def _room_for(
    context: Context, crowd: Object, places: np.ndarray, preset: Preset, ground: Object | None
) -> tuple[Object | None, Sequence[Object]]:
    """The region in which members at places (n, 3) stay in view: one in which others like them are kept, or a new one.

    None if no behavior of the preset needs one, or a path to follow or a region in which nobody is kept takes its
    place. Who walks does not share one with who flies, unless it has walls. Returns the region, and the crowds that are
    kept in it. `ground`: what they walk on, if they were put on it.
    """
    behaviors, roles = behaviors_in(preset), by_role(in_use(context.scene))
    if not pointers(behaviors, Kind.REGION) or (pointers(behaviors, Kind.PATH) and roles[Role.PATH]):
        return None, []
    by_region = _crowds_by_region(roles[Role.CROWD])
    shared = [
        ob
        for ob in roles[Role.REGION]
        if ob.type == "MESH"
        or (
            {locomotion_of(other).grounded for other in by_region.get(ob, [])} <= {preset.moves.grounded}
            and (ob not in by_region or ground is None or is_over(ob, ground, crowd))
        )
    ]
    region = region_around(places, crowd.steering.vehicle.radius, shared, context.evaluated_depsgraph_get())
    if region in by_region:
        return region, by_region[region]
    return (None if set(roles[Role.REGION]) - by_region.keys() else new_region(crowd, places, ground)), []


def _crowds_by_region(crowds: Sequence[Object]) -> dict[Object, list[Object]]:
    """The crowds with behaviors that point at a region, for each region. Writes nothing."""
    by_region: dict[Object, list[Object]] = {}
    for crowd in crowds:
        for behavior, name in pointers(CATALOGUE, Kind.REGION):
            is_set = crowd.steering.is_property_set(behavior)
            if is_set and (region := pointed_at(getattr(crowd.steering, behavior), name)) is not None:
                by_region.setdefault(region, []).append(crowd)
    return by_region


ROOM_IN_TIME = 5.0
"""Least radius of the region around a new crowd, in seconds at cruise speed: room for a flock to turn."""
ROOM_IN_SIZE = 3.0
"""Least radius of that region, in radii of the crowd at the start."""
LEAST_INSIDE = 0.8
"""Least share of the width of a ground that its region has, for bodies that are long against the ground."""
LARGEST = 1000.0
"""Largest size in which Blender draws an Empty at a scale of 1."""
LEAST_SCALE = 1e-6
"""Smallest scale of a ground that lengths are divided by."""
WIDER = 1.01
"""Factor up to which a region over a ground is as wide as another."""
AHEAD_ON_GROUND, SHARE_OF_GROUND = 12.0, 0.45
"""How far ahead those who walk on a ground look for its border: seconds, and the most as a share of its width.

A stroller turns so slowly that it would go along the border once it has come near. Of 50 people on a ground of 24 m, 8
are within 1 m of the border by chance. After 30 s they were 22 with the 3 s of the preset, and 2 with these.
"""
FIRMNESS_ON_GROUND = 3.0
"""Factor of the weight with which they turn back there."""


def region_around(places: np.ndarray, margin: float, regions: Sequence[Object], depsgraph: Depsgraph) -> Object | None:
    """The smallest of some regions in which all places are, (n, 3) metres, or not further outside than a margin."""
    around: list[tuple[float, str, Object]] = []
    for ob in regions:
        try:
            region = RegionReader([ob]).read(depsgraph, depsgraph.scene.frame_current)
        except Refusal:
            # A mesh with holes has no inside.
            continue
        ways = region.way_in(places, np.zeros(len(places), dtype=np.int64))
        if region.present[0] and (magnitude(ways) <= margin).all():
            around.append((float(region.half[0].prod()), ob.name, ob))
    return min(around)[-1] if around else None


def new_region(crowd: Object, places: np.ndarray, ground: Object | None) -> Object:
    """A region for a crowd that starts at places, (n, 3) metres: a sphere about them, or a box over their ground.
    Walkers on a ground within a larger sphere would go along the border of the ground all the time."""
    low, high = places.min(axis=0), places.max(axis=0)
    model = crowd.steering.vehicle
    start = 0.5 * float((high - low).max()) + model.radius
    reach = max(ROOM_IN_SIZE * start, ROOM_IN_TIME * model.max_speed * model.cruise_speed)
    region = bpy.data.objects.new(f"{crowd.name} Region", None)
    if ground is None:
        region.empty_display_type, region.empty_display_size = "SPHERE", min(reach, LARGEST)
        region.location = Vector((low + high) / 2.0)
        region.scale *= reach / region.empty_display_size
    else:
        region.empty_display_type, region.empty_display_size = "CUBE", 1.0
        region.steering.region_shape = "BOX"
        region.parent = ground
        region.location, region.scale = map(Vector, _half_over(ground, reach, _extent(crowd)))
    crowd.users_collection[0].objects.link(region)
    give_role(region, Role.REGION, Family())
    return region


def keep_in_room(crowd: Object, behavior: str, ground: Object | None) -> None:
    """Set how a behavior of a new crowd keeps it in the region that it was given without asking for one."""
    settings = getattr(crowd.steering, behavior)
    # It must not hold back vehicles that a path or a target leads elsewhere.
    settings.release = True
    if ground is None:
        return
    model, width = crowd.steering.vehicle, sorted(ground.dimensions)[1]
    speed = max(model.max_speed * model.cruise_speed, LEAST_SCALE)
    seconds = min(AHEAD_ON_GROUND, SHARE_OF_GROUND * width / speed)
    settings.prediction_time = max(seconds, settings.prediction_time)
    settings.weight *= FIRMNESS_ON_GROUND
    moves = locomotion_of(crowd)
    for name, choice in moves.without_road.items():
        setattr(getattr(crowd.steering, moves.name), name, choice)


def is_over(region: Object, ground: Object, crowd: Object) -> bool:
    """Whether a region is a box over a ground, no wider than the one that a crowd would be given."""
    return region.parent == ground and bool(
        (doubles(region.scale) <= WIDER * _half_over(ground, np.inf, _extent(crowd))[1]).all()
    )


def _extent(crowd: Object) -> float:
    """How far the middle of a body is from the edge of a floor where it stops before that, metres."""
    body = crowd.steering.vehicle
    return float(max(body.radius, 0.5 * body.length)) + locomotion_of(crowd).before_edges


def _half_over(ground: Object, height: float, extent: float) -> tuple[np.ndarray, np.ndarray]:
    """The middle and the half sides of the box over a ground in its own axes, (3,) each.

    Args:
        height: how far it reaches up and down, metres.
        extent: from the middle of a body to its end, which stays over the ground, too; metres.
    """
    corners = doubles(ground.bound_box)
    low, high = corners.min(axis=0), corners.max(axis=0)
    half = (high - low) / 2.0
    matrix = doubles(ground.matrix_world)[:3, :3]
    # An imported ground may have another axis than Z upward.
    upward = int(np.abs(matrix[2]).argmax())
    scale = np.maximum(np.sqrt(np.einsum("ij,ij->j", matrix, matrix)), LEAST_SCALE)
    half_sides = np.maximum(half - extent / scale, LEAST_INSIDE * half)
    half_sides[upward] = max(half[upward], height / scale[upward])
    return (low + high) / 2.0, half_sides
