"""Vehicles that are objects: read from their channels and settings, and moved by keys of their own."""

from collections.abc import Container, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, fields, replace
from functools import lru_cache

import numpy as np
from bpy.types import Depsgraph, FCurve, NlaStrip, Object, Scene

from ...simulation.arrays.once import once
from ...simulation.arrays.vectors import magnitude
from ...simulation.locomotion import Locomotion
from ..animation.animation_data import channelbag, playing_tracks
from ..animation.bake_actions import moved_without_bake
from ..animation.frame_rate import frame_time_of
from ..animation.ownership import CurrentAnimation, own_strips, strip_curves
from ..animation.rotation_channels import WIDEST, data_path, matrices_from_channels, width_of
from ..clips.clip_strips import without_clips
from ..clips.measuring import player_below
from ..moving import own_locomotion_of
from ..objects.doubles import axes_of_model, doubles
from ..objects.hierarchy import Family
from ..objects.identity import distinct_identities
from ..objects.tagged_objects import crowds_of
from ..refusal import finite_numbers
from .checks import FreeCheck, check_number, check_numbers, check_start, check_vehicle
from .dependencies import KeyedPaths, animates
from .local_space import is_computed, parent_part, to_world
from .sources import HidingRule, own_enter_frame, portrays
from .start_pose import earlier_velocity, holding_still, start_of, store
from .vehicles import OWN_SETTINGS


