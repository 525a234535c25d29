"""Where the parts of a vehicle are that drivers alone move, such as wings, by its phase and its effort.

A copy of the vehicle is put through a cycle with each of some efforts, as for a crowd cache. Between these, and with
another size, its parts are where straight lines lead.
"""

from collections.abc import Sequence
from contextlib import closing

import numpy as np
from bpy.types import Driver, FCurve, Object, Scene

from ...portrayal.driver_properties import EFFORT, FOLDED, PHASE
from ..animation.custom_properties import name_in
from ..animation.posing import TRANSFORM
from ..crowds.cache_models import OfDrivers
from ..crowds.model_aside import model_aside, scale_in_world
from ..objects.drivers import drivers_of
from ..objects.hierarchy import Family
from ..properties import has_roles
from ..read.dependencies import animated_paths

BEAT = (PHASE, EFFORT, FOLDED)
"""The properties that drivers of parts may read."""
PHASES, APART, SWINGS = 32, 0.25, 8
"""The parts of a cycle in which it is measured, and how far apart how many efforts are, from 0 on."""
SIDE = (4.0 / 3.0**0.5) ** 0.5
UPRIGHT = SIDE * np.array([(-0.5, -(3.0**0.5) / 6.0, 0.0), (0.5, -(3.0**0.5) / 6.0, 0.0), (0.0, 3.0**-0.5, 0.0)])
"""The corners of a face on which Blender shows a model as large as it is, at the origin and not turned."""
UNMOVED = UPRIGHT[None, None, None]
"""The faces of a vehicle without parts."""
ELSEWHERE = 13.0
"""A cycle in which it is measured, too."""
NEARLY = 1e-4
"""By how much parts may differ from those that are turned and sized only, and from cycle to cycle."""
NEUTRAL = {
    "delta_location": (0.0, 0.0, 0.0),
    "delta_rotation_euler": (0.0, 0.0, 0.0),
    "delta_rotation_quaternion": (1.0, 0.0, 0.0, 0.0),
    "delta_scale": (1.0, 1.0, 1.0),
}
"""The channels that add to those that place an object, where they add nothing."""


def at_rest(parts: Sequence[Object]) -> tuple | None:
    """All that says where the parts of a vehicle are, but for its beat; () of one without parts. None if anything but
    drivers that read its beat moves a part."""
    vehicle, placed = parts[0], []
    rows = {part: row for row, part in enumerate(parts)}
    for part in parts[1:]:
        drivers = drivers_of(part)
        driven = {(driver.data_path, driver.array_index) for driver in drivers}
        paths = {path for path, _ in driven}
        if (
            part.parent_type != "OBJECT"
            or part.hide_render
            or has_roles(part)
            or not animated_paths(part) <= paths <= set(TRANSFORM)
            or (part.animation_data is not None and (part.animation_data.action or part.animation_data.nla_tracks))
        ):
            return None
        read = [_read(driver.driver, vehicle) for driver in drivers]
        if None in read or not all(map(_is_plain, drivers)):
            return None
        stands = [part.matrix_parent_inverse.copy().freeze()]
        for path in (*TRANSFORM, *NEUTRAL):
            value = tuple(getattr(part, path))
            stands.append(tuple(v for k, v in enumerate(value) if (path, k) not in driven) if path in paths else value)
        placed.append((rows[part.parent], part.rotation_mode, *stands, *sorted(driven), *read))
    return tuple(placed)


def _is_plain(curve: FCurve) -> bool:
    return not curve.mute and curve.driver.is_valid and "frame" not in curve.driver.expression


def _read(driver: Driver, vehicle: Object) -> tuple | None:
    """All that a driver makes of the beat of a vehicle; None if it reads something else."""
    read: list = [driver.type, driver.expression]
    for variable in driver.variables:
        for target in variable.targets:
            name = name_in(target.data_path)
            if variable.type != "SINGLE_PROP" or target.id != vehicle or name not in BEAT or name not in vehicle:
                return None
            read += variable.name, name
    return tuple(read)


def swing(vehicle: Object, scene: Scene, family: Family) -> np.ndarray | None:
    """The faces of a vehicle of the size 1 and of its parts, by effort and phase, (e, s + 1, p, 3 corners, 3); None if
    a part is stretched, or does not move alike in each cycle."""
    cycles, layer = OfDrivers((APART * np.arange(SWINGS)).tolist()), scene.view_layers[0]
    phases = [*np.linspace(0.0, 1.0, PHASES + 1), ELSEWHERE + 0.25]
    with model_aside(vehicle, vehicle, scene, layer, family) as aside, closing(cycles.played(aside, ())) as played:
        matrices = np.array([[aside.matrices(phase * end) for phase in phases] for end in played])
    axes, size = matrices[..., :3, :3], scale_in_world(vehicle)[0]
    squares = np.einsum("...ab,...ac->...bc", axes, axes)
    turned = abs(squares - squares[..., :1, :1] * np.eye(3)) <= NEARLY * squares[..., :1, :1]
    if not turned.all() or (np.linalg.det(axes) <= 0.0).any():
        return None
    faces = (np.einsum("espab,cb->espca", axes, UPRIGHT) + matrices[..., None, :3, 3]) / size
    again = np.isclose(faces[:, [0, PHASES // 4]], faces[:, [PHASES, PHASES + 1]], rtol=0.0, atol=NEARLY)
    return faces[:, :-1] if again.all() else None


def swung(faces: np.ndarray, phase: np.ndarray, effort: np.ndarray) -> np.ndarray:
    """The faces of m vehicles and of their parts, (m, p, 3 corners, 3), of those that `swing` gives; `phase`, `effort`:
    (m,)."""
    efforts, last = len(faces), faces.shape[1] - 1
    place, strength = (phase - np.floor(phase)) * last, np.clip(effort / APART, 0.0, efforts - 1.0)
    before, weaker = place.astype(np.int64), strength.astype(np.int64)
    after, stronger = np.minimum(before + 1, last), np.minimum(weaker + 1, efforts - 1)
    along, up = ((value - np.floor(value))[:, None, None, None] for value in (place, strength))
    weak = faces[weaker, before] * (1.0 - along) + faces[weaker, after] * along
    strong = faces[stronger, before] * (1.0 - along) + faces[stronger, after] * along
    return weak * (1.0 - up) + strong * up
