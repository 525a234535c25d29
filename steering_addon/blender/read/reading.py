"""From Blender to the simulation: one `Frame` of everything on the frame a depsgraph is evaluated for."""

from collections.abc import Sequence
from copy import copy
from dataclasses import replace

import numpy as np
from bpy.types import Depsgraph, Object

from ...portrayal.sketch import Frame
from ...simulation.arrays.vectors import in_columns
from ...simulation.geometry.obstacles import Obstacles, obstacles
from ...simulation.geometry.regions import SHAPES, Regions, regions
from ...simulation.snapshot import Snapshot, State, start_state
from ..objects.body_sizes import points_of
from ..objects.doubles import doubles
from ..properties import settings_of
from ..refusal import Refusal, choice_in
from .bodies import BodyReader, is_active, is_within, matrices_of, roles_of_vehicles
from .checks import check_numbers
from .curves import CurveReader, ReadsLines
from .flow_meshes import CurrentReader
from .links import LinkReader, read_guides, read_signals
from .marks import MarkReader
from .plan import Plan
from .settings import SettingsReader
from .solids import Axes, Solids, Surface, box_of, changes_shape, sizes_of
from .sources import frames_there
from .surfaces import PerchReader, SurfaceReader

SHAPE_NUMBERS = {choice.name: choice.number for choice in SHAPES}


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
        self._formations = [FormationReader(ob) for ob in plan.formations]
        self._solids, self._no_obstacles = Solids(plan.obstacles), obstacles([], [])
        self._obstacle_spans = frames_there(source.ob for source in plan.obstacles)
        self._surfaces = SurfaceReader(plan.surfaces)
        self._links = LinkReader(plan.links, plan.scene, read_lines)
        self._marks = MarkReader(plan.marks, plan.frame_time)
        self._bodies = BodyReader(plan)
        self._perches = PerchReader(plan, read_lines)
        self._regions = RegionReader(plan.regions)
        self._settings = SettingsReader(plan)
        self._roles = roles_of_vehicles(plan)

    @property
    def settings_stay(self) -> bool:
        """Whether the settings of all crowds and vehicles are the same on all frames."""
        return self._settings.stay

    def of_changed_crowds(self, plan: Plan) -> "Reader":
        """A reader for the same scene with other settings of its crowds, which keeps all measurements."""
        reader = copy(self)
        reader.plan = plan
        reader._bodies = self._bodies.of_changed_crowds(plan)
        reader._settings = SettingsReader(plan)
        return reader

    @property
    def has_measured(self) -> bool:
        """Whether the sizes of all bodies and obstacles are known, for which their children have to be evaluated."""
        return self._bodies.measured and (self._solids.measured or not self.plan.obstacles)

    def read(self, depsgraph: Depsgraph, frame: int) -> Frame:
        """The frame the depsgraph is evaluated for. Refused if a value is not a number."""
        source = self.plan.vehicles.source
        parent_parts, settings = source.parent_parts(depsgraph, frame), source.settings(depsgraph, frame)
        heights = source.heights(depsgraph, frame, parent_parts)
        snapshot = Snapshot(
            **self._settings.columns(depsgraph, frame, settings),
            roles=self._roles,
            tracked=self._bodies.read(depsgraph, frame),
            perches=self._perches.read(depsgraph, frame),
            obstacles=self._obstacles(depsgraph, frame),
            paths=tuple(curve.read(depsgraph) if is_active(curve.ob, depsgraph) else () for curve in self._curves),
            regions=self._regions.read(depsgraph, frame),
            flows=tuple(flow.read(depsgraph) for flow in self._flows if is_active(flow.ob, depsgraph)),
            shapes=tuple(formation.read(depsgraph, frame) for formation in self._formations),
            surfaces=self._surfaces.read(depsgraph, frame),
            links=self._links.read(depsgraph, frame),
            carriers=self._links.carriers(depsgraph, frame),
            signals=read_signals(self.plan.signals, self.plan.paths, depsgraph, frame),
            lift=source.lift(heights),
            marks=self._marks.read(depsgraph, frame),
            guides=read_guides(self.plan.guides, settings["by_hand"], depsgraph, frame),
        )
        return Frame(frame, snapshot, parent_parts, heights)

    def renewed(self, read: Frame) -> Frame:
        """A frame that was read before settings of crowds were changed, with the present ones; if `settings_stay`."""
        settings = self._settings.columns(None, read.number, self.plan.vehicles.source.stored)
        return replace(read, snapshot=replace(read.snapshot, **settings))

    def _obstacles(self, depsgraph: Depsgraph, frame: int) -> Obstacles:
        sources = self.plan.obstacles
        if not sources:
            return self._no_obstacles
        read = self._solids.read(matrices_of(sources, self.plan, depsgraph, frame), depsgraph)
        there = is_within(self._obstacle_spans, frame)
        return read if there.all() else replace(read, present=read.present & there)

    def start(self, first: Frame) -> State:
        """Where the vehicles start: their own channels, in the space their parents have on the first frame."""
        plan = self.plan
        position, basis, velocity = plan.vehicles.source.start(first.parent_parts)
        forward, up = basis[:, :, 1], basis[:, :, 2]
        default = forward * (plan.vehicles.start_speed * first.snapshot.vehicle.max_speed)[:, None]
        velocity = np.where(np.isnan(velocity), default, velocity)
        return start_state(position, forward, up, velocity, time=float(plan.frames[0]) * plan.frame_time)


