"""Strides: how contacts push bodies on feet, which give way along their heading and hardly aside.

Feet on the ground would slide if the body above them were pushed aside. Of a push v with the parts v_f along the
heading and v_s aside, such a body takes as much aside as keeps its whole way aside within SIDEWAYS of its way ahead.
For what is left, o, it goes more slowly, down to standing: along the push n = v / |v|, a way of

    o |n_s| / |n_f|

less ahead makes up for it. So of two that touch the one whose heading leads into the other waits while that one
continues, and they come apart over more frames.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays.scalars import Mask, Rows, Scalars, clamp, which
from ..arrays.vectors import Vectors, columns, dot, from_above, in_space, magnitude, no_vectors, picked, unit
from ..handling import side_step

SIDEWAYS = 0.09
"""The share of its way ahead by which a body may be pushed aside; from a tenth on, feet are seen to slide."""
BROADSIDE = 0.3
"""The cosine between heading and push up to which a body walks along another, which waits if it walks into this one."""
DEEP = 0.01
"""The push in radii from which on feet may slide where nothing else keeps bodies out of each other."""
SLIGHT = 1e-4
"""The push in radii up to which a body stays where it is: more rounds would hardly change that."""


@dataclass(frozen=True)
class Strides:
    """The steps of m bodies on feet.

    Attributes:
        rows: (m,) of the bodies.
        began: (m, 3) where the steps began, metres.
        ahead, aside: (m, 3) unit vectors, level.
        radius: (m,) of the bodies, metres.
        share, pace: (m,) as of `side_step`, metres a step.
    """

    rows: Rows
    began: Vectors
    ahead: Vectors
    aside: Vectors
    radius: Scalars
    share: Scalars
    pace: Scalars

    @classmethod
    def of(
        cls, began: Vectors | None, forward: Vectors, radius: Scalars, gives_way: Mask, share: Scalars, pace: Scalars
    ) -> "Strides":
        """The steps of the bodies on feet that give way, (n,).

        Args:
            began: (n, 3) metres, nan for other bodies; None if none is on feet.
            forward: (n, 3) unit headings.
            share, pace: (n,) as of `side_step`, metres a step.
        """
        if began is None:
            nothing, none = no_vectors(0), np.zeros(0)
            return cls(np.zeros(0, dtype=np.int64), nothing, nothing, nothing, none, none, none)
        rows = which(gives_way & ~np.isnan(began[:, 0]))
        ahead = unit(from_above(picked(forward, rows)))
        right = columns(ahead[:, 1], -ahead[:, 0], 0.0)
        return cls(rows, picked(began, rows), in_space(ahead), right, radius[rows], share[rows], pace[rows])

    def taken(self, points: Vectors, push: Vectors, *, slide: bool) -> Vectors:
        """The part of pushes that bodies at points take, (b, 3) metres each. `slide`: whether those take all of it that
        are deep in another body."""
        size = magnitude(picked(push, self.rows))
        touched = size > 0.0
        if not touched.any():
            return push
        slight = size <= SLIGHT * self.radius
        slides = (size > DEEP * self.radius) & slide
        few = which(touched & ~slight & ~slides)
        taken = push.copy(order="K")
        taken[self.rows[touched & slight]] = 0.0
        taken[self.rows[few]] = self._along_the_way(few, points, push, size[few])
        return taken

    def braking(self, away: Vectors, bodies: Rows) -> Scalars:
        """How much of its brakes counts along directions (p, 3) to others, for each of p bodies; all without feet."""
        place = np.full(max(int(bodies.max(initial=-1)), int(self.rows.max(initial=-1))) + 2, -1)
        place[self.rows] = np.arange(len(self.rows))
        foot = place[bodies]
        along = np.abs(dot(picked(self.ahead, np.maximum(foot, 0)), away)) if len(self.rows) else np.ones(len(bodies))
        return np.where(foot < 0, 1.0, np.maximum(along, BROADSIDE))

    def held(self, points: Vectors, wanted: Vectors) -> Vectors:
        """The points (n, 3) with no more way aside than feet allow, of those whose wanted way needs no more; metres."""
        ways = picked(points, self.rows) - self.began, picked(wanted, self.rows) - self.began
        (on, right), (wanted_on, wanted_right) = ((dot(way, self.ahead), dot(way, self.aside)) for way in ways)
        most = self._most_aside(slice(None), on)
        slides = np.abs(wanted_right) > self._most_aside(slice(None), wanted_on) + SLIGHT * self.radius
        excess = np.where(slides, 0.0, right - clamp(right, -most, most))
        held = points.copy(order="K")
        held[self.rows] -= self.aside * excess[:, None]
        return held

    def _most_aside(self, few: Rows | slice, on: Scalars) -> Scalars:
        """How far aside some of the bodies may get on ways ahead of (k,) metres, (k,) metres."""
        return np.maximum(SIDEWAYS * np.abs(on), side_step(self.share[few], self.pace[few], np.abs(on)))

    def _along_the_way(self, few: Rows, points: Vectors, push: Vectors, size: Scalars) -> Vectors:
        """The part of pushes of (k,) metres that some of m bodies take, (k, 3) metres; points, push: (b, 3) metres."""
        rows, ahead, aside = self.rows[few], picked(self.ahead, few), picked(self.aside, few)
        gone, pushed = picked(points, rows) - picked(self.began, few), picked(push, rows)
        on, right = dot(gone, ahead), dot(gone, aside)
        along, across = dot(pushed, ahead), dot(pushed, aside)
        most = self._most_aside(few, np.maximum(on + np.minimum(along, 0.0), 0.0))
        left = np.maximum(np.abs(right + across) - most, 0.0)
        slower = left * np.abs(across) / np.maximum(-along, BROADSIDE * size)
        # The push itself may make it step back; for what is left aside it stands at most, or steps back if it can.
        waits = along < -BROADSIDE * size
        along = np.where(
            waits, np.maximum(along - slower, np.minimum(along, -on - self.share[few] * self.pace[few])), along
        )
        most = self._most_aside(few, on + along)
        across = clamp(right + across, -most, most) - right
        return np.asarray(ahead * along[:, None] + aside * across[:, None], dtype=np.float64)
