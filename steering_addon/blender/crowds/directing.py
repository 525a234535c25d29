"""Marks and guides, by which an animator directs vehicles: places at which they are to be, and baked motion."""

import bpy
import numpy as np
from bpy.types import Context, FCurve, Object

from ...recording.thinned_curves import sparse_keys
from ...simulation.roles import Role
from ..animation.animation_data import (
    Channelbag,
    action_of,
    assign_action,
    channelbag,
    channelbag_in,
    evaluate,
    new_action,
    slot_of,
)
from ..animation.keyframes import FRAME_TOLERANCE, frames_of
from ..animation.ownership import CurrentAnimation, check_editable
from ..objects.drivers import drivers_of
from ..objects.hierarchy import Family
from ..objects.tagged_objects import capsule_of, crowd_of, height_of, in_use, tagged
from ..properties import has_role, pointed_at
from ..read.role_assignment import give_role
from ..refusal import Refusal
from .populating.members import collection_beside

ARROWS = 1.0
"""Size of the Empty of a mark as it is drawn, metres."""
BY_HAND = "steering.by_hand"
"""The data path of the share."""
LARGER = 1.5
"""Half the largest side of the vehicle: the size of the Empty of a guide as it is drawn."""


def marks_for(vehicle: Object | None, crowd: Object | None, context: Context) -> list[Object]:
    """The marks of a vehicle and of its crowd, by name."""
    return [
        ob
        for ob in tagged(in_use(context.scene), Role.MARK)
        if ob.steering.is_property_set("mark") and pointed_at(ob.steering.mark, "who") in (vehicle or crowd, crowd)
    ]


def new_mark(context: Context, performer: Object, frame: int, shape: Object | None, *, with_marker: bool) -> Object:
    """A new mark for a vehicle or a crowd, at the 3D cursor or where a shape is; `with_marker`: whether to add a
    timeline marker of its name."""
    mark = bpy.data.objects.new("Mark", None)
    mark.empty_display_type, mark.empty_display_size = "ARROWS", ARROWS
    context.collection.objects.link(mark)
    give_role(mark, Role.MARK, Family())
    settings = mark.steering.mark
    settings.who, settings.frame = performer, frame
    if shape is not None:
        settings.shape = shape
        mark.name = f"{shape.name} Mark"
        mark.parent = shape
    else:
        mark.location = context.scene.cursor.location
    vehicle_crowd = performer if has_role(performer, Role.CROWD) else crowd_of(performer)
    if vehicle_crowd is not None:
        settings.speed = vehicle_crowd.steering.vehicle.max_speed * vehicle_crowd.steering.vehicle.cruise_speed
    if with_marker:
        settings.marker = context.scene.timeline_markers.new(_free_marker_name(mark.name, context), frame=frame).name
    return mark


def _free_marker_name(name: str, context: Context) -> str:
    known = {marker.name for marker in context.scene.timeline_markers}
    number = 1
    while name in known:
        name, number = f"{name.rpartition('.')[0] or name}.{number:03}", number + 1
    return name


def check_takeover(vehicle: Object, first: int, last: int) -> None:
    """Refuse to take a vehicle over by hand if it plays no bake, or not on these frames, or keys are in the way."""
    check_editable(vehicle)
    record = CurrentAnimation(vehicle).record
    if record is None or not record.moves:
        raise Refusal(f"{vehicle.name} is not baked, so it has no motion to begin with. Bake first.", about=[vehicle])
    if last <= first or first < record.first or last > record.last:
        raise Refusal(
            f"{vehicle.name} is baked on frames {record.first:.0f} to {record.last:.0f}. Choose a first and a later "
            f"last frame among these.",
            about=[vehicle],
        )
    if any(driver.data_path == BY_HAND for driver in drivers_of(vehicle)):
        raise Refusal(f"{vehicle.name} has a driver on By Hand. Remove it first.", about=[vehicle])
    guide = pointed_at(vehicle.steering, "guide")
    if guide is not None and (guide.type != "EMPTY" or not _stands_as(guide, vehicle)):
        text = f"{vehicle.name} already follows {guide.name}. Clear its Guide first."
        raise Refusal(text, about=[vehicle])
    for ob, paths in ((vehicle, (BY_HAND,)), (guide, ("location",))):
        bag = channelbag(ob) if ob is not None else None
        curves = [curve for curve in bag.fcurves if curve.data_path in paths] if bag is not None else []
        if any(len(_keys_within(curve, first, last)) for curve in curves):
            text = f"{vehicle.name} is led by hand on frames {first} to {last} already. Choose other frames."
            raise Refusal(text, about=[vehicle])


