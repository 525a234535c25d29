"""A figure of the manual: a small scene, how long it runs, and the claims of its caption as checks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from steering_addon.locomotion import Planar
from steering_addon.scene import Scene, headings, positions, speeds
from steering_addon.simulation.snapshot import State

FPS = 24.0


@dataclass
class PlanarScene(Scene):
    """A scene whose vehicles move in a plane, to the right if nothing else is said."""

    forward: Any = (1.0, 0.0, 0.0)
    locomotions: list = field(default_factory=lambda: [(Planar, {})])


@dataclass(frozen=True)
class Run:
    """A scene with its states, one per frame."""

    scene: Scene
    states: list[State]

    @classmethod
    def of(cls, scene: Scene, seconds: float) -> Run:
        """Run a scene for this time."""
        return cls(scene, scene.run(round(seconds * FPS) + 1))

    @cached_property
    def position(self) -> np.ndarray:
        """(frames, n, 3) metres."""
        return positions(self.states)

    @cached_property
    def forward(self) -> np.ndarray:
        """(frames, n, 3) unit headings."""
        return headings(self.states)

    @cached_property
    def speed(self) -> np.ndarray:
        """(frames, n) metres a second."""
        return speeds(self.states)

    @cached_property
    def bodies(self) -> np.ndarray:
        """(frames, k, 3) positions of the tracked bodies."""
        return np.stack([state.inputs.tracked.position for state in self.states])

    def to_body(self, body: int = 0) -> np.ndarray:
        """(frames, n) metres from the vehicles to a tracked body."""
        return np.linalg.norm(self.position - self.bodies[:, body : body + 1], axis=-1)

    def apart(self) -> np.ndarray:
        """(frames, n, n) metres between the vehicles, inf on the diagonal."""
        gap = np.linalg.norm(self.position[:, :, None] - self.position[:, None], axis=-1)
        rows = np.arange(gap.shape[1])
        gap[:, rows, rows] = np.inf
        return gap

    def clearance(self) -> np.ndarray:
        """(frames, n, k) metres from the vehicles' centres to the surfaces of the obstacles."""
        return np.stack([state.inputs.obstacles.clearance(state.motion.position) for state in self.states])


@dataclass(frozen=True)
class Figure:
    """A drawing of a real run.

    Attributes:
        seconds: how long it runs.
        shows: the caption's claims about a run, as checks by name; all have to hold.
        without: the same scene without the behavior, whose run is drawn dotted.
        every: seconds between the drawn vehicles along a trajectory; 0 draws only the first and the last.
        facing: whether to draw the directions that targets face.
        groups: row numbers of the vehicles in each colour; empty for one colour.
        caption: one to three sentences.
    """

    scene: Scene
    seconds: float
    shows: Callable[[Run], dict[str, bool]]
    without: Scene | None = None
    every: float = 1.0
    facing: bool = False
    groups: tuple[tuple[int, ...], ...] = ()
    caption: str = ""

    def run(self) -> Run:
        """The run that is drawn."""
        return Run.of(self.scene, self.seconds)


FIGURES: dict[str, Figure] = {}
"""All figures by the names of their drawings."""


def figure(
    scene: Scene, seconds: float, without: Scene | None = None, *, name: str = "", **look: Any
) -> Callable[[Callable[[Run], dict[str, bool]]], Figure]:
    """Declare a figure by the function `shows`, whose docstring is the caption. `name`: of its drawing; the function
    has by default that of the behavior. `look`: further attributes of `Figure`."""

    def declare(shows: Callable[[Run], dict[str, bool]]) -> Figure:
        caption = " ".join((shows.__doc__ or "").split())
        drawn = FIGURES[name or shows.__name__] = Figure(scene, seconds, shows, without, caption=caption, **look)
        return drawn

    return declare
