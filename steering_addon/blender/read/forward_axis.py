"""Guesses the front of a model from what is stated about it, its type, the names of its parts, and its shape."""

import re
from functools import lru_cache

import numpy as np
from bpy.types import Object

from ...simulation.arrays.vectors import magnitude
from ..animation.animation_data import Channelbag, channelbag, evaluate, is_animated, posed_block
from ..animation.rotation_channels import data_path, matrices_from_channels
from ..clips.finding_clips import way_of_walk
from ..objects.body_sizes import UPRIGHT, Body, Front, box_corners
from ..objects.doubles import column_from, doubles, model_axes
from ..objects.hierarchy import Family, shown_in
from .start_pose import channels

AHEAD = {"head", "nose", "beak", "snout", "muzzle", "face", "eye", "eyes", "front", "bow", "cockpit"}
AHEAD |= {"headlight", "headlights", "windscreen", "windshield"}
BEHIND = {"tail", "rear", "back", "stern", "rudder", "exhaust", "fluke", "taillight", "taillights"}
"""Words in names of parts that say at which end they are."""
ASIDE = {"wing", "wings", "aileron", "ailerons", "oar", "oars"}
"""Words in names of parts that reach out to both sides."""
LIT = {"eye", "eyes", "beak", "nose", "snout", "muzzle", "headlight", "headlights", "windscreen", "windshield"}
"""Words in names of materials that are found only ahead."""
CLEARLY = 1.5
"""Least ratio between the offsets of a part along two axes for the larger one to decide."""
LEAST = 0.1
"""Least offset of a part from the middle that decides between the two ends, as a share of the length."""
CELLS = 5
"""Number of cells on either side of the middle in which a shape is compared with its mirror image."""
LIKENESS = 0.1
"""Least difference in symmetry between two axes that decides, as a share of the shape."""
LONGER, TALL = 1.2, 0.9
"""Least ratio of length to width of a long shape; least ratio of height to arm span of a standing figure."""
END, BEHIND_TIP = 0.1, 0.25
"""Length of an end as a share of the whole; where the part behind that end ends."""
TIP, TAIL, APEX = 0.1, 0.2, 0.15
"""Greatest thickness of a tip, and of the part behind it in a tail, as shares of the whole shape's; greatest thickness
of the tip of a cone as a share of its base's."""
DEFAULT = "NEG_Y"
"""The front of models about which nothing else is known: that of Blender's own, and of what importers bring."""
NEARLY = 0.9999
"""The least cosine of an angle that counts as none: 0.8 degrees."""
UNTURNED = np.eye(3)
"""The rotation of a model that is upright."""
STANDING_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
"""The rotation of a model with +Y up to +Z up; transposed, that of one with -Y up."""
UNSTATED = ("POS_Y", "Z")
"""Blender's default for Tracking Axis and Up Axis of objects other than cameras, lights and speakers."""
SAMPLES = 32
"""Number of moments at which the motion of an animated object is compared with its axes."""
MOSTLY = 0.9
"""Least share of an object's way that leads along one of its axes for this axis to be its front."""


def front_of(ob: Object, family: Family, body: Body | None = None, *, flies: bool = False) -> Front:
    """The most likely forward and up axis of a model. The first of these rules that says anything decides:

    1. What the animator has stated (`stated_front`): the Tracking Axis, Follow Path, or the way of a keyframed object.
    2. An Empty without parts faces +Y; one drawn as a single arrow, +Z.
    3. Characters, which have an armature or shape keys with an action, face where their walk goes; without one, -Y.
    4. Names of parts such as Nose or Tail, then those of materials such as Eyes.
    5. The shape: a cone points where its tip is, if the model flies; else the axis is that across the wings, of the
       mirror symmetry or of the greater length, and a pointed end is the front.
    6. Everything else faces -Y as Blender's own models do, or +X if it is longer along X.

    A model turned by 90 degrees about X, as FBX and OBJ files come in, has +Y up and +Z for -Y. A character may be
    turned the other way, too: it has -Y up and -Z for -Y.

    Args:
        flies: whether it may face up or down. A cone on its base that keeps to the ground is a standing figure.
    """
    if stated := stated_front(ob):
        return stated
    parts = [ob, *family.descendants(ob)]
    parts += [instance for part in parts for instance in shown_in(part)]
    if all(part.type == "EMPTY" for part in parts):
        return upright("POS_Z" if ob.empty_display_type == "SINGLE_ARROW" else "POS_Y")
    # Shape keys may have been animated where the model was made.
    is_character = ob.find_armature() is not None or any(
        part.type == "ARMATURE" or is_animated(posed_block(part)) for part in parts
    )
    turn = _upright_turn(ob, either_way=is_character)
    stand = UNTURNED if turn is None else turn
    if is_character:
        forward = DEFAULT
    else:
        forward = _by_names(ob, family, stand) or _by_materials([ob, *family.children(ob)], stand)
        if forward is None and body is not None:
            points = body.points * body.proportions
            points = points if turn is None else np.einsum("ab,kb->ka", turn, points)
            # A cone on its side is not a standing figure.
            upward = ob.matrix_world.to_3x3().col[2]
            lies = turn is None and abs(upward.z) < 0.5 * upward.length
            forward = by_shape(points, flies=flies or lies, axis=_across_wings(ob, family, stand))
    front = upright(forward or DEFAULT)
    if turn is not None:
        front = _axis_before_turn(front[0], turn), _axis_before_turn(front[1], turn)
    return _turn_left(front, way_of_walk(ob, front, family)) if is_character else front


