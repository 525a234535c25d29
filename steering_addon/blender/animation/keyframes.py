"""The keys of a curve in bulk: baked keys written fast, an animator's keys kept whole.

`keyframe_insert` takes 5 microseconds per key, and more the more keys a curve has; writing a column of all keys takes a
fraction of one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import bpy
import numpy as np
from bpy.types import FCurve, FModifier

from ...recording.thinned_curves import ThinnedCurve
from ..objects.doubles import column_from
from .animation_data import Channelbag
from .custom_properties import name_in

FRAME_TOLERANCE = 0.01
"""Keys nearer than this are on the same frame: Blender's own tolerance when it inserts a key."""

_ENUMS = bpy.types.Keyframe.bl_rna.properties
BEZIER: int = _ENUMS["interpolation"].enum_items["BEZIER"].value
LINEAR: int = _ENUMS["interpolation"].enum_items["LINEAR"].value
CONSTANT: int = _ENUMS["interpolation"].enum_items["CONSTANT"].value
GENERATED: int = _ENUMS["type"].enum_items["GENERATED"].value
AUTO: int = _ENUMS["handle_left_type"].enum_items["AUTO"].value
VECTOR: int = _ENUMS["handle_left_type"].enum_items["VECTOR"].value
AUTO_CLAMPED: int = _ENUMS["handle_left_type"].enum_items["AUTO_CLAMPED"].value
FREE: int = _ENUMS["handle_left_type"].enum_items["FREE"].value
ALIGNED: int = _ENUMS["handle_left_type"].enum_items["ALIGNED"].value
NOT_SMOOTHED: int = bpy.types.FCurve.bl_rna.properties["auto_smoothing"].enum_items["NONE"].value

_THINNED = {"type": GENERATED, "handle_left_type": FREE, "handle_right_type": FREE}
"""The choices of keys whose handles are written, too, that are not those with which Blender adds keys."""

CHOICE = np.uint8
"""The type in which keys hold enum values: Blender copies columns of this type in bulk, others key by key."""

# Handles follow their types: Blender computes the handles of automatic types, and what is written last counts.
KEY_COLUMNS: Mapping[str, tuple[int, type]] = {
    "co": (2, np.float32),
    "interpolation": (1, CHOICE),
    "easing": (1, CHOICE),
    "type": (1, CHOICE),
    "back": (1, np.float32),
    "amplitude": (1, np.float32),
    "period": (1, np.float32),
    "select_control_point": (1, np.bool_),
    "select_left_handle": (1, np.bool_),
    "select_right_handle": (1, np.bool_),
    "handle_left_type": (1, CHOICE),
    "handle_right_type": (1, CHOICE),
    "handle_left": (2, np.float32),
    "handle_right": (2, np.float32),
}
"""All properties of a key, by Blender's names: numbers per key, and their type."""

POINTS = ("co", "handle_left", "handle_right")
"""The columns of keys that give a curve its shape."""

OF_LINEAR = ("co", "interpolation", "type", "handle_left_type", "handle_right_type", "handle_left", "handle_right")
"""The columns that tell linear keys from keys as Blender adds them."""

AUTOMATIC = (AUTO, VECTOR, AUTO_CLAMPED)
"""The types of handles that Blender computes."""
HANDLES = ("co", "handle_left_type", "handle_right_type", "handle_left", "handle_right")
"""The columns that `unsettled_handles` notes: eight numbers for each key."""

_SETTINGS = {
    **dict.fromkeys(("extrapolation", "color_mode"), CHOICE),
    **dict.fromkeys(("mute", "lock", "hide"), np.bool_),
}
"""Settings that are 0 of a new curve, and the types in which they are read in bulk."""
CURVE_SETTINGS = ("extrapolation", "auto_smoothing", "mute", "lock", "hide", "select", "color_mode", "color")