@dataclass(frozen=True)
class ObjectVehicles:
    """The `VehicleSource` of vehicles that are objects, a row each; attributes that it has are told there.

    Attributes:
        location, rotation: (n, 3) and (n, 4) the channels each starts from; of three angles the last number is 0.
        velocity: (n, 3) the velocity given by the animator's keys before the first frame, in the parent's space; nan
            without such keys.
        only_baked: (n,) whether it plays nothing but an earlier bake.
        hides: (n,) whether a bake may hide it and its parts.
        unscaled_height: (n,) the height of each model before it is scaled; 0 if unknown.
        up: (n,) the index of the axis of each model that points up.
        rescaled: (n,) whether its stride follows a scale that is animated.
        scale: (n, 3) the scale channels of each.
    """

    objects: tuple[Object, ...]
    crowds: tuple[Object, ...]
    axes: np.ndarray
    location: np.ndarray
    rotation: np.ndarray
    velocity: np.ndarray
    stored: Mapping[str, np.ndarray]
    animated: np.ndarray
    only_baked: np.ndarray
    hides: np.ndarray
    unscaled_height: np.ndarray
    up: np.ndarray
    rescaled: np.ndarray
    scale: np.ndarray
    own_locomotions: Mapping[int, type[Locomotion]]

    def __len__(self) -> int:
        return len(self.objects)

    def take(self, rows: np.ndarray) -> "ObjectVehicles":
        """The vehicles of some rows, (m,) rising."""
        if len(rows) == len(self):
            return self
        columns = {column.name: getattr(self, column.name) for column in fields(self)}
        columns_taken = {name: column[rows] for name, column in columns.items() if isinstance(column, np.ndarray)}
        tuples = {name: tuple(columns[name][row] for row in rows.tolist()) for name in ("objects", "crowds")}
        kinds = {k: kind for k, row in enumerate(rows.tolist()) if (kind := self.own_locomotions.get(row)) is not None}
        stored = {name: column[rows] for name, column in self.stored.items()}
        return replace(self, **columns_taken, **tuples, stored=stored, own_locomotions=kinds)

    @once
    def object_rows(self) -> np.ndarray:
        """All of them."""
        return np.arange(len(self.objects))

    @property
    def parts(self) -> "list[tuple[ObjectVehicles, np.ndarray]]":
        return [(self, self.object_rows)]

    @once
    def seeds(self) -> np.ndarray:
        return np.array([ob.steering.seed for ob in self.objects], dtype=np.int64)

    @once
    def enters(self) -> np.ndarray:
        return np.array([own_enter_frame(ob) for ob in self.objects], dtype=np.float64)

    @once
    def start_speed(self) -> np.ndarray:
        return finite_numbers(self.objects, "start_speed")

    def owner(self, row: int) -> Object:
        return self.objects[row]

    @once
    def parented(self) -> list[int]:
        """The rows of the vehicles that have a parent."""
        return [row for row, ob in enumerate(self.objects) if ob.parent is not None]

    @property
    def parents(self) -> list[Object]:
        """The parents of these, in the same order."""
        return [self.objects[row].parent for row in self.parented]

    @once
    def alike(self) -> dict[tuple[str, bytes], list[int]]:
        """The rows of the vehicles by rotation mode and axes: vehicles alike in both can be converted together."""
        rows: dict[tuple[str, bytes], list[int]] = {}
        for row, (ob, axes) in enumerate(zip(self.objects, self.axes)):
            rows.setdefault((ob.rotation_mode, axes.tobytes()), []).append(row)
        return rows

    def scales(self, rows: Sequence[int]) -> np.ndarray:
        """The scale channels of some vehicles, (k, 3)."""
        return np.asarray(self.scale[list(rows)])

    def needed(self) -> Iterator[Object]:
        """Parents, and vehicles with an animated scale or settings or whose parent part Blender has to compute."""
        yield from self.parents
        for ob, animated in zip(self.objects, (self.animated | self.rescaled).tolist()):
            if animated or is_computed(ob):
                yield ob

    def settings(self, depsgraph: Depsgraph, frame: int) -> Mapping[str, np.ndarray]:
        if not self.animated.any():
            return self.stored
        columns = {name: column.copy() for name, column in self.stored.items()}
        for row in np.flatnonzero(self.animated).tolist():
            ob = self.objects[row]
            evaluated = ob.evaluated_get(depsgraph).steering
            for name, column in columns.items():
                column[row] = value = getattr(evaluated, name)
                check_number(value, ob, f"steering.{name}", frame)
        return columns

    def parent_parts(self, depsgraph: Depsgraph, frame: int) -> np.ndarray:
        parts = np.array([parent_part(self.objects[row], depsgraph) for row in self.parented]).reshape(-1, 4, 4)
        check_numbers(parts, self.parents, frame)
        return parts

    @once
    def _heights(self) -> np.ndarray:
        """The heights by the scale channels as the file has them, (n,)."""
        return self.unscaled_height * np.array(
            [abs(scale[up] * ob.delta_scale[up]) for ob, scale, up in zip(self.objects, self.scale, self.up.tolist())]
        )

    def heights(self, depsgraph: Depsgraph, frame: int, parent_parts: np.ndarray) -> np.ndarray:
        if not (self.rescaled.any() or self.parented):
            return self._heights
        heights = self._heights.copy()
        for row in np.flatnonzero(self.rescaled).tolist():
            evaluated, up = self.objects[row].evaluated_get(depsgraph), int(self.up[row])
            scale = abs(evaluated.scale[up] * evaluated.delta_scale[up])
            check_number(scale, self.objects[row], "scale", frame)
            heights[row] = self.unscaled_height[row] * scale
        heights[self.parented] *= magnitude(np.moveaxis(parent_parts[:, :3, :3], 1, -1)).mean(axis=-1)
        return heights

    @once
    def _origin_heights(self) -> np.ndarray:
        """(n,) as shares of the heights of the vehicles."""
        origin = finite_numbers(self.objects, "origin_height")
        known = self.unscaled_height > 0.0
        return np.where(known, origin / np.where(known, self.unscaled_height, 1.0), 0.0)

    def lift(self, heights: np.ndarray) -> np.ndarray:
        return self._origin_heights * heights

    def start(self, parent_parts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        n = len(self.objects)
        parts = np.tile(np.eye(4), (n, 1, 1))
        parts[self.parented] = parent_parts
        position, basis, velocity = np.zeros((n, 3)), np.zeros((n, 3, 3)), self.velocity.copy()
        for (mode, _), rows in self.alike.items():
            turns = matrices_from_channels(self.rotation[rows, : width_of(mode)], mode)
            axes, scales = self.axes[rows[0]], self.scales(rows)
            position[rows], basis[rows] = to_world(parts[rows], self.location[rows], turns, axes, scales)
        for row in np.flatnonzero(~np.isnan(velocity[:, 0])).tolist():
            velocity[row] = np.einsum("ab,b->a", parts[row, :3, :3], self.velocity[row])
        return position, basis, velocity

    def pose(self, row: int, depsgraph: Depsgraph) -> tuple[np.ndarray, np.ndarray]:
        matrix = doubles(self.objects[row].evaluated_get(depsgraph).matrix_world)
        # The matrix includes the vehicle's scale, so a mirrored vehicle needs no correction.
        return to_world(matrix, np.zeros(3), np.eye(3), self.axes[row], np.ones(3))

    def computed(self) -> list[int]:
        return [row for row in self.parented if is_computed(self.objects[row])]

    @contextmanager
    def at_start(self, rows: Iterable[int]) -> Iterator[None]:
        family = Family()
        with ExitStack() as standing:
            for row in rows:
                ob = self.objects[row]
                standing.enter_context(holding_still(ob))
                if (player := player_below(ob, family)) is not None:
                    standing.enter_context(without_clips(player))
                self._stand(row)
            yield

    def stand_at_start(self, objects: Container[Object]) -> None:
        """Move the vehicles among some objects to their start; they play no bake."""
        for row, ob in enumerate(self.objects):
            if ob in objects:
                self._stand(row)

    def _stand(self, row: int) -> None:
        ob = self.objects[row]
        ob.location = self.location[row]
        setattr(ob, data_path(ob.rotation_mode), self.rotation[row, : width_of(ob.rotation_mode)])

    def store(self, identities: np.ndarray) -> None:
        for row, (ob, identity) in enumerate(zip(self.objects, identities.tolist())):
            if ob.steering.identity != identity:
                ob.steering.identity = identity
            store(ob, self.location[row], self.rotation[row, : width_of(ob.rotation_mode)])


def object_vehicles(
    scene: Scene,
    moving: Sequence[Object],
    first: int,
    last: int,
    replace_own_keys: bool,
    adds_nothing: bool,
    states: Sequence[Object],
) -> Generator[None, None, tuple[ObjectVehicles, np.ndarray]]:
    """The vehicles among the objects that a run moves, sorted by identity, and their identities (n,), in pieces.
    Refused if an object cannot be moved.

    Args:
        first, last: the frames of the run.
        replace_own_keys: whether the vehicles' own keys may be set aside.
        adds_nothing: whether no datablock may be added.
        states: of all crowds, those that may be active.
    """
    crowds = crowds_of(moving)
    check_free = FreeCheck(first, last, replace_own_keys, states)
    all_played, hides = yield from _check_vehicles(moving, crowds, check_free, HidingRule(states))
    identities = distinct_identities(moving)
    order = sorted(range(len(moving)), key=lambda k: identities[moving[k].name])
    objects, crowds, all_played, hides = ([each[k] for k in order] for each in (moving, crowds, all_played, hides))
    on_start_frame = scene.frame_current == first and scene.frame_subframe == 0.0
    frame_time, n = frame_time_of(scene), len(objects)
    location, rotation, velocity = np.zeros((n, 3)), np.zeros((n, WIDEST)), np.full((n, 3), np.nan)
    # By name: of several that are refused, the first is named.
    for row in sorted(range(n), key=order.__getitem__):
        ob, played = objects[row], all_played[row]
        with nullcontext(played) if adds_nothing else moved_without_bake(played) as unbaked:
            location[row], turn = start = start_of(ob, played, unbaked, first, on_start_frame=on_start_frame)
            if (before := earlier_velocity(unbaked, first, frame_time)) is not None:
                velocity[row] = before
        rotation[row, : len(turn)] = turn
        check_start(ob, *start)
        yield
    muted = [_muted_scale(ob, first, last) if replace_own_keys else set() for ob in objects]
    rescaled = [_is_rescaled(ob, crowd) and not channels for ob, crowd, channels in zip(objects, crowds, muted)]
    yield
    stored = {}
    for name in OWN_SETTINGS:
        stored[name] = finite_numbers(objects, name)
        yield
    keyed: KeyedPaths = {}
    animated = np.array([animates(ob, "steering", keyed) for ob in objects], dtype=np.bool_)
    yield
    axes = np.array([axes_of_model(ob) for ob in objects]).reshape(-1, 3, 3)
    yield
    own_locomotions = {row: kind for row, ob in enumerate(objects) if (kind := own_locomotion_of(ob)) is not None}
    scale = np.array([_scale(*pair) for pair in zip(objects, muted)]).reshape(-1, 3)
    yield
    vehicles = ObjectVehicles(
        objects=tuple(objects),
        crowds=tuple(crowds),
        axes=axes,
        location=location,
        rotation=rotation,
        velocity=velocity,
        stored=stored,
        animated=animated,
        only_baked=np.array([played.only_ours for played in all_played], dtype=np.bool_),
        hides=np.array(hides, dtype=np.bool_),
        unscaled_height=finite_numbers(objects, "height"),
        up=np.array(["XYZ".index(ob.steering.up_axis[-1]) for ob in objects], dtype=np.int64),
        rescaled=np.array(rescaled, dtype=np.bool_),
        scale=scale,
        own_locomotions=own_locomotions,
    )
    return vehicles, np.array([identities[ob.name] for ob in objects], dtype=np.int64)


@lru_cache(maxsize=1)
def no_objects() -> ObjectVehicles:
    """A source without vehicles."""
    flags, numbers, vectors = np.zeros(0, dtype=np.bool_), np.zeros(0), np.zeros((0, 3))
    start = np.zeros((0, 3, 3)), vectors, np.zeros((0, WIDEST)), vectors
    stored, up = dict.fromkeys(OWN_SETTINGS, numbers), np.zeros(0, dtype=np.int64)
    return ObjectVehicles((), (), *start, stored, flags, flags, flags, numbers, up, flags, vectors, {})


def _check_vehicles(
    moving: Iterable[Object], crowds: Iterable[Object], check_free: FreeCheck, hiding: HidingRule
) -> Generator[None, None, tuple[list[CurrentAnimation], list[bool]]]:
    """For each vehicle what it plays and whether a bake may hide it; refuses those that cannot be baked."""
    all_played, hides = [], []
    for ob, crowd in zip(moving, crowds):
        check_vehicle(ob)
        played, hidden = CurrentAnimation(ob), hiding.concerns(ob, crowd)
        check_free(ob, crowd, hidden, played)
        all_played.append(played)
        hides.append(hidden)
        yield
    return all_played, hides


def _scale(ob: Object, muted: set[int]) -> np.ndarray:
    """The scale channels (3,) of a vehicle while it plays its bake: 1 for those that only muted strips animate."""
    scale = doubles(ob.scale)
    scale[list(muted)] = 1.0
    return scale


def _muted_scale(ob: Object, first: int, last: int) -> set[int]:
    """The scale channels that only strips animate which a bake mutes."""
    muted = own_strips(ob, first, last)
    if not muted:
        return set()
    playing = [strip for track in playing_tracks(ob) for strip in track.strips if strip not in muted]
    bag = channelbag(ob)
    unmuted = [*(bag.fcurves if bag is not None else ()), *ob.animation_data.drivers, *_curves(playing)]
    return _scale_channels(_curves(muted)) - _scale_channels(unmuted)


def _curves(strips: Iterable[NlaStrip]) -> list[FCurve]:
    return [curve for strip in strips for curve in strip_curves(strip)]


def _scale_channels(curves: Iterable[FCurve]) -> set[int]:
    return {curve.array_index for curve in curves if curve.data_path == "scale" and not curve.mute}


def _is_rescaled(ob: Object, crowd: Object) -> bool:
    """Whether the scale of a vehicle matters to its stride and is animated."""
    strides = portrays(crowd) and crowd.steering.portrayal.phase_by == "DISTANCE" and ob.steering.height > 0.0
    return strides and (animates(ob, "scale") or animates(ob, "delta_scale"))
