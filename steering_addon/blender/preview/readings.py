"""The frames that a preview has read, kept while only settings of crowds change: then only the steps are repeated."""

from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any

from bpy.types import ID

from ...portrayal.sketch import Frame
from ...recording.run_cache import digest, size
from ...simulation.geometry.surfaces import SurfaceLayer
from ...simulation.snapshot import Snapshot
from ..animation.animation_data import action_of, nla_tracks_of
from ..objects.drivers import blocks
from ..read.dependencies import animated_paths, reasons, with_all_behind
from ..read.joined_vehicles import point_parts
from ..read.plan import Plan
from ..read.reading import Reader
from ..read.sweep import to_link

MOST_BYTES = 128 << 20
"""Approximate limit of the memory for the frames."""
SURROUNDINGS = ("tracked", "obstacles", "paths", "regions", "flows", "shapes", "guides", "marks")
"""The fields of a snapshot that do not depend on settings of crowds."""
HELD = (*SURROUNDINGS, "surfaces")
"""The fields of a snapshot that take memory. Surfaces are large, and mostly the same on all frames."""
SETTINGS = tuple(field.name for field in fields(Snapshot) if field.name not in HELD)
PLACING = ("matrix_basis", "matrix_parent_inverse", "delta_location", "delta_rotation_euler", "delta_scale")
"""The properties of a crowd that move its children."""


class Readings:
    """The frames of a plan that were read so far, without gaps, and the `reader` of more."""

    def __init__(self, plan: Plan) -> None:
        self.reader = Reader(plan)
        self._frames: dict[int, Frame] = {}
        self._surroundings: dict[int, bytes] = {}
        self._digests: dict[str, tuple[Any, bytes]] = {}
        self._bytes = 0
        self._read_from = _read_from(plan)

    def __contains__(self, frame: int) -> bool:
        return frame in self._frames

    def __getitem__(self, frame: int) -> Frame:
        return self._frames[frame]

    @property
    def last(self) -> int | None:
        """The last frame read; None before the first."""
        return next(reversed(self._frames), None)

    @property
    def are_full(self) -> bool:
        """Whether the next frame will replace all these."""
        return self._bytes > MOST_BYTES

    def add(self, read: Frame) -> None:
        """Keep a frame; if it does not follow the others, or if these are full, they are forgotten."""
        if self._frames and (self.last != read.number - 1 or self.are_full):
            self._frames, self._surroundings, self._bytes = {}, {}, 0
        before = self._frames.get(read.number - 1)
        self._bytes += size(_held(read), besides=before and _held(before))
        self._frames[read.number] = read

    def digest_of(self, read: Frame) -> bytes:
        """A digest of everything in a frame that the run depends on."""
        settings = [self._digest_of_setting(name, getattr(read.snapshot, name)) for name in SETTINGS]
        settings += [
            self._digest_of_layer(str(number), layer) for number, layer in enumerate(read.snapshot.surfaces.layers)
        ]
        if read.number not in self._surroundings:
            self._surroundings[read.number] = digest(_surroundings(read))
        return self._surroundings[read.number] + digest(b"".join(settings))

    def _digest_of_setting(self, name: str, value: Any) -> bytes:
        known = self._digests.get(name)
        if known is None or not _is_same(known[0], value):
            known = self._digests[name] = value, digest(value)
        return known[1]

    def _digest_of_layer(self, name: str, layer: SurfaceLayer) -> bytes:
        """The digest of surfaces that stay or move together, of which all else follows from their points."""
        known = self._digests.get(name)
        if known is None or known[0] is not layer:
            made_of = (layer.surfaces, layer.points, layer.triangles)
            known = self._digests[name] = layer, digest(made_of)
        return known[1]

    def renewed(self, plan: Plan) -> "Readings | None":
        """These frames for a plan that differs in settings of crowds; None if they have to be read again."""
        if plan.in_users_scene or _read_from(plan) != self._read_from:
            return None
        reader = self.reader.of_changed_crowds(plan)
        if not reader.settings_stay:
            return None
        readings = Readings(plan)
        readings.reader = reader
        readings._frames = {number: reader.renewed(read) for number, read in self._frames.items()}
        readings._surroundings, readings._bytes = self._surroundings, self._bytes
        return readings


def crowds_of_settings(plan: Plan) -> frozenset[int]:
    """The session_uid of the crowds of which a plan reads only settings, and which carry nothing but children."""
    crowds = {crowd.ob for crowd in plan.crowds}
    read = [
        *(source.ob for source in (*plan.bodies, *plan.obstacles)),
        *(guide.body.ob for guide in plan.guides),
        *(mark.shape for mark in plan.marks if mark.shape is not None),
        *plan.paths,
        *plan.regions,
        *plan.flows,
        *plan.formations,
        *plan.surfaces,
    ]
    used = {
        dependency
        for ob in with_all_behind([*read, *crowds, *plan.vehicles.source.needed()])
        for dependency, reason in reasons(ob)
        if reason != "parent"
    }
    return frozenset(ob.session_uid for ob in crowds - used - set(read) if not ob.constraints)


def read_blocks(plan: Plan) -> frozenset[int]:
    """The session_uid of all objects, shapes and actions that a plan is read from."""
    source = plan.vehicles.source
    objects = [*source.objects, *(each.ob for each, _ in point_parts(source)), *to_link(plan)]
    read = (block for ob in with_all_behind(objects) for each in blocks(ob) for block in _with_actions(each))
    return frozenset(block.session_uid for block in read)


def _with_actions(block: ID) -> Iterator[ID]:
    strips = [strip.action for track in nla_tracks_of(block) for strip in track.strips]
    yield block
    yield from (action for action in (action_of(block), *strips) if action is not None)


def _read_from(plan: Plan) -> tuple:
    """Everything that a plan reads frames from, apart from the settings of crowds and of what it reads."""
    crowds = [crowd.ob for crowd in plan.crowds]
    placed = [(ob.parent, *(_plain(getattr(ob, name)) for name in PLACING)) for ob in crowds]
    animated = [sorted(animated_paths(ob)) for ob in crowds]
    read = (
        plan.bodies,
        plan.guides,
        [(each.ob, each.frame, each.body, each.rows.tobytes(), each.shape) for each in plan.marks],
        plan.obstacles,
        plan.paths,
        plan.regions,
        plan.flows,
        plan.formations,
        plan.surfaces,
        plan.vehicles.source.objects,
        [(each.ob, rows.tobytes()) for each, rows in point_parts(plan.vehicles.source)],
        [(each.ob, sorted(animated_paths(each.ob))) for each in (*plan.states, *plan.triggers)],
    )
    return int(plan.frames[0]), plan.frame_time, read, crowds, placed, animated


def _surroundings(read: Frame) -> tuple:
    return (*(getattr(read.snapshot, name) for name in SURROUNDINGS), read.parent_parts)


def _held(read: Frame) -> tuple:
    return (*(getattr(read.snapshot, name) for name in HELD), read.parent_parts)


def _plain(value: Iterable) -> tuple:
    return tuple(tuple(row) if hasattr(row, "__len__") else row for row in value)


def _is_same(known: Any, value: Any) -> bool:
    """Whether two values are the same objects, or tuples of the same."""
    if isinstance(known, tuple) and isinstance(value, tuple) and len(known) == len(value):
        return all(a is b for a, b in zip(known, value))
    return known is value