def take_over(vehicle: Object, context: Context, first: int, last: int, precision: float) -> Object:
    """Make or extend the guide of a vehicle by the baked motion of some frames; the vehicle follows it on these.
    `precision`: metres by which the curves may be off the motion."""
    baked = CurrentAnimation(vehicle).curves("location")
    frames = np.arange(first, last + 1)
    around = np.stack([_values(baked.get(axis), vehicle.location[axis], frames) for axis in range(3)], axis=-1)
    places, slopes = around[1:-1], 0.5 * (around[2:] - around[:-2])
    slopes[0] = places[0] - around[0]
    guide = pointed_at(vehicle.steering, "guide") or _new_guide(vehicle, context)
    bag = _bag(guide)
    rows = sparse_keys(places, slopes, precision)
    for axis in range(3):
        _write(_curve(bag, "location", axis), frames[rows], places[rows, axis], slopes[rows, axis])
    guide.location = places[0]
    vehicle.steering.guide = guide
    _switch(_curve(_bag(vehicle), BY_HAND, 0), first, last)
    return guide


def _values(curve: FCurve | None, constant: float, frames: np.ndarray) -> np.ndarray:
    """The values of a channel on some frames and on those before and after, (f + 2,)."""
    around = (frames[0] - 1, *frames, frames[-1] + 1)
    return np.full(len(around), constant) if curve is None else evaluate(curve, around)


def _new_guide(vehicle: Object, context: Context) -> Object:
    """An Empty that stands in the space of a vehicle, so that the same channels mean the same place."""
    radius, length = capsule_of(vehicle)
    half_side = max(0.5 * height_of(vehicle), radius, 0.5 * length) or 0.5
    guide = bpy.data.objects.new(f"{vehicle.name} Guide", None)
    guide.empty_display_type, guide.empty_display_size = "PLAIN_AXES", LARGER * half_side
    collection_beside(context, vehicle).objects.link(guide)
    if vehicle.parent is not None:
        guide.parent, guide.parent_type = vehicle.parent, vehicle.parent_type
        guide.parent_bone = vehicle.parent_bone
        guide.matrix_parent_inverse = vehicle.matrix_parent_inverse
    return guide


def _stands_as(guide: Object, vehicle: Object) -> bool:
    """Whether the same channels mean the same place for both."""
    spaces = [
        (ob.parent, ob.parent_type, ob.parent_bone, tuple(map(tuple, ob.matrix_parent_inverse)))
        for ob in (guide, vehicle)
    ]
    return spaces[0] == spaces[1] or (guide.parent is None and vehicle.parent is None)


def _bag(ob: Object) -> Channelbag:
    """The holder of the curves that an object plays; made if there is none."""
    if (bag := channelbag(ob)) is not None:
        return bag
    action = action_of(ob)
    if action is None:
        action, slot = new_action(ob.name, ob)
        action.use_fake_user = False
        assign_action(ob, action, slot)
    return channelbag_in(action, slot_of(ob), ensure=True)


def _curve(bag: Channelbag, path: str, index: int) -> FCurve:
    known = next((curve for curve in bag.fcurves if curve.data_path == path and curve.array_index == index), None)
    return known or bag.fcurves.new(path, index=index)


def _keys_within(curve: FCurve, first: int, last: int) -> np.ndarray:
    """The frames of the keys of a curve on some frames, without the key that ends a span just before."""
    frames = frames_of(curve)
    if curve.data_path == BY_HAND:
        ends = np.array([point.co[1] for point in curve.keyframe_points]) == 0.0
        frames = frames[~(ends & (np.abs(frames - first) < FRAME_TOLERANCE))]
    return frames[(frames > first - FRAME_TOLERANCE) & (frames < last + FRAME_TOLERANCE)]


def _write(curve: FCurve, frames: np.ndarray, values: np.ndarray, slopes: np.ndarray) -> None:
    """Add keys on some frames with these values and slopes, (k,) each; the slopes are per frame."""
    spans = np.diff(frames) / 3.0
    before, after = np.concatenate((spans[:1], spans)), np.concatenate((spans, spans[-1:]))
    for frame, value, slope, left, right in zip(*(x.tolist() for x in (frames, values, slopes, before, after))):
        key = curve.keyframe_points.insert(frame, value)
        key.interpolation = "BEZIER"
        key.handle_left_type = key.handle_right_type = "ALIGNED"
        key.handle_left = frame - left, value - slope * left
        key.handle_right = frame + right, value + slope * right
    curve.update()


def _switch(curve: FCurve, first: int, last: int) -> None:
    known = frames_of(curve) if len(curve.keyframe_points) else np.zeros(0)
    if not (known < first - FRAME_TOLERANCE).any():
        _step(curve, first - 1, 0.0)
    _step(curve, first, 1.0)
    if not (np.abs(known - (last + 1)) < FRAME_TOLERANCE).any():
        _step(curve, last + 1, 0.0)
    curve.update()


def _step(curve: FCurve, frame: int, value: float) -> None:
    curve.keyframe_points.insert(frame, value).interpolation = "CONSTANT"
