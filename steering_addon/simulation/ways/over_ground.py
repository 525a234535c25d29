"""Ways over ground: at one moment, where all that walk on surfaces see their goals.

A goal is unrolled: it is seen straight ahead in the direction in which the way to it begins, as far away as the way is
long. So a behavior seeks, brakes and arrives by the way as it does on an open plain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from ..arrays.chance import Keys, mix, uniform
from ..arrays.vectors import Mask, Rows, Scalars, Vectors, columns, magnitude, picked, which
from ..geometry.obstacles import OUTSIDE, Obstacles
from ..geometry.surfaces import Surfaces
from ..handling import Handling
from .mesh_walls import are_mapped
from .spans import Build, Spans, find_spans
from .traffic import Traffic
from .walkable_ground import LANES, WalkableGround

ALIKE = 1.2
"""How much larger than the smallest the largest body is for which a ground is made that all of them walk."""
ROUNDING = 1e-6
"""Metres within which a goal is the place that was seen."""
LANE = 0x1A9E
"""Salts the keys from which the lane of each is drawn."""
KEPT = 16
"""Grounds that are kept: a few kinds of bodies, with each door open and closed."""


@dataclass(frozen=True)
class Ways:
    """The ways at one moment.

    Attributes:
        grounds: what vehicles can walk, with the mask of those that walk it, (v,), and the traffic on it.
        lift: (v,) metres from the place where each vehicle stands up to its origin.
    """

    grounds: tuple[tuple[WalkableGround, Mask, Traffic], ...]
    lift: Scalars
    _asked: list[tuple[Rows, Vectors, Scalars]] = field(default_factory=list, compare=False)
    _fled: list[tuple[Rows, Scalars]] = field(default_factory=list, compare=False)
    _unrolled: dict[tuple[bytes, bytes], Vectors] = field(default_factory=dict, compare=False)

    def unroll(self, rows: Rows, keys: Keys, position: Vectors, places: Vectors) -> Vectors:
        """Places, (n, 3) metres, as vehicles of some rows see them along their ways; nan stays.

        A place in sight stays the same to the last bit. Where no way leads to one, it is the nearest that can be
        reached.
        """
        key = rows.tobytes(), places.tobytes()
        known = self._unrolled.get(key)
        if known is not None:
            return known
        for ground, walks, traffic in self.grounds:
            asks = which(walks[rows] & np.isfinite(places[:, 0]))
            if ground.is_open or not len(asks):
                continue
            at = picked(position, asks)
            feet, lane = self._stand(rows[asks], keys[asks], at)
            course = ground.course(feet, picked(places, asks), at[:, 2], lane, traffic)
            places = places.copy(order="K")
            places[asks] = course.place
            self._asked.append((rows[asks], course.place, course.ahead))
        self._unrolled[key] = places
        return places

    def retreat(self, rows: Rows, keys: Keys, position: Vectors, threats: Vectors, away: Vectors) -> Vectors:
        """The level unit directions, (n, 3), in which vehicles of some rows run from threats.

        Args:
            threats: (n, 3) metres; nan for none.
            away: (n, 3) the level unit directions straight away from them, which stay to the last bit in the open.
        """
        for ground, walks, _ in self.grounds:
            asks = which(walks[rows] & np.isfinite(threats[:, 0]))
            if ground.is_open or not len(asks):
                continue
            feet, lane = self._stand(rows[asks], keys[asks], picked(position, asks))
            away = away.copy(order="K")
            away[asks], ahead = ground.course_away(feet, picked(threats, asks), picked(away, asks), lane)
            self._fled.append((rows[asks], ahead))
        return away

    def _stand(self, rows: Rows, keys: Keys, position: Vectors) -> tuple[Vectors, Rows]:
        """Where vehicles of some rows stand, (m, 3) metres, and the number of the lane of each, (m,)."""
        feet = columns(position[:, 0], position[:, 1], position[:, 2] - self.lift[rows])
        return feet, np.floor(uniform(mix(keys, LANE)) * len(LANES)).astype(np.int64)

    def walked_by(self, rows: Rows) -> Mask:
        """Whether vehicles of some rows go by these ways, (n,)."""
        walked = np.zeros(len(rows), dtype=np.bool_)
        for _, walks, _ in self.grounds:
            walked |= walks[rows]
        return walked

    def traffic_after(
        self, position: Vectors, speed: Scalars, own_speed: Scalars, radius: Scalars, goes: Mask, time: float, dt: float
    ) -> dict[Build, Traffic]:
        """The traffic a step later, by the build of the bodies whose ground it is on.

        Args:
            position: (v, 3) metres, and for each vehicle its speed, its own speed where nobody holds it up, m/s, its
                radius, metres, and whether it goes, (v,).
            time: seconds.
        """
        after = {}
        for ground, walks, traffic in self.grounds:
            if ground.is_open:
                continue
            rows = which(walks & goes)
            x, y, z = picked(position, rows).T
            nodes = ground.spans.at(x, y, z - self.lift[rows], ground.build.headroom)
            after[ground.build] = traffic.after(
                ground.spans, nodes, radius[rows], speed[rows], own_speed[rows], time, dt
            )
        return after

    def straight_on(self, rows: Rows, goals: Vectors) -> Scalars:
        """How far ways to goals (n, 3) unrolled in this step lead straight on, (n,) metres; inf for all the way.

        Without a goal, nan, it is that of the way on which a vehicle runs from a threat.
        """
        ahead = np.full(len(rows), np.inf)
        for fled, distance in self._fled:
            at = np.minimum(np.searchsorted(fled, rows), len(fled) - 1)
            ahead = np.where((fled[at] == rows) & np.isnan(goals[:, 0]), np.minimum(ahead, distance[at]), ahead)
        for asked, place, distance in self._asked:
            at = np.minimum(np.searchsorted(asked, rows), len(asked) - 1)
            # Behaviors add and subtract positions, which rounds.
            same = (asked[at] == rows) & (magnitude(picked(place, at) - goals) < ROUNDING)
            ahead = np.where(same, distance[at], ahead)
        return ahead


def find_ways(
    surfaces: Surfaces,
    obstacles: Obstacles,
    radius: Scalars,
    handling: Handling,
    lift: Scalars,
    traffic: Mapping[Build, Traffic],
) -> Ways | None:
    """The ways of vehicles that walk, among all that stands still; None where nobody walks on such ground.

    Args:
        radius, lift: (v,) metres.
        handling: of the v vehicles.
        traffic: after the last step, as of `traffic_after`.
    """
    still = Surfaces(tuple(layer for layer in surfaces.layers if not layer.moves and len(layer)))
    if not len(still.layers):
        return None
    solid = obstacles.take(are_mapped(obstacles) & obstacles.present & (obstacles.side == OUTSIDE))
    grounds = []
    for build, walks in _builds(radius, handling):
        ground = _ground(_Site.of(still, solid, build))
        if ground is not None:
            grounds.append((ground, walks, traffic.get(build) or Traffic.none_yet(ground.spans)))
    if not grounds:
        return None
    return Ways(tuple(grounds), np.broadcast_to(lift, radius.shape))


def _builds(radius: Scalars, handling: Handling) -> Iterator[tuple[Build, Mask]]:
    """The builds of bodies that walk, with the mask of the vehicles of each: the largest of those nearly alike."""
    columns_of = (handling.steepest, handling.step, handling.gap, handling.headroom)
    walks = np.isfinite(handling.step) & np.isfinite(handling.steepest) & (radius > 0.0)
    if not walks.any():
        return
    for steepest, step, gap, headroom in _distinct_rows(np.stack(columns_of)[:, walks]):
        alike = walks.copy()
        for column, value in zip(columns_of, (steepest, step, gap, headroom)):
            alike &= column == value
        left = alike
        while left.any():
            largest = float(radius[left].max())
            some = left & (radius * ALIKE >= largest)
            yield Build(largest, steepest, step, gap, headroom), some
            left = left & ~some


def _distinct_rows(table: Vectors) -> Iterable[list[float]]:
    """The distinct columns of a table (c, n), in rising order."""
    if (table == table[:, :1]).all():
        return [table[:, 0].tolist()]
    rows: list[list[float]] = np.unique(table, axis=1).T.tolist()
    return rows


@dataclass(frozen=True)
class _Site:
    """Surfaces with obstacles on them, for bodies of one build; the key under which their ground is kept.

    Attributes:
        digest: the bytes of the obstacles and the identities of layers and meshes, which are held with them.
    """

    digest: bytes
    build: Build
    surfaces: Surfaces = field(compare=False)
    obstacles: Obstacles = field(compare=False)

    @classmethod
    def of(cls, surfaces: Surfaces, obstacles: Obstacles, build: Build) -> _Site:
        o = obstacles
        held = [*map(id, surfaces.layers), *map(id, o.mesh)]
        data = (o.start, o.end, o.radius, o.shape, o.axes, o.half, np.array(held, dtype=np.int64))
        digest = b"".join(np.ascontiguousarray(column).tobytes() for column in data)
        return cls(digest, build, surfaces, obstacles)


@lru_cache(maxsize=KEPT)
def _ground(site: _Site) -> WalkableGround | None:
    bare = _spans(_Site.of(site.surfaces, site.obstacles.take(slice(0, 0)), site.build))
    return None if bare is None else WalkableGround(bare, site.obstacles, site.build)


@lru_cache(maxsize=KEPT)
def _spans(site: _Site) -> Spans | None:
    return find_spans(site.surfaces, site.build)