@dataclass(frozen=True)
class Keys:
    """The keys of one curve. `columns`: a (k, width) array for each name of KEY_COLUMNS, or for some of these, in the
    order of the keys."""

    columns: Mapping[str, np.ndarray]

    def __len__(self) -> int:
        return len(self.columns["co"])

    @property
    def frames(self) -> np.ndarray:
        """(k,) the frame of each key."""
        return _doubled(self.columns["co"])

    def within(self, first: float, last: float) -> np.ndarray:
        """(k,) whether each key is on one of the frames from `first` to `last`."""
        return (self.frames > first - FRAME_TOLERANCE) & (self.frames < last + FRAME_TOLERANCE)

    def take(self, rows: np.ndarray) -> "Keys":
        """A selection of the keys; `rows` is a mask (k,) or row numbers."""
        return Keys({name: column[rows] for name, column in self.columns.items()})

    def join(self, others: "Keys") -> "Keys":
        """These keys, and those of `others` on frames where these have none, in order of time."""
        apart = np.abs(others.frames[:, None] - self.frames[None, :]) > FRAME_TOLERANCE
        others = others.take(apart.all(axis=1))
        order = np.argsort(np.concatenate((self.frames, others.frames)), kind="stable")
        return Keys({name: np.concatenate((self.columns[name], others.columns[name]))[order] for name in KEY_COLUMNS})


def read_keys(curve: FCurve, names: Iterable[str] = KEY_COLUMNS) -> Keys:
    """The keys of a curve with all their properties, or with some."""
    return Keys({name: read_column(curve, name) for name in names})


def read_column(curve: FCurve, name: str) -> np.ndarray:
    """One property of all keys of a curve, (k, width); `name` is one of KEY_COLUMNS."""
    width, kind = KEY_COLUMNS[name]
    return column_from(curve.keyframe_points, name, width, kind).reshape(-1, width)


def frames_of(curve: FCurve) -> np.ndarray:
    """The frames of the keys of a curve, (k,)."""
    return _doubled(read_column(curve, "co"))


def _doubled(points: np.ndarray) -> np.ndarray:
    """The frames of keys (k, 2) in double precision, as numpy 2 compares single precision only with such. A hundredth
    of a frame is lost in single precision from frame 100,000 on."""
    return points[:, 0].astype(np.float64)


def write_keys(curve: FCurve, keys: Keys) -> None:
    """Give a curve exactly these keys. If keys have other neighbors than when they were read, call `compute_handles`
    afterwards."""
    points = curve.keyframe_points
    points.clear()
    points.add(len(keys))
    for name, column in keys.columns.items():
        points.foreach_set(name, np.ascontiguousarray(column).ravel())


def write_samples(curve: FCurve, keys: Keys, last: int) -> None:
    """Give a new curve samples on the frames from 0 to `last` of what these keys hold there."""
    write_keys(curve, Keys({name: keys.columns[name] for name in ("co", "interpolation")}))
    curve.convert_to_samples(0, last + 1)


def write_plain_keys(curve: FCurve, points: np.ndarray, interpolation: int = LINEAR) -> None:
    """Give a curve baked keys, (k, 2) frames and values, linear between them by default; the rest as Blender adds
    keys."""
    keys = curve.keyframe_points
    if len(keys):
        keys.clear()
    keys.add(len(points))
    keys.foreach_set("co", np.ascontiguousarray(points, np.float32).ravel())
    keys.foreach_set("interpolation", _all_of(interpolation, len(keys)))
    keys.foreach_set("type", _all_of(GENERATED, len(keys)))
    curve.update()


def write_thinned_keys(curve: FCurve, thinned: ThinnedCurve) -> None:
    """Give a curve baked keys, with handles by which it keeps between them to the numbers that it was made of."""
    keys, count = curve.keyframe_points, len(thinned.rows)
    if len(keys):
        keys.clear()
    keys.add(count)
    for name, choice in _THINNED.items():
        keys.foreach_set(name, _all_of(choice, count))
    # Blender need not compute handles that are free.
    for name, column in zip(POINTS, thinned.points):
        keys.foreach_set(name, column.ravel())


def _thinned_keys(points: np.ndarray) -> Keys:
    """The keys of a thinned curve among others, from its `points`: toward those they go as linear keys do."""
    keys = generated_keys(points[0, :, 0], points[0, :, 1], BEZIER)
    for name, column in zip(POINTS, points):
        keys.columns[name][:] = column
    keys.columns["handle_left_type"][1:] = keys.columns["handle_right_type"][:-1] = FREE
    keys.columns["interpolation"][-1] = LINEAR
    return keys


@lru_cache(maxsize=1024)
def _all_of(choice: int, count: int) -> np.ndarray:
    return np.full(count, choice, CHOICE)


