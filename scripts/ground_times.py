"""Walkers on hills and on a plane, to be timed against each other."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection

import numpy as np
from numpy.typing import NDArray

from steering_addon.behaviors.alignment import Alignment
from steering_addon.behaviors.cohesion import Cohesion
from steering_addon.behaviors.separation import Separation
from steering_addon.behaviors.wander import Wander
from steering_addon.locomotion import Crawling, OnFoot, Planar
from steering_addon.scene import Scene
from steering_addon.simulation.geometry.floors import floor
from steering_addon.simulation.geometry.surfaces import NO_SURFACES, Surfaces, surfaces
from steering_addon.simulation.locomotion import Locomotion
from steering_addon.simulation.run import step

CELLS = 200
"""Along each side, of two triangles and a metre each."""
GENTLE, STEEP = 0.5, 1.15
"""Heights of the hills, metres: none of the ground is steeper than 35 degrees, or a fifth of it."""
BARE = "on foot without ground"
"""The name of the crowd that walks as the others do, on no surface."""
WARM = 12
"""Steps before time is taken."""
TOGETHER = 5
"""Steps whose time is taken together: walkers look ahead in one of them, which takes longer."""
REPEATS = 7


def hills(cells: int, height: float, phase: float = 0.0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Points and triangles of rolling hills, a metre a cell, about the origin."""
    x, y = np.meshgrid(*(2 * [np.arange(cells + 1) - 0.5 * cells]), indexing="ij")
    waves = ((0.31, 0.12, 0.0), (-0.14, 0.27, 1.0), (0.22, -0.25, 2.5), (0.05, 0.36, 4.0))
    z = height * sum(np.sin(a * x + b * y + c + phase) for a, b, c in waves)
    row = np.arange((cells + 1) ** 2).reshape(cells + 1, -1)
    a, b, c, d = (part.ravel() for part in (row[:-1, :-1], row[1:, :-1], row[1:, 1:], row[:-1, 1:]))
    triangles = np.concatenate((np.stack((a, b, c), axis=1), np.stack((a, c, d), axis=1)))
    return np.stack((x, y, z), axis=-1).reshape(-1, 3), triangles


def halves(points: NDArray[np.float64], triangles: NDArray[np.int64]) -> Surfaces:
    """The same ground as two surfaces that lie side by side."""
    left = points[triangles].mean(axis=1)[:, 0] < 0.0
    parts = []
    for half in (triangles[left], triangles[~left]):
        rows, corners = np.unique(half, return_inverse=True)
        parts.append((points[rows], corners.reshape(half.shape)))
    return surfaces(parts)


def walkers(count: int, moves: type[Locomotion], ground: Surfaces) -> Scene:
    """A herd all over the hills, where they can be walked."""
    rng = np.random.default_rng(1)
    half = 0.45 * CELLS
    x, y = rng.uniform(-half, half, (2, 4 * count))
    far = np.full(len(x), 1e3)
    footing = ground.under(x, y, 0.0 * x, far, far) if len(ground) else None
    gentle = np.ones(len(x), dtype=bool) if footing is None else ground.levelness(footing.triangle) > np.cos(0.6)
    z = 0.0 * x if footing is None else footing.height
    x, y, z = (column[gentle][:count] for column in (x, y, z))
    turn = rng.uniform(0.0, 2.0 * np.pi, count)
    return Scene(
        np.stack((x, y, z), axis=1),
        forward=np.stack((np.cos(turn), np.sin(turn), 0.0 * turn), axis=1),
        speed=0.8,
        vehicle={"max_speed": 1.6, "max_force": 3.0, "radius": 0.4, "cruise_speed": 0.5},
        behaviors=[(Separation, {}), (Alignment, {}), (Cohesion, {}), (Wander, {"strength": 1.0})],
        locomotions=[(moves, {} if moves is Planar else {"turn_radius": 2.5, "turn_on_the_spot": 0.0})],
        surfaces=ground,
        fps=24,
    )


CROWDS: dict[str, tuple[type[Locomotion], Callable[[], Surfaces]]] = {
    "plane": (Planar, lambda: NO_SURFACES),
    BARE: (OnFoot, lambda: NO_SURFACES),
    "hills": (OnFoot, lambda: surfaces([hills(CELLS, GENTLE)])),
    "steep hills": (OnFoot, lambda: surfaces([hills(CELLS, STEEP)])),
    "crawling": (Crawling, lambda: surfaces([hills(CELLS, GENTLE)])),
    "on two surfaces": (Crawling, lambda: halves(*hills(CELLS, GENTLE))),
}
"""How each crowd moves, and what makes its ground."""


def step_times(count: int, frames: int) -> dict[str, float]:
    """The median CPU seconds of a step, of those together, by how the crowd moves and on what ground."""
    processes = get_context("spawn")
    turns = {}
    for name in CROWDS:
        turns[name], its_end = processes.Pipe()
        processes.Process(target=walk, args=(name, count, its_end), daemon=True).start()
    for turn in turns.values():
        turn.recv()
    times: dict[str, list[float]] = {name: [] for name in CROWDS}
    for _ in range(0, frames, TOGETHER):
        for name, turn in turns.items():
            turn.send(True)
            times[name].append(turn.recv() / TOGETHER)
    for turn in turns.values():
        turn.send(False)
    return {name: statistics.median(seconds) for name, seconds in times.items()}


def walk(name: str, count: int, turn: Connection) -> None:
    """Step with one crowd, each time when it is its turn, and tell the CPU seconds.

    In a bake a crowd has the fast memory of the processor to itself, so that each has a process of its own here.
    """
    moves, ground = CROWDS[name]
    scene = walkers(count, moves, ground())
    snapshot = scene.snapshot()
    state = scene.start()
    for _ in range(WARM + 1):
        state = step(state, snapshot)
    turn.send(True)
    while turn.recv():
        began = time.process_time()
        for _ in range(TOGETHER):
            state = step(state, snapshot)
        turn.send(time.process_time() - began)


def making_times() -> dict[str, float]:
    """The least seconds to make a floor, and to raise and sink another."""
    points, triangles = hills(CELLS, GENTLE)
    small, faces = hills(CELLS // 2, GENTLE)
    calm = floor(small, faces)
    waves = [hills(CELLS // 2, GENTLE, 0.1 * k)[0] for k in range(1, REPEATS + 1)]
    made, raised = [], []
    for wave in waves:
        began = time.process_time()
        floor(points, triangles)
        made.append(time.process_time() - began)
        began = time.process_time()
        calm.moved(wave)
        raised.append(time.process_time() - began)
    return {"floor of 80,000 triangles made": min(made), "floor of 20,000 triangles moved": min(raised)}
