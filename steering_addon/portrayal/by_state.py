"""The clips that agents may play in the states of their crowd.

Of the clips of each kind, those that stand, move, turn on the spot, are done once or beat, an agent plays those of its
state; where its state has none, those that are for any state.
"""

from collections.abc import Sequence

import numpy as np

from ..simulation.arrays.scalars import Mask, Rows, Scalars
from .clips import ANY, BEAT, MOVE, STAND, Clip


def numbers_of(clips: Sequence[Clip]) -> list[int]:
    """The numbers of the states that have clips, in order, the first ANY."""
    return sorted({ANY, *(clip.state for clip in clips if clip.state > ANY)})


def for_state(rows: Sequence[int], clips: Sequence[Clip], number: int) -> list[int]:
    """The rows, of some, of the clips played in a state, by its number: its own, or those for any state."""
    chosen = [row for row in rows if clips[row].state == number]
    return chosen or [row for row in rows if clips[row].state == ANY]


def places_of(numbers: Sequence[int], states: Rows) -> Rows:
    """The place of each state (n,) among sorted numbers, (n,); 0 for those that are not among them."""
    if len(numbers) == 1:
        return np.zeros(len(states), dtype=np.int64)
    known = np.array(numbers, dtype=np.int64)
    places = np.minimum(np.searchsorted(known, states), len(known) - 1)
    return np.where(known[places] == states, places, 0)


class StateClips:
    """The clips for each of k states that have any, and first for all others.

    Attributes:
        moves: (k) the rows of those that move.
        stands: (k,) whether there is one that stands.
        turns: (k, clips) whether a clip turns on the spot.
        beats: (k) the rows of those that beat wings, a tail or fins.
    """

    def __init__(self, clips: Sequence[Clip]) -> None:
        self._numbers = numbers_of(clips)
        moving = [row for row, clip in enumerate(clips) if clip.plays == MOVE and clip.speed > 0.0]
        turning = [row for row, clip in enumerate(clips) if clip.plays == MOVE and not clip.speed and clip.turn]
        standing = [row for row, clip in enumerate(clips) if clip.plays == STAND]
        beating = [row for row, clip in enumerate(clips) if clip.plays == BEAT]
        self.beats = [for_state(beating, clips, number) for number in self._numbers]
        self.moves = [for_state(moving, clips, number) for number in self._numbers]
        stands = [for_state(standing, clips, number) for number in self._numbers]
        self.stands: Mask = np.array([bool(rows) for rows in stands])
        self.turns = np.zeros((len(self._numbers), len(clips)), dtype=np.bool_)
        for place, number in enumerate(self._numbers):
            self.turns[place, for_state(turning, clips, number)] = True
        # What neither stands nor moves holds the pose of the lowest strip.
        rests = [rows or moves[:1] or [0] for rows, moves in zip(stands, self.moves)]
        self._alone, self._together = (
            [np.array([row for row in rows if clips[row].with_company is company] or rows, np.int64) for rows in rests]
            for company in (False, True)
        )

    def places(self, states: Rows) -> Rows:
        """The place among the k of the state of each agent, (n,), from the numbers of the states (n,)."""
        return places_of(self._numbers, states)

    def between_steps(self, places: Rows) -> Rows:
        """As `places`, for the clip mixed into shorter steps: for these, no agent lies down or sleeps."""
        return np.where(self.stands[0], 0, places)

    def standing(self, places: Rows, draw: Scalars, talks: Mask) -> Rows:
        """The clip that each agent takes to stand, (n,). `draw`: (n,) chance, in [0, 1); `talks`: (n,) whether it is
        one for those in company."""
        taken_clip = np.zeros(len(places), dtype=np.int64)
        for place, (alone, together) in enumerate(zip(self._alone, self._together)):
            by_chance = (rows[np.floor(draw * len(rows)).astype(np.int64)] for rows in (together, alone))
            taken_clip = np.where(places == place, np.where(talks, *by_chance), taken_clip)
        return taken_clip