def compute_handles(curve: FCurve, keys: Keys) -> None:
    """Let Blender compute the automatic handles of a curve with these keys. The handles that the animator has placed
    stay: with smoothing, Blender moves some of them on frames so late that their digits run out."""
    curve.update()
    for side, computed in zip(HANDLES[3:], _computed_handles(keys), strict=True):
        if not computed.all():
            handles = np.where(computed[:, None], read_column(curve, side), keys.columns[side])
            curve.keyframe_points.foreach_set(side, handles.ravel())


def unsettled_handles(curve: FCurve) -> list[float]:
    """The handles of the keys of a curve, as numbers for a custom property, if Blender would not compute them as well.

    Empty if it would: then they need not be noted before baked keys become neighbors of these keys. Blender leaves the
    handles of a lone key where they were, those aligned with an automatic one depend on what they were before, and the
    automatic handles of others may date from other neighbors. They are computed now.
    """
    keys = read_keys(curve)
    compute_handles(curve, keys)
    settled = all(np.array_equal(keys.columns[side], read_column(curve, side)) for side in HANDLES[3:])
    aligned = any((keys.columns[name] == ALIGNED).any() for name in HANDLES[1:3])
    if settled and len(keys) != 1 and not aligned:
        return []
    return np.concatenate([keys.columns[name] for name in HANDLES], axis=1, dtype=np.float64).ravel().tolist()


def put_handles_back(curve: FCurve, noted: Sequence[float]) -> None:
    """Move handles that Blender computes to where `unsettled_handles` noted them, unless keys were changed since."""
    keys, rows = read_keys(curve), np.array(noted).reshape(-1, 8)
    if len(rows) != len(keys) or not np.array_equal(rows[:, :2], keys.columns["co"]):
        return
    computed = dict(zip(HANDLES[3:], _computed_handles(keys), strict=True))
    for number, side in enumerate(HANDLES[3:]):
        moved = computed[side] & (keys.columns[f"{side}_type"][:, 0] == rows[:, 2 + number])
        keys.columns[side][moved] = rows[moved, 4 + 2 * number : 6 + 2 * number]
        curve.keyframe_points.foreach_set(side, keys.columns[side].ravel())


Column: TypeAlias = np.ndarray | ThinnedCurve
"""A curve to be baked: values (f,) on every frame, or the keys where they are needed."""


class BakedKeys:
    """Writes baked curves: straight lines between generated keys on every frame, or thinned curves.

    One `BakedKeys` serves a whole bake, so that the columns common to all curves are made once.
    """

    def __init__(self, frames: np.ndarray) -> None:
        """`frames` (f,), rising."""
        self._points = np.zeros((len(frames), 2), np.float32)
        self._points[:, 0] = frames
        self._flat = self._points.reshape(-1)
        self._range = int(frames[0]), int(frames[-1]) + 1
        self._smoothing = NOT_SMOOTHED

    def new_curve(self, bag: Channelbag, data_path: str, index: int, values: Column) -> FCurve:
        """Add a baked curve. Raises RuntimeError if the bag already has such a curve."""
        curve = bag.fcurves.new(data_path, index=index)
        if not isinstance(values, np.ndarray):
            write_thinned_keys(curve, values)
            return curve
        self._points[:, 1] = values
        smoothings = _smooth(bag, NOT_SMOOTHED)
        write_plain_keys(curve, self._points)
        _smooth(bag, smoothings)
        return curve

    def sample(self, bag: Channelbag) -> None:
        """Convert the keys of the curves of a bag, all made by `new_curve`, to samples, as `set_values` needs them.
        Frames must be whole and consecutive. Thinned curves are left without keys."""
        for curve in bag.fcurves:
            if not curve.is_empty:
                curve.convert_to_samples(*self._range)
        for kind in _smooth(bag, NOT_SMOOTHED):
            self._smoothing = int(kind)

    def set_values(self, bag: Channelbag, columns: Iterable[Column]) -> None:
        """Write baked keys with these values into a copy of a bag that was given to `sample`. Blender copies samples
        and takes their values in a small part of the time it takes for keys."""
        curves = bag.fcurves
        for curve, values in zip(curves, columns):
            if not isinstance(values, np.ndarray):
                write_thinned_keys(curve, values)
                continue
            self._points[:, 1] = values
            curve.sampled_points.foreach_set("co", self._flat)
            curve.convert_to_keyframes(*self._range)
            curve.keyframe_points.foreach_set("type", _all_of(GENERATED, len(self._points)))
        curves.foreach_set("auto_smoothing", np.full(len(curves), self._smoothing, CHOICE))

    def add_to_curve(self, curve: FCurve, values: Column) -> None:
        """Add baked keys to a curve that has keys; those on other frames keep all their properties. Only automatic
        handles next to a baked key follow their new neighbor."""
        if isinstance(values, np.ndarray):
            baked = generated_keys(self._points[:, 0], values, LINEAR)
        else:
            baked = _thinned_keys(values.points)
        keys = baked.join(read_keys(curve))
        write_keys(curve, keys)
        compute_handles(curve, keys)


