"""Vehicles that are the points of an object, as its modifiers leave them: thousands without an object of their own.

Where they are is where they start; nothing is written to them. An attribute of a point is a setting of its own, by the
name that the setting has in `Object.steering`; what points do not have, all have from their object.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

import numpy as np
from bpy.types import Depsgraph, Object, Scene

from ...simulation.arrays.identities import distinct, in_a_row
from ...simulation.arrays.once import once
from ...simulation.locomotion import Locomotion
from ..animation.rotation_channels import matrices_from_channels
from ..objects.doubles import doubles, model_axes
from ..objects.hierarchy import roots
from ..objects.identity import distinct_identities
from ..objects.tagged_objects import crowd_of
from ..properties import pointed_at
from ..refusal import FARTHEST, Front, Refusal, finite_numbers, sound_front
from .aside import scene_aside
from .checks import check_number
from .dependencies import animates
from .evaluated_points import EvaluatedPoints, evaluated_points
from .local_space import to_world
from .role_assignment import current_front
from .sources import own_enter_frame
from .vehicles import OWN_SETTINGS, VehicleSource

NOT_OF_POINTS = ("by_hand",)
"""Settings of a vehicle that points do not have, as they have no guide."""


@dataclass(frozen=True)
class PointVehicles(VehicleSource):
    """The `VehicleSource` of n vehicles that are the points of one object, in the order of their identities.

    Attributes:
        identity: its own, which no other object with points has.
        axes: (n, 3, 3) the side, forward and up axis of the models in their own space.
        position, basis, velocity: as `VehicleSource.start` returns them.
        stored: the columns of OWN_SETTINGS as the file has them.
        own: the names of those that are attributes of the points.
        seeds, enters, start_speed: (n,) as of `VehicleSource`.
        height, origin_height: (n,) metres, as of `VehicleSource.heights` and `lift`.
        scale: (n,) how many times as large as its model each is.
        variant: (n,) which of the models each has.
    """

    ob: Object
    identity: int
    crowd: Object
    axes: np.ndarray
    position: np.ndarray
    basis: np.ndarray
    velocity: np.ndarray
    stored: Mapping[str, np.ndarray]
    own: frozenset[str]
    seeds: np.ndarray
    enters: np.ndarray
    start_speed: np.ndarray
    height: np.ndarray
    origin_height: np.ndarray
    scale: np.ndarray
    variant: np.ndarray
    own_locomotions: Mapping[int, type[Locomotion]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.position)

    @property
    def crowds(self) -> tuple[Object, ...]:
        """The crowd of each."""
        return (self.crowd,) * len(self)

    @property
    def hides(self) -> np.ndarray:
        """(n,) whether a bake may hide them: points can always be hidden."""
        return np.ones(len(self), dtype=np.bool_)

    @once
    def animated(self) -> np.ndarray:
        """(n,) whether settings that all have from their object are keyed or driven."""
        shared = [name for name in OWN_SETTINGS if name not in self.own and name not in NOT_OF_POINTS]
        return np.full(len(self), any(animates(self.ob, f"steering.{name}") for name in shared))

    def take(self, rows: np.ndarray) -> "PointVehicles":
        """The vehicles of some rows, (m,) or a mask (n,)."""
        columns = {column.name: getattr(self, column.name) for column in fields(self)}
        columns_taken = {name: column[rows] for name, column in columns.items() if isinstance(column, np.ndarray)}
        return replace(self, **columns_taken, stored={name: column[rows] for name, column in self.stored.items()})

    def owner(self, row: int) -> Object:
        return self.ob

    def needed(self) -> Iterator[Object]:
        if self.animated.any():
            yield self.ob

    def settings(self, depsgraph: Depsgraph, frame: int) -> Mapping[str, np.ndarray]:
        if not self.animated.any():
            return self.stored
        evaluated, columns = self.ob.evaluated_get(depsgraph).steering, dict(self.stored)
        for name in OWN_SETTINGS:
            if name not in self.own and name not in NOT_OF_POINTS:
                check_number(value := getattr(evaluated, name), self.ob, f"steering.{name}", frame)
                columns[name] = np.full(len(self), value) * (self.scale if name == "size_factor" else 1.0)
        return columns

    def heights(self, depsgraph: Depsgraph, frame: int, parent_parts: np.ndarray) -> np.ndarray:
        return self.height

    def lift(self, heights: np.ndarray) -> np.ndarray:
        return self.origin_height

    def start(self, parent_parts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.position, self.basis, self.velocity

    def pose(self, row: int, depsgraph: Depsgraph) -> tuple[np.ndarray, np.ndarray]:
        """As `VehicleSource.pose`: where it starts, as nothing moves it in the evaluated scene."""
        return self.position[row], self.basis[row]

    def store(self, identities: np.ndarray) -> None:
        """Store the identity of the object; its points stay what they are."""
        if self.ob.steering.identity != self.identity:
            self.ob.steering.identity = self.identity


def sources_of_points(
    objects: Sequence[Object],
    scene: Scene,
    first: int,
    known: np.ndarray,
    picked: Mapping[Object | None, np.ndarray],
    *,
    adds_nothing: bool,
) -> Iterator[tuple[Object, tuple[PointVehicles, np.ndarray]]]:
    """Each object with the vehicles that its points are, as of `point_vehicles`; no two have the same identity.
    `known`: (k,) identities of other vehicles; `picked`: the identities of points that are left out as objects stand
    for them, by their crowd."""
    numbers = distinct_identities(objects)
    for ob in objects:
        points, identities = point_vehicles(ob, numbers[ob.name], scene, first, known, adds_nothing=adds_nothing)
        known = np.concatenate((known, identities))
        stays = ~np.isin(identities, picked.get(crowd_of(ob), ()))
        yield ob, (points, identities) if stays.all() else (points.take(stays), identities[stays])


def point_vehicles(
    ob: Object, identity: int, scene: Scene, first: int, known: np.ndarray, *, adds_nothing: bool
) -> tuple[PointVehicles, np.ndarray]:
    """The vehicles that the points of an object are on the first frame of a run, and their identities (n,). Refused if
    a point or an attribute cannot be used.

    Args:
        ob: tagged as points, with a crowd.
        known: (k,) identities of other vehicles.
        adds_nothing: whether no datablock may be added; then the points are those of the present frame.
    """
    points = _read(ob, scene, first, adds_nothing=adds_nothing)
    count = len(points)
    ids = points.columns.get("id")
    identities = distinct(in_a_row(identity, count) if ids is None else _whole_numbers(ob, "id", ids), known)
    order = np.argsort(identities, kind="stable")

    def setting(name: str) -> np.ndarray:
        column = points.columns.get(name)
        return np.full(count, finite_numbers([ob], name)[0]) if column is None else _in_limits(ob, name, column)[order]

    variant = points.columns.get("variant")
    variant = np.zeros(count, dtype=np.int64) if variant is None else _whole_numbers(ob, "variant", variant)[order]
    turns = _rotation_matrices(points.columns.get("rotation", np.tile(np.eye(3), (count, 1, 1))))[order]
    position, basis, axes = np.zeros((count, 3)), np.zeros((count, 3, 3)), np.zeros((count, 3, 3))
    for rows, front in _fronts(ob, variant):
        axes[rows] = own_axes = model_axes(*front)
        local = points.columns["position"][order][rows]
        position[rows], basis[rows] = to_world(points.to_world, local, turns[rows], own_axes, np.ones(3))
    _check_places(ob, position)
    scale = _scales(ob, points)[order]
    stored = {name: setting(name) for name in OWN_SETTINGS if name not in NOT_OF_POINTS}
    stored |= {name: np.zeros(count) for name in NOT_OF_POINTS}
    stored["size_factor"] = stored["size_factor"] * scale
    velocity = points.columns.get("velocity")
    enter = points.columns.get("enter_frame")
    vehicles = PointVehicles(
        ob=ob,
        identity=identity,
        crowd=crowd_of(ob),
        axes=axes,
        position=position,
        basis=basis,
        velocity=np.full((count, 3), np.nan) if velocity is None else _velocities(ob, velocity)[order],
        stored=stored,
        own=frozenset(points.columns),
        seeds=setting("seed").astype(np.int64),
        enters=np.full(count, own_enter_frame(ob)) if enter is None else _in_limits(ob, "enter_frame", enter)[order],
        start_speed=setting("start_speed"),
        height=setting("height") * scale,
        origin_height=setting("origin_height") * scale,
        scale=scale,
        variant=variant,
    )
    return vehicles, identities[order]


def _read(ob: Object, scene: Scene, first: int, *, adds_nothing: bool) -> EvaluatedPoints:
    # Not where it is evaluated: a preview shrinks it there.
    stays = not _is_moved(ob)
    has_shapes = getattr(ob.data, "shape_keys", None) is not None
    if stays and not has_shapes and not any(modifier.show_viewport for modifier in ob.modifiers):
        return evaluated_points(ob, None)
    if adds_nothing:
        points = evaluated_points(ob, scene.view_layers[0].depsgraph)
        return replace(points, to_world=doubles(ob.matrix_basis)) if stays else points
    with scene_aside(scene, [ob]) as own_scene:
        own_scene.frame_set(first)
        return evaluated_points(ob, own_scene.view_layers[0].depsgraph)


def _is_moved(ob: Object) -> bool:
    """Whether more than its own channels says where an object is."""
    deltas = (*ob.delta_location, *ob.delta_rotation_euler, *(scale - 1.0 for scale in ob.delta_scale))
    return ob.animation_data is not None or ob.parent is not None or len(ob.constraints) > 0 or any(deltas)


def _check_places(ob: Object, places: np.ndarray) -> None:
    """Refuse points (n, 3) of an object that are nowhere."""
    nowhere = ~(np.abs(places) < FARTHEST).all(axis=1)
    if nowhere.any():
        k = int(nowhere.sum())
        text = f"{k} of the {len(places)} points of {ob.name} are nowhere (NaN, or too far away). Check its modifiers."
        raise Refusal(text, about=[ob])


def models_of_points(ob: Object) -> list[Object]:
    """The models that the points of an object show, in the order of their variants; none without such a collection."""
    collection = pointed_at(ob.steering, "models")
    return [] if collection is None else roots(collection)


def front_of_model(ob: Object, model: Object) -> Front:
    """The front of a model shown by points of an object: its own, or else that of the object."""
    return sound_front(ob if current_front(model) is None else model)


def _fronts(ob: Object, variant: np.ndarray) -> Iterator[tuple[np.ndarray, Front]]:
    """The rows of the points (n,) whose models have the same front, with that: their own, or else the object's."""
    fronts = [front_of_model(ob, model) for model in models_of_points(ob)] or [sound_front(ob)]
    number = np.clip(variant, 0, len(fronts) - 1)
    for front in dict.fromkeys(fronts):
        has_front = np.array([other == front for other in fronts])
        yield np.flatnonzero(has_front[number]), front


