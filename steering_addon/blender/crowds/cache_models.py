"""The models that a crowd cache shows: a mesh for each variant with its poses, in the axes and unit of its vehicles.

Vehicles that look alike are a variant. All variants have the same number of poses, so that what is shown is number
`variant * number + pose`; poses of a cycle follow each other by phase, one cycle after the other.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field

import bpy
import numpy as np
from bpy.types import Action, Mesh, Object, Scene, ViewLayer
from mathutils import Matrix

from ...portrayal.driver_properties import EFFORT, PHASE
from ...portrayal.pose_count import fewest, middles
from ..animation.animation_data import assign_action, channelbag_in, new_action
from ..animation.keyframes import LINEAR, generated_keys, write_keys
from ..clips.clip_copies import ClipCopy, Copies
from ..objects.drivers import blocks, drivers_of, read_by
from ..objects.hierarchy import Family
from ..refusal import Refusal
from .model_aside import ModelAside, model_aside
from .shown_models import add_column, set_column

SHARE = 1.0 / 36.0
"""By how much a vertex may be off, as a share of the longest side of the model."""
COARSER, TOGETHER = 1.25, 1024
"""By this factor more, as long as there are more meshes than these: what a frame takes grows with their number."""
SAMPLES = 64
"""The parts of a cycle in which it is measured."""
HALF = 0.5
"""The share of the work that measuring takes."""
MOST, MOST_BEATS = 64, 24
"""Poses of a cycle at most, and of one that drivers move: a beat lasts a few frames only."""
EFFORTS = (0.0, 0.5, 1.0)
"""How far wings swing in the cycles of a model that drivers move."""
CYCLE = 240.0
"""Frames of such a cycle; the next ones follow it."""


class Cycles:
    """The cycles of a model, in order; none, as here, if it is shown as it stands. `max_poses`: of each."""

    max_poses: int = 1

    def __len__(self) -> int:
        return 0

    @contextmanager
    def prepared(self) -> Iterator[list[ClipCopy]]:
        """The copies of clips that they play, until the end."""
        yield []

    def played(self, aside: ModelAside, copies: Sequence[ClipCopy]) -> Generator[float, None, None]:
        """Let a copy of the model play each, yielding its frames."""
        yield from ()


@dataclass(frozen=True)
class OfClips(Cycles):
    """The clips of a model, in the order in which copies of them are made; `over` is played on top of them."""

    copies: Copies
    number: int
    over: Action | None = None
    max_poses: int = MOST

    def __len__(self) -> int:
        return self.number

    @contextmanager
    def prepared(self) -> Iterator[list[ClipCopy]]:
        copies = self.copies.copies()
        try:
            yield copies
        finally:
            bpy.data.batch_remove([copy.action for copy in copies if copy.new])

    def played(self, aside: ModelAside, copies: Sequence[ClipCopy]) -> Generator[float, None, None]:
        for copy in copies:
            aside.play(copy, self.over)
            yield copy.frames


@dataclass(frozen=True)
class OfDrivers(Cycles):
    """The phases of a model whose parts drivers move, with each of these efforts; without any, by phase alone."""

    efforts: Sequence[float]
    max_poses: int = MOST_BEATS

    def __len__(self) -> int:
        return max(len(self.efforts), 1)

    def played(self, aside: ModelAside, copies: Sequence[ClipCopy]) -> Generator[float, None, None]:
        aside.rig[PHASE] = 0.0
        action, slot = new_action("Steering Cycle", aside.rig)
        try:
            keys = generated_keys(np.array([0.0, CYCLE]), np.array([0.0, 1.0]), LINEAR)
            curve = channelbag_in(action, slot, ensure=True).fcurves.new(f'["{PHASE}"]')
            write_keys(curve, keys)
            curve.extrapolation = "LINEAR"
            assign_action(aside.rig, action, slot)
            for effort in self.efforts or (None,):
                if effort is not None:
                    aside.rig[EFFORT] = effort
                    aside.rig.update_tag()
                yield CYCLE
        finally:
            assign_action(aside.rig, None)
            bpy.data.actions.remove(action)


def drives_by_phase(vehicle: Object, family: Family) -> bool:
    """Whether drivers of a vehicle or of its parts read its phase."""
    drivers = (driver for part in (vehicle, *family.descendants(vehicle)) for driver in drivers_of(*blocks(part)))
    return any(f'["{PHASE}"]' in target.data_path for target in read_by(drivers))


@dataclass
class Variant:
    """Vehicles that look alike.

    Attributes:
        rig: what plays its cycles.
        group: variants of the same group play the same clips, and have the same number of poses of each cycle.
        scale: (3,) in which it stands in the scene.
        meshes: made of it; the first stands in its first pose.
        shapes: the vertices in each pose, (v, 3).
    """

    vehicle: Object
    rig: Object
    cycles: Cycles
    group: int
    scale: np.ndarray
    meshes: list[Mesh] = field(default_factory=list)
    shapes: list[np.ndarray] = field(default_factory=list)

    def hold_poses(self, first: int, number: int) -> Mesh:
        """Let the mesh hold its points in a number of poses, models from `first` on; the last one again and again."""
        mesh, added = self.meshes[0], number - len(self.shapes)
        v = len(mesh.vertices)
        if number > 1:
            mesh.vertices.add(v * (number - 1))
            set_column(mesh, "position", np.concatenate([*self.shapes, *self.shapes[-1:] * added]))
            add_column(mesh, "model", "INT", np.repeat(np.arange(first, first + number), v))
            add_column(mesh, "faced", "BOOLEAN", np.arange(v * number) < v)
        return mesh

    def pose_meshes(self) -> list[Mesh]:
        """The meshes, one for each pose."""
        self.meshes += [self.meshes[0].copy() for _ in self.shapes[1:]]
        for mesh, shape in zip(self.meshes, self.shapes):
            set_column(mesh, "position", shape)
            mesh.update()
        return self.meshes


@dataclass
class Layout:
    """How many poses each cycle of a group of variants has, and which mesh is its first, (cycles,)."""

    poses: list[int] = field(default_factory=list)

    @property
    def first(self) -> np.ndarray:
        return np.concatenate(([0], np.cumsum(self.poses)))[:-1].astype(np.int64)

    def __len__(self) -> int:
        """The number of meshes."""
        return max(sum(self.poses), 1)

    def shown(self, cycle: np.ndarray, phase: np.ndarray) -> np.ndarray:
        """The numbers of the meshes by cycle and phase, 0 to 1, arrays of any shape."""
        if not self.poses:
            return np.zeros(cycle.shape, dtype=np.int64)
        counts = np.array(self.poses)[cycle]
        return self.first[cycle] + np.minimum((phase * counts).astype(np.int64), counts - 1)


def looks_of(vehicles: Sequence[Object], family: Family) -> tuple[np.ndarray, list[int]]:
    """The number of the look of each vehicle, (n,), and the row of the first of each look."""
    numbers: dict[tuple, int] = {}
    first_rows: list[int] = []
    rows = np.empty(len(vehicles), dtype=np.int64)
    for row, ob in enumerate(vehicles):
        look = tuple(_look(part) for part in (ob, *family.descendants(ob)))
        if look not in numbers:
            numbers[look] = len(first_rows)
            first_rows.append(row)
        rows[row] = numbers[look]
    return rows, first_rows


def shape_of(vehicle: Object, family: Family) -> tuple[int, ...]:
    """The vertices of each part of a model: equal for models that differ in colors or small things."""
    return tuple(len(getattr(part.data, "vertices", ())) for part in (vehicle, *family.descendants(vehicle)))


def _look(part: Object) -> tuple:
    materials = tuple(slot.material for slot in part.material_slots if slot.link == "OBJECT")
    return part.data, part.instance_collection, part.hide_render, materials


def making(
    variants: Sequence[Variant],
    played_by: Mapping[int, Set[int]],
    scene: Scene,
    layer: ViewLayer,
    family: Family,
    tolerance: float | None = None,
) -> Generator[float, None, Mapping[int, Layout]]:
    """Make a mesh and the shapes of each variant, yielding the share that is done; returns the layouts by group.

    The caller removes the meshes if it is closed or fails. They are as large as the data of the vehicle. Refused if the
    vertices of a model do not stay the same.

    Args:
        played_by: the numbers of the cycles that are played, by group; others get one pose.
        tolerance: metres by which a vertex may be off; by default a share of each model, SHARE.
    """
    with ExitStack() as until_end:
        clips = {each.group: each.cycles for each in variants}
        copies = {group: until_end.enter_context(cycles.prepared()) for group, cycles in clips.items()}
        return (yield from _making(variants, copies, played_by, scene, layer, family, tolerance))


def _making(
    variants: Sequence[Variant],
    copies: Mapping[int, Sequence[ClipCopy]],
    played_by: Mapping[int, Set[int]],
    scene: Scene,
    layer: ViewLayer,
    family: Family,
    tolerance: float | None,
) -> Generator[float, None, Mapping[int, Layout]]:
    """As `making`, with the copies of the clips of each group."""
    measured: dict[int, list[np.ndarray]] = {}
    for done, variant in enumerate(variants):
        if variant.group not in measured:
            measured[variant.group] = shapes = []
            aside_of = model_aside(variant.vehicle, variant.rig, scene, layer, family)
            with aside_of as aside, closing(variant.cycles.played(aside, copies[variant.group])) as played:
                for number, frames in enumerate(played):
                    phases = np.linspace(0.0, frames, SAMPLES + 1 if number in played_by[variant.group] else 1)
                    shapes.append(np.stack(list(aside.shapes(phases))))
                    yield HALF * (done + len(shapes) / len(variant.cycles)) / len(variants)
    layouts = _layouts(variants, measured, tolerance)
    for done, variant in enumerate(variants):
        with model_aside(variant.vehicle, variant.rig, scene, layer, family) as aside:
            shapes = []
            with closing(variant.cycles.played(aside, copies[variant.group])) as played:
                for number, (frames, poses) in enumerate(zip(played, layouts[variant.group].poses), 1):
                    shapes += aside.shapes(middles(poses) * frames)
                    yield HALF + (1.0 - HALF) * (done + number / len(variant.cycles)) / len(variants)
                mesh, unit = aside.joined(), 1.0 / np.where(variant.scale == 0.0, 1.0, variant.scale)
                shapes = shapes or [aside.points(0.0)]
            variant.meshes.append(mesh)
            if any(len(shape) != len(mesh.vertices) for shape in shapes):
                text = f"The number of vertices of {variant.vehicle.name} changes while it moves"
                raise Refusal(f"{text}. Turn off the modifiers that change it.", about=[variant.vehicle])
            mesh.transform(Matrix.Diagonal((*unit, 1.0)))
            variant.shapes = [(shape * unit).astype(np.float32) for shape in shapes]
            set_column(mesh, "position", variant.shapes[0])
            mesh.update()
        yield HALF + (1.0 - HALF) * (done + 1) / len(variants)
    return layouts


def _layouts(
    variants: Sequence[Variant], measured: Mapping[int, Sequence[np.ndarray]], tolerance: float | None
) -> dict[int, Layout]:
    """The layouts by group: as many poses as the shapes of cycles (s, v, 3) need, if not all together are too many."""
    coarser, cycles = 1.0, {variant.group: variant.cycles for variant in variants}
    counts = {group: [_pose_count(cycle, tolerance) for cycle in shapes] for group, shapes in measured.items()}
    while True:
        layouts = {
            group: Layout([count(coarser, cycles[group].max_poses) for count in of_cycles])
            for group, of_cycles in counts.items()
        }
        number = max(map(len, layouts.values()))
        are_single = all(set(layout.poses) <= {1} for layout in layouts.values())
        if len(variants) * number <= TOGETHER or are_single:
            return layouts
        coarser *= COARSER


def _pose_count(shapes: np.ndarray, tolerance: float | None) -> Callable[[float, int], int]:
    """The number of poses that the shapes of a cycle (s, v, 3) need, by how much coarser they may be and their most; 1
    of a cycle that is not played."""
    if len(shapes) == 1:
        return lambda coarser, most: 1
    side = float(np.ptp(shapes[0], axis=0).max()) if shapes.shape[1] else 1.0
    off, number = SHARE * side if tolerance is None else tolerance, fewest(shapes)
    return lambda coarser, most: number(off * coarser, most)