def _smooth(bag: Channelbag, kind: int | np.ndarray) -> np.ndarray:
    """Set the auto smoothing of all curves, and return the earlier settings, (c,) numbers.

    Without smoothing, automatic handles are computed from the neighboring keys only. Smoothing takes longer than
    everything else about a key, and makes no difference to linear keys: as soon as an animator lets some of them ease,
    Blender computes all handles of the curve again, by the setting that is restored.
    """
    before = column_from(bag.fcurves, "auto_smoothing", kind=CHOICE)
    # By `foreach_set` only: setting it on a single curve makes Blender compute its handles again.
    bag.fcurves.foreach_set("auto_smoothing", np.full_like(before, kind))
    return before


def write_changes(bag: Channelbag, data_path: str, frames: np.ndarray, values: np.ndarray) -> FCurve:
    """Bake a switch or a number that seldom changes: generated keys on the first and last frame and at changes only.

    Between the keys of switches and whole numbers it is constant, between others it goes straight. Keys that the curve
    has on other frames keep all their properties. `frames`: (f,), rising; `values`: (f,).
    """
    changes = values[1:] != values[:-1]
    keyed = np.concatenate(([True], changes))
    interpolation = CONSTANT
    if values.dtype.kind == "f":
        keyed[:-1] |= changes
        interpolation = LINEAR
    keyed[-1] = True
    frames, values = frames[keyed], values[keyed]
    curve = bag.fcurves.find(data_path)
    if curve is None:
        curve = bag.fcurves.new(data_path)
        write_plain_keys(curve, np.column_stack((frames, values)), interpolation)
    else:
        keys = generated_keys(frames, values, interpolation).join(read_keys(curve))
        write_keys(curve, keys)
        compute_handles(curve, keys)
    return curve


def generated_keys(frames: np.ndarray, values: np.ndarray, interpolation: int) -> Keys:
    """Baked keys of these frames and values, (k,), selected and with handles as Blender makes new keys."""
    columns = {name: np.zeros((len(frames), width), kind) for name, (width, kind) in KEY_COLUMNS.items()}
    columns["co"][:] = np.column_stack((frames, values))
    columns["interpolation"][:] = interpolation
    columns["type"][:] = GENERATED
    columns["handle_left_type"][:] = columns["handle_right_type"][:] = AUTO_CLAMPED
    for name in ("select_control_point", "select_left_handle", "select_right_handle"):
        columns[name][:] = True
    return Keys(columns)


def copy_curve(source: FCurve, bag: Channelbag, keys: Keys | None = None) -> FCurve:
    """Copy a curve with its settings, modifiers and group into another action; `keys` replace its own. A sampled curve
    stays sampled."""
    curve = bag.fcurves.new(source.data_path, index=source.array_index)
    if len(source.sampled_points):
        _copy_samples(source, curve)
    else:
        write_keys(curve, read_keys(source) if keys is None else keys)
    for name in CURVE_SETTINGS:
        setattr(curve, name, getattr(source, name))
    write_modifiers(curve, read_modifiers(source))
    if source.group is not None:
        curve.group = bag.groups.get(source.group.name) or bag.groups.new(source.group.name)
    return curve


