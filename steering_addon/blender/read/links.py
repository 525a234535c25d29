"""Links, signals and guides: curves and Empties that join places, hold lanes, or lead vehicles by hand."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Depsgraph, Object, Scene

from ...simulation.guides import Guides
from ...simulation.lane_use import NO_SIGNALS, Signals
from ...simulation.links import NO_LINKS, LinkModel, Links
from ..clips.crowd_clips import clip_of_link, numbers_on_links
from ..objects.doubles import doubles
from ..objects.tagged_objects import full_name, why_outside
from ..properties import pointed_at, pointed_in
from ..refusal import Refusal
from .checks import check_numbers, checked_values
from .curves import ReadsLines, polylines
from .dependencies import animates, reasons, with_all_behind
from .sources import BodySource, carrier_of, world_matrix_of
from .vehicles import VehicleSource


def other_end(ob: Object) -> Object | None:
    """The object at the other end of a link that is no curve; None if none is chosen. Writes nothing."""
    return pointed_in(ob, "link", "to") if ob.type != "CURVE" else None


def carrier_of_link(ob: Object) -> Object | None:
    """The object that carries vehicles over a link; None if none does. Writes nothing."""
    return pointed_in(ob, "link", "carrier")


def with_ends(links: Iterable[Object]) -> list[Object]:
    """Links with the objects at their other ends, and those that carry vehicles over them."""
    ends = (end for ob in links for end in (ob, other_end(ob), carrier_of_link(ob)))
    return list(dict.fromkeys(end for end in ends if end is not None))


def check_links(links: Iterable[Object], scene: Scene, objects: Iterable[Object]) -> None:
    """Refuse links that lead from nowhere to nowhere."""
    names = {full_name(ob) for ob in objects}
    for ob in links:
        end = other_end(ob)
        if ob.type == "CURVE":
            lines = (line for line in ob.data.splines if not line.use_cyclic_u)
            if not any(len(line.points) + len(line.bezier_points) > 1 for line in lines):
                text = f"The link {ob.name} has no two ends. Draw it, or remove the tag."
                raise Refusal(text, about=[ob])
        elif end is None or end == ob:
            text = f"The link {ob.name} leads nowhere. Choose the object at its Other End, or remove the tag."
            raise Refusal(text, about=[ob])
        for word, named in (("other end", end), ("carrier", carrier_of_link(ob))):
            if named is not None and full_name(named) not in names:
                raise Refusal(f"{named.name}, the {word} of {ob.name}, {why_outside(named, scene)}.", about=[ob])


def lines_of(ob: Object, depsgraph: Depsgraph, read: ReadsLines) -> list[np.ndarray]:
    """The lines of a link in world space, from where it starts to where it ends, (points, 3) metres each."""
    if ob.type == "CURVE":
        return [points for points, closed in read(ob, depsgraph) if not closed and len(points) > 1]
    end = other_end(ob)
    if end is None:
        return []
    return [np.array([doubles(side.evaluated_get(depsgraph).matrix_world)[:3, 3] for side in (ob, end)])]


class LinkReader:
    """Reads the links of a plan; what has not changed since the frame before stays the same object."""

    def __init__(self, objects: Sequence[Object], scene: Scene, read: ReadsLines | None) -> None:
        """`read` reads the lines of curves; by default `polylines`."""
        self._objects, self._read_lines = objects, read or polylines
        self._numbers = numbers_on_links(scene) if objects else {}
        self._read: tuple[bytes, Links] = b"", NO_LINKS
        self._carriers = list(dict.fromkeys(carrier for ob in objects if (carrier := carrier_of_link(ob)) is not None))

    def read(self, depsgraph: Depsgraph, frame: int) -> Links:
        """The links on a frame. Refused if a value is not a number."""
        lines, values, present, clips, cycles, carriers = [], [], [], [], [], []
        for ob in self._objects:
            own_lines = lines_of(ob, depsgraph, self._read_lines)
            for points in own_lines:
                check_numbers(points[None], [ob], frame)
            stored = ob.evaluated_get(depsgraph).steering
            lines += own_lines
            values += [checked_values(LinkModel, stored.link, ob, "link", frame)] * len(own_lines)
            present += [stored.active] * len(own_lines)
            clips += [self._numbers.get(clip_of_link(ob), 0)] * len(own_lines)
            cycles += [stored.link.cycle] * len(own_lines)
            carrier = carrier_of_link(ob)
            carriers += [self._carriers.index(carrier) if carrier is not None else -1] * len(own_lines)
        digest = b"".join(points.tobytes() for points in lines) + repr((values, present, clips, cycles)).encode()
        if digest != self._read[0]:
            columns = {name: np.array([link[name] for link in values]) for name in LinkModel.parameters()}
            model = LinkModel.of(len(lines), **columns) if lines else NO_LINKS.model
            per_line = (
                np.array(clips, dtype=np.int64),
                np.array(cycles, dtype=np.float64),
                np.array(carriers, dtype=np.int64),
            )
            self._read = digest, Links(tuple(lines), model, np.array(present, dtype=np.bool_), *per_line)
        return self._read[1]

    def carriers(self, depsgraph: Depsgraph, frame: int) -> np.ndarray:
        """Where what carries vehicles is on a frame, (c, 3) metres. Refused if a transform is not a number."""
        matrices = doubles([ob.evaluated_get(depsgraph).matrix_world for ob in self._carriers]).reshape(-1, 4, 4)
        check_numbers(matrices, self._carriers, frame)
        return matrices[:, :3, 3]


def path_of_signal(ob: Object) -> Object | None:
    """The curve that a signal has been given; None for the nearest. Writes nothing."""
    path = pointed_at(ob.steering, "signal_path")
    return path if path is not None and path.type == "CURVE" else None


def read_signals(signals: Sequence[Object], paths: Sequence[Object], depsgraph: Depsgraph, frame: int) -> Signals:
    """Signals on a frame; `paths` are the curves in the order of their rows. Refused if a transform is not a number."""
    if not signals:
        return NO_SIGNALS
    evaluated = [ob.evaluated_get(depsgraph) for ob in signals]
    matrices = doubles([ob.matrix_world for ob in evaluated]).reshape(-1, 4, 4)
    check_numbers(matrices, signals, frame)
    rows = {ob: row for row, ob in enumerate(paths)}
    green = np.array([ob.steering.green or not ob.steering.active for ob in evaluated], dtype=np.bool_)
    path = np.array([rows.get(path_of_signal(ob), -1) for ob in signals], dtype=np.int64)
    return Signals(matrices[:, :3, 3], green, path)


@dataclass(frozen=True)
class GuideSource:
    """A guide of a vehicle. `row`: of the vehicle; `body`: the guide, an object or a bone."""

    row: int
    body: BodySource


def guides_of(
    source: VehicleSource, rows: Mapping[str, int], scene: Scene, names: Collection[str]
) -> tuple[GuideSource, ...]:
    """The guides of those vehicles that are led by hand, or may be on some frame. Refused if a guide is missing, or
    depends on a vehicle that the run moves.

    Args:
        source: the vehicles that the run moves; only objects have a guide.
        rows: the rows of these by full name.
        names: the full names of the objects in use of a scene.
    """
    by_hand = source.stored["by_hand"]
    maybe = ((by_hand > 0.0) | source.animated)[source.object_rows]
    sources = []
    for k in np.flatnonzero(maybe).tolist():
        vehicle, row = source.objects[k], int(source.object_rows[k])
        if by_hand[row] > 0.0 or animates(vehicle, "steering.by_hand"):
            sources.append(GuideSource(row, _guide_of(vehicle, rows, scene, names)))
    return tuple(sources)


def read_guides(sources: Sequence[GuideSource], by_hand: np.ndarray, depsgraph: Depsgraph, frame: int) -> Guides | None:
    """Where the guides are on a frame; None without any. `by_hand`: (n,) how far each vehicle follows its guide.
    Refused if a guide has an invalid transform."""
    if not sources:
        return None
    matrices = np.array([doubles(world_matrix_of(source.body, depsgraph)) for source in sources]).reshape(-1, 4, 4)
    check_numbers(matrices, [source.body.ob for source in sources], frame)
    rows = np.array([source.row for source in sources], dtype=np.int64)
    return Guides(rows, by_hand[rows].astype(np.float64), matrices[:, :3, 3])


def _guide_of(vehicle: Object, rows: Mapping[str, int], scene: Scene, names: Collection[str]) -> BodySource:
    settings = vehicle.steering
    guide = pointed_at(settings, "guide")
    if guide is None:
        text = f"{vehicle.name} is led by hand but has no guide. Choose a Guide, or set By Hand to 0."
        raise Refusal(text, about=[vehicle])
    if full_name(guide) not in names:
        raise Refusal(f"{guide.name}, the guide of {vehicle.name}, {why_outside(guide, scene)}.", about=[vehicle])
    bone = settings.guide_bone if guide.type == "ARMATURE" else ""
    if bone and bone not in guide.pose.bones:
        text = f"{guide.name}, the guide of {vehicle.name}, has no bone {bone}. Choose another bone."
        raise Refusal(text, about=[vehicle])
    for ob in with_all_behind([guide]):
        carriers = {carrier_of(behind, rows) for behind in (ob, *(source for source, _ in reasons(ob)))} - {-1}
        if carriers:
            raise Refusal(
                f"{guide.name}, the guide of {vehicle.name}, moves with a vehicle that the bake has yet to move. "
                f"Choose another guide.",
                about=[guide],
            )
    return BodySource(guide, -1, bone)