def _turn_left(front: Front, quarters: int) -> Front:
    """A front turned to the left about its up axis."""
    side, forward, _ = model_axes(*front).T
    return _nearest_axis((forward, -side, -forward, side)[quarters]), front[1]


def _axis_before_turn(axis: str, stand: np.ndarray) -> str:
    """The name of the axis of a model that `stand`, the turn that lets it stand up, makes an axis of this name."""
    return _nearest_axis(stand["XYZ".index(axis[-1])] * (1.0 if axis.startswith("POS") else -1.0))


def _upright_turn(ob: Object, *, either_way: bool) -> np.ndarray | None:
    """The rotation to +Z up of a model that 90 degrees about X make upright; `either_way`: or -90 degrees."""
    up = ob.matrix_world.to_3x3().col[1]
    if up.length > 0.0 and up.z > NEARLY * up.length:
        return STANDING_UP
    return STANDING_UP.T if either_way and up.length > 0.0 and -up.z > NEARLY * up.length else None


def _by_names(ob: Object, family: Family, stand: np.ndarray) -> str | None:
    """The axis from parts named like a rear end to parts named like a front; None if the names do not decide. `stand`:
    (3, 3) what turns the model upright."""
    parts = [(_words(child.name), np.asarray(_corners(child).mean(axis=0))) for child in family.children(ob)]
    if not parts:
        return None
    places = np.einsum("ab,kb->ka", stand, np.array([middle_of_part for _, middle_of_part in parts]))
    is_front, is_rear = (np.array([bool(words & names) for words, _ in parts]) for names in (AHEAD, BEHIND))
    is_front, is_rear = is_front & ~is_rear, is_rear & ~is_front
    if not (is_front.any() or is_rear.any()):
        return None
    middle = np.zeros(3)
    offset = (places[is_front].mean(axis=0) if is_front.any() else middle) - (
        places[is_rear].mean(axis=0) if is_rear.any() else middle
    )
    return _clear_axis(offset, np.ptp(np.concatenate((places, [middle])), axis=0)[:2].max())


def _across_wings(ob: Object, family: Family, stand: np.ndarray) -> int | None:
    """The horizontal axis, 0 or 1, square to clear wings, or None. `stand`: (3, 3) turns the model upright."""
    wings = [_corners(child) for child in family.children(ob) if _words(child.name) & ASIDE]
    if not wings:
        return None
    span = np.ptp(np.concatenate(wings) @ stand.T, axis=0)[:2]
    return int(np.argmin(span)) if span.max() > CLEARLY * span.min() else None


def _by_materials(parts: list[Object], stand: np.ndarray) -> str | None:
    """The axis toward the faces with a material named like a front; None if there are none or they do not decide."""
    offset, length = np.zeros(3), 0.0
    for part in parts:
        slots = part.material_slots if part.type == "MESH" else ()
        marked = [row for row, slot in enumerate(slots) if slot.material and _words(slot.material.name) & LIT]
        if marked and len(part.data.polygons):
            faces = part.data.polygons
            material = column_from(faces, "material_index", kind=np.int32)
            chosen = column_from(faces, "center", 3)[np.isin(material, marked)]
            if len(chosen):
                corners = doubles(part.bound_box)
                offset += stand @ (chosen.mean(axis=0) - corners.mean(axis=0))
                length = max(length, float(np.ptp(corners @ stand.T, axis=0)[:2].max()))
    return _clear_axis(offset, length) if length else None


