"""The part of portraits that needs the whole run: heads that turn ahead of bodies, and feet that are held.

A preview, which does not know what is to come, guesses how heads turn (`heads.LiveTurns`) and leaves feet as their
clips have them.
"""

from collections.abc import Collection, Iterator

import numpy as np

from ..simulation.arrays.scalars import Mask, Scalars
from ..simulation.arrays.vectors import columns
from .feet.planes import Ground
from .feet.treads import Carried
from .heads import Heads, leads, toward
from .portrait import ModelPortrait
from .riding import RiddenGround, on_all_frames


class HeadsAhead:
    """Takes in the heads of m bodies on the frames of a run, and then turns them."""

    def __init__(self, lead: float, frame_time: float, *, eases_always: bool = False) -> None:
        """Say how they turn. `frame_time`: seconds; `eases_always`: whether also heads that look at nothing turn as
        gently as those that do."""
        self._lead, self._frame_time, self._eases_always = lead, frame_time, eases_always
        self._heads: list[Heads] = []

    def frame(self, heads: Heads) -> None:
        """Take in the next frame."""
        self._heads.append(heads)

    def turned(self) -> tuple[Scalars, Scalars, Mask]:
        """How far heads are turned to the left and raised, (m, f) radians each, and which ever are, (m,)."""
        run = on_all_frames(self._heads)
        lead, frame_time = self._lead, self._frame_time
        left = leads(run.faces, run.stands, lead, frame_time)
        raised, turned = np.zeros(left.shape), np.full(len(left), lead > 0.0)
        for k in range(len(left)):
            if self._eases_always or np.isfinite(run.seen[k]).any():
                turned[k] = True
                left[k], raised[k] = toward(run.seen[k], run.eyes[k], run.forward[k], run.up[k], left[k], frame_time)
        return left, raised, turned


class PlantedBodies:
    """Takes in the bodies of one model on the frames of a run, and then says where they stand."""

    def __init__(self, size: Scalars, lift: Scalars) -> None:
        """Say how large m bodies are on the first frame. `size`: (m,) as of `ModelClips`; `lift`: (m,) metres of their
        origins above the place where they stand."""
        # Clips may have been measured on a body of another size than the first one, whose rig is read.
        self._size, self._lift = size / size[0], lift
        self._portraits: list[ModelPortrait] = []

    def frame(self, portrait: ModelPortrait) -> None:
        """Take in the next frame."""
        self._portraits.append(portrait)

    def pieces(
        self, frames_together: int, moved: Collection[int], still: Ground | None
    ) -> Iterator[tuple[slice, Carried, Ground | None]]:
        """Some bodies after others: their rows, what carries them over the run, and the ground below them.

        Args:
            frames_together: how many frames of all bodies make a piece.
            moved: the rows of the surfaces that moved.
            still: the ground that did not; None for the level of the bodies.
        """
        portraits, number = self._portraits, len(self._size)
        run = on_all_frames([portrait.on_ground for portrait in portraits])
        columns_of = ((p.bodies.position, p.bodies.raised, p.bodies.on_link, p.growth) for p in portraits)
        place, raised, aloft, growth = (np.stack(frames, axis=1) for frames in zip(*columns_of))
        origin, size = self._lift[:, None] * growth, self._size[:, None] * growth
        pieces = min(-(-number * len(portraits) // frames_together), number)
        for piece in range(pieces):
            rows = slice(number * piece // pieces, number * (piece + 1) // pieces)
            riders = run.of(rows)
            position, forward, up = (
                columns(*np.moveaxis(v, -1, 0)) for v in (riders.position, riders.forward, riders.up)
            )
            rides = np.isin(riders.surface, list(moved))
            above = origin[rows] + raised[rows]
            ground = RiddenGround(place[rows], riders, rides, above, still) if moved else still
            yield rows, Carried(position, forward, up, size[rows], origin[rows], aloft[rows], raised[rows]), ground