def has_plain_curves(bag: Channelbag, channels: Sequence[tuple[str, int]], group: str) -> bool:
    """Whether a bag has curves for just these channels, as data paths and indices, and they are as a bake makes them:
    without modifiers and settings of the animator's, and those of the object itself in a group of this name.

    The keys, the selection and the smoothing, which free handles do without, do not count.
    """
    curves, grouped = bag.fcurves, sum(name_in(path) is None for path, _ in channels)
    return (
        [(curve.data_path, curve.array_index, len(curve.modifiers)) for curve in curves]
        == [(path, index, 0) for path, index in channels]
        and [(each.name, each.mute, each.lock, each.color_set, len(each.channels)) for each in bag.groups]
        == ([(group, False, False, "DEFAULT", grouped)] if grouped else [])
        and not any(column_from(curves, name, kind=kind).any() for name, kind in _SETTINGS.items())
    )


def same_curve(curve: FCurve, other: FCurve) -> bool:
    """Whether two curves have the same motion and editing settings; selection and visibility do not count."""
    settings = ("data_path", "array_index", "extrapolation", "auto_smoothing", "mute", "lock")
    return (
        all(getattr(curve, name) == getattr(other, name) for name in settings)
        and read_modifiers(curve) == read_modifiers(other)
        and [tuple(point.co) for point in curve.sampled_points] == [tuple(point.co) for point in other.sampled_points]
        and _same_keys(read_keys(curve), read_keys(other))
    )


def read_modifiers(curve: FCurve) -> list[dict[str, Any]]:
    """The modifiers of a curve, each as its settings by name."""
    return [_modifier_settings(modifier) for modifier in curve.modifiers]


def write_modifiers(curve: FCurve, modifiers: list[dict[str, Any]]) -> None:
    """Add modifiers to a curve, from the result of `read_modifiers`."""
    for settings in modifiers:
        modifier = curve.modifiers.new(settings["type"])
        for name, value in settings.items():
            if name == "control_points":
                _add_control_points(modifier, value)
            elif name != "type" and getattr(modifier, name) != value:
                setattr(modifier, name, value)


def _add_control_points(envelope: FModifier, points: list[tuple[float, float, float]]) -> None:
    """Add points, each frame, min and max, to an envelope modifier. In bulk: when a single value of a point is set,
    Blender takes the point for a modifier and may crash (4.2, 4.5)."""
    for frame, _, _ in points:
        envelope.control_points.add(frame)
    envelope.control_points.foreach_set("min", [low for _, low, _ in points])
    envelope.control_points.foreach_set("max", [high for _, _, high in points])


def _modifier_settings(modifier: FModifier) -> dict[str, Any]:
    settings: dict[str, Any] = {"type": modifier.type}
    for setting in modifier.bl_rna.properties:
        if not setting.is_readonly and setting.identifier != "active":
            value = getattr(modifier, setting.identifier)
            settings[setting.identifier] = tuple(value) if getattr(setting, "is_array", False) else value
    if modifier.type == "ENVELOPE":
        settings["control_points"] = [(point.frame, point.min, point.max) for point in modifier.control_points]
    return settings


def _computed_handles(keys: Keys) -> tuple[np.ndarray, np.ndarray]:
    """The left and the right handles that Blender computes, (k,) each: automatic ones, and those aligned with one."""
    left, right = (keys.columns[f"{side}_type"][:, 0] for side in HANDLES[3:])
    automatic, other = np.isin(left, AUTOMATIC), np.isin(right, AUTOMATIC)
    return automatic | (left == ALIGNED) & other, other | (right == ALIGNED) & automatic


def _same_keys(keys: Keys, other: Keys) -> bool:
    """Whether keys are the same; handles count only if placed by the animator, as Blender computes the others."""
    if len(keys) != len(other):
        return False
    computed = dict(zip(HANDLES[3:], _computed_handles(keys), strict=True))
    for name in KEY_COLUMNS:
        a, b = keys.columns[name], other.columns[name]
        if name in computed:
            placed = ~computed[name]
            if not np.allclose(a[placed], b[placed], rtol=1e-5, atol=1e-5):
                return False
        elif not name.startswith("select") and not np.array_equal(a, b):
            return False
    return True


def _copy_samples(source: FCurve, target: FCurve) -> None:
    """Copy samples; Blender makes them from keys only, so linear keys through the samples are converted."""
    samples = np.array([tuple(point.co) for point in source.sampled_points], np.float32)
    write_plain_keys(target, samples)
    target.convert_to_samples(int(samples[0, 0]), int(samples[-1, 0]) + 1)
