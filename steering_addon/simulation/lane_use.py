"""Lane use: along which lane each vehicle goes, and how it gives way where lanes meet. All vehicles see that."""

from dataclasses import dataclass

import numpy as np

from .arrays.frozen import Columns
from .arrays.scalars import Mask, Rows, Scalars
from .arrays.vectors import Vectors, dot, magnitude, no_vectors, picked
from .memory import Memory, remembered


@dataclass(frozen=True)
class Routed(Memory):
    """The lane of each agent. A behavior that remembers this lets all others see it.

    Attributes:
        path: (n,) the row of the path that it follows, -1 before it has chosen one.
        spline: (n,) the index of the spline of the path.
        width: (n,) how far it may stray from its lane, metres.
        left: (n,) how far its lane is to the left of that spline, metres.
        along: (n,) its position along its lane, metres.
        way: (n,) 1 along the spline, -1 against it.
        ended: (n,) whether it has come to the end of its lane, to enter again at the start.
    """

    path: Rows = remembered(-1)
    spline: Rows = remembered(0)
    width: Scalars = remembered(0.0)
    left: Scalars = remembered(0.0)
    along: Scalars = remembered(0.0)
    way: Scalars = remembered(1.0)
    ended: Mask = remembered(False)


@dataclass(frozen=True)
class Yielding(Memory):
    """How each agent gives way where lanes meet. A behavior that remembers this lets all others see it.

    Attributes:
        asked: (n,) the time at which it last did, seconds.
        rank: (n,) who goes first: lower numbers before higher ones.
        agility: (n,) its strongest acceleration, m/s2.
        walks: (n,) whether it walks.
        sight: (n,) how far ahead of it lanes that meet its own count, metres.
        gap: (n,) how far from them it stops, metres.
        margin: (n,) by how much it passes before others or after them, seconds.
        patience: (n,) after how long a wait it goes before all others, seconds.
        waited: (n,) how long it has had to stand because of the others since it last went on, seconds; beyond patience,
            since it came, until it is through.
        late: (n,) whether it can no longer stop for another that is in its way.
        stuck: (n,) how long it has stood although they let it go on, seconds.
    """

    asked: Scalars = remembered(-np.inf)
    rank: Rows = remembered(0)
    agility: Scalars = remembered(0.0)
    cruise_speed: Scalars = remembered(0.0)
    reaction: Scalars = remembered(0.0)
    walks: Mask = remembered(False)
    sight: Scalars = remembered(0.0)
    gap: Scalars = remembered(0.0)
    margin: Scalars = remembered(0.0)
    patience: Scalars = remembered(0.0)
    waited: Scalars = remembered(0.0)
    late: Mask = remembered(False)
    stuck: Scalars = remembered(0.0)


@dataclass(frozen=True)
class Signals(Columns):
    """The k signals of a scene.

    Attributes:
        green: (k,) whether vehicles may go on; those that take no part at a frame are green.
        path: (k,) the row of the path that each holds, -1 for the lane near which it stands.
    """

    position: Vectors
    green: Mask
    path: Rows

    def __len__(self) -> int:
        return len(self.green)


NO_SIGNALS = Signals(no_vectors(0), np.zeros(0, dtype=np.bool_), np.zeros(0, dtype=np.int64))


SAME = 1.5
"""Metres between the middles of one passage as bodies of different sizes see them."""
OPPOSITE = 0.3
"""Cosine of the angle between directions through a passage beyond which they are alike, or below its negative, opposite
to each other."""


@dataclass(frozen=True)
class Passing(Memory):
    """The passage that each agent comes to by its way, or is in: too narrow for two or, if there is no such one nearby,
    so narrow that streams share it. All vehicles see it.

    Attributes:
        place: (n, 3) the middle of its first narrow place, metres; nan for none.
        middle: (n, 3) that of the straight stretch in which that is, metres: the same from both ends.
        through: (n, 3) the level unit direction through it; zero for none.
        room: (n,) metres beside the middle that bodies have where two fit side by side; 0 where they do not.
        entry: (n, 3) where the agent was last outside, metres.
        come: (n,) how far the agent has come into it, metres; negative before it.
        inside: (n,) whether it is inside.
        lets: (n,) whether it lets others pass.
        waited: (n,) for how long it has, seconds.
        asked: (n,) the time at which it last looked, seconds.
    """

    place: Vectors = remembered((np.nan, np.nan, np.nan))
    middle: Vectors = remembered((np.nan, np.nan, np.nan))
    through: Vectors = remembered((0.0, 0.0, 0.0))
    room: Scalars = remembered(0.0)
    entry: Vectors = remembered((0.0, 0.0, 0.0))
    come: Scalars = remembered(0.0)
    inside: Mask = remembered(False)
    lets: Mask = remembered(False)
    waited: Scalars = remembered(0.0)
    asked: Scalars = remembered(-np.inf)

    @property
    def single(self) -> Mask:
        """Whether each comes to a passage too narrow for two, (n,)."""
        return np.isfinite(self.place[:, 0]) & (self.room == 0.0)

    @property
    def shared(self) -> Mask:
        """Whether each comes to a way that streams share, (n,)."""
        return np.isfinite(self.place[:, 0]) & (self.room > 0.0)

    def alike(self, one: Rows, other: Rows, way: float = 1.0) -> Mask:
        """Whether agents of rows (m,) come to the same passage as others, (m,), in the same direction; against them if
        `way` is -1."""
        same = magnitude(picked(self.middle, one) - picked(self.middle, other)) < SAME
        same &= self.single[one] & self.single[other]
        return same & (way * dot(picked(self.through, one), picked(self.through, other)) > OPPOSITE)
