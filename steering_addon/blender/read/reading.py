"""From Blender to the simulation: one `Frame` of everything on the frame a depsgraph is evaluated for."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...minds.minding import Minds
from ...portrayal.frame import Frame
from ...simulation.arrays.chance import shared_key
from ...simulation.arrays.vectors import same_for_all, shared, unit
from ...simulation.combining import COMBININGS
from ...simulation.geometry.capsules import half_axis
from ...simulation.geometry.obstacles import Obstacles, obstacles
from ...simulation.geometry.regions import SHAPES, Regions, regions
from ...simulation.locomotion import Locomotion
from ...simulation.presence.attendance import STAY, Attendance, enter_frames
from ...simulation.roles import Role
from ...simulation.snapshot import Settings, Snapshot, State, Tracked, no_tracked, starting
from ...simulation.vehicle import VehicleModel
from ..objects.body_sizes import Body, body_radius, points_of
from ..objects.doubles import doubles
from ..objects.hierarchy import Family, instanced
from ..objects.tagged_objects import crowd_of
from ..properties import has_role, settings_of
from ..refusal import Refusal
from ..stored_values import choice_in
from .checks import check_number, check_numbers, checked_values
from .curves import CurveReader
from .dependencies import animates
from .entry_settings import frames_there
from .flow_meshes import CurrentReader
from .forward_axis import front_of
from .guides import read_guides
from .local_space import AXIS_NAMES, model_axes
from .locomotions import LocomotionReader
from .marks import MarkReader
from .minds import MindReader
from .plan import Plan
from .role_assignment import current_front
from .solids import Axes, Solids, Surface, box_of, sizes_of
from .sources import BodySource, CrowdSource
from .standing_place import standing
from .surfaces import SurfaceReader
from .vehicles import FACTORS

if TYPE_CHECKING:
    from bpy.types import Depsgraph, Object

    from .curves import ReadsLines

SHAPE_NUMBERS = {choice.name: choice.number for choice in SHAPES}
COMBINING_NUMBERS = {choice.name: choice.number for choice in COMBININGS}


class Reader:
    """Reads the frames of a plan, in order.

    Values that do not change are read on the first frame only: shapes of obstacles, radii of bodies, settings that are
    not animated.
    """

    def __init__(self, plan: Plan, read_lines: ReadsLines | None = None) -> None:
        """`read_lines` reads the lines of curves; by default `curves.polylines`."""
        self.plan = plan
        self._curves = [CurveReader(ob, read_lines) for ob in plan.paths]
        self._flows = [CurrentReader(ob) if ob.type == "MESH" else CurveReader(ob, read_lines) for ob in plan.flows]
        self._solids = Solids(plan.obstacles)
        self._surfaces = SurfaceReader(plan.surfaces)
        self._marks = MarkReader(plan.marks, plan.frame_time)
        self._insides: dict[int, Surface] = {}
        self._bodies: np.ndarray | None = None
        self._faces: np.ndarray | None = None
        self._boxes: list[tuple[np.ndarray, np.ndarray]] | None = None
        self._placed_regions: tuple[tuple, Regions] | None = None
        self._axes = Axes()
        self._no_bodies, self._no_regions = no_tracked(), regions([], np.zeros((0, 3)), [])
        self._no_obstacles = obstacles([], [])
        self._roles = np.full(len(plan), int(Role.VEHICLE), dtype=np.int64)
        self._body_spans = frames_there(source.ob for source in plan.bodies)
        self._obstacle_spans = frames_there(source.ob for source in plan.obstacles)
        self._forget_settings()

    def _forget_settings(self) -> None:
        plan = self.plan
        self._attendance: tuple[Attendance | None, np.ndarray | None] | None = None
        self._attendance_is_animated = any(animates(crowd.ob, "steering.attendance") for crowd in plan.crowds)
        self._crowds = [_CrowdReader(crowd) for crowd in plan.crowds]
        self._crowd, self._crowd_keys = _of_crowds(plan)
        kinds = plan.vehicles.source.own_locomotions
        self._minds = MindReader(plan.states, plan.triggers, len(plan.crowds), kinds)
        self._crowds_stay = all(crowd.stays for crowd in self._crowds) and self._minds.stays
        self._minds_read: tuple[Mapping[str, np.ndarray], tuple[Settings, ...], Minds] | None = None
        self._model: tuple[Mapping[str, np.ndarray], VehicleModel] | None = None
        objects = plan.vehicles.source.objects if kinds else ()
        self._locomotions = LocomotionReader((crowd.ob for crowd in plan.crowds), self._crowd, objects, kinds)

    @property
    def settings_stay(self) -> bool:
        """Whether the settings of all crowds and vehicles are the same on all frames."""
        return self._crowds_stay and not self.plan.vehicles.source.animated.any()

    def of_changed_crowds(self, plan: Plan) -> Reader:
        """A reader for the same scene with other settings of its crowds, which knows what was measured before."""
        reader = copy(self)
        reader.plan = plan
        reader._forget_settings()
        return reader

    @property
    def has_measured(self) -> bool:
        """Whether the sizes of all bodies and obstacles are known, for which their children have to be evaluated."""
        bodies_known = self._bodies is not None or not self.plan.bodies
        return bodies_known and (self._solids.measured or not self.plan.obstacles)

    def read(self, depsgraph: Depsgraph, frame: int) -> Frame:
        """The frame the depsgraph is evaluated for.

        Raises:
            Refusal: a value is not a number.
        """
        source = self.plan.vehicles.source
        parent_parts, settings = source.parent_parts(depsgraph, frame), source.settings(depsgraph, frame)
        heights = source.heights(depsgraph, frame, parent_parts)
        return Frame(frame, self._snapshot(depsgraph, frame, settings, heights), parent_parts, heights)

    def renewed(self, read: Frame) -> Frame:
        """A frame that was read before settings of crowds were changed, with the present ones; if `settings_stay`."""
        settings = self._settings_columns(None, read.number, self.plan.vehicles.source.stored)
        return replace(read, snapshot=replace(read.snapshot, **settings))

    def _snapshot(
        self, depsgraph: Depsgraph, frame: int, settings: Mapping[str, np.ndarray], heights: np.ndarray
    ) -> Snapshot:
        return Snapshot(
            **self._settings_columns(depsgraph, frame, settings),
            roles=self._roles,
            tracked=self._tracked(depsgraph, frame),
            obstacles=self._obstacles(depsgraph, frame),
            paths=tuple(curve.read(depsgraph) for curve in self._curves),
            regions=self._regions(depsgraph, frame),
            flows=tuple(flow.read(depsgraph) for flow in self._flows if _active(flow.ob, depsgraph)),
            surfaces=self._surfaces.read(depsgraph, frame),
            lift=self.plan.vehicles.source.lift(heights),
            marks=self._marks.read(depsgraph, frame),
            guides=read_guides(self.plan.guides, settings["by_hand"], depsgraph, frame),
        )

    def _settings_columns(
        self, depsgraph: Depsgraph | None, frame: int, settings: Mapping[str, np.ndarray]
    ) -> dict[str, Any]:
        """The part of a snapshot that depends on the settings of the scene, the crowds and the vehicles.

        Without a depsgraph only if `settings_stay`.
        """
        plan = self.plan
        attendance, enters = self._attending(depsgraph, frame)
        bodies, row = self._locomotions.read(depsgraph, frame)
        vehicle = self._vehicle(depsgraph, frame, settings)
        of_crowds = tuple(crowd.read(depsgraph, frame) for crowd in self._crowds)
        of_states, minds = self._minded(depsgraph, frame, settings, vehicle, bodies, of_crowds)
        return {
            "frame_time": plan.frame_time,
            "substeps": plan.substeps,
            "keys": plan.vehicles.keys,
            "vehicle": vehicle,
            "locomotions": bodies,
            "locomotion_row": row,
            "present": settings["active"].astype(np.bool_),
            "settings": (*of_crowds, *of_states),
            "minds": minds,
            "settings_row": self._crowd,
            "crowd": self._crowd,
            "crowd_keys": self._crowd_keys,
            "numbers": plan.vehicles.numbers,
            "candidates": plan.candidates,
            "attendance": attendance,
            "due": None if enters is None else frame >= enters,
        }

    def _minded(
        self,
        depsgraph: Depsgraph | None,
        frame: int,
        settings: Mapping[str, np.ndarray],
        vehicle: VehicleModel,
        locomotions: tuple[Locomotion, ...],
        of_crowds: tuple[Settings, ...],
    ) -> tuple[tuple[Settings, ...], Minds | None]:
        """The settings of the states and the minds of their crowds; the same objects while nothing changes."""
        if not self.plan.states:
            return (), None
        stays = self._crowds_stay and self._locomotions.stay
        if self._minds_read is None or not stays or self._minds_read[0] is not settings:
            states = self._minds.settings(depsgraph, frame, of_crowds)
            self._minds_read = settings, states, self._minds.read(depsgraph, frame, vehicle, locomotions, settings)
        return self._minds_read[1], self._minds_read[2]

    def start(self, first: Frame) -> State:
        """Where the vehicles start: their own channels, in the space their parents have on the first frame."""
        plan = self.plan
        position, basis, velocity = plan.vehicles.source.start(first.parent_parts)
        forward, up = basis[:, :, 1], basis[:, :, 2]
        default = forward * (plan.vehicles.start_speed * first.snapshot.vehicle.max_speed)[:, None]
        velocity = np.where(np.isnan(velocity), default, velocity)
        return starting(position, forward, up, velocity, time=float(plan.frames[0]) * plan.frame_time)

    def _vehicle(self, depsgraph: Depsgraph | None, frame: int, settings: Mapping[str, np.ndarray]) -> VehicleModel:
        if self._model is None or not self._crowds_stay or self._model[0] is not settings:
            self._model = settings, self._models(depsgraph, frame, settings)
        return self._model[1]

    def _models(self, depsgraph: Depsgraph | None, frame: int, settings: Mapping[str, np.ndarray]) -> VehicleModel:
        columns = {name: np.zeros(len(self.plan), dtype=p.kind.dtype) for name, p in VehicleModel.parameters().items()}
        for crowd, reader in zip(self.plan.crowds, self._crowds):
            group = reader.stored(depsgraph).vehicle
            for name, value in checked_values(VehicleModel, group, crowd.ob, "vehicle", frame).items():
                columns[name][crowd.rows] = value
        for name, factor in FACTORS:
            columns[name] = columns[name] * settings[factor]
        # A column that holds one value n times is faster to compute with if it is stored once.
        return VehicleModel.of(len(self.plan), **{n: c[0] if same_for_all(c) else c for n, c in columns.items()})

    def _attending(self, depsgraph: Depsgraph | None, frame: int) -> tuple[Attendance | None, np.ndarray | None]:
        """When vehicles enter and leave, as the crowds say, and the frames (n,) on which they enter.

        None for either that makes no difference: all vehicles are present from the start, and stay.
        """
        if self._attendance is None or self._attendance_is_animated:
            attendance = self._attendances(depsgraph, frame)
            vehicles = self.plan.vehicles
            enters = np.where(np.isnan(vehicles.enters), enter_frames(attendance, vehicles.keys), vehicles.enters)
            all_present = bool((enters == -np.inf).all())
            stay = bool((attendance.on_arrival == STAY).all())
            self._attendance = None if all_present and stay else attendance, None if all_present else enters
        return self._attendance

    def _attendances(self, depsgraph: Depsgraph | None, frame: int) -> Attendance:
        """When vehicles enter and what they do on arrival, as their crowds say; n rows."""
        columns = {name: np.full(len(self.plan), p.default) for name, p in Attendance.parameters().items()}
        for crowd, reader in zip(self.plan.crowds, self._crowds):
            if crowd.ob.steering.is_property_set("attendance"):
                group = reader.stored(depsgraph).attendance
                for name, value in checked_values(Attendance, group, crowd.ob, "attendance", frame).items():
                    columns[name][crowd.rows] = value
        return Attendance.of(len(self.plan), **columns)

    def _tracked(self, depsgraph: Depsgraph, frame: int) -> Tracked:
        sources = self.plan.bodies
        if not sources:
            return self._no_bodies
        if self._bodies is None:
            family = Family()
            self._bodies = np.array([_body(source.ob, depsgraph, family) for source in sources])
            for source, size in zip(sources, self._bodies):
                if not np.isfinite(size).all():
                    text = f"The size of {source.ob.name} is not a number. Check the Radius and Length of its crowd."
                    raise Refusal(text, about=[source.ob])
            self._faces = np.array([_face(source.ob, depsgraph, family) for source in sources]).reshape(-1, 3)
        matrices = np.array([_matrix(source, self.plan, depsgraph) for source in sources]).reshape(-1, 4, 4)
        check_numbers(matrices, [source.ob for source in sources], frame)
        return Tracked(
            position=matrices[:, :3, 3],
            forward=unit(np.einsum("kab,kb->ka", matrices[:, :3, :3], self._faces)),
            radius=self._bodies[:, 0],
            half_axis=half_axis(self._bodies[:, 0], self._bodies[:, 1]),
            roles=np.array([_roles(source.ob) for source in sources], dtype=np.int64),
            present=np.array([_active(source.ob, depsgraph) for source in sources], dtype=np.bool_)
            & _within(self._body_spans, frame),
            carrier=np.array([source.carrier for source in sources], dtype=np.int64),
            crowd=np.array([self._crowd_row(source.ob) for source in sources], dtype=np.int64),
            amount=self._amounts(depsgraph, frame),
        )

    def _amounts(self, depsgraph: Depsgraph, frame: int) -> np.ndarray:
        """The amount of each body that is a resource, inf for the others; (k,)."""
        amounts = np.full(len(self.plan.bodies), np.inf)
        for row, source in enumerate(self.plan.bodies):
            if has_role(source.ob, Role.RESOURCE):
                amounts[row] = source.ob.evaluated_get(depsgraph).steering.amount
                check_number(amounts[row], source.ob, "steering.amount", frame)
        return amounts

    def _crowd_row(self, ob: Object) -> int:
        """The row of the crowd of a vehicle that the run does not move, -1 for any other object."""
        crowd = crowd_of(ob) if has_role(ob, Role.VEHICLE) else None
        return next((row for row, source in enumerate(self.plan.crowds) if source.ob == crowd), -1)

    def _regions(self, depsgraph: Depsgraph, frame: int) -> Regions:
        obs = self.plan.regions
        if not obs:
            return self._no_regions
        matrices = doubles([ob.evaluated_get(depsgraph).matrix_world for ob in obs]).reshape(-1, 4, 4)
        check_numbers(matrices, list(obs), frame)
        shapes = [_shape(ob) for ob in obs]
        active = [_active(ob, depsgraph) for ob in obs]
        placed = (matrices.tobytes(), shapes, active)
        if self._placed_regions is not None and self._placed_regions[0] == placed and "MESH" not in shapes:
            return self._placed_regions[1]
        if self._boxes is None:
            self._boxes = [_box(ob, depsgraph) for ob in obs]
        middle = np.array([middle for middle, _ in self._boxes]).reshape(-1, 3)
        half = np.array([half for _, half in self._boxes]).reshape(-1, 3)
        sizes = np.array([sizes_of(matrix) for matrix in matrices]).reshape(-1, 3)
        read = Regions(
            centre=np.einsum("kab,kb->ka", matrices[:, :3, :3], middle) + matrices[:, :3, 3],
            axes=self._axes.of(matrices),
            mesh=self._region_meshes(matrices, depsgraph),
            half=half * sizes,
            shape=np.array([SHAPE_NUMBERS[shape] for shape in shapes], dtype=np.int64),
            present=np.array(active, dtype=np.bool_),
        )
        self._placed_regions = placed, read
        return read

    def _region_meshes(self, matrices: np.ndarray, depsgraph: Depsgraph) -> np.ndarray:
        """The meshes of the regions with shape Mesh, None for the others; (k,).

        Raises:
            Refusal: a mesh is not closed.
        """
        meshes = np.full(len(self.plan.regions), None, dtype=np.object_)
        for row, (ob, matrix) in enumerate(zip(self.plan.regions, matrices)):
            if _shape(ob) == "MESH":
                if row not in self._insides:
                    self._insides[row] = Surface(ob, matrix, depsgraph, None)
                meshes[row] = self._insides[row].placed(matrix, depsgraph).mesh
                if not meshes[row].closed:
                    raise Refusal(
                        f"The region {ob.name} is a mesh with holes or without faces. "
                        f"Close it, or set its shape to Box."
                    )
        return meshes

    def _obstacles(self, depsgraph: Depsgraph, frame: int) -> Obstacles:
        sources = self.plan.obstacles
        if not sources:
            return self._no_obstacles
        matrices = np.array([_matrix(source, self.plan, depsgraph) for source in sources]).reshape(-1, 4, 4)
        check_numbers(matrices, [source.ob for source in sources], frame)
        read = self._solids.read(matrices, depsgraph)
        return replace(read, present=read.present & _within(self._obstacle_spans, frame))


class _CrowdReader:
    """Reads the settings of a crowd; only once if they are not animated."""

    def __init__(self, source: CrowdSource) -> None:
        self._source = source
        self._read: Settings | None = None
        self.stays = not animates(source.ob, "steering")
        """Whether all frames have the same settings."""

    def stored(self, depsgraph: Depsgraph | None) -> Any:
        """The settings of the crowd as they are evaluated; without animation as they are stored."""
        ob = self._source.ob
        return ob.steering if self.stays or depsgraph is None else ob.evaluated_get(depsgraph).steering

    def read(self, depsgraph: Depsgraph | None, frame: int) -> Settings:
        """The behaviors of the crowd on the frame of the depsgraph, in columns of one entry for all vehicles.

        Raises:
            Refusal: a value is not a number.
        """
        if self._read is None or not self.stays:
            self._read = self._evaluated(depsgraph, frame)
        return self._read

    def _evaluated(self, depsgraph: Depsgraph | None, frame: int) -> Settings:
        source = self._source
        settings = self.stored(depsgraph)
        behaviors = []
        for behavior in source.behaviors:
            group = getattr(settings, behavior.name)
            if group.use:
                values = checked_values(behavior, group, source.ob, behavior.name, frame)
                pointed = {name: row for (of, name), row in source.pointed.items() if of == behavior.name}
                behaviors.append(behavior.of(1, **{**values, **pointed}))
        return Settings(tuple(behaviors), COMBINING_NUMBERS[choice_in(settings, "combining")])


def _of_crowds(plan: Plan) -> tuple[np.ndarray, np.ndarray]:
    """The row of the crowd each of n vehicles belongs to, (n,), and the random keys that the crowds share, (n,)."""
    n = len(plan)
    if len(plan.crowds) == 1:
        return shared(0, n, np.int64), shared(shared_key(plan.crowds[0].identity, plan.seed), n, np.uint64)
    row, keys = np.full(n, -1), np.zeros(n, dtype=np.uint64)
    for number, source in enumerate(plan.crowds):
        row[source.rows], keys[source.rows] = number, shared_key(source.identity, plan.seed)
    return row, keys


def _within(spans: np.ndarray, frame: int) -> np.ndarray:
    """(k,) whether a frame lies within each of the spans of frames (k, 2)."""
    within: np.ndarray = (spans[:, 0] <= frame) & (frame <= spans[:, 1])
    return within


def _box(ob: Object, depsgraph: Depsgraph) -> tuple[np.ndarray, np.ndarray]:
    """The middle and the half sizes of an object in its own space; an Empty is as large as it is drawn."""
    return box_of(points_of(ob, depsgraph, None))


def _shape(ob: Object) -> str:
    stored = settings_of(ob)
    return choice_in(stored, "region_shape") if stored else "SPHERE"


def _matrix(source: BodySource, plan: Plan, depsgraph: Depsgraph) -> np.ndarray:
    """The matrix (4, 4) of an object: in world space, or in the side, forward and up of the vehicle that carries it."""
    matrix = standing(source, depsgraph)
    if source.carrier < 0:
        return doubles(matrix)
    position, basis = plan.vehicles.source.pose(source.carrier, depsgraph)
    offset = doubles(matrix)
    offset[:3, 3] -= position
    offset[:3] = np.einsum("ba,bc->ac", basis, offset[:3])
    return offset


def _face(ob: Object, depsgraph: Depsgraph, family: Family) -> np.ndarray:
    """The forward axis of a body in its own space; that of an untagged object is guessed as when it is tagged."""
    front = current_front(ob)
    if front is None:
        front = front_of(ob, family, None if _is_point(ob) else Body.of(ob, depsgraph, family))
    if front[0][-1] == front[1][-1]:
        return np.array([0.0, 1.0, 0.0])
    return model_axes(*(AXIS_NAMES[axis] for axis in front))[:, 1]


def _roles(ob: Object) -> int:
    stored = settings_of(ob)
    return sum(int(Role[name]) for name in stored.roles) if stored else 0


def _active(ob: Object, depsgraph: Depsgraph) -> bool:
    return settings_of(ob) is None or ob.evaluated_get(depsgraph).steering.active


def _body(ob: Object, depsgraph: Depsgraph, family: Family) -> tuple[float, float]:
    """The radius and the length of a locked vehicle, leader or target; 0 for an Empty, which only marks a point.

    A vehicle of a crowd of long bodies is as long as the crowd says; other bodies are spheres.
    """
    crowd = crowd_of(ob) if has_role(ob, Role.VEHICLE) else None
    if crowd is not None and crowd.steering.vehicle.length > 0.0:
        model, settings = crowd.steering.vehicle, ob.steering
        size = settings.size_factor
        return model.radius * size, model.length * size * settings.length_factor
    return (0.0 if _is_point(ob) else body_radius(ob, depsgraph, family)), 0.0


def _is_point(ob: Object) -> bool:
    """Whether an object only marks a point: an Empty that shows no collection."""
    return ob.type == "EMPTY" and instanced(ob) is None