def _clear_axis(offset: np.ndarray, length: float) -> str | None:
    """The horizontal axis of an offset (3,) in a model of this length; None if none is clear."""
    axis = int(np.argmax(np.abs(offset[:2])))
    if abs(offset[axis]) < CLEARLY * abs(offset[1 - axis]) or abs(offset[axis]) <= LEAST * length:
        return None
    return _axis(axis, offset[axis] > 0.0)


def _words(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)}


def _corners(child: Object) -> np.ndarray:
    """The corners of the box round a part in the space of its parent, (8, 3)."""
    return box_corners(child, doubles(child.matrix_local))


def by_shape(points: np.ndarray, *, flies: bool = False, axis: int | None = None) -> str:
    """The most likely forward axis of points (m, 3): a horizontal axis, or that of the tip of a cone that flies.
    `axis`: 0 or 1 if it is known to be the X or the Y axis."""
    return _by_shape(np.ascontiguousarray(points, dtype=np.float64).tobytes(), flies, axis)


@lru_cache(maxsize=16)
def _by_shape(stored: bytes, flies: bool, known: int | None) -> str:
    """As `by_shape`, from the bytes of the points: a crowd has few models, and many members ask for them."""
    points = np.frombuffer(stored).reshape(-1, 3)
    size = np.ptp(points, axis=0)
    if size[:2].min() <= 0.0 and size[:2].max() <= 0.0:
        return DEFAULT
    if known is None and flies and _is_cone(points, size):
        return "POS_Z"
    axis = _length_axis(points, size) if known is None else known
    low, high = _is_nose(points, size, axis, at_high_end=False), _is_nose(points, size, axis, at_high_end=True)
    if low != high:
        return _axis(axis, positive=high)
    return _axis(0, positive=True) if axis == 0 else DEFAULT


def _length_axis(points: np.ndarray, size: np.ndarray) -> int:
    """The horizontal axis of a shape, 0 or 1, that most likely leads from its back to its front."""
    if size[2] > UPRIGHT * size[:2].max() and size[0] >= size[1]:
        # A person: shoulders are broad, and a suitcase does not show the front.
        return 1
    axis = 0 if size[0] > LONGER * size[1] else 1
    if size[2] > max(TALL * size[:2].max(), UPRIGHT * size[:2].min()):
        # A standing figure, perhaps with arms spread.
        axis = 0 if size[1] > UPRIGHT * size[0] else 1
    unlike_in_x, unlike_in_y = (_unlike(points, size, k) for k in range(2))
    # Turned inside out about its middle, a ball of few points is the same, and a model with a front is not.
    has_ends = _unlike(points, size, (0, 1, 2)) > LIKENESS
    if has_ends and abs(unlike_in_x - unlike_in_y) > LIKENESS:
        axis = 0 if unlike_in_x > unlike_in_y else 1
    return axis


def _is_nose(points: np.ndarray, size: np.ndarray, axis: int, *, at_high_end: bool) -> bool:
    """Whether a shape ends in a tip that grows thicker soon behind it, and not in a tail. A rounded end is not a tip:
    the back of a head is none. The other end must be clearly thicker."""
    fraction = (points[:, axis] - points[:, axis].min()) / size[axis]
    fraction = 1.0 - fraction if at_high_end else fraction
    tip, behind, other_end = (
        _thickness(points[band], size, axis)
        for band in (fraction <= END, (fraction > END) & (fraction <= BEHIND_TIP), fraction >= 1.0 - END)
    )
    is_tail = 0.0 < behind < TAIL
    return tip < TIP and 2.0 * tip < other_end and not is_tail


def _thickness(points: np.ndarray, size: np.ndarray, axis: int) -> float:
    """The extent of a part of a shape across an axis, as a share of that of the whole; 0 without points."""
    crosswise = [k for k in range(3) if k != axis]
    total = float(size[crosswise].sum())
    return float(np.ptp(points[:, crosswise], axis=0).sum()) / total if len(points) and total > 0.0 else 0.0


