"""The marks that a run reads: checked, with what they point at, and read frame by frame."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Depsgraph, Object, Scene

from ...simulation.arrays.vectors import in_columns
from ...simulation.handling import Handling
from ...simulation.locomotion import Locomotion
from ...simulation.marks.declaring import VERTICES, Mark, MarkModel
from ...simulation.marks.missing import NEARLY
from ...simulation.marks.reaching import climb_stretch, out_of_reach
from ...simulation.marks.sharing import Spread, shared_out, spread
from ...simulation.roles import Role
from ..animation.frame_rate import frame_time_of
from ..moving import moves_by, own_locomotion_of
from ..objects.body_sizes import triangles_of
from ..objects.doubles import doubles, placed
from ..objects.tagged_objects import full_name, why_outside
from ..properties import has_role, pointed_at
from ..refusal import Refusal
from ..units import length_text, speed_text
from .checks import check_numbers, checked_values
from .dependencies import animates, may_move
from .locomotions import LocomotionSettings
from .solids import changes_shape
from .sources import may_be_active
from .start_pose import start_position

PASSED_ON = "lead", "radius", "release", "speed", "aims", "exact", "stays"
"""The settings of a mark that the simulation reads as they are."""


@dataclass(frozen=True)
class MarkSource:
    """A mark, and what it points at.

    Attributes:
        marker: the timeline marker that says so; empty for none.
        body: the row of its body.
        rows: (m,) the vehicles that meet it.
        together: whether the middle of these meets it.
        shape: the object of which each meets a place; None for none.
        ground: the row of the body on which what flies lands; -1 for none.
    """

    ob: Object
    frame: int
    marker: str
    body: int
    rows: np.ndarray
    together: bool
    shape: Object | None
    ground: int


def ground_of(mark: Object) -> Object | None:
    """The object to land on at a mark: its shape, or the mark; None if vehicles do not land."""
    settings = mark.steering.mark
    return (pointed_at(settings, "shape") or mark) if settings.lands else None


def marks_in_use(tagged: Iterable[Object]) -> list[Object]:
    """The marks among tagged objects that are active, or may be on some frame."""
    return [ob for ob in tagged if ob.steering.is_property_set("mark") and may_be_active(ob)]


def check_marks(marks: Iterable[Object], scene: Scene, names: Iterable[str]) -> None:
    """Refuse marks that are for no vehicle, or at no time; `names`: the full names of the objects of the scene."""
    known = set(names)
    for ob in marks:
        settings = ob.steering.mark
        performer, shape = pointed_at(settings, "who"), pointed_at(settings, "shape")
        if performer is None or not (has_role(performer, Role.VEHICLE) or has_role(performer, Role.CROWD)):
            text = f"The mark {ob.name} is for no vehicle and no crowd. Choose Who, or turn off Takes Part."
            raise Refusal(text, about=[ob])
        if shape is not None and full_name(shape) not in known:
            raise Refusal(f"{shape.name}, the shape of the mark {ob.name}, {why_outside(shape, scene)}.", about=[ob])
        if settings.marker and not _markers(scene, settings.marker):
            text = f"The timeline has no marker {settings.marker}, at which {ob.name} is met. Choose another marker."
            raise Refusal(text, about=[ob])


def frame_of(mark: Object, scene: Scene) -> int:
    """The frame of a mark: that of the first timeline marker of its name, or its own."""
    settings = mark.steering.mark
    return min(_markers(scene, settings.marker), default=settings.frame) if settings.marker else int(settings.frame)


def marker_frames(marks: Iterable[Object], scene: Scene) -> tuple[tuple[str, int], ...]:
    """The frames on which marks are met, by name."""
    return tuple((ob.name, frame_of(ob, scene)) for ob in marks if ob.steering.is_property_set("mark"))


def are_as_planned(marks: Iterable[MarkSource], scene: Scene) -> bool:
    """Whether the timeline markers of marks are where they were; a marker that is moved changes no object."""
    return all(not mark.marker or min(_markers(scene, mark.marker), default=None) == mark.frame for mark in marks)


def mark_sources(
    marks: Iterable[Object],
    scene: Scene,
    vehicles: Mapping[str, int],
    crowds: Sequence[Object],
    crowd: np.ndarray,
    bodies: Mapping[str, int],
) -> tuple[MarkSource, ...]:
    """The marks that vehicles of a run meet. `vehicles`, `bodies`: the rows of vehicles and of bodies by full name;
    `crowd`: (n,) the row of the crowd of each vehicle."""
    sources = []
    for ob in marks:
        settings = ob.steering.mark
        performer, shape = pointed_at(settings, "who"), pointed_at(settings, "shape")
        of_crowd = performer in crowds and not has_role(performer, Role.VEHICLE)
        rows = np.flatnonzero(crowd == crowds.index(performer)) if of_crowd else np.zeros(0, dtype=np.int64)
        if not of_crowd and full_name(performer) in vehicles:
            rows = np.array([vehicles[full_name(performer)]])
        if len(rows):
            ground = ground_of(ob)
            shape = shape if of_crowd and ground is None else None
            together = of_crowd and shape is None and ground is None
            frame = frame_of(ob, scene)
            body, ground_row = bodies[full_name(ob)], -1 if ground is None else bodies[full_name(ground)]
            sources.append(MarkSource(ob, frame, settings.marker, body, rows, together, shape, ground_row))
    return tuple(sources)


def mark_warnings(
    marks: Iterable[Object], scene: Scene, first: int, last: int, objects: Sequence[Object], crowds: Sequence[Object]
) -> Iterator[str]:
    """Warnings about marks before a run: those out of reach, and those at no frame of it.

    The way is measured from where vehicles start, or for a crowd from their middle. `first`, `last`: the frames of the
    run; `objects`: the vehicles of the run, with their crowds.
    """
    frame_time = frame_time_of(scene)
    for ob in marks:
        performer, frame = pointed_at(ob.steering.mark, "who"), frame_of(ob, scene)
        markers = _markers(scene, ob.steering.mark.marker)
        if len(markers) > 1:
            yield f"The timeline has {len(markers)} markers {ob.steering.mark.marker}. {ob.name} is met at the first."
        if not first < frame <= last:
            yield f"The mark {ob.name} is at frame {frame}, but can be met on frames {first + 1} to {last} only."
            continue
        members = [(vehicle, crowd) for vehicle, crowd in zip(objects, crowds) if performer in (vehicle, crowd)]
        if not members:
            continue
        time, ground = (frame - first) * frame_time, ground_of(ob)
        if ground is not None:
            yield from _landing_warnings(ob, performer, members)
        elif pointed_at(ob.steering.mark, "shape") is not None and performer in crowds:
            yield from _places_out_of_reach(ob, performer, scene, members, time, first)
            continue
        start = np.mean([start_position(vehicle) for vehicle, _ in members], axis=0)
        offset = doubles((ground or ob).matrix_world.translation) - start
        distance = float(np.linalg.norm(offset))
        top = min(_top_speed(vehicle, crowd) for vehicle, crowd in members)
        if distance > top * time:
            yield (
                f"{performer.name} cannot be at {ob.name} in time: {length_text(distance)} in {time:.3g} s take "
                f"{speed_text(distance / time)}, {speed_text(distance / time - top, 2)} more than its top speed."
            )
            continue
        shortfall = float(_shortfall(np.broadcast_to(offset, (len(members), 3)), members, time, first).max())
        if shortfall > NEARLY:
            yield (
                f"{performer.name} cannot be at {ob.name} in time: it {'climbs' if offset[2] > 0.0 else 'dives'} too "
                f"slowly, by {length_text(shortfall, 2)}. At a later frame or a nearer height it can be met."
            )


def _landing_warnings(mark: Object, performer: Object, members: Sequence[tuple[Object, Object]]) -> Iterator[str]:
    """The warnings about a mark to land on: its performers cannot land, or have no room there."""
    if all(moves_by(vehicle, crowd).grounded for vehicle, crowd in members):
        yield f"{performer.name} keeps to the ground and does not land on {mark.name}: it only comes there."
    elif ground_of(mark) == mark and len(members) > 1:
        yield (
            f"{mark.name} has one place to stand on for {len(members)} vehicles of {performer.name}. Choose a Shape, "
            "such as a roof or a wire."
        )


def _places_out_of_reach(
    mark: Object, crowd: Object, scene: Scene, members: Sequence[tuple[Object, Object]], time: float, first: int
) -> Iterator[str]:
    """Warnings about the places of a shape that are too far for some, or too high or low."""
    settings = mark.steering.mark
    shape = pointed_at(settings, "shape")
    # Not brought up to date: a preview asks within an update.
    depsgraph = scene.view_layers[0].depsgraph
    if depsgraph is None:
        return
    points, triangles = triangles_of(shape, depsgraph, None)
    points = placed(points, doubles(shape.matrix_world))
    if settings.spread == "FACES":
        points = spread(points, triangles, len(members)).on(points, triangles)
    if len(points) < (1 if settings.spread == "FACES" else len(members)):
        kind, remedy = ("faces", "Vertices") if settings.spread == "FACES" else ("vertices", "Faces")
        number = f"only {len(points)} {kind} for {len(members)} vehicles" if len(points) else f"no {kind}"
        yield (
            f"{shape.name} has {number}, so {len(members) - len(points)} of {crowd.name} have no place of {mark.name}. "
            f"Set Spread to {remedy}, or give the shape more {kind}."
        )
    if not len(points):
        return
    start = np.array([start_position(vehicle) for vehicle, _ in members])
    top = np.array([_top_speed(vehicle, owner) for vehicle, owner in members])
    cruise = top * np.array([owner.steering.vehicle.cruise_speed for _, owner in members])
    rows = shared_out(start, points, *climb_stretch(_handling(members, first), top, cruise))
    offset = np.where(rows[:, None] >= 0, points[rows] - start, 0.0)
    shortfalls = _shortfall(offset, members, time, first)
    late = shortfalls > NEARLY
    if late.any():
        furthest = members[int(shortfalls.argmax())][0].name
        yield (
            f"{int(late.sum())} of {len(members)} vehicles of {crowd.name} cannot be at their places of {mark.name} in "
            f"time, {furthest} by {length_text(shortfalls.max(), 2)}: at a later frame or nearer places they can."
        )


def _shortfall(offset: np.ndarray, members: Sequence[tuple[Object, Object]], time: float, first: int) -> np.ndarray:
    """The distances that members lack to get there in time, (m,) metres; on the ground, heights do not count."""
    grounded = np.array([moves_by(vehicle, crowd).grounded for vehicle, crowd in members])
    offset = np.where(grounded[:, None], offset * (1.0, 1.0, 0.0), offset)
    top = np.array([_top_speed(vehicle, crowd) for vehicle, crowd in members])
    return out_of_reach(offset, time, _handling(members, first), top)


def _handling(members: Sequence[tuple[Object, Object]], first: int) -> Handling:
    bodies: dict[tuple[Object, type[Locomotion]], list[int]] = {}
    for row, (vehicle, crowd) in enumerate(members):
        owner = crowd if own_locomotion_of(vehicle) is None else vehicle
        bodies.setdefault((owner, moves_by(vehicle, crowd)), []).append(row)
    parts = (
        (LocomotionSettings(ob, kind).read(None, first).handling(), np.array(rows))
        for (ob, kind), rows in bodies.items()
    )
    return Handling.of(parts, len(members))


def _top_speed(vehicle: Object, crowd: Object) -> float:
    return float(crowd.steering.vehicle.max_speed * vehicle.steering.speed_factor)


def _markers(scene: Scene, name: str) -> list[int]:
    """The frames of the timeline markers of a name."""
    return [marker.frame for marker in scene.timeline_markers if name and marker.name == name]


class MarkReader:
    """Reads marks; what neither moves nor is animated only once."""

    def __init__(self, sources: Sequence[MarkSource], frame_time: float) -> None:
        self._sources, self._frame_time = sources, frame_time
        self._stay = [not animates(source.ob, "steering") for source in sources]
        self._values: dict[int, dict] = {}
        self._shapes = {row: _MarkShape(source) for row, source in enumerate(sources) if source.shape is not None}

    def read(self, depsgraph: Depsgraph, frame: int) -> tuple[Mark, ...]:
        """The marks on a frame. Refused if a value is not a number."""
        return tuple(self._mark(row, source, depsgraph, frame) for row, source in enumerate(self._sources))

    def _mark(self, row: int, source: MarkSource, depsgraph: Depsgraph, frame: int) -> Mark:
        if row not in self._values or not self._stay[row]:
            settings = source.ob.evaluated_get(depsgraph).steering.mark
            self._values[row] = checked_values(MarkModel, settings, source.ob, "mark", frame)
        values = {name: self._values[row][name] for name in PASSED_ON}
        values["exact"] &= source.ground < 0
        spread = int(self._values[row]["spread"])
        points = self._shapes[row].read(depsgraph, frame, spread) if row in self._shapes else None
        time = source.frame * self._frame_time
        return Mark(
            source.ob.name, time, source.body, source.rows, source.together, points, ground=source.ground, **values
        )


class _MarkShape:
    """The places of a shape that vehicles meet, in the world."""

    def __init__(self, source: MarkSource) -> None:
        self._ob, self._count = source.shape, len(source.rows)
        self._changes, self._moves = changes_shape(source.shape, None), may_move(source.shape)
        self._shape: tuple[np.ndarray, np.ndarray] | None = None
        self._spread: Spread | None = None
        self._read: np.ndarray | None = None

    def read(self, depsgraph: Depsgraph, frame: int, choice: int) -> np.ndarray:
        """The places, (p, 3) metres, by a choice of SPREADS."""
        if self._read is not None and not (self._changes or self._moves):
            return self._read
        matrix = doubles(self._ob.evaluated_get(depsgraph).matrix_world)
        check_numbers(matrix[None], [self._ob], frame)
        before = self._shape
        if before is None or self._changes:
            self._shape = triangles_of(self._ob, depsgraph, None)
        points, triangles = self._shape
        points = placed(points, matrix)
        if choice == VERTICES:
            self._read = in_columns(points)
            return self._read
        # The places stay on their faces while these move and deform.
        if self._spread is None or before is None or not np.array_equal(before[1], triangles):
            self._spread = spread(points, triangles, self._count)
        self._read = in_columns(self._spread.on(points, triangles))
        return self._read
