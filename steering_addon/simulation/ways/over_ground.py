"""Ways over ground: at one moment, where all that walk on surfaces see their goals.

A goal is unrolled: it is seen straight ahead in the direction in which the way to it begins, as far away as the way is
long. So a behavior seeks, brakes and arrives by the way as it does on an open plain.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial

import numpy as np

from ..arrays.chance import Keys, mix, uniform
from ..arrays.once import Key
from ..arrays.scalars import Mask, Rows, Scalars, all_of, distinct_rows, nobody, which
from ..arrays.vectors import Vectors, columns, magnitude, picked
from ..geometry.obstacles import Obstacles
from ..geometry.paths import Spline
from ..geometry.surfaces import Surfaces
from ..handling import Handling
from ..lane_use import Passing
from ..links import NO_LINKS, Links
from .routes import LANES, foresee_doors
from .spans import Build, find_spans
from .standing import Standing
from .traffic import Queues, Traffic
from .walkable_ground import Course, WalkableGround

ALIKE = 1.2
"""How much larger than the smallest the largest body is for which a ground is made that all of them walk."""
ROUNDING = 1e-6
"""Metres within which a goal is the place that was seen."""
LANE = 0x1A9E
"""Salts the keys from which the lane of each is drawn."""
PACES = 0.1
"""Metres a second to which the pace of those who look for ways over links is rounded."""
KEPT = 16
"""Grounds that are kept: a few kinds of bodies, with each door open and closed."""
NO_PASSING = Passing.blank(0)


@dataclass(frozen=True)
class _Asked:
    """Where m vehicles were to go, places (m, 3), and where they see these on their ground."""

    ground: WalkableGround
    rows: Rows
    places: Vectors
    course: Course


@dataclass(frozen=True)
class Ways:
    """The ways at one moment.

    Attributes:
        surfaces: what they lead over.
        grounds: what vehicles can walk, with the mask of those that walk it, (v,), and the traffic on it.
        lift: (v,) metres from the place where each vehicle stands up to its origin.
        nose: (v,) metres from its middle to the end of its axis.
    """

    surfaces: Surfaces
    grounds: tuple[tuple[WalkableGround, Mask, Traffic], ...]
    lift: Scalars
    nose: Scalars
    _asked: list[_Asked] = field(default_factory=list, compare=False)
    _fled: list[tuple[Rows, Scalars]] = field(default_factory=list, compare=False)
    _unrolled: dict[tuple[bytes, bytes, bytes], Vectors] = field(default_factory=dict, compare=False)

    def unroll(self, rows: Rows, keys: Keys, position: Vectors, places: Vectors, moves: Mask | None = None) -> Vectors:
        """Places, (n, 3) metres, as vehicles of some rows see them along their ways; nan stays.

        A place in sight stays the same to the last bit. Where no way leads to one, it is the nearest that can be
        reached.

        Args:
            moves: (n,) whose place moves; None for nobody's.
        """
        moves = np.zeros(len(rows), dtype=np.bool_) if moves is None else moves
        key = rows.tobytes(), places.tobytes(), moves.tobytes()
        known = self._unrolled.get(key)
        if known is not None:
            return known
        for ground, walks, traffic in self.grounds:
            asks = which(walks[rows] & np.isfinite(places[:, 0]))
            if not len(asks):
                continue
            at = picked(position, asks)
            feet = self._feet(rows[asks], at)
            lanes, nose = _lanes(keys[asks]), self.nose[rows[asks]]
            course = ground.course(feet, picked(places, asks), at[:, 2], lanes, traffic, moves[asks], nose)
            self._asked.append(_Asked(ground, rows[asks], picked(places, asks), course))
            places = places.copy(order="K")
            places[asks] = course.place
        self._unrolled[key] = places
        return places

    def lengths(self, rows: Rows, position: Vectors, places: Vectors) -> Vectors:
        """How long the ways of vehicles of some rows to places (c, 3) are, metres of free way, (n, c). inf where none
        leads, and for those that go straight."""
        metres = np.full((len(rows), len(places)), np.inf)
        for ground, walks, traffic in self.grounds:
            asks = which(walks[rows])
            if len(asks) and not ground.open_to(places, traffic).all():
                metres[asks] = ground.lengths(self._feet(rows[asks], picked(position, asks)), places, traffic)
        return metres

    def retreat(self, rows: Rows, keys: Keys, position: Vectors, threats: Vectors, away: Vectors) -> Vectors:
        """The level unit directions, (n, 3), in which vehicles of some rows run from threats.

        Args:
            threats: (n, 3) metres; nan for none.
            away: (n, 3) the level unit directions straight away from them, which stay to the last bit in the open.
        """
        for ground, walks, _ in self.grounds:
            asks = which(walks[rows] & np.isfinite(threats[:, 0]))
            if not len(asks):
                continue
            feet = self._feet(rows[asks], picked(position, asks))
            away = away.copy(order="K")
            away[asks], ahead = ground.course_away(feet, picked(threats, asks), picked(away, asks), _lanes(keys[asks]))
            self._fled.append((rows[asks], ahead))
        return away

    def passages(self, rows: Rows, goals: Vectors) -> tuple[Vectors, Vectors, Vectors, Mask, Scalars]:
        """The first places too narrow for two, or else to be shared, on the ways to goals (n, 3) unrolled in this step.

        Returns:
            place: (n, 3) metres; nan for none.
            middle: (n, 3) that of the straight stretch in which it is, metres.
            along: (n, 3) a level unit direction through it.
            inside: (n,) whether they are there.
            room: (n,) as of `Passing`.
        """
        n = len(rows)
        place, middle, along = np.full((n, 3), np.nan), np.full((n, 3), np.nan), np.zeros((n, 3))
        inside, room = np.zeros(n, dtype=np.bool_), np.zeros(n)
        for asked, at in self._asked_for(rows, goals):
            ground = asked.ground
            known = which((at >= 0) & (asked.course.passage[at] < len(ground.spans)))
            if not len(known):
                continue
            node = asked.course.passage[at[known]]
            along[known], place[known] = (column[node] for column in ground.width[1:])
            middle[known] = ground.stretch_middle[node]
            inside[known] = asked.course.inside[at[known]]
            room[known] = np.where(ground.narrow[node], 0.0, 0.5 * ground.width[0][node])
        return place, middle, along, inside, room

    @property
    def lead_through_passages(self) -> bool:
        """Whether one unrolled in this step leads through a place too narrow for two."""
        return any((asked.course.passage < len(asked.ground.spans)).any() for asked in self._asked)

    def _feet(self, rows: Rows, position: Vectors) -> Vectors:
        """Where vehicles of some rows stand, (m, 3) metres."""
        return columns(position[:, 0], position[:, 1], position[:, 2] - self.lift[rows])

    def before_links(self, goals: Vectors) -> Iterator[tuple[Rows, Rows, Mask, Scalars]]:
        """The vehicles whose way leads straight to a link, of those that have asked for it in this step. Yields their
        rows (m,), the row of the link of each, whether it leads back there, and the metres up to it. `goals`: (v, 3)
        metres, where they go; nan for nowhere."""
        for asked, goes in self._gone_by(goals):
            over = which((asked.course.over >= 0) & goes)
            crossed, way = asked.ground.crossed, asked.course.over[over]
            yield asked.rows[over], crossed.link[way], crossed.back[way], asked.course.ahead[over]

    def line_over(self, vehicle: int, link: int, back: bool) -> Spline | None:
        """The line on which a vehicle gets over a link; None where its ends no longer lie on its ground."""
        for ground, walks, _ in self.grounds:
            if walks[vehicle]:
                over = which((ground.crossed.link == link) & (ground.crossed.back == back))
                return ground.crossed.line[int(over[0])] if len(over) else None
        return None

    def _gone_by(self, goals: Vectors) -> list[tuple[_Asked, Mask]]:
        """The ways asked for in this step, with those who go by each, (m,): who asks for several, as it is led to
        places one after the other or takes up another state, goes by that to its goal, (v, 3) metres."""
        ours = [(asked.places == picked(goals, asked.rows)).all(axis=1) for asked in self._asked]
        known = np.zeros(len(goals), dtype=np.bool_)
        for asked, to_goal in zip(self._asked, ours):
            known[asked.rows[to_goal]] = True
        return [(asked, to_goal | ~known[asked.rows]) for asked, to_goal in zip(self._asked, ours)]

    def walked_by(self, rows: Rows) -> Mask:
        """Whether vehicles of some rows go by these ways, (n,)."""
        walked = np.zeros(len(rows), dtype=np.bool_)
        for _, walks, _ in self.grounds:
            walked |= walks[rows]
        return walked

    def traffic_after(
        self,
        position: Vectors,
        speed: Scalars,
        own_speed: Scalars,
        radius: Scalars,
        goes: Mask,
        goals: Vectors,
        passing: Passing | None,
        time: float,
        dt: float,
        looks: bool,
    ) -> dict[Build, Traffic]:
        """The traffic a step later, by the build of the bodies whose ground it is on.

        Args:
            position: (v, 3) metres, and for each vehicle its speed, its own speed where nobody holds it up, m/s, its
                radius, metres, and whether it goes, (v,).
            goals: (v, 3) as of `before_links`.
            passing: the passages that vehicles come to; None for none.
            looks: as of `Traffic.after`.
        """
        after = {}
        for ground, walks, traffic in self.grounds:
            rows = which(walks & goes)
            x, y, z = picked(position, rows).T
            nodes = ground.spans.at(x, y, z - self.lift[rows], ground.build.headroom)
            seen = NO_PASSING if passing is None else passing.take(rows)
            queues, streams = partial(self._queues, ground, rows, goals), partial(ground.streams, seen)
            after[ground.build] = traffic.after(
                ground.spans, nodes, radius[rows], speed[rows], own_speed[rows], queues, streams, time, dt, looks
            )
        return after

    def _queues(self, ground: WalkableGround, rows: Rows, goals: Vectors) -> Queues:
        """The doors on a ground to which vehicles of some rows come. `goals`: (v, 3) as of `before_links`."""
        n = len(self.lift)
        door, before, width = np.full(n, len(ground.spans)), np.zeros(n), np.full(n, np.inf)
        asking = [
            (asked.rows[some[goes[some]]], (routes, nodes[goes[some]]))
            for asked, goes in self._gone_by(goals)
            if asked.ground is ground
            for routes, some, nodes in asked.course.asking
            if goes[some].any()
        ]
        if asking and np.isfinite(ground.door_width).any():
            who = np.concatenate([some for some, _ in asking])
            door[who], before[who] = foresee_doors([each for _, each in asking])
            width = ground.door_width[door]
        return Queues(door[rows], before[rows], width[rows])

    def straight_on(self, rows: Rows, goals: Vectors) -> Scalars:
        """How far ways to goals (n, 3) unrolled in this step lead straight on, (n,) metres; inf for all the way.
        Without a goal, nan, it is that of the way on which a vehicle runs from a threat."""
        ahead = np.full(len(rows), np.inf)
        for fled, distance in self._fled:
            at = np.minimum(np.searchsorted(fled, rows), len(fled) - 1)
            ahead = np.where((fled[at] == rows) & np.isnan(goals[:, 0]), np.minimum(ahead, distance[at]), ahead)
        for asked, at in self._asked_for(rows, goals):
            ahead = np.where(at >= 0, asked.course.ahead[at], ahead)
        return ahead

    def asked(self, rows: Rows, goals: Vectors) -> tuple[Vectors, Mask]:
        """The places of which goals (n, 3) are unrolled in this step, (n, 3) metres, other goals as they are; and
        whether ways lead there, (n,)."""
        leads = all_of(len(rows))
        for asked, at in self._asked_for(rows, goals):
            goals = np.where((at >= 0)[:, None], picked(asked.places, at), goals)
            leads = leads & ((at < 0) | asked.course.leads[at])
        return goals, leads

    def _asked_for(self, rows: Rows, goals: Vectors) -> Iterator[tuple[_Asked, Rows]]:
        """The ways asked for in this step, each with its entry for each of the goals (n, 3), (n,); -1 for none."""
        for asked in self._asked:
            at = np.minimum(np.searchsorted(asked.rows, rows), len(asked.rows) - 1)
            # Behaviors add and subtract positions, which rounds.
            same = (asked.rows[at] == rows) & (magnitude(picked(asked.course.place, at) - goals) < ROUNDING)
            yield asked, np.where(same, at, -1)


def _lanes(keys: Keys) -> Rows:
    """The number of the lane of each of some vehicles."""
    return np.floor(uniform(mix(keys, LANE)) * len(LANES)).astype(np.int64)


def find_ways(
    surfaces: Surfaces,
    obstacles: Obstacles,
    radius: Scalars,
    handling: Handling,
    lift: Scalars,
    traffic: Mapping[Build, Traffic],
    links: Links = NO_LINKS,
    pace: Scalars | None = None,
    nose: Scalars | None = None,
) -> Ways | None:
    """The ways of vehicles that walk, among all that stands still; None where nobody walks on such ground.

    Args:
        radius, lift: (v,) metres.
        handling: of the v vehicles.
        traffic: after the last step, as of `traffic_after`.
        links: what joins places of the ground.
        pace: (v,) the usual speed of each vehicle, m/s, by which it judges the seconds of links.
        nose: (v,) metres from the middles of long bodies to the ends of their axes; None if all are round.
    """
    still = Surfaces(tuple(layer for layer in surfaces.layers if not layer.moves and len(layer)))
    if not len(still.layers):
        return None
    grounds = []
    limits = handling.steepest, handling.step, handling.gap, handling.headroom
    for build, walks in _builds(Key.of((radius, limits), radius, *limits)):
        ground = _ground(_site(still, obstacles.mapped, build))
        if ground is not None:
            if len(links) and pace is not None:
                ground = _linked(ground, links, _mean_pace(pace[walks]))
            grounds.append((ground, walks, traffic.get(build) or Traffic.none_yet(ground.spans)))
    if not grounds:
        return None
    nose = np.zeros(len(radius)) if nose is None else nose
    return Ways(still, tuple(grounds), np.broadcast_to(lift, radius.shape), nose)


@lru_cache(maxsize=KEPT)
def _builds(bodies: Key[tuple[Scalars, tuple[Scalars, ...]]]) -> list[tuple[Build, Mask]]:
    """The builds of bodies that walk, with the mask of the vehicles of each: the largest of those nearly alike."""
    radius, columns = bodies.parts
    limits, builds = np.stack(columns, axis=1), []
    walks = np.isfinite(limits[:, :2]).all(axis=1) & (radius > 0.0)
    for build in distinct_rows(limits[walks])[0] if walks.any() else ():
        left = walks & (limits == build).all(axis=1)
        while left.any():
            largest = float(radius[left].max())
            some = left & (radius * ALIKE >= largest)
            builds.append((Build(largest, *build.tolist()), some))
            left = left & ~some
    return builds


def _site(surfaces: Surfaces, obstacles: Obstacles, build: Build) -> Key[tuple[Surfaces, Obstacles, Build]]:
    """Surfaces with obstacles on them, for bodies of one build."""
    layers = np.array([layer.imprint for layer in surfaces.layers], dtype=np.int64)
    return Key.of((surfaces, obstacles, build), layers, obstacles.imprint, build)


def _mean_pace(pace: Scalars) -> float:
    """The mean of some speeds, rounded, so that ways are kept while it drifts, m/s."""
    return max(float(np.floor(np.cumsum(pace)[-1] / len(pace) / PACES + 0.5)), 1.0) * PACES


# Links that move make another ground on each frame.
@lru_cache(maxsize=KEPT // 2)
def _linked(ground: WalkableGround, links: Links, pace: float) -> WalkableGround:
    return ground.with_links(links, pace)


@lru_cache(maxsize=KEPT)
def _ground(site: Key[tuple[Surfaces, Obstacles, Build]]) -> WalkableGround | None:
    surfaces, obstacles, build = site.parts
    last = _last_standing(_site(surfaces, obstacles.take(nobody(len(obstacles))), build))
    if not last:
        return None
    standing, before = last[0]
    standing = standing.with_obstacles(obstacles)
    ground = WalkableGround(standing, before)
    last[0] = standing, ground
    return ground


@lru_cache(maxsize=KEPT)
def _last_standing(site: Key[tuple[Surfaces, Obstacles, Build]]) -> list[tuple[Standing, WalkableGround | None]]:
    """The grids that stood last on surfaces, to be replaced by those that stand there now; nothing where no body can
    stand."""
    surfaces, _, build = site.parts
    spans = find_spans(surfaces, build)
    return [] if spans is None else [(WalkableGround.empty(spans, build), None)]
