"""Walkable ground: where a walker may tread, and which way round what it may not."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.angles import cosine_and_sine, cosine_of_setting, tangent_of_setting
from ..simulation.arrays.frozen import Columns, replace
from ..simulation.arrays.once import once
from ..simulation.arrays.scalars import EPSILON, Mask, Rows, Scalars, anybody, largest, nobody, which
from ..simulation.arrays.vectors import (
    Vectors,
    columns,
    cross,
    dot,
    from_above,
    magnitude,
    no_vectors,
    paired,
    picked,
    unit,
)
from ..simulation.geometry.floors import NO_TRIANGLE, Footing
from ..simulation.geometry.surfaces import Surfaces
from ..simulation.ground import rise, upright
from ..simulation.vehicle import Pose
from .headings import turn_by

BEGINS = (20.0, -20.0, 45.0, -45.0, 70.0, -70.0, 100.0, -100.0, 140.0, -140.0)
"""Degrees off its direction that a walker tries in turn, where positive ones are to the left."""
KEEPS = (20.0, 45.0, 70.0, 100.0, 140.0, -20.0, -45.0, -70.0, -100.0, -140.0)
"""As `BEGINS`, while it goes round something to its left; to its right it is the other way round."""
AHEAD = (0.0, 0.5, 1.0)
"""The shares of its reach at which a walker looks at the ground."""
AT_FEET = (0.0,)
"""Where it looks if no way is free to the end of its reach: it leaves a corner step by step."""
TURNS = tuple(cosine_and_sine(np.array(turns) * (np.pi / 180.0)) for turns in (BEGINS, KEEPS))
TRIED = ((AHEAD, slice(0, 2)), (AHEAD, slice(2, None)), (AT_FEET, slice(None)))
"""The turns that are tried together, as most that are hindered find a way with the first two."""
BRIDGES = 1.4
"""Multiples of the highest step that a foot bridges. A fifth of the height of a person, whose step is a sixth, is
1.2 of them, and sides are found to an eighth."""
STRIDE = 0.0625
"""Multiples of the highest step within which the ground may not rise or fall by more than one."""
UNLIKE = 0.5
"""Multiples of the highest step by which ground is higher or lower than where it goes on as at the feet, from which on
an edge may be before it."""
ROUND = np.stack(cosine_and_sine(np.arange(8) * (np.pi / 4.0)), axis=1)
NEARER = tuple(k / 8.0 for k in range(1, 9))
"""The directions and the shares of a gap in which one that stands beside the ground looks for it."""
FURTHER = 1.4
"""Multiples of its reach that a walker looks while it goes round something."""
ALONG = 0.97
"""The cosine of the turn from which on a walker that is led along an edge turns back from it."""
INWARD = cosine_and_sine(np.array([60.0 * np.pi / 180.0]))
"""By how much more a walker that turns back at an edge turns than along it."""


@dataclass(frozen=True)
class Look(Columns):
    """From where and where to n walkers look at the ground.

    Attributes:
        feet: (n, 3) where they stand, metres.
        normal: (n, 3) of the ground there.
        triangle: (n,) on which they stand, -1 for none.
        heading, direction: (n, 2) unit vectors, as seen from above.
        step: (n,) how far the next step goes, metres.
        reach: (n,) how far they look, metres: the room it takes to turn and to brake.
        radius: (n,) of their bodies, metres.
        need: (n,) how far they look at least: the room to brake, when they look again, and to step round, metres.
        circle: (n,) the radius of their tightest turn, metres.
    """

    feet: Vectors
    normal: Vectors
    triangle: Rows
    heading: Vectors
    direction: Vectors
    step: Scalars
    reach: Scalars
    radius: Scalars
    need: Scalars
    circle: Scalars


@dataclass(frozen=True)
class Walkable(Columns):
    """The ground that n walkers may tread.

    Attributes:
        surfaces: the ground.
        max_slope: (n,) radians; what is steeper refuses a step.
        headroom: (n,) metres above the ground that have to be free.
        shuns_edges: (n,) whether a walker looks out for the edge of the ground.
        refuses_edges: (n,) whether it does not walk over the edge.
    """

    surfaces: Surfaces
    max_slope: Scalars
    step_height: Scalars
    headroom: Scalars
    shuns_edges: Mask
    refuses_edges: Mask

    def is_too_steep(self, triangle: Rows) -> Mask:
        """Whether triangles are steeper than a walker climbs, (n,); not for -1."""
        if not self._has_steep_ground:
            return np.zeros(len(triangle), dtype=np.bool_)
        return self.surfaces.levelness(triangle) < cosine_of_setting(self.max_slope)

    @once
    def _has_steep_ground(self) -> bool:
        """Whether any of the ground is steeper than one of the walkers climbs."""
        return self.surfaces.steepest < largest(cosine_of_setting(self.max_slope))

    def footing(
        self, feet: Vectors, offset: Vectors, normal: Vectors, deeper: Scalars | float = 0.0, last: Rows | None = None
    ) -> Footing:
        """The ground that walkers tread after a way.

        Args:
            feet: (n, 3) where they stand, metres.
            offset: (n, 2) metres, as seen from above.
            normal: (n, 3) of the ground that they stand on.
            deeper: (n,) how much deeper than a step the ground may be, metres.
            last: (n,) the triangles that they stand on, if the way is that of a step.
        """
        step = self.step_height + tangent_of_setting(self.max_slope) * magnitude(offset)
        expected = feet[:, 2] + rise(normal, offset)
        x, y = feet[:, 0] + offset[:, 0], feet[:, 1] + offset[:, 1]
        footing = self.surfaces.under(x, y, expected, step, step + deeper, last)
        footing = self.surfaces.bridged(footing, x, y, expected, step, offset, BRIDGES * self.step_height)
        if last is not None:
            return footing
        drops = ~self._step_by_step(feet, offset, expected, footing.height, deeper)
        return replace(footing, triangle=np.where(drops, NO_TRIANGLE, footing.triangle)) if drops.any() else footing

    def _step_by_step(
        self, feet: Vectors, offset: Vectors, expected: Scalars, height: Scalars, deeper: Scalars | float = 0.0
    ) -> Mask:
        """Whether slopes and steps lead to ground that is higher or lower after ways, and no edge that is only as high
        as a slope to there, (n,).

        Ways are halved until ground no more than a step higher or lower is at both ends. `feet`, `offset`, `deeper`: as
        of `footing`; `expected`, `height`: (n,) metres of the ground there if that went on as at the feet, and as it
        is: nan for none, of which this says nothing.
        """
        leads: Mask = np.ones(len(feet), dtype=np.bool_)
        step = self.step_height + deeper
        row = which((np.abs(height - feet[:, 2]) > step) & (np.abs(height - expected) > UNLIKE * step))
        if not len(row):
            return leads
        length, slope = magnitude(offset), tangent_of_setting(self.max_slope)
        begin, end, low, high = np.zeros(len(row)), np.ones(len(row)), feet[row, 2], height[row]
        while len(row):
            apart, way, rise_over = end - begin, length[row], np.abs(high - low)
            leads[row[(apart * way <= STRIDE * step[row]) & (rise_over > step[row] + slope[row] * apart * way)]] = False
            half, reach = 0.5 * (begin + end), 0.5 * rise_over + step[row]
            place = picked(feet, row)[:, :2] + picked(offset, row) * half[:, None]
            middle = self.surfaces.under(place[:, 0], place[:, 1], 0.5 * (low + high), reach, reach).height
            row, begin, end = np.tile(row, 2), np.append(begin, half), np.append(half, end)
            low, high = np.append(low, middle), np.append(middle, high)
            open_still = leads[row] & ((end - begin) * length[row] > 0.5 * STRIDE * step[row])
            kept = which(open_still & (np.abs(high - low) > step[row]))
            row, begin, end, low, high = row[kept], begin[kept], end[kept], low[kept], high[kept]
        return leads

    def beside(self, feet: Vectors, furthest: Scalars) -> tuple[Vectors, Footing]:
        """The offsets (n, 2), metres, by which walkers beside the ground step back onto it, and their footing there.

        They are there as over the corner of a gap, on whose other side the ground has become too low. They step to the
        nearest place within a gap, as far as `furthest`, (n,) metres; without one they stay, on nothing.
        """
        n, gap = len(feet), BRIDGES * self.step_height
        reach = np.concatenate([np.tile(share * gap, len(ROUND)) for share in NEARER])
        offset = np.tile(np.repeat(ROUND, n, axis=0), (len(NEARER), 1)) * reach[:, None]
        x, y, z, within = (np.tile(column, len(ROUND) * len(NEARER)) for column in (*feet.T, self.step_height))
        footings = self.surfaces.under(x + offset[:, 0], y + offset[:, 1], z, within, within)
        nearest = (footings.triangle >= 0).reshape(-1, n).argmax(axis=0) * n + np.arange(n)
        ground, offset, distance = footings.take(nearest), offset[nearest], reach[nearest]
        share = np.where(ground.triangle >= 0, np.minimum(furthest / distance, 1.0), 0.0)
        height = feet[:, 2] + share * (ground.height - feet[:, 2])
        return offset * share[:, None], replace(ground, height=np.where(ground.triangle >= 0, height, np.nan))

    def goes_under(self, feet: Vectors, x: Scalars, y: Scalars, height: Scalars) -> Mask:
        """Whether a surface over the ground at places, (n,) metres, is too low for those who come from feet, (n,). Who
        lacks headroom there already, (n, 3), is free to come out."""
        low = self.surfaces.any_between(x, y, height + self.step_height, height + self.headroom)
        rows = which(low)
        if len(rows):
            x, y, height = picked(feet, rows).T
            step, headroom = self.step_height[rows], self.headroom[rows]
            low[rows] = ~self.surfaces.any_between(x, y, height + step, height + headroom)
        return low

    def step(self, feet: Vectors, offset: Vectors, normal: Vectors, triangle: Rows) -> tuple[Footing | None, Mask]:
        """The ground below a step, None without any, and whether the ground refuses it, (n,): it ends, or is too steep,
        or lacks headroom.

        Where they stand on ground that is too steep already, it refuses only what leads up to steeper ground, and where
        they lack headroom already, nothing for that.

        Args:
            triangle: (n,) on which they stand; -1 for none, from which every step is free.
        """
        if not len(self.surfaces) or not (triangle >= 0).any():
            return None, np.zeros(len(feet), dtype=np.bool_)
        footing = self.footing(feet, offset, normal, last=triangle)
        ahead, limit = footing.triangle, cosine_of_setting(self.max_slope)
        refused = (triangle >= 0) & (ahead < 0) & self.refuses_edges
        end_x, end_y = feet[:, 0] + offset[:, 0], feet[:, 1] + offset[:, 1]
        refused |= (triangle >= 0) & self.goes_under(feet, end_x, end_y, footing.height)
        if not self._has_steep_ground:
            return footing, refused
        level_ahead = self.surfaces.levelness(ahead)
        rows = which((triangle >= 0) & (ahead >= 0) & (level_ahead < limit))
        if len(rows):
            level = self.surfaces.levelness(triangle[rows])
            climbs = (level_ahead[rows] < level) & (rise(picked(normal, rows), picked(offset, rows)) > 0.0)
            refused[rows] = (level >= limit[rows]) | climbs
        return footing, refused

    def free_direction(self, look: Look, side: Rows) -> tuple[Vectors, Rows]:
        """The nearest level directions to those wanted in which the ground can be walked to the end of their reach.

        A walker that has begun to go round one way keeps to that side while it is hindered. Where no direction is free
        it turns back, or down from ground that is too steep. Returns direction (n, 2), side (n,).

        Args:
            side: (n,) on which each goes round: 1 left, -1 right, 0 neither.
        """
        # A walker that goes round something looks further, so that it does not turn back and forth at its edge.
        look = replace(look, reach=np.where(side == 0, look.reach, FURTHER * look.reach))
        rows = self._hindered(look)
        new_side = np.zeros_like(side)
        if not len(rows):
            return look.direction, new_side
        direction = look.direction.copy(order="K")
        new_side[rows] = side[rows]
        for shares, turns in TRIED:
            begins, (begin_turns, keep_turns) = side[rows] == 0, TURNS
            cosine, sine = (np.where(begins, a[turns, None], b[turns, None]) for a, b in zip(begin_turns, keep_turns))
            sine = sine * np.where(begins, 1.0, side[rows])
            tried = turn_by(picked(look.direction, rows), cosine, sine)
            repeated = np.tile(rows, len(cosine))
            free = self.take(repeated)._is_free(replace(look.take(repeated), direction=tried), shares)
            free = free.reshape(len(cosine), -1)
            first, passes = np.argmax(free, axis=0), free.any(axis=0)
            free_rows = rows[passes]
            chosen = first * len(rows) + np.arange(len(rows))
            direction[free_rows] = picked(tried, chosen)[passes]
            new_side[free_rows] = np.where(sine.ravel()[chosen] < 0.0, -1, 1)[passes]
            rows = rows[~passes]
            if not len(rows):
                return direction, new_side
        down = unit(picked(from_above(look.normal), rows))
        steep = self.take(rows).is_too_steep(look.triangle[rows])
        direction[rows] = np.where((steep & (magnitude(down) > 0.5))[:, None], down, -picked(look.heading, rows))
        return direction, new_side

    def turned_back(self, look: Look, course: Vectors, side: Rows) -> Vectors:
        """The level directions away from the edges ahead, (n, 2), for those who are led along one; zero for none.
        `course`: (n, 2) the directions in which they are led; `side`: (n,) on which they go round."""
        inward = from_above(no_vectors(len(side)))
        rows = which((side != 0) & self.shuns_edges & (dot(course, look.direction) < ALONG))
        if not len(rows):
            return inward
        seen = look.take(rows)
        offset = along_ground(seen.normal, seen.direction, seen.reach)
        ends = which(self.take(rows).footing(seen.feet, offset, seen.normal).triangle < 0)
        if not len(ends):
            return inward
        rows, seen = rows[ends], seen.take(ends)
        cosine, sine = INWARD
        back = turn_by(picked(course, rows), cosine[:, None], sine[:, None] * side[rows])
        free = self.take(rows)._is_free(replace(seen, direction=back, reach=FURTHER * seen.reach), AHEAD)
        inward[rows] = np.where(free[:, None], back, 0.0)
        return inward

    def while_free(self, look: Look, direction: Vectors) -> Vectors:
        """The directions, (n, 2); zero where the ground cannot be walked to the end of the reach."""
        free = direction.copy(order="K")
        rows = which(magnitude(direction) > 0.5)
        if len(rows):
            seen = replace(look.take(rows), direction=picked(direction, rows))
            free[rows[~self.take(rows)._is_free(seen, AHEAD)]] = 0.0
        return free

    def _hindered(self, look: Look) -> Rows:
        """The rows of walkers whose reach leaves the ground that can be walked."""
        rows = which(self._is_near_edge(look))
        return rows[~self.take(rows)._is_free(look.take(rows), AHEAD)] if len(rows) else rows

    def ends_ahead(self, look: Look) -> Mask:
        """Whether the ground ends or is too steep within their reach straight ahead of them, (n,)."""
        ends = nobody(len(look.reach)).copy()
        # Walkers that stop at an edge may look beyond it, but not step over it.
        by_steps = replace(self, shuns_edges=self.refuses_edges)
        ends[by_steps._hindered(replace(look, direction=look.heading))] = True
        return ends

    def _is_near_edge(self, look: Look) -> Mask:
        """Whether the ground may end or be too steep within the reach of those who stand on a surface, (n,)."""
        gentle = float(cosine_of_setting(self.max_slope).max(initial=0.0))
        is_open = self.surfaces.open_to(look.feet[:, 0], look.feet[:, 1], gentle, largest(look.reach))
        return (look.triangle >= 0) & ~is_open

    def leaves_room(self, look: Look, direction: Vectors, onward: Scalars, length: Scalars) -> Mask:
        """Whether the ground can be walked along the tightest turn to new directions, also by the outer side, (n,).
        `direction`: (n, 2) unit vectors, at the end of the turn; `onward`: (n,) how far they walk straight on before
        it, metres; `length`: (n,) how much of the turn counts, metres."""
        has_room: Mask = np.ones(len(onward), dtype=np.bool_)
        near = which(self._is_near_edge(look))
        if not len(near):
            return has_room
        look, onward, length = look.take(near), onward[near], length[near]
        direction = picked(direction, near)
        heading, circle = look.heading, look.circle
        cosine, left = dot(heading, direction), paired(-heading[:, 1], heading[:, 0])
        inward = left * np.where(dot(left, direction) < 0.0, -1.0, 1.0)[:, None]
        # Along an edge it may walk close to it, but swing no side over it in a turn.
        outer = circle + look.radius * np.minimum(2.0 * (1.0 - cosine), 1.0)
        cosine = np.maximum(cosine, cosine_and_sine(np.minimum(length / np.maximum(circle, EPSILON), np.pi))[0])
        for _ in range(2):
            cosine = np.sqrt(np.maximum(0.5 + 0.5 * cosine, 0.0))
        sine = np.sqrt(np.maximum(1.0 - cosine * cosine, 0.0))
        offsets, c, s = [], cosine, sine
        for _ in range(4):
            offsets.append(np.add(heading * (onward + outer * s)[:, None], inward * (circle - outer * c)[:, None]))
            c, s = c * cosine - s * sine, s * cosine + c * sine
        has_room[near] = self.take(near)._may_tread(look, np.concatenate([offset.T for offset in offsets], axis=1).T)
        return has_room

    def _is_free(self, look: Look, shares: tuple[float, ...]) -> Mask:
        """Whether the ground can be walked at these shares of their reach, (n,)."""
        length = np.concatenate([np.maximum(share * look.reach, look.step) for share in shares])
        normal, direction = (_repeated(v, len(shares)) for v in (look.normal, look.direction))
        return self._may_tread(look, along_ground(normal, direction, length))

    def _may_tread(self, look: Look, offset: Vectors) -> Mask:
        """Whether the ground can be walked at all places of each, (n,). `offset`: (k n, 2) metres to these as seen from
        above, the first of all n walkers before the second."""
        n = len(look.reach)
        times = max(len(offset) // max(n, 1), 1)
        feet, normal = _repeated(look.feet, times), _repeated(look.normal, times)
        limit, slope = (np.concatenate((c(self.max_slope),) * times) for c in (cosine_of_setting, tangent_of_setting))
        step = np.concatenate((self.step_height,) * times) + slope * magnitude(offset)
        x, y, expected = feet[:, 0] + offset[:, 0], feet[:, 1] + offset[:, 1], feet[:, 2] + rise(normal, offset)
        good, bad = self.surfaces.glance(x, y, expected, np.concatenate((self.step_height,) * times), limit)
        # Of those with a place that cannot be walked the others need not be looked at.
        free = ~bad.reshape(times, n).any(axis=0)
        rows = which(~good & np.concatenate((free,) * times))
        if len(rows):
            nearby = step[rows]
            places = x[rows], y[rows], expected[rows]
            footing = self.surfaces.under(*places, nearby, nearby)
            gap = BRIDGES * self.step_height[rows % n]
            footing = self.surfaces.bridged(footing, *places, nearby, picked(offset, rows), gap)
            ahead, level = footing.triangle, limit[rows]
            walkers = self.take(rows % n)
            drops = ~walkers._step_by_step(picked(feet, rows), picked(offset, rows), expected[rows], footing.height)
            ahead = np.where(drops, NO_TRIANGLE, ahead)
            walked = np.where(ahead < 0, ~self.shuns_edges[rows % n], self.surfaces.levelness(ahead) >= level)
            walked &= ~walkers.goes_under(picked(feet, rows), *places[:2], footing.height)
            free[rows[~walked] % n] = False
        return free


def along_ground(normal: Vectors, direction: Vectors, length: Scalars) -> Vectors:
    """Ways of (n,) metres along the ground in level directions, as seen from above: a slope shortens them; (n, 2)."""
    if not anybody(normal[:, 2] < 1.0):
        return direction * length[:, None]
    grade = rise(normal, direction)
    return direction * (length / np.sqrt(1.0 + grade * grade))[:, None]


def _repeated(v: Vectors, times: int) -> Vectors:
    """The vectors (n, 3) several times over, (times n, 3); also of (n, 2)."""
    return np.concatenate((v.T,) * times, axis=1).T if times > 1 else v


def leaning(heading: Vectors, normal: Vectors, share: Scalars, aside: Scalars) -> Pose | None:
    """The axes of walkers on ground with normals (n, 3), which lean with it by a share, (n,); None if none does.
    `heading`: (n, 3) level; `aside`: (n,) the tangents of the angles by which they also lean to the left."""
    tilts = anybody(aside != 0.0)
    if not (tilts or anybody(share > 0.0)):
        return None
    leaned: Vectors = normal * share[:, None]
    up = unit(leaned + upright(len(normal)) * (1.0 - share)[:, None])
    ahead = unit(columns(heading[:, 0], heading[:, 1], rise(up, heading)))
    if tilts:
        up = unit(up + columns(-heading[:, 1] * aside, heading[:, 0] * aside, 0.0))
    right = cross(ahead, up)
    return Pose(right, ahead, cross(right, ahead))