def _rotation_matrices(turns: np.ndarray) -> np.ndarray:
    """Matrices (n, 3, 3) from these, or from quaternions (n, 4) or XYZ Euler angles (n, 3)."""
    if turns.ndim == 3:
        return turns
    return matrices_from_channels(turns, "QUATERNION" if turns.shape[1] == 4 else "XYZ")


def _scales(ob: Object, points: EvaluatedPoints) -> np.ndarray:
    """The attribute `scale`, (n,), of three numbers the mean; 1 without it."""
    scale = points.columns.get("scale")
    if scale is None:
        return np.ones(len(points))
    scale = scale if scale.ndim == 1 else scale.sum(axis=1) / scale.shape[1]
    _check_finite(ob, "scale", scale)
    return np.abs(scale)


def _velocities(ob: Object, velocity: np.ndarray) -> np.ndarray:
    if velocity.ndim != 2 or velocity.shape[1] != 3:
        raise Refusal(f"The attribute velocity of {ob.name} is no vector. Check its modifiers.", about=[ob])
    _check_finite(ob, "velocity", velocity)
    return velocity


def _in_limits(ob: Object, name: str, column: np.ndarray) -> np.ndarray:
    """The numbers of a setting (n,) within its limits."""
    _check_single(ob, name, column)
    declared = ob.steering.bl_rna.properties[name]
    return column if declared.type == "BOOLEAN" else np.clip(column, declared.hard_min, declared.hard_max)


def _whole_numbers(ob: Object, name: str, column: np.ndarray) -> np.ndarray:
    _check_single(ob, name, column)
    return np.floor(column).astype(np.int64)


def _check_single(ob: Object, name: str, column: np.ndarray) -> None:
    if column.ndim != 1:
        raise Refusal(f"The attribute {name} of {ob.name} is no single number. Check its modifiers.", about=[ob])
    _check_finite(ob, name, column)


def _check_finite(ob: Object, name: str, column: np.ndarray) -> None:
    if not (np.abs(column) < FARTHEST).all():
        text = f"The attribute {name} of {ob.name} is not a number (NaN or infinite) on a point. Check its modifiers."
        raise Refusal(text, about=[ob])