class FormationReader:
    """Reads the places of a formation, the vertices of one mesh object, frame after frame."""

    def __init__(self, ob: Object) -> None:
        self._ob, self._changes = ob, changes_shape(ob, None)
        self._points: np.ndarray | None = None
        self._read: tuple[bytes, np.ndarray] | None = None

    def read(self, depsgraph: Depsgraph, frame: int) -> np.ndarray:
        """The vertices, (p, 3) metres along its own axes from its origin, as large as it is scaled. Refused if a value
        is not a number, or a vertex is nowhere."""
        matrix = doubles(self._ob.evaluated_get(depsgraph).matrix_world)
        check_numbers(matrix[None], [self._ob], frame)
        sizes = sizes_of(matrix)
        if self._points is None or self._changes:
            self._points, self._read = points_of(self._ob, depsgraph, None), None
        if self._read is None or self._read[0] != sizes.tobytes():
            self._read = sizes.tobytes(), in_columns(self._points * sizes)
        return self._read[1]


class RegionReader:
    """Reads the regions of a plan, frame after frame."""

    def __init__(self, objects: Sequence[Object], shape: str = "") -> None:
        """`shape`: the stored name of the shape of all regions; by default each has its own."""
        self._objects, self._shape_of_all = objects, shape
        self._none = regions([], np.zeros((0, 3)), [])
        self._insides: dict[int, Surface] = {}
        self._boxes: list[tuple[np.ndarray, np.ndarray]] | None = None
        self._placed: tuple[tuple, Regions] | None = None
        self._axes = Axes()

    def read(self, depsgraph: Depsgraph, frame: int) -> Regions:
        """The regions on the frame of the depsgraph. Refused if a transform is not a number, or a mesh not closed."""
        obs = self._objects
        if not obs:
            return self._none
        matrices = doubles([ob.evaluated_get(depsgraph).matrix_world for ob in obs]).reshape(-1, 4, 4)
        check_numbers(matrices, list(obs), frame)
        shapes = [self._shape_of_all or _shape(ob) for ob in obs]
        active = [is_active(ob, depsgraph) for ob in obs]
        placed = (matrices.tobytes(), shapes, active)
        if self._placed is not None and self._placed[0] == placed and "MESH" not in shapes:
            return self._placed[1]
        if self._boxes is None:
            self._boxes = [box_of(points_of(ob, depsgraph, None)) for ob in obs]
        middle = np.array([middle for middle, _ in self._boxes]).reshape(-1, 3)
        half = np.array([half for _, half in self._boxes]).reshape(-1, 3)
        sizes = np.array([sizes_of(matrix) for matrix in matrices]).reshape(-1, 3)
        read = Regions(
            centre=np.einsum("kab,kb->ka", matrices[:, :3, :3], middle) + matrices[:, :3, 3],
            axes=self._axes.of(matrices),
            mesh=self._meshes(matrices, shapes, depsgraph),
            half=half * sizes,
            shape=np.array([SHAPE_NUMBERS[shape] for shape in shapes], dtype=np.int64),
            present=np.array(active, dtype=np.bool_),
        )
        self._placed = placed, read
        return read

    def _meshes(self, matrices: np.ndarray, shapes: Sequence[str], depsgraph: Depsgraph) -> np.ndarray:
        """The meshes of the regions with shape Mesh, None for the others; (k,). Refused if a mesh is not closed."""
        meshes = np.full(len(self._objects), None, dtype=np.object_)
        for row, (ob, matrix, shape) in enumerate(zip(self._objects, matrices, shapes)):
            if shape == "MESH":
                if row not in self._insides:
                    self._insides[row] = Surface(ob, matrix, depsgraph, None)
                meshes[row] = self._insides[row].placed(matrix, depsgraph).mesh
                if not meshes[row].closed:
                    raise Refusal(
                        f"The region {ob.name} is a mesh with holes or without faces. "
                        f"Close it, or set its shape to Box."
                    )
        return meshes


def _shape(ob: Object) -> str:
    stored = settings_of(ob)
    return choice_in(stored, "region_shape") if stored else "SPHERE"
