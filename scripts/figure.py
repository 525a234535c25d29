"""What a figure of the manual is: a small scene, how long it runs, and what its caption claims, as a check."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steering_addon.scene import Scene, headings, positions, speeds
from steering_addon.simulation.snapshot import State

FPS = 24.0


@dataclass(frozen=True)
class Run:
    """A scene with the states it went through, one a frame."""

    scene: Scene
    states: list[State]

    @classmethod
    def of(cls, scene: Scene, seconds: float) -> Run:
        """The scene run for a time."""
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
        """(frames, k, 3) where the tracked bodies are."""
        return np.stack([state.inputs.tracked.position for state in self.states])

    def to_body(self, body: int = 0) -> np.ndarray:
        """(frames, n) metres from the vehicles to a tracked body."""
        return np.linalg.norm(self.position - self.bodies[:, body : body + 1], axis=-1)

    def apart(self) -> np.ndarray:
        """(frames, n, n) metres between the vehicles, inf from each to itself."""
        gap = np.linalg.norm(self.position[:, :, None] - self.position[:, None], axis=-1)
        rows = np.arange(gap.shape[1])
        gap[:, rows, rows] = np.inf
        return gap

    def clearance(self) -> np.ndarray:
        """(frames, n, k) metres between the vehicles' places and the surfaces of the obstacles."""
        return np.stack([state.inputs.obstacles.clearance(state.motion.position) for state in self.states])


@dataclass(frozen=True)
class Figure:
    """A drawing of a real run.

    Attributes:
        caption: what it shows, in one to three sentences.
        scene: makes the scene.
        seconds: how long it runs.
        shows: what of a run the caption says, as checks by name; all of them have to hold.
        without: makes the same scene without the behavior, drawn dotted beside it.
        every: seconds from one drawn vehicle to the next along its way; 0 draws them at the start and the end only.
        facing: the way that targets face is drawn.
        side_view: seen from the right instead of from above.
        groups: vehicles drawn in the same colour, a list of row numbers each; all in one colour if there are none.
    """

    caption: str
    scene: Callable[[], Scene]
    seconds: float
    shows: Callable[[Run], dict[str, bool]]
    without: Callable[[], Scene] | None = None
    every: float = 1.0
    facing: bool = False
    side_view: bool = False
    groups: tuple[tuple[int, ...], ...] = ()

    def run(self) -> Run:
        """The run that is drawn."""
        return Run.of(self.scene(), self.seconds)