def _is_cone(points: np.ndarray, size: np.ndarray) -> bool:
    """Whether a shape tapers from a base to a tip above its middle, and is about as tall as wide or taller."""
    fraction = (points[:, 2] - points[:, 2].min()) / max(size[2], 1e-9)
    base, tip = points[fraction <= END], points[fraction >= 1.0 - END]
    if not len(tip):
        return False  # It is flat.
    offset = np.abs(tip[:, :2].mean(axis=0) - (base[:, :2].min(axis=0) + base[:, :2].max(axis=0)) / 2.0)
    pointed = _thickness(tip, size, 2) < APEX * _thickness(base, size, 2)
    return bool(pointed and size[2] > TALL * size[:2].max() and (offset < APEX * size[:2]).all())


def _unlike(points: np.ndarray, size: np.ndarray, axis: int | tuple[int, ...]) -> float:
    """The share of a shape that its mirror image across an axis, or across several in turn, does not cover."""
    middle = points.min(axis=0) + size / 2.0
    cells = np.rint((points - middle) * (2.0 * CELLS / np.maximum(size, 1e-9))).astype(np.int64) + CELLS
    filled = np.zeros((2 * CELLS + 1,) * 3, dtype=bool)
    filled[cells[:, 0], cells[:, 1], cells[:, 2]] = True
    return float((filled & ~np.flip(filled, axis)).sum() / filled.sum())


def _nearest_axis(direction: np.ndarray) -> str:
    """The axis along which a direction (3,) mostly leads."""
    axis = int(np.abs(direction).argmax())
    return _axis(axis, direction[axis] > 0.0)


def _axis(axis: int, positive: bool) -> str:
    return f"{'POS' if positive else 'NEG'}_{'XYZ'[axis]}"


def stated_front(ob: Object) -> Front | None:
    """The front that the settings or the keyframes of an object state; None if they do not.

    Cameras, lights and speakers look along -Z, by their Tracking Axis in Object > Relations, which any object may have
    changed. Follow Path with Follow Curve has a forward axis. A keyframed object faces where it goes.
    """
    if (ob.track_axis, ob.up_axis) != UNSTATED and ob.track_axis[-1] != ob.up_axis:
        return ob.track_axis, f"POS_{ob.up_axis}"
    return _of_constraints(ob) or _of_motion(ob)


def upright(forward_axis: str) -> Front:
    """The front of a model whose up axis is +Z, unless it faces up or down."""
    return forward_axis, "POS_Y" if forward_axis[-1] == "Z" else "POS_Z"


def _of_constraints(ob: Object) -> Front | None:
    for constraint in ob.constraints:
        if constraint.type == "FOLLOW_PATH" and constraint.enabled and constraint.use_curve_follow:
            forward = constraint.forward_axis.replace("FORWARD", "POS").replace("TRACK_NEGATIVE", "NEG")
            up = constraint.up_axis.replace("UP", "POS")
            return (forward, up) if forward[-1] != up[-1] else None
    return None


def _of_motion(ob: Object) -> Front | None:
    """The axis along which an object moves by its own keys; None without such keys, or if no axis leads its way."""
    bag = channelbag(ob)
    keyed = [curve for curve in bag.fcurves if curve.data_path == "location" and not curve.is_empty] if bag else []
    if not keyed:
        return None
    first, last = min(curve.range()[0] for curve in keyed), max(curve.range()[1] for curve in keyed)
    frames = np.linspace(first, last, SAMPLES)
    location, rotation = channels(ob)
    steps = np.diff(_sample(bag, "location", location, frames), axis=0)
    turns = matrices_from_channels(_sample(bag, data_path(ob.rotation_mode), rotation, frames), ob.rotation_mode)
    travel = np.einsum("kba,kb->a", turns[:-1], steps)
    return upright(_nearest_axis(travel)) if np.abs(travel).max() > MOSTLY * magnitude(steps).sum() else None


def _sample(bag: Channelbag, path: str, values: np.ndarray, frames: np.ndarray) -> np.ndarray:
    """The channels of a data path on frames (f,), (f, k): by their curves, or the current `values` (k,) without one."""
    sampled = np.tile(values, (len(frames), 1))
    for curve in bag.fcurves:
        if curve.data_path == path and not curve.is_empty:
            sampled[:, curve.array_index] = evaluate(curve, frames.tolist())
    return sampled
